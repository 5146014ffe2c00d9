/* Critical speeds in turning axes: where a shape at rest in the rotor is held by nothing.
 *
 * With the symmetric part of K in axes that turn, the values of
 *
 *     K x = lambda M x,   Phi x = 0,
 *
 * in ascending order are continuous functions of the speed. A critical speed is a zero of one of them,
 * whatever the speeds of the list are and whichever branch it belongs to: of two at once for a round rotor,
 * of one after the other for a shaft with two stiffnesses. They are found by Lanczos' method for blocks with
 *
 *     T = (K + rho M)^-1 M,    T x = theta x,    lambda = 1/theta - rho,    rho > W^2,
 *
 * which makes all of it positive. T is symmetric in the product with M, and is what is projected, not K:
 * shapes with next to no mass (torsion of a shaft whose sections have no inertia) have theta = 0, whatever
 * part of them rounding leaves in vectors of unit mass, where x^T K x is that part times their stiffness over
 * their mass. Damping moves the speed at which the root has no frequency a little: it is found by the secant
 * method from there. */
#include "analysis/campbell.h"

#include "math/eigen.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { BLOCK = 4, LEAST = 48, MORE = 6, STEPS = 80, SECANTS = 12, MOST_AT_ONCE = 64 };
#define NOTHING   1e-9 /* of W^2: a value that is 0 but for rounding */
#define SAME      1e-6 /* of the speed: one critical speed */
#define CLOSE     1e-11
#define SYMMETRIC 1e-8  /* of W^2: what the rest of K moves a value by */
#define LOST      1e-9  /* part of a vector that is new */
#define NO_MASS   1e-10 /* of the largest theta */

