/* Results of a linear analysis.
 *
 * A displacement x along the tangent is no state of the mechanism: beams would seem to stretch by the
 * square of their rotations. So every sensor and every force is taken to first order,
 *
 *     y = y(0) + dy/ds,
 *
 * with the derivative along the way s x (lm_way: elements and springs by their tangents) from places on both
 * sides, and the outputs are what their expressions make of these values. Energies go with the square: theirs
 * are the slope and the curvature at 0. The stress is no smooth function where the forces
 * are zero, but one of s > 0. */
#include "analysis/statics.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* Largest motion at the places: of differences on both sides, which are extrapolated, and on one side. */
static const double NOTICEABLE = 1e-3, SMALL = 1e-5;

/* What is linear: all sensors, all forces. */
typedef struct sample {
    double *y; /* [sensors + 6 wrenches] */
    lm_energy e;
} sample;

enum { HERE, BELOW, ABOVE, LESS, MORE, NEAR, NEARER, PLACES }; /* 0, -+h, -+h/2, a little */

typedef struct samples {
    lm_way way;
    double *dx;        /* [n] the displacements: x is scratch of others */
    double at[PLACES]; /* parts of them */
    sample of[PLACES];
    double *out; /* [outputs] */
    int nsensors, nforces;
} samples;

/* Sensors, forces and energy at the part s of the displacements. 0, or 1. */
static int take_sample(lm_statics_search *s, samples *p, int place)
{
    lm_run *run = s->run;
    lm_system *sys = run->sys;
    sample *to = &p->of[place];
    double part = p->at[place];
    lm_state st;
    for (int i = 0; i < s->n; i++) s->rhs[i] = part * p->dx[i];
    lm_point_copy(s, &s->now, &s->last);
    if (lm_statics_move(s, s->rhs)) return 1;
    s->sys->load_factor = sys->load_factor = part;
    if (lm_statics_state(s, &st)) return 1;
    p->way.s = part;
    sys->along = &p->way;
    int bad = sys->form->outputs(sys, &st, p->out);
    if (!bad) memcpy(to->y, sys->form->ports->slots(sys) + 1, sizeof(double) * (size_t)p->nsensors);
    if (!bad) bad = sys->form->energy(sys, &st, &to->e);
    if (!bad && run->file) lm_record_fill(run, &st);
    sys->along = NULL;
    if (run->file) memcpy(to->y + p->nsensors, run->forces, sizeof(double) * (size_t)p->nforces);
    return bad;
}

/* y = y0 + b s + c s^2 + ...: b + c from both sides, by h and h/2; what is left of b and c is of the fourth order. */
static double parabola(const double y[PLACES], double h)
{
    double coarse = (y[ABOVE] - y[BELOW]) / (2 * h), fine = (y[MORE] - y[LESS]) / h;
    double wide = (y[ABOVE] - 2 * y[HERE] + y[BELOW]) / (2 * h * h);
    double close = (y[MORE] - 2 * y[HERE] + y[LESS]) / (0.5 * h * h);
    return y[HERE] + fine + (fine - coarse) / 3 + close + (close - wide) / 3;
}

static double energy_at_full(const samples *p, size_t which)
{
    double e[PLACES];
    for (int k = 0; k < PLACES; k++) memcpy(&e[k], (const char *)&p->of[k].e + which, sizeof e[k]);
    return parabola(e, p->at[ABOVE]);
}

static double energy_sensor(const samples *p, int i)
{
    double e[PLACES];
    for (int k = 0; k < PLACES; k++) e[k] = p->of[k].y[i];
    return parabola(e, p->at[ABOVE]);
}

/* Differences with h and h/2: what is left is of the fourth order. */
static double linear(const samples *p, int i)
{
    double coarse = (p->of[ABOVE].y[i] - p->of[BELOW].y[i]) / (2 * p->at[ABOVE]);
    double fine = (p->of[MORE].y[i] - p->of[LESS].y[i]) / (2 * p->at[MORE]);
    return p->of[HERE].y[i] + fine + (fine - coarse) / 3;
}

static double one_sided(const samples *p, int i)
{
    double coarse = (p->of[NEAR].y[i] - p->of[HERE].y[i]) / p->at[NEAR];
    double fine = (p->of[NEARER].y[i] - p->of[HERE].y[i]) / p->at[NEARER];
    return p->of[HERE].y[i] + 2 * fine - coarse;
}

static double sensor_at_full(const samples *p, const lm_spec_sensor *c, int i)
{
    if (c->kind == LM_SENSOR_ENERGY) return energy_sensor(p, i);
    if (c->kind == LM_SENSOR_SECTION && c->component == LM_SECTION_STRESS) return one_sided(p, i);
    return linear(p, i);
}

