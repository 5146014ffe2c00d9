/* Integrals along the axis of a beam in a floating frame (docs/theory/ffr.md).
 *
 * A walk goes from the frame to the end of the part. On its way it has the flexibilities of the
 * element of the mesh up to where it is, from which follow the displacements there, and H, the
 * integral of slope slope^T from the frame on. It stops at the mass points and at the nodes. */
#include "form/ffr_mesh.h"

#include <string.h>

enum { GAUSS = 4 };
static const double gauss_x[GAUSS] = {0.06943184420297371, 0.33000947820757187, 0.66999052179242813,
                                      0.93056815579702629};
static const double gauss_w[GAUSS] = {0.17392742256872693, 0.32607257743127307, 0.32607257743127307,
                                      0.17392742256872693};

/* ---- elements ---- */

typedef struct within { /* a mesh element for lm_beam_shape_make */
    const ffr_mesh *g;
    const double *s;
} within;

static void section_at(void *ctx, double xi, lm_section *out)
{
    const within *w = ctx;
    lm_beam_section(w->g->m, w->g->part->body, (1 - xi) * w->s[0] + xi * w->s[1], w->g->scratch,
                    out);
}

int ffr_mesh_make(ffr_mesh *g, lm_arena *temp)
{
    int timoshenko = g->m->spec->bodies.at[g->part->body].timoshenko;
    g->n = g->part->n * g->per;
    g->shape = LM_NEW_N(temp, lm_beam_shape, g->n);
    g->s = lm_arena_alloc(temp, sizeof *g->s * (size_t)g->n);
    if (!g->shape || !g->s) return -1;
    for (int k = 0; k < g->n; k++) {
        const lm_element *e = &g->m->elements[g->part->first + k / g->per];
        double part[2] = {(double)(k % g->per) / g->per, (double)(k % g->per + 1) / g->per};
        for (int i = 0; i < 2; i++) g->s[k][i] = (1 - part[i]) * e->s[0] + part[i] * e->s[1];
        g->shape[k] = e->shape;
        if (g->per == 1) continue;
        within w = {g, g->s[k]};
        lm_beam_shape_make(section_at, &w, e->shape.L / g->per, timoshenko, &g->shape[k]);
    }
    return 0;
}

int ffr_shapes_reserve(const ffr_mesh *g, lm_arena *temp, ffr_shapes *b)
{
    int nodes = g->n + 1;
    b->v = LM_NEW_N(temp, double, 2 * nodes * b->nv);
    b->w = LM_NEW_N(temp, double, 2 * nodes * b->nw);
    b->a = LM_NEW_N(temp, double, nodes * b->na);
    b->t = LM_NEW_N(temp, double, nodes * b->nt);
    return b->v && b->w && b->a && b->t ? 0 : -1;
}

/* ---- memory ---- */

static const lm_lane *lanes(lm_lane **from, int n)
{
    lm_lane *p = *from;
    *from += n;
    return p;
}

static double *doubles(double **from, int n)
{
    double *p = *from;
    *from += n;
    return p;
}

static void set_fours(const ffr_shapes *b, lm_lane *from, int n, lm_floating_four *q)
{
    for (int k = 0; k < n; k++) {
        q[k].v = lanes(&from, b->nv);
        q[k].w = lanes(&from, b->nw);
        q[k].a = lanes(&from, b->na);
        q[k].turn = lanes(&from, b->nv + b->nw + b->nt);
        q[k].Hv = lanes(&from, b->nv * b->nv);
        q[k].Hw = lanes(&from, b->nw * b->nw);
    }
}

static void set_places(const ffr_shapes *b, double *from, int n, lm_floating_place *p)
{
    for (int k = 0; k < n; k++) {
        p[k].v = doubles(&from, b->nv);
        p[k].w = doubles(&from, b->nw);
        p[k].a = doubles(&from, b->na);
        p[k].dv = doubles(&from, b->nv);
        p[k].dw = doubles(&from, b->nw);
        p[k].t = doubles(&from, b->nt);
        p[k].Hv = doubles(&from, b->nv * b->nv);
        p[k].Hw = doubles(&from, b->nw * b->nw);
        p[k].Gv = doubles(&from, b->nv * b->na);
        p[k].Gw = doubles(&from, b->nw * b->na);
    }
}

