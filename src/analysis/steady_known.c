/* Steady rotation of a system whose companion turns steadily before it. */
#include "analysis/steady.h"

#include "solve/integrator.h"

struct lm_steady_known {
    lm_motion base;
    lm_steady rigid;
    lm_motion *before; /* the motion of the system when it does not turn steadily */
};

static int state_at(lm_motion *m, double t, lm_state *s)
{
    *s = lm_steady_state(&((lm_steady_known *)m)->rigid);
    s->t = t;
    return 0;
}

static void leave(lm_motion *m) { (void)m; }

/* Positions of the companion at the start. */
static limber_status start(lm_system *sys, double *q, double *v)
{
    lm_system *c = sys->companion;
    lm_state s = {.q = q};
    int bad = sys->motion ? sys->motion->at(sys->motion, 0, &s) : c->form->initial(c, q, v);
    if (bad) return bad < 0 ? LIMBER_MEMORY : LIMBER_STOPPED;
    if (s.q != q) lm_copy(q, s.q, c->nq);
    return c->form->select_rows(c, 0, q, 0) < 0 ? LIMBER_MEMORY : LIMBER_OK;
}

limber_status lm_steady_known_begin(lm_steady *s)
{
    lm_system *sys = s->sys, *c = sys->companion;
    if (!c) return LIMBER_OK;
    double *q = LM_NEW_N(&s->arena, double, c->nq + c->nv + 1);
    lm_steady_known *k = LM_NEW(&s->arena, lm_steady_known);
    if (!q || !k) return LIMBER_MEMORY;
    limber_status st = start(sys, q, q + c->nq);
    if (st) return st;
    *k = (lm_steady_known){.base = {.at = state_at, .destroy = leave}, .before = sys->motion};
    k->base.version = (sys->motion ? sys->motion->version : 0) + 1;
    s->known = k;
    st = lm_steady_begin(&k->rigid, c, s->joint, q);
    if (!st) st = lm_steady_find(&k->rigid, 0);
    sys->motion = &k->base;
    return st;
}

limber_status lm_steady_known_find(lm_steady *s)
{
    if (!s->known) return LIMBER_OK;
    limber_status st = lm_steady_find(&s->known->rigid, s->speed);
    s->known->base.version++;
    return st;
}

limber_status lm_steady_known_turn(lm_steady *s, double angle)
{
    if (!s->known) return LIMBER_OK;
    s->known->base.version++;
    return lm_steady_turn(&s->known->rigid, angle);
}

const char *lm_steady_known_failure(const lm_steady *s)
{
    return s->known ? s->known->rigid.failure.text : "";
}

void lm_steady_known_free(lm_steady *s)
{
    lm_steady_known *k = s->known;
    if (!k) return;
    lm_steady_free(&k->rigid);
    if (s->sys->motion != &k->base) return;
    s->sys->motion = k->before;
    if (k->before) k->before->version = k->base.version + 1;
}
