/* Linearised models: closed forms, statics and modes, differences of the nonlinear model, moving
 * states, and formulations among each other. */
#include "support/linear.h"

static const char *const forms[] = {"corotational", "minimal", "rfe", "ffr"};
enum { NFORMS = 4 };

static double a_of(const linear *s, int r, int c) { return entry(s->l.A, 2 * s->l.n, r, c); }
static double b_of(const linear *s, int r, int c) { return entry(s->l.B, 2 * s->l.n, r, c); }
static double c_of(const linear *s, int r, int c) { return entry(s->l.C, s->l.ny, r, c); }
static double d_of(const linear *s, int r, int c) { return entry(s->l.D1, s->l.ny, r, c); }

/* ---- closed forms ---- */

static const char mass_on_spring[] =
    "limber: 1\n"
    "bodies: {m: {type: rigid, mass: 2, inertia: [1, 1, 1]}}\n"
    "joints: {slide: {type: prismatic, between: [ground, m], axis: x, stiffness: 50, damping: 1.2, "
    "effort: 0}}\n"
    "loads: {f: {on: m, force: [0, 0, 0]}}\n"
    "outputs: {x: pos(m).x, v: vel(m).x, a: acc(m).x, rx: force(slide).x, ry: force(slide).y, "
    "sum: acc(m).x + 3*vel(m).x}\n";

static void mass_spring_damper(void **state)
{
    (void)state;
    for (int k = 0; k < NFORMS; k++) {
        linear *s = linear_of(NULL, mass_on_spring, forms[k], 0);
        int f = linear_input(s, "f.force.x"), fy = linear_input(s, "f.force.y");
        int e = linear_input(s, "slide.effort");
        assert_int_equal(s->l.n, 1);
        assert_int_equal(s->l.nu, 4);
        assert_near(a_of(s, 0, 0), 0, 0);
        assert_near(a_of(s, 0, 1), 1, 0);
        assert_near(a_of(s, 1, 0), -25, 1e-13);
        assert_near(a_of(s, 1, 1), -0.6, 1e-15);
        assert_near(b_of(s, 1, f), 0.5, 1e-15);
        assert_near(b_of(s, 1, e), 0.5, 1e-15);
        assert_near(b_of(s, 1, fy), 0, 1e-15);
        assert_near(s->l.M[0], 2, 1e-15);
        assert_near(s->l.D[0], 1.2, 1e-15);
        assert_near(s->l.K[0], 50, 1e-13);
        assert_near(entry(s->l.B2, 1, 0, f), 1, 1e-15);
        int sum = linear_output(s, "sum"), rx = linear_output(s, "rx");
        assert_near(c_of(s, linear_output(s, "x"), 0), 1, 1e-12);
        assert_near(c_of(s, linear_output(s, "v"), 1), 1, 1e-12);
        assert_near(c_of(s, linear_output(s, "a"), 0), -25, 1e-11);
        assert_near(d_of(s, linear_output(s, "a"), f), 0.5, 1e-12);
        assert_near(c_of(s, sum, 1), -0.6 + 3, 1e-12);
        assert_near(c_of(s, rx, 0), -50, 1e-11); /* what the joint exerts, its spring included */
        assert_near(d_of(s, rx, e), 1, 1e-12);
        assert_near(d_of(s, rx, f), 0, 1e-12);
        assert_near(d_of(s, linear_output(s, "ry"), fy), -1, 1e-12); /* the guide holds it */
        linear_done(s);
    }
}

