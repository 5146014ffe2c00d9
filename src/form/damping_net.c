#include "form/damping_net.h"

/* ---- welds ---- */

static int body_of(const lm_model *m, int node)
{
    return node < 0 ? m->nbodies : m->nodes[node].body;
}

int damping_is_compliant(const lm_action *a) { return a->coord_index < 0 && a->stiffness > 0; }

/* Motions that a joint holds between two bodies, by constraints or by the springs of a compliant one. */
static int held(const lm_model *m, int joint)
{
    const lm_joint *j = &m->joints[joint];
    int n = j->nrows;
    for (int k = 0; k < j->nactions; k++)
        n += damping_is_compliant(&m->actions[j->first_action + k]);
    return n;
}

/* 1: the joint makes two bodies one. */
static int welds(const lm_model *m, int joint)
{
    const int *node = m->pairs[m->joints[joint].pair].node;
    return m->joints[joint].type == LM_JOINT_FIXED && node[0] >= 0 && node[1] >= 0 &&
           held(m, joint) == 6;
}

static int root_of(const int *of, int body)
{
    while (of[body] != body) body = of[body];
    return body;
}

/* Structures in the order of their first bodies. */
static void join_bodies(damping_net *net, int njoints)
{
    const lm_model *m = net->m;
    for (int b = 0; b <= m->nbodies; b++) net->of[b] = b;
    for (int j = 0; j < njoints; j++) {
        const int *node = m->pairs[m->joints[j].pair].node;
        if (!welds(m, j)) continue;
        int a = root_of(net->of, body_of(m, node[0])), b = root_of(net->of, body_of(m, node[1]));
        net->of[a > b ? a : b] = a > b ? b : a;
    }
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
    return net->of[body_of(m, m->pairs[m->joints[joint].pair].node[side])];
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
    return ends(net, joint, 0) != ends(net, joint, 1) && held(net->m, joint) > 0;
}

static void list_joints(damping_net *net, int njoints)
{
    int *next = net->first + 1;
    for (int j = 0; j < njoints; j++)
        for (int side = 0; side < 2 && connects(net, j); side++) next[ends(net, j, side) + 1]++;
    for (int b = 0; b <= net->n; b++) next[b + 1] += next[b];
    for (int j = 0; j < njoints; j++)
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

static int reserve(damping_net *net, int njoints, lm_arena *arena)
{
    int n = net->m->nbodies + 1, nodes = net->m->nnodes;
    net->of = LM_NEW_N(arena, int, n);
    net->node_first = LM_NEW_N(arena, int, n + 2);
    net->node = LM_NEW_N(arena, int, nodes);
    net->index = LM_NEW_N(arena, int, nodes);
    net->first = LM_NEW_N(arena, int, n + 2);
    net->joint = LM_NEW_N(arena, int, 2 * njoints);
    net->up = LM_NEW_N(arena, int, n);
    net->seen = LM_NEW_N(arena, int, n);
    net->last = LM_NEW_N(arena, int, n);
    net->low = LM_NEW_N(arena, int, n);
    net->top = LM_NEW_N(arena, int, n);
    net->mass = LM_NEW_N(arena, double, n);
    net->length = LM_NEW_N(arena, double, n);
    net->below = LM_NEW_N(arena, double, n);
    return net->of && net->node_first && net->node && net->index && net->first && net->joint &&
                   net->up && net->seen && net->last && net->low && net->top && net->mass &&
                   net->length && net->below
               ? 0
               : -1;
}

int damping_net_make(const lm_model *m, int njoints, lm_arena *arena, damping_net *out)
{
    search s = {.at = LM_NEW_N(arena, int, m->nbodies + 1)};
    damping_net *net = out;
    *net = (damping_net){.m = m};
    if (!s.at || reserve(net, njoints, arena)) return -1;
    join_bodies(net, njoints);
    list_nodes(net);
    list_joints(net, njoints);
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
