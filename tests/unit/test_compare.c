/* Result files against each other, models on finer meshes, the list of formulations. */
#include "api/api.h"
#include "model/schema.h"
#include "support/run_model.h"
#include "support/scratch.h"

#define HEAD                                                                                       \
    "limber: 1\n"                                                                                  \
    "parameters: {a: 1, b: 0}\n"                                                                   \
    "gravity: [0, -9.81, 0]\n"                                                                     \
    "bodies: {ball: {type: rigid, mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}}\n"            \
    "joints: {pin: {type: revolute, between: [ground, ball], axis: z, at: [0, 0, 0]}}\n"
#define OUTPUTS "outputs: {wave: a*sin(t) + b, place: pos(ball), total: energy.total, flat: 3}\n"

enum { MOST = 160 };
typedef struct found {
    limber_difference at[MOST];
    int n;
} found;

static void keep(void *context, const limber_difference *d)
{
    found *f = context;
    assert_true(f->n < MOST);
    f->at[f->n++] = *d;
}

static const limber_difference *get(const found *f, const char *output)
{
    for (int i = 0; i < f->n; i++)
        if (strcmp(f->at[i].output, output) == 0) return &f->at[i];
    fail_msg("no output '%s'", output);
    return NULL;
}

static limber_model *parse(const char *text, const limber_load_options *lo)
{
    limber_messages *msg = limber_messages_new();
    limber_model *model = NULL;
    limber_status st = limber_model_parse(text, strlen(text), "m.yaml", lo, &model, msg);
    if (st) limber_messages_print(msg, stderr);
    assert_int_equal(st, LIMBER_OK);
    limber_messages_free(msg);
    return model;
}

/* Run a text with one parameter set, into a file of the scratch folder; formulation NULL: that of the text. */
static const char *run_with(const char *text, const char *set, const char *file,
                            const char *formulation)
{
    static char path[4][SCRATCH_PATH];
    static int next;
    char *to = path[next++ % 4];
    limber_messages *msg = limber_messages_new();
    limber_load_options lo = limber_load_options_default();
    limber_run_options o = limber_run_options_default();
    lo.set = &set, lo.set_count = set != NULL;
    limber_model *model = parse(text, &lo);
    scratch_path(to, file);
    o.results = to;
    o.formulation = formulation;
    assert_int_equal(limber_run(model, &o, NULL, msg), LIMBER_OK);
    limber_model_free(model);
    limber_messages_free(msg);
    return to;
}

static const char *run(const char *text, const char *set, const char *file)
{
    return run_with(text, set, file, NULL);
}

static found compare(const char *a, const char *b)
{
    found f = {0};
    limber_messages *msg = limber_messages_new();
    assert_int_equal(limber_compare_results(a, b, keep, &f, msg), LIMBER_OK);
    limber_messages_free(msg);
    return f;
}

static void outputs_by_time(void **state)
{
    static const char text[] =
        HEAD "analysis: {type: dynamics, until: 6.5, output_step: 0.1, step: 0.05}\n" OUTPUTS;
    (void)state;
    const char *a = run(text, NULL, "a.h5"), *b = run(text, "a=1.25", "b.h5"),
               *c = run(text, "b=0.01", "c.h5");
    found same = compare(a, a), bigger = compare(a, b), higher = compare(a, c);
    assert_int_equal(same.n, 6);
    for (int i = 0; i < 6; i++) {
        assert_true(same.at[i].largest == 0 && same.at[i].rms == 0);
        assert_int_equal(same.at[i].rows, 66);
    }
    const limber_difference *d = get(&bigger, "wave");
    assert_string_equal(d->analysis, "dynamics");
    assert_near(d->scale, 2, 2e-3);        /* the range of the sine */
    assert_near(d->largest, 0.25, 2.5e-4); /* a quarter of its amplitude */
    assert_near(fmod(d->at, M_PI), M_PI / 2, 0.06);
    double sum = 0;
    for (int i = 0; i <= 65; i++) sum += pow(0.25 * sin(0.1 * i), 2);
    assert_near(d->rms, sqrt(sum / 66), 1e-12);
    assert_near(get(&higher, "wave")->largest, 0.01, 1e-12);
    assert_near(get(&higher, "wave")->rms, 0.01, 1e-12);
    assert_true(get(&bigger, "place.y")->largest == 0);
}

