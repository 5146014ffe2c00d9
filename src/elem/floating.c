/* The floating-frame body: forces, mass, energies (docs/theory/ffr.md).
 *
 * In body axes a point moves with
 *
 *     A = a + dW x p + W x (W x p) + 2 W x dp + ddp,   dp = P deta,
 *     ddp = P ddeta - e_x (deta^T H deta),             P = dp/d(eta)
 *
 * and f = mass A takes the force f and the moment p x f on the frame, P^T f on eta. The columns
 * of P:
 *
 *     v_j: (-h_j, v_j, 0)   w_j: (-h_j, 0, w_j)   a_j: (a_j, 0, 0)   t_j: 0,      h = H eta.
 *
 * The section there takes a moment besides (floating_turn.h). */
#include "elem/floating_turn.h"

#include <string.h>

/* ---- forces ---- */

/* f = mass A of four points, p and h of which are known. */
LM_LANE_INLINE lm_lane3 points_force(const lm_floating *f, const lm_floating_four *q,
                                     const lm_floating_motion *m, const lm_lane *h, lm_lane3 p)
{
    lm_lane3 W = l3_same(m->W), A = l3_add(l3_same(m->a), l3_cross(l3_same(m->dW), p));
    lm_lane3 u = l3_cross(W, p);
    if (m->deta) {
        floating_bend hd;
        bend_times(f, q, m->deta, hd);
        lm_lane3 dp = points_rate(f, q, h, m->deta);
        u = l3_add(u, l3_add(dp, dp));
        A.x -= lanes_dot(f->nv + f->nw, hd, m->deta);
    }
    A = l3_add(A, l3_cross(W, u));
    if (m->ddeta) A = l3_add(A, points_rate(f, q, h, m->ddeta));
    return l3_mul(q->mass, A);
}

/* r += P^T u for one four. */
LM_LANE_INLINE void points_back(const lm_floating *f, const lm_floating_four *q, const lm_lane *h,
                                lm_lane3 u, lm_lane *r)
{
    int nb = f->nv + f->nw;
    for (int i = 0; i < f->nv; i++) r[i] += q->v[i] * u.y - h[i] * u.x;
    for (int i = f->nv; i < nb; i++) r[i] += q->w[i - f->nv] * u.z - h[i] * u.x;
    for (int i = 0; i < f->na; i++) r[nb + i] += q->a[i] * u.x;
}

/* Stiffness and damping: K eta + C deta. */
static void add_elastic(const lm_floating *f, const lm_floating_motion *m, double *r)
{
    lm_floating_elastic_forces(f, m->eta, r + 6);
    if (f->strain) FLOATING(strain_forces)(f, m->eta, r + 6);
    if (m->deta && f->C) blocks_add(f, f->C, m->deta, r + 6);
}

void FLOATING(residual)(const lm_floating *f, const lm_floating_motion *m, double *r)
{
    lm_lane3 F = l3_all(0, 0, 0), M = F;
    lm_lane on[LM_FLOATING_MOST];
    floating_bend h;
    turned s;
    for (int i = 0; i < f->ne; i++) on[i] = lane_all(0);
    for (int k = 0; k < f->nfours; k++) {
        const lm_floating_four *q = &f->four[k];
        bend_times(f, q, m->eta, h);
        lm_lane3 p = points_at(f, q, h, m->eta), u = points_force(f, q, m, h, p);
        F = l3_add(F, u);
        M = l3_add(M, l3_cross(p, u));
        points_back(f, q, h, u, on);
        if (!sections_have_inertia(f)) continue;
        sections_move(f, q, m, &s);
        M = l3_add(M, s.N);
        sections_back(f, q, s.N, &s, on);
    }
    v3_put(r, l3_sum(F));
    v3_put(r + 3, l3_sum(M));
    for (int i = 0; i < f->ne; i++) r[6 + i] = lane_sum(on[i]);
    add_elastic(f, m, r);
}

