/* Result files: what is written is read again; wrong use and wrong files give a sentence. */
#include "base/mem.h"
#include "io/h5.h"
#include "support/scratch.h"

#include <hdf5.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char path[SCRATCH_PATH];
static const char *const txy[] = {"t", "position x", "position y"};

static lm_h5 *open_file(lm_h5_mode mode)
{
    char err[500] = "";
    lm_h5 *f;
    if (lm_h5_open(path, mode, &f, err, sizeof err)) fail_msg("%s", err);
    return f;
}

static void close_file(lm_h5 *f) { assert_int_equal(lm_h5_close(f), 0); }

static void refuse(const char *name, lm_h5_mode mode, const char *part)
{
    char err[500] = "";
    lm_h5 *f = (lm_h5 *)err;
    assert_int_equal(lm_h5_open(name, mode, &f, err, sizeof err), -1);
    assert_null(f);
    if (!strstr(err, part)) fail_msg("'%s' does not contain '%s'", err, part);
}

static void error_has(const lm_h5 *f, const char *part)
{
    if (!strstr(lm_h5_error(f), part)) fail_msg("'%s' has no '%s'", lm_h5_error(f), part);
}

static void append_rows(lm_h5 *f, int table, int first, int n)
{
    for (int i = first; i < first + n; i++) {
        double row[] = {i, 2.0 * i, -i};
        assert_int_equal(lm_h5_append(f, table, row), 0);
    }
}

static void check_rows(lm_h5 *f, const char *where, long n)
{
    long rows;
    int ncols;
    char **names;
    assert_int_equal(lm_h5_table_info(f, where, &rows, &ncols, &names), 0);
    assert_int_equal(rows, n);
    assert_int_equal(ncols, 3);
    for (int i = 0; i < 3; i++) assert_string_equal(names[i], txy[i]);
    lm_free(names);
    double *data = malloc(sizeof(double) * 3 * (size_t)(n + 1));
    assert_int_equal(lm_h5_read_rows(f, where, 0, n, data), 0);
    for (long i = 0; i < n; i++) {
        assert_true(data[3 * i] == (double)i && data[3 * i + 2] == -(double)i);
    }
    free(data);
}

/* --- tests --------------------------------------------------------------------------------------- */

static void test_open_errors(void **state)
{
    char name[SCRATCH_PATH];
    (void)state;
    scratch_path(name, "missing.h5");
    refuse(name, LM_H5_READ, "missing.h5: No such file");
    refuse(name, LM_H5_UPDATE, "No such file");
    refuse("", LM_H5_READ, "No such file");
    refuse("", LM_H5_CREATE, "No such file");
    refuse(scratch_folder(), LM_H5_READ, "Is a directory");
    refuse(scratch_folder(), LM_H5_CREATE, "Is a directory");
    refuse("/dev/null", LM_H5_CREATE, "not a regular file");
    refuse("/dev/null/x", LM_H5_CREATE, "Not a directory");
    scratch_path(name, "no/folder.h5");
    refuse(name, LM_H5_CREATE, "No such file");
    scratch_path(name, "text");
    file_write(name, "important notes", 15);
    refuse(name, LM_H5_READ, "not an HDF5 file");
    refuse(name, LM_H5_UPDATE, "not an HDF5 file");
    refuse(name, LM_H5_CREATE, "not overwritten");
    file_write(name, "", 0);
    refuse(name, LM_H5_READ, "is empty");
    scratch_path(name, "pipe");
    assert_int_equal(mkfifo(name, 0600), 0);
    refuse(name, LM_H5_READ, "not a regular file"); /* and does not wait for a writer */
}

static void test_permissions(void **state)
{
    (void)state;
    if (geteuid() == 0) skip(); /* root may do everything */
    close_file(open_file(LM_H5_CREATE));
    chmod(path, 0400);
    refuse(path, LM_H5_UPDATE, "Permission denied");
    refuse(path, LM_H5_CREATE, "Permission denied");
    chmod(path, 0);
    refuse(path, LM_H5_READ, "Permission denied");
    unlink(path);
}