static double dot(const double *x, const double *y, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

/* ---- the values at a speed ---- */

/* The symmetric part of K into the place of C, which is not needed. */
static void symmetric_part(lm_pencil *p)
{
    const lm_pattern *w = &p->pattern;
    memcpy(p->C, p->K, sizeof(double) * (size_t)w->nnz);
    for (int c = 0; c < p->sys->nv; c++)
        for (int k = w->colptr[c]; k < w->colptr[c + 1] && w->rowind[k] < p->sys->nv; k++) {
            int mirror = lm_pattern_find(w, c, w->rowind[k]);
            if (mirror >= 0) p->C[k] = 0.5 * (p->K[k] + p->K[mirror]);
        }
}

static int factor(lm_campbell *c)
{
    lm_still *s = &c->still;
    const lm_pencil *p = &c->steady.pencil;
    const lm_pattern *w = &p->pattern;
    double *to = lm_linear_values(c->steady.lin), sum = 0;
    int nv = c->sys->nv;
    for (int i = 0; i < nv; i++) {
        int k = lm_pattern_find(w, i, i);
        double u = c->steady.unit[i] / c->steady.size;
        if (k >= 0) sum += (fabs(p->C[k]) + s->rho * fabs(p->M[k])) * u * u;
    }
    s->scale = sum > 0 ? sum / (nv + 1) : 1;
    for (int col = 0; col < w->n; col++)
        for (int k = w->colptr[col]; k < w->colptr[col + 1]; k++)
            to[k] =
                col < nv && w->rowind[k] < nv ? (p->C[k] + s->rho * p->M[k]) / s->scale : p->K[k];
    return lm_linear_factor(c->steady.lin);
}

/* Vector n of the basis becomes new beside the others, of unit mass. 1: it is. */
static int add(lm_campbell *c, int n)
{
    lm_still *s = &c->still;
    size_t nv = (size_t)c->sys->nv;
    double *v = s->V + nv * (size_t)n, *Mv = s->MV + nv * (size_t)n, before = 0, size = 0;
    for (int pass = 0; pass < 3; pass++) {
        for (int j = 0; j < n && pass; j++) {
            double f = dot(s->MV + nv * (size_t)j, v, nv);
            for (size_t i = 0; i < nv; i++) v[i] -= f * s->V[nv * (size_t)j + i];
        }
        memset(Mv, 0, sizeof(double) * nv);
        lm_pencil_mul(&c->steady.pencil, c->steady.pencil.M, 1, v, Mv);
        size = sqrt(fmax(0, dot(v, Mv, nv)));
        if (!pass) before = size;
        if (!(size > LOST * before) || !isfinite(size)) return 0;
    }
    for (size_t i = 0; i < nv; i++) v[i] /= size, Mv[i] /= size;
    return 1;
}

/* to = (K + rho M)^-1 b. */
static void solve(lm_campbell *c, const double *b, double *to)
{
    double *x = c->steady.x;
    size_t nv = (size_t)c->sys->nv;
    memset(x + nv, 0, sizeof(double) * (size_t)c->sys->nl);
    for (size_t i = 0; i < nv; i++) x[i] = b[i] / c->still.scale;
    lm_linear_solve(c->steady.lin, x);
    memcpy(to, x, sizeof(double) * nv);
}

/* The Krylov space of a block, and T of it. Returns the size of the basis. */
static int krylov(lm_campbell *c, int most)
{
    lm_still *s = &c->still;
    size_t nv = (size_t)c->sys->nv;
    int n = 0;
    for (int j = 0; j < BLOCK && n < most; j++) {
        double *v = s->V + nv * (size_t)n;
        for (size_t i = 0; i < nv; i++)
            v[i] = c->steady.unit[i] * sin(1.0 + (0.9 * (double)i + 0.3) * (double)(j + 1));
        memset(s->w, 0, sizeof(double) * nv);
        lm_pencil_mul(&c->steady.pencil, c->steady.pencil.M, 1, v, s->w);
        solve(c, s->w, v);
        n += add(c, n);
    }
    for (int from = 0; from < n; from++) {
        double *Tv = s->TV + nv * (size_t)from;
        solve(c, s->MV + nv * (size_t)from, Tv);
        if (n == most) continue;
        memcpy(s->V + nv * (size_t)n, Tv, sizeof(double) * nv);
        n += add(c, n);
    }
    return n;
}

/* Shapes z that nothing holds, T z = z/rho, get the value `hold`. */
static void hold_loose(lm_still *s, size_t nv, int n, double hold)
{
    double *in = s->lambda, less = 1 / s->rho - 1 / (s->rho + hold);
    for (int z = 0; z < s->nloose; z++) {
        for (int j = 0; j < n; j++)
            in[j] = dot(s->V + nv * (size_t)j, s->loose + nv * (size_t)z, nv);
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++) s->small[n * j + i] -= less * in[i] * in[j];
    }
}

/* Values of T, ascending, become those of K: behind each other those below -rho, then those above it; of what
 * has no mass but for rounding, none. The vectors go with them. */
static void values_of_K(lm_still *s, int n)
{
    double *theta = s->lambda, *from = s->small, *to = s->small + n * n;
    double most = n ? fmax(fabs(theta[0]), fabs(theta[n - 1])) : 0;
    s->n = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int j = n - 1; j >= 0; j--) {
            if (!(fabs(theta[j]) > NO_MASS * most) || (theta[j] < 0) == pass) continue;
            s->value[s->n] = 1 / theta[j] - s->rho;
            memcpy(to + n * s->n++, from + n * j, sizeof(double) * (size_t)n);
        }
    for (int j = s->n; j < n; j++) s->value[j] = 1 / (NO_MASS * most);
    memcpy(from, to, sizeof(double) * (size_t)(n * s->n));
    memcpy(s->lambda, s->value, sizeof(double) * (size_t)n);
}

/* Values and shapes of the projected problem, s->lambda ascending. */
static int project(lm_campbell *c, int n, double hold)
{
    lm_still *s = &c->still;
    size_t nv = (size_t)c->sys->nv;
    double *B = s->small + n * n;
    if (n) lm_dense_tmul(n, n, (int)nv, s->MV, s->TV, s->small);
    hold_loose(s, nv, n, hold);
    memset(B, 0, sizeof(double) * (size_t)(n * n));
    for (int j = 0; j < n; j++) B[n * j + j] = 1;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < j; i++)
            s->small[n * j + i] = s->small[n * i + j] =
                0.5 * (s->small[n * j + i] + s->small[n * i + j]);
    s->basis = n;
    int bad = n ? lm_symmetric_eigen(n, s->small, B, s->lambda) : 0;
    if (!bad) values_of_K(s, n);
    return bad;
}

