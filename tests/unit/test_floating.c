/* The floating-frame body: forces against Lagrange's equations of an energy that is written out
 * here, mass and tangents against differences, rigid motions, free flight. */
#include "elem/floating_int.h"
#include "math/eigen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { NV = 3, NW = 2, NA = 2, NT = 2, NE = NV + NW + NA + NT, N = 6 + NE, FOURS = 6 };

static double rnd(void) { return 2.0 * rand() / RAND_MAX - 1; }
static lm_v3 rnd3(void) { return v3(rnd(), rnd(), rnd()); }

/* A body of random points: the equations hold for any numbers, whether a beam has them or not. */
typedef struct body {
    lm_floating f;
    lm_floating_four four[FOURS];
    lm_lane v[FOURS][NV], w[FOURS][NW], a[FOURS][NA], Hv[FOURS][NV * NV], Hw[FOURS][NW * NW];
    lm_lane turn[FOURS][NV + NW + NT];
    double Mff[NE * NE], K[NE * NE], C[NE * NE];
    double Sv[NA * NV * NV], Sw[NA * NW * NW];
} body;

static void draw(lm_lane *to, int n)
{
    for (int i = 0; i < n; i++)
        for (int l = 0; l < LM_LANES; l++) to[i][l] = rnd();
}

static void draw_symmetric(lm_lane *H, int n)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i <= j; i++) draw(&H[i + n * j], 1), H[j + n * i] = H[i + n * j];
}

/* Diagonal blocks, positive definite. */
static void draw_blocks(double *A)
{
    const int size[4] = {NV, NW, NA, NT};
    memset(A, 0, sizeof(double) * NE * NE);
    for (int b = 0, at = 0; b < 4; at += size[b], b++)
        for (int j = at; j < at + size[b]; j++)
            for (int i = at; i <= j; i++) A[i + NE * j] = A[j + NE * i] = i == j ? 3 : 0.4 * rnd();
}

static void add_mass(double *Mff, int first, int n, const lm_lane *shape, const lm_lane *mass)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            Mff[first + i + NE * (first + j)] += lane_sum(*mass * shape[i] * shape[j]);
}

static void make(body *b, int fours)
{
    memset(b, 0, sizeof *b);
    draw_blocks(b->K), draw_blocks(b->C);
    b->f = (lm_floating){.nv = NV, .nw = NW, .na = NA, .nt = NT, .ne = NE};
    b->f.nfours = fours, b->f.four = b->four;
    b->f.Mff = b->Mff, b->f.K = b->K, b->f.C = b->C;
    for (int i = 0; i < NA * NV * NV; i++) b->Sv[i] = 0.3 * rnd();
    for (int i = 0; i < NA * NW * NW; i++) b->Sw[i] = 0.3 * rnd();
    b->f.Sv = b->Sv, b->f.Sw = b->Sw;
    for (int k = 0; k < fours; k++) {
        lm_floating_four *q = &b->four[k];
        draw(b->v[k], NV), draw(b->w[k], NW), draw(b->a[k], NA);
        draw_symmetric(b->Hv[k], NV), draw_symmetric(b->Hw[k], NW);
        draw(&q->x0, 1), draw(&q->mass, 1);
        q->mass += 1.5;
        q->v = b->v[k], q->w = b->w[k], q->a = b->a[k], q->Hv = b->Hv[k], q->Hw = b->Hw[k];
        b->f.mass += lane_sum(q->mass);
        add_mass(b->Mff, 0, NV, b->v[k], &q->mass);
        add_mass(b->Mff, NV, NW, b->w[k], &q->mass);
        add_mass(b->Mff, NV + NW, NA, b->a[k], &q->mass);
        draw(q->j, 3), draw(b->turn[k], NV + NW + NT);
        q->turn = b->turn[k];
        for (int i = 0; i < 3; i++) q->j[i] += 2, b->f.J[i] += lane_sum(q->j[i]);
        add_mass(b->Mff, 0, NV, q->turn, &q->j[2]);
        add_mass(b->Mff, NV, NW, q->turn + NV, &q->j[1]);
        add_mass(b->Mff, NV + NW + NA, NT, q->turn + NV + NW, &q->j[0]);
    }
}

