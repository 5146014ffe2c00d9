/* Fuzzer of the expression language: any text either parses or gives exactly one error; what parses
 * can be evaluated in all orders with equal values, a symmetric Hessian, and ascending kinks.
 * The first byte chooses between expression and reference. */
#include "expr/expr.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 64, FIRST_SENSOR = 8, SCRATCH_MOST = 1 << 20 };

static lm_symbol symbol(void *ctx, const char *name, double *value, int *slot)
{
    static const char *const slots[] = {"t", "x", "y", "z", "q(1)", "q(2)", "w"};
    (void)ctx;
    for (int i = 0; i < 7; i++)
        if (strcmp(name, slots[i]) == 0) return *slot = i, LM_SYM_SLOT;
    if (strcmp(name, "L") == 0) return *value = 2, LM_SYM_CONSTANT;
    if (strcmp(name, "k") == 0) return *value = 3, LM_SYM_CONSTANT;
    return LM_SYM_NONE;
}

static int is_sensor(void *ctx, const char *name)
{
    (void)ctx;
    return strcmp(name, "pos") == 0 || strcmp(name, "joint") == 0 || strcmp(name, "energy") == 0;
}

static int sensor(void *ctx, const lm_sensor_call *call, int *slot)
{
    unsigned hash = 1;
    for (int i = 0; i < call->nargs; i++)
        for (const char *s = call->args[i]; *s; s++) hash = hash * 31 + (unsigned char)*s;
    if (strcmp(call->component, "none") == 0) return lm_error(ctx, call->loc, "none"), -1;
    *slot =
        FIRST_SENSOR + (int)((hash + (unsigned char)call->component[0]) % (SLOTS - FIRST_SENSOR));
    return 0;
}

static const lm_grid *surface(void *ctx, const char *name, lm_loc loc)
{
    return lm_error(ctx, loc, "no surface '%s'", name), NULL;
}

static const char *const *names(void *ctx, int *n)
{
    static const char *const list[] = {"t", "x", "y", "z", "q(1)", "q(2)", "w", "L", "k", "pos"};
    (void)ctx;
    *n = 10;
    return list;
}

static void require(int condition, const char *what)
{
    if (condition) return;
    fprintf(stderr, "violated: %s\n", what);
    abort();
}

static int same(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

static void evaluate(const lm_expr *e)
{
    int n = e->ninputs, need = lm_expr_scratch(e, 2);
    require(need >= lm_expr_scratch(e, 1) && lm_expr_scratch(e, 1) >= lm_expr_scratch(e, 0),
            "sizes");
    if (need > SCRATCH_MOST) return;
    /* exact sizes, so that the sanitizer sees any excess; NaN, so that nothing is read unset */
    double *scratch = malloc(sizeof(double) * (size_t)(need + n + n * n + 1));
    double *grad = scratch + need, *hess = grad + n, slots[SLOTS];
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < SLOTS; i++) slots[i] = round * 0.7 - 1.3 * (i % 3) * (round > 0);
        for (int i = 0; i < need + n + n * n; i++) scratch[i] = NAN;
        double f = lm_expr_eval(e, slots, scratch), g = lm_expr_grad(e, slots, scratch, grad);
        for (int i = 0; i < need; i++) scratch[i] = NAN;
        double h = lm_expr_hess(e, slots, scratch, grad, hess);
        require(same(f, g) && same(f, h), "equal values");
        for (int i = 0; i < n * n; i++)
            require(same(hess[i], hess[i % n * n + i / n]), "symmetric");
    }
    free(scratch);
    double t = -3;
    for (int i = 0; i < 50 && t < 1e300; i++) {
        double next = lm_expr_next_kink(e, t);
        require(next > t, "ascending kinks");
        t = next;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) return 0;
    lm_arena arena = {0};
    lm_diag diag = {0};
    lm_expr e;
    const lm_expr_env env = {.ctx = &diag,
                             .symbol = symbol,
                             .is_sensor = is_sensor,
                             .sensor = sensor,
                             .surface = surface,
                             .names = names};
    const lm_loc loc = {"fuzz", 1, 1};
    char *text = malloc(size);
    memcpy(text, data + 1, size - 1);
    text[size - 1] = 0;
    if (data[0] == 'r') {
        const char *reference = lm_expr_reference(&arena, &diag, &env, text, loc);
        require((reference == NULL) == (diag.errors == 1), "one error");
        if (reference) /* canonical: reading it again changes nothing */
            require(strcmp(lm_expr_reference(&arena, &diag, &env, reference, loc), reference) == 0,
                    "canonical");
    } else {
        int rc = lm_expr_parse(&arena, &diag, &env, text, loc, &e);
        require(rc == (diag.errors == 1 ? -1 : 0), "one error");
        if (rc == 0) evaluate(&e);
    }
    free(text);
    lm_arena_free(&arena);
    lm_diag_free(&diag);
    return 0;
}
