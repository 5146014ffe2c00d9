/* Many equal frequencies, and the sparse solver against the dense one. */
#include "support/modes.h"

#include <complex.h>

static void place(char *name, size_t size, int n, int i, int j, int k)
{
    int inside = i >= 0 && i < n && j >= 0 && j < n && k >= 0 && k < n;
    snprintf(name, size, inside ? "m%d_%d_%d" : "\"ground.at(%d, %d, %d)\"", i, j, k);
}

static void bodies(writer *t, int n, const char *inertia)
{
    print(t, "limber: 1\nbodies:\n");
    for (int i = 0; i < n * n * n; i++)
        print(t, "  m%d_%d_%d: {type: rigid, mass: 2, inertia: %s, position: [%d, %d, %d]}\n",
              i / n / n, i / n % n, i % n, inertia, i / n / n, i / n % n, i % n);
}

/* A force element on every edge of the cubic lattice along direction d, its ends on the ground. */
static void edges(writer *t, int n, int d, const char *what)
{
    for (int i = 0; i < n * n * (n + 1); i++) {
        int at[3], to[3];
        char a[60], b[60];
        at[d] = i / n / n - 1, at[(d + 1) % 3] = i / n % n, at[(d + 2) % 3] = i % n;
        memcpy(to, at, sizeof to);
        to[d]++;
        place(a, sizeof a, n, at[0], at[1], at[2]);
        place(b, sizeof b, n, to[0], to[1], to[2]);
        print(t, "  e%d_%d: {between: [%s, %s], %s}\n", d, i, a, b, what);
    }
}

/* Masses that move along x only, each tied to its six neighbours: the Laplacian of a cube. */
static char *scalar_lattice(int n)
{
    writer t = {0};
    bodies(&t, n, "[0, 0, 0]");
    print(&t, "joints:\n");
    for (int i = 0; i < n * n * n; i++)
        print(&t, "  j%d: {type: prismatic, between: [ground, m%d_%d_%d], axis: x}\n", i, i / n / n,
              i / n % n, i % n);
    print(&t, "forces:\n");
    for (int d = 0; d < 3; d++) edges(&t, n, d, "type: bushing, stiffness: [50, 0, 0, 0, 0, 0]");
    return t.at;
}

/* Free masses on springs along the edges: n^2 chains along each axis, all alike. Rotations are
 * held by something stiff. */
static char *chains(int n)
{
    writer t = {0};
    bodies(&t, n, "[1, 1, 1]");
    print(&t, "forces:\n");
    for (int d = 0; d < 3; d++) edges(&t, n, d, "type: spring, stiffness: 50");
    for (int i = 0; i < n * n * n; i++)
        print(&t,
              "  r%d: {type: bushing, between: [ground, m%d_%d_%d], stiffness: [0, 0, 0, 9e4, 9e4, "
              "9e4]}\n",
              i, i / n / n, i / n % n, i % n);
    return t.at;
}

/* omega^2 = k/m sum of 2 - 2 cos(pi p/(n + 1)) */
static double *lattice_omegas(int n)
{
    double *w = calloc((size_t)(n * n * n), sizeof *w);
    for (int i = 0; i < n * n * n; i++) {
        int p[3] = {i / n / n + 1, i / n % n + 1, i % n + 1};
        for (int d = 0; d < 3; d++) w[i] += 25 * (2 - 2 * cos(PI * p[d] / (n + 1)));
        w[i] = sqrt(w[i]);
    }
    qsort(w, (size_t)(n * n * n), sizeof *w, ascending);
    return w;
}

static void check_scalar_lattice(int n, int count, int large)
{
    char *model = scalar_lattice(n);
    double *omega = lattice_omegas(n);
    solved *s = modes_of(model, count, large);
    assert_int_equal(s->m.found, count);
    for (int i = 0; i < count; i++) check_omega(s, i, omega[i], 1e-12);
    if (count < 20) check_shapes(s, 1e-10);
    modes_done(s);
    free(omega);
    free(model);
}

static void lattice(void **state)
{
    (void)state;
    check_scalar_lattice(4, 64, 0); /* all there are */
    for (int count = 1; count < 14; count += 3) check_scalar_lattice(4, count, 1);
}

