/* Closing loops.
 *
 * Along a path on which the prescribed coordinates and the gaps of the drawing go to their final
 * values, every step solves
 *
 *     r(q_k (+) x, lam) + mu M x = 0,    phi = (1 - done) phi(start)
 *
 * with r the forces of the elastic bodies alone: the least elastic energy, and among positions of
 * equal energy the nearest by mass, so that what is free to move stays where it is. mu is small
 * against the stiffness; at the end the step is repeated until x vanishes, which takes mu out of the
 * result. (docs/theory/statics.md) */
#include "analysis/assemble.h"

#include "form/machine.h"

#include <math.h>
#include <string.h>

enum { ITERATIONS = 20, STEPS = 3000, RELAXATIONS = 60 };
#define POSITIONS   1
#define VELOCITIES  2
#define LONGEST     0.2   /* a step: over the size or in radians */
#define SHORTEST    1e-5  /* part of the way */
#define CONVERGED   1e-10 /* correction */
#define FLOOR       1e-7  /* correction at which one that shrinks no more is rounding */
#define RELAXED     1e-9  /* step at the end */
#define NEARNESS    1e-9  /* mu M over K, largest entries of both */
#define NEARNESS_LO 1e-12
#define SOFTNESS    1e-11 /* of loop rows, in the matrix only */
#define STRAYED     1e-6  /* a prescribed coordinate left behind */
#define STRETCH     0.1   /* relative: beyond it no material is linear */
#define STRAINED    1e-17 /* energy over K size^2 that is more than rounding */

typedef struct path {
    lm_run *run;
    lm_bare bare;
    lm_system *sys;
    lm_linear *lin;
    lm_arena arena;
    int nv, nl;
    double size, scale, mass, mu; /* scale: 1 / stiffness; mass: unit; mu: over 1 / (scale mass) */
    double *q, *lam, *q0, *lam0;  /* now, and at the start of the step */
    double *way, *a, *zero;       /* [nv] of the step; mu times it; zeros */
    double *r, *x;                /* [2 (nv + nl)] */
    double *pose;                 /* [7 nposes] */
    double predicted;             /* size of the first increment of the last step */
    int iterations;
} path;

/* ---- equations ---- */

static int evaluate(path *p)
{
    double mu = p->mu / (p->scale * p->mass);
    for (int i = 0; i < p->nv; i++) p->a[i] = mu * p->way[i];
    lm_state st = {0, p->q, p->zero, p->a, p->lam};
    return p->sys->form->residual(p->sys, &st, p->r, p->r + p->nv, NULL);
}

static int factor(path *p)
{
    lm_state st = {0, p->q, p->zero, p->a, p->lam};
    double *values = lm_linear_values(p->lin);
    p->sys->softness = SOFTNESS;
    p->sys->regular_mass = 1;
    int bad = p->sys->form->jacobian(p->sys, &st, p->mu / p->mass, 0, p->scale, values);
    p->sys->regular_mass = 0;
    return bad ? 1 : lm_linear_factor(p->lin);
}

/* Mean (largest 0) or largest entry on the diagonal of cM M + cK K, translations only. */
static double diagonal(path *p, double cM, double cK, int largest)
{
    lm_state st = {0, p->q, p->zero, p->zero, p->lam};
    double *values = lm_linear_values(p->lin), sum = 0, most = 0;
    int n = 0;
    if (p->sys->form->jacobian(p->sys, &st, cM, 0, cK, values)) return 1;
    for (int i = 0; i < p->nv; i++) {
        int k = lm_pattern_find(&p->sys->pattern, i, i);
        if (p->sys->angular[i] || k < 0 || !(values[k] > 0)) continue;
        sum += values[k], n++;
        most = fmax(most, values[k]);
    }
    double value = largest ? most : n ? sum / n : 0;
    return value > 0 ? value : 1;
}

/* mu at first: what is rigid has no energy to compare with. */
static double nearness(const path *p) { return p->run->sys->flexible ? NEARNESS : 1; }

static void set_scales(path *p)
{
    p->scale = 1 / diagonal(p, 0, 1, 1);
    p->mass = diagonal(p, 1, 0, 0);
}

/* One increment into p->x; its size, NAN, or < 0 for want of memory. */
static double increment(path *p)
{
    if (evaluate(p)) return NAN;
    int bad = factor(p);
    if (bad) return bad < 0 ? -1 : NAN;
    for (int i = 0; i < p->nv; i++) p->x[i] = -p->scale * p->r[i];
    for (int k = p->nv; k < p->nv + p->nl; k++)
        p->x[k] = -p->r[k] * (p->sys->active[k - p->nv] ? 1 : p->scale);
    lm_linear_solve(p->lin, p->x);
    return lm_motion_norm(p->sys, p->size, p->x);
}

