/* What kinematics as written may be: smooth functions whatever they are made of, frames in any order,
 * coordinates that are nearly dependent. What it may not be is in tests/broken (141, 142, 150 to 157). */
#include "support/failing.h"
#include "support/run_model.h"

#define HEAD "limber: 1\ngravity: [0, -9.81, 0]\n"
#define BOB                                                                                        \
    "bodies: {bob: {type: rigid, mass: 1, inertia: [1, 1, 1], com: [1, 0, 0], motion: last}}\n"    \
    "analysis: {type: dynamics, until: 0.9, output_step: 0.1, tolerance: 1e-6}\n"                  \
    "outputs: {x: pos(bob).x, y: pos(bob).y, v: vel(bob).y}\n"

/* Corners before the start, and such whose slope does not jump: there accelerations do. */
static const char smooth[] = HEAD
    "coordinates: {q: {value: 0.3}}\n"
    "frames:\n"
    "  moved: disp(step(t, 0.1, 0, 0.5, 1), if(t < 0.5, 0, (t - 0.5)^2), abs(t + 1))\n"
    "  pushed: moved * disp(max(0, 0.5 - t)^2, pwl(t, -1,0, 0,1), 0)\n"
    "  place: pushed * disp(sqrt(q^2 + 0.01) - atan(q), 1, 0)\n"
    "  last: place * rotz(q) * disp(0.1*step(q, 0, 0, 1, 1) + spline(q, -1,0, 0,0.1, 1,0), 0, 0)\n";

static char *joined(const char *a, const char *b)
{
    char *text = malloc(strlen(a) + strlen(b) + 1);
    if (!text) abort();
    return strcat(strcpy(text, a), b);
}

static void runs(const char *frames)
{
    char *text = joined(frames, BOB);
    table r = run_model(&(run_how){.text = text});
    assert_near(table_last(&r, "t"), 0.9, 1e-12);
    table_free(&r);
    free(text);
}

static void smooth_arguments(void **state)
{
    (void)state;
    runs(smooth);
}

/* Frames may be used above the line that defines them. */
static void order_of_frames(void **state)
{
    static const char forth[] = HEAD "coordinates: {a: {}, b: {}}\nframes:\n  base: rotz(a)\n"
                                     "  mid: base * disp(1, 0, 0)\n  last: mid * rotz(b)\n" BOB;
    static const char back[] = HEAD "coordinates: {a: {}, b: {}}\nframes:\n  last: mid * rotz(b)\n"
                                    "  mid: base * disp(1, 0, 0)\n  base: rotz(a)\n" BOB;
    (void)state;
    table a = run_model(&(run_how){.text = forth}), b = run_model(&(run_how){.text = back});
    assert_true(table_distance_all(&a, &b) == 0);
    table_free(&a);
    table_free(&b);
}

/* 1: limber check has nothing against it. */
static int passes(const char *text)
{
    limber_messages *msg = limber_messages_new();
    limber_model *model = NULL;
    limber_check_info info;
    int ok = msg &&
             limber_model_parse(text, strlen(text), "text", NULL, &model, msg) == LIMBER_OK &&
             limber_check(model, &info, msg) == LIMBER_OK;
    limber_model_free(model);
    limber_messages_free(msg);
    return ok;
}

/* Two hinges a hundred thousandth apart are two; Euler's angles away from their singular position are
 * three. */
static void nearly_dependent(void **state)
{
    (void)state;
    assert_true(passes(HEAD "coordinates: {a: {}, b: {}}\n"
                            "frames: {last: \"rotz(a) * disp(1e-5, 0, 0) * rotz(b)\"}\n" BOB));
    assert_true(passes(HEAD "coordinates: {a: {}, b: {value: 1e-3}, c: {}}\n"
                            "frames: {last: rotz(a) * rotx(b) * rotz(c)}\n" BOB));
    assert_false(passes(HEAD "coordinates: {a: {}, b: {}, c: {}}\n"
                             "frames: {last: rotz(a) * rotx(b) * rotz(c)}\n" BOB));
}

/* ---- memory ---- */

static void check_model(void *context)
{
    *(int *)context = passes(
        HEAD "coordinates: {a: {}, b: {}}\n"
             "frames: {last: \"rotz(a) * disp(step(t, 0, 1, 1, 2), 0, 0) * rotz(b + 2*a)\"}\n" BOB);
}

static int went_through(void *context) { return *(int *)context; }

static void no_memory(void **state)
{
    int ok = 0;
    (void)state;
    assert_true(fail_in_turn(check_model, went_through, &ok, 0) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smooth_arguments),
        cmocka_unit_test(order_of_frames),
        cmocka_unit_test(nearly_dependent),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
