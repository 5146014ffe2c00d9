/* Springs, dampers, friction, bushings, compliant joints, loads that follow or that listen to
 * sensors, kinks in time; statics. Against closed forms or equations written out here. */
#include "support/ode.h"
#include "support/run_model.h"

static const double g = 9.81;
#define PI 3.14159265358979323846

/* ---- spring pendulum ---- */

static void strut_rates(const void *context, double t, const double *y, double *dy)
{
    const double m = 2, k = 120, c = 0.4;
    double l = hypot(y[0], y[1]), rate = (y[0] * y[2] + y[1] * y[3]) / l;
    double f = (k * (l - 1) + c * rate) / (l * m);
    (void)context, (void)t;
    dy[0] = y[2];
    dy[1] = y[3];
    dy[2] = -f * y[0];
    dy[3] = -f * y[1] - g;
}

static void spring_pendulum(void **state)
{
    double y[4] = {sin(0.8), -cos(0.8), 0, 0};
    (void)state;
    table r = run_model(&(run_how){.model = "spring_pendulum",
                                   .analysis = "{type: dynamics, until: 5, output_step: 0.1, "
                                               "method: explicit, tolerance: 1e-11}"});
    table rough = run_model(&(run_how){.model = "spring_pendulum",
                                       .analysis = "{type: dynamics, until: 5, output_step: 0.1}"});
    for (int i = 1; i < r.rows; i++) {
        ode_rk4(strut_rates, NULL, 4, y, 0, 0.1, 400);
        assert_near(table_get(&r, i, "x"), y[0], 1e-9);
        assert_near(table_get(&r, i, "y"), y[1], 1e-9);
        assert_near(table_get(&r, i, "stretch"), hypot(y[0], y[1]) - 1, 1e-9);
        assert_near(table_get(&rough, i, "x"), y[0], 5e-4);
        assert_near(table_get(&rough, i, "y"), y[1], 5e-4);
    }
    assert_under(rough.sum.energy_error, 5e-4);
    table_free(&r);
    table_free(&rough);
}

/* ---- a joint's spring, damper and effort: I x'' + c x' + k x = M ---- */

static void joint_oscillator(void **state)
{
    const double I = 0.3, k = 50, c = 0.6, M = 4, w0 = sqrt(50 / 0.3), d = 0.6 / (2 * 0.3);
    double w = sqrt(w0 * w0 - d * d);
    (void)state;
    for (int prismatic = 0; prismatic < 2; prismatic++) {
        char text[700];
        snprintf(
            text, sizeof text,
            "limber: 1\n"
            "bodies:\n"
            "  b: {type: rigid, mass: %.17g, inertia: [%.17g, %.17g, %.17g], position: [1, 1, "
            "0]}\n"
            "joints:\n"
            "  j: {type: %s, between: [ground, b], axis: [1, 2, 2], stiffness: %.17g, damping: "
            "%.17g, effort: %.17g}\n"
            "initial: {j: {%s: 0.5, rate: -2}}\n"
            "analysis: {type: dynamics, until: 2, output_step: 0.1, method: explicit, "
            "tolerance: 1e-11}\n"
            "outputs: {x: joint(j), v: rate(j), elastic: energy.elastic, kinetic: "
            "energy.kinetic, power: power.external}\n",
            I, I, I, I, prismatic ? "prismatic" : "revolute", k, c, M,
            prismatic ? "displacement" : "angle");
        table r = run_model(&(run_how){.text = text});
        for (int i = 0; i < r.rows; i++) {
            double t = table_get(&r, i, "t"), a = 0.5 - M / k, b = (-2 + d * a) / w;
            double e = exp(-d * t), co = cos(w * t), si = sin(w * t);
            double x = M / k + e * (a * co + b * si);
            double v = e * ((b * w - d * a) * co - (a * w + d * b) * si);
            assert_near(table_get(&r, i, "x"), x, 1e-9);
            assert_near(table_get(&r, i, "v"), v, 1e-8);
            assert_near(table_get(&r, i, "elastic"), 0.5 * k * x * x, 1e-7);
            assert_near(table_get(&r, i, "kinetic"), 0.5 * I * v * v, 1e-7);
            assert_near(table_get(&r, i, "power"), M * v, 1e-7);
        }
        table_free(&r);
    }
}

