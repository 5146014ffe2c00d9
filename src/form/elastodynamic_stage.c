/* The rigid motion at one time: nodes, elements, the axial forces in them, and the matrices that follow. */
#include "form/elastodynamic.h"

#include <string.h>

/* ---- kinematics ---- */

static elasto_node carried(const lm_state *c, int node, lm_v3 r, const lm_m3 *E)
{
    lm_quat q = node_quat(c->q, node);
    lm_m3 R = quat_m3(q), own = m3_mul(&R, E);
    lm_v3 rho = m3_v(&R, r), w = v3_from(c->v + NODE_V * node + 3);
    lm_v3 al = v3_from(c->a + NODE_V * node + 3), turn = v3_cross(w, rho);
    elasto_node n = {.x = v3_add(node_x(c->q, node), rho),
                     .v = v3_add(v3_from(c->v + NODE_V * node), turn),
                     .w = w,
                     .al = al,
                     .q = lm_quat_from_m3(&own)};
    n.a = v3_add(v3_from(c->a + NODE_V * node), v3_add(v3_cross(al, rho), v3_cross(w, turn)));
    return n;
}

static void place_nodes(elasto *e, const lm_state *c, elasto_stage *g)
{
    for (int n = 0; n < e->in->m->nnodes; n++)
        g->node[n] = carried(c, e->rigid.node[n], e->rigid.r[n], &e->rigid.E[n]);
}

static void place_elements(elasto *e, elasto_stage *g)
{
    const lm_model *m = e->in->m;
    for (int k = 0; k < m->nelements; k++) {
        const elasto_node *n = &g->node[m->elements[k].node[0]];
        elasto_element *el = &g->element[k];
        lm_m3 R = quat_m3(n->q);
        el->R = m3_mul(&R, &m->elements[k].A[0]);
        el->w = m3_tv(&el->R, n->w);
        el->al = m3_tv(&el->R, n->al);
    }
}

/* ---- axial forces ---- */

/* The nodal system in the rigid motion, of which the companion has the state c. */
static void put_rigid(const elasto *e, const lm_state *c, const elasto_stage *g, double *q,
                      double *v, double *a)
{
    const lm_model *m = e->in->m;
    for (int n = 0; n < m->nnodes; n++) {
        const elasto_node *at = &g->node[n];
        v3_put(q + NODE_Q * n, at->x);
        quat_put(q + NODE_Q * n + 3, at->q);
        v3_put(v + NODE_V * n, at->v);
        v3_put(v + NODE_V * n + 3, at->w);
        v3_put(a + NODE_V * n, at->a);
        v3_put(a + NODE_V * n + 3, at->al);
    }
    memcpy(q + NODE_Q * m->nnodes, c->q + NODE_Q * e->rigid.model.nnodes,
           sizeof(double) * (size_t)m->nangles);
}

/* What joints, springs, loads and rigid bodies leave over at the nodes in the rigid motion: the opposite of
 * the forces on the beams. */
static int external_forces(elasto *e, const lm_state *c, const elasto_stage *g)
{
    put_rigid(e, c, g, e->q, e->v, e->a);
    lm_state st = {c->t, e->q, e->v, e->a, c->lam};
    const lm_way *along = e->in->sys.along;
    e->now = NULL; /* no beams */
    e->in->sys.along = NULL;
    int bad = nodal_residual(&e->in->sys, &st, e->r, NULL, NULL);
    e->in->sys.along = along;
    return bad;
}

static lm_v3 origin_acceleration(const elasto *e, const elasto_stage *g, int element)
{
    const lm_model *m = e->in->m;
    lm_v3 weight = v3_mul(g->load_factor, m->gravity);
    lm_v3 a = v3_sub(g->node[m->elements[element].node[0]].a, weight);
    return m3_tv(&g->element[element].R, a);
}

/* Inertia and weight of an element, world axes: m a0 + (E + W W) s, s its static moment. */
static lm_v3 inertia_force(const elasto *e, const elasto_stage *g, int element)
{
    const elasto_element *el = &g->element[element];
    double mass, first;
    lm_moving_beam_inertia(&e->of[element]->beam, &mass, &first);
    lm_v3 s = v3(first, 0, 0);
    lm_v3 turn = v3_add(v3_cross(el->al, s), v3_cross(el->w, v3_cross(el->w, s)));
    return m3_v(&el->R, v3_add(v3_mul(mass, origin_acceleration(e, g, element)), turn));
}

