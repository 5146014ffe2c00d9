/* The periodic analysis: closed forms, Mathieu's equation, marching, every formulation, refusals. */
#include "support/modes.h"

#include "analysis/periodic.h"

#include <limits.h>

/* ---- multipliers of a run ---- */

enum { MOST = 40 };

typedef struct found {
    limber_summary sum;
    int n;
    limber_multiplier at[MOST];
    char text[2000]; /* messages and reason */
    limber_status status;
} found;

static void keep(void *context, const limber_multiplier *m)
{
    found *f = context;
    if (m->number <= MOST) f->at[m->number - 1] = *m, f->n = m->number;
}

static void collect(const limber_messages *msg, const limber_summary *sum, found *f)
{
    size_t used = 0;
    for (int i = 0; i < limber_messages_count(msg); i++)
        used += (size_t)snprintf(f->text + used, sizeof f->text - used, "%s\n",
                                 limber_messages_get(msg, i).text);
    snprintf(f->text + used, sizeof f->text - used, "%s", sum->reason);
}

/* Runs the text's `periodic` analysis in memory. */
static found periodic(const char *text, const char *formulation)
{
    found f = {0};
    limber_messages *msg = limber_messages_new();
    limber_model *model = modes_parse(text, msg);
    limber_run_options o = limber_run_options_default();
    o.analysis = "periodic";
    o.formulation = formulation;
    o.multiplier = keep;
    o.multiplier_context = &f;
    f.status = limber_run(model, &o, &f.sum, msg);
    collect(msg, &f.sum, &f);
    limber_model_free(model);
    limber_messages_free(msg);
    return f;
}

/* ---- closed forms ---- */

#define PART                                                                                       \
    "limber: 1\n"                                                                                  \
    "bodies: {m: {type: rigid, mass: 1, inertia: [1, 1, 1]}}\n"
#define RAIL(more) "joints: {rail: {type: prismatic, between: [ground, m], axis: x" more "}}\n"
#define PUSH       "loads: {f: {on: m, force: [10*cos(7*t), 0, 0]}}\n"
#define X          "outputs: {x: pos(m).x, v: vel(m).x}\n"

/* x = Re X exp(i w t), X = 10/(k - w^2 + i c w); multipliers exp(s T), s = -1 +- i sqrt(99). */
static void forced_oscillator(void **state)
{
    (void)state;
    static const char text[] = PART RAIL(", stiffness: 100, damping: 2") PUSH X
        "analysis: {type: periodic, period: 2*pi/7}\n";
    double T = 2 * PI / 7, re = 100 - 49, im = 2 * 7, size = re * re + im * im;
    table r = run_model(&(run_how){.text = text});
    for (int i = 0; i < r.rows; i++) {
        double t = table_get(&r, i, "t");
        double x = 10 * (re * cos(7 * t) + im * sin(7 * t)) / size;
        assert_near(table_get(&r, i, "x"), x, 1e-6);
    }
    assert_near(table_last(&r, "t"), T, 1e-12);
    table_free(&r);
    found f = periodic(text, NULL);
    assert_int_equal(f.sum.stability, -1);
    assert_int_equal(f.sum.multipliers, 2);
    assert_near(f.at[0].real, exp(-T) * cos(sqrt(99) * T), 1e-6);
    assert_near(f.at[0].imaginary, fabs(exp(-T) * sin(sqrt(99) * T)), 1e-6);
    assert_near(f.at[0].growth, -1, 1e-5);
}

/* (M + m) x.. + c x. + k x = m e w^2 cos(w t): the period is the drive's. */
static void unbalance(void **state)
{
    (void)state;
    table r = run_model(&(run_how){
        .text = "limber: 1\n"
                "bodies:\n"
                "  frame: {type: rigid, mass: 3, inertia: [1, 1, 1]}\n"
                "  rotor: {type: rigid, mass: 0.5, inertia: [1, 1, 1], com: [0.02, 0, 0]}\n"
                "joints:\n"
                "  rail: {type: prismatic, between: [ground, frame], axis: x, stiffness: 500, "
                "damping: 4}\n"
                "  motor: {type: revolute, between: [frame, rotor], axis: z, drive: -15*t}\n"
                "outputs: {x: pos(frame).x}\n"
                "analysis: {type: periodic}\n"});
    double w = 15, re = 500 - 3.5 * w * w, im = 4 * w, f = 0.5 * 0.02 * w * w;
    assert_near(r.sum.period, 2 * PI / w, 1e-12);
    for (int i = 0; i < r.rows; i++) {
        double t = table_get(&r, i, "t");
        double x = f * (re * cos(w * t) + im * sin(w * t)) / (re * re + im * im);
        assert_near(table_get(&r, i, "x"), x, 2e-8);
    }
    table_free(&r);
}

