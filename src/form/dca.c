#include "form/dca_int.h"

#include <assert.h>
#include <string.h>

/* Pivots below these parts of what they were before subtractions are rounding error: of a mass matrix,
 * whose shapes may be nearly dependent; of S, which has passed through many subtractions. */
static const double TOL_MASS = 1e-14, TOL_ROWS = 1e-12;

static double *Z_of(const lm_dca *d, int node, const dca_worker *w)
{
    const dca_node *of = &d->node[node];
    return of->kept ? of->Z : w->stack + of->on_stack;
}

/* ---- bodies ---- */

/* Lower triangle of M [n n], with padding. */
DCA_INLINE void copy_mass(int n, const double *M, double *L, int ld, double *diagonal)
{
    for (int j = 0; j < n; j++) {
        double *to = L + ld * j;
        diagonal[j] = M[j + n * j];
        for (int i = 0; i < j; i++) to[i] = 0;
        for (int i = j; i < n; i++) to[i] = M[i + n * j];
        for (int i = n; i < ld; i++) to[i] = 0;
    }
}

/* [B_1; B_2; ..; f^T] of the handles that are ports, or [1; f^T] of a whole body. */
DCA_INLINE void stack_handles(const lm_dca *d, const dca_node *node, const dca_worker *w, double *X)
{
    const int size = d->t.size[node->body], ld = node->ld;
    for (int i = 0; i < size; i++) {
        double *to = X + ld * i;
        dca_zero(to, ld);
        if (node->whole) to[i] = 1;
        for (int k = 0; k < node->nports && !node->whole; k++) {
            const int h = d->port[d->node_ports[node->first_port + k]].handle;
            const double *B = w->B + 6 * (size * (h - d->handle_first[node->body]) + i);
            for (int r = 0; r < 6; r++) to[6 * k + r] = B[r];
        }
        to[node->n] = w->f[i];
    }
}

static void add_gamma(const lm_dca *d, const dca_node *node, const dca_worker *w, double *Z)
{
    for (int k = 0; k < node->nports; k++) {
        const int h = d->port[d->node_ports[node->first_port + k]].handle;
        const double *gamma = w->gamma + 6 * (h - d->handle_first[node->body]);
        for (int r = 0; r < 6; r++) Z[node->n + node->ld * (6 * k + r)] += gamma[r];
    }
}

/* M = L L^T, W = (L^-1 [B^T f])^T, Zhat = W W^T. 0, or 1 + body. */
LM_CLONES static int body_up(lm_dca *d, int index, int worker)
{
    dca_node *node = &d->node[index];
    dca_worker *w = &d->worker[worker];
    const lm_dca_numbers *of = d->now.numbers;
    const int size = d->t.size[node->body], n = node->n, ld = node->ld;
    double *Z = Z_of(d, index, w), *X = node->whole ? w->T[0] : node->W;
    double *L = node->whole ? w->T[1] : node->L;
    double *B = node->whole ? node->B : w->B, *gamma = node->whole ? node->gamma : w->gamma;
    if (of->body(of->ctx, worker, node->body, w->M, w->f, B, gamma)) return 1 + node->body;
    copy_mass(size, w->M, L, node->ldL, w->least);
    if (dca_cholesky(size, L, node->ldL, TOL_MASS, w->least) >= 0) return 1 + node->body;
    stack_handles(d, node, w, X);
    dca_solve_right(ld, size, L, node->ldL, X, ld);
    dca_zero(Z, ld * n);
    dca_product(1, ld, n, size, X, ld, (dca_factor){X, 1, ld}, Z, ld);
    if (!node->whole) add_gamma(d, node, w, Z);
    for (int i = 0; i < n; i++) Z[ld * n + i] = Z[i + ld * i];
    return 0;
}

/* a = L^-T (L^-1 f + L^-1 B^T F) */
LM_CLONES static void body_down(lm_dca *d, int index, int worker)
{
    const dca_node *node = &d->node[index];
    const int size = d->t.size[node->body], ld = node->ld;
    double *a = d->now.a + d->a_at[node->body], *x = d->worker[worker].x;
    if (node->whole) {
        for (int i = 0; i < size; i++) a[i] = dca_dot(ld, node->Z + ld * i, node->F);
        return;
    }
    for (int i = 0; i < size; i++) x[i] = dca_dot(ld, node->W + ld * i, node->F);
    for (int i = size; i < node->ldL; i++) x[i] = 0;
    dca_solve_back(size, node->L, node->ldL, x);
    memcpy(a, x, sizeof *a * (size_t)size);
}

