/* What must hold for every flexible mechanism: conserved energy, frames of reference that do not
 * matter, damping that damps what it should, convergence in time and space, and methods and kinds of
 * bodies that agree. */
#include "support/run_model.h"

#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))

/* ---- energy ---- */

/* Free motion, default settings: the drift is below 1e-4 of the energy that gravity gives. */
static void chain_keeps_its_energy(void **state)
{
    static const char *const set[] = {"N=1", "N=4", "N=10"};
    (void)state;
    for (int k = 0; k < COUNT(set); k++) {
        table r = run_model(&(run_how){.model = "flexible_chain", .set = {set[k]}});
        assert_under(table_drift(&r, "energy"), 1e-4 * table_drift(&r, "gravity"));
        assert_under(r.sum.energy_error, 1e-4);
        table_free(&r);
    }
}

/* The default settings against fine steps on the same mesh. */
static void chain_default(void **state)
{
    (void)state;
    table r = run_model(&(run_how){.model = "flexible_chain"});
    table fine = run_model(
        &(run_how){.model = "flexible_chain",
                   .analysis = "{type: dynamics, until: 0.5, output_step: 0.01, step: 4e-5}"});
    assert_under(table_distance(&r, &fine, "x"), 4e-4); /* of 4 m */
    assert_under(table_distance(&r, &fine, "y"), 4e-4);
    table_free(&r);
    table_free(&fine);
}

static void arch_keeps_its_energy(void **state)
{
    (void)state;
    table r = run_model(&(run_how){.model = "swinging_arch", .until = 1});
    table mesh = run_model(&(run_how){.model = "swinging_arch", .set = {"n=24"}, .until = 1});
    /* the bob falls by more than a metre: 8 J and more */
    assert_under(table_drift(&r, "energy"), 8e-4);
    assert_true(table_drift(&r, "elastic") > 0.05);
    assert_under(table_distance(&r, &mesh, "x"), 2e-3);
    assert_under(table_distance(&r, &mesh, "y"), 2e-3);
    assert_under(table_distance(&r, &mesh, "z"), 2e-3);
    table_free(&r);
    table_free(&mesh);
}

/* Rigid pillar, flexible boom, spring, rope: in equilibrium first, then slewing; the drive rests
 * from 4 s on. */
static void crane(void **state)
{
    double low = INFINITY, high = -INFINITY;
    (void)state;
    table r = run_model(&(run_how){.model = "flexible_crane", .until = 6});
    assert_near(table_first(&r, "pull"), 400 * 9.81, 1e-6 * 400 * 9.81);
    assert_under(r.sum.energy_error, 1e-4);
    for (int i = 0; i < r.rows; i++) {
        if (r.data[i * r.cols] < 4) continue;
        low = fmin(low, table_get(&r, i, "energy"));
        high = fmax(high, table_get(&r, i, "energy"));
    }
    assert_under(high - low, 0.5); /* of 8000 J that were exchanged */
    table_free(&r);
}

/* ---- frames of reference ---- */

/* Three links in space that bend and twist; u, v, w are the images of x, y, z. */
static const char turned[] =
    "limber: 1\n"
    "parameters: {ux: 1, uy: 0, uz: 0, vx: 0, vy: 1, vz: 0, wx: 0, wy: 0, wz: 1}\n"
    "gravity: [-9.81*vx + 3*wx, -9.81*vy + 3*wy, -9.81*vz + 3*wz]\n"
    "materials: {soft: {E: 2.1e9, nu: 0.3, rho: 7800}}\n"
    "sections: {flat: {material: soft, shape: rectangle, height: 0.02, width: 0.04}}\n"
    "bodies:\n"
    "  link(k=1..3): {type: beam, section: flat, from: [(k-1)*ux, (k-1)*uy, (k-1)*uz],\n"
    "    to: [k*ux, k*uy, k*uz], y_axis: [vx, vy, vz], elements: 3}\n"
    "joints:\n"
    "  hook: {type: spherical, between: [ground, link(1).start]}\n"
    "  pin: {type: revolute, between: [link(1).end, link(2).start], axis: [wx, wy, wz]}\n"
    "  cross: {type: universal, between: [link(2).end, link(3).start],\n"
    "    axes: [[vx, vy, vz], [wx, wy, wz]]}\n"
    "analysis: {type: dynamics, until: 0.6, output_step: 0.05, step: 1e-3}\n"
    "outputs: {tip: pos(link(3).end), spin: omega(link(3).end), bend: tip(link(1)), energy: "
    "energy.total}\n";

