/* Accelerations by divide and conquer (form/dca.h), or by one dense system. */
#include "form/ffr.h"

#include "math/eigen.h"

#include <string.h>

typedef struct ffr_accel {
    lm_dca *dca;
    int *handle_node;  /* [handles] */
    int *first_handle; /* [units + 1] */
    int *first_row;    /* [joints] place of its rows in rows, lam */
    int *rows;         /* rows of the joints, one joint behind the other */
    int *nrows;        /* [joints] */
    lm_state rest;     /* the state with no accelerations */
    double force;      /* the largest on a node */
    double *f;         /* [nv + nl] right side of the dense system */
    double *target;    /* [rows] second derivatives that drives prescribe */
    int nspare;        /* rigid bodies with an axis about which they have no inertia: */
    double *spare;     /* [units] inertia that they are lent, and */
    double *last;      /* [nv] the accelerations for which its moments are taken back */
    double *none;      /* [nv] no accelerations */
    double *lam;
    /* dense: */
    double *matrix, *values;
    int *pivots;
} ffr_accel;

/* ---- numbers ---- */

/* What is left of the equations of a unit at no acceleration. The nodes have bias accelerations then, but
 * not those of rigid bodies, whose inertia is the nodes'. */
static void forces_at_rest(const ffr *s, const ffr_unit *u, double *f)
{
    ffr_project(s, u, s->moved.ri, f);
    if (u->f) ffr_unit_residual(s, u, &s->accel->rest, f);
    for (int i = 0; i < FRAME_V + u->ne; i++) f[i] = -f[i];
}

/* M, f of a unit; B and gamma of its handles: partial velocities, and the accelerations that its nodes
 * have when those of the coordinates are zero. */
static int body_numbers(void *ctx, int worker, int body, double *M, double *f, double *B,
                        double *gamma)
{
    const ffr *s = ctx;
    const ffr_accel *x = s->accel;
    const ffr_unit *u = &s->unit[body];
    int n = FRAME_V + u->ne;
    (void)worker;
    ffr_unit_mass(s, u, s->q, M);
    forces_at_rest(s, u, f);
    for (int k = 3; k < FRAME_V && x->spare[body] > 0; k++) {
        M[(n + 1) * k] += x->spare[body];
        f[k] += x->spare[body] * x->last[u->v + k];
    }
    for (int h = x->first_handle[body]; h < x->first_handle[body + 1]; h++) {
        int node = x->handle_node[h];
        ffr_node_partials(s, node, B, 6);
        B += 6 * n;
        memcpy(gamma, s->moved.ai + NODE_V * node, 6 * sizeof(double));
        gamma += 6;
    }
    return 0;
}

static int joint_numbers(void *ctx, int worker, int joint, double (*G)[12], double *c)
{
    const ffr *s = ctx;
    const ffr_accel *x = s->accel;
    int pair = s->m->joints[joint].pair, n = 0;
    lm_v3 v[LM_PAIR_BLOCKS], g[LM_PAIR_BLOCKS];
    (void)worker;
    pair_velocity(&s->m->pairs[pair], s->moved.vi, v);
    for (int k = 0; k < x->nrows[joint]; k++) {
        int row = x->rows[x->first_row[joint] + k];
        const lm_row *r = &s->m->rows[row];
        const lm_pair_pose *p = &s->in->kin.pair[pair];
        if (!s->sys.active[row]) continue;
        lm_measure_grad(r->measure, r->i, r->j, p, g);
        for (int b = 0; b < LM_PAIR_BLOCKS; b++) v3_put(G[n] + 3 * b, g[b]);
        c[n] = -lm_measure_bias(r->measure, r->i, r->j, p, v);
        if (r->drive) c[n] += x->target[row];
        n++;
    }
    return n;
}

/* ---- making ---- */

/* Slender rods and point masses have no inertia about some axis, and the joints decide how they turn
 * about it. They are lent some, and its moments are taken back by repetition. 1: a body has no mass. */
static int lend_inertia(ffr *s, ffr_accel *x)
{
    double size = s->m->size > 0 ? s->m->size : 1;
    for (int i = 0; i < s->nunits; i++) {
        const lm_body *b = &s->m->bodies[s->unit[i].body];
        const lm_m3 *J = &b->J;
        double sum = J->m[0] + J->m[4] + J->m[8];
        if (s->unit[i].f) continue;
        if (!(b->mass > 0)) return 1;
        double det = v3_dot(m3_col(J, 0), v3_cross(m3_col(J, 1), m3_col(J, 2)));
        if (sum > 0 && det > 1e-9 * sum * sum * sum) continue;
        x->spare[i] = sum > 0 ? 0.01 * sum : 1e-4 * b->mass * size * size;
        x->nspare++;
    }
    return 0;
}

