/* Damping of beams by mass: the ratio alpha/(2 omega) in every mode however the joints hold the beam and
 * whichever way it is drawn, nothing taken from rigid motions, balance of momentum and energy. */
#include "support/modes.h"

#include "api/api.h"
#include "form/form.h"

enum { ALPHA = 3 };

#define SECTION                                                                                    \
    "limber: 1\n"                                                                                  \
    "sections: {s: {shape: stiffness, EA: %g, EIy: 500, EIz: 4e4, GJ: 1e4, rhoA: 2, rhoIy: %s,\n"  \
    "  rhoIz: 1e-3, damping: {mass: %g}}}\n"

/* ---- damping ratios ---- */

static const char *const formulations[] = {"corotational", "minimal",
                                           "{type: rfe, coordinates: absolute}",
                                           "{type: rfe, coordinates: joint}", "ffr"};
enum { FORMULATIONS = sizeof formulations / sizeof *formulations };

static table modes_by(const char *formulation, double EA, const char *spin, const char *bodies,
                      const char *joints)
{
    char text[1500];
    snprintf(text, sizeof text,
             SECTION "bodies: {%s}\njoints: {%s}\nformulation: %s\n"
                     "analysis: {type: modes, count: 10}\n",
             EA, spin, (double)ALPHA, bodies, joints, formulation);
    return run_model(&(run_how){.text = text});
}

/* Ratios of the modes that vibrate against alpha/(2 omega); how many there were. */
static int check_ratios(const char *bodies, const char *joints, const char *formulation,
                        const char *spin)
{
    table r = modes_by(formulation, 1e6, spin, bodies, joints);
    int n = 0;
    for (int i = 0; i < r.rows; i++) {
        double omega = table_get(&r, i, "omega"), ratio = table_get(&r, i, "damping_ratio");
        if (omega < 1) continue;
        n++;
        assert_near(ratio * 2 * omega / ALPHA, 1, 1e-5);
    }
    table_free(&r);
    return n;
}

#define FORWARD  "b: {type: beam, section: s, from: [0, 0, 0], to: [1.5, 0, 0], elements: 8}"
#define BACKWARD "b: {type: beam, section: s, from: [1.5, 0, 0], to: [0, 0, 0], elements: 8}"

static void both_ways(const char *near, const char *far, int least)
{
    for (int k = 0; k < FORMULATIONS; k++)
        for (int back = 0; back < 2; back++) {
            char joints[600], a[250], e[250];
            snprintf(a, sizeof a, near, back ? "b.end" : "b.start");
            snprintf(e, sizeof e, far, back ? "b.start" : "b.end");
            snprintf(joints, sizeof joints, "%s%s%s", a, *a && *e ? ", " : "", e);
            int n = check_ratios(back ? BACKWARD : FORWARD, joints, formulations[k], "1e-3");
            assert_true(n >= least);
        }
}

static void clamped(void **state)
{
    (void)state;
    both_ways("a: {type: fixed, between: [ground, %s]}", "", 10);
    both_ways("a: {type: fixed, between: [ground, %s]}",
              "e: {type: inline, between: [ground, %s], axis: x}", 10);
    both_ways("a: {type: revolute, between: [ground, %s], axis: y, drive: 0}", "", 10);
    both_ways("a: {type: prismatic, between: [ground, %s], axis: z}", "", 9);
}

static void compliant(void **state)
{
    (void)state;
    both_ways("a: {type: fixed, between: [ground, %s], compliant: {stiffness: 1e12}}", "", 10);
    both_ways("a: {type: revolute, between: [ground, %s], axis: y}",
              "e: {type: inline, between: [ground, %s], axis: x, compliant: {stiffness: 1e12}}",
              10);
}

