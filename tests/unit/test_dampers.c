/* Dampers: their forces are in balance, in moments too, the power lost is never negative, and a motion of the
 * whole as one rigid body loses nothing; at random states, and over time in every formulation. */
#include "support/run_model.h"

#include "api/api.h"
#include "form/form.h"

static double rnd(void) { return 2.0 * rand() / RAND_MAX - 1; }

typedef struct loaded {
    limber_model *model;
    limber_messages *msg;
    lm_system *sys;
    double *q, *v, *a, *lam;
} loaded;

/* Two bodies, a beam and a superelement, joined by what is tried, moved at random. */
static loaded load(const char *joined, double damping, unsigned seed)
{
    char text[3000], set[40];
    loaded l = {.msg = limber_messages_new()};
    snprintf(set, sizeof set, "c: %g", damping);
    snprintf(text, sizeof text,
             "limber: 1\nparameters: {%s}\n"
             "sections: {s: {shape: stiffness, EA: 90, EIy: 5, EIz: 4, GJ: 3, rhoA: 2, rhoIy: 0.03,"
             " rhoIz: 0.02, damping: {mass: 0, stiffness: 0.3*c}}}\n"
             "bodies:\n"
             "  a: {type: rigid, mass: 1, inertia: [1, 2, 3], position: [0.3, 0.1, -0.2],"
             " frames: {p: [0.5, 0.2, 0.1]}}\n"
             "  b: {type: rigid, mass: 2, inertia: [3, 1, 2.5], position: [1.3, -0.1, 0.4],"
             " frames: {p: {position: [-0.5, 0.4, -0.5], orientation: {axis: [1, 2, 3], angle: "
             "0.4}}, o: [0.1, 0.2, 0.7]}}\n"
             "  w: {type: beam, section: s, points: [[0, 0, 0], [1, 0.3, 0], [2, 0.2, 0.4]],"
             " elements: 4}\n"
             "  u: {type: superelement, beam: {section: s, length: 1.5}, frame: FRAME}\n"
             "%s\n",
             set, joined);
    static const char *const frames[] = {"mean ", "chord", "start"};
    memcpy(strstr(text, "FRAME"), frames[seed % 3], 5);
    if (limber_model_parse(text, strlen(text), "model", NULL, &l.model, l.msg)) {
        limber_messages_print(l.msg, stderr);
        fail();
    }
    const lm_form *form = lm_form_get(l.model->m.spec->formulation.type);
    assert_int_equal(lm_system_create(form, &l.model->m, &l.msg->diag, &l.sys), LIMBER_OK);
    size_t n = (size_t)(l.sys->nv + l.sys->nl);
    double *dx = calloc(n, 8);
    l.q = calloc((size_t)l.sys->nq, 8);
    l.v = calloc(n, 8), l.a = calloc(n, 8), l.lam = calloc(n, 8);
    srand(seed);
    l.sys->form->initial(l.sys, l.q, l.v);
    l.sys->form->select_rows(l.sys, 0, l.q, 0);
    for (int i = 0; i < l.sys->nv; i++) dx[i] = 0.3 * rnd(), l.v[i] = rnd();
    l.sys->form->retract(l.sys, l.q, dx, l.q);
    free(dx);
    return l;
}

static void drop(loaded *l)
{
    free(l->q), free(l->v), free(l->a), free(l->lam);
    l->sys->form->destroy(l->sys);
    limber_model_free(l->model);
    limber_messages_free(l->msg);
}

static void residual(loaded *l, double *r)
{
    lm_state st = {0, l->q, l->v, l->a, l->lam};
    assert_int_equal(l->sys->form->residual(l->sys, &st, r, r + l->sys->nv, NULL), 0);
}

static double power(loaded *l)
{
    lm_energy e = {0};
    lm_state st = {0, l->q, l->v, l->a, l->lam};
    assert_int_equal(l->sys->form->energy(l->sys, &st, &e), 0);
    return e.dissipation;
}

#define COMPLIANT "between: [a.p, b.p], compliant: {stiffness: [3, 2], damping: [2*c, 3*c]}"

