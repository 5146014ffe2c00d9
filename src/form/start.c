/* The initial state: positions, rates, what was chosen. */
#include "form/start_int.h"

#define STILL 1e-12 /* value of a coordinate that is none */
#define FITS  1e-9  /* rates, over the largest */
#define NEAR  1e-6  /* given velocities, likewise: written with so many digits */
#define MOVES 1e-6  /* part of a joint in a motion */
#define MEET  1e-9  /* distance of joint points that are one, over the model's size */
#define WORK                                                                                       \
    4e9 /* numbers touched in one elimination: loops beyond it are left to the formulation */

/* ---- the length ---- */

static lm_v3 joint_point(const lm_model *m, int i)
{
    const lm_pair *p = &m->pairs[m->joints[i / 2].pair];
    int n = p->node[i % 2];
    if (n < 0) return p->r[i % 2];
    lm_m3 R = quat_m3(m->nodes[n].q);
    return v3_add(m->nodes[n].x, m3_v(&R, p->r[i % 2]));
}

/* The largest distance of two joint points as drawn: it does not depend on axes, order or mesh. That of a
 * single joint, whose two points meet, is none but rounding. */
double lm_start_length(const lm_model *m)
{
    enum { MANY = 4000 };
    int n = 2 * m->spec->joints.n, by = 1 + n / MANY;
    double most = 0;
    for (int i = 0; i < n; i += by)
        for (int k = i + 1; k < n; k++)
            most = fmax(most, v3_norm(v3_sub(joint_point(m, i), joint_point(m, k))));
    return most > MEET * m->size ? most : m->size > 0 ? m->size : 1;
}

void start_given(const start *s, int entry, double *V)
{
    const lm_spec_velocity *in = &s->m->spec->velocities.at[entry];
    const lm_body *b = &s->m->bodies[in->body];
    const lm_node *n = &s->m->nodes[b->first_node];
    lm_m3 A = quat_m3(n->q), R;
    lm_v3 r = b->com, w = v3_from(in->angular);
    lm_tip_motion m;
    if (b->type == LM_BODY_SUPERELEMENT)
        r = m3_tv(&s->m->supers[b->super].R0[0], s->m->supers[b->super].X[0]);
    lm_kintree_tip_motion(&s->tree, s->tip[in->body], &m);
    R = m.R;
    lm_v3 frame = v3_sub(n->x, m3_v(&A, r)); /* the body's origin as drawn */
    lm_v3 arm = m3_v(&R, v3_sub(s->out->body[in->body].drawn, frame));
    v3_put(V, v3_add(v3_from(in->linear), v3_cross(w, arm)));
    v3_put(V + 3, w);
}

/* ---- joints one by one ---- */

/* What is written, loops left alone. */
static void put_written(start *s, int j, int what)
{
    start_joint *joint = &s->joint[j];
    double d = v3_norm(joint->span);
    for (int i = 0; i < joint->nu; i++) {
        const start_var *v = &s->var.at[joint->first + i];
        const lm_link *l = &s->tree.links.at[v->link];
        if (v->joint != j) continue;
        double x = v->target[what];
        if (j < s->nj && s->m->joints[j].type == LM_JOINT_DISTANCE && l->kind == LM_LINK_SLIDE)
            x = joint->sign * v3_get(joint->span, l->along) / d *
                (what == START_VALUE ? joint->length[0] - d : joint->length[1]);
        if (what == START_RATE)
            s->du[l->u + v->axis] = x;
        else if (l->kind == LM_LINK_BALL)
            quat_put(s->p + l->p, (lm_quat){1, 0, 0, 0});
        else
            s->p[l->p] = x;
    }
}

/* In open trees gaps are closed by moving what hangs behind; loops that stay open keep them. */
static void put_gap(start *s, int j, double part)
{
    const start_joint *joint = &s->joint[j];
    for (int i = 0; i < 3 && joint->gap >= 0; i++)
        s->p[s->tree.links.at[s->var.at[joint->gap + i].link].p] =
            part * joint->sign * joint->open[i];
}

