/* The formulation `elastodynamic` behind the seam: elements in a known rigid motion. */
#include "form/elastodynamic.h"

#include <stdio.h>
#include <string.h>

/* ---- an element ---- */

/* Displacement from the rigid motion, its rate and acceleration as seen in the element's axes. With
 * d = x - x_r, all in these axes:
 *
 *     delta = d,  delta. = d. - W x d,  delta.. = d.. - 2 W x d. - E x d + W x (W x d)
 *
 * and for the small rotation delta. = omega - W, delta.. = alpha - E - W x (omega - W). */
typedef struct relative {
    double d[12], rate[12], accel[12];
} relative;

/* Small rotation of a node against the rigid motion, element axes. */
static lm_v3 turn_of(const elasto *e, const double *q, int element, int end)
{
    int n = e->in->m->elements[element].node[end];
    lm_v3 turn = lm_quat_log(quat_turn(e->now->node[n].q, node_quat(q, n)));
    return m3_tv(&e->now->element[element].R, turn);
}

static lm_v3 less(const double *all, int at, lm_v3 rigid)
{
    return all ? v3_sub(v3_from(all + at), rigid) : v3(0, 0, 0);
}

static void relative_of(const elasto *e, const lm_state *st, int element, relative *out)
{
    const elasto_element *el = &e->now->element[element];
    for (int i = 0; i < 2; i++) {
        int n = e->in->m->elements[element].node[i], at = NODE_V * n;
        const elasto_node *r = &e->now->node[n];
        lm_v3 d = m3_tv(&el->R, v3_sub(node_x(st->q, n), r->x));
        lm_v3 v = m3_tv(&el->R, less(st->v, at, r->v));
        lm_v3 w = m3_tv(&el->R, less(st->v, at + 3, r->w));
        lm_v3 a = m3_tv(&el->R, less(st->a, at, r->a));
        lm_v3 al = m3_tv(&el->R, less(st->a, at + 3, r->al));
        lm_v3 rate = v3_sub(v, v3_cross(el->w, d));
        lm_v3 pull = v3_add(v3_cross(el->al, d), v3_cross(el->w, v3_add(v, rate)));
        v3_put(out->d + 6 * i, d);
        v3_put(out->d + 6 * i + 3, turn_of(e, st->q, element, i));
        v3_put(out->rate + 6 * i, rate);
        v3_put(out->rate + 6 * i + 3, w);
        v3_put(out->accel + 6 * i, v3_sub(a, pull));
        v3_put(out->accel + 6 * i + 3, v3_sub(al, v3_cross(el->w, w)));
    }
}

/* q + K d: work per change of d, of rotation vectors too. */
static void position_forces(const elasto_element *el, const double d[12], double f[12])
{
    memcpy(f, el->q, sizeof el->q);
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 12; j++) f[i] += el->K[i][j] * d[j];
}

void elasto_element_force(void *ctx, const lm_state *st, int element, double f[12])
{
    elasto *e = ctx;
    memset(f, 0, 12 * sizeof(double));
    if (!e->now) return;
    const elasto_element *el = &e->now->element[element];
    const elasto_const *c = e->of[element];
    double own[12];
    relative r;
    relative_of(e, st, element, &r);
    for (int i = 3; i < 12; i += 6) e->turned = fmax(e->turned, v3_norm(v3_from(r.d + i)));
    position_forces(el, r.d, own);
    for (int i = 3; i < 12; i += 6) {
        lm_v3 turn = v3_from(r.d + i); /* Tinv(-psi) is the transpose of Tinv(psi) */
        v3_put(own + i, lm_rot_tangent_inverse_of(v3_neg(turn), v3_from(own + i)));
    }
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 12; j++) own[i] += c->M[i][j] * r.accel[j] + el->C[i][j] * r.rate[j];
    for (int k = 0; k < 12; k += 3) v3_put(f + k, m3_v(&el->R, v3_from(own + k)));
}

