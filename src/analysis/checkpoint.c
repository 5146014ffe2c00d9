/* Checkpoints of a dynamics run: one block of bytes. */
#include "analysis/events.h"
#include "analysis/mesh.h"
#include "analysis/range.h"
#include "analysis/small.h"
#include "analysis/turns.h"
#include "analysis/zones.h"
#include "form/history.h"

#include <stdio.h>
#include <string.h>

typedef struct header {
    char magic[8];
    double block_size, nl, index; /* must match the model */
    double rows, steps_rows;      /* rows of the tables that belong to it */
    double redundant, sum_rows;
} header;

static const char magic[8] = "limber1";

static size_t discrete_size(const lm_dynamics_run *d)
{
    const lm_discrete *x = d->g->sys->discrete;
    return x ? sizeof(double) * (size_t)x->size : 0;
}

static size_t doubt_size(const lm_dynamics_run *d)
{
    return d->run->doubt ? sizeof(double) * lm_quality_size(d->run) : 0;
}

static size_t drives_size(const lm_dynamics_run *d)
{
    return lm_drives_said(d) ? (size_t)d->g->sys->nl : 0;
}

static size_t events_size(const lm_dynamics_run *d)
{
    return d->events ? sizeof(double) * (size_t)d->events->size : 0;
}

static size_t zones_size(const lm_dynamics_run *d)
{
    return d->zones ? sizeof(double) * (size_t)d->zones->size : 0;
}

/* ---- what has been the largest so far, of which warnings at the end tell ---- */

static size_t largest_size(const lm_dynamics_run *d)
{
    size_t n = lm_small_size(d->run) + lm_range_size(d->run) + lm_turns_size(d->run) +
               lm_mesh_size(d->run);
    return sizeof(double) * (n + 1);
}

static void keep_largest(const lm_dynamics_run *d, double *to)
{
    lm_small_keep(d->run, to), to += lm_small_size(d->run);
    lm_range_keep(d->run, to), to += lm_range_size(d->run);
    lm_turns_keep(d->run, to), to += lm_turns_size(d->run);
    lm_mesh_keep(d->run, to), to += lm_mesh_size(d->run);
    *to = d->g->sys->motion ? d->g->sys->motion->largest : 0;
}

static void put_back_largest(lm_dynamics_run *d, const double *from)
{
    lm_small_put_back(d->run, from), from += lm_small_size(d->run);
    lm_range_put_back(d->run, from), from += lm_range_size(d->run);
    lm_turns_put_back(d->run, from), from += lm_turns_size(d->run);
    lm_mesh_put_back(d->run, from), from += lm_mesh_size(d->run);
    if (d->g->sys->motion) d->g->sys->motion->largest = *from;
}

static size_t fixed_size(const lm_dynamics_run *d)
{
    return sizeof(header) + sizeof(lm_dynamics_state) + sizeof(lm_step_stats) +
           d->g->block_size * sizeof(double) + (size_t)d->g->sys->nl + discrete_size(d) +
           events_size(d) + zones_size(d) + doubt_size(d) + drives_size(d) + largest_size(d);
}

/* Of histories: all that there is, or all that there is room for. */
static size_t histories_size(const lm_dynamics_run *d, int room)
{
    const lm_discrete *x = d->g->sys->discrete;
    size_t n = 0;
    for (int k = 0; x && k < x->ndelays; k++)
        n += (size_t)(room ? x->history[k].room : (int)*x->history[k].count);
    return n * sizeof(lm_history_piece);
}

limber_status lm_checkpoint_reserve(lm_dynamics_run *d)
{
    size_t size = fixed_size(d) + histories_size(d, 1);
    if (size <= d->snapshot_room) return LIMBER_OK;
    char *more = lm_realloc(d->snapshot, size);
    if (!more) return LIMBER_MEMORY;
    memset(more + d->snapshot_room, 0, size - d->snapshot_room);
    d->snapshot = more;
    d->snapshot_room = size;
    return LIMBER_OK;
}

limber_status lm_checkpoint_open(lm_dynamics_run *d)
{
    d->extremes = lm_alloc(largest_size(d));
    return d->extremes ? lm_checkpoint_reserve(d) : LIMBER_MEMORY;
}

/* Copy the parts to or from the block, in one order. */
static void exchange(lm_dynamics_run *d, char *p, int save)
{
    const lm_discrete *x = d->g->sys->discrete;
    struct {
        void *at;
        size_t size;
    } part[] = {{d->k, sizeof *d->k},
                {&d->g->stats, sizeof d->g->stats},
                {d->g->block, d->g->block_size * sizeof(double)},
                {d->g->sys->active, (size_t)d->g->sys->nl},
                {x ? x->block : NULL, discrete_size(d)},
                {d->events ? d->events->block : NULL, events_size(d)},
                {d->zones ? d->zones->block : NULL, zones_size(d)},
                {d->run->doubt, doubt_size(d)},
                {lm_drives_said(d), drives_size(d)},
                {d->extremes, largest_size(d)}};
    if (save) keep_largest(d, d->extremes);
    p += sizeof(header);
    for (size_t i = 0; i < sizeof part / sizeof part[0]; i++) {
        if (!part[i].size) continue;
        if (save)
            memcpy(p, part[i].at, part[i].size);
        else
            memcpy(part[i].at, p, part[i].size);
        p += part[i].size;
    }
    if (!save) put_back_largest(d, d->extremes);
}

