/* The same model by every method of integration. */
#ifndef TESTS_METHODS_H
#define TESTS_METHODS_H

#include "support/run_model.h"

enum { METHODS = 6 };

typedef struct method {
    const char *how; /* keys of `analysis` */
    int rejects;     /* takes back steps whose error is too large, where a contact comes up */
} method;

extern const method run_methods[METHODS];

/* Twenty rows of dynamics, by `how` of a method or other keys. */
table run_method(const char *text, const char *how, double until);

#endif
