/* The minimal formulation behind the seam. */
#include "form/minimal.h"

#include <stdio.h>
#include <string.h>

/* ---- making a system ---- */

/* Rows that the tree does not satisfy by itself: loops, drives, initial values. */
static int choose_rows(minimal *s)
{
    const lm_model *m = s->m;
    s->candidate = LM_NEW_N(&s->arena, int, m->nrows);
    if (!s->candidate) return -1;
    s->sys.row = s->moved.row;
    for (int k = 0; k < m->nrows; k++) {
        const lm_row *r = &m->rows[k];
        int holds = !s->written && s->passed[r->joint] && !r->drive && r->initial < 0;
        s->moved.own[k] = holds ? -1 : s->sys.nl;
        if (!holds) s->moved.row[s->sys.nl++] = k;
        s->in->sys.active[k] = 0;
    }
    int n = 0;
    for (int pass = 0; pass < 3; pass++)
        for (int k = 0; k < s->sys.nl; k++) {
            const lm_row *r = &m->rows[s->moved.row[k]];
            int kind = r->initial >= 0 ? 2 : r->drive ? 1 : 0;
            if (kind == pass) s->candidate[n++] = k;
        }
    return 0;
}

static int reserve(minimal *s)
{
    lm_arena *a = &s->arena;
    const lm_system *in = &s->in->sys;
    s->p = LM_NEW_N(a, double, s->tree.np);
    s->du = LM_NEW_N(a, double, s->tree.nu);
    s->ddu = LM_NEW_N(a, double, s->tree.nu);
    s->phi = LM_NEW_N(a, double, in->nl);
    s->phi_rate = LM_NEW_N(a, double, in->nl);
    s->wrench = LM_NEW_N(a, lm_wrench, s->tree.links.n);
    s->ru = LM_NEW_N(a, double, s->tree.nu);
    s->sensed = LM_NEW_N(a, double, in->nv);
    s->trial = LM_NEW_N(a, double, in->nv);
    s->bent = LM_NEW_N(a, double, s->written);
    s->sys.angular = LM_NEW_N(a, unsigned char, s->sys.nv + s->sys.nl);
    s->sys.active = LM_NEW_N(a, unsigned char, s->sys.nl);
    s->sys.free = LM_NEW_N(a, int, s->m->nnodes);
    s->eliminator =
        lm_eliminate_make(a, s->sys.nv, s->sys.nl, (size_t)s->sys.nl * (size_t)s->sys.nv);
    return s->p && s->du && s->ddu && s->phi && s->phi_rate && s->wrench && s->ru && s->sensed &&
                   s->trial && s->bent && s->sys.angular && s->sys.active && s->sys.free &&
                   s->eliminator
               ? 0
               : -1;
}

/* An angle is what only turns depend on; of frames from C, what turns them. */
static void note_angles(minimal *s)
{
    for (int i = 0; i < s->sys.nv; i++) s->sys.angular[i] = 1;
    for (int i = 0; i < s->tree.links.n; i++) {
        const lm_link *l = &s->tree.links.at[i];
        if (l->kind != LM_LINK_SLIDE || (s->written && s->arg[l->u].external)) continue;
        if (!s->written)
            s->sys.angular[l->u] = 0;
        else
            for (int k = 0; k < s->arg[l->u].e->ninputs; k++)
                if (s->arg[l->u].e->inputs[k] != LM_SLOT_T)
                    s->sys.angular[s->arg[l->u].e->inputs[k] - 1] = 0;
    }
    for (int k = 0; k < s->external.nin; k++)
        if (s->external.in[k] != LM_SLOT_T && !s->external.turns[k])
            s->sys.angular[s->external.in[k] - 1] = 0;
    for (int k = 0; k < s->sys.nl; k++) {
        s->sys.angular[s->sys.nv + k] = s->in->sys.angular[s->in->sys.nv + s->moved.row[k]];
        s->sys.active[k] = s->m->rows[s->moved.row[k]].initial < 0;
    }
}

/* Nodes that hang free have three slides, then a ball. */
static void note_free(minimal *s)
{
    for (int i = 0; i < s->tree.links.n && !s->written; i++) {
        const lm_link *l = &s->tree.links.at[i];
        if (l->kind == LM_LINK_BALL && s->rate[l->u].joint < 0)
            s->sys.free[s->sys.nfree++] = l->u - 3;
    }
}