/* Component i of a vector column in the axes e. */
static double along(const table *r, int row, const char *name, const double e[3])
{
    static const char *const xyz[] = {"x", "y", "z"};
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        char column[40];
        snprintf(column, sizeof column, "%s.%s", name, xyz[i]);
        sum += e[i] * table_get(r, row, column);
    }
    return sum;
}

static void turned_model(void **state)
{
    /* the rotation by 1.1 rad about (2, -1, 2)/3 */
    const double n[3] = {2 / 3.0, -1 / 3.0, 2 / 3.0}, c = cos(1.1), s = sin(1.1);
    static const double unit[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    double e[3][3];
    char text[9][40];
    run_how how = {.text = turned};
    (void)state;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++) {
            int j = (k + 1) % 3, l = (k + 2) % 3; /* n x unit vector k */
            double cross = i == j ? n[l] : i == l ? -n[j] : 0;
            e[k][i] = c * (i == k) + s * cross + (1 - c) * n[i] * n[k];
            snprintf(text[3 * k + i], sizeof text[0], "%c%c=%.17g", "uvw"[k], "xyz"[i], e[k][i]);
            how.set[3 * k + i] = text[3 * k + i];
        }
    table r = run_model(&(run_how){.text = turned}), t = run_model(&how);
    for (int row = 0; row < r.rows; row++)
        for (int k = 0; k < 3; k++) {
            assert_near(along(&t, row, "tip", e[k]), along(&r, row, "tip", unit[k]), 1e-8);
            assert_near(along(&t, row, "spin", e[k]), along(&r, row, "spin", unit[k]), 1e-6);
            assert_near(along(&t, row, "bend", unit[k]), along(&r, row, "bend", unit[k]), 1e-8);
        }
    assert_under(table_distance(&r, &t, "energy"), 1e-7);
    table_free(&r);
    table_free(&t);
}

static void same_bits(void **state)
{
    (void)state;
    table a = run_model(&(run_how){.model = "flexible_chain", .set = {"N=6"}, .until = 0.2});
    table b = run_model(&(run_how){.model = "flexible_chain", .set = {"N=6"}, .until = 0.2});
    assert_int_equal(a.rows, b.rows);
    assert_memory_equal(a.data, b.data, sizeof(double) * (size_t)(a.rows * a.cols));
    table_free(&a);
    table_free(&b);
}

/* ---- rigid motion and damping ---- */

/* A beam that is turned by many turns about an axis oblique to it. */
static const char turning[] =
    "limber: 1\n"
    "parameters: {turns: 3, T: 1}\n"
    "materials: {steel: {E: 2.1e11, nu: 0.3, rho: 7800}}\n"
    "sections: {bar: {material: steel, shape: rectangle, height: 0.02, width: 0.03}}\n"
    "bodies: {bar: {type: beam, section: bar, from: [0, 0, 0], to: [1, 0, 0], elements: 4}}\n"
    "joints: {axle: {type: revolute, between: [ground, bar.start], axis: [1, 2, 3],\n"
    "  drive: \"2*pi*turns*(10*(t/T)^3 - 15*(t/T)^4 + 6*(t/T)^5)\"}}\n"
    "analysis: {type: dynamics, until: T, output_step: T/50, step: T/6000}\n"
    "outputs: {angle: joint(axle), tip: pos(bar.end), elastic: energy.elastic}\n";

/* Deformations follow inertia, which goes with 1/T^2; the elastic energy with 1/T^4. Anything that
 * the rotation itself leaves behind would not. */
static void large_rotation(void **state)
{
    static const char *const set[] = {"T=10", "T=100", "T=10000"};
    double most[3];
    (void)state;
    for (int k = 0; k < 3; k++) {
        table r = run_model(&(run_how){.text = turning, .set = {set[k]}});
        most[k] = table_drift(&r, "elastic");
        assert_near(table_last(&r, "angle"), 6 * M_PI, 1e-9);
        table_free(&r);
    }
    assert_between(most[0], 1e-6, 1);
    assert_near(most[1] / most[0], 1e-4, 1e-5);
    assert_under(most[2], 2e-12 * most[0]);
}

/* A free beam that spins: stiffness-proportional damping takes what rings after the sudden start,
 * and nothing more; momentum stays. */
