/* Outputs, analyses and the formulation. */
#include "model/ports.h"
#include "model/reader.h"

#include <math.h>
#include <string.h>

/* --- outputs --- */

static void push_output(lm_reader *r, const lm_named *entry, const char *suffix, const lm_expr *e)
{
    lm_spec_output *o = LM_PUSH(r->arena, &r->spec->outputs);
    o->item.name = *suffix ? lm_arena_printf(r->arena, "%s%s", entry->name, suffix) : entry->name;
    o->item.loc = entry->key->loc;
    o->expr = *e;
}

/* An output that is just a vector sensor becomes three. */
static int read_output(lm_reader *r, const lm_named *entry)
{
    static const char *const suffix[] = {".x", ".y", ".z"};
    lm_expr e;
    r->vectors = r->component = 0;
    r->vectors_allowed = 1;
    int rc = lm_read_expr(r, entry->value, LM_SCOPE_SENSORS, &e);
    r->vectors_allowed = 0;
    if (rc) return -1;
    if (!r->vectors) {
        push_output(r, entry, "", &e);
        return 0;
    }
    if (r->vectors > 1 || e.nops != 1) /* the message of a vector in the wrong place */
        return lm_read_expr(r, entry->value, LM_SCOPE_SENSORS, &e);
    push_output(r, entry, suffix[0], &e);
    r->vectors_allowed = 1;
    for (r->component = 1; r->component < 3; r->component++)
        if (lm_read_expr(r, entry->value, LM_SCOPE_SENSORS, &e) == 0)
            push_output(r, entry, suffix[r->component], &e);
    r->vectors_allowed = 0;
    return 0;
}

void lm_read_outputs(lm_reader *r)
{
    for (int i = 0; i < r->outputs.entries.n; i++) {
        const lm_named *entry = &r->outputs.entries.at[i];
        lm_where where;
        if (lm_enter(r, &r->outputs, entry, &where) == 0) lm_leave(r, entry, read_output(r, entry));
    }
}

/* --- analyses --- */

static int unknown_in_list(lm_reader *r, const lm_yaml *node, const char *name, const char *what,
                           const lm_table *table)
{
    const char *const *names = (const char *const *)table->bases.list.at;
    const char *hint = lm_suggest(r, name, names, table->bases.list.n);
    if (!*hint && table->bases.list.n)
        hint = lm_arena_printf(&r->scratch, " (%s: %s)", table->plural,
                               lm_list_names(r, names, table->bases.list.n));
    lm_error(r->diag, node->loc, "'%s' is no %s%s", lm_quoted(r, name), what, hint);
    return -1;
}

/* The name up to a '.' outside parentheses. */
static const char *head(lm_reader *r, const char *name)
{
    int depth = 0;
    const char *c = name;
    for (; *c && !(*c == '.' && !depth); c++) depth += (*c == '(') - (*c == ')');
    return lm_arena_strn(&r->scratch, name, (size_t)(c - name));
}

static const lm_yaml *list_item(const lm_yaml *list, int i)
{
    return list->kind == LM_YAML_LIST ? list->items[i] : list;
}

/* An input of a load or joint that is there, but has no such part. */
static int no_input(lm_reader *r, const lm_yaml *node, const char *name, int joint)
{
    const char *text = lm_quoted(r, name);
    if (joint && strstr(name, ".drive"))
        lm_error(r->diag, node->loc,
                 "'%s' cannot be an input: a prescribed motion brings its rate and acceleration "
                 "with it; take the drive away and give the joint an 'effort'",
                 text);
    else if (joint)
        lm_error(r->diag, node->loc,
                 "'%s' is no input: the inputs of a joint are its efforts, JOINT.effort; without "
                 "any, write 'effort: 0' there",
                 text);
    else
        lm_error(r->diag, node->loc,
                 "'%s' is no input: those of a load are LOAD.force.x to LOAD.torque.z, as far as "
                 "it has a force or a torque",
                 text);
    return -1;
}

static int check_input(lm_reader *r, const lm_yaml *node, const char *name)
{
    const char *first = head(r, name);
    int load = lm_names_find(&r->loads.names, first);
    int joint = lm_names_find(&r->joints.names, first);
    if (r->loads.broken || r->joints.broken) return 0;
    if (load < 0 && joint < 0 && lm_inputs_named(r->spec, name, NULL) > 0) return 0; /* a signal */
    if (load < 0 && joint < 0)
        return unknown_in_list(r, node, first, "load, joint or signal",
                               r->loads.entries.n ? &r->loads : &r->joints);
    return lm_inputs_named(r->spec, name, NULL) > 0 ? 0 : no_input(r, node, name, joint >= 0);
}

/* Inputs of a linearisation are loads or joints, outputs are outputs. */
static int check_names(lm_reader *r, const lm_spec_analysis *a, const lm_yaml *node)
{
    int rc = 0;
    const lm_yaml *inputs = lm_yaml_get(node, "inputs", NULL);
    const lm_yaml *outputs = lm_yaml_get(node, "outputs", NULL);
    for (int i = 0; i < a->ninputs; i++)
        if (check_input(r, list_item(inputs, i), a->inputs[i])) rc = -1;
    for (int i = 0; i < a->noutputs; i++) {
        if (r->outputs.broken || lm_outputs_named(r->spec, a->outputs[i], NULL) > 0) continue;
        rc = unknown_in_list(r, list_item(outputs, i), a->outputs[i], "output", &r->outputs);
    }
    return rc;
}

