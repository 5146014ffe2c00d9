/* Messages as text, in which result files keep them, and those of a run that goes on. */
#include "base/diag.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const severity_word[] = {"error", "warning", "note"};
enum { FIELDS = 6 };

/* ---- as text ---- */

/* The fields are on one line, and tabs are between them. */
static char *one_line(char *text)
{
    for (char *p = text; p && *p; p++)
        if (*p == '\n' || *p == '\t') *p = ' ';
    return text;
}

const char *lm_diag_text(const lm_diag *d, int first, lm_arena *arena)
{
    const char *all = "";
    for (int i = first; i < d->list.n && all; i++) {
        const lm_message *m = &d->list.at[i];
        const char *file = m->loc.file ? one_line(lm_arena_str(arena, m->loc.file)) : "";
        const char *text = one_line(lm_arena_str(arena, m->text));
        all = !file || !text ? NULL
                             : lm_arena_printf(arena, "%s%s\t%s\t%s\t%d\t%d\t%s\n", all,
                                               m->analysis, severity_word[m->severity], file,
                                               m->loc.line, m->loc.col, text);
    }
    return all;
}

static lm_severity severity_of(const char *word)
{
    for (int k = 0; k < 3; k++)
        if (strcmp(word, severity_word[k]) == 0) return (lm_severity)k;
    return LM_NOTE;
}

/* Cuts the line into its fields; those that are missing are "". */
static void cut(char *line, char *field[FIELDS])
{
    for (int k = 0; k < FIELDS; k++) {
        field[k] = line;
        line += k + 1 < FIELDS ? strcspn(line, "\t") : strlen(line);
        if (*line) *line++ = 0;
    }
}

void lm_diag_parse(char *text, void (*each)(void *context, const lm_message *m), void *context)
{
    char *field[FIELDS];
    for (char *line = text; *line;) {
        char *end = line + strcspn(line, "\n"), *next = *end ? end + 1 : end;
        *end = 0;
        cut(line, field);
        lm_message m = {.loc = {*field[2] ? field[2] : NULL, atoi(field[3]), atoi(field[4])},
                        .severity = severity_of(field[1]),
                        .text = field[5],
                        .analysis = field[0]};
        each(context, &m);
        line = next;
    }
}

/* ---- the same once more ---- */

static const char *after_number(const char *p)
{
    char *end;
    int number = isdigit((unsigned char)p[*p == '-']);
    if (!number) return p;
    strtod(p, &end);
    return end;
}

/* 1: the same words, with numbers that may differ. */
static int same_words(const char *a, const char *b)
{
    while (*a && *b) {
        const char *x = after_number(a), *y = after_number(b);
        if ((x > a) != (y > b) || (x == a && *a != *b)) return 0;
        a = x > a ? x : a + 1;
        b = y > b ? y : b + 1;
    }
    return *a == *b;
}

static int same_head(const lm_message *a, const lm_message *b)
{
    const char *x = a->loc.file, *y = b->loc.file;
    return a->severity == b->severity && a->loc.line == b->loc.line && a->loc.col == b->loc.col &&
           (x && y ? strcmp(x, y) == 0 : x == y) &&
           strcmp(a->analysis, b->analysis ? b->analysis : "") == 0;
}

lm_message *lm_diag_find_restored(lm_diag *d, const lm_message *m)
{
    lm_message *alike = NULL;
    for (int i = 0; i < d->list.n && m->text; i++) {
        lm_message *old = &d->list.at[i];
        if (!old->restored || !same_head(old, m)) continue;
        if (strcmp(old->text, m->text) == 0) return old;
        if (!alike && same_words(old->text, m->text)) alike = old;
    }
    return alike;
}
