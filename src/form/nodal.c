/* The nodal formulation behind the seam: energies, outputs, names. */
#include "form/nodal.h"

#include <stdio.h>
#include <string.h>

/* ---- what it cannot do ---- */

static void refuse_coordinates(const lm_spec *spec, lm_diag *diag)
{
    if (spec->coordinates.n)
        lm_error(
            diag, spec->coordinates.at[0].item.loc,
            "'coordinates' need the formulation 'minimal'; in others the mechanism is described "
            "by joints");
}

static limber_status create(const lm_model *m, lm_diag *diag, lm_system **out)
{
    int errors = diag->errors;
    refuse_coordinates(m->spec, diag);
    if (diag->errors == errors) return nodal_create(m, NULL, NULL, diag, out);
    *out = NULL;
    return LIMBER_UNSUPPORTED;
}

/* ---- constraints at velocity and acceleration level ---- */

int nodal_constraint_rate(lm_system *sys, const lm_state *st, double *rate)
{
    nodal *s = (nodal *)sys;
    nodal_kinematics(s, st->q);
    for (int k = 0; k < sys->nl; k++) {
        const lm_row *row = &s->m->rows[k];
        int pair = s->m->joints[row->joint].pair;
        lm_v3 G[LM_PAIR_BLOCKS], v[LM_PAIR_BLOCKS];
        rate[k] = 0;
        if (!sys->active[k]) continue;
        lm_measure_grad(row->measure, row->i, row->j, &s->kin.pair[pair], G);
        pair_velocity(&s->m->pairs[pair], st->v, v);
        rate[k] = blocks_dot(G, v) - nodal_row_target(s, row, st->t, 1);
    }
    return 0;
}

int nodal_constraint_accel(lm_system *sys, const lm_state *st, double *accel)
{
    nodal *s = (nodal *)sys;
    nodal_kinematics(s, st->q);
    for (int k = 0; k < sys->nl; k++) {
        const lm_row *row = &s->m->rows[k];
        int pair = s->m->joints[row->joint].pair;
        const lm_pair_pose *p = &s->kin.pair[pair];
        lm_v3 G[LM_PAIR_BLOCKS], v[LM_PAIR_BLOCKS], a[LM_PAIR_BLOCKS];
        accel[k] = 0;
        if (!sys->active[k]) continue;
        lm_measure_grad(row->measure, row->i, row->j, p, G);
        pair_velocity(&s->m->pairs[pair], st->v, v);
        pair_velocity(&s->m->pairs[pair], st->a, a);
        accel[k] = blocks_dot(G, a) + lm_measure_bias(row->measure, row->i, row->j, p, v);
        if (row->drive) accel[k] -= nodal_row_target(s, row, st->t, 2);
    }
    return 0;
}

double nodal_hidden_violation(lm_system *sys, double t, const double *q, int *which)
{
    nodal *s = (nodal *)sys;
    double worst = 0, size = s->m->size > 0 ? s->m->size : 1;
    int ready = 0;
    for (int k = 0; k < sys->nl; k++) {
        const lm_row *row = &s->m->rows[k];
        if (sys->active[k] || row->initial >= 0) continue;
        if (!ready) nodal_kinematics(s, q);
        ready = 1;
        double target = nodal_row_target(s, row, t, 0);
        double value = lm_measure_value(row->measure, row->i, row->j,
                                        &s->kin.pair[s->m->joints[row->joint].pair]);
        if (lm_measure_is_angle(row->measure)) value = lm_angle_near(value, target);
        double gap = fabs(value - target) / (lm_measure_is_rotation(row->measure) ? 1 : size);
        if (gap > worst) worst = gap, *which = k;
    }
    return worst;
}

/* ---- energy and outputs ---- */

void nodal_rigid_energy(const nodal *s, const lm_state *st, int node, lm_v3 c, double mass,
                        const lm_m3 *J, lm_energy *e)
{
    const lm_m3 *R = &s->kin.R[node];
    lm_v3 rho = m3_v(R, c), omega = v3_from(st->v + NODE_V * node + 3), w = m3_tv(R, omega);
    lm_v3 v = v3_add(v3_from(st->v + NODE_V * node), v3_cross(omega, rho));
    e->kinetic += 0.5 * (mass * v3_dot(v, v) + v3_dot(w, m3_v(J, w)));
    e->gravity -= mass * v3_dot(s->m->gravity, v3_add(node_x(st->q, node), rho));
}

static void force_energy(nodal *s, const lm_state *st, lm_energy *e)
{
    lm_v3 G[LM_PAIR_BLOCKS];
    for (int k = 0; k < s->m->nactions; k++) {
        const lm_action *a = &s->m->actions[k];
        double value, rate;
        lm_measure_grad(a->measure, a->i, a->j, &s->kin.pair[a->pair], G);
        nodal_action_measure(s, st, a, G, &value, &rate);
        action_law f = nodal_action(s, st, a, value, rate);
        e->elastic += f.elastic;
        e->dissipation += f.dissipation;
        if (!a->port) e->power += f.effort * rate;
    }
    for (int k = 0; k < s->nloads; k++) {
        int n = s->load[k].frame->node;
        if (n < 0 || s->load[k].spec->port) continue;
        lm_v3 F, M, w = v3_from(st->v + NODE_V * n + 3);
        nodal_load_wrench(s, &s->load[k], &F, &M);
        lm_v3 rho = m3_v(&s->kin.R[n], s->load[k].frame->r);
        lm_v3 at = v3_add(v3_from(st->v + NODE_V * n), v3_cross(w, rho));
        e->power += v3_dot(F, at) + v3_dot(M, w);
    }
}