static int move(path *p, int first)
{
    for (int i = 0; i < p->nv; i++) p->way[i] += p->x[i];
    for (int k = 0; k < p->nl; k++) p->lam[k] += p->x[p->nv + k] / p->scale;
    if (first) lm_motion_along_helix(p->sys, p->x);
    return p->sys->form->retract(p->sys, p->q, p->x, p->q);
}

/* ---- one step ---- */

static void keep(path *p)
{
    memcpy(p->q0, p->q, sizeof(double) * (size_t)p->sys->nq);
    memcpy(p->lam0, p->lam, sizeof(double) * (size_t)p->nl);
    memset(p->way, 0, sizeof(double) * (size_t)p->nv);
}

static void restore(path *p)
{
    memcpy(p->q, p->q0, sizeof(double) * (size_t)p->sys->nq);
    memcpy(p->lam, p->lam0, sizeof(double) * (size_t)p->nl);
}

/* Newton's method for the present targets. 0; 1: not found, the state is as before; < 0: memory. */
static int step(path *p)
{
    double before = INFINITY, earlier = INFINITY;
    keep(p);
    p->predicted = 0;
    for (p->iterations = 0; p->iterations < ITERATIONS; p->iterations++) {
        double size = increment(p);
        if (size < 0) return -1;
        if (p->iterations == 0) p->predicted = size;
        if (!(size <= LONGEST) || size > earlier) break;
        if (move(p, p->iterations == 0)) break;
        if (size <= CONVERGED || (size < FLOOR && size > 0.5 * before)) return 0;
        earlier = before, before = size;
    }
    restore(p);
    return 1;
}

/* ---- is it still a mechanism? ---- */

/* Largest change of the distance of two neighbouring nodes of a flexible body, relative. */
static void find_stretch(path *p, lm_assembly *out)
{
    const lm_model *m = p->run->model;
    out->stretch = 0;
    p->sys->form->poses(p->sys, p->q, p->pose);
    for (int i = 0; i + 1 < m->nnodes && p->sys->nposes == m->nnodes; i++) {
        double drawn = v3_norm(v3_sub(m->nodes[i + 1].x, m->nodes[i].x));
        if (!lm_assemble_elastic(m, i) || drawn < 1e-9 * p->size) continue;
        lm_v3 d = v3_sub(v3_from(p->pose + 7 * (i + 1)), v3_from(p->pose + 7 * i));
        double stretch = v3_norm(d) / drawn - 1;
        if (fabs(stretch) > fabs(out->stretch)) out->stretch = stretch, out->node = i;
    }
}

/* ---- the path ---- */

/* One step to the part `next` of the way, in which no body is stretched too far. */
static int advance(path *p, double next, lm_assembly *out)
{
    lm_assembly before = *out;
    if (p->sys->form->select_rows(p->sys, 0, p->q, POSITIONS) < 0) return -1;
    lm_bare_steer(&p->bare, next);
    int bad = step(p);
    if (bad) return bad;
    if (lm_bare_strayed(&p->bare, p->q, p->r, p->size) > STRAYED) {
        restore(p);
        return 1;
    }
    find_stretch(p, out);
    if (fabs(out->stretch) <= STRETCH) return 0;
    if (fabs(before.stretch) > 0.9 * STRETCH) out->overstretched = 1;
    out->stretch = before.stretch, out->node = before.node;
    restore(p);
    return 1;
}

/* From the state p->q to the final values. 0; 1: out->done says how far; < 0: memory. */
static int travel(path *p, lm_assembly *out)
{
    double part = 1;
    out->done = 0;
    for (int k = 0; k < STEPS && out->done < 1; k++) {
        double next = out->done + part >= 1 - 1e-9 ? 1 : out->done + part;
        int bad = advance(p, next, out);
        if (bad < 0) return -1;
        part = next - out->done;
        if (bad) {
            double shorter = p->predicted > LONGEST ? 0.9 * LONGEST / p->predicted : 0.5;
            part *= fmax(0.01, fmin(0.5, shorter));
            if (!(part >= SHORTEST) || out->overstretched) return 1;
            continue;
        }
        out->done = next;
        if (p->iterations < ITERATIONS / 2) part *= 2;
    }
    return out->done < 1;
}

