/* Recursive dynamics: against each other, against the nodal equations projected on partial velocities,
 * and against closed forms. Motions without mass: test_recursive_massless.c. */
#include "support/plant.h"

#include <string.h>

/* ---- the algorithms against each other ---- */

static void check_round_trip(plant *a)
{
    state s;
    double ddu[MOST], back[MOST];
    int rate = -1;
    lm_tree_load load = draw_and_move(a, &s);
    assert_int_equal(lm_recursive_forward(a->r, &load, ddu, &rate), 0);
    lm_recursive_inverse(a->r, &load, ddu, back);
    near_all(back, s.tau, a->t.nu, 1e-10);
}

/* A ddu for the blocks of `added`. */
static void add_blocks(const lm_kintree *t, const double *added, const double *ddu, double *tau)
{
    for (int i = 0; i < t->links.n; i++) {
        const lm_link *l = &t->links.at[i];
        int n = l->kind == LM_LINK_BALL ? 3 : 1;
        for (int k = 0; k < n; k++)
            for (int m = 0; m < n; m++) tau[l->u + k] += added[3 * (l->u + k) + m] * ddu[l->u + m];
    }
}

/* (M + A) ddu + bias = tau with a matrix A of size `size`; 0 for it is none. */
static void check_added(plant *a, double size)
{
    state s;
    double ddu[MOST], back[MOST], plain[MOST], added[3 * MOST];
    lm_tree_load load = draw_and_move(a, &s);
    for (int u = 0; u < a->t.nu; u++)
        for (int k = 0; k < 3; k++) added[3 * u + k] = NAN;
    for (int i = 0; i < a->t.links.n; i++) {
        double *at = added + 3 * a->t.links.at[i].u;
        at[0] = size * (2 + draw());
        if (a->t.links.at[i].kind != LM_LINK_BALL) continue;
        at[4] = at[0] + size, at[8] = size * (2 + draw());
        at[1] = at[3] = size * 0.3 * draw();
        at[2] = at[6] = size * 0.3 * draw();
        at[5] = at[7] = size * 0.3 * draw();
    }
    assert_int_equal(lm_recursive_forward(a->r, &load, plain, NULL), 0);
    load.added = added;
    assert_int_equal(lm_recursive_forward(a->r, &load, ddu, NULL), 0);
    lm_recursive_inverse(a->r, &load, ddu, back);
    add_blocks(&a->t, added, ddu, back);
    near_all(back, s.tau, a->t.nu, 1e-10);
    if (size == 0) near_all(ddu, plain, a->t.nu, 1e-10);
}

/* M ddu + bias = tau, and M = L L^T with positive pivots. */
static void check_mass(plant *a)
{
    state s;
    int nu = a->t.nu;
    double ddu[MOST], tau[MOST], sum[MOST], M[MOST * MOST];
    lm_tree_load load = draw_and_move(a, &s);
    for (int k = 0; k < nu; k++) ddu[k] = 5 * draw();
    lm_recursive_inverse(a->r, &load, ddu, tau);
    lm_recursive_inverse(a->r, &load, NULL, sum);
    lm_recursive_mass(a->r, M);
    for (int i = 0; i < nu; i++)
        for (int j = 0; j < nu; j++) {
            assert_true(M[i * nu + j] == M[j * nu + i]);
            sum[i] += M[j * nu + i] * ddu[j];
        }
    near_all(sum, tau, nu, 1e-11);
    for (int k = 0; k < nu; k++) {
        assert_true(M[k * nu + k] > 0);
        for (int i = k + 1; i < nu; i++)
            for (int j = k + 1; j < nu; j++)
                M[j * nu + i] -= M[k * nu + i] * M[j * nu + k] / M[k * nu + k];
    }
}

/* ---- against the tips of the tree ---- */

/* tau = X^T (inertia - loads), with accelerations and columns X of the tips. */
static void project(plant *a, const state *s, const double *ddu, double *tau)
{
    memset(tau, 0, sizeof(double) * MOST);
    lm_kintree_move(&a->t, s->p, s->du, ddu);
    for (int k = 0; k < a->bodies; k++) {
        const lm_tree_body *b = &a->body[k];
        const lm_tip *tip = &a->t.tips.at[k];
        lm_tip_motion m;
        lm_kintree_tip_motion(&a->t, k, &m);
        lm_m3 T = m3_mul(&m.R, &b->J), Rt = m3_t(&m.R), J = m3_mul(&T, &Rt);
        double f[6], X[6];
        v3_put(f, v3_sub(v3_mul(b->mass, v3_sub(m.a, s->g)), v3_from(s->f + 6 * k)));
        v3_put(f + 3, v3_sub(v3_add(m3_v(&J, m.al), v3_cross(m.w, m3_v(&J, m.w))),
                             v3_from(s->f + 6 * k + 3)));
        for (int c = tip->first; c < tip->first + tip->n; c++) {
            lm_kintree_partial(&a->t, &a->t.columns.at[c], &m, X);
            for (int i = 0; i < 6; i++) tau[a->t.columns.at[c].u] += X[i] * f[i];
        }
    }
}

