/* The drawing of the power graph. */
#include "api/api.h"

#include "io/out.h"
#include "view/bond_graph.h"

#include <stdio.h>
#include <string.h>

static limber_status write_svg(const lm_bond_graph *g, const char *path, char *err, size_t size)
{
    lm_out *out = NULL;
    char *text = lm_bond_graph_svg(g);
    if (!text) return LIMBER_MEMORY;
    int bad = lm_out_open(path, &out, err, size);
    if (!bad) {
        lm_out_put(out, text, strlen(text));
        bad = lm_out_close(out, err, size);
    }
    lm_free(text);
    return bad ? LIMBER_IO : LIMBER_OK;
}

limber_status limber_model_bond_graph(const limber_model *model, const char *svg,
                                      limber_messages *msg)
{
    const lm_spec *spec = model->m.spec;
    char err[400] = "";
    lm_bond_graph g;
    lm_loc at = {0};
    int none = lm_bond_graph_make(&g, spec);
    limber_status st = none == 2 ? LIMBER_MEMORY : none ? LIMBER_INPUT : LIMBER_OK;
    if (none == 1) {
        at.file = spec->file;
        snprintf(err, sizeof err,
                 "the model has no power graph to draw: it has no 'power' section");
    }
    if (!st && strcmp(svg, "-") != 0 &&
        lm_target_refuse("drawing", svg, NULL, spec->file, err, sizeof err))
        st = LIMBER_IO;
    if (!st) st = write_svg(&g, svg, err, sizeof err);
    if (st) lm_error(&msg->diag, at, "%s", err[0] ? err : limber_status_text(st));
    lm_bond_graph_free(&g);
    return st;
}
