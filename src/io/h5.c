#include "io/h5_int.h"

#include "base/mem.h"
#include "io/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Root attribute of every file that limber wrote. */
static const char MARK[] = "limber_format";
enum { FORMAT = 1 };

/* --- messages ------------------------------------------------------------------------------- */

int lm_h5_fail(lm_h5 *f, const char *fmt, ...)
{
    if (f->broken) return -1; /* the first failure is the cause of what follows */
    va_list args;
    va_start(args, fmt);
    vsnprintf(f->error, sizeof f->error, fmt, args);
    va_end(args);
    return -1;
}

int lm_h5_no_memory(lm_h5 *f) { return lm_h5_fail(f, "%s: out of memory", f->path); }

/* HDF5's reason for its latest failure: the innermost entry of its error stack, taken down when the
 * failure happens, since the next call clears the stack. */
static _Thread_local char reason[200];

static herr_t innermost(unsigned n, const H5E_error2_t *error, void *unused)
{
    (void)unused;
    if (n == 0 && error->desc) snprintf(reason, sizeof reason, "%s", error->desc);
    return 0;
}

static herr_t on_failure(hid_t stack, void *unused)
{
    (void)unused;
    return H5Ewalk2(stack, H5E_WALK_UPWARD, innermost, NULL);
}

int lm_h5_fail_hdf(lm_h5 *f, const char *verb, const char *what)
{
    return lm_h5_fail(f, "%s: cannot %s %s: %s", f->path, verb, what, reason);
}

static int fail_errno(lm_h5 *f, const char *verb, int error)
{
    return lm_h5_fail(f, "cannot %s %s: %s", verb, f->path, strerror(error));
}

/* 0 when every write so far has reached the disk. */
static int check_disk(lm_h5 *f)
{
    int error = lm_vfd_error(f->vfd);
    if (!error) return 0;
    fail_errno(f, "write", error);
    f->broken = 1;
    return -1;
}

const char *lm_h5_error(const lm_h5 *f) { return f->error; }

int lm_h5_can_write(lm_h5 *f)
{
    if (f->mode == LM_H5_READ) return lm_h5_fail(f, "%s is open for reading only", f->path);
    return f->broken ? -1 : check_disk(f);
}

/* --- small helpers --------------------------------------------------------------------------- */

char *lm_h5_copy(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = lm_alloc(size);
    if (copy) memcpy(copy, text, size);
    return copy;
}

void *lm_h5_more(void *array, int n, int *room, size_t size)
{
    if (n < *room) return array;
    int want = *room ? 2 * *room : 8;
    void *p = lm_realloc(array, size * (size_t)want);
    if (p) *room = want;
    return p;
}

hid_t lm_h5_string_type(size_t size, int terminated)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    if (type < 0) return type;
    H5Tset_size(type, size ? size : 1);
    H5Tset_cset(type, H5T_CSET_UTF8);
    H5Tset_strpad(type, terminated ? H5T_STR_NULLTERM : H5T_STR_NULLPAD);
    return type;
}

/* The first n bytes of a path, as far as the next '/'; the length, or 0 at the end. */
static size_t next_prefix(const char *path, size_t n, char *prefix)
{
    while (path[n] == '/') n++;
    if (!path[n]) return 0;
    n += strcspn(path + n, "/");
    memcpy(prefix, path, n);
    prefix[n] = 0;
    return n;
}

static int check_path(lm_h5 *f, const char *path)
{
    if (path[0] == '/' && strlen(path) < LM_H5_PATH) return 0;
    return lm_h5_fail(f, "%s: bad path '%.100s' inside the file", f->path, path);
}

int lm_h5_exists(lm_h5 *f, const char *path)
{
    char prefix[LM_H5_PATH];
    if (check_path(f, path)) return -1;
    for (size_t n = 0; (n = next_prefix(path, n, prefix));) {
        htri_t there = H5Lexists(f->file, prefix, H5P_DEFAULT);
        if (there < 0) return lm_h5_fail_hdf(f, "find", path);
        if (!there) return 0;
    }
    return 1;
}

/* Groups remember the order of their members, and keep up to 65,535 in their header, which has room
 * for a good many from the start: as long as it is one block within a page, any change of it is
 * on the disk at once. */
