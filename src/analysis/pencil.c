/* The matrices of small deviations from steady rotation. */
#include "analysis/pencil.h"

#include <math.h>
#include <string.h>

/* ---- pattern ---- */

static int first_of(const unsigned char *kind, int col)
{
    for (int back = 0; back < 3 && col - back >= 0; back++)
        if (kind[col - back] & LM_VECTOR) return col - back;
    return col;
}

static int width(const unsigned char *kind, int first) { return kind[first] & LM_VECTOR ? 3 : 1; }

/* The columns of a vector get each other's rows. */
static void widen(lm_pattern_builder *b, const lm_system *sys, const unsigned char *kind)
{
    const lm_pattern *p = &sys->pattern;
    for (int c = 0; c < p->n; c++) {
        int first = c < sys->nv ? first_of(kind, c) : c, n = c < sys->nv ? width(kind, first) : 1;
        for (int k = p->colptr[c]; k < p->colptr[c + 1]; k++)
            for (int i = 0; i < n; i++) lm_pattern_add(b, p->rowind[k], first + i);
    }
}

static int make_pattern(lm_pencil *p, lm_arena *arena, lm_arena *temp)
{
    const lm_pattern *own = &p->sys->pattern;
    lm_pattern_builder b = {.arena = temp};
    widen(&b, p->sys, p->kind);
    if (b.failed || lm_pattern_make(&b, arena, own->n, &p->pattern)) return -1;
    for (int c = 0; c < own->n; c++) {
        int at = p->pattern.colptr[c]; /* rows ascend in both */
        for (int k = own->colptr[c]; k < own->colptr[c + 1]; k++) {
            while (p->pattern.rowind[at] < own->rowind[k]) at++;
            p->place[k] = at;
        }
    }
    return 0;
}

int lm_pencil_make(lm_pencil *p, lm_arena *arena, lm_system *sys, const unsigned char *kind,
                   const double *axis)
{
    size_t own = (size_t)sys->pattern.nnz;
    lm_arena temp = {0};
    *p = (lm_pencil){.sys = sys, .kind = kind, .axis = axis};
    p->place = LM_NEW_N(arena, int, own + 1);
    p->m = LM_NEW_N(arena, double, 3 * own + 1);
    int bad = !p->place || !p->m || make_pattern(p, arena, &temp);
    lm_arena_free(&temp);
    if (bad) return -1;
    size_t nnz = (size_t)p->pattern.nnz;
    p->d = p->m + own, p->k = p->d + own;
    p->M = LM_NEW_N(arena, double, 3 * nnz + 1);
    if (!p->M) return -1;
    p->C = p->M + nnz, p->K = p->C + nnz;
    return 0;
}

/* ---- numbers ---- */

int lm_pencil_evaluate(lm_pencil *p, const lm_state *s, int vibrations)
{
    lm_system *sys = p->sys;
    const lm_form *form = sys->form;
    sys->exact_tangent = 1;
    sys->vibrations = vibrations && form->linear_about;
    int bad = form->matrices ? form->matrices(sys, s, p->m, p->d, p->k)
                             : form->jacobian(sys, s, 1, 0, 0, p->m) ||
                                   form->jacobian(sys, s, 0, 1, 0, p->d) ||
                                   form->jacobian(sys, s, 0, 0, 1, p->k);
    sys->exact_tangent = sys->vibrations = 0;
    double sum = 0;
    for (int k = 0; k < sys->pattern.nnz && !bad; k++)
        sum += fabs(p->m[k]) + fabs(p->d[k]) + fabs(p->k[k]);
    return bad || !isfinite(sum);
}

/* out = A, the nv x nv block; with: the constraint blocks, too. */
static void spread(const lm_pencil *p, const double *A, int with, double *out)
{
    const lm_pattern *own = &p->sys->pattern;
    int nv = p->sys->nv;
    memset(out, 0, sizeof(double) * (size_t)p->pattern.nnz);
    for (int c = 0; c < own->n; c++)
        for (int k = own->colptr[c]; k < own->colptr[c + 1]; k++)
            if (with || (c < nv && own->rowind[k] < nv)) out[p->place[k]] = A[k];
}

