/* Bodies with little or no mass, in all formulations: point masses without inertia, beams without mass; and
 * what modes say of the mass that moves. */
#include "support/run_model.h"

#define PI       3.14159265358979323846
#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))

static const char *const formulations[] = {"corotational", "minimal", "rfe", "ffr",
                                           "elastodynamic"};

/* ---- modes through the public API ---- */

typedef struct list {
    limber_mode at[40];
    int n;
    double total[6];
} list;

static void put(void *context, const limber_mode *mode)
{
    list *l = context;
    assert_true(l->n < COUNT(l->at));
    l->at[l->n++] = *mode;
}

static list modes_in(const char *text, const char *formulation)
{
    list l = {.n = 0};
    limber_messages *msg = limber_messages_new();
    limber_model *model = NULL;
    limber_run_options opt = limber_run_options_default();
    limber_summary sum = {0};
    opt.formulation = formulation;
    opt.mode = put;
    opt.mode_context = &l;
    limber_status st = limber_model_parse(text, strlen(text), "model", NULL, &model, msg);
    if (!st) st = limber_run(model, &opt, &sum, msg);
    if (st) limber_messages_print(msg, stderr);
    assert_int_equal(st, LIMBER_OK);
    memcpy(l.total, sum.total_mass, sizeof l.total);
    limber_model_free(model);
    limber_messages_free(msg);
    return l;
}

/* What limber says to the model's end, which is refused. */
static void check_refused(const char *text, const char *formulation, const char *why)
{
    limber_messages *msg = limber_messages_new();
    limber_model *model = NULL;
    limber_run_options opt = limber_run_options_default();
    limber_summary sum = {0};
    char *said = NULL;
    size_t size = 0;
    opt.formulation = formulation;
    assert_int_equal(limber_model_parse(text, strlen(text), "model", NULL, &model, msg), LIMBER_OK);
    assert_int_not_equal(limber_run(model, &opt, &sum, msg), LIMBER_OK);
    FILE *f = open_memstream(&said, &size);
    limber_messages_print(msg, f);
    fclose(f);
    if (!strstr(said, why) && !strstr(sum.reason, why)) fail_msg("%s, %s", said, sum.reason);
    free(said);
    limber_model_free(model);
    limber_messages_free(msg);
}

/* ---- point masses ---- */

/* Held where they are: at the centre, or by a line through it. */
#define PENDULUM(body)                                                                             \
    "limber: 1\ngravity: [0.3, -0.5, -9.81]\nbodies:\n  p: {type: rigid, mass: 2, " body           \
    "}\njoints:\n  j: {type: spherical, between: [ground, p], at: [0, 0, 0]}\n"                    \
    "analysis: {type: dynamics, until: 0.5, output_step: 0.1, tolerance: 1e-8}\n"                  \
    "outputs: {x: pos(p.end).x, y: pos(p.end).y, z: pos(p.end).z}\n"
#define ROUND_CENTRE "position: [1, 0.2, 0.1], frames: {end: [0, 0, 0]}"
#define OFF_CENTRE   "com: [1, 0.2, 0.1], frames: {end: [1, 0.2, 0.1]}"

/* x'' = g - (g.u + |v|^2/L) u, u = x/L, by Runge and Kutta. */
static void pendulum_rate(const double s[6], double rate[6])
{
    const double g[3] = {0.3, -0.5, -9.81};
    double LL = 1 + 0.04 + 0.01, along = 0;
    for (int i = 0; i < 3; i++) along += g[i] * s[i] + s[3 + i] * s[3 + i];
    for (int i = 0; i < 3; i++) rate[i] = s[3 + i], rate[3 + i] = g[i] - along / LL * s[i];
}

