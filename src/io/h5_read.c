/* Reading. Sizes that a damaged file claims are checked against the size of the file before memory is
 * taken for them. */
#include "io/h5_int.h"

#include "base/mem.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static const char COLUMNS[] = "_columns";

int lm_h5_columns_path(lm_h5 *f, const char *path, char *where)
{
    int n = snprintf(where, LM_H5_PATH, "%s%s", path, COLUMNS);
    return n < LM_H5_PATH ? 0 : lm_h5_fail(f, "%s: the path %.100s... is too long", f->path, path);
}

static int damaged(lm_h5 *f, const char *path)
{
    return lm_h5_fail(f, "%s: %s is not of the expected kind, or damaged", f->path, path);
}

/* Data inside the header are nothing limber writes, but what damage can make of a layout; HDF5 1.10
 * then reads beyond its memory. */
static int is_compact(hid_t set)
{
    hid_t list = H5Dget_create_plist(set);
    int compact = H5Pget_layout(list) == H5D_COMPACT;
    H5Pclose(list);
    return compact;
}

/* 0 and an open dataset; 1 when there is none; -1. */
static int open_set(lm_h5 *f, const char *path, hid_t *set)
{
    if (lm_h5_settle(f)) return -1;
    int there = lm_h5_exists(f, path);
    if (there <= 0) return there ? -1 : 1;
    hid_t dapl = lm_h5_access_list();
    *set = H5Dopen2(f->file, path, dapl);
    H5Pclose(dapl);
    if (*set < 0) return lm_h5_fail_hdf(f, "read", path);
    if (!is_compact(*set)) return 0;
    H5Dclose(*set);
    return damaged(f, path);
}

/* 0 and an open attribute; 1 when it or its object is missing; -1. */
static int open_attr(lm_h5 *f, const char *object, const char *name, hid_t *attr)
{
    int there = lm_h5_exists(f, object);
    if (there <= 0) return there ? -1 : 1;
    htri_t has = H5Aexists_by_name(f->file, object, name, H5P_DEFAULT);
    if (has == 0) return 1;
    *attr = has < 0 ? has : H5Aopen_by_name(f->file, object, name, H5P_DEFAULT, H5P_DEFAULT);
    return *attr < 0 ? lm_h5_fail_hdf(f, "read the attribute", name) : 0;
}

/* --- texts ---------------------------------------------------------------------------------------- */

/* Datasets and attributes are read alike. */
typedef herr_t reader(hid_t id, hid_t memory, void *data);

static herr_t read_set(hid_t id, hid_t memory, void *data)
{
    return H5Dread(id, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
}

static herr_t read_attr(hid_t id, hid_t memory, void *data) { return H5Aread(id, memory, data); }

static int fixed_text(lm_h5 *f, reader *read, hid_t id, hid_t type, char **text)
{
    size_t size = H5Tget_size(type);
    if (size > lm_vfd_size(f->vfd)) return 1;
    *text = lm_alloc(size + 1);
    if (!*text) return lm_h5_no_memory(f);
    hid_t memory = H5Tcopy(type);
    H5Tset_size(memory, size + 1);
    H5Tset_strpad(memory, H5T_STR_NULLTERM);
    int rc = read(id, memory, *text) < 0;
    H5Tclose(memory);
    return rc;
}

/* Not limber's way, but h5py's. */
static int variable_text(lm_h5 *f, reader *read, hid_t id, hid_t type, char **text)
{
    char *value = NULL;
    if (read(id, type, &value) < 0) return 1;
    *text = lm_h5_copy(value ? value : "");
    H5free_memory(value);
    return *text ? 0 : lm_h5_no_memory(f);
}

/* Takes type and space over. */
static int scalar_text(lm_h5 *f, const char *what, reader *read, hid_t id, hid_t type, hid_t space,
                       char **text)
{
    int rc = 1; /* not what it should be */
    if (H5Tget_class(type) == H5T_STRING && H5Sget_simple_extent_npoints(space) == 1) {
        rc = H5Tis_variable_str(type) > 0 ? variable_text(f, read, id, type, text)
                                          : fixed_text(f, read, id, type, text);
    }
    H5Tclose(type);
    H5Sclose(space);
    if (!rc) return 0;
    lm_free(*text);
    *text = NULL;
    return rc > 0 ? damaged(f, what) : -1;
}

int lm_h5_read_text(lm_h5 *f, const char *path, char **text)
{
    hid_t set;
    *text = NULL;
    int rc = open_set(f, path, &set);
    if (rc) return rc;
    rc = scalar_text(f, path, read_set, set, H5Dget_type(set), H5Dget_space(set), text);
    H5Dclose(set);
    return rc;
}

int lm_h5_read_attr_text(lm_h5 *f, const char *object, const char *name, char **text)
{
    hid_t attr;
    *text = NULL;
    int rc = open_attr(f, object, name, &attr);
    if (rc) return rc;
    rc = scalar_text(f, name, read_attr, attr, H5Aget_type(attr), H5Aget_space(attr), text);
    H5Aclose(attr);
    return rc;
}

/* A number of one of the usual types; damage can make others, which HDF5 1.10 converts badly. */
static int is_number(hid_t type)
{
    const hid_t usual[] = {H5T_IEEE_F64LE, H5T_IEEE_F32LE, H5T_STD_I64LE, H5T_STD_I32LE};
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        if (H5Tequal(type, usual[i]) > 0) return 1;
    }
    return 0;
}

