/* The shape of a model in steady rotation. */
#include "analysis/steady.h"

#include "analysis/run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ITERATIONS = 40, HALVINGS = 12 };
#define SMALL      1e-13 /* last motion of Newton's method, over the size or in radians */
#define GOOD       1e-8  /* below this, one that does not get smaller is rounding */
#define MOVED      1e-6  /* more than this, critical shapes are those of another state */
#define CONSISTENT 1e-7  /* of constraint rates, over those of the rotation */

lm_state lm_steady_state(const lm_steady *s)
{
    return (lm_state){s->spin.t0, s->q, s->v, s->a, s->lam};
}

/* ---- the motion ---- */

/* The line goes with the side of the joint that stands still, where that is at rest. */
static void place_line(lm_steady *s, const double *q)
{
    const lm_model *m = s->sys->model;
    const lm_pair *p = &m->pairs[m->joints[s->joint].pair];
    int side = s->sense < 0, n = p->node[side];
    lm_m3 E = p->E[side];
    s->turning.point = p->r[side];
    if (n >= 0) {
        s->sys->form->poses(s->sys, q, s->pose);
        lm_m3 R = quat_m3(quat_from(s->pose + 7 * n + 3));
        lm_v3 from = v3_add(m->bodies[m->nodes[n].body].com, p->r[side]);
        s->turning.point = v3_add(v3_from(s->pose + 7 * n), m3_v(&R, from));
        E = m3_mul(&R, &E);
    }
    s->turning.axis = m3_col(&E, 2);
}

int lm_steady_motion(lm_steady *s, const double *q)
{
    place_line(s, s->start);
    s->turning.rest = s->start;
    s->spin.rate = s->speed;
    s->turning.rate = s->sense * s->speed;
    return s->sys->form->turn(s->sys, q, &s->turning, s->v, s->a, (unsigned char *)s->pencil.kind,
                              (double *)s->pencil.axis);
}

/* ---- beginning ---- */

const lm_row *lm_steady_drive(const lm_model *m, int joint)
{
    const lm_joint *j = &m->joints[joint];
    for (int k = j->first_row; k < j->first_row + j->nrows; k++) {
        const lm_row *r = &m->rows[k];
        if (r->drive && r->coord >= 0 && m->coords[r->coord].kind == LM_COORD_ANGLE) return r;
    }
    return NULL;
}

/* That of the model; of a point, if more, how far it begins from where it is drawn. */
static double size_at(const lm_steady *s, const double *q)
{
    const lm_model *m = s->sys->model;
    double size = m->size;
    if (m->point && size > 0 && s->sys->nposes >= m->nnodes) {
        s->sys->form->poses(s->sys, q, s->pose);
        for (int i = 0; i < m->nnodes; i++)
            size = fmax(size, v3_norm(v3_sub(v3_from(s->pose + 7 * i), m->nodes[i].x)));
    }
    return size > 0 ? size : 1;
}

static int reserve(lm_steady *s)
{
    const lm_system *sys = s->sys;
    size_t nv = (size_t)sys->nv, nl = (size_t)sys->nl, nq = (size_t)sys->nq;
    double *at =
        LM_NEW_N(&s->arena, double,
                 (8 + 3 * LM_STEADY_SHAPES) * nv + 4 * nq + 3 * nl + 14 * (size_t)sys->nposes + 1);
    unsigned char *body = LM_NEW_N(&s->arena, unsigned char, sys->model->nbodies + 1);
    if (!at || !body) return -1;
    s->turning.body = body;
    s->q = at, at += nq;
    s->v = at, at += nv;
    s->a = at, at += nv;
    s->lam = at, at += nl;
    s->unit = at, at += nv;
    s->x = at, at += nv + nl;
    s->keep = at, at += nq + nl + nv;
    s->away = at, at += nv;
    s->shape = at, at += 3 * nv * LM_STEADY_SHAPES;
    s->start = at, at += nq;
    s->turned = at, at += nq;
    s->pose = at;
    return 0;
}

