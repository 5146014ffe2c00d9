/* Frames that a C function gives, and functions that fail, are missing or are wrong. The same mechanism with
 * functions that work: test_kinematics_callback.c. */
#include "support/callback.h"

/* ---- functions that fail ---- */

typedef struct faulty {
    double limit;     /* on coordinate a, from below */
    int result;       /* of the function beyond it */
    double spoil;     /* put into a rotation beyond it */
    long calls, from; /* these calls fail, whatever they ask: */
    int count;
} faulty;

static int faulty_pose(void *context, double t, const double *q, limber_pose *out)
{
    faulty *f = context;
    callback_pose(NULL, t, q, out);
    f->calls++;
    if (f->calls >= f->from && f->calls < f->from + f->count) return 1;
    if (q[A] >= f->limit) return 0;
    out[HAND].rotation[4] += f->spoil;
    return f->result;
}

static limber_kinematics with_faults(faulty *f)
{
    return (limber_kinematics){
        .coordinates = NQ, .frames = FRAMES, .pose = faulty_pose, .context = f};
}

static void expect_stop(faulty f, const char *what)
{
    limber_kinematics k = with_faults(&f);
    limber_run_options opt = limber_run_options_default();
    limber_summary sum;
    static const char *const how[] = {"{type: dynamics, until: 1}",
                                      "{type: dynamics, until: 1, method: generalized-alpha}",
                                      "{type: dynamics, until: 1, method: bdf}"};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(callback_run(callback_by_c, how[i], &k, &opt, &sum), LIMBER_STOPPED);
        if (!strstr(sum.reason, what)) print_message("%s: %s\n", how[i], sum.reason);
        assert_non_null(strstr(sum.reason, what));
        assert_true(sum.t > 0.05 && sum.t < 0.9);
    }
}

/* In the motion, a goes from 0.4 below 0 within the first half second. */
static void stops_where_it_fails(void **state)
{
    (void)state;
    expect_stop(
        (faulty){.limit = 0, .result = 3},
        "the C function that gives frames 'hand', 'leg': 'pose' returned 3, last at t = 0.");
    expect_stop((faulty){.limit = 0, .result = -1}, "'pose' returned -1");
    expect_stop((faulty){.limit = 0, .spoil = NAN},
                "gives frame 'hand' a pose that is not a number");
    expect_stop((faulty){.limit = 0, .spoil = 0.1}, "not a right-handed system of unit axes");
}

/* A few calls that fail cost steps, no more. */
static void goes_on_after_a_failure(void **state)
{
    static const char how[] = "{type: dynamics, until: 1, tolerance: 1e-6}";
    (void)state;
    faulty f = {.limit = -10};
    limber_kinematics k = with_faults(&f);
    limber_run_options opt = limber_run_options_default();
    limber_summary calm, shaky;
    assert_int_equal(callback_run(callback_by_c, how, &k, &opt, &calm), LIMBER_OK);
    f = (faulty){
        .limit = -10, .from = f.calls / 2, .count = 40}; /* a step's equations among them */
    assert_int_equal(callback_run(callback_by_c, how, &k, &opt, &shaky), LIMBER_OK);
    assert_true(shaky.rejected > calm.rejected || shaky.steps > calm.steps);
    assert_string_equal(shaky.reason, "");
}

/* ---- functions and models that are refused ---- */

static void expect_text(const limber_messages *msg, const char *what)
{
    for (int i = 0; i < limber_messages_count(msg); i++)
        if (strstr(limber_messages_get(msg, i).text, what)) return;
    limber_messages_print(msg, stderr);
    print_message("expected: %s\n", what);
    fail();
}

/* When it is loaded, or when it is made ready to run. */
static void expect_refusal(const char *text, const limber_kinematics *k, const char *what)
{
    limber_messages *msg = limber_messages_new();
    limber_model *model;
    limber_simulation *sim = NULL;
    limber_status st = callback_load(text, callback_dynamics, k, 0, &model, msg);
    if (st == LIMBER_OK) st = limber_simulation_new(model, &sim, msg);
    assert_null(sim);
    assert_int_equal(st, LIMBER_INPUT);
    expect_text(msg, what);
    limber_model_free(model);
    limber_messages_free(msg);
}

