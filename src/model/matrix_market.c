#include "model/matrix_market.h"

#include <errno.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

enum { LINE = 1024, WORDS = 6, SHOWN = 24 };

typedef struct reader {
    const lm_matrix_file *file;
    lm_diag *diag;
    FILE *stream;
    double *A;
    int line;                /* number of the line in `text` */
    char text[LINE];         /* without its end */
    const char *word[WORDS]; /* of the line, each ended by 0 in `text` */
    int nwords;              /* all of them, those beyond WORDS too */
    int array, integer, symmetric;
    long long entries; /* that the file announces */
} reader;

/* ---- messages ---- */

static int fail(reader *r, int word, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static int fail(reader *r, int word, const char *fmt, ...)
{
    char text[400];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    int col = word < r->nwords && word < WORDS ? (int)(r->word[word] - r->text) + 1 : 1;
    lm_error(r->diag, ((lm_loc){r->file->path, r->line, col}), "%s: %s", r->file->what, text);
    return -1;
}

/* A word for a message: short, and no bytes that a terminal would take for something else. */
static const char *shown(const char *word, char out[SHOWN + 8])
{
    int n = 0;
    for (; word[n] && n < SHOWN; n++) out[n] = word[n] > 32 && word[n] < 127 ? word[n] : '?';
    strcpy(out + n, word[n] ? "..." : "");
    return out;
}

static int fail_word(reader *r, int word, const char *expected)
{
    char text[SHOWN + 8];
    if (word >= r->nwords || word >= WORDS)
        return fail(r, word, "expected %s, found the end of the line", expected);
    return fail(r, word, "expected %s, found '%s'", expected, shown(r->word[word], text));
}

/* ---- lines and words ---- */

static void split(reader *r)
{
    char *c = r->text;
    r->nwords = 0;
    for (;;) {
        c += strspn(c, " \t\r\v\f");
        if (!*c) return;
        if (r->nwords < WORDS) r->word[r->nwords] = c;
        r->nwords++;
        c += strcspn(c, " \t\r\v\f");
        if (*c) *c++ = 0;
    }
}

/* One line; 1 read, 0 at the end of the file, -1 after an error. A comment may have any length. */
static int next_line(reader *r)
{
    int c, n = 0, comment = 0;
    r->line++;
    r->nwords = 0;
    while ((c = getc(r->stream)) != EOF && c != '\n') {
        if (n == 0 && r->line > 1) comment = c == '%';
        if (n == LINE - 1 && !comment)
            return fail(r, 0, "the line is longer than %d characters", LINE - 1);
        if (n < LINE - 1) r->text[n++] = (char)(c ? c : '?'); /* no byte ends the line early */
    }
    r->text[n] = 0;
    if (ferror(r->stream)) return fail(r, 0, "cannot read on: %s", strerror(errno));
    if (c == EOF && n == 0) return 0;
    if (!comment) split(r);
    return 1;
}

/* The next line with words on it. */
static int next_words(reader *r)
{
    int rc;
    do rc = next_line(r);
    while (rc == 1 && (!r->nwords || *r->word[0] == '%'));
    return rc;
}

/* A whole number from `low` to `high`. */
static int read_whole(reader *r, int word, long long low, long long high, const char *name,
                      long long *out)
{
    long long n = 0;
    char text[SHOWN + 8];
    const char *w = word < r->nwords && word < WORDS ? r->word[word] : "";
    int digits = (int)strspn(w, "0123456789");
    if (!digits || w[digits]) return fail_word(r, word, name);
    for (int i = 0; i < digits; i++)
        if (n <= LLONG_MAX / 16) n = 10 * n + (w[i] - '0');
    if (n < low || n > high)
        return fail(r, word, "%s is %s; it must be from %lld to %lld", name, shown(w, text), low,
                    high);
    *out = n;
    return 0;
}

/* A number as C or Fortran writes it, whatever the decimal point of the locale is. */
static int read_number(reader *r, int word, double *out)
{
    char copy[64], text[SHOWN + 8], *end;
    const char *w = word < r->nwords && word < WORDS ? r->word[word] : "";
    const char *local = localeconv()->decimal_point, *bare = w + (*w == '-' || *w == '+');
    size_t n = strlen(w);
    if (!strcasecmp(bare, "nan") || !strcasecmp(bare, "inf") || !strcasecmp(bare, "infinity"))
        return fail(r, word, "'%s' is not a finite number", shown(w, text));
    if (!n || n >= sizeof copy || w[strspn(w, r->integer ? "+-0123456789" : "+-.0123456789eEdD")])
        return fail_word(r, word, r->integer ? "a whole number" : "a number");
    for (size_t i = 0; i <= n; i++)
        copy[i] = w[i] == 'd' || w[i] == 'D' ? 'e' : w[i] == '.' ? local[0] : w[i];
    *out = strtod(copy, &end);
    if (*end) return fail_word(r, word, "a number");
    if (!isfinite(*out)) return fail(r, word, "'%s' is not a finite number", shown(w, text));
    return 0;
}

/* ---- header and sizes ---- */

static int read_banner(reader *r)
{
    int rc = next_line(r);
    if (rc < 0) return -1;
    int named = rc && r->nwords >= 1 && !strcasecmp(r->word[0], "%%MatrixMarket");
    if (!named)
        return fail(r, 0,
                    "this is no Matrix Market file: it does not begin with '%%%%MatrixMarket "
                    "matrix coordinate real symmetric' or the like");
    if (r->nwords != 5)
        return fail(r, 0,
                    "the first line must be '%%%%MatrixMarket matrix', the format, the kind "
                    "of numbers and the symmetry: 5 words, found %d",
                    r->nwords);
    if (strcasecmp(r->word[1], "matrix")) return fail_word(r, 1, "'matrix'");
    r->array = !strcasecmp(r->word[2], "array");
    if (!r->array && strcasecmp(r->word[2], "coordinate"))
        return fail_word(r, 2, "'coordinate' or 'array'");
    r->integer = !strcasecmp(r->word[3], "integer");
    if (!r->integer && strcasecmp(r->word[3], "real") && strcasecmp(r->word[3], "double"))
        return fail_word(r, 3, "'real' or 'integer'");
    r->symmetric = !strcasecmp(r->word[4], "symmetric");
    if (!r->symmetric && strcasecmp(r->word[4], "general"))
        return fail_word(r, 4, "'general' or 'symmetric'");
    return 0;
}

static int read_sizes(reader *r)
{
    long long rows, cols, n = r->file->n, all = r->symmetric ? n * (n + 1) / 2 : n * n;
    int rc = next_words(r), words = r->array ? 2 : 3;
    if (rc < 0) return -1;
    if (!rc) return fail(r, 0, "the file ends before the size of the matrix");
    if (read_whole(r, 0, 0, INT_MAX, "the number of rows", &rows) ||
        read_whole(r, 1, 0, INT_MAX, "the number of columns", &cols))
        return -1;
    if (rows != cols)
        return fail(r, 0, "the matrix is %lld x %lld, not square; expected %lld x %lld (%s)", rows,
                    cols, n, n, r->file->size);
    if (rows != n)
        return fail(r, 0, "the matrix is %lld x %lld, expected %lld x %lld (%s)", rows, cols, n, n,
                    r->file->size);
    r->entries = all;
    if (!r->array && read_whole(r, 2, 0, all, "the number of entries", &r->entries)) return -1;
    if (r->nwords > words)
        return fail(r, words, "expected %d numbers in the line of sizes, found %d", words,
                    r->nwords);
    return 0;
}

/* ---- entries ---- */

/* What is not given is marked by NAN, which no file can hold, until the end. */
static void clear(reader *r)
{
    size_t n = (size_t)r->file->n * (size_t)r->file->n;
    for (size_t i = 0; i < n; i++) r->A[i] = NAN;
}

static void zero_the_rest(reader *r)
{
    size_t n = (size_t)r->file->n * (size_t)r->file->n;
    for (size_t i = 0; i < n; i++)
        if (isnan(r->A[i])) r->A[i] = 0;
}

static double *entry(const reader *r, long long i, long long j)
{
    return &r->A[(size_t)r->file->n * (size_t)(j - 1) + (size_t)(i - 1)];
}

static int set(reader *r, long long i, long long j, double value)
{
    if (!isnan(*entry(r, i, j)))
        return fail(r, 0, "entry (%lld, %lld) is given twice%s", i, j,
                    r->symmetric && i != j ? " (it stands for its mirror image too)" : "");
    *entry(r, i, j) = value;
    if (r->symmetric) *entry(r, j, i) = value;
    return 0;
}

static int ends_early(reader *r, long long done)
{
    return fail(r, 0, "the file ends after %lld of %lld entries", done, r->entries);
}

static int read_coordinates(reader *r)
{
    for (long long k = 0; k < r->entries; k++) {
        long long i, j, n = r->file->n;
        double value;
        int rc = next_words(r);
        if (rc < 0) return -1;
        if (!rc) return ends_early(r, k);
        if (read_whole(r, 0, 1, n, "the row", &i) || read_whole(r, 1, 1, n, "the column", &j) ||
            read_number(r, 2, &value))
            return -1;
        if (r->nwords > 3)
            return fail(r, 3, "expected 'row column value', found %d words", r->nwords);
        if (set(r, i, j, value)) return -1;
    }
    return 0;
}

/* Column by column; of a symmetric matrix the lower triangle. */
static int read_array(reader *r)
{
    long long n = r->file->n, done = 0;
    for (long long j = 1; j <= n; j++)
        for (long long i = r->symmetric ? j : 1; i <= n; i++, done++) {
            double value;
            int rc = next_words(r);
            if (rc < 0) return -1;
            if (!rc) return ends_early(r, done);
            if (read_number(r, 0, &value)) return -1;
            if (r->nwords > 1) return fail(r, 1, "expected one number, found %d words", r->nwords);
            if (set(r, i, j, value)) return -1;
        }
    return 0;
}

static int read_stream(reader *r)
{
    if (read_banner(r) || read_sizes(r)) return -1;
    clear(r);
    if (r->array ? read_array(r) : read_coordinates(r)) return -1;
    int rc = next_words(r);
    if (rc > 0) fail(r, 0, "there is more after the %lld entries of the matrix", r->entries);
    if (rc) return -1;
    zero_the_rest(r);
    return 0;
}

/* ---- the file ---- */

static const char *why_not(const char *path)
{
    struct stat st;
    if (stat(path, &st) == 0)
        return S_ISDIR(st.st_mode)    ? "it is a directory"
               : !S_ISREG(st.st_mode) ? "it is not a regular file"
                                      : NULL;
    return errno == ENOENT || errno == ENOTDIR ? "there is no such file" : strerror(errno);
}

int lm_matrix_market_read(const lm_matrix_file *file, double *A, lm_diag *diag)
{
    reader r = {.file = file, .diag = diag, .A = A};
    const char *why = why_not(file->path);
    if (!why && !(r.stream = fopen(file->path, "rb")))
        why = errno == EACCES ? "permission denied" : strerror(errno);
    if (why) {
        lm_error(diag, file->loc, "cannot read '%s', the %s: %s", file->path, file->what, why);
        return -1;
    }
    int rc = read_stream(&r);
    fclose(r.stream);
    return rc;
}