static int list_rows(ffr *s, ffr_accel *x)
{
    const lm_model *m = s->m;
    x->first_row = LM_NEW_N(&s->arena, int, m->njoints + 1);
    x->nrows = LM_NEW_N(&s->arena, int, m->njoints + 1);
    x->rows = LM_NEW_N(&s->arena, int, m->nrows + 1);
    x->lam = LM_NEW_N(&s->arena, double, m->nrows + 1);
    if (!x->first_row || !x->nrows || !x->rows || !x->lam) return -1;
    int n = 0;
    for (int j = 0; j < m->njoints; j++) {
        x->first_row[j] = n;
        for (int k = 0; k < m->joints[j].nrows; k++) x->rows[n++] = m->joints[j].first_row + k;
        x->nrows[j] = n - x->first_row[j];
    }
    return 0;
}

/* Every node that a joint holds is a handle. */
static int list_handles(ffr *s, ffr_accel *x, int *handle_of, int *body, int (*joint)[2])
{
    const lm_model *m = s->m;
    int n = 0;
    for (int j = 0; j < m->njoints; j++)
        for (int e = 0; e < 2 && m->joints[j].nrows; e++) {
            int node = m->pairs[m->joints[j].pair].node[e];
            if (node >= 0) handle_of[node] = 1;
        }
    for (int i = 0; i < s->nunits; i++) {
        const ffr_unit *u = &s->unit[i];
        x->first_handle[i] = n;
        for (int k = 0; k < u->nodes; k++) {
            if (!handle_of[u->node[k]]) continue;
            handle_of[u->node[k]] = n;
            x->handle_node[n] = u->node[k];
            body[n++] = i;
        }
    }
    x->first_handle[s->nunits] = n;
    for (int j = 0; j < m->njoints; j++)
        for (int e = 0; e < 2; e++) {
            int node = m->pairs[m->joints[j].pair].node[e];
            joint[j][e] = !m->joints[j].nrows || node < 0 ? LM_DCA_GROUND : handle_of[node];
        }
    return n;
}

static int make_dca(ffr *s, ffr_accel *x)
{
    const lm_model *m = s->m;
    lm_arena *a = &s->arena;
    int *handle_of = LM_NEW_N(a, int, m->nnodes), *body = LM_NEW_N(a, int, m->nnodes);
    int *size = LM_NEW_N(a, int, s->nunits + 1);
    int(*joint)[2] = lm_arena_alloc(a, sizeof *joint * (size_t)(m->njoints + 1));
    x->first_handle = LM_NEW_N(a, int, s->nunits + 1);
    x->handle_node = LM_NEW_N(a, int, m->nnodes);
    x->target = LM_NEW_N(a, double, s->sys.nl);
    x->last = LM_NEW_N(a, double, s->sys.nv);
    x->spare = LM_NEW_N(a, double, s->nunits + 1);
    if (!handle_of || !body || !size || !joint || !x->first_handle || !x->handle_node ||
        !x->target || !x->last || !x->spare || list_rows(s, x))
        return -1;
    if (lend_inertia(s, x)) {
        s->accel = NULL;
        return 0;
    }
    for (int i = 0; i < s->nunits; i++) size[i] = FRAME_V + s->unit[i].ne;
    int n = list_handles(s, x, handle_of, body, joint);
    lm_dca_topology t = {.nbodies = s->nunits,
                         .nhandles = n,
                         .njoints = m->njoints,
                         .size = size,
                         .handle_body = body,
                         .joint = (const int(*)[2])joint,
                         .most_rows = x->nrows};
    x->dca = lm_dca_new(a, &t);
    return x->dca ? 0 : -1;
}

static int make_dense(ffr *s, ffr_accel *x)
{
    size_t n = (size_t)(s->sys.nv + s->sys.nl);
    x->matrix = LM_NEW_N(&s->arena, double, n *n);
    x->values = LM_NEW_N(&s->arena, double, s->sys.pattern.nnz);
    x->pivots = LM_NEW_N(&s->arena, int, n);
    x->f = LM_NEW_N(&s->arena, double, n);
    x->target = LM_NEW_N(&s->arena, double, s->sys.nl);
    return x->matrix && x->values && x->pivots && x->f && x->target ? 0 : -1;
}

/* Forces that read accelerations or reactions, superelements, which have mass between their nodes, and
 * bodies without mass are left to the sparse matrix. */
int ffr_make_accel(ffr *s)
{
    if (s->sys.algebraic || s->sys.massless || s->m->nsupers > 0) return 0;
    ffr_accel *x = LM_NEW(&s->arena, ffr_accel);
    if (!x) return -1;
    s->accel = x;
    x->none = LM_NEW_N(&s->arena, double, s->sys.nv);
    if (!x->none) return -1;
    return s->m->spec->formulation.algorithm_dense ? make_dense(s, x) : make_dca(s, x);
}

