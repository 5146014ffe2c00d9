/* The foundation: the counting allocator, arenas, diagnostics, the nearest name. */
#include "base/diag.h"
#include "base/mem.h"

#include <limber/status.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- allocator ---- */

static void counts(void **state)
{
    (void)state;
    long allocs = lm_mem_allocs(), live = lm_mem_live();
    char *p = lm_alloc(10);
    for (int i = 0; i < 10; i++) assert_int_equal(p[i], 0);
    void *empty = lm_alloc(0);
    assert_non_null(empty);
    assert_int_equal(lm_mem_live(), live + 2);
    memcpy(p, "limber", 7);
    p = lm_realloc(p, 1000);
    assert_string_equal(p, "limber");
    assert_int_equal(lm_mem_live(), live + 2);
    assert_int_equal(lm_mem_allocs(), allocs + 3);
    lm_free(p);
    lm_free(empty);
    lm_free(NULL);
    assert_int_equal(lm_mem_live(), live);
    void *fresh = lm_realloc(NULL, 5);
    assert_int_equal(lm_mem_live(), live + 1);
    lm_free(fresh);
}

static void fails_on_demand(void **state)
{
    (void)state;
    long live = lm_mem_live();
    lm_mem_fail_after(2);
    char *p = lm_alloc(8);
    assert_non_null(p);
    memcpy(p, "kept", 5);
    assert_null(lm_realloc(p, 100)); /* the old block stays */
    assert_string_equal(p, "kept");
    void *q = lm_alloc(8); /* only the second one fails */
    assert_non_null(q);
    lm_free(q);
    lm_mem_fail_all(1);
    lm_mem_fail_after(1);
    assert_null(lm_alloc(1));
    assert_null(lm_alloc(1));
    assert_null(lm_realloc(p, 3));
    lm_mem_fail_after(0);
    lm_mem_fail_all(0);
    q = lm_alloc(1);
    assert_non_null(q);
    lm_free(q);
    lm_free(p);
    assert_int_equal(lm_mem_live(), live);
}

static void refuses_impossible_sizes(void **state)
{
    (void)state;
    long live = lm_mem_live();
    assert_null(lm_alloc(SIZE_MAX));
    assert_null(lm_alloc((size_t)PTRDIFF_MAX + 1));
    void *p = lm_alloc(4);
    assert_null(lm_realloc(p, SIZE_MAX));
    lm_free(p);
    lm_arena a = {0};
    assert_null(lm_arena_alloc(&a, SIZE_MAX));
    assert_null(lm_arena_alloc(&a, SIZE_MAX - 100));
    lm_arena_free(&a);
    assert_int_equal(lm_mem_live(), live);
}

/* ---- arenas ---- */

static void arena_hands_out_separate_zeroed_memory(void **state)
{
    (void)state;
    lm_arena a = {0};
    long live = lm_mem_live();
    unsigned char *at[300];
    for (int i = 0; i < 300; i++) {
        size_t size = (size_t)(i * i % 700);
        at[i] = lm_arena_alloc(&a, size);
        assert_int_equal((uintptr_t)at[i] % 16, 0);
        for (size_t k = 0; k < size; k++) assert_int_equal(at[i][k], 0);
        memset(at[i], i & 255, size);
    }
    for (int i = 0; i < 300; i++)
        for (size_t k = 0; k < (size_t)(i * i % 700); k++) assert_int_equal(at[i][k], i & 255);
    assert_non_null(lm_arena_alloc(&a, 1 << 20)); /* more than a block */
    assert_true(lm_mem_live() - live < 12);
    lm_arena_free(&a);
    assert_int_equal(lm_mem_live(), live);
    assert_non_null(lm_arena_alloc(&a, 1)); /* it can be used again */
    lm_arena_free(&a);
}

static void arena_copies_texts(void **state)
{
    (void)state;
    lm_arena a = {0};
    assert_string_equal(lm_arena_str(&a, "rod"), "rod");
    assert_string_equal(lm_arena_strn(&a, "rod end", 3), "rod");
    assert_string_equal(lm_arena_strn(&a, "", 0), "");
    assert_string_equal(lm_arena_printf(&a, "%s(%d)", "link", 12), "link(12)");
    char *wide = lm_arena_printf(&a, "%5000d", 1);
    assert_int_equal(strlen(wide), 5000);
    int numbers[] = {1, 2, 3};
    assert_memory_equal(lm_arena_copy(&a, numbers, sizeof numbers), numbers, sizeof numbers);
    lm_arena_free(&a);
}

static void arena_without_handler_returns_null(void **state)
{
    (void)state;
    lm_arena a = {.limit = 100};
    assert_non_null(lm_arena_alloc(&a, 64));
    assert_null(lm_arena_alloc(&a, 64)); /* past the limit */
    assert_non_null(lm_arena_alloc(&a, 16));
    lm_arena_free(&a);
    lm_arena b = {0};
    lm_mem_fail_after(1);
    assert_null(lm_arena_str(&b, "text"));
    lm_mem_fail_after(1);
    assert_null(lm_arena_printf(&b, "%d", 1));
    lm_mem_fail_after(0);
    lm_arena_free(&b);
}

static int handled_failure(void)
{
    lm_arena a = {0};
    jmp_buf oom;
    volatile int reached = 0;
    a.on_fail = &oom;
    if (setjmp(oom)) {
        lm_arena_free(&a);
        return reached;
    }
    lm_arena_alloc(&a, 10);
    reached = 1;
    lm_mem_fail_after(1);
    lm_arena_alloc(&a, 100000);
    reached = 2;
    return reached;
}