/* Components of a vector share the largest range; an energy that is kept is measured in those that come
 * and go; what is constant in its size. */
static void scales(void **state)
{
    static const char text[] =
        HEAD "analysis: {type: dynamics, until: 2, output_step: 0.01}\n" OUTPUTS;
    (void)state;
    const char *a = run(text, NULL, "a.h5");
    found f = compare(a, a);
    double range = get(&f, "place.x")->scale;
    assert_near(range, 2, 0.01); /* from side to side */
    assert_true(get(&f, "place.y")->scale == range && get(&f, "place.z")->scale == range);
    assert_near(get(&f, "total")->scale, 9.81, 0.05);
    assert_near(get(&f, "flat")->scale, 3, 1e-12);
}

/* Formulations that agree do so by what they print: outputs that are zero, or stay as they are, are measured in
 * what such quantities come to, wherever the origin is and whatever the units. */
static void nothing_is_far_off(void **state)
{
    static const char text[] =
        "limber: 1\n"
        "parameters: {X: 0, U: 1}\n"
        "gravity: [0, 0, -9.81*U]\n"
        "materials: {s: {E: 2.1e11/U, nu: 0.3, rho: 7800/U^3}}\n"
        "sections: {r: {material: s, shape: rectangle, height: 0.02*U, width: 0.02*U}}\n"
        "bodies:\n"
        "  arm: {type: beam, section: r, from: [X, 0, 0], to: [X + U, 0, 0], elements: 4}\n"
        "  tip: {type: rigid, mass: 1, inertia: [1e-3*U^2, 1e-3*U^2, 1e-3*U^2], position: [X + U, "
        "0, 0]}\n"
        "joints: {wall: {type: fixed, between: [ground, arm.start]}, end: {type: fixed, between: "
        "[arm.end, tip]}}\n"
        "analysis: [{type: statics}, {type: dynamics, until: 0.1}, {type: modes, count: 4, about: "
        "statics}]\n"
        "outputs: {place: pos(tip), v: vel(tip), a: acc(tip), turn: rot(tip), w: omega(tip), f: "
        "force(wall), m: moment(wall), bend: 'deflection(arm, 0.5)', N: 'section(arm, 0.5).N', Mz: "
        "'section(arm, 0.5).Mz', T: 'section(arm, 0.5).T', stress: 'section(arm, 0.5).stress', "
        "total: "
        "energy.total, kinetic: energy.kinetic, mixed: '1000*pos(tip).y + 3*force(wall).y', zero: "
        "0*t, "
        "seven: 7}\n";
    static const char *const forms[] = {"minimal", "ffr"};
    static const char *const sets[] = {"X=0", "X=1e3", "X=1e6", "U=1e-3", "U=1e6"};
    (void)state;
    for (int k = 0; k < 5; k++)
        for (int i = 0; i < 2; i++) {
            const char *a = run_with(text, sets[k], "a.h5", NULL);
            const char *b = run_with(text, sets[k], "b.h5", forms[i]);
            found f = compare(a, b);
            for (int o = 0; o < f.n; o++)
                if (!(f.at[o].largest <= 0.02 * f.at[o].scale))
                    fail_msg("%s, %s: %s of %s: %g off in %g", sets[k], forms[i], f.at[o].output,
                             f.at[o].analysis, f.at[o].largest, f.at[o].scale);
        }
}

/* An angle between points is as large as it is: where all points are alike it is any. */
static void angles_of_points(void **state)
{
    static const char text[] = HEAD
        "analysis: {type: dynamics, until: 1, output_step: 0.01}\n"
        "outputs: {turn: 'atan2(pos(ball).y - pos(ground).y, pos(ball).x - pos(ground).x)/1000'}\n";
    (void)state;
    const char *a = run(text, NULL, "a.h5");
    found f = compare(a, a);
    assert_in_range(1e6 * get(&f, "turn")->scale, 1000, 4000); /* some radians */
}

