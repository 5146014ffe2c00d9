/* Expressions of the file: which names are known where, and constants of parameters. */
#include "model/reader.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct scope_ctx {
    lm_reader *r;
    lm_scope scope;
    int index_slots; /* indices of repetition are slots 1.. instead of constants */
    lm_expr_env env;
} scope_ctx;

/* What an expression may depend on. */
static const char *const hints[] = {
    [LM_SCOPE_CONSTANT] = "this must be a constant: numbers and parameters only",
    [LM_SCOPE_TIME] = "this may depend on t and parameters only",
    [LM_SCOPE_SECTION] = "this may depend on s (0 to 1 from start to end) and parameters only",
    [LM_SCOPE_MOTION] = "this may depend on coordinates, t and parameters only",
    [LM_SCOPE_SENSORS] = "dt is known in the updates of 'states' and 'surfaces' only",
    [LM_SCOPE_UPDATE] = NULL,
};

/* ... and of the name of its own quantity, in the law of a storage of the power graph. */
static const char *hint_of(const lm_reader *r, lm_scope scope)
{
    if (scope != LM_SCOPE_SECTION || !r->own_name) return hints[scope];
    return *r->own_name == 'q' ? "this may depend on q, the displacement, and parameters only"
                               : "this may depend on p, the momentum, and parameters only";
}

/* An expression of indices, parsed once for all entries of a repeated name. */
typedef struct cached {
    const lm_key_pattern *pattern;
    lm_expr expr;
    double *scratch;
    int useless; /* could not be parsed with indices as variables */
} cached;

/* --- names --- */

int lm_is_name(const char *text, size_t n)
{
    if (!n || !(isalpha((unsigned char)text[0]) || text[0] == '_')) return 0;
    for (size_t i = 1; i < n; i++)
        if (!isalnum((unsigned char)text[i]) && text[i] != '_') return 0;
    return 1;
}

int lm_is_builtin(const char *name)
{
    int n;
    const char *const *names = lm_expr_names(&n);
    for (int i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0) return 1;
    return strcmp(name, "t") == 0;
}

void lm_scratch_trim(lm_reader *r)
{
    if (r->scratch.used > (size_t)1 << 16) lm_arena_free(&r->scratch);
}

static lm_symbol index_symbol(const scope_ctx *c, const char *name, double *value, int *slot)
{
    for (const lm_named *e = c->r->entry; e; e = e->outer)
        for (int i = 0; i < e->nindex; i++) {
            if (!e->pattern->var[i] || strcmp(e->pattern->var[i], name) != 0) continue;
            *value = e->index[i];
            *slot = 1 + i;
            return c->index_slots ? LM_SYM_SLOT : LM_SYM_CONSTANT;
        }
    return LM_SYM_NONE;
}

static lm_symbol coordinate_symbol(const scope_ctx *c, const char *name, int *slot)
{
    int i = lm_names_find(&c->r->coordinates.names, name);
    if (i < 0) return LM_SYM_NONE;
    *slot =
        c->scope == LM_SCOPE_MOTION ? 1 + i : lm_sensor_coordinate(c->r, i, (lm_loc){NULL, 0, 0});
    return LM_SYM_SLOT;
}

static lm_symbol state_symbol(const scope_ctx *c, const char *name, int *slot)
{
    int i = lm_names_find(&c->r->states.names, name);
    if (i < 0) return LM_SYM_NONE;
    *slot = lm_sensor_state(c->r, i);
    return LM_SYM_SLOT;
}

/* 'plant.y3' of a block 'plant' in which there is an error that has been reported. */
static int in_bad_block(const lm_reader *r, const char *name)
{
    const char *point = strrchr(name, '.');
    char block[200];
    if (!point || point - name >= (long)sizeof block) return 0;
    memcpy(block, name, (size_t)(point - name));
    block[point - name] = 0;
    int i = lm_names_find(&r->blocks.names, block);
    return i >= 0 && r->spec->blocks.at[i].item.bad;
}

