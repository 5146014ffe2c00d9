/* Beams in a known rigid motion behind the seam (docs/theory/elastodynamic.md): modes, statics and frozen
 * eigenvalues in closed form, time response and joint forces against the corotational formulation and against
 * the rigid mechanism, and what the formulation refuses. The element itself is tested in test_moving_beam.c. */
#include "support/linear.h"
#include "support/listen.h"

static table run_as(const char *formulation, run_how how)
{
    how.formulation = formulation;
    return run_model(&how);
}

/* The largest difference of a column over the range it has in the first. */
static double off(const table *a, const table *b, const char *name)
{
    return table_distance(a, b, name) / table_range(a, name);
}

/* ---- at rest ---- */

/* Nothing moves: these are the linear equations of structures, as of any formulation. */
static void modes_at_rest(void **state)
{
    static const char *const model[] = {"portal_frame", "space_frame", "tapered_beam", "l_frame"};
    (void)state;
    for (int i = 0; i < 4; i++) {
        run_how how = {.model = model[i], .analysis = "{type: modes, count: 8}"};
        table a = run_as("corotational", how), b = run_as("elastodynamic", how);
        for (int k = 0; k < a.rows; k++)
            assert_near(table_get(&b, k, "omega") / table_get(&a, k, "omega"), 1, 1e-7);
        table_free(&a);
        table_free(&b);
    }
}

static void statics(void **state)
{
    static const char text[] =
        "limber: 1\n"
        "gravity: [0, -9.81, 0]\n"
        "materials: {steel: {E: 2.1e11, nu: 0.3, rho: 7850}}\n"
        "sections: {bar: {material: steel, shape: rectangle, height: 0.02, width: 0.03}}\n"
        "bodies: {beam: {type: beam, section: bar, from: [0, 0, 0], to: [1.2, 0, 0], elements: "
        "3}}\n"
        "joints: {root: {type: fixed, between: [ground, beam.start]}}\n"
        "loads: {tip: {on: beam.end, force: [0, 0, 5]}}\n"
        "analysis: {type: statics}\n"
        "outputs:\n"
        "  v: tip(beam).y\n"
        "  w: tip(beam).z\n"
        "  M: section(beam, 0).Mz\n"
        "  F: force(root).y\n";
    double A = 6e-4, w = 7850 * A * 9.81, L = 1.2, E = 2.1e11;
    double Iz = 0.03 * pow(0.02, 3) / 12, Iy = 0.02 * pow(0.03, 3) / 12;
    (void)state;
    table r = run_as("elastodynamic", (run_how){.text = text});
    assert_near(table_last(&r, "v") / (-w * pow(L, 4) / (8 * E * Iz)), 1, 1e-6);
    assert_near(table_last(&r, "w") / (5 * pow(L, 3) / (3 * E * Iy)), 1, 1e-6);
    assert_near(table_last(&r, "M") / (-w * L * L / 2), 1, 1e-6);
    assert_near(table_last(&r, "F") / (w * L), 1, 1e-9);
    table_free(&r);
}

/* A pendulum that loads pull aside: where it hangs is found for the rigid mechanism, what bends it after. */
static void statics_of_a_mechanism(void **state)
{
    static const char text[] =
        "limber: 1\n"
        "gravity: [0, -9.81, 0]\n"
        "sections: {bar: {shape: stiffness, EA: 1e7, EIy: 5e4, EIz: 5e4, GJ: 4e4, rhoA: 0.5,\n"
        "  rhoIy: 1e-4, rhoIz: 1e-4}}\n"
        "bodies: {rod: {type: beam, section: bar, from: [0, 0, 0], to: [2, 0, 0], elements: 4}}\n"
        "joints: {pin: {type: revolute, between: [ground, rod.start], axis: z}}\n"
        "loads: {wind: {on: rod.node(2), force: [4, 0, 0]}}\n"
        "analysis: {type: statics}\n"
        "outputs: {angle: \"atan2(pos(rod.end).y, pos(rod.end).x)\", M: \"section(rod, "
        "0.5).Mz\"}\n";
    (void)state;
    /* wind and weight act at the middle; across the rod the wind bends it by 4 cos(lean)/2 L/2, the weight,
     * w L sin(lean), half as much */
    double lean = atan2(4, 0.5 * 2 * 9.81), wind = 4 * cos(lean), weight = 9.81 * sin(lean);
    table r = run_as("elastodynamic", (run_how){.text = text});
    assert_near(table_last(&r, "angle"), lean - PI / 2, 1e-4);
    assert_near(fabs(table_last(&r, "M")), fabs(wind * 2 / 4 - weight * 2 / 8), 1e-3);
    table_free(&r);
}

