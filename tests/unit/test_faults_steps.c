/* No step allocates: neither the library's own memory nor, through KLU, that of the solver. */
#include "base/mem.h"
#include "support/mechanisms.h"

#include <limber/limber.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <suitesparse/SuiteSparse_config.h>

#include <cmocka.h>

static const char pendulum[] =
    "gravity: [0, -9.81, 0]\n"
    "bodies: {bob: {type: rigid, mass: 1, inertia: [0.1, 0.1, 0.1], position: [-1, 0, 0]}}\n"
    "joints: {pivot: {type: revolute, between: [ground, bob], axis: z, at: [0, 0, 0]}}\n"
    "outputs: {angle: joint(pivot), energy: energy.total}\n";

/* In space a plane four-bar has three constraints more than it needs. */
static const char four_bar[] =
    FOUR_BAR_BODIES "joints:\n"
                    "  pivot: {type: revolute, between: [ground, crank], axis: z}\n"
                    "  pin1: {type: revolute, between: [crank.tip, coupler], axis: z}\n"
                    "  pin2: {type: revolute, between: [coupler.tip, rocker], axis: z}\n"
                    "  foot: {type: revolute, between: [ground, rocker.foot], axis: z}\n"
                    "initial: {pivot: {rate: 1}}\n"
                    "outputs: {x: pos(coupler).x, pull: norm(force(pin2)), energy: energy.total}\n";

static const char forces[] =
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  cart: {type: rigid, mass: 2, inertia: [0.1, 0.1, 0.1]}\n"
    "  arm: {type: rigid, mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, -1, 0]}\n"
    "  block: {type: rigid, mass: 1, inertia: [0.1, 0.1, 0.1], position: [3, 0, 0]}\n"
    "joints:\n"
    "  rail: {type: prismatic, between: [ground, cart], axis: x, stiffness: 20, friction: 0.1,\n"
    "         effort: -0.5*vel(arm).x}\n"
    "  pin: {type: revolute, between: [cart, arm], axis: z, at: [0, 0, 0], damping: 0.05,\n"
    "        effort: 2*sin(3*t) - 0.1*joint(pin)}\n"
    "forces:\n"
    "  strut: {type: spring, between: [arm, 'ground.at(1, -1, 0)'], stiffness: 15, damping: 0.1}\n"
    "  mount: {type: bushing, between: [ground, block], stiffness: [30, 30, 30, 5, 5, 5],\n"
    "          damping: [0.1, 0.1, 0.1, 0.1, 0.1, 0.1]}\n"
    "loads:\n"
    "  push: {on: block, force: [sin(5*t), 0, 0.2*pos(arm).x], torque: [0, 0.1, 0], axes: local}\n"
    "outputs: {x: pos(cart).x, a: acc(arm).y, turn: rot(block).y, power: power.external}\n";

static const char drive[] =
    "bodies:\n"
    "  disc: {type: rigid, mass: 1, inertia: [0.1, 0.1, 0.1]}\n"
    "  tip: {type: rigid, mass: 1, inertia: [0.1, 0.1, 0.1], position: [1, 0, 0]}\n"
    "joints:\n"
    "  motor: {type: revolute, between: [ground, disc], axis: z,\n"
    "          drive: 'pwl(t, 0, 0, 0.5, 1, 1.5, 0)'}\n"
    "  screw: {type: cylindrical, between: [disc, tip], axis: x, drive: {angle: t^2},\n"
    "          stiffness: {displacement: 50}}\n"
    "outputs: {x: pos(tip).x, torque: moment(motor).z, turns: joint(motor)}\n";

/* Two windows of four bars that start flat: there the loops have a constraint less than a moment
 * later, and the rows are chosen anew. */
static const char flat_windows[] =
    "parameters: {ANGLE: %s}\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  post(k=0..2): {type: rigid, mass: 1, inertia: [0.1, 0.1, 0.1], position: [k, 0, 0],\n"
    "                 frames: {top: [0, 1, 0]}}\n"
    "  beam(k=1..2): {type: rigid, mass: 1, inertia: [0.1, 0.1, 0.1], position: [k - 1, 1, 0],\n"
    "                 frames: {end: [1, 0, 0]}}\n"
    "joints:\n"
    "  foot(k=0..2): {type: revolute, between: [ground, post(k)], axis: z}\n"
    "  left(k=1..2): {type: revolute, between: [post(k-1).top, beam(k)], axis: z}\n"
    "  right(k=1..2): {type: revolute, between: [beam(k).end, post(k).top], axis: z}\n"
    "initial: {foot(0): {angle: ANGLE, rate: 5}, foot(1): {angle: ANGLE, rate: 5},\n"
    "          foot(2): {angle: ANGLE, rate: 5}, left(1): {angle: -ANGLE, rate: -5},\n"
    "          left(2): {angle: -ANGLE, rate: -5}}\n"
    "outputs: {x: pos(post(0).top).x, y: pos(post(0).top).y, energy: energy.total,\n"
    "          straight: joint(foot(2)) - joint(foot(0))}\n";

