/* Two result files against each other, and the messages in one. */
#include "api/api.h"

#include "io/h5.h"
#include "view/difference.h"

limber_status limber_compare_results(const char *reference, const char *other,
                                     void (*each)(void *context, const limber_difference *d),
                                     void *context, limber_messages *msg)
{
    lm_result a;
    lm_h5 *b = NULL;
    char err[600];
    int bad = lm_result_open(&a, reference, &(lm_result_how){0}, err, sizeof err);
    if (bad) {
        if (bad == 1) lm_error(&msg->diag, (lm_loc){0}, "%s", err);
        return bad == 2 ? LIMBER_MEMORY : LIMBER_IO;
    }
    bad = lm_h5_open(other, LM_H5_READ, &b, err, sizeof err) ? 1 : 0;
    const char *why = err;
    if (!bad) {
        bad = lm_difference(&a, b, each, context);
        why = *lm_h5_error(a.file) ? lm_h5_error(a.file) : lm_h5_error(b);
    }
    if (bad == 1) lm_error(&msg->diag, (lm_loc){0}, "%s", why);
    if (b) lm_h5_close(b);
    lm_result_close(&a);
    return bad == 2 ? LIMBER_MEMORY : bad ? LIMBER_IO : LIMBER_OK;
}

static void add_message(void *context, const lm_message *m) { lm_diag_add_message(context, m); }

limber_status limber_results_messages(const char *results, limber_messages *msg)
{
    lm_h5 *f = NULL;
    char err[600], *text = NULL;
    if (lm_h5_open(results, LM_H5_READ, &f, err, sizeof err)) {
        lm_error(&msg->diag, (lm_loc){0}, "%s", err);
        return LIMBER_IO;
    }
    int missing = lm_h5_read_text(f, LM_RESULT_MESSAGES, &text);
    if (missing < 0) lm_error(&msg->diag, (lm_loc){0}, "%s", lm_h5_error(f));
    if (!missing) lm_diag_parse(text, add_message, &msg->diag);
    lm_free(text);
    lm_h5_close(f);
    return missing < 0 ? LIMBER_IO : msg->diag.out_of_memory ? LIMBER_MEMORY : LIMBER_OK;
}
