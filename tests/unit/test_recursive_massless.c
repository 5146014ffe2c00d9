/* Recursive dynamics: motions that nothing with mass takes part in are found and named. */
#include "support/plant.h"

#include <string.h>

/* Forward dynamics must refuse, name the rate, and leave ddu alone. */
static void expect_massless(plant *a, int expected)
{
    state s;
    double ddu[MOST];
    int rate = -1;
    memset(&s, 0, sizeof s);
    for (int i = 0; i < a->t.links.n; i++)
        if (a->t.links.at[i].kind == LM_LINK_BALL) s.p[a->t.links.at[i].p] = 1;
    for (int k = 0; k < MOST; k++) ddu[k] = 7;
    lm_tree_load load = load_of(&s);
    lm_recursive_move(a->r, s.p, s.du);
    assert_int_equal(lm_recursive_forward(a->r, &load, ddu, &rate), 1);
    assert_int_equal(rate, expected);
    for (int k = 0; k < MOST; k++) assert_true(ddu[k] == 7);
    fell(a);
}

static void nothing_at_the_end(void **unused)
{
    plant a;
    (void)unused;
    srand(5);
    sow(&a);
    add_link(&a, LM_LINK_BALL, -1, 1);
    add_link(&a, LM_LINK_SLIDE, 0, 0);
    grown(&a);
    expect_massless(&a, 3);
}

/* A rod without thickness turns about itself: the z axis of the ball that carries it. */
static void thin_rod(void **unused)
{
    plant a;
    lm_m3 E = {{0, 0, 1, 1, 0, 0, 0, 1, 0}}; /* its second axis is the x axis of its parent */
    lm_m3 J = {{0, 0, 0, 0, 0.3, 0, 0, 0, 0.3}};
    (void)unused;
    srand(6);
    sow(&a);
    add_link(&a, LM_LINK_TURN, -1, 1);
    lm_kintree_link(&a.t, LM_LINK_BALL, 0, draw3(), E, v3(0, 0, 0));
    lm_m3 Et = m3_t(&E);
    a.body[a.bodies++] = (lm_tree_body){1, m3_v(&Et, v3(1.5, 0, 0)), Et, 1.2, J};
    grown(&a);
    expect_massless(&a, 1 + 1);
}

/* Two turns about the same line, one of them of a link without mass; axes that are not round. */
static void same_axis_twice(void **unused)
{
    plant a;
    (void)unused;
    srand(7);
    sow(&a);
    add_link(&a, LM_LINK_BALL, -1, 1);
    lm_v3 e = v3_unit(draw3());
    lm_m3 E = draw_axes();
    int first = lm_kintree_link(&a.t, LM_LINK_TURN, 0, draw3(), m3_identity(), e);
    lm_kintree_link(&a.t, LM_LINK_TURN, first, v3_mul(0.7, e), E, m3_tv(&E, e));
    a.body[a.bodies++] = draw_body(2);
    grown(&a);
    expect_massless(&a, 3);
}

/* Seven motions of one body: what is left for the last is rounding error only. The other six come as
 * slides, then turns, or the other way round; the last has an arm of `arm`. */
static void check_seven(lm_link_kind last, lm_link_kind next, double arm)
{
    lm_link_kind far = next == LM_LINK_TURN ? LM_LINK_SLIDE : LM_LINK_TURN;
    plant a;
    sow(&a);
    add_link(&a, last, -1, 0);
    for (int k = 1; k < 7; k++) add_link(&a, k <= 3 ? next : far, k - 1, k == 6);
    a.t.links.at[1].at = v3_mul(arm, a.t.links.at[1].at);
    grown(&a);
    expect_massless(&a, 0);
}

static void seven_motions(void **unused)
{
    (void)unused;
    for (unsigned seed = 0; seed < 20; seed++) {
        srand(seed);
        check_seven(LM_LINK_SLIDE, LM_LINK_TURN, 1);
        check_seven(LM_LINK_TURN, LM_LINK_SLIDE, 1);
        check_seven(LM_LINK_TURN, LM_LINK_SLIDE, 1e3);
        check_seven(LM_LINK_TURN, LM_LINK_TURN, 1e-3);
    }
}

/* A spring's share moves a link without mass at its end. */
static void held_by_a_spring(void **unused)
{
    plant a;
    state s;
    double ddu[MOST], added[3 * MOST] = {0};
    (void)unused;
    srand(13);
    sow(&a);
    add_link(&a, LM_LINK_BALL, -1, 1);
    add_link(&a, LM_LINK_SLIDE, 0, 0);
    grown(&a);
    draw_state(&a, &s);
    added[3 * 3] = 0.25;
    lm_tree_load load = {.tau = s.tau, .added = added};
    lm_recursive_move(a.r, s.p, s.du);
    assert_int_equal(lm_recursive_forward(a.r, &load, ddu, NULL), 0);
    assert_near(ddu[3], s.tau[3] / 0.25, 1e-14 * fabs(ddu[3]));
    fell(&a);
}

static void not_finite(void **unused)
{
    plant a;
    state s;
    double ddu[MOST];
    (void)unused;
    srand(8);
    sow(&a);
    add_link(&a, LM_LINK_TURN, -1, 1);
    add_link(&a, LM_LINK_BALL, 0, 1);
    grown(&a);
    draw_state(&a, &s);
    lm_tree_load load = load_of(&s);
    double keep = s.p[2];
    s.p[2] = NAN;
    lm_recursive_move(a.r, s.p, s.du);
    assert_int_equal(lm_recursive_forward(a.r, &load, ddu, NULL), 1);
    s.p[2] = keep;
    lm_recursive_move(a.r, s.p, s.du);
    assert_int_equal(lm_recursive_forward(a.r, &load, ddu, NULL), 0);
    fell(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_at_the_end), cmocka_unit_test(thin_rod),
        cmocka_unit_test(same_axis_twice),    cmocka_unit_test(seven_motions),
        cmocka_unit_test(held_by_a_spring),   cmocka_unit_test(not_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
