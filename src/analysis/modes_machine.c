#include "analysis/modes_machine.h"

#include "analysis/statics_machine.h"
#include "form/machine.h"

#include <math.h>
#include <string.h>

/* ---- what the variables add ---- */

typedef struct condensing {
    lm_condensed *s;
    lm_system *machine;
    lm_rest *rest; /* patterns and places */
    double *M, *D, *K,
        *at;        /* [nnz of the machine]; at: with integrals as functions of the position */
    double *z[3];   /* [n] right sides by x.., x., x: -y and -s */
    double *states; /* [n] -S of one column */
} condensing;

static int is_state(const condensing *c, int k)
{
    return c->machine->model->spec->variables.at[k].kind == LM_VARIABLE_STATE;
}

/* Y of the values and rates; states stand for themselves. */
static int factor(condensing *c)
{
    lm_rest *r = c->rest;
    double *to = lm_linear_values(r->lin);
    for (int k = 0; k < r->n; k++)
        for (int i = r->block.colptr[k]; i < r->block.colptr[k + 1]; i++) {
            int row = r->block.rowind[i], state = is_state(c, k) || is_state(c, row);
            to[i] = state ? row == k : c->M[r->block_from[i]];
        }
    return lm_linear_factor(r->lin);
}

/* z[.] += N_y s. and E_y s of the states -s. */
static void add_states(const condensing *c)
{
    const lm_pattern *p = &c->machine->pattern;
    int nv = c->s->in->nv;
    for (int k = 0; k < c->rest->n; k++) {
        if (c->states[k] == 0) continue;
        for (int e = p->colptr[nv + k]; e < p->colptr[nv + k + 1]; e++) {
            int row = p->rowind[e] - nv;
            if (row < 0 || row >= c->rest->n || is_state(c, row)) continue;
            c->z[1][row] -= c->M[e] * c->states[k];
            c->z[2][row] -= c->D[e] * c->states[k];
        }
    }
}

/* -y by the acceleration, the velocity and the position of one unknown, and -s by its position. */
static void answer(condensing *c, int column)
{
    const lm_pattern *p = &c->machine->pattern;
    int nv = c->s->in->nv, n = c->rest->n, motion = column < nv;
    const double *from[3] = {c->M, c->D, c->K};
    for (int d = 0; d < 3; d++) memset(c->z[d], 0, sizeof(double) * (size_t)n);
    memset(c->states, 0, sizeof(double) * (size_t)n);
    for (int e = p->colptr[column]; e < p->colptr[column + 1]; e++) {
        int k = p->rowind[e] - nv;
        if (k < 0 || k >= n) continue;
        if (is_state(c, k))
            c->states[k] = motion && !lm_rest_holds(c->rest, k) ? c->at[e] : 0;
        else
            for (int d = 0; d < (motion ? 3 : 1); d++) c->z[d][k] = from[d][e];
    }
    add_states(c);
    for (int d = 0; d < (motion ? 3 : 1); d++) lm_linear_solve(c->rest->lin, c->z[d]);
}

static void add_terms(condensing *c)
{
    const lm_rest *r = c->rest;
    double *to[3] = {c->s->M, c->s->D, c->s->K};
    for (int i = 0; i < r->ncouplings;) {
        int column = r->coupling[i].column, motion = column < c->s->in->nv;
        answer(c, column);
        for (; i < r->ncouplings && r->coupling[i].column == column; i++) {
            const rest_coupling *o = &r->coupling[i];
            if (is_state(c, o->variable)) {
                c->s->D[o->to] -= c->M[o->from] * c->states[o->variable];
                c->s->K[o->to] -= c->D[o->from] * c->states[o->variable];
                continue;
            }
            for (int d = 0; d < 3 && motion; d++)
                to[d][o->to] -= c->M[o->from] * c->z[d][o->variable];
            if (!motion) c->s->Q[o->to] -= c->M[o->from] * c->z[0][o->variable];
        }
    }
}

/* The machine's matrices; `at` where values are positions and integrals follow these. */
static int evaluate(condensing *c, const lm_state *st, double *q, double *rest)
{
    lm_system *m = c->machine;
    const lm_form *form = m->form;
    int nq = c->s->in->nq, nv = c->s->in->nv;
    memcpy(q, st->q, sizeof(double) * (size_t)nq);
    for (int k = 0; k < c->rest->n; k++) q[nq + k] = (is_state(c, k) ? st->v : st->a)[nv + k];
    lm_state still = {st->t, q, st->v, rest, st->lam};
    m->still = 1;
    m->steady = 1;
    int bad = form->jacobian(m, &still, 0, 0, 1, c->at);
    m->steady = 0;
    bad = bad || form->jacobian(m, st, 1, 0, 0, c->M) || form->jacobian(m, st, 0, 1, 0, c->D) ||
          form->jacobian(m, st, 0, 0, 1, c->K) || factor(c);
    m->still = 0;
    return bad;
}

