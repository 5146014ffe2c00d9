/* Critical speeds against closed forms: rigid rotors in two bearings (cylindrical and conical whirl), shafts
 * with two stiffnesses, unbalance of any size; whatever the speeds of the list, the axes and the formulation. */
#include "support/modes.h"

#include <complex.h>
#include <math.h>

static const char *const forms[] = {"corotational", "minimal", "rfe", "ffr", "elastodynamic"};
enum { NFORMS = 5, MOST = 12 };

typedef struct found {
    limber_summary sum;
    int n;
    limber_critical at[MOST];
} found;

static void add(void *to, const limber_critical *x)
{
    found *f = to;
    if (f->n < MOST) f->at[f->n++] = *x;
}

static void find(found *f, const char *text, const char *formulation)
{
    *f = (found){0};
    limber_messages *msg = limber_messages_new();
    limber_model *model = modes_parse(text, msg);
    limber_run_options opt = limber_run_options_default();
    opt.formulation = formulation;
    opt.critical = add, opt.critical_context = f;
    limber_status st = limber_run(model, &opt, &f->sum, msg);
    if (st) fail_msg("%s: status %d: %s", formulation, (int)st, f->sum.reason);
    limber_model_free(model);
    limber_messages_free(msg);
}

/* ---- rigid rotors ---- */

typedef struct rotor {
    double m, Id, Ip, a, b, k1, k2; /* bearings at -a and b */
} rotor;

/* (k11 - m W^2)(k22 - (Id - sense Ip) W^2) = k12^2, of W^2. Returns how many speeds, into W. */
static int closed_form(const rotor *r, double sense, double most, double *W)
{
    double k11 = r->k1 + r->k2, k22 = r->k1 * r->a * r->a + r->k2 * r->b * r->b;
    double k12 = r->k2 * r->b - r->k1 * r->a, J = r->Id - sense * r->Ip;
    double A = r->m * J, B = -(k11 * J + k22 * r->m), C = k11 * k22 - k12 * k12;
    double root = sqrt(B * B - 4 * A * C);
    int n = 0;
    for (int k = 0; k < 2; k++) {
        double W2 = k ? (-B + root) / (2 * A) : (-B - root) / (2 * A);
        if (W2 > 0 && W2 < most * most) W[n++] = sqrt(W2);
    }
    return n;
}

/* axis: 'x', 'y' or 'z'; lengths in parts of `unit` metres. */
static void write_rotor(char *text, size_t size, const rotor *r, char axis, double unit,
                        const char *speeds, const char *frame)
{
    int at = axis - 'x';
    double L = 1 / unit, J[3], l[3] = {0}, rr[3] = {0}, k1[3], k2[3], c[6] = {0};
    for (int i = 0; i < 3; i++) {
        J[i] = (i == at ? r->Ip : r->Id) * L * L;
        k1[i] = i == at ? 0 : r->k1, k2[i] = i == at ? 0 : r->k2;
    }
    l[at] = -r->a * L, rr[at] = r->b * L, c[at] = 1e5, c[3 + at] = 50 * L * L;
    snprintf(text, size,
             "limber: 1\n"
             "bodies:\n"
             "  motor: {type: rigid, mass: 5, inertia: [%g, %g, %g]}\n"
             "  rotor: {type: rigid, mass: %.17g, inertia: [%.17g, %.17g, %.17g],\n"
             "          frames: {l: [%.17g, %.17g, %.17g], r: [%.17g, %.17g, %.17g]}}\n"
             "joints:\n"
             "  shaft: {type: revolute, between: [ground, motor], axis: %c, drive: 12*t}\n"
             "forces:\n"
             "  coupling: {type: bushing, between: [motor, rotor], stiffness: [%g, %g, %g, %g, %g, "
             "%g]}\n"
             "  left: {type: bushing, between: [\"ground.at(%.17g, %.17g, %.17g)\", rotor.l], "
             "stiffness: [%.17g, %.17g, %.17g, 0, 0, 0]}\n"
             "  right: {type: bushing, between: [\"ground.at(%.17g, %.17g, %.17g)\", rotor.r], "
             "stiffness: [%.17g, %.17g, %.17g, 0, 0, 0]}\n"
             "analysis: {type: campbell, drive: shaft, speeds: %s, count: 8, frame: %s}\n",
             0.1 * L * L, 0.1 * L * L, 0.2 * L * L, r->m, J[0], J[1], J[2], l[0], l[1], l[2], rr[0],
             rr[1], rr[2], axis, c[0], c[1], c[2], c[3], c[4], c[5], l[0], l[1], l[2], k1[0], k1[1],
             k1[2], rr[0], rr[1], rr[2], k2[0], k2[1], k2[2], speeds, frame);
}

