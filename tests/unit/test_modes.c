/* Natural frequencies and shapes of mechanisms against closed forms. */
#include "support/modes.h"

/* ---- closed forms ---- */

static void bushing_mounted_body(void **state)
{
    (void)state;
    solved *s =
        modes_of("limber: 1\n"
                 "bodies: {b: {type: rigid, mass: 2, inertia: [0.3, 0.5, 0.7], position: [1, "
                 "2, 3]}}\n"
                 "forces: {m: {type: bushing, between: [ground, b], stiffness: [100, 200, "
                 "300, 42, 50, 60]}}\n",
                 10, 0);
    double omega2[] = {50, 60 / 0.7, 100, 100, 42 / 0.3, 150};
    assert_int_equal(s->m.available, 6);
    assert_int_equal(s->m.found, 6);
    assert_true(s->m.at_rest);
    for (int i = 0; i < 6; i++) check_omega(s, i, sqrt(omega2[i]), 1e-14);
    check_shapes(s, 1e-13);
    assert_string_equal(mode(s, 0).moves, "body b along x");
    assert_string_equal(mode(s, 1).moves, "body b turning about z");
    /* equal frequencies 3 and 4 are given as a translation along y and a rotation about y */
    assert_string_equal(mode(s, 2).moves, "body b along y");
    assert_string_equal(mode(s, 3).moves, "body b turning about y");
    double along_y[6] = {0, sqrt(2), 0, -3 * sqrt(2), 0, sqrt(2)};
    for (int d = 0; d < 6; d++) {
        assert_near(mode(s, 2).participation[d], along_y[d], 1e-13);
        assert_near(mode(s, 2).effective_mass[d], along_y[d] * along_y[d], 1e-12);
    }
    /* all modes together move everything: 2 kg, and the inertia about the origin */
    double total[6] = {2, 2, 2, 0.3 + 2 * 13, 0.5 + 2 * 10, 0.7 + 2 * 5};
    for (int d = 0; d < 6; d++) {
        double sum = 0;
        for (int i = 0; i < 6; i++) sum += mode(s, i).effective_mass[d];
        assert_near(s->m.total[d], total[d], 1e-12);
        assert_near(sum, total[d], 1e-12);
        assert_near(s->m.captured[d], total[d], 1e-12);
    }
    modes_done(s);
}

static const char pendulum[] =
    "limber: 1\n"
    "parameters: {a: 0}\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies: {bob: {type: rigid, mass: 3, position: [0, -0.7, 0]}}\n"
    "joints: {pivot: {type: revolute, between: [ground, bob], axis: z, at: [0, 0, 0]}}\n"
    "initial: {pivot: {angle: a}}\n"
    "analysis: {type: modes}\n"
    "outputs: {a: joint(pivot)}\n";

static void hanging_pendulum(void **state)
{
    (void)state;
    table r = run_model(&(run_how){.text = pendulum});
    assert_int_equal(r.rows, 1);
    assert_int_equal(r.cols, 4);
    assert_string_equal(r.name[0], "mode");
    assert_near(table_first(&r, "mode"), 1, 0);
    assert_near(table_first(&r, "omega"), sqrt(9.81 / 0.7), 1e-14);
    assert_near(table_first(&r, "frequency"), sqrt(9.81 / 0.7) / (2 * PI), 1e-15);
    assert_near(table_first(&r, "damping_ratio"), 0, 0);
    table_free(&r);
    /* the same about the equilibrium, wherever it is drawn */
    r = run_model(&(run_how){
        .text = pendulum, .set = {"a=1.2"}, .analysis = "{type: modes, about: statics}"});
    assert_near(table_first(&r, "omega"), sqrt(9.81 / 0.7), 1e-10);
    assert_true(r.sum.about_statics);
    table_free(&r);
    r = run_model(&(run_how){
        .text = pendulum, .set = {"a=1.2"}, .analysis = "[{type: statics}, {type: modes}]"});
    assert_near(table_first(&r, "omega"), sqrt(9.81 / 0.7), 1e-10);
    assert_false(r.sum.about_statics);
    table_free(&r);
}

