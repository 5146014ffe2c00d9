/* Making an elastodynamic system. */
#include "form/elastodynamic.h"

#include <string.h>

/* ---- what it cannot do ---- */

static void refuse(const lm_model *m, lm_diag *diag)
{
    const lm_spec *spec = m->spec;
    if (spec->coordinates.n)
        lm_error(diag, spec->coordinates.at[0].item.loc,
                 "'coordinates' need the formulation 'minimal'; in 'elastodynamic' the joints "
                 "describe the mechanism");
    const char *what = spec->states.n ? "states that change from step to step" : "delays";
    if (spec->states.n || spec->delays.n)
        lm_error(diag, spec->states.n ? spec->states.at[0].item.loc : spec->delays.at[0].item.loc,
                 "in 'elastodynamic' the rigid motion is found before the deformation, and %s are "
                 "not known to it; use the corotational formulation",
                 what);
}

/* The rigid motion must not depend on the deformation. */
static void refuse_sensors(const nodal *s, lm_diag *diag)
{
    for (int i = 0; i < s->m->spec->sensors.n; i++) {
        const lm_spec_sensor *c = &s->m->spec->sensors.at[i];
        if (!s->force_sensor[i] || c->kind < LM_SENSOR_DEFLECTION || c->kind > LM_SENSOR_ENERGY)
            continue;
        lm_error(diag, c->loc,
                 "in 'elastodynamic' the rigid motion is found before the deformation, and no load "
                 "or effort can depend on that; use the corotational formulation");
    }
}

/* ---- elements ---- */

typedef struct along {
    const lm_model *m;
    const lm_element *e;
    int body;
    double *scratch;
} along;

static void section_at(void *ctx, double xi, lm_section *out)
{
    const along *a = ctx;
    lm_beam_section(a->m, a->body, (1 - xi) * a->e->s[0] + xi * a->e->s[1], a->scratch, out);
}

static void make_const(const along *a, elasto_const *c)
{
    const lm_beam *b = &a->m->beams[a->body];
    const lm_beam_shape *s = &a->e->shape;
    lm_moving_beam_make(section_at, (void *)a, s->L, a->m->spec->bodies.at[a->body].timoshenko,
                        &c->beam);
    lm_moving_beam_mass(&c->beam, c->M);
    lm_moving_beam_stiffness(&c->beam, c->K);
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 12; j++)
            c->C[i][j] = b->damping_mass * c->M[i][j] + b->damping_stiffness * c->K[i][j];
    c->by_stiffness = b->damping_stiffness;
    c->damped = b->damping_mass != 0 || b->damping_stiffness != 0;
    if (s->mt[0] == 0 && s->mt[2] == 0)
        c->spin = 0.01 * (s->mx[0] + 2 * s->mx[1] + s->mx[2]) * s->L * s->L;
}

/* 1: an element has the constants of the one before it. */
static int same(const lm_model *m, int k)
{
    const lm_element *e = &m->elements[k];
    if (k == 0 || m->nodes[e[0].node[0]].body != m->nodes[e[-1].node[0]].body) return 0;
    return memcmp(&e[0].shape, &e[-1].shape, sizeof e->shape) == 0;
}

static int make_elements(elasto *e, const lm_model *m)
{
    double *scratch = LM_NEW_N(&e->arena, double, m->section_scratch + 1);
    e->of = lm_arena_alloc(&e->arena, sizeof *e->of * (size_t)(m->nelements + 1));
    if (!scratch || !e->of) return -1;
    for (int k = 0; k < m->nelements; k++) {
        const lm_element *el = &m->elements[k];
        along a = {m, el, m->nodes[el->node[0]].body, scratch};
        if (same(m, k)) {
            e->of[k] = e->of[k - 1];
            continue;
        }
        elasto_const *c = LM_NEW(&e->arena, elasto_const);
        if (!c) return -1;
        make_const(&a, c);
        e->of[k] = c;
        e->damped |= c->damped;
    }
    for (int i = 0; i < m->nbodies; i++)
        if (m->beams[i].nelements) e->euler[i] = elasto_euler_load(e, &m->beams[i]);
    e->left_out.ends.inertia = elasto_slow_inertia(e);
    return 0;
}

