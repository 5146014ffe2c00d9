/* Static equilibrium: residual(q, v = 0, a = 0, lam) = 0 and phi(q) = 0 at t = 0, under the loads as
 * they grow from nothing to their full size. */
#include "analysis/statics.h"

#include "analysis/mesh.h"
#include "analysis/range.h"
#include "analysis/rigid_motion.h"
#include "analysis/small.h"
#include "analysis/turns.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { HALVINGS = 6 };
#define RELAXED    1e-10 /* residual and gap of a state that is in balance as drawn */
#define BALANCED   1e-6  /* residual that reactions leave of one that is in balance, but strained */
#define FROM_START 1e-4  /* load factor at which a loss of stability is one without loads */

static int make_point(lm_statics_search *s, lm_point *p)
{
    p->q = LM_NEW_N(&s->arena, double, s->sys->nq + 1);
    p->lam = LM_NEW_N(&s->arena, double, s->sys->nl + 1);
    p->t = LM_NEW_N(&s->arena, double, s->n + 1);
    return p->q && p->lam && p->t ? 0 : -1;
}

static limber_status begin(lm_statics_search *s, const lm_spec_analysis *a)
{
    if (s->run->sys->nvariables && !(s->rest = lm_rest_create(s->run->sys, s->run->v, 0)))
        return LIMBER_MEMORY;
    lm_system *sys = s->rest ? &s->rest->sys : s->run->sys;
    s->sys = sys;
    s->n = sys->nv + sys->nl;
    s->load_steps = a->load_steps;
    s->size = s->run->model->size > 0 ? s->run->model->size : 1;
    s->lost_at = s->broke_at = NAN;
    s->opened = -1;
    s->span = s->size;
    for (int i = 0; i < s->run->model->nnodes; i++)
        s->span = fmax(s->span, v3_norm(s->run->model->nodes[i].x));
    /* no groups: stiffnesses differ too much for pivots within a node, and KLU is as quick here */
    s->lin = lm_linear_create_for(sys, &sys->pattern, NULL);
    s->stab = lm_stability_create(sys, s->size);
    s->zero = LM_NEW_N(&s->arena, double, sys->nv + 1);
    s->r = LM_NEW_N(&s->arena, double, s->n + 1);
    s->p = LM_NEW_N(&s->arena, double, s->n + 1);
    s->x = LM_NEW_N(&s->arena, double, 2 * s->n + 1);
    s->rhs = LM_NEW_N(&s->arena, double, 2 * s->n + 1);
    s->way = LM_NEW_N(&s->arena, double, sys->nv + 1);
    s->diag = LM_NEW_N(&s->arena, int, sys->nv + 1);
    if (!s->lin || !s->stab || !s->zero || !s->r || !s->p || !s->x || !s->rhs || !s->way ||
        !s->diag)
        return LIMBER_MEMORY;
    if (make_point(s, &s->now) || make_point(s, &s->last) || make_point(s, &s->base) ||
        make_point(s, &s->spare) || make_point(s, &s->start) || make_point(s, &s->turned))
        return LIMBER_MEMORY;
    for (int i = 0; i < sys->nv; i++) s->diag[i] = lm_pattern_find(&sys->pattern, i, i);
    memcpy(s->now.q, s->run->q, sizeof(double) * (size_t)sys->nq);
    if (sys->form->select_rows(sys, 0, s->now.q, 0) < 0) return LIMBER_MEMORY;
    lm_state start = {0, s->now.q, s->zero, s->zero, s->now.lam};
    if (s->rest) lm_rest_track(s->rest, &start);
    for (int k = 0; s->rest && k < s->rest->n && s->run->sys->companion; k++)
        if (s->run->model->spec->variables.at[k].kind == LM_VARIABLE_STATE &&
            !lm_rest_holds(s->rest, k))
            return lm_stop(
                s->run, LIMBER_STOPPED,
                "springs of the power graph that follow the motion are "
                "not known to statics in 'elastodynamic'; use the corotational formulation");
    return LIMBER_OK;
}