static const char *const dampers[] = {
    "", /* those of the beam and the superelement */
    "joints: {j: {type: fixed, " COMPLIANT "}}",
    "joints: {j: {type: revolute, axis: [1, 2, 0], damping: c, friction: 2*c, " COMPLIANT "}}",
    "joints: {j: {type: prismatic, axis: [1, 2, 0], damping: c, friction: 2*c, " COMPLIANT "}}",
    "joints: {j: {type: cylindrical, axis: [1, 2, 0], damping: {angle: c, displacement: 2*c}, "
    "assemble: true, " COMPLIANT "}}",
    "joints: {j: {type: spherical, " COMPLIANT "}}",
    "joints: {j: {type: universal, axes: [x, [0, 1, 2]], damping: {angle1: c, angle2: 2*c}, "
    "friction: {angle1: c, angle2: c}, " COMPLIANT "}}",
    "joints: {j: {type: planar, axis: [1, 2, 3], damping: {angle: c, x: 2*c, y: 3*c}, " COMPLIANT
    "}}",
    "joints: {j: {type: inline, axis: [1, 2, 3], damping: c, assemble: true, " COMPLIANT "}}",
    "joints: {j: {type: distance, between: [a.p, b.o], damping: 2*c, friction: c, "
    "compliant: {stiffness: 4, damping: 3*c}}}",
    "forces: {f: {type: spring, between: [a.p, b.o], stiffness: 3, damping: 2*c}}",
    "forces: {f: {type: bushing, between: [b.p, a], stiffness: [1, 2, 3, 4, 5, 6], "
    "damping: [c, 2*c, 3*c, 4*c, 5*c, 6*c]}}",
    "forces: {f: {type: bushing, between: [a.p, w.end], damping: [c, 2*c, 3*c, 4*c, 5*c, 6*c]}}",
    "forces: {f: {type: bushing, between: [u.end, w.node(1)], damping: [0, 0, 3*c, 4*c, 0, 6*c]}}"};
enum { DAMPERS = sizeof dampers / sizeof *dampers };

static void balance(void **state)
{
    (void)state;
    for (unsigned k = 0; k < 6 * DAMPERS; k++) {
        loaded l = load(dampers[k / 6], 0.7, k), o = load(dampers[k / 6], 0, k);
        size_t n = (size_t)(l.sys->nv + l.sys->nl);
        double *r = calloc(n, 8), *r0 = calloc(n, 8), lost = 0, all = 0;
        lm_v3 F = v3(0, 0, 0), M = v3(0, 0, 0);
        residual(&l, r), residual(&o, r0);
        for (int i = 0; i < l.sys->nv; i++) {
            r[i] -= r0[i], lost += r[i] * l.v[i], all += fabs(r[i]) + 1e-2 * fabs(r0[i]);
        }
        for (int i = 0; 6 * i < l.sys->nv; i++) {
            lm_v3 f = v3_from(r + 6 * i);
            F = v3_add(F, f);
            M = v3_add(M, v3_add(v3_from(r + 6 * i + 3), v3_cross(v3_from(l.q + 7 * i), f)));
        }
        assert_true(lost > 0.01);
        assert_near(v3_norm(F), 0, 1e-13 * all);
        assert_near(v3_norm(M), 0, 1e-13 * all);
        assert_near(power(&l), lost, 1e-13 * all);
        free(r), free(r0);
        drop(&l), drop(&o);
    }
}

/* Any shape, any gap in the joints: as one rigid body it loses nothing. */
static void rigid_motion(void **state)
{
    (void)state;
    for (unsigned k = 0; k < 6 * DAMPERS; k++) {
        loaded l = load(dampers[k / 6], 0.7, k);
        double twist[6];
        assert_true(power(&l) > 0.01);
        for (int i = 0; i < 6; i++) twist[i] = rnd();
        l.sys->form->rigid_velocity(l.sys, l.q, twist, l.v);
        assert_near(power(&l), 0, 1e-24);
        drop(&l);
    }
}

/* ---- over time ---- */

static const char *const formulations[] = {"corotational", "minimal", "rfe", "ffr",
                                           "elastodynamic"};

