/* Two result files against each other. */
#include "api/api.h"

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
