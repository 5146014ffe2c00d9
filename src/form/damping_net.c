#include "form/damping_net.h"

/* ---- bodies and joints ---- */

static int body_of(const lm_model *m, int node)
{
    return node < 0 ? m->nbodies : m->nodes[node].body;
}

static int ends(const lm_model *m, int joint, int side)
{
    return body_of(m, m->pairs[m->joints[joint].pair].node[side]);
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

int damping_is_compliant(const lm_action *a) { return a->coord_index < 0 && a->stiffness > 0; }

/* 1: the joint holds some motion between two bodies, by constraints or by the springs of a compliant one. */
static int holds(const lm_model *m, int joint)
{
    const lm_joint *j = &m->joints[joint];
    int n = j->nrows;
    for (int k = 0; k < j->nactions; k++)
        n += damping_is_compliant(&m->actions[j->first_action + k]);
    return n > 0 && ends(m, joint, 0) != ends(m, joint, 1);
}

static void list_joints(damping_net *net, int njoints)
{
    const lm_model *m = net->m;
    int *next = net->first + 1; /* runs ahead while the lists are filled */
    for (int j = 0; j < njoints; j++)
        for (int side = 0; side < 2 && holds(m, j); side++) next[ends(m, j, side) + 1]++;
    for (int b = 0; b <= m->nbodies; b++) next[b + 1] += next[b];
    for (int j = 0; j < njoints; j++)
        for (int side = 0; side < 2 && holds(m, j); side++)
            net->joint[next[ends(m, j, side)]++] = j;
}

int damping_net_side(const damping_net *net, int body, int joint)
{
    return ends(net->m, joint, 1) == body;
}

static int other(const damping_net *net, int body, int joint)
{
    return ends(net->m, joint, 1 - damping_net_side(net, body, joint));
}

/* ---- the search ---- */

typedef struct search {
    int *at;    /* [nbodies + 1] the next joint of each body to look at */
    int places; /* given out so far */
} search;

static void enter(damping_net *net, search *s, int body, int up)
{
    net->up[body] = up;
    net->top[body] = up < 0 ? body : net->top[up];
    net->seen[body] = net->low[body] = s->places++;
    net->below[body] = net->mass[body];
    s->at[body] = net->first[body];
}

/* Back to the body above: the one to go on with. */
static int leave(damping_net *net, const search *s, int body)
{
    int up = net->up[body];
    net->last[body] = s->places - 1;
    if (up < 0) return up;
    net->below[up] += net->below[body];
    if (net->low[body] < net->low[up]) net->low[up] = net->low[body];
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

int damping_net_make(const lm_model *m, int njoints, lm_arena *arena, damping_net *out)
{
    int n = m->nbodies + 1;
    search s = {.at = LM_NEW_N(arena, int, n)};
    damping_net *net = out;
    *net = (damping_net){.m = m,
                         .first = LM_NEW_N(arena, int, n + 2),
                         .joint = LM_NEW_N(arena, int, 2 * njoints),
                         .up = LM_NEW_N(arena, int, n),
                         .seen = LM_NEW_N(arena, int, n),
                         .last = LM_NEW_N(arena, int, n),
                         .low = LM_NEW_N(arena, int, n),
                         .top = LM_NEW_N(arena, int, n),
                         .mass = LM_NEW_N(arena, double, n),
                         .below = LM_NEW_N(arena, double, n)};
    if (!s.at || !net->first || !net->joint || !net->up || !net->seen || !net->last || !net->low ||
        !net->top || !net->mass || !net->below)
        return -1;
    list_joints(net, njoints);
    for (int b = 0; b < n; b++) net->seen[b] = -1;
    for (int b = 0; b < m->nbodies; b++) net->mass[b] = mass_of(m, b);
    visit(net, &s, m->nbodies);
    for (int b = 0; b < m->nbodies; b++)
        if (net->seen[b] < 0) visit(net, &s, b);
    return 0;
}

/* ---- parts ---- */

/* 1: what is below body `b` in the tree hangs on the one above it alone. */
static int is_cut_off(const damping_net *net, int b)
{
    return net->low[b] >= net->seen[net->up[b]];
}

int damping_net_part(const damping_net *net, int body, int joint)
{
    int to = other(net, body, joint), place = net->seen[to];
    if (place < net->seen[body]) return DAMPING_REST;
    for (int k = net->first[body]; k < net->first[body + 1]; k++) {
        int c = other(net, body, net->joint[k]);
        if (net->up[c] == body && net->seen[c] <= place && place <= net->last[c])
            return is_cut_off(net, c) ? c : DAMPING_REST;
    }
    return DAMPING_REST;
}

double damping_net_mass(const damping_net *net, int body, int part)
{
    if (part != DAMPING_REST) return net->below[part];
    double mass = net->below[net->top[body]] - net->mass[body];
    for (int k = net->first[body]; k < net->first[body + 1]; k++) {
        int c = other(net, body, net->joint[k]), again = 0;
        for (int i = net->first[body]; i < k; i++) again |= other(net, body, net->joint[i]) == c;
        if (!again && net->up[c] == body && is_cut_off(net, c)) mass -= net->below[c];
    }
    return mass;
}

int damping_net_holder(const damping_net *net, int body)
{
    int best = -2;
    double most = net->mass[body];
    if (net->top[body] == net->m->nbodies) return DAMPING_REST;
    for (int k = net->first[body]; k < net->first[body + 1]; k++) {
        int part = damping_net_part(net, body, net->joint[k]);
        double mass = damping_net_mass(net, body, part);
        if (mass > most) best = part, most = mass;
    }
    return best;
}