/* A force cannot read the reaction of a joint that has no multiplier, be it inside of a beam. */
static void refuse_reactions(const minimal *s, lm_diag *diag)
{
    int rfe = s->in->division != NULL;
    const char *remedy = rfe ? "'coordinates: absolute'" : "the corotational formulation";
    for (int i = 0; !s->written && i < s->m->spec->sensors.n; i++) {
        const lm_spec_sensor *c = &s->m->spec->sensors.at[i];
        int reads = c->kind == LM_SENSOR_FORCE || c->kind == LM_SENSOR_MOMENT;
        if (!s->in->force_sensor[i]) continue;
        if (reads && s->passed[c->joint])
            lm_error(diag, c->loc,
                     "in joint coordinates joint '%s' has no reaction among the unknowns that a "
                     "load or effort could read; use %s",
                     s->m->joints[c->joint].name, remedy);
        if (rfe && c->kind == LM_SENSOR_SECTION)
            lm_error(diag, c->loc,
                     "in joint coordinates the forces in a section are not among the unknowns, "
                     "and no load or effort can read them; use %s",
                     remedy);
    }
}

/* Lists that grow cannot say that there is no memory for them: the arena does. */
static int build_tree(minimal *s, lm_diag *diag)
{
    jmp_buf oom;
    s->tree.arena = &s->arena;
    s->arena.on_fail = &oom;
    if (setjmp(oom)) {
        s->arena.on_fail = NULL;
        return -1;
    }
    int bad = s->written ? minimal_write_tree(s, diag) : minimal_grow_tree(s);
    if (!bad) bad = lm_kintree_finish(&s->tree);
    s->arena.on_fail = NULL;
    return bad;
}

static int build(minimal *s, lm_diag *diag)
{
    s->written = s->m->spec->coordinates.n;
    int bad = build_tree(s, diag);
    if (bad) return bad;
    s->sys.nv = s->written ? s->written : s->tree.nu;
    s->sys.nq = (s->written ? s->written : s->tree.np) + s->m->nangles;
    if (moved_reserve(&s->moved, &s->sys, s->in, &s->arena)) return -1;
    if (choose_rows(s) || reserve(s) || minimal_make_columns(s, diag)) return -1;
    if (s->external.uses.n && minimal_external_make(s, diag)) return -1;
    note_angles(s);
    note_free(s);
    refuse_reactions(s, diag);
    return minimal_make_recursive(s) ? -1 : minimal_make_pattern(s);
}

static void destroy(lm_system *sys)
{
    if (!sys) return;
    minimal *s = (minimal *)sys;
    if (s->in) nodal_destroy(&s->in->sys);
    lm_arena arena = s->arena;
    lm_arena_free(&arena);
}

limber_status minimal_create(lm_system *in, lm_diag *diag, lm_system **out)
{
    const lm_model *m = in->model;
    int errors = diag->errors;
    lm_arena arena = {0};
    *out = NULL;
    minimal *s = LM_NEW(&arena, minimal);
    if (!s) {
        nodal_destroy(in);
        return LIMBER_MEMORY;
    }
    s->arena = arena;
    s->m = m;
    s->in = (nodal *)in;
    s->sys = (lm_system){.form = &lm_form_minimal,
                         .model = m,
                         .nposes = m->nnodes,
                         .load_factor = 1,
                         .noise = 1,
                         .scalar = 1,
                         .massless = in->massless,
                         .flexible = in->flexible,
                         .mesh = in->mesh,
                         .algebraic = in->algebraic,
                         .discrete = in->discrete,
                         .nguards = in->nguards,
                         .works = in->works || m->spec->coordinates.n > 0};
    int bad = build(s, diag);
    if (!bad && diag->errors == errors) {
        *out = &s->sys;
        return LIMBER_OK;
    }
    destroy(&s->sys);
    return bad < 0 ? LIMBER_MEMORY : LIMBER_INPUT;
}

static limber_status create(const lm_model *m, lm_diag *diag, lm_system **out)
{
    lm_system *in;
    *out = NULL;
    limber_status st = nodal_create(m, NULL, NULL, diag, &in);
    return st ? st : minimal_create(in, diag, out);
}

/* ---- positions ---- */

static int initial(lm_system *sys, double *q, double *v)
{
    return minimal_start((minimal *)sys, q, v);
}

/* Where remembered angles end exactly is measured from the poses. */
static int count_turns(lm_system *sys, const double *q0, const double *dx, double *q1)
{
    minimal *s = (minimal *)sys;
    int own = s->sys.nq - s->m->nangles;
    lm_state at = {s->t, q1, dx, NULL, NULL};
    memmove(q1 + own, q0 + own, sizeof(double) * (size_t)s->m->nangles);
    if (!s->in->ntracked) return 0;
    int bad = minimal_place(s, &at);
    if (bad) return bad;
    moved_follow_angles(&s->moved, q1, q1);
    return 0;
}

