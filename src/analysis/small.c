#include "analysis/small.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define STRAIGHT 0.01 /* rad: it is not the rotation that counts */

void lm_small_look(lm_run *run, const double *q)
{
    lm_small *s = run->sys->small;
    if (s) s->look(s, q);
}

size_t lm_small_size(const lm_run *run)
{
    const lm_small *s = run->sys->small;
    return s ? 2 * (size_t)run->model->nbodies + (size_t)s->nextent : 0;
}

void lm_small_keep(const lm_run *run, double *to)
{
    const lm_small *s = run->sys->small;
    if (!s) return;
    lm_copy(to, s->turn, run->model->nbodies);
    lm_copy(to + run->model->nbodies, s->error, run->model->nbodies);
    lm_copy(to + 2 * run->model->nbodies, s->extent, s->nextent);
}

void lm_small_put_back(lm_run *run, const double *from)
{
    lm_small *s = run->sys->small;
    if (!s) return;
    lm_copy(s->turn, from, run->model->nbodies);
    lm_copy(s->error, from + run->model->nbodies, run->model->nbodies);
    lm_copy(s->extent, from + 2 * run->model->nbodies, s->nextent);
}

/* "turns by up to 1.2 rad within its floating frame, which can put its deflections off by 9 %: write ..." */
static void tell(const lm_small *s, int body, char *text, size_t size)
{
    char remedy[160], off[80] = "";
    double error = s->error[body];
    s->remedy(s, body, remedy, sizeof remedy);
    if (s->relative && error < 1)
        snprintf(off, sizeof off, ", which can put its deflections off by %.2g %%", 100 * error);
    else if (s->relative)
        snprintf(off, sizeof off, ", and results for so much mean nothing");
    if (s->relative && s->turn[body] < STRAIGHT)
        snprintf(text, size, "stretches within %s%s: %s", s->within, off, remedy);
    else
        snprintf(text, size, "turns by up to %.3g rad within %s%s: %s", s->turn[body], s->within,
                 off, remedy);
}

int lm_same_line(const lm_run *run, int a, int b)
{
    const lm_spec_body *body = run->model->spec->bodies.at;
    lm_loc x = body[a].item.loc, y = body[b].item.loc;
    return x.line == y.line && x.col == y.col && strcmp(x.file, y.file) == 0;
}

/* Of the bodies of one line the one that is worst. */
static int largest_of_line(const lm_run *run, lm_small *s, int first)
{
    int most = first;
    for (int i = first; i < run->model->nbodies; i++) {
        if (!lm_same_line(run, i, first)) continue;
        if (s->error[i] > s->error[most]) most = i;
        s->told[i] = 1;
    }
    return most;
}

void lm_small_warn(lm_run *run)
{
    lm_small *s = run->sys->small;
    char text[400];
    for (int i = 0; s && !run->again && i < run->model->nbodies; i++) {
        if (s->told[i] || s->error[i] <= s->most) continue;
        int most = largest_of_line(run, s, i);
        tell(s, most, text, sizeof text);
        const lm_spec_item *item = &run->model->spec->bodies.at[most].item;
        lm_warning(run->diag, item->loc, "body '%s' %s", item->name, text);
    }
}

/* Bodies of one line are divided alike: the others will soon turn as far. */
int lm_small_divide(lm_run *run)
{
    const lm_small *s = run->sys->small;
    if (!s || !s->divide || !run->frames) return 0;
    for (int i = 0; i < run->model->nbodies; i++) {
        int pieces = s->error[i] > s->most ? s->divide(s, i) : 0;
        for (int k = 0; k < run->model->nbodies && pieces; k++) {
            if (!lm_same_line(run, i, k) || run->frames[k] >= pieces) continue;
            run->frames[k] = pieces;
            run->again = 1;
        }
    }
    return run->again;
}

int lm_small_explain(lm_run *run, const double *q, char *text, size_t size)
{
    lm_small *s = run->sys->small;
    int n = run->model->nbodies, most = 0;
    if (!s || n == 0) return 0;
    memset(s->turn, 0, sizeof(double) * (size_t)n);
    memset(s->error, 0, sizeof(double) * (size_t)n);
    s->look(s, q);
    for (int i = 1; i < n; i++)
        if (s->error[i] > s->error[most]) most = i;
    if (s->error[most] <= s->most) return 0;
    int head = snprintf(text, size, "body '%s' ", run->model->spec->bodies.at[most].item.name);
    tell(s, most, text + head, size - (size_t)head);
    s->told[most] = 1;
    lm_small_divide(run);
    return 1;
}
