/* Connections of ports: bonds to junctions and to ports of other instances, ports to joints. */
#include "model/components.h"

#include <string.h>

typedef struct wiring {
    lm_reader *r;
    lm_names junctions, joints; /* of the model, without indices; junctions: all of `power` */
    lm_names made;              /* pairs of ports that are connected */
} wiring;

typedef struct end { /* a port of an instance */
    const lm_instance *in;
    int port;
} end;

static const lm_local_port *port_of(end e) { return &e.in->component->ports.at[e.port]; }

static const char *end_name(lm_reader *r, end e)
{
    return lm_arena_printf(&r->scratch, "%s.%s", e.in->name, port_of(e)->key->text);
}

/* The last point of a name that is outside parentheses, or NULL. */
static const char *last_dot(const char *name)
{
    const char *dot = NULL;
    int depth = 0;
    for (const char *c = name; *c; c++) {
        depth += (*c == '(') - (*c == ')');
        if (*c == '.' && !depth) dot = c;
    }
    return dot;
}

static const char *base_of(lm_reader *r, const char *name)
{
    return lm_arena_strn(&r->scratch, name, lm_base_length(name));
}

static const lm_instance *find_instance(lm_reader *r, const char *name)
{
    int i = lm_names_find(&r->parts->uses.names, name);
    return i < 0 ? NULL : r->parts->instances.at[i];
}

/* --- where a port is --- */

/* The port of a part that the port is, when it is no junction. 1: it is; -1 after an error. */
static int inner_end(lm_reader *r, end e, const char *at, end *inner)
{
    lm_local_port *p = (lm_local_port *)port_of(e);
    const char *dot = last_dot(at);
    const char *part = lm_arena_strn(&r->scratch, at, (size_t)(dot - at));
    if (strcmp(part, e.in->name) == 0) return 0;
    inner->in = find_instance(r, part);
    if (!inner->in) return -1; /* what is wrong with it has been said */
    const lm_component *c = inner->in->component;
    inner->port = lm_names_find(&c->port_names, dot + 1);
    if (inner->port >= 0) return 1;
    for (int i = 0; i < c->ports.n; i++) inner->in->connected[i] = 1; /* which one is not known */
    if (p->bad) return -1;
    const char *const *names = (const char *const *)c->port_names.list.at;
    const char *hint = lm_suggest(r, dot + 1, names, c->port_names.list.n);
    lm_error(r->diag, p->at->loc,
             "port '%s' of component '%s' is at '%s', and component '%s' has no port '%s'%s",
             p->key->text, e.in->component->name, p->at->text, c->name, dot + 1, hint);
    p->bad = 1;
    return -1;
}

/* Name of the junction at which the port is, or NULL. *inner: the part's port on the way. */
static const char *junction_at(lm_reader *r, end e, end *inner)
{
    for (;;) {
        const lm_naming naming = {e.in, NULL};
        lm_yaml at = *port_of(e)->at;
        at.text = lm_rename(r, &naming, at.text);
        const char *name = lm_read_reference(r, &at);
        if (!name) return NULL;
        int nested = inner_end(r, e, name, &e);
        if (nested < 0) return NULL;
        if (!nested) return lm_arena_str(r->arena, name);
        if (inner) *inner = e;
        inner = NULL;
    }
}

/* --- entries --- */

/* The key of what connects a port: INSTANCE.PORT; where a junction has that name, with a suffix. */
static lm_yaml *wire_key(lm_reader *r, end e, const char *suffix)
{
    const lm_yaml *key = port_of(e)->key;
    if (lm_names_find(&e.in->component->local_names, key->text) < 0) {
        lm_yaml *own = lm_part_scalar(r, key->text, e.in->loc);
        own->owner = e.in;
        return own;
    }
    lm_instance *port = LM_NEW(r->arena, lm_instance);
    port->name = lm_arena_str(r->arena, end_name(r, e));
    lm_yaml *own = lm_part_scalar(r, suffix, e.in->loc);
    own->owner = port;
    return own;
}

static void add_bond(lm_reader *r, end e, lm_yaml *from, lm_yaml *to)
{
    lm_loc loc = e.in->loc;
    lm_yaml *items[] = {lm_part_scalar(r, "type", loc), lm_part_scalar(r, "bond", loc),
                        lm_part_scalar(r, "from", loc), from,
                        lm_part_scalar(r, "to", loc),   to};
    lm_push_part(r, LM_PART_POWER, wire_key(r, e, "bond"), lm_part_map(r, items, 3, loc));
}

