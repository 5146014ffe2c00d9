/* Bodies: rigid, beams, superelements. */
#include "model/reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- keys of bodies --- */

int lm_kind_points(lm_reader *r, const lm_key *key, const lm_yaml *node, void *base)
{
    lm_spec_body *b = base;
    int rc = 0;
    (void)key;
    if (lm_read_want(r, node, LM_YAML_LIST, "a list of points [[x, y, z], ...]")) return -1;
    if (node->n < 2) {
        lm_error(r->diag, node->loc, "%s needs at least two points, found %s", lm_subject(r),
                 lm_found(r, node));
        return -1;
    }
    b->points = lm_arena_alloc(r->arena, sizeof *b->points * (size_t)node->n);
    b->npoints = node->n;
    for (int i = 0; i < node->n; i++)
        if (lm_read_numbers(r, node->items[i], 3, b->points[i])) rc = -1;
    return rc;
}

/* A point [x, y, z], or {position, orientation}. */
static int read_pose(lm_reader *r, const lm_yaml *node, lm_spec_pose *pose)
{
    uint64_t given;
    if (node->kind == LM_YAML_MAP) return lm_read_object(r, LM_OBJECT_POSE, node, pose, &given);
    if (lm_read_want(r, node, LM_YAML_LIST, "a point [x, y, z] or {position, orientation}"))
        return -1;
    return lm_read_numbers(r, node, 3, pose->position);
}

static void note_nodes(lm_reader *r, const lm_spec_body *b)
{
    for (int i = 0; b->nnodes > LM_NODES_FEW && i < b->nnodes; i++) {
        int old;
        lm_names_add(r->arena, &r->node_names,
                     lm_arena_printf(r->arena, "%s.%s", b->item.name, b->nodes[i].name), &old);
        *LM_PUSH(r->arena, &r->node_of) = i;
    }
}

/* --- nodes of a superelement made from a beam --- */

/* 1: the place is that of the node, to rounding. */
static int is_at(const lm_spec_body *b, const lm_spec_node *n, double x)
{
    return fabs(n->pose.position[0] - x) <= 1e-9 * b->beam_length;
}

/* On the beam, which lies along x, and each at a place of its own. `nodes` are sorted. */
static int check_beam_nodes(lm_reader *r, const lm_spec_body *b)
{
    int rc = 0;
    for (int i = 0; i < b->nnodes; i++) {
        const lm_spec_node *n = &b->nodes[i];
        const double *x = n->pose.position, L = b->beam_length;
        if (!(hypot(x[1], x[2]) <= 1e-9 * L && x[0] >= -1e-9 * L && x[0] <= (1 + 1e-9) * L)) {
            lm_error(r->diag, n->loc,
                     "node '%s' of superelement '%s' is at [%.6g, %.6g, %.6g], not on its beam, "
                     "which goes from [0, 0, 0] to [%.6g, 0, 0]",
                     n->name, b->item.name, x[0], x[1], x[2], L);
            rc = -1;
        } else if (i > 0 && is_at(b, n, b->nodes[i - 1].pose.position[0])) {
            lm_error(r->diag, n->loc,
                     "nodes '%s' and '%s' of superelement '%s' are at the same "
                     "place on its beam",
                     b->nodes[i - 1].name, n->name, b->item.name);
            rc = -1;
        }
    }
    return rc;
}

/* A node at this end unless there is one: the beam is all of it between the first and the last. */
static int add_end(lm_reader *r, lm_spec_body *b, const char *name, double x, lm_loc loc)
{
    for (int i = 0; i < b->nnodes; i++)
        if (is_at(b, &b->nodes[i], x)) {
            b->nodes[i].pose.position[0] = x;
            return 0;
        }
    for (int i = 0; i < b->nnodes; i++)
        if (strcmp(b->nodes[i].name, name) == 0) {
            lm_error(r->diag, b->nodes[i].loc,
                     "node '%s' of superelement '%s' is at x = %.6g; that name is for the node at "
                     "x = %.6g, the %s of the beam",
                     name, b->item.name, b->nodes[i].pose.position[0], x, name);
            return -1;
        }
    lm_spec_node *n = &b->nodes[b->nnodes++];
    *n = (lm_spec_node){.name = name, .loc = loc, .motion = -1};
    n->pose.position[0] = x;
    return 0;
}

