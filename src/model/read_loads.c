/* Loads, force elements and the initial state. */
#include "model/reader.h"

#include <math.h>
#include <string.h>

/* --- loads and force elements --- */

static int read_load(lm_reader *r, const lm_named *entry, void *item)
{
    lm_spec_load *l = item;
    uint64_t given;
    int rc = lm_read_object(r, LM_OBJECT_LOAD, entry->value, l, &given);
    l->has_force = lm_read_given(LM_OBJECT_LOAD, given, "force", -1);
    l->has_torque = lm_read_given(LM_OBJECT_LOAD, given, "torque", -1);
    if (!l->has_force && !l->has_torque && !rc) {
        lm_error(r->diag, r->where->loc, "%s needs 'force' or 'torque' ([x, y, z])",
                 lm_where_text(r));
        rc = -1;
    }
    if (!rc && r->spec->frames.at[l->frame].body < 0) {
        lm_error(r->diag, r->where->loc, "%s acts on the ground, where it has no effect",
                 lm_where_text(r));
        rc = -1;
    }
    return rc;
}

static int read_force(lm_reader *r, const lm_named *entry, void *item)
{
    lm_spec_force *f = item;
    uint64_t given;
    f->length = NAN;
    if (lm_read_object(r, LM_OBJECT_FORCE, entry->value, f, &given)) return -1;
    if (lm_read_given(LM_OBJECT_FORCE, given, "stiffness", (int)f->type) ||
        lm_read_given(LM_OBJECT_FORCE, given, "damping", (int)f->type))
        return 0;
    lm_error(r->diag, r->where->loc, "%s needs 'stiffness' or 'damping'", lm_where_text(r));
    return -1;
}

void lm_read_loads(lm_reader *r) { LM_READ_TABLE(r, &r->loads, &r->spec->loads, read_load); }
void lm_read_forces(lm_reader *r) { LM_READ_TABLE(r, &r->forces, &r->spec->forces, read_force); }

/* --- initial values of joints and coordinates --- */

int lm_kind_rate(lm_reader *r, const lm_key *key, const lm_yaml *node, void *base)
{
    (void)r;
    ((lm_initial_entry *)base)->rate = node; /* its form depends on the joint */
    (void)key;
    return 0;
}

static int is_given(uint64_t given, const char *key)
{
    return lm_read_given(LM_OBJECT_INITIAL_VALUE, given, key, -1);
}

static lm_spec_initial *push_initial(lm_reader *r, lm_loc loc, int joint, int coord, int coordinate)
{
    lm_spec_initial *i = LM_PUSH(r->arena, &r->spec->initial);
    *i = (lm_spec_initial){.loc = loc, .joint = joint, .coordinate = coordinate, .coord = coord};
    return i;
}

/* Keys that this joint (or coordinate, joint NULL) has not got. */
static int foreign_keys(lm_reader *r, const lm_named *entry, uint64_t given,
                        const lm_spec_joint *joint)
{
    const lm_object *o = lm_schema_object(LM_OBJECT_INITIAL_VALUE);
    const char *known[LM_JOINT_COORDS + 2];
    int n = 0, rc = 0;
    if (!joint) known[n++] = "value";
    for (int i = 0; joint && i < lm_joint_coord_count(joint->type); i++)
        known[n++] = lm_coord_name(lm_joint_coord(joint->type, i));
    if (n) known[n++] = "rate";
    for (int k = 0; k < o->nkeys; k++) {
        int ok = !(given >> k & 1u);
        for (int i = 0; i < n; i++) ok |= strcmp(known[i], o->keys[k].name) == 0;
        if (ok) continue;
        lm_yaml *key = NULL;
        lm_yaml_get(entry->value, o->keys[k].name, &key);
        lm_error(r->diag, key ? key->loc : entry->key->loc,
                 n ? "'%s' is not known for %s '%s' (%s)" : "'%s': %s '%s' has no coordinates%s",
                 o->keys[k].name, joint ? "joint" : "coordinate", entry->name,
                 n ? lm_list_names(r, known, n) : "");
        rc = -1;
    }
    return rc;
}

/* The rate of coordinate number i of a joint from `rate`: 1 when there is one, -1 on error. */
static int joint_rate(lm_reader *r, const lm_spec_joint *j, int i, const lm_yaml *rate, double *out)
{
    if (!rate) return 0;
    r->key = "rate";
    if (rate->kind == LM_YAML_MAP)
        rate = lm_yaml_get(rate, lm_coord_name(lm_joint_coord(j->type, i)), NULL);
    if (!rate) return 0;
    return lm_read_number(r, rate, out) ? -1 : 1;
}

/* The form of `rate`: one number for one coordinate, else a mapping by coordinate. */
static int check_rate(lm_reader *r, const lm_spec_joint *j, const lm_yaml *rate)
{
    const char *names[LM_JOINT_COORDS];
    int n = lm_joint_coord_count(j->type), rc = 0;
    if (!rate || !n) return 0;
    for (int i = 0; i < n; i++) names[i] = lm_coord_name(lm_joint_coord(j->type, i));
    if (rate->kind != LM_YAML_MAP) {
        if (n == 1) return 0;
        lm_error(r->diag, rate->loc,
                 "joint '%s' has several coordinates; write rate: {%s: ...} "
                 "(%s)",
                 j->item.name, names[0], lm_list_names(r, names, n));
        return -1;
    }
    for (int k = 0; k < rate->n; k++) {
        const lm_yaml *key = rate->items[2 * k];
        int known = 0;
        for (int i = 0; i < n; i++) known |= strcmp(names[i], key->text) == 0;
        if (known) continue;
        lm_error(r->diag, key->loc, "joint '%s' has no coordinate '%s' (%s)", j->item.name,
                 lm_quoted(r, key->text), lm_list_names(r, names, n));
        rc = -1;
    }
    return rc;
}

