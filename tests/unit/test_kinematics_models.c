/* Mechanisms whose kinematics is a C function, against other descriptions of the same: the rolling disc
 * of the examples, and a four-bar linkage whose loop the function closes by iteration. */
#include "support/ode.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

int example(void);
#define main example
#include "../../examples/rolling_ellipse.c"
#undef main

/* Some text of a model, as it stands there once, replaced. */
static void swap(char *model, size_t size, const char *old, const char *with)
{
    char all[3000];
    char *at = strstr(model, old);
    assert_non_null(at);
    assert_null(strstr(at + 1, old));
    snprintf(all, sizeof all, "%.*s%s%s", (int)(at - model), model, with, at + strlen(old));
    assert_true(strlen(all) < size);
    strcpy(model, all);
}

static limber_model *loaded(const char *model, const limber_kinematics *k)
{
    limber_model *m = NULL;
    limber_messages *msg = limber_messages_new();
    limber_load_options how = limber_load_options_default();
    how.kinematics = k;
    limber_status st = limber_model_parse(model, strlen(model), "model", &how, &m, msg);
    if (st) limber_messages_print(msg, stderr);
    assert_int_equal(st, LIMBER_OK);
    limber_messages_free(msg);
    return m;
}

enum { ROWS = 11, COLUMNS = 4 };

/* Outputs at eleven times up to `until`. */
static void outputs(const char *model, const limber_kinematics *k, double until,
                    double out[ROWS][COLUMNS])
{
    limber_messages *msg = limber_messages_new();
    limber_model *m = loaded(model, k);
    limber_simulation *sim = NULL;
    assert_true(limber_model_output_count(m) <= COLUMNS);
    limber_status st = limber_simulation_new(m, &sim, msg);
    if (st) limber_messages_print(msg, stderr);
    assert_int_equal(st, LIMBER_OK);
    for (int r = 0; r < ROWS; r++) {
        st = limber_simulation_advance(sim, until * r / (ROWS - 1));
        if (st) print_message("%s\n", limber_simulation_reason(sim));
        assert_int_equal(st, LIMBER_OK);
        assert_int_equal(limber_simulation_outputs(sim, out[r]), LIMBER_OK);
    }
    limber_simulation_free(sim);
    limber_model_free(m);
    limber_messages_free(msg);
}

static void assert_close(double a, double b, double tolerance)
{
    if (fabs(a - b) <= tolerance) return;
    print_message("%.12g is not %.12g within %g\n", a, b, tolerance);
    fail();
}

/* ---- the rolling disc ---- */

/* The floor does no work and its point of contact is at rest, at the distance sqrt(h^2 + h'^2) of the
 * centre: T = m (k^2 + h^2 + h'^2) rate^2 / 2, V = m g h, k^2 = (a^2 + b^2)/4. */
static void equation(const void *context, double t, const double *y, double *dy)
{
    const ellipse *e = context;
    double a2 = e->a * e->a, b2 = e->b * e->b, s = sin(y[0]), c = cos(y[0]);
    double h = sqrt(a2 * s * s + b2 * c * c), h1 = (a2 - b2) * s * c / h;
    double h2 = ((a2 - b2) * (c * c - s * s) - h1 * h1) / h;
    (void)t;
    dy[0] = y[1];
    dy[1] = -(h1 * (h + h2) * y[1] * y[1] + 9.81 * h1) / ((a2 + b2) / 4 + h * h + h1 * h1);
}

static void check_rolling(const limber_kinematics *k, const char *how, double tolerance)
{
    double out[ROWS][COLUMNS], y[2] = {1.2, 0};
    char model[3000];
    snprintf(model, sizeof model, "%s", text);
    swap(model, sizeof model, "method: bdf, tolerance: 1e-6", how);
    outputs(model, k, 2, out);
    for (int r = 0; r < ROWS; r++) {
        if (r) ode_rk4(equation, k->context, 2, y, 0.2 * (r - 1), 0.2 * r, 2000);
        assert_close(out[r][0], y[0], tolerance);
        assert_close(out[r][2], height(k->context, y[0]), tolerance);
        assert_close(out[r][3], out[0][3], tolerance);
    }
}

