/* Frame products of minimal coordinates: base * disp(L + q1, q2, q3) * inv(rotx(q4)).
 *
 *   product = factor { '*' factor }
 *   factor  = '(' product ')' | inv(product) | rotx(e) | roty(e) | rotz(e) | rot(axis, e)
 *           | disp(e, e, e) | ground | name of a frame */
#include "model/reader.h"

#include <ctype.h>
#include <string.h>

enum { DEPTH = 60 };

typedef LM_VEC(lm_factor) factor_list;

typedef struct parser {
    lm_reader *r;
    const char *text, *c;
    lm_loc loc;
    int depth;
    int bad; /* an error that does not stop the parse */
    factor_list out;
} parser;

typedef struct argument {
    const char *text;
    lm_loc loc;
} argument;

static lm_loc here(const parser *p, const char *c)
{
    lm_loc loc = p->loc;
    loc.col += (int)(c - p->text);
    return loc;
}

static char next(parser *p)
{
    while (isspace((unsigned char)*p->c)) p->c++;
    return *p->c;
}

static int fail(parser *p, const char *c, const char *expected)
{
    if (*c)
        lm_error(p->r->diag, here(p, c), "expected %s, found '%.20s'", expected, c);
    else
        lm_error(p->r->diag, here(p, c), "expected %s, found the end", expected);
    return -1;
}

/* --- arguments --- */

/* The arguments of a call, split at commas outside brackets; p->c stands on its '('. */
static int split(parser *p, const char *fn, int n, argument *args)
{
    const char *open = p->c++, *start = p->c;
    int depth = 0, k = 0;
    for (;; p->c++) {
        char c = *p->c;
        if (!c) {
            lm_error(p->r->diag, here(p, open), "this '(' is not closed");
            return -1;
        }
        depth += (c == '(' || c == '[') - (c == ')' || c == ']');
        if (depth >= 0 && !(c == ',' && depth == 0)) continue;
        if (k < n)
            args[k] = (argument){lm_arena_strn(p->r->arena, start, (size_t)(p->c - start)),
                                 here(p, start)};
        k++;
        start = p->c + 1;
        if (c != ',') break;
    }
    p->c++;
    if (k == n) return 0;
    lm_error(p->r->diag, here(p, open), "%s takes %d argument%s, found %d", fn, n,
             n == 1 ? "" : "s", k);
    return -1;
}

static int expression(parser *p, const argument *a, lm_expr *out)
{
    if (lm_read_expr_text(p->r, a->text, a->loc, LM_SCOPE_MOTION, out)) p->bad = 1;
    return 0;
}

/* Axis of rot(): x, y, z or [a, b, c] of constants. */
static int axis(parser *p, const argument *a, double out[3])
{
    const char *c = a->text + strspn(a->text, " ");
    size_t n = strlen(c);
    while (n && isspace((unsigned char)c[n - 1])) n--;
    if (n == 1 && *c >= 'x' && *c <= 'z') {
        out[*c - 'x'] = 1;
        return 0;
    }
    if (n < 2 || c[0] != '[' || c[n - 1] != ']') {
        lm_error(p->r->diag, a->loc,
                 "the axis of rot(axis, angle) must be x, y, z or [a, b, c], "
                 "found '%s'",
                 lm_quoted(p->r, c));
        return -1;
    }
    parser inner = {.r = p->r, .text = a->text, .c = c, .loc = a->loc};
    argument args[3];
    if (split(&inner, "an axis", 3, args)) return -1;
    for (int i = 0; i < 3; i++)
        if (lm_read_constant(p->r, args[i].text, args[i].loc, NULL, &out[i])) return -1;
    if (out[0] != 0 || out[1] != 0 || out[2] != 0) return 0;
    lm_error(p->r->diag, a->loc, "the axis of rot() is the zero vector");
    return -1;
}

/* --- factors --- */

static int product(parser *p);

static int nested(parser *p)
{
    const char *open = p->c++;
    if (++p->depth > DEPTH) {
        lm_error(p->r->diag, here(p, open), "parentheses are nested deeper than %d levels", DEPTH);
        return -1;
    }
    if (product(p)) return -1;
    if (next(p) != ')') return fail(p, p->c, "'*' or ')'");
    p->c++;
    p->depth--;
    return 0;
}

