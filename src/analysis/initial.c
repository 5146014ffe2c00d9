/* The starting state: the drawing moved by `initial` along the joint tree, closed at the loops, and
 * velocities that fit the constraints. */
#include "analysis/assemble.h"
#include "analysis/rigid_motion.h"
#include "form/start.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { RUNNING = 0, POSITIONS = 1, VELOCITIES = 2, ROUNDS = 5 };
enum { NOT_FINITE = 2 }; /* what solves of the mass matrix return then */

#define OPEN    1e-7 /* gap likewise with which no run starts */
#define CLOSED  1e-9 /* gap over the size, or angle, that is rounding of the drawing */
#define STRETCH 0.1  /* gap likewise that beams may close by stretching */
#define SHORT   1e-5 /* way over the size on which the squares of turns are nothing */

/* A drive that the other joints already determine has nothing to move. */
static limber_status check_drives(lm_run *run)
{
    const lm_model *m = run->model;
    for (int k = 0; k < run->sys->nl; k++) {
        const lm_row *row = lm_system_row(run->sys, k);
        if (run->sys->active[k] || !row->drive) continue;
        const lm_spec_joint *j = &m->spec->joints.at[row->joint];
        lm_error(run->diag, j->item.loc,
                 "joint '%s': its drive prescribes a motion that the other joints and drives "
                 "already determine; remove this drive or another one",
                 j->item.name);
        return LIMBER_INPUT;
    }
    return LIMBER_OK;
}

/* Values given twice over, or that the loops do not allow. */
static limber_status check_initial(lm_run *run, lm_integrator *g, int what)
{
    const lm_model *m = run->model;
    lm_state s = {0, g->q, g->v, g->a, g->lam};
    double speed = what == POSITIONS ? 0 : lm_speed_norm(run->sys, g->clock->size, g->v);
    for (int k = 0; k < run->sys->nl; k++) {
        int i = lm_system_row(run->sys, k)->initial;
        if (i < 0 || run->sys->active[k]) continue;
        const lm_spec_initial *in = &m->spec->initial.at[i];
        if (what == POSITIONS ? !in->has_value : !in->has_rate) continue;
        run->sys->active[k] = 1;
        if (what == POSITIONS)
            run->sys->form->residual(run->sys, &s, g->x, g->x + run->sys->nv, NULL);
        else
            run->sys->form->constraint_rate(run->sys, &s, g->x + run->sys->nv);
        run->sys->active[k] = 0;
        double off = fabs(g->x[run->sys->nv + k]), unit = lm_gap_unit(g, k);
        if (off <= 1e-8 * unit * fmax(1, speed) + 1e-13 * lm_integrator_reach(g)) continue;
        lm_error(run->diag, in->loc,
                 "initial: the %s of joint '%s' contradicts the other joints and initial values by "
                 "%.6g; leave it out or correct it",
                 what == POSITIONS ? "value" : "rate",
                 m->joints[lm_system_row(run->sys, k)->joint].name, off);
        return LIMBER_INPUT;
    }
    return LIMBER_OK;
}

static limber_status singular(lm_run *run, lm_integrator *g, int bad)
{
    if (bad < 0) return LIMBER_MEMORY;
    lm_loc whole = {run->model->spec->file, 0, 0};
    lm_explain_mass(g, 0, bad);
    lm_error(run->diag, whole, "%s", g->failure);
    return LIMBER_INPUT;
}

/* ---- loops ---- */

/* The worst of the active constraints: its row, and its violation over the unit of its kind. */
static double largest_gap(lm_integrator *g, int *row, double *gap)
{
    lm_system *sys = g->sys;
    lm_state s = {0, g->q, g->v, g->a, g->lam};
    double most = 0, *phi = g->x + sys->nv;
    *row = -1, *gap = 0;
    if (sys->form->residual(sys, &s, g->x, phi, NULL)) return 0;
    for (int k = 0; k < sys->nl; k++) {
        double size = fabs(phi[k]) / lm_gap_unit(g, k);
        if (sys->active[k] && size > most) most = size, *row = k, *gap = fabs(phi[k]);
    }
    return most;
}

