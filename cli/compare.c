#include "compare.h"

#include "show.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const formulations[] = {"corotational", "minimal", "elastodynamic", "rfe",
                                           "ffr"};
enum { FORMULATIONS = sizeof formulations / sizeof formulations[0] };

/* ---- differences ---- */

void differences_add(void *list, const limber_difference *d)
{
    differences *l = list;
    if (l->n == l->room) {
        int room = 2 * l->room + 16;
        void *at = realloc(l->at, sizeof *l->at * (size_t)room);
        if (!at) l->failed = 1;
        if (!at) return;
        l->at = at;
        l->room = room;
    }
    l->at[l->n++] = *d;
}

double difference_part(const limber_difference *d)
{
    return d->scale > 0 ? d->largest / d->scale : d->largest > 0 ? INFINITY : 0;
}

const limber_difference *differences_worst(const differences *l)
{
    const limber_difference *worst = NULL;
    for (int i = 0; i < l->n; i++)
        if (!worst || !(difference_part(&l->at[i]) <= difference_part(worst))) worst = &l->at[i];
    return worst;
}

limber_status differences_of(const job *reference, const job *other, differences *l,
                             limber_messages *msg)
{
    limber_status st =
        limber_compare_results(reference->results, other->results, differences_add, l, msg);
    return st ? st : l->failed ? LIMBER_MEMORY : LIMBER_OK;
}

/* ---- tables ---- */

static void show_percent(FILE *out, double part, int width)
{
    char text[32];
    snprintf(text, sizeof text, part < 1e-9 ? "0" : part < 0.1 ? "%.2g" : "%.0f", 100 * part);
    fprintf(out, "%*s", width, text);
}

/* A long reason on lines of its own. */
static void show_why(FILE *out, const job *j)
{
    const char *what = j->sum.status == LIMBER_STOPPED ? "stopped:" : "does not apply:";
    int column = 18 + fprintf(out, "%s", what);
    for (const char *p = j->why; *p;) {
        int n = (int)strcspn(p, " ");
        if (column + 1 + n > 79)
            column = fprintf(out, "\n%18s", "") - 1;
        else
            column += fprintf(out, " ");
        column += fprintf(out, "%.*s", n, p);
        p += n + (int)strspn(p + n, " ");
    }
    fprintf(out, "\n");
}

static void show_job(FILE *out, const job *j, const differences *l, int is_reference)
{
    const limber_difference *worst = differences_worst(l);
    fprintf(out, "  %-16s", j->formulation);
    if (j->why[0]) {
        show_why(out, j);
        return;
    }
    fprintf(out, "%8d %8ld %8.3g s  ", j->sum.unknowns, j->sum.steps, j->sum.seconds);
    if (is_reference)
        fprintf(out, "%8s", "reference");
    else if (worst) {
        show_percent(out, difference_part(worst), 8);
        fprintf(out, " %% in %s", worst->output);
    } else
        fprintf(out, "nothing to compare");
    fprintf(out, "\n");
}

static const limber_difference *find(const differences *l, const limber_difference *like)
{
    for (int i = 0; i < l->n; i++)
        if (!strcmp(l->at[i].output, like->output) && !strcmp(l->at[i].analysis, like->analysis))
            return &l->at[i];
    return NULL;
}

/* The list with the most outputs names the rows. */
static const differences *longest(const differences *l, int n)
{
    const differences *most = &l[0];
    for (int i = 1; i < n; i++)
        if (l[i].n > most->n) most = &l[i];
    return most;
}

static void show_outputs(FILE *out, const job *jobs, const differences *l, int reference)
{
    const differences *rows = longest(l, FORMULATIONS);
    const char *analysis = "";
    if (rows->n == 0) return;
    fprintf(out, "\nlargest difference, %% of the range of each output\n%-24s", "");
    for (int k = 0; k < FORMULATIONS; k++)
        if (k != reference && !jobs[k].why[0]) fprintf(out, " %13s", jobs[k].formulation);
    fprintf(out, "\n");
    for (int i = 0; i < rows->n; i++) {
        if (strcmp(analysis, rows->at[i].analysis) != 0)
            fprintf(out, "%s\n", analysis = rows->at[i].analysis);
        fprintf(out, "  %-22.60s", rows->at[i].output);
        for (int k = 0; k < FORMULATIONS; k++) {
            if (k == reference || jobs[k].why[0]) continue;
            const limber_difference *d = find(&l[k], &rows->at[i]);
            fputc(' ', out);
            if (d)
                show_percent(out, difference_part(d), 13);
            else
                fprintf(out, "%13s", "-");
        }
        fprintf(out, "\n");
    }
}