/* ---- mass ---- */

/* Of the points, p, h and mass times h; of the sections J, J e_k and e_k . J e_l, less what they
 * are in the undeformed state. */
typedef struct chunk {
    const lm_floating_four *q;
    int n;
    lm_lane3 p[FLOATING_CHUNK];
    floating_bend h[FLOATING_CHUNK], mh[FLOATING_CHUNK];
    lm_lane3 J[FLOATING_CHUNK][3], Je[FLOATING_CHUNK][3];
    lm_lane eJe[FLOATING_CHUNK][3][3];
} chunk;

LM_LANE_INLINE void chunk_sections(const lm_floating *f, int g, const double *eta, chunk *c)
{
    const lm_floating_four *q = &c->q[g];
    turned s;
    sections_turn(f, q, eta, &s);
    for (int k = 0; k < 3; k++) {
        c->Je[g][k] = inertia_times(q, &s, s.e[k]);
        for (int l = 0; l < 3; l++) c->eJe[g][k][l] = l3_dot(c->Je[g][k], s.e[l]);
        c->eJe[g][k][k] -= q->j[2 - k];
        c->J[g][k] = inertia_times(q, &s, l3_all(k == 0, k == 1, k == 2));
    }
    c->J[g][0].x -= q->j[0], c->J[g][1].y -= q->j[1], c->J[g][2].z -= q->j[2];
}

LM_LANE_INLINE void chunk_at(const lm_floating *f, int first, const double *eta, chunk *c)
{
    c->q = f->four + first;
    c->n = f->nfours - first < FLOATING_CHUNK ? f->nfours - first : FLOATING_CHUNK;
    for (int g = 0; g < c->n; g++) {
        bend_times(f, &c->q[g], eta, c->h[g]);
        c->p[g] = points_at(f, &c->q[g], c->h[g], eta);
        for (int i = 0; i < f->nv + f->nw; i++) c->mh[g][i] = c->q[g].mass * c->h[g][i];
        if (sections_have_inertia(f)) chunk_sections(f, g, eta, c);
    }
}

/* Mass of a rigid body with these points: moment S = sum m p; sum m ((p . p) - p p^T). */
static void frame_block(const chunk *c, int ld, double *M)
{
    lm_lane3 S = l3_all(0, 0, 0), square = S, mixed = S;
    for (int g = 0; g < c->n; g++) {
        lm_lane3 p = c->p[g], mp = l3_mul(c->q[g].mass, p);
        S = l3_add(S, mp);
        square = l3_add(square, l3(mp.x * p.x, mp.y * p.y, mp.z * p.z));
        mixed = l3_add(mixed, l3(mp.y * p.z, mp.z * p.x, mp.x * p.y));
    }
    lm_v3 s = l3_sum(S), d = l3_sum(square), e = l3_sum(mixed);
    double *x = M + 3, *y = x + ld, *z = y + ld, *rot = M + 3 * ld + 3;
    x[1] += s.z, x[2] -= s.y;
    y[0] -= s.z, y[2] += s.x;
    z[0] += s.y, z[1] -= s.x;
    rot[0] += d.y + d.z, rot[1] -= e.z, rot[2] -= e.y;
    rot[ld + 1] += d.z + d.x, rot[ld + 2] -= e.x;
    rot[2 * ld + 2] += d.x + d.y;
}

/* Sum of m P_i and of p x m P_i for the coordinates of v; to rows 6 + i of the frame's columns. */
static void v_rows(const lm_floating *f, const chunk *c, int ld, double *M)
{
    for (int i = 0; i < f->nv; i++) {
        lm_lane x = lane_all(0), y = x;
        lm_lane3 n = l3_all(0, 0, 0);
        for (int g = 0; g < c->n; g++) {
            lm_lane mh = c->mh[g][i], mv = c->q[g].mass * c->q[g].v[i];
            lm_lane3 p = c->p[g];
            x -= mh, y += mv;
            n = l3_add(n, l3(-p.z * mv, -p.z * mh, p.x * mv + p.y * mh));
        }
        double *row = M + 6 + i;
        row[0] += lane_sum(x), row[ld] += lane_sum(y);
        for (int k = 0; k < 3; k++) row[(3 + k) * ld] += v3_get(l3_sum(n), k);
    }
}