/* ---- joints ---- */

/* Rows on the port's accelerations: on a handle G, on a whole body G B with G gamma taken from c. */
DCA_INLINE void read_end(const dca_joint *j, int side, const dca_worker *w, double *c)
{
    const dca_end *e = &j->end[side];
    const int ld = j->ld;
    double *G = e->B ? w->Gt : e->g;
    for (int i = 0; i < 6; i++) {
        for (int r = 0; r < j->rows; r++) G[r + ld * i] = w->G[r][6 * side + i];
        for (int r = j->rows; r < ld; r++) G[r + ld * i] = 0;
    }
    if (!e->B) return;
    dca_zero(e->g, ld * e->n);
    dca_product(1, ld, e->n, 6, G, ld, (dca_factor){e->B, 6, 1}, e->g, ld);
    for (int i = 0; i < 6; i++) dca_add(ld, -e->gamma[i], G + ld * i, c);
}

/* Returns the rows of all joints of a node. */
DCA_INLINE int read_joints(lm_dca *d, const dca_node *node, int worker)
{
    dca_worker *w = &d->worker[worker];
    const lm_dca_numbers *of = d->now.numbers;
    int rows = 0;
    for (int i = 0; i < node->njoints; i++) {
        dca_joint *j = &d->joint[node->first_joint + i];
        j->row = rows;
        j->rows = of->joint(of->ctx, worker, j->joint, w->G, w->c + rows);
        assert(j->rows >= 0 && j->rows <= j->most);
        for (int s = 0; s < 2; s++)
            if (j->end[s].kid >= 0) read_end(j, s, w, w->c + rows);
        rows += j->rows;
    }
    return rows;
}

/* T = -Zhat G^T of both kids; what S had on its diagonal before joints were closed below. */
DCA_INLINE void make_T(const lm_dca *d, const dca_node *node, int rows, const dca_worker *w)
{
    for (int k = 0; k < 2; k++)
        if (node->kid[k] >= 0) dca_zero(w->T[k], d->node[node->kid[k]].ld * rows);
    dca_zero(w->least, dca_pad(rows) + 4);
    for (int i = 0; i < node->njoints; i++) {
        const dca_joint *j = &d->joint[node->first_joint + i];
        for (int s = 0; s < 2; s++) {
            const dca_end *e = &j->end[s];
            if (e->kid < 0) continue;
            const dca_node *kid = &d->node[node->kid[e->kid]];
            const int ld = kid->ld;
            const double *Z = Z_of(d, node->kid[e->kid], w), *own = Z + ld * kid->n + e->at;
            dca_product(0, ld, j->rows, e->n, Z + ld * e->at, ld, (dca_factor){e->g, 1, j->ld},
                        w->T[e->kid] + ld * j->row, ld);
            for (int c = 0; c < e->n; c++)
                dca_add_squares(dca_pad(j->rows), own[c], e->g + j->ld * c, w->least + j->row);
        }
    }
}

/* S = G Z G^T */
DCA_INLINE void make_S(const lm_dca *d, const dca_node *node, int rows, const dca_worker *w)
{
    dca_zero(node->L, node->ldL * rows);
    for (int i = 0; i < node->njoints; i++) {
        const dca_joint *j = &d->joint[node->first_joint + i];
        for (int s = 0; s < 2; s++) {
            const dca_end *e = &j->end[s];
            if (e->kid < 0) continue;
            const int ld = d->node[node->kid[e->kid]].ld;
            dca_product(0, dca_pad(j->rows), rows, e->n, e->g, j->ld,
                        (dca_factor){w->T[e->kid] + e->at, ld, 1}, node->L + j->row, node->ldL);
        }
    }
}

