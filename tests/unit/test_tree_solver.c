/* The balanced tree as the linear solver: its depth, its solutions against KLU's for random mechanisms
 * and for matrices of models, the same bits for any number of threads, in solutions and in runs. */
#include "api/api.h"
#include "solve/block.h"
#include "solve/linear.h"
#include "support/run_model.h"
#include "support/scratch.h"

enum { V = 6, ROWS = 5, MOST = 5000 };

static unsigned long long seed;

static double noise(void)
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(seed >> 11) / (double)(1ULL << 53) - 0.5;
}

static int below(int n) { return (int)((noise() + 0.5) * n); }

/* ---- random mechanisms: nodes of 6 motions, joints of 5 rows to the parent, joints of loops ---- */

typedef struct mesh {
    lm_arena arena;
    lm_pattern p;
    lm_groups g;
    double *values;
    int nodes, loops;
    int parent[MOST];  /* -1: the ground */
    int loop[MOST][2]; /* nodes that a further joint connects; one row each */
} mesh;

static int tree_row(const mesh *m, int node) { return V * m->nodes + ROWS * node; }
static int loop_row(const mesh *m, int k) { return (V + ROWS) * m->nodes + k; }

static void couple(lm_pattern_builder *b, int row, int rows, int node)
{
    lm_pattern_block(b, row, V * node, rows, V);
    lm_pattern_block(b, V * node, row, V, rows);
}

static void make_pattern(mesh *m)
{
    lm_pattern_builder b = {.arena = &m->arena};
    for (int n = 0; n < m->nodes; n++) {
        lm_pattern_block(&b, V * n, V * n, V, V);
        couple(&b, tree_row(m, n), ROWS, n);
        if (m->parent[n] >= 0) couple(&b, tree_row(m, n), ROWS, m->parent[n]);
    }
    for (int k = 0; k < m->loops; k++)
        for (int side = 0; side < 2; side++) couple(&b, loop_row(m, k), 1, m->loop[k][side]);
    assert_int_equal(lm_pattern_make(&b, &m->arena, loop_row(m, m->loops), &m->p), 0);
}

/* Rows of a loop come after all nodes between its two sides. */
static void make_groups(mesh *m)
{
    lm_groups *g = &m->g;
    g->n = m->nodes + m->loops;
    g->of = LM_NEW_N(&m->arena, int, m->p.n);
    g->after_start = LM_NEW_N(&m->arena, int, g->n + 1);
    g->after = LM_NEW_N(&m->arena, int, 2 * m->loops * m->nodes + 1);
    for (int i = 0; i < m->p.n; i++)
        g->of[i] = i < V * m->nodes     ? i / V
                   : i < loop_row(m, 0) ? (i - V * m->nodes) / ROWS
                                        : m->nodes + i - loop_row(m, 0);
    for (int k = 0, at = 0; k < m->loops; k++) {
        int a = m->loop[k][0], b = m->loop[k][1];
        while (a != b) { /* parents have lower numbers */
            int *up = a > b ? &a : &b;
            g->after[at++] = *up;
            *up = m->parent[*up];
        }
        g->after_start[m->nodes + k + 1] = at;
    }
}

/* Inertia, rows that subtract the parent's motion from the node's, nearly symmetric. */
static void fill(mesh *m)
{
    int motions = V * m->nodes;
    for (int c = 0; c < m->p.n; c++)
        for (int k = m->p.colptr[c]; k < m->p.colptr[c + 1]; k++) {
            int r = m->p.rowind[k];
            double *v = &m->values[k];
            if (r < motions && c < motions) *v = r == c ? 4 : 0.3 * noise();
            if (r >= motions && r < loop_row(m, 0)) {
                int row = r - motions, own = row / ROWS == c / V;
                *v = (row % ROWS == c % V ? (own ? 1 : -1) : 0) + 0.1 * noise();
            }
            if (r >= loop_row(m, 0)) *v = noise();
            if (r < motions && c >= motions)
                *v = m->values[lm_pattern_find(&m->p, c, r)] * (1 + 0.01 * noise());
        }
}

typedef enum shape { CHAIN, BACKWARDS, BRANCHED, LOOPED } shape;