static int by_place(const void *a, const void *b)
{
    double x = ((const lm_spec_node *)a)->pose.position[0];
    double y = ((const lm_spec_node *)b)->pose.position[0];
    return (x > y) - (x < y);
}

/* In the order in which they lie on the beam; `nodes` has room for two more. */
static int arrange_beam_nodes(lm_reader *r, lm_spec_body *b, lm_loc loc)
{
    if (add_end(r, b, "start", 0, loc) || add_end(r, b, "end", b->beam_length, loc)) return -1;
    qsort(b->nodes, (size_t)b->nnodes, sizeof *b->nodes, by_place);
    return check_beam_nodes(r, b);
}

int lm_kind_nodes(lm_reader *r, const lm_key *key, const lm_yaml *node, void *base)
{
    lm_spec_body *b = base;
    int rc = 0;
    int rigid = strcmp(key->name, "frames") == 0;
    if (lm_yaml_is_null(node)) return 0;
    if (lm_read_want(r, node, LM_YAML_MAP, "a mapping of names to points [x, y, z]")) return -1;
    lm_table t = {.noun = rigid ? "frame" : "node", .plural = rigid ? "frames" : "nodes"};
    r->key = NULL;
    lm_expand(r, node, &t, NULL);
    b->nnodes = t.entries.n;
    b->nodes = LM_NEW_N(r->arena, lm_spec_node, b->nnodes + 2);
    const lm_named *outer = r->entry;
    for (int i = 0; i < t.entries.n; i++) {
        const lm_named *e = &t.entries.at[i];
        lm_where where = {t.noun, e->name, e->key->loc, r->where};
        b->nodes[i] = (lm_spec_node){.name = e->name, .loc = e->key->loc, .motion = -1};
        if (e->pattern->bad) continue;
        r->where = &where;
        r->entry = e;
        if (read_pose(r, e->value, &b->nodes[i].pose)) rc = e->pattern->bad = -1;
        r->where = where.outer;
    }
    r->entry = outer;
    if (t.broken) rc = -1;
    if (!rc && b->beam_length > 0) rc = arrange_beam_nodes(r, b, node->loc);
    note_nodes(r, b);
    return rc;
}

/* A superelement made from a beam along x: nodes `start` and `end`, and those of `nodes`. */
int lm_kind_beam(lm_reader *r, const lm_key *key, const lm_yaml *node, void *base)
{
    lm_spec_body *b = base;
    uint64_t given;
    lm_where inner = {"'beam'", NULL, node->loc, r->where};
    r->where = &inner;
    int rc = lm_read_object(r, key->object, node, b, &given);
    r->where = inner.outer;
    b->nnodes = 2;
    b->nodes = LM_NEW_N(r->arena, lm_spec_node, 2);
    b->nodes[0] = (lm_spec_node){.name = "start", .loc = node->loc, .motion = -1};
    b->nodes[1] = (lm_spec_node){.name = "end", .loc = node->loc, .motion = -1};
    b->nodes[1].pose.position[0] = b->beam_length;
    return rc;
}

static int unknown_node(lm_reader *r, const lm_spec_body *b, const lm_yaml *key, const char *name)
{
    const char **names = LM_NEW_N(&r->scratch, const char *, b->nnodes + 1);
    for (int i = 0; i < b->nnodes; i++) names[i] = b->nodes[i].name;
    const char *hint = lm_suggest(r, name, names, b->nnodes);
    if (!*hint)
        hint = lm_arena_printf(&r->scratch, " (nodes: %s)", lm_list_names(r, names, b->nnodes));
    lm_error(r->diag, key->loc, "unknown node '%s' in 'motion' of %s%s", lm_quoted(r, name),
             lm_where_text(r), hint);
    return -1;
}

