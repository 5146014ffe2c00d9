/* Motions without mass: whether stiffness says where they are, and putting them there. */
#include "solve/integrator.h"

#include <math.h>
#include <string.h>

#define NEAR    1e-10 /* of the mechanism's size, or rad: increments that are nothing */
#define LONGEST 0.3   /* ... of one increment */
#define QUICK   1e-4  /* time^2 of P over the least M / K */
enum { ROUNDS = 40 };

/* out = the diagonal of cM M + cK K; 0, 1. */
static int diagonal(lm_integrator *g, const lm_state *s, double cM, double cK, double *out)
{
    lm_system *sys = g->sys;
    double *values = lm_linear_values(g->lin);
    if (sys->form->jacobian(sys, s, cM, 0, cK, values)) return 1;
    for (int i = 0; i < sys->nv; i++) {
        int k = lm_pattern_find(&sys->pattern, i, i);
        out[i] = k < 0 ? 0 : values[k];
    }
    return 0;
}

/* M over K: of the lightest to the stiffest motion, lengths and angles apart; or of all together. */
static int time_squared(lm_integrator *g, const lm_state *s, int least, double *h2)
{
    int n = g->sys->nv - g->sys->nvariables;
    double *M = g->x, *K = g->x + g->sys->nv, mass = 0, stiffness = 0;
    double most[2] = {0, 0}, light[2] = {INFINITY, INFINITY}, stiff[2] = {0, 0};
    if (diagonal(g, s, 1, 0, M) || diagonal(g, s, 0, 1, K)) return 1;
    for (int i = 0; i < n; i++) most[g->sys->angular[i]] = fmax(most[g->sys->angular[i]], M[i]);
    for (int i = 0; i < n; i++) {
        int a = g->sys->angular[i];
        if (M[i] > 1e-13 * most[a]) light[a] = fmin(light[a], M[i]);
        stiff[a] = fmax(stiff[a], fabs(K[i]));
        mass += M[i], stiffness += fabs(K[i]);
    }
    *h2 = mass > 0 && stiffness > 0 ? mass / stiffness : 1;
    for (int a = 0; a < 2 && least; a++)
        if (stiff[a] > 0 && isfinite(light[a])) *h2 = fmin(*h2, light[a] / stiff[a]);
    return 0;
}

/* (M + h2 K)/unit with the constraints, factored. */
static int factor_both(lm_integrator *g, const lm_state *s, double h2, double unit)
{
    lm_system *sys = g->sys;
    sys->softness = 1e-8;
    if (sys->form->jacobian(sys, s, 1 / unit, 0, h2 / unit, lm_linear_values(g->lin))) return 2;
    return lm_linear_factor(g->lin);
}

int lm_check_massless(lm_integrator *g, double t, const double *q, const double *v)
{
    lm_state s = {t, q, v, g->a0, NULL};
    int nv = g->sys->nv, n = nv + g->sys->nl;
    double h2, most = 0, sum = 0;
    if (time_squared(g, &s, 0, &h2)) return 2;
    for (int i = 0; i < nv; i++) sum += fabs(g->x[i]) + h2 * fabs(g->x[nv + i]);
    int bad = factor_both(g, &s, h2, sum > 0 ? sum / nv : 1);
    if (bad || lm_linear_rcond(g->lin) > 1e-14) return bad;
    for (int i = 0; i < n; i++) g->x[i] = i < nv ? sin(1.0 + i) : 0;
    lm_linear_solve(g->lin, g->x);
    for (int i = 0; i < nv - g->sys->nvariables; i++) most = fmax(most, fabs(g->x[i]));
    return most < 1e12 ? 0 : 1;
}

