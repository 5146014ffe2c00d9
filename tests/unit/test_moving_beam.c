/* The beam element in a known rigid motion: Lagrange's equations of its points by differences, the
 * integrals of paper 002, rigid displacements, motion in a plane. Frequencies: test_moving_beam_spin.c. */

#include "moving_points.h"

static void close_to(double found, double expected, double tolerance)
{
    if (!(fabs(found - expected) <= tolerance * fabs(expected)))
        fail_msg("%.12g, expected %.12g (off by %.3g)", found, expected,
                 fabs(found / expected - 1));
}

/* A motion with nothing zero. */
static const lm_moving_motion some = {
    {0.7, -1.1, 0.4}, {0.8, -0.5, 1.2}, {-0.9, 0.6, 0.35}, {0, 0}, 0, 0};

/* ---- Lagrange's equations ---- */

/* a A + b B */
static void combine(double a, double A[12][12], double b, double B[12][12], double to[12][12])
{
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 12; j++) to[i][j] = a * A[i][j] + b * B[i][j];
}

/* The rigid motion near t = 0 and the displacements: d + t v, v + t a. */
typedef struct moment {
    const fields *F;
    int order; /* of the positions, 1 or 2 */
    lm_v3 V, dV, w, al;
    double d[12], v[12], a[12];
} moment;

static double form(const double A[12][12], const double *x, const double *y)
{
    double sum = 0;
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 12; j++) sum += x[i] * A[i][j] * y[j];
    return sum;
}

/* Kinetic energy of all points at time t, displacements d and velocities v. */
static double kinetic(const moment *m, double t, const double *d, const double *v)
{
    const fields *F = m->F;
    lm_v3 V0 = v3_add(m->V, v3_mul(t, m->dV)), w = v3_add(m->w, v3_mul(t, m->al));
    double sum = 0;
    for (int i = 0; i < NX; i++) {
        lm_v3 u = three(F->f[i], d), th = three(F->f[i] + 3, d);
        lm_v3 du = three(F->f[i], v), dth = three(F->f[i] + 3, v), rho;
        u.x += F->x[i];
        if (m->order == 2) { /* an axis that keeps its length falls short */
            u.x -= 0.5 * form(F->H[i], d, d);
            du.x -= form(F->H[i], d, v);
        }
        for (int k = 0; k < 4; k++) {
            double dm = section_point(F, i, k, &rho);
            lm_v3 turn = v3_cross(th, rho), dturn = v3_cross(dth, rho);
            lm_v3 r = v3_add(v3_add(u, rho), turn), dr = v3_add(du, dturn);
            if (m->order == 2) {
                r = v3_add(r, v3_mul(0.5, v3_cross(th, turn)));
                dr = v3_add(dr, v3_mul(0.5, v3_add(v3_cross(dth, turn), v3_cross(th, dturn))));
            }
            lm_v3 speed = v3_add(V0, v3_add(v3_cross(w, r), dr));
            sum += 0.5 * dm * v3_dot(speed, speed);
        }
    }
    return sum;
}

/* Derivative by five values at -2h .. 2h: exact for polynomials up to degree 4, which is all there
 * is below; so h need not be small. */
static const double five[] = {-2, -1, 1, 2}, weight5[] = {1 / 12.0, -8 / 12.0, 8 / 12.0, -1 / 12.0};

/* d/dt dT/dv_i - dT/dd_i */
static double lagrange(const moment *m, int i)
{
    const double h = 0.5;
    double d[12], v[12], sum = 0;
    for (int k = 0; k < 4; k++) {
        double t = five[k] * h, up, down;
        for (int j = 0; j < 12; j++) d[j] = m->d[j] + t * m->v[j], v[j] = m->v[j] + t * m->a[j];
        v[i] += 1, up = kinetic(m, t, d, v);
        v[i] -= 2, down = kinetic(m, t, d, v);
        sum += weight5[k] / h * (up - down) / 2;
        memcpy(d, m->d, sizeof d);
        d[i] += five[k] * h;
        sum -= weight5[k] / h * kinetic(m, 0, d, m->v);
    }
    return sum;
}

