/* Recursive dynamics of long chains, whose motion is known: nothing may be lost along the way. */
#include "support/plant.h"

#include <stdlib.h>

enum { LONG = 3000 };

typedef struct chain {
    lm_arena arena;
    lm_kintree t;
    lm_tree_body body[LONG];
    double p[4 * LONG + 3], du[3 * LONG + 3], out[3 * LONG + 3];
    lm_recursive *r;
} chain;

static const double LINK_LENGTH = 1e-3, LINK_MASS = 8e-3;

/* Balls in a row, straight or curled up, on the ground or (`loose`) on three slides. */
static chain *string_up(int loose, double bend)
{
    chain *c = calloc(1, sizeof *c);
    lm_m3 J = {{2e-10, 0, 0, 0, 2e-9, 0, 0, 0, 2e-9}};
    int base = loose ? 3 : 0;
    assert_non_null(c);
    c->t.arena = &c->arena;
    for (int k = 0; k < base; k++)
        lm_kintree_link(&c->t, LM_LINK_SLIDE, k - 1, v3(0, 0, 0), m3_identity(),
                        v3(k == 0, k == 1, k == 2));
    for (int i = 0; i < LONG; i++) {
        lm_kintree_link(&c->t, LM_LINK_BALL, base + i - 1, v3(i ? LINK_LENGTH : 0, 0, 0),
                        m3_identity(), v3(0, 0, 0));
        c->body[i] =
            (lm_tree_body){base + i, v3(LINK_LENGTH / 2, 0, 0), m3_identity(), LINK_MASS, J};
        quat_put(c->p + base + 4 * i, lm_quat_exp(v3_mul(i ? bend : 1, draw3())));
    }
    assert_int_equal(lm_kintree_finish(&c->t), 0);
    c->r = lm_recursive_new(&c->arena, &c->t, c->body, LONG);
    assert_non_null(c->r);
    return c;
}

static void cut(chain *c)
{
    lm_arena_free(&c->arena);
    free(c);
}

/* Spun about its end, a straight chain keeps turning as one. The tension m d w^2 n^2 / 2 hangs in the
 * balance at each joint: axes that are wrong by rounding, eps, let it turn links with inertia m d^2 / 3
 * and neighbours alike. */
static void spun_chain(void **unused)
{
    (void)unused;
    srand(10);
    chain *c = string_up(0, 0);
    const double w = 20;
    lm_tree_load load = {0};
    lm_m3 R = quat_m3(quat_from(c->p));
    v3_put(c->du, v3_mul(w, m3_col(&R, 1)));
    lm_recursive_move(c->r, c->p, c->du);
    assert_int_equal(lm_recursive_forward(c->r, &load, c->out, NULL), 0);
    assert_under(most(c->out, 3 * LONG), 2.2e-16 * 2 * 1.5 * LONG * LONG * w * w);
    cut(c);
}

/* Let loose from rest, a curled chain falls without changing its shape. */
static void falling_chain(void **unused)
{
    (void)unused;
    srand(11);
    chain *c = string_up(1, 0.1);
    lm_v3 g = v3(1, -2, -9.81);
    lm_tree_load load = {.gravity = g};
    lm_recursive_move(c->r, c->p, NULL);
    assert_int_equal(lm_recursive_forward(c->r, &load, c->out, NULL), 0);
    assert_near(c->out[0], g.x, 1e-12);
    assert_near(c->out[1], g.y, 1e-12);
    assert_near(c->out[2], g.z, 1e-12);
    assert_under(most(c->out + 3, 3 * LONG) * LINK_LENGTH, 1e-12);
    cut(c);
}

/* Held at rest, each joint carries the moment of the weight beyond it. */
static void held_chain(void **unused)
{
    (void)unused;
    srand(12);
    chain *c = string_up(0, 0.05);
    lm_v3 g = v3(0, 0, -9.81), beyond = v3(0, 0, 0);
    lm_tree_load load = {.gravity = g};
    lm_recursive_move(c->r, c->p, NULL);
    lm_recursive_inverse(c->r, &load, NULL, c->out);
    lm_kintree_move(&c->t, c->p, NULL, NULL);
    for (int i = LONG - 1; i >= 0; i--) {
        const lm_link_motion *m = &c->t.motion[i];
        lm_v3 x =
            v3_add(m->x, m3_v(&m->R, c->body[i].r)); /* sum of mass centres beyond the joint */
        beyond = v3_add(beyond, x);
        lm_v3 arm = v3_sub(beyond, v3_mul(LONG - i, m->x));
        lm_v3 M = v3_mul(-LINK_MASS, v3_cross(arm, g));
        for (int k = 0; k < 3; k++)
            assert_near(c->out[3 * i + k], v3_dot(m->e[k], M),
                        1e-13 * LINK_MASS * LINK_LENGTH * 9.81 * LONG * LONG);
    }
    cut(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spun_chain),
        cmocka_unit_test(falling_chain),
        cmocka_unit_test(held_chain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
