/* Superelement: deformations, forces, energies. */
#include "elem/superelement_int.h"

#include <string.h>

/* Deformations of more than this angle are no small ones; the logarithm jumps at pi. */
static const double most_turn = 3.0;

/* ---- what follows from the data ---- */

/* Rigid translations and turns of M: m I on the diagonal, and m skew(centre) = sum over i of
 * S_i skew(X_i) - B_i, where S_i and B_i sum the columns of M_TT and M_TR of node i. */
static void sum_mass(lm_super *s)
{
    int m = 6 * s->n;
    lm_m3 total = {{0}}, first = {{0}};
    for (int i = 0; i < s->n; i++) {
        lm_m3 S = {{0}}, B = {{0}}, X = m3_skew(s->X[i]);
        for (int j = 0; j < s->n; j++) {
            S = m3_add(S, super_block(s->M, m, 6 * j, 6 * i));
            B = m3_add(B, super_block(s->M, m, 6 * j, 6 * i + 3));
        }
        total = m3_add(total, S);
        first = m3_add(first, m3_add(m3_mul(&S, &X), m3_scale(-1, B)));
    }
    const double *f = first.m;
    s->mass = (total.m[0] + total.m[4] + total.m[8]) / 3;
    s->moment = v3(0.5 * (f[5] - f[7]), 0.5 * (f[6] - f[2]), 0.5 * (f[1] - f[3]));
}

static int is_identity(const lm_m3 *E)
{
    for (int k = 0; k < 9; k++)
        if (E->m[k] != (k % 4 == 0)) return 0;
    return 1;
}

int lm_super_setup(lm_super *s)
{
    int place = super_place(s);
    s->poses = s->n + (s->frame == LM_SUPER_GIVEN);
    s->E0 = m3_identity();
    s->X_place = v3(0, 0, 0);
    s->plain = 1;
    for (int i = 0; i < s->n; i++) s->plain &= is_identity(&s->R0[i]);
    sum_mass(s);
    if (place >= 0 && place < s->n) s->X_place = s->X[place];
    for (int i = 0; i < s->n && place < 0; i++)
        s->X_place = v3_add(s->X_place, v3_mul(1.0 / s->n, s->X[i]));
    if (s->frame != LM_SUPER_CHORD) return 0;
    lm_v3 chord = v3_sub(s->X[s->n - 1], s->X[0]);
    if (!(v3_norm(chord) > 0)) return -1;
    lm_m3 E = lm_triad(chord); /* (y, z, x) */
    s->E0 = m3_cols(m3_col(&E, 2), m3_col(&E, 0), m3_col(&E, 1));
    s->along_x = is_identity(&s->E0);
    return 0;
}

/* ---- one evaluation ---- */

enum { PER_DOF = 5 * 3 + 2 * 6 + 10, PER_NODE = 4 + 3 + 9 };

int lm_super_scratch(int n) { return PER_DOF * 6 * (n + 1) + PER_NODE * n; }

static double *take(double **scratch, int count)
{
    double *p = *scratch;
    *scratch += count;
    return p;
}

static void share(const lm_super *s, double *p, super_work *w)
{
    int nd = 6 * s->poses;
    w->s = s, w->m = 6 * s->n, w->nd = nd;
    w->quat = take(&p, 4 * s->n), w->arm = take(&p, 3 * s->n);
    w->T = (lm_m3 *)take(&p, 9 * s->n);
    w->G = take(&p, 3 * nd), w->S = take(&p, 3 * nd);
    w->left_G = take(&p, 3 * nd), w->left_S = take(&p, 3 * nd), w->right_G = take(&p, 3 * nd);
    w->d = take(&p, nd), w->ddot = take(&p, nd), w->V = take(&p, nd), w->acc = take(&p, nd);
    w->stress = take(&p, nd), w->force_on_nodes = take(&p, nd), w->pi = take(&p, nd);
    w->f = take(&p, nd), w->tmp[0] = take(&p, nd), w->tmp[1] = take(&p, nd);
    w->BU = take(&p, 6 * nd), w->Z = take(&p, 6 * nd);
}

/* Deformations of node i. */
static SUPER_FLAT int deform(super_work *w, const lm_super_state *st, int i)
{
    const lm_super *s = w->s;
    lm_v3 arm = m3_tv(&w->A, v3_sub(v3_from(st->x + st->stride * i), w->place));
    lm_m3 B = m3_tmul(&w->A, &st->R[i]);
    if (!s->plain) {
        lm_m3 R0t = m3_t(&s->R0[i]);
        B = m3_mul(&B, &R0t);
    }
    lm_v3 b = lm_quat_log(lm_quat_from_m3(&B));
    v3_put(w->arm + 3 * i, arm);
    v3_put(w->d + 6 * i, v3_sub(arm, v3_sub(s->X[i], s->X_place)));
    v3_put(w->d + 6 * i + 3, b);
    return isfinite(arm.x + arm.y + arm.z) && v3_norm(b) < most_turn ? 0 : 1;
}