static void transfer_function(void **state)
{
    (void)state;
    linear *s = linear_of(NULL, mass_on_spring, "corotational", 0);
    int f = linear_input(s, "f.force.x"), ny = s->l.ny;
    double re[40], im[40];
    for (double hz = 0; hz < 3; hz += 0.37) {
        double w = 2 * PI * hz, p = 50 - 2 * w * w, q = 1.2 * w, size = p * p + q * q;
        assert_int_equal(lm_linearized_transfer(&s->l, hz, re, im), 0);
        int x = ny * f + linear_output(s, "x"), a = ny * f + linear_output(s, "a");
        assert_near(re[x], p / size, 1e-12);
        assert_near(im[x], -q / size, 1e-12);
        assert_near(re[a], -w * w * p / size, 1e-11);
        assert_near(im[a], w * w * q / size, 1e-11);
    }
    assert_int_equal(s->l.npoles, 1);
    assert_near(s->l.pole[0].re, -0.3, 1e-13);
    assert_near(s->l.pole[0].im, sqrt(25 - 0.09), 1e-13);
    linear_done(s);
}

/* A rod of mass 3 whose centre is 0.8 off the pivot, by `sign` above or below it. */
static void pendulum(const char *formulation, double sign)
{
    char text[900];
    snprintf(text, sizeof text,
             "limber: 1\n"
             "gravity: [0, -9.81, 0]\n"
             "bodies: {rod: {type: rigid, mass: 3, inertia: [0.1, 0.1, 0.25], position: [0, %g, "
             "0]}}\n"
             "joints: {pivot: {type: revolute, between: [ground, rod], axis: z, at: [0, 0, 0], "
             "effort: 0}}\n"
             "outputs: {x: pos(rod).x, angle: joint(pivot), fx: force(pivot).x, fy: "
             "force(pivot).y}\n",
             0.8 * sign);
    linear *s = linear_of(NULL, text, formulation, 0);
    double J = 0.25 + 3 * 0.64, g = 9.81, square = 3 * g * 0.8 / J;
    int e = linear_input(s, "pivot.effort"), angle = linear_output(s, "angle");
    double turn = c_of(s, angle, 0); /* of the state, whichever it is: an angle or a length */
    assert_int_equal(s->l.n, 1);
    assert_near(a_of(s, 1, 0), sign * square, 1e-12);
    assert_near(turn * b_of(s, 1, e), 1 / J, 1e-13);
    assert_near(c_of(s, linear_output(s, "x"), 0), -sign * 0.8 * turn, 1e-11);
    /* the reaction makes the mass centre's acceleration, and carries the weight */
    assert_near(c_of(s, linear_output(s, "fx"), 0), -3 * 0.8 * square * turn, 1e-9);
    assert_near(d_of(s, linear_output(s, "fx"), e), -sign * 3 * 0.8 / J, 1e-12);
    assert_near(c_of(s, linear_output(s, "fy"), 0), 0, 1e-9);
    assert_int_equal(s->l.npoles, sign > 0 ? 2 : 1);
    for (int i = 0; i < s->l.npoles; i++) {
        const lm_pole *p = &s->l.pole[i];
        assert_near(sign > 0 ? fabs(p->re) : p->im, sqrt(square), 1e-12);
        assert_near(sign > 0 ? p->im : p->re, 0, 0);
    }
    linear_done(s);
}

static void hanging_and_upright(void **state)
{
    (void)state;
    for (int k = 0; k < NFORMS; k++) {
        pendulum(forms[k], -1);
        pendulum(forms[k], 1);
    }
}

/* ---- statics and modes ---- */

static const char cantilever[] =
    "limber: 1\n"
    "materials: {m: {E: 2e9, nu: 0.3, rho: 1000, damping: {mass: 0.3, stiffness: 1e-4}}}\n"
    "sections: {s: {material: m, shape: rectangle, height: 0.02, width: 0.03}}\n"
    "bodies: {beam: {type: beam, section: s, from: [0, 0, 0], to: [1, 0, 0], elements: 5}}\n"
    "joints: {wall: {type: fixed, between: [ground, beam.start]}}\n"
    "loads: {tip: {on: beam.end, force: [0, \"1e-4\", 0]}}\n"
    "outputs: {y: pos(beam.end).y, reaction: force(wall).y, moment: moment(wall).z}\n"
    "analysis: {type: statics, tolerance: 1e-12}\n";

