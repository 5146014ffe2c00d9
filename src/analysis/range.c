#include "analysis/range.h"

#include "analysis/effects.h"
#include "analysis/small.h"

#include <stdio.h>
#include <string.h>

/* Estimated errors beyond which the user is told. */
#define MOST 0.02

typedef struct body_range {
    const lm_super *s;
    int body, first;          /* node */
    int held;                 /* the node that holds it: its number in the body */
    double frequency;         /* rad/s, the first one when it is held there; 0: not known */
    double bend, turn, speed; /* errors by deformation and by rotation, and rad/s of that */
    double pull, force; /* part of the bending stiffness that an axial force makes; that force */
    unsigned char told_bend, told_turn, told_pull;
    lm_v3 along; /* the line through its farthest nodes */
    int *order;  /* [n] nodes along it */
    double *L;   /* factor of the stiffness with the holding node clamped; NULL: it has none */
    int spans;   /* 1: other nodes have joints, too */
} body_range;

typedef struct lm_range {
    lm_arena arena;
    int n;
    body_range *body; /* [n] superelements */
    double *q, *dx;   /* [nq], [nv] a state a little later */
    double *pose, *x; /* [7 nposes], [3 poses of a body] */
    lm_m3 *R;         /* [poses of a body] */
    double *scratch;
    double *d; /* [30 nodes] deformations, and room */
} lm_range;

/* ---- the first frequency of a body that is held ---- */

/* Number of the joints on a node. */
static int joints_on(const lm_model *m, int node)
{
    int count = 0;
    for (int j = 0; j < m->njoints; j++) {
        const lm_pair *p = &m->pairs[m->joints[j].pair];
        count += p->node[0] == node || p->node[1] == node;
    }
    return count;
}

/* Freedoms that stay: none of the node that holds the body, of others with joints the rotations. */
static int list_free(const lm_model *m, const body_range *b, int *dof)
{
    int n = 0;
    for (int i = 0; i < b->s->n; i++) {
        if (i == b->held) continue;
        int pinned = joints_on(m, b->first + i) > 0;
        for (int k = pinned ? 3 : 0; k < 6; k++) dof[n++] = 6 * i + k;
    }
    return n;
}

static size_t at(int n, int i, int j) { return (size_t)n * (size_t)j + (size_t)i; }

/* Cholesky, lower triangle of A [n x n] by columns. -1: it is not positive. */
static int factor(int n, double *A)
{
    for (int k = 0; k < n; k++) {
        double *col = A + (size_t)n * (size_t)k;
        if (!(col[k] > 0)) return -1;
        double root = sqrt(col[k]);
        for (int i = k; i < n; i++) col[i] /= root;
        for (int j = k + 1; j < n; j++)
            for (int i = j; i < n && col[j] != 0; i++) A[at(n, i, j)] -= col[i] * col[j];
    }
    return 0;
}

static void solve(int n, const double *L, double *x)
{
    for (int j = 0; j < n; j++) {
        const double *col = L + (size_t)n * (size_t)j;
        x[j] /= col[j];
        for (int i = j + 1; i < n; i++) x[i] -= col[i] * x[j];
    }
    for (int j = n - 1; j >= 0; j--) {
        const double *col = L + (size_t)n * (size_t)j;
        for (int i = j + 1; i < n; i++) x[j] -= col[i] * x[i];
        x[j] /= col[j];
    }
}

static double entry(const lm_super *s, const double *A, int i, int j)
{
    return A[6 * (size_t)s->n * (size_t)j + (size_t)i];
}

/* Inverse iteration: omega^2 = x . K x / x . M x; all vectors are long enough for the freedoms. */
static double iterate(const lm_super *s, int n, const int *dof, const double *L, double *x,
                      double *y)
{
    double square = 0;
    for (int i = 0; i < n; i++) x[i] = 1 + 0.37 * (i % 7);
    for (int pass = 0; pass < 12; pass++) {
        double Mx = 0, KM = 0;
        for (int i = 0; i < n; i++) {
            y[i] = 0;
            for (int j = 0; j < n; j++) y[i] += entry(s, s->M, dof[i], dof[j]) * x[j];
            Mx += x[i] * y[i];
        }
        if (!(Mx > 0)) return 0;
        memcpy(x, y, sizeof(double) * (size_t)n); /* x = K^-1 M x */
        solve(n, L, x);
        for (int i = 0; i < n; i++) KM += x[i] * y[i];
        square = Mx / KM;
        for (int i = 0; i < n; i++) x[i] /= sqrt(fabs(KM));
    }
    return square > 0 ? sqrt(square) : 0;
}

