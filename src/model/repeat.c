/* Names of a section with repetition: link(k=1..N), cell(i=1..N)(j=1..i), pin(3). */
#include "model/components.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct group {      /* one pair of parentheses */
    const char *low, *high; /* texts; high NULL: a single index */
    int low_at, high_at;    /* offsets in the key */
} group;

typedef struct expansion {
    lm_reader *r;
    lm_table *table;
    const lm_yaml *key, *value;
    lm_key_pattern *pattern;
    group groups[LM_INDICES];
    int count; /* entries made */
} expansion;

static const char *skip_blanks(const char *c)
{
    while (*c == ' ' || *c == '\t') c++;
    return c;
}

static lm_loc loc_at(const lm_yaml *key, int offset)
{
    lm_loc loc = lm_yaml_text_loc(key);
    loc.col += offset;
    return loc;
}

static int bad_name(lm_reader *r, const lm_table *t, const lm_yaml *key)
{
    const char *a = lm_article(t->noun), *open = strchr(key->text, '(');
    size_t n = open ? (size_t)(open - key->text) : strlen(key->text);
    while (n && key->text[n - 1] == ' ') n--;
    lm_error(r->diag, key->loc,
             lm_is_name(key->text, n)
                 ? "'%s' is not the name of %s %s: after the name only indices can stand, e.g. "
                   "name(1) or name(k=1..N)"
                 : "'%s' cannot be the name of %s %s: names are made of letters, digits and _, and "
                   "do not begin with a digit",
             lm_quoted(r, key->text), a, t->noun);
    return -1;
}

/* --- reading the key --- */

/* End of the parenthesis that opens at c, or NULL. */
static const char *closing(const char *c)
{
    int depth = 0;
    for (; *c; c++) {
        if (*c == '(') depth++;
        if (*c == ')' && --depth == 0) return c;
    }
    return NULL;
}

static const char *find_dots(const char *c, const char *end)
{
    int depth = 0;
    for (; c + 1 < end; c++) {
        if (*c == '(') depth++;
        if (*c == ')') depth--;
        if (!depth && c[0] == '.' && c[1] == '.') return c;
    }
    return NULL;
}

static int check_index_name(lm_reader *r, const lm_key_pattern *p, const char *name, lm_loc loc)
{
    const char *why = NULL;
    for (int i = 0; i < p->nindex; i++)
        if (p->var[i] && strcmp(p->var[i], name) == 0) why = "is used twice in this name";
    for (const lm_named *e = r->entry; e; e = e->outer)
        for (int i = 0; i < e->pattern->nindex; i++)
            if (e->pattern->var[i] && strcmp(e->pattern->var[i], name) == 0)
                why = "is used around it already";
    if (lm_is_builtin(name)) why = "has a meaning in expressions";
    if (lm_names_find(&r->param_names, name) >= 0) why = "is also a parameter";
    if (lm_names_find(&r->coordinates.names, name) >= 0) why = "is also a coordinate";
    if (lm_names_find(&r->states.names, name) >= 0) why = "is also a state";
    if (!why) return 0;
    lm_error(r->diag, loc, "index '%s' %s; give the index another name", name, why);
    return -1;
}

/* The text between two parentheses: 'k=1..N' or an index. */
static int read_group(expansion *x, const char *text, const char *begin, const char *end)
{
    lm_reader *r = x->r;
    group *g = &x->groups[x->pattern->nindex];
    const char *c = skip_blanks(begin), *word = c;
    while (isalnum((unsigned char)*c) || *c == '_') c++;
    size_t len = (size_t)(c - word);
    c = skip_blanks(c);
    if (!len || *c != '=' || c[1] == '=') {
        g->low = lm_arena_strn(r->arena, begin, (size_t)(end - begin));
        g->low_at = (int)(begin - text);
        x->pattern->var[x->pattern->nindex++] = NULL;
        return 0;
    }
    const char *dots = find_dots(c + 1, end);
    const char *name = lm_arena_strn(r->arena, word, len);
    lm_loc loc = loc_at(x->key, (int)(word - text));
    if (!lm_is_name(name, len) || !dots) {
        lm_error(r->diag, loc, "expected an index with its range, e.g. k=1..N, found '%s'",
                 lm_quoted(r, lm_arena_strn(&r->scratch, begin, (size_t)(end - begin))));
        return -1;
    }
    if (check_index_name(r, x->pattern, name, loc)) return -1;
    g->low = lm_arena_strn(r->arena, c + 1, (size_t)(dots - c - 1));
    g->high = lm_arena_strn(r->arena, dots + 2, (size_t)(end - dots - 2));
    g->low_at = (int)(c + 1 - text);
    g->high_at = (int)(dots + 2 - text);
    x->pattern->var[x->pattern->nindex++] = name;
    x->pattern->repeated = 1;
    return 0;
}

