/* Every allocation fails in turn while a model is loaded, checked, run and freed: no crash, no leak,
 * a status with a reason, and no success with results that differ. */
#include "base/mem.h"

#include <limber/limber.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <suitesparse/SuiteSparse_config.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[300], model_path[300], results[330], csv[330], kept[330];

/* ---- allocations of KLU, which are SuiteSparse's ---- */

static long klu_count, klu_fail; /* the klu_fail-th from now fails; 0: none */
static int klu_sticky;

static int klu_fails(void)
{
    klu_count++;
    if (klu_fail == 0) return 0;
    if (klu_fail == 1) { /* the one, or with klu_sticky all from here on */
        if (!klu_sticky) klu_fail = 0;
        return 1;
    }
    klu_fail--;
    return 0;
}

static void *klu_malloc(size_t size) { return klu_fails() ? NULL : malloc(size); }
static void *klu_calloc(size_t n, size_t size) { return klu_fails() ? NULL : calloc(n, size); }
static void *klu_realloc(void *p, size_t size) { return klu_fails() ? NULL : realloc(p, size); }

/* ---- one pass ---- */

typedef struct outcome {
    limber_status status; /* the first that was not LIMBER_OK */
    int explained;        /* it came with a reason */
} outcome;

static void note(outcome *o, limber_status st, int explained)
{
    if (o->status || !st) return;
    o->status = st;
    o->explained = explained || st == LIMBER_MEMORY;
}

static int at_once(void *unused, const limber_progress *p)
{
    (void)unused, (void)p;
    return 1;
}

typedef enum what { RUN, INTERRUPT, RESUME } what;

static outcome pass(what w)
{
    outcome o = {LIMBER_OK, 1};
    limber_model *model = NULL;
    limber_check_info info;
    limber_summary sum = {0};
    limber_run_options opt = limber_run_options_default();
    limber_messages *msg = limber_messages_new();
    if (!msg) return (outcome){LIMBER_MEMORY, 1};
    limber_status st = limber_model_load(model_path, NULL, &model, msg);
    note(&o, st, limber_messages_errors(msg) > 0);
    if (!st) {
        note(&o, limber_check(model, &info, msg), limber_messages_errors(msg) > 0);
        opt.results = results;
        opt.csv = csv;
        opt.resume = w == RESUME;
        opt.progress = w == INTERRUPT ? at_once : NULL;
        st = limber_run(model, &opt, &sum, msg);
        note(&o, st, limber_messages_errors(msg) > 0 || sum.reason[0]);
        assert_int_equal(sum.status, st);
    }
    limber_model_free(model);
    limber_messages_free(msg);
    return o;
}

static char *content(const char *path)
{
    static char text[100000];
    FILE *in = fopen(path, "rb");
    size_t n = in ? fread(text, 1, sizeof text - 1, in) : 0;
    text[n] = 0;
    if (in) fclose(in);
    return text;
}

/* What a failed run leaves behind can be looked at, or is not there. */
static void check_leftover(long k)
{
    limber_messages *msg = limber_messages_new();
    limber_status st = access(results, F_OK) ? LIMBER_OK : limber_export_csv(results, csv, msg);
    if (st && st != LIMBER_INPUT)
        fail_msg("allocation %ld: %s", k,
                 limber_messages_count(msg) ? limber_messages_get(msg, 0).text : "no reason");
    limber_messages_free(msg);
}

static char *expected;

static void start_clean(void)
{
    unlink(results);
    unlink(csv);
}

/* A pass with a failure armed; 1 when it went through as if nothing had been. */
static int check_pass(what w, long k, long live)
{
    outcome o = pass(w);
    lm_mem_fail_after(0);
    klu_fail = 0;
    if (lm_mem_live() != live) fail_msg("allocation %ld: %ld leaked", k, lm_mem_live() - live);
    if (!o.explained) fail_msg("allocation %ld: status %d without a reason", k, (int)o.status);
    if (o.status) {
        check_leftover(k);
        return 0;
    }
    if (strcmp(content(csv), expected) != 0) fail_msg("allocation %ld: other results", k);
    return 1;
}

