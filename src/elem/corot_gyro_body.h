/* Formulas of corot_gyro.h, once for numbers and once for numbers with their changes: SC and VC are the types, G()
 * makes the names. No guard: included twice. */

typedef struct G(in) {
    VC e, D, D2;         /* direction of the chord; rates of x_b - x_a */
    SC r;                /* 1 / length */
    VC x[2], y[2], z[2]; /* axes of the sections */
    VC om[2], al[2];     /* their angular velocities and accelerations */
} G(in);

typedef struct G(plane) {
    SC psi[2], rho[2], psi1[2], rho1[2]; /* slopes, rates of turning; their rates */
    SC p[2], p1[2], sigma[2];            /* dT/drho, its rate, dT/dpsi */
    SC om[2], om1[2];     /* the ends' angular velocities about the axis; their rates */
    SC own, own1;         /* dT/d of either, its rate */
    SC H, H1;             /* h . psi, its rate */
    SC of_spin, of_spin1; /* dT/dW, its rate */
} G(plane);

/* One axis across: psi_i = -e . y_i, rho_i = (omega_i - w) . y_i. */
LM_LANE_INLINE void G(rates)(const G(in) * q, const VC *axis, const VC *w, const VC *w1,
                             G(plane) * o)
{
    for (int i = 0; i < 2; i++) {
        o->om[i] = G(dot)(q->om[i], axis[i]), o->om1[i] = G(dot)(q->al[i], axis[i]);
        const VC nu = G(sub3)(q->om[i], *w), nu1 = G(sub3)(q->al[i], *w1);
        o->psi[i] = G(scale)(-1, G(dot)(q->e, axis[i]));
        o->psi1[i] = G(scale)(-1, G(dot)(q->e, G(cross)(nu, axis[i])));
        o->rho[i] = G(dot)(nu, axis[i]);
        o->rho1[i] = G(add)(G(dot)(nu1, axis[i]), G(dot)(nu, G(cross)(q->om[i], axis[i])));
    }
}

/* T = W psi^T (g rho + h (om_a + om_b) / 2) + W^2 psi^T s psi / 2. */
LM_LANE_INLINE void G(momenta)(const lm_lane g[4], const lm_lane h[2], const lm_lane s[3],
                               const SC *W, const SC *W1, G(plane) * o)
{
    SC gr[2], gr1[2], sp[2], sp1[2];
    o->H = G(two)(h[0], o->psi[0], h[1], o->psi[1]);
    o->H1 = G(two)(h[0], o->psi1[0], h[1], o->psi1[1]);
    o->own = G(scale)(0.5, G(mul)(*W, o->H));
    o->own1 = G(scale)(0.5, G(add)(G(mul)(*W1, o->H), G(mul)(*W, o->H1)));
    for (int i = 0; i < 2; i++) {
        const SC pg = G(two)(g[i], o->psi[0], g[2 + i], o->psi[1]);
        const SC pg1 = G(two)(g[i], o->psi1[0], g[2 + i], o->psi1[1]);
        gr[i] = G(two)(g[2 * i], o->rho[0], g[2 * i + 1], o->rho[1]);
        gr[i] = G(add)(gr[i], G(scale)(0.5, G(two)(h[i], o->om[0], h[i], o->om[1])));
        gr1[i] = G(two)(g[2 * i], o->rho1[0], g[2 * i + 1], o->rho1[1]);
        gr1[i] = G(add)(gr1[i], G(scale)(0.5, G(two)(h[i], o->om1[0], h[i], o->om1[1])));
        sp[i] = G(two)(s[i], o->psi[0], s[i + 1], o->psi[1]);
        sp1[i] = G(two)(s[i], o->psi1[0], s[i + 1], o->psi1[1]);
        o->p[i] = G(mul)(*W, pg);
        o->p1[i] = G(add)(G(mul)(*W1, pg), G(mul)(*W, pg1));
        o->sigma[i] = G(mul)(*W, G(add)(gr[i], G(mul)(*W, sp[i])));
    }
    SC a = G(add)(G(mul)(o->psi[0], gr[0]), G(mul)(o->psi[1], gr[1]));
    SC b = G(add)(G(mul)(o->psi[0], sp[0]), G(mul)(o->psi[1], sp[1]));
    o->of_spin = G(add)(a, G(mul)(*W, b));
    a = G(add)(G(mul)(o->psi1[0], gr[0]), G(mul)(o->psi1[1], gr[1]));
    a = G(add)(a, G(add)(G(mul)(o->psi[0], gr1[0]), G(mul)(o->psi[1], gr1[1])));
    const SC c = G(add)(G(mul)(o->psi1[0], sp[0]), G(mul)(o->psi1[1], sp[1]));
    const SC d = G(add)(G(mul)(o->psi[0], sp1[0]), G(mul)(o->psi[1], sp1[1]));
    o->of_spin1 = G(add)(a, G(add)(G(mul)(*W1, b), G(mul)(*W, G(add)(c, d))));
}

