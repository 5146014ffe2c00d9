/* Rigid finite elements (docs/theory/rfe.md) against closed forms, and against themselves: kinds of
 * coordinates, closures, cuts. What their models are worth is in test_rfe_models.c. */
#include "support/run_model.h"

#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))

static const char *const both[] = {"joint", "absolute"};

/* run_model with options of the formulation; they may be NULL. */
static table run_with(const run_how *how, const char *options)
{
    char first[200];
    run_how h = *how;
    int k = 0;
    if (!options) return run_model(how);
    while (h.swap[k][0]) k++;
    snprintf(first, sizeof first, "limber: 1\nformulation: {type: rfe, %s}\n", options);
    h.swap[k][0] = "limber: 1\n";
    h.swap[k][1] = first;
    return run_model(&h);
}

static const char *coordinates(int i)
{
    static char text[40];
    snprintf(text, sizeof text, "coordinates: %s", both[i]);
    return text;
}

static table run_text(const char *text, int i)
{
    return run_with(&(run_how){.text = text}, coordinates(i));
}

/* ---- statics ---- */

/* Loads so small that the displacement is linear to rounding. */
#define CANTILEVER                                                                                 \
    "limber: 1\n"                                                                                  \
    "parameters: {n: 4, F: 0, M: 0, q: 0, L: 2, EI: 3}\n"                                          \
    "gravity: [0, -q, 0]\n"                                                                        \
    "sections:\n"                                                                                  \
    "  bar: {shape: stiffness, EA: 1e6, EIy: 5, EIz: EI, GJ: 4, rhoA: 1}\n"                        \
    "bodies: {beam: {type: beam, section: bar, from: [0, 0, 0], to: [L, 0, 0], elements: n}}\n"    \
    "joints: {root: {type: fixed, between: [ground, beam.start]}}\n"                               \
    "loads: {tip: {on: beam.end, force: [0, F, 0], torque: [0, 0, M]}}\n"                          \
    "outputs:\n"                                                                                   \
    "  y: pos(beam.end).y\n"                                                                       \
    "  turn: rot(beam.end).z\n"                                                                    \
    "  elastic: energy.elastic\n"                                                                  \
    "  root_force: force(root).y\n"                                                                \
    "  V(k=0..10): \"section(beam, k/10).Vy\"\n"                                                   \
    "  M(k=0..10): \"section(beam, k/10).Mz\"\n"                                                   \
    "analysis: {type: statics, tolerance: 1e-12}\n"

static double tip_of(const char *n, const char *load, int i, double *turn)
{
    table r = run_with(&(run_how){.text = CANTILEVER, .set = {n, load}}, coordinates(i));
    double y = table_last(&r, "y");
    *turn = table_last(&r, "turn");
    table_free(&r);
    return y;
}

/* Deflections over those of the beam: 1 - 1/4n^2, 1 - 1/2n^2, 1. */
static void static_ratios(void **state)
{
    static const int divisions[] = {1, 2, 8};
    const double L = 2, EI = 3, load = 1e-6;
    char n[16];
    double turn;
    (void)state;
    for (int k = 0; k < 2 * COUNT(divisions); k++) {
        double nn = pow(divisions[k / 2], 2);
        snprintf(n, sizeof n, "n=%d", divisions[k / 2]);
        double force = tip_of(n, "F=1e-6", k % 2, &turn) / (load * pow(L, 3) / (3 * EI));
        assert_near(force, 1 - 1 / (4 * nn), 1e-9);
        assert_near(turn, load * L * L / (2 * EI), 1e-9 * load);
        double weight = tip_of(n, "q=1e-6", k % 2, &turn) / (-load * pow(L, 4) / (8 * EI));
        assert_near(weight, 1 - 1 / (2 * nn), 1e-9);
        double moment = tip_of(n, "M=1e-6", k % 2, &turn) / (load * L * L / (2 * EI));
        assert_near(moment, 1, 1e-9);
        assert_near(turn, load * L / EI, 1e-12 * load);
    }
}

/* Moment and shear force follow from the load alone, whatever the division; between the hinges too. */
static void section_forces(void **state)
{
    const double L = 2, q = 1e-6, F = 2e-6;
    char name[16];
    (void)state;
    for (int i = 0; i < 2; i++) {
        table r = run_with(&(run_how){.text = CANTILEVER, .set = {"n=3", "q=1e-6", "F=2e-6"}},
                           coordinates(i));
        for (int k = 0; k <= 10; k++) {
            double rest = L * (1 - k / 10.0);
            snprintf(name, sizeof name, "V(%d)", k);
            assert_near(table_last(&r, name), F - q * rest, 1e-9 * F);
            snprintf(name, sizeof name, "M(%d)", k);
            assert_near(table_last(&r, name), F * rest - q * rest * rest / 2, 1e-9 * F * L);
        }
        assert_near(table_last(&r, "root_force"), q * L - F, 1e-9 * F);
        table_free(&r);
    }
}

