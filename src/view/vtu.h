/* One .vtu file: arrays that are given by pointer, written with their data behind the XML. */
#ifndef LM_VIEW_VTU_H
#define LM_VIEW_VTU_H

#include <stddef.h>

typedef enum lm_vtu_place { LM_VTU_POINT, LM_VTU_CELL, LM_VTU_POINTS, LM_VTU_CELLS } lm_vtu_place;

typedef struct lm_vtu_array {
    lm_vtu_place place; /* data of points or cells; the points; what makes up the cells */
    const char *name;
    const char *type; /* "Float32", "Int32", "UInt8" */
    int components;
    const void *data;
    size_t bytes;
} lm_vtu_array;

enum { LM_VTU_ARRAYS = 24 };
typedef struct lm_vtu {
    int npoints, ncells;
    int narrays;
    lm_vtu_array array[LM_VTU_ARRAYS];
    const char *const *bodies; /* names, as a field */
    int nbodies;
    int nvalues; /* plain numbers, as fields: time, frequency, ... */
    struct {
        const char *name;
        double value;
    } value[4];
} lm_vtu;

void lm_vtu_add(lm_vtu *v, lm_vtu_place place, const char *name, const char *type, int components,
                const void *data, size_t bytes);
/* 0, or -1 with a sentence in err. */
int lm_vtu_write(const lm_vtu *v, const char *path, char *err, size_t size);

#endif