static void rolls(void **state)
{
    (void)state;
    ellipse e = {0.3, 0.2};
    limber_kinematics k = {.coordinates = 1, .frames = 1, .pose = pose, .context = &e};
    check_rolling(&k, "method: radau, tolerance: 1e-8", 1e-7);
    k.partial = partial;
    check_rolling(&k, "method: radau, tolerance: 1e-10", 1e-9);
}

/* A circle goes as an expression says: down a slope, from rest. */
static void rolls_as_a_circle(void **state)
{
    (void)state;
    ellipse e = {0.25, 0.25};
    limber_kinematics k = {
        .coordinates = 1, .frames = 1, .pose = pose, .partial = partial, .context = &e};
    double by_c[ROWS][COLUMNS], written[ROWS][COLUMNS];
    char model[3000];
    snprintf(model, sizeof model, "%s", text);
    swap(model, sizeof model, "a: 0.3, b: 0.2", "a: 0.25, b: 0.25");
    swap(model, sizeof model, "[0, -9.81, 0]", "[3, -9, 0]");
    swap(model, sizeof model, "tolerance: 1e-6", "tolerance: 1e-9");
    outputs(model, &k, 2, by_c);
    swap(model, sizeof model, "external(angle)", "\"disp(-a*angle, b, 0) * rotz(angle)\"");
    outputs(model, NULL, 2, written);
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < 4; c++) assert_close(by_c[r][c], written[r][c], 1e-8);
    assert_close(by_c[ROWS - 1][1] - by_c[0][1], 0.5 * 3 / 1.5 * 4, 1e-5); /* a t^2/2, a = g/1.5 */
}

static void note_mode(void *context, const limber_mode *mode) { *(double *)context = mode->omega; }

/* Small vibrations about lying flat: omega^2 = g h''(0) / (k^2 + b^2), h'' = (a^2 - b^2)/b. */
static void rocks(void **state)
{
    (void)state;
    ellipse e = {0.3, 0.2};
    limber_kinematics k = {.coordinates = 1, .frames = 1, .pose = pose, .context = &e};
    char model[3000];
    double omega = 0;
    snprintf(model, sizeof model, "%s", text);
    swap(model, sizeof model, "value: 1.2", "value: 0.5");
    swap(model, sizeof model, "{type: dynamics, until: 3, method: bdf, tolerance: 1e-6}",
         "[{type: statics}, {type: modes, count: 1, about: statics}]");
    limber_model *m = loaded(model, &k);
    limber_messages *msg = limber_messages_new();
    limber_run_options opt = limber_run_options_default();
    limber_summary sum;
    opt.mode = note_mode;
    opt.mode_context = &omega;
    limber_status st = limber_run(m, &opt, &sum, msg);
    if (st) print_message("%s\n", sum.reason);
    assert_int_equal(st, LIMBER_OK);
    assert_close(omega, sqrt(9.81 * 0.05 / 0.2 / (0.13 / 4 + 0.04)), 1e-7);
    limber_model_free(m);
    limber_messages_free(msg);
}

/* ---- the four-bar linkage ---- */

static const double crank = 0.4, coupler = 1.0, rocker = 0.9, base = 1.2;

#define MASSES                                                                                     \
    "parameters: {r: 0.4, l: 1.0, k: 0.9, d: 1.2}\n"                                               \
    "gravity: [0, -9.81, 0]\n"                                                                     \
    "analysis: {type: dynamics, until: 2, method: bdf, tolerance: 1e-9}\n"

static const char by_function[] =
    "limber: 1\n" MASSES "coordinates: {q: {}}\n"
    "frames: {crank: rotz(q), coupler: external(q), rocker: external(q)}\n"
    "bodies:\n"
    "  crank: {type: rigid, mass: 1, inertia: [0, 0, 0.02], com: [r/2, 0, 0], motion: crank}\n"
    "  coupler: {type: rigid, mass: 2, inertia: [0, 0, 0.2], com: [l/2, 0, 0], motion: coupler}\n"
    "  rocker: {type: rigid, mass: 1.5, inertia: [0, 0, 0.1], com: [k/2, 0, 0], motion: rocker}\n"
    "outputs: {q: q, w: omega(rocker).z, x: pos(coupler).x, a: alpha(coupler).z}\n";

