/* Joints, springs and bushings -> pairs, constraint rows, actions and coordinates.
 *
 * A joint of each type is a list of measures that vanish (rows) and of measures that are free
 * (coordinates). The triad e1 e2 e3 has e3 along the axis; for a universal joint e1 and e2 are the
 * two axes. */
#include "model/compile.h"

#include <string.h>

typedef struct measure_def {
    lm_measure measure;
    int i, j;
    const char *what;
} measure_def;

/* The transverse axes of a joint are e1 and e2: x and y where its axis is z. That e1 stays normal to
 * f3 takes a moment about e2, and the other way round. */
#define FIRST  "its first transverse axis"
#define SECOND "its second transverse axis"

#define POINT3                                                                                     \
    {LM_POINT, 0, 0, "force x"}, {LM_POINT, 1, 0, "force y"}, { LM_POINT, 2, 0, "force z" }
#define ACROSS                                                                                     \
    {LM_ALONG, 0, 0, "force along " FIRST}, { LM_ALONG, 1, 0, "force along " SECOND }
#define ALIGN                                                                                      \
    {LM_DOT, 0, 2, "moment about " SECOND}, { LM_DOT, 1, 2, "moment about " FIRST }
#define LOCK(first, second, third)                                                                 \
    {LM_ANTI, 0, 0, "moment about " first}, {LM_ANTI, 1, 0, "moment about " second},               \
    {                                                                                              \
        LM_ANTI, 2, 0, "moment about " third                                                       \
    }

typedef struct joint_def {
    int nrows;
    measure_def row[6];
    int ncoords;
    measure_def coord[LM_JOINT_COORDS];
    int meet; /* points must meet: 3 in all directions, 2 across the axis, 0 not at all */
} joint_def;

static const joint_def joint_defs[LM_JOINTS] = {
    [LM_JOINT_FIXED] = {6, {POINT3, LOCK("x", "y", "z")}, 0, {{0}}, 3},
    [LM_JOINT_REVOLUTE] = {5, {POINT3, ALIGN}, 1, {{LM_TWIST, 2, 0, "angle"}}, 3},
    [LM_JOINT_PRISMATIC] =
        {5, {ACROSS, LOCK(FIRST, SECOND, "its axis")}, 1, {{LM_ALONG, 2, 0, "displacement"}}, 0},
    [LM_JOINT_CYLINDRICAL] =
        {4, {ACROSS, ALIGN}, 2, {{LM_TWIST, 2, 0, "angle"}, {LM_ALONG, 2, 0, "displacement"}}, 2},
    [LM_JOINT_SPHERICAL] = {3, {POINT3}, 0, {{0}}, 3},
    [LM_JOINT_UNIVERSAL] = {4,
                            {POINT3, {LM_DOT, 0, 1, "moment about the normal of its axes"}},
                            2,
                            {{LM_ANGLE1, 0, 0, "angle1"}, {LM_ANGLE2, 1, 0, "angle2"}},
                            3},
    [LM_JOINT_PLANAR] = {3,
                         {{LM_ALONG, 2, 0, "force along the normal"}, ALIGN},
                         3,
                         {{LM_TWIST, 2, 0, "angle"}, {LM_ALONG, 0, 0, "x"}, {LM_ALONG, 1, 0, "y"}},
                         0},
    [LM_JOINT_INLINE] = {2, {ACROSS}, 1, {{LM_ALONG, 2, 0, "displacement"}}, 2},
    [LM_JOINT_DISTANCE] =
        {1, {{LM_LENGTH, 0, 0, "force"}}, 1, {{LM_LENGTH, 0, 0, "displacement"}}, 0},
};

/* The points where a joint or force element attaches, and the triad, as drawn. */
static void joint_points(const lm_model *m, const lm_spec_joint *s, lm_v3 at[2])
{
    for (int k = 0; k < 2; k++) {
        int other = s->frame[1 - k];
        int plain_ground = m->spec->frames.at[s->frame[k]].kind == LM_FRAME_GROUND;
        at[k] = m->frames[plain_ground ? other : s->frame[k]].x;
        if (s->has_at) at[k] = v3_from(s->at);
    }
}

static lm_m3 joint_triad(const lm_spec_joint *s)
{
    if (s->type == LM_JOINT_UNIVERSAL) {
        lm_v3 e1 = v3_from(s->axis), e3 = v3_unit(v3_cross(e1, v3_from(s->axis2)));
        return m3_cols(e1, v3_cross(e3, e1), e3);
    }
    return s->has_axis ? lm_triad(v3_from(s->axis)) : m3_identity();
}

/* Distance by which points that should meet do not. */
static double gap(const joint_def *def, const lm_m3 *E, lm_v3 d)
{
    if (def->meet == 0) return 0;
    if (def->meet == 3) return v3_norm(d);
    return hypot(v3_dot(m3_col(E, 0), d), v3_dot(m3_col(E, 1), d));
}

