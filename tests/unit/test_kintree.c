/* Kinematic trees: motion, partial velocities and their derivatives against differences. */
#include "form/kintree.h"

#include "support/run_model.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 32 };

typedef struct state {
    double p[MOST], du[MOST], ddu[MOST];
} state;

static double draw(void) { return 2.0 * rand() / RAND_MAX - 1; }
static lm_v3 draw3(void) { return v3(draw(), draw(), draw()); }
static lm_m3 draw_axes(void) { return lm_rot_axis_angle(draw3(), 3 * draw()); }

/* A trunk with two branches that use every kind of link, in several orders. */
static void plant(lm_kintree *t, lm_arena *arena)
{
    static const lm_link_kind kind[] = {LM_LINK_TURN,  LM_LINK_BALL, LM_LINK_SLIDE,
                                        LM_LINK_TURN,  LM_LINK_BALL, LM_LINK_SLIDE,
                                        LM_LINK_SLIDE, LM_LINK_BALL, LM_LINK_TURN};
    static const int parent[] = {-1, 0, 1, 2, 3, 4, 1, 6, 7};
    *t = (lm_kintree){.arena = arena};
    for (int i = 0; i < 9; i++)
        lm_kintree_link(t, kind[i], parent[i], draw3(), draw_axes(), v3_unit(draw3()));
    lm_kintree_tip(t, 5, draw3(), draw_axes());
    lm_kintree_tip(t, 8, draw3(), draw_axes());
    lm_kintree_tip(t, -1, draw3(), draw_axes());
    assert_int_equal(lm_kintree_finish(t), 0);
    assert_in_range(t->nu, 1, MOST);
}

static void draw_state(const lm_kintree *t, state *s)
{
    memset(s, 0, sizeof *s);
    for (int i = 0; i < t->links.n; i++) {
        const lm_link *l = &t->links.at[i];
        if (l->kind == LM_LINK_BALL)
            quat_put(s->p + l->p, lm_quat_exp(draw3()));
        else
            s->p[l->p] = draw();
    }
    for (int k = 0; k < t->nu; k++) s->du[k] = 2 * draw(), s->ddu[k] = 3 * draw();
}

static lm_tip_motion tip_at(lm_kintree *t, const state *s, int tip)
{
    lm_tip_motion m;
    lm_kintree_move(t, s->p, s->du, s->ddu);
    lm_kintree_tip_motion(t, tip, &m);
    return m;
}

/* (motion of b against a) / h, as a small motion in world axes */
static void motion_between(const lm_tip_motion *a, const lm_tip_motion *b, double h, double *out)
{
    lm_m3 At = m3_t(&a->R), Q = m3_mul(&b->R, &At);
    v3_put(out, v3_mul(1 / h, v3_sub(b->x, a->x)));
    v3_put(out + 3, v3_mul(1 / h, lm_quat_log(lm_quat_from_m3(&Q))));
}

static void twist(const lm_tip_motion *m, double *out)
{
    v3_put(out, m->v);
    v3_put(out + 3, m->w);
}

static void twist_rate(const lm_tip_motion *m, double *out)
{
    v3_put(out, m->a);
    v3_put(out + 3, m->al);
}

static void near6(const double *a, const double *b, double tolerance)
{
    for (int i = 0; i < 6; i++) assert_near(a[i], b[i], tolerance);
}

/* The state a little later; rates of a ball are components of the angular velocity. */
static state later(const lm_kintree *t, const state *s, double h)
{
    state r = *s;
    double d[MOST];
    for (int k = 0; k < t->nu; k++) {
        d[k] = h * s->du[k] + 0.5 * h * h * s->ddu[k];
        r.du[k] += h * s->ddu[k];
    }
    lm_kintree_retract(t, s->p, d, r.p);
    return r;
}

static void velocities_are_rates(void **unused)
{
    lm_arena arena = {0};
    lm_kintree t;
    state s;
    (void)unused;
    srand(1);
    plant(&t, &arena);
    for (int k = 0; k < 20; k++) {
        draw_state(&t, &s);
        for (int tip = 0; tip < 3; tip++) {
            const double h = 1e-5;
            state after = later(&t, &s, h), before = later(&t, &s, -h);
            lm_tip_motion m = tip_at(&t, &s, tip), a = tip_at(&t, &before, tip),
                          b = tip_at(&t, &after, tip);
            double is[6], was[6], will[6], expected[6];
            motion_between(&a, &b, 2 * h, expected);
            twist(&m, is);
            near6(is, expected, 2e-8);
            twist(&a, was);
            twist(&b, will);
            twist_rate(&m, is);
            for (int i = 0; i < 6; i++) expected[i] = (will[i] - was[i]) / (2 * h);
            near6(is, expected, 2e-7);
        }
    }
    lm_arena_free(&arena);
}