/* Rows of other instants are passed over, and outputs that one file does not have. */
static void what_both_have(void **state)
{
    static const char coarse[] = HEAD "analysis: {type: dynamics, until: 1, output_step: 0.25, "
                                      "step: 0.01}\noutputs: {wave: sin(t), x: 1}\n";
    static const char fine[] = HEAD "analysis: {type: dynamics, until: 2, output_step: 0.1, step: "
                                    "0.01}\noutputs: {wave: sin(t)}\n";
    (void)state;
    found f = compare(run(coarse, NULL, "a.h5"), run(fine, NULL, "b.h5"));
    assert_int_equal(f.n, 1);
    assert_int_equal(f.at[0].rows, 3); /* 0, 0.5, 1 */
    assert_true(f.at[0].largest < 1e-15);
}

#define BAR                                                                                        \
    "limber: 1\n"                                                                                  \
    "parameters: {n: 4}\n"                                                                         \
    "materials: {steel: {E: 2e11, nu: 0.3, rho: 7800}}\n"                                          \
    "sections: {bar: {material: steel, shape: rectangle, height: 0.01, width: 0.02}}\n"

static void modes_and_poles(void **state)
{
    static const char text[] = BAR
        "bodies: {rod: {type: beam, section: bar, from: [0, 0, 0], to: [1, 0, 0], elements: n}}\n"
        "joints: {wall: {type: fixed, between: [ground, rod.start]}}\n"
        "analysis: [{type: modes, count: 3}, {type: linearize}]\n";
    (void)state;
    found f = compare(run(text, "n=16", "a.h5"), run(text, "n=4", "b.h5"));
    double w = 2 * M_PI * get(&f, "mode 1")->scale;
    assert_near(w, 3.516 * sqrt(2e11 / 7800) * 0.01 / sqrt(12), 0.2);
    /* consistent masses: too high by (1.875/4)^4/720, and so on */
    assert_under(get(&f, "mode 1")->largest / get(&f, "mode 1")->scale, 1e-4);
    assert_under(get(&f, "mode 1")->largest, get(&f, "mode 3")->largest);
    assert_near(get(&f, "pole 1")->scale, w, 1e-6 * w);
    assert_near(get(&f, "pole 1")->largest, 2 * M_PI * get(&f, "mode 1")->largest, 1e-6 * w);
}

/* A mode that is damped by another amount, and none that is not damped. */
static void damping_of_modes(void **state)
{
    static const char text[] =
        "limber: 1\n"
        "parameters: {c: 0}\n"
        "bodies: {ball: {type: rigid, mass: 1, inertia: [1, 1, 1]}}\n"
        "joints: {rail: {type: prismatic, between: [ground, ball], axis: x, stiffness: 100, "
        "damping: c}}\n"
        "analysis: {type: modes, count: 1}\n";
    (void)state;
    const char *none = run(text, NULL, "a.h5"), *one = run(text, "c=0.2", "b.h5"),
               *more = run(text, "c=0.3", "c.h5");
    found same = compare(none, none), f = compare(one, more);
    assert_int_equal(same.n, 1);
    assert_near(get(&f, "damping 1")->scale, 0.01, 1e-9); /* c/(2 sqrt(k m)) */
    assert_near(get(&f, "damping 1")->largest, 0.005, 1e-9);
}

/* A pole that one of the two has not does not shift all others. */
static void poles_are_matched(void **state)
{
    static const char text[] =
        "limber: 1\n"
        "parameters: {c: 0, k: 100}\n"
        "bodies: {a: {type: rigid, mass: 1, inertia: [1, 1, 1]}, b: {type: rigid, mass: 1, "
        "inertia: [1, 1, 1]}}\n"
        "joints: {x: {type: prismatic, between: [ground, a], axis: x, stiffness: k, damping: c}, "
        "y: {type: prismatic, between: [ground, b], axis: y, stiffness: 10000}}\n"
        "analysis: {type: linearize}\n";
    (void)state;
    /* +-10 i and +-100 i; and -2.68, -37.3 in place of the first pair */
    found f = compare(run(text, NULL, "a.h5"), run(text, "c=40", "b.h5"));
    assert_int_equal(f.n, 2);
    assert_near(get(&f, "pole 1")->largest, hypot(10, 40 / 2 - sqrt(300)), 1e-3);
    assert_near(get(&f, "pole 2")->largest, 0, 1e-3);
}

