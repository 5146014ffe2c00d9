/* Frames that a C function gives: the same mechanism by expressions and by C, with partial velocities
 * and without; tangents; functions that fail, are missing or are wrong. */
#include "api/api.h"
#include "form/form.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- one mechanism, two ways ---- */

/* Used from the ground, on another frame, under another frame, and inverted. */
#define PARTS                                                                                      \
    "limber: 1\n"                                                                                  \
    "gravity: [0.3, -9.81, 0.2]\n"                                                                 \
    "parameters: {shake: 0}\n"                                                                     \
    "sections:\n"                                                                                  \
    "  bar: {shape: stiffness, EA: 50, EIy: 3, EIz: 4, GJ: 2, rhoA: 1, rhoIy: 0.1, rhoIz: 0.2}\n"  \
    "coordinates: {a: {value: 0.4}, b: {value: 0.1, rate: 0.5}, c: {}, d: {value: 0.2}}\n"         \
    "bodies:\n"                                                                                    \
    "  arm: {type: superelement, beam: {section: bar, length: 1}, motion: {start: hand, end: "     \
    "tip}}\n"                                                                                      \
    "  block: {type: rigid, mass: 2, inertia: [1, 1.5, 2, 0.1, 0.2, -0.1], com: [0.1, -0.2, "      \
    "0.3],\n"                                                                                      \
    "    motion: tool, frames: {p: [0.4, 0.1, -0.2]}}\n"                                           \
    "  mirror: {type: rigid, mass: 1, inertia: [0.3, 0.2, 0.1], motion: back}\n"                   \
    "forces:\n"                                                                                    \
    "  s1: {type: spring, between: [block.p, \"ground.at(1,1,1)\"], stiffness: 20, length: 0.7}\n" \
    "  s2: {type: spring, between: [mirror, \"ground.at(0,-1,1)\"], stiffness: 30, length: 0.2}\n" \
    "outputs: {a: a, b: b, c: c, d: d, x: pos(block).x, v: vel(mirror).z, f: acc(block).y,\n"      \
    "  w: omega(block).x, al: alpha(mirror).y, energy: energy.total, tip: pos(arm.end).y}\n"

#define REST                                                                                       \
    "  turn: rotx(0.3*c) * leg * rotz(d)\n"                                                        \
    "  tool: turn * disp(0.2, d*d, 0)\n"                                                           \
    "  tip: hand * disp(1 + 0.1*c, 0.1*d, 0) * rotz(0.1*d)\n"                                      \
    "  back: inv(hand) * disp(0, 0, 0.5)\n"

static const char by_expressions[] =
    PARTS "frames:\n"
          "  hand: rotz(a) * disp(1 + 0.2*sin(b), 0.3*a*b, 0) * rotx(b)\n"
          "  leg: disp(shake*sin(3*t), exp(0.2*c), 0.1*c*b) * roty(c + 0.5*sin(b))\n" REST;

static const char by_c[] = PARTS "frames:\n"
                                 "  hand: external(a, b)\n"
                                 "  leg: external(b, c, t)\n" REST;

enum { A, B, C, D, NQ, HAND = 0, LEG, FRAMES };

static int pose(void *context, double t, const double *q, limber_pose *out)
{
    double shake = context ? *(const double *)context : 0;
    out[HAND] =
        limber_pose_mul(limber_pose_rotz(q[A]),
                        limber_pose_mul(limber_pose_disp(1 + 0.2 * sin(q[B]), 0.3 * q[A] * q[B], 0),
                                        limber_pose_rotx(q[B])));
    out[LEG] =
        limber_pose_mul(limber_pose_disp(shake * sin(3 * t), exp(0.2 * q[C]), 0.1 * q[C] * q[B]),
                        limber_pose_roty(q[C] + 0.5 * sin(q[B])));
    return 0;
}

static limber_twist twist(double vx, double vy, double vz, double wx, double wy, double wz)
{
    return (limber_twist){{vx, vy, vz}, {wx, wy, wz}};
}

static int partial(void *context, double t, const double *q, limber_twist *column)
{
    double shake = context ? *(const double *)context : 0;
    double c = cos(q[A]), s = sin(q[A]);
    double x = 1 + 0.2 * sin(q[B]), y = 0.3 * q[A] * q[B], ya = 0.3 * q[B];
    double xb = 0.2 * cos(q[B]), yb = 0.3 * q[A];
    limber_twist *hand = column + (NQ + 1) * HAND, *leg = column + (NQ + 1) * LEG;
    hand[A] = twist(-s * x - c * y - s * ya, c * x - s * y + c * ya, 0, 0, 0, 1);
    hand[B] = twist(c * xb - s * yb, s * xb + c * yb, 0, c, s, 0);
    leg[B] = twist(0, 0, 0.1 * q[C], 0, 0.5 * cos(q[B]), 0);
    leg[C] = twist(0, 0.2 * exp(0.2 * q[C]), 0.1 * q[B], 0, 1, 0);
    leg[NQ] = twist(3 * shake * cos(3 * t), 0, 0, 0, 0, 0);
    return 0;
}