/* A drive alone: nothing can deviate. */
static void nothing_free(void **state)
{
    (void)state;
    found f = periodic("limber: 1\n"
                       "bodies: {r: {type: rigid, mass: 1, inertia: [1, 1, 1]}}\n"
                       "joints: {o: {type: revolute, between: [ground, r], axis: z, drive: 3*t}}\n"
                       "analysis: {type: periodic}\n",
                       NULL);
    assert_int_equal(f.status, LIMBER_OK);
    assert_int_equal(f.sum.multipliers, 0);
    assert_near(f.sum.period, 2 * PI / 3, 1e-12);
}

/* ---- Mathieu ---- */

/* Upright pendulum, J theta.. = m l (g - A W^2 cos(W t)) theta, by Runge and Kutta. */
static void mathieu(double W, double out[4])
{
    double T = 2 * PI / W, h = T / 20000, J = 1 + 1e-3;
    for (int c = 0; c < 2; c++) {
        double y[2] = {c == 0, c == 1};
        for (int i = 0; i < 20000; i++) {
            double k[4][2], at[2];
            for (int s = 0; s < 4; s++) {
                double f = s == 0 ? 0 : s == 3 ? h : h / 2, t = i * h + f;
                for (int j = 0; j < 2; j++) at[j] = y[j] + (s ? f * k[s - 1][j] : 0);
                k[s][0] = at[1];
                k[s][1] = (9.81 - 0.1 * W * W * cos(W * t)) / J * at[0];
            }
            for (int j = 0; j < 2; j++)
                y[j] += h / 6 * (k[0][j] + 2 * k[1][j] + 2 * k[2][j] + k[3][j]);
        }
        out[c] = y[0], out[2 + c] = y[1];
    }
}

/* A pendulum on a pivot that shakes: upright it is stable at 60 rad/s and not at 30. */
static void shaken_pendulum(void **state)
{
    (void)state;
    static const char *const form[] = {"corotational", "minimal", "ffr", "elastodynamic"};
    for (int i = 0; i < 8; i++) {
        double W = i < 4 ? 60 : 30, P[4];
        char text[1000];
        snprintf(text, sizeof text,
                 "limber: 1\n"
                 "gravity: [0, -9.81, 0]\n"
                 "bodies:\n"
                 "  pivot: {type: rigid, mass: 1, inertia: [1, 1, 1]}\n"
                 "  bob: {type: rigid, mass: 1, inertia: [1e-3, 1e-3, 1e-3], position: [0, 1, 0]}\n"
                 "joints:\n"
                 "  rail: {type: prismatic, between: [ground, pivot], axis: y, drive: "
                 "0.1*cos(%g*t)}\n"
                 "  pin: {type: revolute, between: [pivot, bob], axis: z, at: [0, 0, 0]}\n"
                 "analysis: {type: periodic, period: 2*pi/%g, steps: 200}\n",
                 W, W);
        found f = periodic(text, form[i % 4]);
        mathieu(W, P);
        double half = (P[0] + P[3]) / 2, root = half * half - 1;
        assert_string_equal(f.text, "");
        assert_int_equal(f.sum.stability, i < 4 ? 0 : 1);
        assert_near(f.at[0].real, i < 4 ? half : half + sqrt(root), 1e-6);
        if (i < 4) assert_near(f.at[0].imaginary, sqrt(-root), 1e-6);
    }
}

/* ---- the derivative of a period ---- */

typedef struct cycle {
    limber_messages *msg;
    limber_model *model;
    limber_run_options opt;
    limber_summary sum;
    lm_run run;
    lm_periodic p;
} cycle;

