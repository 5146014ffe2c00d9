/* Undamped modes of a large system: shift-invert Lanczos with the sparse matrix
 *
 *     [ (K + sigma M)/scale  Phi^T ] [ y ]   [ M x/scale ]
 *     [ Phi                  0     ] [ . ] = [ 0         ]
 *
 * so that y = (K + sigma M)^-1 M x among the motions that the constraints leave. sigma > 0 keeps
 * it regular where motions have no stiffness. A Krylov space sees one shape of each frequency,
 * the others only through rounding: what was found is therefore taken out and the rest searched
 * again, until it has nothing lower. */
#include "analysis/modes.h"

#include "math/eigen.h"
#include "solve/arpack.h"

#include <math.h>
#include <string.h>

enum { MORE = 8, ATTEMPTS = 12, SEARCHES = 60, RESTARTS = 400 };

/* Residuals of Lanczos, at best: the frequencies are accurate to their square. */
static const double ACCURATE = 1e-11, ROUGH = 1e-5;

typedef struct large {
    lm_modes *m;
    int wanted, room; /* modes; vectors that X has place for */
    double *K, *S;    /* [nnz] symmetric part of K; the matrix */
    double sigma, scale;
    double least;   /* sigma: below it K's own rounding is more */
    double *b, *x;  /* [nv + nl] right side, solution */
    double *MX;     /* [nv x room] M times the shapes that are taken out; then scratch */
    int out;        /* how many are */
    double *start;  /* [nv] */
    double *lambda; /* [room] */
    unsigned long long seed;
    int restarts;    /* that Lanczos may take */
    int unstable;    /* there are lambda < 0 */
    int refine;      /* solutions of the matrix are improved once */
    double accuracy; /* of solutions, for Lanczos */
    int stopped;
} large;

/* ---- the operator ---- */

static void multiply(void *context, const double *x, double *y)
{
    const large *L = context;
    lm_modes_mul(L->m, L->m->M, x, y);
}

/* K's symmetric part where the pattern has both places; a force that acts one way only is left to
 * the projection (modes_general.c). */
static void symmetric_part(large *L)
{
    const lm_system *sys = L->m->sys;
    const lm_pattern *p = &sys->pattern;
    memcpy(L->K, L->m->K, sizeof(double) * (size_t)p->nnz);
    for (int c = 0; c < sys->nv; c++)
        for (int k = p->colptr[c]; k < p->colptr[c + 1] && p->rowind[k] < sys->nv; k++) {
            int mirror = lm_pattern_find(p, c, p->rowind[k]);
            L->K[k] = mirror < 0 ? 0 : 0.5 * (L->m->K[k] + L->m->K[mirror]);
        }
}

/* Relative size of the change that one more refinement makes to the solution x of S x = b; x
 * takes it. */
static double refinement(large *L, const double *b, double *x, double *r)
{
    const lm_modes *m = L->m;
    size_t n = (size_t)m->sys->nv + (size_t)m->sys->nl;
    double change = 0, size = 0;
    memcpy(r, b, sizeof(double) * n);
    lm_sparse_mul(&m->sys->pattern, L->S, -1, x, r);
    lm_linear_solve(m->g->lin, r);
    for (size_t i = 0; i < n; i++) x[i] += r[i];
    for (int i = 0; i < m->sys->nv; i++) {
        change = fmax(change, fabs(r[i]) / m->unit[i]);
        size = fmax(size, fabs(x[i]) / m->unit[i]);
    }
    return size > 0 ? change / size : 0;
}

