/* Floating frames where beams bend in space: against a Cosserat beam that is integrated here, critical loads,
 * a beam drawn from its other end, energy. Nothing here is of one plane or symmetric. */
#include "support/listen.h"

/* ---- a cantilever along x under a dead force and torque at its tip, by shooting ---- */

typedef struct rod {
    double L, C[3], B[3]; /* EA, GAy, GAz; GJ, EIy, EIz */
    double force[3], torque[3];
} rod;

enum { R0 = 3, M0 = 12, STATE = 15 }; /* place, directors in columns, moment */

static void cross(const double *a, const double *b, double *out)
{
    for (int i = 0; i < 3; i++)
        out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/* n is the force everywhere: r' = R (e1 + G), m' = -r' x n, R' = R [K]. */
static void rates(const rod *b, const double *n, const double *y, double *out)
{
    double K[3];
    memset(out, 0, sizeof(double) * STATE);
    for (int i = 0; i < 3; i++) {
        double f = 0, m = 0;
        for (int k = 0; k < 3; k++) {
            f += y[R0 + 3 * i + k] * n[k];
            m += y[R0 + 3 * i + k] * y[M0 + k];
        }
        K[i] = m / b->B[i];
        for (int k = 0; k < 3; k++) out[k] += y[R0 + 3 * i + k] * (f / b->C[i] + (i == 0));
    }
    cross(n, out, out + M0);
    for (int k = 0; k < 3; k++) { /* director i grows by K x e_i */
        const double *d = y + R0 + k;
        out[R0 + k] = K[2] * d[3] - K[1] * d[6];
        out[R0 + 3 + k] = K[0] * d[6] - K[2] * d[0];
        out[R0 + 6 + k] = K[1] * d[0] - K[0] * d[3];
    }
}

static void integrate(const rod *b, double load, const double m0[3], double *y)
{
    enum { STEPS = 400 };
    double n[3], k[4][STATE], x[STATE], h = b->L / STEPS;
    memset(y, 0, sizeof(double) * STATE);
    for (int i = 0; i < 3; i++) y[R0 + 4 * i] = 1, y[M0 + i] = m0[i], n[i] = load * b->force[i];
    for (int s = 0; s < STEPS; s++) {
        rates(b, n, y, k[0]);
        for (int j = 1; j < 4; j++) {
            for (int i = 0; i < STATE; i++) x[i] = y[i] + h * (j < 3 ? 0.5 : 1) * k[j - 1][i];
            rates(b, n, x, k[j]);
        }
        for (int i = 0; i < STATE; i++)
            y[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
    }
}

static double solve3(double A[3][3], const double *b, double *x)
{
    double c[3][3];
    for (int i = 0; i < 3; i++) cross(A[(i + 1) % 3], A[(i + 2) % 3], c[i]); /* A by columns */
    double det = A[0][0] * c[0][0] + A[0][1] * c[0][1] + A[0][2] * c[0][2];
    for (int i = 0; i < 3; i++) x[i] = (c[i][0] * b[0] + c[i][1] * b[1] + c[i][2] * b[2]) / det;
    return det;
}

/* The tip; the root's moment is found by Newton's method with growing load. */
static void shoot(const rod *b, double tip[3])
{
    double m0[3] = {0}, y[STATE], z[STATE], A[3][3], miss[3], dm[3];
    for (int step = 1; step <= 20; step++) {
        double load = step / 20.;
        for (int it = 0; it < 20; it++) {
            integrate(b, load, m0, y);
            for (int i = 0; i < 3; i++) miss[i] = load * b->torque[i] - y[M0 + i];
            for (int j = 0; j < 3; j++) {
                double m[3] = {m0[0], m0[1], m0[2]}, d = 1e-4 * b->B[2] / b->L;
                m[j] += d;
                integrate(b, load, m, z);
                for (int i = 0; i < 3; i++) A[j][i] = (z[M0 + i] - y[M0 + i]) / d;
            }
            solve3(A, miss, dm);
            for (int i = 0; i < 3; i++) m0[i] += dm[i];
        }
    }
    integrate(b, 1, m0, y);
    memcpy(tip, y, 3 * sizeof(double));
}

/* ---- the same in limber ---- */

enum { TEXT = 1500 };

static void write_rod(const rod *b, int shear, const char *options, char text[TEXT])
{
    char theory[100] = "";
    if (shear) snprintf(theory, sizeof theory, "GAy: %.17g, GAz: %.17g, ", b->C[1], b->C[2]);
    snprintf(text, TEXT,
             "limber: 1\n"
             "sections: {s: {shape: stiffness, EA: %.17g, %sGJ: %.17g, EIy: %.17g, EIz: %.17g, "
             "rhoA: 1}}\n"
             "bodies: {b: {type: beam, theory: %s, section: s, from: [0, 0, 0], to: [%.17g, 0, 0], "
             "elements: 24, y_axis: y}}\n"
             "joints: {c: {type: fixed, between: [ground, b.start]}}\n"
             "loads: {f: {on: b.end, force: [%.17g, %.17g, %.17g], torque: [%.17g, %.17g, "
             "%.17g]}}\n"
             "formulation: {type: ffr%s}\n"
             "analysis: {type: statics}\n"
             "outputs: {p: pos(b.end)}\n",
             b->C[0], theory, b->B[0], b->B[1], b->B[2], shear ? "timoshenko" : "euler-bernoulli",
             b->L, b->force[0], b->force[1], b->force[2], b->torque[0], b->torque[1], b->torque[2],
             options);
}

static void tip_of(const rod *b, int shear, const char *options, double tip[3])
{
    char text[TEXT];
    write_rod(b, shear, options, text);
    table t = run_model(&(run_how){.text = text});
    tip[0] = table_last(&t, "p.x"), tip[1] = table_last(&t, "p.y"), tip[2] = table_last(&t, "p.z");
    table_free(&t);
}

static double distance(const double a[3], const double b[3])
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                (a[2] - b[2]) * (a[2] - b[2]));
}

