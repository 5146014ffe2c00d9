/* What superelements are right for: energy, deformation, speed; and what is said beyond. */
#include "support/listen.h"

#include <math.h>

/* ---- energy ----
 *
 * Unsymmetric in space: swung on a ball joint off its end, undamped; placed and turned anyhow. */

#define SWING                                                                                      \
    "limber: 1\n"                                                                                  \
    "gravity: [1.3, -2.1, -9.2]\n"                                                                 \
    "sections: {s: {shape: stiffness, EA: 3e4, EIy: 9, EIz: 5, GJ: 4, rhoA: 0.7, rhoIy: 4e-4, "    \
    "rhoIz: 3e-4}}\n"                                                                              \
    "bodies:\n"                                                                                    \
    "  tip: {type: rigid, mass: 0.2, inertia: [1e-3, 2e-3, 3e-3], position: [0.9, -0.1, 0.4]}\n"   \
    "  rod: {type: superelement, position: [0.9, -0.1, 0.4], orientation: {axis: [1, 2, -1], "     \
    "angle: 0.7}, beam: {section: s, length: 1, deformations: DEFORM}, "                           \
    "nodes: {m: [0.37, 0, 0]}, frame: FRAME}\n"                                                    \
    "joints:\n"                                                                                    \
    "  ball: {type: spherical, between: [ground, rod.end]}\n"                                      \
    "  stuck: {type: fixed, between: [rod.start, tip]}\n"                                          \
    "analysis: {type: dynamics, until: 1.5, tolerance: 1e-8, output_step: 0.02}\n"                 \
    "outputs: {x: pos(rod.end).x, y: pos(rod.end).y, z: pos(rod.end).z, total: energy.total, "     \
    "kin: energy.kinetic, el: energy.elastic}\n"

static table swing(const char *deform, const char *frame, const char *formulation)
{
    return run_model(&(run_how){
        .text = SWING, .swap = {{"DEFORM", deform}, {"FRAME", frame}}, .formulation = formulation});
}

static void check_swing(const char *deform, const char *frame, const char *formulation)
{
    table r = swing(deform, frame, formulation);
    double moved = table_range(&r, "kin");
    print_message("%s, %s, %s: energy moves by %.2g of %.3g\n", deform, frame,
                  formulation ? formulation : "default", table_drift(&r, "total"), moved);
    assert_true(moved > 1);
    assert_true(table_range(&r, "el") > 0.01);
    assert_under(table_drift(&r, "total"), 1e-6 * moved);
    table_free(&r);
}

static void energy_is_constant(void **unused)
{
    (void)unused;
    check_swing("small", "mean", NULL);
    check_swing("small", "chord", NULL);
    check_swing("small", "start", NULL);
    check_swing("small", "end", "minimal");
    check_swing("small", "mean", "rfe");
    check_swing("large", "mean", NULL);
    check_swing("large", "mean", "minimal");
}

/* A frame given by coordinates, translation and rotation; and the paper's forces, whose error is nobody's
 * work. */
#define GIVEN                                                                                      \
    "limber: 1\n"                                                                                  \
    "gravity: [1.3, -9.1, 2.2]\n"                                                                  \
    "sections: {s: {shape: stiffness, EA: 900, EIy: 9, EIz: 5, GJ: 4, rhoA: 0.7, rhoIy: 4e-4, "    \
    "rhoIz: 3e-4}}\n"                                                                              \
    "coordinates: {p: {}, q: {}, u: {}, v: {}, w: {}, a: {}, b: {}, c: {}}\n"                      \
    "frames:\n"                                                                                    \
    "  base: disp(p, 2*p, 0.3) * rotz(q)\n"                                                        \
    "  far: base * disp(1 + u, v, w) * rotx(a) * roty(b) * rotz(c)\n"                              \
    "bodies:\n"                                                                                    \
    "  rod: {type: superelement, beam: {section: s, length: 1}, motion: {start: base, end: far}, " \
    "frame: \"base * disp(0.3 + u/2, v/2, w/3) * rotz(c/2)\"}\n"                                   \
    "formulation: {type: minimal, elastic_forces: HOW}\n"                                          \
    "analysis: {type: dynamics, until: 1, tolerance: 1e-8, output_step: 0.02}\n"                   \
    "outputs: {total: energy.total, kin: energy.kinetic, power: power.external}\n"

