/* The nodal formulation behind the seam: making a system, energies, outputs, names. */
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

static void refuse_sensors(const nodal *s, lm_diag *diag)
{
    for (int i = 0; i < s->m->spec->sensors.n; i++) {
        const lm_spec_sensor *c = &s->m->spec->sensors.at[i];
        int whole = (c->kind == LM_SENSOR_ENERGY && c->body < 0) || c->kind == LM_SENSOR_POWER;
        nodal_refuse_flex(s, c, diag);
        if (s->force_sensor[i] && whole)
            lm_error(diag, c->loc,
                     "a load or effort cannot depend on %s of the whole system; energies are for "
                     "'outputs'",
                     c->kind == LM_SENSOR_ENERGY ? "the energy" : "the power");
    }
}

/* What the integrators can spare themselves. */
static void note_traits(nodal *s)
{
    for (int i = 0; i < s->m->spec->sensors.n; i++) {
        lm_sensor_kind k = s->m->spec->sensors.at[i].kind;
        int algebraic = k == LM_SENSOR_ACC || k == LM_SENSOR_ALPHA || k == LM_SENSOR_FORCE ||
                        k == LM_SENSOR_MOMENT || k == LM_SENSOR_SECTION;
        if (s->force_sensor[i] && algebraic) s->sys.algebraic = 1;
        if (s->force_sensor[i] && k == LM_SENSOR_STATE)
            s->sys.discrete->forces[s->m->spec->sensors.at[i].state] = 1;
    }
    s->sys.works = s->nloads > 0;
    for (int k = 0; k < s->m->nactions; k++) {
        const lm_action *a = &s->m->actions[k];
        for (int i = 0; a->effort && i < a->effort->ninputs; i++) {
            int sensor = a->effort->inputs[i] - 1;
            lm_sensor_kind kind = sensor < 0 ? LM_SENSOR_POS : s->m->spec->sensors.at[sensor].kind;
            if (kind == LM_SENSOR_FORCE || kind == LM_SENSOR_MOMENT) s->reactive[k] = 1;
        }
        s->sys.works |= a->damping != 0 || a->friction != 0 || a->effort;
    }
    for (int k = 0; k < s->m->nrows; k++) s->sys.works |= s->m->rows[k].drive != NULL;
    for (int i = 0; i < s->m->nbodies; i++) {
        const lm_beam *b = &s->m->beams[i];
        s->sys.works |= b->nelements && (b->damping_mass != 0 || b->damping_stiffness != 0);
    }
    s->sys.works |= s->m->nsupers > 0;
    s->sys.flexible = s->m->nelements > 0 || s->m->nsupers > 0;
}

/* ---- making a system ---- */

static int expr_most(const lm_expr *e, int most)
{
    int n = lm_expr_scratch(e, 2);
    return n > most ? n : most;
}

/* Longest scratch that any expression of the model needs. */
static int scratch_size(const lm_spec *spec)
{
    int n = 16;
    for (int i = 0; i < spec->joints.n; i++)
        for (int c = 0; c < LM_JOINT_COORDS; c++) {
            const lm_spec_coord *k = &spec->joints.at[i].coord[c];
            if (k->has_drive) n = expr_most(&k->drive, n);
            if (k->has_effort) n = expr_most(&k->effort, n);
        }
    for (int i = 0; i < spec->loads.n; i++)
        for (int c = 0; c < 3; c++) {
            const lm_spec_load *l = &spec->loads.at[i];
            if (l->has_force) n = expr_most(&l->force[c], n);
            if (l->has_torque) n = expr_most(&l->torque[c], n);
        }
    for (int i = 0; i < spec->outputs.n; i++) n = expr_most(&spec->outputs.at[i].expr, n);
    int other = lm_discrete_scratch(spec);
    return other > n ? other : n;
}

/* Mark the sensors of an expression and list its couplings. */
static int note_expr(nodal *s, const lm_expr *const *e, int n, nodal_expr *x)
{
    int most = 0;
    for (int k = 0; k < n; k++)
        if (e[k]) most += e[k]->ninputs;
    if (!most) return 0;
    x->coupling = LM_NEW_N(&s->arena, nodal_coupling, most);
    if (!x->coupling) return -1;
    for (int k = 0; k < n; k++)
        for (int i = 0; e[k] && i < e[k]->ninputs; i++) {
            int sensor = e[k]->inputs[i] - 1, known = sensor < 0;
            for (int c = 0; c < x->ncoupling; c++) known |= x->coupling[c].sensor == sensor;
            if (known) continue;
            x->coupling[x->ncoupling++].sensor = sensor;
            s->force_sensor[sensor] = 1;
        }
    return 0;
}

