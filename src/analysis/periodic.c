/* The periodic steady state: found, its multipliers told, one period of it recorded as dynamics. */
#include "analysis/periodic.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FIRST_STEPS = LM_PERIODIC_SAMPLES, MOST_STEPS = 64 * LM_PERIODIC_SAMPLES, ROWS = 200 };
#define LEFT (1.0 / 8)

/* ---- how many steps ---- */

/* Change of output i between two cycles, over its range; 0 where it is constant but for rounding. */
static double change(const double *now, const double *then, int outputs, int i)
{
    double low = INFINITY, high = -INFINITY, most = 0;
    for (int k = 0; k < LM_PERIODIC_SAMPLES; k++) {
        double x = now[k * outputs + i];
        low = fmin(low, x), high = fmax(high, x);
        most = fmax(most, fabs(x - then[k * outputs + i]));
    }
    double range = high - low, size = fmax(fabs(high), fabs(low));
    return range <= 1e-9 * size || range < 1e-14 ? 0 : most / range;
}

static double largest_change(const lm_periodic *p, const double *then, int *which)
{
    int outputs = p->sys->model->spec->outputs.n;
    double most = 0;
    for (int i = 0; i < outputs; i++) {
        double c = change(p->sample, then, outputs, i);
        if (c > most) most = c, *which = i;
    }
    return most;
}

static void warn_steps(lm_run *run, const lm_spec_analysis *a, const lm_periodic *p, double most,
                       int which)
{
    lm_warning(
        run->diag, a->loc,
        "periodic: with %d steps in the period output '%s' is still off by some %.2g of its range; "
        "give more 'steps', or a larger 'tolerance'",
        p->steps, run->model->spec->outputs.at[which].item.name, most);
}

/* Twice as many steps until the outputs stay the same: reactions converge with order 3, and an eighth of
 * the change is what is left. Without outputs a fixed number serves. */
static limber_status refine(lm_run *run, const lm_spec_analysis *a, lm_periodic *p)
{
    int outputs = run->model->spec->outputs.n, which = 0;
    double most = INFINITY;
    double *then = lm_alloc(sizeof(double) * (size_t)(LM_PERIODIC_SAMPLES * outputs + 1));
    if (!then) return LIMBER_MEMORY;
    p->steps = outputs ? FIRST_STEPS : 4 * FIRST_STEPS;
    limber_status st = lm_periodic_solve(p);
    while (!st && outputs && most > a->tolerance && p->steps < MOST_STEPS) {
        lm_copy(then, p->sample, LM_PERIODIC_SAMPLES * outputs);
        p->steps *= 2;
        st = lm_periodic_solve(p);
        most = LEFT * largest_change(p, then, &which);
    }
    if (!st && outputs && most > a->tolerance) warn_steps(run, a, p, most, which);
    lm_free(then);
    return st;
}

static limber_status find(lm_run *run, const lm_spec_analysis *a, double T, lm_periodic *p)
{
    limber_status st = lm_periodic_begin(p, run->sys, T, run->q, run->v);
    p->steps = a->steps;
    p->margin = 2 * a->tolerance;
    if (!st) st = a->steps ? lm_periodic_solve(p) : refine(run, a, p);
    if (!st && p->P_steps != p->steps) { /* the multipliers are those of these steps */
        st = lm_periodic_basis(p);
        if (!st) st = lm_periodic_cycle(p, 1);
    }
    return st ? st : lm_periodic_multipliers(p);
}

/* ---- results ---- */

static limber_multiplier tell_multiplier(const lm_periodic *p, int i)
{
    const lm_multiplier *m = &p->multiplier[i];
    limber_multiplier o = {.number = i + 1, .real = m->re, .imaginary = m->im};
    o.modulus = hypot(m->re, m->im);
    o.growth = log(o.modulus) / p->T;
    o.omega = atan2(m->im, m->re) / p->T;
    p->sys->form->describe_motion(p->sys, m->mover, o.moves, sizeof o.moves);
    return o;
}

static int told(const lm_spec_analysis *a, const lm_periodic *p)
{
    return p->nmultipliers < a->count ? p->nmultipliers : a->count;
}

