/* Instances of components: what was given for them, and their entries. */
#include "model/components.h"

#include <string.h>

void lm_push_part(lm_reader *r, int part, lm_yaml *key, lm_yaml *value)
{
    if (r->parts->entries[part].n / 2 >= LM_ENTITIES && !r->full) {
        r->full = 1;
        const lm_instance *in = key->owner;
        while (in && in->outer) in = in->outer;
        lm_error(r->diag, in ? in->loc : key->loc,
                 "the components used here stand for too many names; a model can have %d in all",
                 LM_ENTITIES);
    }
    if (r->full) return;
    *LM_PUSH(r->arena, &r->parts->entries[part]) = key;
    *LM_PUSH(r->arena, &r->parts->entries[part]) = value;
}

/* --- which component --- */

static void unknown_component(lm_reader *r, const lm_yaml *node)
{
    const lm_names *known = &r->parts->names;
    const char *const *names = (const char *const *)known->list.at;
    const char *hint = lm_suggest(r, node->text, names, known->list.n);
    if (!*hint)
        hint = known->list.n
                   ? lm_arena_printf(&r->scratch, " (components: %s)",
                                     lm_list_names(r, names, known->list.n))
                   : "; the model has no components: describe it under 'components', or include a "
                     "file that does, e.g. include: [library/motors.yaml]";
    if (!r->parts->broken)
        lm_error(r->diag, lm_yaml_text_loc(node), "unknown component '%s'%s",
                 lm_quoted(r, node->text), hint);
}

/* "dc -> axis -> dc" when the component is inside itself. */
static int contains_itself(lm_reader *r, lm_component *c, const lm_instance *outer,
                           const lm_yaml *node)
{
    const char *chain = c->name;
    int depth = 0, inside = 0;
    for (const lm_instance *o = outer; o && !inside; o = o->outer) {
        chain = lm_arena_printf(&r->scratch, "%s -> %s", o->component->name, chain);
        inside = o->component == c;
    }
    for (const lm_instance *o = outer; o; o = o->outer) depth++;
    if (!inside && depth < LM_NESTING) return 0;
    if (inside)
        lm_error(r->diag, lm_yaml_text_loc(node), "component '%s' contains itself: %s", c->name,
                 chain);
    else
        lm_error(r->diag, lm_yaml_text_loc(node), "components are nested more than %d levels deep",
                 LM_NESTING);
    c->bad = 1; /* once is enough */
    return 1;
}

static lm_component *find_component(lm_reader *r, const lm_yaml *value, const lm_instance *outer)
{
    lm_use_in in = {0};
    uint64_t given;
    if (lm_read_object(r, LM_OBJECT_USE, value, &in, &given)) return NULL;
    const lm_yaml *node = lm_yaml_get(value, "use", NULL);
    if (!in.component) {
        lm_error(r->diag, node->loc, "'use' in %s must be the name of a component, found %s",
                 lm_where_text(r), lm_found(r, node));
        return NULL;
    }
    int i = lm_names_find(&r->parts->names, in.component);
    if (i < 0) unknown_component(r, node);
    lm_component *c = i < 0 ? NULL : r->parts->components.at[i];
    if (!c || c->bad || contains_itself(r, c, outer, node)) return NULL;
    return c;
}

/* --- what was given --- */

static int can_be_given(const lm_local *l) { return l->kind <= LM_LOCAL_NAME; }

static void unknown_given(lm_reader *r, const lm_component *c, const lm_yaml *key)
{
    LM_VEC(const char *) list = {0};
    for (int i = 0; i < c->locals.n; i++)
        if (can_be_given(&c->locals.at[i]))
            *LM_PUSH(&r->scratch, &list) = c->local_names.list.at[i];
    const char *hint = lm_suggest(r, key->text, list.at, list.n);
    if (!*hint)
        hint = list.n ? lm_arena_printf(&r->scratch, " (component '%s' has %s)", c->name,
                                        lm_list_names(r, list.at, list.n))
                      : lm_arena_printf(&r->scratch, "; component '%s' takes nothing", c->name);
    lm_error(r->diag, key->loc, "unknown key '%s' in 'with' of %s%s", lm_quoted(r, key->text),
             lm_where_text(r), hint);
}

/* `with`: its values with the names of the model, by local. */
static int read_given(lm_reader *r, const lm_component *c, const lm_yaml *value,
                      const lm_naming *naming, const lm_yaml **given)
{
    const lm_yaml *map = lm_yaml_get(value, "with", NULL);
    int rc = 0;
    if (!map || lm_yaml_is_null(map)) return 0;
    r->key = "with";
    if (lm_read_want(r, map, LM_YAML_MAP, "a mapping of names to values {NAME: value}")) return -1;
    for (int i = 0; i < map->n; i++) {
        const lm_yaml *key = map->items[2 * i];
        int k = lm_names_find(&c->local_names, key->text);
        r->key = key->text;
        if (k < 0 || !can_be_given(&c->locals.at[k])) {
            unknown_given(r, c, key);
            rc = -1;
        } else if (lm_read_want(r, map->items[2 * i + 1], LM_YAML_SCALAR,
                                c->locals.at[k].kind == LM_LOCAL_NAME
                                    ? "a name"
                                    : "a number or an expression")) {
            rc = -1;
        } else {
            given[k] = lm_rename_node(r, naming, map->items[2 * i + 1]);
        }
    }
    return rc;
}

