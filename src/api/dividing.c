/* Bodies that a run divides by itself: the model with a list of pieces, which its formulation reads. */
#include "api/dividing.h"

#include "analysis/small.h"
#include "api/api.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What else is wrong with a file is found, and said, where the run is resumed from it. */
static limber_status status_of(const char *error)
{
    return strstr(error, "out of memory") ? LIMBER_MEMORY : LIMBER_OK;
}

/* The list of an interrupted run, as its file has it. */
static limber_status read_frames(const lm_run *run, lm_dividing *d)
{
    char *text = NULL, error[300] = "";
    lm_h5 *f = NULL;
    if (!run->opt->resume || !run->opt->results) return LIMBER_OK;
    if (lm_h5_open(run->opt->results, LM_H5_READ, &f, error, sizeof error)) return status_of(error);
    int missing = lm_h5_read_attr_text(f, "/", "frames", &text);
    limber_status st = missing < 0 ? status_of(lm_h5_error(f)) : LIMBER_OK;
    char *at = text;
    for (int i = 0; i < run->model->nbodies && at && *at; i++)
        d->frames[i] = (int)strtol(at, &at, 10);
    lm_free(text);
    lm_h5_close(f);
    return st;
}

limber_status lm_dividing_begin(lm_run *run, lm_dividing *d)
{
    *d = (lm_dividing){.model = *run->model, .spec = *run->model->spec, .opt = *run->opt};
    d->messages = run->diag->list.n;
    d->frames = lm_alloc(sizeof(int) * (size_t)(run->model->nbodies + 1));
    if (!d->frames) return LIMBER_MEMORY;
    limber_status st = read_frames(run, d);
    if (st) return st;
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
                    .loaded = run->loaded,
                    .said = run->said,
                    .flushed = run->started,
                    .frames = d->frames};
}

void lm_dividing_tell(const lm_run *run, const lm_dividing *d)
{
    const lm_spec_body *body = d->spec.bodies.at;
    for (int i = 0; i < d->model.nbodies && run->sys; i++) {
        if (d->frames[i] == 0 || (i > 0 && lm_same_line(run, i, i - 1))) continue;
        lm_diag_add(run->diag, LM_NOTE, body[i].item.loc,
                    "beam '%s' turns far and is divided into %d floating frames; a run with "
                    "'substructures: %d' begins with them",
                    body[i].item.name, d->frames[i], d->frames[i]);
    }
}

void lm_dividing_end(lm_dividing *d) { lm_free(d->frames); }