/* Frequencies of a point on springs that turns: W0 +- W, whatever the branches are called. */
static void campbell_by_frequency(void **state)
{
    static const char text[] =
        "limber: 1\n"
        "parameters: {k: 100}\n"
        "bodies: {hub: {type: rigid, mass: 1, inertia: [1, 1, 1]}, disc: {type: rigid, mass: 1, "
        "inertia: [1, 1, 2]}}\n"
        "joints: {drive: {type: revolute, between: [ground, hub], axis: z, drive: t}, plane: "
        "{type: "
        "planar, between: [hub, disc], axis: z, stiffness: {x: k, y: 100, angle: 1e6}}}\n"
        "analysis: {type: campbell, drive: drive, speeds: [0, 4, 3], count: 2}\n";
    (void)state;
    const char *a = run(text, NULL, "a.h5");
    found same = compare(a, a), f = compare(a, run(text, "k=121", "b.h5"));
    assert_int_equal(same.n, 2);
    assert_near(get(&same, "frequency 1")->scale, 10 / (2 * M_PI), 1e-6);
    assert_near(get(&same, "frequency 2")->scale, 14 / (2 * M_PI), 1e-6);
    assert_true(get(&same, "frequency 2")->largest == 0);
    assert_int_equal(get(&f, "frequency 2")->rows, 3);
    assert_near(get(&f, "frequency 2")->largest, 1 / (2 * M_PI), 1e-6); /* 11 at rest */
    assert_near(get(&f, "frequency 2")->at, 0, 1e-9);
}

/* A point on springs k, k2 that turn with it: critical at sqrt(k/m) = 20 and sqrt(k2/m). They count, and where they
 * are; where the list of speeds ends before one, the number differs. */
static void critical_speeds(void **state)
{
    static const char text[] =
        "limber: 1\n"
        "parameters: {k2: 1200, to: 40}\n"
        "bodies: {hub: {type: rigid, mass: 5, inertia: [0.1, 0.1, 0.2]}, point: {type: rigid, "
        "mass: 2, inertia: [0.01, 0.01, 0.02]}}\n"
        "joints: {drive: {type: revolute, between: [ground, hub], axis: z, drive: 12*t}, plane: "
        "{type: planar, between: [hub, point], axis: z}}\n"
        "forces: {springs: {type: bushing, between: [hub, point], stiffness: [800, k2, 0, 0, 0, "
        "50]}}\n"
        "analysis: {type: campbell, drive: drive, speeds: [0, to, 21], count: 3}\n";
    (void)state;
    const char *a = run(text, NULL, "a.h5");
    found stiffer = compare(a, run(text, "k2=1352", "b.h5"));
    found shorter = compare(a, run(text, "to=22", "c.h5"));
    assert_near(get(&stiffer, "critical speeds")->largest, 0, 0);
    assert_near(get(&stiffer, "critical speed 1")->largest, 0, 1e-5);
    assert_near(get(&stiffer, "critical speed 2")->largest, 26 - sqrt(600), 1e-4);
    assert_near(get(&stiffer, "critical speed 2")->at, sqrt(600), 1e-4);
    assert_near(get(&shorter, "critical speeds")->largest, 1, 0);
    assert_near(get(&shorter, "critical speeds")->scale, 2, 0);
}

static void files_that_are_none(void **state)
{
    found f = {0};
    limber_messages *msg = limber_messages_new();
    const char *a = run(HEAD "analysis: {type: statics}\n", NULL, "a.h5");
    (void)state;
    assert_int_equal(limber_compare_results("nowhere.h5", a, keep, &f, msg), LIMBER_IO);
    assert_int_equal(limber_compare_results(a, "nowhere.h5", keep, &f, msg), LIMBER_IO);
    assert_int_equal(limber_messages_errors(msg), 2);
    assert_int_equal(f.n, 0);
    limber_messages_free(msg);
}

