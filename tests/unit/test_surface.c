/* Surfaces: heights over a line, read in expressions and taken off by a tool. How they go on with the steps
 * of a run and are resumed: test_discrete.c. */
#include "expr/expr.h"
#include "form/discrete.h"
#include "support/methods.h"

/* ---- reading ---- */

/* A grid of heights below a slot 0 that holds x. */
static void reads_a_surface(void **state)
{
    (void)state;
    const double h[] = {1, 3, 2, 7};
    lm_grid open = {.from = 1, .to = 4, .width = 1, .cells = 4},
            round = {.from = 1, .to = 5, .width = 1, .cells = 4, .periodic = 1};
    double slope;
    assert_near(lm_grid_value(&open, h, 1.5, &slope), 2, 1e-15);
    assert_near(slope, 2, 1e-15);
    assert_near(lm_grid_value(&open, h, 0, &slope), 1, 0);
    assert_true(slope == 0);
    assert_near(lm_grid_value(&open, h, 9, &slope), 7, 0);
    assert_near(lm_grid_value(&open, h, 4, &slope), 7, 0);
    assert_near(lm_grid_value(&round, h, 4.25, &slope), 5.5, 1e-15);
    assert_near(slope, -6, 1e-15);
    assert_near(lm_grid_value(&round, h, 0.5, NULL), 4, 1e-15);
    assert_near(lm_grid_value(&round, h, 1.5 + 4e6, NULL), 2, 1e-8);
    assert_true(isnan(lm_grid_value(&round, h, NAN, NULL)));
    assert_true(isnan(lm_grid_value(&open, h, INFINITY, NULL)));
}

static lm_symbol time_alone(void *grid, const char *name, double *value, int *slot)
{
    (void)grid, (void)value;
    *slot = LM_SLOT_T;
    return strcmp(name, "t") == 0 ? LM_SYM_SLOT : LM_SYM_NONE;
}

static const lm_grid *only_surface(void *grid, const char *name, lm_loc loc)
{
    (void)loc;
    assert_string_equal(name, "work(2)");
    return grid;
}

/* In an expression: value, gradient and Hessian by the chain rule, and a fixed place is no constant. */
static void surface_in_an_expression(void **state)
{
    (void)state;
    lm_arena arena = {0};
    lm_diag diag = {0};
    lm_grid g = {.from = 0, .to = 3, .width = 1, .cells = 4, .first = -4};
    lm_expr_env env = {.ctx = &g, .surface = only_surface};
    lm_expr e, fixed;
    double memory[] = {1, 3, 2, 7, 0}, *slots = memory + 4, scratch[64], grad = 0, hess = 0;
    env.symbol = time_alone;
    assert_int_equal(
        lm_expr_parse(&arena, &diag, &env, "5*surface(work(1+1), t^2)^2", (lm_loc){"f", 1, 1}, &e),
        0);
    slots[0] = 1.6; /* t^2 = 2.56: z = 2 + 5*0.56 = 4.8, dz/dt = 5*3.2 = 16, d2z/dt2 = 10 */
    assert_near(lm_expr_eval(&e, slots, scratch), 5 * 4.8 * 4.8, 1e-12);
    assert_near(lm_expr_hess(&e, slots, scratch, &grad, &hess), 5 * 4.8 * 4.8, 1e-12);
    assert_near(grad, 10 * 4.8 * 16, 1e-10);
    assert_near(hess, 10 * 16 * 16 + 10 * 4.8 * 10, 1e-10);
    assert_int_equal(
        lm_expr_parse(&arena, &diag, &env, "surface(work(2), 0.5)", (lm_loc){"f", 1, 1}, &fixed),
        0);
    assert_true(!fixed.constant && fixed.ninputs == 0);
    assert_near(lm_expr_eval(&fixed, slots, scratch), 2, 1e-15);
    memory[1] = 9;
    assert_near(lm_expr_eval(&fixed, slots, scratch), 5, 1e-15);
    lm_diag_free(&diag);
    lm_arena_free(&arena);
}

/* ---- under a tool ---- */

static lm_spec_surface one_surface(int cells, int periodic)
{
    lm_spec_surface s = {.from = 0, .to = cells, .cells = cells, .periodic = periodic};
    lm_expr_constant(&s.height, 10);
    s.grid = (lm_grid){.to = cells, .width = 1, .cells = cells, .periodic = periodic};
    s.grid.first = -cells;
    return s;
}

static lm_discrete *make_surface(lm_arena *arena, lm_spec *spec, lm_spec_surface *s, double **slots)
{
    lm_discrete *d;
    spec->surfaces.at = s;
    spec->surfaces.n = 1;
    spec->cells = s->cells;
    assert_int_equal(lm_discrete_make(arena, spec, 0, &d, slots), 0);
    return d;
}

/* What a checkpoint keeps, one after another. */
static void all_is_in_the_block(void **state)
{
    (void)state;
    lm_arena arena = {0};
    lm_spec spec = {0};
    lm_spec_surface s = one_surface(6, 0);
    double *slots;
    lm_discrete *d = make_surface(&arena, &spec, &s, &slots);
    const double *place[] = {d->t, d->dt, d->ahead, &d->tool->at, d->height};
    assert_ptr_equal(d->t, d->block);
    for (int i = 1; i < 5; i++) assert_true(place[i] > place[i - 1]);
    assert_ptr_equal(d->height + s.cells, d->block + d->size);
    lm_arena_free(&arena);
}

