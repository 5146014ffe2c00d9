/* A beam clamped tangentially on a turning hub, in relative equilibrium: how fast its deflection
 * converges, with the nodes' kinetic energy, with that of the mass centre, and with the bow of the
 * axis. The tangent finds the equilibrium: Newton's iteration converges quadratically. */
#include "unit/corot_chain.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { NODES, CENTRE, BOW };

static const double radius = 2;

static chain swung(int n, int how)
{
    chain c = chain_of(n, (uniform){1, 1e4, 50, 60, 40, 1, 1e-6, 1e-6}, 0, -radius);
    c.speed = 3;
    c.e.centred = how >= CENTRE;
    for (int i = 0; i < 3 && how < BOW; i++) c.e.s.bowz[i] = c.e.s.turnz[i] = 0;
    return c;
}

static double deflection(int n, int how)
{
    chain c = swung(n, how);
    assert_int_not_equal(chain_settle(&c, 8), -1);
    return c.q[n][1] + radius;
}

static void test_swung(void **unused)
{
    (void)unused;
    const double exact = deflection(CHAIN_MOST, BOW);
    const double most[3][3] = {
        {0.09, 0.022, 0.0055}, {0.0024, 0.00065, 0.00017}, {7e-5, 2.4e-6, 4.2e-7}};
    assert_true(fabs(exact + 0.05594) < 1e-4);
    for (int how = 0; how < 3; how++)
        for (int k = 0; k < 3; k++) {
            double error = fabs(deflection(2 << k, how) / exact - 1);
            assert_true(error < most[how][k]);
            assert_true(error > 0.8 * most[how][k]); /* the documented numbers are these */
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_swung)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