/* ---- planar joint ---- */

static void slope_rates(const void *context, double t, const double *y, double *dy)
{
    (void)context, (void)t;
    dy[0] = y[1];
    dy[1] = g * sin(25 * PI / 180) - 5.0 / 2 * tanh(y[1] / 0.01);
}

static void inclined_plane(void **state)
{
    double y[2] = {0, 0};
    (void)state;
    table r = run_model(&(run_how){.model = "inclined_plane",
                                   .analysis = "{type: dynamics, until: 2, output_step: 0.1, "
                                               "method: explicit, tolerance: 1e-10}"});
    table rough = run_model(&(run_how){.model = "inclined_plane",
                                       .analysis = "{type: dynamics, until: 2, output_step: 0.1}"});
    for (int i = 1; i < r.rows; i++) {
        double t = 0.1 * i;
        ode_rk4(slope_rates, NULL, 2, y, 0, 0.1, 2000);
        assert_near(table_get(&r, i, "down"), y[0], 1e-9);
        assert_near(table_get(&r, i, "across"), 0.7 * t, 1e-11);
        assert_near(table_get(&r, i, "turned"), 12 * 0.5 * (1 - exp(-2 * t)), 1e-9);
        assert_near(table_get(&r, i, "normal_force"), 2 * g * cos(25 * PI / 180), 1e-8);
        assert_near(table_get(&rough, i, "down"), y[0], 5e-4 * 3.3);
        assert_near(table_get(&rough, i, "turned"), 12 * 0.5 * (1 - exp(-2 * t)), 5e-4 * 6);
    }
    assert_under(rough.sum.energy_error, 5e-4);
    table_free(&r);
    table_free(&rough);
}

/* ---- bushings in statics ---- */

static void cross3(const double *a, const double *b, double *c)
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

static void to_quat(const double *v, double *q)
{
    double a = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]), s = a > 0 ? sin(a / 2) / a : 0.5;
    q[0] = cos(a / 2);
    for (int i = 0; i < 3; i++) q[1 + i] = s * v[i];
}

/* Rotation vector of: first v, then the small turn u about fixed axes. */
static void turned_vector(const double *u, const double *v, double *out)
{
    double p[4], q[4], c[3], n[4];
    to_quat(u, p);
    to_quat(v, q);
    cross3(p + 1, q + 1, c);
    n[0] = p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3];
    for (int i = 0; i < 3; i++) n[1 + i] = p[0] * q[1 + i] + q[0] * p[1 + i] + c[i];
    double s = sqrt(n[1] * n[1] + n[2] * n[2] + n[3] * n[3]);
    for (int i = 0; i < 3; i++) out[i] = s > 0 ? 2 * atan2(s, n[0]) / s * n[1 + i] : 0;
}

static void rotated(const double *v, const double *a, double *out)
{
    double q[4], t[3], u[3];
    to_quat(v, q);
    cross3(q + 1, a, t);
    for (int i = 0; i < 3; i++) t[i] *= 2;
    cross3(q + 1, t, u);
    for (int i = 0; i < 3; i++) out[i] = a[i] + q[0] * t[i] + u[i];
}

static void push(const double *r, const double *f, double *balance)
{
    double m[3];
    cross3(r, f, m);
    for (int i = 0; i < 3; i++) balance[i] += f[i], balance[3 + i] += m[i];
}

/* Forces and moments on the block at displacement x[0..2] and rotation vector x[3..5]. The moment of
 * the rotational springs, whose energy is 2 kr theta^2 in all, by differences of the energy. */