/* The drive's value where the positions are: that of its expression at t = 0. */
static void begin_drive(lm_steady *s, const lm_row *r, double *scratch)
{
    double d[3];
    lm_expr_time(r->drive, 0, scratch, d);
    s->spin = (lm_spin){.drive = r->drive, .value = d[0]};
    s->sys->spin = &s->spin;
}

static const char *joint_name(const lm_model *m, int joint) { return m->joints[joint].name; }

static limber_status not_as_a_whole(lm_steady *s, int joint)
{
    const lm_model *m = s->sys->model;
    return lm_fail(
        &s->failure, LIMBER_INPUT,
        "the model does not turn as a whole about the axis of joint '%s': joint '%s' holds "
        "what turns; use 'linearize' for the motion at an instant",
        joint_name(m, s->joint), joint < m->njoints ? joint_name(m, joint) : "");
}

/* The rotation is one that the joints let happen. */
static limber_status check_motion(lm_steady *s)
{
    lm_system *sys = s->sys;
    s->speed = 1;
    if (lm_steady_motion(s, s->q))
        return lm_fail(&s->failure, LIMBER_INPUT,
                       "the coordinates of the formulation '%s' cannot say that the model turns "
                       "steadily about the axis of joint '%s'; use 'corotational'",
                       sys->form->name, joint_name(sys->model, s->joint));
    lm_state at = lm_steady_state(s);
    if (sys->form->constraint_rate(sys, &at, s->x))
        return lm_fail(&s->failure, LIMBER_INPUT, "the constraints cannot be evaluated");
    for (int k = 0; k < sys->nl; k++) {
        double unit = sys->angular[sys->nv + k] ? 1 : s->size;
        if (sys->active[k] && fabs(s->x[k]) > CONSISTENT * unit)
            return not_as_a_whole(s, lm_system_row(sys, k)->joint);
    }
    return LIMBER_OK;
}

static limber_status begin_pencil(lm_steady *s)
{
    size_t nv = (size_t)s->sys->nv;
    unsigned char *kind = LM_NEW_N(&s->arena, unsigned char, nv + 1);
    double *axis = LM_NEW_N(&s->arena, double, nv + 1);
    if (!kind || !axis) return LIMBER_MEMORY;
    s->pencil.kind = kind, s->pencil.axis = axis;
    limber_status st = check_motion(s);
    if (st) return st;
    if (lm_pencil_make(&s->pencil, &s->arena, s->sys, kind, axis)) return LIMBER_MEMORY;
    s->lin = lm_linear_create_for(s->sys, &s->pencil.pattern, NULL);
    s->speed = 0;
    lm_steady_motion(s, s->q);
    return s->lin ? LIMBER_OK : LIMBER_MEMORY;
}

limber_status lm_steady_begin(lm_steady *s, lm_system *sys, int joint, const double *q)
{
    const lm_model *m = sys->model;
    const lm_row *drive = lm_steady_drive(m, joint);
    *s = (lm_steady){.sys = sys, .joint = joint};
    if (!drive)
        return lm_fail(
            &s->failure, LIMBER_INPUT,
            "joint '%s' has no drive of its angle: give it one, for example 'drive: 0*t'; "
            "its speed is that of the analysis",
            joint_name(m, joint));
    if (!sys->form->turn)
        return lm_fail(&s->failure, LIMBER_INPUT,
                       "the formulation '%s' does not know steady rotation", sys->form->name);
    double *scratch = LM_NEW_N(&s->arena, double, lm_expr_scratch(drive->drive, 2) + 8);
    if (!scratch || reserve(s)) return LIMBER_MEMORY;
    memcpy(s->q, q, sizeof(double) * (size_t)sys->nq);
    memcpy(s->start, q, sizeof(double) * (size_t)sys->nq);
    s->sense = lm_steady_a_turns(m, joint, (unsigned char *)s->turning.body) ? -1 : 1;
    s->size = size_at(s, q);
    for (int i = 0; i < sys->nv; i++) s->unit[i] = sys->angular[i] ? 1 : s->size;
    begin_drive(s, drive, scratch);
    int held = lm_steady_bodies(m, joint, (unsigned char *)s->turning.body);
    if (held) return not_as_a_whole(s, held - 1);
    limber_status st = lm_steady_known_begin(s);
    if (st && *lm_steady_known_failure(s))
        return lm_fail(&s->failure, st, "%s", lm_steady_known_failure(s));
    return st ? st : begin_pencil(s);
}

