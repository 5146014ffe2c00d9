/* Random trees of links with bodies, for the tests of recursive dynamics: sow, add links, grown, fell. All
 * random numbers are those of rand(). */
#ifndef TESTS_PLANT_H
#define TESTS_PLANT_H

#include "form/recursive.h"

#include "support/run_model.h"

enum { MOST_LINKS = 24, MOST = 4 * MOST_LINKS };

typedef struct plant {
    lm_arena arena;
    lm_kintree t;
    lm_tree_body body[MOST_LINKS + 2];
    int bodies;
    lm_recursive *r;
} plant;

typedef struct state {
    double p[MOST], du[MOST], tau[MOST], f[6 * (MOST_LINKS + 2)];
    lm_v3 g;
} state;

double draw(void); /* between -1 and 1 */
lm_v3 draw3(void);
lm_m3 draw_axes(void);
lm_tree_body draw_body(int link); /* with an inertia that a real body could have */

void sow(plant *a); /* the ground alone */
int add_link(plant *a, lm_link_kind kind, int parent, int massive);
void grown(plant *a);                      /* no more links and bodies */
void grow(plant *a, int links, int bushy); /* all of this: chains (`bushy` 0) or branches */
void fell(plant *a);

void draw_state(const plant *a, state *s);
lm_tree_load load_of(const state *s);
lm_tree_load draw_and_move(plant *a, state *s); /* to the state drawn; its load */

double most(const double *a, int n); /* the largest |a| */
/* Equal to a part of the largest. */
void near_all(const double *a, const double *b, int n, double relative);

#endif
