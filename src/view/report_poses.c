/* Poses and colours of an analysis.
 *
 * A large model does not fit the file at full precision. How coarse it has to be is found on some
 * chunks before all of them are coded: positions and turns are rounded to more and more of their
 * bits, down to what a screen shows, then frames are left out. Colours have their own share. */
#include "view/report_int.h"

#include "view/codec.h"
#include "view/cuts.h"

#include <math.h>
#include <string.h>

enum {
    FINEST = 24, /* positions in 2^-24 of the size of the drawing, */
    COARSEST = 13,
    TURN = 2,       /* turns in 2^2 times that part of 1 */
    SAMPLES = 4,    /* chunks on which it is tried */
    KEPT = 1 << 29, /* most bytes of cuts that are kept between the first look and the coding */
    LAST_GRAIN = 8
};

typedef struct film {
    lm_report_part *p;
    lm_rows t;
    lm_cuts *cuts; /* NULL: no colours */
    lm_pose_codec codec;
    int chunk; /* frames of one */
    int nchunks;
    lm_colour_range range[LM_CUTS];
    int known[LM_CUTS]; /* some value of it is a number */
    int grain;
    double far;            /* largest distance of a position from the origin */
    double *rows, *values; /* frames of a chunk; cuts of a frame */
    float *cut;  /* the same [LM_CUTS][count]; of all frames one after the other if they fit */
    long stride; /* of the rows when they were first looked at */
    int kept;    /* 1: they do */
    unsigned char *raw, *colour[LM_CUTS], *last;
    int *ids; /* [nchunks] of the poses, then of each quantity */
} film;

/* ---- making ---- */

/* Frames of a chunk: about 8 MB of integers, which a page decodes in a blink. */
static int chunk_frames(int count)
{
    int n = (1 << 21) / (7 * count);
    return n < 8 ? 8 : n > 256 ? 256 : n;
}

static void set_chunks(film *f) { f->nchunks = (int)((f->t.kept + f->chunk - 1) / f->chunk); }

static int reserve(film *f)
{
    int count = f->t.ncols / 7, values = f->cuts ? lm_cuts_count(f->cuts) : 0;
    f->chunk = chunk_frames(count);
    if (f->chunk > f->t.kept) f->chunk = (int)f->t.kept;
    set_chunks(f);
    size_t frames = (size_t)f->chunk, colours = frames * (size_t)values;
    if (lm_pose_codec_make(&f->codec, count)) return 2;
    f->rows = lm_alloc(sizeof(double) * frames * (size_t)f->t.ncols);
    f->values = lm_alloc(sizeof(double) * LM_CUTS * (size_t)values);
    f->raw = lm_alloc(lm_pose_chunk_size(&f->codec, f->chunk) + LM_CUTS * colours);
    f->last = lm_alloc(LM_CUTS * (size_t)values);
    size_t bytes = sizeof(float) * LM_CUTS * (size_t)values;
    f->kept = bytes && (size_t)f->t.kept <= KEPT / bytes;
    f->cut = lm_alloc(f->kept ? bytes * (size_t)f->t.kept : bytes);
    f->ids = lm_alloc(sizeof(int) * (1 + LM_CUTS) * (size_t)f->nchunks);
    if (!f->rows || !f->values || !f->raw || !f->last || !f->cut || !f->ids) return 2;
    for (int q = 0; q < LM_CUTS; q++)
        f->colour[q] = f->raw + lm_pose_chunk_size(&f->codec, f->chunk) + (size_t)q * colours;
    for (int i = 0; i < 3; i++)
        f->codec.origin[i] = 0.5 * (f->p->scene->low[i] + f->p->scene->high[i]);
    return 0;
}

static void release(film *f)
{
    lm_rows_close(&f->t);
    lm_cuts_free(f->cuts);
    lm_pose_codec_free(&f->codec);
    lm_free(f->rows);
    lm_free(f->values);
    lm_free(f->raw);
    lm_free(f->last);
    lm_free(f->cut);
    lm_free(f->ids);
}

static int chunk_length(const film *f, int k)
{
    long n = f->t.kept - (long)k * f->chunk;
    return n < f->chunk ? (int)n : f->chunk;
}

/* Frames of chunk k, read into f->rows. -1: they cannot be read. */
static int load_chunk(film *f, int k)
{
    int n = chunk_length(f, k);
    return lm_rows_read(&f->t, (long)k * f->chunk, n, f->rows) ? -1 : n;
}

/* ---- ranges ---- */

/* Cuts of a frame; `row` is its number in the table. They are computed once where there is room. NULL:
 * the file cannot be read. */