/* inv(A * B) = inv(B) * inv(A) */
static int inverse(parser *p)
{
    int first = p->out.n;
    if (nested(p)) return -1;
    for (int i = first, k = p->out.n - 1; i < k; i++, k--) {
        lm_factor f = p->out.at[i];
        p->out.at[i] = p->out.at[k];
        p->out.at[k] = f;
    }
    for (int i = first; i < p->out.n; i++) p->out.at[i].inverse ^= 1;
    return 0;
}

static int elementary(parser *p, const char *fn, lm_factor_kind kind)
{
    argument args[3];
    int n = kind == LM_FACTOR_DISP ? 3 : kind == LM_FACTOR_ROT ? 2 : 1;
    lm_factor f = {.kind = kind, .frame = -1};
    if (split(p, fn, n, args)) return -1;
    if (kind == LM_FACTOR_ROT) {
        if (axis(p, &args[0], f.axis)) p->bad = 1;
        expression(p, &args[1], &f.arg[0]);
    } else {
        for (int i = 0; i < n; i++) expression(p, &args[i], &f.arg[i]);
    }
    *LM_PUSH(p->r->arena, &p->out) = f;
    return 0;
}

static const struct {
    const char *name;
    lm_factor_kind kind;
} functions[] = {{"rotx", LM_FACTOR_ROTX},
                 {"roty", LM_FACTOR_ROTY},
                 {"rotz", LM_FACTOR_ROTZ},
                 {"rot", LM_FACTOR_ROT},
                 {"disp", LM_FACTOR_DISP}};

/* name(...) that is neither a function nor a repeated frame. */
static int unknown_function(parser *p, const char *start, const char *word)
{
    static const char *const known[] = {"rotx", "roty", "rotz", "rot", "disp", "inv"};
    lm_reader *r = p->r;
    const char *rest = start + strlen(word);
    if (rest[strspn(rest, " ")] != '(' || r->products.broken) return 0;
    if (lm_names_find(&r->products.bases, word) >= 0) return 0;
    const char *hint = lm_suggest(r, word, known, 6);
    lm_error(r->diag, here(p, start), "unknown function '%s'%s", lm_quoted(r, word),
             *hint ? hint : " (known: rotx, roty, rotz, rot, disp, inv)");
    return 1;
}

/* A frame by name, with its indices. */
static int named(parser *p, const char *start, const char *word)
{
    while (next(p) == '(') {
        int depth = 0;
        do {
            depth += (*p->c == '(') - (*p->c == ')');
            if (!*p->c++) return fail(p, p->c - 1, "')'");
        } while (depth);
    }
    lm_reader *r = p->r;
    if (unknown_function(p, start, word)) return -1;
    lm_yaml node = {.kind = LM_YAML_SCALAR, .loc = here(p, start)};
    node.text = lm_arena_strn(&r->scratch, start, (size_t)(p->c - start));
    const char *name = lm_read_reference(r, &node);
    if (!name) return -1;
    if (strcmp(name, "ground") == 0) return 0;
    lm_factor f = {.kind = LM_FACTOR_FRAME, .frame = lm_find(r, &r->products, name, node.loc)};
    if (f.frame < 0) p->bad = 1;
    *LM_PUSH(r->arena, &p->out) = f;
    return 0;
}

static int factor(parser *p)
{
    char c = next(p);
    const char *start = p->c;
    if (c == '(') return nested(p);
    if (!isalpha((unsigned char)c) && c != '_')
        return fail(p, p->c, "a frame, rotx, roty, rotz, rot, disp or inv");
    while (isalnum((unsigned char)*p->c) || *p->c == '_') p->c++;
    const char *word = lm_arena_strn(&p->r->scratch, start, (size_t)(p->c - start));
    int call = next(p) == '(';
    if (call && strcmp(word, "inv") == 0) return inverse(p);
    if (strcmp(word, "external") == 0) {
        lm_error(
            p->r->diag, here(p, start),
            "'external' stands alone: give the frame a name in 'frames', 'hand: external', and "
            "use that");
        return -1;
    }
    for (size_t i = 0; call && i < sizeof functions / sizeof *functions; i++)
        if (strcmp(functions[i].name, word) == 0)
            return elementary(p, functions[i].name, functions[i].kind);
    return named(p, start, word);
}

static int product(parser *p)
{
    if (factor(p)) return -1;
    while (next(p) == '*') {
        p->c++;
        if (factor(p)) return -1;
    }
    return 0;
}

