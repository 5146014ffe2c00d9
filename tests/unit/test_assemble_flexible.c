/* Mechanisms of flexible bodies whose loops are not closed where drives and `initial` put them: they
 * start where the elastic energy is least. */
#include "base/mem.h"
#include "support/failing.h"
#include "support/run_model.h"

#define STEEL                                                                                      \
    "limber: 1\n"                                                                                  \
    "materials: {steel: {E: 207e9, nu: 0.3, rho: 7800, damping: {stiffness: beta}}}\n"             \
    "sections:\n"                                                                                  \
    "  strong: {material: steel, shape: rectangle, height: 0.016, width: 0.016}\n"                 \
    "  slender: {material: steel, shape: rectangle, height: 0.008, width: 0.008}\n"

/* The bars have to bend and twist when the crank turns, unless off = 0: then it is a parallelogram. */
#define FOUR_BAR(crank)                                                                            \
    STEEL "parameters: {n: 4, off: 5*deg, T: 20, beta: 0, turn: -1.2, speed: -0.6, pull: 0}\n"     \
          "bodies:\n"                                                                              \
          "  AB: {type: beam, section: strong, from: [0, 0, 0], to: [0, 0.12, 0], elements: n}\n"  \
          "  BC: {type: beam, section: strong, from: [0, 0.12, 0], to: [0.24, 0.12, 0],\n"         \
          "       elements: 2*n}\n"                                                                \
          "  CD: {type: beam, section: slender, from: [0.24, 0.12, 0], to: [0.24, 0, 0],\n"        \
          "       elements: n}\n"                                                                  \
          "joints:\n"                                                                              \
          "  A: {type: revolute, between: [ground, AB.start], axis: z" crank "}\n"                 \
          "  B: {type: revolute, between: [AB.end, BC.start], axis: z}\n"                          \
          "  C: {type: revolute, between: [BC.end, CD.start], axis: [sin(off), 0, cos(off)]}\n"    \
          "  D: {type: revolute, between: [ground, CD.end], axis: z}\n"                            \
          "forces:\n"                                                                              \
          "  s: {type: spring, between: [\"ground.at(0.5, 0, 0)\", CD.start], stiffness: pull,\n"  \
          "      length: 0.1}\n"                                                                   \
          "outputs: {A: joint(A), B: joint(B), C: joint(C), D: joint(D), torque: moment(A).z,\n"   \
          "          elastic: energy.elastic, kinetic: energy.kinetic, push: force(D),\n"          \
          "          body: energy(BC).elastic}\n"

/* The start is the equilibrium that the mechanism comes to when its drive is turned slowly. */
static void as_turned_slowly(void **state)
{
    (void)state;
    table at_once = run_model(
        &(run_how){.text = FOUR_BAR(", drive: turn") "analysis: {type: statics, load_steps: 3}\n"});
    table slowly = run_model(&(run_how){
        .text =
            FOUR_BAR(", drive: 'turn*step(t, 0, 0, T, 1)'") "analysis: {type: dynamics, until: 22, "
                                                            "output_step: 1, tolerance: 1e-8}\n",
        .set = {"beta=1e-3"}});
    assert_int_equal(at_once.rows, 3);
    double energy = table_last(&at_once, "elastic");
    assert_between(energy, 3.7, 3.9);
    assert_near(table_last(&slowly, "elastic"), energy, 1e-8 * energy);
    assert_near(table_last(&slowly, "D"), table_last(&at_once, "D"), 1e-8);
    assert_near(table_last(&slowly, "torque"), table_last(&at_once, "torque"), 1e-6);
    assert_near(table_last(&slowly, "push.z"), table_last(&at_once, "push.z"), 1e-4);
    table_free(&slowly);
    table_free(&at_once);
}

/* Dynamics start there too, and with velocities that strain least: nothing vibrates. At 0.02 s the
 * drive is where statics put the second mechanism. */
