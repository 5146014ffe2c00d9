/* Piecewise cubic functions: pwl, spline and step. */
#include "expr/expr_priv.h"

static const lm_piece *usable(const lm_piece *tab, int pieces)
{
    for (int i = 0; i < pieces; i++)
        if (!isfinite(tab[i].x + tab[i].y + tab[i].b) || !isfinite(tab[i].c + tab[i].e))
            return NULL;
    return tab;
}

/* n + 1 pieces that are constant: y0 on the left, y_i from x_i on. */
static lm_piece *pieces_of(lm_arena *arena, const double *xy, int n)
{
    lm_piece *tab = LM_NEW_N(arena, lm_piece, n + 1);
    tab[0] = (lm_piece){.x = xy[0], .y = xy[1]};
    for (int i = 0; i < n; i++) tab[i + 1] = (lm_piece){.x = xy[2 * i], .y = xy[2 * i + 1]};
    return tab;
}

/* Width of the interval from knot i on, infinite numbers made visible to usable(). */
static double width(const lm_piece *tab, int i)
{
    double h = tab[i + 1].x - tab[i].x;
    return isfinite(h) ? h : NAN;
}

const lm_piece *lm_table_pwl(lm_arena *arena, const double *xy, int n)
{
    lm_piece *tab = pieces_of(arena, xy, n);
    for (int i = 1; i < n; i++) tab[i].b = (tab[i + 1].y - tab[i].y) / width(tab, i);
    return usable(tab, n + 1);
}

/* Second derivatives m[1..n] of the natural spline, m[1] = m[n] = 0, from
 *   h_{i-1} m_{i-1} + 2 (h_{i-1} + h_i) m_i + h_i m_{i+1} = 6 (s_i - s_{i-1}),
 * where s_i = (y_{i+1} - y_i)/h_i, by elimination from above (diagonally dominant: no pivoting). */
static double *second_derivatives(lm_arena *arena, const lm_piece *tab, int n)
{
    double *m = LM_NEW_N(arena, double, n + 2), *u = LM_NEW_N(arena, double, n + 2);
    for (int i = 2; i < n; i++) {
        double h0 = width(tab, i - 1), h1 = width(tab, i);
        double s0 = (tab[i].y - tab[i - 1].y) / h0, s1 = (tab[i + 1].y - tab[i].y) / h1;
        double pivot = 2 * (h0 + h1) - h0 * u[i - 1];
        u[i] = h1 / pivot;
        m[i] = (6 * (s1 - s0) - h0 * m[i - 1]) / pivot;
    }
    for (int i = n - 2; i > 1; i--) m[i] -= u[i] * m[i + 1];
    return m;
}

const lm_piece *lm_table_spline(lm_arena *arena, const double *xy, int n)
{
    lm_piece *tab = pieces_of(arena, xy, n);
    const double *m = second_derivatives(arena, tab, n);
    for (int i = 1; i < n; i++) {
        double h = width(tab, i), s = (tab[i + 1].y - tab[i].y) / h;
        tab[i].b = s - h * (2 * m[i] + m[i + 1]) / 6;
        tab[i].c = m[i] / 2;
        tab[i].e = (m[i + 1] - m[i]) / (6 * h);
        tab[n].b = s + h * (m[i] + 2 * m[i + 1]) / 6; /* the last one stays */
    }
    tab[0].b = tab[1].b;
    return usable(tab, n + 1);
}

/* y0 + (y1 - y0) (3 r^2 - 2 r^3), r = (x - x0)/(x1 - x0) */
const lm_piece *lm_table_step(lm_arena *arena, double x0, double y0, double x1, double y1)
{
    const double xy[4] = {x0, y0, x1, y1};
    lm_piece *tab = pieces_of(arena, xy, 2);
    double h = width(tab, 1);
    tab[1].c = 3 * (y1 - y0) / (h * h);
    tab[1].e = -2 * (y1 - y0) / (h * h * h);
    return usable(tab, 3);
}

const lm_piece *lm_table_find(const lm_piece *tab, int pieces, double x)
{
    int low = 0, high = pieces;
    while (high - low > 1) {
        int mid = low + (high - low) / 2;
        if (tab[mid].x <= x)
            low = mid;
        else
            high = mid;
    }
    return &tab[low];
}

double lm_table_value(const lm_piece *tab, int pieces, double x)
{
    const lm_piece *q = lm_table_find(tab, pieces, x);
    double d = x - q->x;
    if (q->c != 0 || q->e != 0) return q->y + d * (q->b + d * (q->c + d * q->e));
    if (q->b != 0) return q->y + d * q->b;
    return isnan(x) ? x : q->y; /* also at x = infinity */
}

void lm_table_derivs(const lm_piece *tab, int pieces, double x, double out[2])
{
    const lm_piece *q = lm_table_find(tab, pieces, x);
    double d = x - q->x;
    int cubic = q->c != 0 || q->e != 0;
    out[0] = cubic ? q->b + d * (2 * q->c + d * 3 * q->e) : q->b;
    out[1] = cubic ? 2 * q->c + 6 * q->e * d : 0;
}
