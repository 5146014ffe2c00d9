#include "form/moved.h"

#include <string.h>

lm_mix lm_mix_one(double cM, double cD, double cK, double *to)
{
    return (lm_mix){.n = 1,
                    .to = {to},
                    .c = {{cM, cD, cK}},
                    .damping = cD != 0 || cK != 0,
                    .stiffness = cK != 0};
}

lm_mix lm_mix_each(double *M, double *D, double *K)
{
    return (lm_mix){.n = 3,
                    .to = {M, D, K},
                    .c = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                    .damping = 1,
                    .stiffness = 1};
}

/* ---- making ---- */

/* Nodes whose rows share an entry of the pattern with the columns of node n; seen: scratch, all below n. */
static int list_near(lm_moved *s, const lm_pattern *p, int n, int *seen, int stamp, lm_arena *arena)
{
    moved_node *node = &s->node[n];
    for (int pass = 0; pass < 2; pass++, stamp++) {
        node->nnear = 0;
        for (int c = NODE_V * n; c < NODE_V * (n + 1); c++)
            for (int i = p->colptr[c]; i < p->colptr[c + 1]; i++) {
                int other = p->rowind[i] / NODE_V;
                if (p->rowind[i] >= s->in->sys.nv || seen[other] == stamp) continue;
                seen[other] = stamp;
                if (pass) node->near[node->nnear] = other;
                node->nnear++;
            }
        if (pass == 0) node->near = LM_NEW_N(arena, int, node->nnear);
        if (!node->near) return -1;
    }
    return 0;
}

/* Where the entries of the nodal matrices go, which are used by blocks of 6x6, column by column: M of
 * a node and one near it, then D and K. Entries of constraints have no such place, nor those that belong to
 * bodies alone. */
static int place_blocks(lm_moved *s, int *near_at, lm_arena *arena)
{
    const lm_pattern *p = &s->in->sys.pattern;
    int blocks = 0;
    s->nentries = 0;
    s->entry = LM_NEW_N(arena, moved_entry, p->nnz);
    if (!s->entry) return -1;
    for (int n = 0; n < s->in->m->nnodes; n++) near_at[n] = -1;
    for (int n = 0; n < s->in->m->nnodes; n++) {
        moved_node *node = &s->node[n];
        node->block = blocks;
        for (int k = 0; k < node->nnear; k++) near_at[node->near[k]] = blocks++;
        for (int c = 0; c < NODE_V; c++)
            for (int i = p->colptr[NODE_V * n + c]; i < p->colptr[NODE_V * n + c + 1]; i++) {
                int r = p->rowind[i];
                if (r >= s->in->sys.nv || near_at[r / NODE_V] < 0) continue;
                int to = MOVED_BLOCK * near_at[r / NODE_V] + NODE_V * c + r % NODE_V;
                s->entry[s->nentries++] = (moved_entry){i, to};
            }
        for (int k = 0; k < node->nnear; k++) near_at[node->near[k]] = -1;
    }
    s->block = LM_NEW_N(arena, double, (size_t)MOVED_BLOCK *(size_t)blocks);
    return s->block ? 0 : -1;
}

static int connect(lm_moved *s, const lm_pattern *p, lm_arena *arena)
{
    int nodes = s->in->m->nnodes, *scratch = LM_NEW_N(arena, int, nodes);
    if (!scratch) return -1;
    for (int n = 0; n < nodes; n++)
        if (list_near(s, p, n, scratch, 2 * n + 1, arena)) return -1;
    return place_blocks(s, scratch, arena);
}

int moved_make(lm_moved *s, lm_arena *arena)
{
    int nnz = s->in->sys.pattern.nnz;
    s->K = LM_NEW_N(arena, double, nnz);
    s->M = LM_NEW_N(arena, double, nnz);
    s->D = LM_NEW_N(arena, double, nnz);
    s->place = LM_NEW_N(arena, int, s->sys->nv + s->sys->nl);
    s->unknown = LM_NEW_N(arena, int, s->sys->nv);
    s->force = LM_NEW_N(arena, double, s->in->sys.nv);
    if (!s->K || !s->M || !s->D || !s->place || !s->unknown || !s->force) return -1;
    if (moved_make_way(s, arena)) return -1;
    return connect(s, &s->in->sys.pattern, arena);
}

/* ---- bodies ---- */

/* Beyond, the room for the matrices of one body would be larger than that for the system's. */
enum { MOST_COORDINATES = 500 };

/* Coordinates that move a superelement; at [coordinates]: scratch, -1, and back to that. */
static int list_body(lm_moved *s, moved_body *b, int *at, lm_arena *arena)
{
    const moved_node *node = s->node + s->in->super_first[b->super];
    int poses = s->in->m->supers[b->super].poses, most = 0;
    for (int p = 0; p < poses; p++) most += node[p].n;
    b->n = 0;
    b->col = LM_NEW_N(arena, int, most);
    b->jet = LM_NEW_N(arena, int, most *poses);
    if (!b->col || !b->jet) return -1;
    for (int i = 0; i < most * poses; i++) b->jet[i] = -1;
    for (int p = 0; p < poses; p++)
        for (int k = node[p].first; k < node[p].first + node[p].n; k++) {
            int col = s->cols[k];
            if (at[col] < 0) b->col[at[col] = b->n++] = col;
            b->jet[poses * at[col] + p] = k;
        }
    for (int i = 0; i < b->n; i++) at[b->col[i]] = -1;
    return 0;
}

