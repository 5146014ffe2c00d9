#include "args.h"

#include <limber/limber.h>

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef enum kind { FLAG, TEXT, NUMBER, COUNT, SET } kind;

#define RUN "run static modes linearize campbell periodic "
#define ALL RUN "compare "

static const struct option {
    const char *name, *value;
    kind kind;
    size_t at;
    const char *commands; /* where it applies, blank-separated */
    int matters;          /* changes the results: stored with them */
    const char *help;
} options[] = {
    {"-o", "FILE", TEXT, offsetof(args, results), ALL "report graph ", 0,
     "default: MODEL.h5, MODEL_modes.h5 ...; .html; .svg"},
    {"--csv", "FILE", TEXT, offsetof(args, csv), RUN "export ", 0,
     "outputs as CSV; - is standard output"},
    {"--formulation", "NAME", TEXT, offsetof(args, formulation), ALL, 1,
     "corotational, minimal, elastodynamic, rfe, ffr"},
    {"--set", "NAME=VALUE", SET, 0, ALL "check graph ", 1, "override a parameter (repeatable)"},
    {"--until", "T", NUMBER, offsetof(args, until), ALL, 1, "end of the dynamics"},
    {"--resume", NULL, FLAG, offsetof(args, resume), RUN, 0, "continue an interrupted run"},
    {"--threads", "N", COUNT, offsetof(args, threads), ALL, 0,
     "threads (compare: processes); the same results"},
    {"--quiet", NULL, FLAG, offsetof(args, quiet), ALL "check graph export report new ", 0,
     "only errors"},
    {"--json", NULL, FLAG, offsetof(args, json), ALL "check schema ", 0,
     "the summary (schema: the JSON Schema) as JSON"},
    {"--profile", NULL, FLAG, offsetof(args, profile), RUN, 0, "time by phase"},
    {"--allow-outside-includes", NULL, FLAG, offsetof(args, allow_outside),
     ALL "check graph report export ", 0, "include files outside the model's folder"},
    {"--report", "FILE", TEXT, offsetof(args, report), RUN "check ", 0,
     "HTML report; of check: a drawing"},
    {"--vtk", "DIR", TEXT, offsetof(args, vtk), RUN "export ", 0, "files for ParaView"},
    {"--matrices", "DIR", TEXT, offsetof(args, matrices), "run linearize ", 0,
     "Matrix Market files of the linearised model"},
    {"--refine", NULL, FLAG, offsetof(args, refine), "compare ", 0,
     "finer meshes and steps, until nothing changes"},
    {"--template", "NAME", TEXT, offsetof(args, template), "new ", 0, "what to start from"},
    {"--markdown", NULL, FLAG, offsetof(args, markdown), "schema ", 0,
     "the reference page as Markdown"},
};
enum { HELP_COLUMN = 29 };
enum { NOPTIONS = sizeof options / sizeof options[0] };

static const struct {
    const char *name, *file, *help;
} commands[] = {
    {"new", "NAME", "write a model to start from, NAME.yaml"},
    {"run", "MODEL", "run the analyses of a model"},
    {"check", "MODEL", "parse and validate; mobility, redundant constraints"},
    {"static", "MODEL", "static equilibrium"},
    {"modes", "MODEL", "natural frequencies and mode shapes"},
    {"linearize", "MODEL", "linear model: state space, poles, transfer functions"},
    {"campbell", "MODEL", "eigenvalues against the speed of a drive, critical speeds"},
    {"periodic", "MODEL", "periodic steady state and its stability"},
    {"graph", "MODEL", "drawing of the power graph (a bond graph) as SVG"},
    {"compare", "MODEL", "every formulation that applies, against each other"},
    {"report", "RESULTS", "HTML report of result files: animation and plots"},
    {"export", "RESULTS", "CSV or files for ParaView from a result file"},
    {"schema", NULL, "the model file's schema: --json or --markdown"},
    {"version", NULL, "print the version"},
    {"help", NULL, "this text"},
};
enum { NCOMMANDS = sizeof commands / sizeof commands[0] };

static int complain(const char *what, const char *arg)
{
    fprintf(stderr, "limber: %s '%s'; see 'limber help'\n", what, arg);
    return -1;
}

static int unknown(const char *what, const char *word, const char *const *names, int n)
{
    const char *near = limber_nearest_name(word, names, n);
    if (!near) return complain(what, word);
    fprintf(stderr, "limber: %s '%s'; did you mean '%s'?\n", what, word, near);
    return -1;
}

static int unknown_command(const char *word)
{
    const char *names[NCOMMANDS];
    for (int i = 0; i < NCOMMANDS; i++) names[i] = commands[i].name;
    return unknown("unknown command", word, names, NCOMMANDS);
}

static int applies(const struct option *o, const char *command)
{
    size_t n = strlen(command);
    for (const char *p = o->commands; (p = strstr(p, command)); p += n)
        if ((p == o->commands || p[-1] == ' ') && p[n] == ' ') return 1;
    return 0;
}

/* One of those that the command has. */
static int unknown_option(const char *word, const char *command)
{
    const char *names[NOPTIONS];
    char name[64];
    int n = 0;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
    for (int i = 0; i < NOPTIONS; i++)
        if (applies(&options[i], command)) names[n++] = options[i].name;
    return unknown("unknown option", name, names, n);
}

static int command_index(const char *name)
{
    for (int i = 0; i < NCOMMANDS; i++)
        if (strcmp(name, commands[i].name) == 0) return i;
    return -1;
}