/* ---- finer meshes ---- */

/* The value of an output of a static analysis, with a change, on a mesh that was halved so many times. */
static double changed(const char *text, const char *output, limber_change change, int mesh)
{
    limber_load_options lo = limber_load_options_default();
    limber_run_options o = limber_run_options_default();
    limber_messages *msg = limber_messages_new();
    limber_summary sum;
    lo.refine_mesh = mesh;
    lo.change = change;
    limber_model *model = parse(text, &lo);
    char path[SCRATCH_PATH];
    scratch_path(path, "m.h5");
    o.results = path;
    assert_int_equal(limber_run(model, &o, &sum, msg), LIMBER_OK);
    found f = compare(path, path);
    limber_model_free(model);
    limber_messages_free(msg);
    return get(&f, output)->scale; /* of statics the size of the value */
}

static double refined(const char *text, const char *output, int mesh)
{
    return changed(text, output, LIMBER_CHANGE_NOTHING, mesh);
}

/* Nodes of a bent axis whose segments get other shares of more elements. */
static void nodes_stay(void **state)
{
    static const char text[] = BAR "bodies: {hook: {type: beam, section: bar, points: [[0, 0, 0], "
                                   "[1, 0, 0], [1, 0.4, 0]], elements: 3}}\n"
                                   "joints: {wall: {type: fixed, between: [ground, hook.start]}}\n"
                                   "loads: {push: {on: hook.node(1), force: [0, 1e-9, 0]}}\n"
                                   "analysis: {type: statics}\n"
                                   "outputs: {x1: pos(hook.node(1)).x, x2: pos(hook.node(2)).x, "
                                   "x3: pos(hook.end).x, y3: pos(hook.end).y}\n";
    (void)state;
    for (int mesh = 0; mesh < 4; mesh++) {
        assert_near(refined(text, "x1", mesh), 0.5, 1e-9);
        assert_near(refined(text, "x2", mesh), 1, 1e-9);
        assert_near(refined(text, "x3", mesh), 1, 1e-9);
        assert_near(refined(text, "y3", mesh), 0.4, 1e-9);
    }
}

/* Springs at the middle of rigid pieces: the error falls with the square of their length. */
static void errors_fall(void **state)
{
    static const char text[] = BAR
        "formulation: rfe\n"
        "bodies: {rod: {type: beam, section: bar, from: [0, 0, 0], to: [1, 0, 0], elements: 4}}\n"
        "joints: {wall: {type: fixed, between: [ground, rod.start]}}\n"
        "loads: {push: {on: rod.at(0.75), force: [0, 1, 0]}}\n"
        "analysis: {type: statics}\n"
        "outputs: {tip: pos(rod.end).y}\n";
    double inertia = 0.02 * pow(0.01, 3) / 12, a = 0.75;
    double exact = a * a * (3 - a) / (6 * 2e11 * inertia), last = 0;
    (void)state;
    for (int mesh = 0; mesh < 4; mesh++) {
        double off = fabs(refined(text, "tip", mesh) / exact - 1);
        if (mesh) assert_near(last / off, 4, 0.4);
        last = off;
    }
}

/* Steps in time, speeds of a diagram and what a delay keeps of the past are refined alike. */
static void what_is_sampled(void **state)
{
    static const char text[] = HEAD
        "blocks: {late: {type: delay, input: sin(t), time: 1}}\n"
        "analysis: [{type: dynamics, until: 1, step: 0.1}, {type: campbell, drive: pin, speeds: "
        "[0, 10, 11]}, {type: campbell, drive: pin, speeds: [5, 5, 1]}]\n";
    limber_load_options lo = limber_load_options_default();
    (void)state;
    lo.refine_time = 2;
    limber_model *model = parse(text, &lo);
    const lm_spec *spec = model->m.spec;
    assert_near(spec->analyses.at[0].step, 0.025, 1e-15);
    assert_near(spec->analyses.at[1].speeds[2], 41, 0);
    assert_near(spec->analyses.at[2].speeds[2], 1, 0);
    assert_int_equal(spec->delays.at[0].samples, 400);
    limber_model_free(model);
}