/* The critical speeds of one sense are those of the closed form. */
static void compare(const found *f, const char *what, const double *W, int n, double sense)
{
    int left = 0;
    for (int i = 0; i < f->n; i++) left += f->at[i].whirl * sense > 0.5;
    if (left != n) fail_msg("%s: %d speeds of sense %g, not %d", what, left, sense, n);
    for (int k = 0; k < n; k++) {
        double best = INFINITY;
        for (int i = 0; i < f->n; i++)
            if (f->at[i].whirl * sense > 0.5) best = fmin(best, fabs(f->at[i].speed / W[k] - 1));
        if (!(best < 1e-6)) fail_msg("%s: %.9g is missed by %g", what, W[k], best);
    }
}

static const rotor rotors[] = {{2, 0.05, 0.02, 0.2, 0.2, 800, 800},
                               {1.7, 0.08, 0.05, 0.33, 0.18, 1140, 1060},
                               {4.8, 0.0505, 0.045, 0.165, 0.227, 349, 677},
                               {3, 0.05, 0.09, 0.15, 0.31, 900, 1500}};
enum { NROTORS = 4 };

static void rigid_rotors(void **state)
{
    (void)state;
    static const char *const speeds[] = {"[0, 200, 41]", "[0, 200, 73]"};
    for (int k = 0; k < NROTORS; k++)
        for (int f = 0; f < NFORMS; f++)
            for (int way = 0; way < 4; way++) {
                char text[3000];
                double W[2], B[2];
                found got;
                write_rotor(text, sizeof text, &rotors[k], (char)('x' + (k + f) % 3),
                            f % 2 ? 1 : 1e-3, speeds[way / 2], way % 2 ? "rotating" : "fixed");
                find(&got, text, forms[f]);
                compare(&got, forms[f], W, closed_form(&rotors[k], 1, 200, W), 1);
                if (way % 2 == 0)
                    compare(&got, forms[f], B, closed_form(&rotors[k], -1, 200, B), -1);
            }
}

/* In turning axes two speeds are a list that is fine enough. */
static void any_speeds(void **state)
{
    (void)state;
    static const char *const speeds[] = {"[0, 200, 2]", "[0, 200, 5]", "[200, 0, 3]",
                                         "[3, 200, 100]"};
    for (int k = 0; k < NROTORS; k++)
        for (int i = 0; i < 4; i++) {
            char text[3000];
            double W[2];
            found got;
            write_rotor(text, sizeof text, &rotors[k], 'z', 1, speeds[i], "rotating");
            find(&got, text, forms[i]);
            compare(&got, speeds[i], W, closed_form(&rotors[k], 1, 200, W), 1);
        }
}

/* ---- any axis, supports that differ ---- */

typedef struct supported {
    double m, Id, Ip, a, b, k[2][2], turn; /* the axes of the right support are turned */
} supported;