static void open_cycle(cycle *c, const char *text, const char *formulation, double T, int steps)
{
    *c = (cycle){.msg = limber_messages_new(), .opt = limber_run_options_default()};
    c->model = modes_parse(text, c->msg);
    c->run = (lm_run){.model = &c->model->m, .opt = &c->opt, .diag = &c->msg->diag, .sum = &c->sum};
    assert_int_equal(lm_create_system(&c->model->m, formulation, c->run.diag, &c->run.sys),
                     LIMBER_OK);
    size_t nq = (size_t)c->run.sys->nq, nv = (size_t)c->run.sys->nv;
    c->run.q = lm_alloc(sizeof(double) * (nq + nv));
    c->run.v = c->run.q + nq;
    assert_int_equal(lm_initial_state(&c->run), LIMBER_OK);
    c->p.steps = steps;
    assert_int_equal(lm_periodic_begin(&c->p, c->run.sys, T, c->run.q, c->run.v), LIMBER_OK);
}

static void close_cycle(cycle *c)
{
    lm_periodic_free(&c->p);
    c->run.sys->form->destroy(c->run.sys);
    lm_free(c->run.q);
    limber_model_free(c->model);
    limber_messages_free(c->msg);
}

/* A start, and the end of the period from there. */
typedef struct ends {
    double q[200], v[200], qT[200], vT[200];
} ends;

/* Where the period ends from a start moved by s along direction j: (y, w) from the end e. */
static void end_of(cycle *c, int j, double s, const ends *e, double *r)
{
    lm_periodic *p = &c->p;
    lm_system *sys = c->run.sys;
    size_t nv = (size_t)sys->nv, n = (size_t)p->n, k = (size_t)j % n;
    double omega = 2 * PI / p->T, moved, gap, *step = p->dx;
    memset(step, 0, sizeof(double) * 2 * nv);
    lm_copy(p->v, e->v, sys->nv);
    for (size_t i = 0; i < nv; i++) {
        double z = s * p->unit[i] * p->Z[nv * k + i];
        if ((size_t)j < n) step[i] = z;
        p->v[i] += (size_t)j < n ? s * p->G[nv * k + i] : omega * z;
    }
    assert_int_equal(sys->form->retract(sys, e->q, step, p->q), 0);
    assert_int_equal(lm_project_position(p->g, 0, p->q, &moved, &gap), 0);
    assert_int_equal(lm_project_velocity(p->g, 0, p->q, p->v, &moved), 0);
    assert_int_equal(lm_periodic_cycle(p, 0), LIMBER_OK);
    sys->form->difference(sys, e->qT, p->g->q, p->dx);
    for (size_t i = 0; i < nv; i++) p->dx[nv + i] = p->g->v[i] - e->vT[i];
    lm_periodic_coordinates(p, p->dx, p->dx + nv, r);
}

/* Column j of P by central differences with steps h and h/2, extrapolated. */
static void column_of(cycle *c, int j, double h, const ends *e, double *out)
{
    double a[MOST], b[MOST];
    for (int k = 0; k < 2; k++, h /= 2) {
        end_of(c, j, -h, e, a);
        end_of(c, j, h, e, b);
        for (int i = 0; i < 2 * c->p.n; i++) {
            double d = (b[i] - a[i]) / (2 * h);
            out[i] = k ? (4 * d - out[i]) / 3 : d;
        }
    }
}

/* The largest error of P against differences, over its largest entry. */
static double error_of_matrix(cycle *c)
{
    lm_periodic *p = &c->p;
    const lm_system *sys = c->run.sys;
    ends e;
    double should[MOST], most = 0, off = 0;
    int two = 2 * p->n;
    assert_true(sys->nq <= 200 && two <= MOST && two > 0);
    lm_copy(e.q, p->q, sys->nq);
    lm_copy(e.v, p->v, sys->nv);
    assert_int_equal(lm_periodic_basis(p), LIMBER_OK);
    assert_int_equal(lm_periodic_cycle(p, 1), LIMBER_OK);
    lm_copy(e.qT, p->g->q, sys->nq);
    lm_copy(e.vT, p->g->v, sys->nv);
    for (int j = 0; j < two; j++) {
        column_of(c, j, 2e-3, &e, should);
        for (int i = 0; i < two; i++) {
            most = fmax(most, fabs(should[i]));
            off = fmax(off, fabs(p->P[two * j + i] - should[i]));
        }
    }
    return off / most;
}

