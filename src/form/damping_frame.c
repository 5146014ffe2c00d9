/* Which rigid motion of a structure its damping by mass is measured against. */
#include "form/damping_frame.h"

#include <string.h>

/* ---- what holds the structure ---- */

static void add_rows(const lm_model *m, const damping_joint *j, int side, damping_frame *f)
{
    damping_row r = {.pair = j->pair, .side = side, .node = m->pairs[j->pair].node[side]};
    for (int k = 0; k < j->nrows; k++) {
        const lm_row *row = &m->rows[j->first_row + k];
        r.measure = row->measure, r.i = row->i, r.j = row->j;
        f->row[f->nrows++] = r;
    }
    for (int k = 0; k < j->nactions; k++) {
        const lm_action *a = &m->actions[j->first_action + k];
        r.measure = a->measure, r.i = a->i, r.j = a->j;
        if (damping_holds(j, a)) f->row[f->nrows++] = r;
    }
}

/* The mass behind a joint that does not hold, shared by the joints that lead to it. */
static void add_carried(const damping_net *net, int own, int joint, int part, damping_frame *f)
{
    const lm_pair *p = &net->m->pairs[net->link[joint].pair];
    int side = damping_net_side(net, own, joint), links = 0;
    for (int k = net->first[own]; k < net->first[own + 1]; k++)
        links += damping_net_part(net, own, net->joint[k]) == part;
    f->carried[f->ncarried++] = (damping_mass){.k = net->index[p->node[side]],
                                               .r = p->r[side],
                                               .mass = damping_net_mass(net, own, part) / links};
}

/* All rows that hold the structure, and the masses that it carries. */
static int list_rows(const damping_net *net, int own, lm_arena *arena, damping_frame *f)
{
    const lm_model *m = net->m;
    const int *joint = net->joint + net->first[own];
    int n = net->first[own + 1] - net->first[own], most = 0, by = damping_net_holder(net, own);
    for (int k = 0; k < n; k++) most += net->link[joint[k]].nrows + net->link[joint[k]].nactions;
    f->row = LM_NEW_N(arena, damping_row, most);
    f->carried = LM_NEW_N(arena, damping_mass, n);
    if (!f->row || !f->carried) return -1;
    for (int k = 0; k < n; k++) {
        int part = damping_net_part(net, own, joint[k]);
        if (part == by)
            add_rows(m, &net->link[joint[k]], damping_net_side(net, own, joint[k]), f);
        else
            add_carried(net, own, joint[k], part, f);
    }
    return 0;
}

/* ---- motions that are held, and free ones ---- */

static lm_pair_pose drawn_pose(const lm_model *m, const lm_pair *p)
{
    lm_v3 x[2];
    lm_m3 E[2];
    lm_pair_pose out;
    for (int s = 0; s < 2; s++) {
        int n = p->node[s];
        lm_m3 R = n < 0 ? m3_identity() : quat_m3(m->nodes[n].q);
        lm_v3 r = m3_v(&R, p->r[s]);
        x[s] = n < 0 ? r : v3_add(m->nodes[n].x, r);
        out.rho[s] = n < 0 ? v3(0, 0, 0) : r;
        E[s] = m3_mul(&R, &p->E[s]);
    }
    out.d = v3_sub(x[1], x[0]), out.e = E[0], out.f = E[1];
    return out;
}

/* What is left of x [6] orthogonal to n unit vectors; twice, for rounding. Its square. */
static double rest(int n, double U[6][6], double *x)
{
    double sum = 0;
    for (int twice = 0; twice < 2; twice++)
        for (int k = 0; k < n; k++) {
            double dot = 0;
            for (int i = 0; i < 6; i++) dot += U[k][i] * x[i];
            for (int i = 0; i < 6; i++) x[i] -= dot * U[k][i];
        }
    for (int i = 0; i < 6; i++) sum += x[i] * x[i];
    return sum;
}

static void put_unit(double *to, const double *x, double square)
{
    for (int i = 0; i < 6; i++) to[i] = x[i] / sqrt(square);
}

