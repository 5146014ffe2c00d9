/* Motions without mass in a linearised model (docs/theory/linearize.md).
 *
 * The independent motions y = T z are those with mass, m; those without that dampers hold, d; and those that
 * stiffness alone holds, p:
 *
 *     M T_d = M T_p = 0,    D T_p = 0.
 *
 * Of M w. + D w + K z = B u the rows of d and p have no acceleration in them,
 *
 *     D_dd w_d = B_d u - K_d z - D_dm w_m,    K_pp z_p = B_p u - K_pm z_m - K_pd z_d,
 *
 * so that the state is (z_m, z_d, w_m): d is of first order, p follows at once. */
#include "analysis/linearize.h"

#include "math/eigen.h"

#include <math.h>
#include <string.h>

#define NO_MASS    1e-11 /* eigenvalue of M scaled to a diagonal of 1 */
#define NO_DAMPING 1e-10 /* time of relaxation over the longest */
#define COUPLED    1e-7  /* dampers between p and all else, over the largest */
#define ROUNDING   1e-12 /* dampers over the critical one */

enum { WITH_MASS, DAMPED, STATIC };

/* ---- which they are ---- */

/* c [n x k] without the columns after the first `k`, so that rows pivot[j] of column j are 1 and those of the
 * others 0: by columns, the largest entry first; lengths count over the unit of length. taken: rows that are. */
static void echelon(const lm_linearized *l, int k, double *c, int *pivot, const int *taken)
{
    size_t n = (size_t)l->n;
    for (int j = 0; j < k; j++) {
        double most = -1;
        double *own = c + n * (size_t)j;
        for (int i = 0; i < l->n; i++) {
            double size = fabs(own[i]) / l->m.unit[l->state[i]];
            int free = taken[i] == WITH_MASS && i < l->moving;
            for (int e = 0; e < j; e++) free &= pivot[e] != i;
            if (free && size > most * (1 + 1e-6)) most = size, pivot[j] = i;
        }
        double unit = own[pivot[j]];
        for (size_t i = 0; i < n; i++) own[i] /= unit;
        for (int e = 0; e < k; e++) {
            double *other = c + n * (size_t)e, part = other[pivot[j]];
            for (size_t i = 0; i < n && e != j; i++) other[i] -= part * own[i];
        }
    }
}

/* N [n x *k] with M N = 0, symmetric M [n x n]; work [2 n n + n]. */
static int null_of_mass(const lm_linearized *l, const double *M, double *N, int *k, double *work)
{
    size_t n = (size_t)l->n;
    double *A = work, *I = work + n * n, *w = I + n * n, most[2] = {0, 0};
    for (size_t i = 0; i < n; i++) {
        int a = l->sys->angular[l->state[i]];
        most[a] = fmax(most[a], M[n * i + i]);
    }
    memset(I, 0, sizeof(double) * n * n);
    for (size_t i = 0; i < n; i++) {
        double scale = most[l->sys->angular[l->state[i]]];
        w[i] = M[n * i + i] > 1e-13 * scale ? sqrt(M[n * i + i]) : scale > 0 ? sqrt(scale) : 1;
        I[n * i + i] = 1;
    }
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++) A[n * j + i] = M[n * j + i] / (w[i] * w[j]);
    for (size_t i = 0; i < n; i++) N[i] = w[i];
    int bad = lm_symmetric_eigen(l->n, A, I, w);
    for (*k = 0; !bad && *k < l->n && w[*k] <= NO_MASS;) ++*k;
    for (size_t i = 0; i < n; i++) I[i] = N[i];
    for (size_t j = 0; j < (size_t)*k && !bad; j++)
        for (size_t i = 0; i < n; i++) N[n * j + i] = A[n * j + i] / I[i];
    return bad;
}

/* out [k x k] = N^T A N, symmetric part. */
static void within(int n, int k, const double *A, const double *N, double *AN, double *out)
{
    lm_dense_mul(n, k, n, A, N, AN);
    lm_dense_tmul(k, k, n, N, AN, out);
    for (size_t i = 0; i < (size_t)k; i++)
        for (size_t j = 0; j < i; j++) {
            double mean = 0.5 * (out[(size_t)k * i + j] + out[(size_t)k * j + i]);
            out[(size_t)k * i + j] = out[(size_t)k * j + i] = mean;
        }
}