static void block_balance(const double *x, double *balance)
{
    static const double mount[4][3] = {
        {0.3, 0.22, -0.15}, {0.3, -0.22, -0.15}, {-0.3, 0.22, -0.15}, {-0.3, -0.22, -0.15}};
    static const double k[3] = {1.2e5, 1.2e5, 4e5}, com[3] = {0.03, -0.01, 0.05},
                        pulley[3] = {0.4, 0, 0.1};
    const double weight[3] = {0, 0, -180 * 9.81}, belt[3] = {0, 1800, -540}, kr = 150, h = 1e-4;
    double r[3], f[3];
    memset(balance, 0, 6 * sizeof *balance);
    for (int i = 0; i < 4; i++) {
        rotated(x + 3, mount[i], r);
        for (int j = 0; j < 3; j++) f[j] = -k[j] * (x[j] + r[j] - mount[i][j]);
        push(r, f, balance);
    }
    rotated(x + 3, com, r);
    push(r, weight, balance);
    rotated(x + 3, pulley, r);
    push(r, belt, balance);
    balance[3] += 400;
    for (int j = 0; j < 3; j++) {
        double energy[2];
        for (int s = 0; s < 2; s++) {
            double u[3] = {0, 0, 0}, th[3];
            u[j] = s ? h : -h;
            turned_vector(u, x + 3, th);
            energy[s] = 4 * 0.5 * kr * (th[0] * th[0] + th[1] * th[1] + th[2] * th[2]);
        }
        balance[3 + j] -= (energy[1] - energy[0]) / (2 * h);
    }
}

static void bushing_mount(void **state)
{
    static const char *const name[] = {"x", "y", "z", "roll", "pitch", "yaw"};
    double x[6] = {0};
    (void)state;
    for (int it = 0; it < 20; it++) {
        double f[6], A[36], step[6];
        for (int c = 0; c < 6; c++) {
            double ahead[6], back[6], y[6];
            memcpy(y, x, sizeof y);
            y[c] = x[c] + 1e-6;
            block_balance(y, ahead);
            y[c] = x[c] - 1e-6;
            block_balance(y, back);
            for (int i = 0; i < 6; i++) A[6 * i + c] = (back[i] - ahead[i]) / 2e-6;
        }
        block_balance(x, f);
        ode_solve(6, A, f, step);
        for (int i = 0; i < 6; i++) x[i] += step[i];
    }
    table r = run_model(&(run_how){.model = "bushing_mount"});
    for (int i = 0; i < 6; i++) assert_near(table_last(&r, name[i]), x[i], 1e-10);
    table_free(&r);
    r = run_model(
        &(run_how){.model = "bushing_mount", .analysis = "{type: statics, load_steps: 5}"});
    assert_int_equal(r.rows, 5);
    assert_near(table_get(&r, 1, "t"), 0.4, 1e-12);
    for (int i = 0; i < 6; i++) assert_near(table_last(&r, name[i]), x[i], 1e-10);
    table_free(&r);
}

/* With light damping the motion dies out in the equilibrium that statics finds; and dynamics that
 * starts there does not move. */
static void statics_and_dynamics_agree(void **state)
{
    (void)state;
    table r = run_model(&(run_how){.model = "bushing_mount"});
    table s = run_model(&(run_how){
        .model = "bushing_mount",
        .analysis = "\n  - {type: statics}\n  - {type: dynamics, until: 0.5, output_step: 0.1}"});
    for (int i = 1; i < r.cols; i++) {
        assert_near(table_first(&s, r.name[i]), table_last(&r, r.name[i]), 1e-12);
        assert_under(table_drift(&s, r.name[i]), 1e-9);
    }
    table_free(&r);
    table_free(&s);
}

