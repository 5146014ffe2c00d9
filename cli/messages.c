/* Messages as JSON, and those of the runs that `compare` starts. */
#include "jobs.h"
#include "show.h"

#include <stdlib.h>
#include <string.h>

static const char *const severity_word[] = {"error", "warning", "note"};

static void show_message_json(FILE *out, const limber_message *m)
{
    fprintf(out, "{\"severity\": \"%s\", \"analysis\": ", severity_word[m->severity]);
    json_text(out, m->analysis);
    fprintf(out, ", \"file\": ");
    json_text(out, m->file ? m->file : "");
    fprintf(out, ", \"line\": %d, \"column\": %d, \"text\": ", m->line, m->column);
    json_text(out, m->text);
    fprintf(out, "}");
}

void show_messages_json(FILE *out, const limber_messages *msg)
{
    int n = msg ? limber_messages_count(msg) : 0;
    fprintf(out, ", \"messages\": [");
    for (int i = 0; i < n; i++) {
        limber_message m = limber_messages_get(msg, i);
        if (i) fprintf(out, ", ");
        show_message_json(out, &m);
    }
    fprintf(out, "]");
}

/* ---- of several runs ---- */

limber_messages *jobs_messages(const job *j)
{
    limber_messages *msg = limber_messages_new();
    int has_file = j->sum.status == LIMBER_OK || j->sum.status == LIMBER_STOPPED;
    if (msg && j->done && has_file && j->sum.analysis[0]) limber_results_messages(j->results, msg);
    return msg;
}

/* The text of m is in the list, at the same place. */
static int has(const limber_messages *msg, const limber_message *m)
{
    for (int i = 0; msg && i < limber_messages_count(msg); i++) {
        limber_message x = limber_messages_get(msg, i);
        if (x.severity == m->severity && x.line == m->line && strcmp(x.text, m->text) == 0)
            return 1;
    }
    return 0;
}

/* "model.yaml:3:5: warning: minimal, rfe: ..." */
static void show_of_jobs(FILE *out, const limber_message *m, const job *jobs,
                         limber_messages *const *said, int n)
{
    const char *between = "";
    if (m->file) fprintf(out, "%s:", m->file);
    if (m->file && m->line) fprintf(out, "%d:%d:", m->line, m->column);
    fprintf(out, "%s%s: ", m->file ? " " : "", severity_word[m->severity]);
    for (int k = 0; k < n; k++) {
        if (!has(said[k], m)) continue;
        fprintf(out, "%s%s", between, jobs[k].label);
        between = ", ";
    }
    fprintf(out, ": %s\n", m->text);
}

void jobs_show_warnings(FILE *out, const job *jobs, int n, const limber_messages *shown)
{
    limber_messages **said = calloc((size_t)n, sizeof *said);
    for (int k = 0; k < n && said; k++) said[k] = jobs_messages(&jobs[k]);
    for (int k = 0; k < n && said; k++)
        for (int i = 0; said[k] && i < limber_messages_count(said[k]); i++) {
            limber_message m = limber_messages_get(said[k], i);
            int again = m.severity != LIMBER_WARNING || has(shown, &m);
            for (int l = 0; l < k; l++) again |= has(said[l], &m);
            if (!again) show_of_jobs(out, &m, jobs, said, n);
        }
    for (int k = 0; k < n && said; k++) limber_messages_free(said[k]);
    free(said);
}