/* Twists (v, L omega) that the rows at a node hold, as orthogonal unit vectors. */
static int held_twists(const damping_frame *f, const lm_model *m, const lm_pair_pose *pose,
                       int node, double U[6][6])
{
    int n = 0;
    for (int k = 0; k < f->nrows && n < 6; k++) {
        const damping_row *r = &f->row[k];
        if (r->node != node) continue;
        lm_pair_pose p = pose ? pose[r->pair] : drawn_pose(m, &m->pairs[r->pair]);
        lm_v3 G[LM_PAIR_BLOCKS];
        double x[6], all, left;
        lm_measure_grad(r->measure, r->i, r->j, &p, G);
        v3_put(x, G[2 * r->side]);
        v3_put(x + 3, v3_mul(1 / f->length, G[2 * r->side + 1]));
        all = rest(0, U, x), left = rest(n, U, x);
        if (left > 1e-16 * all) put_unit(U[n++], x, left);
    }
    return n;
}

/* ... and those that are free: of the unit twists the one that is least held, and so on. */
static int free_twists(const damping_frame *f, const lm_model *m, const lm_pair_pose *pose,
                       int node, double A[6][6])
{
    double U[6][6];
    int held = held_twists(f, m, pose, node, U);
    for (int n = held; n < 6; n++) {
        double best = 0;
        for (int i = 0; i < 6; i++) {
            double x[6] = {0};
            x[i] = 1;
            double left = rest(n, U, x);
            if (left > best * (1 + 1e-9)) put_unit(U[n], x, best = left);
        }
        for (int i = 0; i < 6; i++) A[n - held][i] = i < 3 ? U[n][i] : U[n][i] / f->length;
    }
    return 6 - held;
}

int damping_frame_free(const damping_frame *f, const lm_model *m, const lm_pair_pose *pose, lm_v3 d,
                       double A[6][6])
{
    if (!f->fitted) return 0;
    if (f->node[1] < 0) return free_twists(f, m, pose, f->node[0], A);
    v3_put(A[0], v3(0, 0, 0));
    v3_put(A[0] + 3, v3_mul(1 / f->length, v3_unit(d)));
    return 1;
}

/* ---- the choice ---- */

/* 1: a section whose joints leave n free twists cannot turn about `axis` (NULL: about any). */
static int cannot_turn(const damping_frame *f, int n, double A[6][6], const lm_v3 *axis)
{
    for (int k = 0; k < n; k++) {
        lm_v3 w = v3_mul(f->length, v3_from(A[k] + 3));
        if (fabs(axis ? v3_dot(w, *axis) : v3_norm(w)) > 1e-6) return 0;
    }
    return 1;
}

static int is_held(const damping_frame *f, int node)
{
    for (int k = 0; k < f->nrows; k++)
        if (f->row[k].node == node) return 1;
    return 0;
}

/* The section with all rotations held that has the fewest free motions, -1: none. */
static int clamped(const damping_frame *f, const lm_model *m)
{
    int best = -1, fewest = 6;
    for (int k = 0; k < f->n; k++) {
        double A[6][6];
        if (!is_held(f, f->list[k])) continue;
        int n = free_twists(f, m, NULL, f->list[k], A);
        if (n < fewest && cannot_turn(f, n, A, NULL)) best = k, fewest = n;
    }
    return best;
}

/* Which ends of the chord are held along it, and against turning about it. */
static void chord_shares(damping_frame *f, const lm_model *m, lm_v3 d)
{
    int along[2], about[2];
    lm_v3 axis = v3_unit(d);
    for (int e = 0; e < 2; e++) {
        double A[6][6], slides = 0;
        lm_m3 R = quat_m3(m->nodes[f->node[e]].q);
        lm_v3 arm = m3_v(&R, f->r[e]);
        int n = free_twists(f, m, NULL, f->node[e], A);
        about[e] = cannot_turn(f, n, A, &axis);
        for (int k = 0; k < n; k++) {
            lm_v3 v = v3_add(v3_from(A[k]), v3_cross(v3_from(A[k] + 3), arm));
            slides = fmax(slides, fabs(v3_dot(v, axis)));
        }
        along[e] = slides < 1e-6;
    }
    f->along = along[0] == along[1] ? 0.5 : along[1];
    f->about = about[0] == about[1] ? 0.5 : about[1];
    f->fitted = !about[0] && !about[1];
}