/* The histories, whose lengths are known; p behind the rest. */
static void exchange_histories(lm_dynamics_run *d, char *p, int save)
{
    const lm_discrete *x = d->g->sys->discrete;
    for (int k = 0; x && k < x->ndelays; k++) {
        lm_history *h = &x->history[k];
        size_t size = (size_t)*h->count * sizeof *h->piece;
        if (!size) continue;
        memcpy(save ? p : (char *)h->piece, save ? (char *)h->piece : p, size);
        p += size;
    }
}

/* Room for histories as long as the heads say that have been read. 1: they say nothing of the kind. */
static int make_room(lm_dynamics_run *d, size_t size)
{
    const lm_discrete *x = d->g->sys->discrete;
    size_t most = size / sizeof(lm_history_piece);
    for (int k = 0; x && k < x->ndelays; k++) {
        double n = *x->history[k].count;
        if (!(n >= 0 && n <= (double)most)) return 1;
    }
    if (histories_size(d, 0) != size) return 1;
    for (int k = 0; x && k < x->ndelays; k++)
        if (lm_history_grow(&x->history[k], (int)*x->history[k].count)) return -1;
    return lm_checkpoint_reserve(d) ? -1 : 0;
}

void lm_checkpoint_take(lm_dynamics_run *d)
{
    lm_run *run = d->run;
    header h = {.block_size = (double)d->g->block_size,
                .nl = d->g->sys->nl,
                .index = run->index,
                .redundant = d->redundant,
                .sum_rows = (double)run->sum->rows};
    memcpy(h.magic, magic, sizeof magic);
    if (run->file) {
        h.rows = (double)lm_h5_rows(run->file, run->tables.results);
        h.steps_rows = (double)lm_h5_rows(run->file, run->tables.steps);
    }
    d->k->since_checkpoint = 0;
    lm_integrator_refresh(d->g);
    memcpy(d->snapshot, &h, sizeof h);
    exchange(d, d->snapshot, 1);
    exchange_histories(d, d->snapshot + fixed_size(d), 1);
    d->snapshot_size = fixed_size(d) + histories_size(d, 0);
    d->snapshot_taken = 1;
}

static void path_of(const lm_dynamics_run *d, char *path, size_t size)
{
    snprintf(path, size, "%s/checkpoint", d->run->tables.group);
}

limber_status lm_checkpoint_write(lm_dynamics_run *d)
{
    lm_run *run = d->run;
    char path[96];
    if (!run->file || !d->snapshot_taken) return LIMBER_OK;
    path_of(d, path, sizeof path);
    if (lm_h5_write_blob(run->file, path, d->snapshot, d->snapshot_size))
        return lm_record_failed(run);
    return lm_record_flush(run);
}

static limber_status truncate_tables(const lm_dynamics_run *d, long rows, long steps)
{
    limber_status st = lm_record_truncate(d->run, rows, steps);
    return st || !d->events ? st : lm_record_truncate_events(d->run, (long)*d->events->count);
}

/* What is left of a checkpoint that belongs to the model. */
static void take_up(lm_dynamics_run *d, char *data, size_t size, const header *h)
{
    exchange_histories(d, data + fixed_size(d), 0);
    memcpy(d->snapshot, data, size);
    d->snapshot_size = size;
    d->redundant = (int)h->redundant;
    d->snapshot_taken = 1;
    d->run->sum->rows = (long)h->sum_rows;
}

limber_status lm_checkpoint_read(lm_dynamics_run *d, int *found)
{
    lm_run *run = d->run;
    char path[96];
    void *data = NULL;
    size_t size = 0;
    header h;
    path_of(d, path, sizeof path);
    int got = lm_h5_read_blob(run->file, path, &data, &size);
    *found = got != 1;
    if (got < 0) return lm_record_failed(run);
    if (!*found) return truncate_tables(d, 0, 0);
    int fits = got == 0 && size >= fixed_size(d), room = 1;
    if (fits) {
        memcpy(&h, data, sizeof h);
        fits = memcmp(h.magic, magic, sizeof magic) == 0 &&
               h.block_size == (double)d->g->block_size && h.nl == d->g->sys->nl;
    }
    if (fits) {
        exchange(d, data, 0);
        room = make_room(d, size - fixed_size(d));
        fits = room <= 0;
    }
    if (fits && !room) take_up(d, data, size, &h);
    lm_free(data);
    if (room < 0) return LIMBER_MEMORY;
    if (!fits)
        return lm_stop(run, LIMBER_INPUT, "%s: its checkpoint does not belong to this model",
                       run->opt->results);
    return truncate_tables(d, (long)h.rows, (long)h.steps_rows);
}