/* All that the model gives a name to; what stands in components is behind the name of an instance. */
static const lm_names *model_names(lm_reader *r)
{
    const lm_yaml *root = r->files.at[0].root;
    lm_names *all = &r->parts->model;
    int old;
    if (all->list.n) return all;
    lm_names_add(r->arena, all, "ground", &old);
    for (int i = 0; i < root->n; i++) {
        const lm_yaml *map = root->items[2 * i + 1];
        for (int k = 0; map->kind == LM_YAML_MAP && k < map->n; k++) {
            const char *key = map->items[2 * k]->text;
            key = lm_arena_strn(r->arena, key, lm_base_length(key));
            if (*key) lm_names_add(r->arena, all, key, &old);
        }
    }
    return all;
}

/* `names`: a slip is where it was given, not where the component uses it. */
static int check_names(lm_reader *r, const lm_component *c, const lm_yaml *const *given)
{
    int rc = 0;
    for (int i = 0; i < c->locals.n; i++) {
        if (c->locals.at[i].kind != LM_LOCAL_NAME || !given[i]) continue;
        const char *name = given[i]->text;
        const lm_names *all = model_names(r);
        if (lm_names_find(all, lm_arena_strn(&r->scratch, name, lm_base_length(name))) >= 0)
            continue;
        lm_error(r->diag, lm_yaml_text_loc(given[i]),
                 "'%s', given for the name '%s' of component '%s', is nothing of the model%s",
                 lm_quoted(r, name), c->local_names.list.at[i], c->name,
                 lm_suggest(r, name, (const char *const *)all->list.at, all->list.n));
        rc = -1;
    }
    return rc;
}

static int check_missing(lm_reader *r, const lm_component *c, const lm_yaml *const *given)
{
    static const char *const words[] = {"parameter", "input", "name"};
    int rc = 0;
    for (int i = 0; i < c->locals.n; i++) {
        const lm_local *l = &c->locals.at[i];
        const char *name = c->local_names.list.at[i];
        if (given[i] || !can_be_given(l) || (l->value && !lm_yaml_is_null(l->value))) continue;
        lm_error(r->diag, r->where->loc,
                 "%s needs the %s '%s' of component '%s': write 'with: {%s: ...}'",
                 lm_where_text(r), words[l->kind], name, c->name, name);
        rc = -1;
    }
    return rc;
}

static void add_input(lm_reader *r, const lm_instance *in, const lm_yaml *key, const lm_yaml *node)
{
    lm_yaml *items[] = {lm_part_scalar(r, "type", key->loc), lm_part_scalar(r, "signal", key->loc),
                        lm_part_scalar(r, "value", key->loc), (lm_yaml *)node};
    lm_push_part(r, LM_PART_BLOCKS, lm_part_key(r, in, key), lm_part_map(r, items, 2, node->loc));
}

/* Names first: defaults may contain them. */
static void set_values(lm_reader *r, const lm_instance *in, const lm_yaml *const *given)
{
    const lm_component *c = in->component;
    const lm_naming naming = {in, NULL};
    for (int i = 0; i < c->locals.n; i++)
        if (c->locals.at[i].kind == LM_LOCAL_NAME) in->given[i] = given[i]->text;
    for (int i = 0; i < c->locals.n; i++) {
        const lm_local *l = &c->locals.at[i];
        if (l->kind != LM_LOCAL_PARAMETER && l->kind != LM_LOCAL_INPUT) continue;
        const lm_yaml *node = given[i] ? given[i] : lm_rename_node(r, &naming, l->value);
        const char *name = lm_arena_printf(r->arena, "%s.%s", in->name, l->key->text);
        if (l->kind == LM_LOCAL_INPUT)
            add_input(r, in, l->key, node);
        else
            lm_add_param(r, name, given[i] ? node->loc : l->key->loc, node);
    }
}

/* --- ports --- */

static void unknown_port(lm_reader *r, const lm_component *c, const lm_yaml *key)
{
    const char *const *names = (const char *const *)c->port_names.list.at;
    int n = c->port_names.list.n;
    const char *hint = lm_suggest(r, key->text, names, n);
    if (!*hint)
        hint = n ? lm_arena_printf(&r->scratch, " (component '%s' has %s)", c->name,
                                   lm_list_names(r, names, n))
                 : lm_arena_printf(&r->scratch, "; component '%s' has none", c->name);
    lm_error(r->diag, key->loc, "unknown port '%s' in %s%s", lm_quoted(r, key->text),
             lm_where_text(r), hint);
}