/* Large enough to take the sparse solver by itself: 1296 velocities, 1080 constraints. */
static void large_lattice(void **state)
{
    (void)state;
    check_scalar_lattice(6, 40, 1);
    char *model = scalar_lattice(6);
    size_t size = strlen(model);
    model = realloc(model, size + 60);
    assert_non_null(model);
    strcpy(model + size, "analysis: {type: modes, count: 12}\n");
    table r = run_model(&(run_how){.text = model});
    double *omega = lattice_omegas(6);
    assert_string_equal(r.sum.method, "lanczos");
    assert_int_equal(r.rows, 12);
    for (int i = 0; i < 12; i++) assert_near(table_get(&r, i, "omega") / omega[i], 1, 1e-12);
    table_free(&r);
    free(model);
    free(omega);
}

/* The 48 lowest modes are all the same: single-vector Lanczos alone finds one or a few of them. */
static void equal_chains(void **state)
{
    (void)state;
    char *model = chains(4);
    for (int large = 0; large < 2; large++) {
        solved *s = modes_of(model, 60, large);
        assert_int_equal(s->m.found, 60);
        for (int i = 0; i < 60; i++)
            check_omega(s, i, sqrt(25 * (2 - 2 * cos((i < 48 ? 1 : 2) * PI / 5))), 1e-12);
        check_shapes(s, 1e-10);
        modes_done(s);
    }
    free(model);
}

/* ---- the two solvers agree ---- */

/* Bodies in a row (or a block), tied to the next by bushings; nothing holds the whole. */
static char *free_block(int n)
{
    writer t = {0};
    bodies(&t, n, "[0.2, 0.3, 0.4]");
    print(&t, "forces:\n");
    for (int d = 0; d < 3; d++)
        for (int i = 0; i < n * n * (n - 1); i++) {
            int at[3];
            at[d] = i / n / n, at[(d + 1) % 3] = i / n % n, at[(d + 2) % 3] = i % n;
            print(&t, "  e%d_%d: {type: bushing, between: [m%d_%d_%d, ", d, i, at[0], at[1], at[2]);
            at[d]++;
            print(&t, "m%d_%d_%d], stiffness: [900, 700, 800, 60, 50, 40]}\n", at[0], at[1], at[2]);
        }
    return t.at;
}

/* N pendulums upside down on weak springs, tied to their neighbours: omega^2 from -9.3 up. */
static char *upside_down(int n)
{
    writer t = {0};
    print(
        &t,
        "limber: 1\n"
        "parameters: {N: %d}\n"
        "gravity: [0, 0, -9.81]\n"
        "bodies: {b(k=1..N): {type: rigid, mass: 2, position: [k, 0, 0.5]}}\n"
        "joints:\n"
        "  j(k=1..N): {type: revolute, between: [ground, b(k)], axis: x, at: [k, 0, 0], stiffness: "
        "5}\n"
        "forces:\n"
        "  f(k=1..N-1): {type: bushing, between: [b(k), b(k+1)], stiffness: [0, 30, 0, 0, 0, 0]}\n",
        n);
    return t.at;
}

static void check_same(const solved *a, const solved *b, double tolerance)
{
    assert_int_equal(a->m.found, b->m.found);
    for (int i = 0; i < a->m.found; i++) {
        limber_mode x = mode(a, i), y = mode(b, i);
        double scale = fmax(hypot(x.real, x.imaginary), 1e-3);
        assert_int_equal(x.kind, y.kind);
        assert_near(x.real, y.real, tolerance * scale);
        assert_near(x.imaginary, y.imaginary, tolerance * scale);
        for (int d = 0; d < 6; d++) /* shapes of equal frequency too are chosen alike */
            assert_near(x.effective_mass[d] / a->m.total[d], y.effective_mass[d] / a->m.total[d],
                        1e4 * tolerance);
        assert_string_equal(x.moves, y.moves);
    }
}

static void both_solvers_on_a_free_block(void **state)
{
    (void)state;
    char *model = free_block(4);
    solved *a = modes_of(model, 15, 0), *b = modes_of(model, 15, 1);
    for (int i = 0; i < 6; i++) assert_int_equal(mode(b, i).kind, LIMBER_MODE_RIGID);
    assert_int_equal(mode(b, 6).kind, LIMBER_MODE_VIBRATES);
    check_same(a, b, 1e-11);
    check_shapes(b, 1e-10);
    modes_done(a);
    modes_done(b);
    free(model);
}

