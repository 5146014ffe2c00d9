/* Machines whose motion or forces are known on paper: slider-crank, Cardan shaft, screw jack, gantry
 * crane, robot arm. Every formula here is written out by hand. */
#include "support/ode.h"
#include "support/run_model.h"

static const double g = 9.81;
#define PI 3.14159265358979323846

/* ---- slider-crank: inverse dynamics ---- */

typedef struct crank_forces {
    double angle, x, v, main[2], pin[2], wrist[2], side, torque;
} crank_forces;

/* The prescribed angle with its rates: speed (3 s^2 - 2 s^3) up to t = 0.1, then constant. */
static void crank_drive(double t, double th[3])
{
    double T = 0.1, W = 1500 * 2 * PI / 60, s = t / T;
    th[0] = t < T ? W * T * (s * s * s - s * s * s * s / 2) : W * (t - T / 2);
    th[1] = t < T ? W * s * s * (3 - 2 * s) : W;
    th[2] = t < T ? W * 6 * s * (1 - s) / T : 0;
}

/* Forces on the second body of each joint. Rod along u = (cos f, -sin f), l sin f = r sin th. */
static crank_forces crank_analysis(double t)
{
    const double r = 0.05, l = 0.2, mc = 1.2, cc = 0.3 * r, Ic = 8e-4;
    const double mr = 0.6, cr = 0.35 * l, Ir = mr * l * l / 9, mp = 0.5;
    double th[3];
    crank_drive(t, th);
    double c = cos(th[0]), s = sin(th[0]), w = th[1], al = th[2];
    double f = asin(r * s / l), cf = cos(f), sf = sin(f);
    double df = r * w * c / (l * cf), ddf = (r * (al * c - w * w * s) / l + df * df * sf) / cf;
    double pin[2] = {-r * (al * s + w * w * c), r * (al * c - w * w * s)};
    double du[2] = {-ddf * sf - df * df * cf, -ddf * cf + df * df * sf}; /* u'' */
    double rod[2] = {pin[0] + cr * du[0], pin[1] + cr * du[1]};
    crank_forces o = {.angle = th[0], .x = r * c + l * cf, .v = -r * w * s - l * df * sf};
    o.wrist[0] = mp * (pin[0] + l * du[0]);
    /* moments on the rod about its crank pin: Ir (-f'') + cr u x mr (a + g) = l u x (-wrist) */
    double inertia = -Ir * ddf + cr * mr * (cf * (rod[1] + g) + sf * rod[0]);
    o.wrist[1] = (-inertia - l * sf * o.wrist[0]) / (l * cf);
    o.side = mp * g - o.wrist[1];
    o.pin[0] = mr * rod[0] + o.wrist[0];
    o.pin[1] = mr * (rod[1] + g) + o.wrist[1];
    o.main[0] = mc * cc / r * pin[0] + o.pin[0];
    o.main[1] = mc * (cc / r * pin[1] + g) + o.pin[1];
    o.torque = (Ic + mc * cc * cc) * al + mc * g * cc * c + r * (c * o.pin[1] - s * o.pin[0]);
    return o;
}

#define CRANK_OUTPUTS                                                                              \
    {                                                                                              \
        "outputs:\n", "outputs:\n  bx: force(main).x\n  by: force(main).y\n  px: force(pin).x\n"   \
                      "  py: force(pin).y\n  wx: force(wrist).x\n  wy: force(wrist).y\n"           \
                      "  gx: force(guide).x\n  gm: moment(guide).z\n"                              \
    }

