/* How far two runs of a model are apart. */
#ifndef TESTS_MODELS_APART_H
#define TESTS_MODELS_APART_H

#include "support/run_model.h"

/* Largest difference of a column over its range. */
static inline double apart(const table *a, const table *b, const char *name)
{
    return table_distance(a, b, name) / table_range(a, name);
}

static inline double apart_most(const table *a, const table *b, const char *const *names)
{
    double most = 0;
    for (int i = 0; names[i]; i++) most = fmax(most, apart(a, b, names[i]));
    return most;
}

#endif
