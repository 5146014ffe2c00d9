/* Superelements in the nodal formulation: one dense element on all nodes of the body. */
#include "form/nodal.h"

#include <string.h>

static double missing_spin(const lm_super *e, int dof);

/* Equation (18) of the paper: the elastic forces of a superelement act on its nodes, but not on the
 * frame that they are measured in. What they do to the frame by virtual work is known from the same body
 * without mass, and taken away. */
static int make_elastic(nodal *s, int poses)
{
    const lm_model *m = s->m;
    size_t square = 36 * (size_t)poses * (size_t)poses;
    if (!m->spec->formulation.elastic_paper) return 0;
    double *nothing = LM_NEW_N(&s->arena, double, square);
    s->super_elastic = LM_NEW_N(&s->arena, lm_super, m->nsupers);
    s->super_other = LM_NEW_N(&s->arena, double, square);
    if (!nothing || !s->super_elastic || !s->super_other) return -1;
    for (int k = 0; k < m->nsupers; k++) {
        s->super_elastic[k] = m->supers[k];
        s->super_elastic[k].M = nothing;
        s->super_elastic[k].mass = 0;
        s->super_elastic[k].moment = v3(0, 0, 0);
    }
    return 0;
}

static int has_paper_forces(const nodal *s, int k)
{
    return s->super_elastic && s->m->supers[k].frame == LM_SUPER_GIVEN;
}

int nodal_make_supers(nodal *s)
{
    const lm_model *m = s->m;
    int most = 0;
    for (int k = 0; k < m->nsupers; k++)
        most = m->supers[k].poses > most ? m->supers[k].poses : most;
    s->super_first = LM_NEW_N(&s->arena, int, m->nsupers);
    s->super_at = LM_NEW_N(&s->arena, int *, m->nsupers);
    s->super_scratch = LM_NEW_N(&s->arena, double, most ? lm_super_reduce_scratch(most) : 0);
    s->super_block = LM_NEW_N(&s->arena, double, 36 * (size_t)most * (size_t)most);
    if (!s->super_first || !s->super_at || !s->super_scratch || !s->super_block) return -1;
    if (make_elastic(s, most)) return -1;
    for (int i = 0; i < m->nbodies; i++)
        if (m->bodies[i].super >= 0) s->super_first[m->bodies[i].super] = m->bodies[i].first_node;
    for (int k = 0; k < m->nsupers; k++)
        for (int i = 0; i < NODE_V * m->supers[k].n; i++)
            s->sys.massless |= i % NODE_V >= 3 && missing_spin(&m->supers[k], i) > 0;
    return 0;
}

void nodal_super_pattern(const nodal *s, const unsigned char *skip, lm_pattern_builder *pb)
{
    for (int k = 0; k < s->m->nsupers; k++) {
        if (skip && skip[k]) continue;
        int at = NODE_V * s->super_first[k], n = NODE_V * s->m->supers[k].poses;
        lm_pattern_block(pb, at, at, n, n);
    }
}

/* The nodes of a superelement follow one another: a column of its matrix is contiguous. */
int nodal_super_places(nodal *s)
{
    for (int k = 0; k < s->m->nsupers; k++) {
        int at = NODE_V * s->super_first[k], n = NODE_V * s->m->supers[k].poses;
        s->super_at[k] = LM_NEW_N(&s->arena, int, n);
        if (!s->super_at[k]) return -1;
        for (int c = 0; c < n; c++)
            s->super_at[k][c] = lm_pattern_find(&s->sys.pattern, at, at + c);
    }
    return 0;
}

lm_super_state nodal_super_state(const nodal *s, const lm_state *st, int k)
{
    int n = s->super_first[k];
    return (lm_super_state){.x = st->q + NODE_Q * n,
                            .stride = NODE_Q,
                            .R = s->kin.R + n,
                            .v = st->v ? st->v + NODE_V * n : NULL,
                            .a = st->a ? st->a + NODE_V * n : NULL};
}

/* Inertia of rotations that have none, as in nodal_beam.c: about the body's axes, at each node. */
static double missing_spin(const lm_super *e, int dof)
{
    int n = NODE_V * e->n;
    double L = 0;
    for (int i = 1; i < e->n; i++) L = fmax(L, v3_norm(v3_sub(e->X[i], e->X[0])));
    double unit = 0.01 * e->mass * L * L, own = e->M[dof * n + dof];
    return own <= 1e-9 * unit ? unit : 0;
}

static void add_spin(nodal *s, const lm_state *st, int k, double cM, double *values)
{
    const lm_super *e = &s->m->supers[k];
    lm_super_state now = nodal_super_state(s, st, k);
    lm_super_pose pose;
    if (!e->chain && lm_super_frame_pose(e, &now, s->super_scratch, &pose)) return;
    for (int i = 0; i < e->n; i++) {
        lm_m3 back = m3_t(&e->R0[i]), R = e->chain ? m3_mul(&now.R[i], &back) : pose.R;
        for (int axis = 0; axis < 3; axis++) {
            int first = NODE_V * i + 3;
            double J = cM * missing_spin(e, first + axis), u[3];
            if (J == 0) continue;
            v3_put(u, m3_col(&R, axis));
            for (int c = 0; c < 3; c++)
                for (int r = 0; r < 3; r++)
                    values[s->super_at[k][first + c] + first + r] += J * u[r] * u[c];
        }
    }
}

