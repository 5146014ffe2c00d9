/* What joints carry, and what sensors see: known cases of every joint type, and relative sensors
 * against differences and closed forms. */
#include "support/ode.h"
#include "support/run_model.h"

#define PI 3.14159265358979323846

static void cross3(const double *a, const double *b, double *c)
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

/* ---- reactions at rest ---- */

/* A body of 3 kg hangs on one joint whose coordinates are driven to stand still: the joint carries
 * force and weight, and their moment about its point. */
#define RESTING                                                                                    \
    "limber: 1\n"                                                                                  \
    "gravity: [1, -9, 2]\n"                                                                        \
    "bodies:\n"                                                                                    \
    "  b: {type: rigid, mass: 3, inertia: [1, 2, 2.5], position: [0.4, 0.3, -0.2], com: [0.1, "    \
    "-0.2, 0.3], orientation: {axis: [1, 1, 0], angle: 0.7}, frames: {tip: [0.5, 0.6, -0.7]}}\n"   \
    "joints:\n"                                                                                    \
    "  j: {JOINT}\n"                                                                               \
    "loads:\n"                                                                                     \
    "  pull: {on: b.tip, force: [7, -4, 5], torque: [2, 3, -1]}\n"                                 \
    "analysis: {ANALYSIS}\n"                                                                       \
    "outputs:\n"                                                                                   \
    "  fx: force(j).x\n  fy: force(j).y\n  fz: force(j).z\n"                                       \
    "  mx: moment(j).x\n  my: moment(j).y\n  mz: moment(j).z\n"

static const char *const held[] = {
    "type: fixed, between: [A, B]",
    "type: revolute, between: [A, B], axis: [1, 2, 2], drive: 0",
    "type: prismatic, between: [A, B], axis: [1, 2, 2], drive: 0",
    "type: cylindrical, between: [A, B], axis: [1, 2, 2], drive: {angle: 0, displacement: 0}",
    "type: universal, between: [A, B], axes: [[1, 2, 2], [2, 1, -2]], drive: {angle1: 0, angle2: "
    "0}",
    "type: planar, between: [A, B], axis: [1, 2, 2], drive: {angle: 0, x: 0, y: 0}",
    "type: revolute, between: [A, B], axis: [1, 2, 2], stiffness: 1e9",
    "type: fixed, between: [A, B], compliant: {stiffness: 1e9}",
};
enum { HELD = sizeof held / sizeof held[0] };

/* A vector of the body as drawn: turned by 0.7 about (1, 1, 0)/sqrt(2). */
static void as_drawn(const double *v, double *out)
{
    double k[3] = {sqrt(0.5), sqrt(0.5), 0}, c[3], d = k[0] * v[0] + k[1] * v[1];
    cross3(k, v, c);
    for (int i = 0; i < 3; i++)
        out[i] = cos(0.7) * v[i] + sin(0.7) * c[i] + (1 - cos(0.7)) * d * k[i];
}

static void expected_reaction(double F[3], double M[3])
{
    const double com[3] = {0.1, -0.2, 0.3}, tip[3] = {0.5, 0.6, -0.7}, weight[3] = {3, -27, 6},
                 pull[3] = {7, -4, 5}, torque[3] = {2, 3, -1};
    double r[3], a[3], b[3];
    as_drawn(com, r);
    cross3(r, weight, a);
    as_drawn(tip, r);
    cross3(r, pull, b);
    for (int i = 0; i < 3; i++) {
        F[i] = -weight[i] - pull[i];
        M[i] = -a[i] - b[i] - torque[i];
    }
}

static void reactions_at_rest(void **state)
{
    static const char *const analysis[] = {
        "type: statics", "type: dynamics, until: 0.1, output_step: 0.1",
        "type: dynamics, until: 0.1, output_step: 0.1, method: explicit, tolerance: 1e-9"};
    static const char *const name[] = {"fx", "fy", "fz", "mx", "my", "mz"};
    double e[6];
    (void)state;
    expected_reaction(e, e + 3);
    for (int k = 0; k < HELD; k++)
        for (int m = 0; m < 3; m++)
            for (int flip = 0; flip < 2; flip++) { /* the reaction is that on the second frame */
                int stiff = k >= HELD - 2;
                if (stiff && m > 0) continue; /* it would ring */
                table r = run_model(&(run_how){.text = RESTING,
                                               .swap = {
                                                   {"JOINT", held[k]},
                                                   {"[A, B]", flip ? "[b, ground]" : "[ground, b]"},
                                                   {"ANALYSIS", analysis[m]},
                                               }});
                double sign = flip ? -1 : 1, limit = stiff ? 1e-5 : 1e-9;
                for (int i = 0; i < 6; i++)
                    assert_near(table_last(&r, name[i]), sign * e[i], limit);
                table_free(&r);
            }
}