/* Derivatives of Lagrange's equations at rest in the rigid motion by x = m->d, m->v or m->a. */
static void linear_part(moment *m, double *x, double A[12][12])
{
    const double h = 0.5;
    memset(A, 0, sizeof(double) * 144);
    for (int j = 0; j < 12; j++) {
        for (int k = 0; k < 4; k++) {
            x[j] = five[k] * h;
            for (int i = 0; i < 12; i++) A[i][j] += weight5[k] / h * lagrange(m, i);
        }
        x[j] = 0;
    }
}

/* Matrices of the points against those of the kernel. Of second order the end b carries the force P
 * along x, whose work on the shortened axis is -P delta^T H delta / 2. */
static void check_lagrange(const solid *s, int order)
{
    static fields F;
    make_fields(s, &F);
    lm_moving_motion in = some;
    lm_moving_beam e;
    moment m = {.F = &F, .order = order, .V = v3(0.3, 0.2, -0.6), .w = in.w, .al = in.al};
    m.dV = v3_sub(in.a0, v3_cross(m.w, m.V)); /* of components in moving axes */
    element(s, &e);
    const double P = 0.8, B11 = -in.w.y * in.w.y - in.w.z * in.w.z;
    in.stiffening = order == 2;
    in.axial[0] = P - e.mass * in.a0.x - e.first * B11;
    in.axial[1] = P;
    double M[12][12], C2[12][12], K[12][12], k[12][12], A[12][12], q[12], Q[12];
    lm_moving_beam_mass(&e, M);
    lm_moving_beam_stiffness(&e, k);
    lm_moving_beam_matrices(&e, &in, C2, K, q);
    for (int i = 0; i < 12; i++) Q[i] = lagrange(&m, i);
    same_numbers("q", 12, q, Q, 1e-9);
    linear_part(&m, m.a, A);
    same_numbers("m", 144, M[0], A[0], 1e-9);
    linear_part(&m, m.v, A);
    same_numbers("2 c", 144, C2[0], A[0], 1e-9);
    linear_part(&m, m.d, A);
    combine(1, K, -1, k, K);
    if (order == 2) combine(1, A, P, F.all, A);
    same_numbers("k", 144, K[0], A[0], 1e-9);
}

static void lagrange_first_order(void **state)
{
    (void)state;
    for (int i = 0; i < SOLIDS; i++) check_lagrange(&solids[i], 1);
}

static void lagrange_second_order(void **state)
{
    (void)state;
    for (int i = 0; i < SOLIDS; i++) check_lagrange(&solids[i], 2);
}

/* ---- the integrals of paper 002 ---- */

/* m_ij, and int rho N_i^T (1, x, y, z) dV: m0[i][0..3]. */
typedef struct integrals {
    double m[3][3][12][12], m0[3][4][12];
} integrals;

static void add_point(double dm, lm_v3 r, const double N[3][12], integrals *to)
{
    const double by[4] = {1, r.x, r.y, r.z};
    for (int i = 0; i < 3; i++)
        for (int a = 0; a < 12; a++) {
            for (int c = 0; c < 4; c++) to->m0[i][c][a] += dm * N[i][a] * by[c];
            for (int j = 0; j < 3; j++)
                for (int b = 0; b < 12; b++) to->m[i][j][a][b] += dm * N[i][a] * N[j][b];
        }
}

static void make_integrals(const fields *F, integrals *to)
{
    memset(to, 0, sizeof *to);
    for (int i = 0; i < NX; i++)
        for (int k = 0; k < 4; k++) {
            lm_v3 r;
            double N[3][12], dm = section_point(F, i, k, &r);
            r.x = F->x[i];
            for (int j = 0; j < 12; j++) {
                N[0][j] = F->f[i][U][j] + r.z * F->f[i][RY][j] - r.y * F->f[i][RZ][j];
                N[1][j] = F->f[i][V][j] - r.z * F->f[i][RX][j];
                N[2][j] = F->f[i][W][j] + r.y * F->f[i][RX][j];
            }
            add_point(dm, r, N, to);
        }
}