static double first_frequency(const lm_model *m, const body_range *b)
{
    size_t most = 6 * (size_t)b->s->n;
    int *dof = lm_alloc(sizeof(int) * most);
    double *A = lm_alloc(sizeof(double) * (most * most + 2 * most)), omega = 0;
    int n = dof && A ? list_free(m, b, dof) : 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) A[at(n, i, j)] = entry(b->s, b->s->K, dof[i], dof[j]);
    if (n > 0 && !factor(n, A)) {
        double *x = A + most * most;
        omega = iterate(b->s, n, dof, A, x, x + most);
    }
    lm_free(dof);
    lm_free(A);
    return omega;
}

/* ---- axial forces ---- */

static int by_place(const body_range *b, int i, int j)
{
    return v3_dot(b->along, b->s->X[i]) < v3_dot(b->along, b->s->X[j]);
}

static void find_line(body_range *b)
{
    double most = 0;
    for (int i = 0; i < b->s->n; i++)
        for (int k = 0; k < i; k++) {
            lm_v3 d = v3_sub(b->s->X[i], b->s->X[k]);
            if (v3_norm(d) > most) most = v3_norm(d), b->along = v3_mul(1 / most, d);
        }
    for (int i = 0, k; i < b->s->n; i++) {
        for (k = i; k > 0 && by_place(b, i, b->order[k - 1]); k--) b->order[k] = b->order[k - 1];
        b->order[k] = i;
    }
}

/* What numbers of the body stay when the holding node is clamped. */
static int free_number(const body_range *b, int k) { return k < 6 * b->held ? k : k + 6; }

static int make_line(lm_range *r, const lm_model *m, body_range *b)
{
    int n = 6 * (b->s->n - 1);
    if (b->s->chain || n <= 0) return 0;
    b->order = LM_NEW_N(&r->arena, int, b->s->n);
    b->L = LM_NEW_N(&r->arena, double, n *n);
    if (!b->order || !b->L) return -1;
    find_line(b);
    for (int i = 0; i < b->s->n; i++) b->spans |= i != b->held && joints_on(m, b->first + i) > 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            b->L[at(n, i, j)] = entry(b->s, b->s->K, free_number(b, i), free_number(b, j));
    if (factor(n, b->L)) b->L = NULL;
    return 0;
}

/* y = Kg x: between neighbours, a distance l apart along the line, N/l of their motion across. */
static void times_geometric(const body_range *b, const double *N, const double *x, double *y)
{
    memset(y, 0, sizeof(double) * 6 * (size_t)b->s->n);
    for (int k = 0; k + 1 < b->s->n; k++) {
        int i = b->order[k], j = b->order[k + 1];
        double l = v3_dot(b->along, v3_sub(b->s->X[j], b->s->X[i]));
        if (!(l > 1e-6 * v3_norm(v3_sub(b->s->X[b->order[b->s->n - 1]], b->s->X[b->order[0]]))))
            continue;
        lm_v3 u = v3_sub(v3_from(x + 6 * j), v3_from(x + 6 * i));
        lm_v3 f = v3_mul(N[k] / l, v3_sub(u, v3_mul(v3_dot(b->along, u), b->along)));
        v3_put(y + 6 * j, v3_add(v3_from(y + 6 * j), f));
        v3_put(y + 6 * i, v3_sub(v3_from(y + 6 * i), f));
    }
}

/* The largest part of the stiffness that the axial forces make, by power iteration: K x' = Kg x. */
static double geometric_part(const body_range *b, const double *N, double *x, double *y)
{
    int n = 6 * b->s->n, nfree = n - 6;
    double part = 0, *z = y + n;
    for (int i = 0; i < n; i++) x[i] = i / 6 == b->held ? 0 : 1 + 0.37 * (i % 7);
    for (int pass = 0; pass < 12; pass++) {
        double KK = 0, G = 0;
        times_geometric(b, N, x, y);
        for (int i = 0; i < nfree; i++) z[i] = y[free_number(b, i)];
        solve(nfree, b->L, z);
        for (int i = 0; i < nfree; i++) {
            int k = free_number(b, i);
            x[k] = z[i], KK += z[i] * y[k];
        }
        if (!(fabs(KK) > 0) || !isfinite(KK)) return 0;
        times_geometric(b, N, x, y);
        for (int i = 0; i < n; i++) G += x[i] * y[i];
        part = G / KK;
        for (int i = 0; i < n; i++) x[i] /= sqrt(fabs(KK));
    }
    return fabs(part);
}