static void test_foreign(void **state)
{
    char name[SCRATCH_PATH], *text;
    (void)state;
    scratch_path(name, "foreign.h5");
    hid_t file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, H5T_VARIABLE);
    const char *value = "of any length";
    hid_t set = H5Dcreate2(file, "text", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value);
    hid_t attr = H5Acreate2(set, "text", type, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attr, type, &value);
    H5Aclose(attr);
    H5Dclose(set);
    H5Sclose(space);
    H5Tclose(type);
    H5Fclose(file);
    refuse(name, LM_H5_CREATE, "not written by limber");
    refuse(name, LM_H5_UPDATE, "not written by limber");
    lm_h5 *f;
    assert_int_equal(lm_h5_open(name, LM_H5_READ, &f, NULL, 0), 0);
    assert_int_equal(lm_h5_read_text(f, "/text", &text), 0);
    assert_string_equal(text, value);
    lm_free(text);
    assert_int_equal(lm_h5_read_attr_text(f, "/text", "text", &text), 0);
    assert_string_equal(text, value);
    lm_free(text);
    close_file(f);
}

static void check_text(lm_h5 *f, const char *where, const char *expected)
{
    char *text;
    assert_int_equal(lm_h5_read_text(f, where, &text), 0);
    assert_string_equal(text, expected);
    lm_free(text);
}

static void check_attr(lm_h5 *f, const char *where, const char *name, const char *expected)
{
    char *text;
    assert_int_equal(lm_h5_read_attr_text(f, where, name, &text), 0);
    assert_string_equal(text, expected);
    lm_free(text);
}

static void test_texts(void **state)
{
    static char large[200001];
    double number;
    (void)state;
    memset(large, 'x', sizeof large - 1);
    lm_h5 *f = open_file(LM_H5_CREATE);
    assert_int_equal(lm_h5_write_text(f, "/model", "bodies:\n  - größe µ\n"), 0);
    assert_int_equal(lm_h5_write_text(f, "/deep/down/empty", ""), 0);
    assert_int_equal(lm_h5_write_text(f, "/large", large), 0);
    assert_int_equal(lm_h5_write_attr_text(f, "/", "status", "running"), 0);
    assert_int_equal(lm_h5_write_attr_num(f, "/run", "end", 1.5), 0);
    check_text(f, "/model", "bodies:\n  - größe µ\n");
    assert_int_equal(lm_h5_flush(f), 0);
    assert_int_equal(lm_h5_write_text(f, "/model", "another, longer text in the same place"), 0);
    large[1000] = 0;
    assert_int_equal(lm_h5_write_attr_text(f, "/", "status", large), 0);
    assert_int_equal(lm_h5_write_attr_num(f, "/run", "end", -2.5), 0);
    assert_int_equal(lm_h5_write_attr_text(f, "/run", "end", "a text now"), 0);
    assert_int_equal(lm_h5_write_attr_num(f, "/model", "end", 7), 0);
    large[1000] = 'x';
    close_file(f);
    f = open_file(LM_H5_READ);
    check_text(f, "/model", "another, longer text in the same place");
    check_text(f, "/deep/down/empty", "");
    check_text(f, "/large", large);
    large[1000] = 0;
    check_attr(f, "/", "status", large);
    check_attr(f, "/run", "end", "a text now");
    assert_int_equal(lm_h5_read_attr_num(f, "/model", "end", &number), 0);
    assert_true(number == 7);
    assert_int_equal(lm_h5_read_attr_num(f, "/run", "end", &number), -1);
    close_file(f);
}

static void test_text_too_long(void **state)
{
    static char large[70000];
    (void)state;
    memset(large, 'x', sizeof large - 1);
    lm_h5 *f = open_file(LM_H5_CREATE);
    assert_int_equal(lm_h5_write_attr_text(f, "/", "status", large), -1);
    error_has(f, "too long");
    large[40000] = 0;
    assert_int_equal(lm_h5_write_attr_text(f, "/", "status", large), 0);
    large[40000] = 'x';
    assert_int_equal(lm_h5_write_text(f, "/status", large), 0); /* the file itself is fine */
    close_file(f);
}

