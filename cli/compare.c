#include "compare.h"

#include "list.h"
#include "show.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A run with each formulation, and how far it is from that with the reference. */
typedef struct comparison {
    int n, reference;
    job *jobs;
    differences *l;
} comparison;

/* ---- differences ---- */

void differences_add(void *list, const limber_difference *d)
{
    differences *l = list;
    limber_difference *at = list_grow(l->at, l->n, &l->room, sizeof *at);
    l->failed |= !at;
    if (!at) return;
    l->at = at;
    l->at[l->n++] = *d;
}

double difference_part(const limber_difference *d)
{
    return d->scale > 0 ? d->largest / d->scale : d->largest > 0 ? INFINITY : 0;
}

const char *in_percent(double part, char *text, size_t size)
{
    snprintf(text, size, part < 1e-9 ? "0" : part < 0.1 ? "%.2g" : "%.0f", 100 * part);
    return text;
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
    char text[32];
    fprintf(out, "  %-16s", j->formulation);
    if (j->why[0]) {
        show_why(out, j);
        return;
    }
    fprintf(out, "%8d %8ld %8.3g s  ", j->sum.unknowns, j->sum.steps, j->sum.seconds);
    if (is_reference)
        fprintf(out, "%8s", "reference");
    else if (worst) {
        fprintf(out, "%8s %% in %s", in_percent(difference_part(worst), text, sizeof text),
                worst->output);
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

static void show_outputs(FILE *out, const comparison *c)
{
    const differences *rows = longest(c->l, c->n);
    const job *jobs = c->jobs;
    const char *analysis = "";
    char text[32];
    if (rows->n == 0) return;
    fprintf(out, "\nlargest difference, %% of the range or size of each output\n%-24s", "");
    for (int k = 0; k < c->n; k++)
        if (k != c->reference && !jobs[k].why[0]) fprintf(out, " %13s", jobs[k].formulation);
    fprintf(out, "\n");
    for (int i = 0; i < rows->n; i++) {
        if (strcmp(analysis, rows->at[i].analysis) != 0)
            fprintf(out, "%s\n", analysis = rows->at[i].analysis);
        fprintf(out, "  %-22.60s", rows->at[i].output);
        for (int k = 0; k < c->n; k++) {
            if (k == c->reference || jobs[k].why[0]) continue;
            const limber_difference *d = find(&c->l[k], &rows->at[i]);
            fprintf(out, " %13s", d ? in_percent(difference_part(d), text, sizeof text) : "-");
        }
        fprintf(out, "\n");
    }
}

static void show_json(FILE *out, const comparison *c)
{
    fprintf(out, "{\"reference\": \"%s\", \"formulations\": [", c->jobs[c->reference].formulation);
    for (int k = 0; k < c->n; k++) {
        const job *j = &c->jobs[k];
        fprintf(out, "%s{\"name\": \"%s\", \"reason\": ", k ? ", " : "", j->formulation);
        json_text(out, j->why);
        json_number(out, "unknowns", j->sum.unknowns);
        json_number(out, "steps", (double)j->sum.steps);
        json_number(out, "seconds", j->sum.seconds);
        fprintf(out, ", \"differences\": [");
        for (int i = 0; i < c->l[k].n; i++) {
            const limber_difference *d = &c->l[k].at[i];
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
        fprintf(out, "]");
        limber_messages *said = jobs_messages(j);
        show_messages_json(out, said);
        limber_messages_free(said);
        fprintf(out, "}");
    }
    fprintf(out, "]}\n");
}

/* ---- the command ---- */

static int find_reference(const args *a, limber_messages *msg, comparison *c)
{
    limber_load_options lo = jobs_load_options(a);
    limber_model *model = NULL;
    limber_status st = limber_model_load(a->file, &lo, &model, msg);
    if (st) return st == LIMBER_MEMORY ? EXIT_STOPPED : EXIT_INPUT;
    const char *name = a->formulation ? a->formulation : limber_model_formulation(model);
    c->reference = -1;
    for (int k = 0; k < c->n; k++)
        if (strcmp(c->jobs[k].formulation, name) == 0) c->reference = k;
    limber_model_free(model);
    if (c->reference >= 0) return 0;
    fprintf(stderr, "limber: there is no formulation '%s'; see 'limber help compare'\n", name);
    return EXIT_INPUT;
}

static limber_status write_report(const args *a, const comparison *c, limber_messages *msg)
{
    const job *jobs = c->jobs;
    const char **files = calloc((size_t)c->n, sizeof *files);
    char html[400];
    limber_view_options o = limber_view_options_default();
    int n = 0;
    if (!files) return LIMBER_MEMORY;
    o.allow_outside_includes = a->allow_outside;
    files[n++] = jobs[c->reference].results;
    for (int k = 0; k < c->n; k++)
        if (k != c->reference && !jobs[k].why[0]) files[n++] = jobs[k].results;
    args_default_name(a->file, "_compare.html", html, sizeof html);
    const char *to = a->results ? a->results : html;
    limber_status st = limber_report(files, n, to, &o, msg);
    if (!st && !a->quiet && !a->json) {
        putchar('\n');
        show_open(stdout, to);
    }
    free(files);
    return st;
}

static int set_up(const char *folder, comparison *c)
{
    c->n = limber_formulation_count();
    c->jobs = calloc((size_t)c->n, sizeof *c->jobs);
    c->l = calloc((size_t)c->n, sizeof *c->l);
    for (int k = 0; k < c->n && c->jobs; k++) {
        job *j = &c->jobs[k];
        j->formulation = limber_formulation_name(k);
        snprintf(j->label, sizeof j->label, "%s", j->formulation);
        snprintf(j->results, sizeof j->results, "%s/%s.h5", folder, j->formulation);
    }
    return c->jobs && c->l ? 0 : -1;
}

static void clear(comparison *c)
{
    for (int k = 0; k < c->n && c->l; k++) free(c->l[k].at);
    free(c->jobs);
    free(c->l);
}

/* 0; 1 after a message: the reference has no results, or there is no memory. */
static int compare_results(const args *a, comparison *c, limber_messages *msg)
{
    int bad = 0, nothing = c->jobs[c->reference].why[0] != '\0';
    for (int k = 0; k < c->n && !bad && !nothing; k++)
        if (k != c->reference && !c->jobs[k].why[0])
            bad = differences_of(&c->jobs[c->reference], &c->jobs[k], &c->l[k], msg) != LIMBER_OK;
    if (bad) return 1;
    if (a->json) show_json(stdout, c);
    if (!a->json && !a->quiet) {
        printf("  %-16s%8s %8s %10s  %s\n", "formulation", "unknowns", "steps", "time",
               "largest difference");
        for (int k = 0; k < c->n; k++) show_job(stdout, &c->jobs[k], &c->l[k], k == c->reference);
        show_outputs(stdout, c);
    }
    if (nothing)
        fprintf(stderr, "limber: the reference has no results: choose another by --formulation\n");
    return nothing || write_report(a, c, msg) != LIMBER_OK;
}

static int compare_formulations(const args *a, const char *folder, limber_messages *msg)
{
    comparison c = {0};
    int bad = set_up(folder, &c) ? 1 : find_reference(a, msg, &c);
    if (!bad && jobs_run(a, c.jobs, c.n, jobs_at_once(a))) bad = 1;
    if (!bad) bad = compare_results(a, &c, msg);
    fflush(stdout);
    if (c.jobs && !a->quiet) jobs_show_warnings(stderr, c.jobs, c.n, msg);
    clear(&c);
    return bad;
}

int command_compare(const args *a, limber_messages *msg)
{
    char folder[400];
    args_default_name(a->file, "_compare", folder, sizeof folder);
    if (mkdir(folder, 0777) && errno != EEXIST) {
        fprintf(stderr, "limber: cannot make the folder %s for results: %s\n", folder,
                strerror(errno));
        return EXIT_STOPPED;
    }
    int bad = a->refine ? compare_refined(a, folder, msg) : compare_formulations(a, folder, msg);
    if (bad) rmdir(folder); /* where nothing has been put into it */
    return bad;
}
