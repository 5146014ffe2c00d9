/* Command-line arguments from one table: parsing and help together. */
#ifndef LIMBER_CLI_ARGS_H
#define LIMBER_CLI_ARGS_H

#include <stdio.h>

/* Exit statuses, as the help tells them. */
enum { EXIT_STOPPED = 1, EXIT_INPUT = 2, EXIT_INTERRUPTED = 130 };

enum { ARGS_SETS = 64, ARGS_FILES = 64 };

typedef struct args {
    const char *command;
    const char *file;              /* model or result file, or the name of a new one */
    const char *files[ARGS_FILES]; /* all of them, for a command that takes several */
    int nfiles;
    const char *formulation, *results, *csv, *vtk, *matrices, *report, *template;
    const char *set[ARGS_SETS];
    int nset;
    double until;
    int threads;
    int resume, quiet, json, profile, markdown, help, allow_outside, refine;
    char settings[8192]; /* what changes the results, as text */
} args;

/* 0; -1 after a message on stderr. */
int args_parse(int argc, char **argv, args *a);
void args_help(FILE *out, const char *command); /* NULL: of all commands */

/* models/crank.yaml -> crank.h5, in the current folder */
void args_default_name(const char *file, const char *ending, char *path, size_t size);

#endif