/* The last cell passed is still the old one: the tool stands between it and the next. */
static void tool_takes_material(void **state)
{
    (void)state;
    lm_arena arena = {0};
    lm_spec spec = {0};
    lm_spec_surface s = one_surface(6, 0);
    double *slots, *h;
    lm_discrete *d = make_surface(&arena, &spec, &s, &slots);
    h = lm_discrete_heights(d, 0);
    assert_ptr_equal(h, slots - 6);
    assert_true(h[0] == 10 && h[5] == 10);
    lm_discrete_place_tool(d, 0, -1, 8);
    lm_discrete_move_tool(d, 0, 2.5, 4.5); /* 7 at 0, 6 at 1, 5 at 2 */
    assert_true(h[0] == 7 && h[1] == 6 && h[2] == 10 && h[3] == 10);
    lm_discrete_move_tool(d, 0, 2.9, 4);
    assert_true(h[2] == 10);
    lm_discrete_move_tool(d, 0, 3, 20); /* above it: takes nothing */
    assert_true(h[2] == 5 && h[3] == 10);
    lm_discrete_move_tool(d, 0, 0.5, 0);
    assert_true(h[3] == 10); /* what it did not take is there, also on the way back */
    assert_true(h[2] == 5 && h[1] == 6);
    lm_discrete_place_tool(d, 0, 5.5, 1);
    lm_discrete_move_tool(d, 0, 3.5, 1);
    assert_true(h[5] == 1 && h[4] == 10);
    lm_discrete_move_tool(d, 0, 100, 1);
    assert_true(h[4] == 1 && h[5] == 1);
    lm_arena_free(&arena);
}

/* Where the tool is put down on a cell, it cuts it, whichever way it goes on; beside the surface and between
 * two cells there is nothing to cut. Places are rounded. */
static void tool_cuts_where_it_is_put_down(void **state)
{
    static const double width[] = {1, 0.1, 1 / 3.}, u[] = {3, 9, 3.25, -2.25};
    (void)state;
    for (int k = 0; k < 48; k++) {
        lm_arena arena = {0};
        lm_spec spec = {0};
        lm_spec_surface s = one_surface(6, k / 24);
        double *slots, way = k % 2 ? 1 : -1, w = width[k / 2 % 3], at = u[k / 6 % 4];
        s.grid.width = w, s.grid.from = -0.7;
        lm_discrete *d = make_surface(&arena, &spec, &s, &slots);
        const double *h = lm_discrete_heights(d, 0);
        lm_discrete_place_tool(d, 0, -0.7 + at * w, 2);
        for (int i = 0; i < 6; i++) assert_true(h[i] == 10); /* under the tool: earlier passes */
        lm_discrete_move_tool(d, 0, -0.7 + (at + 1.5 * way) * w, 20);
        int on_cell = at == 3 || (at == 9 && s.periodic);
        if (on_cell) assert_true(h[3] == 2);
        for (int i = 0; i < 6 && !on_cell; i++) assert_true(h[i] > 2);
        lm_arena_free(&arena);
    }
}

/* Round and round: a cell is taken when the tool comes by, whatever the turn. */
static void tool_goes_round(void **state)
{
    (void)state;
    lm_arena arena = {0};
    lm_spec spec = {0};
    lm_spec_surface s = one_surface(5, 1);
    double *slots;
    lm_discrete *d = make_surface(&arena, &spec, &s, &slots);
    const double *h = lm_discrete_heights(d, 0);
    lm_discrete_place_tool(d, 0, 1003.5, 9);
    for (int k = 0; k < 15; k++) { /* lower by 1 with each turn of five cells */
        double at = 1003.5 + k, turn = floor(k / 5.0);
        double half = k % 5 == 0 && k > 0 ? 0.5 : 0; /* between cells of two turns */
        assert_near(lm_grid_value(&s.grid, h, at, NULL), 10 - turn + half, 1e-12);
        lm_discrete_place_tool(d, 0, at, 9 - turn);
        lm_discrete_move_tool(d, 0, at + 1, 9 - turn);
    }
    for (int i = 0; i < 5; i++) assert_near(h[i], i == 3 ? 8 : 7, 1e-12);
    lm_arena_free(&arena);
}

/* A tool that is led along a wave: what it finds is the wave of one turn ago, in every method, less
 * what straight lines between the cells cut off. */
