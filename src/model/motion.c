/* Where the bodies of a model with `coordinates` stand as drawn: their frame products at the initial
 * values of the coordinates and t = 0. */
#include "model/reader.h"

#include "model/pose.h"

typedef struct drawing {
    const lm_spec *spec;
    const limber_pose *external; /* of the frames that a C function gives */
    double *slots, *scratch;
} drawing;

static double value(const drawing *d, const lm_expr *e, double sign)
{
    return sign * (e->constant ? e->value : lm_expr_eval(e, d->slots, d->scratch));
}

static void apply(const drawing *d, int product, int inverse, lm_pose *p);

static void apply_factor(const drawing *d, const lm_factor *f, int inverse, lm_pose *p)
{
    double sign = inverse ^ f->inverse ? -1 : 1, by[3];
    lm_v3 axis =
        v3(f->kind == LM_FACTOR_ROTX, f->kind == LM_FACTOR_ROTY, f->kind == LM_FACTOR_ROTZ);
    if (f->kind == LM_FACTOR_FRAME) {
        apply(d, f->frame, inverse ^ f->inverse, p);
        return;
    }
    if (f->kind == LM_FACTOR_DISP) {
        for (int k = 0; k < 3; k++) by[k] = value(d, &f->arg[k], sign);
        p->x = v3_add(p->x, m3_v(&p->R, v3_from(by)));
        return;
    }
    if (f->kind == LM_FACTOR_ROT) axis = v3_from(f->axis);
    lm_m3 Q = lm_rot_axis_angle(axis, value(d, &f->arg[0], sign));
    p->R = m3_mul(&p->R, &Q);
}

static void apply_external(const limber_pose *given, int inverse, lm_pose *p)
{
    lm_pose by = lm_pose_from(given);
    if (inverse) by = lm_pose_inverse(&by);
    *p = lm_pose_mul(p, &by);
}

static void apply(const drawing *d, int product, int inverse, lm_pose *p)
{
    const lm_product *x = &d->spec->products.at[product];
    if (x->external) apply_external(&d->external[x->external - 1], inverse, p);
    for (int k = 0; k < x->nfactors; k++)
        apply_factor(d, &x->factors[inverse ? x->nfactors - 1 - k : k], inverse, p);
}

static lm_pose at_start(const drawing *d, int product)
{
    lm_pose p = {v3(0, 0, 0), m3_identity()};
    apply(d, product, 0, &p);
    return p;
}

static lm_spec_pose to_spec(const lm_pose *p)
{
    lm_spec_pose out = {.axis = {0, 0, 1}};
    lm_v3 turn = lm_quat_log(lm_quat_from_m3(&p->R));
    v3_put(out.position, p->x);
    out.angle = v3_norm(turn);
    if (out.angle > 0) v3_put(out.axis, turn);
    return out;
}

/* The body frame of a superelement stands where its first node says. */
static lm_pose body_of(const lm_spec_node *n, const lm_pose *first)
{
    lm_m3 E = lm_rot_axis_angle(v3_from(n->pose.axis), n->pose.angle), Et = m3_t(&E);
    lm_pose p = {.R = m3_mul(&first->R, &Et)};
    p.x = v3_sub(first->x, m3_v(&p.R, v3_from(n->pose.position)));
    return p;
}

static void draw_body(const drawing *d, lm_spec_body *b)
{
    if (b->type == LM_BODY_RIGID && b->motion >= 0) {
        lm_pose p = at_start(d, b->motion);
        b->pose = to_spec(&p);
    }
    if (b->type != LM_BODY_SUPERELEMENT || !b->nnodes || b->nodes[0].motion < 0) return;
    for (int k = 0; k < b->nnodes; k++) {
        lm_pose p = at_start(d, b->nodes[k].motion);
        b->nodes[k].drawn = to_spec(&p);
        if (k > 0) continue;
        lm_pose body = body_of(&b->nodes[0], &p);
        b->pose = to_spec(&body);
    }
    if (b->frame_product < 0) return;
    lm_pose frame = at_start(d, b->frame_product);
    b->frame_drawn = to_spec(&frame);
}

static int scratch_size(const lm_spec *spec)
{
    int most = 1;
    for (int i = 0; i < spec->products.n; i++)
        for (int k = 0; k < spec->products.at[i].nfactors; k++)
            for (int a = 0; a < 3; a++) {
                int n = lm_expr_scratch(&spec->products.at[i].factors[k].arg[a], 0);
                most = n > most ? n : most;
            }
    return most;
}

void lm_draw_motions(lm_reader *r)
{
    lm_spec *spec = r->spec;
    if (r->diag->errors) return;
    drawing d = {.spec = spec};
    d.slots = LM_NEW_N(&r->scratch, double, 1 + spec->coordinates.n);
    d.scratch = LM_NEW_N(&r->scratch, double, scratch_size(spec));
    for (int i = 0; i < spec->coordinates.n; i++) d.slots[1 + i] = spec->coordinates.at[i].value;
    for (int i = 0; i < spec->initial.n; i++) {
        const lm_spec_initial *in = &spec->initial.at[i];
        if (in->coordinate >= 0 && in->has_value) d.slots[1 + in->coordinate] = in->value;
    }
    d.external = lm_draw_external(r, d.slots);
    if (r->diag->errors) return;
    for (int i = 0; i < spec->bodies.n; i++) draw_body(&d, &spec->bodies.at[i]);
}
