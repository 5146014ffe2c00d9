/* Tangent of the corotational beam element.
 *
 * In the axes of the frame the forces F depend on the length l, on the end sections' rotations
 * theta_a, theta_b against the frame, and on V, A, g, which the frame turns when it turns itself by
 * psi* = G delta:
 *
 *     theta_i = psi_i - psi*,   dV = V x psi*, and dA and dg alike;
 *
 * in world axes the forces turn with it as well, psi* x F. So ten columns (one for l, three each
 * for theta_a, theta_b, psi*) and the sparse G give all of dF/d(motion). With w = G V the spin,
 * P = M V, Q = dF/dw = M skew(V) - skew(P),
 *
 *     dF/dV = skew(w) M + (skew(w) M)^T - [rotations only] (skew(V) M - skew(P))
 *             + Q G - (Q G)^T + l' dM/dl + y e^T - e y^T
 *
 * with y = (dM/dl) V and l' = e . V. Elastic and damping forces have columns of their own, in the axes of
 * the middle section: corot_elastic_tangent.h. */
#include "elem/corot_elastic_tangent.h"
#include "elem/corot_gyro.h"

#include <stddef.h>

typedef union corot_col { /* a column by parts, or by rows */
    corot_vec v;
    lm_lane e[12];
} corot_col;

/* Of Tinv = I - skew(b)/2 + c skew(b)^2: c, and its derivative dc = (dc/d|b|)/|b|. */
typedef struct corot_curve {
    lm_lane c, dc;
} corot_curve;

typedef struct corot_tangent {
    lm_lane cD, cK; /* factors of dF/dV, dF/d(motion) */
    corot_kin k;
    corot_local q;
    corot_vec F;    /* forces of inertia and weight, without those of the mass centre */
    corot_col Q[3]; /* dF/dw at fixed V */
    corot_curve a, b;
    const lm_corot_const *c;
} corot_tangent;

LM_LANE_INLINE lm_lane3 unit(int j) { return l3_all(j == 0, j == 1, j == 2); }

/* V_k x e in each part. */
LM_LANE_INLINE corot_vec turned(const corot_vec *V, lm_lane3 e)
{
    return corot_vec_cross(l3_neg(e), V);
}

LM_LANE_INLINE void add_scaled(corot_col *to, const lm_lane *s, const corot_col *from)
{
    for (int i = 0; i < 12; i++) to->e[i] += *s * from->e[i];
}

/* c = (f + g)/(16 f^2), and with g = 1/3 - t^2 g2 no digit cancels in its derivative:
 * dc = (3 g2 - 5 g + 4 t^2 g^2)/(16 f^2)^2 + c^2. */
LM_LANE_INLINE corot_curve curvature(const corot_end *e)
{
    lm_lane r = 1.0 / (16.0 * e->f * e->f), z = l3_dot(e->tau, e->tau), c = (e->f + e->g) * r;
    return (corot_curve){c, (3.0 * e->g2 - 5.0 * e->g + 4.0 * z * e->g * e->g) * r * r + c * c};
}

/* d(Tinv(b)^T x) for db. */
LM_LANE_INLINE lm_lane3 tinv_change(const corot_curve *r, lm_lane3 b, lm_lane3 db, lm_lane3 x)
{
    lm_lane3 bx = l3_cross(b, x), dbx = l3_cross(db, x);
    lm_lane3 quad = l3_add(l3_cross(db, bx), l3_cross(b, dbx));
    lm_lane3 lin = l3_add(l3_mul(lane_all(0.5), dbx), l3_mul(r->c, quad));
    return l3_add(lin, l3_mul(r->dc * l3_dot(b, db), l3_cross(b, bx)));
}

static void prepare(const lm_corot_state *s, const double g[3], corot_tangent *t)
{
    corot_local *q = &t->q;
    t->F = corot_local_forces(t->c, s, g, &t->k, q);
    corot_elastic(t->c, &t->k, q);
    for (int j = 0; j < 3; j++) {
        corot_vec Ve = turned(&q->V, unit(j)), Pe = turned(&q->P, unit(j));
        corot_vec MVe = corot_mass(t->c, &q->mass, &Ve);
        t->Q[j].v = corot_vec_sub(&MVe, &Pe);
    }
    t->a = curvature(&t->k.a);
    t->b = curvature(&t->k.b);
}