/* The same key in the instances of a component that is used by repetition, m(k=1..6), is one
 * pattern: an error in it is reported once. */
static lm_key_pattern *new_pattern(lm_reader *r, const lm_yaml *key)
{
    const lm_instance *in = key->owner;
    if (!in || !in->repeated) return LM_NEW(r->arena, lm_key_pattern);
    const char *label = lm_arena_printf(r->arena, "%s.%s", in->label, key->text);
    int old, i = lm_names_add(r->arena, &r->parts->labels, label, &old);
    if (!old) *LM_PUSH(r->arena, &r->parts->patterns) = LM_NEW(r->arena, lm_key_pattern);
    lm_key_pattern *p = r->parts->patterns.at[i];
    *p = (lm_key_pattern){.bad = p->bad};
    return p;
}

static int read_pattern(expansion *x)
{
    lm_reader *r = x->r;
    const char *text = x->key->text, *c = text;
    while (isalnum((unsigned char)*c) || *c == '_') c++;
    if (!lm_is_name(text, (size_t)(c - text))) return bad_name(r, x->table, x->key);
    const lm_instance *in = x->key->owner;
    x->pattern->base = in ? lm_arena_printf(r->arena, "%s.%.*s", in->name, (int)(c - text), text)
                          : lm_arena_strn(r->arena, text, (size_t)(c - text));
    for (c = skip_blanks(c); *c; c = skip_blanks(c)) {
        const char *end = *c == '(' ? closing(c) : NULL;
        if (*c != '(') return bad_name(r, x->table, x->key);
        if (!end) {
            lm_error(r->diag, loc_at(x->key, (int)(c - text)), "this '(' is not closed");
            return -1;
        }
        if (x->pattern->nindex == LM_INDICES) {
            lm_error(r->diag, loc_at(x->key, (int)(c - text)), "a name has at most %d indices",
                     LM_INDICES);
            return -1;
        }
        if (read_group(x, text, c + 1, end)) return -1;
        c = end + 1;
    }
    return 0;
}

/* --- making the entries --- */

static int too_many(expansion *x, double count)
{
    lm_reader *r = x->r;
    r->full = 1;
    if (x->pattern->nindex < 2)
        lm_error(r->diag, x->key->loc, "'%s' stands for %s name%s; a model can have %d in all",
                 lm_quoted(r, x->key->text), lm_number_text(r, count), count == 1 ? "" : "s",
                 LM_ENTITIES);
    else
        lm_error(r->diag, x->key->loc, "'%s' stands for too many names; a model can have %d in all",
                 lm_quoted(r, x->key->text), LM_ENTITIES);
    return -1;
}

static int read_index(expansion *x, const char *text, int offset, double *out)
{
    lm_reader *r = x->r;
    double v;
    lm_loc loc = loc_at(x->key, offset);
    r->key = NULL;
    if (lm_read_constant(r, text, loc, NULL, &v)) return -1;
    if (!(fabs(v) <= 2e15) || fabs(v - round(v)) > 1e-9 * fmax(1, fabs(v))) {
        lm_error(r->diag, loc, "index '%s' is %s; it must be a whole number",
                 lm_quoted(r, skip_blanks(text)), lm_number_text(r, v));
        return -1;
    }
    *out = round(v);
    return 0;
}

static void note_family(lm_reader *r, lm_table *t, const lm_named *e)
{
    int old, i = lm_names_add(r->arena, &t->bases, e->pattern->base, &old);
    if (!old) LM_PUSH(r->arena, &t->families);
    lm_family *f = &t->families.at[i];
    if (!e->pattern->nindex) return;
    int k = e->index[0];
    if (!f->indexed || k < f->low) f->low = k;
    if (!f->indexed || k > f->high) f->high = k;
    f->indexed = e->pattern->nindex;
}

static void add_entry(expansion *x, const lm_named *e)
{
    lm_reader *r = x->r;
    char text[3 * 14 + 1] = "";
    int len = 0;
    for (int i = 0; i < e->nindex; i++)
        len += snprintf(text + len, sizeof text - (size_t)len, "(%d)", e->index[i]);
    const char *name =
        len ? lm_arena_printf(r->arena, "%s%s", e->pattern->base, text) : e->pattern->base;
    int old, i = lm_names_add(r->arena, &x->table->names, name, &old);
    x->count++;
    if (old) {
        const lm_yaml *first = x->table->entries.at[i].key;
        if (!e->pattern->bad)
            lm_error(r->diag, x->key->loc, "%s '%s' is defined twice (first at %s:%d)",
                     x->table->noun, name, first->loc.file, first->loc.line);
        e->pattern->bad = 1;
        return;
    }
    lm_named *entry = LM_PUSH(r->arena, &x->table->entries);
    *entry = *e;
    entry->name = name;
    note_family(r, x->table, entry);
}

