/* The basis of a beam in a floating frame: splines, and what is common to all
 * (docs/theory/ffr.md). */
#include "form/ffr_mesh.h"

#include <float.h>

/* ---- splines ---- */

/* 1: the slope of that node in the plane is a coordinate. */
int ffr_is_turned(const ffr_part *p, int node, int about_z)
{
    return p->turned && (p->turned[node] & (about_z ? 1 : 2)) != 0;
}

/* Slope of the chord of element e, added to `row` of coordinates with the factor f: the
 * deflection of node k is coordinate k - 1, that of node 0 is zero. */
static void add_chord(const ffr_mesh *g, int e, double f, double *row)
{
    double c = f / g->shape[e].L;
    row[e] += c;
    if (e > 0) row[e - 1] -= c;
}

/* Slopes phi at the nodes from the deflections: the moments of the elements on either side of a
 * node are in equilibrium, at the end there is none. With k of the element before (l) and behind
 * (r) and the slopes c of their chords
 *
 *     k1_l phi_(i-1) + (k2_l + k0_r) phi_i + k1_r phi_(i+1) = (k1_l + k2_l) c_l + (k0_r + k1_r) c_r,
 *
 * phi_0 = 0. For a uniform section this is the cubic spline, clamped at node 0 and natural at
 * the end. At a turned node the slope is a coordinate itself. Elimination from the start to the
 * end and back. */
static void spline(const ffr_mesh *g, int about_z, int nv, double *rows, double *upper)
{
    int n = g->n, own = n; /* the next coordinate of a turned node */
    for (int i = 1; i <= n; i++) {
        const double *l = about_z ? g->shape[i - 1].kz : g->shape[i - 1].ky;
        const double *r = i == n ? NULL : about_z ? g->shape[i].kz : g->shape[i].ky;
        double *phi = rows + (2 * i + 1) * nv, pivot = 1;
        rows[2 * i * nv + i - 1] = 1;
        upper[i] = 0;
        if (ffr_is_turned(g->part, i, about_z)) {
            phi[own++] = 1;
            continue;
        }
        add_chord(g, i - 1, l[1] + l[2], phi);
        if (r) add_chord(g, i, r[0] + r[1], phi);
        pivot = l[2] + (r ? r[0] : 0) - (i > 1 ? l[1] * upper[i - 1] : 0);
        upper[i] = r ? r[1] / pivot : 0;
        for (int j = 0; j < nv; j++)
            phi[j] = (phi[j] - (i > 1 ? l[1] * phi[j - 2 * nv] : 0)) / pivot;
    }
    for (int i = n - 1; i >= 1; i--)
        for (int j = 0; j < nv; j++)
            rows[(2 * i + 1) * nv + j] -= upper[i] * rows[(2 * i + 3) * nv + j];
}

static int splines_make(const ffr_mesh *g, lm_arena *temp, ffr_shapes *b)
{
    double *upper = LM_NEW_N(temp, double, g->n + 1);
    if (!upper || ffr_shapes_reserve(g, temp, b)) return -1;
    spline(g, 1, b->nv, b->v, upper);
    spline(g, 0, b->nw, b->w, upper);
    for (int i = 1; i <= g->n; i++) b->a[i * b->na + i - 1] = b->t[i * b->nt + i - 1] = 1;
    return 0;
}

/* ---- sizes ---- */

static int at_least(int total, int n) { return (total + n - 1) / n; } /* of n equal shares */

/* Slopes that are coordinates, or the static shapes of moments beside modes. */
static void add_turned(const ffr_mesh *g, ffr_shapes *b)
{
    for (int i = 1; i <= g->part->n; i++)
        b->nv += ffr_is_turned(g->part, i, 1), b->nw += ffr_is_turned(g->part, i, 0);
}

enum { MORE = 2 }; /* shapes of a strip beside its modes */

/* 1: the stiff plane is the one about z, 2: the other, 0: of no thin strip. */
static int thin_strip(const ffr_mesh *g)
{
    enum { THIN = 4 };
    double y = 0, z = 0;
    for (int e = 0; e < g->part->n; e++) {
        const lm_beam_shape *s = &g->m->elements[g->part->first + e].shape;
        y += s->ky[0], z += s->kz[0];
    }
    return z > THIN * y ? 1 : 2 * (y > THIN * z);
}

/* Bending in two planes twists, and a twisted strip that bends across its weak axis bends in its stiff plane
 * too, far more than the loads there bend it: shapes for both, which a few modes of bending leave no part in.
 * Only the stiff plane of a thin strip needs them. */
static void add_twisting(int thin, ffr_shapes *b)
{
    b->nt += MORE;
    if (thin == 1) b->nv += MORE;
    if (thin == 2) b->nw += MORE;
}

/* Four points integrate the mass of a cubic exactly, and that of tapers far better than the
 * basis describes them. Modes of bending, and what strips have beside them, have two times four points for each,
 * and eight elements, or fewer where that makes large matrices. */
static void set_sizes(ffr_mesh *g, ffr_shapes *b)
{
    enum { LARGE = 256 };
    const lm_spec_formulation *how = &g->m->spec->formulation;
    int n = g->part->n;
    g->per = g->intervals = 1;
    if (!how->basis_modes) {
        b->nv = b->nw = b->na = b->nt = n;
        add_turned(g, b);
        return;
    }
    int thin = thin_strip(g), shapes = how->modes + (thin ? MORE : 0);
    g->per = g->intervals = at_least(2 * shapes, n);
    while (n * g->per < 8 * shapes && n * g->per < LARGE) g->per *= 2;
    b->nv = b->nw = how->modes + 1; /* and the static shape of a load at the end */
    b->na = b->nt = (how->modes + 1) / 2 + 1;
    add_twisting(thin, b);
    add_turned(g, b);
}

