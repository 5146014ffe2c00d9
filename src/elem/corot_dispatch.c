/* Constants of the element, and which of its compiled kernels this processor runs. */
#include "elem/corot_kin.h"

static void set(lm_lane *to, int lane, const double *from, int n)
{
    for (int i = 0; i < n; i++) to[i][lane] = from[i];
}

/* Sums over the translations: y_a + y_b = 1 is a translation of the whole element, so these are
 * the first moments of the mass that belong to a rotation of the ends (columns 1 and 3). */
static void bow_moments(lm_lane h[2], int lane, const double m[10])
{
    h[0][lane] = m[1] + m[5];
    h[1][lane] = m[3] + m[8];
}

/* Mass at the nodes as the axial functions have it; the bending functions know the mass centre:
 * hx = its first moment about a, less the node's. */
static void set_centre(lm_corot_const *c, int lane, const lm_beam_shape *s)
{
    double mb = s->mx[1] + s->mx[2], mb_bending = s->mz[2] + s->mz[7];
    c->m[0][lane] = s->mx[0] + s->mx[1], c->m[1][lane] = mb;
    bow_moments(c->hz, lane, s->mz), bow_moments(c->hy, lane, s->my);
    c->hx[lane] = (mb_bending - mb) * s->L + c->hz[0][lane] + c->hz[1][lane];
    c->im[lane] = c->ht[0][lane] = c->ht[1][lane] = c->arc[lane] = 0;
}

static int is_identity(const lm_lane A[9])
{
    const lm_m3 I = m3_identity();
    for (int i = 0; i < 9; i++)
        for (int j = 0; j < LM_LANES; j++)
            if (A[i][j] != I.m[i]) return 0;
    return 1;
}

void lm_corot_const_set(lm_corot_const *c, int lane, const lm_beam_shape *s, const lm_m3 *Aa,
                        const lm_m3 *Ab, double beta)
{
    c->L[lane] = s->L, c->LL[lane] = s->L * s->L;
    c->ka[lane] = s->ka, c->kt[lane] = s->kt, c->beta[lane] = beta;
    set(c->kz, lane, s->kz, 3), set(c->ky, lane, s->ky, 3);
    set(c->mx, lane, s->mx, 3), set(c->mt, lane, s->mt, 3);
    set(c->mz, lane, s->mz, 10), set(c->my, lane, s->my, 10);
    c->iL[lane] = 1 / s->L;
    c->bend[0][lane] = s->kt;
    c->bend[1][lane] = 0.25 * (s->ky[0] - 2 * s->ky[1] + s->ky[2]);
    c->bend[2][lane] = 0.25 * (s->kz[0] - 2 * s->kz[1] + s->kz[2]);
    c->relief[0][lane] = 1, c->relief[1][lane] = s->sheary, c->relief[2][lane] = s->shearz;
    c->stiffz[lane] = 1 - s->shearz, c->alongy[lane] = 1 - s->shearz * s->shearz;
    c->stiffy[lane] = 1 - s->sheary, c->alongz[lane] = 1 - s->sheary * s->sheary;
    set(c->bowz, lane, s->bowz, 3), set(c->bowy, lane, s->bowy, 3);
    set(c->turnz, lane, s->turnz, 3), set(c->turny, lane, s->turny, 3);
    set(c->gyroy, lane, s->gyroy, 4), set(c->gyroz, lane, s->gyroz, 4);
    set(c->meany, lane, s->meany, 2), set(c->meanz, lane, s->meanz, 2);
    set(c->spiny, lane, s->spiny, 3), set(c->spinz, lane, s->spinz, 3);
    set_centre(c, lane, s);
    set(c->A[0], lane, Aa->m, 9), set(c->A[1], lane, Ab->m, 9);
    c->straight = is_identity(c->A[0]) && is_identity(c->A[1]);
    c->damped = c->centred = c->spun = c->sheared = 0;
    for (int j = 0; j < LM_LANES; j++) {
        c->damped |= c->beta[j] != 0, c->centred |= c->im[j] != 0;
        c->sheared |= c->relief[1][j] != 0 || c->relief[2][j] != 0;
        for (int i = 0; i < 4; i++) c->spun |= c->gyroy[i][j] != 0 || c->gyroz[i][j] != 0;
    }
}

/* m -= f p p^T, upper triangle by rows. */
static void project(lm_lane *m, int lane, int n, const double *p, double f)
{
    for (int i = 0, k = 0; i < n; i++)
        for (int j = i; j < n; j++, k++) m[k][lane] -= f * p[i] * p[j];
}

/* For a tapered section the tangents take the mean of the planes, and the small rest stays where it was: in hx,
 * hy, hz and in M'. With the tangents alone the centre would be drawn along the chord by (mL/24)(b_b^2 - b_a^2);
 * it is (mL/60). */
void lm_corot_const_centre(lm_corot_const *c, int lane)
{
    double ma = c->m[0][lane], mb = c->m[1][lane], mass = ma + mb, h[2];
    if (!(mass > 0)) return;
    for (int i = 0; i < 2; i++) {
        h[i] = 0.5 * (c->hz[i][lane] - c->hy[i][lane]);
        c->ht[i][lane] = h[i];
        c->hx[lane] -= h[i], c->hz[i][lane] -= h[i], c->hy[i][lane] += h[i];
    }
    c->im[lane] = 1 / mass;
    c->arc[lane] = 0.3 * (h[0] - h[1]) / c->LL[lane];
    c->centred = 1;
    project(c->mx, lane, 2, (double[]){ma, mb}, 1 / mass);
    project(c->mz, lane, 4, (double[]){ma, h[0], mb, h[1]}, 1 / mass);
    project(c->my, lane, 4, (double[]){ma, -h[0], mb, -h[1]}, 1 / mass);
}

#if defined __x86_64__
#define CALL(name, ...)                                                                            \
    (__builtin_cpu_supports("avx2") ? lm_corot_##name##_avx2(__VA_ARGS__)                          \
                                    : lm_corot_##name##_base(__VA_ARGS__))
#else
#define CALL(name, ...) lm_corot_##name##_base(__VA_ARGS__)
#endif

void lm_corot_residual(const lm_corot_const *c, const lm_corot_state *s, const double g[3],
                       lm_lane f[2][6])
{
    CALL(residual, c, s, g, f);
}

void lm_corot_tangent(const lm_corot_const *c, const lm_corot_state *s, const double g[3],
                      double cM, double cD, double cK, lm_lane J[12][12])
{
    CALL(tangent, c, s, g, cM, cD, cK, J);
}

void lm_corot_energy(const lm_corot_const *c, const lm_corot_state *s, const double g[3],
                     lm_corot_energies *e)
{
    CALL(energy, c, s, g, e);
}

void lm_corot_natural(const lm_corot_const *c, const lm_corot_state *s, lm_lane *u, lm_lane b[2][3],
                      lm_lane Rstar[9])
{
    CALL(natural, c, s, u, b, Rstar);
}