/* Eigenvalues below 0 of K - W^2 M + i W^2 G: every critical speed, of either sense, changes their number. */
static int below(const supported *r, double W)
{
    double complex A[4][4] = {{0}};
    double inertia[4] = {r->m, r->m, r->Id, r->Id};
    for (int side = 0; side < 2; side++) {
        double z = side ? r->b : -r->a, co = side ? cos(r->turn) : 1, si = side ? sin(r->turn) : 0;
        double u[2][4] = {{co, si, -si * z, co * z}, {-si, co, -co * z, -si * z}};
        for (int d = 0; d < 2; d++)
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++) A[i][j] += r->k[side][d] * u[d][i] * u[d][j];
    }
    for (int i = 0; i < 4; i++) A[i][i] -= W * W * inertia[i];
    A[2][3] += I * W * W * r->Ip, A[3][2] -= I * W * W * r->Ip;
    int n = 0;
    for (int i = 0; i < 4; i++) {
        n += creal(A[i][i]) < 0;
        for (int row = i + 1; row < 4; row++) {
            double complex f = A[row][i] / A[i][i];
            for (int j = i; j < 4; j++) A[row][j] -= f * A[i][j];
        }
    }
    return n;
}

/* All critical speeds up to `most`, into W. */
static int all_criticals(const supported *r, double most, double *W)
{
    enum { STEPS = 20000 };
    int n = 0, last = below(r, most / STEPS);
    for (int k = 2; k <= STEPS; k++) {
        double low = most * (k - 1) / STEPS, high = most * k / STEPS;
        int now = below(r, high);
        if (now == last) continue;
        for (int half = 0; half < 50; half++) {
            double middle = 0.5 * (low + high);
            *(below(r, middle) == last ? &low : &high) = middle;
        }
        W[n++] = high;
        last = now;
    }
    return n;
}

#define TURNED "orientation: {axis: [0.3, -0.7, 0.5], angle: %.17g}"
#define SUPPORTED                                                                                  \
    "limber: 1\n"                                                                                  \
    "bodies:\n"                                                                                    \
    "  base: {type: rigid, mass: 1, inertia: [1, 1, 1], " TURNED                                   \
    ", frames: {l: [0, 0, %.17g], r: {position: [0, 0, %.17g], orientation: {axis: z, angle: "     \
    "%.17g}}}}\n"                                                                                  \
    "  motor: {type: rigid, mass: 5, inertia: [0.1, 0.1, 0.2], " TURNED "}\n"                      \
    "  rotor: {type: rigid, mass: %.17g, inertia: [%.17g, %.17g, %.17g], " TURNED                  \
    ", frames: {l: [0, 0, %.17g], r: [0, 0, %.17g]}}\n"                                            \
    "joints:\n"                                                                                    \
    "  weld: {type: fixed, between: [ground, base]}\n"                                             \
    "  shaft: {type: revolute, between: [ground, motor], axis: [%.17g, %.17g, %.17g], drive: "     \
    "12*t}\n"                                                                                      \
    "forces:\n"                                                                                    \
    "  coupling: {type: bushing, between: [motor, rotor], stiffness: [0, 0, 1e5, 0, 0, 50]}\n"     \
    "  left: {type: bushing, between: [base.l, rotor.l], stiffness: [%.17g, %.17g, 0, 0, 0, 0]}\n" \
    "  right: {type: bushing, between: [base.r, rotor.r], stiffness: [%.17g, %.17g, 0, 0, 0, "     \
    "0]}\n"                                                                                        \
    "analysis: {type: campbell, drive: shaft, speeds: [0, 150, %d], count: %d, frame: fixed}\n"

static void write_supported(char *text, size_t size, const supported *r, double angle, int n,
                            int count)
{
    double u[3] = {0.3, -0.7, 0.5}, len = sqrt(0.83), z[3];
    for (int i = 0; i < 3; i++) u[i] /= len;
    double cross[3] = {u[1], -u[0], 0};
    for (int i = 0; i < 3; i++)
        z[i] = (i == 2) * cos(angle) + sin(angle) * cross[i] + (1 - cos(angle)) * u[2] * u[i];
    snprintf(text, size, SUPPORTED, angle, -r->a, r->b, r->turn, angle, r->m, r->Id, r->Id, r->Ip,
             angle, -r->a, r->b, z[0], z[1], z[2], r->k[0][0], r->k[0][1], r->k[1][0], r->k[1][1],
             n, count);
}

