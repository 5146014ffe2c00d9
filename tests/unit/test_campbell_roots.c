/* Campbell diagrams where roots are hard to tell: fine meshes, equal roots, roots at 0, and which side of
 * the drive turns. */
#include "support/modes.h"

#include <math.h>

static const char *const forms[] = {"corotational", "minimal", "rfe", "ffr", "elastodynamic"};
enum { NFORMS = 5, MOST = 12 };

typedef struct diagram {
    limber_summary sum;
    char said[2000];
    int branches, criticals;
    limber_branch branch[MOST];
    limber_critical critical[MOST];
} diagram;

static void add_branch(void *to, const limber_branch *b)
{
    diagram *d = to;
    if (d->branches < MOST) d->branch[d->branches++] = *b;
}

static void add_critical(void *to, const limber_critical *x)
{
    diagram *d = to;
    if (d->criticals < MOST) d->critical[d->criticals++] = *x;
}

static limber_status draw(diagram *d, const char *text, const char *formulation)
{
    *d = (diagram){0};
    limber_messages *msg = limber_messages_new();
    limber_model *model = modes_parse(text, msg);
    limber_run_options opt = limber_run_options_default();
    opt.formulation = formulation;
    opt.branch = add_branch, opt.branch_context = d;
    opt.critical = add_critical, opt.critical_context = d;
    limber_status st = limber_run(model, &opt, &d->sum, msg);
    for (int i = 0; i < limber_messages_count(msg); i++) {
        size_t used = strlen(d->said);
        snprintf(d->said + used, sizeof d->said - used, "%s\n", limber_messages_get(msg, i).text);
    }
    limber_model_free(model);
    limber_messages_free(msg);
    return st;
}

/* Frequency, rad/s, of branch n at the first, middle, last speed. */
static double omega(const diagram *d, int n, int place)
{
    return 2 * PI * d->branch[n].frequency[place];
}

/* ---- fine meshes ---- */

static table beam_of(const char *elements)
{
    return run_model(
        &(run_how){.model = "rotating_beam",
                   .set = {elements},
                   .analysis = "{type: campbell, drive: shaft, speeds: [1/T, 12/T, 2], count: 6}"});
}

/* Nothing is found from a shift far above the roots. The lowest ones are only as good as rounding of K x
 * lets them: 12 EI/h^3 eps over 3 EI/L^3 is 4 n^4 eps, with signs that are any, of the square: up to 4e-4
 * of the frequency with 1000 elements. */
static void fine_beam(void **state)
{
    (void)state;
    table a = beam_of("elements=100"), b = beam_of("elements=300"), c = beam_of("elements=1000");
    double T = sqrt(1.5 * 16 / 50.0);
    assert_near(2 * PI * T * table_get(&a, 1, "frequency"), 3.6816, 1e-3); /* flap */
    assert_int_equal(b.sum.branches, 6);
    assert_int_equal(c.sum.branches, 6);
    assert_int_equal(b.rows, 12);
    assert_int_equal(c.rows, 12);
    for (int i = 0; i < 12; i++) {
        double w = table_get(&a, i, "frequency");
        assert_near(table_get(&b, i, "frequency") / w, 1, 1e-5);
        assert_near(table_get(&c, i, "frequency") / w, 1, 1e-4);
    }
    table_free(&a);
    table_free(&b);
    table_free(&c);
}

static void fine_rotor(void **state)
{
    (void)state;
    double I = PI * pow(0.02, 4) / 64, omega0 = sqrt(48 * 2.1e11 * I / 8);
    static const char *const elements[] = {"elements=900", "elements=1000"};
    for (int k = 0; k < 2; k++) {
        table r = run_model(&(run_how){
            .model = "jeffcott_rotor",
            .set = {elements[k]},
            .analysis = "{type: campbell, drive: drive, speeds: [0, 200, 5], count: 3}"});
        assert_int_equal(r.sum.branches, 3);
        assert_int_equal(r.rows, 15);
        assert_int_equal(r.sum.critical_speeds, 1);
        assert_true(isnan(r.sum.unstable_from));
        assert_near(2 * PI * table_get(&r, 0, "frequency") / omega0, 1, 1e-3);
        table_free(&r);
    }
}

