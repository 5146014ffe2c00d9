/* limber, the program: a thin layer over the library. */
#include <limber/limber.h>

#include "args.h"
#include "compare.h"
#include "new.h"
#include "show.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted;
static void on_interrupt(int signal)
{
    (void)signal;
    interrupted = 1;
}

/* The first signal asks the run to stop where it can be resumed; a second one ends the program. */
static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGXFSZ, SIG_IGN); /* a file-size limit is reported like a full disk */
}

static int exit_status(limber_status st)
{
    switch (st) {
    case LIMBER_OK: return 0;
    case LIMBER_INPUT:
    case LIMBER_UNSUPPORTED: return EXIT_INPUT;
    case LIMBER_INTERRUPTED: return EXIT_INTERRUPTED;
    default: return EXIT_STOPPED;
    }
}

typedef struct watcher {
    int terminal;
    const limber_messages *msg;
    int shown; /* of these */
} watcher;

/* Runs that take long show at once what they say; all of it comes once more, in order, at the end. */
static int on_progress(void *context, const limber_progress *p)
{
    watcher *w = context;
    if (w->terminal) show_progress(p);
    for (int n = limber_messages_count(w->msg); w->shown < n && w->terminal; w->shown++) {
        limber_message m = limber_messages_get(w->msg, w->shown);
        if (m.severity == LIMBER_WARNING && p->elapsed > 10) show_early(&m);
    }
    return interrupted;
}

/* A model that cannot be read at all is wrong input, whatever the cause. */
static int load(const args *a, limber_model **model, limber_messages *msg)
{
    limber_load_options lo = jobs_load_options(a);
    limber_status st = limber_model_load(a->file, &lo, model, msg);
    if (st == LIMBER_MEMORY) fprintf(stderr, "limber: out of memory while reading %s\n", a->file);
    return st == LIMBER_OK ? 0 : st == LIMBER_MEMORY ? EXIT_STOPPED : EXIT_INPUT;
}

static const char *analysis_of(const char *command)
{
    if (strcmp(command, "run") == 0) return NULL;
    return strcmp(command, "static") == 0 ? "statics" : command;
}

static int command_run(const args *a, limber_messages *msg)
{
    limber_model *model;
    limber_run_options o = limber_run_options_default();
    limber_summary sum;
    told t = {0};
    char path[512], ending[32];
    /* one by its name leaves the results of the model's list as they are */
    const char *alone = analysis_of(a->command);
    int bad = load(a, &model, msg);
    if (bad) return bad;
    snprintf(ending, sizeof ending, alone ? "_%s.h5" : ".h5", a->command);
    args_default_name(a->file, ending, path, sizeof path);
    o.formulation = a->formulation;
    o.analysis = alone;
    o.results = a->results ? a->results : path;
    o.csv = a->csv;
    o.report = a->report;
    o.vtk = a->vtk;
    o.matrices = a->matrices;
    o.until = a->until;
    o.threads = a->threads;
    o.resume = a->resume;
    o.profile = a->profile;
    o.settings = a->settings;
    o.progress = on_progress;
    told_listen(&t, &o);
    watcher w = {!a->quiet && isatty(STDERR_FILENO), msg, 0};
    o.progress_context = &w;
    catch_signals();
    limber_status st = limber_run(model, &o, &sum, msg);
    if (w.terminal) show_progress_end();
    limber_model_free(model);
    FILE *out = a->csv && strcmp(a->csv, "-") == 0 ? stderr : stdout; /* the CSV is alone there */
    if (a->json)
        show_results_json(out, &sum, &t, o.results, msg);
    else if (!a->quiet && sum.analysis[0] && sum.method[0])
        show_results(out, &sum, &t, o.results);
    if (!st && a->report && !a->json && !a->quiet) show_open(out, a->report);
    told_free(&t);
    if (a->profile) show_profile(stderr, &sum);
    show_reason(stderr, &sum, o.results);
    return exit_status(st);
}

