/* Friction of the library: curves, stops and sticking in closed form. */
#include "test_library_env.h"

/* A body of 2 on a rail with a friction component. */
#define BODY(type, effort, start)                                                                  \
    INCLUDE("friction")                                                                            \
    "bodies: {box: {type: rigid, mass: 2, inertia: [1, 1, 1]}}\n"                                  \
    "joints: {way: {type: prismatic, between: [ground, box], axis: x, effort: \"" effort "\"}}\n"  \
    "initial: {way: {rate: " start "}}\n"                                                          \
    "power:\n"                                                                                     \
    "  slide: {type: 1}\n"                                                                         \
    "  box: {type: port, joint: way, on: slide}\n"                                                 \
    "  r: {use: " type ", ports: {contact: slide}}\n"                                              \
    "outputs: {x: joint(way), v: rate(way)}\n" DYNAMICS("2", "0.1")

/* The same pulled along with a given speed. */
#define PULLED(type, speed)                                                                        \
    INCLUDE("friction")                                                                            \
    "power:\n"                                                                                     \
    "  slide: {type: 1, domain: translation}\n"                                                    \
    "  pull: {type: Sf, flow: \"" speed "\", on: slide}\n"                                         \
    "  r: {use: " type ", ports: {contact: slide}}\n"                                              \
    "outputs: {force: effort(pull), v: flow(slide)}\n" DYNAMICS("2", "0.01")

static const struct {
    const char *name, *tolerance; /* of second order the last one */
} methods[] = {{"radau", "1e-8"}, {"bdf", "1e-8"}, {"generalized-alpha", "1e-4"}};

static table run_with(const char *text, int m, const char *how)
{
    char analysis[200];
    snprintf(analysis, sizeof analysis, "{type: dynamics, method: %s, tolerance: %s, %s}",
             methods[m].name, methods[m].tolerance, how);
    return run_model(&(run_how){.text = text, .analysis = analysis});
}

/* ---- smoothed ---- */

/* From the speed u the body slides m/F times the integral of v/tanh(v/s) dv, which is
 * (u^2 + s^2 pi^2/6)/2 but for parts of exp(-2 u/s). */
static void coulomb_stops(void **state)
{
    (void)state;
    static const char text[] = BODY("coulomb, with: {slip: 0.05}", "0", "1");
    const double limits[] = {1e-7, 1e-7, 1e-5};
    for (int m = 0; m < 3; m++) {
        table r = run_with(text, m, "until: 5, output_step: 1");
        double off = fabs(table_last(&r, "x") - (1 + 0.05 * 0.05 * M_PI * M_PI / 6));
        print_message("  %s: distance off by %.1e\n", methods[m].name, off);
        assert_under(off, limits[m]);
        table_free(&r);
    }
}

/* Under less than the level it creeps, as documented: v = slip atanh(F/level). */
static void coulomb_creeps(void **state)
{
    (void)state;
    table r = run_model(&(run_how){.text = BODY("coulomb", "0.9", "0")});
    assert_near(table_last(&r, "v"), 1e-3 * atanh(0.9), 1e-10);
    table_free(&r);
}

static void stribeck_curve(void **state)
{
    (void)state;
    table r =
        run_model(&(run_how){.text = PULLED("stribeck, with: {viscous: 0.4}", "0.05*sin(3*t)")});
    double most = 0, least = 1;
    for (int i = 0; i < r.rows; i++) {
        double v = 0.05 * sin(3 * table_get(&r, i, "t")), g = 1 + 0.5 * exp(-pow(v / 0.01, 2));
        assert_near(table_get(&r, i, "force"), g * tanh(v / 1e-3) + 0.4 * v, 1e-12);
        if (v > 0.04) least = fmin(least, table_get(&r, i, "force"));
        most = fmax(most, table_get(&r, i, "force"));
    }
    assert_between(most, 1.3, 1.5); /* the hump at low speed, and less beyond */
    assert_under(least, 1.03);
    table_free(&r);
}

/* ---- LuGre ---- */

/* At constant speed z = g/s0 (1 - exp(-s0 v t/g)): first a spring of stiffness s0, in the end the steady
 * curve g(v) + viscous v. */
static void lugre_at_constant_speed(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double v;
    } runs[] = {{PULLED("lugre, with: {viscous: 0.4}", "0.004"), 0.004},
                {PULLED("lugre, with: {viscous: 0.4}", "-0.02"), -0.02}};
    for (int k = 0; k < 2; k++) {
        table r = run_model(&(run_how){
            .text = runs[k].text,
            .analysis = "{type: dynamics, until: 0.1, output_step: 5e-4, tolerance: 1e-9}"});
        double v = runs[k].v, g = 1 + 0.5 * exp(-pow(v / 0.01, 2)), most = 0;
        for (int i = 0; i < r.rows; i++) {
            double decay = exp(-1e5 * fabs(v) * table_get(&r, i, "t") / g);
            double force = copysign(g * (1 - decay), v) + 300 * v * decay + 0.4 * v;
            most = fmax(most, fabs(table_get(&r, i, "force") - force));
        }
        print_message("  v = %g: force off by %.1e\n", v, most);
        assert_under(most, 1e-7);
        assert_near(table_last(&r, "force"), copysign(g, v) + 0.4 * v, 1e-8);
        table_free(&r);
    }
}