/* The forces K d on the nodes beyond a place pull there. */
static void look_at_forces(lm_range *r, body_range *b, const lm_super_state *now)
{
    int n = b->s->n;
    double *d = r->d, *f = d + 6 * n, *N = f + 6 * n, most = 0, sum = 0;
    if (!b->L || lm_super_deformation(b->s, now, r->scratch, d)) return;
    for (int i = 0; i < 6 * n; i++) {
        f[i] = 0;
        for (int j = 0; j < 6 * n; j++) f[i] += entry(b->s, b->s->K, i, j) * d[j];
    }
    for (int k = n - 1; k > 0; k--) {
        sum += v3_dot(b->along, v3_from(f + 6 * b->order[k]));
        N[k - 1] = sum;
        if (fabs(sum) > fabs(most)) most = sum;
    }
    if (!(fabs(most) > fabs(b->force))) return;
    b->force = most;
    b->pull = geometric_part(b, N, d, N + n) * (b->spans ? 0.25 : 1);
}

/* ---- making ---- */

/* The node with a joint; else that of the frame, else the first. */
static int holding_node(const lm_model *m, const lm_super *s, int first)
{
    for (int i = 0; i < s->n; i++)
        if (joints_on(m, first + i) > 0) return i;
    return s->frame == LM_SUPER_NODE ? s->frame_node : 0;
}

static int fill(lm_range *r, const lm_model *m)
{
    for (int i = 0; i < m->nbodies; i++) {
        if (m->bodies[i].super < 0) continue;
        body_range *b = &r->body[r->n++];
        b->s = &m->supers[m->bodies[i].super];
        b->body = i;
        b->first = m->bodies[i].first_node;
        b->held = holding_node(m, b->s, b->first);
        if (make_line(r, m, b)) return -1;
    }
    return 0;
}

int lm_range_make(lm_run *run)
{
    const lm_model *m = run->model;
    int most = 0;
    if (m->nsupers == 0) return 0;
    for (int k = 0; k < m->nsupers; k++)
        most = m->supers[k].poses > most ? m->supers[k].poses : most;
    lm_range *r = lm_alloc(sizeof *r);
    if (!r) return -1;
    memset(r, 0, sizeof *r);
    run->range = r;
    r->body = LM_NEW_N(&r->arena, body_range, m->nsupers);
    r->q = LM_NEW_N(&r->arena, double, run->sys->nq);
    r->dx = LM_NEW_N(&r->arena, double, run->sys->nv);
    r->pose = LM_NEW_N(&r->arena, double, 7 * run->sys->nposes);
    r->x = LM_NEW_N(&r->arena, double, 3 * most);
    r->R = LM_NEW_N(&r->arena, lm_m3, most);
    r->scratch = LM_NEW_N(&r->arena, double, lm_super_scratch(most));
    r->d = LM_NEW_N(&r->arena, double, 30 * most);
    if (!r->body || !r->q || !r->dx || !r->pose || !r->x || !r->R || !r->scratch) return -1;
    return r->d ? fill(r, m) : -1;
}

void lm_range_free(lm_run *run)
{
    if (!run->range) return;
    lm_arena_free(&run->range->arena);
    lm_free(run->range);
    run->range = NULL;
}

/* ---- at a state ---- */

static lm_super_state state_of(lm_range *r, const body_range *b)
{
    for (int i = 0; i < b->s->poses; i++) {
        const double *p = r->pose + 7 * (b->first + i);
        v3_put(r->x + 3 * i, v3_from(p));
        r->R[i] = quat_m3(quat_from(p + 3));
    }
    return (lm_super_state){.x = r->x, .stride = 3, .R = r->R};
}