static const supported turned[] = {
    {1.9, 0.052, 0.071, 0.17, 0.33, {{910, 910}, {1370, 1370}}, 0},
    {4.1, 0.093, 0.031, 0.31, 0.14, {{1810, 1810}, {640, 640}}, 0},
    {2.7, 0.061, 0.083, 0.22, 0.37, {{520, 1730}, {1190, 870}}, 0.7},
    {3.6, 0.034, 0.019, 0.28, 0.21, {{1480, 990}, {410, 1260}}, 1.1},
};

/* None is lost, however few roots are asked for: those of backward whirl are high among the roots as seen
 * from the rotor. */
static void none_is_lost(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++)
        for (int f = 0; f < NFORMS; f++)
            for (int count = 1; count < 8; count += 2) {
                char text[3000];
                double W[8];
                found got;
                int n = all_criticals(&turned[k], 150, W), joints = f == 1 || f == 2;
                if (joints && k > 1) continue;
                write_supported(text, sizeof text, &turned[k], 0.4 + k + 0.3 * f, 7 + 9 * f, count);
                find(&got, text, forms[f]);
                if (got.n != n) fail_msg("%s, rotor %d: %d speeds, not %d", forms[f], k, got.n, n);
                for (int i = 0; i < n; i++) assert_near(got.at[i].speed / W[i], 1, 1e-6);
            }
}

/* ---- two machines ---- */

#define MACHINES                                                                                   \
    "limber: 1\n"                                                                                  \
    "bodies:\n"                                                                                    \
    "  motor: {type: rigid, mass: 5, inertia: [0.1, 0.1, 0.2]}\n"                                  \
    "  rotor: {type: rigid, mass: 2, inertia: [0.05, 0.05, 0.02], frames: {l: [0, 0, -0.2], r: "   \
    "[0, 0, 0.25]}}\n"                                                                             \
    "  motor2: {type: rigid, mass: 5, inertia: [0.1, 0.1, 0.2], position: [1, 0, 0]}\n"            \
    "  rotor2: {type: rigid, mass: 3, inertia: [0.06, 0.06, 0.04], position: [1, 0, 0], frames: "  \
    "{l: [0, 0, -0.3], r: [0, 0, 0.25]}}\n"                                                        \
    "joints:\n"                                                                                    \
    "  shaft: {type: revolute, between: [ground, motor], axis: z, drive: 12*t}\n"                  \
    "  shaft2: {type: revolute, between: [ground, motor2], axis: z%s}\n"                           \
    "forces:\n"                                                                                    \
    "  coupling: {type: bushing, between: [motor, rotor], stiffness: [0, 0, 1e5, 0, 0, %g]}\n"     \
    "  left: {type: bushing, between: [\"ground.at(0,0,-0.2)\", rotor.l], stiffness: [800, 800, "  \
    "0, 0, 0, 0]}\n"                                                                               \
    "  right: {type: bushing, between: [\"ground.at(0,0,0.25)\", rotor.r], stiffness: [900, 900, " \
    "0, 0, 0, 0]}\n"                                                                               \
    "  coupling2: {type: bushing, between: [motor2, rotor2], stiffness: [0, 0, 1e5, 0, 0, 50]}\n"  \
    "  left2: {type: bushing, between: [\"ground.at(1,0,-0.3)\", rotor2.l], stiffness: [700, "     \
    "700, 0, 0, 0, 0]}\n"                                                                          \
    "  right2: {type: bushing, between: [\"ground.at(1,0,0.25)\", rotor2.r], stiffness: [900, "    \
    "900, 0, 0, 0, 0]}\n"                                                                          \
    "analysis: {type: campbell, drive: shaft, speeds: [0, 100, %d], count: 5, frame: %s}\n"

