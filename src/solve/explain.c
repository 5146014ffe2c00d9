/* Words for what stops a run, by the names of the model: singular mass, forces that are not finite, steps that
 * fail. */
#include "solve/integrator.h"

#include <math.h>
#include <stdio.h>

/* Which motion has no mass. */
static void explain_singular(lm_integrator *g, const char *what)
{
    char name[160];
    int worst = 0;
    if (lm_linear_null_vector(g->lin, g->x) == 0) {
        for (int i = 0; i < g->sys->nv; i++)
            if (fabs(g->x[i]) > fabs(g->x[worst])) worst = i;
        g->sys->form->describe_motion(g->sys, worst, name, sizeof name);
        if (worst >= g->sys->nv - g->sys->nvariables) {
            snprintf(
                g->failure, sizeof g->failure,
                "%s: %s depends on itself in a circle that has no solution, or any; look at the "
                "blocks and elements that it reads, and put a filter, a C or an I between them",
                what, name);
            return;
        }
        snprintf(g->failure, sizeof g->failure,
                 "%s: a free motion has no mass (mostly %s); give the bodies that take part "
                 "in it mass or inertia, or hold the motion by a joint",
                 what, name);
        return;
    }
    snprintf(g->failure, sizeof g->failure, "%s: the mass matrix is singular", what);
}

void lm_explain_not_finite(lm_integrator *g, double t, const double *r, int n)
{
    char name[160] = "";
    if (g->sys->nvariables && g->sys->in_trouble) { /* which says what it is */
        snprintf(g->failure, sizeof g->failure, "at t = %.6g: %s", t, g->sys->trouble);
        return;
    }
    for (int i = 0; i < n && !name[0]; i++) {
        if (isfinite(r[i])) continue;
        g->sys->form->describe(g->sys, i, name, sizeof name);
        /* a force that is no number spoils all components: only the body is certain */
        if (i < g->sys->nv) name[strcspn(name, ",")] = 0;
        if (i < g->sys->nv - g->sys->nvariables || i >= g->sys->nv) continue;
        snprintf(g->failure, sizeof g->failure,
                 "at t = %.6g: %s gives no finite number; look for a division by zero, a root or a "
                 "logarithm in what it reads",
                 t, name);
        return;
    }
    snprintf(
        g->failure, sizeof g->failure,
        "at t = %.6g: a force or a prescribed motion is not a finite number%s%s%s; look at the "
        "expressions of the loads, efforts and drives that act there",
        t, name[0] ? " (" : "", name, name[0] ? ")" : "");
}

/* 1: the expression reads an acceleration or a reaction; *joint: of which joint, -1: none. */
static int is_algebraic(const lm_spec *spec, const lm_expr *e, int *joint)
{
    for (int i = 0; e && i < e->ninputs; i++) {
        if (e->inputs[i] <= 0) continue;
        const lm_spec_sensor *c = &spec->sensors.at[e->inputs[i] - 1];
        int reaction = c->kind == LM_SENSOR_FORCE || c->kind == LM_SENSOR_MOMENT;
        *joint = reaction ? c->joint : -1;
        if (lm_sensor_is_algebraic(c->kind)) return 1;
    }
    return 0;
}

/* Of the forces that read what they change, the first one: "effort of joint 'guide'". */
static void name_algebraic(const lm_model *m, char *text, size_t size, int *joint)
{
    for (int k = 0; k < m->nactions; k++)
        if (is_algebraic(m->spec, m->actions[k].effort, joint)) {
            snprintf(text, size, "the effort of '%s'", m->actions[k].owner);
            return;
        }
    for (int k = 0; k < m->spec->loads.n; k++)
        for (int i = 0; i < 6; i++) {
            const lm_spec_load *l = &m->spec->loads.at[k];
            int has = i < 3 ? l->has_force : l->has_torque;
            if (!has || !is_algebraic(m->spec, i < 3 ? &l->force[i] : &l->torque[i - 3], joint))
                continue;
            snprintf(text, size, "load '%s'", l->item.name);
            return;
        }
    snprintf(text, size, "a force");
}

