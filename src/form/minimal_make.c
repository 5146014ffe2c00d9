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
        for (int k = 0; k < tip->n; k++) s->cols[done++] = s->tree.columns.at[tip->first + k].u;
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
            s->cols[done++] = c;
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
    s->col_at = LM_NEW_N(&s->arena, int, total);
    if (!s->col_start || !s->col_node || !s->col_at) return -1;
    int *start = s->col_start + 1; /* runs ahead while the lists are filled */
    for (int k = 0; k < total; k++) start[s->cols[k] + 1]++;
    for (int c = 0; c < nv; c++) start[c + 1] += start[c];
    for (int n = 0; n < s->m->nnodes; n++)
        for (int k = 0; k < s->node[n].n; k++) {
            int to = start[s->cols[s->node[n].first + k]]++;
            s->col_node[to] = n;
            s->col_at[to] = s->node[n].first + k;
        }
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
    s->node = LM_NEW_N(&s->arena, min_node, nodes);
    s->cols = LM_NEW_N(&s->arena, int, most);
    s->input_first = LM_NEW_N(&s->arena, int, s->tree.columns.n);
    if (!at || !s->node || !s->cols || !s->input_first) return -1;
    s->input_at = LM_NEW_N(&s->arena, int, count_inputs(s));
    if (!s->input_at) return -1;
    for (int n = 0; n < nodes; n++) {
        s->node[n].first = done;
        done = list_columns(s, n, at, done);
        s->node[n].n = done - s->node[n].first;
    }
    s->jets = LM_NEW_N(&s->arena, lm_jet, done);
    if (!s->jets || list_moved(s, done)) return -1;
    int errors = diag->errors;
    refuse_idle(s, diag);
    return diag->errors > errors ? 0 : minimal_check(s, diag);
}

/* ---- pattern ---- */

/* Nodes that share an entry of the nodal matrix with the columns of node n. */
static int list_near(minimal *s, int n, int *seen)
{
    const lm_pattern *p = &s->in->sys.pattern;
    int count = 0, nodes = s->m->nnodes;
    for (int pass = 0; pass < 2; pass++) {
        count = 0;
        for (int k = 0; k < nodes; k++) seen[k] = 0;
        for (int c = NODE_V * n; c < NODE_V * (n + 1); c++)
            for (int i = p->colptr[c]; i < p->colptr[c + 1]; i++) {
                int other = p->rowind[i] / NODE_V;
                if (p->rowind[i] >= s->in->sys.nv || seen[other]) continue;
                seen[other] = 1;
                if (pass) s->node[n].near[count] = other;
                count++;
            }
        if (pass == 0) s->node[n].near = LM_NEW_N(&s->arena, int, count);
        if (!s->node[n].near) return -1;
    }
    s->node[n].nnear = count;
    return 0;
}

/* Where the entries of the nodal matrices go, which are used by blocks of 6x6, column by column: M of
 * a node and one near it, then D and K. Entries of constraints have no such place. */
static int place_blocks(minimal *s, int *near_at)
{
    const lm_pattern *p = &s->in->sys.pattern;
    int blocks = 0;
    s->block_at = LM_NEW_N(&s->arena, int, p->nnz);
    if (!s->block_at) return -1;
    for (int i = 0; i < p->nnz; i++) s->block_at[i] = -1;
    for (int n = 0; n < s->m->nnodes; n++) {
        min_node *node = &s->node[n];
        node->block = blocks;
        for (int k = 0; k < node->nnear; k++) near_at[node->near[k]] = blocks++;
        for (int c = 0; c < NODE_V; c++)
            for (int i = p->colptr[NODE_V * n + c]; i < p->colptr[NODE_V * n + c + 1]; i++) {
                int r = p->rowind[i];
                if (r < s->in->sys.nv)
                    s->block_at[i] = MINIMAL_BLOCK * near_at[r / NODE_V] + NODE_V * c + r % NODE_V;
            }
    }
    s->block = LM_NEW_N(&s->arena, double, (size_t)MINIMAL_BLOCK *(size_t)blocks);
    return s->block ? 0 : -1;
}

/* The matrix as a table of marks, size x size. */
static void mark_block(const minimal *s, unsigned char *mark, int n, int m)
{
    size_t size = (size_t)(s->sys.nv + s->sys.nl);
    for (int c = 0; c < s->node[m].n; c++)
        for (int r = 0; r < s->node[n].n; r++)
            mark[size * (size_t)s->cols[s->node[m].first + c] +
                 (size_t)s->cols[s->node[n].first + r]] = 1;
}

/* Columns of a node against a row of constraints, and the other way round. */
static void mark_row(const minimal *s, unsigned char *mark, int n, int row)
{
    size_t size = (size_t)(s->sys.nv + s->sys.nl), r = (size_t)(s->sys.nv + row);
    for (int c = 0; c < s->node[n].n; c++) {
        size_t col = (size_t)s->cols[s->node[n].first + c];
        mark[size * col + r] = mark[size * r + col] = 1;
    }
}