/* W = -(L^-1 G Z_outer)^T, and in row n -(L^-1 (G z - c))^T */
DCA_INLINE void make_W(const lm_dca *d, const dca_node *node, int rows, const dca_worker *w)
{
    for (int r = 0; r < rows; r++) {
        double *to = node->W + node->ld * r, y = w->c[r];
        for (int i = 0; i < node->npieces; i++) {
            const dca_piece *p = &d->piece[node->first_piece + i];
            const double *from = w->T[p->kid] + d->node[node->kid[p->kid]].ld * r + p->from;
            dca_copy(p->n, from, to + p->to);
        }
        for (int k = 0; k < 2; k++) {
            const dca_node *kid = node->kid[k] < 0 ? NULL : &d->node[node->kid[k]];
            if (kid) y += w->T[k][kid->n + kid->ld * r];
        }
        to[node->n] = y;
    }
    dca_solve_right(node->ld, rows, node->L, node->ldL, node->W, node->ld);
}

/* Zhat of the ports that stay, as the kids have it. */
DCA_INLINE void gather_Z(const lm_dca *d, const dca_node *node, const dca_worker *w, double *Z)
{
    const int n = node->n, ld = node->ld;
    dca_zero(Z, ld * n);
    for (int i = 0; i < node->npieces; i++) {
        const dca_piece *p = &d->piece[node->first_piece + i];
        const dca_node *kid = &d->node[node->kid[p->kid]];
        const double *from = Z_of(d, node->kid[p->kid], w);
        for (int k = 0; k < p->n; k++) {
            const double *col = from + kid->ld * (p->from + k);
            double *to = Z + ld * (p->to + k);
            for (int m = 0; m < node->npieces; m++) {
                const dca_piece *q = &d->piece[node->first_piece + m];
                if (q->kid == p->kid) dca_copy(q->n, col + q->from, to + q->to);
            }
            to[n] = col[kid->n];
            Z[ld * n + p->to + k] = from[kid->ld * kid->n + p->from + k];
        }
    }
}

static int joint_of_row(const lm_dca *d, const dca_node *node, int row)
{
    const dca_joint *j = &d->joint[node->first_joint];
    while (row >= j->row + j->rows) j++;
    return j->joint;
}

/* Zhat = Zhat_kids - W W^T. 0, or 1 + nbodies + joint. */
LM_CLONES static int joints_up(lm_dca *d, int index, int worker)
{
    dca_node *node = &d->node[index];
    dca_worker *w = &d->worker[worker];
    const int rows = node->now_rows = read_joints(d, node, worker);
    make_T(d, node, rows, w);
    make_S(d, node, rows, w);
    const int bad = dca_cholesky(rows, node->L, node->ldL, TOL_ROWS, w->least);
    if (bad >= 0) return 1 + d->t.nbodies + joint_of_row(d, node, bad);
    make_W(d, node, rows, w);
    if (node->n == 0) return 0;
    double *Z = Z_of(d, index, w), *W = node->W;
    gather_Z(d, node, w, Z);
    dca_product(0, node->ld, node->n, rows, W, node->ld, (dca_factor){W, 1, node->ld}, Z, node->ld);
    return 0;
}

/* Forces on the kids: those from above, and -G^T lam. */
DCA_INLINE void push_down(lm_dca *d, const dca_node *node, const double *x)
{
    for (int k = 0; k < 2; k++)
        for (int i = 0; node->kid[k] >= 0 && i < d->node[node->kid[k]].n; i++)
            d->node[node->kid[k]].F[i] = 0;
    for (int i = 0; i < node->npieces; i++) {
        const dca_piece *p = &d->piece[node->first_piece + i];
        double *F = d->node[node->kid[p->kid]].F + p->from;
        dca_copy(p->n, node->F + p->to, F);
    }
    for (int i = 0; i < node->njoints; i++) {
        const dca_joint *j = &d->joint[node->first_joint + i];
        for (int s = 0; s < 2; s++) {
            const dca_end *e = &j->end[s];
            double *F = e->kid < 0 ? NULL : d->node[node->kid[e->kid]].F + e->at;
            for (int c = 0; c < e->n && F; c++)
                F[c] += dca_dot(dca_pad(j->rows), e->g + j->ld * c, x + j->row);
        }
        for (int r = 0; r < j->rows; r++) d->now.lam[j->lam + (size_t)r] = -x[j->row + r];
    }
}