static const rod case_of[] = {
    {1, {1e6, 1e6, 1e6}, {1e3, 1e4, 1e4}, {0, -1e4, 0}, {0, -1e4, 0}}, /* far beyond small */
    {1, {1e6, 1e6, 1e6}, {1e3, 1e4, 1e4}, {0, 0, 0}, {3e3, -1e4, 0}},  /* couples alone */
    {1.3, {4e5, 9e4, 6e4}, {900, 1700, 4100}, {300, 900, -500}, {60, 200, -150}},
    {0.7, {4e5, 9e4, 6e4}, {2900, 5200, 1900}, {-2500, 700, 1100}, {-160, 100, 90}},
};
enum { CASES = sizeof case_of / sizeof *case_of };

/* Beams are divided by themselves until they are right. */
static void cosserat(void **unused)
{
    (void)unused;
    for (int k = 0; k < 2 * CASES; k++) {
        rod b = case_of[k / 2];
        int shear = k % 2;
        double known[3], tip[3], root[3] = {b.L, 0, 0};
        if (!shear) b.C[1] = b.C[2] = 1e12;
        shoot(&b, known);
        tip_of(&b, shear, "", tip);
        assert_under(distance(tip, known) / distance(known, root), 5e-3);
    }
}

/* Four times as many frames on the same 24 elements. */
static void converges(void **unused)
{
    (void)unused;
    for (int k = 0; k < CASES; k++) {
        double known[3], tip[3], error[2], root[3] = {case_of[k].L, 0, 0};
        shoot(&case_of[k], known);
        for (int i = 0; i < 2; i++) {
            tip_of(&case_of[k], 1, i ? ", substructures: 24" : ", substructures: 6", tip);
            error[i] = distance(tip, known) / distance(known, root);
        }
        assert_under(error[1], 6e-4);
        assert_under(error[1], 0.25 * error[0] + 1e-4);
    }
}

