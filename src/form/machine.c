/* A machine behind the seam: the mechanism's equations as its formulation has them, with those of the
 * variables behind them, in the residual and in the matrix; what else is asked goes to the mechanism. */
#include "form/machine_int.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Of positions, over the size: differences of some. */
#define ROUNDING 3e-14

/* A correction that the rounding of positions makes to a state which integrates a rate is none.
 *
 * What is no state shows in those that it moves; alone it counts itself. Its noise is that of accelerations,
 * which grows as steps become small. */
double lm_variable_motion(const lm_system *sys, int k, double dx)
{
    double unit = lm_variable_scale(sys, k);
    int state = sys->model->spec->variables.at[k].kind == LM_VARIABLE_STATE;
    int alone = sys->nstates == 0 && sys->nv == sys->nvariables;
    if (!sys->steady && !state && !alone) return isfinite(dx) ? 0 : dx;
    if (!sys->steady && sys->tick > 0) unit *= state ? sys->tick : sys->tick * sys->tick;
    if (!sys->steady && state && fabs(dx) <= ROUNDING * sys->tick * sys->discrete->moved[k])
        return 0;
    return dx / unit;
}

double lm_machine_value(const lm_system *sys, int k) { return ((const machine *)sys)->x[k]; }

/* ---- the mechanism's view ---- */

/* What analyses set on the machine holds for its mechanism. */
static void pass_on(machine *s)
{
    const lm_system *m = &s->sys;
    lm_system *in = s->in;
    in->pool = m->pool;
    in->solver = m->solver;
    in->load_factor = m->load_factor;
    in->start_loads = m->start_loads;
    in->power_only = m->power_only;
    in->inputs = m->inputs;
    in->along = m->along;
    in->hold_ports = 0;
    in->motion = m->motion;
    in->still = m->still;
    in->spin = m->spin;
    in->softness = m->softness;
    in->regular_mass = m->regular_mass;
    in->exact_tangent = m->exact_tangent;
    in->vibrations = m->vibrations;
    in->undeformed = m->undeformed;
    in->hold_idle = m->hold_idle;
    in->held_by = m->held_by;
    s->sys.in_trouble = 0;
}

static void take_back(machine *s)
{
    const lm_system *in = s->in;
    s->sys.mobility = in->mobility;
    s->sys.in_trouble |= in->in_trouble || s->loop_failed; /* or what its known motion has said */
    if (!in->in_trouble) return;
    s->sys.trouble_at = in->trouble_at;
    memcpy(s->sys.trouble, in->trouble, sizeof in->trouble);
}

/* d(expr)/dt at the values in the slots. */
static double time_rate(machine *s, const lm_spec_variable *x, const double *slots)
{
    double sum = 0;
    lm_expr_grad(&x->expr, slots, s->scratch, s->grad);
    for (int i = 0; i < x->expr.ninputs; i++)
        sum += s->grad[i] * (x->expr.inputs[i] == LM_SLOT_T ? 1 : slots[x->rate[i]]);
    return sum;
}

/* What is added to the value of variable k. */
static double given(const machine *s, int k)
{
    const lm_model *m = s->sys.model;
    return s->sys.inputs ? s->sys.inputs[6 * m->spec->loads.n + m->ncoords + k] : 0;
}

/* Those that follow from what is in the slots. */
static void settle(void *ctx, double *slots)
{
    machine *s = ctx;
    for (int i = 0; i < s->norder; i++) {
        int k = s->order[i];
        if (k < 0) {
            machine_solve_loop(s, &s->loop[-1 - k], slots);
            continue;
        }
        const lm_spec_variable *x = &s->spec->variables.at[k];
        s->x[k] = x->kind == LM_VARIABLE_VALUE
                      ? lm_expr_eval(&x->expr, slots, s->scratch) + given(s, k)
                  : s->sys.steady ? 0
                                  : time_rate(s, x, slots) + (s->impulse ? s->impulse[k] : 0);
        if (s->slot[k]) slots[s->slot[k]] = s->x[k];
    }
}

/* Values and rates of the variables at the state. A steady machine holds its states. */
static void values(machine *s, const lm_state *st)
{
    int nq = s->in->nq, nv = s->in->nv, n = s->n;
    for (int k = 0; k < n; k++) {
        int state = s->spec->variables.at[k].kind == LM_VARIABLE_STATE;
        double v = st->v ? st->v[nv + k] : 0, a = st->a ? st->a[nv + k] : 0;
        s->x[k] = machine_tracks(s, k) ? st->q[nq + k]
                  : state              ? v
                  : s->sys.steady      ? st->q[nq + k]
                                       : a;
        s->loop_start[k] = s->x[k];
        s->x[n + k] = s->sys.steady || !state ? 0 : a;
    }
    s->in->variables = s->x;
    s->in->settle = &s->settle;
}

