/* What stands still, hardly moves or is far from the origin: rounding is neither missing energy nor a contradiction,
 * and a point that a pulse sets in motion later has a unit of length in time. */
#include "support/run_model.h"

/* ---- energy ---- */

static const char hanging[] =
    "limber: 1\n"
    "parameters: {X: 0, U: 1}\n"
    "gravity: [0, 0, -9.81*U]\n"
    "materials: {s: {E: 2.1e11/U, nu: 0.3, rho: 7800/U^3}}\n"
    "sections: {r: {material: s, shape: rectangle, height: 0.02*U, width: 0.02*U}}\n"
    "bodies:\n"
    "  arm: {type: beam, section: r, from: [X, 0, X], to: [X + U, 0, X], elements: 4}\n"
    "  tip: {type: rigid, mass: 1, inertia: [1e-3*U^2, 1e-3*U^2, 1e-3*U^2], position: [X + U, 0, "
    "X]}\n"
    "joints:\n"
    "  wall: {type: fixed, between: [ground, arm.start]}\n"
    "  end: {type: fixed, between: [arm.end, tip]}\n"
    "outputs: {x: pos(tip).x}\n"
    "analysis: [{type: statics}, {type: dynamics, until: 0.5, output_step: 0.01}]\n";

static const char standing[] =
    "limber: 1\n"
    "parameters: {X: 0, U: 1}\n"
    "gravity: [0, 0, -9.81*U]\n"
    "bodies:\n"
    "  a: {type: rigid, mass: 2, inertia: [U^2, U^2, U^2], position: [X + U, 0, X], com: [0, 0, "
    "-U]}\n"
    "  b: {type: rigid, mass: 2, inertia: [U^2, U^2, U^2], position: [X, 0, X - 2*U], com: [0.1*U, "
    "0, 0]}\n"
    "joints:\n"
    "  pin: {type: revolute, between: [ground, a], axis: y, at: [X + U, 0, X]}\n"
    "  slide: {type: prismatic, between: [ground, b], axis: z, at: [X, 0, X], stiffness: 1e5}\n"
    "outputs: {x: pos(a).x}\n"
    "analysis: [{type: statics}, {type: dynamics, until: 2, output_step: 0.01}]\n";

static void no_energy_is_missing(void **state)
{
    static const char *const text[] = {hanging, standing};
    static const char *const where[] = {"X=0", "X=1e3", "X=1e6", "X=-1e6"};
    static const char *const unit[] = {"U=1", "U=1e-3", "U=1e6"};
    static const char *const form[] = {"corotational", "minimal", "ffr", "rfe"};
    (void)state;
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 4; k++)
            for (int u = 0; u < 3; u++)
                for (int f = 0; f < 4; f++) {
                    table r = run_model(&(run_how){
                        .text = text[i], .set = {where[k], unit[u]}, .formulation = form[f]});
                    if (r.sum.energy_error > 1e-6)
                        fail_msg("model %d, %s, %s, %s: %g", i, where[k], unit[u], form[f],
                                 r.sum.energy_error);
                    table_free(&r);
                }
}

/* ---- starts ---- */

/* The rate of the drive is 6e-17, for that is the cosine of pi/2. */
static void rates_of_nothing(void **state)
{
    static const char text[] =
        "limber: 1\n"
        "bodies: {b: {type: rigid, mass: 1, inertia: [1, 1, 1], com: [1, 0, 0]}}\n"
        "joints: {j: {type: revolute, between: [ground, b], axis: z, drive: 'A*sin(t + pi/2)'}}\n"
        "parameters: {A: 1, v: 0}\n"
        "initial: {velocity: {b: {linear: [0, 0, 0], angular: [0, 0, v]}}}\n"
        "analysis: {type: dynamics, until: 2, output_step: 0.1}\n"
        "outputs: {a: joint(j)}\n";
    static const char *const sets[] = {"A=1", "A=100", "v=1e-15"};
    static const char *const form[] = {"corotational", "minimal", "ffr", "rfe", "elastodynamic"};
    (void)state;
    for (int k = 0; k < 3; k++)
        for (int f = 0; f < 5; f++) {
            table r = run_model(&(run_how){.text = text, .set = {sets[k]}, .formulation = form[f]});
            assert_int_equal(r.sum.status, LIMBER_OK);
            table_free(&r);
        }
}

/* ---- a point and a pulse ---- */

/* A triangle of the width 2 w: the momentum F w, from its middle on as from its start. */
static const char pushed[] =
    "limber: 1\n"
    "parameters: {w: 1e-4, F: 1000, p: 0, T: 5}\n"
    "bodies: {b: {type: rigid, mass: 2, inertia: [1, 1, 1], position: [p, 0, 0]}}\n"
    "loads: {f: {on: b, force: ['pwl(t, 0, 0, T, 0, T + w, F, T + 2*w, 0, 2*T, 0)', 0, 0]}}\n"
    "outputs: {x: pos(b).x - p, v: vel(b).x}\n"
    "analysis: {type: dynamics, until: 2*T, output_step: T/100, method: radau}\n";

static void points_are_pushed(void **state)
{
    static const struct {
        const char *set[3];
        double w, F, T;
    } c[] = {{{"w=1e-4"}, 1e-4, 1000, 5},
             {{"w=1e-6"}, 1e-6, 1000, 5},
             {{"F=1e9"}, 1e-4, 1e9, 5},
             {{"F=1e-9"}, 1e-4, 1e-9, 5},
             {{"p=1e6", "w=1e-3"}, 1e-3, 1000, 5},
             {{"p=-1"}, 1e-4, 1000, 5},
             {{"T=5e3", "w=0.1"}, 0.1, 1000, 5e3},
             {{"T=5e-6", "w=1e-10"}, 1e-10, 1000, 5e-6}};
    static const char *const methods[] = {"radau", "generalized-alpha", "bdf", "explicit",
                                          "newmark"};
    (void)state;
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 5; k++) {
            if (i == 1 && k == 3) continue; /* this one stops, for it makes no steps that small */
            run_how how = {.text = pushed, .swap = {{"radau", methods[k]}}};
            for (int s = 0; s < 3; s++) how.set[s] = c[i].set[s];
            table r = run_model(&how);
            double v = 0.5 * c[i].F * c[i].w, x = v * (c[i].T - c[i].w);
            if (fabs(table_at(&r, "v", 2 * c[i].T) / v - 1) > 1e-5 ||
                fabs(table_at(&r, "x", 2 * c[i].T) / x - 1) > 1e-5 || r.sum.steps > 20000)
                fail_msg("%s, %s: v %.8g of %.8g, %ld steps", c[i].set[0], methods[k],
                         table_at(&r, "v", 2 * c[i].T), v, r.sum.steps);
            table_free(&r);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_energy_is_missing),
        cmocka_unit_test(rates_of_nothing),
        cmocka_unit_test(points_are_pushed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