static const float *cuts_of(film *f, long row, const double *pose, int again)
{
    size_t n = LM_CUTS * (size_t)lm_cuts_count(f->cuts);
    float *to = f->kept ? f->cut + n * (size_t)((row + f->stride - 1) / f->stride) : f->cut;
    if (f->kept && again) return to;
    if (lm_cuts_eval(f->cuts, row, pose, f->values)) return NULL;
    for (size_t i = 0; i < n; i++) to[i] = (float)f->values[i];
    return to;
}

static int widen_colours(film *f, long row, const double *pose)
{
    int count = lm_cuts_count(f->cuts);
    const float *v = cuts_of(f, row, pose, 0);
    if (!v) return 1;
    for (int q = 0; q < LM_CUTS; q++, v += count) {
        lm_colour_range *r = &f->range[q];
        for (int k = 0; k < count; k++) {
            if (!isfinite(v[k])) continue;
            f->known[q] = 1;
            r->min = fmin(r->min, (double)v[k]);
            r->max = fmax(r->max, (double)v[k]);
        }
    }
    return 0;
}

static void widen_positions(film *f, const double *pose)
{
    for (int p = 0; p < f->codec.count; p++)
        for (int i = 0; i < 3; i++) {
            double d = fabs(pose[7 * p + i] - f->codec.origin[i]);
            if (d > f->far && isfinite(d)) f->far = d;
        }
}

/* All frames are looked at: the legend tells the true extremes. */
static int find_ranges(film *f)
{
    for (int q = 0; q < LM_CUTS; q++) f->range[q] = (lm_colour_range){INFINITY, -INFINITY};
    for (int k = 0; k < f->nchunks; k++) {
        int n = load_chunk(f, k);
        if (n < 0) return 1;
        for (int i = 0; i < n; i++) {
            const double *pose = f->rows + (size_t)f->t.ncols * (size_t)i;
            widen_positions(f, pose);
            long row = lm_rows_index(&f->t, (long)k * f->chunk + i);
            if (f->cuts && widen_colours(f, row, pose)) return 1;
        }
    }
    return 0;
}

/* ---- coding ---- */

static void set_level(film *f, int level)
{
    f->codec.step = ldexp(f->p->scene->size, -level);
    f->codec.turn = ldexp(1, TURN - level);
    /* what flies far away keeps its place within 30 bits */
    if (f->far > 0 && f->codec.step < ldexp(f->far, -29)) f->codec.step = ldexp(f->far, -29);
}

static int add_poses(film *f, int n)
{
    lm_pose_chunk(&f->codec, f->rows, n, f->raw);
    return lm_blobs_add(&f->p->r->blobs, f->raw, lm_pose_chunk_size(&f->codec, n));
}

/* Colours of chunk k, which is in f->rows, a blob for each quantity; its number into ids[q * apart]. */
static int add_colours(film *f, int k, int n, int *ids, int apart)
{
    size_t count = (size_t)lm_cuts_count(f->cuts);
    memset(f->last, 0, LM_CUTS * count);
    for (int i = 0; i < n; i++) {
        long row = lm_rows_index(&f->t, (long)k * f->chunk + i);
        const float *v = cuts_of(f, row, f->rows + (size_t)f->t.ncols * (size_t)i, 1);
        if (!v) return -1;
        for (size_t q = 0; q < LM_CUTS; q++)
            if (f->known[q])
                lm_colour_frame(v + q * count, (int)count, f->range[q], f->grain,
                                f->last + q * count, f->colour[q] + (size_t)i * count);
    }
    for (int q = 0; q < LM_CUTS; q++) {
        if (!f->known[q]) continue;
        ids[q * apart] = lm_blobs_add(&f->p->r->blobs, f->colour[q], count * (size_t)n);
        if (ids[q * apart] < 0) return -1;
    }
    return 0;
}

/* ---- how coarse ---- */

/* Bytes that all chunks would take, from some of them. Poses, or colours. 0: ok. */
static int estimate(film *f, int colours, size_t *bytes)
{
    int samples = f->nchunks < SAMPLES ? f->nchunks : SAMPLES, bad = 0;
    lm_blobs *b = &f->p->r->blobs;
    int before = b->n, unused[LM_CUTS];
    size_t used = b->used, frames = 0;
    for (int i = 0; i < samples && !bad; i++) {
        int k =
            (int)((2L * i + 1) * f->nchunks / (2L * samples)); /* from the middle of each part */
        int n = colours && f->kept ? chunk_length(f, k) : load_chunk(f, k);
        if (n < 0) return 1;
        frames += (size_t)n;
        lm_pose_codec_forget(&f->codec);
        bad = colours ? add_colours(f, k, n, unused, 1) : add_poses(f, n) < 0;
    }
    double all = (double)(b->used - used) * (double)f->t.kept / (double)(frames ? frames : 1);
    *bytes = (size_t)all;
    lm_blobs_cut(b, before);
    return bad ? 2 : 0;
}

