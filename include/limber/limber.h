/* limber: flexible multibody dynamics. The public interface of the library; the command-line
 * program uses nothing else.
 *
 *     limber_messages *msg = limber_messages_new();
 *     limber_model *model;
 *     if (limber_model_load("arm.yaml", NULL, &model, msg) == LIMBER_OK) {
 *         limber_run_options opt = limber_run_options_default();
 *         limber_summary sum;
 *         opt.results = "arm.h5";
 *         limber_run(model, &opt, &sum, msg);
 *         limber_model_free(model);
 *     }
 *     limber_messages_free(msg);
 *
 * Calls that can fail return a limber_status and explain themselves in the messages. A model is
 * constant after loading and can be used by several threads at once; everything else belongs to
 * one thread at a time. Option structs come from their ..._default() function: set what differs. */
#ifndef LIMBER_H
#define LIMBER_H

#include <limber/kinematics.h>
#include <limber/status.h>
#include <limber/version.h>
#include <stddef.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- messages ---- */

typedef struct limber_messages limber_messages;

typedef enum limber_severity { LIMBER_ERROR, LIMBER_WARNING, LIMBER_NOTE } limber_severity;

typedef struct limber_message {
    limber_severity severity;
    const char *file; /* NULL: no place */
    int line, column; /* from 1; 0: unknown */
    const char *text;
    const char
        *analysis; /* that it is about, as the group in the result file is called; "": none */
} limber_message;

limber_messages *limber_messages_new(void); /* NULL: out of memory */
void limber_messages_free(limber_messages *msg);
int limber_messages_count(const limber_messages *msg);
int limber_messages_errors(const limber_messages *msg); /* may exceed the number of texts kept */
limber_message limber_messages_get(const limber_messages *msg, int i);
/* All of them as 'file:line:column: error: text' lines. */
void limber_messages_print(const limber_messages *msg, FILE *out);

/* ---- models ---- */

typedef struct limber_model limber_model;

/* What of a model can be put in other terms, to see whether results hang on it. */
typedef enum limber_change {
    LIMBER_CHANGE_NOTHING,
    LIMBER_CHANGE_METHOD,        /* of the integration: radau, else generalized-alpha */
    LIMBER_CHANGE_SUPERELEMENTS, /* made from beams: such beams, of 8 elements at least */
    LIMBER_CHANGE_THEORY, /* of beams: Euler-Bernoulli for Timoshenko, and the other way round */
    LIMBER_CHANGE_BODY_FRAME,    /* of superelements with constant matrices: `mean`, else `chord` */
    LIMBER_CHANGE_SPRINGS,       /* of `rfe`: `bending` for `all`, and the other way round */
    LIMBER_CHANGE_SUBSTRUCTURES, /* of `ffr`: a floating frame with splines for each element */
    LIMBER_CHANGES               /* how many there are */
} limber_change;

typedef struct limber_load_options {
    const char *const *set; /* "NAME=expression": overrides of parameters */
    int set_count;
    int allow_outside_includes; /* include files outside the model's folder */
    /* What moves the frames that the file calls `external`; copied, but for its context and scale,
     * which must live as long as the model. NULL: a model with such frames is refused. */
    const limber_kinematics *kinematics;
    /* How often to halve the elements of all beams, and tolerances and time steps: the same model, closer
     * to its exact answer. Nodes named in the file stay where they are. */
    int refine_mesh, refine_time;
    limber_change change; /* to be made; what it has found: limber_model_change */
} limber_load_options;

limber_load_options limber_load_options_default(void);

/* options may be NULL. *model is NULL unless LIMBER_OK. */
limber_status limber_model_load(const char *path, const limber_load_options *options,
                                limber_model **model, limber_messages *msg);
limber_status limber_model_parse(const char *text, size_t size, const char *name,
                                 const limber_load_options *options, limber_model **model,
                                 limber_messages *msg);
void limber_model_free(limber_model *model);

const char *limber_model_title(const limber_model *model);
const char *limber_model_formulation(const limber_model *model); /* the one it asks for */
int limber_model_output_count(const limber_model *model);
const char *limber_model_output_name(const limber_model *model, int i);

/* All formulations, by their numbers: 0 to limber_formulation_count() - 1; NULL beyond. */
int limber_formulation_count(void);
const char *limber_formulation_name(int number);

/* What `change` of the options has changed ("theory: timoshenko"); "": there is no such thing in the model. */
const char *limber_model_change(const limber_model *model);

/* A piece of a model, and which formulations share the code for it: runs with the same number in `voice`
 * say nothing of it by agreeing. */
typedef struct limber_piece {
    const char *name;  /* "superelements" */
    const char *items; /* "arm, rod and 3 more" */
    const int *voice;  /* [limber_formulation_count()]; -1: not known before the run */
    const char *check; /* what would check it */
    int bends;         /* 1: it bends, and formulations differ in that first of all */
} limber_piece;