/* How accurate solutions are with the new factors; where they are not, they are refined once. */
static void judge(large *L)
{
    const lm_modes *m = L->m;
    size_t nv = (size_t)m->sys->nv, n = nv + (size_t)m->sys->nl;
    double *r = L->MX + nv * (size_t)L->room;
    for (size_t i = 0; i < nv; i++) L->start[i] = m->unit[i] * sin(1.0 + (double)i);
    memset(L->b, 0, sizeof(double) * n);
    multiply(L, L->start, L->b);
    memcpy(L->x, L->b, sizeof(double) * n);
    lm_linear_solve(m->g->lin, L->x);
    double off = refinement(L, L->b, L->x, r);
    L->refine = off > ACCURATE;
    if (L->refine) off = refinement(L, L->b, L->x, r);
    L->accuracy = fmax(ACCURATE, 10 * off);
}

static int factor(large *L)
{
    const lm_modes *m = L->m;
    const lm_pattern *p = &m->sys->pattern;
    int nv = m->sys->nv;
    L->scale = (m->stiffness + L->sigma * lm_modes_trace(m, m->M)) / (m->size * m->size * nv);
    for (int c = 0; c < p->n; c++)
        for (int k = p->colptr[c]; k < p->colptr[c + 1]; k++) {
            int inner = c < nv && p->rowind[k] < nv;
            L->S[k] = inner ? (L->K[k] + L->sigma * m->M[k]) / L->scale : m->K[k];
        }
    memcpy(lm_linear_values(m->g->lin), L->S, sizeof(double) * (size_t)p->nnz);
    int bad = lm_linear_factor(m->g->lin);
    if (!bad) judge(L);
    return bad;
}

static void take_out(const large *L, double *y)
{
    size_t nv = (size_t)L->m->sys->nv;
    for (size_t j = 0; j < (size_t)L->out; j++) {
        const double *x = L->m->X + nv * j, *Mx = L->MX + nv * j;
        double c = 0;
        for (size_t i = 0; i < nv; i++) c += Mx[i] * y[i];
        for (size_t i = 0; i < nv; i++) y[i] -= c * x[i];
    }
}

static int apply(void *context, const double *Mx, double *y)
{
    large *L = context;
    lm_modes *m = L->m;
    size_t nv = (size_t)m->sys->nv, n = nv + (size_t)m->sys->nl;
    if (m->stop && m->stop(m->stop_context)) return L->stopped = 1;
    memset(L->b, 0, sizeof(double) * n);
    for (size_t i = 0; i < nv; i++) L->b[i] = Mx[i] / L->scale;
    memcpy(L->x, L->b, sizeof(double) * n);
    lm_linear_solve(m->g->lin, L->x);
    memcpy(y, L->x, sizeof(double) * nv);
    if (L->refine) {
        lm_sparse_mul(&m->sys->pattern, L->S, -1, L->x, L->b);
        lm_linear_solve(m->g->lin, L->b);
        for (size_t i = 0; i < nv; i++) y[i] += L->b[i];
    }
    take_out(L, y);
    return 0;
}

/* The same random numbers in every run. */
static double random_number(large *L)
{
    L->seed = L->seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(L->seed >> 11) / 9007199254740992.0 - 0.5;
}

/* Some vector that the constraints allow. */
static int start_vector(large *L)
{
    size_t nv = (size_t)L->m->sys->nv;
    double *Mx = L->MX + nv * (size_t)L->room;
    for (size_t i = 0; i < nv; i++) L->start[i] = L->m->unit[i] * random_number(L);
    for (int twice = 0; twice < 2; twice++) {
        multiply(L, L->start, Mx);
        if (apply(L, Mx, L->start)) return 1;
    }
    return 0;
}

/* Lowest `wanted` of what is not taken out, into X and lambda behind it; *found: that converged. */
static limber_status search(large *L, int wanted, const char *which, double tolerance, int *found)
{
    lm_modes *m = L->m;
    size_t nv = (size_t)m->sys->nv;
    int left = m->nfree - L->out, basis = 2 * wanted + 20;
    lm_lanczos p = {.n = m->sys->nv,
                    .solve = apply,
                    .multiply = multiply,
                    .context = L,
                    .which = which,
                    .sigma = -L->sigma,
                    .wanted = wanted,
                    .basis = basis < left ? basis : left,
                    .tolerance = tolerance,
                    .restarts = L->restarts,
                    .start = L->start};
    *found = 0;
    if (start_vector(L)) return LIMBER_INTERRUPTED;
    int rc = lm_lanczos_run(&p, L->lambda + L->out, m->X + nv * (size_t)L->out, found);
    if (rc == 3) return lm_fail(&m->failure, LIMBER_STOPPED, "the eigenvalue solver gave up");
    return rc < 0 ? LIMBER_MEMORY : rc == 2 ? LIMBER_INTERRUPTED : LIMBER_OK;
}