static void beam_with_tip_force(void **state)
{
    (void)state;
    for (int k = 0; k < NFORMS; k++) {
        double re[9], im[9], scale = 1e-4;
        linear *s = linear_of(NULL, cantilever, forms[k], 0);
        int f = linear_input(s, "tip.force.y"), ny = s->l.ny;
        assert_int_equal(lm_linearized_transfer(&s->l, 0, re, im), 0);
        table r = run_model(&(run_how){.text = cantilever, .formulation = forms[k]});
        assert_near(re[ny * f + linear_output(s, "y")] * scale / table_last(&r, "y"), 1, 1e-8);
        assert_near(re[ny * f + linear_output(s, "reaction")], -1, 1e-8);
        assert_near(re[ny * f + linear_output(s, "moment")], -1, 1e-8);
        table_free(&r);
        r = run_model(&(run_how){
            .text = cantilever, .formulation = forms[k], .analysis = "{type: modes, count: 12}"});
        for (int i = 0; i < 12; i++) {
            const lm_pole *p = &s->l.pole[i];
            double size = hypot(p->re, p->im), omega = table_get(&r, i, "omega");
            assert_near(size / omega, 1, 1e-8);
            assert_near(-p->re / size, table_get(&r, i, "damping_ratio"), 1e-8);
        }
        table_free(&r);
        linear_done(s);
    }
}

/* A cantilever in space with EA L^2/EI = 1e8: the force through a section is that of the end, its part along
 * the beam has nothing of the rotations. To the rounding of positions, 1e-16, over the stretches. */
static void slender_section(void **state)
{
    (void)state;
    static const char text[] =
        "limber: 1\n"
        "materials: {m: {E: 2.1e11, nu: 0.3, rho: 7800}}\n"
        "sections: {s: {material: m, shape: rectangle, height: 3.464e-4, width: 5e-4}}\n"
        "bodies: {beam: {type: beam, section: s, from: [0, 0, 0], to: [0.36, 0.48, 0.8], "
        "elements: 4}}\n"
        "joints: {wall: {type: fixed, between: [ground, beam.start]}}\n"
        "loads: {tip: {on: beam.end, force: [0, 0, 0]}}\n"
        "outputs: {N: \"section(beam, 0.4).N\", Vy: \"section(beam, 0.4).Vy\", Vz: "
        "\"section(beam, 0.4).Vz\"}\n";
    static const double axis[3] = {0.36, 0.48, 0.8};
    static const char *const names[3] = {"tip.force.x", "tip.force.y", "tip.force.z"};
    for (int k = 0; k < NFORMS; k++) {
        linear *s = linear_of(NULL, text, forms[k], 1);
        double re[64], im[64];
        int ny = s->l.ny;
        assert_int_equal(lm_linearized_transfer(&s->l, 0, re, im), 0);
        for (int i = 0; i < 3; i++) {
            const double *gain = re + ny * linear_input(s, names[i]);
            double N = gain[linear_output(s, "N")], Vy = gain[linear_output(s, "Vy")];
            double Vz = gain[linear_output(s, "Vz")];
            assert_near(N, axis[i], 1e-8);
            assert_near(N * N + Vy * Vy + Vz * Vz, 1, 1e-7); /* of the solution A^-1 B */
        }
        linear_done(s);
    }
}

/* ---- moving states ---- */