static int note_forces(nodal *s)
{
    for (int k = 0; k < s->m->nactions; k++) {
        const lm_expr *e = s->m->actions[k].effort;
        if (note_expr(s, &e, 1, &s->action_expr[k])) return -1;
    }
    for (int k = 0; k < s->nloads; k++) {
        const lm_spec_load *l = &s->m->spec->loads.at[k];
        const lm_expr *e[6];
        for (int i = 0; i < 3; i++) {
            e[i] = l->has_force ? &l->force[i] : NULL;
            e[3 + i] = l->has_torque ? &l->torque[i] : NULL;
        }
        s->load[k] = (nodal_load){.spec = l, .frame = &s->m->frames[l->frame]};
        if (note_expr(s, e, 6, &s->load_expr[k])) return -1;
    }
    return 0;
}

static void note_timed(nodal *s, const lm_expr *e, int has)
{
    if (has) s->timed[s->ntimed++] = e;
}

/* Drives, efforts and loads: what the integrators must not step over. */
static int list_timed(nodal *s)
{
    const lm_spec *spec = s->m->spec;
    int most = 2 * LM_JOINT_COORDS * spec->joints.n + 6 * spec->loads.n;
    s->timed = LM_NEW_N(&s->arena, const lm_expr *, most);
    if (!s->timed) return -1;
    for (int i = 0; i < spec->joints.n; i++)
        for (int c = 0; c < LM_JOINT_COORDS; c++) {
            const lm_spec_coord *k = &spec->joints.at[i].coord[c];
            note_timed(s, &k->drive, k->has_drive);
            note_timed(s, &k->effort, k->has_effort);
        }
    for (int i = 0; i < spec->loads.n; i++)
        for (int c = 0; c < 3; c++) {
            const lm_spec_load *l = &spec->loads.at[i];
            note_timed(s, &l->force[c], l->has_force);
            note_timed(s, &l->torque[c], l->has_torque);
        }
    return 0;
}

/* Angles are followed from step to step only where something asks for them. */
static int track_angles(nodal *s)
{
    const lm_model *m = s->m;
    unsigned char *wanted = LM_NEW_N(&s->arena, unsigned char, m->ncoords);
    if (!wanted) return -1;
    for (int i = 0; i < m->spec->sensors.n; i++) {
        const lm_spec_sensor *k = &m->spec->sensors.at[i];
        if (k->kind == LM_SENSOR_JOINT) wanted[m->joints[k->joint].first_coord + k->coord] = 1;
    }
    for (int k = 0; k < m->nactions; k++)
        if (m->actions[k].coord_index >= 0) wanted[m->actions[k].coord_index] = 1;
    for (int c = 0; c < m->ncoords; c++) {
        s->initial_of[c] = -1;
        if (wanted[c] && m->coords[c].turns >= 0) s->tracked[s->ntracked++] = c;
    }
    for (int i = 0; i < m->spec->initial.n; i++) {
        const lm_spec_initial *in = &m->spec->initial.at[i];
        if (in->joint >= 0) s->initial_of[m->joints[in->joint].first_coord + in->coord] = i;
    }
    return 0;
}

static int reserve(nodal *s)
{
    const lm_model *m = s->m;
    lm_arena *a = &s->arena;
    s->rigid = LM_NEW_N(a, nodal_rigid, m->nbodies);
    s->row = LM_NEW_N(a, nodal_row, m->nrows);
    s->row_block = lm_arena_alloc(a, sizeof *s->row_block * (size_t)m->nrows);
    s->action_block = lm_arena_alloc(a, sizeof *s->action_block * (size_t)m->nactions);
    s->action_expr = LM_NEW_N(a, nodal_expr, m->nactions);
    s->reactive = LM_NEW_N(a, unsigned char, m->nactions);
    s->nloads = m->spec->loads.n;
    s->load = LM_NEW_N(a, nodal_load, s->nloads);
    s->load_expr = LM_NEW_N(a, nodal_expr, s->nloads);
    s->kin.R = LM_NEW_N(a, lm_m3, m->nnodes);
    s->kin.pair = LM_NEW_N(a, lm_pair_pose, m->npairs);
    if (lm_discrete_make(a, m->spec, m->spec->sensors.n, &s->sys.discrete, &s->slots)) return -1;
    s->force_sensor = LM_NEW_N(a, unsigned char, m->spec->sensors.n);
    s->scratch = LM_NEW_N(a, double, scratch_size(m->spec));
    s->egrad = LM_NEW_N(a, double, m->spec->sensors.n + 1);
    s->tracked = LM_NEW_N(a, int, m->ncoords);
    s->initial_of = LM_NEW_N(a, int, m->ncoords);
    s->sys.angular = LM_NEW_N(a, unsigned char, s->sys.nv + s->sys.nl);
    s->sys.active = LM_NEW_N(a, unsigned char, s->sys.nl);
    s->tree = nodal_tree_make(m, a);
    return s->rigid && s->row && s->row_block && s->action_block && s->action_expr && s->load &&
                   s->load_expr && s->kin.R && s->kin.pair && s->slots && s->force_sensor &&
                   s->scratch && s->egrad && s->tracked && s->initial_of && s->sys.angular &&
                   s->sys.active && s->tree && s->reactive
               ? 0
               : -1;
}

