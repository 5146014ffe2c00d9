/* Jumps of what others set of a storage: refused where the mechanism or a storage would feel the impulse, counted
 * where it ends in a source; and impulses of drives, in the table of the power graph. */
#include "support/file_runs.h"
#include "support/listen.h"

/* A body of inertia 0.5, with a rotor of 0.2 behind a gear or a charge behind a gyrator. */
static const char rotor[] = "  rotor: {type: 1, domain: rotation}\n"
                            "  J: {type: I, inertia: 0.2, on: rotor}\n";
static const char charge[] = "  rotor: {type: 0, domain: electric}\n"
                             "  J: {type: C, capacitance: 0.2, on: rotor}\n";

static void write_model(char *to, size_t size, const char *rate, const char *modulus,
                        const char *type, const char *analysis)
{
    snprintf(to, size,
             "limber: 1\n"
             "bodies: {b: {type: rigid, mass: 1, inertia: [0.3, 0.3, 0.5]}}\n"
             "joints: {h: {type: revolute, between: [ground, b], axis: z}}\n"
             "initial: {h: {rate: %s}}\n"
             "power:\n"
             "  shaft: {type: 1, domain: rotation}\n"
             "  p: {type: port, joint: h, on: shaft}\n"
             "  gear: {type: %s, from: shaft, to: rotor, modulus: '%s'}\n%s"
             "analysis: {type: dynamics, until: 2, output_step: 0.1%s}\n"
             "outputs: {w: rate(h)}\n",
             rate, type, modulus, strcmp(type, "TF") ? charge : rotor, analysis);
}

/* ---- what the mechanism feels ---- */

static void jumps_are_refused(void **state)
{
    static const char *const modulus[] = {"if(t < 1, 1, 0.5)", "if(joint(h) < 1, 1, 0.5)",
                                          "1 + floor(t)", "if(sin(3*t) < 0.5, 2, 1)"};
    static const char *const how[] = {"", ", method: bdf", ", method: explicit", ", step: 0.01",
                                      ", method: newmark"};
    static const char *const formulation[] = {"corotational", "minimal", "elastodynamic", "rfe",
                                              "ffr"};
    char text[2000], said[SAID];
    (void)state;
    for (int i = 0; i < 40; i++) {
        write_model(text, sizeof text, "3", modulus[i % 4], i % 3 ? "TF" : "GY", how[i % 5]);
        run_how run = {.text = text, .formulation = formulation[i / 8 % 5], .may_stop = 1};
        assert_int_equal(run_listen(&run, said), LIMBER_STOPPED);
        assert_says(said, i % 3 ? "'J effort' is an impulse" : "'J flow' is an impulse");
    }
}

/* A row of results, where steps end, lies on the jump: which of its sides holds there does not matter. */
static void jumps_at_the_end_of_a_step(void **state)
{
    static const char *const modulus[] = {"if(joint(h) < 1.5, 1, 0.5)",
                                          "if(joint(h) <= 1.5, 1, 0.5)"};
    static const char *const how[] = {"", ", method: bdf", ", method: explicit", ", step: 0.1",
                                      ", method: newmark"};
    static const char *const formulation[] = {"corotational", "minimal", "elastodynamic", "rfe",
                                              "ffr"};
    char text[2000], said[SAID];
    (void)state;
    for (int i = 0; i < 50; i++) {
        write_model(text, sizeof text, "3", modulus[i % 2], "TF", how[i / 2 % 5]);
        run_how run = {.text = text, .formulation = formulation[i / 10], .may_stop = 1};
        assert_int_equal(run_listen(&run, said), LIMBER_STOPPED);
        assert_says(said, "'J effort' is an impulse");
    }
}

/* Nothing jumps: what is at rest, or a modulus with a corner. */
static void corners_pass(void **state)
{
    static const char *const modulus[] = {"if(t < 1, 1, 0.5)", "if(t < 1, 1, t)",
                                          "if(joint(h) < 1, 1, joint(h))", "max(1, joint(h))"};
    char text[2000];
    (void)state;
    for (int i = 0; i < 16; i++) {
        write_model(text, sizeof text, i % 4 ? "1" : "0", modulus[i % 4], i % 8 < 4 ? "TF" : "GY",
                    i < 8 ? ", tolerance: 1e-7" : ", step: 0.01");
        table r = run_model(&(run_how){.text = text});
        if (i % 4 == 0) assert_true(table_last(&r, "w") == 0);
        for (int k = 0; k < r.rows && i % 4 == 1 && i < 8; k++) { /* w^2 (0.5 + 0.2 m^2) stays */
            double m = fmax(1, table_get(&r, k, "t"));
            assert_near(table_get(&r, k, "w"), sqrt((0.5 + 0.2) / (0.5 + 0.2 * m * m)), 1e-5);
        }
        table_free(&r);
    }
}

