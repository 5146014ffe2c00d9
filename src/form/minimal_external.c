/* Frames that a C function gives. Such a frame is three slides and three turns whose arguments u(t, q)
 * are known by their values only: the place, and the small angles of
 *
 *     R(t, q) = R0 rotx(u4) roty(u5) rotz(u6),     R0 the attitude at the state itself,
 *
 * which are zero there, so that no attitude is singular. First derivatives are those that the user
 * supplies, or differences of poses; all higher ones are differences of the first, by
 *
 *     f'  = (8 (f1 - f-1) - (f2 - f-2)) / 12 h                    of fourth order
 *     f'' = (16 (f1 + f-1) - (f2 + f-2) - 30 f0) / 12 h^2         (docs/theory/minimal.md). */
#include "form/minimal.h"
#include "model/pose.h"

#include <string.h>

enum { SIX = 6, AROUND = 4 };

static const int away[AROUND] = {-2, -1, 1, 2};

/* Steps as parts of the scales. Errors are h^4/30 and rounding/h; differences of poses are rounded
 * more, so differences of them take longer steps. */
static const double PARTIAL_STEP = 1e-3, NESTED_STEP = 4e-3;

static double first_difference(const double f[AROUND], double h)
{
    return (8 * (f[2] - f[1]) - (f[3] - f[0])) / (12 * h);
}

static double second_difference(const double f[AROUND], double f0, double h)
{
    return (16 * (f[2] + f[1]) - (f[3] + f[0]) - 30 * f0) / (12 * h * h);
}

/* ---- arguments of one pose ---- */

static lm_pose pose_of_use(const min_use *use, const limber_pose *pose)
{
    lm_pose at = lm_pose_from(&pose[use->frame]);
    return use->inverse ? lm_pose_inverse(&at) : at;
}

/* Q = rotx(a) roty(b) rotz(c), angles below a right one. */
static lm_v3 small_angles(const lm_m3 *Q)
{
    return v3(atan2(-Q->m[7], Q->m[8]), asin(fmax(-1, fmin(1, Q->m[6]))), atan2(-Q->m[3], Q->m[0]));
}

/* Their rates when Q turns with w, which is seen from where Q is the identity. */
static lm_v3 angle_rates(lm_v3 angles, lm_v3 w)
{
    double ca = cos(angles.x), sa = sin(angles.x), cb = cos(angles.y), sb = sin(angles.y);
    double c = (ca * w.z - sa * w.y) / cb;
    return v3(w.x - sb * c, ca * w.y + sa * w.z, c);
}

static void arguments_of_use(const min_use *use, const limber_pose *pose, double *u)
{
    lm_pose at = pose_of_use(use, pose);
    lm_m3 Q = m3_tmul(&use->R0, &at.R);
    v3_put(u, at.x);
    v3_put(u + 3, small_angles(&Q));
}

/* ... and their rates with a twist. Of the inverse, x' = -R^T x: d(x') = -R^T (v - w x x), and the turn
 * is -R^T w. */
static void rates_of_use(const min_use *use, const limber_pose *pose, const limber_twist *twist,
                         double *du)
{
    lm_v3 v = v3_from(twist->linear), w = v3_from(twist->angular);
    lm_pose at = pose_of_use(use, pose);
    if (use->inverse) { /* at.R is R^T already */
        v = v3_neg(m3_v(&at.R, v3_sub(v, v3_cross(w, v3_from(pose[use->frame].position)))));
        w = v3_neg(m3_v(&at.R, w));
    }
    lm_m3 Q = m3_tmul(&use->R0, &at.R);
    v3_put(du, v);
    v3_put(du + 3, angle_rates(small_angles(&Q), m3_tv(&use->R0, w)));
}

/* ---- the function at a state ---- */

/* A smaller step may do. */
static int fail(minimal *s)
{
    s->sys.trouble_at = s->slots[LM_SLOT_T];
    return 1;
}

static int call_pose(minimal *s)
{
    min_external *x = &s->external;
    int bad = lm_external_poses(s->m->spec, x->slot[LM_SLOT_T], x->slot + 1, x->pose,
                                s->sys.trouble, sizeof s->sys.trouble);
    return bad ? fail(s) : 0;
}