/* Where point l of four k is: the formula of floating.h, written out. */
static lm_v3 point(const body *b, int k, int l, const double *eta)
{
    lm_v3 p = v3(b->four[k].x0[l], 0, 0);
    for (int i = 0; i < NV; i++) {
        p.y += b->v[k][i][l] * eta[i];
        for (int j = 0; j < NV; j++) p.x -= 0.5 * b->Hv[k][i + NV * j][l] * eta[i] * eta[j];
    }
    for (int i = 0; i < NW; i++) {
        p.z += b->w[k][i][l] * eta[NV + i];
        for (int j = 0; j < NW; j++)
            p.x -= 0.5 * b->Hw[k][i + NW * j][l] * eta[NV + i] * eta[NV + j];
    }
    for (int i = 0; i < NA; i++) p.x += b->a[k][i][l] * eta[NV + NW + i];
    return p;
}

/* p is quadratic: this difference is its derivative. */
static lm_v3 point_rate(const body *b, int k, int l, const double *eta, const double *deta)
{
    double e[2][NE];
    for (int i = 0; i < NE; i++) e[0][i] = eta[i] - deta[i], e[1][i] = eta[i] + deta[i];
    return v3_mul(0.5, v3_sub(point(b, k, l, e[1]), point(b, k, l, e[0])));
}

/* About z, then y, then x. */
static void angles_of(const body *b, int k, int l, const double *eta, double angle[3])
{
    static const int n[3] = {NV, NW, NT}, at[3] = {0, NV, NV + NW + NA};
    const lm_lane *turn = b->turn[k];
    for (int a = 0; a < 3; turn += n[a++]) {
        angle[a] = 0;
        for (int i = 0; i < n[a]; i++) angle[a] += turn[i][l] * eta[at[a] + i];
    }
}

static const lm_v3 turn_axis[3] = {{0, 0, 1}, {0, 1, 0}, {1, 0, 0}};

static lm_m3 section_axes(const body *b, int k, int l, const double *eta)
{
    double angle[3];
    lm_m3 S = m3_identity();
    angles_of(b, k, l, eta, angle);
    for (int a = 0; a < 3; a++) {
        lm_m3 turn = quat_m3(lm_quat_exp(v3_mul(angle[a], turn_axis[a])));
        S = m3_mul(&S, &turn);
    }
    return S;
}

/* Angular velocity of a section in its own axes: each turn is seen from those behind it. */
static lm_v3 section_spin(const body *b, int k, int l, lm_v3 W, const double *eta,
                          const double *deta)
{
    double angle[3], rate[3];
    angles_of(b, k, l, eta, angle), angles_of(b, k, l, deta, rate);
    for (int a = 0; a < 3; a++) {
        lm_m3 turn = quat_m3(lm_quat_exp(v3_mul(angle[a], turn_axis[a])));
        W = v3_add(m3_tv(&turn, W), v3_mul(rate[a], turn_axis[a]));
    }
    return W;
}

typedef struct motion {
    lm_v3 v, W;
    double eta[NE], deta[NE];
} motion;

static double quadratic(const double *A, const double *x)
{
    double sum = 0;
    for (int i = 0; i < NE; i++)
        for (int j = 0; j < NE; j++) sum += A[i + NE * j] * x[i] * x[j];
    return sum;
}

/* Of the coordinates of bending less what the stretches make of them. */
static double elastic(const body *b, const double *eta)
{
    double x[NE];
    memcpy(x, eta, sizeof x);
    for (int j = 0; j < NA; j++) {
        double a = eta[NV + NW + j];
        for (int i = 0; i < NV; i++)
            for (int k = 0; k < NV; k++) x[i] -= a * b->Sv[i + NV * (k + NV * j)] * eta[k];
        for (int i = 0; i < NW; i++)
            for (int k = 0; k < NW; k++)
                x[NV + i] -= a * b->Sw[i + NW * (k + NW * j)] * eta[NV + k];
    }
    return 0.5 * quadratic(b->K, x);
}