static int reserve(lm_statics_search *s, samples *p)
{
    const lm_run *run = s->run;
    p->nsensors = run->model->spec->sensors.n;
    p->nforces = run->file ? 6 * lm_record_wrenches(run) : 0;
    int each = p->nsensors + p->nforces, nout = run->model->spec->outputs.n;
    double *x = LM_NEW_N(&s->arena, double, s->n + PLACES * each + nout + 1);
    if (!x) return -1;
    p->dx = x;
    p->out = x + s->n;
    for (int k = 0; k < PLACES; k++) p->of[k].y = p->out + nout + k * each;
    return 0;
}

static void choose_places(const lm_statics_search *s, const double *x, samples *p)
{
    double size = lm_motion_norm(s->sys, s->size, x), part = size > 0 ? 1 / size : 1;
    double h = fmin(1, NOTICEABLE * part), e = fmin(1, SMALL * part);
    p->at[BELOW] = -h, p->at[ABOVE] = h;
    p->at[LESS] = -h / 2, p->at[MORE] = h / 2;
    p->at[NEAR] = e, p->at[NEARER] = e / 2;
    memcpy(p->dx, x, sizeof(double) * (size_t)s->n);
    p->way = (lm_way){.at = {0, s->last.q, s->zero, s->zero, s->last.lam},
                      .dx = p->dx,
                      .number = ++s->run->sys->nways};
}

/* The row of the samples: outputs and forces at the whole displacement. */
static void extrapolate(lm_run *run, samples *p)
{
    const lm_spec *spec = run->model->spec;
    double *y = p->of[NEARER].y; /* read last, each for itself */
    for (int i = 0; i < p->nsensors; i++) y[i] = sensor_at_full(p, &spec->sensors.at[i], i);
    for (int i = 0; i < p->nforces; i++) run->forces[i] = linear(p, p->nsensors + i);
    run->sys->form->ports->evaluate(run->sys, y, run->file ? run->row + 1 : p->out);
}

/* The expression behind number i of start_loads, NULL: none. */
static const lm_expr *load_component(const lm_model *m, int i)
{
    const lm_spec_load *l = &m->spec->loads.at[i / 6];
    if (i % 6 < 3) return l->has_force ? &l->force[i % 6] : NULL;
    return l->has_torque ? &l->torque[i % 6 - 3] : NULL;
}

static int start_load(lm_statics_search *s, const lm_expr *e, double *to)
{
    double *scratch = LM_NEW_N(&s->arena, double, lm_expr_scratch(e, 0) + 1);
    if (!scratch) return 1;
    *to = lm_expr_eval(e, s->run->sys->form->ports->slots(s->run->sys), scratch);
    return 0;
}

int lm_statics_start_loads(lm_statics_search *s)
{
    const lm_model *m = s->run->model;
    int first = 6 * m->spec->loads.n;
    double *to = LM_NEW_N(&s->arena, double, first + 2 * m->ncoords + 1);
    if (!to || lm_statics_evaluate(s, 0)) return 1;
    for (int i = 0; i < first; i++) {
        const lm_expr *e = load_component(m, i);
        if (e && start_load(s, e, to + i)) return 1;
    }
    for (int k = 0; k < m->nactions; k++) {
        const lm_action *a = &m->actions[k];
        if (a->effort && start_load(s, a->effort, to + first + 2 * a->coord_index + a->port))
            return 1;
    }
    s->sys->start_loads = s->run->sys->start_loads = to;
    return 0;
}

limber_status lm_statics_put_linear(lm_statics_search *s, const double *x)
{
    lm_run *run = s->run;
    samples p = {0};
    if (reserve(s, &p)) return LIMBER_MEMORY;
    choose_places(s, x, &p);
    run->sum->rows++;
    for (int k = 0; k < PLACES; k++)
        if (take_sample(s, &p, k)) return LIMBER_INTERNAL;
    extrapolate(run, &p);
    lm_balance b = {.phi = s->gap, .e = p.of[HERE].e};
    b.e.elastic = energy_at_full(&p, offsetof(lm_energy, elastic));
    b.e.gravity = energy_at_full(&p, offsetof(lm_energy, gravity));
    lm_point_copy(s, &s->now, &s->last);
    if (lm_statics_move(s, p.dx)) return LIMBER_INTERNAL;
    s->sys->form->poses(s->sys, s->now.q, run->pose);
    return run->file ? lm_record_put(run, 1, &b) : LIMBER_OK;
}
