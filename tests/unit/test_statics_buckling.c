/* Statics up to loads that an equilibrium does not bear, and beyond: buckling, snap-through, what gives way.
 * Against closed forms and published values. */
#include "support/listen.h"

#define PI 3.14159265358979323846

/* ---- buckling ---- */

static const char column[] =
    "limber: 1\n"
    "parameters: {k: 1.5, e: 0, N: 16}\n"
    "sections: {s: {shape: stiffness, EA: 1e7, EIy: 2, EIz: 1, GJ: 1, rhoA: 1}}\n"
    "bodies: {b: {type: beam, section: s, from: [0, 0, 0], to: [0, 1, 0], elements: N}}\n"
    "joints: {clamp: {type: fixed, between: [ground, b.start]}}\n"
    "loads: {tip: {on: b.end, axes: global, force: [e, -k*pi^2/4, 0]}}\n"
    "analysis: {type: statics}\n"
    "outputs: {x: pos(b.end).x, y: pos(b.end).y}\n";

/* Euler's load of a clamped column, pi^2 EI/4L^2; fine meshes converge to it. */
static void perfect_column(void **state)
{
    char said[SAID];
    (void)state;
    assert_int_equal(run_listen(&(run_how){.text = column}, said), LIMBER_OK);
    assert_says(said, "the equilibrium is unstable");
    assert_near(1.5 * number_after(said, "at load factor "), 1, 1e-3);
    run_listen(&(run_how){.text = column, .set = {"N=128"}}, said);
    assert_near(1.5 * number_after(said, "at load factor "), 1, 1e-4);
    run_listen(&(run_how){.text = column, .set = {"k=0.99"}}, said);
    assert_string_equal(said, "");
}

/* With an imperfection it goes over: 1.015 to 4.03 times Euler's load, elastica (Timoshenko and Gere,
 * table 2-4): tip angle 20, 60, 120 degrees: x/L .220, .593, .803; y/L .970, .741, .123. */
static void bent_column(void **state)
{
    static const double exact[][3] = {
        {1.015, .220, .970}, {1.152, .593, .741}, {1.884, .803, .123}};
    char said[SAID];
    (void)state;
    for (int i = 0; i < 3; i++) {
        char k[20];
        snprintf(k, sizeof k, "k=%g", exact[i][0]);
        run_how how = {.text = column, .set = {k, "e=1e-5", "N=64"}};
        table r = run_model(&how);
        assert_near(table_last(&r, "x"), exact[i][1], 4e-3);
        assert_near(table_last(&r, "y"), exact[i][2], 4e-3);
        table_free(&r);
        run_listen(&how, said);
        assert_string_equal(said, ""); /* stable all the way */
    }
}

/* A force that follows the tip of a column does not make it buckle (it flutters, in dynamics). */
static void column_under_a_force_that_follows(void **state)
{
    char text[1000], said[SAID];
    const char *at = strstr(column, "global, force: [e, -k*pi^2/4, 0]");
    (void)state;
    snprintf(text, sizeof text, "%.*slocal, force: [-k*pi^2/4, 0, 0]%s", (int)(at - column), column,
             at + strlen("global, force: [e, -k*pi^2/4, 0]"));
    assert_int_equal(run_listen(&(run_how){.text = text, .set = {"k=6"}}, said), LIMBER_OK);
    assert_string_equal(said, "");
}

/* 4.0126 sqrt(EI_weak GJ)/L^2. */
static void sideways(void **state)
{
    char said[SAID];
    (void)state;
    assert_int_equal(run_listen(&(run_how){.model = "lateral_buckling"}, said), LIMBER_OK);
    assert_near(5 * number_after(said, "at load factor "), 4.0126, 0.01 * 4.0126);
    run_listen(&(run_how){.model = "lateral_buckling", .set = {"N=64"}}, said);
    assert_near(5 * number_after(said, "at load factor "), 4.0126, 1e-3 * 4.0126);
    table r = run_model(&(run_how){.model = "lateral_buckling", .set = {"side=1e-4", "k=3.5"}});
    assert_under(table_last(&r, "sideways"), 1e-3);
    table_free(&r);
    run_how beyond = {.model = "lateral_buckling", .set = {"side=1e-4", "k=5"}};
    r = run_model(&beyond);
    assert_between(table_last(&r, "sideways"), 0.3, 0.5);
    table_free(&r);
    run_listen(&beyond, said);
    assert_string_equal(said, "");
}

/* ---- snap-through ---- */

static const char truss[] =
    "limber: 1\n"
    "parameters: {P: 500, H: 0.1, EA: 1e6}\n"
    "sections: {rod: {shape: stiffness, EA: EA, EIy: 1e4, EIz: 1e4, GJ: 1e4, rhoA: 1}}\n"
    "bodies:\n"
    "  left: {type: beam, section: rod, from: [-1, 0, 0], to: [0, H, 0], elements: 1}\n"
    "  right: {type: beam, section: rod, from: [1, 0, 0], to: [0, H, 0], elements: 1}\n"
    "joints:\n"
    "  a: {type: revolute, between: [ground, left.start], axis: z}\n"
    "  b: {type: revolute, between: [ground, right.start], axis: z}\n"
    "  top: {type: revolute, between: [left.end, right.end], axis: z}\n"
    "loads: {down: {on: left.end, force: [0, -P, 0]}}\n"
    "analysis: {type: statics}\n"
    "outputs: {y: pos(left.end).y}\n";

/* Load that holds the top at y: 2 EA (L - l)/L y/l. */
static double truss_load(double y)
{
    double L = hypot(1, 0.1), l = hypot(1, y);
    return 2e6 * (L - l) / L * y / l;
}

