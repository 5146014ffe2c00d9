/* The pattern of the matrix: each unit's own block, units that act on each other, constraints.
 *
 * All coordinates of a unit move a node, but not all of them turn it: where slopes at the node are
 * coordinates, these alone do, and forces that ask for the attitude only couple few of them. */
#include "form/ffr.h"

/* What moves or turns a node: coordinates of its unit. */
typedef struct span {
    int node;
    int turns; /* 1: those that turn it only */
} span;

/* A stretch turns a section where the axis is what bends. */
static int tilts(const lm_floating *f, const lm_floating_place *at, int k)
{
    for (int i = 0; i < f->nv; i++)
        if (at->Gv[k * f->nv + i] != 0) return 1;
    for (int i = 0; i < f->nw; i++)
        if (at->Gw[k * f->nw + i] != 0) return 1;
    return 0;
}

static int in_span(const ffr *s, span a, int k)
{
    const ffr_node *n = &s->node[a.node];
    const ffr_unit *u = &s->unit[n->unit];
    if (k < FRAME_V) return !a.turns || k >= 3;
    if (!a.turns) return 1;
    if (n->links < 0) return 0;
    const lm_floating_place *at = &u->f->place[n->place];
    k -= FRAME_V;
    if (k < u->f->nv) return at->dv[k] != 0;
    k -= u->f->nv;
    if (k < u->f->nw) return at->dw[k] != 0;
    k -= u->f->nw;
    if (k < u->f->na) return tilts(u->f, at, k);
    k -= u->f->na;
    return at->t[k] != 0;
}

static int size_of(const ffr *s, span a) { return FRAME_V + s->unit[s->node[a.node].unit].ne; }

static void add_block(const ffr *s, span rows, span cols, lm_pattern_builder *pb)
{
    int r0 = s->unit[s->node[rows.node].unit].v, c0 = s->unit[s->node[cols.node].unit].v;
    for (int c = 0; c < size_of(s, cols); c++)
        for (int r = 0; r < size_of(s, rows) && in_span(s, cols, c); r++)
            if (in_span(s, rows, r)) lm_pattern_add(pb, r0 + r, c0 + c);
}

/* Entries of two nodes in the nodal matrix: bits 1 x-x, 2 x-psi, 4 psi-x, 8 psi-psi. */
static int nodal_entries(const ffr *s, int row, int col)
{
    const lm_pattern *p = &s->in->sys.pattern;
    int found = 0;
    for (int c = 0; c < NODE_V; c++)
        for (int e = p->colptr[NODE_V * col + c]; e < p->colptr[NODE_V * col + c + 1]; e++) {
            int r = p->rowind[e] - NODE_V * row;
            if (r >= 0 && r < NODE_V) found |= 1 << (2 * (r >= 3) + (c >= 3));
        }
    return found;
}

static void node_pattern(const ffr *s, int node, lm_pattern_builder *pb)
{
    const moved_node *own = &s->moved.node[node];
    for (int e = 0; e < own->nnear; e++) {
        int other = own->near[e];
        if (s->node[other].unit == s->node[node].unit) continue;
        int found = nodal_entries(s, other, node);
        for (int k = 0; k < 4; k++)
            if (found >> k & 1) add_block(s, (span){other, k >= 2}, (span){node, k % 2}, pb);
    }
}

/* A constraint and a node it holds: by its position, or by its attitude only. */
static void row_pattern(const ffr *s, int row, int node, int turns, lm_pattern_builder *pb)
{
    span a = {node, turns};
    int first = s->unit[s->node[node].unit].v;
    for (int k = 0; k < size_of(s, a); k++)
        if (in_span(s, a, k)) {
            lm_pattern_add(pb, s->sys.nv + row, first + k);
            lm_pattern_add(pb, first + k, s->sys.nv + row);
        }
}

/* Rows of nodes in the column of a multiplier; what reads reactions is there too. */
static void multiplier_pattern(const ffr *s, int k, lm_pattern_builder *pb)
{
    const lm_pattern *p = &s->in->sys.pattern;
    int nv = s->in->sys.nv, e = p->colptr[nv + k], end = p->colptr[nv + k + 1];
    lm_pattern_add(pb, s->sys.nv + k, s->sys.nv + k);
    while (e < end && p->rowind[e] < nv) {
        int node = p->rowind[e] / NODE_V, moves = 0;
        for (; e < end && p->rowind[e] < NODE_V * (node + 1); e++)
            moves |= p->rowind[e] % NODE_V < 3;
        row_pattern(s, k, node, !moves, pb);
    }
}

int ffr_make_pattern(ffr *s)
{
    lm_arena temp = {0};
    lm_pattern_builder pb = {.arena = &temp};
    for (int i = 0; i < s->nunits; i++) {
        const ffr_unit *u = &s->unit[i];
        lm_pattern_block(&pb, u->v, u->v, FRAME_V + u->ne, FRAME_V + u->ne);
    }
    for (int h = 0; h < s->nheld; h++) node_pattern(s, s->held[h], &pb);
    for (int k = 0; k < s->sys.nl; k++) multiplier_pattern(s, k, &pb);
    int bad = pb.failed || lm_pattern_make(&pb, &s->arena, s->sys.nv + s->sys.nl, &s->sys.pattern);
    lm_arena_free(&temp);
    return bad ? -1 : 0;
}
