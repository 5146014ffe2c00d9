/* `limber compare --refine`: elements and tolerances are halved until the answer stands still. */
#include "refine.h"

#include "show.h"

#include <math.h>
#include <stdlib.h>

static void prepare(study *s, job *j, int mesh, int time)
{
    j->formulation = s->a->formulation;
    j->mesh = mesh;
    j->time = time;
    snprintf(j->label, sizeof j->label, "elements x %d, tolerance / %d", 1 << mesh, 1 << time);
    snprintf(j->results, sizeof j->results, "%s/mesh_%d_time_%d.h5", s->folder, 1 << mesh,
             1 << time);
}

double worst_part(const differences *l, const char **output)
{
    const limber_difference *d = differences_worst(l);
    if (output) *output = d ? d->output : "";
    return d ? difference_part(d) : 0;
}

static int compare(study *s, const job *reference, const job *other, differences *l)
{
    return differences_of(reference, other, l, s->msg) != LIMBER_OK;
}

/* Twice no smaller than the one before. */
static int goes_nowhere(const study *s, int k)
{
    double c[3];
    for (int i = 0; i < 3; i++) c[i] = k - i > 0 ? worst_part(&s->change[k - i], NULL) : INFINITY;
    return c[0] > 0.7 * c[1] && c[1] > 0.7 * c[2];
}

/* The last change is small, and not all at once: that needs one more halving to be believed, as two runs that both
 * miss a short event agree as well. */
static int stands_still(const study *s, int k)
{
    double before = k > 1 ? worst_part(&s->change[k - 1], NULL) : 0;
    return k > 0 && worst_part(&s->change[k], NULL) < STILL && before < SUDDEN;
}

/* Levels until the last change is small, or nothing is gained any more, or a run fails. */
static int go_finer(study *s)
{
    int at_once = jobs_at_once(s->a), bad = 0;
    for (int k = 0; k < LEVELS; k++) prepare(s, &s->level[k], k, k);
    for (int k = 0; k < LEVELS && !bad; k++) {
        int ahead = k == 0 && at_once > 1 ? 2 : 1; /* the second one is always needed */
        bad = jobs_run(s->a, &s->level[k], ahead, at_once);
        if (bad || s->level[k].why[0]) return bad;
        s->finest = k;
        if (k == 0) continue;
        bad = compare(s, &s->level[k], &s->level[k - 1], &s->change[k]);
        if (!bad && (stands_still(s, k) || goes_nowhere(s, k))) return 0;
    }
    return bad;
}

/* What of the error of the user's settings is due to the mesh, and what to the steps. */
static int split(study *s)
{
    prepare(s, &s->steps_only, 0, s->finest);
    int bad = jobs_run(s->a, &s->steps_only, 1, 1);
    for (int k = 0; k < s->finest && !bad; k++)
        bad = compare(s, &s->level[s->finest], &s->level[k], &s->off[k]);
    if (bad || s->steps_only.why[0]) return bad;
    bad = compare(s, &s->level[s->finest], &s->steps_only, &s->by_mesh);
    return bad ? bad : compare(s, &s->steps_only, &s->level[0], &s->by_time);
}

/* ---- what is said ---- */

static void show_levels(const study *s)
{
    char text[32];
    printf("  elements   tolerance  unknowns    steps       time  change\n");
    for (int k = 0; k < LEVELS && s->level[k].done; k++) {
        const job *j = &s->level[k];
        const char *output;
        printf("     x %-4d     / %-4d", 1 << k, 1 << k);
        if (j->why[0]) {
            printf("  %s\n", j->why);
            break;
        }
        printf("%10d %8ld %8.3g s", j->sum.unknowns, j->sum.steps, j->sum.seconds);
        double part = worst_part(&s->change[k], &output);
        if (k == 0)
            printf("  your settings\n");
        else
            printf("  %s %% in %s\n", in_percent(part, text, sizeof text), output);
    }
}

/* The first level that is off by no more than `most`, as are all behind it; -1: none. */
static int first_within(const study *s, double most)
{
    int first = s->finest;
    while (first > 0 && worst_part(&s->off[first - 1], NULL) <= most) first--;
    return first < s->finest ? first : -1;
}

/* 1: finer runs are further off than the user's, which agrees with the finest by chance. */
static int by_chance(const study *s, double error)
{
    char text[32];
    int worst = 0;
    for (int k = 1; k < s->finest; k++)
        if (worst_part(&s->off[k], NULL) > worst_part(&s->off[worst], NULL)) worst = k;
    double most = worst_part(&s->off[worst], NULL);
    if (most < HANGS || most < 3 * error) return 0;
    printf(
        "With elements x %d, tolerance / %d it is %s %% off, further than with yours, which agree\n"
        "with the finest run by chance: find out where the runs part.\n",
        1 << worst, 1 << worst, in_percent(most, text, sizeof text));
    return 1;
}

/* Superelements keep their nodes: what they are off is their own estimate. */
static void unrefined(const study *s)
{
    char text[32];
    double range = s->level[0].sum.range_error;
    if (range < STILL) return;
    printf("Superelements are not refined: displacements within them, or their frequencies\n"
           "as they turn, are about %s %% off by their own estimate, which is not part of the\n"
           "above. More nodes on their beams, or shorter superelements, would tell.\n",
           in_percent(range, text, sizeof text));
}