/* A times diag(S, S): three columns of A, [column][row], from `col` on, added to J. */
static void add_times(double factor, double A[12][12], int col, const lm_m3 *S, double J[12][12])
{
    for (int j = 0; j < 3; j++)
        for (int k = 0; k < 3; k++) {
            double s = factor * S->m[k + 3 * j];
            if (s == 0) continue;
            for (int i = 0; i < 12; i++) J[col + j][i] += s * A[col + k][i];
        }
}

/* Derivative of diag(I, T^T) (q + K d) for T = Tinv(psi) of each node when the nodes move and turn, times cK;
 * its symmetric part and, where moments are left over, a skew one. */
static void position_tangent(const elasto_element *el, const double d[12], double cK,
                             double J[12][12])
{
    double K[12][12], f[12];
    for (int j = 0; j < 12; j++)
        for (int i = 0; i < 12; i++) K[j][i] = el->K[i][j];
    position_forces(el, d, f);
    for (int node = 3; node < 12; node += 6) {
        lm_v3 psi = v3_from(d + node);
        lm_m3 T = lm_rot_tangent_inverse(psi);
        lm_m3 change = lm_rot_tangent_inverse_change(psi, v3_from(f + node), -1);
        for (int j = 0; j < 12; j++) v3_put(K[j] + node, m3_tv(&T, v3_from(K[j] + node)));
        for (int j = 0; j < 3; j++)
            v3_put(K[node + j] + node, v3_add(v3_from(K[node + j] + node), m3_col(&change, j)));
        double left[3][12];
        memcpy(left, K + node, sizeof left);
        memset(K + node, 0, sizeof left);
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++)
                for (int i = 0; i < 12; i++) K[node + j][i] += left[k][i] * T.m[k + 3 * j];
    }
    for (int j = 0; j < 12; j++)
        for (int i = 0; i < 12; i++) J[j][i] += cK * K[j][i];
}

void elasto_own_tangent(const elasto_element *el, const elasto_const *c, double cM, double cD,
                        double cK, double J[12][12])
{
    double D[12][12], M[12][12];
    lm_m3 W = m3_skew(el->w), E = m3_skew(el->al);
    lm_m3 back = m3_add(m3_skew_skew(el->w, el->w), m3_scale(-1, E));
    memcpy(M, c->M, sizeof M);
    for (int j = 0; j < 12; j++)
        for (int i = 0; i < 12; i++) {
            D[j][i] = el->C[i][j];
            J[j][i] = cM * M[j][i] + cD * D[j][i];
        }
    for (int node = 0; node < 12; node += 6) {
        if (cD != 0) add_times(-2 * cD, M, node, &W, J);
        if (cD != 0) add_times(-cD, M, node + 3, &W, J);
        if (cK != 0) add_times(-cK, D, node, &W, J);
        if (cK != 0) add_times(cK, M, node, &back, J);
    }
}

void elasto_to_world(const lm_m3 *R, double J[12][12])
{
    for (int j = 0; j < 12; j++)
        for (int i = 0; i < 12; i += 3) v3_put(J[j] + i, m3_v(R, v3_from(J[j] + i)));
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 12; j += 3) {
            lm_v3 row = m3_v(R, v3(J[j][i], J[j + 1][i], J[j + 2][i]));
            J[j][i] = row.x, J[j + 1][i] = row.y, J[j + 2][i] = row.z;
        }
}

void elasto_element_tangent(void *ctx, const lm_state *st, int element, double cM, double cD,
                            double cK, double J[12][12])
{
    const elasto *e = ctx;
    const elasto_element *el = &e->now->element[element];
    const elasto_const *c = e->of[element];
    double d[12];
    if (elasto_about_deformed(e)) {
        elasto_deformed_tangent(e, st, element, cM, cD, cK, J);
        return;
    }
    elasto_own_tangent(el, c, cM, cD, cK, J);
    elasto_ends(e, st->q, element, d);
    if (cK != 0) position_tangent(el, d, cK, J);
    if (e->in->sys.regular_mass && c->spin != 0)
        for (int k = 3; k < 12; k += 6) J[k][k] += cM * c->spin;
    elasto_to_world(&el->R, J);
}

/* ---- energies ---- */