static const char *verdict_word(const lm_periodic *p)
{
    int verdict = lm_periodic_verdict(p);
    return verdict < 0 ? "stable" : verdict > 0 ? "unstable" : "marginal";
}

/* The table of multipliers, and what was found, beside the rows of the motion. */
static limber_status record(lm_run *run, const lm_spec_analysis *a, const lm_periodic *p)
{
    static const char *const columns[] = {"real", "imaginary", "modulus", "growth", "omega"};
    const char *group = run->tables.group;
    if (!run->file) return LIMBER_OK;
    int id = lm_record_table(run, "multipliers", 5, columns), bad = id < 0;
    for (int i = 0; i < told(a, p) && !bad; i++) {
        limber_multiplier m = tell_multiplier(p, i);
        double row[5] = {m.real, m.imaginary, m.modulus, m.growth, m.omega};
        bad = lm_h5_append(run->file, id, row);
    }
    if (!bad) bad = lm_h5_write_attr_num(run->file, group, "period", p->T);
    if (!bad) bad = lm_h5_write_attr_num(run->file, group, "steps_in_period", p->steps);
    if (!bad) bad = lm_h5_write_attr_text(run->file, group, "stability", verdict_word(p));
    return bad ? lm_record_failed(run) : LIMBER_OK;
}

static void summarise(lm_run *run, const lm_spec_analysis *a, const lm_periodic *p)
{
    limber_summary *sum = run->sum;
    const lm_step_stats *k = &p->g->stats;
    sum->period = p->T;
    sum->cycles = p->cycles;
    sum->multipliers = 0;
    for (int i = 0; i < p->nmultipliers; i++) sum->multipliers += p->multiplier[i].im > 0 ? 2 : 1;
    sum->stability = lm_periodic_verdict(p);
    sum->steps += k->steps, sum->rejected += k->rejected, sum->iterations += k->iterations;
    sum->jacobians += k->jacobians;
    for (int i = 0; i < told(a, p) && run->opt->multiplier; i++) {
        limber_multiplier m = tell_multiplier(p, i);
        run->opt->multiplier(run->opt->multiplier_context, &m);
    }
}

/* One period from the start that was found, as a run of dynamics with the same steps. */
static limber_status play(lm_run *run, const lm_spec_analysis *a, const lm_periodic *p)
{
    const limber_run_options *opt = run->opt;
    limber_run_options here = *opt;
    int rows = p->steps * ((ROWS + p->steps - 1) / p->steps);
    lm_spec_analysis one = lm_analysis_defaults(LM_ANALYSIS_DYNAMICS, a->loc);
    one.until = p->T;
    one.output_step = p->T / rows;
    one.tolerance = a->tolerance;
    one.step = p->T / p->steps;
    one.method = LM_METHOD_RADAU;
    here.until = 0;
    run->opt = &here;
    limber_status st = lm_dynamics(run, &one);
    run->opt = opt;
    return st;
}

static limber_status not_found(lm_run *run, const lm_periodic *p, limber_status st)
{
    if (st == LIMBER_STOPPED) lm_stop(run, st, "periodic: %s", p->failure.text);
    if (st == LIMBER_MEMORY) lm_stop(run, st, "out of memory");
    return lm_record_end(run, st);
}

/* The state that goes on is the start of the period, at t = 0. */
limber_status lm_periodic_analysis(lm_run *run, const lm_spec_analysis *a)
{
    lm_periodic p = {.run = run};
    double T = 0;
    snprintf(run->sum->method, sizeof run->sum->method, "radau");
    limber_status st = lm_periodic_period(run, a, &T);
    if (!st) st = lm_initial_state(run);
    if (!st) st = find(run, a, T, &p);
    if (!st) st = record(run, a, &p);
    if (st) {
        st = not_found(run, &p, st);
        lm_periodic_free(&p);
        return st;
    }
    summarise(run, a, &p);
    lm_copy(run->q, p.q, run->sys->nq);
    lm_copy(run->v, p.v, run->sys->nv);
    st = play(run, a, &p);
    lm_copy(run->q, p.q, run->sys->nq);
    lm_copy(run->v, p.v, run->sys->nv);
    run->t = 0;
    lm_periodic_free(&p);
    return st;
}
