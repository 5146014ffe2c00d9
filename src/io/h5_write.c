/* Texts, attributes and blobs. */
#include "io/h5_int.h"

#include "base/mem.h"

#include <string.h>

/* The object stays in the file without a name: were its space free, HDF5 would use it again before
 * the change that gave it up is on the disk. */
/* The space stays unused: see the driver. */
static int unlink_object(lm_h5 *f, const char *path)
{
    hid_t object = H5Oopen(f->file, path, H5P_DEFAULT);
    int bad = object < 0 || H5Oincr_refcount(object) < 0;
    if (object >= 0) H5Oclose(object);
    if (bad || H5Ldelete(f->file, path, H5P_DEFAULT) < 0) return lm_h5_fail_hdf(f, "replace", path);
    return 0;
}

hid_t lm_h5_dataset_list(void)
{
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_obj_track_times(dcpl, 0);
    H5Pset_fill_time(dcpl, H5D_FILL_TIME_NEVER);
    return dcpl;
}

int lm_h5_put(lm_h5 *f, const char *path, hid_t type, hid_t space, const void *data)
{
    if (lm_h5_parents(f, path)) return -1;
    hid_t dcpl = lm_h5_dataset_list();
    hid_t set = H5Dcreate2(f->file, path, type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    int rc = set < 0 || H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0;
    if (rc) rc = lm_h5_fail_hdf(f, "write", path);
    if (set >= 0) H5Dclose(set);
    H5Pclose(dcpl);
    return rc ? rc : lm_h5_can_write(f);
}

int lm_h5_write_text(lm_h5 *f, const char *path, const char *text)
{
    if (lm_h5_can_write(f)) return -1;
    int there = lm_h5_exists(f, path);
    if (there < 0 || (there && unlink_object(f, path))) return -1;
    hid_t type = lm_h5_string_type(strlen(text), 0), space = H5Screate(H5S_SCALAR);
    int rc = lm_h5_put(f, path, type, space, text);
    H5Sclose(space);
    H5Tclose(type);
    return rc;
}

/* --- attributes -------------------------------------------------------------------------------- */

/* The object an attribute belongs to; a group is made where there is nothing. */
static hid_t owner(lm_h5 *f, const char *object)
{
    int there = lm_h5_exists(f, object);
    if (there < 0 || (!there && lm_h5_group(f, object))) return H5I_INVALID_HID;
    hid_t id = H5Oopen(f->file, object, H5P_DEFAULT);
    if (id < 0) lm_h5_fail_hdf(f, "open", object);
    return id;
}

/* The attribute, when there is one of that class and at least that size: it is written in place, and
 * the object's header changes in the value only. One that does not fit is removed. */
static hid_t fitting(lm_h5 *f, hid_t id, const char *name, hid_t type)
{
    if (H5Aexists(id, name) <= 0) return H5I_INVALID_HID;
    hid_t attr = H5Aopen(id, name, H5P_DEFAULT);
    hid_t old = H5Aget_type(attr), space = H5Aget_space(attr);
    int fits = H5Tget_class(old) == H5Tget_class(type) && H5Tis_variable_str(old) <= 0 &&
               H5Tget_size(old) >= H5Tget_size(type) && H5Sget_simple_extent_npoints(space) == 1;
    H5Sclose(space);
    H5Tclose(old);
    if (fits) return attr;
    H5Aclose(attr);
    H5Adelete(id, name);
    f->frees = 1;
    return H5I_INVALID_HID;
}

/* A scalar of `type` whose value is given as `memory`. */
static int write_attr(lm_h5 *f, const char *object, const char *name, hid_t type, hid_t memory,
                      const void *value)
{
    if (lm_h5_can_write(f)) return -1;
    hid_t id = owner(f, object);
    if (id < 0) return -1;
    hid_t attr = fitting(f, id, name, type);
    if (attr < 0) {
        hid_t space = H5Screate(H5S_SCALAR);
        attr = H5Acreate2(id, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
        H5Sclose(space);
    }
    int rc = attr < 0 || H5Awrite(attr, memory, value) < 0;
    if (rc) rc = lm_h5_fail_hdf(f, "write the attribute", name);
    if (attr >= 0) H5Aclose(attr);
    H5Oclose(id);
    return rc;
}

int lm_h5_write_attr_text(lm_h5 *f, const char *object, const char *name, const char *text)
{
    enum { MOST = 60000 }; /* HDF5: a message of an object header has less than 64 KiB */
    size_t size = strlen(text) + 1, room = 128;
    if (size > MOST)
        return lm_h5_fail(f, "%s: a text of %zu bytes is too long for the attribute %s", f->path,
                          size - 1, name);
    while (room < size) room *= 2;
    if (room > MOST) room = MOST;
    hid_t type = lm_h5_string_type(room, 0), memory = lm_h5_string_type(size, 1);
    int rc = write_attr(f, object, name, type, memory, text);
    H5Tclose(memory);
    H5Tclose(type);
    return rc;
}

int lm_h5_write_attr_num(lm_h5 *f, const char *object, const char *name, double value)
{
    return write_attr(f, object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &value);
}

/* --- blobs -------------------------------------------------------------------------------------- */

/* A blob is a dataset of 2 x size bytes and its attribute `current`, the row that counts. A new value
 * goes into the other row first. */
static const char CURRENT[] = "current";

static lm_h5_blob *find_blob(lm_h5 *f, const char *path)
{
    for (int i = 0; i < f->nblobs; i++) {
        if (!strcmp(f->blobs[i].path, path)) return &f->blobs[i];
    }
    lm_h5_blob *list = lm_h5_more(f->blobs, f->nblobs, &f->blobs_room, sizeof *list);
    if (!list) return NULL;
    f->blobs = list;
    lm_h5_blob *b = &list[f->nblobs];
    *b = (lm_h5_blob){.path = lm_h5_copy(path)};
    if (!b->path) return NULL;
    f->nblobs++;
    return b;
}

int lm_h5_write_blob(lm_h5 *f, const char *path, const void *data, size_t size)
{
    if (lm_h5_can_write(f) || lm_h5_exists(f, path) < 0) return -1;
    lm_h5_blob *b = find_blob(f, path);
    if (!b) return lm_h5_no_memory(f);
    if (size > b->room || !b->data) {
        void *p = lm_realloc(b->data, size);
        if (!p) return lm_h5_no_memory(f);
        b->data = p;
        b->room = size;
    }
    if (size) memcpy(b->data, data, size);
    b->size = size;
    b->waits = 1;
    return 0;
}

/* Open the dataset if it has that size. */
static hid_t same_size(lm_h5 *f, const lm_h5_blob *b)
{
    hsize_t dims[2] = {0, 0};
    hid_t set = H5Dopen2(f->file, b->path, H5P_DEFAULT);
    if (set < 0) return set;
    hid_t space = H5Dget_space(set);
    if (H5Sget_simple_extent_ndims(space) == 2) H5Sget_simple_extent_dims(space, dims, NULL);
    H5Sclose(space);
    if (dims[0] == 2 && dims[1] == b->size) return set;
    H5Dclose(set);
    return H5I_INVALID_HID;
}

static hid_t make_blob(lm_h5 *f, const lm_h5_blob *b)
{
    if (lm_h5_parents(f, b->path)) return H5I_INVALID_HID;
    hid_t dcpl = lm_h5_dataset_list();
    hid_t space = H5Screate_simple(2, (hsize_t[]){2, b->size}, NULL);
    hid_t set = H5Dcreate2(f->file, b->path, H5T_STD_U8LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    if (set < 0) lm_h5_fail_hdf(f, "make", b->path);
    H5Sclose(space);
    H5Pclose(dcpl);
    return set;
}

static int write_row(hid_t set, hsize_t row, const lm_h5_blob *b)
{
    if (!b->size) return 0;
    hsize_t size[2] = {1, b->size};
    hid_t space = H5Dget_space(set), memory = H5Screate_simple(2, size, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, (hsize_t[]){row, 0}, NULL, size, NULL);
    herr_t rc = H5Dwrite(set, H5T_NATIVE_UCHAR, memory, space, H5P_DEFAULT, b->data);
    H5Sclose(memory);
    H5Sclose(space);
    return rc < 0 ? -1 : 0;
}

int lm_h5_write_blob_now(lm_h5 *f, lm_h5_blob *b)
{
    double current = 1;
    int there = lm_h5_exists(f, b->path);
    hid_t set = there > 0 ? same_size(f, b) : H5I_INVALID_HID;
    if (set >= 0 && lm_h5_read_attr_num(f, b->path, CURRENT, &current)) current = 1;
    if (set < 0) {
        if (there && unlink_object(f, b->path)) return -1;
        set = make_blob(f, b);
    }
    if (set < 0) return -1;
    int row = current == 0;
    int rc = write_row(set, (hsize_t)row, b);
    if (rc) lm_h5_fail_hdf(f, "write", b->path);
    H5Dclose(set);
    if (!rc) rc = lm_h5_write_attr_num(f, b->path, CURRENT, row);
    if (!rc) b->waits = 0;
    return rc;
}