/* A body that tumbles in an isotropic rotational damper. The end is that of Euler's equations
 * J w' = -w x J w - C w, solved apart (DOP853, 1e-12): 37.8530995. */
static void tumbling(void **state)
{
    (void)state;
    static const char text[] =
        "limber: 1\n"
        "bodies: {b: {type: rigid, mass: 1, inertia: [1, 2, 3]}}\n"
        "joints: {j: {type: spherical, between: [ground, b]}}\n"
        "forces: {f: {type: bushing, between: [ground, b], damping: [0, 0, 0, 0.3, 0.3, 0.3]}}\n"
        "initial: {velocity: {b: {angular: [5, 3, 8]}}}\n"
        "analysis: {type: dynamics, until: 5, output_step: 5, tolerance: 1e-8}\n"
        "outputs: {E: energy.kinetic}\n";
    for (int k = 0; k < 5; k++) {
        table r = run_model(&(run_how){.text = text, .formulation = formulations[k]});
        assert_near(table_last(&r, "E"), 37.8530995, 2e-7);
        assert_under(r.sum.energy_error, 1e-7);
        table_free(&r);
    }
}

/* Two free bodies with inertias equal about all axes, so that their angular momentum is simple. */
#define PAIR                                                                                       \
    "limber: 1\n"                                                                                  \
    "parameters: {c: 2}\n"                                                                         \
    "bodies:\n"                                                                                    \
    "  a: {type: rigid, mass: 1, inertia: [0.5, 0.5, 0.5], frames: {p: [0.5, 0.2, 0.1]}}\n"        \
    "  b: {type: rigid, mass: 2, inertia: [0.2, 0.2, 0.2], position: [1, -0.1, 0.4],\n"            \
    "    frames: {p: {position: [-0.5, 0.3, -0.3], orientation: {axis: [1, 2, 3], angle: 0.4}},\n" \
    "    o: [0.1, 0.2, 0.7]}}\n"                                                                   \
    "%s\n"                                                                                         \
    "initial: {velocity: {a: {linear: [0, 0, 0], angular: [1, 5, -3]},\n"                          \
    "  b: {linear: [0, -3, 1], angular: [2, 1, 4]}}}\n"                                            \
    "analysis: {type: dynamics, until: 1, output_step: 0.25, tolerance: 1e-7}\n"                   \
    "outputs:\n"                                                                                   \
    "  x: 0.5*omega(a).x + 0.2*omega(b).x + pos(a).y*vel(a).z - pos(a).z*vel(a).y\n"               \
    "    + 2*(pos(b).y*vel(b).z - pos(b).z*vel(b).y)\n"                                            \
    "  y: 0.5*omega(a).y + 0.2*omega(b).y + pos(a).z*vel(a).x - pos(a).x*vel(a).z\n"               \
    "    + 2*(pos(b).z*vel(b).x - pos(b).x*vel(b).z)\n"                                            \
    "  z: 0.5*omega(a).z + 0.2*omega(b).z + pos(a).x*vel(a).y - pos(a).y*vel(a).x\n"               \
    "    + 2*(pos(b).x*vel(b).y - pos(b).y*vel(b).x)\n"                                            \
    "  e: energy.total\n"

static void angular_momentum(void **state)
{
    (void)state;
    for (unsigned k = 1; k < 12 * 5; k++) {
        char text[3000];
        if (k / 5 == 0) continue;
        snprintf(text, sizeof text, PAIR, dampers[k / 5]);
        table r = run_model(&(run_how){.text = text, .formulation = formulations[k % 5]});
        static const char *const of[] = {"x", "y", "z"};
        for (int i = 0; i < 3; i++)
            assert_near(table_last(&r, of[i]), table_first(&r, of[i]), 3e-6);
        assert_true(table_last(&r, "e") < table_first(&r, "e") - 0.05);
        assert_under(r.sum.energy_error, 1e-5);
        table_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(balance), cmocka_unit_test(rigid_motion),
                                       cmocka_unit_test(tumbling),
                                       cmocka_unit_test(angular_momentum)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
