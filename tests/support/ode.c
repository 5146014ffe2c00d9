#include "support/ode.h"

#include <math.h>
#include <string.h>

static void shifted(int n, const double *y, double h, const double *k, double *out)
{
    for (int i = 0; i < n; i++) out[i] = y[i] + h * k[i];
}

void ode_rk4(ode_fn f, const void *context, int n, double *y, double t0, double t1, int steps)
{
    double h = (t1 - t0) / steps, k[4][ODE_MOST], z[ODE_MOST];
    for (int s = 0; s < steps; s++) {
        double t = t0 + s * h;
        f(context, t, y, k[0]);
        shifted(n, y, h / 2, k[0], z);
        f(context, t + h / 2, z, k[1]);
        shifted(n, y, h / 2, k[1], z);
        f(context, t + h / 2, z, k[2]);
        shifted(n, y, h, k[2], z);
        f(context, t + h, z, k[3]);
        for (int i = 0; i < n; i++) y[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
    }
}

static void swap_rows(int n, double *A, double *b, int i, int j)
{
    for (int c = 0; c < n; c++) {
        double keep = A[i * n + c];
        A[i * n + c] = A[j * n + c];
        A[j * n + c] = keep;
    }
    double keep = b[i];
    b[i] = b[j];
    b[j] = keep;
}

void ode_solve(int n, double *A, double *b, double *x)
{
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(A[i * n + k]) > fabs(A[p * n + k])) p = i;
        swap_rows(n, A, b, k, p);
        for (int i = k + 1; i < n; i++) {
            double f = A[i * n + k] / A[k * n + k];
            for (int c = k; c < n; c++) A[i * n + c] -= f * A[k * n + c];
            b[i] -= f * b[k];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        x[i] = b[i];
        for (int c = i + 1; c < n; c++) x[i] -= A[i * n + c] * x[c];
        x[i] /= A[i * n + i];
    }
}