static void check_projection(plant *a)
{
    state s;
    int nu = a->t.nu;
    double ddu[MOST], expected[MOST], tau[MOST], M[MOST * MOST];
    lm_tree_load load = draw_and_move(a, &s);
    for (int k = 0; k < nu; k++) ddu[k] = 5 * draw();
    lm_recursive_inverse(a->r, &load, ddu, tau);
    project(a, &s, ddu, expected);
    near_all(tau, expected, nu, 1e-12);
    /* columns of X^T M X: at rest, without loads, one acceleration after the other */
    lm_recursive_mass(a->r, M);
    memset(s.du, 0, sizeof s.du);
    memset(s.f, 0, sizeof s.f);
    s.g = v3(0, 0, 0);
    for (int k = 0; k < nu; k++) {
        memset(ddu, 0, sizeof ddu);
        ddu[k] = 1;
        project(a, &s, ddu, expected);
        near_all(M + k * nu, expected, nu, 1e-12);
    }
}

static void random_trees(void **unused)
{
    plant a;
    (void)unused;
    srand(1);
    for (int k = 0; k < 60; k++) {
        grow(&a, 1 + k / 4, k % 2);
        for (int again = 0; again < 5; again++) {
            check_round_trip(&a);
            check_added(&a, again ? pow(10, 2 * again - 5) : 0);
            check_mass(&a);
            check_projection(&a);
        }
        fell(&a);
    }
}

/* ---- closed forms ---- */

/* Two point masses m1, m2 on massless rods l1, l2; angles from the downward vertical, absolute. */
static void double_pendulum(void **unused)
{
    const double m1 = 1.3, m2 = 0.7, l1 = 0.9, l2 = 1.4, g = 9.81;
    const double th1 = 0.8, th2 = -1.9, w1 = 2.1, w2 = -3.3;
    const double p[2] = {th1, th2 - th1}, du[2] = {w1, w2 - w1};
    plant a;
    double ddu[2];
    (void)unused;
    sow(&a);
    lm_v3 z = v3(0, 0, 1), down1 = v3(0, -l1, 0), down2 = v3(0, -l2, 0);
    lm_kintree_link(&a.t, LM_LINK_TURN, -1, v3(3, 4, 5), m3_identity(), z);
    lm_kintree_link(&a.t, LM_LINK_TURN, 0, down1, m3_identity(), z);
    a.body[a.bodies++] = (lm_tree_body){0, down1, m3_identity(), m1, m3_diag(0)};
    a.body[a.bodies++] = (lm_tree_body){1, down2, m3_identity(), m2, m3_diag(0)};
    grown(&a);
    lm_tree_load load = {.gravity = v3(0, -g, 0)};
    lm_recursive_move(a.r, p, du);
    assert_int_equal(lm_recursive_forward(a.r, &load, ddu, NULL), 0);
    double d = th1 - th2, den = 2 * m1 + m2 - m2 * cos(2 * d);
    double a1 = (-g * (2 * m1 + m2) * sin(th1) - m2 * g * sin(th1 - 2 * th2) -
                 2 * sin(d) * m2 * (w2 * w2 * l2 + w1 * w1 * l1 * cos(d))) /
                (l1 * den);
    double a2 = 2 * sin(d) *
                (w1 * w1 * l1 * (m1 + m2) + g * (m1 + m2) * cos(th1) + w2 * w2 * l2 * m2 * cos(d)) /
                (l2 * den);
    assert_near(ddu[0], a1, 1e-12 * fabs(a1));
    assert_near(ddu[0] + ddu[1], a2, 1e-12 * fabs(a2));
    fell(&a);
}

/* A free body about its mass centre: a = g + F/m, alpha = J^-1 (M - w x J w). */
static void free_body(void **unused)
{
    plant a;
    state s;
    double ddu[6];
    (void)unused;
    srand(3);
    sow(&a);
    for (int k = 0; k < 3; k++)
        lm_kintree_link(&a.t, LM_LINK_SLIDE, k - 1, v3(0, 0, 0), m3_identity(),
                        v3(k == 0, k == 1, k == 2));
    lm_kintree_link(&a.t, LM_LINK_BALL, 2, v3(0, 0, 0), m3_identity(), v3(0, 0, 0));
    lm_tree_body b = draw_body(3);
    b.r = v3(0, 0, 0), b.E = m3_identity();
    a.body[a.bodies++] = b;
    grown(&a);
    draw_state(&a, &s);
    lm_tree_load load = {.f = s.f, .gravity = s.g};
    lm_recursive_move(a.r, s.p, s.du);
    assert_int_equal(lm_recursive_forward(a.r, &load, ddu, NULL), 0);
    lm_m3 R = quat_m3(quat_from(s.p + 3));
    lm_v3 w = m3_tv(&R, v3_from(s.du + 3)), M = m3_tv(&R, v3_from(s.f + 3));
    lm_v3 rhs = v3_sub(M, v3_cross(w, m3_v(&b.J, w)));
    lm_v3 al = m3_v(&R, v3(rhs.x / b.J.m[0], rhs.y / b.J.m[4], rhs.z / b.J.m[8]));
    double expected[6];
    v3_put(expected, v3_add(s.g, v3_mul(1 / b.mass, v3_from(s.f))));
    v3_put(expected + 3, al);
    near_all(ddu, expected, 6, 1e-13);
    fell(&a);
}

