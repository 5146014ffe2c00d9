/* Campbell diagrams: closed forms, published frequencies of rotating beams, agreement with linearize,
 * branches, critical speeds and stability, in all formulations. */
#include "support/linear.h"

#include "analysis/campbell.h"

static const char *const forms[] = {"corotational", "minimal", "rfe", "ffr", "elastodynamic"};
enum { NFORMS = 5 };

/* ---- tables ---- */

/* Frequency, rad/s, of the mode nearest to `omega` at a speed. */
static double nearest(const table *r, double speed, double omega)
{
    double best = INFINITY;
    for (int i = 0; i < r->rows; i++) {
        double w = 2 * PI * table_get(r, i, "frequency");
        if (fabs(table_get(r, i, "speed") - speed) > 1e-9 * (1 + fabs(speed))) continue;
        if (fabs(w - omega) < fabs(best - omega)) best = w;
    }
    return best;
}

/* Rows of one branch: they are as many as speeds, and no step of it is larger than `most` rad/s. */
static void check_smooth(const table *r, int branch, int speeds, double most)
{
    double last = NAN;
    int n = 0;
    for (int i = 0; i < r->rows; i++) {
        if ((int)table_get(r, i, "mode") != branch) continue;
        double w = 2 * PI * table_get(r, i, "frequency");
        if (n++ > 0) assert_under(fabs(w - last), most);
        last = w;
    }
    assert_int_equal(n, speeds);
}

/* ---- a particle on springs ---- */

static void particle(void **state)
{
    (void)state;
    for (int k = 0; k < NFORMS; k++) {
        table r = run_model(&(run_how){.model = "particle_on_springs", .formulation = forms[k]});
        assert_int_equal(r.sum.critical_speeds, 1);
        assert_int_equal(r.sum.branches, 3);
        assert_true(isnan(r.sum.unstable_from));
        for (double W = 0; W <= 40; W++) {
            double a = nearest(&r, W, fabs(20 - W)), b = nearest(&r, W, 20 + W);
            assert_near(a, fabs(20 - W), 2e-9);
            assert_near(b, 20 + W, 2e-9);
            if (fabs(W - 20) < 0.5) continue; /* a double root 0 */
            assert_near(a * b, fabs(400 - W * W), 1e-10 * 400);
            assert_near(a * a + b * b, 2 * (400 + W * W), 1e-10 * 2000);
        }
        for (int branch = 1; branch <= 3; branch++) check_smooth(&r, branch, 41, 1 + 1e-6);
        table_free(&r);
    }
}

/* ---- rotating beams ---- */

static const double flap[][4] = {{0, 3.5160, 22.0345, 61.6972},  {1, 3.6816, 22.1810, 61.8418},
                                 {2, 4.1373, 22.6149, 62.2732},  {4, 5.5850, 24.2733, 63.9668},
                                 {6, 7.3604, 26.8091, 66.6839},  {10, 11.2023, 33.6404, 74.6493},
                                 {12, 13.1702, 37.6031, 79.6145}};

/* Without stretch. A chain of rigid elements has its own error, of second order in the length. */
static void flap_frequencies(void **state)
{
    (void)state;
    double T = sqrt(1.5 * 16 / 50.0);
    for (int k = 0; k < NFORMS; k++) {
        table r = run_model(
            &(run_how){.model = "rotating_beam", .set = {"slender=2000"}, .formulation = forms[k]});
        double tolerance = strcmp(forms[k], "rfe") == 0 ? 1e-2 : 1e-4;
        for (size_t i = 0; i < sizeof flap / sizeof flap[0]; i++)
            for (int j = 1; j < 4; j++) {
                double got = T * nearest(&r, flap[i][0] / T, flap[i][j] / T);
                assert_near(got / flap[i][j], 1, tolerance);
            }
        table_free(&r);
    }
}

/* ---- chordwise, with stretch (Yoo and Shin 1998) ---- */

static table chord_run(const char *formulation, const char *slender)
{
    return run_model(&(run_how){.model = "rotating_beam",
                                .set = {slender},
                                .swap = {{"[0, 12/T, 13]", "[0, 20/T, 21]"}},
                                .formulation = formulation});
}