/* Bushings hold in the directions in which they are stiff. */
static void bushings(void **state)
{
    (void)state;
#define STIFF(name, turns)                                                                         \
    name ": {type: bushing, between: [ground, %s], stiffness: [1e12, 1e12, 1e12, " turns "]}"
    both_ways("}\nforces: {" STIFF("a", "1e12, 1e12, 1e12"), "", 10);
    both_ways("}\nforces: {" STIFF("a", "1e12, 0, 0"), STIFF("e", "0, 0, 0"), 10);
    both_ways("}\nforces: {" STIFF("a", "0, 0, 0"), STIFF("e", "0, 0, 0"), 8);
    both_ways("a: {type: revolute, between: [ground, %s], axis: y}",
              "}\nforces: {" STIFF("e", "0, 0, 0"), 8);
    both_ways("}\nforces: {a: {type: bushing, between: [ground, %s], stiffness: [1e-3, 1e-3, "
              "1e-3, 1e-3, 1e-3, 1e-3]}",
              "", 4);
}

static void hinged_at_both_ends(void **state)
{
    (void)state;
    both_ways("a: {type: revolute, between: [ground, %s], axis: y}",
              "e: {type: inline, between: [%s, ground], axis: x}", 10);
    both_ways("a: {type: spherical, between: [ground, %s]}",
              "e: {type: spherical, between: [%s, ground]}", 9);
    both_ways("a: {type: spherical, between: [ground, %s]}",
              "e: {type: revolute, between: [ground, %s], axis: z}", 10);
}

static void hinged_at_one_end(void **state)
{
    (void)state;
    both_ways("a: {type: revolute, between: [ground, %s], axis: y}", "", 9);
    both_ways("a: {type: spherical, between: [ground, %s]}", "", 7);
    both_ways("a: {type: universal, between: [ground, %s], axes: [y, z]}", "", 8);
}

static void held_inside(void **state)
{
    (void)state;
    both_ways("a: {type: fixed, between: [ground, b.node(4)]}", "", 10);
    both_ways("a: {type: revolute, between: [ground, b.node(3)], axis: y}",
              "e: {type: inline, between: [ground, b.node(6)], axis: x}", 10);
}

static void free_in_space(void **state)
{
    (void)state;
    for (int k = 0; k < FORMULATIONS; k++)
        for (int back = 0; back < 2; back++)
            assert_true(check_ratios(back ? BACKWARD : FORWARD, "", formulations[k], "1e-3") >= 4);
}

/* Sections that have no inertia about the axis of the beam. */
static void without_spin(void **state)
{
    (void)state;
    assert_true(check_ratios(FORWARD, "a: {type: spherical, between: [ground, b.start]}",
                             "corotational", "0") >= 6);
}

/* A mass at the tip does not hold a beam, but has its share in the rigid part of the motion: the vibrations of
 * a pendulum are damped as those against a rigid motion that is known, which is what `elastodynamic` has. */
static void with_a_weight(void **state)
{
    (void)state;
    for (int heavy = 0; heavy < 2; heavy++)
        for (int k = 0; k < FORMULATIONS; k++) {
            char bodies[400];
            snprintf(bodies, sizeof bodies,
                     FORWARD ", bob: {type: rigid, mass: %g, inertia: [1e-5, 1e-5, 1e-5], "
                             "position: [1.5, 0, 0]}",
                     heavy ? 20. : 0.05);
            static const char joints[] = "a: {type: revolute, between: [ground, b.start], axis: y},"
                                         "t: {type: fixed, between: [b.end, bob]}";
            table a = modes_by(formulations[k], 1e8, "1e-3", bodies, joints);
            table b = modes_by("elastodynamic", 1e8, "1e-3", bodies, joints);
            for (int i = 0, j = 0, n = 0; n < 6; i++, j++, n++) {
                while (table_get(&a, i, "omega") < 1) i++;
                while (table_get(&b, j, "omega") < 1) j++;
                double decay = table_get(&b, j, "omega") * table_get(&b, j, "damping_ratio");
                double found = table_get(&a, i, "omega") * table_get(&a, i, "damping_ratio");
                assert_near(found / decay, 1, 0.005);
            }
            table_free(&a), table_free(&b);
        }
}

/* ---- any state ---- */

static double rnd(void) { return 2.0 * rand() / RAND_MAX - 1; }

typedef struct loaded {
    limber_model *model;
    limber_messages *msg;
    lm_system *sys;
    double *q, *v, *a, *lam;
} loaded;