/* A machine that stands beside the one that turns has no critical speed, and what turns freely about its own
 * axis none either. */
static void another_machine(void **state)
{
    (void)state;
    const rotor r = {2, 0.05, 0.02, 0.2, 0.25, 800, 900};
    static const char *const able[] = {"corotational", "ffr", "elastodynamic"};
    for (int f = 0; f < 3; f++)
        for (int way = 0; way < 4; way++) {
            char text[4000];
            double W[2], B[2];
            found got;
            snprintf(text, sizeof text, MACHINES, way & 1 ? ", drive: 3*t" : "", 50.0, 21 + 3 * f,
                     way & 2 ? "fixed" : "rotating");
            find(&got, text, able[f]);
            int n = closed_form(&r, 1, 100, W), back = closed_form(&r, -1, 100, B);
            compare(&got, able[f], W, n, 1);
            if (way & 2) compare(&got, able[f], B, back, -1);
            assert_int_equal(got.n, way & 2 ? n + back : n);
        }
}

/* Joint coordinates have these roots from turning axes, in which unequal supports are periodic. */
static void unequal_supports_in_joint_coordinates(void **state)
{
    (void)state;
    for (int f = 1; f < 3; f++) {
        char text[3000];
        write_supported(text, sizeof text, &turned[3], 0.9, 9, 4);
        limber_messages *msg = limber_messages_new();
        limber_model *model = modes_parse(text, msg);
        limber_run_options opt = limber_run_options_default();
        limber_summary sum;
        opt.formulation = forms[f];
        assert_int_equal(limber_run(model, &opt, &sum, msg), LIMBER_INPUT);
        limber_model_free(model);
        limber_messages_free(msg);
    }
}

/* ---- two stiffnesses ---- */

#define STIFFNESSES                                                                                \
    "limber: 1\n"                                                                                  \
    "bodies:\n"                                                                                    \
    "  rotor: {type: rigid, mass: 5, inertia: [0.1, 0.1, 0.2]}\n"                                  \
    "  mass: {type: rigid, mass: 2, inertia: [0.01, 0.01, 0.02]}\n"                                \
    "joints:\n"                                                                                    \
    "  shaft: {type: revolute, between: [ground, rotor], axis: z, drive: 12*t}\n"                  \
    "  guide: {type: planar, between: [rotor, mass], axis: z}\n"                                   \
    "forces:\n"                                                                                    \
    "  springs: {type: bushing, between: [rotor, mass], stiffness: [%.17g, %.17g, 0, 0, 0, 50]}\n" \
    "analysis: {type: campbell, drive: shaft, speeds: [%g, %g, %d], count: %d}\n"

/* Critical at sqrt(k/m) of each, unstable between, whether a listed speed is one, between, or neither. */
static void two_stiffnesses(void **state)
{
    (void)state;
    static const int n[] = {2, 3, 9, 21, 40, 41};
    static const double k[][2] = {{800, 1200}, {800, 808}, {1250, 801}};
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 3; j++) {
            char text[1500];
            found got;
            double low = sqrt(fmin(k[j][0], k[j][1]) / 2), high = sqrt(fmax(k[j][0], k[j][1]) / 2);
            snprintf(text, sizeof text, STIFFNESSES, k[j][0], k[j][1], 0.0, 40.0, n[i], 2 + i % 3);
            find(&got, text, forms[(i + j) % NFORMS]);
            assert_int_equal(got.n, 2);
            assert_near(got.at[0].speed / low, 1, 1e-8);
            assert_near(got.at[1].speed / high, 1, 1e-8);
            assert_near(got.sum.unstable_from / low, 1, 1e-6);
            assert_near(got.sum.unstable_to / high, 1, 1e-6);
        }
}

/* ---- unbalance ---- */

/* A disc on a shaft, in bearings that are fixed or on springs of a damped bearing: the critical speeds are
 * those without unbalance. */
