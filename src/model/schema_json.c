/* The JSON Schema (draft 2020-12) of the model file, for editors. */
#include "model/schema.h"

#include <string.h>

/* Names with indices: link, link(3), link(k=1..N). */
#define NAME "[A-Za-z_][A-Za-z0-9_]*( *\\\\(.*\\\\))*$"

static const char *const coords = "angle|displacement|angle1|angle2|x|y";

static void text(FILE *out, const char *s)
{
    putc('"', out);
    for (; *s; s++) {
        if (*s == '"' || *s == '\\') putc('\\', out);
        putc(*s, out);
    }
    putc('"', out);
}

static void words(FILE *out, const char *choices)
{
    char word[LM_CHOICE_MOST];
    fputs("{\"enum\": [", out);
    for (int k = 0; k < lm_choices_count(choices); k++) {
        if (k) fputs(", ", out);
        text(out, lm_choices_get(choices, k, word));
    }
    fputs("]}", out);
}

/* With a decimal point in every locale. */
static void limit(FILE *out, const char *name, double value)
{
    char digits[40];
    snprintf(digits, sizeof digits, "%.10g", value);
    char *comma = strchr(digits, ',');
    if (comma) *comma = '.';
    fprintf(out, ", \"%s\": %s", name, digits);
}

/* A number of the given type within the range, or an expression. */
static void number(FILE *out, const char *type, lm_range r)
{
    fprintf(out, "{\"anyOf\": [{\"type\": \"%s\"", type);
    if (r.bound == LM_OVER) limit(out, "exclusiveMinimum", r.low);
    if (r.bound == LM_FROM) limit(out, "minimum", r.low);
    if (r.bound != LM_ANY && r.high > r.low) limit(out, "maximum", r.high);
    fputs("}, {\"type\": \"string\"}]}", out);
}

static void list(FILE *out, int n, const char *item)
{
    fprintf(out, "{\"type\": \"array\", \"items\": %s, \"minItems\": %d, \"maxItems\": %d}", item,
            n, n);
}

static const char *const text_schema = "{\"type\": \"string\"}";
static const char *const any_number = "{\"$ref\": \"#/$defs/number\"}";

static void named(FILE *out, const char *item)
{
    fprintf(out,
            "{\"type\": [\"object\", \"null\"], \"patternProperties\": {\"^" NAME "\": %s}, "
            "\"additionalProperties\": false}",
            item);
}

static void by_coordinate(FILE *out, const char *item, const char *extra)
{
    char word[LM_CHOICE_MOST];
    fprintf(out, "{\"anyOf\": [%s%s, {\"type\": \"object\", \"properties\": {", item, extra);
    for (int i = 0; i < lm_choices_count(coords); i++)
        fprintf(out, "%s\"%s\": {\"anyOf\": [%s%s]}", i ? ", " : "",
                lm_choices_get(coords, i, word), item, extra);
    fputs("}, \"additionalProperties\": false}]}", out);
}

static const char *id_of(lm_object_id id)
{
    static const char *const ids[] = {
#define BEGIN(id, ...) #id,
#define KEY(...)
#define END
#include "model/schema.def"
#undef BEGIN
#undef KEY
#undef END
    };
    return ids[id];
}

static void reference(lm_object_id id, char out[60])
{
    snprintf(out, 60, "{\"$ref\": \"#/$defs/%s\"}", id_of(id));
}

static void initial(FILE *out)
{
    char velocity[60], value[60];
    reference(LM_OBJECT_VELOCITY, velocity);
    reference(LM_OBJECT_INITIAL_VALUE, value);
    fputs("{\"type\": \"object\", \"properties\": {\"project\": {\"type\": \"boolean\"}, "
          "\"velocity\": ",
          out);
    named(out, velocity);
    fprintf(out,
            "}, \"patternProperties\": {\"^(?!(velocity|project)$)" NAME "\": %s}, "
            "\"additionalProperties\": false}",
            value);
}

/* Entries of a section; those of the power graph and of controllers may use components. */
static void entries(FILE *out, const lm_key *key, const char *ref)
{
    char use[60], either[200];
    int may_use = strcmp(key->name, "power") == 0 || strcmp(key->name, "blocks") == 0;
    reference(LM_OBJECT_USE, use);
    snprintf(either, sizeof either, "{\"anyOf\": [%s, %s]}", ref, use);
    named(out, may_use ? either : ref);
}

#define AXIS "{\"anyOf\": [{\"enum\": [\"x\", \"y\", \"z\"]}, {\"$ref\": \"#/$defs/vector\"}]}"