/* Away from the equilibrium the rod still carries its part of the weight; the run says that this is
 * no equilibrium. */
static void pendulum_that_is_not_at_rest(void **state)
{
    (void)state;
    char text[600];
    for (int k = 0; k < 2; k++) {
        limber_messages *msg = limber_messages_new();
        limber_summary sum;
        snprintf(text, sizeof text, "%s", pendulum);
        char *a = strstr(text, "{a: 0}");
        memcpy(a, k ? "{a: 1}" : "{a: 0}", 6);
        limber_model *model = modes_parse(text, msg);
        assert_int_equal(limber_run(model, NULL, &sum, msg), LIMBER_OK);
        assert_int_equal(limber_messages_count(msg), k);
        if (k) {
            limber_message w = limber_messages_get(msg, 0);
            assert_int_equal(w.severity, LIMBER_WARNING);
            assert_non_null(strstr(w.text, "not an equilibrium: a force of 20.8 is not balanced"));
            assert_non_null(strstr(w.text, "about: statics"));
        }
        limber_model_free(model);
        limber_messages_free(msg);
    }
    table r = run_model(&(run_how){.text = pendulum, .set = {"a=1"}});
    assert_near(table_first(&r, "omega"), sqrt(9.81 * cos(1.0) / 0.7), 1e-13);
    table_free(&r);
    r = run_model(&(run_how){.text = pendulum, .set = {"a=90*deg"}});
    assert_near(table_first(&r, "omega"), 0, 0);
    table_free(&r);
}

static void inverted_pendulum_is_unstable(void **state)
{
    (void)state;
    char text[600];
    limber_messages *msg = limber_messages_new();
    limber_summary sum;
    snprintf(text, sizeof text, "%s", pendulum);
    char *g = strstr(text, "-9.81");
    *g = ' ';
    limber_model *model = modes_parse(text, msg);
    assert_int_equal(limber_run(model, NULL, &sum, msg), LIMBER_OK);
    assert_int_equal(limber_messages_count(msg), 1);
    assert_string_equal(limber_messages_get(msg, 0).text,
                        "mode 1 is unstable: it grows like exp(3.744 t)");
    limber_model_free(model);
    limber_messages_free(msg);
    solved *s = modes_of(text, 4, 0);
    limber_mode o = mode(s, 0);
    assert_int_equal(o.kind, LIMBER_MODE_GROWS);
    assert_near(o.real, sqrt(9.81 / 0.7), 1e-13);
    assert_near(o.frequency, 0, 0);
    assert_near(o.omega, 0, 0);
    assert_near(o.damping_ratio, -1, 0);
    modes_done(s);
}

/* Two equal points on rods: omega^2 = (2 -+ sqrt 2) g/L. */
static void double_pendulum(void **state)
{
    (void)state;
    solved *s =
        modes_of("limber: 1\n"
                 "gravity: [0, 0, -9.81]\n"
                 "bodies: {a: {type: rigid, mass: 2, position: [0, 0, -0.8]}, b: {type: "
                 "rigid, mass: 2, position: [0, 0, -1.6]}}\n"
                 "joints:\n"
                 "  p: {type: revolute, between: [ground, a], axis: [1, 1, 0], at: [0, 0, 0]}\n"
                 "  q: {type: revolute, between: [a, b], axis: [1, 1, 0], at: [0, 0, -0.8]}\n",
                 10, 0);
    assert_int_equal(s->m.found, 2);
    check_omega(s, 0, sqrt((2 - sqrt(2)) * 9.81 / 0.8), 1e-14);
    check_omega(s, 1, sqrt((2 + sqrt(2)) * 9.81 / 0.8), 1e-14);
    check_shapes(s, 1e-12);
    modes_done(s);
}

