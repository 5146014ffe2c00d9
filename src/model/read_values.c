/* The kinds of value that need nothing but the value: numbers, vectors, choices, texts. */
#include "model/reader.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#define FIELD(type) ((type *)((char *)base + key->offset))

int lm_read_want(lm_reader *r, const lm_yaml *node, lm_yaml_kind kind, const char *what)
{
    if (node->bad) return -1;
    if (++r->work > LM_WORK) {
        if (r->work == LM_WORK + 1)
            lm_error(r->diag, node->loc,
                     "the model is too large: repetition and aliases make more "
                     "than %d values",
                     LM_WORK);
        return -1;
    }
    if (node->kind == kind && !(kind == LM_YAML_SCALAR && lm_yaml_is_null(node))) return 0;
    lm_error(r->diag, node->loc, "%s must be %s, found %s", lm_subject(r), what, lm_found(r, node));
    return -1;
}

/* YAML's and other languages' spellings of infinity and not-a-number. */
static int names_non_finite(const char *text)
{
    static const char *const words[] = {"inf", "infinity", "nan"};
    if (*text == '-' || *text == '+') text++;
    if (*text == '.') text++;
    for (int i = 0; i < 3; i++)
        if (strcasecmp(text, words[i]) == 0) return 1;
    return 0;
}

int lm_read_not_finite(lm_reader *r, lm_loc loc, double value)
{
    lm_error(r->diag, loc, "%s is not finite (%s)", lm_subject(r),
             isnan(value) ? "nan"
             : value > 0  ? "inf"
                          : "-inf");
    return -1;
}

int lm_read_number(lm_reader *r, const lm_yaml *node, double *out)
{
    if (lm_read_want(r, node, LM_YAML_SCALAR, "a number or an expression")) return -1;
    if (names_non_finite(node->text) && lm_names_find(&r->param_names, node->text) < 0) {
        lm_error(r->diag, node->loc, "%s is not finite (%s)", lm_subject(r), node->text);
        return -1;
    }
    double value;
    if (lm_read_constant(r, node->text, lm_yaml_text_loc(node), (lm_yaml *)node, &value)) return -1;
    if (!isfinite(value)) return lm_read_not_finite(r, node->loc, value);
    *out = value;
    return 0;
}

int lm_read_in_range(lm_reader *r, const lm_yaml *node, lm_range range, double value)
{
    char text[80];
    if (lm_range_holds(range, value)) return 0;
    lm_error(r->diag, node->loc, "%s is %s; it must be %s", lm_subject(r), lm_number_text(r, value),
             lm_range_text(range, text));
    return -1;
}

static int ranged(lm_reader *r, const lm_key *key, const lm_yaml *node, double *out)
{
    double value;
    if (lm_read_number(r, node, &value) || lm_read_in_range(r, node, key->range, value)) return -1;
    *out = value;
    return 0;
}

int lm_kind_number(lm_reader *r, const lm_key *key, const lm_yaml *node, void *base)
{
    return ranged(r, key, node, FIELD(double));
}

int lm_kind_integer(lm_reader *r, const lm_key *key, const lm_yaml *node, void *base)
{
    double value;
    if (ranged(r, key, node, &value)) return -1;
    if (value != floor(value) || fabs(value) > 2e9) {
        lm_error(r->diag, node->loc, "%s is %s; it must be a whole number", lm_subject(r),
                 lm_number_text(r, value));
        return -1;
    }
    *FIELD(int) = (int)value;
    return 0;
}

int lm_kind_version(lm_reader *r, const lm_key *key, const lm_yaml *node, void *base)
{
    if (lm_read_want(r, node, LM_YAML_SCALAR, "1, the version of the format")) return -1;
    *FIELD(int) = 1;
    if (strcmp(node->text, "1") == 0) return 0;
    lm_error(r->diag, node->loc, "format version %s is not known; this program reads 'limber: 1'",
             lm_found(r, node));
    return -1;
}

int lm_kind_bool(lm_reader *r, const lm_key *key, const lm_yaml *node, void *base)
{
    if (lm_read_want(r, node, LM_YAML_SCALAR, "true or false")) return -1;
    int yes = strcmp(node->text, "true") == 0 || strcmp(node->text, "True") == 0;
    int no = strcmp(node->text, "false") == 0 || strcmp(node->text, "False") == 0;
    if (!yes && !no) {
        lm_error(r->diag, node->loc, "%s must be true or false, found %s", lm_subject(r),
                 lm_found(r, node));
        return -1;
    }
    *FIELD(int) = yes;
    return 0;
}

int lm_kind_text(lm_reader *r, const lm_key *key, const lm_yaml *node, void *base)
{
    if (lm_yaml_is_null(node)) return 0;
    if (lm_read_want(r, node, LM_YAML_SCALAR, "a text")) return -1;
    *FIELD(const char *) = node->text;
    return 0;
}

