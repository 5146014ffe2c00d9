#include "compare.h"

#include "show.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- setting up ---- */

static int set_up(const char *folder, comparison *c)
{
    size_t n = (size_t)limber_formulation_count();
    c->n = (int)n;
    c->jobs = calloc(n, sizeof *c->jobs);
    c->own = calloc(n, sizeof *c->own);
    c->pair = calloc(n * n, sizeof *c->pair);
    for (int k = 0; k < c->n && c->jobs; k++) {
        job *j = &c->jobs[k];
        j->formulation = limber_formulation_name(k);
        snprintf(j->label, sizeof j->label, "%s", j->formulation);
        snprintf(j->results, sizeof j->results, "%s/%s.h5", folder, j->formulation);
    }
    return c->jobs && c->own && c->pair ? 0 : -1;
}

static void clear(comparison *c)
{
    for (int k = 0; k < c->n && c->own; k++) free(c->own[k].at);
    for (int k = 0; k < c->n * c->n && c->pair; k++) free(c->pair[k].at);
    free(c->jobs);
    free(c->own);
    free(c->pair);
}

/* What the model consists of, and which formulation is asked for. */
static int look_at_model(const args *a, limber_messages *msg, comparison *c)
{
    limber_load_options lo = jobs_load_options(a);
    limber_model *model = NULL;
    limber_status st = limber_model_load(a->file, &lo, &model, msg);
    if (st) return st == LIMBER_MEMORY ? EXIT_STOPPED : EXIT_INPUT;
    const char *name = a->formulation ? a->formulation : limber_model_formulation(model);
    int number = formulation_number(name);
    if (number >= 0) c->asked = limber_formulation_name(number);
    c->insisted = a->formulation != NULL;
    pieces_of(model, &c->pieces);
    limber_model_free(model);
    if (number >= 0) return 0;
    fprintf(stderr, "limber: there is no formulation '%s'; see 'limber help compare'\n", name);
    return EXIT_INPUT;
}

/* ---- results ---- */

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

/* 0; 1 after a message: no run has results, or there is no memory. */
static int compare_results(const args *a, comparison *c, limber_messages *msg)
{
    if (evidence_gather(c, msg)) return 1;
    evidence_choose(c);
    int nothing = c->jobs[c->reference].why[0] != '\0';
    if (a->json)
        show_comparison_json(stdout, c);
    else if (!a->quiet)
        show_comparison(stdout, c);
    if (nothing) fprintf(stderr, "limber: no formulation has results\n");
    return nothing || write_report(a, c, msg) != LIMBER_OK;
}

static int compare_formulations(const args *a, const char *folder, limber_messages *msg)
{
    comparison c = {0};
    int bad = set_up(folder, &c) ? 1 : look_at_model(a, msg, &c);
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
