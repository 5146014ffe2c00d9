/* The impulse of a force of the state along the motion of a step, and what the method makes of it. */
#include "analysis/zones.h"

#include <math.h>

/* Bend of a piece, over how far the force has changed, up to which its values show it. */
#define PLAIN 0.25
/* Of a force: smaller changes are rounding of the state. */
#define ROUNDING 1e-9
enum { NARROW = 2 }; /* halvings of half a step, which a force takes that does not last */
/* Of what is off or may be: what may be in doubt. */
#define SURE 0.1
/* Of the step: shorter pieces are not divided. */
#define LEAST 1e-13
/* ... if a branch may change in them, which is what events are for. */
#define OPEN 0.05

static double *slots_of(const lm_zones *x, int node) { return x->slots + node * x->nslots; }

static double length(const lm_zones *x, const lm_zone_piece *p)
{
    return x->t[p->to] - x->t[p->from];
}

int lm_zone_node(lm_dynamics_run *d, int k, double t)
{
    lm_zones *x = d->zones;
    lm_integrator *g = d->g;
    int now = t >= g->clock->t, bad = now ? 0 : lm_trial_inside(d, t, x->all);
    lm_state s =
        now ? (lm_state){t, g->q, g->v, g->a, g->lam} : (lm_state){t, d->q, d->v, d->a, d->lam};
    x->t[k] = t;
    if (bad || g->sys->form->guards(g->sys, &s, x->guards)) return 1;
    lm_copy(slots_of(x, k), g->sys->form->ports->slots(g->sys), x->nslots);
    return 0;
}

double lm_zone_value(lm_zones *x, const lm_zone *z, int node)
{
    return lm_expr_eval(z->between.e, slots_of(x, node), x->scratch);
}

/* Bounds over a piece; *a, *b: values at its ends. */
static lm_bound bounds(lm_zones *x, lm_zone *z, const lm_zone_piece *p, double *a, double *b)
{
    const double *u = slots_of(x, p->triple[0]), *v = slots_of(x, p->triple[1]),
                 *w = slots_of(x, p->triple[2]);
    int last = z->between.e->nops - 1;
    for (int i = 0; i < x->nslots; i++) x->bend[i] = u[i] - 2 * v[i] + w[i];
    lm_bound o = lm_between_bound(&z->between, slots_of(x, p->from), slots_of(x, p->to), x->bend);
    *a = z->between.first[last], *b = z->between.last[last];
    return o;
}

/* ---- whether a step needs more than a look ---- */

/* 1: the force bends within a piece as short as that, or is not known to do so, by more than its values show. */
static int bends(lm_dynamics_run *d, lm_zone *z, lm_zone_piece p, int level)
{
    lm_zones *x = d->zones;
    double a, b;
    lm_bound o = bounds(x, z, &p, &a, &b);
    *z->range = fmax(*z->range, fabs(b - a));
    *z->range = fmax(*z->range, ROUNDING * fmax(fabs(a), fabs(b)));
    if (o.d.hi - o.d.lo <= PLAIN * *z->range) return 0;
    if (level == NARROW || x->nnodes + 2 >= LM_ZONE_NODES) return !o.open;
    int middle = x->nnodes++;
    if (lm_zone_node(d, middle, 0.5 * (x->t[p.from] + x->t[p.to]))) return 0;
    lm_zone_piece q = {.from = p.from, .to = middle, .triple = {p.from, middle, p.to}};
    lm_zone_piece r = {.from = middle, .to = p.to, .triple = {p.from, middle, p.to}};
    return bends(d, z, q, level + 1) || bends(d, z, r, level + 1);
}

int lm_zone_is_narrow(lm_dynamics_run *d, lm_zone *z)
{
    lm_zones *x = d->zones;
    *z->range = fmax(0.9 * *z->range, fabs(lm_zone_value(x, z, 2) - lm_zone_value(x, z, 0)));
    x->nnodes = 3;
    for (int k = 0; k < 2; k++)
        if (bends(d, z, (lm_zone_piece){.from = k, .to = k + 1, .triple = {0, 1, 2}}, 0)) return 1;
    return 0;
}

