/* A path of equilibria that begins where motions are neutral.
 *
 * A motion z that nothing holds without loads and that they do not push stays where it is at f = 0. Loads
 * can give it a stiffness f z^T p_q z, as they do to a crane that a cylinder holds against its load. All
 * places along z are then in equilibrium at f = 0, and the path begins there with a fork: q(f), and z. What
 * decides is of second order, forces f^2 against a stiffness f; at a load that is small but not none it is
 * Newton's method from the first-order prediction, as regular as anywhere else. */
#include "analysis/statics.h"

static const double first_load[] = {1e-2, 1e-3, 1e-4};
enum { LOADS = sizeof first_load / sizeof first_load[0] };

/* From the unloaded s->start to the equilibrium at the load factor `f`, neutral motions where they were;
 * then all of them by themselves. 0; 1: not found, or the loads hold none of them. */
static int load_a_little(lm_statics_search *s, double f)
{
    lm_point_copy(s, &s->now, &s->start);
    if (lm_statics_evaluate(s, 1) || lm_statics_factor(s, 0, 1)) return 1;
    int neutral = s->stab->nfree;
    lm_statics_rhs(s, s->p, s->x);
    lm_statics_solve(s, s->x);
    for (int i = 0; i < s->n; i++) s->x[i] *= f;
    s->now.factor = f;
    if (lm_statics_move(s, s->x) || lm_statics_evaluate(s, 1) || lm_statics_polish(s)) return 1;
    return s->stab->nfree >= neutral;
}

int lm_statics_leave_neutral(lm_statics_search *s)
{
    for (int k = 0; k < LOADS && !s->status; k++)
        if (load_a_little(s, first_load[k]) == 0) return 0;
    return 1;
}
