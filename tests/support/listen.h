/* What the library says about a run: its warnings and notes. */
#ifndef TESTS_LISTEN_H
#define TESTS_LISTEN_H

#include "support/run_model.h"

enum { SAID = 4000 };

/* Runs a model (`model` or `text`, with `set`, `swap` and `analysis`) and gives the warnings and notes, one after the other; the
 * reason first, where it stopped. */
limber_status run_listen(const run_how *how, char said[SAID]);

/* The number behind some words; fails where they are not there. */
double number_after(const char *said, const char *words);

void assert_says(const char *said, const char *words);

#endif
