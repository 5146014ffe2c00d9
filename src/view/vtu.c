#include "view/vtu.h"

#include "io/out.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

void lm_vtu_add(lm_vtu *v, lm_vtu_place place, const char *name, const char *type, int components,
                const void *data, size_t bytes)
{
    v->array[v->narrays++] = (lm_vtu_array){place, name, type, components, data, bytes};
}

/* The element with those arrays that belong there; their data stand at growing offsets, each behind
 * its length. */
static void section(lm_out *out, const lm_vtu *v, const char *element, lm_vtu_place place)
{
    size_t offset = 0;
    lm_out_printf(out, "<%s>\n", element);
    for (int i = 0; i < v->narrays; i++) {
        const lm_vtu_array *a = &v->array[i];
        if (a->place == place)
            lm_out_printf(
                out,
                "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"appended\" "
                "offset=\"%zu\"/>\n",
                a->type, a->name, a->components, offset);
        offset += sizeof(uint64_t) + a->bytes;
    }
    lm_out_printf(out, "</%s>\n", element);
}

/* Strings are written as the codes of their characters, each ended by 0. */
static void fields(lm_out *out, const lm_vtu *v)
{
    lm_out_printf(out, "<FieldData>\n");
    for (int i = 0; i < v->nvalues; i++)
        lm_out_printf(
            out,
            "<DataArray type=\"Float64\" Name=\"%s\" NumberOfTuples=\"1\" format=\"ascii\">%.17g"
            "</DataArray>\n",
            v->value[i].name, v->value[i].value);
    lm_out_printf(
        out, "<DataArray type=\"String\" Name=\"bodies\" NumberOfTuples=\"%d\" format=\"ascii\">\n",
        v->nbodies);
    for (int i = 0; i < v->nbodies; i++) {
        for (const char *p = v->bodies[i]; *p; p++) lm_out_printf(out, "%d ", (unsigned char)*p);
        lm_out_printf(out, "0\n");
    }
    lm_out_printf(out, "</DataArray>\n</FieldData>\n");
}

static void grid(lm_out *out, const lm_vtu *v)
{
    lm_out_printf(out,
                  "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" "
                  "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<UnstructuredGrid>\n");
    fields(out, v);
    lm_out_printf(out, "<Piece NumberOfPoints=\"%d\" NumberOfCells=\"%d\">\n", v->npoints,
                  v->ncells);
    section(out, v, "PointData", LM_VTU_POINT);
    section(out, v, "CellData", LM_VTU_CELL);
    section(out, v, "Points", LM_VTU_POINTS);
    section(out, v, "Cells", LM_VTU_CELLS);
    lm_out_printf(out, "</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_");
    for (int i = 0; i < v->narrays; i++) {
        uint64_t bytes = v->array[i].bytes;
        lm_out_put(out, &bytes, sizeof bytes);
        lm_out_put(out, v->array[i].data, v->array[i].bytes);
    }
    lm_out_printf(out, "\n</AppendedData>\n</VTKFile>\n");
}

int lm_vtu_write(const lm_vtu *v, const char *path, char *err, size_t size)
{
    lm_out *out;
    if (lm_out_open(path, &out, err, size)) return -1;
    grid(out, v);
    return lm_out_close(out, err, size);
}
