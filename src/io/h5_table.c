/* Tables: rows x columns of doubles, and the names of the columns in the dataset path + "_columns". */
#include "io/h5_int.h"

#include "base/mem.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

enum {
    CHUNK = 1 << 23,     /* most bytes of a chunk, and of a table's buffer of more than one row */
    CHUNK_COLS = 1 << 20 /* most columns of a chunk: one row of them is CHUNK bytes */
};

/* Rows go straight between memory and their place in the file; there is nothing to cache. Nor does
 * HDF5 1.10 then read a chunk into memory whose size a damaged file makes too small. */
hid_t lm_h5_access_list(void)
{
    hid_t dapl = H5Pcreate(H5P_DATASET_ACCESS);
    H5Pset_chunk_cache(dapl, 0, 0, H5D_CHUNK_CACHE_W0_DEFAULT);
    return dapl;
}

/* Rows that fit the buffer and a chunk. */
static int block_rows(int ncols, int block)
{
    size_t most = CHUNK / (sizeof(double) * (size_t)ncols);
    if (most < 1) most = 1;
    return (size_t)block < most ? block : (int)most;
}

static int write_names(lm_h5 *f, const char *path, int n, const char *const *names)
{
    char where[LM_H5_PATH];
    size_t width = 1;
    if (lm_h5_columns_path(f, path, where)) return -1;
    for (int i = 0; i < n; i++) {
        size_t size = strlen(names[i]);
        if (size > width) width = size;
    }
    char *texts = lm_alloc(width * (size_t)n);
    if (!texts) return lm_h5_no_memory(f);
    for (int i = 0; i < n; i++) memcpy(texts + width * (size_t)i, names[i], strlen(names[i]));
    hid_t type = lm_h5_string_type(width, 0);
    hid_t space = H5Screate_simple(1, (hsize_t[]){(hsize_t)n}, NULL);
    int rc = lm_h5_put(f, where, type, space, texts);
    H5Sclose(space);
    H5Tclose(type);
    lm_free(texts);
    return rc;
}

static int make(lm_h5 *f, lm_h5_tab *t, const char *const *columns)
{
    hsize_t cols = (hsize_t)t->ncols;
    hsize_t chunk[2] = {(hsize_t)t->block, cols < CHUNK_COLS ? cols : CHUNK_COLS};
    if (write_names(f, t->path, t->ncols, columns)) return -1;
    hid_t dcpl = lm_h5_dataset_list(), dapl = lm_h5_access_list();
    H5Pset_chunk(dcpl, 2, chunk);
    /* The B-tree is made with the table, not with the first rows: its address may stand in another
     * block of the header than the number of rows, and the two must not change together. So a row is
     * written and taken away. */
    hid_t space = H5Screate_simple(2, (hsize_t[]){1, cols}, (hsize_t[]){H5S_UNLIMITED, cols});
    t->set = H5Dcreate2(f->file, t->path, H5T_IEEE_F64LE, space, H5P_DEFAULT, dcpl, dapl);
    H5Sclose(space);
    H5Pclose(dapl);
    H5Pclose(dcpl);
    if (t->set < 0 ||
        H5Dwrite(t->set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, t->buf) < 0 ||
        H5Dset_extent(t->set, (hsize_t[]){0, cols}) < 0)
        return lm_h5_fail_hdf(f, "make the table", t->path);
    return lm_h5_can_write(f);
}

int lm_h5_open_tab(lm_h5 *f, lm_h5_tab *t)
{
    hid_t dapl = lm_h5_access_list();
    t->set = H5Dopen2(f->file, t->path, dapl);
    H5Pclose(dapl);
    return t->set < 0 ? lm_h5_fail_hdf(f, "open the table", t->path) : 0;
}

/* An existing table, if it has these columns. */
static int take_up(lm_h5 *f, lm_h5_tab *t, const char *const *columns)
{
    long rows;
    int ncols;
    char **names;
    int rc = lm_h5_table_info(f, t->path, &rows, &ncols, &names);
    if (rc > 0) rc = lm_h5_fail(f, "%s: the table %s has no column names", f->path, t->path);
    if (rc) return rc;
    int same = ncols == t->ncols;
    for (int i = 0; same && i < ncols; i++) same = !strcmp(names[i], columns[i]);
    lm_free(names);
    if (!same) return lm_h5_fail(f, "%s: the table %s has other columns", f->path, t->path);
    t->rows = (hsize_t)rows;
    return lm_h5_open_tab(f, t);
}

static int check(lm_h5 *f, const char *path, int ncols, int block)
{
    if (ncols < 1 || block < 1)
        return lm_h5_fail(f, "%s: the table %s has no columns or no rows per block", f->path, path);
    for (int i = 0; i < f->ntabs; i++) {
        if (!strcmp(f->tabs[i].path, path))
            return lm_h5_fail(f, "%s: the table %s is made twice", f->path, path);
    }
    int there = lm_h5_exists(f, path);
    if (there > 0 && f->mode != LM_H5_UPDATE)
        return lm_h5_fail(f, "%s: there is already something at %s", f->path, path);
    return there;
}