static lm_symbol block_symbol(scope_ctx *c, const char *name, int *slot)
{
    lm_reader *r = c->r;
    int i = lm_names_find(&r->blocks.names, name);
    int bad = i < 0 ? in_bad_block(r, name) : r->spec->blocks.at[i].item.bad;
    if (i < 0 && !bad) return LM_SYM_NONE;
    if (bad) r->tainted = 1;
    *slot = bad ? LM_SLOT_T : lm_block_slot(r, i);
    return *slot < 0 ? LM_SYM_NONE : LM_SYM_SLOT;
}

/* A block with several outputs. */
static const char *outputs_hint(const scope_ctx *c, const char *name)
{
    int i = c->scope >= LM_SCOPE_SENSORS ? lm_names_find(&c->r->blocks.names, name) : -1;
    if (i < 0) return NULL;
    int n = c->r->spec->blocks.at[i].c.rows;
    return lm_arena_printf(&c->r->scratch, "the block has %d outputs, %s.y1 to %s.y%d", n, name,
                           name, n);
}

/* Names that have a meaning elsewhere: the message for an unknown name says why not here. */
static int known_elsewhere(const lm_reader *r, const char *name)
{
    return strcmp(name, "t") == 0 || strcmp(name, "s") == 0 ||
           lm_names_find(&r->coordinates.names, name) >= 0 ||
           lm_names_find(&r->states.names, name) >= 0 || lm_names_find(&r->blocks.names, name) >= 0;
}

/* The name of something in the model whose motion or force a sensor tells. */
static const char *item_hint(const scope_ctx *c, const char *name)
{
    lm_reader *r = c->r;
    const struct {
        const lm_table *table;
        const char *text;
    } kinds[] = {
        {&r->bodies, "it is a body; a sensor tells its motion, as in pos(%s).x"},
        {&r->joints, "it is a joint; a sensor tells its coordinate or force, as in joint(%s)"}};
    for (int i = 0; i < 2 && !lm_full(r); i++)
        if (lm_names_find(&kinds[i].table->bases, name) >= 0)
            return lm_arena_printf(&r->scratch, kinds[i].text, lm_quoted(r, name));
    return NULL;
}

static const char *hint_for(scope_ctx *c, const char *name)
{
    const char *several = outputs_hint(c, name);
    if (several) return several;
    if (c->scope == LM_SCOPE_SECTION && c->r->own_name) return hint_of(c->r, c->scope);
    if (c->scope == LM_SCOPE_SENSORS) {
        const char *item = item_hint(c, name);
        c->env.hint_is_remedy = item != NULL;
        return strcmp(name, "dt") == 0 ? hints[c->scope] : item;
    }
    return known_elsewhere(c->r, name) ? hint_of(c->r, c->scope) : NULL;
}

static lm_symbol symbol(void *ctx, const char *name, double *value, int *slot)
{
    scope_ctx *c = ctx;
    lm_reader *r = c->r;
    lm_symbol found = index_symbol(c, name, value, slot);
    if (found != LM_SYM_NONE) return found;
    if (r->own_name && strcmp(name, r->own_name) == 0) {
        *slot = r->own_slot;
        return LM_SYM_SLOT;
    }
    if (c->scope == LM_SCOPE_SECTION && !r->own_name && strcmp(name, "s") == 0) {
        *slot = LM_SLOT_S;
        return LM_SYM_SLOT;
    }
    if (c->scope == LM_SCOPE_UPDATE && strcmp(name, "dt") == 0) {
        *slot = lm_sensor_step(r);
        return LM_SYM_SLOT;
    }
    int time = c->scope != LM_SCOPE_CONSTANT && c->scope != LM_SCOPE_SECTION;
    if (time && strcmp(name, "t") == 0) {
        *slot = LM_SLOT_T;
        return LM_SYM_SLOT;
    }
    int i = lm_names_find(&r->param_names, name);
    if (i >= 0) {
        *value = r->params.at[i].value;
        if (r->params.at[i].bad) r->tainted = 1;
        return LM_SYM_CONSTANT;
    }
    if (c->scope >= LM_SCOPE_MOTION) {
        found = coordinate_symbol(c, name, slot);
        if (found != LM_SYM_NONE) return found;
    }
    if (c->scope >= LM_SCOPE_SENSORS) {
        found = state_symbol(c, name, slot);
        if (found == LM_SYM_NONE) found = block_symbol(c, name, slot);
        if (found != LM_SYM_NONE) return found;
    }
    c->env.hint = hint_for(c, name);
    if (!r->params_broken || c->env.hint || lm_sensor_is(name)) return LM_SYM_NONE;
    *value = 1; /* it may have been in what could not be read */
    r->tainted = 1;
    return LM_SYM_CONSTANT;
}