/* ---- free motions ---- */

static double largest_load(const lm_statics_search *s)
{
    double most = 0;
    for (int i = 0; i < s->sys->nv; i++)
        most = fmax(most, fabs(s->p[i]) / (s->sys->angular[i] ? s->size : 1));
    return most;
}

/* 1: at s->now the loads push a motion that nothing holds: s->mover. */
static int pushes_free(lm_statics_search *s)
{
    double load = largest_load(s) * s->size;
    for (int k = 0; k < s->stab->nfree; k++) {
        double push = 0;
        lm_stability_free_motion(s->stab, k, s->x);
        for (int i = 0; i < s->sys->nv; i++) push += s->x[i] * s->p[i];
        if (fabs(push) * s->size <= 1e-9 * load) continue;
        s->mover = lm_stability_mover(s->stab, s->x);
        return 1;
    }
    return 0;
}

/* Look at s->now: its loads and stiffness. 1: cannot be evaluated. */
static int examine(lm_statics_search *s)
{
    return lm_statics_evaluate(s, 1) || lm_statics_factor(s, 0, 1);
}

/* ---- what is said ---- */

static void name(const lm_statics_search *s, int mover, char text[160])
{
    s->sys->form->describe_motion(s->sys, mover, text, 160);
}

static limber_status not_evaluated(lm_statics_search *s)
{
    char what[160] = "";
    if (s->rest && s->rest->unsolved)
        return lm_stop(s->run, LIMBER_STOPPED,
                       "the equations of the controllers and the power graph have no solution at "
                       "rest that Newton's method finds, with their states held at the initial "
                       "values");
    for (int i = 0; i < s->n && !what[0]; i++)
        if (!isfinite(s->r[i]) || !isfinite(s->p[i])) s->sys->form->describe(s->sys, i, what, 160);
    what[strcspn(what, ",")] =
        0; /* one bad force spoils all components: only the body is certain */
    return lm_stop(s->run, LIMBER_STOPPED,
                   "the forces of the initial state are not finite numbers%s%s%s; look at the "
                   "expressions of the loads, efforts and drives that act there, at t = 0",
                   what[0] ? " (" : "", what, what[0] ? ")" : "");
}

/* Why springs and motors of a machine do not hold what they hold in a run. */
static const char *of_machine(const lm_statics_search *s)
{
    int held = 0;
    for (int k = 0; s->rest && k < s->rest->n; k++) held |= lm_rest_holds(s->rest, k);
    return held ? " (what controllers and elements of the power graph remember stays as it is in "
                  "statics, but for springs that follow the motion of joints and frames)"
                : "";
}

/* Where deformations are not as small as the formulation takes them to be, its equations may have no
 * solution, though the mechanism is held. 1: so it is, and is said. */
static int beyond_theory(lm_statics_search *s, double factor, int mover)
{
    char why[320], what[160], more[200] = "";
    if (!lm_small_explain(s->run, s->now.q, why, sizeof why)) return 0;
    if (mover >= 0) {
        name(s, mover, what);
        snprintf(more, sizeof more, "; or hold %s, if nothing does", what);
    }
    lm_stop(s->run, LIMBER_STOPPED, "no equilibrium found at load factor %.4g: %s%s", factor, why,
            more);
    return 1;
}

static limber_status locks(lm_statics_search *s)
{
    char what[160];
    s->sys->form->describe(s->sys, s->sys->nv + s->opened, what, sizeof what);
    return lm_stop(s->run, LIMBER_STOPPED,
                   "no equilibrium found: the mechanism begins in a singular position, where its "
                   "joints depend on each other (%s), and either locks there or can go on in "
                   "several ways; draw it away from there, or let a beam or a compliant joint give "
                   "way",
                   what);
}

static limber_status not_held(lm_statics_search *s)
{
    char what[160];
    if (beyond_theory(s, s->now.factor, s->mover)) return LIMBER_STOPPED;
    if (s->opened >= 0) return locks(s);
    name(s, s->mover, what);
    return lm_stop(s->run, LIMBER_STOPPED,
                   "there is no equilibrium: nothing holds %s, and the loads push it; hold it by a "
                   "joint or a spring, or use 'dynamics'%s",
                   what, of_machine(s));
}

