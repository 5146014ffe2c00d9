/* Messages about what stands inside a component: where it is used, which is what the user wrote. */
#include "model/components.h"

#include <string.h>

static int last_line(const lm_yaml *node)
{
    int most = node->loc.line, n = node->kind == LM_YAML_MAP ? 2 * node->n : node->n;
    for (int i = 0; node->kind != LM_YAML_SCALAR && i < n; i++) {
        int line = last_line(node->items[i]);
        most = line > most ? line : most;
    }
    return most;
}

static int before(lm_loc a, lm_loc b)
{
    return a.line < b.line || (a.line == b.line && a.col <= b.col);
}

/* The component in whose description the place is, or NULL. */
static const lm_component *component_at(const lm_parts *parts, lm_loc loc)
{
    lm_component *found = NULL;
    for (int i = 0; loc.file && i < parts->components.n; i++) {
        lm_component *c = parts->components.at[i];
        if (strcmp(c->loc.file, loc.file) == 0 && before(c->loc, loc) &&
            (!found || before(found->loc, c->loc)))
            found = c;
    }
    if (found && !found->last_line) found->last_line = last_line(found->node);
    return found && loc.line <= found->last_line ? found : NULL;
}

static int mentions(lm_reader *r, const char *text, const lm_instance *in)
{
    return strstr(text, lm_arena_printf(&r->scratch, "'%s.", in->name)) != NULL;
}

/* The instance of the component that the message names, else the first. */
static const lm_instance *instance_of(lm_reader *r, const lm_component *c, const char *text)
{
    const lm_instance *first = NULL;
    for (int i = 0; i < r->parts->instances.n; i++) {
        const lm_instance *in = r->parts->instances.at[i];
        if (!in || in->component != c) continue;
        if (mentions(r, text, in)) return in;
        if (!first) first = in;
    }
    return first;
}

void lm_note_uses(lm_reader *r)
{
    lm_diag *d = r->diag;
    for (int i = 0; r->parts && i < d->list.n; i++) {
        lm_message *m = &d->list.at[i];
        const lm_component *c = component_at(r->parts, m->loc);
        const lm_instance *in = c ? instance_of(r, c, m->text) : NULL;
        while (in && in->outer) in = in->outer;
        if (!in || in->component->bad) continue;      /* wrong in itself, however it is used */
        if (strstr(m->text, ", used as '")) continue; /* of a file that was read before */
        char *text =
            lm_arena_printf(&d->arena, "%s (in component '%s', used as '%s' at %s:%d)", m->text,
                            in->component->name, in->name, in->loc.file, in->loc.line);
        if (text) m->text = text;
        lm_scratch_trim(r);
    }
}