static void free_body(void **state)
{
    (void)state;
    solved *s =
        modes_of("limber: 1\n"
                 "bodies: {b: {type: rigid, mass: 2, inertia: [0.3, 0.5, 0.7], position: [1, "
                 "2, 3]}, c: {type: rigid, mass: 1, inertia: [1, 1, 1], position: [2, 2, 3]}}\n"
                 "forces: {m: {type: bushing, between: [c, b], stiffness: [100, 200, "
                 "300, 42, 50, 60]}}\n",
                 12, 0);
    static const char *const moves[] = {"along x", "along y", "along z", "about x", "about y"};
    assert_int_equal(s->m.found, 12);
    for (int i = 0; i < 6; i++) {
        limber_mode o = mode(s, i);
        assert_int_equal(o.kind, LIMBER_MODE_RIGID);
        assert_near(o.frequency, 0, 0);
        assert_near(o.omega, 0, 0);
        assert_near(o.damping_ratio, 0, 0);
        if (i < 3) assert_near(o.effective_mass[i], 3, 1e-12);
        if (i < 5) assert_non_null(strstr(o.moves, moves[i]));
    }
    check_omega(s, 6, 10, 2); /* the first that vibrates */
    check_shapes(s, 1e-12);
    modes_done(s);
}

static const char oscillator[] =
    "limber: 1\n"
    "parameters: {c: 0.4, k: 50}\n"
    "bodies: {b: {type: rigid, mass: 2}}\n"
    "joints: {g: {type: prismatic, between: [ground, b], axis: x, stiffness: k, damping: c}}\n"
    "analysis: {type: modes}\n";

static void damped_oscillator(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        const char *set[] = {"c=0.4", "c=1e-6", "c=19"};
        double c[] = {0.4, 1e-6, 19};
        table r = run_model(&(run_how){.text = oscillator, .set = {set[i]}});
        assert_int_equal(r.rows, 1);
        assert_near(table_first(&r, "damping_ratio"), c[i] / 20, 1e-15);
        assert_near(table_first(&r, "omega"), 5, 1e-14);
        table_free(&r);
    }
    /* with 2 s^2 + 25 s + 50 it creeps: s = -2.5 and -10 */
    table r = run_model(&(run_how){.text = oscillator, .set = {"c=25"}});
    assert_int_equal(r.rows, 2);
    assert_near(table_first(&r, "frequency"), 0, 0);
    assert_near(table_first(&r, "damping_ratio"), 1, 0);
    table_free(&r);
    /* a damper alone: the place is free, the velocity decays */
    r = run_model(&(run_how){.text = oscillator, .set = {"k=0"}});
    assert_int_equal(r.rows, 2);
    assert_near(table_first(&r, "damping_ratio"), 0, 0);
    assert_near(table_last(&r, "damping_ratio"), 1, 0);
    table_free(&r);
}

static void rates_of_creeping(void **state)
{
    (void)state;
    solved *s =
        modes_of("limber: 1\n"
                 "bodies: {b: {type: rigid, mass: 2}}\n"
                 "joints: {g: {type: prismatic, between: [ground, b], axis: x, stiffness: 50, "
                 "damping: 25}}\n",
                 10, 0);
    assert_int_equal(s->m.found, 2);
    assert_near(mode(s, 0).real, -2.5, 1e-14);
    assert_near(mode(s, 1).real, -10, 1e-13);
    assert_int_equal(mode(s, 0).kind, LIMBER_MODE_DECAYS);
    assert_near(s->m.captured[0], 2, 1e-12); /* one motion, though it stands there twice */
    modes_done(s);
}

/* Rigid motions of a free system with dampers inside are still six, and undamped. */
static void free_damped_pair(void **state)
{
    (void)state;
    solved *s = modes_of("limber: 1\n"
                         "bodies: {b: {type: rigid, mass: 2, inertia: [1, 1, 1], position: [1, 0, "
                         "0]}, c: {type: rigid, mass: 2, inertia: [1, 1, 1]}}\n"
                         "joints: {g: {type: prismatic, between: [b, c], axis: x, stiffness: 50, "
                         "damping: 0.1}}\n",
                         20, 0);
    assert_int_equal(s->m.available, 7);
    for (int i = 0; i < 6; i++) assert_int_equal(mode(s, i).kind, LIMBER_MODE_RIGID);
    check_omega(s, 6, sqrt(50), 1e-13); /* reduced mass 1 */
    assert_near(mode(s, 6).damping_ratio, 0.1 / (2 * sqrt(50)), 1e-15);
    for (int d = 0; d < 6; d++) assert_near(s->m.captured[d] / s->m.total[d], 1, 1e-12);
    modes_done(s);
}

