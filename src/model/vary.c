/* The same model in other terms: what `limber compare --refine` changes beside mesh and steps. */
#include "model/model.h"
#include "model/reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- beams in place of superelements ---- */

enum { BEAM_ELEMENTS = 8 }; /* at least, and two from node to node */

/* Frames of nodes that have axes of their own, or of the whole body, have no like on a beam. */
static int can_be_beam(const lm_spec *spec, int body)
{
    const lm_spec_body *b = &spec->bodies.at[body];
    if (b->type != LM_BODY_SUPERELEMENT || b->beam_section < 0 || b->damping_file) return 0;
    for (int i = 0; i < b->nnodes; i++)
        if (b->nodes[i].motion >= 0 || b->nodes[i].pose.angle != 0) return 0;
    for (int i = 0; i < spec->frames.n; i++)
        if (spec->frames.at[i].body == body && spec->frames.at[i].kind == LM_FRAME_BODY) return 0;
    return b->frame_product < 0;
}

static int draw_axis(lm_spec *spec, lm_spec_body *b)
{
    lm_m3 R = lm_rot_axis_angle(v3_from(b->pose.axis), b->pose.angle);
    lm_v3 start = v3_from(b->pose.position);
    double(*points)[3] = lm_arena_alloc(spec->arena, 2 * sizeof *points);
    if (!points) return -1;
    b->npoints = 2;
    b->points = points;
    v3_put(b->points[0], start);
    v3_put(b->points[1], v3_add(start, v3_mul(b->beam_length, m3_col(&R, 0))));
    v3_put(b->y_axis, m3_col(&R, 1));
    b->has_y_axis = 1;
    return 0;
}

static void put_frame_on_beam(lm_spec_frame *f, const lm_spec_body *b)
{
    double s = b->nodes[f->node].pose.position[0] / b->beam_length;
    f->node = lm_beam_node_at(b, s);
    f->kind = f->node >= 0 ? LM_FRAME_BEAM_NODE : LM_FRAME_BEAM_AT;
    f->s = s;
}

static int make_beam(lm_spec *spec, int body)
{
    lm_spec_body *b = &spec->bodies.at[body];
    int spans = b->nnodes - 1;
    if (draw_axis(spec, b)) return -1;
    b->type = LM_BODY_BEAM;
    b->section = b->beam_section;
    b->elements = spans * (2 * spans > BEAM_ELEMENTS ? 2 : (BEAM_ELEMENTS + spans - 1) / spans);
    for (int i = 0; i < spec->frames.n; i++) {
        lm_spec_frame *f = &spec->frames.at[i];
        if (f->body == body && f->kind == LM_FRAME_NODE) put_frame_on_beam(f, b);
    }
    b->nnodes = 0;
    b->beam_section = -1;
    return 0;
}

static int vary_superelements(lm_spec *spec, char *text, size_t size)
{
    int n = 0;
    for (int i = 0; i < spec->bodies.n; i++)
        if (can_be_beam(spec, i)) {
            if (make_beam(spec, i)) return -1;
            n++;
        }
    if (n) snprintf(text, size, "beams in place of superelements");
    return n;
}

/* ---- theory, frames ---- */

/* 1: the shear stiffness of a section is known. */
static int yields_to_shear(const lm_spec_section *c)
{
    const lm_expr *y = c->shape == LM_SHAPE_STIFFNESS ? &c->GAy : &c->ky;
    if (c->shape != LM_SHAPE_GENERAL && c->shape != LM_SHAPE_STIFFNESS) return 1;
    return !y->constant || isfinite(y->value);
}

static int vary_theory(lm_spec *spec, char *text, size_t size)
{
    int n = 0, shear = 0;
    for (int i = 0; i < spec->bodies.n; i++) {
        lm_spec_body *b = &spec->bodies.at[i];
        if (b->type != LM_BODY_BEAM) continue;
        if (!b->timoshenko && !yields_to_shear(&spec->sections.at[b->section])) continue;
        b->timoshenko = !b->timoshenko;
        shear |= b->timoshenko;
        n++;
    }
    if (n) snprintf(text, size, "theory: %s", shear ? "timoshenko" : "euler-bernoulli");
    return n;
}