static const char spinning[] =
    "limber: 1\n"
    "parameters: {w: 20, beta: 0.02}\n"
    "sections: {bar: {shape: stiffness, EA: 1e5, EIy: 400, EIz: 400, GJ: 300, rhoA: 2, rhoIy: "
    "0.01,\n"
    "  rhoIz: 1e-4, damping: {stiffness: beta}}}\n"
    "bodies: {bar: {type: beam, section: bar, from: [0, 0, 0], to: [1, 0, 0], elements: 4}}\n"
    "joints: {hinge: {type: revolute, between: [ground, bar.start], axis: z}}\n"
    "initial: {hinge: {rate: w}}\n"
    "analysis: {type: dynamics, until: 6, output_step: 0.05}\n"
    "outputs: {rate: rate(hinge), energy: energy.total, stretch: tip(bar).x}\n";

static void stiffness_damping(void **state)
{
    (void)state;
    table r = run_model(&(run_how){.text = spinning,
                                   .swap = {{"initial: {hinge: {rate: w}}",
                                             "initial: {velocity: {bar: {angular: [0, 0, w]}}}"}}});
    double early = table_at(&r, "energy", 3), rate = table_at(&r, "rate", 3);
    for (int i = 0; i < r.rows; i++)
        if (r.data[i * r.cols] > 3) {
            assert_near(table_get(&r, i, "energy"), early, 2e-5 * early);
            assert_near(table_get(&r, i, "rate"), rate, 2e-5 * rate);
        }
    assert_true(table_first(&r, "energy") - early > 1e-6 * early); /* but something it has taken */
    /* tan(k)/k - 1 with k^2 = rhoA w^2 L^2/EA */
    double k = sqrt(2 * rate * rate / 1e5);
    assert_near(table_last(&r, "stretch"), tan(k) / k - 1, 0.01 * (tan(k) / k - 1));
    table_free(&r);
}

/* Every mode of a cantilever decays as exp(-a t/2): the energy as exp(-a t), but for its ripple
 * within a period, which least squares average. */
static const char cantilever[] =
    "limber: 1\n"
    "parameters: {a: 3}\n"
    "materials: {steel: {E: 2.1e11, nu: 0.3, rho: 7800, damping: {mass: a}}}\n"
    "sections: {bar: {material: steel, shape: rectangle, height: 0.02, width: 0.03}}\n"
    "bodies: {bar: {type: beam, section: bar, from: [0, 0, 0], to: [1, 0, 0], elements: 4}}\n"
    "joints: {clamp: {type: fixed, between: [ground, bar.start]}}\n"
    "loads: {pull: {on: bar.end, force: [0, \"if(t > 0, 0, 100)\", 50]}}\n"
    "analysis: [{type: statics}, {type: dynamics, until: 1, output_step: 1e-3, step: 1e-4}]\n"
    "outputs: {y: tip(bar).y, energy: energy.total, elastic: energy.elastic, kinetic: "
    "energy.kinetic}\n";

static void mass_damping(void **state)
{
    double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
    (void)state;
    table r = run_model(
        &(run_how){.text = cantilever, .swap = {{"100)\", 50]", "100)\", \"if(t > 0, 0, 50)\"]"}}});
    for (int i = 1; i < r.rows; i++) {
        double t = r.data[i * r.cols], y = log(table_get(&r, i, "energy"));
        n++, sx += t, sy += y, sxx += t * t, sxy += t * y;
    }
    assert_near((n * sxy - sx * sy) / (n * sxx - sx * sx), -3, 0.005 * 3);
    table_free(&r);
}

/* ---- convergence ---- */

/* Results with steps h, h/2, h/4: the differences fall by four. */
static void order_in_time(void **state)
{
    static const char *const options[] = {"", ", rho_inf: 0", ", rho_inf: 0.5", ", rho_inf: 1"};
    static const char *const name[] = {"elbow_x", "elbow_z", "tip_x", "tip_y", "tip_z"};
    run_how how = {.model = "two_link_arm", .set = {"n=4"}};
    (void)state;
    for (int k = 0; k < COUNT(options); k++) {
        double d[2] = {0, 0};
        table r[3];
        for (int i = 0; i < 3; i++) {
            char analysis[200];
            snprintf(analysis, sizeof analysis,
                     "{type: dynamics, until: 0.8, output_step: 0.05, step: %.17g%s}",
                     2e-4 / (1 << i), options[k]);
            how.analysis = analysis;
            r[i] = run_model(&how);
        }
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < COUNT(name); j++)
                d[i] = fmax(d[i], table_distance(&r[i], &r[i + 1], name[j]));
        assert_near(log2(d[0] / d[1]), 2, 0.1);
        for (int i = 0; i < 3; i++) table_free(&r[i]);
    }
}

