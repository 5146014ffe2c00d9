#include "io/h5_int.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGE = 4096 };

/* A block of metadata that waits for the next commit. */
typedef struct block {
    haddr_t addr;
    size_t size;
    size_t at; /* its bytes in lm_vfd.bytes */
} block;

struct lm_vfd {
    H5FD_t pub; /* first: what HDF5 sees */
    int fd, writable;
    int error;     /* errno of the first failure; nothing is written after it */
    int in_place;  /* a commit has begun to change what the file refers to */
    haddr_t eoa;   /* end of the space that HDF5 has given out */
    haddr_t eof;   /* end of what HDF5 has written */
    haddr_t size;  /* end of the file on the disk */
    haddr_t live;  /* eoa at the last commit: from here on everything is new */
    block *blocks; /* sorted, not overlapping */
    int nblocks, blocks_room;
    unsigned char *bytes;
    size_t used, room;
};

static lm_vfd *self(const H5FD_t *file) { return (lm_vfd *)(uintptr_t)file; }

static void fail(lm_vfd *v, int error)
{
    if (v->error) return;
    v->error = error;
    /* Give the space of what nothing refers to back: on a full disk that helps everybody. */
    if (!v->in_place && v->size > v->live && !ftruncate(v->fd, (off_t)v->live)) v->size = v->live;
}

static void put(lm_vfd *v, haddr_t addr, size_t size, const void *data)
{
    const char *from = data;
    while (size && !v->error) {
        ssize_t n = pwrite(v->fd, from, size, (off_t)addr);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) {
            fail(v, n ? errno : EIO);
            return;
        }
        from += n;
        addr += (haddr_t)n;
        size -= (size_t)n;
        if (addr > v->size) v->size = addr;
    }
}

/* --- held metadata ------------------------------------------------------------------------- */

int lm_vfd_reserve(lm_vfd *v, int blocks, size_t bytes)
{
    while (v->blocks_room - v->nblocks < blocks) {
        int room = v->blocks_room ? 2 * v->blocks_room : 64;
        block *p = lm_realloc(v->blocks, sizeof *p * (size_t)room);
        if (!p) return -1;
        v->blocks = p;
        v->blocks_room = room;
    }
    if (v->room - v->used < bytes) {
        size_t room = 2 * v->room > v->used + bytes ? 2 * v->room : v->used + bytes;
        unsigned char *p = lm_realloc(v->bytes, room);
        if (!p) return -1;
        v->bytes = p;
        v->room = room;
    }
    return 0;
}

static haddr_t end_of(const block *b) { return b->addr + b->size; }

/* The first block that ends behind addr. */
static int find(const lm_vfd *v, haddr_t addr)
{
    int low = 0, high = v->nblocks;
    while (low < high) {
        int mid = low + (high - low) / 2;
        if (end_of(&v->blocks[mid]) > addr) {
            high = mid;
        } else {
            low = mid + 1;
        }
    }
    return low;
}

static void remove_blocks(lm_vfd *v, int first, int n)
{
    v->nblocks -= n;
    memmove(v->blocks + first, v->blocks + first + n,
            sizeof *v->blocks * (size_t)(v->nblocks - first));
}

/* Take [addr, end) out of the blocks from the i-th on; the place where a block there belongs. The
 * range lies inside no single block (hold has seen to that). */
static int clear(lm_vfd *v, int i, haddr_t addr, haddr_t end)
{
    if (i < v->nblocks && v->blocks[i].addr < addr) {
        v->blocks[i].size = (size_t)(addr - v->blocks[i].addr);
        i++;
    }
    int covered = 0;
    while (i + covered < v->nblocks && end_of(&v->blocks[i + covered]) <= end) covered++;
    remove_blocks(v, i, covered);
    if (i < v->nblocks && v->blocks[i].addr < end) {
        size_t cut = (size_t)(end - v->blocks[i].addr);
        v->blocks[i].addr += cut;
        v->blocks[i].at += cut;
        v->blocks[i].size -= cut;
    }
    return i;
}