/* The largest speed of the list, which says how large values are looked for; 1: it is 0. */
static double largest_speed(const lm_campbell *c)
{
    double most = fmax(fabs(c->speed[0]), fabs(c->speed[c->nspeeds - 1]));
    return most > 0 ? most : 1;
}

limber_status lm_campbell_still(lm_campbell *c, double speed)
{
    lm_still *s = &c->still;
    lm_steady *t = &c->steady;
    limber_status st = lm_steady_find(t, speed);
    if (st) return st;
    lm_state at = lm_steady_state(t);
    if (lm_pencil_evaluate(&t->pencil, &at, 1)) return LIMBER_STOPPED;
    lm_pencil_turn(&t->pencil, t->turning.rate, t->turning.rate);
    symmetric_part(&t->pencil);
    double range = largest_speed(c);
    s->rho = 1.06 * speed * speed + 1e-4 * range * range;
    int bad = factor(c), most = LEAST + MORE * s->below;
    if (bad) return bad < 0 ? LIMBER_MEMORY : LIMBER_STOPPED;
    s->speed = speed;
    bad = project(c, krylov(c, most < s->room ? most : s->room), 10 * range * range);
    return bad ? bad < 0 ? LIMBER_MEMORY : LIMBER_STOPPED : LIMBER_OK;
}

limber_status lm_campbell_still_begin(lm_campbell *c)
{
    lm_still *s = &c->still;
    size_t nv = (size_t)c->sys->nv;
    s->room = LEAST + MORE * MOST_AT_ONCE;
    if (s->room > c->spectrum.nfree) s->room = c->spectrum.nfree;
    if (s->room < 1) s->room = 1;
    size_t room = (size_t)s->room + 1;
    s->V = LM_NEW_N(&c->arena, double, 3 * nv * room + 2 * nv);
    s->loose = LM_NEW_N(&c->arena, double, nv *LM_CAMPBELL_LOOSE + 1);
    s->small = LM_NEW_N(&c->arena, double, 2 * room * room + 2 * room);
    if (!s->V || !s->small || !s->loose) return LIMBER_MEMORY;
    s->MV = s->V + nv * room, s->TV = s->MV + nv * room;
    s->w = s->TV + nv * room, s->x = s->w + nv;
    s->lambda = s->small + 2 * room * room, s->value = s->lambda + room;
    return LIMBER_OK;
}

/* ---- zeros ---- */

/* Values below 0; at an end of the list one that is 0 counts, too. */
static int count_below(const lm_still *s, int end)
{
    double none = NOTHING * s->speed * s->speed;
    int n = 0;
    while (n < s->n && s->lambda[n] < (end ? none : -none)) n++;
    return n;
}

/* A zero of value j between two speeds where it has other signs: false position, the end that stays
 * halved. *at: it. */
static limber_status zero(lm_campbell *c, int j, const double speed[2], double *at)
{
    double x[2] = {speed[0], speed[1]}, f[2] = {0}, w = x[1];
    limber_status st = LIMBER_OK;
    int stays = -1;
    for (int e = 0; e < 2 && !st; e++) {
        st = lm_campbell_still(c, x[e]);
        if (st) return st;
        f[e] = c->still.lambda[j];
        *at = x[e];
        if (fabs(f[e]) <= NOTHING * x[e] * x[e]) return st;
    }
    if (f[0] * f[1] > 0) return st;
    for (int k = 0; k < STEPS && fabs(x[1] - x[0]) > CLOSE * fabs(w); k++) {
        double last = w;
        w = x[1] - f[1] * (x[1] - x[0]) / (f[1] - f[0]);
        if (k % 6 == 5) w = 0.5 * (x[0] + x[1]);
        st = lm_campbell_still(c, w);
        if (st) return st;
        double g = c->still.lambda[j];
        int side = (g > 0) == (f[1] > 0);
        x[side] = w, f[side] = g;
        if (side == stays) f[!side] *= 0.5;
        stays = side;
        if (g == 0 || fabs(w - last) < CLOSE * fabs(w)) break;
    }
    *at = w;
    return st;
}

