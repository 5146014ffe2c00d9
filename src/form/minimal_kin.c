/* From coordinates to the motion of nodes, and the columns of partial velocities. */
#include "form/minimal.h"

#include <string.h>

/* ---- arguments u(t, q) ---- */

/* Rate of input k of an argument: 1 for the time. */
static double input_rate(const lm_expr *e, int k, const double *v)
{
    return e->inputs[k] == LM_SLOT_T ? 1 : v ? v[e->inputs[k] - 1] : 0;
}

static double input_accel(const lm_expr *e, int k, const double *a)
{
    return e->inputs[k] == LM_SLOT_T || !a ? 0 : a[e->inputs[k] - 1];
}

/* u of one argument, its gradient and Hessian, and the rate of the gradient. */
static double expression(minimal *s, const min_arg *arg, const lm_state *st, double *g, double *dot)
{
    const lm_expr *e = arg->e;
    double *H = s->hess + arg->hess;
    double u = arg->sign * lm_expr_hess(e, s->slots, s->scratch, g, H);
    for (int i = 0; i < e->ninputs; i++) {
        dot[i] = 0;
        g[i] *= arg->sign;
        for (int j = 0; j < e->ninputs; j++) {
            H[e->ninputs * i + j] *= arg->sign;
            dot[i] += H[e->ninputs * i + j] * input_rate(e, j, st->v);
        }
    }
    return u;
}

/* The same of an affine one: the rate of the gradient and the Hessian stay zero from the beginning. */
static void evaluate_affine(minimal *s, int k, const lm_state *st)
{
    const min_arg *arg = &s->arg[k];
    const lm_expr *e = arg->e;
    const double *slope = s->slope + arg->first;
    double *g = s->grad + arg->first, u = arg->offset, du = 0, ddu = 0;
    for (int i = 0; i < e->ninputs; i++) {
        g[i] = slope[i];
        u += slope[i] * s->slots[e->inputs[i]];
        du += slope[i] * input_rate(e, i, st->v);
        ddu += slope[i] * input_accel(e, i, st->a);
    }
    s->p[k] = u, s->du[k] = du, s->ddu[k] = ddu;
}

/* u, du/dt and d2u/dt2 of one argument; its derivatives are kept. */
static void evaluate(minimal *s, int k, const lm_state *st)
{
    const min_arg *arg = &s->arg[k];
    if (arg->affine) {
        evaluate_affine(s, k, st);
        return;
    }
    const lm_expr *e = arg->e;
    double *g = s->grad + arg->first, *dot = s->dot + arg->first;
    s->p[k] =
        arg->external ? minimal_external_argument(s, k, g, dot) : expression(s, arg, st, g, dot);
    s->du[k] = s->ddu[k] = 0;
    for (int i = 0; i < e->ninputs; i++) {
        s->du[k] += g[i] * input_rate(e, i, st->v);
        s->ddu[k] += g[i] * input_accel(e, i, st->a) + dot[i] * input_rate(e, i, st->v);
    }
}

static int arguments(minimal *s, const lm_state *st)
{
    s->slots[LM_SLOT_T] = st->t;
    memcpy(s->slots + 1, st->q, sizeof(double) * (size_t)s->written);
    int bad = s->external.uses.n ? minimal_external_place(s, st) : 0;
    for (int k = 0; k < s->tree.nu && !bad; k++) evaluate(s, k, st);
    return bad;
}

/* d/dq of d2u/dt2 at fixed rates: H a, and the change of dot along the motion. The latter holds third
 * derivatives of the argument, taken as a difference of Hessians. */
static void second_rates(minimal *s, const lm_state *st)
{
    double speed = 0, size = 1;
    for (int i = 0; i < s->written; i++) {
        speed = fmax(speed, st->v ? fabs(st->v[i]) : 0);
        size = fmax(size, fabs(st->q[i]));
    }
    double h = 1e-5 * size / fmax(speed, 1);
    for (int k = 0; k < s->tree.nu; k++) {
        const min_arg *arg = &s->arg[k];
        const lm_expr *e = arg->e;
        int n = e->ninputs;
        double *out = s->next + arg->first, *H = s->hess + arg->hess;
        if (arg->affine) continue; /* they stay zero */
        for (int i = 0; i < n; i++) out[i] = 0;
        if (arg->external) minimal_external_curve(s, k, out);
        for (int side = -1; side <= 1 && !arg->external; side += 2) {
            for (int i = 0; i < n; i++)
                s->slots[e->inputs[i]] += side * h * input_rate(e, i, st->v);
            lm_expr_hess(e, s->slots, s->scratch, s->hess_low + n * n, s->hess_low);
            for (int i = 0; i < n; i++)
                s->slots[e->inputs[i]] =
                    e->inputs[i] == LM_SLOT_T ? st->t : st->q[e->inputs[i] - 1];
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++)
                    out[i] += side * arg->sign / (2 * h) * s->hess_low[n * i + j] *
                              input_rate(e, j, st->v);
        }
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) out[i] += H[n * i + j] * input_accel(e, j, st->a);
    }
}

