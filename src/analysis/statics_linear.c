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
    lm_system *sys = s->run->sys;
    lm_state st;
    for (int i = 0; i < s->n; i++) s->rhs[i] = e * x[i];
    lm_point_copy(s, &s->now, &s->last);
    if (lm_statics_move(s, s->rhs)) return 1;
    s->sys->load_factor = sys->load_factor = e;
    if (lm_statics_state(s, &st)) return 1;
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

/* to = from + (to - from)/e */
static void extend(double *to, const double *from, int n, double e)
{
    for (int i = 0; i < n; i++) to[i] = from[i] + (to[i] - from[i]) / e;
}

/* What the row is made of: outputs and forces at 0, outputs and energies on both sides of it. */
typedef struct samples {
    double *way;                  /* [n] the displacements: x is scratch of others */
    double *low, *mid, *high;     /* [outputs] */
    double *force;                /* of joints, loads and beams at 0 */
    lm_energy below, here, above; /* at -e, 0, e */
} samples;

static int take_samples(lm_statics_search *s, double e, samples *p)
{
    const lm_run *run = s->run;
    size_t out = sizeof(double) * (size_t)run->model->spec->outputs.n;
    if (fill_at(s, p->way, -e, &p->below)) return 1;
    memcpy(p->low, run->row + 1, out);
    if (fill_at(s, p->way, e, &p->above)) return 1;
    memcpy(p->high, run->row + 1, out);
    if (fill_at(s, p->way, 0, &p->here)) return 1;
    memcpy(p->mid, run->row + 1, out);
    memcpy(p->force, run->forces, sizeof(double) * 6 * (size_t)lm_record_wrenches(run));
    return 0;
}

/* Energies, and outputs that read them: by the parabola. */
static void put_energies(lm_run *run, const samples *p, double e, lm_energy *sum)
{
    const lm_spec *spec = run->model->spec;
    for (int i = 0; i < spec->outputs.n; i++)
        if (reads_energy(spec, &spec->outputs.at[i].expr))
            run->row[1 + i] = parabola(p->low[i], p->mid[i], p->high[i], e);
    sum->elastic = parabola(p->below.elastic, p->here.elastic, p->above.elastic, e);
    sum->gravity = parabola(p->below.gravity, p->here.gravity, p->above.gravity, e);
}

limber_status lm_statics_put_linear(lm_statics_search *s, const double *x)
{
    lm_run *run = s->run;
    int nout = run->model->spec->outputs.n, nforce = 6 * lm_record_wrenches(run);
    double size = lm_motion_norm(s->sys, s->size, x), part = size > 0 ? 1 / size : 1;
    double e = fmin(1, SMALL * part), wide = fmin(1, NOTICEABLE * part);
    double *copy = LM_NEW_N(&s->arena, double, s->n + nforce + 3 * nout + 1);
    if (!copy) return LIMBER_MEMORY;
    samples p = {.way = copy, .force = copy + s->n, .low = copy + s->n + nforce};
    p.mid = p.low + nout, p.high = p.mid + nout;
    lm_balance b = {.phi = s->gap};
    lm_energy unused;
    memcpy(p.way, x, sizeof(double) * (size_t)s->n);
    run->sum->rows++;
    if (take_samples(s, wide, &p) || fill_at(s, p.way, e, &unused)) return LIMBER_INTERNAL;
    extend(run->row + 1, p.mid, nout, e);
    extend(run->forces, p.force, nforce, e);
    put_energies(run, &p, wide, &b.e);
    lm_point_copy(s, &s->now, &s->last);
    if (lm_statics_move(s, p.way)) return LIMBER_INTERNAL;
    s->sys->form->poses(s->sys, s->now.q, run->pose);
    return run->file ? lm_record_put(run, 1, &b) : LIMBER_OK;
}
