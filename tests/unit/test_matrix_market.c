/* Matrix Market files: what is read, what is refused and how, and that no bytes do harm. */
#include "model/matrix_market.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { N = 3 };
static char path[300];
static double A[N * N];
static char said[600]; /* the first message, with its place */

static void write_file(const char *bytes, size_t size)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    fclose(f);
}

/* Read the file as a 3 x 3 matrix; the messages are exactly one or none. */
static int read_file(const char *name)
{
    lm_diag diag = {0};
    lm_matrix_file file = {.path = name, .what = "mass of 'a'", .loc = {"m.yaml", 4, 3}, .n = N};
    file.size = "3 of them";
    int rc = lm_matrix_market_read(&file, A, &diag);
    assert_int_equal(diag.list.n, rc ? 1 : 0);
    assert_true(rc == 0 || rc == -1);
    *said = 0;
    if (rc) {
        const lm_message *m = &diag.list.at[0];
        const char *base = strrchr(m->loc.file, '/');
        snprintf(said, sizeof said, "%s:%d:%d: %s", base ? base + 1 : m->loc.file, m->loc.line,
                 m->loc.col, m->text);
    } else {
        for (int i = 0; i < N * N; i++) assert_true(isfinite(A[i]));
    }
    lm_diag_free(&diag);
    return rc;
}

static void accept(const char *text, const double expected[N * N])
{
    write_file(text, strlen(text));
    if (read_file(path)) fail_msg("refused: %s", said);
    for (int i = 0; i < N * N; i++)
        if (A[i] != expected[i]) fail_msg("entry %d is %.17g, not %.17g", i, A[i], expected[i]);
}

static void refuse(const char *text, const char *expected)
{
    write_file(text, strlen(text));
    assert_int_equal(read_file(path), -1);
    assert_string_equal(said, expected);
}

#define HEAD(kind) "%%MatrixMarket matrix " kind "\n"

static void test_accepted(void **unused)
{
    static const double full[] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, sym[] = {1, 2, 0, 2, 5, 6, 0, 6, 9};
    static const double few[] = {0, 1.5e3, 0, 0, 0, 0, -0.25, 0, 0};
    (void)unused;
    accept(HEAD("array real general") "3 3\n1\n2\n3\n4\n5\n6\n7\n8\n9\n", full);
    accept(HEAD("array integer general") "3 3\n1\n2\n3\n4\n5\n6\n7\n8\n9", full);
    accept(HEAD("array real symmetric") "3 3\n1\n2\n0\n5\n6\n9\n", sym);
    accept(HEAD("coordinate real symmetric") "3 3 5\n1 1 1\n2 1 2\n2 2 5\n3 2 6\n3 3 9\n", sym);
    accept(HEAD("coordinate integer symmetric") "3 3 5\n1 1 1\n1 2 2\n2 2 5\n3 2 6\n3 3 9\n", sym);
    accept(HEAD("coordinate real general") "3 3 2\n2 1 1.5e3\n1 3 -0.25\n", few);
    accept(HEAD("coordinate double general") "3 3 2\n2 1 +1.5D+3\n1 3 -.25d0\n", few);
    accept("%%matrixmarket MATRIX Coordinate Real General\r\n% c\r\n\r\n  3\t3 2 \r\n"
           "%\r\n2 1 1500.\r\n  % more\n\n 1 3 -25e-2\r\n\r\n% end\r\n",
           few);
    accept(HEAD("coordinate real general") "3 3 0\n", (const double[N * N]){0});
}