#define DISC                                                                                       \
    "limber: 1\n"                                                                                  \
    "materials: {steel: {E: 2.1e11, nu: 0.3, rho: 7850}}\n"                                        \
    "sections: {shaft: {material: steel, shape: circle, radius: 0.02}}\n"                          \
    "bodies:\n"                                                                                    \
    "  left: {type: rigid, mass: 1, inertia: [1e-3, 1e-3, 1e-3]}\n"                                \
    "  shaft: {type: beam, section: shaft, from: [0, 0, 0], to: [1.2, 0, 0], elements: 6}\n"       \
    "  disc: {type: rigid, mass: 12, inertia: [0.135, 0.07, 0.07], position: [0.4, 0, 0], com: "   \
    "[0, %g, 0]}\n"                                                                                \
    "joints:\n"                                                                                    \
    "  motor: {type: revolute, between: [left, shaft.start], axis: x, drive: 0*t}\n"               \
    "  bearing: {type: inline, between: [ground, shaft.end], axis: x}\n"                           \
    "  hub: {type: fixed, between: [shaft.at(1/3), disc]}\n"                                       \
    "%s"                                                                                           \
    "analysis: {type: campbell, drive: motor, speeds: [0, 600, %d], count: 4, frame: %s}\n"
#define SOFT                                                                                       \
    "forces: {feet: {type: bushing, between: [ground, left], stiffness: [1e8, 2e7, 2e7, 1e6, "     \
    "1e4, "                                                                                        \
    "1e4], damping: [1e3, 2e3, 2e3, 10, 1, 1]}}\n"
#define HARD "  foot: {type: fixed, between: [ground, left]}\n"

static void unbalance(void **state)
{
    (void)state;
    static const double e[] = {0, 1e-8, 1e-5, 1e-4};
    static const char *const able[] = {"corotational", "ffr", "elastodynamic"};
    for (int way = 0; way < 4; way++) {
        found first, got;
        char text[3000];
        for (int k = 0; k < 4; k++) {
            const char *frame = way % 2 ? "fixed" : "rotating", *form = able[k % 3];
            snprintf(text, sizeof text, DISC, 0.0, way / 2 ? SOFT : HARD, 16, frame);
            find(&first, text, form);
            snprintf(text, sizeof text, DISC, e[k], way / 2 ? SOFT : HARD, 31 + k, frame);
            find(&got, text, form);
            assert_int_equal(first.n > 0, 1);
            assert_int_equal(got.n, first.n);
            for (int i = 0; i < got.n; i++)
                assert_near(got.at[i].speed / first.at[i].speed, 1, 1e-7 + 1e4 * e[k] * e[k]);
        }
    }
}

/* Damping of the shaft alone makes it unstable from its forward critical speed on: little damping, any list
 * of speeds in either order, any formulation, any small unbalance. */
#define DISCS                                                                                      \
    "limber: 1\n"                                                                                  \
    "materials: {steel: {E: 2.1e11, nu: 0.3, rho: 7850, damping: {stiffness: 1e-6}}}\n"            \
    "sections: {shaft: {material: steel, shape: circle, radius: 0.02}}\n"                          \
    "bodies:\n"                                                                                    \
    "  shaft: {type: beam, section: shaft, from: [0, 0, 0], to: [1.2, 0, 0], elements: %d}\n"      \
    "  disc1: {type: rigid, mass: 12, inertia: [0.135, 0.07, 0.07], position: [0.4, 0, 0]}\n"      \
    "  disc2: {type: rigid, mass: 12, inertia: [0.135, 0.07, 0.07], position: [0.8, 0, 0], "       \
    "com: "                                                                                        \
    "[0, %g, 0]}\n"                                                                                \
    "joints:\n"                                                                                    \
    "  motor: {type: revolute, between: [ground, shaft.start], axis: x, drive: 0*t}\n"             \
    "  bearing: {type: inline, between: [ground, shaft.end], axis: x}\n"                           \
    "  hub1: {type: fixed, between: [shaft.at(1/3), disc1]}\n"                                     \
    "  hub2: {type: fixed, between: [shaft.at(2/3), disc2]}\n"                                     \
    "analysis: {type: campbell, drive: motor, speeds: %s, count: 6, frame: %s}\n"

