/* Beams whose ends cannot follow their foreshortening (docs/theory/elastodynamic.md, "Ends that are held apart").
 *
 * A bent axis that keeps its length falls short by s. Where the ends cannot approach by that, the beam stretches
 * by the strain s/L: an initial strain of the linear system, which answers with displacements dx and leaves
 *
 *     N = EA (u_b - u_a + s)/L,      sum N s = work of the displacements of second order.
 *
 * That work over the elastic energy E of the linear displacements is how much they stiffen: deflections x, over
 * the linear ones, obey x (1 + eps x^2) = 1 with eps = 2 sum N s / 2 E. */
#include "form/elastodynamic.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static elasto *of(lm_left_out *o) { return (elasto *)((char *)o - offsetof(elasto, left_out)); }

static double shortening(const elasto *e, const double *q, int k, double d[12])
{
    elasto_ends(e, q, k, d);
    return lm_moving_beam_shortening(&e->of[k]->beam, d);
}

/* ---- a result ---- */

void elasto_note_ends(elasto *e, const lm_state *st)
{
    const lm_model *m = e->in->m;
    lm_held_ends *h = &e->left_out.ends;
    double most = 0, prestress = 0, d[12];
    for (int i = 0; i < m->nbodies; i++) {
        const lm_beam *b = &m->beams[i];
        double s = 0, soft = 0; /* foreshortening, L/EA */
        for (int k = b->first_element; k < b->first_element + b->nelements; k++) {
            double own = shortening(e, st->q, k, d);
            s += own;
            soft += 1 / e->of[k]->K[0][0];
            prestress += 2 * e->now->element[k].axial * own;
        }
        if (s > 0) most = fmax(most, s / (soft * e->euler[i]));
    }
    if (!(most > h->most)) return;
    lm_copy(h->q, st->q, e->in->sys.nq);
    h->t = st->t, h->most = most;
    h->prestress = prestress;
}

/* ---- forces of the foreshortening ---- */

static void shorten(lm_left_out *o, double *f)
{
    elasto *e = of(o);
    const lm_model *m = e->in->m;
    double d[12];
    if (elasto_enter(e, o->ends.t)) return;
    for (int k = 0; k < m->nelements; k++) {
        const int *n = m->elements[k].node;
        double N = e->of[k]->K[0][0] * shortening(e, o->ends.q, k, d);
        lm_v3 pull = v3_mul(N, m3_col(&e->now->element[k].R, 0));
        v3_put(f + NODE_V * n[0], v3_sub(v3_from(f + NODE_V * n[0]), pull));
        v3_put(f + NODE_V * n[1], v3_add(v3_from(f + NODE_V * n[1]), pull));
    }
}

/* ---- what becomes of deflections ---- */

typedef struct stretched {  /* of a beam */
    double work, own;       /* sum 2 N s of all foreshortening; of that against the beam's chord */
    double bending, length; /* twice its elastic energy without stretch */
    double axial, force;    /* twice that of stretch; mean of N */
} stretched;

static stretched stretched_beam(const elasto *e, const double *q, const double *dx, int body)
{
    const lm_model *m = e->in->m;
    const lm_beam *b = &m->beams[body];
    stretched s = {0};
    double d[12], sum = 0;
    lm_v3 tilt = v3(0, 0, 0);
    for (int k = b->first_element; k < b->first_element + b->nelements; k++) {
        const elasto_const *c = e->of[k];
        const int *n = m->elements[k].node;
        double fall = shortening(e, q, k, d), u = d[6] - d[0], L = c->beam.L;
        lm_v3 du = v3_sub(v3_from(dx + NODE_V * n[1]), v3_from(dx + NODE_V * n[0]));
        double N = c->K[0][0] * (v3_dot(m3_col(&e->now->element[k].R, 0), du) + fall);
        for (int i = 0; i < 12; i++)
            for (int j = 0; j < 12; j++) s.bending += d[i] * c->K[i][j] * d[j];
        s.axial += c->K[0][0] * u * u;
        s.work += 2 * N * fall;
        s.force += N * L;
        s.length += L;
        sum += fall;
        tilt = v3_add(tilt, v3(0, d[7] - d[1], d[8] - d[2]));
    }
    s.bending -= s.axial;
    s.force /= s.length;
    s.own = 2 * s.force * (sum - 0.5 * v3_dot(tilt, tilt) / s.length);
    return s;
}

/* 1/x - 1 of x (1 + eps x^2) = 1; of what softens eps itself. */
static double off_by(double eps, double *x)
{
    *x = 1;
    if (eps <= 0) return -eps;
    for (int i = 0; i < 40; i++) *x -= (*x * (1 + eps * *x * *x) - 1) / (1 + 3 * eps * *x * *x);
    return 1 / *x - 1;
}

static void take(lm_held_ends *h, int body, double eps, double force)
{
    double x, off = off_by(eps, &x);
    if (!(off > h->off)) return;
    h->off = off;
    h->force = force * x * x;
    h->body = body;
}

static void stretch(lm_left_out *o, const double *dx)
{
    elasto *e = of(o);
    const lm_model *m = e->in->m;
    lm_held_ends *h = &o->ends;
    double work = 0, axial = 0, force = 0;
    int most = 0;
    if (elasto_enter(e, h->t)) return;
    for (int i = 0; i < m->nbodies; i++) {
        if (m->beams[i].nelements == 0) continue;
        stretched s = stretched_beam(e, h->q, dx, i);
        if (s.bending > 0) take(h, i, s.own / s.bending, s.force);
        if (fabs(s.work) > fabs(force)) force = s.work, most = i;
        work += s.work, axial += s.axial;
    }
    double energy = fmax(2 * h->elastic - axial + h->prestress, 0.1 * (2 * h->elastic - axial));
    if (energy > 0) take(h, most, work / energy, stretched_beam(e, h->q, dx, most).force);
}

/* 1e-8 of EA/(L m) of all beams one behind the other, m the mass of all: ends that inertia alone holds are free. */
double elasto_slow_inertia(const elasto *e)
{
    const lm_model *m = e->in->m;
    double mass = 0, soft = 0;
    for (int k = 0; k < m->nbodies; k++) mass += m->bodies[k].mass;
    for (int k = 0; k < m->nsupers; k++) mass += m->supers[k].mass;
    for (int k = 0; k < m->nelements; k++) {
        mass += e->of[k]->beam.mass;
        soft += 1 / e->of[k]->K[0][0];
    }
    return mass > 0 && soft > 0 ? 1e-8 / (mass * soft) : 0;
}

int elasto_ends_make(elasto *e)
{
    lm_left_out *o = &e->left_out;
    o->ends.q = LM_NEW_N(&e->arena, double, e->in->sys.nq + 1);
    o->shorten = shorten;
    o->stretch = stretch;
    return o->ends.q ? 0 : -1;
}