/* Two hanging posts and a level coupler, with a spring at one foot: a parallelogram of revolute
 * joints in space, three of whose constraints are redundant. Swings like one pendulum. */
static void four_bar_with_spring(void **state)
{
    (void)state;
    solved *s = modes_of(
        "limber: 1\n"
        "parameters: {m: 1.5, M: 4, L: 0.6, I: m*L^2/12}\n"
        "gravity: [0, -9.81, 0]\n"
        "bodies:\n"
        "  post(k=0..1): {type: rigid, mass: m, inertia: [I, 0, I], position: [k, 0, 0], com: [0, "
        "-L/2, 0], frames: {end: [0, -L, 0]}}\n"
        "  bar: {type: rigid, mass: M, inertia: [0, 1, 1], position: [0, -L, 0], com: [0.5, 0, 0], "
        "frames: {end: [1, 0, 0]}}\n"
        "joints:\n"
        "  foot(0): {type: revolute, between: [ground, post(0)], axis: z, stiffness: 7}\n"
        "  foot(1): {type: revolute, between: [ground, post(1)], axis: z}\n"
        "  left: {type: revolute, between: [post(0).end, bar], axis: z}\n"
        "  right: {type: revolute, between: [bar.end, post(1).end], axis: z}\n",
        10, 0);
    double m = 1.5, M = 4, L = 0.6, g = 9.81;
    double stiffness = 7 + (m + M) * g * L, inertia = (2.0 / 3 * m + M) * L * L;
    assert_int_equal(s->m.found, 1);
    check_omega(s, 0, sqrt(stiffness / inertia), 1e-13);
    check_shapes(s, 1e-12);
    modes_done(s);
}

/* ---- forces that have no potential ---- */

/* Ziegler's column: two links with springs k, masses 2 m and m, a follower force along the
 * second. It flutters above P = (7/2 - sqrt 2) k/l. */
static void follower_force(void **state)
{
    (void)state;
    for (int unstable = 0; unstable < 2; unstable++) {
        double P = unstable ? 2.2 : 2.0, k = 3, l = 0.5, m = 0.2;
        char text[900];
        snprintf(
            text, sizeof text,
            "limber: 1\n"
            "parameters: {P: %g, k: 3, l: 0.5, m: 0.2}\n"
            "bodies: {a: {type: rigid, mass: 2*m, position: [l, 0, 0]}, b: {type: rigid, mass: "
            "m, position: [2*l, 0, 0]}}\n"
            "joints:\n"
            "  p: {type: revolute, between: [ground, a], axis: z, at: [0, 0, 0], stiffness: k}\n"
            "  q: {type: revolute, between: [a, b], axis: z, at: [l, 0, 0], stiffness: k}\n"
            "loads: {push: {on: b, force: [-P*k/l, 0, 0], axes: local}}\n",
            P);
        solved *s = modes_of(text, 10, 0);
        assert_true(s->m.at_rest && s->m.skew);
        assert_int_equal(s->m.found, 2);
        /* M = m l^2 [3 1; 1 1], K = k [2-P P-1; -1 1]: 2 x^2 - (7 - 2 P) x + 1 = 0, lambda = x
         * k/(m l^2) */
        double b = 7 - 2 * P, disc = b * b - 8, unit = k / (m * l * l);
        if (!unstable) {
            check_omega(s, 0, sqrt((b - sqrt(disc)) / 4 * unit), 1e-13);
            check_omega(s, 1, sqrt((b + sqrt(disc)) / 4 * unit), 1e-13);
        } else { /* lambda = re +- i im, |lambda| = unit/sqrt 2, s = +-sqrt(-lambda) */
            double size = sqrt(unit / sqrt(2)), angle = 0.5 * atan2(sqrt(-disc), b);
            for (int i = 0; i < 2; i++) check_omega(s, i, size, 1e-13);
            assert_near(fabs(mode(s, 0).damping_ratio), sin(angle), 1e-13);
            assert_near(mode(s, 0).damping_ratio + mode(s, 1).damping_ratio, 0, 1e-13);
        }
        modes_done(s);
    }
}

