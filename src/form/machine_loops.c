/* Values that depend on each other in a circle: resistances that ask each other, a law given the wrong way
 * round, a limiter around itself. Each such set is solved wherever sensors are evaluated, by Newton's method
 * with shorter steps where the full one leads away, so that what remains of the machine sees values that
 * follow from the others. */
#include "form/machine_int.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ITERATIONS = 100, HALVINGS = 30 };

/* What a value is measured in: it may be far beyond all that it has been. */
static double unit(const machine *s, int k)
{
    return fmax(lm_variable_scale(&s->sys, k), fabs(s->loop_start[k]));
}

/* x - f(x) of the set, its values in the slots, or what is to be 0; its length, each over the unit of its
 * equation. */
static double residual(machine *s, const machine_loop *l, double *slots, double *r)
{
    const double *of_row = s->loop_room + 4 * l->n;
    double sum = 0;
    for (int i = 0; i < l->n; i++) {
        const lm_spec_variable *x = &s->spec->variables.at[l->member[i]];
        r[i] = x->implicit ? -lm_expr_eval(&x->rest, slots, s->scratch)
                           : s->x[l->member[i]] - lm_expr_eval(&x->expr, slots, s->scratch);
        sum += r[i] / of_row[i] * (r[i] / of_row[i]);
    }
    return sqrt(sum);
}

static void put(machine *s, const machine_loop *l, const double *x, double *slots)
{
    for (int i = 0; i < l->n; i++) {
        s->x[l->member[i]] = x[i];
        if (s->slot[l->member[i]]) slots[s->slot[l->member[i]]] = x[i];
    }
}

/* I - df/dx, by columns, of values in their units: pressures beside flows. Equations that set one are in its
 * unit, others in that of what counts most in them (`units`: these are found). */
static void matrix(machine *s, const machine_loop *l, const double *slots, double *A, int units)
{
    int n = l->n;
    double *of_row = s->loop_room + 4 * n;
    memset(A, 0, sizeof(double) * (size_t)n * (size_t)n);
    for (int i = 0; i < n; i++) {
        const lm_spec_variable *x = &s->spec->variables.at[l->member[i]];
        const lm_expr *e = x->implicit ? &x->rest : &x->expr;
        double own = unit(s, l->member[i]), most = x->implicit ? 0 : own;
        if (!x->implicit) A[i + n * i] = own;
        lm_expr_grad(e, slots, s->scratch, s->grad);
        for (int k = 0; k < e->ninputs; k++)
            for (int j = 0; j < n; j++) {
                if (s->slot[l->member[j]] != e->inputs[k] || e->inputs[k] == LM_SLOT_T) continue;
                A[i + n * j] -= s->grad[k] * unit(s, l->member[j]);
                if (x->implicit) most = fmax(most, fabs(A[i + n * j]));
            }
        if (units) of_row[i] = most > 0 && isfinite(most) ? most : 1;
        for (int j = 0; j < n; j++) A[i + n * j] /= of_row[i];
    }
}

/* Gauss's elimination with the largest pivot of each column. */
static int solve(int n, double *A, double *b)
{
    for (int c = 0; c < n; c++) {
        int p = c;
        for (int r = c + 1; r < n; r++)
            if (fabs(A[r + n * c]) > fabs(A[p + n * c])) p = r;
        if (!(fabs(A[p + n * c]) > 0) || !isfinite(A[p + n * c])) return 1;
        for (int k = c; k < n && p != c; k++) {
            double t = A[c + n * k];
            A[c + n * k] = A[p + n * k], A[p + n * k] = t;
        }
        double t = b[c];
        b[c] = b[p], b[p] = t;
        for (int r = c + 1; r < n; r++) {
            double f = A[r + n * c] / A[c + n * c];
            for (int k = c; k < n && f != 0; k++) A[r + n * k] -= f * A[c + n * k];
            b[r] -= f * b[c];
        }
    }
    for (int r = n - 1; r >= 0; r--) {
        for (int k = r + 1; k < n; k++) b[r] -= A[r + n * k] * b[k];
        b[r] /= A[r + n * r];
    }
    return 0;
}

/* A step along d, or the part of it that makes the set close better. Returns what is left. */
static double take_step(machine *s, const machine_loop *l, double before, double *slots)
{
    double *x = s->loop_room, *d = x + l->n, *trial = d + l->n, *r = trial + l->n, part = 1;
    double left = INFINITY;
    for (int k = 0; k < HALVINGS; k++, part *= 0.5) {
        for (int i = 0; i < l->n; i++) trial[i] = x[i] - part * d[i];
        put(s, l, trial, slots);
        left = residual(s, l, slots, r);
        if (left <= fmax((1 - 0.1 * part) * before, 1e-15)) break;
    }
    memcpy(x, trial, sizeof(double) * (size_t)l->n);
    return left;
}

