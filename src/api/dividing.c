/* Bodies that a run divides by itself: the model with a list of pieces, which its formulation reads. */
#include "api/dividing.h"

#include "api/api.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The list of an interrupted run, as its file has it. */
static void read_frames(const lm_run *run, lm_dividing *d)
{
    char *text = NULL;
    lm_h5 *f = NULL;
    if (!run->opt->resume || !run->opt->results ||
        lm_h5_open(run->opt->results, LM_H5_READ, &f, NULL, 0))
        return;
    if (!lm_h5_read_attr_text(f, "/", "frames", &text)) {
        char *at = text;
        for (int i = 0; i < run->model->nbodies && *at; i++)
            d->frames[i] = (int)strtol(at, &at, 10);
    }
    lm_free(text);
    lm_h5_close(f);
}

limber_status lm_dividing_begin(lm_run *run, lm_dividing *d)
{
    *d = (lm_dividing){.model = *run->model, .spec = *run->model->spec, .opt = *run->opt};
    d->messages = run->diag->list.n;
    d->frames = lm_alloc(sizeof(int) * (size_t)(run->model->nbodies + 1));
    if (!d->frames) return LIMBER_MEMORY;
    read_frames(run, d);
    d->spec.formulation.frames = d->frames;
    d->model.spec = &d->spec;
    run->model = &d->model;
    run->opt = &d->opt;
    run->frames = d->frames;
    return LIMBER_OK;
}

/* What was said of the run that is given up goes, and its file. */
void lm_dividing_anew(lm_run *run, lm_dividing *d)
{
    run->diag->list.n = d->messages;
    lm_release(run);
    d->opt.resume = 0;
    if (d->opt.results) remove(d->opt.results);
    *run = (lm_run){.model = run->model,
                    .opt = run->opt,
                    .diag = run->diag,
                    .sum = run->sum,
                    .started = run->started,
                    .flushed = run->started,
                    .frames = d->frames};
}

static int same_place(lm_loc a, lm_loc b) { return a.line == b.line && a.col == b.col; }

void lm_dividing_tell(const lm_run *run, const lm_dividing *d)
{
    const lm_spec_body *body = d->spec.bodies.at;
    for (int i = 0; i < d->model.nbodies && run->sys; i++) {
        lm_loc at = body[i].item.loc;
        if (d->frames[i] == 0 || (i > 0 && same_place(at, body[i - 1].item.loc))) continue;
        lm_diag_add(run->diag, LM_NOTE, at,
                    "beam '%s' turns far and is divided into %d floating frames; a run with "
                    "'substructures: %d' begins with them",
                    body[i].item.name, d->frames[i], d->frames[i]);
    }
}

void lm_dividing_end(lm_dividing *d) { lm_free(d->frames); }