static limber_status condense(lm_condensed *s, lm_system *machine, lm_rest *rest,
                              const lm_state *st)
{
    lm_arena temp = {0};
    size_t nnz = (size_t)machine->pattern.nnz, n = (size_t)rest->n;
    double *x =
        LM_NEW_N(&temp, double, 4 * nnz + 4 * n + (size_t)machine->nq + (size_t)machine->nv + 1);
    condensing c = {.s = s, .machine = machine, .rest = rest, .M = x};
    int bad = 0;
    if (x) {
        c.D = x + nnz, c.K = c.D + nnz, c.at = c.K + nnz, c.states = c.at + nnz;
        for (size_t d = 0; d < 3; d++) c.z[d] = c.states + n * (d + 1);
        double *q = c.states + 4 * n;
        bad = evaluate(&c, st, q, q + machine->nq);
        if (!bad) add_terms(&c);
    }
    lm_arena_free(&temp);
    return !x ? LIMBER_MEMORY : bad ? LIMBER_STOPPED : LIMBER_OK;
}

/* ---- the system ---- */

/* What the analysis sets holds for the mechanism. */
static lm_system *pass_on(lm_system *sys)
{
    lm_system *in = ((lm_condensed *)sys)->in;
    in->load_factor = sys->load_factor;
    in->start_loads = sys->start_loads;
    in->softness = sys->softness;
    in->regular_mass = sys->regular_mass;
    in->motion = sys->motion;
    in->still = sys->still;
    in->vibrations = sys->vibrations;
    in->undeformed = sys->undeformed;
    in->held_by = sys->held_by;
    in->hold_idle = sys->hold_idle;
    return in;
}

/* Efforts are those at the accelerations `rest`, and change with others. */
static int residual(lm_system *sys, const lm_state *st, double *r, double *phi, double *rate)
{
    lm_condensed *s = (lm_condensed *)sys;
    const lm_pattern *p = &sys->pattern;
    lm_system *in = pass_on(sys);
    if (in->form->residual(in, st, r, phi, rate)) return 1;
    for (int c = 0; c < sys->nv; c++)
        for (int e = p->colptr[c]; e < p->colptr[c + 1] && p->rowind[e] < sys->nv; e++)
            r[p->rowind[e]] += s->M[e] * ((st->a ? st->a[c] : 0) - s->rest[c]);
    return 0;
}

static int jacobian(lm_system *sys, const lm_state *st, double cM, double cD, double cK, double *to)
{
    lm_condensed *s = (lm_condensed *)sys;
    lm_system *in = pass_on(sys);
    if (in->form->jacobian(in, st, cM, cD, cK, s->own)) return 1;
    for (int e = 0; e < sys->pattern.nnz; e++)
        to[e] = cM * s->M[e] + cD * s->D[e] + cK * s->K[e] + s->Q[e];
    for (int e = 0; e < in->pattern.nnz; e++) to[s->place[e]] += s->own[e];
    return 0;
}

/* Where all moves as one, nothing moves in the machine: the momentum is that of the mechanism. */
static int rigid_momentum(lm_system *sys, const lm_state *st, const double twist[6], double *p,
                          double *mass)
{
    lm_condensed *s = (lm_condensed *)sys;
    lm_system *in = pass_on(sys);
    const lm_pattern *own = &in->pattern;
    double sum = 0, *v = s->work;
    if (in->form->rigid_momentum && !in->form->rigid_velocity)
        return in->form->rigid_momentum(in, st, twist, p, mass);
    if (!in->form->rigid_velocity || in->form->jacobian(in, st, 1, 0, 0, s->own)) return 1;
    in->form->rigid_velocity(in, st->q, twist, v);
    memset(p, 0, sizeof(double) * (size_t)in->nv);
    for (int c = 0; c < in->nv; c++)
        for (int e = own->colptr[c]; e < own->colptr[c + 1] && own->rowind[e] < in->nv; e++)
            p[own->rowind[e]] += s->own[e] * v[c];
    for (int i = 0; i < in->nv; i++) sum += p[i] * v[i];
    *mass = sum;
    return 0;
}

static int linear_about(lm_system *sys, double t, double *q, double *v, double *a, double *lam)
{
    lm_system *in = pass_on(sys);
    return in->form->linear_about(in, t, q, v, a, lam);
}

static int retract(lm_system *sys, const double *q0, const double *dx, double *q1)
{
    lm_system *in = pass_on(sys);
    return in->form->retract(in, q0, dx, q1);
}