/* out += A T for the columns of one vector, T [3 x 3]. */
static void add_turned(const lm_pencil *p, const double *A, int first, const lm_m3 *T, double *out)
{
    const lm_pattern *own = &p->sys->pattern, *wide = &p->pattern;
    int nv = p->sys->nv;
    for (int j = 0; j < 3; j++) {
        int c = first + j;
        for (int k = own->colptr[c]; k < own->colptr[c + 1] && own->rowind[k] < nv; k++) {
            int row = p->place[k] - wide->colptr[c];
            for (int i = 0; i < 3; i++)
                out[wide->colptr[first + i] + row] += A[k] * T->m[3 * i + j];
        }
    }
}

/* What a vector is multiplied by: s1 times the axis' skew matrix, s2 times its square. */
static lm_m3 turned(const lm_pencil *p, int first, double s1, double s2)
{
    lm_v3 e = v3_from(p->axis + first);
    lm_m3 S = m3_scale(s1, m3_skew(e)), Q = m3_scale(s2, m3_skew_skew(e, e));
    return m3_add(S, Q);
}

/* Omega = axes e x; B = beta e x. */
static void add_vector(lm_pencil *p, int first, double beta, double axes)
{
    lm_m3 BO = turned(p, first, beta + axes, 0), B = turned(p, first, beta, 0);
    lm_m3 OB = turned(p, first, 0, axes * beta);
    if (beta + axes != 0) add_turned(p, p->m, first, &BO, p->C);
    if (beta != 0) add_turned(p, p->d, first, &B, p->K);
    if (axes * beta != 0) add_turned(p, p->m, first, &OB, p->K);
}

void lm_pencil_turn(lm_pencil *p, double rate, double axes)
{
    spread(p, p->m, 0, p->M);
    spread(p, p->d, 0, p->C);
    spread(p, p->k, 1, p->K);
    for (int i = 0; i < p->sys->nv; i++) {
        int own = LM_VECTOR_ANGULAR | LM_VECTOR_TURNS; /* these turn by themselves */
        if (p->kind[i] & LM_VECTOR)
            add_vector(p, i, axes - ((p->kind[i] & own) == own ? rate : 0), axes);
    }
}

void lm_pencil_tangent(lm_pencil *p, double rate)
{
    spread(p, p->k, 1, p->K);
    for (int i = 0; i < p->sys->nv; i++) {
        int own = LM_VECTOR_ANGULAR | LM_VECTOR_TURNS; /* their velocity is the same anywhere */
        if (!(p->kind[i] & LM_VECTOR) || (p->kind[i] & own) == own) continue;
        lm_m3 V = turned(p, i, rate, 0), A = turned(p, i, 0, rate * rate);
        add_turned(p, p->d, i, &V, p->K);
        add_turned(p, p->m, i, &A, p->K);
    }
}

/* ---- products ---- */

void lm_pencil_mul(const lm_pencil *p, const double *A, double s, const double *x, double *y)
{
    const lm_pattern *w = &p->pattern;
    int nv = p->sys->nv;
    for (int c = 0; c < nv; c++) {
        double f = s * x[c];
        for (int k = w->colptr[c]; k < w->colptr[c + 1] && w->rowind[k] < nv; k++)
            y[w->rowind[k]] += A[k] * f;
    }
}

void lm_pencil_mul_all(const lm_pencil *p, const double *x, double *Mx, double *Cx, double *Kx)
{
    const lm_pattern *w = &p->pattern;
    int nv = p->sys->nv;
    memset(Mx, 0, sizeof(double) * (size_t)nv);
    memset(Cx, 0, sizeof(double) * (size_t)nv);
    memset(Kx, 0, sizeof(double) * (size_t)nv);
    for (int c = 0; c < nv; c++)
        for (int k = w->colptr[c]; k < w->colptr[c + 1] && w->rowind[k] < nv; k++) {
            int r = w->rowind[k];
            Mx[r] += p->M[k] * x[c];
            Cx[r] += p->C[k] * x[c];
            Kx[r] += p->K[k] * x[c];
        }
}

double lm_pencil_gap(const lm_pencil *p, const double *x, int *row)
{
    const lm_pattern *w = &p->pattern;
    int nv = p->sys->nv;
    double most = 0;
    for (int r = nv; r < w->n; r++) { /* by the transposed columns, which the multipliers have */
        double sum = 0;
        if (!p->sys->active[r - nv]) continue;
        for (int k = w->colptr[r]; k < w->colptr[r + 1] && w->rowind[k] < nv; k++)
            sum += p->K[k] * x[w->rowind[k]];
        if (fabs(sum) > most) most = fabs(sum), *row = r - nv;
    }
    return most;
}