/* 1 when the last step was rounding for every value. */
static int stands(const machine *s, const machine_loop *l)
{
    const double *x = s->loop_room, *d = x + l->n;
    for (int i = 0; i < l->n; i++) {
        double size = fmax(fabs(x[i]), 1e-3 * unit(s, l->member[i]));
        if (!(fabs(d[i]) <= 1e-13 * size)) return 0;
    }
    return 1;
}

/* 1 when what is left of every equation is small against what stands in it. */
static int near(const machine *s, const machine_loop *l)
{
    const double *x = s->loop_room, *r = x + 3 * l->n, *of_row = x + 4 * l->n;
    for (int i = 0; i < l->n; i++)
        if (!(fabs(r[i]) <= 1e-11 * fmax(1, fabs(x[i]) / unit(s, l->member[i])) * of_row[i]))
            return 0;
    return 1;
}

/* From the values in x on. */
static int search(machine *s, const machine_loop *l, double *slots)
{
    double *x = s->loop_room, *d = x + l->n, *r = d + 2 * l->n, *of_row = r + l->n;
    double *A = of_row + l->n, last = INFINITY;
    put(s, l, x, slots);
    matrix(s, l, slots, A, 1);
    double left = residual(s, l, slots, r);
    for (int it = 0; it < ITERATIONS && isfinite(left); it++) {
        if (it > 0) matrix(s, l, slots, A, 0);
        for (int i = 0; i < l->n; i++) d[i] = r[i] / of_row[i];
        if (solve(l->n, A, d)) return 1;
        for (int i = 0; i < l->n; i++) d[i] *= unit(s, l->member[i]);
        left = take_step(s, l, left, slots);
        if (left == 0 || stands(s, l)) return 0;
        if (left >= 0.5 * last && near(s, l)) return 0; /* that is rounding */
        last = left;
    }
    return 1;
}

/* From where the values are; else from their first guesses and beyond, as a valve that is shut at the guess
 * tells nothing of where it opens. */
static int search_far(machine *s, const machine_loop *l, double *slots)
{
    static const double size[] = {0, 1e-6, 1e-3, 1, 1e2, 1e4, 1e6, 1e7, 1e8, 1e9};
    enum { SIZES = sizeof size / sizeof size[0] };
    double *x = s->loop_room;
    for (int i = 0; i < l->n; i++) x[i] = s->loop_start[l->member[i]];
    if (search(s, l, slots) == 0) return 0;
    for (int k = 0; k < 2 * SIZES; k++) {
        for (int i = 0; i < l->n; i++) {
            double away = k % 2 ? -size[k / 2] : size[k / 2];
            s->loop_start[l->member[i]] = x[i] = s->spec->variables.at[l->member[i]].initial + away;
        }
        if (search(s, l, slots) == 0) return 0;
    }
    return 1;
}

/* ---- the branch ---- */

enum { FOLLOWED = 200, QUICK = 12 }; /* pieces of a way; iterations that a piece may take */

/* What the set reads, `part` of the way from the last state to the present one. */
static void go_along(machine *s, const machine_loop *l, double part, double *slots)
{
    const double *from = s->sys.discrete->settled_slot, *to = s->loop_slots;
    for (int i = 0; i < l->n; i++) {
        const lm_spec_variable *x = &s->spec->variables.at[l->member[i]];
        const lm_expr *e = x->implicit ? &x->rest : &x->expr;
        for (int k = 0; k < e->ninputs; k++) {
            int slot = e->inputs[k];
            if (slot >= 0)
                slots[slot] = part < 1 ? from[slot] + part * (to[slot] - from[slot]) : to[slot];
        }
    }
}

/* Newton's method with full steps, each at most half of the one before: then there is one solution near the
 * values in x, and it is found. 1: not so. */
