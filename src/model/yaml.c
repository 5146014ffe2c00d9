#include "model/yaml.h"

#include "model/names.h"

#include <stdio.h>
#include <string.h>
#include <yaml.h>

typedef LM_VEC(lm_yaml *) node_list;

typedef struct level { /* a list or map being read */
    lm_yaml *node;
    node_list children;
    int flow; /* written with [ ] or { } */
} level;

typedef struct builder {
    lm_arena *arena;
    lm_diag *diag;
    const char *file;
    level stack[LM_YAML_DEPTH];
    int depth;
    int nodes;
    lm_yaml *root;
    lm_names anchors;
    node_list anchored; /* node of each anchor */
} builder;

/* --- helpers that the reader uses too --- */

lm_yaml *lm_yaml_get(const lm_yaml *map, const char *name, lm_yaml **key)
{
    if (!map || map->kind != LM_YAML_MAP) return NULL;
    for (int i = 0; i < map->n; i++)
        if (strcmp(map->items[2 * i]->text, name) == 0) {
            if (key) *key = map->items[2 * i];
            return map->items[2 * i + 1];
        }
    return NULL;
}

int lm_yaml_is_null(const lm_yaml *node)
{
    if (node->kind != LM_YAML_SCALAR || node->quoted) return 0;
    const char *t = node->text;
    return !*t || !strcmp(t, "~") || !strcmp(t, "null") || !strcmp(t, "Null") || !strcmp(t, "NULL");
}

const char *lm_yaml_kind_text(const lm_yaml *node)
{
    static const char *const lists[] = {"an empty list", "a list of 1", "a list of 2",
                                        "a list of 3",   "a list of 4", "a list of 5",
                                        "a list of 6",   "a list of 7"};
    if (node->kind == LM_YAML_MAP) return "a mapping";
    if (node->kind == LM_YAML_LIST) return node->n < 8 ? lists[node->n] : "a long list";
    return lm_yaml_is_null(node) ? "nothing" : "a single value";
}

lm_loc lm_yaml_text_loc(const lm_yaml *scalar)
{
    lm_loc loc = scalar->loc;
    if (scalar->quoted) loc.col++;
    return loc;
}

void lm_yaml_parser_free(lm_yaml_parser *p)
{
    if (p->event) yaml_event_delete(p->event);
    if (p->parser) yaml_parser_delete(p->parser);
    p->event = p->parser = NULL;
}

/* --- building the tree --- */

static lm_loc at(const builder *b, yaml_mark_t mark)
{
    return (lm_loc){b->file, (int)mark.line + 1, (int)mark.column + 1};
}

static int too_deep(const builder *b, lm_loc loc)
{
    lm_error(b->diag, loc, "lists and mappings are nested deeper than %d levels here",
             LM_YAML_DEPTH);
    return -1;
}

static lm_yaml *new_node(builder *b, lm_yaml_kind kind, lm_loc loc)
{
    if (++b->nodes > LM_YAML_NODES) {
        lm_error(b->diag, loc,
                 "the file holds more than %d values; use repetition, e.g. "
                 "'link(k=1..N)', for long chains",
                 LM_YAML_NODES);
        return NULL;
    }
    lm_yaml *node = LM_NEW(b->arena, lm_yaml);
    node->kind = kind;
    node->loc = loc;
    node->size = 1;
    return node;
}

/* Put a node where it belongs: into the innermost open list or map. */
static int attach(builder *b, lm_yaml *node)
{
    if (b->depth + node->height > LM_YAML_DEPTH) return too_deep(b, node->loc);
    if (!b->depth) {
        b->root = node;
        return 0;
    }
    level *top = &b->stack[b->depth - 1];
    int is_key = top->node->kind == LM_YAML_MAP && top->children.n % 2 == 0;
    if (is_key && node->kind != LM_YAML_SCALAR) {
        lm_error(b->diag, node->loc,
                 "expected a key here, found %s (text with { } or [ ] in it "
                 "needs quotes)",
                 lm_yaml_kind_text(node));
        return -1;
    }
    *LM_PUSH(b->arena, &top->children) = node;
    return 0;
}

static void set_anchor(builder *b, const yaml_char_t *name, lm_yaml *node)
{
    if (!name) return;
    int old,
        i = lm_names_add(b->arena, &b->anchors, lm_arena_str(b->arena, (const char *)name), &old);
    if (!old) LM_PUSH(b->arena, &b->anchored);
    b->anchored.at[i] = node;
}

static int check_tag(builder *b, const yaml_char_t *tag, lm_loc loc)
{
    if (!tag || strncmp((const char *)tag, "tag:yaml.org,2002:", 18) == 0 ||
        strcmp((const char *)tag, "!") == 0)
        return 0;
    lm_error(b->diag, loc, "YAML tags such as '%.40s' mean nothing here; remove it%s",
             (const char *)tag,
             strncmp((const char *)tag, "!include", 8) ? ""
                                                       : " (write 'include: [file.yaml]' at "
                                                         "the top of the model)");
    return -1;
}