#define BUSHED                                                                                     \
    "limber: 1\n"                                                                                  \
    "materials: {steel: {E: 2.1e11, nu: 0.3, rho: 7850, damping: {stiffness: 1e-6}}}\n"            \
    "sections: {shaft: {material: steel, shape: circle, radius: 0.02}}\n"                          \
    "bodies:\n"                                                                                    \
    "  left: {type: rigid, mass: 1, inertia: [1e-3, 1e-3, 1e-3]}\n"                                \
    "  right: {type: rigid, mass: 1, inertia: [1e-3, 1e-3, 1e-3], position: [1.2, 0, 0]}\n"        \
    "  shaft: {type: beam, section: shaft, from: [0, 0, 0], to: [1.2, 0, 0], elements: 12}\n"      \
    "  disc1: {type: rigid, mass: 12, inertia: [0.135, 0.0675, 0.0675], position: [0.4, 0, 0]}\n"  \
    "  disc2: {type: rigid, mass: 12, inertia: [0.135, 0.0675, 0.0675], position: [0.8, 0, 0], "   \
    "com: [0, %g, 0]}\n"                                                                           \
    "joints:\n"                                                                                    \
    "  motor: {type: revolute, between: [left, shaft.start], axis: x, drive: 0*t}\n"               \
    "  bearing: {type: cylindrical, between: [right, shaft.end], axis: x}\n"                       \
    "  hub1: {type: fixed, between: [shaft.at(1/3), disc1]}\n"                                     \
    "  hub2: {type: fixed, between: [shaft.at(2/3), disc2]}\n"                                     \
    "forces:\n"                                                                                    \
    "  b1: {type: bushing, between: [ground, left], stiffness: [1e8, 2e7, 2e7, 1e6, 1e4, 1e4], "   \
    "damping: [1e3, 2e3, 2e3, 10, 1, 1]}\n"                                                        \
    "  b2: {type: bushing, between: [ground, right], stiffness: [1e8, 2e7, 2e7, 1e6, 1e4, 1e4], "  \
    "damping: [1e3, 2e3, 2e3, 10, 1, 1]}\n"                                                        \
    "analysis: {type: campbell, drive: motor, speeds: %s, count: 6}\n"

static double forward(const found *f)
{
    int n = 0;
    double at = NAN;
    for (int i = 0; i < f->n; i++)
        if (f->at[i].whirl > 0.9) at = f->at[i].speed, n++;
    assert_int_equal(n, 1);
    return at;
}

static void unstable_from_the_critical_speed(void **state)
{
    (void)state;
    static const char *const speeds[] = {"[0, 600, 61]", "[0, 600, 3]", "[600, 0, 14]",
                                         "[150, 400, 7]"};
    static const double e[] = {1e-8, 1e-5, 1e-4, 3e-4};
    for (int f = 0; f < NFORMS; f++) {
        double balanced = 0;
        for (int k = 0; k < 5; k++) {
            found got;
            char text[3000];
            int fixed = k % 2 || k == 0;
            snprintf(text, sizeof text, DISCS, 6, k ? e[(k - 1 + f) % 4] : 0, speeds[(k + f) % 4],
                     fixed ? "fixed" : "rotating");
            find(&got, text, forms[f]);
            double at = forward(&got), down = got.sum.unstable_from > got.sum.unstable_to;
            if (!k) balanced = at;
            assert_int_equal(got.n, 1 + fixed);
            assert_near(at / balanced, 1, 2e-6);
            double from = down > 0 ? got.sum.unstable_to : got.sum.unstable_from;
            /* a root that passes 0 does so at the critical speed; in axes that stand still unbalance moves both */
            int passes = !fixed || f == 1 || f == 3;
            assert_near(from / at, 1, passes ? 1e-9 : 6e-6);
        }
    }
}