/* ---- what passes there ---- */

/* Shape j of the last values into c->still.x, x = T x/theta: with what has no mass as the stiffness has it. */
static void shape(lm_campbell *c, int j)
{
    lm_still *s = &c->still;
    lm_dense_mul(c->sys->nv, 1, s->basis, s->TV, s->small + s->basis * j, s->x);
    for (int i = 0; i < c->sys->nv; i++) s->x[i] *= s->lambda[j] + s->rho;
}

static double likeness(const lm_campbell *c, const double *x, const double *y)
{
    const lm_still *s = &c->still;
    size_t nv = (size_t)c->sys->nv;
    double a = dot(s->w, x, nv), b = dot(s->w, y, nv);
    return a * a + b * b;
}

/* The root that is most like the shape x. s->w: M x. */
static int root_like(const lm_campbell *c)
{
    int best = -1;
    double most = 0;
    for (int r = 0; r < c->spectrum.found; r++) {
        const lm_root *root = &c->spectrum.root[r];
        double like = likeness(c, root->x, root->y) / (1 + hypot(root->re, root->im));
        if (like > most) most = like, best = r;
    }
    return best;
}

/* The frequency of a root with the sign of its energy, as Krein has it:
 * Im z^H (2 s M + C) z: below the critical speed it is positive, beyond it negative. */
static double signed_frequency(const lm_campbell *c, const lm_root *r)
{
    lm_still *s = (lm_still *)&c->still;
    size_t nv = (size_t)c->sys->nv;
    const lm_pencil *p = &c->steady.pencil;
    double sign = 2 * r->im * (dot(r->x, r->Mx, nv) + dot(r->y, r->My, nv));
    double *Cx = s->V; /* the basis is not needed any more */
    memset(Cx, 0, sizeof(double) * nv);
    lm_pencil_mul(p, p->C, 1, r->y, Cx);
    sign += dot(r->x, Cx, nv);
    memset(Cx, 0, sizeof(double) * nv);
    lm_pencil_mul(p, p->C, 1, r->x, Cx);
    sign -= dot(r->y, Cx, nv);
    return copysign(r->im, sign);
}

/* *root: the one that passes; *f: its frequency with a sign. */
static limber_status look(lm_campbell *c, double speed, int *root, double *f)
{
    limber_status st = lm_campbell_roots(c, speed);
    *root = st ? -1 : root_like(c);
    *f = *root < 0 ? 0 : signed_frequency(c, &c->spectrum.root[*root]);
    return st;
}

/* How far the part of K that is not symmetric moves value j at the last speed: k^2/lambda_i of its coupling k
 * with shape i, of a value that is nearly the same at most k. (K of a rotor whose unbalance is taken back is not
 * symmetric by its residual moments, which move nothing.) */
static double skew_effect(lm_campbell *c, int j)
{
    lm_still *s = &c->still;
    const lm_pencil *p = &c->steady.pencil;
    size_t nv = (size_t)c->sys->nv;
    double *in = s->V, effect = 0; /* the basis is not needed any more */
    shape(c, j);
    memset(s->w, 0, sizeof(double) * nv);
    lm_pencil_mul(p, p->K, 1, s->x, s->w);
    lm_pencil_mul(p, p->C, -1, s->x, s->w);
    lm_dense_tmul(s->basis, 1, (int)nv, s->TV, s->w, in);
    for (int i = 0; i < s->n; i++) {
        double k =
            fabs((s->lambda[i] + s->rho) * dot(in, s->small + s->basis * i, (size_t)s->basis));
        double far = fabs(s->lambda[i] - s->lambda[j]);
        effect = fmax(effect, k < far ? k * k / far : k);
    }
    return effect;
}