static int add_scalar(builder *b, const yaml_event_t *e)
{
    lm_loc loc = at(b, e->start_mark);
    if (check_tag(b, e->data.scalar.tag, loc)) return -1;
    lm_yaml *node = new_node(b, LM_YAML_SCALAR, loc);
    if (!node) return -1;
    node->quoted = e->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    node->text = lm_arena_strn(b->arena, (const char *)e->data.scalar.value, e->data.scalar.length);
    if (strlen(node->text) != e->data.scalar.length) {
        lm_error(b->diag, loc, "the text holds a NUL character (\\0)");
        return -1;
    }
    set_anchor(b, e->data.scalar.anchor, node);
    return attach(b, node);
}

static int add_alias(builder *b, const yaml_event_t *e)
{
    const char *name = (const char *)e->data.alias.anchor;
    lm_loc loc = at(b, e->start_mark);
    int i = lm_names_find(&b->anchors, name);
    if (i < 0) {
        lm_error(b->diag, loc,
                 "'*%.60s' is an alias, and no '&%.60s' stands before it (a text "
                 "that begins with * needs quotes)",
                 name, name);
        return -1;
    }
    if (b->anchored.at[i]->open) {
        lm_error(b->diag, loc, "alias '*%.60s' stands inside the value it refers to", name);
        return -1;
    }
    return attach(b, b->anchored.at[i]);
}

static int open_level(builder *b, const yaml_event_t *e)
{
    int map = e->type == YAML_MAPPING_START_EVENT;
    lm_loc loc = at(b, e->start_mark);
    if (b->depth == LM_YAML_DEPTH) return too_deep(b, loc);
    if (check_tag(b, map ? e->data.mapping_start.tag : e->data.sequence_start.tag, loc)) return -1;
    lm_yaml *node = new_node(b, map ? LM_YAML_MAP : LM_YAML_LIST, loc);
    if (!node) return -1;
    node->open = 1;
    set_anchor(b, map ? e->data.mapping_start.anchor : e->data.sequence_start.anchor, node);
    level *l = &b->stack[b->depth++];
    memset(l, 0, sizeof *l);
    l->node = node;
    l->flow = map ? e->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE
                  : e->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE;
    return 0;
}

/* --- closing a list or map: commas, merge keys, duplicates, sizes --- */

static int open_parentheses(const lm_yaml *node)
{
    if (node->kind != LM_YAML_SCALAR || node->quoted) return 0;
    int n = 0;
    for (const char *c = node->text; *c; c++) n += *c == '(' ? 1 : *c == ')' ? -1 : 0;
    return n;
}

/* In [ ] and { } a comma ends a value, so that f(1, 2) without quotes arrives in pieces: a plain
 * value with an open parenthesis, then pieces up to the one that closes it. Step is 1 in a list; in
 * a map the pieces are keys without value. */
static void find_commas(builder *b, level *l)
{
    int map = l->node->kind == LM_YAML_MAP, n = l->children.n, steps = 0;
    for (int i = map; i < n && steps < 100000; i += 1 + map) {
        int open = open_parentheses(l->children.at[i]);
        if (open <= 0) continue;
        char text[200];
        int len = snprintf(text, sizeof text, "%s", l->children.at[i]->text);
        int j = i + 1;
        for (; j < n && open > 0; j += 1 + map, steps++) {
            lm_yaml *piece = l->children.at[j];
            if (piece->kind != LM_YAML_SCALAR || (map && !lm_yaml_is_null(l->children.at[j + 1])))
                break;
            open += open_parentheses(piece);
            if (len < (int)sizeof text)
                len += snprintf(text + len, sizeof text - (size_t)len, ", %s", piece->text);
        }
        if (open != 0) continue;
        lm_loc loc = l->children.at[i]->loc;
        if (*text == '(')
            lm_error(b->diag, loc, "a list is written with [ ], not with ( )");
        else
            lm_error(b->diag, loc,
                     "inside %s a comma ends the value; put the text in quotes: \"%s\"",
                     map ? "{ }" : "[ ]", text);
        l->node->bad = 1;
        return;
    }
}

/* `<<: *base` or `<<: [*a, *b]`: their keys are added where the map has not got them. The merged
 * pairs come last, so the search for duplicates knows that they give way. */
static int merge_keys(builder *b, level *l, int *nown)
{
    node_list own = {0}, merged = {0};
    for (int i = 0; i < l->children.n; i += 2) {
        lm_yaml *key = l->children.at[i], *value = l->children.at[i + 1];
        if (key->quoted || strcmp(key->text, "<<") != 0) {
            *LM_PUSH(b->arena, &own) = key;
            *LM_PUSH(b->arena, &own) = value;
            continue;
        }
        lm_yaml *const *from = value->kind == LM_YAML_LIST ? value->items : &value;
        int n = value->kind == LM_YAML_LIST ? value->n : 1;
        for (int k = 0; k < n; k++) {
            if (from[k]->kind != LM_YAML_MAP) {
                lm_error(b->diag, key->loc, "'<<' merges a mapping (<<: *name), found %s",
                         lm_yaml_kind_text(from[k]));
                return -1;
            }
            for (int j = 0; j < 2 * from[k]->n; j++)
                *LM_PUSH(b->arena, &merged) = from[k]->items[j];
        }
    }
    *nown = own.n / 2;
    for (int j = 0; j < merged.n; j++) *LM_PUSH(b->arena, &own) = merged.at[j];
    l->children = own;
    return 0;
}