/* Under couples there is no shear: both theories are one. */
static void couples_make_no_shear(void **unused)
{
    double a[3], b[3];
    (void)unused;
    tip_of(&case_of[1], 0, ", substructures: 8", a);
    tip_of(&case_of[1], 1, ", substructures: 8", b);
    assert_under(distance(a, b), 2e-5);
}

static rod twisted_rod(double twist, double GAy, double GAz, double EIy, double EIz)
{
    return (rod){1, {2e7, GAy, GAz}, {15, EIy, EIz}, {0, 2e-3, 1e-3}, {15 * twist, 0, 0}};
}

/* Deflections, with one half of the force, then with the other. */
static double off(const rod *b, const char *options)
{
    double known[3], tip[3], most = 0;
    for (int i = 1; i < 3; i++) {
        rod half = *b;
        half.force[i] = 0;
        shoot(&half, known);
        tip_of(&half, b->C[1] < 1e9, options, tip);
        most = fmax(most, distance(tip, known) / hypot(known[1], known[2]));
    }
    return most;
}

/* A small load across, on a shaft that torque has twisted far and whose stiffnesses in bending or in shear are not
 * the same: it bends along the sections' own axes. */
static void twisted_shafts(void **unused)
{
    static const struct {
        double twist, GAy, GAz, EIy, EIz, part;
        const char *options;
    } of[] = {{1, 1e9, 1e9, 20, 80, 2e-4, ""},
              {3, 1e9, 1e9, 20, 80, 2e-4, ", substructures: 1"},
              {-3, 1e9, 1e9, 500, 20, 2e-3, ", substructures: 1"},
              {7, 1e9, 1e9, 20, 80, 2e-3, ""},
              {3, 1e9, 1e9, 20, 80, 4e-3, ", substructures: 1, basis: modes, modes: 4"},
              {0.3, 600, 3000, 20, 20, 5e-4, ", substructures: 1"},
              {1, 3000, 600, 20, 20, 3e-3, ", substructures: 1"},
              {1, 15000, 3000, 20, 20, 3e-3, ", substructures: 1"},
              {3, 15000, 3000, 20, 20, 6e-3, ", substructures: 1"}};
    (void)unused;
    for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
        rod b = twisted_rod(of[k].twist, of[k].GAy, of[k].GAz, of[k].EIy, of[k].EIz);
        assert_under(off(&b, of[k].options), of[k].part);
    }
}

/* ---- what is said of twist ---- */

static void listen(const rod *b, const char *options, char said[SAID])
{
    char text[TEXT];
    write_rod(b, b->C[1] < 1e9, options, text);
    assert_int_equal(run_listen(&(run_how){.text = text}, said), LIMBER_OK);
}

/* However small the deflections: the error that is said is above the one that is there, and as many frames as the
 * warning asks for, and as a run takes by itself, leave little of it. */
static void twist_is_said(void **unused)
{
    static const struct {
        double twist, GAy, GAz, EIy, EIz;
        const char *basis;
    } of[] = {{1, 3000, 600, 20, 20, ""},
              {1.5, 600, 3000, 20, 80, ""},
              {-1, 600, 3000, 20, 80, ""},
              {1, 15000, 3000, 20, 20, ", basis: modes"},
              {0.5, 3000, 600, 20, 20, ", basis: modes"},
              {2, 1e9, 1e9, 20, 500, ", basis: modes, modes: 1"},
              {3, 1e9, 1e9, 20, 500, ", basis: modes, modes: 2"},
              {-3, 1e9, 1e9, 80, 20, ", basis: modes, modes: 2"}};
    char said[SAID], one[100], more[100];
    (void)unused;
    for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
        rod b = twisted_rod(of[k].twist, of[k].GAy, of[k].GAz, of[k].EIy, of[k].EIz);
        snprintf(one, sizeof one, ", substructures: 1%s", of[k].basis);
        listen(&b, one, said);
        double says = number_after(said, "put its deflections off by ") / 100, is = off(&b, one);
        snprintf(more, sizeof more, ", substructures: %.0f%s",
                 number_after(said, "substructures: "), of[k].basis);
        print_message("twist %g%s: says %.2g, is %.2g; then %.2g, by itself %.2g\n", of[k].twist,
                      of[k].basis, says, is, off(&b, more), off(&b, of[k].basis));
        assert_between(is, says / 20, says);
        assert_under(off(&b, more), fmin(0.005, is / 2));
        assert_under(off(&b, of[k].basis), fmin(0.005, is / 2));
    }
}

