/* A straight chain of equal corotational beam elements in the xy plane that may turn about z: its
 * forces and their exact derivative, and its equilibrium by Newton's method. */
#ifndef TESTS_UNIT_COROT_CHAIN_H
#define TESTS_UNIT_COROT_CHAIN_H

#include "unit/corot_case.h"

enum { CHAIN_MOST = 32, CHAIN_DOFS = 3 * (CHAIN_MOST + 1) };

typedef struct chain {
    int n; /* elements */
    element e;
    double speed;                /* about z, through the origin */
    double force[2];             /* on the last node */
    double q[CHAIN_MOST + 1][3]; /* x, y, angle of the nodes */
} chain;

/* Elements of a beam of length 1 from (x, y) along x. */
static inline chain chain_of(int n, uniform u, double x, double y)
{
    chain c = {.n = n};
    u.L = 1.0 / n;
    c.e = uniform_element(&u);
    for (int i = 0; i <= n; i++) c.q[i][0] = x + i * u.L, c.q[i][1] = y;
    return c;
}

static inline motion chain_motion(const chain *c, int i) /* element i, carried by the hub */
{
    motion m;
    lm_v3 w = v3(0, 0, c->speed);
    for (int k = 0; k < 2; k++) {
        const double *q = c->q[i + k];
        m.x[k] = v3(q[0], q[1], 0);
        m.R[k] = rotation(v3(0, 0, q[2]));
        m.v[2 * k] = v3_cross(w, m.x[k]), m.v[2 * k + 1] = w;
        m.a[2 * k] = v3_cross(w, m.v[2 * k]), m.a[2 * k + 1] = v3(0, 0, 0);
    }
    return m;
}

/* f += forces, J += their derivative: moving a node by dx also changes v by w x dx, a by
 * w x (w x dx). The first node is clamped. */
static inline void chain_add(const chain *c, int i, double *J, double *f)
{
    static const int plane[3] = {UX, UY, RZ};
    const double W = c->speed, w[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const int N = 3 * c->n;
    motion m = chain_motion(c, i);
    double F[12], P[3][12][12];
    residual(&c->e, &m, v3(0, 0, 0), F);
    for (int k = 0; k < 3; k++) tangent(&c->e, &m, v3(0, 0, 0), w[k], P[k]);
    for (int a = i ? 0 : 3; a < 6; a++) {
        int r = 6 * (a / 3) + plane[a % 3], row = 3 * (i - 1) + a;
        f[row] += F[r];
        for (int b = i ? 0 : 3; b < 6; b++) {
            int col = 6 * (b / 3) + plane[b % 3], node = 6 * (b / 3);
            double d = P[2][col][r];
            if (b % 3 == 0) d += W * P[1][node + UY][r] - W * W * P[0][node + UX][r];
            if (b % 3 == 1) d += -W * P[1][node + UX][r] - W * W * P[0][node + UY][r];
            J[row * N + 3 * (i - 1) + b] += d;
        }
    }
}

/* Gauss without pivoting, for matrices that are nearly positive definite; how many pivots are
 * negative, and f becomes the solution. */
static inline int chain_solve(int N, double *J, double *f)
{
    int negative = 0;
    for (int k = 0; k < N; k++) {
        negative += J[k * N + k] < 0;
        for (int i = k + 1; i < N; i++) {
            double s = J[i * N + k] / J[k * N + k];
            for (int j = k; j < N; j++) J[i * N + j] -= s * J[k * N + j];
            f[i] -= s * f[k];
        }
    }
    for (int i = N - 1; i >= 0; i--) {
        for (int j = i + 1; j < N; j++) f[i] -= J[i * N + j] * f[j];
        f[i] /= J[i * N + i];
    }
    return negative;
}

/* Newton's iterations to equilibrium, at most `turns`; how many were needed, or -1. */
static inline int chain_settle(chain *c, int turns)
{
    static double J[CHAIN_DOFS * CHAIN_DOFS], f[CHAIN_DOFS];
    const int N = 3 * c->n;
    for (int k = 0; k < turns; k++) {
        double size = 0;
        memset(J, 0, sizeof J);
        memset(f, 0, sizeof f);
        for (int i = 0; i < c->n; i++) chain_add(c, i, J, f);
        f[N - 3] -= c->force[0], f[N - 2] -= c->force[1];
        chain_solve(N, J, f);
        for (int i = 0; i < N; i++) {
            c->q[1 + i / 3][i % 3] -= f[i];
            size = fmax(size, fabs(f[i]));
        }
        if (size < 1e-9) return k + 1;
    }
    return -1;
}

#endif