/* Largest deviation from the analysis: of the motion, and of the forces over 1 kN. */
static void crank_compare(const table *r, double *motion, double *forces)
{
    *motion = *forces = 0;
    for (int i = 0; i < r->rows; i++) {
        crank_forces e = crank_analysis(table_get(r, i, "t"));
        const struct {
            const char *name;
            double exact;
        } force[] = {
            {"bx", e.main[0]},       {"by", e.main[1]},         {"px", e.pin[0]}, {"py", e.pin[1]},
            {"wx", e.wrist[0]},      {"wy", e.wrist[1]},        {"gx", 0},        {"gm", 0},
            {"side_thrust", e.side}, {"motor_torque", e.torque}};
        for (int k = 0; k < 10; k++)
            *forces = fmax(*forces, fabs(table_get(r, i, force[k].name) - force[k].exact) / 1e3);
        *motion = fmax(*motion, fabs(table_get(r, i, "piston_x") - e.x));
        *motion = fmax(*motion, fabs(table_get(r, i, "crank_angle") - e.angle));
        *motion = fmax(*motion, fabs(table_get(r, i, "piston_v") - e.v) / 157);
    }
}

static void slider_crank_inverse_dynamics(void **state)
{
    double motion, forces;
    (void)state;
    table r = run_model(&(run_how){.model = "slider_crank",
                                   .swap = {CRANK_OUTPUTS},
                                   .analysis = "{type: dynamics, until: 0.2, output_step: 1e-3, "
                                               "method: explicit, tolerance: 1e-10}"});
    crank_compare(&r, &motion, &forces);
    assert_under(motion, 1e-11);
    assert_under(forces, 1e-9);
    table_free(&r);
    r = run_model(&(run_how){.model = "slider_crank", .swap = {CRANK_OUTPUTS}});
    crank_compare(&r, &motion, &forces);
    assert_under(motion, 1e-5);
    assert_under(forces, 5e-4); /* three digits with the default settings */
    assert_under(r.sum.energy_error, 5e-4);
    table_free(&r);
}

/* Fixed steps: the drive prescribes the motion, and each row solves for its own forces, whatever the step. */
static void slider_crank_fixed_steps(void **state)
{
    static const char *const step[] = {"step: 2e-4", "step: 5e-5"};
    double motion, forces;
    (void)state;
    for (int i = 0; i < 2; i++) {
        char analysis[100];
        snprintf(analysis, sizeof analysis, "{type: dynamics, until: 0.2, output_step: 2e-3, %s}",
                 step[i]);
        table r = run_model(
            &(run_how){.model = "slider_crank", .swap = {CRANK_OUTPUTS}, .analysis = analysis});
        crank_compare(&r, &motion, &forces);
        assert_under(motion, 1e-9);
        assert_under(forces, 1e-10);
        table_free(&r);
    }
}

/* The wrist as a point on the line of its pin: no redundant constraint is left. */
static void slider_crank_without_redundancy(void **state)
{
    (void)state;
    run_how how = {.model = "slider_crank",
                   .analysis = "{type: dynamics, until: 0.2, output_step: 1e-3, tolerance: 1e-6}"};
    table r = run_model(&how);
    how.swap[0][0] = "wrist: {type: revolute";
    how.swap[0][1] = "wrist: {type: inline";
    table twin = run_model(&how);
    for (int i = 1; i < r.cols; i++) {
        double scale = 1;
        for (int k = 0; k < r.rows; k++) scale = fmax(scale, fabs(table_get(&r, k, r.name[i])));
        assert_under(table_distance(&r, &twin, r.name[i]) / scale, 1e-5);
    }
    table_free(&r);
    table_free(&twin);
}

/* ---- Cardan shaft ---- */

/* tan(output) = tan(input) cos(bend); the cross passes on a moment along the normal of its arms, of
 * which the far bearing takes the part across the output shaft. */
