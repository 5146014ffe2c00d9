/* The same mechanism in other units of length, mass and time: the same answer. The units are parameters
 * of the models and powers of two, which round nothing: steps and iterations are the same, too. Any number in the program that compares a length, a mass or a time with a
 * constant shows here. */
#include "support/run_model.h"

#define HEAD "limber: 1\nparameters: {m: 1, s: 1, kg: 1, N: \"kg*m/s^2\""

static const char rigid_tree[] =
    HEAD "}\n"
         "gravity: [0.3*m/s^2, -9.81*m/s^2, 1.1*m/s^2]\n"
         "bodies:\n"
         "  a: {type: rigid, mass: 1.3*kg, inertia: [0.1*kg*m^2, 0.22*kg*m^2, 0.25*kg*m^2], com: "
         "[0.5*m, 0.1*m, 0.05*m], frames: {e: [1*m, 0, 0.2*m]}}\n"
         "  b: {type: rigid, mass: 0.7*kg, inertia: [0.05*kg*m^2, 0.08*kg*m^2, 0.1*kg*m^2], "
         "position: [1*m, 0, 0.2*m], com: [0.3*m, 0, 0], frames: {e: [0.6*m, 0, 0]}}\n"
         "joints:\n"
         "  j1: {type: revolute, between: [ground, a], axis: [0.1, 0.3, 1], stiffness: 2*N*m, "
         "damping: 0.1*N*m*s}\n"
         "  j2: {type: universal, between: [a.e, b], axes: [y, z]}\n"
         "forces:\n"
         "  k: {type: spring, between: [\"ground.at(0.5*m, 2*m, 0.3*m)\", b.e], stiffness: "
         "30*N/m, damping: 0.4*N*s/m, length: 1.5*m}\n"
         "  u: {type: bushing, between: [a.e, b], stiffness: [0, 0, 0, 0.1*N*m, 0.2*N*m, "
         "0.3*N*m], damping: [0,0,0, 0.01*N*m*s, 0.02*N*m*s, 0.03*N*m*s]}\n"
         "initial: {j1: {rate: 1/s}}\n"
         "analysis: {type: dynamics, until: 2*s, output_step: 0.1*s}\n"
         "outputs: {x: pos(b.e).x/m, y: pos(b.e).y/m, z: pos(b.e).z/m, w: rate(j1)*s, F: "
         "norm(force(j1))/N, M: norm(moment(j1))/(N*m), E: energy.total/(N*m), v: "
         "norm(vel(b))*s/m}\n";

static const char beam[] =
    HEAD "}\n"
         "gravity: [0.3*m/s^2, -9.81*m/s^2, 1.1*m/s^2]\n"
         "materials: {al: {E: 7e10*N/m^2, nu: 0.3, rho: 2700*kg/m^3, damping: {mass: 0.5/s, "
         "stiffness: 1e-5*s}}}\n"
         "sections: {bar: {material: al, shape: rectangle, height: 0.02*m, width: 0.01*m}}\n"
         "bodies:\n"
         "  arm: {type: beam, section: bar, from: [0, 0, 0], to: [1*m, 0.2*m, 0.1*m], elements: "
         "4}\n"
         "  mass: {type: rigid, mass: 0.3*kg, inertia: [1e-3*kg*m^2, 2e-3*kg*m^2, 3e-3*kg*m^2], "
         "position: [1*m, 0.2*m, 0.1*m], com: [0.02*m, 0.01*m, 0]}\n"
         "joints:\n"
         "  h: {type: revolute, between: [ground, arm.start], axis: [0, 0.2, 1], stiffness: "
         "50*N*m, damping: 0.5*N*m*s}\n"
         "  w: {type: fixed, between: [arm.end, mass]}\n"
         "loads: {f: {on: arm.end, force: [0, \"5*N*sin(3*t/s)\", 1*N]}}\n"
         "analysis: {type: dynamics, until: 1*s, output_step: 0.05*s}\n"
         "outputs: {x: pos(mass).x/m, y: pos(mass).y/m, z: pos(mass).z/m, w: rate(h)*s, F: "
         "norm(force(h))/N, M: norm(moment(w))/(N*m), E: energy.total/(N*m), sec: \"section(arm, "
         "0.5).Mz/(N*m)\", sg: \"section(arm,0.5).stress/(N/m^2)\"}\n";

