/* The equations of equilibrium and their matrix, at a load factor. */
#include "analysis/statics.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Softness of loop rows, in the matrix only: where a loop is singular, it stays regular. */
#define LOOP_SOFTNESS 1e-11
#define OPEN          1e-7  /* over the size: a redundant constraint that was none */
#define RESTS         1e-13 /* force over (largest stiffness times span) that is rounding */
#define UNSEEN        1e-7 /* force over (largest stiffness times size) whose stiffness is rounding */
enum { REFINEMENTS = 5 };

static int residual(lm_statics_search *s, double factor, double *r)
{
    lm_system *sys = s->sys;
    lm_state st = {0, s->now.q, s->zero, s->zero, s->now.lam};
    sys->load_factor = factor;
    return sys->form->residual(sys, &st, r, r + sys->nv, NULL);
}

/* Moments count over the mechanism's size as forces. */
static double as_force(const lm_statics_search *s, int i, double value)
{
    return fabs(value) / (s->sys->angular[i] ? s->size : 1);
}

/* The unit of force is the largest met: of the full loads and of reactions; where there are none, what
 * is out of balance at the start. Reactions on the way to a point, in which beams that turn stretch, are many
 * orders larger than those of any equilibrium: they count for that state only. */
static void measure(lm_statics_search *s, int with_load)
{
    const lm_system *sys = s->sys;
    double most = 0, reaction = 0;
    for (int i = 0; i < sys->nv; i++) {
        most = fmax(most, as_force(s, i, s->r[i]));
        if (!with_load) continue;
        s->force = fmax(s->force, as_force(s, i, s->p[i]));
        s->loaded |= s->p[i] != 0;
    }
    s->gap = 0;
    for (int k = 0; k < sys->nl; k++) {
        if (!sys->active[k]) continue;
        double unit = sys->angular[sys->nv + k] ? 1 : s->size;
        s->gap = fmax(s->gap, fabs(s->r[sys->nv + k]) / unit);
        reaction = fmax(reaction, as_force(s, sys->nv + k, s->now.lam[k]));
    }
    if (s->force == 0) s->force = fmax(most, reaction);
    double unit = fmax(s->force, reaction);
    s->residual = unit > 0 ? most / unit : 0;
}

void lm_statics_take_force(lm_statics_search *s)
{
    const lm_system *sys = s->sys;
    for (int k = 0; k < sys->nl; k++)
        if (sys->active[k]) s->force = fmax(s->force, as_force(s, sys->nv + k, s->now.lam[k]));
}

int lm_statics_evaluate(lm_statics_search *s, int with_load)
{
    const lm_system *sys = s->sys;
    if (residual(s, s->now.factor, s->r)) return 1;
    if (with_load) { /* affine in the factor: the difference to a second value, far away */
        double other = s->now.factor >= 0.5 ? 0 : 1;
        if (residual(s, other, s->p)) return 1;
        for (int i = 0; i < sys->nv; i++) s->p[i] = (s->p[i] - s->r[i]) / (other - s->now.factor);
        memset(s->p + sys->nv, 0, sizeof(double) * (size_t)sys->nl);
    }
    measure(s, with_load);
    return 0;
}

static double weight(const lm_statics_search *s, int i)
{
    return s->sys->angular[i] ? s->size * s->size : 1;
}

/* The largest stiffness, in the units of a translation. */
static double stiffness(const lm_statics_search *s, const double *values)
{
    double most = 0;
    for (int i = 0; i < s->sys->nv; i++)
        if (s->diag[i] >= 0) most = fmax(most, fabs(values[s->diag[i]]) / weight(s, i));
    return most;
}

/* Rounding of the positions makes forces: the largest sum of |K_ij| |x_j| in a row, times 1e-16, or
 * more where the residual holds differences. */
static void estimate_floor(lm_statics_search *s, const double *values)
{
    const lm_pattern *p = &s->sys->pattern;
    double *sum = s->x, most = 0;
    memset(sum, 0, sizeof(double) * (size_t)s->n);
    for (int c = 0; c < s->sys->nv; c++)
        for (int k = p->colptr[c]; k < p->colptr[c + 1]; k++)
            sum[p->rowind[k]] += fabs(values[k]) * (s->sys->angular[c] ? 1 : s->span);
    for (int i = 0; i < s->sys->nv; i++) most = fmax(most, as_force(s, i, sum[i]));
    double unit = DBL_EPSILON * fmax(1, s->sys->noise);
    s->floor = s->force > 0 ? unit * most / (s->scale * s->force) : 0;
}

static int matrix(lm_statics_search *s, double *values)
{
    lm_system *sys = s->sys;
    lm_state st = {0, s->now.q, s->zero, s->zero, s->now.lam};
    sys->load_factor = s->now.factor;
    sys->softness = LOOP_SOFTNESS;
    if (s->scale == 0) { /* once: so that K and the constraints have entries of like size */
        if (sys->form->jacobian(sys, &st, 0, 0, 1, values)) return 1;
        double k = fmax(stiffness(s, values), s->force / s->size);
        s->scale = k > 0 ? 1 / k : 1;
    }
    return sys->form->jacobian(sys, &st, 0, 0, s->scale, values);
}

/* The unit of force for stability, where the largest stiffness is 1. A mechanism on which nothing acts has none
 * but rounding, and then a stiffness is none that is rounding of others: of coordinates that move many nodes the
 * stiffnesses of these cancel. */