/* A bar on a pin with a weight, held by a spring across: k a (l - l0) cos(..) balance on paper. */
static void statics_of_a_lever(void **state)
{
    static const char text[] =
        "limber: 1\n"
        "gravity: [0, -9.81, 0]\n"
        "bodies:\n"
        "  bar: {type: rigid, mass: 3, inertia: [0, 0.25, 0.25], com: [0.5, 0, 0], frames: {end: "
        "[1, 0, 0]}}\n"
        "joints:\n"
        "  pin: {type: revolute, between: [ground, bar], axis: z}\n"
        "forces:\n"
        "  spring: {type: spring, between: [\"ground.at(0, 1, 0)\", bar.end], stiffness: 60, "
        "length: 1}\n"
        "analysis: {type: statics}\n"
        "outputs: {a: joint(pin), fx: force(pin).x, fy: force(pin).y, gravity: energy.gravity}\n";
    double a = 0;
    (void)state;
    for (int it = 0; it < 200; it++) { /* moment about the pin, bisected by Newton with a slope */
        double h = 1e-7, f[2];
        for (int s = 0; s < 2; s++) {
            double b = a + s * h, l = sqrt(2 - 2 * sin(b)); /* end at (cos b, sin b) */
            f[s] = 60 * (l - 1) * cos(b) / l - 3 * g * 0.5 * cos(b);
        }
        a -= f[0] / ((f[1] - f[0]) / h);
    }
    double l = sqrt(2 - 2 * sin(a)), pull = 60 * (l - 1) / l;
    table r = run_model(&(run_how){.text = text});
    assert_near(table_last(&r, "a"), a, 1e-8);
    assert_near(table_last(&r, "fx"), pull * cos(a), 1e-6);
    assert_near(table_last(&r, "fy"), 3 * g - pull * (1 - sin(a)), 1e-6);
    table_free(&r);
}

/* ---- compliant joints ---- */

/* A block clamped compliantly: it gives by force/k and turns by the vector moment/kr. */
static void compliant_clamp(void **state)
{
    static const char text[] =
        "limber: 1\n"
        "bodies:\n"
        "  b: {type: rigid, mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}\n"
        "joints:\n"
        "  clamp: {type: fixed, between: [ground, b], compliant: {stiffness: [2e4, 500]}}\n"
        "loads:\n"
        "  pull: {on: b, force: [40, -20, 10], torque: [50, 25, 0]}\n"
        "analysis: {type: statics}\n"
        "outputs:\n"
        "  x: pos(b).x\n  y: pos(b).y\n  z: pos(b).z\n"
        "  rx: rot(b).x\n  ry: rot(b).y\n  rz: rot(b).z\n"
        "  fx: force(clamp).x\n  fy: force(clamp).y\n  mx: moment(clamp).x\n  my: moment(clamp).y\n"
        "  stored: energy.elastic\n";
    (void)state;
    table r = run_model(&(run_how){.text = text});
    assert_near(table_last(&r, "x"), 1 + 40 / 2e4, 1e-10);
    assert_near(table_last(&r, "y"), -20 / 2e4, 1e-10);
    assert_near(table_last(&r, "z"), 10 / 2e4, 1e-10);
    assert_near(table_last(&r, "rx"), 50 / 500.0, 1e-9);
    assert_near(table_last(&r, "ry"), 25 / 500.0, 1e-9);
    assert_near(table_last(&r, "rz"), 0, 1e-9);
    assert_near(table_last(&r, "fx"), -40, 1e-7);
    assert_near(table_last(&r, "fy"), 20, 1e-7);
    assert_near(table_last(&r, "mx"), -50, 1e-7);
    assert_near(table_last(&r, "my"), -25, 1e-7);
    assert_near(table_last(&r, "stored"), (1600 + 400 + 100) / 4e4 + (2500 + 625) / 1000.0, 1e-8);
    table_free(&r);
}

/* Compliant pins instead of rigid ones: the chain's motion differs by about weight/k. */
static void compliant_pins(void **state)
{
    (void)state;
    run_how how = {.model = "rod_chain",
                   .set = {"N=2"},
                   .swap = {{"inertia: [0, I, I]", "inertia: [I/50, I, I]"}},
                   .analysis = "{type: dynamics, until: 0.5, output_step: 0.1, tolerance: 1e-6}"};
    table rigid = run_model(&how);
    how.swap[1][0] = "between: [rod(k-1).end, rod(k)], axis: z}";
    how.swap[1][1] = "between: [rod(k-1).end, rod(k)], axis: z, compliant: {stiffness: [1e6, 1e5], "
                     "damping: [2e3, 200]}}";
    table soft = run_model(&how);
    double off = fmax(table_distance(&rigid, &soft, "x"), table_distance(&rigid, &soft, "y"));
    assert_between(off, 1e-7, 1e-4);
    table_free(&rigid);
    table_free(&soft);
}

/* ---- loads that follow, loads that listen ---- */

