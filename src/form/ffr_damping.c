/* Damping by mass of a beam in a floating frame: alpha M on the velocities relative to a rigid motion that
 * follows the beam (form/damping_frame.h).
 *
 * The frame is the beam's first section, which vibrates itself where it is not clamped. Deformations are
 * small, so against the frame the reference moves by xi = B d(eta)/dt with a constant B, and with the mass
 * of frame (r) and eta (f) in the undeformed state
 *
 *     C = alpha (Mff - Mfr B - B^T Mrf + B^T Mrr B). */
#include "form/ffr_basis.h"

#include "form/damping_frame.h"

#include <string.h>

typedef struct maker {
    const lm_model *m;
    const lm_floating *f;
    damping_frame frame;
    lm_m3 axes;     /* of the floating frame as drawn */
    double *M;      /* [6 + ne][6 + ne] */
    double *B;      /* [ne][6] */
    double *moment; /* [ne][6] momentum by d(eta)/dt, carried masses included */
    double *X;      /* [ne][6] */
} maker;

static int reserve(maker *k, lm_arena *temp)
{
    int ne = k->f->ne, n = 6 + ne;
    double *eta = LM_NEW_N(temp, double, ne);
    k->M = LM_NEW_N(temp, double, n *n);
    k->B = LM_NEW_N(temp, double, 6 * ne);
    k->moment = LM_NEW_N(temp, double, 6 * ne);
    k->X = LM_NEW_N(temp, double, 6 * ne);
    if (!eta || !k->M || !k->B || !k->moment || !k->X) return -1;
    lm_floating_mass(k->f, eta, k->M);
    return 0;
}

/* Twist of a node in the frame by d(eta)/dt: [ne][6]. */
static void node_twist(const maker *k, int node, double *X)
{
    const lm_floating *f = k->f;
    const lm_floating_place *p = &f->place[node - k->frame.first];
    double *w = X + 6 * f->nv, *a = w + 6 * f->nw, *t = a + 6 * f->na;
    memset(X, 0, sizeof(double) * 6 * (size_t)f->ne);
    if (node == k->frame.first) return; /* the frame itself */
    for (int i = 0; i < f->nv; i++) X[6 * i + 1] = p->v[i], X[6 * i + 5] = p->dv[i];
    for (int i = 0; i < f->nw; i++) w[6 * i + 2] = p->w[i], w[6 * i + 4] = -p->dw[i];
    for (int i = 0; i < f->na; i++) a[6 * i] = p->a[i];
    for (int i = 0; i < f->nt; i++) t[6 * i + 3] = p->t[i];
}

static double place_x(const maker *k, int node)
{
    return node < 0 ? 0 : k->f->place[node - k->frame.first].x0;
}

/* A twist at x along the axis, as one at the frame's origin. */
static void to_origin(double x, double *xi)
{
    xi[1] -= xi[5] * x;
    xi[2] += xi[4] * x;
}

/* What the reference is without its fitted part: a section, or the chord of two. */
static void carried_by(maker *k)
{
    const int *node = k->frame.node, ne = k->f->ne;
    double x = place_x(k, node[0]), length = place_x(k, node[1]) - x;
    node_twist(k, node[0], k->B);
    if (node[1] >= 0) {
        node_twist(k, node[1], k->X);
        for (int i = 0; i < ne; i++) {
            double *b = k->B + 6 * i, *e = k->X + 6 * i;
            b[0] += k->frame.along * (e[0] - b[0]);
            b[3] = k->frame.fitted ? 0 : b[3] + k->frame.about * (e[3] - b[3]);
            b[4] = -(e[2] - b[2]) / length;
            b[5] = (e[1] - b[1]) / length;
        }
    }
    for (int i = 0; i < ne; i++) to_origin(x, k->B + 6 * i);
}

/* Inertia of rigid motions and momentum of d(eta)/dt, with the masses on the beam; a little inertia about
 * the axis where there is none. */