/* ---- in other terms ---- */

/* Euler's elastica with P L^2/EI = 10: y = 0.8106. One element from node to node is 5 % off. */
static void beams_for_superelements(void **state)
{
    static const char text[] =
        "limber: 1\n"
        "sections: {s: {shape: stiffness, EA: 1e6, EIy: 1, EIz: 1, GJ: 1, rhoA: 1, rhoIy: 0, "
        "rhoIz: 0}}\n"
        "bodies: {arm: {type: superelement, position: [1, 2, 3], orientation: {axis: [0, 0, 1], "
        "angle: pi/2}, beam: {section: s, length: 1}, nodes: {n: [0.3, 0, 0]}}}\n"
        "joints: {c: {type: fixed, between: [ground, arm.start]}}\n"
        "loads: {f: {on: arm.end, force: [-10, 0, 0]}}\n"
        "analysis: {type: statics}\n"
        "outputs: {y: '1 - pos(arm.end).x', z: pos(arm.end).z - 2.5}\n";
    limber_load_options lo = limber_load_options_default();
    (void)state;
    lo.change = LIMBER_CHANGE_SUPERELEMENTS;
    lo.refine_mesh = 1;
    limber_model *model = parse(text, &lo);
    assert_string_equal(limber_model_change(model), "beams in place of superelements");
    limber_model_free(model);
    assert_near(changed(text, "y", LIMBER_CHANGE_SUPERELEMENTS, 1), 0.8106, 2e-4);
    assert_near(changed(text, "z", LIMBER_CHANGE_SUPERELEMENTS, 1), 0.5, 1e-9);
    assert_true(fabs(changed(text, "y", LIMBER_CHANGE_NOTHING, 0) - 0.8106) > 1e-3);
}

/* What is not in a model is not changed. */
static void changes_that_apply(void **state)
{
    static const char rod[] =
        BAR "bodies: {rod: {type: beam, section: bar, from: [0, 0, 0], to: [1, 0, 0]}}\n"
            "joints: {wall: {type: fixed, between: [ground, rod.start]}}\n"
            "analysis: {type: dynamics, until: 1}\n";
    static const struct {
        const char *text;
        limber_change change;
        const char *what;
    } is[] = {
        {rod, LIMBER_CHANGE_METHOD, "method: generalized-alpha"},
        {rod, LIMBER_CHANGE_SUPERELEMENTS, ""},
        {rod, LIMBER_CHANGE_THEORY, "theory: timoshenko"},
        {rod, LIMBER_CHANGE_BODY_FRAME, ""},
        {rod, LIMBER_CHANGE_SPRINGS, "springs: bending"},
        {rod, LIMBER_CHANGE_SUBSTRUCTURES, "substructures: one for each element"},
        {HEAD "analysis: {type: dynamics, until: 1}\n", LIMBER_CHANGE_METHOD, "method: radau"},
        {HEAD "analysis: {type: statics}\n", LIMBER_CHANGE_METHOD, ""},
        {HEAD "analysis: {type: statics}\n", LIMBER_CHANGE_THEORY, ""}};
    (void)state;
    for (size_t i = 0; i < sizeof is / sizeof is[0]; i++) {
        limber_load_options lo = limber_load_options_default();
        lo.change = is[i].change;
        limber_model *model = parse(is[i].text, &lo);
        assert_string_equal(limber_model_change(model), is[i].what);
        limber_model_free(model);
    }
}