static void mark_all(const minimal *s, unsigned char *mark)
{
    const lm_pattern *p = &s->in->sys.pattern;
    int nv = s->in->sys.nv;
    for (int n = 0; n < s->m->nnodes; n++) {
        for (int k = 0; k < s->node[n].nnear; k++) mark_block(s, mark, s->node[n].near[k], n);
        mark_block(s, mark, n, n);
    }
    for (int c = 0; c < p->n; c++)
        for (int i = p->colptr[c]; i < p->colptr[c + 1]; i++) {
            int r = p->rowind[i], row = c >= nv ? s->own[c - nv] : r >= nv ? s->own[r - nv] : -1;
            int node = c >= nv ? r / NODE_V : c / NODE_V;
            if (row >= 0 && node < s->m->nnodes) mark_row(s, mark, node, row);
        }
    for (int k = 0; k < s->sys.nv + s->sys.nl; k++)
        mark[(size_t)k * (size_t)(s->sys.nv + s->sys.nl + 1)] = 1;
}

static int pattern_of_marks(minimal *s, const unsigned char *mark)
{
    lm_pattern_builder pb = {.arena = &s->arena};
    int size = s->sys.nv + s->sys.nl;
    for (int c = 0; c < size; c++)
        for (int r = 0; r < size; r++)
            if (mark[(size_t)size * (size_t)c + (size_t)r]) lm_pattern_add(&pb, r, c);
    return pb.failed || lm_pattern_make(&pb, &s->arena, size, &s->sys.pattern) ? -1 : 0;
}

int minimal_make_pattern(minimal *s)
{
    size_t size = (size_t)(s->sys.nv + s->sys.nl);
    int nnz = s->in->sys.pattern.nnz, *scratch = LM_NEW_N(&s->arena, int, s->m->nnodes);
    if (!scratch) return -1;
    for (int n = 0; n < s->m->nnodes; n++)
        if (list_near(s, n, scratch)) return -1;
    if (place_blocks(s, scratch)) return -1;
    unsigned char *mark = lm_alloc(size * size);
    if (!mark) return -1;
    mark_all(s, mark);
    int bad = pattern_of_marks(s, mark);
    lm_free(mark);
    s->K = LM_NEW_N(&s->arena, double, nnz);
    s->M = LM_NEW_N(&s->arena, double, nnz);
    s->D = LM_NEW_N(&s->arena, double, nnz);
    s->place = LM_NEW_N(&s->arena, int, size);
    return bad || !s->K || !s->M || !s->D || !s->place ? -1 : 0;
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

static void start_positions(const minimal *s, double *q)
{
    for (int i = 0; i < s->tree.links.n; i++) {
        const lm_link *l = &s->tree.links.at[i];
        const min_rate *r = &s->rate[l->u];
        double value, rate;
        if (l->kind == LM_LINK_BALL) {
            quat_put(q + l->p, (lm_quat){1, 0, 0, 0});
            continue;
        }
        q[l->p] = 0;
        if (r->coord < 0) continue;
        const lm_joint *j = &s->m->joints[s->m->coords[r->coord].joint];
        nodal_coord_start(s->in, s->m->coords[r->coord].joint, r->coord - j->first_coord, &value,
                          &rate);
        q[l->p] = r->sign * value;
    }
}

/* Velocities of the nodes as the nodal formulation starts them, taken up joint by joint. */
static void start_rates(minimal *s, const double *q, double *v)
{
    double size = s->m->size > 0 ? s->m->size : 1;
    memset(v, 0, sizeof(double) * (size_t)s->sys.nv);
    lm_form_corotational.initial(&s->in->sys, s->qi, s->vi);
    for (int k = 0; k < s->m->nnodes; k++) {
        int n = nodal_tree_order(s->in->tree, k), own = 0;
        const lm_tip *tip = &s->tree.tips.at[n];
        lm_tip_motion m;
        double X[6][6], w[6];
        lm_kintree_move(&s->tree, q, v, NULL);
        lm_kintree_tip_motion(&s->tree, n, &m);
        for (int i = 0; i < 3; i++) {
            w[i] = s->vi[NODE_V * n + i] - v3_get(m.v, i);
            w[3 + i] = s->vi[NODE_V * n + 3 + i] - v3_get(m.w, i);
        }
        for (int c = tip->first; c < tip->first + tip->n; c++) {
            const lm_column *col = &s->tree.columns.at[c];
            if (s->rate[col->u].node == n) lm_kintree_partial(&s->tree, col, &m, X[own++]);
        }
        int first = s->tree.columns.at[tip->first + tip->n - own].u;
        if (own) minimal_fit(X, own, w, 1 / (size * size), 1, v + first);
    }
}

void minimal_start(minimal *s, double *q, double *v)
{
    memset(q, 0, sizeof(double) * (size_t)s->sys.nq);
    if (s->written) {
        start_written(s, q, v);
    } else {
        start_positions(s, q);
        start_rates(s, q, v);
    }
    for (int c = 0; c < s->m->ncoords; c++) {
        const lm_coord *k = &s->m->coords[c];
        double value, rate;
        if (k->turns < 0) continue;
        nodal_coord_start(s->in, k->joint, c - s->m->joints[k->joint].first_coord, &value, &rate);
        q[s->sys.nq - s->m->nangles + k->turns] = value;
    }
}