static int read_node_motion(lm_reader *r, lm_spec_body *b, const lm_yaml *map)
{
    lm_table t = {.noun = "node", .plural = "nodes"};
    const lm_named *outer = r->entry;
    int rc = 0;
    r->key = NULL;
    lm_expand(r, map, &t, NULL);
    for (int i = 0; i < t.entries.n; i++) {
        const lm_named *e = &t.entries.at[i];
        int k = lm_node_find(r, b, e->name);
        lm_where where = {"motion", e->name, e->key->loc, r->where};
        if (k < 0) {
            if (b->nnodes) unknown_node(r, b, e->key, e->name);
            rc = -1;
            continue;
        }
        r->where = &where;
        r->entry = e;
        b->nodes[k].motion = lm_read_product(r, e->value);
        if (b->nodes[k].motion < 0) rc = -1;
        r->where = where.outer;
        r->entry = outer;
    }
    for (int k = 0; k < b->nnodes && !rc; k++)
        if (b->nodes[k].motion < 0) {
            lm_error(r->diag, map->loc,
                     "'motion' in %s says nothing about node '%s'; every node "
                     "needs a frame",
                     lm_where_text(r), b->nodes[k].name);
            rc = -1;
        }
    return rc || t.broken ? -1 : 0;
}

int lm_kind_motion(lm_reader *r, const lm_key *key, const lm_yaml *node, void *base)
{
    lm_spec_body *b = base;
    (void)key;
    if (b->type == LM_BODY_RIGID) {
        if (lm_read_want(r, node, LM_YAML_SCALAR, "a product of frames, e.g. \"disp(q1, 0, 0)\""))
            return -1;
        b->motion = lm_read_product(r, node);
        return b->motion < 0 ? -1 : 0;
    }
    if (lm_read_want(r, node, LM_YAML_MAP,
                     "a mapping of each node to a frame, e.g. {start: base, "
                     "end: tip}"))
        return -1;
    return read_node_motion(r, b, node);
}

int lm_kind_place(lm_reader *r, const lm_key *key, const lm_yaml *node, void *base)
{
    lm_spec_body *b = base;
    (void)key;
    if (lm_read_want(r, node, LM_YAML_SCALAR, "a node's name, mean or chord")) return -1;
    b->frame = node->text;
    if (strcmp(node->text, "mean") == 0 || strcmp(node->text, "chord") == 0) return 0;
    if (lm_node_find(r, b, node->text) >= 0) return 0;
    int has_motion = b->nnodes > 0 && b->nodes[0].motion >= 0;
    if (has_motion || r->coordinates.entries.n) {
        b->frame_product = lm_read_product(r, node);
        return b->frame_product < 0 ? -1 : 0;
    }
    const char **names = LM_NEW_N(&r->scratch, const char *, b->nnodes + 2);
    for (int i = 0; i < b->nnodes; i++) names[i] = b->nodes[i].name;
    names[b->nnodes] = "mean";
    names[b->nnodes + 1] = "chord";
    const char *hint = lm_suggest(r, node->text, names, b->nnodes + 2);
    lm_error(r->diag, node->loc, "%s must be a node's name, mean or chord, found %s%s",
             lm_subject(r), lm_found(r, node), hint);
    return -1;
}

/* --- checks --- */

static void rotate(double a[3][3], int p, int q)
{
    if (a[p][q] == 0) return;
    double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
    double t = (theta < 0 ? -1 : 1) / (fabs(theta) + hypot(theta, 1));
    double c = 1 / hypot(t, 1), s = t * c;
    for (int k = 0; k < 3; k++) {
        double kp = a[k][p], kq = a[k][q];
        a[k][p] = c * kp - s * kq;
        a[k][q] = s * kp + c * kq;
    }
    for (int k = 0; k < 3; k++) {
        double pk = a[p][k], qk = a[q][k];
        a[p][k] = c * pk - s * qk;
        a[q][k] = s * pk + c * qk;
    }
}

/* Eigenvalues of the symmetric matrix [xx, yy, zz, xy, xz, yz], ascending, by Jacobi's rotations:
 * exact to rounding for zero and equal ones too. */