void lm_h5_group_list(hid_t list)
{
    H5Pset_link_creation_order(list, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    H5Pset_link_phase_change(list, 65535, 65535);
    H5Pset_est_link_info(list, 64, 16);
    H5Pset_obj_track_times(list, 0);
}

int lm_h5_group(lm_h5 *f, const char *path)
{
    char prefix[LM_H5_PATH];
    if (check_path(f, path)) return -1;
    hid_t gcpl = H5Pcreate(H5P_GROUP_CREATE);
    lm_h5_group_list(gcpl);
    int rc = 0;
    for (size_t n = 0; rc == 0 && (n = next_prefix(path, n, prefix));) {
        htri_t there = H5Lexists(f->file, prefix, H5P_DEFAULT);
        if (there > 0) continue;
        hid_t group = H5Gcreate2(f->file, prefix, H5P_DEFAULT, gcpl, H5P_DEFAULT);
        if (group < 0) rc = lm_h5_fail_hdf(f, "make the group", prefix);
        if (group >= 0) H5Gclose(group);
    }
    H5Pclose(gcpl);
    return rc;
}

int lm_h5_parents(lm_h5 *f, const char *path)
{
    char above[LM_H5_PATH];
    if (check_path(f, path)) return -1;
    size_t n = (size_t)(strrchr(path, '/') - path);
    memcpy(above, path, n);
    above[n] = 0;
    return n ? lm_h5_group(f, above) : 0;
}

/* --- opening ---------------------------------------------------------------------------------- */

static int open_fd(lm_h5 *f, int flags, off_t *size)
{
    struct stat st;
    if (stat(f->path, &st)) return fail_errno(f, "open", errno);
    if (S_ISDIR(st.st_mode)) return fail_errno(f, "open", EISDIR);
    if (!S_ISREG(st.st_mode)) return lm_h5_fail(f, "%s is not a regular file", f->path);
    int fd = open(f->path, flags | O_CLOEXEC);
    if (fd < 0) return fail_errno(f, "open", errno);
    *size = st.st_size;
    return fd;
}

/* The signature stands at 0, 512, 1024, 2048, ... */
static int is_hdf5(int fd, off_t size)
{
    static const char signature[] = "\211HDF\r\n\032\n";
    char bytes[8];
    for (off_t at = 0; at + 8 <= size; at = at ? 2 * at : 512) {
        if (pread(fd, bytes, 8, at) == 8 && !memcmp(bytes, signature, 8)) return 1;
    }
    return 0;
}

/* One writer at a time. A lock of the fcntl kind: HDF5's own readers take one of the other kind
 * (flock), and they may look at the file while it is written. */
static int lock(lm_h5 *f, int fd)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (!fcntl(fd, F_SETLK, &whole) || (errno != EACCES && errno != EAGAIN)) return 0;
    return lm_h5_fail(f, "another program is writing %s", f->path);
}

/* Take over fd. */
static int attach(lm_h5 *f, int fd, int writable, int create)
{
    f->vfd = lm_vfd_new(fd, writable);
    if (!f->vfd) return lm_h5_no_memory(f);
    f->file = lm_vfd_open(f->vfd, f->path, create);
    return f->file < 0 ? lm_h5_fail_hdf(f, create ? "make" : "read", "the file") : 0;
}

/* Close without a flush; what the driver holds is committed when `keep` is set. */
static int detach(lm_h5 *f, int keep)
{
    int rc = 0;
    for (int i = 0; i < f->ntabs; i++) {
        if (f->tabs[i].set >= 0) H5Dclose(f->tabs[i].set);
    }
    if (f->file >= 0 && H5Fclose(f->file) < 0) rc = -1;
    if (f->vfd && keep && lm_vfd_commit(f->vfd)) rc = -1;
    if (lm_vfd_free(f->vfd)) rc = -1;
    f->vfd = NULL;
    f->file = H5I_INVALID_HID;
    return rc;
}

static int has_mark(lm_h5 *f) { return H5Aexists(f->file, MARK) > 0; }

static int open_existing(lm_h5 *f, int writable)
{
    off_t size;
    int fd = open_fd(f, writable ? O_RDWR : O_RDONLY, &size);
    if (fd < 0) return -1;
    if (!is_hdf5(fd, size)) {
        close(fd);
        return lm_h5_fail(f, "%s is not an HDF5 file%s", f->path, size ? "" : ": it is empty");
    }
    if (writable && lock(f, fd)) {
        close(fd);
        return -1;
    }
    if (attach(f, fd, writable, 0)) return -1;
    if (writable && !has_mark(f))
        return lm_h5_fail(f, "%s was not written by limber: it is not changed", f->path);
    return 0;
}

/* 0 when the path is free, or holds an empty file or results of limber's (damaged ones too). */
static int may_replace(lm_h5 *f)
{
    struct stat st;
    off_t size;
    if (stat(f->path, &st) && errno == ENOENT) return 0;
    int fd = open_fd(f, O_RDWR, &size), mine = 1, rc = 0;
    if (fd < 0) return -1;
    if (size && !is_hdf5(fd, size))
        rc = lm_h5_fail(f, "%s is not an HDF5 file: it is not overwritten", f->path);
    if (rc || lock(f, fd)) {
        close(fd);
        return -1;
    }
    lm_h5 old = {.path = f->path, .mode = LM_H5_READ, .file = H5I_INVALID_HID};
    if (!attach(&old, fd, 0, 0)) mine = has_mark(&old);
    detach(&old, 0);
    return mine ? 0 : lm_h5_fail(f, "%s was not written by limber: it is not overwritten", f->path);
}