/* Thin strips whose modes follow their twist in part: how far they move in their stiff plane. */
static double strip_off(const rod *b, const char *options)
{
    double tip[3], known[3];
    shoot(b, known);
    tip_of(b, 0, options, tip);
    return fabs(tip[2] - known[2]) / fabs(known[2]);
}

static void strips_of_modes_are_said(void **unused)
{
    static const struct {
        double stiff;
        int modes;
    } of[] = {{1e5, 1}, {1e5, 2}, {3e5, 4}};
    char said[SAID], basis[100], one[140], more[140];
    rod b = {1, {1e8, 1e8, 1e8}, {1, 1, 1}, {0, 0.16, 0}, {2e-3, 0, 0}};
    (void)unused;
    for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
        b.B[1] = of[k].stiff;
        snprintf(basis, sizeof basis, ", basis: modes, modes: %d", of[k].modes);
        snprintf(one, sizeof one, ", substructures: 1%s", basis);
        listen(&b, one, said);
        double says = number_after(said, "put its deflections off by ") / 100,
               is = strip_off(&b, one);
        snprintf(more, sizeof more, ", substructures: %.0f%s",
                 number_after(said, "substructures: "), basis);
        print_message("%d modes: says %.2g, is %.2g; then %.2g, by itself %.2g\n", of[k].modes,
                      says, is, strip_off(&b, more), strip_off(&b, basis));
        assert_between(is, says / 20, says);
        assert_under(strip_off(&b, more), fmin(0.01, is / 2));
        assert_under(strip_off(&b, basis), fmin(0.01, is / 2));
    }
    b.torque[0] = 0; /* in one plane nothing is */
    listen(&b, one, said);
    assert_null(strstr(said, "warning"));
}

static void round_shafts_are_not_warned_of(void **unused)
{
    static const char *const options[] = {", substructures: 1", ", substructures: 1, basis: modes"};
    char said[SAID];
    (void)unused;
    for (int k = 0; k < 4; k++) {
        double GA = k < 2 ? 1e9 : 1e5;
        rod b = twisted_rod(3, GA, GA, 20, 20);
        listen(&b, options[k % 2], said);
        assert_null(strstr(said, "warning"));
        assert_under(off(&b, options[k % 2]), 0.01);
    }
}

/* ---- the Princeton beam ---- */

#define BAR                                                                                        \
    "limber: 1\n"                                                                                  \
    "parameters: {P: 4.448, ang: 45}\n"                                                            \
    "materials: {al: {E: 71.7e9, nu: 0.31, rho: 2780}}\n"                                          \
    "sections: {bar: {material: al, shape: rectangle, height: 12.377e-3, width: 3.2024e-3}}\n"     \
    "bodies: {bar: {type: beam, section: bar, from: [0, 0, 0], to: [0.508, 0, 0], "                \
    "elements: 16, y_axis: y}}\n"                                                                  \
    "joints: {clamp: {type: fixed, between: [ground, bar.start]}}\n"                               \
    "loads: {w: {on: bar.end, force: [0, P*cos(ang*deg), P*sin(ang*deg)]}}\n"                      \
    "formulation: {type: ffr}\n"                                                                   \
    "analysis: {type: statics}\n"                                                                  \
    "outputs: {y: pos(bar.end).y, z: pos(bar.end).z, rx: rot(bar.end).x, rz: rot(bar.end).z}\n"

