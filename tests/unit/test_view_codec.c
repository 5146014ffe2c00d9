/* What the report is made of: JSON, blobs, the coding of poses and colours. Blobs are decoded here as
 * docs/dev/report-format.md says, without the coder's own functions. */
#include "base/mem.h"
#include "view/blobs.h"
#include "view/codec.h"
#include "view/json.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <cmocka.h>

/* ---- JSON ---- */

static void names_cannot_leave_their_text(void **state)
{
    (void)state;
    lm_json j = {0};
    const double three[] = {1, -0.5, NAN};
    lm_json_open(&j, '{');
    lm_json_key_text(&j, "a\"b\\", "</script><!--\n\t\x01");
    lm_json_key_numbers(&j, "x", three, 3);
    lm_json_key_open(&j, "list", '[');
    lm_json_open(&j, '{');
    lm_json_close(&j, '}');
    lm_json_number(&j, INFINITY);
    lm_json_exact(&j, 0.1);
    lm_json_long(&j, -7);
    lm_json_close(&j, ']');
    lm_json_key_null(&j, "n");
    lm_json_close(&j, '}');
    lm_json_key(&j, ""); /* room for the end */
    assert_false(j.failed);
    const char expected[] = "{\"a\\\"b\\\\\":\"\\u003c/script>\\u003c!--\\u000a\\u0009\\u0001\","
                            "\"x\":[1,-0.5,null],"
                            "\"list\":[{},null,0.10000000000000001,-7],\"n\":null}";
    assert_memory_equal(j.text, expected, strlen(expected));
    lm_json_free(&j);
}

static void base64_is_the_standard_one(void **state)
{
    (void)state;
    static const char *const pair[][2] = {{"", ""},
                                          {"f", "Zg=="},
                                          {"fo", "Zm8="},
                                          {"foo", "Zm9v"},
                                          {"foob", "Zm9vYg=="},
                                          {"fooba", "Zm9vYmE="},
                                          {"foobar", "Zm9vYmFy"}};
    for (size_t i = 0; i < sizeof pair / sizeof *pair; i++) {
        char out[16] = "";
        size_t n = lm_base64((const unsigned char *)pair[i][0], strlen(pair[i][0]), out);
        assert_int_equal(n, strlen(pair[i][1]));
        assert_memory_equal(out, pair[i][1], n);
    }
}

/* ---- blobs ---- */

static unsigned char *inflate_blob(const lm_blobs *b, int id)
{
    unsigned char *out = malloc(b->at[id].raw + 1);
    z_stream z = {.next_in = b->data + b->at[id].offset,
                  .avail_in = (uInt)b->at[id].size,
                  .next_out = out,
                  .avail_out = (uInt)b->at[id].raw + 1};
    assert_int_equal(inflateInit2(&z, -15), Z_OK);
    assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
    assert_int_equal(z.total_out, b->at[id].raw);
    assert_int_equal(z.avail_in, 0);
    inflateEnd(&z);
    return out;
}

static void numbers_come_back(void **state)
{
    (void)state;
    enum { N = 1000 };
    lm_blobs b = {0};
    double x[N];
    void *work = malloc(16 * N);
    for (int i = 0; i < N; i++) x[i] = sin(i) * pow(10, i % 30 - 15);
    x[3] = NAN, x[4] = -INFINITY;
    assert_int_equal(lm_blobs_numbers(&b, x, N, 8, work), 0);
    assert_int_equal(lm_blobs_numbers(&b, x, N, 4, work), 1);
    for (int id = 0; id < 2; id++) {
        unsigned char *raw = inflate_blob(&b, id);
        size_t width = id ? 4 : 8;
        assert_int_equal(b.at[id].raw, width * N);
        for (size_t i = 0; i < N; i++) {
            unsigned char bytes[8];
            double d;
            float f, want = (float)x[i];
            for (size_t k = 0; k < width; k++) bytes[k] = raw[k * N + i];
            memcpy(&d, bytes, sizeof d);
            memcpy(&f, bytes, sizeof f);
            if (id == 0) assert_memory_equal(&d, &x[i], sizeof d);
            if (id == 1) assert_memory_equal(&f, &want, sizeof f);
        }
        free(raw);
    }
    size_t end = b.at[0].offset + b.at[0].size;
    lm_blobs_cut(&b, 1);
    assert_int_equal(b.n, 1);
    assert_int_equal(b.used, end);
    free(work);
    lm_blobs_free(&b);
}

