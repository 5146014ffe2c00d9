/* Shapes of a bond graph as SVG. Attributes only, so that a page can take the drawing in; the one rule
 * of style is the colour of the ink, for files that stand alone. */
#include "view/bond_graph.h"

#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct text {
    char *at;
    size_t used, room;
    int failed;
} text;

static void put(text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static int reserve(text *t, size_t more)
{
    if (t->failed || t->used + more + 1 <= t->room) return t->failed;
    size_t room = 2 * (t->room + more) + 4096;
    char *at = lm_realloc(t->at, room);
    if (!at) return t->failed = 1;
    t->at = at;
    t->room = room;
    return 0;
}

/* Short pieces. */
static void put(text *t, const char *fmt, ...)
{
    enum { MOST = 500 };
    va_list args;
    if (reserve(t, MOST)) return;
    va_start(args, fmt);
    int n = vsnprintf(t->at + t->used, MOST, fmt, args);
    va_end(args);
    t->used += n < MOST ? (size_t)n : MOST - 1;
}

/* Names come from the user. */
static void put_escaped(text *t, const char *s)
{
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '<' || c == '>' || c == '&' || c == '"')
            put(t, "&#%d;", c);
        else if (c >= 0x20)
            put(t, "%c", c);
    }
}

/* A tenth of a pixel; written without the locale's comma. */
static void put_number(text *t, double x)
{
    long n = (long)(x * 10 + (x < 0 ? -0.5 : 0.5));
    put(t, n < 0 ? "-%ld" : "%ld", n < 0 ? -n / 10 : n / 10);
    if (n % 10) put(t, ".%ld", n < 0 ? -n % 10 : n % 10);
}

static void put_attribute(text *t, const char *name, double x)
{
    put(t, " %s=\"", name);
    put_number(t, x);
    put(t, "\"");
}

/* Of middle lightness: on a light and on a dark background. */
static const char *colour(const lm_graph_shape *s)
{
    static const char *const domain[] = {"currentColor", "#2f80d8", "#1f9a6a",
                                         "#d9822b",      "#9b5fd0", "#b08a2e"};
    return s->wrong ? "#e0353b" : domain[s->domain];
}

static void put_rect(text *t, const lm_graph_shape *s, double round)
{
    put(t, "<rect");
    put_attribute(t, "x", s->p[0].x);
    put_attribute(t, "y", s->p[0].y);
    put_attribute(t, "width", s->p[1].x - s->p[0].x);
    put_attribute(t, "height", s->p[1].y - s->p[0].y);
    put_attribute(t, "rx", round);
}

static void put_path(text *t, const lm_graph_shape *s)
{
    put(t, "<path d=\"");
    for (int i = 0; i < s->n; i++) {
        put(t, i ? " L" : "M");
        put_number(t, s->p[i].x);
        put(t, " ");
        put_number(t, s->p[i].y);
    }
    put(t, "\" fill=\"none\" stroke=\"%s\"", colour(s));
}

static void put_text(text *t, const lm_graph_shape *s)
{
    put(t, "<text");
    put_attribute(t, "x", s->middle ? 0.5 * (s->p[0].x + s->p[1].x) : s->p[0].x);
    put_attribute(t, "y", s->p[1].y - 0.22 * s->size);
    put_attribute(t, "font-size", s->size);
    put(t, " fill=\"%s\"", s->wrong ? colour(s) : "currentColor");
    if (s->bold) put(t, " font-weight=\"700\"");
    if (s->middle) put(t, " text-anchor=\"middle\"");
    put(t, ">");
    put_escaped(t, s->text);
    put(t, "</text>\n");
}

static void put_shape(text *t, const lm_graph_shape *s)
{
    switch (s->kind) {
    case LM_GRAPH_GROUP:
        put_rect(t, s, 10);
        put(t, " fill=\"currentColor\" fill-opacity=\"0.035\" stroke=\"currentColor\" "
               "stroke-opacity=\"0.28\"/>\n");
        break;
    case LM_GRAPH_NODE:
        put_rect(t, s, s->port ? 2 : 7);
        put(t, " fill=\"%s\" fill-opacity=\"0.13\"", colour(s));
        if (s->port) put(t, " stroke=\"%s\" stroke-width=\"1.6\"", colour(s));
        put(t, "/>\n");
        break;
    case LM_GRAPH_SWATCH:
        put_rect(t, s, 3);
        put(t, " fill=\"%s\"/>\n", colour(s));
        break;
    case LM_GRAPH_TEXT: put_text(t, s); break;
    case LM_GRAPH_STROKE:
        put_path(t, s);
        put(t, " stroke-width=\"2.6\"/>\n");
        break;
    default: put_path(t, s), put(t, " stroke-width=\"1.5\" stroke-linejoin=\"round\"/>\n");
    }
}

char *lm_bond_graph_svg(const lm_bond_graph *g)
{
    text t = {0};
    put(&t, "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"limber-graph\"");
    put_attribute(&t, "width", g->width);
    put_attribute(&t, "height", g->height);
    put(&t, " viewBox=\"0 0 ");
    put_number(&t, g->width);
    put(&t, " ");
    put_number(&t, g->height);
    put(&t, "\" font-family=\"Helvetica, Arial, 'Liberation Sans', sans-serif\" role=\"img\">\n");
    put(&t, "<style>.limber-graph{color:#1b232c}@media (prefers-color-scheme: dark)"
            "{.limber-graph{color:#e4e9ee}}</style>\n");
    for (int i = 0; i < g->shapes.n; i++) put_shape(&t, &g->shapes.at[i]);
    put(&t, "</svg>\n");
    if (t.failed) lm_free(t.at);
    return t.failed ? NULL : t.at;
}