/* Turn of the frame between two states, h apart; its axes at the first are in A. */
static double turning(const lm_m3 *A, const lm_m3 *B, double h)
{
    lm_m3 turn = m3_tmul(A, B);
    return v3_norm(lm_quat_log(lm_quat_from_m3(&turn))) / h;
}

/* Centrifugal forces raise the square of the first frequency of a bent body by about W^2: by 1.2 W^2 that of a
 * cantilever across the plane of rotation. A linear body has none of it, or more than that in its plane. */
static void look_at_speed(const lm_model *m, body_range *b, double speed)
{
    if (!(speed > b->speed)) return;
    if (b->frequency == 0) b->frequency = first_frequency(m, b);
    double ratio = b->frequency > 0 ? speed / b->frequency : 0;
    b->speed = speed;
    b->turn = 1 - 1 / sqrt(1 + 1.2 * ratio * ratio);
}

/* A step along v in which nothing turns by more than 1e-5. */
static double step_along(const lm_run *run, const double *v)
{
    double most = 0;
    for (int i = 0; i < run->sys->nv; i++) most = fmax(most, fabs(v[i]));
    return most > 0 && isfinite(most) ? 1e-5 / most : 0;
}

static void look_at_rotation(lm_run *run, const double *q, const double *v)
{
    lm_range *r = run->range;
    double h = v ? step_along(run, v) : 0;
    lm_m3 A, B;
    for (int k = 0; k < r->n && h > 0; k++) {
        body_range *b = &r->body[k];
        lm_super_pose pose;
        lm_super_state now;
        if (b->s->chain || b->s->n < 2) continue;
        run->sys->form->poses(run->sys, q, r->pose);
        now = state_of(r, b);
        if (lm_super_frame_pose(b->s, &now, r->scratch, &pose)) continue;
        A = pose.R;
        for (int i = 0; i < run->sys->nv; i++) r->dx[i] = h * v[i];
        if (run->sys->form->retract(run->sys, q, r->dx, r->q)) continue;
        run->sys->form->poses(run->sys, r->q, r->pose);
        now = state_of(r, b);
        if (lm_super_frame_pose(b->s, &now, r->scratch, &pose)) continue;
        B = pose.R;
        look_at_speed(run->model, b, turning(&A, &B, h));
    }
}

void lm_range_look(lm_run *run, const double *q, const double *v)
{
    lm_range *r = run->range;
    if (!r) return;
    run->sys->form->poses(run->sys, q, r->pose);
    for (int k = 0; k < r->n; k++) {
        body_range *b = &r->body[k];
        lm_super_state now = state_of(r, b);
        b->bend = fmax(b->bend, lm_super_range(b->s, &now, r->scratch));
        look_at_forces(r, b, &now);
        run->sum->range_error = fmax(run->sum->range_error, b->bend);
    }
    look_at_rotation(run, q, v);
    for (int k = 0; k < r->n; k++)
        run->sum->range_error = fmax(run->sum->range_error, r->body[k].turn);
}

enum { KEPT = 7 };

size_t lm_range_size(const lm_run *run) { return run->range ? KEPT * (size_t)run->range->n : 0; }

void lm_range_keep(const lm_run *run, double *to)
{
    for (int k = 0; run->range && k < run->range->n; k++, to += KEPT) {
        const body_range *b = &run->range->body[k];
        to[0] = b->bend, to[1] = b->turn, to[2] = b->speed, to[3] = b->frequency, to[4] = b->held;
        to[5] = b->pull, to[6] = b->force;
    }
}

void lm_range_put_back(lm_run *run, const double *from)
{
    for (int k = 0; run->range && k < run->range->n; k++, from += KEPT) {
        body_range *b = &run->range->body[k];
        b->bend = from[0], b->turn = from[1], b->speed = from[2], b->frequency = from[3];
        b->held = (int)from[4];
        b->pull = from[5], b->force = from[6];
        run->sum->range_error = fmax(run->sum->range_error, fmax(b->bend, b->turn));
    }
}

/* ---- warnings ---- */