/* The mechanism, bent and turned at random. */
static loaded load(const char *joints, const char *formulation, double alpha, unsigned seed)
{
    char text[2000];
    loaded l = {.msg = limber_messages_new()};
    snprintf(text, sizeof text,
             "limber: 1\n"
             "sections: {s: {shape: stiffness, EA: 90, EIy: 5, EIz: 4, GJ: 3, rhoA: 2, rhoIy: 0.03,"
             " rhoIz: 0.02, damping: {mass: %g}}}\n"
             "bodies:\n"
             "  b: {type: beam, section: s, points: [[0, 0, 0], [1, 0.3, 0], [2, 0.2, 0.4]],"
             " elements: 4}\n"
             "  k: {type: rigid, mass: 1, inertia: [1, 1, 1], position: [2, 0.2, 0.4]}\n"
             "joints: {%s}\nformulation: %s\n",
             alpha, joints, formulation);
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
    for (int i = 0; i < l.sys->nv; i++) dx[i] = 0.2 * rnd(), l.v[i] = rnd();
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

/* Every way to hold a beam. */
static const char *const holds[] = {
    "",
    "a: {type: fixed, between: [ground, b.start]}",
    "a: {type: fixed, between: [ground, b.end]}",
    "a: {type: revolute, between: [ground, b.start], axis: [1, 2, 0]}",
    "a: {type: universal, between: [b.end, ground], axes: [x, y]}",
    "a: {type: spherical, between: [ground, b.end]}",
    "a: {type: inline, between: [ground, b.start], axis: y}",
    "a: {type: planar, between: [ground, b.node(1)], axis: z}",
    "a: {type: revolute, between: [ground, b.start], axis: z}, e: {type: spherical, between: "
    "[ground, b.end]}",
    "a: {type: spherical, between: [ground, b.start]}, e: {type: spherical, between: [ground, "
    "b.node(3)]}",
    "a: {type: revolute, between: [ground, b.start], axis: z}, e: {type: fixed, between: [b.end, "
    "k]}",
    "e: {type: fixed, between: [b.end, k]}",
    "a: {type: revolute, between: [ground, k], axis: [1, 1, 0]}, e: {type: universal, between: [k, "
    "b.end], axes: [x, y]}"};
enum { HOLDS = sizeof holds / sizeof *holds };

/* The damping forces: in balance, and their power is what is lost. */
static void balance(void **state)
{
    (void)state;
    for (unsigned k = 0; k < HOLDS; k++) {
        loaded l = load(holds[k], "corotational", 0.7, k), o = load(holds[k], "corotational", 0, k);
        size_t n = (size_t)(l.sys->nv + l.sys->nl);
        double *r = calloc(n, 8), *r0 = calloc(n, 8), lost = 0, all = 0;
        lm_v3 F = v3(0, 0, 0), M = v3(0, 0, 0);
        residual(&l, r), residual(&o, r0);
        for (int i = 0; i < l.sys->nv; i++) r[i] -= r0[i], lost += r[i] * l.v[i], all += fabs(r[i]);
        for (int i = 0; 6 * i < l.sys->nv; i++) {
            lm_v3 f = v3_from(r + 6 * i);
            F = v3_add(F, f);
            M = v3_add(M, v3_add(v3_from(r + 6 * i + 3), v3_cross(v3_from(l.q + 7 * i), f)));
        }
        assert_true(lost > 0.01);
        assert_near(v3_norm(F), 0, 1e-13 * all);
        assert_near(v3_norm(M), 0, 1e-13 * all);
        assert_near(power(&l) - power(&o), lost, 1e-13 * all);
        free(r), free(r0);
        drop(&l), drop(&o);
    }
}

/* A beam of any shape that moves as a rigid body loses nothing. */
static void rigid_motion(void **state)
{
    (void)state;
    static const char *const forms[] = {"corotational", "{type: rfe, coordinates: absolute}"};
    for (unsigned k = 0; k < 2 * HOLDS; k++) {
        loaded l = load(holds[k / 2], forms[k % 2], 0.7, k);
        double twist[6];
        assert_true(power(&l) > 0.01);
        for (int i = 0; i < 6; i++) twist[i] = rnd();
        l.sys->form->rigid_velocity(l.sys, l.q, twist, l.v);
        assert_near(power(&l), 0, 1e-24);
        drop(&l);
    }
}

/* D of the tangent against differences. */
static void tangent(void **state)
{
    (void)state;
    static const char *const forms[] = {"corotational", "{type: rfe, coordinates: absolute}",
                                        "minimal"};
    for (unsigned k = 0; k < 3 * HOLDS; k++) {
        loaded l = load(holds[k / 3], forms[k % 3], 0.7, k);
        int n = l.sys->nv + l.sys->nl;
        const lm_pattern *p = &l.sys->pattern;
        double *values = calloc((size_t)p->nnz, 8), *column = calloc((size_t)n, 8);
        double *r[2] = {calloc((size_t)n, 8), calloc((size_t)n, 8)};
        lm_state st = {0, l.q, l.v, l.a, l.lam};
        residual(&l, r[0]);
        l.sys->form->jacobian(l.sys, &st, 0, 1, 0, values);
        for (int c = 0; c < l.sys->nv; c++) {
            for (int i = 0; i < 2; i++) {
                l.v[c] += i ? 2e-4 : -1e-4;
                residual(&l, r[i]);
            }
            l.v[c] -= 1e-4;
            memset(column, 0, sizeof(double) * (size_t)n);
            for (int i = p->colptr[c]; i < p->colptr[c + 1]; i++) column[p->rowind[i]] = values[i];
            for (int i = 0; i < l.sys->nv; i++)
                assert_near(column[i], (r[1][i] - r[0][i]) / 2e-4, 2e-8 * (1 + fabs(column[i])));
        }
        free(values), free(column), free(r[0]), free(r[1]);
        drop(&l);
    }
}

/* r(v) - r(0) at positions moved by s along one coordinate, added to out with the weight w. */
static void add_velocity_part(const loaded *l, int along, double s, double w, double *out)
{
    size_t n = (size_t)(l->sys->nv + l->sys->nl);
    double *dx = calloc(4 * n, 8), *zero = dx + n, *r = zero + n,
           *q = calloc((size_t)l->sys->nq, 8);
    dx[along] = s;
    assert_int_equal(l->sys->form->retract(l->sys, l->q, dx, q), 0);
    for (int rest = 0; rest < 2; rest++) {
        lm_state st = {0, q, rest ? zero : l->v, zero, l->lam};
        assert_int_equal(l->sys->form->residual(l->sys, &st, r, r + l->sys->nv, NULL), 0);
        for (int i = 0; i < l->sys->nv; i++) out[i] += (rest ? -w : w) * r[i];
    }
    free(dx), free(q);
}

/* K with all its terms: what the velocities add to it, against differences. */
static void turning_tangent(void **state)
{
    (void)state;
    static const char *const forms[] = {"corotational", "{type: rfe, coordinates: absolute}",
                                        "minimal", "ffr"};
    const double h = 1e-4;
    for (unsigned k = 0; k < 4 * HOLDS; k++) {
        loaded l = load(holds[k / 4], forms[k % 4], 0.7, k);
        int n = l.sys->nv + l.sys->nl;
        const lm_pattern *p = &l.sys->pattern;
        double *K[2] = {calloc((size_t)p->nnz, 8), calloc((size_t)p->nnz, 8)};
        double *column = calloc(2 * (size_t)n, 8), *want = column + n;
        for (int rest = 0; rest < 2; rest++) {
            lm_state st = {0, l.q, rest ? l.a : l.v, l.a, l.lam};
            l.sys->exact_tangent = 1;
            assert_int_equal(l.sys->form->jacobian(l.sys, &st, 0, 0, 1, K[rest]), 0);
        }
        for (int c = 0; c < l.sys->nv; c++) {
            memset(column, 0, sizeof(double) * 2 * (size_t)n);
            for (int i = p->colptr[c]; i < p->colptr[c + 1]; i++)
                column[p->rowind[i]] = K[0][i] - K[1][i];
            for (int side = -1; side < 2; side += 2) {
                add_velocity_part(&l, c, side * h, -side / (6 * h), want);
                add_velocity_part(&l, c, side * h / 2, 4 * side / (3 * h), want);
            }
            for (int i = 0; i < l.sys->nv; i++)
                assert_near(column[i], want[i], 2e-8 * (1 + fabs(want[i])));
        }
        free(K[0]), free(K[1]), free(column);
        drop(&l);
    }
}

/* ---- motions ---- */

/* Energy is lost by the damping of the rod alone, and as much whichever way it is drawn. */
static const char mechanism[] =
    "limber: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "sections: {s: {shape: stiffness, EA: 1e5, EIy: 300, EIz: 300, GJ: 200, rhoA: 1.5, rhoIy: "
    "1e-4,\n"
    "  rhoIz: 1e-4, damping: {mass: 4}}}\n"
    "bodies:\n"
    "  crank: {type: rigid, mass: 2, inertia: [0.01, 0.05, 0.05], position: [0.15, 0, 0]}\n"
    "  rod: {type: beam, section: s, from: [0.3, 0, 0], to: [1.3, 0, 0], elements: 6}\n"
    "  slider: {type: rigid, mass: 1, inertia: [1, 1, 1], position: [1.3, 0, 0]}\n"
    "joints:\n"
    "  a: {type: revolute, between: [ground, crank], at: [0, 0, 0], axis: z}\n"
    "  b: {type: revolute, between: [crank, rod.start], at: [0.3, 0, 0], axis: z}\n"
    "  c: {type: revolute, between: [rod.end, slider], axis: z}\n"
    "  d: {type: prismatic, between: [ground, slider], axis: x}\n"
    "initial: {a: {rate: 30}}\n"
    "analysis: {type: dynamics, until: 0.2, tolerance: 1e-7, output_step: 0.1}\n"
    "outputs: {e: energy.total}\n";

static void slider_crank(void **state)
{
    (void)state;
    static const char *const forms[] = {"corotational", "corotational", "minimal", "ffr"};
    double lost[4];
    for (int k = 0; k < 4; k++) {
        run_how how = {.text = mechanism, .formulation = forms[k]};
        if (k == 1) {
            memcpy(how.swap,
                   (const char *[][2]){
                       {"from: [0.3, 0, 0], to: [1.3, 0, 0]", "from: [1.3, 0, 0], to: [0.3, 0, 0]"},
                       {"rod.start", "rod.END"},
                       {"rod.end", "rod.start"},
                       {"rod.END", "rod.end"}},
                   sizeof(const char *[4][2]));
        }
        table r = run_model(&how);
        lost[k] = table_first(&r, "e") - table_last(&r, "e");
        assert_under(r.sum.energy_error, 1e-8);
        table_free(&r);
    }
    assert_true(lost[0] > 0.1);
    assert_near(lost[1], lost[0], 1e-4 * lost[0]);
    assert_near(lost[2], lost[0], 1e-4 * lost[0]);
    assert_near(lost[3], lost[0], 0.05 * lost[0]);
}

static void out_of_memory(void **state)
{
    (void)state;
    char path[500];
    snprintf(path, sizeof path, "%s/mass_damping.h5", getenv("SCRATCH"));
    for (int k = 0; k < FORMULATIONS; k++) {
        char text[1000];
        snprintf(text, sizeof text,
                 SECTION "bodies: {b: {type: beam, section: s, from: [0, 0, 0], to: [1.5, 0, 0], "
                         "elements: 2}}\n"
                         "joints: {a: {type: spherical, between: [ground, b.start]}}\n"
                         "formulation: %s\nanalysis: {type: modes, count: 2}\n",
                 1e6, "1e-3", (double)ALPHA, formulations[k]);
        every_allocation_fails(text, path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clamped),           cmocka_unit_test(compliant),
        cmocka_unit_test(bushings),          cmocka_unit_test(hinged_at_both_ends),
        cmocka_unit_test(hinged_at_one_end), cmocka_unit_test(held_inside),
        cmocka_unit_test(free_in_space),     cmocka_unit_test(without_spin),
        cmocka_unit_test(with_a_weight),     cmocka_unit_test(balance),
        cmocka_unit_test(rigid_motion),      cmocka_unit_test(tangent),
        cmocka_unit_test(turning_tangent),   cmocka_unit_test(slider_crank),
        cmocka_unit_test(out_of_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
