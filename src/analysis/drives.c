/* Drives whose value or rate jumps. No motion follows a value that jumps: that is refused before the run. A rate
 * that jumps is an impulse (docs/theory/drives.md): steps end there, and it is said. */
#include "analysis/dynamics.h"
#include "expr/expr_jump.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct lm_drives {
    int ncorner, room;
    double *corner; /* [ncorner] ascending: those that expressions do not announce */
    double
        unbounded; /* the last instant at which an acceleration came down from infinity; -INFINITY: none */
    unsigned char *said; /* [constraints] SAID_ bits: what was warned of */
    double *scratch;     /* of expressions */
};

typedef struct search {
    lm_dynamics_run *d;
    const lm_row *row;
    int failed; /* of memory */
} search;

static const char *joint_of(const lm_dynamics_run *d, const lm_row *row)
{
    return d->g->sys->model->joints[row->joint].name;
}

static void refuse(const search *s, const lm_jump *j)
{
    lm_error(s->d->run->diag, s->row->drive->loc,
             "joint '%s': its drive jumps from %.6g to %.6g at t = %.6g: nothing moves so at once; "
             "let it go there in a finite time ('step', 'spline', 'pwl' with two different times), "
             "and on beyond a turn instead of back ('mod' is not needed for angles)",
             joint_of(s->d, s->row), j->before[0], j->after[0], j->t);
}

static int put_corner(lm_drives *x, double t)
{
    if (x->ncorner == x->room) {
        int room = x->room ? 2 * x->room : 64;
        double *more = lm_alloc(sizeof(double) * (size_t)room);
        if (!more) return -1;
        if (x->ncorner) memcpy(more, x->corner, sizeof(double) * (size_t)x->ncorner);
        lm_free(x->corner);
        x->corner = more;
        x->room = room;
    }
    int k = x->ncorner++;
    for (; k > 0 && x->corner[k - 1] > t; k--) x->corner[k] = x->corner[k - 1];
    x->corner[k] = t;
    return 0;
}

static int found(void *context, const lm_jump *j)
{
    search *s = context;
    if (j->value) refuse(s, j);
    if (j->value) return 1;
    if (!j->known) s->failed = put_corner(s->d->drives, j->t);
    return s->failed;
}

/* 1: the drive is in the equations; those that lead a joint twice have been refused. */
static int is_active(const lm_system *sys, const lm_row *row, int k)
{
    return row->drive && sys->active[k];
}

/* A companion has the same drives. NULL: they are known no more. */
static void share_corners(lm_system *sys, const lm_drives *x)
{
    for (lm_system *s = sys; s; s = s == sys ? sys->companion : NULL) {
        s->corner = x ? x->corner : NULL;
        s->ncorner = x ? x->ncorner : 0;
    }
}

limber_status lm_drives_open(lm_dynamics_run *d)
{
    const lm_system *sys = d->g->sys;
    int most = 0, bad = 0;
    for (int k = 0; k < sys->nl; k++) {
        const lm_expr *e = lm_system_row(sys, k)->drive;
        if (e && lm_expr_scratch(e, 2) >= most) most = lm_expr_scratch(e, 2) + 1;
    }
    if (!most) return LIMBER_OK;
    d->drives = lm_alloc(sizeof *d->drives);
    if (!d->drives) return LIMBER_MEMORY;
    d->drives->unbounded = -INFINITY;
    d->drives->said = lm_alloc((size_t)sys->nl + 1);
    d->drives->scratch = lm_alloc(sizeof(double) * (size_t)most);
    if (!d->drives->said || !d->drives->scratch) return LIMBER_MEMORY;
    for (int k = 0; k < sys->nl; k++) {
        search s = {.d = d, .row = lm_system_row(sys, k)};
        int stop = is_active(sys, s.row, k) ? lm_expr_jumps(s.row->drive, d->until, found, &s) : 0;
        if (stop < 0) return LIMBER_MEMORY;
        bad |= stop;
    }
    share_corners(d->g->sys, d->drives);
    return bad ? LIMBER_INPUT : LIMBER_OK;
}

unsigned char *lm_drives_said(const lm_dynamics_run *d)
{
    return d->drives ? d->drives->said : NULL;
}

/* ---- accelerations without bound ---- */

/* Over the run: where the acceleration is looked at behind an instant; the farthest that a run goes on behind it. */
static const double beside[3] = {1e-8, 1e-10, 1e-12};
#define FARTHEST 1e-6
/* Acceleration over that a hundred times as far behind: (t - t0)^1.95 has 1.26. */
#define GROWS 1.25
/* Of the tolerance, that the motion may be off by at the end of the run for going on there. */
#define SHARE 0.03

static void drive_at(const lm_dynamics_run *d, const lm_row *row, double t, double u[3])
{
    lm_expr_time(row->drive, t, d->drives->scratch, u);
}

/* 1: the acceleration grows beyond all bounds towards the instant t behind it, as that of (t - t0)^1.5. */
static int is_unbounded(const lm_dynamics_run *d, const lm_row *row, double t)
{
    double u[3], last = 0;
    for (int i = 0; i < 3; i++) {
        drive_at(d, row, t + beside[i] * d->until, u);
        if (i > 0 && !(fabs(u[2]) > GROWS * last)) return 0;
        last = fabs(u[2]);
    }
    return isfinite(u[1]);
}

