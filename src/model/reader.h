/* Private to the reader: its state and the calls between its files.
 *
 * One read goes: load the file and its includes (include.c) - parameters (params.c) - put in the
 * components that are used (components.h) - expand the names of every section (repeat.c) - read the
 * objects by the schema (read_object.c, read_*.c), in an order in which everything referred to is
 * there - expressions with sensors last.
 *
 * Errors are collected: every call returns 0, or -1 after it reported an error or met something
 * that was already reported (a bad parameter, a bad body), and reading goes on. When memory runs
 * out the arenas jump to lm_reader.fail. */
#ifndef LM_MODEL_READER_H
#define LM_MODEL_READER_H

#include "model/names.h"
#include "model/schema.h"
#include "model/spec.h"
#include "model/yaml.h"

#include <stdint.h>

enum {
    LM_INDICES = 3,          /* indices of a repeated name */
    LM_ENTITIES = 2000000,   /* named things in a model */
    LM_WORK = 50000000,      /* values looked at, repetition and aliases included */
    LM_SUGGEST_MOST = 20000, /* names looked at for a suggestion */
    LM_INCLUDES = 200,       /* files */
    LM_KEYS_MOST = 48        /* keys of an object */
};
#define LM_READ_MEMORY ((size_t)4 << 30) /* bytes of arena */

/* --- structs that the schema stores into beside those of the spec --- */

typedef struct lm_document { /* the top level of a file */
    int version, assemble, project;
    const char *title;
    double gravity[3];
    int unused; /* for keys that the reader handles itself */
} lm_document;
typedef struct lm_material_in {
    lm_spec_material material;
    double nu;
} lm_material_in;
typedef struct lm_body_in {
    lm_spec_body body;
    double ends[2][3]; /* from, to */
} lm_body_in;
typedef struct lm_rayleigh {
    double mass, stiffness;
} lm_rayleigh;
typedef struct lm_rotation {
    double axis[3], angle;
} lm_rotation;
typedef struct lm_compliance {
    double stiffness[2], damping[2];
} lm_compliance;
typedef struct lm_port_in { /* a port of a component */
    const char *at;
    int out;
} lm_port_in;
typedef struct lm_use_in { /* the use of one */
    const char *component;
} lm_use_in;
typedef struct lm_initial_entry {
    double value, coord[LM_COORD_Y + 1]; /* by lm_coord_kind */
    const lm_yaml *rate;
} lm_initial_entry;

/* An entry of `power`: what it says beside its expressions. */
enum { LM_POWER_BOND = LM_ELEMENT_PORT + 1 }; /* type: a bond between two junctions */
typedef struct lm_power_in {
    lm_spec_item item;
    int type, domain;
    int on, from, to; /* entries of `power`, -1: not given */
    double capacitance, stiffness, inertia;
    double initial, initial_law; /* state; effort or flow instead */
    int joint, coordinate, frame, between[2];
    double force[3], torque[3];
    uint64_t given; /* keys: see lm_read_object */
    lm_expr law;    /* as read for the first time: what it depends on */
    int element;    /* in spec->elements, -1: a bond */
    int bond;       /* the first of its bonds, -1: a junction */
} lm_power_in;

typedef struct lm_power_request { /* effort(x), flow(x), power(x), state(x) in an expression */
    int entry;                    /* of `power` */
    int what;                     /* LM_POWER_EFFORT .. */
    int variable;                 /* gets the expression when the graph is known */
    lm_loc loc;
} lm_power_request;
enum { LM_POWER_EFFORT, LM_POWER_FLOW, LM_POWER_PRODUCT, LM_POWER_STATE };

/* --- names of a section of the file --- */

typedef struct lm_key_pattern { /* a key: name, name(3), name(k=1..N)(j=1..M) */
    const char *base;
    int nindex;
    const char *var[LM_INDICES]; /* NULL: the index is a number */
    int repeated;                /* has at least one variable */
    int bad;                     /* one of its entries had an error: the others are not read */
} lm_key_pattern;

typedef struct lm_named { /* one name of it */
    const char *name;
    const lm_yaml *key, *value;
    lm_key_pattern *pattern;
    int nindex, index[LM_INDICES]; /* fewer than the pattern's while its ranges are read */
    const struct lm_named *outer;  /* the entry around it, whose indices are visible too */
} lm_named;

typedef struct lm_family { /* names with the same base and one index */
    int indexed, low, high;
} lm_family;

typedef struct lm_table {
    const char *noun, *plural; /* "body", "bodies" */
    const char *values;        /* what its names stand for, when that is no mapping */
    lm_names names;
    LM_VEC(lm_named) entries; /* entry i has index i in `names` and in the spec's vector */
    lm_names bases;           /* names without their indices, for suggestions */
    LM_VEC(lm_family) families;
    int broken; /* some name could not be read: don't report unknown ones */
} lm_table;

