/* A file that is written from start to end: buffered, under a temporary name beside the target, which
 * it replaces when complete (replace.h). A full disk never leaves half a file under the user's name. */
#ifndef LM_IO_OUT_H
#define LM_IO_OUT_H

#include <stddef.h>

typedef struct lm_out lm_out;

int lm_out_open(const char *path, lm_out **out, char *err, size_t size); /* "-": standard output */
void lm_out_put(lm_out *out, const void *data, size_t size); /* failures are kept for later */
/* Text of at most 400 bytes. */
void lm_out_printf(lm_out *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int lm_out_failed(const lm_out *out);                  /* 1: a write failed, the rest is void */
int lm_out_close(lm_out *out, char *err, size_t size); /* -1 when any write failed */
void lm_out_drop(lm_out *out); /* instead of closing: there is no such file, or still the old one */

#endif