/* The turn under a tip moment is M times the integral of ds/EI: (1 - s/2)^3 gives 3 L/EI. */
static void tapered(void **state)
{
    (void)state;
    for (int n = 1; n <= 4; n *= 2) {
        char set[16];
        snprintf(set, sizeof set, "n=%d", n);
        table r = run_with(&(run_how){.text = CANTILEVER,
                                      .set = {set, "M=1e-6"},
                                      .swap = {{"EIz: EI", "EIz: EI*(1 - s/2)^3"}}},
                           "springs: bending");
        assert_near(table_last(&r, "turn") / (1e-6 * 2 / 3), 3, 3e-7 / pow(n, 4));
        table_free(&r);
    }
}

/* A branch in the middle of a division: on its way to the ground a moment bends 0.37 of the beam and
 * all of the branch. */
static void branches(void **state)
{
    static const char text[] =
        "limber: 1\n"
        "sections:\n"
        "  bar: {shape: stiffness, EA: 1, EIy: 1, EIz: 2, GJ: 1, rhoA: 1}\n"
        "bodies:\n"
        "  stem: {type: beam, section: bar, from: [0, 0, 0], to: [1, 0, 0]}\n"
        "  twig: {type: beam, section: bar, from: [0.37, 0, 0],\n"
        "         to: [0.37, 0.5, 0], elements: 3}\n"
        "joints:\n"
        "  root: {type: fixed, between: [ground, stem.start]}\n"
        "  fork: {type: fixed, between: [stem.at(0.37), twig.start]}\n"
        "loads: {tip: {on: twig.end, torque: [0, 0, 0.1]}}\n"
        "outputs:\n"
        "  turn: rot(twig.end).z - 90*deg\n"
        "  fork: rot(stem.at(0.37)).z\n"
        "  free: rot(stem.end).z\n"
        "analysis: {type: statics}\n";
    (void)state;
    for (int i = 0; i < 2; i++) {
        table r = run_text(text, i);
        assert_near(table_last(&r, "turn"), 0.1 * 0.87 / 2, 1e-9);
        assert_near(table_last(&r, "fork"), 0.1 * 0.37 / 2, 1e-9);
        assert_near(table_last(&r, "free"), 0.1 * 0.37 / 2, 1e-9);
        table_free(&r);
    }
}

/* Six springs: stretch is FL/EA, and by Timoshenko's theory, and only by it, shear adds FL/GA. The hinge
 * starts turned: that is no coordinate of the springs. */
static void stretch_and_shear(void **state)
{
    static const char *const theory[] = {"theory: euler-bernoulli", "theory: timoshenko"};
    const double L = 2, EI = 3, n = 3, F = 1e-6;
    (void)state;
    for (int k = 0; k < 4; k++) {
        char options[80];
        snprintf(options, sizeof options, "springs: all, coordinates: %s", both[k % 2]);
        table r = run_with(
            &(run_how){.text = "limber: 1\n"
                               "sections:\n"
                               "  bar: {shape: stiffness, EA: 50, EIy: 5, EIz: 3, GJ: 4, GAy: 20,\n"
                               "    GAz: 30, rhoA: 1}\n"
                               "bodies: {beam: {type: beam, section: bar, from: [0, 0, 0],\n"
                               "    to: [2, 0, 0], elements: 3, THEORY}}\n"
                               "joints: {root: {type: revolute, between: [ground, beam.start],\n"
                               "                axis: z, drive: 0.3}}\n"
                               "loads: {tip: {on: beam.end, force: [1e-6, 1e-6, 0], axes: local}}\n"
                               "outputs: {x: tip(beam).x, y: tip(beam).y}\n"
                               "analysis: {type: statics, tolerance: 1e-12}\n",
                       .swap = {{"THEORY", theory[k / 2]}}},
            options);
        double bend = F * pow(L, 3) / (3 * EI) * (1 - 1 / (4 * n * n));
        assert_near(table_last(&r, "x"), F * L / 50, 1e-6 * F);
        assert_near(table_last(&r, "y"), bend + (k / 2 ? F * L / 20 : 0), 1e-6 * F);
        table_free(&r);
    }
}

