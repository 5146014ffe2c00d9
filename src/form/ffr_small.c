/* How far nodes turn in the frames in which they should turn a little, and what then to do
 * (docs/theory/ffr.md). */
#include "form/ffr.h"

#include <stdio.h>

#define MOST      0.01   /* error of a deflection that is told, or not put up with */
#define AIMED     0.0025 /* ... that more frames are to leave */
#define MANY      100    /* frames, beyond which the theory is the wrong one */
#define LOCKS     2e-3   /* of modes that lock */
#define UNTWISTED 1e-6   /* rad: twist that is none */
#define MOTION    4.0 /* times as much are motions off, whose phase adds up errors of frequency */

static double dot(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* 1: runs divide beams by themselves. */
static int divides(const ffr *s)
{
    const lm_spec_formulation *how = &s->m->spec->formulation;
    return how->substructures == 0 && how->stiffening;
}

static double slope(int n, const double *to, const double *from, double dx, const double *section,
                    const double *eta)
{
    double chord = (dot(n, to, eta) - dot(n, from, eta)) / dx, own = dot(n, section, eta);
    return fabs(chord) > fabs(own) ? chord : own;
}

/* Part of the square of a turn by which a deflection is off at rest: 1/12 where the moment is the same all along
 * the frame, more where it varies, by what the end turns against twice the slope of the chord, and 1/2 at most. */
static double of_square(const lm_floating *f, const double *eta, double turn)
{
    const double *v = eta, *w = v + f->nv;
    const lm_floating_place *end = &f->place[f->nplaces - 1];
    double L = end->x0 - f->place[0].x0;
    double varies = hypot(dot(f->nv, end->dv, v) - 2 * dot(f->nv, end->v, v) / L,
                          dot(f->nw, end->dw, w) - 2 * dot(f->nw, end->w, w) / L);
    return turn > 0 ? fmin(0.5, 1 / 12. + 1.12 * varies / turn) : 0.5;
}

/* Twist counts for the turn where the beam bends as well. */
static ffr_extent largest(const ffr *s, const lm_floating *f, const double *eta)
{
    const double *v = eta, *w = v + f->nv, *a = w + f->nw, *t = a + f->na;
    double bend_most = 0;
    ffr_extent most = {0};
    for (int k = 1; k < f->nplaces; k++) {
        const lm_floating_place *p = &f->place[k - 1], *at = &f->place[k];
        double dx = at->x0 - p->x0, twist = dot(f->nt, at->t, t);
        double more = twist - dot(f->nt, p->t, t);
        double along[2] = {slope(f->nv, at->v, p->v, dx, at->dv, v),
                           slope(f->nw, at->w, p->w, dx, at->dw, w)};
        double bend = hypot(along[0], along[1]);
        double stretch = (dot(f->na, at->a, a) - dot(f->na, p->a, a)) / dx;
        bend_most = fmax(bend_most, bend);
        most.turn = fmax(most.turn, sqrt(bend * (bend + fabs(twist))));
        most.stretch = fmax(most.stretch, fabs(stretch));
        most.twist = fmax(most.twist, fabs(twist));
        most.in_element = fmax(most.in_element, fabs(more));
        for (int i = 0; i < 2; i++) most.along[i] = fmax(most.along[i], fabs(along[i]));
    }
    double twisting = most.turn * most.turn - bend_most * bend_most;
    most.bent = s->sys.still
                    ? of_square(f, eta, bend_most) * bend_most * bend_most + 0.3 * fmax(0, twisting)
                    : 0.5 * most.turn * most.turn;
    return most;
}

static int parts_of(const ffr *s, int body)
{
    int parts = 0;
    for (int k = 0; k < s->division->nparts; k++) parts += s->division->part[k].body == body;
    return parts;
}

/* Of a deflection, with n parts that are bent (of_square) and stretch so much. A part that a force at its end
 * turns is off by half the square of the turn, one that a moment turns by a sixth of that, and the parts share
 * the deflection. Slopes do not see the stretch in a part. */
static double error_of(const ffr *s, double bent, double stretch, double n)
{
    double still = bent * (1 / n + 1 / 30.) + 2 * stretch / n;
    return s->sys.still ? still : MOTION * still;
}

/* Of any deflection across a beam that is twisted so much in a frame and in an element. Sections see bending and
 * shear from their own axes; what is missed is what the basis does not follow: modes are those of the untwisted
 * beam, and the shear in an element goes with its untwisted curvature. Fits (docs/theory/ffr.md). */
static double twisted(const ffr *s, int body, double elements, double twist, double in_element)
{
    const ffr_unlike *u = &s->small.unlike[body];
    const lm_spec_formulation *how = &s->m->spec->formulation;
    double square = twist * twist, error = 0, fine = 1 / (1 + 1.4 * u->soft * elements * elements);
    if (!how->stiffening) return 0;
    if (how->basis_modes) error += 0.027 * u->bending * square / (how->modes * how->modes);
    if (how->basis_modes || !u->slopes)
        error += 10 * u->shear * square / (1 + twist);
    else
        error += 5 * u->shear * fine * square / (1 + square) +
                 2 * sqrt(u->shear) * in_element * in_element;
    return s->sys.still ? error : MOTION * error;
}

/* Of twist, where it is none by rounding, in a strip whose modes turn so far across its weak axis in each of n
 * parts: what they cannot follow in the stiff plane. A fit, too. */
static double locked(const ffr *s, int body, double twist, double weak, double n)
{
    const lm_spec_formulation *how = &s->m->spec->formulation;
    const ffr_unlike *u = &s->small.unlike[body];
    double shapes = (how->modes + 2) * n, part = LOCKS * u->thin * weak * weak / (shapes * shapes);
    if (!how->basis_modes || !how->stiffening || twist < UNTWISTED) return 0;
    return (s->sys.still ? 1 : MOTION) * part / (1 + part);
}

static void widen(ffr_extent *most, const ffr_extent *now)
{
    most->turn = fmax(most->turn, now->turn);
    most->bent = fmax(most->bent, now->bent);
    most->stretch = fmax(most->stretch, now->stretch);
    most->twist = fmax(most->twist, now->twist);
    most->in_element = fmax(most->in_element, now->in_element);
    for (int i = 0; i < 2; i++) most->along[i] = fmax(most->along[i], now->along[i]);
}

/* What is said to turn is what makes the error. */
static void count(const ffr *s, int body, lm_small *small)
{
    const ffr_extent *x = &s->small.most[body];
    double bent = error_of(s, x->bent, x->stretch, s->small.parts[body]);
    double twist = twisted(s, body, s->m->beams[body].nelements, x->twist, x->in_element),
           turn = x->turn;
    double thin =
        locked(s, body, x->twist, x->along[s->small.unlike[body].weak], s->small.parts[body]);
    if (twist > bent) turn = fmax(turn, x->twist);
    small->turn[body] = fmax(small->turn[body], turn);
    small->error[body] = fmax(small->error[body], bent + twist + thin);
}

static void look(lm_small *small, const double *q)
{
    const ffr *s = ((const ffr_small *)small)->of;
    ffr_extent *most = ((ffr_small *)small)->most;
    for (int i = 0; i < s->m->nbodies; i++)
        if (small->turn[i] == 0) most[i] = (ffr_extent){0};
    for (int i = 0; i < s->nunits; i++) {
        const ffr_unit *u = &s->unit[i];
        if (!u->f) continue;
        ffr_extent now = largest(s, u->f, q + u->q + FRAME_Q);
        widen(&most[u->body], &now);
    }
    for (int i = 0; i < s->m->nbodies; i++) {
        if (s->small.parts[i] == 0) continue;
        count(s, i, small);
        most[i].stretch = 0;
    }
}

/* Turns and twists add up along the beam: frames share them, and elements where there are no fewer. */
static double left_with(const ffr *s, int body, double stretch, double n)
{
    const ffr_extent *x = &s->small.most[body];
    double share = s->small.parts[body] / n, elements = s->m->beams[body].nelements;
    double finer = fmin(1, elements / n);
    return error_of(s, x->bent * share * share, stretch, n) +
           twisted(s, body, elements / finer, x->twist * share, x->in_element * finer) +
           locked(s, body, x->twist, x->along[s->small.unlike[body].weak] * share, n);
}

static double wanted(const lm_small *small, int body)
{
    const ffr *s = ((const ffr_small *)small)->of;
    double parts = s->small.parts[body], n = parts;
    double rest = small->error[body] - left_with(s, body, 0, parts);
    double stretch = fmax(rest, 0) / error_of(s, 0, 1, parts);
    while (n <= MANY && left_with(s, body, stretch, n) > AIMED) n++;
    return n;
}

static void remedy(const lm_small *small, int body, char *text, size_t size)
{
    const ffr *s = ((const ffr_small *)small)->of;
    const lm_beam *b = &s->m->beams[body];
    double frames = wanted(small, body);
    const char *more = frames > b->nelements ? " and as many 'elements'" : "";
    if (frames > MANY || !s->m->spec->formulation.stiffening)
        snprintf(text, size, "use 'corotational'");
    else if (divides(s) && s->small.parts[body] >= b->nelements)
        snprintf(text, size, "write 'elements: %.0f', or use 'corotational'", frames);
    else
        snprintf(text, size,
                 "write 'formulation: {type: ffr, substructures: %.0f}'%s, or use 'corotational'",
                 frames, more);
}

static int divide(const lm_small *small, int body)
{
    const ffr *s = ((const ffr_small *)small)->of;
    const lm_beam *b = &s->m->beams[body];
    double frames = fmin(wanted(small, body), b->nelements);
    if (!divides(s) || frames <= s->small.parts[body]) return 0;
    return (int)frames;
}

int ffr_make_small(ffr *s)
{
    int n = s->m->nbodies;
    ffr_extent *most = LM_NEW_N(&s->arena, ffr_extent, n + 1);
    s->small = (ffr_small){.base = {.look = look,
                                    .remedy = remedy,
                                    .divide = divide,
                                    .within = "its floating frame",
                                    .most = MOST,
                                    .relative = 1,
                                    .turn = LM_NEW_N(&s->arena, double, n + 1),
                                    .error = LM_NEW_N(&s->arena, double, n + 1),
                                    .told = LM_NEW_N(&s->arena, unsigned char, n + 1),
                                    .extent = (double *)most,
                                    .nextent = n * (int)(sizeof *most / sizeof(double))},
                           .of = s,
                           .most = most,
                           .unlike = LM_NEW_N(&s->arena, ffr_unlike, n + 1),
                           .parts = LM_NEW_N(&s->arena, int, n + 1)};
    lm_small *base = &s->small.base;
    if (!base->turn || !base->error || !base->told || !s->small.most || !s->small.unlike ||
        !s->small.parts)
        return -1;
    for (int i = 0; i < n; i++) {
        s->small.parts[i] = parts_of(s, i);
        if (s->small.parts[i] > 0) s->small.unlike[i] = ffr_unlike_of(s->m, s->division, i);
    }
    s->sys.small = &s->small.base;
    return 0;
}