static void hold(lm_vfd *v, haddr_t addr, size_t size, const void *data)
{
    int i = find(v, addr);
    const block *b = i < v->nblocks ? &v->blocks[i] : NULL;
    if (b && b->addr <= addr && addr + size <= end_of(b)) {
        memcpy(v->bytes + b->at + (addr - b->addr), data, size);
        return;
    }
    if (lm_vfd_reserve(v, 1, size)) {
        fail(v, ENOMEM);
        return;
    }
    i = clear(v, i, addr, addr + size);
    memmove(v->blocks + i + 1, v->blocks + i, sizeof *v->blocks * (size_t)(v->nblocks - i));
    v->blocks[i] = (block){addr, size, v->used};
    v->nblocks++;
    memcpy(v->bytes + v->used, data, size);
    v->used += size;
}

/* --- commit -------------------------------------------------------------------------------- */

enum { FRESH, SUPER, TREE, LEVELS = 256, REST = TREE + LEVELS };

/* When a block's turn comes. */
static int turn(const lm_vfd *v, const block *b)
{
    const unsigned char *bytes = v->bytes + b->at;
    if (b->addr == 0) return SUPER;
    if (b->addr >= v->live) return FRESH;
    if (b->size < 6 || memcmp(bytes, "TREE", 4) != 0) return REST;
    return TREE + LEVELS - 1 - bytes[5]; /* a node's level, 0 for a leaf */
}

/* The least turn after `last` that any block has, or -1. */
static int next_turn(const lm_vfd *v, int last)
{
    int best = -1;
    for (int i = 0; i < v->nblocks; i++) {
        int t = turn(v, &v->blocks[i]);
        if (t > last && (best < 0 || t < best)) best = t;
    }
    return best;
}

int lm_vfd_commit(lm_vfd *v)
{
    /* A file shorter than its superblock says counts as truncated. */
    if (!v->error && v->size < v->eoa) {
        if (ftruncate(v->fd, (off_t)v->eoa)) fail(v, errno);
        v->size = v->error ? v->size : v->eoa;
    }
    for (int t = next_turn(v, -1); t >= 0 && !v->error; t = next_turn(v, t)) {
        v->in_place = t != FRESH;
        for (int i = 0; i < v->nblocks && !v->error; i++) {
            const block *b = &v->blocks[i];
            if (turn(v, b) == t) put(v, b->addr, b->size, v->bytes + b->at);
        }
    }
    v->in_place = 0;
    v->nblocks = 0;
    v->used = 0;
    if (v->error) return -1;
    v->live = v->eoa;
    return 0;
}

/* --- what HDF5 calls ------------------------------------------------------------------------ */

static H5FD_t *on_open(const char *name, unsigned flags, hid_t fapl, haddr_t maxaddr)
{
    (void)name, (void)flags, (void)maxaddr;
    lm_vfd *const *info = H5Pget_driver_info(fapl);
    if (!info) return NULL;
    (*info)->eoa = 0;
    return &(*info)->pub;
}

static herr_t on_close(H5FD_t *file)
{
    (void)file;
    return 0;
}

/* No aggregation of blocks: HDF5 would give the rest of its larger blocks out again later. */
static herr_t on_query(const H5FD_t *file, unsigned long *flags)
{
    (void)file;
    *flags = 0;
    return 0;
}

/* Metadata stays within a page. Some bytes behind it are left, since HDF5 lets the last block of a
 * file grow, over the end of its page if need be. */
static haddr_t on_alloc(H5FD_t *file, H5FD_mem_t type, hid_t dxpl, hsize_t size)
{
    (void)dxpl;
    lm_vfd *v = self(file);
    haddr_t addr = v->eoa;
    int meta = type != H5FD_MEM_DRAW, crosses = addr / PAGE != (addr + size - 1) / PAGE;
    if (meta && size <= PAGE && crosses) addr = (addr / PAGE + 1) * PAGE;
    v->eoa = addr + size + (meta ? 8 : 0);
    return addr;
}

