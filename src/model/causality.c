/* Causality: for each bond, which of its ends gives the effort and which the flow.
 *
 * The procedure of Karnopp, Margolis and Rosenberg: sources and ports have theirs, storages get
 * integral causality where that is possible, resistances the one that their law likes; after each
 * choice everything that follows from it is assigned:
 *     1-junction   one bond brings the flow, all others bring efforts
 *     0-junction   one bond brings the effort, all others bring flows
 *     TF           an effort goes in on one side and out on the other
 *     GY           efforts go in on both sides, or out on both
 * A choice that leads to a contradiction is turned round; when that contradicts too, the last choice
 * before it. What follows from sources and ports alone cannot be turned round: an error. */
#include "model/power.h"

#include <stdlib.h>
#include <string.h>

enum { TRIES = 200000 }; /* choices before it is given up */

typedef struct choice {
    int bond, stroke;
    int turned; /* the other way round already */
    int mark;   /* trail before it */
} choice;

typedef struct causality {
    lm_reader *r;
    lm_spec *s;
    int *why; /* [bonds] the element that a stroke follows from, -1: its own one-port's, a choice */
    int *trail; /* bonds in the order in which they got their strokes */
    int ntrail, head;
    int clash; /* the element at which a contradiction was found */
} causality;

/* 1: the bond brings an effort to the element; 0: a flow; -1: not known. */
static int brings_effort(const causality *c, int bond, int element)
{
    const lm_spec_bond *b = &c->s->bonds.at[bond];
    return b->stroke < 0 ? -1 : (b->to == element) == b->stroke;
}

/* The stroke of a bond that brings an effort (or not) to the element. */
static int stroke_for(const causality *c, int bond, int element, int effort)
{
    return (c->s->bonds.at[bond].to == element) == effort;
}

static void assign(causality *c, int bond, int stroke, int why)
{
    c->s->bonds.at[bond].stroke = stroke;
    c->why[bond] = why;
    c->trail[c->ntrail++] = bond;
}

static void undo(causality *c, int mark)
{
    while (c->ntrail > mark) c->s->bonds.at[c->trail[--c->ntrail]].stroke = -1;
    c->head = mark;
}

/* Exactly one bond of a junction brings `strong` (1 effort: 0-junction, 0 flow: 1-junction). */
static int junction(causality *c, int element, int strong)
{
    const lm_spec_element *e = &c->s->elements.at[element];
    int givers = 0, open = 0, last = -1;
    for (int i = 0; i < e->nbonds; i++) {
        int brings = brings_effort(c, e->bond[i], element);
        givers += brings == strong;
        open += brings < 0;
        if (brings < 0) last = e->bond[i];
    }
    if (givers > 1 || (!givers && !open)) return -1;
    if (givers == 1)
        for (int i = 0; open && i < e->nbonds; i++)
            if (brings_effort(c, e->bond[i], element) < 0)
                assign(c, e->bond[i], stroke_for(c, e->bond[i], element, !strong), element);
    if (!givers && open == 1) assign(c, last, stroke_for(c, last, element, strong), element);
    return 0;
}

static int two_port(causality *c, int element)
{
    const lm_spec_element *e = &c->s->elements.at[element];
    int a = brings_effort(c, e->bond[0], element), b = brings_effort(c, e->bond[1], element);
    int opposite = e->type == LM_ELEMENT_TF;
    if (a >= 0 && b >= 0) return (a != b) == opposite ? 0 : -1;
    if (a >= 0) assign(c, e->bond[1], stroke_for(c, e->bond[1], element, a ^ opposite), element);
    if (b >= 0) assign(c, e->bond[0], stroke_for(c, e->bond[0], element, b ^ opposite), element);
    return 0;
}

static int look_at(causality *c, int element)
{
    int rc = 0;
    switch (c->s->elements.at[element].type) {
    case LM_ELEMENT_ONE: rc = junction(c, element, 0); break;
    case LM_ELEMENT_ZERO: rc = junction(c, element, 1); break;
    case LM_ELEMENT_TF:
    case LM_ELEMENT_GY: rc = two_port(c, element); break;
    default: break;
    }
    if (rc) c->clash = element;
    return rc;
}

/* Everything that follows from the strokes since c->head. */
static int propagate(causality *c)
{
    while (c->head < c->ntrail) {
        const lm_spec_bond *b = &c->s->bonds.at[c->trail[c->head++]];
        int from = b->from, to = b->to;
        if (look_at(c, from) || look_at(c, to)) return -1;
    }
    return 0;
}

/* --- contradictions between sources and ports --- */

typedef struct search { /* from a contradiction back to the one-ports that it comes from */
    unsigned char *seen;
    int *stack, top;
} search;

/* The bonds of an element that its clash, or the stroke of `bond`, follows from: of a junction that
 * has its strong bond that one, else all others. */