/* Let mu die out. Where the energy hardly depends on a motion, it is not worth many steps. */
static int relax(path *p)
{
    if (!p->run->sys->flexible) return 0; /* nothing to relax */
    p->mu = NEARNESS;
    for (int k = 0; k < RELAXATIONS; k++) {
        int bad = step(p);
        if (bad < 0) return -1;
        if (bad && p->mu > 1e6 * NEARNESS) return 0; /* the loops are closed, at least */
        p->mu = bad ? 10 * p->mu : fmax(0.1 * p->mu, NEARNESS_LO);
        if (!bad && lm_motion_norm(p->sys, p->size, p->way) < RELAXED) return 0;
    }
    return 0;
}

/* The widest gap of the drawing: the rows of a joint's point stand together. */
static void find_drawn(path *p, lm_assembly *out)
{
    double sum = 0;
    for (int k = 0; k < p->nl; k++) {
        const lm_row *r = p->bare.rows[k];
        int first = k == 0 || p->bare.rows[k - 1]->joint != r->joint;
        if (first) sum = 0;
        if (r->coord >= 0 || p->sys->angular[p->nv + k]) continue;
        sum += p->bare.shift[k] * p->bare.shift[k];
        if (sqrt(sum) > 1e-9 * p->size && sqrt(sum) > out->drawn_gap)
            out->drawn_open = r->joint, out->drawn_gap = sqrt(sum);
    }
}

/* The way from one of two starts: the drawing; or, where that leads nowhere, the drawing moved along
 * the joint tree, with its loops open. */
static int attempt(path *p, const double *placed, lm_assembly *out)
{
    if (placed)
        memcpy(p->q, placed, sizeof(double) * (size_t)p->sys->nq);
    else if (p->sys->form->initial(p->sys, p->q, p->a))
        return -1;
    memset(p->lam, 0, sizeof(double) * (size_t)p->nl);
    memset(p->way, 0, sizeof(double) * (size_t)p->nv);
    p->mu = nearness(p);
    *out = (lm_assembly){.row = -1, .drawn_open = -1, .reaction = -1};
    if (lm_bare_start(&p->bare, p->q, !placed, p->r)) return 1;
    if (p->sys->form->select_rows(p->sys, 0, p->q, POSITIONS) < 0) return -1;
    lm_bare_note_dependent(&p->bare);
    if (!placed) find_drawn(p, out);
    set_scales(p);
    int bad = travel(p, out);
    return bad ? bad : relax(p);
}

/* ---- what came of it ---- */

/* out = M v, by two residuals; p->r is overwritten. */
static int mass_times(path *p, const double *v, double *out)
{
    lm_state with = {0, p->q, p->zero, v, p->lam}, without = {0, p->q, p->zero, p->zero, p->lam};
    if (p->sys->form->residual(p->sys, &with, out, NULL, NULL)) return 1;
    if (p->sys->form->residual(p->sys, &without, p->r, NULL, NULL)) return 1;
    for (int i = 0; i < p->nv; i++) out[i] -= p->r[i];
    return 0;
}

/* What is left of K v + Phi^T eta = 0 and of the rates at the velocities vl = (v, eta), times -1, into
 * p->x; the matrix last factored is that of K + mu M, and mu M v is taken off its product. */
static int velocity_rhs(path *p, lm_system *sys, const double *vl)
{
    lm_state st = {0, p->q, vl, NULL, NULL};
    double mu = p->mu / p->mass, *Mv = p->x + p->nv + p->nl;
    if (mass_times(p, vl, Mv)) return 1;
    memset(p->x, 0, sizeof(double) * (size_t)(p->nv + p->nl));
    lm_sparse_mul(&p->sys->pattern, lm_linear_values(p->lin), -1, vl, p->x);
    for (int i = 0; i < p->nv; i++) p->x[i] += mu * Mv[i];
    if (sys->form->constraint_rate(sys, &st, p->x + p->nv)) return 1;
    for (int k = p->nv; k < p->nv + p->nl; k++) p->x[k] = -p->x[k];
    return 0;
}

/* Velocities likewise: of all that the joints and drives allow, those that strain least, and of these the
 * nearest by mass to g->v. */
