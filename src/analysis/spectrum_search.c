/* The shapes of the lowest roots from nothing: Arnoldi's method with the inverse at the shift.
 *
 * With s = sigma + 1/mu and C' = C + 2 sigma M the problem reads mu^2 P x + mu C' x + M x = 0, P the
 * matrix at the shift, or for (a, b) = (mu x, x)
 *
 *     mu a = -P^-1 (C' a + M b),    mu b = a.
 *
 * One vector sees one shape of each root. What has converged is therefore taken out (vectors are kept
 * orthogonal to it) and the rest searched again, until it has nothing lower. */
#include "analysis/spectrum.h"

#include "math/eigen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SEARCHES = 20, LATER = 30, LOWERINGS = 12 };
#define CONVERGED 1e-8  /* residual of mu, relative */
#define ENDED     1e-12 /* the space is closed */
#define NOTHING   1e-10 /* |mu| of infinite roots, over that of the lowest */
#define FAR       0.2   /* roots below this part of the shift: it is too high for them */

typedef struct search {
    lm_spectrum *p;
    int wanted;     /* columns: two for a pair */
    int locked, k;  /* columns of Q: found; of the Krylov space behind them */
    int most, room; /* of the Krylov space; of all */
    double *Q;      /* [2 nv x room] orthonormal */
    double *H;      /* [most + 1 x most] */
    double *T, *X, *re, *im;
    double *z, *f; /* [2 nv], [room] */
    double *mu;    /* [room] |mu| of the columns that are locked */
    double lowest; /* largest |mu| of the last search */
} search;

/* Vectors are kept in units of each kind, a in units of the shift, so that the inner product is the
 * plain one. */
static double norm(const search *s, const double *z)
{
    size_t two = 2 * (size_t)s->p->nv;
    double sum = 0;
    for (size_t i = 0; i < two; i++) sum += z[i] * z[i];
    return sqrt(sum);
}

/* z made orthogonal to the first n columns; h, unless NULL: what was taken out of those behind the
 * locked ones. Returns what is left. */
static double orthogonalise(const search *s, int n, double *z, double *h)
{
    int two = 2 * s->p->nv;
    for (int twice = 0; twice < 2 && n > 0; twice++) {
        lm_dense_tmul(n, 1, two, s->Q, z, s->f);
        lm_dense_mul(two, 1, n, s->Q, s->f, s->z);
        for (int i = 0; i < two; i++) z[i] -= s->z[i];
        for (int j = s->locked; j < n && h; j++) h[j - s->locked] += s->f[j];
    }
    return norm(s, z);
}

/* out = T z. */
static void apply(const search *s, const double *z, double *out)
{
    lm_spectrum *p = s->p;
    const lm_pencil *k = &p->steady->pencil;
    const double *u = p->steady->unit;
    int nv = p->nv;
    for (int i = 0; i < nv; i++) { /* -2 sigma a - b, for M; -a, for C; over the scale */
        double a = u[i] * z[i] / (p->sigma * p->scale), b = u[i] * z[nv + i] / p->scale;
        s->z[i] = -2 * p->sigma * a - b;
        s->z[nv + i] = -a;
    }
    memset(p->b, 0, sizeof(double) * (size_t)p->n);
    lm_pencil_mul(k, k->M, 1, s->z, p->b);
    lm_pencil_mul(k, k->C, 1, s->z + nv, p->b);
    lm_linear_solve(p->steady->lin, p->b);
    for (int i = 0; i < nv; i++) out[nv + i] = z[i] / p->sigma;
    for (int i = 0; i < nv; i++) out[i] = p->sigma * p->b[i] / u[i];
}

static double random_number(lm_spectrum *p)
{
    p->seed = p->seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(p->seed >> 11) / 9007199254740992.0 - 0.5;
}

/* A vector that the constraints allow. 1: nothing is left outside of what is locked. */
static int start(search *s)
{
    lm_spectrum *p = s->p;
    size_t nv = (size_t)p->nv;
    double *z = s->Q + 2 * nv * (size_t)s->locked, *t = z + 2 * nv, before = 0;
    for (size_t i = 0; i < 2 * nv; i++) z[i] = random_number(p);
    apply(s, z, t);
    apply(s, t, z);
    before = norm(s, z);
    double left = orthogonalise(s, s->locked, z, NULL);
    if (!(left > 1e-10 * before)) return 1;
    for (size_t i = 0; i < 2 * nv; i++) z[i] /= left;
    return 0;
}