static int follow(machine *s, const machine_loop *l, double *slots)
{
    double *x = s->loop_room, *d = x + l->n, *r = d + 2 * l->n, *of_row = r + l->n;
    double *A = of_row + l->n, last = INFINITY;
    put(s, l, x, slots);
    for (int it = 0; it < QUICK; it++) {
        double most = 0;
        matrix(s, l, slots, A, 1);
        if (!isfinite(residual(s, l, slots, r))) return 1;
        for (int i = 0; i < l->n; i++) d[i] = r[i] / of_row[i];
        if (solve(l->n, A, d)) return 1;
        for (int i = 0; i < l->n; i++) {
            if (!(fabs(d[i]) <= most)) most = fabs(d[i]);
            x[i] -= d[i] * unit(s, l->member[i]);
        }
        put(s, l, x, slots);
        if (most < 1e-7) return 0;
        if (!(most <= 0.5 * last)) return 1;
        last = most;
    }
    return 1;
}

/* At the corner of a law Newton's method goes to and fro: the solution behind it is near all the same. */
static int is_near(const machine *s, const machine_loop *l, const double *was)
{
    static const double near = 0.01;
    for (int i = 0; i < l->n; i++)
        if (!(fabs(s->loop_room[i] - was[i]) <= near * unit(s, l->member[i]))) return 0;
    return 1;
}

/* From the values of the last state on, along the straight way of what is read: of several solutions the one that
 * goes on. 1: there is none beyond some place, with the values there in loop_start. */
static int follow_branch(machine *s, const machine_loop *l, double *slots)
{
    static const double least = 1e-4;
    double *x = s->loop_room, *was = s->loop_start, at = 0, piece = 1;
    memcpy(s->loop_slots, slots, sizeof(double) * (size_t)(s->spec->sensors.n + 1));
    for (int i = 0; i < l->n; i++) was[l->member[i]] = s->sys.discrete->settled_value[l->member[i]];
    for (int n = 0; n < FOLLOWED && at < 1; n++) {
        double to = fmin(at + piece, 1), *here = s->loop_room + 5 * l->n + l->n * l->n;
        go_along(s, l, to, slots);
        for (int i = 0; i < l->n; i++) x[i] = here[i] = was[l->member[i]];
        int bad = follow(s, l, slots);
        if (bad && piece <= least) {
            memcpy(x, here, sizeof(double) * (size_t)l->n);
            bad = search(s, l, slots) || !is_near(s, l, here);
        }
        if (bad && piece <= least) break;
        piece = bad ? fmax(0.25 * piece, least) : 2 * piece;
        if (bad) continue;
        for (int i = 0; i < l->n; i++) was[l->member[i]] = x[i];
        at = to;
    }
    go_along(s, l, 1, slots);
    if (at < 1) return 1;
    for (int i = 0; i < l->n; i++) x[i] = was[l->member[i]];
    return search(s, l, slots);
}

void machine_solve_loop(machine *s, const machine_loop *l, double *slots)
{
    double *x = s->loop_room;
    if (*s->sys.discrete->settled != 0 && !s->sys.steady) {
        if (follow_branch(s, l, slots) == 0) return;
        s->loop_left = 1 + (int)(l - s->loop);
    }
    if (search_far(s, l, slots) == 0) return;
    for (int i = 0; i < l->n; i++) x[i] = NAN;
    put(s, l, x, slots);
    snprintf(s->sys.trouble, sizeof s->sys.trouble,
             "no values were found that satisfy the loop through %.200s: its equations contradict "
             "each other, "
             "or a law turns back; a small C or I, or a filter, between its parts takes it apart",
             s->spec->variables.at[l->member[0]].name);
    s->loop_failed = 1;
}

/* ---- states that have been reached ---- */

void lm_machine_keep(lm_system *sys, const lm_state *st)
{
    machine *s = (machine *)sys;
    const lm_discrete *d = sys->discrete;
    if (!sys->nvariables || s->nloops == 0 || sys->steady) return;
    lm_state in = machine_enter(s, st);
    s->loop_left = s->loop_failed = 0;
    int bad = s->in->form->residual(s->in, &in, s->track_r, s->track_r + s->in->nv, NULL);
    if (s->loop_left) s->branch = s->loop_left;
    if (bad || s->loop_failed) return;
    const double *slots = s->in->form->ports->slots(s->in);
    memcpy(d->settled_value, s->x, sizeof(double) * (size_t)s->n);
    memcpy(d->settled_slot, slots, sizeof(double) * (size_t)(s->spec->sensors.n + 1));
    *d->settled = 1;
}

int lm_machine_left_branch(lm_system *sys, const char **name)
{
    machine *s = (machine *)sys;
    if (!sys->nvariables || s->branch == 0) return 0;
    *name = s->spec->variables.at[s->loop[s->branch - 1].member[0]].name;
    s->branch = 0;
    return 1;
}
