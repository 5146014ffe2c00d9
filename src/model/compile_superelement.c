/* Superelements: their matrices, from files or made from a beam, and their frames. */
#include "model/compile_superelement.h"
#include "model/matrix_market.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Dense matrices, and eigenvalues of them: beyond this a model should be reduced first. */
enum { NODES_MOST = 500 };

/* ---- matrices of a beam ---- */

/* Add an element between node a at row `first` and the next node. */
static void add_element(const lm_beam_shape *e, int n, int first, double *K, double *M)
{
    double k[12][12], m[12][12];
    lm_beam_matrices(e, k, m);
    for (int c = 0; c < 12; c++)
        for (int r = 0; r < 12; r++) {
            size_t at = (size_t)n * (size_t)(first + c) + (size_t)(first + r);
            K[at] += k[c][r];
            M[at] += m[c][r];
        }
}

/* The section along the part s[0]..s[1] of the beam. */
typedef struct along {
    const lm_spec *spec;
    const lm_spec_body *b;
    double s[2];
    double *scratch;
    lm_diag *diag;
    int bad;
} along;

static void section_at(void *ctx, double xi, lm_section *out)
{
    static const char *const names[] = {"EA", "EIy", "EIz", "GJ", "rhoA"};
    along *a = ctx;
    double s = (1 - xi) * a->s[0] + xi * a->s[1];
    lm_section_eval(a->spec, a->b->beam_section, -1, s, a->scratch, out);
    const double v[] = {out->EA, out->EIy, out->EIz, out->GJ, out->rhoA};
    for (int i = 0; i < 5 && !a->bad; i++) {
        if (isfinite(v[i]) && (i == 4 ? v[i] >= 0 : v[i] > 0)) continue;
        a->bad = 1;
        lm_error(a->diag, a->b->item.loc,
                 "section '%s' of superelement '%s': %s is %.6g at s = %.6g; it must be %s",
                 a->spec->sections.at[a->b->beam_section].item.name, a->b->item.name, names[i],
                 v[i], s, i == 4 ? "0 or greater" : "greater than 0");
    }
}

/* Straight elements along x from node to node: shape [nodes - 1]. */
static int make_from_beam(const lm_spec *spec, const lm_spec_body *b, lm_super *s, double *K,
                          double *M, lm_beam_shape *shape, double *scratch, lm_diag *diag)
{
    const lm_spec_section *c = &spec->sections.at[b->beam_section];
    along a = {.spec = spec, .b = b, .scratch = scratch, .diag = diag};
    for (int i = 1; i < s->n; i++) {
        lm_beam_shape *e = &shape[i - 1];
        lm_section end;
        a.s[0] = s->X[i - 1].x / b->beam_length;
        a.s[1] = s->X[i].x / b->beam_length;
        section_at(&a, 0, &end); /* no quadrature point touches the ends */
        section_at(&a, 1, &end);
        if (a.bad) return -1;
        lm_beam_shape_make(section_at, &a, s->X[i].x - s->X[i - 1].x, 0, e);
        if (a.bad) return -1;
        add_element(e, 6 * s->n, 6 * (i - 1), K, M);
    }
    const lm_spec_material *m = c->material >= 0 ? &spec->materials.at[c->material] : NULL;
    s->alpha = m ? m->damping_mass : c->damping_mass;
    s->beta = m ? m->damping_stiffness : c->damping_stiffness;
    return 0;
}

/* ---- a beam as elements ---- */

/* The same body with the damping that is not the elements': no mass, no stiffness. */
static const lm_super *make_damper(lm_arena *arena, const lm_super *s)
{
    size_t size = 36 * (size_t)s->n * (size_t)s->n;
    if (!s->C && s->alpha == 0) return NULL;
    double *none = LM_NEW_N(arena, double, size), *C = LM_NEW_N(arena, double, size);
    lm_super *d = LM_NEW_N(arena, lm_super, 1);
    for (size_t i = 0; i < size; i++) C[i] = s->alpha * s->M[i] + (s->C ? s->C[i] : 0);
    *d = *s;
    d->K = d->M = none;
    d->C = C;
    d->alpha = d->beta = d->mass = 0;
    d->moment = v3(0, 0, 0);
    return d;
}

