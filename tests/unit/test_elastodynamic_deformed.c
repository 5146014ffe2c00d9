/* Vibrations about the deformed state in `elastodynamic`: the element against exact strains of Reissner's beam, and
 * frequencies of loaded frames and bent blades, whose errors fall with the square of the load. */
#include "moving_points.h"
#include "support/listen.h"

/* ---- the element ---- */

/* Reissner's strains: R^T (e1 + u'), which is e1 without strain, and R^T R'. */
typedef struct at_place {
    lm_v3 gamma, kappa;
} at_place;

/* Of displacements d at place i. */
static at_place exact_strains(const fields *F, int i, const double d[12])
{
    lm_v3 th = three(F->f[i] + RX, d), du = v3(0, 0, 0), dth = v3(0, 0, 0);
    for (int j = 0; j < 12; j++) {
        strains s = strains_at(F, F->x[i], j);
        du.x += (j == 6 ? 1 : j == 0 ? -1 : 0) / F->shape.L * d[j];
        du.y += (F->f[i][RZ][j] + s.gy) * d[j];
        du.z += (-F->f[i][RY][j] + s.gz) * d[j];
        dth = v3_add(dth, v3_mul(d[j], v3(s.rx, s.ky, s.kz)));
    }
    lm_m3 R = quat_m3(lm_quat_exp(th)), T = lm_rot_tangent(th);
    return (at_place){m3_tv(&R, v3_add(v3(1, 0, 0), du)), m3_tv(&R, m3_v(&T, dth))};
}

/* Work of the shear forces and moments of the end forces f on the strains of d. */
static double work(const fields *F, const double f[12], lm_v3 force, const double d[12])
{
    double sum = 0;
    for (int i = 0; i < NX; i++) {
        at_place s = exact_strains(F, i, d);
        double b = F->x[i] / F->shape.L, a = 1 - b;
        lm_v3 M = v3(f[9], b * f[10] - a * f[4], b * f[11] - a * f[5]);
        sum += F->dx[i] * (force.y * s.gamma.y + force.z * s.gamma.z + v3_dot(M, s.kappa));
    }
    return sum;
}

/* Second derivative by differences of the exact strains' work. */
static double second(const fields *F, const double f[12], lm_v3 force, int i, int j)
{
    const double h = 1e-3;
    double sum = 0;
    for (int k = 0; k < 4; k++) {
        double d[12] = {0}, a = k & 1 ? h : -h, b = k & 2 ? h : -h;
        d[i] += a, d[j] += b;
        sum += (a * b > 0 ? 1 : -1) * work(F, f, force, d) / (4 * h * h);
    }
    return sum;
}

/* The state is small enough that its own turn does not count. */
static void moments_and_shear_forces(void **state)
{
    (void)state;
    for (int s = 0; s < SOLIDS; s++) {
        static fields F;
        lm_moving_beam e;
        lm_moving_deformed now;
        double d[12], f[12] = {0}, expected[144];
        make_fields(&solids[s], &F);
        element(&solids[s], &e);
        for (int i = 0; i < 12; i++) d[i] = 1e-6 * sin(1 + i * i);
        for (int i = 0; i < 144; i++) f[i / 12] += e.k[i / 12][i % 12] * d[i % 12];
        lm_v3 force = v3(f[6], f[7], f[8]);
        lm_moving_beam_deformed(&e, d, force, &now);
        for (int i = 0; i < 144; i++) expected[i] = second(&F, f, force, i / 12, i % 12);
        same_numbers("geometric stiffness", 144, now.geometric[0], expected, 2e-6);
    }
}

/* Turned as a whole the potential does not change: phi K phi = -f . phi x (phi x r) on all ends. */
static void turned_as_a_whole(void **state)
{
    (void)state;
    for (int s = 0; s < SOLIDS; s++) {
        lm_moving_beam e;
        lm_moving_deformed now;
        double d[12], f[12] = {0}, C[12][12], K[12][12], q[12], x[12], sum = 0, size = 0;
        element(&solids[s], &e);
        for (int i = 0; i < 12; i++) d[i] = 1e-6 * cos(1 + i * i);
        for (int i = 0; i < 144; i++) f[i / 12] += e.k[i / 12][i % 12] * d[i % 12];
        lm_moving_beam_deformed(&e, d, v3(f[6], f[7], f[8]), &now);
        lm_moving_motion still = {.axial = {f[6], f[6]}, .stiffening = 1};
        lm_moving_beam_matrices(&e, &still, C, K, q);
        lm_v3 phi = v3(0.3, -0.7, 0.5), r = v3(e.L, 0, 0), turn = v3_cross(phi, r);
        v3_put(x, v3(0, 0, 0)), v3_put(x + 3, phi), v3_put(x + 6, turn), v3_put(x + 9, phi);
        for (int i = 0; i < 12; i++)
            for (int j = 0; j < 12; j++) {
                double part = K[i][j] - e.k[i][j] + now.geometric[i][j];
                sum += x[i] * part * x[j], size += fabs(x[i] * part * x[j]);
            }
        assert_true(fabs(sum + v3_dot(v3_from(f + 6), v3_cross(phi, turn))) < 1e-8 * size);
    }
}

