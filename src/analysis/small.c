#include "analysis/small.h"

#include <stdio.h>
#include <string.h>

void lm_small_look(lm_run *run, const double *q)
{
    lm_small *s = run->sys->small;
    if (s) s->look(s, q);
}

/* "turns by up to 1.2 rad within its floating frame, and this formulation ...: write ..." */
static void tell(const lm_small *s, int body, char *text, size_t size)
{
    char remedy[160];
    s->remedy(s, body, remedy, sizeof remedy);
    snprintf(text, size,
             "turns by up to %.3g rad within %s, and this formulation is for small deformations "
             "there: %s",
             s->turn[body], s->within, remedy);
}

/* Bodies of one line of the model, link(1..100), are one to its reader: the one that turns most. */
static int largest_of_line(const lm_run *run, lm_small *s, int first)
{
    const lm_spec_body *body = run->model->spec->bodies.at;
    lm_loc loc = body[first].item.loc;
    int most = first;
    for (int i = first; i < run->model->nbodies; i++) {
        lm_loc at = body[i].item.loc;
        if (at.line != loc.line || at.col != loc.col || strcmp(at.file, loc.file) != 0) continue;
        if (s->turn[i] > s->turn[most]) most = i;
        s->told[i] = 1;
    }
    return most;
}

void lm_small_warn(lm_run *run)
{
    lm_small *s = run->sys->small;
    char text[320];
    for (int i = 0; s && i < run->model->nbodies; i++) {
        if (s->told[i] || s->turn[i] <= s->most) continue;
        int most = largest_of_line(run, s, i);
        tell(s, most, text, sizeof text);
        const lm_spec_item *item = &run->model->spec->bodies.at[most].item;
        lm_warning(run->diag, item->loc, "body '%s' %s", item->name, text);
    }
}

int lm_small_explain(lm_run *run, const double *q, char *text, size_t size)
{
    lm_small *s = run->sys->small;
    int n = run->model->nbodies, most = 0;
    if (!s || n == 0) return 0;
    memset(s->turn, 0, sizeof(double) * (size_t)n);
    s->look(s, q);
    for (int i = 1; i < n; i++)
        if (s->turn[i] > s->turn[most]) most = i;
    if (s->turn[most] <= s->most) return 0;
    int head = snprintf(text, size, "body '%s' ", run->model->spec->bodies.at[most].item.name);
    tell(s, most, text + head, size - (size_t)head);
    s->told[most] = 1;
    return 1;
}
