/* Files of components that are part of the program, those of library/. cmake/LimberEmbed.cmake writes
 * the table and puts the bytes in. A model includes them as library/NAME.yaml. */
#ifndef LM_MODEL_LIBRARY_H
#define LM_MODEL_LIBRARY_H

#include <stddef.h>

typedef struct lm_library_file {
    const char *name; /* "library/motors.yaml" */
    const char *text; /* ended by a 0 */
    const char *end;  /* that 0 */
} lm_library_file;

extern const lm_library_file lm_library[];
extern const int lm_library_count;

#endif
