/* Result and CSV files that cannot be finished: what stood under their names before stays. */
#include "support/failing.h"
#include "support/scratch.h"

#include <limber/limber.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char results[SCRATCH_PATH], csv[SCRATCH_PATH];

static const char pendulum[] =
    "limber: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies: {bob: {type: rigid, mass: 1, inertia: [0.1, 0.1, 0.1], position: [1, 0, 0]}}\n"
    "joints: {pivot: {type: revolute, between: [ground, bob], axis: z, at: [0, 0, 0]}}\n"
    "outputs: {angle: joint(pivot)}\n"
    "analysis: {type: dynamics, until: 2, output_step: 0.001}\n";

static int at_once(void *unused, const limber_progress *p)
{
    (void)unused, (void)p;
    return 1;
}

/* A run of a model into `results`; 1 when it warned that it replaces an interrupted one. */
static int run_text(const char *text, int interrupt, limber_status expected)
{
    limber_messages *msg = limber_messages_new();
    limber_model *model = NULL;
    limber_run_options opt = limber_run_options_default();
    int warned = 0;
    opt.results = results;
    opt.progress = interrupt ? at_once : NULL;
    assert_int_equal(limber_model_parse(text, strlen(text), "m.yaml", NULL, &model, msg),
                     LIMBER_OK);
    assert_int_equal(limber_run(model, &opt, NULL, msg), expected);
    for (int i = 0; i < limber_messages_count(msg); i++) {
        limber_message m = limber_messages_get(msg, i);
        warned += m.severity == LIMBER_WARNING && strcmp(m.file, results) == 0 &&
                  strstr(m.text, "--resume") != NULL;
    }
    limber_model_free(model);
    limber_messages_free(msg);
    return warned;
}

static void run(void) { assert_int_equal(run_text(pendulum, 0, LIMBER_OK), 0); }

/* ---- a CSV file whose rows cannot be read ---- */

/* The chunk index of a table begins with 'TREE': without it the last rows cannot be found. */
static void damage_index(void)
{
    size_t size, last = 0;
    char *bytes = file_read(results, &size);
    for (size_t i = 0; i + 4 < size; i++)
        if (memcmp(bytes + i, "TREE", 4) == 0) last = i, bytes[i] = '?';
    assert_true(last > 0);
    file_write(results, bytes, size);
    free(bytes);
}

static void a_csv_file_is_whole_or_not_there(void **state)
{
    (void)state;
    run();
    damage_index();
    for (int old = 0; old < 2; old++) {
        limber_messages *msg = limber_messages_new();
        unlink(csv);
        if (old) file_write(csv, "t,angle\n0,0\n", 12);
        assert_int_equal(limber_export_csv(results, csv, msg), LIMBER_IO);
        assert_int_equal(limber_messages_errors(msg), 1);
        assert_non_null(strstr(limber_messages_get(msg, 0).text, "r.h5"));
        assert_int_equal(scratch_count(), 1 + old);
        limber_messages_free(msg);
    }
    char *text = file_read(csv, NULL);
    assert_string_equal(text, "t,angle\n0,0\n");
    free(text);
}

typedef struct export
{
    limber_messages *msg;
    limber_status st;
}
export;

static void write_csv(void *context)
{
    export *e = context;
    e->st = limber_export_csv(results, csv, e->msg);
}

static int is_whole(void *context)
{
    export *e = context;
    char *text = file_read(csv, NULL);
    if (e->st) assert_string_equal(text, "old\n");
    if (!e->st) assert_in_range(strlen(text), 2000 * 20, 2000 * 60);
    free(text);
    assert_int_equal(scratch_count(), 2);
    limber_messages_free(e->msg);
    e->msg = limber_messages_new();
    return !e->st;
}

static void memory_runs_out_while_exporting(void **state)
{
    (void)state;
    export e = {limber_messages_new(), LIMBER_OK};
    run();
    file_write(csv, "old\n", 4);
    assert_true(fail_in_turn(write_csv, is_whole, &e, 0) > 4);
    limber_messages_free(e.msg);
}

/* ---- runs that are replaced ---- */

/* One that could have gone on is not replaced without a word; a finished one, one of another model,
 * and one that would only stop again are. */
static void an_interrupted_run_is_replaced_with_a_warning(void **state)
{
    (void)state;
    char other[1000];
    snprintf(other, sizeof other, "%s# another text\n", pendulum);
    run();
    assert_int_equal(run_text(pendulum, 1, LIMBER_INTERRUPTED), 0);
    assert_int_equal(run_text(pendulum, 1, LIMBER_INTERRUPTED), 1);
    assert_int_equal(run_text(pendulum, 0, LIMBER_OK), 1);
    assert_int_equal(run_text(pendulum, 1, LIMBER_INTERRUPTED), 0);
    assert_int_equal(run_text(other, 0, LIMBER_OK), 0);
}

static void a_stopped_run_is_replaced(void **state)
{
    (void)state;
    char text[1000];
    snprintf(text, sizeof text, "%sloads: {push: {on: bob, force: [sqrt(1 - t), 0, 0]}}\n",
             pendulum);
    assert_int_equal(run_text(text, 0, LIMBER_STOPPED), 0);
    assert_int_equal(run_text(text, 0, LIMBER_STOPPED), 0);
}

/* A file that is damaged, or not of limber, is no run. */
static void what_is_no_run_is_not_lost(void **state)
{
    (void)state;
    file_write(results, "", 0);
    run();
    assert_int_equal(run_text(pendulum, 1, LIMBER_INTERRUPTED), 0);
    size_t size;
    char *bytes = file_read(results, &size);
    file_write(results, bytes, size / 2);
    free(bytes);
    run();
}

/* ---- */

static int set_up(void **state)
{
    (void)state;
    if (scratch_make("files")) return -1;
    scratch_path(results, "r.h5");
    scratch_path(csv, "r.csv");
    return 0;
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, scratch_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_csv_file_is_whole_or_not_there),
        TEST(memory_runs_out_while_exporting),
        TEST(an_interrupted_run_is_replaced_with_a_warning),
        TEST(a_stopped_run_is_replaced),
        TEST(what_is_no_run_is_not_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
