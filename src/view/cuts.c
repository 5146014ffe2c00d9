#include "view/cuts.h"

#include "elem/corot_beam.h"

#include <string.h>

const char *const lm_cut_name[LM_CUTS] = {"stress", "N", "Vy", "Vz", "T", "My", "Mz"};

typedef struct ends { /* forces on the ends of an element, world axes */
    lm_v3 F[2], M[2];
} ends;

struct lm_cuts {
    lm_arena arena;
    const lm_model *m;
    int count, ngroups;
    lm_corot_const *group;
    lm_m3 *R;             /* [nnodes] */
    ends *f;              /* [nelements] */
    lm_v3 *p;             /* [nnodes] spread load */
    unsigned char *fixed; /* [nnodes] something else acts there */
    unsigned char *known; /* [nnodes] p follows from the balance: inside of a beam, nothing fixed */
    lm_section *section;  /* [count] */
    lm_rows given;        /* forces in the middle of elements; rows 0: none */
    double *middle;       /* [6 nelements] a row of them */
};

/* ---- making ---- */

static void set_groups(lm_cuts *c)
{
    const lm_model *m = c->m;
    for (int k = 0; k < c->ngroups * LM_LANES; k++) { /* free lanes repeat the last element */
        const lm_element *e = &m->elements[k < m->nelements ? k : m->nelements - 1];
        lm_corot_const_set(&c->group[k / LM_LANES], k % LM_LANES, &e->shape, &e->A[0], &e->A[1], 0);
    }
}

/* Joints, springs and loads act on nodes. */
static void mark_fixed(lm_cuts *c)
{
    const lm_model *m = c->m;
    for (int i = 0; i < m->npairs; i++)
        for (int e = 0; e < 2; e++)
            if (m->pairs[i].node[e] >= 0) c->fixed[m->pairs[i].node[e]] = 1;
    for (int i = 0; i < m->spec->loads.n; i++) {
        int n = m->frames[m->spec->loads.at[i].frame].node;
        if (n >= 0) c->fixed[n] = 1;
    }
    for (int k = 1; k < m->nelements; k++) { /* between two elements of one beam */
        int n = m->elements[k].node[0];
        c->known[n] = m->elements[k - 1].node[1] == n && !c->fixed[n];
    }
}

static void set_sections(lm_cuts *c, double *scratch)
{
    lm_section *to = c->section;
    for (int b = 0; b < c->m->nbodies; b++) {
        const lm_beam *beam = &c->m->beams[b];
        const lm_element *e = &c->m->elements[beam->first_element];
        for (int k = 0; k <= beam->nelements && beam->nelements; k++)
            lm_beam_section(c->m, b, k < beam->nelements ? e[k].s[0] : e[k - 1].s[1], scratch,
                            to++);
    }
}

static int build(lm_cuts *c)
{
    const lm_model *m = c->m;
    lm_arena *a = &c->arena;
    for (int b = 0; b < m->nbodies; b++)
        if (m->beams[b].nelements) c->count += m->beams[b].nelements + 1;
    c->ngroups = (m->nelements + LM_LANES - 1) / LM_LANES;
    c->group = LM_NEW_N(a, lm_corot_const, c->ngroups);
    c->R = LM_NEW_N(a, lm_m3, m->nnodes);
    c->f = LM_NEW_N(a, ends, m->nelements);
    c->p = LM_NEW_N(a, lm_v3, m->nnodes);
    c->fixed = LM_NEW_N(a, unsigned char, m->nnodes);
    c->known = LM_NEW_N(a, unsigned char, m->nnodes);
    c->section = LM_NEW_N(a, lm_section, c->count);
    double *scratch = LM_NEW_N(a, double, m->section_scratch);
    if (!c->group || !c->R || !c->f || !c->p || !c->fixed || !c->known || !c->section || !scratch)
        return -1;
    set_groups(c);
    mark_fixed(c);
    set_sections(c, scratch);
    return 0;
}

lm_cuts *lm_cuts_new(const lm_model *m)
{
    lm_arena arena = {0};
    lm_cuts *c = LM_NEW(&arena, lm_cuts);
    if (!c) return NULL;
    c->arena = arena;
    c->m = m;
    if (build(c)) {
        lm_cuts_free(c);
        return NULL;
    }
    return c;
}

void lm_cuts_free(lm_cuts *c)
{
    if (!c) return;
    lm_rows_close(&c->given);
    lm_arena arena = c->arena;
    lm_arena_free(&arena);
}

