#include "solve/linear.h"

#include "math/units.h"
#include "solve/block.h"

#include <math.h>
#include <string.h>
#include <suitesparse/klu.h>

struct lm_linear {
    const lm_pattern *p;
    double *values;
    double *rhs;            /* [n] */
    const lm_system *sys;   /* whose units scale the matrix; NULL: it is factored as it is */
    double mass, *d;        /* typical mass; [n] the scales of the factors in use */
    int scaled;             /* 0: all of them are 1 */
    lm_block_solver *block; /* NULL: KLU only */
    int by_block;           /* the factors in use are the block solver's */
    int doubts; /* times that the block solver failed of late: KLU goes first while > 0 */
    klu_symbolic *symbolic;
    klu_numeric *numeric;
    klu_common common;
    long full;
};

/* After the block solver has failed, so many factorisations go to KLU before it is tried again. */
enum { DOUBTS = 50 };

/* From so many groups on, it can pay to have threads work at both ends of a chain. */
enum { MANY_GROUPS = 64 };

static lm_block_order order_for(lm_solver solver, int groups)
{
    if (solver == LM_SOLVER_TREE) return LM_ORDER_TREE;
    return solver == LM_SOLVER_BLOCK || groups < MANY_GROUPS ? LM_ORDER_ENDS : LM_ORDER_MIDDLE;
}

/* NULL: no memory, or *no_order 1. A balanced tree may fill in where other orders do not. */
static lm_block_solver *make_block(const lm_pattern *p, const lm_groups *g, lm_solver solver,
                                   lm_pool *pool, int *no_order)
{
    lm_block_order order = order_for(solver, g->n);
    lm_block_solver *b = lm_block_create(p, g, order, pool, no_order);
    if (!b && *no_order && order == LM_ORDER_TREE)
        b = lm_block_create(p, g, LM_ORDER_MIDDLE, pool, no_order);
    return b;
}

static lm_linear *create(const lm_pattern *p, const lm_groups *groups, lm_solver solver,
                         lm_pool *pool)
{
    int no_order = 1;
    lm_linear *l = lm_alloc(sizeof *l);
    if (!l) return NULL;
    l->p = p;
    l->mass = 1;
    l->values = lm_alloc(sizeof(double) * (size_t)p->nnz);
    klu_defaults(&l->common);
    l->common.tol =
        0.1; /* the default, 0.001, trusts the zero diagonal of constraint rows too far */
    l->rhs = lm_alloc(sizeof(double) * (size_t)p->n);
    if (groups && groups->n && solver != LM_SOLVER_KLU)
        l->block = make_block(p, groups, solver, pool, &no_order);
    if (l->values && l->rhs && (l->block || no_order)) return l;
    lm_linear_destroy(l);
    return NULL;
}

lm_linear *lm_linear_create(const lm_pattern *p, const lm_groups *groups)
{
    return create(p, groups, LM_SOLVER_AUTOMATIC, NULL);
}

lm_linear *lm_linear_create_for(const lm_system *sys, const lm_pattern *p, const lm_groups *groups)
{
    lm_linear *l = create(p, groups, sys->solver, sys->pool);
    if (!l) return NULL;
    l->sys = sys;
    l->d = lm_alloc(sizeof(double) * (size_t)p->n);
    if (l->d) return l;
    lm_linear_destroy(l);
    return NULL;
}

void lm_linear_set_mass(lm_linear *l, double mass) { l->mass = mass; }

void lm_linear_destroy(lm_linear *l)
{
    if (!l) return;
    if (l->numeric) klu_free_numeric(&l->numeric, &l->common);
    if (l->symbolic) klu_free_symbolic(&l->symbolic, &l->common);
    lm_block_destroy(l->block);
    lm_free(l->values);
    lm_free(l->rhs);
    lm_free(l->d);
    lm_free(l);
}

double *lm_linear_values(lm_linear *l) { return l->values; }
long lm_linear_full_factors(const lm_linear *l) { return l->full; }