/* Does it pay? Products in terms of the n coordinates, against those with blocks of the poses, whose motions
 * are `motions` in all, and with the matrices of the superelement, which take some 60 for each entry. The
 * first is cheaper unless many poses have their own coordinates. */
static int pays(const lm_moved *s, const moved_body *b)
{
    const moved_node *node = s->node + s->in->super_first[b->super];
    double poses = s->in->m->supers[b->super].poses, nd = NODE_V * poses, n = b->n, motions = 0;
    for (int p = 0; p < s->in->m->supers[b->super].poses; p++) motions += node[p].n;
    double here = n * (4 * nd * nd + 6 * n * nd);
    double there = motions * (216 * poses + 18 * motions) + 60 * nd * nd;
    return b->n > 0 && b->n <= MOST_COORDINATES && here <= there;
}

int moved_choose_bodies(lm_moved *s, lm_arena *arena)
{
    const lm_model *m = s->in->m;
    lm_pattern rest;
    size_t z = 0, square = 0;
    /* forces by the paper are not those of an energy; spin without inertia is not the body's own */
    if (m->nsupers == 0 || s->in->super_elastic || s->in->sys.massless) return 0;
    int *at = LM_NEW_N(arena, int, s->sys->nv);
    s->body = LM_NEW_N(arena, moved_body, m->nsupers);
    s->skip = LM_NEW_N(arena, unsigned char, m->nsupers);
    if (!at || !s->body || !s->skip) return -1;
    for (int c = 0; c < s->sys->nv; c++) at[c] = -1;
    for (int k = 0; k < m->nsupers; k++) {
        moved_body *b = &s->body[s->nbodies];
        if (m->supers[k].chain) continue; /* its tangent is sparse */
        b->super = k;
        if (list_body(s, b, at, arena)) return -1;
        if (!pays(s, b)) continue;
        size_t n = (size_t)b->n,
               motions = LM_SUPER_MOTION * NODE_V * (size_t)m->supers[k].poses * n;
        z = motions > z ? motions : z;
        square = n * n > square ? n * n : square;
        s->skip[k] = 1;
        s->nbodies++;
    }
    s->z = LM_NEW_N(arena, double, z);
    s->reduced = LM_NEW_N(arena, double, 3 * square);
    if (!s->z || !s->reduced || nodal_pattern_without(s->in, s->skip, arena, &rest)) return -1;
    return connect(s, &rest, arena);
}

/* The motions of the body's poses by its coordinates: (X, Xv, Xa, Xc) of each. */
static void gather_motions(const lm_moved *s, const moved_body *b)
{
    int poses = s->in->m->supers[b->super].poses, nd = NODE_V * poses;
    for (int i = 0; i < b->n; i++)
        for (int p = 0; p < poses; p++) {
            static const lm_jet none;
            int own = b->jet[poses * i + p];
            const lm_jet *j = own < 0 ? &none : &s->jets[own];
            double *to = s->z + LM_SUPER_MOTION * nd * i + NODE_V * p;
            memcpy(to, j->X, sizeof j->X);
            memcpy(to + nd, j->Xv, sizeof j->Xv);
            memcpy(to + 2 * nd, j->Xa, sizeof j->Xa);
            memcpy(to + 3 * nd, j->Xc, sizeof j->Xc);
        }
}

static void scatter(lm_moved *s, const moved_body *b, const lm_mix *w)
{
    const double *from = s->reduced, *c = w->c[0];
    int square = b->n * b->n;
    for (int j = 0; j < b->n; j++) {
        moved_column(s, b->col[j]);
        for (int i = 0; i < b->n; i++, from++) {
            int at = s->place[b->col[i]];
            for (int t = 0; t < w->n && w->n > 1; t++) w->to[t][at] += from[square * t];
            if (w->n > 1) continue;
            w->to[0][at] += c[0] * from[0];
            if (w->damping) w->to[0][at] += c[1] * from[square] + c[2] * from[2 * square];
        }
    }
}

int moved_bodies(lm_moved *s, const lm_state *inner, const lm_mix *w)
{
    nodal *in = s->in;
    lm_v3 g = v3_mul(in->sys.load_factor, in->m->gravity);
    for (int k = 0; k < s->nbodies; k++) {
        const moved_body *b = &s->body[k];
        lm_super_state now = nodal_super_state(in, inner, b->super);
        double *M = s->reduced, *D = M + b->n * b->n, *K = D + b->n * b->n;
        gather_motions(s, b);
        if (lm_super_reduce(&in->m->supers[b->super], &now, g, b->n, s->z, in->super_scratch, M,
                            w->damping ? D : NULL, w->damping ? K : NULL))
            return 1;
        scatter(s, b, w);
    }
    return 0;
}

