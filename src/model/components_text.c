/* Copies of trees in which names of a component are replaced. */
#include "model/components.h"

#include <ctype.h>
#include <string.h>

typedef LM_VEC(char) text;

static void append(lm_reader *r, text *to, const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++) *LM_PUSH(r->arena, to) = s[i];
}

/* Does the word at c name a member, as in m1.R? After the dots of a range, 1..N, it does not. */
static int is_member(const char *begin, const char *c)
{
    while (c > begin && c[-1] == ' ') c--;
    return c > begin && c[-1] == '.' && !(c - 1 > begin && c[-2] == '.');
}

/* power(x) is the sensor even where something is called power. */
static int is_call(const char *word, const char *after)
{
    while (*after == ' ') after++;
    if (*after != '(' && *after != '.') return 0;
    return lm_sensor_is(word) || (*after == '(' && lm_is_builtin(word));
}

/* What a word stands for, or NULL. */
static const char *meaning(lm_reader *r, const lm_naming *naming, const char *word)
{
    const lm_named *e = naming->entry;
    const lm_instance *in = naming->in;
    for (int i = 0; e && i < e->nindex; i++)
        if (e->pattern->var[i] && strcmp(e->pattern->var[i], word) == 0)
            return lm_arena_printf(&r->scratch, e->index[i] < 0 ? "(%d)" : "%d", e->index[i]);
    int i = in ? lm_names_find(&in->component->local_names, word) : -1;
    if (i < 0) return NULL;
    if (in->given[i]) return in->given[i];
    return lm_arena_printf(&r->scratch, "%s.%s", in->name, word);
}

/* The word or the one other character at c, *n long: what stands for it, or NULL. */
static const char *replacement(lm_reader *r, const lm_naming *naming, const char *begin,
                               const char *c, size_t *n)
{
    *n = 0;
    while (isalnum((unsigned char)c[*n]) || c[*n] == '_') ++*n;
    if (!*n) {
        *n = 1;
        return NULL;
    }
    const char *word = lm_arena_strn(&r->scratch, c, *n);
    if (isdigit((unsigned char)*c) || is_member(begin, c) || is_call(word, c + *n)) return NULL;
    return meaning(r, naming, word);
}

const char *lm_rename(lm_reader *r, const lm_naming *naming, const char *from)
{
    text to = {0};
    const char *done = from;
    size_t n;
    for (const char *c = from; *c; c += n) {
        const char *put = replacement(r, naming, from, c, &n);
        if (!put) continue;
        append(r, &to, done, (size_t)(c - done));
        append(r, &to, put, strlen(put));
        done = c + n;
    }
    if (done == from) return from;
    append(r, &to, done, strlen(done) + 1);
    return to.at;
}

/* Where in the text as written the character stands that is at `offset` after renaming. */
static int written_offset(lm_reader *r, const lm_yaml *node, int offset)
{
    const lm_naming naming = {node->owner, NULL};
    const char *from = node->written, *c = from;
    size_t n, at = 0; /* in the new text */
    for (; *c; c += n) {
        const char *put = replacement(r, &naming, from, c, &n);
        size_t length = put ? strlen(put) : n;
        if (at + length > (size_t)offset) return (int)(c - from) + (put ? 0 : offset - (int)at);
        at += length;
    }
    return (int)(c - from);
}

void lm_place_back(lm_reader *r, const lm_yaml *node, int first)
{
    lm_loc start = lm_yaml_text_loc(node);
    for (int i = first; node->written && i < r->diag->list.n; i++) {
        lm_loc *loc = &r->diag->list.at[i].loc;
        if (loc->line != start.line || loc->col < start.col) continue;
        loc->col = start.col + written_offset(r, node, loc->col - start.col);
    }
}

