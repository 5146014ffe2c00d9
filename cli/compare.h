/* `limber compare`: every formulation, or ever finer meshes and steps, against each other. */
#ifndef LIMBER_CLI_COMPARE_H
#define LIMBER_CLI_COMPARE_H

#include "jobs.h"

/* Exit status. */
int command_compare(const args *a, limber_messages *msg);

/* Differences from which on they are explained, parts of the scale of an output. */
#define NOTABLE 0.01

/* ---- differences.c ---- */

/* How far the outputs of a run are from those of the reference. */
typedef struct differences {
    limber_difference *at;
    int n, room, failed;
} differences;

void differences_add(void *list, const limber_difference *d);
/* Over its scale; 0 where both are rounding. */
double difference_part(const limber_difference *d);
/* Number of per cent, with the digits that mean something. */
const char *in_percent(double part, char *text, size_t size);
/* The largest of them, of poles that of the slowest ten; NULL: there are none. */
const limber_difference *differences_worst(const differences *l);
/* The same output of the same analysis; NULL: there is none. */
const limber_difference *differences_find(const differences *l, const limber_difference *like);
/* Of a result file against the reference, in the scale of that. */
limber_status differences_read(const job *reference, const job *other, differences *l,
                               limber_messages *msg);
/* The scales made as large as those of the other file, which are in its differences from itself: the order of the
 * two does not count then, and nothing is measured in what is zero in one of them. */
void differences_enlarge(differences *l, const differences *own);
/* Both. */
limber_status differences_of(const job *reference, const job *other, differences *l,
                             limber_messages *msg);

/* ---- shared.c: what formulations share ---- */

enum { PIECES = 24, FORMULATIONS = 16 };
typedef struct piece {
    char name[48], items[200], check[80];
    int voice[FORMULATIONS], bends;
} piece;
typedef struct pieces {
    piece at[PIECES];
    int n;
} pieces;

void pieces_of(const limber_model *model, pieces *p);
/* The piece in which formulations differ first of all: what bends, else joints; NULL: none. */
const piece *pieces_main(const pieces *p);
const piece *pieces_find(const pieces *p, const char *name); /* NULL */
/* The number of a formulation; -1. */
int formulation_number(const char *name);
/* 1: no two of these runs, of those with results, have code of their own for it. */
int piece_is_shared(const piece *p, const job *jobs, int n);
/* A line: the piece and what would check it. */
void show_piece(FILE *out, const piece *p);
void show_piece_json(FILE *out, const piece *p);
/* What none of the runs checks. */
void show_shared(FILE *out, const pieces *p, const job *jobs, int n);
void show_shared_json(FILE *out, const pieces *p, const job *jobs, int n); /* ", ..." */

/* ---- compare.c ---- */

/* A run with each formulation, and how far they are from each other. */
typedef struct comparison {
    int n, reference;
    job *jobs;
    differences *own;  /* [n] of each run with itself: scales */
    differences *pair; /* [n n] of run k > i with run i, at n i + k; in the larger scale of both */
    pieces pieces;
    const char *asked; /* by the model, or on the command line */
    int insisted;      /* 1: on the command line */
    char why[400];     /* this is the reference */
} comparison;

/* Of two runs; NULL where one has no results. */
const differences *comparison_pair(const comparison *c, int i, int k);
/* The largest of them; 0: none. */
double comparison_distance(const comparison *c, int i, int k);

/* evidence.c: all pairs, and the run that the others point to. 0; -1 after a message. */
int evidence_gather(comparison *c, limber_messages *msg);
void evidence_choose(comparison *c);

/* show_compare.c */
void show_comparison(FILE *out, const comparison *c);
void show_comparison_json(FILE *out, const comparison *c);

/* ---- explain.c: why a run differs from the reference ---- */

typedef struct explanation {
    const limber_difference *worst;
    double expected;                      /* part of its scale that the effects come to; 0: none */
    const limber_effect *effect[EFFECTS]; /* that count, the largest first */
    const job *reference, *of[EFFECTS];   /* which run leaves it out */
    double part[EFFECTS];
    int n, explained; /* 1: they are of the order of the difference */
} explanation;

void explain(const job *reference, const job *other, const differences *l, explanation *x);
/* Text on lines of its own, from a column on. */
void show_wrapped(FILE *out, const char *text, int column, int indent);
/* "NAME: 88 % in twist", and below it the effects. */
void show_explanation(FILE *out, const char *name, const explanation *x);
void show_explanation_json(FILE *out, const explanation *x);

/* refine.c */
int compare_refined(const args *a, const char *folder, limber_messages *msg);

#endif