/* The pieces that occur in a model. */
void limber_model_pieces(const limber_model *model,
                         void (*each)(void *context, const limber_piece *piece), void *context);

/* States of the model: numbers that change between steps only. */
int limber_model_state_count(const limber_model *model);
const char *limber_model_state_name(const limber_model *model, int i);
int limber_model_state_index(const limber_model *model, const char *name); /* -1: there is none */

/* An accepted step of a dynamics analysis, as the caller's own function sees it. */
typedef struct limber_step {
    double t;              /* its end */
    double dt;             /* its size */
    long number;           /* from 1 */
    const double *outputs; /* [limber_model_output_count] at its end, with the states of the step */
    double *states;        /* [limber_model_state_count] for the next step, may be changed */
    const char *reason;    /* may be set where the run is to stop: why */
} limber_step;

/* Call `function` after every accepted step of every run of this model, never for one that is tried
 * and rejected; NULL: no more. A non-zero return stops the run (LIMBER_STOPPED). What the function has
 * to remember for a run that is resumed it keeps in `states`, which are saved with the run; it is called
 * again for analyses that are repeated when a run is resumed. Not while the model is running. */
void limber_model_on_step(limber_model *model, int (*function)(void *context, limber_step *step),
                          void *context);

/* ---- checking ---- */

typedef struct limber_check_info {
    int bodies, joints, forces, loads, outputs, analyses;
    int unknowns;    /* velocities */
    int constraints; /* constraint equations, redundant ones included */
    int redundant;   /* of these, determined by the others */
    int mobility;    /* degrees of freedom left */
    int mechanics;   /* 0: the formulation cannot solve this model; the counts above are 0 */
    int variables;   /* of controllers and the power graph, solved together with the motion */
    int states;      /* of these, integrated in time */
} limber_check_info;

/* Make the system and look at its constraints. Redundant ones are named in `msg` as notes. */
limber_status limber_check(const limber_model *model, limber_check_info *info,
                           limber_messages *msg);
/* The same, and a drawing of the mechanism in its initial state (as drawn, where there is none) as an
 * HTML file: the page of limber_report with one frame. */
limber_status limber_check_draw(const limber_model *model, const char *html,
                                limber_check_info *info, limber_messages *msg);

/* A drawing of the power graph as an SVG file ("-": standard output): a bond graph with half arrows and
 * causal strokes. LIMBER_INPUT: the model has none. */
limber_status limber_model_bond_graph(const limber_model *model, const char *svg,
                                      limber_messages *msg);

/* ---- running ---- */

typedef struct limber_progress {
    double t, until; /* simulated time */
    double step;     /* step size now */
    long steps;
    double elapsed; /* seconds */
} limber_progress;

typedef enum limber_mode_kind {
    LIMBER_MODE_VIBRATES,
    LIMBER_MODE_RIGID, /* nothing holds it: frequency 0 */
    LIMBER_MODE_GROWS, /* unstable without vibrating: an equilibrium that is left */
    LIMBER_MODE_DECAYS /* so damped that it does not vibrate */
} limber_mode_kind;

/* One mode of a `modes` analysis: the motion exp(real*t) cos(imaginary*t) of a shape. */
typedef struct limber_mode {
    int number; /* from 1 */
    limber_mode_kind kind;
    double frequency, omega; /* Hz, rad/s: natural ones; 0 for a mode that does not vibrate */
    double damping_ratio;    /* -real/omega; without vibration 1 decays, -1 grows, 0 rigid */
    double real, imaginary;  /* the eigenvalue, 1/s; imaginary >= 0 */
    /* Of a rigid motion of everything along x, y, z and about x, y, z through the origin, in units
     * of a shape of unit mass; and the part of the total mass (inertia) that moves so. */
    double participation[6], effective_mass[6];
    char moves[160]; /* what moves most: "body arm along y" */
} limber_mode;

/* One Floquet multiplier of a `periodic` analysis: what a small deviation is multiplied by in a
 * period. */
typedef struct limber_multiplier {
    int number;             /* from 1, the largest first */
    double real, imaginary; /* imaginary > 0 stands for a pair */
    double modulus;         /* above 1: the deviation grows */
    double growth, omega; /* its exponent, 1/s: log(modulus)/T and, but for whole turns, angle/T */
    char moves[160];      /* what moves most */
} limber_multiplier;

/* One branch of a `campbell` analysis at the first, the middle and the last speed; NAN where it is not
 * among the lowest. */
typedef struct limber_branch {
    int number; /* from 1 */
    double speed[3];
    double frequency[3], damping_ratio[3]; /* Hz; as for modes */
    double whirl[3]; /* orbits seen from the ground: 1 forward, -1 backward circles, 0 lines */
} limber_branch;

