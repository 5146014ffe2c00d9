/* The derivative of a step of the method `radau` (docs/theory/periodic.md).
 *
 * With Ah = (h A)^-1 and the stages' local coordinates x_i, velocities v_i, the step solves
 *     x_i = h sum A_ij Tinv(x_j) v_j,    v_i = v_0 + h sum A_ij a_j,    q_i = retract(q_0, x_i)
 * and the equations of motion and the rates of the constraints at each stage. When q_0 deviates by xi_0
 * and v_0 by dv_0, the stages deviate by
 *     dv_i = T_i (sum Ah_ij dx_j - B_i dx_i),      B_i = d(Tinv(x) v_i)/dx at x_i
 *     da_i = sum Ah_ij (dv_j - dv_0)
 *     xi_i = T_i dx_i + C_i xi_0,                  C_i = exp(x_i) = T(x_i) Tinv(-x_i)
 * which leaves one linear system for the dx_i and dlam_i of the three stages together:
 *     M_i da_i + D_i dv_i + K_i xi_i + Q_i dlam_i = 0
 *     Phi_i dv_i + N_i xi_i = 0,     N xi = (dPhi/dt + Phi W) xi,    xi' = dv + W xi
 * It is factored once for all deviations. What the constraints on positions add to a step, as small as
 * the step's error, is left out. */
#include "solve/radau.h"
#include "solve/tangent.h"

#include <math.h>
#include <string.h>

#define STEP 1e-4 /* of differences along the motion, in radians: for dPhi/dt */

struct lm_tangent {
    lm_system *sys;
    lm_arena arena;
    int *turn; /* [nv] first of the three of a rotation it belongs to; -1: none */
    lm_pattern
        wide; /* the system's, with all three columns of a rotation where it has one of them */
    int *to;  /* [nnz of the system's] places there */
    lm_pattern pattern; /* unknown i of stage k: 3 i + k */
    int (*place)[27];   /* [nnz] of entry (r, c), (3 i + k) 3 + j: stages i, k, component j */
    lm_linear *lin;
    double *M[3], *D[3], *K[3]; /* [nnz] of the wide pattern, at the stages */
    double *N[3];               /* [nnz] in the places of Phi */
    double *raw[3];             /* [nnz of the system's] as the formulation gives them */
    double *q, *at, *v[3];      /* [nq] of differences, of a stage; [nv] */
    const double *x[3], *a[3], *lam[3];
    lm_m3 *T[3], *B[3], *C[3]; /* [nv] where a rotation begins */
    lm_m3 *U[3][3], *V[3][3];  /* [nv] dv_i = sum V_ik dx_k, da_i = sum U_ik dx_k - ... */
    double Ah[3][3];
    double *rhs;       /* [2 x 3 (nv + nl)] two right sides */
    double *turned[3]; /* [2 nv] C_i xi_0 of both, for each stage */
    double *w;         /* [nv] */
};

/* ---- making ---- */

/* Rotations are three velocities in a row whose local rates depend on each other. */
static int find_rotations(lm_tangent *t)
{
    lm_system *sys = t->sys;
    int nv = sys->nv;
    double *x = lm_alloc(sizeof(double) * (3 * (size_t)nv + 1)), *e = x ? x + nv : NULL;
    if (!x) return -1;
    double *rate = e + nv;
    for (int i = 0; i < nv; i++) x[i] = 0.1 + 0.03 * sin(1.0 + i), t->turn[i] = -1;
    for (int i = 0; i < nv; i++) {
        e[i] = 1;
        sys->form->local_rate(sys, x, e, rate);
        int last = i;
        for (int k = i + 1; k < nv && k < i + 3; k++)
            if (rate[k] != 0) last = k;
        e[i] = 0;
        if (t->turn[i] < 0 && last > i)
            for (int k = i; k < i + 3; k++) t->turn[k] = i;
    }
    lm_free(x);
    return 0;
}

/* The columns that an entry of column c spreads over: one, or those of the rotation. */
static int columns(const lm_tangent *t, int c, int *first)
{
    int turns = c < t->sys->nv && t->turn[c] >= 0;
    *first = turns ? t->turn[c] : c;
    return turns ? 3 : 1;
}