/* The largest |c^T A c| of motions c that move by the unit of length, or rad, and of these in N. */
static double largest(const lm_linearized *l, int k, const double *A, const double *N)
{
    size_t n = (size_t)l->n;
    double most = 0;
    for (size_t i = 0; i < n && !N; i++)
        for (size_t j = 0; j < n; j++)
            most = fmax(most, fabs(A[n * i + j]) * l->m.unit[l->state[i]] * l->m.unit[l->state[j]]);
    for (size_t c = 0; c < (size_t)k && N; c++) {
        double size = 0, power = 0;
        for (size_t i = 0; i < n; i++)
            size = fmax(size, fabs(N[n * c + i]) / l->m.unit[l->state[i]]);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) power += N[n * c + i] * A[n * j + i] * N[n * c + j];
        most = fmax(most, fabs(power) / (size * size));
    }
    return most;
}

/* What is left of dampers by rounding where there are none: of gyroscopic forces at rest. */
static double rounding(const lm_linearized *l, const double *M, const double *K)
{
    return ROUNDING * sqrt(largest(l, 0, M, NULL) * largest(l, 0, K, NULL));
}

/* N turned such that its first *np columns have no damping: D c = w K c. */
static int split_damping(const lm_linearized *l, const double *M, const double *D, const double *K,
                         int k, double *N, int *np, double *work)
{
    size_t n = (size_t)l->n, m = (size_t)k;
    double *AN = work, *d = AN + n * m, *s = d + m * m, *w = s + m * m, *keep = w + m;
    double most = 0;
    within(l->n, k, K, N, AN, s);
    for (size_t i = 0; i < m; i++) most = fmax(most, fabs(s[m * i + i]));
    memcpy(keep, s, sizeof(double) * m * m);
    within(l->n, k, D, N, AN, d);
    int bad = lm_symmetric_eigen(k, d, s, w);
    if (bad > 0) { /* not all are held by stiffness */
        memset(s, 0, sizeof(double) * m * m);
        for (size_t i = 0; i < m; i++) s[m * i + i] = fmax(fabs(keep[m * i + i]), 1e-12 * most);
        for (size_t i = 0; i < m && most == 0; i++) s[m * i + i] = 1;
        within(l->n, k, D, N, AN, d);
        bad = lm_symmetric_eigen(k, d, s, w);
    }
    for (*np = 0; !bad && *np < k && w[*np] <= NO_DAMPING * w[k - 1];) ++*np;
    double none = fmax(NO_DAMPING * largest(l, k, D, NULL), rounding(l, M, K));
    if (!bad && largest(l, k, D, N) <= none) *np = k;
    lm_dense_mul(l->n, k, k, N, d, AN);
    memcpy(N, AN, sizeof(double) * n * m);
    return bad;
}

/* Columns of T and kinds by N, whose first np columns are static. */
static void put_kinds(lm_linearized *l, int np, int k, double *N, int *pivot)
{
    size_t n = (size_t)l->n;
    double *damped = N + n * (size_t)np;
    echelon(l, np, N, pivot, l->kind);
    for (int e = 0; e < np; e++) l->kind[pivot[e]] = STATIC;
    for (int j = 0; j < k - np; j++)
        for (int e = 0; e < np; e++) {
            double *c = damped + n * (size_t)j, part = c[pivot[e]];
            for (size_t i = 0; i < n; i++) c[i] -= part * N[n * (size_t)e + i];
        }
    echelon(l, k - np, damped, pivot + np, l->kind);
    for (int e = np; e < k; e++) l->kind[pivot[e]] = DAMPED;
    memset(l->T, 0, sizeof(double) * n * n);
    for (size_t i = 0; i < n; i++) l->T[n * i + i] = 1;
    for (int e = 0; e < k; e++)
        memcpy(l->T + n * (size_t)pivot[e], N + n * (size_t)e, sizeof(double) * n);
}

/* Variables of a machine have no part in it. */
static void mechanism_only(const lm_linearized *l, double *A)
{
    for (size_t i = 0; i < (size_t)l->n; i++)
        for (size_t j = (size_t)l->moving; j < (size_t)l->n; j++)
            A[(size_t)l->n * i + j] = A[(size_t)l->n * j + i] = i == j;
}

