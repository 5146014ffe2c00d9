/* The complex system of the method as a real one. With x = u + i w, (R + i S) x = b is
 *     [ R  -S ] [ u ]   [ Re b ]
 *     [ S   R ] [ w ] = [ Im b ]
 * and with u_i, w_i side by side it has the pattern of R with every entry a 2x2 block, and its
 * groups: the solvers of linear.h serve it as they are. S has no entries in the constraints. */
#include "solve/radau.h"

/* Entries of the motions have both parts, those of the constraints a real one only. */
static int is_complex(const lm_system *sys, int r, int c) { return r < sys->nv && c < sys->nv; }

static int make_pattern(radau_pair *p, const lm_system *sys)
{
    const lm_pattern *one = &sys->pattern;
    lm_pattern_builder b = {.arena = &p->arena};
    for (int c = 0; c < one->n; c++)
        for (int k = one->colptr[c]; k < one->colptr[c + 1]; k++) {
            int r = one->rowind[k];
            lm_pattern_add(&b, 2 * r, 2 * c);
            lm_pattern_add(&b, 2 * r + 1, 2 * c + 1);
            if (!is_complex(sys, r, c)) continue;
            lm_pattern_add(&b, 2 * r, 2 * c + 1);
            lm_pattern_add(&b, 2 * r + 1, 2 * c);
        }
    return lm_pattern_make(&b, &p->arena, 2 * one->n, &p->pattern);
}

static int find_places(radau_pair *p, const lm_system *sys)
{
    const lm_pattern *one = &sys->pattern, *two = &p->pattern;
    p->place = lm_arena_alloc(&p->arena, sizeof *p->place * (size_t)one->nnz);
    if (!p->place) return -1;
    for (int c = 0; c < one->n; c++)
        for (int k = one->colptr[c]; k < one->colptr[c + 1]; k++) {
            int r = one->rowind[k], both = is_complex(sys, r, c);
            p->place[k][0] = lm_pattern_find(two, 2 * r, 2 * c);
            p->place[k][1] = lm_pattern_find(two, 2 * r + 1, 2 * c + 1);
            p->place[k][2] = both ? lm_pattern_find(two, 2 * r, 2 * c + 1) : -1;
            p->place[k][3] = both ? lm_pattern_find(two, 2 * r + 1, 2 * c) : -1;
        }
    return 0;
}

static int make_groups(radau_pair *p, const lm_system *sys)
{
    p->groups = sys->groups;
    if (sys->groups.n == 0) return 0;
    p->groups.of = LM_NEW_N(&p->arena, int, p->pattern.n);
    if (!p->groups.of) return -1;
    for (int i = 0; i < p->pattern.n; i++) p->groups.of[i] = sys->groups.of[i / 2];
    return 0;
}

int radau_pair_init(radau_pair *p, const lm_system *sys)
{
    if (make_pattern(p, sys) || find_places(p, sys) || make_groups(p, sys)) return -1;
    p->lin = lm_linear_create_for(sys, &p->pattern, &p->groups);
    return p->lin ? 0 : -1;
}

void radau_pair_free(radau_pair *p)
{
    lm_linear_destroy(p->lin);
    lm_arena_free(&p->arena);
}