static void test_missing(void **state)
{
    char *text, **names;
    void *data;
    double number, row[3];
    size_t size;
    long rows;
    int n;
    (void)state;
    lm_h5 *f = open_file(LM_H5_CREATE);
    assert_int_equal(lm_h5_write_text(f, "/a/text", "x"), 0);
    assert_int_equal(lm_h5_read_text(f, "/no", &text), 1);
    assert_int_equal(lm_h5_read_text(f, "/no/no/no", &text), 1);
    assert_int_equal(lm_h5_read_attr_text(f, "/no", "no", &text), 1);
    assert_int_equal(lm_h5_read_attr_text(f, "/a", "no", &text), 1);
    assert_int_equal(lm_h5_read_attr_num(f, "/a", "no", &number), 1);
    assert_int_equal(lm_h5_read_blob(f, "/no", &data, &size), 1);
    assert_int_equal(lm_h5_table_info(f, "/no", &rows, &n, &names), 1);
    assert_int_equal(lm_h5_read_rows(f, "/no", 0, 1, row), 1);
    assert_int_equal(lm_h5_list(f, "/no", &n, &names), 1);
    /* There, but of another kind. */
    assert_int_equal(lm_h5_read_text(f, "/a", &text), -1);
    assert_int_equal(lm_h5_read_blob(f, "/a/text", &data, &size), -1);
    assert_int_equal(lm_h5_table_info(f, "/a/text", &rows, &n, &names), -1);
    assert_int_equal(lm_h5_list(f, "/a/text", &n, &names), -1);
    assert_int_equal(lm_h5_write_text(f, "/a/text/below", "x"), -1);
    assert_int_equal(lm_h5_write_text(f, "no slash", "x"), -1);
    error_has(f, "no slash");
    close_file(f);
}

static void check_blob(lm_h5 *f, const void *expected, size_t size)
{
    void *data;
    size_t got;
    assert_int_equal(lm_h5_read_blob(f, "/check/point", &data, &got), 0);
    assert_int_equal(got, size);
    assert_memory_equal(data, expected, size);
    lm_free(data);
}

static void test_blobs(void **state)
{
    (void)state;
    lm_h5 *f = open_file(LM_H5_CREATE);
    assert_int_equal(lm_h5_write_blob(f, "/check/point", "\0one\0", 5), 0);
    check_blob(f, "\0one\0", 5);
    assert_int_equal(lm_h5_write_blob(f, "/check/point", "lost", 4), 0);
    assert_int_equal(lm_h5_write_blob(f, "/check/point", "two..", 5), 0);
    check_blob(f, "two..", 5);
    long before = lm_mem_allocs();
    assert_int_equal(lm_h5_write_blob(f, "/check/point", "three", 5), 0);
    assert_int_equal(lm_mem_allocs(), before); /* of the same size: no allocation */
    check_blob(f, "three", 5);
    assert_int_equal(lm_h5_write_blob(f, "/check/point", "a longer one", 12), 0);
    close_file(f);
    f = open_file(LM_H5_UPDATE);
    check_blob(f, "a longer one", 12);
    assert_int_equal(lm_h5_write_blob(f, "/check/point", NULL, 0), 0);
    check_blob(f, "", 0);
    close_file(f);
}

static void test_table(void **state)
{
    (void)state;
    lm_h5 *f = open_file(LM_H5_CREATE);
    int a = lm_h5_table(f, "/run/out", 3, txy, 7), b = lm_h5_table(f, "/run/more", 3, txy, 100);
    assert_int_equal(a, 0);
    assert_int_equal(b, 1);
    append_rows(f, a, 0, 50);
    append_rows(f, b, 0, 20);
    assert_int_equal(lm_h5_rows(f, a), 50);
    check_rows(f, "/run/out", 50);
    append_rows(f, a, 50, 3);
    assert_int_equal(lm_h5_truncate(f, a, 52), 0); /* in the buffer only */
    assert_int_equal(lm_h5_truncate(f, a, 40), 0);
    assert_int_equal(lm_h5_truncate(f, a, 41), -1);
    error_has(f, "has 40 rows, not 41");
    append_rows(f, a, 40, 20);
    append_rows(f, b, 20, 500);
    close_file(f);
    f = open_file(LM_H5_READ);
    check_rows(f, "/run/out", 60);
    check_rows(f, "/run/more", 520);
    double row[3];
    assert_int_equal(lm_h5_read_rows(f, "/run/out", 59, 1, row), 0);
    assert_true(row[0] == 59);
    assert_int_equal(lm_h5_read_rows(f, "/run/out", 60, 0, row), 0);
    assert_int_equal(lm_h5_read_rows(f, "/run/out", 59, 2, row), -1);
    assert_int_equal(lm_h5_read_rows(f, "/run/out", -1, 1, row), -1);
    close_file(f);
}