/* 1: something is to be found out in the group. */
static int asks(const start *s, int root, int what)
{
    for (int j = 0; j < s->nj; j++) {
        const start_joint *joint = &s->joint[j];
        if (start_root(s, j, what) != root) continue;
        if (what == START_VALUE && joint->gap >= 0) return 1;
        if (s->m->joints[j].type == LM_JOINT_DISTANCE &&
            (what == START_VALUE ? joint->length[0] != v3_norm(joint->span)
                                 : joint->length[1] != 0))
            return 1;
        for (int i = 0; i < joint->nu; i++)
            if (s->var.at[joint->first + i].target[what] != 0) return 1;
    }
    return 0;
}

static int too_large(const start_group *g)
{
    double n = g->e.n, m = g->e.m;
    return n * m * fmin(n, m) > WORK;
}

static void note_chosen(start_group *g, int what)
{
    lm_start *out = g->s->out;
    for (int i = 0; i < g->e.n; i++) {
        const start_var *v = &g->s->var.at[g->u[i]];
        const lm_link *l = &g->s->tree.links.at[v->link];
        double part = 0, x = what == START_RATE        ? g->s->du[g->u[i]]
                             : l->kind == LM_LINK_BALL ? g->s->p[l->p + 1 + v->axis]
                                                       : g->s->p[l->p];
        if (v->joint >= g->s->nj || v->set[what] || fabs(x) / v->unit < FITS) continue;
        for (int k = 0; k < g->e.nfree; k++)
            part = fmax(part, fabs(g->e.Z[(size_t)k * (size_t)g->e.n + (size_t)i]));
        if (part > MOVES) out->chosen[what][v->joint] = 1;
    }
    out->nfree[what] += g->e.nfree;
}

/* ---- positions ---- */

static int find_values(start *s, int root)
{
    lm_arena temp = {0};
    start_group g;
    int bad = start_group_make(&g, s, root, START_VALUE, &temp);
    if (!bad) bad = too_large(&g) ? 1 : start_follow(&g);
    if (bad == 0) note_chosen(&g, START_VALUE);
    lm_arena_free(&temp);
    return bad;
}

static int positions(start *s)
{
    for (int i = 0; i < s->tree.links.n; i++)
        if (s->tree.links.at[i].kind == LM_LINK_BALL) s->p[s->tree.links.at[i].p] = 1;
    for (int j = 0; j < s->nall; j++) {
        start_joint *root = &s->joint[start_root(s, j, START_VALUE)];
        if (!root->solved[START_VALUE]) put_written(s, j, START_VALUE);
    }
    for (int j = 0; j < s->nj; j++) {
        if (start_root(s, j, START_VALUE) != j || !s->joint[j].solved[START_VALUE]) continue;
        int bad = asks(s, j, START_VALUE) ? find_values(s, j) : 0;
        if (bad < 0) return -1;
        if (bad) s->joint[j].solved[START_VALUE] = 2, s->out->open[START_VALUE] = 1;
    }
    for (int j = 0; j < s->nj; j++)
        if (s->joint[start_root(s, j, START_VALUE)].solved[START_VALUE] == 2)
            put_written(s, j, START_VALUE), put_gap(s, j, 1);
    return 0;
}

/* ---- velocities ---- */

/* Velocities of drawn points by s->du. */
static void twists(start *s, double *V)
{
    lm_kintree_move(&s->tree, s->p, s->du, NULL);
    for (int b = 0; b < s->m->nbodies; b++) {
        const start_place *at = &s->at[b];
        if (at->link < 0) {
            memset(V + 6 * b, 0, 6 * sizeof *V);
            continue;
        }
        const lm_link_motion *m = &s->tree.motion[at->link];
        v3_put(V + 6 * b, v3_add(m->v, v3_cross(m->w, m3_v(&m->R, at->x))));
        v3_put(V + 6 * b + 3, m->w);
    }
}