int lm_h5_read_attr_num(lm_h5 *f, const char *object, const char *name, double *value)
{
    hid_t attr;
    int rc = open_attr(f, object, name, &attr);
    if (rc) return rc;
    hid_t space = H5Aget_space(attr), type = H5Aget_type(attr);
    int fine = H5Sget_simple_extent_npoints(space) == 1 && is_number(type);
    rc = fine ? H5Aread(attr, H5T_NATIVE_DOUBLE, value) : -1;
    H5Tclose(type);
    H5Sclose(space);
    H5Aclose(attr);
    return rc < 0 ? damaged(f, name) : 0;
}

/* --- blobs and tables -------------------------------------------------------------------------------- */

/* The two dimensions of a dataset with elements of that type, if they all fit the file. */
static int dimensions(lm_h5 *f, hid_t set, hid_t element, hsize_t dims[2])
{
    size_t file = lm_vfd_size(f->vfd), width = H5Tget_size(element);
    hid_t space = H5Dget_space(set), type = H5Dget_type(set);
    int fine = H5Tequal(type, element) > 0 && H5Sget_simple_extent_ndims(space) == 2 &&
               H5Sget_simple_extent_dims(space, dims, NULL) == 2;
    H5Tclose(type);
    H5Sclose(space);
    if (!fine || (dims[1] > INT_MAX && width > 1)) return -1;
    return dims[1] && dims[0] > file / width / dims[1] ? -1 : 0;
}

/* Rows first .. first+n-1 of a dataset. */
static herr_t read_part(hid_t set, hid_t memory_type, hsize_t first, hsize_t n, hsize_t cols,
                        void *data)
{
    hsize_t from[2] = {first, 0}, size[2] = {n, cols};
    hid_t space = H5Dget_space(set), memory = H5Screate_simple(2, size, NULL);
    herr_t rc = H5Sselect_hyperslab(space, H5S_SELECT_SET, from, NULL, size, NULL);
    if (rc >= 0) rc = H5Dread(set, memory_type, memory, space, H5P_DEFAULT, data);
    H5Sclose(memory);
    H5Sclose(space);
    return rc;
}

static int current_row(lm_h5 *f, hid_t set, const char *path, void **data, size_t *size)
{
    hsize_t dims[2];
    double current;
    if (dimensions(f, set, H5T_STD_U8LE, dims) || dims[0] != 2) return damaged(f, path);
    if (lm_h5_read_attr_num(f, path, "current", &current) || (current != 0 && current != 1))
        return damaged(f, path);
    *size = (size_t)dims[1];
    *data = lm_alloc(*size);
    if (!*data) return lm_h5_no_memory(f);
    if (*size && read_part(set, H5T_NATIVE_UCHAR, (hsize_t)current, 1, dims[1], *data) < 0) {
        lm_free(*data);
        *data = NULL;
        return lm_h5_fail_hdf(f, "read", path);
    }
    return 0;
}

int lm_h5_read_blob(lm_h5 *f, const char *path, void **data, size_t *size)
{
    hid_t set;
    *data = NULL;
    *size = 0;
    int rc = open_set(f, path, &set);
    if (rc) return rc;
    rc = current_row(f, set, path, data, size);
    H5Dclose(set);
    return rc;
}

/* Pointers and texts in one block: n names of `width` bytes, padded with zeros. */
static char **name_block(int n, size_t width)
{
    char **names = lm_alloc((sizeof *names + width + 1) * (size_t)n);
    if (!names) return NULL;
    char *at = (char *)(names + n);
    for (int i = 0; i < n; i++) names[i] = at + (width + 1) * (size_t)i;
    return names;
}

static int read_names(lm_h5 *f, hid_t set, int n, char ***names)
{
    hid_t type = H5Dget_type(set), space = H5Dget_space(set);
    size_t width = H5Tget_size(type);
    int rc = H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) <= 0 &&
                     H5Sget_simple_extent_npoints(space) == n &&
                     width <= lm_vfd_size(f->vfd) / (size_t)n
                 ? 0
                 : damaged(f, COLUMNS);
    if (!rc) {
        *names = name_block(n, width);
        hid_t memory = H5Tcopy(type);
        H5Tset_size(memory, width + 1);
        H5Tset_strpad(memory, H5T_STR_NULLTERM);
        if (!*names) rc = lm_h5_no_memory(f);
        if (!rc && read_set(set, memory, (*names)[0]) < 0) rc = lm_h5_fail_hdf(f, "read", COLUMNS);
        H5Tclose(memory);
    }
    H5Sclose(space);
    H5Tclose(type);
    return rc;
}

