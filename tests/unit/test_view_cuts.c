/* Section forces from poses alone against the sensors, which know velocities and accelerations too;
 * and the forces of joints and loads in the result file. */
#include "base/mem.h"
#include "support/run_model.h"
#include "support/scratch.h"
#include "view/cuts.h"
#include "view/result.h"

/* `n` elements, section(beam, k/n) as outputs N(k) ... stress(k), k = 0..n. */
#define SENSORS                                                                                    \
    "  N(k=0..n): section(arm, k/n).N\n  Vy(k=0..n): section(arm, k/n).Vy\n"                       \
    "  Vz(k=0..n): section(arm, k/n).Vz\n  T(k=0..n): section(arm, k/n).T\n"                       \
    "  My(k=0..n): section(arm, k/n).My\n  Mz(k=0..n): section(arm, k/n).Mz\n"                     \
    "  stress(k=0..n): section(arm, k/n).stress\n"

#define BEAM                                                                                       \
    "limber: 1\n"                                                                                  \
    "materials: {steel: {E: 2.1e11, nu: 0.3, rho: 7800}}\n"                                        \
    "sections:\n"                                                                                  \
    "  bar: {material: steel, shape: rectangle, height: 0.04, width: 0.02}\n"                      \
    "  pipe: {material: steel, shape: tube, radius: 0.03, thickness: 0.005}\n"

static const char loaded[] =
    BEAM "parameters: {n: 5, gy: -9.81, gz: 4, Fx: 0, Fy: 0, Fz: 0, Tx: 0}\n"
         "gravity: [0, gy, gz]\n"
         "bodies: {arm: {type: beam, section: bar, from: [0, 0, 0], to: [2, 0, 0], elements: n}}\n"
         "joints: {clamp: {type: fixed, between: [ground, arm.start]}}\n"
         "loads: {pull: {on: arm.end, force: [Fx, Fy, Fz], torque: [Tx, 0, 0]}}\n"
         "analysis: {type: statics}\noutputs:\n" SENSORS;

static const char swinging[] = BEAM
    "parameters: {n: 12}\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  arm: {type: beam, section: pipe, from: [0, 0, 0], to: [2, 0, 0], elements: n}\n"
    "  bob: {type: rigid, mass: 2, inertia: [0.1, 0.1, 0.1], position: [2, 0, 0]}\n"
    "joints:\n"
    "  hinge: {type: revolute, between: [ground, arm.start], axis: z}\n"
    "  weld: {type: fixed, between: [arm.end, bob]}\n"
    "loads: {push: {on: bob, axes: local, force: [0, \"20*sin(3*t)\", 5], torque: [0, 1, 0]}}\n"
    "analysis: {type: dynamics, until: 1, output_step: 0.05, tolerance: 1e-6}\noutputs:\n" SENSORS
    "  F: force(weld)\n  M: moment(weld)\n  H: moment(hinge)\n";

static char path[SCRATCH_PATH];

/* The table `name` of the only analysis, all rows. */
static double *table_of(lm_result *r, const char *name, lm_rows *t)
{
    assert_int_equal(lm_rows_open(t, r->file, r->analyses.at[0].group, name), 0);
    double *data = malloc(sizeof(double) * (size_t)t->rows * (size_t)t->ncols);
    assert_non_null(data);
    assert_int_equal(lm_rows_read(t, 0, t->rows, data), 0);
    return data;
}

static const char *formulation; /* NULL: the model's own */

static void run(const char *text, const char *const *set, int nset)
{
    limber_messages *msg = limber_messages_new();
    limber_model *model = NULL;
    limber_load_options lo = {.set = set, .set_count = nset};
    limber_run_options opt = limber_run_options_default();
    char settings[400] = "";
    for (int i = 0; i < nset; i++)
        snprintf(settings + strlen(settings), sizeof settings - strlen(settings), "%s--set %s",
                 i ? " " : "", set[i]);
    opt.results = path;
    opt.settings = settings;
    opt.formulation = formulation;
    assert_int_equal(limber_model_parse(text, strlen(text), "m.yaml", &lo, &model, msg), LIMBER_OK);
    limber_status st = limber_run(model, &opt, NULL, msg);
    if (st) limber_messages_print(msg, stderr);
    assert_int_equal(st, LIMBER_OK);
    limber_model_free(model);
    limber_messages_free(msg);
}

static void open_result(lm_result *r)
{
    char err[300];
    assert_int_equal(lm_result_open(r, path, &(lm_result_how){0}, err, sizeof err), 0);
    assert_non_null(r->model);
}

/* Largest difference to the sensors, as part of the largest force (moment, stress) in the run. */
static double worst_difference(const char *text, const char *const *set, int nset)
{
    lm_result r;
    lm_rows results, poses;
    double size[3] = {0}, worst[3] = {0};
    run(text, set, nset);
    open_result(&r);
    lm_cuts *c = lm_cuts_new(r.model);
    assert_int_equal(lm_cuts_open(c, r.file, r.analyses.at[0].group), 0);
    int n = lm_cuts_count(c);
    double *sensed = table_of(&r, "results", &results), *pose = table_of(&r, "poses", &poses);
    double *out = malloc(sizeof(double) * (size_t)(LM_CUTS * n));
    assert_non_null(out);
    for (long i = 0; i < results.rows; i++) {
        assert_int_equal(lm_cuts_eval(c, i, pose + i * poses.ncols, out), 0);
        for (int q = 0; q < LM_CUTS; q++)
            for (int k = 0; k < n; k++) {
                int kind = q == LM_CUT_STRESS ? 0 : q < LM_CUT_T ? 1 : 2;
                int column = 1 + (q == LM_CUT_STRESS ? 6 : q - 1) * n + k;
                double x = sensed[i * results.ncols + column];
                size[kind] = fmax(size[kind], fabs(x));
                worst[kind] = fmax(worst[kind], fabs(x - out[q * n + k]));
            }
    }
    free(out);
    free(sensed);
    free(pose);
    lm_cuts_free(c);
    lm_rows_close(&results);
    lm_rows_close(&poses);
    lm_result_close(&r);
    return fmax(worst[0] / size[0], fmax(worst[1] / size[1], worst[2] / size[2]));
}

