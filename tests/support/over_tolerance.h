/* The IFToMM benchmarks with one method of integration, over the tolerance. */
#ifndef TESTS_OVER_TOLERANCE_H
#define TESTS_OVER_TOLERANCE_H

enum { IFTOMM_MODELS = 5 };

/* Run A0(1 + i) with tolerances from 1e-3 on: the error at the end is about the tolerance (A02 loses
 * some at each of ten singular positions), and so are energy and, by the share, constraints. */
void check_over_tolerance(int i, const char *method, double constraint_share);

#endif
