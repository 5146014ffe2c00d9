/* Drawings of bond graphs: everything is there, nothing lies on anything else, the same graph gives the
 * same bytes, and missing memory is told. What the report has of the power graph. */
#include "view/bond_graph.h"
#include "view/report_int.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "test_bond_graph_env.h"

/* ---- what overlaps ---- */

typedef struct box {
    double x[2], y[2];
} box;

/* Strokes have a width, across their length. */
static box box_of(const lm_graph_shape *s)
{
    box b = {{1e300, -1e300}, {1e300, -1e300}};
    int stroke = s->kind == LM_GRAPH_STROKE;
    double across = stroke && fabs(s->p[0].x - s->p[1].x) < 0.1 ? 1.3 : 0;
    double along = stroke && !(across > 0) ? 1.3 : 0;
    for (int i = 0; i < s->n; i++) {
        b.x[0] = fmin(b.x[0], s->p[i].x - across);
        b.x[1] = fmax(b.x[1], s->p[i].x + across);
        b.y[0] = fmin(b.y[0], s->p[i].y - along);
        b.y[1] = fmax(b.y[1], s->p[i].y + along);
    }
    return b;
}

static int meet(box a, box b)
{
    return a.x[0] < b.x[1] && b.x[0] < a.x[1] && a.y[0] < b.y[1] && b.y[0] < a.y[1];
}

/* A straight line through a box: cut it down to the part inside. */
static int crosses(lm_graph_point p, lm_graph_point q, box b)
{
    double from = 0, to = 1;
    const double start[2] = {p.x, p.y}, way[2] = {q.x - p.x, q.y - p.y};
    const double low[2] = {b.x[0], b.y[0]}, high[2] = {b.x[1], b.y[1]};
    for (int k = 0; k < 2; k++) {
        if (fabs(way[k]) < 1e-9 && (start[k] <= low[k] || start[k] >= high[k])) return 0;
        if (fabs(way[k]) < 1e-9) continue;
        double a = (low[k] - start[k]) / way[k], c = (high[k] - start[k]) / way[k];
        from = fmax(from, fmin(a, c));
        to = fmin(to, fmax(a, c));
    }
    return from < to;
}

static int hits(const lm_graph_shape *line, box b)
{
    for (int i = 0; i + 1 < line->n; i++)
        if (crosses(line->p[i], line->p[i + 1], b)) return 1;
    return 0;
}

/* A text may lie on its own node and on the boxes of groups, nothing else on anything else. Lines of
 * bonds may cross each other. */
static int may(const lm_graph_shape *a, const lm_graph_shape *b)
{
    if (a->kind == LM_GRAPH_GROUP || b->kind == LM_GRAPH_GROUP) return 1;
    int text = a->kind == LM_GRAPH_TEXT || b->kind == LM_GRAPH_TEXT;
    int node = a->kind == LM_GRAPH_NODE || b->kind == LM_GRAPH_NODE;
    if (text && node && a->of == b->of) return 1;
    int line = a->kind == LM_GRAPH_BOND || b->kind == LM_GRAPH_BOND;
    return line && !text && !node; /* bonds with bonds; ends with other bonds: looked at below */
}

/* Arrows and strokes of one bond belong together; other bonds do not cross them. */
static int is_end(const lm_graph_shape *s)
{
    return s->kind == LM_GRAPH_ARROW || s->kind == LM_GRAPH_STROKE;
}

static void check_pair(const lm_graph_shape *a, const lm_graph_shape *b)
{
    int lines = a->kind == LM_GRAPH_BOND || b->kind == LM_GRAPH_BOND;
    if (is_end(a) && is_end(b) && a->of == b->of) return;
    if (lines && (is_end(a) || is_end(b)) && a->of != b->of) {
        const lm_graph_shape *line = a->kind == LM_GRAPH_BOND ? a : b, *end = line == a ? b : a;
        assert_false(hits(line, box_of(end)));
    }
    if (may(a, b)) return;
    int bad = a->kind == LM_GRAPH_BOND   ? hits(a, box_of(b))
              : b->kind == LM_GRAPH_BOND ? hits(b, box_of(a))
                                         : meet(box_of(a), box_of(b));
    if (bad)
        fail_msg("kind %d of %d (%s) lies on kind %d of %d (%s)", (int)a->kind, a->of,
                 a->text ? a->text : "", (int)b->kind, b->of, b->text ? b->text : "");
}