static void make(mesh *m, shape what, int nodes)
{
    memset(m, 0, sizeof *m);
    m->nodes = nodes;
    for (int n = 0; n < nodes; n++)
        m->parent[n] = what == BRANCHED || what == LOOPED ? (n ? below(n) : -1) : n - 1;
    if (what == LOOPED) m->loops = nodes > 60 ? 6 : 1;
    for (int k = 0; k < m->loops; k++) {
        m->loop[k][0] = below(nodes);
        m->loop[k][1] = (m->loop[k][0] + 1 + below(nodes - 1)) % nodes;
    }
    make_pattern(m);
    make_groups(m);
    for (int i = 0; i < m->p.n && what == BACKWARDS; i++) m->g.of[i] = nodes - 1 - m->g.of[i];
    m->values = LM_NEW_N(&m->arena, double, m->p.nnz);
    fill(m);
}

/* ---- solutions ---- */

static double *random_side(lm_arena *a, int n)
{
    double *x = LM_NEW_N(a, double, n + 1);
    for (int i = 0; i < n; i++) x[i] = noise();
    return x;
}

static double *solve_by(const lm_pattern *p, const lm_groups *g, lm_solver solver, lm_pool *pool,
                        const double *values, const double *side, lm_arena *a)
{
    lm_system sys = {.solver = solver, .pool = pool};
    double *x = lm_arena_copy(a, side, sizeof(double) * (size_t)p->n);
    lm_linear *l = lm_linear_create_for(&sys, p, g);
    assert_non_null(l);
    memcpy(lm_linear_values(l), values, sizeof(double) * (size_t)p->nnz);
    assert_int_equal(lm_linear_factor(l), 0);
    if (solver != LM_SOLVER_KLU) assert_int_equal(lm_linear_full_factors(l), 0); /* not by KLU */
    lm_linear_solve(l, x);
    lm_linear_destroy(l);
    return x;
}

/* Largest difference over the largest number of this kind, the unknowns from .. to - 1. */
static double apart(const double *x, const double *y, int from, int to)
{
    double off = 0, most = 0;
    for (int i = from; i < to; i++) {
        off = fmax(off, fabs(x[i] - y[i]));
        most = fmax(most, fabs(y[i]));
    }
    return most > 0 ? off / most : off;
}

static void check_against_klu(const lm_pattern *p, const lm_groups *g, const double *values,
                              int motions, const char *what)
{
    static const lm_solver solvers[] = {LM_SOLVER_TREE, LM_SOLVER_BLOCK, LM_SOLVER_AUTOMATIC};
    lm_arena a = {0};
    const double *side = random_side(&a, p->n);
    double *klu = solve_by(p, g, LM_SOLVER_KLU, NULL, values, side, &a);
    for (int k = 0; k < 3; k++) {
        double *x = solve_by(p, g, solvers[k], NULL, values, side, &a);
        double v = apart(x, klu, 0, motions), lam = apart(x, klu, motions, p->n);
        if (!(v < 1e-12 && lam < 1e-12))
            fail_msg("%s, solver %d: motions %g, multipliers %g from KLU's", what, (int)solvers[k],
                     v, lam);
    }
    lm_arena_free(&a);
}

static void random_mechanisms(void **state)
{
    (void)state;
    static const int sizes[] = {1, 2, 3, 5, 17, 100, 600};
    static mesh m;
    seed = 1;
    for (int s = 0; s < 7; s++)
        for (shape what = CHAIN; what <= LOOPED; what++) {
            if (what == LOOPED && sizes[s] < 3) continue;
            char name[60];
            snprintf(name, sizeof name, "shape %d of %d nodes", (int)what, sizes[s]);
            make(&m, what, sizes[s]);
            check_against_klu(&m.p, &m.g, m.values, V * m.nodes, name);
            lm_arena_free(&m.arena);
        }
}

/* ---- matrices of models ---- */

typedef struct jacobian {
    limber_messages *msg;
    limber_model *model;
    lm_system *sys;
    double *values, *q;
} jacobian;

/* At the drawing, with random velocities, accelerations and multipliers: cM M + cD D + cK K of a step h. */
static void open_model(jacobian *j, const char *name, const char *set, double h)
{
    char path[400];
    limber_load_options o = {.set = &set, .set_count = set != NULL};
    snprintf(path, sizeof path, "%s/%s.yaml", getenv("MODELS"), name);
    j->msg = limber_messages_new();
    if (limber_model_load(path, &o, &j->model, j->msg)) fail_msg("%s cannot be read", path);
    assert_int_equal(lm_create_system(&j->model->m, "corotational", &j->msg->diag, &j->sys),
                     LIMBER_OK);
    lm_system *sys = j->sys;
    const lm_form *form = sys->form;
    int nv = sys->nv, nl = sys->nl;
    j->q = lm_alloc(sizeof(double) * (size_t)(sys->nq + 2 * nv + nl + 1));
    double *v = j->q + sys->nq, *a = v + nv, *lam = a + nv;
    assert_int_equal(form->initial(sys, j->q, v), 0);
    assert_true(form->select_rows(sys, 0, j->q, 0) >= 0);
    for (int i = 0; i < 2 * nv + nl; i++) v[i] = noise();
    lm_state s = {0, j->q, v, a, lam};
    j->values = lm_alloc(sizeof(double) * (size_t)(sys->pattern.nnz + 1));
    assert_int_equal(form->jacobian(sys, &s, 1, 0.5 * h, 0.25 * h * h, j->values), 0);
}

