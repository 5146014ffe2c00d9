/* Is it a body? Matrices of a superelement against what every free body has: symmetric, positive,
 * a stiffness that lets it move as a rigid body, a mass that is the same in all directions.
 *
 * Displacements and rotations, and stiff and soft directions, have different units and sizes, so
 * matrices are compared after scaling to a unit diagonal: a_ij / sqrt(a_ii a_jj). A positive matrix
 * then has no entry above 1 in magnitude. */
#include "model/compile_superelement.h"

#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Files are often written with six digits. */
static const double most = 1e-5;

typedef struct check {
    const lm_spec_body *b;
    const lm_super *s;
    const lm_super_matrix *matrix;
    double *A;     /* the matrix, n x n */
    double *scale; /* [n] by find_scales; 0: row and column are zero */
    double *copy;  /* n x n */
    double *value; /* [n] */
    double *work;  /* [34 n] */
    lm_diag *diag;
    int n;
} check;

#define FAULT(c, fmt, ...)                                                                         \
    lm_error((c)->diag, (c)->b->item.loc, "%s of superelement '%s' (%s) " fmt, (c)->matrix->name,  \
             (c)->b->item.name, (c)->matrix->path, __VA_ARGS__)

static double at(const check *c, int i, int j)
{
    return c->A[(size_t)c->n * (size_t)j + (size_t)i];
}

/* "ry of node 'tip'" */
typedef struct dof_text {
    char text[80];
} dof_text;
static dof_text dof(const check *c, int i)
{
    static const char *const names[] = {"ux", "uy", "uz", "rx", "ry", "rz"};
    dof_text d;
    snprintf(d.text, sizeof d.text, "%s of node '%.40s'", names[i % 6], c->b->nodes[i / 6].name);
    return d;
}

/* ---- symmetry, scales ---- */

/* Square roots of the diagonal. Where that is zero but for rounding against the others of its kind
 * (translations, rotations), a row has the size of its largest entry, or of that rounding. */
static void find_scales(check *c)
{
    double kind[2] = {0, 0};
    for (int i = 0; i < c->n; i++) kind[i / 3 % 2] = fmax(kind[i / 3 % 2], fabs(at(c, i, i)));
    for (int i = 0; i < c->n; i++) {
        double size = fabs(at(c, i, i)), rounding = 1e-14 * kind[i / 3 % 2];
        if (size <= rounding) {
            size = rounding;
            for (int j = 0; j < c->n; j++) size = fmax(size, fabs(at(c, j, i)));
        }
        c->scale[i] = sqrt(size);
    }
}

/* Symmetric to rounding; then exactly so. */
static int check_symmetry(check *c)
{
    double worst = 0;
    int row = 0, col = 0;
    for (int j = 0; j < c->n; j++)
        for (int i = j + 1; i < c->n; i++) {
            double gap = fabs(at(c, i, j) - at(c, j, i)), size = c->scale[i] * c->scale[j];
            if (gap == 0 || gap <= worst * size) continue;
            worst = size > 0 ? gap / size : INFINITY;
            row = i, col = j;
        }
    if (worst > most) {
        FAULT(c,
              "is not symmetric: entry (%d, %d) is %.6g and (%d, %d) is %.6g, which couple %s and "
              "%s",
              row + 1, col + 1, at(c, row, col), col + 1, row + 1, at(c, col, row),
              dof(c, row).text, dof(c, col).text);
        return -1;
    }
    for (int j = 0; j < c->n; j++)
        for (int i = j + 1; i < c->n; i++) {
            double mean = 0.5 * (at(c, i, j) + at(c, j, i));
            c->A[(size_t)c->n * (size_t)j + (size_t)i] = mean;
            c->A[(size_t)c->n * (size_t)i + (size_t)j] = mean;
        }
    return 0;
}

/* ---- eigenvalues ---- */

/* Of the scaled matrix, ascending; with vectors in c->copy when `job` is 'V'. Entries far above 1
 * are cut: the matrix stays indefinite, and the numbers finite. */