static void a_given_frame(void **unused)
{
    (void)unused;
    for (int paper = 0; paper < 2; paper++) {
        table r =
            run_model(&(run_how){.text = GIVEN, .swap = {{"HOW", paper ? "paper" : "consistent"}}});
        double drift = table_drift(&r, "total") / table_range(&r, "kin");
        print_message("paper %d: energy moves by %.2g, balance %.2g\n", paper, drift,
                      r.sum.energy_error);
        assert_under(table_range(&r, "power"), 1e-12);
        if (paper) {
            assert_true(drift > 1e-4);
            assert_true(r.sum.energy_error > 1e-4);
        } else {
            assert_under(drift, 1e-6);
            assert_under(r.sum.energy_error, 1e-6);
        }
        table_free(&r);
    }
}

/* ---- a beam is a beam ---- */

#define CANTILEVER_OF(body)                                                                        \
    "limber: 1\n"                                                                                  \
    "gravity: [0, 0, -0.01]\n"                                                                     \
    "parameters: {P: 1, M: 0, N: 0, G: 0}\n"                                                       \
    "sections: {s: {shape: stiffness, EA: 1e6, EIy: 1.4, EIz: 1, GJ: 0.8, rhoA: 1, rhoIy: 1e-3, "  \
    "rhoIz: 1e-3}}\n"                                                                              \
    "bodies: {arm: " body "}\n"                                                                    \
    "joints: {c: {type: fixed, between: [ground, arm.start]}}\n"                                   \
    "loads: {f: {on: arm.end, force: [0, P, P/5], torque: [0.1*P, N, M]}}\n"                       \
    "analysis: {type: statics}\n"                                                                  \
    "outputs: {x: pos(arm.end).x, y: pos(arm.end).y, z: pos(arm.end).z, th: rot(arm.end).z}\n"
#define CANTILEVER CANTILEVER_OF("BODY")

static void as_a_beam(void **unused)
{
    static const char *const how[] = {"{type: statics}", "{type: dynamics, until: 0.5, "
                                                         "output_step: 0.1, tolerance: 1e-8}"};
    (void)unused;
    for (int k = 0; k < 2; k++) {
        table a = run_model(&(run_how){
            .text = CANTILEVER,
            .set = {"P=4"},
            .analysis = how[k],
            .swap = {{"BODY", "{type: superelement, beam: {section: s, length: 1}, nodes: "
                              "{m: [0.5, 0, 0]}, frame: chord}"}}});
        table b = run_model(&(run_how){
            .text = CANTILEVER,
            .set = {"P=4"},
            .analysis = how[k],
            .swap = {
                {"BODY", "{type: beam, section: s, from: [0,0,0], to: [1,0,0], elements: 2}"}}});
        assert_true(fabs(table_last(&a, "y")) > 0.05);
        for (const char *c = "xyz"; *c; c++) {
            char name[] = {*c, 0};
            assert_near(table_last(&a, name), table_last(&b, name), 1e-7);
        }
        table_free(&a), table_free(&b);
    }
}

/* ---- the estimate and the truth ---- */

static double off(const char *body, const char *const set[3], double *estimate)
{
    static const char beam[] = "{type: beam, section: s, from: [0,0,0], to: [1,0,0], elements: 16}";
    double far = 0, all = 0, straight[] = {1, 0, 0};
    table t[2];
    for (int k = 0; k < 2; k++)
        t[k] = run_model(&(run_how){
            .text = CANTILEVER,
            .set = {set[0], set[1], set[2]},
            .swap = {{"BODY", k ? beam : body}, {"gravity: [0, 0, -0.01]", "gravity: [0, G, 0]"}}});
    for (int i = 0; i < 3; i++) {
        char name[] = {"xyz"[i], 0};
        double right = table_last(&t[1], name);
        far += pow(table_last(&t[0], name) - right, 2);
        all += pow(right - straight[i], 2);
    }
    *estimate = t[0].sum.range_error;
    table_free(&t[0]), table_free(&t[1]);
    return sqrt(far / all);
}

