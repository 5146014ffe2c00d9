/* Every model of models/ through every formulation that applies, against the one that it asks for. */
#include "support/run_model.h"
#include "support/scratch.h"
#include "support/worst.h"

#include <dirent.h>

static const char *const forms[] = {"corotational", "minimal", "elastodynamic", "rfe", "ffr"};
enum { FORMS = 5, MOST_MODELS = 200 };

/* What formulations may differ by, in parts of the range of each output. Corotational and minimal coordinates
 * solve the same equations: the tolerance is 1e-4 of the size of the mechanism, and forces and constants of
 * the motion follow less closely. Rigid pieces err by about 1/(4n^2) of deflections and frequencies, n = 4 to
 * 8, and vibrations run out of phase by as much for each radian. What is linear about the rigid motion is off
 * by the square of deflection over length, the forces by its first power. Splines are cubic in each beam. */
static const double usual[FORMS] = {5e-4, 5e-4, 5e-2, 6e-2, 1.5e-2};

typedef enum reason {
    NEARLY, /* more than usual, for a reason of the model's own */
    LARGE,  /* deflections that the formulation takes for small */
    FREE,   /* moves as forces let it: what bends leaves the rigid motion behind */
    COSTLY, /* minutes, and nothing new */
    NONE    /* no such equilibrium, or none that the search finds */
} reason;

static const struct exception {
    const char *model, *formulation;
    reason why;
    double most; /* may differ by so much; 0: is not run, INFINITY: runs */
} exceptions[] = {
    {"heavy_top", "minimal", NEARLY, 5e-3}, /* 17 turns of a fast top at default tolerance */
    {"heavy_top", "rfe", NEARLY, 5e-3},
    {"particle_on_springs", "minimal", NEARLY, INFINITY}, /* y is rounding only */
    {"particle_on_springs", "rfe", NEARLY, INFINITY},
    {"branched_tree", "elastodynamic", FREE, INFINITY},
    {"rope", "elastodynamic", FREE, INFINITY},
    {"crane_rope", "ffr", COSTLY, 0},
    {"swinging_arch", "ffr", COSTLY, 0},
    {"jeffcott_rotor", NULL, COSTLY,
     0}, /* Campbell diagrams are compared in test_models_rotors.c */
    {"flexible_crane", "elastodynamic", FREE, INFINITY},
    {"flexible_crane", "rfe", NEARLY, 0.25}, /* six periods of the root's vibration */
    {"cantilever_tip_force", "elastodynamic", NONE, 0},
    {"cantilever_tip_force", "ffr", LARGE, 0.5},
    {"closed_circle", "elastodynamic", NONE, 0},
    {"closed_circle", "ffr", LARGE, INFINITY},
    {"princeton_beam", "elastodynamic", LARGE, 1},
    {"princeton_beam", "ffr", LARGE, 1},
    {"shallow_arch", "elastodynamic", LARGE, INFINITY}, /* it snaps through */
    /* Campbell diagram: at the top speed the blade stretches by 1 %, of which the run warns with 5.9 % */
    {"rotating_beam", "ffr", LARGE, 0.04},
    {"spin_up", "elastodynamic", LARGE, 1.2},
    {"two_link_arm", "rfe", NEARLY, 0.25},
    {"slider_crank_strip", "minimal", NEARLY,
     1e-2}, /* a reaction along the stiff strip; tolerance 1e-6: 4e-4 */
    {"slider_crank_strip", "ffr", LARGE, 0.05}, /* its rod bends by 3 % of its length */
    {"hydraulic_crane", "rfe", NEARLY, 0.1},    /* its boom vibrates; 8 elements: a third of it */
    {"flexible_chain", "ffr", NEARLY,
     6e-2}, /* its pull swings at the frequency of the whole chain */
    {"four_bar_misaligned", "ffr", NEARLY, 0.1},
    {"four_bar_misaligned", "rfe", NEARLY, 0.3},        /* it snaps; n = 8: 0.044, 16: 0.012 */
    {"unbalanced_shaft", "elastodynamic", LARGE, 0.12}, /* whirls by 4.5 % of its length */
    {"unbalanced_shaft", "ffr", LARGE, 0.12},
    {"unbalanced_shaft", "rfe", NEARLY,
     1.3}, /* the passage of a critical speed that is 3 % lower */
};

