#include "io/out.h"

#include "base/mem.h"
#include "io/replace.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { ROOM = 1 << 16 };

struct lm_out {
    lm_replace file; /* file.fd is 1 for standard output */
    int error;       /* errno of the first failure; nothing is written after it */
    size_t used;
    char buf[ROOM];
};

static void write_all(lm_out *out, const char *from, size_t left)
{
    while (left && !out->error) {
        ssize_t n = write(out->file.fd, from, left);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) {
            out->error = n ? errno : EIO;
        } else {
            from += n;
            left -= (size_t)n;
        }
    }
}

static void flush(lm_out *out)
{
    write_all(out, out->buf, out->used);
    out->used = 0;
}

void lm_out_put(lm_out *out, const void *data, size_t size)
{
    if (size >= ROOM) { /* no need to copy it */
        flush(out);
        write_all(out, data, size);
        return;
    }
    if (out->used + size > ROOM) flush(out);
    memcpy(out->buf + out->used, data, size);
    out->used += size;
}

void lm_out_printf(lm_out *out, const char *fmt, ...)
{
    char text[401];
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    lm_out_put(out, text, n < (int)sizeof text ? (size_t)n : sizeof text - 1);
}

int lm_out_failed(const lm_out *out) { return out->error != 0; }

static int cannot(const char *path, int error, char *err, size_t size)
{
    if (size) snprintf(err, size, "cannot write %s: %s", path, strerror(error));
    return -1;
}

int lm_out_open(const char *path, lm_out **out, char *err, size_t size)
{
    *out = NULL;
    lm_out *o = lm_alloc(sizeof *o);
    if (!o) return cannot(path, ENOMEM, err, size);
    if (!strcmp(path, "-")) {
        fflush(stdout); /* what the program printed so far comes first */
        o->file.fd = STDOUT_FILENO;
    } else if (lm_replace_open(&o->file, path, 1)) {
        cannot(path, errno, err, size);
        lm_free(o);
        return -1;
    }
    *out = o;
    return 0;
}

int lm_out_close(lm_out *out, char *err, size_t size)
{
    if (!out) return 0;
    flush(out);
    if (out->file.target && close(out->file.fd) && !out->error) out->error = errno;
    if (out->file.target && !out->error && lm_replace_done(&out->file)) out->error = errno;
    int error = out->error;
    if (error) {
        cannot(out->file.target ? out->file.target : "standard output", error, err, size);
        lm_replace_drop(&out->file);
    }
    lm_free(out);
    return error ? -1 : 0;
}

void lm_out_drop(lm_out *out)
{
    if (!out) return;
    if (out->file.target) close(out->file.fd);
    lm_replace_drop(&out->file);
    lm_free(out);
}
