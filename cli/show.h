/* What the program prints. */
#ifndef LIMBER_CLI_SHOW_H
#define LIMBER_CLI_SHOW_H

#include <limber/limber.h>

/* The modes of the last analysis, as the library tells them. */
typedef struct mode_list {
    limber_mode *at;
    int n, room, failed;
} mode_list;

void modes_add(void *list, const limber_mode *mode);
void show_modes(FILE *out, const limber_summary *s, const mode_list *modes, const char *results);
void show_modes_json(FILE *out, const limber_summary *s, const mode_list *modes); /* ", ..." */
/* The same of a linearised model and its poles. */
void show_linearized(FILE *out, const limber_summary *s, const mode_list *poles,
                     const char *results);
void show_linearized_json(FILE *out, const limber_summary *s, const mode_list *poles);

/* The multipliers of the last periodic motion. */
typedef struct multiplier_list {
    limber_multiplier *at;
    int n, room, failed;
} multiplier_list;

void multipliers_add(void *list, const limber_multiplier *multiplier);
void show_periodic(FILE *out, const limber_summary *s, const multiplier_list *list);
void show_periodic_json(FILE *out, const limber_summary *s, const multiplier_list *list);

/* The branches and critical speeds of the last Campbell diagram. */
typedef struct campbell_list {
    limber_branch *branch;
    limber_critical *critical;
    int nbranches, ncritical, branch_room, critical_room, failed;
} campbell_list;

void branches_add(void *list, const limber_branch *branch);
void critical_add(void *list, const limber_critical *critical);
void show_campbell(FILE *out, const limber_summary *s, const campbell_list *l, const char *results);
void show_campbell_json(FILE *out, const limber_summary *s, const campbell_list *l);

/* What went through the elements of the power graph in the last dynamics analysis. */
typedef struct power_list {
    limber_power_flow *at;
    int n, room, failed;
} power_list;

void power_add(void *list, const limber_power_flow *flow);
void show_power(FILE *out, power_list *l); /* sorts it */
void show_power_json(FILE *out, const power_list *l);

/* The outputs in the last static equilibrium. */
typedef struct output_value {
    char name[64];
    double value;
} output_value;

typedef struct output_list {
    output_value *at;
    int n, room, failed;
} output_list;

void outputs_add(void *list, int number, const char *name, double value);
void show_equilibrium(FILE *out, const output_list *l);
void show_equilibrium_json(FILE *out, const output_list *l);

/* Errors that the formulation and the method make by their approximations, as the run estimates them; of an
 * analysis that is repeated the largest. */
typedef struct effect_list {
    limber_effect *at;
    int n, room, failed;
} effect_list;

void effects_add(void *list, const limber_effect *effect);
void show_effects_json(FILE *out, const effect_list *l); /* ", ...", nothing without any */

/* told.c: what a run tells while it goes on */
typedef struct told {
    mode_list modes, poles;
    multiplier_list multipliers;
    campbell_list campbell;
    power_list power;
    output_list outputs;
    effect_list effects;
} told;

void told_listen(told *t, limber_run_options *o);
void told_free(told *t);
/* Modes and a linearised model by their tables, the last of the other analyses by a line. */
void show_results(FILE *out, const limber_summary *s, told *t, const char *results);
void show_results_json(FILE *out, const limber_summary *s, const told *t, const char *results,
                       const limber_messages *msg);
/* messages.c */
void show_messages_json(FILE *out, const limber_messages *msg); /* ", ..." */

void show_progress(const limber_progress *p); /* one line on stderr, rewritten */
void show_early(const limber_message *m);     /* a line above it */
void show_progress_end(void);
void show_summary(FILE *out, const limber_summary *s, const char *results);
void show_summary_json(FILE *out, const limber_summary *s); /* ", ..." */
void show_reason(FILE *out, const limber_summary *s, const char *results);
void show_open(FILE *out, const char *html); /* where a report is, unless on standard output */
void show_profile(FILE *out, const limber_summary *s);
void show_check(FILE *out, const limber_model *m, const limber_check_info *info, limber_status st);
void json_number(FILE *out, const char *name, double x); /* , "name": x */
void json_text(FILE *out, const char *text);             /* quoted */
void show_check_json(FILE *out, const limber_check_info *info, limber_status st,
                     const limber_messages *msg);

#endif
