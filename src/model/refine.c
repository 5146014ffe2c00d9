/* The same model on a finer mesh, and with smaller errors in time: what `limber compare --refine` runs. */
#include "model/model.h"
#include "model/reader.h"

#include <math.h>

#define MOST_SAMPLES 1e5 /* of a delay, by halving */

/* A node stays where it is drawn. Where the finer mesh has none there, the place gets one. */
static void move_frame(lm_spec_frame *f, const lm_spec_body *b, double s)
{
    int node = lm_beam_node_at(b, s);
    if (node >= 0) {
        f->node = node;
    } else {
        f->kind = LM_FRAME_BEAM_AT;
        f->s = s;
    }
}

static void cut_beam(lm_spec *spec, int body, int times)
{
    lm_spec_body *b = &spec->bodies.at[body], coarse = *b;
    b->elements *= times;
    for (int i = 0; i < spec->frames.n; i++) {
        lm_spec_frame *f = &spec->frames.at[i];
        if (f->kind == LM_FRAME_BEAM_NODE && f->body == body)
            move_frame(f, b, lm_beam_node_s(&coarse, f->node));
    }
}

/* What is sampled: time, speeds of a Campbell diagram, the past of a delay. */
static void refine_steps(lm_spec *spec, int time)
{
    for (int i = 0; i < spec->analyses.n; i++) {
        lm_spec_analysis *a = &spec->analyses.at[i];
        a->tolerance = ldexp(a->tolerance, -time);
        a->step = ldexp(a->step, -time);
        a->steps <<= time;
        if (a->speeds[2] > 1) a->speeds[2] = ldexp(a->speeds[2] - 1, time) + 1;
    }
    for (int i = 0; i < spec->delays.n; i++) {
        int *samples = &spec->delays.at[i].samples;
        *samples = (int)fmin(ldexp(*samples, time), fmax(MOST_SAMPLES, *samples));
    }
}

int lm_refine(lm_spec *spec, int mesh, int time)
{
    int times = 1 << mesh;
    long long elements = 0;
    for (int i = 0; i < spec->bodies.n; i++)
        if (spec->bodies.at[i].type == LM_BODY_BEAM) elements += spec->bodies.at[i].elements;
    if (elements * times > LM_ENTITIES) return -1;
    for (int i = 0; i < spec->bodies.n; i++)
        if (spec->bodies.at[i].type == LM_BODY_BEAM) cut_beam(spec, i, times);
    spec->formulation.modes *= times;
    refine_steps(spec, time);
    return 0;
}
