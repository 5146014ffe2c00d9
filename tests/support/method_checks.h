/* What holds for every method of integration that controls its error. */
#ifndef TESTS_METHOD_CHECKS_H
#define TESTS_METHOD_CHECKS_H

#include "support/run_model.h"

/* Drives and efforts with kinks, against a tight run of `explicit`; the work that they do closes the
 * energy balance. */
void check_kinks(const char *method);
/* A force that cannot be evaluated, and a motion that runs away, stop the run with their reason. */
void check_stops_with_a_reason(const char *method);

/* Rows of a pendulum much denser than the steps: what is interpolated, against what belongs to its place. */
typedef struct pendulum_limits {
    double length;       /* of the string */
    double square;       /* of the speed */
    double acceleration; /* and of the pull over the mass */
} pendulum_limits;
void check_rows_between_steps(const char *method, double step, long most_steps,
                              pendulum_limits most);
/* A free body that tumbles and a fast top, each with its tolerance, against a tight run of `explicit`; the
 * energy is kept as well. */
void check_free_rotation(const char *method, const double tolerance[2], double most);

/* A rotor that speeds up over 200 s; its angle and rate in closed form. Outputs angle, rate, x. */
table run_rotor(const char *method);
double rotor_angle(double t, double *rate);

#endif
