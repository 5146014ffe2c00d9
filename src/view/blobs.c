#include "view/blobs.h"

#include "base/mem.h"

#include <string.h>
#include <zlib.h>

/* Small ones are worth the time; the chunks of large models are noise that takes more time for
 * nothing. */
enum { SMALL = 1 << 18, LEVEL_SMALL = 6, LEVEL_LARGE = 1 };

static voidpf allocate(voidpf unused, uInt items, uInt size)
{
    (void)unused;
    return lm_alloc((size_t)items * size);
}

static void release(voidpf unused, voidpf p)
{
    (void)unused;
    lm_free(p);
}

static int make_deflater(lm_blobs *b)
{
    z_stream *z = b->deflater;
    if (z) return deflateReset(z) == Z_OK ? 0 : -1;
    z = lm_alloc(sizeof *z);
    if (!z) return -1;
    z->zalloc = allocate;
    z->zfree = release;
    if (deflateInit2(z, LEVEL_SMALL, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY) != Z_OK) {
        lm_free(z);
        return -1;
    }
    b->deflater = z;
    b->level = LEVEL_SMALL;
    return 0;
}

static int set_level(lm_blobs *b, size_t size)
{
    int level = size <= SMALL ? LEVEL_SMALL : LEVEL_LARGE;
    if (level == b->level) return 0;
    b->level = level;
    return deflateParams(b->deflater, level, Z_DEFAULT_STRATEGY) == Z_OK ? 0 : -1;
}

static int reserve(lm_blobs *b, size_t more)
{
    if (b->n == b->cap) {
        int cap = 2 * b->cap + 64;
        lm_blob *at = lm_realloc(b->at, sizeof *at * (size_t)cap);
        if (!at) return -1;
        b->at = at;
        b->cap = cap;
    }
    if (b->used + more <= b->room) return 0;
    size_t room = b->used + b->used / 2 + more;
    unsigned char *data = lm_realloc(b->data, room);
    if (!data) return -1;
    b->data = data;
    b->room = room;
    return 0;
}

int lm_blobs_add(lm_blobs *b, const void *raw, size_t size)
{
    if (make_deflater(b) || set_level(b, size)) return -1;
    z_stream *z = b->deflater;
    size_t most = deflateBound(z, size);
    if (reserve(b, most)) return -1;
    z->next_in = (Bytef *)(uintptr_t)raw; /* zlib does not write there */
    z->avail_in = (uInt)size;
    z->next_out = b->data + b->used;
    z->avail_out = (uInt)most;
    if (deflate(z, Z_FINISH) != Z_STREAM_END) return -1;
    size_t length = most - z->avail_out;
    b->at[b->n] = (lm_blob){b->used, length, size};
    b->used += length;
    return b->n++;
}

void lm_blobs_cut(lm_blobs *b, int n)
{
    if (n >= b->n) return;
    b->used = b->at[n].offset;
    b->n = n;
}

void lm_blobs_free(lm_blobs *b)
{
    if (b->deflater) deflateEnd(b->deflater);
    lm_free(b->deflater);
    lm_free(b->data);
    lm_free(b->at);
    *b = (lm_blobs){0};
}

void lm_split_bytes(const void *numbers, size_t n, size_t width, unsigned char *out)
{
    const unsigned char *in = numbers;
    for (size_t k = 0; k < width; k++)
        for (size_t i = 0; i < n; i++) out[k * n + i] = in[width * i + k];
}

int lm_blobs_numbers(lm_blobs *b, const double *x, size_t n, int width, void *work)
{
    unsigned char *planes = (unsigned char *)work + 8 * n;
    float *f = work;
    if (width == 8) {
        lm_split_bytes(x, n, 8, planes);
    } else {
        for (size_t i = 0; i < n; i++) f[i] = (float)x[i];
        lm_split_bytes(f, n, 4, planes);
    }
    return lm_blobs_add(b, planes, (size_t)width * n);
}

size_t lm_base64(const unsigned char *data, size_t n, char *out)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *to = out;
    for (size_t i = 0; i < n; i += 3) {
        size_t left = n - i;
        uint32_t bits = (uint32_t)data[i] << 16;
        if (left > 1) bits |= (uint32_t)data[i + 1] << 8;
        if (left > 2) bits |= data[i + 2];
        *to++ = digit[bits >> 18];
        *to++ = digit[bits >> 12 & 63];
        *to++ = left > 1 ? digit[bits >> 6 & 63] : '=';
        *to++ = left > 2 ? digit[bits & 63] : '=';
    }
    return (size_t)(to - out);
}