/* A spinning disc pushed along its own x axis goes round in a circle. */
static void follower_load(void **state)
{
    static const char text[] =
        "limber: 1\n"
        "bodies:\n"
        "  disc: {type: rigid, mass: 2, inertia: [1, 1, 2]}\n"
        "loads:\n"
        "  jet: {on: disc, axes: local, force: [6, 0, 0]}\n"
        "initial: {velocity: {disc: {angular: [0, 0, 1.5]}}}\n"
        "analysis: {type: dynamics, until: 6, output_step: 0.2, method: explicit, tolerance: "
        "1e-11}\n"
        "outputs: {x: pos(disc).x, y: pos(disc).y, power: power.external}\n";
    (void)state;
    table r = run_model(&(run_how){.text = text});
    for (int i = 0; i < r.rows; i++) {
        double a = 1.5 * table_get(&r, i, "t"), s = 6 / (2 * 1.5 * 1.5);
        assert_near(table_get(&r, i, "x"), s * (1 - cos(a)), 1e-9);
        assert_near(table_get(&r, i, "y"), s * (a - sin(a)), 1e-9);
        assert_near(table_get(&r, i, "power"), 6 * s * 1.5 * sin(a), 1e-9);
    }
    table_free(&r);
}

/* A force -ma*acc is an added mass: everything moves as with mass m + ma. */
static void added_mass(void **state)
{
    static const char text[] =
        "limber: 1\n"
        "gravity: [0, -9.81, 0]\n"
        "bodies:\n"
        "  ball: {type: rigid, mass: 1, inertia: [0.1, 0.1, 0.1], position: [2, 0, 0]}\n"
        "joints:\n"
        "  pin: {type: revolute, between: [ground, ball], axis: z, at: [0, 0, 0]}\n"
        "loads:\n"
        "  water: {on: ball, force: [\"-0.5*acc(ball).x\", \"-0.5*acc(ball).y\", 0]}\n"
        "analysis: {type: dynamics, until: 3, output_step: 0.25, METHOD}\n"
        "outputs: {a: joint(pin), fx: force(pin).x}\n";
    static const char *const method[] = {"tolerance: 1e-6", "method: explicit, tolerance: 1e-10"};
    static const double limit[] = {1e-5, 1e-8};
    (void)state;
    for (int k = 0; k < 2; k++) {
        table r = run_model(&(run_how){.text = text, .swap = {{"METHOD", method[k]}}});
        /* the twin: m = 1.5 under a gravity of 9.81/1.5 */
        table s = run_model(&(run_how){
            .text = text,
            .swap = {{"METHOD", method[k]},
                     {"mass: 1,", "mass: 1.5,"},
                     {"-9.81", "-9.81/1.5"},
                     {"  water: {on: ball, force: [\"-0.5*acc(ball).x\", \"-0.5*acc(ball).y\", 0]}",
                      "  none: {on: ball, force: [0, 0, 0]}"}}});
        assert_under(table_distance(&r, &s, "a"), limit[k]);
        assert_under(table_distance(&r, &s, "fx"), 100 * limit[k]);
        table_free(&r);
        table_free(&s);
    }
}

/* Coulomb friction of a sledge on a rail from the rail's own reaction, under a load that grows. */
static void friction_from_the_reaction(void **state)
{
    static const char text[] =
        "limber: 1\n"
        "gravity: [0, -9.81, 0]\n"
        "bodies:\n"
        "  sledge: {type: rigid, mass: 2, inertia: [1, 1, 1]}\n"
        "joints:\n"
        "  rail: {type: prismatic, between: [ground, sledge], axis: x, effort: "
        "\"-0.2*abs(force(rail).y)*tanh(rate(rail)/1e-3)\"}\n"
        "loads:\n"
        "  press: {on: sledge, force: [0, \"-10*t\", 0]}\n"
        "initial: {rail: {rate: 10}}\n"
        "analysis: {type: dynamics, until: 2, output_step: 0.25, METHOD}\n"
        "outputs: {x: joint(rail), v: rate(rail), up: force(rail).y, along: force(rail).x}\n";
    static const char *const method[] = {"tolerance: 1e-6", "method: explicit, tolerance: 1e-10"};
    static const double limit[] = {2e-5, 1e-8};
    (void)state;
    for (int k = 0; k < 2; k++) {
        table r = run_model(&(run_how){.text = text, .swap = {{"METHOD", method[k]}}});
        for (int i = 0; i < r.rows; i++) {
            double t = table_get(&r, i, "t"), N = 2 * g + 10 * t;
            assert_near(table_get(&r, i, "up"), N, 50 * limit[k]);
            assert_near(table_get(&r, i, "along"), -0.2 * N, 50 * limit[k]);
            assert_near(table_get(&r, i, "v"), 10 - 0.1 * (2 * g * t + 5 * t * t), 10 * limit[k]);
            assert_near(table_get(&r, i, "x"), 10 * t - 0.1 * (g * t * t + 5 * t * t * t / 3),
                        20 * limit[k]);
        }
        table_free(&r);
    }
}

