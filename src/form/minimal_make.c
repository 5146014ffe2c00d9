/* Columns of the nodes, the pattern of the matrix, and the start. */
#include "form/minimal.h"
#include "form/minimal_check.h"

#include <string.h>

/* ---- columns ---- */

/* Places of the inputs of a node's arguments among its coordinates, which are marked in `at`. */
static void place_inputs(minimal *s, const lm_tip *tip, const int *at)
{
    for (int k = 0; k < tip->n; k++) {
        const lm_expr *e = s->arg[s->tree.columns.at[tip->first + k].u].e;
        int *to = s->input_at + s->input_first[tip->first + k];
        for (int i = 0; i < e->ninputs; i++)
            to[i] = e->inputs[i] == LM_SLOT_T ? -1 : at[e->inputs[i] - 1];
    }
}

/* The coordinates that move a node, ascending; the tree's own order where they are its rates. */
static int list_columns(minimal *s, int n, int *at, int done)
{
    const lm_tip *tip = &s->tree.tips.at[n];
    int first = done;
    if (!s->written) {
        for (int k = 0; k < tip->n; k++)
            s->moved.cols[done++] = s->tree.columns.at[tip->first + k].u;
        return done;
    }
    for (int c = 0; c < s->written; c++) at[c] = -1;
    for (int k = 0; k < tip->n; k++) {
        const lm_expr *e = s->arg[s->tree.columns.at[tip->first + k].u].e;
        for (int i = 0; i < e->ninputs; i++)
            if (e->inputs[i] != LM_SLOT_T) at[e->inputs[i] - 1] = 1;
    }
    for (int c = 0; c < s->written; c++)
        if (at[c] > 0) {
            at[c] = done - first;
            s->moved.cols[done++] = c;
        }
    place_inputs(s, tip, at);
    return done;
}

static int count_inputs(minimal *s)
{
    int n = 0;
    for (int k = 0; s->written && k < s->tree.columns.n; k++) {
        s->input_first[k] = n;
        n += s->arg[s->tree.columns.at[k].u].e->ninputs;
    }
    return n;
}

/* By coordinate: the nodes that it moves. */
static int list_moved(minimal *s, int total)
{
    int nv = s->sys.nv;
    s->col_start = LM_NEW_N(&s->arena, int, nv + 2);
    s->col_node = LM_NEW_N(&s->arena, int, total);
    if (!s->col_start || !s->col_node) return -1;
    int *start = s->col_start + 1; /* runs ahead while the lists are filled */
    for (int k = 0; k < total; k++) start[s->moved.cols[k] + 1]++;
    for (int c = 0; c < nv; c++) start[c + 1] += start[c];
    for (int n = 0; n < s->m->nnodes; n++)
        for (int k = 0; k < s->moved.node[n].n; k++)
            s->col_node[start[s->moved.cols[s->moved.node[n].first + k]]++] = n;
    return 0;
}

static void refuse_idle(const minimal *s, lm_diag *diag)
{
    for (int c = 0; c < s->written; c++)
        if (s->col_start[c] == s->col_start[c + 1]) {
            const lm_spec_item *item = &s->m->spec->coordinates.at[c].item;
            lm_error(
                diag, item->loc,
                "coordinate '%s' moves nothing: no 'motion' of a body depends on it; use it in "
                "'frames' or remove it",
                item->name);
        }
}

int minimal_make_columns(minimal *s, lm_diag *diag)
{
    int nodes = s->m->nnodes, done = 0;
    size_t most = s->written ? (size_t)s->written * (size_t)nodes : (size_t)s->tree.columns.n;
    int *at = LM_NEW_N(&s->arena, int, s->written);
    s->moved.node = LM_NEW_N(&s->arena, moved_node, nodes);
    s->moved.cols = LM_NEW_N(&s->arena, int, most);
    s->input_first = LM_NEW_N(&s->arena, int, s->tree.columns.n);
    if (!at || !s->moved.node || !s->moved.cols || !s->input_first) return -1;
    s->input_at = LM_NEW_N(&s->arena, int, count_inputs(s));
    if (!s->input_at) return -1;
    for (int n = 0; n < nodes; n++) {
        s->moved.node[n].first = done;
        done = list_columns(s, n, at, done);
        s->moved.node[n].n = done - s->moved.node[n].first;
    }
    s->moved.jets = LM_NEW_N(&s->arena, lm_jet, done);
    if (!s->moved.jets || list_moved(s, done)) return -1;
    int errors = diag->errors;
    refuse_idle(s, diag);
    return diag->errors > errors ? 0 : minimal_check(s, diag);
}

/* ---- pattern ---- */

/* Which rows a column has so far: those whose mark is the column's. */
typedef struct marks {
    lm_pattern_builder pb;
    int *row;  /* [nv + nl] */
    int *node; /* [nodes] whose coordinates are there */
} marks;