limber_status lm_linearized_massless(lm_linearized *l)
{
    size_t nv = (size_t)l->sys->nv, n = (size_t)l->n, N = n * n;
    lm_arena temp = {0};
    int k = 0, np = 0;
    if (!l->sys->massless || n == 0) return LIMBER_OK;
    l->kind = LM_NEW_N(&l->arena, int, n + 1);
    l->T = LM_NEW_N(&l->arena, double, N + 1);
    double *A = LM_NEW_N(&temp, double, 9 * N + 4 * n + nv * n), *null = A ? A + 3 * N : NULL;
    int *pivot = LM_NEW_N(&temp, int, n + 1);
    int bad = !l->kind || !l->T || !A || !pivot ? -1 : 0;
    if (!bad) bad = lm_modes_reduce(&l->m, l->m.M, l->n, l->Z, l->Z, A);
    if (!bad) bad = lm_modes_reduce(&l->m, l->m.D, l->n, l->Z, l->Z, A + N);
    if (!bad) bad = lm_modes_reduce(&l->m, l->m.K, l->n, l->Z, l->Z, A + 2 * N);
    if (!bad) {
        double *work = null + N;
        mechanism_only(l, A);
        bad = null_of_mass(l, A, null, &k, work);
        if (!bad && k) bad = split_damping(l, A, A + N, A + 2 * N, k, null, &np, work);
        if (!bad && k) {
            put_kinds(l, np, k, null, pivot);
            double *ZT = A + 9 * N + 4 * n;
            lm_dense_mul(l->sys->nv, l->n, l->n, l->Z, l->T, ZT);
            memcpy(l->Z, ZT, sizeof(double) * nv * n);
        }
    }
    l->nmassless = k;
    lm_arena_free(&temp);
    if (bad > 0) return lm_fail(&l->failure, LIMBER_STOPPED, "motions without mass are not found");
    return bad ? LIMBER_MEMORY : LIMBER_OK;
}

/* X [n x n] = T^-1 X: rates of y as those of z. */
limber_status lm_linearized_in_states(const lm_linearized *l, double *X)
{
    size_t N = (size_t)l->n * (size_t)l->n;
    if (!l->nmassless) return LIMBER_OK;
    double *T = lm_alloc(sizeof(double) * N);
    if (!T) return LIMBER_MEMORY;
    memcpy(T, l->T, sizeof(double) * N);
    int bad = lm_dense_solve(l->n, T, l->n, X);
    lm_free(T);
    return bad < 0 ? LIMBER_MEMORY : bad ? LIMBER_INTERNAL : LIMBER_OK;
}

/* ---- the equations without them ---- */

typedef struct condensed {
    lm_linearized *l;
    int nx, k; /* states, and inputs behind them */
    int *at;   /* [nx] in (y, w) */
    double *z, *w, *dw,
        *rate;     /* [n x k] z, w, w. by states and inputs; [nx x k] rates of the states */
    double *P, *R; /* [n x n], [n x k] scratch */
} condensed;

/* rows [n x k] += f A X for the rows of one kind, columns of X of kinds up to `most`. */
static void add_product(const condensed *c, double f, const double *A, const double *X, int kind,
                        int most, double *rows)
{
    const lm_linearized *l = c->l;
    size_t n = (size_t)l->n;
    for (size_t j = 0; j < (size_t)c->k; j++)
        for (size_t r = 0; r < n; r++) {
            double x = X[n * j + r];
            if (x == 0 || l->kind[r] > most) continue;
            for (size_t i = 0; i < n; i++)
                if (l->kind[i] == kind) rows[n * j + i] += f * A[n * r + i] * x;
        }
}

static void add_input(const condensed *c, int kind, double *rows)
{
    const lm_linearized *l = c->l;
    size_t n = (size_t)l->n;
    for (size_t j = 0; j < (size_t)l->nu; j++)
        for (size_t i = 0; i < n; i++)
            if (l->kind[i] == kind) rows[n * ((size_t)c->nx + j) + i] += l->B2[n * j + i];
}

