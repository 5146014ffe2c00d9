/* What linear displacements leave out of results (docs/theory/elastodynamic.md, "What is left out").
 *
 * An axis that keeps its length and bends falls short by s = 1/2 int (v'^2 + w'^2) dx, less what it shears.
 * This is of second order, and no part of the displacements; where an output has no part of first order, it is
 * all there is. The shortening of the elements is followed from the ground through beams and joints. */
#include "form/elastodynamic.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* ---- the way through the mechanism ---- */

/* Where node `from` of a link is known, `to` follows: by an element (its number), or with it (-1). */
static void follow(elasto *e, unsigned char *known, int from, int to, int element, int forward)
{
    if (to < 0 || known[to] || (from >= 0 && !known[from])) return;
    known[to] = 1;
    e->path[e->npath++] = (elasto_link){from, to, element, forward};
}

static void follow_links(elasto *e, unsigned char *known)
{
    const lm_model *m = e->in->m;
    for (int i = 0; i < m->njoints; i++) {
        const int *n = m->pairs[m->joints[i].pair].node;
        follow(e, known, n[0], n[1], -1, 1);
        follow(e, known, n[1], n[0], -1, 1);
    }
    for (int k = 0; k < m->nelements; k++) {
        const int *n = m->elements[k].node;
        follow(e, known, n[0], n[1], k, 1);
        follow(e, known, n[1], n[0], k, 0);
    }
}

/* Outputs that are expressions of positions alone. */
static int of_positions(const lm_model *m, int output)
{
    const lm_expr *x = &m->spec->outputs.at[output].expr;
    int any = 0;
    for (int i = 0; i < x->ninputs; i++) {
        if (x->inputs[i] == LM_SLOT_T) continue;
        int kind = m->spec->sensors.at[x->inputs[i] - 1].kind;
        if (kind != LM_SENSOR_POS && kind != LM_SENSOR_DEFLECTION && kind != LM_SENSOR_TIP)
            return 0;
        any = 1;
    }
    return any;
}

/* ---- results ---- */

static double shortening(const elasto *e, const double *q, int k)
{
    const elasto_element *el = &e->now->element[k];
    double d[12];
    for (int i = 0; i < 2; i++) {
        int n = e->in->m->elements[k].node[i];
        const elasto_node *r = &e->now->node[n];
        v3_put(d + 6 * i, m3_tv(&el->R, v3_sub(node_x(q, n), r->x)));
        v3_put(d + 6 * i + 3, m3_tv(&el->R, lm_quat_log(quat_turn(r->q, node_quat(q, n)))));
    }
    return lm_moving_beam_shortening(&e->of[k]->beam, d);
}

/* Positions with the shortening of all beams, into e->q. */
static void shorten(elasto *e, const double *q)
{
    lm_copy(e->q, q, e->in->sys.nq);
    memset(e->shift, 0, sizeof *e->shift * (size_t)e->in->m->nnodes);
    for (int i = 0; i < e->npath; i++) {
        const elasto_link *l = &e->path[i];
        lm_v3 shift = l->from < 0 ? v3(0, 0, 0) : e->shift[l->from];
        if (l->element >= 0) {
            double s = shortening(e, q, l->element);
            lm_v3 t = m3_col(&e->now->element[l->element].R, 0);
            shift = v3_add(shift, v3_mul(l->forward ? -s : s, t));
        }
        e->shift[l->to] = shift;
        v3_put(e->q + NODE_Q * l->to, v3_add(node_x(q, l->to), shift));
    }
}

