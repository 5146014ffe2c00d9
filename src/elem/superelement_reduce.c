/* Superelement: the tangent in terms of few coordinates.
 *
 * A coordinate moves the poses by X, changes their twists by Xv (at fixed rates of the coordinates) and
 * their accelerations by Xa; its rate changes the accelerations by Xc. What the forces do then follows from
 * the parts of the tangent, each of which multiplies a vector at a cost of a few hundred products: for a
 * handful of coordinates that is far less than the matrices M, D and K of all poses. All of it is done in
 * the axes of the frame, where M and K are constant. */
#include "elem/superelement_int.h"

#include <string.h>

/* ---- scratch ---- */

/* Parts of the tangent: three matrices of m x m, one of nd x nd, five of 3 nd. */
int lm_super_reduce_scratch(int n)
{
    int nd = 6 * (n + 1);
    return lm_super_scratch(n) + 4 * nd * nd + 15 * nd;
}

static double *take(double **scratch, size_t count)
{
    double *p = *scratch;
    *scratch += count;
    return p;
}

static void share_parts(const super_work *w, double *scratch, super_parts *p)
{
    size_t m = (size_t)w->m, nd = (size_t)w->nd;
    p->K.blocks = take(&scratch, m * m), p->D.blocks = take(&scratch, m * m);
    p->K.left_G = take(&scratch, 3 * nd), p->K.right_G = take(&scratch, 3 * nd);
    p->D.left_G = take(&scratch, 3 * nd), p->D.right_G = take(&scratch, 3 * nd);
    p->K.left_S = take(&scratch, 3 * nd), p->D.left_S = NULL;
    p->damping = super_is_damped(w->s) ? take(&scratch, m * m) : NULL;
    p->second = w->follows < 0 ? take(&scratch, nd * nd) : NULL;
}

/* ---- products ---- */

static double dot(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* R z, R: 3 x n */
static lm_v3 rows_times(int n, const double *R, const double *z)
{
    lm_v3 sum = v3(0, 0, 0);
    for (int j = 0; j < n; j++) sum = v3_add(sum, v3_mul(z[j], v3_from(R + 3 * j)));
    return sum;
}

/* f += L a, L: n x 3 */
static void add_columns(int n, const double *restrict L, lm_v3 a, double *restrict f)
{
    for (int i = 0; i < n; i++) f[i] += a.x * L[i] + a.y * L[n + i] + a.z * L[2 * n + i];
}

/* f += P^T B P z */
static void add_projected(super_work *w, const double *B, const double *z, double *f)
{
    double *Pz = w->tmp[0], *g = w->tmp[1];
    super_project(w, z, Pz);
    memset(g, 0, sizeof(double) * (size_t)w->m);
    super_multiply(w->m, B, Pz, 1, g);
    super_project_back(w, g, f);
}

/* f = K z */
static void stiffness_times(super_work *w, const super_parts *p, const double *z, double *f)
{
    int nd = w->nd;
    memset(f, 0, sizeof(double) * (size_t)nd);
    add_projected(w, p->K.blocks, z, f);
    super_turn_back(w, rows_times(nd, p->K.right_G, z), f);
    add_columns(nd, p->K.left_G, super_turn(w, z), f);
    if (!p->second) return; /* then S is zero, too */
    add_columns(nd, p->K.left_S, rows_times(nd, w->S, z), f);
    super_multiply(nd, p->second, z, 1, f);
}

static void transpose(int n, double *A)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            double a = A[n * i + j];
            A[n * i + j] = A[n * j + i];
            A[n * j + i] = a;
        }
}

/* f = D^T x, whose blocks have been transposed */
static void damping_transposed(super_work *w, const super_parts *p, const double *x, double *f)
{
    int nd = w->nd;
    const double *L = p->D.left_G, *R = p->D.right_G;
    lm_v3 eta = super_turn(w, x);
    for (int j = 0; j < nd; j++) f[j] = v3_dot(v3_from(R + 3 * j), eta);
    super_multiply(w->m, p->D.blocks, x, 1, f);
    super_turn_back(w, v3(dot(nd, L, x), dot(nd, L + nd, x), dot(nd, L + 2 * nd, x)), f);
    if (p->damping) add_projected(w, p->damping, x, f);
}

static void mass_times(const super_work *w, const double *z, double *f)
{
    memset(f, 0, sizeof(double) * (size_t)w->nd);
    super_multiply(w->m, w->s->M, z, 1, f);
}

/* ---- the coordinates ---- */

/* The numbers of a coordinate, nd each. */
enum { X, XV, XA, XC, MX, DX, KX };

static void to_frame_axes(const super_work *w, int n, double *z)
{
    for (int i = 0; i < n; i += 3) v3_put(z + i, m3_tv(&w->A, v3_from(z + i)));
}

typedef double vec2 __attribute__((vector_size(16), aligned(8), may_alias));

static inline vec2 at(const double *p) { return *(const vec2 *)p; }

/* M is symmetric, and x . D y = (D^T x) . y: what M and D make of the X is all that is needed of them. Two
 * numbers at a time, as nd is even. */
static LM_CLONES void project(int nd, int n, const double *z, double *M, double *D, double *K)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            const double *a = z + LM_SUPER_MOTION * nd * i, *b = z + LM_SUPER_MOTION * nd * j;
            vec2 m = {0, 0}, d = {0, 0}, k = {0, 0};
            for (int r = 0; r < nd; r += 2, a += 2, b += 2) {
                vec2 x = at(a), Mx = at(a + MX * nd), Dx = at(a + DX * nd);
                m += x * at(b + MX * nd);
                if (!D) continue;
                d += Dx * at(b) + Mx * at(b + XC * nd);
                k += x * at(b + KX * nd) + Dx * at(b + XV * nd) + Mx * at(b + XA * nd);
            }
            M[n * j + i] = m[0] + m[1];
            if (D) D[n * j + i] = d[0] + d[1], K[n * j + i] = k[0] + k[1];
        }
}

int lm_super_reduce(const lm_super *s, const lm_super_state *st, lm_v3 g, int n, double *z,
                    double *scratch, double *M, double *D, double *K)
{
    super_work w;
    super_parts p;
    int nd = 6 * s->poses;
    int rc = D ? super_begin(s, st, g, scratch, &w) : super_begin_frame(s, st, scratch, &w);
    if (rc) return rc;
    if (D) {
        share_parts(&w, scratch + lm_super_scratch(s->n), &p);
        super_tangent_parts(&w, &p);
        transpose(w.m, p.D.blocks);
    }
    for (int j = 0; j < n; j++) {
        double *own = z + LM_SUPER_MOTION * nd * j;
        to_frame_axes(&w, D ? 4 * nd : nd, own);
        mass_times(&w, own, own + MX * nd);
        if (!D) continue;
        damping_transposed(&w, &p, own, own + DX * nd);
        stiffness_times(&w, &p, own, own + KX * nd);
    }
    project(nd, n, z, M, D, K);
    return 0;
}