/* Velocities and accelerations in the frame's axes. */
static SUPER_FLAT void rates(super_work *w, const lm_super_state *st, lm_v3 g)
{
    lm_v3 zero = v3(0, 0, 0);
    for (int i = 0; i < w->nd; i += 3) {
        lm_v3 a = st->a ? v3_from(st->a + i) : zero;
        v3_put(w->V + i, st->v ? m3_tv(&w->A, v3_from(st->v + i)) : zero);
        if (w->s->paper_gravity && i % 6 == 0) a = v3_sub(a, g);
        v3_put(w->acc + i, m3_tv(&w->A, a));
    }
    w->down = w->s->paper_gravity ? zero : m3_tv(&w->A, g);
    w->Omega = super_turn(w, w->V);
    w->slide = super_slide(w, w->V);
}

int super_begin_frame(const lm_super *s, const lm_super_state *st, double *scratch, super_work *w)
{
    share(s, scratch, w);
    return super_frame(w, st);
}

int super_begin(const lm_super *s, const lm_super_state *st, lm_v3 g, double *scratch,
                super_work *w)
{
    int rc = super_begin_frame(s, st, scratch, w);
    for (int i = 0; i < s->n && !rc; i++) rc = deform(w, st, i);
    if (!rc) rates(w, st, g);
    return rc;
}

/* ddot = (I, T_i) P V */
static void deformation_rates(super_work *w)
{
    super_project(w, w->V, w->ddot);
    for (int i = 0; i < w->m; i += 6) {
        lm_v3 b = v3_from(w->d + i + 3), turn = v3_from(w->ddot + i + 3);
        v3_put(w->ddot + i + 3, lm_rot_tangent_inverse_of(b, turn));
    }
}

typedef double vec4 __attribute__((vector_size(32), aligned(8), may_alias));
typedef double vec2 __attribute__((vector_size(16), aligned(8), may_alias));

/* Twelve rows, two nodes', stay in registers while the columns pass, and six that are left over. */
LM_CLONES void super_multiply(int n, const double *restrict A, const double *restrict x,
                              double scale, double *restrict y)
{
    int i = 0;
    for (; i + 12 <= n; i += 12) {
        const double *a = A + i;
        vec4 s0 = *(vec4 *)(y + i), s1 = *(vec4 *)(y + i + 4), s2 = *(vec4 *)(y + i + 8);
        for (int j = 0; j < n; j++, a += n) {
            double f = scale * x[j];
            s0 += *(const vec4 *)a * f;
            s1 += *(const vec4 *)(a + 4) * f;
            s2 += *(const vec4 *)(a + 8) * f;
        }
        *(vec4 *)(y + i) = s0, *(vec4 *)(y + i + 4) = s1, *(vec4 *)(y + i + 8) = s2;
    }
    if (i == n) return;
    const double *a = A + i;
    vec4 s0 = *(vec4 *)(y + i);
    vec2 s1 = *(vec2 *)(y + i + 4);
    for (int j = 0; j < n; j++, a += n) {
        double f = scale * x[j];
        s0 += *(const vec4 *)a * f;
        s1 += *(const vec2 *)(a + 4) * f;
    }
    *(vec4 *)(y + i) = s0, *(vec2 *)(y + i + 4) = s1;
}

int super_is_damped(const lm_super *s) { return s->C || s->alpha != 0 || s->beta != 0; }

void super_damp(const lm_super *s, const double *x, double scale, double *out)
{
    if (s->C) super_multiply(6 * s->n, s->C, x, scale, out);
    if (s->alpha != 0) super_multiply(6 * s->n, s->M, x, scale * s->alpha, out);
    if (s->beta != 0) super_multiply(6 * s->n, s->K, x, scale * s->beta, out);
}

void super_project(const super_work *w, const double *z, double *out)
{
    lm_v3 eta = super_turn(w, z), slide = super_slide(w, z);
    for (int i = 0; i < w->m; i += 6) {
        lm_v3 y = v3_sub(v3_from(z + i), slide);
        v3_put(out + i, v3_sub(y, v3_cross(eta, v3_from(w->arm + i / 2))));
        v3_put(out + i + 3, v3_sub(v3_from(z + i + 3), eta));
    }
}

