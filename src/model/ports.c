#include "model/ports.h"

#include <stdio.h>
#include <string.h>

enum { NAME = 400 };

/* 1: `name` is `full`, or the part of it before a '.'. */
static int stands_for(const char *name, const char *full)
{
    size_t n = strlen(name);
    return strncmp(name, full, n) == 0 && (full[n] == 0 || full[n] == '.');
}

void lm_input_name(const lm_spec *spec, const lm_input *in, char *text, size_t size)
{
    if (in->block >= 0) {
        snprintf(text, size, "%s", spec->blocks.at[in->block].item.name);
        return;
    }
    if (in->load >= 0) {
        snprintf(text, size, "%s.%s.%c", spec->loads.at[in->load].item.name,
                 in->component < 3 ? "force" : "torque", "xyz"[in->component % 3]);
        return;
    }
    const lm_spec_joint *j = &spec->joints.at[in->joint];
    int several = lm_joint_coord_count(j->type) > 1;
    snprintf(text, size, "%s.effort%s%s", j->item.name, several ? "." : "",
             several ? lm_coord_name(lm_joint_coord(j->type, in->coord)) : "");
}

/* Only names that begin with that of their load or joint are made in full. */
static void offer(const lm_spec *spec, const char *name, lm_input in, lm_input *out, int *n)
{
    char full[NAME];
    if (name) {
        lm_input_name(spec, &in, full, sizeof full);
        if (!stands_for(name, full)) return;
    }
    if (out) out[*n] = in;
    ++*n;
}

static int begins(const char *name, const char *item)
{
    return !name || strncmp(name, item, strlen(item)) == 0;
}

static int is_signal(const lm_spec_block *b, const char *name)
{
    return b->type == LM_BLOCK_SIGNAL && b->variable >= 0 && strcmp(name, b->item.name) == 0;
}

int lm_inputs_named(const lm_spec *spec, const char *name, lm_input *out)
{
    int n = 0;
    for (int i = 0; name && i < spec->blocks.n; i++)
        if (is_signal(&spec->blocks.at[i], name))
            offer(spec, name, (lm_input){-1, 0, -1, -1, i}, out, &n);
    for (int i = 0; i < spec->loads.n; i++) {
        const lm_spec_load *l = &spec->loads.at[i];
        if (l->port || !begins(name, l->item.name)) continue; /* efforts of ports are solved for */
        for (int c = 0; c < 6; c++)
            if (c < 3 ? l->has_force : l->has_torque)
                offer(spec, name, (lm_input){i, c, -1, -1, -1}, out, &n);
    }
    for (int i = 0; i < spec->joints.n; i++) {
        const lm_spec_joint *j = &spec->joints.at[i];
        if (!begins(name, j->item.name)) continue;
        for (int c = 0; c < lm_joint_coord_count(j->type); c++)
            if (j->coord[c].has_effort) offer(spec, name, (lm_input){-1, 0, i, c, -1}, out, &n);
    }
    return n;
}

int lm_outputs_named(const lm_spec *spec, const char *name, int *out)
{
    int n = 0;
    for (int i = 0; i < spec->outputs.n; i++) {
        if (name && !stands_for(name, spec->outputs.at[i].item.name)) continue;
        if (out) out[n] = i;
        n++;
    }
    return n;
}