void lm_steady_free(lm_steady *s)
{
    lm_steady_known_free(s);
    if (s->sys) s->sys->spin = NULL;
    lm_linear_destroy(s->lin);
    lm_arena_free(&s->arena);
}

/* ---- Newton's method ---- */

/* A typical stiffness, by which the equations are divided so that they go with the constraints. */
static double typical(const lm_steady *s)
{
    const lm_pencil *p = &s->pencil;
    double sum = 0;
    for (int i = 0; i < s->sys->nv; i++) {
        int k = lm_pattern_find(&p->pattern, i, i);
        if (k >= 0) sum += fabs(p->K[k]) * s->unit[i] * s->unit[i];
    }
    sum /= s->size * s->size * (s->sys->nv + 1);
    return sum > 0 ? sum : 1;
}

/* 0; 1: singular or it cannot be evaluated; -1: no memory. */
static int factor(lm_steady *s)
{
    const lm_pattern *w = &s->pencil.pattern;
    lm_state at = lm_steady_state(s);
    int nv = s->sys->nv;
    double *values = lm_linear_values(s->lin);
    if (lm_pencil_evaluate(&s->pencil, &at, 0)) return 1;
    lm_pencil_tangent(&s->pencil, s->turning.rate);
    s->scale = typical(s);
    for (int c = 0; c < w->n; c++)
        for (int k = w->colptr[c]; k < w->colptr[c + 1]; k++)
            values[k] = s->pencil.K[k] / (c < nv && w->rowind[k] < nv ? s->scale : 1);
    if (s->held > 0) {
        const lm_pattern *own = &s->sys->pattern;
        for (int c = 0; c < nv; c++)
            for (int k = own->colptr[c]; k < own->colptr[c + 1] && own->rowind[k] < nv; k++)
                values[s->pencil.place[k]] += s->held * s->pencil.m[k] / s->scale;
    }
    int bad = lm_linear_factor(s->lin);
    s->singular = bad > 0;
    return bad > 0 ? 1 : bad;
}

/* The matrix, and with the first step what is critical near the speed. With shapes of a state far away Newton's
 * method would converge linearly, the slower the nearer the critical speed is. */
static int factor_step(lm_steady *s, int first)
{
    double held = s->held;
    if (first) s->nshapes = 0;
    if (s->nshapes) s->held += lm_steady_guard(s);
    int bad = factor(s);
    if (bad > 0 && first && s->singular && s->settled == 2) {
        s->held += lm_steady_guard(s);
        bad = factor(s);
    }
    if (!bad && first) bad = lm_steady_near(s);
    s->held = held;
    return bad;
}

/* The largest entry of dx, in units of lengths or angles; NaN where one is. */
static double largest_motion(const lm_steady *s, const double *dx)
{
    double most = 0;
    for (int i = 0; i < s->sys->nv; i++) {
        double x = fabs(dx[i]) / s->unit[i];
        if (!(x <= most)) most = x;
    }
    return most;
}