static void moves_on_smoothly(void **state)
{
    (void)state;
    static const char *const elements[] = {"n=4", "n=60"};
    for (int i = 0; i < 2; i++) {
        table moving = run_model(&(run_how){
            .text = FOUR_BAR(", drive: turn + speed*t") "analysis: {type: dynamics, until: 0.02, "
                                                        "output_step: 5e-4, tolerance: 1e-5}\n",
            .set = {elements[i]}});
        table before = run_model(&(run_how){
            .text = FOUR_BAR(", drive: turn") "analysis: {type: statics}\n", .set = {elements[i]}});
        table after =
            run_model(&(run_how){.text = FOUR_BAR(", drive: turn") "analysis: {type: statics}\n",
                                 .set = {elements[i], "turn=-1.212"}});
        assert_near(table_first(&moving, "elastic"), table_last(&before, "elastic"), 1e-8);
        assert_near(table_last(&moving, "elastic"), table_last(&after, "elastic"), 1e-4);
        assert_under(table_drift(&moving, "torque"), 0.02);
        table_free(&moving);
        table_free(&before);
        table_free(&after);
    }
}

/* Loops that start at speed: every body turns as a rigid one, in each formulation. In the first model the
 * joint tree reaches the rod from both ends, in the second it leaves a loop open. */
static void starts_rigidly(void **state)
{
    (void)state;
    static const char *const forms[] = {"corotational", "minimal", "rfe", "ffr", "elastodynamic"};
    for (int f = 0; f < 5; f++) {
        table crank = run_model(&(run_how){
            .model = "slider_crank_steady",
            .formulation = forms[f],
            .analysis = "{type: dynamics, until: 1e-5, output_step: 1e-5}",
            .swap = {{"torque: moment(motor).z", "a: omega(rod.start).z\n  b: omega(rod.end).z"}}});
        table bar = run_model(
            &(run_how){.model = "four_bar_steady",
                       .formulation = forms[f],
                       .analysis = "{type: dynamics, until: 1e-5, output_step: 1e-5}",
                       .swap = {{"torque: moment(A).z",
                                 "a: omega(coupler.start).z\n  b: omega(coupler.end).z"}}});
        assert_near(table_first(&crank, "a"), -15, 1e-8); /* speed L1/L2 at the dead centre */
        assert_near(table_first(&crank, "b"), -15, 1e-8);
        assert_true(fabs(table_first(&bar, "a")) > 1);
        assert_near(table_first(&bar, "a"), table_first(&bar, "b"), 1e-8);
        table_free(&crank);
        table_free(&bar);
    }
}

/* `initial` values are taken up like those of drives, and hold nothing afterwards. */
static void by_initial_values(void **state)
{
    (void)state;
    table driven = run_model(&(run_how){
        .text = FOUR_BAR(
            ", drive: turn") "analysis: {type: dynamics, until: 1e-5, output_step: 1e-5}\n"});
    table free =
        run_model(&(run_how){.text = FOUR_BAR("") "initial: {A: {angle: turn}}\n"
                                                  "analysis: {type: dynamics, until: 1e-5, "
                                                  "output_step: 1e-5}\n"});
    assert_near(table_first(&free, "elastic"), table_first(&driven, "elastic"), 1e-9);
    assert_near(table_first(&free, "D"), table_first(&driven, "D"), 1e-10);
    assert_near(table_first(&free, "torque"), 0, 1e-6);
    assert_true(fabs(table_first(&driven, "torque")) > 5);
    table_free(&driven);
    table_free(&free);
}

/* A parallelogram closes without strain. The kinetic energy at 2 rad/s is that of two bars that turn
 * about their ends and one that only moves. */
static void parallelogram(void **state)
{
    (void)state;
    const double strong = 7800 * 0.016 * 0.016, slender = 7800 * 0.008 * 0.008, a = 0.12, w = 2;
    double turning = (strong + slender) * a * a * a / 3;
    double kinetic = 0.5 * w * w * (turning + strong * 0.24 * a * a);
    table r = run_model(&(run_how){.text = FOUR_BAR("") "initial: {A: {angle: 0.5, rate: 2}}\n"
                                                        "analysis: {type: dynamics, until: 0.01, "
                                                        "output_step: 0.001}\n",
                                   .set = {"off=0"}});
    assert_near(table_first(&r, "A"), 0.5, 1e-14);
    assert_near(table_first(&r, "B"), -0.5, 1e-12);
    assert_near(table_first(&r, "C"), 0.5, 1e-12);
    assert_near(table_first(&r, "D"), 0.5, 1e-12);
    assert_under(table_first(&r, "elastic"), 1e-18);
    assert_near(table_first(&r, "kinetic"), kinetic, 2e-3 * kinetic); /* sections turn, too */
    assert_near(table_last(&r, "kinetic"), table_first(&r, "kinetic"), 1e-4 * kinetic);
    table_free(&r);
}

