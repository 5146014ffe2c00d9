/* Rotors without damping and without forces that feed them: their matrices are symmetric, and nothing grows. */
#include "support/linear.h"
#include "support/listen.h"

/* ---- blades ---- */

static double drawn(unsigned *seed, double low, double high)
{
    *seed = 1664525u * *seed + 1013904223u;
    return low + (high - low) * (*seed >> 8) / 16777216.0;
}

/* A blade of general direction and section with a body beside its tip; `joint` holds that body. */
static void blade(unsigned seed, const char *joint, const char *damping, char *text, size_t size)
{
    double a[3], b[3], c[3], y[3];
    for (int i = 0; i < 3; i++) {
        a[i] = drawn(&seed, -0.2, 0.2);
        b[i] = a[i] + drawn(&seed, 0.2, 0.5) * (drawn(&seed, -1, 1) < 0 ? -1 : 1);
        c[i] = drawn(&seed, -0.08, 0.08);
        y[i] = drawn(&seed, -1, 1);
    }
    double EIy = drawn(&seed, 100, 1000), EIz = drawn(&seed, 100, 1000);
    snprintf(text, size,
             "limber: 1\n"
             "parameters: {W: 20}\n"
             "sections: {s: {shape: stiffness, EA: 3e5, GJ: 150, EIy: %g, EIz: %g, rhoA: 1.3,\n"
             "  rhoIy: 0.002, rhoIz: 0.004%s}}\n"
             "bodies:\n"
             "  hub: {type: rigid, mass: 1, inertia: [1, 1, 1], frames: {f: [%g, %g, %g]}}\n"
             "  b: {type: beam, section: s, from: [%g, %g, %g], to: [%g, %g, %g], elements: 4,\n"
             "    y_axis: [%g, %g, %g]}\n"
             "  m: {type: rigid, mass: 0.3, inertia: [0.01, 0.02, 0.015], com: [%g, %g, %g],\n"
             "    position: [%g, %g, %g]}\n"
             "joints:\n"
             "  j: {type: revolute, between: [ground, hub], axis: z, drive: W*t}\n"
             "  c: {type: fixed, between: [hub.f, b.start]}\n"
             "  d: {%s, between: [b.end, m]}\n"
             "analysis: {type: campbell, drive: j, speeds: [0, W, 3], count: 5}\n",
             EIy, EIz, damping, a[0], a[1], a[2], a[0], a[1], a[2], b[0], b[1], b[2], y[0], y[1],
             y[2], c[0], c[1], c[2], b[0], b[1], b[2], joint);
}

static const char weld[] = "type: fixed";
static const char spring[] = "type: universal, axes: [x, z], stiffness: {angle1: 60, angle2: 80}";

static void check_campbell(unsigned seed, const char *joint)
{
    static char text[2000];
    blade(seed, joint, "", text, sizeof text);
    run_how how = {.text = text, .formulation = "elastodynamic"};
    table e = run_model(&how);
    how.formulation = "corotational";
    table c = run_model(&how);
    assert_int_equal(e.rows, c.rows);
    assert_true(isnan(e.sum.unstable_from));
    for (int i = 0; i < e.rows; i++) {
        assert_under(fabs(table_get(&e, i, "damping_ratio")), 1e-10);
        assert_near(table_get(&e, i, "frequency") / table_get(&c, i, "frequency"), 1, 0.02);
    }
    table_free(&e);
    table_free(&c);
}

/* As it is bent. */
static void nothing_grows(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= 4; seed++) {
        check_campbell(seed, weld);
        check_campbell(seed, spring);
    }
}

/* About the rigid motion, in which nothing balances the moments yet. */
static void poles_are_imaginary(void **state)
{
    static char text[2000];
    (void)state;
    for (unsigned seed = 1; seed <= 8; seed++) {
        blade(seed, weld, "", text, sizeof text);
        strcpy(strstr(text, "analysis"), "analysis: {type: linearize}\n");
        linear *s = linear_of(NULL, text, "elastodynamic", 0);
        assert_true(s->l.npoles > 20);
        for (int i = 0; i < s->l.npoles; i++)
            assert_under(fabs(s->l.pole[i].re), 1e-10 * hypot(s->l.pole[i].re, s->l.pole[i].im));
        linear_done(s);
    }
}

/* Damping by stiffness makes all of them decay. */
static void damping_damps(void **state)
{
    static char text[2000];
    (void)state;
    for (unsigned seed = 1; seed <= 3; seed++) {
        blade(seed, weld, ", damping: {stiffness: 1e-5}", text, sizeof text);
        table r = run_model(&(run_how){.text = text, .formulation = "elastodynamic"});
        assert_true(isnan(r.sum.unstable_from));
        for (int i = 0; i < r.rows; i++) assert_true(table_get(&r, i, "damping_ratio") > 1e-5);
        table_free(&r);
    }
}

/* ---- a follower force ---- */

/* Beck's column flutters at 20.05 EI/L^2: what is really not symmetric stays. */
static void beck(void **state)
{
    static const char column[] =
        "limber: 1\n"
        "parameters: {P: 19}\n"
        "sections: {s: {shape: stiffness, EA: 1e7, GJ: 1e4, EIy: 10, EIz: 1e4, rhoA: 1}}\n"
        "bodies: {b: {type: beam, section: s, from: [0, 0, 0], to: [1, 0, 0], elements: 12}}\n"
        "joints: {c: {type: fixed, between: [ground, b.start]}}\n"
        "loads: {l: {on: b.end, axes: local, force: [-10*P, 0, 0]}}\n"
        "analysis: {type: linearize}\n";
    (void)state;
    for (int P = 19; P <= 21; P += 2) {
        static char text[sizeof column];
        double growth = 0;
        snprintf(text, sizeof text, "%s", column);
        memcpy(strstr(text, "P: 19") + 3, P == 19 ? "19" : "21", 2);
        linear *s = linear_of(NULL, text, "elastodynamic", 0);
        for (int i = 0; i < s->l.npoles; i++) {
            double size = hypot(s->l.pole[i].re, s->l.pole[i].im);
            growth = fmax(growth, s->l.pole[i].re / size);
        }
        if (P == 19)
            assert_under(growth, 1e-9);
        else
            assert_true(growth > 0.01);
        linear_done(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_grows),
        cmocka_unit_test(poles_are_imaginary),
        cmocka_unit_test(damping_damps),
        cmocka_unit_test(beck),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
