/* CSV files: the bytes, and that half a file never stands under the user's name. */
#include "base/mem.h"
#include "io/csv.h"
#include "support/failing.h"
#include "support/scratch.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char path[SCRATCH_PATH];

static lm_csv *open_csv(const char *name)
{
    char err[500] = "";
    lm_csv *csv;
    if (lm_csv_open(name, &csv, err, sizeof err)) fail_msg("%s", err);
    return csv;
}

static void refuse(const char *name, const char *part)
{
    char err[500] = "";
    lm_csv *csv;
    assert_int_equal(lm_csv_open(name, &csv, err, sizeof err), -1);
    assert_null(csv);
    if (!strstr(err, part)) fail_msg("'%s' has no '%s'", err, part);
}

static void check_content(const char *expected)
{
    char *text = file_read(path, NULL);
    assert_string_equal(text, expected);
    free(text);
}

static void test_bytes(void **state)
{
    static const char *const names[] = {"t", "a,b", "say \"x\"", "two\nlines", ""};
    double rows[2][5] = {{0, 0.1, -1e-300, NAN, INFINITY}, {1.0 / 3, -NAN, -INFINITY, 1e22, -0.0}};
    (void)state;
    lm_csv *csv = open_csv(path);
    assert_int_equal(access(path, F_OK), -1); /* not before it is complete */
    assert_int_equal(lm_csv_header(csv, 5, names), 0);
    for (int i = 0; i < 2; i++) assert_int_equal(lm_csv_row(csv, 5, rows[i]), 0);
    assert_int_equal(lm_csv_close(csv, NULL, 0), 0);
    check_content("t,\"a,b\",\"say \"\"x\"\"\",\"two\nlines\",\n"
                  "0,0.10000000000000001,-1e-300,nan,inf\n"
                  "0.33333333333333331,nan,-inf,1e+22,-0\n");
    assert_int_equal(scratch_count(), 1);
}

/* Every double comes back as it was, also through more than the buffer. */
static void test_round_trip(void **state)
{
    enum { ROWS = 20000 };
    static double data[ROWS][3], x[3];
    (void)state;
    srand(1);
    lm_csv *csv = open_csv(path);
    long before = lm_mem_allocs();
    for (int i = 0; i < ROWS; i++) {
        for (int c = 0; c < 3; c++) data[i][c] = ldexp(rand() - 1e9 / 3, rand() % 600 - 300);
        assert_int_equal(lm_csv_row(csv, 3, data[i]), 0);
    }
    assert_int_equal(lm_mem_allocs(), before);
    assert_int_equal(lm_csv_close(csv, NULL, 0), 0);
    FILE *in = fopen(path, "r");
    for (int i = 0; i < ROWS; i++) {
        assert_int_equal(fscanf(in, "%lf,%lf,%lf", &x[0], &x[1], &x[2]), 3);
        assert_memory_equal(x, data[i], sizeof x);
    }
    fclose(in);
}

static void test_decimal_comma(void **state)
{
    double x = 1.5;
    (void)state;
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8")) skip();
    lm_csv *csv = open_csv(path);
    assert_int_equal(lm_csv_row(csv, 1, &x), 0);
    assert_int_equal(lm_csv_close(csv, NULL, 0), 0);
    setlocale(LC_NUMERIC, "C");
    check_content("1.5\n");
}

static void test_errors(void **state)
{
    char name[SCRATCH_PATH];
    (void)state;
    refuse("", "No such file");
    refuse(scratch_folder(), "Is a directory");
    scratch_path(name, "no/folder.csv");
    refuse(name, "No such file");
    assert_int_equal(lm_csv_close(NULL, NULL, 0), 0);
}

static void test_full_disk(void **state)
{
    char err[500];
    double row[3] = {1.0 / 3, 2.0 / 3, 4.0 / 3};
    struct rlimit old, limit;
    (void)state;
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &old);
    lm_csv *csv = open_csv(path);
    assert_int_equal(lm_csv_row(csv, 1, row), 0);
    assert_int_equal(lm_csv_close(csv, NULL, 0), 0);
    for (rlim_t size = 0; size < 200000; size += 9999) {
        limit = old;
        limit.rlim_cur = size;
        setrlimit(RLIMIT_FSIZE, &limit);
        csv = open_csv(path);
        int rc = 0;
        for (int i = 0; i < 4000; i++) rc |= lm_csv_row(csv, 3, row);
        int closed = lm_csv_close(csv, err, sizeof err);
        setrlimit(RLIMIT_FSIZE, &old);
        if (size < 100000) assert_int_equal(rc, -1); /* the last bytes go out with the close */
        assert_int_equal(closed, -1);
        assert_non_null(strstr(err, "out.csv: File too large"));
        check_content("0.33333333333333331\n"); /* the old file is whole */
        assert_int_equal(scratch_count(), 1);
    }
    signal(SIGXFSZ, SIG_DFL);
}