/* The Krylov space of the operator beside what is locked. */
static void expand(search *s)
{
    size_t two = 2 * (size_t)s->p->nv, ld = (size_t)s->most + 1;
    memset(s->H, 0, sizeof(double) * ld * (size_t)s->most);
    for (s->k = 0; s->k < s->most;) {
        int n = s->locked + s->k + 1;
        double *z = s->Q + two * (size_t)n, *h = s->H + ld * (size_t)s->k;
        apply(s, z - two, z);
        double before = norm(s, z), left = orthogonalise(s, n, z, h);
        s->k++;
        if (!(left > ENDED * before)) return; /* it is complete */
        h[s->k] = left;
        for (size_t i = 0; i < two; i++) z[i] /= left;
    }
}

/* Eigenvalues of the Krylov space. */
static int ritz(search *s)
{
    size_t k = (size_t)s->k, ld = (size_t)s->most + 1;
    for (size_t c = 0; c < k; c++) memcpy(s->T + k * c, s->H + ld * c, sizeof(double) * k);
    return lm_general_eigen(s->k, s->T, s->re, s->im, s->X);
}

/* Residual of Ritz value j, relative. */
static double residual(const search *s, int j)
{
    size_t k = (size_t)s->k, ld = (size_t)s->most + 1;
    double next = s->H[ld * (k - 1) + k];
    const double *x = s->X + k * (size_t)j;
    double last = s->im[j] != 0 ? hypot(x[k - 1], x[2 * k - 1]) : fabs(x[k - 1]);
    return next * last / hypot(s->re[j], s->im[j]);
}

/* Ritz vector (its part x of eigenvectors) as one more locked column, kept behind the Krylov space
 * until all of them are there. */
static void lock_vector(search *s, const double *x, double *out)
{
    size_t two = 2 * (size_t)s->p->nv;
    lm_dense_mul((int)two, 1, s->k, s->Q + two * (size_t)s->locked, x, out);
}

/* Next unlocked Ritz value by |mu|, the first of a pair; -1: none. */
static int next_largest(const search *s, const unsigned char *taken)
{
    int best = -1;
    for (int j = 0; j < s->k; j++)
        if (!taken[j] && s->im[j] >= 0 &&
            (best < 0 || hypot(s->re[j], s->im[j]) > hypot(s->re[best], s->im[best])))
            best = j;
    return best;
}

/* Lock what has converged, from the largest |mu| on, until one has not. New columns are built in `to`
 * [2 nv x wanted] and then moved behind the locked ones. */
static int lock(search *s, unsigned char *taken, double *to)
{
    size_t two = 2 * (size_t)s->p->nv;
    int fresh = 0, j;
    memset(taken, 0, (size_t)s->k);
    s->lowest = 0;
    while (s->locked + fresh + 1 < s->room && fresh < s->most &&
           (j = next_largest(s, taken)) >= 0) {
        int pair = s->im[j] > 0;
        double size = hypot(s->re[j], s->im[j]);
        s->lowest = fmax(s->lowest, size);
        taken[j] = 1;
        if (residual(s, j) > CONVERGED || size < 1e-13 * s->lowest) break;
        for (int c = 0; c <= pair; c++) {
            lock_vector(s, s->X + (size_t)s->k * (size_t)(j + c), to + two * (size_t)fresh);
            s->mu[s->locked + fresh++] = size;
        }
        if (s->locked + fresh >= s->wanted + 8) break;
    }
    int first = s->locked;
    for (int c = 0; c < fresh; c++) {
        double *z = s->Q + two * (size_t)s->locked;
        memcpy(z, to + two * (size_t)c, sizeof(double) * two);
        double before = norm(s, z), left = orthogonalise(s, s->locked, z, NULL);
        if (!(left > 1e-9 * before)) continue;
        for (size_t i = 0; i < two; i++) z[i] /= left;
        s->mu[s->locked++] = s->mu[first + c];
    }
    return fresh;
}