static void check_overlaps(const lm_bond_graph *d)
{
    for (int i = 0; i < d->shapes.n; i++) {
        box b = box_of(&d->shapes.at[i]);
        assert_true(b.x[0] >= 0 && b.y[0] >= 0 && b.x[1] <= d->width && b.y[1] <= d->height);
        for (int k = i + 1; k < d->shapes.n; k++) check_pair(&d->shapes.at[i], &d->shapes.at[k]);
    }
}

/* ---- what is there ---- */

static double distance(lm_graph_point p, box b)
{
    double x = fmax(fmax(b.x[0] - p.x, p.x - b.x[1]), 0);
    double y = fmax(fmax(b.y[0] - p.y, p.y - b.y[1]), 0);
    return hypot(x, y);
}

static const lm_graph_shape *shape(const lm_bond_graph *d, lm_graph_kind kind, int of)
{
    for (int i = 0; i < d->shapes.n; i++)
        if (d->shapes.at[i].kind == kind && d->shapes.at[i].of == of) return &d->shapes.at[i];
    return NULL;
}

/* Every element once; every bond from its first element to its second, with the arrow at the second and
 * the stroke where it belongs. */
static void check_complete(const graph *g, const lm_bond_graph *d)
{
    int nodes = 0;
    for (int i = 0; i < d->shapes.n; i++) nodes += d->shapes.at[i].kind == LM_GRAPH_NODE;
    assert_int_equal(nodes, g->spec.elements.n);
    for (int k = 0; k < g->spec.bonds.n; k++) {
        const lm_spec_bond *b = &g->spec.bonds.at[k];
        const lm_graph_shape *line = shape(d, LM_GRAPH_BOND, k), *arrow, *stroke;
        arrow = shape(d, LM_GRAPH_ARROW, k);
        stroke = shape(d, LM_GRAPH_STROKE, k);
        assert_true(line && arrow && stroke);
        box from = box_of(shape(d, LM_GRAPH_NODE, b->from));
        box to = box_of(shape(d, LM_GRAPH_NODE, b->to));
        lm_graph_point middle = {0.5 * (stroke->p[0].x + stroke->p[1].x),
                                 0.5 * (stroke->p[0].y + stroke->p[1].y)};
        assert_true(fabs(distance(line->p[0], from) - 3) < 0.1);
        assert_true(fabs(distance(line->p[line->n - 1], to) - 3) < 0.1);
        assert_true(distance(arrow->p[0], to) < 3.1);
        assert_true(distance(middle, b->stroke ? to : from) < 3.1);
    }
}

/* Elements are inside of the boxes of their groups: as many boxes as prefixes. */
static int groups_around(const lm_bond_graph *d, int node)
{
    box b = box_of(shape(d, LM_GRAPH_NODE, node));
    int n = 0;
    for (int i = 0; i < d->shapes.n; i++) {
        if (d->shapes.at[i].kind != LM_GRAPH_GROUP) continue;
        box g = box_of(&d->shapes.at[i]);
        int inside = g.x[0] < b.x[0] && b.x[1] < g.x[1] && g.y[0] < b.y[0] && b.y[1] < g.y[1];
        assert_int_equal(inside, meet(g, b)); /* in it or away from it */
        n += inside;
    }
    return n;
}

static void check_groups(const graph *g, const lm_bond_graph *d)
{
    for (int i = 0; i < g->spec.elements.n; i++) {
        int dots = 0;
        for (const char *p = g->spec.elements.at[i].item.name; *p; p++) dots += *p == '.';
        assert_int_equal(groups_around(d, i), dots);
    }
}

static int crossed(const lm_bond_graph *d)
{
    int n = 0;
    for (int i = 0; i < d->shapes.n; i++)
        for (int k = i + 1; k < d->shapes.n; k++) {
            const lm_graph_shape *a = &d->shapes.at[i], *b = &d->shapes.at[k];
            if (a->kind != LM_GRAPH_BOND || b->kind != LM_GRAPH_BOND) continue;
            for (int p = 0; p + 1 < a->n; p++)
                for (int q = 0; q + 1 < b->n; q++) {
                    lm_graph_point s = a->p[p], t = a->p[p + 1], u = b->p[q], v = b->p[q + 1];
                    double w = (t.x - s.x) * (v.y - u.y) - (t.y - s.y) * (v.x - u.x);
                    double x = ((u.x - s.x) * (v.y - u.y) - (u.y - s.y) * (v.x - u.x)) / w;
                    double y = ((u.x - s.x) * (t.y - s.y) - (u.y - s.y) * (t.x - s.x)) / w;
                    n += fabs(w) > 1e-9 && x > 0 && x < 1 && y > 0 && y < 1;
                }
        }
    return n;
}