static const char strip[] =
    HEAD ", speed: 40, r: 0.12, L: 0.4}\n"
         "gravity: [0, -9.81*m/s^2, 0]\n"
         "materials:\n"
         "  steel: {E: 2.1e11*N/m^2, nu: 0.3, rho: 7800*kg/m^3, damping: {stiffness: 1e-3*s}}\n"
         "sections:\n"
         "  strip: {material: steel, shape: rectangle, height: 0.0012*m, width: 0.02*m}\n"
         "bodies:\n"
         "  crank: {type: rigid, mass: 0.3*kg, inertia: [3e-5*kg*m^2, 4e-4*kg*m^2, 4e-4*kg*m^2], "
         "com: [r*m/2, 0, 0], frames: {pin: [r*m, 0, 0]}}\n"
         "  rod: {type: beam, section: strip, from: [r*m, 0, 0], to: [r*m + L*m, 0, 0], elements: "
         "6}\n"
         "  slider: {type: rigid, mass: 0.05*kg, inertia: [1e-5*kg*m^2, 1e-5*kg*m^2, "
         "1e-5*kg*m^2], position: [r*m + L*m, 0, 0]}\n"
         "joints:\n"
         "  motor: {type: revolute, between: [ground, crank], axis: z, drive: \"speed*(t/s - "
         "0.2*(1 - exp(-t/s/0.2)))\"}\n"
         "  pin: {type: revolute, between: [crank.pin, rod.start], axis: z}\n"
         "  wrist: {type: revolute, between: [rod.end, slider], axis: z}\n"
         "  guide: {type: prismatic, between: [ground, slider], axis: x}\n"
         "analysis: {type: dynamics, until: 0.5*s}\n"
         "outputs:\n"
         "  bend: deflection(rod, 0.5).y/L/m\n"
         "  torque: moment(motor).z/(N*m)\n"
         "  guide: norm(force(guide))/N\n";

static const char rigid_loop[] =
    HEAD "}\n"
         "gravity: [0, -9.81*m/s^2, 0]\n"
         "bodies:\n"
         "  a: {type: rigid, mass: 1*kg, inertia: [0.01*kg*m^2, 0.08*kg*m^2, 0.09*kg*m^2], com: "
         "[0.1*m, 0.02*m, 0], frames: {e: [0.2*m, 0.1*m, 0]}}\n"
         "  b: {type: rigid, mass: 0.6*kg, inertia: [0.01*kg*m^2, 0.03*kg*m^2, 0.03*kg*m^2], "
         "position: [0.2*m, 0.1*m, 0], com: [0.25*m,0,0], frames: {e: [0.5*m, 0.2*m, 0]}}\n"
         "  c: {type: rigid, mass: 0.9*kg, inertia: [0.01*kg*m^2, 0.03*kg*m^2, 0.04*kg*m^2], "
         "position: [0.7*m, 0.3*m, 0], com: [0, -0.2*m, 0], frames: {e: [0, -0.4*m, 0]}}\n"
         "joints:\n"
         "  A: {type: revolute, between: [ground, a], axis: z}\n"
         "  B: {type: revolute, between: [a.e, b], axis: z}\n"
         "  C: {type: revolute, between: [b.e, c], axis: z}\n"
         "  D: {type: revolute, between: [ground, c.e], axis: z, damping: 0.02*N*m*s}\n"
         "initial: {A: {rate: 3/s}}\n"
         "analysis: {type: dynamics, until: 1*s, output_step: 0.05*s}\n"
         "outputs: {x: pos(c).x/m, F: norm(force(C))/N, M: norm(moment(A))/(N*m), Mz: "
         "norm(moment(D))/(N*m)}\n";

static const char machine[] =
    HEAD ", V: 1, A: \"N*m/s/V\"}\n"
         "gravity: [0, -9.81*m/s^2, 0]\n"
         "bodies:\n"
         "  a: {type: rigid, mass: 1.3*kg, inertia: [0.1*kg*m^2, 0.22*kg*m^2, 0.25*kg*m^2], com: "
         "[0.5*m, 0.1*m, 0.05*m]}\n"
         "joints:\n"
         "  j1: {type: revolute, between: [ground, a], axis: z, effort: 2*N*m*pidc}\n"
         "blocks:\n"
         "  pidc: {type: pid, input: 0.3 - joint(j1), kp: 20, ki: 5/s, kd: 2*s, filter: 0.01*s}\n"
         "power:\n"
         "  shaft: {type: 1, domain: rotation}\n"
         "  p: {type: port, joint: j1, on: shaft}\n"
         "  gear: {type: TF, from: motor, to: shaft, modulus: 0.1}\n"
         "  motor: {type: 1, domain: rotation}\n"
         "  J: {type: I, inertia: 0.002*kg*m^2, on: motor}\n"
         "  d: {type: R, resistance: 0.01*N*m*s, on: motor}\n"
         "analysis: [{type: dynamics, until: 1*s, output_step: 0.02*s}, {type: linearize, at: "
         "0.5*s}]\n"
         "outputs: {q: joint(j1), w: rate(j1)*s, E: energy.total/(N*m)}\n";