/* ---- the lowest modes ---- */

static void keep_out(large *L, int n)
{
    size_t nv = (size_t)L->m->sys->nv;
    L->out = n;
    for (size_t j = 0; j < (size_t)n; j++) multiply(L, L->m->X + nv * j, L->MX + nv * j);
}

/* Sort what is taken out and what was found behind it; take out what is not positive: beside
 * 1/sigma of a motion without stiffness the others would drown. 1: there was one more. */
static int take_out_zeros(large *L, int found)
{
    lm_modes *m = L->m;
    int n = 0, before = L->out;
    m->n = L->out + found;
    lm_modes_rayleigh(m);
    while (n < m->n && m->lambda[n] <= m->slack[n]) n++;
    keep_out(L, n);
    return n > before;
}

/* With lambda below -sigma the nearest are not the lowest: sigma must go beyond. 1: it did. */
static int pass_unstable(large *L, double lambda, double slack)
{
    if (lambda >= -slack || L->sigma >= -1.2 * lambda) return 0;
    L->sigma = -3 * lambda;
    L->unstable = 1;
    L->out = 0;
    return 1;
}

/* The further below -sigma, the smaller is |mu|: look for those from the other end, mu < 0.
 * Where there are none, the end of the spectrum is mu = 0 with a sign by chance; Rayleigh's
 * quotient tells. */
static limber_status look_below(large *L, int *again)
{
    const lm_modes *m = L->m;
    double *x = m->X + (size_t)m->sys->nv * (size_t)L->out;
    int found = 0;
    limber_status st = search(L, 1, "SA", fmax(ROUGH, L->accuracy), &found);
    if (st || !found || L->lambda[L->out] >= -L->sigma) return st;
    double quotient = lm_modes_form(m, m->K, x, NULL) / lm_modes_form(m, m->M, x, NULL);
    if (fabs(quotient - L->lambda[L->out]) < 0.1 * fabs(quotient))
        *again = pass_unstable(L, quotient, 0);
    return st;
}

/* One try with a shift. *again: it, or the number of restarts, had to change. */
static limber_status attempt(large *L, int *again)
{
    lm_modes *m = L->m;
    int found = 0, zeros = 1;
    *again = 0;
    limber_status st = look_below(L, again);
    while (!st && !*again && zeros && L->out < L->wanted) {
        st = search(L, L->wanted - L->out, "LM", L->accuracy, &found);
        if (!st) zeros = take_out_zeros(L, found);
        if (!st && m->n > 0) *again = pass_unstable(L, m->lambda[0], m->slack[0]);
    }
    if (st || *again || L->out == L->wanted) return st;
    double lowest = found ? m->lambda[L->out] : 0;
    if (found && L->sigma > fmax(3 * lowest, L->least) && !L->unstable)
        *again = 1, L->sigma = fmax(0.3 * lowest, L->least); /* from far above all look alike */
    else if (m->n < L->wanted) {
        if (!found && !L->unstable) L->sigma = fmin(L->sigma, fmax(1e-3 * L->sigma, L->least));
        *again = 1, L->restarts *= 3;
    }
    return st;
}