static void check_meeting(const lm_model *m, const lm_spec_joint *s, const joint_def *def,
                          const lm_m3 *E, lm_v3 d, lm_diag *diag)
{
    double g = gap(def, E, d), scale = m->size + v3_norm(d);
    if (g <= 1e-9 * scale || s->assemble || m->spec->assemble) return;
    const lm_spec_frame *f = m->spec->frames.at;
    lm_error(diag, s->item.loc,
             "joint '%s': %s and %s should %s but are %.6g apart; move one of them, give the point "
             "with 'at:', or write 'assemble: true' to close the gap",
             s->item.name, f[s->frame[0]].name, f[s->frame[1]].name,
             def->meet == 3 ? "meet" : "lie on one axis", g);
}

/* Value of a measure as drawn; only displacements and lengths can differ from zero. */
static double drawn(const measure_def *def, const lm_m3 *E, lm_v3 d)
{
    if (def->measure == LM_ALONG) return v3_dot(m3_col(E, def->i), d);
    if (def->measure == LM_LENGTH) return v3_norm(d);
    return 0;
}

static void add_row(lm_model *m, int joint, const measure_def *def, double offset, int coord,
                    const lm_expr *drive, int initial)
{
    m->rows[m->nrows++] = (lm_row){.joint = joint,
                                   .measure = def->measure,
                                   .i = def->i,
                                   .j = def->j,
                                   .offset = offset,
                                   .coord = coord,
                                   .drive = drive,
                                   .initial = initial,
                                   .what = def->what};
}

static void add_coord(lm_model *m, int joint, int c, const joint_def *def, double offset)
{
    const measure_def *md = &def->coord[c];
    m->coords[m->ncoords++] =
        (lm_coord){.joint = joint,
                   .kind = lm_joint_coord(m->joints[joint].type, c),
                   .measure = md->measure,
                   .i = md->i,
                   .j = md->j,
                   .offset = offset,
                   .turns = lm_measure_is_angle(md->measure) ? m->nangles++ : -1};
}

/* The effort of a port of the power graph on a coordinate. */
static void add_port(lm_model *m, int joint, int c, const joint_def *def)
{
    const lm_spec_joint *s = &m->spec->joints.at[joint];
    m->actions[m->nactions++] = (lm_action){.owner = s->item.name,
                                            .pair = m->joints[joint].pair,
                                            .measure = def->coord[c].measure,
                                            .i = def->coord[c].i,
                                            .j = def->coord[c].j,
                                            .effort = &s->coord[c].port,
                                            .coord_index = m->joints[joint].first_coord + c,
                                            .port = 1};
}

/* What the coordinate carries: a drive becomes a row, the rest one action. */
static void add_carried(lm_model *m, int joint, int c, const joint_def *def)
{
    const lm_spec_joint *s = &m->spec->joints.at[joint];
    const lm_spec_coord *k = &s->coord[c];
    int index = m->joints[joint].first_coord + c;
    if (k->has_drive) {
        measure_def md = def->coord[c];
        md.what = lm_arena_printf(&m->arena, "drive %s", md.what);
        add_row(m, joint, &md, m->coords[index].offset, c, &k->drive, -1);
    }
    if (k->has_port) add_port(m, joint, c, def);
    if (!k->has_effort && k->stiffness == 0 && k->damping == 0 && k->friction == 0) return;
    m->actions[m->nactions++] = (lm_action){.owner = s->item.name,
                                            .pair = m->joints[joint].pair,
                                            .measure = def->coord[c].measure,
                                            .i = def->coord[c].i,
                                            .j = def->coord[c].j,
                                            .offset = m->coords[index].offset,
                                            .stiffness = k->stiffness,
                                            .damping = k->damping,
                                            .friction = k->friction,
                                            .friction_velocity = k->friction_velocity,
                                            .effort = k->has_effort ? &k->effort : NULL,
                                            .coord_index = index};
}

/* An action, and apart from it the damper of a rotation vector: its moment is proportional to the relative
 * angular velocity in the axes of a, not to the rate of the vector. */
static void add_action(lm_model *m, lm_action a)
{
    double damping = a.damping;
    if (a.measure == LM_ROTVEC) a.damping = 0;
    if (a.stiffness != 0 || a.damping != 0) m->actions[m->nactions++] = a;
    if (a.damping == damping) return;
    a.measure = LM_SPIN, a.stiffness = 0, a.damping = damping;
    m->actions[m->nactions++] = a;
}

/* A compliant joint: each row becomes a spring-damper. A damper must not see a rotation of the whole, so that
 * points are held along the axes of a instead of the world's; the springs, equal in all directions, are the
 * same ones. */
static void add_compliant(lm_model *m, int joint, const measure_def *def, double offset)
{
    const lm_spec_joint *s = &m->spec->joints.at[joint];
    int rot = lm_measure_is_rotation(def->measure);
    lm_action a = {.owner = s->item.name,
                   .pair = m->joints[joint].pair,
                   .measure = def->measure,
                   .i = def->i,
                   .j = def->j,
                   .offset = offset,
                   .stiffness = s->compliant_stiffness[rot],
                   .damping = s->compliant_damping[rot],
                   .coord_index = -1};
    if (def->measure == LM_ANTI) a.measure = LM_ROTVEC;
    if (def->measure == LM_POINT) a.measure = LM_ALONG;
    add_action(m, a);
}