/* |mu| of the wanted-th of the columns that are locked; 0: there are fewer. */
static double limit(const search *s)
{
    int above;
    if (s->locked < s->wanted) return 0;
    for (int j = 0; j < s->locked; j++) {
        above = 0;
        for (int i = 0; i < s->locked; i++) above += s->mu[i] > s->mu[j] * (1 + 1e-9);
        int same = 0;
        for (int i = 0; i < s->locked; i++) same += fabs(s->mu[i] - s->mu[j]) <= 1e-9 * s->mu[j];
        if (above < s->wanted && above + same >= s->wanted) return s->mu[j];
    }
    return 0;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* A shift for the middle one of the wanted roots, by the Ritz values as they are. Roots that are 0 have
 * half of the digits of the shift; they are no measure. */
static double shift_for(const search *s, double *size)
{
    int n = 0;
    for (int j = 0; j < s->k; j++) {
        double mu = s->re[j] * s->re[j] + s->im[j] * s->im[j];
        if (s->im[j] < 0 || !(mu > 0)) continue;
        double root = hypot(s->p->sigma + s->re[j] / mu, s->im[j] / mu);
        if (root > 1e-5 * s->p->sigma) size[n++] = root;
    }
    qsort(size, (size_t)n, sizeof *size, ascending);
    int middle = s->p->count / 2 < n ? s->p->count / 2 : n - 1;
    return n ? fmax(0.5 * size[middle], 1e-3 * s->p->sigma) : s->p->sigma;
}

/* Krylov space and Ritz values of the first search. Seen from a shift that is far above them the lowest
 * roots are all one, and none of them converges (the finer a mesh, the higher a shift by its mean
 * stiffness): it is lowered until it is among them. */
static int first_space(search *s)
{
    int bad = 0;
    for (int k = 0; k < LOWERINGS && !bad; k++) {
        if (start(s)) return 0;
        expand(s);
        bad = ritz(s);
        double sigma = bad ? INFINITY : shift_for(s, s->f);
        if (!(sigma < FAR * s->p->sigma)) break;
        s->p->sigma = sigma;
        bad = lm_spectrum_factor(s->p);
    }
    return bad;
}

/* The first search has a large space; those that look for what it missed begin with a small one. */
static int run(search *s, unsigned char *taken, double *to)
{
    int most = s->most, bad = 0;
    for (int n = 0; n < SEARCHES && !bad; n++) {
        int left = 2 * s->p->nfree - s->locked, room = s->room - s->locked - 2;
        s->most = most < left ? most : left;
        if (s->most > room) s->most = room;
        s->p->complete = s->most < 1 || (n == 0 ? 0 : start(s));
        if (s->p->complete) break;
        if (n > 0) expand(s);
        bad = n > 0 ? ritz(s) : first_space(s);
        if (bad) break;
        int fresh = lock(s, taken, to);
        s->p->complete = s->locked > 0 && s->lowest <= NOTHING * s->mu[0];
        if (n > 0 && (s->p->complete || s->lowest <= limit(s) * (1 + 1e-6))) break;
        most = !fresh ? 2 * most : s->locked < s->wanted ? most : LATER;
        if (most > s->room / 2) most = s->room / 2;
    }
    return bad;
}

static int reserve(search *s, lm_arena *a)
{
    size_t two = 2 * (size_t)s->p->nv, room = (size_t)s->room;
    s->Q = LM_NEW_N(a, double, two *(room + 2));
    s->H = LM_NEW_N(a, double, 3 * (room + 1) * (room + 1) + 5 * room + two);
    if (!s->Q || !s->H) return -1;
    s->T = s->H + (room + 1) * (room + 1);
    s->X = s->T + (room + 1) * (room + 1);
    s->re = s->X + (room + 1) * (room + 1);
    s->im = s->re + room, s->mu = s->im + room;
    s->f = s->mu + room, s->z = s->f + 2 * room;
    return 0;
}

int lm_spectrum_search(lm_spectrum *p)
{
    search s = {.p = p, .wanted = 2 * (p->count + p->more)};
    lm_arena temp = {0};
    if (s.wanted > 2 * p->nfree) s.wanted = 2 * p->nfree;
    s.most = 2 * s.wanted + 20;
    s.room = 4 * s.wanted + 2 * s.most + 4;
    p->m = 0;
    unsigned char *taken = LM_NEW_N(&temp, unsigned char, s.room + 1);
    double *to = LM_NEW_N(&temp, double, 2 * (size_t)p->nv * (size_t)(s.room + 2));
    int bad = !taken || !to || reserve(&s, &temp) ? -1 : run(&s, taken, to);
    for (int j = 0; j < s.locked && !bad; j++) {
        double *x = s.Q + 2 * (size_t)p->nv * (size_t)j + p->nv;
        for (int i = 0; i < p->nv; i++) x[i] *= p->steady->unit[i];
        lm_spectrum_extend(p, 1, x);
    }
    lm_arena_free(&temp);
    return bad ? bad : p->m == 0 && p->nfree > 0;
}
