/* Fuzzer of the model reader: any bytes are either a model or errors with places, and leave no
 * memory behind. Includes lead nowhere: the folder of the model does not exist. */
#include "model/spec.h"

#include <limber/status.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lm_arena arena = {.limit = (size_t)1 << 25};
    lm_diag diag = {0};
    lm_spec *spec = NULL;
    int status = lm_read_text(&arena, &diag, (const char *)data, size, "/nonexistent/model.yaml",
                              NULL, &spec);
    if (status == LIMBER_OK && (!spec || diag.errors)) abort();
    if (status == LIMBER_INPUT && (spec || !diag.errors)) abort();
    if (status != LIMBER_OK && status != LIMBER_INPUT && status != LIMBER_MEMORY) abort();
    lm_arena_free(&arena);
    lm_diag_free(&diag);
    if (lm_mem_live()) abort();
    return 0;
}