/* PD control of an arm that gravity pulls at: zeta and omega by the gains. */
static void controlled_arm(void **state)
{
    (void)state;
    solved *s =
        modes_of("limber: 1\n"
                 "parameters: {kp: 90, kd: 3}\n"
                 "gravity: [0, -9.81, 0]\n"
                 "bodies: {arm: {type: rigid, mass: 4, inertia: [0, 1, 1], com: [0, -0.5, 0]}}\n"
                 "joints: {motor: {type: revolute, between: [ground, arm], axis: z, effort: "
                 "\"-kp*joint(motor) - kd*rate(motor)\"}}\n",
                 5, 0);
    double stiffness = 90 + 4 * 9.81 * 0.5, inertia = 2;
    check_omega(s, 0, sqrt(stiffness / inertia), 1e-14);
    assert_near(mode(s, 0).damping_ratio, 3 / (2 * sqrt(stiffness * inertia)), 1e-15);
    modes_done(s);
}

/* Efforts that depend on accelerations and on reactions: a mass matrix that is not symmetric,
 * columns of multipliers that are not the constraints' rows. */
static void implicit_efforts(void **state)
{
    (void)state;
    solved *s =
        modes_of("limber: 1\n"
                 "bodies: {a: {type: rigid, mass: 1, inertia: [1, 1, 1]}, b: {type: rigid, "
                 "mass: 1, inertia: [1, 1, 1]}}\n"
                 "joints:\n"
                 "  p: {type: revolute, between: [ground, a], axis: z, stiffness: 4, effort: "
                 "-0.5*alpha(b).z}\n"
                 "  q: {type: revolute, between: [ground, b], axis: z, stiffness: 9}\n",
                 5, 0);
    assert_true(s->m.skew && !s->m.reactive);
    check_omega(s, 0, 2, 1e-14); /* a alone, and b, which takes a along */
    check_omega(s, 1, 3, 1e-14);
    modes_done(s);
    s = modes_of(
        "limber: 1\n"
        "bodies: {a: {type: rigid, mass: 1, inertia: [1, 1, 3]}, b: {type: rigid, mass: 1, "
        "inertia: [1, 1, 2]}}\n"
        "joints:\n"
        "  p: {type: revolute, between: [ground, a], axis: z, stiffness: 4, effort: "
        "-0.2*moment(q).z}\n"
        "  q: {type: revolute, between: [a, b], axis: z, drive: 0}\n",
        5, 0);
    assert_true(s->m.reactive);
    assert_int_equal(s->m.found, 1);
    check_omega(s, 0, sqrt(4 / (3 + 1.2 * 2)), 1e-14);
    modes_done(s);
}

/* ---- beams ---- */

/* Clamped, without rotary inertia: Euler and Bernoulli's frequencies, (b/L)^2 sqrt(EI/rhoA);
 * torsion has stiffness but no mass and is no mode. */
static void cantilever(void **state)
{
    (void)state;
    static const double roots[] = {1.875104068711961, 4.694091132974175, 7.854757438237613};
    solved *s =
        modes_of("limber: 1\n"
                 "sections: {bar: {shape: stiffness, EA: 1e7, EIy: 50, EIz: 200, GJ: 30, rhoA: "
                 "3}}\n"
                 "bodies: {arm: {type: beam, section: bar, from: [0, 0, 0], to: [2, 0, 0], "
                 "elements: 16}}\n"
                 "joints: {clamp: {type: fixed, between: [ground, arm.start]}}\n",
                 100, 0);
    double omega[6];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 2; k++) {
            double a = roots[i] / 16,
                   elements = 1 + pow(a, 4) / 1440; /* cubic shapes are too stiff */
            omega[2 * i + k] = pow(roots[i] / 2, 2) * sqrt((k ? 200 : 50) / 3.0) * elements;
        }
    qsort(omega, 6, sizeof *omega, ascending);
    assert_int_equal(s->m.available, 5 * 16); /* three translations, two bending rotations a node */
    for (int i = 0; i < 5; i++) check_omega(s, i, omega[i], 1e-6);
    for (int d = 0; d < 3; d++) assert_near(s->m.total[d], 6, 1e-11);
    check_shapes(s, 1e-9);
    modes_done(s);
}

