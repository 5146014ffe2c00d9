/* Rods in space drawn by chance, with six stiffnesses of their own, against Reissner's equations by shooting
 * (tests/oracle/rod.py): straight and broken, tapered, under weight, dead and following forces and couples. The
 * end, the reaction and section forces amid elements, in all formulations. */
#include "support/run_model.h"

enum { ROD_VALUES = 24 };
#include "rods_by_shooting.h"

#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))

static const char *const columns[ROD_VALUES] = {
    "p.x", "p.y", "p.z", "r.x", "r.y", "r.z", "F.x", "F.y", "F.z", "M.x", "M.y", "M.z",
    "N0",  "Vy0", "Vz0", "T0",  "My0", "Mz0", "N1",  "Vy1", "Vz1", "T1",  "My1", "Mz1"};

static const char outputs[] =
    "outputs: {p: pos(b.end), r: rot(b.end), F: force(c), M: moment(c),\n"
    "  N0: \"section(b, 1/3).N\", Vy0: \"section(b, 1/3).Vy\", Vz0: \"section(b, 1/3).Vz\",\n"
    "  T0: \"section(b, 1/3).T\", My0: \"section(b, 1/3).My\", Mz0: \"section(b, 1/3).Mz\",\n"
    "  N1: \"section(b, 2/3).N\", Vy1: \"section(b, 2/3).Vy\", Vz1: \"section(b, 2/3).Vz\",\n"
    "  T1: \"section(b, 2/3).T\", My1: \"section(b, 2/3).My\", Mz1: \"section(b, 2/3).Mz\"}\n";

/* Lengths by that of the rod, forces and moments by the loads. */
static double size_of(const struct rod *r, int i)
{
    int moment = (i >= 9 && i < 12) || (i >= 12 && i % 6 >= 3);
    if (i < 3) return r->length;
    if (i < 6) return 1;
    return moment ? r->force * r->length : r->force;
}

static double error_of(const struct rod *r, const char *formulation, int n, double load)
{
    char text[3000], set[2][30];
    double worst = 0;
    const double *exact = load < 1 ? r->small : r->full;
    snprintf(text, sizeof text, "%s%s", r->text, outputs);
    snprintf(set[0], sizeof *set, "n=%d", n);
    snprintf(set[1], sizeof *set, "load=%g", load);
    table t =
        run_model(&(run_how){.text = text, .set = {set[0], set[1]}, .formulation = formulation});
    for (int i = 0; i < ROD_VALUES; i++)
        worst = fmax(worst, fabs(table_last(&t, columns[i]) - exact[i]) / size_of(r, i));
    table_free(&t);
    return worst;
}

/* Bent by a radian, sheared by a tenth. What is left of the second order with shear is small in elements; rigid
 * pieces have it everywhere, in sections between their nodes as well. */
static void converge(void **state)
{
    (void)state;
    for (int k = 0; k < COUNT(rods); k++) {
        const struct rod *r = &rods[k];
        double c = error_of(r, "corotational", 16, 1);
        assert_under(c, 1.5e-4);
        assert_under(error_of(r, "corotational", 64, 1), 8e-6);
        assert_near(error_of(r, "minimal", 16, 1), c, 1e-9);
        double far = error_of(r, "rfe", 16, 1), near = error_of(r, "rfe", 32, 1);
        assert_under(far, 2e-3);
        assert_between(far / near, 3.5, 4.5);
        assert_under(error_of(r, "ffr", 16, 1), 1e-2);
    }
}

/* Linear, with what is left of the second order: a thousandth. */
static void small_loads(void **state)
{
    static const struct {
        const char *name;
        double most;
    } form[] = {{"corotational", 1e-6},
                {"minimal", 1e-6},
                {"rfe", 1.5e-3},
                {"ffr", 2e-5},
                {"elastodynamic", 1.5e-3}};
    (void)state;
    for (int k = 0; k < COUNT(rods); k++)
        for (int i = 0; i < COUNT(form); i++)
            assert_under(1e3 * error_of(&rods[k], form[i].name, 16, 1e-3), form[i].most);
}

/* Nothing acts in the middle of a rigid piece's division, where its springs yield: no jump there. */
static void continuous_over_hinges(void **state)
{
    static const char at[] =
        "outputs: {a: \"section(b, 0.4999999).%s\", b: \"section(b, 0.5000001).%s\"}\n";
    static const char *const part[] = {"N", "Vy", "Vz", "T", "My", "Mz"};
    (void)state;
    for (int i = 0; i < 6; i++) {
        char text[3000];
        int n = snprintf(text, sizeof text, "%s", rods[0].text);
        snprintf(text + n, sizeof text - (size_t)n, at, part[i], part[i]);
        table t = run_model(&(run_how){.text = text, .set = {"n=5"}, .formulation = "rfe"});
        assert_near(table_last(&t, "b"), table_last(&t, "a"), 1e-5);
        table_free(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(converge), cmocka_unit_test(small_loads),
                                       cmocka_unit_test(continuous_over_hinges)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