/* --- columns for the length, the sections and the frame ----------------------------------------- */

/* Inertia when the frame turns by e: V, A and the spin change, dF = M(...) + ... with dP = M dV. */
LM_LANE_INLINE corot_vec inertia_change(const corot_tangent *t, const corot_vec *dV,
                                        const corot_vec *dA, const corot_vec *dP, lm_lane3 dw)
{
    const corot_local *q = &t->q;
    corot_vec a = corot_vec_cross(dw, &q->V), b = corot_vec_cross(q->w, dV);
    a = corot_vec_add(&a, &b);
    a = corot_vec_sub(dA, &a);
    corot_vec F = corot_mass(t->c, &q->mass, &a);
    F.xa = l3_add(F.xa, l3_add(l3_cross(dw, q->P.xa), l3_cross(q->w, dP->xa)));
    F.xb = l3_add(F.xb, l3_add(l3_cross(dw, q->P.xb), l3_cross(q->w, dP->xb)));
    F.ra = l3_add(F.ra, l3_add(l3_cross(l3_sub(dw, dV->ra), q->P.ra),
                               l3_cross(l3_sub(q->w, q->V.ra), dP->ra)));
    F.rb = l3_add(F.rb, l3_add(l3_cross(l3_sub(dw, dV->rb), q->P.rb),
                               l3_cross(l3_sub(q->w, q->V.rb), dP->rb)));
    const lm_lane rate = q->V.xb.x - q->V.xa.x, drate = dV->xb.x - dV->xa.x,
                  pull = corot_thin_dot(&q->Ml, dV);
    corot_thin MldV = corot_thin_of(q->mass.dz, q->mass.dy, dV);
    MldV = corot_thin_sum(&rate, &MldV, &drate, &q->Ml);
    corot_thin_add(&MldV, &F);
    F.xa.x += pull, F.xb.x -= pull;
    return F;
}

/* The frame turns by the unit vector j and the sections go with it: V, A, g change as it sees
 * them, the deformation does not; the forces turn with the frame. */
static void frame_column(const corot_tangent *t, int j, corot_col *out)
{
    const lm_corot_const *c = t->c;
    const corot_local *q = &t->q;
    const lm_lane3 e = unit(j), dg = l3_cross(q->g, e);
    corot_vec dV = turned(&q->V, e), dA = turned(&q->A, e), dP = corot_mass(c, &q->mass, &dV);
    lm_lane3 dw = corot_spin(&t->k, &dV);
    corot_vec F = inertia_change(t, &dV, &dA, &dP, dw), eF = corot_vec_cross(e, &t->F);

    corot_nat n = {0};
    corot_weight_sub(c, dg, &n);
    lm_lane3 m = l3_add(corot_vec_cross_sum(&dP, &q->V), corot_vec_cross_sum(&q->P, &dV));
    m = l3_add(m, l3_cross(q->h, dg));
    corot_natural_t_add(&t->k, &n, &F, &m);
    F.xa = l3_sub(F.xa, l3_mul(c->m[0], dg));
    F.xb = l3_sub(F.xb, l3_mul(c->m[1], dg));
    corot_spin_t_sub(&t->k, m, &F);
    out->v = corot_vec_add(&F, &eF);
}

/* The frame's spin changes by dw while V stays: inertia. */
LM_LANE_INLINE corot_vec spin_change(const corot_tangent *t, lm_lane3 dw)
{
    const corot_col *Q = t->Q;
    return (corot_vec){lm3_v((lm_lanem3){Q[0].v.xa, Q[1].v.xa, Q[2].v.xa}, dw),
                       lm3_v((lm_lanem3){Q[0].v.ra, Q[1].v.ra, Q[2].v.ra}, dw),
                       lm3_v((lm_lanem3){Q[0].v.xb, Q[1].v.xb, Q[2].v.xb}, dw),
                       lm3_v((lm_lanem3){Q[0].v.rb, Q[1].v.rb, Q[2].v.rb}, dw)};
}
LM_LANE_INLINE corot_vec roll_change(const corot_tangent *t, const lm_lane *dw1)
{
    const corot_vec *Q = &t->Q[0].v;
    const lm_lane s = *dw1;
    return (corot_vec){l3_mul(s, Q->xa), l3_mul(s, Q->ra), l3_mul(s, Q->xb), l3_mul(s, Q->rb)};
}

