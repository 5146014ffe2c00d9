/* Time that passes outside. */
#ifndef LM_BASE_CLOCK_H
#define LM_BASE_CLOCK_H

/* Seconds from some instant on; it never goes back. */
double lm_seconds(void);

#endif