/* A ball hung on a rope, a point on an inclined line, a ball joint: in statics each finds the place
 * where it carries the load along its own directions. */
static void reactions_of_point_joints(void **state)
{
    static const char text[] =
        "limber: 1\n"
        "gravity: [3, -9, 0]\n"
        "bodies:\n"
        "  b: {type: rigid, mass: 2, inertia: [1, 1, 1], position: [0, -1, 0], com: [0, -0.5, "
        "0]}\n"
        "joints:\n"
        "  j: {JOINT}\n"
        "forces:\n"
        "  steady: {type: bushing, between: [ground, b], stiffness: [0, 0, 0, 1e-6, 1e-6, 1e-6]}\n"
        "analysis: {type: statics}\n"
        "outputs: {x: pos(b).x, y: pos(b).y, fx: force(j).x, fy: force(j).y, m: norm(moment(j)), "
        "lean: rot(b).z, pull: norm(force(j))}\n";
    double lean = atan2(3, 9), weight = 2 * sqrt(90);
    (void)state;
    table r = run_model(
        &(run_how){.text = text, .swap = {{"JOINT", "type: spherical, between: [ground, b]"}}});
    assert_near(table_last(&r, "fx"), -6, 1e-8);
    assert_near(table_last(&r, "fy"), 18, 1e-8);
    assert_near(table_last(&r, "m"), 0, 1e-12);
    assert_near(table_last(&r, "lean"), lean, 1e-5);
    table_free(&r);
    r = run_model(&(run_how){
        .text = text, .swap = {{"JOINT", "type: distance, between: [\"ground.at(0, 1, 0)\", b]"}}});
    assert_near(table_last(&r, "x"), 2 * sin(lean), 1e-5);
    assert_near(table_last(&r, "y"), 1 - 2 * cos(lean), 1e-5);
    assert_near(table_last(&r, "pull"), weight, 1e-5);
    table_free(&r);
    /* on a line along (1, 1, 0) with a spring of 40 along it */
    r = run_model(&(run_how){
        .text = text,
        .swap = {{"JOINT", "type: inline, between: [ground, b], axis: [1, 1, 0], stiffness: 40"}}});
    double along = (6 - 18) / sqrt(2), way = along / 40;
    assert_near(table_last(&r, "x"), way / sqrt(2), 1e-8);
    assert_near(table_last(&r, "y"), -1 + way / sqrt(2), 1e-8);
    assert_near(table_last(&r, "fx"), -6, 1e-8);
    assert_near(table_last(&r, "fy"), 18, 1e-8);
    table_free(&r);
}

/* ---- reactions in motion ---- */

