/* Sensors: what an expression can ask the mechanism for. */
#include "model/reader.h"

#include <stdlib.h>
#include <string.h>

#define XYZ "x|y|z"

typedef enum arguments {
    ARGS_FRAMES,
    ARGS_JOINT,
    ARGS_COORDINATE,
    ARGS_BEAM,
    ARGS_BEAM_S,
    ARGS_BODY, /* or none: the whole model */
    ARGS_NONE,
    ARGS_POWER /* an element of the power graph */
} arguments;

static const struct sensor {
    const char *name;
    lm_sensor_kind kind;
    arguments args;
    const char *components; /* NULL: those of the joint */
    const char *usage, *doc;
} sensors[] = {
    {"pos", LM_SENSOR_POS, ARGS_FRAMES, XYZ, "pos(frame) or pos(frame, relative_to)", "position"},
    {"vel", LM_SENSOR_VEL, ARGS_FRAMES, XYZ, "vel(frame) or vel(frame, relative_to)", "velocity"},
    {"acc", LM_SENSOR_ACC, ARGS_FRAMES, XYZ, "acc(frame) or acc(frame, relative_to)",
     "acceleration"},
    {"rot", LM_SENSOR_ROT, ARGS_FRAMES, XYZ, "rot(frame) or rot(frame, relative_to)",
     "rotation vector"},
    {"omega", LM_SENSOR_OMEGA, ARGS_FRAMES, XYZ, "omega(frame) or omega(frame, relative_to)",
     "angular velocity"},
    {"alpha", LM_SENSOR_ALPHA, ARGS_FRAMES, XYZ, "alpha(frame) or alpha(frame, relative_to)",
     "angular acceleration"},
    {"joint", LM_SENSOR_JOINT, ARGS_COORDINATE, NULL, "joint(name)",
     "joint coordinate; `.angle`, `.displacement` ... when the joint has several"},
    {"rate", LM_SENSOR_RATE, ARGS_COORDINATE, NULL, "rate(joint or coordinate)",
     "rate of a joint coordinate or of a coordinate of `coordinates`"},
    {"accel", LM_SENSOR_ACCEL, ARGS_COORDINATE, NULL, "accel(joint)",
     "second time derivative of a joint coordinate"},
    {"force", LM_SENSOR_FORCE, ARGS_JOINT, XYZ, "force(joint)", "reaction force on b, global axes"},
    {"moment", LM_SENSOR_MOMENT, ARGS_JOINT, XYZ, "moment(joint)",
     "reaction moment on b, global axes"},
    {"deflection", LM_SENSOR_DEFLECTION, ARGS_BEAM_S, XYZ, "deflection(beam, s)",
     "displacement from the chord through the beam's ends, in axes whose x is the chord"},
    {"tip", LM_SENSOR_TIP, ARGS_BEAM, XYZ, "tip(beam)",
     "displacement of the end from its undeformed place as seen from the start section"},
    {"section", LM_SENSOR_SECTION, ARGS_BEAM_S, "N|Vy|Vz|T|My|Mz|stress", "section(beam, s).My",
     "section forces and largest stress at s (0 to 1)"},
    {"energy", LM_SENSOR_ENERGY, ARGS_BODY, "kinetic|elastic|gravity|total",
     "energy.kinetic or energy(body).kinetic", "energy of the whole model, or of one body"},
    {"power", LM_SENSOR_POWER, ARGS_NONE, "external", "power.external or power(element)",
     "power of loads and drives; of an element of `power`: along its bond"},
    {"effort", LM_SENSOR_VARIABLE, ARGS_POWER, NULL, "effort(element)",
     "effort of an element of `power`; of a TF or GY at its `from`"},
    {"flow", LM_SENSOR_VARIABLE, ARGS_POWER, NULL, "flow(element)",
     "flow of an element of `power`; of a TF or GY at its `from`"},
    {"state", LM_SENSOR_VARIABLE, ARGS_POWER, NULL, "state(element)",
     "displacement of a C, momentum of an I of `power`"},
};
enum { SENSORS = sizeof sensors / sizeof *sensors };

static const struct sensor *find_sensor(const char *name)
{
    for (int i = 0; i < SENSORS; i++)
        if (strcmp(sensors[i].name, name) == 0) return &sensors[i];
    return NULL;
}