/* ---- frozen eigenvalues ---- */

static const char rotor[] =
    "limber: 1\n"
    "parameters: {W: 60, n: 16, EA: 1e7}\n"
    "sections: {bar: {shape: stiffness, EA: EA, EIy: 40, EIz: 90, GJ: 30, rhoA: 0.4, rhoIy: 1e-9,\n"
    "  rhoIz: 1e-9}}\n"
    "bodies: {beam: {type: beam, section: bar, from: [0, 0, 0], to: [1, 0, 0], elements: n}}\n"
    "joints: {root: {type: revolute, between: [ground, beam.start], axis: z, drive: W*t}}\n"
    "analysis: {type: linearize}\n"
    "outputs: {tip: tip(beam).y}\n";

static double pole(const linear *s, int i) { return hypot(s->l.pole[i].re, s->l.pole[i].im); }

/* The paper's equations, omega^2 = omega0^2 - W^2 in the plane of rotation and omega0 out of it. */
static void without_stiffening(void **state)
{
    static char text[sizeof rotor + 80];
    double lambda = 3.5160152685;
    (void)state;
    snprintf(text, sizeof text, "%sformulation: {type: elastodynamic, stiffening: false}\n", rotor);
    char *W = strstr(text, "W: 60");
    memcpy(W, "W: 20", 5);
    memcpy(strstr(text, "EA: 1e7"), "EA: 1e9", 7); /* no stretch */
    linear *s = linear_of(NULL, text, NULL, 0);
    double flap = lambda * sqrt(40 / 0.4), chord = lambda * sqrt(90 / 0.4);
    assert_near(pole(s, 0) / flap, 1, 1e-5);
    assert_near(pow(pole(s, 1), 2) / (chord * chord - 400), 1, 1e-5);
    linear_done(s);
}

/* Wright et al. (1982): gamma = W sqrt(rhoA L^4/EI) = 6 in flap. */
static void with_stiffening(void **state)
{
    (void)state;
    linear *s = linear_of(NULL, rotor, "elastodynamic", 0);
    double unit = sqrt(40 / 0.4);
    double want[] = {7.3604, 26.8091, 66.6839};
    for (int k = 0; k < 3; k++) {
        double best = 1;
        for (int i = 0; i < s->l.npoles; i++)
            best = fmin(best, fabs(pole(s, i) / (want[k] * unit) - 1));
        assert_under(best, 1e-3);
    }
    linear_done(s);
}