static const char uniform[] =
    "limber: 1\n"
    "parameters: {n: 4}\n"
    "sections: {bar: {shape: stiffness, EA: 1e6, EIy: 1e6, EIz: 1, GJ: 1e6, rhoA: 1}}\n"
    "bodies: {bar: {type: beam, section: bar, from: [0, 0, 0], to: [1, 0, 0], elements: n}}\n"
    "joints: {start: {type: fixed, between: [ground, bar.start]}}\n"
    "analysis: {type: modes, count: 3}\n";

/* Errors of the third frequency on n and 2 n elements: consistent matrices are of order 4. */
static void order_of_frequencies(void **state)
{
    static const double exact[] = {61.6972144, 88.8264396};
    static const char *const joints[] = {
        "joints: {start: {type: fixed, between: [ground, bar.start]}}",
        "joints: {start: {type: revolute, between: [ground, bar.start], axis: z},\n"
        "  end: {type: inline, between: [ground, bar.end], axis: x}}"};
    static const char *const set[] = {"n=8", "n=16"};
    (void)state;
    for (int k = 0; k < 2; k++) {
        double error[2];
        for (int i = 0; i < 2; i++) {
            table r = run_model(
                &(run_how){.text = uniform, .set = {set[i]}, .swap = {{joints[0], joints[k]}}});
            error[i] = table_get(&r, 2, "omega") / exact[k] - 1;
            table_free(&r);
        }
        assert_between(log2(error[0] / error[1]), 3.8, 4.2);
    }
}

/* Values of the tip at the end of the fall of the chain on n = 2, 4, 8 elements a link. */
static void mesh_of_a_motion(void **state)
{
    static const char *const set[] = {"n=2", "n=4", "n=8", "n=16"};
    table r[4];
    (void)state;
    for (int i = 0; i < 4; i++)
        r[i] = run_model(
            &(run_how){.model = "flexible_chain",
                       .set = {"N=2", set[i]},
                       .analysis = "{type: dynamics, until: 0.5, output_step: 0.05, step: 2e-4}"});
    double e[2] = {table_distance(&r[0], &r[3], "y"), table_distance(&r[1], &r[3], "y")};
    assert_under(e[1], e[0] / 3); /* order 2 or better */
    assert_under(e[1], 2e-4);
    for (int i = 0; i < 4; i++) table_free(&r[i]);
}

/* ---- frequencies of frames ---- */

static void check_frequencies(const char *model, const char *column, const double *value, int n,
                              double relative)
{
    table r = run_model(&(run_how){.model = model});
    for (int i = 0; i < n; i++)
        assert_near(table_get(&r, i, column), value[i], relative * value[i]);
    table_free(&r);
}

static void frames(void **state)
{
    static const double portal[] = {3.20457, 12.6480, 20.6291, 22.3733, 45.203};
    static const double angle[] = {1.17178, 3.19092, 15.7546, 23.0912};
    (void)state;
    check_frequencies("portal_frame", "omega", portal, COUNT(portal), 3e-4);
    check_frequencies("l_frame", "omega", angle, COUNT(angle), 1e-4);
    table r = run_model(&(run_how){.model = "space_frame"});
    for (int i = 0; i < 2; i++) { /* sway in x and in y */
        assert_near(table_get(&r, i, "frequency"), 11.8, 0.05);
        assert_near(table_get(&r, 3 + i, "frequency"), 34.1, 0.05);
    }
    table_free(&r);
}

/* ---- other bodies, other methods ---- */

/* The pendulum as one beam, as superelements with the matrices of a beam, and half and half. */
#define PENDULUM                                                                                   \
    "limber: 1\n"                                                                                  \
    "parameters: {L: 141.42, h: 3, n: 4}\n"                                                        \
    "gravity: [0, -9.81, 0]\n"                                                                     \
    "materials: {soft: {E: 2.1e6, nu: 0.3, rho: 7.8e-3}}\n"                                        \
    "sections: {bar: {material: soft, shape: rectangle, height: h, width: h}}\n"                   \
    "analysis: {type: dynamics, until: 2, output_step: 0.25}\n"
#define END_OF_PENDULUM "outputs: {theta: joint(hinge), tip: pos(tip), energy: energy.total}\n"