/* ---- motion ---- */

int minimal_place(minimal *s, const lm_state *st)
{
    int bad = s->written ? arguments(s, st) : 0;
    s->t = st->t;
    s->sys.in_trouble = bad && s->sys.trouble[0];
    if (bad) return bad;
    const double *p = s->written ? s->p : st->q;
    const double *du = s->written ? s->du : st->v, *ddu = s->written ? s->ddu : st->a;
    lm_kintree_move(&s->tree, p, du, ddu);
    for (int n = 0; n < s->m->nnodes; n++) {
        lm_kintree_tip_motion(&s->tree, n, &s->moved.tip[n]);
        moved_put(&s->moved, n);
    }
    moved_enter(&s->moved, st);
    s->in->coordinate = s->written ? st->q : NULL;
    s->in->coordinate_rate = s->written ? st->v : NULL;
    return 0;
}

int minimal_enter(minimal *s, const lm_state *st, lm_state *inner)
{
    *inner = moved_inner(&s->moved, st);
    return minimal_place(s, st);
}

/* ---- columns ---- */

static void add(double *to, double f, const double *from)
{
    for (int i = 0; i < 6; i++) to[i] += f * from[i];
}

void minimal_partials(minimal *s)
{
    for (int n = 0; n < s->m->nnodes; n++) {
        const lm_tip *tip = &s->tree.tips.at[n];
        lm_jet *jets = s->moved.jets + s->moved.node[n].first;
        if (s->written)
            for (int k = 0; k < s->moved.node[n].n; k++) memset(jets[k].X, 0, sizeof jets[k].X);
        for (int k = 0; k < tip->n; k++) {
            const lm_column *c = &s->tree.columns.at[tip->first + k];
            double X[6];
            lm_kintree_partial(&s->tree, c, &s->moved.tip[n], s->written ? X : jets[k].X);
            if (!s->written) continue;
            const int *at = s->input_at + s->input_first[tip->first + k];
            for (int i = 0; i < s->arg[c->u].e->ninputs; i++)
                if (at[i] >= 0) add(jets[at[i]].X, s->grad[s->arg[c->u].first + i], X);
        }
    }
}

/* V = sum X_u du, A = sum X_u ddu + ..., and u is a function of q:
 *     dV/dq = Xv u' + X u'.            dA/dq = Xa u' + Xc u'. + X d(ddu)/dq
 *     dA/dv = Xc u' + 2 X u'.          u' = du/dq, u'. its rate */
static void written_jet(minimal *s, const lm_column *c, const lm_jet *u, lm_jet *jets,
                        const int *at)
{
    const min_arg *arg = &s->arg[c->u];
    for (int i = 0; i < arg->e->ninputs; i++) {
        if (at[i] < 0) continue;
        double g = s->grad[arg->first + i], dot = s->dot[arg->first + i];
        lm_jet *j = &jets[at[i]];
        add(j->X, g, u->X);
        add(j->Xv, g, u->Xv);
        add(j->Xa, g, u->Xa);
        add(j->Xc, g, u->Xc);
        if (arg->affine) continue;
        add(j->Xv, dot, u->X);
        add(j->Xa, dot, u->Xc);
        add(j->Xa, s->next[arg->first + i], u->X);
        add(j->Xc, 2 * dot, u->X);
    }
}

int minimal_jets(minimal *s, const lm_state *st)
{
    int bad = s->external.uses.n ? minimal_external_hessians(s) : 0;
    if (bad) return bad;
    if (s->written) second_rates(s, st);
    for (int n = 0; n < s->m->nnodes; n++) {
        const lm_tip *tip = &s->tree.tips.at[n];
        lm_jet *jets = s->moved.jets + s->moved.node[n].first;
        if (s->written) memset(jets, 0, sizeof *jets * (size_t)s->moved.node[n].n);
        for (int k = 0; k < tip->n; k++) {
            const lm_column *c = &s->tree.columns.at[tip->first + k];
            lm_jet u;
            lm_kintree_jet(&s->tree, c, &s->moved.tip[n], s->written ? &u : &jets[k]);
            if (s->written)
                written_jet(s, c, &u, jets, s->input_at + s->input_first[tip->first + k]);
        }
    }
    return 0;
}
