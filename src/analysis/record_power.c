/* Energy by element of the power graph, in the result file (docs/results.md). */
#include "analysis/power.h"
#include "analysis/run.h"

#include <math.h>
#include <stdio.h>

void lm_power_flow_add(lm_power_flow *f, double energy, double power, double t)
{
    int source = f->type == LM_ELEMENT_SE || f->type == LM_ELEMENT_SF;
    double taken = source ? -energy : energy;
    if (taken > 0)
        f->in += taken;
    else
        f->out -= taken;
    if (fabs(power) > fabs(f->largest)) {
        f->largest = power;
        f->at = t;
    }
}

static void tell(const lm_run *run, int n, const lm_power_flow *flow)
{
    for (int i = 0; i < n && run->opt->power; i++) {
        const lm_power_flow *f = &flow[i];
        limber_power_flow told = {
            .number = i + 1, .in = f->in, .out = f->out, .largest = f->largest, .at = f->at};
        snprintf(told.name, sizeof told.name, "%s", f->name);
        snprintf(told.type, sizeof told.type, "%s", lm_element_type_name((lm_element_type)f->type));
        run->opt->power(run->opt->power_context, &told);
    }
}

/* Lines "TYPE NAME": tables hold numbers only. */
static int put_names(lm_run *run, int n, const lm_power_flow *flow)
{
    lm_arena arena = {0};
    char path[96];
    size_t size = 1, used = 0;
    for (int i = 0; i < n; i++) size += (size_t)snprintf(NULL, 0, "%s", flow[i].name) + 8;
    char *text = LM_NEW_N(&arena, char, size);
    for (int i = 0; i < n && text; i++)
        used += (size_t)snprintf(text + used, size - used, "%s %s\n",
                                 lm_element_type_name((lm_element_type)flow[i].type), flow[i].name);
    snprintf(path, sizeof path, "%s/power_elements", run->tables.group);
    int bad = !text ? 2 : lm_h5_write_text(run->file, path, text) ? 1 : 0;
    lm_arena_free(&arena);
    return bad;
}

limber_status lm_record_power(lm_run *run, int n, const lm_power_flow *flow)
{
    static const char *const columns[] = {"element", "in", "out", "largest", "at"};
    if (n == 0) return LIMBER_OK;
    tell(run, n, flow);
    if (!run->file) return LIMBER_OK;
    int bad = put_names(run, n, flow);
    if (bad == 2) return LIMBER_MEMORY;
    int id = bad ? -1 : lm_record_table(run, "power", 5, columns);
    bad = id < 0;
    for (int i = 0; i < n && !bad; i++) {
        double row[5] = {i + 1, flow[i].in, flow[i].out, flow[i].largest, flow[i].at};
        bad = lm_h5_append(run->file, id, row);
    }
    return bad ? lm_record_failed(run) : LIMBER_OK;
}
