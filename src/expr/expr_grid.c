/* Surfaces: straight lines between heights at equal distances. */
#include "expr/expr_priv.h"

static double height_of(const lm_grid *g, const double *height, double cell)
{
    return height[(int)(g->periodic ? lm_mod(cell, g->cells) : cell)];
}

double lm_grid_value(const lm_grid *g, const double *height, double x, double *slope)
{
    double u = (x - g->from) / g->width, cell = floor(u), last = g->cells - 1;
    if (slope) *slope = 0;
    if (!isfinite(u)) return NAN;
    if (!g->periodic && u < 0) return height[0];
    if (!g->periodic && cell >= last) return height[g->cells - 1];
    double a = height_of(g, height, cell), b = height_of(g, height, cell + 1);
    if (slope) *slope = (b - a) / g->width;
    return a + (u - cell) * (b - a);
}