static int constraint_accel(lm_system *sys, const lm_state *st, double *accel)
{
    lm_system *in = pass_on(sys);
    return in->form->constraint_accel(in, st, accel);
}

static int select_rows(lm_system *sys, double t, const double *q, int assembling)
{
    lm_system *in = pass_on(sys);
    return in->form->select_rows(in, t, q, assembling);
}

static void poses(lm_system *sys, const double *q, double *pose)
{
    lm_system *in = pass_on(sys);
    in->form->poses(in, q, pose);
}

static void describe(const lm_system *sys, int i, char *text, size_t size)
{
    const lm_system *in = ((const lm_condensed *)sys)->in;
    in->form->describe(in, i, text, size);
}

static void describe_motion(const lm_system *sys, int i, char *text, size_t size)
{
    const lm_system *in = ((const lm_condensed *)sys)->in;
    in->form->describe_motion(in, i, text, size);
}

/* ---- making ---- */

static int reserve(lm_condensed *s, const lm_rest *rest)
{
    const lm_pattern *own = &s->in->pattern;
    lm_pattern *p = &s->sys.pattern;
    size_t nnz = (size_t)rest->sys.pattern.nnz, nv = (size_t)s->in->nv;
    *p = rest->sys.pattern;
    p->colptr = lm_arena_copy(&s->arena, p->colptr, sizeof *p->colptr * ((size_t)p->n + 1));
    p->rowind = lm_arena_copy(&s->arena, p->rowind, sizeof *p->rowind * nnz);
    s->M = LM_NEW_N(&s->arena, double, 4 * nnz + (size_t)own->nnz + 2 * nv + 1);
    s->place = LM_NEW_N(&s->arena, int, own->nnz + 1);
    if (!p->colptr || !p->rowind || !s->M || !s->place) return -1;
    s->D = s->M + nnz, s->K = s->D + nnz, s->Q = s->K + nnz, s->own = s->Q + nnz;
    s->rest = s->own + own->nnz, s->work = s->rest + nv;
    for (int c = 0; c < own->n; c++)
        for (int e = own->colptr[c]; e < own->colptr[c + 1]; e++)
            s->place[e] = lm_pattern_find(&s->sys.pattern, own->rowind[e], c);
    return 0;
}

static lm_condensed *make(lm_system *in)
{
    lm_arena arena = {0};
    lm_condensed *s = LM_NEW(&arena, lm_condensed);
    if (!s) return NULL;
    *s = (lm_condensed){.arena = arena, .sys = *in, .in = in};
    s->sys.form = &s->form;
    s->sys.groups = (lm_groups){0};
    s->form = (lm_form){.name = in->form->name,
                        .residual = residual,
                        .jacobian = jacobian,
                        .linear_about = in->form->linear_about ? linear_about : NULL,
                        .retract = retract,
                        .constraint_accel = constraint_accel,
                        .select_rows = select_rows,
                        .poses = poses,
                        .describe = describe,
                        .describe_motion = describe_motion,
                        .rigid_momentum = rigid_momentum};
    return s;
}

/* States that act and do not follow the motion. One of a mechanical storage moves by itself: the momentum of a rotor
 * behind a soft gear, the twist of that gear. A damper towards a rotor that is held would be one to the ground. */
static void count_held(lm_condensed *s, lm_system *machine, const lm_rest *rest)
{
    s->by_itself = -1;
    for (int k = rest->n - 1; k >= 0; k--) {
        const lm_spec_variable *x = &machine->model->spec->variables.at[k];
        if (!lm_rest_holds(rest, k) || !lm_machine_acts(machine, k)) continue;
        s->held++, s->first_held = k;
        if (x->moves || x->momentum > 1) s->by_itself = k;
    }
}

limber_status lm_condensed_create(lm_system *machine, const lm_state *st, lm_condensed **out)
{
    lm_rest *rest = lm_rest_create(machine, st->v, 1);
    lm_condensed *s = rest ? make(rest->in) : NULL;
    limber_status bad = s && !reserve(s, rest) ? LIMBER_OK : LIMBER_MEMORY;
    if (!bad) count_held(s, machine, rest);
    if (!bad && s->by_itself < 0) bad = condense(s, machine, rest, st);
    if (!bad) {
        memcpy(s->rest, st->a, sizeof(double) * (size_t)s->in->nv);
        if (!lm_machine_freeze(machine, st)) bad = LIMBER_STOPPED;
        s->in->hold_ports =
            s->by_itself >= 0; /* else efforts that read the motion themselves take part */
    }
    lm_rest_destroy(rest);
    if (bad) lm_condensed_destroy(s);
    *out = bad ? NULL : s;
    return bad;
}

void lm_condensed_destroy(lm_condensed *s)
{
    if (!s) return;
    lm_arena arena = s->arena;
    lm_arena_free(&arena);
}
