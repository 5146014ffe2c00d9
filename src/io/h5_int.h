/* Inside of the result files (h5.h): what h5*.c share.
 *
 * The file driver. HDF5 talks to the disk through lm_vfd, so that a result file is at every moment
 * one that any HDF5 reader opens, whatever kills the program:
 *   - Metadata (superblock, object headers, B-tree nodes) that HDF5 writes is held in memory until
 *     lm_vfd_commit. Raw data goes to the disk at once, but only to places that nothing on the disk
 *     refers to yet: behind the end of the file, or in rows behind a table's last one.
 *   - A commit writes the blocks in an order in which every first part of it is a valid file: new
 *     blocks, the superblock (which holds the end of the file), B-tree nodes that change from the
 *     root down, then object headers (which hold the number of rows). While a node is split, its
 *     parent already leads to the new half and the old half is still whole.
 *   - No block of metadata crosses a page of the file, and a write within a page happens wholly or
 *     not at all when a process is killed (the kernel looks for signals between pages).
 *   - Space on the disk is never given back and used again within a session, so that "behind the
 *     end of the last commit" is the same as "new". Where HDF5 may have put space on its list of free
 *     space, the file is opened again after the commit, which empties the list.
 * A failed write is never shown to HDF5, whose caches do not survive one: the driver keeps errno,
 * drops what comes later, cuts the file back to the last commit, and the commit reports it. */
#ifndef LM_IO_H5_INT_H
#define LM_IO_H5_INT_H

#include "io/h5.h"

#include <hdf5.h>
#include <stdint.h>

typedef struct lm_vfd lm_vfd;

lm_vfd *lm_vfd_new(int fd, int writable); /* takes fd over; NULL: out of memory, fd closed */
hid_t lm_vfd_open(lm_vfd *v, const char *name, int create); /* H5Fcreate or H5Fopen; < 0 on error */
int lm_vfd_commit(lm_vfd *v);                               /* write what is held */
int lm_vfd_error(const lm_vfd *v);   /* errno of the first failed write, or 0 */
size_t lm_vfd_size(const lm_vfd *v); /* bytes of the file */
/* Change the number of rows in the object header of a table, at once. To be called between two
 * H5Fopens. HDF5 itself would take the chunks behind the last row out of the B-tree and zero the rest
 * of the last one, which has no safe order; they stay, and new rows go where the old ones were. */
int lm_vfd_set_rows(lm_vfd *v, haddr_t header, uint64_t rows);
int lm_vfd_reserve(lm_vfd *v, int blocks, size_t bytes); /* room for that much held metadata */
int lm_vfd_free(lm_vfd *v);                              /* closes fd: -1 when that failed */

/* A table of an open file. */
typedef struct lm_h5_tab {
    char *path;
    hid_t set;
    int ncols, block; /* block: rows that fit the buffer, and rows of a chunk */
    int fill;         /* rows in the buffer */
    hsize_t rows;     /* rows in the file */
    double *buf;
} lm_h5_tab;

/* A blob that waits for the next flush. */
typedef struct lm_h5_blob {
    char *path;
    void *data;
    size_t size, room;
    int waits;
} lm_h5_blob;

struct lm_h5 {
    lm_h5_mode mode;
    char *path; /* on the disk, for messages */
    lm_vfd *vfd;
    hid_t file;
    int frees;  /* HDF5 may have free space on its list: reopen after the next commit */
    int broken; /* a write failed: `error` says why, and nothing is written any more */
    lm_h5_tab *tabs;
    int ntabs, tabs_room;
    lm_h5_blob *blobs;
    int nblobs, blobs_room;
    int reserve_blocks; /* metadata that the tables may write in one block */
    size_t reserve_bytes;
    char error[600];
};

enum { LM_H5_PATH = 1024 }; /* longest path inside a file, with its 0 */

/* Messages; all return -1. */
int lm_h5_fail(lm_h5 *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int lm_h5_fail_hdf(lm_h5 *f, const char *verb, const char *what); /* with HDF5's own reason */
int lm_h5_no_memory(lm_h5 *f);

int lm_h5_can_write(lm_h5 *f); /* 0 when f takes writes */
/* Close the file for HDF5, and open it again; the driver stays. */
int lm_h5_shut(lm_h5 *f);
int lm_h5_open_again(lm_h5 *f);
int lm_h5_settle(lm_h5 *f); /* before reading: nothing waits in memory */

int lm_h5_exists(lm_h5 *f, const char *path);  /* 1, 0, or -1 for a path that cannot be */
int lm_h5_parents(lm_h5 *f, const char *path); /* make the groups above path */
int lm_h5_group(lm_h5 *f, const char *path);   /* make a group and those above it */
/* A dataset and all its data in one go. */
int lm_h5_put(lm_h5 *f, const char *path, hid_t type, hid_t space, const void *data);
void lm_h5_group_list(hid_t list); /* creation properties of a group, the root too */
hid_t lm_h5_dataset_list(void);    /* creation properties: no times, no fill values */
hid_t lm_h5_access_list(void);     /* access properties: no cache */
hid_t lm_h5_string_type(size_t size, int terminated); /* UTF-8 */

int lm_h5_write_rows(lm_h5 *f, lm_h5_tab *t); /* the buffer, without a commit */
int lm_h5_open_tab(lm_h5 *f, lm_h5_tab *t);   /* (again) after opening the file */
int lm_h5_write_blob_now(lm_h5 *f, lm_h5_blob *b);
int lm_h5_columns_path(lm_h5 *f, const char *path, char *where); /* where[LM_H5_PATH] */
char *lm_h5_copy(const char *text);
/* Room for one more element of `size` bytes: the array, grown when full, or NULL. */
void *lm_h5_more(void *array, int n, int *room, size_t size);

#endif
