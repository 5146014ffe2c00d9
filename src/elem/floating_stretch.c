/* Elastic energy of a floating-frame body whose axis stretches and bends (docs/theory/ffr.md).
 *
 * eta_v and eta_w say where the axis is. A stretched element goes (1 + e) times its length along its
 * section's normal, so the bending that costs energy is that of
 *
 *     x_v = eta_v - sum of eta_aj S_j eta_v,      U = x^T K x / 2,
 *
 * x_w alike, x_a = eta_a, x_t = eta_t. With B = dx/d(eta) and y = K x the forces are B^T y, the stiffness
 * B^T K B and -S_j^T y between bending and eta_aj. */
#include "elem/floating_int.h"

#include <string.h>

/* One direction of bending: its coordinates are n from `first` on. */
typedef struct plane {
    int first, n;
    const double *S; /* [na] [n n] */
} plane;

static int planes_of(const lm_floating *f, plane p[2])
{
    p[0] = (plane){0, f->nv, f->Sv};
    p[1] = (plane){f->nv, f->nw, f->Sw};
    return f->Sv ? 2 : 0;
}

/* out [n] = S_j x */
static void times(const plane *p, int j, const double *x, double *out)
{
    const double *S = p->S + (size_t)j * (size_t)(p->n * p->n);
    memset(out, 0, sizeof *out * (size_t)p->n);
    for (int k = 0; k < p->n; k++, S += p->n)
        for (int i = 0; i < p->n; i++) out[i] += S[i] * x[k];
}

/* Entry k of S_j^T y. */
static double back(const plane *p, int j, int k, const double *y)
{
    const double *S = p->S + (size_t)(j * p->n + k) * (size_t)p->n;
    double sum = 0;
    for (int i = 0; i < p->n; i++) sum += S[i] * y[i];
    return sum;
}

/* x, and y = K x */
static void bending_of(const lm_floating *f, const double *eta, double *x, double *y)
{
    plane p[2];
    double part[LM_FLOATING_MOST];
    const double *a = eta + f->nv + f->nw;
    memcpy(x, eta, sizeof *x * (size_t)f->ne);
    for (int l = planes_of(f, p) - 1; l >= 0; l--)
        for (int j = 0; j < f->na; j++) {
            times(&p[l], j, eta + p[l].first, part);
            for (int i = 0; i < p[l].n; i++) x[p[l].first + i] -= a[j] * part[i];
        }
    memset(y, 0, sizeof *y * (size_t)f->ne);
    blocks_add(f, f->K, x, y);
}

double lm_floating_elastic_energy(const lm_floating *f, const double *eta)
{
    double x[LM_FLOATING_MOST], y[LM_FLOATING_MOST], twice = 0;
    bending_of(f, eta, x, y);
    for (int i = 0; i < f->ne; i++) twice += x[i] * y[i];
    return 0.5 * twice;
}

void lm_floating_elastic_forces(const lm_floating *f, const double *eta, double *r)
{
    plane p[2];
    int nb = f->nv + f->nw;
    double x[LM_FLOATING_MOST], y[LM_FLOATING_MOST];
    bending_of(f, eta, x, y);
    for (int i = 0; i < f->ne; i++) r[i] += y[i];
    for (int l = planes_of(f, p) - 1; l >= 0; l--)
        for (int j = 0; j < f->na; j++)
            for (int k = 0; k < p[l].n; k++) {
                double on = back(&p[l], j, k, y + p[l].first);
                r[p[l].first + k] -= eta[nb + j] * on;
                r[nb + j] -= eta[p[l].first + k] * on;
            }
}

/* B [n (n + na)] of one direction: by its own coordinates, by the stretches. */
static void derivative(const lm_floating *f, const plane *p, const double *eta, double *B)
{
    const double *a = eta + f->nv + f->nw, *S = p->S;
    double *by_stretch = B + (size_t)(p->n * p->n);
    memset(B, 0, sizeof *B * (size_t)(p->n * p->n));
    for (int i = 0; i < p->n; i++) B[(p->n + 1) * i] = 1;
    for (int j = 0; j < f->na; j++, by_stretch += p->n) {
        for (int i = 0; i < p->n * p->n; i++) B[i] -= a[j] * *S++;
        times(p, j, eta + p->first, by_stretch);
        for (int i = 0; i < p->n; i++) by_stretch[i] = -by_stretch[i];
    }
}

static void plane_tangent(const lm_floating *f, const plane *p, const double *eta, const double *y,
                          int ld, double *K)
{
    double B[LM_FLOATING_MOST * LM_FLOATING_MOST], z[LM_FLOATING_MOST];
    int nb = f->nv + f->nw, n = p->n + f->na;
    derivative(f, p, eta, B);
    for (int c = 0; c < n; c++) {
        int col = c < p->n ? p->first + c : nb + c - p->n;
        memset(z, 0, sizeof *z * (size_t)p->n);
        for (int k = 0; k < p->n; k++)
            for (int i = 0; i < p->n; i++)
                z[i] += f->K[p->first + i + f->ne * (p->first + k)] * B[k + p->n * c];
        for (int r = 0; r < n; r++) {
            double *to = K + (r < p->n ? p->first + r : nb + r - p->n) + ld * col;
            for (int i = 0; i < p->n; i++) *to += B[i + p->n * r] * z[i];
        }
    }
    for (int j = 0; j < f->na; j++)
        for (int k = 0; k < p->n; k++) {
            double on = back(p, j, k, y + p->first);
            K[p->first + k + ld * (nb + j)] -= on;
            K[nb + j + ld * (p->first + k)] -= on;
        }
}

void lm_floating_elastic_tangent(const lm_floating *f, const double *eta, int ld, double *K)
{
    plane p[2];
    const int size[4] = {f->nv, f->nw, f->na, f->nt};
    for (int b = 0, at = 0; b < 4; at += size[b], b++)
        for (int j = at; j < at + size[b] && (!f->Sv || b >= 2); j++)
            for (int i = at; i < at + size[b]; i++) K[i + ld * j] += f->K[i + f->ne * j];
    double x[LM_FLOATING_MOST], y[LM_FLOATING_MOST];
    bending_of(f, eta, x, y);
    for (int l = planes_of(f, p) - 1; l >= 0; l--) plane_tangent(f, &p[l], eta, y, ld, K);
}
