/* Corotational beam elements to test with: random ones, whose constants are of order one and without
 * symmetry so that no term hides behind a stiffer one, and the uniform one of the textbooks. One
 * element at a time, in all lanes. */
#ifndef TESTS_UNIT_COROT_CASE_H
#define TESTS_UNIT_COROT_CASE_H

#include "elem/corot_kin.h"

#include <stdlib.h>
#include <string.h>

static inline double rnd(void) { return 2.0 * rand() / RAND_MAX - 1; }
static inline lm_v3 rnd3(double s)
{
    double x = rnd(), y = rnd(), z = rnd();
    return v3(s * x, s * y, s * z);
}
static inline lm_m3 rotation(lm_v3 psi) { return quat_m3(lm_quat_exp(psi)); }

/* --- elements and states of one lane ------------------------------------------------------------ */

typedef struct element {
    lm_beam_shape s;
    lm_m3 A[2];
    double beta;
    int centred;
} element;

typedef struct motion { /* of the two nodes, world axes; v and a by node: linear, angular */
    lm_v3 x[2], v[4], a[4];
    lm_m3 R[2];
} motion;

static inline void fill(double *p, int n, double base)
{
    for (int i = 0; i < n; i++) p[i] = base + 0.5 * rnd();
}

static inline element random_element(int straight, double beta)
{
    element e = {.A = {m3_identity(), m3_identity()}, .beta = beta, .centred = rand() / 7 % 2};
    lm_beam_shape *s = &e.s;
    s->L = 1.2 + 0.3 * rnd(), s->ka = 3 + rnd(), s->kt = 1 + 0.5 * rnd();
    fill(s->kz, 3, 1.5), fill(s->ky, 3, 1.5), fill(s->mx, 3, 1), fill(s->mt, 3, 1);
    s->kz[1] -= 1, s->ky[1] -= 1; /* positive definite */
    fill(s->mz, 10, 0), fill(s->my, 10, 0);
    fill(s->bowz, 3, 0.2), fill(s->bowy, 3, 0.2), fill(s->turnz, 3, 0), fill(s->turny, 3, 0);
    s->shearz = 0.5 + 0.5 * rnd(), s->sheary = 0.5 + 0.5 * rnd();
    if (!straight)
        for (int i = 0; i < 2; i++) e.A[i] = rotation(rnd3(0.4));
    return e;
}

/* Anywhere, stretched by up to `strain`, the sections turned by up to `tilt` about each axis. */
static inline motion random_motion(const element *e, double strain, double tilt)
{
    motion m;
    lm_m3 E = rotation(rnd3(2.5));
    m.x[0] = rnd3(2);
    m.x[1] = v3_add(m.x[0], m3_v(&E, v3(e->s.L * (1 + strain * rnd()), 0, 0)));
    for (int i = 0; i < 2; i++) {
        lm_m3 t = rotation(rnd3(tilt)), T = m3_mul(&E, &t), At = m3_t(&e->A[i]);
        m.R[i] = m3_mul(&T, &At);
    }
    for (int i = 0; i < 4; i++) m.v[i] = rnd3(1), m.a[i] = rnd3(1);
    return m;
}

static inline motion at_rest(motion m)
{
    for (int i = 0; i < 4; i++) m.v[i] = m.a[i] = v3(0, 0, 0);
    return m;
}

static inline void put3(lm_lane *p, int lane, lm_v3 a)
{
    p[0][lane] = a.x, p[1][lane] = a.y, p[2][lane] = a.z;
}

static inline void put(lm_corot_state *s, int lane, const motion *m)
{
    for (int i = 0; i < 2; i++) {
        put3(s->x[i], lane, m->x[i]);
        for (int j = 0; j < 9; j++) s->R[i][j][lane] = m->R[i].m[j];
        for (int j = 0; j < 2; j++) {
            put3(s->v[i] + 3 * j, lane, m->v[2 * i + j]);
            put3(s->a[i] + 3 * j, lane, m->a[2 * i + j]);
        }
    }
}

static inline void put_const(lm_corot_const *c, int lane, const element *e)
{
    lm_corot_const_set(c, lane, &e->s, &e->A[0], &e->A[1], e->beta);
    if (e->centred) lm_corot_const_centre(c, lane);
}

