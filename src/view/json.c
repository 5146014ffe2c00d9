#include "view/json.h"

#include "base/mem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int reserve(lm_json *j, size_t more)
{
    if (j->failed) return -1;
    if (j->used + more <= j->room) return 0;
    size_t room = 2 * (j->room + more) + 1024;
    char *text = lm_realloc(j->text, room);
    if (!text) {
        j->failed = 1;
        return -1;
    }
    j->text = text;
    j->room = room;
    return 0;
}

static void put(lm_json *j, const char *text, size_t n)
{
    if (reserve(j, n)) return;
    memcpy(j->text + j->used, text, n);
    j->used += n;
}

/* Between elements. */
static void comma(lm_json *j)
{
    if (j->used && !strchr("{[:,", j->text[j->used - 1])) put(j, ",", 1);
}

void lm_json_free(lm_json *j)
{
    lm_free(j->text);
    *j = (lm_json){0};
}

void lm_json_open(lm_json *j, char bracket)
{
    comma(j);
    put(j, &bracket, 1);
}

void lm_json_close(lm_json *j, char bracket) { put(j, &bracket, 1); }

/* What needs an escape, in place of itself. */
static size_t escape(unsigned char c, char out[8])
{
    if (c == '"' || c == '\\') return (size_t)snprintf(out, 8, "\\%c", c);
    if (c < 0x20 || c == '<' || c == 0x7f) return (size_t)snprintf(out, 8, "\\u%04x", c);
    return 0;
}

void lm_json_text(lm_json *j, const char *text)
{
    char code[8];
    comma(j);
    put(j, "\"", 1);
    const char *from = text, *p = text;
    for (; *p; p++) {
        size_t n = escape((unsigned char)*p, code);
        if (!n) continue;
        put(j, from, (size_t)(p - from));
        put(j, code, n);
        from = p + 1;
    }
    put(j, from, (size_t)(p - from));
    put(j, "\"", 1);
}

void lm_json_key(lm_json *j, const char *name)
{
    lm_json_text(j, name);
    put(j, ":", 1);
}

void lm_json_raw(lm_json *j, const char *value)
{
    comma(j);
    put(j, value, strlen(value));
}

void lm_json_null(lm_json *j) { lm_json_raw(j, "null"); }

static void number(lm_json *j, double x, int digits)
{
    char text[40];
    if (!isfinite(x)) {
        lm_json_null(j);
        return;
    }
    comma(j);
    if (x == floor(x) && fabs(x) < 1e9) { /* most of them: zeros and ones */
        put(j, text, (size_t)snprintf(text, sizeof text, "%d", (int)x));
        return;
    }
    int n = snprintf(text, sizeof text, "%.*g", digits, x);
    char *point = strchr(text, ','); /* where the host program has set such a locale */
    if (point) *point = '.';
    put(j, text, (size_t)n);
}

void lm_json_number(lm_json *j, double x) { number(j, x, 9); }
void lm_json_exact(lm_json *j, double x) { number(j, x, 17); }

void lm_json_long(lm_json *j, long x)
{
    char text[24];
    comma(j);
    put(j, text, (size_t)snprintf(text, sizeof text, "%ld", x));
}

void lm_json_numbers(lm_json *j, const double *x, int n)
{
    lm_json_open(j, '[');
    for (int i = 0; i < n; i++) lm_json_number(j, x[i]);
    lm_json_close(j, ']');
}

void lm_json_key_text(lm_json *j, const char *name, const char *text)
{
    lm_json_key(j, name);
    lm_json_text(j, text);
}

void lm_json_key_number(lm_json *j, const char *name, double x)
{
    lm_json_key(j, name);
    lm_json_number(j, x);
}

void lm_json_key_long(lm_json *j, const char *name, long x)
{
    lm_json_key(j, name);
    lm_json_long(j, x);
}

void lm_json_key_numbers(lm_json *j, const char *name, const double *x, int n)
{
    lm_json_key(j, name);
    lm_json_numbers(j, x, n);
}

void lm_json_key_open(lm_json *j, const char *name, char bracket)
{
    lm_json_key(j, name);
    lm_json_open(j, bracket);
}

void lm_json_key_null(lm_json *j, const char *name)
{
    lm_json_key(j, name);
    lm_json_null(j);
}
