/* Components as described in the model and the files that it includes. */
#include "model/components.h"

#include <string.h>

const char *const lm_part_names[LM_PARTS] = {"power", "blocks", "states"};

static const char *const nouns[] = {
    [LM_LOCAL_PARAMETER] = "a parameter", [LM_LOCAL_INPUT] = "an input",
    [LM_LOCAL_NAME] = "a name",           [LM_LOCAL_POWER] = "a power element",
    [LM_LOCAL_BLOCK] = "a block",         [LM_LOCAL_STATE] = "a state",
};

/* --- names inside a component --- */

/* Why it cannot be called so; NULL: it can. */
static const char *reserved(const char *name)
{
    static const char *const law[] = {"e", "f", "q", "p"};
    if (lm_is_builtin(name) || strcmp(name, "dt") == 0) return "has a meaning in expressions";
    for (int i = 0; i < 4; i++)
        if (strcmp(name, law[i]) == 0)
            return "is the effort, flow, displacement or momentum in the law of an element";
    return NULL;
}

static void add_local(lm_reader *r, lm_component *c, const lm_yaml *key, const char *name,
                      lm_local local)
{
    int old, i = lm_names_add(r->arena, &c->local_names, name, &old);
    const char *why = reserved(name);
    if (!lm_is_name(name, strlen(name)))
        lm_error(r->diag, key->loc,
                 "'%s' cannot be the name of %s: names are made of letters, digits and _, and do "
                 "not begin with a digit",
                 lm_quoted(r, key->text), nouns[local.kind]);
    else if (why)
        lm_error(r->diag, key->loc, "%s of component '%s' cannot be called '%s': that name %s",
                 nouns[local.kind], c->name, name, why);
    else if (old && local.kind == LM_LOCAL_NAME && c->locals.at[i].kind == LM_LOCAL_NAME)
        lm_error(r->diag, key->loc, "'%s' stands twice in 'names' of component '%s'", name,
                 c->name);
    else if (old && c->locals.at[i].kind != local.kind)
        lm_error(r->diag, key->loc,
                 "'%s' is %s of component '%s' and also %s of it (line %d); rename one of them",
                 name, nouns[local.kind], c->name, nouns[c->locals.at[i].kind],
                 c->locals.at[i].key->loc.line);
    local.key = key;
    if (!old) *LM_PUSH(r->arena, &c->locals) = local;
}

/* The value of a key that is a mapping, or NULL. */
static const lm_yaml *mapping(lm_reader *r, lm_component *c, const char *key, const char *what)
{
    const lm_yaml *map = lm_yaml_get(c->node, key, NULL);
    if (!map || lm_yaml_is_null(map)) return NULL;
    r->key = key;
    int rc = lm_read_want(r, map, LM_YAML_MAP, what);
    r->key = NULL;
    if (rc) c->bad = 1;
    return rc ? NULL : map;
}

static void add_defaults(lm_reader *r, lm_component *c, const char *section, lm_local_kind kind)
{
    const lm_yaml *map = mapping(r, c, section, "a mapping of names to values (NAME: value)");
    for (int i = 0; map && i < map->n; i++) {
        const lm_yaml *key = map->items[2 * i], *value = map->items[2 * i + 1];
        r->key = key->text;
        if (!lm_yaml_is_null(value) &&
            lm_read_want(r, value, LM_YAML_SCALAR, "a number or an expression"))
            c->bad = 1;
        r->key = NULL;
        add_local(r, c, key, key->text, (lm_local){.kind = kind, .value = value});
    }
}

static void add_names(lm_reader *r, lm_component *c)
{
    const lm_yaml *list = lm_yaml_get(c->node, "names", NULL);
    if (!list || lm_yaml_is_null(list)) return;
    r->key = "names";
    if (lm_read_want(r, list, LM_YAML_LIST, "a list of names [a, b]")) c->bad = 1;
    for (int i = 0; !c->bad && i < list->n; i++) {
        r->key = "names";
        if (lm_read_want(r, list->items[i], LM_YAML_SCALAR, "a list of names [a, b]"))
            c->bad = 1;
        else
            add_local(r, c, list->items[i], list->items[i]->text, (lm_local){LM_LOCAL_NAME, 0, 0});
    }
    r->key = NULL;
}

static void add_entries(lm_reader *r, lm_component *c, int part)
{
    const lm_yaml *map =
        mapping(r, c, lm_part_names[part], "a mapping of names to entries (NAME: {...})");
    for (int i = 0; map && i < map->n; i++) {
        const lm_yaml *key = map->items[2 * i];
        const char *base = lm_arena_strn(r->arena, key->text, lm_base_length(key->text));
        lm_local local = {.kind = LM_LOCAL_POWER + part, .value = map->items[2 * i + 1]};
        if (*base) add_local(r, c, key, base, local);
    }
}