/* The finest level that fits, by bisection between the two ends; COARSEST - 1: none does. */
static int choose_level(film *f, size_t budget, int *level, size_t *bytes)
{
    int low = COARSEST - 1, high = FINEST;
    set_level(f, FINEST);
    int bad = estimate(f, 0, bytes);
    if (bad || *bytes <= budget) {
        *level = FINEST;
        return bad;
    }
    while (high - low > 1 && !bad) { /* low: not known to fit, or fits; high: does not fit */
        int middle = low < COARSEST ? (COARSEST + high) / 2 : (low + high) / 2;
        set_level(f, middle);
        bad = estimate(f, 0, bytes);
        if (*bytes <= budget)
            low = middle;
        else
            high = middle;
    }
    *level = low;
    return bad;
}

/* Positions and turns; where the coarsest does not do, fewer frames. */
static int fit_poses(film *f, size_t budget)
{
    int level, bad;
    size_t bytes;
    while (!(bad = choose_level(f, budget, &level, &bytes)) && level < COARSEST) {
        long more = 1 + (long)(bytes / (budget + 1));
        lm_rows_thin(&f->t, f->t.stride * (more < 2 ? 2 : more));
        set_chunks(f);
        if (f->t.kept <= 2) level = COARSEST;
        if (level == COARSEST) break;
    }
    if (bad) return bad;
    set_level(f, level);
    f->p->stride = f->t.stride;
    return 0;
}

/* Quantities in the order in which they are given up, the last one first. */
static int drop_quantity(film *f)
{
    static const int order[] = {LM_CUT_VZ, LM_CUT_VY, LM_CUT_T, LM_CUT_N, LM_CUT_MY, LM_CUT_MZ};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        if (!f->known[order[i]]) continue;
        f->known[order[i]] = 0;
        return 1;
    }
    return 0;
}

static int fit_colours(film *f, size_t budget)
{
    size_t bytes = 0;
    int bad = 0, dropped = 0;
    for (f->grain = 1; !(bad = estimate(f, 1, &bytes)) && bytes > budget;) {
        if (f->grain < LAST_GRAIN)
            f->grain *= 2;
        else if (drop_quantity(f))
            dropped++;
        else
            break;
    }
    if (!bad && dropped)
        lm_report_note(f->p->r,
                       "%s of %s: %d of the section forces are left out of the colours, "
                       "to keep this file small",
                       f->p->a->name, f->p->file->name, dropped);
    return bad;
}

/* ---- JSON ---- */

static void put_ids(lm_json *j, const int *ids, int n)
{
    lm_json_open(j, '[');
    for (int i = 0; i < n; i++) lm_json_long(j, ids[i]);
    lm_json_close(j, ']');
}

static void put_poses(lm_json *j, const lm_pose_codec *c, long rows, int chunk, const int *ids,
                      int nchunks)
{
    lm_json_key_open(j, "poses", '{');
    lm_json_key_long(j, "count", c->count);
    lm_json_key_long(j, "rows", rows);
    lm_json_key_long(j, "chunk", chunk);
    lm_json_key_open(j, "origin", '[');
    for (int i = 0; i < 3; i++) lm_json_exact(j, c->origin[i]);
    lm_json_close(j, ']');
    lm_json_key(j, "step");
    lm_json_exact(j, c->step);
    lm_json_key(j, "turn");
    lm_json_exact(j, c->turn);
    lm_json_key(j, "blobs");
    put_ids(j, ids, nchunks);
    lm_json_close(j, '}');
}

static void put_colours(film *f)
{
    lm_json *j = f->p->j;
    lm_json_key_open(j, "colours", '{');
    lm_json_key_open(j, "quantities", '[');
    for (int q = 0; q < LM_CUTS; q++) {
        static const char *const hint[] = {"stress", "force",  "force", "force",
                                           "moment", "moment", "moment"};
        if (!f->known[q]) continue;
        lm_json_open(j, '{');
        lm_json_key_text(j, "name", lm_cut_name[q]);
        lm_json_key_text(j, "unit_hint", hint[q]);
        lm_json_key_number(j, "min", f->range[q].min);
        lm_json_key_number(j, "max", f->range[q].max);
        lm_json_close(j, '}');
    }
    lm_json_close(j, ']');
    lm_json_key_long(j, "count", lm_cuts_count(f->cuts));
    lm_json_key_long(j, "rows", f->t.kept);
    lm_json_key_long(j, "chunk", f->chunk);
    lm_json_key_open(j, "blobs", '[');
    for (int q = 0; q < LM_CUTS; q++)
        if (f->known[q]) put_ids(j, f->ids + (1 + q) * f->nchunks, f->nchunks);
    lm_json_close(j, ']');
    lm_json_close(j, '}');
}