lm_state machine_enter(machine *s, const lm_state *st)
{
    pass_on(s);
    values(s, st);
    return *st; /* the mechanism's own numbers are the first of each array; multipliers are apart */
}

lm_system *lm_machine_hold(lm_system *sys, const lm_state *st)
{
    if (!sys->nvariables) return sys;
    machine_enter((machine *)sys, st);
    return ((machine *)sys)->in;
}

lm_system *lm_machine_freeze(lm_system *sys, const lm_state *st)
{
    machine *s = (machine *)sys;
    if (!sys->nvariables) return sys;
    lm_state in = machine_enter(s, st);
    /* evaluated once for the values that follow, which go to s->x and stay there */
    if (s->in->form->jacobian(s->in, &in, 0, 0, 1, s->inner[0])) return NULL;
    for (int k = 0; k < s->n; k++)
        if (!isfinite(s->x[k])) return NULL;
    s->in->settle = NULL;
    s->in->hold_ports = 1;
    return s->in;
}

/* ---- equations ---- */

static int equations(machine *s, double *r)
{
    const double *slots = s->in->form->ports->slots(s->in);
    double sum = 0;
    for (int k = 0; k < s->n; k++) {
        const lm_spec_variable *x = &s->spec->variables.at[k];
        double left = x->kind == LM_VARIABLE_STATE ? s->x[s->n + k] : s->x[k];
        if (machine_tracks(s, k)) {
            r[k] = s->x[k] - s->offset[k] - lm_expr_eval(&x->integral, slots, s->scratch);
            sum += r[k];
            continue;
        }
        if (s->follows[k] || (x->kind == LM_VARIABLE_STATE && s->sys.steady)) {
            r[k] = s->follows[k] && !isfinite(s->x[k]) ? NAN : 0; /* held, whatever its position */
            sum += r[k];
            continue;
        }
        r[k] = left -
               (x->kind == LM_VARIABLE_RATE ? (s->sys.steady ? 0 : time_rate(s, x, slots))
                                            : lm_expr_eval(&x->expr, slots, s->scratch)) -
               given(s, k);
        sum += r[k];
    }
    return !isfinite(sum);
}

static int residual(lm_system *sys, const lm_state *st, double *r, double *phi, double *rate)
{
    machine *s = (machine *)sys;
    lm_state in = machine_enter(s, st);
    s->loop_failed = 0;
    int bad = s->in->form->residual(s->in, &in, r, phi, rate);
    take_back(s);
    if (s->loop_failed) s->sys.trouble_at = st->t;
    int wrong = equations(s, r + s->in->nv);
    return bad ? bad : wrong;
}

void lm_machine_track(lm_system *sys, const lm_state *st)
{
    machine *s = (machine *)sys;
    int nv = s->in->nv, steady = sys->steady;
    lm_state in = machine_enter(s, st);
    sys->steady = 1;
    /* for the sensors: what else goes wrong will do so again */
    s->in->form->residual(s->in, &in, s->track_r, s->track_r + nv, NULL);
    const double *slots = s->in->form->ports->slots(s->in);
    for (int k = 0; k < s->n; k++)
        if (machine_tracks(s, k))
            s->offset[k] =
                st->v[nv + k] - lm_expr_eval(&s->spec->variables.at[k].integral, slots, s->scratch);
    sys->steady = steady;
}

/* ---- the matrix ---- */

/* Derivatives of equation k by its terms. */
static void slopes(machine *s, int k, const double *slots)
{
    const lm_spec_variable *x = &s->spec->variables.at[k];
    int n = x->expr.ninputs;
    if (x->kind != LM_VARIABLE_RATE) {
        lm_expr_grad(&x->expr, slots, s->scratch, s->coefficient);
        return;
    }
    double *by = s->coefficient;
    lm_expr_hess(&x->expr, slots, s->scratch, by + n, s->hess);
    for (int j = 0; j < n; j++) {
        by[j] = 0;
        for (int i = 0; i < n; i++)
            by[j] += s->hess[n * i + j] * (x->expr.inputs[i] == LM_SLOT_T ? 1 : slots[x->rate[i]]);
    }
}

/* The factor of a variable's value, or rate, in cM M + cD D + cK K. */
static double level(const machine *s, int k, int rate, double cM, double cD, double cK)
{
    int state = s->spec->variables.at[k].kind == LM_VARIABLE_STATE;
    if (s->sys.steady) return state && (rate || !machine_tracks(s, k)) ? 0 : cK;
    return rate || !state ? cM : cD;
}