/* A spring under tension does not pull while the loops are closed: it would strain the bars. */
static void springs_wait(void **state)
{
    (void)state;
    table r = run_model(&(run_how){.text = FOUR_BAR("") "initial: {A: {angle: 0.5}}\n"
                                                        "analysis: {type: dynamics, until: 1e-4, "
                                                        "output_step: 1e-4}\n",
                                   .set = {"off=0", "pull=1000"}});
    assert_near(table_first(&r, "D"), 0.5, 1e-12);
    assert_under(table_first(&r, "body"), 1e-18);
    assert_true(table_first(&r, "elastic") > 1);
    table_free(&r);
}

/* One clamp is moved by d: F = 12 EI d / L^3, and the cubic v = d (3 x^2 - 2 x^3) between them. */
static void clamp_moved(void **state)
{
    (void)state;
    const double EI = 207e9 * pow(0.016, 4) / 12, d = 1e-5;
    static const char *const analyses[] = {
        "analysis: {type: statics}\n",
        "analysis: {type: dynamics, until: 0.01, output_step: 0.001}\n"};
    for (int i = 0; i < 2; i++) {
        char text[1500];
        snprintf(text, sizeof text, "%s%s",
                 STEEL "parameters: {beta: 0}\n"
                       "bodies:\n"
                       "  b: {type: beam, section: strong, from: [0, 0, 0], to: [1, 0, 0],\n"
                       "      elements: 8}\n"
                       "joints:\n"
                       "  foot: {type: fixed, between: [ground, b.start]}\n"
                       "  head: {type: prismatic, between: [ground, b.end], axis: y, drive: 1e-5}\n"
                       "outputs: {v: pos(b.node(2)).y, F: force(head).y, e: energy.elastic}\n",
                 analyses[i]);
        table r = run_model(&(run_how){.text = text});
        assert_near(table_first(&r, "v"), d * (3.0 / 16 - 2.0 / 64), 1e-6 * d);
        assert_near(table_first(&r, "F"), 12 * EI * d, 1e-6 * 12 * EI * d);
        assert_near(table_first(&r, "e"), 6 * EI * d * d, 1e-6 * 6 * EI * d * d);
        assert_under(table_drift(&r, "v"), 1e-6 * d);
        table_free(&r);
    }
}

/* More than a turn is more than a turn: the energy of a twist is GJ a^2 / 2L. */
static void twisted_by_turns(void **state)
{
    (void)state;
    const double GJ = 207e9 / 2.6 * acos(-1) * 1e-12 / 2, angles[] = {7, -3.5};
    for (int i = 0; i < 2; i++) {
        char angle[40];
        snprintf(angle, sizeof angle, "angle=%g", angles[i]);
        table r = run_model(&(run_how){
            .text =
                "limber: 1\n"
                "parameters: {angle: 1}\n"
                "materials: {steel: {E: 207e9, nu: 0.3, rho: 7800}}\n"
                "sections: {wire: {material: steel, shape: circle, radius: 0.001}}\n"
                "bodies:\n"
                "  b: {type: beam, section: wire, from: [0, 0, 0], to: [1, 0, 0], elements: 10}\n"
                "joints:\n"
                "  foot: {type: fixed, between: [ground, b.start]}\n"
                "  key: {type: revolute, between: [ground, b.end], axis: x, drive: angle}\n"
                "analysis: {type: statics}\n"
                "outputs: {a: joint(key), e: energy.elastic, M: moment(key).x}\n",
            .set = {angle}});
        double e = 0.5 * GJ * angles[i] * angles[i];
        assert_near(table_last(&r, "a"), angles[i], 1e-12);
        assert_near(table_last(&r, "M"), GJ * angles[i], 1e-8 * GJ);
        assert_near(table_last(&r, "e"), e, 1e-9 * e);
        table_free(&r);
    }
}