/* Isotropic springs in a frame that turns at W: whirling at omega0 - W and omega0 + W. */
static void steady_rotation(void **state)
{
    (void)state;
    static const char text[] =
        "limber: 1\n"
        "bodies: {disk: {type: rigid, mass: 1, inertia: [1, 1, 1]}, m: {type: rigid, mass: 1, "
        "inertia: [1, 1, 1]}}\n"
        "joints:\n"
        "  spin: {type: revolute, between: [ground, disk], axis: z, drive: 3*t}\n"
        "  plane: {type: planar, between: [disk, m], axis: z, drive: {angle: 0}, stiffness: {x: "
        "100, y: 100}}\n"
        "outputs: {x: \"pos(m, disk).x\", u: \"vel(m, disk).x\"}\n";
    for (int k = 0; k < NFORMS; k++) {
        linear *s = linear_of(NULL, text, forms[k], 0);
        assert_int_equal(s->l.npoles, 2);
        assert_near(s->l.pole[0].im, 7, 1e-11);
        assert_near(s->l.pole[1].im, 13, 1e-11);
        assert_near(s->l.pole[0].re, 0, 1e-11);
        linear_done(s);
        s = linear_of(NULL, text, forms[k], 1); /* the drive held */
        assert_near(s->l.pole[0].im, 10, 1e-12);
        assert_near(s->l.pole[1].im, 10, 1e-12);
        linear_done(s);
    }
}

/* A mass in a radial slot of the rotor, where its spring holds it: k/m - W^2, and the slot's force by
 * Coriolis' 2 m W. */
static void slider_on_a_rotor(void **state)
{
    (void)state;
    static const char text[] =
        "limber: 1\n"
        "bodies: {disk: {type: rigid, mass: 1, inertia: [1, 1, 1]}, m: {type: rigid, mass: 2, "
        "inertia: [1, 1, 1], position: [1, 0, 0]}}\n"
        "joints:\n"
        "  spin: {type: revolute, between: [ground, disk], axis: z, drive: 3*t}\n"
        "  slot: {type: prismatic, between: [disk, m], axis: x, stiffness: 200, effort: 0}\n"
        "initial: {slot: {displacement: 9/91}}\n"
        "outputs: {d: joint(slot), rate: rate(slot), side: force(slot).y}\n";
    for (int k = 0; k < NFORMS; k++) {
        linear *s = linear_of(NULL, text, forms[k], 0);
        assert_int_equal(s->l.npoles, 1);
        assert_near(s->l.pole[0].im, sqrt(91), 1e-11);
        assert_near(s->l.pole[0].re, 0, 1e-11);
        assert_near(a_of(s, 1, 0), -91, 1e-10);
        assert_near(c_of(s, linear_output(s, "rate"), 1), 1, 1e-10);
        assert_near(c_of(s, linear_output(s, "rate"), 0), 0, 1e-10);
        assert_near(c_of(s, linear_output(s, "side"), 1), 2 * 2 * 3, 1e-9);
        linear_done(s);
    }
}

/* A body that spins freely about a principal axis, in axes that turn with it: nutation at
 * W sqrt((C - A)(C - B)/(A B)), tilts of the axis, which stand still in space, at W, and its own
 * turning at 0. */
static void spinning_body(void **state)
{
    (void)state;
    static const char text[] = "limber: 1\n"
                               "bodies: {top: {type: rigid, mass: 1, inertia: [2, 3, 4.5]}}\n"
                               "joints: {ball: {type: spherical, between: [ground, top]}}\n"
                               "initial: {velocity: {top: {angular: [0, 0, 5]}}}\n";
    static const char *const nodal[] = {"corotational", "ffr"};
    double nutation = 5 * sqrt(2.5 * 1.5 / (2 * 3));
    for (int k = 0; k < 2; k++) {
        linear *s = linear_of(NULL, text, nodal[k], 0);
        assert_int_equal(s->l.npoles, 4);
        for (int i = 0; i < 2; i++) assert_near(hypot(s->l.pole[i].re, s->l.pole[i].im), 0, 1e-6);
        assert_near(s->l.pole[2].im, nutation, 1e-10);
        assert_near(s->l.pole[3].im, 5, 1e-10);
        for (int i = 2; i < 4; i++) assert_near(s->l.pole[i].re, 0, 1e-10);
        linear_done(s);
    }
}