/* "joint 'D' (force x) stays open by 0.0123" */
static void name_gap(const lm_run *run, int row, double gap, char *text, size_t size)
{
    const lm_row *r = lm_system_row(run->sys, row);
    const char *unit = run->sys->angular[run->sys->nv + row] ? " rad" : "";
    if (r->joint >= run->model->njoints) { /* inside a body */
        char name[160];
        run->sys->form->describe(run->sys, run->sys->nv + row, name, sizeof name);
        snprintf(text, size, "%s stays open by %.3g%s", name, gap, unit);
    } else if (r->coord >= 0)
        snprintf(text, size, "joint '%s' misses its %s by %.3g%s",
                 run->model->joints[r->joint].name, r->drive ? "drive" : "initial value", gap,
                 unit);
    else
        snprintf(text, size, "joint '%s' (%s) stays open by %.3g%s",
                 run->model->joints[r->joint].name, r->what, gap, unit);
}

/* 1, and said: a load, effort or drive of the start is no finite number, which no assembly would mend. */
static int is_not_finite(lm_run *run, lm_integrator *g)
{
    lm_system *sys = g->sys;
    lm_state s = {0, g->q, g->v, g->a, g->lam};
    int i = 0, n = sys->nv + sys->nl;
    memset(g->x, 0, sizeof(double) * (size_t)n);
    if (!sys->form->residual(sys, &s, g->x, g->x + sys->nv, NULL)) return 0;
    while (i < n && isfinite(g->x[i])) i++; /* where it fails, it leaves what it has found */
    if (i == n) return 0;
    lm_explain_not_finite(g, 0, g->x, n);
    lm_error(run->diag, ((lm_loc){run->model->spec->file, 0, 0}), "%s", g->failure);
    return 1;
}

static limber_status not_assembled(lm_run *run, int row, double gap, const char *how)
{
    char what[240] = "its joints cannot be brought together", more[160] = "";
    if (row >= 0) name_gap(run, row, gap, what, sizeof what);
    if (run->sys->stretch && row >= 0 && gap < STRETCH * run->model->size)
        snprintf(more, sizeof more,
                 "; beams do not stretch in this formulation: '%s' lets loops strain them",
                 run->sys->stretch);
    lm_error(run->diag, ((lm_loc){run->model->spec->file, 0, 0}),
             "the mechanism cannot be assembled: %s%s; check the initial values, the drives at "
             "t = 0 and the lengths of closed loops%s",
             what, how, more);
    return LIMBER_INPUT;
}

static limber_status not_closed(lm_run *run, const lm_assembly *a)
{
    const lm_model *m = run->model;
    char how[240];
    int n = snprintf(how, sizeof how, " after %.3g %% of the way from the drawing", 100 * a->done);
    if (a->overstretched)
        snprintf(how + n, sizeof how - (size_t)n, ", and body '%s' is then %s by %.3g %%",
                 m->bodies[m->nodes[a->node].body].name,
                 a->stretch > 0 ? "stretched" : "compressed", 100 * fabs(a->stretch));
    return not_assembled(run, a->row, a->gap, how);
}

/* That a loop is strained is an assembly error, or what the model is about. */
static void say_strained(lm_run *run, const lm_assembly *a)
{
    const lm_model *m = run->model;
    char name[160], gap[200] = "";
    if (a->reaction < 0) return;
    if (a->drawn_open >= 0 && a->drawn_open < m->njoints)
        snprintf(gap, sizeof gap, "joint '%s' was drawn %.4g open; ", m->joints[a->drawn_open].name,
                 a->drawn_gap);
    run->sys->form->describe(run->sys, run->sys->nv + a->reaction, name, sizeof name);
    lm_diag_add(run->diag, LM_NOTE, ((lm_loc){m->spec->file, 0, 0}),
                "closed loops start strained: %selastic energy %.4g, largest reaction %.4g (%s)",
                gap, a->energy, a->force, name);
}

