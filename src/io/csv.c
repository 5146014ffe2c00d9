#include "io/csv.h"

#include "base/mem.h"
#include "io/replace.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { ROOM = 1 << 16 };

struct lm_csv {
    lm_replace file; /* file.fd is 1 for standard output */
    int error;       /* errno of the first failure; nothing is written after it */
    size_t used;
    char buf[ROOM];
};

static int flush(lm_csv *csv)
{
    const char *from = csv->buf;
    for (size_t left = csv->used; left && !csv->error;) {
        ssize_t n = write(csv->file.fd, from, left);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) {
            csv->error = n ? errno : EIO;
        } else {
            from += n;
            left -= (size_t)n;
        }
    }
    csv->used = 0;
    return csv->error ? -1 : 0;
}

static void put(lm_csv *csv, const char *text, size_t size)
{
    while (size && !csv->error) {
        size_t n = ROOM - csv->used < size ? ROOM - csv->used : size;
        memcpy(csv->buf + csv->used, text, n);
        csv->used += n;
        text += n;
        size -= n;
        if (csv->used == ROOM) flush(csv);
    }
}

static void put_name(lm_csv *csv, const char *name)
{
    if (!strpbrk(name, ",\"\r\n")) {
        put(csv, name, strlen(name));
        return;
    }
    put(csv, "\"", 1);
    for (; *name; name++) {
        if (*name == '"') put(csv, "\"", 1);
        put(csv, name, 1);
    }
    put(csv, "\"", 1);
}

/* printf may write -nan, and a decimal comma where the host program has set such a locale. */
static void put_value(lm_csv *csv, double x)
{
    char text[40];
    if (isnan(x)) {
        put(csv, "nan", 3);
        return;
    }
    int n = snprintf(text, sizeof text, "%.17g", x);
    char *comma = strchr(text, ',');
    if (comma) *comma = '.';
    put(csv, text, (size_t)n);
}

static int end_line(lm_csv *csv)
{
    put(csv, "\n", 1);
    return csv->error ? -1 : 0;
}

static int cannot(const char *path, int error, char *err, size_t size)
{
    if (size) snprintf(err, size, "cannot write %s: %s", path, strerror(error));
    return -1;
}

int lm_csv_open(const char *path, lm_csv **csv, char *err, size_t size)
{
    *csv = NULL;
    lm_csv *c = lm_alloc(sizeof *c);
    if (!c) return cannot(path, ENOMEM, err, size);
    if (!strcmp(path, "-")) {
        fflush(stdout); /* what the program printed so far comes first */
        c->file.fd = STDOUT_FILENO;
    } else if (lm_replace_open(&c->file, path, 1)) {
        cannot(path, errno, err, size);
        lm_free(c);
        return -1;
    }
    *csv = c;
    return 0;
}

int lm_csv_header(lm_csv *csv, int n, const char *const *names)
{
    for (int i = 0; i < n; i++) {
        if (i) put(csv, ",", 1);
        put_name(csv, names[i]);
    }
    return end_line(csv);
}

int lm_csv_row(lm_csv *csv, int n, const double *values)
{
    for (int i = 0; i < n; i++) {
        if (i) put(csv, ",", 1);
        put_value(csv, values[i]);
    }
    return end_line(csv);
}

int lm_csv_close(lm_csv *csv, char *err, size_t size)
{
    if (!csv) return 0;
    flush(csv);
    if (csv->file.target && close(csv->file.fd) && !csv->error) csv->error = errno;
    if (csv->file.target && !csv->error && lm_replace_done(&csv->file)) csv->error = errno;
    int error = csv->error;
    if (error) {
        cannot(csv->file.target ? csv->file.target : "standard output", error, err, size);
        lm_replace_drop(&csv->file);
    }
    lm_free(csv);
    return error ? -1 : 0;
}

void lm_csv_drop(lm_csv *csv)
{
    if (!csv) return;
    if (csv->file.target) close(csv->file.fd);
    lm_replace_drop(&csv->file);
    lm_free(csv);
}
