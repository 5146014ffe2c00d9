/* Power graphs made by hand: a drive, a robot of two axes, a hydraulic cylinder, random ones. */
#ifndef TEST_BOND_GRAPH_ENV_H
#define TEST_BOND_GRAPH_ENV_H

#include "model/spec.h"

#include <string.h>

typedef struct graph {
    lm_spec spec;
    lm_arena arena;
} graph;

static int element(graph *g, lm_element_type type, const char *name, lm_domain domain)
{
    lm_spec_element *e = LM_PUSH(&g->arena, &g->spec.elements);
    e->item.name = lm_arena_str(&g->arena, name);
    e->type = type;
    e->domain = domain;
    e->joint = e->load = e->force = -1;
    return g->spec.elements.n - 1;
}

static void bond(graph *g, int from, int to, int stroke)
{
    *LM_PUSH(&g->arena, &g->spec.bonds) = (lm_spec_bond){from, to, stroke};
}

/* A one-port on a junction: sources give, all others take. */
static int on(graph *g, int junction, lm_element_type type, const char *name, int stroke)
{
    int e = element(g, type, name, LM_DOMAIN_NONE);
    int gives = type == LM_ELEMENT_SE || type == LM_ELEMENT_SF;
    bond(g, gives ? e : junction, gives ? junction : e, stroke);
    return e;
}

static int joint(graph *g, const char *name)
{
    lm_spec_joint *j = LM_PUSH(&g->arena, &g->spec.joints);
    j->item.name = name;
    j->type = LM_JOINT_REVOLUTE;
    return g->spec.joints.n - 1;
}

/* Bonds by element, as the reader leaves them. */
static void finish(graph *g)
{
    for (int i = 0; i < g->spec.elements.n; i++) {
        lm_spec_element *e = &g->spec.elements.at[i];
        int *list = LM_NEW_N(&g->arena, int, g->spec.bonds.n + 1);
        for (int k = 0; k < g->spec.bonds.n; k++)
            if (g->spec.bonds.at[k].from == i || g->spec.bonds.at[k].to == i) list[e->nbonds++] = k;
        e->bond = list;
    }
}

static const char *named(graph *g, const char *prefix, const char *name)
{
    return lm_arena_printf(&g->arena, "%s%s", prefix, name);
}

/* A motor from its loop to its rotor; returns both. */
static void motor(graph *g, const char *prefix, int ends[2])
{
    int loop = element(g, LM_ELEMENT_ONE, named(g, prefix, "loop"), LM_DOMAIN_ELECTRIC);
    on(g, loop, LM_ELEMENT_R, named(g, prefix, "copper"), 0);
    on(g, loop, LM_ELEMENT_I, named(g, prefix, "winding"), 1);
    int gy = element(g, LM_ELEMENT_GY, named(g, prefix, "motor"), LM_DOMAIN_NONE);
    int rotor = element(g, LM_ELEMENT_ONE, named(g, prefix, "rotor"), LM_DOMAIN_ROTATION);
    on(g, rotor, LM_ELEMENT_I, named(g, prefix, "inertia"), 1);
    on(g, rotor, LM_ELEMENT_R, named(g, prefix, "bearing"), 0);
    bond(g, loop, gy, 0);
    bond(g, gy, rotor, 1);
    ends[0] = loop;
    ends[1] = rotor;
}

static graph drive(void)
{
    graph g = {0};
    int ends[2], elbow = joint(&g, "elbow");
    motor(&g, "", ends);
    on(&g, ends[0], LM_ELEMENT_SE, "battery", 1);
    int gear = element(&g, LM_ELEMENT_TF, "gear", LM_DOMAIN_NONE);
    int arm = element(&g, LM_ELEMENT_ONE, "arm", LM_DOMAIN_ROTATION);
    bond(&g, ends[1], gear, 0);
    bond(&g, gear, arm, 0);
    int port = on(&g, arm, LM_ELEMENT_PORT, "hinge", 1);
    g.spec.elements.at[port].joint = elbow;
    g.spec.elements.at[on(&g, arm, LM_ELEMENT_I, "flange", 0)].derivative = 1;
    finish(&g);
    return g;
}

/* Two axes on one battery, each a group with a motor inside. */
static graph robot(void)
{
    graph g = {0};
    int joints[2] = {joint(&g, "shoulder"), joint(&g, "elbow")};
    int bus = element(&g, LM_ELEMENT_ZERO, "bus", LM_DOMAIN_ELECTRIC);
    on(&g, bus, LM_ELEMENT_SE, "battery", 1);
    on(&g, bus, LM_ELEMENT_C, "buffer", 0);
    for (int k = 0; k < 2; k++) {
        const char *axis = k ? "axis2." : "axis1.";
        int ends[2];
        motor(&g, named(&g, axis, "m."), ends);
        int belt = element(&g, LM_ELEMENT_TF, named(&g, axis, "belt"), LM_DOMAIN_NONE);
        int shaft = element(&g, LM_ELEMENT_ONE, named(&g, axis, "shaft"), LM_DOMAIN_ROTATION);
        int twist = element(&g, LM_ELEMENT_ZERO, named(&g, axis, "twist"), LM_DOMAIN_ROTATION);
        on(&g, twist, LM_ELEMENT_C, named(&g, axis, "stiffness"), 0);
        int out = element(&g, LM_ELEMENT_ONE, named(&g, axis, "out"), LM_DOMAIN_ROTATION);
        bond(&g, bus, ends[0], 1);
        bond(&g, ends[1], belt, 0);
        bond(&g, belt, shaft, 0);
        bond(&g, shaft, twist, 0);
        bond(&g, twist, out, 1);
        int port = on(&g, out, LM_ELEMENT_PORT, named(&g, axis, "hinge"), 1);
        g.spec.elements.at[port].joint = joints[k];
    }
    finish(&g);
    return g;
}

