/* Closed loops run through positions in which all their links are in line and their constraints lose rank; the
 * motion itself is smooth there. Each of these mechanisms has one degree of freedom, and its motion, followed on
 * the branch that goes on smoothly, is integrated here by hand or told by identities. */
#include "support/listen.h"
#include "support/ode.h"
#include "support/run_model.h"

#define PI 3.14159265358979323846

/* Rows lie between the ends of steps, where the constraints hold as far as the tolerance goes: on another branch
 * identities would be off by the size of the mechanism. */
#define ROWS 1e-6

static const double g = 9.81;
static const char *const formulations[] = {"corotational", "minimal", "rfe", "ffr",
                                           "elastodynamic"};

/* ---- rows of parallelograms: all posts turn together, a pendulum that is upright at first ---- */

typedef struct plane {
    double o[3], e[3], f[3], z[3]; /* origin, level, up, axis of the joints */
} plane;

static const plane upright = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static const plane turned = {{3, -1, 2},
                             {2 / 3.0, -1 / 3.0, 2 / 3.0},
                             {2 / 3.0, 2 / 3.0, -1 / 3.0},
                             {-1 / 3.0, 2 / 3.0, 2 / 3.0}};

typedef struct row {
    int n;
    double unit, damping, stiffness, until; /* unit: metres over the unit of length */
    const plane *in;
} row;

/* Of a body with mass 1, inertia 0.1 about all axes, length 1; in metres. */
static void row_rate(const void *context, double t, const double *y, double *dy)
{
    const row *r = context;
    double J = (r->n + 1) * (0.25 + 0.1) + r->n, weight = g * (0.5 * (r->n + 1) + r->n);
    (void)t;
    dy[0] = y[1];
    dy[1] = (weight * sin(y[0]) - r->damping * y[1] - r->stiffness * y[0]) / J;
}

static double row_angle(const row *r)
{
    double y[2] = {0, -1};
    ode_rk4(row_rate, r, 2, y, 0, r->until, 40000);
    return y[0];
}

/* "[x e + y f + o]" */
static const char *at(const row *r, char *text, const char *x, double y, int offset)
{
    const plane *p = r->in;
    double u = r->unit, o[3];
    for (int i = 0; i < 3; i++) o[i] = u * (y * p->f[i] + (offset ? p->o[i] : 0));
    snprintf(text, 400, "[(%s)*%.17g + %.17g, (%s)*%.17g + %.17g, (%s)*%.17g + %.17g]", x,
             u * p->e[0], o[0], x, u * p->e[1], o[1], x, u * p->e[2], o[2]);
    return text;
}

static void write_row(const row *r, char *text, size_t size)
{
    char v[6][400];
    double I = 0.1 * r->unit * r->unit, k2 = r->unit * r->unit;
    snprintf(
        text, size,
        "limber: 1\n"
        "parameters: {N: %d, I: %.17g}\n"
        "gravity: %s\n"
        "bodies:\n"
        "  post(k=0..N): {type: rigid, mass: 1, inertia: [I, I, I], position: %s, com: %s,\n"
        "                 frames: {top: %s}}\n"
        "  beam(k=1..N): {type: rigid, mass: 1, inertia: [I, I, I], position: %s,\n"
        "                 frames: {end: %s}}\n"
        "joints:\n"
        "  foot(k=0..N): {type: revolute, between: [ground, post(k)], axis: [%.17g, %.17g, "
        "%.17g],\n"
        "                 damping: %.17g*(k == 0), stiffness: %.17g*(k == 0)}\n"
        "  left(k=1..N): {type: revolute, between: [post(k-1).top, beam(k)], axis: [%.17g, %.17g, "
        "%.17g]}\n"
        "  right(k=1..N): {type: revolute, between: [beam(k).end, post(k).top], axis: [%.17g, "
        "%.17g, %.17g]}\n"
        "initial: {foot(0): {rate: -1}, project: true}\n"
        "analysis: {type: dynamics, until: %g, output_step: 0.5, method: radau, tolerance: 1e-6}\n"
        "outputs: {angle: joint(foot(0)), straight: joint(foot(N)) - joint(foot(0)), energy: "
        "energy.total}\n",
        r->n, I, at(r, v[0], "0", -g, 0), at(r, v[1], "k", 0, 1), at(r, v[2], "0", 0.5, 0),
        at(r, v[3], "0", 1, 0), at(r, v[4], "k - 1", 1, 1), at(r, v[5], "1", 0, 0), r->in->z[0],
        r->in->z[1], r->in->z[2], k2 * r->damping, k2 * r->stiffness, r->in->z[0], r->in->z[1],
        r->in->z[2], r->in->z[0], r->in->z[1], r->in->z[2], r->until);
}

