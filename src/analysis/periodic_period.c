/* The period: of the one drive that turns at a constant rate, or given. */
#include "analysis/periodic.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SAME 1e-6 /* of functions of time, after a period; of the rates of drives */
enum { INSTANTS = 7 };

/* Value and rate of an expression of time alone. 0; -1: no memory. */
static int at_time(const lm_expr *e, double t, double out[3])
{
    double *scratch = lm_alloc(sizeof(double) * (size_t)(lm_expr_scratch(e, 2) + 1));
    if (!scratch) return -1;
    lm_expr_time(e, t, scratch, out);
    lm_free(scratch);
    return 0;
}

static int is_angle(const lm_spec_joint *j, int coord)
{
    lm_coord_kind kind = lm_joint_coord(j->type, coord);
    return kind == LM_COORD_ANGLE || kind == LM_COORD_ANGLE1 || kind == LM_COORD_ANGLE2;
}

static limber_status ask_for_period(lm_run *run, const lm_spec_analysis *a, const char *why)
{
    lm_error(run->diag, a->loc,
             "periodic: %s; give the time after which everything repeats, 'period: ...'", why);
    return LIMBER_INPUT;
}

/* Does an expression use the time? Those of drives are told apart. */
static const char *timed_load(const lm_spec *spec)
{
    for (int i = 0; i < spec->loads.n; i++)
        for (int k = 0; k < 6; k++) {
            const lm_spec_load *l = &spec->loads.at[i];
            const lm_expr *e = k < 3 ? &l->force[k] : &l->torque[k - 3];
            if ((k < 3 ? l->has_force : l->has_torque) && lm_expr_uses(e, LM_SLOT_T))
                return l->item.name;
        }
    for (int i = 0; i < spec->joints.n; i++)
        for (int k = 0; k < lm_joint_coord_count(spec->joints.at[i].type); k++) {
            const lm_spec_coord *c = &spec->joints.at[i].coord[k];
            if (c->has_effort && lm_expr_uses(&c->effort, LM_SLOT_T))
                return spec->joints.at[i].item.name;
        }
    return NULL;
}

/* The drives that move: how many, the speed of the one that turns, and their names. */
typedef struct drives {
    int n, others; /* that turn at a constant rate; that move in another way */
    double rate;   /* least of them */
    int differ;
    char names[300];
} drives;

static int add_drive(drives *d, const lm_spec_joint *j, int coord)
{
    double x[3];
    const lm_expr *e = &j->coord[coord].drive;
    if (!lm_expr_uses(e, LM_SLOT_T)) return 0;
    if (at_time(e, 0, x)) return -1;
    size_t used = strlen(d->names);
    snprintf(d->names + used, sizeof d->names - used, "%s%s", used ? ", " : "", j->item.name);
    double rate = fabs(x[1]);
    if (!lm_expr_is_affine(e) || !is_angle(j, coord) || !(rate > 0)) {
        d->others++;
        return 0;
    }
    d->differ |= d->n > 0 && fabs(rate - d->rate) > SAME * rate;
    d->rate = d->n++ ? fmin(rate, d->rate) : rate;
    return 0;
}

static limber_status by_drives(lm_run *run, const lm_spec_analysis *a, double *T)
{
    const lm_spec *spec = run->model->spec;
    drives d = {0};
    char why[500];
    const char *load = timed_load(spec);
    for (int i = 0; i < spec->joints.n; i++)
        for (int k = 0; k < lm_joint_coord_count(spec->joints.at[i].type); k++)
            if (spec->joints.at[i].coord[k].has_drive && add_drive(&d, &spec->joints.at[i], k))
                return LIMBER_MEMORY;
    why[0] = 0;
    if (d.n == 0)
        snprintf(why, sizeof why, "no drive turns at a constant rate%s%s%s",
                 d.names[0] ? " (drives that depend on t: " : "", d.names, d.names[0] ? ")" : "");
    else if (d.others || d.differ)
        snprintf(why, sizeof why, "the drives do not turn at one common rate (%s)", d.names);
    else if (load)
        snprintf(why, sizeof why, "'%s' depends on t, too", load);
    if (why[0]) return ask_for_period(run, a, why);
    *T = 2 * acos(-1.0) / d.rate;
    return LIMBER_OK;
}

