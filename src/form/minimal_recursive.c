/* Trees of rigid bodies: accelerations without a matrix (form/recursive.h). */
#include "form/minimal.h"

/* A body's mass centre and axes, c away from the node that is tip n. */
static lm_tree_body on_tip(const minimal *s, int n, lm_v3 c, double mass, const lm_m3 *J)
{
    const lm_tip *tip = &s->tree.tips.at[n];
    return (lm_tree_body){.link = tip->link,
                          .r = v3_add(tip->r, m3_v(&tip->E, c)),
                          .E = tip->E,
                          .mass = mass,
                          .J = *J};
}

/* 1: all that has mass is rigid, and no tree that the user wrote. */
static int rigid_tree(const minimal *s)
{
    int elastic = s->m->nsupers > 0 || (s->m->nelements > 0 && !s->in->division);
    return !s->written && !elastic && s->sys.nv > 0;
}

int minimal_make_recursive(minimal *s)
{
    const nodal *in = s->in;
    if (!rigid_tree(s)) return 0;
    int n = 0;
    lm_tree_body *body = LM_NEW_N(&s->arena, lm_tree_body, in->nrigid + in->nlumps);
    if (!body) return -1;
    for (int k = 0; k < in->nrigid; k++)
        body[n++] = on_tip(s, in->rigid[k].node, v3(0, 0, 0), in->rigid[k].mass, &in->rigid[k].J);
    for (int k = 0; k < in->nlumps; k++) {
        const nodal_lump *l = &in->lumps[k];
        body[n++] = on_tip(s, l->node, l->c, l->mass, &l->J);
    }
    s->recursive = lm_recursive_new(&s->arena, &s->tree, body, n);
    s->sys.quick_mass = s->recursive != NULL;
    return s->recursive ? 0 : -1;
}

int minimal_divide_by_mass(lm_system *sys, double t, const double *q, double *x)
{
    minimal *s = (minimal *)sys;
    lm_tree_load load = {.tau = x};
    int massless;
    (void)t;
    lm_recursive_move(s->recursive, q, NULL);
    return lm_recursive_forward(s->recursive, &load, x, &massless);
}
