#include "solve/filter.h"

#include <string.h>

int lm_filter_init(lm_filter *f, lm_system *sys)
{
    size_t n = (size_t)(sys->nv + sys->nl);
    f->sys = sys;
    f->lin = lm_linear_create_for(sys, &sys->pattern, &sys->groups);
    f->mass = lm_alloc(sizeof(double) * (size_t)sys->pattern.nnz);
    f->x = lm_alloc(sizeof(double) * 2 * n);
    return f->lin && f->mass && f->x ? 0 : -1;
}

void lm_filter_free(lm_filter *f)
{
    lm_linear_destroy(f->lin);
    lm_free(f->mass);
    lm_free(f->x);
}

int lm_filter_make(lm_filter *f, const lm_state *s, double span)
{
    const lm_form *form = f->sys->form;
    f->span = 0;
    if (form->jacobian(f->sys, s, 1, 0, 0, f->mass)) return 1;
    if (form->jacobian(f->sys, s, 1, 0, 0.25 * span * span, lm_linear_values(f->lin))) return 1;
    if (lm_linear_factor(f->lin)) return 1;
    f->span = span;
    return 0;
}

void lm_filter_apply(lm_filter *f, double *motion)
{
    size_t nv = (size_t)f->sys->nv, nl = (size_t)f->sys->nl;
    double *x = f->x, *y = f->x + nv + nl;
    memcpy(x, motion, sizeof(double) * nv);
    memset(x + nv, 0, sizeof(double) * nl);
    lm_sparse_mul_t(&f->sys->pattern, f->mass, x, y);
    memset(y + nv, 0, sizeof(double) * nl);
    lm_linear_correct(f->lin, 1, y);
    memcpy(motion, y, sizeof(double) * nv);
}
