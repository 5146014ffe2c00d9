/* Frames that a C function gives: room for them, the scales of their coordinates, and what is looked at
 * before they are believed. */
#include "form/minimal.h"

#include <string.h>

static const lm_product *product_of(const minimal *s, const min_use *use)
{
    return &s->m->spec->products.at[use->product];
}

static double size_of(const minimal *s) { return s->m->size > 0 ? s->m->size : 1; }

/* ---- room ---- */

/* The slots that any of the frames depends on. */
static void list_inputs(minimal *s)
{
    min_external *x = &s->external;
    for (int i = 0; i <= s->written; i++) x->at[i] = -1;
    for (int k = 0; k < x->uses.n; k++) {
        const lm_product *p = product_of(s, &x->uses.at[k]);
        for (int i = 0; i < p->ninputs; i++) x->at[p->inputs[i]] = 0;
    }
    for (int i = 0; i <= s->written; i++)
        if (x->at[i] == 0) {
            x->at[i] = x->nin;
            x->in[x->nin++] = i;
        }
}

static int reserve(minimal *s)
{
    min_external *x = &s->external;
    lm_arena *a = &s->arena;
    int frames = s->m->spec->nexternal, slots = 1 + s->written, rows = 6 * x->uses.n;
    x->slot = LM_NEW_N(a, double, slots);
    x->in = LM_NEW_N(a, int, slots);
    x->at = LM_NEW_N(a, int, slots);
    x->last = LM_NEW_N(a, double, slots);
    x->last_v = LM_NEW_N(a, double, slots);
    x->pose = LM_NEW_N(a, limber_pose, 2 * frames);
    x->twist = LM_NEW_N(a, limber_twist, slots * frames);
    x->u = LM_NEW_N(a, double, 4 * rows);
    if (!x->slot || !x->in || !x->at || !x->last || !x->last_v || !x->pose || !x->twist || !x->u)
        return -1;
    list_inputs(s);
    x->scale = LM_NEW_N(a, double, x->nin);
    x->turns = LM_NEW_N(a, unsigned char, x->nin);
    x->w = LM_NEW_N(a, double, x->nin);
    x->G = LM_NEW_N(a, double, rows * x->nin);
    x->dot = LM_NEW_N(a, double, rows * x->nin);
    x->curve = LM_NEW_N(a, double, rows * x->nin);
    x->near = LM_NEW_N(a, double, 4 * rows * x->nin);
    return x->scale && x->turns && x->w && x->G && x->dot && x->curve && x->near ? 0 : -1;
}

/* ---- scales ---- */

/* How fast the frames move (in sizes of the model) and turn with input k at the start. */
static int speeds(minimal *s, int k, double *moves, double *turns)
{
    min_external *x = &s->external;
    int rows = 6 * x->uses.n, bad = 0;
    double *slot = &x->slot[x->in[k]], keep = *slot, h = 1e-6 * fmax(1, fabs(keep));
    *moves = *turns = 0;
    for (int side = 0; side < 2 && !bad; side++) {
        *slot = keep + (side ? h : -h);
        bad = minimal_external_u(s, x->u + rows * side);
    }
    *slot = keep;
    for (int r = 0; r < rows && !bad; r += 3) {
        double d = v3_norm(v3_sub(v3_from(x->u + rows + r), v3_from(x->u + r))) / (2 * h);
        if (r % 6 == 0)
            *moves = fmax(*moves, d / size_of(s));
        else
            *turns = fmax(*turns, d);
    }
    return bad;
}

/* The user's scales, or those of the frames' own motion. 1: the function failed; 2: an error. */
static int choose_scales(minimal *s, lm_diag *diag)
{
    min_external *x = &s->external;
    const double *given = s->m->spec->kinematics.scale;
    for (int k = 0; k < x->nin; k++) {
        double moves, turns;
        if (speeds(s, k, &moves, &turns)) return 1;
        x->turns[k] = turns > 1e-6;
        x->scale[k] = 1 / fmax(1, fmax(moves, turns));
        if (!given) continue;
        x->scale[k] = given[x->in[k] == LM_SLOT_T ? s->written : x->in[k] - 1];
        if (x->scale[k] > 0 && isfinite(x->scale[k])) continue;
        lm_error(diag, product_of(s, &x->uses.at[0])->item.loc,
                 "a scale of the C function is %g: it must be positive", x->scale[k]);
        return 2;
    }
    return 0;
}