/* A speed at which unbalance meets a branch. */
typedef struct limber_critical {
    double speed;
    int branch;
    double frequency; /* Hz, seen from the ground */
    double whirl;     /* as above */
} limber_critical;

/* What went through one element of the power graph in the last dynamics analysis. A source gives what
 * goes along its bond, every other element takes it; a TF or GY passes it on. */
typedef struct limber_power_flow {
    int number; /* from 1 */
    char name[160];
    char type[8];   /* "Se", "Sf", "R", "C", "I", "TF", "GY", "port" */
    double in, out; /* energy that it took, that it gave; of a TF or GY: along, against its bonds */
    double largest, at; /* power of the largest size, positive along the bond; when */
} limber_power_flow;

/* Something that a formulation leaves out, and about how much that comes to in this run. */
typedef struct limber_effect {
    char analysis[40]; /* as the group in the file is called */
    char what[96];     /* "bending within a floating frame" */
    char on[64];       /* the body, or "" */
    char output[64];   /* that `size` belongs to, in its unit; "": of any, and `size` is
                        * the part of what deformation changes of an output that this
                        * effect comes to */
    double size;
} limber_effect;

typedef struct limber_run_options {
    const char *formulation; /* NULL: the model's */
    const char *analysis; /* NULL: the model's list; else only this type, with defaults if absent */
    const char *results;  /* HDF5 file, NULL: none */
    const char *csv;      /* CSV of the last analysis, "-": standard output, NULL: none */
    const char *report;   /* HTML report of the results, see limber_report; NULL: none */
    const char *vtk;      /* folder for files of ParaView, see limber_export_vtk; NULL: none */
    const char *matrices; /* folder for Matrix Market files of `linearize`; NULL: none */
    double until;         /* > 0: replaces that of the model */
    int threads;          /* 0, 1: the caller's only; the results do not depend on it */
    int resume;           /* continue the run in `results` */
    int profile;          /* measure the time by phase */
    const char *settings; /* text stored with the results (the command's options) */
    /* Called now and then; NULL: not. A non-zero return stops the run, resumable. */
    int (*progress)(void *context, const limber_progress *progress);
    void *progress_context;
    /* Called for each output, from 0 on, in the equilibrium that a `statics` analysis wrote to `results`;
     * NULL: not. */
    void (*output)(void *context, int number, const char *name, double value);
    void *output_context;
    /* Called for each mode that a `modes` analysis has found, lowest first; NULL: not. */
    void (*mode)(void *context, const limber_mode *mode);
    void *mode_context;
    /* Called for each pole of a linearised model, slowest first, of which `moves` is the state that
     * moves most; it has no participation. NULL: not. */
    void (*pole)(void *context, const limber_mode *pole);
    void *pole_context;
    /* Called for each multiplier of a `periodic` analysis, the largest first; NULL: not. */
    void (*multiplier)(void *context, const limber_multiplier *multiplier);
    void *multiplier_context;
    /* Called for each branch and each critical speed of a `campbell` analysis; NULL: not. */
    void (*branch)(void *context, const limber_branch *branch);
    void *branch_context;
    void (*critical)(void *context, const limber_critical *critical);
    void *critical_context;
    /* Called at the end of a dynamics analysis for each element of the power graph; NULL: not. */
    void (*power)(void *context, const limber_power_flow *flow);
    void *power_context;
    /* Called at the end of an analysis for each effect that is left out; NULL: not. */
    void (*effect)(void *context, const limber_effect *effect);
    void *effect_context;
} limber_run_options;

limber_run_options limber_run_options_default(void);

/* The one of n names that `word` is a likely slip of; NULL: none. */
const char *limber_nearest_name(const char *word, const char *const *names, int n);

typedef struct limber_summary {
    limber_status status;
    char analysis[24]; /* the last one run */
    char formulation[24];
    char method[24];
    double t; /* reached */
    int unknowns,
        constraints; /* velocities of the system; constraint rows, redundant ones included */
    long steps, rejected, iterations, jacobians, rows;
    long events; /* changes of branch at which steps ended */
    double smallest_step, largest_step;
    double energy_error;     /* largest violation of the energy balance / energy exchanged */
    double constraint_error; /* largest relative violation of a constraint */
    int modes;               /* found by the last analysis */
    int modes_available;     /* how many there are; -1: more than those found */
    int about_statics;       /* these are about a static equilibrium */
    double total_mass[6];    /* along x, y, z; about x, y, z through the origin */
    double captured_mass[6]; /* the part of it that the modes move */
    int states, inputs, outputs, poles; /* of the last linearised model; a pair is one pole */
    int linearized_at_rest;             /* it is about a static equilibrium */
    double linearized_at;               /* the time of the state it is about */
    double period;                      /* of the last periodic motion; 0: none */
    int cycles, multipliers; /* periods that were run to find it; multipliers there are */
    int stability;           /* of it: -1 stable, 0 marginal, 1 unstable */
    int branches, critical_speeds, speeds; /* of the last campbell analysis: found; computed */
    int roots_available;               /* at each of these speeds; -1: more than were asked for */
    double unstable_from, unstable_to; /* speeds between which a branch grows; NAN: none */
    char frame[12];                    /* "rotating", "fixed": its axes */
    double seconds;
    double phase_residual, phase_jacobian, phase_factor, phase_solve, phase_output; /* profile */
    double
        range_error; /* of superelements, whose mesh stays: about how far displacements within them, or their
                           frequencies as they turn, are off where they were the furthest */
    char reason[512]; /* why it stopped, "" when done */
} limber_summary;