/* Equations (9) to (11) of the paper, its slips corrected: (10) has [m_31] + [m_33] for [m_31] +
 * [m_13] and [W]^T [W] for [W] [W], (12) has x for z in m_iz, (14) has [m_1y] + [m_2x], which are
 * columns, for [m_12] + [m_21]. printed: [m_33] as it stands. */
static void paper(const integrals *I, const lm_moving_motion *m, int printed, double c[12][12],
                  double K[12][12], double q[12])
{
    lm_v3 w = m->w, E = m->al;
    double xx = w.y * w.y + w.z * w.z, yy = w.z * w.z + w.x * w.x, zz = w.x * w.x + w.y * w.y;
    for (int i = 0; i < 12; i++) {
        for (int j = 0; j < 12; j++) {
#define M(a, b) I->m[(a)-1][(b)-1][i][j]
            c[i][j] =
                w.x * (M(3, 2) - M(2, 3)) + w.y * (M(1, 3) - M(3, 1)) + w.z * (M(2, 1) - M(1, 2));
            K[i][j] = E.x * (M(3, 2) - M(2, 3)) + E.y * (M(1, 3) - M(3, 1)) +
                      E.z * (M(2, 1) - M(1, 2)) - xx * M(1, 1) - yy * M(2, 2) - zz * M(3, 3) +
                      (M(1, 2) + M(2, 1)) * w.x * w.y + (M(2, 3) + M(3, 2)) * w.y * w.z +
                      (M(3, 1) + (printed ? M(3, 3) : M(1, 3))) * w.z * w.x;
        }
        enum { ONE, X, Y, Z };
#define Q(a, b) I->m0[(a)-1][b][i]
        q[i] = m->a0.x * Q(1, ONE) + m->a0.y * Q(2, ONE) + m->a0.z * Q(3, ONE) +
               E.x * (Q(3, Y) - Q(2, Z)) + E.y * (Q(1, Z) - Q(3, X)) + E.z * (Q(2, X) - Q(1, Y)) -
               xx * Q(1, X) - yy * Q(2, Y) - zz * Q(3, Z) + (Q(1, Y) + Q(2, X)) * w.x * w.y +
               (Q(2, Z) + Q(3, Y)) * w.y * w.z + (Q(3, X) + Q(1, Z)) * w.z * w.x;
    }
}

static double asymmetry(double A[12][12], double sign) /* of A - sign A^T */
{
    double most = 0;
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 12; j++) most = fmax(most, fabs(A[i][j] - sign * A[j][i]));
    return most;
}

static void paper_integrals(void **state)
{
    (void)state;
    static fields F;
    static integrals I;
    for (int s = 0; s < SOLIDS; s++) {
        lm_moving_beam e;
        double C2[12][12], K[12][12], k[12][12], q[12], c[12][12], P[12][12], Q[12];
        make_fields(&solids[s], &F);
        make_integrals(&F, &I);
        element(&solids[s], &e);
        lm_moving_beam_stiffness(&e, k);
        lm_moving_beam_matrices(&e, &some, C2, K, q);
        combine(1, K, -1, k, K);
        paper(&I, &some, 0, c, P, Q);
        combine(2, c, 0, c, c);
        same_numbers("(9)", 144, C2[0], c[0], 1e-9);
        same_numbers("(10)", 144, K[0], P[0], 1e-9);
        same_numbers("(11)", 12, q, Q, 1e-9);
        assert_true(asymmetry(C2, -1) == 0);
        paper(&I, &some, 1, c, P, Q); /* the slip is no small matter, and not symmetric */
        combine(1, K, -1, P, P);
        assert_true(asymmetry(P, 1) > 0.01);
    }
}