/* One element, alone: in all four lanes. */
static inline lm_corot_const constants(const element *e)
{
    lm_corot_const c;
    memset(&c, 0, sizeof c);
    for (int k = 0; k < LM_LANES; k++) put_const(&c, k, e);
    return c;
}

static inline void residual(const element *e, const motion *m, lm_v3 g, double f[12])
{
    lm_corot_const c = constants(e);
    lm_corot_state s;
    lm_lane F[2][6];
    for (int k = 0; k < LM_LANES; k++) put(&s, k, m);
    lm_corot_residual(&c, &s, (double[]){g.x, g.y, g.z}, F);
    for (int i = 0; i < 12; i++) f[i] = F[i / 6][i % 6][2];
}

static inline void tangent(const element *e, const motion *m, lm_v3 g, const double w[3],
                           double J[12][12])
{
    lm_corot_const c = constants(e);
    lm_corot_state s;
    lm_lane K[12][12];
    for (int k = 0; k < LM_LANES; k++) put(&s, k, m);
    lm_corot_tangent(&c, &s, (double[]){g.x, g.y, g.z}, w[0], w[1], w[2], K);
    for (int i = 0; i < 144; i++) J[i / 12][i % 12] = K[i / 12][i % 12][1];
}

typedef struct energies {
    double T, V, G, loss;
} energies;

static inline energies energy(const element *e, const motion *m, lm_v3 g)
{
    lm_corot_const c = constants(e);
    lm_corot_state s;
    lm_corot_energies r;
    for (int k = 0; k < LM_LANES; k++) put(&s, k, m);
    lm_corot_energy(&c, &s, (double[]){g.x, g.y, g.z}, &r);
    return (energies){r.kinetic[0], r.elastic[0], r.gravity[0], r.dissipation[0]};
}

/* The motion moved by h along coordinate i of (dx_a, psi_a, dx_b, psi_b). */
static inline motion moved(motion m, int i, double h)
{
    lm_v3 d = v3(i % 3 == 0 ? h : 0, i % 3 == 1 ? h : 0, i % 3 == 2 ? h : 0);
    lm_m3 r = rotation(d);
    int node = i / 6;
    if (i % 6 < 3)
        m.x[node] = v3_add(m.x[node], d);
    else
        m.R[node] = m3_mul(&r, &m.R[node]);
    return m;
}

static inline motion changed(motion m, int kind, int i, double h) /* kind 0: a, 1: v, 2: place */
{
    if (kind == 2) return moved(m, i, h);
    lm_v3 *p = (kind == 0 ? m.a : m.v) + i / 3;
    *p = v3_add(*p, v3(i % 3 == 0 ? h : 0, i % 3 == 1 ? h : 0, i % 3 == 2 ? h : 0));
    return m;
}

/* The motion a time t later. */
static inline motion later(motion m, double t)
{
    for (int i = 0; i < 2; i++) {
        lm_v3 w = m.v[2 * i + 1];
        lm_m3 r = rotation(v3_add(v3_mul(t, w), v3_mul(0.5 * t * t, m.a[2 * i + 1])));
        m.x[i] = v3_add(m.x[i], v3_add(v3_mul(t, m.v[2 * i]), v3_mul(0.5 * t * t, m.a[2 * i])));
        m.R[i] = m3_mul(&r, &m.R[i]);
    }
    for (int i = 0; i < 4; i++) m.v[i] = v3_add(m.v[i], v3_mul(t, m.a[i]));
    return m;
}

/* Derivative at 0 from values at +-h, +-2h: the error is of fourth order. */
static inline double slope(double h, double p1, double m1, double p2, double m2)
{
    return (8 * (p1 - m1) - (p2 - m2)) / (12 * h);
}

static const lm_v3 gravity = {1.3, -0.7, 2.1};

/* --- a uniform beam, from the textbook --------------------------------------------------------- */

enum { UX, UY, UZ, RX, RY, RZ };

typedef struct uniform {
    double L, EA, GJ, EIy, EIz, rA, rIy, rIz;
} uniform;

static const uniform bar = {0.8, 3.1, 0.7, 1.3, 1.9, 2.3, 0.04, 0.07};

static inline void set2(double M[12][12], int i, int j, double v) { M[i][j] = M[j][i] = v; }

