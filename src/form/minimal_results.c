/* What a minimal system tells: outputs, forces, energies, poses and names, by its nodal system. */
#include "form/minimal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The way of the nodes, where results are asked for on one of the coordinates. */
static int follow_way(minimal *s)
{
    lm_state inner;
    if (!moved_wants_way(&s->moved)) return 0;
    const lm_state *at = &s->sys.along->at;
    int bad = minimal_enter(s, at, &inner);
    if (!bad) bad = minimal_jets(s, at);
    if (!bad) moved_set_way(&s->moved, &inner);
    return bad;
}

/* The nodal state with all reactions; forget_reactions takes back those that are no unknowns. */
static int with_reactions(minimal *s, const lm_state *st, lm_state *inner)
{
    int bad = follow_way(s);
    if (!bad) bad = minimal_enter(s, st, inner);
    if (bad || s->written) return bad; /* then all of them are unknowns */
    if (st->a && st->lam && !nodal_residual(&s->in->sys, inner, s->moved.ri, s->phi, s->phi_rate))
        minimal_reactions(s);
    return 0;
}

static void forget_reactions(minimal *s)
{
    for (int k = 0; k < s->in->sys.nl; k++)
        if (s->moved.own[k] < 0) s->moved.li[k] = 0;
}

static int driven_by_time(const minimal *s)
{
    for (int k = 0; s->written && k < s->tree.nu; k++)
        for (int i = 0; i < s->arg[k].e->ninputs; i++)
            if (s->arg[k].e->inputs[i] == LM_SLOT_T) return 1;
    return 0;
}

/* What moves the frames that depend on time does work: the residual of the nodes is the force that
 * their kinematics exerts on them, and no work is done along the coordinates, X^T r = 0. What is left is
 * r . V at rest of all coordinates. */
static int time_power(minimal *s, const lm_state *st, lm_energy *e)
{
    lm_state inner = moved_inner(&s->moved, st), rest = {st->t, st->q, NULL, NULL, NULL};
    if (!st->a || !driven_by_time(s)) return 0;
    int bad = nodal_residual(&s->in->sys, &inner, s->moved.ri, NULL, NULL);
    if (!bad) bad = minimal_place(s, &rest);
    for (int i = 0; i < s->in->sys.nv && !bad; i++) e->power += s->moved.ri[i] * s->moved.vi[i];
    return bad ? bad : minimal_place(s, st);
}

/* The nodal system's functions while its sensors are read: of its energies it knows all but the work of
 * time. */
typedef struct seen {
    lm_form form; /* comes first: what the nodal system has as its form is this */
    const lm_form *own;
    minimal *s;
    const lm_state *st;
} seen;

static int seen_energy(lm_system *in, const lm_state *inner, lm_energy *e)
{
    const seen *x = (const seen *)in->form;
    int bad = nodal_energy(in, inner, e);
    return bad ? bad : time_power(x->s, x->st, e);
}

static void begin_seeing(seen *x, minimal *s, const lm_state *st)
{
    *x = (seen){.form = *s->in->sys.form, .own = s->in->sys.form, .s = s, .st = st};
    x->form.energy = seen_energy;
    s->in->sys.form = &x->form;
}

static void end_seeing(const seen *x) { x->s->in->sys.form = x->own; }

int minimal_outputs(lm_system *sys, const lm_state *st, double *out)
{
    minimal *s = (minimal *)sys;
    lm_state inner;
    seen x;
    int bad = with_reactions(s, st, &inner);
    begin_seeing(&x, s, st);
    if (!bad) bad = nodal_outputs(&s->in->sys, &inner, out);
    end_seeing(&x);
    forget_reactions(s);
    for (int i = 0; i < s->m->spec->outputs.n && bad; i++) out[i] = NAN;
    return bad;
}

int minimal_guards(lm_system *sys, const lm_state *st, double *out)
{
    minimal *s = (minimal *)sys;
    lm_state inner;
    seen x;
    int bad =
        s->in->guards_read_forces ? with_reactions(s, st, &inner) : minimal_enter(s, st, &inner);
    begin_seeing(&x, s, st);
    if (!bad) bad = nodal_guards(&s->in->sys, &inner, out);
    end_seeing(&x);
    if (s->in->guards_read_forces) forget_reactions(s);
    return bad;
}

void minimal_describe_guard(const lm_system *sys, int i, char *text, size_t size)
{
    nodal_describe_guard(&((const minimal *)sys)->in->sys, i, text, size);
}

void minimal_forces(lm_system *sys, const lm_state *st, double *joint, double *load)
{
    minimal *s = (minimal *)sys;
    lm_state inner;
    with_reactions(s, st, &inner); /* cannot fail where the outputs did not */
    nodal_forces(&s->in->sys, &inner, joint, load);
    forget_reactions(s);
}

void minimal_beam_forces(lm_system *sys, const lm_state *st, double *out)
{
    minimal *s = (minimal *)sys;
    lm_state inner;
    with_reactions(s, st, &inner); /* cannot fail where the outputs did not */
    nodal_lump_forces(&s->in->sys, &inner, out);
    forget_reactions(s);
}

int minimal_energy(lm_system *sys, const lm_state *st, lm_energy *e)
{
    minimal *s = (minimal *)sys;
    lm_state inner;
    int bad = follow_way(s);
    if (!bad) bad = minimal_enter(s, st, &inner);
    if (!bad) bad = nodal_energy(&s->in->sys, &inner, e);
    if (!bad) bad = time_power(s, st, e);
    if (bad) *e = (lm_energy){NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    return bad;
}

void minimal_poses(lm_system *sys, const double *q, double *pose)
{
    minimal *s = (minimal *)sys;
    lm_state at = {s->t, q, NULL, NULL, NULL};
    sys->trouble[0] = 0;
    minimal_place(s, &at); /* cannot fail: the state was accepted */
    nodal_poses(&s->in->sys, s->moved.qi, pose);
}

void minimal_describe_pose(const lm_system *sys, int i, char *text, size_t size)
{
    nodal_describe_pose(&((const minimal *)sys)->in->sys, i, text, size);
}

void minimal_describe_motion(const lm_system *sys, int i, char *text, size_t size)
{
    const minimal *s = (const minimal *)sys;
    if (s->written) {
        snprintf(text, size, "coordinate %s", s->m->spec->coordinates.at[i].item.name);
        return;
    }
    const min_rate *r = &s->rate[i];
    char name[96];
    if (r->coord >= 0) {
        const lm_joint *j = &s->m->joints[s->m->coords[r->coord].joint];
        lm_coord_kind kind = s->m->coords[r->coord].kind;
        snprintf(text, size, "joint %s, %s", j->name, lm_coord_name(kind));
    } else if (r->joint >= 0) {
        const char *joint = s->m->joints[r->joint].name;
        if (r->turns)
            snprintf(text, size, "joint %s turning about %c", joint, r->along);
        else
            snprintf(text, size, "joint %s along its axis", joint);
    } else {
        nodal_node_name(s->m, r->node, name, sizeof name);
        snprintf(text, size, "%s %s %c", name, r->turns ? "turning about" : "along", r->along);
    }
}

void minimal_describe(const lm_system *sys, int i, char *text, size_t size)
{
    const minimal *s = (const minimal *)sys;
    if (i < sys->nv)
        minimal_describe_motion(sys, i, text, size);
    else
        nodal_describe(&s->in->sys, s->in->sys.nv + s->moved.row[i - sys->nv], text, size);
}