void lm_linear_new_pivots(lm_linear *l)
{
    if (l->numeric) klu_free_numeric(&l->numeric, &l->common);
    l->numeric = NULL;
    l->doubts = 0;
}

/* ---- units ---- */

/* Matrices are [M Phi^T; Phi 0] with M of size mass for lengths, mass S^2 for angles, where S is the
 * size of the model. Translations get 1/sqrt(mass), rotations 1/(S sqrt(mass)), rows of lengths
 * sqrt(mass), rows of angles S sqrt(mass); S and sqrt(mass) as powers of 1024, so that models of
 * everyday size in m and kg stay as they are, and nothing is rounded. */
int lm_linear_scales(const lm_system *sys, double mass, int each, double *d)
{
    if (!sys->model) return 0; /* a system without units */
    double S = lm_power_of_1024(sys->model->size), m = lm_power_of_1024(sqrt(mass));
    int moving = sys->nv - sys->nvariables;
    if (S == 1 && m == 1) return 0;
    for (int i = 0; i < each * (sys->nv + sys->nl); i++) {
        int u = i / each, row = u - sys->nv;
        if (u < moving)
            d[i] = 1 / (sys->angular[u] ? S * m : m);
        else
            d[i] = row < 0 || !sys->active[row] ? 1 : sys->angular[u] ? S * m : m;
    }
    return 1;
}

static void set_scales(lm_linear *l)
{
    const lm_system *sys = l->sys;
    if (!sys || !sys->model || l->p->n == 0) return;
    l->scaled = lm_linear_scales(sys, l->mass, l->p->n / (sys->nv + sys->nl), l->d);
}

static void scale_matrix(lm_linear *l, int back)
{
    const lm_pattern *p = l->p;
    for (int c = 0; c < p->n; c++)
        for (int k = p->colptr[c]; k < p->colptr[c + 1]; k++) {
            double d = l->d[c] * l->d[p->rowind[k]];
            l->values[k] *= back ? 1 / d : d;
        }
}

static void scale_vectors(const lm_linear *l, int n, double *x)
{
    for (int s = 0; s < n; s++, x += l->p->n)
        for (int i = 0; i < l->p->n; i++) x[i] *= l->d[i];
}

/* ---- factors ---- */

/* klu_refactor reports success even when the old pivots have become useless. */
static int old_pivots_serve(lm_linear *l)
{
    const lm_pattern *p = l->p;
    if (!l->numeric) return 0;
    if (!klu_refactor(p->colptr, p->rowind, l->values, l->symbolic, l->numeric, &l->common))
        return 0;
    if (!klu_rgrowth(p->colptr, p->rowind, l->values, l->symbolic, l->numeric, &l->common))
        return 0;
    if (!klu_rcond(l->symbolic, l->numeric, &l->common)) return 0;
    return l->common.rgrowth > 1e-8 && l->common.rcond > 1e-15;
}

/* KLU's order of elimination, made when it is first needed. */
static int analyze(lm_linear *l)
{
    const lm_pattern *p = l->p;
    if (!l->symbolic) l->symbolic = klu_analyze(p->n, p->colptr, p->rowind, &l->common);
    return l->symbolic ? 0 : -1;
}

static int all_finite(const lm_linear *l)
{
    for (int k = 0; k < l->p->nnz; k++)
        if (!isfinite(l->values[k])) return 0;
    return 1;
}

/* 0; 1: KLU's turn; 2: a value is not a finite number. With one, the backward error is none either. */
static int factor_by_block(lm_linear *l)
{
    l->by_block = 0;
    if (l->block && l->doubts == 0) {
        l->by_block = !lm_block_factor(l->block, l->values);
        if (l->by_block) return 0;
        if (!all_finite(l)) return 2;
        l->doubts = DOUBTS, l->full++;
        return 1;
    }
    if (!all_finite(l)) return 2;
    if (l->doubts > 0) l->doubts--;
    return 1;
}

