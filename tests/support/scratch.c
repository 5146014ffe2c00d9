#include "support/scratch.h"

#include "base/mem.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char folder[SCRATCH_PATH - 64];

int scratch_make(const char *name)
{
    const char *scratch = getenv("SCRATCH");
    snprintf(folder, sizeof folder, "%s/%s-XXXXXX", scratch && *scratch ? scratch : "/tmp", name);
    return mkdtemp(folder) ? 0 : -1;
}

int scratch_tear_down(void **state)
{
    char command[SCRATCH_PATH];
    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (system(command)) return -1;
    if (lm_mem_live()) print_error("%ld allocations were not freed\n", lm_mem_live());
    return lm_mem_live() ? -1 : 0;
}

const char *scratch_folder(void) { return folder; }

void scratch_path(char path[SCRATCH_PATH], const char *file)
{
    int n = snprintf(path, SCRATCH_PATH, "%s/%s", folder, file);
    assert_in_range(n, 1, SCRATCH_PATH - 1);
}

int scratch_count(void)
{
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    int n = 0;
    for (const struct dirent *e; (e = readdir(dir));)
        n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    closedir(dir);
    return n;
}

char *file_read(const char *path, size_t *size)
{
    FILE *in = fopen(path, "rb");
    if (!in) fail_msg("%s cannot be read", path);
    fseek(in, 0, SEEK_END);
    size_t n = (size_t)ftell(in);
    rewind(in);
    char *text = malloc(n + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, n, in), n);
    text[n] = 0;
    fclose(in);
    if (size) *size = n;
    return text;
}

void file_write(const char *path, const void *bytes, size_t size)
{
    FILE *out = fopen(path, "wb");
    if (!out) fail_msg("%s cannot be written", path);
    assert_int_equal(fwrite(bytes, 1, size, out), size);
    assert_int_equal(fclose(out), 0);
}