static size_t per_four(const ffr_shapes *b)
{
    return (size_t)(2 * (b->nv + b->nw) + b->na + b->nt + b->nv * b->nv + b->nw * b->nw);
}

static size_t per_place(const ffr_shapes *b)
{
    return per_four(b) + (size_t)((b->nv + b->nw) * b->na);
}

static int shears(const ffr_mesh *g) { return g->m->spec->bodies.at[g->part->body].timoshenko; }

static size_t per_strain(const ffr_mesh *g, const ffr_shapes *b)
{
    return (size_t)((b->nv + b->nw) * (shears(g) ? 3 : 2) + b->nt);
}

/* Slopes count as small without `stiffening`: nothing is coupled then. */
static int reserve_strains(const ffr_mesh *g, const ffr_shapes *b, lm_arena *arena, int fours,
                           ffr_store *s, lm_floating *out)
{
    s->strains = NULL;
    if (!g->m->spec->formulation.stiffening) return 0;
    lm_floating_strain *q = lm_arena_alloc(arena, sizeof *q * (size_t)fours);
    s->strains = lm_arena_alloc(arena, sizeof(lm_lane) * per_strain(g, b) * (size_t)fours);
    s->torques = LM_NEW_N(arena, double, fours * b->nt);
    s->Sv = LM_NEW_N(arena, double, b->na * b->nv * b->nv);
    s->Sw = LM_NEW_N(arena, double, b->na * b->nw * b->nw);
    if (!q || !s->strains || !s->torques || !s->Sv || !s->Sw) return -1;
    out->strain = q;
    lm_lane *from = s->strains;
    double *torque = s->torques;
    for (int k = 0; k < fours; k++, q++) {
        *q = (lm_floating_strain){.kv = lanes(&from, b->nv)};
        q->kw = lanes(&from, b->nw), q->psi = lanes(&from, b->nv);
        q->phi = lanes(&from, b->nw), q->t = lanes(&from, b->nt);
        if (shears(g)) q->gv = lanes(&from, b->nv), q->gw = lanes(&from, b->nw);
        q->Tt = doubles(&torque, b->nt);
    }
    return 0;
}

int ffr_mesh_reserve(const ffr_mesh *g, const ffr_shapes *b, lm_arena *arena, ffr_store *s,
                     lm_floating *out)
{
    int fours = g->part->n * g->intervals, places = g->part->n + 1;
    int ne = b->nv + b->nw + b->na + b->nt;
    lm_floating_four *four = LM_NEW_N(arena, lm_floating_four, fours);
    lm_floating_place *place = LM_NEW_N(arena, lm_floating_place, places);
    s->lanes = lm_arena_alloc(arena, sizeof(lm_lane) * per_four(b) * (size_t)fours);
    s->values = lm_arena_alloc(arena, sizeof(double) * per_place(b) * (size_t)places);
    double *rest = LM_NEW_N(arena, double, ne *(3 * ne + 1));
    if (!four || !place || !s->lanes || !s->values || !rest) return -1;
    set_fours(b, s->lanes, fours, four);
    set_places(b, s->values, places, place);
    double **matrix[] = {&s->Mff, &s->K, &s->C};
    for (int i = 0; i < 3; i++) *matrix[i] = doubles(&rest, ne * ne);
    s->spare = doubles(&rest, ne);
    *out = (lm_floating){.nv = b->nv,
                         .nw = b->nw,
                         .na = b->na,
                         .nt = b->nt,
                         .ne = ne,
                         .nfours = fours,
                         .four = four,
                         .nplaces = places,
                         .place = place,
                         .Mff = s->Mff,
                         .K = s->K};
    return reserve_strains(g, b, arena, fours, s, out);
}

/* ---- the walk ---- */