static void make_chain(lm_arena *arena, lm_super *s, const lm_beam_shape *shape)
{
    lm_super_chain *c = LM_NEW_N(arena, lm_super_chain, 1);
    lm_corot_const *group = LM_NEW_N(arena, lm_corot_const, lm_super_chain_groups(s->n));
    lm_super_chain_set(s, shape, group);
    *c = (lm_super_chain){.group = group, .damper = make_damper(arena, s)};
    s->chain = c;
}

/* Nodes that the user moves may not be free to be where the bent axis of a beam puts them, and the paper's
 * equations are about a linear body. */
static int is_linear(const lm_model *m, const lm_spec_body *b)
{
    if (b->beam_section < 0 || b->beam_deformations == LM_DEFORMATIONS_SMALL) return 1;
    if (m->spec->formulation.elastic_paper) return 1;
    return b->nodes[0].motion >= 0 && b->beam_deformations != LM_DEFORMATIONS_LARGE;
}

/* ---- matrices of files ---- */

static int read_matrix(const lm_spec_body *b, const lm_super *s, lm_super_matrix_kind kind,
                       double *A, double *work, lm_diag *diag)
{
    static const char *const names[] = {"mass", "stiffness", "damping"};
    const char *const paths[] = {b->mass_file, b->stiffness_file, b->damping_file};
    char what[160], size[60];
    lm_super_matrix matrix = {.kind = kind, .name = names[kind], .path = paths[kind]};
    lm_matrix_file file = {
        .path = paths[kind], .what = what, .loc = b->item.loc, .n = 6 * s->n, .size = size};
    snprintf(what, sizeof what, "%s of superelement '%.100s'", names[kind], b->item.name);
    snprintf(size, sizeof size, s->n > 1 ? "6 for each of its %d nodes" : "6 for its %d node",
             s->n);
    if (lm_matrix_market_read(&file, A, diag)) return -1;
    return lm_check_super_matrix(b, s, &matrix, A, work, diag);
}

/* ---- bodies ---- */

static void place_nodes(lm_arena *arena, const lm_spec_body *b, lm_super *s)
{
    lm_v3 *X = LM_NEW_N(arena, lm_v3, b->nnodes);
    lm_m3 *R0 = LM_NEW_N(arena, lm_m3, b->nnodes);
    for (int i = 0; i < b->nnodes; i++) {
        const lm_spec_pose *p = &b->nodes[i].pose;
        X[i] = v3_from(p->position);
        R0[i] = lm_rot_axis_angle(v3_from(p->axis), p->angle);
    }
    *s = (lm_super){.n = b->nnodes, .X = X, .R0 = R0};
}

static void choose_frame(const lm_spec_body *b, lm_super *s)
{
    s->frame = LM_SUPER_NODE;
    if (b->frame_product >= 0)
        s->frame = LM_SUPER_GIVEN;
    else if (strcmp(b->frame, "mean") == 0)
        s->frame = LM_SUPER_MEAN;
    else if (strcmp(b->frame, "chord") == 0)
        s->frame = LM_SUPER_CHORD;
    for (int i = 0; i < b->nnodes && s->frame == LM_SUPER_NODE; i++)
        if (strcmp(b->frame, b->nodes[i].name) == 0) s->frame_node = i;
}

static int same_text(const char *a, const char *b) { return a == b || (a && b && !strcmp(a, b)); }

/* 1: b has the matrices of a; bodies of a repetition read and keep them once. */
static int same_matrices(const lm_spec_body *a, const lm_spec_body *b)
{
    if (a->nnodes != b->nnodes || a->beam_section != b->beam_section) return 0;
    if (!same_text(a->mass_file, b->mass_file) ||
        !same_text(a->stiffness_file, b->stiffness_file) ||
        !same_text(a->damping_file, b->damping_file))
        return 0;
    for (int i = 0; i < a->nnodes; i++)
        if (memcmp(a->nodes[i].pose.position, b->nodes[i].pose.position,
                   sizeof a->nodes[i].pose.position) != 0)
            return 0;
    return 1;
}

