/* Making a system of floating frames. */
#include "form/ffr.h"

#include <string.h>

static void refuse(const lm_model *m, lm_diag *diag)
{
    const lm_spec *spec = m->spec;
    if (spec->coordinates.n)
        lm_error(diag, spec->coordinates.at[0].item.loc,
                 "'coordinates' need the formulation 'minimal'; in 'ffr' the joints describe the "
                 "mechanism");
}

/* The forces in a section follow from those at the nodes: nothing that acts on these can read them. */
static void refuse_sections(const ffr *s, lm_diag *diag)
{
    for (int i = 0; i < s->m->spec->sensors.n; i++) {
        const lm_spec_sensor *c = &s->m->spec->sensors.at[i];
        if (s->in->force_sensor[i] && c->kind == LM_SENSOR_SECTION)
            lm_error(diag, c->loc,
                     "in 'ffr' the forces in a section are not among the unknowns, and no load or "
                     "effort can read them; use the corotational formulation");
    }
}

/* ---- units ---- */

/* The shapes of a part: those of an equal one before it, or new ones. 0, -1, 1 as ffr_basis_make. */
static int find_basis(ffr *s, int part, const lm_floating **of, double *scratch, lm_diag *diag)
{
    enum { LOOK_BACK = 16 }; /* chains are of one kind, or of a few in turn */
    const ffr_part *p = s->division->part;
    for (int k = part - 1; k >= 0 && k >= part - LOOK_BACK; k--)
        if (ffr_basis_same(s->m, &p[k], &p[part])) {
            of[part] = of[k];
            return 0;
        }
    lm_floating *f = LM_NEW(&s->arena, lm_floating);
    of[part] = f;
    return f ? ffr_basis_make(s->m, &p[part], &s->arena, scratch, diag, f) : -1;
}

static int make_bases(ffr *s, const lm_floating **of, lm_diag *diag)
{
    lm_arena temp = {0};
    double *scratch = LM_NEW_N(&temp, double, s->m->section_scratch);
    int bad = scratch ? 0 : -1;
    for (int p = 0; p < s->division->nparts && !bad; p++) bad = find_basis(s, p, of, scratch, diag);
    lm_arena_free(&temp);
    return bad;
}

static ffr_unit *new_unit(ffr *s, int body, int nodes)
{
    ffr_unit *u = &s->unit[s->nunits++];
    *u = (ffr_unit){.body = body, .nodes = nodes, .first_element = -1, .axes = m3_identity()};
    u->node = LM_NEW_N(&s->arena, int, nodes);
    return u->node ? u : NULL;
}

static void set_place(ffr *s, ffr_unit *u, int place, int node)
{
    u->node[place] = node;
    s->node[node].unit = (int)(u - s->unit);
    s->node[node].place = place;
    s->node[node].links = -1;
}

static int add_part(ffr *s, const ffr_part *p, const lm_floating *f)
{
    ffr_unit *u = new_unit(s, p->body, p->n + 1);
    if (!u) return -1;
    const lm_element *e = &s->m->elements[p->first];
    lm_m3 R = quat_m3(s->m->nodes[e->node[0]].q);
    u->f = f;
    u->ne = f->ne;
    u->first_element = p->first;
    u->axes = m3_mul(&R, &e->A[0]);
    for (int k = 0; k < p->n; k++) set_place(s, u, k, e[k].node[0]);
    set_place(s, u, p->n, e[p->n - 1].node[1]);
    return 0;
}

/* Nodes of superelements are frames of their own, held together by their elastic forces. */
static int add_nodes(ffr *s, int body)
{
    const lm_body *b = &s->m->bodies[body];
    for (int k = 0; k < b->nnodes; k++) {
        ffr_unit *u = new_unit(s, body, 1);
        if (!u) return -1;
        set_place(s, u, 0, b->first_node + k);
        u->axes = quat_m3(s->m->nodes[b->first_node + k].q);
    }
    return 0;
}

