/* Result files on a disk that fails, with memory that runs out, and damaged files. pwrite, ftruncate
 * and rename of this executable stand in front of the C library's and fail on demand. */
#include "base/mem.h"
#include "io/h5.h"
#include "support/failing.h"
#include "support/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char path[SCRATCH_PATH];
static const char *const txy[] = {"t", "position x", "position y"};

/* --- a disk that is full after some operations ------------------------------------------------------ */

static int fail_in; /* the disk is full from the fail_in-th operation on; 0: never */
static int failed;

static int is_full(void)
{
    if (fail_in && --fail_in == 0) failed = fail_in = 1;
    if (failed) errno = ENOSPC;
    return failed;
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t at)
{
    int half = !failed && size > 1; /* the last bytes that fit */
    if (!is_full()) return (ssize_t)syscall(SYS_pwrite64, fd, data, size, at);
    return half ? (ssize_t)syscall(SYS_pwrite64, fd, data, size / 2, at) : -1;
}

int ftruncate(int fd, off_t size)
{
    struct stat st;
    fstat(fd, &st);
    if (size > st.st_size && is_full()) return -1;
    return (int)syscall(SYS_ftruncate, fd, size);
}

int rename(const char *from, const char *to)
{
    if (is_full()) return -1;
    return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

/* --- a run that may fail anywhere ------------------------------------------------------------------- */

typedef struct outcome {
    int opened;
    long flushed, appended; /* rows */
    int closed;             /* what lm_h5_close returned */
    char error[500];
} outcome;

static int write_rows(lm_h5 *f, int table, int n, outcome *o)
{
    for (int i = 0; i < n; i++) {
        double x = (double)o->appended, row[] = {x, 2 * x, -x};
        o->appended++;
        if (lm_h5_append(f, table, row)) return -1;
    }
    return 0;
}

static int write_all(lm_h5 *f, outcome *o)
{
    static char blob[9000];
    int t = lm_h5_table(f, "/run/out", 3, txy, 50);
    if (t < 0 || lm_h5_write_text(f, "/model", "x: 1\n") || lm_h5_flush(f)) return -1;
    for (int i = 0; i < 40; i++) {
        if (write_rows(f, t, 13, o) || lm_h5_write_attr_num(f, "/run", "i", i)) return -1;
        if (i % 5 == 0 && lm_h5_write_blob(f, "/check", blob, sizeof blob)) return -1;
        if (i % 17 == 16 && lm_h5_write_attr_text(f, "/", i < 20 ? "a" : "b", "status")) return -1;
        if (lm_h5_flush(f)) return -1;
        o->flushed = o->appended;
    }
    o->flushed = 400;
    if (lm_h5_truncate(f, t, 400)) return -1;
    o->appended = 400;
    if (write_rows(f, t, 70, o) || lm_h5_flush(f)) return -1;
    o->flushed = o->appended;
    return 0;
}

static void stays_closed(lm_h5 *f, const char *error)
{
    double row[3] = {0};
    assert_int_equal(lm_h5_append(f, 0, row), -1);
    assert_int_equal(lm_h5_write_text(f, "/more", "x"), -1);
    assert_int_equal(lm_h5_flush(f), -1);
    assert_string_equal(lm_h5_error(f), error);
}

static outcome run_once(int disk_fails)
{
    outcome o = {.closed = 0};
    lm_h5 *f;
    if (lm_h5_open(path, LM_H5_CREATE, &f, o.error, sizeof o.error)) return o;
    o.opened = 1;
    int rc = write_all(f, &o);
    if (rc) snprintf(o.error, sizeof o.error, "%s", lm_h5_error(f));
    if (rc && disk_fails) stays_closed(f, o.error);
    o.closed = lm_h5_close(f);
    if (rc && disk_fails) assert_int_equal(o.closed, -1);
    return o;
}

/* A plain reader finds a first part of the rows, at least those flushed. */
static void check_file(const outcome *o)
{
    static double data[3 * 1000];
    hsize_t dims[2];
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    if (H5Lexists(file, "/run", H5P_DEFAULT) > 0) {
        hid_t set = H5Dopen2(file, "/run/out", H5P_DEFAULT), space = H5Dget_space(set);
        H5Sget_simple_extent_dims(space, dims, NULL);
        assert_in_range(dims[0], o->flushed, o->appended);
        memset(data, 0xff, sizeof data);
        assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
        for (hsize_t i = 0; i < dims[0]; i++) assert_true(data[3 * i + 2] == -(double)i);
        H5Sclose(space);
        H5Dclose(set);
    } else {
        assert_int_equal(o->flushed, 0);
    }
    H5Fclose(file);
}

/* Go on where the run stopped. */
static void resume(const outcome *o)
{
    lm_h5 *f;
    outcome after = *o;
    assert_int_equal(lm_h5_open(path, LM_H5_UPDATE, &f, NULL, 0), 0);
    int t = lm_h5_table(f, "/run/out", 3, txy, 50);
    assert_int_equal(t, 0);
    after.appended = lm_h5_rows(f, t);
    assert_int_equal(write_rows(f, t, 120, &after), 0);
    assert_int_equal(lm_h5_close(f), 0);
    after.flushed = after.appended;
    check_file(&after);
}

/* --- tests --------------------------------------------------------------------------------------------- */

static void test_full_at_every_operation(void **state)
{
    (void)state;
    int k = 0, done = 0;
    while (!done) {
        unlink(path);
        fail_in = ++k;
        outcome o = run_once(1);
        done = !failed;
        failed = fail_in = 0;
        assert_int_equal(lm_mem_live(), 0);
        if (done) break;
        if (o.opened) {
            assert_int_equal(o.closed, -1);
            check_file(&o);
            if (k % 7 == 0) resume(&o);
        } else {
            assert_int_equal(access(path, F_OK), -1);
            assert_int_equal(scratch_count(), 0); /* nothing half made is left */
        }
        /* Only what closing writes can fail without a word before. */
        if (!strstr(o.error, "No space left on device")) assert_int_equal(o.appended, 470);
    }
    assert_true(k > 200);
}

static void set_limit(rlim_t bytes)
{
    struct rlimit limit;
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void test_file_size_limits(void **state)
{
    (void)state;
    signal(SIGXFSZ, SIG_IGN);
    for (rlim_t limit = 0; limit < 60000; limit += 499) {
        unlink(path);
        set_limit(limit);
        outcome o = run_once(1);
        set_limit(RLIM_INFINITY);
        assert_int_equal(lm_mem_live(), 0);
        if (!o.opened) {
            assert_true(limit < 4096);
            continue;
        }
        check_file(&o);
        if (o.closed) assert_non_null(strstr(o.error, "File too large"));
    }
    signal(SIGXFSZ, SIG_DFL);
}

/* A program that ends without closing, on a full disk or not, ends quietly. */
static void test_exit_without_close(void **state)
{
    (void)state;
    for (int k = 0; k < 60; k += 3) {
        int ends[2], status;
        char text[100];
        unlink(path);
        assert_int_equal(pipe(ends), 0);
        fflush(NULL);
        pid_t child = fork();
        if (!child) {
            dup2(ends[1], STDERR_FILENO);
            fail_in = k;
            outcome o = {.closed = 0};
            lm_h5 *f;
            if (!lm_h5_open(path, LM_H5_CREATE, &f, o.error, sizeof o.error)) {
                int t = lm_h5_table(f, "/run/out", 3, txy, 50);
                if (t == 0) write_rows(f, t, 1000, &o);
            }
            exit(0); /* with what atexit handlers there are */
        }
        close(ends[1]);
        assert_int_equal(read(ends[0], text, sizeof text), 0); /* nothing was printed */
        close(ends[0]);
        waitpid(child, &status, 0);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
}

/* Read everything there is, whatever comes. */
static int read_all(void)
{
    static double data[3 * 1000];
    char err[500] = "", *text, **names;
    lm_h5 *f;
    void *blob;
    size_t size;
    long rows;
    int n;
    double x;
    if (lm_h5_open(path, LM_H5_READ, &f, err, sizeof err)) return strlen(err) > 10 ? 1 : -1;
    if (!lm_h5_list(f, "/", &n, &names)) lm_free(names);
    if (!lm_h5_read_text(f, "/model", &text)) lm_free(text);
    if (!lm_h5_read_attr_text(f, "/", "a", &text)) lm_free(text);
    lm_h5_read_attr_num(f, "/run", "i", &x);
    if (!lm_h5_read_blob(f, "/check", &blob, &size)) lm_free(blob);
    if (!lm_h5_table_info(f, "/run/out", &rows, &n, &names)) {
        if (rows <= 1000 && n == 3) lm_h5_read_rows(f, "/run/out", 0, rows, data);
        lm_free(names);
    }
    lm_h5_close(f);
    return 0;
}

static void test_truncated_at_every_byte(void **state)
{
    (void)state;
    unlink(path);
    lm_h5 *f;
    outcome o = {.closed = 0};
    assert_int_equal(lm_h5_open(path, LM_H5_CREATE, &f, NULL, 0), 0);
    assert_int_equal(write_rows(f, lm_h5_table(f, "/run/out", 3, txy, 50), 60, &o), 0);
    assert_int_equal(lm_h5_write_text(f, "/model", "x: 1\n"), 0);
    assert_int_equal(lm_h5_close(f), 0);
    struct stat st;
    stat(path, &st);
    for (off_t n = st.st_size; n-- > 0;) {
        assert_int_equal(truncate(path, n), 0);
        assert_int_equal(read_all(), 1); /* a sentence */
        if (n % 50) continue;
        lm_h5 *g;
        char err[500];
        assert_int_equal(lm_h5_open(path, LM_H5_UPDATE, &g, err, sizeof err), -1);
        if (n > 96) assert_non_null(strstr(err, "truncated"));
    }
    /* And such a rest can be replaced. */
    assert_int_equal(lm_h5_open(path, LM_H5_CREATE, &f, NULL, 0), 0);
    assert_int_equal(lm_h5_close(f), 0);
    assert_int_equal(lm_mem_live(), 0);
}

/* Some bytes are wrong: data or a sentence, no crash, no waiting. In a child, in case HDF5 does. */
static void read_damaged(unsigned char *bytes, size_t size)
{
    int fd = open(path, O_RDWR);
    for (int i = 0; i < 1500; i++) {
        size_t at[3];
        unsigned char old[3];
        for (int k = 0; k < 3; k++) {
            do {
                at[k] = (size_t)rand() % size;
            } while (!bytes[at[k]] && rand() % 20);
            old[k] = bytes[at[k]];
            bytes[at[k]] = (unsigned char)(rand() % 3 ? rand() : 255);
        }
        if (write(fd, bytes, size) != (ssize_t)size) _exit(2);
        alarm(20);
        if (read_all() < 0 || lm_mem_live()) _exit(3);
        alarm(0);
        for (int k = 3; k-- > 0;) bytes[at[k]] = old[k];
        lseek(fd, 0, SEEK_SET);
    }
    close(fd);
}

/* Whether every access to memory is checked: HDF5 1.10 itself then fails, now and then, where it
 * reads a little beyond a damaged header. */
static int is_watched(void)
{
#ifdef __has_feature
    if (__has_feature(address_sanitizer)) return 1;
#endif
#ifdef __SANITIZE_ADDRESS__
    return 1;
#else
    const char *preload = getenv("LD_PRELOAD");
    return preload && strstr(preload, "vgpreload");
#endif
}

static void test_damaged(void **state)
{
    size_t size;
    int status;
    (void)state;
    if (is_watched()) skip();
    unlink(path);
    lm_h5 *f;
    outcome o = {.closed = 0};
    assert_int_equal(lm_h5_open(path, LM_H5_CREATE, &f, NULL, 0), 0);
    assert_int_equal(write_rows(f, lm_h5_table(f, "/run/out", 3, txy, 20), 99, &o), 0);
    assert_int_equal(lm_h5_write_text(f, "/model", "x: 1\n"), 0);
    assert_int_equal(lm_h5_write_attr_text(f, "/", "a", "text"), 0);
    assert_int_equal(lm_h5_write_attr_num(f, "/run", "i", 1), 0);
    assert_int_equal(lm_h5_write_blob(f, "/check", "abcdefgh", 8), 0);
    assert_int_equal(lm_h5_close(f), 0);
    unsigned char *bytes = (unsigned char *)file_read(path, &size);
    assert_in_range(size, 1000, 20000);
    srand(7);
    fflush(NULL);
    pid_t child = fork();
    if (!child) {
        for (int i = 1; i < 32; i++) signal(i, SIG_DFL); /* not back into cmocka */
        read_damaged(bytes, size);
        _exit(0);
    }
    free(bytes);
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
}

static void run_one(void *context)
{
    unlink(path);
    *(outcome *)context = run_once(0);
}

static int is_complete(void *context)
{
    const outcome *o = context;
    if (o->opened) check_file(o);
    if (!o->error[0] && !o->closed) return 1;
    assert_non_null(strstr(o->error, "memory"));
    return 0;
}

/* Each allocation fails in turn, alone and with all after it. */
static void test_no_memory(void **state)
{
    outcome o;
    (void)state;
    for (int sticky = 0; sticky < 2; sticky++) {
        assert_true(fail_in_turn(run_one, is_complete, &o, sticky) > 8);
        lm_mem_fail_all(sticky);
        for (long k = 1; k < 20; k++) {
            lm_mem_fail_after(k);
            read_all();
            lm_mem_fail_after(0);
            assert_int_equal(lm_mem_live(), 0);
        }
        lm_mem_fail_all(0);
    }
}

static int set_up(void **state)
{
    (void)state;
    if (scratch_make("h5-disk")) return -1;
    scratch_path(path, "out.h5");
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exit_without_close),
        cmocka_unit_test(test_full_at_every_operation),
        cmocka_unit_test(test_file_size_limits),
        cmocka_unit_test(test_truncated_at_every_byte),
        cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, set_up, scratch_tear_down);
}
