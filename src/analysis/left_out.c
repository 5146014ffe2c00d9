/* What linear displacements leave out of results is said after an analysis, with numbers. */
#include "analysis/rigid_motion.h"

#include <math.h>
#include <string.h>

/* Below this over the size displacements of second order are of no account; above this, in parts of what
 * deformation changes of an output, they are. The same for axial forces. */
#define NOTICEABLE 1e-4
#define SECOND     0.1
#define PUSHED     0.1

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

/* Under a force at its end a cantilever bears 2.55 times as much, on two supports twice. */
static void warn_lateral(lm_run *run, const lm_left_out *o, lm_loc loc)
{
    if (o->bend < 1) return;
    lm_warning(
        run->diag, loc,
        "beam '%s' is bent in its stiff plane by up to %.3g, %.3g times the moment at which a "
        "cantilever turns over sideways (2.55 times under a force at its end), and "
        "'elastodynamic' leaves lateral buckling out: use 'corotational'",
        run->model->spec->bodies.at[o->bent].item.name, o->moment, o->bend);
}

void lm_left_out_warn(lm_run *run, int linear, lm_loc loc)
{
    lm_left_out *o = run->sys->left_out;
    size_t size = sizeof(double) * (size_t)run->model->spec->outputs.n;
    if (!o) return;
    if (!linear) warn_second(run, o, loc);
    warn_axial(run, o, linear, loc);
    warn_lateral(run, o, loc);
    memset(o->first, 0, size);
    memset(o->second, 0, size);
    o->shift = o->push = o->bend = 0;
}