/* Kinds whose schema is a fixed text. */
static const char *const fixed[LM_KIND_COUNT] = {
    [LM_KIND_VERSION] = "{\"const\": 1}",
    [LM_KIND_BOOL] = "{\"type\": \"boolean\"}",
    [LM_KIND_TEXT] = "{\"type\": [\"string\", \"number\", \"boolean\", \"null\"]}",
    [LM_KIND_FILE_PATH] = "{\"type\": \"string\"}",
    [LM_KIND_INCLUDE] = "{\"anyOf\": [{\"type\": \"string\"}, {\"type\": \"array\", \"items\": "
                        "{\"type\": \"string\"}}]}",
    [LM_KIND_VECTOR] = "{\"$ref\": \"#/$defs/vector\"}",
    [LM_KIND_SPEEDS] = "{\"$ref\": \"#/$defs/vector\"}",
    [LM_KIND_SENSOR_VECTOR] = "{\"$ref\": \"#/$defs/vector\"}",
    [LM_KIND_INERTIA] = "{\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/number\"}, "
                        "\"oneOf\": [{\"minItems\": 3, \"maxItems\": 3}, {\"minItems\": 6, "
                        "\"maxItems\": 6}]}",
    [LM_KIND_PAIR] =
        "{\"anyOf\": [{\"$ref\": \"#/$defs/number\"}, {\"type\": \"array\", \"items\": "
        "{\"$ref\": \"#/$defs/number\"}, \"minItems\": 2, \"maxItems\": 2}]}",
    [LM_KIND_DIRECTION] = AXIS,
    [LM_KIND_AXIS] = AXIS,
    [LM_KIND_POINTS] = "{\"type\": \"array\", \"minItems\": 2, \"items\": {\"$ref\": "
                       "\"#/$defs/vector\"}}",
    [LM_KIND_MATERIAL_REF] = "{\"type\": \"string\"}",
    [LM_KIND_SECTION_REF] = "{\"type\": \"string\"}",
    [LM_KIND_JOINT_REF] = "{\"type\": \"string\"}",
    [LM_KIND_JUNCTION_REF] = "{\"type\": \"string\"}",
    [LM_KIND_FRAME] = "{\"type\": \"string\"}",
    [LM_KIND_FRAMES] = "{\"type\": \"array\", \"items\": {\"type\": \"string\"}, \"minItems\": 2, "
                       "\"maxItems\": 2}",
    [LM_KIND_PLACE] = "{\"type\": \"string\"}",
    [LM_KIND_LOCAL_NAMES] = "{\"type\": \"array\", \"items\": {\"type\": \"string\"}}",
    [LM_KIND_NUMBERS] = "{\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/number\"}}",
    [LM_KIND_EXPRESSIONS] = "{\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/number\"}}",
    [LM_KIND_MATRIX] = "{\"type\": \"array\", \"items\": {\"type\": \"array\", \"items\": "
                       "{\"$ref\": \"#/$defs/number\"}}}",
    [LM_KIND_NAME_LIST] = "{\"anyOf\": [{\"type\": \"string\"}, {\"type\": \"array\", \"items\": "
                          "{\"type\": \"string\"}}]}",
};

static void kind_schema(FILE *out, const lm_key *key)
{
    char ref[60], pair[200];
    const char *friction = ", {\"$ref\": \"#/$defs/FRICTION\"}";
    reference(key->object, ref);
    switch (key->kind) {
    case LM_KIND_NUMBER:
    case LM_KIND_UPDATE_EXPR:
    case LM_KIND_SECTION_EXPR: number(out, "number", key->range); break;
    case LM_KIND_INTEGER: number(out, "integer", key->range); break;
    case LM_KIND_ENUM: words(out, key->choices); break;
    case LM_KIND_SIX: list(out, 6, any_number); break;
    case LM_KIND_AXES: list(out, 2, AXIS); break;
    case LM_KIND_OBJECT:
    case LM_KIND_BEAM: fputs(ref, out); break;
    case LM_KIND_NAMED: entries(out, key, ref); break;
    case LM_KIND_AS_MODEL:
        fprintf(out, "{\"$ref\": \"#/$defs/MODEL/properties/%s\"}", key->name);
        break;
    case LM_KIND_DEFAULTS: named(out, "{\"type\": [\"number\", \"string\", \"null\"]}"); break;
    case LM_KIND_GIVEN: named(out, any_number); break;
    case LM_KIND_CONNECTIONS:
        named(out, "{\"anyOf\": [{\"type\": \"string\"}, {\"type\": \"object\"}]}");
        break;
    case LM_KIND_LOCAL_PORTS:
        snprintf(pair, sizeof pair, "{\"anyOf\": [%s, %s]}", text_schema, ref);
        named(out, pair);
        break;
    case LM_KIND_PARAMETERS:
    case LM_KIND_OUTPUTS: named(out, any_number); break;
    case LM_KIND_PRODUCTS: named(out, text_schema); break;
    case LM_KIND_INITIAL: initial(out); break;
    case LM_KIND_ANALYSES:
        fprintf(out, "{\"anyOf\": [%s, {\"type\": \"array\", \"minItems\": 1, \"items\": %s}]}",
                ref, ref);
        break;
    case LM_KIND_FORMULATION:
        fputs("{\"anyOf\": [", out);
        words(out, lm_schema_variant(lm_schema_object(key->object))->choices);
        fprintf(out, ", %s]}", ref);
        break;
    case LM_KIND_NODES:
        snprintf(pair, sizeof pair, "{\"anyOf\": [{\"$ref\": \"#/$defs/vector\"}, %s]}", ref);
        named(out, pair);
        break;
    case LM_KIND_MOTION:
        fprintf(out, "{\"anyOf\": [%s, ", text_schema);
        named(out, text_schema);
        fputs("]}", out);
        break;
    case LM_KIND_DRIVE:
    case LM_KIND_EFFORT:
    case LM_KIND_COORD_NUMBER:
    case LM_KIND_RATE: by_coordinate(out, any_number, ""); break;
    case LM_KIND_FRICTION: by_coordinate(out, any_number, friction); break;
    default: fputs(fixed[key->kind], out); break;
    }
}

