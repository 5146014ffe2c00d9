/* JSON into a growing text. Commas are set by the writer: after `{`, `[` and `:` there is none. Every
 * `<` becomes \u003c, so that the text can stand inside an HTML script element whatever names it
 * holds; numbers that are not finite become null. Failure (no memory) is kept: look once at the end. */
#ifndef LM_VIEW_JSON_H
#define LM_VIEW_JSON_H

#include <stddef.h>

typedef struct lm_json {
    char *text; /* not ended by a 0 */
    size_t used, room;
    int failed;
} lm_json;

void lm_json_free(lm_json *j);
void lm_json_open(lm_json *j, char bracket);  /* '{' or '[', as an element */
void lm_json_close(lm_json *j, char bracket); /* '}' or ']' */
void lm_json_key(lm_json *j, const char *name);
void lm_json_text(lm_json *j, const char *text);
void lm_json_number(lm_json *j, double x); /* 9 significant digits: nothing here is seen finer */
void lm_json_exact(lm_json *j, double x);  /* 17 digits */
void lm_json_long(lm_json *j, long x);
void lm_json_null(lm_json *j);
void lm_json_raw(lm_json *j, const char *value);          /* true, false */
void lm_json_numbers(lm_json *j, const double *x, int n); /* as an array */

/* "name": value */
void lm_json_key_text(lm_json *j, const char *name, const char *text);
void lm_json_key_number(lm_json *j, const char *name, double x);
void lm_json_key_long(lm_json *j, const char *name, long x);
void lm_json_key_numbers(lm_json *j, const char *name, const double *x, int n);
void lm_json_key_open(lm_json *j, const char *name, char bracket);
void lm_json_key_null(lm_json *j, const char *name);

#endif