static void w_rows(const lm_floating *f, const chunk *c, int ld, double *M)
{
    for (int i = 0; i < f->nw; i++) {
        lm_lane x = lane_all(0), z = x;
        lm_lane3 n = l3_all(0, 0, 0);
        for (int g = 0; g < c->n; g++) {
            lm_lane mh = c->mh[g][f->nv + i], mw = c->q[g].mass * c->q[g].w[i];
            lm_lane3 p = c->p[g];
            x -= mh, z += mw;
            n = l3_add(n, l3(p.y * mw, -p.z * mh - p.x * mw, p.y * mh));
        }
        double *row = M + 6 + f->nv + i;
        row[0] += lane_sum(x), row[2 * ld] += lane_sum(z);
        for (int k = 0; k < 3; k++) row[(3 + k) * ld] += v3_get(l3_sum(n), k);
    }
}

/* ... and what bending has to do with stretch: -sum m h_j a_i. */
static void a_rows(const lm_floating *f, const chunk *c, int ld, double *M)
{
    int nb = f->nv + f->nw;
    for (int i = 0; i < f->na; i++) {
        lm_lane x = lane_all(0), y = x, z = x;
        for (int g = 0; g < c->n; g++) {
            lm_lane ma = c->q[g].mass * c->q[g].a[i];
            x += ma, y += c->p[g].z * ma, z -= c->p[g].y * ma;
        }
        double *row = M + 6 + nb + i;
        row[0] += lane_sum(x), row[4 * ld] += lane_sum(y), row[5 * ld] += lane_sum(z);
        for (int j = 0; j < nb; j++) {
            lm_lane sum = lane_all(0);
            for (int g = 0; g < c->n; g++) sum += c->mh[g][j] * c->q[g].a[i];
            row[(6 + j) * ld] -= lane_sum(sum);
        }
    }
}

/* sum m h_i h_j: what bending gains by the shortening. */
static void bend_rows(const lm_floating *f, const chunk *c, int ld, double *M)
{
    int nb = f->nv + f->nw;
    for (int j = 0; j < nb; j++)
        for (int i = j; i < nb; i++) {
            lm_lane sum = lane_all(0);
            for (int g = 0; g < c->n; g++) sum += c->mh[g][j] * c->h[g][i];
            M[6 + i + ld * (6 + j)] += lane_sum(sum);
        }
}

/* Rows of the coordinates that turn sections about axis k of theirs: turn_i J e_k on the frame,
 * turn_i turn_j e_k . J e_l with those that turn them about axis l <= k. */
static void turn_rows(const lm_floating *f, const chunk *c, int k, int ld, double *M)
{
    const int n[3] = {f->nv, f->nw, f->nt}, from[4] = {0, n[0], n[0] + n[1], n[0] + n[1] + n[2]};
    const int stretches = f->na;
    for (int i = from[k]; i < from[k + 1]; i++) {
        lm_lane3 N = l3_all(0, 0, 0);
        lm_lane row[FLOATING_CHUNK][3];
        double *out = M + 6 + i + (k == 2 ? stretches : 0);
        for (int g = 0; g < c->n; g++) {
            lm_lane turn = c->q[g].turn[i];
            N = l3_add(N, l3_mul(turn, c->Je[g][k]));
            for (int l = 0; l <= k; l++) row[g][l] = turn * c->eJe[g][k][l];
        }
        for (int a = 0; a < 3; a++) out[(3 + a) * ld] += v3_get(l3_sum(N), a);
        for (int l = 0; l <= k; l++)
            for (int j = from[l]; j < from[l + 1] && j <= i; j++) {
                lm_lane sum = lane_all(0);
                for (int g = 0; g < c->n; g++) sum += row[g][l] * c->q[g].turn[j];
                out[ld * (6 + j + (l == 2 ? stretches : 0))] += lane_sum(sum);
            }
    }
}