/* Where Phi has zeros by form, its change need not: the wide pattern has room for it. */
static int widen(lm_tangent *t)
{
    const lm_pattern *p = &t->sys->pattern;
    lm_pattern_builder b = {.arena = &t->arena};
    t->to = LM_NEW_N(&t->arena, int, p->nnz + 1);
    if (!t->to) return -1;
    for (int c = 0; c < p->n; c++)
        for (int e = p->colptr[c]; e < p->colptr[c + 1]; e++) {
            int first, n = columns(t, c, &first);
            for (int j = 0; j < n; j++) lm_pattern_add(&b, p->rowind[e], first + j);
        }
    if (lm_pattern_make(&b, &t->arena, p->n, &t->wide)) return -1;
    for (int c = 0; c < p->n; c++)
        for (int e = p->colptr[c]; e < p->colptr[c + 1]; e++)
            t->to[e] = lm_pattern_find(&t->wide, p->rowind[e], c);
    return 0;
}

/* out += w times raw matrix k. */
static void spread(const lm_tangent *t, int k, double w, double *out)
{
    for (int e = 0; e < t->sys->pattern.nnz; e++) out[t->to[e]] += w * t->raw[k][e];
}

static void take(const lm_tangent *t, int k, double *out)
{
    memset(out, 0, sizeof(double) * (size_t)t->wide.nnz);
    spread(t, k, 1, out);
}

/* Multipliers act on their own stage only. */
static int is_there(const lm_tangent *t, int c, int i, int k) { return c < t->sys->nv || i == k; }

static int make_pattern(lm_tangent *t)
{
    const lm_pattern *p = &t->wide;
    lm_pattern_builder b = {.arena = &t->arena};
    for (int c = 0; c < p->n; c++)
        for (int e = p->colptr[c]; e < p->colptr[c + 1]; e++) {
            int first, n = columns(t, c, &first);
            for (int i = 0; i < 3; i++)
                for (int k = 0; k < 3; k++)
                    for (int j = 0; j < n && is_there(t, c, i, k); j++)
                        lm_pattern_add(&b, 3 * p->rowind[e] + i, 3 * (first + j) + k);
        }
    return lm_pattern_make(&b, &t->arena, 3 * p->n, &t->pattern);
}

static int find_places(lm_tangent *t)
{
    const lm_pattern *p = &t->wide;
    t->place = lm_arena_alloc(&t->arena, sizeof *t->place * (size_t)(p->nnz + 1));
    if (!t->place) return -1;
    for (int c = 0; c < p->n; c++)
        for (int e = p->colptr[c]; e < p->colptr[c + 1]; e++) {
            int first, n = columns(t, c, &first);
            for (int at = 0; at < 27; at++) {
                int i = at / 9, k = at / 3 % 3, j = at % 3, row = 3 * p->rowind[e] + i;
                int there = j < n && is_there(t, c, i, k);
                t->place[e][at] =
                    there ? lm_pattern_find(&t->pattern, row, 3 * (first + j) + k) : -1;
            }
        }
    return 0;
}

static int reserve(lm_tangent *t)
{
    size_t nv = (size_t)t->sys->nv, n = nv + (size_t)t->sys->nl, nnz = (size_t)t->wide.nnz;
    lm_arena *a = &t->arena;
    int missing = 0;
    for (int i = 0; i < 3; i++) {
        double **want[] = {&t->M[i], &t->D[i], &t->K[i], &t->N[i]};
        for (int k = 0; k < 4; k++) missing |= !(*want[k] = LM_NEW_N(a, double, nnz + 1));
        missing |= !(t->raw[i] = LM_NEW_N(a, double, t->sys->pattern.nnz + 1));
        missing |= !(t->v[i] = LM_NEW_N(a, double, nv + 1));
        missing |= !(t->turned[i] = LM_NEW_N(a, double, 2 * nv + 1));
        lm_m3 **rot[] = {&t->T[i], &t->B[i], &t->C[i]};
        for (int k = 0; k < 3; k++) {
            missing |= !(*rot[k] = LM_NEW_N(a, lm_m3, nv + 1));
            missing |= !(t->U[i][k] = LM_NEW_N(a, lm_m3, nv + 1));
            missing |= !(t->V[i][k] = LM_NEW_N(a, lm_m3, nv + 1));
        }
    }
    t->q = LM_NEW_N(a, double, t->sys->nq + 1);
    t->at = LM_NEW_N(a, double, t->sys->nq + 1);
    t->w = LM_NEW_N(a, double, nv + 1);
    t->rhs = LM_NEW_N(a, double, 6 * n + 1);
    return missing || !t->q || !t->at || !t->w || !t->rhs ? -1 : 0;
}