static int build(nodal *s)
{
    const lm_model *m = s->m;
    if (reserve(s) || note_forces(s) || list_timed(s)) return -1;
    for (int i = 0; i < m->nbodies; i++)
        if (m->bodies[i].type == LM_BODY_RIGID)
            s->rigid[s->nrigid++] = (nodal_rigid){
                .node = m->bodies[i].first_node, .mass = m->bodies[i].mass, .J = m->bodies[i].J};
    if (nodal_make_beams(s) || nodal_make_drags(s) || nodal_make_supers(s) || nodal_make_flex(s))
        return -1;
    s->sys.massless |= s->beams.spinless;
    for (int i = 0; i < s->sys.nv; i++) s->sys.angular[i] = i % NODE_V >= 3;
    for (int k = 0; k < m->nrows; k++) {
        s->sys.angular[s->sys.nv + k] = (unsigned char)lm_measure_is_rotation(m->rows[k].measure);
        s->row[k].tree = nodal_tree_row(s->tree, k, m);
        s->sys.active[k] = m->rows[k].initial < 0;
    }
    return track_angles(s) || nodal_make_pattern(s) || nodal_make_groups(s);
}

static void destroy(lm_system *sys)
{
    if (!sys) return;
    nodal *s = (nodal *)sys;
    lm_arena arena = s->arena, division = s->division ? s->division->arena : (lm_arena){0};
    lm_arena_free(&division);
    lm_arena_free(&arena);
}

limber_status nodal_create(const lm_model *m, nodal_division *division, lm_diag *diag,
                           lm_system **out)
{
    int errors = diag->errors;
    lm_arena arena = {0}, divided = division ? division->arena : (lm_arena){0};
    *out = NULL;
    nodal *s = LM_NEW(&arena, nodal);
    if (!s) {
        lm_arena_free(&divided);
        return LIMBER_MEMORY;
    }
    s->arena = arena;
    s->division = division;
    s->m = m = division ? &division->model : m;
    s->sys = (lm_system){.form = lm_form_get(LM_FORM_COROTATIONAL),
                         .model = m,
                         .nq = NODE_Q * m->nnodes + m->nangles,
                         .nv = NODE_V * m->nnodes,
                         .nl = m->nrows,
                         .nposes = m->nnodes,
                         .load_factor = 1,
                         .noise = 1};
    int failed = build(s);
    if (!failed) {
        refuse_sensors(s, diag);
        note_traits(s);
    }
    if (failed || diag->errors > errors) {
        destroy(&s->sys);
        return failed ? LIMBER_MEMORY : LIMBER_UNSUPPORTED;
    }
    *out = &s->sys;
    return LIMBER_OK;
}

static limber_status create(const lm_model *m, lm_diag *diag, lm_system **out)
{
    int errors = diag->errors;
    refuse_coordinates(m->spec, diag);
    if (diag->errors == errors) return nodal_create(m, NULL, diag, out);
    *out = NULL;
    return LIMBER_UNSUPPORTED;
}

/* ---- constraints at velocity and acceleration level ---- */

static int constraint_rate(lm_system *sys, const lm_state *st, double *rate)
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

static int constraint_accel(lm_system *sys, const lm_state *st, double *accel)
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

static double hidden_violation(lm_system *sys, double t, const double *q, int *which)
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

void nodal_rigid_energy(const nodal *s, const lm_state *st, int node, double mass, const lm_m3 *J,
                        lm_energy *e)
{
    lm_v3 v = v3_from(st->v + NODE_V * node);
    lm_v3 w = m3_tv(&s->kin.R[node], v3_from(st->v + NODE_V * node + 3));
    e->kinetic += 0.5 * (mass * v3_dot(v, v) + v3_dot(w, m3_v(J, w)));
    e->gravity -= mass * v3_dot(s->m->gravity, node_x(st->q, node));
}

