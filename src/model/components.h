/* Components: parts of a power graph with their controllers, described once and used often.
 *
 * A use is carried out on the tree of the file, before the tables of names are made. An entry
 *     m1: {use: dc_motor, with: {R: 0.6}, ports: {shaft: arm}}
 * is replaced by copies of the component's entries of `power`, `blocks` and `states`. Their keys
 * carry the instance (lm_yaml.owner), so that repeat.c names them m1.copper ...; in their texts the
 * names of the component become m1.R, m1.loop ..., and those of `names` what was given for them.
 * Nodes without such a name in them are shared, not copied, and all keep their place in the file.
 * Parameters become parameters of the model, inputs become blocks of type signal, and connected
 * ports become bonds or port elements. Components may use others.
 *
 *   components.c         the descriptions, and the order of things
 *   components_text.c    copies with names replaced
 *   components_use.c     instances and their entries
 *   components_ports.c   connections
 *   components_notes.c   messages say where a component is used */
#ifndef LM_MODEL_COMPONENTS_H
#define LM_MODEL_COMPONENTS_H

#include "model/reader.h"

enum { LM_NESTING = 40 }; /* components in components */

typedef enum lm_local_kind { /* a name inside a component */
                             LM_LOCAL_PARAMETER,
                             LM_LOCAL_INPUT,
                             LM_LOCAL_NAME,
                             LM_LOCAL_POWER,
                             LM_LOCAL_BLOCK,
                             LM_LOCAL_STATE
} lm_local_kind;

typedef struct lm_local {
    lm_local_kind kind;
    const lm_yaml *key;
    const lm_yaml *value; /* the default, or the entry; NULL for a name */
} lm_local;

typedef struct lm_local_port {
    const lm_yaml *key;
    const lm_yaml *at; /* a junction of the component, or PART.PORT of a component used in it */
    int out;
    int bad;
} lm_local_port;

typedef struct lm_component {
    const char *name;
    lm_loc loc;
    const lm_yaml *node;
    int last_line;        /* of its description; 0: not known yet */
    lm_names local_names; /* without indices */
    LM_VEC(lm_local) locals;
    lm_names port_names;
    LM_VEC(lm_local_port) ports;
    int bad; /* an error was reported for it: it is not used */
} lm_component;

typedef struct lm_instance {
    const char *name; /* "axis(3).motor" */
    const lm_component *component;
    const char *label; /* the same without the values of indices: "axis(k=1..6).motor" */
    int repeated;      /* it, or one around it, is used by repetition */
    const struct lm_instance *outer; /* the one it is part of, NULL: the model */
    lm_loc loc;                      /* of its key */
    lm_key_pattern *pattern;
    const char **given; /* [locals.n] what a name stands for; others NULL */
    int *connected;     /* [ports.n] */
} lm_instance;

typedef struct lm_connection {
    const lm_instance *from;
    int port;
    const lm_yaml *to; /* its names are those of the model */
} lm_connection;

/* Sections of the model that components add to. */
enum { LM_PART_POWER, LM_PART_BLOCKS, LM_PART_STATES, LM_PARTS };
extern const char *const lm_part_names[LM_PARTS];

typedef struct lm_parts {
    lm_names names; /* of components */
    LM_VEC(lm_component *) components;
    int broken; /* some could not be read: don't report unknown ones */
    int used;   /* the model uses some */
    lm_names
        model; /* what the model gives names to, without indices; empty until it is asked for */
    lm_table uses;
    LM_VEC(lm_instance *) instances; /* [uses.entries.n], NULL after an error */
    LM_VEC(lm_connection) connections;
    lm_names labels;                     /* of keys in repeated instances ... */
    LM_VEC(lm_key_pattern *) patterns;   /* ... and their patterns */
    LM_VEC(lm_yaml *) entries[LM_PARTS]; /* key, value, key, value ... of the new sections */
} lm_parts;

/* --- components_text.c --- */
typedef struct lm_naming { /* what names stand for */
    const lm_instance *in; /* the names of its component; NULL: none */
    const lm_named *entry; /* its indices; NULL: none */
} lm_naming;
/* The text with its names replaced; the same pointer when there are none. */
const char *lm_rename(lm_reader *r, const lm_naming *naming, const char *text);
lm_yaml *lm_rename_node(lm_reader *r, const lm_naming *naming, const lm_yaml *node);
/* An entry of a section: its words that are no names stay. */
lm_yaml *lm_rename_entry(lm_reader *r, const lm_naming *naming, int part, const lm_yaml *value);
lm_yaml *lm_part_scalar(lm_reader *r, const char *text, lm_loc loc);
lm_yaml *lm_part_map(lm_reader *r, lm_yaml *const *items, int n, lm_loc loc); /* n keys */
/* A key of the instance: its name begins with that of the instance. */
lm_yaml *lm_part_key(lm_reader *r, const lm_instance *in, const lm_yaml *key);
size_t lm_base_length(const char *name); /* without indices */

/* --- components_use.c --- */
void lm_use_section(lm_reader *r, const lm_yaml *map, int part, const lm_instance *in);
void lm_push_part(lm_reader *r, int part, lm_yaml *key, lm_yaml *value);

/* --- components_ports.c --- */
void lm_connect_parts(lm_reader *r);

#endif
