/* Numbers and vectors together with their first and second time derivatives. What is computed with
 * them comes out with its velocity and acceleration, exact to rounding: (p q)'' = p'' q + 2 p' q' +
 * p q'', and so on. */
#ifndef LM_FORM_NODAL_JET_H
#define LM_FORM_NODAL_JET_H

#include "math/v3.h"

typedef struct jet {
    double x, v, a;
} jet;

typedef struct jet3 {
    lm_v3 x, v, a;
} jet3;

typedef struct jet_axes { /* columns of a rotation */
    jet3 e[3];
} jet_axes;

static inline jet jet_add(jet p, jet q) { return (jet){p.x + q.x, p.v + q.v, p.a + q.a}; }
static inline jet jet_sub(jet p, jet q) { return (jet){p.x - q.x, p.v - q.v, p.a - q.a}; }
static inline jet jet_scale(double f, jet p) { return (jet){f * p.x, f * p.v, f * p.a}; }

/* A function of p by its value and two derivatives there. */
static inline jet jet_of(jet p, double f, double f1, double f2)
{
    return (jet){f, f1 * p.v, f2 * p.v * p.v + f1 * p.a};
}
static inline jet jet_power(jet p, double n)
{
    double f = pow(p.x, n - 2);
    return jet_of(p, f * p.x * p.x, n * f * p.x, n * (n - 1) * f);
}

static inline jet3 jet3_add(jet3 p, jet3 q)
{
    return (jet3){v3_add(p.x, q.x), v3_add(p.v, q.v), v3_add(p.a, q.a)};
}
static inline jet3 jet3_sub(jet3 p, jet3 q)
{
    return (jet3){v3_sub(p.x, q.x), v3_sub(p.v, q.v), v3_sub(p.a, q.a)};
}
static inline jet3 jet3_mul(jet f, jet3 p)
{
    lm_v3 a = v3_add(v3_mul(f.a, p.x), v3_add(v3_mul(2 * f.v, p.v), v3_mul(f.x, p.a)));
    return (jet3){v3_mul(f.x, p.x), v3_add(v3_mul(f.v, p.x), v3_mul(f.x, p.v)), a};
}
static inline jet jet3_dot(jet3 p, jet3 q)
{
    return (jet){v3_dot(p.x, q.x), v3_dot(p.v, q.x) + v3_dot(p.x, q.v),
                 v3_dot(p.a, q.x) + 2 * v3_dot(p.v, q.v) + v3_dot(p.x, q.a)};
}
static inline jet3 jet3_cross(jet3 p, jet3 q)
{
    lm_v3 a = v3_add(v3_cross(p.a, q.x), v3_cross(p.x, q.a));
    return (jet3){v3_cross(p.x, q.x), v3_add(v3_cross(p.v, q.x), v3_cross(p.x, q.v)),
                  v3_add(a, v3_mul(2, v3_cross(p.v, q.v)))};
}
static inline jet3 jet3_unit(jet3 p) { return jet3_mul(jet_power(jet3_dot(p, p), -0.5), p); }
static inline jet3 jet3_of(jet x, jet y, jet z)
{
    return (jet3){v3(x.x, y.x, z.x), v3(x.v, y.v, z.v), v3(x.a, y.a, z.a)};
}
static inline jet jet3_get(jet3 p, int i)
{
    return (jet){v3_get(p.x, i), v3_get(p.v, i), v3_get(p.a, i)};
}

/* A vector given by its components along axes. */
static inline jet3 jet_axes_v(const jet_axes *E, jet3 p)
{
    jet3 sum = jet3_mul(jet3_get(p, 0), E->e[0]);
    for (int i = 1; i < 3; i++) sum = jet3_add(sum, jet3_mul(jet3_get(p, i), E->e[i]));
    return sum;
}

/* Axes that turn with angular velocity w and angular acceleration al. */
static inline jet_axes jet_turning(const lm_m3 *R, lm_v3 w, lm_v3 al)
{
    jet_axes E;
    for (int i = 0; i < 3; i++) {
        lm_v3 e = m3_col(R, i), v = v3_cross(w, e);
        E.e[i] = (jet3){e, v, v3_add(v3_cross(al, e), v3_cross(w, v))};
    }
    return E;
}
/* The other way round: w = sum of e x e'/2, al = sum of e x e''/2. */
static inline void jet_turn_of(const jet_axes *E, lm_m3 *R, lm_v3 *w, lm_v3 *al)
{
    *R = m3_cols(E->e[0].x, E->e[1].x, E->e[2].x);
    *w = *al = v3(0, 0, 0);
    for (int i = 0; i < 3; i++) {
        *w = v3_add(*w, v3_mul(0.5, v3_cross(E->e[i].x, E->e[i].v)));
        *al = v3_add(*al, v3_mul(0.5, v3_cross(E->e[i].x, E->e[i].a)));
    }
}

#endif