void elasto_second_look(elasto *e, const lm_state *st)
{
    lm_system *sys = &e->in->sys;
    int nout = e->in->m->spec->outputs.n, angles = NODE_Q * e->in->m->nnodes;
    double *here = e->out, *there = e->out + nout;
    if (!e->positions || sys->along || nodal_outputs(sys, st, here)) return;
    shorten(e, st->q);
    lm_state other = *st;
    other.q = e->q;
    if (nodal_outputs(sys, &other, there)) return;
    for (int i = 0; i < nout; i++)
        if (of_positions(e->in->m, i))
            e->left_out.second[i] = fmax(e->left_out.second[i], fabs(there[i] - here[i]));
    for (int n = 0; n < e->in->m->nnodes; n++) {
        const elasto_node *r = &e->now->node[n];
        e->left_out.shift = fmax(e->left_out.shift, v3_norm(e->shift[n]));
        v3_put(e->q + NODE_Q * n, r->x);
        quat_put(e->q + NODE_Q * n + 3, r->q);
    }
    lm_copy(e->q + angles, st->q + angles, sys->nq - angles);
    if (nodal_outputs(sys, &other, there)) return;
    for (int i = 0; i < nout; i++)
        e->left_out.first[i] = fmax(e->left_out.first[i], fabs(there[i] - here[i]));
}

/* ---- twist by bending in two planes ---- */

/* Curvatures of an element, its axes, from the turn of its ends against each other, and its stiffnesses:
 * [0] torsion, [1] about y, [2] about z. */
static void curvatures(const elasto *e, const double *q, int k, double kappa[3], double EI[3])
{
    const lm_model *m = e->in->m;
    const lm_element *el = &m->elements[k];
    const elasto_const *c = e->of[k];
    int a = el->node[0], b = el->node[1];
    double L = c->beam.L;
    lm_m3 Ra = quat_m3(node_quat(q, a)), Rb = quat_m3(node_quat(q, b));
    lm_m3 Ea = m3_mul(&Ra, &el->A[0]), Eb = m3_mul(&Rb, &el->A[1]);
    lm_m3 turn = m3_tmul(&Ea, &Eb);
    v3_put(kappa, v3_mul(1 / L, lm_quat_log(lm_quat_from_m3(&turn))));
    EI[0] = c->K[3][3] * L;
    EI[1] = 0.5 * L * (c->K[4][4] - c->K[4][10]);
    EI[2] = 0.5 * L * (c->K[5][5] - c->K[5][11]);
}

/* Moments about two axes twist what they bend: M_x' = -kappa_y kappa_z (EI_z - EI_y). With no torque at the
 * free end the beam twists by int M_x/GJ dx. */
static double twist(const elasto *e, const double *q, int body, double *first)
{
    const lm_beam *b = &e->in->m->beams[body];
    double torque = 0, sum = 0, kappa[3], EI[3];
    int from_end = !e->free_start[body];
    *first = 0;
    for (int i = 0; i < b->nelements; i++) {
        int k = b->first_element + (from_end ? b->nelements - 1 - i : i);
        double L = e->of[k]->beam.L;
        curvatures(e, q, k, kappa, EI);
        double step = kappa[1] * kappa[2] * (EI[2] - EI[1]) * L;
        sum += (torque + 0.5 * step) / EI[0] * L;
        torque += step;
        *first += kappa[0] * L;
    }
    return fabs(sum);
}

/* ---- lateral buckling ---- */

/* A strip that is bent in its stiff plane, EI_s > EI_w, turns over sideways: a cantilever under an even moment
 * from M = pi/2 sqrt(EI_w GJ / (1 - EI_w/EI_s)) / L on. */
static void note_lateral(elasto *e, const double *q, int body)
{
    const lm_beam *b = &e->in->m->beams[body];
    lm_left_out *o = &e->left_out;
    double kappa[3], EI[3], L = 0;
    for (int k = b->first_element; k < b->first_element + b->nelements; k++) L += e->of[k]->beam.L;
    for (int k = b->first_element; k < b->first_element + b->nelements; k++) {
        curvatures(e, q, k, kappa, EI);
        int stiff = EI[2] > EI[1] ? 2 : 1, weak = 3 - stiff;
        double moment = fabs(kappa[stiff]) * EI[stiff];
        double square = EI[weak] * EI[0] / (1 - EI[weak] / EI[stiff]);
        double part = moment * L / (1.5707963267948966 * sqrt(square));
        if (!(part > o->bend)) continue; /* as stiff in both planes: 0 */
        o->bend = part, o->moment = moment, o->bent = body;
    }
}

