#include "base/diag.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static lm_message *new_message(lm_diag *d)
{
    lm_message *grown = lm_vec_grow(&d->arena, d->list.at, d->list.n, &d->list.cap, sizeof *grown);
    if (!grown) return NULL;
    d->list.at = grown; /* its room is counted already */
    return &d->list.at[d->list.n];
}

/* The text belongs to the list, and nothing else of m. */
static void put(lm_diag *d, const lm_message *m)
{
    lm_message *to = m->restored ? NULL : lm_diag_find_restored(d, m), own = *m;
    if (!to && d->list.n >= LM_DIAG_MOST) return;
    if (m->loc.file) own.loc.file = lm_arena_str(&d->arena, m->loc.file);
    own.analysis = m->analysis && *m->analysis ? lm_arena_str(&d->arena, m->analysis) : "";
    lm_message *at = to ? to : new_message(d);
    if (!m->text || !at || !own.analysis || (m->loc.file && !own.loc.file)) {
        d->out_of_memory = 1;
        return;
    }
    *at = own;
    if (!to) d->list.n++;
    d->changes++;
}

void lm_diag_add(lm_diag *d, lm_severity severity, lm_loc loc, const char *fmt, ...)
{
    if (severity == LM_ERROR) d->errors++;
    if (d->list.n >= LM_DIAG_MOST) return;
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    char *text = lm_arena_alloc(&d->arena, (size_t)n + 1);
    va_start(args, fmt);
    if (text) vsnprintf(text, (size_t)n + 1, fmt, args);
    va_end(args);
    put(d, &(lm_message){loc, severity, text, d->analysis, 0});
}

void lm_diag_add_message(lm_diag *d, const lm_message *m)
{
    lm_message own = *m;
    own.text = lm_arena_str(&d->arena, m->text);
    if (m->severity == LM_ERROR) d->errors++;
    put(d, &own);
}

int lm_diag_reserve(lm_diag *d)
{
    enum { MESSAGES = 32, TEXT = 512 };
    return lm_arena_reserve(&d->arena, MESSAGES * (TEXT + 2 * sizeof(lm_message)));
}

limber_status lm_fail(lm_failure *f, limber_status status, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(f->text, sizeof f->text, fmt, args);
    va_end(args);
    return status;
}

/* Insertion sort: stable, and the list has at most LM_DIAG_MOST entries. Files keep the order in
 * which they first appear. */
static int file_rank(const lm_diag *d, const char *file)
{
    for (int i = 0; i < d->list.n; i++) {
        const char *f = d->list.at[i].loc.file;
        if (f == file || (f && file && strcmp(f, file) == 0)) return i;
    }
    return -1;
}

void lm_diag_sort(lm_diag *d)
{
    int rank[LM_DIAG_MOST];
    for (int i = 0; i < d->list.n; i++) rank[i] = file_rank(d, d->list.at[i].loc.file);
    for (int i = 1; i < d->list.n; i++) {
        lm_message m = d->list.at[i];
        int r = rank[i], j = i;
        for (; j > 0; j--) {
            lm_message *p = &d->list.at[j - 1];
            int after = rank[j - 1] != r            ? rank[j - 1] > r
                        : p->loc.line != m.loc.line ? p->loc.line > m.loc.line
                                                    : p->loc.col > m.loc.col;
            if (!after) break;
            d->list.at[j] = *p;
            rank[j] = rank[j - 1];
        }
        d->list.at[j] = m;
        rank[j] = r;
    }
}

void lm_diag_free(lm_diag *d)
{
    lm_arena_free(&d->arena);
    memset(d, 0, sizeof *d);
}

enum { WORD_MOST = 64 };

static int differ(char a, char b) { return tolower((unsigned char)a) != tolower((unsigned char)b); }

/* Damerau-Levenshtein distance, restricted to adjacent transpositions; capitals are like small letters. */
static int distance(const char *a, const char *b)
{
    int m = (int)strlen(a), n = (int)strlen(b);
    if (m > WORD_MOST || n > WORD_MOST) return WORD_MOST;
    int d[WORD_MOST + 1][WORD_MOST + 1];
    for (int i = 0; i <= m; i++) d[i][0] = i;
    for (int j = 0; j <= n; j++) d[0][j] = j;
    for (int i = 1; i <= m; i++)
        for (int j = 1; j <= n; j++) {
            int best = d[i - 1][j - 1] + differ(a[i - 1], b[j - 1]);
            if (d[i - 1][j] + 1 < best) best = d[i - 1][j] + 1;
            if (d[i][j - 1] + 1 < best) best = d[i][j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                d[i - 2][j - 2] + 1 < best)
                best = d[i - 2][j - 2] + 1;
            d[i][j] = best;
        }
    return d[m][n];
}

/* A word and its plural: body, bodies. */
static int is_plural(const char *word, const char *name)
{
    size_t n = strlen(word);
    return n > 1 && word[n - 1] == 'y' && strncmp(word, name, n - 1) == 0 &&
           strcmp(name + n - 1, "ies") == 0;
}

const char *lm_nearest(const char *word, const char *const *names, int n)
{
    int len = (int)strlen(word), best = len < 3 ? 1 : len < 6 ? 2 : 3;
    const char *found = NULL;
    for (int i = 0; i < n; i++) {
        int d = is_plural(word, names[i]) ? 1 : distance(word, names[i]);
        if (d < best || (d == best && !found)) {
            if (d >= (int)strlen(names[i])) continue;
            best = d;
            found = names[i];
        }
    }
    return found;
}