static const limber_kinematics plain = {.coordinates = NQ, .frames = FRAMES, .pose = pose};
static const limber_kinematics exact = {
    .coordinates = NQ, .frames = FRAMES, .pose = pose, .partial = partial};

static double shaken = 0.1;

static const char dynamics[] = "{type: dynamics, until: 1}";

static void free_messages(limber_messages *msg, int show)
{
    if (show) limber_messages_print(msg, stderr);
    limber_messages_free(msg);
}

static limber_status load(const char *text, const char *analysis, const limber_kinematics *k,
                          int shake, limber_model **model, limber_messages *msg)
{
    static const char *const set[] = {"shake=0.1"};
    char all[4000];
    limber_load_options how = limber_load_options_default();
    how.kinematics = k;
    how.set = set;
    how.set_count = shake;
    int n = snprintf(all, sizeof all, "%sanalysis: %s\n", text, analysis);
    return limber_model_parse(all, (size_t)n, "model", &how, model, msg);
}

static limber_model *loaded(const char *text, const char *analysis, const limber_kinematics *k,
                            int shake)
{
    limber_model *model;
    limber_messages *msg = limber_messages_new();
    limber_status st = load(text, analysis, k, shake, &model, msg);
    free_messages(msg, st != LIMBER_OK);
    assert_int_equal(st, LIMBER_OK);
    return model;
}

/* ---- equations at random states ---- */

typedef struct both { /* of the model by expressions, and by C */
    limber_model *model[2];
    lm_system *sys[2];
    double q[NQ], v[NQ], a[NQ], t;
} both;

static double rnd(void) { return 2.0 * rand() / RAND_MAX - 1; }

static both open_both(const limber_kinematics *k, int shake)
{
    both b = {.t = 0};
    limber_kinematics with = *k;
    with.context = shake ? &shaken : NULL;
    for (int i = 0; i < 2; i++) {
        limber_messages *msg = limber_messages_new();
        b.model[i] = loaded(i ? by_c : by_expressions, dynamics, i ? &with : NULL, shake);
        limber_status st =
            lm_form_get(LM_FORM_MINIMAL)->create(&b.model[i]->m, &msg->diag, &b.sys[i]);
        free_messages(msg, st != LIMBER_OK);
        assert_int_equal(st, LIMBER_OK);
        assert_int_equal(b.sys[i]->nv, NQ);
    }
    return b;
}

static void close_both(both *b)
{
    for (int i = 0; i < 2; i++) {
        b->sys[i]->form->destroy(b->sys[i]);
        limber_model_free(b->model[i]);
    }
}

static void wander(both *b)
{
    for (int i = 0; i < NQ; i++) b->q[i] = 1.5 * rnd(), b->v[i] = 2 * rnd(), b->a[i] = 3 * rnd();
    b->t = rnd();
}

static void dense(lm_system *sys, const lm_state *st, int which, double J[NQ][NQ])
{
    double values[NQ * NQ];
    assert_true(sys->pattern.nnz <= NQ * NQ);
    assert_int_equal(sys->form->jacobian(sys, st, which == 2, which == 1, which == 0, values), 0);
    memset(J, 0, sizeof(double) * NQ * NQ);
    for (int c = 0; c < NQ; c++)
        for (int k = sys->pattern.colptr[c]; k < sys->pattern.colptr[c + 1]; k++)
            J[c][sys->pattern.rowind[k]] = values[k];
}

/* Largest difference, as a part of the largest entry or of `size`. */
static double off(const double *x, const double *y, int n, double size)
{
    double most = 0;
    for (int i = 0; i < n; i++) {
        size = fmax(size, fabs(x[i]));
        most = fmax(most, fabs(x[i] - y[i]));
    }
    return most / size;
}

typedef struct bound {
    double residual, K, D, M;
} bound;

static void check_equations(const limber_kinematics *k, bound most)
{
    both b = open_both(k, 1);
    double r[2][NQ], J[2][NQ][NQ], limit[] = {most.K, most.D, most.M};
    srand(7);
    for (int turn = 0; turn < 20; turn++) {
        wander(&b);
        lm_state st = {b.t, b.q, b.v, b.a, NULL};
        for (int i = 0; i < 2; i++)
            assert_int_equal(b.sys[i]->form->residual(b.sys[i], &st, r[i], NULL, NULL), 0);
        assert_true(off(r[0], r[1], NQ, 0) < most.residual);
        for (int which = 0; which < 3; which++) {
            for (int i = 0; i < 2; i++) dense(b.sys[i], &st, which, J[i]);
            assert_true(off(J[0][0], J[1][0], NQ * NQ, 0) < limit[which]);
        }
    }
    close_both(&b);
}