/* -lam = L^-T W^T [F; 1] */
LM_CLONES static void joints_down(lm_dca *d, int index, int worker)
{
    const dca_node *node = &d->node[index];
    const int rows = node->now_rows;
    double *x = d->worker[worker].x;
    for (int r = 0; r < rows; r++) x[r] = dca_dot(node->ld, node->W + node->ld * r, node->F);
    for (int r = rows; r < node->ldL + 4; r++) x[r] = 0; /* g has zeros against what is padding */
    dca_solve_back(rows, node->L, node->ldL, x);
    push_down(d, node, x);
}

/* ---- the tree ---- */

static void up(void *context, int task, int worker)
{
    lm_dca *d = context;
    int bad = 0;
    for (int c = d->tree.child[task]; c >= 0 && !bad; c = d->tree.sibling[c])
        if (d->failed[c]) bad = -1;
    for (int i = d->task[task].first; i <= d->task[task].last && !bad; i++)
        bad = d->node[i].body >= 0 ? body_up(d, i, worker) : joints_up(d, i, worker);
    d->failed[task] = bad;
}

static void down(void *context, int task, int worker)
{
    lm_dca *d = context;
    for (int i = d->task[task].last; i >= d->task[task].first; i--) {
        if (d->node[i].body >= 0)
            body_down(d, i, worker);
        else
            joints_down(d, i, worker);
    }
}

int lm_dca_solve(lm_dca *d, const lm_dca_numbers *numbers, double *a, double *lam, int *where)
{
    d->now.numbers = numbers;
    d->now.a = a;
    d->now.lam = lam;
    if (d->nlam) memset(lam, 0, sizeof *lam * d->nlam);
    lm_pool_up(d->pool, &d->tree, up, d);
    for (int k = 0; k < d->ntasks; k++)
        if (d->failed[k] > 0) {
            *where = d->failed[k] - 1;
            return 1;
        }
    lm_pool_down(d->pool, &d->tree, down, d);
    return 0;
}

int lm_dca_use_pool(lm_dca *d, lm_pool *pool)
{
    const int n = lm_pool_threads(pool);
    int bad = n > d->nworkers && dca_add_workers(d, n);
    d->pool = bad ? NULL : pool;
    return bad ? -1 : 0;
}

int lm_dca_depth(const lm_dca *d) { return d->levels; }
double lm_dca_work(const lm_dca *d) { return d->work; }
double lm_dca_span(const lm_dca *d) { return d->span; }

/* ---- making it ---- */

static int copy_topology(lm_dca *d, const lm_dca_topology *t)
{
    lm_arena *a = d->arena;
    const size_t nb = (size_t)t->nbodies, nh = (size_t)t->nhandles, nj = (size_t)t->njoints;
    d->t = *t;
    d->t.size = lm_arena_copy(a, t->size, sizeof(int) * nb);
    d->t.handle_body = lm_arena_copy(a, t->handle_body, sizeof(int) * nh);
    d->t.joint = lm_arena_copy(a, t->joint, sizeof *t->joint * nj);
    d->t.most_rows = lm_arena_copy(a, t->most_rows, sizeof(int) * nj);
    d->a_at = LM_NEW_N(a, size_t, nb + 1);
    d->lam_at = LM_NEW_N(a, size_t, nj + 1);
    d->handle_first = LM_NEW_N(a, int, nb + 2);
    if (!d->t.size || !d->t.handle_body || !d->t.joint || !d->t.most_rows || !d->a_at ||
        !d->lam_at || !d->handle_first)
        return -1;
    for (size_t b = 0; b < nb; b++) d->a_at[b + 1] = d->a_at[b] + (size_t)t->size[b];
    for (size_t j = 0; j < nj; j++) d->lam_at[j + 1] = d->lam_at[j] + (size_t)t->most_rows[j];
    d->nlam = d->lam_at[nj];
    for (size_t h = 0; h < nh; h++) d->handle_first[t->handle_body[h] + 1]++;
    for (size_t b = 0; b < nb; b++) d->handle_first[b + 1] += d->handle_first[b];
    return 0;
}

lm_dca *lm_dca_new(lm_arena *arena, const lm_dca_topology *t)
{
    lm_dca *d = LM_NEW(arena, lm_dca);
    if (!d) return NULL;
    d->arena = arena;
    return copy_topology(d, t) || dca_plan(d) || dca_make(d) ? NULL : d;
}
