/* A run that was killed or interrupted, wherever, and resumed gives the same bits as one that was
 * not. A child process runs the model and dies; the parent resumes it. */
#include "support/mechanisms.h"
#include "support/scratch.h"

#include <limber/limber.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* A redundant four-bar with a motor, friction and sensors, after it has found its rest position. */
static const char mechanism[] =
    "limber: 1\n" FOUR_BAR_BODIES "joints:\n"
    "  pivot: {type: revolute, between: [ground, crank], axis: z, stiffness: 40, damping: 0.2,\n"
    "          effort: 'pwl(t, 0, 0, 1, 15, 3, -15, 4, 0) + 3*sin(2*t)'}\n"
    "  pin1: {type: revolute, between: [crank.tip, coupler], axis: z, friction: 0.1}\n"
    "  pin2: {type: revolute, between: [coupler.tip, rocker], axis: z}\n"
    "  foot: {type: revolute, between: [ground, rocker.foot], axis: z}\n"
    "outputs: {x: pos(coupler).x, a: acc(rocker).y, angle: joint(pivot), pull: norm(force(pin2)),\n"
    "          energy: energy.total, power: power.external}\n"
    "analysis: [{type: statics}, {type: dynamics, output_step: 0.01, %s}]\n";

static const char *const methods[] = {
    "until: 12, tolerance: 2e-6",
    "until: 20, step: 7e-4, method: newmark",
    "until: 20, tolerance: 1e-5, method: explicit",
    "until: 60, tolerance: 1e-8, method: bdf",
};
enum { METHODS = sizeof methods / sizeof methods[0] };

static char results[SCRATCH_PATH], csv[SCRATCH_PATH];

/* One run, or its resumption. */
static limber_status run(const char *method, int resume,
                         int (*progress)(void *, const limber_progress *), void *context)
{
    char text[4000];
    limber_model *model = NULL;
    limber_summary sum;
    limber_run_options opt = limber_run_options_default();
    limber_messages *msg = limber_messages_new();
    int n = snprintf(text, sizeof text, mechanism, method);
    limber_status st = limber_model_parse(text, (size_t)n, "model.yaml", NULL, &model, msg);
    if (!st) {
        opt.results = results;
        opt.csv = csv;
        opt.resume = resume;
        opt.progress = progress;
        opt.progress_context = context;
        st = limber_run(model, &opt, &sum, msg);
        if (st && st != LIMBER_INTERRUPTED) fprintf(stderr, "%s\n", sum.reason);
    }
    limber_messages_print(msg, stderr);
    limber_model_free(model);
    limber_messages_free(msg);
    return st;
}

static char *uninterrupted(const char *method)
{
    unlink(results);
    assert_int_equal(run(method, 0, NULL, NULL), LIMBER_OK);
    char *text = file_read(csv, NULL);
    assert_true(strlen(text) > 10000);
    return text;
}

static void check_same(const char *expected)
{
    char *text = file_read(csv, NULL);
    if (strcmp(text, expected) != 0) {
        size_t i = 0;
        while (text[i] == expected[i]) i++;
        while (i > 0 && expected[i - 1] != '\n') i--;
        fail_msg("from '%.60s' on", expected + i);
    }
    free(text);
}

/* ---- interrupted again and again ---- */

/* The first call comes with the first step; the second one a tenth of a second later. */
static int second_call(void *calls, const limber_progress *p)
{
    (void)p;
    return ++*(int *)calls % 2 == 0;
}

static void interrupted_and_resumed(void **state)
{
    (void)state;
    for (int i = 0; i < METHODS; i++) {
        int calls = 0, segments = 1;
        char *expected = uninterrupted(methods[i]);
        unlink(results);
        limber_status st = run(methods[i], 0, second_call, &calls);
        for (; st == LIMBER_INTERRUPTED; segments++)
            st = run(methods[i], 1, segments < 4 ? second_call : NULL, &calls);
        assert_int_equal(st, LIMBER_OK);
        check_same(expected);
        free(expected);
    }
}

/* ---- killed ---- */

typedef struct death {
    int calls, last; /* progress calls so far, and the deadly one */
} death;

/* The second call comes a tenth of a second after the start; waiting makes the run write a
 * checkpoint with the next one. */
static int die(void *context, const limber_progress *p)
{
    death *d = context;
    (void)p;
    if (d->calls == d->last) raise(SIGKILL);
    if (d->calls++ == 1) usleep(1010000);
    return 0;
}

static int killed_child(const char *method, death *d, int milliseconds)
{
    int status;
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct itimerval timer = {.it_value = {milliseconds / 1000, milliseconds % 1000 * 1000}};
        if (milliseconds) setitimer(ITIMER_REAL, &timer, NULL); /* SIGALRM kills */
        _exit(run(method, 0, d ? die : NULL, d) == LIMBER_OK ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? WTERMSIG(status) : -WEXITSTATUS(status);
}

static void killed_after_a_checkpoint(void **state)
{
    (void)state;
    for (int i = 0; i < METHODS; i++) {
        char *expected = uninterrupted(methods[i]);
        death d = {.last = 3};
        unlink(results);
        unlink(csv);
        int end = killed_child(methods[i], &d, 0);
        assert_true(end == SIGKILL || end == 0); /* 0: a fast machine */
        if (end) assert_int_equal(run(methods[i], 1, NULL, NULL), LIMBER_OK);
        check_same(expected);
        free(expected);
    }
}

/* Anywhere, also in the start; then the run may have to begin anew, or be finished already. */
static void killed_at_any_time(void **state)
{
    (void)state;
    static const char method[] = "until: 4, tolerance: 5e-6";
    char *expected = uninterrupted(method);
    int resumed = 0;
    for (int ms = 2; ms < 200; ms += ms < 20 ? 3 : 30) {
        unlink(results);
        unlink(csv);
        int end = killed_child(method, NULL, ms);
        assert_true(end == SIGALRM || end == 0);
        if (end == SIGALRM && access(results, F_OK) == 0) {
            limber_status st = run(method, 1, NULL, NULL);
            if (st == LIMBER_INPUT) st = run(method, 0, NULL, NULL); /* nothing in it yet, or all */
            assert_int_equal(st, LIMBER_OK);
            resumed++;
        } else if (end == SIGALRM)
            continue;
        check_same(expected);
    }
    assert_true(resumed > 0);
    free(expected);
}

/* ---- */

static int set_up(void **state)
{
    (void)state;
    if (scratch_make("resume")) return -1;
    scratch_path(results, "r.h5");
    scratch_path(csv, "r.csv");
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interrupted_and_resumed),
        cmocka_unit_test(killed_after_a_checkpoint),
        cmocka_unit_test(killed_at_any_time),
    };
    return cmocka_run_group_tests(tests, set_up, scratch_tear_down);
}