static void element_matrices(const elasto *e, elasto_stage *g, int k, const double axial[2])
{
    elasto_element *el = &g->element[k];
    lm_moving_motion mo = {.a0 = origin_acceleration(e, g, k),
                           .w = el->w,
                           .al = el->al,
                           .axial = {axial[0], axial[1]},
                           .stiffening = e->stiffening};
    lm_moving_beam_matrices(&e->of[k]->beam, &mo, el->C, el->K, el->q);
    for (int i = 0; i < 144; i++) el->C[i / 12][i % 12] += e->of[k]->C[i / 12][i % 12];
}

/* From the end of a beam to its start: tension N = -t . (r + inertia) of all that lies behind. */
static void beam_matrices(elasto *e, elasto_stage *g, const lm_beam *b)
{
    lm_v3 behind = v3(0, 0, 0);
    for (int k = b->first_element + b->nelements - 1; k >= b->first_element; k--) {
        lm_v3 t = m3_col(&g->element[k].R, 0);
        double axial[2];
        behind = v3_add(behind, v3_from(e->r + NODE_V * e->in->m->elements[k].node[1]));
        axial[1] = -v3_dot(t, behind);
        behind = v3_add(behind, inertia_force(e, g, k));
        axial[0] = -v3_dot(t, behind);
        int body = (int)(b - e->in->m->beams);
        g->element[k].axial = 0.5 * (axial[0] + axial[1]);
        elasto_note_axial(e, body, e->euler[body], g->element[k].axial);
        element_matrices(e, g, k, axial);
    }
}

/* ---- stages ---- */

static int companion_state(elasto *e, double t, lm_state *c)
{
    lm_motion *m = e->in->sys.motion;
    *c = (lm_state){t, e->cq, e->czero, e->czero, e->clam};
    if (m && m->rest && e->in->sys.still) return m->rest(m, t, e->in->sys.load_factor, c);
    int bad = m ? m->at(m, t, c) : 0;
    if (e->in->sys.still) c->v = c->a = e->czero;
    return bad;
}

static int fill(elasto *e, elasto_stage *g, double t)
{
    const lm_system *sys = &e->in->sys;
    const lm_model *m = e->in->m;
    lm_state c;
    int bad = companion_state(e, t, &c);
    if (bad) return bad;
    g->t = t;
    g->load_factor = sys->load_factor;
    g->still = sys->still;
    g->version = sys->motion ? sys->motion->version : 0;
    place_nodes(e, &c, g);
    place_elements(e, g);
    if (external_forces(e, &c, g)) return 1;
    for (int i = 0; i < m->nbodies; i++) beam_matrices(e, g, &m->beams[i]);
    return 0;
}

static int fits(const elasto_stage *g, const lm_system *sys, double t)
{
    return g->used && g->t == t && g->load_factor == sys->load_factor && g->still == sys->still &&
           g->version == (sys->motion ? sys->motion->version : 0);
}

int elasto_enter(elasto *e, double t)
{
    elasto_stage *oldest = &e->stage[0];
    for (int k = 0; k < ELASTO_STAGES; k++) {
        elasto_stage *g = &e->stage[k];
        if (fits(g, &e->in->sys, t)) {
            g->used = ++e->clock;
            e->now = g;
            return 0;
        }
        if (g->used < oldest->used) oldest = g;
    }
    oldest->used = 0;
    int bad = fill(e, oldest, t);
    if (bad) return bad;
    oldest->used = ++e->clock;
    e->now = oldest;
    return 0;
}

int elasto_linear_about(lm_system *sys, double t, double *q, double *v, double *a, double *lam)
{
    elasto *e = elasto_of(sys);
    lm_state c;
    int bad = elasto_enter(e, t);
    if (!bad) bad = companion_state(e, t, &c);
    if (bad) return bad;
    put_rigid(e, &c, e->now, q, v, a);
    memcpy(lam, c.lam, sizeof(double) * (size_t)sys->nl);
    return 0;
}