/* ---- the tangent ---- */

/* The nodal matrices by blocks of 6x6; where D is not asked for, nor is K, and M alone is used. */
static void gather(lm_moved *s, const lm_mix *w)
{
    for (const moved_entry *e = s->entry; e < s->entry + s->nentries; e++) {
        double *B = s->block + e->to;
        B[0] = s->M[e->from];
        if (!w->damping) continue;
        B[36] = s->D[e->from];
        B[72] = s->K[e->from];
    }
}

int moved_matrices(lm_moved *s, const lm_state *inner, const lm_mix *w)
{
    lm_system *in = &s->in->sys;
    int bad = nodal_matrices(s->in, inner, s->skip, s->M, w->damping ? s->D : NULL,
                             w->stiffness ? s->K : NULL);
    if (!w->stiffness) memset(s->K, 0, sizeof(double) * (size_t)in->pattern.nnz);
    if (!bad) gather(s, w);
    return bad;
}

void moved_column(lm_moved *s, int col)
{
    const lm_pattern *p = &s->sys->pattern;
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

/* M X alone: of a jet that knows no more than X. */
static void mass_forces(const double *B, const double *X, double f[6])
{
    vec2 sum[3] = {{0}};
    for (int c = 0; c < 6; c++, B += 6)
        for (int h = 0; h < 3; h++) sum[h] += *(const vec2 *)(B + 2 * h) * X[c];
    memcpy(f, sum, sizeof sum);
}

/* Forces for each matrix that is wanted. */
static void wanted_forces(const double *B, const lm_jet *j, const lm_mix *w, double f[3][6])
{
    const double *c = w->c[0];
    if (!w->damping) {
        mass_forces(B, j->X, f[0]);
        for (int r = 0; r < 6; r++) f[0][r] *= c[0];
        return;
    }
    forces(B, j, f);
    for (int r = 0; r < 6 && w->n == 1; r++)
        f[0][r] = c[0] * f[0][r] + c[1] * f[1][r] + c[2] * f[2][r];
}

/* Forces that one coordinate's motion of node m makes on the nodes near it, and by their partial
 * velocities on the coordinates. */
static void add_motion(lm_moved *s, int m, const lm_jet *j, const lm_mix *w)
{
    const moved_node *node = &s->node[m];
    for (int k = 0; k < node->nnear; k++) {
        const moved_node *other = &s->node[node->near[k]];
        double f[3][6];
        wanted_forces(s->block + (size_t)MOVED_BLOCK * (size_t)(node->block + k), j, w, f);
        for (int t = 0; t < w->n; t++)
            for (int i = other->first; i < other->first + other->n; i++)
                w->to[t][s->place[s->cols[i]]] += moved_dot(s->jets[i].X, f[t]);
    }
}

/* Entries of constraint rows in the columns of node m: the nodal matrices all hold them. */
static void add_rows(lm_moved *s, int m, const lm_jet *j, const lm_mix *w)
{
    const lm_pattern *p = &s->in->sys.pattern;
    int nv = s->in->sys.nv;
    for (int c = 0; c < 6; c++)
        for (int i = p->colptr[NODE_V * m + c + 1] - 1; i >= p->colptr[NODE_V * m + c]; i--) {
            int row = p->rowind[i] - nv;
            if (row < 0) break;
            double x = s->M[i] * j->X[c];
            if (s->own[row] < 0 || x == 0) continue;
            int at = s->place[s->sys->nv + s->own[row]];
            for (int t = 0; t < w->n; t++) w->to[t][at] += x;
        }
}

void moved_add(lm_moved *s, int m, const lm_jet *j, const lm_mix *w)
{
    add_motion(s, m, j, w);
    if (s->sys->nl > 0) add_rows(s, m, j, w);
}

/* Forces on nodes, and the diagonal as in the nodal formulation. */
static void add_multiplier(lm_moved *s, int k, double *values)
{
    const lm_pattern *p = &s->in->sys.pattern;
    int nv = s->in->sys.nv, col = nv + s->row[k];
    values[s->place[s->sys->nv + k]] += s->sys->active[k] ? -lm_row_softness(s->sys, k) : 1;
    for (int i = p->colptr[col]; i < p->colptr[col + 1]; i++) {
        int r = p->rowind[i];
        if (r >= nv) break;
        const moved_node *n = &s->node[r / NODE_V];
        for (int c = n->first; c < n->first + n->n; c++) {
            double x = s->M[i] * s->jets[c].X[r % NODE_V];
            if (x != 0) values[s->place[s->cols[c]]] += x; /* most are zero */
        }
    }
}

void moved_multipliers(lm_moved *s, const lm_mix *w)
{
    for (int k = 0; k < s->sys->nl; k++) {
        moved_column(s, s->sys->nv + k);
        for (int t = 0; t < w->n; t++) add_multiplier(s, k, w->to[t]);
    }
}