/* y between a and b, where the load grows from a to b. */
static double truss_height(double load, double a, double b)
{
    for (int k = 0; k < 100; k++) {
        double c = 0.5 * (a + b);
        if (truss_load(c) < load)
            a = c;
        else
            b = c;
    }
    return a;
}

static void two_bars(void **state)
{
    char said[SAID];
    double most = 0, at = 0;
    (void)state;
    for (double y = 0.05; y < 0.065; y += 1e-7)
        if (truss_load(y) > most) most = truss_load(y), at = y;
    table r = run_model(&(run_how){.text = truss});
    assert_near(table_last(&r, "y"), truss_height(500, -0.1, -0.2), 1e-12);
    table_free(&r);
    assert_int_equal(run_listen(&(run_how){.text = truss}, said), LIMBER_OK);
    assert_near(500 * number_after(said, "turns at "), most, 1e-3);
    assert_near(500 * number_after(strstr(said, "turns at "), ", "), -most, 1e-3);
    assert_says(said, "other equilibria");
    assert_null(strstr(said, "unstable"));
    /* just below: nothing to report */
    r = run_model(&(run_how){.text = truss, .set = {"P=381"}});
    assert_near(table_last(&r, "y"), truss_height(381, 0.1, at), 1e-10);
    table_free(&r);
    run_listen(&(run_how){.text = truss, .set = {"P=381"}}, said);
    assert_string_equal(said, "");
}

static double arch_limit(const char *n)
{
    char said[SAID];
    assert_int_equal(run_listen(&(run_how){.model = "shallow_arch", .set = {n}}, said), LIMBER_OK);
    assert_null(strstr(said, "unstable"));
    return number_after(said, "turns at ");
}

/* A polygon as drawn: one element for each straight piece is enough (0.833100 with 2, 4 or 8), and it
 * tends to the arch with the square of the pieces' length. */
static void arch(void **state)
{
    (void)state;
    double f16 = arch_limit("N=16"), f32 = arch_limit("N=32"), f64 = arch_limit("N=64");
    assert_between((f16 - f32) / (f32 - f64), 3.5, 4.5); /* order 2 */
    assert_near(f16, 0.833100, 1e-5);
    assert_near(f64 + (f64 - f32) / 3, 0.838125, 1e-5);
    table r = run_model(&(run_how){.model = "shallow_arch"});
    assert_true(table_last(&r, "y") < -0.0055); /* on the other side */
    assert_near(table_last(&r, "x"), 0, 1e-12);
    assert_true(r.rows > 5);
    table_free(&r);
}

/* A bar turned by a moment against a spring that can hold half of it: the path goes round and round. */
static void gives_way(void **state)
{
    static const char text[] =
        "limber: 1\n"
        "parameters: {T: 1}\n"
        "bodies: {bar: {type: rigid, mass: 1, inertia: [1, 1, 1], frames: {tip: [1, 0, 0]}}}\n"
        "joints: {pivot: {type: revolute, between: [ground, bar], axis: z}}\n"
        "forces: {spring: {type: spring, between: [\"ground.at(3, 0, 0)\", bar.tip], stiffness: "
        "10}}\n"
        "loads: {moment: {on: bar, torque: [0, 0, T]}}\n"
        "analysis: {type: statics}\n"
        "outputs: {angle: joint(pivot)}\n";
    char said[SAID], set[40];
    double most = 0;
    (void)state;
    for (double a = 0; a < PI; a += 1e-6) {
        double d = sqrt(10 - 6 * cos(a));
        most = fmax(most, 10 * (d - 2) * 3 * sin(a) / d);
    }
    snprintf(set, sizeof set, "T=%.17g", 2 * most);
    assert_int_equal(run_listen(&(run_how){.text = text, .set = {set}}, said), LIMBER_STOPPED);
    assert_near(number_after(said, "grows to "), 0.5, 1e-5);
    assert_says(said, "body bar turning about z gives way");
    snprintf(set, sizeof set, "T=%.17g", 0.999 * most);
    assert_int_equal(run_listen(&(run_how){.text = text, .set = {set}}, said), LIMBER_OK);
    assert_string_equal(said, "");
}

/* A load that follows the end of a column never makes it diverge (Beck: it flutters from 20.05 EI/L^2 on): pivots
 * of the unsymmetric matrix turn negative in pairs only. */
static void follower_load(void **state)
{
    static const char *const loads[] = {"5", "12", "18"};
    (void)state;
    for (int i = 0; i < 3; i++) {
        char set[20], said[SAID];
        snprintf(set, sizeof set, "P=%s", loads[i]);
        run_how how = {
            .text =
                "limber: 1\nparameters: {P: 1}\n"
                "sections: {s: {shape: stiffness, EA: 1e6, EIy: 1, EIz: 1, GJ: 1, rhoA: 1}}\n"
                "bodies: {b: {type: beam, section: s, from: [0, 0, 0], to: [1, 0, 0], elements: "
                "6}}\n"
                "joints: {c: {type: fixed, between: [ground, b.start]}}\n"
                "loads: {f: {on: b.end, force: [-P, 0, 0], axes: local}}\n"
                "analysis: {type: statics}\noutputs: {x: pos(b.end).x}\n",
            .set = {set}};
        assert_int_equal(run_listen(&how, said), LIMBER_OK);
        assert_null(strstr(said, "unstable"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(follower_load), cmocka_unit_test(perfect_column),
        cmocka_unit_test(bent_column),   cmocka_unit_test(column_under_a_force_that_follows),
        cmocka_unit_test(sideways),      cmocka_unit_test(two_bars),
        cmocka_unit_test(arch),          cmocka_unit_test(gives_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