static void test_table_misuse(void **state)
{
    double row[3] = {0};
    (void)state;
    lm_h5 *f = open_file(LM_H5_CREATE);
    assert_int_equal(lm_h5_table(f, "/out", 0, txy, 7), -1);
    assert_int_equal(lm_h5_table(f, "/out", 3, txy, 0), -1);
    assert_int_equal(lm_h5_table(f, "/out", 3, txy, 7), 0);
    assert_int_equal(lm_h5_table(f, "/out", 3, txy, 7), -1);
    error_has(f, "twice");
    assert_int_equal(lm_h5_write_text(f, "/text", "x"), 0);
    assert_int_equal(lm_h5_table(f, "/text", 3, txy, 7), -1);
    assert_int_equal(lm_h5_append(f, 1, row), -1);
    assert_int_equal(lm_h5_append(f, -1, row), -1);
    assert_int_equal(lm_h5_append(f, 0, row), 0); /* none of this harms the file */
    close_file(f);
    f = open_file(LM_H5_READ);
    assert_int_equal(lm_h5_table(f, "/more", 3, txy, 7), -1);
    error_has(f, "reading only");
    assert_int_equal(lm_h5_write_text(f, "/text", "x"), -1);
    assert_int_equal(lm_h5_write_attr_num(f, "/text", "x", 1), -1);
    assert_int_equal(lm_h5_write_blob(f, "/text", "x", 1), -1);
    assert_int_equal(lm_h5_flush(f), -1);
    close_file(f);
}

static void test_resume(void **state)
{
    static const char *const other[] = {"t", "position x", "position z"};
    (void)state;
    lm_h5 *f = open_file(LM_H5_CREATE);
    append_rows(f, lm_h5_table(f, "/run/out", 3, txy, 10), 0, 95);
    close_file(f);
    for (int part = 0; part < 3; part++) {
        f = open_file(LM_H5_UPDATE);
        assert_int_equal(lm_h5_table(f, "/run/out", 2, txy, 10), -1);
        assert_int_equal(lm_h5_table(f, "/run/out", 3, other, 10), -1);
        error_has(f, "other columns");
        int t = lm_h5_table(f, "/run/out", 3, txy, 4); /* another block is fine */
        assert_int_equal(t, 0);
        int rows = (int)lm_h5_rows(f, t);
        assert_int_equal(rows, 95 + 85 * part);
        assert_int_equal(lm_h5_truncate(f, t, rows - 15), 0);
        append_rows(f, t, rows - 15, 100);
        assert_int_equal(lm_h5_table(f, part ? "/run/extra" : "/run/new", 3, txy, 4), 1);
        close_file(f);
    }
    f = open_file(LM_H5_READ);
    check_rows(f, "/run/out", 350);
    close_file(f);
}

static void test_two_writers(void **state)
{
    (void)state;
    lm_h5 *f = open_file(LM_H5_CREATE);
    fflush(NULL);
    pid_t child = fork();
    if (!child) {
        char err[200] = "";
        lm_h5 *g;
        int bad =
            lm_h5_open(path, LM_H5_UPDATE, &g, err, sizeof err) != -1 || !strstr(err, "writing");
        bad |= lm_h5_open(path, LM_H5_CREATE, &g, err, sizeof err) != -1 || !strstr(err, "writing");
        bad |= lm_h5_open(path, LM_H5_READ, &g, err, sizeof err) != 0 || lm_h5_close(g);
        lm_h5_close(f); /* the child's copy: nothing to write, and no leak to report */
        _exit(bad);
    }
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    close_file(f);
    close_file(open_file(LM_H5_CREATE));
}