/* ---- evaluation ---- */

/* Moments of lent inertia that the last repetition changed, over the largest force. */
static double still_wrong(const ffr *s, const double *a)
{
    const ffr_accel *x = s->accel;
    double most = 0, size = x->force;
    for (int i = 0; i < s->nunits; i++)
        for (int k = 0; k < FRAME_V; k++) {
            int at = s->unit[i].v + k;
            if (k < 3) continue;
            most = fmax(most, x->spare[i] * fabs(a[at] - x->last[at]));
            size = fmax(size, x->spare[i] * fabs(a[at]));
        }
    return size > 0 ? most / size : 0;
}

static int repeat(ffr *s, double *a)
{
    enum { MOST = 12 };
    ffr_accel *x = s->accel;
    int where;
    lm_dca_numbers numbers = {s, body_numbers, joint_numbers};
    memset(x->last, 0, sizeof(double) * (size_t)s->sys.nv);
    for (int it = 0; it < MOST; it++) {
        if (lm_dca_solve(x->dca, &numbers, a, x->lam, &where)) return 1;
        if (!x->nspare || still_wrong(s, a) < 1e-13) return 0;
        memcpy(x->last, a, sizeof(double) * (size_t)s->sys.nv);
    }
    return 1;
}

/* All that tasks read: the nodes' motion and forces, drives, whose expressions have one scratch. */
static int prepare(ffr *s, const lm_state *rest)
{
    ffr_accel *x = s->accel;
    lm_state inner = ffr_enter(s, rest);
    if (nodal_residual(&s->in->sys, &inner, s->moved.ri, NULL, NULL)) return 1;
    x->rest = *rest;
    x->force = 0;
    for (int i = 0; i < s->in->sys.nv && x->nspare; i++)
        x->force = fmax(x->force, fabs(s->moved.ri[i]));
    for (int k = 0; k < s->sys.nl; k++)
        if (s->sys.active[k] && s->m->rows[k].drive)
            x->target[k] = nodal_row_target(s->in, &s->m->rows[k], s->t, 2);
    return 0;
}

static int by_dca(ffr *s, const lm_state *rest, double *a, double *lam)
{
    ffr_accel *x = s->accel;
    lm_dca_use_pool(x->dca, s->sys.pool); /* another one may lie where the last one was */
    if (prepare(s, rest)) return 1;
    s->sys.regular_mass = 1;
    int bad = repeat(s, a);
    s->sys.regular_mass = 0;
    if (bad) return 1;
    memset(lam, 0, sizeof(double) * (size_t)s->sys.nl);
    for (int j = 0; j < s->m->njoints; j++) {
        const int *rows = x->rows + x->first_row[j];
        const double *from = x->lam + x->first_row[j];
        for (int k = 0, n = 0; k < x->nrows[j]; k++)
            if (s->sys.active[rows[k]]) lam[rows[k]] = from[n++];
    }
    return 0;
}

static int by_dense(ffr *s, const lm_state *rest, double *a, double *lam)
{
    ffr_accel *x = s->accel;
    const lm_pattern *p = &s->sys.pattern;
    int nv = s->sys.nv, nl = s->sys.nl, n = nv + nl;
    if (prepare(s, rest)) return 1;
    for (int i = 0; i < s->nunits; i++) forces_at_rest(s, &s->unit[i], x->f + s->unit[i].v);
    if (lm_form_ffr.constraint_accel(&s->sys, rest, x->f + nv)) return 1;
    for (int k = 0; k < nl; k++) x->f[nv + k] = -x->f[nv + k];
    s->sys.regular_mass = 1;
    int bad = ffr_jacobian(&s->sys, rest, 1, 0, 0, x->values);
    s->sys.regular_mass = 0;
    if (bad) return 1;
    memset(x->matrix, 0, sizeof(double) * (size_t)n * (size_t)n);
    for (int c = 0; c < n; c++)
        for (int i = p->colptr[c]; i < p->colptr[c + 1]; i++)
            x->matrix[(size_t)n * (size_t)c + (size_t)p->rowind[i]] = x->values[i];
    if (lm_dense_solve_in(n, x->matrix, 1, x->f, x->pivots)) return 1;
    memcpy(a, x->f, sizeof(double) * (size_t)nv);
    memcpy(lam, x->f + nv, sizeof(double) * (size_t)nl);
    return 0;
}

int ffr_accelerations(lm_system *sys, const lm_state *st, double *a, double *lam)
{
    ffr *s = (ffr *)sys;
    if (!s->accel) return 1;
    lm_state rest = {st->t, st->q, st->v, s->accel->none, NULL};
    return s->accel->dca ? by_dca(s, &rest, a, lam) : by_dense(s, &rest, a, lam);
}
