/* Diagnostics: a list of messages, each with a place in a file. They are collected, sorted by
 * place, and shown together; nothing is printed here. */
#ifndef LM_BASE_DIAG_H
#define LM_BASE_DIAG_H

#include <limber/status.h>

#include "base/mem.h"

typedef struct lm_loc {
    const char *file; /* as the user named it; NULL: no place */
    int line, col;    /* from 1; 0: the file as a whole */
} lm_loc;

typedef enum lm_severity { LM_ERROR, LM_WARNING, LM_NOTE } lm_severity;

typedef struct lm_message {
    lm_loc loc;
    lm_severity severity;
    char *text;
    const char *analysis; /* that it is about, by its group in the result file; "": none */
    int restored;         /* 1: of the run that this one continues */
} lm_message;

typedef struct lm_diag {
    lm_arena arena; /* owns the texts */
    LM_VEC(lm_message) list;
    int errors;           /* number of LM_ERROR, those beyond the limit included */
    int out_of_memory;    /* a message was lost for want of memory */
    long changes;         /* counts them */
    const char *analysis; /* that messages are about now, the caller's; NULL: none */
} lm_diag;

/* No more than LM_DIAG_MOST messages are kept; `errors` goes on counting. */
enum { LM_DIAG_MOST = 200 };

void lm_diag_add(lm_diag *d, lm_severity severity, lm_loc loc, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* Room for some messages, so that a time loop can say what it meets without asking for memory. 0, -1. */
int lm_diag_reserve(lm_diag *d);
#define lm_error(d, loc, ...)   lm_diag_add((d), LM_ERROR, (loc), __VA_ARGS__)
#define lm_warning(d, loc, ...) lm_diag_add((d), LM_WARNING, (loc), __VA_ARGS__)

/* A message again that is there as a restored one, perhaps with other numbers, takes the place of that. */
void lm_diag_add_message(lm_diag *d, const lm_message *m);          /* copied */
lm_message *lm_diag_find_restored(lm_diag *d, const lm_message *m); /* NULL: it is not */
/* The messages from number `first` on as text, a line of six fields with tabs between them for each: analysis,
 * severity, file, line, column, text. Memory of the arena; NULL: there is none. */
const char *lm_diag_text(const lm_diag *d, int first, lm_arena *arena);
/* ... and from there: called for each line. The text is cut into pieces, and the messages live in it. */
void lm_diag_parse(char *text, void (*each)(void *context, const lm_message *m), void *context);

void lm_diag_sort(lm_diag *d); /* by file (order of first appearance), line, column; stable */
void lm_diag_free(lm_diag *d);

/* Why something failed, for the caller's own sentence; "": not said. */
typedef struct lm_failure {
    char text[512];
} lm_failure;

/* Sets the text and gives the status back. */
limber_status lm_fail(lm_failure *f, limber_status status, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* The nearest of n names to `word` by edit distance with transpositions, or NULL when none is
 * near enough to be a likely slip. */
const char *lm_nearest(const char *word, const char *const *names, int n);

#endif
