/* Beams in the nodal formulation: their elements in groups of four, gathered from the nodes into
 * lanes and scattered back. */
#include "form/nodal.h"

#include <string.h>

/* ---- making ---- */

static void set_group(nodal_beams *b, const lm_model *m, nodal_group *g, int first)
{
    g->n = m->nelements - first < LM_LANES ? m->nelements - first : LM_LANES;
    for (int l = 0; l < LM_LANES; l++) { /* free lanes repeat the last element */
        const lm_element *e = &m->elements[first + (l < g->n ? l : g->n - 1)];
        const lm_beam *beam = &m->beams[m->nodes[e->node[0]].body];
        g->node[l][0] = e->node[0];
        g->node[l][1] = e->node[1];
        lm_corot_const_set(g->c, l, &e->shape, &e->A[0], &e->A[1], beam->damping_stiffness);
        lm_corot_const_centre(g->c, l);
        if (e->shape.mt[0] == 0 && e->shape.mt[2] == 0) b->spinless = 1;
    }
}

/* Groups of equal elements share their constants: less memory to read in every step. */
static void share(nodal_beams *b, int k)
{
    nodal_group *g = &b->groups[k];
    if (k > 0 && memcmp(g->c, b->groups[k - 1].c, sizeof *g->c) == 0) {
        memset(g->c, 0, sizeof *g->c);
        g->c = b->groups[k - 1].c;
    } else
        b->nconst++;
}

int nodal_make_beams(nodal *s)
{
    nodal_beams *b = &s->beams;
    const lm_model *m = s->m;
    int all = (m->nelements + LM_LANES - 1) / LM_LANES;
    b->ngroups = s->division || (s->floating && !s->floating->element_force) ? 0 : all;
    b->groups = LM_NEW_N(&s->arena, nodal_group, all);
    lm_corot_const *c = LM_NEW_N(&s->arena, lm_corot_const, all);
    if (!b->groups || !c) return -1;
    for (int k = 0; k < all; k++) {
        b->groups[k].c = &c[b->nconst];
        set_group(b, m, &b->groups[k], LM_LANES * k);
        share(b, k);
    }
    return 0;
}

void nodal_beam_pattern(const nodal *s, lm_pattern_builder *pb)
{
    for (int k = 0; k < s->m->nelements && s->beams.ngroups; k++) {
        const int *n = s->m->elements[k].node;
        for (int r = 0; r < 2; r++)
            for (int c = 0; c < 2; c++)
                lm_pattern_block(pb, NODE_V * n[r], NODE_V * n[c], NODE_V, NODE_V);
    }
}

void nodal_beam_places(nodal *s)
{
    for (int k = 0; k < s->beams.ngroups; k++) {
        nodal_group *g = &s->beams.groups[k];
        for (int l = 0; l < g->n; l++)
            for (int c = 0; c < 2 * NODE_V; c++) {
                int col = NODE_V * g->node[l][c / NODE_V] + c % NODE_V;
                for (int r = 0; r < 2; r++)
                    g->at[l][c][r] = lm_pattern_find(&s->sys.pattern, NODE_V * g->node[l][r], col);
            }
    }
}

/* ---- evaluation ---- */

static void gather_lane(const nodal *s, const lm_state *st, int l, int e, int n, lm_corot_state *c)
{
    const double *x = st->q + NODE_Q * n, *R = s->kin.R[n].m;
    for (int i = 0; i < 3; i++) c->x[e][i][l] = x[i];
    for (int i = 0; i < 9; i++) c->R[e][i][l] = R[i];
    for (int i = 0; i < NODE_V; i++) c->v[e][i][l] = st->v ? st->v[NODE_V * n + i] : 0;
    for (int i = 0; i < NODE_V; i++) c->a[e][i][l] = st->a ? st->a[NODE_V * n + i] : 0;
}

static void gather(const nodal *s, const lm_state *st, const nodal_group *g, lm_corot_state *c)
{
    for (int e = 0; e < 2; e++)
        for (int l = 0; l < LM_LANES; l++) gather_lane(s, st, l, e, g->node[l][e], c);
}

static void gravity_now(const nodal *s, double g[3])
{
    v3_put(g, v3_mul(s->sys.load_factor, s->m->gravity));
}

/* Elements of another kind, or along a way. */
static void other_residual(nodal *s, const lm_state *st, double *r)
{
    for (int k = 0; k < s->m->nelements && s->beams.ngroups; k++) {
        double f[2 * NODE_V];
        if (s->sys.along)
            nodal_along_element(s, k, f);
        else
            s->floating->element_force(s->floating->ctx, st, k, f);
        for (int i = 0; i < 2 * NODE_V; i++)
            r[NODE_V * s->m->elements[k].node[i / NODE_V] + i % NODE_V] += f[i];
    }
}