/* --- ports --- */

/* A port stands at a junction of the component, or is a port of a component used in it. */
static int stands_somewhere(const lm_component *c, const char *at)
{
    size_t n = lm_base_length(at);
    char base[200];
    if (!n || n >= sizeof base) return 0;
    memcpy(base, at, n);
    base[n] = 0;
    int i = lm_names_find(&c->local_names, base);
    if (i < 0 || c->locals.at[i].kind != LM_LOCAL_POWER) return 0;
    const lm_yaml *type = lm_yaml_get(c->locals.at[i].value, "type", NULL);
    const char *dot = strrchr(at, '.');
    if (dot && strchr(dot, ')')) dot = NULL;
    if (lm_yaml_get(c->locals.at[i].value, "use", NULL)) return dot != NULL;
    return !dot && type && type->kind == LM_YAML_SCALAR &&
           (strcmp(type->text, "0") == 0 || strcmp(type->text, "1") == 0);
}

static const char *const *junctions(lm_reader *r, const lm_component *c, int *n)
{
    LM_VEC(const char *) list = {0};
    for (int i = 0; i < c->locals.n; i++)
        if (stands_somewhere(c, c->local_names.list.at[i]))
            *LM_PUSH(&r->scratch, &list) = c->local_names.list.at[i];
    *n = list.n;
    return list.at;
}

static void check_port(lm_reader *r, const lm_component *c, const lm_local_port *p)
{
    int n, local = lm_names_find(&c->local_names, p->key->text);
    const char *name = lm_quoted(r, p->key->text);
    if (!lm_is_name(p->key->text, strlen(p->key->text))) {
        lm_error(r->diag, p->key->loc,
                 "'%s' cannot be the name of a port: names are made of letters, digits and _, and "
                 "do not begin with a digit",
                 name);
    } else if (!stands_somewhere(c, p->at->text)) {
        const char *const *names = junctions(r, c, &n);
        const char *hint = lm_suggest(r, p->at->text, names, n);
        if (!*hint)
            hint = n ? lm_arena_printf(&r->scratch, " (junctions: %s)", lm_list_names(r, names, n))
                     : "; add one to its 'power', e.g. shaft: {type: 1}";
        lm_error(r->diag, p->at->loc,
                 "port '%s' of component '%s' is at '%s', which is no junction of the component%s",
                 name, c->name, lm_quoted(r, p->at->text), hint);
    } else if (local >= 0 && strcmp(p->at->text, p->key->text) != 0) {
        lm_error(r->diag, p->key->loc, "'%s' is a port and also %s of component '%s'; rename one",
                 name, nouns[c->locals.at[local].kind], c->name);
    }
}

static void add_port(lm_reader *r, lm_component *c, const lm_yaml *key, const lm_yaml *value)
{
    lm_local_port p = {.key = key, .at = value, .out = 1};
    lm_port_in in = {0};
    uint64_t given;
    lm_where where = {"port", key->text, key->loc, r->where};
    if (value->kind == LM_YAML_MAP) {
        r->where = &where;
        int rc = lm_read_object(r, LM_OBJECT_COMPONENT_PORT, value, &in, &given);
        r->where = where.outer;
        p.at = lm_yaml_get(value, "at", NULL);
        p.out = in.out;
        if (rc || !in.at) return;
    } else {
        r->key = key->text;
        int rc = lm_read_want(r, value, LM_YAML_SCALAR, "a junction of the component");
        r->key = NULL;
        if (rc) return;
    }
    int old;
    lm_names_add(r->arena, &c->port_names, key->text, &old);
    *LM_PUSH(r->arena, &c->ports) = p;
    check_port(r, c, &p);
}

/* --- components --- */

static void describe(lm_reader *r, lm_component *c)
{
    lm_document unused = {0};
    uint64_t given;
    int errors = r->diag->errors;
    lm_where where = {"component", c->name, c->loc, NULL};
    r->where = &where;
    if (lm_read_object(r, LM_OBJECT_COMPONENT, c->node, &unused, &given) == 0) {
        add_defaults(r, c, "parameters", LM_LOCAL_PARAMETER);
        add_defaults(r, c, "inputs", LM_LOCAL_INPUT);
        add_names(r, c);
        for (int part = 0; part < LM_PARTS; part++) add_entries(r, c, part);
        const lm_yaml *ports = mapping(r, c, "ports", "a mapping of names to junctions");
        for (int i = 0; ports && i < ports->n; i++)
            add_port(r, c, ports->items[2 * i], ports->items[2 * i + 1]);
    }
    r->where = NULL;
    if (r->diag->errors > errors) c->bad = 1;
}