static int wrong_partial(void *context, double t, const double *q, limber_twist *column)
{
    callback_partial(context, t, q, column);
    column[A].linear[1] *= 1.01;
    return 0;
}

static int no_partial(void *context, double t, const double *q, limber_twist *column)
{
    (void)context, (void)t, (void)q, (void)column;
    return 7;
}

static int restless(void *context, double t, const double *q, limber_pose *out)
{
    callback_pose(context, t, q, out);
    out[HAND].position[2] += 0.01 * q[D];
    return 0;
}

static void refuses_functions(void **state)
{
    static const double scale[NQ + 1] = {1, 0, 1, 1, 1};
    (void)state;
    expect_refusal(callback_by_c, NULL,
                   "frame 'hand' is given by a C function, and none was named");
    limber_kinematics k = callback_plain;
    k.pose = NULL;
    expect_refusal(callback_by_c, &k, "limber_kinematics.pose is NULL");
    k = callback_plain, k.frames = 3;
    expect_refusal(callback_by_c, &k,
                   "made for 4 coordinates and 3 external frames, but the model has 4 and 2");
    expect_refusal(callback_by_expressions, &callback_plain, "but the model has 4 and 0");
    k = callback_exact, k.partial = wrong_partial;
    expect_refusal(callback_by_c, &k,
                   "frame 'hand': its partial velocity by 'a', along y, is 0.97");
    k.partial = no_partial;
    expect_refusal(callback_by_c, &k, "'partial' returned 7 close to the initial values");
    k = callback_plain, k.pose = restless;
    expect_refusal(callback_by_c, &k,
                   "frame 'hand' moves with 'd', which its external(...) does not list");
    k = callback_plain, k.scale = scale;
    expect_refusal(callback_by_c, &k, "a scale of the C function is 0");
    faulty f = {.limit = 1, .result = 2};
    k = with_faults(&f);
    expect_refusal(callback_by_c, &k, "'pose' returned 2 at the initial values");
    f = (faulty){.limit = 0.3999, .result = 2};
    expect_refusal(callback_by_c, &k, "'pose' returned 2 close to the initial values");
}

static void expect_syntax(const char *hand, const char *what)
{
    char text[4000];
    const char *at = strstr(callback_by_c, "external(a, b)\n");
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - callback_by_c), callback_by_c, hand,
             strchr(at, '\n'));
    expect_refusal(text, &callback_plain, what);
}

static void refuses_syntax(void **state)
{
    (void)state;
    expect_syntax("external(a, 2*b)", "'2*b' is neither");
    expect_syntax("external(a, 2)", "'2' is neither");
    expect_syntax("external(a, z)", "unknown name 'z'");
    expect_syntax("external()", "");
    expect_syntax("external(a", "')'");
    expect_syntax("external(a) b", "expected the end, found 'b'");
    expect_syntax("external * rotz(a)", "'external' stands alone");
    expect_syntax("rotz(a) * external", "'external' stands alone");
    expect_syntax("rotz(a)\n  external: rotz(b)", "a frame cannot be called 'external'");
}

/* Every allocation on the way may fail. */
static void out_of_memory(void **state)
{
    (void)state;
    limber_status st = LIMBER_MEMORY;
    long before = lm_mem_live();
    for (long k = 1; st != LIMBER_OK; k++) {
        limber_model *model = NULL;
        limber_simulation *sim = NULL;
        limber_messages *msg = limber_messages_new();
        lm_mem_fail_after(k);
        st = callback_load(callback_by_c, callback_dynamics, &callback_exact, 0, &model, msg);
        if (st == LIMBER_OK) st = limber_simulation_new(model, &sim, msg);
        lm_mem_fail_after(0);
        assert_true(st == LIMBER_OK || st == LIMBER_MEMORY);
        limber_simulation_free(sim);
        limber_model_free(model);
        limber_messages_free(msg);
    }
    assert_int_equal(lm_mem_live(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stops_where_it_fails), cmocka_unit_test(goes_on_after_a_failure),
        cmocka_unit_test(refuses_functions),    cmocka_unit_test(refuses_syntax),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