static double kinetic(const body *b, const motion *s)
{
    double T = 0;
    for (int k = 0; k < b->f.nfours; k++)
        for (int l = 0; l < LM_LANES; l++) {
            lm_v3 p = point(b, k, l, s->eta), dp = point_rate(b, k, l, s->eta, s->deta);
            lm_v3 u = v3_add(v3_add(s->v, dp), v3_cross(s->W, p));
            lm_v3 w = section_spin(b, k, l, s->W, s->eta, s->deta);
            const lm_lane *j = b->four[k].j;
            T += 0.5 * b->four[k].mass[l] * v3_dot(u, u);
            T += 0.5 * (j[0][l] * w.x * w.x + j[1][l] * w.y * w.y + j[2][l] * w.z * w.z);
        }
    return T;
}

static motion draw_motion(double eta)
{
    motion s = {.v = rnd3(), .W = rnd3()};
    for (int i = 0; i < NE; i++) s.eta[i] = eta * rnd(), s.deta[i] = rnd();
    return s;
}

static double *velocity(motion *s, int i)
{
    double *const at[] = {&s->v.x, &s->v.y, &s->v.z, &s->W.x, &s->W.y, &s->W.z};
    return i < 6 ? at[i] : &s->deta[i - 6];
}

/* dT/d(v, W, deta); T is quadratic in them. */
static void momenta(const body *b, motion s, double p[N])
{
    for (int i = 0; i < N; i++) {
        double *x = velocity(&s, i), old = *x;
        *x = old + 1;
        p[i] = 0.5 * kinetic(b, &s);
        *x = old - 1;
        p[i] -= 0.5 * kinetic(b, &s);
        *x = old;
    }
}

static motion later(const motion *s, const double *acc, double t)
{
    motion n = *s;
    for (int i = 0; i < N; i++) *velocity(&n, i) += t * acc[i];
    for (int i = 0; i < NE; i++) n.eta[i] += t * s->deta[i] + 0.5 * t * t * acc[6 + i];
    return n;
}

/* -8 8 1 -1: differences of the fourth order. */
static const double steps[4] = {-1, 1, -2, 2}, weights[4] = {-8. / 12, 8. / 12, 1. / 12, -1. / 12};

/* Forces by Lagrange's equations in the velocities v, W (Boltzmann and Hamel): F = p_v' + W x p_v,
 * M = p_W' + W x p_W + v x p_v, on eta p_eta' - dT/d(eta) + dU/d(eta) + C deta. */
static void lagrange(const body *b, const motion *s, const double *acc, double r[N])
{
    double p[N], q[N], h = 2e-3;
    memset(r, 0, sizeof(double) * N);
    for (int k = 0; k < 4; k++) {
        momenta(b, later(s, acc, steps[k] * h), q);
        for (int i = 0; i < N; i++) r[i] += weights[k] * q[i] / h;
    }
    momenta(b, *s, p);
    v3_acc(r, v3_cross(s->W, v3_from(p)));
    v3_acc(r + 3, v3_add(v3_cross(s->W, v3_from(p + 3)), v3_cross(s->v, v3_from(p))));
    for (int i = 0; i < NE; i++) {
        for (int k = 0; k < 4; k++) {
            motion n = *s;
            n.eta[i] += steps[k] * h;
            r[6 + i] += weights[k] * (elastic(b, n.eta) - kinetic(b, &n)) / h;
        }
        for (int j = 0; j < NE; j++) r[6 + i] += b->C[i + NE * j] * s->deta[j];
    }
}

/* As the kernel wants it: a is the whole acceleration of the origin, v' + W x v. */
static lm_floating_motion kernel_motion(const motion *s, const double *acc)
{
    return (lm_floating_motion){.a = v3_add(v3_from(acc), v3_cross(s->W, s->v)),
                                .W = s->W,
                                .dW = v3_from(acc + 3),
                                .eta = s->eta,
                                .deta = s->deta,
                                .ddeta = acc + 6};
}

static double largest(const double *a, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i]));
    return most;
}