/* A quick shift: a gear does no work, so that w^2 (0.5 + 0.2 m^2) stays, however quick. */
static void shifts_keep_the_energy(void **state)
{
    static const char *const modulus[] = {"step(t, 1, 1, 1.0001, 0.5)", "step(t, 1, 1, 1.0001, 2)",
                                          "step(t, 1, 1, 1.01, 2)"};
    static const double m[] = {0.5, 2, 2};
    char text[2000];
    (void)state;
    for (int i = 0; i < 3; i++) {
        write_model(text, sizeof text, "3", modulus[i], "TF", ", tolerance: 1e-8");
        table r = run_model(&(run_how){.text = text});
        assert_near(table_last(&r, "w"), 3 * sqrt(0.7 / (0.5 + 0.2 * m[i] * m[i])), 1e-6);
        table_free(&r);
    }
}

/* ---- the table ---- */

typedef struct flows {
    double in[20], out[20];
    char name[20][64];
    int n;
} flows;

static void hear(void *context, const limber_power_flow *f)
{
    flows *x = context;
    snprintf(x->name[x->n], sizeof x->name[0], "%.60s", f->name);
    x->in[x->n] = f->in, x->out[x->n++] = f->out;
}

static flows flows_of(const char *text)
{
    flows x = {0};
    limber_model *model = model_of_text(text);
    limber_messages *msg = limber_messages_new();
    limber_run_options opt = {.power = hear, .power_context = &x};
    limber_summary sum;
    assert_int_equal(limber_run(model, &opt, &sum, msg), LIMBER_OK);
    assert_under(sum.energy_error, 1e-6);
    limber_messages_free(msg);
    limber_model_free(model);
    return x;
}

/* What has gone in less what has come out. */
static double net_of(const flows *x, const char *name)
{
    for (int i = 0; i < x->n; i++)
        if (strcmp(x->name[i], name) == 0) return x->in[i] - x->out[i];
    fail_msg("no %s", name);
    return 0;
}

/* The flow jumps from 1 to 3: 0.1 (9 - 1) into the I, and at 1, 3 the R takes 0.1 and 0.9 a second. */
static void sources_do_work_at_once(void **state)
{
    (void)state;
    flows x = flows_of("limber: 1\n"
                       "power:\n"
                       "  s: {type: 1, domain: rotation}\n"
                       "  src: {type: Sf, flow: 'if(t < 1, 1, 3)', on: s}\n"
                       "  J: {type: I, inertia: 0.2, on: s}\n"
                       "  R: {type: R, resistance: 0.1, on: s}\n"
                       "analysis: {type: dynamics, until: 2, output_step: 0.1}\n");
    assert_near(net_of(&x, "J"), 0.8, 1e-9);
    assert_near(net_of(&x, "R"), 1, 1e-9);
    assert_near(net_of(&x, "src"), -1.8, 1e-9);
    x = flows_of("limber: 1\n"
                 "power:\n"
                 "  s: {type: 0, domain: electric}\n"
                 "  src: {type: Se, effort: 'if(t < 1, 5, -1)', on: s}\n"
                 "  C: {type: C, capacitance: 0.2, on: s}\n"
                 "analysis: {type: dynamics, until: 2, output_step: 0.1}\n");
    assert_near(net_of(&x, "C"), 0.1 * (1 - 25), 1e-9);
    assert_near(net_of(&x, "src"), -0.1 * (1 - 25), 1e-9);
}

/* A drive's rate jumps, and a rotor behind a gear on another joint with it: what its port gives is what it holds. */
static void drives_reach_the_graph(void **state)
{
    static const char text[] =
        "limber: 1\n"
        "bodies:\n"
        "  cart: {type: rigid, mass: 1, inertia: [1, 1, 1]}\n"
        "  rod: {type: rigid, mass: 2, inertia: [0.1, 0.1, 0.1], position: [0, -0.5, 0]}\n"
        "joints:\n"
        "  rail: {type: prismatic, between: [ground, cart], axis: x, drive: 'max(0, t - 0.5)'}\n"
        "  pin: {type: revolute, between: [cart, rod], axis: z, at: [0, 0, 0]}\n"
        "power:\n"
        "  shaft: {type: 1, domain: rotation}\n"
        "  p: {type: port, joint: pin, on: shaft}\n"
        "  gear: {type: TF, from: shaft, to: rotor, modulus: 2}\n"
        "  rotor: {type: 1, domain: rotation}\n"
        "  J: {type: I, inertia: 0.2, on: rotor}\n"
        "analysis: {type: dynamics, until: 1, output_step: 0.1, tolerance: 1e-8}\n"
        "outputs: {held: 0.1*flow(J)^2}\n";
    (void)state;
    table r = run_model(&(run_how){.text = text});
    double held = table_last(&r, "held");
    table_free(&r);
    flows x = flows_of(text);
    assert_true(held > 0.1);
    assert_near(net_of(&x, "J"), held, 1e-7 * held);
    assert_near(net_of(&x, "p"), -held, 1e-7 * held);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jumps_are_refused),
        cmocka_unit_test(jumps_at_the_end_of_a_step),
        cmocka_unit_test(corners_pass),
        cmocka_unit_test(shifts_keep_the_energy),
        cmocka_unit_test(sources_do_work_at_once),
        cmocka_unit_test(drives_reach_the_graph),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