/* ---- what is given must repeat ---- */

/* 1: the expression of time alone is the same after T, but for whole turns where it is an angle. */
static int repeats(const lm_expr *e, double T, int turns, int *out_of_memory)
{
    double a[3], b[3], most = 0, off = 0;
    for (int i = 0; i < INSTANTS; i++) {
        double t = T * (i + 0.37) / INSTANTS;
        if (at_time(e, t, a) || at_time(e, t + T, b)) return *out_of_memory = 1, 0;
        double d = turns ? lm_angle_near(b[0] - a[0], 0) : b[0] - a[0];
        off = fmax(off, fabs(d));
        most = fmax(most, turns ? 1 : fmax(fabs(a[0]), fabs(b[0])));
    }
    return off <= SAME * most;
}

static limber_status drive_elsewhere(lm_run *run, const lm_spec_joint *j, double T, int angle)
{
    lm_error(run->diag, j->item.loc,
             "periodic: the drive of joint '%s' does not repeat after the period of %.6g%s; give a "
             "'period' after which it does",
             j->item.name, T, angle ? " (whole turns do not count)" : "");
    return LIMBER_INPUT;
}

static limber_status check_drives(lm_run *run, double T)
{
    const lm_spec *spec = run->model->spec;
    int failed = 0;
    for (int i = 0; i < spec->joints.n; i++)
        for (int k = 0; k < lm_joint_coord_count(spec->joints.at[i].type); k++) {
            const lm_spec_joint *j = &spec->joints.at[i];
            if (!j->coord[k].has_drive || repeats(&j->coord[k].drive, T, is_angle(j, k), &failed))
                continue;
            return failed ? LIMBER_MEMORY : drive_elsewhere(run, j, T, is_angle(j, k));
        }
    return LIMBER_OK;
}

/* Of loads and efforts those that depend on nothing but the time. */
static limber_status check_load(lm_run *run, const lm_spec_item *item, const lm_expr *e, double T)
{
    int failed = 0;
    if (e->ninputs != 1 || !lm_expr_uses(e, LM_SLOT_T) || repeats(e, T, 0, &failed))
        return LIMBER_OK;
    if (failed) return LIMBER_MEMORY;
    lm_error(run->diag, item->loc,
             "periodic: '%s' does not repeat after the period of %.6g; give a 'period' after which "
             "it does",
             item->name, T);
    return LIMBER_INPUT;
}

static limber_status check_loads(lm_run *run, double T)
{
    const lm_spec *spec = run->model->spec;
    limber_status st = LIMBER_OK;
    for (int i = 0; i < spec->loads.n; i++)
        for (int k = 0; k < 6 && !st; k++) {
            const lm_spec_load *l = &spec->loads.at[i];
            if (k < 3 ? l->has_force : l->has_torque)
                st = check_load(run, &l->item, k < 3 ? &l->force[k] : &l->torque[k - 3], T);
        }
    for (int i = 0; i < spec->joints.n; i++)
        for (int k = 0; k < lm_joint_coord_count(spec->joints.at[i].type) && !st; k++) {
            const lm_spec_joint *j = &spec->joints.at[i];
            if (j->coord[k].has_effort) st = check_load(run, &j->item, &j->coord[k].effort, T);
        }
    return st;
}

limber_status lm_periodic_period(lm_run *run, const lm_spec_analysis *a, double *T)
{
    *T = a->period;
    limber_status st = a->period > 0 ? LIMBER_OK : by_drives(run, a, T);
    if (!st) st = check_drives(run, *T);
    return st ? st : check_loads(run, *T);
}
