/* Superelements for tests: random ones and rods, and states of them. */
#ifndef TESTS_SUPERELEMENT_ENV_H
#define TESTS_SUPERELEMENT_ENV_H

#include "elem/superelement.h"
#include "support/run_model.h"

enum { NODES = 6, DOFS = 6 * NODES };

static inline double rnd(void) { return 2.0 * rand() / RAND_MAX - 1; }
static inline lm_v3 rnd3(double s) { return v3(s * rnd(), s * rnd(), s * rnd()); }
static inline lm_m3 rnd_turn(double s) { return quat_m3(lm_quat_exp(rnd3(s))); }

/* ---- bodies ---- */

typedef struct body {
    lm_super s;
    lm_v3 X[NODES];
    lm_m3 R0[NODES];
    double K[DOFS * DOFS], M[DOFS * DOFS], C[DOFS * DOFS];
    double scratch[100 * DOFS];
} body;

/* Sum of n + 2 dyads: symmetric, positive, full. */
static inline void random_matrix(int n, double *A)
{
    double x[DOFS];
    memset(A, 0, sizeof(double) * (size_t)(n * n));
    for (int k = 0; k < n + 2; k++) {
        for (int i = 0; i < n; i++) x[i] = rnd();
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++) A[n * j + i] += x[i] * x[j] / n;
    }
}

/* Any matrices: the energies need no rigid null space for their derivatives to be right. */
static inline void make_random(body *b, int n, lm_super_frame frame)
{
    memset(b, 0, sizeof *b);
    for (int i = 0; i < n; i++) {
        b->X[i] = v3_add(v3(i, 0.2 * i, -0.1 * i), rnd3(0.2));
        b->R0[i] = rnd_turn(2);
    }
    random_matrix(6 * n, b->K);
    random_matrix(6 * n, b->M);
    random_matrix(6 * n, b->C);
    b->s = (lm_super){.n = n, .X = b->X, .R0 = b->R0, .K = b->K, .M = b->M, .frame = frame};
    b->s.frame_node = n / 2;
    assert_int_equal(lm_super_setup(&b->s), 0);
    assert_true(lm_super_scratch(n) <= 100 * DOFS);
}

/* Entry of the 6n x 6n matrix, both halves. */
static inline void put(double *A, int n, int i, int j, double a)
{
    A[n * j + i] += a;
    if (i != j) A[n * i + j] += a;
}

/* Bending of an Euler-Bernoulli element over (v_a, r_a, v_b, r_b); `sign` -1: about y. */
static inline void put_bending(double *A, int n, int v, int r, double sign, double L,
                               const double k[6])
{
    int at[4] = {v, r, v + 6, r + 6};
    double a[4][4] = {{k[0], k[1] * L, k[2], k[3] * L},
                      {0, k[4] * L * L, -k[3] * L, k[5] * L * L},
                      {0, 0, k[0], -k[1] * L},
                      {0, 0, 0, k[4] * L * L}};
    for (int i = 0; i < 4; i++)
        for (int j = i; j < 4; j++) put(A, n, at[i], at[j], (i + j) % 2 ? sign * a[i][j] : a[i][j]);
}

/* n nodes along x, Euler-Bernoulli, no rotary inertia of the section but about x. */
typedef struct rod {
    double L, EA, EI, GJ, rhoA, rhoJ;
} rod;
static inline void make_rod(body *b, int n, rod r, lm_super_frame frame)
{
    int m = 6 * n;
    double L = r.L / (n - 1), k = r.EI / (L * L * L), q = r.rhoA * L / 420;
    const double stiff[6] = {12 * k, 6 * k, -12 * k, 6 * k, 4 * k, 2 * k};
    const double heavy[6] = {156 * q, 22 * q, 54 * q, -13 * q, 4 * q, -3 * q};
    memset(b, 0, sizeof *b);
    for (int i = 0; i < n; i++) b->X[i] = v3(L * i, 0, 0), b->R0[i] = m3_identity();
    for (int e = 0; e < n - 1; e++) {
        int a = 6 * e;
        double ea = r.EA / L, gj = r.GJ / L, ml = r.rhoA * L / 6, jl = r.rhoJ * L / 6;
        put(b->K, m, a, a, ea), put(b->K, m, a, a + 6, -ea), put(b->K, m, a + 6, a + 6, ea);
        put(b->K, m, a + 3, a + 3, gj), put(b->K, m, a + 9, a + 9, gj);
        put(b->K, m, a + 3, a + 9, -gj);
        put(b->M, m, a, a, 2 * ml), put(b->M, m, a, a + 6, ml), put(b->M, m, a + 6, a + 6, 2 * ml);
        put(b->M, m, a + 3, a + 3, 2 * jl), put(b->M, m, a + 9, a + 9, 2 * jl);
        put(b->M, m, a + 3, a + 9, jl);
        put_bending(b->K, m, a + 1, a + 5, 1, L, stiff);
        put_bending(b->K, m, a + 2, a + 4, -1, L, stiff);
        put_bending(b->M, m, a + 1, a + 5, 1, L, heavy);
        put_bending(b->M, m, a + 2, a + 4, -1, L, heavy);
    }
    b->s = (lm_super){.n = n, .X = b->X, .R0 = b->R0, .K = b->K, .M = b->M, .frame = frame};
    assert_int_equal(lm_super_setup(&b->s), 0);
}