/* y less its part with mass: y - (M + spare)^-1 M y. */
static int massless_part(lm_integrator *g, const lm_state *at, double *y)
{
    lm_system *sys = g->sys;
    int nv = sys->nv;
    lm_state s = *at;
    double *r = g->x;
    s.lam = NULL;
    s.a = y;
    if (sys->form->residual(sys, &s, r, NULL, NULL)) return 1;
    lm_copy(g->dx, r, nv);
    s.a = g->a0;
    memset(g->a0, 0, sizeof(double) * (size_t)nv);
    if (sys->form->residual(sys, &s, r, NULL, NULL)) return 1;
    int bad = lm_factor_mass(g, s.t, s.q, s.v);
    if (bad) return bad;
    for (int i = 0; i < nv; i++) r[i] = (g->dx[i] - r[i]) / g->mass_unit;
    memset(r + nv, 0, sizeof(double) * (size_t)sys->nl);
    lm_linear_solve(g->lin, r);
    for (int i = 0; i < nv; i++) y[i] -= r[i];
    return 0;
}

/* y = the motion without mass that takes the forces r away, of P y = -h2 r, and gaps phi (NULL: none) of the
 * constraints, in which it need not be linear. */
static int answer(lm_integrator *g, const lm_state *s, const double *r, const double *phi,
                  double *y)
{
    int nv = g->sys->nv, nl = g->sys->nl;
    double h2;
    lm_copy(y, r, nv);
    memset(g->a0, 0, sizeof(double) * (size_t)nv);
    lm_state still = {s->t, s->q, s->v, g->a0, s->lam};
    double *keep = g->dx;
    lm_copy(keep, y, nv);
    if (time_squared(g, &still, 1, &h2)) return 1;
    int bad = factor_both(g, &still, QUICK * h2, g->mass_unit);
    if (bad) return bad;
    for (int i = 0; i < nv; i++) g->x[i] = -QUICK * h2 * keep[i] / g->mass_unit;
    for (int k = 0; k < nl; k++) g->x[nv + k] = phi && g->sys->active[k] ? -phi[k] : 0;
    lm_linear_solve(g->lin, g->x);
    lm_copy(y, g->x, nv);
    return massless_part(g, &still, y);
}

/* Positions: residuals with consistent accelerations are those of motions without mass. */
static int settle_positions(lm_integrator *g, double t, double *y, double *r)
{
    lm_system *sys = g->sys;
    double size = g->clock->size > 0 ? g->clock->size : 1, *phi = r + sys->nv;
    for (int it = 0; it < ROUNDS; it++) {
        lm_state s = {t, g->q, g->v, g->a, g->lam};
        int bad = lm_consistent_acceleration(g, t, g->q, g->v, g->a, g->lam);
        if (!bad) bad = sys->form->residual(sys, &s, r, phi, NULL) ? 2 : 0;
        if (!bad) bad = answer(g, &s, r, phi, y);
        if (bad) return bad;
        double n = lm_motion_norm(sys, size, y);
        if (!isfinite(n)) return 2;
        if (n <= NEAR) return 0;
        for (int i = 0; i < sys->nv && n > LONGEST; i++) y[i] *= LONGEST / n;
        if (sys->form->retract(sys, g->q, y, g->q)) return 1;
    }
    return 0;
}

/* Velocities: K v is no force on motions without mass. */
static int settle_velocities(lm_integrator *g, double t, double *y, double *r)
{
    lm_system *sys = g->sys;
    const lm_pattern *p = &sys->pattern;
    lm_state s = {t, g->q, g->v, g->a0, g->lam};
    double *values = lm_linear_values(g->lin);
    memset(g->a0, 0, sizeof(double) * (size_t)sys->nv);
    if (sys->form->jacobian(sys, &s, 0, 0, 1, values)) return 2;
    memset(r, 0, sizeof(double) * (size_t)sys->nv);
    for (int c = 0; c < sys->nv; c++)
        for (int k = p->colptr[c]; k < p->colptr[c + 1] && p->rowind[k] < sys->nv; k++)
            r[p->rowind[k]] += values[k] * g->v[c];
    int bad = answer(g, &s, r, NULL, y);
    for (int i = 0; i < sys->nv && !bad; i++) g->v[i] += y[i];
    return bad;
}

int lm_settle_massless(lm_integrator *g, double t)
{
    double *y = g->settled, *r = y + g->sys->nv;
    int bad = settle_positions(g, t, y, r);
    return bad ? bad : settle_velocities(g, t, y, r);
}
