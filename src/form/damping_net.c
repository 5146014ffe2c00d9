#include "form/damping_net.h"

#include <math.h>
#include <string.h>

#define STIFF 100 /* of a bushing that holds: times EI/L^3, EI/L of the beams that it holds */

/* ---- welds ---- */

static int body_of(const lm_model *m, int node)
{
    return node < 0 ? m->nbodies : m->nodes[node].body;
}

int damping_holds(const damping_joint *j, const lm_action *a)
{
    return a->coord_index < 0 && a->stiffness > 0 &&
           a->stiffness >= j->least[lm_measure_is_rotation(a->measure)];
}

/* Motions that a joint holds between two bodies, by constraints or by springs. */
static int held(const damping_net *net, int joint)
{
    const damping_joint *j = &net->link[joint];
    int n = j->nrows;
    for (int k = 0; k < j->nactions; k++)
        n += damping_holds(j, &net->m->actions[j->first_action + k]);
    return n;
}

/* 1: the joint makes two bodies one. */
static int welds(const damping_net *net, int joint)
{
    const int *node = net->m->pairs[net->link[joint].pair].node;
    return net->link[joint].fixed && node[0] >= 0 && node[1] >= 0 && held(net, joint) == 6;
}

static int root_of(const int *of, int body)
{
    while (of[body] != body) body = of[body];
    return body;
}

static void weld_bodies(damping_net *net, int first, int n)
{
    const lm_model *m = net->m;
    for (int j = first; j < first + n; j++) {
        const int *node = m->pairs[net->link[j].pair].node;
        if (!welds(net, j)) continue;
        int a = root_of(net->of, body_of(m, node[0])), b = root_of(net->of, body_of(m, node[1]));
        net->of[a > b ? a : b] = a > b ? b : a;
    }
}

/* ---- bushings ---- */

/* The least and the largest bending stiffness EI and the length of the beams that joints weld to a body. */
static void bending_of(const damping_net *net, int body, double EI[2], double *length)
{
    const lm_model *m = net->m;
    EI[0] = INFINITY, EI[1] = *length = 0;
    for (int b = 0; b < m->nbodies; b++) {
        const lm_beam *beam = &m->beams[b];
        if (!beam->nelements || root_of(net->of, b) != root_of(net->of, body)) continue;
        *length += beam->length;
        for (int k = beam->first_element; k < beam->first_element + beam->nelements; k++) {
            const lm_beam_shape *e = &m->elements[k].shape; /* about 4 EI / L each */
            EI[0] = fmin(EI[0], 0.25 * e->L * fmin(e->kz[0], e->ky[0]));
            EI[1] = fmax(EI[1], 0.25 * e->L * fmax(e->kz[0], e->ky[0]));
        }
    }
}

/* A bushing is stiff beside one of the structures at its ends, the softer one. */
static void choose_least(const damping_net *net, damping_joint *j)
{
    j->least[0] = j->least[1] = j->most[0] = j->most[1] = INFINITY;
    for (int side = 0; side < 2; side++) {
        double EI[2], L;
        int node = net->m->pairs[j->pair].node[side];
        if (node < 0) continue;
        bending_of(net, net->m->nodes[node].body, EI, &L);
        if (!(L > 0)) continue;
        j->least[0] = fmin(j->least[0], STIFF * EI[1] / (L * L * L));
        j->least[1] = fmin(j->least[1], STIFF * EI[1] / L);
        j->most[0] = fmin(j->most[0], EI[0] / (L * L * L));
        j->most[1] = fmin(j->most[1], EI[0] / L);
    }
}

/* Springs along and about the axes of a pair that are none of a joint. */
static int is_bushing(const lm_action *a)
{
    return a->coord_index < 0 && (a->measure == LM_ALONG || a->measure == LM_ROTVEC);
}

static void list_bushings(damping_net *net, const unsigned char *of_joint)
{
    const lm_model *m = net->m;
    for (int k = 0; k < m->nactions; k++) {
        const lm_action *a = &m->actions[k];
        if (of_joint[k] || !is_bushing(a)) continue;
        damping_joint *last = net->njoints ? &net->link[net->njoints - 1] : NULL;
        if (last && last->first_action + last->nactions == k && last->pair == a->pair)
            last->nactions++;
        else
            net->link[net->njoints++] =
                (damping_joint){.pair = a->pair, .first_action = k, .nactions = 1, .fixed = 1};
    }
}