/* Against the expressions, whose tangent is held against differences in test_tangent.c. */
static void same_equations(void **state)
{
    static const double scale[NQ + 1] = {0.5, 0.5, 1, 1, 0.3};
    (void)state;
    limber_kinematics scaled = plain;
    scaled.scale = scale;
    check_equations(&plain, (bound){1e-9, 1e-7, 1e-8, 1e-11});
    check_equations(&exact, (bound){1e-11, 1e-9, 1e-10, 1e-14});
    /* shorter steps: rounding in third derivatives, which K has, grows as 1/h^3 */
    check_equations(&scaled, (bound){1e-9, 1e-6, 1e-8, 1e-11});
}

/* What came before has no influence: the same bits after other states were looked at. */
static void no_memory(void **state)
{
    (void)state;
    both b = open_both(&plain, 1);
    double r[NQ], again[NQ], J[NQ][NQ], J_again[NQ][NQ];
    wander(&b);
    both first = b;
    lm_system *sys = b.sys[1];
    lm_state st = {first.t, first.q, first.v, first.a, NULL}, other = {0, b.q, b.v, b.a, NULL};
    sys->form->residual(sys, &st, r, NULL, NULL);
    dense(sys, &st, 0, J);
    for (int i = 0; i < 5; i++) {
        wander(&b);
        other.t = b.t;
        dense(sys, &other, i % 3, J_again);
    }
    dense(sys, &st, 0, J_again);
    sys->form->residual(sys, &st, again, NULL, NULL);
    assert_memory_equal(r, again, sizeof r);
    assert_memory_equal(J, J_again, sizeof J);
    close_both(&b);
}

/* ---- runs ---- */

enum { ROWS = 11, COLUMNS = 12 };

/* Outputs at eleven times. */
static void motion(const limber_model *model, double out[ROWS][COLUMNS])
{
    limber_messages *msg = limber_messages_new();
    limber_simulation *sim;
    limber_status st = limber_simulation_new(model, &sim, msg);
    free_messages(msg, st != LIMBER_OK);
    assert_int_equal(st, LIMBER_OK);
    assert_true(limber_model_output_count(model) <= COLUMNS);
    for (int k = 0; k < ROWS; k++) {
        st = limber_simulation_advance(sim, k / (ROWS - 1.0));
        if (st) print_message("%s\n", limber_simulation_reason(sim));
        assert_int_equal(st, LIMBER_OK);
        assert_int_equal(limber_simulation_outputs(sim, out[k]), LIMBER_OK);
    }
    limber_simulation_free(sim);
}

/* Largest difference of an output between both ways, as a part of its largest value. */
static double apart(const char *analysis, const limber_kinematics *k, int shake)
{
    static double x[2][ROWS][COLUMNS];
    limber_kinematics with = *k;
    double most = 0;
    int columns = 0;
    with.context = shake ? &shaken : NULL;
    for (int i = 0; i < 2; i++) {
        limber_model *m = loaded(i ? by_c : by_expressions, analysis, i ? &with : NULL, shake);
        columns = limber_model_output_count(m);
        motion(m, x[i]);
        limber_model_free(m);
    }
    for (int c = 0; c < columns; c++) {
        double one[2][ROWS];
        for (int r = 0; r < ROWS; r++) one[0][r] = x[0][r][c], one[1][r] = x[1][r][c];
        most = fmax(most, off(one[0], one[1], ROWS, 1e-3));
    }
    return most;
}

static void same_motion(void **state)
{
    static const char tight[] = "{type: dynamics, until: 1, method: bdf, tolerance: 1e-10}";
    static const char usual[] = "{type: dynamics, until: 1, method: bdf, tolerance: 1e-8}";
    static const char statics[] = "[{type: statics}, {type: dynamics, until: 1, step: 0.01}]";
    (void)state;
    assert_true(apart(usual, &plain, 0) < 1e-7);
    assert_true(apart(tight, &exact, 0) < 1e-10);
    assert_true(apart(usual, &plain, 1) < 1e-7);
    assert_true(apart(tight, &exact, 1) < 1e-10);
    assert_true(apart(statics, &plain, 0) < 1e-7);
    assert_true(apart(statics, &exact, 0) < 1e-10);
}

static limber_status run(const char *text, const char *analysis, const limber_kinematics *k,
                         limber_run_options *opt, limber_summary *sum)
{
    limber_messages *msg = limber_messages_new();
    limber_model *m = loaded(text, analysis, k, 0);
    limber_status st = limber_run(m, opt, sum, msg);
    limber_model_free(m);
    limber_messages_free(msg);
    return st;
}

