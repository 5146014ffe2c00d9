#include "support/file_runs.h"

#include "base/mem.h"
#include "support/failing.h"

#include <unistd.h>

/* ---- files ---- */

void file_run_paths(char results[SCRATCH_PATH], char csv[SCRATCH_PATH])
{
    scratch_path(results, "run.h5");
    scratch_path(csv, "run.csv");
}

static int after_step(void *context, limber_step *step)
{
    const file_run *how = context;
    if (how->also) how->also(step);
    return step->number == how->last;
}

limber_status run_into_files(limber_model *model, const file_run *how, limber_summary *sum)
{
    char results[SCRATCH_PATH], csv[SCRATCH_PATH];
    file_run own = *how;
    limber_summary unused;
    limber_run_options opt = limber_run_options_default();
    limber_messages *msg = limber_messages_new();
    file_run_paths(results, csv);
    if (!how->resume) unlink(results);
    opt.results = results;
    opt.csv = csv;
    opt.resume = how->resume;
    opt.formulation = how->formulation;
    limber_model_on_step(model, after_step, &own);
    limber_status st = limber_run(model, &opt, sum ? sum : &unused, msg);
    limber_model_on_step(model, NULL, NULL);
    if (st != LIMBER_OK && st != LIMBER_STOPPED) limber_messages_print(msg, stderr);
    limber_messages_free(msg);
    return st;
}

limber_model *model_of_text(const char *text)
{
    limber_model *model = NULL;
    limber_messages *msg = limber_messages_new();
    limber_status st = limber_model_parse(text, strlen(text), "model", NULL, &model, msg);
    if (st) limber_messages_print(msg, stderr);
    assert_int_equal(st, LIMBER_OK);
    limber_messages_free(msg);
    return model;
}

void assert_resumes_to_the_bit(limber_model *model, const file_run *how, long first, long second)
{
    char results[SCRATCH_PATH], csv[SCRATCH_PATH];
    const long last[] = {0, first, second, 0}; /* the first of the four runs is the whole one */
    char *expected = NULL;
    file_run_paths(results, csv);
    for (int i = 0; i < 4; i++) {
        file_run part = *how;
        part.resume = i > 1;
        part.last = last[i];
        limber_status st = run_into_files(model, &part, NULL);
        assert_int_equal(st, last[i] ? LIMBER_STOPPED : LIMBER_OK);
        if (i == 0) expected = file_read(csv, NULL);
    }
    char *again = file_read(csv, NULL);
    assert_string_equal(again, expected);
    free(again);
    free(expected);
}

/* ---- memory ---- */

typedef struct watched {
    long step[2], allocations[2];
} watched;

static int count_allocations(void *context, limber_step *step)
{
    watched *w = context;
    for (int i = 0; i < 2; i++)
        if (step->number == w->step[i]) w->allocations[i] = lm_mem_allocs();
    return 0;
}

void assert_steps_take_no_memory(const char *text, long first, long second, limber_summary *sum)
{
    limber_model *model = model_of_text(text);
    watched w = {{first, second}, {0, -1}};
    limber_messages *msg = limber_messages_new();
    limber_model_on_step(model, count_allocations, &w);
    assert_int_equal(limber_run(model, NULL, sum, msg), LIMBER_OK);
    assert_int_equal(w.allocations[0], w.allocations[1]);
    limber_model_free(model);
    limber_messages_free(msg);
}

typedef struct attempt {
    const char *text;
    limber_status st;
} attempt;

static void read_and_run(void *context)
{
    attempt *a = context;
    limber_model *model = NULL;
    limber_messages *msg = limber_messages_new();
    a->st = LIMBER_MEMORY;
    if (!msg) return;
    a->st = limber_model_parse(a->text, strlen(a->text), "model", NULL, &model, msg);
    if (!a->st) a->st = limber_run(model, NULL, NULL, msg);
    if (a->st && a->st != LIMBER_MEMORY) limber_messages_print(msg, stderr);
    limber_model_free(model);
    limber_messages_free(msg);
}

static int went_through(void *context)
{
    limber_status st = ((attempt *)context)->st;
    assert_true(st == LIMBER_OK || st == LIMBER_MEMORY);
    return st == LIMBER_OK;
}

void assert_survives_lack_of_memory(const char *text)
{
    attempt a = {.text = text};
    for (int sticky = 0; sticky < 2; sticky++)
        assert_true(fail_in_turn(read_and_run, went_through, &a, sticky) > 20);
}