static void large_and_small_blobs_take_turns(void **state)
{
    (void)state;
    enum { LARGE = 700000 };
    lm_blobs b = {0};
    unsigned char *data = malloc(LARGE);
    for (int i = 0; i < LARGE; i++) data[i] = (unsigned char)(((unsigned)i * (unsigned)i) >> 7);
    for (int i = 0; i < 6; i++) assert_int_equal(lm_blobs_add(&b, data, i % 2 ? LARGE : 100), i);
    assert_int_equal(lm_blobs_add(&b, data, 0), 6);
    for (int i = 0; i < 7; i++) {
        unsigned char *raw = inflate_blob(&b, i);
        assert_memory_equal(raw, data, b.at[i].raw);
        free(raw);
    }
    free(data);
    lm_blobs_free(&b);
}

/* ---- poses ---- */

/* i[f][p][c] of a chunk, as the page gets them. */
static void undo(const unsigned char *raw, int frames, int count, int32_t *i)
{
    size_t plane = 7 * (size_t)frames * (size_t)count, at = 0;
    for (int c = 0; c < 7; c++)
        for (int f = 0; f < frames; f++)
            for (int p = 0; p < count; p++, at++) {
                uint32_t z = raw[at] | (uint32_t)raw[plane + at] << 8 |
                             (uint32_t)raw[2 * plane + at] << 16 |
                             (uint32_t)raw[3 * plane + at] << 24;
                uint32_t r = (z >> 1) ^ (0 - (z & 1));
#define AT(f, p) ((f) < 0 || (p) < 0 ? 0 : (uint32_t)i[((f)*count + (p)) * 7 + c])
                uint32_t v = r + AT(f, p - 1) + AT(f - 1, p) - AT(f - 1, p - 1);
                i[(f * count + p) * 7 + c] = (int32_t)v;
            }
}

enum { FRAMES = 40, POSES = 9 };

static double distance(const double *pose, const int32_t *i, const lm_pose_codec *c, double *turn)
{
    double far = 0, dot = 0, worst = 0;
    for (int k = 0; k < 3; k++) far = fmax(far, fabs(c->origin[k] + c->step * i[k] - pose[k]));
    for (int k = 3; k < 7; k++) dot += c->turn * i[k] * pose[k];
    for (int k = 3; k < 7; k++)
        worst = fmax(worst, fabs(c->turn * i[k] - (dot < 0 ? -pose[k] : pose[k])));
    *turn = worst;
    return far;
}

/* Quaternions whose sign jumps at will. */
static void make_poses(double *rows)
{
    for (int f = 0; f < FRAMES; f++)
        for (int p = 0; p < POSES; p++) {
            double *x = rows + 7 * (f * POSES + p), a = 0.3 * f + 0.1 * p;
            double sign = (f * 7 + p * 3) % 5 < 2 ? -1 : 1;
            x[0] = 3 + cos(a), x[1] = sin(a) * (1 + p), x[2] = -0.01 * f;
            x[3] = sign * cos(a / 2), x[4] = 0, x[5] = sign * 0.6 * sin(a / 2);
            x[6] = sign * 0.8 * sin(a / 2);
        }
}

