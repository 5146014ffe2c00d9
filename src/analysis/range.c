#include "analysis/range.h"

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
    unsigned char told_bend, told_turn;
} body_range;

typedef struct lm_range {
    lm_arena arena;
    int n;
    body_range *body; /* [n] superelements */
    double *q, *dx;   /* [nq], [nv] a state a little later */
    double *pose, *x; /* [7 nposes], [3 poses of a body] */
    lm_m3 *R;         /* [poses of a body] */
    double *scratch;
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

/* ---- making ---- */

/* The node with a joint; else that of the frame, else the first. */
static int holding_node(const lm_model *m, const lm_super *s, int first)
{
    for (int i = 0; i < s->n; i++)
        if (joints_on(m, first + i) > 0) return i;
    return s->frame == LM_SUPER_NODE ? s->frame_node : 0;
}

static void fill(lm_range *r, const lm_model *m)
{
    for (int i = 0; i < m->nbodies; i++) {
        if (m->bodies[i].super < 0) continue;
        body_range *b = &r->body[r->n++];
        b->s = &m->supers[m->bodies[i].super];
        b->body = i;
        b->first = m->bodies[i].first_node;
        b->held = holding_node(m, b->s, b->first);
    }
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
    if (!r->body || !r->q || !r->dx || !r->pose || !r->x || !r->R || !r->scratch) return -1;
    fill(r, m);
    return 0;
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
        run->sum->range_error = fmax(run->sum->range_error, b->bend);
    }
    look_at_rotation(run, q, v);
    for (int k = 0; k < r->n; k++)
        run->sum->range_error = fmax(run->sum->range_error, r->body[k].turn);
}

enum { KEPT = 5 };

size_t lm_range_size(const lm_run *run) { return run->range ? KEPT * (size_t)run->range->n : 0; }

void lm_range_keep(const lm_run *run, double *to)
{
    for (int k = 0; run->range && k < run->range->n; k++, to += KEPT) {
        const body_range *b = &run->range->body[k];
        to[0] = b->bend, to[1] = b->turn, to[2] = b->speed, to[3] = b->frequency, to[4] = b->held;
    }
}

void lm_range_put_back(lm_run *run, const double *from)
{
    for (int k = 0; run->range && k < run->range->n; k++, from += KEPT) {
        body_range *b = &run->range->body[k];
        b->bend = from[0], b->turn = from[1], b->speed = from[2], b->frequency = from[3];
        b->held = (int)from[4];
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

/* Of the bodies of one line the worst. */
static body_range *worst_of_line(lm_run *run, int first, int by_turn)
{
    lm_range *r = run->range;
    body_range *most = &r->body[first];
    for (int i = first; i < r->n; i++) {
        body_range *b = &r->body[i];
        if (!lm_same_line(run, b->body, r->body[first].body)) continue;
        if (by_turn ? b->turn > most->turn : b->bend > most->bend) most = b;
        if (by_turn)
            b->told_turn = 1;
        else
            b->told_bend = 1;
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

void lm_range_warn(lm_run *run)
{
    lm_range *r = run->range;
    for (int i = 0; r && i < r->n; i++) {
        const body_range *b = &r->body[i];
        if (!b->told_bend && b->bend > MOST) warn_bend(run, worst_of_line(run, i, 0));
        if (!b->told_turn && b->turn > MOST) warn_turn(run, worst_of_line(run, i, 1));
    }
}