static int make_units(ffr *s, lm_diag *diag)
{
    const lm_model *m = s->m;
    s->unit = LM_NEW_N(&s->arena, ffr_unit, m->nnodes + 1);
    s->node = LM_NEW_N(&s->arena, ffr_node, m->nnodes);
    const lm_floating **of =
        lm_arena_alloc(&s->arena, sizeof *of * (size_t)(s->division->nparts + 1));
    if (!s->unit || !s->node || !of) return -1;
    int bad = make_bases(s, of, diag), part = 0;
    for (int i = 0; i < m->nbodies && !bad; i++) {
        if (m->bodies[i].type != LM_BODY_BEAM) bad = add_nodes(s, i);
        for (; part < s->division->nparts && s->division->part[part].body == i && !bad; part++)
            bad = add_part(s, &s->division->part[part], of[part]);
    }
    for (int i = 0; i < s->nunits && !bad; i++) {
        ffr_unit *u = &s->unit[i];
        u->q = s->sys.nq, u->v = s->sys.nv;
        s->sys.nq += FRAME_Q + u->ne;
        s->sys.nv += FRAME_V + u->ne;
        if (FRAME_V + u->ne > s->most) s->most = FRAME_V + u->ne;
    }
    s->sys.nq += m->nangles;
    return bad;
}

/* 1: the action resists a turn of the body's nodes on that side, about its axis too. */
static int turns(const ffr *s, const lm_action *a, int side)
{
    int rotation = lm_measure_is_rotation(a->measure) && (a->stiffness != 0 || a->effort);
    return rotation || v3_norm(s->m->pairs[a->pair].r[side]) > 0;
}

/* A beam without inertia about its axis turns about it as springs decide, as its sections do against each
 * other; one that nothing holds is left to be refused. */
static void lend_spin(ffr *s)
{
    const lm_model *m = s->m;
    for (int k = 0; k < m->nactions; k++)
        for (int side = 0; side < 2; side++) {
            int node = m->pairs[m->actions[k].pair].node[side];
            if (node < 0 || !turns(s, &m->actions[k], side)) continue;
            ffr_unit *u = &s->unit[s->node[node].unit];
            if (!u->f || u->f->J[0] != 0) continue;
            double length = u->f->place[u->f->nplaces - 1].x0;
            u->spin = 0.01 * u->f->mass * length * length;
        }
}

/* ---- the tree: a frame for each unit, and what moves the places in it ---- */

static void make_frame(ffr *s, ffr_unit *u)
{
    static const lm_v3 axis[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    int link = -1;
    for (int k = 0; k < 3; k++) {
        link = lm_kintree_link(&s->tree, LM_LINK_SLIDE, link, v3(0, 0, 0), m3_identity(), axis[k]);
        if (k == 0) u->base = link;
    }
    lm_kintree_link(&s->tree, LM_LINK_BALL, link, v3(0, 0, 0), m3_identity(), axis[0]);
}

static void make_links(ffr *s, const ffr_unit *u, int frame, ffr_node *n)
{
    static const lm_v3 axis[PLACE_LINKS] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1},
                                            {0, 0, 1}, {0, 1, 0}, {1, 0, 0}};
    lm_v3 at = v3(u->f->place[n->place].x0, 0, 0);
    int link = frame;
    for (int k = 0; k < PLACE_LINKS; k++) {
        link = lm_kintree_link(&s->tree, k < 3 ? LM_LINK_SLIDE : LM_LINK_TURN, link, at,
                               m3_identity(), axis[k]);
        if (k == 0) n->links = link;
        at = v3(0, 0, 0);
    }
}

static void make_places(ffr *s)
{
    for (int i = 0; i < s->m->nnodes; i++) {
        ffr_node *n = &s->node[i];
        const ffr_unit *u = &s->unit[n->unit];
        int bends = u->f ? u->f->nv + u->f->nw : 0;
        if (n->place == 0) continue;
        make_links(s, u, u->base + 3, n);
        for (int k = 0; k < 3; k++) {
            n->draw[k] = LM_NEW_N(&s->arena, double, bends);
            n->tilt[k] = LM_NEW_N(&s->arena, double, bends + 2 * u->f->na);
        }
    }
}