static int eigenvalues(check *c, char job)
{
    for (int j = 0; j < c->n; j++)
        for (int i = 0; i < c->n; i++) {
            double size = c->scale[i] * c->scale[j], a = size > 0 ? at(c, i, j) / size : 0;
            c->copy[(size_t)c->n * (size_t)j + (size_t)i] = fmax(-10, fmin(10, a));
        }
    int rc = LAPACKE_dsyev_work(LAPACK_COL_MAJOR, job, 'L', c->n, c->copy, c->n, c->value, c->work,
                                34 * c->n);
    if (rc) FAULT(c, "has no eigenvalues that can be computed (status %d)", rc);
    return rc;
}

static int check_positive(check *c)
{
    for (int i = 0; i < c->n; i++)
        if (at(c, i, i) < -0.5 * c->scale[i] * c->scale[i]) {
            FAULT(c, "is indefinite: entry (%d, %d) on its diagonal is %.6g (%s)", i + 1, i + 1,
                  at(c, i, i), dof(c, i).text);
            return -1;
        }
    if (eigenvalues(c, 'N')) return -1;
    double least = c->value[0];
    if (least >= -most) return 0;
    if (eigenvalues(c, 'V')) return -1;
    int big = 0;
    for (int i = 1; i < c->n; i++)
        if (fabs(c->copy[i]) > (1 + 1e-6) * fabs(c->copy[big]))
            big = i; /* of equal ones the first */
    FAULT(c,
          "is indefinite: its smallest eigenvalue is %.4g, scaled to a diagonal of ones; the shape "
          "that belongs to it moves most in %s",
          least, dof(c, big).text);
    return -1;
}

/* ---- rigid motion ---- */

static lm_v3 unit(int k) { return v3(k == 0, k == 1, k == 2); }

static lm_v3 middle(const check *c)
{
    lm_v3 sum = v3(0, 0, 0);
    for (int i = 0; i < c->s->n; i++) sum = v3_add(sum, v3_mul(1.0 / c->s->n, c->s->X[i]));
    return sum;
}

/* Rigid motion k: translations x y z, rotations x y z about the middle of the nodes. */
static void rigid_motion(const check *c, int k, double *r)
{
    lm_v3 e = unit(k % 3), centre = middle(c), zero = v3(0, 0, 0);
    for (int i = 0; i < c->s->n; i++) {
        v3_put(r + 6 * i, k < 3 ? e : v3_cross(e, v3_sub(c->s->X[i], centre)));
        v3_put(r + 6 * i + 3, k < 3 ? zero : e);
    }
}

/* |K r| / |r|, scaled. */
static double resistance(const check *c, int k)
{
    double *r = c->work, *f = r + c->n, force = 0, size = 0;
    rigid_motion(c, k, r);
    memset(f, 0, sizeof(double) * (size_t)c->n);
    for (int j = 0; j < c->n; j++)
        for (int i = 0; i < c->n; i++) f[i] += at(c, i, j) * r[j];
    for (int i = 0; i < c->n; i++) {
        force = hypot(force, c->scale[i] > 0 ? f[i] / c->scale[i] : 0);
        size = hypot(size, c->scale[i] * r[i]);
    }
    return size > 0 ? force / size : 0;
}

/* The stiffness lets the body go in all six rigid motions; `resisted` is the largest that it
 * puts up against one. */
static int check_free(check *c, double *resisted)
{
    static const char *const names[] = {"translation x", "translation y", "translation z",
                                        "rotation x",    "rotation y",    "rotation z"};
    char text[300] = "";
    size_t used = 0;
    int failed = 0;
    *resisted = 0;
    for (int k = 0; k < 6; k++) {
        double q = resistance(c, k);
        *resisted = fmax(*resisted, q);
        if (q <= most) continue;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s (%.3g)",
                                 failed++ ? ", " : "", names[k], q);
    }
    if (!failed) return 0;
    FAULT(c,
          "resists rigid motion: %s, where |K r| / |K| |r| should be 0; is it free, and are its "
          "nodes where the model has them?",
          text);
    return -1;
}

