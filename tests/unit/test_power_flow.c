/* What went through the power graph: collected, recorded, printed. */
#include "analysis/power.h"
#include "analysis/run.h"

#include "../../cli/json.c"
#include "../../cli/list.c"
#include "../../cli/show_power.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>
#include <cmocka.h>

/* A battery that gives 12 and takes 2 back; 10 go to the winding, the copper and the arm. */
static const lm_power_flow flows[] = {
    {"battery", LM_ELEMENT_SE, 2, 12, 30, 0.25},
    {"m1.copper", LM_ELEMENT_R, 3, 0, 8, 0.5},
    {"m1.a_bearing_with_a_name_of_some_length", LM_ELEMENT_R, 3.5, 0, 9, 0.5},
    {"m1.winding", LM_ELEMENT_I, 2, 1.5, -4, 0.75},
    {"m1.motor", LM_ELEMENT_GY, 7, 0.5, 20, 0.3},
    {"hinge", LM_ELEMENT_PORT, 4, 1, 15, 1},
};
enum { N = sizeof flows / sizeof *flows };

/* ---- collecting ---- */

/* A source gives what goes along its bond, an R takes it. */
static void test_add(void **state)
{
    (void)state;
    lm_power_flow source = {"battery", LM_ELEMENT_SE, 0, 0, 0, 0};
    lm_power_flow spring = {"spring", LM_ELEMENT_C, 0, 0, 0, 0};
    for (int i = 0; i < 4; i++) {
        static const double energy[] = {1, 3, -0.5, 2}, power[] = {10, 30, -50, 20};
        lm_power_flow_add(&source, energy[i], power[i], i);
        lm_power_flow_add(&spring, energy[i], power[i], i);
    }
    assert_true(source.out == 6 && source.in == 0.5);
    assert_true(spring.in == 6 && spring.out == 0.5);
    assert_true(source.largest == -50 && source.at == 2);
}

/* ---- the file ---- */

static void path_of(const char *name, char *path, size_t size)
{
    const char *folder = getenv("SCRATCH");
    snprintf(path, size, "%s/%s", folder ? folder : ".", name);
}

static void hear(void *context, const limber_power_flow *flow)
{
    const lm_power_flow *f = &flows[flow->number - 1];
    assert_string_equal(flow->name, f->name);
    assert_string_equal(flow->type, lm_element_type_name((lm_element_type)f->type));
    assert_true(flow->in == f->in && flow->out == f->out);
    assert_true(flow->largest == f->largest && flow->at == f->at);
    ++*(int *)context;
}

/* Recorded twice, as by a run that is resumed: the second time counts. */
static void make_file(const char *path)
{
    int heard = 0;
    limber_run_options opt = {.power = hear, .power_context = &heard};
    limber_summary sum = {0};
    lm_run run = {.opt = &opt, .sum = &sum, .tables = {.group = "/dynamics"}};
    assert_int_equal(lm_h5_open(path, LM_H5_CREATE, &run.file, NULL, 0), 0);
    assert_int_equal(lm_record_power(&run, N - 2, flows), LIMBER_OK);
    assert_int_equal(lm_h5_close(run.file), 0);
    assert_int_equal(lm_h5_open(path, LM_H5_UPDATE, &run.file, NULL, 0), 0);
    assert_int_equal(lm_record_power(&run, N, flows), LIMBER_OK);
    assert_int_equal(heard, 2 * N - 2);
    assert_int_equal(lm_h5_close(run.file), 0);
}

static void test_record(void **state)
{
    (void)state;
    char path[400], **columns = NULL, *names = NULL;
    double rows[N][5];
    long n;
    int cols;
    lm_h5 *f = NULL;
    path_of("power.h5", path, sizeof path);
    make_file(path);
    assert_int_equal(lm_h5_open(path, LM_H5_READ, &f, NULL, 0), 0);
    assert_int_equal(lm_h5_table_info(f, "/dynamics/power", &n, &cols, &columns), 0);
    assert_true(n == N && cols == 5);
    assert_string_equal(columns[1], "in");
    assert_int_equal(lm_h5_read_rows(f, "/dynamics/power", 0, n, rows[0]), 0);
    for (int i = 0; i < N; i++) {
        assert_true(rows[i][0] == i + 1 && rows[i][1] == flows[i].in && rows[i][2] == flows[i].out);
        assert_true(rows[i][3] == flows[i].largest && rows[i][4] == flows[i].at);
    }
    assert_int_equal(lm_h5_read_text(f, "/dynamics/power_elements", &names), 0);
    assert_string_equal(names, "Se battery\nR m1.copper\n"
                               "R m1.a_bearing_with_a_name_of_some_length\nI m1.winding\n"
                               "GY m1.motor\nport hinge\n");
    lm_free(names);
    lm_free(columns);
    lm_h5_close(f);
    unlink(path);
}