/* The distance s behind t from which on the motion goes on. The rate changes by du on that way, which is taken as an
 * impulse at its end: the directions of its reactions have moved by v s meanwhile, and velocities are off by v s du. */
static double distance(const lm_dynamics_run *d, const lm_row *row, double t, double unit, double s)
{
    const lm_integrator *g = d->g;
    double before[3], u[3], speed = lm_speed_norm(g->sys, g->clock->size, g->v);
    double goal = SHARE * g->opt.tolerance / d->until, least = 1e-14 * d->until;
    drive_at(d, row, fmax(0, t - least), before);
    for (; s > least; s *= 0.5) {
        drive_at(d, row, t + s, u);
        double du = fabs(u[1] - before[1]) / unit;
        if (s * du * (speed + du) <= goal) break;
    }
    return s;
}

double lm_drives_behind(const lm_dynamics_run *d, double t, double next)
{
    const lm_system *sys = d->g->sys;
    double room = fmin(FARTHEST * d->until, 0.25 * (fmin(next, d->until) - t)), most = 0;
    for (int k = 0; k < sys->nl && d->drives && d->g->opt.step == 0; k++) {
        const lm_row *row = lm_system_row(sys, k);
        if (!is_active(sys, row, k) || !is_unbounded(d, row, t)) continue;
        most = fmax(most, distance(d, row, t, lm_gap_unit(d->g, k), room));
    }
    return most;
}

/* What has been said of a drive: bits of lm_drives.said. */
enum { SAID_IMPULSE = 1, SAID_UNBOUNDED = 2 };

static int is_first(lm_dynamics_run *d, int k, int what)
{
    int before = d->drives->said[k] & what;
    d->drives->said[k] |= (unsigned char)what;
    return !before;
}

static void say_unbounded(lm_dynamics_run *d, const lm_row *row, double t)
{
    lm_warning(
        d->run->diag, row->drive->loc,
        "joint '%s': the acceleration of its drive grows beyond all bounds at t = %.6g, and with "
        "it "
        "the forces that this takes, though its rate does not jump: rows close to that instant "
        "show "
        "whatever they are just there. Let it begin with a finite acceleration ('step', 'spline') "
        "where that is not meant (further such instants of this drive are not mentioned)",
        joint_of(d, row), t);
}

static void say_impulse(lm_dynamics_run *d, const lm_row *row, const double rate[2], double t,
                        double work)
{
    lm_warning(d->run->diag, row->drive->loc,
               "joint '%s': the rate of its drive jumps from %.6g to %.6g at t = %.6g: that "
               "takes an impulse, whose work on the mechanism is %.4g; forces are not finite "
               "there and no row shows them. Round the corner ('step', 'spline') where that is "
               "not meant (further jumps of this drive are not mentioned)",
               joint_of(d, row), rate[0], rate[1], t, work);
}

int lm_drives_impulse(lm_dynamics_run *d, double t, double to, double work)
{
    int any = 0;
    const lm_system *sys = d->g->sys;
    double all = lm_speed_norm(sys, d->g->clock->size, d->g->v);
    for (int k = 0; k < sys->nl && d->drives; k++) {
        const lm_row *row = lm_system_row(sys, k);
        double u[2][3], unit = lm_gap_unit(d->g, k);
        if (!is_active(sys, row, k)) continue;
        if (is_unbounded(d, row, t)) {
            any = 1;
            d->drives->unbounded = to;
            if (is_first(d, k, SAID_UNBOUNDED)) say_unbounded(d, row, t);
            continue;
        }
        drive_at(d, row, t, u[0]);
        drive_at(d, row, to, u[1]);
        double jump = u[1][1] - u[0][1], size = fabs(u[1][1]) + fabs(u[0][1]) + unit * all;
        double smooth = 4 * (to - t) * fmax(fabs(u[0][2]), fabs(u[1][2]));
        if (fabs(jump) <= 1e-6 * size + smooth) continue;
        any = 1;
        const double rate[2] = {u[0][1], u[1][1]};
        if (is_first(d, k, SAID_IMPULSE)) say_impulse(d, row, rate, to, work);
    }
    return any;
}

/* So long behind such an instant, over the run, it is the reason of a step that fails. */
#define NEAR 1e-3

void lm_drives_explain(lm_dynamics_run *d)
{
    lm_integrator *g = d->g;
    if (!d->drives || g->clock->t > d->drives->unbounded + NEAR * d->until) return;
    snprintf(g->failure, sizeof g->failure,
             "at t = %.6g: the acceleration of a drive grows beyond all bounds at t = %.6g (a "
             "warning names it), "
             "and method %s cannot follow it within the tolerance from there (%ld steps made, %ld "
             "rejected): let "
             "the drive begin with a finite acceleration ('step', 'spline'), or take method radau "
             "or explicit",
             g->clock->t, d->drives->unbounded, g->ops->name, g->stats.steps, g->stats.rejected);
}

void lm_drives_close(lm_dynamics_run *d)
{
    if (d->drives) {
        share_corners(d->run->sys, NULL);
        lm_free(d->drives->corner);
        lm_free(d->drives->said);
        lm_free(d->drives->scratch);
    }
    lm_free(d->drives);
    d->drives = NULL;
}