/* Sensors are known everywhere, so that the message can say that they are not allowed. */
static int is_sensor(void *ctx, const char *name)
{
    const scope_ctx *c = ctx;
    return lm_sensor_is(name) || (c->r->internal && strcmp(name, "_s") == 0);
}

static int sensor(void *ctx, const lm_sensor_call *call, int *slot)
{
    const scope_ctx *c = ctx;
    if (c->r->internal && strcmp(call->fn, "_s") == 0) {
        *slot = (int)strtol(call->args[0], NULL, 10);
        return 0;
    }
    if (c->scope >= LM_SCOPE_SENSORS) return lm_sensor_slot(c->r, call, slot);
    lm_error(c->r->diag, call->loc, "the sensor '%s' cannot be used here: %s", call->fn,
             hint_of(c->r, c->scope));
    return -1;
}

static const lm_grid *surface(void *ctx, const char *name, lm_loc loc)
{
    const scope_ctx *c = ctx;
    lm_reader *r = c->r;
    static const lm_grid none = {.to = 1, .width = 1, .cells = 2, .first = -2};
    if (c->scope < LM_SCOPE_SENSORS) {
        lm_error(r->diag, loc, "the surface '%s' cannot be used here: %s", lm_quoted(r, name),
                 hint_of(r, c->scope));
        return NULL;
    }
    int errors = r->diag->errors, i = lm_find(r, &r->surfaces, name, loc);
    if (i >= 0 && !r->spec->surfaces.at[i].item.bad) return &r->spec->surfaces.at[i].grid;
    if (i < 0 && r->diag->errors > errors) return NULL;
    r->tainted = 1; /* what is wrong with it has been said */
    return &none;
}

static const char *const *names(void *ctx, int *n)
{
    const scope_ctx *c = ctx;
    lm_reader *r = c->r;
    LM_VEC(const char *) list = {0};
    *n = 0;
    if (lm_full(r)) return NULL;
    for (const lm_named *e = r->entry; e; e = e->outer)
        for (int i = 0; i < e->nindex; i++)
            if (e->pattern->var[i]) *LM_PUSH(&r->scratch, &list) = e->pattern->var[i];
    for (int i = 0; i < r->param_names.list.n && list.n < LM_SUGGEST_MOST; i++)
        *LM_PUSH(&r->scratch, &list) = r->param_names.list.at[i];
    if (r->own_name)
        *LM_PUSH(&r->scratch, &list) = r->own_name;
    else if (c->scope == LM_SCOPE_SECTION)
        *LM_PUSH(&r->scratch, &list) = "s";
    if (c->scope >= LM_SCOPE_MOTION)
        for (int i = 0; i < r->coordinates.names.list.n && list.n < LM_SUGGEST_MOST; i++)
            *LM_PUSH(&r->scratch, &list) = r->coordinates.names.list.at[i];
    for (int i = 0; c->scope >= LM_SCOPE_SENSORS && i < r->states.names.list.n; i++)
        if (list.n < LM_SUGGEST_MOST) *LM_PUSH(&r->scratch, &list) = r->states.names.list.at[i];
    for (int i = 0; c->scope >= LM_SCOPE_SENSORS && i < r->blocks.names.list.n; i++)
        if (list.n < LM_SUGGEST_MOST) *LM_PUSH(&r->scratch, &list) = r->blocks.names.list.at[i];
    if (c->scope >= LM_SCOPE_SENSORS)
        for (int i = 0; lm_sensor_name(i); i++) *LM_PUSH(&r->scratch, &list) = lm_sensor_name(i);
    *n = list.n;
    return list.at;
}

static const lm_expr_env *make_env(scope_ctx *c)
{
    c->env = (lm_expr_env){.ctx = c,
                           .symbol = symbol,
                           .is_sensor = is_sensor,
                           .sensor = sensor,
                           .surface = surface,
                           .names = names};
    return &c->env;
}

/* --- numbers --- */

