/* What sharing hides is put in other terms: beams for superelements, another method, theory, formulation. */
#include "refine.h"

#include "show.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what can be varied ---- */

/* "" where there is nothing to change; p, unless NULL: what the changed model consists of. */
static void changed_by(const study *s, limber_change change, char *text, size_t size, pieces *p)
{
    limber_load_options lo = jobs_load_options(s->a);
    limber_messages *msg = limber_messages_new();
    limber_model *model = NULL;
    *text = '\0';
    lo.change = change;
    if (msg && limber_model_load(s->a->file, &lo, &model, msg) == LIMBER_OK)
        snprintf(text, size, "%s", limber_model_change(model));
    if (*text && p) pieces_of(model, p);
    limber_model_free(model);
    if (msg) limber_messages_free(msg);
}

/* Options of one formulation. */
static int applies(const study *s, limber_change change)
{
    if (change == LIMBER_CHANGE_SPRINGS) return strcmp(s->formulation, "rfe") == 0;
    if (change == LIMBER_CHANGE_SUBSTRUCTURES) return strcmp(s->formulation, "ffr") == 0;
    return 1;
}

static job *add_job(study *s, const char *formulation, int mesh, int time)
{
    job *j = &s->jobs[s->njobs++];
    *j = (job){.formulation = formulation, .mesh = mesh, .time = time};
    snprintf(j->results, sizeof j->results, "%s/varied_%d.h5", s->folder, s->njobs);
    return j;
}

static void add_change(study *s, limber_change change)
{
    char text[80];
    int method = change == LIMBER_CHANGE_METHOD;
    if (s->nvaried == VARIATIONS || !applies(s, change)) return;
    changed_by(s, change, text, sizeof text, NULL);
    if (!*text || (method && s->steps_only.why[0])) return;
    variation *v = &s->varied[s->nvaried++];
    v->job = add_job(s, s->a->formulation, 0, method ? s->finest : 0);
    v->job->change = change;
    v->against = method ? &s->steps_only : &s->level[0];
    snprintf(v->job->label, sizeof v->job->label, "%s", text);
}

/* Meshes of x 2 and x 4: what its own mesh still does to a formulation shows in their difference. */
static void add_formulation(study *s, const char *name, limber_change change)
{
    int mesh = s->finest < 2 ? s->finest : 2;
    if (s->nvaried == VARIATIONS) return;
    variation *v = &s->varied[s->nvaried++];
    v->other = 1;
    v->coarser = add_job(s, name, mesh - 1, mesh - 1);
    v->job = add_job(s, name, mesh, mesh);
    v->job->change = v->coarser->change = change;
    v->against = &s->level[s->finest];
    const char *beams = change == LIMBER_CHANGE_SUPERELEMENTS ? "beams in " : "";
    snprintf(v->coarser->label, sizeof v->coarser->label, "%s%s, elements x %d", beams, name,
             1 << (mesh - 1));
    snprintf(v->job->label, sizeof v->job->label, "%s%s, elements x %d", beams, name, 1 << mesh);
}

/* One formulation of each other voice. All share superelements: where those can be beams, it has beams. */
static void add_formulations(study *s)
{
    char text[80];
    limber_change change = LIMBER_CHANGE_SUPERELEMENTS;
    changed_by(s, change, text, sizeof text, &s->changed);
    if (!*text) change = LIMBER_CHANGE_NOTHING;
    const piece *p = pieces_main(*text ? &s->changed : &s->pieces);
    int own = formulation_number(s->formulation), n = limber_formulation_count();
    unsigned char heard[FORMULATIONS] = {0};
    if (!p || own < 0) return;
    if (p->voice[own] >= 0) heard[p->voice[own]] = 1;
    for (int k = 0; k < n; k++) {
        if (p->voice[k] < 0 || heard[p->voice[k]]) continue;
        heard[p->voice[k]] = 1;
        add_formulation(s, limber_formulation_name(k), change);
    }
}