static void near_all(const double *a, const double *b, int n, double tolerance)
{
    double scale = largest(b, n);
    for (int i = 0; i < n; i++)
        if (!(fabs(a[i] - b[i]) <= tolerance * scale))
            fail_msg("entry %d: %.15g, expected %.15g (scale %.3g)", i, a[i], b[i], scale);
}

static void forces_are_those_of_the_energy(void **state)
{
    (void)state;
    static const int fours[] = {1, 4, FOURS}; /* chunks: part of one, one, more */
    for (int trial = 0; trial < 12; trial++) {
        body b;
        double acc[N], r[N], expected[N];
        make(&b, fours[trial % 3]);
        motion s = draw_motion(1);
        for (int i = 0; i < N; i++) acc[i] = rnd();
        lm_floating_motion m = kernel_motion(&s, acc);
        lm_floating_residual(&b.f, &m, r);
        lagrange(&b, &s, acc, expected);
        near_all(r, expected, N, 1e-9);
    }
}

static void energies(void **state)
{
    (void)state;
    body b;
    make(&b, FOURS);
    motion s = draw_motion(1);
    lm_floating_energy e;
    lm_floating_energies(&b.f, s.v, s.W, s.eta, s.deta, &e);
    lm_v3 S = v3(0, 0, 0);
    for (int k = 0; k < FOURS; k++)
        for (int l = 0; l < LM_LANES; l++)
            S = v3_add(S, v3_mul(b.four[k].mass[l], point(&b, k, l, s.eta)));
    near_all((double[]){e.kinetic, e.elastic, e.dissipation, e.moment.x, e.moment.y, e.moment.z},
             (double[]){kinetic(&b, &s), elastic(&b, s.eta), quadratic(b.C, s.deta), S.x, S.y, S.z},
             6, 1e-13);
    b.f.C = NULL;
    lm_floating_energies(&b.f, s.v, s.W, s.eta, s.deta, &e);
    assert_true(e.dissipation == 0);
}

/* Forces are linear in the accelerations: differences are the mass. */
static void mass_is_what_accelerations_take(void **state)
{
    (void)state;
    for (int fours = 1; fours <= FOURS; fours++) {
        body b;
        double M[N * N], acc[N] = {0}, rest[N], r[N];
        make(&b, fours);
        motion s = draw_motion(1);
        lm_floating_mass(&b.f, s.eta, M);
        lm_floating_motion m = kernel_motion(&s, acc);
        lm_floating_residual(&b.f, &m, rest);
        for (int j = 0; j < N; j++) {
            acc[j] = 1;
            m = kernel_motion(&s, acc);
            lm_floating_residual(&b.f, &m, r);
            acc[j] = 0;
            for (int i = 0; i < N; i++) r[i] -= rest[i];
            near_all(M + N * j, r, N, 1e-12);
        }
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) assert_true(M[i + N * j] == M[j + N * i]);
    }
}

/* Column of the derivative by *x. */
static void difference(const body *b, const motion *s, const double *acc, double *x, double *out)
{
    double old = *x, r[N], h = 2e-3;
    memset(out, 0, sizeof(double) * N);
    for (int k = 0; k < 4; k++) {
        *x = old + steps[k] * h;
        lm_floating_motion m = kernel_motion(s, acc);
        m.a = v3_from(acc);
        lm_floating_residual(&b->f, &m, r);
        for (int i = 0; i < N; i++) out[i] += weights[k] * r[i] / h;
    }
    *x = old;
}

