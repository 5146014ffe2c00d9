/* The scene as JSON. */
#include "view/scene.h"

#include "model/schema.h"

#include <string.h>

static void put_v3(lm_json *j, const char *name, lm_v3 x)
{
    lm_json_key_numbers(j, name, (const double[]){x.x, x.y, x.z}, 3);
}

static void put_quat(lm_json *j, const char *name, lm_quat q)
{
    lm_json_key_numbers(j, name, (const double[]){q.w, q.x, q.y, q.z}, 4);
}

static void place_members(lm_json *j, lm_place p)
{
    lm_json_key_long(j, "pose", p.pose);
    put_v3(j, "at", p.at);
    put_quat(j, "q", p.q);
}

static void put_place(lm_json *j, const char *name, lm_place p)
{
    lm_json_key_open(j, name, '{');
    place_members(j, p);
    lm_json_close(j, '}');
}

/* ---- bodies ---- */

static void put_beam(lm_json *j, const lm_scene *s, int body)
{
    const lm_beam *beam = &s->m->beams[body];
    const lm_element *e = &s->m->elements[beam->first_element];
    lm_json_key_text(j, "type", "beam");
    lm_json_key_long(j, "first", s->m->bodies[body].first_node);
    lm_json_key_long(j, "n", beam->nelements);
    lm_json_key_open(j, "length", '[');
    for (int k = 0; k < beam->nelements; k++) lm_json_number(j, e[k].shape.L);
    lm_json_close(j, ']');
    lm_json_key_open(j, "axes", '[');
    for (int k = 0; k < 2 * beam->nelements; k++) {
        lm_quat q = lm_quat_from_m3(&e[k / 2].A[k % 2]);
        const double part[4] = {q.w, q.x, q.y, q.z};
        for (int i = 0; i < 4; i++) lm_json_number(j, part[i]);
    }
    lm_json_close(j, ']');
    lm_json_key_open(j, "profile", '[');
    for (int k = 0; k <= beam->nelements; k++) lm_json_long(j, s->bodies[body].profile[k]);
    lm_json_close(j, ']');
}

static void put_rigid(lm_json *j, const lm_scene *s, int body)
{
    const lm_body *b = &s->m->bodies[body];
    const lm_scene_body *k = &s->bodies[body];
    lm_json_key_text(j, "type", "rigid");
    lm_json_key_long(j, "pose", b->first_node);
    put_v3(j, "com", b->com);
    lm_json_key_number(j, "mass", b->mass);
    lm_json_key(j, "massless");
    lm_json_raw(j, b->mass > 0 ? "false" : "true");
    lm_json_key_open(j, "points", '[');
    for (int i = 0; i < k->npoints; i++)
        lm_json_numbers(j, (const double[]){k->points[i].x, k->points[i].y, k->points[i].z}, 3);
    lm_json_close(j, ']');
    if (!k->ellipsoid) {
        lm_json_key_null(j, "ellipsoid");
        return;
    }
    lm_json_key_open(j, "ellipsoid", '{');
    lm_json_key_numbers(j, "axes", k->axes, 3);
    put_quat(j, "q", k->q);
    lm_json_close(j, '}');
}

static void put_superelement(lm_json *j, const lm_scene *s, int body)
{
    const lm_scene_body *k = &s->bodies[body];
    lm_json_key_text(j, "type", "superelement");
    lm_json_key_long(j, "first", s->m->bodies[body].first_node);
    lm_json_key_long(j, "n", s->m->bodies[body].nnodes);
    lm_json_key_open(j, "edges", '[');
    for (int i = 0; i < k->nedges; i++)
        lm_json_numbers(j, (const double[]){k->edges[i][0], k->edges[i][1]}, 2);
    lm_json_close(j, ']');
}

static void put_bodies(lm_json *j, const lm_scene *s)
{
    lm_json_key_open(j, "bodies", '[');
    for (int i = 0; i < s->m->nbodies; i++) {
        lm_body_type type = s->m->bodies[i].type;
        lm_json_open(j, '{');
        lm_json_key_text(j, "name", s->m->bodies[i].name);
        if (type == LM_BODY_BEAM) put_beam(j, s, i);
        if (type == LM_BODY_RIGID) put_rigid(j, s, i);
        if (type == LM_BODY_SUPERELEMENT) put_superelement(j, s, i);
        lm_json_close(j, '}');
    }
    lm_json_close(j, ']');
}

static void put_profiles(lm_json *j, const lm_scene *s)
{
    lm_json_key_open(j, "profiles", '[');
    for (int i = 0; i < s->profiles.n; i++) {
        const lm_profile *p = &s->profiles.at[i];
        lm_json_open(j, '{');
        lm_json_key_text(j, "name", p->name);
        lm_json_key_open(j, "loops", '[');
        for (int k = 0; k < p->nloops; k++) lm_json_numbers(j, p->loop[k], 2 * p->n[k]);
        lm_json_close(j, ']');
        lm_json_close(j, '}');
    }
    lm_json_close(j, ']');
}

/* ---- joints, frames, springs, loads ---- */

