/* Everything moving as one, which the coordinates cannot say: its momentum along each of them. */
#include "form/minimal.h"

#include <math.h>
#include <string.h>

/* M r of the nodes into ri: the residual is linear in accelerations, and grows by it with a = r. */
static int nodal_momentum(minimal *s, const lm_state *inner, const double twist[6])
{
    lm_moved *to = &s->moved;
    int n = s->in->sys.nv;
    memset(to->vi, 0, sizeof(double) * (size_t)n);
    memset(to->ai, 0, sizeof(double) * (size_t)n);
    if (nodal_residual(&s->in->sys, inner, s->trial, NULL, NULL)) return 1;
    nodal_rigid_velocity(&s->in->sys, to->qi, twist, to->ai);
    if (nodal_residual(&s->in->sys, inner, to->ri, NULL, NULL)) return 1;
    for (int i = 0; i < n; i++) to->ri[i] -= s->trial[i];
    return 0;
}

/* p = X^T ri */
static void collect(const minimal *s, double *p)
{
    const lm_moved *of = &s->moved;
    memset(p, 0, sizeof(double) * (size_t)s->sys.nv);
    for (int m = 0; m < s->m->nnodes; m++)
        for (int k = of->node[m].first; k < of->node[m].first + of->node[m].n; k++)
            p[of->cols[k]] += moved_dot(of->jets[k].X, of->ri + NODE_V * m);
}

/* p = X^T M r */
int minimal_rigid_momentum(lm_system *sys, const lm_state *rest, const double twist[6], double *p,
                           double *total)
{
    minimal *s = (minimal *)sys;
    const lm_moved *of = &s->moved;
    lm_state inner;
    *total = 0;
    if (minimal_enter(s, rest, &inner) || minimal_jets(s, rest)) return 1;
    if (nodal_momentum(s, &inner, twist)) return 1;
    for (int i = 0; i < s->in->sys.nv; i++) *total += of->ai[i] * of->ri[i];
    collect(s, p);
    return 0;
}

/* The largest velocity of a node in w. */
static double fastest(const minimal *s, const double *w)
{
    double most = 0, unit = s->m->size > 0 ? 1 / s->m->size : 1;
    for (int n = 0; n < s->m->nnodes; n++) {
        most = fmax(most, unit * v3_norm(v3_from(w + NODE_V * n)));
        most = fmax(most, v3_norm(v3_from(w + NODE_V * n + 3)));
    }
    return most;
}

/* p = X^T M w: the residual is linear in accelerations, and grows by M w with a = w. */
int minimal_start_left(lm_system *sys, const lm_state *st, double *p, double *left, double *speed)
{
    minimal *s = (minimal *)sys;
    const lm_moved *to = &s->moved;
    size_t n = (size_t)s->in->sys.nv, all = sizeof(double) * n;
    lm_state inner;
    double *w = s->trial;
    *left = *speed = 0;
    memset(p, 0, sizeof(double) * (size_t)sys->nv);
    if (s->written) return 0;
    if (nodal_initial(&s->in->sys, to->qi, w)) return 1;
    *speed = fastest(s, w);
    if (minimal_enter(s, st, &inner) || minimal_jets(s, st)) return 1;
    for (size_t i = 0; i < n; i++) w[i] -= to->vi[i];
    *left = fastest(s, w);
    memset(to->vi, 0, all);
    memset(to->ai, 0, all);
    if (nodal_residual(&s->in->sys, &inner, to->ri, NULL, NULL)) return 1;
    memcpy(to->ai, w, all);
    if (nodal_residual(&s->in->sys, &inner, s->trial, NULL, NULL)) return 1;
    for (size_t i = 0; i < n; i++) to->ri[i] = s->trial[i] - to->ri[i];
    collect(s, p);
    return 0;
}
