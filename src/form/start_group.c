/* Joints whose motions are found together: equations, which of them are independent, the least change.
 *
 *     x = -C^+ phi of the independent rows, found one after the other: closure, drives, `initial`, springs,
 *     velocities
 *     least change: min 1/2 sum w_i x_i^2  with  C x = -phi,  w_i = 0 for what is given
 */
#include "form/start_int.h"

/* ---- making ---- */

static void list_members(start_group *g, int root, int what)
{
    start *s = g->s;
    for (int j = 0; j < s->nall; j++) {
        const start_joint *joint = &s->joint[j];
        if (start_root(s, j, what) != root) continue;
        for (int k = 0; k < joint->nu; k++)
            if (s->var.at[joint->first + k].joint == j) {
                g->own[joint->first + k] = g->e.n;
                g->u[g->e.n++] = joint->first + k;
            }
        if (j >= s->nj) continue;
        if (joint->chord) g->chord[g->nchords++] = j;
        if (s->m->joints[j].type != LM_JOINT_DISTANCE) continue;
        g->length[g->nlengths++] = j;
        g->nsprings += s->m->spec->joints.at[j].compliant;
    }
    for (int by = START_BY_DRIVE; by <= START_BY_SPRING; by++)
        for (int i = 0; i < g->e.n; i++) {
            if (s->var.at[g->u[i]].set[what] != by) continue;
            g->pin[g->npins++] = i;
            g->nsprings += by == START_BY_SPRING;
        }
}

static void list_given(start_group *g, int root, int what)
{
    const lm_spec *spec = g->s->m->spec;
    for (int k = 0; k < spec->velocities.n && what == START_RATE; k++)
        if (start_root(g->s, g->s->by[spec->velocities.at[k].body], what) == root)
            g->body[g->nbodies++] = k;
}

static int reserve(start_group *g)
{
    int n = g->e.n, m = 6 * g->nchords + g->nlengths + g->npins + 6 * g->nbodies;
    g->g = LM_NEW_N(g->arena, double, n + 1);
    g->lam = LM_NEW_N(g->arena, double, m + 1);
    g->p0 = LM_NEW_N(g->arena, double, g->s->tree.np + 1);
    int bad = lm_least_make(&g->e, g->arena, n, m);
    return bad || !g->g || !g->lam || !g->p0 ? -1 : 0;
}

int start_group_make(start_group *g, start *s, int root, int what, lm_arena *arena)
{
    int nu = s->tree.nu, nj = s->nj;
    *g = (start_group){.s = s,
                       .root = root,
                       .arena = arena,
                       .u = LM_NEW_N(arena, int, nu + 1),
                       .own = LM_NEW_N(arena, int, nu + 1),
                       .chord = LM_NEW_N(arena, int, nj + 1),
                       .length = LM_NEW_N(arena, int, nj + 1),
                       .pin = LM_NEW_N(arena, int, nu + 1),
                       .body = LM_NEW_N(arena, int, s->m->spec->velocities.n + 1)};
    if (!g->u || !g->own || !g->chord || !g->length || !g->pin || !g->body) return -1;
    for (int i = 0; i < nu; i++) g->own[i] = -1;
    list_members(g, root, what);
    list_given(g, root, what);
    return reserve(g);
}

/* ---- rows ---- */

static double *row_of(start_group *g, int k) { return lm_least_row(&g->e, k); }

/* Six rows from `k` on: sign times the motion of a tip, whose place is x. */
static void add_tip(start_group *g, int k, int tip, double sign)
{
    const lm_kintree *t = &g->s->tree;
    const lm_tip *p = &t->tips.at[tip];
    lm_tip_motion m;
    double X[6];
    lm_kintree_tip_motion(t, tip, &m);
    for (int c = p->first; c < p->first + p->n; c++) {
        const lm_column *col = &t->columns.at[c];
        int i = g->own[col->u];
        if (i < 0) continue;
        lm_kintree_partial(t, col, &m, X);
        double by = sign * g->s->var.at[col->u].unit;
        for (int r = 0; r < 6; r++) row_of(g, k + r)[i] += by * X[r] / (r < 3 ? g->s->L : 1);
    }
}

