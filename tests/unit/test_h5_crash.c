/* A result file after kill -9: at any moment a plain HDF5 reader opens it, and finds in each table a
 * first part of the rows, at least those of the last flush.
 *
 * The disk operations of a run are recorded (pwrite, ftruncate and rename of this executable stand in
 * front of the C library's), then done again one by one and page by page, as a killed process would
 * have left them, with a look at the file after each. And children are killed, at random moments. */
#include "io/h5.h"
#include "support/scratch.h"

#include <fcntl.h>
#include <hdf5.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { PAGE = 4096, BLOB = 10000 };

static char path[SCRATCH_PATH], again[SCRATCH_PATH];

/* --- what the file must hold ------------------------------------------------------------------- */

/* What the writer has promised. Tables that are not there yet have -1 rows promised. */
typedef struct promise {
    int sure[3];    /* rows on the disk after the last flush */
    int most[3];    /* rows appended so far */
    int shortest;   /* rows of table 0 that a truncation under way may leave */
    int blob;       /* generation of the last blob flushed; the next one may be there; -1: none */
    int epoch;      /* number of truncations so far */
    int many;       /* texts in a group, and attributes of table 0 */
    int text, attr; /* the same of a text and an attribute; 0: may be missing */
} promise;

static const char *const table[3] = {"/run/out", "/run/wide", "/late/out"};
static const int ncols[3] = {2, 150, 3};
static const char *columns[150];

static double value(int t, int row, int col) { return 1000.0 * row + 10 * col + t + 1; }

static void fill_row(int t, int row, double *to)
{
    for (int c = 0; c < ncols[t]; c++) to[c] = value(t, row, c);
}

/* Versions of a text: each longer than the one before. */
static const char *version(int k)
{
    static char text[2000];
    size_t n = (size_t)(10 + 90 * k);
    memset(text, 'a' + k % 26, n);
    text[n] = 0;
    return text;
}

/* Rows, or -1 when the table is not there. */
static int check_table(hid_t file, int t, const promise *p)
{
    static double data[150 * 6000];
    hsize_t dims[2];
    char group[32];
    snprintf(group, sizeof group, "%.*s", (int)(strrchr(table[t], '/') - table[t]), table[t]);
    if (H5Lexists(file, group, H5P_DEFAULT) <= 0 || H5Lexists(file, table[t], H5P_DEFAULT) <= 0) {
        assert_int_equal(p->sure[t], -1);
        return -1;
    }
    hid_t set = H5Dopen2(file, table[t], H5P_DEFAULT), space = H5Dget_space(set);
    assert_true(set >= 0);
    H5Sget_simple_extent_dims(space, dims, NULL);
    int rows = (int)dims[0];
    assert_int_equal(dims[1], ncols[t]);
    if (t > 0 || rows != p->shortest)
        assert_in_range(rows, p->sure[t] < 0 ? 0 : p->sure[t], p->most[t]);
    memset(data, 0, sizeof(double) * (size_t)(rows * ncols[t])); /* missing chunks are not filled */
    assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    for (int r = 0; r < rows; r++) {
        for (int c = 0; c < ncols[t]; c++) {
            if (data[r * ncols[t] + c] != value(t, r, c))
                fail_msg("table %d, row %d of %d", t, r, rows);
        }
    }
    H5Sclose(space);
    H5Dclose(set);
    return rows;
}

