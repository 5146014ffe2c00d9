/* Recursive dynamics: CPU time of one evaluation of the equations of motion of a cantilever of n rigid
 * finite elements, ball joints with bending and torsion springs between them, against n. One evaluation
 * goes from positions and rates to accelerations: moments of the springs, motion of all elements,
 * articulated bodies. */
#include "form/recursive.h"
#include "bench.h"

#include <math.h>

enum { MOST = 100000, SIZES = 5 };

/* A steel wire of 2 mm, elements 20 mm long. */
static const double LENGTH = 0.02, RADIUS = 1e-3, DENSITY = 7850, YOUNG = 2.1e11, SHEAR = 8.1e10;

typedef struct chain {
    lm_arena arena;
    lm_kintree t;
    lm_recursive *r;
    int n;
    lm_v3 c, k; /* stiffness and damping of a joint: torsion, bending, bending */
    double *p, *du, *tau, *ddu;
} chain;

typedef struct timing {
    double evaluation, springs, move, inverse; /* microseconds */
} timing;

/* ---- the chain ---- */

static void bend(chain *c)
{
    for (int i = 0; i < c->n; i++) {
        double s = 0.05 * i;
        quat_put(c->p + 4 * i,
                 lm_quat_exp(v3(0.01 * sin(s), 0.03 * cos(2 * s), 0.02 * sin(3 * s))));
        v3_put(c->du + 3 * i, v3(0.1 * cos(s), 0.2 * sin(s), -0.1 * sin(2 * s)));
    }
}

static int open_chain(chain *c, int n)
{
    const double area = 3.14159265358979 * RADIUS * RADIUS, I = 0.25 * area * RADIUS * RADIUS;
    const double m = DENSITY * area * LENGTH,
                 across = m * LENGTH * LENGTH / 12 + DENSITY * I * LENGTH;
    lm_m3 J = {{2 * DENSITY * I * LENGTH, 0, 0, 0, across, 0, 0, 0, across}};
    *c = (chain){.n = n};
    c->t.arena = &c->arena;
    c->c = v3(2 * SHEAR * I / LENGTH, YOUNG * I / LENGTH, YOUNG * I / LENGTH);
    c->k = v3_mul(1e-5, c->c);
    lm_tree_body *body = LM_NEW_N(&c->arena, lm_tree_body, n);
    c->p = LM_NEW_N(&c->arena, double, 4 * n);
    c->du = LM_NEW_N(&c->arena, double, 3 * n);
    c->tau = LM_NEW_N(&c->arena, double, 3 * n);
    c->ddu = LM_NEW_N(&c->arena, double, 3 * n);
    if (!body || !c->p || !c->du || !c->tau || !c->ddu) return -1;
    for (int i = 0; i < n; i++) {
        lm_kintree_link(&c->t, LM_LINK_BALL, i - 1, v3(i ? LENGTH : 0, 0, 0), m3_identity(),
                        v3(0, 0, 0));
        body[i] = (lm_tree_body){i, v3(LENGTH / 2, 0, 0), m3_identity(), m, J};
    }
    bend(c);
    c->r = lm_recursive_new(&c->arena, &c->t, body, n);
    return c->r ? 0 : -1;
}

/* Moments of the springs: with the rotation vector psi = a n, tau = -Tinv(psi)^T M - k du, M = c psi,
 * Tinv^T M = M + 1/2 psi x M + (1 - a/2 cot(a/2)) / a^2 psi x (psi x M), and the quaternion knows
 * cot(a/2). */