/* A short cantilever: F L^3/(3 EI) and with shear F L/(k G A) more. */
static void theory_changes(void **state)
{
    static const char text[] =
        BAR "bodies: {rod: {type: beam, section: bar, from: [0, 0, 0], to: [0.02, 0, 0]}}\n"
            "joints: {wall: {type: fixed, between: [ground, rod.start]}}\n"
            "loads: {push: {on: rod.end, force: [0, 1000, 0]}}\n"
            "analysis: {type: statics}\n"
            "outputs: {tip: pos(rod.end).y}\n";
    double L = 0.02, inertia = 0.02 * pow(0.01, 3) / 12, G = 2e11 / 2.6;
    double bent = L * L * L / (3 * 2e11 * inertia);
    double plain = changed(text, "tip", LIMBER_CHANGE_NOTHING, 0);
    double shear = changed(text, "tip", LIMBER_CHANGE_THEORY, 0) - plain;
    (void)state;
    assert_near(plain / (1e3 * bent), 1, 1e-6);
    assert_near(shear / (1e3 * L / (G * 0.01 * 0.02)), 1.2, 0.06); /* 1/k: 6/5, or Cowper's */
}

/* ---- what is shared, what is left out ---- */

typedef struct pieces {
    limber_piece at[32];
    char items[32][160];
    int n;
} pieces;

static void keep_piece(void *context, const limber_piece *piece)
{
    pieces *p = context;
    snprintf(p->items[p->n], sizeof p->items[0], "%s", piece->items);
    p->at[p->n] = *piece;
    p->at[p->n].items = p->items[p->n];
    p->n++;
}

static const limber_piece *piece(const pieces *p, const char *name)
{
    for (int i = 0; i < p->n; i++)
        if (strcmp(p->at[i].name, name) == 0) return &p->at[i];
    return NULL;
}

static int number(const char *formulation)
{
    for (int i = 0; i < limber_formulation_count(); i++)
        if (strcmp(limber_formulation_name(i), formulation) == 0) return i;
    return -1;
}

static void pieces_of_a_model(void **state)
{
    static const char text[] = BAR
        "bodies: {p: {type: beam, section: bar, from: [0, 0, 0], to: [1, 0, 0]}, q: {type: beam, "
        "section: bar, from: [1, 0, 0], to: [2, 0, 0]}, r: {type: beam, section: bar, from: [2, 0, "
        "0], to: [3, 0, 0]}, s: {type: beam, section: bar, from: [3, 0, 0], to: [4, 0, 0]}}\n"
        "joints: {wall: {type: fixed, between: [ground, p.start]}}\n"
        "analysis: {type: dynamics, until: 1}\n"
        "outputs: {tip: pos(p.end).y}\n";
    pieces p = {0};
    (void)state;
    limber_model *model = parse(text, NULL);
    limber_model_pieces(model, keep_piece, &p);
    limber_model_free(model);
    const limber_piece *beams = piece(&p, "beam elements");
    assert_true(beams && beams->bends);
    assert_string_equal(beams->items, "p, q, r and 1 more");
    const int *v = beams->voice;
    assert_int_equal(v[number("corotational")], v[number("minimal")]);
    assert_int_not_equal(v[number("corotational")], v[number("rfe")]);
    assert_int_not_equal(v[number("corotational")], v[number("ffr")]);
    assert_int_not_equal(v[number("elastodynamic")], v[number("corotational")]);
    assert_int_not_equal(v[number("rfe")], v[number("ffr")]);
    assert_string_equal(piece(&p, "cross sections")->items, "bar");
    assert_string_equal(piece(&p, "sensors")->items, "tip");
    assert_non_null(piece(&p, "time integration"));
    assert_null(piece(&p, "superelements"));
    assert_null(piece(&p, "loads"));
    assert_null(piece(&p, "equilibrium"));
    const limber_piece *joints = piece(&p, "joints");
    assert_int_not_equal(joints->voice[number("corotational")], joints->voice[number("minimal")]);
}

typedef struct effects {
    limber_effect at[64];
    int n;
} effects;

static void keep_effect(void *context, const limber_effect *e)
{
    effects *x = context;
    assert_true(x->n < 64);
    x->at[x->n++] = *e;
}

static effects effects_of(const char *text, const char *formulation)
{
    effects x = {0};
    limber_messages *msg = limber_messages_new();
    limber_run_options o = limber_run_options_default();
    limber_model *model = parse(text, NULL);
    char path[SCRATCH_PATH];
    scratch_path(path, "e.h5");
    o.results = path;
    o.formulation = formulation;
    o.effect = keep_effect;
    o.effect_context = &x;
    assert_int_equal(limber_run(model, &o, NULL, msg), LIMBER_OK);
    limber_model_free(model);
    limber_messages_free(msg);
    return x;
}