static void add_row(machine *s, int k, const double *slots, double cM, double cD, double cK,
                    double *to)
{
    const machine_row *row = &s->row[k];
    const lm_spec_variable *x = &s->spec->variables.at[k];
    int state = x->kind == LM_VARIABLE_STATE, tracks = machine_tracks(s, k);
    to[row->diagonal] += s->sys.steady ? cK : level(s, k, state, cM, cD, cK);
    if (x->kind != LM_VARIABLE_VALUE && s->sys.steady && !tracks) return;
    if (tracks)
        lm_expr_grad(&x->integral, slots, s->scratch, s->coefficient);
    else
        slopes(s, k, slots);
    for (int i = 0; i < (tracks ? row->nintegral : row->nterms); i++) {
        const machine_term *t = tracks ? &row->integral[i] : &row->term[i];
        double c = -s->coefficient[i];
        if (t->kind == TERM_CONSTANT || c == 0) continue;
        if (t->kind == TERM_SENSOR) {
            const machine_sensor *sensor = &s->sensor[t->of];
            for (int e = 0; e < sensor->n; e++) to[t->place[e]] += c * sensor->gradient[e];
        } else
            to[t->place[0]] += c * level(s, t->of, t->kind == TERM_RATE, cM, cD, cK);
    }
}

/* The parts of the variables, right after the mechanism's own matrix. */
static void add_variables(machine *s, const lm_state *in, double cM, double cD, double cK,
                          double *to)
{
    const lm_ports *p = s->in->form->ports;
    const double *slots = p->slots(s->in);
    for (int i = 0; i < s->nsensors; i++)
        p->sensor_gradient(s->in, in, s->sensor[i].sensor, cM, cD, cK, s->sensor[i].gradient);
    for (int k = 0; k < s->n; k++) add_row(s, k, slots, cM, cD, cK, to);
    for (int i = 0; i < s->npushes; i++) {
        const machine_push *f = &s->push[i];
        double c = level(s, f->variable, f->rate, cM, cD, cK);
        if (c == 0) continue;
        p->push(s->in, in, f->sensor, f->force);
        for (int e = 0; e < f->n; e++) to[f->place[e]] += c * f->force[e];
    }
}

static void spread(const machine *s, const double *from, double *to)
{
    memset(to, 0, sizeof(double) * (size_t)s->sys.pattern.nnz);
    for (int i = 0; i < s->in->pattern.nnz; i++) to[s->inner_place[i]] = from[i];
}

static int jacobian(lm_system *sys, const lm_state *st, double cM, double cD, double cK, double *to)
{
    machine *s = (machine *)sys;
    lm_state in = machine_enter(s, st);
    if (s->in->form->jacobian(s->in, &in, cM, cD, cK, s->inner[0])) return 1;
    spread(s, s->inner[0], to);
    add_variables(s, &in, cM, cD, cK, to);
    return 0;
}

static int matrices(lm_system *sys, const lm_state *st, double *M, double *D, double *K)
{
    machine *s = (machine *)sys;
    lm_state in = machine_enter(s, st);
    int bad = s->in->form->matrices(s->in, &in, s->inner[0], s->inner[1], s->inner[2]);
    if (bad) return bad;
    double *const to[3] = {M, D, K};
    for (int i = 0; i < 3; i++) {
        spread(s, s->inner[i], to[i]);
        add_variables(s, &in, i == 0, i == 1, i == 2, to[i]);
    }
    return 0;
}

/* ---- positions ---- */

static int initial(lm_system *sys, double *q, double *v)
{
    machine *s = (machine *)sys;
    pass_on(s);
    s->in->variables = NULL;
    s->in->settle = NULL;
    for (int k = 0; k < s->n; k++) {
        double x = s->spec->variables.at[k].initial;
        q[s->in->nq + k] = sys->steady ? x : 0;
        v[s->in->nv + k] = s->spec->variables.at[k].kind == LM_VARIABLE_STATE ? x : 0;
    }
    return s->in->form->initial(s->in, q, v);
}

static int linear_about(lm_system *sys, double t, double *q, double *v, double *a, double *lam)
{
    machine *s = (machine *)sys;
    pass_on(s);
    int bad = s->in->form->linear_about(s->in, t, q, v, a, lam);
    take_back(s);
    return bad;
}

