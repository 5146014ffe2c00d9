/* Blocks of controllers: each becomes a variable, or a few of them, with an equation. */
#include "model/reader.h"

int lm_new_variable(lm_reader *r, const char *name, lm_loc loc, lm_variable_kind kind)
{
    lm_spec_variable v = {.name = name, .loc = loc, .kind = kind};
    lm_expr_constant(&v.expr, 0);
    *LM_PUSH(r->arena, &r->spec->variables) = v;
    return r->spec->variables.n - 1;
}

static int read_block(lm_reader *r, const lm_entry *entry, void *item)
{
    lm_spec_block *b = item;
    uint64_t given;
    b->variable = b->state = -1;
    int rc = lm_read_object(r, LM_OBJECT_BLOCK, entry->value, b, &given);
    const char *why = lm_name_taken(r, entry->name);
    if (!why && lm_names_find(&r->states.names, entry->name) >= 0) why = "is also a state";
    if (why) {
        lm_error(r->diag, entry->key->loc, "a block cannot be called '%s': that name %s",
                 entry->name, why);
        return -1;
    }
    if (rc) return rc;
    lm_variable_kind kind = b->type == LM_BLOCK_INTEGRATOR ? LM_VARIABLE_STATE : LM_VARIABLE_VALUE;
    b->variable = lm_new_variable(r, entry->name, entry->key->loc, kind);
    r->spec->variables.at[b->variable].initial = b->initial;
    return 0;
}

void lm_read_blocks(lm_reader *r) { LM_READ_TABLE(r, &r->blocks, &r->spec->blocks, read_block); }

static int read_signal(lm_reader *r, const lm_entry *entry, const char *key, lm_expr *out)
{
    const lm_yaml *node = lm_yaml_get(entry->value, key, NULL);
    if (!node) return 0;
    r->key = key;
    int rc = lm_read_expr(r, node, LM_SCOPE_SENSORS, out);
    r->key = NULL;
    return rc;
}

void lm_read_signals(lm_reader *r)
{
    lm_where where;
    for (int i = 0; i < r->blocks.entries.n; i++) {
        const lm_entry *entry = &r->blocks.entries.at[i];
        lm_spec_block *b = &r->spec->blocks.at[i];
        if (b->item.bad || lm_enter(r, &r->blocks, entry, &where)) continue;
        const char *key = b->type == LM_BLOCK_SIGNAL ? "value" : "input";
        lm_expr e;
        int rc = read_signal(r, entry, key, &e);
        if (!rc) r->spec->variables.at[b->variable].expr = e;
        b->item.bad = lm_leave(r, entry, rc);
    }
}