/* ---- the integral ---- */

typedef struct search {
    lm_dynamics_run *d;
    lm_zones *x;
    lm_zone *z;
    double start, end; /* the force there */
    double step;
    double range;
    double error; /* of a multistep method that is no rule */
} search;

/* Boole's rule, and how far Simpson's is from it. */
static int integrate(search *s, lm_zone_piece *p, double a, double b)
{
    lm_zones *x = s->x;
    double from = x->t[p->from], h = length(x, p), f[5] = {a, 0, 0, 0, b}, way = 0;
    static const double w[5] = {7. / 90, 32. / 90, 12. / 90, 32. / 90, 7. / 90};
    for (int i = 1; i < 4; i++) {
        if (lm_zone_node(s->d, x->nnodes, from + 0.25 * i * h)) return 1;
        f[i] = lm_zone_value(x, s->z, x->nnodes);
    }
    double simpson = 0, boole = 0;
    for (int i = 0; i < 5; i++) {
        f[i] -= *s->z->rest;
        boole += h * w[i] * f[i];
        way += h * w[i] * fabs(f[i]);
    }
    simpson = h / 6 * (f[0] + 4 * f[2] + f[4]);
    *p = (lm_zone_piece){p->from,
                         p->to,
                         {p->triple[0], p->triple[1], p->triple[2]},
                         1,
                         boole,
                         way,
                         0.1 * fabs(boole - simpson)};
    return 0;
}

static int look(search *s, lm_zone_piece *p)
{
    lm_zones *x = s->x;
    double a, b, h = length(x, p);
    lm_bound o = bounds(x, s->z, p, &a, &b);
    double bend = o.d.hi - o.d.lo, tall = o.u.hi - o.u.lo;
    if (!p->from) s->start = a;
    if (p->to == 2) s->end = b;
    s->range = fmax(s->range, fmax(fabs(a - s->start), fabs(b - s->start)));
    s->range = fmax(s->range, ROUNDING * fmax(fabs(a), fabs(b)));
    if (bend <= PLAIN * s->range) return integrate(s, p, a, b);
    double rest = *s->z->rest;
    p->integral = h * (0.5 * (a + b) - rest);
    p->way = 0.5 * h * (fabs(a - rest) + fabs(b - rest));
    p->doubt = h > (o.open ? OPEN : LEAST) * s->step ? h * fmin(bend / 8, tall) : 0;
    return isnan(p->doubt);
}

static int divide(search *s, int k)
{
    lm_zones *x = s->x;
    lm_zone_piece *p = &x->piece[k], *q = &x->piece[x->npieces];
    int from = p->from, middle = x->nnodes, to = p->to;
    if (lm_zone_node(s->d, middle, 0.5 * (x->t[from] + x->t[to]))) return 1;
    x->nnodes++;
    *p = (lm_zone_piece){.from = from, .to = middle, .triple = {from, middle, to}};
    *q = (lm_zone_piece){.from = middle, .to = to, .triple = {from, middle, to}};
    x->npieces++;
    return look(s, p) || look(s, q);
}

/* ---- what the method makes of it ---- */

/* That of order k of a force with five values in the step: h^(k+1) f^(k)/(k + 1), for k up to 4. */
static double multistep_error(const search *s, int k, const double *f)
{
    double d[5], most = 0;
    if (k > 4) k = 4;
    for (int i = 0; i < 5; i++) d[i] = f[i];
    for (int j = 0; j < k; j++)
        for (int i = 0; i < 4 - j; i++) d[i] = 4 * (d[i + 1] - d[i]);
    for (int i = 0; i < 5 - k; i++) most = fmax(most, fabs(d[i]));
    return s->step * fmax(0, most / (k + 1) - ROUNDING * s->range);
}

