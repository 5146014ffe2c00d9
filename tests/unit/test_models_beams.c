/* Flexible mechanisms against published values, results of other programs and closed forms. Each is
 * run as it stands in models/, with default settings; where it is affordable, also against a run with
 * much finer steps on the same mesh. */
#include "support/run_model.h"

#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))

/* Largest |value - reference| of a column at given times; `scale` turns its unit into the table's. */
static double worst(const table *r, const char *name, const double *t, const double *value, int n,
                    double scale)
{
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(scale * table_at(r, name, t[i]) - value[i]));
    return most;
}

/* Least and largest value of a column from time t on. */
static void range(const table *r, const char *name, double t, double *low, double *high)
{
    *low = INFINITY, *high = -INFINITY;
    for (int i = 0; i < r->rows; i++) {
        double value = table_get(r, i, name);
        if (r->data[i * r->cols] < t) continue;
        *low = fmin(*low, value), *high = fmax(*high, value);
    }
}

/* ---- pendulum ---- */

/* Tip of the pendulum every 1.25 s, the mean of three programs, converged in mesh and step. */
static const double pendulum_t[] = {1.25,  2.5,  3.75,  5,  6.25,  7.5,  8.75,  10,
                                    11.25, 12.5, 13.75, 15, 16.25, 17.5, 18.75, 20};
static const double pendulum_x[] = {
    140.9561,  134.0918,  106.4918,  46.9029,   -32.0361, -97.3432, -130.7984, -140.4637,
    -141.4194, -141.2305, -136.5602, -114.2801, -60.9388, 16.5232,  86.8249,   126.5700};
static const double pendulum_y[] = {
    -11.4462, -44.9338, -93.0551, -133.4167, -137.7446, -102.5871, -53.7727,  -16.4194,
    -0.4101,  -7.3163,  -36.7549, -83.3057,  -127.6180, -140.4524, -111.6302, -63.0855};

static void pendulum(void **state)
{
    static const double t[] = {1, 2, 3, 4, 5, 6, 8, 10};
    static const double theta[] = {-0.0535, -0.2102, -0.4657, -0.8136,
                                   -1.2333, -1.6865, -2.5117, -3.0250};
    double low, high;
    (void)state;
    table r = run_model(&(run_how){.model = "flexible_pendulum"});
    /* the references of theta have four decimals and some ringing of the section */
    assert_under(worst(&r, "theta", t, theta, COUNT(t), 1), 4e-4);
    /* the tolerance; the programs disagree by up to 3e-3 m */
    assert_under(worst(&r, "tip_x", pendulum_t, pendulum_x, COUNT(pendulum_t), 1), 3e-5 * 141.42);
    assert_under(worst(&r, "tip_y", pendulum_t, pendulum_y, COUNT(pendulum_t), 1), 3e-5 * 141.42);
    range(&r, "deflection", 0, &low, &high);
    assert_between(low, -0.49, -0.44);
    assert_between(high, 0.45, 0.50);
    assert_under(table_drift(&r, "energy"), 1e-4 * 0.0702 * 141.42 * 9.81 * 70); /* of m g L/2 */

    table fine = run_model(
        &(run_how){.model = "flexible_pendulum",
                   .analysis = "{type: dynamics, until: 20, output_step: 0.25, step: 2e-4}"});
    assert_under(table_distance(&r, &fine, "theta"), 1e-4);
    assert_under(table_distance(&r, &fine, "tip_x"), 3e-5 * 141.42);
    assert_under(table_distance(&r, &fine, "tip_y"), 3e-5 * 141.42);
    table_free(&r);
    table_free(&fine);
}

/* ---- hinged beam under a torque ---- */

/* Angular momentum about the hinge from the motion of the nodes, by Simpson's rule along the beam,
 * and the rotary inertia of the sections. */
