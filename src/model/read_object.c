/* The generic reader: a mapping by the rows of the schema. */
#include "model/reader.h"

#include <string.h>

static int read_nested(lm_reader *r, const lm_key *key, const lm_yaml *node, void *base)
{
    uint64_t given;
    const char *noun = lm_arena_printf(&r->scratch, "'%s'", key->name);
    lm_where inner = {noun, NULL, node->loc, r->where};
    const char *outer_key = r->key;
    r->where = &inner;
    int rc = lm_read_object(r, key->object, node, (char *)base + key->offset, &given);
    r->where = inner.outer;
    r->key = outer_key;
    return rc;
}

/* Kinds without a reader here are handled by the parts of the reader themselves. */
static lm_kind_reader *const readers[LM_KIND_COUNT] = {
    [LM_KIND_VERSION] = lm_kind_version,
    [LM_KIND_NUMBER] = lm_kind_number,
    [LM_KIND_INTEGER] = lm_kind_integer,
    [LM_KIND_BOOL] = lm_kind_bool,
    [LM_KIND_TEXT] = lm_kind_text,
    [LM_KIND_FILE_PATH] = lm_kind_file_path,
    [LM_KIND_ENUM] = lm_kind_enum,
    [LM_KIND_VECTOR] = lm_kind_vector,
    [LM_KIND_INERTIA] = lm_kind_inertia,
    [LM_KIND_SIX] = lm_kind_six,
    [LM_KIND_PAIR] = lm_kind_pair,
    [LM_KIND_POINTS] = lm_kind_points,
    [LM_KIND_SPEEDS] = lm_kind_speeds,
    [LM_KIND_DIRECTION] = lm_kind_direction,
    [LM_KIND_AXIS] = lm_kind_axis,
    [LM_KIND_AXES] = lm_kind_axes,
    [LM_KIND_OBJECT] = read_nested,
    [LM_KIND_SECTION_EXPR] = lm_kind_section_expr,
    [LM_KIND_SENSOR_VECTOR] = lm_kind_sensor_vector,
    [LM_KIND_MATERIAL_REF] = lm_kind_material,
    [LM_KIND_SECTION_REF] = lm_kind_section,
    [LM_KIND_JOINT_REF] = lm_kind_joint,
    [LM_KIND_JUNCTION_REF] = lm_kind_junction,
    [LM_KIND_FRAME] = lm_kind_frame,
    [LM_KIND_FRAMES] = lm_kind_frames,
    [LM_KIND_NODES] = lm_kind_nodes,
    [LM_KIND_BEAM] = lm_kind_beam,
    [LM_KIND_MOTION] = lm_kind_motion,
    [LM_KIND_PLACE] = lm_kind_place,
    [LM_KIND_DRIVE] = lm_kind_drive,
    [LM_KIND_EFFORT] = lm_kind_effort,
    [LM_KIND_COORD_NUMBER] = lm_kind_coord_number,
    [LM_KIND_FRICTION] = lm_kind_friction,
    [LM_KIND_RATE] = lm_kind_rate,
    [LM_KIND_NAME_LIST] = lm_kind_name_list,
    [LM_KIND_NUMBERS] = lm_kind_numbers,
    [LM_KIND_MATRIX] = lm_kind_matrix,
};

int lm_read_key(lm_reader *r, const lm_key *key, const lm_yaml *node, void *base)
{
    if (!readers[key->kind]) return 0;
    if (node->bad) return -1;
    r->key = key->name;
    int rc = readers[key->kind](r, key, node, base);
    r->key = NULL;
    return rc;
}

/* --- keys --- */

static int keys_of(const lm_object *o, int variant, const char *names[LM_KEYS_MOST])
{
    int n = 0;
    for (int i = 0; i < o->nkeys; i++) {
        int there = !lm_schema_allowed(&o->keys[i], variant);
        for (int k = 0; k < n; k++) there |= strcmp(names[k], o->keys[i].name) == 0;
        if (!there) names[n++] = o->keys[i].name;
    }
    return n;
}