static int initial_joint(lm_reader *r, const lm_named *entry, int index, uint64_t given,
                         const lm_initial_entry *in)
{
    const lm_spec_joint *j = &r->spec->joints.at[index];
    if (j->item.bad) return -1;
    int rc = foreign_keys(r, entry, given, j);
    if (check_rate(r, j, in->rate)) return -1;
    for (int i = 0; i < lm_joint_coord_count(j->type); i++) {
        lm_coord_kind kind = lm_joint_coord(j->type, i);
        const char *name = lm_coord_name(kind);
        double rate = 0;
        int has_value = is_given(given, name), has_rate = joint_rate(r, j, i, in->rate, &rate);
        if (has_rate < 0) rc = -1;
        if (has_rate < 0 || !(has_value || has_rate)) continue;
        if (j->coord[i].has_drive) {
            lm_error(r->diag, entry->key->loc,
                     "the %s of joint '%s' is driven: its initial value "
                     "follows from 'drive'; remove it here",
                     name, entry->name);
            rc = -1;
            continue;
        }
        lm_spec_initial *s = push_initial(r, entry->key->loc, index, i, -1);
        s->has_value = has_value;
        s->value = has_value ? in->coord[kind] : 0;
        s->has_rate = has_rate;
        s->rate = rate;
    }
    return rc;
}

static int initial_coordinate(lm_reader *r, const lm_named *entry, int index, uint64_t given,
                              const lm_initial_entry *in)
{
    if (foreign_keys(r, entry, given, NULL)) return -1;
    lm_spec_initial *s = push_initial(r, entry->key->loc, -1, 0, index);
    s->has_value = is_given(given, "value");
    s->value = in->value;
    s->has_rate = in->rate != NULL;
    r->key = "rate";
    return in->rate ? lm_read_number(r, in->rate, &s->rate) : 0;
}

static int unknown_target(lm_reader *r, const lm_named *entry)
{
    if (r->joints.broken || r->coordinates.broken) return -1;
    LM_VEC(const char *) names = {0};
    const char *base = entry->pattern->base;
    const lm_table *tables[] = {&r->joints, &r->coordinates};
    for (int k = 0; k < 2; k++) {
        int i = lm_names_find(&tables[k]->bases, base);
        if (i >= 0 && tables[k]->families.at[i].indexed == 1)
            return lm_find(r, tables[k], entry->name, entry->key->loc);
        for (i = 0; i < tables[k]->bases.list.n && i < LM_SUGGEST_MOST; i++)
            *LM_PUSH(&r->scratch, &names) = tables[k]->bases.list.at[i];
    }
    const char *hint = lm_suggest(r, entry->name, names.at, names.n);
    if (!*hint && names.n)
        hint = lm_arena_printf(&r->scratch, " (%s)", lm_list_names(r, names.at, names.n));
    int body = lm_names_find(&r->bodies.names, entry->name) >= 0;
    lm_error(r->diag, entry->key->loc, "'%s' in 'initial' is no joint or coordinate%s",
             lm_quoted(r, entry->name),
             body ? "; the velocity of a body is written 'velocity: {BODY: {linear: [..]}}'"
                  : hint);
    return -1;
}

static int read_initial(lm_reader *r, const lm_named *entry)
{
    lm_initial_entry in = {0};
    uint64_t given;
    int joint = lm_names_find(&r->joints.names, entry->name);
    int coordinate = lm_names_find(&r->coordinates.names, entry->name);
    if (joint < 0 && coordinate < 0) return unknown_target(r, entry);
    if (lm_read_object(r, LM_OBJECT_INITIAL_VALUE, entry->value, &in, &given)) return -1;
    return joint >= 0 ? initial_joint(r, entry, joint, given, &in)
                      : initial_coordinate(r, entry, coordinate, given, &in);
}

/* --- velocities of bodies --- */

static int read_velocity(lm_reader *r, const lm_named *entry)
{
    uint64_t given;
    lm_spec_velocity v = {.loc = entry->key->loc};
    v.body = lm_find(r, &r->bodies, entry->name, entry->key->loc);
    int rc = lm_read_object(r, LM_OBJECT_VELOCITY, entry->value, &v, &given);
    if (v.body < 0 || rc) return -1;
    *LM_PUSH(r->arena, &r->spec->velocities) = v;
    return 0;
}

static void read_entries(lm_reader *r, const lm_table *table,
                         int (*read)(lm_reader *, const lm_named *))
{
    for (int i = 0; i < table->entries.n; i++) {
        const lm_named *entry = &table->entries.at[i];
        lm_where where;
        if (lm_enter(r, table, entry, &where) == 0) lm_leave(r, entry, read(r, entry));
    }
}

void lm_read_initial(lm_reader *r, const lm_yaml *node)
{
    static const char *const own[] = {"velocity", "project", NULL};
    const lm_object *o = lm_schema_object(LM_OBJECT_INITIAL);
    lm_table table = {.noun = "initial value", .plural = "initial values"};
    lm_table velocity = {.noun = "velocity", .plural = "velocities"};
    lm_document doc = {0};
    if (!node || lm_yaml_is_null(node)) return;
    r->key = "initial";
    if (lm_read_want(r, node, LM_YAML_MAP, "a mapping of joints and coordinates")) return;
    const lm_yaml *project = lm_yaml_get(node, "project", NULL);
    if (project) lm_read_key(r, lm_schema_key(o, "project", -1), project, &doc);
    r->spec->project = doc.project;
    r->key = NULL;
    lm_expand(r, node, &table, own);
    lm_expand_value(r, node, "velocity", &velocity);
    read_entries(r, &table, read_initial);
    read_entries(r, &velocity, read_velocity);
}