/* Forces on the nodes of superelement k, to s->super_block. */
static int forces(nodal *s, const lm_state *st, int k)
{
    const lm_super *e = &s->m->supers[k];
    lm_v3 g = v3_mul(s->sys.load_factor, s->m->gravity);
    lm_super_state now = nodal_super_state(s, st, k);
    if (lm_super_residual(e, &now, g, s->super_scratch, s->super_block)) return 1;
    if (!has_paper_forces(s, k)) return 0;
    lm_super_residual(&s->super_elastic[k], &now, g, s->super_scratch, s->super_other);
    for (int i = NODE_V * e->n; i < NODE_V * e->poses; i++) s->super_block[i] -= s->super_other[i];
    return 0;
}

/* The same of their tangent. */
static int tangent(nodal *s, const lm_state *st, int k, const double by[3])
{
    const lm_super *e = &s->m->supers[k];
    int n = NODE_V * e->poses;
    lm_v3 g = v3_mul(s->sys.load_factor, s->m->gravity);
    lm_super_state now = nodal_super_state(s, st, k);
    if (lm_super_tangent(e, &now, g, by[0], by[1], by[2], s->super_scratch, s->super_block))
        return 1;
    if (!has_paper_forces(s, k)) return 0;
    lm_super_tangent(&s->super_elastic[k], &now, g, by[0], by[1], by[2], s->super_scratch,
                     s->super_other);
    for (int c = 0; c < n; c++)
        for (int i = NODE_V * e->n; i < n; i++)
            s->super_block[n * c + i] -= s->super_other[n * c + i];
    return 0;
}

/* f(s) on the way sys.along, as of beams (nodal_along.c); the nodes are at its beginning. */
static int along(nodal *s, int k, double *to)
{
    const lm_way *w = s->sys.along;
    const double *const way[3] = {w->da, w->dv, w->dx};
    int n = NODE_V * s->m->supers[k].poses;
    if (forces(s, &w->at, k)) return 1;
    for (int i = 0; i < n; i++) to[i] += s->super_block[i];
    for (int j = 0; j < 3; j++) {
        const double by[3] = {j == 0, j == 1, j == 2};
        if (!way[j]) continue;
        if (tangent(s, &w->at, k, by)) return 1;
        const double *d = way[j] + NODE_V * s->super_first[k];
        for (int c = 0; c < n; c++)
            for (int i = 0; i < n; i++) to[i] += w->s * s->super_block[n * c + i] * d[c];
    }
    return 0;
}

static int residual_along(nodal *s, const lm_state *st, double *r)
{
    int bad = 0;
    nodal_kinematics(s, s->sys.along->at.q);
    for (int k = 0; k < s->m->nsupers && !bad; k++)
        bad = along(s, k, r + NODE_V * s->super_first[k]);
    nodal_kinematics(s, st->q);
    return bad;
}

int nodal_super_residual(nodal *s, const lm_state *st, double *r)
{
    if (s->sys.along && s->m->nsupers) return residual_along(s, st, r);
    for (int k = 0; k < s->m->nsupers; k++) {
        double *to = r + NODE_V * s->super_first[k];
        if (forces(s, st, k)) return 1;
        for (int i = 0; i < NODE_V * s->m->supers[k].poses; i++) to[i] += s->super_block[i];
    }
    return 0;
}

int nodal_super_jacobian(nodal *s, const lm_state *st, const unsigned char *skip, double cM,
                         double cD, double cK, double *values)
{
    const double by[3] = {cM, cD, cK};
    for (int k = 0; k < s->m->nsupers; k++) {
        int n = NODE_V * s->m->supers[k].poses;
        if (skip && skip[k]) continue;
        if (tangent(s, st, k, by)) return 1;
        for (int c = 0; c < n; c++) {
            double *to = values + s->super_at[k][c];
            const double *from = s->super_block + n * c;
            for (int i = 0; i < n; i++) to[i] += from[i];
        }
        if (s->sys.regular_mass) add_spin(s, st, k, cM, values);
    }
    return 0;
}

/* Forces by the paper's equations are not derivatives of these energies: what they do beyond them is an error
 * of the formulation, and the balance shows it. */
int nodal_super_energy_of(const nodal *s, const lm_state *st, int k, lm_energy *e)
{
    lm_super_energy f;
    lm_super_state now = nodal_super_state(s, st, k);
    if (lm_super_energies(&s->m->supers[k], &now, s->m->gravity, s->super_scratch, &f)) return 1;
    e->kinetic += f.kinetic;
    e->elastic += f.elastic;
    e->gravity += f.gravity;
    e->dissipation += f.dissipation;
    return 0;
}

/* Only damping takes power away. */
static int has_power(const lm_super *e) { return e->C || e->alpha != 0 || e->beta != 0; }

void nodal_super_energy(nodal *s, const lm_state *st, lm_energy *e)
{
    for (int k = 0; k < s->m->nsupers; k++)
        if (!s->sys.power_only || has_power(&s->m->supers[k])) nodal_super_energy_of(s, st, k, e);
}