int lm_cuts_open(lm_cuts *c, lm_h5 *file, const char *group)
{
    lm_rows_close(&c->given);
    int rc = lm_rows_open(&c->given, file, group, "beam_forces");
    if (rc || c->given.ncols != 6 * c->m->nelements) c->given.rows = 0;
    if (rc < 0) return 1;
    if (c->given.rows && !c->middle) c->middle = LM_NEW_N(&c->arena, double, c->given.ncols);
    return c->given.rows && !c->middle ? 2 : 0;
}

int lm_cuts_count(const lm_cuts *c) { return c->count; }

/* ---- elastic forces ---- */

static void gather(const lm_cuts *c, const double *pose, int first, lm_corot_state *s)
{
    const lm_model *m = c->m;
    for (int l = 0; l < LM_LANES; l++) {
        int k = first + l < m->nelements ? first + l : m->nelements - 1;
        for (int e = 0; e < 2; e++) {
            int n = m->elements[k].node[e];
            for (int i = 0; i < 3; i++) s->x[e][i][l] = pose[7 * n + i];
            for (int i = 0; i < 9; i++) s->R[e][i][l] = c->R[n].m[i];
        }
    }
}

static void elastic_forces(lm_cuts *c, const double *pose)
{
    const double none[3] = {0, 0, 0};
    lm_corot_state s;
    memset(&s, 0, sizeof s); /* velocities and accelerations stay zero */
    for (int g = 0; g < c->ngroups; g++) {
        lm_lane f[2][6];
        gather(c, pose, LM_LANES * g, &s);
        lm_corot_residual(&c->group[g], &s, none, f);
        for (int l = 0; l < LM_LANES && LM_LANES * g + l < c->m->nelements; l++)
            for (int e = 0; e < 2; e++) {
                ends *to = &c->f[LM_LANES * g + l];
                to->F[e] = v3(f[e][0][l], f[e][1][l], f[e][2][l]);
                to->M[e] = v3(f[e][3][l], f[e][4][l], f[e][5][l]);
            }
    }
}

/* ---- what is spread along the beam ---- */

/* p at node k of a beam: on the line through two known ones beside it, as the one known, or 0. The
 * nodes of a beam follow each other. */
static lm_v3 extrapolate(const lm_cuts *c, int first, int k, int n)
{
    for (int way = 1; way >= -1; way -= 2) {
        int a = k + way, b = k + 2 * way;
        if (a < 0 || a > n || !c->known[first + a]) continue;
        if (b < 0 || b > n || !c->known[first + b]) return c->p[first + a];
        return v3_sub(v3_mul(2, c->p[first + a]), c->p[first + b]);
    }
    return v3(0, 0, 0);
}

static void spread_load(lm_cuts *c, const lm_beam *beam, int first)
{
    const lm_element *e = &c->m->elements[beam->first_element];
    const ends *f = &c->f[beam->first_element];
    int n = beam->nelements;
    for (int k = 1; k < n; k++) {
        lm_v3 sum = v3_add(f[k - 1].F[1], f[k].F[0]);
        c->p[first + k] = v3_mul(2 / (e[k - 1].shape.L + e[k].shape.L), sum);
    }
    for (int k = 0; k <= n; k++)
        if (!c->known[first + k]) c->p[first + k] = extrapolate(c, first, k, n);
}

static void add_load(lm_cuts *c, const double *pose, int element)
{
    const lm_element *e = &c->m->elements[element];
    ends *f = &c->f[element];
    double L = e->shape.L;
    lm_v3 chord = v3_sub(v3_from(pose + 7 * e->node[1]), v3_from(pose + 7 * e->node[0]));
    lm_v3 ex = v3_unit(chord);
    for (int i = 0; i < 2; i++) {
        lm_v3 here = c->p[e->node[i]], there = c->p[e->node[1 - i]];
        lm_v3 across = v3_mul(L / 20, v3_add(v3_mul(7, here), v3_mul(3, there)));
        lm_v3 along = v3_mul(L / 6, v3_add(v3_mul(2, here), there));
        lm_v3 F = v3_add(across, v3_mul(v3_dot(ex, v3_sub(along, across)), ex));
        lm_v3 M = v3_mul(L * L / 60, v3_cross(ex, v3_add(v3_mul(3, here), v3_mul(2, there))));
        f->F[i] = v3_sub(f->F[i], F);
        f->M[i] = i ? v3_add(f->M[i], M) : v3_sub(f->M[i], M);
    }
}