/* Slowly loaded by F below the break-away force, s0 dx = dz/(1 - z s0/g) with g = 1.5: at first F/s0, then
 * x = -(g/s0) log(1 - F/g), and on the way back (g/s0) log(1 + F/g) are regained. */
static void lugre_presliding(void **state)
{
    (void)state;
    static const char text[] = BODY("lugre", "0.3*step(t, 0, 0, 1, 1)*step(t, 1, 1, 2, 0)", "0");
    table r = run_with(text, 0, "until: 2.5, output_step: 0.1");
    double there = -1.5e-5 * log(1 - 0.2), back = 1.5e-5 * log(1 + 0.2);
    print_message("  x = %.3e, left %.3e\n", table_at(&r, "x", 1), table_last(&r, "x"));
    assert_near(table_at(&r, "x", 0.1), table_at(&r, "x", 1) * 0.028, 0.2 * 0.028 * 3e-6);
    assert_near(table_at(&r, "x", 1), there, 1e-3 * there);
    assert_near(table_last(&r, "x"), there - back, 5e-3 * (there - back));
    table_free(&r);
}

/* ---- sticking ---- */

typedef struct stop { /* a layer without damping: k, level 1, mass 2, speed 1 */
    double w, t1, v1, t2, x2, k;
} stop;

static stop stop_of(double k)
{
    stop s = {.k = k, .w = sqrt(k / 2)};
    s.t1 = asin(s.w / k) / s.w;
    s.v1 = cos(s.w * s.t1);
    s.t2 = s.t1 + 2 * s.v1;
    s.x2 = 1 + 0.5 / k; /* the energy 1 is lost but for 1/(2 k) in the layer */
    return s;
}

static double stopping(const stop *s, double t)
{
    if (t < s->t1) return sin(s->w * t) / s->w;
    if (t < s->t2) return 1 / s->k + s->v1 * (t - s->t1) - 0.25 * (t - s->t1) * (t - s->t1);
    return s->x2 - (1 - cos(s->w * (t - s->t2))) / s->k;
}

/* The body bends the layer, slides to rest, and swings on the layer where it has stopped. */
static void stick_stops(void **state)
{
    (void)state;
    static const char text[] = BODY("coulomb_stick, with: {stiffness: 1e3, damping: 0}", "0", "1");
    const double limits[] = {1e-9, 1e-9, 1e-5};
    stop s = stop_of(1e3);
    for (int m = 0; m < 3; m++) {
        table r = run_with(text, m, "until: 2.5, output_step: 0.005");
        double most = 0;
        for (int i = 0; i < r.rows; i++)
            most = fmax(most, fabs(table_get(&r, i, "x") - stopping(&s, table_get(&r, i, "t"))));
        print_message("  %s: off by %.1e, %d steps, %d events\n", methods[m].name, most,
                      (int)r.sum.steps, (int)r.sum.events);
        assert_under(most, limits[m]);
        assert_between((double)r.sum.events, 2,
                       12); /* bends no more; stops; turns while it swings */
        table_free(&r);
    }
}

/* Half a newton more each second. The layer gives way where k z = 1, at 2 + c/k with the speed 0.5/k. */
static void stick_breaks_away(void **state)
{
    (void)state;
    table r = run_model(&(run_how){.text = BODY("coulomb_stick", "0.5*t", "0"),
                                   .analysis = "{type: dynamics, until: 3, output_step: 0.05, "
                                               "tolerance: 1e-10}"});
    double k = 1e5, c = 100, away = 2 + c / k, held = 0, slid = 0;
    for (int i = 0; i < r.rows; i++) {
        double t = table_get(&r, i, "t"), x = table_get(&r, i, "x"), s = t - away;
        double after = 1 / k + 0.5 / k * s + 0.5 * c / k * s * s / 4 + 0.5 * s * s * s / 12;
        if (t > 1 && s < 0) held = fmax(held, fabs(x - 0.5 / k * (t - c / k)));
        if (s > 0) slid = fmax(slid, fabs(x - after));
    }
    print_message("  held: off by %.1e, away: off by %.1e\n", held, slid);
    assert_under(held, 1e-12);
    assert_under(slid, 1e-10);
    table_free(&r);
}

/* 0.9 of the level to and fro: after nineteen periods the body is where it was after two. */
static void stick_does_not_creep(void **state)
{
    (void)state;
    static const char text[] = BODY("coulomb_stick", "0.9*sin(2*pi*t)", "0");
    table r = run_with(text, 0, "until: 20, output_step: 0.25");
    double first = table_at(&r, "x", 2.25), last = table_at(&r, "x", 19.25);
    print_message("  drift %.1e of %.1e, %d steps\n", last - first, first, (int)r.sum.steps);
    assert_near(first, 0.9 / 1e5, 1e-3 * 0.9 / 1e5); /* (2 pi/w)^2 of it by inertia */
    assert_under(fabs(last - first), 1e-14);
    table_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coulomb_stops),     cmocka_unit_test(coulomb_creeps),
        cmocka_unit_test(stribeck_curve),    cmocka_unit_test(lugre_at_constant_speed),
        cmocka_unit_test(lugre_presliding),  cmocka_unit_test(stick_stops),
        cmocka_unit_test(stick_breaks_away), cmocka_unit_test(stick_does_not_creep),
    };
    return cmocka_run_group_tests(tests, library_set_up, scratch_tear_down);
}