/* Metadata to the driver, and commit. */
static int write_out(lm_h5 *f)
{
    if (H5Fflush(f->file, H5F_SCOPE_LOCAL) < 0 && !lm_vfd_error(f->vfd)) {
        lm_h5_fail_hdf(f, "write", "the file");
        f->broken = 1;
        return -1;
    }
    lm_vfd_commit(f->vfd);
    if (check_disk(f)) return -1;
    if (!f->frees) return 0;
    f->frees = 0; /* HDF5 forgets what space it has freed: see the driver */
    return lm_h5_shut(f) ? -1 : lm_h5_open_again(f);
}

static int create(lm_h5 *f)
{
    lm_replace r;
    if (may_replace(f)) return -1;
    if (lm_replace_open(&r, f->path, 0)) return fail_errno(f, "make", errno);
    lock(f, r.fd);
    if (attach(f, r.fd, 1, 1) || lm_h5_write_attr_num(f, "/", MARK, FORMAT) || write_out(f)) {
        lm_replace_drop(&r);
        return -1;
    }
    if (lm_replace_done(&r)) {
        fail_errno(f, "make", errno);
        lm_replace_drop(&r);
        return -1;
    }
    return 0;
}

static void destroy(lm_h5 *f)
{
    if (!f) return;
    for (int i = 0; i < f->ntabs; i++) {
        lm_free(f->tabs[i].path);
        lm_free(f->tabs[i].buf);
    }
    for (int i = 0; i < f->nblobs; i++) {
        lm_free(f->blobs[i].path);
        lm_free(f->blobs[i].data);
    }
    lm_free(f->tabs);
    lm_free(f->blobs);
    lm_free(f->path);
    lm_free(f);
}

int lm_h5_open(const char *path, lm_h5_mode mode, lm_h5 **file, char *err, size_t size)
{
    *file = NULL;
    /* At the end of the program HDF5 must not touch a file that was left open after an error. */
    H5dont_atexit();
    H5Eset_auto2(H5E_DEFAULT, on_failure, NULL); /* instead of printing */
    lm_h5 *f = lm_alloc(sizeof *f);
    if (f) f->path = lm_h5_copy(path);
    if (!f || !f->path) {
        if (size) snprintf(err, size, "%s: out of memory", path);
        destroy(f);
        return -1;
    }
    f->mode = mode;
    f->file = H5I_INVALID_HID;
    if (mode == LM_H5_CREATE ? create(f) : open_existing(f, mode == LM_H5_UPDATE)) {
        if (size) snprintf(err, size, "%s", f->error);
        detach(f, 0);
        destroy(f);
        return -1;
    }
    *file = f;
    return 0;
}

/* --- flushing and closing ---------------------------------------------------------------------- */

int lm_h5_shut(lm_h5 *f)
{
    for (int i = 0; i < f->ntabs; i++) {
        H5Dclose(f->tabs[i].set);
        f->tabs[i].set = H5I_INVALID_HID;
    }
    H5Fclose(f->file);
    f->file = H5I_INVALID_HID;
    lm_vfd_commit(f->vfd);
    return check_disk(f);
}

int lm_h5_open_again(lm_h5 *f)
{
    f->file = lm_vfd_open(f->vfd, f->path, 0);
    int rc = f->file < 0 ? lm_h5_fail_hdf(f, "read", "the file") : 0;
    for (int i = 0; i < f->ntabs && rc == 0; i++) rc = lm_h5_open_tab(f, &f->tabs[i]);
    if (rc) f->broken = 1;
    return rc;
}

int lm_h5_flush(lm_h5 *f)
{
    if (lm_h5_can_write(f)) return -1;
    for (int i = 0; i < f->ntabs; i++) {
        if (lm_h5_write_rows(f, &f->tabs[i])) return -1;
    }
    if (write_out(f)) return -1;
    /* Blobs after the rows: a checkpoint on the disk never speaks of rows that are not. */
    int blobs = 0;
    for (int i = 0; i < f->nblobs; i++) {
        if (!f->blobs[i].waits) continue;
        if (lm_h5_write_blob_now(f, &f->blobs[i])) return -1;
        blobs++;
    }
    return blobs ? write_out(f) : 0;
}

int lm_h5_settle(lm_h5 *f)
{
    int waits = 0;
    for (int i = 0; i < f->ntabs; i++) waits |= f->tabs[i].fill;
    for (int i = 0; i < f->nblobs; i++) waits |= f->blobs[i].waits;
    return waits && !f->broken ? lm_h5_flush(f) : 0;
}

int lm_h5_close(lm_h5 *f)
{
    if (!f) return 0;
    int rc = f->broken ? -1 : 0, writes = f->mode != LM_H5_READ;
    if (writes && lm_h5_flush(f)) rc = -1;
    if (detach(f, writes && !f->broken)) rc = -1;
    destroy(f);
    return rc;
}