/* Part of corotational's answer. */
static void near_part(const table *a, const table *b, const char *name, double part)
{
    double known = table_last(b, name);
    assert_near(table_last(a, name), known, part * fabs(known));
}

static void princeton(void **unused)
{
    static const struct {
        const char *frames, *P, *ang;
        double across, twist;
    } of[] = {{"formulation: {type: ffr, substructures: 1}", "P=4.448", "ang=45", 0.02, 0.02},
              {"formulation: {type: ffr, substructures: 1}", "P=4.448", "ang=-70", 0.03, 0.03},
              {"formulation: {type: ffr}", "P=4.448", "ang=45", 3e-3, 4e-3},
              {"formulation: {type: ffr}", "P=13.3", "ang=30", 8e-3, 8e-3}};
    (void)unused;
    for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
        table a = run_model(&(run_how){.text = BAR,
                                       .set = {of[k].P, of[k].ang},
                                       .swap = {{"formulation: {type: ffr}", of[k].frames}}});
        table b = run_model(&(run_how){.text = BAR,
                                       .set = {of[k].P, of[k].ang},
                                       .formulation = "corotational",
                                       .swap = {{"elements: 16", "elements: 48"}}});
        near_part(&a, &b, "y", of[k].across);
        near_part(&a, &b, "z", of[k].across);
        near_part(&a, &b, "rx", of[k].twist);
        table_free(&a);
        table_free(&b);
    }
}

/* The frame sits at the other end: what it is worth is the same. */
static void drawn_from_the_other_end(void **unused)
{
    static const char *const swap[][2] = {
        {"from: [0, 0, 0], to: [0.508, 0, 0]", "from: [0.508, 0, 0], to: [0, 0, 0]"},
        {"[ground, bar.start]", "[ground, bar.end]"},
        {"on: bar.end", "on: bar.start"},
        {"{y: pos(bar.end).y, z: pos(bar.end).z, rx: rot(bar.end).x, rz: rot(bar.end).z}",
         "{y: pos(bar.start).y, z: pos(bar.start).z, rx: rot(bar.start).x, rz: "
         "rot(bar.start).z}"}};
    static const char *const load[] = {"P=2", "P=4.448", "P=13.3"};
    (void)unused;
    for (int k = 0; k < 3; k++) {
        run_how how = {.text = BAR, .set = {load[k]}};
        table a = run_model(&how);
        memcpy(how.swap, swap, sizeof swap);
        table b = run_model(&how);
        near_part(&b, &a, "y", 0.01);
        near_part(&b, &a, "z", 0.01);
        table_free(&a);
        table_free(&b);
    }
}

/* ---- critical loads, in one frame ---- */

/* Half the load that buckles a strip sideways bends it in its stiff plane by a twentieth of its length and more:
 * there the third order of its curvature counts for (EI stiff / EI weak) times the square of the turn. */
static void strips_in_one_frame(void **unused)
{
    static const struct {
        const char *options;
        double part;
    } basis[] = {{", substructures: 1", 0.006},
                 {", substructures: 2", 0.006},
                 {", substructures: 1, basis: modes, modes: 1", 0.012},
                 {", substructures: 1, basis: modes, modes: 2", 0.008},
                 {", substructures: 1, basis: modes, modes: 4", 0.007},
                 {", substructures: 1, basis: modes, modes: 8", 0.007}};
    static const double stiff[] = {10, 100, 1e4}, load[] = {1.7, -2, 2};
    (void)unused;
    for (int k = 0; k < 6; k++)
        for (size_t i = 0; i < sizeof basis / sizeof *basis; i++) {
            int weak = k % 2; /* 0: the weak plane is xz */
            rod b = {1, {1e8, 1e8, 1e8}, {1, 1, 1}, {0}, {0}};
            double known[3], tip[3];
            b.B[2 - weak] = stiff[k / 2];
            b.force[1 + weak] = load[k / 2], b.force[2 - weak] = 0.06;
            shoot(&b, known);
            tip_of(&b, 0, basis[i].options, tip);
            assert_near(tip[2 - weak], known[2 - weak], basis[i].part * known[2 - weak]);
            assert_near(tip[1 + weak], known[1 + weak], basis[i].part * hypot(known[1], known[2]));
        }
}

