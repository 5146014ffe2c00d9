/* A beam clamped tangentially on a turning hub, in relative equilibrium: how fast its deflection
 * converges, with the nodes' kinetic energy and with that of the mass centre. The tangent finds the
 * equilibrium: Newton's iteration converges quadratically. */
#include "unit/corot_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { MOST = 32 };

typedef struct chain {
    int n; /* elements, along x from (0, -radius), in the xy plane */
    element e;
    double radius, speed;
    double q[MOST + 1][3]; /* x, y, angle of the nodes */
} chain;

static const int plane[3] = {UX, UY, RZ};

static chain swung(int n, int centred)
{
    chain c = {.n = n, .radius = 2, .speed = 3};
    uniform u = {1.0 / n, 1e4, 50, 60, 40, 1, 1e-6, 1e-6};
    c.e = uniform_element(&u);
    c.e.centred = centred;
    for (int i = 0; i <= n; i++) c.q[i][0] = i * u.L, c.q[i][1] = -c.radius;
    return c;
}

static motion turning(const chain *c, int i) /* element i, carried by the hub */
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
 * w x (w x dx). */
static void add_element(const chain *c, int i, double *J, double *f)
{
    const double W = c->speed, w[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const int N = 3 * c->n;
    motion m = turning(c, i);
    double F[12], P[3][12][12];
    residual(&c->e, &m, v3(0, 0, 0), F);
    for (int k = 0; k < 3; k++) tangent(&c->e, &m, v3(0, 0, 0), w[k], P[k]);
    for (int a = i ? 0 : 3; a < 6; a++) { /* the first node is clamped */
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

static void solve(int N, double *J, double *f) /* J positive definite here: no pivoting */
{
    for (int k = 0; k < N; k++)
        for (int i = k + 1; i < N; i++) {
            double s = J[i * N + k] / J[k * N + k];
            for (int j = k; j < N; j++) J[i * N + j] -= s * J[k * N + j];
            f[i] -= s * f[k];
        }
    for (int i = N - 1; i >= 0; i--) {
        for (int j = i + 1; j < N; j++) f[i] -= J[i * N + j] * f[j];
        f[i] /= J[i * N + i];
    }
}

static double deflection(int n, int centred)
{
    static double J[9 * MOST * MOST], f[3 * MOST];
    chain c = swung(n, centred);
    double size = 1;
    int turns = 0;
    for (; size > 1e-9; turns++) {
        assert_true(turns < 8);
        memset(J, 0, sizeof J);
        memset(f, 0, sizeof f);
        for (int i = 0; i < n; i++) add_element(&c, i, J, f);
        solve(3 * n, J, f);
        size = 0;
        for (int i = 0; i < 3 * n; i++) {
            c.q[1 + i / 3][i % 3] -= f[i];
            size = fmax(size, fabs(f[i]));
        }
    }
    return c.q[n][1] + c.radius;
}

static void test_swung(void **unused)
{
    (void)unused;
    const double exact = (4 * deflection(MOST, 1) - deflection(MOST / 2, 1)) / 3;
    const double most[2][3] = {{0.09, 0.022, 0.0055}, {0.0023, 0.00065, 0.00017}};
    assert_true(fabs(exact + 0.05594) < 1e-4);
    for (int centred = 0; centred < 2; centred++)
        for (int k = 0; k < 3; k++) {
            double error = fabs(deflection(2 << k, centred) / exact - 1);
            assert_true(error < most[centred][k]);
            assert_true(error > 0.8 * most[centred][k]); /* the documented numbers are these */
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_swung)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
