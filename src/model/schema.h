/* The schema of the model file: one row per key (schema.def). The reader walks a mapping by it;
 * the JSON Schema and the reference page are printed from it. */
#ifndef LM_MODEL_SCHEMA_H
#define LM_MODEL_SCHEMA_H

#include "model/spec.h"

/* Kinds of value. How each is read: readers[] in read_object.c; its JSON Schema: schema_json.c; its
 * words: schema_markdown.c. */
#define LM_KINDS(X)                                                                                \
    X(VERSION)       /* int: 1 */                                                                  \
    X(INCLUDE)       /* list of file names */                                                      \
    X(PARAMETERS)    /* names to numbers */                                                        \
    X(NAMED)         /* names (with repetition) to objects */                                      \
    X(INITIAL)       /* joints and coordinates to initial values, and `velocity`, `project` */     \
    X(PRODUCTS)      /* names to frame products */                                                 \
    X(OUTPUTS)       /* names to expressions */                                                    \
    X(ANALYSES)      /* an object, or a list of them */                                            \
    X(FORMULATION)   /* a type, or an object */                                                    \
    X(NUMBER)        /* double: a number or an expression of parameters */                         \
    X(INTEGER)       /* int */                                                                     \
    X(BOOL)          /* int */                                                                     \
    X(TEXT)          /* const char * */                                                            \
    X(FILE_PATH)     /* const char *, resolved against the folder of the file */                   \
    X(ENUM)          /* int: place in `choices` */                                                 \
    X(VECTOR)        /* double[3] */                                                               \
    X(INERTIA)       /* double[6], 3 or 6 given */                                                 \
    X(SIX)           /* double[6] */                                                               \
    X(PAIR)          /* double[2], or one number for both */                                       \
    X(POINTS)        /* points of a beam's axis */                                                 \
    X(SPEEDS)        /* double[3]: from, to, count */                                              \
    X(DIRECTION)     /* double[3], any length > 0 */                                               \
    X(AXIS)          /* double[3], unit: x, y, z or a vector */                                    \
    X(AXES)          /* two of them, perpendicular */                                              \
    X(OBJECT)        /* a nested object */                                                         \
    X(SECTION_EXPR)  /* lm_expr of s */                                                            \
    X(SENSOR_VECTOR) /* lm_expr[3] of t and sensors */                                             \
    X(UPDATE_EXPR)   /* lm_expr of t, sensors, states and dt; read when all names are known */     \
    X(MATERIAL_REF)  /* int */                                                                     \
    X(SECTION_REF)   /* int */                                                                     \
    X(JOINT_REF)     /* int */                                                                     \
    X(JUNCTION_REF)  /* int: entry of `power` */                                                   \
    X(FRAME)         /* int */                                                                     \
    X(FRAMES)        /* int[2] */                                                                  \
    X(NODES)         /* named frames of a rigid body, nodes of a superelement */                   \
    X(BEAM)          /* superelement generated from a beam */                                      \
    X(MOTION)        /* product of a rigid body, or of each node */                                \
    X(PLACE)         /* where the corotational frame sits */                                       \
    X(DRIVE)         /* joint coordinate: lm_expr of t */                                          \
    X(EFFORT)        /* joint coordinate: lm_expr of t and sensors */                              \
    X(COORD_NUMBER)  /* joint coordinate: double */                                                \
    X(FRICTION)      /* joint coordinate: number or {limit, velocity} */                           \
    X(RATE)          /* number, or one per joint coordinate */                                     \
    X(DEFAULTS)      /* component: names to default values */                                      \
    X(LOCAL_NAMES)   /* component: a list of names */                                              \
    X(LOCAL_PORTS)   /* component: names to junctions or ports */                                  \
    X(AS_MODEL)      /* component: as the key of the model with that name */                       \
    X(GIVEN)         /* use of a component: names to values */                                     \
    X(CONNECTIONS)   /* use of a component: ports to what they are connected to */                 \
    X(NAME_LIST)     /* const char **, with its length before it */                                \
    X(NUMBERS)       /* lm_spec_matrix of one row: a list of numbers */                            \
    X(MATRIX)        /* lm_spec_matrix: a list of rows */                                          \
    X(EXPRESSIONS)   /* a list of expressions, read when all names are known */

typedef enum lm_kind {
#define X(kind) LM_KIND_##kind,
    LM_KINDS(X)
#undef X
        LM_KIND_COUNT
} lm_kind;

typedef enum lm_object_id {
#define BEGIN(id, ...) LM_OBJECT_##id,
#define KEY(...)
#define END
#include "model/schema.def"
#undef BEGIN
#undef KEY
#undef END
    LM_OBJECT_COUNT
} lm_object_id;

/* Range of a number. */
typedef enum lm_bound { LM_ANY, LM_OVER, LM_FROM } lm_bound; /* none, > low, >= low */
typedef struct lm_range {
    lm_bound bound;
    double low, high; /* high 0 with low 0 or bound LM_ANY: none; else <= high */
} lm_range;

typedef struct lm_key {
    const char *name;
    lm_kind kind;
    size_t offset;        /* into the struct of its object */
    unsigned allow, need; /* variants of the object (bit i: choice i) that may, must have it */
    const char *preset;   /* default, or words for it; NULL: none */
    lm_range range;       /* numbers */
    const char *choices;  /* ENUM: "a|b|c" */
    lm_object_id object;  /* OBJECT, NAMED, ... */
    const char *doc;
} lm_key;

typedef struct lm_object {
    const char *noun;    /* in messages: "material" */
    const char *variant; /* the key that selects the variant, or NULL */
    const char *nouns;   /* nouns of the variants "rigid body|beam|..", or NULL */
    const char *title;   /* heading in the reference */
    const char *doc;
    const lm_key *keys;
    int nkeys;
} lm_object;

const lm_object *lm_schema_object(lm_object_id id);
/* The row of a key: the one for this variant, else any, else NULL. Variant -1: any. */
const lm_key *lm_schema_key(const lm_object *object, const char *name, int variant);
const lm_key *lm_schema_variant(const lm_object *object); /* NULL: no variants */
int lm_schema_allowed(const lm_key *key, int variant);
/* Defaults of all its keys but the variant into a struct of the object; those told in words are left as they
 * are. Of every variant: analyses are turned into others. */
void lm_schema_presets(lm_object_id id, void *base);

/* Choices "a|b|c": number of them, the i-th (copied into out), the index of a word or -1. */
enum { LM_CHOICE_MOST = 40 };
int lm_choices_count(const char *choices);
const char *lm_choices_get(const char *choices, int i, char out[LM_CHOICE_MOST]);
/* The word for a variant of an object: "revolute". */
const char *lm_schema_word(lm_object_id id, int variant, char out[LM_CHOICE_MOST]);
int lm_choices_find(const char *choices, const char *word);

/* "greater than 0", "from 0 to 1" ...: what a number in the range is; NULL for any. */
const char *lm_range_text(lm_range range, char out[80]);
int lm_range_holds(lm_range range, double value);

/* sensors.c: rows of the reference page. */
void lm_sensor_print(FILE *out);

#endif