static int check_linearize(lm_reader *r, const lm_spec_analysis *a, const lm_yaml *node)
{
    const double *f = a->frequencies;
    const lm_yaml *at = lm_yaml_get(node, "at", NULL);
    int rc = check_names(r, a, node);
    if (at && a->about_statics) {
        lm_error(r->diag, at->loc, "'at' is a time of a run: it does not go with 'about: statics'");
        rc = -1;
    }
    if (f[2] == 0 || (f[0] > 0 && f[1] > f[0])) return rc;
    lm_error(r->diag, lm_yaml_get(node, "frequencies", NULL)->loc,
             "frequencies are [from, to, count] with 0 < from < to");
    return -1;
}

static int check_dynamics(lm_reader *r, lm_spec_analysis *a, const lm_yaml *node)
{
    if (a->output_step == 0) a->output_step = a->until / 1000;
    if (lm_yaml_get(node, "rho_inf", NULL) && a->method == LM_METHOD_AUTOMATIC)
        a->method = LM_METHOD_GENERALIZED_ALPHA; /* of which it is a number */
    double rows = a->until / a->output_step;
    const lm_yaml *step = lm_yaml_get(node, "output_step", NULL);
    if (rows <= LM_OUTPUT_ROWS) return 0;
    lm_error(r->diag, step ? step->loc : a->loc,
             "until / output_step makes %.3g rows of output; at most %d are possible, raise "
             "'output_step'",
             rows, LM_OUTPUT_ROWS);
    return -1;
}

static int check_statics(lm_reader *r, const lm_spec_analysis *a, const lm_yaml *node)
{
    const lm_yaml *steps = lm_yaml_get(node, "load_steps", NULL);
    if (!a->linear || !steps) return 0;
    lm_error(r->diag, steps->loc,
             "a linear analysis is one step: 'load_steps' goes with 'linear: false'");
    return -1;
}

static int check_campbell(lm_reader *r, const lm_spec_analysis *a, const lm_yaml *node)
{
    const lm_spec_joint *j = &r->spec->joints.at[a->drive];
    if (j->item.bad) return -1;
    for (int i = 0; i < lm_joint_coord_count(j->type); i++)
        if (lm_joint_coord(j->type, i) == LM_COORD_ANGLE) return 0;
    lm_error(r->diag, lm_yaml_get(node, "drive", NULL)->loc,
             "joint '%s' does not turn: a campbell analysis needs a joint with an angle (revolute, "
             "cylindrical or planar)",
             j->item.name);
    return -1;
}

static void read_analysis(lm_reader *r, const lm_yaml *node)
{
    lm_spec_analysis a = lm_analysis_defaults(LM_ANALYSIS_DYNAMICS, node->loc);
    lm_where where = {"analysis", NULL, node->loc, NULL};
    uint64_t given;
    r->where = &where;
    int rc = lm_read_object(r, LM_OBJECT_ANALYSIS, node, &a, &given);
    if (!rc && a.type == LM_ANALYSIS_DYNAMICS) rc = check_dynamics(r, &a, node);
    if (!rc && a.type == LM_ANALYSIS_STATICS) rc = check_statics(r, &a, node);
    if (!rc && a.type == LM_ANALYSIS_LINEARIZE) rc = check_linearize(r, &a, node);
    if (!rc && a.type == LM_ANALYSIS_CAMPBELL) rc = check_campbell(r, &a, node);
    r->where = NULL;
    if (!rc) *LM_PUSH(r->arena, &r->spec->analyses) = a;
}

void lm_read_analyses(lm_reader *r, const lm_yaml *node)
{
    if (!node) return;
    if (node->kind != LM_YAML_LIST) {
        read_analysis(r, node);
        return;
    }
    if (node->n == 0)
        lm_error(r->diag, node->loc,
                 "'analysis' is an empty list; name at least one analysis, e.g. "
                 "{type: dynamics, until: 1}");
    for (int i = 0; i < node->n; i++) {
        lm_scratch_trim(r);
        read_analysis(r, node->items[i]);
    }
}

/* --- formulation --- */

void lm_read_formulation(lm_reader *r, const lm_yaml *node)
{
    lm_spec_formulation *f = &r->spec->formulation;
    const lm_object *o = lm_schema_object(LM_OBJECT_FORMULATION);
    uint64_t given;
    *f = lm_formulation_defaults(r->spec->coordinates.n ? LM_FORM_MINIMAL : LM_FORM_COROTATIONAL);
    if (!node || lm_yaml_is_null(node)) return;
    f->given = 1;
    f->loc = node->loc;
    lm_where where = {"formulation", NULL, node->loc, NULL};
    r->where = &where;
    if (node->kind == LM_YAML_MAP)
        lm_read_object(r, LM_OBJECT_FORMULATION, node, f, &given);
    else
        lm_read_key(r, lm_schema_variant(o), node, f);
    r->where = NULL;
}
