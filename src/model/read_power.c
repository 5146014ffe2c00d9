/* The power graph as it is written: elements, their laws, and the bonds between them. */
#include "model/power.h"

#include <math.h>
#include <string.h>

static const char *const type_names[] = {"Se", "Sf",         "R",          "C",    "I",   "TF",
                                         "GY", "0-junction", "1-junction", "port", "bond"};

int lm_power_has(const lm_power_in *in, const char *key)
{
    const lm_key *row = lm_schema_key(lm_schema_object(LM_OBJECT_POWER), key, in->type);
    if (!row || !lm_schema_allowed(row, in->type)) return 0;
    return lm_read_given(LM_OBJECT_POWER, in->given, key, in->type);
}

const char *lm_power_title(lm_reader *r, int element)
{
    const lm_spec_element *e = &r->spec->elements.at[element];
    return lm_arena_printf(&r->scratch, "%s '%s'", type_names[e->type], e->item.name);
}

int lm_kind_junction(lm_reader *r, const lm_key *key, const lm_yaml *node, void *base)
{
    const char *name = lm_read_reference(r, node);
    int *out = (int *)((char *)base + key->offset);
    if (!name) return -1;
    *out = lm_find(r, &r->power, name, lm_yaml_text_loc(node));
    return *out < 0 ? -1 : 0;
}

/* --- laws --- */

/* Exactly one of the keys must be given: its number, or -1 after an error. */
static int one_of(lm_reader *r, const lm_power_in *in, const char *const keys[], int n)
{
    int found = -1;
    for (int i = 0; i < n; i++) {
        if (!lm_power_has(in, keys[i])) continue;
        if (found >= 0) {
            lm_error(r->diag, r->where->loc, "%s has '%s' and '%s'; give one of them",
                     lm_where_text(r), keys[found], keys[i]);
            return -1;
        }
        found = i;
    }
    if (found < 0)
        lm_error(r->diag, r->where->loc, "%s needs one of %s", lm_where_text(r),
                 lm_list_names(r, keys, n));
    return found;
}

int lm_power_read_law(lm_reader *r, int entry, const char *key, lm_scope scope, lm_expr *out)
{
    const lm_yaml *node = lm_yaml_get(r->power.entries.at[entry].value, key, NULL);
    r->key = key;
    int rc = node ? lm_read_expr(r, node, scope, out) : -1;
    r->key = NULL;
    return rc;
}

/* The law for the first time: mistakes are found here, and what it depends on. */
static int read_law(lm_reader *r, lm_power_in *in, const char *key, const char *own, lm_scope scope)
{
    int entry = (int)(in - r->power_in.at);
    r->own_name = own;
    r->own_slot = scope == LM_SCOPE_SECTION ? LM_SLOT_S : LM_POWER_OWN_SLOT;
    int rc = lm_power_read_law(r, entry, key, scope, &in->law);
    r->own_name = NULL;
    return rc;
}

static int not_zero(lm_reader *r, const lm_power_in *in, const char *key)
{
    if (!in->law.constant || in->law.value != 0) return 0;
    lm_error(r->diag, in->law.loc, "'%s' in %s is 0; it must not be", key, lm_where_text(r));
    return -1;
}

static int read_resistance(lm_reader *r, lm_power_in *in)
{
    static const char *const keys[] = {"resistance", "effort", "flow"};
    static const char *const own[] = {NULL, "f", "e"};
    int k = one_of(r, in, keys, 3);
    return k < 0 ? -1 : read_law(r, in, keys[k], own[k], LM_SCOPE_SENSORS);
}