/* The state with u_k moved, or with its rate changed. */
static state moved(const lm_kintree *t, const state *s, int k, double by)
{
    state r = *s;
    double d[MOST] = {0};
    d[k] = by;
    lm_kintree_retract(t, s->p, d, r.p);
    return r;
}

static void check_column(lm_kintree *t, const state *s, int tip, const lm_column *c)
{
    const double h = 1e-5;
    lm_tip_motion m = tip_at(t, s, tip), low, high;
    lm_jet j;
    double a[6], b[6], expected[6];
    lm_kintree_jet(t, c, &m, &j);
    state plus = moved(t, s, c->u, h), minus = moved(t, s, c->u, -h);
    low = tip_at(t, &minus, tip);
    high = tip_at(t, &plus, tip);
    motion_between(&low, &high, 2 * h, expected);
    near6(j.X, expected, 1e-8);
    twist(&low, a);
    twist(&high, b);
    for (int i = 0; i < 6; i++) expected[i] = (b[i] - a[i]) / (2 * h);
    near6(j.Xv, expected, 1e-7);
    twist_rate(&low, a);
    twist_rate(&high, b);
    for (int i = 0; i < 6; i++) expected[i] = (b[i] - a[i]) / (2 * h);
    near6(j.Xa, expected, 1e-6);
    plus = minus = *s;
    plus.du[c->u] += h;
    minus.du[c->u] -= h;
    low = tip_at(t, &minus, tip);
    high = tip_at(t, &plus, tip);
    twist_rate(&low, a);
    twist_rate(&high, b);
    for (int i = 0; i < 6; i++) expected[i] = (b[i] - a[i]) / (2 * h);
    near6(j.Xc, expected, 1e-7);
}

static double work(lm_kintree *t, const state *s, int tip, const lm_column *c, const double *f)
{
    lm_tip_motion m = tip_at(t, s, tip);
    double X[6], sum = 0;
    lm_kintree_partial(t, c, &m, X);
    for (int i = 0; i < 6; i++) sum += X[i] * f[i];
    return sum;
}

static void check_geometric(lm_kintree *t, const state *s, int tip)
{
    const double h = 1e-5;
    const lm_tip *p = &t->tips.at[tip];
    double f[6];
    for (int i = 0; i < 6; i++) f[i] = draw();
    for (int i = p->first; i < p->first + p->n; i++)
        for (int j = p->first; j < p->first + p->n; j++) {
            const lm_column *ci = &t->columns.at[i], *cj = &t->columns.at[j];
            state plus = moved(t, s, cj->u, h), minus = moved(t, s, cj->u, -h);
            double high = work(t, &plus, tip, ci, f), low = work(t, &minus, tip, ci, f);
            lm_tip_motion m = tip_at(t, s, tip);
            assert_near(lm_kintree_geometric(t, ci, cj, &m, f), (high - low) / (2 * h), 1e-8);
        }
}

static void derivatives(void **unused)
{
    lm_arena arena = {0};
    lm_kintree t;
    state s;
    (void)unused;
    srand(2);
    plant(&t, &arena);
    assert_int_equal(t.tips.at[2].n, 0);
    for (int k = 0; k < 20; k++) {
        draw_state(&t, &s);
        for (int tip = 0; tip < 2; tip++) {
            const lm_tip *p = &t.tips.at[tip];
            for (int i = 0; i < p->n; i++) check_column(&t, &s, tip, &t.columns.at[p->first + i]);
            check_geometric(&t, &s, tip);
        }
    }
    lm_arena_free(&arena);
}

/* Local coordinates of balls: the rate of xi moves the tip as the rates do. */
static void local_coordinates(void **unused)
{
    lm_arena arena = {0};
    lm_kintree t;
    state s, low, high;
    double xi[MOST], rate[MOST], d[MOST];
    (void)unused;
    srand(3);
    plant(&t, &arena);
    draw_state(&t, &s);
    const double h = 1e-5;
    for (int k = 0; k < t.nu; k++) xi[k] = draw();
    lm_kintree_local_rate(&t, xi, s.du, rate);
    low = high = s;
    for (int k = 0; k < t.nu; k++) d[k] = xi[k] - h * rate[k];
    lm_kintree_retract(&t, s.p, d, low.p);
    for (int k = 0; k < t.nu; k++) d[k] = xi[k] + h * rate[k];
    lm_kintree_retract(&t, s.p, d, high.p);
    lm_tip_motion a = tip_at(&t, &low, 0), b = tip_at(&t, &high, 0);
    double expected[6], is[6];
    motion_between(&a, &b, 2 * h, expected);
    lm_kintree_retract(&t, s.p, xi, s.p);
    lm_tip_motion m = tip_at(&t, &s, 0);
    twist(&m, is);
    near6(is, expected, 1e-7);
    lm_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(velocities_are_rates),
        cmocka_unit_test(derivatives),
        cmocka_unit_test(local_coordinates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
