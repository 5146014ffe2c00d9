/* What goes through the elements of the power graph in a run. */
#ifndef LM_ANALYSIS_POWER_H
#define LM_ANALYSIS_POWER_H

#include <limber/limber.h>

#include "model/spec.h"

/* Of a one-port, or of the first bond of a TF or GY. A source gives what goes along its bond, every
 * other element takes it; a TF or GY passes it on. */
typedef struct lm_power_flow {
    const char *name;
    int type;       /* lm_element_type */
    double in, out; /* energy that it took, that it gave; of a TF or GY: along, against its bonds */
    double largest; /* power of the largest size, positive along the bond */
    double at;      /* when */
} lm_power_flow;

/* One step: the energy that went along the bond in it, and the power at its end, time t. */
void lm_power_flow_add(lm_power_flow *f, double energy, double power, double t);

/* Tell the caller (limber_run_options.power), and write the table `power` and the text `power_elements`
 * of the analysis' group; again in place of those of a run that is resumed. */
struct lm_run;
limber_status lm_record_power(struct lm_run *run, int n, const lm_power_flow *flow);

#endif
