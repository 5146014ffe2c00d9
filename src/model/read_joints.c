/* Joints and what their coordinates carry. */
#include "model/reader.h"

#include <string.h>

/* --- values by coordinate --- */

/* Reads one value of a joint coordinate; `coord` is its number. */
typedef int coord_reader(lm_reader *r, const lm_key *key, const lm_yaml *node, lm_spec_joint *joint,
                         int coord);

static int coord_number(lm_joint_type type, const char *name)
{
    for (int i = 0; i < lm_joint_coord_count(type); i++)
        if (strcmp(lm_coord_name(lm_joint_coord(type, i)), name) == 0) return i;
    return -1;
}

/* A mapping by coordinate name. */
static int by_name(lm_reader *r, const lm_key *key, const lm_yaml *node, lm_spec_joint *joint,
                   coord_reader *read)
{
    char word[LM_CHOICE_MOST];
    int rc = 0;
    for (int i = 0; i < node->n; i++) {
        const lm_yaml *name = node->items[2 * i];
        int coord = coord_number(joint->type, name->text);
        if (coord < 0) {
            lm_error(r->diag, name->loc, "'%s' is no coordinate of a %s joint (%s)",
                     lm_quoted(r, name->text),
                     lm_schema_word(LM_OBJECT_JOINT, (int)joint->type, word),
                     lm_coord_names(r, joint->type));
            rc = -1;
        } else if (read(r, key, node->items[2 * i + 1], joint, coord)) {
            rc = -1;
        }
    }
    return rc;
}

/* One value for the only coordinate, or a mapping. A mapping whose keys are those of the value
 * itself (friction: {limit: ..}) is the value. */
static int each_coord(lm_reader *r, const lm_key *key, const lm_yaml *node, lm_spec_joint *joint,
                      coord_reader *read, const char *const *value_keys)
{
    char word[LM_CHOICE_MOST];
    int n = lm_joint_coord_count(joint->type);
    if (node->bad) return -1;
    int is_value = node->kind != LM_YAML_MAP;
    for (; !is_value && value_keys && *value_keys; value_keys++)
        is_value = lm_yaml_get(node, *value_keys, NULL) != NULL;
    if (!is_value) return by_name(r, key, node, joint, read);
    if (n == 1) return read(r, key, node, joint, 0);
    lm_error(r->diag, node->loc, "a %s joint has the coordinates %s; write '%s: {%s: ...}'",
             lm_schema_word(LM_OBJECT_JOINT, (int)joint->type, word),
             lm_coord_names(r, joint->type), key->name,
             lm_coord_name(lm_joint_coord(joint->type, 0)));
    return -1;
}

static int drive(lm_reader *r, const lm_key *key, const lm_yaml *node, lm_spec_joint *joint,
                 int coord)
{
    (void)key;
    joint->coord[coord].has_drive = 1;
    return lm_read_expr(r, node, LM_SCOPE_TIME, &joint->coord[coord].drive);
}

static int effort(lm_reader *r, const lm_key *key, const lm_yaml *node, lm_spec_joint *joint,
                  int coord)
{
    (void)key;
    joint->coord[coord].has_effort = 1;
    int index = (int)(r->entry - r->joints.entries.at);
    *LM_PUSH(r->arena, &r->deferred) = (lm_deferred){r->entry, node, index, coord};
    return 0;
}

static int number(lm_reader *r, const lm_key *key, const lm_yaml *node, lm_spec_joint *joint,
                  int coord)
{
    size_t offset = key->offset + (size_t)coord * sizeof(lm_spec_coord);
    double value;
    if (lm_read_number(r, node, &value) || lm_read_in_range(r, node, key->range, value)) return -1;
    *(double *)((char *)joint + offset) = value;
    return 0;
}