/* w x (0, y, z) */
LM_LANE_INLINE lm_lane3 thin_cross(lm_lane3 w, const lm_lane *y, const lm_lane *z)
{
    return l3(w.y * *z - w.z * *y, -(w.x * *z), w.x * *y);
}

/* Inertia when the length grows by 1 and M with it, times f; y = (dM/dl) V stands for P = M V:
 *   F_k = (dM/dl (A - w x V))_k + w x y_k - [rotations only] V_k x y_k
 *         + l' (d2M/dl2 V)_k - V^T d2M/dl2 V / 2 [on the length]
 * With m = k (t0 + k t2), dk/dl = -L/l^2: m'' = -2/l m' + 2 (L/l^2)^2 t2. */
LM_LANE_INLINE void mass_change(const corot_tangent *t, const lm_lane *factor, corot_vec *F,
                                lm_lane3 *m)
{
    const corot_local *q = &t->q;
    const lm_lane f = *factor, il = t->k.il, r = t->c->L * il * il, rr = 2.0 * r * r,
                  two = -2.0 * il, *dz = q->mass.dz, *dy = q->mass.dy;
    const lm_lane dz2[2] = {two * dz[0] + rr * t->c->turnz[2], two * dz[1]},
                  dy2[2] = {two * dy[0] + rr * t->c->turny[2], two * dy[1]};
    corot_thin a = corot_thin_of(dz, dy, &q->rate), v = corot_thin_of(dz2, dy2, &q->V);
    const lm_lane rate = f * (q->V.xb.x - q->V.xa.x), pull = 0.5 * f * corot_thin_dot(&v, &q->V);
    a = corot_thin_sum(&f, &a, &rate, &v);
    corot_thin_add(&a, F);
    F->xa.x += pull, F->xb.x -= pull;

    corot_thin y = corot_thin_mul(&f, &q->Ml);
    lm_lane3 across = thin_cross(q->w, &y.y, &y.z), turn = thin_cross(q->w, &y.ry, &y.rz);
    lm_lane3 ra = thin_cross(q->V.ra, &y.ry, &y.rz), rb = thin_cross(q->V.rb, &y.ry, &y.rz);
    F->xa = l3_sub(F->xa, across), F->xb = l3_add(F->xb, across);
    F->ra = l3_add(F->ra, l3_sub(turn, ra)), F->rb = l3_add(F->rb, l3_sub(turn, rb));
    lm_lane3 chord = thin_cross(l3_sub(q->V.xb, q->V.xa), &y.y, &y.z);
    *m = l3_sub(*m, l3_add(chord, l3_add(ra, rb)));
}

/* The length grows by 1: G's parts for the chord fall with 1/l. */
static void length_column(const corot_tangent *t, corot_col *out)
{
    const corot_kin *k = &t->k;
    const lm_lane3 w = t->q.w;
    lm_lane f = t->cK * k->il, fl = f * k->il;
    lm_lane3 dw = l3_mul(-f, l3(k->skew * w.y, w.y, w.z)), m = l3_all(0, 0, 0);
    corot_vec F = spin_change(t, dw);
    mass_change(t, &t->cK, &F, &m);
    corot_spin_t_sub(k, m, &F);
    lm_lane ty = fl * t->q.m.z, tz = fl * (t->q.m.y + k->skew * t->q.m.x);
    F.xa.y -= ty, F.xb.y += ty;
    F.xa.z += tz, F.xb.z -= tz;
    out->v = F;
}

/* Section a (end 0) or b (end 1) turns against the frame by the unit vector j. Of G only the first
 * row changes; with dy = e_j x y and xi = V_i - w,
 *   d(G V)_1 = (dy_2 xi_1 - dy_1 xi_2)/p_2
 *   d(G^T m) = s on the section and -G^T s,   s = m_1 (dy_2, -dy_1, 0)/p_2 */
