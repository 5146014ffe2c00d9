/* Sensors of flexible bodies: deflection, tip and section forces of beams, frames between nodes,
 * energies by body. The definitions are in docs/theory/beam-results.md. */
#include "form/nodal.h"

#include <string.h>

/* ---- making ---- */

/* Axes that follow both ends of the beam as an element's frame follows its nodes, and where the
 * place is in them as drawn. */
static void make_deflection(const nodal *s, const lm_spec_sensor *c, nodal_gauge *g)
{
    const lm_model *m = s->m;
    const lm_element *e = &m->elements[g->place.element];
    lm_v3 from = m->nodes[g->node[0]].x, along = v3_sub(m->nodes[g->node[1]].x, from);
    lm_m3 C = lm_beam_axes(&m->spec->bodies.at[c->body], along);
    for (int i = 0; i < 2; i++) {
        lm_m3 R = quat_m3(m->nodes[g->node[i]].q);
        g->A[i] = m3_tmul(&R, &C);
    }
    lm_v3 x = v3_add(v3_mul(1 - g->place.xi, m->nodes[e->node[0]].x),
                     v3_mul(g->place.xi, m->nodes[e->node[1]].x));
    g->drawn = m3_tv(&C, v3_sub(x, from));
}

static void make_tip(const nodal *s, nodal_gauge *g)
{
    const lm_node *a = &s->m->nodes[g->node[0]], *b = &s->m->nodes[g->node[1]];
    lm_m3 R = quat_m3(a->q);
    g->drawn = m3_tv(&R, v3_sub(b->x, a->x));
}

static void make_section(const nodal *s, const lm_spec_sensor *c, double *scratch, nodal_gauge *g)
{
    const lm_element *e = &s->m->elements[g->place.element];
    lm_beam_section(s->m, c->body, c->s, scratch, &g->cut);
    for (int i = 0; i < 2; i++) lm_beam_section(s->m, c->body, e->s[i], scratch, &g->end[i]);
}

static int make_gauge(nodal *s, int sensor, double *scratch)
{
    const lm_spec_sensor *c = &s->m->spec->sensors.at[sensor];
    int tip = c->kind == LM_SENSOR_TIP, deflection = c->kind == LM_SENSOR_DEFLECTION;
    if (!tip && !deflection && c->kind != LM_SENSOR_SECTION) return 0;
    nodal_gauge *g = s->gauge[sensor] = LM_NEW(&s->arena, nodal_gauge);
    if (!g) return -1;
    const lm_body *b = &s->m->bodies[c->body];
    g->node[0] = b->first_node;
    g->node[1] = b->first_node + b->nnodes - 1;
    if (tip)
        make_tip(s, g);
    else
        nodal_place_make(s->m, c->body, c->s, scratch, &g->place);
    if (deflection) make_deflection(s, c, g);
    if (c->kind == LM_SENSOR_SECTION) make_section(s, c, scratch, g);
    return 0;
}

int nodal_make_flex(nodal *s)
{
    const lm_model *m = s->m;
    double *scratch = LM_NEW_N(&s->arena, double, m->section_scratch);
    s->place = LM_NEW_N(&s->arena, nodal_place *, m->nframes);
    s->gauge = LM_NEW_N(&s->arena, nodal_gauge *, m->spec->sensors.n);
    if (!scratch || !s->place || !s->gauge) return -1;
    for (int i = 0; i < m->nframes; i++) {
        const lm_spec_frame *f = &m->spec->frames.at[i];
        if (m->frames[i].node != LM_BETWEEN_NODES || f->kind != LM_FRAME_BEAM_AT) continue;
        s->place[i] = LM_NEW(&s->arena, nodal_place);
        if (!s->place[i]) return -1;
        nodal_place_make(m, f->body, f->s, scratch, s->place[i]);
    }
    for (int i = 0; i < m->spec->sensors.n; i++)
        if (make_gauge(s, i, scratch)) return -1;
    return 0;
}

/* ---- what cannot be measured ---- */

static void refuse_deflection(const nodal *s, const lm_spec_sensor *c, lm_diag *diag)
{
    const lm_body *b = &s->m->bodies[c->body];
    const lm_node *n = &s->m->nodes[b->first_node];
    double chord = v3_norm(v3_sub(n[b->nnodes - 1].x, n->x));
    if (chord > 1e-9 * s->m->beams[c->body].length) return;
    lm_error(diag, c->loc,
             "deflection(%s, ..): the ends of beam '%s' coincide, so that there is no chord; use "
             "pos(%s.at(s), %s.start)",
             b->name, b->name, b->name, b->name);
}

