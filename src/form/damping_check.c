/* Where damping by mass is measured against what takes part in the vibrations. */
#include "form/damping_frame.h"

/* ---- superelements ---- */

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

static int check_supers(const lm_model *m, damping_net *net, lm_arena *temp, lm_diag *diag)
{
    int bad = 0;
    for (int b = 0; b < m->nbodies && !bad; b++) {
        damping_frame f;
        if (m->bodies[b].super < 0 || m->supers[m->bodies[b].super].alpha == 0) continue;
        double *length = &net->length[net->of[b]], beams = *length;
        *length += m->spec->bodies.at[b].beam_length;
        bad = damping_frame_make(net, net->of[b], temp, &f);
        *length = beams;
        if (!bad) check(m, b, &f, diag);
    }
    return bad;
}

/* ---- bushings ---- */

/* 1: some spring of it is too stiff to leave the beams at its ends free, and too soft to hold them. */
static int holds_in_part(const lm_model *m, const damping_joint *j)
{
    for (int k = j->first_action; k < j->first_action + j->nactions; k++) {
        int about = lm_measure_is_rotation(m->actions[k].measure);
        double stiffness = m->actions[k].stiffness;
        if (stiffness > j->most[about] && stiffness < j->least[about]) return 1;
    }
    return 0;
}

static int is_damped(const lm_model *m, const damping_net *net, int own)
{
    for (int b = 0; b < m->nbodies; b++)
        if (net->of[b] == own && m->beams[b].nelements && m->beams[b].damping_mass != 0) return 1;
    return 0;
}

static void warn_bushing(const lm_model *m, const char *name, lm_diag *diag)
{
    for (int k = 0; k < m->spec->forces.n; k++)
        if (m->spec->forces.at[k].item.name == name)
            lm_warning(
                diag, m->spec->forces.at[k].item.loc,
                "bushing '%s' is neither stiff nor soft beside the beams that it holds: "
                "their damping by mass is measured against a rigid motion that takes part in "
                "the vibrations, and brakes these less than mass/(2 omega); use 'damping: "
                "{stiffness: ...}', or 'formulation: elastodynamic', which measures it "
                "against the motion of rigid bodies",
                name);
}

/* Those of structures that nothing else holds. */
static int check_bushings(const lm_model *m, const damping_net *net, lm_arena *temp, lm_diag *diag)
{
    for (int j = m->njoints; j < net->njoints; j++) {
        int said = !holds_in_part(m, &net->link[j]);
        for (int side = 0; side < 2 && !said; side++) {
            int node = m->pairs[net->link[j].pair].node[side];
            int own = node < 0 ? net->n : net->of[m->nodes[node].body];
            damping_frame f;
            if (own == net->n || !is_damped(m, net, own)) continue;
            if (damping_frame_make(net, own, temp, &f)) return -1;
            if (f.fitted) warn_bushing(m, m->actions[net->link[j].first_action].owner, diag);
            said = f.fitted;
        }
    }
    return 0;
}

int damping_check(const lm_model *m, int known, lm_diag *diag)
{
    lm_arena temp = {0};
    damping_net net;
    int damped = 0, bad = 0;
    for (int b = 0; b < m->nbodies; b++) {
        damped |= m->bodies[b].super >= 0 && m->supers[m->bodies[b].super].alpha != 0;
        damped |= m->beams[b].nelements && m->beams[b].damping_mass != 0;
    }
    if (damped) bad = damping_net_make(m, m->njoints, &temp, &net);
    if (damped && !bad) bad = check_supers(m, &net, &temp, diag);
    if (damped && !bad && !known) bad = check_bushings(m, &net, &temp, diag);
    lm_arena_free(&temp);
    return bad;
}
