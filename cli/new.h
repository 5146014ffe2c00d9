/* limber new: a model file to start from. */
#ifndef LIMBER_CLI_NEW_H
#define LIMBER_CLI_NEW_H

#include "args.h"

/* 0; -1 after a message on stderr. */
int new_model(const args *a);

#endif