static void eigenvalues(const double I[6], double out[3])
{
    enum { SWEEPS = 8 };
    double a[3][3] = {{I[0], I[3], I[4]}, {I[3], I[1], I[5]}, {I[4], I[5], I[2]}};
    for (int i = 0; i < SWEEPS; i++) {
        rotate(a, 0, 1);
        rotate(a, 0, 2);
        rotate(a, 1, 2);
    }
    out[0] = fmin(a[0][0], fmin(a[1][1], a[2][2]));
    out[2] = fmax(a[0][0], fmax(a[1][1], a[2][2]));
    out[1] = a[0][0] + a[1][1] + a[2][2] - out[0] - out[2];
}

#define ROUNDED 1e-6 /* inertias are often written with few digits */

static int check_inertia(lm_reader *r, const lm_spec_body *b, const lm_yaml *map)
{
    const lm_yaml *node = lm_yaml_get(map, "inertia", NULL);
    double I[6], e[3], big = 0;
    if (!node) return 0;
    for (int i = 0; i < 6; i++) big = fmax(big, fabs(b->inertia[i]));
    if (big == 0) return 0;
    for (int i = 0; i < 6; i++) I[i] = b->inertia[i] / big;
    eigenvalues(I, e);
    if (e[0] < -ROUNDED) {
        lm_error(
            r->diag, node->loc,
            "'inertia' in rigid body '%s' is no inertia: a principal moment is negative (%.6g); "
            "the order is [Ixx, Iyy, Izz, Ixy, Ixz, Iyz]",
            b->item.name, e[0] * big);
        return -1;
    }
    /* In a planar model the other moments are often left out: no warning for zeros. */
    if (e[0] > ROUNDED && e[0] + e[1] < e[2] * (1 - ROUNDED))
        lm_warning(
            r->diag, node->loc,
            "no real body has the 'inertia' of rigid body '%s': the largest principal moment "
            "(%.6g) is more than the sum of the others (%.6g)",
            b->item.name, e[2] * big, (e[0] + e[1]) * big);
    return 0;
}

static double distance(const double a[3], const double b[3])
{
    return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
}

/* `from` and `to`, or `points`. */
static int check_axis_keys(lm_reader *r, lm_body_in *in, uint64_t given)
{
    lm_spec_body *b = &in->body;
    int from = lm_read_given(LM_OBJECT_BODY, given, "from", LM_BODY_BEAM);
    int to = lm_read_given(LM_OBJECT_BODY, given, "to", LM_BODY_BEAM);
    int points = lm_read_given(LM_OBJECT_BODY, given, "points", LM_BODY_BEAM);
    if (points && (from || to)) {
        lm_error(r->diag, r->where->loc,
                 "beam '%s' has 'points' and '%s'; give 'from' and 'to', or "
                 "'points'",
                 b->item.name, from ? "from" : "to");
        return -1;
    }
    if (points) return 0;
    if (!from || !to) {
        lm_error(r->diag, r->where->loc, "beam '%s' needs %s", b->item.name,
                 from || to ? from ? "'to' (the end point)" : "'from' (the start point)"
                            : "'from' and 'to' (or 'points')");
        return -1;
    }
    b->npoints = 2;
    b->points = lm_arena_copy(r->arena, in->ends, sizeof in->ends);
    return 0;
}

static int check_axis(lm_reader *r, const lm_spec_body *b)
{
    double size = 0;
    for (int i = 0; i < b->npoints; i++)
        for (int k = 0; k < 3; k++) size = fmax(size, fabs(b->points[i][k]));
    for (int i = 1; i < b->npoints; i++) {
        if (distance(b->points[i - 1], b->points[i]) > 1e-12 * size) continue;
        if (b->npoints == 2)
            lm_error(r->diag, r->where->loc,
                     "beam '%s' has length zero: 'from' and 'to' are the "
                     "same point",
                     b->item.name);
        else
            lm_error(r->diag, r->where->loc, "points %d and %d of beam '%s' are the same", i, i + 1,
                     b->item.name);
        return -1;
    }
    if (!b->has_y_axis || b->npoints > 2) return 0;
    double d[3], dot = 0;
    for (int k = 0; k < 3; k++) d[k] = b->points[1][k] - b->points[0][k];
    for (int k = 0; k < 3; k++) dot += d[k] * b->y_axis[k];
    double zero[3] = {0}, lengths = distance(d, zero) * distance(b->y_axis, zero);
    if (fabs(dot) < lengths * (1 - 1e-12)) return 0;
    lm_error(r->diag, r->where->loc, "'y_axis' of beam '%s' is parallel to the beam", b->item.name);
    return -1;
}