/* As if turned by hand from the drawing, with the least strain. */
static limber_status close_on_path(lm_run *run, lm_integrator *g, lm_assembly *a)
{
    limber_status st = lm_assemble(run, g, a);
    if (st) return st;
    if (a->done < 1) return is_not_finite(run, g) ? LIMBER_INPUT : not_closed(run, a);
    return run->sys->form->select_rows(run->sys, 0, g->q, POSITIONS) < 0 ? LIMBER_MEMORY
                                                                         : LIMBER_OK;
}

/* Newton's method on the gaps. Rows that are dependent where it starts may not be so where it ends. */
static limber_status close_by_mass(lm_run *run, lm_integrator *g)
{
    lm_system *sys = run->sys;
    double moved = 1, gap;
    int row;
    for (int round = 0; round < ROUNDS && moved > 0.01; round++) {
        int bad = lm_project_position(g, 0, g->q, &moved, &gap);
        if (bad < 0) return LIMBER_MEMORY;
        if (bad && is_not_finite(run, g)) return LIMBER_INPUT;
        if (bad) {
            largest_gap(g, &row, &gap);
            return not_assembled(run, row, gap, "");
        }
        if (moved > 0.01 && sys->form->select_rows(sys, 0, g->q, POSITIONS) < 0)
            return LIMBER_MEMORY;
    }
    return largest_gap(g, &row, &gap) > OPEN ? not_assembled(run, row, gap, "") : LIMBER_OK;
}

/* 1: drives or `initial` may have moved joints away from the drawing. */
static int is_moved(const lm_run *run)
{
    for (int k = 0; k < run->sys->nl; k++) {
        const lm_row *r = lm_system_row(run->sys, k);
        if (r->drive || r->initial >= 0) return 1;
    }
    return 0;
}

static limber_status close_loops(lm_run *run, lm_integrator *g)
{
    lm_system *sys = run->sys;
    lm_assembly path = {.reaction = -1};
    double gap, torn = 0;
    int row;
    if (sys->flexible && lm_assemble_torn(run, g->q, &torn)) return LIMBER_MEMORY;
    limber_status st = LIMBER_OK;
    int open = torn > CLOSED || largest_gap(g, &row, &gap) > CLOSED;
    if (open && (sys->flexible || is_moved(run))) st = close_on_path(run, g, &path);
    if (!st) st = close_by_mass(run, g);
    if (!st && sys->flexible) say_strained(run, &path);
    return st;
}

static limber_status positions(lm_run *run, lm_integrator *g)
{
    lm_system *sys = run->sys;
    lm_loc whole = {run->model->spec->file, 0, 0};
    char name[160];
    int row = 0;
    if (sys->form->select_rows(sys, 0, g->q, POSITIONS) < 0) return LIMBER_MEMORY;
    int bad = lm_check_mass(g, 0, g->q, g->v);
    if (!bad && !isfinite(lm_speed_norm(sys, g->clock->size, g->v))) bad = NOT_FINITE;
    if (bad) return singular(run, g, bad);
    limber_status st = close_loops(run, g);
    if (!st) st = check_initial(run, g, POSITIONS);
    if (st) return st;
    double hidden = sys->form->hidden_violation(sys, 0, g->q, &row);
    if (hidden > 1e-6) {
        sys->form->describe(sys, sys->nv + row, name, sizeof name);
        lm_error(run->diag, whole,
                 "the joints contradict each other: %s is determined by the others and misses its "
                 "place by %.3g (relative); the mechanism locks as drawn",
                 name, hidden);
        return LIMBER_INPUT;
    }
    return check_drives(run);
}

/* 1: velocities along the joint tree do not fit the loops. */
static int joints_part(lm_integrator *g, double speed)
{
    lm_system *sys = g->sys;
    lm_state s = {0, g->q, g->v, NULL, NULL};
    double *rate = g->x + sys->nv;
    if (sys->form->constraint_rate(sys, &s, rate)) return 0;
    for (int k = 0; k < sys->nl; k++)
        if (sys->active[k] && fabs(rate[k]) > CLOSED * lm_gap_unit(g, k) * speed) return 1;
    return 0;
}

