/* Running analyses of one model one after the other: what they share. */
#ifndef LM_ANALYSIS_RUN_H
#define LM_ANALYSIS_RUN_H

#include <limber/limber.h>

#include "form/form.h"
#include "io/h5.h"
#include "solve/integrator.h"

/* Tables of one analysis in the result file; all -1 when there is no file. */
typedef struct lm_tables {
    int results, energy, poses, steps;
    int joint_forces, load_forces, beam_forces; /* -1 also where there are none to record */
    int events;                                 /* the same */
    char group[40];
} lm_tables;

typedef struct lm_run {
    const lm_model *model;
    lm_system *sys;
    lm_pool *pool; /* the run's threads; NULL: the caller's only */
    const limber_run_options *opt;
    lm_diag *diag;
    limber_summary *sum;
    lm_h5 *file; /* NULL: no file */
    lm_tables tables;
    double *q, *v;                  /* state handed from one analysis to the next */
    double t;                       /* time to which it belongs */
    double *row, *pose;             /* outputs and poses of a row */
    double *forces;                 /* the same of joint_forces, load_forces, beam_forces */
    double started, flushed, shown; /* seconds */
    int index;                      /* of the analysis in the model's list */
    struct lm_range *range;         /* analysis/range.h */
    struct lm_turns *turns;         /* analysis/turns.h */
    struct lm_mesh *mesh;           /* analysis/mesh.h */
    int companion;         /* 1: `sys` is the companion of another one, which says the same */
    int neutral;           /* motions that statics of the companion has left where they were */
    int resuming;          /* the analysis that runs now continues from the file */
    int *frames;           /* [bodies] pieces that bodies are to be divided into; NULL: this run
                                     * cannot begin anew */
    int patient;           /* 1: analyses end before that is looked at */
    int again;             /* 1: `frames` has changed, and all is to begin anew */
    const lm_diag *loaded; /* said of the model while it was read; NULL: nothing */
    int said;              /* messages of `diag` that are older than the run */
    long kept;             /* diag->changes when the file last got the messages */
    double *doubt; /* of quality.c: [2 outputs + 1] when and how often they were no numbers; 1: of
                            * violated constraints was warned. NULL: that is not watched */
} lm_run;

/* Starting state by `initial`, assembled and consistent, into run->q, run->v. */
limber_status lm_initial_state(lm_run *run);
/* Warn of a mechanism that neither joints nor drives let move; after lm_initial_state. */
void lm_warn_immobile(lm_run *run);

/* equilibrium.c: bend the way x of the nodes so that what turns as a whole keeps its shape. */
void lm_motion_along_helix(const lm_system *sys, double *x);

/* discrete.c: what errors of variables are measured in: at a start, where rows are dt apart, and after each
 * step; forgotten when a run begins. */
void lm_scale_variables(lm_integrator *g, double dt, int starting);
void lm_forget_scales(lm_integrator *g);

/* analyses.c: the list of them. */
const char *lm_analysis_name(lm_analysis_type type);
int lm_analysis_find(const char *name); /* -1: there is none */
/* 1: it leaves another state than it was given, from which the next one goes on, and rows of it. */
int lm_analysis_hands_on(lm_analysis_type type);
/* Errors for what this version cannot do (refuse.c). */
limber_status lm_refuse_analysis(lm_run *run, const lm_spec_analysis *a);
limber_status lm_refuse_analyses(lm_run *run); /* of the model's list: the first of them */
/* Run it from run->q, v. */
limber_status lm_analyse(lm_run *run, const lm_spec_analysis *a);

limber_status lm_dynamics(lm_run *run, const lm_spec_analysis *a);
limber_status lm_statics(lm_run *run, const lm_spec_analysis *a);

/* aside.c: an analysis once more, without a file; of it the state is left, and why it failed. */
limber_status lm_run_again(lm_run *run, const lm_spec_analysis *a);
/* On the way to a state that another analysis is about: the same, nothing of it is told, and its iterations
 * count. */
limber_status lm_run_unrecorded(lm_run *run, const lm_spec_analysis *a);
/* The static equilibrium near run->q into it: by the model's own entry, if it has one. */
limber_status lm_find_equilibrium(lm_run *run);
/* An analysis that leaves the state as it found it: its group is begun, `compute` makes and records what it
 * makes, the outcome is noted in the file. */
typedef limber_status lm_aside(lm_run *run, const lm_spec_analysis *a, void *context);
limber_status lm_run_aside(lm_run *run, const lm_spec_analysis *a, lm_aside *compute,
                           void *context);

/* recorder.c: rows of results; its tables in run->tables.group. */
limber_status lm_record_begin(lm_run *run);
/* What stands in a row beside the outputs and poses. */
typedef struct lm_balance {
    lm_energy e;         /* of the state */
    double work, lost;   /* integrals up to now */
    double balance, phi; /* energy that is missing; largest violation of a constraint so far */
} lm_balance;

limber_status lm_record_row(lm_run *run, const lm_state *s, double time, const lm_balance *b);
/* Its two halves: outputs, poses and forces into run->row, pose and forces; these into the file. */
void lm_record_fill(lm_run *run, const lm_state *s);
limber_status lm_record_put(lm_run *run, double time, const lm_balance *b);
int lm_record_wrenches(const lm_run *run); /* of 6 numbers in run->forces */
limber_status lm_record_step(lm_run *run, const lm_integrator *g);
limber_status lm_record_flush(lm_run *run);
/* The table of events, with the names of the system's guards beside it; a row of it. */
limber_status lm_record_events(lm_run *run);
limber_status lm_record_event(lm_run *run, double t, int guard, double direction);
limber_status lm_record_truncate_events(lm_run *run, long rows);
/* quality.c: rows of results that are doubtful. Made, its size; an analysis begins; a row, its outputs; the
 * warnings at the end. */
int lm_quality_make(lm_run *run);
size_t lm_quality_size(const lm_run *run);
void lm_quality_row(lm_run *run, const lm_state *s, double time, double phi);
void lm_quality_anew(lm_run *run);
void lm_quality_outputs(lm_run *run, const double *value, double time);
void lm_quality_end(lm_run *run);
/* messages.c: those of the model and the run so far into the file, where there are new ones. */
limber_status lm_record_messages(lm_run *run);
limber_status lm_restore_messages(lm_run *run); /* of the run in the file, which goes on */
/* Drop the rows after the first `rows` of all other tables, and after `steps` of the steps. */
limber_status lm_record_truncate(lm_run *run, long rows, long steps);
limber_status lm_record_status(lm_run *run, const char *status, const char *reason);
/* The analysis has ended with st: the word for it, the reason in the summary, and all of it to the disk.
 * Returns st, or what went wrong with the file. */
limber_status lm_record_end(lm_run *run, limber_status st);
/* An empty table of that name in the analysis' group; < 0: the file fails. */
int lm_record_table(lm_run *run, const char *name, int n, const char *const *columns);
/* Columns NAME.PART, n parts of each pose; NULL: no memory. And the parts of a pose. */
const char *const *lm_record_pose_columns(const lm_run *run, lm_arena *arena, int n,
                                          const char *const *part);
enum { LM_POSE_PARTS = 7 };
extern const char *const lm_pose_part[LM_POSE_PARTS];
/* Put a file error into the summary. */
limber_status lm_record_failed(lm_run *run);

/* Tell the caller how far the run is, ten times a second at most; the caller may stop it. */
limber_status lm_run_progress(lm_run *run, const limber_progress *p);

/* Copy a reason into the summary and give the status back. */
limber_status lm_stop(lm_run *run, limber_status status, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#endif