/* A conical pendulum keeps its angle: the ball joint carries m g up and m w^2 r inwards. */
static void conical_pendulum(void **state)
{
    static const char text[] =
        "limber: 1\n"
        "parameters: {a: 0.7, L: 1.5, g: 9.81, w: sqrt(g/(L*cos(a)))}\n"
        "gravity: [0, 0, -g]\n"
        "bodies:\n"
        "  ball: {type: rigid, mass: 2, position: [L*sin(a), 0, -L*cos(a)]}\n"
        "joints:\n"
        "  hook: {type: JOINT}\n"
        "initial: {velocity: {ball: {linear: [0, w*L*sin(a), 0], angular: [0, 0, SPIN]}}}\n"
        "analysis: {type: dynamics, until: 4, output_step: 0.25, method: explicit, tolerance: "
        "1e-10}\n"
        "outputs: {x: pos(ball).x, y: pos(ball).y, z: pos(ball).z, fx: force(hook).x, fy: "
        "force(hook).y, fz: force(hook).z}\n";
    const double a = 0.7, L = 1.5, g = 9.81, w = sqrt(g / (L * cos(a)));
    (void)state;
    for (int k = 0; k < 2; k++) {
        table r = run_model(
            &(run_how){.text = text,
                       .swap = {{"JOINT", k ? "distance, between: [\"ground.at(0, 0, 0)\", ball]"
                                            : "spherical, between: [ground, ball], at: [0, 0, 0]"},
                                {"SPIN", k ? "0" : "w"},
                                {"mass: 2,", "mass: 2, inertia: [1e-3, 1e-3, 1e-3],"}}});
        double limit = k ? 1e-8 : 2e-3; /* the ball's own inertia disturbs the first a little */
        for (int i = 0; i < r.rows; i++) {
            double th = w * table_get(&r, i, "t"), f = 2 * w * w * L * sin(a);
            assert_near(table_get(&r, i, "x"), L * sin(a) * cos(th), limit);
            assert_near(table_get(&r, i, "y"), L * sin(a) * sin(th), limit);
            assert_near(table_get(&r, i, "z"), -L * cos(a), limit);
            assert_near(table_get(&r, i, "fx"), -f * cos(th), 20 * limit);
            assert_near(table_get(&r, i, "fy"), -f * sin(th), 20 * limit);
            assert_near(table_get(&r, i, "fz"), 2 * g, 20 * limit);
        }
        table_free(&r);
    }
}

/* ---- relative sensors ---- */

/* Two driven arms in space, and a free third body. */
static const char seen_model[] =
    "limber: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  a: {type: rigid, mass: 1, inertia: [1, 2, 3], com: [0.3, 0, 0], frames: {eye: {position: "
    "[0.5, 0.2, 0.1], orientation: {axis: [0, 1, 1], angle: 0.6}}, end: [1, 0, 0]}}\n"
    "  b: {type: rigid, mass: 1, inertia: [1, 2, 3], position: [1, 0, 0], frames: {tip: {position: "
    "[0.7, 0.1, -0.3], orientation: {axis: [1, 0, 1], angle: -0.4}}}}\n"
    "joints:\n"
    "  one: {type: revolute, between: [ground, a], axis: [0, 1, 2], drive: \"1.3*t + 0.5*t^2\"}\n"
    "  two: {type: universal, between: [a.end, b], axes: [z, y], drive: {angle1: \"sin(2*t)\", "
    "angle2: \"0.7*t^2\"}}\n"
    "analysis: {type: dynamics, until: 1, output_step: 1e-3, method: explicit, tolerance: 1e-12}\n"
    "outputs:\n";

static void append(char *text, size_t size, const char *name, const char *sensor)
{
    for (int i = 0; i < 3; i++) {
        size_t n = strlen(text);
        snprintf(text + n, size - n, "  %s%d: %s.%c\n", name, i, sensor, "xyz"[i]);
    }
}

static double component(const table *r, int row, const char *name, int i)
{
    char full[20];
    snprintf(full, sizeof full, "%s%d", name, i);
    return table_get(r, row, full);
}

/* `rate` is the time derivative of `value`, by central differences. */
static void is_rate_of(const table *r, const char *rate, const char *value, double limit)
{
    const double h = 1e-3;
    for (int row = 2; row < r->rows - 2; row += 83)
        for (int i = 0; i < 3; i++) {
            double d = 8 * (component(r, row + 1, value, i) - component(r, row - 1, value, i)) -
                       (component(r, row + 2, value, i) - component(r, row - 2, value, i));
            assert_near(component(r, row, rate, i), d / (12 * h), limit);
        }
}

/* omega(f, g) turns g's view of f: the rotation vector's rate is Tinv(theta) omega. */
static void is_turn_of(const table *r, const char *omega, const char *rot, double limit)
{
    const double h = 1e-3;
    for (int row = 2; row < r->rows - 2; row += 83) {
        double w[3], v[3], d[3], c[3], cc[3], a2 = 0;
        for (int i = 0; i < 3; i++) {
            w[i] = component(r, row, omega, i);
            v[i] = component(r, row, rot, i);
            d[i] = 8 * (component(r, row + 1, rot, i) - component(r, row - 1, rot, i)) -
                   (component(r, row + 2, rot, i) - component(r, row - 2, rot, i));
            d[i] /= 12 * h;
            a2 += v[i] * v[i];
        }
        /* w = v' + (1 - cos a)/a^2 v x v' + (a - sin a)/a^3 v x (v x v') */
        double a = sqrt(a2);
        cross3(v, d, c);
        cross3(v, c, cc);
        for (int i = 0; i < 3; i++)
            assert_near(w[i], d[i] + (1 - cos(a)) / a2 * c[i] + (a - sin(a)) / (a2 * a) * cc[i],
                        limit);
    }
}