static double angular_momentum(const table *r, int row)
{
    const double L = 141.42, rho = 7.8e-3, A = 9, I = 6.75;
    double sum = 0;
    for (int k = 0; k <= 8; k++) {
        char name[4][16];
        static const char *const kind[] = {"px(%d)", "py(%d)", "vx(%d)", "vy(%d)"};
        double value[4];
        for (int i = 0; i < 4; i++) {
            snprintf(name[i], sizeof name[i], kind[i], k);
            value[i] = table_get(r, row, name[i]);
        }
        snprintf(name[0], sizeof name[0], "w(%d)", k);
        double density = rho * A * (value[0] * value[3] - value[1] * value[2]) +
                         rho * I * table_get(r, row, name[0]);
        sum += (k == 0 || k == 8 ? 1 : k % 2 ? 4 : 2) * density;
    }
    return sum * L / 24;
}

static void hinged_beam(void **state)
{
    double low, high, mean = 0;
    int from = 0;
    (void)state;
    table r = run_model(&(run_how){
        .model = "hinged_beam",
        .swap = {{"  rate: rate(hinge)\n",
                  "  rate: rate(hinge)\n  px(k=0..n): pos(beam.node(k)).x\n"
                  "  py(k=0..n): pos(beam.node(k)).y\n  vx(k=0..n): vel(beam.node(k)).x\n"
                  "  vy(k=0..n): vel(beam.node(k)).y\n  w(k=0..n): omega(beam.node(k)).z\n"}}});
    assert_near(table_at(&r, "theta", 5), 1.5602, 1e-3);
    assert_near(table_at(&r, "theta", 10), 6.798, 1e-3);
    assert_near(table_at(&r, "theta", 20), 20.3943, 1e-3);
    range(&r, "deflection", 0, &low, &high);
    assert_near(low, -4.206, 4e-3);
    assert_near(table_at(&r, "deflection", 2.8), low, 1e-3);
    range(&r, "rate", 10, &low, &high);
    assert_between(low, 1.3385 - 0.006, 1.3385 + 0.006);
    assert_between(high, 1.381 - 0.006, 1.381 + 0.006);
    /* Simpson's rule on a shape that rings by 0.1 % of the length */
    for (int i = 0; i < r.rows; i++)
        if (r.data[i * r.cols] > 10 + 1e-9) {
            assert_near(angular_momentum(&r, i), 9e4, 9e4 * 5e-5);
            mean += table_get(&r, i, "rate");
            from++;
        }
    assert_near(mean / from, 1.3596, 3e-3);
    table_free(&r);
}

/* ---- slider-crank ---- */

static const double crank_t[] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0};
static const double crank_mm[] = {-1.534, -2.821, -2.980, -3.309, -3.402,
                                  -1.214, -1.265, -0.002, -1.174, -0.775};

/* Worst error of the deflection of the rod against the references, in mm. */
static double slider_crank_error(const char *n1, const char *n2, const char *analysis)
{
    static const double t[] = {0.1, 0.3, 0.5, 0.8, 1.0};
    static const double slider[] = {1.492277, 1.197856, 0.702255, 0.500001, 0.530358};
    table r = run_model(
        &(run_how){.model = "slider_crank_flexible", .set = {n1, n2}, .analysis = analysis});
    double error = worst(&r, "deflection", crank_t, crank_mm, COUNT(crank_t), 1e3);
    assert_under(worst(&r, "slider", t, slider, COUNT(t), 1), 2e-5);
    /* falling by half a metre exchanges some 30 J */
    assert_under(table_drift(&r, "energy"), 30e-6);
    table_free(&r);
    return error;
}

static void slider_crank(void **state)
{
    (void)state;
    /* 0.3 % of the largest deflection; the reference itself is good to 0.006 mm (models/) */
    assert_under(slider_crank_error("n1=4", "n2=8", NULL), 0.0102);
    assert_under(slider_crank_error("n1=8", "n2=16", NULL), 0.0075);
}