/* Beams or not, joints as coordinates where they are constraints, or the other way round, on the mesh of the user. */
static void add_joints(study *s)
{
    const piece *p = pieces_find(&s->pieces, "joints");
    int own = formulation_number(s->formulation), n = limber_formulation_count();
    if (!p || own < 0 || p->voice[own] < 0 || s->nvaried == VARIATIONS) return;
    for (int i = 0; i < s->nvaried; i++) {
        int k = s->varied[i].other ? formulation_number(s->varied[i].job->formulation) : own;
        if (p->voice[k] >= 0 && p->voice[k] != p->voice[own]) return;
    }
    for (int k = 0; k < n; k++) {
        if (p->voice[k] < 0 || p->voice[k] == p->voice[own]) continue;
        variation *v = &s->varied[s->nvaried++];
        v->other = 1;
        v->job = add_job(s, limber_formulation_name(k), 0, 0);
        v->against = &s->level[0];
        snprintf(v->job->label, sizeof v->job->label, "%s", limber_formulation_name(k));
        return;
    }
}

/* ---- runs ---- */

static int compare_varied(study *s, variation *v)
{
    int bad = 0;
    if (v->job->why[0]) return 0;
    bad = differences_of(v->against, v->job, &v->change, s->msg) != LIMBER_OK;
    if (!bad && v->coarser && !v->coarser->why[0])
        bad = differences_of(v->job, v->coarser, &v->last, s->msg) != LIMBER_OK;
    return bad ? -1 : 0;
}

int vary(study *s)
{
    for (int k = LIMBER_CHANGE_NOTHING + 1; k < LIMBER_CHANGES; k++)
        add_change(s, (limber_change)k);
    add_formulations(s);
    add_joints(s);
    int bad = jobs_run(s->a, s->jobs, s->njobs, jobs_at_once(s->a));
    for (int k = 0; k < s->nvaried && !bad; k++) bad = compare_varied(s, &s->varied[k]);
    return bad;
}

void vary_free(study *s)
{
    for (int k = 0; k < s->nvaried; k++) {
        free(s->varied[k].change.at);
        free(s->varied[k].last.at);
    }
}

/* ---- what is said ---- */

static void show_variation(const variation *v)
{
    char text[32];
    const char *output;
    int used = printf("  %s", v->job->label);
    printf("%*s ", used < 42 ? 42 - used : 0, "");
    if (v->job->why[0]) {
        int stopped = v->job->sum.status == LIMBER_STOPPED;
        printf(stopped ? "stopped:\n   " : "does not apply:\n   ");
        show_wrapped(stdout, v->job->why, 3, 4);
        return;
    }
    double part = worst_part(&v->change, &output);
    printf("%s %% in %s", in_percent(part, text, sizeof text), output);
    if (v->last.n)
        printf(" (last halving: %s %%)", in_percent(worst_part(&v->last, NULL), text, sizeof text));
    printf("\n");
}

void show_varied(const study *s)
{
    if (s->nvaried) printf("\nwhat else was varied                       changes\n");
    for (int k = 0; k < s->nvaried; k++) show_variation(&s->varied[k]);
}

/* What the mesh of a formulation still does to it is as much as the change. */
static int is_its_mesh(const variation *v)
{
    double last = v->last.n ? worst_part(&v->last, NULL) : 0;
    return worst_part(&v->change, NULL) < 3 * last;
}

static void show_choice(const variation *v)
{
    explanation x;
    explain(v->against, v->job, &v->change, &x);
    if (!v->other) {
        printf(": it hangs on this choice.\n");
    } else if (x.explained) {
        printf(", as it may:\n");
        show_explanation(stdout, v->job->formulation, &x);
    } else
        printf(is_its_mesh(v) ? ": its own mesh and steps are too coarse to tell.\n"
                              : ": find out why.\n");
}

/* As near to the finest run as meshes rarely come by one halving from where it was. */
static void show_chance(const variation *v)
{
    char text[32];
    const char *output;
    double last = v->last.n ? worst_part(&v->last, &output) : 0;
    if (v->job->why[0] || last < SUDDEN || !(worst_part(&v->change, NULL) < STILL)) return;
    printf("'%s' agrees, but with half the elements %s is %s %% off: its mesh, or chance.\n",
           v->job->label, output, in_percent(last, text, sizeof text));
}

