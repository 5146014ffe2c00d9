/* Orbits: which way round the turning bodies go in a shape.
 *
 * In the plane across the axis a point moves as z = z1 + i z2 = Re(u1 e^{i w t}) + i Re(u2 e^{i w t}),
 *
 *     2 z = (u1 + i u2) e^{i w t} + (u1* + i u2*) e^{-i w t}
 *
 * one circle in the sense of the rotation of size |u1 + i u2| and one against it of size |u1 - i u2|. The
 * tilting of a body is a vector in that plane, too: with the size of the model it counts as a motion, so that
 * conical whirl, in which nothing need move, has a sense. */
#include "analysis/campbell.h"

#include <math.h>
#include <string.h>

enum { POSE = 7, SWEEPS = 3, ORBITS = LM_CAMPBELL_ORBITS };
#define ACROSS                                                                                     \
    1e-6 /* part of a shape (of its square) below which what moves across the axis is nothing */
#define BESIDE 1e-3  /* ... of what turns, below which the shape is one along or about the axis */
#define CENTRE 0.01  /* of the size: distance from the axis of a node that is on it */
#define LOOSE  1e-10 /* motion of a body in one of the model that is 1e-4 of its size */

size_t lm_campbell_whirl_room(const lm_system *sys)
{
    return (size_t)sys->nv + (size_t)sys->nq + 2 * (size_t)(POSE * sys->nposes) +
           12 * (size_t)sys->nposes + 1;
}

/* Every velocity is one of a node's two vectors. */
static int nodal(const lm_campbell *c)
{
    const lm_system *sys = c->sys;
    for (int i = 0; i < sys->nv; i += 3)
        if (!(c->steady.pencil.kind[i] & LM_VECTOR)) return 0;
    return sys->nv == 6 * sys->model->nnodes;
}

/* Motion of the poses along dx, by a difference: out [6 nposes], places and rotations. */
static void motions(lm_campbell *c, const double *dx, double *out)
{
    lm_system *sys = c->sys;
    double *step = c->work, *q = step + sys->nv, *at[2] = {q + sys->nq, NULL}, most = 0;
    at[1] = at[0] + POSE * sys->nposes;
    for (int i = 0; i < sys->nv; i++) most = fmax(most, fabs(dx[i]) / c->steady.unit[i]);
    double h = most > 0 ? 1e-4 / most : 1;
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < sys->nv; i++) step[i] = (side ? h : -h) * dx[i];
        if (sys->form->retract(sys, c->steady.q, step, q)) return;
        sys->form->poses(sys, q, at[side]);
    }
    for (int p = 0; p < sys->nposes; p++) {
        const double *a = at[0] + POSE * p, *b = at[1] + POSE * p;
        v3_put(out + 6 * p, v3_mul(0.5 / h, v3_sub(v3_from(b), v3_from(a))));
        v3_put(out + 6 * p + 3,
               v3_mul(0.5 / h, lm_quat_log(quat_turn(quat_from(a + 3), quat_from(b + 3)))));
    }
}

/* Circles of a vector x + i y: u1 + i u2 and u1 - i u2. */
static void circles_of(const lm_m3 *E, double f, lm_v3 x, lm_v3 y, double out[4])
{
    lm_v3 e1 = m3_col(E, 0), e2 = m3_col(E, 1);
    double u1 = v3_dot(e1, x), w1 = v3_dot(e1, y), u2 = v3_dot(e2, x), w2 = v3_dot(e2, y);
    out[0] = f * (u1 - w2), out[1] = f * (w1 + u2);
    out[2] = f * (u1 + w2), out[3] = f * (w1 - u2);
}

/* 1: the node is on the axis. The poses are those of the present shape. */
static int is_central(const lm_campbell *c, const double *poses, int node)
{
    lm_v3 arm = v3_sub(v3_from(poses + POSE * node), c->steady.turning.point);
    return v3_norm(v3_cross(c->steady.turning.axis, arm)) < CENTRE * c->steady.size;
}