/* The frame of a superelement follows its nodes; how it accelerates is not known. */
static void refuse_frame(const nodal *s, const lm_spec_sensor *c, int frame, lm_diag *diag)
{
    if (frame < 0 || s->m->frames[frame].node != LM_BETWEEN_NODES || s->place[frame]) return;
    const lm_spec_frame *f = &s->m->spec->frames.at[frame];
    const lm_spec_body *b = &s->m->spec->bodies.at[f->body];
    if (c->kind == LM_SENSOR_ACC || c->kind == LM_SENSOR_ALPHA)
        lm_error(diag, c->loc,
                 "%s(%s): the acceleration of a superelement is known at its nodes only; take one "
                 "of them, as %s.%s",
                 c->kind == LM_SENSOR_ACC ? "acc" : "alpha", f->name, f->name, b->nodes[0].name);
}

void nodal_refuse_flex(const nodal *s, const lm_spec_sensor *c, lm_diag *diag)
{
    if (c->kind == LM_SENSOR_DEFLECTION) refuse_deflection(s, c, diag);
    if (c->kind > LM_SENSOR_ALPHA) return;
    refuse_frame(s, c, c->frame[0], diag);
    refuse_frame(s, c, c->frame[1], diag);
}

/* ---- frames between nodes ---- */

void nodal_flex_frame(const nodal *s, const lm_state *st, int frame, frame_kin *out)
{
    lm_super_pose p;
    *out = (frame_kin){.x = v3(NAN, NAN, NAN), .R = m3_diag(NAN)};
    if (s->place[frame]) {
        nodal_place_motion(s, st, s->place[frame], out);
        return;
    }
    int super = s->m->bodies[s->m->spec->frames.at[frame].body].super;
    lm_super_state now = nodal_super_state(s, st, super);
    if (lm_super_frame_pose(&s->m->supers[super], &now, s->super_scratch, &p)) return;
    *out = (frame_kin){.x = p.x, .v = p.v, .w = p.omega, .R = p.R};
}

/* ---- deflection ---- */

double nodal_deflection(const nodal *s, const lm_state *st, const nodal_gauge *g, int component)
{
    const lm_state at = {.q = st->q};
    frame_kin k;
    lm_m3 C = nodal_chord_axes(s, st, g->node, g->A);
    nodal_place_motion(s, &at, &g->place, &k);
    lm_v3 d = v3_sub(k.x, node_x(st->q, g->node[0]));
    return v3_dot(m3_col(&C, component), d) - v3_get(g->drawn, component);
}

/* ---- section forces ---- */

/* Damping by mass acts as the inertia of an acceleration alpha v' does (nodal_drag.c). */
static void add_drag(const nodal *s, const lm_state *st, int element, lm_corot_state *c,
                     lm_lane f[2][NODE_V])
{
    double rel[12], force[12];
    if (!s->drag || !s->drag[element] || !st->v) return;
    nodal_drag_forces(s, st, element, rel, force);
    for (int i = 0; i < 2 * NODE_V; i++) {
        c->a[i / NODE_V][i % NODE_V] += lane_all(rel[i]);
        f[i / NODE_V][i % NODE_V] += lane_all(force[i]);
    }
}

/* One end of an element, world axes: what is transmitted through the section there, from the part
 * behind it to the part before it, and how that changes along the beam. */
typedef struct cut_end {
    lm_v3 F, M, dF, dM;
} cut_end;

static lm_v3 lane_v3(const lm_lane *p, int l) { return v3(p[0][l], p[1][l], p[2][l]); }

/* What acts along the beam, gravity and inertia, changes the force; the force and the inertia of
 * turning sections change the moment:
 *   F' = -rho A (g - a),   M' = -r' x F + J alpha + omega x J omega
 * with r' = stretched normal of the section, and sheared if it can be. */
static void along_beam(const nodal *s, const lm_corot_state *now, const lm_element *e, int i,
                       const lm_section *c, cut_end *end)
{
    int n = e->node[i], shear = s->m->spec->bodies.at[s->m->nodes[n].body].timoshenko;
    lm_m3 T = m3_mul(&s->kin.R[n], &e->A[i]);
    lm_v3 g = v3_mul(s->sys.load_factor, s->m->gravity), f = m3_tv(&T, end->F);
    lm_v3 w = m3_tv(&T, lane_v3(now->v[i] + 3, 0)), al = m3_tv(&T, lane_v3(now->a[i] + 3, 0));
    lm_v3 J = v3(c->rhoIy + c->rhoIz, c->rhoIy, c->rhoIz);
    lm_v3 spin = v3(J.x * w.x, J.y * w.y, J.z * w.z);
    lm_v3 axis = v3(1 + f.x / c->EA, shear ? f.y / c->GAy : 0, shear ? f.z / c->GAz : 0);
    lm_v3 m = v3_add(v3(J.x * al.x, J.y * al.y, J.z * al.z), v3_cross(w, spin));
    end->dF = v3_mul(c->rhoA, v3_sub(lane_v3(now->a[i], 0), g));
    end->dM = m3_v(&T, v3_sub(m, v3_cross(axis, f)));
}

