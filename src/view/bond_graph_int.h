/* Private to bond_graph*.c: groups and their items on the way to a drawing. */
#ifndef LM_VIEW_BOND_GRAPH_INT_H
#define LM_VIEW_BOND_GRAPH_INT_H

#include "view/bond_graph.h"

/* Sizes in pixels. */
enum {
    LM_BG_TYPE = 14,  /* size of the types' text */
    LM_BG_NAME = 12,  /* size of names */
    LM_BG_NODE = 38,  /* height of a node: two lines */
    LM_BG_PITCH = 16, /* between bonds that leave an item on one side */
    LM_BG_STUB = 16,  /* of a bond, straight at its end: holds arrow and stroke */
    LM_BG_HANG = 44,  /* from a junction to the one-ports above and below it */
    LM_BG_GAP = 18,   /* between items of a layer, and one-ports side by side */
    LM_BG_PAD = 14,   /* inside of a group's box */
    LM_BG_TITLE = 24  /* above its contents: room for its name */
};

typedef enum lm_bg_kind { LM_BG_ELEMENT, LM_BG_GROUP, LM_BG_TERMINAL, LM_BG_LANE } lm_bg_kind;

struct lm_bg_scope;

typedef struct lm_bg_item {
    lm_bg_kind kind;
    int element;
    struct lm_bg_scope *group;
    int side;              /* terminal: 0 left, 1 right */
    int layer;             /* from the left */
    int place;             /* in its layer, from above */
    double w, h;           /* its box */
    double up, down, half; /* room from the middle of the box, one-ports included */
    double x, y;           /* the middle of the box, in the group's coordinates */
    int *hung[2];          /* elements above, below */
    int nhung[2];
} lm_bg_item;

typedef struct lm_bg_edge { /* a bond inside of a group, or the part of it that is there */
    int bond;
    int a, b;    /* items; a to the left of b */
    int forward; /* 1: the bond's direction is from a to b */
    int hung;    /* from junction a to a one-port that hangs on it */
    int npoints;
    lm_graph_point *points; /* from a to b, in the group's coordinates */
} lm_bg_edge;

typedef struct lm_bg_link { /* a part of an edge, between neighbouring layers */
    int edge, a, b;
    double ya, yb; /* of its ends, from the middle of the items */
} lm_bg_link;

typedef struct lm_bg_layer {
    int n, *item;   /* from above */
    double x, half; /* middle and half the width */
} lm_bg_layer;

typedef struct lm_bg_scope { /* a group; the whole graph is the outermost */
    const char *path, *name;
    struct lm_bg_scope *parent;
    int depth;
    LM_VEC(struct lm_bg_scope *) groups;
    LM_VEC(lm_bg_item) items;
    LM_VEC(lm_bg_edge) edges;
    LM_VEC(lm_bg_link) links;
    int nlayers;
    lm_bg_layer *layers;
    double x, y; /* of its corner, in the drawing */
    double w, h;
} lm_bg_scope;

typedef struct lm_bg { /* all of it */
    lm_arena *arena;
    const lm_spec *spec;
    lm_bond_graph *out;
    lm_bg_scope *top;
    lm_bg_scope **scope_of; /* [elements] */
    lm_domain *domain;      /* [elements] */
} lm_bg;

/* bond_graph.c */
double lm_bg_text_width(const char *text, double size, int bold);
void lm_bg_labels(const lm_bg *g, int element, const char *label[2]); /* type and name */
lm_bg_item lm_bg_element_item(const lm_bg *g, int element);
int lm_bg_inside(const lm_bg_scope *s, const lm_bg_scope *outer);
void lm_bg_layout(lm_bg *g, lm_bg_scope *s);

/* bond_graph_layer.c: items, edges, layers, lanes; lays out the groups inside. */
void lm_bg_layers(lm_bg *g, lm_bg_scope *s);
/* bond_graph_order.c: the order in each layer, and where bonds leave items. */
void lm_bg_order(lm_bg *g, lm_bg_scope *s);
/* bond_graph_place.c: coordinates and lines. */
void lm_bg_place(lm_bg *g, lm_bg_scope *s);
/* bond_graph_shape.c: the shapes, outermost group first. */
void lm_bg_shapes(lm_bg *g);

#endif
