/* A run is resumed with the matrix files that it was begun with, or not at all. */
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

static const char mechanism[] =
    "limber: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  arm: {type: superelement, mass: mass.mtx, stiffness: stiffness.mtx,\n"
    "        nodes: {a: [0, 0, 0], b: [1, 0, 0]}}\n"
    "joints:\n"
    "  pivot: {type: revolute, between: [ground, arm.a], axis: z}\n"
    "outputs: {angle: joint(pivot), tip: pos(arm.b)}\n"
    "analysis: {type: dynamics, until: 0.3, output_step: 0.01, tolerance: 1e-6}\n";

static char model_file[SCRATCH_PATH], results[SCRATCH_PATH], csv[SCRATCH_PATH], said[2000];

/* A matrix of tests/broken/parts, with `old` replaced by `new` wherever it stands; NULL: nothing. */
static void put_matrix(const char *name, const char *old, const char *new)
{
    char from[SCRATCH_PATH], to[SCRATCH_PATH];
    size_t size;
    int found = 0;
    snprintf(from, sizeof from, "%s/broken/parts/beam_%s", getenv("TESTS"), name);
    scratch_path(to, name);
    char *text = file_read(from, &size);
    for (char *at = text; old && (at = strstr(at, old)); at += strlen(old), found++) {
        assert_int_equal(strlen(old), strlen(new));
        memcpy(at, new, strlen(new));
    }
    assert_true(!old || found);
    file_write(to, text, size);
    free(text);
}

static void put_all(void)
{
    file_write(model_file, mechanism, strlen(mechanism));
    put_matrix("mass.mtx", NULL, NULL);
    put_matrix("stiffness.mtx", NULL, NULL);
}

static int stop_soon(void *calls, const limber_progress *p)
{
    (void)p;
    return ++*(int *)calls >= 1;
}

static limber_status run(int resume, int interrupt)
{
    limber_model *model = NULL;
    limber_summary sum;
    limber_run_options opt = limber_run_options_default();
    limber_messages *msg = limber_messages_new();
    int calls = 0;
    limber_status st = limber_model_load(model_file, NULL, &model, msg);
    if (!st) {
        opt.results = results;
        opt.csv = csv;
        opt.resume = resume;
        if (interrupt) opt.progress = stop_soon, opt.progress_context = &calls;
        st = limber_run(model, &opt, &sum, msg);
    }
    FILE *f = tmpfile();
    limber_messages_print(msg, f);
    rewind(f);
    said[fread(said, 1, sizeof said - 1, f)] = 0;
    fclose(f);
    limber_model_free(model);
    limber_messages_free(msg);
    return st;
}

/* ---- tests ---- */

/* Other ones, but still of a body: more inertia about its axis, more stiffness along it. */
static void other_numbers(void **state)
{
    (void)state;
    put_all();
    unlink(results);
    assert_int_equal(run(0, 1), LIMBER_INTERRUPTED);
    put_matrix("mass.mtx", "0.003333333333", "0.004333333333");
    assert_int_equal(run(1, 0), LIMBER_INPUT);
    assert_non_null(strstr(said, "cannot resume: '"));
    assert_non_null(strstr(said, "mass.mtx', a matrix file of the model, has changed since"));
    put_all();
    put_matrix("stiffness.mtx", "1000\n", "1001\n");
    assert_int_equal(run(1, 0), LIMBER_INPUT);
    assert_non_null(strstr(said, "cannot resume: '"));
    assert_non_null(strstr(said, "stiffness.mtx', a matrix file of the model, has changed since"));
    put_all();
    if (run(1, 0) != LIMBER_OK) fail_msg("%s", said);
}

/* What changed is only said in a comment. */
static void same_numbers(void **state)
{
    (void)state;
    put_all();
    unlink(results);
    assert_int_equal(run(0, 0), LIMBER_OK);
    char *expected = file_read(csv, NULL);
    unlink(results);
    assert_int_equal(run(0, 1), LIMBER_INTERRUPTED);
    put_matrix("stiffness.mtx", "a beam", "a BEAM");
    if (run(1, 0) != LIMBER_OK) fail_msg("%s", said);
    char *text = file_read(csv, NULL);
    assert_string_equal(text, expected);
    free(text);
    free(expected);
}

static int set_up(void **state)
{
    (void)state;
    if (scratch_make("resume_files")) return -1;
    scratch_path(model_file, "model.yaml");
    scratch_path(results, "out.h5");
    scratch_path(csv, "out.csv");
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_numbers),
        cmocka_unit_test(same_numbers),
    };
    return cmocka_run_group_tests(tests, set_up, scratch_tear_down);
}