/* The file does not get shorter, except by the chunk that a new table gives back at once. */
static herr_t on_free(H5FD_t *file, H5FD_mem_t type, hid_t dxpl, haddr_t addr, hsize_t size)
{
    (void)dxpl;
    lm_vfd *v = self(file);
    if (type == H5FD_MEM_DRAW && addr >= v->live && addr + size == v->eoa) v->eoa = addr;
    return 0;
}

static haddr_t on_get_eoa(const H5FD_t *file, H5FD_mem_t type)
{
    (void)type;
    return self(file)->eoa;
}

static herr_t on_set_eoa(H5FD_t *file, H5FD_mem_t type, haddr_t addr)
{
    (void)type;
    self(file)->eoa = addr;
    return 0;
}

static haddr_t on_get_eof(const H5FD_t *file, H5FD_mem_t type)
{
    (void)type;
    const lm_vfd *v = self(file);
    return v->eof > v->size ? v->eof : v->size;
}

/* Bytes behind the end of the file read as zero. */
static int get(const lm_vfd *v, haddr_t addr, size_t size, char *to)
{
    while (size) {
        ssize_t n = pread(v->fd, to, size, (off_t)addr);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return -1;
        if (n == 0) {
            memset(to, 0, size);
            return 0;
        }
        to += n;
        addr += (haddr_t)n;
        size -= (size_t)n;
    }
    return 0;
}

static herr_t on_read(H5FD_t *file, H5FD_mem_t type, hid_t dxpl, haddr_t addr, size_t size,
                      void *to)
{
    (void)dxpl;
    const lm_vfd *v = self(file);
    if (addr > v->eoa || size > v->eoa - addr || get(v, addr, size, to)) return -1;
    if (type == H5FD_MEM_DRAW) return 0;
    for (int i = find(v, addr); i < v->nblocks && v->blocks[i].addr < addr + size; i++) {
        const block *b = &v->blocks[i];
        haddr_t low = b->addr > addr ? b->addr : addr;
        haddr_t high = end_of(b) < addr + size ? end_of(b) : addr + size;
        memcpy((char *)to + (low - addr), v->bytes + b->at + (low - b->addr), (size_t)(high - low));
    }
    return 0;
}

static herr_t on_write(H5FD_t *file, H5FD_mem_t type, hid_t dxpl, haddr_t addr, size_t size,
                       const void *data)
{
    (void)dxpl;
    lm_vfd *v = self(file);
    if (v->error || !v->writable) return 0;
    if (type != H5FD_MEM_DRAW) {
        hold(v, addr, size, data);
    } else {
        put(v, addr, size, data);
    }
    if (addr + size > v->eof) v->eof = addr + size;
    return 0;
}

/* --- rows of a table -------------------------------------------------------------------------- */

static uint64_t little(const unsigned char *bytes, int n)
{
    uint64_t x = 0;
    while (n-- > 0) x = x << 8 | bytes[n];
    return x;
}

typedef struct stretch {
    haddr_t at, end;
} stretch;

enum { SPACE = 0x01, MORE = 0x10, STRETCHES = 64 }; /* types of messages; stretches of a header */

/* Where the first dimension stands among the messages of a stretch of a header, or 0. Further
 * stretches that the messages name are added to the list. */
static haddr_t find_rows(const lm_vfd *v, stretch here, stretch *list, int *n)
{
    unsigned char m[24]; /* type, size, 4 other bytes; and the first 16 of its content */
    haddr_t end = here.end < v->size ? here.end : v->size;
    for (haddr_t at = here.at; at + 8 <= end; at += 8 + little(m + 2, 2)) {
        if (get(v, at, sizeof m, (char *)m)) return 0;
        int type = (int)little(m, 2);
        if (type == SPACE && m[8] == 1 && m[9] == 2) return at + 16;
        if (type != MORE || *n == STRETCHES) continue;
        haddr_t start = little(m + 8, 8);
        list[(*n)++] = (stretch){start, start + little(m + 16, 8)};
    }
    return 0;
}