static void arena_jumps_to_its_handler(void **state)
{
    (void)state;
    long live = lm_mem_live();
    assert_int_equal(handled_failure(), 1);
    lm_mem_fail_after(0);
    assert_int_equal(lm_mem_live(), live);
}

static void vectors_grow(void **state)
{
    (void)state;
    lm_arena a = {0};
    LM_VEC(double) v = {0};
    for (int i = 0; i < 1000; i++) {
        double *x = LM_PUSH(&a, &v);
        assert_true(*x == 0);
        *x = i;
    }
    assert_int_equal(v.n, 1000);
    for (int i = 0; i < 1000; i++) assert_true(v.at[i] == i);
    lm_arena_free(&a);
}

/* ---- diagnostics ---- */

static void messages_are_sorted_by_place(void **state)
{
    (void)state;
    lm_diag d = {0};
    char name[] = "a.yaml";
    lm_error(&d, ((lm_loc){name, 5, 2}), "late %d", 1);
    lm_warning(&d, ((lm_loc){"b.yaml", 1, 1}), "other file");
    lm_error(&d, ((lm_loc){"a.yaml", 5, 1}), "earlier in the line");
    lm_error(&d, ((lm_loc){"a.yaml", 2, 9}), "first");
    lm_error(&d, ((lm_loc){"a.yaml", 2, 9}), "second at that place");
    memset(name, 'x', sizeof name - 1); /* the message keeps its own copy */
    lm_diag_sort(&d);
    const char *expected[] = {"first", "second at that place", "earlier in the line", "late 1",
                              "other file"};
    assert_int_equal(d.list.n, 5);
    assert_int_equal(d.errors, 4);
    for (int i = 0; i < 5; i++) assert_string_equal(d.list.at[i].text, expected[i]);
    assert_string_equal(d.list.at[3].loc.file, "a.yaml");
    assert_int_equal(d.list.at[4].severity, LM_WARNING);
    lm_diag_free(&d);
    assert_int_equal(d.list.n, 0);
}

static void only_so_many_messages_are_kept(void **state)
{
    (void)state;
    lm_diag d = {0};
    for (int i = 0; i < 3 * LM_DIAG_MOST; i++)
        lm_error(&d, ((lm_loc){NULL, 3 * LM_DIAG_MOST - i, 0}), "%d", i);
    assert_int_equal(d.list.n, LM_DIAG_MOST);
    assert_int_equal(d.errors, 3 * LM_DIAG_MOST);
    lm_diag_sort(&d);
    for (int i = 1; i < d.list.n; i++)
        assert_true(d.list.at[i - 1].loc.line <= d.list.at[i].loc.line);
    lm_diag_free(&d);
}

/* A message that finds no memory is counted, and the loss is known. */
static void a_lost_message_is_noted(void **state)
{
    (void)state;
    long live = lm_mem_live();
    for (int k = 1; k < 4; k++) {
        lm_diag d = {0};
        char long_text[9000];
        memset(long_text, 'x', sizeof long_text);
        long_text[sizeof long_text - 1] = 0;
        lm_mem_fail_after(k);
        for (int i = 0; i < 5; i++) lm_error(&d, ((lm_loc){"f", i, 0}), "%s", long_text);
        lm_mem_fail_after(0);
        assert_int_equal(d.errors, 5);
        assert_int_equal(d.out_of_memory, 1);
        assert_int_equal(d.list.n, 4);
        lm_diag_sort(&d);
        lm_diag_free(&d);
        assert_int_equal(lm_mem_live(), live);
    }
}

static void nearest_names(void **state)
{
    (void)state;
    static const char *const names[] = {"elements", "section", "from", "to", "type", "y_axis", "E"};
    const int n = sizeof names / sizeof names[0];
    assert_string_equal(lm_nearest("elments", names, n), "elements");
    assert_string_equal(lm_nearest("setcion", names, n), "section"); /* a transposition */
    assert_string_equal(lm_nearest("typ", names, n), "type");
    assert_string_equal(lm_nearest("form", names, n), "from");
    assert_string_equal(lm_nearest("to", names, n), "to");
    assert_null(lm_nearest("stiffness", names, n));
    assert_null(lm_nearest("q", names, n)); /* anything is near a single letter */
    assert_null(lm_nearest("", names, n));
    assert_null(lm_nearest("elments", names, 0));
    char wide[500];
    memset(wide, 'e', sizeof wide);
    wide[sizeof wide - 1] = 0;
    assert_null(lm_nearest(wide, names, n));
}

static void every_status_has_a_text(void **state)
{
    (void)state;
    for (int i = LIMBER_OK; i <= LIMBER_INTERNAL; i++) {
        assert_string_not_equal(limber_status_text((limber_status)i), "unknown status");
        for (int k = 0; k < i; k++)
            assert_string_not_equal(limber_status_text((limber_status)i),
                                    limber_status_text((limber_status)k));
    }
    assert_string_equal(limber_status_text((limber_status)-1), "unknown status");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts),
        cmocka_unit_test(fails_on_demand),
        cmocka_unit_test(refuses_impossible_sizes),
        cmocka_unit_test(arena_hands_out_separate_zeroed_memory),
        cmocka_unit_test(arena_copies_texts),
        cmocka_unit_test(arena_without_handler_returns_null),
        cmocka_unit_test(arena_jumps_to_its_handler),
        cmocka_unit_test(vectors_grow),
        cmocka_unit_test(messages_are_sorted_by_place),
        cmocka_unit_test(only_so_many_messages_are_kept),
        cmocka_unit_test(a_lost_message_is_noted),
        cmocka_unit_test(nearest_names),
        cmocka_unit_test(every_status_has_a_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