static void section_rows(const lm_floating *f, const chunk *c, int ld, double *M)
{
    for (int a = 0; a < 3; a++) {
        lm_lane3 sum = l3_all(0, 0, 0);
        for (int g = 0; g < c->n; g++) sum = l3_add(sum, c->J[g][a]);
        for (int b = a; b < 3; b++) M[3 + b + ld * (3 + a)] += v3_get(l3_sum(sum), b);
    }
    for (int k = 0; k < 3; k++) turn_rows(f, c, k, ld, M);
}

/* What does not depend on eta. */
static void constant_mass(const lm_floating *f, int n, double *M)
{
    memset(M, 0, sizeof *M * (size_t)(n * n));
    for (int i = 0; i < 3; i++) M[i + n * i] = f->mass, M[3 + i + n * (3 + i)] = f->J[i];
    for (int j = 0; j < f->ne; j++)
        memcpy(M + 6 + n * (6 + j), f->Mff + f->ne * j, sizeof *M * (size_t)f->ne);
}

void FLOATING(mass)(const lm_floating *f, const double *eta, double *M)
{
    int n = 6 + f->ne;
    chunk c;
    constant_mass(f, n, M);
    for (int k = 0; k < f->nfours; k += FLOATING_CHUNK) {
        chunk_at(f, k, eta, &c);
        frame_block(&c, n, M);
        v_rows(f, &c, n, M);
        w_rows(f, &c, n, M);
        a_rows(f, &c, n, M);
        bend_rows(f, &c, n, M);
        if (sections_have_inertia(f)) section_rows(f, &c, n, M);
    }
    for (int j = 0; j < n; j++) /* all of the above is the lower triangle */
        for (int i = j + 1; i < n; i++) M[j + n * i] = M[i + n * j];
}

/* ---- energies ---- */

/* x^T A x with the diagonal blocks of A. */
static double blocks_form(const lm_floating *f, const double *A, const double *x)
{
    double y[LM_FLOATING_MOST] = {0}, sum = 0;
    blocks_add(f, A, x, y);
    for (int i = 0; i < f->ne; i++) sum += x[i] * y[i];
    return sum;
}

void FLOATING(energies)(const lm_floating *f, lm_v3 v, lm_v3 W, const double *eta,
                        const double *deta, lm_floating_energy *e)
{
    lm_lane3 S = l3_all(0, 0, 0);
    lm_lane twice = lane_all(0);
    floating_bend h;
    turned s;
    for (int k = 0; k < f->nfours; k++) {
        const lm_floating_four *q = &f->four[k];
        bend_times(f, q, eta, h);
        lm_lane3 p = points_at(f, q, h, eta);
        lm_lane3 u = l3_add(l3_same(v), l3_cross(l3_same(W), p));
        u = l3_add(u, points_rate(f, q, h, deta));
        twice += q->mass * l3_dot(u, u);
        S = l3_add(S, l3_mul(q->mass, p));
        if (!sections_have_inertia(f)) continue;
        sections_turn(f, q, eta, &s);
        sections_spin(f, q, W, deta, &s);
        twice += l3_dot(s.w[3], s.spin);
    }
    e->kinetic = 0.5 * lane_sum(twice);
    e->elastic = lm_floating_elastic_energy(f, eta);
    if (f->strain) e->elastic += FLOATING(strain_energy)(f, eta);
    e->dissipation = f->C ? blocks_form(f, f->C, deta) : 0;
    e->moment = l3_sum(S);
}