static void section_column(const corot_tangent *t, int end, int j, corot_col *out)
{
    const corot_kin *k = &t->k;
    const corot_local *q = &t->q;
    const corot_end *e = end ? &k->b : &k->a;
    const corot_curve *r = end ? &t->b : &t->a;
    const lm_lane zero = lane_all(0), f = t->cK, fp = f * k->ip;
    lm_lane3 b = corot_rotvec(e), n = end ? q->n.b : q->n.a, none = l3_all(0, 0, 0);
    lm_lane3 xi = l3_sub(end ? q->V.rb : q->V.ra, q->w);
    lm_lane3 db = corot_tinv(e, unit(j)), dy = l3_cross(unit(j), e->y);

    lm_lane dw = fp * (dy.y * xi.x - dy.x * xi.y);
    lm_lane3 s = l3_mul(fp * q->m.x, l3(dy.y, -dy.x, zero));
    db = l3_mul(f, db);
    lm_lane3 on = l3_sub(tinv_change(r, b, db, n), s);
    lm_lane3 m = l3_add(on, l3_cross(corot_sag(t->c, end ? none : db, end ? db : none), q->g));
    corot_vec F = roll_change(t, &dw);
    F.ra = l3_add(F.ra, end ? none : on);
    F.rb = l3_add(F.rb, end ? on : none);
    corot_spin_t_sub(k, m, &F);
    out->v = F;
}

/* K += l (row of the length) + Z G, Z for a turn of the frame while the sections stand. */
static void add_frame(const corot_kin *k, const corot_col *l, const corot_col Z[3], corot_col K[12])
{
    const lm_lane eta[2][2] = {{k->a.eta1, k->a.eta2}, {k->b.eta1, k->b.eta2}};
    corot_col y, z;
    for (int i = 0; i < 12; i++) {
        y.e[i] = k->il * Z[2].e[i];
        z.e[i] = k->il * (k->skew * Z[0].e[i] + Z[1].e[i]);
        K[0].e[i] -= l->e[i], K[6].e[i] += l->e[i];
        K[1].e[i] -= y.e[i], K[7].e[i] += y.e[i];
        K[2].e[i] += z.e[i], K[8].e[i] -= z.e[i];
    }
    for (int end = 0; end < 2; end++)
        for (int j = 0; j < 2; j++) add_scaled(&K[6 * end + 3 + j], &eta[end][j], &Z[0]);
}

/* K += cK dF/d(motion), and what dF/dV owes to the frame's spin and to damping. */
static void add_motion(const corot_tangent *t, corot_col K[12])
{
    _Alignas(32) corot_col l, W, Z[3];
    length_column(t, &l);
    for (int j = 0; j < 3; j++) {
        frame_column(t, j, &Z[j]);
        for (int i = 0; i < 12; i++) Z[j].e[i] = t->cK * Z[j].e[i] + t->cD * t->Q[j].e[i];
        for (int end = 0; end < 2; end++) {
            section_column(t, end, j, &W);
            for (int i = 0; i < 12; i++) K[6 * end + 3 + j].e[i] += W.e[i], Z[j].e[i] -= W.e[i];
        }
    }
    add_frame(&t->k, &l, Z, K);
    for (int i = 0; i < 12; i++) /* - (Q G)^T */
        corot_spin_t_sub(&t->k, l3_mul(t->cD, l3(t->Q[0].e[i], t->Q[1].e[i], t->Q[2].e[i])),
                         &K[i].v);
}

/* --- elastic and damping forces ------------------------------------------------------------------ */

/* Column of b's place (and, the other way, of a's), of the turn of a or of b: W[i] for the unit motions
 * in the axes of the middle section, turned into the frame's. */
static void add_middle(const corot_tangent *t, int which, lm_lane3 W[3][3], corot_col K[12])
{
    const lm_lanem3 *S = &t->q.mid.S;
    const lm_lane *s = (const lm_lane *)S;
    for (int j = 0; j < 3; j++) {
        lm_lane3 on[3];
        for (int r = 0; r < 3; r++) {
            lm_lane3 sum = l3_add(l3_mul(s[j], W[0][r]), l3_mul(s[3 + j], W[1][r]));
            on[r] = lm3_v(*S, l3_add(sum, l3_mul(s[6 + j], W[2][r])));
        }
        const corot_col add = {{l3_neg(on[0]), on[1], on[0], on[2]}};
        corot_col *to = &K[which == 1 ? 3 + j : (which == 0 ? 6 : 9) + j], *back = &K[j];
        for (int i = 0; i < 12; i++) to->e[i] += add.e[i];
        for (int i = 0; i < 12 && which == 0; i++) back->e[i] -= add.e[i];
    }
}