static int is_new(int *mark, int i, int col)
{
    int fresh = mark[i] != col + 1;
    mark[i] = col + 1;
    return fresh;
}

/* The coordinates that move a node, as rows of a column. The rates of a tree are listed from its root
 * outwards, so that all before one that is there already are there, too. */
static void mark_node(const minimal *s, marks *k, int n, int col)
{
    if (!is_new(k->node, n, col)) return;
    for (int c = s->moved.node[n].first + s->moved.node[n].n - 1; c >= s->moved.node[n].first;
         c--) {
        int r = s->moved.cols[c];
        if (is_new(k->row, r, col)) {
            lm_pattern_add(&k->pb, r, col);
            if (col >= s->sys.nv) lm_pattern_add(&k->pb, col, r);
        } else if (!s->written)
            break;
    }
}

/* The constraints that a node takes part in, as rows of a coordinate's column; the other way round too:
 * what reads a reaction needs not be held by it. */
static void mark_constraints(const minimal *s, marks *k, int n, int col)
{
    const lm_pattern *p = &s->in->sys.pattern;
    int nv = s->in->sys.nv;
    for (int c = NODE_V * n; c < NODE_V * (n + 1); c++)
        for (int i = p->colptr[c + 1] - 1; i >= p->colptr[c] && p->rowind[i] >= nv; i--) {
            int row = s->moved.own[p->rowind[i] - nv];
            if (row < 0 || !is_new(k->row, s->sys.nv + row, col)) continue;
            lm_pattern_add(&k->pb, s->sys.nv + row, col);
            lm_pattern_add(&k->pb, col, s->sys.nv + row);
        }
}

static void coordinate_pattern(const minimal *s, marks *k, int col)
{
    for (int i = s->col_start[col]; i < s->col_start[col + 1]; i++) {
        const moved_node *node = &s->moved.node[s->col_node[i]];
        mark_node(s, k, s->col_node[i], col);
        for (int e = 0; e < node->nnear; e++) mark_node(s, k, node->near[e], col);
        mark_constraints(s, k, s->col_node[i], col);
    }
}

static void multiplier_pattern(const minimal *s, marks *k, int own)
{
    const lm_pattern *p = &s->in->sys.pattern;
    int nv = s->in->sys.nv, col = nv + s->moved.row[own];
    for (int i = p->colptr[col]; i < p->colptr[col + 1] && p->rowind[i] < nv; i++)
        mark_node(s, k, p->rowind[i] / NODE_V, s->sys.nv + own);
}

static int make_pattern(minimal *s, lm_arena *temp)
{
    int size = s->sys.nv + s->sys.nl;
    marks k = {.pb = {.arena = temp},
               .row = LM_NEW_N(temp, int, size),
               .node = LM_NEW_N(temp, int, s->m->nnodes)};
    if (!k.row || !k.node) return -1;
    for (int c = 0; c < s->sys.nv; c++) coordinate_pattern(s, &k, c);
    for (int c = 0; c < s->sys.nl; c++) multiplier_pattern(s, &k, c);
    for (int c = 0; c < size; c++) lm_pattern_add(&k.pb, c, c);
    return k.pb.failed ? -1 : lm_pattern_make(&k.pb, &s->arena, size, &s->sys.pattern);
}

int minimal_make_pattern(minimal *s)
{
    lm_arena temp = {0};
    if (moved_make(&s->moved, &s->arena)) return -1;
    int bad = make_pattern(s, &temp);
    lm_arena_free(&temp);
    return bad ? bad : moved_choose_bodies(&s->moved, &s->arena);
}

/* ---- the start ---- */

static void start_written(const minimal *s, double *q, double *v)
{
    const lm_spec *spec = s->m->spec;
    for (int i = 0; i < s->written; i++) {
        q[i] = spec->coordinates.at[i].value;
        v[i] = spec->coordinates.at[i].rate;
    }
    for (int i = 0; i < spec->initial.n; i++) {
        const lm_spec_initial *in = &spec->initial.at[i];
        if (in->coordinate < 0) continue;
        if (in->has_value) q[in->coordinate] = in->value;
        if (in->has_rate) v[in->coordinate] = in->rate;
    }
}

/* Coordinates of the joint on which a node hangs, from the nodes; the turn of a ball follows. */
static void start_joint(minimal *s, double *q, int n)
{
    for (int i = s->hung[n].first; i < s->hung[n].first + s->hung[n].n; i++) {
        const lm_link *l = &s->tree.links.at[i];
        const min_rate *r = &s->rate[l->u];
        if (l->kind == LM_LINK_BALL)
            quat_put(q + l->p, (lm_quat){1, 0, 0, 0});
        else
            q[l->p] = r->coord < 0 ? 0 : r->sign * nodal_coord(s->in, s->moved.qi, r->coord);
    }
}