/* For the eye: $DRAW names a folder. */
static void keep(const char *name, const char *svg)
{
    const char *folder = getenv("DRAW");
    char path[400];
    if (!folder) return;
    snprintf(path, sizeof path, "%s/%s.svg", folder, name);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs(svg, out);
    fclose(out);
}

static int check(graph *g, const char *name)
{
    lm_bond_graph d;
    assert_int_equal(lm_bond_graph_make(&d, &g->spec), 0);
    check_complete(g, &d);
    check_groups(g, &d);
    char *svg = lm_bond_graph_svg(&d);
    assert_non_null(svg);
    keep(name, svg);
    check_overlaps(&d);
    int n = crossed(&d);
    lm_free(svg);
    lm_bond_graph_free(&d);
    lm_arena_free(&g->arena);
    return n;
}

/* ---- tests ---- */

static void test_drive(void **state)
{
    (void)state;
    graph g = drive();
    assert_int_equal(check(&g, "drive"), 0);
}

static void test_robot(void **state)
{
    (void)state;
    graph g = robot();
    assert_int_equal(check(&g, "robot"), 0);
}

/* A zigzag a1 b1 a2 b2 ... between two layers, listed so that its first order has crossings. */
static void test_zigzag(void **state)
{
    (void)state;
    graph g = {0};
    int a[6], b[7];
    for (int i = 0; i < 7; i++) {
        const char *digit = lm_arena_printf(&g.arena, "%d", i);
        if (i < 6) a[i] = element(&g, LM_ELEMENT_ONE, named(&g, "a", digit), LM_DOMAIN_NONE);
        b[i] = element(&g, LM_ELEMENT_ZERO, named(&g, "b", digit), LM_DOMAIN_NONE);
    }
    for (int i = 0; i < 6; i++) bond(&g, a[i], b[i + 1], 1);
    for (int i = 0; i < 6; i++) bond(&g, a[i], b[i], 1);
    finish(&g);
    assert_int_equal(check(&g, "zigzag"), 0);
}

/* Supply and tank each lead to both chambers, and both chambers to the rod: not without crossings. */
static void test_cylinder(void **state)
{
    (void)state;
    graph g = cylinder();
    assert_true(check(&g, "cylinder") <= 3);
}

static void test_random(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= 40; seed++) {
        char name[40];
        graph g = random_graph(seed, 6 + (int)seed * 5);
        snprintf(name, sizeof name, "random%u", seed);
        check(&g, name);
    }
}

static void test_many_one_ports(void **state)
{
    (void)state;
    graph g = {0};
    int bus = element(&g, LM_ELEMENT_ZERO, "bus", LM_DOMAIN_ELECTRIC);
    for (int i = 0; i < 15; i++)
        on(&g, bus, i % 2 ? LM_ELEMENT_R : LM_ELEMENT_SF,
           lm_arena_printf(&g.arena, "consumer_with_a_long_name_%d", i), i % 2);
    finish(&g);
    assert_int_equal(check(&g, "many"), 0);
}

static void test_none(void **state)
{
    (void)state;
    lm_spec spec = {0};
    lm_bond_graph d;
    assert_int_equal(lm_bond_graph_make(&d, &spec), 1);
    lm_bond_graph_free(&d);
}