static limber_status not_found(lm_statics_search *s, double factor)
{
    char what[160];
    if (beyond_theory(s, factor, -1)) return LIMBER_STOPPED;
    if (s->opened >= 0) return locks(s);
    name(s, isnan(s->broke_at) ? s->mover : s->broke_mover, what);
    if (!isnan(s->broke_at))
        return lm_stop(
            s->run, LIMBER_STOPPED,
            "no equilibrium found at the full load: the path of equilibria breaks off at "
            "load factor %.6g, where %s moves most; if a beam bends sharply there, give "
            "it more elements",
            s->broke_at, what);
    return lm_stop(s->run, LIMBER_STOPPED,
                   "no equilibrium found at load factor %.4g after %ld iterations; what moves most "
                   "is %s: is this motion held by a spring, a joint or gravity?%s",
                   factor, s->iterations, what, of_machine(s));
}

static limber_status gave_way(lm_statics_search *s)
{
    char what[160];
    if (beyond_theory(s, s->last.factor, -1)) return LIMBER_STOPPED;
    if (s->opened >= 0) return locks(s);
    name(s, s->limit_mover, what);
    return lm_stop(s->run, LIMBER_STOPPED,
                   "no equilibrium found at the full load: the load factor grows to %.6g only, "
                   "there %s gives way; followed beyond by %d points, down to %.4g, the path does "
                   "not come back to 1",
                   s->most, what, s->points, s->last.factor);
}

static void say_turns(const lm_statics_search *s, lm_loc loc)
{
    char what[160], list[160] = "";
    int n = s->nlimits < LM_LIMITS ? s->nlimits : LM_LIMITS;
    for (int k = 0; k < n; k++) {
        size_t at = strlen(list);
        snprintf(list + at, sizeof list - at, "%s%.6g", k ? ", " : "", s->limit[k]);
    }
    name(s, s->limit_mover, what);
    if (s->snapped) {
        lm_warning(
            s->run->diag, loc,
            "statics: the load factor turns at %s%s on the path of equilibria, which does not "
            "come back to 1: at the first of these limit points the mechanism snaps, mostly "
            "%s; this equilibrium is where it comes to rest from there, without inertia; the "
            "full load may have others",
            list, s->nlimits > n ? ", ..." : "", what);
        return;
    }
    lm_warning(
        s->run->diag, loc,
        "statics: on the way to this equilibrium the load factor turns at %s%s: at the first "
        "of these limit points the mechanism snaps, mostly %s; the full load has other "
        "equilibria",
        list, s->nlimits > n ? ", ..." : "", what);
}

static void say_stability(const lm_statics_search *s, lm_loc loc)
{
    char what[160];
    int lost = lm_stability_lost(s->stab);
    if (s->lost_at > FROM_START) {
        name(s, s->lost_mover, what);
        lm_warning(s->run->diag, loc,
                   "statics: %s: at load factor %.6g it buckles, mostly %s; give the model a small "
                   "imperfection there to see where it goes",
                   lost ? "the equilibrium is unstable" : "the way to the equilibrium is unstable",
                   s->lost_at, what);
    } else if (lost && !s->run->companion) {
        lm_stability_softest(s->stab, s->x);
        name(s, lm_stability_mover(s->stab, s->x), what);
        lm_warning(s->run->diag, loc,
                   "statics: the equilibrium is unstable, probably in %s: the slightest push "
                   "makes it leave",
                   what);
    }
}

/* A state that the motion changes, by no known function of the position. */
static void warn_of(const lm_statics_search *s, const lm_spec_variable *x, lm_loc loc)
{
    lm_warning(s->run->diag, loc,
               "statics: %s is held at its value, though the motion on the way to the equilibrium "
               "changes it, by velocities whose integral is no known function of the position: a "
               "machine that comes to rest has another one; use 'dynamics' with damping",
               x->name);
}