/* A pendulum in space on a turning arm, a second one hinged askew to it, springs and dampers. */
#define SPATIAL                                                                                    \
    "limber: 1\n"                                                                                  \
    "gravity: [0, 0, -9.81]\n"                                                                     \
    "bodies:\n"                                                                                    \
    "  arm: {type: rigid, mass: 2, inertia: [0.1, 0.2, 0.3], frames: {tip: [0.5, 0, 0]}}\n"        \
    "  top: {type: rigid, mass: 1, inertia: [0.02, 0.05, 0.03], position: [0.5, 0.1, -0.4]}\n"     \
    "  bob: {type: rigid, mass: 0.7, inertia: [0.01, 0.02, 0.03], position: [0.7, 0.2, -0.9], "    \
    "frames: {end: [0, 0, -0.2]}}\n"                                                               \
    "joints:\n"                                                                                    \
    "  motor: {type: revolute, between: [ground, arm], axis: z, drive: 4*t}\n"                     \
    "  ball: {type: spherical, between: [arm.tip, top], at: [0.5, 0, 0]}\n"                        \
    "  pin: {type: revolute, between: [top, bob], axis: [1, 2, 0.5], at: [0.6, 0.2, -0.6], "       \
    "stiffness: 6, damping: 0.1}\n"                                                                \
    "forces:\n"                                                                                    \
    "  tie: {type: spring, between: [arm, bob.end], stiffness: 20, damping: 1, length: 0.5}\n"     \
    "analysis: {type: periodic}\n"                                                                 \
    "outputs: {x: pos(bob).x}\n"

static void matrix_against_differences(void **state)
{
    (void)state;
    static const char *const form[] = {"corotational", "minimal", "ffr", "rfe", "elastodynamic"};
    for (int i = 0; i < 5; i++) {
        cycle c;
        open_cycle(&c, SPATIAL, form[i], 2 * PI / 4, 150);
        double error = error_of_matrix(&c);
        if (!(error < 1e-6)) fail_msg("%s: %g", form[i], error);
        close_cycle(&c);
    }
}

/* ---- against marching ---- */

/* Largest difference of a column to the last period of a run, over its range. */
static double off_by(const table *period, const table *run, const char *name)
{
    double low = INFINITY, high = -INFINITY, most = 0;
    int first = run->rows - period->rows;
    for (int i = 0; i < period->rows; i++) {
        double x = table_get(period, i, name);
        low = fmin(low, x), high = fmax(high, x);
        most = fmax(most, fabs(x - table_get(run, first + i, name)));
    }
    return most / (high - low);
}

static void march(const char *model, const char *formulation, const char *const *set,
                  const char *turns, const char *const *names)
{
    char analysis[200];
    table p = run_model(&(run_how){.model = model,
                                   .set = {set[0]},
                                   .formulation = formulation,
                                   .analysis = "{type: periodic}"});
    snprintf(analysis, sizeof analysis,
             "{type: dynamics, until: %s*2*pi/speed, output_step: 2*pi/speed/%d, tolerance: 1e-5}",
             turns, p.rows - 1);
    table m = run_model(&(run_how){
        .model = model, .set = {set[0]}, .formulation = formulation, .analysis = analysis});
    assert_int_equal(p.sum.stability, -1);
    for (; *names; names++) {
        double off = off_by(&p, &m, *names);
        if (!(off < 1e-4)) fail_msg("%s, %s, %s: %g", model, formulation, *names, off);
    }
    table_free(&p);
    table_free(&m);
}

/* More damping than the models have, so that ten periods are enough. */
static void elastic_mechanisms(void **state)
{
    (void)state;
    static const char *const form[] = {"corotational", "rfe", "ffr", "minimal"};
    static const char *const set[] = {"loss=3e-4"};
    static const char *const crank[] = {"slider", "deflection", "moment", "torque", NULL};
    static const char *const bars[] = {"rocker", "coupler_bend", "moment", "torque", NULL};
    for (int i = 0; i < 4; i++) march("slider_crank_steady", form[i], set, "10", crank);
    march("four_bar_steady", "corotational", set, "8", bars);
}