static void both_solvers_on_unstable_modes(void **state)
{
    (void)state;
    char *model = upside_down(100);
    solved *a = modes_of(model, 12, 0), *b = modes_of(model, 12, 1);
    for (int i = 0; i < 12; i++) { /* free ends: omega^2 = (5 - m g L)/(m L^2) + k/m (2 - 2 cos) */
        double lambda = (5 - 9.81) / 0.5 + 15 * (2 - 2 * cos(PI * i / 100)), real = mode(b, i).real;
        assert_int_equal(mode(b, i).kind, LIMBER_MODE_GROWS);
        assert_near(real * real, -lambda, 1e-11);
    }
    check_same(a, b, 1e-11);
    modes_done(a);
    modes_done(b);
    free(model);
}

/* ---- damping in the large ---- */

static char *damped_row(int n, const char *where, double beta)
{
    writer t = {0};
    print(&t,
          "limber: 1\n"
          "parameters: {N: %d}\n"
          "bodies: {b(k=1..N): {type: rigid, mass: 2, position: [k, 0, 0]}}\n"
          "joints:\n"
          "  j(k=1..N): {type: prismatic, between: [ground, b(k)], axis: x}\n"
          "forces:\n"
          "  f(k=1..N-1): {type: bushing, between: [b(k), b(k+1)], stiffness: [50, 0, 0, 0, 0, "
          "0]%s}\n"
          "  first: {type: bushing, between: [\"ground.at(0, 0, 0)\", b(1)], stiffness: [50, 0, 0, "
          "0, "
          "0, 0], damping: [%g, 0, 0, 0, 0, 0]}\n",
          n, where, 50 * beta);
    return t.at;
}

/* Damping in proportion to stiffness: zeta = beta omega/2 of each mode, and real shapes. */
static void proportional_damping(void **state)
{
    (void)state;
    char *model = damped_row(100, ", damping: [0.15, 0, 0, 0, 0, 0]", 0.003);
    for (int large = 0; large < 2; large++) {
        solved *s = modes_of(model, 10, large);
        for (int i = 0; i < 10; i++) {
            double omega = 10 * sin(PI * (2 * i + 1) / (4 * 100 + 2));
            check_omega(s, i, omega, 1e-11);
            assert_near(mode(s, i).damping_ratio, 0.0015 * omega, 1e-12);
        }
        modes_done(s);
    }
    free(model);
}

/* How far s is from a root of the damped row: f(s) = 0 at its free end after going along it. */
static double distance_to_root(int n, double complex s, double c)
{
    double complex f[2];
    for (int k = 0; k < 2; k++) {
        double complex z = s * (1 + k * 1e-7), x0 = 1, x1 = (2 * z * z + 50 + c * z + 50) / 50, x2;
        for (int j = 2; j < n; j++) x2 = (2 + z * z / 25) * x1 - x0, x0 = x1, x1 = x2;
        f[k] = 2 * z * z * x1 + 50 * (x1 - x0);
    }
    return cabs(1e-7 * f[0] / (f[1] - f[0])); /* Newton's step, relative */
}

/* One damper at the end of a row, light to very strong: exactly by the dense solver, on a basis of
 * undamped modes and of what the damper's force does by the other. */
static void local_damping(void **state)
{
    (void)state;
    for (double c = 0.15; c < 200; c *= 10) {
        char *model = damped_row(100, "", c / 50);
        solved *a = modes_of(model, 8, 0), *b = modes_of(model, 8, 1);
        for (int i = 0; i < 8; i++) {
            limber_mode x = mode(a, i), y = mode(b, i);
            assert_int_equal(x.kind, y.kind);
            assert_true(x.damping_ratio > 1e-6);
            assert_under(distance_to_root(100, CMPLX(x.real, x.imaginary), c), 1e-11);
            if (x.kind == LIMBER_MODE_VIBRATES) assert_near(y.omega / x.omega, 1, 1e-6);
            assert_near(y.real / x.real, 1, 1e-4);
        }
        modes_done(a);
        modes_done(b);
        free(model);
    }
}

/* ---- the same bits ---- */

