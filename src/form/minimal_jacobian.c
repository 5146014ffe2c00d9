/* The tangent: that of the nodes' forces (form/moved.h), the change of the partial velocities, and forces
 * that read a coordinate. */
#include "form/minimal.h"

#include <string.h>

/* ---- (dX/dq)^T r ---- */

/* Column of coordinate `col`: G[i] is the change of X_i . f, i a column of the tip, for all of them. */
static void add_changes(minimal *s, const lm_tip *tip, const double *G, double factor, int col,
                        double *values)
{
    moved_column(&s->moved, col);
    for (int i = 0; i < tip->n; i++) {
        int u = s->tree.columns.at[tip->first + i].u;
        double g = factor * G[i];
        if (g == 0) continue;
        if (!s->written) {
            values[s->moved.place[u]] += g;
            continue;
        }
        const min_arg *a = &s->arg[u];
        for (int k = 0; k < a->e->ninputs; k++)
            if (a->e->inputs[k] != LM_SLOT_T)
                values[s->moved.place[a->e->inputs[k] - 1]] += g * s->grad[a->first + k];
    }
}

/* u' = du/dq changes with q, too. */
static void add_bend(minimal *s, int u, double force, double *values)
{
    const min_arg *a = &s->arg[u];
    int n = a->e->ninputs;
    for (int l = 0; l < n; l++) {
        if (a->e->inputs[l] == LM_SLOT_T) continue;
        moved_column(&s->moved, a->e->inputs[l] - 1);
        for (int k = 0; k < n; k++)
            if (a->e->inputs[k] != LM_SLOT_T)
                values[s->moved.place[a->e->inputs[k] - 1]] += force * s->hess[a->hess + n * k + l];
    }
}

/* X_i . f changes with u_j by G; both u are functions of the coordinates. */
static void add_geometric(minimal *s, int n, double cK, double *values)
{
    const lm_tip *tip = &s->tree.tips.at[n];
    const lm_column *c = s->tree.columns.at + tip->first;
    const double *f = s->moved.ri + NODE_V * n;
    for (int j = 0; j < tip->n; j++) {
        for (int i = 0; i < tip->n; i++)
            s->ru[i] = lm_kintree_geometric(&s->tree, &c[i], &c[j], &s->moved.tip[n], f);
        if (!s->written) {
            add_changes(s, tip, s->ru, cK, c[j].u, values);
            continue;
        }
        const min_arg *b = &s->arg[c[j].u];
        for (int l = 0; l < b->e->ninputs; l++)
            if (b->e->inputs[l] != LM_SLOT_T)
                add_changes(s, tip, s->ru, cK * s->grad[b->first + l], b->e->inputs[l] - 1, values);
        if (b->affine) continue;
        double X[6];
        lm_kintree_partial(&s->tree, &c[j], &s->moved.tip[n], X);
        add_bend(s, c[j].u, cK * moved_dot(X, f), values);
    }
}

/* ---- forces that read a coordinate ---- */

/* Derivative of the nodal residual by the value (or rate) of coordinate c alone, by differences. */
static int add_sensed(minimal *s, const lm_state *st, int c, int rate, double cX, double *values)
{
    nodal *in = s->in;
    double h = 1e-6 * fmax(1, fabs(rate ? st->v[c] : st->q[c])), *diff = s->sensed;
    lm_state inner = moved_inner(&s->moved, st);
    memset(diff, 0, sizeof(double) * (size_t)in->sys.nv);
    for (int side = -1; side <= 1; side += 2) {
        memcpy(s->bent, rate ? st->v : st->q, sizeof(double) * (size_t)s->written);
        s->bent[c] += side * h;
        *(rate ? &in->coordinate_rate : &in->coordinate) = s->bent;
        int bad = nodal_residual(&in->sys, &inner, s->trial, NULL, NULL);
        in->coordinate = st->q;
        in->coordinate_rate = st->v;
        if (bad) return bad;
        for (int i = 0; i < in->sys.nv; i++) diff[i] += side / (2 * h) * s->trial[i];
    }
    moved_column(&s->moved, c);
    for (int n = 0; n < s->m->nnodes; n++)
        for (int k = s->moved.node[n].first; k < s->moved.node[n].first + s->moved.node[n].n; k++) {
            double x = cX * moved_dot(s->moved.jets[k].X, diff + NODE_V * n);
            if (x != 0 && lm_pattern_find(&s->sys.pattern, s->moved.cols[k], c) >= 0)
                values[s->moved.place[s->moved.cols[k]]] += x;
        }
    return 0;
}

static int add_all_sensed(minimal *s, const lm_state *st, double cD, double cK, double *values)
{
    for (int i = 0; s->written && i < s->m->spec->sensors.n; i++) {
        const lm_spec_sensor *c = &s->m->spec->sensors.at[i];
        int rate = c->kind == LM_SENSOR_COORDINATE_RATE;
        if (!s->in->force_sensor[i] || (c->kind != LM_SENSOR_COORDINATE && !rate)) continue;
        if (rate && !st->v) continue;
        int bad = add_sensed(s, st, c->coordinate, rate, rate ? cD : cK, values);
        if (bad) return bad;
    }
    return 0;
}

/* The nodes' forces that bend paths: those with the accelerations of a state that is held. */
static int held_forces(minimal *s, const lm_state *st)
{
    lm_state inner, held = *st;
    held.a = s->sys.held_by;
    int bad = minimal_enter(s, &held, &inner);
    if (!bad) bad = nodal_residual(&s->in->sys, &inner, s->moved.ri, NULL, NULL);
    return bad ? bad : minimal_enter(s, st, &inner);
}

static int assemble(minimal *s, const lm_state *st, const lm_mix *w)
{
    for (int t = 0; t < w->n; t++) memset(w->to[t], 0, sizeof(double) * (size_t)s->sys.pattern.nnz);
    lm_state inner;
    int bad = minimal_enter(s, st, &inner);
    if (!bad) bad = minimal_jets(s, st);
    if (!bad) bad = moved_matrices(&s->moved, &inner, w);
    if (!bad && w->stiffness) bad = nodal_residual(&s->in->sys, &inner, s->moved.ri, NULL, NULL);
    if (!bad && w->stiffness && s->sys.held_by) bad = held_forces(s, st);
    if (bad) return bad;
    for (int m = 0; m < s->m->nnodes; m++) {
        const moved_node *node = &s->moved.node[m];
        for (int k = node->first; k < node->first + node->n; k++) {
            moved_column(&s->moved, s->moved.cols[k]);
            moved_add(&s->moved, m, &s->moved.jets[k], w);
        }
        for (int t = 0; t < w->n; t++)
            if (w->c[t][2] != 0) add_geometric(s, m, w->c[t][2], w->to[t]);
    }
    bad = moved_bodies(&s->moved, &inner, w);
    moved_multipliers(&s->moved, w);
    for (int t = 0; t < w->n && !bad; t++)
        if (w->c[t][1] != 0 || w->c[t][2] != 0)
            bad = add_all_sensed(s, st, w->c[t][1], w->c[t][2], w->to[t]);
    return bad;
}

int minimal_jacobian(lm_system *sys, const lm_state *st, double cM, double cD, double cK,
                     double *values)
{
    lm_mix w = lm_mix_one(cM, cD, cK, values);
    return assemble((minimal *)sys, st, &w);
}

int minimal_matrices(lm_system *sys, const lm_state *st, double *M, double *D, double *K)
{
    lm_mix w = lm_mix_each(M, D, K);
    return assemble((minimal *)sys, st, &w);
}