static void test_list(void **state)
{
    static const char *const expected[] = {"zebra", "out", "apple", "strange_columns", "middle"};
    char **names;
    int n;
    (void)state;
    lm_h5 *f = open_file(LM_H5_CREATE);
    assert_int_equal(lm_h5_write_text(f, "/g/zebra", "x"), 0);
    assert_int_equal(lm_h5_table(f, "/g/out", 3, txy, 10), 0);
    assert_int_equal(lm_h5_write_text(f, "/g/apple", "x"), 0);
    assert_int_equal(lm_h5_write_text(f, "/g/strange_columns", "x"), 0);
    assert_int_equal(lm_h5_write_text(f, "/g/middle/below", "x"), 0);
    close_file(f);
    f = open_file(LM_H5_READ);
    assert_int_equal(lm_h5_list(f, "/g", &n, &names), 0);
    assert_int_equal(n, 5);
    for (int i = 0; i < n; i++) assert_string_equal(names[i], expected[i]);
    lm_free(names);
    assert_int_equal(lm_h5_list(f, "/", &n, &names), 0);
    assert_int_equal(n, 1);
    assert_string_equal(names[0], "g");
    lm_free(names);
    close_file(f);
}

/* More members than a group's header holds at first. */
static void test_many_members(void **state)
{
    char name[40], **names;
    int n;
    (void)state;
    lm_h5 *f = open_file(LM_H5_CREATE);
    for (int i = 0; i < 200; i++) {
        snprintf(name, sizeof name, "/group/a member with number %d", i);
        assert_int_equal(lm_h5_write_text(f, name, "x"), 0);
        if (i % 10 == 0) assert_int_equal(lm_h5_flush(f), 0);
    }
    close_file(f);
    f = open_file(LM_H5_READ);
    assert_int_equal(lm_h5_list(f, "/group", &n, &names), 0);
    assert_int_equal(n, 200);
    assert_string_equal(names[123], "a member with number 123");
    lm_free(names);
    close_file(f);
}

static void test_wide(void **state)
{
    enum { COLS = 70000, ROWS = 40 };
    static char texts[COLS][24];
    static const char *names[COLS];
    static double row[COLS], data[3 * COLS];
    long rows;
    int ncols;
    char **got;
    (void)state;
    for (int c = 0; c < COLS; c++) {
        snprintf(texts[c], sizeof texts[c], "node %d, force", c);
        names[c] = texts[c];
    }
    lm_h5 *f = open_file(LM_H5_CREATE);
    int t = lm_h5_table(f, "/wide", COLS, names, 1000);
    assert_int_equal(t, 0);
    for (int r = 0; r < ROWS; r++) {
        for (int c = 0; c < COLS; c++) row[c] = r + 1e-6 * c;
        assert_int_equal(lm_h5_append(f, t, row), 0);
    }
    close_file(f);
    f = open_file(LM_H5_READ);
    assert_int_equal(lm_h5_table_info(f, "/wide", &rows, &ncols, &got), 0);
    assert_int_equal(rows, ROWS);
    assert_int_equal(ncols, COLS);
    for (int c = 0; c < COLS; c++) assert_string_equal(got[c], names[c]);
    lm_free(got);
    assert_int_equal(lm_h5_read_rows(f, "/wide", 13, 3, data), 0);
    for (int i = 0; i < 3 * COLS; i++) {
        double expected = 13 + i / COLS + 1e-6 * (i % COLS);
        assert_true(data[i] == expected);
    }
    close_file(f);
}

static void test_long_without_allocation(void **state)
{
    enum { ROWS = 1000000 };
    static double data[3 * ROWS];
    (void)state;
    lm_h5 *f = open_file(LM_H5_CREATE);
    int t = lm_h5_table(f, "/run/out", 3, txy, 256);
    int second = lm_h5_table(f, "/run/second", 3, txy, 1000);
    assert_int_equal(lm_h5_flush(f), 0);
    long before = lm_mem_allocs();
    for (int i = 0; i < ROWS; i++) {
        double row[] = {i, 2.0 * i, -i};
        if (lm_h5_append(f, t, row)) fail_msg("%s", lm_h5_error(f));
        if (i % 10 == 0 && lm_h5_append(f, second, row)) fail_msg("%s", lm_h5_error(f));
    }
    assert_int_equal(lm_h5_flush(f), 0);
    assert_int_equal(lm_mem_allocs(), before);
    close_file(f);
    f = open_file(LM_H5_READ);
    assert_int_equal(lm_h5_read_rows(f, "/run/out", 0, ROWS, data), 0);
    for (int i = 0; i < ROWS; i++) {
        if (data[3 * i] != i || data[3 * i + 2] != -i) fail_msg("row %d", i);
    }
    close_file(f);
}