/* 1: they fit, but deform a body that the tree reaches from both ends; -1: no memory. */
static int bodies_tear(lm_run *run, lm_integrator *g, double speed)
{
    lm_system *sys = run->sys;
    double torn = 0, *q = lm_alloc(sizeof(double) * (size_t)(sys->nq + 1));
    if (!q) return -1;
    for (int i = 0; i < sys->nv; i++) g->x[i] = speed > 0 ? SHORT / speed * g->v[i] : 0;
    int bad = sys->form->retract(sys, g->q, g->x, q) ? 0 : lm_assemble_torn(run, q, &torn);
    lm_free(q);
    return bad ? -1 : torn > 1e-3 * SHORT;
}

/* Flexible bodies start to move as rigidly as they can, unless their velocities are prescribed. */
static limber_status start_rigidly(lm_run *run, lm_integrator *g, double speed)
{
    if (!run->sys->flexible || run->model->spec->velocities.n) return LIMBER_OK;
    int apart = joints_part(g, speed);
    if (!apart) apart = bodies_tear(run, g, speed);
    if (apart < 0) return LIMBER_MEMORY;
    return apart ? lm_assemble_velocities(run, g) : LIMBER_OK;
}

/* Velocities of bodies that coordinates cannot say: v moved by dv with M dv + Phi^T mu = X^T M w, Phi dv = 0,
 * which leaves the least kinetic energy of what is left, w - X dv, as a projection of all nodes' does. Both
 * *change and *speed grow. */
static int fit_given(lm_run *run, lm_integrator *g, double *change, double *speed)
{
    lm_system *sys = run->sys;
    double left, all;
    if (!run->model->spec->velocities.n || !sys->form->start_left) return 0;
    memset(g->a0, 0, sizeof(double) * (size_t)sys->nv);
    lm_state s = {0, g->q, g->v, g->a0, NULL};
    if (sys->form->start_left(sys, &s, g->dx, &left, &all)) return 1;
    *speed = fmax(*speed, all);
    if (left <= CLOSED * all) return 0;
    int bad = lm_factor_mass(g, 0, g->q, g->v);
    if (bad) return bad;
    *change = fmax(*change, left);
    for (int i = 0; i < sys->nv; i++) g->x[i] = g->dx[i] / g->mass_unit;
    memset(g->x + sys->nv, 0, sizeof(double) * (size_t)sys->nl);
    lm_linear_solve(g->lin, g->x);
    for (int i = 0; i < sys->nv; i++) g->v[i] += g->x[i];
    return lm_project_velocity(g, 0, g->q, g->v, &all);
}

static limber_status not_fitting(lm_run *run, int entry, double change)
{
    const lm_spec_velocity *in = &run->model->spec->velocities.at[entry];
    lm_error(run->diag, in->loc,
             "initial: the velocities do not fit the joints: a correction of %.3g (relative to "
             "the size of the mechanism, per second) is needed for body '%s'; correct them or "
             "write 'project: true'",
             change, run->model->bodies[in->body].name);
    return LIMBER_INPUT;
}

static limber_status velocities(lm_run *run, lm_integrator *g)
{
    const lm_spec *spec = run->model->spec;
    double change, speed = lm_speed_norm(run->sys, g->clock->size, g->v);
    if (run->sys->form->select_rows(run->sys, 0, g->q, VELOCITIES) < 0) return LIMBER_MEMORY;
    int written = spec->coordinates.n && run->sys->nl > 0 && !run->sys->flexible;
    limber_status st = written ? lm_written_rates(run, g) : start_rigidly(run, g, speed);
    if (st) return st;
    int bad = lm_project_velocity(g, 0, g->q, g->v, &change);
    if (!bad) bad = fit_given(run, g, &change, &speed);
    if (bad) return singular(run, g, bad);
    st = check_initial(run, g, VELOCITIES);
    if (st) return st;
    if (spec->velocities.n && !spec->project && change > 1e-6 * speed + lm_start_rounding(spec))
        return not_fitting(run, 0, change);
    return LIMBER_OK;
}

/* ---- the model's own start ---- */