/* ---- motions that nothing holds ---- */

static int says(const found *f, const char *text) { return strstr(f->text, text) != NULL; }

/* Nothing holds the mass: its mean position is free, its mean velocity is not. */
static void free_but_periodic(void **state)
{
    (void)state;
    static const char text[] =
        PART RAIL("") PUSH X "initial: {rail: {displacement: 0.3, rate: 2}}\n"
                             "analysis: {type: periodic, period: 2*pi/7}\n";
    table r = run_model(&(run_how){.text = text});
    assert_int_equal(r.sum.stability, 0);
    for (int i = 0; i < r.rows; i++) {
        double t = table_get(&r, i, "t");
        assert_near(table_get(&r, i, "v"), 10.0 / 7 * sin(7 * t), 1e-5);
        assert_near(table_get(&r, i, "x"), 0.3 + 10.0 / 49 * (1 - cos(7 * t)), 1e-4);
    }
    table_free(&r);
}

/* A drive leaves nothing that could deviate: no multiplier, and nothing that could grow. */
static void all_is_driven(void **state)
{
    (void)state;
    found f =
        periodic("limber: 1\n"
                 "bodies: {m: {type: rigid, mass: 1, inertia: [1, 1, 1]}}\n"
                 "joints: {j: {type: revolute, between: [ground, m], axis: z, drive: sin(t)}}\n"
                 "analysis: {type: periodic, period: 2*pi}\n",
                 NULL);
    assert_int_equal(f.status, LIMBER_OK);
    assert_int_equal(f.sum.multipliers, 0);
    assert_int_equal(f.sum.stability, -1);
}

static void no_periodic_motion(void **state)
{
    (void)state;
    found f = periodic(PART RAIL("") "gravity: [1, 0, 0]\n"
                                     "analysis: {type: periodic, period: 0.5}\n",
                       NULL);
    assert_int_equal(f.status, LIMBER_STOPPED);
    assert_true(says(&f, "nothing holds the motion of body m along x"));
    f = periodic(PART RAIL(", stiffness: 49") PUSH "analysis: {type: periodic, period: 2*pi/7}\n",
                 NULL);
    assert_int_equal(f.status, LIMBER_STOPPED);
    assert_true(says(&f, "resonance"));
    assert_true(says(&f, "0.897598"));
}

static void refused(void **state)
{
    (void)state;
    found f = periodic(PART RAIL(", stiffness: 50") PUSH "analysis: {type: periodic}\n", NULL);
    assert_int_equal(f.status, LIMBER_INPUT);
    assert_true(says(&f, "no drive turns at a constant rate"));
    f = periodic(PART RAIL(", stiffness: 50") PUSH "analysis: {type: periodic, period: 1}\n", NULL);
    assert_int_equal(f.status, LIMBER_INPUT);
    assert_true(says(&f, "'f' does not repeat after the period of 1"));
    f = periodic(PART RAIL(", drive: 0.2*t") "analysis: {type: periodic, period: 1}\n", NULL);
    assert_int_equal(f.status, LIMBER_INPUT);
    assert_true(says(&f, "the drive of joint 'rail' does not repeat"));
}

static void allocations(void **state)
{
    (void)state;
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/periodic_alloc.h5",
             getenv("SCRATCH") ? getenv("SCRATCH") : ".");
    every_allocation_fails(PART RAIL(", stiffness: 100, damping: 2") PUSH X
                           "analysis: {type: periodic, period: 2*pi/7, steps: 8}\n",
                           path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forced_oscillator),
        cmocka_unit_test(unbalance),
        cmocka_unit_test(nothing_free),
        cmocka_unit_test(shaken_pendulum),
        cmocka_unit_test(matrix_against_differences),
        cmocka_unit_test(elastic_mechanisms),
        cmocka_unit_test(free_but_periodic),
        cmocka_unit_test(all_is_driven),
        cmocka_unit_test(no_periodic_motion),
        cmocka_unit_test(refused),
        cmocka_unit_test(allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