/* k(al) is skew; k(w^2), kg and m are symmetric. */
static void symmetry(void **state)
{
    (void)state;
    for (int s = 0; s < SOLIDS; s++) {
        lm_moving_beam e;
        double C2[12][12], K[12][12], k[12][12], M[12][12], q[12];
        lm_moving_motion m = some;
        element(&solids[s], &e);
        lm_moving_beam_stiffness(&e, k);
        lm_moving_beam_mass(&e, M);
        assert_true(asymmetry(M, 1) == 0);
        m.w = v3(0, 0, 0);
        lm_moving_beam_matrices(&e, &m, C2, K, q);
        combine(1, K, -1, k, K);
        assert_true(asymmetry(K, -1) < 1e-14 && asymmetry(K, 1) > 0.01);
        m = some, m.al = v3(0, 0, 0);
        for (m.stiffening = 0; m.stiffening < 2; m.stiffening++) {
            lm_moving_beam_matrices(&e, &m, C2, K, q);
            assert_true(asymmetry(K, 1) < 1e-14 * k[0][0]);
        }
        double with[12][12]; /* kg is symmetric, that of al too */
        m = some, m.axial[0] = 3, m.axial[1] = -2;
        lm_moving_beam_matrices(&e, &m, C2, K, q);
        m.stiffening = 1;
        lm_moving_beam_matrices(&e, &m, C2, with, q);
        combine(1, with, -1, K, with);
        assert_true(asymmetry(with, 1) < 1e-14 * k[0][0] && asymmetry(with, -1) > 0.1);
    }
}

/* ---- matrices that others give too ---- */

static void mass_and_stiffness(void **state)
{
    (void)state;
    for (int s = 0; s < SOLIDS; s++) {
        solid copy = solids[s];
        lm_beam_shape shape;
        lm_moving_beam e;
        double M[12][12], K[12][12], m[12][12], k[12][12], mass, first, c = copy.taper;
        lm_beam_shape_make(solid_at, &copy, copy.L, copy.timoshenko, &shape);
        lm_beam_matrices(&shape, K, M);
        element(&solids[s], &e);
        lm_moving_beam_mass(&e, m);
        lm_moving_beam_stiffness(&e, k);
        same_numbers("mass", 144, m[0], M[0], 1e-15);
        assert_memory_equal(k, K, sizeof K);
        lm_moving_beam_inertia(&e, &mass, &first);
        double m0 = copy.m.rho * copy.height * copy.width * copy.L; /* integrals of (1 - c s)^2 */
        close_to(mass, m0 * (1 - c + c * c / 3), 1e-14);
        close_to(first, m0 * copy.L * (1 / 2.0 - 2 * c / 3 + c * c / 4), 1e-14);
    }
}

/* A constant axial force on Hermite's cubics: P/(30 L) (36, 3L, -36, 3L, ..). */
static void constant_axial_force(void **state)
{
    (void)state;
    lm_moving_beam e;
    double C2[12][12], K[12][12], k[12][12], q[12], L = solids[0].L, P = 0.7;
    const double G[4][4] = {{36, 3 * L, -36, 3 * L},
                            {3 * L, 4 * L * L, -3 * L, -L * L},
                            {-36, -3 * L, 36, -3 * L},
                            {3 * L, -L * L, -3 * L, 4 * L * L}};
    static const int xy[] = {1, 5, 7, 11}, xz[] = {2, 4, 8, 10};
    const lm_moving_motion m = {.axial = {P, P}, .stiffening = 1};
    double expected[12][12] = {{0}};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            expected[xy[i]][xy[j]] = P / (30 * L) * G[i][j];
            expected[xz[i]][xz[j]] = ((i + j) % 2 ? -1 : 1) * P / (30 * L) * G[i][j];
        }
    element(&solids[0], &e);
    lm_moving_beam_stiffness(&e, k);
    lm_moving_beam_matrices(&e, &m, C2, K, q);
    combine(1, K, -1, k, K);
    same_numbers("kg", 144, K[0], expected[0], 1e-12);
}

/* Motion in the plane xy: nothing of it reaches out of the plane, in it K - k = -W^2 m + E c/W, and
 * c couples u with Hermite's cubics by W rhoA L (7/20, L/20, 3/20, -L/30; ..). */
