/* Motion in space: the heavy top, a free satellite with a thruster, what must be conserved, and that
 * physics does not know which way the axes point. */
#include "support/ode.h"
#include "support/run_model.h"

#define PI 3.14159265358979323846

static void cross3(const double *a, const double *b, double *c)
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

static double dot3(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* ---- heavy top ---- */

static const double top_m = 15, top_g = 9.81, top_Js = 0.46875, top_It = 0.234375 + 15;

/* The axis e and the angular momentum H about the fixed point: e' = H x e/It, H' = e x weight. */
static void top_rates(const void *context, double t, const double *y, double *dy)
{
    const double weight[3] = {0, 0, -top_m * top_g};
    (void)context, (void)t;
    cross3(y + 3, y, dy);
    for (int i = 0; i < 3; i++) dy[i] /= top_It;
    cross3(y, weight, dy + 3);
}

static double top_error(const table *r, double spin, double turn)
{
    double y[6] = {0, 1, 0, 0, top_Js * spin, top_It * turn}, most = 0;
    for (int i = 1; i < r->rows; i++) {
        double dt = table_get(r, i, "t") - table_get(r, i - 1, "t");
        ode_rk4(top_rates, NULL, 6, y, 0, dt, 200);
        most = fmax(most, fabs(table_get(r, i, "x") - y[0]));
        most = fmax(most, fabs(table_get(r, i, "y") - y[1]));
        most = fmax(most, fabs(table_get(r, i, "z") - y[2]));
    }
    return most;
}

static void heavy_top(void **state)
{
    (void)state;
    table r = run_model(&(run_how){.model = "heavy_top"});
    assert_under(top_error(&r, 150, -4.61538), 5e-4);
    table_free(&r);
    r = run_model(&(run_how){.model = "heavy_top",
                             .analysis = "{type: dynamics, until: 2, output_step: 0.05, method: "
                                         "explicit, tolerance: 1e-10}"});
    assert_under(top_error(&r, 150, -4.61538), 1e-9);
    assert_under(table_drift(&r, "energy"), 5430 * 1e-9);
    assert_under(table_drift(&r, "own_spin"), 150 * 1e-9);
    table_free(&r);
}

/* Level and steady: the support carries the weight, and the axis goes round at m g L/(Js spin). */
static void heavy_top_precession(void **state)
{
    double turn = top_m * top_g / (top_Js * 150);
    (void)state;
    table r = run_model(&(run_how){.model = "heavy_top",
                                   .set = {"turn=m*g*L/(Js*spin)"},
                                   .analysis = "{type: dynamics, until: 2, output_step: 0.1, "
                                               "method: explicit, tolerance: 1e-10}"});
    for (int i = 0; i < r.rows; i++) {
        double t = table_get(&r, i, "t");
        assert_near(table_get(&r, i, "x"), -sin(turn * t), 1e-9);
        assert_near(table_get(&r, i, "y"), cos(turn * t), 1e-9);
        assert_near(table_get(&r, i, "z"), 0, 1e-9);
        assert_near(table_get(&r, i, "support"), top_m * top_g, 1e-6);
    }
    table_free(&r);
}

/* Angular momentum about the vertical, which no output gives, from the body's own rates. */
static void heavy_top_momentum(void **state)
{
    (void)state;
    table r = run_model(&(run_how){
        .model = "heavy_top",
        .swap = {{"outputs:\n", "outputs:\n  wx: omega(top).x\n  wy: omega(top).y\n"
                                "  wz: omega(top).z\n"}},
        .analysis = "{type: dynamics, until: 2, output_step: 0.05, method: explicit, tolerance: "
                    "1e-10}"});
    for (int i = 0; i < r.rows; i++) {
        double e[3] = {table_get(&r, i, "x"), table_get(&r, i, "y"), table_get(&r, i, "z")};
        double w[3] = {table_get(&r, i, "wx"), table_get(&r, i, "wy"), table_get(&r, i, "wz")};
        double Hz = top_It * w[2] + (top_Js - top_It) * dot3(w, e) * e[2];
        assert_near(Hz, top_It * -4.61538, 1e-7);
    }
    table_free(&r);
}

/* ---- satellite ---- */

static const double hull_m = 50, hull_J[3] = {4, 7, 10}, nozzle[3] = {0.3, -0.2, 0.5};

/* R(q) v with q scalar first. */
static void rotate(const double *q, const double *v, double *out)
{
    double t[3], u[3];
    cross3(q + 1, v, t);
    for (int i = 0; i < 3; i++) t[i] = 2 * t[i];
    cross3(q + 1, t, u);
    for (int i = 0; i < 3; i++) out[i] = v[i] + q[0] * t[i] + u[i];
}

/* x, v, quaternion, angular velocity in the hull's axes. */
static void hull_rates(const void *context, double t, const double *y, double *dy)
{
    double on = t < 2 || t > 6 ? 0 : t < 3 ? t - 2 : t < 5 ? 1 : 6 - t;
    double f[3] = {3 * on, 0, 0.6 * on}, F[3], M[3], H[3], gyro[3];
    const double *q = y + 6, *w = y + 10;
    (void)context;
    rotate(q, f, F);
    cross3(nozzle, f, M);
    for (int i = 0; i < 3; i++) H[i] = hull_J[i] * w[i];
    cross3(w, H, gyro);
    for (int i = 0; i < 3; i++) {
        dy[i] = y[3 + i];
        dy[3 + i] = F[i] / hull_m;
        dy[10 + i] = (M[i] - gyro[i]) / hull_J[i];
    }
    dy[6] = -0.5 * dot3(q + 1, w);
    dy[7] = 0.5 * (q[0] * w[0] + q[2] * w[2] - q[3] * w[1]);
    dy[8] = 0.5 * (q[0] * w[1] + q[3] * w[0] - q[1] * w[2]);
    dy[9] = 0.5 * (q[0] * w[2] + q[1] * w[1] - q[2] * w[0]);
}

static void satellite(void **state)
{
    double y[13] = {0, 0, 0, 0.1, 0, 0, 1, 0, 0, 0, 0.01, 0.8, 0};
    (void)state;
    table r =
        run_model(&(run_how){.model = "satellite",
                             .analysis = "{type: dynamics, until: 30, output_step: 1, method: "
                                         "explicit, tolerance: 1e-11}"});
    table rough = run_model(&(run_how){.model = "satellite",
                                       .analysis = "{type: dynamics, until: 30, output_step: 1}"});
    for (int i = 1; i < r.rows; i++) {
        double w[3];
        ode_rk4(hull_rates, NULL, 13, y, i - 1, i, 1000);
        rotate(y + 6, y + 10, w);
        assert_near(table_get(&r, i, "x"), y[0], 1e-9);
        assert_near(table_get(&r, i, "y"), y[1], 1e-9);
        assert_near(table_get(&r, i, "z"), y[2], 1e-9);
        assert_near(table_get(&r, i, "w1"), w[0], 1e-8);
        assert_near(table_get(&r, i, "w2"), w[1], 1e-8);
        assert_near(table_get(&r, i, "w3"), w[2], 1e-8);
        if (i < 15) assert_near(table_get(&rough, i, "w2"), w[1], 5e-4);
    }
    table_free(&r);
    table_free(&rough);
}

/* Without the thruster: linear and angular momentum and the energy stay, whatever the method. */
static void free_body(void **state)
{
    static const char *const analysis[] = {
        "{type: dynamics, until: 30, output_step: 0.5}",
        "{type: dynamics, until: 30, output_step: 0.5, tolerance: 1e-6}",
        "{type: dynamics, until: 30, output_step: 0.5, method: newmark}",
        "{type: dynamics, until: 30, output_step: 0.5, method: explicit, tolerance: 1e-10}"};
    static const double limit[] = {1e-3, 1e-5, 1e-3, 1e-9};
    (void)state;
    for (int k = 0; k < 4; k++) {
        table r = run_model(&(run_how){
            .model = "satellite",
            .set = {"thrust=0"},
            .swap = {{"outputs:\n",
                      "outputs:\n  r1: rot(hull).x\n  r2: rot(hull).y\n  r3: rot(hull).z\n"}},
            .analysis = analysis[k]});
        for (int i = 0; i < r.rows; i++) {
            double v[3] = {table_get(&r, i, "r1"), table_get(&r, i, "r2"), table_get(&r, i, "r3")};
            double w[3] = {table_get(&r, i, "w1"), table_get(&r, i, "w2"), table_get(&r, i, "w3")};
            double a = sqrt(dot3(v, v)), c = a > 0 ? sin(a / 2) / a : 0.5, H[3], L[3];
            double back[4] = {cos(a / 2), -c * v[0], -c * v[1], -c * v[2]};
            double q[4] = {back[0], -back[1], -back[2], -back[3]};
            rotate(back, w, H);
            for (int j = 0; j < 3; j++) H[j] *= hull_J[j];
            rotate(q, H, L);
            assert_near(L[0], 0.04, 5.6 * limit[k]);
            assert_near(L[1], 5.6, 5.6 * limit[k]);
            assert_near(L[2], 0, 5.6 * limit[k]);
            assert_near(table_get(&r, i, "x"), 0.1 * table_get(&r, i, "t"), 1e-12 * 50);
            assert_near(table_get(&r, i, "speed"), 0.1, 1e-13);
        }
        assert_under(table_drift(&r, "energy"), 2.24 * limit[k]);
        table_free(&r);
    }
}

/* ---- turned axes ---- */

/* Rotation of the whole world, and a vector of the model in it as YAML. */
typedef struct world {
    double axis[3], angle;
} world;

static void world_turn(const world *w, const double v[3], double out[3])
{
    double q[4] = {cos(w->angle / 2)}, n = sqrt(dot3(w->axis, w->axis));
    for (int i = 0; i < 3; i++) q[1 + i] = sin(w->angle / 2) * w->axis[i] / n;
    rotate(q, v, out);
}

static const char *in_world(const world *w, double x, double y, double z)
{
    static char text[24][100];
    static int next;
    double v[3] = {x, y, z}, u[3];
    char *to = text[next = (next + 1) % 24];
    world_turn(w, v, u);
    snprintf(to, sizeof text[0], "[%.17g, %.17g, %.17g]", u[0], u[1], u[2]);
    return to;
}

/* One of everything: two links on a revolute and a universal joint, a ball on a prismatic joint with
 * a spring and an effort, a global load and a follower load. */
static char *turned_model(const world *w)
{
    static char text[6000];
    char pose[200];
    snprintf(pose, sizeof pose, "orientation: {axis: [%.17g, %.17g, %.17g], angle: %.17g}",
             w->axis[0], w->axis[1], w->axis[2], w->angle);
    snprintf(
        text, sizeof text,
        "limber: 1\n"
        "gravity: %s\n"
        "bodies:\n"
        "  arm: {type: rigid, mass: 2, inertia: [0.1, 0.3, 0.25, 0.01, -0.02, 0.03], com: [0.5, "
        "0.1, 0], position: %s, %s, frames: {end: [1, 0, 0], side: [0.5, 0.2, 0.1]}}\n"
        "  rod: {type: rigid, mass: 1, inertia: [0.05, 0.1, 0.12], com: [0.4, 0, 0.1], position: "
        "%s, %s, frames: {end: [0.8, 0, 0]}}\n"
        "  ball: {type: rigid, mass: 0.5, inertia: [0.01, 0.02, 0.03], position: %s, %s}\n"
        "joints:\n"
        "  hinge: {type: revolute, between: [ground, arm], axis: %s, damping: 0.1, friction: "
        "{limit: 0.2, velocity: 0.5}}\n"
        "  cross: {type: universal, between: [arm.end, rod], axes: [%s, %s], stiffness: {angle1: "
        "3, angle2: 2}}\n"
        "  slide: {type: prismatic, between: [rod.end, ball], axis: %s, stiffness: 40, effort: "
        "\"2*sin(3*t) - 0.5*rate(slide)\"}\n"
        "loads:\n"
        "  wind: {on: rod.end, force: %s}\n"
        "  jet: {on: arm.side, axes: local, force: [0.5, -1, \"cos(t)\"], torque: [0.1, 0, 0.2]}\n"
        "initial:\n"
        "  hinge: {rate: 1.5}\n"
        "  cross: {angle1: 0.2, rate: {angle2: -0.5}}\n"
        "analysis: {type: dynamics, until: 2, output_step: 0.1, method: explicit, tolerance: "
        "1e-10}\n"
        "outputs:\n"
        "  x: pos(ball).x\n  y: pos(ball).y\n  z: pos(ball).z\n"
        "  fx: force(cross).x\n  fy: force(cross).y\n  fz: force(cross).z\n"
        "  mx: moment(hinge).x\n  my: moment(hinge).y\n  mz: moment(hinge).z\n"
        "  ax: acc(ball).x\n  ay: acc(ball).y\n  az: acc(ball).z\n"
        "  hinge: joint(hinge)\n  a1: joint(cross).angle1\n  a2: joint(cross).angle2\n"
        "  out: joint(slide)\n  seen: pos(ball, arm.side).y\n  energy: energy.total\n",
        in_world(w, 0.5, -9.7, 1), in_world(w, 0.1, 0.2, 0.3), pose, in_world(w, 1.1, 0.2, 0.3),
        pose, in_world(w, 1.9, 0.2, 0.3), pose, in_world(w, 0, 0.6, 0.8), in_world(w, 0, 0, 1),
        in_world(w, 0, 1, 0), in_world(w, 1, 0, 0), in_world(w, 0.3, 0.1, -0.2));
    return text;
}

static void turned_axes(void **state)
{
    static const char *const vectors[][3] = {
        {"x", "y", "z"}, {"fx", "fy", "fz"}, {"mx", "my", "mz"}, {"ax", "ay", "az"}};
    static const char *const scalars[] = {"hinge", "a1", "a2", "out", "seen", "energy"};
    const world straight = {{0, 0, 1}, 0}, turned = {{0.3, -0.7, 0.5}, 2.2};
    (void)state;
    table r = run_model(&(run_how){.text = turned_model(&straight)});
    table s = run_model(&(run_how){.text = turned_model(&turned)});
    for (int i = 0; i < r.rows; i++) {
        for (int k = 0; k < 4; k++) {
            double v[3], u[3];
            for (int j = 0; j < 3; j++) v[j] = table_get(&r, i, vectors[k][j]);
            world_turn(&turned, v, u);
            for (int j = 0; j < 3; j++) assert_near(table_get(&s, i, vectors[k][j]), u[j], 1e-7);
        }
        for (int k = 0; k < 6; k++)
            assert_near(table_get(&s, i, scalars[k]), table_get(&r, i, scalars[k]), 1e-8);
    }
    table_free(&r);
    table_free(&s);
}

/* ---- angles count turns ---- */

static void turns_are_counted(void **state)
{
    static const char text[] =
        "limber: 1\n"
        "bodies:\n"
        "  wheel: {type: rigid, mass: 1, inertia: [1, 1, 1], position: [1, 2, 3]}\n"
        "  disc: {type: rigid, mass: 1, inertia: [1, 1, 1], position: [1, 2, 3]}\n"
        "joints:\n"
        "  axle: {type: revolute, between: [ground, wheel], axis: [1, 1, 0]}\n"
        "  screw: {type: cylindrical, between: [wheel, disc], axis: [1, 1, 0], drive: {angle: "
        "-30*t, displacement: 0.1*t}}\n"
        "initial: {axle: {angle: 7, rate: 40}}\n"
        "analysis: {type: dynamics, until: 10, output_step: 1}\n"
        "outputs: {axle: joint(axle), screw: joint(screw).angle, way: joint(screw).displacement}\n";
    static const char *const analysis[] = {
        "{type: dynamics, until: 10, output_step: 1}",
        "{type: dynamics, until: 10, output_step: 1, tolerance: 0.1}",
        "{type: dynamics, until: 10, output_step: 1, method: explicit, tolerance: 1e-9}"};
    static const double limit[] = {1e-6, 1e-3, 1e-8};
    (void)state;
    for (int k = 0; k < 3; k++) {
        table r = run_model(&(run_how){.text = text, .analysis = analysis[k]});
        for (int i = 0; i < r.rows; i++) {
            assert_near(table_get(&r, i, "axle"), 7 + 40.0 * i, limit[k]);
            assert_near(table_get(&r, i, "screw"), -30.0 * i, limit[k]);
            assert_near(table_get(&r, i, "way"), 0.1 * i, limit[k]);
        }
        table_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heavy_top),          cmocka_unit_test(heavy_top_precession),
        cmocka_unit_test(heavy_top_momentum), cmocka_unit_test(satellite),
        cmocka_unit_test(free_body),          cmocka_unit_test(turned_axes),
        cmocka_unit_test(turns_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