void super_project_back(super_work *w, const double *g, double *f)
{
    const lm_super *s = w->s;
    int place = super_place(s);
    w->force = w->moment = v3(0, 0, 0);
    for (int i = 0; i < w->m; i += 6) {
        lm_v3 force = v3_from(g + i), moment = v3_from(g + i + 3);
        w->force = v3_add(w->force, force);
        w->moment = v3_add(w->moment, v3_add(moment, v3_cross(v3_from(w->arm + i / 2), force)));
        v3_acc(f + i, force);
        v3_acc(f + i + 3, moment);
    }
    if (place >= 0) v3_acc(f + 6 * place, v3_neg(w->force));
    for (int i = 0; i < s->n && place < 0; i++) v3_acc(f + 6 * i, v3_mul(-1.0 / s->n, w->force));
    super_turn_back(w, v3_neg(w->moment), f);
}

void super_uniform(super_work *w, lm_v3 y, double scale, double *out)
{
    double *all = w->tmp[0];
    memset(out, 0, sizeof(double) * (size_t)w->m);
    if (y.x == 0 && y.y == 0 && y.z == 0) return;
    for (int i = 0; i < w->m; i += 3) v3_put(all + i, i % 6 ? v3(0, 0, 0) : y);
    super_multiply(w->m, w->s->M, all, scale, out);
}

/* Elastic and damping forces, and what gravity does to the deformations:
 * f += P^T (I, T_i)^T (K d + C ddot - M (gamma, 0, gamma, ...)), where T(b)^T = T(-b). */
static void deformation_forces(super_work *w)
{
    const lm_super *s = w->s;
    super_uniform(w, w->down, -1, w->stress);
    super_multiply(w->m, s->K, w->d, 1, w->stress);
    if (super_is_damped(s)) {
        deformation_rates(w);
        super_damp(s, w->ddot, 1, w->stress);
    }
    for (int i = 0; i < w->m; i += 6) {
        lm_v3 back = v3_neg(v3_from(w->d + i + 3)), moment = v3_from(w->stress + i + 3);
        v3_put(w->force_on_nodes + i, v3_from(w->stress + i));
        v3_put(w->force_on_nodes + i + 3, lm_rot_tangent_inverse_of(back, moment));
    }
    super_project_back(w, w->force_on_nodes, w->f);
}

void super_momenta(super_work *w)
{
    memset(w->pi, 0, sizeof(double) * (size_t)w->m);
    super_multiply(w->m, w->s->M, w->V, 1, w->pi);
    w->mu = v3(0, 0, 0);
    for (int i = 0; i < w->m; i += 3)
        w->mu = v3_add(w->mu, v3_cross(v3_from(w->V + i), v3_from(w->pi + i)));
}

/* Inertia and gravity, with pi = M V: on node i
 *     M (a - g - Omega x V) + Omega x pi - (0, omega_i x pi_Ri)
 * and on the frame the torque mu = sum of V_i x pi_i, which G^T brings to the nodes. */
static void inertia_forces(super_work *w)
{
    double *acc = w->tmp[0];
    super_momenta(w);
    for (int i = 0; i < w->m; i += 3)
        v3_put(acc + i, v3_sub(v3_from(w->acc + i), v3_cross(w->Omega, v3_from(w->V + i))));
    super_multiply(w->m, w->s->M, acc, 1, w->f);
    for (int i = 0; i < w->m; i += 3) {
        lm_v3 spin = i % 6 ? v3_sub(w->Omega, v3_from(w->V + i)) : w->Omega;
        v3_acc(w->f + i, v3_cross(spin, v3_from(w->pi + i)));
    }
    super_turn_back(w, w->mu, w->f);
}

/* Mass times mass centre of the deformed body, from the frame's place, in its axes: the momentum
 * of the displacements d is what M makes of them. */
lm_v3 super_first_moment(super_work *w)
{
    double *p = w->tmp[0];
    lm_v3 sum = v3_sub(w->s->moment, v3_mul(w->s->mass, w->s->X_place));
    memset(p, 0, sizeof(double) * (size_t)w->m);
    super_multiply(w->m, w->s->M, w->d, 1, p);
    for (int i = 0; i < w->m; i += 6) sum = v3_add(sum, v3_from(p + i));
    return sum;
}

/* Gravity, of energy -m g . place - gamma . first, gamma = R*^T g: what moves and turns the frame.
 *     f -= m h^T gamma + G^T (first x gamma) */
static void gravity_on_frame(super_work *w)
{
    const lm_super *s = w->s;
    int place = super_place(s);
    lm_v3 weight = v3_mul(-s->mass, w->down), turn;
    if (v3_dot(w->down, w->down) == 0) return;
    w->first = super_first_moment(w);
    turn = v3_cross(w->down, w->first);
    w->torque = v3_add(w->torque, turn);
    super_turn_back(w, turn, w->f);
    if (place >= 0) v3_acc(w->f + 6 * place, weight);
    for (int i = 0; i < s->n && place < 0; i++) v3_acc(w->f + 6 * i, v3_mul(1.0 / s->n, weight));
}