/* Room for the metadata of one block in the driver, so that appending does not allocate: a few nodes
 * of the B-tree, and one per 63 chunks where a row has several. */
static int reserve(lm_h5 *f, int ncols)
{
    int nodes = 6 + ncols / CHUNK_COLS / 32;
    f->reserve_blocks += nodes + 2;
    f->reserve_bytes += 4096 * (size_t)(nodes + 2);
    return lm_vfd_reserve(f->vfd, f->reserve_blocks, f->reserve_bytes);
}

int lm_h5_table(lm_h5 *f, const char *path, int ncols, const char *const *columns, int block)
{
    if (lm_h5_can_write(f)) return -1;
    int there = check(f, path, ncols, block);
    if (there < 0) return -1;
    lm_h5_tab *list = lm_h5_more(f->tabs, f->ntabs, &f->tabs_room, sizeof *list);
    if (!list) return lm_h5_no_memory(f);
    f->tabs = list;
    lm_h5_tab t = {.set = H5I_INVALID_HID, .ncols = ncols, .block = block_rows(ncols, block)};
    t.path = lm_h5_copy(path);
    t.buf = lm_alloc(sizeof(double) * (size_t)ncols * (size_t)t.block);
    int rc = !t.path || !t.buf || reserve(f, ncols) ? lm_h5_no_memory(f) : 0;
    if (!rc) rc = there ? take_up(f, &t, columns) : make(f, &t, columns);
    if (rc) {
        if (t.set >= 0) H5Dclose(t.set);
        lm_free(t.path);
        lm_free(t.buf);
        return -1;
    }
    f->tabs[f->ntabs] = t;
    return f->ntabs++;
}

static int bad_table(lm_h5 *f, int table)
{
    if (table >= 0 && table < f->ntabs) return 0;
    return lm_h5_fail(f, "%s: there is no table %d", f->path, table);
}

int lm_h5_write_rows(lm_h5 *f, lm_h5_tab *t)
{
    if (!t->fill) return 0;
    hsize_t end[2] = {t->rows + (hsize_t)t->fill, (hsize_t)t->ncols};
    hsize_t from[2] = {t->rows, 0}, size[2] = {(hsize_t)t->fill, end[1]};
    int rc = H5Dset_extent(t->set, end) < 0;
    hid_t space = H5Dget_space(t->set), memory = H5Screate_simple(2, size, NULL);
    if (!rc) rc = H5Sselect_hyperslab(space, H5S_SELECT_SET, from, NULL, size, NULL) < 0;
    if (!rc) rc = H5Dwrite(t->set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, t->buf) < 0;
    H5Sclose(memory);
    H5Sclose(space);
    if (rc) {
        lm_h5_fail_hdf(f, "write rows of", t->path);
        f->broken = 1;
        return -1;
    }
    t->rows = end[0];
    t->fill = 0;
    return 0;
}

int lm_h5_append(lm_h5 *f, int table, const double *row)
{
    if (f->broken || bad_table(f, table)) return -1;
    lm_h5_tab *t = &f->tabs[table];
    size_t ncols = (size_t)t->ncols;
    memcpy(t->buf + ncols * (size_t)t->fill, row, sizeof *row * ncols);
    t->fill++;
    /* All tables together: those that fill at the same pace then share one flush. */
    return t->fill == t->block ? lm_h5_flush(f) : 0;
}

long lm_h5_rows(const lm_h5 *f, int table)
{
    if (table < 0 || table >= f->ntabs) return 0;
    return (long)f->tabs[table].rows + f->tabs[table].fill;
}

int lm_h5_truncate(lm_h5 *f, int table, long rows)
{
    if (lm_h5_can_write(f) || bad_table(f, table)) return -1;
    lm_h5_tab *t = &f->tabs[table];
    if (rows < 0 || rows > lm_h5_rows(f, table))
        return lm_h5_fail(f, "%s: the table %s has %ld rows, not %ld", f->path, t->path,
                          lm_h5_rows(f, table), rows);
    if ((hsize_t)rows >= t->rows) {
        t->fill = (int)((hsize_t)rows - t->rows);
        return 0;
    }
    t->fill = 0;
    H5O_info_t info;
    if (lm_h5_flush(f)) return -1;
    if (H5Oget_info2(t->set, &info, H5O_INFO_BASIC) < 0)
        return lm_h5_fail_hdf(f, "shorten the table", t->path);
    if (lm_h5_shut(f)) return -1;
    int rc = lm_vfd_set_rows(f->vfd, info.addr, (uint64_t)rows);
    if (lm_h5_open_again(f) || lm_h5_can_write(f)) return -1;
    if (rc) return lm_h5_fail(f, "%s: cannot shorten the table %s", f->path, t->path);
    t->rows = (hsize_t)rows;
    return 0;
}
