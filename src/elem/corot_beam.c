#include "elem/corot_forces.h"
#include "elem/corot_gyro.h"

void COROT(residual)(const lm_corot_const *c, const lm_corot_state *s, const double g[3],
                     lm_lane f[2][6])
{
    corot_kin k;
    corot_local q;
    corot_kinematics(c, s, &k);
    corot_vec F = corot_local_forces(c, s, g, &k, &q);
    corot_elastic(c, &k, &q);
    corot_pull_add(&q.mid, &q.pull, &F);
    if (c->spun) corot_gyro_add(c, &k, &q.V, &q.A, &F);
    if (c->centred) {
        corot_centre o;
        corot_centre_place(c, &k, &o);
        corot_centre_rates(&q.V, &q.A, &o);
        lm_lane3 a = corot_centre_acceleration(c, &q.A, &o);
        corot_centre_add(c, &o, a, l3_sub(a, q.g), &F);
    }
    l3_put(f[0], lm3_v(k.E, F.xa));
    l3_put(f[0] + 3, lm3_v(k.E, F.ra));
    l3_put(f[1], lm3_v(k.E, F.xb));
    l3_put(f[1] + 3, lm3_v(k.E, F.rb));
}

void COROT(energy)(const lm_corot_const *c, const lm_corot_state *s, const double g[3],
                   lm_corot_energies *e)
{
    corot_kin k;
    corot_mid mid;
    corot_bow bow;
    corot_bending_mass m;
    corot_centre o;
    corot_kinematics(c, s, &k);
    corot_mass_now(c, &k, &m);
    corot_vec V = corot_to_frame(&k.E, s->v), P = corot_mass(c, &m, &V);
    corot_middle(c, &k, &mid);
    corot_nat d = corot_strains(c, &mid, &bow), n = corot_stiffness(c, &d);
    corot_way way = corot_way_of(&mid, &V);
    corot_shift shift = corot_shift_of(&mid, &way);
    corot_nat rate = corot_strain_rates(c, &mid, &bow, &shift), loss = corot_stiffness(c, &rate);
    lm_lane3 gw = l3_all(g[0], g[1], g[2]), p;
    lm_lane3 h = corot_sag(c, corot_rotvec(&k.a), corot_rotvec(&k.b));
    h.x = c->hx;
    corot_centre_place(c, &k, &o);
    corot_centre_speed(&V, &o);
    h = l3_add(h, corot_centre_moment(c, &o));
    lm_lane3 S = l3_add(l3_mul(c->m[0], l3_from(s->x[0])), l3_mul(c->m[1], l3_from(s->x[1])));
    p = corot_centre_momentum(c, &V, &o);
    e->kinetic = 0.5 * (corot_vec_dot(&V, &P) + c->im * l3_dot(p, p));
    if (c->spun) e->kinetic += corot_gyro_energy(c, &k, &V).s;
    e->elastic = 0.5 * corot_nat_dot(&d, &n);
    const lm_lane3 kappa = l3_sub(d.b, d.a);
    for (int i = 0; i < 3; i++) {
        const corot_relief r = corot_relief_of(c, &kappa, i);
        e->elastic -= 0.5 * c->relief[i] * r.q * r.q * r.D;
    }
    e->gravity = -l3_dot(gw, l3_add(S, lm3_v(k.E, h)));
    e->dissipation = c->beta * corot_nat_dot(&rate, &loss);
}

void COROT(natural)(const lm_corot_const *c, const lm_corot_state *s, lm_lane *u, lm_lane b[2][3],
                    lm_lane Rstar[9])
{
    corot_kin k;
    corot_bow bow;
    corot_kinematics(c, s, &k);
    corot_nat d = corot_natural(c, &k, &bow);
    *u = d.u;
    l3_put(b[0], d.a);
    l3_put(b[1], d.b);
    lm3_put(Rstar, k.E);
}
