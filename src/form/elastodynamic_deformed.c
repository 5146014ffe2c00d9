/* Small vibrations about the deformed state (docs/theory/elastodynamic.md): the known motion is that of the nodes
 * where they are, carried along by the rigid one; an element lies along its displaced chord, and its forces
 * are those of its displacements. */
#include "form/elastodynamic.h"

#include <string.h>

/* Forces on the ends, those of inertia and weight within the element among them. */
static void end_forces(const elasto_element *el, const double d[12], lm_v3 f[2])
{
    for (int i = 0; i < 2; i++) {
        double at[3];
        for (int x = 0; x < 3; x++) {
            at[x] = el->q[6 * i + x];
            for (int j = 0; j < 12; j++) at[x] += el->K[6 * i + x][j] * d[j];
        }
        f[i] = v3_from(at);
    }
}

/* The motion of the displaced element, in the axes A of its chord. */
static lm_moving_motion motion_of(const elasto *e, int k, const double d[12], const lm_v3 f[2],
                                  const lm_m3 *A)
{
    const elasto_element *el = &e->now->element[k];
    const elasto_node *n = &e->now->node[e->in->m->elements[k].node[0]];
    lm_v3 weight = v3_mul(e->in->sys.load_factor, e->in->m->gravity), u = v3_from(d);
    lm_v3 a = m3_tv(&el->R, v3_sub(n->a, weight)), x = m3_col(A, 0);
    a = v3_add(a, v3_add(v3_cross(el->al, u), v3_cross(el->w, v3_cross(el->w, u))));
    return (lm_moving_motion){.a0 = m3_tv(A, a),
                              .w = m3_tv(A, el->w),
                              .al = m3_tv(A, el->al),
                              .axial = {-v3_dot(x, f[0]), v3_dot(x, f[1])},
                              .stretch = (d[6] - d[0]) / e->of[k]->beam.L,
                              .stiffening = 1};
}

/* The element there, without the moments on its ends. */
static void deformed(const elasto *e, int k, const double d[12], elasto_element *out)
{
    const elasto_const *c = e->of[k];
    const elasto_element *el = &e->now->element[k];
    lm_moving_deformed now;
    lm_v3 f[2];
    end_forces(el, d, f);
    lm_moving_beam_deformed(&c->beam, d, v3_mul(0.5, v3_sub(f[1], f[0])), &now);
    lm_moving_motion mo = motion_of(e, k, d, f, &now.axes);
    out->R = m3_mul(&el->R, &now.axes);
    out->w = mo.w;
    out->al = mo.al;
    lm_moving_beam_matrices(&c->beam, &mo, out->C, out->K, out->q);
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 12; j++) {
            double more = now.material[i][j] - c->K[i][j];
            out->K[i][j] += more + now.geometric[i][j];
            out->C[i][j] += c->C[i][j] + c->by_stiffness * more;
        }
}

void elasto_deformed_tangent(const elasto *e, const lm_state *st, int element, double cM, double cD,
                             double cK, double J[12][12])
{
    const elasto_const *c = e->of[element];
    elasto_element el;
    double d[12];
    elasto_ends(e, st->q, element, d);
    deformed(e, element, d, &el);
    elasto_own_tangent(&el, c, cM, cD, cK, J);
    for (int j = 0; j < 12; j++)
        for (int i = 0; i < 12; i++) J[j][i] += cK * el.K[i][j];
    if (e->in->sys.regular_mass && c->spin != 0)
        for (int k = 3; k < 12; k += 6) J[k][k] += cM * c->spin;
    elasto_to_world(&el.R, J);
}

int elasto_add_outer_moments(elasto *e, const lm_state *st, double cK, double *values)
{
    elasto_stage *now = e->now;
    const lm_way *along = e->in->sys.along;
    e->now = NULL; /* no beams */
    e->in->sys.along = NULL;
    int bad = nodal_residual(&e->in->sys, st, e->r, NULL, NULL);
    e->in->sys.along = along;
    e->now = now;
    if (!bad) elasto_add_moments(e, cK, values);
    return bad;
}
