/* How errors are measured in the method `bdf`, and how IDA is started: from the state block alone, at
 * first, after kinks, at checkpoints, and where the local coordinates have gone too far. */
#include "form/machine.h"
#include "solve/bdf.h"

#include <math.h>
#include <string.h>

/* Rotations from q_ref, in radians: how far they may grow, and where they start when a body turns. */
#define MOST_ROTATION 2.2
#define LEAD          1.8

/* Echo in a mechanism whose levers are about as long as itself. */
#define LEVER 6

/* Share of the tolerance that the estimated errors of a run may use up. */
#define SHARE 0.7
/* Share of the tolerance that a speed at a start may be without being looked at. */
#define LEAST_SPEED 0.1
/* Of the run, that a brief step counts as at least. */
#define LEAST_SHARE 1e-4

static double span(const lm_integrator *s) { return s->opt.until - s->opt.t0; }

double bdf_least_step(const lm_integrator *s)
{
    return 1e-13 * fmax(1e-2 * span(s), fabs(s->clock->t));
}

/* ---- errors ---- */

/* The unit of length: the mechanism's size, or less where the echo says that levers are shorter. An
 * error of the translations then is one of the rotations that they force, which IDA does not see:
 * it estimates each coordinate by itself. */
static double unit_of_length(const bdf *b)
{
    return b->base.clock->size * fmin(1, LEVER / b->past->calm);
}

/* What rounding errors make of a step: they grow with the distance from the origin, come back with
 * their echo, near a singular position once more in the velocities; and order 5 takes differences of
 * them. */
static double noise(const bdf *b, double echo)
{
    double far = fmax(1, b->reach / b->base.clock->size);
    return 3e-14 * far * echo * (1 + 0.03 * echo / b->past->calm);
}

/* The error allowed in a step is a share of tolerance h/T, so that the errors of a whole run add up
 * to the tolerance. h is the step of late: a new start is not asked for more than other steps, but what holds
 * only a short time is. */
static double share(const bdf *b)
{
    double brief = fmax(b->base.opt.largest_step / span(&b->base), LEAST_SHARE);
    return SHARE * b->base.opt.tolerance * fmin(b->past->slow / span(&b->base), brief);
}

static double allowance(const bdf *b) { return fmax(share(b), noise(b, b->echo)); }

/* What of that holds for positions. Behind a start a force may act on a way so short that this is much of it:
 * the work done there, and with it the velocity, is as wrong as the way. So the error is a share of that way, of what
 * has been made of it or what the motion takes to turn. */
static double allowed_of_place(const bdf *b)
{
    const lm_integrator *s = &b->base;
    if (!(s->clock->t < b->past->turned_at)) return b->allowed;
    double near = fmin(1, b->reach / s->clock->size),
           floor = s->sys->nl > 0 ? near * noise(b, b->echo) : 0;
    return fmin(b->allowed, fmax(floor, b->allowed * (b->past->turn + b->past->way)));
}

void bdf_note_noise(bdf *b)
{
    double most = fmax(share(b), 10 * noise(b, b->past->calm));
    b->clean = fmax(b->allowed, noise(b, b->echo)) < 2 * most ? b->clean + 1 : 0;
}

int bdf_weights(N_Vector y, N_Vector w, void *data)
{
    bdf *b = data;
    const lm_integrator *s = &b->base;
    const lm_system *sys = s->sys;
    double *u = NV_DATA_S(w);
    (void)y;
    b->unit = unit_of_length(b);
    b->allowed = allowance(b);
    double less = b->allowed / allowed_of_place(b);
    for (int i = 0; i < sys->nv; i++) {
        u[i] = 1 / (b->allowed * (sys->angular[i] ? 1 : b->unit));
        u[sys->nv + i] = u[i] / s->clock->speed;
        u[i] *= less;
    }
    for (int k = 0; k < sys->nvariables; k++) { /* of these, the values of states */
        int i = sys->nv - sys->nvariables + k;
        u[i] = u[sys->nv + i] = 0;
        if (sys->model->spec->variables.at[k].kind == LM_VARIABLE_STATE)
            u[sys->nv + i] = 1 / (b->allowed * lm_variable_scale(sys, k));
    }
    for (int k = 0; k < sys->nl; k++) u[2 * sys->nv + k] = 0;
    return 0;
}

/* Make sure that the unit of speed is known: from the speed now, or from what the accelerations
 * will make of it. */