/* With damping the root has no frequency a little beside the zero of the value. */
static limber_status polish(lm_campbell *c, double *speed, double skew, int *root)
{
    double w0 = *speed, w1 = w0 * (1 + 1e-5), f0, f1;
    limber_status st = look(c, w0, root, &f0);
    if (st || *root < 0 || fabs(f0) < LM_CAMPBELL_ZERO * c->spectrum.sigma) return st;
    if (skew <= SYMMETRIC * w0 * w0) return st; /* the matrix is singular there, and the root 0 */
    for (int k = 0; k < SECANTS; k++) {
        st = look(c, w1, root, &f1);
        if (st || *root < 0 || f1 == f0) return st;
        double next = w1 - f1 * (w1 - w0) / (f1 - f0);
        if (!(fabs(next - *speed) < 0.1 * fabs(*speed))) return st;
        w0 = w1, f0 = f1, w1 = next;
        if (fabs(w1 - w0) < CLOSE * fabs(w1)) break;
    }
    *speed = w1;
    return st;
}

/* The branch that has the shape and is near 0: the shape at rest is one of both senses of whirl. */
static int branch_like(const lm_campbell *c)
{
    int best = 0;
    double most = -1;
    for (int t = 0; t < c->ntracks; t++) {
        const lm_track *k = &c->track[t];
        double like = likeness(c, k->x, k->y), far = hypot(k->re, k->im);
        like = k->number < 0 ? -1 : like * like / (far + 1e-3 * c->spectrum.sigma);
        if (like > most) most = like, best = k->number;
    }
    return best;
}

static limber_status found(lm_campbell *c, int j, double speed)
{
    lm_still *s = &c->still;
    int root;
    double skew = skew_effect(c, j);
    shape(c, j);
    memset(s->w, 0, sizeof(double) * (size_t)c->sys->nv);
    lm_pencil_mul(&c->steady.pencil, c->steady.pencil.M, 1, s->x, s->w);
    int branch = branch_like(c);
    limber_status st = polish(c, &speed, skew, &root);
    for (int i = 0; i < c->ncritical; i++) /* of two values that unbalance made unequal */
        if (fabs(c->critical[i].speed - speed) < SAME * fabs(speed) && c->critical[i].whirl >= 0)
            return st;
    if (!st && c->fixed && root >= 0 && !c->across[root]) return st;
    if (!st && root >= 0 && !lm_campbell_takes_part(c, root)) return st; /* of what stands still */
    if (!st) /* what rests in the rotor goes forward */
        lm_campbell_keep_critical(c, branch, speed, root < 0 ? 0 : fabs(c->whirl[root]),
                                  skew <= SYMMETRIC * speed * speed);
    return st;
}

/* What rounding makes of value j at the last speed: eps |x| |K| |x|. */
static double rounding(lm_campbell *c, int j)
{
    const lm_pencil *p = &c->steady.pencil;
    const lm_pattern *w = &p->pattern;
    double sum = 0;
    shape(c, j);
    for (int col = 0; col < c->sys->nv; col++)
        for (int k = w->colptr[col]; k < w->colptr[col + 1] && w->rowind[k] < c->sys->nv; k++)
            sum += fabs(c->still.x[w->rowind[k]] * p->C[k] * c->still.x[col]);
    return DBL_EPSILON * sum;
}

/* 1: the next value, too, is 0 at the last speed, as those of a round rotor are. */
static int double_zero(lm_campbell *c, int j)
{
    const lm_still *s = &c->still;
    double none = fmax(2 * SAME * s->speed * s->speed, 10 * rounding(c, j + 1));
    return fabs(s->lambda[j + 1]) < none;
}

