/* CSV: a header, then rows with 17 significant digits ('%.17g'; nan and inf as such). Names with a
 * comma, quote or line break are quoted. Written to a temporary name beside the target and renamed
 * when complete, so that a full disk never leaves half a file under the user's name. */
#ifndef LM_IO_CSV_H
#define LM_IO_CSV_H

#include <stddef.h>

typedef struct lm_csv lm_csv;
int lm_csv_open(const char *path, lm_csv **csv, char *err, size_t size); /* "-": standard output */
int lm_csv_header(lm_csv *csv, int n, const char *const *names);
int lm_csv_row(lm_csv *csv, int n, const double *values);
int lm_csv_close(lm_csv *csv, char *err, size_t size); /* -1 when any write failed */
void lm_csv_drop(lm_csv *csv); /* instead of closing: there is no such file, or still the old one */

#endif