/* Yoo and Shin's theory is linear about the undeformed beam, as is elastodynamic's about the rigid motion. */
static double unstretched(const char *slender, double gamma, double near)
{
    char set[30];
    snprintf(set, sizeof set, "gamma=%g", gamma);
    table r = run_model(&(run_how){.model = "rotating_beam",
                                   .set = {slender, set},
                                   .analysis = "{type: linearize}",
                                   .formulation = "elastodynamic"});
    double best = INFINITY;
    for (int i = 0; i < r.rows; i++) {
        double omega = fabs(table_get(&r, i, "imaginary"));
        if (fabs(omega - near) < fabs(best - near)) best = omega;
    }
    table_free(&r);
    return best;
}

static void chord_frequencies(void **state)
{
    (void)state;
    static const double chord[][3] = {{1, 3.5427, 1e-4},
                                      {2, 3.6196, 1e-4},
                                      {5, 4.0581, 1e-4},
                                      {10, 4.9700, 1e-4},
                                      {20, 6.3637, 1e-3}};
    double T = sqrt(1.5 * 16 / 50.0);
    for (int i = 0; i < 5; i++)
        assert_near(T * unstretched("slender=70", chord[i][0], chord[i][1] / T) / chord[i][1], 1,
                    chord[i][2]);
}

/* Campbell's diagram is about the beam as it is stretched, by gamma^2/(2 slender^2) of its length at the root: the
 * difference goes with that, and is gone for a slender beam. */
static void chord_of_a_stretched_beam(void **state)
{
    static const char *const stretched[] = {"corotational", "minimal", "ffr", "elastodynamic"};
    static const char *const slender[] = {"slender=70", "slender=140", "slender=2000"};
    double T = sqrt(1.5 * 16 / 50.0), off[3];
    (void)state;
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < 3; i++) {
            double small = unstretched(slender[i], 5, 4.06 / T);
            table b = chord_run(stretched[k], slender[i]);
            off[i] = nearest(&b, 5 / T, small) / small - 1;
            table_free(&b);
        }
        assert_under(fabs(off[0]), 2e-3);
        assert_near(off[0] / off[1], 4, 0.1);
        assert_under(fabs(off[2]), 1e-5);
    }
}

/* Elastodynamic's beam is as much longer as its linear displacements make it: off by the square of the strain. */
static void chord_at_high_speed(void **state)
{
    double T = sqrt(1.5 * 16 / 50.0);
    (void)state;
    table e = chord_run("elastodynamic", "slender=70"), c = chord_run("corotational", "slender=70");
    for (int gamma = 5; gamma <= 20; gamma += 5) {
        double right = nearest(&c, gamma / T, (gamma < 15 ? 4 + 0.19 * (gamma - 5) : 5.6) / T);
        assert_near(nearest(&e, gamma / T, right) / right, 1, 1e-5 + pow(gamma / 70.0, 4) / 4);
    }
    table_free(&e);
    table_free(&c);
}

/* The paper's equations: centrifugal force alone, as long as there is any stiffness left. */
static void without_stiffening(void **state)
{
    double T = sqrt(1.5 * 16 / 50.0), omega0 = 3.5160152685 / T;
    (void)state;
    table r = run_model(
        &(run_how){.model = "rotating_beam",
                   .set = {"slender=5000"},
                   .swap = {{"analysis:\n",
                             "formulation: {type: elastodynamic, stiffening: false}\nanalysis:\n"},
                            {"[0, 12/T, 13]", "[0, 3/T, 4]"}}});
    for (int k = 0; k < 4; k++) {
        double W = k / T, chord = sqrt(omega0 * omega0 - W * W);
        assert_near(nearest(&r, W, omega0) / omega0, 1, 1e-4);
        assert_near(nearest(&r, W, chord) / chord, 1, 1e-4);
    }
    table_free(&r);
}

/* ---- rotors ---- */

/* Residual of the equation of the overhung disk, over its terms. */
static double off(double w, double W)
{
    double L = 0.5, EI = 2000, m = 10, Id = 0.1, Ip = 0.18;
    double k11 = 12 * EI / (L * L * L), k12 = 6 * EI / (L * L), k22 = 4 * EI / L;
    double a = k11 - m * w * w, b = k22 - Id * w * w + Ip * W * w;
    return (a * b - k12 * k12) / (fabs(a) * (k22 + Id * w * w + Ip * fabs(W * w)) + k12 * k12);
}