/* Zeros of the spectrum: six, and one more for each mechanism inside. */
static void warn_mechanism(check *c, double resisted)
{
    double zero = fmax(1e-11, 10 * resisted);
    int count = 0, free_dofs = c->n < 6 ? c->n : 6;
    if (eigenvalues(c, 'N')) return;
    while (count < c->n && c->value[count] <= zero) count++;
    if (count <= free_dofs) return;
    lm_warning(c->diag, c->b->item.loc,
               "%s of superelement '%s' (%s) has %d zero eigenvalues, %d more than the six of its "
               "rigid motion: a part of it is not held",
               c->matrix->name, c->b->item.name, c->matrix->path, count, count - free_dofs);
}

/* The 6 x 6 mass of the rigid motions about the middle of the nodes. */
static void rigid_mass(const check *c, double out[6][6])
{
    double *r = c->work, *p = r + c->n, *q = p + c->n;
    for (int k = 0; k < 6; k++) {
        rigid_motion(c, k, r);
        memset(p, 0, sizeof(double) * (size_t)c->n);
        for (int j = 0; j < c->n; j++)
            for (int i = 0; i < c->n; i++) p[i] += at(c, i, j) * r[j];
        for (int l = 0; l < 6; l++) {
            rigid_motion(c, l, q);
            out[l][k] = 0;
            for (int i = 0; i < c->n; i++) out[l][k] += q[i] * p[i];
        }
    }
}

/* As a rigid body it has one mass m, the same along x, y and z, and a mass centre: the coupling of
 * translation and rotation is -m skew(centre). */
static int check_body(check *c)
{
    double R[6][6], uneven = 0, aside = 0, along = 0;
    rigid_mass(c, R);
    double m = (R[0][0] + R[1][1] + R[2][2]) / 3, turn = fmax(R[3][3], fmax(R[4][4], R[5][5]));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            if (i == j) uneven = fmax(uneven, fabs(R[i][i] - m));
            if (i != j) aside = fmax(aside, fabs(R[i][j]));
            along = fmax(along, fabs(R[i][3 + j] + R[j][3 + i]) / 2);
        }
    if (uneven <= most * m && aside <= most * m && along <= most * sqrt(m * turn)) return 0;
    if (!(uneven <= most * m))
        FAULT(c, "is not that of a body: along x, y and z it has the mass %.6g, %.6g and %.6g",
              R[0][0], R[1][1], R[2][2]);
    else if (!(aside <= most * m))
        FAULT(c,
              "is not that of a body: it has the mass %.6g, but moved along one axis it has "
              "momentum along another (%.3g)",
              m, aside);
    else
        FAULT(c,
              "is not that of a body: it has the mass %.6g, but no mass centre: turned about an "
              "axis it has momentum along it (%.3g)",
              m, along);
    return -1;
}

/* ---- one matrix ---- */

int lm_check_super_matrix(const lm_spec_body *b, const lm_super *s, const lm_super_matrix *matrix,
                          double *A, double *work, lm_diag *diag)
{
    int n = 6 * s->n;
    check c = {.b = b, .s = s, .matrix = matrix, .A = A, .diag = diag, .n = n};
    double resisted;
    c.scale = work;
    c.value = work + n;
    c.work = work + 2 * n;
    c.copy = work + LM_SUPER_CHECK_ROWS * n;
    find_scales(&c);
    if (check_symmetry(&c)) return -1;
    int bad = check_positive(&c);
    if (matrix->kind == LM_SUPER_MASS && !bad) bad = check_body(&c);
    if (matrix->kind != LM_SUPER_STIFFNESS) return bad;
    if (check_free(&c, &resisted)) return -1;
    if (!bad) warn_mechanism(&c, resisted);
    return bad;
}