static void tangents(void **state)
{
    (void)state;
    for (int fours = 1; fours <= FOURS; fours++) {
        body b;
        double D[N * (3 + NE)], K[N * NE], once[N * (3 + NE)], acc[N], column[N];
        make(&b, fours);
        motion s = draw_motion(1);
        for (int i = 0; i < N; i++) acc[i] = rnd();
        lm_floating_motion m = kernel_motion(&s, acc);
        m.a = v3_from(acc);
        lm_floating_tangent(&b.f, &m, D, K);
        for (int j = 0; j < 3 + NE; j++) {
            difference(&b, &s, acc, velocity(&s, 3 + j), column);
            near_all(D + N * j, column, N, 1e-10);
        }
        for (int j = 0; j < NE; j++) {
            difference(&b, &s, acc, &s.eta[j], column);
            near_all(K + N * j, column, N, 1e-10);
        }
        lm_floating_tangent(&b.f, &m, once, NULL); /* either alone */
        assert_memory_equal(once, D, sizeof D);
        lm_floating_tangent(&b.f, &m, NULL, once);
        assert_memory_equal(once, K, sizeof K);
    }
}

/* Rates that are not given are zero. */
static void at_rest(void **state)
{
    (void)state;
    body b;
    double zero[NE] = {0}, r[2][N], D[2][N * (3 + NE)], K[2][N * NE];
    make(&b, FOURS);
    motion s = draw_motion(1);
    lm_floating_motion m = {.a = rnd3(), .W = rnd3(), .dW = rnd3(), .eta = s.eta};
    for (int given = 0; given < 2; given++) {
        m.deta = m.ddeta = given ? zero : NULL;
        lm_floating_residual(&b.f, &m, r[given]);
        lm_floating_tangent(&b.f, &m, D[given], K[given]);
    }
    near_all(r[0], r[1], N, 1e-15);
    near_all(D[0], D[1], N * (3 + NE), 1e-15);
    near_all(K[0], K[1], N * NE, 1e-15);
}

/* With a shape that stays, bent or not, the frame feels a rigid body:
 * F = m (a + dW x c + W x (W x c)), M = S x a + J dW + W x J W. */
static void a_shape_that_stays_is_rigid(void **state)
{
    (void)state;
    for (int bent = 0; bent < 2; bent++) {
        body b;
        double r[N], expected[6];
        make(&b, FOURS);
        motion s = draw_motion(bent);
        lm_v3 a = rnd3(), W = rnd3(), dW = rnd3(), S = v3(0, 0, 0);
        lm_m3 J = {{0}};
        for (int k = 0; k < FOURS; k++)
            for (int l = 0; l < LM_LANES; l++) {
                lm_v3 p = point(&b, k, l, s.eta);
                S = v3_add(S, v3_mul(b.four[k].mass[l], p));
                J = m3_add(J, m3_scale(-b.four[k].mass[l], m3_skew_skew(p, p)));
                const lm_lane *j = b.four[k].j;
                lm_m3 R = section_axes(&b, k, l, s.eta), Rt = m3_t(&R);
                lm_m3 own = {{j[0][l], 0, 0, 0, j[1][l], 0, 0, 0, j[2][l]}};
                own = m3_mul(&own, &Rt);
                J = m3_add(J, m3_mul(&R, &own));
            }
        lm_v3 F = v3_add(v3_mul(b.f.mass, a), v3_cross(dW, S));
        v3_put(expected, v3_add(F, v3_cross(W, v3_cross(W, S))));
        lm_v3 M = v3_add(v3_cross(S, a), m3_v(&J, dW));
        v3_put(expected + 3, v3_add(M, v3_cross(W, m3_v(&J, W))));
        lm_floating_motion m = {.a = a, .W = W, .dW = dW, .eta = s.eta};
        lm_floating_residual(&b.f, &m, r);
        near_all(r, expected, 6, 1e-13);
    }
}

/* Whoever looks on from a frame that moves evenly sees the same forces; the energy by v . p + m
 * v^2 / 2 more. */
