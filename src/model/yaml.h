/* A YAML document as a tree of nodes, each with its place in the file.
 *
 * Built from libyaml's events with bounds on depth, on the number of values and on what aliases
 * expand to, so that no file can make the reader run away. Aliased nodes are shared, not copied;
 * merge keys (`<<: *base`) are carried out. All text is UTF-8 without NUL bytes. */
#ifndef LM_MODEL_YAML_H
#define LM_MODEL_YAML_H

#include "base/diag.h"
#include "base/mem.h"

typedef enum lm_yaml_kind { LM_YAML_SCALAR, LM_YAML_LIST, LM_YAML_MAP } lm_yaml_kind;

typedef struct lm_yaml {
    lm_yaml_kind kind;
    lm_loc loc;             /* of its first character */
    int quoted;             /* scalar: '..', "..", | or > */
    int bad;                /* an error was reported for it: skip it silently */
    int open;               /* not complete yet: an alias to it would contain itself */
    const char *text;       /* scalar */
    int n;                  /* list: number of items; map: number of keys */
    struct lm_yaml **items; /* list: [n]; map: [2*n] key, value, key, value ... */
    int height;             /* levels below it, aliases expanded */
    int size;               /* nodes in it, aliases expanded; the limits keep it in range */
    void *cache;            /* the reader's */
    const void *owner;      /* the reader's: the instance of a component that it belongs to */
    const char *written;    /* the text before names were replaced by those of the owner; or NULL */
} lm_yaml;

enum {
    LM_YAML_DEPTH = 60,
    LM_YAML_NODES = 4000000,    /* values in a file */
    LM_YAML_EXPANDED = 8000000, /* values after expansion of aliases */
    LM_YAML_BYTES = 64 << 20    /* size of a file */
};

/* libyaml's objects: they stand here so that their owner can free them when the arena jumps. */
typedef struct lm_yaml_parser lm_yaml_parser;
struct lm_yaml_parser {
    void *parser; /* yaml_parser_t */
    void *event;  /* yaml_event_t, live while being handled */
};

/* The tree of a text, or NULL after an error in `diag` (or with *memory = 1 when libyaml ran out
 * of memory). Duplicate keys and unquoted commas are reported too, and the tree comes back. */
lm_yaml *lm_yaml_parse(lm_arena *arena, lm_diag *diag, lm_yaml_parser *parser, const char *text,
                       size_t size, const char *file, int *memory);
void lm_yaml_parser_free(lm_yaml_parser *parser); /* safe at any time, and twice */

/* Value of a key of a map, or NULL; *key gets the key's node unless it is NULL. */
lm_yaml *lm_yaml_get(const lm_yaml *map, const char *name, lm_yaml **key);
int lm_yaml_is_null(const lm_yaml *node);       /* empty, ~ or null */
const char *lm_yaml_kind_text(const lm_yaml *); /* "a list of 3", "a mapping", "nothing" ... */
lm_loc lm_yaml_text_loc(const lm_yaml *scalar); /* of the first character inside the quotes */

/* yaml_text.c: is this text at all? Reports the first byte that cannot stand in a model. */
int lm_yaml_check_text(lm_diag *diag, const char *text, size_t size, const char *file);
/* yaml_text.c: libyaml's problem in words with a remedy. `began` is where what is wrong began;
 * offset counts characters. */
void lm_yaml_explain(lm_diag *diag, lm_loc loc, const char *problem, const char *context,
                     lm_loc began, const char *text, size_t size, size_t offset);

#endif