/* The matrices are the derivatives of the equations of a closed mechanism on the move. */
static void linearised(void **state)
{
    static const char four_bar[] =
        "limber: 1\n"
        "gravity: [0, -9.81, 0]\n"
        "sections: {bar: {shape: stiffness, EA: 1e5, EIy: 40, EIz: 90, GJ: 30, rhoA: 0.4,\n"
        "  rhoIy: 1e-3, rhoIz: 2e-3, damping: {stiffness: 1e-3, mass: 0.2}}}\n"
        "bodies:\n"
        "  crank: {type: rigid, mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0], com: [0, "
        "0.1, 0]}\n"
        "  coupler: {type: beam, section: bar, from: [0, 0.3, 0], to: [1, 0.6, 0], elements: 2}\n"
        "  rocker: {type: beam, section: bar, from: [1, 0, 0], to: [1, 0.6, 0], elements: 2}\n"
        "joints:\n"
        "  A: {type: revolute, between: [ground, crank], axis: z, drive: 3*t + 0.4*t^2}\n"
        "  B: {type: revolute, between: [crank, coupler.start], at: [0, 0.3, 0], axis: z}\n"
        "  C: {type: revolute, between: [coupler.end, rocker.end], axis: z}\n"
        "  D: {type: revolute, between: [ground, rocker.start], axis: z}\n"
        "loads: {push: {on: rocker.node(1), force: [1, 2, 3]}}\n"
        "analysis: {type: linearize}\n"
        "outputs: {x: pos(rocker.end).x, F: force(C).x, M: \"section(coupler, 0.3).Mz\"}\n";
    (void)state;
    linear *s = linear_of(NULL, four_bar, "elastodynamic", 0);
    lm_system *sys = s->run.sys;
    const lm_form *form = sys->form;
    lm_form as_any = *form; /* about the state itself, with its own accelerations and reactions */
    as_any.linear_about = NULL;
    sys->form = &as_any;
    linear_solve_again(s);
    linear_errors e = linear_check(s, 1e-4);
    assert_under(e.da, 1e-8);
    assert_under(e.dlam, 1e-8);
    assert_under(e.outputs, 1e-8);
    sys->form = form;
    linear_done(s);
}

/* ---- time response ---- */

static const char slider_crank[] =
    "limber: 1\n"
    "parameters: {W: 10, T: 10*pi/W, E: 2.1e11, n: 3}\n"
    "materials: {steel: {E: E, nu: 0.3, rho: 7850, damping: {stiffness: 1e-5}}}\n"
    "sections: {strip: {material: steel, shape: rectangle, height: 0.006, width: 0.02}}\n"
    "bodies:\n"
    "  crank: {type: beam, section: strip, from: [0, 0, 0], to: [0.15, 0, 0], elements: n}\n"
    "  rod: {type: beam, section: strip, from: [0.15, 0, 0], to: [0.45, 0, 0], elements: 2*n}\n"
    "  slider: {type: rigid, mass: 0.2, inertia: [1e-4, 1e-4, 1e-4], position: [0.45, 0, 0]}\n"
    "joints:\n"
    "  pivot: {type: revolute, between: [ground, crank.start], axis: z,\n"
    "    drive: \"W/T*(t^2/2 + (T/(2*pi))^2*(cos(2*pi*t/T) - 1))\"}\n"
    "  pin: {type: revolute, between: [crank.end, rod.start], axis: z}\n"
    "  wrist: {type: revolute, between: [rod.end, slider], axis: z}\n"
    "  guide: {type: prismatic, between: [ground, slider], axis: x}\n"
    "analysis: {type: dynamics, until: T, output_step: T/100, tolerance: 1e-6}\n"
    "outputs:\n"
    "  x: pos(slider).x\n"
    "  deflection: deflection(rod, 0.5).y\n"
    "  moment: section(rod, 0.5).Mz\n"
    "  torque: moment(pivot).z\n"
    "  guide: force(guide).y\n"
    "  pin: force(pin).x\n";

/* At low speed the elastic response is that of the nonlinear equations, joint forces too. */
static void slow_mechanism(void **state)
{
    static const char *const column[] = {"x", "deflection", "moment", "torque", "guide", "pin"};
    (void)state;
    run_how how = {.text = slider_crank};
    table a = run_as("corotational", how), b = run_as("elastodynamic", how);
    for (int i = 0; i < 6; i++) assert_under(off(&a, &b, column[i]), 2e-4);
    table_free(&a);
    table_free(&b);
}

/* The error of the theory is of second order in the displacements: it grows with the fourth power of the
 * speed at least, until it fails. */
static void where_it_fails(void **state)
{
    double error[2];
    const char *const set[] = {"W=15", "W=30"};
    (void)state;
    for (int k = 0; k < 2; k++) {
        run_how how = {.text = slider_crank, .set = {set[k]}};
        table a = run_as("corotational", how), b = run_as("elastodynamic", how);
        error[k] = off(&a, &b, "deflection");
        table_free(&a);
        table_free(&b);
    }
    assert_between(error[1], 4 * error[0], 5e-3);
}