lm_tangent *lm_tangent_create(lm_system *sys)
{
    lm_tangent *t = lm_alloc(sizeof *t);
    if (!t) return NULL;
    t->sys = sys;
    t->turn = LM_NEW_N(&t->arena, int, sys->nv + 1);
    if (t->turn && !find_rotations(t) && !widen(t) && !reserve(t) && !make_pattern(t) &&
        !find_places(t))
        t->lin = lm_linear_create(&t->pattern, NULL);
    if (t->lin) return t;
    lm_tangent_destroy(t);
    return NULL;
}

void lm_tangent_destroy(lm_tangent *t)
{
    if (!t) return;
    lm_linear_destroy(t->lin);
    lm_arena_free(&t->arena);
    lm_free(t);
}

/* ---- the stages of a step ---- */

/* Ah = (h A)^-1 = T Lambda T^-1 / h. */
static void invert_method(lm_tangent *t, double h)
{
    const radau_method *m = radau_formulas();
    const double L[3][3] = {{m->real, 0, 0}, {0, m->re, -m->im}, {0, m->im, m->re}};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            t->Ah[i][k] = 0;
            for (int j = 0; j < 3; j++)
                for (int l = 0; l < 3; l++) t->Ah[i][k] += m->T[i][j] * L[j][l] * m->Ti[l][k] / h;
        }
}

static void recall(lm_tangent *t, const lm_integrator *g)
{
    const radau *r = (const radau *)g;
    const radau_method *m = radau_formulas();
    double h = g->clock->h;
    for (int i = 0; i < 3; i++) {
        t->x[i] = i < 2 ? r->past_x[i] : g->dx;
        t->a[i] = i < 2 ? r->past_a[i] : g->a;
        t->lam[i] = i < 2 ? r->past_lam[i] : g->lam;
    }
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < t->sys->nv; k++) {
            const double *A = m->A[i];
            t->v[i][k] = g->v0[k] + h * (A[0] * t->a[0][k] + A[1] * t->a[1][k] + A[2] * t->a[2][k]);
        }
}

/* T, B and C of a rotation, and of all else 1, 0 and 1 (the corner of the matrix). */
static void turn_stage(lm_tangent *t, int i)
{
    for (int k = 0; k < t->sys->nv; k++) {
        t->T[i][k] = t->C[i][k] = m3_identity();
        t->B[i][k] = m3_diag(0);
        if (t->turn[k] != k) continue;
        lm_v3 x = v3_from(t->x[i] + k), v = v3_from(t->v[i] + k);
        lm_m3 back = lm_rot_tangent_inverse(v3_neg(x));
        t->T[i][k] = lm_rot_tangent(x);
        t->B[i][k] = lm_rot_tangent_inverse_change(x, v, 1);
        t->C[i][k] = m3_mul(&t->T[i][k], &back);
    }
}

/* V_ik = T_i (Ah_ik - B_i where i = k), U_ik = sum Ah_ij V_jk. */
static void couple_stages(lm_tangent *t)
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            for (int n = 0; n < t->sys->nv; n++) {
                lm_m3 rate = m3_diag(t->Ah[i][k]);
                if (i == k) rate = m3_add(rate, m3_scale(-1, t->B[i][n]));
                t->V[i][k][n] = m3_mul(&t->T[i][n], &rate);
            }
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            for (int n = 0; n < t->sys->nv; n++) {
                lm_m3 sum = m3_diag(0);
                for (int j = 0; j < 3; j++) sum = m3_add(sum, m3_scale(t->Ah[i][j], t->V[j][k][n]));
                t->U[i][k][n] = sum;
            }
}

/* ---- constraints ---- */

/* The time of differences, by what turns or moves fastest, but not longer than a step: 0 at rest. */
static double short_time(const lm_tangent *t, const lm_integrator *g, const double *v)
{
    double most = 0, step = g->opt.step > 0 ? g->opt.step : g->clock->h;
    for (int i = 0; i < t->sys->nv; i++)
        most = fmax(most, fabs(v[i]) / (t->sys->angular[i] ? 1 : g->clock->size));
    return most > 0 ? fmin(STEP / most, step) : 0;
}