typedef struct lm_param {
    const lm_yaml *node; /* NULL: from --set */
    const char *text;
    lm_loc loc;
    double value;
    int state; /* 0 not visited, 1 on the way, 2 done */
    int bad;
} lm_param;

typedef struct lm_setting { /* --set NAME=text */
    const char *text;
    lm_loc loc; /* of the text */
    int used;   /* a component had such a parameter */
} lm_setting;

/* What is being read, for messages: "'angle' in orientation of rigid body 'slider'". */
typedef struct lm_where {
    const char *noun, *name; /* name NULL: none */
    lm_loc loc;
    const struct lm_where *outer;
} lm_where;

typedef struct lm_file { /* the model file and what it includes */
    const char *name, *folder, *real;
    lm_yaml *root;
    int parent;  /* the file that includes it, -1 for the model */
    int library; /* it is part of the program (and `real` its name there) */
} lm_file;

typedef struct lm_deferred { /* an effort: read when all joints are known */
    const lm_named *entry;
    const lm_yaml *node;
    int joint, coord;
} lm_deferred;

typedef struct lm_reader {
    lm_arena *arena;
    lm_arena scratch; /* for what is needed during one entry only */
    lm_diag *diag;
    jmp_buf fail;
    const lm_read_options *options;
    lm_spec *spec;
    lm_yaml_parser yaml;
    void *stream; /* FILE *, open while reading a file */
    int status;   /* LIMBER_IO when the model file itself could not be read */
    LM_VEC(lm_file) files;
    const char *real_folder; /* of the model file, for includes */
    lm_names param_names;
    LM_VEC(lm_param) params;
    int params_broken;  /* an include or `parameters` could not be read */
    lm_names set_names; /* --set of names that are no parameters of the file */
    LM_VEC(lm_setting) settings;
    struct lm_parts *parts; /* components.h: components and where they are used */
    lm_table materials, sections, coordinates, states, surfaces, blocks, power, products, bodies,
        joints, loads, forces, outputs;
    int *product_at;                   /* product of each name of `products` */
    lm_names frame_names, sensor_keys; /* of spec->frames and spec->sensors */
    lm_names node_names;               /* "body.node" of bodies with many nodes */
    LM_VEC(int) node_of;               /* ... and which node that is */
    LM_VEC(lm_deferred) deferred;
    int entities;
    int full; /* there are too many */
    int64_t work, elements;
    const lm_named *entry; /* whose indices are visible */
    const lm_where *where;
    const char *key;        /* being read, or NULL */
    int tainted;            /* an expression used something already reported */
    int component, vectors; /* outputs: component of vector sensors, and how many were seen */
    int vectors_allowed;
    LM_VEC(lm_power_in) power_in; /* [power.entries.n] */
    LM_VEC(lm_power_request) power_requests;
    lm_names request_keys; /* of them */
    const char *own_name;  /* name that a law has for its own quantity ("f", "q"), NULL: none */
    int own_slot;          /* ... and its slot */
    int internal;          /* 1: the text is the program's own, _s(k) is slot k */
} lm_reader;

/* --- read_object.c --- */
/* Read a mapping by the schema into `base`. `given` gets bit i for key i of the object. The caller
 * has set r->where; its noun is refined by the variant. */
int lm_read_object(lm_reader *r, lm_object_id id, const lm_yaml *node, void *base, uint64_t *given);
int lm_read_given(lm_object_id id, uint64_t given, const char *name, int variant);
int lm_read_key(lm_reader *r, const lm_key *key, const lm_yaml *node, void *base);

/* --- read_values.c: kinds of value --- */
typedef int lm_kind_reader(lm_reader *r, const lm_key *key, const lm_yaml *node, void *base);
lm_kind_reader lm_kind_version, lm_kind_number, lm_kind_integer, lm_kind_bool, lm_kind_text,
    lm_kind_enum, lm_kind_vector, lm_kind_inertia, lm_kind_six, lm_kind_pair, lm_kind_speeds,
    lm_kind_direction, lm_kind_axis, lm_kind_axes, lm_kind_section_expr, lm_kind_sensor_vector,
    lm_kind_file_path, lm_kind_name_list, lm_kind_numbers, lm_kind_matrix;