static const char by_joints[] =
    "limber: 1\n" MASSES "bodies:\n"
    "  crank: {type: rigid, mass: 1, inertia: [0, 0, 0.02], com: [r/2, 0, 0]}\n"
    "  coupler: {type: rigid, mass: 2, inertia: [0, 0, 0.2], com: [l/2, 0, 0], position: [r, 0, "
    "0],\n"
    "    orientation: {axis: [0, 0, 1], angle: BETA}, frames: {end: [l, 0, 0]}}\n"
    "  rocker: {type: rigid, mass: 1.5, inertia: [0, 0, 0.1], com: [k/2, 0, 0], position: [d, 0, "
    "0],\n"
    "    orientation: {axis: [0, 0, 1], angle: GAMMA}, frames: {end: [k, 0, 0]}}\n"
    "joints:\n"
    "  o: {type: revolute, between: [ground, crank], axis: z}\n"
    "  a: {type: revolute, between: [crank, coupler], at: [r, 0, 0], axis: z}\n"
    "  b: {type: revolute, between: [coupler.end, rocker.end], axis: z}\n"
    "  c: {type: revolute, between: [ground, rocker], axis: z}\n"
    "outputs: {q: joint(o), w: omega(rocker).z, x: pos(coupler).x, a: alpha(coupler).z}\n";

/* Angles of coupler and rocker that close the loop, by Newton's method from one and the same guess. */
static int close_loop(double q, double *beta, double *gamma)
{
    *beta = 0.8, *gamma = 1.8;
    for (int i = 0; i < 50; i++) {
        double x = crank * cos(q) + coupler * cos(*beta) - base - rocker * cos(*gamma);
        double y = crank * sin(q) + coupler * sin(*beta) - rocker * sin(*gamma);
        double xb = -coupler * sin(*beta), xg = rocker * sin(*gamma);
        double yb = coupler * cos(*beta), yg = -rocker * cos(*gamma), det = xb * yg - xg * yb;
        double db = (x * yg - y * xg) / det, dg = (y * xb - x * yb) / det;
        *beta -= db, *gamma -= dg;
        if (fabs(db) + fabs(dg) < 1e-13) return 0;
    }
    return 1;
}

static int linkage(void *context, double t, const double *q, limber_pose *out)
{
    double beta, gamma;
    (void)context, (void)t;
    if (close_loop(q[0], &beta, &gamma)) return 1;
    out[0] = limber_pose_mul(limber_pose_disp(crank * cos(q[0]), crank * sin(q[0]), 0),
                             limber_pose_rotz(beta));
    out[1] = limber_pose_mul(limber_pose_disp(base, 0, 0), limber_pose_rotz(gamma));
    return 0;
}

static void closes_a_loop(void **state)
{
    (void)state;
    limber_kinematics k = {.coordinates = 1, .frames = 2, .pose = linkage};
    double function[ROWS][COLUMNS], joints[ROWS][COLUMNS], beta, gamma;
    char model[3000], angle[40];
    snprintf(model, sizeof model, "%s", by_joints);
    assert_int_equal(close_loop(0, &beta, &gamma), 0);
    snprintf(angle, sizeof angle, "%.17g", beta);
    swap(model, sizeof model, "BETA", angle);
    snprintf(angle, sizeof angle, "%.17g", gamma);
    swap(model, sizeof model, "GAMMA", angle);
    outputs(by_function, &k, 2, function);
    outputs(model, NULL, 2, joints);
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < 4; c++) assert_close(function[r][c], joints[r][c], c < 3 ? 1e-7 : 1e-5);
}

static void example_runs(void **state)
{
    (void)state;
    assert_int_equal(example(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(example_runs),      cmocka_unit_test(rolls),
        cmocka_unit_test(rolls_as_a_circle), cmocka_unit_test(rocks),
        cmocka_unit_test(closes_a_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
