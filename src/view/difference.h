/* How far the outputs of one result file are from those of another. */
#ifndef LM_VIEW_DIFFERENCE_H
#define LM_VIEW_DIFFERENCE_H

#include <limber/limber.h>

#include "view/result.h"

/* Of all analyses that both files have. 0; 1: one cannot be read (lm_h5_error of it says why); 2: no
 * memory. */
int lm_difference(const lm_result *reference, lm_h5 *other,
                  void (*each)(void *context, const limber_difference *d), void *context);

#endif