/* Once: not on the way to another analysis. */
static void say_held(const lm_statics_search *s, lm_loc loc)
{
    int n = 0;
    if (!s->rest || !s->run->file) return;
    for (int k = 0; k < s->rest->n; k++) {
        const lm_spec_variable *x = &s->run->model->spec->variables.at[k];
        if (!lm_rest_holds(s->rest, k)) continue;
        n++;
        /* displacements in a mechanism, and blocks; oil that is shut in is the user's to fill */
        if (x->follows_motion == LM_FOLLOWS_SOMEHOW && (x->moves || !x->unit)) warn_of(s, x, loc);
    }
    if (!n) return;
    lm_diag_add(s->run->diag, LM_NOTE, loc,
                "statics: %d state%s of controllers and power graph %s held at %s, as if time "
                "stood still: currents and integrals do not build up; 'linearize' tells whether "
                "the machine rests here",
                n, n == 1 ? "" : "s", n == 1 ? "is" : "are", n == 1 ? "its value" : "their values");
}

/* The displacements of elements that are linear about a rigid motion can hold by a little what turns freely:
 * the companion says that its place is as drawn. */
static void say_neutral(const lm_statics_search *s, lm_loc loc)
{
    char what[160];
    int n = s->stab->nfree, said = s->run->companion ? 0 : s->run->neutral;
    if (s->run->companion) s->run->neutral = n;
    if (n <= said) return;
    lm_stability_free_motion(s->stab, 0, s->x);
    name(s, lm_stability_mover(s->stab, s->x), what);
    lm_diag_add(s->run->diag, LM_NOTE, loc,
                "statics: %d motion%s neither held nor pushed and stay%s as drawn: %s%s",
                s->stab->nfree, s->stab->nfree == 1 ? " is" : "s are",
                s->stab->nfree == 1 ? "s" : "", what, s->stab->nfree > 1 ? ", ..." : "");
}

static void say(const lm_statics_search *s, lm_loc loc)
{
    if (s->nlimits) say_turns(s, loc);
    if (!isnan(s->broke_at))
        lm_warning(s->run->diag, loc,
                   "statics: the path of equilibria breaks off at load factor %.6g: this "
                   "equilibrium is not reached by growing loads alone",
                   s->broke_at);
    say_stability(s, loc);
    say_held(s, loc);
    say_neutral(s, loc);
}

/* ---- the search ---- */

/* The reactions of a start that is strained and in balance: K x + Phi^T lam = -r has then x = 0. Any
 * other start keeps none. */
static int take_reactions(lm_statics_search *s)
{
    if (s->residual <= fmax(RELAXED, s->floor)) return 0;
    lm_statics_rhs(s, s->r, s->x);
    lm_statics_solve(s, s->x);
    for (int k = 0; k < s->sys->nl; k++) s->now.lam[k] += s->x[s->sys->nv + k];
    if (lm_statics_evaluate(s, 0)) return 1;
    if (s->residual <= fmax(BALANCED, 10 * s->floor))
        lm_statics_take_force(s);
    else
        lm_point_copy(s, &s->now, &s->last);
    return examine(s);
}

/* The equilibrium without loads, from which they grow; 1: there is none, s->now as it was. */
static int unloaded(lm_statics_search *s)
{
    lm_point_copy(s, &s->last, &s->now);
    if (examine(s) || take_reactions(s)) return 1;
    int rests = s->residual <= fmax(RELAXED, s->floor) && s->gap <= RELAXED;
    if (!rests && lm_statics_descend(s)) {
        lm_point_copy(s, &s->now, &s->last);
        return 1;
    }
    lm_point_copy(s, &s->last, &s->now);
    lm_point_copy(s, &s->start, &s->now);
    return 0;
}