static int friction(lm_reader *r, const lm_key *key, const lm_yaml *node, lm_spec_joint *joint,
                    int coord)
{
    static const lm_range range = {LM_FROM, 0, 0};
    lm_spec_coord *c = &joint->coord[coord];
    if (node->kind != LM_YAML_MAP) {
        c->friction_velocity = 0.01;
        if (lm_read_number(r, node, &c->friction)) return -1;
        return lm_read_in_range(r, node, range, c->friction);
    }
    uint64_t given;
    lm_where inner = {"'friction'", NULL, node->loc, r->where};
    r->where = &inner;
    int rc = lm_read_object(r, key->object, node, c, &given);
    r->where = inner.outer;
    r->key = key->name;
    return rc;
}

int lm_kind_drive(lm_reader *r, const lm_key *key, const lm_yaml *node, void *base)
{
    return each_coord(r, key, node, base, drive, NULL);
}

int lm_kind_effort(lm_reader *r, const lm_key *key, const lm_yaml *node, void *base)
{
    return each_coord(r, key, node, base, effort, NULL);
}

int lm_kind_coord_number(lm_reader *r, const lm_key *key, const lm_yaml *node, void *base)
{
    return each_coord(r, key, node, base, number, NULL);
}

int lm_kind_friction(lm_reader *r, const lm_key *key, const lm_yaml *node, void *base)
{
    static const char *const keys[] = {"limit", "velocity", NULL};
    return each_coord(r, key, node, base, friction, keys);
}

/* --- joints --- */

/* A driven coordinate moves as told: nothing else can act on it. */
static int check_drives(lm_reader *r, const lm_spec_joint *j)
{
    int rc = 0;
    for (int i = 0; i < lm_joint_coord_count(j->type); i++) {
        const lm_spec_coord *c = &j->coord[i];
        const char *other = c->has_effort       ? "effort"
                            : c->stiffness != 0 ? "stiffness"
                            : c->damping != 0   ? "damping"
                            : c->friction != 0  ? "friction"
                                                : NULL;
        if (!c->has_drive || !other) continue;
        lm_error(r->diag, c->drive.loc,
                 "joint '%s' has 'drive' and '%s' on its %s: a driven coordinate moves as "
                 "prescribed, '%s' has no effect; remove one",
                 j->item.name, other, lm_coord_name(lm_joint_coord(j->type, i)), other);
        rc = -1;
    }
    return rc;
}

static int read_joint(lm_reader *r, const lm_named *entry, void *item)
{
    lm_spec_joint *j = item;
    uint64_t given;
    j->item = (lm_spec_item){entry->name, entry->key->loc, 0};
    int rc = lm_read_object(r, LM_OBJECT_JOINT, entry->value, j, &given);
    if (lm_names_find(&r->coordinates.names, entry->name) >= 0) {
        lm_error(r->diag, entry->key->loc, "joint '%s' has the name of a coordinate; rename one",
                 entry->name);
        rc = -1;
    }
    if (rc) return -1;
    j->has_axis = lm_read_given(LM_OBJECT_JOINT, given, "axis", (int)j->type) ||
                  lm_read_given(LM_OBJECT_JOINT, given, "axes", (int)j->type);
    j->has_at = lm_read_given(LM_OBJECT_JOINT, given, "at", (int)j->type);
    j->compliant = lm_read_given(LM_OBJECT_JOINT, given, "compliant", (int)j->type);
    return check_drives(r, j);
}

void lm_read_joints(lm_reader *r) { LM_READ_TABLE(r, &r->joints, &r->spec->joints, read_joint); }

void lm_read_efforts(lm_reader *r)
{
    for (int i = 0; i < r->deferred.n; i++) {
        const lm_deferred *d = &r->deferred.at[i];
        lm_where where;
        if (lm_enter(r, &r->joints, d->entry, &where)) continue;
        r->key = "effort";
        lm_spec_joint *j = &r->spec->joints.at[d->joint];
        int rc = lm_read_expr(r, d->node, LM_SCOPE_SENSORS, &j->coord[d->coord].effort);
        lm_leave(r, d->entry, rc);
        r->key = NULL;
        if (rc) j->item.bad = 1;
    }
}