static void check_row(const row *r, const char *formulation, const char *tolerance, double bound)
{
    char text[6000], analysis[200];
    write_row(r, text, sizeof text);
    snprintf(analysis, sizeof analysis,
             "{type: dynamics, until: %g, output_step: 0.5, method: radau, tolerance: %s}",
             r->until, tolerance);
    table t = run_model(&(run_how){.text = text, .analysis = analysis, .formulation = formulation});
    assert_near(table_last(&t, "angle"), row_angle(r), bound);
    assert_under(table_drift(&t, "straight"), 0.1 * bound); /* no window has folded */
    table_free(&t);
}

static void rows_pass(void **state)
{
    static const int n[] = {1, 2, 7};
    (void)state;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 5; i++)
            check_row(&(row){n[k], 1, 0, 0, 10, &upright}, formulations[i], "1e-6", 2e-5);
}

/* The more loops, the more of them lose rank at once. */
static void forty_loops_pass(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++)
        check_row(&(row){40, 1, 0, 0, 10, &upright}, formulations[i], "1e-6", 2e-5);
}

static void tolerances_hold(void **state)
{
    static const char *const tolerance[] = {"1e-3", "1e-4", "1e-5", "1e-7", "1e-8"};
    (void)state;
    for (int k = 0; k < 5; k++)
        for (int i = 0; i < 2; i++)
            check_row(&(row){2, 1, 0, 0, 5, &upright}, formulations[i], tolerance[k],
                      5 * atof(tolerance[k]));
}

static void rows_pass_elsewhere(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        check_row(&(row){2, 1, 0, 0, 5, &turned}, formulations[i], "1e-6", 1e-5);
        check_row(&(row){2, 1000, 0, 0, 5, &turned}, formulations[i], "1e-6", 1e-5);
        check_row(&(row){2, 1e-3, 0.3, 2, 5, &turned}, formulations[i], "1e-6", 1e-5);
    }
}

/* ---- slider-crank with crank and rod of one length: at 90 degrees the slider is over the crank's pivot ---- */

static void slider_rate(const void *context, double t, const double *y, double *dy)
{
    double s = sin(y[0]), c = cos(y[0]), all = 2.25 + 4 * 2 - 0.25; /* slider's mass 2 */
    double J = 0.25 + 0.1 + 0.1 + 0.25 + all * s * s, dJ = 2 * all * s * c;
    (void)context, (void)t;
    dy[0] = y[1];
    dy[1] = (-g * c - 0.5 * dJ * y[1] * y[1]) / J;
}

static const char slider[] =
    "limber: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  crank: {type: rigid, mass: 1, inertia: [0.1, 0.1, 0.1], com: [0.5, 0, 0], frames: {pin: [1, "
    "0, 0]}}\n"
    "  rod: {type: rigid, mass: 1, inertia: [0.1, 0.1, 0.1], position: [1, 0, 0], com: [0.5, 0, "
    "0],\n"
    "        frames: {end: [1, 0, 0]}}\n"
    "  block: {type: rigid, mass: 2, inertia: [0.1, 0.1, 0.1], position: [2, 0, 0]}\n"
    "joints:\n"
    "  pivot: {type: revolute, between: [ground, crank], axis: z}\n"
    "  pin: {type: revolute, between: [crank.pin, rod], axis: z}\n"
    "  wrist: {type: revolute, between: [rod.end, block], axis: z}\n"
    "  guide: {type: prismatic, between: [ground, block], axis: x}\n"
    "initial: {pivot: {angle: 1, rate: -6}, pin: {angle: -2, rate: 12}}\n"
    "analysis: {type: dynamics, until: 3, output_step: 0.5, method: radau, tolerance: 1e-6}\n"
    "outputs: {angle: joint(pivot), mirror: joint(pin) + 2*joint(pivot), energy: energy.total}\n";

static void slider_cranks_pass(void **state)
{
    double y[2] = {1, -6};
    (void)state;
    ode_rk4(slider_rate, NULL, 2, y, 0, 3, 40000);
    assert_under(y[0], -3 * PI); /* over several singular positions */
    for (int i = 0; i < 5; i++) {
        table r = run_model(&(run_how){.text = slider, .formulation = formulations[i]});
        assert_near(table_last(&r, "angle"), y[0], 1e-5);
        assert_under(table_drift(&r, "mirror"), ROWS); /* the rod does not stay with the crank */
        table_free(&r);
    }
}