static int command_check(const args *a, limber_messages *msg)
{
    limber_model *model;
    limber_check_info info;
    int bad = load(a, &model, msg);
    if (bad) return bad;
    signal(SIGXFSZ, SIG_IGN);
    limber_status st = a->report ? limber_check_draw(model, a->report, &info, msg)
                                 : limber_check(model, &info, msg);
    if (a->json)
        show_check_json(stdout, &info, st, msg);
    else if (!a->quiet)
        show_check(stdout, model, &info, st);
    limber_model_free(model);
    fflush(stdout);
    return exit_status(st);
}

static limber_view_options view_options(const args *a)
{
    limber_view_options o = limber_view_options_default();
    o.allow_outside_includes = a->allow_outside;
    return o;
}

static int command_export(const args *a, limber_messages *msg)
{
    limber_view_options o = view_options(a);
    limber_status st = LIMBER_OK;
    if (!a->csv && !a->vtk) {
        fprintf(stderr, "limber: usage: limber export RESULTS --csv FILE | --vtk DIR\n");
        return EXIT_INPUT;
    }
    signal(SIGXFSZ, SIG_IGN);
    if (a->csv) st = limber_export_csv(a->file, a->csv, msg);
    if (!st && a->vtk) st = limber_export_vtk(a->file, a->vtk, &o, msg);
    return exit_status(st);
}

/* FILE.h5 -> FILE.html here, unless -o names another. */
static int command_report(const args *a, limber_messages *msg)
{
    limber_view_options o = view_options(a);
    char path[512];
    args_default_name(a->file, ".html", path, sizeof path);
    const char *html = a->results ? a->results : path;
    signal(SIGXFSZ, SIG_IGN);
    limber_status st = limber_report(a->files, a->nfiles, html, &o, msg);
    if (!st && !a->quiet) show_open(stdout, html);
    return exit_status(st);
}

/* MODEL.yaml -> MODEL.svg here, unless -o names another. */
static int command_graph(const args *a, limber_messages *msg)
{
    limber_model *model;
    char path[512];
    int bad = load(a, &model, msg);
    if (bad) return bad;
    args_default_name(a->file, ".svg", path, sizeof path);
    const char *svg = a->results ? a->results : path;
    signal(SIGXFSZ, SIG_IGN);
    limber_status st = limber_model_bond_graph(model, svg, msg);
    limber_model_free(model);
    if (!st && !a->quiet && strcmp(svg, "-") != 0) printf("the power graph is in %s\n", svg);
    return exit_status(st);
}

static int command(const args *a, limber_messages *msg)
{
    if (strcmp(a->command, "help") == 0) {
        args_help(a->help ? stdout : stderr, a->file);
        return a->help ? 0 : EXIT_INPUT;
    }
    if (strcmp(a->command, "version") == 0) {
        printf("limber %s\n", LIMBER_VERSION);
        return 0;
    }
    if (strcmp(a->command, "schema") == 0) {
        (a->markdown ? limber_schema_markdown : limber_schema_json)(stdout);
        return 0;
    }
    if (strcmp(a->command, "compare") == 0) return command_compare(a, msg);
    if (strcmp(a->command, "check") == 0) return command_check(a, msg);
    if (strcmp(a->command, "export") == 0) return command_export(a, msg);
    if (strcmp(a->command, "report") == 0) return command_report(a, msg);
    if (strcmp(a->command, "graph") == 0) return command_graph(a, msg);
    if (strcmp(a->command, "new") == 0) return new_model(a) ? EXIT_INPUT : 0;
    return command_run(a, msg);
}

static void print_messages(const limber_messages *msg, int quiet)
{
    if (!quiet || limber_messages_errors(msg)) limber_messages_print(msg, stderr);
}

int main(int argc, char **argv)
{
    args a;
    if (args_parse(argc, argv, &a)) return EXIT_INPUT;
    limber_messages *msg = limber_messages_new();
    if (!msg) {
        fprintf(stderr, "limber: out of memory\n");
        return EXIT_STOPPED;
    }
    int status = command(&a, msg);
    fflush(stdout);
    print_messages(msg, a.quiet);
    limber_messages_free(msg);
    if (ferror(stdout) || fflush(stdout)) {
        fprintf(stderr, "limber: standard output could not be written\n");
        return status ? status : EXIT_STOPPED;
    }
    return status;
}
