/* States and surfaces: what changes after a step and not within it. */
#include "model/reader.h"

#include <math.h>
#include <string.h>

enum {
    CELLS_MOST = 10000000,  /* of all surfaces */
    SAMPLES_MOST = 10000000 /* of a state in one analysis: steps end at each */
};

const char *lm_name_taken(const lm_reader *r, const char *name)
{
    if (lm_names_find(&r->param_names, name) >= 0) return "is also a parameter";
    if (lm_names_find(&r->coordinates.names, name) >= 0) return "is also a coordinate";
    if (lm_is_builtin(name)) return "has a meaning in expressions";
    if (strcmp(name, "dt") == 0) return "is the time since the last update there";
    return NULL;
}

static int read_state(lm_reader *r, const lm_named *entry, void *item)
{
    lm_spec_state *s = item;
    uint64_t given;
    int rc = lm_read_object(r, LM_OBJECT_STATE, entry->value, s, &given);
    const char *why = lm_name_taken(r, entry->name);
    s->has_update = lm_read_given(LM_OBJECT_STATE, given, "update", -1);
    if (why) {
        lm_error(r->diag, entry->key->loc, "a state cannot be called '%s': that name %s",
                 entry->name, why);
        return -1;
    }
    if (rc || s->has_update || !lm_read_given(LM_OBJECT_STATE, given, "every", -1)) return rc;
    lm_error(r->diag, r->where->loc, "%s has 'every' and no 'update'", lm_where_text(r));
    return -1;
}

/* The heights of all surfaces lie below slot 0, those of the first one nearest to it. */
static int make_grid(lm_reader *r, lm_spec_surface *s)
{
    if (!(s->to > s->from)) {
        lm_error(r->diag, r->where->loc, "%s must have 'to' greater than 'from'; found %s and %s",
                 lm_where_text(r), lm_number_text(r, s->from), lm_number_text(r, s->to));
        return -1;
    }
    if (s->cells > CELLS_MOST - r->spec->cells) {
        lm_error(r->diag, r->where->loc, "the surfaces have more than %d cells in all", CELLS_MOST);
        return -1;
    }
    r->spec->cells += s->cells;
    s->grid = (lm_grid){.from = s->from,
                        .to = s->to,
                        .width = (s->to - s->from) / (s->periodic ? s->cells : s->cells - 1),
                        .cells = s->cells,
                        .periodic = s->periodic,
                        .first = -r->spec->cells};
    return 0;
}

static int read_surface(lm_reader *r, const lm_named *entry, void *item)
{
    lm_spec_surface *s = item;
    uint64_t given;
    lm_expr_constant(&s->height, 0);
    if (lm_read_object(r, LM_OBJECT_SURFACE, entry->value, s, &given)) return -1;
    return make_grid(r, s);
}

void lm_read_states(lm_reader *r)
{
    LM_READ_TABLE(r, &r->states, &r->spec->states, read_state);
    LM_READ_TABLE(r, &r->surfaces, &r->spec->surfaces, read_surface);
}

/* --- expressions, when all joints and bodies are known --- */

static int read_update(lm_reader *r, const lm_named *entry, const char *key, lm_expr *out)
{
    const lm_yaml *node = lm_yaml_get(entry->value, key, NULL);
    if (!node) return 0;
    r->key = key;
    int rc = lm_read_expr(r, node, LM_SCOPE_UPDATE, out);
    r->key = NULL;
    return rc;
}

void lm_read_updates(lm_reader *r)
{
    lm_where where;
    for (int i = 0; i < r->states.entries.n; i++) {
        const lm_named *entry = &r->states.entries.at[i];
        lm_spec_state *s = &r->spec->states.at[i];
        if (s->item.bad || lm_enter(r, &r->states, entry, &where)) continue;
        s->item.bad = lm_leave(r, entry, read_update(r, entry, "update", &s->update));
    }
    for (int i = 0; i < r->surfaces.entries.n; i++) {
        const lm_named *entry = &r->surfaces.entries.at[i];
        lm_spec_surface *s = &r->spec->surfaces.at[i];
        if (s->item.bad || lm_enter(r, &r->surfaces, entry, &where)) continue;
        int rc = read_update(r, entry, "at", &s->at);
        if (read_update(r, entry, "left", &s->left)) rc = -1;
        s->item.bad = lm_leave(r, entry, rc);
    }
}

void lm_check_samples(lm_reader *r)
{
    const lm_spec *spec = r->spec;
    double until = 0;
    for (int i = 0; i < spec->analyses.n; i++)
        if (spec->analyses.at[i].type == LM_ANALYSIS_DYNAMICS)
            until = fmax(until, spec->analyses.at[i].until);
    for (int i = 0; i < spec->states.n; i++) { /* those of blocks come behind those of the file */
        const lm_spec_state *s = &spec->states.at[i];
        int own = i < r->states.entries.n;
        const lm_yaml *node =
            own ? lm_yaml_get(r->states.entries.at[i].value, "every", NULL) : NULL;
        if (s->item.bad || s->every == 0 || until / s->every <= SAMPLES_MOST) continue;
        lm_error(r->diag, node ? node->loc : s->item.loc,
                 "'every' in %s '%s' is %s, which makes %.3g updates until t = %s; at most %d are "
                 "possible",
                 own ? "state" : "block", s->item.name, lm_number_text(r, s->every),
                 until / s->every, lm_number_text(r, until), SAMPLES_MOST);
    }
}