/* Turned as a whole it has no forces: of first order in the state. */
static void no_deformation(void **state)
{
    (void)state;
    for (int s = 0; s < SOLIDS; s++) {
        lm_moving_beam e;
        lm_moving_deformed now;
        double d[12], x[12], f[12] = {0};
        element(&solids[s], &e);
        for (int i = 0; i < 12; i++) d[i] = 0.05 * sin(2 + i * i);
        lm_moving_beam_deformed(&e, d, v3(0, 0, 0), &now);
        lm_v3 phi = v3(0.3, -0.7, 0.5), r = v3_sub(v3_from(d + 6), v3_from(d));
        r = m3_tv(&now.axes, v3_add(v3(e.L, 0, 0), r));
        v3_put(x, v3(0.2, 0.1, 0.4)), v3_put(x + 3, phi), v3_put(x + 9, phi);
        v3_put(x + 6, v3_add(v3_from(x), v3_cross(phi, r)));
        for (int i = 0; i < 144; i++) f[i / 12] += now.material[i / 12][i % 12] * x[i % 12];
        for (int i = 0; i < 12; i++) assert_true(fabs(f[i]) < 1e-12 * e.k[0][0]);
    }
}

/* The same element from its other end: x and z change their sign. */
typedef struct other_end {
    const solid *s;
} other_end;

static void from_other_end(void *ctx, double s, lm_section *out)
{
    solid copy = *((const other_end *)ctx)->s;
    solid_at(&copy, 1 - s, out);
}

static int other(int i) { return (i + 6) % 12; }
static double sign(int i) { return i % 3 == 1 ? 1 : -1; }

static void seen_from_the_other_end(void **state)
{
    (void)state;
    for (int s = 0; s < SOLIDS; s++) {
        lm_moving_beam e, o;
        lm_moving_deformed now, then;
        double d[12], D[12], expected[2][144];
        other_end end = {&solids[s]};
        element(&solids[s], &e);
        lm_moving_beam_make(from_other_end, &end, solids[s].L, solids[s].timoshenko, &o);
        for (int i = 0; i < 12; i++) d[i] = 0.05 * sin(2 + i * i);
        for (int i = 0; i < 12; i++) D[other(i)] = sign(i) * d[i];
        lm_moving_beam_deformed(&e, d, v3(3e3, 5e3, -2e3), &now);
        lm_moving_beam_deformed(&o, D, v3(3e3, -5e3, -2e3), &then);
        for (int i = 0; i < 12; i++)
            for (int j = 0; j < 12; j++) {
                double turn = sign(i) * sign(j);
                expected[0][12 * other(i) + other(j)] = turn * now.material[i][j];
                expected[1][12 * other(i) + other(j)] = turn * now.geometric[i][j];
            }
        same_numbers("elastic stiffness", 144, then.material[0], expected[0], 1e-12);
        same_numbers("geometric stiffness", 144, then.geometric[0], expected[1], 1e-12);
    }
}

/* An element whose end is displaced across, without turns, is stretched along its chord as far as that is no shear. */
static void stretch_of_a_sheared_element(void **state)
{
    (void)state;
    for (int s = 0; s < 2; s++) /* uniform */
        for (int i = 7; i < 9; i++) {
            lm_moving_beam e;
            lm_moving_deformed now;
            double d[12] = {0};
            int turn = i == 7 ? 5 : 4; /* about z, y */
            element(&solids[s], &e);
            double a = e.k[turn][turn], b = e.k[turn][turn + 6],
                   shear = 1 - (a + b) / (3 * (a - b));
            d[i] = 0.01 * e.L;
            lm_moving_beam_deformed(&e, d, v3(0, 0, 0), &now);
            double across = (1 - shear * shear) * d[i], length = e.L * e.L + across * across;
            assert_near(now.material[6][i] * length / (e.k[6][6] * e.L * across), 1, 1e-10);
        }
}