static void planar_motion(void **state)
{
    (void)state;
    static const int in[] = {0, 1, 5, 6, 7, 11}, out[] = {2, 3, 4, 8, 9, 10}, xy[] = {1, 5, 7, 11};
    for (int s = 0; s < SOLIDS; s++) {
        lm_moving_beam e;
        double C2[12][12], K[12][12], k[12][12], M[12][12], q[12], A[6][6], B[6][6];
        const double w = 1.7, E = -0.6, L = solids[s].L;
        const lm_moving_motion m = {.a0 = {0.3, -0.8, 0}, .w = {0, 0, w}, .al = {0, 0, E}};
        element(&solids[s], &e);
        lm_moving_beam_mass(&e, M);
        lm_moving_beam_stiffness(&e, k);
        lm_moving_beam_matrices(&e, &m, C2, K, q);
        for (int i = 0; i < 6; i++) {
            assert_true(q[out[i]] == 0);
            for (int j = 0; j < 6; j++) {
                int r = in[i], c = in[j];
                assert_true(K[r][out[j]] == 0 && K[out[j]][r] == 0);
                assert_true(C2[r][out[j]] == 0 && C2[out[i]][c] == 0);
                A[i][j] = K[r][c] - k[r][c];
                B[i][j] = -w * w * M[r][c] + E * C2[r][c] / (2 * w);
            }
        }
        same_numbers("in the plane", 36, A[0], B[0], 1e-12);
        if (s != 0) continue; /* uniform, rigid in shear */
        const double uv[8] = {7 / 20.0, L / 20, 3 / 20.0, -L / 30,
                              3 / 20.0, L / 30, 7 / 20.0, -L / 20};
        double found[8];
        for (int i = 0; i < 8; i++) found[i] = -C2[i < 4 ? 0 : 6][xy[i % 4]] / (2 * w * e.mass);
        same_numbers("c", 8, found, uv, 1e-13);
    }
}

/* ---- rigid displacements ---- */

/* Integral of rho r r^T, diagonal. */
static lm_v3 second_moments(const solid *s)
{
    double c = s->taper, h = s->height, b = s->width, m0 = s->m.rho * h * b * s->L;
    double four = c == 0 ? 1 : (1 - pow(1 - c, 5)) / (5 * c); /* of (1 - c s)^4 */
    return v3(m0 * s->L * s->L * (1 / 3.0 - c / 2 + c * c / 5), m0 * h * h / 12 * four,
              m0 * b * b / 12 * four);
}

static lm_v3 times(lm_v3 S, lm_v3 a) { return v3(S.x * a.x, S.y * a.y, S.z * a.z); }

static void rigid(lm_v3 d, lm_v3 psi, double L, double to[12])
{
    v3_put(to, d);
    v3_put(to + 3, psi);
    v3_put(to + 6, v3_add(d, v3_cross(psi, v3(L, 0, 0))));
    v3_put(to + 9, psi);
}

/* A delta summed up: force, and moment about node a. */
static void resultant(double A[12][12], const double *delta, double L, double to[6])
{
    double f[12] = {0};
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 12; j++) f[i] += A[i][j] * delta[j];
    v3_put(to, v3_add(v3_from(f), v3_from(f + 6)));
    v3_put(to + 3,
           v3_add(v3_add(v3_from(f + 3), v3_from(f + 9)), v3_cross(v3(L, 0, 0), v3_from(f + 6))));
}

static void same_resultant(const char *what, const double found[6], lm_v3 force, lm_v3 moment_a)
{
    double expected[6];
    v3_put(expected, force);
    v3_put(expected + 3, moment_a);
    same_numbers(what, 6, found, expected, 1e-12);
}

/* An element displaced as a rigid body by s = d + psi x r. With S = int rho r r^T, J = tr(S) I - S:
 *   int r x (A x (psi x r)) = -psi x S A,    int r x (W x (W x (psi x r))) = S(W x psi) x W - W^2 J psi. */
