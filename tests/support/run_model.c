#include "support/run_model.h"

#include "support/scratch.h"

#include <unistd.h>

/* ---- the text of the model ---- */

static const char *environment(const char *name, const char *otherwise)
{
    const char *value = getenv(name);
    return value && *value ? value : otherwise;
}

/* text with [from, to) replaced; frees text. */
static char *splice(char *text, const char *from, const char *to, const char *by)
{
    size_t head = (size_t)(from - text), size = head + strlen(by) + strlen(to) + 1;
    char *result = malloc(size);
    assert_non_null(result);
    snprintf(result, size, "%.*s%s%s", (int)head, text, by, to);
    free(text);
    return result;
}

static char *swap(char *text, const char *old, const char *by)
{
    const char *at = strstr(text, old);
    if (!at) fail_msg("the model does not contain '%s'", old);
    if (strstr(at + 1, old)) fail_msg("the model contains '%s' more than once", old);
    return splice(text, at, at + strlen(old), by);
}

/* The entry of a key at the left margin, from the key to the next such line. */
static char *swap_analysis(char *text, const char *by)
{
    char entry[512];
    char *at = strstr(text, "\nanalysis:");
    if (!at) fail_msg("the model has no analysis");
    const char *end = strchr(at + 1, '\n');
    while (end && (end[1] == ' ' || end[1] == '-')) end = strchr(end + 1, '\n');
    snprintf(entry, sizeof entry, "\nanalysis: %s", by);
    return splice(text, at, end ? end : at + strlen(at), entry);
}

char *run_model_text(const run_how *how)
{
    char path[512];
    char *text;
    if (how->model) {
        snprintf(path, sizeof path, "%s/%s.yaml", environment("MODELS", "models"), how->model);
        text = file_read(path, NULL);
    } else
        text = strdup(how->text);
    for (int i = 0; i < RUN_SWAPS && how->swap[i][0]; i++)
        text = swap(text, how->swap[i][0], how->swap[i][1]);
    return how->analysis ? swap_analysis(text, how->analysis) : text;
}

/* ---- the table ---- */

static void parse_header(table *r, char *line)
{
    r->header = strdup(line);
    r->cols = 1;
    for (const char *p = line; *p; p++) r->cols += *p == ',';
    r->name = calloc((size_t)r->cols, sizeof *r->name);
    assert_non_null(r->name);
    char *save = NULL, *word = strtok_r(r->header, ",", &save);
    for (int i = 0; i < r->cols; i++, word = strtok_r(NULL, ",", &save)) r->name[i] = word;
}

static void parse_row(table *r, char *line)
{
    char *p = line;
    for (int i = 0; i < r->cols; i++) {
        char *end;
        r->data[r->rows * r->cols + i] = strtod(p, &end);
        if (end == p || (*end != ',' && *end != '\0')) fail_msg("no number in '%s'", line);
        p = end + 1;
    }
    r->rows++;
}

static void parse_csv(table *r, char *text)
{
    char *save = NULL, *line = strtok_r(text, "\n", &save);
    size_t lines = 1;
    assert_non_null(line);
    for (const char *p = save; p && *p; p++) lines += *p == '\n';
    parse_header(r, line);
    r->data = calloc(lines * (size_t)r->cols, sizeof *r->data);
    assert_non_null(r->data);
    while ((line = strtok_r(NULL, "\n", &save))) parse_row(r, line);
}

/* ---- running ---- */

static void complain(const limber_messages *msg, const char *what, const run_how *how)
{
    limber_messages_print(msg, stderr);
    fail_msg("%s: %s", how->model ? how->model : "a model in the test", what);
}

static limber_model *load(const run_how *how, limber_messages *msg)
{
    limber_load_options load = limber_load_options_default();
    limber_model *model = NULL;
    char *text = run_model_text(how);
    while (load.set_count < RUN_SETS && how->set[load.set_count]) load.set_count++;
    load.set = how->set;
    limber_status st = limber_model_parse(text, strlen(text), how->model ? how->model : "model",
                                          &load, &model, msg);
    free(text);
    if (st != LIMBER_OK) complain(msg, "cannot be read", how);
    return model;
}

