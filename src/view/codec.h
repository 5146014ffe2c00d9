/* Coding of poses and colours for the report: docs/dev/report-format.md has the definitions.
 *
 * Poses. The numbers of a pose become integers, position (x - origin)/step and quaternion/turn; a
 * chunk of frames holds their differences to what the neighbours in time and along the body predict.
 * A frame of a smooth motion of a smooth body leaves next to nothing. */
#ifndef LM_VIEW_CODEC_H
#define LM_VIEW_CODEC_H

#include <stddef.h>
#include <stdint.h>

typedef struct lm_pose_codec {
    int count;         /* poses of a frame */
    double origin[3];  /* of the positions */
    double step, turn; /* of positions, of quaternion parts */
    /* state and room, by lm_pose_codec_make */
    double *sign;  /* [count] with which the quaternion was taken in the last frame; 0: none yet */
    double *last;  /* [4 count] that quaternion */
    int32_t *room; /* for both of */
    int32_t *now, *was; /* [7][count] integers of this frame and of the last; swapped in between */
} lm_pose_codec;

/* 0 or -1: no memory. */
int lm_pose_codec_make(lm_pose_codec *c, int count);
void lm_pose_codec_free(lm_pose_codec *c);
/* Bytes of a chunk of that many frames before compression. */
size_t lm_pose_chunk_size(const lm_pose_codec *c, int frames);
/* Code `frames` rows of 7 numbers a pose. Chunks in the order of time keep the signs of quaternions
 * continuous; a first one (or one out of order) begins with lm_pose_codec_forget. */
void lm_pose_chunk(lm_pose_codec *c, const double *rows, int frames, unsigned char *out);
void lm_pose_codec_forget(lm_pose_codec *c);

/* Colours: one byte a value, of every `grain`-th only (1: all 256); differences to the last frame. */
typedef struct lm_colour_range {
    double min, max;
} lm_colour_range;
/* One frame of `count` values; `last` [count] are the bytes of the frame before (zero at the start of
 * a chunk) and become those of this one. */
void lm_colour_frame(const float *value, int count, lm_colour_range range, int grain,
                     unsigned char *last, unsigned char *out);

#endif
