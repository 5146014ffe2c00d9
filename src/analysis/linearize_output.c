/* Derivatives of the outputs along each direction: positions, velocities, accelerations and
 * reactions change together, as the equations of motion say. */
#include "analysis/linearize.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define STEP 1e-3 /* the first; over the size, or in radians */
enum { LEVELS = 8, FINER = 8 };

typedef struct probe {
    lm_linearized *l;
    lm_way way;                   /* along the direction: what is stiff is taken by its tangent */
    int j;                        /* the direction */
    double *q, *v, *a, *lam, *dx; /* a state on it */
    double *all;                  /* all outputs of the model there */
    double *coarse, *fine, *off;  /* [ny] two differences; the best error so far */
    double *size;                 /* [ny] of the outputs themselves */
} probe;

/* The model's outputs at the place s of the direction. */
static int outputs_at(probe *p, double s)
{
    lm_linearized *l = p->l;
    lm_system *sys = l->sys;
    const lm_integrator *g = l->m.g;
    int nv = sys->nv, input = p->j - 2 * l->n;
    size_t at = (size_t)nv * (size_t)p->j, row = (size_t)l->na * (size_t)p->j;
    for (int i = 0; i < nv; i++) {
        p->dx[i] = s * l->dx[at + (size_t)i];
        p->v[i] = (l->v ? g->v : l->m.v0)[i] + s * l->dv[at + (size_t)i];
        p->a[i] = (l->v ? g->a : l->m.a0)[i] + s * l->da[at + (size_t)i];
    }
    lm_copy(p->lam, g->lam, sys->nl);
    for (int r = 0; r < l->na; r++) p->lam[l->row[r]] += s * l->dlam[row + (size_t)r];
    lm_state st = {l->t, p->q, p->v, p->a, p->lam};
    double *u = input < 0 ? NULL : &l->u[lm_linearized_input_at(l, input)];
    if (u) *u = s;
    sys->inputs = l->u;
    sys->along = &p->way;
    p->way.s = s;
    int bad = sys->form->retract(sys, g->q, p->dx, p->q) || sys->form->outputs(sys, &st, p->all);
    sys->inputs = NULL;
    sys->along = NULL;
    if (u) *u = 0;
    return bad;
}

static int central(probe *p, double h, double *out)
{
    const lm_linearized *l = p->l;
    if (outputs_at(p, h)) return 1;
    for (int i = 0; i < l->ny; i++) out[i] = p->all[l->output[i]] / (2 * h);
    if (outputs_at(p, -h)) return 1;
    for (int i = 0; i < l->ny; i++) out[i] -= p->all[l->output[i]] / (2 * h);
    return 0;
}

/* A step that moves nothing by more than STEP. */
static double first_step(const probe *p)
{
    const lm_linearized *l = p->l;
    size_t nv = (size_t)l->sys->nv, at = nv * (size_t)p->j;
    double moves = 0, speeds = 0, speed = 1, force = 1, accels = 0;
    int of = p->j < 2 * l->n ? l->state[p->j % l->n] : 0;
    if (of >= l->sys->nv - l->sys->nvariables) return STEP * fmax(1, fabs(l->m.v0[of]));
    for (size_t i = 0; i < nv - (size_t)l->sys->nvariables; i++) {
        moves = fmax(moves, fabs(l->dx[at + i]) / l->m.unit[i]);
        speeds = fmax(speeds, fabs(l->dv[at + i]) / l->m.unit[i]);
        accels = fmax(accels, fabs(l->da[at + i]) / l->m.unit[i]);
        if (l->v) speed = fmax(speed, fabs(l->m.g->v[i]) / l->m.unit[i]);
    }
    for (int k = 0; k < l->sys->nl; k++) force = fmax(force, fabs(l->m.g->lam[k]));
    if (p->j >= 2 * l->n) return STEP * force;
    double most = fmax(moves, speeds / speed);
    return STEP / (most > 0 ? most : accels); /* accelerations alone: all is linear in them */
}

/* Differences with h and h/2 agree where h is small enough, up to rounding; where they do not, h is
 * taken smaller, and of each output the step that does best is kept. */
