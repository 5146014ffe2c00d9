/* How far the mechanism is deformed at the instant that it is linearised at, where its equations are linear about
 * a motion in which it is not (docs/theory/elastodynamic.md, "What is left out").
 *
 * What the forces of the known motion make of it when nothing vibrates:
 *
 *     K dx + Phi^T dlam = -r,    Phi dx = 0,
 *
 * r the residual of that motion, with so much inertia that motions without stiffness do not make K singular. */
#include "analysis/linearize.h"

#include "solve/linear.h"

#include <string.h>

static int deflect(lm_linearized *l, double *x)
{
    lm_system *sys = l->sys;
    lm_integrator *g = l->m.g;
    lm_state s = {g->clock->t, g->q, g->v, g->a, g->lam};
    memset(x, 0, sizeof(double) * (size_t)(sys->nv + sys->nl));
    int bad = sys->form->residual(sys, &s, x, NULL, NULL);
    lm_linear *lin = bad ? NULL : lm_linear_create_for(sys, &sys->pattern, NULL);
    for (int i = 0; i < sys->nv; i++) x[i] = -x[i];
    if (!bad) bad = lin ? 0 : -1;
    if (!bad)
        bad =
            sys->form->jacobian(sys, &s, sys->left_out->ends.inertia, 0, 1, lm_linear_values(lin));
    if (!bad) bad = lm_linear_factor(lin);
    if (!bad) lm_linear_solve(lin, x);
    lm_linear_destroy(lin);
    return bad;
}

double lm_linearized_turn(lm_linearized *l)
{
    lm_system *sys = l->sys;
    double turn = 0, *x;
    if (!l->v || !sys->left_out || !lm_modes_undeformed(&l->m)) return 0;
    x = LM_NEW_N(&l->arena, double, sys->nv + sys->nl + 1);
    int bad = x ? deflect(l, x) : -1;
    if (!bad) turn = sys->left_out->turned(sys->left_out, x);
    return bad < 0 ? -1 : turn;
}