static void check_blob(hid_t file, const promise *p, int rows)
{
    static unsigned char data[2][2 * BLOB];
    double current;
    hsize_t dims[2];
    if (H5Lexists(file, "/blob", H5P_DEFAULT) <= 0) {
        assert_int_equal(p->blob, -1);
        return;
    }
    hid_t set = H5Dopen2(file, "/blob", H5P_DEFAULT), space = H5Dget_space(set);
    hid_t attr = H5Aopen(set, "current", H5P_DEFAULT);
    assert_true(H5Aread(attr, H5T_NATIVE_DOUBLE, &current) >= 0);
    H5Sget_simple_extent_dims(space, dims, NULL);
    assert_true(dims[1] <= 2 * BLOB);
    assert_true(H5Dread(set, H5T_NATIVE_UCHAR, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    const unsigned char *at = data[0] + (size_t)current * dims[1];
    int generation = at[0];
    assert_in_range(generation, p->blob < 0 ? 0 : p->blob, p->blob + 1);
    for (size_t i = 0; i + 8 < dims[1]; i++) assert_int_equal(at[i], generation);
    int needs[2]; /* the rows, and the epoch, that the run had when it wrote the blob */
    memcpy(needs, at + dims[1] - 8, sizeof needs);
    if (p->shortest < 0 && needs[1] == p->epoch) assert_true(rows >= needs[0]);
    H5Aclose(attr);
    H5Sclose(space);
    H5Dclose(set);
}

static void check_version(const char *text, size_t n, int least)
{
    int k = text[0] - 'a';
    assert_in_range(k, least, least + 1);
    n = strnlen(text, n);
    assert_int_equal(n, strlen(version(k)));
    assert_memory_equal(text, version(k), n);
}

static void check_texts(hid_t file, const promise *p)
{
    static char text[4096];
    if (H5Lexists(file, "/text", H5P_DEFAULT) > 0) {
        hid_t set = H5Dopen2(file, "/text", H5P_DEFAULT), type = H5Dget_type(set);
        assert_true(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0);
        check_version(text, H5Tget_size(type), p->text);
        H5Tclose(type);
        H5Dclose(set);
    } else {
        assert_int_equal(p->text, 0);
    }
    if (H5Aexists(file, "status") > 0) {
        hid_t attr = H5Aopen(file, "status", H5P_DEFAULT), type = H5Aget_type(attr);
        assert_true(H5Aread(attr, type, text) >= 0);
        check_version(text, H5Tget_size(type), p->attr);
        H5Tclose(type);
        H5Aclose(attr);
    } else {
        assert_int_equal(p->attr, 0);
    }
}

/* So many that headers get further blocks. */
static void check_many(hid_t file, const promise *p)
{
    char name[40];
    double number;
    for (int i = 0; i < p->many; i += i < p->many - 8 ? 7 : 1) {
        snprintf(name, sizeof name, "/many/of these %d", i);
        hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
        assert_true(set >= 0);
        H5Dclose(set);
        snprintf(name, sizeof name, "number %d", i);
        hid_t attr = H5Aopen_by_name(file, table[0], name, H5P_DEFAULT, H5P_DEFAULT);
        assert_true(attr >= 0 && H5Aread(attr, H5T_NATIVE_DOUBLE, &number) >= 0 && number == i);
        H5Aclose(attr);
    }
}

static void check_file(const char *name, const promise *p)
{
    hid_t file = H5Fopen(name, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    int rows = check_table(file, 0, p);
    check_table(file, 1, p);
    check_table(file, 2, p);
    check_blob(file, p, rows);
    check_texts(file, p);
    check_many(file, p);
    assert_true(H5Fclose(file) >= 0);
}

/* --- the writer ---------------------------------------------------------------------------------- */

static promise now;
static lm_h5 *writer;
static int made, in_child;

/* A child must not fall back into cmocka. */
static void must(int ok)
{
    if (ok) return;
    if (!in_child) fail_msg("%s", writer ? lm_h5_error(writer) : "not opened");
    fprintf(stderr, "child: %s\n", writer ? lm_h5_error(writer) : "not opened");
    _exit(3);
}

static void make_table(int t, int block)
{
    must(lm_h5_table(writer, table[t], ncols[t], columns, block) == t);
    if (t >= made) made = t + 1;
}

static void append(int t, int n)
{
    double row[150];
    for (int i = 0; i < n; i++) {
        fill_row(t, now.most[t], row);
        now.most[t]++;
        must(!lm_h5_append(writer, t, row));
    }
}

static int next_blob = -1, next_text, next_attr, next_many;

static void flush(void)
{
    must(!lm_h5_flush(writer));
    for (int t = 0; t < made; t++) now.sure[t] = now.most[t];
    now.blob = next_blob;
    now.text = next_text;
    now.attr = next_attr;
    now.many = next_many;
}

static void write_blob(size_t size)
{
    static unsigned char data[2 * BLOB];
    memset(data, ++next_blob, size);
    memcpy(data + size - 8, (int[]){now.most[0], now.epoch}, 8);
    must(!lm_h5_write_blob(writer, "/blob", data, size));
}

static void write_versions(void)
{
    must(!lm_h5_write_text(writer, "/text", version(++next_text)));
    must(!lm_h5_write_attr_text(writer, "/", "status", version(++next_attr)));
}

static void write_many(void)
{
    char name[40];
    snprintf(name, sizeof name, "/many/of these %d", next_many);
    must(!lm_h5_write_text(writer, name, "text"));
    snprintf(name, sizeof name, "number %d", next_many);
    must(!lm_h5_write_attr_num(writer, table[0], name, next_many++));
}

/* A table with attributes before its first row. */
static void make_late_table(void)
{
    char name[40];
    make_table(2, 4);
    for (int i = 0; i < 8; i++) {
        snprintf(name, sizeof name, "number %d", i);
        must(!lm_h5_write_attr_num(writer, table[2], name, i));
    }
}

static void begin(void)
{
    char err[500];
    now = (promise){.sure = {-1, -1, -1}, .shortest = -1, .blob = -1};
    made = 0;
    next_blob = -1;
    next_text = next_attr = next_many = 0;
    must(!lm_h5_open(path, LM_H5_CREATE, &writer, err, sizeof err));
}

static void truncate_to(int rows)
{
    now.shortest = rows;
    must(!lm_h5_truncate(writer, 0, rows));
    now.most[0] = now.sure[0] = rows;
    now.epoch++;
    now.shortest = -1;
}

/* Go on with the file at `path`: drop the last rows of table 0 and append others. */
static void resume(int cut)
{
    enum { MORE = 90 };
    static double data[2 * 6000];
    char err[500];
    lm_h5 *f;
    if (lm_h5_open(path, LM_H5_UPDATE, &f, err, sizeof err)) fail_msg("%s", err);
    int t = lm_h5_table(f, table[0], 2, columns, 5);
    assert_int_equal(t, 0);
    int rows = (int)lm_h5_rows(f, t), keep = rows > cut ? rows - cut : 0;
    assert_int_equal(lm_h5_truncate(f, t, keep), 0);
    for (int i = keep; i < keep + MORE; i++) {
        double row[2] = {-value(0, i, 0), -value(0, i, 1)};
        assert_int_equal(lm_h5_append(f, t, row), 0);
    }
    assert_int_equal(lm_h5_close(f), 0);
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t set = H5Dopen2(file, table[0], H5P_DEFAULT);
    memset(data, 0, sizeof data);
    assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    for (int i = 0; i < keep + MORE; i++) {
        double expected = i < keep ? value(0, i, 1) : -value(0, i, 1);
        if (data[2 * i + 1] != expected) fail_msg("row %d, %d of %d kept", i, keep, rows);
    }
    H5Dclose(set);
    H5Fclose(file);
}

/* --- recorded operations ---------------------------------------------------------------------------- */

typedef struct op {
    off_t at; /* -1: set the size; -2: from here on the file has its name */
    size_t size;
    unsigned char *data;
    promise was;
} op;

static op *ops;
static size_t nops, ops_room;
static int recording;

static void record(off_t at, size_t size, const void *data)
{
    if (!recording) return;
    if (nops == ops_room) {
        ops_room = ops_room ? 2 * ops_room : 1024;
        ops = realloc(ops, ops_room * sizeof *ops);
    }
    op *o = &ops[nops++];
    *o = (op){.at = at, .size = size, .was = now};
    if (data) o->data = memcpy(malloc(size), data, size);
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t at)
{
    ssize_t n = (ssize_t)syscall(SYS_pwrite64, fd, data, size, at);
    if (n > 0) record(at, (size_t)n, data);
    return n;
}

int ftruncate(int fd, off_t size)
{
    record(-1, (size_t)size, NULL);
    return (int)syscall(SYS_ftruncate, fd, size);
}

int rename(const char *from, const char *to)
{
    record(-2, 0, NULL);
    return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

static void forget_ops(void)
{
    for (size_t i = 0; i < nops; i++) free(ops[i].data);
    free(ops);
    ops = NULL;
    nops = ops_room = 0;
}

/* Number the splits of nodes: a new node appears behind all others. */
static int *number_splits(void)
{
    int *split = calloc(nops + 1, sizeof *split), n = 0;
    off_t last = 0;
    for (size_t i = 0; i < nops; i++) {
        const op *o = &ops[i];
        if (o->at <= last || o->size < 6 || memcmp(o->data, "TREE", 4) != 0) continue;
        last = o->at;
        split[i] = ++n;
    }
    return split;
}

/* The first splits, those that make the tree deeper, and the truncations; all of them is too slow. */
static int worth_a_look(const int *split, size_t i)
{
    if (ops[i].was.shortest >= 0 || ops[i].was.epoch == 2) return 1;
    for (size_t k = i < 4 ? 0 : i - 4; k < nops && k < i + 4; k++) {
        if (split[k] && (split[k] < 5 || split[k] > 62)) return 1;
    }
    return 0;
}

/* Resume from a copy of the file, with rows dropped across the end of a node. */
static void try_resumes(void)
{
    size_t size;
    char *bytes = file_read(again, &size);
    for (int cut = 0; cut < 70; cut += cut < 10 ? 1 : 15) {
        file_write(path, bytes, size);
        resume(cut);
    }
    free(bytes);
}

/* Do the operations again; look at the file after each page of each, or near node splits only. */
static size_t replay(int splits_only)
{
    size_t looks = 0;
    int *split = number_splits();
    int named = 0, fd = open(again, O_RDWR | O_CREAT | O_TRUNC, 0666);
    for (size_t i = 0; i < nops; i++) {
        const op *o = &ops[i];
        size_t done = 0;
        if (o->at == -2) named = 1;
        if (o->at == -1) syscall(SYS_ftruncate, fd, (off_t)o->size);
        do {
            if (o->at >= 0) {
                size_t page = PAGE - ((size_t)o->at + done) % PAGE;
                size_t n = o->size - done < page ? o->size - done : page;
                syscall(SYS_pwrite64, fd, o->data + done, n, o->at + (off_t)done);
                done += n;
            }
            if (!named || (splits_only && !worth_a_look(split, i))) continue;
            check_file(again, &o->was);
            looks++;
            if (splits_only && i > 20 && i < 600) try_resumes();
        } while (done < o->size && o->at >= 0);
    }
    close(fd);
    free(split);
    return looks;
}

/* --- tests --------------------------------------------------------------------------------------------- */

/* A run with everything that a run does, and resumes. */
static void test_every_page(void **state)
{
    char err[500];
    (void)state;
    recording = 1;
    begin();
    make_table(0, 8);
    make_table(1, 16);
    flush();
    for (int i = 0; i < 110; i++) {
        append(0, 1 + i % 13);
        append(1, i % 3);
        if (i % 7 == 0) write_blob(i < 70 ? BLOB : BLOB + 100);
        if (i % 11 == 0) write_versions();
        if (i > 20) write_many();
        if (i == 60) make_late_table();
        if (i > 60) append(2, 1);
        flush();
    }
    truncate_to(now.most[0] - 300);
    append(0, 40);
    flush();
    for (int i = 0; i < 20; i++) { /* headers grow at the end of the file */
        char name[40];
        snprintf(name, sizeof name, "another number %d", i);
        must(!lm_h5_write_attr_num(writer, table[1], name, i));
        flush();
    }
    assert_int_equal(lm_h5_close(writer), 0);
    assert_int_equal(lm_h5_open(path, LM_H5_UPDATE, &writer, err, sizeof err), 0);
    for (int t = 0; t < 3; t++) make_table(t, 8);
    truncate_to(now.most[0] - 200);
    for (int i = 0; i < 30; i++) {
        append(0, 5);
        append(2, 1);
        flush();
    }
    assert_int_equal(lm_h5_close(writer), 0);
    recording = 0;
    size_t looks = replay(0);
    assert_true(looks > 1200);
    check_file(path, &now);
    forget_ops();
}

/* So many chunks that nodes split, their parents too, and the root; then back. */
static void test_deep_tree(void **state)
{
    (void)state;
    recording = 1;
    begin();
    make_table(0, 1);
    flush();
    for (int i = 0; i < 4200; i++) {
        append(0, 1);
        now.sure[0] = now.most[0]; /* a block of one row: each append is a flush */
    }
    truncate_to(3000);
    truncate_to(20);
    for (int i = 0; i < 80; i++) {
        append(0, 1);
        now.sure[0] = now.most[0];
    }
    assert_int_equal(lm_h5_close(writer), 0);
    recording = 0;
    check_file(path, &now);
    assert_true(replay(1) > 80);
    forget_ops();
}

/* The child of a kill: reports its promise after every flush. */
static void write_until_killed(int report)
{
    begin();
    make_table(0, 5);
    make_table(1, 3);
    for (int i = 0;; i++) {
        append(0, 1 + i % 17);
        append(1, i % 4);
        if (i % 5 == 0 && next_blob < 250) write_blob(BLOB);
        if (i % 9 == 0 && next_text < 20) write_versions();
        flush();
        if (now.most[0] > 5000) truncate_to(100);
        if (write(report, &now, sizeof now) != sizeof now) _exit(1);
    }
}

/* The last promise, and what may have come after it. */
static promise last_promise(int from)
{
    promise p = {.sure = {-1, -1, -1}, .shortest = -1, .blob = -1}, next;
    while (read(from, &next, sizeof next) == sizeof next) p = next;
    return p;
}

static void pause_for(long microseconds)
{
    struct timespec t = {microseconds / 1000000, microseconds % 1000000 * 1000};
    nanosleep(&t, NULL);
}

/* Between two reports the child may have appended 17 rows, or cut table 0 to 100. */
static void allow_more(promise *p)
{
    for (int t = 0; t < 2; t++) p->most[t] += 20;
    if (p->sure[0] > 4900) p->shortest = 100;
}

static void kill_once(long after)
{
    int ends[2];
    unlink(path);
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (!child) {
        in_child = 1;
        close(ends[0]);
        write_until_killed(ends[1]);
    }
    close(ends[1]);
    pause_for(after);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    promise p = last_promise(ends[0]);
    close(ends[0]);
    if (access(path, F_OK)) {
        assert_int_equal(p.sure[0], -1); /* killed before the file had its name */
        return;
    }
    allow_more(&p);
    check_file(path, &p);
    if (p.sure[0] > 0) resume(rand() % 100);
}

static void test_kills(void **state)
{
    (void)state;
    srand(12345);
    for (int i = 0; i < 200; i++) kill_once(rand() % 20000);
}

static int set_up(void **state)
{
    (void)state;
    if (scratch_make("h5-crash")) return -1;
    scratch_path(path, "out.h5");
    scratch_path(again, "again.h5");
    for (int i = 0; i < 150; i++) columns[i] = i % 2 ? "position" : "t";
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_page),
        cmocka_unit_test(test_deep_tree),
        cmocka_unit_test(test_kills),
    };
    return cmocka_run_group_tests(tests, set_up, scratch_tear_down);
}