static double form12(const double *a, const double A[12][12], const double *b)
{
    double sum = 0;
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 12; j++) sum += a[i] * A[i][j] * b[j];
    return sum;
}

/* With the nodes' rigid velocities V and y = V + delta.: the velocity field is N y + W x N delta, and
 *
 *     T = 1/2 y^T m y + y^T c delta - 1/2 delta^T k(W^2) delta */
static double kinetic(const elasto *e, int k, const relative *r)
{
    const elasto_element *el = &e->now->element[k];
    const elasto_const *c = e->of[k];
    lm_moving_motion turn = {.w = el->w};
    double y[12], C[12][12], K[12][12], q[12];
    lm_moving_beam_matrices(&c->beam, &turn, C, K, q);
    for (int i = 0; i < 2; i++) {
        const elasto_node *n = &e->now->node[e->in->m->elements[k].node[i]];
        v3_put(y + 6 * i, m3_tv(&el->R, n->v));
        v3_put(y + 6 * i + 3, el->w);
    }
    for (int i = 0; i < 12; i++) y[i] += r->rate[i];
    return 0.5 * (form12(y, c->M, y) + form12(y, C, r->d) - form12(r->d, K, r->d) +
                  form12(r->d, c->K, r->d));
}

/* -g . int rho (r + N delta): as drawn, and by the forces of a weight on the nodes. */
static double weight(const elasto *e, int k, const relative *r)
{
    const elasto_element *el = &e->now->element[k];
    lm_v3 g = e->in->m->gravity, up = m3_tv(&el->R, v3_neg(g));
    lm_moving_motion hang = {.a0 = up};
    double C[12][12], K[12][12], q[12], mass, first, sum = 0;
    if (g.x == 0 && g.y == 0 && g.z == 0) return 0;
    lm_moving_beam_inertia(&e->of[k]->beam, &mass, &first);
    lm_moving_beam_matrices(&e->of[k]->beam, &hang, C, K, q);
    for (int i = 0; i < 12; i++) sum += q[i] * r->d[i];
    return sum + first * up.x - mass * v3_dot(g, e->now->node[e->in->m->elements[k].node[0]].x);
}

static void element_energy(const elasto *e, const lm_state *st, int k, lm_energy *out)
{
    const elasto_const *c = e->of[k];
    relative r;
    relative_of(e, st, k, &r);
    if (c->damped) out->dissipation += form12(r.rate, c->C, r.rate);
    if (e->in->sys.power_only) return;
    out->elastic += 0.5 * form12(r.d, c->K, r.d);
    out->kinetic += kinetic(e, k, &r);
    out->gravity += weight(e, k, &r);
}

void elasto_energy(void *ctx, const lm_state *st, int body, lm_energy *out)
{
    const elasto *e = ctx;
    if (e->in->sys.power_only && !e->damped) return;
    for (int k = 0; k < e->in->m->nelements; k++)
        if (body < 0 || e->in->m->nodes[e->in->m->elements[k].node[0]].body == body)
            element_energy(e, st, k, out);
}

/* ---- the seam ---- */

static int initial(lm_system *sys, double *q, double *v)
{
    elasto *e = elasto_of(sys);
    int still = sys->still;
    int bad = nodal_initial(sys, q, v);
    sys->still = 0;
    if (!bad) bad = elasto_enter(e, 0);
    sys->still = still;
    for (int n = 0; n < sys->model->nnodes && !bad; n++) {
        const elasto_node *r = &e->now->node[n];
        v3_put(q + NODE_Q * n, r->x);
        quat_put(q + NODE_Q * n + 3, r->q);
        v3_put(v + NODE_V * n, r->v);
        v3_put(v + NODE_V * n + 3, r->w);
    }
    return bad;
}

/* Half a turn further on a rotation vector jumps, and long before that linear forces mean nothing. */
#define MOST_TURN 1.5

static int too_far(lm_system *sys, double t)
{
    snprintf(sys->trouble, sizeof sys->trouble,
             "bodies turn by more than %.1f rad against the rigid motion, and 'elastodynamic' is "
             "linear in that: use 'corotational'",
             MOST_TURN);
    sys->trouble_at = t;
    sys->in_trouble = 1;
    return 1;
}

