/* What variables of a machine read of nodes that move by other coordinates, and where they act on
 * these: the nodal system's part, by the partial velocities. */
#include "form/moved.h"

#include <string.h>

/* The coordinates of some nodes, each once: places in `unknown`. */
static int list_coordinates(const lm_moved *s, const int *node, int nodes, int *unknown)
{
    int n = 0;
    for (int e = 0; e < nodes; e++) {
        if (node[e] < 0) continue;
        const moved_node *m = &s->node[node[e]];
        for (int k = m->first; k < m->first + m->n; k++) {
            int known = 0;
            for (int i = 0; i < n && !known; i++) known = unknown[i] == s->cols[k];
            if (!known) unknown[n++] = s->cols[k];
        }
    }
    return n;
}

static const lm_moved *moved_of(const lm_system *sys)
{
    return &((const moved_system *)sys)->moved;
}

static const double *slots(const lm_system *sys) { return moved_of(sys)->in->slots; }

static const lm_expr *guarded(const lm_system *sys, int k, int *first)
{
    return nodal_guarded_expr(moved_of(sys)->in, k, first);
}

static const lm_expr *forcing(const lm_system *sys, int k)
{
    return nodal_forcing(moved_of(sys)->in, k);
}

static int sensed(const lm_system *sys, int sensor, int *unknown)
{
    const lm_moved *s = moved_of(sys);
    const lm_spec_sensor *c = &s->in->m->spec->sensors.at[sensor];
    sensor_grad g;
    if (c->kind == LM_SENSOR_COORDINATE || c->kind == LM_SENSOR_COORDINATE_RATE) {
        unknown[0] = c->coordinate;
        return 1;
    }
    nodal_sensor_deps(s->in, sensor, &g);
    int n = list_coordinates(s, g.node, 2, unknown);
    for (int k = 0; k < g.nrows; k++)
        if (s->own[g.row[k]] >= 0) unknown[n++] = s->sys->nv + s->own[g.row[k]];
    return n;
}

static double along(const sensor_grad *g, int e, const lm_jet *j, double cM, double cD, double cK)
{
    double sum = cM * moved_dot(j->X, g->da[e]);
    if (cD != 0) sum += cD * (moved_dot(j->X, g->dv[e]) + moved_dot(j->Xc, g->da[e]));
    if (cK != 0)
        sum += cK * (moved_dot(j->X, g->dq[e]) + moved_dot(j->Xv, g->dv[e]) +
                     moved_dot(j->Xa, g->da[e]));
    return sum;
}

static void sensor_gradient(lm_system *sys, const lm_state *st, int sensor, double cM, double cD,
                            double cK, double *out)
{
    lm_moved *s = &((moved_system *)sys)->moved;
    lm_state inner = moved_inner(s, st);
    const lm_spec_sensor *c = &s->in->m->spec->sensors.at[sensor];
    sensor_grad g;
    if (c->kind == LM_SENSOR_COORDINATE || c->kind == LM_SENSOR_COORDINATE_RATE) {
        out[0] = c->kind == LM_SENSOR_COORDINATE ? cK : cD;
        return;
    }
    nodal_sensor_grad(s->in, &inner, sensor, &g);
    int n = list_coordinates(s, g.node, 2, s->unknown);
    memset(out, 0, sizeof(double) * (size_t)n);
    for (int i = 0; i < n; i++) s->place[s->unknown[i]] = i;
    for (int e = 0; e < 2; e++) {
        if (g.node[e] < 0) continue;
        const moved_node *m = &s->node[g.node[e]];
        for (int k = m->first; k < m->first + m->n; k++)
            out[s->place[s->cols[k]]] += along(&g, e, &s->jets[k], cM, cD, cK);
    }
    for (int k = 0; k < g.nrows; k++)
        if (s->own[g.row[k]] >= 0) out[n++] = g.dlam[k];
}

static int pushed(const lm_system *sys, int sensor, int *row)
{
    const lm_moved *s = moved_of(sys);
    int n = nodal_pushed(s->in, sensor, s->in->pushed);
    return list_coordinates(s, s->in->pushed, n, row);
}

static void push(lm_system *sys, const lm_state *st, int sensor, double *out)
{
    lm_moved *s = &((moved_system *)sys)->moved;
    const int *node = s->in->pushed;
    (void)st;
    int nodes = nodal_pushed(s->in, sensor, s->in->pushed);
    nodal_push(s->in, sensor, nodes, node, s->force);
    int n = list_coordinates(s, node, nodes, s->unknown);
    memset(out, 0, sizeof(double) * (size_t)n);
    for (int i = 0; i < n; i++) s->place[s->unknown[i]] = i;
    for (int e = 0; e < nodes; e++) {
        const moved_node *m = &s->node[node[e]];
        for (int k = m->first; k < m->first + m->n; k++)
            out[s->place[s->cols[k]]] += moved_dot(s->jets[k].X, s->force + NODE_V * e);
    }
}

static void evaluate(lm_system *sys, const double *sensors, double *out)
{
    nodal_evaluate(moved_of(sys)->in, sensors, out);
}

const lm_ports moved_ports = {
    .slots = slots,
    .guarded = guarded,
    .forcing = forcing,
    .evaluate = evaluate,
    .sensed = sensed,
    .pushed = pushed,
    .sensor_gradient = sensor_gradient,
    .push = push,
};