/* The range of index number `level`; it may depend on those before it. */
static int read_range(expansion *x, lm_named *e, int level, double *low, double *high)
{
    const group *g = &x->groups[level];
    e->nindex = level;
    if (read_index(x, g->low, g->low_at, low)) return -1;
    *high = *low;
    if (g->high && read_index(x, g->high, g->high_at, high)) return -1;
    if (*high - *low >= LM_ENTITIES) return too_many(x, *high - *low + 1);
    if (fabs(*low) > 1e9) {
        lm_error(x->r->diag, x->key->loc, "index %s is too large (at most 1000000000)",
                 lm_number_text(x->r, *low));
        return -1;
    }
    if (!e->outer) lm_scratch_trim(x->r);
    return 0;
}

/* How many entries there will be, before any memory is used for them. */
static int count_entries(expansion *x, lm_named *e, int level, double *count)
{
    double low, high;
    if (level == x->pattern->nindex) {
        *count += 1;
        return 0;
    }
    if (read_range(x, e, level, &low, &high)) return -1;
    int n = (int)(high - low) + 1, last = level + 1 == x->pattern->nindex;
    if (last && n > 0) *count += n;
    for (int k = 0; !last && k < n && *count <= LM_ENTITIES; k++) {
        e->index[level] = (int)low + k;
        if (++x->r->work > LM_WORK) return too_many(x, n);
        if (count_entries(x, e, level + 1, count)) return -1;
    }
    return 0;
}

/* All values of the indices from number `level` on. */
static int make_entries(expansion *x, lm_named *e, int level)
{
    double low, high;
    if (level == x->pattern->nindex) {
        e->nindex = level;
        add_entry(x, e);
        return 0;
    }
    if (read_range(x, e, level, &low, &high)) return -1;
    for (int k = 0; k <= high - low; k++) {
        e->index[level] = (int)low + k;
        if (make_entries(x, e, level + 1)) return -1;
    }
    return 0;
}

static int expand(expansion *x, lm_named *e)
{
    lm_reader *r = x->r;
    double count = 0;
    if (count_entries(x, e, 0, &count)) return -1;
    if (r->entities + count > LM_ENTITIES) return too_many(x, count);
    r->entities += (int)count;
    return make_entries(x, e, 0);
}

int lm_expand_key(lm_reader *r, lm_table *table, const lm_yaml *key, const lm_yaml *value)
{
    expansion x = {.r = r, .table = table, .key = key, .value = value};
    x.pattern = new_pattern(r, key);
    if (read_pattern(&x)) return -1;
    lm_named e = {.key = key, .value = value, .pattern = x.pattern, .outer = r->entry};
    lm_where where = {table->noun, key->text, key->loc, r->where};
    r->entry = &e; /* later ranges may use earlier indices */
    r->where = &where;
    int rc = expand(&x, &e);
    r->entry = e.outer;
    r->where = where.outer;
    return rc;
}

void lm_expand(lm_reader *r, const lm_yaml *map, lm_table *table, const char *const *skip)
{
    for (int i = 0; i < map->n; i++) {
        const lm_yaml *key = map->items[2 * i];
        int skipped = 0;
        for (const char *const *s = skip; s && *s; s++) skipped |= strcmp(*s, key->text) == 0;
        if (!skipped && lm_expand_key(r, table, key, map->items[2 * i + 1])) table->broken = 1;
        if (r->full) table->broken = 1;
        if (r->full) break;
    }
}

void lm_expand_value(lm_reader *r, const lm_yaml *root, const char *section, lm_table *table)
{
    const lm_yaml *map = lm_yaml_get(root, section, NULL);
    if (!map || lm_yaml_is_null(map)) return;
    r->key = section;
    if (lm_read_want(r, map, LM_YAML_MAP,
                     lm_arena_printf(&r->scratch, "a mapping of names to %s (NAME: %s%s)",
                                     table->values ? table->values : table->plural,
                                     table->values ? "..." : "{...}",
                                     map->kind == LM_YAML_LIST ? ", without '-'" : "")))
        table->broken = 1;
    else
        lm_expand(r, map, table, NULL);
    r->key = NULL;
}