static void keeps_energy(void **state)
{
    static const char how[] = "{type: dynamics, until: 2, tolerance: 1e-7, method: radau}";
    (void)state;
    limber_run_options opt = limber_run_options_default();
    limber_summary sum;
    assert_int_equal(run(by_c, how, &plain, &opt, &sum), LIMBER_OK);
    assert_true(sum.energy_error < 1e-7);
    assert_true(sum.steps > 10);
}

typedef struct modes {
    int n;
    double omega[NQ];
} modes;

static void note_mode(void *context, const limber_mode *mode)
{
    modes *m = context;
    assert_true(m->n < NQ);
    m->omega[m->n++] = mode->omega;
}

static void same_modes(void **state)
{
    static const char how[] = "[{type: statics}, {type: modes, count: 4, about: statics}]";
    (void)state;
    modes found[2] = {{0}};
    for (int i = 0; i < 2; i++) {
        limber_run_options opt = limber_run_options_default();
        limber_summary sum;
        opt.mode = note_mode;
        opt.mode_context = &found[i];
        assert_int_equal(run(i ? by_c : by_expressions, how, i ? &plain : NULL, &opt, &sum),
                         LIMBER_OK);
    }
    assert_int_equal(found[0].n, NQ);
    assert_int_equal(found[1].n, NQ);
    assert_true(found[0].omega[NQ - 1] > 1);
    assert_true(off(found[0].omega, found[1].omega, NQ, 0) < 1e-7);
}

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
    pose(NULL, t, q, out);
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
        assert_int_equal(run(by_c, how[i], &k, &opt, &sum), LIMBER_STOPPED);
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
    assert_int_equal(run(by_c, how, &k, &opt, &calm), LIMBER_OK);
    f = (faulty){.limit = -10, .from = f.calls / 2, .count = 3};
    assert_int_equal(run(by_c, how, &k, &opt, &shaky), LIMBER_OK);
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
    limber_status st = load(text, dynamics, k, 0, &model, msg);
    if (st == LIMBER_OK) st = limber_simulation_new(model, &sim, msg);
    assert_null(sim);
    assert_int_equal(st, LIMBER_INPUT);
    expect_text(msg, what);
    limber_model_free(model);
    limber_messages_free(msg);
}

static int wrong_partial(void *context, double t, const double *q, limber_twist *column)
{
    partial(context, t, q, column);
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
    pose(context, t, q, out);
    out[HAND].position[2] += 0.01 * q[D];
    return 0;
}

static void refuses_functions(void **state)
{
    static const double scale[NQ + 1] = {1, 0, 1, 1, 1};
    (void)state;
    expect_refusal(by_c, NULL, "frame 'hand' is given by a C function, and none was named");
    limber_kinematics k = plain;
    k.pose = NULL;
    expect_refusal(by_c, &k, "and none was named");
    k = plain, k.frames = 3;
    expect_refusal(by_c, &k,
                   "made for 4 coordinates and 3 external frames, but the model has 4 and 2");
    expect_refusal(by_expressions, &plain, "but the model has 4 and 0");
    k = exact, k.partial = wrong_partial;
    expect_refusal(by_c, &k, "frame 'hand': its partial velocity by 'a', along y, is 0.97");
    k.partial = no_partial;
    expect_refusal(by_c, &k, "'partial' returned 7 close to the initial values");
    k = plain, k.pose = restless;
    expect_refusal(by_c, &k, "frame 'hand' moves with 'd', which its external(...) does not list");
    k = plain, k.scale = scale;
    expect_refusal(by_c, &k, "a scale of the C function is 0");
    faulty f = {.limit = 1, .result = 2};
    k = with_faults(&f);
    expect_refusal(by_c, &k, "'pose' returned 2 at the initial values");
    f = (faulty){.limit = 0.3999, .result = 2};
    expect_refusal(by_c, &k, "'pose' returned 2 close to the initial values");
}

static void expect_syntax(const char *hand, const char *what)
{
    char text[4000];
    const char *at = strstr(by_c, "external(a, b)\n");
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - by_c), by_c, hand, strchr(at, '\n'));
    expect_refusal(text, &plain, what);
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
        st = load(by_c, dynamics, &exact, 0, &model, msg);
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
        cmocka_unit_test(same_equations),
        cmocka_unit_test(no_memory),
        cmocka_unit_test(same_motion),
        cmocka_unit_test(keeps_energy),
        cmocka_unit_test(same_modes),
        cmocka_unit_test(stops_where_it_fails),
        cmocka_unit_test(goes_on_after_a_failure),
        cmocka_unit_test(refuses_functions),
        cmocka_unit_test(refuses_syntax),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