static void estimates(void **unused)
{
#define SMALL(frame)                                                                               \
    "{type: superelement, beam: {section: s, length: 1, deformations: small}, frame: " frame "}"
    static const struct {
        const char *body, *set[3];
    } list[] = {
        {SMALL("mean"), {"P=1", "M=0", "G=0"}},
        {SMALL("mean"), {"P=3", "M=0", "G=0"}},
        {SMALL("start"), {"P=1", "M=0", "G=0"}},
        {SMALL("chord"), {"P=2", "M=0", "G=0"}},
        {SMALL("mean"), {"P=0", "M=0.7", "G=0"}},
        {SMALL("start"), {"P=0", "M=0.7", "G=0"}},
        {SMALL("mean"), {"P=0", "M=0", "G=4"}},
        {SMALL("start"), {"P=0", "M=0", "G=4"}},
        {"{type: superelement, beam: {section: s, length: 1}}", {"P=3", "M=0", "G=0"}},
        {"{type: superelement, beam: {section: s, length: 1}}", {"P=8", "M=0", "G=0"}},
        {"{type: superelement, beam: {section: s, length: 1}}", {"P=0", "M=0", "G=10"}},
        {"{type: superelement, beam: {section: s, length: 1}, nodes: {m: [0.5, 0, 0]}}",
         {"P=8", "M=0", "G=0"}},
        {"{type: superelement, beam: {section: s, length: 1}}", {"P=0", "M=2", "G=0"}},
        {"{type: superelement, beam: {section: s, length: 1}}", {"P=0", "N=2.8", "G=0"}},
    };
    (void)unused;
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        double guess, truth = off(list[k].body, list[k].set, &guess);
        print_message("%s %s %s %.60s: %.4f, estimated %.4f\n", list[k].set[0], list[k].set[1],
                      list[k].set[2], list[k].body, truth, guess);
        assert_between(guess / truth, 1 / 3.0, 3);
    }
}

/* The warning, and that its advice helps. */
static void warns_and_helps(void **unused)
{
    char said[SAID];
    (void)unused;
    run_listen(&(run_how){.text = CANTILEVER_OF(SMALL("mean")), .set = {"P=3"}}, said);
    assert_says(said, "the displacements within it are off by about");
    assert_says(said, "write 'deformations: large' in its 'beam'");
    double guess;
    const char *const set[] = {"P=3", "M=0", "G=0"};
    assert_under(off("{type: superelement, beam: {section: s, length: 1}}", set, &guess), 0.02);
    run_listen(&(run_how){.text = CANTILEVER_OF("{type: superelement, beam: {section: s, length: "
                                                "1}, nodes: {m: [0.5, 0, 0]}}"),
                          .set = {"P=3"}},
               said);
    assert_null(strstr(said, "off by"));
}

/* ---- speed ---- */

#define ROTOR_OF(deform, frame)                                                                    \
    "limber: 1\n"                                                                                  \
    "parameters: {W: 6}\n"                                                                         \
    "sections: {s: {shape: stiffness, EA: 4e6, EIy: 1, EIz: 1, GJ: 1, rhoA: 1, rhoIy: 0, "         \
    "rhoIz: 0}}\n"                                                                                 \
    "bodies:\n"                                                                                    \
    "  hub: {type: rigid, mass: 1, inertia: [1, 1, 1]}\n"                                          \
    "  arm: {type: superelement, beam: {section: s, length: 1, deformations: " deform "}, nodes: " \
    "{n(k=1..7): [k/8, 0, 0]}, frame: " frame "}\n"                                                \
    "joints:\n"                                                                                    \
    "  h: {type: revolute, between: [ground, hub], axis: z, drive: \"W*t\"}\n"                     \
    "  c: {type: fixed, between: [hub, arm.start]}\n"                                              \
    "analysis: {type: campbell, drive: h, speeds: [0, W, 2], count: 4}\n"                          \
    "outputs: {z: pos(arm.end).z}\n"
#define ROTOR ROTOR_OF("DEFORM", "FRAME")

/* The largest distance of a value of Wright et al. from the nearest frequency at the top speed. */
static double nearest(const table *r, double omega)
{
    double best = HUGE_VAL;
    for (int i = 0; i < r->rows; i++) {
        double f = 2 * acos(-1.0) * table_get(r, i, "frequency");
        if (table_get(r, i, "speed") > 0) best = fmin(best, fabs(f / omega - 1));
    }
    return best;
}