/* ---- a particle on springs: 20 rad/s; torsion at 50 ---- */

#define PARTICLE                                                                                   \
    "limber: 1\n"                                                                                  \
    "bodies:\n"                                                                                    \
    "  rotor: {type: rigid, mass: 5, inertia: [0.1, 0.1, 0.2]}\n"                                  \
    "  mass: {type: rigid, mass: 2, inertia: [0.01, 0.01, 0.02]}\n"                                \
    "joints:\n"                                                                                    \
    "  shaft: {type: revolute, between: [ground, rotor], axis: z, drive: 0*t}\n"                   \
    "  guide: {type: planar, between: [rotor, mass], axis: z}\n"                                   \
    "forces:\n"                                                                                    \
    "  springs: {type: bushing, between: [rotor, mass], stiffness: [800, 800, 0, 0, 0, 50]}\n"     \
    "analysis: {type: campbell, drive: shaft, speeds: %s, count: %d, frame: %s}\n"

static void draw_particle(diagram *d, const char *formulation, const char *speeds, int count,
                          const char *frame)
{
    char text[1200];
    snprintf(text, sizeof text, PARTICLE, speeds, count, frame);
    assert_int_equal(draw(d, text, formulation), LIMBER_OK);
    assert_string_equal(d->said, "");
}

/* Where a listed speed is the critical one but for rounding, first, last or between. */
static void critical_speed_in_the_list(void **state)
{
    (void)state;
    static const char *const speeds[] = {
        "[0, 40, 41]", "[0, 39.999999, 41]", "[0, 39.9999998, 3]", "[0, 40.00000008, 41]",
        "[20, 40, 5]", "[0, 20, 5]",         "[40, 0, 41]",        "[0, 40, 2]"};
    for (size_t k = 0; k < sizeof speeds / sizeof *speeds; k++)
        for (int f = 0; f < 2; f++) {
            diagram d;
            draw_particle(&d, NULL, speeds[k], 3, f ? "fixed" : "rotating");
            assert_int_equal(d.criticals, 1 + f); /* in fixed axes backward whirl, too */
            for (int i = 0; i < d.criticals; i++) assert_near(d.critical[i].speed, 20, 1e-7);
            assert_near(f ? d.critical[0].whirl + d.critical[1].whirl : d.critical[0].whirl - 1, 0,
                        1e-9);
        }
}

/* Forward and backward whirl are equal roots at all speeds; in joint coordinates, where roots are shifted,
 * backward whirl meets torsion at 30 (20 + 30 = 50), and forward whirl is a root 0 at 20. */
static void fixed_axes(void **state)
{
    (void)state;
    for (int k = 0; k < NFORMS; k++) {
        diagram d;
        draw_particle(&d, forms[k], "[0, 40, 41]", 4, "fixed");
        assert_int_equal(d.branches, 3);
        assert_int_equal(d.criticals, 2);
        for (int n = 0; n < 3; n++)
            for (int place = 0; place < 3; place++) {
                double sense = d.branch[0].whirl[2] > 0 ? 1 : -1;
                assert_near(omega(&d, n, place), n < 2 ? 20 : 50, 1e-6);
                assert_near(d.branch[n].whirl[place], n == 2 ? 0 : n == 1 ? -sense : sense, 1e-6);
            }
        for (int i = 0; i < 2; i++) assert_near(d.critical[i].speed, 20, 1e-7);
    }
}

/* One root is asked for, and there are two equal ones: both have a critical speed, and are listed. */
static void count_among_equal_roots(void **state)
{
    (void)state;
    for (int k = 0; k < NFORMS; k++) {
        diagram d;
        draw_particle(&d, forms[k], "[0, 40, 41]", 1, "fixed");
        assert_int_equal(d.branches, 2);
        assert_int_equal(d.sum.rows, 0);
        for (int place = 0; place < 3; place++) {
            assert_near(omega(&d, 0, place), 20, 1e-6);
            assert_near(fabs(d.branch[0].whirl[place]), 1, 1e-6);
        }
        assert_int_equal(d.criticals, 2);
    }
}

