/* What a run estimates that its approximations put results off by. */
#include "list.h"
#include "show.h"

#include <string.h>

static int same(const limber_effect *a, const limber_effect *b)
{
    return !strcmp(a->analysis, b->analysis) && !strcmp(a->what, b->what) &&
           !strcmp(a->on, b->on) && !strcmp(a->output, b->output);
}

void effects_add(void *list, const limber_effect *effect)
{
    effect_list *l = list;
    for (int i = 0; i < l->n; i++) {
        if (!same(&l->at[i], effect)) continue;
        if (effect->size > l->at[i].size) l->at[i].size = effect->size;
        return;
    }
    limber_effect *at = list_grow(l->at, l->n, &l->room, sizeof *at);
    l->failed |= !at;
    if (!at) return;
    l->at = at;
    l->at[l->n++] = *effect;
}

void show_effects_json(FILE *out, const effect_list *l)
{
    if (l->n == 0) return;
    fprintf(out, ", \"left_out\": [");
    for (int i = 0; i < l->n; i++) {
        const limber_effect *e = &l->at[i];
        fprintf(out, "%s{\"analysis\": ", i ? ", " : "");
        json_text(out, e->analysis);
        fprintf(out, ", \"what\": ");
        json_text(out, e->what);
        fprintf(out, ", \"on\": ");
        json_text(out, e->on);
        fprintf(out, ", \"output\": ");
        json_text(out, e->output);
        json_number(out, "size", e->size);
        fprintf(out, "}");
    }
    fprintf(out, "]");
}