void super_forces(super_work *w)
{
    memset(w->f, 0, sizeof(double) * (size_t)w->nd);
    inertia_forces(w);
    w->torque = w->mu;
    deformation_forces(w);
    gravity_on_frame(w);
}

static int chain_residual(const lm_super *s, const lm_super_state *st, lm_v3 g, double *scratch,
                          double *f)
{
    const lm_super *damper = s->chain->damper;
    int rc = 0;
    if (damper)
        rc = lm_super_residual(damper, st, v3(0, 0, 0), scratch, f);
    else
        memset(f, 0, sizeof(double) * 6 * (size_t)s->poses);
    if (!rc) super_chain_forces(s, st, g, f);
    return rc;
}

int lm_super_residual(const lm_super *s, const lm_super_state *st, lm_v3 g, double *scratch,
                      double *f)
{
    super_work w;
    if (s->chain) return chain_residual(s, st, g, scratch, f);
    int rc = super_begin(s, st, g, scratch, &w);
    if (rc) return rc;
    super_forces(&w);
    for (int i = 0; i < w.nd; i += 3) v3_put(f + i, m3_v(&w.A, v3_from(w.f + i)));
    return 0;
}

/* ---- energies, poses ---- */

static double dot(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* Its rate of change, with the motion of the frame, in the frame's axes. */
static lm_v3 first_moment_rate(super_work *w, lm_v3 first)
{
    double *p = w->tmp[0];
    lm_v3 sum = v3_add(v3_mul(w->s->mass, w->slide), v3_cross(w->Omega, first));
    deformation_rates(w);
    memset(p, 0, sizeof(double) * (size_t)w->m);
    super_multiply(w->m, w->s->M, w->ddot, 1, p);
    for (int i = 0; i < w->m; i += 6) sum = v3_add(sum, v3_from(p + i));
    return sum;
}

/* Potential and power of gravity. */
static void gravity_energy(super_work *w, lm_v3 g, lm_super_energy *e)
{
    lm_v3 down = m3_tv(&w->A, g), momentum = v3(0, 0, 0), first = super_first_moment(w);
    for (int i = 0; i < w->m; i += 6) momentum = v3_add(momentum, v3_from(w->pi + i));
    if (!w->s->paper_gravity) momentum = first_moment_rate(w, first);
    e->gravity = -v3_dot(down, first) - w->s->mass * v3_dot(g, w->place);
    e->gravity_power = v3_dot(down, momentum);
}

static int chain_energies(const lm_super *s, const lm_super_state *st, lm_v3 g, double *scratch,
                          lm_super_energy *e)
{
    int rc = 0;
    *e = (lm_super_energy){0};
    if (s->chain->damper) rc = lm_super_energies(s->chain->damper, st, v3(0, 0, 0), scratch, e);
    if (!rc) super_chain_energies(s, st, g, e);
    return rc;
}

int lm_super_energies(const lm_super *s, const lm_super_state *st, lm_v3 g, double *scratch,
                      lm_super_energy *e)
{
    super_work w;
    if (s->chain) return chain_energies(s, st, g, scratch, e);
    int rc = super_begin(s, st, g, scratch, &w);
    if (rc) return rc;
    double *p = w.tmp[1];
    *e = (lm_super_energy){0};
    super_momenta(&w);
    e->kinetic = 0.5 * dot(w.m, w.V, w.pi);
    memset(p, 0, sizeof(double) * (size_t)w.m);
    super_multiply(w.m, s->K, w.d, 1, p);
    e->elastic = 0.5 * dot(w.m, w.d, p);
    if (super_is_damped(s)) {
        deformation_rates(&w);
        memset(p, 0, sizeof(double) * (size_t)w.m);
        super_damp(s, w.ddot, 1, p);
        e->dissipation = dot(w.m, w.ddot, p);
    }
    if (v3_dot(g, g) > 0) gravity_energy(&w, g, e);
    return 0;
}

int lm_super_frame_pose(const lm_super *s, const lm_super_state *st, double *scratch,
                        lm_super_pose *pose)
{
    super_work w;
    int rc = super_begin(s, st, v3(0, 0, 0), scratch, &w);
    if (rc) return rc;
    pose->R = w.A;
    pose->x = v3_sub(w.place, m3_v(&w.A, s->X_place));
    pose->omega = m3_v(&w.A, w.Omega);
    pose->v = m3_v(&w.A, v3_sub(w.slide, v3_cross(w.Omega, s->X_place)));
    return 0;
}

int lm_super_deformation(const lm_super *s, const lm_super_state *st, double *scratch, double *d)
{
    super_work w;
    int rc = super_begin(s, st, v3(0, 0, 0), scratch, &w);
    if (!rc) memcpy(d, w.d, sizeof(double) * (size_t)w.m);
    return rc;
}