/* One step; *moved: its size. */
static int step(lm_steady *s, int first, double *moved)
{
    lm_system *sys = s->sys;
    int nv = sys->nv, bad = lm_steady_motion(s, s->q);
    lm_state at = lm_steady_state(s);
    if (!bad) bad = factor_step(s, first);
    if (!bad) bad = sys->form->residual(sys, &at, s->x, s->x + nv, NULL) != 0;
    if (bad) return bad;
    if (first) lm_steady_judge(s, s->x);
    lm_steady_take_back(s, s->x);
    for (int i = 0; i < nv; i++) s->x[i] /= -s->scale;
    for (int k = 0; k < sys->nl; k++) s->x[nv + k] = -s->x[nv + k];
    lm_linear_solve(s->lin, s->x);
    lm_steady_balance(s, s->x);
    *moved = largest_motion(s, s->x);
    if (!isfinite(*moved) || *moved > 2) return 1;
    for (int k = 0; k < sys->nl; k++) s->lam[k] += s->scale * s->x[nv + k];
    for (int i = 0; i < nv; i++) s->away[i] += s->x[i];
    s->iterations++;
    return sys->form->retract(sys, s->q, s->x, s->q) != 0;
}

/* Newton's method at s->speed from s->q. 0; 1: it does not converge; -1. */
static int converge(lm_steady *s)
{
    double last = INFINITY, moved = 0;
    limber_status st = lm_steady_known_find(s);
    int bad = st == LIMBER_MEMORY ? -1 : st != LIMBER_OK;
    for (int k = 0; k < ITERATIONS && !bad; k++) {
        bad = step(s, k == 0 || (s->nshapes > 0 && moved > MOVED), &moved);
        if (!bad && (moved < SMALL || (moved < GOOD && moved > 0.25 * last)))
            return lm_steady_motion(s, s->q);
        last = moved;
    }
    return bad ? bad : 1;
}

/* A part of the mass that is little beside the stiffness. */
static double little_mass(const lm_steady *s)
{
    double mass = 0;
    for (int i = 0; i < s->sys->nv; i++) {
        int k = lm_pattern_find(&s->sys->pattern, i, i);
        if (k >= 0) mass += fabs(s->pencil.m[k]) * s->unit[i] * s->unit[i];
    }
    mass /= s->size * s->size * (s->sys->nv + 1);
    return mass > 0 ? 1e-8 * s->scale / mass : 0;
}

static void keep(lm_steady *s)
{
    size_t nq = (size_t)s->sys->nq, nl = (size_t)s->sys->nl;
    memcpy(s->keep, s->q, sizeof(double) * nq);
    memcpy(s->keep + nq, s->lam, sizeof(double) * nl);
    memcpy(s->keep + nq + nl, s->away, sizeof(double) * (size_t)s->sys->nv);
}

static void put_back(lm_steady *s)
{
    size_t nq = (size_t)s->sys->nq, nl = (size_t)s->sys->nl;
    memcpy(s->q, s->keep, sizeof(double) * nq);
    memcpy(s->lam, s->keep + nq, sizeof(double) * nl);
    memcpy(s->away, s->keep + nq + nl, sizeof(double) * (size_t)s->sys->nv);
}

static void put_at_rest(lm_steady *s)
{
    memcpy(s->q, s->start, sizeof(double) * (size_t)s->sys->nq);
    memset(s->lam, 0, sizeof(double) * (size_t)s->sys->nl);
    memset(s->away, 0, sizeof(double) * (size_t)s->sys->nv);
}

/* Another try at the same speed. At a critical speed the matrix is singular: there a small part of the
 * mass holds what nothing moves. Beyond the critical speed of a rotor with unbalance the shape is another
 * one, which is near that at rest. */
static int converge_otherwise(lm_steady *s)
{
    put_back(s);
    s->held = s->speed != 0 ? 1e-3 * s->speed * s->speed : little_mass(s);
    int bad = converge(s);
    s->held = 0;
    if (bad <= 0) return bad;
    put_at_rest(s);
    return converge(s);
}

static void restore(lm_steady *s, double speed)
{
    put_back(s);
    s->speed = speed;
    lm_steady_known_find(s); /* the companion may have come further */
    lm_steady_motion(s, s->q);
}

