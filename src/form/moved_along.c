/* A straight way of the coordinates (lm_way) as the nodes go it, to first order: with the jets of the state,
 *
 *     dx = X dq,    dv = X dv + Xv dq,    da = X da + Xc dv + Xa dq . */
#include "form/moved.h"

#include <string.h>

struct moved_way {
    lm_way way;   /* number: that of the coordinates' own */
    double *room; /* q, v, a of the state; dx, dv, da */
};

int moved_make_way(lm_moved *s, lm_arena *arena)
{
    size_t nq = (size_t)s->in->sys.nq, nv = (size_t)s->in->sys.nv;
    s->way = LM_NEW(arena, struct moved_way);
    double *x = LM_NEW_N(arena, double, nq + 5 * nv + 1);
    if (!s->way || !x) return -1;
    s->way->room = x;
    return 0;
}

int moved_wants_way(const lm_moved *s)
{
    return s->sys->along && s->sys->along->number != s->way->way.number;
}

/* to += by X of 6 numbers; NULL: nothing. */
static void add(double *to, const double *X, const double *d, int col)
{
    for (int i = 0; i < NODE_V && d; i++) to[i] += X[i] * d[col];
}

void moved_set_way(lm_moved *s, const lm_state *inner)
{
    const lm_way *own = s->sys->along;
    size_t nq = (size_t)s->in->sys.nq, nv = (size_t)s->in->sys.nv;
    double *q = s->way->room, *v = q + nq, *a = v + nv, *dx = a + nv, *dv = dx + nv, *da = dv + nv;
    memcpy(q, inner->q, sizeof(double) * nq);
    if (inner->v) memcpy(v, inner->v, sizeof(double) * nv);
    if (inner->a) memcpy(a, inner->a, sizeof(double) * nv);
    memset(dx, 0, sizeof(double) * 3 * nv);
    for (int n = 0; n < s->in->m->nnodes; n++)
        for (int k = s->node[n].first; k < s->node[n].first + s->node[n].n; k++) {
            const lm_jet *j = &s->jets[k];
            int at = NODE_V * n, col = s->cols[k];
            add(dx + at, j->X, own->dx, col);
            add(dv + at, j->X, own->dv, col);
            add(dv + at, j->Xv, own->dx, col);
            add(da + at, j->X, own->da, col);
            add(da + at, j->Xc, own->dv, col);
            add(da + at, j->Xa, own->dx, col);
        }
    s->way->way = (lm_way){.at = {own->at.t, q, inner->v ? v : NULL, inner->a ? a : NULL, NULL},
                           .dx = dx,
                           .dv = dv,
                           .da = da,
                           .number = own->number};
}

const lm_way *moved_way(lm_moved *s)
{
    if (!s->sys->along || moved_wants_way(s)) return NULL;
    s->way->way.s = s->sys->along->s;
    return &s->way->way;
}
