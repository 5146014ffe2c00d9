/* The power graph as a drawing: a bond graph with half arrows in the direction of positive power and
 * causal strokes at the ends that are given the effort.
 *
 * Layout. Elements whose names share a prefix (m1.loop, m1.copper) form a group, drawn as a box. Each
 * group is laid out by itself and then is one item of the group around it:
 *
 *  - junctions, TF and GY are the skeleton, in layers from left to right along their bonds (longest
 *    path; bonds that close a circle are turned for this); a source before the first junction and a
 *    port behind the last one belong to it; other one-ports hang above and below their junction;
 *  - bonds over more than one layer keep a lane free in those between;
 *  - the order in a layer is that with the fewest crossings of some sweeps by barycentre;
 *  - heights are the nearest ones to those of the neighbours that keep the distances (least squares
 *    with an order, by pooling).
 *
 * A bond leaves and enters items at right angles and changes its height in the channel between two
 * layers, where nothing else is; so no bond, stroke or arrow touches a text. The same graph gives the
 * same drawing. Lengths are pixels, y points down. */
#ifndef LM_VIEW_BOND_GRAPH_H
#define LM_VIEW_BOND_GRAPH_H

#include "model/spec.h"

typedef struct lm_graph_point {
    double x, y;
} lm_graph_point;

typedef enum lm_graph_kind {
    LM_GRAPH_GROUP,  /* box around a group: two corners */
    LM_GRAPH_NODE,   /* box of an element: two corners */
    LM_GRAPH_BOND,   /* line from element to element */
    LM_GRAPH_ARROW,  /* half arrow at its second end: tip and barb */
    LM_GRAPH_STROKE, /* causal stroke: two ends */
    LM_GRAPH_TEXT,   /* one line of text: two corners of its estimated box */
    LM_GRAPH_SWATCH  /* of the legend: two corners */
} lm_graph_kind;

typedef struct lm_graph_shape {
    lm_graph_kind kind;
    int of; /* element, bond; of a group its depth from 0; else -1 */
    int n;
    const lm_graph_point *p; /* [n] */
    const char *text;
    double size;      /* of the text */
    int bold, middle; /* of the text: weight; 1: centred, 0: from the left */
    lm_domain domain; /* its colour */
    int wrong;        /* 1: derivative causality */
    int port;         /* node: to the mechanism */
} lm_graph_shape;

typedef struct lm_bond_graph {
    lm_arena arena;
    double width, height;
    LM_VEC(lm_graph_shape) shapes; /* later ones are drawn over earlier ones */
} lm_bond_graph;

/* Lay out the power graph of a model. 0; 1: it has none; 2: no memory. Free in every case. */
int lm_bond_graph_make(lm_bond_graph *g, const lm_spec *spec);
void lm_bond_graph_free(lm_bond_graph *g);

/* The drawing as the text of an SVG file, ended by a 0: lm_free. NULL: no memory. Its ink is the text's
 * colour where it stands, dark on a light background and light on a dark one. */
char *lm_bond_graph_svg(const lm_bond_graph *g);

#endif