/* ---- kinks ---- */

/* Pulses of area 1 in a long rest: nothing but the expression's own corners tells when they come. And
 * when they are over, the steps grow again. */
static void kinks_are_met(void **state)
{
    static const char *const force[] = {
        "pwl(t, 5,0, 5.0005,2000, 5.001,0)",
        "if(t > 5 and t < 5.001, 1000, 0)",
        "max(t - 5, 0) - 2*max(t - 6, 0) + max(t - 7, 0)",
        "step(t, 5, 0, 5.0005, 2000) - step(t, 5.0005, 0, 5.001, 2000)",
    };
    static const char *const method[] = {"tolerance: 1e-6", "method: explicit, tolerance: 1e-9"};
    (void)state;
    for (int k = 0; k < 4; k++)
        for (int m = 0; m < 2; m++) {
            char text[800];
            snprintf(text, sizeof text,
                     "limber: 1\n"
                     "bodies: {b: {type: rigid, mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}, "
                     "c: {type: rigid, mass: 1, inertia: [1, 1, 1]}}\n"
                     "joints: {rail: {type: prismatic, between: [ground, b], axis: y, effort: "
                     "\"%s\"}}\n"
                     "analysis: {type: dynamics, until: 10, output_step: 2.5, %s}\n"
                     "outputs: {v: rate(rail), y: joint(rail)}\n",
                     force[k], method[m]);
            table r = run_model(&(run_how){.text = text});
            assert_near(table_at(&r, "v", 10), 1, 1e-6);
            if (k != 2) assert_near(table_at(&r, "y", 10), 10 - 5.0005, 1e-5);
            assert_near(table_at(&r, "v", 2.5), 0, 0);
            assert_true(r.sum.steps < 20000);
            table_free(&r);
        }
}

/* Corners that no clock announces: a ball bounces on an elastic floor, and one that throws it back
 * with a constant force. Between the bounces the steps must grow again. */
static void bounces(void **state)
{
    static const char *const floor_force[] = {"if(pos(b).y < 0, -1e5*pos(b).y, 0)",
                                              "if(pos(b).y < 0, 500, 0)"};
    const double v = sqrt(2 * g), w = sqrt(1e5);
    /* time on the floor: of the spring, with the weight on it, or at the constant net force */
    const double contact[] = {(2 * PI - 2 * atan(v * w / g)) / w, 2 * v / (500 - g)};
    (void)state;
    for (int k = 0; k < 2; k++) {
        char text[700];
        snprintf(text, sizeof text,
                 "limber: 1\n"
                 "gravity: [0, -9.81, 0]\n"
                 "bodies: {b: {type: rigid, mass: 1, inertia: [1, 1, 1], position: [0, 1, 0]}, "
                 "base: {type: rigid, mass: 1, inertia: [1, 1, 1]}}\n"
                 "joints: {rail: {type: prismatic, between: [ground, b], axis: y}, foot: {type: "
                 "fixed, between: [ground, base]}}\n"
                 "loads: {floor: {on: b, force: [0, \"%s\", 0]}}\n"
                 "analysis: {type: dynamics, until: 1, output_step: 1}\n"
                 "outputs: {v: rate(rail), y: pos(b).y}\n",
                 floor_force[k]);
        double fall = v / g, period = 2 * fall + contact[k];
        table r = run_model(&(run_how){.text = text, .until = 3 * period});
        assert_near(table_last(&r, "y"), 1, 5e-4);
        assert_near(table_last(&r, "v"), 0, 1e-2);
        assert_true(r.sum.steps < 50000);
        table_free(&r);
    }
}