/* Follow the path from the equilibrium s->now, where there is one. 1: it leads to the full load. */
static int follow(lm_statics_search *s)
{
    if (examine(s) || pushes_free(s)) return 0;
    s->neutral = s->now.factor > 0 ? 0 : s->stab->nfree;
    if (s->neutral && lm_statics_pushes_neutral(s)) {
        s->broke_at = 0;
        s->broke_mover = s->mover;
        return 0;
    }
    if (lm_statics_follow(s) == 0) return 1;
    if (s->status || s->nlimits) return 0;
    s->broke_at = s->last.factor;
    s->broke_mover = lm_stability_mover(s->stab, s->last.t);
    return 0;
}

/* The path is found again where it was lost in motions that are neutral without loads only: from a small
 * load on. What was recorded of it is none. */
static int follow_again(lm_statics_search *s)
{
    if (lm_statics_leave_neutral(s)) return 0;
    s->nlimits = s->points = 0;
    s->lost_at = s->broke_at = NAN;
    s->most = 0;
    s->run->sum->rows = s->rows;
    s->status = lm_record_truncate(s->run, 0, 0);
    if (!s->status) s->status = lm_statics_put(s);
    lm_point_copy(s, &s->last, &s->now);
    return !s->status && follow(s);
}

/* From the equilibrium without loads to the full load. 1: the path leads there. */
static int follow_from_none(lm_statics_search *s)
{
    if (s->status || follow(s)) return !s->status;
    int lost = s->nlimits || !isnan(s->broke_at);
    return !s->status && lost && s->neutral && follow_again(s);
}

/* Where the path cannot be followed: part of the load, more of it, or less on trouble. */
static limber_status slide(lm_statics_search *s)
{
    double step = 1.0 / s->load_steps, least = step / (1 << HALVINGS);
    while (s->last.factor < 1 && !s->status && !s->nlimits) {
        double next = s->last.factor + step > 1 - 1e-9 ? 1 : s->last.factor + step;
        lm_point_copy(s, &s->now, &s->last);
        s->now.factor = next;
        if (lm_statics_descend(s) == 0) {
            s->status = lm_statics_put(s);
            lm_point_copy(s, &s->last, &s->now);
            if (!s->status && next < 1) follow(s);
            continue;
        }
        if (s->status) break;
        int mover = s->mover;
        if (!examine(s) && pushes_free(s)) return not_held(s);
        s->mover = mover;
        s->run->sum->rejected++;
        step *= 0.5;
        if (!s->status && step < least) return not_found(s, next);
    }
    return s->status;
}

/* Rows of the path after its first turn are none. */
static void drop_rows(lm_statics_search *s)
{
    s->run->sum->rows = s->rows + s->turned_rows;
    s->status = lm_record_truncate(s->run, s->turned_rows, 0);
}

/* A path that turns or breaks off without load is that of a mechanism which nothing holds: it slides. */
static void forget_path(lm_statics_search *s)
{
    if (!isnan(s->broke_at) && s->broke_at < LM_NO_LOAD) s->broke_at = NAN;
    if (s->nlimits == 0 || s->most >= LM_NO_LOAD) return;
    s->nlimits = 0;
    lm_point_copy(s, &s->last, &s->turned);
    drop_rows(s);
}

/* The path turned and does not come back to the full load: downhill under it, from where it turned first. */
static void snap(lm_statics_search *s)
{
    lm_point_copy(s, &s->now, &s->turned);
    s->now.factor = 1;
    s->snapped = lm_statics_descend(s) == 0;
    if (!s->snapped || s->status) return;
    lm_point_copy(s, &s->last, &s->now);
    drop_rows(s);
    if (!s->status) s->status = lm_statics_put(s);
}

static limber_status search(lm_statics_search *s, lm_loc loc)
{
    if (lm_statics_evaluate(s, 1)) return not_evaluated(s);
    int reached = unloaded(s) == 0 && follow_from_none(s);
    limber_status st = s->status;
    if (!st && !reached) forget_path(s);
    if (!st && !reached && s->nlimits) snap(s);
    if (!st && !reached && !s->snapped) st = slide(s);
    if (!st) st = s->status;
    if (!st && s->last.factor < 1) st = gave_way(s);
    if (st) return st;
    lm_point_copy(s, &s->now, &s->last);
    if (lm_statics_opens(s)) return s->status ? s->status : locks(s);
    if (!reached) examine(s);
    if (s->status) return s->status;
    say(s, loc);
    return s->run->diag->out_of_memory ? LIMBER_MEMORY : LIMBER_OK;
}