static int derivative(probe *p, double *out)
{
    const lm_linearized *l = p->l;
    double h = first_step(p);
    for (int i = 0; i < l->ny; i++) p->off[i] = INFINITY;
    for (int level = 0, good = 0; level < LEVELS && !good; level++, h /= FINER) {
        if (central(p, h, p->coarse) || central(p, h / 2, p->fine)) {
            if (level == LEVELS - 1) return 1;
            continue;
        }
        good = 1;
        for (int i = 0; i < l->ny; i++) {
            double off = fabs(p->fine[i] - p->coarse[i]), d = p->fine[i];
            if (off < p->off[i]) p->off[i] = off, out[i] = d + (d - p->coarse[i]) / 3;
            if (!(p->off[i] <= 1e-6 * fabs(d) + 1e3 * DBL_EPSILON * p->size[i] / h)) good = 0;
        }
    }
    for (int i = 0; i < l->ny; i++)
        if (!isfinite(p->off[i])) return 1;
    return 0;
}

static int make_probe(lm_linearized *l, probe *p, lm_arena *temp)
{
    size_t nv = (size_t)l->sys->nv, ny = (size_t)l->ny;
    size_t nout = (size_t)l->sys->model->spec->outputs.n;
    double *x = LM_NEW_N(temp, double,
                         (size_t)l->sys->nq + 3 * nv + (size_t)l->sys->nl + nout + 4 * ny + 1);
    if (!x) return -1;
    *p = (probe){.l = l, .q = x};
    p->v = p->q + l->sys->nq, p->a = p->v + nv, p->dx = p->a + nv, p->lam = p->dx + nv;
    p->all = p->lam + l->sys->nl, p->coarse = p->all + nout, p->fine = p->coarse + ny;
    p->off = p->fine + ny, p->size = p->off + ny;
    return 0;
}

/* The way of direction j. */
static void begin_way(probe *p, int j)
{
    const lm_linearized *l = p->l;
    const lm_integrator *g = l->m.g;
    size_t at = (size_t)l->sys->nv * (size_t)j;
    p->j = j;
    p->way = (lm_way){
        .at = {l->t, g->q, l->v ? g->v : l->m.v0, l->v ? g->a : l->m.a0, g->lam},
        .dx = l->dx + at,
        .dv = l->dv + at,
        .da = l->da + at,
        .number = ++l->sys->nways,
    };
}

/* Motions without mass follow inputs at once: outputs of velocities and accelerations show the rates of these,
 * which no state space holds. The first such output and input. */
static int by_rates(probe *p, lm_arena *temp)
{
    lm_linearized *l = p->l;
    int column = lm_linearized_column(l), bad = 0;
    double *d = LM_NEW_N(temp, double, l->ny + 1);
    l->rated[0] = l->rated[1] = -1;
    for (int k = 0; k < l->nu && column >= 0 && d && !bad && l->rated[0] < 0; k++) {
        lm_linearized_by_rate(l, k);
        memset(l->dlam + (size_t)l->na * (size_t)column, 0, sizeof(double) * (size_t)l->na);
        begin_way(p, column);
        double h = first_step(p);
        if (!isfinite(h)) continue; /* nothing moves */
        bad = derivative(p, d);
        for (int i = 0; i < l->ny && !bad && l->rated[0] < 0; i++)
            if (fabs(d[i]) * h > 1e3 * DBL_EPSILON * p->size[i]) l->rated[0] = i, l->rated[1] = k;
    }
    return d ? bad : -1;
}

limber_status lm_linearized_outputs(lm_linearized *l)
{
    lm_arena temp = {0};
    probe p;
    int bad = 0, k = 2 * l->n + l->nu, ny = l->ny;
    if (ny == 0 || k == 0) return LIMBER_OK;
    if (make_probe(l, &p, &temp)) return LIMBER_MEMORY;
    begin_way(&p, 0);
    bad = outputs_at(&p, 0);
    for (int i = 0; i < ny; i++) p.size[i] = fabs(p.all[l->output[i]]);
    for (int j = 0; j < k && !bad; j++) {
        if (j < 2 * l->n && !lm_linearized_keeps(l, j)) continue;
        double *to = j < 2 * l->n ? l->C + (size_t)ny * (size_t)j
                                  : l->D1 + (size_t)ny * (size_t)(j - 2 * l->n);
        begin_way(&p, j);
        bad = derivative(&p, to);
    }
    if (!bad) bad = by_rates(&p, &temp);
    begin_way(&p, 0);
    if (!bad) bad = outputs_at(&p, 0); /* leaves what outputs have read at the state itself */
    lm_arena_free(&temp);
    return bad ? lm_fail(&l->failure, LIMBER_STOPPED,
                         "an output has no derivative at the state, or is no number "
                         "near it")
               : LIMBER_OK;
}
