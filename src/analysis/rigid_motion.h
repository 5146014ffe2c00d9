/* The known motion of a system's companion (form/form.h): a run of its own, as far as it is asked for. */
#ifndef LM_ANALYSIS_RIGID_MOTION_H
#define LM_ANALYSIS_RIGID_MOTION_H

#include "analysis/run.h"

/* All of these do nothing for systems that have no companion. */

/* The companion's starting state, and from it its motion: before the system's own start. */
limber_status lm_rigid_motion_start(lm_run *run);
/* A new analysis begins at time 0 with the state that the companion has at t. */
limber_status lm_rigid_motion_again(lm_run *run, double t);
/* The companion's static equilibrium, where its joints and drives leave it a motion; the system's bodies
 * are placed there. */
limber_status lm_rigid_motion_balance(lm_run *run, const lm_spec_analysis *a);

/* Where the companion starts, lm_rigid_motion_size doubles: kept, and put back. */
size_t lm_rigid_motion_size(const lm_run *run);
void lm_rigid_motion_keep(const lm_run *run, double *to);
void lm_rigid_motion_put_back(lm_run *run, const double *from);

/* After an analysis: warnings where the assumption does not hold, that deformations are small and do not
 * act back on the rigid motion. `moves`: errors of frequency add up; `linear`: of statics, in which loads do not change the stiffness. */
void lm_rigid_motion_warn(lm_run *run, int moves, int linear, lm_loc loc);
/* A small motion dx from the rigid one is a result. */
void lm_rigid_motion_look(lm_run *run, const double *dx);

/* left_out.c: sys->left_out notes a result, by its time and positions; what it has noted, which begins anew. */
void lm_left_out_look(lm_run *run, const lm_state *st);
/* A result that has nothing to do with those before it, such as that of another speed. */
void lm_left_out_look_alone(lm_run *run, const lm_state *st);
void lm_left_out_warn(lm_run *run, int linear, lm_loc loc);

/* rigid_between.c: a body's position and quaternion, velocities and accelerations at one time; between two
 * times that are h apart, at the part x of that. q[7], v[6], a[6]. */
typedef struct lm_known_pose {
    const double *q, *v, *a;
} lm_known_pose;
void lm_pose_between(const lm_known_pose end[2], double h, double x, double *q, double *v,
                     double *a);

/* rigid_rank.c: the sign of the determinant of the constraints of a system that they leave no motion: it
 * changes where they lose rank. 0: unknown. `work` has lm_rank_size doubles. */
size_t lm_rank_size(const lm_system *sys);
int lm_rank_sign(lm_system *sys, double t, const double *q, double *work);

#endif