static const rod some_rod = {2, 300, 5, 3, 0.7, 0.02};

/* ---- states ---- */

typedef struct state {
    lm_v3 x[NODES];
    lm_m3 R[NODES];
    double v[DOFS], a[DOFS];
} state;

static inline lm_super_state view(const state *s)
{
    return (lm_super_state){.x = &s->x[0].x, .stride = 3, .R = s->R, .v = s->v, .a = s->a};
}

/* Undeformed, placed by (c, Q), with the twist (v, w) of the body frame and their derivatives. */
static inline state rigid_state(const body *b, lm_v3 c, lm_m3 Q, lm_v3 v, lm_v3 w, lm_v3 a,
                                lm_v3 dw)
{
    state s;
    memset(&s, 0, sizeof s);
    for (int i = 0; i < b->s.poses; i++) {
        lm_v3 r = i < b->s.n ? m3_v(&Q, b->X[i]) : v3(0, 0, 0), wr = v3_cross(w, r);
        s.x[i] = v3_add(c, r);
        s.R[i] = i < b->s.n ? m3_mul(&Q, &b->R0[i]) : Q;
        v3_put(s.v + 6 * i, v3_add(v, wr));
        v3_put(s.v + 6 * i + 3, w);
        v3_put(s.a + 6 * i, v3_add(a, v3_add(v3_cross(dw, r), v3_cross(w, wr))));
        v3_put(s.a + 6 * i + 3, dw);
    }
    return s;
}

/* A rigid placement, then each node displaced by up to `shift` and turned by up to `turn`. */
static inline state random_state(const body *b, double shift, double turn)
{
    state s;
    lm_m3 Q = rnd_turn(3);
    lm_v3 c = rnd3(5);
    memset(&s, 0, sizeof s);
    for (int i = 0; i < b->s.poses; i++) {
        lm_m3 T = rnd_turn(turn), A = m3_mul(&T, &Q);
        int node = i < b->s.n;
        s.x[i] = v3_add(c, v3_add(rnd3(shift), m3_v(&Q, node ? b->X[i] : rnd3(1))));
        s.R[i] = node ? m3_mul(&A, &b->R0[i]) : A;
        for (int k = 0; k < 6; k++) s.v[6 * i + k] = rnd(), s.a[6 * i + k] = 2 * rnd();
    }
    return s;
}

static inline state moved(const body *b, state s, const double *z, double h)
{
    for (int i = 0; i < b->s.poses; i++) {
        lm_m3 T = quat_m3(lm_quat_exp(v3_mul(h, v3_from(z + 6 * i + 3))));
        s.x[i] = v3_add(s.x[i], v3_mul(h, v3_from(z + 6 * i)));
        s.R[i] = m3_mul(&T, &s.R[i]);
    }
    return s;
}

static inline void residual(body *b, const state *s, lm_v3 g, double *f)
{
    lm_super_state st = view(s);
    assert_int_equal(lm_super_residual(&b->s, &st, g, b->scratch, f), 0);
}

static inline lm_super_energy energies(body *b, const state *s, lm_v3 g)
{
    lm_super_energy e;
    lm_super_state st = view(s);
    assert_int_equal(lm_super_energies(&b->s, &st, g, b->scratch, &e), 0);
    return e;
}

static inline void damp(body *b)
{
    b->s.C = b->C;
    b->s.alpha = 0.3;
    b->s.beta = 0.7;
}

static const lm_super_frame kinds[] = {LM_SUPER_MEAN, LM_SUPER_CHORD, LM_SUPER_NODE,
                                       LM_SUPER_GIVEN};

#endif