static void springs(chain *c)
{
    for (int i = 0; i < c->n; i++) {
        lm_quat q = quat_from(c->p + 4 * i);
        lm_v3 psi = lm_quat_log(q), w = v3_from(c->du + 3 * i);
        double a2 = v3_dot(psi, psi), b = 1. / 12 + a2 / 720;
        if (a2 > 1e-4) {
            double cot = q.w / sqrt(q.x * q.x + q.y * q.y + q.z * q.z);
            b = (1 - 0.5 * sqrt(a2) * cot) / a2;
        }
        lm_v3 M = v3(c->c.x * psi.x, c->c.y * psi.y, c->c.z * psi.z), across = v3_cross(psi, M);
        M = v3_add(M, v3_add(v3_mul(0.5, across), v3_mul(b, v3_cross(psi, across))));
        v3_put(c->tau + 3 * i, v3_neg(v3_add(M, v3(c->k.x * w.x, c->k.y * w.y, c->k.z * w.z))));
    }
}

/* ---- measuring ---- */

static void move(chain *c) { lm_recursive_move(c->r, c->p, c->du); }

static void evaluate(chain *c)
{
    const lm_tree_load load = {.tau = c->tau, .gravity = {0, 0, -9.81}};
    int massless;
    springs(c);
    move(c);
    if (lm_recursive_forward(c->r, &load, c->ddu, &massless)) {
        fprintf(stderr, "rate %d moves no mass\n", massless);
        exit(1);
    }
}

static void invert(chain *c)
{
    const lm_tree_load load = {.gravity = {0, 0, -9.81}};
    lm_recursive_inverse(c->r, &load, c->ddu, c->tau);
}

/* Shortens `best` if some calls in a row, 30 ms of them, take less time each. */
static void try_again(chain *c, void (*what)(chain *), double *best)
{
    int calls = 0;
    double start = bench_cpu(), spent;
    do {
        what(c);
        calls++;
    } while (calls % (1 + MOST / 10 / c->n) || bench_cpu() - start < 0.03);
    spent = 1e6 * (bench_cpu() - start) / calls;
    if (*best == 0 || spent < *best) *best = spent;
}

/* All lengths in turn, several times: what else runs on the machine meets all of them. */
static void measure(chain *c, timing *t)
{
    for (int round = 0; round < 12; round++)
        for (int k = 0; k < SIZES; k++) {
            try_again(&c[k], evaluate, &t[k].evaluation);
            try_again(&c[k], springs, &t[k].springs);
            try_again(&c[k], move, &t[k].move);
            try_again(&c[k], invert, &t[k].inverse);
        }
}

/* ---- showing ---- */

static void show(FILE *csv, int n, const timing *t, const timing *before)
{
    char exponent[20] = "";
    if (before)
        snprintf(exponent, sizeof exponent, "%.2f", log10(t->evaluation / before->evaluation));
    printf("%8d | %13.2f | %8.1f | %8s | %6.0f %% | %6.0f %% | %11.1f\n", n, t->evaluation,
           1e3 * t->evaluation / n, exponent, 100 * t->springs / t->evaluation,
           100 * t->move / t->evaluation, 1e3 * (t->move + t->inverse) / n);
    fflush(stdout);
    fprintf(csv, "%d,%.6g,%.6g,%.6g,%.6g\n", n, t->evaluation, t->springs, t->move, t->inverse);
}

int main(int argc, char **argv)
{
    static chain c[SIZES];
    timing t[SIZES] = {0};
    FILE *csv =
        bench_csv(argc, argv, "recursive", "elements,evaluation_us,springs_us,move_us,inverse_us");
    for (int k = 0, n = 10; k < SIZES; k++, n *= 10)
        if (open_chain(&c[k], n)) {
            fprintf(stderr, "no memory for %d elements\n", n);
            return 1;
        }
    measure(c, t);
    printf("### Forward dynamics of a chain of rigid finite elements\n\n");
    printf("%8s | %13s | %8s | %8s | %8s | %8s | %11s\n", "elements", "us/evaluation", "ns each",
           "exponent", "springs", "motion", "inverse, ns");
    printf("--: | --: | --: | --: | --: | --: | --:\n");
    for (int k = 0; k < SIZES; k++) {
        show(csv, c[k].n, &t[k], k ? &t[k - 1] : NULL);
        lm_arena_free(&c[k].arena);
    }
    fclose(csv);
    return 0;
}