static void relative_sensors(void **state)
{
    static const struct {
        const char *observer; /* "": none */
    } view[] = {{""}, {", a.eye"}, {", b"}};
    (void)state;
    for (int k = 0; k < 3; k++) {
        char text[4000], sensor[60];
        static const struct {
            const char *name, *kind;
        } s[] = {{"p", "pos"}, {"v", "vel"},   {"a", "acc"},
                 {"r", "rot"}, {"w", "omega"}, {"l", "alpha"}};
        snprintf(text, sizeof text, "%s", seen_model);
        for (int i = 0; i < 6; i++) {
            snprintf(sensor, sizeof sensor, "%s(%s%s)", s[i].kind, k == 2 ? "a.eye" : "b.tip",
                     view[k].observer);
            append(text, sizeof text, s[i].name, sensor);
        }
        table r = run_model(&(run_how){.text = text});
        is_rate_of(&r, "v", "p", 1e-8);
        is_rate_of(&r, "a", "v", 1e-7);
        is_rate_of(&r, "l", "w", 1e-7);
        is_turn_of(&r, "w", "r", 1e-8);
        table_free(&r);
    }
}

/* Planar, in closed form: two driven cranks, the second seen from the first. */
static void relative_sensors_planar(void **state)
{
    static const char text[] =
        "limber: 1\n"
        "bodies:\n"
        "  a: {type: rigid, mass: 1, inertia: [1, 1, 1], frames: {end: [2, 0, 0]}}\n"
        "  b: {type: rigid, mass: 1, inertia: [1, 1, 1], position: [2, 0, 0], frames: {tip: [1, 0, "
        "0]}}\n"
        "joints:\n"
        "  one: {type: revolute, between: [ground, a], axis: z, drive: \"3*t\"}\n"
        "  two: {type: revolute, between: [a.end, b], axis: z, drive: \"t^2\"}\n"
        "analysis: {type: dynamics, until: 2, output_step: 0.1, method: explicit, tolerance: "
        "1e-11}\n"
        "outputs: {px: \"pos(b.tip, a).x\", py: \"pos(b.tip, a).y\", vx: \"vel(b.tip, a).x\", vy: "
        "\"vel(b.tip, a).y\", ax: \"acc(b.tip, a).x\", ay: \"acc(b.tip, a).y\", w: \"omega(b, "
        "a).z\", al: \"alpha(b, a).z\", wa: omega(b).z, n: \"norm(pos(b.tip, a))\"}\n";
    (void)state;
    table r = run_model(&(run_how){.text = text});
    for (int i = 0; i < r.rows; i++) {
        double t = table_get(&r, i, "t"), q = t * t, w = 2 * t, c = cos(q), s = sin(q);
        assert_near(table_get(&r, i, "px"), 2 + c, 1e-9);
        assert_near(table_get(&r, i, "py"), s, 1e-9);
        assert_near(table_get(&r, i, "vx"), -w * s, 1e-9);
        assert_near(table_get(&r, i, "vy"), w * c, 1e-9);
        assert_near(table_get(&r, i, "ax"), -2 * s - w * w * c, 1e-8);
        assert_near(table_get(&r, i, "ay"), 2 * c - w * w * s, 1e-8);
        assert_near(table_get(&r, i, "w"), w, 1e-9);
        assert_near(table_get(&r, i, "al"), 2, 1e-8);
        assert_near(table_get(&r, i, "wa"), 3 + w, 1e-9);
        assert_near(table_get(&r, i, "n"), sqrt(5 + 4 * c), 1e-9);
    }
    table_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reactions_at_rest),       cmocka_unit_test(reactions_of_point_joints),
        cmocka_unit_test(conical_pendulum),        cmocka_unit_test(relative_sensors),
        cmocka_unit_test(relative_sensors_planar),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