static void add_elastic(const corot_tangent *t, corot_col K[12])
{
    const corot_factors by = {t->cK, t->cK + t->c->beta * t->cD, t->c->beta * t->cK};
    for (int which = 0; which < 3; which++) {
        lm_lane3 W[3][3];
        for (int j = 0; j < 3; j++) {
            corot_way way = corot_unit_way(&t->q.mid, which, unit(j));
            corot_elastic_column(t->c, &t->q, &by, &way, W[j]);
        }
        add_middle(t, which, W, K);
    }
}

/* --- mass ---------------------------------------------------------------------------------------- */

/* Entry m of the mass matrix at row r, column c, into cM M + cD (skew(w) M + (skew(w) M)^T -
 * skew(V) M): w x e_r has two components, in rows r1 and r2. */
LM_LANE_INLINE void add_entry(const corot_tangent *t, const lm_lane *cM, const lm_lane *m, int r,
                              int c, corot_col K[12])
{
    K[c].e[r] += *cM * *m;
    if (!t) return;
    const int part = r - r % 3, i1 = (r + 1) % 3, i2 = (r + 2) % 3, r1 = part + i1, r2 = part + i2;
    const lm_lane *w = (const lm_lane *)&t->q.w, *V = (const lm_lane *)&t->q.V + part;
    lm_lane d = t->cD * *m, w1 = d * w[i2], w2 = d * w[i1];
    K[r1].e[c] += w1, K[r2].e[c] -= w2;
    if (part % 6 == 3) w1 -= d * V[i2], w2 -= d * V[i1];
    K[c].e[r1] += w1, K[c].e[r2] -= w2;
}

static void add_plane(const corot_tangent *t, const lm_lane *cM, const lm_lane m[10],
                      const int n[4], corot_col K[12])
{
    static const int at[4][4] = {{0, 1, 2, 3}, {1, 4, 5, 6}, {2, 5, 7, 8}, {3, 6, 8, 9}};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) add_entry(t, cM, &m[at[i][j]], n[i], n[j], K);
}

/* t NULL: cM M alone. */
static void set_mass(const lm_corot_const *c, const corot_bending_mass *m, const corot_tangent *t,
                     double cM, corot_col K[12])
{
    static const int xy[4] = {1, 5, 7, 11}, xz[4] = {2, 4, 8, 10};
    const lm_lane f = lane_all(cM), zero = lane_all(0);
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 12; j++) K[i].e[j] = zero;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            add_entry(t, &f, &c->mx[i + j], 6 * i, 6 * j, K);
            add_entry(t, &f, &c->mt[i + j], 6 * i + 3, 6 * j + 3, K);
        }
    add_plane(t, &f, m->mz, xy, K);
    add_plane(t, &f, m->my, xz, K);
}

/* K += cD (l' dM/dl + y e^T - e y^T), y = (dM/dl) V, l' = e . V: dM/dl is d0 over D^2, d1 over D S in
 * the plane of the rows n. */
static void add_stretch_plane(const corot_tangent *t, const lm_lane d[2], const int n[4],
                              corot_col K[12])
{
    const lm_lane f = t->cD * (t->q.V.xb.x - t->q.V.xa.x), p = f * d[0], r = f * d[1];
    K[n[0]].e[n[0]] += p, K[n[2]].e[n[2]] += p;
    K[n[0]].e[n[2]] -= p, K[n[2]].e[n[0]] -= p;
    for (int i = 1; i < 4; i += 2) {
        K[n[0]].e[n[i]] -= r, K[n[i]].e[n[0]] -= r;
        K[n[2]].e[n[i]] += r, K[n[i]].e[n[2]] += r;
    }
}