static int call_partial(minimal *s)
{
    min_external *x = &s->external;
    int bad = lm_external_partials(s->m->spec, x->slot[LM_SLOT_T], x->slot + 1, x->twist,
                                   s->sys.trouble, sizeof s->sys.trouble);
    return bad ? fail(s) : 0;
}

int minimal_external_u(minimal *s, double *u)
{
    min_external *x = &s->external;
    int bad = call_pose(s);
    for (int k = 0; k < x->uses.n && !bad; k++)
        arguments_of_use(&x->uses.at[k], x->pose, u + SIX * k);
    return bad;
}

/* du/d(input k), all rows, by differences of poses. */
static int difference_poses(minimal *s, int k, double *G)
{
    min_external *x = &s->external;
    int rows = SIX * x->uses.n;
    double *slot = &x->slot[x->in[k]], keep = *slot, h = MINIMAL_POSE_STEP * x->scale[k];
    int bad = 0;
    for (int j = 0; j < AROUND && !bad; j++) {
        *slot = keep + away[j] * h;
        bad = minimal_external_u(s, x->u + rows * j);
    }
    *slot = keep;
    for (int r = 0; r < rows && !bad; r++) {
        double f[AROUND];
        for (int j = 0; j < AROUND; j++) f[j] = x->u[rows * j + r];
        G[x->nin * r + k] = first_difference(f, h);
    }
    return bad;
}

static int gradient_by_differences(minimal *s, double *G)
{
    int bad = 0;
    for (int k = 0; k < s->external.nin && !bad; k++) bad = difference_poses(s, k, G);
    return bad;
}

static int gradient_by_partials(minimal *s, double *G)
{
    min_external *x = &s->external;
    int bad = call_pose(s), columns = s->written + 1;
    if (!bad) bad = call_partial(s);
    for (int i = 0; i < x->uses.n && !bad; i++)
        for (int k = 0; k < x->nin; k++) {
            const min_use *use = &x->uses.at[i];
            int column = x->in[k] == LM_SLOT_T ? s->written : x->in[k] - 1;
            double du[SIX];
            rates_of_use(use, x->pose, &x->twist[columns * use->frame + column], du);
            for (int c = 0; c < SIX; c++) G[x->nin * (SIX * i + c) + k] = du[c];
        }
    return bad;
}

int minimal_external_gradient(minimal *s, int partials, double *G)
{
    return partials ? gradient_by_partials(s, G) : gradient_by_differences(s, G);
}

static int gradient(minimal *s, double *G)
{
    return minimal_external_gradient(s, s->m->spec->kinematics.partial != NULL, G);
}

/* Gradients at four places in the direction w [nin] through the state, h apart. */
static int gradients_around(minimal *s, const double *w, double h)
{
    min_external *x = &s->external;
    int size = SIX * x->uses.n * x->nin, bad = 0;
    for (int j = 0; j < AROUND && !bad; j++) {
        for (int k = 0; k < x->nin; k++)
            x->slot[x->in[k]] = s->slots[x->in[k]] + away[j] * h * w[k];
        bad = gradient(s, x->near + size * j);
    }
    for (int k = 0; k < x->nin; k++) x->slot[x->in[k]] = s->slots[x->in[k]];
    return bad;
}

static void gather_around(const min_external *x, int i, double f[AROUND])
{
    int size = SIX * x->uses.n * x->nin;
    for (int j = 0; j < AROUND; j++) f[j] = x->near[size * j + i];
}

static double outer_step(const minimal *s)
{
    return s->m->spec->kinematics.partial ? PARTIAL_STEP : NESTED_STEP;
}

/* ---- at a state ---- */

/* The attitude of each use becomes the one from which its angles are counted. */
int minimal_external_take(minimal *s)
{
    min_external *x = &s->external;
    memcpy(x->slot, s->slots, sizeof(double) * (size_t)(1 + s->written));
    int bad = call_pose(s);
    for (int i = 0; i < x->uses.n && !bad; i++) {
        min_use *use = &x->uses.at[i];
        lm_pose at = pose_of_use(use, x->pose);
        use->x0 = at.x;
        use->R0 = at.R;
        s->tree.links.at[use->turn].E = use->R0;
        s->tree.links.at[use->turn].straight = 0;
    }
    return bad;
}