static void list_links(damping_net *net, int njoints, unsigned char *of_joint)
{
    const lm_model *m = net->m;
    for (int k = 0; k < m->njoints; k++) { /* beyond njoints: within beams */
        const lm_joint *j = &m->joints[k];
        memset(of_joint + j->first_action, 1, (size_t)j->nactions);
        if (k < njoints)
            net->link[net->njoints++] = (damping_joint){.pair = j->pair,
                                                        .first_row = j->first_row,
                                                        .nrows = j->nrows,
                                                        .first_action = j->first_action,
                                                        .nactions = j->nactions,
                                                        .fixed = j->type == LM_JOINT_FIXED};
    }
    list_bushings(net, of_joint);
}

/* Structures in the order of their first bodies. */
static void join_bodies(damping_net *net, int njoints)
{
    const lm_model *m = net->m;
    for (int b = 0; b <= m->nbodies; b++) net->of[b] = b;
    weld_bodies(net, 0, njoints);
    for (int j = njoints; j < net->njoints; j++) choose_least(net, &net->link[j]);
    weld_bodies(net, njoints, net->njoints - njoints);
    for (int b = 0; b <= m->nbodies; b++) /* roots come before what they hold */
        net->of[b] = net->of[b] == b ? net->n++ : net->of[net->of[b]];
    net->n--; /* the last one is the ground */
}

static void list_nodes(damping_net *net)
{
    const lm_model *m = net->m;
    int *next = net->node_first + 1; /* runs ahead while the lists are filled */
    for (int k = 0; k < m->nnodes; k++) next[net->of[m->nodes[k].body] + 1]++;
    for (int b = 0; b < net->n; b++) next[b + 1] += next[b];
    for (int k = 0; k < m->nnodes; k++) net->node[next[net->of[m->nodes[k].body]]++] = k;
    for (int b = 0; b < net->n; b++)
        for (int i = net->node_first[b]; i < net->node_first[b + 1]; i++)
            net->index[net->node[i]] = i - net->node_first[b];
}

/* ---- joints between structures ---- */

static int ends(const damping_net *net, int joint, int side)
{
    const lm_model *m = net->m;
    return net->of[body_of(m, m->pairs[net->link[joint].pair].node[side])];
}

static double mass_of(const lm_model *m, int body)
{
    const lm_beam *b = &m->beams[body];
    double mass = m->bodies[body].mass;
    if (m->bodies[body].super >= 0) mass = m->supers[m->bodies[body].super].mass;
    for (int k = b->first_element; k < b->first_element + b->nelements; k++) {
        const double *mx = m->elements[k].shape.mx;
        mass += mx[0] + 2 * mx[1] + mx[2];
    }
    return mass;
}

static int connects(const damping_net *net, int joint)
{
    return ends(net, joint, 0) != ends(net, joint, 1) && held(net, joint) > 0;
}

static void list_joints(damping_net *net)
{
    int *next = net->first + 1;
    for (int j = 0; j < net->njoints; j++)
        for (int side = 0; side < 2 && connects(net, j); side++) next[ends(net, j, side) + 1]++;
    for (int b = 0; b <= net->n; b++) next[b + 1] += next[b];
    for (int j = 0; j < net->njoints; j++)
        for (int side = 0; side < 2 && connects(net, j); side++)
            net->joint[next[ends(net, j, side)]++] = j;
}

int damping_net_side(const damping_net *net, int own, int joint)
{
    return ends(net, joint, 1) == own;
}

static int other(const damping_net *net, int own, int joint)
{
    return ends(net, joint, 1 - damping_net_side(net, own, joint));
}

/* ---- the search ---- */

typedef struct search {
    int *at;    /* [n + 1] the next joint of each structure to look at */
    int places; /* given out so far */
} search;

static void enter(damping_net *net, search *s, int own, int up)
{
    net->up[own] = up;
    net->top[own] = up < 0 ? own : net->top[up];
    net->seen[own] = net->low[own] = s->places++;
    net->below[own] = net->mass[own];
    s->at[own] = net->first[own];
}

/* Back to the structure above: the one to go on with. */
static int leave(damping_net *net, const search *s, int own)
{
    int up = net->up[own];
    net->last[own] = s->places - 1;
    if (up < 0) return up;
    net->below[up] += net->below[own];
    if (net->low[own] < net->low[up]) net->low[up] = net->low[own];
    return up;
}