/* Turned by its hinge, a polyline is as it was. */
static void rigid_rotation(void **state)
{
    static const char text[] =
        "limber: 1\n"
        "sections:\n"
        "  bar: {shape: stiffness, EA: 1e4, EIy: 1, EIz: 2, GJ: 3, rhoA: 1}\n"
        "bodies:\n"
        "  arch: {type: beam, section: bar, elements: 6,\n"
        "    points: [[0, 0, 0], [1, 0, 0], [1, 1, 0], [1, 1, 2]]}\n"
        "joints: {pin: {type: revolute, between: [ground, arch.start],\n"
        "               axis: [1, 2, 3], drive: 2.9}}\n"
        "outputs: {elastic: energy.elastic, pin: joint(pin), tip: "
        "norm(pos(arch.end))}\n"
        "analysis: {type: statics}\n";
    (void)state;
    for (int i = 0; i < 2; i++) {
        table r = run_text(text, i);
        assert_near(table_last(&r, "pin"), 2.9, 1e-12);
        assert_near(table_last(&r, "tip"), sqrt(6), 1e-12);
        assert_under(table_last(&r, "elastic"), 1e-22);
        table_free(&r);
    }
}

/* ---- frequencies ---- */

/* A strip of h/L = 1e-5: the rotary inertia of its sections takes 1e-9 off the third frequency
 * (with 1e-4 it would be 1e-7, one in the seventh digit). */
#define STRIP                                                                                      \
    "limber: 1\n"                                                                                  \
    "parameters: {n: 8, h: 1e-5, w: 1e-3}\n"                                                       \
    "materials: {m: {E: 12/h^2, nu: 0.3, rho: 1}}\n"                                               \
    "sections: {strip: {material: m, shape: rectangle, height: h, width: w}}\n"                    \
    "bodies: {beam: {type: beam, section: strip, from: [0, 0, 0], to: [1, 0, 0], elements: n}}\n"  \
    "analysis: {type: modes, count: 3}\n"
#define CLAMPED STRIP "joints: {left: {type: fixed, between: [ground, beam.start]}}\n"
#define PINNED                                                                                     \
    STRIP "joints:\n"                                                                              \
          "  left: {type: revolute, between: [ground, beam.start], axis: z}\n"                     \
          "  right: {type: inline, between: [ground, beam.end], axis: x}\n"

static void modes_with(const run_how *how, const char *options, int count, double *omega)
{
    table r = run_with(how, options);
    assert_true(r.rows >= count);
    for (int i = 0; i < count; i++) omega[i] = table_get(&r, i, "omega");
    table_free(&r);
}

typedef struct tabulated {
    const char *n;
    double clamped[3], pinned[3];
} tabulated;

static const tabulated rows[] = {
    {"n=8", {3.52866, 22.31150, 62.94986}, {9.86944, 39.46637, 88.66360}},
    {"n=16", {3.51917, 22.10323, 62.01200}, {9.86959, 39.47774, 88.81838}},
    {"n=32", {3.51680, 22.05165, 61.77600}, {9.86960, 39.47838, 88.82597}},
};
static const double exact_clamped[] = {3.516015268500151, 22.03449156466377, 61.69721441419072};
static const double exact_pinned[] = {9.869604401089358, 39.47841760435743, 88.82643960980423};

/* By how much the error shrinks when the division is halved. */
static double shrinks(double coarse, double fine, double exact)
{
    return (coarse - exact) / (fine - exact);
}

/* Between pinned ends the pieces move as sin(j phi), phi = k d: the frequency in closed form. */
static double pinned_omega(int mode, int n)
{
    double x = mode * M_PI / n / 2, tt = pow(tan(x), 2);
    return 4 * n * n * sqrt(pow(sin(x), 2) * tt / (1 + tt / 3));
}

static void frequencies(void **state)
{
    double c[3][3], p[3][3];
    (void)state;
    for (int k = 0; k < 3; k++) {
        modes_with(&(run_how){.text = CLAMPED, .set = {rows[k].n}}, coordinates(k % 2), 3, c[k]);
        modes_with(&(run_how){.text = PINNED, .set = {rows[k].n}}, coordinates(k % 2), 3, p[k]);
        for (int i = 0; i < 3; i++) {
            assert_near(c[k][i], rows[k].clamped[i], 5.1e-6);
            assert_near(p[k][i], rows[k].pinned[i], 5.1e-6);
            assert_near(p[k][i] / pinned_omega(i + 1, 8 << k), 1, 3e-9);
        }
    }
    for (int i = 0; i < 3; i++) assert_near(shrinks(c[1][i], c[2][i], exact_clamped[i]), 4, 0.05);
    assert_near(shrinks(p[0][0], p[1][0], exact_pinned[0]), 16.4436, 0.05); /* closed form */
}

