/* What is left out of steady rotation: gravity and loads that go round as seen from what turns. */
#include "analysis/campbell.h"

#include <math.h>
#include <stdio.h>

/* Of the size, or rad: beyond, the roots of what does not sag are not those of what does. */
#define MOST_SAG 0.1

/* Gravity across the axis goes round as seen from the rotor, and there is no steady state with it. */
limber_status lm_campbell_quiet_gravity(lm_campbell *c)
{
    lm_run *run = c->run;
    lm_v3 point, axis, g = run->model->gravity;
    lm_steady_line(run->model, c->a->drive, &point, &axis);
    lm_v3 along = v3_mul(v3_dot(g, axis), axis);
    c->sys = run->sys;
    if (v3_norm(v3_sub(g, along)) <= 1e-9 * v3_norm(g)) return LIMBER_OK;
    lm_diag own = {0};
    c->quiet = *run->model;
    c->quiet.gravity = along;
    limber_status st = lm_system_create(run->sys->form, &c->quiet, &own, &c->own);
    lm_diag_free(&own);
    if (st) return st;
    c->sys = c->own;
    c->sys->solver = run->sys->solver;
    return c->sys->form->select_rows(c->sys, 0, run->q, 0) < 0 ? LIMBER_MEMORY : LIMBER_OK;
}

/* What sags is round or not: a round rotor is bent by it, another one shaken as well. */
limber_status lm_campbell_say_gravity(lm_campbell *c)
{
    lm_run *run = c->run;
    const char *name = run->model->joints[c->a->drive].name;
    char bends[120] = "";
    double sag = 0;
    limber_status st = LIMBER_OK;
    run->sys->inputs = c->inputs;
    if (!run->sys->companion) st = lm_steady_sag(&c->steady, run->sys, &sag);
    if (st) return st;
    if (sag > MOST_SAG) {
        lm_error(
            run->diag, c->a->loc,
            "campbell: gravity across the axis of joint '%s' moves the model by %.2g of its "
            "size (or rad) at rest: seen from what turns it goes round, and the motion with it "
            "is periodic; use 'periodic', or leave gravity out",
            name, sag);
        return LIMBER_INPUT;
    }
    if (sag > 0)
        snprintf(bends, sizeof bends,
                 ". At rest it would bend the model by %.2g of its size (or rad), and roots change "
                 "by about the square of that",
                 sag);
    lm_warning(run->diag, c->a->loc,
               "campbell: gravity across the axis of joint '%s' is left out: seen from what turns "
               "it goes round, and there is no steady state with it%s; what is not round it shakes "
               "twice a turn, most where a frequency seen from the rotor is the speed",
               name, bends);
    return LIMBER_OK;
}

/* The part across the axis of three components at t = 0, taken back in `to`. 1: there is one. */
static int take_back(const lm_campbell *c, const lm_expr e[3], double *scratch, double *to)
{
    double value[3] = {0}, d[3];
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < e[i].ninputs; k++)
            if (e[i].inputs[k] != LM_SLOT_T) return 0; /* of the motion: it stays */
        lm_expr_time(&e[i], 0, scratch, d);
        value[i] = d[0];
    }
    lm_v3 axis = c->steady.turning.axis, f = v3_from(value);
    lm_v3 across = v3_sub(f, v3_mul(v3_dot(f, axis), axis));
    if (v3_norm(across) <= 1e-9 * v3_norm(f)) return 0;
    v3_put(to, v3_neg(across));
    return 1;
}

limber_status lm_campbell_quiet_loads(lm_campbell *c)
{
    const lm_model *m = c->run->model;
    const lm_spec *spec = m->spec;
    int scratch = 8;
    for (int i = 0; i < spec->loads.n; i++)
        for (int k = 0; k < 6; k++) {
            const lm_spec_load *l = &spec->loads.at[i];
            int need = lm_expr_scratch(k < 3 ? &l->force[k] : &l->torque[k - 3], 2);
            scratch = need > scratch ? need : scratch;
        }
    double *in = LM_NEW_N(&c->arena, double, 6 * spec->loads.n + m->ncoords + 1);
    double *room = LM_NEW_N(&c->arena, double, scratch);
    if (!in || !room) return LIMBER_MEMORY;
    for (int i = 0; i < spec->loads.n; i++) {
        const lm_spec_load *l = &spec->loads.at[i];
        int node = m->frames[l->frame].node;
        if (l->local || node < 0 || !c->steady.turning.body[m->nodes[node].body]) continue;
        int back = l->has_force && take_back(c, l->force, room, in + 6 * i);
        back |= l->has_torque && take_back(c, l->torque, room, in + 6 * i + 3);
        if (!back) continue;
        c->inputs = in;
        lm_warning(
            c->run->diag, c->a->loc,
            "campbell: what load '%s' exerts across the axis of joint '%s' is left out: it is "
            "fixed in space, and there is no steady state with it",
            l->item.name, m->joints[c->a->drive].name);
    }
    c->sys->inputs = c->inputs;
    return LIMBER_OK;
}