/* Keys that are pieces of something else: 'type:rigid', or the 0 of '{position: 1, 0, 0}'. */
static int broken_keys(lm_reader *r, const lm_yaml *node)
{
    for (int i = 0; node->kind == LM_YAML_MAP && i < node->n; i++) {
        const lm_yaml *key = node->items[2 * i];
        const char *colon = strchr(key->text, ':'), *text = lm_quoted(r, key->text);
        double value;
        if (!lm_yaml_is_null(node->items[2 * i + 1]) || key->quoted) continue;
        if (lm_plain_number(key->text, &value))
            lm_error(r->diag, key->loc,
                     "'%s' stands where a key is expected in %s; a list of values "
                     "is written [a, b, c]",
                     text, lm_where_text(r));
        else if (colon && colon[1])
            lm_error(r->diag, key->loc, "'%s' in %s: a blank is missing after ':'", text,
                     lm_where_text(r));
        else
            continue;
        return -1;
    }
    return 0;
}

/* The key that was meant, where it can be guessed, counts as given: no second error for it. */
static void unknown_key(lm_reader *r, const lm_object *o, const lm_yaml *key, int variant,
                        const lm_yaml *values[LM_KEYS_MOST])
{
    static const lm_yaml misspelt = {.bad = 1, .text = ""};
    const char *names[LM_KEYS_MOST];
    int n = keys_of(o, variant, names);
    const char *near = lm_full(r) ? NULL : lm_nearest(key->text, names, n), *hint;
    if (near)
        hint = lm_arena_printf(&r->scratch, "; did you mean '%s'?", near);
    else
        hint = lm_arena_printf(&r->scratch, " (keys: %s)", lm_list_names(r, names, n));
    lm_error(r->diag, key->loc, "unknown key '%s' in %s%s", lm_quoted(r, key->text),
             lm_where_text(r), hint);
    const lm_key *row = near ? lm_schema_key(o, near, variant) : NULL;
    if (row && !values[row - o->keys]) values[row - o->keys] = &misspelt;
}

static void wrong_variant(lm_reader *r, const lm_object *o, const lm_yaml *key, int variant)
{
    char word[LM_CHOICE_MOST];
    const char *names[LM_KEYS_MOST];
    int n = keys_of(o, variant, names);
    lm_error(r->diag, key->loc, "'%s' does not apply to %s '%s' (keys: %s)", key->text, o->variant,
             lm_choices_get(lm_schema_variant(o)->choices, variant, word),
             lm_list_names(r, names, n));
}

/* The node of each key of the object, unknown keys reported. */
static int match_keys(lm_reader *r, const lm_object *o, const lm_yaml *node, int variant,
                      const lm_yaml *values[LM_KEYS_MOST])
{
    int rc = 0;
    memset(values, 0, LM_KEYS_MOST * sizeof *values);
    if (node->kind != LM_YAML_MAP) return 0;
    for (int i = 0; i < node->n; i++) {
        const lm_yaml *key = node->items[2 * i];
        const lm_key *row = lm_schema_key(o, key->text, variant);
        if (row && lm_schema_allowed(row, variant)) {
            values[row - o->keys] = node->items[2 * i + 1];
            continue;
        }
        if (row)
            wrong_variant(r, o, key, variant);
        else
            unknown_key(r, o, key, variant, values);
        rc = -1;
    }
    return rc;
}

static int missing_keys(lm_reader *r, const lm_object *o, int variant,
                        const lm_yaml *const values[LM_KEYS_MOST])
{
    int rc = 0;
    for (int i = 0; i < o->nkeys; i++) {
        const lm_key *key = &o->keys[i];
        int needed = variant < 0 ? key->need != 0 : (int)(key->need >> variant & 1u);
        if (!needed || values[i]) continue;
        if (key->kind == LM_KIND_VERSION)
            lm_error(r->diag, r->where->loc, "%s needs 'limber: 1' (the version of the format)",
                     lm_where_text(r));
        else
            lm_error(r->diag, r->where->loc, "%s needs '%s' (%s)", lm_where_text(r), key->name,
                     key->doc);
        rc = -1;
    }
    return rc;
}

/* --- objects --- */

/* The variant from the key `type` or `shape`: its number, or -1 after an error. */
static int read_variant(lm_reader *r, const lm_object *o, const lm_yaml *node, void *base)
{
    const lm_yaml *values[LM_KEYS_MOST];
    const lm_key *row = lm_schema_variant(o);
    const lm_yaml *value = lm_yaml_get(node, row->name, NULL);
    if (value && lm_read_key(r, row, value, base) == 0) return *(int *)((char *)base + row->offset);
    match_keys(r, o, node, -1, values); /* what can be said about the keys without it */
    if (!values[row - o->keys])
        lm_error(r->diag, r->where->loc, "%s %s '%s' (one of: %s)%s", lm_where_text(r),
                 lm_yaml_is_null(node) ? "is empty; it needs" : "needs", row->name,
                 lm_list_choices(r, row->choices),
                 lm_yaml_is_null(node) ? "; its keys must be indented further than its name" : "");
    return -1;
}