/* C and I: a number or a law of the state alone, and how it starts. */
static int read_storage(lm_reader *r, lm_power_in *in)
{
    static const char *const c_keys[] = {"capacitance", "stiffness", "effort"};
    static const char *const i_keys[] = {"inertia", "flow"};
    int is_c = in->type == LM_ELEMENT_C;
    int k = one_of(r, in, is_c ? c_keys : i_keys, is_c ? 3 : 2);
    const char *state = is_c ? "q" : "p", *start = is_c ? "initial_effort" : "initial_flow";
    if (k < 0) return -1;
    double slope = is_c ? (k == 0 ? 1 / in->capacitance : in->stiffness) : 1 / in->inertia;
    if (k == (is_c ? 2 : 1)) {
        slope = 0;
        if (read_law(r, in, is_c ? "effort" : "flow", state, LM_SCOPE_SECTION)) return -1;
    }
    if (!lm_power_has(in, start)) return 0;
    if (lm_power_has(in, "initial")) {
        lm_error(r->diag, r->where->loc, "%s has 'initial' and '%s'; remove one", lm_where_text(r),
                 start);
        return -1;
    }
    if (slope == 0) {
        lm_error(r->diag, r->where->loc,
                 "%s has '%s', which only a linear one can have; give 'initial', its %s",
                 lm_where_text(r), start, is_c ? "displacement" : "momentum");
        return -1;
    }
    in->initial = in->initial_law / slope;
    return 0;
}

/* --- ports --- */

/* The number of the coordinate that the port acts on, into in->coordinate. */
static int joint_coordinate(lm_reader *r, lm_power_in *in)
{
    const lm_spec_joint *j = &r->spec->joints.at[in->joint];
    char word[LM_CHOICE_MOST];
    int n = lm_joint_coord_count(j->type), found = -1;
    for (int i = 0; i < n; i++)
        if ((int)lm_joint_coord(j->type, i) == in->coordinate) found = i;
    if (n == 1 && in->coordinate < 0) found = 0;
    if (!n)
        lm_error(r->diag, r->where->loc, "%s: joint '%s' is %s and has no coordinate to act on",
                 lm_where_text(r), j->item.name,
                 lm_schema_word(LM_OBJECT_JOINT, (int)j->type, word));
    else if (found < 0 && in->coordinate < 0)
        lm_error(r->diag, r->where->loc,
                 "%s: joint '%s' has several coordinates; add 'coordinate' (%s)", lm_where_text(r),
                 j->item.name, lm_coord_names(r, j->type));
    else if (found < 0)
        lm_error(r->diag, r->where->loc, "%s: joint '%s' has no coordinate '%s' (%s)",
                 lm_where_text(r), j->item.name, lm_coord_name((lm_coord_kind)in->coordinate),
                 lm_coord_names(r, j->type));
    in->coordinate = found;
    return found < 0 ? -1 : 0;
}

static int read_joint_port(lm_reader *r, lm_power_in *in)
{
    const lm_spec_joint *j = &r->spec->joints.at[in->joint];
    if (j->item.bad || joint_coordinate(r, in)) return -1;
    const lm_spec_coord *c = &j->coord[in->coordinate];
    const char *name = lm_coord_name(lm_joint_coord(j->type, in->coordinate));
    if (!c->has_drive) return 0;
    lm_error(r->diag, r->where->loc,
             "%s acts on the %s of joint '%s', which has a 'drive': it moves as prescribed, "
             "whatever the power graph does; remove one of them",
             lm_where_text(r), name, j->item.name);
    return -1;
}

static int read_frame_port(lm_reader *r, lm_power_in *in)
{
    int force = lm_power_has(in, "force"), torque = lm_power_has(in, "torque");
    if (force == torque) {
        lm_error(r->diag, r->where->loc,
                 force ? "%s has 'force' and 'torque'; a port has one effort: make two ports"
                       : "%s needs 'force' or 'torque' (the direction [x, y, z] of its effort)",
                 lm_where_text(r));
        return -1;
    }
    if (r->spec->frames.at[in->frame].body < 0) {
        lm_error(r->diag, r->where->loc, "%s acts on the ground, where it has no effect",
                 lm_where_text(r));
        return -1;
    }
    double *d = force ? in->force : in->torque;
    double big = fmax(fabs(d[0]), fmax(fabs(d[1]), fabs(d[2])));
    for (int i = 0; i < 3; i++) d[i] /= big;
    double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    for (int i = 0; i < 3; i++) d[i] /= length;
    return 0;
}