static void visit(damping_net *net, search *s, int root)
{
    enter(net, s, root, -1);
    for (int b = root; b >= 0;) {
        if (s->at[b] == net->first[b + 1]) {
            b = leave(net, s, b);
            continue;
        }
        int to = other(net, b, net->joint[s->at[b]++]);
        if (net->seen[to] < 0)
            enter(net, s, to, b), b = to;
        else if (to != net->up[b] && net->seen[to] < net->low[b])
            net->low[b] = net->seen[to];
    }
}

static int reserve(damping_net *net, lm_arena *arena)
{
    int n = net->m->nbodies + 1, nodes = net->m->nnodes;
    net->of = LM_NEW_N(arena, int, n);
    net->node_first = LM_NEW_N(arena, int, n + 2);
    net->node = LM_NEW_N(arena, int, nodes);
    net->index = LM_NEW_N(arena, int, nodes);
    net->first = LM_NEW_N(arena, int, n + 2);
    int most = net->m->njoints + net->m->nactions;
    net->link = LM_NEW_N(arena, damping_joint, most);
    net->joint = LM_NEW_N(arena, int, 2 * most);
    net->up = LM_NEW_N(arena, int, n);
    net->seen = LM_NEW_N(arena, int, n);
    net->last = LM_NEW_N(arena, int, n);
    net->low = LM_NEW_N(arena, int, n);
    net->top = LM_NEW_N(arena, int, n);
    net->mass = LM_NEW_N(arena, double, n);
    net->length = LM_NEW_N(arena, double, n);
    net->below = LM_NEW_N(arena, double, n);
    return net->link && net->of && net->node_first && net->node && net->index && net->first &&
                   net->joint && net->up && net->seen && net->last && net->low && net->top &&
                   net->mass && net->length && net->below
               ? 0
               : -1;
}

int damping_net_make(const lm_model *m, int njoints, lm_arena *arena, damping_net *out)
{
    search s = {.at = LM_NEW_N(arena, int, m->nbodies + 1)};
    unsigned char *of_joint = LM_NEW_N(arena, unsigned char, m->nactions + 1);
    damping_net *net = out;
    *net = (damping_net){.m = m};
    if (!s.at || !of_joint || reserve(net, arena)) return -1;
    list_links(net, njoints, of_joint);
    join_bodies(net, njoints);
    list_nodes(net);
    list_joints(net);
    for (int b = 0; b <= net->n; b++) net->seen[b] = -1;
    for (int b = 0; b < m->nbodies; b++) {
        net->mass[net->of[b]] += mass_of(m, b);
        if (m->beams[b].nelements) net->length[net->of[b]] += m->beams[b].length;
    }
    visit(net, &s, net->n);
    for (int b = 0; b < net->n; b++)
        if (net->seen[b] < 0) visit(net, &s, b);
    return 0;
}

/* ---- parts ---- */

/* 1: what is below structure `b` in the tree hangs on the one above it alone. */
static int is_cut_off(const damping_net *net, int b)
{
    return net->low[b] >= net->seen[net->up[b]];
}

int damping_net_part(const damping_net *net, int own, int joint)
{
    int to = other(net, own, joint), place = net->seen[to];
    if (place < net->seen[own]) return DAMPING_REST;
    for (int k = net->first[own]; k < net->first[own + 1]; k++) {
        int c = other(net, own, net->joint[k]);
        if (net->up[c] == own && net->seen[c] <= place && place <= net->last[c])
            return is_cut_off(net, c) ? c : DAMPING_REST;
    }
    return DAMPING_REST;
}

double damping_net_mass(const damping_net *net, int own, int part)
{
    if (part != DAMPING_REST) return net->below[part];
    double mass = net->below[net->top[own]] - net->mass[own];
    for (int k = net->first[own]; k < net->first[own + 1]; k++) {
        int c = other(net, own, net->joint[k]), again = 0;
        for (int i = net->first[own]; i < k; i++) again |= other(net, own, net->joint[i]) == c;
        if (!again && net->up[c] == own && is_cut_off(net, c)) mass -= net->below[c];
    }
    return mass;
}

int damping_net_holder(const damping_net *net, int own)
{
    int best = -2;
    double most = net->mass[own];
    if (net->top[own] == net->n) return DAMPING_REST;
    for (int k = net->first[own]; k < net->first[own + 1]; k++) {
        int part = damping_net_part(net, own, net->joint[k]);
        double mass = damping_net_mass(net, own, part);
        if (mass > most) best = part, most = mass;
    }
    return best;
}
