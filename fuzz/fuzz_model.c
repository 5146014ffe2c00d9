/* Fuzzer of everything behind the reader: what it takes for a model compiles, becomes equations in every
 * formulation and can be evaluated where it is drawn, or leads to errors; and leaves no memory behind. */
#include "form/form.h"

#include <limber/status.h>
#include <stdint.h>
#include <stdlib.h>

enum { NODES = 60, ROWS = 400 }; /* larger models take time and show nothing new */

static void evaluate(lm_system *sys)
{
    size_t n = (size_t)(sys->nq + 2 * sys->nv + 2 * sys->nl + sys->nv + 1);
    double *q = calloc(n + (size_t)sys->pattern.nnz, sizeof *q);
    double *v = q + sys->nq, *a = v + sys->nv, *lam = a + sys->nv, *r = lam + sys->nl;
    double *phi = r + sys->nv, *values = phi + sys->nl;
    lm_state s = {0, q, v, a, lam};
    if (sys->form->initial(sys, q, v) == 0 && sys->form->select_rows(sys, 0, q, 1) >= 0) {
        sys->form->residual(sys, &s, r, phi, NULL);
        sys->form->jacobian(sys, &s, 1, 0.5, 0.25, values);
    }
    free(q);
}

static void formulate(const lm_model *model)
{
    for (int f = 0; f < LM_FORMULATIONS; f++) {
        lm_diag diag = {0};
        lm_system *sys = NULL;
        limber_status status =
            lm_system_create(lm_form_get((lm_formulation_type)f), model, &diag, &sys);
        if (status == LIMBER_OK) {
            evaluate(sys);
            sys->form->destroy(sys);
        } else if (status != LIMBER_MEMORY && !diag.errors)
            abort();
        lm_diag_free(&diag);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lm_model model = {.arena = {.limit = (size_t)1 << 24}};
    lm_diag diag = {0};
    lm_spec *spec = NULL;
    int status = lm_read_text(&model.arena, &diag, (const char *)data, size,
                              "/nonexistent/model.yaml", NULL, &spec);
    if (!status) status = lm_compile_safely(&model, spec, &diag);
    if (status == LIMBER_OK && diag.errors) abort();
    if (status == LIMBER_INPUT && !diag.errors) abort();
    if (!status && model.nnodes <= NODES && model.nrows <= ROWS) formulate(&model);
    lm_arena arena = model.arena;
    lm_arena_free(&arena);
    lm_diag_free(&diag);
    if (lm_mem_live()) abort();
    return 0;
}