static void add_stretch(const corot_tangent *t, corot_col K[12])
{
    static const int xy[4] = {1, 5, 7, 11}, xz[4] = {2, 4, 8, 10};
    const corot_thin y = corot_thin_mul(&t->cD, &t->q.Ml);
    const lm_lane part[2][4] = {{-y.y, y.rz, y.y, y.rz}, {-y.z, y.ry, y.z, y.ry}};
    add_stretch_plane(t, t->q.mass.dz, xy, K);
    add_stretch_plane(t, t->q.mass.dy, xz, K);
    for (int i = 0; i < 8; i++) {
        const lm_lane v = part[i / 4][i % 4];
        const int r = i < 4 ? xy[i] : xz[i - 4];
        K[6].e[r] += v, K[0].e[r] -= v;
        K[r].e[6] -= v, K[r].e[0] += v;
    }
}

/* K += cD skew(P) in the rotational blocks. */
static void add_spin(const corot_tangent *t, corot_col K[12])
{
    for (int p = 3; p < 12; p += 6) {
        const lm_lane *P = (const lm_lane *)&t->q.P + p;
        for (int i = 0; i < 3; i++) {
            const int j = (i + 1) % 3, k = (i + 2) % 3;
            K[p + i].e[p + j] += t->cD * P[k];
            K[p + i].e[p + k] -= t->cD * P[j];
        }
    }
}

/* --- the mass centre ------------------------------------------------------------------------------
 * Its forces know nothing of the frame. With u the change of a position or a small rotation, and of its
 * rates, at one end: d' = u ..., or for t = t_i
 *     dt = u x t,   dt' = u' x t + V x (u x t),
 *     dt'' = u'' x t + u' x (V x t) + V x (u' x t) + A x (u x t) + V x (V x (u x t)) */

/* Changes of what corot_centre has, of one end. */
typedef struct corot_change {
    lm_lane3 d, d1, d2, t, t1, t2;
} corot_change;

/* m da_c / m, but for the nodes' masses; what does not change with the unknown is zero. */
LM_LANE_INLINE lm_lane3 centre_change(const lm_corot_const *c, const corot_centre *o, int end,
                                      const corot_change *g)
{
    const lm_lane sign = lane_all(end ? -1 : 1);
    const lm_lane e = sign * l3_dot(g->t, o->d) + l3_dot(o->s, g->d);
    const lm_lane e1 = sign * (l3_dot(g->t1, o->d) + l3_dot(g->t, o->d1)) + l3_dot(o->s1, g->d) +
                       l3_dot(o->s, g->d1);
    const lm_lane e2 =
        sign * (l3_dot(g->t2, o->d) + 2.0 * l3_dot(g->t1, o->d1) + l3_dot(g->t, o->d2)) +
        l3_dot(o->s2, g->d) + 2.0 * l3_dot(o->s1, g->d1) + l3_dot(o->s, g->d2);
    lm_lane3 drawn = l3_add(l3_mul(e2, o->d), l3_mul(o->e2, g->d));
    drawn = l3_add(drawn, l3_add(l3_mul(2.0 * e1, o->d1), l3_mul(2.0 * o->e1, g->d1)));
    drawn = l3_add(drawn, l3_add(l3_mul(e, o->d2), l3_mul(o->e, g->d2)));
    return l3_mul(c->im, l3_sub(l3_mul(c->ht[end], g->t2), l3_mul(c->arc, drawn)));
}

/* How the forces of a fixed load turn with the chord and the tangent. */
LM_LANE_INLINE void centre_turn(const lm_corot_const *c, const corot_centre *o, int end,
                                const corot_change *g, lm_lane3 load, corot_vec *F)
{
    const lm_lane sign = lane_all(end ? -1 : 1), along = l3_dot(o->d, load);
    const lm_lane more = l3_dot(g->d, load), e = sign * l3_dot(g->t, o->d) + l3_dot(o->s, g->d);
    lm_lane3 w = l3_add(l3_mul(sign * along, g->t), l3_add(l3_mul(more, o->s), l3_mul(e, load)));
    lm_lane3 y = l3_mul(c->arc, l3_add(l3_mul(more, o->d), l3_mul(along, g->d)));
    lm_lane3 own = l3_sub(l3_mul(c->ht[end], load), l3_mul(c->arc * sign * along, o->d));
    lm_lane3 *section = end ? &F->rb : &F->ra;
    F->xa = l3_add(F->xa, l3_mul(c->arc, w));
    F->xb = l3_sub(F->xb, l3_mul(c->arc, w));
    F->ra = l3_sub(F->ra, l3_cross(o->t[0], y));
    F->rb = l3_add(F->rb, l3_cross(o->t[1], y));
    *section = l3_add(*section, l3_cross(g->t, own));
}