static int retract(lm_system *sys, const double *q0, const double *dx, double *q1)
{
    minimal *s = (minimal *)sys;
    double sum = 0;
    for (int i = 0; i < sys->nv; i++) sum += dx[i];
    if (!isfinite(sum)) return 1;
    if (s->written)
        for (int i = 0; i < sys->nv; i++) q1[i] = q0[i] + dx[i];
    else
        lm_kintree_retract(&s->tree, q0, dx, q1);
    return count_turns(sys, q0, dx, q1);
}

/* Angles may have gone round. */
static void difference(const lm_system *sys, const double *q0, const double *q1, double *dx)
{
    const minimal *s = (const minimal *)sys;
    if (s->written)
        for (int i = 0; i < sys->nv; i++) dx[i] = q1[i] - q0[i];
    else
        lm_kintree_difference(&s->tree, q0, q1, dx);
    for (int i = 0; i < sys->nv; i++)
        if (sys->angular[i]) dx[i] = lm_angle_near(dx[i], 0);
}

static void local_rate(const lm_system *sys, const double *xi, const double *v, double *rate)
{
    const minimal *s = (const minimal *)sys;
    if (s->written)
        memcpy(rate, v, sizeof(double) * (size_t)sys->nv);
    else
        lm_kintree_local_rate(&s->tree, xi, v, rate);
}

/* Coordinates turn with the frames they are measured in; free nodes turn in these frames, too. */
static void carry(const lm_system *sys, const double *q0, const double *q1, const double *w,
                  double *out)
{
    const minimal *s = (const minimal *)sys;
    memmove(out, w, sizeof(double) * (size_t)sys->nv);
    for (int i = 0; i < s->tree.links.n && sys->nfree; i++) {
        const lm_link *l = &s->tree.links.at[i];
        if (l->kind != LM_LINK_BALL || s->rate[l->u].joint >= 0) continue;
        lm_m3 R = quat_m3(quat_turn(quat_from(q0 + l->p), quat_from(q1 + l->p)));
        for (int k = l->u - 3; k <= l->u; k += 3) v3_put(out + k, m3_v(&R, v3_from(out + k)));
    }
}

/* ---- equations ---- */

/* r = X^T ri: by the rates of the tree, and for the coordinates of the user by du/dq. */
static void project(minimal *s, double *r)
{
    lm_kintree_collect(&s->tree, s->moved.tip, s->moved.ri, s->wrench, s->written ? s->ru : r);
    if (!s->written) return;
    memset(r, 0, sizeof(double) * (size_t)s->sys.nv);
    for (int k = 0; k < s->tree.nu; k++) {
        const min_arg *a = &s->arg[k];
        for (int i = 0; i < a->e->ninputs; i++)
            if (a->e->inputs[i] != LM_SLOT_T)
                r[a->e->inputs[i] - 1] += s->grad[a->first + i] * s->ru[k];
    }
}

static int residual(lm_system *sys, const lm_state *st, double *r, double *phi, double *rate)
{
    minimal *s = (minimal *)sys;
    lm_state inner;
    int bad = minimal_enter(s, st, &inner);
    if (bad) return bad;
    bad = nodal_residual(&s->in->sys, &inner, s->moved.ri, phi || rate ? s->phi : NULL,
                         rate ? s->phi_rate : NULL);
    project(s, r); /* also where it fails: which force is not finite */
    if (bad) return bad;
    for (int k = 0; k < sys->nl; k++) {
        if (phi) phi[k] = s->phi[s->moved.row[k]];
        if (rate) rate[k] = s->phi_rate[s->moved.row[k]];
    }
    return 0;
}

static int constraint_rate(lm_system *sys, const lm_state *st, double *rate)
{
    minimal *s = (minimal *)sys;
    lm_state inner;
    int bad = minimal_enter(s, st, &inner);
    if (bad) return bad;
    nodal_constraint_rate(&s->in->sys, &inner, s->phi_rate);
    for (int k = 0; k < sys->nl; k++) rate[k] = s->phi_rate[s->moved.row[k]];
    return 0;
}

static int constraint_accel(lm_system *sys, const lm_state *st, double *accel)
{
    minimal *s = (minimal *)sys;
    lm_state inner;
    int bad = minimal_enter(s, st, &inner);
    if (bad) return bad;
    nodal_constraint_accel(&s->in->sys, &inner, s->phi_rate);
    for (int k = 0; k < sys->nl; k++) accel[k] = s->phi_rate[s->moved.row[k]];
    return 0;
}

