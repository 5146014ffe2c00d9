/* How far nodes turn in the frames in which they should turn a little, and what then to do. */
#include "form/ffr.h"

#include <stdio.h>

/* The error of a deflection is about half the square of the turn: 4.5 % and 1 %. */
#define MOST  0.3
#define AIMED 0.15
#define MANY  100 /* frames, beyond which the theory is the wrong one */

static double dot(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

static double largest_turn(const lm_floating *f, const double *eta)
{
    const double *v = eta, *w = v + f->nv, *t = w + f->nw + f->na;
    double most = 0;
    for (int k = 1; k < f->nplaces; k++) {
        const lm_floating_place *at = &f->place[k];
        lm_v3 turn = v3(dot(f->nt, at->t, t), dot(f->nw, at->dw, w), dot(f->nv, at->dv, v));
        most = fmax(most, v3_norm(turn));
    }
    return most;
}

static void look(lm_small *small, const double *q)
{
    const ffr *s = ((const ffr_small *)small)->of;
    for (int i = 0; i < s->nunits; i++) {
        const ffr_unit *u = &s->unit[i];
        if (!u->f) continue;
        small->turn[u->body] = fmax(small->turn[u->body], largest_turn(u->f, q + u->q + FRAME_Q));
    }
}

/* Turns add up along the beam: frames share them. One that is damped by mass cannot have several. */
static void remedy(const lm_small *small, int body, char *text, size_t size)
{
    const ffr *s = ((const ffr_small *)small)->of;
    const lm_beam *b = &s->m->beams[body];
    int parts = 0;
    for (int k = 0; k < s->division->nparts; k++) parts += s->division->part[k].body == body;
    double wanted = ceil(parts * small->turn[body] / AIMED);
    if (b->damping_mass != 0 || wanted > MANY)
        snprintf(text, size, "use 'corotational'");
    else
        snprintf(text, size,
                 "write 'formulation: {type: ffr, substructures: %.0f}'%s, or use 'corotational'",
                 wanted, wanted > b->nelements ? " and as many 'elements'" : "");
}

int ffr_make_small(ffr *s)
{
    s->small = (ffr_small){.base = {.look = look,
                                    .remedy = remedy,
                                    .within = "its floating frame",
                                    .most = MOST,
                                    .turn = LM_NEW_N(&s->arena, double, s->m->nbodies + 1),
                                    .told = LM_NEW_N(&s->arena, unsigned char, s->m->nbodies + 1)},
                           .of = s};
    s->sys.small = &s->small.base;
    return s->small.base.turn && s->small.base.told ? 0 : -1;
}