static int retract(lm_system *sys, const double *q0, const double *dx, double *q1)
{
    machine *s = (machine *)sys;
    int nq = s->in->nq, nv = s->in->nv;
    pass_on(s);
    for (int k = 0; k < s->n; k++) q1[nq + k] = q0[nq + k] + dx[nv + k];
    int bad = s->in->form->retract(s->in, q0, dx, q1);
    take_back(s);
    return bad;
}

static int count_turns(lm_system *sys, const double *q0, const double *dx, double *q1)
{
    machine *s = (machine *)sys;
    pass_on(s);
    int bad = s->in->form->count_turns(s->in, q0, dx, q1);
    take_back(s);
    return bad;
}

static void difference(const lm_system *sys, const double *q0, const double *q1, double *dx)
{
    const machine *s = (const machine *)sys;
    s->in->form->difference(s->in, q0, q1, dx);
    for (int k = 0; k < s->n; k++) dx[s->in->nv + k] = q1[s->in->nq + k] - q0[s->in->nq + k];
}

static void local_rate(const lm_system *sys, const double *xi, const double *v, double *rate)
{
    const machine *s = (const machine *)sys;
    s->in->form->local_rate(s->in, xi, v, rate);
    memmove(rate + s->in->nv, v + s->in->nv, sizeof(double) * (size_t)s->n);
}

static void carry(const lm_system *sys, const double *q0, const double *q1, const double *w,
                  double *out)
{
    const machine *s = (const machine *)sys;
    s->in->form->carry(s->in, q0, q1, w, out);
    memmove(out + s->in->nv, w + s->in->nv, sizeof(double) * (size_t)s->n);
}

/* ---- constraints ---- */

static int constraint_rate(lm_system *sys, const lm_state *st, double *rate)
{
    machine *s = (machine *)sys;
    lm_state in = machine_enter(s, st);
    return s->in->form->constraint_rate(s->in, &in, rate);
}

static int constraint_accel(lm_system *sys, const lm_state *st, double *accel)
{
    machine *s = (machine *)sys;
    lm_state in = machine_enter(s, st);
    return s->in->form->constraint_accel(s->in, &in, accel);
}

static int select_rows(lm_system *sys, double t, const double *q, int assembling)
{
    machine *s = (machine *)sys;
    pass_on(s);
    int redundant = s->in->form->select_rows(s->in, t, q, assembling);
    take_back(s);
    return redundant;
}

static double hidden_violation(lm_system *sys, double t, const double *q, int *row)
{
    machine *s = (machine *)sys;
    pass_on(s);
    return s->in->form->hidden_violation(s->in, t, q, row);
}

/* ---- results ---- */

static int outputs(lm_system *sys, const lm_state *st, double *out)
{
    machine *s = (machine *)sys;
    lm_state in = machine_enter(s, st);
    int bad = s->in->form->outputs(s->in, &in, out);
    take_back(s);
    return bad;
}

static void forces(lm_system *sys, const lm_state *st, double *joint, double *load)
{
    machine *s = (machine *)sys;
    lm_state in = machine_enter(s, st);
    s->in->form->forces(s->in, &in, joint, load);
}

static void beam_forces(lm_system *sys, const lm_state *st, double *out)
{
    machine *s = (machine *)sys;
    lm_state in = machine_enter(s, st);
    s->in->form->beam_forces(s->in, &in, out);
}

static void poses(lm_system *sys, const double *q, double *pose)
{
    machine *s = (machine *)sys;
    pass_on(s);
    s->in->form->poses(s->in, q, pose);
    take_back(s);
}

static void describe_pose(const lm_system *sys, int i, char *text, size_t size)
{
    const machine *s = (const machine *)sys;
    s->in->form->describe_pose(s->in, i, text, size);
}

static void describe(const lm_system *sys, int i, char *text, size_t size)
{
    const machine *s = (const machine *)sys;
    if (i >= s->in->nv && i < sys->nv)
        snprintf(text, size, "the equation of %s", s->spec->variables.at[i - s->in->nv].name);
    else
        s->in->form->describe(s->in, i < sys->nv ? i : i - s->n, text, size);
}

static void describe_motion(const lm_system *sys, int i, char *text, size_t size)
{
    const machine *s = (const machine *)sys;
    if (i >= s->in->nv)
        snprintf(text, size, "%s", s->spec->variables.at[i - s->in->nv].name);
    else
        s->in->form->describe_motion(s->in, i, text, size);
}

static double next_kink(const lm_system *sys, double t)
{
    const machine *s = (const machine *)sys;
    double next = s->in->form->next_kink(s->in, t);
    for (int k = 0; k < s->n; k++)
        next = fmin(next, lm_expr_next_kink(&s->spec->variables.at[k].expr, t));
    return next;
}

