/* Orbits: which way round the turning bodies go in a shape.
 *
 * In the plane across the axis a point moves as z = z1 + i z2 = Re(u1 e^{i w t}) + i Re(u2 e^{i w t}),
 *
 *     2 z = (u1 + i u2) e^{i w t} + (u1* + i u2*) e^{-i w t}
 *
 * one circle in the sense of the rotation of size |u1 + i u2| and one against it of size |u1 - i u2|. */
#include "analysis/campbell.h"

#include <math.h>
#include <string.h>

enum { POSE = 7 };
#define ACROSS 1e-6 /* part of a shape below which what moves across the axis is nothing */

size_t lm_campbell_whirl_room(const lm_system *sys)
{
    return (size_t)sys->nv + (size_t)sys->nq + 2 * (size_t)(POSE * sys->nposes) +
           6 * (size_t)sys->nposes + 1;
}

/* Every velocity is one of a node's two vectors. */
static int nodal(const lm_campbell *c)
{
    const lm_system *sys = c->sys;
    for (int i = 0; i < sys->nv; i += 3)
        if (!(c->steady.pencil.kind[i] & LM_VECTOR)) return 0;
    return sys->nv == 6 * sys->model->nnodes;
}

/* Motion of the poses' places along dx, by a difference: out [3 nposes]. */
static void places(lm_campbell *c, const double *dx, double *out)
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
    for (int p = 0; p < sys->nposes; p++)
        v3_put(out + 3 * p,
               v3_mul(0.5 / h, v3_sub(v3_from(at[1] + POSE * p), v3_from(at[0] + POSE * p))));
}

double lm_campbell_whirl(lm_campbell *c, const lm_root *r, int *across)
{
    lm_system *sys = c->sys;
    const lm_model *m = sys->model;
    lm_m3 E = lm_triad(c->steady.turning.axis);
    lm_v3 e1 = m3_col(&E, 0), e2 = m3_col(&E, 1);
    double forward = 0, backward = 0, all = 0, size = c->steady.size;
    double *re = c->work + sys->nv + sys->nq + 2 * POSE * sys->nposes, *im = re + 3 * sys->nposes;
    int direct = nodal(c);
    if (!direct) {
        memset(re, 0, sizeof(double) * 6 * (size_t)sys->nposes);
        places(c, r->x, re);
        places(c, r->y, im);
    }
    for (int n = 0; n < m->nnodes; n++) {
        if (!c->steady.turning.body[m->nodes[n].body]) continue;
        lm_v3 x = v3_from(direct ? r->x + 6 * n : re + 3 * n);
        lm_v3 y = v3_from(direct ? r->y + 6 * n : im + 3 * n);
        double u1 = v3_dot(e1, x), w1 = v3_dot(e1, y), u2 = v3_dot(e2, x), w2 = v3_dot(e2, y);
        forward += (u1 - w2) * (u1 - w2) + (w1 + u2) * (w1 + u2);
        backward += (u1 + w2) * (u1 + w2) + (w1 - u2) * (w1 - u2);
        all += v3_dot(x, x) + v3_dot(y, y);
    }
    for (int i = 0; i < sys->nv; i++) {
        double f = (sys->angular[i] ? size : 1);
        all += f * f * (r->x[i] * r->x[i] + r->y[i] * r->y[i]);
    }
    *across = forward + backward > ACROSS * all;
    if (!*across || r->im == 0) return 0;
    return (forward - backward) / (forward + backward);
}
