#include "show.h"

#include <string.h>

void show_progress(const limber_progress *p)
{
    double part = p->until > 0 ? p->t / p->until : 0;
    double left = part > 0 ? p->elapsed * (1 - part) / part : 0;
    fprintf(stderr, "\r\033[K%3.0f %%  t = %.4g of %.4g  step %.2g  %ld steps  %.0f/s  %.0f s to go",
            100 * part, p->t, p->until, p->step, p->steps,
            p->elapsed > 0 ? (double)p->steps / p->elapsed : 0, left);
    fflush(stderr);
}

void show_progress_end(void)
{
    fprintf(stderr, "\r\033[K");
    fflush(stderr);
}

void show_summary(FILE *out, const limber_summary *s, const char *results)
{
    if (!out) return;
    if (strcmp(s->analysis, "statics") == 0)
        fprintf(out, "statics: load factor %.4g, %ld iterations, %.3g s\n", s->t, s->iterations,
                s->seconds);
    else
        fprintf(out,
                "%s: t = %.6g, %ld steps (%ld rejected, %ld iterations), %.3g s\n"
                "energy balance %.1e, constraints %.1e, steps %.2g to %.2g, %s\n",
                s->analysis, s->t, s->steps, s->rejected, s->iterations, s->seconds, s->energy_error,
                s->constraint_error, s->smallest_step, s->largest_step, s->method);
    if (s->rows) fprintf(out, "%ld rows in %s\n", s->rows, results);
    fflush(out);
}

void show_reason(FILE *out, const limber_summary *s, const char *results)
{
    if (s->status == LIMBER_OK || !s->reason[0]) return;
    if (s->status == LIMBER_INTERRUPTED)
        fprintf(out, "limber: %s; continue with --resume\n", s->reason);
    else if (s->status == LIMBER_STOPPED)
        fprintf(out, "limber: stopped %s\n%s%s%s", s->reason,
                s->rows ? "        what was computed is in " : "", s->rows ? results : "",
                s->rows ? "\n" : "");
    else
        fprintf(out, "limber: %s\n", s->reason);
}

static void json_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
        if (*p == '"' || *p == '\\')
            fprintf(out, "\\%c", *p);
        else if (*p < 0x20)
            fprintf(out, "\\u%04x", *p);
        else
            fputc(*p, out);
    }
    fputc('"', out);
}

void show_summary_json(FILE *out, const limber_summary *s, const char *results)
{
    fprintf(out, "{\"status\": %d, \"reason\": ", (int)s->status);
    json_text(out, s->reason);
    fprintf(out, ", \"results\": ");
    json_text(out, results);
    fprintf(out,
            ", \"analysis\": \"%s\", \"formulation\": \"%s\", \"method\": \"%s\", \"t\": %.17g, "
            "\"steps\": %ld, \"rejected\": %ld, \"iterations\": %ld, \"jacobians\": %ld, "
            "\"rows\": %ld, \"smallest_step\": %.17g, \"largest_step\": %.17g, "
            "\"energy_error\": %.17g, \"constraint_error\": %.17g, \"seconds\": %.6g}\n",
            s->analysis, s->formulation, s->method, s->t, s->steps, s->rejected, s->iterations,
            s->jacobians, s->rows, s->smallest_step, s->largest_step, s->energy_error,
            s->constraint_error, s->seconds);
}

void show_profile(FILE *out, const limber_summary *s)
{
    const struct {
        const char *name;
        double t;
    } phase[] = {{"residual", s->phase_residual}, {"jacobian", s->phase_jacobian},
                 {"factor", s->phase_factor},     {"solve", s->phase_solve},
                 {"output", s->phase_output}};
    double sum = 0;
    for (int i = 0; i < 5; i++) {
        fprintf(out, "  %-9s %9.4f s  %5.1f %%\n", phase[i].name, phase[i].t,
                s->seconds > 0 ? 100 * phase[i].t / s->seconds : 0);
        sum += phase[i].t;
    }
    fprintf(out, "  %-9s %9.4f s  %5.1f %%\n", "other", s->seconds - sum,
            s->seconds > 0 ? 100 * (s->seconds - sum) / s->seconds : 0);
}

void show_check(FILE *out, const limber_model *m, const limber_check_info *i, limber_status st)
{
    if (limber_model_title(m)[0]) fprintf(out, "%s\n", limber_model_title(m));
    fprintf(out, "%d bodies, %d joints, %d forces, %d loads, %d outputs, %d analyses\n", i->bodies,
            i->joints, i->forces, i->loads, i->outputs, i->analyses);
    if (i->mechanics)
        fprintf(out, "%d unknowns, %d constraints (%d redundant), mobility %d\n", i->unknowns,
                i->constraints, i->redundant, i->mobility);
    if (st == LIMBER_OK) fprintf(out, "the model is ready to run\n");
}

void show_check_json(FILE *out, const limber_check_info *i, limber_status st)
{
    fprintf(out,
            "{\"status\": %d, \"bodies\": %d, \"joints\": %d, \"forces\": %d, \"loads\": %d, "
            "\"outputs\": %d, \"analyses\": %d, \"unknowns\": %d, \"constraints\": %d, "
            "\"redundant\": %d, \"mobility\": %d}\n",
            (int)st, i->bodies, i->joints, i->forces, i->loads, i->outputs, i->analyses, i->unknowns,
            i->constraints, i->redundant, i->mobility);
}
