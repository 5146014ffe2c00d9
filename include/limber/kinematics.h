/* Kinematics in C, for what the expressions of a model file cannot say: a frame that the file calls
 * `external` is moved by the functions below as the coordinates and the time say. They are given with
 * limber_load_options.kinematics; docs/library.md has an example. */
#ifndef LIMBER_KINEMATICS_H
#define LIMBER_KINEMATICS_H

#ifdef __cplusplus
extern "C" {
#endif

/* A place and the axes there: x = position + rotation X. Columns of the rotation are the frame's axes:
 * rotation[3*axis + component]. */
typedef struct limber_pose {
    double position[3];
    double rotation[9];
} limber_pose;

/* Velocity of a frame's origin and angular velocity, not turned: in the axes in which the pose is. */
typedef struct limber_twist {
    double linear[3], angular[3];
} limber_twist;

typedef struct limber_kinematics {
    int coordinates; /* how many of `coordinates` and of external frames the functions are made for; */
    int frames;      /* a model that has other numbers is refused */
    /* Poses [frames] of the external frames, in their order in the file, at time t and coordinates q
     * [coordinates], in the file's order; on entry all poses are the identity. The same arguments must
     * give the same poses, and smooth ones: they are differentiated twice. Returns 0, or another value
     * where there is no pose: the solver tries smaller steps, and stops where none leads past it. Several
     * threads may call it at once when they share the model. */
    int (*pose)(void *context, double t, const double *q, limber_pose *pose);
    /* Partial velocities, or NULL: by differences of the poses. column[(coordinates + 1)*frame + k]
     * is the velocity of a frame by a unit rate of coordinate k alone; k = coordinates: by the time
     * alone. On entry all are zero. Returns as `pose`. */
    int (*partial)(void *context, double t, const double *q, limber_twist *column);
    /* [coordinates + 1], the time last, or NULL: changes over which the motion bends noticeably (an
     * angle: 1). Differences use thousandths of them. NULL: what moves or turns the frames by the size
     * of the model or by one radian at the start, but at most 1. */
    const double *scale;
    void *context;
} limber_kinematics;

/* Transforms to write poses with: pose[0] = limber_pose_mul(limber_pose_rotz(q[0]), ...). */
limber_pose limber_pose_disp(double x, double y, double z);
limber_pose limber_pose_rotx(double angle);
limber_pose limber_pose_roty(double angle);
limber_pose limber_pose_rotz(double angle);
limber_pose limber_pose_mul(limber_pose a, limber_pose b); /* b seen from a */

#ifdef __cplusplus
}
#endif

#endif