/* Painleve's paradox, and its kin. */
static void explain_no_solution(lm_integrator *g, double t)
{
    const lm_model *m = g->sys->model;
    char force[120], of[120] = "an acceleration";
    int joint = -1;
    if (g->sys->nvariables) {
        snprintf(g->failure, sizeof g->failure,
                 "at t = %.6g: the equations of the controllers and the power graph have no "
                 "solution that Newton's method finds; look for a law that reads what it changes, "
                 "and put a filter, a C or an I into that loop",
                 t);
        return;
    }
    name_algebraic(m, force, sizeof force, &joint);
    if (joint >= 0) snprintf(of, sizeof of, "the reaction of joint '%s'", m->joints[joint].name);
    snprintf(g->failure, sizeof g->failure,
             "at t = %.6g: no acceleration satisfies the equations of motion: %s depends on %s, "
             "which it causes itself (friction that jams, Painleve's paradox); make it weaker, "
             "or give what it presses on its stiffness ('compliant', a spring), or let it follow "
             "the reaction through a filter",
             t, force, of);
}

/* The forces are evaluated once more, for their names. */
void lm_explain_mass(lm_integrator *g, double t, int bad)
{
    lm_system *sys = g->sys;
    int nv = sys->nv, n = nv + sys->nl;
    char what[60];
    snprintf(what, sizeof what, "at t = %.6g: the motion is not determined", t);
    if (bad == 1) {
        explain_singular(g, what);
        return;
    }
    if (bad == 3) {
        explain_no_solution(g, t);
        return;
    }
    memset(g->a, 0, sizeof(double) * (size_t)nv);
    memset(g->lam, 0, sizeof(double) * (size_t)sys->nl);
    lm_state s = {t, g->q, g->v, g->a, g->lam};
    memset(g->x, 0, sizeof(double) * (size_t)n);
    if (!sys->form->residual(sys, &s, g->x, g->x + nv, NULL))
        sys->form->constraint_accel(sys, &s, g->x + nv);
    lm_explain_not_finite(g, t, g->x, n);
}

/* The constraint with the largest reaction, -1. */
static int largest_reaction(const lm_integrator *g)
{
    int nv = g->sys->nv, worst = -1;
    double most = 0;
    for (int k = 0; k < g->sys->nl; k++) {
        double w = fabs(g->lam[k]) * (g->sys->angular[nv + k] ? 1 / g->clock->size : 1);
        if (w > most) most = w, worst = nv + k;
    }
    return worst;
}

/* Errors of the constraints that come back so many times as large: rounding is seen in accelerations. */
#define NEARLY_SINGULAR 1e4

/* What may be the reason for a step that fails. */
static const char *likely_reason(lm_integrator *g)
{
    double A = 0;
    if (g->sys->nl > 0 && lm_singularity(g, g->clock->t, g->q, g->v, &A) == 0 &&
        A > NEARLY_SINGULAR)
        return "the constraints depend on each other there, or nearly (a singular position): do "
               "the joints lock, does a drive lead where they cannot follow? If not, start away "
               "from it: rounding decides how the mechanism goes on";
    return "do the joints lock, does a drive lead where they cannot follow, or does a force jump?";
}

void lm_explain_step(lm_integrator *g, const char *how, double h, int worst)
{
    char name[96] = "no single one", strained[120] = "";
    int reaction = largest_reaction(g);
    if (worst >= 0) g->sys->form->describe(g->sys, worst, name, sizeof name);
    if (reaction >= 0) {
        int n = snprintf(strained, sizeof strained, ", the largest reaction ");
        g->sys->form->describe(g->sys, reaction, strained + n, sizeof strained - (size_t)n);
    }
    snprintf(g->failure, sizeof g->failure,
             "at t = %.6g: %s even with a step of %.3g (%ld steps made, %ld rejected); the worst "
             "equation is %s%s: %s",
             g->clock->t, how, h, g->stats.steps, g->stats.rejected, name, strained,
             likely_reason(g));
}

void lm_explain_newton(lm_integrator *g, lm_step_result why, double h, int worst)
{
    const char *how = why == LM_STEP_CONVERGED ? "the error of a step is too large"
                      : why == LM_STEP_SLOW    ? "Newton's iteration is too slow"
                                               : "Newton's iteration does not converge";
    lm_explain_step(g, how, h, worst);
}