#define DOUBLE_PENDULUM                                                                            \
    "limber: 1\n"                                                                                  \
    "gravity: [0, -9.81, 0]\n"                                                                     \
    "bodies:\n"                                                                                    \
    "  a: {type: rigid, mass: 2, inertia: [0.1, 0.1, 0.2], position: [0, -0.5, 0], frames: {top: " \
    "[0, 0.5, 0], end: [0, -0.5, 0]}}\n"                                                           \
    "  b: {type: rigid, mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, -1.4, 0], frames: {top: " \
    "[0, 0.4, 0]}}\n"                                                                              \
    "joints:\n"                                                                                    \
    "  p: {type: revolute, between: [ground, a.top], axis: z, effort: 0, damping: 0.05}\n"         \
    "  r: {type: revolute, between: [a.end, b.top], axis: z, effort: 0}\n"                         \
    "outputs: {x: pos(b).x, fx: force(p).x, fy: force(p).y, al: alpha(b).z, jr: joint(r), "        \
    "w: omega(b).z}\n"

/* The poles and the static gains do not depend on the coordinates, those of a moving state only as
 * far as they are chosen: here the two angles in all of them. */
static void formulations_agree(void **state)
{
    (void)state;
    static const char *const text[] = {
        DOUBLE_PENDULUM,
        DOUBLE_PENDULUM "initial: {p: {angle: 0.4, rate: 2}, r: {angle: -0.7, rate: 1.1}}\n"};
    for (int moving = 0; moving < 2; moving++) {
        linear *first = linear_of(NULL, text[moving], forms[0], 0);
        assert_int_equal(first->l.npoles, 2);
        for (int k = 1; k < NFORMS; k++) {
            linear *s = linear_of(NULL, text[moving], forms[k], 0);
            assert_int_equal(s->l.npoles, 2);
            for (int i = 0; i < 2; i++) {
                assert_near(s->l.pole[i].re, first->l.pole[i].re, 1e-9);
                assert_near(s->l.pole[i].im, first->l.pole[i].im, 1e-9);
            }
            double re[2][20], im[2][20];
            lm_linearized_transfer(&s->l, 0.5, re[0], im[0]);
            lm_linearized_transfer(&first->l, 0.5, re[1], im[1]);
            for (int i = 0; i < s->l.ny * s->l.nu; i++) {
                assert_near(re[0][i], re[1][i], 1e-9);
                assert_near(im[0][i], im[1][i], 1e-9);
            }
            linear_done(s);
        }
        linear_done(first);
    }
}

/* ---- vectors ---- */

/* Largest entry of A v - s v (or of A^T v - s v) over |s| and the largest entry of v; complex. */
static double vector_error(const lm_linearized *l, int k, double *const v[2], int left)
{
    int two = 2 * l->n;
    const double *re = v[0] + (size_t)two * (size_t)k, *im = v[1] + (size_t)two * (size_t)k;
    double most = 0, size = 0;
    for (int i = 0; i < two; i++) {
        double r = 0, m = 0;
        for (int j = 0; j < two; j++) {
            double a = left ? entry(l->A, two, j, i) : entry(l->A, two, i, j);
            r += a * re[j], m += a * im[j];
            size = fmax(size, fabs(a) * hypot(re[j], im[j])); /* terms that cancel */
        }
        r -= l->pole[k].re * re[i] - l->pole[k].im * im[i];
        m -= l->pole[k].re * im[i] + l->pole[k].im * re[i];
        most = fmax(most, hypot(r, m));
    }
    return most / size;
}

/* z_i^T x_k = 1 or 0. */
static double product_error(const lm_linearized *l, int i, int k)
{
    int two = 2 * l->n;
    const double *zr = l->left[0] + two * i, *zi = l->left[1] + two * i;
    const double *xr = l->right[0] + two * k, *xi = l->right[1] + two * k;
    double re = i == k ? -1 : 0, im = 0;
    for (int j = 0; j < two; j++) {
        re += zr[j] * xr[j] - zi[j] * xi[j];
        im += zr[j] * xi[j] + zi[j] * xr[j];
    }
    return hypot(re, im);
}