/* Of bodies with constant matrices; chains of elements have no such frame. */
static int vary_body_frame(lm_spec *spec, char *text, size_t size)
{
    int n = 0;
    const char *to = NULL;
    for (int i = 0; i < spec->bodies.n; i++) {
        lm_spec_body *b = &spec->bodies.at[i];
        int constant = b->beam_section < 0 || b->beam_deformations == LM_DEFORMATIONS_SMALL;
        if (b->type != LM_BODY_SUPERELEMENT || !constant || b->frame_product >= 0) continue;
        if (b->nnodes < 2) continue;
        b->frame = strcmp(b->frame, "mean") == 0 ? "chord" : "mean";
        to = b->frame;
        n++;
    }
    if (n) snprintf(text, size, "frame of superelements: %s", to);
    return n;
}

/* ---- options of formulations ---- */

static int vary_springs(lm_spec *spec, char *text, size_t size)
{
    lm_spec_formulation *f = &spec->formulation;
    int n = 0;
    for (int i = 0; i < spec->bodies.n; i++) {
        const lm_spec_body *b = &spec->bodies.at[i];
        n += b->type == LM_BODY_BEAM;
        if (b->type == LM_BODY_BEAM && b->timoshenko) return 0; /* needs them all */
    }
    if (n == 0) return 0;
    f->springs_bending = !f->springs_bending;
    snprintf(text, size, "springs: %s", f->springs_bending ? "bending" : "all");
    return 1;
}

/* A floating frame for each element, or splines where modes are. */
static int vary_substructures(lm_spec *spec, char *text, size_t size)
{
    lm_spec_formulation *f = &spec->formulation;
    int most = 0;
    for (int i = 0; i < spec->bodies.n; i++)
        if (spec->bodies.at[i].type == LM_BODY_BEAM && spec->bodies.at[i].elements > most)
            most = spec->bodies.at[i].elements;
    if (most < 2) return 0;
    f->basis_modes = 0;
    f->substructures = most;
    snprintf(text, size, "substructures: one for each element");
    return 1;
}

/* ---- method ---- */

static int bends(const lm_spec *spec)
{
    for (int i = 0; i < spec->bodies.n; i++)
        if (spec->bodies.at[i].type != LM_BODY_RIGID) return 1;
    return 0;
}

/* What a run takes where nothing is said: see choose_method of the dynamics. */
static int takes_radau(const lm_spec *spec, const lm_spec_analysis *a)
{
    if (a->method != LM_METHOD_AUTOMATIC) return a->method == LM_METHOD_RADAU;
    int high = bends(spec) || spec->variables.n || spec->blocks.n || a->tolerance < 1e-5;
    return high && a->step == 0;
}

static int vary_method(lm_spec *spec, char *text, size_t size)
{
    int n = 0;
    for (int i = 0; i < spec->analyses.n; i++) {
        lm_spec_analysis *a = &spec->analyses.at[i];
        if (a->type != LM_ANALYSIS_DYNAMICS) continue;
        a->method = takes_radau(spec, a) ? LM_METHOD_GENERALIZED_ALPHA : LM_METHOD_RADAU;
        snprintf(text, size, "method: %s",
                 a->method == LM_METHOD_RADAU ? "radau" : "generalized-alpha");
        n++;
    }
    return n;
}

int lm_vary(lm_spec *spec, limber_change change, char *text, size_t size)
{
    switch (change) {
    case LIMBER_CHANGE_METHOD: return vary_method(spec, text, size);
    case LIMBER_CHANGE_SUPERELEMENTS: return vary_superelements(spec, text, size);
    case LIMBER_CHANGE_THEORY: return vary_theory(spec, text, size);
    case LIMBER_CHANGE_BODY_FRAME: return vary_body_frame(spec, text, size);
    case LIMBER_CHANGE_SPRINGS: return vary_springs(spec, text, size);
    case LIMBER_CHANGE_SUBSTRUCTURES: return vary_substructures(spec, text, size);
    default: return 0;
    }
}
