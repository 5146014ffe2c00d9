/* Files that are part of the program: the page of the report, built from viewer/, and the models of
 * templates/. cmake/LimberEmbed.cmake writes the table and puts the bytes in. */
#ifndef LM_VIEW_EMBED_H
#define LM_VIEW_EMBED_H

#include <stddef.h>

typedef struct lm_embedded {
    const char *name; /* without folder and extension */
    const char *text; /* ended by a 0 */
    const char *end;  /* that 0 */
} lm_embedded;

extern const lm_embedded lm_embedded_page; /* empty: this build has none */
extern const lm_embedded lm_embedded_templates[];
extern const int lm_embedded_ntemplates;

#endif