static void fill_chord(start_group *g, int k, int j)
{
    const start_joint *joint = &g->s->joint[j];
    lm_tip_motion a, b;
    lm_kintree_tip_motion(&g->s->tree, joint->tip[0], &a);
    lm_kintree_tip_motion(&g->s->tree, joint->tip[1], &b);
    lm_m3 At = m3_t(&a.R), turn = m3_mul(&b.R, &At);
    v3_put(g->e.phi + k, v3_mul(1 / g->s->L, v3_sub(b.x, a.x)));
    v3_put(g->e.phi + k + 3, lm_quat_log(lm_quat_from_m3(&turn)));
    add_tip(g, k, joint->tip[1], 1);
    add_tip(g, k, joint->tip[0], -1);
}

/* |d| - length, d = span + slides. */
static void fill_length(start_group *g, int k, int j, double done, int what)
{
    start *s = g->s;
    const start_joint *joint = &s->joint[j];
    lm_v3 d = joint->span;
    double drawn = v3_norm(d), slide[3] = {0};
    int at[3];
    if (g->loose && s->m->spec->joints.at[j].compliant) {
        g->e.phi[k] = 0; /* an empty row */
        return;
    }
    for (int i = 0; i < joint->nu; i++) {
        const lm_link *l = &s->tree.links.at[s->var.at[joint->first + i].link];
        if (l->kind != LM_LINK_SLIDE) continue;
        at[l->along] = joint->first + i;
        slide[l->along] = joint->sign * s->p[l->p];
    }
    d = v3_add(d, v3_from(slide));
    lm_v3 e = v3_unit(d);
    for (int i = 0; i < 3; i++) row_of(g, k)[g->own[at[i]]] = joint->sign * v3_get(e, i);
    g->e.phi[k] = (v3_norm(d) - drawn - done * (joint->length[0] - drawn)) / s->L;
    if (what == START_RATE) g->e.phi[k] = -joint->length[1] / s->L;
}

static void fill_pin(start_group *g, int k, int i, double done, int what)
{
    const start_var *v = &g->s->var.at[g->u[i]];
    g->e.phi[k] = 0;
    if (g->loose && v->set[what] == START_BY_SPRING) return; /* an empty row */
    row_of(g, k)[i] = 1;
    double now = what == START_RATE ? 0 : g->s->p[g->s->tree.links.at[v->link].p];
    g->e.phi[k] = (now - done * v->target[what]) / v->unit;
}

/* The velocity of a body's drawn point, from that of its frame. */
static void fill_given(start_group *g, int k, int entry)
{
    start *s = g->s;
    const lm_spec_velocity *in = &s->m->spec->velocities.at[entry];
    double V[6];
    start_given(s, entry, V);
    add_tip(g, k, s->tip[in->body], 1);
    for (int r = 0; r < 6; r++) g->e.phi[k + r] = -V[r] / (r < 3 ? s->L : 1);
}

void start_group_fill(start_group *g, double done, int what)
{
    int k = 0;
    lm_kintree_move(&g->s->tree, g->s->p, NULL, NULL);
    memset(g->e.C, 0, sizeof(double) * (size_t)g->e.n * (size_t)g->e.m);
    for (int i = 0; i < g->nchords; i++, k += 6) fill_chord(g, k, g->chord[i]);
    for (int i = 0; i < k && what == START_RATE; i++) g->e.phi[i] = 0;
    for (int i = 0; i < g->nlengths; i++) fill_length(g, k++, g->length[i], done, what);
    for (int i = 0; i < g->npins; i++) fill_pin(g, k++, g->pin[i], done, what);
    for (int i = 0; i < g->nbodies; i++, k += 6) fill_given(g, k, g->body[i]);
}

void start_group_solve(start_group *g, int rows)
{
    g->placed = g->nbodies > 0 && rows == g->e.m;
    lm_least_solve(&g->e, rows);
}

/* ---- the least change ---- */

double start_group_weight(const start_group *g, int i, int what)
{
    const start_var *v = &g->s->var.at[g->u[i]];
    if (v->set[what] == START_BY_SPRING) return g->loose;
    /* a body that nothing holds goes with another one whose velocity is given */
    return v->set[what] || (g->placed && v->joint >= g->s->nj) ? 0 : 1;
}

int start_group_least(start_group *g, int what)
{
    for (int i = 0; i < g->e.n; i++) g->e.w[i] = start_group_weight(g, i, what);
    return lm_least_change(&g->e);
}

void start_group_rates(start_group *g)
{
    for (int i = 0; i < g->e.n; i++) g->s->du[g->u[i]] = g->s->var.at[g->u[i]].unit * g->e.x[i];
}