/* What the largest entry of s->x is the motion of. */
static void name_mover(const lm_steady *s, char *name, size_t size)
{
    int most = 0;
    for (int i = 0; i < s->sys->nv; i++)
        if (fabs(s->x[i]) / s->unit[i] > fabs(s->x[most]) / s->unit[most] * (1 + 1e-6)) most = i;
    snprintf(name, size, "unknown");
    if (s->sys->nv) s->sys->form->describe_motion(s->sys, most, name, size);
}

/* A singular matrix: the motion that nothing holds is what a little mass alone holds. 0: into s->x. */
static int free_motion(lm_steady *s)
{
    size_t n = (size_t)s->sys->nv + (size_t)s->sys->nl;
    s->held = little_mass(s);
    int bad = factor(s);
    s->held = 0;
    for (size_t i = 0; i < n; i++) s->x[i] = (int)i < s->sys->nv ? sin(1.0 + (double)i) : 0;
    if (!bad) lm_linear_solve(s->lin, s->x);
    return bad;
}

static limber_status none_found(lm_steady *s, double speed)
{
    char name[160];
    if (s->failure.text[0]) return LIMBER_STOPPED; /* the companion's */
    if (s->singular && free_motion(s) == 0) {
        name_mover(s, name, sizeof name);
        return lm_fail(
            &s->failure, LIMBER_STOPPED,
            "the steady rotation is not determined at speed %.6g: nothing holds the motion "
            "of %s; hold it by a joint, a spring or a drive",
            s->speed, name);
    }
    name_mover(s, name, sizeof name);
    return lm_fail(
        &s->failure, LIMBER_STOPPED,
        "no equilibrium of steady rotation was found beyond speed %.6g (tried %.6g): what "
        "moves away is mostly %s",
        s->speed, speed, name);
}

/* Centrifugal forces grow with the square of the speed, and so are steps towards it. */
static limber_status find(lm_steady *s, double speed)
{
    double from = s->speed, part = 1;
    s->failure.text[0] = 0;
    for (int halvings = 0;;) {
        double was = s->speed, goal = speed * speed, here = was * was;
        keep(s);
        s->speed = part >= 1 ? speed : copysign(sqrt(here + part * (goal - here)), speed);
        int bad = converge(s);
        if (bad > 0 && part >= 1) bad = converge_otherwise(s);
        if (bad < 0) return LIMBER_MEMORY;
        if (bad) {
            if (!s->failure.text[0])
                lm_fail(&s->failure, LIMBER_STOPPED, "%s", lm_steady_known_failure(s));
            restore(s, was);
            part *= 0.5;
            if (++halvings > HALVINGS || from == speed) return none_found(s, speed);
        } else if (s->speed == speed) {
            s->failure.text[0] = 0;
            return LIMBER_OK;
        } else
            part = fmin(1, 2 * part);
    }
}

/* Where bodies rest without rotation is found first. */
limber_status lm_steady_find(lm_steady *s, double speed)
{
    limber_status st = LIMBER_OK;
    if (!s->settled) {
        s->settled = 1;
        st = find(s, 0);
        if (!st) memcpy(s->start, s->q, sizeof(double) * (size_t)s->sys->nq), s->settled = 2;
        memset(s->away, 0, sizeof(double) * (size_t)s->sys->nv);
    }
    return st == LIMBER_MEMORY ? st : find(s, speed);
}

/* Along the circle, or the start would grow by half the square of the angle. */
static int turn_positions(lm_steady *s, double angle, double *q)
{
    if (lm_steady_motion(s, q)) return 1;
    for (int i = 0; i < s->sys->nv; i++) s->x[i] = angle * s->v[i];
    lm_motion_along_helix(s->sys, s->x);
    return s->sys->form->retract(s->sys, q, s->x, q);
}