/* Length of the number that the text begins with, 0: none. */
static size_t number_length(const char *text)
{
    const char *c = text;
    int digits = 0;
    if (*c == '+' || *c == '-') c++;
    for (; isdigit((unsigned char)*c); c++) digits++;
    if (*c == '.')
        for (c++; isdigit((unsigned char)*c); c++) digits++;
    if (!digits) return 0;
    if (*c == 'e' || *c == 'E') {
        const char *e = c + 1 + (c[1] == '+' || c[1] == '-');
        if (!isdigit((unsigned char)*e)) return (size_t)(c - text);
        for (c = e; isdigit((unsigned char)*c);) c++;
    }
    return (size_t)(c - text);
}

int lm_plain_number(const char *text, double *out)
{
    size_t n = number_length(text);
    if (!n || text[n]) return 0;
    *out = strtod(text, NULL);
    return 1;
}

static int is_known(lm_reader *r, const char *name, lm_scope scope)
{
    const scope_ctx c = {.r = r};
    double value;
    int slot;
    int varies =
        scope != LM_SCOPE_CONSTANT && (scope == LM_SCOPE_SECTION || strcmp(name, "s") != 0);
    return lm_is_builtin(name) || (varies && known_elsewhere(r, name)) ||
           lm_names_find(&r->param_names, name) >= 0 ||
           index_symbol(&c, name, &value, &slot) != LM_SYM_NONE;
}

/* '30deg', '210 GPa', '9.81 m/s^2': a number and words, with no operator between them. */
static int has_unit(lm_reader *r, const char *text, lm_loc loc, lm_scope scope)
{
    size_t n = number_length(text), word = n;
    while (n && text[word] == ' ') word++;
    size_t end = word;
    while (isalpha((unsigned char)text[end])) end++;
    if (!n || end == word || isdigit((unsigned char)text[end]) || text[end] == '_') return 0;
    const char *name = lm_arena_strn(&r->scratch, text + word, end - word);
    static const char *const operators[] = {"and", "or"};
    for (int i = 0; i < 2; i++)
        if (strcmp(name, operators[i]) == 0) return 0;
    if (is_known(r, name, scope))
        lm_error(r->diag, loc, "'%s': write %.*s*%s", lm_quoted(r, text), (int)n, text, name);
    else
        lm_error(r->diag, loc,
                 "'%s': numbers carry no units; write the number alone, in the units "
                 "of the rest of the model",
                 lm_quoted(r, text));
    return 1;
}

static int parse_constant(lm_reader *r, const char *text, lm_loc loc, double *out)
{
    scope_ctx c = {.r = r, .scope = LM_SCOPE_CONSTANT};
    lm_expr e;
    r->tainted = 0;
    if (has_unit(r, text, loc, LM_SCOPE_CONSTANT)) return -1;
    if (lm_expr_parse(&r->scratch, r->diag, make_env(&c), text, loc, &e) || r->tainted) return -1;
    *out = e.value;
    return 0;
}

/* The expression with the indices of the pattern as slots, parsed on first use. */
static cached *cached_expr(lm_reader *r, lm_yaml *node)
{
    cached *k = node->cache;
    if (k && k->pattern == r->entry->pattern) return k;
    scope_ctx c = {.r = r, .scope = LM_SCOPE_CONSTANT, .index_slots = 1};
    lm_diag quiet = {0};
    k = LM_NEW(r->arena, cached);
    k->pattern = r->entry->pattern;
    r->tainted = 0;
    quiet.errors = LM_DIAG_MOST; /* keeps no texts */
    quiet.list.n = LM_DIAG_MOST;
    k->useless = lm_expr_parse(r->arena, &quiet, make_env(&c), node->text, lm_yaml_text_loc(node),
                               &k->expr) ||
                 r->tainted;
    if (!k->useless) k->scratch = LM_NEW_N(r->arena, double, lm_expr_scratch(&k->expr, 0) + 1);
    node->cache = k;
    return k;
}