/* The ground itself is no point from which a distance could be measured. */
static int read_distance_port(lm_reader *r, const lm_power_in *in)
{
    for (int i = 0; i < 2; i++) {
        if (r->spec->frames.at[in->between[i]].kind != LM_FRAME_GROUND) continue;
        lm_error(r->diag, r->where->loc,
                 "%s acts between two points; write ground.at(x,y,z) instead of 'ground'",
                 lm_where_text(r));
        return -1;
    }
    return 0;
}

static int foreign_port_keys(lm_reader *r, const lm_power_in *in, int kind)
{
    static const char *const keys[] = {"coordinate", "force", "torque"};
    static const int of[] = {0, 1, 1};
    static const char *const needs[] = {"joint", "frame"};
    for (int i = 0; i < 3; i++) {
        if (!lm_power_has(in, keys[i]) || of[i] == kind) continue;
        lm_error(r->diag, r->where->loc, "%s: '%s' goes with '%s' only", lm_where_text(r), keys[i],
                 needs[of[i]]);
        return -1;
    }
    return 0;
}

static int read_port(lm_reader *r, lm_power_in *in)
{
    static const char *const keys[] = {"joint", "frame", "between"};
    int kind = one_of(r, in, keys, 3);
    if (kind < 0 || foreign_port_keys(r, in, kind)) return -1;
    if (kind == 0) return read_joint_port(r, in);
    return kind == 1 ? read_frame_port(r, in) : read_distance_port(r, in);
}

/* --- entries --- */

static int read_details(lm_reader *r, lm_power_in *in)
{
    switch (in->type) {
    case LM_ELEMENT_SE: return read_law(r, in, "effort", NULL, LM_SCOPE_SENSORS);
    case LM_ELEMENT_SF: return read_law(r, in, "flow", NULL, LM_SCOPE_SENSORS);
    case LM_ELEMENT_TF:
    case LM_ELEMENT_GY:
        if (read_law(r, in, "modulus", NULL, LM_SCOPE_SENSORS)) return -1;
        return not_zero(r, in, "modulus");
    case LM_ELEMENT_R: return read_resistance(r, in);
    case LM_ELEMENT_C:
    case LM_ELEMENT_I: return read_storage(r, in);
    case LM_ELEMENT_PORT: return read_port(r, in);
    default: return 0;
    }
}

static int read_entry(lm_reader *r, const lm_named *entry, void *item)
{
    lm_power_in *in = item;
    in->on = in->from = in->to = in->joint = in->frame = in->element = in->bond = -1;
    in->between[0] = in->between[1] = -1;
    in->coordinate = -1;
    if (lm_read_object(r, LM_OBJECT_POWER, entry->value, in, &in->given)) return -1;
    const lm_where *outer = r->where;
    lm_where here = *outer;
    here.noun = type_names[in->type];
    r->where = &here;
    int rc = read_details(r, in);
    r->where = outer;
    return rc;
}

/* `on`, `from` and `to` must be junctions. */
static int check_end(lm_reader *r, const lm_power_in *in, const char *key, int other)
{
    if (other < 0) return 0;
    const lm_power_in *at = &r->power_in.at[other];
    if (at->item.bad || lm_power_is_junction(at->type)) return 0;
    const lm_yaml *node = lm_yaml_get(r->power.entries.at[in - r->power_in.at].value, key, NULL);
    lm_error(r->diag, node ? node->loc : in->item.loc,
             "'%s' in %s '%s' must name a junction (type 0 or 1); '%s' is %s %s", key,
             type_names[in->type], in->item.name, at->item.name,
             at->type == LM_ELEMENT_R || at->type == LM_ELEMENT_I || at->type <= LM_ELEMENT_SF
                 ? "an"
                 : "a",
             type_names[at->type]);
    return -1;
}

static int check_ends(lm_reader *r, lm_power_in *in)
{
    int rc = check_end(r, in, "on", in->on);
    if (check_end(r, in, "from", in->from)) rc = -1;
    if (check_end(r, in, "to", in->to)) rc = -1;
    if (in->from >= 0 && in->from == in->to && !rc) {
        lm_error(r->diag, in->item.loc, "%s '%s' begins and ends at the same junction, '%s'",
                 type_names[in->type], in->item.name, r->power_in.at[in->to].item.name);
        rc = -1;
    }
    if (rc) in->item.bad = 1;
    return rc;
}

