/* The names the expression tests use: constants, slots and sensors. */
#ifndef TEST_EXPR_ENV_H
#define TEST_EXPR_ENV_H

#include "expr/expr.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { FIRST_SENSOR = 20, MOST_SENSORS = 40, SLOTS = FIRST_SENSOR + MOST_SENSORS };

/* t, x, y, z, omega are slots 0..4; q(1)..q(3) are slots 11..13; sensors follow from 20 on in the
 * order in which they are asked for, `sensors` keeps their texts. */
typedef struct world {
    lm_arena arena;
    lm_diag diag;
    lm_expr_env env;
    char sensors[MOST_SENSORS][120];
    int nsensors;
    lm_loc sensor_loc;
    double slots[SLOTS];
    double *scratch;
} world;

static const char *const test_names[] = {
    "L",      "N",    "k",     "i",    "j",    "x0",   "step", "t",         "x",
    "y",      "z",    "omega", "q(1)", "q(2)", "q(3)", "pos",  "vel",       "joint",
    "energy", "rate", "bad",   "huge", "tiny", "link", "nan",  "deflection"};

static const struct {
    const char *name;
    double value;
} test_constants[] = {{"L", 2},    {"N", 3},       {"k", 3},        {"i", 1},       {"j", 2},
                      {"x0", 0.5}, {"step", 0.25}, {"huge", 1e308}, {"tiny", 1e-5}, {"nan", NAN}};

static const struct {
    const char *name;
    int slot;
} test_slots[] = {{"t", 0},     {"x", 1},     {"y", 2},     {"z", 3},
                  {"omega", 4}, {"q(1)", 11}, {"q(2)", 12}, {"q(3)", 13}};

#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))

static inline lm_symbol test_symbol(void *ctx, const char *name, double *value, int *slot)
{
    (void)ctx;
    for (int i = 0; i < COUNT(test_constants); i++)
        if (strcmp(name, test_constants[i].name) == 0)
            return *value = test_constants[i].value, LM_SYM_CONSTANT;
    for (int i = 0; i < COUNT(test_slots); i++)
        if (strcmp(name, test_slots[i].name) == 0) return *slot = test_slots[i].slot, LM_SYM_SLOT;
    return LM_SYM_NONE;
}

static inline int test_is_sensor(void *ctx, const char *name)
{
    static const char *const list[] = {"pos",  "vel", "joint",     "energy",
                                       "rate", "bad", "deflection"};
    (void)ctx;
    for (int i = 0; i < COUNT(list); i++)
        if (strcmp(name, list[i]) == 0) return 1;
    return 0;
}

static inline int test_sensor(void *ctx, const lm_sensor_call *call, int *slot)
{
    world *w = ctx;
    char text[sizeof *w->sensors];
    int n = snprintf(text, sizeof text, "%s", call->fn);
    w->sensor_loc = call->loc;
    for (int i = 0; i < call->nargs; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "%s%s", i ? "|" : "[", call->args[i]);
    snprintf(text + n, sizeof text - (size_t)n, "%s.%s", call->nargs ? "]" : "", call->component);
    if (strcmp(call->fn, "bad") == 0) return lm_error(&w->diag, call->loc, "no such thing"), -1;
    for (int i = 0; i < w->nsensors; i++)
        if (strcmp(w->sensors[i], text) == 0) return *slot = FIRST_SENSOR + i, 0;
    assert_true(w->nsensors < MOST_SENSORS);
    strcpy(w->sensors[w->nsensors], text);
    *slot = FIRST_SENSOR + w->nsensors++;
    return 0;
}

static inline const char *const *test_all_names(void *ctx, int *n)
{
    (void)ctx;
    *n = COUNT(test_names);
    return test_names;
}

static inline void world_open(world *w)
{
    memset(w, 0, sizeof *w);
    w->env = (lm_expr_env){.ctx = w,
                           .symbol = test_symbol,
                           .is_sensor = test_is_sensor,
                           .sensor = test_sensor,
                           .names = test_all_names};
}

static inline void world_close(world *w)
{
    lm_arena_free(&w->arena);
    lm_diag_free(&w->diag);
}

/* Parse what must be right; w->scratch is large enough for all orders. */
static inline lm_expr parse(world *w, const char *text)
{
    lm_expr e;
    int rc = lm_expr_parse(&w->arena, &w->diag, &w->env, text, (lm_loc){"m.yaml", 7, 10}, &e);
    if (rc) print_error("%s: %s\n", text, w->diag.list.at[w->diag.list.n - 1].text);
    assert_int_equal(rc, 0);
    w->scratch = LM_NEW_N(&w->arena, double, lm_expr_scratch(&e, 2));
    return e;
}

static inline double eval(world *w, const char *text)
{
    lm_expr e = parse(w, text);
    return lm_expr_eval(&e, w->slots, w->scratch);
}

#endif
