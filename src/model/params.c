/* Parameters: they may refer to each other in any order. */
#include "model/reader.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

typedef LM_VEC(int) int_list;

static int check_name(lm_reader *r, const char *name, lm_loc loc)
{
    if (!lm_is_name(name, strlen(name)))
        lm_error(r->diag, loc,
                 "'%s' cannot be the name of a parameter: names are made of letters, "
                 "digits and _, and do not begin with a digit",
                 lm_quoted(r, name));
    else if (lm_is_builtin(name))
        lm_error(r->diag, loc,
                 "a parameter cannot be called '%s': that name has a meaning in "
                 "expressions",
                 name);
    else
        return 0;
    return -1;
}

static void add(lm_reader *r, const lm_yaml *key, const lm_yaml *value)
{
    int old, bad = check_name(r, key->text, key->loc);
    int i = lm_names_add(r->arena, &r->param_names, key->text, &old);
    if (old) {
        lm_loc first = r->params.at[i].loc;
        lm_error(r->diag, key->loc, "parameter '%s' is defined twice (first at %s:%d)",
                 lm_quoted(r, key->text), first.file, first.line);
        return;
    }
    lm_where where = {"parameter", key->text, key->loc, NULL};
    r->where = &where;
    if (lm_read_want(r, value, LM_YAML_SCALAR, "a number or an expression")) bad = 1;
    r->where = NULL;
    *LM_PUSH(r->arena, &r->params) =
        (lm_param){.node = value, .text = value->text, .loc = key->loc, .value = 1, .bad = bad};
}

static void add_section(lm_reader *r, const lm_yaml *root)
{
    const lm_yaml *map = lm_yaml_get(root, "parameters", NULL);
    if (!map || lm_yaml_is_null(map)) return;
    r->key = "parameters";
    int rc = lm_read_want(r, map, LM_YAML_MAP, "a mapping of names to numbers");
    r->key = NULL;
    if (rc)
        r->params_broken = 1;
    else
        for (int i = 0; i < map->n; i++) add(r, map->items[2 * i], map->items[2 * i + 1]);
}

/* --set NAME=expression */
static void override(lm_reader *r, const char *set)
{
    lm_loc loc = {"--set", 0, 0};
    const char *eq = strchr(set, '=');
    if (!eq) {
        lm_error(r->diag, loc, "'%s': expected NAME=value", lm_quoted(r, set));
        return;
    }
    size_t n = (size_t)(eq - set);
    while (n > 0 && isspace((unsigned char)set[n - 1])) n--;
    const char *name = lm_arena_strn(r->arena, set, n);
    int old, i = lm_names_find(&r->param_names, name);
    lm_setting s = {.text = lm_arena_str(r->arena, eq + 1), .loc = {"--set", 1, (int)(n + 2)}};
    if (i >= 0) {
        r->params.at[i] = (lm_param){.text = s.text, .loc = s.loc, .value = 1};
        return;
    }
    i = lm_names_add(r->arena, &r->set_names, name, &old); /* it may be one of a component */
    if (!old) LM_PUSH(r->arena, &r->settings);
    r->settings.at[i] = s;
}

static void unknown_setting(lm_reader *r, const char *name)
{
    const char *const *names = (const char *const *)r->param_names.list.at;
    const char *hint = lm_suggest(r, name, names, r->param_names.list.n);
    if (!*hint)
        hint = r->param_names.list.n
                   ? lm_arena_printf(&r->scratch, " (parameters: %s)",
                                     lm_list_names(r, names, r->param_names.list.n))
                   : "; the model has no parameters";
    if (!r->params_broken)
        lm_error(r->diag, ((lm_loc){"--set", 0, 0}), "unknown parameter '%s'%s", lm_quoted(r, name),
                 hint);
}

/* --- values, in the order in which they depend on each other --- */

static int is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* Length of the word at c; with `whole`, of a name of a component's parameter: axis(3).motor.R. */
static size_t name_length(const char *c, int whole)
{
    size_t n = 0;
    for (;;) {
        while (is_word(c[n])) n++;
        size_t k = n;
        while (whole && c[k] == '(') {
            size_t digits = strspn(c + k + 1, "0123456789-");
            if (c[k + 1 + digits] != ')') break;
            k += digits + 2;
        }
        if (!whole || c[k] != '.' || !is_word(c[k + 1])) return n;
        n = k + 1;
    }
}