static void close_model(jacobian *j)
{
    j->sys->form->destroy(j->sys);
    lm_free(j->values);
    lm_free(j->q);
    limber_model_free(j->model);
    limber_messages_free(j->msg);
}

static void matrices_of_models(void **state)
{
    (void)state;
    static const char *const models[][2] = {
        {"flexible_chain", "N=40"},      {"rod_chain", "N=20"},  {"a02_four_bars", NULL},
        {"four_bar_misaligned", NULL},   {"gantry_crane", NULL}, {"flexible_crane", NULL},
        {"slider_crank_flexible", NULL}, {"slider_crank", NULL}, {"space_frame", NULL}};
    seed = 2;
    for (int k = 0; k < 9; k++)
        for (int slow = 0; slow < 2; slow++) {
            jacobian j;
            open_model(&j, models[k][0], models[k][1], slow ? 1e-3 : 1e-5);
            check_against_klu(&j.sys->pattern, &j.sys->groups, j.values, j.sys->nv, models[k][0]);
            close_model(&j);
        }
}

/* A light rope with a heavy load on its end: eliminating the end before the load is no good, the factors
 * are not used, and KLU has its turn. */
static void what_the_tree_cannot_do(void **state)
{
    (void)state;
    jacobian j;
    lm_arena a = {0};
    seed = 7;
    open_model(&j, "crane_rope", NULL, 1e-5);
    const lm_pattern *p = &j.sys->pattern;
    lm_system sys = {.solver = LM_SOLVER_TREE};
    lm_linear *l = lm_linear_create_for(&sys, p, &j.sys->groups);
    double *x = random_side(&a, p->n);
    double *klu = solve_by(p, &j.sys->groups, LM_SOLVER_KLU, NULL, j.values, x, &a);
    memcpy(lm_linear_values(l), j.values, sizeof(double) * (size_t)p->nnz);
    assert_int_equal(lm_linear_factor(l), 0);
    assert_int_equal(lm_linear_full_factors(l), 2); /* refused, and pivots chosen by KLU */
    lm_linear_solve(l, x);
    assert_memory_equal(x, klu, sizeof(double) * (size_t)p->n);
    lm_linear_destroy(l);
    close_model(&j);
    lm_arena_free(&a);
}

/* Rigid chains: what the joints do not leave is known to a small part of what hangs behind them, in all
 * orders, or the error would grow with the cube of the length. */
static void long_rigid_chains(void **state)
{
    (void)state;
    seed = 6;
    for (lm_block_order order = LM_ORDER_ENDS; order <= LM_ORDER_TREE; order++) {
        jacobian j;
        int no_order;
        open_model(&j, "rod_chain", "N=3000", 1e-3);
        lm_block_solver *b =
            lm_block_create(&j.sys->pattern, &j.sys->groups, order, NULL, &no_order);
        assert_int_equal(lm_block_factor(b, j.values), 0);
        assert_under(lm_block_error(b), 1e-14);
        lm_block_destroy(b);
        close_model(&j);
    }
}

/* Wherever it stands, a number that is not finite is found; and the next matrix is solved as before. */
static void numbers_that_are_none(void **state)
{
    (void)state;
    static const double none[] = {NAN, INFINITY, -INFINITY};
    static mesh m;
    seed = 8;
    make(&m, BRANCHED, 300);
    lm_system sys = {.solver = LM_SOLVER_TREE};
    lm_linear *l = lm_linear_create_for(&sys, &m.p, &m.g);
    for (int k = 0; k < 100; k++) {
        memcpy(lm_linear_values(l), m.values, sizeof(double) * (size_t)m.p.nnz);
        assert_int_equal(lm_linear_factor(l), 0);
        lm_linear_values(l)[below(m.p.nnz)] = none[k % 3];
        assert_int_equal(lm_linear_factor(l), 2);
    }
    assert_int_equal(lm_linear_full_factors(l), 0);
    lm_linear_destroy(l);
    lm_arena_free(&m.arena);
}