static void add_centre_mass(const lm_corot_const *c, const corot_kin *k, double cM, corot_col K[12])
{
    const lm_lane3 none = l3_all(0, 0, 0);
    corot_centre o = {0};
    corot_centre_place(c, k, &o);
    for (int end = 0; end < 2; end++)
        for (int j = 0; j < 3; j++) {
            corot_change move = {none, none, l3_mul(lane_all(end ? cM : -cM), unit(j)),
                                 none, none, none};
            corot_change turn = {none, none, none,
                                 none, none, l3_mul(lane_all(cM), l3_cross(unit(j), o.t[end]))};
            lm_lane3 a = centre_change(c, &o, end, &move);
            a = l3_add(a, l3_mul(cM * c->im * c->m[end], unit(j)));
            corot_centre_add(c, &o, a, a, &K[6 * end + j].v);
            a = centre_change(c, &o, end, &turn);
            corot_centre_add(c, &o, a, a, &K[6 * end + 3 + j].v);
        }
}

static void add_centre_motion(const corot_tangent *t, corot_col K[12])
{
    const lm_corot_const *c = t->c;
    const corot_local *q = &t->q;
    const lm_lane3 none = l3_all(0, 0, 0);
    corot_centre o;
    corot_centre_place(c, &t->k, &o);
    corot_centre_rates(&q->V, &q->A, &o);
    const lm_lane3 load = l3_sub(corot_centre_acceleration(c, &q->A, &o), q->g);
    for (int end = 0; end < 2; end++)
        for (int j = 0; j < 3; j++) {
            const lm_lane sign = lane_all(end ? 1 : -1);
            const lm_lane3 V = end ? q->V.rb : q->V.ra, A = end ? q->A.rb : q->A.ra;
            const lm_lane3 dt = l3_cross(unit(j), o.t[end]), Vdt = l3_cross(V, dt);
            lm_lane3 D = l3_add(l3_cross(unit(j), o.t1[end]), Vdt);
            lm_lane3 S = l3_add(l3_cross(A, dt), l3_cross(V, Vdt));
            corot_change move = {l3_mul(sign * t->cK, unit(j)),
                                 l3_mul(sign * t->cD, unit(j)),
                                 none,
                                 none,
                                 none,
                                 none};
            corot_change turn = {.t = l3_mul(t->cK, dt),
                                 .t1 = l3_add(l3_mul(t->cD, dt), l3_mul(t->cK, Vdt)),
                                 .t2 = l3_add(l3_mul(t->cD, D), l3_mul(t->cK, S))};
            corot_vec *moved = &K[6 * end + j].v, *turned_by = &K[6 * end + 3 + j].v;
            lm_lane3 a = centre_change(c, &o, end, &move);
            corot_centre_add(c, &o, a, a, moved);
            centre_turn(c, &o, end, &move, load, moved);
            a = centre_change(c, &o, end, &turn);
            corot_centre_add(c, &o, a, a, turned_by);
            centre_turn(c, &o, end, &turn, load, turned_by);
        }
}

/* --- sections that spin -------------------------------------------------------------------------- */

LM_LANE_INLINE corot_pair3 still(lm_lane3 v) { return (corot_pair3){v, l3_all(0, 0, 0)}; }

/* x_b - x_a changes by the unit vector j; its rates too. */
LM_LANE_INLINE void gyro_move(const double by[3], int j, corot_d_in *q)
{
    const lm_lane3 u = unit(j), e = q->e.v;
    const lm_lane3 across = l3_sub(u, l3_mul(l3_dot(e, u), e));
    q->e.d = l3_mul(by[2] * q->r.v, across);
    q->r.d = -by[2] * q->r.v * q->r.v * l3_dot(e, u);
    q->D.d = l3_mul(lane_all(by[1]), u);
    q->D2.d = l3_mul(lane_all(by[0]), u);
}