static double scaled_force(const lm_statics_search *s)
{
    double force = s->scale * s->force;
    return s->loaded || force > RESTS * s->span ? force : UNSEEN * s->size;
}

int lm_statics_factor(lm_statics_search *s, double mu, int examine)
{
    double *values = lm_linear_values(s->lin);
    if (matrix(s, values)) return 1;
    double unit = s->scale * s->force / s->size;
    if (examine) {
        estimate_floor(s, values);
        if (lm_stability_examine(s->stab, values, scaled_force(s), s->residual)) return 1;
    }
    for (int k = 0; k < s->stab->nfree && mu == 0; k++)
        if (s->diag[s->stab->free[k]] >= 0) values[s->diag[s->stab->free[k]]] += s->stab->held[k];
    for (int i = 0; i < s->sys->nv && mu > 0; i++)
        if (s->diag[i] >= 0) values[s->diag[i]] += mu * unit * weight(s, i);
    int bad = lm_linear_factor(s->lin);
    if (bad < 0) s->status = LIMBER_MEMORY;
    return bad != 0;
}

void lm_statics_rhs(const lm_statics_search *s, const double *r, double *x)
{
    const lm_system *sys = s->sys;
    for (int i = 0; i < sys->nv; i++) x[i] = -s->scale * r[i];
    for (int k = 0; k < sys->nl; k++)
        x[sys->nv + k] = -r[sys->nv + k] * (sys->active[k] ? 1 : s->scale);
}

/* Motions of the matrix differ in stiffness by the slenderness of the beams squared, and more: the
 * solution is refined until it stands. */
void lm_statics_solve(lm_statics_search *s, double *x)
{
    size_t n = (size_t)s->n;
    double *rhs = s->rhs, *dx = s->rhs + n, last = INFINITY;
    memcpy(rhs, x, sizeof(double) * n);
    lm_linear_correct(s->lin, 1, x);
    for (int k = 0; k < REFINEMENTS; k++) {
        double change = 0, size = 0;
        memcpy(dx, rhs, sizeof(double) * n);
        lm_sparse_mul(&s->sys->pattern, lm_linear_values(s->lin), -1, x, dx);
        lm_linear_correct(s->lin, 1, dx);
        for (int i = 0; i < s->sys->nv; i++) {
            double w = sqrt(weight(s, i));
            change = fmax(change, w * fabs(dx[i]));
            size = fmax(size, w * fabs(x[i]));
        }
        if (!(change < 0.5 * last)) break;
        for (size_t i = 0; i < n; i++) x[i] += dx[i];
        if (change <= 1e-8 * size) break;
        last = change;
    }
    for (int k = s->sys->nv; k < s->n; k++) x[k] /= s->scale;
}

/* A node that turns while it moves goes along a helix, dx -> T(psi) dx, so that what turns as a whole
 * keeps its shape, where the straight way would stretch it. The same to first order. */
void lm_motion_along_helix(const lm_system *sys, double *x)
{
    for (int k = 0; k < sys->nfree; k++) {
        double *of = x + sys->free[k];
        lm_m3 T = lm_rot_tangent(v3_from(of + 3));
        v3_put(of, m3_v(&T, v3_from(of)));
    }
}

int lm_statics_move(lm_statics_search *s, const double *x)
{
    for (int k = 0; k < s->sys->nl; k++) s->now.lam[k] += x[s->sys->nv + k];
    return s->sys->form->retract(s->sys, s->now.q, x, s->now.q);
}

void lm_point_copy(const lm_statics_search *s, lm_point *to, const lm_point *from)
{
    memcpy(to->q, from->q, sizeof(double) * (size_t)s->sys->nq);
    memcpy(to->lam, from->lam, sizeof(double) * (size_t)s->sys->nl);
    memcpy(to->t, from->t, sizeof(double) * (size_t)s->n);
    to->factor = from->factor;
    to->t_factor = from->t_factor;
    to->negative = from->negative;
}

int lm_statics_state(lm_statics_search *s, lm_state *st)
{
    lm_state own = {0, s->now.q, s->zero, s->zero, s->now.lam};
    *st = own;
    return s->rest ? lm_rest_state(s->rest, &own, st) : 0;
}

int lm_statics_opens(lm_statics_search *s)
{
    int row = 0;
    if (s->sys->form->hidden_violation(s->sys, 0, s->now.q, &row) < OPEN) return 0;
    s->opened = row;
    if (s->sys->form->select_rows(s->sys, 0, s->now.q, 0) < 0) s->status = LIMBER_MEMORY;
    return 1;
}

limber_status lm_statics_put(lm_statics_search *s)
{
    lm_system *sys = s->run->sys;
    lm_state st;
    lm_balance b = {.phi = s->gap};
    s->sys->load_factor = sys->load_factor = s->now.factor;
    if (lm_statics_state(s, &st)) return LIMBER_INTERNAL;
    sys->form->energy(sys, &st, &b.e);
    return lm_record_row(s->run, &st, s->now.factor, &b);
}

limber_status lm_statics_tell(lm_statics_search *s)
{
    limber_progress p = {s->last.factor, 1, s->now.factor - s->last.factor, s->iterations, 0};
    if (!s->status) s->status = lm_run_progress(s->run, &p);
    return s->status;
}