/* Where the joint of a row takes hold, as drawn. */
static lm_v3 drawn_point(const lm_model *m, const damping_row *r)
{
    const lm_node *n = &m->nodes[r->node];
    lm_m3 R = quat_m3(n->q);
    return v3_add(n->x, m3_v(&R, m->pairs[r->pair].r[r->side]));
}

/* The two held points that are farthest from each other, the first of them nearer to the start; the chord. */
static lm_v3 choose_chord(damping_frame *f, const lm_model *m)
{
    const damping_row *end[2] = {f->row, f->row};
    double most = -1;
    for (int i = 0; i < f->nrows; i++)
        for (int j = 0; j < i; j++) {
            const damping_row *a = &f->row[i], *b = &f->row[j];
            if (a->pair == a[-1].pair || a->pair == b->pair) continue; /* one of each joint */
            double d = v3_norm(v3_sub(drawn_point(m, a), drawn_point(m, b)));
            if (d <= most * (1 + 1e-9)) continue;
            most = d;
            end[0] = a->node < b->node ? a : b, end[1] = a->node < b->node ? b : a;
        }
    for (int e = 0; e < 2; e++)
        f->node[e] = end[e]->node, f->r[e] = m->pairs[end[e]->pair].r[end[e]->side];
    return v3_sub(drawn_point(m, end[1]), drawn_point(m, end[0]));
}

static void choose(damping_frame *f, const lm_model *m)
{
    int at = clamped(f, m), held = 0;
    double A[6][6];
    for (int k = 0; k < f->n; k++) held += is_held(f, f->list[k]);
    int first = at >= 0 ? at : 0;
    while (at < 0 && held && !is_held(f, f->list[first])) first++;
    f->node[0] = f->list[first];
    f->fitted = held < 2 && free_twists(f, m, NULL, f->node[0], A) > 0;
    if (at >= 0 || held < 2) return;
    lm_v3 d = choose_chord(f, m);
    f->fitted = 1;
    if (v3_norm(d) > 1e-3 * f->length) {
        chord_shares(f, m, d);
        return;
    }
    f->node[0] = f->list[first], f->node[1] = -1; /* a ring has no chord */
    f->r[0] = f->r[1] = v3(0, 0, 0);
}

int damping_frame_make(const damping_net *net, int own, lm_arena *arena, damping_frame *out)
{
    damping_frame *f = out;
    int n = net->node_first[own + 1] - net->node_first[own], *list = LM_NEW_N(arena, int, n);
    *f = (damping_frame){.n = n, .list = list, .node = {-1, -1}, .length = net->length[own]};
    if (!list) return -1;
    for (int k = 0; k < n; k++) list[k] = net->node[net->node_first[own] + k];
    if (list_rows(net, own, arena, f)) return -1;
    choose(f, net->m);
    for (int e = 0; e < 2; e++) f->at[e] = f->node[e] < 0 ? -1 : net->index[f->node[e]];
    return 0;
}

/* ---- the fit ---- */

/* Inverse of S [n n] in place, by exchange with the largest pivots of the diagonal left: S is nearly
 * symmetric and positive. -1: singular. */
static int invert(int n, double S[6][6])
{
    int done[6] = {0};
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(S[i][i]));
    for (int step = 0; step < n; step++) {
        int p = -1;
        for (int i = 0; i < n; i++)
            if (!done[i] && (p < 0 || fabs(S[i][i]) > fabs(S[p][p]))) p = i;
        if (!(fabs(S[p][p]) > 1e-14 * most)) return -1;
        double pivot = 1 / S[p][p];
        done[p] = 1;
        S[p][p] = 1;
        for (int j = 0; j < n; j++) S[p][j] *= pivot;
        for (int i = 0; i < n; i++) {
            double x = S[i][p];
            if (i == p) continue;
            S[i][p] = 0;
            for (int j = 0; j < n; j++) S[i][j] -= x * S[p][j];
        }
    }
    return 0;
}

void damping_frame_fit(int n, double A[6][6], const double G[36], double Z[36])
{
    double S[6][6] = {{0}};
    memset(Z, 0, sizeof(double) * 36);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < 36; k++) S[i][j] += A[i][k % 6] * G[k] * A[j][k / 6];
    if (invert(n, S)) return;
    for (int k = 0; k < 36; k++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) Z[k] += A[i][k % 6] * S[i][j] * A[j][k / 6];
}