static void show_json(FILE *out, const job *jobs, const differences *l, int reference)
{
    fprintf(out, "{\"reference\": \"%s\", \"formulations\": [", jobs[reference].formulation);
    for (int k = 0; k < FORMULATIONS; k++) {
        const job *j = &jobs[k];
        fprintf(out, "%s{\"name\": \"%s\", \"reason\": ", k ? ", " : "", j->formulation);
        json_text(out, j->why);
        json_number(out, "unknowns", j->sum.unknowns);
        json_number(out, "steps", (double)j->sum.steps);
        json_number(out, "seconds", j->sum.seconds);
        fprintf(out, ", \"differences\": [");
        for (int i = 0; i < l[k].n; i++) {
            const limber_difference *d = &l[k].at[i];
            fprintf(out, "%s{\"analysis\": ", i ? ", " : "");
            json_text(out, d->analysis);
            fprintf(out, ", \"output\": ");
            json_text(out, d->output);
            json_number(out, "scale", d->scale);
            json_number(out, "largest", d->largest);
            json_number(out, "at", d->at);
            json_number(out, "rms", d->rms);
            fprintf(out, ", \"rows\": %ld}", d->rows);
        }
        fprintf(out, "]}");
    }
    fprintf(out, "]}\n");
}

/* ---- the command ---- */

static int find_reference(const args *a, const job *jobs, limber_messages *msg, int *reference)
{
    limber_load_options lo = jobs_load_options(a);
    limber_model *model = NULL;
    limber_status st = limber_model_load(a->file, &lo, &model, msg);
    if (st) return st == LIMBER_MEMORY ? 1 : 2;
    const char *name = a->formulation ? a->formulation : limber_model_formulation(model);
    *reference = -1;
    for (int k = 0; k < FORMULATIONS; k++)
        if (strcmp(jobs[k].formulation, name) == 0) *reference = k;
    limber_model_free(model);
    if (*reference >= 0) return 0;
    fprintf(stderr, "limber: there is no formulation '%s'; see 'limber help compare'\n", name);
    return 2;
}

static int write_report(const args *a, const job *jobs, int reference, limber_messages *msg)
{
    const char *files[FORMULATIONS];
    char html[400];
    limber_view_options o = limber_view_options_default();
    int n = 0;
    o.allow_outside_includes = a->allow_outside;
    files[n++] = jobs[reference].results;
    for (int k = 0; k < FORMULATIONS; k++)
        if (k != reference && !jobs[k].why[0]) files[n++] = jobs[k].results;
    args_default_name(a->file, "_compare.html", html, sizeof html);
    const char *to = a->results ? a->results : html;
    limber_status st = limber_report(files, n, to, &o, msg);
    if (!st && !a->quiet && !a->json) printf("\nopen %s in a browser\n", to);
    return st != LIMBER_OK;
}

static int compare_formulations(const args *a, const char *folder, limber_messages *msg)
{
    job jobs[FORMULATIONS] = {0};
    differences l[FORMULATIONS] = {0};
    int reference;
    for (int k = 0; k < FORMULATIONS; k++) {
        jobs[k].formulation = formulations[k];
        snprintf(jobs[k].results, sizeof jobs[k].results, "%s/%s.h5", folder, formulations[k]);
    }
    int bad = find_reference(a, jobs, msg, &reference);
    if (!bad && jobs_run(a, jobs, FORMULATIONS, jobs_at_once(a))) bad = 1;
    if (bad) return bad;
    int nothing = jobs[reference].why[0] != '\0';
    for (int k = 0; k < FORMULATIONS && !bad && !nothing; k++)
        if (k != reference && !jobs[k].why[0])
            bad = differences_of(&jobs[reference], &jobs[k], &l[k], msg) != LIMBER_OK;
    if (!bad && a->json) show_json(stdout, jobs, l, reference);
    if (!bad && !a->json && !a->quiet) {
        printf("  %-16s%8s %8s %10s  %s\n", "formulation", "unknowns", "steps", "time",
               "largest difference");
        for (int k = 0; k < FORMULATIONS; k++) show_job(stdout, &jobs[k], &l[k], k == reference);
        show_outputs(stdout, jobs, l, reference);
    }
    if (!bad && nothing)
        fprintf(stderr, "limber: the reference has no results: choose another by --formulation\n");
    if (!bad && !nothing) bad = write_report(a, jobs, reference, msg);
    for (int k = 0; k < FORMULATIONS; k++) free(l[k].at);
    return bad ? 1 : nothing;
}

int command_compare(const args *a, limber_messages *msg)
{
    char folder[400];
    args_default_name(a->file, "_compare", folder, sizeof folder);
    if (mkdir(folder, 0777) && errno != EEXIST) {
        fprintf(stderr, "limber: cannot make the folder %s for results: %s\n", folder,
                strerror(errno));
        return 1;
    }
    return a->refine ? compare_refined(a, folder, msg) : compare_formulations(a, folder, msg);
}