void nodal_beam_residual(nodal *s, const lm_state *st, double *r)
{
    double gravity[3];
    if (s->floating || s->sys.along) {
        other_residual(s, st, r);
        return;
    }
    gravity_now(s, gravity);
    for (int k = 0; k < s->beams.ngroups; k++) {
        const nodal_group *g = &s->beams.groups[k];
        lm_corot_state c;
        lm_lane f[2][6];
        gather(s, st, g, &c);
        lm_corot_residual(g->c, &c, gravity, f);
        for (int l = 0; l < g->n; l++)
            for (int e = 0; e < 2; e++) {
                double *to = r + NODE_V * g->node[l][e];
                for (int i = 0; i < NODE_V; i++) to[i] += f[e][i][l];
            }
    }
}

/* Inertia about the axis of elements that have none, where a regular mass matrix is wanted: without
 * it the accelerations of rotations that only stiffness determines would be undetermined. */
static void add_spin(const nodal_group *g, int l, const lm_corot_state *c, double cM,
                     double *values)
{
    if (g->c->mt[0][l] != 0 || g->c->mt[2][l] != 0) return;
    lm_v3 d = v3(c->x[1][0][l] - c->x[0][0][l], c->x[1][1][l] - c->x[0][1][l],
                 c->x[1][2][l] - c->x[0][2][l]);
    double J = 0.01 * cM * (g->c->m[0][l] + g->c->m[1][l]) * v3_dot(d, d);
    double axis[3];
    v3_put(axis, v3_unit(d));
    for (int e = 0; e < 2; e++)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                values[g->at[l][NODE_V * e + 3 + j][e] + 3 + i] += J * axis[i] * axis[j];
}

static void other_jacobian(nodal *s, const lm_state *st, double cM, double cD, double cK,
                           double *values)
{
    for (int k = 0; k < s->m->nelements && s->beams.ngroups; k++) {
        const nodal_group *g = &s->beams.groups[k / LM_LANES];
        double J[2 * NODE_V][2 * NODE_V];
        s->floating->element_tangent(s->floating->ctx, st, k, cM, cD, cK, J);
        for (int col = 0; col < 2 * NODE_V; col++)
            for (int r = 0; r < 2; r++) {
                double *to = values + g->at[k % LM_LANES][col][r];
                for (int i = 0; i < NODE_V; i++) to[i] += J[col][NODE_V * r + i];
            }
    }
}

void nodal_beam_jacobian(nodal *s, const lm_state *st, double cM, double cD, double cK,
                         double *values)
{
    double gravity[3];
    if (s->floating) {
        other_jacobian(s, st, cM, cD, cK, values);
        return;
    }
    gravity_now(s, gravity);
    for (int k = 0; k < s->beams.ngroups; k++) {
        const nodal_group *g = &s->beams.groups[k];
        lm_corot_state c;
        lm_lane J[12][12];
        gather(s, st, g, &c);
        lm_corot_tangent(g->c, &c, gravity, cM, cD, cK, J);
        for (int l = 0; l < g->n; l++) {
            for (int col = 0; col < 2 * NODE_V; col++)
                for (int r = 0; r < 2; r++) {
                    double *to = values + g->at[l][col][r];
                    for (int i = 0; i < NODE_V; i++) to[i] += J[col][NODE_V * r + i][l];
                }
            if (s->sys.regular_mass && s->beams.spinless) add_spin(g, l, &c, cM, values);
        }
    }
}

void nodal_beam_energy(nodal *s, const lm_state *st, lm_energy *e)
{
    double gravity[3];
    if (s->floating) return; /* asked for its own */
    v3_put(gravity, s->m->gravity);
    for (int k = 0; k < s->beams.ngroups; k++) {
        const nodal_group *g = &s->beams.groups[k];
        lm_corot_state c;
        lm_corot_energies f;
        gather(s, st, g, &c);
        lm_corot_energy(g->c, &c, gravity, &f);
        for (int l = 0; l < g->n; l++) {
            e->kinetic += f.kinetic[l];
            e->elastic += s->sys.along ? nodal_along_elastic(s, LM_LANES * k + l) : f.elastic[l];
            e->gravity += f.gravity[l];
            e->dissipation += f.dissipation[l];
        }
    }
}

void nodal_beam_natural(const nodal *s, const lm_state *st, int element, nodal_natural *out)
{
    const nodal_group *g = &s->beams.groups[element / LM_LANES];
    lm_corot_state c;
    lm_lane u, b[2][3], R[9];
    int l = element % LM_LANES;
    gather(s, st, g, &c);
    lm_corot_natural(g->c, &c, &u, b, R);
    out->u = u[l];
    for (int i = 0; i < 9; i++) out->R.m[i] = R[i][l];
    for (int e = 0; e < 2; e++) out->b[e] = v3(b[e][0][l], b[e][1][l], b[e][2][l]);
}
