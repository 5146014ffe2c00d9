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