/* A spread load that does not change along the beam: exact, up to what bending turns. */
static void weight_is_found_from_the_poses(void **state)
{
    (void)state;
    assert_under(worst_difference(loaded, NULL, 0), 2e-5);
    assert_under(worst_difference(loaded, (const char *const[]){"n=40"}, 1), 1e-7);
}

static void end_loads_are_exact(void **state)
{
    (void)state;
    const char *const set[] = {"gy=0", "gz=0", "Fx=300", "Fy=20", "Fz=-10", "Tx=5"};
    assert_under(worst_difference(loaded, set, 6), 1e-9);
}

/* Inertia along a beam that swings and vibrates. */
static void a_swinging_beam(void **state)
{
    (void)state;
    double coarse = worst_difference(swinging, (const char *const[]){"n=8"}, 1),
           fine = worst_difference(swinging, (const char *const[]){"n=16"}, 1);
    assert_under(coarse, 1.5e-2);
    assert_under(fine, 0.5 * coarse);
}

/* Rigid elements meet in springs and constraints: the forces in them come from the file. */
static void rigid_elements(void **state)
{
    const char *const set[] = {"gy=0", "gz=0", "Fx=300", "Fy=20", "Fz=-10", "Tx=5"};
    (void)state;
    formulation = "rfe";
    assert_under(worst_difference(loaded, set, 6), 1e-9);
    assert_under(worst_difference(loaded, NULL, 0), 1e-4);
    assert_under(worst_difference(swinging, (const char *const[]){"n=12"}, 1), 2e-2);
    formulation = NULL;
}

/* ---- forces in the result file ---- */

static double column_of(const lm_rows *t, const double *row, const char *name)
{
    for (int i = 0; i < t->ncols; i++)
        if (!strcmp(t->columns[i], name)) return row[i];
    fail_msg("there is no column %s", name);
    return NAN;
}

static void forces_are_those_of_the_sensors(void **state)
{
    static const char *const pair[][2] = {
        {"weld.fx", "F.x"}, {"weld.fy", "F.y"}, {"weld.fz", "F.z"},  {"weld.mx", "M.x"},
        {"weld.my", "M.y"}, {"weld.mz", "M.z"}, {"hinge.mx", "H.x"}, {"hinge.my", "H.y"}};
    (void)state;
    lm_result r;
    lm_rows results, joints;
    run(swinging, NULL, 0);
    open_result(&r);
    double *sensed = table_of(&r, "results", &results),
           *force = table_of(&r, "joint_forces", &joints);
    assert_int_equal(joints.rows, results.rows);
    assert_int_equal(joints.ncols, 12);
    for (long i = 0; i < results.rows; i++)
        for (size_t k = 0; k < sizeof pair / sizeof *pair; k++) {
            double a = column_of(&joints, force + i * joints.ncols, pair[k][0]);
            double b = column_of(&results, sensed + i * results.ncols, pair[k][1]);
            assert_memory_equal(&a, &b, sizeof a);
        }
    free(sensed);
    free(force);
    lm_rows_close(&results);
    lm_rows_close(&joints);
    lm_result_close(&r);
}

/* push: (0, 20 sin 3t, 5) and (0, 1, 0) in the axes of bob. */
static void loads_are_in_global_axes(void **state)
{
    (void)state;
    lm_result r;
    lm_rows loads, poses, results;
    run(swinging, NULL, 0);
    open_result(&r);
    double *load = table_of(&r, "load_forces", &loads), *pose = table_of(&r, "poses", &poses);
    double *result = table_of(&r, "results", &results);
    int bob = r.model->bodies[1].first_node;
    for (long i = 0; i < loads.rows; i++) {
        lm_m3 R = quat_m3(quat_from(pose + i * poses.ncols + 7 * bob + 3));
        lm_v3 F = m3_v(&R, v3(0, 20 * sin(3 * result[i * results.ncols]), 5));
        lm_v3 M = m3_col(&R, 1);
        const double want[6] = {F.x, F.y, F.z, M.x, M.y, M.z};
        for (int k = 0; k < 6; k++) assert_near(load[i * loads.ncols + k], want[k], 1e-12);
    }
    free(load);
    free(pose);
    free(result);
    lm_rows_close(&loads);
    lm_rows_close(&poses);
    lm_rows_close(&results);
    lm_result_close(&r);
}

static int set_up(void **state)
{
    (void)state;
    if (scratch_make("view_cuts")) return -1;
    scratch_path(path, "r.h5");
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weight_is_found_from_the_poses),
        cmocka_unit_test(end_loads_are_exact),
        cmocka_unit_test(a_swinging_beam),
        cmocka_unit_test(rigid_elements),
        cmocka_unit_test(forces_are_those_of_the_sensors),
        cmocka_unit_test(loads_are_in_global_axes),
    };
    return cmocka_run_group_tests(tests, set_up, scratch_tear_down);
}