static void stiffens(void **unused)
{
    static const struct {
        const char *set;
        double flap[2];
    } wright[] = {
        {"W=2", {4.1373, 22.6149}}, {"W=6", {7.3604, 26.8091}}, {"W=12", {13.1702, 37.6031}}};
    static const char *const frames[] = {"mean", "start", "chord"};
    (void)unused;
    for (int k = 0; k < 3; k++) {
        table r = run_model(&(run_how){.text = ROTOR,
                                       .set = {wright[k].set},
                                       .swap = {{"DEFORM", "large"}, {"FRAME", frames[k]}}});
        for (int i = 0; i < 2; i++) assert_under(nearest(&r, wright[k].flap[i]), 2e-3);
        table_free(&r);
    }
}

/* Constant matrices at speed: the number in the warning is what the first flap is off. */
static void warns_of_speed(void **unused)
{
    char said[SAID];
    run_how how = {.text = ROTOR_OF("small", "start"), .set = {"W=1"}};
    (void)unused;
    run_listen(&how, said);
    double truth = 100 * (1 - 3.5160 / 3.6816), number = number_after(said, "off by about");
    print_message("frequency off by %.3g %%, estimated %.3g %%\n", truth, number);
    assert_between(number / truth, 0.5, 2);
    assert_says(said, "constant matrices know no stiffening by rotation");
    how.set[0] = "W=0.3";
    run_listen(&how, said);
    assert_null(strstr(said, "no stiffening"));
}

/* ---- axial force ----
 *
 * The part of the stiffness that a force makes is that of the load which buckles: pi^2 EI/L^2 of a column between two
 * joints, a quarter of that of a cantilever. A mass on the tip that turns with the arm pulls by m r W^2. */

#define COLUMN_OF(deform, hold, end)                                                               \
    "limber: 1\n"                                                                                  \
    "parameters: {part: -0.5}\n"                                                                   \
    "sections: {w: {shape: stiffness, EA: 2e5, EIy: 50, EIz: 120, GJ: 40, rhoA: 1.2, rhoIy: "      \
    "2e-5, rhoIz: 5e-5}}\n"                                                                        \
    "bodies: {s: {type: superelement, beam: {section: w, length: 1, deformations: " deform         \
    "}, nodes: {a: [0.2, 0, 0], b: [0.4, 0, 0], c: [0.6, 0, 0], d: [0.8, 0, 0]}}}\n"               \
    "joints: {c: {type: " hold ", between: [ground, s.start]}" end "}\n"                           \
    "loads: {P: {on: s.end, force: [part*pi^2*50, 0, 0]}}\n"                                       \
    "analysis: {type: statics}\n"                                                                  \
    "outputs: {u: pos(s.c).z}\n"
#define PINNED(deform)                                                                             \
    COLUMN_OF(deform, "universal, axes: [y, z]",                                                   \
              ", e: {type: inline, between: [ground, s.end], axis: x}")
#define CLAMPED(deform) COLUMN_OF(deform, "fixed", "")

static void warns_of_force(void **unused)
{
    static const struct {
        const char *text, *set;
        double part;
    } list[] = {{PINNED("small"), "part=-0.5", 0.5},
                {PINNED("small"), "part=0.8", 0.8},
                {CLAMPED("small"), "part=-0.125", 0.5},
                {CLAMPED("small"), "part=0.05", 0.2}};
    char said[SAID];
    (void)unused;
    for (int k = 0; k < 4; k++) {
        run_listen(&(run_how){.text = list[k].text, .set = {list[k].set}}, said);
        double part = number_after(said, "its bending stiffness by a part of the order of ");
        print_message("part %.3g, estimated %.3g\n", list[k].part, part);
        assert_between(part / list[k].part, 0.9, 1.1);
        assert_says(said, list[k].set[5] == '-' ? "is pressed by up to" : "is pulled by up to");
    }
    run_listen(&(run_how){.text = PINNED("large"), .set = {"part=-0.5"}}, said);
    assert_null(strstr(said, "bending stiffness"));
    run_listen(&(run_how){.text = CLAMPED("small"), .set = {"part=0.01"}}, said);
    assert_null(strstr(said, "bending stiffness"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_is_constant), cmocka_unit_test(a_given_frame),
        cmocka_unit_test(as_a_beam),          cmocka_unit_test(estimates),
        cmocka_unit_test(warns_and_helps),    cmocka_unit_test(stiffens),
        cmocka_unit_test(warns_of_speed),     cmocka_unit_test(warns_of_force),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
