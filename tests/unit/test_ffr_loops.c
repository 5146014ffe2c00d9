/* Driven loops with one elastic strip, drawn by chance: floating frames against corotational elements. Planar
 * four-bars, and loops in space that are closed by a universal and a ball joint. */
#include "math/v3.h"
#include "models_apart.h"
#include "support/listen.h"

#include <stdarg.h>

static uint64_t seed;

static double between(double low, double high)
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return low + (high - low) * (double)(seed >> 11) / 9007199254740992.0;
}

static lm_v3 any(void) { return v3_unit(v3(between(-1, 1), between(-1, 1), between(-1, 1))); }

typedef struct loop {
    lm_v3 A, B, C, D; /* crank A B, coupler B C, rocker D C */
    lm_v3 a, d;       /* axes of crank and rocker */
} loop;

/* 1: the rocker finds a place for every angle of the crank, far from where it could not. */
static int turns_round(const loop *l)
{
    lm_v3 p = v3_sub(l->B, l->A), s = v3_cross(l->a, p), q = v3_sub(l->C, l->D);
    lm_v3 t = v3_cross(l->d, q), rod = v3_sub(l->C, l->B);
    for (int k = 0; k < 72; k++) {
        double angle = k * 3.14159265358979 / 36;
        lm_v3 b = v3_add(l->A, v3_add(v3_mul(cos(angle), p), v3_mul(sin(angle), s)));
        lm_v3 to = v3_sub(l->D, b);
        double rest = v3_dot(to, to) + v3_dot(q, q) - v3_dot(rod, rod);
        if (fabs(rest) > 0.8 * 2 * hypot(v3_dot(to, q), v3_dot(to, t))) return 0;
    }
    return v3_norm(rod) > 0.25;
}

static loop draw(int planar)
{
    loop l;
    do {
        l.a = planar ? v3(0, 0, 1) : any();
        l.d = planar ? v3(0, 0, 1) : any();
        l.A = v3(0, 0, 0);
        l.D = v3(between(0.4, 0.9), between(-0.3, 0.3), planar ? 0 : between(-0.3, 0.3));
        l.B = v3_mul(between(0.08, 0.2), v3_unit(v3_cross(l.a, any())));
        l.C = v3_add(l.D, v3_mul(between(0.3, 0.7), v3_unit(v3_cross(l.d, any()))));
    } while (!turns_round(&l));
    return l;
}

/* ---- the model ---- */

static char text[4000];