/* Default settings against fine steps, and meshes against each other. */
static void slider_crank_converges(void **state)
{
    static const char *const mesh[][2] = {{"n1=2", "n2=4"}, {"n1=4", "n2=8"}, {"n1=8", "n2=16"}};
    table r[3], fine;
    (void)state;
    for (int k = 0; k < 3; k++)
        r[k] = run_model(
            &(run_how){.model = "slider_crank_flexible",
                       .set = {mesh[k][0], mesh[k][1]},
                       .analysis = "{type: dynamics, until: 0.6, output_step: 0.02, step: 1e-4}"});
    fine = run_model(
        &(run_how){.model = "slider_crank_flexible",
                   .analysis = "{type: dynamics, until: 0.6, output_step: 0.02, tolerance: 1e-5}"});
    table usual =
        run_model(&(run_how){.model = "slider_crank_flexible",
                             .analysis = "{type: dynamics, until: 0.6, output_step: 0.02}"});
    assert_under(table_distance(&usual, &fine, "slider"), 5e-6);
    assert_under(table_distance(&usual, &fine, "deflection"), 3.4e-6); /* 0.1 % of the largest */
    double coarse = table_distance(&r[0], &r[1], "slider");
    assert_under(table_distance(&r[1], &r[2], "slider"), coarse / 2);
    for (int k = 0; k < 3; k++) table_free(&r[k]);
    table_free(&fine);
    table_free(&usual);
}

/* ---- two links in space ---- */

static void two_link_arm(void **state)
{
    double low, high;
    (void)state;
    table r = run_model(&(run_how){.model = "two_link_arm"});
    range(&r, "energy", 1.5, &low, &high);
    assert_under(high - low, 1e-5 * 394); /* of the largest energy on the way */
    assert_near(table_last(&r, "tip_z"), 3.82629, 1e-3);
    table fine = run_model(
        &(run_how){.model = "two_link_arm",
                   .analysis = "{type: dynamics, until: 3, output_step: 0.01, step: 1e-4}"});
    static const char *const column[] = {"elbow_x", "elbow_y", "elbow_z",
                                         "tip_x",   "tip_y",   "tip_z"};
    for (int i = 0; i < COUNT(column); i++)
        assert_under(table_distance(&r, &fine, column[i]), 2e-4); /* of 10 m */
    table_free(&r);
    table_free(&fine);
}

/* Without the displacement of the base the arm stays in its plane, and the elbow might as well be a
 * revolute joint. */
static void two_link_arm_in_the_plane(void **state)
{
    static const char *const column[] = {"elbow_x", "elbow_y", "tip_x", "tip_y", "energy"};
    run_how how = {.model = "two_link_arm",
                   .set = {"rise=0"},
                   .analysis = "{type: dynamics, until: 2, output_step: 0.01, step: 1e-3}"};
    (void)state;
    table r = run_model(&how);
    how.swap[0][0] = "elbow: {type: spherical, between: [inner.end, outer.start]}";
    how.swap[0][1] = "elbow: {type: revolute, between: [inner.end, outer.start], axis: z}";
    table plane = run_model(&how);
    assert_under(table_drift(&r, "tip_z"), 1e-9);
    assert_under(table_drift(&r, "bend_z"), 1e-9);
    for (int i = 0; i < COUNT(column); i++)
        assert_under(table_distance(&r, &plane, column[i]), 1e-7);
    table_free(&r);
    table_free(&plane);
}

/* ---- one link of the chain ---- */

/* The same link as 20 rigid rods with hinge springs EI/h: inextensible, otherwise the same beam. */
static const char rods[] =
    "limber: 1\n"
    "parameters: {N: 20, h: 1/N, E: 7e9, rho: 2700, A: 4e-4, Iz: 0.02^4/12, m: rho*A*h,\n"
    "  J: m*h^2/12 + rho*Iz*h, Je: m/2*(h/2)^2/12 + rho*Iz*h/2, c: E*Iz/h}\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  first: {type: rigid, mass: m/2, inertia: [0, Je, Je], com: [h/4, 0, 0],\n"
    "    frames: {end: [h/2, 0, 0]}}\n"
    "  rod(k=1..N-1): {type: rigid, mass: m, inertia: [0, J, J], position: [(k - 0.5)*h, 0, 0],\n"
    "    com: [h/2, 0, 0], frames: {end: [h, 0, 0]}}\n"
    "  last: {type: rigid, mass: m/2, inertia: [0, Je, Je], position: [1 - h/2, 0, 0],\n"
    "    com: [h/4, 0, 0], frames: {end: [h/2, 0, 0]}}\n"
    "joints:\n"
    "  pin: {type: revolute, between: [ground, first], axis: z}\n"
    "  s(0): {type: revolute, between: [first.end, rod(1)], axis: z, stiffness: c}\n"
    "  s(k=1..N-2): {type: revolute, between: [rod(k).end, rod(k+1)], axis: z, stiffness: c}\n"
    "  s(N): {type: revolute, between: [rod(N-1).end, last], axis: z, stiffness: c}\n"
    "analysis: {type: dynamics, until: 1, output_step: 0.25, step: 1e-4}\n"
    "outputs: {x: pos(last.end).x, y: pos(last.end).y}\n";