/* ---- checks ---- */

static const char *input_name(const minimal *s, int slot)
{
    return slot == LM_SLOT_T ? "t" : s->m->spec->coordinates.at[slot - 1].item.name;
}

static double moved(const minimal *s, const limber_pose *a, const limber_pose *b)
{
    double most = 0;
    for (int i = 0; i < 3; i++) most = fmax(most, fabs(a->position[i] - b->position[i]));
    most /= size_of(s);
    for (int i = 0; i < 9; i++) most = fmax(most, fabs(a->rotation[i] - b->rotation[i]));
    return most;
}

/* A frame that moves with something that its list leaves out would be wrong without a word. */
static void refuse_unlisted(minimal *s, lm_diag *diag)
{
    min_external *x = &s->external;
    int frames = s->m->spec->nexternal;
    limber_pose *start = x->pose + frames;
    if (minimal_external_u(s, x->u)) return;
    memcpy(start, x->pose, sizeof *start * (size_t)frames);
    for (int slot = 0; slot <= s->written; slot++) {
        double keep = x->slot[slot];
        x->slot[slot] += 1e-2 * fmax(1, fabs(keep));
        int bad = minimal_external_u(s, x->u);
        x->slot[slot] = keep;
        for (int k = 0; k < x->uses.n && !bad; k++) {
            const lm_product *p = product_of(s, &x->uses.at[k]);
            int listed = 0, f = x->uses.at[k].frame;
            for (int i = 0; i < p->ninputs; i++) listed |= p->inputs[i] == slot;
            if (listed || moved(s, &x->pose[f], &start[f]) < 1e-9) continue;
            lm_error(diag, p->item.loc,
                     "frame '%s' moves with '%s', which its external(...) does not list",
                     p->item.name, input_name(s, slot));
        }
    }
}

/* Partial velocities must be those of the poses. */
static void refuse_partials(minimal *s, lm_diag *diag)
{
    static const char *const along[] = {"along x",         "along y",         "along z",
                                        "turning about x", "turning about y", "turning about z"};
    min_external *x = &s->external;
    for (int r = 0; r < 6 * x->uses.n; r++)
        for (int k = 0; k < x->nin; k++) {
            const lm_product *p = product_of(s, &x->uses.at[r / 6]);
            double unit = r % 6 < 3 ? size_of(s) : 1, given = x->G[x->nin * r + k];
            double found = x->near[x->nin * r + k];
            if (fabs(given - found) * x->scale[k] <= 1e-4 * unit) continue;
            lm_error(
                diag, p->item.loc,
                "frame '%s': its partial velocity by '%s', %s, is %.6g, but differences of its "
                "pose give %.6g (at the start, in axes that are the frame's for turns)",
                p->item.name, input_name(s, x->in[k]), along[r % 6], given, found);
            return;
        }
}

static void refuse_failure(minimal *s, lm_diag *diag)
{
    lm_error(diag, product_of(s, &s->external.uses.at[0])->item.loc,
             "%s close to the initial values of the coordinates, where it is differentiated",
             s->sys.trouble);
}

int minimal_external_make(minimal *s, lm_diag *diag)
{
    min_external *x = &s->external;
    double *q = LM_NEW_N(&s->arena, double, s->sys.nq), *v = LM_NEW_N(&s->arena, double, s->sys.nv);
    if (!q || !v || reserve(s)) return -1;
    if (minimal_start(s, q, v)) return -1;
    s->slots[LM_SLOT_T] = 0;
    memcpy(s->slots + 1, q, sizeof(double) * (size_t)s->written);
    int bad = minimal_external_take(s);
    if (!bad) bad = choose_scales(s, diag);
    if (bad == 2) return 0;
    int partials = s->m->spec->kinematics.partial != NULL;
    if (!bad) bad = minimal_external_gradient(s, 0, x->near);
    if (!bad && partials) bad = minimal_external_gradient(s, 1, x->G);
    if (bad) {
        refuse_failure(s, diag);
        return 0;
    }
    s->sys.noise = partials ? 1 : 1 / MINIMAL_POSE_STEP;
    refuse_unlisted(s, diag);
    if (partials) refuse_partials(s, diag);
    return 0;
}
