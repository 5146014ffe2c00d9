#include "support/failing.h"

#include "base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

int fail_in_turn(void (*act)(void *context), int (*went_through)(void *context), void *context,
                 int sticky)
{
    long live = lm_mem_live();
    for (int k = 1;; k++) {
        long before = lm_mem_allocs();
        lm_mem_fail_all(sticky);
        lm_mem_fail_after(k);
        act(context);
        lm_mem_fail_after(0);
        lm_mem_fail_all(0);
        int reached = lm_mem_allocs() - before >= k, done = went_through(context);
        assert_int_equal(lm_mem_live(), live);
        if (done && reached) fail_msg("allocation %d failed without a word", k);
        if (done) return k - 1;
        if (!reached) fail_msg("it failed though no allocation did, of %d", k - 1);
    }
}
