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

void nodal_turn_frame(const lm_turning *how, int turns, lm_v3 x, double *v, double *a,
                      unsigned char *kind, double *axis)
{
    lm_v3 w = turns ? v3_mul(how->rate, how->axis) : v3(0, 0, 0);
    lm_v3 speed = v3_cross(w, v3_sub(x, how->point));
    v3_put(v, speed);
    v3_put(v + 3, w);
    v3_put(a, v3_cross(w, speed));
    v3_put(a + 3, v3(0, 0, 0));
    for (int i = 0; i < NODE_V; i++) kind[i] = 0;
    kind[0] = LM_VECTOR | (turns ? LM_VECTOR_TURNS : 0);
    kind[3] = kind[0] | LM_VECTOR_ANGULAR;
    v3_put(axis, how->axis);
    v3_put(axis + 3, how->axis);
}

int nodal_turn(lm_system *sys, const double *q, const lm_turning *how, double *v, double *a,
               unsigned char *kind, double *axis)
{
    for (int n = 0; n < sys->model->nnodes; n++) {
        int turns = how->body[sys->model->nodes[n].body], at = NODE_V * n;
        nodal_turn_frame(how, turns, node_x(q, n), v + at, a + at, kind + at, axis + at);
    }
    return 0;
}