/* A strip bent across its weak axis twists, and follows its twist in its stiff plane as well as it may: in few
 * elements it once counted for (EI stiff / GJ) times the square of the turn as stiffness against twist. */
static void thin_strips_twist(void **unused)
{
    static const double stiff[] = {1e3, 1e5, 1e7};
    (void)unused;
    for (int k = 0; k < 12; k++) {
        int weak = k % 2; /* 1: the weak plane is xz */
        rod b = {1, {1e8, 1e8, 1e8}, {1, 1, 1}, {0}, {2e-3, 0, 0}};
        double known[3], tip[3];
        char text[TEXT];
        b.B[1 + weak] = stiff[k / 4];
        b.force[1 + weak] = 0.2;
        shoot(&b, known);
        write_rod(&b, 0, ", substructures: 1", text);
        table t = run_model(&(run_how){
            .text = text, .swap = {{"elements: 24", k & 2 ? "elements: 4" : "elements: 1"}}});
        tip[1] = table_last(&t, "p.y"), tip[2] = table_last(&t, "p.z");
        assert_near(tip[2 - weak], known[2 - weak], 6e-3 * fabs(known[2 - weak]));
        table_free(&t);
    }
}

/* Where a small displacement u grows without bounds: 1/u goes to zero linearly in x. */
static double pole(const double x[2], const double u[2])
{
    return x[0] + (x[1] - x[0]) / u[0] / (1 / u[0] - 1 / u[1]);
}

static void lateral_buckling(void **unused)
{
    static const char *const k[2] = {"k=3.8", "k=3.95"};
    double u[2];
    (void)unused;
    for (int i = 0; i < 2; i++) {
        table t =
            run_model(&(run_how){.model = "lateral_buckling",
                                 .set = {k[i], "side=1e-6", "EI_weak=1.7", "GJ=0.6", "L=1.3"},
                                 .swap = {{"limber: 1\n", "limber: 1\nformulation: {type: ffr, "
                                                          "substructures: 1}\n"}}});
        u[i] = table_last(&t, "sideways");
        table_free(&t);
    }
    double load = sqrt(pole((double[]){3.8 * 3.8, 3.95 * 3.95}, u));
    assert_near(load, 4.0126, 0.02);
}

/* kGA = 2 P_E: Haringx has the column buckle at 0.732 P_E, Engesser at 0.667. */
static void column_with_shear(void **unused)
{
    rod b = {1, {1e7, 4.934802, 8}, {1, 3, 1}, {0, 1e-6, 0}, {0}};
    double u[2], tip[3], known[3], x[2] = {0.66, 0.7};
    (void)unused;
    for (int i = 0; i < 2; i++) {
        b.force[0] = -x[i] * 2.467401;
        tip_of(&b, 1, ", substructures: 1", tip);
        u[i] = tip[1];
    }
    assert_near(pole(x, u), 0.732, 2e-3);
    b.force[0] = 1.5 * 2.467401, b.force[1] = b.force[2] = 1e-3; /* and in tension */
    tip_of(&b, 1, "", tip);
    shoot(&b, known);
    assert_near(tip[1], known[1], 2e-3 * known[1]);
    assert_near(tip[2], known[2], 2e-3 * known[2]);
}

/* ---- in time ---- */

