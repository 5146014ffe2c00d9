/* Making a nodal system. */
#include "form/nodal.h"

/* ---- what it cannot do ---- */

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
        if (s->force_sensor[i] && lm_sensor_is_algebraic(k)) s->sys.algebraic = 1;
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
            if (k->has_port) n = expr_most(&k->port, n);
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

static void note_read(nodal *s, const lm_expr *e)
{
    for (int i = 0; i < e->ninputs; i++)
        if (e->inputs[i] > 0) s->force_sensor[e->inputs[i] - 1] = 1;
}

/* Sensors that the equations of variables read, and those of powers in the power graph. */
static void note_variables(nodal *s)
{
    for (int k = 0; k < s->m->spec->elements.n; k++) {
        const lm_spec_element *e = &s->m->spec->elements.at[k];
        for (int b = 0; b < 2; b++) {
            note_read(s, &e->effort[b]);
            note_read(s, &e->flow[b]);
        }
    }
    for (int k = 0; k < s->m->spec->variables.n; k++) {
        const lm_spec_variable *x = &s->m->spec->variables.at[k];
        note_read(s, &x->expr);
        note_read(s, &x->integral);
        for (int i = 0; x->rate && i < x->expr.ninputs; i++)
            if (x->rate[i] > 0) s->force_sensor[x->rate[i] - 1] = 1;
    }
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
    s->pushed = LM_NEW_N(a, int, m->nnodes);
    s->tracked = LM_NEW_N(a, int, m->ncoords);
    s->initial_of = LM_NEW_N(a, int, m->ncoords);
    s->sys.angular = LM_NEW_N(a, unsigned char, s->sys.nv + s->sys.nl);
    s->sys.free = LM_NEW_N(a, int, s->m->nnodes);
    s->sys.active = LM_NEW_N(a, unsigned char, s->sys.nl);
    s->tree = nodal_tree_make(m, a);
    return s->rigid && s->row && s->row_block && s->action_block && s->action_expr && s->load &&
                   s->load_expr && s->kin.R && s->kin.pair && s->slots && s->force_sensor &&
                   s->scratch && s->egrad && s->tracked && s->initial_of && s->sys.angular &&
                   s->sys.free && s->sys.active && s->tree && s->reactive && s->pushed
               ? 0
               : -1;
}

static int build(nodal *s)
{
    const lm_model *m = s->m;
    if (reserve(s) || note_forces(s) || list_timed(s)) return -1;
    note_variables(s);
    for (int i = 0; i < m->nbodies; i++)
        if (m->bodies[i].type == LM_BODY_RIGID)
            s->rigid[s->nrigid++] = (nodal_rigid){.node = m->bodies[i].first_node,
                                                  .mass = m->bodies[i].mass,
                                                  .J = m->bodies[i].J,
                                                  .idle = m->bodies[i].idle};
    if (nodal_make_beams(s) || nodal_make_drags(s) || nodal_make_supers(s) || nodal_make_flex(s))
        return -1;
    s->sys.massless |= s->beams.spinless;
    for (int i = 0; i < s->sys.nv; i++) s->sys.angular[i] = i % NODE_V >= 3;
    for (int n = 0; n < m->nnodes; n++) s->sys.free[s->sys.nfree++] = NODE_V * n;
    for (int k = 0; k < m->nrows; k++) {
        s->sys.angular[s->sys.nv + k] = (unsigned char)lm_measure_is_rotation(m->rows[k].measure);
        s->row[k].tree = nodal_tree_row(s->tree, k, m);
        s->sys.active[k] = m->rows[k].initial < 0;
    }
    return track_angles(s) || nodal_make_pattern(s) || nodal_make_groups(s);
}

void nodal_destroy(lm_system *sys)
{
    if (!sys) return;
    nodal *s = (nodal *)sys;
    lm_arena arena = s->arena, division = s->division ? s->division->arena : (lm_arena){0};
    lm_arena_free(&division);
    lm_arena_free(&arena);
}

limber_status nodal_create(const lm_model *m, nodal_division *division,
                           const nodal_floating *floating, lm_diag *diag, lm_system **out)
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
    s->floating = floating;
    if (division) s->nlumps = division->nlumps, s->lumps = division->lumps;
    s->m = m = division ? &division->model : m;
    s->sys = (lm_system){.form = lm_form_get(LM_FORM_COROTATIONAL),
                         .model = m,
                         .nq = NODE_Q * m->nnodes + m->nangles,
                         .nv = NODE_V * m->nnodes,
                         .nl = m->nrows,
                         .nposes = m->nnodes,
                         .load_factor = 1,
                         .mesh = division ? LM_MESH_PIECES : LM_MESH_ELEMENTS,
                         .noise = 1};
    int failed = build(s);
    if (!failed) {
        refuse_sensors(s, diag);
        note_traits(s);
        failed = nodal_make_guards(s);
    }
    if (failed || diag->errors > errors) {
        nodal_destroy(&s->sys);
        return failed ? LIMBER_MEMORY : LIMBER_UNSUPPORTED;
    }
    *out = &s->sys;
    return LIMBER_OK;
}
