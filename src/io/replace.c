#include "io/replace.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The file that `path` names, links followed; `path` itself where there is none yet. */
static char *follow(const char *path)
{
    char *real = realpath(path, NULL);
    const char *from = real ? real : path;
    size_t size = strlen(from) + 1;
    char *copy = lm_alloc(size);
    if (copy) memcpy(copy, from, size);
    free(real);
    if (!copy) errno = ENOMEM;
    return copy;
}

/* A short name in the target's folder, so that a long target name stays possible. */
static char *beside(const char *target)
{
    static atomic_int count;
    const char *slash = strrchr(target, '/');
    size_t folder = slash ? (size_t)(slash - target) + 1 : 0;
    size_t size = folder + 64;
    char *name = lm_alloc(size);
    if (!name) {
        errno = ENOMEM;
        return NULL;
    }
    memcpy(name, target, folder);
    snprintf(name + folder, size - folder, ".limber-%ld-%d.tmp", (long)getpid(),
             atomic_fetch_add(&count, 1));
    return name;
}

static void forget(lm_replace *r)
{
    int saved = errno;
    lm_free(r->temp);
    lm_free(r->target);
    r->temp = r->target = NULL;
    errno = saved;
}

static int open_temp(lm_replace *r)
{
    for (int tries = 0; tries < 100; tries++) { /* a killed program may have left such a name */
        r->temp = beside(r->target);
        if (!r->temp) return -1;
        r->fd = open(r->temp, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (r->fd >= 0) return 0;
        lm_free(r->temp);
        r->temp = NULL;
        if (errno != EEXIST) break;
    }
    return -1;
}

/* An existing target: 1 to be replaced, 0 opened directly, -1 refused. */
static int inspect(lm_replace *r, const struct stat *st, int devices)
{
    if (S_ISREG(st->st_mode)) return access(r->target, W_OK) ? -1 : 1;
    if (S_ISDIR(st->st_mode) || !devices) {
        errno = S_ISDIR(st->st_mode) ? EISDIR : EINVAL;
        return -1;
    }
    r->fd = open(r->target, O_WRONLY | O_CLOEXEC);
    return r->fd < 0 ? -1 : 0;
}

int lm_replace_open(lm_replace *r, const char *path, int devices)
{
    struct stat st;
    *r = (lm_replace){.fd = -1};
    if (!*path) {
        errno = ENOENT;
        return -1;
    }
    r->target = follow(path);
    if (!r->target) return -1;
    int kind = stat(r->target, &st) ? 1 : inspect(r, &st, devices);
    if (kind < 0 || (kind && open_temp(r))) {
        forget(r);
        return -1;
    }
    return 0;
}

int lm_replace_done(lm_replace *r)
{
    if (r->temp && rename(r->temp, r->target)) return -1;
    forget(r);
    return 0;
}

void lm_replace_drop(lm_replace *r)
{
    int saved = errno;
    if (r->temp) unlink(r->temp);
    errno = saved;
    forget(r);
}