double lm_start_rounding(const lm_spec *spec)
{
    double until = 1e6;
    for (int i = 0; i < spec->analyses.n; i++)
        if (spec->analyses.at[i].type == LM_ANALYSIS_DYNAMICS) until = spec->analyses.at[i].until;
    return fmax(1e-13, 1e-9 / until);
}

static double size_of(const start *s, const double *V)
{
    double L = s->m->size > 0 ? s->m->size : 1;
    return fmax(v3_norm(v3_from(V)) / L, v3_norm(v3_from(V + 3)));
}

/* How far what came out is from what was given. */
static void note_correction(start *s, const double *V)
{
    lm_start *out = s->out;
    for (int k = 0; k < s->m->spec->velocities.n; k++) {
        double W[6];
        start_given(s, k, W);
        out->speed = fmax(out->speed, size_of(s, W));
        for (int r = 0; r < 6; r++) W[r] -= V[6 * s->m->spec->velocities.at[k].body + r];
        if (size_of(s, W) <= out->correction) continue;
        out->correction = size_of(s, W);
        out->corrected = k;
    }
    if (out->correction <= NEAR * out->speed + lm_start_rounding(s->m->spec)) out->corrected = -1;
}

/* As the rates say; where velocities are given, these instead. */
static int project(start_group *g)
{
    start *s = g->s;
    double *V = lm_alloc(sizeof(double) * (size_t)(6 * s->m->nbodies + 1));
    if (!V) return -1;
    start_group_solve(g, g->e.m - 6 * g->nbodies);
    int bad = start_group_least(g, START_RATE);
    if (!bad) {
        start_group_rates(g);
        twists(s, V);
        for (int i = 0; i < g->nbodies; i++)
            start_given(s, g->body[i], V + 6 * s->m->spec->velocities.at[g->body[i]].body);
        bad = start_project(g, V);
    }
    if (!bad) {
        start_group_rates(g);
        twists(s, V);
        note_correction(s, V);
    }
    lm_free(V);
    return bad;
}

static int fits(const start_group *g, int rows)
{
    double most = 0;
    for (int i = 0; i < g->e.n; i++) most = fmax(most, fabs(g->e.x[i]));
    return g->e.misfit <= (rows < g->e.m || !g->nbodies ? FITS : NEAR) * fmax(most, 1e-300);
}

/* Springs hold as the joints do for which they stand, unless the given velocities ask for more. */
static void loosen(start_group *g)
{
    start_group_solve(g, g->e.m);
    if (fits(g, g->e.m)) return;
    g->loose = 1;
    start_group_fill(g, 1, START_RATE);
}

static int solve_rates(start_group *g)
{
    int own = g->e.m - 6 * g->nbodies, project_all = g->s->m->spec->project;
    start_group_fill(g, 1, START_RATE);
    start_group_solve(g, own);
    if (!fits(g, own)) return 1;
    if (g->nbodies && g->nsprings) loosen(g);
    int exact = g->nbodies > 0 && (!project_all || g->loose);
    if (exact) start_group_solve(g, g->e.m);
    if (g->nbodies && (!exact || !fits(g, g->e.m))) return project(g);
    int bad = start_group_least(g, START_RATE);
    if (!bad) start_group_rates(g), note_chosen(g, START_RATE);
    return bad;
}

static int find_rates(start *s, int root)
{
    lm_arena temp = {0};
    start_group g;
    for (int j = 0; j < s->nj; j++)
        if (start_root(s, j, START_RATE) == root &&
            s->joint[start_root(s, j, START_VALUE)].solved[START_VALUE] == 2)
            return 1;
    int bad = start_group_make(&g, s, root, START_RATE, &temp);
    if (!bad) bad = too_large(&g) ? 1 : solve_rates(&g);
    lm_arena_free(&temp);
    return bad;
}