static void vectors(void **state)
{
    static const char *const models[] = {"spin_up", "heavy_top", "gantry_crane"};
    (void)state;
    for (int i = 0; i < 3; i++) {
        linear *s = linear_of(models[i], NULL, "corotational", 0);
        const lm_linearized *l = &s->l;
        if (l->nvectors == 0) /* a free motion */
            assert_true(l->pole[0].re == 0 && l->pole[0].im == 0);
        for (int k = 0; k < l->nvectors; k++) {
            assert_under(vector_error(l, k, l->right, 0), 1e-9);
            assert_under(vector_error(l, k, l->left, 1), 1e-9);
            for (int j = 0; j < l->nvectors; j++) assert_under(product_error(l, j, k), 1e-7);
        }
        linear_done(s);
    }
}

/* ---- differences ---- */

static void check(const char *model, const char *text, const char *formulation, double h)
{
    linear *s = linear_of(model, text, formulation, 0);
    linear_errors e = linear_check(s, h);
    if (e.da > 1e-6 || e.dlam > 1e-6 || e.outputs > 1e-6)
        fail_msg("%s, %s: accelerations %.1e, reactions %.1e, outputs %.1e", model, formulation,
                 e.da, e.dlam, e.outputs);
    linear_done(s);
}

/* Rigid and flexible, open and closed, resting and moving. */
static void differences(void **state)
{
    (void)state;
    static const char *const models[] = {"a04_bricard",  "a05_governor", "robot_arm",
                                         "gantry_crane", "heavy_top",    "slider_crank_flexible",
                                         "spin_up"};
    for (int k = 0; k < NFORMS; k++)
        for (size_t i = 0; i < sizeof models / sizeof models[0]; i++)
            check(models[i], NULL, forms[k], 1e-5);
    check("slider_crank_minimal", NULL, "minimal", 1e-5);
    check("a02_four_bars", NULL, "corotational", 1e-5);
}

/* A beam that turns on a moving arm, and efforts that read sensors of motion and of force. */
static void differences_of_a_machine(void **state)
{
    (void)state;
    static const char text[] =
        "limber: 1\n"
        "gravity: [0.3, -9.81, 1]\n"
        "materials: {m: {E: 2e8, nu: 0.3, rho: 1000, damping: {mass: 0.3, stiffness: 1e-3}}}\n"
        "sections: {s: {material: m, shape: rectangle, height: 0.04, width: 0.03}}\n"
        "bodies:\n"
        "  arm: {type: rigid, mass: 2, inertia: [0.1, 0.2, 0.3], com: [0.2, 0.1, 0], frames: "
        "{end: [0.6, 0, 0]}}\n"
        "  rod: {type: beam, section: s, from: [0.6, 0, 0], to: [1.4, 0, 0], elements: 3}\n"
        "joints:\n"
        "  base: {type: universal, between: [ground, arm], axes: [[0, 1, 0], [0, 0, 1]], damping: "
        "{angle1: 0.4, angle2: 0.1}, effort: {angle1: \"-3*joint(base).angle1\", angle2: "
        "\"0.2*sin(omega(arm).z)\"}}\n"
        "  elbow: {type: revolute, between: [arm.end, rod.start], axis: [0.2, 0, 1], effort: "
        "\"0.01*force(base).x - 5*joint(elbow)\"}\n"
        "loads:\n"
        "  push: {on: rod.end, force: [1, \"0.5*norm(vel(arm.end))\", 0], torque: [0, 0.1, 0], "
        "axes: "
        "local}\n"
        "initial: {base: {angle1: 0.3, angle2: -0.4, rate: {angle1: 2, angle2: 1}}, elbow: {angle: "
        "0.5, rate: -3}}\n"
        "outputs: {tip: pos(rod.end), a: acc(rod.end), m: moment(elbow), s: \"section(rod, "
        "0.3).Mz\", e: energy.total, p: power.external, d: \"deflection(rod, 0.5).y\"}\n";
    check(NULL, text, forms[0], 1e-5); /* joint coordinates have no reactions to read */
    char *other = strdup(text), *force = strstr(other, "0.01*force(base).x");
    memcpy(force, "                  ", 18);
    for (int k = 1; k < NFORMS; k++) check(NULL, other, forms[k], 1e-5);
    free(other);
}