/* N = dPhi/dt + Phi W: differences of Phi along the motion, W x = omega x x. */
static int change_of_constraints(lm_tangent *t, const lm_integrator *g, const lm_state *s,
                                 const double *Phi, double *N)
{
    lm_system *sys = t->sys;
    const lm_pattern *p = &t->wide;
    double dt = short_time(t, g, s->v);
    memset(N, 0, sizeof(double) * (size_t)p->nnz);
    if (sys->nl == 0 || dt == 0) return 0;
    for (int side = -1; side < 2; side += 2) {
        for (int i = 0; i < sys->nv; i++) t->w[i] = side * dt * s->v[i];
        lm_state at = {s->t + side * dt, t->q, s->v, s->a, s->lam};
        if (sys->form->retract(sys, s->q, t->w, t->q)) return 1;
        if (sys->form->jacobian(sys, &at, 1, 0, 0, t->raw[0])) return 1;
        spread(t, 0, side / (2 * dt), N);
    }
    for (int c = 0; c < sys->nv; c++) {
        int f = t->turn[c];
        if (f < 0) continue;
        lm_v3 unit = v3(c == f, c == f + 1, c == f + 2), w = v3_cross(v3_from(s->v + f), unit);
        for (int e = p->colptr[c]; e < p->colptr[c + 1]; e++)
            for (int j = 0; j < 3 && p->rowind[e] >= sys->nv; j++) {
                int at = lm_pattern_find(p, p->rowind[e], f + j);
                if (at >= 0) N[e] += Phi[at] * v3_get(w, j);
            }
    }
    return 0;
}

const lm_pattern *lm_tangent_pattern(const lm_tangent *t) { return &t->wide; }

int lm_tangent_constraints(lm_tangent *t, lm_integrator *g, double *values)
{
    lm_state s = {g->clock->t, g->q, g->v, g->a, g->lam};
    if (t->sys->form->jacobian(t->sys, &s, 1, 0, 0, t->raw[0])) return 1;
    take(t, 0, t->M[0]);
    return change_of_constraints(t, g, &s, t->M[0], values);
}

/* ---- matrices ---- */

static int stage_matrices(lm_tangent *t, lm_integrator *g, int i)
{
    lm_system *sys = t->sys;
    double h = g->clock->h;
    lm_state s = {g->clock->t - h * (1 - radau_formulas()->c[i]), t->at, t->v[i], t->a[i],
                  t->lam[i]};
    if (sys->form->retract(sys, g->q0, t->x[i], t->at)) return 1;
    g->stats.jacobians++;
    sys->exact_tangent = 1;
    int bad = sys->form->matrices ? sys->form->matrices(sys, &s, t->raw[0], t->raw[1], t->raw[2])
                                  : sys->form->jacobian(sys, &s, 1, 0, 0, t->raw[0]) ||
                                        sys->form->jacobian(sys, &s, 0, 1, 0, t->raw[1]) ||
                                        sys->form->jacobian(sys, &s, 0, 0, 1, t->raw[2]);
    sys->exact_tangent = 0;
    if (bad) return 1;
    take(t, 0, t->M[i]);
    take(t, 1, t->D[i]);
    take(t, 2, t->K[i]);
    return change_of_constraints(t, g, &s, t->M[i], t->N[i]);
}

/* What entry e of column c, component `from` of its rotation, adds for stages i, k to component j. */
static double entry(const lm_tangent *t, int e, int motion, int n, int at, int i, int k, double h)
{
    const double *U = t->U[i][k][n].m, *V = t->V[i][k][n].m, *T = t->T[i][n].m;
    double own = i == k ? T[at] : 0;
    if (motion) return h * h * (t->M[i][e] * U[at] + t->D[i][e] * V[at] + t->K[i][e] * own);
    return h * (t->M[i][e] * V[at] + t->N[i][e] * own);
}

