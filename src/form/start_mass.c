/* Velocities of bodies that the joints do not allow: those that the bodies have after the impulses that make
 * them fit, min 1/2 sum (V - V0)^T M (V - V0), the mechanism taken rigid. */
#include "form/rigid_model.h"
#include "form/start_int.h"

#include "math/eigen.h"

#define RIDGE 1e-14 /* motions without mass */

typedef struct inertia {
    double mass;
    lm_v3 c; /* mass centre from the drawn point, world axes now */
    lm_m3 J; /* about it */
} inertia;

static inertia inertia_of(const start *s, int body, const lm_m3 *R)
{
    lm_body b;
    lm_node n;
    lm_rigid_body(s->m, body, &b, &n);
    lm_m3 A = quat_m3(n.q), turn = m3_mul(R, &A), back = m3_t(&turn), JR = m3_mul(&b.J, &back);
    return (inertia){b.mass, m3_v(R, v3_sub(n.x, s->out->body[body].drawn)), m3_mul(&turn, &JR)};
}

/* The mass times a motion of the drawn point, as forces on it. */
static void times_mass(const inertia *b, const double *V, double *f)
{
    lm_v3 w = v3_from(V + 3), F = v3_mul(b->mass, v3_add(v3_from(V), v3_cross(w, b->c)));
    v3_put(f, F);
    v3_put(f + 3, v3_add(m3_v(&b->J, w), v3_cross(b->c, F)));
}

/* Motion of a body by scaled rates x. */
static void motion_by(const start_group *g, int tip, const lm_tip_motion *m, const double *x,
                      double *V)
{
    const lm_kintree *t = &g->s->tree;
    const lm_tip *p = &t->tips.at[tip];
    memset(V, 0, 6 * sizeof *V);
    for (int c = p->first; c < p->first + p->n; c++) {
        double X[6];
        int u = t->columns.at[c].u, i = g->own[u];
        if (i < 0 || x[i] == 0) continue;
        lm_kintree_partial(t, &t->columns.at[c], m, X);
        for (int r = 0; r < 6; r++) V[r] += X[r] * g->s->var.at[u].unit * x[i];
    }
}

/* A += Z^T M Z, b += Z^T M (V0 - V) of one body; B [6 k]. */
static void add_body(start_group *g, int body, const double *V0, double *A, double *b, double *B)
{
    int k = g->e.nfree, n = g->e.n;
    double V[6], f[6];
    lm_tip_motion m;
    lm_kintree_tip_motion(&g->s->tree, g->s->tip[body], &m);
    inertia w = inertia_of(g->s, body, &m.R);
    motion_by(g, g->s->tip[body], &m, g->e.x, V);
    for (int a = 0; a < k; a++)
        motion_by(g, g->s->tip[body], &m, g->e.Z + (size_t)a * (size_t)n, B + 6 * a);
    for (int r = 0; r < 6; r++) V[r] = V0[r] - V[r];
    for (int a = 0; a < k; a++) {
        times_mass(&w, B + 6 * a, f);
        for (int r = 0; r < 6; r++) b[a] += f[r] * V[r];
        for (int c = 0; c < k; c++)
            for (int r = 0; r < 6; r++) A[a + c * k] += f[r] * B[6 * c + r];
    }
}

/* reference: the velocities [6 bodies] of drawn points. */
int start_project(start_group *g, const double *reference)
{
    start_group_solve(g, g->e.m - 6 * g->nbodies);
    int k = g->e.nfree, n = g->e.n;
    double trace = 0, *A = lm_alloc(sizeof(double) * (size_t)(k * k + 7 * k + 1)), *b = A + k * k;
    if (!A) return -1;
    for (int i = 0; i < g->s->m->nbodies; i++) add_body(g, i, reference + 6 * i, A, b, b + k);
    for (int a = 0; a < k; a++) trace += A[a + a * k];
    for (int a = 0; a < k; a++) A[a + a * k] += RIDGE * trace;
    int bad = k ? lm_dense_solve(k, A, 1, b) : 0;
    for (int a = 0; a < k && !bad; a++)
        for (int i = 0; i < n; i++) g->e.x[i] += b[a] * g->e.Z[(size_t)a * (size_t)n + (size_t)i];
    lm_free(A);
    return bad < 0 ? -1 : 0;
}
