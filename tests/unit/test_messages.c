/* Messages are part of the results: as text and from there, in files, over an interruption, and what makes
 * results doubtful is among them. */
#include "base/diag.h"
#include "support/run_model.h"
#include "support/scratch.h"

/* ---- as text ---- */

typedef struct kept {
    int n;
    lm_message at[8];
} kept;

static void keep(void *context, const lm_message *m)
{
    kept *k = context;
    k->at[k->n++] = *m;
}

static void as_text(void **state)
{
    lm_diag d = {0};
    lm_arena arena = {0};
    kept k = {0};
    (void)state;
    lm_warning(&d, ((lm_loc){"a.yaml", 3, 7}), "two\nlines and a\ttab");
    d.analysis = "dynamics_2";
    lm_diag_add(&d, LM_NOTE, (lm_loc){0}, "no place");
    char *text = lm_arena_str(&arena, lm_diag_text(&d, 0, &arena));
    assert_string_equal(text, "\twarning\ta.yaml\t3\t7\ttwo lines and a tab\n"
                              "dynamics_2\tnote\t\t0\t0\tno place\n");
    lm_diag_parse(text, keep, &k);
    assert_int_equal(k.n, 2);
    assert_string_equal(k.at[0].text, "two lines and a tab");
    assert_string_equal(k.at[0].loc.file, "a.yaml");
    assert_true(k.at[0].loc.line == 3 && k.at[0].loc.col == 7 && k.at[0].severity == LM_WARNING);
    assert_true(!k.at[1].loc.file && k.at[1].severity == LM_NOTE);
    assert_string_equal(k.at[1].analysis, "dynamics_2");
    lm_diag_parse(lm_arena_str(&arena, "cut off"), keep, &k); /* a damaged file */
    assert_int_equal(k.n, 3);
    lm_arena_free(&arena);
    lm_diag_free(&d);
}

/* A restored message gives way to the same with other numbers, and only it. */
static void said_again(void **state)
{
    lm_diag d = {0};
    lm_loc at = {"a.yaml", 1, 1};
    (void)state;
    lm_message old = {.loc = at,
                      .severity = LM_WARNING,
                      .text = "mode 1 grows by -1.5e-3",
                      .analysis = "",
                      .restored = 1};
    lm_diag_add_message(&d, &old);
    old.text = "mode 2 grows by 7";
    lm_diag_add_message(&d, &old);
    lm_warning(&d, at, "mode 2 grows by 7");
    assert_int_equal(d.list.n, 2);
    assert_true(d.list.at[0].restored && !d.list.at[1].restored);
    lm_warning(&d, at, "mode 1 grows by 12");
    assert_int_equal(d.list.n, 2);
    assert_string_equal(d.list.at[0].text, "mode 1 grows by 12");
    lm_warning(&d, at, "mode 1 grows by 13");
    lm_warning(&d, ((lm_loc){"a.yaml", 2, 1}), "mode 1 grows by 12");
    assert_int_equal(d.list.n, 4);
    lm_diag_free(&d);
}

/* ---- of runs ---- */

/* An inertia that no body has, rates that jump at 1 and 3, an output that is no number in some rows. */
static const char model_text[] =
    "limber: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  arm: {type: rigid, mass: 1, inertia: [0.1, 0.1, 1], com: [0.5, 0, 0], frames: {end: [1, 0, "
    "0]}}\n"
    "  bob: {type: rigid, mass: 1, inertia: [0.1, 0.1, 0.1], position: [1.5, 0, 0]}\n"
    "joints:\n"
    "  a: {type: revolute, between: [ground, arm], axis: z, drive: 'pwl(t, 0, 0, 1, 1, 3, 1, 5, "
    "3)'}\n"
    "  b: {type: revolute, between: [arm.end, bob], at: [1, 0, 0], axis: z, damping: 0.1}\n"
    "outputs: {b: joint(b), root: 'sqrt(sin(t))'}\n"
    "analysis: {type: dynamics, until: 5, output_step: 0.1, method: %s}\n";

/* A cantilever that bends far about t = 1, and not after it. */
static const char bent_text[] =
    "limber: 1\n"
    "sections: {s: {shape: stiffness, EA: 1e5, EIy: 10, EIz: 10, GJ: 8, rhoA: 1, rhoIy: 1e-3, "
    "rhoIz: "
    "1e-3}}\n"
    "bodies: {arm: {type: beam, section: s, from: [0, 0, 0], to: [1, 0, 0], elements: 4}}\n"
    "joints: {clamp: {type: fixed, between: [ground, arm.start]}}\n"
    "loads: {p: {on: arm.end, force: [0, '20*(step(t, 0, 0, 1, 1) - step(t, 1, 0, 2, 1))', 0]}}\n"
    "outputs: {y: tip(arm).y}\n"
    "formulation: {type: %s}\n"
    "analysis: {type: dynamics, until: 5, output_step: 0.1}\n";

static int stop_at;
static int on_step(void *context, limber_step *step)
{
    (void)context;
    return stop_at && step->t > stop_at;
}