static int is_campbell(const study *s) { return s->level[0].sum.speeds > 0; }

static void advise(const study *s, double error, double mesh, double time)
{
    char text[32];
    int k = first_within(s, fmin(1e-2, 0.2 * error));
    if (error < STILL) {
        printf("Mesh and %s need no change.\n", is_campbell(s) ? "speeds" : "time steps");
        return;
    }
    if (k < 1) k = s->finest;
    double left = k < s->finest ? worst_part(&s->off[k], NULL) : STILL;
    if (mesh >= 0.1 * time)
        printf("Give beams %d times the `elements`", 1 << k);
    else if (is_campbell(s))
        printf("Take %d times as many `speeds`", 1 << k);
    else
        printf("Divide `tolerance` (or `step`) by %d", 1 << k);
    if (mesh >= 0.1 * time && time > 0.1 * mesh) printf(" and divide `tolerance` by %d", 1 << k);
    printf(": that is %s%s %% off.\n", k < s->finest ? "" : "less than ",
           in_percent(left, text, sizeof text));
}

static void show_verdict(const study *s)
{
    char whole[32], by_mesh[32], by_time[32];
    const char *output;
    double error = worst_part(&s->off[0], &output);
    double mesh = worst_part(&s->by_mesh, NULL), time = worst_part(&s->by_time, NULL);
    printf("\n");
    if (!stands_still(s, s->finest)) {
        printf("The answer does not stand still: the motion may be chaotic, an output jump at an\n"
               "instant that is not known exactly, or steps pass over a short event. A shorter\n"
               "time (--until) may tell more.\n");
        return;
    }
    if (!pieces_find(&s->pieces, "beam elements") && !pieces_find(&s->pieces, "time integration") &&
        !is_campbell(s)) {
        printf("There are no beams and no time steps to refine.\n");
        unrefined(s);
        return;
    }
    printf("Your settings are %s %% off, in %s: the mesh %s %%, the %s %s %%.\n",
           in_percent(error, whole, sizeof whole), output,
           in_percent(mesh, by_mesh, sizeof by_mesh), is_campbell(s) ? "speeds" : "time steps",
           in_percent(time, by_time, sizeof by_time));
    unrefined(s);
    if (!by_chance(s, error)) advise(s, error, mesh, time);
}

static void show_json(const study *s)
{
    printf("{\"levels\": [");
    for (int k = 0; k <= s->finest; k++) {
        const char *output;
        printf("%s{\"elements\": %d", k ? ", " : "", 1 << k);
        json_number(stdout, "unknowns", s->level[k].sum.unknowns);
        json_number(stdout, "steps", (double)s->level[k].sum.steps);
        json_number(stdout, "seconds", s->level[k].sum.seconds);
        json_number(stdout, "change", worst_part(&s->change[k], NULL));
        json_number(stdout, "error", worst_part(&s->off[k], &output));
        printf(", \"output\": ");
        json_text(stdout, output);
        limber_messages *said = jobs_messages(&s->level[k]);
        show_messages_json(stdout, said);
        limber_messages_free(said);
        printf("}");
    }
    printf("]");
    json_number(stdout, "superelements", s->level[0].sum.range_error);
    json_number(stdout, "mesh", worst_part(&s->by_mesh, NULL));
    json_number(stdout, "time", worst_part(&s->by_time, NULL));
    printf(", \"still\": %s", stands_still(s, s->finest) ? "true" : "false");
    show_varied_json(s);
    printf("}\n");
}

static void show(const study *s)
{
    if (s->a->json)
        show_json(s);
    else if (!s->a->quiet) {
        show_levels(s);
        show_varied(s);
        if (s->finest > 0) {
            show_verdict(s);
            show_doubts(s);
        }
    }
}

int compare_refined(const args *a, const char *folder, limber_messages *msg)
{
    study *s = calloc(1, sizeof *s);
    limber_load_options lo = jobs_load_options(a);
    limber_model *model = NULL;
    if (!s) return EXIT_STOPPED;
    limber_status st = limber_model_load(a->file, &lo, &model, msg);
    s->a = a, s->folder = folder, s->msg = msg;
    if (!st) pieces_of(model, &s->pieces);
    limber_model_free(model);
    int bad = st || go_finer(s);
    s->formulation = s->level[0].sum.formulation;
    if (!bad && s->finest > 0) bad = split(s) || vary(s);
    if (!bad) show(s);
    fflush(stdout);
    if (!a->quiet) jobs_show_warnings(stderr, s->level, LEVELS, msg);
    int status = st && st != LIMBER_MEMORY   ? EXIT_INPUT
                 : bad || s->level[0].why[0] ? EXIT_STOPPED
                                             : 0;
    for (int k = 0; k < LEVELS; k++) free(s->change[k].at), free(s->off[k].at);
    vary_free(s);
    free(s->by_mesh.at);
    free(s->by_time.at);
    free(s);
    return status;
}