static void weights(maker *k, double G[36])
{
    const lm_floating *f = k->f;
    int n = 6 + f->ne;
    for (int i = 0; i < 36; i++) G[i] = k->M[i % 6 + n * (i / 6)];
    for (int i = 0; i < 6 * f->ne; i++) k->moment[i] = k->M[i % 6 + n * (6 + i / 6)];
    if (G[21] == 0) G[21] = 1e-6 * f->mass * k->frame.length * k->frame.length;
    for (int p = 0; p < k->frame.n; p++) {
        double m = k->frame.carried[p], x = f->place[p].x0;
        if (m == 0) continue;
        node_twist(k, k->frame.first + p, k->X);
        for (int i = 0; i < f->ne; i++) {
            const double *v = k->X + 6 * i;
            double *to = k->moment + 6 * i;
            for (int c = 0; c < 3; c++) to[c] += m * v[c];
            to[4] -= m * x * v[2];
            to[5] += m * x * v[1];
        }
        for (int c = 0; c < 3; c++) G[7 * c] += m;
        G[28] += m * x * x, G[35] += m * x * x;
        G[4 + 12] -= m * x, G[2 + 24] -= m * x; /* moment about y by z */
        G[5 + 6] += m * x, G[1 + 30] += m * x;  /* moment about z by y */
    }
}

/* Fitted motions, as twists at the frame's origin and in its axes. */
static int free_twists(const maker *k, double A[6][6])
{
    int n = damping_frame_free(&k->frame, k->m, NULL, m3_col(&k->axes, 0), A);
    for (int i = 0; i < n; i++) {
        v3_put(A[i], m3_tv(&k->axes, v3_from(A[i])));
        v3_put(A[i] + 3, m3_tv(&k->axes, v3_from(A[i] + 3)));
        to_origin(place_x(k, k->frame.node[0]), A[i]);
    }
    return n;
}

/* B += Z (momentum - G B). */
static void fit(maker *k)
{
    double A[6][6], G[36], Z[36];
    int n = free_twists(k, A);
    weights(k, G);
    damping_frame_fit(n, A, G, Z);
    for (int i = 0; i < k->f->ne; i++) {
        double rest[6], *b = k->B + 6 * i;
        for (int r = 0; r < 6; r++) {
            rest[r] = k->moment[6 * i + r];
            for (int c = 0; c < 6; c++) rest[r] -= G[r + 6 * c] * b[c];
        }
        for (int j = 0; j < 36; j++) b[j % 6] += Z[j] * rest[j / 6];
    }
}

/* C += alpha P^T M P, P = (-B; 1). */
static void add_damping(maker *k, double alpha, double *C)
{
    int ne = k->f->ne, n = 6 + ne;
    for (int j = 0; j < ne; j++) { /* X = Mrf - Mrr B */
        double *x = k->X + 6 * j;
        for (int r = 0; r < 6; r++) {
            x[r] = k->M[r + n * (6 + j)];
            for (int c = 0; c < 6; c++) x[r] -= k->M[r + n * c] * k->B[6 * j + c];
        }
    }
    for (int j = 0; j < ne; j++)
        for (int i = 0; i < ne; i++) {
            double sum = k->f->Mff[i + ne * j];
            for (int r = 0; r < 6; r++)
                sum -= k->M[r + n * (6 + i)] * k->B[6 * j + r] + k->B[6 * i + r] * k->X[6 * j + r];
            C[i + ne * j] += alpha * sum;
        }
}

int ffr_damping_add(const damping_net *net, const ffr_part *part, const lm_floating *f,
                    lm_arena *temp, double *C)
{
    const lm_model *m = net->m;
    const lm_beam *beam = &m->beams[part->body];
    const lm_element *e = &m->elements[part->first];
    lm_m3 R = quat_m3(m->nodes[e->node[0]].q);
    maker k = {.m = m, .f = f, .axes = m3_mul(&R, &e->A[0])};
    if (beam->damping_mass == 0 || part->n < beam->nelements) return 0; /* several: refused */
    if (damping_frame_make(net, part->body, temp, &k.frame) || reserve(&k, temp)) return -1;
    carried_by(&k);
    if (k.frame.fitted) fit(&k);
    add_damping(&k, beam->damping_mass, C);
    return 0;
}