/* The schema of a key with its description. */
static void property(FILE *out, const lm_object *o, const lm_key *key, int variant)
{
    text(out, key->name);
    fputs(": {\"description\": ", out);
    text(out, key->doc);
    if (o->variant && strcmp(key->name, o->variant) == 0 && variant >= 0) {
        char word[LM_CHOICE_MOST];
        const char *only = lm_choices_get(key->choices, variant, word);
        int digit = *only >= '0' && *only <= '9'; /* YAML reads it as a number */
        if (digit) fprintf(out, ", \"enum\": [%s, \"%s\"]", only, only);
        if (!digit) fputs(", \"const\": ", out);
        if (!digit) text(out, only);
    } else {
        fputs(", \"allOf\": [", out);
        kind_schema(out, key);
        putc(']', out);
    }
    if (key->preset && key->kind == LM_KIND_ENUM) {
        fputs(", \"default\": ", out);
        text(out, key->preset);
    }
    putc('}', out);
}

static void object_schema(FILE *out, const lm_object *o, int variant)
{
    const char *comma = "";
    int needs = 0;
    for (int i = 0; i < o->nkeys; i++) needs |= o->keys[i].need != 0;
    fprintf(out, "{\"type\": %s, \"properties\": {",
            needs ? "\"object\"" : "[\"object\", \"null\"]");
    for (int i = 0; i < o->nkeys; i++) {
        if (!lm_schema_allowed(&o->keys[i], variant)) continue;
        fprintf(out, "%s\n      ", comma);
        property(out, o, &o->keys[i], variant);
        comma = ",";
    }
    fputs("},\n      \"required\": [", out);
    comma = "";
    for (int i = 0; i < o->nkeys; i++) {
        unsigned need = variant < 0 ? o->keys[i].need : o->keys[i].need >> variant & 1u;
        if (!need) continue;
        fputs(comma, out);
        text(out, o->keys[i].name);
        comma = ", ";
    }
    fputs("], \"additionalProperties\": false}", out);
}

static void definition(FILE *out, lm_object_id id)
{
    const lm_object *o = lm_schema_object(id);
    int n = o->variant ? lm_choices_count(lm_schema_variant(o)->choices) : 0;
    fprintf(out, ",\n    \"%s\": ", id_of(id));
    if (!n) {
        object_schema(out, o, -1);
        return;
    }
    fputs("{\"oneOf\": [", out);
    for (int v = 0; v < n; v++) {
        if (v) fputs(",\n     ", out);
        object_schema(out, o, v);
    }
    fputs("]}", out);
}

void lm_schema_json(FILE *out)
{
    fputs("{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
          "  \"title\": \"limber model\",\n  \"$ref\": \"#/$defs/MODEL\",\n  \"$defs\": {\n"
          "    \"number\": {\"type\": [\"number\", \"string\"]},\n"
          "    \"vector\": {\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/number\"}, "
          "\"minItems\": 3, \"maxItems\": 3}",
          out);
    for (int id = 0; id < LM_OBJECT_COUNT; id++) definition(out, (lm_object_id)id);
    fputs("\n  }\n}\n", out);
}