static const char superelement[] =
    HEAD "}\n"
         "gravity: [0, -9.81*m/s^2, 1*m/s^2]\n"
         "materials: {al: {E: 7e9*N/m^2, nu: 0.3, rho: 2700*kg/m^3}}\n"
         "sections: {bar: {material: al, shape: rectangle, height: 0.02*m, width: 0.01*m}}\n"
         "bodies:\n"
         "  arm: {type: superelement, beam: {section: bar, length: 1*m}, nodes: {mid: [0.4*m, 0, "
         "0]}}\n"
         "  b: {type: beam, section: bar, points: [[1*m,0,0],[1.5*m,0.2*m,0],[2*m,0,0.3*m]], "
         "elements: 4, theory: timoshenko}\n"
         "  w: {type: rigid, mass: 0.2*kg, inertia: [1e-3*kg*m^2, 2e-3*kg*m^2, 3e-3*kg*m^2], "
         "position: [2*m, 0, 0.3*m]}\n"
         "joints:\n"
         "  h: {type: revolute, between: [ground, arm.start], axis: z}\n"
         "  c: {type: fixed, between: [arm.end, b.start], compliant: {stiffness: [1e5*N/m, "
         "1e3*N*m], damping: [10*N*s/m, 1*N*m*s]}}\n"
         "  e: {type: spherical, between: [b.end, w]}\n"
         "  loop: {type: distance, between: [\"ground.at(3*m, 0, 0)\", w]}\n"
         "analysis: {type: dynamics, until: 0.4*s, output_step: 0.02*s}\n"
         "outputs: {x: pos(w).x/m, y: pos(w).y/m, z: pos(w).z/m, w: rate(h)*s, F: "
         "norm(force(h))/N, M: norm(moment(c))/(N*m), E: energy.total/(N*m), F2: "
         "norm(force(loop))/N}\n";

static const char micro[] =
    HEAD ", L: 1}\n"
         "materials: {si: {E: 1.6e11*N/m^2, nu: 0.22, rho: 2330*kg/m^3}}\n"
         "sections: {bar: {material: si, shape: rectangle, height: 0.1*L*m, width: 0.05*L*m}}\n"
         "bodies:\n"
         "  arm: {type: beam, section: bar, from: [0, 0, 0], to: [1*L*m, 0.2*L*m, 0.1*L*m], "
         "elements: 4}\n"
         "joints:\n"
         "  h: {type: fixed, between: [ground, arm.start]}\n"
         "loads: {f: {on: arm.end, force: [0, 2e5*L^2*N, 0]}}\n"
         "analysis: [{type: statics}, {type: modes}]\n"
         "outputs: {y: pos(arm.end).y/m/L, z: pos(arm.end).z/m/L}\n";

static const char rotor[] =
    HEAD ", L: 1.2, r: 0.02, R: 0.15, M: 12}\n"
         "materials: {steel: {E: 2.1e11*N/m^2, nu: 0.3, rho: 7850*kg/m^3, damping: {stiffness: "
         "1e-6*s}}}\n"
         "sections: {shaft: {material: steel, shape: circle, radius: r*m}}\n"
         "bodies:\n"
         "  shaft: {type: beam, section: shaft, from: [0, 0, 0], to: [L*m, 0, 0], elements: 6}\n"
         "  disc: {type: rigid, mass: M*kg, inertia: [M*R^2/2*kg*m^2, M*R^2/4*kg*m^2, "
         "M*R^2/4*kg*m^2], position: [L/3*m, 0, 0]}\n"
         "joints:\n"
         "  motor: {type: revolute, between: [ground, shaft.start], axis: x, drive: 10*t/s}\n"
         "  bearing: {type: inline, between: [ground, shaft.end], axis: x}\n"
         "  hub: {type: fixed, between: [shaft.at(1/3), disc]}\n"
         "analysis: {type: campbell, drive: motor, speeds: [0, 600/s, 31], count: 6, frame: "
         "fixed}\n"
         "outputs: {y: pos(disc).y/m}\n";