static void even_motion_is_not_felt(void **state)
{
    (void)state;
    body b;
    double p[N], acc[N], r[2][N];
    make(&b, FOURS);
    motion s = draw_motion(1), moved = s;
    lm_v3 drift = v3_mul(10, rnd3());
    for (int i = 0; i < N; i++) acc[i] = rnd();
    lagrange(&b, &s, acc, r[0]);
    moved.v = v3_add(s.v, drift);
    lm_v3 turns = v3_cross(s.W, drift); /* the drift stays in space: in body axes it turns */
    for (int i = 0; i < 3; i++) acc[i] -= v3_get(turns, i);
    lm_floating_motion m = kernel_motion(&moved, acc);
    lm_floating_residual(&b.f, &m, r[1]);
    near_all(r[1], r[0], N, 1e-9);
    momenta(&b, s, p);
    lm_floating_energy e[2];
    lm_floating_energies(&b.f, s.v, s.W, s.eta, s.deta, &e[0]);
    lm_floating_energies(&b.f, moved.v, s.W, s.eta, s.deta, &e[1]);
    double gain = v3_dot(drift, v3_from(p)) + 0.5 * b.f.mass * v3_dot(drift, drift);
    assert_true(fabs(e[1].kinetic - e[0].kinetic - gain) < 1e-12 * e[1].kinetic);
}

/* ---- free flight ---- */

typedef struct flight { /* body axes for v, W */
    lm_v3 x;
    lm_quat q;
    motion s;
} flight;

/* Rates of the velocities: M acc = -r(acc = 0); v' = a - W x v. */
static void accelerations(const body *b, const motion *s, double acc[N])
{
    double M[N * N];
    lm_floating_motion m = {.W = s->W, .eta = s->eta, .deta = s->deta};
    lm_floating_mass(&b->f, s->eta, M);
    lm_floating_residual(&b->f, &m, acc);
    for (int i = 0; i < N; i++) acc[i] = -acc[i];
    assert_int_equal(lm_dense_solve(N, M, 1, acc), 0);
    v3_acc(acc, v3_neg(v3_cross(s->W, s->v)));
}

typedef struct slope {
    lm_v3 dx;
    lm_quat dq;
    double acc[N], deta[NE];
} slope;

static slope slope_of(const body *b, const flight *f)
{
    slope k;
    lm_m3 R = quat_m3(f->q);
    lm_quat w = {0, f->s.W.x, f->s.W.y, f->s.W.z};
    k.dx = m3_v(&R, f->s.v);
    k.dq = quat_mul(f->q, w); /* twice the rate: W is in body axes */
    accelerations(b, &f->s, k.acc);
    memcpy(k.deta, f->s.deta, sizeof k.deta);
    return k;
}

static void move(flight *f, const slope *k, double h)
{
    f->x = v3_add(f->x, v3_mul(h, k->dx));
    f->q.w += 0.5 * h * k->dq.w, f->q.x += 0.5 * h * k->dq.x;
    f->q.y += 0.5 * h * k->dq.y, f->q.z += 0.5 * h * k->dq.z;
    for (int i = 0; i < N; i++) *velocity(&f->s, i) += h * k->acc[i];
    for (int i = 0; i < NE; i++) f->s.eta[i] += h * k->deta[i];
}