int lm_sensor_is(const char *name) { return find_sensor(name) != NULL; }

void lm_sensor_print(FILE *out)
{
    for (int i = 0; i < SENSORS; i++) {
        char word[LM_CHOICE_MOST];
        const struct sensor *s = &sensors[i];
        fprintf(out, "| `%s` | ", s->usage);
        for (int k = 0; s->components && k < lm_choices_count(s->components); k++)
            fprintf(out, "%s`.%s`", k ? " " : "", lm_choices_get(s->components, k, word));
        fprintf(out, " | %s |\n", s->doc);
    }
}

const char *lm_sensor_name(int i) { return i < SENSORS ? sensors[i].name : NULL; }

/* The slot of the sensor: identical ones share it. */
static int slot_of(lm_reader *r, const lm_spec_sensor *s)
{
    const char *key = lm_arena_printf(
        &r->scratch, "%d %d %d %d %d %d %.17g %d %d %d %d", (int)s->kind, s->frame[0], s->frame[1],
        s->joint, s->coord, s->body, s->s, s->coordinate, s->state, s->variable, s->component);
    int old, i = lm_names_find(&r->sensor_keys, key);
    if (i < 0) {
        i = lm_names_add(r->arena, &r->sensor_keys, lm_arena_str(r->arena, key), &old);
        *LM_PUSH(r->arena, &r->spec->sensors) = *s;
    }
    return 1 + i;
}

static lm_spec_sensor blank(lm_sensor_kind kind, lm_loc loc)
{
    return (lm_spec_sensor){.kind = kind,
                            .frame = {-1, -1},
                            .joint = -1,
                            .coord = -1,
                            .body = -1,
                            .coordinate = -1,
                            .state = -1,
                            .variable = -1,
                            .loc = loc};
}

int lm_sensor_same(lm_reader *r, const lm_spec_sensor *s) { return slot_of(r, s); }

int lm_sensor_variable(lm_reader *r, int variable, int rate)
{
    lm_spec_sensor s =
        blank(rate ? LM_SENSOR_VARIABLE_RATE : LM_SENSOR_VARIABLE, (lm_loc){NULL, 0, 0});
    s.variable = variable;
    return slot_of(r, &s);
}

int lm_sensor_coordinate(lm_reader *r, int coordinate, lm_loc loc)
{
    lm_spec_sensor s = blank(LM_SENSOR_COORDINATE, loc);
    s.coordinate = coordinate;
    return slot_of(r, &s);
}

int lm_sensor_state(lm_reader *r, int state)
{
    lm_spec_sensor s = blank(LM_SENSOR_STATE, (lm_loc){NULL, 0, 0});
    s.state = state;
    return slot_of(r, &s);
}

int lm_sensor_delay(lm_reader *r, int delay)
{
    lm_spec_sensor s = blank(LM_SENSOR_DELAY, (lm_loc){NULL, 0, 0});
    s.state = delay;
    return slot_of(r, &s);
}

int lm_sensor_step(lm_reader *r)
{
    lm_spec_sensor s = blank(LM_SENSOR_STEP, (lm_loc){NULL, 0, 0});
    return slot_of(r, &s);
}

/* --- arguments: 0, -1 after an error, 1 when they name something that was already reported --- */

static int frames(lm_reader *r, const lm_sensor_call *call, lm_spec_sensor *s)
{
    for (int i = 0; i < call->nargs; i++) {
        int errors = r->diag->errors;
        s->frame[i] = lm_frame_resolve(r, call->args[i], call->loc);
        if (s->frame[i] < 0) return r->diag->errors > errors ? -1 : 1;
    }
    if (call->nargs == 2 && strcmp(call->args[1], "ground") == 0) s->frame[1] = -1;
    return 0;
}

static int body(lm_reader *r, const lm_sensor_call *call, lm_spec_sensor *s)
{
    int errors = r->diag->errors;
    s->body = lm_find(r, &r->bodies, call->args[0], call->loc);
    if (s->body < 0) return r->diag->errors > errors ? -1 : 1;
    return r->spec->bodies.at[s->body].item.bad;
}