/* A cylinder between a pump, a valve of four edges and two chambers: circles in the graph. */
static graph cylinder(void)
{
    graph g = {0};
    int supply = element(&g, LM_ELEMENT_ZERO, "supply", LM_DOMAIN_HYDRAULIC);
    int tank = element(&g, LM_ELEMENT_ZERO, "tank", LM_DOMAIN_HYDRAULIC);
    int chamber[2], rod = element(&g, LM_ELEMENT_ONE, "rod", LM_DOMAIN_TRANSLATION);
    on(&g, supply, LM_ELEMENT_SF, "pump", 0);
    on(&g, supply, LM_ELEMENT_R, "relief", 1);
    on(&g, tank, LM_ELEMENT_SE, "atmosphere", 1);
    for (int k = 0; k < 2; k++) {
        const char *which = k ? "b" : "a";
        chamber[k] =
            element(&g, LM_ELEMENT_ZERO, named(&g, "chamber_", which), LM_DOMAIN_HYDRAULIC);
        on(&g, chamber[k], LM_ELEMENT_C, named(&g, "oil_", which), 0);
        int in = element(&g, LM_ELEMENT_ONE, named(&g, "inlet_", which), LM_DOMAIN_HYDRAULIC);
        int out = element(&g, LM_ELEMENT_ONE, named(&g, "outlet_", which), LM_DOMAIN_HYDRAULIC);
        on(&g, in, LM_ELEMENT_R, named(&g, "edge_in_", which), 0);
        on(&g, out, LM_ELEMENT_R, named(&g, "edge_out_", which), 0);
        bond(&g, supply, in, 1);
        bond(&g, in, chamber[k], 0);
        bond(&g, chamber[k], out, 1);
        bond(&g, out, tank, 0);
        int area = element(&g, LM_ELEMENT_TF, named(&g, "area_", which), LM_DOMAIN_NONE);
        bond(&g, chamber[k], area, 1);
        bond(&g, area, rod, 1);
    }
    on(&g, rod, LM_ELEMENT_R, "seal", 0);
    int port = on(&g, rod, LM_ELEMENT_PORT, "piston", 0);
    g.spec.elements.at[port].joint = joint(&g, "slide");
    finish(&g);
    return g;
}

static unsigned dice(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

/* Junctions joined at random, one-ports on them, some in groups of groups. */
static graph random_graph(unsigned seed, int n)
{
    static const char *const group[] = {"", "", "m1.", "m1.inner.", "valve."};
    static const lm_element_type leaf[] = {LM_ELEMENT_SE, LM_ELEMENT_SF, LM_ELEMENT_R,
                                           LM_ELEMENT_C,  LM_ELEMENT_I,  LM_ELEMENT_PORT};
    graph g = {0};
    int junctions = n / 3;
    for (int i = 0; i < junctions; i++) {
        lm_element_type t = dice(&seed) % 2 ? LM_ELEMENT_ONE : LM_ELEMENT_ZERO;
        const char *prefix = group[dice(&seed) % 5];
        element(&g, t, lm_arena_printf(&g.arena, "%sjunction%d", prefix, i),
                (lm_domain)(dice(&seed) % 6));
        if (i) bond(&g, i, (int)(dice(&seed) % (unsigned)i), (int)(dice(&seed) % 2));
    }
    for (int i = 0; i < junctions / 4; i++) {
        int a = (int)(dice(&seed) % (unsigned)junctions), b = (a + 1) % junctions;
        if (a != b) bond(&g, a, b, (int)(dice(&seed) % 2));
    }
    while (g.spec.elements.n < n) {
        int at = (int)(dice(&seed) % (unsigned)junctions);
        const char *own = g.spec.elements.at[at].item.name, *dot = strrchr(own, '.');
        int prefix = dot && dice(&seed) % 4 ? (int)(dot - own) + 1 : 0;
        const char *name = lm_arena_printf(&g.arena, "%.*spart_%d", prefix, own, g.spec.elements.n);
        int e = on(&g, at, leaf[dice(&seed) % 6], name, (int)(dice(&seed) % 2));
        g.spec.elements.at[e].derivative = dice(&seed) % 10 == 0;
    }
    finish(&g);
    return g;
}

#endif
