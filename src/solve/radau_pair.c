/* The complex system of the method: dense where it is small, else as a real one. With x = u + i w, (R + i S) x = b is
 *     [ R  -S ] [ u ]   [ Re b ]
 *     [ S   R ] [ w ] = [ Im b ]
 * and with u_i, w_i side by side it has the pattern of R with every entry a 2x2 block, and its
 * groups: the solvers of linear.h serve it as they are. S has no entries in the constraints. */
#include "solve/radau.h"

#include <math.h>
#include <string.h>

/* Entries of the motions have both parts, those of the constraints a real one only. */
static int is_complex(const lm_system *sys, int r, int c) { return r < sys->nv && c < sys->nv; }

static int make_pattern(radau_pair *p, const lm_system *sys)
{
    const lm_pattern *one = &sys->pattern;
    lm_pattern_builder b = {.arena = &p->arena};
    for (int c = 0; c < one->n; c++)
        for (int k = one->colptr[c]; k < one->colptr[c + 1]; k++) {
            int r = one->rowind[k];
            lm_pattern_add(&b, 2 * r, 2 * c);
            lm_pattern_add(&b, 2 * r + 1, 2 * c + 1);
            if (!is_complex(sys, r, c)) continue;
            lm_pattern_add(&b, 2 * r, 2 * c + 1);
            lm_pattern_add(&b, 2 * r + 1, 2 * c);
        }
    return lm_pattern_make(&b, &p->arena, 2 * one->n, &p->pattern);
}

static int find_places(radau_pair *p, const lm_system *sys)
{
    const lm_pattern *one = &sys->pattern, *two = &p->pattern;
    p->place = lm_arena_alloc(&p->arena, sizeof *p->place * (size_t)one->nnz);
    if (!p->place) return -1;
    for (int c = 0; c < one->n; c++)
        for (int k = one->colptr[c]; k < one->colptr[c + 1]; k++) {
            int r = one->rowind[k], both = is_complex(sys, r, c);
            p->place[k][0] = lm_pattern_find(two, 2 * r, 2 * c);
            p->place[k][1] = lm_pattern_find(two, 2 * r + 1, 2 * c + 1);
            p->place[k][2] = both ? lm_pattern_find(two, 2 * r, 2 * c + 1) : -1;
            p->place[k][3] = both ? lm_pattern_find(two, 2 * r + 1, 2 * c) : -1;
        }
    return 0;
}

static int make_groups(radau_pair *p, const lm_system *sys)
{
    p->groups = sys->groups;
    if (sys->groups.n == 0) return 0;
    p->groups.of = LM_NEW_N(&p->arena, int, p->pattern.n);
    if (!p->groups.of) return -1;
    for (int i = 0; i < p->pattern.n; i++) p->groups.of[i] = sys->groups.of[i / 2];
    return 0;
}

/* ---- dense ---- */

/* Systems of few unknowns that are not eliminated by groups. */
enum { SMALL = 16 };

static int is_small(const lm_system *sys)
{
    return sys->solver == LM_SOLVER_AUTOMATIC && sys->groups.n == 0 && sys->pattern.n <= SMALL;
}

static double size_of(radau_complex a) { return fabs(a.re) + fabs(a.im); }

/* a / b; entries are neither huge nor tiny against one another beyond what their squares can hold */
static radau_complex quotient(radau_complex a, radau_complex b)
{
    double d = 1 / (b.re * b.re + b.im * b.im);
    return (radau_complex){d * (a.re * b.re + a.im * b.im), d * (a.im * b.re - a.re * b.im)};
}

/* y [n] -= f x [n] */
static void subtract(int n, radau_complex f, const radau_complex *x, radau_complex *y)
{
    for (int i = 0; i < n; i++) {
        y[i].re -= f.re * x[i].re - f.im * x[i].im;
        y[i].im -= f.re * x[i].im + f.im * x[i].re;
    }
}

static void swap(radau_complex *a, radau_complex *b)
{
    radau_complex keep = *a;
    *a = *b;
    *b = keep;
}