int lm_kind_enum(lm_reader *r, const lm_key *key, const lm_yaml *node, void *base)
{
    int scalar = node->kind == LM_YAML_SCALAR && !lm_yaml_is_null(node);
    int i = scalar ? lm_choices_find(key->choices, node->text) : -1;
    if (i >= 0) {
        *FIELD(int) = i;
        return 0;
    }
    const char *choices = lm_list_choices(r, key->choices);
    if (!scalar)
        return lm_read_want(r, node, LM_YAML_SCALAR,
                            lm_arena_printf(&r->scratch, "one of %s", choices));
    char words[16][LM_CHOICE_MOST];
    const char *list[16];
    int n = lm_choices_count(key->choices);
    for (int k = 0; k < n && k < 16; k++) list[k] = lm_choices_get(key->choices, k, words[k]);
    const char *hint = lm_suggest(r, node->text, list, n);
    lm_error(r->diag, node->loc, "unknown %s '%s' in %s%s%s%s%s", key->name,
             lm_quoted(r, node->text), lm_where_text(r), hint,
             *hint ? "" : " (one of: ", *hint ? "" : choices, *hint ? "" : ")");
    return -1;
}

/* A list of n things, as `what` says. */
static int want_list(lm_reader *r, const lm_yaml *node, int n, const char *what)
{
    if (node->kind == LM_YAML_LIST && node->n == n && !node->bad) return 0;
    if (node->kind != LM_YAML_LIST || node->bad) return lm_read_want(r, node, LM_YAML_LIST, what);
    const lm_yaml *only = node->n == 1 ? node->items[0] : NULL;
    int commas = only && only->kind == LM_YAML_SCALAR && strpbrk(only->text, " ;");
    lm_error(r->diag, node->loc, "%s must be %s, found %s%s", lm_subject(r), what,
             lm_found(r, node), commas ? " (put commas between the values)" : "");
    return -1;
}

int lm_read_numbers(lm_reader *r, const lm_yaml *node, int n, double *out)
{
    static const char *const what[] = {"a list of 2 numbers", "a list of 3 numbers",
                                       "a list of 6 numbers"};
    int rc = 0;
    if (want_list(r, node, n, what[n == 6 ? 2 : n - 2])) return -1;
    for (int i = 0; i < n; i++)
        if (lm_read_number(r, node->items[i], &out[i])) rc = -1;
    return rc;
}

int lm_kind_vector(lm_reader *r, const lm_key *key, const lm_yaml *node, void *base)
{
    return lm_read_numbers(r, node, 3, FIELD(double));
}

int lm_kind_inertia(lm_reader *r, const lm_key *key, const lm_yaml *node, void *base)
{
    const char *what = "a list of 3 numbers [Ixx, Iyy, Izz] or 6 [Ixx, Iyy, Izz, Ixy, Ixz, Iyz]";
    if (lm_read_want(r, node, LM_YAML_LIST, what)) return -1;
    if (node->n == 3 || node->n == 6) return lm_read_numbers(r, node, node->n, FIELD(double));
    lm_error(r->diag, node->loc, "%s must be %s, found %s", lm_subject(r), what, lm_found(r, node));
    return -1;
}

static int each_in_range(lm_reader *r, const lm_key *key, const lm_yaml *node, const double *v)
{
    int rc = 0;
    for (int i = 0; i < node->n; i++)
        if (lm_read_in_range(r, node->items[i], key->range, v[i])) rc = -1;
    return rc;
}

int lm_kind_six(lm_reader *r, const lm_key *key, const lm_yaml *node, void *base)
{
    double *v = FIELD(double);
    return lm_read_numbers(r, node, 6, v) ? -1 : each_in_range(r, key, node, v);
}

int lm_kind_pair(lm_reader *r, const lm_key *key, const lm_yaml *node, void *base)
{
    double *v = FIELD(double);
    if (node->kind == LM_YAML_LIST)
        return lm_read_numbers(r, node, 2, v) ? -1 : each_in_range(r, key, node, v);
    if (node->kind == LM_YAML_MAP)
        return lm_read_want(r, node, LM_YAML_SCALAR, "a number or [translation, rotation]");
    if (ranged(r, key, node, v)) return -1;
    v[1] = v[0];
    return 0;
}

int lm_kind_speeds(lm_reader *r, const lm_key *key, const lm_yaml *node, void *base)
{
    double *v = FIELD(double);
    if (lm_read_numbers(r, node, 3, v)) return -1;
    if (v[2] >= 1 && v[2] <= 1e6 && v[2] == floor(v[2])) return 0;
    lm_error(r->diag, node->items[2]->loc,
             "%s is [from, to, count]; count is %s, and must be a whole number from 1 to 1000000",
             lm_subject(r), lm_number_text(r, v[2]));
    return -1;
}

/* --- directions --- */