lm_kind_reader lm_kind_material, lm_kind_section, lm_kind_joint, lm_kind_frame, lm_kind_frames;
lm_kind_reader lm_kind_points, lm_kind_nodes, lm_kind_beam, lm_kind_motion, lm_kind_place;
lm_kind_reader lm_kind_junction;
lm_kind_reader lm_kind_drive, lm_kind_effort, lm_kind_coord_number, lm_kind_friction, lm_kind_rate;
int lm_read_number(lm_reader *r, const lm_yaml *node, double *out);
int lm_read_numbers(lm_reader *r, const lm_yaml *node, int n, double *out);
int lm_read_not_finite(lm_reader *r, lm_loc loc, double value); /* the error: -1 */
int lm_read_in_range(lm_reader *r, const lm_yaml *node, lm_range range, double value);
int lm_read_want(lm_reader *r, const lm_yaml *node, lm_yaml_kind kind, const char *what);

/* --- message.c: words; all of them "" once so many errors were found that no more are kept --- */
int lm_full(const lm_reader *r);
/* "'mass' in rigid body 'slider'", or "output 'x'" when no key is being read. */
const char *lm_subject(lm_reader *r);
const char *lm_where_text(lm_reader *r);                 /* "rigid body 'slider'" */
const char *lm_found(lm_reader *r, const lm_yaml *node); /* "'abc'", "a mapping", ... */
const char *lm_quoted(lm_reader *r, const char *text);   /* shortened when long */
const char *lm_number_text(lm_reader *r, double value);  /* shortest that reads back the same */
/* "; did you mean 'x'?" or "". */
const char *lm_suggest(lm_reader *r, const char *word, const char *const *names, int n);
const char *lm_article(const char *noun);                       /* "a" or "an" */
const char *lm_list_choices(lm_reader *r, const char *choices); /* "a, b, c" */
const char *lm_list_names(lm_reader *r, const char *const *names, int n);
const char *lm_coord_names(lm_reader *r, lm_joint_type type); /* "angle, x, y" */

/* --- expressions (scope.c) --- */
typedef enum lm_scope {
    LM_SCOPE_CONSTANT, /* parameters and indices */
    LM_SCOPE_TIME,     /* and t */
    LM_SCOPE_SECTION,  /* and s: slot LM_SLOT_S */
    LM_SCOPE_MOTION,   /* and t, coordinate i in slot 1 + i */
    LM_SCOPE_SENSORS,  /* and t, sensor i in slot 1 + i; states, surfaces */
    LM_SCOPE_UPDATE    /* and dt, the time since the last update */
} lm_scope;
int lm_read_expr(lm_reader *r, const lm_yaml *node, lm_scope scope, lm_expr *out);
int lm_read_expr_text(lm_reader *r, const char *text, lm_loc loc, lm_scope scope, lm_expr *out);
/* Value of an expression of parameters and indices; node may be NULL (then nothing is cached). */
int lm_read_constant(lm_reader *r, const char *text, lm_loc loc, lm_yaml *node, double *out);
int lm_plain_number(const char *text, double *out); /* 1: the text is just a number */
int lm_is_name(const char *text, size_t n);
int lm_is_builtin(const char *name); /* a name of the expression language, or t */
const char *lm_read_reference(lm_reader *r, const lm_yaml *node); /* canonical text or NULL */
void lm_scratch_trim(lm_reader *r);

/* --- repeat.c --- */
/* Add the names of a section to the table, repetition expanded; keys in `skip` are left out. */
void lm_expand(lm_reader *r, const lm_yaml *map, lm_table *table, const char *const *skip);
void lm_expand_value(lm_reader *r, const lm_yaml *root, const char *section, lm_table *table);
/* The same for one key: 0, or -1 after an error. */
int lm_expand_key(lm_reader *r, lm_table *table, const lm_yaml *key, const lm_yaml *value);

/* --- refs.c --- */
int lm_find(lm_reader *r, const lm_table *table, const char *name, lm_loc loc); /* index or -1 */
int lm_frame_resolve(lm_reader *r, const char *canonical, lm_loc loc);          /* index or -1 */
/* Named frame of a rigid body or node of a superelement: its number, or -1. Those of bodies with
 * more than LM_NODES_FEW stand in r->node_names. */
enum { LM_NODES_FEW = 16 };
int lm_node_find(lm_reader *r, const lm_spec_body *body, const char *name);

/* --- sensors.c --- */
int lm_sensor_is(const char *name);
int lm_sensor_slot(lm_reader *r, const lm_sensor_call *call, int *slot);
int lm_sensor_coordinate(lm_reader *r, int coordinate, lm_loc loc); /* slot of its value */
int lm_sensor_state(lm_reader *r, int state);                       /* the same */
int lm_sensor_same(lm_reader *r, const lm_spec_sensor *s);          /* of any sensor */
int lm_sensor_variable(lm_reader *r, int variable, int rate);       /* of a variable, or its rate */
int lm_sensor_step(lm_reader *r);                                   /* of dt */
int lm_sensor_delay(lm_reader *r, int delay);                       /* of lm_spec.delays */
const char *lm_sensor_name(int i); /* of all of them; NULL after the last */