/* More columns than a chunk has. */
static void test_very_wide(void **state)
{
    enum { COLS = (1 << 20) + 5 };
    (void)state;
    const char **names = malloc(sizeof *names * COLS);
    double *row = malloc(sizeof *row * COLS);
    for (int c = 0; c < COLS; c++) names[c] = "c";
    lm_h5 *f = open_file(LM_H5_CREATE);
    int t = lm_h5_table(f, "/wide", COLS, names, 3);
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < COLS; c++) row[c] = r + c;
        assert_int_equal(lm_h5_append(f, t, row), 0);
    }
    close_file(f);
    f = open_file(LM_H5_READ);
    assert_int_equal(lm_h5_read_rows(f, "/wide", 1, 1, row), 0);
    for (int c = 0; c < COLS; c++) assert_true(row[c] == 1 + c);
    close_file(f);
    free(row);
    free(names);
}

static void write_sample(void)
{
    lm_h5 *f = open_file(LM_H5_CREATE);
    int t = lm_h5_table(f, "/run/out", 3, txy, 9);
    assert_int_equal(lm_h5_write_text(f, "/model", "x: 1\n"), 0);
    for (int i = 0; i < 30; i++) {
        append_rows(f, t, 5 * i, 5);
        assert_int_equal(lm_h5_write_blob(f, "/checkpoint", &i, sizeof i), 0);
        assert_int_equal(lm_h5_write_attr_num(f, "/run", "t", i), 0);
        if (i % 3 == 0) assert_int_equal(lm_h5_flush(f), 0);
    }
    assert_int_equal(lm_h5_write_attr_text(f, "/run", "status", "done"), 0);
    close_file(f);
}

static void test_deterministic(void **state)
{
    size_t n1, n2;
    (void)state;
    write_sample();
    char *first = file_read(path, &n1);
    sleep(1); /* another second on the clock */
    write_sample();
    char *second = file_read(path, &n2);
    assert_int_equal(n1, n2);
    assert_memory_equal(first, second, n1);
    free(first);
    free(second);
}

static void test_replaces_through_link(void **state)
{
    struct stat st;
    char link[SCRATCH_PATH];
    (void)state;
    scratch_path(link, "link.h5");
    write_sample();
    assert_int_equal(symlink(path, link), 0);
    lm_h5 *f;
    assert_int_equal(lm_h5_open(link, LM_H5_CREATE, &f, NULL, 0), 0);
    close_file(f);
    assert_int_equal(lstat(link, &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    char **names;
    int n;
    f = open_file(LM_H5_READ);
    assert_int_equal(lm_h5_list(f, "/", &n, &names), 0);
    assert_int_equal(n, 0);
    lm_free(names);
    close_file(f);
}

static int set_up(void **state)
{
    (void)state;
    if (scratch_make("h5")) return -1;
    scratch_path(path, "out.h5");
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_open_errors),
        cmocka_unit_test(test_permissions),
        cmocka_unit_test(test_foreign),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_text_too_long),
        cmocka_unit_test(test_missing),
        cmocka_unit_test(test_blobs),
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_table_misuse),
        cmocka_unit_test(test_resume),
        cmocka_unit_test(test_two_writers),
        cmocka_unit_test(test_list),
        cmocka_unit_test(test_many_members),
        cmocka_unit_test(test_wide),
        cmocka_unit_test(test_long_without_allocation),
        cmocka_unit_test(test_very_wide),
        cmocka_unit_test(test_deterministic),
        cmocka_unit_test(test_replaces_through_link),
    };
    return cmocka_run_group_tests(tests, set_up, scratch_tear_down);
}