static void make_tips(ffr *s)
{
    for (int i = 0; i < s->m->nnodes; i++) {
        const ffr_node *n = &s->node[i];
        const ffr_unit *u = &s->unit[n->unit];
        lm_m3 R = quat_m3(s->m->nodes[i].q), Ft = m3_t(&u->axes);
        int link = n->links >= 0 ? n->links + PLACE_LINKS - 1 : u->base + 3;
        lm_kintree_tip(&s->tree, link, v3(0, 0, 0), m3_mul(&Ft, &R));
    }
}

/* Lists that grow cannot say that there is no memory for them: the arena does. */
static int make_tree(ffr *s)
{
    jmp_buf oom;
    s->tree.arena = &s->arena;
    s->arena.on_fail = &oom;
    if (setjmp(oom)) {
        s->arena.on_fail = NULL;
        return -1;
    }
    for (int i = 0; i < s->nunits; i++) make_frame(s, &s->unit[i]);
    make_places(s);
    make_tips(s);
    int bad = lm_kintree_finish(&s->tree);
    s->arena.on_fail = NULL;
    return bad;
}

/* Nodes that a joint, force or sensor of a force takes hold of: those in the nodal matrix. */
static int list_held(ffr *s)
{
    s->held = LM_NEW_N(&s->arena, int, s->m->nnodes);
    for (int i = 0; i < s->m->nnodes && s->held; i++) {
        const int *start = s->in->sys.pattern.colptr + NODE_V * i;
        s->node[i].held = start[NODE_V] > start[0];
        if (s->node[i].held) s->held[s->nheld++] = i;
    }
    return s->held ? 0 : -1;
}

/* ---- room ---- */

static int make_columns(ffr *s)
{
    int n = 0;
    s->moved.node = LM_NEW_N(&s->arena, moved_node, s->m->nnodes);
    for (int h = 0; h < s->nheld; h++) n += FRAME_V + s->unit[s->node[s->held[h]].unit].ne;
    s->moved.cols = LM_NEW_N(&s->arena, int, n);
    s->moved.jets = LM_NEW_N(&s->arena, lm_jet, n);
    if (!s->moved.node || !s->moved.cols || !s->moved.jets) return -1;
    n = 0;
    for (int h = 0; h < s->nheld; h++) {
        int i = s->held[h];
        const ffr_unit *u = &s->unit[s->node[i].unit];
        s->moved.node[i].first = n;
        s->moved.node[i].n = FRAME_V + u->ne;
        for (int k = 0; k < FRAME_V + u->ne; k++) s->moved.cols[n++] = u->v + k;
    }
    return moved_make(&s->moved, &s->arena);
}

static int reserve(ffr *s)
{
    lm_arena *a = &s->arena;
    size_t most = (size_t)s->most;
    s->p = LM_NEW_N(a, double, s->tree.np);
    s->du = LM_NEW_N(a, double, s->tree.nu);
    s->ddu = LM_NEW_N(a, double, s->tree.nu);
    s->zero = LM_NEW_N(a, double, most);
    s->unit_r = LM_NEW_N(a, double, most);
    s->unit_D = LM_NEW_N(a, double, most *most);
    s->unit_K = LM_NEW_N(a, double, most *most);
    for (int k = 0; k < 3; k++) s->world[k] = LM_NEW_N(a, double, most *most);
    s->sys.angular = LM_NEW_N(a, unsigned char, s->sys.nv + s->sys.nl);
    s->sys.active = LM_NEW_N(a, unsigned char, s->sys.nl);
    return s->p && s->du && s->ddu && s->zero && s->unit_r && s->unit_D && s->unit_K &&
                   s->world[0] && s->world[1] && s->world[2] && s->sys.angular && s->sys.active
               ? 0
               : -1;
}

/* Bending and stretch are lengths, torsion is an angle, and so are the slopes behind the deflections of a
 * spline's nodes. */
static void note_shapes(const ffr *s, const lm_floating *f, unsigned char *angular)
{
    int nodes = f->nplaces - 1, splines = !s->m->spec->formulation.basis_modes;
    for (int k = nodes; k < f->nv && splines; k++) angular[k] = 1;
    for (int k = nodes; k < f->nw && splines; k++) angular[f->nv + k] = 1;
    for (int k = f->ne - f->nt; k < f->ne; k++) angular[k] = 1;
}