limber_status limber_run(const limber_model *model, const limber_run_options *options,
                         limber_summary *summary, limber_messages *msg);

/* ---- step by step, in memory ---- */

typedef struct limber_simulation limber_simulation;

/* The first dynamics analysis of the model, ready at its start; analyses before it in the model's list
 * that leave another state, statics and periodic, have been run. */
limber_status limber_simulation_new(const limber_model *model, limber_simulation **sim,
                                    limber_messages *msg);
/* Advance to time t (beyond the present one, not beyond the analysis' end). */
limber_status limber_simulation_advance(limber_simulation *sim, double t);
double limber_simulation_time(const limber_simulation *sim);
/* Values of all outputs now, values[limber_model_output_count]. */
limber_status limber_simulation_outputs(limber_simulation *sim, double *values);
/* What is to be said of the motion so far: energy that is missing, outputs that are no numbers (of those that
 * limber_simulation_outputs has given), deformations that are too large for the formulation and
 * by about how much results are off for that: a run divides beams of 'ffr' then, a simulation only warns.
 * The simulation's own, until it is freed; call it again for what has been added. */
const limber_messages *limber_simulation_messages(limber_simulation *sim);
/* Why the last call failed. */
const char *limber_simulation_reason(const limber_simulation *sim);
void limber_simulation_free(limber_simulation *sim);

/* ---- result files ---- */

limber_status limber_export_csv(const char *results, const char *csv, limber_messages *msg);

/* Showing results takes the model that made them; it is read again from its text in the file. */
typedef struct limber_view_options {
    const limber_model *model;  /* that the (first) file was made with; NULL: from its text */
    int allow_outside_includes; /* when that is read */
} limber_view_options;

limber_view_options limber_view_options_default(void);

/* Files that ParaView opens: in the folder (made where it is missing), for each analysis NAME a
 * collection NAME.pvd of NAME_000000.vtu, ... for its rows; of modes one file per mode. options may
 * be NULL. */
limber_status limber_export_vtk(const char *results, const char *folder,
                                const limber_view_options *options, limber_messages *msg);

/* One self-contained HTML file: the mechanism of the first result file in motion, plots of all of
 * them. LIMBER_UNSUPPORTED: this library was built without the page; the environment variable
 * LIMBER_VIEWER may name one. options may be NULL. */
limber_status limber_report(const char *const *results, int count, const char *html,
                            const limber_view_options *options, limber_messages *msg);

/* What was said of the run whose results these are, and of its model, added to `msg`. */
limber_status limber_results_messages(const char *results, limber_messages *msg);

/* How far one output of a run is from that of another. */
typedef struct limber_difference {
    char analysis[40]; /* as the group in the file is called */
    char output[160];  /* or "mode 3", "damping 3", "pole 3", "frequency 3", "critical speed 3" */
    /* What differences are measured in (docs/compare.md): of outputs the larger of range and size in the
     * reference, of all components for a vector, and no less than what is as good as nothing; of a mode
     * its frequency, of a pole its size, of a critical speed itself, of "critical speeds" their number. */
    double scale;
    double largest, at; /* largest difference, and where: t, or the number of the mode or pole */
    double rms;         /* root of the mean of its squares */
    long rows;          /* that both have and that were compared */
} limber_difference;

/* Compare all analyses that both result files have, output by output; outputs that one does not have are
 * left out. */
limber_status limber_compare_results(const char *reference, const char *other,
                                     void (*each)(void *context, const limber_difference *d),
                                     void *context, limber_messages *msg);

/* ---- models to start from ---- */

int limber_template_count(void);
const char *limber_template_name(int i); /* "pendulum", ... */
const char *limber_template_text(int i); /* a model file with comments */

/* ---- the format's own description ---- */

void limber_schema_json(FILE *out);
void limber_schema_markdown(FILE *out);

#ifdef __cplusplus
}
#endif

#endif