/* A bond between the port and a junction. */
static void to_junction(lm_reader *r, end e, const lm_yaml *to)
{
    const char *name = junction_at(r, e, NULL);
    if (!name) return;
    lm_yaml *own = lm_part_scalar(r, name, to->loc), *other = (lm_yaml *)to;
    int out = port_of(e)->out;
    add_bond(r, e, out ? own : other, out ? other : own);
}

/* An element of type port with the keys given. */
static void to_mechanism(lm_reader *r, end e, lm_yaml *const *keys, int n, lm_loc loc)
{
    const char *name = junction_at(r, e, NULL);
    lm_yaml **items = LM_NEW_N(r->arena, lm_yaml *, 2 * n + 4);
    if (!name) return;
    items[0] = lm_part_scalar(r, "type", loc);
    items[1] = lm_part_scalar(r, "port", loc);
    items[2] = lm_part_scalar(r, "on", loc);
    items[3] = lm_part_scalar(r, name, loc);
    memcpy(items + 4, keys, sizeof *keys * 2 * (size_t)n);
    lm_push_part(r, LM_PART_POWER, wire_key(r, e, "port"), lm_part_map(r, items, n + 2, loc));
}

static void to_port(wiring *w, end a, end b, const lm_yaml *to)
{
    lm_reader *r = w->r;
    int old, out = port_of(a)->out;
    const char *first = end_name(r, a), *second = end_name(r, b);
    b.in->connected[b.port] = 1;
    if (out == port_of(b)->out) {
        lm_error(r->diag, lm_yaml_text_loc(to),
                 "ports '%s' and '%s' both have the direction '%s'; power goes from an 'out' port "
                 "to an 'in' port: connect them to a junction instead, or change one of the "
                 "components",
                 first, second, out ? "out" : "in");
        return;
    }
    const char *pair = out ? lm_arena_printf(r->arena, "%s %s", first, second)
                           : lm_arena_printf(r->arena, "%s %s", second, first);
    lm_names_add(r->arena, &w->made, pair, &old);
    if (old) return; /* both sides say it */
    const char *name[2] = {junction_at(r, a, NULL), junction_at(r, b, NULL)};
    if (!name[0] || !name[1]) return;
    lm_yaml *ends[2] = {lm_part_scalar(r, name[0], to->loc), lm_part_scalar(r, name[1], to->loc)};
    add_bond(r, a, ends[!out], ends[out]);
}

/* --- what a connection names --- */

static void not_found(wiring *w, end e, const lm_yaml *to, const char *name)
{
    lm_reader *r = w->r;
    const lm_names *uses = &r->parts->uses.names, *lists[] = {&w->junctions, &w->joints, uses};
    LM_VEC(const char *) all = {0};
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < lists[k]->list.n && all.n < LM_SUGGEST_MOST; i++)
            *LM_PUSH(&r->scratch, &all) = lists[k]->list.at[i];
    const char *dot = last_dot(name);
    const char *word =
        dot ? lm_arena_strn(&r->scratch, name, (size_t)(dot - name)) : base_of(r, name);
    if (r->parts->uses.broken || r->joints.broken) return;
    lm_error(r->diag, lm_yaml_text_loc(to),
             "port '%s' is connected to '%s', which is no junction, no joint and no port of "
             "another instance%s",
             end_name(r, e), lm_quoted(r, name), lm_suggest(r, word, all.at, all.n));
}

/* A name without points: a junction or a joint of the model. */
static void to_name(wiring *w, end e, const lm_yaml *to, const char *name)
{
    lm_reader *r = w->r;
    const char *base = base_of(r, name);
    int junction = lm_names_find(&w->junctions, base) >= 0;
    int joint = lm_names_find(&w->joints, base) >= 0;
    const lm_instance *other = find_instance(r, name);
    if (other) {
        const lm_names *ports = &other->component->port_names;
        lm_error(r->diag, lm_yaml_text_loc(to),
                 "port '%s' is connected to '%s', an instance of component '%s'; say which port "
                 "of it (%s)",
                 end_name(r, e), name, other->component->name,
                 lm_list_names(r, (const char *const *)ports->list.at, ports->list.n));
    } else if (junction && joint) {
        lm_error(r->diag, lm_yaml_text_loc(to),
                 "port '%s' is connected to '%s', which is a power element and a joint; rename one",
                 end_name(r, e), name);
    } else if (junction) {
        to_junction(r, e, to);
    } else if (joint) {
        lm_yaml *keys[] = {lm_part_scalar(r, "joint", to->loc), (lm_yaml *)to};
        to_mechanism(r, e, keys, 1, to->loc);
    } else {
        not_found(w, e, to, name);
    }
}

