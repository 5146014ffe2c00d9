/* What linear displacements leave out of results is said after an analysis, with numbers. */
#include "analysis/effects.h"
#include "analysis/rigid_motion.h"

#include "solve/linear.h"

#include <math.h>
#include <string.h>

/* Below this over the size displacements of second order are of no account; above this, in parts of what
 * deformation changes of an output, they are. The same for axial forces. */
#define NOTICEABLE 1e-4
#define SECOND     0.1
#define PUSHED     0.1
#define SHARED     0.1  /* difference of axial forces, over them */
#define SHAPED     0.01 /* rad: turned so far, the shape matters to frequencies */
#define BENT       0.2  /* part of a stiffness */
#define HELD                                                                                       \
    0.01 /* largest axial force by foreshortening, over Euler's of a cantilever, that is looked at */
#define OFF 0.04 /* error of deflections by it */

static void warn_second(lm_run *run, const lm_left_out *o, lm_loc loc)
{
    const lm_model *m = run->model;
    for (int i = 0; i < m->spec->outputs.n && o->shift > NOTICEABLE * m->size; i++)
        if (o->second[i] > SECOND * o->first[i])
            lm_warning(run->diag, loc,
                       "output '%s': deformation changes it by %.3g in first order and by about "
                       "%.3g more in second order (beams that bend fall short), which "
                       "'elastodynamic' leaves out: use 'corotational'",
                       m->spec->outputs.at[i].item.name, o->first[i], o->second[i]);
}

static void warn_axial(lm_run *run, const lm_left_out *o, int linear, lm_loc loc)
{
    if (o->push <= PUSHED || (o->stiffening && !linear)) return;
    const char *name = run->model->spec->bodies.at[o->pushed].item.name;
    const char *what = linear ? "'linear: true'" : "'stiffening: false'";
    if (o->force < 0 && o->push >= 1)
        lm_warning(run->diag, loc,
                   "beam '%s' is pressed by up to %.3g, %.3g times the load that buckles it as a "
                   "cantilever, and %s leaves buckling out: %s",
                   name, -o->force, o->push, what,
                   linear ? "use 'linear: false'" : "use 'stiffening: true'");
    else
        lm_warning(run->diag, loc,
                   "beam '%s' is %s by up to %.3g, %.3g of the load that buckles it as a "
                   "cantilever: its bending stiffness is %s by about this part, which %s leaves "
                   "out: %s",
                   name, o->force < 0 ? "pressed" : "pulled", fabs(o->force), o->push,
                   o->force < 0 ? "less" : "more", what,
                   linear ? "use 'linear: false'" : "use 'stiffening: true'");
}

/* The results so far are those of one motion. */
static void take_means(const lm_model *m, lm_left_out *o)
{
    for (int i = 0; i < m->nbodies && o->looks; i++)
        for (int k = 0; k < m->beams[i].nelements; k++) {
            int e = m->beams[i].first_element + k;
            double by[2] = {o->axial[e] / o->looks, o->stretching[e] / o->looks};
            double apart = fabs(by[0] - by[1]), off = apart / o->euler[i];
            if (!(off > o->off) || apart <= SHARED * fmax(fabs(by[0]), fabs(by[1]))) continue;
            o->off = off;
            o->shared = i;
            memcpy(o->force_by, by, sizeof by);
        }
    memset(o->axial, 0, sizeof(double) * (size_t)m->nelements);
    memset(o->stretching, 0, sizeof(double) * (size_t)m->nelements);
    o->looks = 0;
}

/* The stiffness of which something is missing is not asked for. */
static int no_matter(const lm_left_out *o) { return o->vibrations && o->turn < SHAPED; }

/* Rigid bodies do not tell how beams and springs side by side share a load. */
static void warn_shared(lm_run *run, const lm_left_out *o, lm_loc loc)
{
    if (o->off <= PUSHED || !o->stiffening || no_matter(o)) return;
    lm_warning(run->diag, loc,
               "beam '%s': its axial force is %.4g by the reactions of the rigid motion, which "
               "the bending stiffness is for, and %.4g by its displacements; rigid bodies do "
               "not tell how a load is shared. Its bending stiffness is off by about %.2g of "
               "that of a cantilever: use 'corotational'",
               run->model->spec->bodies.at[o->shared].item.name, o->force_by[0], o->force_by[1],
               o->off);
}

static void warn_moments(lm_run *run, const lm_left_out *o, lm_loc loc)
{
    static const char *const what[] = {"torque", "bending moment"};
    static const char *const which[] = {"in bending", "across and in twist (lateral buckling)"};
    for (int i = 0; i < 2; i++)
        if (o->moment[i].part > BENT && !no_matter(o))
            lm_warning(run->diag, loc,
                       "beam '%s': a %s of up to %.3g changes its stiffness %s by a part of the "
                       "order of %.2g, which 'elastodynamic' leaves out: use 'corotational'",
                       run->model->spec->bodies.at[o->moment[i].body].item.name, what[i],
                       o->moment[i].most, which[i], o->moment[i].part);
}