/* The matrix is singular whatever the shift: a motion has neither mass nor stiffness. */
static limber_status without_both(large *L)
{
    lm_modes *m = L->m;
    char name[160] = "unknown";
    int most = 0;
    if (lm_linear_null_vector(m->g->lin, L->x) == 0) {
        for (int i = 0; i < m->sys->nv; i++)
            if (fabs(L->x[i]) / m->unit[i] > fabs(L->x[most]) / m->unit[most]) most = i;
        m->sys->form->describe_motion(m->sys, most, name, sizeof name);
    }
    return lm_fail(&m->failure, LIMBER_STOPPED,
                   "a motion (mostly %s) has neither mass nor stiffness", name);
}

static limber_status find_first(large *L)
{
    lm_modes *m = L->m;
    double mass = lm_modes_trace(m, m->M), stiffness = m->stiffness;
    limber_status st = LIMBER_OK;
    int again = 1, bad = 0;
    L->sigma = mass > 0 && stiffness > 0 ? 1e-9 * stiffness / mass : 1;
    L->least = 1e-9 * L->sigma;
    L->restarts = 30;
    for (int k = 0; k < ATTEMPTS && again && !st; k++) {
        bad = factor(L);
        if (bad < 0) return LIMBER_MEMORY;
        if (bad)
            L->sigma *= 30;
        else
            st = attempt(L, &again);
    }
    if (!st && bad) return without_both(L);
    if (!st && again)
        st = lm_fail(&m->failure, LIMBER_STOPPED, "the modes do not converge; ask for fewer");
    L->out = 0;
    return st;
}

/* ---- completeness ---- */

static limber_status rayleigh_ritz(large *L, int n)
{
    lm_modes *m = L->m;
    int bad = lm_modes_ritz(m, L->K, 0, n);
    m->n = n;
    if (!bad) lm_modes_rayleigh(m);
    return bad < 0 ? LIMBER_MEMORY
           : bad   ? lm_fail(&m->failure, LIMBER_STOPPED, "shapes coincide")
                   : LIMBER_OK;
}

/* 1: among those behind the wanted there is one below the highest that was asked for. */
static int missed(const large *L, int found)
{
    const lm_modes *m = L->m;
    int asked = (m->count < L->wanted ? m->count : L->wanted) - 1;
    double limit = m->lambda[asked], room = fmax(1e-8 * fabs(limit), m->slack[asked]);
    for (int j = 0; j < found; j++)
        if (L->lambda[L->out + j] < limit - room) return 1;
    return 0;
}

/* A rough search tells whether something is missing, an accurate one brings it in. */
static limber_status complete(large *L)
{
    lm_modes *m = L->m;
    limber_status st = rayleigh_ritz(L, L->wanted);
    L->restarts = RESTARTS;
    for (int k = 0; k <= SEARCHES && !st; k++) {
        int found;
        keep_out(L, L->wanted);
        st = search(L, 2, "LM", fmax(ROUGH, L->accuracy), &found);
        if (st || !missed(L, found)) break;
        if (k == SEARCHES)
            return lm_fail(&m->failure, LIMBER_STOPPED, "there are too many equal modes");
        st = search(L, MORE, "LM", L->accuracy, &found);
        if (!st) st = rayleigh_ritz(L, L->wanted + found);
        m->n = L->wanted;
    }
    L->out = 0;
    m->n = L->wanted;
    return st;
}

/* Every shape solves the equations. */
static limber_status prove(large *L)
{
    lm_modes *m = L->m;
    size_t nv = (size_t)m->sys->nv;
    double *Mx = L->MX, *y = L->MX + nv;
    for (int j = 0; j < m->n && j < m->count; j++) {
        const double *x = m->X + nv * (size_t)j;
        multiply(L, x, Mx);
        if (apply(L, Mx, y)) return LIMBER_INTERRUPTED;
        for (size_t i = 0; i < nv; i++) y[i] = (m->lambda[j] + L->sigma) * y[i] - x[i];
        double off = sqrt(fabs(lm_modes_form(m, m->M, y, NULL)));
        double allowed = 1e-5 + 100 * L->accuracy + m->slack[j] / fabs(m->lambda[j] + L->sigma);
        if (!(off < allowed))
            return lm_fail(&m->failure, LIMBER_STOPPED, "mode %d is not accurate: off by %.1g",
                           j + 1, off);
    }
    return LIMBER_OK;
}