/* A drive's effort is -lam, and its rate is prescribed. */
int nodal_energy(lm_system *sys, const lm_state *st, lm_energy *e)
{
    nodal *s = (nodal *)sys;
    *e = (lm_energy){0};
    nodal_kinematics(s, st->q);
    nodal_sense(s, st, s->force_sensor);
    for (int k = 0; k < s->nrigid; k++)
        nodal_rigid_energy(s, st, s->rigid[k].node, v3(0, 0, 0), s->rigid[k].mass, &s->rigid[k].J,
                           e);
    nodal_beam_energy(s, st, e);
    nodal_lump_energy(s, st, -1, e);
    if (s->floating) s->floating->energy(s->floating->ctx, st, -1, e);
    e->dissipation += nodal_drag_power(s, st);
    nodal_super_energy(s, st, e);
    force_energy(s, st, e);
    for (int k = 0; k < sys->nl && st->lam; k++)
        if (s->m->rows[k].drive && sys->active[k])
            e->power -= st->lam[k] * nodal_row_target(s, &s->m->rows[k], st->t, 1);
    return 0;
}

int nodal_outputs(lm_system *sys, const lm_state *st, double *out)
{
    nodal *s = (nodal *)sys;
    nodal_kinematics(s, st->q);
    nodal_sense(s, st, s->force_sensor);
    s->slots[LM_SLOT_T] = st->t;
    for (int i = 0; i < s->m->spec->sensors.n; i++)
        if (!s->force_sensor[i]) s->slots[1 + i] = nodal_sensor(s, st, i);
    for (int i = 0; i < s->m->spec->outputs.n; i++)
        out[i] = lm_expr_eval(&s->m->spec->outputs.at[i].expr, s->slots, s->scratch);
    if (sys->discrete) lm_discrete_read(sys->discrete, s->slots, s->scratch);
    return 0;
}

void nodal_poses(lm_system *sys, const double *q, double *pose)
{
    const lm_model *m = sys->model;
    for (int n = 0; n < m->nnodes; n++) {
        const lm_body *b = &m->bodies[m->nodes[n].body];
        lm_m3 R = quat_m3(node_quat(q, n));
        v3_put(pose + 7 * n, v3_sub(node_x(q, n), m3_v(&R, b->com)));
        memcpy(pose + 7 * n + 3, q + NODE_Q * n + 3, 4 * sizeof(double));
    }
}

void nodal_describe_pose(const lm_system *sys, int i, char *text, size_t size)
{
    const lm_model *m = sys->model;
    int body = m->nodes[i].body, k = i - m->bodies[body].first_node;
    const char *name = m->bodies[body].name;
    double place;
    if (m->bodies[body].type == LM_BODY_RIGID)
        snprintf(text, size, "%s", name);
    else if (m->bodies[body].type == LM_BODY_SUPERELEMENT)
        snprintf(text, size, "%s.%s", name,
                 k < m->spec->bodies.at[body].nnodes ? m->spec->bodies.at[body].nodes[k].name
                                                     : "frame");
    else if ((k = lm_beam_node_name(m, i, &place)) >= 0)
        snprintf(text, size, "%s.node(%d)", name, k);
    else
        snprintf(text, size, "%s.at(%.9g)", name, place);
}

void nodal_node_name(const lm_model *m, int node, char *text, size_t size)
{
    const lm_body *b = &m->bodies[m->nodes[node].body];
    double place = 0;
    int k = b->type == LM_BODY_BEAM ? lm_beam_node_name(m, node, &place) : node - b->first_node;
    if (b->type == LM_BODY_RIGID)
        snprintf(text, size, "body %s", b->name);
    else if (k >= 0)
        snprintf(text, size, "node %d of %s", k, b->name);
    else
        snprintf(text, size, "node at %.6g of %s", place, b->name);
}

void nodal_describe(const lm_system *sys, int i, char *text, size_t size)
{
    const lm_model *m = sys->model;
    if (i < sys->nv) {
        static const char *const what[] = {"force x",  "force y",  "force z",
                                           "moment x", "moment y", "moment z"};
        char name[96];
        nodal_node_name(m, i / NODE_V, name, sizeof name);
        snprintf(text, size, "%s, %s", name, what[i % NODE_V]);
        return;
    }
    const lm_row *r = &m->rows[i - sys->nv];
    snprintf(text, size, "joint %s, %s", m->joints[r->joint].name, r->what);
}

void nodal_describe_motion(const lm_system *sys, int i, char *text, size_t size)
{
    const lm_model *m = sys->model;
    char name[96];
    nodal_node_name(m, i / NODE_V, name, sizeof name);
    snprintf(text, size, "%s %s %c", name, i % NODE_V < 3 ? "along" : "turning about",
             "xyz"[i % 3]);
}

double nodal_next_kink(const lm_system *sys, double t)
{
    const nodal *s = (const nodal *)sys;
    double next = INFINITY;
    for (int i = 0; i < s->ntimed; i++) next = fmin(next, lm_expr_next_kink(s->timed[i], t));
    return next;
}

const lm_form lm_form_corotational = {
    .name = "corotational",
    .create = create,
    .destroy = nodal_destroy,
    .initial = nodal_initial,
    .residual = nodal_residual,
    .jacobian = nodal_jacobian,
    .outputs = nodal_outputs,
    .energy = nodal_energy,
    .guards = nodal_guards,
    NODAL_SEAM,
};
