/* Beams that bend, twist, shear and stretch in space, against Reissner's equations integrated here, and
 * identities: under couples alone shear does nothing; a beam drawn from its other end, turned, mirrored;
 * columns and stretched beams with shear against closed forms. All coefficients are different. */
#include "support/listen.h"
#include "support/ode.h"

#define PI 3.14159265358979323846

/* ---- a clamped beam with a dead force and moment at its tip ---- */

/* Reissner's equations in terms of the position, the section's axes (by columns) and the moment:
 *     x' = R (e1 + C_n^-1 R^T n),   R' = R [C_m^-1 R^T m],   m' = -x' x n,   n constant. */
typedef struct rod {
    double EA, GA[2], GJ, EI[2], L;
    double n[3], m[3]; /* at the tip */
} rod;

enum { X, R = 3, M = 12, SIZE = 15 };

static double along(const double *axis, const double *v)
{
    return axis[0] * v[0] + axis[1] * v[1] + axis[2] * v[2];
}
static void cross(const double *a, const double *b, double *out)
{
    for (int i = 0; i < 3; i++)
        out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static void reissner(const void *context, double s, const double *y, double *dy)
{
    const rod *r = context;
    const double *e[3] = {y + R, y + R + 3, y + R + 6};
    const double gamma[3] = {1 + along(e[0], r->n) / r->EA, along(e[1], r->n) / r->GA[0],
                             along(e[2], r->n) / r->GA[1]};
    const double kappa[3] = {along(e[0], y + M) / r->GJ, along(e[1], y + M) / r->EI[0],
                             along(e[2], y + M) / r->EI[1]};
    double turn[3];
    (void)s;
    for (int i = 0; i < 3; i++) {
        dy[X + i] = gamma[0] * e[0][i] + gamma[1] * e[1][i] + gamma[2] * e[2][i];
        turn[i] = kappa[0] * e[0][i] + kappa[1] * e[1][i] + kappa[2] * e[2][i];
    }
    for (int k = 0; k < 3; k++) cross(turn, e[k], dy + R + 3 * k);
    cross(r->n, dy + X, dy + M);
}

/* From the clamp with the moment m0: the moment at the tip less what it should be. */
static void shoot(const rod *r, const double *m0, double *y, double *miss)
{
    memset(y, 0, SIZE * sizeof *y);
    y[R] = y[R + 4] = y[R + 8] = 1;
    memcpy(y + M, m0, 3 * sizeof *y);
    ode_rk4(reissner, r, SIZE, y, 0, r->L, 400);
    for (int i = 0; i < 3; i++) miss[i] = y[M + i] - r->m[i];
}

/* The tip under the load, by Newton's method along 20 parts of it. */
static void tip_of(rod r, double *y)
{
    double m0[3] = {0}, miss[3], more[3], J[9], step[3];
    const rod full = r;
    for (int part = 1; part <= 20; part++) {
        for (int i = 0; i < 3; i++) r.n[i] = full.n[i] * part / 20, r.m[i] = full.m[i] * part / 20;
        for (int turn = 0; turn < 8; turn++) {
            shoot(&r, m0, y, miss);
            for (int k = 0; k < 3; k++) {
                double moved[3] = {m0[0], m0[1], m0[2]}, h = 1e-5 * (1 + fabs(m0[k]));
                moved[k] += h;
                shoot(&r, moved, y, more);
                for (int i = 0; i < 3; i++) J[3 * i + k] = (more[i] - miss[i]) / h;
            }
            ode_solve(3, J, miss, step);
            for (int i = 0; i < 3; i++) m0[i] -= step[i];
        }
    }
    shoot(&r, m0, y, miss);
}

static const char cantilever[] =
    "limber: 1\n"
    "parameters: {N: 16, Fx: 0, Fy: 0, Fz: 0, Mx: 0, My: 0, Mz: 0, soft: 1}\n"
    "sections: {s: {shape: stiffness, EA: 300*soft, GAy: 60*soft, GAz: 90*soft, GJ: 1.3, EIy: 2, "
    "EIz: 5, rhoA: 1, rhoIy: 1, rhoIz: 1}}\n"
    "bodies: {b: {type: beam, theory: timoshenko, section: s, from: [0, 0, 0], to: [1.2, 0, 0], "
    "elements: N, y_axis: y}}\n"
    "joints: {c: {type: fixed, between: [ground, b.start]}}\n"
    "loads: {t: {on: b.end, axes: global, force: [Fx, Fy, Fz], torque: [Mx, My, Mz]}}\n"
    "analysis: {type: statics}\n"
    "outputs: {p: pos(b.end), r: rot(b.end), N: \"section(b, 1).N\", Vy: \"section(b, 1).Vy\", "
    "Vz: \"section(b, 1).Vz\", T: \"section(b, 0).T\", My: \"section(b, 0).My\", "
    "Mz: \"section(b, 0).Mz\", Q: \"section(b, 0.5).Vy\"}\n";

/* Bent and twisted, stretched, compressed; shear angles of a tenth. */
static const double loads[][6] = {
    {2, -6, 4, 1.5, -3, 2}, {20, 5, 3, -1.2, 1, 4}, {-3, 2, -1, 1, 2.5, -3}, {0, 0, 0, 1.5, -3, 4}};

enum { LOADS = sizeof loads / sizeof *loads, SAME = 9 };
static const char *const same[SAME] = {"p.x", "p.y", "p.z", "N", "Vy", "Vz", "T", "My", "Mz"};

static rod rod_of(const double *load, double soft)
{
    rod r = {300 * soft, {60 * soft, 90 * soft}, 1.3, {2, 5}, 1.2, {0}, {0}};
    for (int i = 0; i < 3; i++) r.n[i] = load[i], r.m[i] = load[3 + i];
    return r;
}

/* What the model says of itself, by the equations. */
static void exact_of(const double *load, double soft, double *out)
{
    rod r = rod_of(load, soft);
    double y[SIZE], none[SIZE], miss[3];
    tip_of(r, y);
    for (int i = 0; i < 3; i++) out[i] = y[X + i], out[3 + i] = along(y + R + 3 * i, r.n);
    double arm[3], m0[3];
    cross(y + X, r.n, arm);
    for (int i = 0; i < 3; i++) m0[i] = r.m[i] + arm[i], out[6 + i] = m0[i];
    shoot(&r, m0, none, miss); /* the moment at the clamp balances the loads */
    for (int i = 0; i < 3; i++) assert_under(fabs(miss[i]), 1e-8);
}

static table bend(const double *load, int n, double soft, const char *formulation)
{
    static const char *const name[6] = {"Fx", "Fy", "Fz", "Mx", "My", "Mz"};
    char set[8][40];
    run_how how = {.text = cantilever, .formulation = formulation};
    for (int i = 0; i < 6; i++) snprintf(set[i], sizeof *set, "%s=%.17g", name[i], load[i]);
    snprintf(set[6], sizeof *set, "N=%d", n);
    snprintf(set[7], sizeof *set, "soft=%.17g", soft);
    for (int i = 0; i < 8; i++) how.set[i] = set[i];
    return run_model(&how);
}

/* The largest difference of positions and section forces. */
static double error_of(const double *load, int n, double soft, const char *formulation)
{
    double exact[SAME], worst = 0;
    table t = bend(load, n, soft, formulation);
    exact_of(load, soft, exact);
    for (int i = 0; i < SAME; i++) worst = fmax(worst, fabs(table_last(&t, same[i]) - exact[i]));
    table_free(&t);
    return worst;
}

/* With shear a rest of second order is left, as small as the shear angle; without, and where there is no
 * shear force, errors are of fourth order. */
static void reissners_equations(void **state)
{
    (void)state;
    for (int k = 0; k < LOADS; k++) {
        double e8 = error_of(loads[k], 8, 1, "corotational"),
               e16 = error_of(loads[k], 16, 1, "corotational");
        assert_between(log2(e8 / e16), 1.9, 4.2);
        assert_under(e16, 0.0035);
        assert_under(fabs(error_of(loads[k], 16, 1, "minimal") - e16), 1e-8);
    }
    double r16 = error_of(loads[0], 16, 1, "rfe"), r32 = error_of(loads[0], 32, 1, "rfe");
    assert_between(log2(r16 / r32), 1.9, 2.1);
    double e64 = error_of(loads[0], 64, 1, "corotational"),
           e128 = error_of(loads[0], 128, 1, "corotational");
    assert_between(log2(e64 / e128), 1.9, 2.1); /* the limit is the exact one */
    assert_under(e128, 2e-5);
}

static void fourth_order(void **state)
{
    (void)state;
    for (int k = 0; k < LOADS; k++)
        assert_between(log2(error_of(loads[k], 8, 1e5, "corotational") /
                            error_of(loads[k], 16, 1e5, "corotational")),
                       3.8, 4.2);
}

/* ---- identities ---- */

/* No shear force anywhere: the beam of any shear stiffness is the one that is rigid in shear. */
static void couples_alone(void **state)
{
    (void)state;
    for (double soft = 0.05; soft < 1e5; soft *= 100) {
        table s = bend(loads[3], 24, soft, "corotational");
        double exact[SAME];
        exact_of(loads[3], 1e5, exact);
        for (int i = 0; i < 3; i++) assert_near(table_last(&s, same[i]), exact[i], 1e-5);
        assert_under(fabs(table_last(&s, "Q")), 1e-8);
        table_free(&s);
    }
}

static void assert_tip(const table *a, const table *b, const int at[3], const double sign[3])
{
    static const char *const name[3] = {"p.x", "p.y", "p.z"};
    for (int i = 0; i < 3; i++)
        assert_near(sign[i] * table_last(a, name[at[i]]), table_last(b, name[i]), 1e-9);
}

/* Drawn from its other end, turned, seen in a mirror. */
static void drawn_otherwise(void **state)
{
    static const double plus[3] = {1, 1, 1}, below[3] = {1, 1, -1};
    static const int here[3] = {0, 1, 2}, next[3] = {1, 2, 0};
    const double *f = loads[0], mirrored[6] = {f[0], f[1], -f[2], -f[3], -f[4], f[5]};
    char set[7][40];
    static const char *const name[6] = {"Fx", "Fy", "Fz", "Mx", "My", "Mz"};
    (void)state;
    table a = bend(f, 6, 1, "corotational"), b = bend(mirrored, 6, 1, "corotational");
    assert_tip(&b, &a, here, below);
    table_free(&b);

    run_how how = {
        .text = cantilever,
        .swap = {{"from: [0, 0, 0], to: [1.2, 0, 0]", "from: [1.2, 0, 0], to: [0, 0, 0]"},
                 {"[ground, b.start]", "[ground, b.end]"},
                 {"on: b.end", "on: b.start"},
                 {"pos(b.end)", "pos(b.start)"}}};
    for (int i = 0; i < 6; i++) {
        snprintf(set[i], sizeof *set, "%s=%.17g", name[i], f[i]);
        how.set[i] = set[i];
    }
    how.set[6] = "N=6";
    b = run_model(&how);
    assert_tip(&b, &a, here, plus);
    table_free(&b);

    how = (run_how){.text = cantilever,
                    .swap = {{"to: [1.2, 0, 0]", "to: [0, 1.2, 0]"}, {"y_axis: y", "y_axis: z"}}};
    for (int i = 0; i < 6; i++) {
        snprintf(set[i], sizeof *set, "%s=%.17g", name[i / 3 * 3 + (i + 1) % 3], f[i]);
        how.set[i] = set[i];
    }
    how.set[6] = "N=6";
    b = run_model(&how);
    assert_tip(&b, &a, next, plus);
    table_free(&b);
    table_free(&a);
}

/* ---- columns and stretched beams with shear ---- */

/* The axial force stands normal to the section (Haringx), which the column's shortening P/EA brings
 * nearer to the axis: P (1 + P/GA - P/EA) = P_E. */
static double haringx(double euler, double GA, double EA)
{
    double c = 1 / GA - 1 / EA;
    return (sqrt(1 + 4 * c * euler) - 1) / (2 * c);
}

static const char column[] =
    "limber: 1\n"
    "parameters: {N: 16, P: 1, EIy: 3, EIz: 4, GAy: 20, GAz: 12}\n"
    "sections: {s: {shape: stiffness, EA: 70, GAy: GAy, GAz: GAz, GJ: 5, EIy: EIy, EIz: EIz, rhoA: "
    "2, "
    "rhoIy: 0.03, rhoIz: 0.05}}\n"
    "bodies: {b: {type: beam, theory: timoshenko, section: s, from: [0, 0, 0], to: [0.9, 0, 0], "
    "elements: N, y_axis: y}}\n"
    "joints: {c: {type: fixed, between: [ground, b.start]}}\n"
    "loads: {t: {on: b.end, axes: global, force: [-P, 0, 0]}}\n"
    "analysis: {type: statics}\n"
    "outputs: {p: pos(b.end)}\n";

/* The same between hinges: a universal joint and one that slides. */
static void hinge(char *text, size_t size, const char *analysis)
{
    const char *at = strstr(column, "c: {type: fixed"), *rest = strstr(at, "}\n"),
               *end = strstr(rest, "analysis:"), *outputs = strstr(end, "outputs:");
    snprintf(
        text, size,
        "%.*sc: {type: universal, between: [ground, b.start], axes: [y, z]}, d: {type: inline, "
        "between: [ground, b.end], axis: x}%.*sanalysis: %s\n%s",
        (int)(at - column), column, (int)(end - rest), rest, analysis, outputs);
}

static double factor(int n, const char *EIz, int hinged, const char *P, const char *formulation)
{
    char said[SAID], elements[20], text[1500];
    hinge(text, sizeof text, "{type: statics}");
    run_how how = {.text = hinged ? text : column, .formulation = formulation};
    snprintf(elements, sizeof elements, "N=%d", n);
    how.set[0] = elements, how.set[1] = EIz, how.set[2] = P;
    assert_int_equal(run_listen(&how, said), LIMBER_OK);
    return number_after(said, "at load factor ");
}

/* Buckling in the xz plane (EIy, GAz) and, with a small EIz, in the xy plane; errors of second order, as
 * large as P/GA, which is 0.3 to 0.8. */
static void columns(void **state)
{
    static const char *const form[] = {"corotational", "minimal", "rfe"};
    static const char *const EIz[2] = {"EIz=4", "EIz=1"}, *const P[2] = {"P=30", "P=20"};
    const double k = PI / 1.8, EI[2] = {3, 1}, GA[2] = {12, 20}, load[2] = {30, 20};
    (void)state;
    for (int i = 0; i < 12; i++) {
        int plane = i % 2, hinged = i / 2 % 2;
        double exact = haringx((hinged ? 4 : 1) * EI[plane] * k * k, GA[plane], 70);
        double c = load[plane] * factor(8, EIz[plane], hinged, P[plane], form[i / 4]) / exact - 1,
               e = load[plane] * factor(16, EIz[plane], hinged, P[plane], form[i / 4]) / exact - 1;
        assert_between(log2(c / e), 1.8, 2.2);
        assert_under(fabs(e), 2.5e-3);
    }
}

/* Squares of the two frequencies of one half wave between hinges under the tension n, with l = 1 + n/EA,
 * B = l GA - n:  (GA k^2 - rhoA w^2)(EI k^2 + l B - rhoI w^2) = B^2 k^2. */
static double hinged_omega(double n)
{
    const double GA = 12, EI = 3, EA = 70, rA = 2, rI = 0.03, k = PI / 0.9;
    double l = 1 + n / EA, B = l * GA - n, a = GA * k * k / rA, b = (EI * k * k + l * B) / rI;
    double sum = a + b, product = a * b - B * B * k * k / (rA * rI);
    return sqrt(2 * product / (sum + sqrt(sum * sum - 4 * product)));
}

static void note_first(void *context, const limber_mode *m)
{
    if (m->number == 1) *(double *)context = m->omega;
}

static double omega_of(double n, const char *formulation, int elements)
{
    char text[1500], set[2][30];
    const char *const args[2] = {set[0], set[1]};
    double omega = 0;
    snprintf(set[0], sizeof *set, "P=%g", -n);
    snprintf(set[1], sizeof *set, "N=%d", elements);
    hinge(text, sizeof text, "[{type: statics}, {type: modes, about: statics, count: 2}]");
    limber_load_options load = limber_load_options_default();
    load.set = args, load.set_count = 2;
    limber_messages *msg = limber_messages_new();
    limber_model *m = NULL;
    assert_int_equal(limber_model_parse(text, strlen(text), "text", &load, &m, msg), LIMBER_OK);
    limber_run_options opt = limber_run_options_default();
    limber_summary sum;
    opt.formulation = formulation;
    opt.mode = note_first, opt.mode_context = &omega;
    assert_int_equal(limber_run(m, &opt, &sum, msg), LIMBER_OK);
    limber_model_free(m);
    limber_messages_free(msg);
    return omega;
}

static void frequencies_under_axial_force(void **state)
{
    static const double n[3] = {0, 6, -8};
    (void)state;
    for (int i = 0; i < 3; i++) {
        double exact = hinged_omega(n[i]);
        for (int f = 0; f < 3; f++) {
            static const char *const form[] = {"corotational", "minimal", "rfe"};
            double c = omega_of(n[i], form[f], 8) / exact - 1,
                   e = omega_of(n[i], form[f], 16) / exact - 1;
            assert_between(log2(c / e), 1.8, 2.2);
            assert_under(fabs(e), 5e-3);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reissners_equations),
        cmocka_unit_test(fourth_order),
        cmocka_unit_test(couples_alone),
        cmocka_unit_test(drawn_otherwise),
        cmocka_unit_test(columns),
        cmocka_unit_test(frequencies_under_axial_force),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