static void one_link(void **state)
{
    static const double tip[][2] = {
        {.897733, -.440545}, {-.089757, -.995969}, {-.941503, -.337009}, {-.999970, -.007551}};
    (void)state;
    table r = run_model(&(run_how){.model = "flexible_chain",
                                   .set = {"N=1", "n=8", "E=7e9", "rho=2700"},
                                   .analysis = "{type: dynamics, until: 1, output_step: 0.25}"});
    table twin = run_model(&(run_how){.text = rods});
    assert_under(table_distance(&r, &twin, "x"), 2e-5); /* stretch and mesh of the rods */
    assert_under(table_distance(&r, &twin, "y"), 2e-5);
    for (int i = 0; i < 4; i++) {
        assert_near(table_get(&r, i + 1, "x"), tip[i][0], 6e-5);
        assert_near(table_get(&r, i + 1, "y"), tip[i][1], 6e-5);
    }
    table_free(&r);
    table_free(&twin);
}

/* ---- spin-up ---- */

static const double spin_t[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
static const double spin_u1[] = {-0.000024, -0.000606, -0.002728, -0.006766, -0.012655,
                                 -0.016972, -0.018620, -0.016632, -0.011748, -0.007074};
static const double spin_u2[] = {-0.020543, -0.102380, -0.217267, -0.342279, -0.468479,
                                 -0.543606, -0.571334, -0.542876, -0.460316, -0.362864};
static const double spin_rot[] = {-0.002793, -0.013959, -0.029624, -0.046636, -0.063717,
                                  -0.073601, -0.076783, -0.072240, -0.060566, -0.047243};

static void spin_up(void **state)
{
    (void)state;
    table r = run_model(
        &(run_how){.model = "spin_up",
                   .set = {"n=32"},
                   .analysis = "{type: dynamics, until: 10, output_step: 0.5, step: 2.5e-3}"});
    /* a thousandth of the largest value */
    assert_under(worst(&r, "u2", spin_t, spin_u2, COUNT(spin_t), 1), 5.7e-4);
    assert_under(worst(&r, "u1", spin_t, spin_u1, COUNT(spin_t), 1), 1.9e-5 * 2);
    assert_under(worst(&r, "rot", spin_t, spin_rot, COUNT(spin_t), 1), 7.7e-5);
    table_free(&r);
}

/* The steady motion after 15 s; its elastic energy is that of the tension rhoA omega^2 (L^2 - x^2)/2,
 * (rhoA omega^2)^2 L^5/(15 EA) = 0.44434, and a little bending that rings on. */
static void spin_up_steady(void **state)
{
    double low, high, stretch = 0;
    int rows = 0;
    (void)state;
    table r = run_model(
        &(run_how){.model = "spin_up",
                   .analysis = "{type: dynamics, until: 20, output_step: 0.05, step: 5e-3}"});
    for (int i = 0; i < r.rows; i++)
        if (r.data[i * r.cols] > 16) stretch += table_get(&r, i, "u1"), rows++;
    assert_near(stretch / rows, 5.1432e-4, 0.005 * 5.1432e-4);
    range(&r, "elastic", 16, &low, &high);
    assert_near(low, 0.44434, 0.005 * 0.44434);
    assert_near(high, 0.44434, 0.005 * 0.44434);
    table_free(&r);
}

static void spin_up_default(void **state)
{
    (void)state;
    table r = run_model(&(run_how){.model = "spin_up", .until = 6});
    table fine = run_model(
        &(run_how){.model = "spin_up",
                   .analysis = "{type: dynamics, until: 6, output_step: 0.05, step: 5e-4}"});
    assert_under(table_distance(&r, &fine, "u1"), 1.7e-5);
    assert_under(table_distance(&r, &fine, "u2"), 2.7e-4); /* half a unit of the third digit */
    table_free(&r);
    table_free(&fine);
}

/* ---- four-bar linkage with a misaligned joint ---- */

static table four_bar(const char *n, const char *speed, const char *analysis)
{
    return run_model(
        &(run_how){.model = "four_bar_misaligned", .set = {n, speed}, .analysis = analysis});
}

/* The steel damps the vibrations of the sudden start and of the snap at the change points (the crank
 * along x, at 2.62 s and 7.85 s); what remains is the motion of a linkage that is turned ten times
 * more slowly, at the same angles of the crank, and depends little on the mesh. */
static void misaligned(void **state)
{
    static const char *const column[] = {"rocker", "B.x", "B.y", "B.z", "C.x", "C.y", "C.z"};
    static const double size[] = {1.5, 0.12, 0.12, 8.5e-4, 0.36, 0.12, 4.3e-3};
    table r = four_bar("n=4", "speed=-0.6", "{type: dynamics, until: 12, output_step: 0.5}");
    table slow = four_bar("n=4", "speed=-0.06", "{type: dynamics, until: 120, output_step: 5}");
    table mesh = four_bar("n=8", "speed=-0.6", "{type: dynamics, until: 12, output_step: 0.5}");
    (void)state;
    for (int i = 0; i < COUNT(column); i++)
        for (int k = 2; k < r.rows; k++) {
            double value = table_get(&r, k, column[i]);
            if (k == 6 || k == 7) continue; /* just after the first snap */
            assert_near(table_get(&slow, k, column[i]), value, 4e-3 * size[i]);
            assert_near(table_get(&mesh, k, column[i]), value, 1e-3 * size[i]);
        }
    assert_near(table_at(&r, "rocker", 2), -1.2027, 1e-3); /* nearly a parallelogram */
    assert_near(table_at(&r, "rocker", 5), 0.8370, 1e-3);  /* crossed */
    assert_near(table_at(&r, "C.z", 2), -3.8505e-3, 1e-5);
    assert_under(r.sum.energy_error, 1e-4);
    assert_under(slow.sum.energy_error, 1e-4);
    table_free(&r);
    table_free(&slow);
    table_free(&mesh);
}

/* Aligned, the same linkage is a parallelogram: the rocker follows, but for the vibrations of the
 * sudden start (0.6 rad/s at some 8000 rad/s), and nothing leaves the plane. */
static void aligned(void **state)
{
    (void)state;
    table r = run_model(&(run_how){.model = "four_bar_misaligned",
                                   .set = {"off=0"},
                                   .analysis = "{type: dynamics, until: 2, output_step: 0.1}"});
    for (int i = 0; i < r.rows; i++) {
        assert_near(table_get(&r, i, "rocker"), table_get(&r, i, "crank"), 1e-4);
        assert_near(table_get(&r, i, "C.z"), 0, 1e-12);
    }
    assert_under(table_drift(&r, "elastic"), 2e-3);
    table_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pendulum),       cmocka_unit_test(hinged_beam),
        cmocka_unit_test(slider_crank),   cmocka_unit_test(slider_crank_converges),
        cmocka_unit_test(two_link_arm),   cmocka_unit_test(two_link_arm_in_the_plane),
        cmocka_unit_test(one_link),       cmocka_unit_test(spin_up),
        cmocka_unit_test(spin_up_steady), cmocka_unit_test(spin_up_default),
        cmocka_unit_test(misaligned),     cmocka_unit_test(aligned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
