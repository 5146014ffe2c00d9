/* What the program prints. */
#ifndef LIMBER_CLI_SHOW_H
#define LIMBER_CLI_SHOW_H

#include <limber/limber.h>

void show_progress(const limber_progress *p); /* one line on stderr, rewritten */
void show_progress_end(void);
void show_summary(FILE *out, const limber_summary *s, const char *results); /* out NULL: quiet */
void show_summary_json(FILE *out, const limber_summary *s, const char *results);
void show_reason(FILE *out, const limber_summary *s, const char *results);
void show_profile(FILE *out, const limber_summary *s);
void show_check(FILE *out, const limber_model *m, const limber_check_info *info, limber_status st);
void show_check_json(FILE *out, const limber_check_info *info, limber_status st);

#endif