static int check_beam(lm_reader *r, lm_body_in *in, uint64_t given, int bad)
{
    in->body.has_y_axis = lm_read_given(LM_OBJECT_BODY, given, "y_axis", LM_BODY_BEAM);
    if (check_axis_keys(r, in, given) || bad || check_axis(r, &in->body)) return -1;
    r->elements += in->body.elements;
    if (r->elements <= LM_ENTITIES) return 0;
    lm_error(r->diag, r->where->loc, "the beams up to '%s' have more than %d elements in all",
             in->body.item.name, LM_ENTITIES);
    r->elements = INT64_MIN / 2; /* once */
    return -1;
}

static int check_superelement(lm_reader *r, const lm_spec_body *b, uint64_t given)
{
    int beam = lm_read_given(LM_OBJECT_BODY, given, "beam", LM_BODY_SUPERELEMENT);
    const char *wrong = NULL;
    if (beam && (b->mass_file || b->stiffness_file))
        wrong = "has 'beam' and matrix files; give one of them";
    else if (!beam && (!b->mass_file || !b->stiffness_file))
        wrong = "needs 'mass' and 'stiffness' (Matrix Market files), or 'beam: {section, length}'";
    else if (!beam && !b->nnodes)
        wrong = "needs 'nodes: {name: [x, y, z], ...}'";
    else if (b->nnodes < 2 && strcmp(b->frame, "chord") == 0)
        wrong = "has 'frame: chord', which takes two nodes";
    if (!wrong) return 0;
    lm_error(r->diag, r->where->loc, "superelement '%s' %s", b->item.name, wrong);
    return -1;
}

/* --- bodies --- */

static int read_body(lm_reader *r, const lm_named *entry, void *item)
{
    lm_body_in in = {0};
    lm_spec_body *b = &in.body;
    uint64_t given;
    b->item = (lm_spec_item){entry->name, entry->key->loc, 0};
    b->motion = b->section = b->end_section = b->beam_section = b->frame_product = -1;
    b->frame = "mean";
    int rc = lm_read_object(r, LM_OBJECT_BODY, entry->value, &in, &given);
    if (strcmp(entry->name, "ground") == 0) {
        lm_error(r->diag, entry->key->loc,
                 "a body cannot be called 'ground': that is the fixed "
                 "frame");
        rc = -1;
    }
    if (!rc && b->type == LM_BODY_RIGID) rc = check_inertia(r, b, entry->value);
    if (given && b->type == LM_BODY_BEAM) rc = check_beam(r, &in, given, rc);
    if (!rc && b->type == LM_BODY_SUPERELEMENT) rc = check_superelement(r, b, given);
    *(lm_spec_body *)item = *b;
    return rc;
}

void lm_read_bodies(lm_reader *r)
{
    const lm_yaml *root = r->files.at[0].root, *node = lm_yaml_get(root, "bodies", NULL);
    int alone = !lm_yaml_get(root, "power", NULL) && !lm_yaml_get(root, "blocks", NULL);
    if (!node && alone && !r->diag->errors)
        lm_error(r->diag, root->loc,
                 "the model needs 'bodies' (rigid bodies, beams and superelements by name), or "
                 "'power' or 'blocks'");
    LM_READ_TABLE(r, &r->bodies, &r->spec->bodies, read_body);
    if (node && !r->bodies.entries.n && !r->bodies.broken)
        lm_error(r->diag, node->loc, "the model has no bodies");
}
