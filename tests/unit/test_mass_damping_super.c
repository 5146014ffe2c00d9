/* Damping by mass where its reference takes part in the vibrations. That of superelements is measured against their frame: where that is not what holds them, the frame
 * that is gets said, and with it all ratios are alpha/(2 omega). */
#include "support/modes.h"

enum { ALPHA = 3 };

typedef struct told {
    char said[1000];
    int n;      /* modes that vibrate */
    double off; /* largest error of a ratio, relative */
} told;

static void keep(void *context, const limber_mode *o)
{
    told *t = context;
    if (o->kind != LIMBER_MODE_VIBRATES || o->omega < 1) return;
    t->n++;
    t->off = fmax(t->off, fabs(o->damping_ratio * 2 * o->omega / ALPHA - 1));
}

static told modes(const char *body, const char *joints, const char *formulation)
{
    char text[1500];
    told t = {"", 0, 0};
    snprintf(text, sizeof text,
             "limber: 1\n"
             "sections: {s: {shape: stiffness, EA: 1e6, EIy: 500, EIz: 4e4, GJ: 1e4, rhoA: 2,\n"
             "  rhoIy: 1e-3, rhoIz: 1e-3, damping: {mass: 3}}}\n"
             "bodies: {b: {%s}}\njoints: {%s}\nanalysis: {type: modes, count: 8}\n",
             body, joints);
    limber_messages *msg = limber_messages_new();
    limber_model *model = modes_parse(text, msg);
    limber_run_options o = limber_run_options_default();
    limber_summary sum;
    o.formulation = formulation;
    o.mode = keep;
    o.mode_context = &t;
    assert_int_equal(limber_run(model, &o, &sum, msg), LIMBER_OK);
    for (int i = 0; i < limber_messages_count(msg); i++)
        if (strstr(limber_messages_get(msg, i).text, "damping by mass"))
            snprintf(t.said, sizeof t.said, "%s", limber_messages_get(msg, i).text);
    limber_model_free(model);
    limber_messages_free(msg);
    return t;
}

#define SUPER                                                                                      \
    "type: superelement, beam: {section: s, length: 1.5}, nodes: {a: [0.5, 0, 0], c: [1, 0, 0]}, " \
    "frame: "
#define BEAM "type: beam, section: s, from: [0, 0, 0], to: [1.5, 0, 0], elements: 8"

static const char *const forms[] = {"corotational", "minimal", "ffr", "elastodynamic"};

static void clamped(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        const char *start = "j: {type: fixed, between: [ground, b.start]}";
        const char *end = "j: {type: fixed, between: [b.end, ground]}, w: {type: inline, "
                          "between: [ground, b.a], axis: x}";
        told mean = modes(SUPER "mean", start, forms[k]),
             right = modes(SUPER "start", start, forms[k]);
        assert_non_null(strstr(mean.said, "write 'frame: start'"));
        assert_true(mean.off > 0.1);
        assert_string_equal(right.said, "");
        assert_true(right.n == 8 && right.off < 1e-5);
        mean = modes(SUPER "start", end, forms[k]), right = modes(SUPER "end", end, forms[k]);
        assert_non_null(strstr(mean.said, "write 'frame: end'"));
        assert_string_equal(right.said, "");
        assert_true(right.n == 8 && right.off < 1e-5);
    }
}

/* No frame of a superelement stands still in these, that of a beam does. */
static void not_clamped(void **state)
{
    (void)state;
    static const char *const joints[] = {"j: {type: revolute, between: [ground, b.start], axis: "
                                         "y}, e: {type: inline, between: [b.end, "
                                         "ground], axis: x}",
                                         "j: {type: spherical, between: [ground, b.start]}", ""};
    static const char *const frames[] = {SUPER "mean", SUPER "chord", SUPER "start"};
    for (int k = 0; k < 9; k++) {
        told wrong = modes(frames[k % 3], joints[k / 3], "corotational");
        assert_non_null(strstr(wrong.said, "make it a body of type 'beam'"));
        assert_true(wrong.off > 0.1);
    }
    for (int k = 0; k < 3; k++) {
        told right = modes(BEAM, joints[k], "corotational");
        assert_string_equal(right.said, "");
        assert_true(right.n > 1 && right.off < 1e-5);
    }
}

/* A bushing between stiff and soft is said; the formulation that the warning names has the ratio. */
static void bushing_in_part(void **state)
{
    (void)state;
    static const char *const turns[] = {"3e3", "3e5", "1e1", "1e9"};
    for (int k = 0; k < 4; k++) {
        char forces[300];
        snprintf(
            forces, sizeof forces,
            "}\nforces: {u: {type: bushing, between: [ground, b.start], stiffness: [1e10, 1e10, "
            "1e10, %s, %s, %s]}",
            turns[k], turns[k], turns[k]);
        told t = modes(BEAM, forces, "corotational"), known = modes(BEAM, forces, "elastodynamic");
        assert_int_equal(strstr(t.said, "bushing 'u' is neither stiff nor soft") != NULL, k < 2);
        assert_true(k > 1 || t.off > 0.01);
        assert_string_equal(known.said, "");
        assert_under(known.off, 1e-5);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(clamped), cmocka_unit_test(not_clamped),
                                       cmocka_unit_test(bushing_in_part)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
