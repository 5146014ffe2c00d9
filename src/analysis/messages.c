/* Messages are part of the results: the file keeps them, and a run that is resumed goes on with them. */
#include "analysis/run.h"

#include <string.h>

limber_status lm_record_messages(lm_run *run)
{
    lm_arena arena = {0};
    if (run->diag->out_of_memory) return LIMBER_MEMORY; /* one has been lost */
    if (!run->file || run->kept == run->diag->changes + 1) return LIMBER_OK;
    const char *loaded = run->loaded ? lm_diag_text(run->loaded, 0, &arena) : "";
    const char *said = lm_diag_text(run->diag, run->said, &arena);
    const char *all = loaded && said ? lm_arena_printf(&arena, "%s%s", loaded, said) : NULL;
    int bad = all && *all ? lm_h5_write_text(run->file, LM_RESULT_MESSAGES, all) : 0;
    limber_status st = !all ? LIMBER_MEMORY : bad ? lm_record_failed(run) : LIMBER_OK;
    lm_arena_free(&arena);
    run->kept = run->diag->changes + 1;
    return st;
}

static int is_there(const lm_diag *d, int first, const lm_message *m)
{
    for (int i = first; i < d->list.n; i++) {
        const lm_message *old = &d->list.at[i];
        if (old->severity == m->severity && old->loc.line == m->loc.line &&
            old->loc.col == m->loc.col && strcmp(old->analysis, m->analysis) == 0 &&
            strcmp(old->text, m->text) == 0 && !old->restored)
            return 1;
    }
    return 0;
}

static void restore(void *context, const lm_message *m)
{
    const lm_run *run = context;
    lm_message old = *m;
    old.restored = 1;
    if (m->severity == LM_ERROR || is_there(run->diag, run->said, m)) return;
    if (!run->loaded || !is_there(run->loaded, 0, m)) lm_diag_add_message(run->diag, &old);
}

limber_status lm_restore_messages(lm_run *run)
{
    char *text = NULL;
    int missing = lm_h5_read_text(run->file, LM_RESULT_MESSAGES, &text);
    if (missing < 0) return lm_record_failed(run);
    if (!missing) lm_diag_parse(text, restore, run);
    lm_free(text);
    return run->diag->out_of_memory ? LIMBER_MEMORY : LIMBER_OK;
}