static int residual(lm_system *sys, const lm_state *st, double *r, double *phi, double *rate)
{
    elasto *e = elasto_of(sys);
    int bad = elasto_enter(e, st->t);
    if (bad) return bad;
    e->turned = 0;
    bad = nodal_residual(sys, st, r, phi, rate);
    if (!bad && e->turned > MOST_TURN) return too_far(sys, st->t);
    sys->in_trouble = 0;
    return bad;
}

void elasto_add_moments(const elasto *e, double cK, double *values)
{
    for (int n = 0; n < e->in->m->nnodes; n++) {
        lm_m3 half = m3_skew(v3_mul(0.5, v3_from(e->r + NODE_V * n + 3)));
        nodal_add_block(values, &e->inner[n], cK, &half);
    }
}

/* Of moments left over about the rigid motion, in which there are no forces within bodies. */
static int add_inner_moments(elasto *e, const lm_state *st, double cK, double *values)
{
    int bad = nodal_residual(&e->in->sys, st, e->r, NULL, NULL);
    if (!bad) elasto_add_moments(e, cK, values);
    return bad;
}

static int jacobian(lm_system *sys, const lm_state *st, double cM, double cD, double cK,
                    double *values)
{
    elasto *e = elasto_of(sys);
    int bad = elasto_enter(e, st->t);
    if (!bad) bad = nodal_jacobian(sys, st, cM, cD, cK, values);
    if (!bad && sys->undeformed && cK != 0) bad = add_inner_moments(e, st, cK, values);
    if (!bad && elasto_about_deformed(e) && cK != 0)
        bad = elasto_add_outer_moments(e, st, cK, values);
    return bad;
}

/* How far the state is from what is linear in rotations. */
static void note_largest(const elasto *e, const lm_state *st)
{
    lm_motion *m = e->in->sys.motion;
    for (int k = 0; k < e->in->m->nelements && m; k++)
        for (int i = 0; i < 2; i++) m->largest = fmax(m->largest, v3_norm(turn_of(e, st->q, k, i)));
}

/* The stage of a state that results are made of. */
static int enter_result(lm_system *sys, const lm_state *st)
{
    elasto *e = elasto_of(sys);
    int bad = elasto_enter(e, st->t);
    if (bad) return bad;
    if (!sys->power_only) note_largest(e, st);
    return 0;
}

static int energy(lm_system *sys, const lm_state *st, lm_energy *out)
{
    int bad = enter_result(sys, st);
    return bad ? bad : nodal_energy(sys, st, out);
}

static int outputs(lm_system *sys, const lm_state *st, double *out)
{
    int bad = enter_result(sys, st);
    if (bad) return bad;
    elasto_second_look(elasto_of(sys), st);
    return nodal_outputs(sys, st, out);
}

/* Not a result: how far the state turns does not count, and a stage is made only where one is read. */
static int guards(lm_system *sys, const lm_state *st, double *out)
{
    elasto *e = elasto_of(sys);
    int bad = e->in->guards_read_forces ? elasto_enter(e, st->t) : 0;
    return bad ? bad : nodal_guards(sys, st, out);
}

static void beam_forces(lm_system *sys, const lm_state *st, double *out)
{
    elasto *e = elasto_of(sys);
    if (elasto_enter(e, st->t)) return; /* the outputs have said so */
    for (int k = 0; k < sys->model->nelements; k++) {
        lm_v3 F, M;
        nodal_floating_middle(e->in, st, k, &F, &M);
        v3_put(out + 6 * k, F);
        v3_put(out + 6 * k + 3, M);
    }
}

const lm_form lm_form_elastodynamic = {
    .name = "elastodynamic",
    .create = elasto_create,
    .destroy = elasto_destroy,
    .initial = initial,
    .linear_about = elasto_linear_about,
    .residual = residual,
    .jacobian = jacobian,
    .outputs = outputs,
    .energy = energy,
    .beam_forces = beam_forces,
    .guards = guards,
    NODAL_SEAM,
};