/* Powers of two of the units of length, time and mass: km, um, mg, ms, days (nearly), all at once. */
static const int units[][3] = {
    {-10, 0, 0}, {20, 0, 0}, {0, 0, 20}, {0, 10, 0}, {0, -16, 0}, {20, 10, -20}, {10, 0, -20},
};
enum { UNITS = sizeof units / sizeof *units };

static table run(const char *text, const char *formulation, const int *unit)
{
    char m[20], s[20], kg[20];
    snprintf(m, sizeof m, "m=2^(%d)", unit[0]);
    snprintf(s, sizeof s, "s=2^(%d)", unit[1]);
    snprintf(kg, sizeof kg, "kg=2^(%d)", unit[2]);
    return run_model(&(run_how){.text = text, .formulation = formulation, .set = {m, s, kg}});
}

/* What a column of the table is measured in: times and rates are in units, outputs are not. */
static double unit_of(const char *column, const int *unit)
{
    static const char *const rates[] = {"frequency", "omega",     "speed",
                                        "real",      "imaginary", "frequency_hz"};
    if (!strcmp(column, "t")) return ldexp(1, unit[1]);
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        if (!strcmp(column, rates[i])) return ldexp(1, -unit[1]);
    return 1;
}

/* Equal to rounding of what is printed and of expressions; it does not grow, for steps are the same. */
static void compare(const table *a, const table *b, const int *unit, const char *formulation)
{
    char where[100];
    snprintf(where, sizeof where, "%s, units 2^(%d, %d, %d)", formulation, unit[0], unit[1],
             unit[2]);
    assert_int_equal(a->rows, b->rows);
    assert_int_equal(a->cols, b->cols);
    for (int c = 0; c < a->cols; c++) {
        double allowed = 1e-9 * fmax(table_range(a, a->name[c]), fabs(a->data[c]));
        for (int r = 0; r < a->rows; r++) {
            double x = a->data[r * a->cols + c], y = b->data[r * a->cols + c];
            y /= unit_of(a->name[c], unit);
            if (!(fabs(x - y) <= allowed))
                fail_msg("%s: '%s' in row %d is %.17g, not %.17g", where, a->name[c], r, y, x);
        }
    }
    if (a->sum.steps != b->sum.steps || a->sum.iterations != b->sum.iterations)
        fail_msg("%s: %ld steps, %ld iterations, not %ld, %ld", where, b->sum.steps,
                 b->sum.iterations, a->sum.steps, a->sum.iterations);
}

/* Each formulation in the unit of its turn and the next, all units in all for the default. */
static void in_all_units(const char *text)
{
    static const char *const forms[] = {"corotational", "minimal", "rfe", "ffr", "elastodynamic"};
    static const int none[3];
    for (int f = 0; f < 5; f++) {
        table one = run(text, forms[f], none);
        for (int k = 0; k < UNITS; k++) {
            if (f && (k + f) % 3 != 1) continue;
            table other = run(text, forms[f], units[k]);
            compare(&one, &other, units[k], forms[f]);
            table_free(&other);
        }
        table_free(&one);
    }
}

static void test_rigid_tree(void **state)
{
    (void)state;
    in_all_units(rigid_tree);
}

static void test_beam(void **state)
{
    (void)state;
    in_all_units(beam);
}

static void test_strip(void **state)
{
    (void)state;
    in_all_units(strip);
}

static void test_rigid_loop(void **state)
{
    (void)state;
    in_all_units(rigid_loop);
}

static void test_machine(void **state)
{
    (void)state;
    in_all_units(machine);
}

static void test_superelement(void **state)
{
    (void)state;
    in_all_units(superelement);
}

static void test_micro(void **state)
{
    (void)state;
    in_all_units(micro);
}

static void test_rotor(void **state)
{
    (void)state;
    in_all_units(rotor);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rigid_tree), cmocka_unit_test(test_beam),
        cmocka_unit_test(test_strip),      cmocka_unit_test(test_rigid_loop),
        cmocka_unit_test(test_machine),    cmocka_unit_test(test_superelement),
        cmocka_unit_test(test_micro),      cmocka_unit_test(test_rotor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