static void start_speed(lm_integrator *g)
{
    lm_clock *c = g->clock;
    if (c->speed > 0) return;
    double v = lm_speed_norm(g->sys, c->size, g->v), a = lm_speed_norm(g->sys, c->size, g->a);
    c->speed = fmax(fmax(v, sqrt(a)), 1 / span(g));
}

/* ---- starting ---- */

/* How far the local coordinates may go: where rotations are still well described, and translations
 * are not so large that they round off. */
int bdf_is_far(const bdf *b)
{
    const double *xi = NV_DATA_S(b->y);
    for (int k = 0; k < b->nturns; k++) {
        const double *r = xi + b->turn[k];
        double angle2 = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
        if (angle2 > MOST_ROTATION * MOST_ROTATION) return 1;
    }
    return 1e-14 * lm_speed_norm(b->base.sys, b->unit, xi) > b->allowed;
}

/* Place q_ref: what turns on and on has LEAD radians to go to it, and as many beyond. */
static int place_reference(bdf *b)
{
    lm_integrator *s = &b->base;
    lm_system *sys = s->sys;
    double *xi = NV_DATA_S(b->y), left = s->opt.until - s->clock->t;
    memset(xi, 0, sizeof(double) * (size_t)sys->nv);
    for (int k = 0; k < b->nturns; k++) {
        double *r = xi + b->turn[k];
        const double *w = s->v + b->turn[k];
        double rate = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
        for (int i = 0; i < 3 && rate * left > 1; i++) r[i] = LEAD * w[i] / rate;
    }
    if (sys->form->retract(sys, s->q, xi, b->q_ref)) return 1;
    for (int i = 0; i < sys->nv; i++) xi[i] = 0 - xi[i];
    return 0;
}

/* The jerk, from the accelerations a moment h later. 0; 1: not known; < 0: memory. */
static int start_jerk(bdf *b, double h, const double *a, double *jerk)
{
    lm_integrator *s = &b->base;
    lm_system *sys = s->sys;
    int nv = sys->nv;
    double *v = NV_DATA_S(b->dky), *lam = v + nv;
    for (int i = 0; i < nv; i++) jerk[i] = h * s->v[i] + 0.5 * h * h * a[i];
    if (sys->form->retract(sys, s->q, jerk, b->q)) return 1;
    for (int i = 0; i < nv; i++) v[i] = s->v[i] + h * a[i];
    int bad = lm_consistent_acceleration(s, s->clock->t + h, b->q, v, jerk, lam);
    for (int i = 0; i < nv; i++) jerk[i] = (jerk[i] - a[i]) / h;
    return bad;
}

/* From a node to a point in which something takes hold of it. */
static double longest_lever(const lm_model *m)
{
    double most = 0;
    for (int i = 0; i < m->npairs; i++)
        for (int k = 0; k < 2; k++)
            if (m->pairs[i].node[k] >= 0) most = fmax(most, v3_norm(m->pairs[i].r[k]));
    return most;
}

/* Consistent accelerations and multipliers, and the measures that go with the place. IDA has the
 * derivatives of its polynomial, which are not good enough for the small steps of a start. */
static int measure(bdf *b)
{
    lm_integrator *s = &b->base;
    double *a = NV_DATA_S(b->yp) + s->sys->nv, *lam = NV_DATA_S(b->y) + 2 * s->sys->nv;
    int bad = lm_consistent_acceleration(s, s->clock->t, s->q, s->v, a, lam);
    if (bad) return bad;
    b->echo = bdf_echo(b);
    b->reach = fmax(lm_integrator_reach(&b->base), longest_lever(s->sys->model));
    if (b->past->calm == 0) b->past->calm = b->echo;
    b->unit = unit_of_length(b);
    b->allowed = allowance(b);
    return 0;
}

/* Positions and velocities may be off the constraints by more than a step may err: behind a kink they
 * are those before it. Then they are brought back; 0: they were good, 1: they were not; < 0: memory. */
static int adjust(bdf *b)
{
    lm_integrator *s = &b->base;
    lm_system *sys = s->sys;
    double t = s->clock->t, off = 0, moved, gap, change;
    double *r = NV_DATA_S(b->res), *rate = r + sys->nv;
    lm_state st = {t, s->q, s->v, s->a, s->lam};
    if (sys->form->residual(sys, &st, r, b->gap, rate)) return 0;
    for (int k = 0; k < sys->nl; k++) {
        double unit = sys->angular[sys->nv + k] ? 1 : b->unit;
        if (!sys->active[k]) continue;
        off = fmax(off, fmax(fabs(b->gap[k]), fabs(rate[k]) / s->clock->speed) / unit);
    }
    if (off < 0.03 * b->allowed) return 0;
    memcpy(b->q, s->q, sizeof(double) * (size_t)sys->nq);
    memcpy(r, s->v, sizeof(double) * (size_t)sys->nv);
    int bad = lm_project_position(s, t, b->q, &moved, &gap);
    if (!bad) bad = lm_project_velocity(s, t, b->q, r, &change);
    if (bad < 0) return bad;
    if (bad || fmax(moved, change / s->clock->speed) > s->opt.tolerance) return 0;
    memcpy(s->q, b->q, sizeof(double) * (size_t)sys->nq);
    memcpy(s->v, r, sizeof(double) * (size_t)sys->nv);
    return 1;
}

