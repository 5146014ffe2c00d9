/* Outputs in the equilibrium. */
#include "list.h"
#include "show.h"

#include <math.h>
#include <string.h>

enum { LINES = 20 }; /* more are in the file */

/* An analysis starts its list anew. */
void outputs_add(void *list, int number, const char *name, double value)
{
    output_list *l = list;
    if (number == 0) l->n = 0;
    output_value *at = list_grow(l->at, l->n, &l->room, sizeof *at);
    l->failed |= !at;
    if (!at) return;
    l->at = at;
    snprintf(at[l->n].name, sizeof at->name, "%s", name);
    at[l->n++].value = value;
}

void show_equilibrium(FILE *out, const output_list *l)
{
    int width = 0, n = l->n > LINES ? LINES : l->n;
    for (int i = 0; i < n; i++) {
        int length = (int)strlen(l->at[i].name);
        if (length > width) width = length;
    }
    for (int i = 0; i < n; i++)
        fprintf(out, "  %-*s  %13.6g\n", width, l->at[i].name, l->at[i].value);
    if (l->n > n) fprintf(out, "  and %d more output%s\n", l->n - n, l->n - n == 1 ? "" : "s");
    if (l->failed) fprintf(out, "(there was no memory for the others)\n");
}

void show_equilibrium_json(FILE *out, const output_list *l)
{
    fprintf(out, ", \"equilibrium\": {");
    for (int i = 0; i < l->n; i++) {
        if (i) fprintf(out, ", ");
        json_text(out, l->at[i].name);
        fprintf(out, isfinite(l->at[i].value) ? ": %.17g" : ": null", l->at[i].value);
    }
    fputc('}', out);
}