/* The ball among a node's links, NULL: there is none. */
static const lm_link *ball_of(const minimal *s, int n, int *at)
{
    for (int i = s->hung[n].first; i < s->hung[n].first + s->hung[n].n; i++)
        if (s->tree.links.at[i].kind == LM_LINK_BALL) return *at = i, &s->tree.links.at[i];
    return NULL;
}

/* Links of a node so that it is where the nodal formulation starts it: what turns freely is turned, then what
 * hangs free is moved. */
static void start_node(minimal *s, double *q, int n)
{
    int at;
    start_joint(s, q, n);
    minimal_move_node(s, n, q, NULL);
    const lm_link *ball = ball_of(s, n, &at);
    if (!ball) return;
    const lm_link_motion *m = &s->tree.motion[at];
    lm_tip_motion now;
    lm_kintree_tip_motion(&s->tree, n, &now);
    lm_m3 E = m3_cols(m->e[0], m->e[1], m->e[2]), R = quat_m3(node_quat(s->moved.qi, n));
    lm_m3 back = m3_t(&now.R), turn = m3_mul(&R, &back), to = m3_tmul(&E, &turn);
    to = m3_mul(&to, &E);
    quat_put(q + ball->p, lm_quat_from_m3(&to));
    minimal_move_node(s, n, q, NULL);
    if (s->rate[ball->u].joint >= 0) return;
    lm_kintree_tip_motion(&s->tree, n, &now);
    lm_v3 off = v3_sub(node_x(s->moved.qi, n), now.x);
    for (int i = 0; i < 3; i++) q[ball->p - 3 + i] = v3_dot(m->e[i], off);
    minimal_move_node(s, n, q, NULL);
}

/* Velocities of the nodes as the nodal formulation starts them, taken up joint by joint. */
static void start_rates(minimal *s, const double *q, double *v)
{
    double size = s->m->size > 0 ? s->m->size : 1;
    memset(v, 0, sizeof(double) * (size_t)s->sys.nv);
    for (int k = 0; k < s->m->nnodes; k++) {
        int n = nodal_tree_order(s->in->tree, k), own = 0;
        const lm_tip *tip = &s->tree.tips.at[n];
        lm_tip_motion m;
        double X[6][6], w[6];
        minimal_move_node(s, n, q, v);
        lm_kintree_tip_motion(&s->tree, n, &m);
        for (int i = 0; i < 3; i++) {
            w[i] = s->moved.vi[NODE_V * n + i] - v3_get(m.v, i);
            w[3 + i] = s->moved.vi[NODE_V * n + 3 + i] - v3_get(m.w, i);
        }
        for (int c = tip->first; c < tip->first + tip->n; c++) {
            const lm_column *col = &s->tree.columns.at[c];
            if (s->rate[col->u].node == n) lm_kintree_partial(&s->tree, col, &m, X[own++]);
        }
        if (own > 0) {
            int first = s->tree.columns.at[tip->first + tip->n - own].u;
            minimal_fit(X, own, w, 1 / (size * size), 1, v + first);
        }
        minimal_move_node(s, n, q, v);
    }
}

/* Angles of joints that the coordinates of the user move are those asked for, where these begin. */
static void start_angles(const minimal *s, double *q)
{
    for (int i = 0; i < s->m->spec->initial.n; i++) {
        const lm_spec_initial *in = &s->m->spec->initial.at[i];
        if (in->joint < 0 || !in->has_value) continue;
        const lm_coord *c = &s->m->coords[s->m->joints[in->joint].first_coord + in->coord];
        if (c->turns >= 0) q[s->sys.nq - s->m->nangles + c->turns] = in->value;
    }
    for (int c = 0; c < s->m->ncoords; c++) {
        const lm_coord *k = &s->m->coords[c];
        int own = c - s->m->joints[k->joint].first_coord;
        const lm_spec_coord *driven = &s->m->spec->joints.at[k->joint].coord[own];
        double d[3];
        if (k->turns < 0 || !driven->has_drive) continue;
        lm_expr_time(&driven->drive, 0, s->in->scratch, d);
        q[s->sys.nq - s->m->nangles + k->turns] = d[0];
    }
}

int minimal_start(minimal *s, double *q, double *v)
{
    int own = s->sys.nq - s->m->nangles;
    memset(q, 0, sizeof(double) * (size_t)s->sys.nq);
    if (s->written) {
        start_written(s, q, v);
        start_angles(s, q);
        return 0;
    }
    if (nodal_initial(&s->in->sys, s->moved.qi, s->moved.vi)) return -1;
    lm_copy(q + own, s->moved.qi + NODE_Q * s->m->nnodes, s->m->nangles);
    for (int k = 0; k < s->m->nnodes; k++) start_node(s, q, nodal_tree_order(s->in->tree, k));
    start_rates(s, q, v);
    return 0;
}
