/* Inputs and outputs of a linearised model, by name.
 *
 * An input is added to one component of a load ("motor.torque.z") or to the effort of a joint coordinate
 * ("pivot.effort", "slide.effort.angle" for joints with several). A shorter name stands for all that
 * it begins: "motor", "motor.torque". A signal of `blocks`, or of a part of a block, is an input where it is
 * named: something is added to its value. */
#ifndef LM_MODEL_PORTS_H
#define LM_MODEL_PORTS_H

#include "model/spec.h"

typedef struct lm_input {
    int load;      /* index into spec->loads, -1: an effort */
    int component; /* force x, y, z, torque x, y, z */
    int joint, coord;
    int block; /* index into spec->blocks, -1: none */
} lm_input;

/* What `name` stands for, NULL: all there are; into `out` unless NULL. Returns how many. */
int lm_inputs_named(const lm_spec *spec, const char *name, lm_input *out);
void lm_input_name(const lm_spec *spec, const lm_input *in, char *text, size_t size);

/* The same of the model's outputs: "tip" stands for tip.x, tip.y and tip.z. Indices. */
int lm_outputs_named(const lm_spec *spec, const char *name, int *out);

#endif