/* PART.NAME: a port of an instance, or something inside one (its own surroundings included). */
static void to_part(wiring *w, end e, const lm_yaml *to, const char *name)
{
    lm_reader *r = w->r;
    const char *dot = last_dot(name);
    const char *part = lm_arena_strn(&r->scratch, name, (size_t)(dot - name));
    const lm_instance *other = find_instance(r, part);
    if (!other) {
        if (lm_names_find(&r->parts->uses.names, part) < 0) not_found(w, e, to, name);
        return;
    }
    const lm_component *c = other->component;
    int local = lm_names_find(&c->local_names, base_of(r, dot + 1));
    int port = lm_names_find(&c->port_names, dot + 1);
    if (port >= 0 && other != e.in->outer) {
        to_port(w, e, (end){other, port}, to);
    } else if (local >= 0 && c->locals.at[local].kind == LM_LOCAL_POWER) {
        to_junction(r, e, to);
    } else {
        const char *const *names = (const char *const *)c->port_names.list.at;
        int n = c->port_names.list.n;
        const char *hint = lm_suggest(r, dot + 1, names, n);
        if (!*hint && n)
            hint = lm_arena_printf(&r->scratch, " (ports: %s)", lm_list_names(r, names, n));
        lm_error(r->diag, lm_yaml_text_loc(to), "'%s' (component '%s') has no port '%s'%s", part,
                 c->name, lm_quoted(r, dot + 1), hint);
    }
}

static void connect(wiring *w, const lm_connection *c)
{
    lm_reader *r = w->r;
    const end e = {c->from, c->port};
    const lm_yaml *to = c->to;
    if (to->kind == LM_YAML_MAP && to->n) {
        to_mechanism(r, e, to->items, to->n, to->loc);
        return;
    }
    r->key = port_of(e)->key->text;
    int rc = lm_read_want(r, to, LM_YAML_SCALAR,
                          "a junction, a joint, a port of another instance (NAME.PORT) or 'free'");
    r->key = NULL;
    if (rc || strcmp(to->text, "free") == 0) return;
    const char *name = lm_read_reference(r, to);
    if (!name) return;
    if (last_dot(name))
        to_part(w, e, to, name);
    else
        to_name(w, e, to, name);
}

/* --- all of them --- */

static void note_names(lm_reader *r, const char *section, lm_names *to)
{
    const lm_yaml *map = lm_yaml_get(r->files.at[0].root, section, NULL);
    for (int i = 0; map && map->kind == LM_YAML_MAP && i < map->n; i++) {
        const char *key = map->items[2 * i]->text;
        int old;
        if (!lm_yaml_get(map->items[2 * i + 1], "use", NULL))
            lm_names_add(r->arena, to, lm_arena_strn(r->arena, key, lm_base_length(key)), &old);
    }
}

/* A port of a part that is a port of the whole is connected there. */
static void hand_out(lm_reader *r, const lm_instance *in)
{
    for (int i = 0; i < in->component->ports.n; i++) {
        end inner = {0};
        if (junction_at(r, (end){in, i}, &inner) && inner.in) inner.in->connected[inner.port] = 1;
    }
}

static void check_connected(lm_reader *r, const lm_instance *in)
{
    for (int i = 0; i < in->component->ports.n; i++) {
        const char *port = in->component->port_names.list.at[i];
        if (in->connected[i] || in->pattern->bad) continue;
        lm_error(r->diag, in->loc,
                 "port '%s' of instance '%s' (component '%s') is not connected: write 'ports: {%s: "
                 "...}' with a junction, a joint or a port of another instance, or '%s: free'",
                 port, in->name, in->component->name, port, port);
        if (in->pattern->repeated) in->pattern->bad = 1; /* once for all of them */
    }
}

void lm_connect_parts(lm_reader *r)
{
    lm_parts *parts = r->parts;
    wiring w = {.r = r};
    int errors = r->diag->errors;
    note_names(r, "power", &w.junctions);
    note_names(r, "joints", &w.joints);
    for (int i = 0; i < parts->connections.n && !r->full; i++) {
        const lm_instance *in = parts->connections.at[i].from;
        lm_where where = {"instance", in->name, in->loc, NULL};
        lm_scratch_trim(r);
        r->where = &where;
        if (find_instance(r, in->name) == in) connect(&w, &parts->connections.at[i]);
        r->where = NULL;
    }
    for (int i = 0; i < parts->instances.n && !r->full; i++) {
        lm_scratch_trim(r);
        if (parts->instances.at[i]) hand_out(r, parts->instances.at[i]);
    }
    for (int i = 0; i < parts->instances.n && !r->full; i++)
        if (parts->instances.at[i]) check_connected(r, parts->instances.at[i]);
    if (r->diag->errors > errors) r->power.broken = 1; /* it lacks bonds */
}
