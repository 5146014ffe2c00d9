/* Forces on the tips of a kinematic tree, gathered from the tips inwards. */
#include "form/kintree.h"

#include <string.h>

/* A wrench at `at` added to that of a link, which is about the link's origin. */
static void add_wrench(lm_wrench *to, const lm_link_motion *m, lm_v3 at, lm_v3 F, lm_v3 M)
{
    to->F = v3_add(to->F, F);
    to->M = v3_add(to->M, v3_add(M, v3_cross(v3_sub(at, m->x), F)));
}

void lm_kintree_collect(const lm_kintree *t, const lm_tip_motion *tip, const double *f,
                        lm_wrench *sum, double *r)
{
    memset(sum, 0, sizeof *sum * (size_t)t->links.n);
    for (int i = 0; i < t->tips.n; i++) {
        int link = t->tips.at[i].link;
        if (link < 0) continue;
        add_wrench(&sum[link], &t->motion[link], tip[i].x, v3_from(f + 6 * i),
                   v3_from(f + 6 * i + 3));
    }
    for (int i = t->links.n - 1; i >= 0; i--) {
        const lm_link *l = &t->links.at[i];
        const lm_link_motion *m = &t->motion[i];
        lm_v3 w = l->kind == LM_LINK_SLIDE ? sum[i].F : sum[i].M;
        for (int k = 0; k < (l->kind == LM_LINK_BALL ? 3 : 1); k++)
            r[l->u + k] = v3_dot(m->e[k], w);
        if (l->parent >= 0)
            add_wrench(&sum[l->parent], &t->motion[l->parent], m->x, sum[i].F, sum[i].M);
    }
}
