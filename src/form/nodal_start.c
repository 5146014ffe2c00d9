/* The initial configuration: nodes where their bodies are at the start (form/start.h). */
#include "form/nodal.h"
#include "form/start.h"

#include <string.h>

static void place_node(const nodal *s, const lm_start_body *b, int n, double *q, double *v)
{
    const lm_node *node = &s->m->nodes[n];
    lm_v3 d = m3_v(&b->R, v3_sub(node->x, b->drawn));
    v3_put(q, v3_add(b->x, d));
    quat_put(q + 3, quat_unit(quat_mul(lm_quat_from_m3(&b->R), node->q)));
    v3_put(v, v3_add(b->v, v3_cross(b->w, d)));
    v3_put(v + 3, b->w);
}

/* Angles as they are where the nodes are, at the turn that was asked for. */
static void start_angles(nodal *s, const lm_start *start, double *q)
{
    nodal_kinematics(s, q);
    for (int c = 0; c < s->m->ncoords; c++) {
        const lm_coord *k = &s->m->coords[c];
        if (k->turns < 0) continue;
        const lm_pair_pose *pose = &s->kin.pair[s->m->joints[k->joint].pair];
        double now = lm_measure_value(k->measure, k->i, k->j, pose);
        q[NODE_Q * s->m->nnodes + k->turns] = lm_angle_near(now, start->value[c]);
    }
}

int nodal_initial(lm_system *sys, double *q, double *v)
{
    nodal *s = (nodal *)sys;
    lm_start start;
    int bad = lm_start_make(&start, s->m);
    for (int n = 0; n < s->m->nnodes && !bad; n++)
        place_node(s, &start.body[s->m->nodes[n].body], n, q + NODE_Q * n, v + NODE_V * n);
    if (!bad) start_angles(s, &start, q);
    lm_start_free(&start);
    return bad;
}