/* A model without a power graph writes and says nothing. */
static void test_nothing(void **state)
{
    (void)state;
    lm_run run = {0};
    assert_int_equal(lm_record_power(&run, 0, NULL), LIMBER_OK);
}

/* ---- the program ---- */

static power_list list(void)
{
    power_list l = {0};
    for (int i = 0; i < N; i++) {
        limber_power_flow f = {.number = i + 1,
                               .in = flows[i].in,
                               .out = flows[i].out,
                               .largest = flows[i].largest,
                               .at = flows[i].at};
        snprintf(f.name, sizeof f.name, "%s", flows[i].name);
        snprintf(f.type, sizeof f.type, "%s", lm_element_type_name((lm_element_type)flows[i].type));
        power_add(&l, &f);
    }
    return l;
}

static void read_back(FILE *f, char *text, size_t size)
{
    rewind(f);
    size_t n = fread(text, 1, size - 1, f);
    text[n] = 0;
    fclose(f);
}

/* 10 are given; the R with more energy comes first; the GY passes on and is not in the table. */
static void test_show(void **state)
{
    (void)state;
    power_list l = list();
    char text[2000];
    FILE *f = tmpfile();
    show_power(f, &l);
    read_back(f, text, sizeof text);
    assert_string_equal(
        text, "power graph                                  energy    part    largest      at t\n"
              "from source  battery                             10 100.0 %         30      0.25\n"
              "dissipated   ...h_a_name_of_some_length         3.5  35.0 %          9       0.5\n"
              "             m1.copper                            3  30.0 %          8       0.5\n"
              "stored       m1.winding                         0.5   5.0 %         -4      0.75\n"
              "mechanism    hinge                                3  30.0 %         15         1\n"
              "balance      0.0e+00 of the 10 that was given\n");
    free(l.at);
}

/* An analysis starts anew; no line is longer than 80; many of a kind are counted. */
static void test_show_many(void **state)
{
    (void)state;
    power_list l = list();
    char text[4000];
    for (int i = 0; i < 30; i++) {
        limber_power_flow f = {.number = i + 1, .in = -1.23456e-100 * i, .largest = -1.234e-100};
        f.at = 1.23456e-5;
        snprintf(f.name, sizeof f.name, "gr%02d.\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4_%s", i,
                 "a_name_that_is_long");
        snprintf(f.type, sizeof f.type, "R");
        power_add(&l, &f);
    }
    assert_int_equal(l.n, 30);
    FILE *f = tmpfile();
    show_power(f, &l);
    read_back(f, text, sizeof text);
    for (const char *p = text, *end; (end = strchr(p, '\n')); p = end + 1) {
        int columns = 0;
        for (const char *c = p; c < end; c++) columns += ((unsigned char)*c & 0xc0) != 0x80;
        assert_true(columns <= 80);
    }
    assert_non_null(strstr(text, "and 18 more\n"));
    free(l.at);
}

static void test_json(void **state)
{
    (void)state;
    power_list l = list(), none = {0};
    char text[2000];
    FILE *f = tmpfile();
    show_power_json(f, &none);
    show_power_json(f, &l);
    read_back(f, text, sizeof text);
    const char *begins = ", \"power\": {\"elements\": [{\"name\": \"battery\", \"type\": \"Se\", "
                         "\"in\": 2, \"out\": 12, \"largest\": 30, \"at\": 0.25}, ";
    assert_memory_equal(text, begins, strlen(begins));
    assert_non_null(strstr(text, "\"at\": 1}], \"given\": 10, \"balance\": 0}"));
    free(l.at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_add),       cmocka_unit_test(test_record),
        cmocka_unit_test(test_nothing),   cmocka_unit_test(test_show),
        cmocka_unit_test(test_show_many), cmocka_unit_test(test_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