/* What the mean slopes of sections in shear do where the chord spins across: with H = h . psi, m the mean of the
 * ends' slopes as far as it is shear, omega the ends' mean,
 *   T = - H_y m_y omega_y^2 / 2 - H_z m_z omega_z^2 / 2 - H_y m_z omega_y omega_z. */
typedef struct G(tilt) {
    SC m, w, A, B, m1, A1, B1; /* A = H omega, B = m omega; rates */
} G(tilt);

LM_LANE_INLINE void G(tilt_of)(const lm_lane *share, const G(plane) * p, G(tilt) * o)
{
    const lm_lane s = 0.5 * *share;
    const SC w1 = G(scale)(0.5, G(add)(p->om1[0], p->om1[1]));
    o->w = G(scale)(0.5, G(add)(p->om[0], p->om[1]));
    o->m = G(two)(s, p->psi[0], s, p->psi[1]);
    o->m1 = G(two)(s, p->psi1[0], s, p->psi1[1]);
    o->A = G(mul)(p->H, o->w), o->A1 = G(add)(G(mul)(p->H1, o->w), G(mul)(p->H, w1));
    o->B = G(mul)(o->m, o->w), o->B1 = G(add)(G(mul)(o->m1, o->w), G(mul)(o->m, w1));
}

/* p += the parts of T on omega, half of it each end's, with its rate, and on H and m. */
LM_LANE_INLINE void G(tilt_add)(const lm_lane h[2], const lm_lane *share, const SC on[2],
                                const SC *onH, const SC *onm, G(plane) * p)
{
    p->own = G(add)(p->own, G(scale)(0.5, on[0]));
    p->own1 = G(add)(p->own1, G(scale)(0.5, on[1]));
    for (int i = 0; i < 2; i++)
        p->sigma[i] = G(add)(p->sigma[i], G(two)(h[i], *onH, 0.5 * *share, *onm));
}

LM_LANE_INLINE void G(tilts)(const lm_corot_const *c, G(plane) * y, G(plane) * z)
{
    G(tilt) a, b;
    G(tilt_of)(&c->relief[2], y, &a);
    G(tilt_of)(&c->relief[1], z, &b);
    const SC A = G(scale)(-1, G(add)(a.A, b.A)), A1 = G(scale)(-1, G(add)(a.A1, b.A1));
    const SC B = G(scale)(-1, G(add)(a.B, b.B)), B1 = G(scale)(-1, G(add)(a.B1, b.B1));
    const SC ony[2] = {G(mul)(y->H, B), G(add)(G(mul)(y->H1, B), G(mul)(y->H, B1))};
    const SC onz[2] = {G(mul)(b.m, A), G(add)(G(mul)(b.m1, A), G(mul)(b.m, A1))};
    const SC Hy = G(mul)(a.w, G(add)(B, G(scale)(0.5, a.B)));
    const SC my = G(scale)(-0.5, G(mul)(a.w, a.A));
    const SC Hz = G(scale)(-0.5, G(mul)(b.w, b.B));
    const SC mz = G(mul)(b.w, G(add)(A, G(scale)(0.5, b.A)));
    G(tilt_add)(c->meany, &c->relief[2], ony, &Hy, &my, y);
    G(tilt_add)(c->meanz, &c->relief[1], onz, &Hz, &mz, z);
}