/* ---- for damping ---- */

/* What is left of y beside the first n shapes, of unit mass, becomes the next shape. 1:
 * something was. */
static int append(large *L, int n, const double *y)
{
    const lm_modes *m = L->m;
    size_t nv = (size_t)m->sys->nv;
    double *x = m->X + nv * (size_t)n, before = lm_modes_form(m, m->M, y, NULL), left = 0;
    memcpy(x, y, sizeof(double) * nv);
    L->out = n;
    for (int twice = 0; twice < 2; twice++) take_out(L, x);
    L->out = 0;
    left = lm_modes_form(m, m->M, x, NULL);
    if (!(before > 0) || !(left > 1e-10 * before)) return 0;
    for (size_t i = 0; i < nv; i++) x[i] /= sqrt(left);
    multiply(L, x, L->MX + nv * (size_t)n);
    return 1;
}

/* The lowest modes alone cannot follow a force at one place. So the basis gets how the system
 * yields to the forces that A makes of each mode: (K + sigma M)^-1 A x. */
static limber_status enrich(large *L, const double *A)
{
    lm_modes *m = L->m;
    size_t nv = (size_t)m->sys->nv;
    int n = m->n;
    double *force = L->MX + nv * (size_t)L->room, *y = force + nv;
    keep_out(L, n);
    L->out = 0;
    for (int j = 0; j < L->wanted; j++) {
        lm_modes_mul(m, A, m->X + nv * (size_t)j, force);
        if (apply(L, force, y)) return LIMBER_INTERRUPTED;
        n += append(L, n, y);
    }
    return rayleigh_ritz(L, n);
}

static limber_status enrich_all(large *L)
{
    const lm_modes *m = L->m;
    size_t nnz = (size_t)m->sys->pattern.nnz;
    limber_status st = m->damped ? enrich(L, m->D) : LIMBER_OK;
    if (st || !m->skew) return st;
    double *A = lm_alloc(sizeof(double) * nnz); /* what K's symmetric part leaves out */
    if (!A) return LIMBER_MEMORY;
    for (size_t k = 0; k < nnz; k++) A[k] = m->K[k] - L->K[k];
    st = enrich(L, A);
    lm_free(A);
    return st;
}

/* ---- */

static limber_status reserve(large *L)
{
    lm_modes *m = L->m;
    size_t nv = (size_t)m->sys->nv, n = nv + (size_t)m->sys->nl;
    L->room = (1 + m->damped + m->skew) * L->wanted + MORE;
    size_t nnz = (size_t)m->sys->pattern.nnz, room = (size_t)L->room;
    if (lm_modes_reserve(m, L->room)) return LIMBER_MEMORY;
    L->K = lm_alloc(sizeof(double) * 2 * nnz);
    L->b = lm_alloc(sizeof(double) * (2 * n + nv + room));
    L->MX = lm_alloc(sizeof(double) * (nv * (room + 2) + n));
    if (!L->K || !L->b || !L->MX) return LIMBER_MEMORY;
    L->S = L->K + nnz;
    L->x = L->b + n;
    L->start = L->x + n;
    L->lambda = L->start + nv;
    return LIMBER_OK;
}

limber_status lm_modes_large(lm_modes *m, int wanted)
{
    large L = {.m = m, .wanted = wanted, .seed = 20240229};
    limber_status st = reserve(&L);
    m->method = "lanczos";
    m->available = -1;
    if (!st) symmetric_part(&L);
    if (!st) st = find_first(&L);
    if (!st) st = complete(&L);
    if (!st && !m->skew) st = prove(&L);
    if (!st) st = enrich_all(&L);
    lm_free(L.K);
    lm_free(L.b);
    lm_free(L.MX);
    return L.stopped ? LIMBER_INTERRUPTED : st;
}