/* One step of the classical Runge-Kutta method. */
static void fly(const body *b, flight *f, double h)
{
    static const double at[4] = {0, 0.5, 0.5, 1}, part[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
    flight now = *f, next = *f;
    for (int k = 0; k < 4; k++) {
        slope d = slope_of(b, &now);
        move(&next, &d, part[k] * h);
        now = *f;
        if (k < 3) move(&now, &d, at[k + 1] * h);
    }
    next.q = quat_unit(next.q);
    *f = next;
}

/* Energy, momentum, and angular momentum about the origin of space. */
static void conserved(const body *b, const flight *f, double out[7])
{
    double p[N];
    lm_m3 R = quat_m3(f->q);
    lm_floating_energy e;
    momenta(b, f->s, p);
    lm_floating_energies(&b->f, f->s.v, f->s.W, f->s.eta, f->s.deta, &e);
    lm_v3 P = m3_v(&R, v3_from(p));
    out[0] = e.kinetic + e.elastic;
    v3_put(out + 1, P);
    v3_put(out + 4, v3_add(v3_cross(f->x, P), m3_v(&R, v3_from(p + 3))));
}

static void free_flight_conserves(void **state)
{
    (void)state;
    body b;
    double before[7], after[7];
    make(&b, 4);
    b.f.C = NULL;
    flight f = {.x = rnd3(), .q = lm_quat_exp(rnd3()), .s = draw_motion(0.3)};
    lm_v3 x = f.x;
    conserved(&b, &f, before);
    for (int i = 0; i < 2000; i++) fly(&b, &f, 1e-3);
    conserved(&b, &f, after);
    assert_true(v3_norm(v3_sub(f.x, x)) > 0.5); /* it did fly */
    near_all(after, before, 7, 1e-10);
}

/* ---- the rest ---- */

static void positions(void **state)
{
    (void)state;
    body b;
    double v[NV], w[NW], a[NA], Hv[NV * NV], Hw[NW * NW], P[3 * NE];
    make(&b, 1);
    motion s = draw_motion(1);
    for (int l = 0; l < LM_LANES; l++) {
        for (int i = 0; i < NV; i++) v[i] = b.v[0][i][l];
        for (int i = 0; i < NW; i++) w[i] = b.w[0][i][l];
        for (int i = 0; i < NA; i++) a[i] = b.a[0][i][l];
        for (int i = 0; i < NV * NV; i++) Hv[i] = b.Hv[0][i][l];
        for (int i = 0; i < NW * NW; i++) Hw[i] = b.Hw[0][i][l];
        lm_floating_place at = {.x0 = b.four[0].x0[l], .v = v, .w = w, .a = a, .Hv = Hv, .Hw = Hw};
        lm_v3 p = lm_floating_position(&b.f, &at, s.eta, P), q = point(&b, 0, l, s.eta);
        near_all(&p.x, &q.x, 3, 1e-14);
        for (int j = 0; j < NE; j++) {
            double unit[NE] = {0};
            unit[j] = 1;
            q = point_rate(&b, 0, l, s.eta, unit);
            for (int i = 0; i < 3; i++) assert_true(fabs(P[3 * j + i] - v3_get(q, i)) < 1e-13);
        }
        q = lm_floating_position(&b.f, &at, s.eta, NULL);
        assert_memory_equal(&p, &q, sizeof p);
    }
}

/* Narrow and wide instructions give the same bits. */
static void both_sets_of_instructions(void **state)
{
    (void)state;
#if defined __x86_64__
    if (!__builtin_cpu_supports("avx2")) skip();
    body b;
    double r[2][N], M[2][N * N], D[2][N * (3 + NE)], K[2][N * NE], acc[N];
    lm_floating_energy e[2];
    make(&b, FOURS);
    motion s = draw_motion(1);
    for (int i = 0; i < N; i++) acc[i] = rnd();
    lm_floating_motion m = kernel_motion(&s, acc);
    lm_floating_residual_base(&b.f, &m, r[0]), lm_floating_residual_avx2(&b.f, &m, r[1]);
    lm_floating_mass_base(&b.f, s.eta, M[0]), lm_floating_mass_avx2(&b.f, s.eta, M[1]);
    lm_floating_tangent_base(&b.f, &m, D[0], K[0]), lm_floating_tangent_avx2(&b.f, &m, D[1], K[1]);
    lm_floating_energies_base(&b.f, s.v, s.W, s.eta, s.deta, &e[0]);
    lm_floating_energies_avx2(&b.f, s.v, s.W, s.eta, s.deta, &e[1]);
    assert_memory_equal(r[0], r[1], sizeof r[0]);
    assert_memory_equal(M[0], M[1], sizeof M[0]);
    assert_memory_equal(D[0], D[1], sizeof D[0]);
    assert_memory_equal(K[0], K[1], sizeof K[0]);
    assert_memory_equal(&e[0], &e[1], sizeof e[0]);
#else
    skip();
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_are_those_of_the_energy),
        cmocka_unit_test(energies),
        cmocka_unit_test(mass_is_what_accelerations_take),
        cmocka_unit_test(tangents),
        cmocka_unit_test(at_rest),
        cmocka_unit_test(a_shape_that_stays_is_rigid),
        cmocka_unit_test(even_motion_is_not_felt),
        cmocka_unit_test(free_flight_conserves),
        cmocka_unit_test(positions),
        cmocka_unit_test(both_sets_of_instructions),
    };
    srand(4);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