/* X, rows of one kind, = A^-1 R of these rows and columns. 1: singular. */
static int solve_rows(const condensed *c, const double *A, int kind, const double *R, double *X)
{
    const lm_linearized *l = c->l;
    size_t n = (size_t)l->n, k = (size_t)c->k, m = 0;
    double *P = c->P, *Y = c->P + n * n, unit = 0, size = 0;
    for (size_t i = 0; i < n; i++) m += l->kind[i] == kind;
    if (m == 0) return 0;
    for (size_t j = 0, col = 0; j < n; j++) {
        if (l->kind[j] != kind) continue;
        for (size_t i = 0, row = 0; i < n; i++)
            if (l->kind[i] == kind) P[m * col + row++] = A[n * j + i];
        col++;
    }
    for (size_t i = 0; i < m; i++) unit = fmax(unit, fabs(P[m * i + i]));
    for (size_t j = 0; j < k; j++)
        for (size_t i = 0, row = 0; i < n; i++)
            if (l->kind[i] == kind) Y[m * j + row++] = R[n * j + i];
    int bad = lm_dense_solve((int)m, P, c->k, Y);
    for (size_t j = 0; j < k && !bad; j++)
        for (size_t i = 0, row = 0; i < n; i++)
            if (l->kind[i] == kind) size = fmax(size, fabs(X[n * j + i] = Y[m * j + row++]));
    return bad ? bad : !isfinite(size);
}

/* out, rows of one kind, = d/dt of those of x, which are by states. */
static void rate_of(const condensed *c, const double *x, int kind, double *out)
{
    size_t n = (size_t)c->l->n, nx = (size_t)c->nx;
    for (size_t j = 0; j < (size_t)c->k; j++)
        for (size_t i = 0; i < n; i++) {
            if (c->l->kind[i] != kind) continue;
            double sum = 0;
            for (size_t s = 0; s < nx; s++) sum += x[n * s + i] * c->rate[nx * j + s];
            out[n * j + i] = sum;
        }
}

static limber_status unheld(lm_linearized *l, const char *lack)
{
    char name[160];
    int at = 0;
    for (int i = 0; i < l->n; i++)
        if (l->kind[i] == STATIC) at = l->state[i];
    l->sys->form->describe_motion(l->sys, at, name, sizeof name);
    return lm_fail(
        &l->failure, LIMBER_STOPPED,
        "a free motion has no mass, and %s holds it (one of those of %s): give the bodies "
        "that take part in it mass or inertia, or hold them",
        lack, name);
}

/* Rates of motions without mass and damping have no part in the equations. */
static int coupled(const lm_linearized *l)
{
    size_t n = (size_t)l->n;
    double most = 0, off = 0;
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++) {
            double d = fabs(l->D[n * j + i]) * l->m.unit[l->state[i]] * l->m.unit[l->state[j]];
            most = fmax(most, d);
            if (l->kind[i] == STATIC || l->kind[j] == STATIC) off = fmax(off, d);
        }
    return off > fmax(COUPLED * most, rounding(l, l->M, l->K));
}

/* z by states and inputs, then w but that of the static motions. */
static limber_status follow_states(condensed *c)
{
    lm_linearized *l = c->l;
    size_t n = (size_t)l->n, bytes = sizeof(double) * n * (size_t)c->k;
    for (size_t s = 0; s < (size_t)c->nx; s++) {
        size_t i = (size_t)c->at[s] % n;
        ((size_t)c->at[s] < n ? c->z : c->w)[n * s + i] = 1;
    }
    memset(c->R, 0, bytes);
    add_product(c, -1, l->K, c->z, STATIC, DAMPED, c->R);
    add_input(c, STATIC, c->R);
    int bad = solve_rows(c, l->K, STATIC, c->R, c->z);
    if (bad) return bad < 0 ? LIMBER_MEMORY : unheld(l, "no stiffness");
    memset(c->R, 0, bytes);
    add_product(c, -1, l->K, c->z, DAMPED, STATIC, c->R);
    add_product(c, -1, l->D, c->w, DAMPED, WITH_MASS, c->R);
    add_input(c, DAMPED, c->R);
    bad = solve_rows(c, l->D, DAMPED, c->R, c->w);
    return bad ? bad < 0 ? LIMBER_MEMORY : unheld(l, "no damper") : LIMBER_OK;
}

