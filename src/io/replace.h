/* A new file under a name of its own beside the target, which takes the target's place when it is
 * complete: whoever looks at the target sees the old file or the whole new one. A target that is a
 * link is followed. */
#ifndef LM_IO_REPLACE_H
#define LM_IO_REPLACE_H

typedef struct lm_replace {
    int fd;              /* of the new file, open for reading and writing; the caller closes it */
    char *temp, *target; /* temp is NULL when the target is written directly */
} lm_replace;

/* All return 0, or -1 with errno. A target that exists and is no regular file (a device, a pipe) is
 * written directly when `devices` is set, and refused with EINVAL otherwise. */
int lm_replace_open(lm_replace *r, const char *path, int devices);
int lm_replace_done(lm_replace *r);  /* rename; frees r on success */
void lm_replace_drop(lm_replace *r); /* remove the new file; frees r */

#endif