/* A cantilever under a force at its end falls short by 3/5 of the square of its deflection. */
static void effects_of_formulations(void **state)
{
    static const char text[] =
        BAR "bodies: {rod: {type: beam, section: bar, from: [0, 0, 0], to: [1, 0, 0], elements: "
            "8}}\n"
            "joints: {wall: {type: fixed, between: [ground, rod.start]}}\n"
            "loads: {push: {on: rod.end, force: [0, 10, 0]}}\n"
            "analysis: {type: statics}\n"
            "outputs: {x: pos(rod.end).x, y: pos(rod.end).y}\n";
    double y = 10 / (3 * 2e11 * 0.02 * pow(0.01, 3) / 12), shortened = 0, mesh = 0;
    effects linear = effects_of(text, "elastodynamic"), rigid = effects_of(text, "rfe");
    (void)state;
    for (int i = 0; i < linear.n; i++)
        if (strcmp(linear.at[i].output, "x") == 0) shortened = linear.at[i].size;
    for (int i = 0; i < rigid.n; i++)
        if (strstr(rigid.at[i].what, "mesh")) mesh = rigid.at[i].size;
    assert_near(shortened / (0.6 * y * y), 1, 0.01);
    assert_near(mesh, 1.0 / (4 * 8 * 8), 1e-4);
    assert_int_equal(effects_of(text, "corotational").n, 0);
}

static int set_up(void **state)
{
    (void)state;
    return scratch_make("compare");
}

/* All that `compare` runs can be asked for by name, and there are no others. */
static void formulations_by_number(void **state)
{
    (void)state;
    int n = limber_formulation_count();
    for (int i = 0; i < n; i++) {
        const char *name = limber_formulation_name(i);
        char text[600];
        limber_model *model = NULL;
        limber_messages *msg = limber_messages_new();
        snprintf(text, sizeof text,
                 HEAD "formulation: %s\nanalysis: {type: dynamics, until: 1}\n" OUTPUTS, name);
        assert_int_equal(limber_model_parse(text, strlen(text), "m.yaml", NULL, &model, msg),
                         LIMBER_OK);
        assert_string_equal(limber_model_formulation(model), name);
        for (int k = 0; k < i; k++) assert_string_not_equal(limber_formulation_name(k), name);
        limber_model_free(model);
        limber_messages_free(msg);
    }
    char word[LM_CHOICE_MOST];
    const lm_key *key = lm_schema_variant(lm_schema_object(LM_OBJECT_FORMULATION));
    assert_int_equal(lm_choices_count(key->choices), n);
    for (int i = 0; i < n; i++)
        assert_string_equal(lm_schema_word(LM_OBJECT_FORMULATION, i, word),
                            limber_formulation_name(i));
    assert_null(limber_formulation_name(-1));
    assert_null(limber_formulation_name(n));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outputs_by_time),       cmocka_unit_test(scales),
        cmocka_unit_test(nothing_is_far_off),    cmocka_unit_test(angles_of_points),
        cmocka_unit_test(what_both_have),        cmocka_unit_test(modes_and_poles),
        cmocka_unit_test(files_that_are_none),   cmocka_unit_test(nodes_stay),
        cmocka_unit_test(errors_fall),           cmocka_unit_test(formulations_by_number),
        cmocka_unit_test(damping_of_modes),      cmocka_unit_test(poles_are_matched),
        cmocka_unit_test(campbell_by_frequency), cmocka_unit_test(beams_for_superelements),
        cmocka_unit_test(changes_that_apply),    cmocka_unit_test(theory_changes),
        cmocka_unit_test(pieces_of_a_model),     cmocka_unit_test(effects_of_formulations),
        cmocka_unit_test(critical_speeds),       cmocka_unit_test(what_is_sampled),
    };
    return cmocka_run_group_tests(tests, set_up, scratch_tear_down);
}