lm_yaml *lm_rename_node(lm_reader *r, const lm_naming *naming, const lm_yaml *node)
{
    lm_yaml *same = (lm_yaml *)node, copy = *node, **items = NULL;
    int n = node->kind == LM_YAML_MAP ? 2 * node->n : node->n;
    if (++r->work > LM_WORK) return same; /* lm_use_section stops */
    copy.cache = NULL;
    if (node->kind == LM_YAML_SCALAR) {
        copy.text = lm_rename(r, naming, node->text);
        copy.owner = naming->in;
        copy.written = naming->in ? node->text : NULL;
        return copy.text == node->text ? same : lm_arena_copy(r->arena, &copy, sizeof copy);
    }
    for (int i = node->kind == LM_YAML_MAP; i < n; i += node->kind == LM_YAML_MAP ? 2 : 1) {
        lm_yaml *item = lm_rename_node(r, naming, node->items[i]);
        if (item == node->items[i]) continue;
        if (!items) items = lm_arena_copy(r->arena, node->items, sizeof *items * (size_t)n);
        items[i] = item;
    }
    copy.items = items;
    return items ? lm_arena_copy(r->arena, &copy, sizeof copy) : same;
}

/* `type: R` is no name, nor is `force: x`. */
static int is_word(const lm_object *o, const char *key, const lm_yaml *value)
{
    const lm_key *row = lm_schema_key(o, key, -1);
    int axis = row && (row->kind == LM_KIND_DIRECTION || row->kind == LM_KIND_AXIS);
    return row &&
           (row->kind == LM_KIND_ENUM || row->kind == LM_KIND_BOOL || row->kind == LM_KIND_TEXT ||
            row->kind == LM_KIND_FILE_PATH || (axis && value->kind == LM_YAML_SCALAR));
}

lm_yaml *lm_rename_entry(lm_reader *r, const lm_naming *naming, int part, const lm_yaml *value)
{
    const lm_object *model = lm_schema_object(LM_OBJECT_MODEL);
    const lm_object *o = lm_schema_object(lm_schema_key(model, lm_part_names[part], -1)->object);
    if (value->kind != LM_YAML_MAP) return (lm_yaml *)value;
    lm_yaml copy = *value;
    copy.cache = NULL;
    copy.items = LM_NEW_N(r->arena, lm_yaml *, 2 * value->n);
    for (int i = 0; i < value->n; i++) {
        const lm_yaml *key = value->items[2 * i], *old = value->items[2 * i + 1];
        copy.items[2 * i] = value->items[2 * i];
        copy.items[2 * i + 1] =
            is_word(o, key->text, old) ? (lm_yaml *)old : lm_rename_node(r, naming, old);
    }
    return lm_arena_copy(r->arena, &copy, sizeof copy);
}

/* --- new nodes --- */

lm_yaml *lm_part_scalar(lm_reader *r, const char *s, lm_loc loc)
{
    lm_yaml node = {.kind = LM_YAML_SCALAR, .loc = loc, .text = s, .size = 1};
    return lm_arena_copy(r->arena, &node, sizeof node);
}

lm_yaml *lm_part_map(lm_reader *r, lm_yaml *const *items, int n, lm_loc loc)
{
    lm_yaml node = {.kind = LM_YAML_MAP, .loc = loc, .n = n, .height = 1, .size = 1 + 2 * n};
    node.items = lm_arena_copy(r->arena, items, sizeof *items * 2 * (size_t)n);
    return lm_arena_copy(r->arena, &node, sizeof node);
}

size_t lm_base_length(const char *name)
{
    size_t n = 0;
    while (isalnum((unsigned char)name[n]) || name[n] == '_') n++;
    return n;
}

lm_yaml *lm_part_key(lm_reader *r, const lm_instance *in, const lm_yaml *key)
{
    lm_yaml copy = *key;
    const lm_naming naming = {in, NULL};
    size_t n = lm_base_length(key->text);
    const char *indices = lm_rename(r, &naming, key->text + n);
    copy.owner = in;
    if (indices != key->text + n)
        copy.text = lm_arena_printf(r->arena, "%.*s%s", (int)n, key->text, indices);
    return lm_arena_copy(r->arena, &copy, sizeof copy);
}
