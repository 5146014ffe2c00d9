#include "new.h"

#include <limber/limber.h>

#include <errno.h>
#include <string.h>

/* The simplest one; `limber new NAME` alone writes it. */
static const char usual[] = "pendulum";

static int find_template(const char *name)
{
    for (int i = 0; i < limber_template_count(); i++)
        if (strcmp(name, limber_template_name(i)) == 0) return i;
    fprintf(stderr, "limber: there is no template '%s'; choose from:", name);
    for (int i = 0; i < limber_template_count(); i++)
        fprintf(stderr, " %s", limber_template_name(i));
    fprintf(stderr, "\n");
    return -1;
}

static int cannot_write(const char *path)
{
    if (errno == EEXIST)
        fprintf(stderr, "limber: %s exists already: choose another name\n", path);
    else
        fprintf(stderr, "limber: cannot write %s: %s\n", path, strerror(errno));
    return -1;
}

int new_model(const args *a)
{
    char path[512];
    size_t n = strlen(a->file);
    int has_ending = n > 5 && strcmp(a->file + n - 5, ".yaml") == 0;
    int chosen = find_template(a->template ? a->template : usual);
    if (chosen < 0) return -1;
    if (snprintf(path, sizeof path, "%s%s", a->file, has_ending ? "" : ".yaml") >=
        (int)sizeof path) {
        fprintf(stderr, "limber: the name is too long\n");
        return -1;
    }
    FILE *out = fopen(path, "wx"); /* never over an existing file */
    if (!out) return cannot_write(path);
    int bad = fputs(limber_template_text(chosen), out) < 0;
    if (fclose(out) || bad) {
        remove(path);
        return cannot_write(path);
    }
    if (a->quiet) return 0;
    printf("%s: %s. Run it:\n  limber run %s --report %.*s.html\n", path,
           limber_template_name(chosen), path, (int)strlen(path) - 5, path);
    return 0;
}