/* Integrals from the start of an element to xi in it. */
typedef struct flexibility {
    double EA, GJ;
    double Iz[3], Iy[3]; /* of 1/EI, x/EI, x^2/EI */
    double Ay, Az;       /* of 1/GA */
} flexibility;

/* Values for all coordinates at a place. */
typedef struct values {
    double *v, *w, *a;   /* displacements */
    double *e;           /* [na] stretch a' */
    double *dv, *dw, *t; /* v', w' of the section, twist */
    double *sv, *sw;     /* v', w' of the axis */
    double *kv, *kw;     /* derivatives of dv, dw along the axis */
} values;

typedef struct walk {
    const ffr_mesh *g;
    const ffr_shapes *b;
    int e; /* element of the mesh */
    double xi;
    double start; /* x where the element of the model begins */
    flexibility f;
    lm_section c; /* at xi */
    values at;
    double *Hv, *Hw; /* from the frame to xi */
    double *Dv, *Dw; /* [na] [nv], [nw] ... integrals of a' times v', w' of the section */
} walk;

static int walk_start(const ffr_mesh *g, const ffr_shapes *b, lm_arena *temp, walk *w)
{
    *w = (walk){.g = g, .b = b};
    values *at = &w->at;
    double *p = LM_NEW_N(temp, double,
                         4 * (b->nv + b->nw) + 2 * b->na + b->nt + b->nv * b->nv + b->nw * b->nw +
                             b->na * (b->nv + b->nw));
    if (!p) return -1;
    at->v = doubles(&p, b->nv), at->dv = doubles(&p, b->nv), at->sv = doubles(&p, b->nv);
    at->w = doubles(&p, b->nw), at->dw = doubles(&p, b->nw), at->sw = doubles(&p, b->nw);
    at->kv = doubles(&p, b->nv), at->kw = doubles(&p, b->nw);
    at->a = doubles(&p, b->na), at->e = doubles(&p, b->na), at->t = doubles(&p, b->nt);
    w->Hv = doubles(&p, b->nv * b->nv), w->Hw = doubles(&p, b->nw * b->nw);
    w->Dv = doubles(&p, b->na * b->nv), w->Dw = doubles(&p, b->na * b->nw);
    return 0;
}

static void section_of(const walk *w, double xi, lm_section *c)
{
    within in = {w->g, w->g->s[w->e]};
    section_at(&in, xi, c);
}

static void flex_to(walk *w, double xi)
{
    int shear = shears(w->g);
    flexibility *f = &w->f;
    for (int k = 0; k < GAUSS; k++) {
        double x = w->xi + gauss_x[k] * (xi - w->xi), d = gauss_w[k] * (xi - w->xi);
        lm_section c;
        section_of(w, x, &c);
        f->EA += d / c.EA;
        f->GJ += d / c.GJ;
        for (int i = 0; i < 3; i++, d *= x) f->Iz[i] += d / c.EIz, f->Iy[i] += d / c.EIy;
        d = gauss_w[k] * (xi - w->xi);
        f->Ay += shear ? d / c.GAy : 0;
        f->Az += shear ? d / c.GAz : 0;
    }
    w->xi = xi;
    section_of(w, xi, &w->c);
}

/* Functions over (v_a, phi_a, v_b, phi_b) of an element. */
typedef struct shape_functions {
    double N[4], R[4], S[4], Q[4]; /* deflection, section's slope, axis' slope, curvature */
} shape_functions;

/* With both ends at v = 0 and the end slopes b_a, b_b
 *   phi = b_a + L C0,  v = L (b_a xi + L (xi C0 - C1)) - (m_a + m_b) A,  v' = phi - (m_a + m_b)/(L GA),
 * C0, C1, A the integrals of the curvature, of x times it, and of 1/GA. */
