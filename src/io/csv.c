#include "io/csv.h"

#include "io/out.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A CSV file is such a file, and nothing more. */
static lm_out *file(lm_csv *csv) { return (lm_out *)csv; }

static void put(lm_csv *csv, const char *text, size_t size) { lm_out_put(file(csv), text, size); }

static void put_name(lm_csv *csv, const char *name)
{
    if (!strpbrk(name, ",\"\r\n")) {
        put(csv, name, strlen(name));
        return;
    }
    put(csv, "\"", 1);
    for (; *name; name++) {
        if (*name == '"') put(csv, "\"", 1);
        put(csv, name, 1);
    }
    put(csv, "\"", 1);
}

/* printf may write -nan, and a decimal comma where the host program has set such a locale. */
static void put_value(lm_csv *csv, double x)
{
    char text[40];
    if (isnan(x)) {
        put(csv, "nan", 3);
        return;
    }
    int n = snprintf(text, sizeof text, "%.17g", x);
    char *comma = strchr(text, ',');
    if (comma) *comma = '.';
    put(csv, text, (size_t)n);
}

static int end_line(lm_csv *csv)
{
    put(csv, "\n", 1);
    return lm_out_failed(file(csv)) ? -1 : 0;
}

int lm_csv_open(const char *path, lm_csv **csv, char *err, size_t size)
{
    lm_out *out;
    int rc = lm_out_open(path, &out, err, size);
    *csv = (lm_csv *)out;
    return rc;
}

int lm_csv_header(lm_csv *csv, int n, const char *const *names)
{
    for (int i = 0; i < n; i++) {
        if (i) put(csv, ",", 1);
        put_name(csv, names[i]);
    }
    return end_line(csv);
}

int lm_csv_row(lm_csv *csv, int n, const double *values)
{
    for (int i = 0; i < n; i++) {
        if (i) put(csv, ",", 1);
        put_value(csv, values[i]);
    }
    return end_line(csv);
}

int lm_csv_close(lm_csv *csv, char *err, size_t size) { return lm_out_close(file(csv), err, size); }

void lm_csv_drop(lm_csv *csv) { lm_out_drop(file(csv)); }
