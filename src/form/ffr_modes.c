/* Natural modes of a beam that is clamped at its first node, from the matrices of its elements, with static
 * shapes where joints bend it: the basis `modes` of a floating frame (docs/theory/ffr.md). */
#include "form/ffr_mesh.h"
#include "math/eigen.h"

/* A direction of deformation: `each` unknowns at a node, matrices of an element over those of
 * both nodes, upper triangle by rows. */
typedef struct direction {
    int each;
    int about_z; /* of bending */
    void (*element)(const ffr_mesh *g, const lm_beam_shape *c, double *K, double *M);
    const char *name;
} direction;

/* Over (v_a, phi_a, v_b, phi_b), from the stiffness k over the slopes against the chord. */
static void bending_stiffness(const double k[3], double L, double *K)
{
    const double N[2][4] = {{1 / L, 1, -1 / L, 0}, {1 / L, 0, -1 / L, 1}};
    for (int i = 0; i < 4; i++)
        for (int j = i; j < 4; j++)
            *K++ = N[0][i] * (k[0] * N[0][j] + k[1] * N[1][j]) +
                   N[1][i] * (k[1] * N[0][j] + k[2] * N[1][j]);
}

static void bend_y(const ffr_mesh *g, const lm_beam_shape *c, double *K, double *M)
{
    (void)g;
    bending_stiffness(c->kz, c->L, K);
    for (int i = 0; i < 10; i++) M[i] = c->mz[i];
}

/* my is over rotations about y, which are the negative slopes. */
static void bend_z(const ffr_mesh *g, const lm_beam_shape *c, double *K, double *M)
{
    (void)g;
    bending_stiffness(c->ky, c->L, K);
    for (int i = 0; i < 10; i++) M[i] = i == 1 || i == 3 || i == 5 || i == 8 ? -c->my[i] : c->my[i];
}

static void bar(double k, const double m[3], double factor, double *K, double *M)
{
    K[0] = K[2] = k, K[1] = -k;
    for (int i = 0; i < 3; i++) M[i] = factor * m[i];
}

static void stretch(const ffr_mesh *g, const lm_beam_shape *c, double *K, double *M)
{
    (void)g;
    bar(c->ka, c->mx, 1, K, M);
}

/* Sections without inertia: their twist has the modes that it would have with one in proportion
 * to the mass. */
static void twist(const ffr_mesh *g, const lm_beam_shape *c, double *K, double *M)
{
    double length = 0, inertia = 0;
    for (int e = 0; e < g->n; e++) length += g->shape[e].L, inertia += g->shape[e].mt[0];
    double l = length / g->part->n;
    bar(c->kt, inertia > 0 ? c->mt : c->mx, inertia > 0 ? 1 : 0.01 * l * l, K, M);
}

/* K and M without the unknowns of node 0, which is clamped. */
static void assemble(const ffr_mesh *g, const direction *d, double *K, double *M)
{
    int n = g->n * d->each;
    for (int e = 0; e < g->n; e++) {
        double k[10], m[10], *pk = k, *pm = m;
        int first = (e - 1) * d->each;
        d->element(g, &g->shape[e], k, m);
        for (int i = 0; i < 2 * d->each; i++)
            for (int j = i; j < 2 * d->each; j++, pk++, pm++) {
                if (first + i < 0) continue;
                K[first + j + n * (first + i)] += *pk;
                M[first + j + n * (first + i)] += *pm;
            }
    }
}

static int no_modes(const ffr_mesh *g, const direction *d, lm_diag *diag)
{
    const lm_spec_body *b = &g->m->spec->bodies.at[g->part->body];
    lm_error(diag, b->item.loc,
             "beam '%s' has no modes of %s: its mass is zero, or too small for numbers; give its "
             "section mass, or take 'basis: spline'",
             b->item.name, d->name);
    return 1;
}

/* Static shapes beside the modes: what a load at the end makes of the clamped part, and a moment at a turned
 * node. Modes of a free end alone take long to carry these. */