/* ---- frequencies ---- */

#define SECTIONS(EI)                                                                               \
    "limber: 1\n"                                                                                  \
    "parameters: {P: 1, k: " EI "}\n"                                                              \
    "sections: {s: {shape: stiffness, EA: 3e5, GJ: 15*k, EIy: 20*k, EIz: 45*k, GAy: 3e3*k,\n"      \
    "  GAz: 5e3*k, rhoA: 1.3, rhoIy: 0.002, rhoIz: 0.004}}\n"
#define PARTS(theory)                                                                              \
    "  a: {type: beam, section: s, from: [0.1, 0.05, 0.02], to: [0.7, 0.2, 0.1], elements: 16,\n"  \
    "    y_axis: [0.1, 1, 0.3], theory: " theory "}\n"                                             \
    "  b: {type: beam, section: s, from: [0.7, 0.2, 0.1], to: [0.9, 0.6, -0.3], elements: 16,\n"   \
    "    y_axis: [0.5, -0.2, 1], theory: " theory "}\n"                                            \
    "  m: {type: rigid, mass: 0.3, inertia: [0.01, 0.02, 0.015], com: [0.05, 0.02, -0.06],\n"      \
    "    position: [0.9, 0.6, -0.3]}\n"                                                            \
    "joints:\n"                                                                                    \
    "  d: {type: fixed, between: [a.end, b.start]}\n"                                              \
    "  e: {type: fixed, between: [b.end, m]}\n"
#define FRAME(theory)                                                                              \
    SECTIONS("1")                                                                                  \
    "bodies:\n" PARTS(theory) "  c: {type: fixed, between: [ground, a.start]}\n"                   \
                              "loads: {f: {on: m, force: [4*P, -2*P, 6*P], torque: [0, P, P]}}\n"  \
                              "analysis: {type: modes, about: statics, count: 5}\n"
#define BLADE(theory)                                                                              \
    SECTIONS("10")                                                                                 \
    "bodies:\n"                                                                                    \
    "  hub: {type: rigid, mass: 1, inertia: [1, 1, 1], frames: {f: [0.1, 0.05, 0.02]}}\n" PARTS(   \
        theory) "  c: {type: fixed, between: [hub.f, a.start]}\n"                                  \
                "  j: {type: revolute, between: [ground, hub], axis: z, drive: 0*t}\n"             \
                "analysis: {type: campbell, drive: j, speeds: [0, 5*sqrt(P), 2], count: 5}\n"

/* Largest error of five frequencies under the load P, against corotational beams. */
static double off(const char *text, double P)
{
    char set[30];
    double most = 0;
    snprintf(set, sizeof set, "P=%g", P);
    run_how how = {.text = text, .set = {set}, .formulation = "elastodynamic"};
    table e = run_model(&how);
    how.formulation = "corotational";
    table c = run_model(&how);
    assert_int_equal(e.rows, c.rows);
    for (int i = 0; i < e.rows; i++) {
        double here = table_get(&e, i, "frequency"), right = table_get(&c, i, "frequency");
        most = fmax(most, fabs(here / right - 1));
        assert_true(fabs(table_get(&e, i, "damping_ratio")) < 1e-10);
    }
    table_free(&e);
    table_free(&c);
    return most;
}

/* What is said of linearize about the undeformed mechanism, and the largest error of its first five frequencies against
 * those of corotational beams about the deformed one, which are the last of the model's own analysis. */
static double frozen_off(run_how how, char said[SAID])
{
    double most = 0;
    how.formulation = "corotational";
    table c = run_model(&how);
    how.swap[0][0] = "0*t", how.swap[0][1] = "5*sqrt(P)*t";
    if (!strstr(how.text, "0*t")) how.swap[0][0] = NULL;
    how.analysis = "{type: linearize}", how.formulation = "elastodynamic";
    run_listen(&how, said);
    table e = run_model(&how);
    for (int i = 0; i < 5; i++) {
        double right = table_get(&c, c.rows - 5 + i, "frequency");
        most = fmax(most, fabs(table_get(&e, i, "frequency") / right - 1));
    }
    table_free(&e);
    table_free(&c);
    return most;
}

/* The error is no more than what is said, and no less than a tenth of it. */
static double frozen_turn(const run_how *how, char said[SAID])
{
    double off = frozen_off(*how, said), told = 0.01 * number_after(said, "off by about ");
    if (!(off < told && off > 0.1 * told)) fail_msg("off by %g, said %g", off, told);
    return number_after(said, "turn beams by ");
}

