/* Domains of the power graph: what is joined by bonds is of one domain, TF and GY lie between them. */
#include "model/power.h"

#include <string.h>

typedef struct domains {
    lm_reader *r;
    lm_spec *s;
    int *source; /* [elements] the junction or port that says the domain of a junction, -1: none */
    int *via;    /* [elements] the junction next to it from which it was told, -1: itself, a port */
    int *queue, head, tail;
} domains;

static const char *const adjectives[] = {"of no domain", "rotational", "translational",
                                         "electric",     "hydraulic",  "thermal"};
static const char *const quantities[] = {"",
                                         "torque and angular velocity",
                                         "force and velocity",
                                         "voltage and current",
                                         "pressure and volume flow",
                                         "temperature and entropy flow"};

/* "rotational (torque and angular velocity), because of port 'hinge' through 'rotor'" */
static const char *reason(const domains *d, int junction)
{
    lm_reader *r = d->r;
    const lm_spec_element *all = d->s->elements.at;
    int source = d->source[junction];
    const char *text = lm_arena_printf(&r->scratch, "%s (%s)", adjectives[all[junction].domain],
                                       quantities[all[junction].domain]);
    if (source == junction) return lm_arena_printf(&r->scratch, "%s by its 'domain'", text);
    text = lm_arena_printf(&r->scratch, "%s, because of %s", text, lm_power_title(r, source));
    const char *join = " through ";
    for (int j = d->via[junction]; j >= 0 && j != source; j = d->via[j], join = ", ")
        text = lm_arena_printf(&r->scratch, "%s%s'%s'", text, join, all[j].item.name);
    return text;
}

static void conflict(const domains *d, int a, int b)
{
    lm_reader *r = d->r;
    lm_error(r->diag, d->s->elements.at[b].item.loc,
             "a bond joins %s and %s, but '%s' is %s, and '%s' is %s; between domains put a TF or "
             "a GY",
             lm_power_title(r, a), lm_power_title(r, b), d->s->elements.at[a].item.name,
             reason(d, a), d->s->elements.at[b].item.name, reason(d, b));
}

/* Tell the neighbours of the junctions in the queue. */
static int spread(domains *d)
{
    lm_spec_element *all = d->s->elements.at;
    while (d->head < d->tail) {
        int j = d->queue[d->head++];
        for (int i = 0; i < all[j].nbonds; i++) {
            int k = lm_bond_other(&d->s->bonds.at[all[j].bond[i]], j);
            if (!lm_power_is_junction((int)all[k].type)) continue;
            if (d->source[k] < 0) {
                all[k].domain = all[j].domain;
                d->source[k] = d->source[j];
                d->via[k] = j;
                d->queue[d->tail++] = k;
            } else if (all[k].domain != all[j].domain) {
                conflict(d, j, k);
                return -1;
            }
        }
    }
    return 0;
}

static int say(domains *d, int junction, lm_domain domain, int source)
{
    d->s->elements.at[junction].domain = domain;
    d->source[junction] = source;
    d->queue[d->tail++] = junction;
    return spread(d);
}

/* The domain of a port, and words for what it takes: "a force on the prismatic joint 'slide'". */
static lm_domain port_domain(lm_reader *r, const lm_power_in *in, const char **what)
{
    const lm_spec *s = r->spec;
    if (in->joint >= 0) {
        const lm_spec_joint *j = &s->joints.at[in->joint];
        lm_coord_kind kind = lm_joint_coord(j->type, in->coordinate);
        int angle = kind == LM_COORD_ANGLE || kind == LM_COORD_ANGLE1 || kind == LM_COORD_ANGLE2;
        *what = lm_arena_printf(&r->scratch, "a %s on the %s of joint '%s'",
                                angle ? "torque" : "force", lm_coord_name(kind), j->item.name);
        return angle ? LM_DOMAIN_ROTATION : LM_DOMAIN_TRANSLATION;
    }
    if (in->frame >= 0) {
        int torque = lm_power_has(in, "torque");
        *what = lm_arena_printf(&r->scratch, "a %s on '%s'", torque ? "torque" : "force",
                                s->frames.at[in->frame].name);
        return torque ? LM_DOMAIN_ROTATION : LM_DOMAIN_TRANSLATION;
    }
    *what = lm_arena_printf(&r->scratch, "a force between '%s' and '%s'",
                            s->frames.at[in->between[0]].name, s->frames.at[in->between[1]].name);
    return LM_DOMAIN_TRANSLATION;
}

static int tell_by_port(domains *d, const lm_power_in *in)
{
    lm_reader *r = d->r;
    lm_spec_element *all = d->s->elements.at;
    int junction = lm_bond_other(&d->s->bonds.at[in->bond], in->element);
    const char *what;
    lm_domain domain = port_domain(r, in, &what);
    all[in->element].domain = domain;
    if (d->source[junction] < 0) return say(d, junction, domain, in->element);
    if (all[junction].domain == domain) return 0;
    lm_error(r->diag, in->item.loc,
             "port '%s' takes %s, but %s is %s; between domains put a TF or "
             "a GY",
             in->item.name, what, lm_power_title(r, junction), reason(d, junction));
    return -1;
}

/* Junctions that bonds join have the number of the first of them; others that of theirs. */
static void number_regions(const domains *d, int *region)
{
    const lm_spec_element *all = d->s->elements.at;
    int n = d->s->elements.n;
    for (int i = 0; i < n; i++) region[i] = -1;
    for (int i = 0; i < n; i++) {
        if (!lm_power_is_junction((int)all[i].type) || region[i] >= 0) continue;
        int head = 0, tail = 0;
        region[i] = i;
        d->queue[tail++] = i;
        while (head < tail) {
            const lm_spec_element *j = &all[d->queue[head++]];
            for (int b = 0; b < j->nbonds; b++) {
                int k = lm_bond_other(&d->s->bonds.at[j->bond[b]], (int)(j - all));
                if (!lm_power_is_junction((int)all[k].type) || region[k] >= 0) continue;
                region[k] = i;
                d->queue[tail++] = k;
            }
        }
    }
    for (int i = 0; i < n; i++)
        if (region[i] < 0) region[i] = region[lm_bond_other(&d->s->bonds.at[all[i].bond[0]], i)];
}

int lm_power_domains(lm_reader *r, int *region)
{
    lm_spec *s = r->spec;
    int n = s->elements.n, rc = 0;
    domains d = {.r = r, .s = s};
    d.source = LM_NEW_N(r->arena, int, 3 * (size_t)n + 1);
    d.via = d.source + n;
    d.queue = d.via + n;
    for (int i = 0; i < n; i++) d.source[i] = d.via[i] = -1;
    for (int i = 0; i < n; i++) {
        const lm_spec_element *e = &s->elements.at[i];
        if (!lm_power_is_junction((int)e->type) || e->domain == LM_DOMAIN_NONE) continue;
        d.source[i] = i;
        d.queue[d.tail++] = i;
    }
    if (spread(&d)) return -1;
    for (int i = 0; i < r->power_in.n; i++)
        if (r->power_in.at[i].type == LM_ELEMENT_PORT && tell_by_port(&d, &r->power_in.at[i]))
            rc = -1;
    if (rc) return rc;
    number_regions(&d, region);
    for (int i = 0; i < n; i++) /* elements are of the domain of their first junction */
        if (!lm_power_is_junction((int)s->elements.at[i].type))
            s->elements.at[i].domain = s->elements.at[region[i]].domain;
    return 0;
}