static int factor(lm_linear *l)
{
    const lm_pattern *p = l->p;
    int bad = p->n ? factor_by_block(l) : 0;
    if (bad != 1) return bad;
    if (analyze(l)) return -1;
    if (old_pivots_serve(l)) return 0;
    lm_linear_new_pivots(l);
    l->numeric = klu_factor(p->colptr, p->rowind, l->values, l->symbolic, &l->common);
    l->full++;
    if (!l->numeric) return l->common.status == KLU_OUT_OF_MEMORY ? -1 : 1;
    klu_rcond(l->symbolic, l->numeric, &l->common);
    return l->common.rcond < 1e-17 ? 1 : 0;
}

int lm_linear_factor(lm_linear *l)
{
    set_scales(l);
    if (!l->scaled) return factor(l);
    scale_matrix(l, 0);
    int bad = factor(l);
    scale_matrix(l, 1);
    return bad;
}

double lm_linear_rcond(lm_linear *l)
{
    if (l->by_block) return lm_block_rcond(l->block);
    if (!l->numeric) return 0;
    klu_rcond(l->symbolic, l->numeric, &l->common);
    return l->common.rcond;
}

void lm_linear_correct(lm_linear *l, int n, double *x)
{
    if (l->p->n == 0) return;
    if (l->scaled) scale_vectors(l, n, x);
    if (l->by_block)
        lm_block_solve(l->block, n, x);
    else
        klu_solve(l->symbolic, l->numeric, l->p->n, n, x, &l->common);
    if (l->scaled) scale_vectors(l, n, x);
}

/* One step of refinement takes the block solver's error away, to rounding. */
void lm_linear_solve(lm_linear *l, double *x)
{
    size_t size = sizeof(double) * (size_t)l->p->n;
    int refine = l->p->n && l->by_block && lm_block_error(l->block) > 1e-14;
    if (refine) memcpy(l->rhs, x, size);
    lm_linear_correct(l, 1, x);
    if (!refine) return;
    lm_sparse_mul(l->p, l->values, -1, x, l->rhs);
    lm_linear_correct(l, 1, l->rhs);
    for (int i = 0; i < l->p->n; i++) x[i] += l->rhs[i];
}

/* Three steps of x = A^-1 x in the scaled unknowns. */
static int iterate_null_vector(lm_linear *l, double *x)
{
    int n = l->p->n;
    for (int it = 0; it < 3; it++) {
        double most = 0;
        klu_solve(l->symbolic, l->numeric, n, 1, x, &l->common);
        for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
        if (!(most > 0) || !isfinite(most)) return -1;
        for (int i = 0; i < n; i++) x[i] /= most;
    }
    return 0;
}

/* (A + e I) x = y, repeated: x turns into the direction of the smallest singular value. The shift
 * is put on the diagonal entries that the pattern has, and keeps the factorisation alive. */
int lm_linear_null_vector(lm_linear *l, double *x)
{
    const lm_pattern *p = l->p;
    double big = 0;
    set_scales(l);
    if (l->scaled) scale_matrix(l, 0);
    for (int k = 0; k < p->nnz; k++) big = fmax(big, fabs(l->values[k]));
    for (int c = 0; c < p->n; c++) {
        int k = lm_pattern_find(p, c, c);
        if (k >= 0) l->values[k] += 1e-10 * big * (1 + 0.1 * (c % 7));
        x[c] = 1 + 0.3 * sin(1.0 + c);
    }
    lm_linear_new_pivots(l);
    l->by_block = 0;
    if (analyze(l)) return -1;
    l->common.halt_if_singular = 0;
    l->numeric = klu_factor(p->colptr, p->rowind, l->values, l->symbolic, &l->common);
    l->common.halt_if_singular = 1;
    if (!l->numeric || iterate_null_vector(l, x)) return -1;
    if (l->scaled) scale_vectors(l, 1, x);
    lm_linear_new_pivots(l);
    return 0;
}