static void overhung_disk(void **state)
{
    (void)state;
    for (int k = 0; k < NFORMS; k++) {
        if (strcmp(forms[k], "rfe") == 0) continue;
        table r = run_model(&(run_how){.model = "overhung_disk", .formulation = forms[k]});
        assert_int_equal(r.rows, 4 * 31);
        for (int i = 0; i < r.rows; i++) {
            double w = 2 * PI * table_get(&r, i, "frequency"), W = table_get(&r, i, "speed");
            assert_under(fmin(fabs(off(w, W)), fabs(off(-w, W))), 2e-5);
        }
        table_free(&r);
    }
}

static void jeffcott_critical_speed(void **state)
{
    (void)state;
    double I = PI * pow(0.02, 4) / 64, omega0 = sqrt(48 * 2.1e11 * I / 8);
    static const char *const frame[] = {"rotating", "fixed"};
    for (int k = 0; k < NFORMS; k++)
        for (int f = 0; f < 2; f++) {
            char how[120];
            snprintf(how, sizeof how,
                     "{type: campbell, drive: drive, speeds: [0, 200, 21], count: 5, frame: %s}",
                     frame[f]);
            table r = run_model(&(run_how){.model = "jeffcott_rotor",
                                           .set = {"rho=1e-3"},
                                           .analysis = how,
                                           .formulation = forms[k]});
            double rough = strcmp(forms[k], "rfe") == 0 ? 1e-2 : 1e-3;
            assert_int_equal(r.sum.critical_speeds,
                             1 + f); /* backward whirl meets once per turn, too */
            assert_near(nearest(&r, 0, omega0) / omega0, 1, rough);
            assert_true(isnan(r.sum.unstable_from));
            table_free(&r);
        }
}

/* Damping that turns with the shaft makes it unstable above the critical speed, damping that stands still
 * moves that up: to omega0 (1 + external/(internal k)). */
static void internal_damping(void **state)
{
    (void)state;
    double I = PI * pow(0.02, 4) / 64, k = 48 * 2.1e11 * I, omega0 = sqrt(k / 8);
    table r = run_model(&(run_how){.model = "jeffcott_rotor", .set = {"internal=1e-4"}});
    assert_near(r.sum.unstable_from / omega0, 1, 3e-4);
    assert_near(r.sum.unstable_to, 2 * omega0, 1e-9);
    table_free(&r);
    char set[40];
    snprintf(set, sizeof set, "external=%.10g", 0.5 * 1e-4 * k);
    r = run_model(&(run_how){.model = "jeffcott_rotor", .set = {"internal=1e-4", set}});
    assert_near(r.sum.unstable_from / omega0, 1.5, 1e-3);
    table_free(&r);
}

/* A shaft that is not round is unstable between the two speeds at which it is critical: its frequencies
 * at rest. */
static void shaft_that_is_not_round(void **state)
{
    (void)state;
    table r = run_model(&(run_how){
        .model = "jeffcott_rotor",
        .analysis = "{type: campbell, drive: drive, speeds: [0, 200, 101], count: 6}",
        .swap = {{"shape: circle, radius: d/2", "shape: rectangle, height: d, width: 0.9*d"}}});
    double low = nearest(&r, 0, 110), high = nearest(&r, 0, 123);
    assert_near(high / low, 1 / 0.9, 1e-3);
    assert_int_equal(r.sum.critical_speeds, 2);
    assert_near(r.sum.unstable_from / low, 1, 1e-6);
    assert_near(r.sum.unstable_to / high, 1, 1e-6);
    table_free(&r);
}

/* ---- linearize ---- */

#define BLADE                                                                                      \
    "limber: 1\n"                                                                                  \
    "gravity: [0, 0, -9.81]\n"                                                                     \
    "sections: {s: {shape: stiffness, EA: 4e4, EIy: 30, EIz: 50, GJ: 20, rhoA: 1.2, rhoIy: "       \
    "0.002, "                                                                                      \
    "rhoIz: 0.003, damping: {stiffness: 1e-3}}}\n"                                                 \
    "bodies:\n"                                                                                    \
    "  hub: {type: rigid, mass: 1, inertia: [0.1, 0.1, 0.1]}\n"                                    \
    "  blade: {type: beam, section: s, from: [0.1, 0, 0], to: [1.1, 0.1, 0.2], elements: 3}\n"     \
    "  tip: {type: rigid, mass: 0.5, inertia: [0.02, 0.01, 0.03], position: [1.1, 0.1, 0.2]}\n"    \
    "joints:\n"                                                                                    \
    "  shaft: {type: revolute, between: [ground, hub], axis: z, drive: 0*t}\n"                     \
    "  root: {type: fixed, between: [hub, blade.start], at: [0.1, 0, 0]}\n"                        \
    "  end: {type: fixed, between: [blade.end, tip], at: [1.1, 0.1, 0.2]}\n"                       \
    "forces:\n"                                                                                    \
    "  stay: {type: spring, between: [\"hub\", tip], stiffness: 20, damping: 0.5, length: 1}\n"