static int parse(lm_reader *r, const lm_yaml *node, lm_product *out)
{
    if (lm_read_want(r, node, LM_YAML_SCALAR,
                     "a product of frames, e.g. \"rotz(q0) * disp(L, 0, "
                     "0)\""))
        return -1;
    parser p = {.r = r, .text = node->text, .c = node->text, .loc = lm_yaml_text_loc(node)};
    if (product(&p)) return -1;
    if (next(&p)) return fail(&p, p.c, "'*' or the end");
    out->factors = p.out.at;
    out->nfactors = p.out.n;
    return p.bad ? -1 : 0;
}

/* --- named frames in an order in which each needs only earlier ones --- */

static int read_named(lm_reader *r, const lm_named *entry, void *item)
{
    int reserved = strcmp(entry->name, "ground") == 0 || strcmp(entry->name, "inv") == 0 ||
                   strcmp(entry->name, "external") == 0;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        reserved |= strcmp(functions[i].name, entry->name) == 0;
    if (reserved)
        lm_error(r->diag, entry->key->loc,
                 "a frame cannot be called '%s': that name has a meaning "
                 "in products",
                 entry->name);
    int external = reserved ? 0 : lm_read_external(r, entry->name, entry->value, item);
    if (external) return external > 0 ? 0 : -1;
    return parse(r, entry->value, item) || reserved ? -1 : 0;
}

static void report_cycle(lm_reader *r, const int *path, int n, int i)
{
    const char *text = "";
    int from = n - 1;
    while (path[from] != i) from--;
    for (int k = from; k < n && k < from + 20; k++)
        text = lm_arena_printf(&r->scratch, "%s%s -> ", text, r->products.names.list.at[path[k]]);
    lm_error(r->diag, r->products.entries.at[i].key->loc,
             "frames depend on each other in a circle: %s%s%s", text,
             n - from > 20 ? "... -> " : "", r->products.names.list.at[i]);
}

/* Depth first with a stack of our own; see params.c. */
static void visit(lm_reader *r, const lm_product *raw, int start, char *state)
{
    LM_VEC(int) todo = {0}, path = {0};
    *LM_PUSH(&r->scratch, &todo) = start;
    while (todo.n) {
        int i = todo.at[--todo.n];
        if (i < 0) {
            path.n--;
            state[~i] = 2;
            r->product_at[~i] = r->spec->products.n;
            *LM_PUSH(r->arena, &r->spec->products) = raw[~i];
            continue;
        }
        if (state[i] == 1) report_cycle(r, path.at, path.n, i);
        if (state[i]) continue;
        state[i] = 1;
        *LM_PUSH(&r->scratch, &path) = i;
        *LM_PUSH(&r->scratch, &todo) = ~i;
        for (int k = raw[i].nfactors - 1; k >= 0; k--)
            if (raw[i].factors[k].kind == LM_FACTOR_FRAME && raw[i].factors[k].frame >= 0)
                *LM_PUSH(&r->scratch, &todo) = raw[i].factors[k].frame;
    }
}

static void renumber(lm_reader *r, lm_product *p)
{
    for (int k = 0; k < p->nfactors; k++)
        if (p->factors[k].kind == LM_FACTOR_FRAME && p->factors[k].frame >= 0)
            p->factors[k].frame = r->product_at[p->factors[k].frame];
}

void lm_read_products(lm_reader *r)
{
    int n = r->products.entries.n;
    LM_VEC(lm_product) raw;
    LM_READ_TABLE(r, &r->products, &raw, read_named);
    char *state = lm_arena_alloc(r->arena, (size_t)n + 1);
    r->product_at = LM_NEW_N(r->arena, int, n + 1);
    for (int i = 0; i < n; i++) {
        lm_scratch_trim(r);
        if (!state[i]) visit(r, raw.at, i, state);
    }
    for (int i = 0; i < r->spec->products.n; i++) renumber(r, &r->spec->products.at[i]);
}

int lm_read_product(lm_reader *r, const lm_yaml *node)
{
    lm_product p = {.item = {.loc = node->loc}};
    if (parse(r, node, &p)) return -1;
    renumber(r, &p);
    if (p.nfactors == 1 && p.factors[0].kind == LM_FACTOR_FRAME && !p.factors[0].inverse)
        return p.factors[0].frame;
    p.item.name = node->text;
    *LM_PUSH(r->arena, &r->spec->products) = p;
    return r->spec->products.n - 1;
}