static void functions(const double k[3], double L, double xi, const double I[3], double A,
                      double shear, double EI, shape_functions *f)
{
    double *N = f->N, *R = f->R, *S = f->S, *Q = f->Q;
    for (int e = 0; e < 2; e++) {
        double ma = k[e], mb = k[e + 1], ba = e == 0;
        double C0 = mb * I[1] - ma * (I[0] - I[1]), C1 = mb * I[2] - ma * (I[1] - I[2]);
        R[2 * e + 1] = ba + L * C0;
        N[2 * e + 1] = L * (ba * xi + L * (xi * C0 - C1)) - (ma + mb) * A;
        S[2 * e + 1] = R[2 * e + 1] - (ma + mb) * shear / L;
        Q[2 * e + 1] = (xi * mb - (1 - xi) * ma) / EI;
    }
    N[0] = 1 - xi + (N[1] + N[3]) / L, N[2] = xi - (N[1] + N[3]) / L;
    R[0] = (R[1] + R[3] - 1) / L, R[2] = -R[0];
    S[0] = (S[1] + S[3] - 1) / L, S[2] = -S[0];
    Q[0] = (Q[1] + Q[3]) / L, Q[2] = -Q[0];
}

/* out [n] = sum of f[i] times row i. */
static void combine(int n, int rows, const double *row, const double *f, double *out)
{
    for (int j = 0; j < n; j++) {
        out[j] = 0;
        for (int i = 0; i < rows; i++) out[j] += f[i] * row[n * i + j];
    }
}

static void look(walk *w)
{
    const lm_beam_shape *c = &w->g->shape[w->e];
    const ffr_shapes *b = w->b;
    int shear = shears(w->g);
    double eta[2];
    shape_functions f;
    functions(c->kz, c->L, w->xi, w->f.Iz, w->f.Ay, shear ? 1 / w->c.GAy : 0, w->c.EIz, &f);
    const double *row = b->v + 2 * w->e * b->nv;
    combine(b->nv, 4, row, f.N, w->at.v), combine(b->nv, 4, row, f.R, w->at.dv);
    combine(b->nv, 4, row, f.S, w->at.sv), combine(b->nv, 4, row, f.Q, w->at.kv);
    functions(c->ky, c->L, w->xi, w->f.Iy, w->f.Az, shear ? 1 / w->c.GAz : 0, w->c.EIy, &f);
    row = b->w + 2 * w->e * b->nw;
    combine(b->nw, 4, row, f.N, w->at.w), combine(b->nw, 4, row, f.R, w->at.dw);
    combine(b->nw, 4, row, f.S, w->at.sw), combine(b->nw, 4, row, f.Q, w->at.kw);
    eta[1] = w->f.EA * c->L * c->ka, eta[0] = 1 - eta[1];
    combine(b->na, 2, b->a + w->e * b->na, eta, w->at.a);
    eta[1] = c->ka / w->c.EA, eta[0] = -eta[1];
    combine(b->na, 2, b->a + w->e * b->na, eta, w->at.e);
    eta[1] = w->f.GJ * c->L * c->kt, eta[0] = 1 - eta[1];
    combine(b->nt, 2, b->t + w->e * b->nt, eta, w->at.t);
}

static void add_square(int n, double f, const double *a, int ld, double *A)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) A[i + ld * j] += f * a[i] * a[j];
}

/* A length dx to H: with the slopes s of the axis and r of the section its ends come nearer to each other
 * by s r - r^2 / 2, which is s^2 / 2 less half the square of the shear s - r: the axis stretches along the
 * section's normal, as in Reissner's theory. */
static void add_shortening(int n, double dx, const double *s, const double *r, double *H)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) H[i + n * j] += dx * (s[i] * r[j] + r[i] * s[j] - r[i] * r[j]);
}

static void add_product(int na, int n, double dx, const double *e, const double *r, double *D)
{
    for (int j = 0; j < na; j++)
        for (int i = 0; i < n; i++) D[i + n * j] += dx * e[j] * r[i];
}

/* On to xi in the same element. */
static void walk_on(walk *w, double xi)
{
    double from = w->xi, L = w->g->shape[w->e].L;
    for (int k = 0; k < GAUSS && w->g->m->spec->formulation.stiffening; k++) {
        flex_to(w, from + gauss_x[k] * (xi - from));
        look(w);
        double dx = L * gauss_w[k] * (xi - from);
        add_shortening(w->b->nv, dx, w->at.sv, w->at.dv, w->Hv);
        add_shortening(w->b->nw, dx, w->at.sw, w->at.dw, w->Hw);
        add_product(w->b->na, w->b->nv, dx, w->at.e, w->at.dv, w->Dv);
        add_product(w->b->na, w->b->nw, dx, w->at.e, w->at.dw, w->Dw);
    }
    flex_to(w, xi);
}