/* Every root of the lowest is a pole of the dense linearised model at the same state. */
static void agrees_with_linearize(void **state)
{
    (void)state;
    for (int k = 0; k < NFORMS; k++) {
        linear *s = linear_of(NULL, BLADE, forms[k], 1);
        lm_steady turn;
        lm_spectrum p;
        assert_int_equal(lm_steady_begin(&turn, s->run.sys, 0, s->q), LIMBER_OK);
        assert_int_equal(lm_steady_find(&turn, 6), LIMBER_OK);
        lm_linearized l = {.sys = s->run.sys, .q = turn.q, .v = turn.v};
        if (lm_linearized_solve(&l)) fail_msg("%s", l.failure.text);
        lm_state at = lm_steady_state(&turn);
        assert_int_equal(lm_spectrum_begin(&p, &turn, 6), LIMBER_OK);
        assert_int_equal(lm_pencil_evaluate(&turn.pencil, &at, 1), 0);
        lm_pencil_turn(&turn.pencil, turn.turning.rate, turn.turning.rate);
        assert_int_equal(lm_spectrum_factor(&p), 0);
        assert_int_equal(lm_spectrum_search(&p), 0);
        assert_int_equal(lm_spectrum_solve(&p), 0);
        for (int j = 0; j < 6; j++) {
            double best = INFINITY, size = hypot(p.root[j].re, p.root[j].im);
            for (int i = 0; i < l.npoles; i++)
                best = fmin(best, hypot(l.pole[i].re - p.root[j].re, l.pole[i].im - p.root[j].im));
            if (best > 1e-8 * size) fail_msg("%s: root %d is off by %g", forms[k], j, best / size);
        }
        lm_linearized_free(&l);
        lm_spectrum_free(&p);
        lm_steady_free(&turn);
        linear_done(s);
    }
}

/* ---- who turns ---- */

static void bodies_that_turn(void **state)
{
    (void)state;
    static const char text[] =
        "limber: 1\n"
        "bodies:\n"
        "  pedestal: {type: rigid, mass: 1, inertia: [1, 1, 1]}\n"
        "  shaft: {type: rigid, mass: 1, inertia: [1, 1, 1]}\n"
        "  blade: {type: rigid, mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}\n"
        "  slug: {type: rigid, mass: 1, inertia: [1, 1, 1], position: [0, 1, 0]}\n"
        "joints:\n"
        "  drive: {type: revolute, between: [ground, shaft], axis: z, drive: 0*t}\n"
        "  bearing: {type: revolute, between: [shaft, pedestal], axis: z}\n"
        "  hinge: {type: revolute, between: [shaft, blade], axis: y, at: [1, 0, 0]}\n"
        "forces:\n"
        "  feet: {type: bushing, between: [\"ground.at(0, 0, 0)\", pedestal], stiffness: [9, 9, 9, "
        "9, 9, 9]}\n"
        "  tie: {type: bushing, between: [blade, slug], stiffness: [9, 9, 9, 9, 9, 9]}\n";
    limber_messages *msg = limber_messages_new();
    limber_model *m = modes_parse(text, msg);
    unsigned char turns[4];
    assert_int_equal(lm_steady_bodies(&m->m, 0, turns), 0);
    assert_int_equal(turns[0], 0);
    assert_int_equal(turns[1], 1);
    assert_int_equal(turns[2], 1);
    assert_int_equal(turns[3], 1);
    limber_model_free(m);
    limber_messages_free(msg);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(particle),
        cmocka_unit_test(flap_frequencies),
        cmocka_unit_test(chord_frequencies),
        cmocka_unit_test(chord_at_high_speed),
        cmocka_unit_test(chord_of_a_stretched_beam),
        cmocka_unit_test(without_stiffening),
        cmocka_unit_test(overhung_disk),
        cmocka_unit_test(jeffcott_critical_speed),
        cmocka_unit_test(internal_damping),
        cmocka_unit_test(shaft_that_is_not_round),
        cmocka_unit_test(agrees_with_linearize),
        cmocka_unit_test(bodies_that_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