/* At 280 rad/s, just beyond the critical speed, the root grows by less than rounding of finer meshes leaves. */
static void limits_between_speeds(void **state)
{
    (void)state;
    static const double e[] = {0, 1e-6, 1e-5};
    for (int k = 0; k < 3; k++) {
        found got;
        char text[3000];
        snprintf(text, sizeof text, DISCS, 12, e[k], "[0, 600, 61]", "rotating");
        find(&got, text, "rfe");
        assert_near(got.sum.unstable_from / forward(&got), 1, 1e-9);
    }
}

/* The branches at a speed, by frequency. */
typedef struct list {
    int n;
    double f[MOST];
} list;

static void add_frequency(void *to, const limber_branch *b)
{
    list *l = to;
    int at = l->n < MOST ? l->n++ : MOST - 1;
    for (; at > 0 && l->f[at - 1] > b->frequency[0]; at--) l->f[at] = l->f[at - 1];
    l->f[at] = b->frequency[0];
}

static list branches(double e, const char *speeds, const char *formulation)
{
    char text[3000];
    list l = {0};
    limber_summary sum;
    snprintf(text, sizeof text, DISCS, 6, e, speeds, "fixed");
    limber_messages *msg = limber_messages_new();
    limber_model *model = modes_parse(text, msg);
    limber_run_options opt = limber_run_options_default();
    opt.formulation = formulation;
    opt.branch = add_frequency, opt.branch_context = &l;
    assert_int_equal(limber_run(model, &opt, &sum, msg), LIMBER_OK);
    limber_model_free(model);
    limber_messages_free(msg);
    return l;
}

/* Seen from the shaft torsion (157.6 Hz) and backward whirl (130.6 Hz) have the same frequency at 170 rad/s, and
 * unbalance mixes their shapes: each is seen from the ground at the frequency of what it mostly is. */
static void torsion_meets_whirl(void **state)
{
    (void)state;
    static const char *const speeds[] = {"[169.5, 170, 2]", "[170, 171, 2]", "[171, 172, 2]"};
    for (int f = 1; f <= 3; f += 2)
        for (int k = 0; k < 3; k++) {
            list plain = branches(0, speeds[k], forms[f]);
            list mixed = branches(1e-4, speeds[k], forms[f]);
            assert_int_equal(mixed.n, plain.n);
            for (int i = 0; i < plain.n; i++) assert_near(mixed.f[i] / plain.f[i], 1, 1e-4);
        }
}

/* In soft bearings, where between critical speeds shapes far above and far below 0 are mixed. */
static void soft_bearings_go_on(void **state)
{
    (void)state;
    for (int f = 0; f < NFORMS; f++) {
        found first, got;
        char text[3000];
        if (f == 1) continue; /* refused: the bearing can move */
        for (int k = 0; k < 2; k++) {
            snprintf(text, sizeof text, BUSHED, k ? 1e-4 : 0.0, k ? "[0, 600, 61]" : "[600, 0, 4]");
            find(k ? &got : &first, text, forms[f]);
        }
        assert_int_equal(got.n, 1);
        assert_int_equal(first.n, 1);
        assert_near(got.at[0].speed / first.at[0].speed, 1, 1e-6);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unstable_from_the_critical_speed),
        cmocka_unit_test(limits_between_speeds),
        cmocka_unit_test(torsion_meets_whirl),
        cmocka_unit_test(soft_bearings_go_on),
        cmocka_unit_test(rigid_rotors),
        cmocka_unit_test(any_speeds),
        cmocka_unit_test(none_is_lost),
        cmocka_unit_test(another_machine),
        cmocka_unit_test(unequal_supports_in_joint_coordinates),
        cmocka_unit_test(two_stiffnesses),
        cmocka_unit_test(unbalance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