static void walk_to(walk *w, int e, double xi)
{
    while (w->e < e) {
        walk_on(w, 1);
        w->e++, w->xi = 0, w->f = (flexibility){0};
    }
    walk_on(w, xi);
    look(w);
}

/* ---- what is met on the way ---- */

static void put_lane(lm_lane **to, int lane, int n, const double *from)
{
    for (int i = 0; i < n; i++) (*to)[i][lane] = from[i];
    *to += n;
}

static void put_difference(lm_lane **to, int lane, int n, const double *of, const double *less)
{
    for (int i = 0; i < n; i++) (*to)[i][lane] = of[i] - less[i];
    *to += n;
}

static void put(double **to, int n, const double *from)
{
    memcpy(*to, from, sizeof *from * (size_t)n);
    *to += n;
}

static void put_point(const walk *w, lm_lane *to, int lane)
{
    const ffr_shapes *b = w->b;
    put_lane(&to, lane, b->nv, w->at.v);
    put_lane(&to, lane, b->nw, w->at.w);
    put_lane(&to, lane, b->na, w->at.a);
    put_lane(&to, lane, b->nv, w->at.dv);
    for (int i = 0; i < b->nw; i++) (*to++)[lane] = -w->at.dw[i];
    put_lane(&to, lane, b->nt, w->at.t);
    put_lane(&to, lane, b->nv * b->nv, w->Hv);
    put_lane(&to, lane, b->nw * b->nw, w->Hw);
}

static void put_strain(const walk *w, double dx, int number, int lane, ffr_store *s,
                       lm_floating *out)
{
    const ffr_shapes *b = w->b;
    lm_floating_strain *q = (lm_floating_strain *)out->strain + number;
    lm_lane *to = s->strains + per_strain(w->g, b) * (size_t)number;
    q->dx[lane] = dx;
    q->bend[lane] = dx * (w->c.EIz - w->c.EIy);
    q->stiff[lane] = w->c.EIz > w->c.EIy;
    q->shear[lane] = q->gv ? dx * (w->c.GAy - w->c.GAz) : 0;
    put_lane(&to, lane, b->nv, w->at.kv);
    put_lane(&to, lane, b->nw, w->at.kw);
    put_lane(&to, lane, b->nv, w->at.dv);
    put_lane(&to, lane, b->nw, w->at.dw);
    put_lane(&to, lane, b->nt, w->at.t);
    if (!q->gv) return;
    put_difference(&to, lane, b->nv, w->at.sv, w->at.dv);
    put_difference(&to, lane, b->nw, w->at.sw, w->at.dw);
}

/* Torsion of the elements first to last - 1 of the mesh, over which four points lie. */
static void put_torsion(const ffr_mesh *g, const ffr_shapes *b, int number, int first, int last,
                        ffr_store *s, lm_floating *out)
{
    double soft = 0, *Tt = s->torques + number * b->nt;
    for (int e = first; e < last; e++) soft += 1 / g->shape[e].kt;
    for (int i = 0; i < b->nt; i++)
        Tt[i] = (b->t[last * b->nt + i] - b->t[first * b->nt + i]) / soft;
    ((lm_floating_strain *)out->strain + number)->kt = 1 / soft;
}

/* u less its part along each of n orthonormal rows, of length 1. */
static void make_normal(int n, const double rows[][GAUSS], double *u)
{
    double square = 0;
    for (int j = 0; j < n; j++) {
        double along = 0;
        for (int l = 0; l < GAUSS; l++) along += rows[j][l] * u[l];
        for (int l = 0; l < GAUSS; l++) u[l] -= along * rows[j][l];
    }
    for (int l = 0; l < GAUSS; l++) square += u[l] * u[l];
    for (int l = 0; l < GAUSS; l++) u[l] /= sqrt(square);
}