/* The file of an interrupted run in place of the results. */
static void start_interrupted(void)
{
    char block[4096];
    start_clean();
    FILE *from = fopen(kept, "rb"), *to = fopen(results, "wb");
    assert_non_null(from);
    assert_non_null(to);
    for (size_t n; (n = fread(block, 1, sizeof block, from)) > 0;)
        assert_int_equal(fwrite(block, 1, n, to), n);
    fclose(from);
    assert_int_equal(fclose(to), 0);
}

static void fail_each(int sticky)
{
    long live = lm_mem_live(), before = lm_mem_allocs();
    start_clean();
    assert_int_equal(pass(RUN).status, LIMBER_OK);
    long total = lm_mem_allocs() - before, unnoticed = 0;
    expected = strdup(content(csv));
    assert_true(strlen(expected) > 100);
    for (long k = 1; k <= total; k++) {
        start_clean();
        lm_mem_fail_all(sticky);
        lm_mem_fail_after(k);
        if (check_pass(RUN, k, live)) unnoticed = k;
    }
    lm_mem_fail_all(0);
    /* nothing may be so unimportant that its loss goes unnoticed */
    if (unnoticed) fail_msg("allocation %ld of %ld failed without a word", unnoticed, total);
    start_clean();
    lm_mem_fail_after(total + 1);
    assert_int_equal(check_pass(RUN, total + 1, live), 1);
    free(expected);
}

/* Whatever fails while a run is resumed: it can still be resumed, to the same results. */
static void each_fails_while_resuming(void **state)
{
    (void)state;
    long live = lm_mem_live();
    start_clean();
    assert_int_equal(pass(RUN).status, LIMBER_OK);
    expected = strdup(content(csv));
    start_clean();
    assert_int_equal(pass(INTERRUPT).status, LIMBER_INTERRUPTED);
    assert_int_equal(rename(results, kept), 0);
    start_interrupted();
    long before = lm_mem_allocs();
    assert_int_equal(check_pass(RESUME, 0, live), 1);
    long total = lm_mem_allocs() - before;
    for (long k = 1; k <= total; k++) {
        start_interrupted();
        lm_mem_fail_after(k);
        if (check_pass(RESUME, k, live)) fail_msg("allocation %ld failed without a word", k);
        outcome again = pass(RESUME);
        if (again.status != LIMBER_INPUT) /* all was done but the CSV file */
            assert_int_equal(again.status, LIMBER_OK);
        if (strcmp(content(csv), expected) != 0) fail_msg("allocation %ld: other results", k);
    }
    unlink(kept);
    free(expected);
}

static void each_fails_once(void **state)
{
    (void)state;
    fail_each(0);
}

static void each_fails_and_all_after_it(void **state)
{
    (void)state;
    fail_each(1);
}

static void each_of_the_solver_fails(void **state)
{
    (void)state;
    long live = lm_mem_live(), before = klu_count, failed = 0;
    start_clean();
    assert_int_equal(pass(RUN).status, LIMBER_OK);
    long total = klu_count - before;
    assert_true(total > 10);
    expected = strdup(content(csv));
    for (klu_sticky = 0; klu_sticky < 2; klu_sticky++)
        for (long k = 1; k <= total; k++) {
            start_clean();
            klu_fail = k;
            failed += !check_pass(RUN, k, live); /* it can do without making a block smaller */
        }
    assert_true(failed > total);
    free(expected);
}

/* ---- */

static int set_up(void **state)
{
    (void)state;
    const char *scratch = getenv("SCRATCH"), *tests = getenv("TESTS");
    SuiteSparse_config.malloc_func = klu_malloc;
    SuiteSparse_config.calloc_func = klu_calloc;
    SuiteSparse_config.realloc_func = klu_realloc;
    snprintf(folder, sizeof folder, "%s/alloc-XXXXXX", scratch ? scratch : "/tmp");
    snprintf(model_path, sizeof model_path, "%s/faults/everything.yaml", tests ? tests : "tests");
    if (!mkdtemp(folder)) return -1;
    snprintf(results, sizeof results, "%s/r.h5", folder);
    snprintf(csv, sizeof csv, "%s/r.csv", folder);
    snprintf(kept, sizeof kept, "%s/kept.h5", folder);
    return 0;
}

/* No temporary file was left. */
static int tear_down(void **state)
{
    (void)state;
    start_clean();
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_fails_once),
        cmocka_unit_test(each_fails_and_all_after_it),
        cmocka_unit_test(each_fails_while_resuming),
        cmocka_unit_test(each_of_the_solver_fails),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