static const lm_rule *rule_of(const lm_integrator *g)
{
    static const lm_rule trapezoid = {2, 3, {0, 1}, {0.5, 0.5}};
    static const lm_rule boole = {
        5, 7, {0, 0.25, 0.5, 0.75, 1}, {7. / 90, 32. / 90, 12. / 90, 32. / 90, 7. / 90}};
    return g->ops->rule ? g->ops->rule : g->ops->order ? &boole : &trapezoid;
}

static int by_method(search *s, double *out)
{
    lm_integrator *g = s->d->g;
    const lm_rule *r = rule_of(g);
    lm_zones *x = s->x;
    double at[5];
    *out = 0;
    for (int i = 0; i < r->n; i++) {
        double f = r->x[i] == 0 ? s->start : s->end;
        if (r->x[i] > 0 && r->x[i] < 1) {
            if (lm_zone_node(s->d, x->nnodes, x->t[0] + r->x[i] * s->step)) return 1;
            f = lm_zone_value(x, s->z, x->nnodes);
        }
        at[i] = f;
        *out += s->step * r->w[i] * (f - *s->z->rest);
    }
    s->error = g->ops->order ? multistep_error(s, g->ops->order(g), at) : 0;
    return 0;
}

/* ---- both ---- */

/* Until what is in doubt is small beside what may be off, or is. */
static int refine(search *s, double accuracy, double least, double made, lm_zone_impulse *out)
{
    lm_zones *x = s->x;
    for (;;) {
        double doubt = 0, sum = 0;
        int worst = 0;
        out->size = 0;
        for (int k = 0; k < x->npieces; k++) {
            const lm_zone_piece *p = &x->piece[k];
            doubt += p->doubt, sum += p->integral, out->size += p->way;
            if (p->doubt > x->piece[worst].doubt) worst = k;
        }
        double noise = 1e-3 * ROUNDING * s->step * s->range;
        out->off = fmax(s->error, fabs(sum - made) - noise);
        double may = fmax(accuracy * (out->size + least), out->off);
        if (doubt <= SURE * may) return !isfinite(out->off);
        if (x->npieces == LM_ZONE_PIECES || x->nnodes + 2 >= LM_ZONE_NODES) return 0;
        if (divide(s, worst)) return 1;
    }
}

/* Where the force begins, how fast it changes, and where it is largest. */
static void describe(const search *s, double part, lm_zone_impulse *out)
{
    const lm_zones *x = s->x;
    double most = 0;
    out->first = out->peak = x->t[0];
    out->cell = s->step;
    double first = INFINITY;
    for (int k = 0; k < x->npieces; k++) {
        const lm_zone_piece *p = &x->piece[k];
        double h = length(x, p);
        if (p->way >= 1e-3 * out->size) out->cell = fmin(out->cell, h), out->length += h;
        if (p->way > part * out->size) first = fmin(first, x->t[p->from]);
        if (p->way / h > most) most = p->way / h, out->peak = x->t[p->from] + 0.5 * h;
    }
    if (first < INFINITY) out->first = first;
}

int lm_zone_measure(lm_dynamics_run *d, lm_zone *z, double accuracy, double least,
                    lm_zone_impulse *out)
{
    lm_zones *x = d->zones;
    search s = {.d = d, .x = x, .z = z, .step = x->t[2] - x->t[0], .range = *z->range};
    double made;
    x->nnodes = 3, x->npieces = 2;
    *out = (lm_zone_impulse){0};
    for (int k = 0; k < 2; k++) {
        x->piece[k] = (lm_zone_piece){.from = k, .to = k + 1, .triple = {0, 1, 2}};
        if (look(&s, &x->piece[k])) return 1;
    }
    if (by_method(&s, &made) || refine(&s, accuracy, least, made, out)) return 1;
    describe(&s, 0.1 * accuracy, out);
    return 0;
}
