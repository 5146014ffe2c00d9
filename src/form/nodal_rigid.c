/* Everything moving as one. */
#include "form/nodal.h"

void nodal_rigid_velocity(const lm_system *sys, const double *q, const double twist[6], double *v)
{
    lm_v3 along = v3_from(twist), about = v3_from(twist + 3);
    for (int n = 0; n < sys->model->nnodes; n++) {
        v3_put(v + NODE_V * n, v3_add(along, v3_cross(about, node_x(q, n))));
        v3_put(v + NODE_V * n + 3, about);
    }
}

int nodal_turn(lm_system *sys, const double *q, const lm_turning *how, double *v, double *a,
               unsigned char *kind, double *axis)
{
    lm_v3 w = v3_mul(how->rate, how->axis), none = v3(0, 0, 0);
    for (int n = 0; n < sys->model->nnodes; n++) {
        int turns = how->body[sys->model->nodes[n].body], at = NODE_V * n;
        lm_v3 speed = turns ? v3_cross(w, v3_sub(node_x(q, n), how->point)) : none;
        v3_put(v + at, speed);
        v3_put(v + at + 3, turns ? w : none);
        v3_put(a + at, turns ? v3_cross(w, speed) : none);
        v3_put(a + at + 3, none);
        for (int i = at; i < at + NODE_V; i += 3) {
            kind[i] = LM_VECTOR;
            kind[i + 1] = kind[i + 2] = 0;
            v3_put(axis + i, how->axis);
            if (turns) kind[i] |= LM_VECTOR_TURNS;
        }
        kind[at + 3] |= LM_VECTOR_ANGULAR;
    }
    return 0;
}