static int velocities(path *p, lm_integrator *g)
{
    lm_state start = {0, g->q, g->v, NULL, NULL};
    lm_system *sys = lm_machine_hold(p->run->sys, &start);
    size_t n = (size_t)(p->nv + p->nl);
    double *vl = p->r + n;
    memset(p->way, 0, sizeof(double) * (size_t)p->nv);
    memset(p->a, 0, sizeof(double) * (size_t)p->nv);
    memset(vl, 0, sizeof(double) * n);
    memcpy(vl, g->v, sizeof(double) * (size_t)p->nv); /* states of variables keep their values */
    if (sys->form->select_rows(sys, 0, p->q, VELOCITIES) < 0) return -1;
    memcpy(p->sys->active, sys->active, (size_t)p->nl);
    p->mu = nearness(p);
    int bad = factor(p);
    if (bad) return bad < 0 ? -1 : 0;
    for (int it = 0; it < RELAXATIONS; it++) {
        if (velocity_rhs(p, sys, vl)) return 0;
        lm_linear_solve(p->lin, p->x);
        for (size_t i = 0; i < n; i++) vl[i] += p->x[i];
        double change = lm_motion_norm(sys, p->size, p->x);
        if (!(change > 1e-10 * lm_motion_norm(sys, p->size, vl))) break;
    }
    memcpy(g->v, vl, sizeof(double) * (size_t)p->nv);
    return 0;
}

static void find_gap(path *p, lm_assembly *out)
{
    double most = 0;
    if (lm_bare_gaps(&p->bare, p->q, p->r)) return;
    for (int k = 0; k < p->nl; k++) {
        double gap = fabs(p->r[p->nv + k]);
        double size = gap / (p->sys->angular[p->nv + k] ? 1 : p->size);
        if (size > most) most = size, out->row = k, out->gap = gap;
    }
}

static void find_strain(path *p, lm_assembly *out)
{
    lm_state st = {0, p->q, p->zero, p->zero, p->lam};
    lm_energy e = {0};
    if (p->sys->form->energy(p->sys, &st, &e)) return;
    if (e.elastic * p->scale <= STRAINED * p->size * p->size) return;
    out->energy = e.elastic;
    double most = 0;
    for (int k = 0; k < p->nl; k++) {
        double force = fabs(p->lam[k]);
        double size = force / (p->sys->angular[p->nv + k] ? p->size : 1);
        if (size > most) most = size, out->reaction = k, out->force = force;
    }
}

static limber_status take(path *p, lm_integrator *g, lm_assembly *out)
{
    find_stretch(p, out);
    find_strain(p, out);
    memcpy(g->q, p->q, sizeof(double) * (size_t)p->sys->nq);
    if (p->run->model->spec->velocities.n) return LIMBER_OK;
    return velocities(p, g) ? LIMBER_MEMORY : LIMBER_OK;
}

static limber_status begin(path *p, lm_run *run)
{
    limber_status st = lm_bare_make(&p->bare, run);
    if (st) return st;
    p->run = run;
    p->sys = p->bare.sys;
    p->nv = p->sys->nv;
    p->nl = p->sys->nl;
    p->size = run->model->size > 0 ? run->model->size : 1;
    size_t nq = (size_t)p->sys->nq, nv = (size_t)p->nv, nl = (size_t)p->nl;
    double *at = LM_NEW_N(&p->arena, double,
                          2 * (nq + nl) + 3 * nv + 4 * (nv + nl) + 7 * (size_t)p->sys->nposes + 1);
    p->lin = lm_linear_create_for(p->sys, &p->sys->pattern, NULL);
    if (!at || !p->lin) return LIMBER_MEMORY;
    p->q = at, p->q0 = p->q + nq, p->lam = p->q0 + nq, p->lam0 = p->lam + nl;
    p->way = p->lam0 + nl, p->a = p->way + nv, p->zero = p->a + nv;
    p->r = p->zero + nv, p->x = p->r + 2 * (nv + nl), p->pose = p->x + 2 * (nv + nl);
    return LIMBER_OK;
}

static void end(path *p)
{
    lm_linear_destroy(p->lin);
    lm_arena_free(&p->arena);
    lm_bare_free(&p->bare);
}

limber_status lm_assemble_velocities(lm_run *run, lm_integrator *g)
{
    path p = {0};
    limber_status st = begin(&p, run);
    if (!st) {
        memcpy(p.q, g->q, sizeof(double) * (size_t)p.sys->nq);
        set_scales(&p);
        st = velocities(&p, g) ? LIMBER_MEMORY : LIMBER_OK;
    }
    end(&p);
    return st;
}

limber_status lm_assemble(lm_run *run, lm_integrator *g, lm_assembly *out)
{
    path p = {0};
    lm_assembly second;
    limber_status st = begin(&p, run);
    int bad = st ? 0 : attempt(&p, NULL, out);
    if (!st && bad > 0) {
        find_gap(&p, out);
        bad = attempt(&p, g->q, &second);
        if (bad == 0) *out = second;
    }
    if (bad < 0) st = LIMBER_MEMORY;
    if (!st && bad == 0) st = take(&p, g, out);
    end(&p);
    return st;
}