static void rigid_velocity(const lm_system *sys, const double *q, const double twist[6], double *v)
{
    const machine *s = (const machine *)sys;
    s->in->form->rigid_velocity(s->in, q, twist, v);
    memset(v + s->in->nv, 0, sizeof(double) * (size_t)s->n);
}

static int rigid_momentum(lm_system *sys, const lm_state *rest, const double twist[6], double *p,
                          double *total)
{
    machine *s = (machine *)sys;
    pass_on(s);
    memset(p + s->in->nv, 0, sizeof(double) * (size_t)s->n);
    return s->in->form->rigid_momentum(s->in, rest, twist, p, total);
}

static int start_left(lm_system *sys, const lm_state *st, double *p, double *left, double *speed)
{
    machine *s = (machine *)sys;
    pass_on(s);
    memset(p + s->in->nv, 0, sizeof(double) * (size_t)s->n);
    return s->in->form->start_left(s->in, st, p, left, speed);
}

/* ---- sensors ---- */

static const double *slots(const lm_system *sys)
{
    const lm_system *in = ((const machine *)sys)->in;
    return in->form->ports->slots(in);
}

static void evaluate(lm_system *sys, const double *sensors, double *out)
{
    lm_system *in = ((machine *)sys)->in;
    in->form->ports->evaluate(in, sensors, out);
}

/* What results need: the variables are the machine's own. */
static const lm_ports machine_ports = {
    .slots = slots, .guarded = machine_guarded, .forcing = machine_forcing, .evaluate = evaluate};

/* ---- making ---- */

static void destroy(lm_system *sys)
{
    if (!sys) return;
    machine *s = (machine *)sys;
    s->in->motion = s->sys.motion; /* of an elastodynamic mechanism, which destroys it */
    s->in->form->destroy(s->in);
    lm_arena arena = s->arena;
    lm_arena_free(&arena);
}

static void fill_form(machine *s)
{
    const lm_form *in = s->in->form;
    s->form = (lm_form){
        .name = in->name,
        .create = in->create,
        .destroy = destroy,
        .initial = initial,
        .linear_about = in->linear_about ? linear_about : NULL,
        .retract = retract,
        .count_turns = in->count_turns ? count_turns : NULL,
        .difference = in->difference ? difference : NULL,
        .local_rate = local_rate,
        .carry = carry,
        .residual = residual,
        .jacobian = jacobian,
        .matrices = in->matrices ? matrices : NULL,
        .constraint_rate = constraint_rate,
        .constraint_accel = constraint_accel,
        .select_rows = select_rows,
        .hidden_violation = hidden_violation,
        .outputs = outputs,
        .energy = machine_energy,
        .forces = in->forces ? forces : NULL,
        .beam_forces = in->beam_forces ? beam_forces : NULL,
        .poses = poses,
        .describe_pose = describe_pose,
        .describe = describe,
        .describe_motion = describe_motion,
        .next_kink = next_kink,
        .rigid_velocity = in->rigid_velocity ? rigid_velocity : NULL,
        .rigid_momentum = in->rigid_momentum ? rigid_momentum : NULL,
        .start_left = in->start_left ? start_left : NULL,
        .guards = in->guards ? machine_guards : NULL,
        .describe_guard = machine_describe_guard,
        .powers = s->spec->elements.n ? machine_powers : NULL,
        .ports = &machine_ports,
    };
}

limber_status lm_machine_make(lm_system **sys)
{
    lm_system *in = *sys;
    lm_arena arena = {0};
    machine *s = LM_NEW(&arena, machine);
    *sys = NULL;
    if (!s) {
        in->form->destroy(in);
        return LIMBER_MEMORY;
    }
    s->arena = arena;
    s->in = in;
    s->spec = in->model->spec;
    s->n = s->spec->variables.n;
    s->sys = *in;
    s->sys.form = &s->form;
    s->sys.nq += s->n;
    s->sys.nv += s->n;
    s->sys.nvariables = s->n;
    for (int k = 0; k < s->n; k++)
        s->sys.nstates += s->spec->variables.at[k].kind == LM_VARIABLE_STATE;
    s->sys.groups = (lm_groups){0};
    s->sys.algebraic = 1;
    s->sys.works = 1;
    s->sys.quick_mass = 0;
    s->settle = (lm_settle){s, settle};
    fill_form(s);
    if (machine_build(s)) {
        destroy(&s->sys);
        return LIMBER_MEMORY;
    }
    if (in->form->guards) machine_count_guards(s);
    *sys = &s->sys;
    return LIMBER_OK;
}