/* Cubic with the values p, q and the slopes dp, dq at both ends of the length L. */
static lm_v3 hermite(lm_v3 p, lm_v3 q, lm_v3 dp, lm_v3 dq, double L, double x)
{
    double h = x * x * (3 - 2 * x), y = 1 - x;
    lm_v3 value = v3_add(v3_mul(1 - h, p), v3_mul(h, q));
    return v3_add(value, v3_add(v3_mul(L * x * y * y, dp), v3_mul(-L * x * x * y, dq)));
}

static void along_lanes(const nodal *s, int element, lm_lane f[2][NODE_V])
{
    double own[2 * NODE_V];
    nodal_along_element(s, element, own);
    for (int i = 0; i < 2 * NODE_V; i++) f[i / NODE_V][i % NODE_V] = lane_all(own[i]);
}

/* The forces of an element's residual are those that its neighbours, joints and loads exert on it:
 * in balance with them at any moment, whatever acts along the element. On the section at its start
 * the part behind acts with the opposite. */
static void element_ends(const nodal *s, const lm_state *st, int element, lm_corot_state *c,
                         cut_end end[2])
{
    int l = element % LM_LANES;
    lm_lane f[2][6];
    double gravity[3];
    v3_put(gravity, v3_mul(s->sys.load_factor, s->m->gravity));
    if (s->sys.along && !s->floating) /* else the elements are not asked for their elastic forces */
        along_lanes(s, element, f);
    else
        lm_corot_residual(s->beams.groups[element / LM_LANES].c, c, gravity, f);
    add_drag(s, st, element, c, f);
    for (int i = 0; i < 2; i++) {
        double sign = i ? 1 : -1;
        end[i].F = v3_mul(sign, lane_v3(f[i], l));
        end[i].M = v3_mul(sign, lane_v3(f[i] + 3, l));
    }
}

/* The same of an element of another kind. */
static void other_ends(const nodal *s, const lm_state *st, int element, cut_end end[2])
{
    double f[2 * NODE_V];
    if (s->sys.along)
        nodal_along_element(s, element, f);
    else
        s->floating->element_force(s->floating->ctx, st, element, f);
    end[0].F = v3_neg(v3_from(f));
    end[0].M = v3_neg(v3_from(f + 3));
    end[1].F = v3_from(f + NODE_V);
    end[1].M = v3_from(f + NODE_V + 3);
}

/* What acts on a node, without the elements: damping by mass is theirs. */
static void node_force(const nodal *s, int node, double f[NODE_V])
{
    const double *r = s->floating->residual(s->floating->ctx) + NODE_V * node;
    for (int i = 0; i < NODE_V; i++)
        f[i] = r[i] - (s->drag_force ? s->drag_force[NODE_V * node + i] : 0);
}

/* A force and a moment at a node, taken from what the part behind x exerts. */
static void take(const lm_state *st, int node, lm_v3 x, lm_v3 F, lm_v3 M, cut_end *end)
{
    lm_v3 arm = v3_sub(node_x(st->q, node), x);
    end->F = v3_sub(end->F, F);
    end->M = v3_sub(end->M, v3_add(M, v3_cross(arm, F)));
}

/* Inertia and weight of a whole element: its elastic forces are in balance with each other. */
static void take_element(const nodal *s, const lm_state *st, int element, lm_v3 x, cut_end *end)
{
    const lm_element *e = &s->m->elements[element];
    lm_corot_state c;
    cut_end own[2];
    nodal_spread_element(s, st, element, &c);
    element_ends(s, st, element, &c, own);
    take(st, e->node[0], x, v3_neg(own[0].F), v3_neg(own[0].M), end);
    take(st, e->node[1], x, own[1].F, own[1].M, end);
}

/* Of a beam in a floating frame, whose elements alone are not in balance: what acts from outside behind
 * the section, less inertia and weight there. */