static void put_joints(lm_json *j, const lm_scene *s)
{
    const lm_model *m = s->m;
    lm_json_key_open(j, "joints", '[');
    for (int i = 0; i < m->njoints; i++) {
        const lm_joint *k = &m->joints[i];
        const lm_pair *p = &m->pairs[k->pair];
        int universal = k->type == LM_JOINT_UNIVERSAL;
        char type[LM_CHOICE_MOST];
        lm_json_open(j, '{');
        lm_json_key_text(j, "name", k->name);
        lm_json_key_text(j, "type", lm_schema_word(LM_OBJECT_JOINT, (int)k->type, type));
        put_place(j, "a", lm_place_of_pair(m, k->pair, 0));
        put_place(j, "b", lm_place_of_pair(m, k->pair, 1));
        put_v3(j, "axis", m3_col(&p->E[0], universal ? 0 : 2));
        if (universal) put_v3(j, "axis2", m3_col(&p->E[1], 1));
        lm_json_close(j, '}');
    }
    lm_json_close(j, ']');
}

static lm_quat turned(const lm_spec_pose *p)
{
    lm_v3 axis = v3_from(p->axis);
    if (p->angle == 0 || v3_norm(axis) == 0) return (lm_quat){1, 0, 0, 0};
    return lm_quat_exp(v3_mul(p->angle, v3_unit(axis)));
}

/* The named frames of rigid bodies; a superelement's are its nodes, which are poses. */
static void put_frames(lm_json *j, const lm_scene *s)
{
    lm_json_key_open(j, "frames", '[');
    for (int i = 0; i < s->m->nbodies; i++) {
        const lm_spec_body *b = &s->m->spec->bodies.at[i];
        for (int k = 0; k < b->nnodes && b->type == LM_BODY_RIGID; k++) {
            const lm_spec_node *n = &b->nodes[k];
            char name[400];
            snprintf(name, sizeof name, "%.190s.%.190s", b->item.name, n->name);
            lm_json_open(j, '{');
            lm_json_key_text(j, "name", name);
            place_members(j, (lm_place){s->m->bodies[i].first_node, v3_from(n->pose.position),
                                        turned(&n->pose)});
            lm_json_close(j, '}');
        }
    }
    lm_json_close(j, ']');
}

/* A port of the power graph between two frames pushes as a cylinder does. */
static const char *force_type(const lm_spec *spec, int force)
{
    for (int i = 0; i < spec->elements.n; i++)
        if (spec->elements.at[i].force == force) return "cylinder";
    return spec->forces.at[force].type == LM_FORCE_SPRING ? "spring" : "bushing";
}

/* Forces are compiled behind the joints, a pair for each. */
static void put_springs(lm_json *j, const lm_scene *s)
{
    const lm_model *m = s->m;
    lm_json_key_open(j, "springs", '[');
    for (int i = 0; i < m->spec->forces.n; i++) {
        const lm_spec_force *f = &m->spec->forces.at[i];
        lm_json_open(j, '{');
        lm_json_key_text(j, "name", f->item.name);
        lm_json_key_text(j, "type", force_type(m->spec, i));
        put_place(j, "a", lm_place_of_pair(m, m->njoints + i, 0));
        put_place(j, "b", lm_place_of_pair(m, m->njoints + i, 1));
        lm_json_close(j, '}');
    }
    lm_json_close(j, ']');
}

static void put_loads(lm_json *j, const lm_scene *s)
{
    lm_json_key_open(j, "loads", '[');
    for (int i = 0; i < s->m->spec->loads.n; i++) {
        const lm_spec_load *l = &s->m->spec->loads.at[i];
        lm_json_open(j, '{');
        lm_json_key_text(j, "name", l->item.name);
        put_place(j, "at", lm_place_of_frame(s->m, l->frame));
        lm_json_close(j, '}');
    }
    lm_json_close(j, ']');
}

/* The axis that points against gravity. */
static const char *up_axis(lm_v3 g)
{
    static const char *const name[] = {"x", "y", "z", "-x", "-y", "-z"};
    int most = 2;
    for (int i = 0; i < 3; i++)
        if (fabs(v3_get(g, i)) > fabs(v3_get(g, most))) most = i;
    return name[v3_get(g, most) > 0 ? most + 3 : most];
}

void lm_scene_json(lm_json *j, const lm_scene *s, const char *const *names)
{
    const lm_model *m = s->m;
    lm_json_open(j, '{');
    lm_json_key_number(j, "size", s->size);
    put_v3(j, "centre", v3_mul(0.5, v3_add(v3_from(s->low), v3_from(s->high))));
    put_v3(j, "gravity", m->gravity);
    lm_json_key_text(j, "up", up_axis(m->gravity));
    lm_json_key_long(j, "poses", m->nnodes);
    lm_json_key_open(j, "pose_names", '[');
    for (int i = 0; i < m->nnodes; i++) lm_json_text(j, names[i]);
    lm_json_close(j, ']');
    lm_json_key_numbers(j, "rest", s->rest, 7 * m->nnodes);
    put_profiles(j, s);
    put_bodies(j, s);
    put_joints(j, s);
    put_frames(j, s);
    put_springs(j, s);
    put_loads(j, s);
    lm_json_close(j, '}');
}
