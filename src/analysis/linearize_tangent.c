/* What K of a moving system leaves out.
 *
 * A formulation may give a K that serves Newton's method and is not exact in terms that vanish with
 * the velocities (damping of beams by their mass). Differences of those terms alone,
 *
 *     f(q) = r(q, v, a, lam) - r(q, 0, 0, lam)
 *
 * tell it: the stiff forces are the same in both and cancel to their rounding. Where they say what K
 * says, K is taken as it is: it has more digits. */
#include "analysis/linearize.h"

#include <math.h>
#include <string.h>

#define STEP  1e-3 /* over the size or in radians; two of them, extrapolated */
#define AGREE 1e-7 /* of differences and an exact K */

typedef struct tangent {
    lm_linearized *l;
    double *q, *step, *r; /* [nq], [nv], [nv] */
    double *K, *K0;       /* [nnz] of the residual as it is, moving and at rest */
    double most, off;     /* largest of the terms' derivatives, and what K lacks of them */
} tangent;

/* out += w f at the place s along dx. */
static int add_place(const tangent *k, const double *dx, double s, double w, double *out)
{
    const lm_linearized *l = k->l;
    lm_system *sys = l->sys;
    const lm_integrator *g = l->m.g;
    lm_state moving = {l->t, k->q, g->v, g->a, g->lam};
    lm_state rest = {l->t, k->q, l->m.v0, l->m.a0, g->lam};
    for (int i = 0; i < sys->nv; i++) k->step[i] = s * dx[i];
    if (sys->form->retract(sys, g->q, k->step, k->q)) return 1;
    if (sys->form->residual(sys, &moving, k->r, NULL, NULL)) return 1;
    for (int i = 0; i < sys->nv; i++) out[i] += w * k->r[i];
    if (sys->form->residual(sys, &rest, k->r, NULL, NULL)) return 1;
    for (int i = 0; i < sys->nv; i++) out[i] -= w * k->r[i];
    return 0;
}

/* out = what K lacks along dx. */
static int lacking(tangent *k, const double *dx, double *out)
{
    const lm_linearized *l = k->l;
    int nv = l->sys->nv, bad = 0;
    double moves = 0;
    for (int i = 0; i < nv; i++) moves = fmax(moves, fabs(dx[i]) / l->m.unit[i]);
    double h = STEP / moves;
    for (int side = -1; side < 2 && !bad; side += 2) {
        bad |= add_place(k, dx, side * h, -side / (6 * h), out);
        bad |= add_place(k, dx, side * h / 2, 4 * side / (3 * h), out);
    }
    for (int i = 0; i < nv; i++) k->most = fmax(k->most, fabs(out[i]) * l->m.unit[i]);
    lm_modes_mul(&l->m, k->K, dx, k->r);
    for (int i = 0; i < nv; i++) out[i] -= k->r[i];
    lm_modes_mul(&l->m, k->K0, dx, k->r);
    for (int i = 0; i < nv; i++) {
        out[i] += k->r[i];
        k->off = fmax(k->off, fabs(out[i]) * l->m.unit[i]);
    }
    return bad;
}

limber_status lm_linearized_tangent(lm_linearized *l)
{
    size_t nv = (size_t)l->sys->nv, nnz = (size_t)l->sys->pattern.nnz;
    const lm_integrator *g = l->m.g;
    lm_state rest = {l->t, g->q, l->m.v0, l->m.a0, g->lam};
    lm_state moving = {l->t, g->q, g->v, g->a, g->lam};
    double *work = lm_alloc(sizeof(double) * ((size_t)l->sys->nq + 2 * nv + 2 * nnz + 1));
    if (!work) return LIMBER_MEMORY;
    tangent k = {.l = l, .step = work, .r = work + nv, .K = work + 2 * nv};
    k.K0 = k.K + nnz, k.q = k.K0 + nnz;
    int bad = l->sys->form->jacobian(l->sys, &moving, 0, 0, 1, k.K) ||
              l->sys->form->jacobian(l->sys, &rest, 0, 0, 1, k.K0);
    for (size_t j = 0; j < (size_t)l->moving && !bad; j++)
        bad = lacking(&k, l->Z + nv * j, l->Kz + nv * j);
    if (k.off <= AGREE * k.most) memset(l->Kz, 0, sizeof(double) * nv * (size_t)l->n);
    lm_free(work);
    return bad ? lm_fail(&l->failure, LIMBER_STOPPED,
                         "the forces cannot be evaluated near the state")
               : LIMBER_OK;
}