void lm_read_power(lm_reader *r)
{
    LM_READ_TABLE(r, &r->power, &r->power_in, read_entry);
    for (int i = 0; i < r->power_in.n; i++)
        if (!r->power_in.at[i].item.bad) check_ends(r, &r->power_in.at[i]);
}

/* --- elements and bonds --- */

static void make_element(lm_reader *r, lm_power_in *in)
{
    if (in->type == LM_POWER_BOND) return;
    lm_spec_element e = {.item = in->item,
                         .type = (lm_element_type)in->type,
                         .domain = (lm_domain)in->domain,
                         .state = -1,
                         .joint = in->joint,
                         .coord = in->joint < 0 ? -1 : in->coordinate,
                         .load = -1,
                         .force = -1};
    in->element = r->spec->elements.n;
    *LM_PUSH(r->arena, &r->spec->elements) = e;
}

static int make_bond(lm_reader *r, int from, int to)
{
    *LM_PUSH(r->arena, &r->spec->bonds) = (lm_spec_bond){from, to, -1};
    r->spec->elements.at[from].nbonds++;
    r->spec->elements.at[to].nbonds++;
    return r->spec->bonds.n - 1;
}

static void make_bonds(lm_reader *r, lm_power_in *in)
{
    const lm_power_in *all = r->power_in.at;
    int from = in->from < 0 ? -1 : all[in->from].element;
    int to = in->to < 0 ? -1 : all[in->to].element;
    int on = in->on < 0 ? -1 : all[in->on].element;
    if (in->type == LM_POWER_BOND) {
        in->bond = make_bond(r, from, to);
    } else if (from >= 0) {
        in->bond = make_bond(r, from, in->element);
        make_bond(r, in->element, to);
    } else if (on >= 0) {
        int source = in->type == LM_ELEMENT_SE || in->type == LM_ELEMENT_SF;
        in->bond = source ? make_bond(r, in->element, on) : make_bond(r, on, in->element);
    }
}

/* The list of bonds of each element. */
static void list_bonds(lm_reader *r)
{
    lm_spec *s = r->spec;
    int *all = LM_NEW_N(r->arena, int, 2 * (size_t)s->bonds.n + 1), at = 0;
    int **next = LM_NEW_N(r->arena, int *, (size_t)s->elements.n + 1);
    for (int i = 0; i < s->elements.n; i++) {
        s->elements.at[i].bond = next[i] = all + at;
        at += s->elements.at[i].nbonds;
    }
    for (int b = 0; b < s->bonds.n; b++) {
        *next[s->bonds.at[b].from]++ = b;
        *next[s->bonds.at[b].to]++ = b;
    }
}

static int check_junctions(lm_reader *r)
{
    int rc = 0;
    for (int i = 0; i < r->spec->elements.n; i++) {
        const lm_spec_element *e = &r->spec->elements.at[i];
        if (!lm_power_is_junction((int)e->type) || e->nbonds) continue;
        lm_error(r->diag, e->item.loc,
                 "%s has nothing on it; name it with 'on', 'from' or 'to' of an element, or "
                 "remove it",
                 lm_power_title(r, i));
        rc = -1;
    }
    return rc;
}

void lm_compile_power(lm_reader *r)
{
    int bad = r->power.broken;
    for (int i = 0; i < r->power_in.n; i++) bad |= r->power_in.at[i].item.bad;
    if (bad || !r->power_in.n) return;
    for (int i = 0; i < r->power_in.n; i++) make_element(r, &r->power_in.at[i]);
    for (int i = 0; i < r->power_in.n; i++) make_bonds(r, &r->power_in.at[i]);
    list_bonds(r);
    int *region = LM_NEW_N(r->arena, int, (size_t)r->spec->elements.n + 1);
    if (check_junctions(r) || lm_power_domains(r, region) || lm_power_causality(r)) return;
    lm_power_equations(r, region);
}
