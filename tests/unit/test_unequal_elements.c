/* Beams whose elements differ: their constants are kept once for elements that are equal, and for no
 * others. Bending frequencies of a cantilever in both planes against the closed form, drawn with long and
 * short pieces in any order, in every formulation. */
#include "support/run_model.h"

typedef struct found {
    int n;
    double omega[6];
} found;

static void note(void *context, const limber_mode *m)
{
    found *f = context;
    if (f->n < 6) f->omega[f->n++] = m->omega;
}

/* The lowest four of one beam, or of one and another, clamped. */
static found modes_of(const char *points, const char *other, const char *formulation)
{
    char text[1500];
    found f = {0};
    snprintf(text, sizeof text,
             "limber: 1\n"
             "sections: {s: {shape: stiffness, EA: 1e6, EIy: 2, EIz: 3, GJ: 900, rhoA: 1.3}}\n"
             "bodies:\n  b: {type: beam, section: s, points: [%s], elements: 12, y_axis: y}\n%s%s%s"
             "joints:\n  c: {type: fixed, between: [ground, b.start]}\n%s"
             "analysis: {type: modes, count: 4}\nformulation: %s\n",
             points, other ? "  d: {type: beam, section: s, points: [" : "", other ? other : "",
             other ? "], elements: 12, y_axis: y}\n" : "",
             other ? "  e: {type: fixed, between: [ground, d.start]}\n" : "", formulation);
    limber_messages *msg = limber_messages_new();
    limber_model *m = NULL;
    limber_load_options load = limber_load_options_default();
    limber_status st = limber_model_parse(text, strlen(text), "text", &load, &m, msg);
    if (st) limber_messages_print(msg, stderr);
    assert_int_equal(st, LIMBER_OK);
    limber_run_options opt = limber_run_options_default();
    limber_summary sum;
    opt.mode = note, opt.mode_context = &f;
    st = limber_run(m, &opt, &sum, msg);
    if (st) print_message("%s\n", sum.reason);
    assert_int_equal(st, LIMBER_OK);
    limber_model_free(m);
    limber_messages_free(msg);
    return f;
}

static const char *const form[] = {"corotational", "minimal", "rfe", "ffr", "elastodynamic"};

static void unequal_lengths(void **state)
{
    static const char *const points[] = {"[0, 0, 0], [0.04, 0, 0], [0.1, 0, 0], [1.1, 0, 0]",
                                         "[0, 0, 0], [1, 0, 0], [1.04, 0, 0], [1.1, 0, 0]",
                                         "[0, 0, 0], [0.5, 0, 0], [0.53, 0, 0], [1.1, 0, 0]"};
    const double wave[2] = {3.51601527, 22.0344916};
    (void)state;
    for (int f = 0; f < 5; f++)
        for (int k = 0; k < 3; k++) {
            found a = modes_of(points[k], NULL, form[f]);
            for (int i = 0; i < 4; i++) {
                double exact = wave[i / 2] / 1.21 * sqrt((i % 2 ? 3 : 2) / 1.3);
                assert_near(a.omega[i], exact, (f == 2 ? 8e-3 : 5e-5) * exact); /* 2: pieces */
            }
        }
}

/* Two beams of as many elements, one shorter. */
static void unequal_beams(void **state)
{
    const double length[2] = {1.1, 0.7};
    (void)state;
    for (int f = 0; f < 5; f++) {
        found a = modes_of("[0, 0, 0], [1.1, 0, 0]", "[0, 2, 0], [0.7, 2, 0]", form[f]);
        for (int i = 0; i < 4; i++) {
            double L = length[i / 2], exact = 3.51601527 / (L * L) * sqrt((i % 2 ? 3 : 2) / 1.3);
            assert_near(a.omega[i], exact, (f == 2 ? 8e-3 : 5e-5) * exact);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(unequal_lengths),
                                       cmocka_unit_test(unequal_beams)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
