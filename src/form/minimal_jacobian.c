/* The tangent: with the nodal residual r(x, V, A) and its derivatives K, D, M, and the nodes' motion
 * x(q), V(q, v), A(q, v, a),
 *
 *     d(X^T r)/dq = X^T (K X + D Xv + M Xa) + (dX/dq)^T r
 *     d(X^T r)/dv = X^T (D X + M Xc)                      d(X^T r)/da = X^T M X . */
#include "form/minimal.h"

#include <string.h>

/* What is wanted: c[0] M + c[1] D + c[2] K, or M, D and K (n = 3) each into its own array. */
typedef struct tangent {
    int n;
    double *to[3];
    double c[3][3];
    int damping, stiffness; /* D, K are in some of them */
} tangent;

static tangent wanted(int n, double *const *to, double c[][3])
{
    tangent w = {.n = n};
    for (int t = 0; t < n; t++) {
        w.to[t] = to[t];
        memcpy(w.c[t], c[t], sizeof w.c[t]);
        w.damping |= c[t][1] != 0 || c[t][2] != 0;
        w.stiffness |= c[t][2] != 0;
    }
    return w;
}

static double dot6(const double *a, const double *b)
{
    return ((a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3])) +
           (a[4] * b[4] + a[5] * b[5]);
}

/* The nodal matrices by blocks of 6x6. */
static void gather(minimal *s)
{
    int nnz = s->in->sys.pattern.nnz;
    for (int i = 0; i < nnz; i++) {
        if (s->block_at[i] < 0) continue;
        double *B = s->block + s->block_at[i];
        B[0] = s->M[i];
        B[36] = s->D[i];
        B[72] = s->K[i];
    }
}

static void place_column(minimal *s, int col)
{
    const lm_pattern *p = &s->sys.pattern;
    for (int i = p->colptr[col]; i < p->colptr[col + 1]; i++) s->place[p->rowind[i]] = i;
}

typedef double vec2 __attribute__((vector_size(16), aligned(8), may_alias));

/* Forces of M, D and K on a node near one that moves as j: f[0] = M X, f[1] = D X + M Xc,
 * f[2] = K X + D Xv + M Xa. */
static void forces(const double *B, const lm_jet *j, double f[3][6])
{
    vec2 sum[3][3] = {{{0}}};
    for (int c = 0; c < 6; c++, B += 6) {
        double X = j->X[c], Xc = j->Xc[c], Xv = j->Xv[c], Xa = j->Xa[c];
        for (int h = 0; h < 3; h++) {
            vec2 M = *(const vec2 *)(B + 2 * h), D = *(const vec2 *)(B + 36 + 2 * h);
            vec2 K = *(const vec2 *)(B + 72 + 2 * h);
            sum[0][h] += M * X;
            sum[1][h] += D * X + M * Xc;
            sum[2][h] += K * X + D * Xv + M * Xa;
        }
    }
    memcpy(f, sum, sizeof sum);
}

/* Forces that one coordinate's motion of node m makes on the nodes near it, and by their partial
 * velocities on the coordinates. */
static void add_motion(minimal *s, int m, const lm_jet *j, const tangent *w)
{
    const min_node *node = &s->node[m];
    for (int k = 0; k < node->nnear; k++) {
        const min_node *other = &s->node[node->near[k]];
        double f[3][6], sum[6];
        forces(s->block + (size_t)MINIMAL_BLOCK * (size_t)(node->block + k), j, f);
        for (int t = 0; t < w->n; t++) {
            const double *c = w->c[t], *of = f[t];
            if (w->n == 1) {
                for (int r = 0; r < 6; r++)
                    sum[r] = c[0] * f[0][r] + c[1] * f[1][r] + c[2] * f[2][r];
                of = sum;
            }
            for (int i = other->first; i < other->first + other->n; i++)
                w->to[t][s->place[s->cols[i]]] += dot6(s->jets[i].X, of);
        }
    }
}

/* Entries of constraint rows in the columns of node m. */
static void add_rows(minimal *s, int m, const lm_jet *j, double *values)
{
    const lm_pattern *p = &s->in->sys.pattern;
    int nv = s->in->sys.nv;
    for (int c = 0; c < 6; c++)
        for (int i = p->colptr[NODE_V * m + c + 1] - 1; i >= p->colptr[NODE_V * m + c]; i--) {
            int row = p->rowind[i] - nv;
            if (row < 0) break;
            if (s->own[row] >= 0) values[s->place[s->sys.nv + s->own[row]]] += s->M[i] * j->X[c];
        }
}

/* The column of a multiplier: forces on nodes, and the diagonal as in the nodal formulation. */
static void add_multiplier(minimal *s, int k, double *values)
{
    const lm_pattern *p = &s->in->sys.pattern;
    int nv = s->in->sys.nv, col = nv + s->row[k];
    place_column(s, s->sys.nv + k);
    values[s->place[s->sys.nv + k]] += s->sys.active[k] ? -s->sys.softness : 1;
    for (int i = p->colptr[col]; i < p->colptr[col + 1]; i++) {
        int r = p->rowind[i];
        if (r >= nv) break;
        const min_node *n = &s->node[r / NODE_V];
        for (int c = n->first; c < n->first + n->n; c++)
            values[s->place[s->cols[c]]] += s->M[i] * s->jets[c].X[r % NODE_V];
    }
}

/* ---- (dX/dq)^T r ---- */

