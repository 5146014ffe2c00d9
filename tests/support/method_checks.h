/* What holds for every method of integration that controls its error. */
#ifndef TESTS_METHOD_CHECKS_H
#define TESTS_METHOD_CHECKS_H

#include "support/run_model.h"

/* Drives and efforts with kinks, against a tight run of `explicit`; the work that they do closes the
 * energy balance. */
void check_kinks(const char *method);
/* A force that cannot be evaluated, and a motion that runs away, stop the run with their reason. */
void check_stops_with_a_reason(const char *method);

/* A rotor that speeds up over 200 s; its angle and rate in closed form. Outputs angle, rate, x. */
table run_rotor(const char *method);
double rotor_angle(double t, double *rate);

#endif