/* Circles of the nodes in shape j, out [8 nodes]: of their places and of their rotations. */
static void find_circles(lm_campbell *c, int j)
{
    lm_system *sys = c->sys;
    const lm_model *m = sys->model;
    const lm_root *r = &c->spectrum.root[j];
    lm_m3 E = lm_triad(c->steady.turning.axis);
    double *re = c->work + sys->nv + sys->nq + 2 * POSE * sys->nposes, *im = re + 6 * sys->nposes;
    double *out = c->circles + ORBITS * (size_t)m->nnodes * (size_t)j;
    const double *x = r->x, *y = r->y;
    if (!nodal(c)) {
        memset(re, 0, sizeof(double) * 12 * (size_t)sys->nposes);
        motions(c, x, re);
        motions(c, y, im);
        x = re, y = im;
    }
    double *poses = c->work + sys->nv + sys->nq;
    sys->form->poses(sys, c->steady.q, poses);
    c->along[j] = c->centre[j] = 0;
    for (int n = 0; n < m->nnodes; n++, out += ORBITS) {
        double on = c->steady.turning.body[m->nodes[n].body];
        double central = is_central(c, poses, n);
        for (int k = 0; k < 2; k++) {
            double unit = k ? on * c->steady.size : on;
            lm_v3 re_k = v3_from(x + 6 * n + 3 * k), im_k = v3_from(y + 6 * n + 3 * k);
            double a = unit * v3_dot(m3_col(&E, 2), re_k), b = unit * v3_dot(m3_col(&E, 2), im_k);
            circles_of(&E, unit, re_k, im_k, out + 4 * k);
            c->along[j] += 2 * (a * a + b * b); /* a line is two circles of its size */
            c->centre[j] += central * 2 * (a * a + b * b);
        }
    }
}

/* conj(j) . k over the nodes: out[0..1] of the forward circles, out[2..3] of the backward ones. */
static void product(const lm_campbell *c, int j, int k, double out[4])
{
    size_t nodes = (size_t)c->sys->model->nnodes;
    const double *a = c->circles + ORBITS * nodes * (size_t)j,
                 *b = c->circles + ORBITS * nodes * (size_t)k;
    memset(out, 0, 4 * sizeof *out);
    for (size_t i = 0; i < ORBITS * nodes; i += 2) {
        out[i % 4] += a[i] * b[i] + a[i + 1] * b[i + 1];
        out[i % 4 + 1] += a[i] * b[i + 1] - a[i + 1] * b[i];
    }
}

static double size_of(const lm_campbell *c, const lm_root *r)
{
    double all = 0, size = c->steady.size;
    for (int i = 0; i < c->sys->nv; i++) {
        double f = (c->sys->angular[i] ? size : 1);
        all += f * f * (r->x[i] * r->x[i] + r->y[i] * r->y[i]);
    }
    return all;
}

/* ---- equal roots ---- */

/* (a, b) -> (f a + g b, -g* a + f b) for complex vectors whose parts lie `step` apart, g = (g0, g1). */
static void turn(size_t n, size_t step, double f, const double g[2], double *a[2], double *b[2])
{
    for (size_t i = 0; i < n; i += step) {
        double a0 = a[0][i], a1 = a[1][i], b0 = b[0][i], b1 = b[1][i];
        a[0][i] = f * a0 + g[0] * b0 - g[1] * b1;
        a[1][i] = f * a1 + g[0] * b1 + g[1] * b0;
        b[0][i] = f * b0 - g[0] * a0 - g[1] * a1;
        b[1][i] = f * b1 - g[0] * a1 + g[1] * a0;
    }
}

/* With d = conj(forward) forward - conj(backward) backward, [d_jj h; h* d_kk] becomes diagonal, the
 * more forward one in j: one of Jacobi's rotations. */