int lm_read_constant(lm_reader *r, const char *text, lm_loc loc, lm_yaml *node, double *out)
{
    if (lm_plain_number(text, out)) return 0;
    if (node && r->entry && r->entry->pattern->repeated && !r->entry->outer) {
        cached *k = cached_expr(r, node);
        if (!k->useless) {
            double slots[1 + LM_INDICES] = {0};
            for (int i = 0; i < r->entry->pattern->nindex; i++) slots[1 + i] = r->entry->index[i];
            *out = lm_expr_eval(&k->expr, slots, k->scratch);
            return 0;
        }
    }
    int first = r->diag->list.n;
    int rc = parse_constant(r, text, loc, out);
    if (node) lm_place_back(r, node, first);
    return rc;
}

/* --- expressions --- */

/* The quantity that a law has a name for, and a parameter of that name. */
static int ambiguous_law(lm_reader *r, const lm_expr *e)
{
    if (!r->own_name || lm_names_find(&r->param_names, r->own_name) < 0) return 0;
    if (!lm_expr_uses(e, r->own_slot)) return 0;
    lm_error(r->diag, e->loc,
             "'%s' is the %s of the element here, and a parameter of the same name exists; rename "
             "the parameter",
             r->own_name,
             *r->own_name == 'e'   ? "effort"
             : *r->own_name == 'f' ? "flow"
             : *r->own_name == 'q' ? "displacement"
                                   : "momentum");
    return -1;
}

/* `s` along a beam, or `dt`, and a parameter of that name cannot be told apart. */
static int ambiguous(lm_reader *r, lm_scope scope, const lm_expr *e)
{
    if (r->own_name) return ambiguous_law(r, e);
    int s = scope == LM_SCOPE_SECTION && lm_names_find(&r->param_names, "s") >= 0 &&
            lm_expr_uses(e, LM_SLOT_S);
    int dt = scope == LM_SCOPE_UPDATE && lm_names_find(&r->param_names, "dt") >= 0 &&
             lm_expr_uses(e, lm_sensor_step(r));
    if (!s && !dt) return 0;
    lm_error(r->diag, e->loc,
             "'%s' is the %s here, and a parameter of the same "
             "name exists; rename the parameter",
             s ? "s" : "dt", s ? "position from start to end" : "time since the last update");
    return -1;
}

int lm_read_expr_text(lm_reader *r, const char *text, lm_loc loc, lm_scope scope, lm_expr *out)
{
    double value;
    if (lm_plain_number(text, &value)) {
        lm_expr_constant(out, value);
        out->text = text;
        out->loc = loc;
    } else {
        scope_ctx c = {.r = r, .scope = scope};
        r->tainted = 0;
        if (has_unit(r, text, loc, scope)) return -1;
        if (lm_expr_parse(r->arena, r->diag, make_env(&c), text, loc, out) || r->tainted) return -1;
        if (ambiguous(r, scope, out)) return -1;
    }
    if (!out->constant || isfinite(out->value)) return 0;
    return lm_read_not_finite(r, loc, out->value);
}

int lm_read_expr(lm_reader *r, const lm_yaml *node, lm_scope scope, lm_expr *out)
{
    if (lm_read_want(r, node, LM_YAML_SCALAR, "a number or an expression")) return -1;
    int first = r->diag->list.n;
    int rc = lm_read_expr_text(r, node->text, lm_yaml_text_loc(node), scope, out);
    lm_place_back(r, node, first);
    return rc;
}

/* 'rod end' for 'rod.end' */
static int has_blanks(lm_reader *r, const lm_yaml *node)
{
    for (const char *c = strchr(node->text, ' '); c; c = strchr(c + 1, ' ')) {
        int before = c > node->text && (isalnum((unsigned char)c[-1]) || c[-1] == ')');
        if (!before || !isalpha((unsigned char)c[1])) continue;
        lm_error(r->diag, node->loc,
                 "'%s': a name has no blanks in it; a frame of a body is written "
                 "BODY.FRAME",
                 lm_quoted(r, node->text));
        return 1;
    }
    return 0;
}

const char *lm_read_reference(lm_reader *r, const lm_yaml *node)
{
    if (lm_read_want(r, node, LM_YAML_SCALAR, "a name") || has_blanks(r, node)) return NULL;
    scope_ctx c = {.r = r, .scope = LM_SCOPE_CONSTANT};
    r->tainted = 0;
    const char *text =
        lm_expr_reference(&r->scratch, r->diag, make_env(&c), node->text, lm_yaml_text_loc(node));
    return r->tainted ? NULL : text;
}