static void fill(lm_tangent *t, double h)
{
    const lm_pattern *p = &t->wide;
    int nv = t->sys->nv;
    double *A = lm_linear_values(t->lin);
    memset(A, 0, sizeof(double) * (size_t)t->pattern.nnz);
    for (int c = 0; c < p->n; c++)
        for (int e = p->colptr[c]; e < p->colptr[c + 1]; e++) {
            const int *place = t->place[e];
            if (c >= nv) {
                for (int i = 0; i < 3; i++) A[place[9 * i + 3 * i]] += t->M[i][e];
                continue;
            }
            int first, n = columns(t, c, &first), motion = p->rowind[e] < nv;
            for (int i = 0; i < 3; i++)
                for (int k = 0; k < 3; k++)
                    for (int j = 0; j < n; j++)
                        A[place[9 * i + 3 * k + j]] +=
                            entry(t, e, motion, first, 3 * j + c - first, i, k, h);
        }
}

static int linearise(lm_tangent *t, lm_integrator *g)
{
    recall(t, g);
    invert_method(t, g->clock->h);
    for (int i = 0; i < 3; i++) {
        turn_stage(t, i);
        if (stage_matrices(t, g, i)) return 1;
    }
    couple_stages(t);
    fill(t, g->clock->h);
    int bad = lm_linear_factor(t->lin);
    return bad > 0 ? 1 : bad;
}

/* ---- deviations ---- */

/* out = R x with the matrices R of rotations; out may be x. */
static void turn_all(const lm_tangent *t, const lm_m3 *R, const double *x, double *out)
{
    for (int k = 0; k < t->sys->nv; k++) {
        if (t->turn[k] < 0)
            out[k] = R[k].m[0] * x[k];
        else if (t->turn[k] == k)
            v3_put(out + k, m3_v(&R[k], v3_from(x + k)));
    }
}

/* h^2 (sum_j Ah_ij M_i dv_0 - K_i C_i xi_0), -h N_i C_i xi_0 of stage i. */
static void right_side(lm_tangent *t, int i, double h, const double *turned, const double *dv,
                       double *x)
{
    const lm_pattern *p = &t->wide;
    int nv = t->sys->nv;
    double sum = t->Ah[i][0] + t->Ah[i][1] + t->Ah[i][2];
    for (int r = 0; r < p->n; r++) x[3 * r + i] = 0;
    for (int c = 0; c < nv; c++) {
        double by_v = h * h * sum * dv[c], by_x = -h * h * turned[c], rate = -h * turned[c];
        for (int e = p->colptr[c]; e < p->colptr[c + 1]; e++) {
            int r = p->rowind[e];
            x[3 * r + i] += r < nv ? t->M[i][e] * by_v + t->K[i][e] * by_x : t->N[i][e] * rate;
        }
    }
}

/* The end of the step: xi_1 = T_3 dx_3 + C_3 xi_0, dv_1 = sum V_3k dx_k. */
static void deliver(lm_tangent *t, const double *x, const double *turned, double *xi, double *dv)
{
    int nv = t->sys->nv;
    memset(dv, 0, sizeof(double) * (size_t)nv);
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < nv; i++) xi[i] = x[3 * i + k];
        turn_all(t, t->V[2][k], xi, t->w);
        for (int i = 0; i < nv; i++) dv[i] += t->w[i];
    }
    turn_all(t, t->T[2], xi, t->w);
    for (int i = 0; i < nv; i++) xi[i] = t->w[i] + turned[i];
}

int lm_tangent_step(lm_tangent *t, lm_integrator *g, int n, double *xi, double *dv)
{
    size_t nv = (size_t)t->sys->nv, all = 3 * (nv + (size_t)t->sys->nl);
    double h = g->clock->h;
    if (g->clock->h_history == 0) return 1; /* hopped over a singular position */
    int bad = linearise(t, g);
    if (bad) return bad;
    for (int at = 0; at < n; at += 2) {
        int two = at + 1 < n ? 2 : 1;
        for (int s = 0; s < two; s++)
            for (int i = 0; i < 3; i++) {
                size_t c = (size_t)(at + s) * nv;
                double *turned = t->turned[i] + (size_t)s * nv;
                turn_all(t, t->C[i], xi + c, turned);
                right_side(t, i, h, turned, dv + c, t->rhs + (size_t)s * all);
            }
        lm_linear_correct(t->lin, two, t->rhs);
        for (int s = 0; s < two; s++) {
            size_t c = (size_t)(at + s) * nv;
            deliver(t, t->rhs + (size_t)s * all, t->turned[2] + (size_t)s * nv, xi + c, dv + c);
        }
    }
    return 0;
}