LM_LANE_INLINE void G(planes)(const lm_corot_const *c, const G(in) * q, const VC *w, const VC *w1,
                              const SC *W, const SC *W1, G(plane) * y, G(plane) * z)
{
    G(rates)(q, q->y, w, w1, y);
    G(rates)(q, q->z, w, w1, z);
    G(momenta)(c->gyroy, c->meany, c->spiny, W, W1, y);
    G(momenta)(c->gyroz, c->meanz, c->spinz, W, W1, z);
    if (c->sheared) G(tilts)(c, y, z);
}

/* Force on b (on a: the opposite) and moments. With Pi_i the sections' momenta across, sigma_i = dT/dpsi_i:
 *   M_i = d/dt (Pi_i + O_i + dT/dW t_i / 2) + Pi_i x w + sigma_i x e,   O_i = dT/domega_i
 *   F = (e x d/dt sum Pi_i - 2 w (e . sum Pi_i) + sum sigma_i - e (e . sum sigma_i)) / l */
LM_LANE_INLINE void G(forces)(const lm_corot_const *c, const G(in) * q, VC *F, VC M[2])
{
    G(plane) y, z;
    const VC w = G(mul3)(q->r, G(cross)(q->e, q->D));
    const SC along = G(mul)(q->r, G(dot)(q->e, q->D));
    const VC w1 = G(sub3)(G(mul3)(q->r, G(cross)(q->e, q->D2)), G(mul3)(G(scale)(2, along), w));
    const SC W = G(scale)(0.5, G(add)(G(dot)(q->om[0], q->x[0]), G(dot)(q->om[1], q->x[1])));
    const SC W1 = G(scale)(0.5, G(add)(G(dot)(q->al[0], q->x[0]), G(dot)(q->al[1], q->x[1])));
    G(planes)(c, q, &w, &w1, &W, &W1, &y, &z);
    const SC half = G(scale)(0.5, G(add)(y.of_spin, z.of_spin));
    const SC half1 = G(scale)(0.5, G(add)(y.of_spin1, z.of_spin1));
    VC P[2], P1[2], O[2], S[2];
    for (int i = 0; i < 2; i++) {
        P[i] = G(add3)(G(mul3)(y.p[i], q->y[i]), G(mul3)(z.p[i], q->z[i]));
        P1[i] = G(add3)(G(mul3)(y.p1[i], q->y[i]), G(mul3)(z.p1[i], q->z[i]));
        P1[i] = G(add3)(P1[i], G(cross)(q->om[i], P[i]));
        S[i] = G(add3)(G(mul3)(y.sigma[i], q->y[i]), G(mul3)(z.sigma[i], q->z[i]));
        O[i] = G(add3)(G(mul3)(y.own, q->y[i]), G(mul3)(z.own, q->z[i]));
        const VC O1 = G(add3)(G(mul3)(y.own1, q->y[i]), G(mul3)(z.own1, q->z[i]));
        const VC own = G(mul3)(half, G(cross)(q->om[i], q->x[i]));
        M[i] = G(add3)(P1[i], G(add3)(own, G(mul3)(half1, q->x[i])));
        M[i] = G(add3)(M[i], G(add3)(G(cross)(P[i], w), G(cross)(S[i], q->e)));
        M[i] = G(add3)(M[i], G(add3)(O1, G(cross)(q->om[i], O[i])));
    }
    const VC all = G(add3)(P[0], P[1]), all1 = G(add3)(P1[0], P1[1]), s = G(add3)(S[0], S[1]);
    VC f = G(sub3)(G(cross)(q->e, all1), G(mul3)(G(scale)(2, G(dot)(q->e, all)), w));
    f = G(add3)(f, G(sub3)(s, G(mul3)(G(dot)(q->e, s), q->e)));
    *F = G(mul3)(q->r, f);
}
