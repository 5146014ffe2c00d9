/* Blobs: pieces of binary data, each compressed alone as raw deflate, one behind the other. What a
 * report holds beside its JSON; docs/dev/report-format.md tells how each kind is coded. */
#ifndef LM_VIEW_BLOBS_H
#define LM_VIEW_BLOBS_H

#include <stddef.h>
#include <stdint.h>

typedef struct lm_blob {
    size_t offset, size, raw; /* in the whole; before compression */
} lm_blob;

typedef struct lm_blobs {
    unsigned char *data;
    size_t used, room;
    lm_blob *at;
    int n, cap;
    void *deflater; /* zlib's, kept from blob to blob */
    int level;
} lm_blobs;

/* The number of the new blob, or -1: no memory. */
int lm_blobs_add(lm_blobs *b, const void *raw, size_t size);
void lm_blobs_free(lm_blobs *b);
/* Forget the blobs behind the first n, as if they had not been added. */
void lm_blobs_cut(lm_blobs *b, int n);

/* n numbers of `width` bytes, little-endian, with the bytes of equal weight together. */
void lm_split_bytes(const void *numbers, size_t n, size_t width, unsigned char *out);

/* A column or list of numbers as a blob, width 8 (f8) or 4 (f4); `work` has room for 2*8*n bytes. */
int lm_blobs_numbers(lm_blobs *b, const double *x, size_t n, int width, void *work);

/* Standard Base64, 4*((n + 2)/3) characters. */
size_t lm_base64(const unsigned char *data, size_t n, char *out);

#endif