/* Twist only where it is no small part of what is there. */
static void look(lm_small *s, const double *q)
{
    elasto *e = (elasto *)((char *)s - offsetof(elasto, small));
    for (int i = 0; i < e->in->m->nbodies; i++) {
        note_lateral(e, q, i);
        double first, second = e->in->m->beams[i].nelements ? twist(e, q, i, &first) : 0;
        if (second > 0.1 * fabs(first)) s->error[i] = s->turn[i] = fmax(s->turn[i], second);
    }
}

static void remedy(const lm_small *s, int body, char *text, size_t size)
{
    (void)s, (void)body;
    snprintf(text, size, "it leaves this twist out; use 'corotational'");
}

static int make_twist(elasto *e, const lm_model *m)
{
    e->free_start = LM_NEW_N(&e->arena, unsigned char, m->nbodies + 1);
    e->small = (lm_small){.look = look,
                          .remedy = remedy,
                          .within = "its length by twist of second order (bending about two axes)",
                          .most = 0.01,
                          .turn = LM_NEW_N(&e->arena, double, m->nbodies + 1),
                          .error = LM_NEW_N(&e->arena, double, m->nbodies + 1),
                          .told = LM_NEW_N(&e->arena, unsigned char, m->nbodies + 1)};
    if (!e->free_start || !e->small.turn || !e->small.error || !e->small.told) return -1;
    for (int i = 0; i < e->npath; i++)
        if (e->path[i].element >= 0 && !e->path[i].forward)
            e->free_start[m->nodes[e->path[i].to].body] = 1;
    if (m->nelements) e->in->sys.small = &e->small;
    return 0;
}

/* ---- axial forces against buckling ---- */

/* Least bending stiffness over the length of a beam: pi^2 EI/(4 L^2), what buckles it as a cantilever. */
double elasto_euler_load(const elasto *e, const lm_beam *b)
{
    double L = 0, EI = INFINITY;
    for (int k = b->first_element; k < b->first_element + b->nelements; k++) {
        const elasto_const *c = e->of[k];
        double l = c->beam.L; /* the ends turned against each other: K55 - K5,11 = 2 EI/l */
        L += l;
        EI = fmin(EI, 0.5 * l * fmin(c->K[5][5] - c->K[5][11], c->K[4][4] - c->K[4][10]));
    }
    return 9.8696044010893586 * EI / (4 * L * L);
}

void elasto_note_axial(elasto *e, int body, double euler, double force)
{
    lm_left_out *o = &e->left_out;
    double push = fabs(force) / euler;
    if (!(push > o->push)) return;
    o->push = push;
    o->pushed = body;
    o->force = force;
}

/* ---- making ---- */

int elasto_second_make(elasto *e, const lm_model *m)
{
    int nout = m->spec->outputs.n, before = -1;
    unsigned char *known = LM_NEW_N(&e->arena, unsigned char, m->nnodes + 1);
    e->path = LM_NEW_N(&e->arena, elasto_link, m->nnodes + 1);
    e->out = LM_NEW_N(&e->arena, double, 2 * nout + 1);
    e->left_out.first = LM_NEW_N(&e->arena, double, nout + 1);
    e->left_out.second = LM_NEW_N(&e->arena, double, nout + 1);
    e->shift = LM_NEW_N(&e->arena, lm_v3, m->nnodes + 1);
    if (!known || !e->path || !e->out || !e->left_out.first || !e->left_out.second || !e->shift)
        return -1;
    while (e->npath > before) {
        before = e->npath;
        follow_links(e, known);
    }
    for (int i = 0; i < nout && m->nelements; i++) e->positions |= of_positions(m, i);
    return make_twist(e, m);
}
