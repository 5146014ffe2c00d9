/* Values of joint coordinates in loops, on a path from the drawing (docs/theory/initial-state.md).
 *
 * What is given goes in steps from zero to its value, gaps of the drawing to zero, and at each step
 *
 *     min 1/2 sum w_i x_i^2   with   phi(x) = 0
 *
 * by Newton's method on the Lagrange function: x = -C^+ phi + Z zeta, Z^T H Z zeta = -Z^T (g + W x). H is
 * taken from differences of g + C^T lam along Z. */
#include "form/start_int.h"

#include "math/eigen.h"

enum { ITERATIONS = 40, STEPS = 2000, MANY = 60 };
#define LONGEST  0.2  /* a step: rad, or over L */
#define SHORTEST 1e-5 /* part of the way */
#define EARLY    1e-5 /* correction at which a step on the way is found, */
#define FOUND    1e-9 /* and the last one: the next correction is its square */
#define CLOSED   1e-9 /* gap: what joints drawn apart may be without a word */
#define PROBE    1e-5

static double largest(int n, const double *x)
{
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

static void move(start_group *g, const double *x, double by)
{
    start *s = g->s;
    memset(s->du, 0, sizeof(double) * (size_t)s->tree.nu);
    for (int i = 0; i < g->e.n; i++) s->du[g->u[i]] = by * s->var.at[g->u[i]].unit * x[i];
    lm_kintree_retract(&s->tree, s->p, s->du, s->p);
}

/* g = W x of where it is: coordinates over their units, rotation vectors of balls. */
static void gradient(start_group *g, double *out)
{
    const start *s = g->s;
    for (int i = 0; i < g->e.n; i++) {
        const start_var *v = &s->var.at[g->u[i]];
        const lm_link *l = &s->tree.links.at[v->link];
        double x = l->kind == LM_LINK_BALL ? v3_get(lm_quat_log(quat_from(s->p + l->p)), v->axis)
                                           : s->p[l->p] / v->unit;
        out[i] = start_group_weight(g, i, START_VALUE) * x;
    }
}

/* T^T lam = -Q g: the multipliers of the independent rows. */
static void multipliers(start_group *g)
{
    int most = g->e.n < g->e.m ? g->e.n : g->e.m;
    memset(g->lam, 0, sizeof(double) * (size_t)g->e.m);
    for (int k = g->e.rank - 1; k >= 0; k--) {
        double b = 0;
        for (int i = 0; i < g->e.n; i++)
            b -= g->e.Q[(size_t)k * (size_t)g->e.n + (size_t)i] * g->g[i];
        for (int l = k + 1; l < g->e.rank; l++)
            b -= g->e.T[(size_t)l * (size_t)most + (size_t)k] * g->lam[g->e.row[l]];
        g->lam[g->e.row[k]] = b / g->e.T[(size_t)k * (size_t)most + (size_t)k];
    }
}

/* out = g + C^T lam where the joints are. */
static void lagrangian(start_group *g, double done, double *out)
{
    start_group_fill(g, done, START_VALUE);
    gradient(g, out);
    for (int r = 0; r < g->e.m; r++)
        for (int i = 0; i < g->e.n && g->lam[r] != 0; i++)
            out[i] += g->lam[r] * g->e.C[(size_t)r * (size_t)g->e.n + (size_t)i];
}

static double product(int n, const double *a, const double *b)
{
    double s = 0;
    for (int i = 0; i < n; i++) s += a[i] * b[i];
    return s;
}

/* A = Z^T H Z, symmetric; C and phi are those of another place then. */
static void curvature(start_group *g, double done, double *A, double *two)
{
    int n = g->e.n, k = g->e.nfree, np = g->s->tree.np;
    double *keep = two + 2 * n;
    lm_copy(keep, g->s->p, np);
    for (int c = 0; c < k; c++) {
        const double *z = g->e.Z + (size_t)c * (size_t)n;
        for (int side = 0; side < 2; side++) {
            move(g, z, side ? -PROBE : PROBE);
            lagrangian(g, done, two + side * n);
            lm_copy(g->s->p, keep, np);
        }
        for (int i = 0; i < n; i++) two[i] = (two[i] - two[n + i]) / (2 * PROBE);
        for (int a = 0; a < k; a++) A[a + c * k] = product(n, g->e.Z + (size_t)a * (size_t)n, two);
    }
    for (int a = 0; a < k; a++)
        for (int c = 0; c < a; c++)
            A[a + c * k] = A[c + a * k] = 0.5 * (A[a + c * k] + A[c + a * k]);
}

/* 1: A has no negative direction; its Cholesky factor stays in it. */
static int is_positive(int k, double *A)
{
    for (int j = 0; j < k; j++) {
        for (int l = 0; l < j; l++)
            for (int i = j; i < k; i++) A[i + j * k] -= A[i + l * k] * A[j + l * k];
        if (!(A[j + j * k] > 1e-6)) return 0;
        double d = sqrt(A[j + j * k]);
        for (int i = j; i < k; i++) A[i + j * k] /= d;
    }
    return 1;
}

/* zeta of the step, into the motion g->e.x. */
static int change(start_group *g, double done, double *work)
{
    int n = g->e.n, k = g->e.nfree;
    double *A = work, *B = A + k * k, *b = B + k * k, *two = b + k;
    gradient(g, g->g);
    multipliers(g);
    for (int a = 0; a < k; a++) {
        b[a] = 0;
        for (int i = 0; i < n; i++)
            b[a] -= g->e.Z[(size_t)a * (size_t)n + (size_t)i] *
                    (g->g[i] + start_group_weight(g, i, START_VALUE) * g->e.x[i]);
    }
    int exact = k <= MANY;
    if (exact) {
        curvature(g, done, A, two);
        memcpy(B, A, sizeof(double) * (size_t)(k * k));
        exact = is_positive(k, B);
    }
    for (int a = 0; a < k && !exact; a++)
        for (int c = 0; c < k; c++) {
            A[a + c * k] = 0;
            for (int i = 0; i < n; i++)
                A[a + c * k] += start_group_weight(g, i, START_VALUE) *
                                g->e.Z[(size_t)a * (size_t)n + (size_t)i] *
                                g->e.Z[(size_t)c * (size_t)n + (size_t)i];
        }
    int bad = lm_dense_solve(k, A, 1, b);
    double size = bad ? 0 : largest(k, b), by = size > LONGEST ? LONGEST / size : 1;
    for (int a = 0; a < k && !bad; a++)
        for (int i = 0; i < n; i++)
            g->e.x[i] += by * b[a] * g->e.Z[(size_t)a * (size_t)n + (size_t)i];
    return bad < 0 ? -1 : 0;
}

/* To the part `done` of the way. 0; 1: not found, s->p as before; -1. */
static int step(start_group *g, double done, double *work)
{
    start *s = g->s;
    double enough = done < 1 ? EARLY : FOUND, before = INFINITY;
    lm_copy(g->p0, s->p, s->tree.np);
    for (int k = 0; k < ITERATIONS; k++) {
        for (int j = 0; j < s->nj; j++) {
            const start_joint *joint = &s->joint[j];
            for (int i = 0; i < 3 && joint->gap >= 0; i++)
                if (start_root(s, j, START_VALUE) == g->root)
                    s->p[s->tree.links.at[s->var.at[joint->gap + i].link].p] =
                        (1 - done) * joint->sign * joint->open[i];
        }
        start_group_fill(g, done, START_VALUE);
        start_group_solve(g, g->e.m);
        double gap = largest(g->e.n, g->e.x);
        if (!(gap <= 1.5 * LONGEST) || (k > 4 && gap > 2 * before)) break;
        before = gap;
        if (g->e.nfree && change(g, done, work)) return -1;
        double size = largest(g->e.n, g->e.x);
        move(g, g->e.x, 1);
        if (size <= enough || (size <= EARLY && k > ITERATIONS - 3)) return 0;
    }
    lm_copy(s->p, g->p0, s->tree.np);
    return 1;
}

/* The first part of the way that is no longer than a step. */
static double first_part(const start_group *g)
{
    double far = 0;
    for (int i = 0; i < g->npins; i++) {
        const start_var *v = &g->s->var.at[g->u[g->pin[i]]];
        far = fmax(far, fabs(v->target[START_VALUE]) / v->unit);
    }
    return far > LONGEST ? LONGEST / far : 1;
}

static int travel(start_group *g, double *work)
{
    double done = 0, part = first_part(g), most = part;
    for (int k = 0; k < STEPS && done < 1; k++) {
        double next = done + part >= 1 - 1e-9 ? 1 : done + part;
        int bad = step(g, next, work);
        if (bad < 0) return -1;
        if (bad && part < SHORTEST) return 1;
        if (!bad) done = next;
        part = bad ? 0.5 * part : fmin(most, 2 * part);
    }
    if (done < 1) return 1;
    start_group_fill(g, 1, START_VALUE);
    start_group_solve(g, g->e.m);
    return largest(g->e.m, g->e.phi) > CLOSED;
}

int start_follow(start_group *g)
{
    size_t n = (size_t)g->e.n;
    double *work = lm_alloc(sizeof(double) * (2 * n * n + 3 * n + (size_t)g->s->tree.np + 1));
    int bad = work ? travel(g, work) : -1;
    lm_free(work);
    return bad;
}