/* ||T x - theta x|| over theta of value j at the last speed, in the product with M. */
static double residual(lm_campbell *c, int j)
{
    lm_still *s = &c->still;
    const lm_pencil *p = &c->steady.pencil;
    size_t nv = (size_t)c->sys->nv;
    double *r = s->V; /* the basis is not needed any more */
    shape(c, j);
    memset(s->w, 0, sizeof(double) * nv);
    lm_pencil_mul(p, p->M, 1, s->x, s->w);
    solve(c, s->w, r);
    for (size_t i = 0; i < nv; i++) r[i] = (s->lambda[j] + s->rho) * r[i] - s->x[i];
    memset(s->w, 0, sizeof(double) * nv);
    lm_pencil_mul(p, p->M, 1, r, s->w);
    return sqrt(fmax(0, dot(r, s->w, nv)));
}

/* 1: the last speed, at which a value has another sign than beside it, is a zero of it, not a jump. */
static int holds(lm_campbell *c, int j)
{
    const lm_still *s = &c->still;
    if (j >= s->n) return 0;
    double less = 100 * rounding(c, j), none = SAME * s->speed * s->speed + less;
    return fabs(s->lambda[j]) <= none && residual(c, j) <= SAME + less / s->rho;
}

/* All zeros of values between the last speed and speed k of the list. */
static limber_status between(lm_campbell *c, int k, int n0, int n1)
{
    double speed[2] = {c->speed[k - 1], c->speed[k]}, at;
    double most = largest_speed(c);
    int low = n0 < n1 ? n0 : n1, high = n0 < n1 ? n1 : n0;
    limber_status st = LIMBER_OK;
    for (int j = low, next; j < high && !st; j = next) {
        st = zero(c, j, speed, &at);
        if (!st && c->still.speed != at) st = lm_campbell_still(c, at);
        for (next = j + 1; !st && next < high && double_zero(c, next - 1);) next++;
        if (st || fabs(at) <= SAME * most) continue;
        if (holds(c, j))
            st = found(c, j, at);
        else
            c->unclear = fmax(c->unclear, fabs(at));
    }
    return st;
}

/* 1: value j at the last speed is 0 but for rounding. */
static int is_zero(lm_campbell *c, int j)
{
    double W2 = c->still.speed * c->still.speed, value = fabs(c->still.lambda[j]);
    return value <= NOTHING * W2 || value <= 100 * rounding(c, j);
}

/* Shapes at rest that nothing holds, whatever the speed: what turns freely about its own axis. Their values
 * are 0 but for rounding, of either sign. They are told at two speeds. */
static limber_status find_loose(lm_campbell *c)
{
    lm_still *s = &c->still;
    double range = c->speed[c->nspeeds - 1] - c->speed[0], at[2];
    size_t nv = (size_t)c->sys->nv;
    int n = LM_CAMPBELL_LOOSE;
    for (int e = 0; e < 2; e++) at[e] = c->speed[0] + range * (e ? 0.0137 : 0.0059);
    for (int e = 0; e < 2; e++) {
        limber_status st = lm_campbell_still(c, at[e]);
        int zeros = 0;
        if (st) return st;
        for (int j = 0; j < s->n && zeros < n; j++) {
            if (!is_zero(c, j)) continue;
            shape(c, j);
            double *to = s->loose + nv * (size_t)zeros++;
            memset(to, 0, sizeof(double) * nv);
            lm_pencil_mul(&c->steady.pencil, c->steady.pencil.M, 1, s->x, to);
        }
        n = zeros;
    }
    s->nloose = n;
    return LIMBER_OK;
}

limber_status lm_campbell_find_still(lm_campbell *c, int k)
{
    limber_status st = k == 0 && c->nspeeds > 1 ? find_loose(c) : LIMBER_OK;
    if (!st) st = lm_campbell_still(c, c->speed[k]);
    if (st) return st;
    int was = c->still.below, now = count_below(&c->still, k > 0 && k == c->nspeeds - 1);
    if (k == 0 && c->nspeeds == 1) return LIMBER_OK;
    if (k > 0 && now != was) st = between(c, k, was, now);
    c->still.below = now;
    return st;
}