static int has_merge(const level *l)
{
    for (int i = 0; i < l->children.n; i += 2)
        if (!l->children.at[i]->quoted && strcmp(l->children.at[i]->text, "<<") == 0) return 1;
    return 0;
}

/* Index of an earlier pair with the same key, or -1. Few keys: compare; many: a table. */
static int same_key(builder *b, lm_names *table, lm_yaml **items, int n, const char *key)
{
    if (table) {
        int old, i = lm_names_add(b->arena, table, key, &old);
        return old ? i : -1;
    }
    for (int i = 0; i < n; i++)
        if (strcmp(items[2 * i]->text, key) == 0) return i;
    return -1;
}

static int drop_duplicates(builder *b, level *l)
{
    int pairs = l->children.n / 2, nown = pairs, kept = 0;
    if (has_merge(l) && merge_keys(b, l, &nown)) return -1;
    lm_names names = {0};
    lm_yaml **items = l->children.at;
    pairs = l->children.n / 2;
    for (int i = 0; i < pairs; i++) {
        lm_yaml *key = items[2 * i];
        int first = same_key(b, pairs > 12 ? &names : NULL, items, kept, key->text);
        if (first < 0) {
            items[2 * kept] = key;
            items[2 * kept++ + 1] = items[2 * i + 1];
        } else if (i < nown && !l->node->bad) {
            lm_error(b->diag, key->loc,
                     "'%.100s' stands twice in this mapping (first on line %d); "
                     "remove or rename one",
                     key->text, items[2 * first]->loc.line);
        }
    }
    l->children.n = 2 * kept;
    return 0;
}

static int close_level(builder *b)
{
    level *l = &b->stack[b->depth - 1];
    lm_yaml *node = l->node;
    if (l->flow) find_commas(b, l);
    if (node->kind == LM_YAML_MAP && drop_duplicates(b, l)) return -1;
    node->items = l->children.at;
    node->n = node->kind == LM_YAML_MAP ? l->children.n / 2 : l->children.n;
    long long size = 1;
    for (int i = 0; i < l->children.n; i++) {
        size += node->items[i]->size;
        if (node->items[i]->height >= node->height) node->height = node->items[i]->height + 1;
    }
    if (size > LM_YAML_EXPANDED) {
        lm_error(b->diag, node->loc, "the aliases (*name) in here expand to more than %d values",
                 LM_YAML_EXPANDED);
        return -1;
    }
    node->size = (int)size;
    node->open = 0;
    b->depth--;
    return attach(b, node);
}

/* 1: go on, 0: end of the stream, -1: error. */
static int handle(builder *b, const yaml_event_t *e)
{
    switch (e->type) {
    case YAML_SCALAR_EVENT: return add_scalar(b, e) ? -1 : 1;
    case YAML_ALIAS_EVENT: return add_alias(b, e) ? -1 : 1;
    case YAML_SEQUENCE_START_EVENT:
    case YAML_MAPPING_START_EVENT: return open_level(b, e) ? -1 : 1;
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT: return close_level(b) ? -1 : 1;
    case YAML_DOCUMENT_START_EVENT:
        if (!b->root) return 1;
        lm_error(b->diag, at(b, e->start_mark),
                 "a second document begins here; a model file holds one (remove the '---')");
        return -1;
    case YAML_STREAM_END_EVENT: return 0;
    default: return 1;
    }
}

static void explain(builder *b, const yaml_parser_t *p, const char *text, size_t size)
{
    yaml_mark_t began = p->context && *p->context ? p->context_mark : p->problem_mark;
    lm_yaml_explain(b->diag, at(b, p->problem_mark), p->problem ? p->problem : "unreadable",
                    p->context ? p->context : "", at(b, began), text, size, p->problem_mark.index);
}

lm_yaml *lm_yaml_parse(lm_arena *arena, lm_diag *diag, lm_yaml_parser *live, const char *text,
                       size_t size, const char *file, int *memory)
{
    builder *b = LM_NEW(arena, builder);
    b->arena = arena;
    b->diag = diag;
    b->file = file;
    yaml_parser_t *parser = LM_NEW(arena, yaml_parser_t);
    yaml_event_t *event = LM_NEW(arena, yaml_event_t);
    *memory = !yaml_parser_initialize(parser);
    if (*memory) return NULL;
    live->parser = parser;
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(parser, (const unsigned char *)text, size);
    int more = 1;
    while (more > 0) {
        if (!yaml_parser_parse(parser, event)) {
            *memory = parser->error == YAML_MEMORY_ERROR;
            if (!*memory) explain(b, parser, text, size);
            more = -1;
            break;
        }
        live->event = event;
        more = handle(b, event);
        yaml_event_delete(event);
        live->event = NULL;
    }
    lm_yaml_parser_free(live);
    return more < 0 ? NULL : b->root;
}