/* Between files the model's own is the one to rename. */
static void defined_twice(lm_reader *r, lm_component *c, const lm_yaml *key)
{
    c->bad = 1;
    if (strcmp(c->loc.file, key->loc.file) == 0)
        lm_error(r->diag, key->loc, "component '%s' is defined twice (first at line %d)", key->text,
                 c->loc.line);
    else
        lm_error(r->diag, c->loc,
                 "component '%s' is defined in %s:%d too, which is included; give it another name",
                 key->text, key->loc.file, key->loc.line);
}

static void add_component(lm_reader *r, const lm_yaml *key, const lm_yaml *value)
{
    lm_parts *parts = r->parts;
    lm_scratch_trim(r);
    if (!lm_is_name(key->text, strlen(key->text))) {
        lm_error(r->diag, key->loc,
                 "'%s' cannot be the name of a component: names are made of letters, digits and _, "
                 "and do not begin with a digit",
                 lm_quoted(r, key->text));
        parts->broken = 1;
        return;
    }
    int old, i = lm_names_add(r->arena, &parts->names, key->text, &old);
    if (old) {
        defined_twice(r, parts->components.at[i], key);
        return;
    }
    lm_component *c = LM_NEW(r->arena, lm_component);
    *c = (lm_component){.name = key->text, .loc = key->loc, .node = value};
    *LM_PUSH(r->arena, &parts->components) = c;
    describe(r, c);
}

static void read_components(lm_reader *r, const lm_yaml *root)
{
    const lm_yaml *map = lm_yaml_get(root, "components", NULL);
    if (!map || lm_yaml_is_null(map)) return;
    r->key = "components";
    int rc = lm_read_want(r, map, LM_YAML_MAP, "a mapping of names to components (NAME: {...})");
    r->key = NULL;
    if (rc) r->parts->broken = 1;
    for (int i = 0; !rc && i < map->n; i++)
        add_component(r, map->items[2 * i], map->items[2 * i + 1]);
}

/* --- the model with all components put in --- */

static void set_section(lm_reader *r, lm_yaml *root, int part)
{
    lm_parts *parts = r->parts;
    lm_yaml *key = NULL, *old = lm_yaml_get(root, lm_part_names[part], &key);
    if (old && (old->bad || (old->kind != LM_YAML_MAP && !lm_yaml_is_null(old))))
        return; /* an error already */
    lm_yaml *map = lm_part_map(r, parts->entries[part].at, parts->entries[part].n / 2,
                               old ? old->loc : root->loc);
    for (int i = 0; i < root->n; i++)
        if (root->items[2 * i] == key) root->items[2 * i + 1] = map;
    if (key || !map->n) return;
    lm_yaml **items = LM_NEW_N(r->arena, lm_yaml *, 2 * root->n + 2);
    memcpy(items, root->items, sizeof *items * 2 * (size_t)root->n);
    items[2 * root->n] = lm_part_scalar(r, lm_part_names[part], root->loc);
    items[2 * root->n++ + 1] = map;
    root->items = items;
}

/* Names of an instance that could not be made are missing: that has been said. */
static void forgive(lm_reader *r)
{
    int bad = r->parts->uses.broken;
    for (int i = 0; i < r->parts->instances.n; i++) bad |= !r->parts->instances.at[i];
    if (!bad) return;
    r->params_broken = r->power.broken = r->blocks.broken = r->states.broken = 1;
}

void lm_use_components(lm_reader *r)
{
    lm_yaml *root = r->files.at[0].root;
    lm_parts *parts = r->parts = LM_NEW(r->arena, lm_parts);
    parts->uses.noun = "instance";
    parts->uses.plural = "instances";
    parts->broken = r->sections.broken; /* an include could not be read */
    for (int i = 0; i < r->files.n; i++)
        if (r->files.at[i].root) read_components(r, r->files.at[i].root);
    for (int part = 0; part < LM_PARTS; part++) {
        const lm_yaml *map = lm_yaml_get(root, lm_part_names[part], NULL);
        if (map && map->kind == LM_YAML_MAP && !map->bad) lm_use_section(r, map, part, NULL);
    }
    forgive(r);
    lm_finish_params(r);
    if (!parts->used) return;
    lm_connect_parts(r);
    for (int part = 0; part < LM_PARTS; part++) set_section(r, root, part);
}