/* The whole load on the stiffness of the start, in one step: small displacements. Where they lead is
 * no equilibrium, and what comes after starts where this did. */
static limber_status one_step(lm_statics_search *s, lm_loc loc)
{
    if (lm_statics_evaluate(s, 1)) return not_evaluated(s);
    if (unloaded(s)) return s->status ? s->status : not_found(s, 0);
    if (lm_statics_start_loads(s)) return not_evaluated(s);
    if (examine(s)) return s->status ? s->status : not_found(s, 0);
    if (pushes_free(s)) return not_held(s);
    s->now.factor = 1;
    if (lm_statics_evaluate(s, 0)) return not_evaluated(s);
    lm_statics_rhs(s, s->r, s->x);
    lm_statics_solve(s, s->x);
    s->iterations++;
    lm_rigid_motion_look(s->run, s->x);
    limber_status st = lm_statics_put_linear(s, s->x);
    if (!st) say_held(s, loc);
    return st == LIMBER_INTERNAL ? not_evaluated(s) : st;
}

static void tell_outputs(const lm_run *run)
{
    const lm_spec *spec = run->model->spec;
    if (!run->opt->output || !run->file) return;
    for (int i = 0; i < spec->outputs.n; i++)
        run->opt->output(run->opt->output_context, i, spec->outputs.at[i].item.name,
                         run->row[1 + i]);
}

limber_status lm_statics(lm_run *run, const lm_spec_analysis *a)
{
    lm_statics_search s = {.run = run, .rows = run->sum->rows};
    limber_status st = run->resuming ? lm_record_truncate(run, 0, 0) : LIMBER_OK; /* anew */
    double softness = run->sys->softness;
    run->sys->still = 1;
    if (!st) st = lm_rigid_motion_balance(run, a);
    if (!st) st = begin(&s, a);
    if (!st) st = a->linear ? one_step(&s, a->loc) : search(&s, a->loc);
    run->sys->load_factor = 1;
    run->sys->softness = softness;
    run->sys->start_loads = NULL;
    run->t = 0;
    if (s.start.q) lm_small_look(run, s.last.q);
    if (s.start.q && !st) lm_left_out_look(run, &(lm_state){.t = 0, .q = s.last.q});
    if (!st && lm_small_divide(run)) st = lm_stop(run, LIMBER_STOPPED, "beams are divided further");
    lm_small_warn(run);
    run->sys->still = 0;
    lm_rigid_motion_warn(run, 0, a->linear, a->loc);
    if (s.start.q) lm_range_look(run, s.last.q, NULL);
    lm_range_warn(run);
    if (s.start.q) lm_turns_look(run, s.last.q);
    lm_turns_warn(run);
    if (s.start.q && !a->linear) lm_mesh_look(run, s.last.q);
    lm_mesh_warn(run, a->type);
    if (!st && !a->linear) {
        memcpy(run->q, s.last.q, sizeof(double) * (size_t)s.sys->nq);
        memset(run->v, 0, sizeof(double) * (size_t)s.sys->nv);
        for (int k = 0; s.rest && k < s.rest->n; k++)
            run->v[s.sys->nv + k] = s.rest->held[s.sys->nv + k]; /* those that follow the motion */
    }
    run->sum->iterations += s.iterations;
    run->sum->t = a->linear && !st ? 1 : s.last.factor;
    snprintf(run->sum->method, sizeof run->sum->method, a->linear ? "linear" : "newton");
    if (st == LIMBER_MEMORY) lm_stop(run, st, "out of memory");
    st = lm_record_end(run, st);
    if (!st) tell_outputs(run);
    lm_linear_destroy(s.lin);
    lm_stability_destroy(s.stab);
    lm_rest_destroy(s.rest);
    lm_arena_free(&s.arena);
    return st;
}