/* The parameters named in a text. */
static void uses(lm_reader *r, const char *c, int_list *out)
{
    while (*c) {
        size_t n = name_length(c, 0);
        if (!n) {
            c++;
            continue;
        }
        if (!isdigit((unsigned char)*c)) {
            size_t whole = name_length(c, 1);
            int i = lm_names_find(&r->param_names, lm_arena_strn(&r->scratch, c, whole));
            if (i >= 0) n = whole;
            if (i < 0) i = lm_names_find(&r->param_names, lm_arena_strn(&r->scratch, c, n));
            if (i >= 0) *LM_PUSH(&r->scratch, out) = i;
        }
        c += n;
    }
}

static void evaluate(lm_reader *r, int i)
{
    lm_param *p = &r->params.at[i];
    lm_loc loc = p->node ? lm_yaml_text_loc(p->node) : p->loc;
    lm_where where = {"parameter", r->param_names.list.at[i], p->loc, NULL};
    double value = 1;
    r->where = &where;
    int bad = p->node ? lm_read_number(r, p->node, &value)
                      : lm_read_constant(r, p->text, loc, NULL, &value);
    if (!bad && !isfinite(value)) bad = lm_read_not_finite(r, loc, value);
    r->where = NULL;
    p->value = bad ? 1 : value;
    p->bad = bad != 0;
}

/* "a -> b -> a", from the stack of those on the way. */
static void report_cycle(lm_reader *r, const int_list *path, int i)
{
    int from = path->n - 1;
    while (path->at[from] != i) from--;
    const char *text = "";
    for (int k = from; k < path->n && k < from + 20; k++) {
        text = lm_arena_printf(&r->scratch, "%s%s -> ", text, r->param_names.list.at[path->at[k]]);
        r->params.at[path->at[k]].bad = 1;
    }
    lm_error(r->diag, r->params.at[i].loc, "parameters depend on each other in a circle: %s%s%s",
             text, path->n - from > 20 ? "... -> " : "", r->param_names.list.at[i]);
}

/* Depth first with a stack of our own: a chain of parameters can be long. An entry i >= 0 of
 * `todo` asks for parameter i, ~i says that all it needs has been done. */
static void resolve(lm_reader *r, int start)
{
    int_list todo = {0}, path = {0};
    *LM_PUSH(&r->scratch, &todo) = start;
    while (todo.n) {
        int i = todo.at[--todo.n];
        if (i < 0) {
            path.n--;
            r->params.at[~i].state = 2;
            if (!r->params.at[~i].bad) evaluate(r, ~i);
            continue;
        }
        lm_param *p = &r->params.at[i];
        if (p->state == 1) report_cycle(r, &path, i);
        if (p->state) continue;
        p->state = 1;
        *LM_PUSH(&r->scratch, &path) = i;
        *LM_PUSH(&r->scratch, &todo) = ~i;
        if (p->text && !p->bad) uses(r, p->text, &todo);
    }
}

static void resolve_all(lm_reader *r)
{
    for (int i = 0; i < r->params.n; i++) {
        lm_scratch_trim(r);
        if (!r->params.at[i].state) resolve(r, i);
    }
}

void lm_read_params(lm_reader *r)
{
    for (int i = 0; i < r->files.n; i++)
        if (r->files.at[i].root) add_section(r, r->files.at[i].root);
    for (int i = 0; r->options && i < r->options->nset; i++) override(r, r->options->set[i]);
    resolve_all(r);
}

/* --- parameters of components --- */

void lm_add_param(lm_reader *r, const char *name, lm_loc loc, const lm_yaml *node)
{
    int old, set = lm_names_find(&r->set_names, name);
    lm_param p = {.node = node, .text = node->text, .loc = loc, .value = 1};
    if (set >= 0) {
        lm_setting *s = &r->settings.at[set];
        p = (lm_param){.text = s->text, .loc = s->loc, .value = 1};
        s->used = 1;
    }
    lm_names_add(r->arena, &r->param_names, name, &old);
    if (!old) *LM_PUSH(r->arena, &r->params) = p; /* else: an instance defined twice, reported */
}

void lm_need_params(lm_reader *r, const char *text)
{
    int_list needed = {0};
    uses(r, text, &needed);
    for (int i = 0; i < needed.n; i++)
        if (!r->params.at[needed.at[i]].state) resolve(r, needed.at[i]);
}

void lm_finish_params(lm_reader *r)
{
    resolve_all(r);
    for (int i = 0; i < r->settings.n; i++)
        if (!r->settings.at[i].used) unknown_setting(r, r->set_names.list.at[i]);
}