static const char *const methods[] = {
    "tolerance: 1e-5",
    "step: 1e-3",
    "step: 1e-3, rho_inf: 0",
    "method: newmark, step: 1e-3",
    "method: explicit, tolerance: 1e-6",
    "method: explicit, step: 2e-2",
    "method: bdf, tolerance: 1e-5",
};

/* ---- KLU's memory is SuiteSparse's ---- */

static long klu_allocs;

static void *klu_malloc(size_t size)
{
    klu_allocs++;
    return malloc(size);
}

static void *klu_calloc(size_t n, size_t size)
{
    klu_allocs++;
    return calloc(n, size);
}

static void *klu_realloc(void *p, size_t size)
{
    klu_allocs++;
    return realloc(p, size);
}

static int watch_klu(void **state)
{
    (void)state;
    SuiteSparse_config.malloc_func = klu_malloc;
    SuiteSparse_config.calloc_func = klu_calloc;
    SuiteSparse_config.realloc_func = klu_realloc;
    return 0;
}

/* ---- running ---- */

static limber_simulation *start(const char *mechanism, const char *method, limber_model **model,
                                limber_messages *msg)
{
    char text[4000];
    limber_simulation *sim = NULL;
    int n = snprintf(text, sizeof text,
                     "limber: 1\n%sanalysis: {type: dynamics, until: 2, output_step: 0.01, %s}\n",
                     mechanism, method);
    assert_in_range(n, 1, sizeof text - 1);
    limber_status st = limber_model_parse(text, (size_t)n, "model.yaml", NULL, model, msg);
    if (!st) st = limber_simulation_new(*model, &sim, msg);
    if (st) limber_messages_print(msg, stderr);
    assert_int_equal(st, LIMBER_OK);
    return sim;
}

/* From the first step on: checkpoints in memory, rows, kinks and outputs are part of it. `pivots`:
 * the solver may have to choose its pivots anew, for which KLU allocates. */
static void check(const char *mechanism, const char *method, int pivots)
{
    limber_messages *msg = limber_messages_new();
    limber_model *model = NULL;
    limber_simulation *sim = start(mechanism, method, &model, msg);
    double values[8];
    assert_in_range(limber_model_output_count(model), 1, 8);
    long before = lm_mem_allocs(), klu_before = klu_allocs;
    for (int i = 1; i <= 8; i++) {
        limber_status st = limber_simulation_advance(sim, 0.25 * i);
        if (st) fail_msg("%s: %s", method, limber_simulation_reason(sim));
        assert_int_equal(limber_simulation_outputs(sim, values), LIMBER_OK);
    }
    if (lm_mem_allocs() != before || (klu_allocs != klu_before && !pivots))
        fail_msg("%s: %ld allocations, %ld by KLU", method, lm_mem_allocs() - before,
                 klu_allocs - klu_before);
    limber_simulation_free(sim);
    limber_model_free(model);
    limber_messages_free(msg);
    assert_int_equal(lm_mem_live(), 0);
}

static void check_methods(const char *mechanism, int pivots)
{
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++)
        check(mechanism, methods[i], pivots);
}

static void pendulum_steps(void **state)
{
    (void)state;
    check_methods(pendulum, 0);
}

static void four_bar_steps(void **state)
{
    (void)state;
    check_methods(four_bar, 0);
}

static void force_steps(void **state)
{
    (void)state;
    check_methods(forces, 0);
}

static void driven_steps(void **state)
{
    (void)state;
    check_methods(drive, 0);
}

static int redundant_rows(const char *mechanism)
{
    limber_messages *msg = limber_messages_new();
    limber_model *model = NULL;
    limber_check_info info;
    char text[4000];
    int n = snprintf(text, sizeof text, "limber: 1\n%s", mechanism);
    assert_int_equal(limber_model_parse(text, (size_t)n, "model.yaml", NULL, &model, msg), 0);
    assert_int_equal(limber_check(model, &info, msg), LIMBER_OK);
    limber_model_free(model);
    limber_messages_free(msg);
    return info.redundant;
}

static void steps_out_of_a_singular_position(void **state)
{
    (void)state;
    char flat[2000], upright[2000];
    snprintf(flat, sizeof flat, flat_windows, "-pi/2");
    snprintf(upright, sizeof upright, flat_windows, "0");
    assert_int_equal(redundant_rows(upright), 6); /* plane loops in space: three each */
    assert_int_equal(redundant_rows(flat), 8);
    check_methods(flat, 1);
    check_methods(upright, 1); /* comes through flat positions later */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pendulum_steps),
        cmocka_unit_test(four_bar_steps),
        cmocka_unit_test(force_steps),
        cmocka_unit_test(driven_steps),
        cmocka_unit_test(steps_out_of_a_singular_position),
    };
    return cmocka_run_group_tests(tests, watch_klu, NULL);
}