/* M, D, K, B2 and S of the motions with mass alone, where the others follow at once; f: the right side
 * B u - K z - D w by states and inputs. */
static void put_second_order(condensed *c, const double *f)
{
    lm_linearized *l = c->l;
    size_t n = (size_t)l->n, m = (size_t)c->nx / 2;
    l->n2 = (int)m;
    for (size_t j = 0; j < m; j++) {
        size_t col = (size_t)c->at[j];
        for (size_t i = 0; i < m; i++) {
            size_t row = (size_t)c->at[i];
            l->M[m * j + i] = l->M[n * col + row];
            l->K[m * j + i] = 0 - f[n * j + row];
            l->D[m * j + i] = 0 - f[n * (m + j) + row];
        }
    }
    for (size_t j = 0; j < (size_t)l->nu; j++)
        for (size_t i = 0; i < m; i++)
            l->B2[m * j + i] = f[n * ((size_t)c->nx + j) + (size_t)c->at[i]];
}

static limber_status rates(condensed *c)
{
    lm_linearized *l = c->l;
    size_t n = (size_t)l->n, k = (size_t)c->k, nx = (size_t)c->nx;
    memset(c->R, 0, sizeof(double) * n * k);
    add_product(c, -1, l->K, c->z, WITH_MASS, STATIC, c->R);
    add_product(c, -1, l->D, c->w, WITH_MASS, DAMPED, c->R);
    add_input(c, WITH_MASS, c->R);
    int bad = solve_rows(c, l->M, WITH_MASS, c->R, c->dw);
    if (bad)
        return bad < 0 ? LIMBER_MEMORY
                       : lm_fail(&l->failure, LIMBER_STOPPED, "a free motion has no mass");
    int all = 1;
    for (size_t i = 0; i < n; i++) all &= l->kind[i] != DAMPED;
    if (all) put_second_order(c, c->R);
    lm_dense_mul(l->n, c->k, l->n, l->S, c->z, c->R); /* z. = w + S z */
    for (size_t j = 0; j < nx / 2 && all; j++)
        for (size_t i = 0; i < nx / 2; i++) l->S[nx / 2 * j + i] = c->R[n * j + (size_t)c->at[i]];
    for (size_t j = 0; j < k; j++)
        for (size_t s = 0; s < nx; s++) {
            size_t i = (size_t)c->at[s] % n;
            c->rate[nx * j + s] =
                (size_t)c->at[s] < n ? c->w[n * j + i] + c->R[n * j + i] : c->dw[n * j + i];
        }
    rate_of(c, c->z, STATIC, c->w);
    for (size_t j = 0; j < k; j++)
        for (size_t i = 0; i < n; i++)
            if (l->kind[i] == STATIC) c->w[n * j + i] -= c->R[n * j + i];
    rate_of(c, c->w, DAMPED, c->dw);
    rate_of(c, c->w, STATIC, c->dw);
    return LIMBER_OK;
}

/* Columns [rows x k] by states and inputs to those of (y, w) and inputs. */
static void place(const condensed *c, int rows, const double *from, double *states, double *inputs)
{
    size_t m = (size_t)rows, bytes = sizeof(double) * m;
    memset(states, 0, bytes * 2 * (size_t)c->l->n);
    for (int s = 0; s < c->nx; s++)
        memcpy(states + m * (size_t)c->at[s], from + m * (size_t)s, bytes);
    memcpy(inputs, from + m * (size_t)c->nx, bytes * (size_t)c->l->nu);
}