static void pendulum_at(double t, double s[6])
{
    enum { STEPS = 2000 };
    double h = t / STEPS, k[4][6], w[6];
    s[0] = 1, s[1] = 0.2, s[2] = 0.1, s[3] = s[4] = s[5] = 0;
    for (int n = 0; n < STEPS; n++) {
        for (int a = 0; a < 4; a++) {
            double c = a == 0 ? 0 : a == 3 ? h : h / 2;
            for (int i = 0; i < 6; i++) w[i] = s[i] + (a ? c * k[a - 1][i] : 0);
            pendulum_rate(w, k[a]);
        }
        for (int i = 0; i < 6; i++) s[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
    }
}

static void point_pendulum(void **state)
{
    (void)state;
    static const char *const texts[] = {PENDULUM(ROUND_CENTRE), PENDULUM(OFF_CENTRE)};
    double s[6];
    pendulum_at(0.5, s);
    for (int k = 0; k < COUNT(texts); k++)
        for (int f = 0; f < COUNT(formulations); f++) {
            table r = run_model(&(run_how){.text = texts[k], .formulation = formulations[f]});
            assert_near(table_last(&r, "x"), s[0], 1e-5);
            assert_near(table_last(&r, "y"), s[1], 1e-5);
            assert_near(table_last(&r, "z"), s[2], 1e-5);
            table_free(&r);
        }
}

/* A point mass in a ball joint moves a beam as one that is welded to it does, as far as it has no inertia. */
#define MAST(joint)                                                                                \
    "limber: 1\ngravity: [0.3, -0.5, -9.81]\n"                                                     \
    "sections: {s: {shape: stiffness, EA: 1e5, EIy: 100, EIz: 150, GJ: 80, rhoA: 1, rhoIy: 1e-4, " \
    "rhoIz: 2e-4}}\nbodies:\n  rod: {type: beam, section: s, from: [0, 0, 0], to: [1, 0.2, 0.1], " \
    "elements: 4}\n  p: {type: rigid, mass: 2, position: [1, 0.2, 0.1]}\njoints:\n"                \
    "  w: {type: fixed, between: [ground, rod.start]}\n"                                           \
    "  j: {type: " joint ", between: [rod.end, p]}\n"
#define MAST_MOVES                                                                                 \
    "analysis: {type: dynamics, until: 0.1, output_step: 0.1}\noutputs: {z: pos(p).z}\n"

static void point_on_beam(void **state)
{
    (void)state;
    for (int f = 0; f < COUNT(formulations); f++) {
        list a = modes_in(MAST("spherical") "analysis: {type: modes, count: 8, about: statics}\n",
                          formulations[f]);
        list b = modes_in(MAST("fixed") "analysis: {type: modes, count: 8, about: statics}\n",
                          formulations[f]);
        double close = f == 3 ? 1e-2 : 1e-5; /* ffr: joints choose the shapes */
        assert_int_equal(a.n, b.n);
        for (int i = 0; i < a.n; i++) {
            assert_near(a.at[i].frequency / b.at[i].frequency, 1, close);
            for (int d = 0; d < 6; d++)
                assert_near(a.at[i].effective_mass[d], b.at[i].effective_mass[d],
                            close * b.total[d]);
        }
        table r = run_model(
            &(run_how){.text = MAST("spherical") MAST_MOVES, .formulation = formulations[f]});
        table s =
            run_model(&(run_how){.text = MAST("fixed") MAST_MOVES, .formulation = formulations[f]});
        assert_under(table_distance(&r, &s, "z"), 1e-5 * table_range(&s, "z"));
        table_free(&r);
        table_free(&s);
    }
}

/* Two points one below the other: m1 L1 L2 w^4 - (m1 + m2) g (L1 + L2) w^2 + (m1 + m2) g^2 = 0. */
static void point_chain(void **state)
{
    (void)state;
    const double m1 = 2, m2 = 3, L1 = 1, L2 = 0.7, g = 9.81;
    double a = m1 * L1 * L2, b = -(m1 + m2) * g * (L1 + L2), c = (m1 + m2) * g * g;
    for (int f = 0; f < COUNT(formulations); f++) {
        list l = modes_in(
            "limber: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
            "  p: {type: rigid, mass: 2, position: [0, 0, -1]}\n"
            "  r: {type: rigid, mass: 3, position: [0, 0, -1.7]}\njoints:\n"
            "  j: {type: spherical, between: [ground, p], at: [0, 0, 0]}\n"
            "  k: {type: spherical, between: [p, r], at: [0, 0, -1]}\nanalysis: {type: modes}\n",
            formulations[f]);
        assert_int_equal(l.n, 4);
        for (int i = 0; i < 4; i++) {
            double ww = (-b + (i < 2 ? -1 : 1) * sqrt(b * b - 4 * a * c)) / (2 * a);
            assert_near(l.at[i].omega, sqrt(ww), 1e-9 * sqrt(ww));
        }
    }
}

/* A rotation that something notices is no point mass's: it needs an inertia. */
static void point_is_turned(void **state)
{
    (void)state;
    check_refused("limber: 1\nbodies: {p: {type: rigid, mass: 2}}\n"
                  "loads: {l: {on: p, torque: [0, 0, 1]}}\nanalysis: {type: dynamics, until: 1}\n"
                  "outputs: {x: pos(p).x}\n",
                  NULL, "a free motion has no mass");
}

/* ---- beams without mass ---- */

#define SPRING_BEAM(mass, gravity, rest)                                                           \
    "limber: 1\ngravity: " gravity "\n"                                                            \
    "sections: {s: {shape: stiffness, EA: 1e7, EIy: 100, EIz: 150, GJ: 80, " mass "}}\nbodies:\n"  \
    "  rod: {type: beam, section: s, from: [0, 0, 0], to: [1, 0, 0], elements: 3}\n"               \
    "  tip: {type: rigid, position: [1, 0, 0], mass: 2, inertia: [0.01, 0.02, 0.03]}\njoints:\n"   \
    "  w: {type: fixed, between: [ground, rod.start]}\n"                                           \
    "  t: {type: fixed, between: [rod.end, tip]}\n" rest

static const char *const massless[] = {"corotational", "minimal", "rfe", "ffr", "elastodynamic"};

/* [12 -6; -6 4] EI/L^3 and diag(m, J) in each plane, torsion and stretch alone. */
static void weightless_modes(void **state)
{
    (void)state;
    const double EI[2] = {100, 150}, J[2] = {0.02, 0.03}, m = 2;
    double w[6] = {sqrt(80 / 0.01), sqrt(1e7 / m)};
    for (int i = 0; i < 2; i++) {
        double k = EI[i], A = m * J[i], B = -(12 * k * J[i] + 4 * k * m), C = 12 * k * k;
        for (int s = 0; s < 2; s++)
            w[2 + 2 * i + s] = sqrt((-B + (s ? 1 : -1) * sqrt(B * B - 4 * A * C)) / (2 * A));
    }
    for (int i = 1; i < 6; i++)
        for (int j = i; j > 0 && w[j] < w[j - 1]; j--) {
            double keep = w[j];
            w[j] = w[j - 1], w[j - 1] = keep;
        }
    for (int f = 0; f < COUNT(massless); f++) {
        list l =
            modes_in(SPRING_BEAM("rhoA: 0", "[0, 0, 0]", "analysis: {type: modes}\n"), massless[f]);
        assert_int_equal(l.n, 6);
        for (int i = 0; i < 6; i++) assert_near(l.at[i].omega / w[i], 1, f == 2 ? 0.05 : 1e-9);
    }
}

/* Motions without mass are the limit of those with little; a load on nodes without mass bends at once. */
#define PUSHED                                                                                     \
    "loads: {F: {on: rod.node(1), force: [0, 10*(t > 0.03), 5]}}\n"                                \
    "analysis: {type: dynamics, until: 0.1, output_step: 0.01}\n"                                  \
    "outputs: {x: pos(tip).x, y: pos(tip).y, z: pos(tip).z}\n"

static void weightless_motion(void **state)
{
    (void)state;
    table with = run_model(
        &(run_how){.text = SPRING_BEAM("rhoA: 1e-3, rhoIy: 1e-7, rhoIz: 1e-7, damping: {stiffness: "
                                       "1e-5}",
                                       "[0, 2, -9.81]", PUSHED)});
    for (int f = 0; f < COUNT(massless); f++) {
        table r = run_model(&(run_how){
            .text = SPRING_BEAM("rhoA: 0, damping: {stiffness: 1e-5}", "[0, 2, -9.81]", PUSHED),
            .formulation = massless[f]});
        double allowed = f == 2 ? 4e-2 : f == 4 ? 2e-2 : 2e-3; /* pieces; elastodynamic is linear */
        assert_under(table_distance(&r, &with, "y"), allowed * table_range(&with, "y"));
        assert_under(table_distance(&r, &with, "z"), allowed * table_range(&with, "z"));
        table_free(&r);
    }
    table_free(&with);
}

static void weightless_refused(void **state)
{
    (void)state;
    static const char hinged[] =
        "limber: 1\ngravity: [0, 0, -9.81]\n"
        "sections: {s: {shape: stiffness, EA: 1e7, EIy: 100, EIz: 150, GJ: 80, rhoA: 0}}\n"
        "bodies: {rod: {type: beam, section: s, from: [0, 0, 0], to: [1, 0, 0]}}\n"
        "joints: {w: {type: revolute, between: [ground, rod.start], axis: y}}\n"
        "analysis: {type: dynamics, until: 1}\noutputs: {z: pos(rod.end).z}\n";
    check_refused(hinged, "corotational", "a free motion has no mass");
    check_refused(hinged, "minimal", "a free motion has no mass");
    check_refused(hinged, "ffr", "a free motion has no mass");
    check_refused(SPRING_BEAM("rhoA: 0", "[0, 0, -1]",
                              "analysis: {type: dynamics, until: 1, method: bdf}\n"
                              "outputs: {z: pos(tip).z}\n"),
                  NULL, "beam 'rod' has none: use 'radau'");
}

/* Beams that twist without inertia about their axis: bdf cannot follow that, and says so; those that do not twist it
 * can. */
static void spinless_bdf(void **state)
{
    static const char beam[] =
        "limber: 1\ngravity: [0, -9.81, PULL]\n"
        "sections: {s: {shape: stiffness, EA: 5000, EIy: 10, EIz: 20, GJ: 8, rhoA: 1}}\n"
        "bodies: {b: {type: beam, section: s, from: [0, 0, 0], to: [0.5, 0.5, UP], elements: 3}}\n"
        "joints: {p: {type: revolute, between: [ground, b.start], axis: z}}\n"
        "outputs: {y: pos(b.end).y}\n"
        "analysis: {type: dynamics, until: 0.3, output_step: 0.1, tolerance: 1e-7, method: bdf}\n";
    (void)state;
    table stops = run_model(
        &(run_how){.text = beam, .swap = {{"PULL", "0.5"}, {"UP", "0.3"}}, .may_stop = 1});
    assert_non_null(strstr(stops.sum.reason, "no inertia about its own axis: use 'radau'"));
    table_free(&stops);
    const char *flat[][2] = {{"PULL", "0"}, {"UP", "0"}};
    run_how how = {.text = beam};
    memcpy(how.swap, flat, sizeof flat);
    table r = run_model(&how);
    how.swap[2][0] = "bdf", how.swap[2][1] = "radau";
    table same = run_model(&how);
    assert_near(table_last(&r, "y"), table_last(&same, "y"), 1e-5);
    table_free(&r);
    table_free(&same);
}

/* ---- what modes say ---- */

/* A skew frame out of balance, with dampers: joint coordinates show what poses show. */
#define ARM                                                                                        \
    "limber: 1\ngravity: [1, -2, -9.81]\n"                                                         \
    "sections: {s: {shape: stiffness, EA: 1e6, EIy: 200, EIz: 350, GJ: 180, rhoA: 2, rhoIy: 1e-3," \
    " rhoIz: 2e-3, damping: {stiffness: 1e-3}}}\nbodies:\n"                                        \
    "  base: {type: rigid, mass: 3, inertia: [0.3, 0.4, 0.5], com: [0.1, 0.2, 0.3], frames: {e: "  \
    "[1.2, 0.6, 0.3]}}\n"                                                                          \
    "  rod: {type: beam, section: s, from: [0.4, 0.1, 0.5], to: [1.2, 0.6, 0.3], elements: 3}\n"   \
    "  tip: {type: rigid, position: [1.2, 0.6, 0.3], com: [0.1, 0, 0.05], mass: 1, inertia: "      \
    "[0.01, 0.02, 0.025]}\njoints:\n"                                                              \
    "  j: {type: revolute, between: [ground, base], axis: [0.2, 0.1, 1], at: [0, 0, 0]}\n"         \
    "  k: {type: revolute, between: [base, rod.start], axis: [0, 1, 0.3], at: [0.4, 0.1, 0.5]}\n"  \
    "  t: {type: fixed, between: [rod.end, tip]}\n"                                                \
    "forces: {d: {type: bushing, between: [base.e, tip], damping: [3, 1, 2, 0,"                    \
    " 0.1, 0]}}\n"
#define ARM_MODES "analysis: {type: modes, count: 12}\n"

static void masses_in_joint_coordinates(void **state)
{
    (void)state;
    static const char *const how[] = {"minimal", "{type: rfe, coordinates: joint}",
                                      "{type: rfe, coordinates: absolute}"};
    for (int k = 0; k < 2; k++) {
        char text[3000], other[3000];
        snprintf(text, sizeof text, "formulation: %s\n%s", how[k], ARM ARM_MODES);
        snprintf(other, sizeof other, "formulation: %s\n%s", k ? how[2] : "corotational",
                 ARM ARM_MODES);
        list a = modes_in(text, NULL), b = modes_in(other, NULL);
        assert_int_equal(a.n, b.n);
        for (int d = 0; d < 6; d++) assert_near(a.total[d], b.total[d], 1e-9 * b.total[d]);
        for (int i = 0; i < a.n; i++) {
            double size = 1 + hypot(b.at[i].real, b.at[i].imaginary);
            assert_near(a.at[i].real, b.at[i].real, 1e-5 * size);
            assert_near(a.at[i].imaginary, b.at[i].imaginary, 1e-5 * size);
            if (a.at[i].kind == LIMBER_MODE_RIGID) continue;
            for (int d = 0; d < 6; d++)
                assert_near(a.at[i].effective_mass[d], b.at[i].effective_mass[d],
                            1e-4 * b.total[d]);
        }
    }
}

/* Two masses m in a row between k, k and k, with a damper c at the first: the shapes (1, r) of both roots s,
 * r = (m s^2 + c s + 2 k)/k; with |phi|^2 m = 1 the effective mass is m |1 + r|^2/(1 + |r|^2). */
static void masses_of_damped_modes(void **state)
{
    (void)state;
    list l = modes_in("limber: 1\nbodies:\n"
                      "  a: {type: rigid, mass: 2, inertia: [1, 1, 1]}\n"
                      "  b: {type: rigid, mass: 2, inertia: [1, 1, 1], position: [1, 0, 0]}\n"
                      "joints:\n"
                      "  g: {type: prismatic, between: [ground, a], axis: x, stiffness: 100, "
                      "damping: 12}\n"
                      "  h: {type: prismatic, between: [ground, b], axis: x, at: [1, 0, 0], "
                      "stiffness: 100}\n"
                      "forces: {s: {type: spring, between: [a, b], stiffness: 100, length: 1}}\n"
                      "analysis: {type: modes}\n",
                      NULL);
    assert_int_equal(l.n, 2);
    for (int i = 0; i < 2; i++) {
        double x = l.at[i].real, y = l.at[i].imaginary;
        assert_true(x < -1e-2 && y > 1);
        double re = (2 * (x * x - y * y) + 12 * x + 200) / 100, im = (4 * x * y + 12 * y) / 100;
        double sum = (1 + re) * (1 + re) + im * im, mass = 2 * sum / (1 + re * re + im * im);
        assert_true(fabs(im) > 0.1);
        assert_near(l.at[i].effective_mass[0], mass, 1e-9);
    }
}

/* ---- the power graph ---- */

static void put_power(void *context, const limber_power_flow *flow)
{
    limber_power_flow *f = context;
    while (f->number) f++;
    *f = *flow;
}

/* A source sin t on two resistors, which take sin^2 t/R: integrals by Simpson's rule over large steps. */
static void power_of_resistors(void **state)
{
    (void)state;
    static const char text[] =
        "limber: 1\npower:\n  node: {type: 0, domain: electric}\n"
        "  big: {type: R, resistance: 5, on: node}\n  source: {type: Se, effort: sin(t), on: "
        "node}\n"
        "  small: {type: R, resistance: 2, on: node}\n"
        "analysis: {type: dynamics, until: 2, output_step: 0.5, step: 0.1, method: "
        "generalized-alpha}\noutputs: {p: effort(big)}\n";
    limber_power_flow f[8] = {{0}};
    limber_messages *msg = limber_messages_new();
    limber_model *model = NULL;
    limber_run_options opt = limber_run_options_default();
    limber_summary sum = {0};
    opt.power = put_power;
    opt.power_context = f;
    limber_status st = limber_model_parse(text, strlen(text), "model", NULL, &model, msg);
    if (!st) st = limber_run(model, &opt, &sum, msg);
    if (st) limber_messages_print(msg, stderr);
    assert_int_equal(st, LIMBER_OK);
    double squares = 1 - sin(4.0) / 4;
    const double R[3] = {5, 1 / 0.7, 2};
    const char *const names[3] = {"big", "source", "small"};
    for (int i = 0; i < 3; i++) {
        assert_string_equal(f[i].name, names[i]);
        assert_near(f[i].in + f[i].out, squares / R[i], 2e-7);
        assert_near(fabs(f[i].largest), 1 / R[i], 1e-2);
        assert_near(f[i].at, PI / 2, 0.051);
    }
    limber_model_free(model);
    limber_messages_free(msg);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(point_pendulum),
        cmocka_unit_test(point_on_beam),
        cmocka_unit_test(point_chain),
        cmocka_unit_test(point_is_turned),
        cmocka_unit_test(weightless_modes),
        cmocka_unit_test(weightless_motion),
        cmocka_unit_test(weightless_refused),
        cmocka_unit_test(spinless_bdf),
        cmocka_unit_test(masses_in_joint_coordinates),
        cmocka_unit_test(masses_of_damped_modes),
        cmocka_unit_test(power_of_resistors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