static int find_inner(elasto *e, const lm_model *m)
{
    e->inner = LM_NEW_N(&e->arena, nodal_block, m->nnodes + 1);
    for (int n = 0; n < m->nnodes && e->inner; n++) {
        int body = m->nodes[n].body,
            flexible = m->beams[body].nelements || m->bodies[body].super >= 0;
        int at = flexible ? NODE_V * n + 3 : -1;
        e->inner[n] = nodal_find_block(&e->in->sys.pattern, at, at);
    }
    return e->inner ? 0 : -1;
}

/* ---- all of it ---- */

static int reserve(elasto *e, const lm_model *m)
{
    lm_arena *a = &e->arena;
    const lm_system *in = &e->in->sys, *c = in->companion;
    for (int k = 0; k < ELASTO_STAGES; k++) {
        e->stage[k].node = LM_NEW_N(a, elasto_node, m->nnodes + 1);
        e->stage[k].element = LM_NEW_N(a, elasto_element, m->nelements + 1);
        if (!e->stage[k].node || !e->stage[k].element) return -1;
    }
    e->q = LM_NEW_N(a, double, in->nq + 1);
    e->v = LM_NEW_N(a, double, in->nv + 1);
    e->a = LM_NEW_N(a, double, in->nv + 1);
    e->r = LM_NEW_N(a, double, in->nv + 1);
    e->cq = LM_NEW_N(a, double, c->nq + 1);
    e->czero = LM_NEW_N(a, double, c->nv + 1);
    e->clam = LM_NEW_N(a, double, c->nl + 1);
    e->euler = LM_NEW_N(a, double, m->nbodies + 1);
    if (!e->euler || find_inner(e, m) || elasto_second_make(e, m)) return -1;
    e->left_out.stiffening = e->stiffening;
    e->left_out.euler = e->euler;
    if (elasto_forces_make(e, m)) return -1;
    e->in->sys.left_out = &e->left_out;
    e->in->sys.mesh = LM_MESH_LINEAR;
    return e->q && e->v && e->a && e->r && e->cq && e->czero && e->clam ? 0 : -1;
}

void elasto_destroy(lm_system *sys)
{
    if (!sys) return;
    elasto *e = elasto_of(sys);
    lm_system *companion = sys->companion;
    if (sys->motion) sys->motion->destroy(sys->motion);
    nodal_destroy(sys);
    if (companion) companion->form->destroy(companion);
    lm_rigid_model_free(&e->rigid);
    lm_arena arena = e->arena;
    lm_arena_free(&arena);
}

/* The nodal system and its companion, of which `e` owns both. */
static limber_status make_systems(elasto *e, const lm_model *m, lm_diag *diag)
{
    lm_system *sys;
    limber_status st = nodal_create(m, NULL, &e->hooks, diag, &sys);
    if (st) return st;
    e->in = (nodal *)sys;
    int errors = diag->errors;
    refuse_sensors(e->in, diag);
    if (diag->errors > errors) return LIMBER_UNSUPPORTED;
    if (lm_rigid_model_make(&e->rigid, m)) return LIMBER_MEMORY;
    st = lm_system_create(&lm_form_corotational, &e->rigid.model, diag, &sys->companion);
    if (st) return st;
    sys->form = &lm_form_elastodynamic;
    return LIMBER_OK;
}

limber_status elasto_create(const lm_model *m, lm_diag *diag, lm_system **out)
{
    int errors = diag->errors;
    lm_arena arena = {0};
    *out = NULL;
    refuse(m, diag);
    if (diag->errors > errors) return LIMBER_UNSUPPORTED;
    elasto *e = LM_NEW(&arena, elasto);
    if (!e) return LIMBER_MEMORY;
    e->arena = arena;
    e->hooks = (nodal_floating){.ctx = e,
                                .energy = elasto_energy,
                                .element_force = elasto_element_force,
                                .element_tangent = elasto_element_tangent};
    e->stiffening = m->spec->formulation.stiffening;
    limber_status st = make_systems(e, m, diag);
    if (!st && (reserve(e, m) || make_elements(e, m))) st = LIMBER_MEMORY;
    if (!st && diag->errors > errors) st = LIMBER_UNSUPPORTED;
    if (!st) {
        lm_system *c = e->in->sys.companion;
        if (c->form->initial(c, e->cq, e->v)) st = LIMBER_MEMORY; /* has fewer velocities */
    }
    if (!st) {
        *out = &e->in->sys;
        return LIMBER_OK;
    }
    if (e->in)
        elasto_destroy(&e->in->sys);
    else {
        arena = e->arena;
        lm_arena_free(&arena);
    }
    return st;
}