static void get_matrices(lm_model *m, const lm_spec_body *b, lm_super *s, lm_beam_shape *shape,
                         double *work, double *scratch, lm_diag *diag)
{
    size_t size = (size_t)(6 * b->nnodes) * (size_t)(6 * b->nnodes);
    double *K = LM_NEW_N(&m->arena, double, size), *M = LM_NEW_N(&m->arena, double, size);
    double *C = b->damping_file ? LM_NEW_N(&m->arena, double, size) : NULL;
    s->K = K;
    s->M = M;
    s->C = C;
    if (b->beam_section >= 0) {
        make_from_beam(m->spec, b, s, K, M, shape, scratch, diag);
    } else {
        read_matrix(b, s, LM_SUPER_MASS, M, work, diag);
        read_matrix(b, s, LM_SUPER_STIFFNESS, K, work, diag);
    }
    if (C) read_matrix(b, s, LM_SUPER_DAMPING, C, work, diag);
}

/* `like`: the superelement before it, when it has the same matrices, else NULL; then `shape` is that of its
 * elements, too. */
static void compile_one(lm_model *m, const lm_spec_body *b, lm_super *s, const lm_super *like,
                        lm_beam_shape *shape, double *work, double *scratch, lm_diag *diag)
{
    int errors = diag->errors;
    place_nodes(&m->arena, b, s);
    choose_frame(b, s);
    if (like) {
        s->K = like->K;
        s->M = like->M;
        s->C = like->C;
        s->alpha = like->alpha;
        s->beta = like->beta;
    } else {
        get_matrices(m, b, s, shape, work, scratch, diag);
    }
    if (diag->errors == errors && lm_super_setup(s))
        lm_error(diag, b->item.loc,
                 "superelement '%s' has 'frame: chord', but its first and last node ('%s' and "
                 "'%s') are at the same place",
                 b->item.name, b->nodes[0].name, b->nodes[b->nnodes - 1].name);
    s->paper_gravity = m->spec->formulation.elastic_paper;
    if (diag->errors == errors && !is_linear(m, b)) make_chain(&m->arena, s, shape);
}

/* Number the superelements; returns the most nodes that one with files has. */
static int count(lm_model *m, lm_diag *diag)
{
    int most = 0;
    for (int i = 0; i < m->spec->bodies.n; i++) {
        const lm_spec_body *b = &m->spec->bodies.at[i];
        m->bodies[i].super = b->type == LM_BODY_SUPERELEMENT ? m->nsupers++ : -1;
        if (b->type != LM_BODY_SUPERELEMENT) continue;
        if (b->nnodes > NODES_MOST)
            lm_error(diag, b->item.loc,
                     "superelement '%s' has %d nodes; its matrices are dense, and more than %d "
                     "nodes are too many for them",
                     b->item.name, b->nnodes, NODES_MOST);
        else if (b->nnodes > most && (b->beam_section < 0 || b->damping_file))
            most = b->nnodes;
    }
    return most;
}

void lm_compile_superelements(lm_model *m, double *scratch, lm_diag *diag)
{
    int n = 6 * count(m, diag);
    if (!m->nsupers) return;
    double *work = LM_NEW_N(&m->arena, double, LM_SUPER_CHECK_ROWS *n + n * n);
    lm_beam_shape *shape = LM_NEW_N(&m->arena, lm_beam_shape, NODES_MOST);
    int last = -1; /* body */
    m->supers = LM_NEW_N(&m->arena, lm_super, m->nsupers);
    for (int i = 0; i < m->spec->bodies.n; i++) {
        const lm_spec_body *b = &m->spec->bodies.at[i];
        const lm_super *like = NULL;
        if (m->bodies[i].super < 0 || b->nnodes > NODES_MOST) continue;
        if (last >= 0 && same_matrices(&m->spec->bodies.at[last], b))
            like = &m->supers[m->bodies[last].super];
        compile_one(m, b, &m->supers[m->bodies[i].super], like, shape, work, scratch, diag);
        last = i;
    }
}