/* Frames against their closed forms: within the 3.5 % of the paper, and order 2. */
static void frames(void **state)
{
    static const struct {
        const char *model;
        int count;
        double omega[5];
    } frame[] = {{"portal_frame", 5, {3.20457, 12.6480, 20.6291, 22.3733, 45.203}},
                 {"l_frame", 4, {1.17178, 3.19092, 15.7546, 23.0912, 0}}};
    double omega[3][5];
    (void)state;
    for (int f = 0; f < 2; f++) {
        for (int k = 0; k < 3; k++)
            modes_with(&(run_how){.model = frame[f].model, .set = {rows[k].n}}, "springs: bending",
                       frame[f].count, omega[k]);
        for (int i = 0; i < frame[f].count; i++) {
            double exact = frame[f].omega[i];
            assert_near(omega[0][i] / exact, 1, 0.035);
            assert_near(omega[2][i] / exact, 1, 0.002);
            assert_between((omega[0][i] - omega[1][i]) / (omega[1][i] - omega[2][i]), 3.7, 4.4);
            double limit = omega[2][i] + (omega[2][i] - omega[1][i]) / 3;
            assert_near(limit / exact, 1, 1e-4);
        }
    }
}

static void space_frame(void **state)
{
    double omega[3][6], finest[6];
    (void)state;
    modes_with(&(run_how){.model = "space_frame", .set = {"n=8"}}, NULL, 6, finest);
    for (int k = 0; k < 2; k++)
        modes_with(&(run_how){.model = "space_frame", .set = {k ? "n=8" : "n=4"}}, "springs: all",
                   6, omega[k]);
    assert_near(omega[0][0] / (2 * M_PI), 11.8, 0.035 * 11.8);
    assert_near(omega[1][0] / (2 * M_PI), 11.8, 0.01 * 11.8);
    for (int i = 0; i < 6; i++) {
        assert_near(omega[0][i] / finest[i], 1, 0.035);
        assert_between(shrinks(omega[0][i], omega[1][i], finest[i]), 3.5, 4.5);
    }
}

/* ---- closed chains ---- */

/* Springs in place of the cut joint: their error falls with their stiffness. */
static void closures(void **state)
{
    double exact[5], soft[5], hard[5];
    (void)state;
    for (int i = 0; i < 2; i++) {
        char options[3][120];
        for (int k = 0; k < 3; k++)
            snprintf(options[k], sizeof options[k],
                     "coordinates: %s, closure: %s, closure_stiffness: %s", both[i],
                     k ? "spring" : "constraint", k == 1 ? "0.001" : "0.01");
        modes_with(&(run_how){.model = "portal_frame"}, options[0], 5, exact);
        modes_with(&(run_how){.model = "portal_frame"}, options[1], 5, soft);
        modes_with(&(run_how){.model = "portal_frame"}, options[2], 5, hard);
        for (int m = 0; m < 5; m++) {
            assert_near(hard[m] / exact[m], 1, 1e-3);
            assert_between((soft[m] - exact[m]) / (hard[m] - exact[m]), 9, 11);
        }
    }
}

/* Wherever the loop is cut, it is the same frame; cut twice, too, where one part is reached through a cut only. */
static void cuts(void **state)
{
    static const char *const joint[] = {
        "between: [ground, left.start]", "between: [left.end, top.start]",
        "between: [top.end, right.start]", "between: [right.end, ground]"};
    double omega[5], other[5];
    (void)state;
    modes_with(&(run_how){.model = "portal_frame"}, "coordinates: joint", 5, omega);
    for (int k = 0; k < 8; k++) {
        char cut[80];
        snprintf(cut, sizeof cut, "cut: true, %s", joint[k / 2]);
        modes_with(&(run_how){.model = "portal_frame", .swap = {{joint[k / 2], cut}}},
                   coordinates(k % 2), 5, other);
        for (int i = 0; i < 5; i++) assert_near(other[i] / omega[i], 1, 1e-8);
    }
    for (int k = 0; k < 2; k++) {
        static const char cut[] = "cut: true, between: [left.end, top.start]",
                          twice[] = "cut: true, between: [right.end, ground]";
        modes_with(
            &(run_how){.model = "portal_frame", .swap = {{joint[1], cut}, {joint[3], twice}}},
            coordinates(k), 5, other);
        for (int i = 0; i < 5; i++) assert_near(other[i] / omega[i], 1, 1e-8);
    }
}