static int read_columns(lm_h5 *f, const char *path, int n, char ***names)
{
    char where[LM_H5_PATH];
    hid_t set;
    if (lm_h5_columns_path(f, path, where)) return -1;
    int rc = open_set(f, where, &set);
    if (rc) return rc;
    rc = read_names(f, set, n, names);
    H5Dclose(set);
    if (rc) {
        lm_free(*names);
        *names = NULL;
    }
    return rc;
}

/* Open a table and its dimensions. */
static int open_table(lm_h5 *f, const char *path, hid_t *set, hsize_t dims[2])
{
    int rc = open_set(f, path, set);
    if (rc) return rc;
    if (!dimensions(f, *set, H5T_IEEE_F64LE, dims) && dims[1] > 0) return 0;
    H5Dclose(*set);
    return damaged(f, path);
}

int lm_h5_table_info(lm_h5 *f, const char *path, long *rows, int *ncols, char ***columns)
{
    hid_t set;
    hsize_t dims[2];
    *columns = NULL;
    int rc = open_table(f, path, &set, dims);
    if (rc) return rc;
    H5Dclose(set);
    *rows = (long)dims[0];
    *ncols = (int)dims[1];
    return read_columns(f, path, *ncols, columns);
}

int lm_h5_read_rows(lm_h5 *f, const char *path, long first, long n, double *data)
{
    hid_t set;
    hsize_t dims[2];
    int rc = open_table(f, path, &set, dims);
    if (rc) return rc;
    if (first < 0 || n < 0 || first > (long)dims[0] || n > (long)dims[0] - first) {
        rc = lm_h5_fail(f, "%s: the table %s has %ld rows; rows %ld to %ld were asked for", f->path,
                        path, (long)dims[0], first, first + n - 1);
    } else if (n &&
               read_part(set, H5T_NATIVE_DOUBLE, (hsize_t)first, (hsize_t)n, dims[1], data) < 0) {
        rc = lm_h5_fail_hdf(f, "read rows of", path);
    }
    H5Dclose(set);
    return rc;
}

/* --- groups ------------------------------------------------------------------------------------------- */

typedef struct listing {
    hid_t group;
    int n;
    size_t bytes; /* of the names, with their zeros */
    char **names; /* NULL while counting */
    char *at;
} listing;

/* The column names of a table are no member of their own. */
static int is_companion(hid_t group, const char *name)
{
    char stem[LM_H5_PATH];
    size_t n = strlen(name), tail = strlen(COLUMNS);
    if (n <= tail || n >= sizeof stem || strcmp(name + n - tail, COLUMNS) != 0) return 0;
    memcpy(stem, name, n - tail);
    stem[n - tail] = 0;
    return H5Lexists(group, stem, H5P_DEFAULT) > 0;
}

static herr_t list_one(hid_t group, const char *name, const H5L_info_t *info, void *data)
{
    (void)group, (void)info;
    listing *l = data;
    if (is_companion(l->group, name)) return 0;
    size_t size = strlen(name) + 1;
    if (l->names) {
        l->names[l->n] = l->at;
        memcpy(l->at, name, size);
        l->at += size;
    }
    l->n++;
    l->bytes += size;
    return 0;
}

/* Whether all links of a group can be read. H5Literate of HDF5 1.10 frees what it never set when one
 * cannot; looking for a name that is not there goes through them all, and fails in order. */
static int readable(hid_t group) { return H5Lexists(group, "\177", H5P_DEFAULT) >= 0; }

/* In order of creation; by name where a group of another program does not know it. */
static herr_t list_all(listing *l)
{
    l->n = 0;
    l->bytes = 0;
    if (H5Literate(l->group, H5_INDEX_CRT_ORDER, H5_ITER_INC, NULL, list_one, l) >= 0) return 0;
    l->n = 0;
    l->bytes = 0;
    return H5Literate(l->group, H5_INDEX_NAME, H5_ITER_INC, NULL, list_one, l);
}

int lm_h5_list(lm_h5 *f, const char *group, int *n, char ***names)
{
    *n = 0;
    *names = NULL;
    int there = lm_h5_exists(f, group);
    if (there <= 0) return there ? -1 : 1;
    listing l = {.group = H5Gopen2(f->file, group, H5P_DEFAULT)};
    if (l.group < 0) return lm_h5_fail_hdf(f, "list", group);
    int rc = !readable(l.group) || list_all(&l) < 0 ? lm_h5_fail_hdf(f, "list", group) : 0;
    if (!rc) {
        l.names = lm_alloc(sizeof *l.names * (size_t)l.n + l.bytes);
        if (!l.names) rc = lm_h5_no_memory(f);
    }
    if (!rc) {
        l.at = (char *)(l.names + l.n);
        rc = list_all(&l) < 0 ? lm_h5_fail_hdf(f, "list", group) : 0;
    }
    H5Gclose(l.group);
    if (rc) {
        lm_free(l.names);
        return -1;
    }
    *n = l.n;
    *names = l.names;
    return 0;
}