/* A drive with corners in its acceleration, put together from min and max: it is t^2 all the time,
 * and nothing may happen where its parts take turns. */
static void drive_with_ties(void **state)
{
    static const char text[] =
        "limber: 1\n"
        "bodies: {b: {type: rigid, mass: 1, inertia: [1, 1, 1]}}\n"
        "joints: {j: {type: revolute, between: [ground, b], axis: z, drive: \"min(t/0.1, 1)^2*0.01 "
        "+ 0.2*max(t - 0.1, 0) + max(t - 0.1, 0)^2\"}}\n"
        "analysis: {type: dynamics, until: 0.2, output_step: 0.01}\n"
        "outputs: {a: joint(j), v: rate(j), m: moment(j).z}\n";
    (void)state;
    table r = run_model(&(run_how){.text = text});
    for (int i = 0; i < r.rows; i++) {
        double t = table_get(&r, i, "t");
        assert_near(table_get(&r, i, "a"), t * t, 1e-9);
        assert_near(table_get(&r, i, "v"), 2 * t, 1e-6);
        assert_near(table_get(&r, i, "m"), 2, 1e-3);
    }
    table_free(&r);
}

/* Planar data: the moments of inertia across the plane left out. */
static void planar_inertia(void **state)
{
    static const char text[] =
        "limber: 1\n"
        "gravity: [0, -9.81, 0]\n"
        "bodies: {b: {type: rigid, mass: 2, inertia: [0, 0, 0.7], position: [1, 0, 0]}}\n"
        "joints: {j: {type: revolute, between: [ground, b], axis: z, at: [0, 0, 0]}}\n"
        "analysis: {type: dynamics, until: 0.1, output_step: 0.1}\n"
        "outputs: {al: alpha(b).z}\n";
    (void)state;
    table r = run_model(&(run_how){.text = text});
    assert_near(table_first(&r, "al"), -2 * g / 2.7, 1e-12);
    table_free(&r);
}

/* ---- energy ---- */

/* What loads and drives put in, less what dampers take out, is the change of the energy; with every
 * method as exactly as the tolerance says. */
static void energy_balance(void **state)
{
    static const char *const model[] = {"slider_crank", "robot_arm",       "gantry_crane",
                                        "cardan_shaft", "spring_pendulum", "inclined_plane",
                                        "satellite",    "screw_jack",      "a03_andrews"};
    (void)state;
    for (int i = 0; i < 9; i++) {
        table r = run_model(&(run_how){.model = model[i]});
        assert_under(r.sum.energy_error, 5e-4);
        table_free(&r);
    }
}

static void energy_balance_explicit(void **state)
{
    (void)state;
    table r = run_model(&(run_how){.model = "a03_andrews",
                                   .analysis = "{type: dynamics, until: 0.03, output_step: 1e-3, "
                                               "method: explicit, tolerance: 1e-9}"});
    assert_under(r.sum.energy_error, 1e-7);
    table_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spring_pendulum),
        cmocka_unit_test(joint_oscillator),
        cmocka_unit_test(inclined_plane),
        cmocka_unit_test(bushing_mount),
        cmocka_unit_test(statics_and_dynamics_agree),
        cmocka_unit_test(statics_of_a_lever),
        cmocka_unit_test(compliant_clamp),
        cmocka_unit_test(compliant_pins),
        cmocka_unit_test(follower_load),
        cmocka_unit_test(added_mass),
        cmocka_unit_test(friction_from_the_reaction),
        cmocka_unit_test(kinks_are_met),
        cmocka_unit_test(bounces),
        cmocka_unit_test(drive_with_ties),
        cmocka_unit_test(planar_inertia),
        cmocka_unit_test(energy_balance),
        cmocka_unit_test(energy_balance_explicit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