static void cardan_shaft(void **state)
{
    const double bend = PI / 6, W = 20, Ia = 0.02, brake = 0.5, L = 0.5;
    double cb = cos(bend), sb = sin(bend);
    (void)state;
    table r = run_model(&(run_how){.model = "cardan_shaft",
                                   .analysis = "{type: dynamics, until: 1, output_step: 0.01, "
                                               "method: explicit, tolerance: 1e-11}"});
    for (int i = 0; i < r.rows; i++) {
        double th = W * table_get(&r, i, "t"), s = sin(th), c = cos(th), n = 1 - sb * sb * s * s;
        double w = W * cb / n, al = W * W * cb * sb * sb * 2 * s * c / (n * n);
        double torque = Ia * al + brake * w; /* on the output, about its axis */
        double ph = atan2(s * cb, c);
        double e1[3] = {0, -s, c}, e2[3] = {-sb * cos(ph), cb * cos(ph), sin(ph)};
        double normal[2] = {e1[1] * e2[2] - e1[2] * e2[1], e1[2] * e2[0] - e1[0] * e2[2]};
        double along = normal[0] * cb + normal[1] * sb, cross = torque / along;
        assert_near(table_get(&r, i, "angle"), th, 1e-11);
        assert_near(table_get(&r, i, "output_speed"), w, 1e-9);
        assert_near(table_get(&r, i, "torque"), torque * w / W, 1e-8);
        assert_near(table_get(&r, i, "bearing_force"),
                    fabs(cross) * sqrt(1 - along * along) / (2 * L), 1e-8);
        assert_near(table_get(&r, i, "power"), torque * w - brake * w * w, 1e-7);
    }
    table_free(&r);
    r = run_model(&(run_how){.model = "cardan_shaft"});
    for (int i = 0; i < r.rows; i++) {
        double s = sin(W * table_get(&r, i, "t"));
        assert_near(table_get(&r, i, "output_speed"), W * cb / (1 - sb * sb * s * s), 2e-3);
    }
    table_free(&r);
}

/* The angles of the cross, seen from the input shaft: its arm e2 turns about the yoke z by the
 * first, the output's axis about e2 by the second. Rates against differences of the angles. */
static void cardan_angles(void **state)
{
    const double bend = PI / 6, W = 20, dt = 1e-4;
    (void)state;
    table r = run_model(&(run_how){
        .model = "cardan_shaft",
        .swap = {{"outputs:\n", "outputs:\n  a1: joint(cross).angle1\n  a2: joint(cross).angle2\n"
                                "  r1: rate(cross).angle1\n  r2: rate(cross).angle2\n"}},
        .analysis = "{type: dynamics, until: 0.4, output_step: 1e-4, method: explicit, tolerance: "
                    "1e-11}"});
    for (int i = 1; i < r.rows - 1; i += 37) {
        double th = W * table_get(&r, i, "t"), ph = atan2(sin(th) * cos(bend), cos(th));
        double x = -sin(bend) * cos(ph), y = cos(bend) * cos(ph) * cos(th) + sin(ph) * sin(th);
        assert_near(table_get(&r, i, "a1"), atan2(-x, y) - bend, 1e-9);
        assert_near(table_get(&r, i, "a2"), asin(sin(bend) * sin(th)), 1e-9);
        for (int k = 1; k <= 2; k++) {
            const char *a = k == 1 ? "a1" : "a2";
            double d = (table_get(&r, i + 1, a) - table_get(&r, i - 1, a)) / (2 * dt);
            assert_near(table_get(&r, i, k == 1 ? "r1" : "r2"), d, 2e-5);
        }
    }
    table_free(&r);
}

/* ---- screw jack ---- */

static void screw_jack(void **state)
{
    const double T = 2, lead = 0.01, turns = 20, m = 504, I = 5e-3;
    (void)state;
    table r = run_model(&(run_how){.model = "screw_jack",
                                   .analysis = "{type: dynamics, until: 2.5, output_step: 0.05, "
                                               "method: explicit, tolerance: 1e-10}"});
    for (int i = 0; i < r.rows; i++) {
        double x = table_get(&r, i, "t") / T, s = x < 1 ? x * x * (3 - 2 * x) : 1;
        double dds = x < 1 ? (6 - 12 * x) / (T * T) : 0;
        assert_near(table_get(&r, i, "turned"), 2 * PI * turns * s, 1e-9);
        assert_near(table_get(&r, i, "lift"), lead * turns * s, 1e-12);
        if (fabs(x - 1) < 1e-6) continue; /* the acceleration jumps */
        assert_near(table_get(&r, i, "thrust"), m * (g + lead * turns * dds), 5e-7);
        assert_near(table_get(&r, i, "torque"), I * 2 * PI * turns * dds, 1e-8);
    }
    assert_near(table_last(&r, "energy") - table_first(&r, "energy"), m * g * lead * turns, 1e-9);
    table_free(&r);
}