static int loaded(const ffr_mesh *g, const direction *d, int *dof)
{
    int n = 0;
    dof[n++] = d->each * (g->n - 1);
    for (int i = 1; i <= g->part->n && d->each == 2; i++)
        if (ffr_is_turned(g->part, i, d->about_z)) dof[n++] = 2 * (i * g->per - 1) + 1;
    return n;
}

static double product(int n, const double *A, const double *x, const double *y)
{
    double sum = 0;
    for (int c = 0; c < n; c++)
        for (int r = 0; r < n; r++) sum += x[r] * A[r + n * c] * y[c];
    return sum;
}

/* Shapes X [n count], the last `loads` of them static; the others are modes, orthonormal by M. */
static int add_static(const ffr_mesh *g, const direction *d, int count, const int *dof, int loads,
                      lm_arena *temp, double *X)
{
    int n = g->n * d->each;
    double *K = LM_NEW_N(temp, double, n *n), *M = LM_NEW_N(temp, double, n *n);
    if (!K || !M) return -1;
    assemble(g, d, K, M);
    for (int c = 0; c < n; c++)
        for (int r = c + 1; r < n; r++) K[c + n * r] = K[r + n * c], M[c + n * r] = M[r + n * c];
    double *S = X + n * (count - loads);
    for (int i = 0; i < n * loads; i++) S[i] = 0;
    for (int k = 0; k < loads; k++) S[dof[k] + n * k] = 1;
    int rc = lm_dense_solve(n, K, loads, S);
    for (int k = count - loads; k < count && !rc; k++) {
        double *x = X + n * k;
        for (int pass = 0; pass < 2; pass++)
            for (int j = 0; j < k; j++) {
                double part = product(n, M, X + n * j, x);
                for (int i = 0; i < n; i++) x[i] -= part * X[i + n * j];
            }
        double size = sqrt(product(n, M, x, x));
        for (int i = 0; i < n; i++) x[i] /= size;
    }
    return rc;
}

/* As rows at the nodes; the largest displacement is 1, the end on the positive side. */
static void put_rows(int n, int each, int count, const double *X, double *rows)
{
    for (int j = 0; j < count; j++) {
        const double *x = X + n * j;
        double most = 0, sign = x[n - each] < 0 ? -1 : 1;
        for (int i = 0; i < n; i += each) most = fmax(most, fabs(x[i]));
        for (int i = 0; i < n; i++) rows[(each + i) * count + j] = sign * x[i] / most;
    }
}

/* The `count` shapes of a direction: static ones, and for the rest the first modes. */
static int solve(const ffr_mesh *g, const direction *d, int count, lm_arena *temp, lm_diag *diag,
                 double *rows)
{
    int n = g->n * d->each, *dof = LM_NEW_N(temp, int, g->part->n + 2);
    double *K = LM_NEW_N(temp, double, n *n), *M = LM_NEW_N(temp, double, n *n);
    double *w = LM_NEW_N(temp, double, n);
    if (!K || !M || !w || !dof) return -1;
    assemble(g, d, K, M);
    int rc = lm_symmetric_eigen(n, K, M, w), loads = loaded(g, d, dof);
    if (!rc && loads) rc = add_static(g, d, count, dof, loads, temp, K);
    if (rc) return rc < 0 ? -1 : no_modes(g, d, diag);
    put_rows(n, d->each, count, K, rows);
    return 0;
}

int ffr_modes_make(const ffr_mesh *g, lm_arena *temp, lm_diag *diag, ffr_shapes *b)
{
    static const direction y = {2, 1, bend_y, "bending"}, z = {2, 0, bend_z, "bending"},
                           x = {1, 0, stretch, "stretch"}, t = {1, 0, twist, "torsion"};
    if (ffr_shapes_reserve(g, temp, b)) return -1;
    int rc = solve(g, &y, b->nv, temp, diag, b->v);
    if (!rc) rc = solve(g, &z, b->nw, temp, diag, b->w);
    if (!rc) rc = solve(g, &x, b->na, temp, diag, b->a);
    return rc ? rc : solve(g, &t, b->nt, temp, diag, b->t);
}