static void test_refused(void **unused)
{
    (void)unused;
    refuse("", "a.mtx:1:1: mass of 'a': this is no Matrix Market file: it does not begin with "
               "'%%MatrixMarket matrix coordinate real symmetric' or the like");
    refuse(HEAD("array real"), "a.mtx:1:1: mass of 'a': the first line must be '%%MatrixMarket "
                               "matrix', the format, the kind of numbers and the symmetry: 5 "
                               "words, found 4");
    refuse("%%MatrixMarket vector array real general\n",
           "a.mtx:1:16: mass of 'a': expected 'matrix', found 'vector'");
    refuse(HEAD("sparse real general"),
           "a.mtx:1:23: mass of 'a': expected 'coordinate' or 'array', found 'sparse'");
    refuse(HEAD("array pattern general"),
           "a.mtx:1:29: mass of 'a': expected 'real' or 'integer', found 'pattern'");
    refuse(HEAD("array real skew-symmetric"),
           "a.mtx:1:34: mass of 'a': expected 'general' or 'symmetric', found 'skew-symmetric'");
    refuse(HEAD("array real general"),
           "a.mtx:2:1: mass of 'a': the file ends before the size of the matrix");
    refuse(HEAD("array real general") "3 4\n",
           "a.mtx:2:1: mass of 'a': the matrix is 3 x 4, not square; expected 3 x 3 (3 of them)");
    refuse(HEAD("array real general") "6 6\n",
           "a.mtx:2:1: mass of 'a': the matrix is 6 x 6, expected 3 x 3 (3 of them)");
    refuse(HEAD("array real general") "99999999999999999999 3\n",
           "a.mtx:2:1: mass of 'a': the number of rows is 99999999999999999999; it must be from 0 "
           "to 2147483647");
}

static void test_refused_entries(void **unused)
{
    (void)unused;
    refuse(HEAD("array real general") "3 3 9\n",
           "a.mtx:2:5: mass of 'a': expected 2 numbers in the line of sizes, found 3");
    refuse(HEAD("coordinate real general") "3 3\n",
           "a.mtx:2:1: mass of 'a': expected the number of entries, found the end of the line");
    refuse(HEAD("coordinate real symmetric") "3 3 7\n",
           "a.mtx:2:5: mass of 'a': the number of entries is 7; it must be from 0 to 6");
    refuse(HEAD("coordinate real general") "3 3 1\n4 1 2\n",
           "a.mtx:3:1: mass of 'a': the row is 4; it must be from 1 to 3");
    refuse(HEAD("coordinate real general") "3 3 1\n1 0 2\n",
           "a.mtx:3:3: mass of 'a': the column is 0; it must be from 1 to 3");
    refuse(HEAD("coordinate real general") "3 3 1\n1 -1 2\n",
           "a.mtx:3:3: mass of 'a': expected the column, found '-1'");
    refuse(HEAD("coordinate real general") "3 3 1\n1 1 2 3\n",
           "a.mtx:3:7: mass of 'a': expected 'row column value', found 4 words");
    refuse(HEAD("coordinate real general") "3 3 2\n1 1 2\n",
           "a.mtx:4:1: mass of 'a': the file ends after 1 of 2 entries");
    refuse(HEAD("coordinate real general") "3 3 1\n1 1 2\n2 2 3\n",
           "a.mtx:4:1: mass of 'a': there is more after the 1 entries of the matrix");
    refuse(HEAD("coordinate real general") "3 3 2\n1 2 2\n1 2 2\n",
           "a.mtx:4:1: mass of 'a': entry (1, 2) is given twice");
    refuse(HEAD("array real general") "3 3\n1\n2\n-inf\n",
           "a.mtx:5:1: mass of 'a': '-inf' is not a finite number");
    refuse(HEAD("array real general") "3 3\n1\n2\n1e999\n",
           "a.mtx:5:1: mass of 'a': '1e999' is not a finite number");
    refuse(HEAD("array real general") "3 3\n1 2\n",
           "a.mtx:3:3: mass of 'a': expected one number, found 2 words");
    refuse(HEAD("array integer general") "3 3\n1.5\n",
           "a.mtx:3:1: mass of 'a': expected a whole number, found '1.5'");
    refuse(HEAD("array real general") "3 3\n0x10\n",
           "a.mtx:3:1: mass of 'a': expected a number, found '0x10'");
    refuse(HEAD("array real general") "3 3\n1,5\n",
           "a.mtx:3:1: mass of 'a': expected a number, found '1,5'");
    refuse(HEAD("array real general") "3 3\n1e\n",
           "a.mtx:3:1: mass of 'a': expected a number, found '1e'");
    refuse(HEAD("array real general") "3 3\n\033[31m\xff\n",
           "a.mtx:3:1: mass of 'a': expected a number, found '?[31m?'");
}

