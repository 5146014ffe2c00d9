/* Pieces of JSON. */
#include "show.h"

#include <math.h>

void json_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
        if (*p == '"' || *p == '\\')
            fprintf(out, "\\%c", *p);
        else if (*p < 0x20)
            fprintf(out, "\\u%04x", *p);
        else
            fputc(*p, out);
    }
    fputc('"', out);
}

/* JSON knows no nan and no inf. */
void json_number(FILE *out, const char *name, double x)
{
    if (isfinite(x))
        fprintf(out, ", \"%s\": %.17g", name, x);
    else
        fprintf(out, ", \"%s\": null", name);
}