/* The angle goes with the square of the speed, less what stiffens the blade; nothing is said where it is small. */
static void frozen_blades(void **state)
{
    static const char *const texts[] = {BLADE("euler-bernoulli"), BLADE("timoshenko")};
    (void)state;
    for (int i = 0; i < 2; i++) {
        char said[SAID];
        double turn = frozen_turn(&(run_how){.text = texts[i], .set = {"P=2"}}, said);
        assert_null(strstr(said, "about: statics"));
        double less = frozen_turn(&(run_how){.text = texts[i], .set = {"P=1"}}, said);
        assert_near(less / turn, 0.5, 0.03);
        frozen_off((run_how){.text = texts[i], .set = {"P=0.1"}}, said);
        assert_null(strstr(said, "turn beams"));
    }
}

/* At rest the angle is that of statics: P L^2/(2 EI) of a cantilever. */
static void frozen_frame(void **state)
{
    static const char cantilever[] =
        "limber: 1\n"
        "sections: {s: {shape: stiffness, EA: 1e5, GJ: 3, EIy: 2, EIz: 5, rhoA: 1}}\n"
        "bodies: {b: {type: beam, section: s, from: [0, 0, 0], to: [0, 0, 0.8], y_axis: [1, 0, "
        "0]}}\n"
        "joints: {c: {type: fixed, between: [ground, b.start]}}\n"
        "loads: {f: {on: b.end, force: [0, 0.16, 0]}}\n"
        "analysis: {type: linearize}\n";
    char said[SAID];
    (void)state;
    frozen_turn(&(run_how){.text = FRAME("timoshenko"), .set = {"P=0.3"}}, said);
    assert_says(said, "about: statics");
    run_listen(&(run_how){.text = cantilever, .formulation = "elastodynamic"}, said);
    double turn = number_after(said, "turn beams by ");
    assert_near(turn, 0.16 * 0.64 / (2 * 2), 1e-4);
    assert_near(number_after(said, "off by about "), 60 * turn, 0.05);
}

/* Half the load, a quarter of the error. What is left is of the elements' length. */
static void errors_of_second_order(void **state)
{
    static const char *const models[] = {FRAME("euler-bernoulli"), FRAME("timoshenko"),
                                         BLADE("euler-bernoulli"), BLADE("timoshenko")};
    (void)state;
    for (int i = 0; i < 4; i++) {
        double last = off(models[i], 0.8);
        for (double P = 0.4; P > 0.1; P /= 2) {
            double now = off(models[i], P);
            if (!(last / now > 3.7)) fail_msg("model %d, load %g: %g, %g", i, P, last, now);
            last = now;
        }
    }
}

/* A strip on edge turns over at P = 4.0126 sqrt(EIy GJ)/L^2 where it does not bend before (Prandtl). */
static void lateral_buckling(void **state)
{
    static const char text[] =
        "limber: 1\n"
        "parameters: {P: 1}\n"
        "sections: {s: {shape: stiffness, EA: 1e8, EIy: 2, EIz: 1e6, GJ: 3, rhoA: 1, rhoIy: 1e-3,\n"
        "  rhoIz: 1e-3}}\n"
        "bodies: {b: {type: beam, section: s, from: [0, 0, 0], to: [0.7, 0, 0], elements: 24}}\n"
        "joints: {c: {type: fixed, between: [ground, b.start]}}\n"
        "loads: {f: {on: b.end, force: [0, P*4.0126*sqrt(6)/0.49, 0]}}\n"
        "analysis: {type: modes, about: statics, count: 1}\n";
    (void)state;
    for (int beyond = 0; beyond < 2; beyond++) {
        table r = run_model(&(run_how){
            .text = text, .formulation = "elastodynamic", .set = {beyond ? "P=1.002" : "P=0.999"}});
        assert_int_equal(table_get(&r, 0, "damping_ratio") < -0.5, beyond);
        table_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moments_and_shear_forces),
        cmocka_unit_test(turned_as_a_whole),
        cmocka_unit_test(no_deformation),
        cmocka_unit_test(errors_of_second_order),
        cmocka_unit_test(lateral_buckling),
        cmocka_unit_test(seen_from_the_other_end),
        cmocka_unit_test(stretch_of_a_sheared_element),
        cmocka_unit_test(frozen_blades),
        cmocka_unit_test(frozen_frame),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
