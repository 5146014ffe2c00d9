#include "analysis/effects.h"

#include "form/form.h"
#include "form/sharing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void tell(const lm_run *run, limber_effect *e, const char *what, const char *on, double size)
{
    if (!run->opt->effect || !(size > 0) || !isfinite(size)) return;
    snprintf(e->what, sizeof e->what, "%s", what);
    snprintf(e->on, sizeof e->on, "%.60s", on);
    if (*run->tables.group)
        snprintf(e->analysis, sizeof e->analysis, "%.*s", (int)sizeof e->analysis - 1,
                 run->tables.group + 1);
    e->size = size;
    run->opt->effect(run->opt->effect_context, e);
}

void lm_effect_part(const lm_run *run, const char *what, const char *on, double part)
{
    tell(run, &(limber_effect){0}, what, on, part);
}

static void tell_output(const lm_run *run, const char *what, const char *on, int output,
                        double size)
{
    limber_effect e = {0};
    snprintf(e.output, sizeof e.output, "%.60s", run->model->spec->outputs.at[output].item.name);
    tell(run, &e, what, on, size);
}

void lm_effect_output(const lm_run *run, const char *what, int output, double size)
{
    tell_output(run, what, "", output, size);
}

static int is_rotation(const lm_spec *spec, int output)
{
    const lm_expr *e = &spec->outputs.at[output].expr;
    for (int k = 0; k < e->ninputs; k++) {
        int sensor = e->inputs[k] - 1;
        if (sensor >= 0 && sensor < spec->sensors.n &&
            spec->sensors.at[sensor].kind == LM_SENSOR_ROT)
            return 1;
    }
    return 0;
}

void lm_effect_angle(const lm_run *run, const char *what, const char *on, double angle)
{
    for (int i = 0; i < run->model->spec->outputs.n; i++)
        if (is_rotation(run->model->spec, i)) tell_output(run, what, on, i, angle);
}

void lm_effect_mesh(const lm_run *run, lm_analysis_type type)
{
    if (type == LM_ANALYSIS_DYNAMICS || type == LM_ANALYSIS_STATICS || type == LM_ANALYSIS_MODES)
        return; /* these measure it (analysis/mesh.h) */
    for (int k = 0; k < LM_FORMULATIONS; k++)
        if (strcmp(run->sum->formulation, lm_form_name((lm_formulation_type)k)) == 0)
            lm_effect_part(run, "the bending of half a division at clamps (mesh, h^2)", "",
                           lm_mesh_error(run->model, (lm_formulation_type)k));
}
