#include "model/schema.h"

#include "model/reader.h"

#include <stdio.h>
#include <string.h>

#define BEGIN(id, ...) static const lm_key keys_##id[] = {
#define KEY(name_, kind_, type, field, allow_, need_, preset_, extra, doc_)                        \
    {.name = name_,                                                                                \
     .kind = LM_KIND_##kind_,                                                                      \
     .offset = offsetof(type, field),                                                              \
     .allow = allow_,                                                                              \
     .need = need_,                                                                                \
     .preset = preset_,                                                                            \
     extra,                                                                                        \
     .doc = doc_},
#define END                                                                                        \
    }                                                                                              \
    ;
#include "model/schema.def"
#undef BEGIN
#undef KEY
#undef END

static const lm_object objects[] = {
#define BEGIN(id, noun, variant, nouns, title, doc)                                                \
    [LM_OBJECT_##id] = {                                                                           \
        noun, variant, nouns, title, doc, keys_##id, (int)(sizeof keys_##id / sizeof *keys_##id)},
#define KEY(...)
#define END
#include "model/schema.def"
#undef BEGIN
#undef KEY
#undef END
};

/* Nested objects are read into consecutive fields of the spec's structs. */
#define SAME_PLACE(outer, field, inner, first, second)                                             \
    _Static_assert(offsetof(outer, second) - offsetof(outer, first) == offsetof(inner, field),     \
                   "layout of " #inner)
SAME_PLACE(lm_spec_material, stiffness, lm_rayleigh, damping_mass, damping_stiffness);
SAME_PLACE(lm_spec_section, stiffness, lm_rayleigh, damping_mass, damping_stiffness);
SAME_PLACE(lm_spec_pose, angle, lm_rotation, axis, angle);
SAME_PLACE(lm_spec_joint, damping, lm_compliance, compliant_stiffness, compliant_damping);

const lm_object *lm_schema_object(lm_object_id id) { return &objects[id]; }

int lm_schema_allowed(const lm_key *key, int variant)
{
    return variant < 0 || (key->allow >> variant & 1u);
}

const lm_key *lm_schema_key(const lm_object *object, const char *name, int variant)
{
    const lm_key *any = NULL;
    for (int i = 0; i < object->nkeys; i++) {
        const lm_key *key = &object->keys[i];
        if (strcmp(key->name, name) != 0) continue;
        if (lm_schema_allowed(key, variant)) return key;
        any = key;
    }
    return any;
}

const lm_key *lm_schema_variant(const lm_object *object)
{
    return object->variant ? lm_schema_key(object, object->variant, -1) : NULL;
}

static void set_preset(const lm_key *key, void *base)
{
    void *field = (char *)base + key->offset;
    double value;
    if (!key->preset) return;
    if (key->kind == LM_KIND_ENUM) {
        int choice = lm_choices_find(key->choices, key->preset);
        if (choice >= 0) *(int *)field = choice;
    } else if (key->kind == LM_KIND_BOOL) {
        *(int *)field = strcmp(key->preset, "true") == 0;
    } else if (lm_plain_number(key->preset, &value)) {
        if (key->kind == LM_KIND_NUMBER) *(double *)field = value;
        if (key->kind == LM_KIND_INTEGER) *(int *)field = (int)value;
    }
}

void lm_schema_presets(lm_object_id id, void *base)
{
    const lm_object *o = &objects[id];
    for (int i = 0; i < o->nkeys; i++)
        if (&o->keys[i] != lm_schema_variant(o)) set_preset(&o->keys[i], base);
}

int lm_choices_count(const char *choices)
{
    int n = 1;
    for (const char *c = choices; *c; c++) n += *c == '|';
    return n;
}

const char *lm_choices_get(const char *choices, int i, char out[LM_CHOICE_MOST])
{
    const char *c = choices;
    for (; i > 0; i--) c = strchr(c, '|') + 1;
    snprintf(out, LM_CHOICE_MOST, "%.*s", (int)strcspn(c, "|"), c);
    return out;
}

const char *lm_schema_word(lm_object_id id, int variant, char out[LM_CHOICE_MOST])
{
    return lm_choices_get(lm_schema_variant(&objects[id])->choices, variant, out);
}

int lm_choices_find(const char *choices, const char *word)
{
    size_t len = strlen(word);
    int i = 0;
    for (const char *c = choices;; i++) {
        size_t n = strcspn(c, "|");
        if (n == len && memcmp(c, word, n) == 0) return i;
        if (!c[n]) return -1;
        c += n + 1;
    }
}

static int has_high(lm_range r) { return r.bound != LM_ANY && r.high > r.low; }

const char *lm_range_text(lm_range r, char out[80])
{
    if (r.bound == LM_ANY) return NULL;
    if (!has_high(r))
        snprintf(out, 80, r.bound == LM_OVER ? "greater than %.10g" : "%.10g or greater", r.low);
    else if (r.bound == LM_OVER)
        snprintf(out, 80, "greater than %.10g and at most %.10g", r.low, r.high);
    else
        snprintf(out, 80, "from %.10g to %.10g", r.low, r.high);
    return out;
}

int lm_range_holds(lm_range r, double v)
{
    if (r.bound == LM_ANY) return 1;
    if (r.bound == LM_OVER ? !(v > r.low) : !(v >= r.low)) return 0;
    return !has_high(r) || v <= r.high;
}