static int beam(lm_reader *r, const lm_sensor_call *call, lm_spec_sensor *s)
{
    int rc = body(r, call, s);
    if (rc) return rc;
    const char *name = call->args[0];
    const lm_spec_body *b = &r->spec->bodies.at[s->body];
    if (b->type != LM_BODY_BEAM) {
        lm_error(r->diag, call->loc, "%s(%s): '%s' is not a beam", call->fn, name, name);
        return -1;
    }
    if (call->nargs < 2) return 0;
    char *end;
    s->s = strtod(call->args[1], &end);
    if (!*end && end != call->args[1] && s->s >= 0 && s->s <= 1) return 0;
    lm_error(r->diag, call->loc,
             "%s(%s, %s): the position along a beam is a number from 0 (start) "
             "to 1 (end)",
             call->fn, name, lm_quoted(r, call->args[1]));
    return -1;
}

static int joint(lm_reader *r, const lm_sensor_call *call, lm_spec_sensor *s)
{
    int errors = r->diag->errors;
    s->joint = lm_find(r, &r->joints, call->args[0], call->loc);
    if (s->joint < 0) return r->diag->errors > errors ? -1 : 1;
    return r->spec->joints.at[s->joint].item.bad ? 1 : 0;
}

/* The coordinate of a joint that the component names, or the only one. */
static int joint_coord(lm_reader *r, const lm_sensor_call *call, lm_spec_sensor *s)
{
    const lm_spec_joint *j = &r->spec->joints.at[s->joint];
    const char *names[LM_JOINT_COORDS];
    char word[LM_CHOICE_MOST];
    int n = lm_joint_coord_count(j->type);
    for (int i = 0; i < n; i++) {
        names[i] = lm_coord_name(lm_joint_coord(j->type, i));
        if (strcmp(names[i], call->component) == 0) s->coord = i;
    }
    if (n == 1 && !*call->component) s->coord = 0;
    if (s->coord >= 0) return 0;
    if (!n)
        lm_error(r->diag, call->loc, "%s(%s): a %s joint has no coordinate", call->fn, j->item.name,
                 lm_schema_word(LM_OBJECT_JOINT, (int)j->type, word));
    else if (*call->component)
        lm_error(r->diag, call->loc, "%s(%s).%s: joint '%s' has the coordinates %s", call->fn,
                 j->item.name, lm_quoted(r, call->component), j->item.name,
                 lm_list_names(r, names, n));
    else
        lm_error(r->diag, call->loc,
                 "%s(%s): joint '%s' has several coordinates; write "
                 "%s(%s).%s (%s)",
                 call->fn, j->item.name, j->item.name, call->fn, j->item.name, names[0],
                 lm_list_names(r, names, n));
    return -1;
}

static int coordinate(lm_reader *r, const lm_sensor_call *call, lm_spec_sensor *s)
{
    if (s->kind == LM_SENSOR_RATE) {
        s->coordinate = lm_names_find(&r->coordinates.names, call->args[0]);
        if (s->coordinate >= 0) {
            s->kind = LM_SENSOR_COORDINATE_RATE;
            if (!*call->component) return 0;
            lm_error(r->diag, call->loc, "rate(%s) has no components", call->args[0]);
            return -1;
        }
        if (r->coordinates.broken) return 1;
        if (!r->joints.entries.n && r->coordinates.entries.n && !r->joints.broken)
            return lm_find(r, &r->coordinates, call->args[0], call->loc);
    }
    int rc = joint(r, call, s);
    return rc ? rc : joint_coord(r, call, s);
}

static int read_arguments(lm_reader *r, const struct sensor *def, const lm_sensor_call *call,
                          lm_spec_sensor *s)
{
    static const int least[] = {1, 1, 1, 1, 2, 0, 0, 1}, most[] = {2, 1, 1, 1, 2, 1, 0, 1};
    if (call->nargs < least[def->args] || call->nargs > most[def->args]) {
        lm_error(r->diag, call->loc, "%s has %d argument%s; write %s", def->name, call->nargs,
                 call->nargs == 1 ? "" : "s", def->usage);
        return -1;
    }
    switch (def->args) {
    case ARGS_FRAMES: return frames(r, call, s);
    case ARGS_JOINT: return joint(r, call, s);
    case ARGS_COORDINATE: return coordinate(r, call, s);
    case ARGS_BEAM:
    case ARGS_BEAM_S: return beam(r, call, s);
    case ARGS_BODY: return call->nargs ? body(r, call, s) : 0;
    case ARGS_POWER:
    case ARGS_NONE: return 0;
    }
    return 0;
}