/* A gap in a row of two bars: each is stretched by half of it, up to what no material bears. */
#define GAP                                                                                        \
    STEEL "parameters: {beta: 0, gap: 0.001}\n"                                                    \
          "bodies:\n"                                                                              \
          "  a: {type: beam, section: slender, from: [0, 0, 0], to: [1, 0, 0]}\n"                  \
          "  b: {type: beam, section: slender, from: [1 + gap, 0, 0], to: [2 + gap, 0, 0]}\n"      \
          "joints:\n"                                                                              \
          "  left: {type: fixed, between: [ground, a.start]}\n"                                    \
          "  weld: {type: fixed, between: [a.end, b.start], assemble: true}\n"                     \
          "  right: {type: fixed, between: [ground, b.end]}\n"                                     \
          "analysis: {type: statics}\n"                                                            \
          "outputs: {F: force(weld).x, e: energy.elastic, x: pos(a.end).x}\n"

static void gap_closed(void **state)
{
    (void)state;
    const double EA = 207e9 * 64e-6;
    table r = run_model(&(run_how){.text = GAP});
    assert_near(table_last(&r, "x"), 1.0005, 1e-10);
    assert_near(fabs(table_last(&r, "F")), EA * 0.0005, 1e-6 * EA * 0.0005);
    assert_near(table_last(&r, "e"), EA * 0.0005 * 0.0005, 1e-6 * EA * 0.0005 * 0.0005);
    table_free(&r);
}

/* Messages of a run that is refused. */
static void refused(const char *text, const char *set, char *said, size_t size)
{
    limber_model *model = NULL;
    limber_messages *msg = limber_messages_new();
    limber_load_options opt = limber_load_options_default();
    const char *sets[] = {set};
    opt.set = sets;
    opt.set_count = 1;
    assert_int_equal(limber_model_parse(text, strlen(text), "model.yaml", &opt, &model, msg), 0);
    assert_int_equal(limber_run(model, NULL, NULL, msg), LIMBER_INPUT);
    FILE *f = tmpfile();
    limber_messages_print(msg, f);
    rewind(f);
    said[fread(said, 1, size - 1, f)] = 0;
    fclose(f);
    limber_model_free(model);
    limber_messages_free(msg);
}

static void gap_too_wide(void **state)
{
    (void)state;
    char said[1000];
    double open = 0;
    refused(GAP, "gap=1", said, sizeof said);
    const char *at = strstr(said, "joint 'weld' (force x) stays open by ");
    assert_non_null(at);
    sscanf(at, "joint 'weld' (force x) stays open by %lf", &open);
    assert_between(open, 0.79, 0.9); /* 10 % of both bars are the rest */
    assert_non_null(strstr(said, "stretched by 9."));
}

/* ---- no memory ---- */

typedef struct attempt {
    limber_model *model;
    limber_status st;
} attempt;

static void try_to_start(void *context)
{
    attempt *a = context;
    limber_check_info info;
    limber_messages *msg = limber_messages_new();
    a->st = msg ? limber_check(a->model, &info, msg) : LIMBER_MEMORY;
    limber_messages_free(msg);
}

static int started(void *context)
{
    attempt *a = context;
    if (a->st && a->st != LIMBER_MEMORY) fail_msg("status %d", a->st);
    return a->st == LIMBER_OK;
}

static void memory(void **state)
{
    (void)state;
    static const char text[] = FOUR_BAR(", drive: turn");
    attempt a = {0};
    limber_messages *msg = limber_messages_new();
    assert_int_equal(limber_model_parse(text, strlen(text), "m.yaml", NULL, &a.model, msg), 0);
    assert_true(fail_in_turn(try_to_start, started, &a, 0) > 20);
    limber_model_free(a.model);
    limber_messages_free(msg);
    assert_int_equal(lm_mem_live(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_turned_slowly),
        cmocka_unit_test(moves_on_smoothly),
        cmocka_unit_test(by_initial_values),
        cmocka_unit_test(parallelogram),
        cmocka_unit_test(springs_wait),
        cmocka_unit_test(clamp_moved),
        cmocka_unit_test(twisted_by_turns),
        cmocka_unit_test(gap_closed),
        cmocka_unit_test(gap_too_wide),
        cmocka_unit_test(starts_rigidly),
        cmocka_unit_test(memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