/* The same for whoever compares, however small. */
static void tell_effects(const lm_run *run, const lm_left_out *o, int linear)
{
    static const char *const what[] = {"stiffness in bending by a torque",
                                       "stiffness across and in twist by a bending moment"};
    const lm_spec *spec = run->model->spec;
    if (!o->stiffening || linear)
        lm_effect_part(run, "bending stiffness by axial force",
                       spec->bodies.at[o->pushed].item.name, o->push);
    if (o->stiffening)
        lm_effect_part(run, "bending stiffness by axial forces that deformation shares out",
                       spec->bodies.at[o->shared].item.name, o->off);
    for (int i = 0; i < 2; i++)
        lm_effect_part(run, what[i], spec->bodies.at[o->moment[i].body].item.name,
                       o->moment[i].part);
    if (!linear)
        lm_effect_part(run, "stretch of bent beams whose ends are held apart",
                       spec->bodies.at[o->ends.body].item.name, o->ends.off);
    for (int i = 0; i < spec->outputs.n; i++)
        lm_effect_output(run, "shortening of bent beams, of second order", i, o->second[i]);
}

/* ---- beams whose ends cannot follow their foreshortening ---- */

/* K without loads, and so much inertia that motions without stiffness do not make it singular: the elastic
 * system's, as it answers to slow forces. */
static int solve_slowly(lm_run *run, const lm_state *st, double *f)
{
    lm_system *sys = run->sys;
    lm_linear *lin = lm_linear_create_for(sys, &sys->pattern, NULL);
    int bad = lin ? sys->form->jacobian(sys, st, run->sys->left_out->ends.inertia, 0, 1,
                                        lm_linear_values(lin))
                  : -1;
    if (!bad) bad = lm_linear_factor(lin);
    if (!bad) lm_linear_solve(lin, f);
    lm_linear_destroy(lin);
    return bad;
}

static void look_at_ends(lm_run *run, lm_left_out *o)
{
    lm_system *sys = run->sys;
    size_t nv = (size_t)sys->nv, n = nv + (size_t)sys->nl;
    size_t room = n + nv + (size_t)sys->nq;
    double *zero = o->ends.most > HELD ? lm_alloc(sizeof(double) * (room + 1)) : NULL;
    double *f, factor = sys->load_factor;
    lm_state st = {.t = o->ends.t, .v = zero, .a = zero};
    lm_energy energy = {0};
    int still = sys->still;
    if (!zero) return;
    f = zero + nv;
    memset(zero, 0, sizeof(double) * room);
    lm_copy(f + n, o->ends.q, sys->nq - sys->nvariables);
    st.q = f + n; /* variables rest */
    sys->still = 1;
    sys->load_factor = 0;
    if (!sys->form->energy(sys, &st, &energy)) {
        o->ends.elastic = energy.elastic;
        o->shorten(o, f);
        for (size_t i = 0; i < nv; i++) f[i] = -f[i];
        if (!solve_slowly(run, &st, f)) o->stretch(o, f);
    }
    sys->still = still;
    sys->load_factor = factor;
    o->ends.most = 0;
    lm_free(zero);
}

static void warn_ends(lm_run *run, const lm_left_out *o, lm_loc loc)
{
    const lm_held_ends *h = &o->ends;
    if (h->off <= OFF) return;
    lm_warning(run->diag, loc,
               "beam '%s' bends and its ends cannot approach as much as it falls short: an axial "
               "force of about %.3g, by which deflections are off by about %.2g %% and which is "
               "in no reaction or section force. 'elastodynamic' leaves it out: use "
               "'corotational'",
               run->model->spec->bodies.at[h->body].item.name, h->force, 100 * h->off);
}

void lm_left_out_look(lm_run *run, const lm_state *st)
{
    lm_left_out *o = run->sys->left_out;
    if (o) o->look(o, st);
}

void lm_left_out_look_alone(lm_run *run, const lm_state *st)
{
    lm_left_out_look(run, st);
    if (!run->sys->left_out) return;
    take_means(run->model, run->sys->left_out);
    look_at_ends(run, run->sys->left_out);
}

void lm_left_out_warn(lm_run *run, int linear, lm_loc loc)
{
    lm_left_out *o = run->sys->left_out;
    size_t size = sizeof(double) * (size_t)run->model->spec->outputs.n;
    if (!o) return;
    if (!linear) warn_second(run, o, loc);
    warn_axial(run, o, linear, loc);
    take_means(run->model, o);
    if (!linear) warn_shared(run, o, loc);
    if (!linear) warn_moments(run, o, loc);
    if (!linear) look_at_ends(run, o);
    if (!linear) warn_ends(run, o, loc);
    if (run->model->nbodies) tell_effects(run, o, linear);
    memset(o->moment, 0, sizeof o->moment);
    o->off = o->turn = 0;
    o->ends.most = o->ends.off = 0;
    memset(o->first, 0, size);
    memset(o->second, 0, size);
    o->shift = o->push = 0;
}
