/* Reports and VTK files of what is damaged, foreign, or cannot be written; memory that runs out. */
#include "base/mem.h"
#include "support/failing.h"
#include "support/run_model.h"
#include "support/scratch.h"

#include <hdf5.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char results[SCRATCH_PATH], html[SCRATCH_PATH], page[SCRATCH_PATH], folder[SCRATCH_PATH];

static const char model_text[] =
    "limber: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "materials: {steel: {E: 2.1e10, nu: 0.3, rho: 7800}}\n"
    "sections: {bar: {material: steel, shape: tube, radius: 0.02, thickness: 0.004}}\n"
    "bodies:\n"
    "  arm: {type: beam, section: bar, from: [0, 0, 0], to: [1, 0, 0], elements: 2}\n"
    "  bob: {type: rigid, mass: 1, inertia: [0.1, 0.1, 0.1], position: [1, 0, 0]}\n"
    "joints:\n"
    "  hinge: {type: revolute, between: [ground, arm.start], axis: z}\n"
    "  weld: {type: fixed, between: [arm.end, bob]}\n"
    "loads: {push: {on: bob, force: [0, \"sin(t)\", 0]}}\n"
    "analysis:\n"
    "  - {type: statics}\n"
    "  - {type: modes, count: 2}\n"
    "  - {type: dynamics, until: 0.1, output_step: 0.01}\n"
    "outputs: {angle: joint(hinge)}\n";

static void run_one(void)
{
    limber_messages *msg = limber_messages_new();
    limber_model *model = NULL;
    limber_run_options opt = limber_run_options_default();
    opt.results = results;
    assert_int_equal(
        limber_model_parse(model_text, strlen(model_text), "m.yaml", NULL, &model, msg), LIMBER_OK);
    assert_int_equal(limber_run(model, &opt, NULL, msg), LIMBER_OK);
    limber_model_free(model);
    limber_messages_free(msg);
}

static limber_status report_of(const char *file, limber_messages *msg)
{
    return limber_report(&file, 1, html, NULL, msg);
}

/* A report that fails, with one message that says this; no file is left. */
static void refuse(const char *file, limber_status expected, const char *says)
{
    limber_messages *msg = limber_messages_new();
    unlink(html);
    assert_int_equal(report_of(file, msg), expected);
    assert_int_equal(limber_messages_errors(msg), 1);
    if (!strstr(limber_messages_get(msg, 0).text, says))
        fail_msg("'%s' is not in: %s", says, limber_messages_get(msg, 0).text);
    assert_int_not_equal(access(html, F_OK), 0);
    limber_messages_free(msg);
}

/* ---- what is no result file ---- */

static void cut_files_are_refused_or_shown(void **state)
{
    (void)state;
    char cut[SCRATCH_PATH];
    size_t size;
    int shown = 0;
    run_one();
    scratch_path(cut, "cut.h5");
    char *bytes = file_read(results, &size);
    for (size_t k = 0; k <= 50; k++) {
        limber_messages *msg = limber_messages_new();
        unlink(html);
        file_write(cut, bytes, size * k / 50);
        limber_status st = report_of(cut, msg);
        if (st) {
            assert_int_equal(st, LIMBER_INPUT);
            assert_int_equal(limber_messages_errors(msg), 1);
            assert_non_null(strstr(limber_messages_get(msg, 0).text, "cut.h5"));
            assert_int_not_equal(access(html, F_OK), 0);
        }
        shown += st == LIMBER_OK;
        assert_int_equal(limber_export_vtk(cut, folder, NULL, msg), st);
        limber_messages_free(msg);
    }
    assert_int_equal(shown, 1); /* the whole one */
    free(bytes);
    unlink(cut);
}

/* Bytes changed here and there: a message or a report, never a crash. */
static void damaged_files_do_no_harm(void **state)
{
    (void)state;
    char damaged[SCRATCH_PATH];
    size_t size;
    uint32_t seed = 12345;
    run_one();
    scratch_path(damaged, "damaged.h5");
    char *bytes = file_read(results, &size);
    for (int k = 0; k < 150; k++) {
        limber_messages *msg = limber_messages_new();
        char *copy = malloc(size);
        memcpy(copy, bytes, size);
        for (int i = 0; i < 8; i++) {
            seed = seed * 1664525 + 1013904223;
            copy[(seed >> 3) % size] = (char)(seed >> 24);
        }
        file_write(damaged, copy, size);
        limber_status st = report_of(damaged, msg);
        assert_true(st == LIMBER_OK || st == LIMBER_INPUT || st == LIMBER_MEMORY);
        limber_export_vtk(damaged, folder, NULL, msg);
        free(copy);
        limber_messages_free(msg);
    }
    free(bytes);
    unlink(damaged);
}