/* A hinged beam under tension is a string with bending stiffness: omega_n^2 = (n pi/L)^4 EI/rhoA +
 * (n pi/L)^2 P/rhoA. Its free spin has neither mass nor stiffness. */
static void beam_under_tension(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        double P[] = {0, 200, -100};
        char analysis[] = "{type: modes, count: 2, about: statics}", set[20];
        snprintf(set, sizeof set, "P=%g", P[k]);
        table r = run_model(&(run_how){
            .text =
                "limber: 1\n"
                "parameters: {P: 0}\n"
                "sections: {bar: {shape: stiffness, EA: 1e9, EIy: 50, EIz: 200, GJ: 30, rhoA: "
                "3}}\n"
                "bodies: {arm: {type: beam, section: bar, from: [0, 0, 0], to: [2, 0, 0], "
                "elements: 40}}\n"
                "joints: {a: {type: spherical, between: [ground, arm.start]}, b: {type: inline, "
                "between: [ground, arm.end], axis: x}}\n"
                "loads: {pull: {on: arm.end, force: [P, 0, 0]}}\n"
                "analysis: {type: modes}\n",
            .set = {set},
            .analysis = analysis});
        for (int i = 0; i < 2; i++) {
            double w2 = pow(PI / 2, 4) * (i ? 200 : 50) / 3 + pow(PI / 2, 2) * P[k] / 3;
            /* the geometric stiffness of straight elements converges with the square of their
             * length */
            assert_near(table_get(&r, i, "omega") / sqrt(w2), 1, 2e-3);
        }
        table_free(&r);
    }
}

/* Beck's column: a follower force at the free end makes a cantilever flutter above 20.05 EI/L^2. */
static void becks_column(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) { /* 20 elements by the dense solver, 110 by the other */
        const char *set[] = {k < 2 ? "N=20" : "N=110", k % 2 ? "p=20.3" : "p=19.8"};
        table r = run_model(&(run_how){
            .text = "limber: 1\n"
                    "parameters: {N: 1, p: 0}\n"
                    "sections: {bar: {shape: stiffness, EA: 1e8, EIy: 400, EIz: 100, GJ: 30, rhoA: "
                    "1}}\n"
                    "bodies: {col: {type: beam, section: bar, from: [0, 0, 0], to: [1, 0, 0], "
                    "elements: N}}\n"
                    "joints: {clamp: {type: fixed, between: [ground, col.start]}}\n"
                    "loads: {push: {on: col.end, force: [-100*p, 0, 0], axes: local}}\n"
                    "analysis: {type: modes, about: statics, count: 3}\n",
            .set = {set[0], set[1]}});
        assert_string_equal(r.sum.method, k < 2 ? "dense" : "lanczos");
        double least = 0;
        for (int i = 0; i < 3; i++) least = fmin(least, table_get(&r, i, "damping_ratio"));
        if (k % 2)
            assert_between(least, -0.2, -0.05);
        else
            assert_near(least, 0, 1e-9);
        table_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bushing_mounted_body),
        cmocka_unit_test(hanging_pendulum),
        cmocka_unit_test(pendulum_that_is_not_at_rest),
        cmocka_unit_test(inverted_pendulum_is_unstable),
        cmocka_unit_test(double_pendulum),
        cmocka_unit_test(free_body),
        cmocka_unit_test(damped_oscillator),
        cmocka_unit_test(rates_of_creeping),
        cmocka_unit_test(free_damped_pair),
        cmocka_unit_test(four_bar_with_spring),
        cmocka_unit_test(follower_force),
        cmocka_unit_test(controlled_arm),
        cmocka_unit_test(implicit_efforts),
        cmocka_unit_test(cantilever),
        cmocka_unit_test(beam_under_tension),
        cmocka_unit_test(becks_column),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