/* Bodies that hardly bend: joint forces are those of the rigid mechanism. */
static void joint_forces(void **state)
{
    (void)state;
    run_how how = {.text = slider_crank,
                   .set = {"E=2.1e13"},
                   .analysis = "{type: dynamics, until: 1, output_step: 0.02}"};
    run_how rigid = how;
    const char *const beam[2] = {
        "type: beam, section: strip, from: [0, 0, 0], to: [0.15, 0, 0], elements: n",
        "type: beam, section: strip, from: [0.15, 0, 0], to: [0.45, 0, 0], elements: 2*n"};
    /* m = rho h b L; m L^2/12 about y and z with the sections' own, m (h^2 + b^2)/12 about x */
    rigid.swap[0][0] = beam[0];
    rigid.swap[0][1] = "type: rigid, mass: 0.1413, inertia: [5.134e-6, \"0.1413*(0.15^2 + "
                       "0.02^2)/12\", \"0.1413*(0.15^2 + 0.006^2)/12\"], position: [0, 0, 0], com: "
                       "[0.075, 0, 0], frames: {start: [0, 0, 0], end: [0.15, 0, 0]}";
    rigid.swap[1][0] = beam[1];
    rigid.swap[1][1] = "type: rigid, mass: 0.2826, inertia: [1.0268e-5, \"0.2826*(0.3^2 + "
                       "0.02^2)/12\", \"0.2826*(0.3^2 + 0.006^2)/12\"], position: [0.15, 0, 0], "
                       "com: [0.15, 0, 0], frames: {start: [0, 0, 0], end: [0.3, 0, 0]}";
    rigid.swap[2][0] = "  deflection: deflection(rod, 0.5).y\n";
    rigid.swap[2][1] = "";
    rigid.swap[3][0] = "  moment: section(rod, 0.5).Mz\n";
    rigid.swap[3][1] = "";
    table a = run_as("corotational", rigid), b = run_as("elastodynamic", how);
    assert_under(off(&a, &b, "x"), 1e-5);
    assert_under(off(&a, &b, "torque"), 1e-3);
    assert_under(off(&a, &b, "guide"), 1e-3);
    assert_under(off(&a, &b, "pin"), 1e-3);
    table_free(&a);
    table_free(&b);
}

/* A motion that forces, not drives, determine: from the rigid run. */
static void free_motions(void **state)
{
    (void)state;
    run_how how = {.model = "flexible_pendulum"};
    table a = run_as("corotational", how), b = run_as("elastodynamic", how);
    assert_under(off(&a, &b, "theta"), 1e-5);
    assert_under(off(&a, &b, "deflection"), 2e-3);
    table_free(&a);
    table_free(&b);
    how = (run_how){.model = "spin_up"};
    a = run_as("corotational", how), b = run_as("elastodynamic", how);
    assert_under(off(&a, &b, "u2"), 2e-3);
    assert_under(off(&a, &b, "torque"), 2e-3);
    table_free(&a);
    table_free(&b);
}

/* Two analyses in a row are one: the rigid motion goes on where it was. Rigid bodies alone are exact. */
static void goes_on(void **state)
{
    static const char text[] =
        "limber: 1\n"
        "gravity: [0, -9.81, 0]\n"
        "sections: {bar: {shape: stiffness, EA: 1e6, EIy: 500, EIz: 500, GJ: 400, rhoA: 0.5,\n"
        "  rhoIy: 1e-3, rhoIz: 1e-3}}\n"
        "bodies: {rod: {type: beam, section: bar, from: [0, 0, 0], to: [1, 0, 0], elements: 2}}\n"
        "joints: {pin: {type: revolute, between: [ground, rod.start], axis: z}}\n"
        "analysis: {type: dynamics, until: 1, output_step: 0.5, tolerance: 1e-8}\n"
        "outputs: {x: pos(rod.end).x, y: pos(rod.end).y, d: \"deflection(rod, 0.5).y\"}\n";
    (void)state;
    table whole = run_as("elastodynamic", (run_how){.text = text});
    table parts = run_as(
        "elastodynamic",
        (run_how){.text = text,
                  .analysis = "\n  - {type: dynamics, until: 0.5, output_step: 0.5, tolerance: "
                              "1e-8}\n  - {type: dynamics, until: 0.5, output_step: 0.5, "
                              "tolerance: 1e-8}"});
    assert_near(table_last(&parts, "x"), table_last(&whole, "x"), 1e-6);
    assert_near(table_last(&parts, "y"), table_last(&whole, "y"), 1e-6);
    assert_near(table_last(&parts, "d"), table_last(&whole, "d"), 1e-7);
    table_free(&whole);
    table_free(&parts);
}