/* A blade-like cantilever with a mass off its axis falls into a twisting swing in space. */
static void energy_is_kept(void **unused)
{
    static const char text[] =
        "limber: 1\n"
        "gravity: [3, -7, 9]\n"
        "sections: {s: {shape: stiffness, EA: 4e5, GJ: 9, EIy: 17, EIz: 210, rhoA: 1.1, "
        "rhoIy: 2e-3, rhoIz: 4e-3}}\n"
        "bodies:\n"
        "  b: {type: beam, section: s, from: [0, 0, 0], to: [1.3, 0.2, 0.1], elements: 6}\n"
        "  m: {type: rigid, position: [1.4, 0.3, 0.25], mass: 0.2, inertia: [1e-3, 2e-3, 3e-3]}\n"
        "joints:\n"
        "  c: {type: fixed, between: [ground, b.start]}\n"
        "  d: {type: fixed, between: [b.end, m], at: [1.3, 0.2, 0.1]}\n"
        "formulation: {type: ffr, substructures: SUB}\n"
        "analysis: {type: dynamics, until: 0.4, output_step: 0.02, tolerance: 1e-7}\n"
        "outputs: {x: pos(m).x, y: pos(m).y, z: pos(m).z, turn: rot(b.end).x}\n";
    (void)unused;
    table one = run_model(&(run_how){.text = text, .swap = {{"SUB", "1"}}});
    table six = run_model(&(run_how){.text = text, .swap = {{"SUB", "6"}}});
    table cor =
        run_model(&(run_how){.text = text, .formulation = "corotational", .swap = {{"SUB", "1"}}});
    assert_under(one.sum.energy_error, 1e-5);
    assert_under(six.sum.energy_error, 1e-5);
    double range = table_range(&cor, "turn");
    assert_true(range > 0.1);
    assert_under(table_distance(&six, &cor, "turn") / range, 0.02);
    table_free(&one);
    table_free(&six);
    table_free(&cor);
}

/* A flexible arm that swings too far for one frame begins anew with more of them, in time too. */
static void divided_in_time(void **unused)
{
    static const char text[] =
        "limber: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "sections: {s: {shape: stiffness, EA: 4e5, GJ: 3, EIy: 4, EIz: 11, rhoA: 1.1, "
        "rhoIy: 2e-3, rhoIz: 4e-3}}\n"
        "bodies: {b: {type: beam, section: s, from: [0, 0, 0], to: [1.3, 0.2, 0.1], elements: "
        "16}}\n"
        "joints: {c: {type: fixed, between: [ground, b.start]}}\n"
        "loads: {p: {on: b.end, force: [0, 2*sin(9*t), 0]}}\n"
        "formulation: {type: ffr}\n"
        "analysis: {type: dynamics, until: 0.6, output_step: 0.02, tolerance: 1e-6}\n"
        "outputs: {x: pos(b.end).x, y: pos(b.end).y, z: pos(b.end).z, turn: rot(b.end).x}\n";
    (void)unused;
    table a = run_model(&(run_how){.text = text});
    table b = run_model(&(run_how){.text = text, .formulation = "corotational"});
    assert_int_equal(a.rows, 31);
    assert_true(a.sum.unknowns > 6 * 5); /* several frames */
    assert_under(table_distance(&a, &b, "z") / table_range(&b, "z"), 0.01);
    assert_under(table_distance(&a, &b, "y") / table_range(&b, "y"), 0.01);
    table_free(&a);
    table_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cosserat),
        cmocka_unit_test(converges),
        cmocka_unit_test(couples_make_no_shear),
        cmocka_unit_test(twisted_shafts),
        cmocka_unit_test(twist_is_said),
        cmocka_unit_test(strips_of_modes_are_said),
        cmocka_unit_test(round_shafts_are_not_warned_of),
        cmocka_unit_test(princeton),
        cmocka_unit_test(drawn_from_the_other_end),
        cmocka_unit_test(strips_in_one_frame),
        cmocka_unit_test(thin_strips_twist),
        cmocka_unit_test(lateral_buckling),
        cmocka_unit_test(column_with_shear),
        cmocka_unit_test(energy_is_kept),
        cmocka_unit_test(divided_in_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