static void same_bits(const char *model, int count, int large)
{
    solved *a = modes_of(model, count, large), *b = modes_of(model, count, large);
    size_t size = sizeof(double) * (size_t)a->m.sys->nv;
    assert_int_equal(a->m.found, b->m.found);
    for (int i = 0; i < a->m.found; i++) {
        limber_mode x = mode(a, i), y = mode(b, i);
        assert_memory_equal(&x.real, &y.real, sizeof(double));
        assert_memory_equal(&x.imaginary, &y.imaginary, sizeof(double));
        assert_memory_equal(a->m.mode[i].shape, b->m.mode[i].shape, size);
        assert_memory_equal(x.participation, y.participation, sizeof x.participation);
    }
    modes_done(a);
    modes_done(b);
}

static void twice_the_same_bits(void **state)
{
    (void)state;
    char *block = free_block(4), *row = damped_row(100, "", 0.003), *many = chains(4);
    for (int large = 0; large < 2; large++) {
        same_bits(block, 15, large);
        same_bits(row, 8, large);
    }
    same_bits(many, 20, 1);
    free(block);
    free(row);
    free(many);
}

/* A chain hung up at one end, drawn level: omega_n = j_n/2 sqrt(g/length), j_n the zeros of
 * Bessel's J0; rods instead of a string change them by less than (j_n/N)^2/12. */
static void hanging_chain(void **state)
{
    (void)state;
    static const double zeros[] = {2.404825557695773, 5.520078110286311, 8.653727912911012};
    table r = run_model(&(run_how){.model = "rod_chain",
                                   .set = {"N=150"},
                                   .analysis = "{type: modes, about: statics, count: 3}"});
    assert_string_equal(r.sum.method, "lanczos");
    for (int i = 0; i < 3; i++)
        assert_near(table_get(&r, i, "omega") / (zeros[i] / 2 * sqrt(9.81 / 150)), 1,
                    pow(zeros[i] / 150, 2) / 12);
    table_free(&r);
}

/* ---- rigid motions in floating frames ---- */

/* Their deformations are rounding, and so is what they have of stiffness. */
static void floating_beam(const char *elements, const char *EA, const char *joints, int rigid,
                          const double root[2], const char *method)
{
    static const char text[] =
        "limber: 1\n"
        "parameters: {N: 8, EA: 1e8}\n"
        "sections: {s: {shape: stiffness, EA: EA, EIy: 300, EIz: 200, GJ: 150, rhoA: 2, rhoIy: "
        "1e-7, "
        "rhoIz: 1e-7}}\n"
        "bodies: {a: {type: beam, section: s, from: [0, 0, 0], to: [3, 0, 0], elements: N}}\n"
        "joints: {JOINTS}\n"
        "formulation: ffr\n"
        "analysis: {type: modes, count: 12}\n";
    table r = run_model(
        &(run_how){.text = text, .set = {elements, EA}, .swap = {{"joints: {JOINTS}", joints}}});
    assert_string_equal(r.sum.method, method);
    for (int i = 0; i < rigid; i++) assert_true(table_get(&r, i, "omega") == 0);
    for (int i = 0; i < 2; i++)
        assert_near(table_get(&r, rigid + i, "omega") / (root[i] * root[i] / 9 * 10), 1, 2e-5);
    table_free(&r);
}

static void rigid_motions_in_floating_frames(void **state)
{
    (void)state;
    static const char hinge[] =
        "joints: {h: {type: revolute, between: [ground, a.start], axis: z}}";
    const double stiffer = pow(1.5, 0.25);
    const double free[] = {4.730040744862704, 4.730040744862704 * stiffer};
    const double held[] = {1.875104068711961 * stiffer, 3.926602312047919};
    floating_beam("N=24", "EA=1e8", "", 6, free, "dense");
    floating_beam("N=100", "EA=1e8", "", 6, free, "dense");
    floating_beam("N=100", "EA=1e12", "", 6, free, "dense");
    floating_beam("N=24", "EA=1e8", hinge, 1, held, "dense");
    floating_beam("N=200", "EA=1e8", "", 6, free, "lanczos");
    floating_beam("N=200", "EA=1e12", "", 6, free, "lanczos");
    floating_beam("N=600", "EA=1e8", hinge, 1, held, "lanczos");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lattice),
        cmocka_unit_test(large_lattice),
        cmocka_unit_test(equal_chains),
        cmocka_unit_test(both_solvers_on_a_free_block),
        cmocka_unit_test(both_solvers_on_unstable_modes),
        cmocka_unit_test(proportional_damping),
        cmocka_unit_test(local_damping),
        cmocka_unit_test(hanging_chain),
        cmocka_unit_test(rigid_motions_in_floating_frames),
        cmocka_unit_test(twice_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