static void part(lm_campbell *c, int j, int k)
{
    lm_root *r = &c->spectrum.root[j], *o = &c->spectrum.root[k];
    size_t nv = (size_t)c->sys->nv, nodes = (size_t)c->sys->model->nnodes;
    double jj[4], kk[4], jk[4];
    product(c, j, j, jj);
    product(c, k, k, kk);
    product(c, j, k, jk);
    double h[2] = {jk[0] - jk[2], jk[1] - jk[3]}, size = hypot(h[0], h[1]);
    double apart = jj[0] - jj[2] - kk[0] + kk[2], angle = 0.5 * atan2(2 * size, apart);
    if (hypot(2 * size, apart) < ACROSS * (size_of(c, r) + size_of(c, o))) return; /* no circles */
    double f = cos(angle), way = size > 0 ? sin(angle) / size : 0;
    double g[2] = {size > 0 ? way * h[0] : sin(angle), -way * h[1]};
    turn(nv, 1, f, g, (double *[]){r->x, r->y}, (double *[]){o->x, o->y});
    turn(nv, 1, f, g, (double *[]){r->Mx, r->My}, (double *[]){o->Mx, o->My});
    double *a = c->circles + ORBITS * nodes * (size_t)j;
    double *b = c->circles + ORBITS * nodes * (size_t)k;
    turn(ORBITS * nodes, 2, f, g, (double *[]){a, a + 1}, (double *[]){b, b + 1});
}

/* Shapes of equal roots are any that span the same space: forward and backward whirl, and what does not
 * whirl (torsion that meets whirl by chance), are told apart. */
void lm_campbell_circles(lm_campbell *c)
{
    const lm_spectrum *p = &c->spectrum;
    for (int j = 0; j < p->found; j++) find_circles(c, j);
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (int j = 0; j < p->found; j++)
            for (int k = j + 1; k < p->found; k++)
                if (p->root[j].im > 0 && lm_spectrum_equal(&p->root[j], &p->root[k])) {
                    part(c, j, k);
                    if (sweep == SWEEPS - 1) find_circles(c, j), find_circles(c, k);
                }
}

double lm_campbell_whirl(const lm_campbell *c, int j, int *across)
{
    const lm_root *r = &c->spectrum.root[j];
    double sum[4];
    product(c, j, j, sum);
    double most = fmax(ACROSS * size_of(c, r), BESIDE * (sum[0] + sum[2] + c->along[j]));
    *across = sum[0] + sum[2] > most;
    return *across ? (sum[0] - sum[2]) / (sum[0] + sum[2]) : 0;
}

int lm_campbell_goes_along(const lm_campbell *c, int j)
{
    double sum[4];
    product(c, j, j, sum);
    return c->centre[j] > sum[0] + sum[2];
}

int lm_campbell_takes_part(const lm_campbell *c, int j)
{
    double sum[4];
    product(c, j, j, sum);
    return sum[0] + sum[2] + c->along[j] > ACROSS * size_of(c, &c->spectrum.root[j]);
}

/* ---- what stands still ---- */

/* A motion that the constraints allow and that has a part in everything else. */
static void any_motion(lm_campbell *c, double *x)
{
    lm_spectrum *p = &c->spectrum;
    const lm_pencil *k = &c->steady.pencil;
    memset(p->b, 0, sizeof(double) * (size_t)p->n);
    for (int i = 0; i < p->nv; i++) {
        int at = lm_pattern_find(&k->pattern, i, i);
        if (at >= 0) p->b[i] = p->sigma * p->sigma * fabs(k->M[at]) + fabs(k->K[at]);
        p->b[i] *= (0.7 + 0.3 * sin(1.0 + i)) * c->steady.unit[i] / p->scale;
    }
    lm_linear_solve(c->steady.lin, p->b);
    memcpy(x, p->b, sizeof(double) * (size_t)p->nv);
}

int lm_campbell_stands_loose(lm_campbell *c)
{
    lm_system *sys = c->sys;
    const lm_model *m = sys->model;
    double *x = c->spectrum.w, *at = c->work + sys->nv + sys->nq,
           *out = at + 2 * POSE * sys->nposes;
    any_motion(c, x);
    for (int i = 0; i + 2 < sys->nv; i++)
        if (c->steady.pencil.kind[i] & LM_VECTOR) memset(x + i, 0, 3 * sizeof *x);
    memset(at, 0, sizeof(double) * 2 * POSE * (size_t)sys->nposes);
    motions(c, x, out);
    for (int n = 0; n < m->nnodes; n++) {
        if (c->steady.turning.body[m->nodes[n].body]) continue;
        for (int i = 0; i < POSE; i++)
            if (fabs(at[POSE * n + i] - at[POSE * (sys->nposes + n) + i]) >
                LOOSE * (i < 3 ? c->steady.size : 1))
                return m->nodes[n].body;
    }
    return -1;
}