static void foreign_files_are_refused(void **state)
{
    (void)state;
    char other[SCRATCH_PATH];
    scratch_path(other, "other.h5");
    refuse(other, LIMBER_INPUT, "No such file");
    file_write(other, "not at all", 10);
    refuse(other, LIMBER_INPUT, "is not an HDF5 file");
    unlink(other);
    H5Fclose(H5Fcreate(other, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    refuse(other, LIMBER_INPUT, "holds no results of limber; 'limber run MODEL' makes such files");
    unlink(other);
}

/* ---- files of before the forces were recorded ---- */

static int at_once(void *unused, const limber_progress *p)
{
    (void)unused;
    return p->t > 0.05;
}

static limber_status run_dynamics(int resume, int interrupt)
{
    limber_messages *msg = limber_messages_new();
    limber_model *model = NULL;
    limber_run_options opt = limber_run_options_default();
    opt.results = results;
    opt.analysis = "dynamics";
    opt.until = 40;
    opt.resume = resume;
    opt.progress = interrupt ? at_once : NULL;
    assert_int_equal(
        limber_model_parse(model_text, strlen(model_text), "m.yaml", NULL, &model, msg), LIMBER_OK);
    limber_status st = limber_run(model, &opt, NULL, msg);
    limber_model_free(model);
    limber_messages_free(msg);
    return st;
}

static void forget_forces(void)
{
    static const char *const names[] = {"joint_forces", "joint_forces_columns", "load_forces",
                                        "load_forces_columns"};
    hid_t file = H5Fopen(results, H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t group = H5Gopen2(file, "/dynamics", H5P_DEFAULT);
    for (int i = 0; i < 4; i++) assert_true(H5Ldelete(group, names[i], H5P_DEFAULT) >= 0);
    H5Gclose(group);
    H5Fclose(file);
}

/* They are resumed without forces, and reported without. */
static void older_files_stay_useful(void **state)
{
    (void)state;
    limber_messages *msg = limber_messages_new();
    assert_int_equal(run_dynamics(0, 1), LIMBER_INTERRUPTED);
    forget_forces();
    assert_int_equal(run_dynamics(1, 0), LIMBER_OK);
    assert_int_equal(report_of(results, msg), LIMBER_OK);
    char *text = file_read(html, NULL);
    assert_non_null(strstr(text, "\"joint_forces\":null"));
    assert_non_null(strstr(text, "\"poses\":{"));
    free(text);
    limber_messages_free(msg);
}

/* ---- what cannot be written ---- */

static void the_report_does_not_replace_what_it_is_made_of(void **state)
{
    (void)state;
    const char *file = results;
    limber_messages *msg = limber_messages_new();
    run_one();
    assert_int_equal(limber_report(&file, 1, results, NULL, msg), LIMBER_IO);
    assert_non_null(strstr(limber_messages_get(msg, 0).text, "give the report another name"));
    assert_int_equal(limber_report(&file, 1, "/nowhere/at/all.html", NULL, msg), LIMBER_IO);
    assert_non_null(strstr(limber_messages_get(msg, 1).text, "No such file or directory"));
    limber_messages_free(msg);
}

static void a_full_disk_leaves_the_old_report(void **state)
{
    (void)state;
    struct rlimit old, small = {200, 200};
    limber_messages *msg = limber_messages_new();
    run_one();
    file_write(html, "old", 3);
    int files = scratch_count();
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &old);
    small.rlim_max = old.rlim_max;
    setrlimit(RLIMIT_FSIZE, &small);
    limber_status st = report_of(results, msg), vtk = limber_export_vtk(results, folder, NULL, msg);
    setrlimit(RLIMIT_FSIZE, &old);
    assert_int_equal(st, LIMBER_IO);
    assert_int_equal(vtk, LIMBER_IO);
    assert_non_null(strstr(limber_messages_get(msg, 0).text, "File too large"));
    char *text = file_read(html, NULL);
    assert_string_equal(text, "old");
    assert_int_equal(scratch_count(), files);
    free(text);
    limber_messages_free(msg);
}

static void a_page_without_its_mark_is_refused(void **state)
{
    (void)state;
    char other[SCRATCH_PATH];
    run_one();
    scratch_path(other, "other.html");
    file_write(other, "<html></html>", 13);
    setenv("LIMBER_VIEWER", other, 1);
    refuse(results, LIMBER_INPUT, "has no line <!--limber:data-->");
    unlink(other);
    refuse(results, LIMBER_INPUT, "LIMBER_VIEWER");
    setenv("LIMBER_VIEWER", page, 1);
}

/* ---- memory ---- */

typedef struct attempt {
    limber_messages *msg;
    limber_status st;
    int vtk;
} attempt;

static void act(void *context)
{
    attempt *a = context;
    const char *const two[] = {results, results}; /* the second is compared with the first */
    a->st = a->vtk ? limber_export_vtk(results, folder, NULL, a->msg)
                   : limber_report(two, 2, html, NULL, a->msg);
}

static int went_through(void *context)
{
    attempt *a = context;
    if (a->st && !a->vtk) assert_int_not_equal(access(html, F_OK), 0);
    limber_messages_free(a->msg);
    a->msg = limber_messages_new();
    unlink(html);
    return !a->st;
}

static void memory_runs_out(void **state)
{
    (void)state;
    run_one();
    unlink(html);
    for (int vtk = 0; vtk < 2; vtk++)
        for (int sticky = 0; sticky < 2; sticky++) {
            attempt a = {limber_messages_new(), LIMBER_OK, vtk};
            assert_true(fail_in_turn(act, went_through, &a, sticky) > 50);
            limber_messages_free(a.msg);
        }
}

static int set_up(void **state)
{
    static const char text[] = "<p>before</p>\n<!--limber:data-->\n<p>after</p>\n";
    (void)state;
    if (scratch_make("view_faults")) return -1;
    scratch_path(results, "r.h5");
    scratch_path(html, "r.html");
    scratch_path(page, "page.html");
    scratch_path(folder, "vtk");
    file_write(page, text, strlen(text));
    return mkdir(folder, 0777) || setenv("LIMBER_VIEWER", page, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cut_files_are_refused_or_shown),
        cmocka_unit_test(damaged_files_do_no_harm),
        cmocka_unit_test(foreign_files_are_refused),
        cmocka_unit_test(older_files_stay_useful),
        cmocka_unit_test(the_report_does_not_replace_what_it_is_made_of),
        cmocka_unit_test(a_full_disk_leaves_the_old_report),
        cmocka_unit_test(a_page_without_its_mark_is_refused),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, set_up, scratch_tear_down);
}
