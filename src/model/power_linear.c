/* Linear forms c0 + sum of c_i slot_i: what most laws of a power graph are. They are put into each
 * other while equations are made, so that few unknowns remain. */
#include "model/power.h"

#include <stdio.h>
#include <string.h>

lm_linear lm_linear_constant(double value) { return (lm_linear){.c0 = value}; }

lm_linear lm_linear_slot(lm_reader *r, int slot)
{
    lm_term *t = LM_NEW(r->arena, lm_term);
    *t = (lm_term){slot, 1};
    return (lm_linear){0, 1, t};
}

/* Terms are in the order of their slots; those that cancel are dropped. */
lm_linear lm_linear_sum(lm_reader *r, double a, lm_linear x, double b, lm_linear y)
{
    lm_term *t = LM_NEW_N(r->arena, lm_term, (size_t)(x.n + y.n) + 1);
    lm_linear sum = {a * x.c0 + b * y.c0, 0, t};
    for (int i = 0, k = 0; i < x.n || k < y.n;) {
        int from_x = i < x.n && (k >= y.n || x.term[i].slot <= y.term[k].slot);
        int from_y = k < y.n && (i >= x.n || y.term[k].slot <= x.term[i].slot);
        lm_term s = {from_x ? x.term[i].slot : y.term[k].slot, 0};
        if (from_x) s.c += a * x.term[i++].c;
        if (from_y) s.c += b * y.term[k++].c;
        if (s.c != 0) t[sum.n++] = s;
    }
    return sum;
}

double lm_linear_coefficient(lm_linear x, int slot)
{
    for (int i = 0; i < x.n; i++)
        if (x.term[i].slot == slot) return x.term[i].c;
    return 0;
}

lm_linear lm_linear_without(lm_reader *r, lm_linear x, int slot)
{
    lm_term *t = LM_NEW_N(r->arena, lm_term, (size_t)x.n + 1);
    lm_linear out = {x.c0, 0, t};
    for (int i = 0; i < x.n; i++)
        if (x.term[i].slot != slot) t[out.n++] = x.term[i];
    return out;
}

int lm_linear_is_slot(lm_linear x)
{
    return x.n == 1 && x.c0 == 0 && x.term[0].c == 1 ? x.term[0].slot : -1;
}

const char *lm_linear_text(lm_reader *r, lm_linear x)
{
    size_t size = 64 * ((size_t)x.n + 1), at = 0;
    char *text = lm_arena_alloc(r->arena, size);
    at += (size_t)snprintf(text, size, "(");
    for (int i = 0; i < x.n; i++)
        at += x.term[i].c == 1
                  ? (size_t)snprintf(text + at, size - at, "%s_s(%d)", i ? "+" : "", x.term[i].slot)
                  : (size_t)snprintf(text + at, size - at, "%s(%.17g)*_s(%d)", i ? "+" : "",
                                     x.term[i].c, x.term[i].slot);
    if (x.c0 != 0 || !x.n)
        at += (size_t)snprintf(text + at, size - at, "%s(%.17g)", x.n ? "+" : "", x.c0);
    snprintf(text + at, size - at, ")");
    return text;
}

void lm_power_expr(lm_reader *r, const char *text, const char *what, lm_expr *out)
{
    const char *own = r->own_name;
    r->own_name = NULL;
    r->internal = 1;
    if (lm_read_expr_text(r, text, (lm_loc){NULL, 0, 0}, LM_SCOPE_SENSORS, out))
        lm_expr_constant(out, 0); /* only numbers that are not finite: reported */
    out->text = what;
    r->internal = 0;
    r->own_name = own;
}

void lm_linear_expr(lm_reader *r, lm_linear x, const char *what, lm_expr *out)
{
    lm_power_expr(r, lm_linear_text(r, x), what, out);
}
