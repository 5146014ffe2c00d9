/* What the tests of blocks share: models, and a column against a function of time. */
#ifndef TEST_BLOCKS_ENV_H
#define TEST_BLOCKS_ENV_H

#include "support/run_model.h"

#define PI 3.14159265358979323846

/* Something that moves by itself and is not touched: blocks of time alone. */
#define ALONE                                                                                      \
    "limber: 1\n"                                                                                  \
    "bodies: {bob: {type: rigid, mass: 1, inertia: [1, 1, 1]}}\n"                                  \
    "joints: {rail: {type: prismatic, between: [ground, bob], axis: y}}\n"
/* A wheel of inertia 1 on an axle, with a torque. */
#define WHEEL(torque)                                                                              \
    "limber: 1\n"                                                                                  \
    "bodies: {wheel: {type: rigid, mass: 1, inertia: [1, 1, 1]}}\n"                                \
    "joints: {axle: {type: revolute, between: [ground, wheel], axis: z, effort: " torque "}}\n"

static inline table run(const char *text, const char *analysis)
{
    char *whole = malloc(strlen(text) + strlen(analysis) + 20);
    sprintf(whole, "%sanalysis: %s\n", text, analysis);
    table r = run_model(&(run_how){.text = whole});
    free(whole);
    return r;
}

/* Largest difference between a column and a function of time. */
static inline double off(const table *r, const char *name, double (*f)(double))
{
    double most = 0;
    for (int i = 0; i < r->rows; i++)
        most = fmax(most, fabs(table_get(r, i, name) - f(table_get(r, i, "t"))));
    return most;
}

#define RADAU(until) "{type: dynamics, until: " until ", method: radau, tolerance: 1e-8}"

#endif
