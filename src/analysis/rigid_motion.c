/* Steps of the companion's run are kept in a table, and between them its state is interpolated: positions by
 * polynomials of fifth degree through q, v and a at both ends, reactions through four steps. A step that is
 * asked for again gives the same numbers again, whatever was asked in between. */
#include "analysis/rigid_motion.h"

#include "analysis/effects.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Error of displacements by what is linear in the largest rotation against the rigid motion, over that rotation,
 * in an equilibrium (0.3 to 0.4) and in motion (0.3 and more, docs/ranges.md); the error of which the user is told. */
#define AT_REST   0.35
#define IN_MOTION 0.5
#define TOLD      0.03

/* A step turns no body by more than TURN: 63 in a turn, with errors of 1e-9 in positions. */
#define TOLERANCE 1e-8
#define TURN      0.1
/* Where drives alone determine the motion, steps are as long as the polynomial of the last one, continued
 * over the next, foresees it with this error: between equal steps it has 1/512 of that. */
#define FORESEEN 1e-7
enum { MOST = 4096, LEAST = 64, STENCIL = 4 };
static const double ROOM = 8e6; /* doubles of the table */

typedef struct known {
    lm_motion base;
    lm_system *sys;   /* the companion */
    lm_system *whose; /* the system it is one of */
    lm_integrator *g;
    lm_integrator *held; /* not stepped: reactions at rest */
    double *q0, *v0;     /* where it starts at t = 0 */
    int n, most;         /* steps in the table */
    size_t size;         /* doubles of each: t, piece, q, v, a, lam */
    double *table;
    double *q, *v, *a, *lam; /* what was asked last */
    double piece;            /* counts starts: nothing is smooth across one */
    int failed;
    int redundant;   /* constraints that the others imply */
    int sign;        /* of the constraints' determinant; 0: unknown */
    double *rank;    /* scratch for that */
    double stride;   /* the next step of a motion that drives determine; 0: not known yet */
    double singular; /* the time at which it was last seen to change; NAN: never */
    lm_arena arena;
} known;

/* ---- the table ---- */

static double *step_at(const known *k, int i) { return k->table + k->size * (size_t)i; }
static double time_of(const known *k, int i) { return step_at(k, i)[0]; }
static double piece_of(const known *k, int i) { return step_at(k, i)[1]; }

static void put_step(known *k)
{
    const lm_integrator *g = k->g;
    if (k->n == k->most) {
        int keep = k->most / 2;
        memmove(k->table, step_at(k, k->n - keep), sizeof(double) * k->size * (size_t)keep);
        k->n = keep;
    }
    double *to = step_at(k, k->n++);
    to[0] = g->clock->t, to[1] = k->piece;
    to += 2;
    lm_copy(to, g->q, k->sys->nq), to += k->sys->nq;
    lm_copy(to, g->v, k->sys->nv), to += k->sys->nv;
    lm_copy(to, g->a, k->sys->nv), to += k->sys->nv;
    lm_copy(to, g->lam, k->sys->nl);
}

/* ---- running ---- */

static void node_between(const known *k, const double *s0, const double *s1, int node, double h,
                         double x);

static void between(known *k, int i, double t);

static int blame(known *k)
{
    lm_system *w = k->whose;
    snprintf(w->trouble, sizeof w->trouble, "the rigid motion cannot be followed: %.370s",
             k->g->failure);
    w->trouble_at = k->g->clock->t;
    w->in_trouble = k->failed = 1;
    return 1;
}

static int start(known *k, double t, int keep_step)
{
    int bad = lm_integrator_start(k->g, t, keep_step);
    if (bad < 0) return bad;
    if (bad) return blame(k);
    if (!keep_step) lm_forget_scales(k->g);
    lm_scale_variables(k->g, k->g->opt.first_step, 1);
    k->piece += 1;
    k->stride = 0;
    put_step(k);
    return 0;
}