static double allowed(const char *model, int form)
{
    for (size_t i = 0; i < sizeof exceptions / sizeof exceptions[0]; i++) {
        const struct exception *e = &exceptions[i];
        if (strcmp(e->model, model) != 0) continue;
        if (!e->formulation || strcmp(e->formulation, forms[form]) == 0) return e->most;
    }
    return usual[form];
}

static int number_of(const char *form)
{
    for (int f = 0; f < FORMS; f++)
        if (strcmp(forms[f], form) == 0) return f;
    fail_msg("no formulation '%s'", form);
    return -1;
}

static limber_model *load(const char *name, limber_messages *msg)
{
    char path[600];
    limber_model *model = NULL;
    snprintf(path, sizeof path, "%s/%s.yaml", getenv("MODELS"), name);
    if (limber_model_load(path, NULL, &model, msg)) {
        limber_messages_print(msg, stderr);
        fail_msg("%s cannot be read", name);
    }
    return model;
}

/* 0: it ran; 1: it does not apply. Anything else fails. */
static int run(const char *name, const char *form, const char *to)
{
    limber_messages *msg = limber_messages_new();
    limber_run_options o = limber_run_options_default();
    limber_summary sum;
    limber_model *model = load(name, msg);
    o.formulation = form;
    o.results = to;
    limber_status st = limber_run(model, &o, &sum, msg);
    int no = st == LIMBER_INPUT || st == LIMBER_UNSUPPORTED;
    if (no && limber_messages_errors(msg) != 1) fail_msg("%s in %s: not one message", name, form);
    if (st && !no) fail_msg("%s in %s stopped: %s", name, form, sum.reason);
    limber_model_free(model);
    limber_messages_free(msg);
    return no;
}

static int one_model(const char *name, int *refused)
{
    char reference[SCRATCH_PATH], other[SCRATCH_PATH];
    limber_messages *msg = limber_messages_new();
    limber_model *model = load(name, msg);
    const char *own = limber_model_formulation(model);
    int bad = 0, compared = 0;
    scratch_path(reference, "reference.h5");
    scratch_path(other, "other.h5");
    if (run(name, own, reference)) fail_msg("%s is refused in its own formulation", name);
    for (int f = 0; f < FORMS; f++) {
        double most = allowed(name, f), reference_off = usual[number_of(own)];
        worst w = {0};
        if (most > 0) most = fmax(most, reference_off);
        if (strcmp(forms[f], own) == 0 || most == 0) continue;
        if (run(name, forms[f], other)) {
            ++*refused;
            continue;
        }
        assert_int_equal(limber_compare_results(reference, other, keep_worst, &w, msg), LIMBER_OK);
        compared++;
        if (w.part <= most) continue;
        print_error("%s in %s: %s is off by %.2g, more than %.2g\n", name, forms[f], w.output,
                    w.part, most);
        bad++;
    }
    limber_model_free(model);
    limber_messages_free(msg);
    if (bad) fail();
    return compared;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void every_model(void **state)
{
    char *names[MOST_MODELS];
    int n = 0, compared = 0, refused = 0;
    DIR *folder = opendir(getenv("MODELS"));
    (void)state;
    assert_non_null(folder);
    for (struct dirent *d; (d = readdir(folder));) {
        size_t length = strlen(d->d_name);
        if (length < 6 || strcmp(d->d_name + length - 5, ".yaml") != 0) continue;
        assert_true(n < MOST_MODELS);
        names[n++] = strndup(d->d_name, length - 5);
    }
    closedir(folder);
    qsort(names, (size_t)n, sizeof names[0], by_name);
    for (int i = 0; i < n; i++) {
        if (strcmp(names[i], "jeffcott_rotor") != 0) /* see above */
            compared += one_model(names[i], &refused);
        free(names[i]);
    }
    print_message("%d models, %d comparisons, %d refused\n", n, compared, refused);
    assert_true(n >= 60 && compared >= 185);
}

static int set_up(void **state)
{
    (void)state;
    return scratch_make("cross");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_model)};
    return cmocka_run_group_tests(tests, set_up, scratch_tear_down);
}