/* Of four points the two weights that find what a spline does not make of the curvature in the stiff plane: its
 * moments are linear. Modes follow by themselves. */
static void put_beyond(lm_floating_strain *q, const double stiffness[GAUSS])
{
    double u[GAUSS][GAUSS], root[GAUSS];
    for (int l = 0; l < GAUSS; l++) {
        root[l] = sqrt(fabs(q->bend[l]));
        if (root[l] == 0 || q->stiff[l] != q->stiff[0]) return;
    }
    for (int k = 0; k < GAUSS; k++) {
        for (int l = 0; l < GAUSS; l++)
            u[k][l] = k ? u[k - 1][l] * (gauss_x[l] - 0.5) : root[l] / stiffness[l];
        make_normal(k, u, u[k]);
        for (int l = 0; l < GAUSS && k >= 2; l++) q->beyond[k - 2][l] = u[k][l] * root[l];
    }
    q->locks = 1;
}

/* At node k of the mesh, where the values are given. */
static void put_place(const walk *w, int k, double *to)
{
    const ffr_shapes *b = w->b;
    put(&to, b->nv, b->v + 2 * k * b->nv);
    put(&to, b->nw, b->w + 2 * k * b->nw);
    put(&to, b->na, b->a + k * b->na);
    put(&to, b->nv, b->v + (2 * k + 1) * b->nv);
    put(&to, b->nw, b->w + (2 * k + 1) * b->nw);
    put(&to, b->nt, b->t + k * b->nt);
    put(&to, b->nv * b->nv, w->Hv);
    put(&to, b->nw * b->nw, w->Hw);
}

/* A length dx of beam: mass, and the inertia of its sections, j = (rhoIy + rhoIz, rhoIy, rhoIz)
 * about x, y, z, which turn by the angles (t, -w', v'). */
static void add_inertia(const walk *w, double dx, const double j[3], ffr_store *s, lm_floating *out)
{
    const ffr_shapes *b = w->b;
    int ne = out->ne, atw = b->nv, ata = atw + b->nw, att = ata + b->na;
    double m = dx * w->c.rhoA;
    out->mass += m;
    for (int i = 0; i < 3; i++) out->J[i] += j[i];
    add_square(b->nv, j[2], w->at.dv, ne, s->Mff);
    add_square(b->nw, j[1], w->at.dw, ne, s->Mff + (ne + 1) * atw);
    add_square(b->nt, j[0], w->at.t, ne, s->Mff + (ne + 1) * att);
    add_square(b->nv, m, w->at.v, ne, s->Mff);
    add_square(b->nw, m, w->at.w, ne, s->Mff + (ne + 1) * atw);
    add_square(b->na, m, w->at.a, ne, s->Mff + (ne + 1) * ata);
    for (int i = 0; i < b->nt; i++) s->spare[att + i] += m * w->at.t[i] * w->at.t[i];
}

/* The mass points of element k of the part, then the node at its end. */
static void along_element(walk *w, int k, ffr_store *s, lm_floating *out)
{
    int per = w->g->per, q = w->g->intervals;
    double L = w->g->m->elements[w->g->part->first + k].shape.L, stiffness[GAUSS];
    lm_floating_four *four = (lm_floating_four *)out->four + k * q;
    for (int i = 0; i < q * GAUSS; i++) {
        int lane = i % GAUSS, number = k * q + i / GAUSS;
        double part = (i / GAUSS + gauss_x[lane]) / q, at = part * per, dx = gauss_w[lane] * L / q;
        walk_to(w, k * per + (int)at, at - (int)at);
        four[i / GAUSS].x0[lane] = w->start + part * L;
        four[i / GAUSS].mass[lane] = dx * w->c.rhoA;
        double Jy = dx * w->c.rhoIy, Jz = dx * w->c.rhoIz, j[3] = {Jy + Jz, Jy, Jz};
        for (int a = 0; a < 3; a++) four[i / GAUSS].j[a][lane] = j[a];
        put_point(w, s->lanes + per_four(w->b) * (size_t)number, lane);
        if (s->strains) put_strain(w, dx, number, lane, s, out);
        stiffness[lane] = fmax(w->c.EIy, w->c.EIz);
        add_inertia(w, dx, j, s, out);
    }
    for (int i = 0; i < q && s->strains; i++)
        put_torsion(w->g, w->b, k * q + i, k * per + i * per / q, k * per + (i + 1) * per / q, s,
                    out);
    if (s->strains && !w->g->m->spec->formulation.basis_modes)
        put_beyond((lm_floating_strain *)out->strain + k, stiffness);
    walk_to(w, (k + 1) * per - 1, 1);
    lm_floating_place *place = (lm_floating_place *)out->place + k + 1;
    place->x0 = w->start += L;
    if (s->strains) place->lean = fmax(0, 1 - w->c.EIy / w->c.EIz);
    put_place(w, (k + 1) * per, s->values + per_place(w->b) * (size_t)(k + 1));
}

