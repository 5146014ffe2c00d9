/* The reference page of the model file: a table per object. */
#include "model/schema.h"

#include <string.h>

static const char *const kind_words[LM_KIND_COUNT] = {
    [LM_KIND_VERSION] = "`1`",
    [LM_KIND_INCLUDE] = "list of file names",
    [LM_KIND_PARAMETERS] = "names: numbers",
    [LM_KIND_NAMED] = "names: mappings",
    [LM_KIND_INITIAL] = "mapping",
    [LM_KIND_PRODUCTS] = "names: products",
    [LM_KIND_OUTPUTS] = "names: expressions",
    [LM_KIND_ANALYSES] = "mapping or list",
    [LM_KIND_FORMULATION] = "type or mapping",
    [LM_KIND_NUMBER] = "number",
    [LM_KIND_INTEGER] = "whole number",
    [LM_KIND_BOOL] = "`true` or `false`",
    [LM_KIND_TEXT] = "text",
    [LM_KIND_FILE_PATH] = "file name",
    [LM_KIND_VECTOR] = "[x, y, z]",
    [LM_KIND_INERTIA] = "[Ixx, Iyy, Izz(, Ixy, Ixz, Iyz)]",
    [LM_KIND_SIX] = "list of 6 numbers",
    [LM_KIND_PAIR] = "number or list of 2",
    [LM_KIND_POINTS] = "list of [x, y, z]",
    [LM_KIND_SPEEDS] = "[from, to, count]",
    [LM_KIND_DIRECTION] = "`x`, `y`, `z` or [x, y, z]",
    [LM_KIND_AXIS] = "`x`, `y`, `z` or [x, y, z]",
    [LM_KIND_AXES] = "list of 2 axes",
    [LM_KIND_OBJECT] = "mapping",
    [LM_KIND_SECTION_EXPR] = "expression of s",
    [LM_KIND_UPDATE_EXPR] = "expression",
    [LM_KIND_SENSOR_VECTOR] = "list of 3 expressions",
    [LM_KIND_MATERIAL_REF] = "name",
    [LM_KIND_SECTION_REF] = "name",
    [LM_KIND_JOINT_REF] = "name",
    [LM_KIND_JUNCTION_REF] = "name",
    [LM_KIND_FRAME] = "frame",
    [LM_KIND_FRAMES] = "[frame, frame]",
    [LM_KIND_NODES] = "names: points",
    [LM_KIND_BEAM] = "mapping",
    [LM_KIND_MOTION] = "product, or nodes: products",
    [LM_KIND_PLACE] = "name or product",
    [LM_KIND_DRIVE] = "expression of t",
    [LM_KIND_EFFORT] = "expression",
    [LM_KIND_COORD_NUMBER] = "number",
    [LM_KIND_FRICTION] = "number or mapping",
    [LM_KIND_RATE] = "number or mapping",
    [LM_KIND_NAME_LIST] = "list of names",
    [LM_KIND_DEFAULTS] = "names: values",
    [LM_KIND_LOCAL_NAMES] = "list of names",
    [LM_KIND_LOCAL_PORTS] = "names: junctions",
    [LM_KIND_AS_MODEL] = "names: mappings",
    [LM_KIND_GIVEN] = "names: values",
    [LM_KIND_CONNECTIONS] = "ports: names",
    [LM_KIND_NUMBERS] = "list of numbers",
    [LM_KIND_MATRIX] = "list of rows",
    [LM_KIND_EXPRESSIONS] = "list of expressions",
};

static void value_cell(FILE *out, const lm_key *key)
{
    char word[LM_CHOICE_MOST], range[80];
    if (key->kind == LM_KIND_ENUM) {
        for (int i = 0; i < lm_choices_count(key->choices); i++)
            fprintf(out, "%s`%s`", i ? ", " : "", lm_choices_get(key->choices, i, word));
        return;
    }
    fputs(kind_words[key->kind], out);
    const char *limits = lm_range_text(key->range, range);
    if (limits) fprintf(out, ", %s", limits);
}

/* The variants in a set, or "all". */
static void variants(FILE *out, const lm_object *o, unsigned set)
{
    const char *choices = lm_schema_variant(o)->choices, *comma = "";
    int n = lm_choices_count(choices);
    char word[LM_CHOICE_MOST];
    unsigned all = (1u << n) - 1;
    if ((set & all) == all) {
        fputs("all", out);
        return;
    }
    for (int i = 0; i < n; i++) {
        if (!(set >> i & 1u)) continue;
        fprintf(out, "%s%s", comma, lm_choices_get(choices, i, word));
        comma = ", ";
    }
}

static void default_cell(FILE *out, const lm_object *o, const lm_key *key)
{
    if (key->preset || !key->need) {
        fputs(key->preset ? key->preset : "", out);
        return;
    }
    fputs("required", out);
    if (!o->variant || key->need == key->allow) return;
    fputs(" for ", out);
    variants(out, o, key->need);
}

static void row(FILE *out, const lm_object *o, const lm_key *key)
{
    fprintf(out, "| `%s` | ", key->name);
    if (o->variant) {
        variants(out, o, key->allow);
        fputs(" | ", out);
    }
    value_cell(out, key);
    fputs(" | ", out);
    default_cell(out, o, key);
    fprintf(out, " | %s |\n", key->doc);
}

void lm_schema_markdown(FILE *out)
{
    fputs("# Reference of the model file\n\nGenerated from `src/model/schema.def`. A number may "
          "be written as an expression over `parameters`.\n",
          out);
    for (int id = 0; id < LM_OBJECT_COUNT; id++) {
        const lm_object *o = lm_schema_object((lm_object_id)id);
        fprintf(out, "\n## %s\n\n%s\n\n", o->title, o->doc);
        fputs(o->variant ? "| key | for | value | default | meaning |\n| --- | --- | --- | --- | "
                           "--- |\n"
                         : "| key | value | default | meaning |\n| --- | --- | --- | --- |\n",
              out);
        for (int i = 0; i < o->nkeys; i++) row(out, o, &o->keys[i]);
    }
    fputs("\n## Sensors\n\nIn `outputs`, `loads`, `effort` and updates of `states`.\n\n| sensor | "
          "components | meaning "
          "|\n| --- | --- | --- |\n",
          out);
    lm_sensor_print(out);
}
