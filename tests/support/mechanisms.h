/* Parts of models that several tests stand on. */
#ifndef TESTS_MECHANISMS_H
#define TESTS_MECHANISMS_H

/* The bodies of a plane four-bar: crank up from the origin, coupler to the right, rocker down to the
 * ground. In space its loop has three constraints more than it needs. */
#define FOUR_BAR_BODIES                                                                            \
    "gravity: [0, -9.81, 0]\n"                                                                     \
    "bodies:\n"                                                                                    \
    "  crank: {type: rigid, mass: 1, inertia: [0.1, 0.1, 0.1], frames: {tip: [0, 1, 0]}}\n"        \
    "  coupler: {type: rigid, mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 1, 0],\n"           \
    "            frames: {tip: [2, 0, 0]}}\n"                                                      \
    "  rocker: {type: rigid, mass: 1, inertia: [0.1, 0.1, 0.1], position: [2, 1, 0],\n"            \
    "           frames: {foot: [0.5, -1.5, 0]}}\n"

#endif
