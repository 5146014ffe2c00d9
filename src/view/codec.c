#include "view/codec.h"

#include "base/mem.h"

#include <math.h>
#include <string.h>

int lm_pose_codec_make(lm_pose_codec *c, int count)
{
    size_t n = (size_t)count;
    *c = (lm_pose_codec){.count = count};
    c->sign = lm_alloc(sizeof(double) * 5 * n);
    c->room = lm_alloc(sizeof(int32_t) * 14 * n);
    if (!c->sign || !c->room) {
        lm_pose_codec_free(c);
        return -1;
    }
    c->last = c->sign + n;
    c->now = c->room;
    c->was = c->room + 7 * n;
    return 0;
}

void lm_pose_codec_free(lm_pose_codec *c)
{
    lm_free(c->sign);
    lm_free(c->room);
    c->sign = NULL;
    c->room = NULL;
}

void lm_pose_codec_forget(lm_pose_codec *c)
{
    memset(c->sign, 0, sizeof(double) * (size_t)c->count);
}

size_t lm_pose_chunk_size(const lm_pose_codec *c, int frames)
{
    return 7 * sizeof(int32_t) * (size_t)c->count * (size_t)frames;
}

/* Rounded; what is no number, or far out of range, is shown at the origin. */
static int32_t whole(double x)
{
    if (!(fabs(x) < 1073741824.0)) return 0;
    return (int32_t)(x < 0 ? x - 0.5 : x + 0.5);
}

/* q and -q are one rotation: take the one that is near to the last frame's, in the first frame to
 * the pose before. */
static double choose_sign(lm_pose_codec *c, int p, const double *q)
{
    const double *near = c->sign[p] != 0 ? c->last + 4 * p : p > 0 ? c->last + 4 * (p - 1) : NULL;
    double dot = q[0];
    if (near) dot = q[0] * near[0] + q[1] * near[1] + q[2] * near[2] + q[3] * near[3];
    double sign = dot < 0 ? -1 : 1;
    c->sign[p] = sign;
    for (int i = 0; i < 4; i++) c->last[4 * p + i] = sign * q[i];
    return sign;
}

static void quantise(lm_pose_codec *c, const double *row)
{
    double per_step = 1 / c->step, per_turn = 1 / c->turn;
    for (int p = 0; p < c->count; p++) {
        const double *x = row + 7 * p;
        int32_t *to = c->now + p;
        double sign = choose_sign(c, p, x + 3) * per_turn;
        for (int i = 0; i < 3; i++) to[i * c->count] = whole((x[i] - c->origin[i]) * per_step);
        for (int i = 3; i < 7; i++) to[i * c->count] = whole(sign * x[i]);
    }
}

/* r = i[f][p] - i[f][p-1] - i[f-1][p] + i[f-1][p-1], wrapping, zig-zag, into four planes. */
static void predict(const uint32_t *now, const uint32_t *was, int count, size_t plane,
                    unsigned char *out)
{
    uint32_t left = 0, corner = 0;
    for (int p = 0; p < count; p++) {
        uint32_t r = now[p] - left - was[p] + corner;
        uint32_t z = (r << 1) ^ (0 - (r >> 31));
        left = now[p];
        corner = was[p];
        out[p] = (unsigned char)z;
        out[plane + (size_t)p] = (unsigned char)(z >> 8);
        out[2 * plane + (size_t)p] = (unsigned char)(z >> 16);
        out[3 * plane + (size_t)p] = (unsigned char)(z >> 24);
    }
}

void lm_pose_chunk(lm_pose_codec *c, const double *rows, int frames, unsigned char *out)
{
    size_t count = (size_t)c->count, plane = 7 * count * (size_t)frames;
    memset(c->was, 0, 7 * count * sizeof *c->was);
    for (int f = 0; f < frames; f++) {
        quantise(c, rows + 7 * count * (size_t)f);
        for (size_t part = 0; part < 7; part++) {
            size_t at = (part * (size_t)frames + (size_t)f) * count;
            predict((const uint32_t *)c->now + part * count,
                    (const uint32_t *)c->was + part * count, c->count, plane, out + at);
        }
        int32_t *swap = c->now;
        c->now = c->was;
        c->was = swap;
    }
}

void lm_colour_frame(const float *value, int count, lm_colour_range range, int grain,
                     unsigned char *last, unsigned char *out)
{
    double scale = range.max > range.min ? 255 / (range.max - range.min) : 0;
    for (int k = 0; k < count; k++) {
        double x = ((double)value[k] - range.min) * scale;
        int b = x >= 255 ? 255 : x > 0 ? (int)(x + 0.5) : 0; /* NaN: 0 */
        if (grain > 1) b = b / grain * grain + grain / 2;
        out[k] = (unsigned char)(b - last[k]);
        last[k] = (unsigned char)b;
    }
}
