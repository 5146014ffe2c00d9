#include "support/plant.h"

#include <string.h>

double draw(void) { return 2.0 * rand() / RAND_MAX - 1; }
lm_v3 draw3(void) { return v3(draw(), draw(), draw()); }
lm_m3 draw_axes(void) { return lm_rot_axis_angle(draw3(), 3 * draw()); }

/* A positive definite inertia that a real body could have. */
lm_tree_body draw_body(int link)
{
    double a = 0.1 + fabs(draw()), b = 0.1 + fabs(draw()), c = 0.1 + fabs(draw());
    lm_m3 J = {{b + c, 0, 0, 0, a + c, 0, 0, 0, a + b}};
    return (lm_tree_body){link, draw3(), draw_axes(), 0.5 + fabs(draw()), J};
}

int add_link(plant *a, lm_link_kind kind, int parent, int massive)
{
    int straight = rand() % 3 == 0;
    int i = lm_kintree_link(&a->t, kind, parent, draw3(), straight ? m3_identity() : draw_axes(),
                            v3_unit(draw3()));
    if (massive) a->body[a->bodies++] = draw_body(i);
    return i;
}

/* Three slides and a ball, of which only the last has mass. */
static int add_free(plant *a, int parent)
{
    for (int k = 0; k < 3; k++) {
        lm_v3 axis = v3(k == 0, k == 1, k == 2);
        parent = lm_kintree_link(&a->t, LM_LINK_SLIDE, parent, v3(0, 0, 0), m3_identity(), axis);
    }
    return add_link(a, LM_LINK_BALL, parent, 1);
}

void grown(plant *a)
{
    for (int k = 0; k < a->bodies; k++)
        lm_kintree_tip(&a->t, a->body[k].link, a->body[k].r, a->body[k].E);
    assert_int_equal(lm_kintree_finish(&a->t), 0);
    a->r = lm_recursive_new(&a->arena, &a->t, a->body, a->bodies);
    assert_non_null(a->r);
    assert_in_range(a->t.nu, 1, MOST);
}

void sow(plant *a)
{
    memset(a, 0, sizeof *a);
    a->t.arena = &a->arena;
}

/* Chains (`bushy` 0) or branches; every third turn or slide is without mass, and what hangs on it has
 * some: two links in a row at most are without. */
void grow(plant *a, int links, int bushy)
{
    sow(a);
    while (a->t.links.n < links) {
        int n = a->t.links.n, parent = bushy && n > 1 ? rand() % n : n - 1;
        if (rand() % 6 == 0)
            add_free(a, parent);
        else {
            lm_link_kind kind = (lm_link_kind)(rand() % 3);
            if (kind != LM_LINK_BALL && rand() % 3 == 0)
                parent = add_link(a, rand() % 2 ? LM_LINK_TURN : LM_LINK_SLIDE, parent, 0);
            add_link(a, kind, parent, 1);
        }
    }
    a->body[a->bodies++] = draw_body(rand() % a->t.links.n); /* a second one somewhere */
    a->body[a->bodies++] = draw_body(-1);
    grown(a);
}

void fell(plant *a) { lm_arena_free(&a->arena); }

void draw_state(const plant *a, state *s)
{
    memset(s, 0, sizeof *s);
    for (int i = 0; i < a->t.links.n; i++) {
        const lm_link *l = &a->t.links.at[i];
        if (l->kind == LM_LINK_BALL)
            quat_put(s->p + l->p, lm_quat_exp(draw3()));
        else
            s->p[l->p] = 2 * draw();
    }
    for (int k = 0; k < a->t.nu; k++) s->du[k] = 2 * draw(), s->tau[k] = 5 * draw();
    for (int k = 0; k < 6 * a->bodies; k++) s->f[k] = 5 * draw();
    s->g = v3_mul(9, draw3());
}

lm_tree_load load_of(const state *s) { return (lm_tree_load){s->tau, s->f, s->g, NULL}; }

double most(const double *a, int n)
{
    double m = 0;
    for (int k = 0; k < n; k++) m = fmax(m, fabs(a[k]));
    return m;
}

void near_all(const double *a, const double *b, int n, double relative)
{
    double size = fmax(most(a, n), most(b, n));
    for (int k = 0; k < n; k++) assert_near(a[k], b[k], relative * size);
}

lm_tree_load draw_and_move(plant *a, state *s)
{
    draw_state(a, s);
    lm_recursive_move(a->r, s->p, s->du);
    return load_of(s);
}
