/* What the formulations of a comparison share, and what it therefore does not check. */
#include "compare.h"

#include "show.h"

#include <string.h>

static void add(void *context, const limber_piece *from)
{
    pieces *p = context;
    if (p->n == PIECES) return;
    piece *to = &p->at[p->n++];
    snprintf(to->name, sizeof to->name, "%s", from->name);
    snprintf(to->items, sizeof to->items, "%s", from->items);
    snprintf(to->check, sizeof to->check, "%s", from->check);
    for (int k = 0; k < limber_formulation_count() && k < FORMULATIONS; k++)
        to->voice[k] = from->voice[k];
    to->bends = from->bends;
}

void pieces_of(const limber_model *model, pieces *p)
{
    p->n = 0;
    limber_model_pieces(model, add, p);
}

const piece *pieces_find(const pieces *p, const char *name)
{
    for (int i = 0; i < p->n; i++)
        if (strcmp(p->at[i].name, name) == 0) return &p->at[i];
    return NULL;
}

static int differs(const piece *p)
{
    for (int k = 0; k < limber_formulation_count(); k++)
        if (p->voice[k] > 0) return 1;
    return 0;
}

const piece *pieces_main(const pieces *p)
{
    for (int i = 0; i < p->n; i++)
        if (p->at[i].bends) return &p->at[i];
    for (int i = 0; i < p->n; i++)
        if (differs(&p->at[i])) return &p->at[i];
    return NULL;
}

int formulation_number(const char *name)
{
    for (int k = 0; name && k < limber_formulation_count(); k++)
        if (strcmp(limber_formulation_name(k), name) == 0) return k;
    return -1;
}

static int voice_of(const piece *p, const job *j)
{
    int k = formulation_number(j->sum.formulation);
    return j->why[0] || k < 0 ? -1 : p->voice[k];
}

int piece_is_shared(const piece *p, const job *jobs, int n)
{
    int first = -1;
    for (int k = 0; k < n; k++) {
        int voice = voice_of(p, &jobs[k]);
        if (voice >= 0 && first >= 0 && voice != first) return 0;
        if (voice >= 0) first = voice;
    }
    return 1;
}

void show_piece(FILE *out, const piece *p)
{
    int used = fprintf(out, "  %s: %s", p->name, p->items);
    if (used < 40)
        fprintf(out, "%*s", 40 - used, "");
    else
        fprintf(out, "\n%40s", "");
    fprintf(out, " %s\n", p->check);
}

void show_piece_json(FILE *out, const piece *p)
{
    fprintf(out, "{\"piece\": ");
    json_text(out, p->name);
    fprintf(out, ", \"items\": ");
    json_text(out, p->items);
    fprintf(out, ", \"check\": ");
    json_text(out, p->check);
    fprintf(out, "}");
}

void show_shared(FILE *out, const pieces *p, const job *jobs, int n)
{
    fprintf(out, "\nnot checked by this comparison, as all runs share it; what would check it\n");
    for (int i = 0; i < p->n; i++)
        if (piece_is_shared(&p->at[i], jobs, n)) show_piece(out, &p->at[i]);
}

void show_shared_json(FILE *out, const pieces *p, const job *jobs, int n)
{
    const char *between = "";
    fprintf(out, ", \"not_checked\": [");
    for (int i = 0; i < p->n; i++) {
        if (!piece_is_shared(&p->at[i], jobs, n)) continue;
        fprintf(out, "%s", between);
        show_piece_json(out, &p->at[i]);
        between = ", ";
    }
    fprintf(out, "]");
}