static void force_energy(nodal *s, const lm_state *st, lm_energy *e)
{
    lm_v3 G[LM_PAIR_BLOCKS], v[LM_PAIR_BLOCKS];
    for (int k = 0; k < s->m->nactions; k++) {
        const lm_action *a = &s->m->actions[k];
        lm_measure_grad(a->measure, a->i, a->j, &s->kin.pair[a->pair], G);
        pair_velocity(&s->m->pairs[a->pair], st->v, v);
        double rate = blocks_dot(G, v);
        action_law f = nodal_action(s, st, a, nodal_action_value(s, st->q, a), rate);
        e->elastic += f.elastic;
        e->dissipation += f.dissipation;
        e->power += f.effort * rate;
    }
    for (int k = 0; k < s->nloads; k++) {
        int n = s->load[k].frame->node;
        if (n < 0) continue;
        lm_v3 F, M, w = v3_from(st->v + NODE_V * n + 3);
        nodal_load_wrench(s, &s->load[k], &F, &M);
        lm_v3 rho = m3_v(&s->kin.R[n], s->load[k].frame->r);
        lm_v3 at = v3_add(v3_from(st->v + NODE_V * n), v3_cross(w, rho));
        e->power += v3_dot(F, at) + v3_dot(M, w);
    }
}

/* A drive's effort is -lam, and its rate is prescribed. */
static int energy(lm_system *sys, const lm_state *st, lm_energy *e)
{
    nodal *s = (nodal *)sys;
    *e = (lm_energy){0};
    nodal_kinematics(s, st->q);
    nodal_sense(s, st, s->force_sensor);
    for (int k = 0; k < s->nrigid; k++)
        nodal_rigid_energy(s, st, s->rigid[k].node, s->rigid[k].mass, &s->rigid[k].J, e);
    if (s->division)
        nodal_lump_energy(s, st, -1, e);
    else
        nodal_beam_energy(s, st, e);
    e->dissipation += nodal_drag_power(s, st);
    nodal_super_energy(s, st, e);
    force_energy(s, st, e);
    for (int k = 0; k < sys->nl && st->lam; k++)
        if (s->m->rows[k].drive && sys->active[k])
            e->power -= st->lam[k] * nodal_row_target(s, &s->m->rows[k], st->t, 1);
    return 0;
}

static int outputs(lm_system *sys, const lm_state *st, double *out)
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

static void poses(lm_system *sys, const double *q, double *pose)
{
    const lm_model *m = sys->model;
    for (int n = 0; n < m->nnodes; n++) {
        const lm_body *b = &m->bodies[m->nodes[n].body];
        lm_m3 R = quat_m3(node_quat(q, n));
        v3_put(pose + 7 * n, v3_sub(node_x(q, n), m3_v(&R, b->com)));
        memcpy(pose + 7 * n + 3, q + NODE_Q * n + 3, 4 * sizeof(double));
    }
}

static void describe_pose(const lm_system *sys, int i, char *text, size_t size)
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

/* "body arm", or "node 3 of rod" of a flexible body. */
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

static void describe(const lm_system *sys, int i, char *text, size_t size)
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

static void describe_motion(const lm_system *sys, int i, char *text, size_t size)
{
    const lm_model *m = sys->model;
    char name[96];
    nodal_node_name(m, i / NODE_V, name, sizeof name);
    snprintf(text, size, "%s %s %c", name, i % NODE_V < 3 ? "along" : "turning about",
             "xyz"[i % 3]);
}

static double next_kink(const lm_system *sys, double t)
{
    const nodal *s = (const nodal *)sys;
    double next = INFINITY;
    for (int i = 0; i < s->ntimed; i++) next = fmin(next, lm_expr_next_kink(s->timed[i], t));
    return next;
}

const lm_form lm_form_corotational = {
    .name = "corotational",
    .create = create,
    .destroy = destroy,
    .initial = nodal_initial,
    .retract = nodal_retract,
    .local_rate = nodal_local_rate,
    .carry = nodal_carry,
    .residual = nodal_residual,
    .jacobian = nodal_jacobian,
    .constraint_rate = constraint_rate,
    .constraint_accel = constraint_accel,
    .select_rows = nodal_select_rows,
    .hidden_violation = hidden_violation,
    .outputs = outputs,
    .energy = energy,
    .forces = nodal_forces,
    .poses = poses,
    .describe_pose = describe_pose,
    .describe = describe,
    .describe_motion = describe_motion,
    .next_kink = next_kink,
    .rigid_velocity = nodal_rigid_velocity,
};