/* What mends it: elements that bend, or shorter bodies. */
static const char *remedy(const lm_run *run, const body_range *b)
{
    const lm_spec_body *spec = &run->model->spec->bodies.at[b->body];
    if (b->s->chain) return "give its beam more 'nodes', or use 'type: beam'";
    if (run->model->spec->formulation.elastic_paper) return "cut it into several superelements";
    if (spec->beam_section < 0) return "cut it into several superelements";
    if (spec->nodes[0].motion >= 0 && b->s->n > 2)
        return "cut it into several superelements, or, if its nodes are free to follow the bent "
               "axis, "
               "write 'deformations: large' in its 'beam'";
    return "write 'deformations: large' in its 'beam', or cut it into several superelements";
}

enum { BY_BEND, BY_TURN, BY_PULL };

/* Error of deflections by axial force. A frame that does not stand on the node that holds the body turns with it
 * as it bends, and so does the force against it: that part is not missed. Fits to cantilevers (docs/ranges.md). */
static double by_force(const body_range *b)
{
    int held = b->s->frame == LM_SUPER_NODE && b->s->frame_node == b->held;
    return b->pull * (held || b->spans ? 1 : b->s->frame == LM_SUPER_NODE ? 0.5 : 0.22);
}

static double size_by(const body_range *b, int what)
{
    return what == BY_BEND ? b->bend : what == BY_TURN ? b->turn : by_force(b);
}

/* Of the bodies of one line the worst. */
static body_range *worst_of_line(lm_run *run, int first, int what)
{
    lm_range *r = run->range;
    body_range *most = &r->body[first];
    for (int i = first; i < r->n; i++) {
        body_range *b = &r->body[i];
        if (!lm_same_line(run, b->body, r->body[first].body)) continue;
        if (size_by(b, what) > size_by(most, what)) most = b;
        unsigned char *told[] = {&b->told_bend, &b->told_turn, &b->told_pull};
        *told[what] = 1;
    }
    return most;
}

static void warn_bend(lm_run *run, const body_range *b)
{
    const lm_spec_body *spec = &run->model->spec->bodies.at[b->body];
    lm_warning(run->diag, spec->item.loc,
               "superelement '%s' bends so far that the displacements within it are off by about "
               "%.2g %%%s: %s",
               spec->item.name, 100 * b->bend,
               b->s->chain ? "" : ", for its matrices are those of small deformations",
               remedy(run, b));
}

static void warn_turn(lm_run *run, const body_range *b)
{
    const lm_spec_body *spec = &run->model->spec->bodies.at[b->body];
    lm_warning(
        run->diag, spec->item.loc,
        "superelement '%s' turns at %.3g rad/s, and its first frequency, held at '%s', is "
        "%.3g rad/s; constant matrices know no stiffening by rotation, so its frequencies are "
        "off by about %.2g %%: %s",
        spec->item.name, b->speed, spec->nodes[b->held].name, b->frequency, 100 * b->turn,
        remedy(run, b));
}

static void warn_pull(lm_run *run, const body_range *b)
{
    const lm_spec_body *spec = &run->model->spec->bodies.at[b->body];
    lm_warning(run->diag, spec->item.loc,
               "superelement '%s' is %s by up to %.3g, which changes its bending stiffness by a "
               "part of the order of %.2g; constant matrices know nothing of it, and its "
               "deflections are off by about %.2g %%: %s",
               spec->item.name, b->force < 0 ? "pressed" : "pulled", fabs(b->force), b->pull,
               100 * by_force(b), remedy(run, b));
}

static void tell_effects(const lm_run *run, const body_range *b)
{
    const char *name = run->model->spec->bodies.at[b->body].item.name;
    lm_effect_part(run, "bending within a superelement", name, b->bend);
    lm_effect_part(run, "stiffening of a superelement by rotation", name, b->turn);
    lm_effect_part(run, "stiffness of a superelement by axial force", name, by_force(b));
}

void lm_range_warn(lm_run *run)
{
    lm_range *r = run->range;
    for (int i = 0; r && i < r->n; i++) tell_effects(run, &r->body[i]);
    for (int i = 0; r && i < r->n; i++) {
        const body_range *b = &r->body[i];
        if (!b->told_bend && b->bend > MOST) warn_bend(run, worst_of_line(run, i, BY_BEND));
        if (!b->told_turn && b->turn > MOST) warn_turn(run, worst_of_line(run, i, BY_TURN));
        if (!b->told_pull && by_force(b) > MOST) warn_pull(run, worst_of_line(run, i, BY_PULL));
    }
}