/* Column of coordinate `col`: G[i] is the change of X_i . f, i a column of the tip, for all of them. */
static void add_changes(minimal *s, const lm_tip *tip, const double *G, double factor, int col,
                        double *values)
{
    place_column(s, col);
    for (int i = 0; i < tip->n; i++) {
        int u = s->tree.columns.at[tip->first + i].u;
        double g = factor * G[i];
        if (g == 0) continue;
        if (!s->written) {
            values[s->place[u]] += g;
            continue;
        }
        const min_arg *a = &s->arg[u];
        for (int k = 0; k < a->e->ninputs; k++)
            if (a->e->inputs[k] != LM_SLOT_T)
                values[s->place[a->e->inputs[k] - 1]] += g * s->grad[a->first + k];
    }
}

/* u' = du/dq changes with q, too. */
static void add_bend(minimal *s, int u, double force, double *values)
{
    const min_arg *a = &s->arg[u];
    int n = a->e->ninputs;
    for (int l = 0; l < n; l++) {
        if (a->e->inputs[l] == LM_SLOT_T) continue;
        place_column(s, a->e->inputs[l] - 1);
        for (int k = 0; k < n; k++)
            if (a->e->inputs[k] != LM_SLOT_T)
                values[s->place[a->e->inputs[k] - 1]] += force * s->hess[a->hess + n * k + l];
    }
}

/* X_i . f changes with u_j by G; both u are functions of the coordinates. */
static void add_geometric(minimal *s, int n, double cK, double *values)
{
    const lm_tip *tip = &s->tree.tips.at[n];
    const lm_column *c = s->tree.columns.at + tip->first;
    const double *f = s->ri + NODE_V * n;
    for (int j = 0; j < tip->n; j++) {
        for (int i = 0; i < tip->n; i++)
            s->ru[i] = lm_kintree_geometric(&s->tree, &c[i], &c[j], &s->tip[n], f);
        if (!s->written) {
            add_changes(s, tip, s->ru, cK, c[j].u, values);
            continue;
        }
        const min_arg *b = &s->arg[c[j].u];
        for (int l = 0; l < b->e->ninputs; l++)
            if (b->e->inputs[l] != LM_SLOT_T)
                add_changes(s, tip, s->ru, cK * s->grad[b->first + l], b->e->inputs[l] - 1, values);
        double X[6];
        lm_kintree_partial(&s->tree, &c[j], &s->tip[n], X);
        add_bend(s, c[j].u, cK * dot6(X, f), values);
    }
}

/* ---- forces that read a coordinate ---- */

/* Derivative of the nodal residual by the value (or rate) of coordinate c alone, by differences. */
static int add_sensed(minimal *s, const lm_state *st, int c, int rate, double cX, double *values)
{
    nodal *in = s->in;
    double h = 1e-6 * fmax(1, fabs(rate ? st->v[c] : st->q[c])), *diff = s->sensed;
    lm_state inner = minimal_inner(s, st);
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
    place_column(s, c);
    for (int n = 0; n < s->m->nnodes; n++)
        for (int k = s->node[n].first; k < s->node[n].first + s->node[n].n; k++) {
            double x = cX * dot6(s->jets[k].X, diff + NODE_V * n);
            if (x != 0 && lm_pattern_find(&s->sys.pattern, s->cols[k], c) >= 0)
                values[s->place[s->cols[k]]] += x;
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

/* The nodal matrices that are wanted; those that are not are zero. */
static int nodal_matrices(minimal *s, const lm_state *st, const tangent *w)
{
    lm_system *in = &s->in->sys;
    lm_state inner = minimal_inner(s, st);
    size_t bytes = sizeof(double) * (size_t)in->pattern.nnz;
    int bad = nodal_jacobian(in, &inner, 1, 0, 0, s->M);
    if (!w->damping) memset(s->D, 0, bytes);
    if (!w->stiffness) memset(s->K, 0, bytes);
    if (!bad && w->damping) bad = nodal_jacobian(in, &inner, 0, 1, 0, s->D);
    if (!bad && w->stiffness) bad = nodal_jacobian(in, &inner, 0, 0, 1, s->K);
    if (!bad && w->stiffness) bad = nodal_residual(in, &inner, s->ri, s->phi, s->phi_rate);
    return bad;
}

static int assemble(minimal *s, const lm_state *st, const tangent *w)
{
    for (int t = 0; t < w->n; t++) memset(w->to[t], 0, sizeof(double) * (size_t)s->sys.pattern.nnz);
    int bad = minimal_place(s, st);
    if (!bad) bad = minimal_jets(s, st);
    if (!bad) bad = nodal_matrices(s, st, w);
    if (bad) return bad;
    gather(s);
    for (int m = 0; m < s->m->nnodes; m++) {
        for (int k = s->node[m].first; k < s->node[m].first + s->node[m].n; k++) {
            place_column(s, s->cols[k]);
            add_motion(s, m, &s->jets[k], w);
            for (int t = 0; t < w->n && s->sys.nl > 0; t++) add_rows(s, m, &s->jets[k], w->to[t]);
        }
        for (int t = 0; t < w->n; t++)
            if (w->c[t][2] != 0) add_geometric(s, m, w->c[t][2], w->to[t]);
    }
    for (int t = 0; t < w->n && !bad; t++) {
        for (int k = 0; k < s->sys.nl; k++) add_multiplier(s, k, w->to[t]);
        if (w->c[t][1] != 0 || w->c[t][2] != 0)
            bad = add_all_sensed(s, st, w->c[t][1], w->c[t][2], w->to[t]);
    }
    return bad;
}

int minimal_jacobian(lm_system *sys, const lm_state *st, double cM, double cD, double cK,
                     double *values)
{
    double c[1][3] = {{cM, cD, cK}};
    tangent w = wanted(1, &values, c);
    return assemble((minimal *)sys, st, &w);
}

int minimal_matrices(lm_system *sys, const lm_state *st, double *M, double *D, double *K)
{
    double c[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, *to[3] = {M, D, K};
    tangent w = wanted(3, to, c);
    return assemble((minimal *)sys, st, &w);
}
