/* Steady rotation of some bodies in joint coordinates: nothing moves between bodies that both turn or
 * both stand still; where one of them hangs on the other, the motions between them take up the
 * rotation, by turns about its line or, of a free node, by slides and a ball. */
#include "form/minimal.h"

#include <string.h>

#define FITS 1e-9 /* of velocities, over those of the rotation */

typedef struct turning {
    minimal *s;
    const double *q;
    const lm_turning *how;
    double *v, *a;
    unsigned char *kind;
    double *axis;
} turning;

static int turns(const turning *k, int node)
{
    return node >= 0 && k->how->body[k->s->m->nodes[node].body];
}

static int parallel(const turning *k, lm_v3 axis)
{
    return v3_norm(v3_cross(axis, k->how->axis)) < FITS;
}

/* Three rates that are the components of a vector along the axes e. */
static void note_vector(const turning *k, int u, unsigned char kind, const lm_v3 e[3])
{
    k->kind[u] = (unsigned char)(LM_VECTOR | LM_VECTOR_TURNS | kind);
    for (int i = 0; i < 3; i++) k->axis[u + i] = v3_dot(e[i], k->how->axis);
}

/* The slides of a free node go with the node: its velocity turns. */
static void free_slides(const turning *k, int link)
{
    const lm_link_motion *m = &k->s->tree.motion[link];
    int u = k->s->tree.links.at[link].u;
    lm_v3 e[3] = {m[0].e[0], m[1].e[0], m[2].e[0]}, speed = v3(0, 0, 0);
    for (int i = 0; i < 3; i++) speed = v3_add(speed, v3_mul(k->v[u + i], e[i]));
    lm_v3 inwards = v3_mul(k->how->rate, v3_cross(k->how->axis, speed));
    for (int i = 0; i < 3; i++) k->a[u + i] = v3_dot(e[i], inwards);
    note_vector(k, u, 0, e);
}

/* Own motions of a node that turns on one that does not, or the other way round. 0; 1: they are none
 * of steady rotation. */
static int look_at_links(const turning *k, int node)
{
    const minimal *s = k->s;
    const lm_tip *tip = &s->tree.tips.at[node];
    int slides = 0;
    for (int c = tip->first; c < tip->first + tip->n; c++) {
        const lm_column *col = &s->tree.columns.at[c];
        const lm_link *l = &s->tree.links.at[col->link];
        const lm_link_motion *m = &s->tree.motion[col->link];
        const min_rate *rate = &s->rate[col->u];
        if (rate->node != node || col->axis > 0) continue;
        if (rate->joint < 0 && !turns(k, node)) return 1; /* at rest beside what carries it */
        if (l->kind == LM_LINK_BALL)
            note_vector(k, col->u, LM_VECTOR_ANGULAR, m->e);
        else if (rate->joint < 0) {
            if (slides++ == 0) free_slides(k, col->link);
        } else if (!parallel(k, m->e[0]))
            return 1;
    }
    return 0;
}

/* What is missing of the velocity of a node that hangs on what moves already. */
static void missing(const turning *k, int node, const lm_tip_motion *m, double w[6])
{
    lm_v3 about = v3_mul(turns(k, node) ? k->how->rate : 0, k->how->axis);
    lm_v3 along = v3_cross(about, v3_sub(m->x, k->how->point));
    v3_put(w, v3_sub(along, m->v));
    v3_put(w + 3, v3_sub(about, m->w));
}

static int take_up(const turning *k, int node)
{
    minimal *s = k->s;
    const lm_tip *tip = &s->tree.tips.at[node];
    double size = s->m->size > 0 ? s->m->size : 1, X[6][6], w[6], rate = fabs(k->how->rate);
    lm_tip_motion m;
    int own = 0;
    lm_kintree_tip_motion(&s->tree, node, &m);
    missing(k, node, &m, w);
    for (int c = tip->first; c < tip->first + tip->n; c++) {
        const lm_column *col = &s->tree.columns.at[c];
        if (s->rate[col->u].node == node) lm_kintree_partial(&s->tree, col, &m, X[own++]);
    }
    int first = own ? s->tree.columns.at[tip->first + tip->n - own].u : 0;
    if (own) minimal_fit(X, own, w, 1 / (size * size), 1, k->v + first);
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < own; j++) w[i] -= X[j][i] * k->v[first + j];
        if (fabs(w[i]) > FITS * rate * (i < 3 ? size : 1)) return 1;
    }
    return look_at_links(k, node);
}

int minimal_turn(lm_system *sys, const double *q, const lm_turning *how, double *v, double *a,
                 unsigned char *kind, double *axis)
{
    minimal *s = (minimal *)sys;
    turning k = {s, q, how, v, a, kind, axis};
    size_t nv = (size_t)sys->nv;
    memset(v, 0, sizeof(double) * nv);
    memset(a, 0, sizeof(double) * nv);
    memset(axis, 0, sizeof(double) * nv);
    memset(kind, 0, nv);
    if (s->written) return 1;
    for (int i = 0; i < s->m->nnodes; i++) {
        int n = nodal_tree_order(s->in->tree, i);
        minimal_move_node(s, n, q, v);
        if (turns(&k, n) != turns(&k, s->hung[n].on)) {
            if (take_up(&k, n)) return 1;
            minimal_move_node(s, n, q, v);
        }
    }
    return 0;
}