/* ---- depth ---- */

static void check_after(const lm_groups *g, const lm_pattern *p)
{
    int *sequence = lm_alloc(sizeof(int) * (size_t)g->n),
        *place = lm_alloc(sizeof(int) * (size_t)g->n);
    assert_int_equal(lm_block_sequence(p, g, LM_ORDER_TREE, sequence), 0);
    for (int i = 0; i < g->n; i++) place[sequence[i]] = i;
    for (int v = 0; v < g->n; v++)
        for (int k = g->after_start[v]; k < g->after_start[v + 1]; k++)
            assert_true(place[g->after[k]] < place[v]);
    lm_free(sequence);
    lm_free(place);
}

static void depth_is_logarithmic(void **state)
{
    (void)state;
    static mesh m;
    seed = 3;
    for (int n = 2; n <= MOST; n = n * 5 / 2)
        for (shape what = CHAIN; what <= LOOPED; what++) {
            if (what == LOOPED && n < 3) continue;
            lm_arena a = {0};
            lm_block_plan tree, ends, middle;
            make(&m, what, n);
            assert_int_equal(lm_block_plan_make(&m.p, &m.g, LM_ORDER_TREE, &a, &tree), 0);
            assert_int_equal(lm_block_plan_make(&m.p, &m.g, LM_ORDER_ENDS, &a, &ends), 0);
            assert_int_equal(lm_block_plan_make(&m.p, &m.g, LM_ORDER_MIDDLE, &a, &middle), 0);
            if (what != LOOPED) assert_true(tree.depth <= 2 + 2 * log2(n));
            if (what == LOOPED) assert_true(tree.depth <= 10 + 3 * log2(n)); /* loops go last */
            assert_true(tree.work < 3 * ends.work);
            assert_true(middle.work < 1.05 * ends.work);
            if (what <= BACKWARDS && n > 4) { /* from both ends, and balanced by work */
                assert_true(ends.depth == n && middle.depth <= n / 2 + 2);
                assert_true(middle.path <
                            0.55 * middle.work + lm_block_front_work(V + ROWS, V + ROWS));
            }
            check_after(&m.g, &m.p);
            lm_arena_free(&a);
            lm_arena_free(&m.arena);
        }
}

/* Nodes with many leaves each: little depth, and tasks for many threads. */
static void a_comb_makes_many_tasks(void **state)
{
    (void)state;
    static mesh m;
    lm_arena a = {0};
    lm_block_plan plan;
    seed = 4;
    memset(&m, 0, sizeof m);
    m.nodes = MOST;
    for (int n = 0; n < m.nodes; n++) m.parent[n] = n < 100 ? n - 1 : n % 100;
    make_pattern(&m);
    make_groups(&m);
    assert_int_equal(lm_block_plan_make(&m.p, &m.g, LM_ORDER_TREE, &a, &plan), 0);
    assert_true(plan.depth < 30);
    assert_true(plan.path < 0.05 * plan.work);
    assert_true(plan.factor.n > 16 && plan.factor.n < plan.nnodes / 5);
    lm_arena_free(&a);
    lm_arena_free(&m.arena);
}

/* ---- bits ---- */

static void same_bits_by_threads(void **state)
{
    (void)state;
    static const int threads[] = {2, 3, 8, 33};
    static const lm_block_order orders[] = {LM_ORDER_TREE, LM_ORDER_MIDDLE, LM_ORDER_ENDS};
    static mesh m;
    seed = 5;
    for (shape what = CHAIN; what <= LOOPED; what++)
        for (int n = 10; n <= 1000; n *= 10) {
            make(&m, what, n);
            double *side = random_side(&m.arena, 2 * m.p.n), *alone = NULL;
            for (int k = -1; k < 12; k++) {
                int no_order;
                lm_pool *pool = k < 0 ? NULL : lm_pool_create(threads[k % 4]);
                if (k >= 0 && k % 4 == 0) alone = NULL;
                for (int with = alone ? 1 : 0; with < 2; with++) {
                    lm_block_solver *b = lm_block_create(&m.p, &m.g, orders[k < 0 ? 0 : k / 4],
                                                         with ? pool : NULL, &no_order);
                    double *x = lm_arena_copy(&m.arena, side, sizeof(double) * 2 * (size_t)m.p.n);
                    assert_int_equal(lm_block_factor(b, m.values), 0);
                    lm_block_solve(b, 2, x);
                    if (!with) alone = x;
                    assert_memory_equal(x, alone, sizeof(double) * 2 * (size_t)m.p.n);
                    lm_block_destroy(b);
                }
                lm_pool_destroy(pool);
            }
            lm_arena_free(&m.arena);
        }
}

