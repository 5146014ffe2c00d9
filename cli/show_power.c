/* Where the energy of the power graph came from and went to. */
#include "list.h"
#include "show.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 12 }; /* of each kind */

/* Kinds in the order of the table. */
enum { SOURCE, DISSIPATION, STORAGE, MECHANISM, KINDS, PASSES_ON = KINDS };

void power_add(void *list, const limber_power_flow *flow)
{
    power_list *l = list;
    if (flow->number == 1) l->n = 0; /* an analysis starts its list anew */
    limber_power_flow *at = list_grow(l->at, l->n, &l->room, sizeof *at);
    l->failed |= !at;
    if (!at) return;
    l->at = at;
    l->at[l->n++] = *flow;
}

static int kind_of(const limber_power_flow *f)
{
    if (f->type[0] == 'S') return SOURCE;
    if (strcmp(f->type, "R") == 0) return DISSIPATION;
    if (strcmp(f->type, "C") == 0 || strcmp(f->type, "I") == 0) return STORAGE;
    return strcmp(f->type, "port") == 0 ? MECHANISM : PASSES_ON;
}

static double taken(const limber_power_flow *f) { return f->in - f->out; }

/* All that was given, by whatever element; and what was given but not taken. */
static double total(const power_list *l, double *missing)
{
    double sum = 0;
    *missing = 0;
    for (int i = 0; i < l->n; i++) {
        if (kind_of(&l->at[i]) == PASSES_ON) continue;
        *missing -= taken(&l->at[i]);
        if (taken(&l->at[i]) < 0) sum -= taken(&l->at[i]);
    }
    return sum;
}

/* By kind, then by energy. */
static int compare(const void *a, const void *b)
{
    const limber_power_flow *p = a, *q = b;
    if (kind_of(p) != kind_of(q)) return kind_of(p) < kind_of(q) ? -1 : 1;
    double x = fabs(taken(p)), y = fabs(taken(q));
    return x > y ? -1 : x < y ? 1 : p->number - q->number;
}

/* At most 26 bytes of a name, and of a longer one the end, which tells more; no part of a letter. */
static const char *short_name(const char *name, char text[32])
{
    size_t n = strlen(name);
    const char *from = n > 26 ? name + n - 23 : name;
    while (((unsigned char)*from & 0xc0) == 0x80) from++;
    snprintf(text, 32, "%s%.26s", n > 26 ? "..." : "", from);
    return text;
}

static void one(FILE *out, const char *what, const limber_power_flow *f, double all)
{
    char name[32];
    double energy = kind_of(f) == SOURCE ? 0 - taken(f) : taken(f);
    double part = all > 0 ? 100 * energy / all : 0;
    fprintf(out, "%-12s %-26s %11.4g", what, short_name(f->name, name), energy);
    if (all > 0)
        fprintf(out, "%6.1f %%", fabs(part) < 0.05 ? 0 : part); /* no -0.0 */
    else
        fprintf(out, "%8s", "");
    fprintf(out, " %10.3g %9.4g\n", f->largest, f->at);
}

void show_power(FILE *out, power_list *l)
{
    static const char *const title[KINDS] = {"from source", "dissipated", "stored", "mechanism"};
    double missing, all = total(l, &missing);
    if (!l->n) return;
    qsort(l->at, (size_t)l->n, sizeof *l->at, compare);
    fprintf(out,
            "power graph                                  energy    part    largest      at t\n");
    for (int i = 0, first = 0; i < l->n; i++) {
        int kind = kind_of(&l->at[i]);
        if (kind == PASSES_ON) break;
        if (i && kind != kind_of(&l->at[i - 1])) first = i;
        int last = i + 1 == l->n || kind_of(&l->at[i + 1]) != kind;
        if (i - first < SHOWN) one(out, i == first ? title[kind] : "", &l->at[i], all);
        if (last && i - first >= SHOWN)
            fprintf(out, "%-12s and %d more\n", "", i - first + 1 - SHOWN);
    }
    if (l->failed) fprintf(out, "(there was no memory for the others)\n");
    fprintf(out, "%-12s %.1e of the %.4g that was given\n", "balance",
            all > 0 ? fabs(missing) / all : 0.0, all);
}

void show_power_json(FILE *out, const power_list *l)
{
    double missing, all = total(l, &missing);
    if (!l->n) return;
    fprintf(out, ", \"power\": {\"elements\": [");
    for (int i = 0; i < l->n; i++) {
        const limber_power_flow *f = &l->at[i];
        fprintf(out, "%s{\"name\": ", i ? ", " : "");
        json_text(out, f->name);
        fprintf(out, ", \"type\": \"%s\"", f->type);
        json_number(out, "in", f->in);
        json_number(out, "out", f->out);
        json_number(out, "largest", f->largest);
        json_number(out, "at", f->at);
        fprintf(out, "}");
    }
    fprintf(out, "]");
    json_number(out, "given", all);
    json_number(out, "balance", missing);
    fprintf(out, "}");
}
