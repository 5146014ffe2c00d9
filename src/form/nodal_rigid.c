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

static void put_motion(lm_v3 about, lm_v3 w, lm_v3 arm, double *v, double *a)
{
    lm_v3 speed = v3_cross(about, arm);
    v3_put(v, speed);
    v3_put(v + 3, w);
    v3_put(a, v3_cross(about, speed));
    v3_put(a + 3, v3_cross(about, w));
}

/* With O = W e, of what turns: v = O x (x - p), w = O. What does not turn is moved from its rest pose by
 * u = x - x0 and Q = R R0^T, which go round: v = O x u; R(t) = T Q T^T R0 with T' = O x T has w = O - Q O. */
void nodal_turn_frame(const lm_turning *how, int turns, const double *x, const double *rest,
                      double *v, double *a, unsigned char *kind, double *axis)
{
    lm_v3 O = v3_mul(how->rate, how->axis), zero = v3(0, 0, 0);
    if (turns)
        put_motion(O, O, v3_sub(v3_from(x), how->point), v, a);
    else if (rest) {
        lm_m3 R = quat_m3(quat_from(x + 3)), R0 = quat_m3(quat_from(rest + 3));
        lm_v3 w = v3_sub(O, m3_v(&R, m3_tv(&R0, O)));
        put_motion(O, w, v3_sub(v3_from(x), v3_from(rest)), v, a);
    } else
        put_motion(zero, zero, zero, v, a);
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
        const double *rest = how->rest ? how->rest + NODE_Q * n : NULL;
        nodal_turn_frame(how, turns, q + NODE_Q * n, rest, v + at, a + at, kind + at, axis + at);
    }
    return 0;
}