/* Rate of the gradient along the motion, H w, and its second rate at constant rates. */
static int rates_along(minimal *s, const double *v)
{
    min_external *x = &s->external;
    int size = SIX * x->uses.n * x->nin;
    double speed = 0;
    memset(x->dot, 0, sizeof(double) * (size_t)size);
    memset(x->curve, 0, sizeof(double) * (size_t)size);
    for (int k = 0; k < x->nin; k++) {
        x->w[k] = x->in[k] == LM_SLOT_T ? 1 : v[x->in[k] - 1];
        speed = fmax(speed, fabs(x->w[k]) / x->scale[k]);
    }
    if (!(speed > 0)) return 0;
    double h = outer_step(s) / speed;
    int bad = gradients_around(s, x->w, h);
    for (int i = 0; i < size && !bad; i++) {
        double f[AROUND];
        gather_around(x, i, f);
        x->dot[i] = first_difference(f, h);
        x->curve[i] = second_difference(f, x->G[i], h);
    }
    return bad;
}

/* 1: this is the state that was looked at last; residual, matrix and results often ask in turn. */
static int is_known(const minimal *s, const double *v)
{
    const min_external *x = &s->external;
    size_t size = sizeof(double) * (size_t)s->written;
    return x->known > (v != NULL) && !memcmp(x->last, s->slots, size + sizeof(double)) &&
           (!v || !memcmp(x->last_v, v, size));
}

int minimal_external_place(minimal *s, const lm_state *st)
{
    min_external *x = &s->external;
    size_t size = sizeof(double) * (size_t)s->written;
    if (is_known(s, st->v)) return 0;
    x->known = 0;
    int bad = minimal_external_take(s);
    if (!bad) bad = gradient(s, x->G);
    if (!bad && st->v) bad = rates_along(s, st->v);
    if (bad) return bad;
    memcpy(x->last, s->slots, size + sizeof(double));
    if (st->v) memcpy(x->last_v, st->v, size);
    x->known = st->v ? 2 : 1;
    return 0;
}

double minimal_external_argument(const minimal *s, int u, double *grad, double *dot)
{
    const min_arg *arg = &s->arg[u];
    const min_external *x = &s->external;
    int row = arg->external - 1;
    for (int i = 0; i < arg->e->ninputs; i++) {
        int at = x->nin * row + x->at[arg->e->inputs[i]];
        grad[i] = x->G[at];
        dot[i] = x->dot[at];
    }
    return row % SIX < 3 ? v3_get(x->uses.at[row / SIX].x0, row % SIX) : 0;
}

void minimal_external_curve(const minimal *s, int u, double *out)
{
    const min_arg *arg = &s->arg[u];
    const min_external *x = &s->external;
    for (int i = 0; i < arg->e->ninputs; i++)
        out[i] = x->curve[x->nin * (arg->external - 1) + x->at[arg->e->inputs[i]]];
}

/* ---- Hessians ---- */

/* Column l of all Hessians; half of it as a row too, because it is symmetric. */
static void spread_column(minimal *s, int l, double h)
{
    const min_external *x = &s->external;
    for (int u = 0; u < s->tree.nu; u++) {
        const min_arg *arg = &s->arg[u];
        int n = arg->e->ninputs, col = -1;
        for (int i = 0; i < n; i++)
            if (arg->e->inputs[i] == x->in[l]) col = i;
        if (!arg->external || col < 0) continue;
        for (int i = 0; i < n; i++) {
            double f[AROUND], *H = s->hess + arg->hess;
            gather_around(x, x->nin * (arg->external - 1) + x->at[arg->e->inputs[i]], f);
            double half = 0.5 * first_difference(f, h);
            H[n * i + col] += half;
            H[n * col + i] += half;
        }
    }
}

int minimal_external_hessians(minimal *s)
{
    min_external *x = &s->external;
    int bad = 0;
    for (int u = 0; u < s->tree.nu; u++) {
        int n = s->arg[u].e->ninputs;
        if (s->arg[u].external)
            memset(s->hess + s->arg[u].hess, 0, sizeof(double) * (size_t)(n * n));
    }
    for (int l = 0; l < x->nin && !bad; l++) {
        double h = outer_step(s) * x->scale[l];
        for (int k = 0; k < x->nin; k++) x->w[k] = k == l;
        bad = gradients_around(s, x->w, h);
        if (!bad) spread_column(s, l, h);
    }
    return bad;
}