limber_status lm_steady_turn(lm_steady *s, double angle)
{
    double W = s->speed;
    limber_status st = lm_steady_known_turn(s, angle);
    if (st) return st;
    s->speed = 1;
    if (turn_positions(s, angle, s->q) || turn_positions(s, angle, s->start)) return LIMBER_STOPPED;
    s->speed = W;
    s->spin.value += angle;
    memcpy(s->turned, s->q, sizeof(double) * (size_t)s->sys->nq);
    st = lm_steady_find(s, W);
    if (!st) s->sys->form->difference(s->sys, s->turned, s->q, s->x);
    s->changed = st ? NAN : largest_motion(s, s->x);
    return st;
}

/* ---- what has no steady rotation ---- */

enum { TURNS = 7 };
#define TURN    0.1
#define DEPENDS 1e-4 /* of the deflection: more than rounding, and than Newton's method leaves */

/* A rotation is steady where the shape turns with the drive, which does not where what stands still holds
 * it in one direction more than in another. Asked away from the speed at which it got lost. */
void lm_steady_explain(lm_steady *s)
{
    lm_failure found = s->failure;
    double W = 0.7 * s->speed, bent = 0, changed = 0;
    limber_status st = W == 0 || !found.text[0] ? LIMBER_STOPPED : lm_steady_find(s, W);
    for (int k = 0; k < TURNS && !st; k++) {
        bent = fmax(bent, largest_motion(s, s->away));
        st = lm_steady_turn(s, TURN);
        if (!st) changed = fmax(changed, s->changed);
    }
    s->failure = found;
    if (!(changed > DEPENDS * bent)) return;
    lm_fail(
        &s->failure, LIMBER_STOPPED,
        "%.250s. There is no steady rotation: what stands still is not the same from all sides, "
        "and what turns is not balanced (its shape at speed %.4g changes by %.2g of the "
        "deflection in a tenth of a radian); the motion is periodic: use 'periodic'",
        found.text, W, changed / bent);
}

/* The same for nodes, by a part of dx so small that they move along it. */
static double largest_pose(lm_steady *s, double *dx)
{
    const lm_system *sys = s->sys;
    double f = 1e-4 / largest_motion(s, dx), most = 0, *bent = s->pose + 7 * sys->nposes;
    if (!isfinite(f)) return isnan(f) ? NAN : 0;
    for (int i = 0; i < sys->nv; i++) dx[i] *= f;
    if (sys->form->retract(s->sys, s->q, dx, s->turned)) return NAN;
    sys->form->poses(s->sys, s->q, s->pose);
    sys->form->poses(s->sys, s->turned, bent);
    for (int n = 0; n < sys->nposes; n++) {
        const double *a = s->pose + 7 * n, *b = bent + 7 * n;
        lm_v3 turn = lm_quat_log(quat_turn(quat_from(a + 3), quat_from(b + 3)));
        most = fmax(most, v3_norm(v3_sub(v3_from(b), v3_from(a))) / s->size);
        most = fmax(most, v3_norm(turn));
    }
    return most / f;
}

limber_status lm_steady_sag(lm_steady *s, lm_system *loaded, double *sag)
{
    limber_status st = lm_steady_find(s, 0);
    size_t nv = (size_t)s->sys->nv;
    *sag = NAN;
    if (st) return st == LIMBER_MEMORY ? st : LIMBER_OK;
    lm_state at = lm_steady_state(s);
    int bad = factor(s);
    if (!bad) bad = loaded->form->residual(loaded, &at, s->x, s->x + nv, NULL) != 0;
    if (bad) return bad < 0 ? LIMBER_MEMORY : LIMBER_OK;
    for (size_t i = 0; i < nv; i++) s->x[i] /= -s->scale;
    memset(s->x + nv, 0, sizeof(double) * (size_t)s->sys->nl);
    lm_linear_solve(s->lin, s->x);
    *sag = largest_pose(s, s->x);
    return LIMBER_OK;
}