/* ---- a kite: crank and ground are 1 long, coupler and rocker 2 ---- */

/* C = B + coupler = D + rocker lies on the line that halves the crank's angle. */
static void write_kite(char *text, size_t size, double angle, double rate)
{
    double b[2] = {cos(angle), sin(angle)}, s = sin(angle / 2),
           R = cos(angle / 2) + sqrt(4 - s * s);
    double c[2] = {R * cos(angle / 2), R * s};
    snprintf(
        text, size,
        "limber: 1\n"
        "gravity: [0, -9.81, 0]\n"
        "bodies:\n"
        "  crank: {type: rigid, mass: 1, inertia: [0.1, 0.1, 0.1], frames: {tip: [%.17g, %.17g, "
        "0]}}\n"
        "  coupler: {type: rigid, mass: 1, inertia: [0.1, 0.1, 0.1], position: [%.17g, %.17g, 0],\n"
        "            frames: {tip: [%.17g, %.17g, 0]}}\n"
        "  rocker: {type: rigid, mass: 1, inertia: [0.1, 0.1, 0.1], position: [1, 0, 0],\n"
        "           frames: {tip: [%.17g, %.17g, 0]}}\n"
        "joints:\n"
        "  pivot: {type: revolute, between: [ground, crank], axis: z}\n"
        "  pin: {type: revolute, between: [crank.tip, coupler], axis: z}\n"
        "  knee: {type: revolute, between: [coupler.tip, rocker.tip], axis: z}\n"
        "  foot: {type: revolute, between: [ground, rocker], axis: z}\n"
        "initial: {pivot: {rate: %g}, project: true}\n"
        "analysis: {type: dynamics, until: 3, output_step: 0.05, method: radau, tolerance: 1e-6}\n"
        "outputs:\n"
        "  off: pos(rocker.tip).y*cos(joint(pivot)/2 + %.17g) - "
        "pos(rocker.tip).x*sin(joint(pivot)/2 + %.17g)\n"
        "  angle: joint(pivot)\n"
        "  energy: energy.total\n",
        b[0], b[1], b[0], b[1], c[0] - b[0], c[1] - b[1], c[0] - 1, c[1], rate, angle / 2,
        angle / 2);
}

/* On its branch and with its energy, the motion is what it must be. */
static void check_kite(double angle, double rate, const char *formulation)
{
    char text[3000];
    write_kite(text, sizeof text, angle, rate);
    table r = run_model(&(run_how){.text = text, .formulation = formulation});
    assert_under(table_drift(&r, "off"), ROWS);
    assert_under(table_drift(&r, "energy"), 1e-4);
    assert_true(table_range(&r, "angle") > PI);
    table_free(&r);
}

static void kites_pass(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++) check_kite(1, -5, formulations[i]);
}

/* Where a loop starts next to such a position with a speed, one step takes it away from there. */
static void kites_start_flat(void **state)
{
    static const double angle[] = {1e-7, 1e-6, 1e-5};
    (void)state;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 4; i++) check_kite(angle[k], 2, formulations[i]);
}

/* At rest there, rounding decides; who stops says where. */
static void singular_starts_are_named(void **state)
{
    char text[3000];
    (void)state;
    write_kite(text, sizeof text, 1e-7, 0);
    table r = run_model(&(run_how){.text = text, .may_stop = 1});
    if (r.sum.reason[0]) assert_non_null(strstr(r.sum.reason, "singular position"));
    table_free(&r);
}

/* In it, loads and speeds lead next to one of the motions: that there are several is said. */
static void bifurcations_are_said(void **state)
{
    char text[3000], said[SAID];
    (void)state;
    write_kite(text, sizeof text, 0, 0);
    assert_int_equal(run_listen(&(run_how){.text = text}, said), LIMBER_OK);
    assert_says(said, "begins in a singular position");
    write_kite(text, sizeof text, 1e-3, 0);
    assert_int_equal(run_listen(&(run_how){.text = text}, said), LIMBER_OK);
    assert_null(strstr(said, "singular position"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_pass),
        cmocka_unit_test(forty_loops_pass),
        cmocka_unit_test(tolerances_hold),
        cmocka_unit_test(rows_pass_elsewhere),
        cmocka_unit_test(slider_cranks_pass),
        cmocka_unit_test(kites_pass),
        cmocka_unit_test(kites_start_flat),
        cmocka_unit_test(singular_starts_are_named),
        cmocka_unit_test(bifurcations_are_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