LM_LANE_INLINE void gyro_turn(const double by[3], int j, int end, corot_d_in *q)
{
    const lm_lane3 u = unit(j), K = l3_mul(lane_all(by[2]), u);
    q->x[end].d = l3_cross(K, q->x[end].v);
    q->y[end].d = l3_cross(K, q->y[end].v);
    q->z[end].d = l3_cross(K, q->z[end].v);
    q->om[end].d = l3_mul(lane_all(by[1]), u);
    q->al[end].d = l3_mul(lane_all(by[0]), u);
}

/* by: factors of dF/da, dF/dv, dF/d(motion). */
static void add_gyro(const lm_corot_const *c, const corot_kin *k, const corot_vec *V,
                     const corot_vec *A, const double by[3], corot_col K[12])
{
    const corot_g_in g = corot_gyro_in(k, V, A);
    corot_d_in q0 = {.e = still(g.e), .D = still(g.D), .D2 = still(g.D2)};
    q0.r = (corot_pair1){g.r.s, lane_all(0)};
    for (int i = 0; i < 2; i++) {
        q0.x[i] = still(g.x[i]), q0.y[i] = still(g.y[i]), q0.z[i] = still(g.z[i]);
        q0.om[i] = still(g.om[i]), q0.al[i] = still(g.al[i]);
    }
    for (int which = 0; which < 9; which++) {
        const int j = which % 3, kind = which / 3;
        corot_d_in q = q0;
        corot_pair3 F, M[2];
        if (kind == 0)
            gyro_move(by, j, &q);
        else
            gyro_turn(by, j, kind - 1, &q);
        corot_d_forces(c, &q, &F, M);
        const lm_lane3 change[2] = {M[0].d, M[1].d};
        const lm_lane3 back[2] = {l3_neg(M[0].d), l3_neg(M[1].d)};
        corot_gyro_put(F.d, change, &K[kind == 0 ? 6 + j : 6 * (kind - 1) + 3 + j].v);
        if (kind == 0) corot_gyro_put(l3_neg(F.d), back, &K[j].v);
    }
}

/* J = E K E^T in each of the 4 x 4 blocks. */
static void to_world(const lm_lanem3 *E, const corot_col K[12], lm_lane J[12][12])
{
    for (int c = 0; c < 12; c += 3)
        for (int r = 0; r < 12; r += 3) {
            lm_lanem3 B = {l3_from(K[c].e + r), l3_from(K[c + 1].e + r), l3_from(K[c + 2].e + r)};
            lm_lanem3 C = lm3_mul(*E, B);
            l3_put(J[c] + r, lm3_v(C, l3(E->x.x, E->y.x, E->z.x)));
            l3_put(J[c + 1] + r, lm3_v(C, l3(E->x.y, E->y.y, E->z.y)));
            l3_put(J[c + 2] + r, lm3_v(C, l3(E->x.z, E->y.z, E->z.z)));
        }
}

void COROT(tangent)(const lm_corot_const *c, const lm_corot_state *s, const double g[3], double cM,
                    double cD, double cK, lm_lane J[12][12])
{
    _Alignas(32) corot_tangent t;
    _Alignas(32) corot_col K[12];
    corot_kinematics(c, s, &t.k);
    if (cD == 0 && cK == 0) {
        const corot_vec none = {0};
        corot_mass_now(c, &t.k, &t.q.mass);
        set_mass(c, &t.q.mass, NULL, cM, K);
        if (c->spun) add_gyro(c, &t.k, &none, &none, (double[]){cM, 0, 0}, K);
    } else {
        t.c = c, t.cD = lane_all(cD), t.cK = lane_all(cK);
        prepare(s, g, &t);
        set_mass(c, &t.q.mass, &t, cM, K);
        add_stretch(&t, K);
        add_spin(&t, K);
        add_motion(&t, K);
        add_elastic(&t, K);
        if (c->spun) add_gyro(c, &t.k, &t.q.V, &t.q.A, (double[]){cM, cD, cK}, K);
        if (c->centred) add_centre_motion(&t, K);
    }
    if (c->centred && cM != 0) add_centre_mass(c, &t.k, cM, K);
    to_world(&t.k.E, K, J);
}