static void push_causes(const causality *c, search *w, int element, int bond)
{
    const lm_spec_element *e = &c->s->elements.at[element];
    int junction = lm_power_is_junction((int)e->type), strong = e->type == LM_ELEMENT_ZERO;
    int only_strong = 0;
    for (int i = 0; junction && i < e->nbonds; i++)
        only_strong |= e->bond[i] != bond && brings_effort(c, e->bond[i], element) == strong;
    for (int i = 0; i < e->nbonds; i++) {
        int k = e->bond[i], brings = brings_effort(c, k, element);
        if (k == bond || brings < 0 || w->seen[k] || (only_strong && brings != strong)) continue;
        w->seen[k] = 1;
        w->stack[w->top++] = k;
    }
}

static int ascending(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

/* The one-ports that the strokes at the clash come from, as the file has them. */
static int roots(const causality *c, int *out)
{
    const lm_spec *s = c->s;
    search w = {.seen = LM_NEW_N(c->r->arena, unsigned char, (size_t)s->bonds.n + 1)};
    int n = 0;
    w.stack = LM_NEW_N(c->r->arena, int, (size_t)s->bonds.n + 1);
    push_causes(c, &w, c->clash, -1);
    while (w.top) {
        int b = w.stack[--w.top], from = s->bonds.at[b].from;
        if (c->why[b] >= 0)
            push_causes(c, &w, c->why[b], b);
        else
            out[n++] =
                lm_power_is_junction((int)s->elements.at[from].type) ? s->bonds.at[b].to : from;
    }
    if (n) qsort(out, (size_t)n, sizeof *out, ascending);
    return n;
}

static const char *remedy(const causality *c, const int *root, int n)
{
    int ports = 0, flows = 0, port = -1;
    for (int i = 0; i < n; i++) {
        const lm_spec_element *e = &c->s->elements.at[root[i]];
        ports += e->type == LM_ELEMENT_PORT;
        flows += e->type == LM_ELEMENT_SF;
        if (e->type == LM_ELEMENT_PORT && e->joint >= 0) port = e->joint;
    }
    if (flows && port >= 0)
        return lm_arena_printf(&c->r->scratch,
                               "to prescribe the motion of joint '%s', use its 'drive'; else put "
                               "a C or an R on a 0-junction between them",
                               c->s->joints.at[port].item.name);
    if (ports > 1)
        return "the mechanism sets the flow of a port: couple them by a C (the compliance of a "
               "shaft or a hose) on a 0-junction between them";
    return "put an R or a storage between them";
}

/* No way to assign the rest: the junctions at the last contradiction are named. */
static int impossible(const causality *c)
{
    lm_error(c->r->diag, c->s->elements.at[c->clash].item.loc,
             "the power graph contradicts itself at %s: there is no way to determine all efforts "
             "and flows around it; add an R or a storage, or remove a bond that closes a loop",
             lm_power_title(c->r, c->clash));
    return -1;
}

/* "Sf 'a' and port 'b' both set the flow of": what the one-ports do to the element of the clash. */
static const char *what_clashes(const causality *c, int n)
{
    const lm_spec_element *e = &c->s->elements.at[c->clash];
    int efforts = 0;
    for (int i = 0; i < e->nbonds; i++) efforts += brings_effort(c, e->bond[i], c->clash) == 1;
    if (e->type == LM_ELEMENT_ONE && efforts < e->nbonds)
        return n == 2 ? "both set the flow of" : "all set the flow of";
    if (e->type == LM_ELEMENT_ZERO && efforts)
        return n == 2 ? "both set the effort of" : "all set the effort of";
    if (e->type == LM_ELEMENT_ONE) return NULL;
    if (e->type == LM_ELEMENT_ZERO) return NULL;
    if (e->type == LM_ELEMENT_GY) return "set the effort on one side and the flow on the other of";
    return efforts ? "set the efforts on both sides of" : "set the flows on both sides of";
}

static const char *title_list(lm_reader *r, const int *element, int n)
{
    const char *text = "";
    for (int i = 0; i < n; i++)
        text = lm_arena_printf(&r->scratch, "%s%s%s", text,
                               !i           ? ""
                               : i == n - 1 ? " and "
                                            : ", ",
                               lm_power_title(r, element[i]));
    return text;
}

static int report(const causality *c)
{
    lm_reader *r = c->r;
    int *root = LM_NEW_N(r->arena, int, (size_t)c->s->bonds.n + 1), n = roots(c, root);
    const lm_spec_element *e = &c->s->elements.at[c->clash];
    const char *what = what_clashes(c, n), *names = title_list(r, root, n);
    if (n == 0) return impossible(c);
    if (!what)
        lm_error(r->diag, e->item.loc,
                 "nothing sets the %s of %s: %s set%s its %s only; add an R or a storage",
                 e->type == LM_ELEMENT_ONE ? "flow" : "effort", lm_power_title(r, c->clash), names,
                 n == 1 ? "s" : "", e->type == LM_ELEMENT_ONE ? "efforts" : "flows");
    else
        lm_error(r->diag, e->item.loc, "the power graph contradicts itself: %s %s %s; %s", names,
                 what, lm_power_title(r, c->clash), remedy(c, root, n));
    return -1;
}

/* --- the procedure --- */

/* Sources and ports: the bond of element i is told by itself. */
static int fixed(causality *c)
{
    for (int i = 0; i < c->s->elements.n; i++) {
        const lm_spec_element *e = &c->s->elements.at[i];
        int takes_effort = e->type == LM_ELEMENT_SF || e->type == LM_ELEMENT_PORT;
        if (!takes_effort && e->type != LM_ELEMENT_SE) continue;
        int bond = e->bond[0], stroke = stroke_for(c, bond, i, takes_effort);
        if (c->s->bonds.at[bond].stroke == !stroke) { /* others have told it otherwise */
            c->clash = lm_bond_other(&c->s->bonds.at[bond], i);
            c->s->bonds.at[bond].stroke = stroke;
            c->why[bond] = -1;
            return report(c);
        }
        if (c->s->bonds.at[bond].stroke < 0) assign(c, bond, stroke, -1);
        c->why[bond] = -1;
        if (propagate(c)) return report(c);
    }
    return 0;
}

/* The strokes that elements like, the most important first. */
static int preferences(const causality *c, choice *out)
{
    const lm_reader *r = c->r;
    int n = 0;
    for (int pass = 0; pass < 4; pass++)
        for (int k = 0; k < r->power_in.n; k++) {
            const lm_power_in *in = &r->power_in.at[k];
            int storage = in->type == LM_ELEMENT_C || in->type == LM_ELEMENT_I;
            int started =
                storage &&
                (lm_power_has(in, "initial") ||
                 lm_power_has(in, in->type == LM_ELEMENT_C ? "initial_effort" : "initial_flow"));
            /* only linear laws can be turned round */
            int bent = storage && lm_power_slope(in) == 0;
            int now = bent ? 0 : storage ? 1 + !started : in->type == LM_ELEMENT_R ? 3 : -1;
            if (now != pass) continue;
            int effort_in =
                in->type == LM_ELEMENT_I || (in->type == LM_ELEMENT_R && lm_power_has(in, "flow"));
            out[n++] = (choice){in->bond, stroke_for(c, in->bond, in->element, effort_in), 0, 0};
        }
    for (int b = 0; b < c->s->bonds.n; b++) out[n++] = (choice){b, 1, 0, 0};
    return n;
}

/* Choose from number `at` on; `made` is the stack of choices. */
static int choose(causality *c, choice *want, int n)
{
    int *made = LM_NEW_N(c->r->arena, int, (size_t)n + 1), top = 0, tries = 0;
    for (int at = 0; at < n; at++) {
        if (c->s->bonds.at[want[at].bond].stroke >= 0) continue;
        want[at].mark = c->ntrail;
        want[at].turned = 0;
        made[top++] = at;
        assign(c, want[at].bond, want[at].stroke, -1);
        while (propagate(c)) {
            while (top && want[made[top - 1]].turned) top--;
            if (!top || ++tries > TRIES) return -1;
            at = made[top - 1];
            undo(c, want[at].mark);
            want[at].turned = 1;
            assign(c, want[at].bond, !want[at].stroke, -1);
        }
    }
    return 0;
}

/* A storage whose state follows from others cannot be given one. */
static int note_derivatives(causality *c)
{
    lm_reader *r = c->r;
    int rc = 0;
    for (int k = 0; k < r->power_in.n; k++) {
        const lm_power_in *in = &r->power_in.at[k];
        int is_c = in->type == LM_ELEMENT_C;
        if (!is_c && in->type != LM_ELEMENT_I) continue;
        lm_spec_element *e = &c->s->elements.at[in->element];
        e->derivative = brings_effort(c, in->bond, in->element) == is_c;
        const char *key = is_c ? "initial_effort" : "initial_flow";
        if (lm_power_has(in, "initial")) key = "initial";
        if (!e->derivative || !lm_power_has(in, key)) continue;
        if (strchr(in->item.name, '.')) { /* a part of a component, which cannot know */
            lm_diag_add(
                r->diag, LM_NOTE, in->item.loc,
                "%s: its %s follows from the other elements from the start on; its own initial "
                "value is not used",
                lm_power_title(r, in->element), is_c ? "effort" : "flow");
            continue;
        }
        lm_error(r->diag, in->item.loc,
                 "'%s' in %s: its %s follows from the other elements (derivative causality) and "
                 "has no initial value of its own; remove it",
                 key, lm_power_title(r, in->element), is_c ? "effort" : "flow");
        rc = -1;
    }
    return rc;
}

int lm_power_causality(lm_reader *r)
{
    lm_spec *s = r->spec;
    size_t nb = (size_t)s->bonds.n;
    causality c = {.r = r, .s = s, .clash = -1};
    c.why = LM_NEW_N(r->arena, int, nb + 1);
    c.trail = LM_NEW_N(r->arena, int, nb + 1);
    choice *want = LM_NEW_N(r->arena, choice, 2 * nb + 1);
    for (int i = 0; i < s->elements.n;
         i++) /* junctions with one bond, which tell it by themselves */
        if (lm_power_is_junction((int)s->elements.at[i].type) && look_at(&c, i)) return report(&c);
    if (propagate(&c)) return report(&c);
    if (fixed(&c)) return -1;
    if (choose(&c, want, preferences(&c, want))) return impossible(&c);
    return note_derivatives(&c);
}
