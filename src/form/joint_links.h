/* The motions that joints leave: turns, slides and balls from a to b, in the joint's triad. */
#ifndef LM_FORM_JOINT_LINKS_H
#define LM_FORM_JOINT_LINKS_H

#include "form/kintree.h"
#include "model/spec.h"

typedef struct lm_joint_link {
    lm_link_kind kind;
    int axis;  /* of the triad */
    int coord; /* which coordinate of the joint, -1: none */
} lm_joint_link;

typedef struct lm_joint_links {
    int n; /* -1: a distance, which is no such product */
    lm_joint_link link[3];
} lm_joint_links;

extern const lm_joint_links lm_joint_links_of[LM_JOINTS];

#endif