/* What is given up leaves no trace: no file, or the old one. */
static void test_dropped(void **state)
{
    double row[3] = {1, 2, 3};
    (void)state;
    for (int old = 0; old < 2; old++) {
        unlink(path);
        if (old) file_write(path, "old\n", 4);
        for (int rows = 1; rows <= 100000; rows *= 100) { /* in the buffer only, and on the disk */
            lm_csv *csv = open_csv(path);
            for (int i = 0; i < rows; i++) assert_int_equal(lm_csv_row(csv, 3, row), 0);
            assert_int_equal(scratch_count(), old + 1);
            lm_csv_drop(csv);
            assert_int_equal(scratch_count(), old);
        }
        if (old) check_content("old\n");
    }
    lm_csv_drop(NULL);
    lm_csv_drop(open_csv("/dev/null"));
}

/* Devices are written, not replaced. */
static void test_devices(void **state)
{
    char err[500];
    double x = 1;
    struct stat st;
    (void)state;
    lm_csv *csv = open_csv("/dev/null");
    assert_int_equal(lm_csv_row(csv, 1, &x), 0);
    assert_int_equal(lm_csv_close(csv, err, sizeof err), 0);
    assert_int_equal(stat("/dev/null", &st), 0);
    assert_true(S_ISCHR(st.st_mode));
    csv = open_csv("/dev/full");
    assert_int_equal(lm_csv_row(csv, 1, &x), 0); /* still in the buffer */
    assert_int_equal(lm_csv_close(csv, err, sizeof err), -1);
    assert_non_null(strstr(err, "/dev/full: No space left on device"));
}

static void test_standard_output(void **state)
{
    static const char *const names[] = {"x"};
    int ends[2], status;
    char text[100];
    double x = 2.5;
    (void)state;
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    pid_t child = fork();
    if (!child) {
        dup2(ends[1], STDOUT_FILENO);
        printf("# before\n");
        lm_csv *csv = NULL;
        int rc = lm_csv_open("-", &csv, text, sizeof text) || lm_csv_header(csv, 1, names) ||
                 lm_csv_row(csv, 1, &x) || lm_csv_close(csv, text, sizeof text);
        printf("# after\n");
        fflush(stdout);
        _exit(rc);
    }
    close(ends[1]);
    size_t n = 0;
    for (ssize_t got; (got = read(ends[0], text + n, sizeof text - 1 - n)) > 0;) n += (size_t)got;
    text[n] = 0;
    close(ends[0]);
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    assert_string_equal(text, "# before\nx\n2.5\n# after\n");
}

static void test_link(void **state)
{
    char link[SCRATCH_PATH];
    struct stat st;
    double x = 3;
    (void)state;
    scratch_path(link, "link.csv");
    assert_int_equal(symlink("out.csv", link), 0);
    lm_csv *csv = open_csv(link);
    assert_int_equal(lm_csv_row(csv, 1, &x), 0);
    assert_int_equal(lm_csv_close(csv, NULL, 0), 0);
    check_content("3\n");
    assert_int_equal(lstat(link, &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    unlink(link);
}

typedef struct opening {
    lm_csv *csv;
    int rc;
    char err[500];
} opening;

static void open_one(void *context)
{
    opening *o = context;
    o->err[0] = 0;
    o->rc = lm_csv_open(path, &o->csv, o->err, sizeof o->err);
}

static int is_open(void *context)
{
    opening *o = context;
    if (o->rc) assert_non_null(strstr(o->err, "memory"));
    if (!o->rc) assert_int_equal(lm_csv_close(o->csv, o->err, sizeof o->err), 0);
    return !o->rc;
}

static void test_no_memory(void **state)
{
    opening o;
    (void)state;
    assert_int_equal(fail_in_turn(open_one, is_open, &o, 0), 3);
}

static int set_up(void **state)
{
    (void)state;
    if (scratch_make("csv")) return -1;
    scratch_path(path, "out.csv");
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes),         cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_decimal_comma), cmocka_unit_test(test_errors),
        cmocka_unit_test(test_full_disk),     cmocka_unit_test(test_dropped),
        cmocka_unit_test(test_devices),       cmocka_unit_test(test_standard_output),
        cmocka_unit_test(test_link),          cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, set_up, scratch_tear_down);
}