/* --- the parts --- */
int lm_load(lm_reader *r, const char *path, const char *text, size_t size); /* include.c */
void lm_read_params(lm_reader *r);                                          /* those of the files */
/* One more, of a component (--set may have a value for it); its value later, or when it is used. */
void lm_add_param(lm_reader *r, const char *name, lm_loc loc, const lm_yaml *node);
void lm_need_params(lm_reader *r, const char *text); /* values of those that the text names */
void lm_finish_params(lm_reader *r);  /* values of all; what --set names must exist */
void lm_use_components(lm_reader *r); /* components.c */
/* Columns of the messages from number `first` on, which count in the text of the node after names of a
 * component were replaced, as the user sees them. */
void lm_place_back(lm_reader *r, const lm_yaml *node, int first);
void lm_note_uses(lm_reader *r); /* when all is read: of components, in messages about them */
void lm_read_materials(lm_reader *r);
void lm_read_sections(lm_reader *r);
void lm_read_coordinates(lm_reader *r);
/* read_states.c: states and surfaces; the expressions that change them when all names are known */
void lm_read_states(lm_reader *r);
void lm_read_updates(lm_reader *r);
void lm_check_samples(lm_reader *r); /* when the analyses have been read */
/* read_blocks.c: names and numbers of blocks; their expressions when all names are known */
void lm_read_blocks(lm_reader *r);
void lm_read_signals(lm_reader *r);
/* The slot of what block i stands for; -1: it has several outputs. */
int lm_block_slot(lm_reader *r, int i);
/* read_power.c: elements of the power graph; their equations when all expressions have been read */
void lm_read_power(lm_reader *r);
void lm_compile_power(lm_reader *r);
/* variables.c: a variable without its expression: index; when all have theirs, what their rates take */
int lm_new_variable(lm_reader *r, const char *name, lm_loc loc, lm_variable_kind kind);
void lm_finish_variables(lm_reader *r);
void lm_integrate_variables(lm_reader *r); /* integrals.c: after that */
/* The same: inputs of delays that are expressions of the time, through signals. */
void lm_find_timed_delays(lm_reader *r);
/* Why a block or state cannot have that name; NULL: it can. */
const char *lm_name_taken(const lm_reader *r, const char *name);
void lm_read_products(lm_reader *r);
/* motion.c: poses of bodies that follow frame products, at the start */
void lm_draw_motions(lm_reader *r);
int lm_read_product(lm_reader *r, const lm_yaml *node); /* an unnamed one: index or -1 */
/* external.c: frames that a C function gives. 1: this is one; 0: it is not; -1 after an error. */
int lm_read_external(lm_reader *r, const char *name, const lm_yaml *node, lm_product *out);
/* Their poses at the start; slots: 0 and the coordinates. NULL: there are none, or after an error. */
limber_pose *lm_draw_external(lm_reader *r, const double *slots);
void lm_read_bodies(lm_reader *r);
void lm_read_joints(lm_reader *r);
void lm_read_efforts(lm_reader *r);
void lm_read_loads(lm_reader *r);
void lm_read_forces(lm_reader *r);
void lm_read_initial(lm_reader *r, const lm_yaml *node);
void lm_read_outputs(lm_reader *r);
void lm_read_analyses(lm_reader *r, const lm_yaml *node);
void lm_read_formulation(lm_reader *r, const lm_yaml *node);

/* Read every entry of a table into a vector of structs that begin with lm_spec_item. */
typedef int lm_entry_reader(lm_reader *r, const lm_named *entry, void *item);
void lm_read_table(lm_reader *r, const lm_table *table, void *at, size_t size,
                   lm_entry_reader *read);
#define LM_READ_TABLE(r, table, vec, read)                                                         \
    ((vec)->at = lm_arena_alloc((r)->arena, sizeof *(vec)->at * (size_t)(table)->entries.n),       \
     (vec)->n = (vec)->cap = (table)->entries.n,                                                   \
     lm_read_table((r), (table), (vec)->at, sizeof *(vec)->at, read))

/* Start on an entry: its indices and its name for messages. 0, or -1 when its pattern has already
 * failed. lm_leave takes the result and marks the pattern. */
int lm_enter(lm_reader *r, const lm_table *table, const lm_named *entry, lm_where *where);
int lm_leave(lm_reader *r, const lm_named *entry, int result);

#endif