/* A polyline with a corner is two bars welded. */
static void polyline(void **state)
{
    double two[4], one[4];
    (void)state;
    modes_with(&(run_how){.model = "l_frame"}, "springs: bending", 4, two);
    modes_with(&(run_how){.text = "limber: 1\n"
                                  "parameters: {stiff: 1e6}\n"
                                  "sections:\n"
                                  "  bar: {shape: stiffness, EA: stiff, EIy: stiff, EIz: 1,\n"
                                  "    GJ: stiff, rhoA: 1}\n"
                                  "bodies: {bent: {type: beam, section: bar, elements: 16,\n"
                                  "    points: [[0, 0, 0], [0, 1, 0], [1, 1, 0]]}}\n"
                                  "joints: {foot: {type: fixed, between: [ground, bent.start]}}\n"
                                  "analysis: {type: modes, count: 4}\n"},
               "springs: bending", 4, one);
    for (int i = 0; i < 4; i++) assert_near(one[i] / two[i], 1, 1e-9);
}

/* ---- dynamics ---- */

static void pendulum(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        table r = run_with(&(run_how){.model = "flexible_pendulum", .until = 5}, coordinates(i));
        /* of m g L/2 */
        assert_under(table_drift(&r, "energy"), 1e-6 * 0.0702 * 141.42 * 9.81 * 70);
        table_free(&r);
    }
}

/* Two links that bend and twist in space, and a loop. */
static void coordinates_agree(void **state)
{
    static const char *const column[][2] = {{"tip_x", "tip_z"}, {"slider", "deflection"}};
    static const char *const model[] = {"two_link_arm", "slider_crank_flexible"};
    static const char *const analysis[] = {
        "{type: dynamics, until: 0.6, output_step: 0.05, tolerance: 1e-7}",
        "{type: dynamics, until: 0.2, output_step: 0.02, tolerance: 1e-7}"};
    (void)state;
    for (int k = 0; k < 2; k++) {
        table r[2];
        for (int i = 0; i < 2; i++)
            r[i] = run_with(&(run_how){.model = model[k],
                                       .set = {k ? "n1=2" : "n=3", k ? "n2=4" : NULL},
                                       .analysis = analysis[k]},
                            coordinates(i));
        for (int c = 0; c < 2; c++) assert_under(table_distance(&r[0], &r[1], column[k][c]), 1e-7);
        table_free(&r[0]);
        table_free(&r[1]);
    }
}

/* Largest difference of a column over its largest value. */
static double relative(const table *a, const table *b, const char *name)
{
    double most = 0;
    for (int i = 0; i < a->rows; i++) most = fmax(most, fabs(table_get(a, i, name)));
    return table_distance(a, b, name) / most;
}

static void slider_crank(void **state)
{
    (void)state;
    run_how how = {.model = "slider_crank_flexible", .set = {"n1=8", "n2=16"}, .until = 0.5};
    table rfe = run_with(&how, "coordinates: absolute"), corotational = run_model(&how);
    assert_under(relative(&corotational, &rfe, "deflection"), 0.005);
    assert_under(relative(&corotational, &rfe, "slider"), 1e-5);
    table_free(&rfe);
    table_free(&corotational);
}

static void chain(void **state)
{
    (void)state;
    run_how how = {.model = "flexible_chain",
                   .set = {"N=2", "n=16"},
                   .swap = {{"  energy: energy.total\n",
                             "  energy: energy.total\n  bend: \"deflection(link(1), 0.5).y\"\n"}}};
    table rfe = run_with(&how, "springs: all"), corotational = run_model(&how);
    assert_under(relative(&corotational, &rfe, "bend"), 0.005);
    assert_under(relative(&corotational, &rfe, "x"), 0.0005);
    assert_under(relative(&corotational, &rfe, "y"), 0.0005);
    table_free(&rfe);
    table_free(&corotational);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(static_ratios),
        cmocka_unit_test(section_forces),
        cmocka_unit_test(tapered),
        cmocka_unit_test(branches),
        cmocka_unit_test(stretch_and_shear),
        cmocka_unit_test(rigid_rotation),
        cmocka_unit_test(frequencies),
        cmocka_unit_test(frames),
        cmocka_unit_test(space_frame),
        cmocka_unit_test(closures),
        cmocka_unit_test(cuts),
        cmocka_unit_test(polyline),
        cmocka_unit_test(pendulum),
        cmocka_unit_test(coordinates_agree),
        cmocka_unit_test(slider_crank),
        cmocka_unit_test(chain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