/* Bending in one plane; s = 1: xy with rotations about z, s = -1: xz with rotations about y. */
static inline void bend(double K[12][12], double M[12][12], const uniform *u, int t, int r,
                        double s)
{
    double L = u->L, k = (s > 0 ? u->EIz : u->EIy) / (L * L * L), m = u->rA * L / 420,
           j = (s > 0 ? u->rIz : u->rIy) / (30 * L);
    int n[4] = {t, r, t + 6, r + 6};
    double Kb[4][4] = {{12, 6 * L, -12, 6 * L},
                       {0, 4 * L * L, -6 * L, 2 * L * L},
                       {0, 0, 12, -6 * L},
                       {0, 0, 0, 4 * L * L}};
    double Mb[4][4] = {{156, 22 * L, 54, -13 * L},
                       {0, 4 * L * L, 13 * L, -3 * L * L},
                       {0, 0, 156, -22 * L},
                       {0, 0, 0, 4 * L * L}};
    double Jb[4][4] = {{36, 3 * L, -36, 3 * L},
                       {0, 4 * L * L, -3 * L, -L * L},
                       {0, 0, 36, -3 * L},
                       {0, 0, 0, 4 * L * L}};
    for (int a = 0; a < 4; a++)
        for (int b = a; b < 4; b++) {
            double sign = a % 2 != b % 2 ? s : 1;
            set2(K, n[a], n[b], sign * k * Kb[a][b]);
            set2(M, n[a], n[b], sign * (m * Mb[a][b] + j * Jb[a][b]));
        }
}

static inline void textbook(const uniform *u, double K[12][12], double M[12][12])
{
    memset(K, 0, sizeof(double[12][12]));
    memset(M, 0, sizeof(double[12][12]));
    double k[2] = {u->EA / u->L, u->GJ / u->L}, m[2] = {u->rA * u->L, (u->rIy + u->rIz) * u->L};
    for (int i = 0; i < 2; i++) {
        int a = i ? RX : UX;
        set2(K, a, a, k[i]), set2(K, a + 6, a + 6, k[i]), set2(K, a, a + 6, -k[i]);
        set2(M, a, a, m[i] / 3), set2(M, a + 6, a + 6, m[i] / 3), set2(M, a, a + 6, m[i] / 6);
    }
    bend(K, M, u, UY, RZ, 1);
    bend(K, M, u, UZ, RY, -1);
}

static inline void upper(double M[12][12], int t, int r, double out[10])
{
    int n[4] = {t, r, t + 6, r + 6}, k = 0;
    for (int a = 0; a < 4; a++)
        for (int b = a; b < 4; b++) out[k++] = M[n[a]][n[b]];
}

/* Bow and turning chord: integrals of Hermite's cubics. */
static inline void second_order(const uniform *u, double rI, double sign, double bow[3],
                                double turn[3])
{
    double L = u->L, both = u->rA * L / 210 + 6 * rI / (5 * L);
    bow[0] = bow[2] = 2 * L / 15, bow[1] = -L / 30;
    turn[0] = 2 * (both + u->rA * L / 60);
    turn[1] = sign * (rI - L * both) / 2;
    turn[2] = both;
}

static inline element uniform_element(const uniform *u)
{
    element e = {.A = {m3_identity(), m3_identity()}};
    double K[12][12], M[12][12];
    textbook(u, K, M);
    e.s = (lm_beam_shape){.L = u->L, .ka = u->EA / u->L, .kt = u->GJ / u->L};
    int at[3][2] = {{0, 0}, {0, 6}, {6, 6}};
    for (int i = 0; i < 3; i++) {
        int a = at[i][0], b = at[i][1];
        e.s.kz[i] = K[a + RZ][b + RZ], e.s.ky[i] = K[a + RY][b + RY];
        e.s.mx[i] = M[a][b], e.s.mt[i] = M[a + RX][b + RX];
    }
    upper(M, UY, RZ, e.s.mz);
    upper(M, UZ, RY, e.s.my);
    second_order(u, u->rIz, 1, e.s.bowz, e.s.turnz);
    second_order(u, u->rIy, -1, e.s.bowy, e.s.turny);
    return e;
}

/* Entry of Q B Q^T, Q the rotation in each of the 4 x 4 blocks. */
static inline double turned_entry(const lm_m3 *Q, double B[12][12], int r, int c)
{
    double sum = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            sum += Q->m[3 * i + r % 3] * B[c / 3 * 3 + j][r / 3 * 3 + i] * Q->m[3 * j + c % 3];
    return sum;
}

#endif
