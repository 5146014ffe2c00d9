/* A folder for the files of one test program, and whole files at once. What goes wrong fails the
 * test. */
#ifndef TESTS_SCRATCH_H
#define TESTS_SCRATCH_H

#include <stddef.h>

enum { SCRATCH_PATH = 400 }; /* room for the path of a file in it */

int scratch_make(const char *name);  /* $SCRATCH/NAME-xxxxxx; 0, or -1: for set_up functions */
int scratch_tear_down(void **state); /* away with it and all that is in it; and nothing is leaked */
const char *scratch_folder(void);
void scratch_path(char path[SCRATCH_PATH], const char *file);
int scratch_count(void); /* files in it, hidden ones too */

char *file_read(const char *path, size_t *size); /* ended by a 0, to be freed; size: may be NULL */
void file_write(const char *path, const void *bytes, size_t size);

#endif