/* ---- stiffness ---- */

/* A += k0 a a^T + k1 (a b^T + b a^T) + k2 b b^T, with the slopes a, b of both ends against the
 * chord. */
static void add_bending(int n, const double *row, const double k[3], double L, int ld, double *A)
{
    double N[2][4] = {{1 / L, 1, -1 / L, 0}, {1 / L, 0, -1 / L, 1}}, a[2][LM_FLOATING_MOST];
    for (int e = 0; e < 2; e++) combine(n, 4, row, N[e], a[e]);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            A[i + ld * j] += a[0][i] * (k[0] * a[0][j] + k[1] * a[1][j]) +
                             a[1][i] * (k[1] * a[0][j] + k[2] * a[1][j]);
}

static void add_bar(int n, const double *row, double k, int ld, double *A)
{
    double d[LM_FLOATING_MOST];
    combine(n, 2, row, (double[]){-1, 1}, d);
    add_square(n, k, d, ld, A);
}

static void stiffness(const ffr_mesh *g, const ffr_shapes *b, int ne, double *K)
{
    int atw = b->nv, ata = atw + b->nw, att = ata + b->na;
    for (int e = 0; e < g->n; e++) {
        const lm_beam_shape *c = &g->shape[e];
        add_bending(b->nv, b->v + 2 * e * b->nv, c->kz, c->L, ne, K);
        add_bending(b->nw, b->w + 2 * e * b->nw, c->ky, c->L, ne, K + (ne + 1) * atw);
        add_bar(b->na, b->a + e * b->na, c->ka, ne, K + (ne + 1) * ata);
        add_bar(b->nt, b->t + e * b->nt, c->kt, ne, K + (ne + 1) * att);
    }
}

/* ---- stretch with bending ---- */

int ffr_mesh_set_off(const ffr_mesh *g, const ffr_shapes *b, lm_arena *temp, double *D[2])
{
    walk w;
    size_t v = (size_t)(b->na * b->nv), z = (size_t)(b->na * b->nw);
    D[0] = LM_NEW_N(temp, double, (g->n + 1) * b->na * b->nv);
    D[1] = LM_NEW_N(temp, double, (g->n + 1) * b->na * b->nw);
    if (!D[0] || !D[1] || walk_start(g, b, temp, &w)) return -1;
    for (int e = 0; e < g->n; e++) {
        walk_to(&w, e, 1);
        memcpy(D[0] + v * (size_t)(e + 1), w.Dv, sizeof(double) * v);
        memcpy(D[1] + z * (size_t)(e + 1), w.Dw, sizeof(double) * z);
    }
    return 0;
}

int ffr_mesh_integrate(const ffr_mesh *g, const ffr_shapes *b, lm_arena *temp, ffr_store *s,
                       lm_floating *out)
{
    walk w;
    if (walk_start(g, b, temp, &w)) return -1;
    for (int k = 0; k < g->part->n; k++) along_element(&w, k, s, out);
    stiffness(g, b, out->ne, s->K);
    return 0;
}