/* ---- a rotor in a housing that moves ---- */

#define HOUSED                                                                                     \
    "limber: 1\n"                                                                                  \
    "bodies:\n"                                                                                    \
    "  housing: {type: rigid, mass: 1, inertia: [0.02, 0.02, 0.02]}\n"                             \
    "  rotor: {type: rigid, mass: 4, inertia: [0.16, 0.1, 0.1], com: [0.2, 0, 0]}\n"               \
    "joints:\n"                                                                                    \
    "  shaft: {type: revolute, between: [%s], axis: x, drive: 12*t}\n"                             \
    "forces:\n"                                                                                    \
    "  mount: {type: bushing, between: [ground, housing], stiffness: [1e5, 3e4, 3e4, 1e3, 2e3, "   \
    "2e3]}\n"                                                                                      \
    "analysis: {type: campbell, drive: shaft, speeds: [0, 200, 41], count: 8, frame: %s}\n"

static limber_status draw_housed(diagram *d, const char *form, const char *between,
                                 const char *frame)
{
    char text[1200];
    snprintf(text, sizeof text, HOUSED, between, frame);
    return draw(d, text, form);
}

/* Residual of (K11 - m w^2)(K22 + Ip W w - J w^2) = (S w^2)^2, over its terms. */
static double off(double w, double W)
{
    double a = 3e4 - 5 * w * w, b = 2000 - 0.28 * w * w + 0.16 * W * w, c = 0.8 * w * w;
    double most = (3e4 + 5 * w * w) * (2000 + 0.28 * w * w + 0.16 * fabs(W * w)) + c * c;
    return fabs(a * b - c * c) / most;
}

/* Whichever side of the drive is named first, the one that stands on the ground does not turn. */
static void drive_either_way(void **state)
{
    (void)state;
    static const char *const between[] = {"housing, rotor", "rotor, housing"};
    static const char *const able[] = {"corotational", "ffr", "elastodynamic"};
    for (int k = 0; k < 3; k++)
        for (int way = 0; way < 2; way++) {
            diagram d;
            int whirls = 0;
            assert_int_equal(draw_housed(&d, able[k], between[way], "fixed"), LIMBER_OK);
            assert_int_equal(d.criticals, 3);
            assert_near(d.critical[0].speed, 57.735, 1e-3);
            assert_near(d.critical[1].speed, 65.9997, 1e-3);
            assert_near(d.critical[2].speed, 107.4172, 1e-3);
            for (int n = 0; n < d.branches; n++) {
                double w = omega(&d, n, 2), sense = d.branch[n].whirl[2];
                if (fabs(sense) < 0.5) continue;
                assert_under(off(copysign(w, sense), 200), 1e-9);
                whirls++;
            }
            assert_int_equal(whirls, 4);
        }
}

/* Joint coordinates of what stands still do not turn with the axes. */
static void loose_housing_is_refused(void **state)
{
    (void)state;
    static const char *const frame[] = {"rotating", "fixed"}, *const form[] = {"minimal", "rfe"};
    for (int k = 0; k < 4; k++) {
        diagram d;
        assert_int_equal(draw_housed(&d, form[k / 2], "housing, rotor", frame[k % 2]),
                         LIMBER_INPUT);
        if (!strstr(d.said, "body 'housing' does not turn and can move") ||
            !strstr(d.said, "use 'corotational'"))
            fail_msg("%s, %s: %s", form[k / 2], frame[k % 2], d.said);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fine_beam),
        cmocka_unit_test(fine_rotor),
        cmocka_unit_test(critical_speed_in_the_list),
        cmocka_unit_test(fixed_axes),
        cmocka_unit_test(count_among_equal_roots),
        cmocka_unit_test(drive_either_way),
        cmocka_unit_test(loose_housing_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