/* The largest entry of each column. */
static void measure_columns(const radau_pair *p, double *most)
{
    for (int k = 0; k < p->n; k++) {
        most[k] = 0;
        for (int i = 0; i < p->n; i++) most[k] = fmax(most[k], size_of(p->dense[i + p->n * k]));
    }
}

/* P A = L U in place, the largest entry of a column as its pivot. Columns have units of their own: a
 * pivot is rounding that is nothing beside what the column was. */
static int factor_dense(radau_pair *p)
{
    int n = p->n;
    double most[SMALL];
    measure_columns(p, most);
    for (int k = 0; k < n; k++) {
        radau_complex *col = p->dense + n * k;
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (size_of(col[i]) > size_of(col[best])) best = i;
        if (!(size_of(col[best]) > 1e-17 * most[k])) return 1;
        p->pivot[k] = best;
        for (int c = 0; c < n && best != k; c++)
            swap(p->dense + n * c + k, p->dense + n * c + best);
        for (int i = k + 1; i < n; i++) col[i] = quotient(col[i], col[k]);
        for (int c = k + 1; c < n; c++) {
            radau_complex *other = p->dense + n * c;
            subtract(n - k - 1, other[k], col + k + 1, other + k + 1);
        }
    }
    return 0;
}

static void solve_dense(const radau_pair *p, radau_complex *x)
{
    int n = p->n;
    for (int k = 0; k < n; k++) swap(x + k, x + p->pivot[k]);
    for (int k = 0; k < n; k++) subtract(n - k - 1, x[k], p->dense + n * k + k + 1, x + k + 1);
    for (int k = n - 1; k >= 0; k--) {
        const radau_complex *col = p->dense + n * k;
        x[k] = quotient(x[k], col[k]);
        subtract(k, x[k], col, x);
    }
}

/* The scales of linear.h. */
static void scale_dense(radau_pair *p, double mass)
{
    int n = p->n;
    p->scaled = lm_linear_scales(p->sys, mass, 1, p->d);
    for (int k = 0; k < n * n && p->scaled; k++) {
        double d = p->d[k % n] * p->d[k / n];
        p->dense[k].re *= d, p->dense[k].im *= d;
    }
}

static void scale(const radau_pair *p, radau_complex *x)
{
    for (int i = 0; i < p->n && p->scaled; i++) x[i].re *= p->d[i], x[i].im *= p->d[i];
}

static void solve_scaled(const radau_pair *p, radau_complex *x)
{
    scale(p, x);
    solve_dense(p, x);
    scale(p, x);
}

/* ---- both ---- */

void radau_pair_clear(radau_pair *p)
{
    if (p->dense) memset(p->dense, 0, sizeof *p->dense * (size_t)p->n * (size_t)p->n);
}

void radau_pair_new_pivots(radau_pair *p)
{
    if (p->lin) lm_linear_new_pivots(p->lin);
}

int radau_pair_factor(radau_pair *p, double mass)
{
    if (p->lin) lm_linear_set_mass(p->lin, mass);
    if (p->dense) scale_dense(p, mass);
    return p->dense ? factor_dense(p) : lm_linear_factor(p->lin);
}

void radau_pair_solve(radau_pair *p, double *x)
{
    if (p->dense)
        solve_scaled(p, (radau_complex *)x);
    else
        lm_linear_correct(p->lin, 1, x);
}

static int make_dense(radau_pair *p)
{
    p->dense = LM_NEW_N(&p->arena, radau_complex, p->n * p->n);
    p->pivot = LM_NEW_N(&p->arena, int, p->n);
    p->d = LM_NEW_N(&p->arena, double, p->n);
    return p->dense && p->pivot && p->d ? 0 : -1;
}

int radau_pair_init(radau_pair *p, const lm_system *sys)
{
    p->n = sys->pattern.n;
    p->sys = sys;
    if (is_small(sys)) return make_dense(p);
    if (make_pattern(p, sys) || find_places(p, sys) || make_groups(p, sys)) return -1;
    p->lin = lm_linear_create_for(sys, &p->pattern, &p->groups);
    if (!p->lin) return -1;
    p->values = lm_linear_values(p->lin);
    return 0;
}

void radau_pair_free(radau_pair *p)
{
    lm_linear_destroy(p->lin);
    lm_arena_free(&p->arena);
}