/* Names that look like markup; the same text twice. */
static void test_text(void **state)
{
    (void)state;
    graph g = {0};
    lm_bond_graph d[2];
    char *svg[2];
    int a = element(&g, LM_ELEMENT_ONE, "<b>&\"", LM_DOMAIN_THERMAL);
    on(&g, a, LM_ELEMENT_R, "W\xc3\xa4rme", 0);
    finish(&g);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(lm_bond_graph_make(&d[i], &g.spec), 0);
        svg[i] = lm_bond_graph_svg(&d[i]);
    }
    assert_string_equal(svg[0], svg[1]);
    assert_null(strstr(svg[0], "<b>"));
    assert_non_null(strstr(svg[0], ">&#60;b&#62;&#38;&#34;</text>"));
    assert_non_null(strstr(svg[0], "W\xc3\xa4rme"));
    assert_non_null(strstr(svg[0], "thermal"));
    for (int i = 0; i < 2; i++) {
        lm_free(svg[i]);
        lm_bond_graph_free(&d[i]);
    }
    lm_arena_free(&g.arena);
}

/* Every allocation fails once. */
static void test_memory(void **state)
{
    (void)state;
    graph g = robot();
    long live = lm_mem_live();
    int failed = 0;
    for (long k = 1;; k++) {
        lm_bond_graph d;
        char *svg = NULL;
        lm_mem_fail_after(k);
        int rc = lm_bond_graph_make(&d, &g.spec);
        if (!rc) svg = lm_bond_graph_svg(&d);
        lm_mem_fail_after(0);
        assert_true(rc == 0 || rc == 2);
        lm_free(svg);
        lm_bond_graph_free(&d);
        assert_int_equal(lm_mem_live(), live);
        if (svg) break;
        failed++;
    }
    assert_true(failed > 3);
    lm_arena_free(&g.arena);
}

/* ---- the report ---- */

/* A file with the energies of two elements in a run from 0.5 to 2.5. */
static lm_h5 *energies(const char *path)
{
    static const char *const t[] = {"t"}, *const columns[] = {"element", "in", "out", "largest",
                                                              "at"};
    static const double rows[2][5] = {{1, 2, 12, 30, 0.25}, {2, 4, 1, 15, 1}};
    lm_h5 *f = NULL;
    assert_int_equal(lm_h5_open(path, LM_H5_CREATE, &f, NULL, 0), 0);
    int results = lm_h5_table(f, "/dynamics/results", 1, t, 8);
    int power = lm_h5_table(f, "/dynamics/power", 5, columns, 8);
    for (int i = 0; i < 3; i++) assert_int_equal(lm_h5_append(f, results, (double[]){0.5 + i}), 0);
    for (int i = 0; i < 2; i++) assert_int_equal(lm_h5_append(f, power, rows[i]), 0);
    assert_int_equal(lm_h5_write_text(f, "/dynamics/power_elements", "Se battery\nport m1.hinge\n"),
                     0);
    assert_int_equal(lm_h5_close(f), 0);
    assert_int_equal(lm_h5_open(path, LM_H5_READ, &f, NULL, 0), 0);
    return f;
}

static void test_report_power(void **state)
{
    (void)state;
    const char *folder = getenv("SCRATCH");
    char path[400];
    snprintf(path, sizeof path, "%s/power_report.h5", folder ? folder : ".");
    lm_result file = {.file = energies(path)};
    lm_result_analysis a = {.group = "/dynamics"};
    lm_json j = {0};
    lm_report_part p = {.j = &j, .file = &file, .a = &a};
    const char *wanted = "\"power\":{\"duration\":2,\"elements\":["
                         "{\"type\":\"Se\",\"name\":\"battery\",\"in\":2,\"out\":12,"
                         "\"largest\":30,\"at\":0.25},{\"type\":\"port\",\"name\":\"m1.hinge\","
                         "\"in\":4,\"out\":1,\"largest\":15,\"at\":1}]}";
    assert_int_equal(lm_report_power(&p), 0);
    assert_int_equal(j.used, strlen(wanted));
    assert_memory_equal(j.text, wanted, j.used);
    a.group = "/statics"; /* where there is none */
    j.used = 0;
    assert_int_equal(lm_report_power(&p), 0);
    assert_int_equal(j.used, strlen("\"power\":null"));
    assert_memory_equal(j.text, "\"power\":null", j.used);
    lm_json_free(&j);
    lm_h5_close(file.file);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_drive),          cmocka_unit_test(test_robot),
        cmocka_unit_test(test_cylinder),       cmocka_unit_test(test_random),
        cmocka_unit_test(test_many_one_ports), cmocka_unit_test(test_none),
        cmocka_unit_test(test_text),           cmocka_unit_test(test_memory),
        cmocka_unit_test(test_report_power),   cmocka_unit_test(test_zigzag),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
