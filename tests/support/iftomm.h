/* Values of the IFToMM benchmarks A01 to A05 at instants, for tests and benchmarks. A03: exact to the
 * digits shown (tests/unit/test_models_iftomm.c tells how); A04: by quadrature (docs/performance.md);
 * A05: computed, 8 digits. */
#ifndef TESTS_IFTOMM_H
#define TESTS_IFTOMM_H

#include <stddef.h>

typedef struct known { /* a value that an output has at an instant */
    double t;
    const char *output; /* NULL: the end of the list, which is in the order of time */
    double value;
} known;

static const known known_a01[] = {{1, "x", .9862917511},
                                  {1, "y", -.1650108531},
                                  {5, "x", -.9423054350},
                                  {5, "y", -.3347543384},
                                  {10, "x", -.2750874626},
                                  {10, "y", -.9614192051},
                                  {0, NULL, 0}};
static const known known_a02[] = {{1, "x", -.195020302},
                                  {1, "y", -.980799206},
                                  {10, "x", .328458112},
                                  {10, "y", .944518538},
                                  {0, NULL, 0}};
static const known known_a03[] = {
    {.03, "beta", 15.8107711951537071},    {.03, "Theta", -15.7563710584118395},
    {.03, "gamma", .0408222401196458049},  {.03, "Phi", -.534730116342079594},
    {.03, "delta", .524409965879954069},   {.03, "Omega", .534730116342079594},
    {.03, "epsilon", 1.04808074104193787}, {0, NULL, 0}};
static const known known_a04[] = {{1, "x", .51050146119},
                                  {1, "y", -1.64916759939},
                                  {1, "z", .14012311455},
                                  {9, "x", .53906428849},
                                  {9, "y", -1.63845330824},
                                  {9, "z", .15773537836},
                                  {0, NULL, 0}};
static const known known_a05[] = {{.5, "s", .74324942},
                                  {1, "s", .50142092},
                                  {5, "s", .53556310},
                                  {10, "s", .61962292},
                                  {0, NULL, 0}};

#endif