static void rigid_displacement(void **state)
{
    (void)state;
    const lm_v3 d = v3(0.3, -0.2, 0.5), psi = v3(-0.4, 0.7, 0.6), w = some.w, E = some.al;
    const lm_m3 B = m3_add(m3_skew(E), m3_skew_skew(w, w));
    for (int k = 0; k < SOLIDS; k++) {
        lm_moving_beam e;
        double C2[12][12], K[12][12], el[12][12], q[12], delta[12], one[12] = {1}, r[6];
        double L = solids[k].L, Q[12][12] = {{0}};
        element(&solids[k], &e);
        lm_moving_beam_stiffness(&e, el);
        lm_moving_beam_matrices(&e, &some, C2, K, q);
        combine(1, K, -1, el, K);
        const lm_v3 S = second_moments(&solids[k]), c = v3(e.first, 0, 0);
        const double tr = S.x + S.y + S.z;
        const lm_v3 J = v3(tr - S.x, tr - S.y, tr - S.z);
        const lm_v3 moved = v3_add(v3_mul(e.mass, d), v3_cross(psi, c));
        rigid(d, psi, L, delta);

        resultant(C2, delta, L, r);
        same_resultant("Coriolis", r, v3_mul(2, v3_cross(w, moved)),
                       v3_mul(2, v3_sub(v3_cross(c, v3_cross(w, d)), v3_cross(psi, times(S, w)))));
        resultant(K, delta, L, r);
        lm_v3 turned =
            v3_sub(v3_cross(times(S, v3_cross(w, psi)), w), v3_mul(v3_dot(w, w), times(J, psi)));
        lm_v3 moment_a = v3_sub(v3_cross(c, m3_v(&B, d)), v3_cross(psi, times(S, E)));
        same_resultant("displaced", r, m3_v(&B, moved), v3_add(moment_a, turned));
        for (int i = 0; i < 12; i++) Q[i][0] = q[i];
        resultant(Q, one, L, r);
        same_resultant("loads", r, v3_add(v3_mul(e.mass, some.a0), m3_v(&B, c)),
                       v3_sub(v3_add(v3_cross(c, some.a0), times(J, E)), v3_cross(w, times(S, w))));
    }
}

/* Steady rotation about z through node a, end b free: turned rigidly by psi the element lags, flaps
 * or feathers, and the work of the inertia forces is exactly that of the turned body:
 *   lag 0,   flap W^2 (Sx - Sz) psi^2,   feather W^2 (Sy - Sz) psi^2 (propeller moment). */
static void rigid_lag_flap_feather(void **state)
{
    (void)state;
    for (int k = 0; k < SOLIDS; k++) {
        lm_moving_beam e;
        double C2[12][12], K[12][12], q[12], delta[12], w = 1.3;
        const lm_v3 S = second_moments(&solids[k]);
        element(&solids[k], &e);
        const lm_moving_motion m = {.w = {0, 0, w}, .axial = {w * w * e.first, 0}, .stiffening = 1};
        const lm_v3 axis[3] = {{0, 0, 1}, {0, 1, 0}, {1, 0, 0}};
        const double expected[3] = {0, w * w * (S.x - S.z), w * w * (S.y - S.z)};
        lm_moving_beam_matrices(&e, &m, C2, K, q);
        for (int i = 0; i < 3; i++) {
            rigid(v3(0, 0, 0), axis[i], solids[k].L, delta);
            /* entries of the size of k cancel in the sum */
            double off = form((const double(*)[12])K, delta, delta) - expected[i];
            if (!(fabs(off) < 1e-13 * K[1][1])) fail_msg("%d: off by %g", i, off);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lagrange_first_order),   cmocka_unit_test(lagrange_second_order),
        cmocka_unit_test(paper_integrals),        cmocka_unit_test(symmetry),
        cmocka_unit_test(mass_and_stiffness),     cmocka_unit_test(constant_axial_force),
        cmocka_unit_test(planar_motion),          cmocka_unit_test(rigid_displacement),
        cmocka_unit_test(rigid_lag_flap_feather),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