/* ---- energy ---- */

/* Kinetic energy, and potential energy of weight g. */
static double energy(plant *a, const double *p, const double *du, lm_v3 g)
{
    double sum = 0;
    lm_kintree_move(&a->t, p, du, NULL);
    for (int k = 0; k < a->bodies; k++) {
        lm_tip_motion m;
        lm_kintree_tip_motion(&a->t, k, &m);
        lm_v3 w = m3_tv(&m.R, m.w);
        sum += 0.5 * v3_dot(w, m3_v(&a->body[k].J, w));
        sum += a->body[k].mass * (0.5 * v3_dot(m.v, m.v) - v3_dot(g, m.x));
    }
    return sum;
}

/* Rates of (local coordinates xi about p0, du) at the state that they are at. */
static void rates(plant *a, const double *p0, const double *y, lm_v3 g, double *dy)
{
    int nu = a->t.nu;
    double p[MOST];
    lm_tree_load load = {.gravity = g};
    lm_kintree_retract(&a->t, p0, y, p);
    lm_kintree_local_rate(&a->t, y, y + nu, dy);
    lm_recursive_move(a->r, p, y + nu);
    assert_int_equal(lm_recursive_forward(a->r, &load, dy + nu, NULL), 0);
}

static void rk4_step(plant *a, double h, lm_v3 g, double *p, double *du)
{
    static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1 / 6., 1 / 3., 1 / 3., 1 / 6.};
    int nu = a->t.nu;
    double y[2 * MOST], dy[2 * MOST] = {0}, sum[2 * MOST] = {0};
    for (int stage = 0; stage < 4; stage++) {
        for (int k = 0; k < nu; k++) {
            y[k] = at[stage] * h * dy[k];
            y[nu + k] = du[k] + at[stage] * h * dy[nu + k];
        }
        rates(a, p, y, g, dy);
        for (int k = 0; k < 2 * nu; k++) sum[k] += h * weight[stage] * dy[k];
    }
    lm_kintree_retract(&a->t, p, sum, p);
    for (int k = 0; k < nu; k++) du[k] += sum[nu + k];
}

static double drift(plant *a, const state *start, int steps)
{
    state s = *start;
    const double until = 0.5;
    double before = energy(a, s.p, s.du, s.g);
    for (int k = 0; k < steps; k++) rk4_step(a, until / steps, s.g, s.p, s.du);
    return fabs(energy(a, s.p, s.du, s.g) - before) / fabs(before);
}

/* Five links of every kind swing; the error of the energy falls with the fourth power of the step or
 * faster. */
static void energy_is_kept(void **unused)
{
    static const lm_link_kind kind[] = {LM_LINK_BALL, LM_LINK_TURN, LM_LINK_SLIDE, LM_LINK_BALL,
                                        LM_LINK_TURN};
    plant a;
    state s;
    (void)unused;
    srand(4);
    sow(&a);
    for (int i = 0; i < 5; i++) add_link(&a, kind[i], i - 1, 1);
    grown(&a);
    draw_state(&a, &s);
    double coarse = drift(&a, &s, 500), fine = drift(&a, &s, 1000);
    assert_under(coarse, 1e-8);
    assert_under(fine, coarse / 14);
    fell(&a);
}

/* ---- memory ---- */

static void memory(void **unused)
{
    plant a;
    state s;
    double out[MOST], M[MOST * MOST];
    (void)unused;
    srand(9);
    grow(&a, 12, 1);
    draw_state(&a, &s);
    lm_tree_load load = load_of(&s);
    long before = lm_mem_allocs();
    lm_recursive_move(a.r, s.p, s.du);
    lm_recursive_forward(a.r, &load, out, NULL);
    lm_recursive_inverse(a.r, &load, s.du, out);
    lm_recursive_mass(a.r, M);
    assert_int_equal(lm_mem_allocs(), before);
    int failures = 0;
    for (size_t limit = 1; limit < 100000; limit += 500) {
        lm_arena small = {.limit = limit};
        failures += lm_recursive_new(&small, &a.t, a.body, a.bodies) == NULL;
        lm_arena_free(&small);
    }
    assert_in_range(failures, 5, 150);
    fell(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_trees), cmocka_unit_test(double_pendulum),
        cmocka_unit_test(free_body),    cmocka_unit_test(energy_is_kept),
        cmocka_unit_test(memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