/* Changes that are more than the settings are worth. */
static void show_hanging(const study *s)
{
    for (int k = 0; k < s->nvaried; k++) show_chance(&s->varied[k]);
    for (int k = 0; k < s->nvaried; k++) {
        const variation *v = &s->varied[k];
        char text[32];
        const char *output;
        double part = worst_part(&v->change, &output);
        if (v->job->why[0] || !(part >= HANGS)) continue;
        printf("With '%s' %s differs by %s %%", v->job->label, output,
               in_percent(part, text, sizeof text));
        show_choice(v);
    }
}

/* Pieces that a variation that went through has put in other terms. */
static int is_varied(const study *s, const piece *p)
{
    for (int k = 0; k < s->nvaried; k++) {
        const job *j = s->varied[k].job;
        if (j->why[0]) continue;
        if (j->change == LIMBER_CHANGE_SUPERELEMENTS && strcmp(p->name, "superelements") == 0)
            return !pieces_find(&s->changed, p->name);
        if (j->change == LIMBER_CHANGE_METHOD && strcmp(p->name, "time integration") == 0) return 1;
    }
    return 0;
}

/* Runs that have told something: the user's settings, and other formulations. */
static int has_been_tested(const study *s, const piece *p)
{
    job runs[VARIATIONS + 1] = {s->level[0]};
    int n = 1;
    for (int k = 0; k < s->nvaried; k++) runs[n++] = *s->varied[k].job;
    return is_varied(s, p) || !piece_is_shared(p, runs, n);
}

/* Two formulations on finer meshes that are nearer to each other than to the finest run: two against one. */
static void show_majority(const study *s)
{
    char text[2][32];
    for (int i = 0; i < s->nvaried; i++)
        for (int k = i + 1; k < s->nvaried; k++) {
            const variation *a = &s->varied[i], *b = &s->varied[k];
            differences l = {0};
            if (!a->last.n || !b->last.n) continue;
            double far = fmin(worst_part(&a->change, NULL), worst_part(&b->change, NULL));
            if (!(far >= HANGS) || differences_of(a->job, b->job, &l, s->msg)) continue;
            double apart = worst_part(&l, NULL);
            if (apart < 0.5 * far)
                printf("%s and %s agree to %s %%, and differ by %s %% from the finest run.\n",
                       a->job->formulation, b->job->formulation,
                       in_percent(apart, text[0], sizeof text[0]),
                       in_percent(far, text[1], sizeof text[1]));
            free(l.at);
        }
}

/* What --refine would check, and could not here. */
static piece left_open(const piece *p)
{
    piece open = *p;
    if (strncmp(p->check, "--refine", 8) == 0)
        snprintf(open.check, sizeof open.check, "a model of its own: it could not be varied");
    return open;
}

void show_doubts(const study *s)
{
    int shown = 0;
    show_hanging(s);
    show_majority(s);
    for (int i = 0; i < s->pieces.n; i++) {
        const piece *p = &s->pieces.at[i];
        if (has_been_tested(s, p)) continue;
        if (!shown++) printf("Not tested, as all of these runs share it; what would check it:\n");
        piece open = left_open(p);
        show_piece(stdout, &open);
    }
}

void show_varied_json(const study *s)
{
    printf(", \"varied\": [");
    for (int k = 0; k < s->nvaried; k++) {
        const variation *v = &s->varied[k];
        explanation x;
        const char *output;
        double part = worst_part(&v->change, &output);
        printf("%s{\"what\": ", k ? ", " : "");
        json_text(stdout, v->job->label);
        printf(", \"reason\": ");
        json_text(stdout, v->job->why);
        json_number(stdout, "change", part);
        printf(", \"output\": ");
        json_text(stdout, output);
        if (v->last.n) json_number(stdout, "last_halving", worst_part(&v->last, NULL));
        explain(v->against, v->job, &v->change, &x);
        if (v->other && part >= HANGS && (x.explained || is_its_mesh(v)))
            show_explanation_json(stdout, &x);
        printf("}");
    }
    printf("], \"not_tested\": [");
    const char *between = "";
    for (int i = 0; i < s->pieces.n; i++) {
        if (has_been_tested(s, &s->pieces.at[i])) continue;
        piece open = left_open(&s->pieces.at[i]);
        printf("%s", between);
        show_piece_json(stdout, &open);
        between = ", ";
    }
    printf("]");
}
