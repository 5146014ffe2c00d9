/* Results of a linear analysis.
 *
 * A displacement x along the tangent is no state of the mechanism: beams would seem to stretch by the
 * square of their rotations. So outputs and forces are taken at a small part of x, where the two agree,
 * and multiplied: out = out(0) + (out(e x) - out(0))/e. Energies go with the square: theirs are
 * extrapolated by the parabola through out(-e x), out(0), out(e x). */
#include "analysis/statics.h"

#include <math.h>
#include <string.h>

/* Largest motion of the part: for forces, so that what is of second order and what rounding makes of a
 * stiff beam are both small; for the second differences of energies. */
static const double SMALL = 1e-7, NOTICEABLE = 1e-4;

/* Outputs, forces and energy at the part e of the displacements. 0, or 1. */
static int fill_at(lm_statics_search *s, const double *x, double e, lm_energy *energy)
{
    lm_system *sys = s->sys;
    for (int i = 0; i < s->n; i++) s->rhs[i] = e * x[i];
    lm_point_copy(s, &s->now, &s->last);
    if (lm_statics_move(s, s->rhs)) return 1;
    lm_state st = {0, s->now.q, s->zero, s->zero, s->now.lam};
    sys->load_factor = e;
    sys->form->energy(sys, &st, energy);
    if (s->run->file) lm_record_fill(s->run, &st);
    return 0;
}

/* 1: an energy is among what the output depends on. */
static int reads_energy(const lm_spec *spec, const lm_expr *e)
{
    for (int i = 0; i < e->ninputs; i++) {
        int sensor = e->inputs[i] - 1;
        if (sensor >= 0 && sensor < spec->sensors.n &&
            spec->sensors.at[sensor].kind == LM_SENSOR_ENERGY)
            return 1;
    }
    return 0;
}

static double parabola(double low, double mid, double high, double e)
{
    return mid + (high - low) / (2 * e) + (high - 2 * mid + low) / (2 * e * e);
}

/* Energies of the row, and of outputs that read them, into out[outputs]. 0, or 1. */
static int energies(lm_statics_search *s, const double *x, double e, double *work, lm_energy *sum)
{
    const lm_spec *spec = s->run->model->spec;
    int n = spec->outputs.n;
    double *low = work, *mid = work + n;
    lm_energy at[3];
    for (int k = 0; k < 3; k++) {
        if (fill_at(s, x, (k - 1) * e, &at[k])) return 1;
        if (k < 2) memcpy(k ? mid : low, s->run->row + 1, sizeof(double) * (size_t)n);
    }
    for (int i = 0; i < n; i++)
        if (reads_energy(spec, &spec->outputs.at[i].expr))
            low[i] = parabola(low[i], mid[i], s->run->row[1 + i], e);
        else
            low[i] = NAN; /* of first order: not here */
    sum->elastic = parabola(at[0].elastic, at[1].elastic, at[2].elastic, e);
    sum->gravity = parabola(at[0].gravity, at[1].gravity, at[2].gravity, e);
    return 0;
}

/* to = from + (to - from)/e */
static void extend(double *to, const double *from, int n, double e)
{
    for (int i = 0; i < n; i++) to[i] = from[i] + (to[i] - from[i]) / e;
}

limber_status lm_statics_put_linear(lm_statics_search *s, const double *x)
{
    lm_run *run = s->run;
    int nout = run->model->spec->outputs.n, nforce = 6 * lm_record_wrenches(run);
    double size = lm_motion_norm(s->sys, s->size, x), part = size > 0 ? 1 / size : 1;
    double e = fmin(1, SMALL * part), wide = fmin(1, NOTICEABLE * part);
    double *copy = LM_NEW_N(&s->arena, double, s->n + nforce + 4 * nout + 1);
    if (!copy) return LIMBER_MEMORY;
    double *way = copy, *force = copy + s->n, *out = force + nforce, *work = out + nout;
    lm_balance b = {.phi = s->gap};
    lm_energy unused;
    memcpy(way, x, sizeof(double) * (size_t)s->n); /* x is scratch of others */
    run->sum->rows++;
    if (energies(s, way, wide, work, &b.e) || fill_at(s, way, 0, &unused)) return LIMBER_INTERNAL;
    memcpy(out, run->row + 1, sizeof(double) * (size_t)nout);
    memcpy(force, run->forces, sizeof(double) * (size_t)nforce);
    if (fill_at(s, way, e, &unused)) return LIMBER_INTERNAL;
    extend(run->row + 1, out, nout, e);
    extend(run->forces, force, nforce, e);
    for (int i = 0; i < nout; i++)
        if (!isnan(work[i])) run->row[1 + i] = work[i];
    lm_point_copy(s, &s->now, &s->last);
    if (lm_statics_move(s, way)) return LIMBER_INTERNAL;
    s->sys->form->poses(s->sys, s->now.q, run->pose);
    return run->file ? lm_record_put(run, 1, &b) : LIMBER_OK;
}
