/* Superelements measure damping by mass against their own frame: that is right where it is a section that their joints hold. */
#include "form/damping_frame.h"

static const char *node_name(const lm_model *m, int body, int node)
{
    return m->spec->bodies.at[body].nodes[node - m->bodies[body].first_node].name;
}

/* The node of the superelement whose section is held, and stands still in its vibrations; -1: there is none. The
 * mean and the chord of few nodes take part in them, whether joints hold these or not. */
static int held_node(const lm_model *m, int body, const damping_frame *f)
{
    int held = f->nrows > 0 && f->node[1] < 0 && !f->fitted;
    return held && m->nodes[f->node[0]].body == body ? f->node[0] : -1;
}

static void warn(const lm_model *m, int body, int held, lm_diag *diag)
{
    const lm_spec_body *b = &m->spec->bodies.at[body];
    const char *write = held < 0 ? "" : node_name(m, body, held);
    lm_warning(diag, b->item.loc,
               "superelement '%s': damping by mass is measured against its frame, '%s', which "
               "takes part in its vibrations: their ratios are not mass/(2 omega); %s%s%s",
               b->item.name, b->frame, held < 0 ? "" : "write 'frame: ", write,
               held < 0 ? "make it a body of type 'beam', whose damping is measured against what "
                          "holds it"
                        : "'");
}

static void check(const lm_model *m, int body, const damping_frame *f, lm_diag *diag)
{
    const lm_super *u = &m->supers[m->bodies[body].super];
    int held = held_node(m, body, f);
    if (u->frame == LM_SUPER_GIVEN) return;
    if (held < 0 || u->frame != LM_SUPER_NODE || held != m->bodies[body].first_node + u->frame_node)
        warn(m, body, held, diag);
}

int damping_check_supers(const lm_model *m, lm_diag *diag)
{
    lm_arena temp = {0};
    damping_net net;
    int damped = 0, bad = 0;
    for (int b = 0; b < m->nbodies; b++)
        damped |= m->bodies[b].super >= 0 && m->supers[m->bodies[b].super].alpha != 0;
    if (damped) bad = damping_net_make(m, m->njoints, &temp, &net);
    for (int b = 0; b < m->nbodies && damped && !bad; b++) {
        damping_frame f;
        if (m->bodies[b].super < 0 || m->supers[m->bodies[b].super].alpha == 0) continue;
        double length = net.length[net.of[b]];
        net.length[net.of[b]] += m->spec->bodies.at[b].beam_length;
        bad = damping_frame_make(&net, net.of[b], &temp, &f);
        net.length[net.of[b]] = length;
        if (!bad) check(m, b, &f, diag);
    }
    lm_arena_free(&temp);
    return bad;
}