/* ---- runs ---- */

static char *run_to_csv(const char *model, const char *set, const char *analysis, int threads)
{
    char text[SCRATCH_PATH], csv[SCRATCH_PATH], h5[SCRATCH_PATH];
    limber_messages *msg = limber_messages_new();
    limber_load_options load = {.set = &set, .set_count = set != NULL};
    limber_run_options o = limber_run_options_default();
    limber_model *m;
    snprintf(text, sizeof text, "%s/%s.yaml", getenv("MODELS"), model);
    char *own = file_read(text, NULL), *at = strstr(own, "\nanalysis:"), *out = NULL;
    size_t size = strlen(own) + strlen(analysis) + 20;
    assert_non_null(at);
    out = malloc(size);
    snprintf(out, size, "%.*s\nanalysis: %s%s", (int)(at - own), own, analysis,
             strchr(at + 1, '\n'));
    if (limber_model_parse(out, strlen(out), text, &load, &m, msg)) {
        limber_messages_print(msg, stderr);
        fail_msg("%s cannot be read", model);
    }
    scratch_path(csv, "r.csv");
    scratch_path(h5, "r.h5");
    o.csv = csv, o.results = h5, o.threads = threads;
    assert_int_equal(limber_run(m, &o, NULL, msg), LIMBER_OK);
    limber_model_free(m);
    limber_messages_free(msg);
    free(own);
    free(out);
    return file_read(csv, NULL);
}

static void runs_do_not_depend_on_threads(void **state)
{
    (void)state;
    static const char *const cases[][3] = {
        {"flexible_chain", "N=40", "{type: dynamics, until: 0.02, step: 1e-3, solver: tree}"},
        {"flexible_chain", "N=40", "{type: dynamics, until: 0.01, output_step: 0.002}"},
        {"rod_chain", "N=200", "{type: dynamics, until: 0.05, step: 1e-3, solver: tree}"},
        {"rod_chain", "N=200", "{type: dynamics, until: 0.05, step: 1e-3}"},
        {"slider_crank_flexible", NULL, "{type: dynamics, until: 0.02, solver: tree}"}};
    for (int k = 0; k < 5; k++) {
        char *one = run_to_csv(cases[k][0], cases[k][1], cases[k][2], 1);
        char *four = run_to_csv(cases[k][0], cases[k][1], cases[k][2], 4);
        assert_string_equal(one, four);
        free(one);
        free(four);
    }
}

/* What the solvers give is the same motion. */
static void runs_by_every_solver(void **state)
{
    (void)state;
    static const char *const analysis[] = {
        "{type: dynamics, until: 0.1, step: 1e-3, solver: klu}",
        "{type: dynamics, until: 0.1, step: 1e-3, solver: tree}",
        "{type: dynamics, until: 0.1, step: 1e-3, solver: block}",
        "{type: dynamics, until: 0.1, step: 1e-3}"};
    table klu =
        run_model(&(run_how){.model = "flexible_chain", .set = {"N=20"}, .analysis = analysis[0]});
    for (int k = 1; k < 4; k++) {
        table r = run_model(
            &(run_how){.model = "flexible_chain", .set = {"N=20"}, .analysis = analysis[k]});
        assert_int_equal(r.sum.steps, klu.sum.steps);
        assert_under(table_distance(&r, &klu, "x"), 1e-9);
        assert_under(table_distance(&r, &klu, "y"), 1e-9);
        table_free(&r);
    }
    table_free(&klu);
}

static int set_up(void **state)
{
    (void)state;
    return scratch_make("tree_solver");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_mechanisms),
        cmocka_unit_test(matrices_of_models),
        cmocka_unit_test(what_the_tree_cannot_do),
        cmocka_unit_test(long_rigid_chains),
        cmocka_unit_test(numbers_that_are_none),
        cmocka_unit_test(depth_is_logarithmic),
        cmocka_unit_test(a_comb_makes_many_tasks),
        cmocka_unit_test(same_bits_by_threads),
        cmocka_unit_test(runs_do_not_depend_on_threads),
        cmocka_unit_test(runs_by_every_solver),
    };
    return cmocka_run_group_tests(tests, set_up, scratch_tear_down);
}