/* ---- what it cannot do ---- */

static const char parallelogram[] =
    "limber: 1\n"
    "parameters: {x: 0, y: 0.2}\n"
    "sections: {bar: {shape: stiffness, EA: 1e6, EIy: 50, EIz: 50, GJ: 40, rhoA: 0.5,\n"
    "  rhoIy: 1e-4, rhoIz: 1e-4}}\n"
    "bodies:\n"
    "  crank: {type: beam, section: bar, from: [0, 0, 0], to: [x, y, 0], elements: 1}\n"
    "  coupler: {type: beam, section: bar, from: [x, y, 0], to: [x + 0.6, y, 0], elements: 2}\n"
    "  rocker: {type: beam, section: bar, from: [0.6, 0, 0], to: [x + 0.6, y, 0], elements: 1}\n"
    "joints:\n"
    "  A: {type: revolute, between: [ground, crank.start], axis: z, drive: 2*t}\n"
    "  B: {type: revolute, between: [crank.end, coupler.start], axis: z}\n"
    "  C: {type: revolute, between: [coupler.end, rocker.end], axis: z}\n"
    "  D: {type: revolute, between: [ground, rocker.start], axis: z}\n"
    "analysis: {type: dynamics, until: 1, output_step: 0.1}\n"
    "outputs: {x: pos(rocker.end).x}\n";

static void lost_rank(void **state)
{
    char said[SAID];
    (void)state;
    run_how how = {.text = parallelogram, .formulation = "elastodynamic"};
    assert_int_equal(run_listen(&how, said), LIMBER_OK);
    assert_says(said, "near t = 0.785");
    assert_says(said, "the joints lose rank");
    how.set[0] = "x=0.2", how.set[1] = "y=0"; /* begins there */
    assert_int_equal(run_listen(&how, said), LIMBER_INPUT);
    assert_says(said, "the rigid motion of the mechanism is not determined");
    assert_says(said, "joint C");
}

static void refused(void **state)
{
    static const char text[] =
        "limber: 1\n"
        "sections: {bar: {shape: stiffness, EA: 1e6, EIy: 50, EIz: 50, GJ: 40, rhoA: 0.5}}\n"
        "bodies: {rod: {type: beam, section: bar, from: [0, 0, 0], to: [1, 0, 0], elements: 1}}\n"
        "joints: {pin: {type: fixed, between: [ground, rod.start]}}\n"
        "loads: {pull: {on: rod.end, force: [\"section(rod, 0.5).N\", \"deflection(rod, 0.5).y\", "
        "0]}}\n"
        "analysis: {type: dynamics, until: 1}\n";
    char said[SAID];
    (void)state;
    run_how how = {.text = text, .formulation = "elastodynamic"};
    assert_int_equal(run_listen(&how, said), LIMBER_UNSUPPORTED);
    assert_says(said, "the rigid motion is found before the deformation");
    how = (run_how){.model = "superelement_pendulum", .formulation = "elastodynamic"};
    assert_int_equal(run_listen(&how, said), LIMBER_UNSUPPORTED);
    assert_says(said, "need the formulation 'minimal'");
}