/* What moves along each: xi = Z z, dv = Z w + G z, da = Z (w. + OZ w + OG z) + Py z + Pw w; A and B. */
static void put_directions(condensed *c, double *full, double *rows)
{
    lm_linearized *l = c->l;
    int nv = l->sys->nv, n = l->n;
    size_t size = (size_t)nv * (size_t)c->k, inputs = 2 * (size_t)nv * (size_t)n;
    struct {
        const double *A, *x;
    } terms[3][4] = {
        {{l->Z, c->z}}, {{l->Z, c->w}, {l->G, c->z}}, {{l->Z, c->R}, {l->Py, c->z}, {l->Pw, c->w}}};
    double *to[3] = {l->dx, l->dv, l->da};
    size_t nk = (size_t)n * (size_t)c->k;
    lm_dense_mul(n, c->k, n, l->OZ, c->w, c->R);
    lm_dense_mul(n, c->k, n, l->OG, c->z, rows);
    for (size_t i = 0; i < nk; i++) c->R[i] += rows[i] + c->dw[i];
    for (int d = 0; d < 3; d++) {
        double *sum = full, *term = full + size;
        memset(sum, 0, sizeof(double) * size);
        for (int t = 0; terms[d][t].A; t++) {
            lm_dense_mul(nv, c->k, n, terms[d][t].A, terms[d][t].x, term);
            for (size_t i = 0; i < size; i++) sum[i] += term[i];
        }
        place(c, nv, sum, to[d], to[d] + inputs);
    }
    memset(rows, 0, sizeof(double) * 2 * nk);
    for (size_t j = 0; j < (size_t)c->k; j++)
        for (size_t s = 0; s < (size_t)c->nx; s++)
            rows[2 * (size_t)n * j + (size_t)c->at[s]] = c->rate[(size_t)c->nx * j + s];
    place(c, 2 * n, rows, l->A, l->B);
}

/* What the rate of each input does at once: u. moves static motions by z_u u. (and gives damped ones the
 * accelerations w_u u.). Left in a column that is none of a state. */
void lm_linearized_by_rate(lm_linearized *l, int input)
{
    size_t nv = (size_t)l->sys->nv, n = (size_t)l->n, first = (size_t)lm_linearized_column(l);
    double *x[3] = {l->dx + nv * first, l->dv + nv * first, l->da + nv * first};
    for (int d = 0; d < 3; d++) memset(x[d], 0, sizeof(double) * nv);
    const double *zu = l->by_input + n * (size_t)input, *wu = zu + n * (size_t)l->nu;
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < nv && l->kind[j] != WITH_MASS; i++) {
            if (l->kind[j] == STATIC) x[1][i] += l->Z[nv * j + i] * zu[j];
            x[2][i] += l->Z[nv * j + i] * wu[j];
        }
}

int lm_linearized_column(const lm_linearized *l)
{
    for (int i = 0; i < l->n && l->nmassless; i++)
        if (l->kind[i] == STATIC) return i;
    for (int i = 0; i < l->n && l->nmassless; i++)
        if (l->kind[i] == DAMPED) return l->n + i; /* its rate is no state */
    return -1;
}

limber_status lm_linearized_condense(lm_linearized *l)
{
    size_t n = (size_t)l->n, nv = (size_t)l->sys->nv, nu = (size_t)l->nu, nx = 0;
    lm_arena temp = {0};
    condensed c = {.l = l, .at = LM_NEW_N(&temp, int, 2 * n + 1)};
    for (int i = 0; i < 2 * l->n && c.at; i++)
        if (i < l->n ? l->kind[i] != STATIC : l->kind[i - l->n] == WITH_MASS) c.at[nx++] = i;
    size_t k = nx + nu, nk = n * k;
    c.nx = (int)nx;
    c.k = (int)k;
    double *x = LM_NEW_N(&temp, double, 7 * nk + n * n + nx * k + 2 * nv * k + 1);
    l->by_input = LM_NEW_N(&l->arena, double, 2 * n * nu + 1);
    limber_status st = c.at && x && l->by_input ? LIMBER_OK : LIMBER_MEMORY;
    if (!st && coupled(l))
        st = lm_fail(&l->failure, LIMBER_STOPPED,
                     "forces depend on the rates of motions that have neither mass nor dampers of "
                     "their own: give the beams or bodies there mass");
    if (!st) {
        c.z = x, c.w = c.z + nk, c.dw = c.w + nk, c.R = c.dw + nk;
        double *rows = c.R + nk, *full = rows + 2 * nk;
        c.rate = full + 2 * nv * k;
        c.P = c.rate + nx * k; /* [n n] and, of solve_rows, [n k] */
        st = follow_states(&c);
        if (!st) st = rates(&c);
        if (!st) put_directions(&c, full, rows);
        if (!st) memcpy(l->by_input, c.z + n * nx, sizeof(double) * n * nu);
        if (!st) memcpy(l->by_input + n * nu, c.w + n * nx, sizeof(double) * n * nu);
    }
    lm_arena_free(&temp);
    return st;
}