/* ---- forces that are given in the middle of the elements ---- */

static void given_forces(lm_cuts *c)
{
    const double *middle = c->middle;
    for (int k = 0; k < c->m->nelements; k++)
        for (int e = 0; e < 2; e++) {
            c->f[k].F[e] = v3_mul(e ? 1 : -1, v3_from(middle + 6 * k));
            c->f[k].M[e] = v3_mul(e ? 1 : -1, v3_from(middle + 6 * k + 3));
        }
}

/* Each half of the element is rigid and has the axis of its node. The moment is about the end of the
 * second half, from which the first is apart where the springs between them yield. */
static void bring_to_ends(lm_cuts *c, const double *pose, int element)
{
    const lm_element *e = &c->m->elements[element];
    ends *f = &c->f[element];
    double L = e->shape.L;
    lm_v3 F = f->F[1], ex1 = m3_v(&c->R[e->node[1]], m3_col(&e->A[1], 0));
    lm_v3 middle = v3_sub(v3_from(pose + 7 * e->node[1]), v3_mul(0.5 * L, ex1));
    for (int i = 0; i < 2; i++) {
        lm_v3 ex = m3_v(&c->R[e->node[i]], m3_col(&e->A[i], 0)), p = c->p[e->node[i]];
        lm_v3 arm = v3_sub(middle, v3_from(pose + 7 * e->node[i]));
        lm_v3 turn = v3_mul(i ? -1 : 1, v3_cross(arm, F));
        lm_v3 M = v3_mul((i ? 1 : -1) * L * L / 8, v3_cross(ex, p));
        f->F[i] = v3_sub(f->F[i], v3_mul(0.5 * L, p));
        f->M[i] = v3_add(v3_sub(f->M[i], turn), M);
    }
}

/* ---- cuts ---- */

/* What the part behind the cut gets from the part before it, in the axes of the section; 7 numbers.
 * At the start of an element that is the opposite of what acts on it. */
static void cut(const lm_cuts *c, int element, int end, const lm_section *section,
                double out[LM_CUTS])
{
    const lm_element *e = &c->m->elements[element];
    double sign = end ? 1 : -1;
    lm_m3 T = c->R[e->node[end]];
    if (!e->straight) T = m3_mul(&T, &e->A[end]);
    lm_v3 F = v3_mul(sign, m3_tv(&T, c->f[element].F[end]));
    lm_v3 M = v3_mul(sign, m3_tv(&T, c->f[element].M[end]));
    v3_put(out + LM_CUT_N, F);
    v3_put(out + LM_CUT_T, M);
    out[LM_CUT_STRESS] = lm_section_stress(section, F.x, M.y, M.z);
}

static void cut_node(const lm_cuts *c, const lm_beam *beam, int k, const lm_section *section,
                     double *out)
{
    int element = beam->first_element + k, node = c->m->elements[element - (k > 0)].node[k > 0];
    double left[LM_CUTS], right[LM_CUTS];
    if (k < beam->nelements) cut(c, element, 0, section, right);
    if (k > 0) cut(c, element - 1, 1, section, left);
    for (int i = 0; i < LM_CUTS; i++) {
        double a = k > 0 ? left[i] : right[i], b = k < beam->nelements ? right[i] : left[i];
        double larger = fabs(a) > fabs(b) ? a : b;
        out[i * c->count] = c->fixed[node] ? larger : 0.5 * (a + b);
    }
}

int lm_cuts_eval(lm_cuts *c, long row, const double *pose, double *out)
{
    const lm_model *m = c->m;
    const lm_section *section = c->section;
    int given = row < c->given.rows;
    if (given && lm_rows_read(&c->given, row, 1, c->middle)) return -1;
    for (int n = 0; n < m->nnodes; n++) c->R[n] = quat_m3(quat_from(pose + 7 * n + 3));
    if (given)
        given_forces(c);
    else
        elastic_forces(c, pose);
    for (int b = 0; b < m->nbodies; b++) {
        const lm_beam *beam = &m->beams[b];
        if (!beam->nelements) continue;
        spread_load(c, beam, m->bodies[b].first_node);
        for (int k = 0; k < beam->nelements; k++) {
            if (given)
                bring_to_ends(c, pose, beam->first_element + k);
            else
                add_load(c, pose, beam->first_element + k);
        }
        for (int k = 0; k <= beam->nelements; k++) cut_node(c, beam, k, section++, out++);
    }
    return 0;
}