/* ---- all of it ---- */

/* Where it may be seen. */
static void note_coarse(film *f)
{
    if (f->codec.turn < ldexp(1, TURN - FINEST + 6)) return;
    lm_report_note(f->p->r,
                   "%s of %s: positions are rounded to %.2g, turns to %.1g rad, to keep this file "
                   "small",
                   f->p->a->name, f->p->file->name, f->codec.step, 2 * f->codec.turn);
}

static int code_poses(film *f)
{
    lm_pose_codec_forget(&f->codec);
    for (int k = 0; k < f->nchunks; k++) {
        int n = load_chunk(f, k);
        if (n < 0) return 1;
        f->ids[k] = add_poses(f, n);
        if (f->ids[k] < 0) return 2;
    }
    return 0;
}

/* An estimate that was too low is made good by coarser steps. */
static int code_all_poses(film *f, size_t budget)
{
    lm_blobs *b = &f->p->r->blobs;
    int before = b->n, bad;
    size_t used = b->used;
    while (!(bad = code_poses(f)) && b->used - used > budget + budget / 16 &&
           f->codec.turn < ldexp(1, TURN - COARSEST + 2)) {
        lm_blobs_cut(b, before);
        f->codec.step *= 2;
        f->codec.turn *= 2;
    }
    return bad;
}

static int code_all_colours(film *f)
{
    for (int k = 0; k < f->nchunks; k++) {
        int n = f->kept ? chunk_length(f, k) : load_chunk(f, k);
        if (n < 0) return 1;
        if (add_colours(f, k, n, f->ids + f->nchunks + k, f->nchunks)) return 2;
    }
    return 0;
}

static int any_known(const film *f)
{
    int any = 0;
    for (int q = 0; q < LM_CUTS; q++) any |= f->known[q];
    return any;
}

static int make_film(film *f)
{
    size_t budget = f->p->budget, colours = 0;
    if (f->p->colours && f->p->scene->m->nelements) {
        f->cuts = lm_cuts_new(f->p->scene->m);
        if (!f->cuts) return 2;
        colours = budget / 4;
    }
    int bad = f->cuts ? lm_cuts_open(f->cuts, f->p->file->file, f->p->a->group) : 0;
    if (!bad) bad = reserve(f);
    if (!bad) bad = find_ranges(f);
    if (!bad) bad = fit_poses(f, budget - colours);
    if (!bad) bad = code_all_poses(f, budget - colours);
    if (!bad) note_coarse(f);
    if (bad || !f->cuts || !any_known(f)) return bad;
    bad = fit_colours(f, colours);
    return bad ? bad : code_all_colours(f);
}

int lm_report_poses(lm_report_part *p)
{
    film f = {.p = p};
    int rc = lm_rows_open(&f.t, p->file->file, p->a->group, "poses");
    if (rc || !p->scene || f.t.rows == 0 || f.t.ncols != 7 * p->scene->m->nnodes) {
        lm_rows_close(&f.t);
        lm_json_key_null(p->j, "poses");
        lm_json_key_null(p->j, "colours");
        return rc < 0 ? 1 : 0;
    }
    lm_rows_thin(&f.t, p->stride);
    f.stride = p->stride;
    int bad = make_film(&f);
    if (!bad) {
        put_poses(p->j, &f.codec, f.t.kept, f.chunk, f.ids, f.nchunks);
        if (f.cuts && any_known(&f))
            put_colours(&f);
        else
            lm_json_key_null(p->j, "colours");
    }
    release(&f);
    return bad;
}

int lm_report_one_pose(lm_report *r, const lm_scene *s, const double *pose)
{
    lm_pose_codec c;
    if (lm_pose_codec_make(&c, s->m->nnodes)) return 2;
    for (int i = 0; i < 3; i++) c.origin[i] = 0.5 * (s->low[i] + s->high[i]);
    c.step = ldexp(s->size, -FINEST);
    c.turn = ldexp(1, TURN - FINEST);
    size_t size = lm_pose_chunk_size(&c, 1);
    unsigned char *raw = lm_alloc(size);
    int id = -1;
    if (raw) {
        lm_pose_chunk(&c, pose, 1, raw);
        id = lm_blobs_add(&r->blobs, raw, size);
        put_poses(&r->runs, &c, 1, 1, &id, 1);
    }
    lm_free(raw);
    lm_pose_codec_free(&c);
    return id < 0 ? 2 : 0;
}