/* --- the power graph: a variable that gets its expression when the graph is known --- */

static int power_variable(lm_reader *r, int what, int entry, const lm_sensor_call *call)
{
    const char *key = lm_arena_printf(&r->scratch, "%d %d", what, entry);
    int old, i = lm_names_find(&r->request_keys, key);
    if (i >= 0) return r->power_requests.at[i].variable;
    lm_names_add(r->arena, &r->request_keys, lm_arena_str(r->arena, key), &old);
    const char *name = lm_arena_printf(r->arena, "%s(%s)", call->fn, call->args[0]);
    int k = lm_new_variable(r, name, call->loc, LM_VARIABLE_VALUE);
    *LM_PUSH(r->arena, &r->power_requests) = (lm_power_request){entry, what, k, call->loc};
    return k;
}

static int power_slot(lm_reader *r, const struct sensor *def, const lm_sensor_call *call, int *slot)
{
    static const char *const whats[] = {"effort", "flow", "power", "state"};
    int what = 0, errors = r->diag->errors;
    while (strcmp(whats[what], call->fn) != 0) what++;
    *slot = 1;
    if (call->nargs != 1 || *call->component) {
        lm_error(r->diag, call->loc, "%s takes one element of 'power'; write %s", call->fn,
                 def->usage);
        return -1;
    }
    int entry = lm_find(r, &r->power, call->args[0], call->loc);
    if (entry < 0 && r->diag->errors > errors) return -1;
    if (entry < 0)
        r->tainted = 1;
    else
        *slot = lm_sensor_variable(r, power_variable(r, what, entry, call), 0);
    return 0;
}

/* --- components --- */

static int read_component(lm_reader *r, const struct sensor *def, const lm_sensor_call *call,
                          lm_spec_sensor *s)
{
    if (!def->components) return 0;
    int vector = strcmp(def->components, XYZ) == 0;
    if (!*call->component && vector && r->vectors_allowed) {
        r->vectors++;
        s->component = r->component;
        return 0;
    }
    s->component = lm_choices_find(def->components, call->component);
    if (s->component >= 0) return 0;
    if (*call->component)
        lm_error(r->diag, call->loc, "'%s' is no component of %s (components: %s)",
                 lm_quoted(r, call->component), def->name, lm_list_choices(r, def->components));
    else if (vector)
        lm_error(r->diag, call->loc,
                 "%s is a vector here; take a component (.x, .y or .z) or its "
                 "length, norm(%s(...))",
                 def->name, def->name);
    else
        lm_error(r->diag, call->loc, "%s needs a component, e.g. %s (components: %s)", def->name,
                 def->usage, lm_list_choices(r, def->components));
    return -1;
}

/* The stress needs the outline of the section. */
static int check_stress(lm_reader *r, const lm_sensor_call *call, const lm_spec_sensor *s)
{
    if (s->kind != LM_SENSOR_SECTION || s->component != LM_SECTION_STRESS) return 0;
    const lm_spec_section *c = &r->spec->sections.at[r->spec->bodies.at[s->body].section];
    if (c->shape != LM_SHAPE_GENERAL && c->shape != LM_SHAPE_STIFFNESS) return 0;
    lm_error(r->diag, call->loc,
             "section(%s, ..).stress: section '%s' has the shape '%s', whose outline is not known; "
             "take N, My and Mz, or describe it as rectangle, circle, tube or box",
             call->args[0], c->item.name, c->shape == LM_SHAPE_GENERAL ? "general" : "stiffness");
    return -1;
}

int lm_sensor_slot(lm_reader *r, const lm_sensor_call *call, int *slot)
{
    const struct sensor *def = find_sensor(call->fn);
    if (def->args == ARGS_POWER || (def->kind == LM_SENSOR_POWER && call->nargs))
        return power_slot(r, def, call, slot);
    lm_spec_sensor s = blank(def->kind, call->loc);
    int rc = read_arguments(r, def, call, &s);
    *slot = 1;
    if (rc < 0) return -1;
    if (read_component(r, def, call, &s)) return -1;
    if (rc == 0 && check_stress(r, call, &s)) return -1;
    if (rc > 0)
        r->tainted = 1;
    else
        *slot = slot_of(r, &s);
    return 0;
}