static void test_places(void **unused)
{
    char fifo[330];
    (void)unused;
    assert_int_equal(read_file("/nowhere/at/all.mtx"), -1);
    assert_string_equal(said, "m.yaml:4:3: cannot read '/nowhere/at/all.mtx', the mass of 'a': "
                              "there is no such file");
    assert_int_equal(read_file("/"), -1);
    assert_string_equal(said, "m.yaml:4:3: cannot read '/', the mass of 'a': it is a directory");
    snprintf(fifo, sizeof fifo, "%s.fifo", path);
    unlink(fifo);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    assert_int_equal(read_file(fifo), -1); /* and does not wait for a writer */
    assert_non_null(strstr(said, "it is not a regular file"));
    unlink(fifo);
}

/* A comment may be long; a line of numbers not. Bytes of value 0 end nothing. */
static void test_long_lines(void **unused)
{
    static char text[8000];
    static const double zero[N * N];
    const char *head = HEAD("coordinate real general");
    (void)unused;
    int n = snprintf(text, sizeof text, "%s%%%04000d\n3 3 0\n", head, 0);
    write_file(text, (size_t)n);
    assert_int_equal(read_file(path), 0);
    for (int i = 0; i < N * N; i++) assert_true(A[i] == zero[i]);
    n = snprintf(text, sizeof text, "%s%04000d 3 0\n", head, 3);
    write_file(text, (size_t)n);
    assert_int_equal(read_file(path), -1);
    assert_non_null(strstr(said, "longer than 1023 characters"));
    n = snprintf(text, sizeof text, "%s3 3 1\n1 1 2.5 0\n", head);
    text[n - 2] = 0; /* 2.5, blank, NUL: a fourth word, not the end */
    write_file(text, (size_t)n);
    assert_int_equal(read_file(path), -1);
    assert_non_null(strstr(said, "found 4 words"));
}

/* Cut at every byte, and with random bytes anywhere: refused or read, never worse. */
static void test_damaged(void **unused)
{
    static const char good[] = HEAD("coordinate real symmetric") "% c\n3 3 5\n1 1 1.25e2\n"
                                                                 "2 1 2\n2 2 5\n3 2 6\n3 3 9\n";
    char text[sizeof good];
    int size = (int)sizeof good - 1, read = 0;
    (void)unused;
    for (int n = 0; n < size; n++) {
        write_file(good, (size_t)n);
        int rc = read_file(path);
        assert_true(rc == (n == size - 1 ? 0 : -1)); /* only the last line's end may be missing */
    }
    srand(1);
    for (int k = 0; k < 4000; k++) {
        memcpy(text, good, sizeof text);
        for (int i = 0; i <= k % 3; i++)
            text[rand() % size] = (char)(rand() % 2 ? rand() % 256 : good[rand() % size]);
        write_file(text, (size_t)size);
        read += read_file(path) == 0;
    }
    assert_true(read > 100 && read < 3000);
}

int main(void)
{
    const char *folder = getenv("SCRATCH");
    snprintf(path, sizeof path, "%s/matrix_market_%d", folder ? folder : "/tmp", (int)getpid());
    mkdir(path, 0700);
    snprintf(path + strlen(path), sizeof path - strlen(path), "/a.mtx");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accepted),        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_refused_entries), cmocka_unit_test(test_places),
        cmocka_unit_test(test_long_lines),      cmocka_unit_test(test_damaged),
    };
    int rc = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    *strrchr(path, '/') = 0;
    rmdir(path);
    return rc;
}