/* Behind a kink or an event, not where IDA starts again for its own sake. A speed that the tolerance does not
 * see is none. */
static void note_turn(bdf *b)
{
    const lm_integrator *s = &b->base;
    double least = LEAST_SPEED * s->opt.tolerance * s->clock->speed;
    double v = lm_speed_norm(s->sys, b->unit, s->v);
    double a = lm_speed_norm(s->sys, b->unit, NV_DATA_S(b->yp) + s->sys->nv);
    int brief = v > least && v * v < a && s->sys->nvariables == 0;
    if (s->clock->h > 0) return;
    b->past->way = 0;
    b->past->turn = brief ? fmax(v * v / a, 1e-20) : 1;
    b->past->turned_at = brief ? s->clock->t + 2 * v / a : s->clock->t;
}

/* Of the longest step, which the impulse of a brief force allows to higher orders. */
#define BRIEF 0.03

/* The first step: a tenth of the one whose error with order 1, h^2/2 y'', is half of what is allowed,
 * so that the errors of order 1 do not disturb the higher ones that follow at once. */
static int first_step(bdf *b, double limit)
{
    lm_integrator *s = &b->base;
    const lm_system *sys = s->sys;
    const double *a = NV_DATA_S(b->yp) + sys->nv;
    double *jerk = NV_DATA_S(b->res), speed = s->clock->speed;
    double room = fmin(limit - s->clock->t, s->opt.largest_step);
    double moment = fmin(1e-4 / speed, 1e-3 * room), left = b->past->turned_at - s->clock->t;
    int bad = start_jerk(b, left > 0 ? fmin(moment, 1e-4 * left) : moment, a, jerk);
    if (bad < 0) return bad;
    double less = b->allowed / allowed_of_place(b), x = less * lm_speed_norm(sys, b->unit, a);
    double most = fmax(x, lm_speed_norm(sys, b->unit, jerk) / speed);
    b->h_first = bad ? s->opt.first_step : 0.1 * sqrt(b->allowed / fmax(most, 1e-100));
    b->h_first = fmin(b->h_first, BRIEF * s->opt.largest_step);
    if (sys->nvariables) b->h_first = fmin(b->h_first, 0.03 * sqrt(s->opt.tolerance) * room);
    b->h_first = fmax(b->h_first, 2 * bdf_least_step(s));
    return 0;
}

/* Start IDA from the state block alone; with a first step smaller than usual by `less`. */
int bdf_start(bdf *b, double limit, double less)
{
    lm_integrator *s = &b->base;
    lm_system *sys = s->sys;
    int nv = sys->nv;
    double *y = NV_DATA_S(b->y), *yp = NV_DATA_S(b->yp);
    if (s->clock->fresh > 1) lm_linear_new_pivots(s->lin);
    s->clock->fresh = 0;
    b->factor_cj = 0;
    start_speed(s);
    if (b->past->slow == 0) b->past->slow = 1e-3 * span(s);
    int bad = measure(b);
    int moved = bad ? 0 : adjust(b);
    if (moved) bad = moved < 0 ? moved : measure(b);
    if (!bad) note_turn(b);
    if (!bad) bad = first_step(b, limit);
    if (!bad) bad = place_reference(b);
    if (bad) return bad;
    memcpy(y + nv, s->v, sizeof(double) * (size_t)nv);
    sys->form->local_rate(sys, y, s->v, yp);
    memset(yp + 2 * nv, 0, sizeof(double) * (size_t)sys->nl);
    b->h_first = fmax(b->h_first * less, bdf_least_step(s));
    b->started = 1;
    b->steps = b->errors = 0;
    b->low = b->wary = b->hopped = b->clean = 0;
    return IDAReInit(b->ida, s->clock->t, b->y, b->yp) || IDASetInitStep(b->ida, b->h_first) ||
           IDASetMinStep(b->ida, bdf_least_step(s)) || IDASetMaxStep(b->ida, 0);
}
