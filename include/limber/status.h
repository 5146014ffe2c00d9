/* Status codes of every limber call that can fail. */
#ifndef LIMBER_STATUS_H
#define LIMBER_STATUS_H

typedef enum limber_status {
    LIMBER_OK = 0,          /* done */
    LIMBER_STOPPED = 1,     /* the solver stopped: results up to there are valid */
    LIMBER_INPUT = 2,       /* the model file or an argument is wrong */
    LIMBER_MEMORY = 3,      /* out of memory */
    LIMBER_IO = 4,          /* a file could not be read or written */
    LIMBER_UNSUPPORTED = 5, /* formulation, analysis or option not available together */
    LIMBER_INTERRUPTED = 6, /* stopped on request; can be resumed */
    LIMBER_INTERNAL = 7     /* a bug in limber */
} limber_status;

/* One sentence for a status; never NULL. */
const char *limber_status_text(limber_status status);

#endif
