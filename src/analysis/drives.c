/* Drives whose value or rate jumps. No motion follows a value that jumps: that is refused before the run. A rate
 * that jumps is an impulse (docs/theory/drives.md): steps end there, and it is said. */
#include "analysis/dynamics.h"
#include "expr/expr_jump.h"

#include <math.h>
#include <string.h>

struct lm_drives {
    int ncorner, room;
    double *corner;      /* [ncorner] ascending: those that expressions do not announce */
    unsigned char *said; /* [constraints] 1: of the drive's impulses was warned */
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

int lm_drives_impulse(lm_dynamics_run *d, double t, double to, double work)
{
    int any = 0;
    const lm_system *sys = d->g->sys;
    double all = lm_speed_norm(sys, d->g->clock->size, d->g->v);
    for (int k = 0; k < sys->nl && d->drives; k++) {
        const lm_row *row = lm_system_row(sys, k);
        unsigned char *said = &d->drives->said[k];
        double u[2][3], unit = lm_gap_unit(d->g, k);
        if (!is_active(sys, row, k)) continue;
        lm_expr_time(row->drive, t, d->drives->scratch, u[0]);
        lm_expr_time(row->drive, to, d->drives->scratch, u[1]);
        double jump = u[1][1] - u[0][1], size = fabs(u[1][1]) + fabs(u[0][1]) + unit * all;
        double smooth = 4 * (to - t) * fmax(fabs(u[0][2]), fabs(u[1][2]));
        if (fabs(jump) <= 1e-6 * size + smooth) continue;
        any = 1;
        if (*said) continue;
        *said = 1;
        lm_warning(d->run->diag, row->drive->loc,
                   "joint '%s': the rate of its drive jumps from %.6g to %.6g at t = %.6g: that "
                   "takes an impulse, whose work on the mechanism is %.4g; forces are not finite "
                   "there and no row shows them. Round the corner ('step', 'spline') where that is "
                   "not meant (further jumps of this drive are not mentioned)",
                   joint_of(d, row), u[0][1], u[1][1], to, work);
    }
    return any;
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