table run_model(const run_how *how)
{
    char results[300], csv[300];
    limber_messages *msg = limber_messages_new();
    limber_model *model = load(how, msg);
    limber_run_options opt = limber_run_options_default();
    opt.formulation = how->formulation;
    table r = {0};
    snprintf(results, sizeof results, "%s/run_%ld.h5", environment("SCRATCH", "/tmp"),
             (long)getpid());
    snprintf(csv, sizeof csv, "%s/run_%ld.csv", environment("SCRATCH", "/tmp"), (long)getpid());
    opt.results = results;
    opt.until = how->until;
    limber_status st = limber_run(model, &opt, &r.sum, msg);
    if (st != LIMBER_OK && !(how->may_stop && st == LIMBER_STOPPED))
        complain(msg, *r.sum.reason ? r.sum.reason : "the run failed", how);
    if (limber_export_csv(results, csv, msg) != LIMBER_OK) complain(msg, "no CSV", how);
    char *text = file_read(csv, NULL);
    parse_csv(&r, text);
    free(text);
    unlink(results);
    unlink(csv);
    limber_model_free(model);
    limber_messages_free(msg);
    return r;
}

void table_free(table *r)
{
    free(r->name);
    free(r->data);
    free(r->header);
    memset(r, 0, sizeof *r);
}

/* ---- looking at it ---- */

int table_col(const table *r, const char *name)
{
    for (int i = 0; i < r->cols; i++)
        if (strcmp(r->name[i], name) == 0) return i;
    fail_msg("the table has no column '%s'", name);
    return -1;
}

double table_get(const table *r, int row, const char *name)
{
    assert_in_range(row, 0, r->rows - 1);
    return r->data[row * r->cols + table_col(r, name)];
}

double table_at(const table *r, const char *name, double t)
{
    for (int i = 0; i < r->rows; i++)
        if (fabs(r->data[i * r->cols] - t) <= 1e-9 * (1 + fabs(t))) return table_get(r, i, name);
    fail_msg("the table has no row at t = %.17g", t);
    return NAN;
}

double table_first(const table *r, const char *name) { return table_get(r, 0, name); }
double table_last(const table *r, const char *name) { return table_get(r, r->rows - 1, name); }

double table_drift(const table *r, const char *name)
{
    double most = 0;
    for (int i = 0; i < r->rows; i++)
        most = fmax(most, fabs(table_get(r, i, name) - table_first(r, name)));
    return most;
}

double table_range(const table *r, const char *name)
{
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < r->rows; i++) {
        low = fmin(low, table_get(r, i, name));
        high = fmax(high, table_get(r, i, name));
    }
    return high - low;
}

double table_distance(const table *a, const table *b, const char *name)
{
    double most = 0;
    assert_int_equal(a->rows, b->rows);
    for (int i = 0; i < a->rows; i++)
        most = fmax(most, fabs(table_get(a, i, name) - table_get(b, i, name)));
    return most;
}

double table_distance_all(const table *a, const table *b)
{
    double most = 0;
    for (int i = 1; i < a->cols; i++) most = fmax(most, table_distance(a, b, a->name[i]));
    return most;
}

/* ---- assertions; written so that a NaN fails ---- */

void assert_near_at(double value, double expected, double tolerance, const char *what,
                    const char *file, int line)
{
    if (fabs(value - expected) <= tolerance) return;
    print_error("%s = %.17g\nis not %.17g +- %.3g: off by %.3g\n", what, value, expected, tolerance,
                fabs(value - expected));
    _fail(file, line);
}

void assert_under_at(double value, double limit, const char *what, const char *file, int line)
{
    if (value <= limit) return;
    print_error("%s = %.6g is over %.6g\n", what, value, limit);
    _fail(file, line);
}

void assert_between_at(double value, double low, double high, const char *what, const char *file,
                       int line)
{
    if (value >= low && value <= high) return;
    print_error("%s = %.6g is not between %.6g and %.6g\n", what, value, low, high);
    _fail(file, line);
}