/* Turning by much against the rigid motion is said, once a run is over. */
static void large_rotations(void **state)
{
    static const char text[] =
        "limber: 1\n"
        "gravity: [0, -9.81, 0]\n"
        "sections: {bar: {shape: stiffness, EA: 1e6, EIy: 5, EIz: 5, GJ: 4, rhoA: 2}}\n"
        "bodies: {rod: {type: beam, section: bar, from: [0, 0, 0], to: [1, 0, 0], elements: 2}}\n"
        "joints: {root: {type: fixed, between: [ground, rod.start]}}\n"
        "analysis: {type: statics}\n"
        "outputs: {v: tip(rod).y}\n"
        "formulation: elastodynamic\n";
    char said[SAID];
    (void)state;
    assert_int_equal(run_listen(&(run_how){.text = text}, said), LIMBER_OK);
    assert_near(number_after(said, "turn by up to "), 2 * 9.81 / (6 * 5), 0.01);
}

/* What swings freely may be anywhere after a while: the run ends before linear forces mean nothing. */
static void too_far_apart(void **state)
{
    static const char text[] =
        "limber: 1\n"
        "gravity: [0, -9.81, 0]\n"
        "sections: {bar: {shape: stiffness, EA: 1e6, EIy: 20, EIz: 20, GJ: 20, rhoA: 0.5,\n"
        "  rhoIy: 1e-4, rhoIz: 1e-4, damping: {stiffness: 1e-3}}}\n"
        "bodies:\n"
        "  a: {type: beam, section: bar, from: [0, 0, 0], to: [0.5, 0, 0], elements: 2}\n"
        "  b: {type: beam, section: bar, from: [0.5, 0, 0], to: [1, 0, 0], elements: 2}\n"
        "joints:\n"
        "  p: {type: revolute, between: [ground, a.start], axis: z}\n"
        "  q: {type: revolute, between: [a.end, b.start], axis: z}\n"
        "analysis: {type: dynamics, until: 60, output_step: 1}\n"
        "outputs: {x: pos(b.end).x}\n"
        "formulation: elastodynamic\n";
    char said[SAID];
    (void)state;
    assert_int_equal(run_listen(&(run_how){.text = text}, said), LIMBER_STOPPED);
    assert_says(said, "against the rigid motion");
    assert_says(said, "use 'corotational'");
}

/* A steady state found directly: the same motion, and nearly the same multipliers. */
static void periodic_motion(void **state)
{
    static const char *const column[] = {"slider", "deflection", "moment", "torque"};
    (void)state;
    run_how how = {.model = "slider_crank_steady", .analysis = "{type: periodic}"};
    table a = run_as("corotational", how), b = run_as("elastodynamic", how);
    for (int i = 0; i < 4; i++) assert_under(off(&a, &b, column[i]), 2e-3);
    table_free(&a);
    table_free(&b);
}

static void failing_allocations(void **state)
{
    static char text[sizeof parallelogram + 60];
    char path[400];
    (void)state;
    snprintf(path, sizeof path, "%s/elastodynamic_failing.h5", getenv("SCRATCH"));
    snprintf(text, sizeof text, "%sformulation: elastodynamic\n", parallelogram);
    memcpy(strstr(text, "until: 1, output_step: 0.1"), "until: .1,output_step: 0.1", 26);
    every_allocation_fails(text, path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modes_at_rest),
        cmocka_unit_test(statics),
        cmocka_unit_test(statics_of_a_mechanism),
        cmocka_unit_test(without_stiffening),
        cmocka_unit_test(with_stiffening),
        cmocka_unit_test(linearised),
        cmocka_unit_test(slow_mechanism),
        cmocka_unit_test(where_it_fails),
        cmocka_unit_test(joint_forces),
        cmocka_unit_test(free_motions),
        cmocka_unit_test(goes_on),
        cmocka_unit_test(lost_rank),
        cmocka_unit_test(refused),
        cmocka_unit_test(large_rotations),
        cmocka_unit_test(too_far_apart),
        cmocka_unit_test(periodic_motion),
        cmocka_unit_test(failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