static void finds_the_last_turn(void **state)
{
    static const char text[] =
        "limber: 1\n"
        "parameters: {w: 23}\n"
        "bodies: {tool: {type: rigid, mass: 1, inertia: [1, 1, 1]}}\n"
        "joints: {lead: {type: prismatic, between: [ground, tool], axis: y, drive: "
        "0.1*sin(w*t) - 0.6*t}}\n"
        "surfaces: {work: {cells: 400, periodic: true, to: 2, height: 1 + 0.2*s, at: 4*t, left: "
        "pos(tool).y}}\n"
        "analysis: {type: dynamics, until: 1}\n"
        "outputs: {found: 'surface(work, 4*t)', y: pos(tool).y, start: 'surface(work, 0.5)'}\n";
    (void)state;
    for (int i = 0; i < METHODS; i++) {
        table r = run_method(text, run_methods[i].how, 2);
        /* curvature 0.1 w^2/4^2, cells of 0.005; steps of 0.01 are seen through cubic curves */
        double off = 0.1 * 23 * 23 / 16 * 0.005 * 0.005 / 8 * 1.5;
        for (int k = 0; k < r.rows; k++) {
            double t = table_get(&r, k, "t"), before = t - 0.5;
            double y = 0.1 * sin(23 * before) - 0.6 * before;
            if (before > -1e-9) assert_near(table_get(&r, k, "found"), y, off + 2e-6);
            if (before < -1e-9) assert_near(table_get(&r, k, "found"), 1 + 0.4 * t, 1e-12);
        }
        assert_near(table_first(&r, "start"), 1.05, 1e-12);
        table_free(&r);
    }
}

/* The tangent of a force by the surface sees its slope: Newton's method goes on quadratically on a
 * slide of steep heights along which a mass is pressed. */
static void slope_is_in_the_tangent(void **state)
{
    static const char text[] =
        "limber: 1\n"
        "bodies: {m: {type: rigid, mass: 1, inertia: [1, 1, 1], position: [0.31, 0, 0]}}\n"
        "joints: {rail: {type: prismatic, between: [ground, m], axis: x, at: [0, 0, 0]}}\n"
        "surfaces: {slide: {cells: 11, height: 4*(s - 0.5)^2, at: 5, left: 9}}\n"
        "loads: {push: {on: m, force: ['-5e5*(surface(slide, pos(m).x) - 0.1)', 0, 0]}}\n"
        "analysis: {type: dynamics, until: 1}\n"
        "outputs: {x: pos(m).x}\n";
    (void)state;
    table r = run_method(text, "step: 0.001", 0.05);
    assert_under((double)r.sum.iterations, 3.2 * (double)r.sum.steps);
    table_free(&r);
}

/* A force that reads the surface elsewhere than at its tool finds what was cut in this very pass, whatever the
 * method, its tolerance and the rows. With the force 100 z on a mass of 2, v = 50 times the integral of z dt:
 * - 0.2 behind the tool: z = -0.1 (t - 0.4), v = -5.625;
 * - at 0.25, cut at t = 0.5: v = -3.5, up to the time for two cells;
 * - at a tool that turns round, marched on the same cells in steps of 1e-5: v = -9.29466. */
#define PLANED(at, read)                                                                           \
    "limber: 1\n"                                                                                  \
    "bodies: {tool: {type: rigid, mass: 1}, b: {type: rigid, mass: 2}}\n"                          \
    "joints:\n"                                                                                    \
    "  guide: {type: prismatic, between: [ground, tool], axis: y}\n"                               \
    "  s: {type: prismatic, between: [ground, b], axis: x}\n"                                      \
    "surfaces: {face: {cells: 1001, height: 0, at: '" at "', left: pos(tool).y}}\n"                \
    "loads: {f: {on: b, force: ['100*surface(face, " read ")', 0, 0]}}\n"                          \
    "initial: {guide: {rate: -0.1}}\n"                                                             \
    "analysis: {type: dynamics, until: 1}\n"                                                       \
    "outputs: {v: rate(s), h5: 'surface(face, 0.5)'}\n"
#define THERE_AND_BACK "0.1003 + 0.3*t*(4 - t)/2"

static void readers_find_what_is_cut(void **state)
{
    static const struct {
        const char *text;
        double until, v, most, h5;
    } m[] = {{PLANED("0.5*t", "0.5*t - 0.2"), 1.9, -5.625, 1e-4, -0.1},
             {PLANED("0.5*t", "0.25"), 1.9, -3.5, 0.02, -0.1},
             {PLANED(THERE_AND_BACK, THERE_AND_BACK), 4, -9.294655, 5e-4, -0.31556}};
    static const char *const with[] = {"tolerance: 1e-6",  "tolerance: 1e-2",
                                       "method: bdf",      "method: radau, tolerance: 1e-8",
                                       "method: explicit", "step: 0.001"};
    (void)state;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 6; k++) {
            table r = run_method(m[i].text, with[k], m[i].until);
            assert_near(table_last(&r, "v"), m[i].v, m[i].most);
            assert_near(table_last(&r, "h5"), m[i].h5, 1e-4);
            table_free(&r);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_a_surface),
        cmocka_unit_test(surface_in_an_expression),
        cmocka_unit_test(tool_takes_material),
        cmocka_unit_test(all_is_in_the_block),
        cmocka_unit_test(tool_cuts_where_it_is_put_down),
        cmocka_unit_test(tool_goes_round),
        cmocka_unit_test(finds_the_last_turn),
        cmocka_unit_test(slope_is_in_the_tangent),
        cmocka_unit_test(readers_find_what_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
