/* The states of a linearised machine.
 *
 * In y. = w + S y, w. = f(y, w, u) of all velocities nothing depends on the y of variables, which are
 * integrals of their values, nor on the w of those that are no states: their values are accelerations, and
 * have been solved for with these. So the rows and columns that are left out take nothing with them. */
#include "analysis/linearize.h"

#include "math/eigen.h"

#include <math.h>
#include <string.h>

int lm_linearized_keeps(const lm_linearized *l, int i)
{
    int k = l->state[i % l->n] - (l->sys->nv - l->sys->nvariables);
    int kind = l->nmassless ? l->kind[i % l->n] : 0;
    if (kind) return kind == 1 && i < l->n;
    if (k < 0) return 1;
    return i >= l->n && l->sys->model->spec->variables.at[k].kind == LM_VARIABLE_STATE;
}

void lm_linearized_states(lm_linearized *l)
{
    l->ns = 0;
    for (int i = 0; i < 2 * l->n; i++)
        if (lm_linearized_keeps(l, i)) l->keep[l->ns++] = i;
}

/* The variable that state i of ns is; NULL: it is one of the mechanism. */
static const lm_spec_variable *variable_of(const lm_linearized *l, int i)
{
    int at = l->keep[i] - l->n;
    int k = at < 0 ? -1 : l->state[at] - (l->sys->nv - l->sys->nvariables);
    return k < 0 ? NULL : &l->sys->model->spec->variables.at[k];
}

/* A state x = I(q) + c: nothing moves c, and its pole is 0. */
static int follows(const lm_linearized *l, int i)
{
    const lm_spec_variable *x = variable_of(l, i);
    return x && x->kind == LM_VARIABLE_STATE && x->follows_motion == LM_FOLLOWS_INTEGRAL;
}

void lm_linearized_followers(lm_linearized *l)
{
    int zeros = 0;
    while (zeros < l->npoles && l->pole[zeros].re == 0 && l->pole[zeros].im == 0) zeros++;
    for (int i = 0; i < l->ns && l->nfollowers < zeros; i++)
        if (follows(l, i)) l->pole[zeros - ++l->nfollowers].mover = i;
    l->first_follower = zeros - 1;
}

const char *lm_linearized_followed(const lm_linearized *l)
{
    const lm_spec *s = l->sys->model->spec;
    const lm_expr *e = &variable_of(l, l->pole[l->first_follower].mover)->integral;
    if (e->ninputs != 1 || e->inputs[0] == LM_SLOT_T) return NULL;
    const lm_spec_sensor *q = &s->sensors.at[e->inputs[0] - 1];
    return q->kind == LM_SENSOR_JOINT ? s->joints.at[q->joint].item.name : NULL;
}

void lm_linearized_cut(lm_linearized *l)
{
    size_t two = 2 * (size_t)l->n, ns = (size_t)l->ns, ny = (size_t)l->ny;
    if (ns == two) return;
    for (size_t j = 0; j < ns; j++) { /* in place: everything moves towards the start */
        size_t from = (size_t)l->keep[j];
        for (size_t i = 0; i < ns; i++) l->A[ns * j + i] = l->A[two * from + (size_t)l->keep[i]];
        memmove(l->C + ny * j, l->C + ny * from, sizeof(double) * ny);
    }
    for (size_t j = 0; j < (size_t)l->nu; j++)
        for (size_t i = 0; i < ns; i++) l->B[ns * j + i] = l->B[two * j + (size_t)l->keep[i]];
}

int lm_linearized_shifted_inverse(const lm_linearized *l, double s0, double *T)
{
    size_t n = (size_t)l->ns;
    double *A = lm_alloc(sizeof(double) * (n * n + 1));
    if (!A) return -1;
    memcpy(A, l->A, sizeof(double) * n * n);
    memset(T, 0, sizeof(double) * n * n);
    for (size_t i = 0; i < n; i++) A[n * i + i] -= s0, T[n * i + i] = 1;
    int bad = lm_dense_solve(l->ns, A, l->ns, T);
    lm_free(A);
    return bad;
}

/* The trace of A^2 is the sum of the squares of the poles. */
double lm_linearized_speed(const lm_linearized *l)
{
    size_t n = (size_t)l->ns;
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) sum += fabs(l->A[n * i + j] * l->A[n * j + i]);
    return sum > 0 ? sqrt(sum) : 1;
}

/* By the real form [-A, -omega; omega, -A] (xr, xi) = (B, 0). */
int lm_linearized_response(const lm_linearized *l, double f, double *re, double *im)
{
    size_t n = (size_t)l->ns, two = 2 * n, nu = (size_t)l->nu;
    double omega = 2 * acos(-1.0) * f;
    double *P = lm_alloc(sizeof(double) * (two * two + two * nu + 1)), *X = P ? P + two * two : P;
    if (!P) return -1;
    memset(X, 0, sizeof(double) * two * nu);
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < n; i++) {
            P[two * j + i] = P[two * (n + j) + n + i] = 0 - l->A[n * j + i];
            P[two * j + n + i] = P[two * (n + j) + i] = 0;
        }
        P[two * j + n + j] = omega;
        P[two * (n + j) + j] = -omega;
    }
    for (size_t c = 0; c < nu; c++) memcpy(X + two * c, l->B + n * c, sizeof(double) * n);
    int bad = lm_dense_solve((int)two, P, l->nu, X);
    for (size_t c = 0; c < nu && !bad; c++) {
        memcpy(re + n * c, X + two * c, sizeof(double) * n);
        memcpy(im + n * c, X + two * c + n, sizeof(double) * n);
    }
    lm_free(P);
    return bad;
}
