/* Result files: a thin, typed layer over HDF5.
 *
 * A file holds groups, texts, attributes, blobs (raw bytes, for checkpoints) and tables. A table is
 * a chunked, extendible dataset of doubles, rows x columns; the names of its columns are the strings
 * of the dataset `<path>_columns` beside it (an attribute could not hold those of a wide table):
 *     pandas.DataFrame(f["/run/out"][:], columns=f["/run/out_columns"].asstr()[:])
 * A blob is a dataset of 2 x size bytes whose attribute `current` tells which row counts. Texts are
 * scalar datasets and attributes of UTF-8 strings of fixed length. Every file has the root attribute
 * `limber_format`. No compression: deflate at level 1 takes 18 times as long as writing, to save a
 * fifth. No times: equal runs give equal bytes. A group is meant for up to some hundred members.
 *
 * Rows are buffered in memory that is allocated when the table is made; lm_h5_flush writes them
 * out. Whatever kills the program, and whenever, also during a flush: any HDF5 reader opens the file
 * (no SWMR flags, oldest superblock) and finds all rows of the last flush, or more, and one blob or
 * the next (h5_int.h says how). Not so after a power failure: nothing calls fsync. While a file is
 * written, other programs can read it.
 *
 * Every function returns 0, or -1 after it has put a sentence with the cause into the file's error
 * text (lm_h5_error); after a failed write the file refuses further writes, and closing it does
 * not crash. HDF5's own error printing is silenced. Paths inside the file start with '/'; missing
 * groups on the way are created. Not thread-safe: one thread writes. */
#ifndef LM_IO_H5_H
#define LM_IO_H5_H

#include <stddef.h>

/* The root attribute `format` of the files of `limber run` (docs/results.md). */
#define LM_RESULT_FORMAT "limber results 1"
/* Text of the messages of the run (base/diag.h); none where there were none. */
#define LM_RESULT_MESSAGES "/messages"

typedef struct lm_h5 lm_h5;

typedef enum lm_h5_mode {
    LM_H5_CREATE, /* make a new file, or empty an existing one that limber wrote */
    LM_H5_READ,
    LM_H5_UPDATE /* open an existing file for appending (resume) */
} lm_h5_mode;

/* Open. On failure returns -1 and writes the reason into err[size]: missing, a directory, no
 * permission, not an HDF5 file, truncated, being written by another program. CREATE refuses to
 * overwrite, and UPDATE to change, a file that limber did not write. CREATE gives the new file its
 * name when its first bytes are complete: there is always the old file or a new, valid one. */
int lm_h5_open(const char *path, lm_h5_mode mode, lm_h5 **file, char *err, size_t size);
const char *lm_h5_error(const lm_h5 *f);
int lm_h5_flush(lm_h5 *f); /* rows of all tables, then the blobs */
int lm_h5_close(lm_h5 *f); /* flushes what can be flushed, frees everything in every case */

/* On the disk with the next flush. A text of the same name is replaced, its old space stays unused.
 * An attribute of an object that is not there makes a group. A text attribute keeps the room it was
 * made with, 127 bytes or more. A longer value moves it; a group's header is on the disk at one
 * stroke then too, but that of a table that already has many attributes is not: kill -9 within the
 * microseconds of that flush can leave the table unreadable. So tables get their texts once. */
int lm_h5_write_text(lm_h5 *f, const char *path, const char *text);
int lm_h5_write_attr_text(lm_h5 *f, const char *object, const char *name, const char *text);
int lm_h5_write_attr_num(lm_h5 *f, const char *object, const char *name, double value);
int lm_h5_write_blob(lm_h5 *f, const char *path, const void *data, size_t size); /* replaces; of
                                 the same size each time it takes no new space */

/* Make a table (or, in UPDATE mode, take up an existing one with the same columns). `block` is the
 * number of rows per chunk and of rows buffered, fewer where a row is wide (8 MiB at most, or one
 * row); a full buffer flushes the file. Returns the table's number >= 0, or -1. */
int lm_h5_table(lm_h5 *f, const char *path, int ncols, const char *const *columns, int block);
int lm_h5_append(lm_h5 *f, int table, const double *row);
long lm_h5_rows(const lm_h5 *f, int table);         /* written and buffered */
int lm_h5_truncate(lm_h5 *f, int table, long rows); /* drop the rows after the first
                                 `rows`: a flush, and on the disk at once */

/* Reading: memory is lm_alloc'ed, free with lm_free. A missing object gives 1 (not -1). */
int lm_h5_read_text(lm_h5 *f, const char *path, char **text);
int lm_h5_read_attr_text(lm_h5 *f, const char *object, const char *name, char **text);
int lm_h5_read_attr_num(lm_h5 *f, const char *object, const char *name, double *value);
int lm_h5_read_blob(lm_h5 *f, const char *path, void **data, size_t *size);
/* Dimensions and column names (one block of memory: the pointers and the texts). */
int lm_h5_table_info(lm_h5 *f, const char *path, long *rows, int *ncols, char ***columns);
/* Rows first .. first+n-1, all columns, row by row. */
int lm_h5_read_rows(lm_h5 *f, const char *path, long first, long n, double *data);
/* Names of the members of a group, in order of creation, without the `_columns` of tables; one block
 * of memory. */
int lm_h5_list(lm_h5 *f, const char *group, int *n, char ***names);

#endif