static int velocities(start *s)
{
    int given = s->m->spec->velocities.n > 0;
    for (int j = 0; j < s->nall; j++)
        if (!s->joint[start_root(s, j, START_RATE)].solved[START_RATE])
            put_written(s, j, START_RATE);
    for (int j = 0; j < s->nall; j++) {
        if (start_root(s, j, START_RATE) != j || !s->joint[j].solved[START_RATE]) continue;
        int bad = given || asks(s, j, START_RATE) ? find_rates(s, j) : 0;
        if (bad < 0) return -1;
        if (bad) s->joint[j].solved[START_RATE] = 2, s->out->open[START_RATE] = 1;
    }
    for (int j = 0; j < s->nall; j++)
        if (s->joint[start_root(s, j, START_RATE)].solved[START_RATE] == 2)
            put_written(s, j, START_RATE);
    return 0;
}

/* ---- what comes out ---- */

static int moves(const start *s)
{
    for (int i = 0; i < s->tree.links.n; i++) {
        const lm_link *l = &s->tree.links.at[i];
        if (l->kind == LM_LINK_BALL ? s->p[l->p] != 1 : s->p[l->p] != 0) return 1;
    }
    return 0;
}

static void put_out(start *s)
{
    int away = moves(s);
    lm_kintree_move(&s->tree, s->p, s->du, NULL);
    for (int b = 0; b < s->m->nbodies; b++) {
        const start_place *at = &s->at[b];
        lm_start_body *to = &s->out->body[b];
        to->x = to->drawn, to->R = m3_identity();
        if (at->link < 0) continue; /* welded to the ground */
        const lm_link_motion *m = &s->tree.motion[at->link];
        lm_v3 r = m3_v(&m->R, at->x);
        if (away) to->x = v3_add(m->x, r), to->R = m3_mul(&m->R, &at->R);
        to->v = v3_add(m->v, v3_cross(m->w, r));
        to->w = m->w;
    }
    for (int i = 0; i < s->var.n; i++) {
        const start_var *v = &s->var.at[i];
        if (v->coord < 0) continue;
        s->out->value[v->coord] = v->sign * s->p[s->tree.links.at[v->link].p];
        s->out->rate[v->coord] = v->sign * s->du[i];
    }
}

/* Bodies of a part whose loops stay open move as given, whatever their joints say. */
static void put_given(start *s)
{
    if (!s->out->open[START_RATE]) return;
    for (int k = 0; k < s->m->spec->velocities.n; k++) {
        double V[6];
        lm_start_body *b = &s->out->body[s->m->spec->velocities.at[k].body];
        start_given(s, k, V);
        b->v = v3_from(V), b->w = v3_from(V + 3);
    }
}

static int reserve(lm_start *out, const lm_model *m)
{
    lm_arena *a = &out->arena;
    *out = (lm_start){.corrected = -1};
    out->body = LM_NEW_N(a, lm_start_body, m->nbodies + 1);
    out->value = LM_NEW_N(a, double, m->ncoords + 1);
    out->rate = LM_NEW_N(a, double, m->ncoords + 1);
    for (int k = 0; k < 2; k++) {
        out->chosen[k] = LM_NEW_N(a, unsigned char, m->spec->joints.n + 1);
        if (!out->chosen[k]) return -1;
    }
    if (!out->body || !out->value || !out->rate) return -1;
    for (int b = 0; b < m->nbodies; b++) out->body[b].drawn = m->nodes[m->bodies[b].first_node].x;
    return 0;
}

int lm_start_make(lm_start *out, const lm_model *m)
{
    start s = {.out = out, .m = m};
    if (reserve(out, m)) return -1;
    s.L = lm_start_length(m);
    int bad = start_grow(&s) || positions(&s) || velocities(&s);
    if (!bad) put_out(&s), put_given(&s);
    lm_arena arena = s.arena;
    lm_arena_free(&arena);
    return bad ? -1 : 0;
}

void lm_start_free(lm_start *s)
{
    lm_arena arena = s->arena;
    lm_arena_free(&arena);
}