static int read_rows(lm_reader *r, const lm_object *o, int variant,
                     const lm_yaml *const values[LM_KEYS_MOST], void *base, uint64_t *given)
{
    int rc = 0;
    for (int i = 0; i < o->nkeys; i++) {
        const lm_key *key = &o->keys[i];
        if (!values[i] || !lm_schema_allowed(key, variant)) continue;
        *given |= (uint64_t)1 << i;
        if (o->variant && strcmp(key->name, o->variant) == 0) continue;
        if (lm_read_key(r, key, values[i], base)) rc = -1;
    }
    return rc;
}

static const char *noun_of(lm_reader *r, const lm_object *o, int variant)
{
    char word[LM_CHOICE_MOST];
    if (!o->nouns || variant < 0) return o->noun;
    return lm_arena_str(&r->scratch, lm_choices_get(o->nouns, variant, word));
}

static int not_a_mapping(lm_reader *r, const lm_object *o, const lm_yaml *node)
{
    const char *keys = "";
    if (node->bad) return -1;
    for (int i = 0; i < o->nkeys; i++)
        if (o->keys[i].need == ~0u)
            keys = lm_arena_printf(&r->scratch, "%s%s%s: ...", keys, *keys ? ", " : "",
                                   o->keys[i].name);
    if (!*keys) keys = lm_arena_printf(&r->scratch, "%s: ...", o->keys[0].name);
    int colon = node->kind == LM_YAML_SCALAR && strchr(node->text, ':');
    lm_error(r->diag, node->loc, "%s must be a mapping {%s}, found %s%s", lm_where_text(r), keys,
             lm_found(r, node), colon ? " (a blank is missing after ':')" : "");
    return -1;
}

int lm_read_object(lm_reader *r, lm_object_id id, const lm_yaml *node, void *base, uint64_t *given)
{
    const lm_object *o = lm_schema_object(id);
    const lm_yaml *values[LM_KEYS_MOST];
    lm_where here = *r->where;
    int variant = -1, rc = 0;
    *given = 0;
    r->key = NULL;
    if (!lm_yaml_is_null(node) && node->kind != LM_YAML_MAP) return not_a_mapping(r, o, node);
    if (node->bad || broken_keys(r, node)) return -1;
    if (o->variant) {
        variant = read_variant(r, o, node, base);
        if (variant < 0) return -1;
    }
    const lm_where *outer = r->where;
    lm_schema_presets(id, base);
    if (strcmp(here.noun, o->noun) == 0) here.noun = noun_of(r, o, variant);
    r->where = &here;
    if (match_keys(r, o, node, variant, values)) rc = -1;
    if (missing_keys(r, o, variant, values)) rc = -1;
    if (read_rows(r, o, variant, values, base, given)) rc = -1;
    r->where = outer;
    return rc;
}

int lm_read_given(lm_object_id id, uint64_t given, const char *name, int variant)
{
    const lm_object *o = lm_schema_object(id);
    const lm_key *key = lm_schema_key(o, name, variant);
    return (int)(given >> (key - o->keys) & 1u);
}

/* --- entries of a section --- */

int lm_enter(lm_reader *r, const lm_table *table, const lm_named *entry, lm_where *where)
{
    lm_scratch_trim(r);
    if (entry->pattern->bad) return -1;
    r->entry = entry;
    r->key = NULL;
    *where = (lm_where){table->noun, entry->name, entry->key->loc, NULL};
    r->where = where;
    return 0;
}

int lm_leave(lm_reader *r, const lm_named *entry, int result)
{
    if (result) entry->pattern->bad = 1;
    r->entry = NULL;
    r->where = NULL;
    return result != 0;
}

void lm_read_table(lm_reader *r, const lm_table *table, void *at, size_t size,
                   lm_entry_reader *read)
{
    for (int i = 0; i < table->entries.n; i++) {
        const lm_named *entry = &table->entries.at[i];
        void *item = (char *)at + size * (size_t)i;
        lm_where where;
        int bad = 1;
        if (lm_enter(r, table, entry, &where) == 0) bad = lm_leave(r, entry, read(r, entry, item));
        *(lm_spec_item *)item = (lm_spec_item){entry->name, entry->key->loc, bad};
    }
}