/* ---- which rows are independent ---- */

/* What the product of a row and a column could be, if nothing in it cancelled. */
static double size_of(const lm_v3 G[2], const double *X)
{
    return v3_norm(G[0]) * v3_norm(v3_from(X)) + v3_norm(G[1]) * v3_norm(v3_from(X + 3));
}

static int row_independent(minimal *s, int k)
{
    const lm_row *row = &s->m->rows[s->moved.row[k]];
    int pair = s->m->joints[row->joint].pair;
    double scale = 0;
    lm_v3 G[LM_PAIR_BLOCKS];
    lm_measure_grad(row->measure, row->i, row->j, &s->in->kin.pair[pair], G);
    for (int side = 0; side < 2; side++) {
        int n = s->m->pairs[pair].node[side];
        if (n < 0) continue;
        for (int c = s->moved.node[n].first; c < s->moved.node[n].first + s->moved.node[n].n; c++) {
            double x = v3_dot(G[2 * side], v3_from(s->moved.jets[c].X)) +
                       v3_dot(G[2 * side + 1], v3_from(s->moved.jets[c].X + 3));
            scale = fmax(scale, size_of(G + 2 * side, s->moved.jets[c].X));
            if (x != 0) lm_eliminate_add(s->eliminator, s->moved.cols[c], x);
        }
    }
    return lm_eliminate_row(s->eliminator, scale);
}

static int select_rows(lm_system *sys, double t, const double *q, int assembling)
{
    minimal *s = (minimal *)sys;
    const lm_spec *spec = s->m->spec;
    lm_state at = {t, q, NULL, NULL, NULL};
    int redundant = 0;
    if (minimal_place(s, &at)) return 0; /* an accepted state: the choice made before stays */
    minimal_partials(s);
    nodal_kinematics(s->in, s->moved.qi);
    lm_eliminate_begin(s->eliminator);
    for (int k = 0; k < sys->nl; k++) sys->active[k] = 0;
    for (int i = 0; i < sys->nl; i++) {
        int k = s->candidate[i], initial_of = s->m->rows[s->moved.row[k]].initial;
        int use = initial_of < 0 || (assembling == 1 && spec->initial.at[initial_of].has_value) ||
                  (assembling == 2 && spec->initial.at[initial_of].has_rate);
        if (!use) continue;
        int independent = row_independent(s, k);
        if (independent < 0) return -1;
        sys->active[k] = (unsigned char)independent;
        redundant += !independent;
    }
    sys->mobility = sys->nv - lm_eliminate_rank(s->eliminator);
    return redundant;
}

static double hidden_violation(lm_system *sys, double t, const double *q, int *which)
{
    minimal *s = (minimal *)sys;
    lm_state at = {t, q, NULL, NULL, NULL};
    int row = 0;
    if (minimal_place(s, &at)) return 0;
    double worst = nodal_hidden_violation(&s->in->sys, t, s->moved.qi, &row);
    *which = s->moved.own[row] >= 0 ? s->moved.own[row] : 0;
    return worst;
}

/* ---- the seam ---- */

static double next_kink(const lm_system *sys, double t)
{
    const minimal *s = (const minimal *)sys;
    double next = nodal_next_kink(&s->in->sys, t);
    for (int k = 0; s->written && k < s->tree.nu; k++)
        next = fmin(next, lm_expr_next_kink(s->arg[k].e, t));
    return next;
}

const lm_form lm_form_minimal = {
    .name = "minimal",
    .create = create,
    .destroy = destroy,
    .initial = initial,
    .retract = retract,
    .count_turns = count_turns,
    .difference = difference,
    .local_rate = local_rate,
    .carry = carry,
    .residual = residual,
    .jacobian = minimal_jacobian,
    .matrices = minimal_matrices,
    .divide_by_mass = minimal_divide_by_mass,
    .constraint_rate = constraint_rate,
    .constraint_accel = constraint_accel,
    .select_rows = select_rows,
    .hidden_violation = hidden_violation,
    .outputs = minimal_outputs,
    .energy = minimal_energy,
    .forces = minimal_forces,
    .poses = minimal_poses,
    .describe_pose = minimal_describe_pose,
    .describe = minimal_describe,
    .describe_motion = minimal_describe_motion,
    .next_kink = next_kink,
    .guards = minimal_guards,
    .describe_guard = minimal_describe_guard,
    .rigid_momentum = minimal_rigid_momentum,
    .start_left = minimal_start_left,
    .turn = minimal_turn,
    .ports = &moved_ports,
};