/* ---- gantry crane ---- */

typedef struct crane {
    double M, m, rope, travel, lift, T;
} crane;

/* Trolley and rope: position, rate, acceleration of travel*s and rope - lift*s. */
static void crane_moves(const crane *c, double t, double x[3], double l[3])
{
    double r = t / c->T, s[3] = {1, 0, 0};
    if (r < 1) {
        s[0] = r * r * (3 - 2 * r);
        s[1] = 6 * r * (1 - r) / c->T;
        s[2] = (6 - 12 * r) / (c->T * c->T);
    }
    for (int i = 0; i < 3; i++) {
        x[i] = c->travel * s[i];
        l[i] = (i == 0 ? c->rope : 0) - c->lift * s[i];
    }
}

static void crane_rates(const void *context, double t, const double *y, double *dy)
{
    double x[3], l[3];
    crane_moves(context, t, x, l);
    dy[0] = y[1];
    dy[1] = -(2 * l[1] * y[1] + g * sin(y[0]) + x[2] * cos(y[0])) / l[0];
}

static void gantry_crane(void **state)
{
    const crane c = {400, 1200, 6, 8, 2.5, 6};
    double y[2] = {0, 0};
    (void)state;
    table r = run_model(&(run_how){.model = "gantry_crane",
                                   .analysis = "{type: dynamics, until: 10, output_step: 0.1, "
                                               "method: explicit, tolerance: 1e-11}"});
    table rough = run_model(&(run_how){
        .model = "gantry_crane", .analysis = "{type: dynamics, until: 10, output_step: 0.1}"});
    for (int i = 1; i < r.rows; i++) {
        double x[3], l[3], t = 0.1 * i;
        ode_rk4(crane_rates, &c, 2, y, 0.1 * (i - 1), t - 1e-13, 200);
        crane_moves(&c, t, x, l);
        double pull = c.m * (g * cos(y[0]) - l[2] + l[0] * y[1] * y[1] - x[2] * sin(y[0]));
        double up = c.M * g + pull * cos(y[0]), lean = 0.3 * c.M * x[2] / 0.5;
        assert_near(table_get(&r, i, "swing"), y[0], 1e-10);
        assert_near(table_get(&r, i, "load_x"), x[0] + l[0] * sin(y[0]), 1e-9);
        assert_near(table_get(&r, i, "load_y"), -l[0] * cos(y[0]), 1e-9);
        assert_near(table_get(&rough, i, "load_x"), x[0] + l[0] * sin(y[0]), 8 * 5e-4);
        if (i == 60) continue; /* the acceleration jumps */
        assert_near(table_get(&r, i, "pull"), pull, 1e-5);
        assert_near(table_get(&r, i, "wheel_front"), 0.5 * (up + lean), 1e-5);
        assert_near(table_get(&r, i, "wheel_rear"), 0.5 * (up - lean), 1e-5);
        assert_near(table_get(&rough, i, "pull"), pull, 1200 * g * 5e-4);
    }
    table_free(&r);
    table_free(&rough);
}

/* ---- robot arm ---- */

static double ramps(double t, int n, const double *x, const double *y)
{
    if (t <= x[0]) return y[0];
    for (int i = 1; i < n; i++)
        if (t <= x[i]) return y[i - 1] + (y[i] - y[i - 1]) * (t - x[i - 1]) / (x[i] - x[i - 1]);
    return y[n - 1];
}