static const char of_beam[] =
    PENDULUM "bodies:\n"
             "  beam: {type: beam, section: bar, from: [0, 0, 0], to: [L, 0, 0], elements: 2*n}\n"
             "  tip: {type: rigid, mass: 0, position: [L, 0, 0]}\n"
             "joints:\n"
             "  hinge: {type: revolute, between: [ground, beam.start], axis: z}\n"
             "  end: {type: fixed, between: [beam.end, tip]}\n" END_OF_PENDULUM;

static const char of_parts[] =
    PENDULUM "bodies:\n"
             "  part(k=1..2*n): {type: superelement, beam: {section: bar, length: L/(2*n)},\n"
             "    position: [(k - 1)*L/(2*n), 0, 0], frame: chord}\n"
             "  tip: {type: rigid, mass: 0, position: [L, 0, 0]}\n"
             "joints:\n"
             "  hinge: {type: revolute, between: [ground, part(1).start], axis: z}\n"
             "  weld(k=2..2*n): {type: fixed, between: [part(k-1).end, part(k).start]}\n"
             "  end: {type: fixed, between: [part(2*n).end, tip]}\n" END_OF_PENDULUM;

static const char of_both[] =
    PENDULUM "bodies:\n"
             "  part(k=1..n): {type: superelement, beam: {section: bar, length: L/(2*n)},\n"
             "    position: [(k - 1)*L/(2*n), 0, 0]}\n"
             "  beam: {type: beam, section: bar, from: [L/2, 0, 0], to: [L, 0, 0], elements: n}\n"
             "  tip: {type: rigid, mass: 0, position: [L, 0, 0]}\n"
             "joints:\n"
             "  hinge: {type: revolute, between: [ground, part(1).start], axis: z}\n"
             "  weld(k=2..n): {type: fixed, between: [part(k-1).end, part(k).start]}\n"
             "  middle: {type: fixed, between: [part(n).end, beam.start]}\n"
             "  end: {type: fixed, between: [beam.end, tip]}\n" END_OF_PENDULUM;

static void superelements(void **state)
{
    static const char *const text[] = {of_parts, of_both};
    table r = run_model(&(run_how){.text = of_beam});
    (void)state;
    for (int k = 0; k < 2; k++) {
        table other = run_model(&(run_how){.text = text[k]});
        assert_under(table_distance(&r, &other, "theta"), 2e-5);
        assert_under(table_distance(&r, &other, "tip.x"), 1e-3); /* of 141 m */
        assert_under(table_distance(&r, &other, "tip.y"), 1e-3);
        assert_under(table_drift(&other, "energy"), 1e-5 * 1e5);
        table_free(&other);
    }
    table_free(&r);
}

/* Generalized-alpha, the explicit method and BDF are different programs: they must agree. */
static void methods(void **state)
{
    table r = run_model(&(run_how){.model = "two_link_arm",
                                   .set = {"n=4"},
                                   .analysis = "{type: dynamics, until: 0.5, "
                                               "output_step: 0.05, step: 2e-5}"});
    static const char *const options[] = {"", ", method: explicit, tolerance: 1e-6",
                                          ", method: bdf"};
    static const double error[] = {1e-4, 1e-6, 1e-4};
    static const char *const name[] = {"elbow_x", "elbow_y", "elbow_z", "tip_x", "tip_y", "tip_z"};
    (void)state;
    for (int k = 0; k < COUNT(options); k++) {
        char analysis[200];
        snprintf(analysis, sizeof analysis, "{type: dynamics, until: 0.5, output_step: 0.05%s}",
                 options[k]);
        table other =
            run_model(&(run_how){.model = "two_link_arm", .set = {"n=4"}, .analysis = analysis});
        for (int i = 0; i < COUNT(name); i++)
            assert_under(table_distance(&r, &other, name[i]), 10 * error[k]); /* of 10 m */
        table_free(&other);
    }
    table_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chain_keeps_its_energy),
        cmocka_unit_test(chain_default),
        cmocka_unit_test(arch_keeps_its_energy),
        cmocka_unit_test(crane),
        cmocka_unit_test(turned_model),
        cmocka_unit_test(same_bits),
        cmocka_unit_test(large_rotation),
        cmocka_unit_test(stiffness_damping),
        cmocka_unit_test(mass_damping),
        cmocka_unit_test(order_in_time),
        cmocka_unit_test(order_of_frequencies),
        cmocka_unit_test(mesh_of_a_motion),
        cmocka_unit_test(frames),
        cmocka_unit_test(superelements),
        cmocka_unit_test(methods),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