static int carrier(const lm_model *m, int frame) { return m->frames[frame].node; }

void lm_compile_joint(lm_model *m, int i, lm_diag *diag)
{
    const lm_spec_joint *s = &m->spec->joints.at[i];
    const joint_def *def = &joint_defs[s->type];
    lm_joint *j = &m->joints[i];
    lm_v3 at[2];
    lm_m3 E[2] = {joint_triad(s), joint_triad(s)};
    int node[2] = {carrier(m, s->frame[0]), carrier(m, s->frame[1])};
    joint_points(m, s, at);
    lm_v3 d = v3_sub(at[1], at[0]);
    check_meeting(m, s, def, &E[0], d, diag);
    if (s->type == LM_JOINT_DISTANCE && v3_norm(d) <= 1e-12 * (m->size + v3_norm(at[0])))
        lm_error(diag, s->item.loc, "joint '%s': the distance between its two frames is zero",
                 s->item.name);
    *j = (lm_joint){.name = s->item.name,
                    .type = s->type,
                    .first_row = m->nrows,
                    .cut = s->cut,
                    .first_action = m->nactions,
                    .first_coord = m->ncoords,
                    .ncoords = def->ncoords};
    j->pair = lm_compile_pair(m, node, at, E);
    for (int r = 0; r < def->nrows; r++) {
        const measure_def *row = &def->row[r];
        int driven = row->measure == LM_LENGTH && s->coord[0].has_drive;
        double offset = def->meet == 0 || row->measure == LM_LENGTH ? drawn(row, &E[0], d) : 0;
        if (driven) continue; /* the drive is in its place */
        if (s->compliant)
            add_compliant(m, i, row, offset);
        else
            add_row(m, i, row, offset, -1, NULL, -1);
    }
    for (int c = 0; c < def->ncoords; c++) add_coord(m, i, c, def, drawn(&def->coord[c], &E[0], d));
    for (int c = 0; c < def->ncoords; c++) add_carried(m, i, c, def);
    j->nrows = m->nrows - j->first_row;
    j->nactions = m->nactions - j->first_action;
}

void lm_compile_force(lm_model *m, int i, lm_diag *diag)
{
    const lm_spec_force *s = &m->spec->forces.at[i];
    const lm_frame *f[2] = {&m->frames[s->frame[0]], &m->frames[s->frame[1]]};
    int node[2] = {f[0]->node, f[1]->node};
    lm_v3 at[2] = {f[0]->x, f[1]->x};
    lm_m3 E[2], R;
    /* a bushing's axes are those of its first frame as drawn, on both sides */
    lm_frame_drawn(m->spec, s->frame[0], &at[0], &R);
    for (int k = 0; k < 2; k++)
        if (m->spec->frames.at[s->frame[k]].kind == LM_FRAME_GROUND) at[k] = f[1 - k]->x;
    E[0] = E[1] = R;
    int pair = lm_compile_pair(m, node, at, E);
    lm_v3 d = v3_sub(at[1], at[0]);
    if (s->type == LM_FORCE_SPRING) {
        double length = isnan(s->length) ? v3_norm(d) : s->length;
        if (v3_norm(d) <= 1e-12 * (m->size + v3_norm(at[0])))
            lm_error(diag, s->item.loc,
                     "spring '%s': its ends coincide, so that its direction is not defined; use a "
                     "bushing, or move an end",
                     s->item.name);
        m->actions[m->nactions++] = (lm_action){.owner = s->item.name,
                                                .pair = pair,
                                                .measure = LM_LENGTH,
                                                .offset = length,
                                                .stiffness = s->stiffness[0],
                                                .damping = s->damping[0],
                                                .effort = s->has_port ? &s->port : NULL,
                                                .port = s->has_port,
                                                .coord_index = -1};
        return;
    }
    for (int k = 0; k < 6; k++) {
        lm_action a = {.owner = s->item.name,
                       .pair = pair,
                       .measure = k < 3 ? LM_ALONG : LM_ROTVEC,
                       .i = k % 3,
                       .stiffness = s->stiffness[k],
                       .damping = s->damping[k],
                       .coord_index = -1};
        if (k < 3) a.offset = v3_dot(m3_col(&R, k), d);
        add_action(m, a);
    }
}

/* Initial values of joint coordinates: rows that are active only while assembling. */
void lm_compile_initial(lm_model *m)
{
    for (int k = 0; k < m->spec->initial.n; k++) {
        const lm_spec_initial *s = &m->spec->initial.at[k];
        if (s->joint < 0) continue;
        const lm_coord *c = &m->coords[m->joints[s->joint].first_coord + s->coord];
        measure_def md = {c->measure, c->i, c->j, "initial value"};
        add_row(m, s->joint, &md, c->offset + (s->has_value ? s->value : 0), s->coord, NULL, k);
    }
}