int lm_vfd_set_rows(lm_vfd *v, haddr_t header, uint64_t rows)
{
    unsigned char prefix[16], bytes[8];
    stretch list[STRETCHES];
    haddr_t at = 0;
    int n = 1;
    if (get(v, header, sizeof prefix, (char *)prefix) || prefix[0] != 1) return -1;
    list[0] = (stretch){header + 16, header + 16 + little(prefix + 8, 4)};
    for (int i = 0; i < n && !at; i++) at = find_rows(v, list[i], list, &n);
    if (!at) return -1;
    for (int i = 0; i < 8; i++) bytes[i] = (unsigned char)(rows >> 8 * i);
    hold(v, at, sizeof bytes, bytes);
    return lm_vfd_commit(v);
}

/* Registered once and kept: HDF5 1.10 uses a file's class after letting go of it. */
static hid_t driver(void)
{
    static const H5FD_class_t class = {
        .name = "limber",
        .maxaddr = INT64_MAX,
        .fc_degree = H5F_CLOSE_STRONG,
        .fapl_size = sizeof(lm_vfd *),
        .open = on_open,
        .close = on_close,
        .query = on_query,
        .alloc = on_alloc,
        .free = on_free,
        .get_eoa = on_get_eoa,
        .set_eoa = on_set_eoa,
        .get_eof = on_get_eof,
        .read = on_read,
        .write = on_write,
        .fl_map = H5FD_FLMAP_DICHOTOMY,
    };
    static hid_t id = H5I_INVALID_HID;
    if (id < 0 || H5Iget_type(id) != H5I_VFL) id = H5FDregister(&class);
    return id;
}

/* --- opening and closing -------------------------------------------------------------------- */

lm_vfd *lm_vfd_new(int fd, int writable)
{
    struct stat st;
    lm_vfd *v = lm_alloc(sizeof *v);
    if (!v || fstat(fd, &st)) {
        lm_free(v);
        close(fd);
        return NULL;
    }
    v->fd = fd;
    v->writable = writable;
    v->size = (haddr_t)st.st_size;
    return v;
}

static hid_t access_list(lm_vfd *v)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    if (fapl < 0) return fapl;
    if (H5Pset_libver_bounds(fapl, H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST) < 0 ||
        H5Pset_driver(fapl, driver(), &v) < 0) {
        H5Pclose(fapl);
        return H5I_INVALID_HID;
    }
    return fapl;
}

static hid_t creation_list(void)
{
    hid_t fcpl = H5Pcreate(H5P_FILE_CREATE);
    if (fcpl < 0) return fcpl;
    lm_h5_group_list(fcpl);
    return fcpl;
}

hid_t lm_vfd_open(lm_vfd *v, const char *name, int create)
{
    hid_t fapl = access_list(v), fcpl = create ? creation_list() : H5P_DEFAULT;
    hid_t file = H5I_INVALID_HID;
    if (create) {
        file = H5Fcreate(name, H5F_ACC_TRUNC, fcpl, fapl);
        H5Pclose(fcpl);
    } else {
        file = H5Fopen(name, v->writable ? H5F_ACC_RDWR : H5F_ACC_RDONLY, fapl);
        v->live = v->eoa;
    }
    H5Pclose(fapl);
    return file;
}

int lm_vfd_error(const lm_vfd *v) { return v->error; }
size_t lm_vfd_size(const lm_vfd *v) { return (size_t)v->size; }

int lm_vfd_free(lm_vfd *v)
{
    if (!v) return 0;
    int rc = close(v->fd);
    lm_free(v->blocks);
    lm_free(v->bytes);
    lm_free(v);
    return rc;
}