/* Motor and friction torques of shoulder and elbow; y: angles from the level a, b and rates. */
static void arm_torques(double t, const double *y, double torque[2])
{
    static const double at[] = {0, 0.5, 1.2, 1.6}, one[] = {0, 0.8, 0.8, -0.3},
                        two[] = {0, -1.5, -1.5, 0.4};
    double elbow = y[1] - y[0], rate = y[3] - y[2];
    torque[0] = 2500 * (ramps(t, 4, at, one) - y[0]) - 250 * y[2] - 4 * tanh(y[2] / 0.05);
    torque[1] = 1200 * (ramps(t, 4, at, two) - elbow) - 80 * rate - 2 * tanh(rate / 0.05);
}

static void arm_rates(const void *context, double t, const double *y, double *dy)
{
    const double L1 = 0.6, L2 = 0.5, m1 = 8, m2 = 5, tool = 3;
    static const double at[] = {0.6, 0.7, 1.0, 1.1}, on[] = {0, 1, 1, 0};
    double push = 40 * ramps(t, 4, at, on), torque[2];
    double Ja = m1 * L1 * L1 / 3 + (m2 + tool) * L1 * L1, Jb = m2 * L2 * L2 / 3 + tool * L2 * L2;
    double c = (m2 / 2 + tool) * L2 * L1, d = y[1] - y[0];
    (void)context;
    arm_torques(t, y, torque);
    double Qa = torque[0] - torque[1] - g * (m1 / 2 + m2 + tool) * L1 * cos(y[0]);
    double Qb = torque[1] - g * (m2 / 2 + tool) * L2 * cos(y[1]);
    Qa += c * sin(d) * y[3] * y[3] + push * L1 * cos(d);
    Qb += -c * sin(d) * y[2] * y[2] + push * L2;
    double x = c * cos(d), det = Ja * Jb - x * x;
    dy[0] = y[2];
    dy[1] = y[3];
    dy[2] = (Jb * Qa - x * Qb) / det;
    dy[3] = (Ja * Qb - x * Qa) / det;
}

static void robot_arm(void **state)
{
    double y[4] = {0, 0, 0, 0};
    (void)state;
    table r = run_model(&(run_how){.model = "robot_arm",
                                   .analysis = "{type: dynamics, until: 2, output_step: 0.1, "
                                               "method: explicit, tolerance: 1e-10}"});
    table rough = run_model(&(run_how){.model = "robot_arm",
                                       .analysis = "{type: dynamics, until: 2, output_step: 0.1}"});
    for (int i = 1; i < r.rows; i++) {
        double torque[2];
        ode_rk4(arm_rates, NULL, 4, y, 0.1 * (i - 1), 0.1 * i, 2000);
        arm_torques(0.1 * i, y, torque);
        assert_near(table_get(&r, i, "shoulder"), y[0], 1e-9);
        assert_near(table_get(&r, i, "elbow"), y[1] - y[0], 1e-9);
        assert_near(table_get(&r, i, "tip_x"), 0.6 * cos(y[0]) + 0.5 * cos(y[1]), 1e-9);
        assert_near(table_get(&r, i, "shoulder_torque"), torque[0], 1e-6);
        assert_near(table_get(&r, i, "elbow_torque"), torque[1], 1e-6);
        assert_near(table_get(&rough, i, "shoulder"), y[0], 5e-4);
        assert_near(table_get(&rough, i, "elbow"), y[1] - y[0], 5e-4);
    }
    assert_under(rough.sum.energy_error, 5e-4);
    table_free(&r);
    table_free(&rough);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slider_crank_inverse_dynamics),
        cmocka_unit_test(slider_crank_fixed_steps),
        cmocka_unit_test(slider_crank_without_redundancy),
        cmocka_unit_test(cardan_shaft),
        cmocka_unit_test(cardan_angles),
        cmocka_unit_test(screw_jack),
        cmocka_unit_test(gantry_crane),
        cmocka_unit_test(robot_arm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