static void poses_come_back_within_half_a_step(void **state)
{
    (void)state;
    double *rows = malloc(sizeof(double) * FRAMES * POSES * 7);
    int32_t *i = malloc(sizeof(int32_t) * FRAMES * POSES * 7);
    lm_pose_codec c;
    assert_int_equal(lm_pose_codec_make(&c, POSES), 0);
    c.origin[0] = 2, c.step = 1e-6, c.turn = ldexp(1, -22);
    make_poses(rows);
    unsigned char *raw = malloc(lm_pose_chunk_size(&c, FRAMES));
    for (int first = 0; first < FRAMES; first += 25) { /* 25 frames, then 15 */
        int n = FRAMES - first < 25 ? FRAMES - first : 25;
        lm_pose_chunk(&c, rows + 7 * POSES * first, n, raw);
        undo(raw, n, POSES, i + 7 * POSES * first);
    }
    for (int k = 0; k < FRAMES * POSES; k++) {
        double turn, far = distance(rows + 7 * k, i + 7 * k, &c, &turn);
        assert_true(far <= 0.5001 * c.step);
        assert_true(turn <= 0.5001 * c.turn);
    }
    for (int k = 0; k < (FRAMES - 1) * POSES; k++) { /* no jump of sign from frame to frame */
        double dot = 0;
        for (int q = 3; q < 7; q++) dot += (double)i[7 * k + q] * i[7 * (k + POSES) + q];
        assert_true(dot > 0);
    }
    free(raw);
    free(i);
    free(rows);
    lm_pose_codec_free(&c);
}

static void what_is_no_number_harms_nothing(void **state)
{
    (void)state;
    double rows[2 * 7] = {NAN, 1e300, -INFINITY, NAN, NAN, NAN, NAN, 1, 2, 3, 1, 0, 0, 0};
    int32_t i[14];
    unsigned char raw[2 * 7 * 4];
    lm_pose_codec c;
    assert_int_equal(lm_pose_codec_make(&c, 2), 0);
    c.step = c.turn = 0.25;
    lm_pose_chunk(&c, rows, 1, raw);
    undo(raw, 1, 2, i);
    for (int k = 0; k < 7; k++) assert_int_equal(i[k], 0);
    const int32_t whole[] = {4, 8, 12};
    assert_memory_equal(i + 7, whole, sizeof whole);
    lm_pose_codec_free(&c);
}

/* ---- colours ---- */

static void colours_are_within_their_grain(void **state)
{
    (void)state;
    enum { N = 400 };
    float x[N];
    unsigned char last[N] = {0}, out[N], now[N] = {0};
    const lm_colour_range range = {-2, 3};
    for (int grain = 1; grain <= 8; grain *= 2) {
        memset(last, 0, sizeof last);
        memset(now, 0, sizeof now);
        for (int f = 0; f < 5; f++) {
            for (int k = 0; k < N; k++) x[k] = (float)(0.5 + 2.5 * sin(0.7 * f + 0.1 * k));
            lm_colour_frame(x, N, range, grain, last, out);
            for (int k = 0; k < N; k++) {
                now[k] = (unsigned char)(now[k] + out[k]);
                double back = range.min + (range.max - range.min) * now[k] / 255;
                assert_true(fabs(back - (double)x[k]) <= (0.501 + grain / 2) * 5 / 255);
            }
        }
    }
    x[0] = NAN, x[1] = 1e30f, x[2] = -1e30f;
    memset(last, 0, sizeof last);
    lm_colour_frame(x, 3, range, 1, last, out);
    assert_int_equal(out[0], 0);
    assert_int_equal(out[1], 255);
    assert_int_equal(out[2], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_cannot_leave_their_text),
        cmocka_unit_test(base64_is_the_standard_one),
        cmocka_unit_test(numbers_come_back),
        cmocka_unit_test(large_and_small_blobs_take_turns),
        cmocka_unit_test(poses_come_back_within_half_a_step),
        cmocka_unit_test(what_is_no_number_harms_nothing),
        cmocka_unit_test(colours_are_within_their_grain),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed || lm_mem_live() != 0;
}