static void put(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void put(const char *format, ...)
{
    va_list args;
    size_t used = strlen(text);
    va_start(args, format);
    vsnprintf(text + used, sizeof text - used, format, args);
    va_end(args);
}

static void put_v3(const char *key, lm_v3 x)
{
    put("%s [%.17g, %.17g, %.17g]", key, x.x, x.y, x.z);
}

static void put_link(const char *name, lm_v3 from, lm_v3 to, int elastic)
{
    lm_v3 half = v3_mul(0.5, v3_sub(to, from));
    double L = 2 * v3_norm(half), J = 0.3 * L * L * L / 12;
    put("  %s: {", name);
    if (elastic) {
        put_v3("type: beam, section: strip, from:", from), put_v3(", to:", to);
        put_v3(", y_axis:", v3_cross(half, any())), put(", elements: 8}\n");
        return;
    }
    put("type: rigid, mass: %.9g, inertia: [%.9g, %.9g, %.9g]", 0.3 * L, J, 1.1 * J, 0.9 * J);
    put_v3(", position:", v3_add(from, half)), put_v3(", frames: {start:", v3_neg(half));
    put_v3(", end:", half), put("}}\n");
}

static const char *const link_name[3] = {"crank", "coupler", "rocker"};

/* It starts without a jump of forces, which no mesh resolves: no weight, a drive without acceleration. */
static void write_model(const loop *l, int planar, int elastic)
{
    double w = between(10, 20), T = 2 * 3.14159265358979 / w;
    lm_v3 n = v3_unit(v3_cross(v3_sub(l->C, l->B), any()));
    text[0] = 0;
    put("limber: 1\n"
        "materials: {steel: {E: 2.1e11, nu: 0.3, rho: 7850, damping: {stiffness: 1e-4}}}\n"
        "sections: {strip: {material: steel, shape: rectangle, height: %.9g, width: %.9g}}\n"
        "bodies:\n",
        between(0.003, 0.006), between(0.015, 0.03));
    put_link("crank", l->A, l->B, elastic == 0);
    put_link("coupler", l->B, l->C, elastic == 1);
    put_link("rocker", l->D, l->C, elastic == 2);
    put_v3("joints:\n  A: {type: revolute, between: [ground, crank.start], at:", l->A);
    put_v3(", axis:", l->a), put(", drive: \"%.9g*t^3/(t^2 + 0.05^2)\"}\n", w);
    put_v3("  B: {between: [crank.end, coupler.start], at:", l->B);
    put_v3(planar ? ", type: revolute, axis:" : ", type: universal, axes: [", planar ? l->a : n);
    if (!planar) put_v3(",", v3_unit(v3_cross(v3_sub(l->C, l->B), n))), put("]");
    put_v3("}\n  C: {between: [coupler.end, rocker.end], at:", l->C);
    put(planar ? ", type: revolute, axis: z}\n" : ", type: spherical}\n");
    put_v3("  D: {type: revolute, between: [ground, rocker.start], at:", l->D);
    put_v3(", axis:", l->d), put("}\n");
    put("analysis: {type: dynamics, until: %.9g, output_step: %.9g, tolerance: 1e-5}\n", 0.8 * T,
        T / 50);
    put("outputs: {x: pos(coupler.end).x, y: pos(coupler.end).y, rate: rate(D), torque: moment(A), "
        "bend: \"deflection(%s, 0.5)\"}\n",
        link_name[elastic]);
}

/* Of a vector, over its largest component. */
static double vector_apart(const table *a, const table *b, const char *name)
{
    double most = 0, size = 0;
    for (int i = 0; i < 3; i++) {
        char component[40];
        snprintf(component, sizeof component, "%s.%c", name, "xyz"[i]);
        most = fmax(most, table_distance(a, b, component));
        size = fmax(size, table_range(a, component));
    }
    return most / size;
}

static void compare(int planar, int elastic)
{
    static const char *const frames = "limber: 1\nformulation: {type: ffr, substructures: 4}\n";
    static const char *const names[] = {"x", "y", "rate", NULL};
    loop l = draw(planar);
    write_model(&l, planar, elastic);
    table a = run_model(&(run_how){.text = text, .formulation = "corotational"});
    table b = run_model(&(run_how){.text = text, .swap = {{"limber: 1\n", frames}}});
    table c = run_model(&(run_how){.text = text, .formulation = "ffr"});
    assert_under(apart_most(&a, &b, names), 2e-3);
    assert_under(vector_apart(&a, &b, "bend"), 6e-3);
    assert_under(vector_apart(&a, &b, "torque"), 6e-3);
    assert_under(vector_apart(&a, &c, "bend"), 0.01); /* by as many frames as it takes */
    assert_under(vector_apart(&a, &c, "torque"), 0.02);
    table_free(&a);
    table_free(&b);
    table_free(&c);
}

static void planar_loops(void **unused)
{
    (void)unused;
    for (int k = 0; k < 6; k++) compare(1, k % 3);
}

static void loops_in_space(void **unused)
{
    (void)unused;
    for (int k = 0; k < 6; k++) compare(0, k % 3);
}

/* A four-bar with one elastic bar across its weak axis, for one turn. */
static const char four_bar[] =
    "limber: 1\n"
    "parameters: {h: 1}\n"
    "formulation: {type: ffr, substructures: 1}\n"
    "materials: {steel: {E: 2.1e11, nu: 0.3, rho: 7850, damping: {stiffness: 1e-4}}}\n"
    "sections: {strip: {material: steel, shape: rectangle, height: h, width: 0.02}}\n"
    "bodies:\n"
    "  crank: {type: beam, section: strip, from: [0, 0, 0], to: [0.15, 0.18, 0], elements: 8}\n"
    "  coupler: {type: rigid, mass: 0.25, inertia: [0.004, 0.02, 0.02], position: [0.5, 0.29, 0],\n"
    "    frames: {start: [-0.35, -0.11, 0], end: [0.35, 0.11, 0]}}\n"
    "  rocker: {type: rigid, mass: 0.2, inertia: [0.004, 0.006, 0.006], position: [0.825, 0.2, "
    "0],\n"
    "    frames: {start: [0.025, -0.2, 0], end: [0.025, 0.2, 0]}}\n"
    "joints:\n"
    "  A: {type: revolute, between: [ground, crank.start], axis: z, drive: \"13*t^3/(t^2 + "
    "0.05^2)\"}\n"
    "  B: {type: revolute, between: [crank.end, coupler.start], axis: z}\n"
    "  C: {type: revolute, between: [coupler.end, rocker.end], axis: z}\n"
    "  D: {type: revolute, between: [ground, rocker.start], axis: z}\n"
    "analysis: {type: dynamics, until: 0.5, output_step: 0.01, tolerance: 1e-5}\n"
    "outputs: {bend: \"deflection(crank, 0.5)\", hinge: force(B)}\n";

/* Where frames are given, what is said of the error is so, within a factor of three. */
static void says_how_far_off(void **unused)
{
    static const char *const height[] = {"h=0.002", "h=0.0025"};
    char said[SAID];
    (void)unused;
    for (int k = 0; k < 2; k++) {
        run_how how = {.text = four_bar, .set = {height[k]}};
        run_how other = how;
        other.formulation = "corotational";
        table a = run_model(&other), b = run_model(&how);
        double bend = vector_apart(&a, &b, "bend"), hinge = vector_apart(&a, &b, "hinge");
        assert_int_equal(run_listen(&how, said), LIMBER_OK);
        double says = number_after(said, "put its deflections off by ") / 100;
        assert_between(says, fmax(bend, hinge) / 3, 3 * fmax(bend, hinge));
        table_free(&a);
        table_free(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planar_loops),
        cmocka_unit_test(loops_in_space),
        cmocka_unit_test(says_how_far_off),
    };
    seed = 5;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
