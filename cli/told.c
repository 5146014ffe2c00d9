/* What a run tells while it goes on. */
#include "show.h"

#include <stdlib.h>
#include <string.h>

void told_listen(told *t, limber_run_options *o)
{
    o->mode = modes_add;
    o->mode_context = &t->modes;
    o->pole = modes_add;
    o->pole_context = &t->poles;
    o->multiplier = multipliers_add;
    o->multiplier_context = &t->multipliers;
    o->branch = branches_add;
    o->critical = critical_add;
    o->branch_context = o->critical_context = &t->campbell;
    o->power = power_add;
    o->power_context = &t->power;
    o->output = outputs_add;
    o->output_context = &t->outputs;
    o->effect = effects_add;
    o->effect_context = &t->effects;
}

void told_free(told *t)
{
    free(t->modes.at);
    free(t->poles.at);
    free(t->multipliers.at);
    free(t->campbell.branch);
    free(t->campbell.critical);
    free(t->power.at);
    free(t->outputs.at);
    free(t->effects.at);
}

static int is_last(const limber_summary *s, const char *type)
{
    return strcmp(s->analysis, type) == 0;
}

void show_results(FILE *out, const limber_summary *s, told *t, const char *results)
{
    int is_modes = is_last(s, "modes"), is_linear = is_last(s, "linearize");
    int is_campbell = is_last(s, "campbell");
    if (s->modes || is_modes) show_modes(out, s, &t->modes, results);
    if (s->states || is_linear) show_linearized(out, s, &t->poles, results);
    show_periodic(out, s, &t->multipliers);
    if (s->speeds || is_campbell) show_campbell(out, s, &t->campbell, results);
    if (!is_modes && !is_linear && !is_campbell) show_summary(out, s, results);
    if (is_last(s, "statics")) show_equilibrium(out, &t->outputs);
    show_power(out, &t->power);
}

void show_results_json(FILE *out, const limber_summary *s, const told *t, const char *results,
                       const limber_messages *msg)
{
    fprintf(out, "{\"status\": %d, \"reason\": ", (int)s->status);
    json_text(out, s->reason);
    fprintf(out, ", \"results\": ");
    json_text(out, results);
    show_summary_json(out, s);
    if (s->modes || is_last(s, "modes")) show_modes_json(out, s, &t->modes);
    if (s->states || is_last(s, "linearize")) show_linearized_json(out, s, &t->poles);
    show_periodic_json(out, s, &t->multipliers);
    if (s->speeds || is_last(s, "campbell")) show_campbell_json(out, s, &t->campbell);
    if (is_last(s, "statics")) show_equilibrium_json(out, &t->outputs);
    show_power_json(out, &t->power);
    show_effects_json(out, &t->effects);
    show_messages_json(out, msg);
    fprintf(out, ", \"seconds\": %.6g}\n", s->seconds);
}