static int too_many(const ffr_mesh *g, const ffr_shapes *b, lm_diag *diag)
{
    const lm_spec_body *body = &g->m->spec->bodies.at[g->part->body];
    int ne = b->nv + b->nw + b->na + b->nt;
    if (ne <= LM_FLOATING_MOST) return 0;
    if (g->m->spec->formulation.basis_modes)
        lm_error(
            diag, g->m->spec->formulation.loc,
            "%d modes in each direction of bending make %d coordinates of beam '%s'; a body of "
            "'ffr' can have %d: lower 'modes'",
            g->m->spec->formulation.modes, ne, body->item.name, LM_FLOATING_MOST);
    else
        lm_error(diag, body->item.loc,
                 "the splines of beam '%s' have %d coordinates on %d elements; a body of 'ffr' can "
                 "have %d: raise 'substructures' (or leave it out), or lower 'elements'",
                 body->item.name, ne, g->part->n, LM_FLOATING_MOST);
    return 1;
}

/* ---- making ---- */

/* Damping by stiffness, and inertia in place of one that is missing: a hundredth of what
 * the mass would have at the distance of one element. */
static void finish(const ffr_mesh *g, ffr_store *s, lm_floating *out)
{
    const lm_beam *beam = &g->m->beams[g->part->body];
    int ne = out->ne, missing = 0;
    double l = out->place[out->nplaces - 1].x0 / g->part->n;
    for (int i = 0; i < ne * ne; i++) s->C[i] = beam->damping_stiffness * s->K[i];
    if (beam->damping_stiffness != 0) out->C = s->C;
    for (int i = 0; i < ne; i++) {
        int none = s->Mff[i + ne * i] == 0;
        s->spare[i] = none ? 0.01 * l * l * s->spare[i] : 0;
        missing |= none;
    }
    if (missing) out->spare = s->spare;
}

static int make(ffr_mesh *g, lm_arena *arena, lm_arena *temp, lm_diag *diag, lm_floating *out)
{
    ffr_shapes b = {0};
    ffr_store s;
    set_sizes(g, &b);
    if (too_many(g, &b, diag)) return 1;
    if (ffr_mesh_reserve(g, &b, arena, &s, out) || ffr_mesh_make(g, temp)) return -1;
    int modes = g->m->spec->formulation.basis_modes;
    int rc = modes ? ffr_modes_make(g, temp, diag, &b) : splines_make(g, temp, &b);
    if (!rc) rc = ffr_mesh_integrate(g, &b, temp, &s, out);
    if (!rc) rc = ffr_stretch_make(g, &b, temp, &s, out);
    if (!rc) finish(g, &s, out);
    return rc;
}

int ffr_basis_make(const lm_model *m, const ffr_part *part, lm_arena *arena, double *scratch,
                   lm_diag *diag, lm_floating *out)
{
    ffr_mesh g = {.m = m, .part = part, .scratch = scratch};
    lm_arena temp = {0};
    int rc = make(&g, arena, &temp, diag, out);
    lm_arena_free(&temp);
    return rc;
}

/* ---- comparison ---- */

static int same_numbers(const double *a, const double *b, int n, double tolerance)
{
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i]));
    for (int i = 0; i < n; i++)
        if (!(fabs(a[i] - b[i]) <= tolerance * most)) return 0;
    return 1;
}

static int same_shape(const lm_beam_shape *a, const lm_beam_shape *b, double tolerance)
{
    return same_numbers(&a->L, &b->L, 1, tolerance) && same_numbers(&a->ka, &b->ka, 1, tolerance) &&
           same_numbers(&a->kt, &b->kt, 1, tolerance) && same_numbers(a->kz, b->kz, 3, tolerance) &&
           same_numbers(a->ky, b->ky, 3, tolerance) && same_numbers(a->mx, b->mx, 3, tolerance) &&
           same_numbers(a->mt, b->mt, 3, tolerance) && same_numbers(a->mz, b->mz, 10, tolerance) &&
           same_numbers(a->my, b->my, 10, tolerance);
}

/* How far a coordinate of a node is from the origin: its rounding is that of lengths as drawn. */
static double far_off(const lm_model *m, const ffr_part *p)
{
    double most = 0;
    for (int e = 0; e < 2; e++) {
        lm_v3 x = m->nodes[m->elements[p->first + (e ? p->n - 1 : 0)].node[e]].x;
        most = fmax(most, fmax(fabs(x.x), fmax(fabs(x.y), fabs(x.z))));
    }
    return most;
}

/* Shapes go with the fifth power of the length at most. */
int ffr_basis_same(const lm_model *m, const ffr_part *a, const ffr_part *b)
{
    const lm_beam *p = &m->beams[a->body], *q = &m->beams[b->body];
    const lm_spec_body *of = m->spec->bodies.at;
    if (a->n != b->n || of[a->body].timoshenko != of[b->body].timoshenko ||
        p->damping_stiffness != q->damping_stiffness)
        return 0;
    double rounding = 4 * DBL_EPSILON * fmax(far_off(m, a), far_off(m, b));
    for (int k = 0; k < a->n; k++) {
        const lm_beam_shape *s = &m->elements[a->first + k].shape;
        const lm_beam_shape *t = &m->elements[b->first + k].shape;
        for (int z = 0; z < 2; z++)
            if (ffr_is_turned(a, k + 1, z) != ffr_is_turned(b, k + 1, z)) return 0;
        if (!same_shape(s, t, 64 * DBL_EPSILON + 5 * rounding / s->L)) return 0;
    }
    return 1;
}