static int read_ports(lm_reader *r, const lm_instance *in, const lm_yaml *value,
                      const lm_naming *naming)
{
    const lm_yaml *map = lm_yaml_get(value, "ports", NULL);
    int rc = 0;
    if (!map || lm_yaml_is_null(map)) return 0;
    r->key = "ports";
    if (lm_read_want(r, map, LM_YAML_MAP, "a mapping of ports to what they are connected to"))
        return -1;
    for (int i = 0; i < map->n; i++) {
        const lm_yaml *key = map->items[2 * i];
        int port = lm_names_find(&in->component->port_names, key->text);
        if (port < 0) {
            unknown_port(r, in->component, key);
            rc = -1;
            continue;
        }
        lm_connection c = {in, port, lm_rename_node(r, naming, map->items[2 * i + 1])};
        *LM_PUSH(r->arena, &r->parts->connections) = c;
        in->connected[port] = 1;
    }
    return rc;
}

/* --- instances --- */

/* The instance for an entry of `uses`, without its entries; NULL after an error. */
static lm_instance *make_instance(lm_reader *r, const lm_named *entry, const lm_instance *outer)
{
    lm_component *c = find_component(r, entry->value, outer);
    if (!c) return NULL;
    const lm_naming naming = {outer, entry};
    lm_instance *in = LM_NEW(r->arena, lm_instance);
    const char *key = entry->key->text;
    *in =
        (lm_instance){.name = entry->name,
                      .label = outer ? lm_arena_printf(r->arena, "%s.%s", outer->label, key) : key,
                      .repeated = entry->pattern->repeated || (outer && outer->repeated),
                      .component = c,
                      .outer = outer,
                      .loc = entry->key->loc,
                      .pattern = entry->pattern,
                      .given = LM_NEW_N(r->arena, const char *, c->locals.n + 1),
                      .connected = LM_NEW_N(r->arena, int, c->ports.n + 1)};
    const lm_yaml **given = LM_NEW_N(r->arena, const lm_yaml *, c->locals.n + 1);
    int rc = read_given(r, c, entry->value, &naming, given);
    r->key = NULL;
    if (read_ports(r, in, entry->value, &naming)) rc = -1;
    r->key = NULL;
    if (check_missing(r, c, given) || check_names(r, c, given) || rc) return NULL;
    set_values(r, in, given);
    return in;
}

/* Values that were looked at for names count like those that are read. */
static int too_large(lm_reader *r, const lm_instance *in)
{
    if (r->full || r->work <= LM_WORK || !in) return r->full;
    lm_error(r->diag, in->loc,
             "the model is too large: repetition, aliases and components make more than %d values",
             LM_WORK);
    return r->full = 1;
}

static void use(lm_reader *r, int i, const lm_instance *outer)
{
    const lm_named entry = r->parts->uses.entries.at[i]; /* the list grows */
    lm_where where;
    if (lm_enter(r, &r->parts->uses, &entry, &where)) return;
    lm_instance *in = make_instance(r, &entry, outer);
    lm_leave(r, &entry, in ? 0 : -1);
    r->parts->instances.at[i] = in;
    for (int part = 0; in && part < LM_PARTS; part++) {
        const lm_yaml *map = lm_yaml_get(in->component->node, lm_part_names[part], NULL);
        if (map && map->kind == LM_YAML_MAP) lm_use_section(r, map, part, in);
    }
    if (in) too_large(r, in);
}

/* All entries of a key that uses a component. */
static void use_key(lm_reader *r, const lm_yaml *key, const lm_yaml *value, const lm_instance *in)
{
    lm_parts *parts = r->parts;
    int first = parts->uses.entries.n;
    parts->used = 1;
    lm_need_params(r, key->text);
    if (lm_expand_key(r, &parts->uses, key, value)) parts->uses.broken = 1;
    int last = parts->uses.entries.n;
    for (int i = first; i < last; i++) *LM_PUSH(r->arena, &parts->instances) = NULL;
    for (int i = first; i < last && !r->full; i++) use(r, i, in);
}

void lm_use_section(lm_reader *r, const lm_yaml *map, int part, const lm_instance *in)
{
    const lm_naming naming = {in, NULL};
    for (int i = 0; i < map->n && !too_large(r, in); i++) {
        lm_yaml *key = map->items[2 * i], *value = map->items[2 * i + 1];
        int uses = part != LM_PART_STATES && lm_yaml_get(value, "use", NULL) != NULL;
        if (in) key = lm_part_key(r, in, key);
        lm_scratch_trim(r);
        if (uses)
            use_key(r, key, value, in);
        else
            lm_push_part(r, part, key, in ? lm_rename_entry(r, &naming, part, value) : value);
    }
}