/* ---- against runs ---- */

/* x(T) = exp(A T) x(0) by a Taylor series in steps. */
static void propagate(const linear *s, double T, double *x)
{
    int n = 2 * s->l.n, steps = 2000, terms = 8;
    double h = T / steps;
    for (int k = 0; k < steps; k++) {
        double term[8], next[8];
        memcpy(term, x, sizeof(double) * (size_t)n);
        for (int j = 1; j <= terms; j++) {
            for (int r = 0; r < n; r++) {
                next[r] = 0;
                for (int c = 0; c < n; c++) next[r] += h / j * a_of(s, r, c) * term[c];
            }
            memcpy(term, next, sizeof(double) * (size_t)n);
            for (int r = 0; r < n; r++) x[r] += term[r];
        }
    }
}

/* Half the difference of two runs from opposite deviations. */
static void short_run(void **state)
{
    (void)state;
    static const char *const name[] = {"x", "fx", "fy", "al", "jr", "w"};
    double d = 1e-4, T = 0.7;
    char text[2][1600];
    table r[2];
    linear *s = linear_of(NULL, DOUBLE_PENDULUM, "minimal", 0);
    for (int k = 0; k < 2; k++) {
        snprintf(text[k], sizeof text[k],
                 "%sinitial: {p: {angle: %g, rate: %g}, r: {angle: %g, rate: 0}}\nanalysis: {type: "
                 "dynamics, until: %g, output_step: %g, tolerance: 1e-11}\n",
                 DOUBLE_PENDULUM, k ? -d : d, k ? -3 * d : 3 * d, k ? 2 * d : -2 * d, T, T);
        r[k] = run_model(&(run_how){.text = text[k]});
    }
    double x[4];
    x[linear_state(s, "joint p, angle")] = d;
    x[linear_state(s, "joint p, angle, rate")] = 3 * d;
    x[linear_state(s, "joint r, angle")] = -2 * d;
    x[linear_state(s, "joint r, angle, rate")] = 0;
    propagate(s, T, x);
    for (int i = 0; i < 6; i++) {
        double sum = 0, size = 0;
        for (int c = 0; c < 4; c++) sum += c_of(s, linear_output(s, name[i]), c) * x[c];
        for (int c = 0; c < 4; c++) size += fabs(c_of(s, linear_output(s, name[i]), c) * d);
        double run = 0.5 * (table_last(&r[0], name[i]) - table_last(&r[1], name[i]));
        assert_near(run, sum, 1e-6 * size); /* 100 d^2 */
    }
    for (int k = 0; k < 2; k++) table_free(&r[k]);
    linear_done(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mass_spring_damper),  cmocka_unit_test(transfer_function),
        cmocka_unit_test(hanging_and_upright), cmocka_unit_test(beam_with_tip_force),
        cmocka_unit_test(slender_section),     cmocka_unit_test(steady_rotation),
        cmocka_unit_test(slider_on_a_rotor),   cmocka_unit_test(spinning_body),
        cmocka_unit_test(formulations_agree),  cmocka_unit_test(vectors),
        cmocka_unit_test(differences),         cmocka_unit_test(differences_of_a_machine),
        cmocka_unit_test(short_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