static void floating_ends(const nodal *s, const lm_state *st, int element, cut_end end[2])
{
    const lm_element *e = s->m->elements;
    if (s->floating->element_force) {
        other_ends(s, st, element, end);
        return;
    }
    int last = s->floating->last(s->floating->ctx, element);
    for (int i = 0; i < 2; i++) {
        lm_v3 x = node_x(st->q, e[element].node[i]);
        end[i] = (cut_end){0};
        for (int k = element; k <= last; k++) {
            double f[NODE_V];
            node_force(s, e[k].node[1], f);
            take(st, e[k].node[1], x, v3_from(f), v3_from(f + 3), &end[i]);
            if (k > element || i == 0) take_element(s, st, k, x, &end[i]);
        }
    }
}

void nodal_floating_middle(const nodal *s, const lm_state *st, int element, lm_v3 *F, lm_v3 *M)
{
    const lm_element *e = &s->m->elements[element];
    lm_v3 d = v3_sub(node_x(st->q, e->node[1]), node_x(st->q, e->node[0]));
    cut_end end[2];
    floating_ends(s, st, element, end);
    *F = v3_mul(0.5, v3_add(end[0].F, end[1].F));
    *M = v3_mul(0.5, v3_add(end[0].M, end[1].M));
    *M = v3_add(*M, v3_mul(0.125, v3_cross(d, v3_sub(end[1].F, end[0].F)))); /* M' = -d x F */
}

static void cut_forces(const nodal *s, const lm_state *st, const nodal_gauge *g, lm_v3 *F, lm_v3 *M)
{
    const nodal_place *p = &g->place;
    const lm_element *e = &s->m->elements[p->element];
    lm_corot_state c;
    cut_end end[2];
    nodal_spread_element(s, st, p->element, &c);
    if (s->floating)
        floating_ends(s, st, p->element, end);
    else
        element_ends(s, st, p->element, &c, end);
    for (int i = 0; i < 2; i++) along_beam(s, &c, e, i, &g->end[i], &end[i]);
    *F = hermite(end[0].F, end[1].F, end[0].dF, end[1].dF, e->shape.L, p->xi);
    *M = hermite(end[0].M, end[1].M, end[0].dM, end[1].dM, e->shape.L, p->xi);
}

static lm_m3 section_axes(const nodal *s, const lm_state *st, const nodal_place *p)
{
    const lm_state at = {.q = st->q};
    frame_kin k;
    if (s->division) return nodal_lump_axes(s, p);
    nodal_place_motion(s, &at, p, &k);
    return k.R;
}

double nodal_section(nodal *s, const lm_state *st, const nodal_gauge *g, int component)
{
    lm_v3 F, M;
    if (s->division)
        nodal_lump_section(s, st, g, &F, &M);
    else
        cut_forces(s, st, g, &F, &M);
    lm_m3 T = section_axes(s, st, &g->place);
    F = m3_tv(&T, F);
    M = m3_tv(&T, M);
    if (component == LM_SECTION_STRESS) return lm_section_stress(&g->cut, F.x, M.y, M.z);
    return component < LM_SECTION_T ? v3_get(F, component) : v3_get(M, component - LM_SECTION_T);
}

/* ---- energy of one body ---- */

static void beam_energy(nodal *s, const lm_state *st, int body, lm_energy *e)
{
    const lm_beam *b = &s->m->beams[body];
    double gravity[3];
    if (s->floating) {
        s->floating->energy(s->floating->ctx, st, body, e);
        return;
    }
    if (s->division) {
        nodal_lump_energy(s, st, body, e);
        e->elastic += nodal_lump_elastic(s, st, b);
        return;
    }
    v3_put(gravity, s->m->gravity);
    for (int k = b->first_element; k < b->first_element + b->nelements; k++) {
        lm_corot_state c;
        lm_corot_energies f;
        nodal_spread_element(s, st, k, &c);
        lm_corot_energy(s->beams.groups[k / LM_LANES].c, &c, gravity, &f);
        e->kinetic += f.kinetic[k % LM_LANES];
        e->elastic += s->sys.along ? nodal_along_elastic(s, k) : f.elastic[k % LM_LANES];
        e->gravity += f.gravity[k % LM_LANES];
    }
}

void nodal_body_energy(nodal *s, const lm_state *st, int body, lm_energy *e)
{
    const lm_body *b = &s->m->bodies[body];
    *e = (lm_energy){0};
    if (b->type == LM_BODY_RIGID)
        nodal_rigid_energy(s, st, b->first_node, v3(0, 0, 0), b->mass, &b->J, e);
    if (b->type == LM_BODY_BEAM) beam_energy(s, st, body, e);
    if (b->type == LM_BODY_SUPERELEMENT && nodal_super_energy_of(s, st, b->super, e))
        *e = (lm_energy){.kinetic = NAN, .elastic = NAN, .gravity = NAN};
}