static void run(const char *form, const char *word, const char *path, int resume,
                limber_status expected)
{
    char text[2000];
    limber_model *model = NULL;
    limber_messages *loading = limber_messages_new(), *msg = limber_messages_new();
    limber_run_options o = limber_run_options_default();
    snprintf(text, sizeof text, form, word);
    assert_int_equal(limber_model_parse(text, strlen(text), "m.yaml", NULL, &model, loading),
                     LIMBER_OK);
    limber_model_on_step(model, on_step, NULL);
    o.results = path;
    o.resume = resume;
    assert_int_equal(limber_run(model, &o, NULL, msg), expected);
    limber_model_free(model);
    limber_messages_free(loading);
    limber_messages_free(msg);
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* All of a file, sorted, as one text. */
static void messages_of(const char *path, char *all, size_t size)
{
    limber_messages *msg = limber_messages_new();
    const char *text[50];
    assert_int_equal(limber_results_messages(path, msg), LIMBER_OK);
    int n = limber_messages_count(msg);
    assert_true(n < 50);
    for (int i = 0; i < n; i++) text[i] = limber_messages_get(msg, i).text;
    qsort(text, (size_t)n, sizeof *text, compare_texts);
    all[0] = 0;
    for (int i = 0; i < n; i++) {
        strncat(all, text[i], size - strlen(all) - 1);
        strncat(all, "\n", size - strlen(all) - 1);
    }
    limber_messages_free(msg);
}

/* Wherever a run is broken off, it says in the end what one says that was not. */
static void over_an_interruption(void **state)
{
    static const struct {
        const char *text, *word, *says[3];
    } c[] = {{model_text,
              "radau",
              {"no real body has the 'inertia' of rigid body 'arm'", "jumps from 1 to 0 at t = 1",
               "output 'root' is not a finite number in 19 rows, first at t = 3.2"}},
             {model_text,
              "generalized-alpha",
              {"no real body", "jumps from 1 to 0 at t = 1", "in 19 rows"}},
             {bent_text, "ffr, substructures: 1", {"body 'arm' turns by up to", "", ""}},
             {bent_text, "elastodynamic", {"elastic bodies turn by up to", "", ""}}};
    char whole[SCRATCH_PATH], part[SCRATCH_PATH], a[4000], b[4000];
    (void)state;
    scratch_path(whole, "whole.h5");
    scratch_path(part, "part.h5");
    for (int k = 0; k < 4; k++) {
        stop_at = 0;
        run(c[k].text, c[k].word, whole, 0, LIMBER_OK);
        messages_of(whole, a, sizeof a);
        for (int i = 0; i < 3; i++) assert_non_null(strstr(a, c[k].says[i]));
        for (int at = 1; at <= 4; at++) {
            stop_at = at;
            run(c[k].text, c[k].word, part, 0, LIMBER_STOPPED);
            stop_at = 0;
            run(c[k].text, c[k].word, part, 1, LIMBER_OK);
            messages_of(part, b, sizeof b);
            assert_string_equal(a, b);
        }
    }
}

/* ---- of simulations ---- */

static void of_simulations(void **state)
{
    static const char text[] =
        "limber: 1\n"
        "gravity: [0, -9.81, 0]\n"
        "bodies: {b: {type: rigid, mass: 1, inertia: [0.01, 0.01, 0.01], com: [1, 0, 0]}}\n"
        "joints: {j: {type: revolute, between: [ground, b], axis: z}}\n"
        "outputs: {root: sqrt(1 - t)}\n"
        "analysis: {type: dynamics, until: 5, output_step: 0.1, step: 0.2, method: "
        "generalized-alpha}\n";
    limber_messages *msg = limber_messages_new();
    limber_model *model = NULL;
    limber_simulation *sim = NULL;
    double value;
    (void)state;
    assert_int_equal(limber_model_parse(text, strlen(text), "m.yaml", NULL, &model, msg),
                     LIMBER_OK);
    assert_int_equal(limber_simulation_new(model, &sim, msg), LIMBER_OK);
    for (int k = 1; k <= 5; k++) {
        assert_int_equal(limber_simulation_advance(sim, k), LIMBER_OK);
        assert_int_equal(limber_simulation_outputs(sim, &value), LIMBER_OK);
        limber_simulation_messages(sim);
    }
    const limber_messages *said = limber_simulation_messages(sim);
    int energy = 0, root = 0;
    for (int i = 0; i < limber_messages_count(said); i++) {
        energy += strstr(limber_messages_get(said, i).text, "energy balance is violated") != NULL;
        root += strstr(limber_messages_get(said, i).text, "'root' is not a finite number") != NULL;
    }
    assert_true(energy == 1 && root == 1);
    limber_simulation_free(sim);
    limber_model_free(model);
    limber_messages_free(msg);
}

static int set_up(void **state)
{
    (void)state;
    return scratch_make("messages");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_text),
        cmocka_unit_test(said_again),
        cmocka_unit_test(over_an_interruption),
        cmocka_unit_test(of_simulations),
    };
    return cmocka_run_group_tests(tests, set_up, scratch_tear_down);
}