static void note_kinds(ffr *s)
{
    for (int i = 0; i < s->nunits; i++) {
        const ffr_unit *u = &s->unit[i];
        for (int k = 3; k < FRAME_V; k++) s->sys.angular[u->v + k] = 1;
        if (u->f) note_shapes(s, u->f, s->sys.angular + u->v + FRAME_V);
    }
    for (int k = 0; k < s->sys.nl; k++) {
        s->moved.row[k] = s->moved.own[k] = k;
        s->sys.angular[s->sys.nv + k] = s->in->sys.angular[s->in->sys.nv + k];
        s->sys.active[k] = s->in->sys.active[k];
    }
}

/* ---- all of it ---- */

/* Units that one task works on: enough to be worth it. */
static int make_tasks(ffr *s)
{
    enum { UNITS = 16, MOST = 128 };
    int n = (s->nunits + UNITS - 1) / UNITS, parent[MOST];
    n = n < 1 ? 1 : n > MOST ? MOST : n;
    for (int i = 0; i < n; i++) parent[i] = -1;
    return lm_task_tree_make(&s->tasks, n, parent, &s->arena);
}

static int build(ffr *s, lm_diag *diag)
{
    int bad = make_units(s, diag);
    if (bad) return bad;
    lend_spin(s);
    s->sys.nl = s->in->sys.nl;
    if (moved_reserve(&s->moved, &s->sys, s->in, &s->arena)) return -1;
    if (list_held(s) || make_tree(s) || reserve(s) || make_tasks(s) || ffr_make_small(s)) return -1;
    note_kinds(s);
    if (make_columns(s) || ffr_make_pattern(s) || ffr_make_groups(s)) return -1;
    return ffr_make_accel(s);
}

void ffr_destroy(lm_system *sys)
{
    if (!sys) return;
    ffr *s = (ffr *)sys;
    if (s->in) nodal_destroy(&s->in->sys);
    ffr_division_free(s->division);
    lm_arena arena = s->arena;
    lm_arena_free(&arena);
}

static lm_system traits(const lm_model *m, int nposes, const lm_system *in)
{
    return (lm_system){.form = &lm_form_ffr,
                       .model = m,
                       .nposes = nposes,
                       .load_factor = 1,
                       .noise = 1,
                       .scalar = 1,
                       .massless = in->massless,
                       .flexible = in->flexible,
                       .mesh = m->spec->formulation.basis_modes ? LM_MESH_NONE : LM_MESH_LINEAR,
                       .algebraic = in->algebraic,
                       .discrete = in->discrete,
                       .nguards = in->nguards,
                       .works = in->works};
}

limber_status ffr_create(const lm_model *m, lm_diag *diag, lm_system **out)
{
    int errors = diag->errors;
    lm_arena arena = {0};
    *out = NULL;
    refuse(m, diag);
    if (diag->errors > errors) return LIMBER_UNSUPPORTED;
    ffr *s = LM_NEW(&arena, ffr);
    if (!s) return LIMBER_MEMORY;
    s->arena = arena;
    s->hooks = (nodal_floating){.ctx = s,
                                .energy = ffr_body_energy,
                                .last = ffr_last_element,
                                .residual = ffr_node_residual};
    s->division = ffr_divide(m);
    s->m = s->division ? &s->division->model : m;
    lm_system *in = NULL;
    limber_status st = s->division ? nodal_create(s->m, NULL, &s->hooks, diag, &in) : LIMBER_MEMORY;
    s->in = (nodal *)in;
    if (!st) {
        s->sys = traits(s->m, m->nnodes, in);
        refuse_sections(s, diag);
        int bad = build(s, diag);
        st = bad < 0 ? LIMBER_MEMORY : bad > 0 || diag->errors > errors ? LIMBER_INPUT : LIMBER_OK;
    }
    if (st)
        ffr_destroy(&s->sys);
    else
        *out = &s->sys;
    return st;
}