static int rewind_to_start(known *k)
{
    k->n = 0;
    k->piece = 0;
    k->failed = k->sign = 0;
    lm_copy(k->g->q, k->q0, k->sys->nq);
    lm_copy(k->g->v, k->v0, k->sys->nv);
    k->redundant = k->sys->form->select_rows(k->sys, 0, k->q0, 0);
    return k->redundant < 0 ? -1 : start(k, 0, 0);
}

static double fastest_turn(const known *k)
{
    double most = 0;
    for (int i = 3; i < k->sys->nv - k->sys->nvariables; i += 6) {
        const double *w = k->g->v + i;
        most = fmax(most, w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    }
    return sqrt(most);
}

/* Joints that were redundant in a singular position only: the motion could go on in several ways. */
static int lost_rank(known *k)
{
    lm_integrator *g = k->g;
    char name[160];
    int row = 0;
    double t = g->clock->t;
    double off = k->redundant ? k->sys->form->hidden_violation(k->sys, t, g->q, &row) : 0;
    if (off < 1e-7) return 0;
    k->sys->form->describe(k->sys, k->sys->nv + row, name, sizeof name);
    snprintf(g->failure, sizeof g->failure,
             "at t = %.6g the joints lose rank (%s): in this position of the mechanism they do not "
             "determine how it goes on",
             t, name);
    return 1;
}

/* The determinant has changed its sign within the last step: where, by halves. */
static double lost_within_step(known *k)
{
    double low = time_of(k, k->n - 2), high = time_of(k, k->n - 1);
    for (int i = 0; i < 20; i++) {
        double middle = 0.5 * (low + high);
        between(k, k->n - 2, middle);
        if (lm_rank_sign(k->sys, middle, k->q, k->rank) * k->sign < 0)
            high = middle;
        else
            low = middle;
    }
    return high;
}

static void watch_rank(known *k)
{
    const lm_integrator *g = k->g;
    int sign = k->sys->mobility ? 0 : lm_rank_sign(k->sys, g->clock->t, g->q, k->rank);
    if (sign * k->sign < 0) k->singular = lost_within_step(k);
    if (sign) k->sign = sign;
}

/* ---- a mechanism that its drives determine ---- */

/* The state of the last step in the table. */
static void step_back(known *k)
{
    const double *s = step_at(k, k->n - 1) + 2;
    lm_copy(k->g->q, s, k->sys->nq), s += k->sys->nq;
    lm_copy(k->g->v, s, k->sys->nv), s += k->sys->nv;
    lm_copy(k->g->a, s, k->sys->nv);
}

/* Positions and velocities after h, by the polynomial of the last step or by accelerations; into g. */
static int foresee(known *k, double h)
{
    lm_integrator *g = k->g;
    int nv = k->sys->nv, n = k->n;
    int smooth = n > 1 && piece_of(k, n - 2) == piece_of(k, n - 1);
    if (!smooth) {
        for (int i = 0; i < nv; i++) g->dx[i] = h * (g->v[i] + 0.5 * h * g->a[i]);
        for (int i = 0; i < nv; i++) g->v[i] += h * g->a[i];
        return k->sys->form->retract(k->sys, g->q, g->dx, g->q);
    }
    double last = time_of(k, n - 1) - time_of(k, n - 2);
    lm_copy(k->q, g->q, k->sys->nq);
    for (int node = 0; node < k->sys->model->nnodes; node++)
        node_between(k, step_at(k, n - 2), step_at(k, n - 1), node, last, 1 + h / last);
    k->sys->form->difference(k->sys, g->q, k->q, g->dx);
    lm_copy(g->v, k->v, nv);
    return k->sys->form->retract(k->sys, g->q, g->dx, g->q);
}

/* One step of the size h: onto the constraints. 0; 1: not with this size; < 0. */
static int place_after(known *k, double h, double *missed)
{
    lm_integrator *g = k->g;
    double t = time_of(k, k->n - 1) + h, gap;
    step_back(k);
    if (foresee(k, h)) return 1;
    int bad = lm_project_position(g, t, g->q, missed, &gap);
    if (bad) return bad < 0 ? bad : 1;
    if (*missed > 100 * FORESEEN) return 1;
    bad = lm_integrator_start(g, t, 1);
    return bad < 0 ? bad : bad != 0;
}

/* Nothing is integrated where drives alone say where the bodies are: no error adds up, however long it
 * lasts. 0; 1: it fails near a singular position or where a drive jumps; < 0. */
static int follow_drives(known *k, double limit)
{
    double room = limit - k->g->clock->t, missed = 0;
    double want = k->stride > 0 ? k->stride : fmin(k->g->opt.first_step, 0.01 * room);
    for (int tries = 0; tries < 12; tries++) {
        double h = lm_step_within(want, room);
        int bad = place_after(k, h, &missed);
        if (bad < 0) return bad;
        double grow = pow(FORESEEN / fmax(missed, 1e-3 * FORESEEN), 1.0 / 6);
        k->stride = want = bad ? 0.3 * h : h * fmin(2, 0.9 * grow);
        if (!bad) return 0;
    }
    k->stride = 0;
    step_back(k);
    return lm_integrator_start(k->g, time_of(k, k->n - 1), 1) < 0 ? -1 : 1;
}

static int step(known *k, double limit)
{
    const lm_system *sys = k->sys;
    if (sys->mobility == 0 && sys->nvariables == 0 && sys->nl > 0) {
        int bad = follow_drives(k, limit);
        if (bad <= 0) return bad;
    }
    return k->g->ops->step(k->g, limit);
}

static int advance(known *k)
{
    lm_integrator *g = k->g;
    double t = g->clock->t, same = 1e-12 * g->opt.until;
    double kink = lm_system_next_kink(k->sys, t + same);
    double limit = t + TURN / fmax(fastest_turn(k), 1e-3 / g->opt.until);
    limit = fmin(fmin(limit, lm_system_reach(k->sys, t + same)), kink - 0.01 * same);
    int bad = step(k, limit);
    if (bad < 0) return bad;
    if (bad || lost_rank(k)) return blame(k);
    lm_scale_variables(g, 0, 0);
    put_step(k);
    watch_rank(k);
    if (g->clock->t < kink - 0.02 * same) return 0;
    int bad_start = start(k, kink + 0.01 * same, 1);
    g->clock->h_next = fmin(g->clock->h_next, g->opt.first_step);
    return bad_start;
}

/* Steps of the last piece in the table, STENCIL at most. */
static int last_piece(const known *k)
{
    int n = 1;
    while (n < STENCIL && n < k->n && piece_of(k, k->n - 1 - n) == k->piece) n++;
    return n;
}

/* Steps up to t, and as many behind a start as interpolation takes. */
static int cover(known *k, double t)
{
    int bad = k->n == 0 || t < time_of(k, 0) ? rewind_to_start(k) : 0;
    while (!bad && !k->failed && (time_of(k, k->n - 1) < t || last_piece(k) < STENCIL))
        bad = advance(k);
    if (bad < 0 || k->n == 0) return bad ? bad : 1;
    if (time_of(k, k->n - 1) >= t) return 0; /* up to where it was lost it is known */
    k->whose->in_trouble = 1;
    return 1;
}

/* ---- between the steps ---- */

static void node_between(const known *k, const double *s0, const double *s1, int node, double h,
                         double x)
{
    size_t at = 2 + (size_t)k->sys->nq + 6 * (size_t)node, nv = (size_t)k->sys->nv;
    lm_known_pose end[2] = {{s0 + 2 + 7 * node, s0 + at, s0 + at + nv},
                            {s1 + 2 + 7 * node, s1 + at, s1 + at + nv}};
    lm_pose_between(end, h, x, k->q + 7 * node, k->v + 6 * node, k->a + 6 * node);
}

/* Lagrange through the steps first .. first + n - 1, of the reactions and the joint angles. */
static void through_steps(const known *k, int first, int n, double t)
{
    int nodes = k->sys->model->nnodes, nq = k->sys->nq;
    size_t lam = 2 + (size_t)nq + 2 * (size_t)k->sys->nv;
    memset(k->lam, 0, sizeof(double) * (size_t)k->sys->nl);
    for (int i = 7 * nodes; i < nq; i++) k->q[i] = 0;
    for (int i = first; i < first + n; i++) {
        double w = 1;
        for (int j = first; j < first + n; j++)
            if (j != i) w *= (t - time_of(k, j)) / (time_of(k, i) - time_of(k, j));
        for (int l = 0; l < k->sys->nl; l++) k->lam[l] += w * step_at(k, i)[lam + (size_t)l];
        for (int c = 7 * nodes; c < nq; c++) k->q[c] += w * step_at(k, i)[2 + c];
    }
}

static void between(known *k, int i, double t)
{
    double h = time_of(k, i + 1) - time_of(k, i), x = (t - time_of(k, i)) / h;
    int first = i, n = 2;
    for (int node = 0; node < k->sys->model->nnodes; node++)
        node_between(k, step_at(k, i), step_at(k, i + 1), node, h, x);
    while (first > 0 && i - first < STENCIL - 2 && piece_of(k, first - 1) == piece_of(k, i))
        first--;
    while (n < STENCIL && first + n < k->n && piece_of(k, first + n) == piece_of(k, i)) n++;
    through_steps(k, first, n, t);
}

static void exactly(known *k, int i)
{
    const double *s = step_at(k, i) + 2;
    lm_copy(k->q, s, k->sys->nq), s += k->sys->nq;
    lm_copy(k->v, s, k->sys->nv), s += k->sys->nv;
    lm_copy(k->a, s, k->sys->nv), s += k->sys->nv;
    lm_copy(k->lam, s, k->sys->nl);
}

/* The last step that is not behind t. */
static int locate(const known *k, double t)
{
    int low = 0, high = k->n - 1;
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (time_of(k, middle) <= t)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static int state_at(lm_motion *m, double t, lm_state *s)
{
    known *k = (known *)m;
    t = fmax(t, 0);
    int bad = cover(k, t);
    if (bad) return bad;
    int i = locate(k, t);
    if (i == k->n - 1 || time_of(k, i) == t || piece_of(k, i) != piece_of(k, i + 1))
        exactly(k, i);
    else
        between(k, i, t);
    *s = (lm_state){t, k->q, k->v, k->a, k->lam};
    return 0;
}

/* Reactions that hold it there with a part of the loads: those of the moving mechanism are others. */
static int rest_at(lm_motion *m, double t, double load_factor, lm_state *s)
{
    known *k = (known *)m;
    lm_integrator *g = k->held;
    lm_system *sys = k->sys;
    int bad = state_at(m, t, s), moving = sys->nv - sys->nvariables;
    if (bad) return bad;
    lm_copy(g->q, s->q, sys->nq);
    lm_copy(g->v, s->v, sys->nv);
    memset(g->v, 0, sizeof(double) * (size_t)moving);
    sys->still = 1;
    sys->load_factor = load_factor;
    bad = lm_consistent_acceleration(g, t, g->q, g->v, g->a, g->lam);
    sys->still = 0;
    sys->load_factor = 1;
    if (bad) return bad;
    memset(g->a, 0, sizeof(double) * (size_t)sys->nv);
    *s = (lm_state){t, g->q, g->v, g->a, g->lam};
    return 0;
}

/* ---- making ---- */

static void destroy(lm_motion *m)
{
    known *k = (known *)m;
    if (k->g) k->g->ops->destroy(k->g);
    if (k->held) k->held->ops->destroy(k->held);
    lm_free(k->table);
    lm_arena arena = k->arena;
    lm_arena_free(&arena);
}

/* The time over which errors add up. */
static double span(const lm_run *run)
{
    const lm_spec *spec = run->model->spec;
    double most = run->opt->until;
    for (int i = 0; i < spec->analyses.n; i++) most = fmax(most, spec->analyses.at[i].until);
    return most > 0 ? most : 1;
}

static int reserve(known *k, double until)
{
    const lm_system *s = k->sys;
    lm_arena *a = &k->arena;
    lm_integrator_options opt = {.until = until,
                                 .tolerance = TOLERANCE,
                                 .first_step = 1e-4 * until,
                                 .largest_step = until,
                                 .rho_inf = 0.8,
                                 .method = LM_METHOD_RADAU};
    k->size = 2 + (size_t)s->nq + 2 * (size_t)s->nv + (size_t)s->nl;
    k->most = (int)fmax(LEAST, fmin(MOST, ROOM / (double)k->size));
    k->g = lm_radau_create(k->sys, &opt);
    k->table = lm_alloc(sizeof(double) * k->size * (size_t)k->most);
    k->q0 = LM_NEW_N(a, double, s->nq + 1);
    k->v0 = LM_NEW_N(a, double, s->nv + 1);
    k->q = LM_NEW_N(a, double, s->nq + 1);
    k->v = LM_NEW_N(a, double, s->nv + 1);
    k->a = LM_NEW_N(a, double, s->nv + 1);
    k->lam = LM_NEW_N(a, double, s->nl + 1);
    k->rank = LM_NEW_N(a, double, lm_rank_size(s) + 1);
    k->singular = NAN;
    k->held = lm_integrator_at_rest(k->sys);
    if (k->held) k->held->clock->size = s->model->size > 0 ? s->model->size : 1;
    if (!k->held || !k->g || !k->table || !k->rank || !k->q0 || !k->v0 || !k->q || !k->v || !k->a ||
        !k->lam)
        return -1;
    k->g->clock->size = s->model->size > 0 ? s->model->size : 1;
    return 0;
}

static known *make(lm_system *whose, double until)
{
    lm_arena arena = {0};
    known *k = LM_NEW(&arena, known);
    if (!k) return NULL;
    *k = (known){.base = {.at = state_at, .rest = rest_at, .destroy = destroy, .version = 1},
                 .sys = whose->companion,
                 .whose = whose};
    k->arena = arena;
    if (reserve(k, until) == 0) return k;
    destroy(&k->base);
    return NULL;
}

/* ---- for the analyses ---- */

/* A run of the companion, as far as its state. */
static lm_run companion_run(const lm_run *run, known *k)
{
    lm_run r = *run;
    r.sys = k->sys;
    r.model = k->sys->model;
    r.file = NULL;
    r.range = NULL; /* of bodies that can deform */
    r.turns = NULL;
    r.companion = 1;
    r.neutral = 0;
    r.resuming = 0;
    r.q = k->q0, r.v = k->v0;
    return r;
}

static void changed(known *k)
{
    k->n = 0;
    k->failed = 0;
    k->base.version++;
}

/* What is wrong with the motion from the start is wrong with the model. */
static limber_status first_steps(lm_run *run, known *k)
{
    lm_state s;
    int bad = state_at(&k->base, 0, &s);
    if (bad < 0) return LIMBER_MEMORY;
    if (!bad && !k->failed) return LIMBER_OK;
    if (k->g->unsolved) return lm_stop(run, LIMBER_STOPPED, "%s", k->g->failure);
    lm_error(run->diag, ((lm_loc){run->model->spec->file, 0, 0}),
             "the rigid motion of the mechanism is not determined: %s", k->g->failure);
    return LIMBER_INPUT;
}

limber_status lm_rigid_motion_start(lm_run *run)
{
    lm_system *sys = run->sys;
    if (!sys->companion) return LIMBER_OK;
    known *k = sys->motion ? (known *)sys->motion : make(sys, span(run));
    if (!k) return LIMBER_MEMORY;
    sys->motion = &k->base;
    lm_run rigid = companion_run(run, k);
    int errors = run->diag->errors;
    limber_status st = lm_initial_state(&rigid);
    changed(k);
    if (run->diag->errors > errors && sys->flexible)
        lm_diag_add(run->diag, LM_NOTE, ((lm_loc){run->model->spec->file, 0, 0}),
                    "'elastodynamic' needs the motion of the mechanism with all its bodies rigid; "
                    "if it moves only because they bend, use 'corotational'");
    return st ? st : first_steps(run, k);
}

limber_status lm_rigid_motion_again(lm_run *run, double t)
{
    known *k = (known *)run->sys->motion;
    lm_state s;
    if (!k || t <= 0) return LIMBER_OK;
    int bad = state_at(&k->base, t, &s);
    if (bad) return bad < 0 ? LIMBER_MEMORY : LIMBER_STOPPED;
    lm_copy(k->q0, s.q, k->sys->nq);
    lm_copy(k->v0, s.v, k->sys->nv);
    changed(k);
    return LIMBER_OK;
}

size_t lm_rigid_motion_size(const lm_run *run)
{
    const lm_system *c = run->sys->motion ? run->sys->companion : NULL;
    return c ? (size_t)c->nq + (size_t)c->nv : 0;
}

void lm_rigid_motion_keep(const lm_run *run, double *to)
{
    const known *k = (const known *)run->sys->motion;
    if (!k) return;
    lm_copy(to, k->q0, k->sys->nq);
    lm_copy(to + k->sys->nq, k->v0, k->sys->nv);
}

void lm_rigid_motion_put_back(lm_run *run, const double *from)
{
    known *k = (known *)run->sys->motion;
    if (!k) return;
    lm_copy(k->q0, from, k->sys->nq);
    lm_copy(k->v0, from + k->sys->nq, k->sys->nv);
    changed(k);
}

limber_status lm_rigid_motion_balance(lm_run *run, const lm_spec_analysis *a)
{
    known *k = (known *)run->sys->motion;
    run->neutral = 0;
    if (!k || k->sys->mobility == 0) return LIMBER_OK;
    lm_run rigid = companion_run(run, k);
    limber_status st = lm_run_unrecorded(&rigid, a);
    if (st) return st;
    run->neutral = rigid.neutral;
    memset(k->v0, 0, sizeof(double) * (size_t)k->sys->nv);
    changed(k);
    return run->sys->form->initial(run->sys, run->q, run->v) ? LIMBER_STOPPED : LIMBER_OK;
}

void lm_rigid_motion_look(lm_run *run, const double *dx)
{
    lm_motion *m = run->sys->motion;
    for (int i = 0; i < run->sys->nfree && m; i++)
        m->largest = fmax(m->largest, v3_norm(v3_from(dx + run->sys->free[i] + 3)));
}

void lm_rigid_motion_warn(lm_run *run, int moves, int linear, lm_loc loc)
{
    known *k = (known *)run->sys->motion;
    if (!k) return;
    if (run->sys->left_out) k->base.largest = fmax(k->base.largest, run->sys->left_out->turn);
    double off = (moves ? IN_MOTION : AT_REST) * k->base.largest;
    lm_effect_part(run, "what bending does to the motion (linear about it)", "", off);
    if (off > TOLD)
        lm_warning(run->diag, loc,
                   "elastic bodies turn by up to %.3g rad against the rigid motion, and this "
                   "formulation is linear in that, which puts displacements off by about %.2g %%: "
                   "use 'corotational'",
                   k->base.largest, 100 * off);
    if (!isnan(k->singular))
        lm_warning(
            run->diag, loc,
            "the rigid motion passes a position near t = %.4g in which the joints lose rank: "
            "it goes straight on, but there the elastic mechanism may do otherwise; compare "
            "with 'corotational'",
            k->singular);
    lm_left_out_warn(run, linear, loc);
    k->base.largest = 0;
    k->singular = NAN;
}