int lm_kind_direction(lm_reader *r, const lm_key *key, const lm_yaml *node, void *base)
{
    double *v = FIELD(double);
    if (node->kind == LM_YAML_SCALAR) {
        static const char *const letters = "xyz";
        const char *c = strlen(node->text) == 1 ? strchr(letters, *node->text) : NULL;
        if (c) {
            v[c - letters] = 1;
            return 0;
        }
        return lm_read_want(r, node, LM_YAML_LIST, "x, y, z or a vector [ax, ay, az]");
    }
    if (lm_read_numbers(r, node, 3, v)) return -1;
    if (v[0] != 0 || v[1] != 0 || v[2] != 0) return 0;
    lm_error(r->diag, node->loc, "%s is the zero vector; it must have a direction", lm_subject(r));
    return -1;
}

/* Scaled first, so that no square overflows or vanishes. */
static void normalise(double v[3])
{
    double big = fmax(fabs(v[0]), fmax(fabs(v[1]), fabs(v[2])));
    for (int i = 0; i < 3; i++) v[i] /= big;
    double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int i = 0; i < 3; i++) v[i] /= length;
}

int lm_kind_axis(lm_reader *r, const lm_key *key, const lm_yaml *node, void *base)
{
    if (lm_kind_direction(r, key, node, base)) return -1;
    normalise(FIELD(double));
    return 0;
}

int lm_kind_axes(lm_reader *r, const lm_key *key, const lm_yaml *node, void *base)
{
    lm_spec_joint *joint = base;
    if (want_list(r, node, 2, "a list of two axes, e.g. [x, y]")) return -1;
    lm_key second = *key;
    second.offset = offsetof(lm_spec_joint, axis2);
    int rc = lm_kind_axis(r, key, node->items[0], base);
    if (lm_kind_axis(r, &second, node->items[1], base)) rc = -1;
    if (rc) return -1;
    double dot = 0;
    for (int i = 0; i < 3; i++) dot += joint->axis[i] * joint->axis2[i];
    if (fabs(dot) <= 1e-9) return 0;
    lm_error(r->diag, node->loc,
             "%s must be perpendicular; the angle between them is %.12g degrees", lm_subject(r),
             acos(fmax(-1, fmin(1, dot))) * 180 / acos(-1));
    return -1;
}

/* --- expressions --- */

enum { SAMPLES = 33 }; /* along the beam, for checking a dimension's range */

int lm_kind_section_expr(lm_reader *r, const lm_key *key, const lm_yaml *node, void *base)
{
    lm_expr *e = FIELD(lm_expr);
    if (lm_read_expr(r, node, LM_SCOPE_SECTION, e)) return -1;
    if (e->constant) return lm_read_in_range(r, node, key->range, e->value);
    double *scratch = LM_NEW_N(&r->scratch, double, lm_expr_scratch(e, 0) + 1);
    for (int i = 0; i < SAMPLES; i++) {
        double slots[2] = {0, (double)i / (SAMPLES - 1)};
        double v = lm_expr_eval(e, slots, scratch);
        char text[80];
        if (isfinite(v) && lm_range_holds(key->range, v)) continue;
        const char *must = lm_range_text(key->range, text); /* dimensions of beams have one */
        lm_error(r->diag, node->loc, "%s is %s at s = %.4g%s; it must be %s", lm_subject(r),
                 lm_number_text(r, v), slots[1], must ? " along the beam" : "",
                 must ? must : "a finite number");
        return -1;
    }
    return 0;
}

int lm_kind_sensor_vector(lm_reader *r, const lm_key *key, const lm_yaml *node, void *base)
{
    int rc = 0;
    if (want_list(r, node, 3, "a list of 3 numbers or expressions")) return -1;
    for (int i = 0; i < 3; i++)
        if (lm_read_expr(r, node->items[i], LM_SCOPE_SENSORS, FIELD(lm_expr) + i)) rc = -1;
    return rc;
}

/* --- texts --- */

int lm_kind_file_path(lm_reader *r, const lm_key *key, const lm_yaml *node, void *base)
{
    if (lm_read_want(r, node, LM_YAML_SCALAR, "the name of a Matrix Market file")) return -1;
    const char *folder = r->files.at[0].folder;
    *FIELD(const char *) = *node->text == '/' || !*folder
                               ? node->text
                               : lm_arena_printf(r->arena, "%s/%s", folder, node->text);
    return 0;
}

int lm_kind_name_list(lm_reader *r, const lm_key *key, const lm_yaml *node, void *base)
{
    lm_spec_analysis *a = base;
    int inputs = key->offset == offsetof(lm_spec_analysis, inputs), rc = 0;
    const lm_yaml *const *items = (const lm_yaml *const *)node->items;
    int n = node->n;
    if (node->kind == LM_YAML_SCALAR && !lm_yaml_is_null(node)) {
        items = &node;
        n = 1;
    } else if (lm_read_want(r, node, LM_YAML_LIST, "a list of names")) {
        return -1;
    }
    const char **names = LM_NEW_N(r->arena, const char *, n + 1);
    for (int i = 0; i < n; i++) {
        const char *name = lm_read_reference(r, items[i]);
        if (!name) rc = -1;
        names[i] = name ? lm_arena_str(r->arena, name) : "";
    }
    *FIELD(const char **) = names;
    *(inputs ? &a->ninputs : &a->noutputs) = n;
    return rc;
}