void args_help(FILE *out, const char *command)
{
    int only = command ? command_index(command) : -1, shown = 0;
    if (only >= 0)
        fprintf(out, "usage: limber %s %s [OPTIONS]\n%s\n", command,
                commands[only].file ? commands[only].file : "", commands[only].help);
    else
        fprintf(out, "usage: limber COMMAND [FILE] [OPTIONS]\n\n");
    for (int i = 0; i < NCOMMANDS && only < 0; i++)
        fprintf(out, "  %-9s %-8s %s\n", commands[i].name, commands[i].file ? commands[i].file : "",
                commands[i].help);
    for (int i = 0; i < NOPTIONS; i++) {
        if (only >= 0 && !applies(&options[i], command)) continue;
        if (!shown++) fprintf(out, "\noptions\n");
        int n =
            fprintf(out, "  %-14s %s", options[i].name, options[i].value ? options[i].value : "");
        fprintf(out, "%*s%s\n", n < HELP_COLUMN ? HELP_COLUMN - n : 1, "", options[i].help);
    }
    fprintf(out,
            "\nexit status: 0 done; 1 the solver stopped; 2 the input is wrong; 130 interrupted\n");
}

/* A value that is not what the option wants. */
static int misfit(const struct option *o, const char *value, const char *wanted)
{
    fprintf(stderr, "limber: %s: '%s' is not %s; see 'limber help'\n", o->name, value, wanted);
    return -1;
}

static int store(args *a, const struct option *o, const char *value)
{
    char *at = (char *)a + o->at, *end;
    if (o->kind == FLAG) *(int *)(void *)at = 1;
    if (o->kind == TEXT) {
        if (!*value) return complain("a value is missing after", o->name);
        *(const char **)(void *)at = value;
    }
    if (o->kind == SET) {
        if (a->nset == ARGS_SETS) return complain("too many --set:", value);
        a->set[a->nset++] = value;
    }
    if (o->kind == NUMBER) {
        double x = strtod(value, &end);
        if (end == value || *end || !(x > 0) || x > 1e300)
            return misfit(o, value, "a positive number");
        *(double *)(void *)at = x;
    }
    if (o->kind == COUNT) {
        long n = strtol(value, &end, 10);
        if (end == value || *end || n < 1 || n > 4096)
            return misfit(o, value, "a number from 1 to 4096");
        *(int *)(void *)at = (int)n;
    }
    if (o->matters) {
        size_t used = strlen(a->settings), room = sizeof a->settings - used;
        int n = snprintf(a->settings + used, room, "%s%s %s", used ? " " : "", o->name,
                         value ? value : "");
        if ((size_t)n >= room) return complain("the options are too long, at", value);
    }
    return 0;
}

/* One option at argv[*i], its value in the next argument or after '='. */
static int option(int argc, char **argv, int *i, args *a)
{
    const char *arg = argv[*i];
    for (int k = 0; k < NOPTIONS; k++) {
        const struct option *o = &options[k];
        size_t n = strlen(o->name);
        int joined = o->value && arg[1] == '-' && strncmp(arg, o->name, n) == 0 && arg[n] == '=';
        if (!joined && strcmp(arg, o->name) != 0) continue;
        if (!applies(o, a->command)) {
            fprintf(stderr, "limber: '%s' does not apply to 'limber %s'; see 'limber help'\n",
                    o->name, a->command);
            return -1;
        }
        const char *value = joined ? arg + n + 1 : NULL;
        if (o->value && !joined) {
            if (*i + 1 >= argc) return complain("a value is missing after", arg);
            value = argv[++*i];
        }
        return store(a, o, value);
    }
    return unknown_option(arg, a->command);
}

int args_parse(int argc, char **argv, args *a)
{
    memset(a, 0, sizeof *a);
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        a->command = "help";
        a->help = argc >= 2;
        return 0;
    }
    int index = command_index(strcmp(argv[1], "--version") == 0 ? "version" : argv[1]);
    if (index < 0) return unknown_command(argv[1]);
    a->command = commands[index].name;
    const char *wants = commands[index].file;
    if (strcmp(a->command, "help") == 0) {
        a->help = 1;
        if (argc > 2 && command_index(argv[2]) < 0) return unknown_command(argv[2]);
        if (argc > 2) a->file = argv[2]; /* help about that one */
        return argc > 3 ? complain("unexpected argument", argv[3]) : 0;
    }
    for (int i = 2; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            a->file = a->command;
            a->command = "help";
            a->help = 1;
            return 0;
        }
        if (argv[i][0] == '-' && argv[i][1]) {
            if (option(argc, argv, &i, a)) return -1;
        } else if (!wants || (a->nfiles && strcmp(a->command, "report") != 0))
            return complain("unexpected argument", argv[i]);
        else if (a->nfiles == ARGS_FILES)
            return complain("too many files, at", argv[i]);
        else
            a->files[a->nfiles++] = argv[i];
    }
    a->file = a->files[0];
    if (wants && !a->file) {
        fprintf(stderr, "limber: usage: limber %s %s; see 'limber help'\n", a->command, wants);
        return -1;
    }
    return 0;
}

void args_default_name(const char *file, const char *ending, char *path, size_t size)
{
    const char *base = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
    const char *dot = strrchr(base, '.');
    int n = dot && dot > base ? (int)(dot - base) : (int)strlen(base);
    snprintf(path, size, "%.*s%s", n, base, ending);
}
