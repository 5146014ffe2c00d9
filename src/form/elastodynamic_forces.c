/* Forces in beams that bending notices and that the equations do not have (docs/theory/elastodynamic.md, "What is
 * left out"), at results: axial forces as displacements have them, where rigid bodies do not tell how holds share
 * a load; and moments, of which the stiffness across and in twist knows nothing. */
#include "form/elastodynamic.h"

#include <math.h>
#include <stddef.h>

/* EI of an element about y, z: its ends turned against each other, K44 - K4,10 = 2 EI/L; and GJ. */
static void stiffnesses(const elasto_const *c, double *GJ, double EI[2])
{
    double L = c->beam.L;
    *GJ = c->K[3][3] * L;
    EI[0] = 0.5 * L * (c->K[4][4] - c->K[4][10]);
    EI[1] = 0.5 * L * (c->K[5][5] - c->K[5][11]);
}

/* Displacements of the ends against the rigid motion, in its axes: translation, rotation. */
void elasto_ends(const elasto *e, const double *q, int k, double d[12])
{
    const elasto_element *el = &e->now->element[k];
    for (int i = 0; i < 2; i++) {
        int n = e->in->m->elements[k].node[i];
        const elasto_node *r = &e->now->node[n];
        v3_put(d + 6 * i, m3_tv(&el->R, v3_sub(node_x(q, n), r->x)));
        v3_put(d + 6 * i + 3, m3_tv(&el->R, lm_quat_log(quat_turn(r->q, node_quat(q, n)))));
    }
}

typedef struct moments {
    double length,
        stretch[3]; /* of the beam; sums over its length of T^2/EI^2, M_y^2 .., M_z^2 .. */
    double most[3]; /* largest torque, moments */
} moments;

/* Parts of the stiffness of a cantilever: a torque of pi EI/L buckles it; a moment M_a bends it across with twist,
 * M_a^2 |1/EI_b - 1/EI_a|/GJ over (pi/2L)^2. */
static void add_element(const elasto *e, const double *q, int k, moments *m)
{
    const elasto_const *c = e->of[k];
    double L = c->beam.L, GJ, EI[2], d[12];
    elasto_ends(e, q, k, d);
    stiffnesses(c, &GJ, EI);
    double T = GJ * (d[9] - d[3]) / L, My = EI[0] * (d[10] - d[4]) / L;
    double Mz = EI[1] * (d[11] - d[5]) / L, least = fmin(EI[0], EI[1]);
    double uneven = fabs(1 / EI[1] - 1 / EI[0]) / GJ;
    m->length += L;
    m->stretch[0] += L * T * T / (4 * least * least);
    m->stretch[1] += L * My * My * uneven;
    m->stretch[2] += L * Mz * Mz * uneven;
    m->most[0] = fmax(m->most[0], fabs(T));
    m->most[1] = fmax(m->most[1], fabs(My));
    m->most[2] = fmax(m->most[2], fabs(Mz));
}

/* A beam that ends hold takes four times as much: 2 pi EI/L (Greenhill), pi/L. */
static void look_at_moments(elasto *e, const double *q, int body)
{
    static const double by = 2 / 3.14159265358979323846;
    const lm_beam *b = &e->in->m->beams[body];
    lm_left_out *o = &e->left_out;
    moments m = {0};
    for (int k = b->first_element; k < b->first_element + b->nelements; k++)
        add_element(e, q, k, &m);
    for (int i = 0; i < 3; i++) {
        double part = by * by * m.stretch[i] * m.length * (e->spans[body] ? 0.25 : 1);
        lm_moment_effect *x = &o->moment[i > 0];
        if (part > x->part) *x = (lm_moment_effect){part, m.most[i], body};
    }
}

static void look(lm_left_out *o, const lm_state *st)
{
    elasto *e = (elasto *)((char *)o - offsetof(elasto, left_out));
    const lm_model *m = e->in->m;
    double d[12];
    if (m->nelements == 0 || elasto_enter(e, st->t)) return;
    for (int k = 0; k < m->nelements; k++) {
        elasto_ends(e, st->q, k, d);
        o->turn = fmax(o->turn, fmax(v3_norm(v3_from(d + 3)), v3_norm(v3_from(d + 9))));
        o->axial[k] += e->now->element[k].axial;
        o->stretching[k] += e->of[k]->K[0][0] * (d[6] - d[0]);
    }
    o->looks++;
    for (int i = 0; i < m->nbodies; i++)
        if (m->beams[i].nelements) look_at_moments(e, st->q, i);
    elasto_note_ends(e, st);
}

static double turned(const lm_left_out *o, const double *dx)
{
    const elasto *e = (const elasto *)((const char *)o - offsetof(elasto, left_out));
    const lm_model *m = e->in->m;
    double most = 0;
    for (int i = 0; i < 2 * m->nelements; i++)
        most = fmax(most, v3_norm(v3_from(dx + NODE_V * m->elements[i / 2].node[i % 2] + 3)));
    return most;
}

int elasto_forces_make(elasto *e, const lm_model *m)
{
    lm_left_out *o = &e->left_out;
    o->euler = e->euler;
    o->look = look;
    o->turned = turned;
    o->axial = LM_NEW_N(&e->arena, double, m->nelements + 1);
    o->stretching = LM_NEW_N(&e->arena, double, m->nelements + 1);
    e->spans = LM_NEW_N(&e->arena, unsigned char, m->nbodies + 1);
    unsigned char *joined = LM_NEW_N(&e->arena, unsigned char, m->nnodes + 1);
    if (!o->axial || !o->stretching || !e->spans || !joined || elasto_ends_make(e)) return -1;
    for (int i = 0; i < 2 * m->npairs; i++)
        if (m->pairs[i / 2].node[i % 2] >= 0) joined[m->pairs[i / 2].node[i % 2]] = 1;
    for (int i = 0; i < m->nbodies; i++) {
        const lm_beam *b = &m->beams[i];
        if (b->nelements == 0) continue;
        const lm_element *first = &m->elements[b->first_element];
        e->spans[i] = joined[first->node[0]] && joined[first[b->nelements - 1].node[1]];
    }
    return 0;
}
