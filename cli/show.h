/* What the program prints. */
#ifndef LIMBER_CLI_SHOW_H
#define LIMBER_CLI_SHOW_H

#include <limber/limber.h>

/* The modes of the last analysis, as the library tells them. */
typedef struct mode_list {
    limber_mode *at;
    int n, room, failed;
} mode_list;

void modes_add(void *list, const limber_mode *mode);
void show_modes(FILE *out, const limber_summary *s, const mode_list *modes, const char *results);
void show_modes_json(FILE *out, const limber_summary *s, const mode_list *modes); /* ", ..." */
/* The same of a linearised model and its poles. */
void show_linearized(FILE *out, const limber_summary *s, const mode_list *poles,
                     const char *results);
void show_linearized_json(FILE *out, const limber_summary *s, const mode_list *poles);

void show_progress(const limber_progress *p); /* one line on stderr, rewritten */
void show_progress_end(void);
void show_summary(FILE *out, const limber_summary *s, const char *results);
void show_summary_json(FILE *out, const limber_summary *s, const char *results,
                       const mode_list *modes, const mode_list *poles);
void show_reason(FILE *out, const limber_summary *s, const char *results);
void show_profile(FILE *out, const limber_summary *s);
void show_check(FILE *out, const limber_model *m, const limber_check_info *info, limber_status st);
void json_number(FILE *out, const char *name, double x); /* , "name": x */
void json_text(FILE *out, const char *text);             /* quoted */
void show_check_json(FILE *out, const limber_check_info *info, limber_status st);

#endif
