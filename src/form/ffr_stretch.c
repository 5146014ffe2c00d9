/* What stretch has to do with bending: the matrices S and G of a floating frame (docs/theory/ffr.md). */
#include "form/ffr_mesh.h"
#include "math/eigen.h"

#include <string.h>

/* Deflections at the nodes are the first coordinates of a spline. Slopes that are coordinates stay. */
static void of_splines(const ffr_mesh *g, int na, int nv, const double *D, double *S)
{
    for (int i = 0; i < g->n; i++)
        for (int jk = 0; jk < na * nv; jk++) S[jk * nv + i] = D[(i + 1) * na * nv + jk];
}

/* Forces on the nodes of the mesh, deflection and slope, that hold each shape: F [2 (n + 1)] [nv]. */
static void holding(const ffr_mesh *g, int about_z, int nv, const double *row, double *F)
{
    for (int e = 0; e < g->n; e++, row += 2 * nv, F += 2 * nv) {
        const lm_beam_shape *c = &g->shape[e];
        const double *k = about_z ? c->kz : c->ky;
        double N[2][4] = {{1 / c->L, 1, -1 / c->L, 0}, {1 / c->L, 0, -1 / c->L, 1}};
        double a[2][LM_FLOATING_MOST];
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < nv; j++) {
                a[i][j] = 0;
                for (int l = 0; l < 4; l++) a[i][j] += N[i][l] * row[l * nv + j];
            }
        for (int r = 0; r < 4; r++)
            for (int j = 0; j < nv; j++)
                F[r * nv + j] += N[0][r] * (k[0] * a[0][j] + k[1] * a[1][j]) +
                                 N[1][r] * (k[1] * a[0][j] + k[2] * a[1][j]);
    }
}

/* The stretch of coordinate j at a node of the mesh, the mean of both sides. */
static double stretch_at(const ffr_mesh *g, const ffr_shapes *b, int node, int j)
{
    double sum = 0;
    int from = node > 0 ? node - 1 : 0, to = node < g->n ? node : node - 1;
    for (int e = from; e <= to; e++)
        sum += (b->a[(e + 1) * b->na + j] - b->a[e * b->na + j]) / g->shape[e].L;
    return sum / (to - from + 1);
}

/* Of modes those of the least energy: K S_j = the work of what holds them on D and on its slope. */
static int of_modes(const ffr_mesh *g, const ffr_shapes *b, int about_z, int nv, const double *row,
                    const double *D, const double *K, int ne, lm_arena *temp, double *S)
{
    double *F = LM_NEW_N(temp, double, 2 * (g->n + 1) * nv), *A = LM_NEW_N(temp, double, nv *nv);
    if (!F || !A) return -1;
    holding(g, about_z, nv, row, F);
    for (int m = 1; m <= g->n; m++)
        for (int j = 0; j < b->na; j++) {
            double e = stretch_at(g, b, m, j);
            for (int k = 0; k < nv; k++) {
                double d = D[(m * b->na + j) * nv + k], slope = e * row[(2 * m + 1) * nv + k];
                for (int i = 0; i < nv; i++)
                    S[(j * nv + k) * nv + i] +=
                        F[2 * m * nv + i] * d + F[(2 * m + 1) * nv + i] * slope;
            }
        }
    for (int k = 0; k < nv; k++) memcpy(A + k * nv, K + ne * k, sizeof(double) * (size_t)nv);
    return lm_dense_solve(nv, A, b->na * nv, S);
}

/* G [na] [n] of a place with the slopes r. */
static void put_tilt(int na, int n, const double *r, const double *S, double *G)
{
    for (int jk = 0; jk < na * n; jk++)
        for (int i = 0; i < n; i++) G[jk] += r[i] * S[jk * n + i];
}

int ffr_stretch_make(const ffr_mesh *g, const ffr_shapes *b, lm_arena *temp, ffr_store *s,
                     lm_floating *out)
{
    double *D[2];
    int ne = out->ne, bad = 0;
    if (!s->strains) return 0;
    if (ffr_mesh_set_off(g, b, temp, D)) return -1;
    if (!g->m->spec->formulation.basis_modes) {
        of_splines(g, b->na, b->nv, D[0], s->Sv);
        of_splines(g, b->na, b->nw, D[1], s->Sw);
    } else {
        bad = of_modes(g, b, 1, b->nv, b->v, D[0], s->K, ne, temp, s->Sv);
        if (!bad)
            bad = of_modes(g, b, 0, b->nw, b->w, D[1], s->K + (ne + 1) * b->nv, ne, temp, s->Sw);
    }
    for (int k = 1; k < out->nplaces && !bad; k++) {
        const lm_floating_place *p = &out->place[k];
        put_tilt(b->na, b->nv, p->dv, s->Sv, (double *)p->Gv);
        put_tilt(b->na, b->nw, p->dw, s->Sw, (double *)p->Gw);
    }
    out->Sv = s->Sv, out->Sw = s->Sw;
    return bad;
}