/* "joints 'A', 'B' and 3 more" */
static void list_chosen(const lm_model *m, const lm_start *s, char *text, size_t size)
{
    enum { NAMED = 4 };
    int n = 0, at;
    for (int j = 0; j < m->spec->joints.n; j++) n += s->chosen[0][j] || s->chosen[1][j];
    at = snprintf(text, size, n > 1 ? "joints " : "joint ");
    for (int j = 0, k = 0; j < m->spec->joints.n && k < NAMED && at < (int)size; j++)
        if (s->chosen[0][j] || s->chosen[1][j])
            at += snprintf(text + at, size - (size_t)at, "%s'%s'", k++ ? ", " : "",
                           m->joints[j].name);
    if (n > NAMED && at < (int)size)
        snprintf(text + at, size - (size_t)at, " and %d more", n - NAMED);
}

/* What closed loops left open, and nobody has written. */
static void say_chosen(lm_run *run, const lm_start *s)
{
    const lm_model *m = run->model;
    int chosen[2] = {0, 0};
    char names[400];
    for (int k = 0; k < 2; k++)
        for (int j = 0; j < m->spec->joints.n; j++) chosen[k] |= s->chosen[k][j];
    if (!chosen[0] && !chosen[1]) return;
    lm_loc whole = {m->spec->file, 0, 0};
    list_chosen(m, s, names, sizeof names);
    lm_diag_add(run->diag, LM_NOTE, m->spec->initial.n ? m->spec->initial.at[0].loc : whole,
                "closed loops can start in more than one way: of what 'initial' and the drives do "
                "not give, the %s%s%s of %s are those of least change",
                chosen[0] ? "positions" : "", chosen[0] && chosen[1] ? " and " : "",
                chosen[1] ? "rates" : "", names);
}

/* Rigid bodies and joints alone say how the model starts, whatever the formulation. */
static limber_status look_at_start(lm_run *run)
{
    lm_start s;
    const lm_spec *spec = run->model->spec;
    limber_status st = LIMBER_OK;
    if (spec->coordinates.n && spec->velocities.n) {
        lm_error(run->diag, spec->velocities.at[0].loc,
                 "initial: 'velocity' cannot be given to a body that 'coordinates' move: give the "
                 "rates of the coordinates");
        return LIMBER_INPUT;
    }
    if (spec->coordinates.n) return LIMBER_OK;
    if (lm_start_make(&s, run->model))
        st = LIMBER_MEMORY;
    else if (s.corrected >= 0 && !spec->project)
        st = not_fitting(run, s.corrected, s.correction);
    else
        say_chosen(run, &s);
    lm_start_free(&s);
    return st;
}

void lm_warn_immobile(lm_run *run)
{
    const lm_model *m = run->model;
    if (run->sys->mobility > 0 || m->nbodies == 0) return;
    for (int k = 0; k < m->nrows; k++)
        if (m->rows[k].drive) return;
    lm_warning(run->diag, ((lm_loc){m->spec->file, 0, 0}),
               "the joints leave the mechanism no motion (mobility 0): it stands still");
}

limber_status lm_initial_state(lm_run *run)
{
    lm_system *sys = run->sys;
    limber_status st = sys->companion ? LIMBER_OK : look_at_start(run); /* else of the companion */
    if (!st) st = lm_rigid_motion_start(run);
    lm_integrator *g = st ? NULL : lm_integrator_at_rest(sys);
    if (!g) return st ? st : LIMBER_MEMORY;
    g->clock->size = run->model->size > 0 ? run->model->size : 1;
    if (sys->form->initial(sys, g->q, g->v)) st = LIMBER_MEMORY;
    if (!st) st = positions(run, g);
    if (!st) st = velocities(run, g);
    if (!st && sys->form->select_rows(sys, 0, g->q, RUNNING) < 0) st = LIMBER_MEMORY;
    memcpy(run->q, g->q, sizeof(double) * (size_t)sys->nq);
    memcpy(run->v, g->v, sizeof(double) * (size_t)sys->nv);
    run->t = 0;
    g->ops->destroy(g);
    return st;
}
