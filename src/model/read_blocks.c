/* Blocks of controllers: their names. Each becomes variables with an equation each, states that are
 * updated, or a delay; what they are for which type stands in docs/theory/blocks.md. */
#include "model/blocks.h"

#include <string.h>

int lm_block_slot(lm_reader *r, int i)
{
    const lm_spec_block *b = &r->spec->blocks.at[i];
    if (b->variable >= 0) return lm_sensor_variable(r, b->variable, 0);
    if (b->state >= 0) return lm_sensor_state(r, b->state);
    return b->delay >= 0 ? lm_sensor_delay(r, b->delay) : -1;
}

/* --- what the file says --- */

static const char *name_taken(const lm_reader *r, const char *name)
{
    const char *why = lm_name_taken(r, name);
    if (why) return why;
    if (lm_names_find(&r->states.names, name) >= 0) return "is also a state";
    return lm_sensor_is(name) ? "is also a sensor" : NULL;
}

static int read_block(lm_reader *r, const lm_named *entry, void *item)
{
    lm_spec_block *b = item;
    uint64_t given;
    b->variable = b->state = b->delay = -1;
    int rc = lm_read_object(r, LM_OBJECT_BLOCK, entry->value, b, &given);
    const char *why = name_taken(r, entry->name);
    if (why) {
        lm_error(r->diag, entry->key->loc, "a block cannot be called '%s': that name %s",
                 entry->name, why);
        return -1;
    }
    return rc ? rc : lm_block_check(r, entry, b, given);
}

/* --- names of its parts --- */

typedef struct maker {
    lm_reader *r;
    const lm_named *entry;
    lm_spec_block b; /* the vector of blocks grows meanwhile */
    int rc;
} maker;

static const char *part_name(maker *m, const char *part)
{
    if (!part) return m->entry->name;
    return lm_arena_printf(m->r->arena, "%s.%s", m->entry->name, part);
}

/* `part` NULL: the block itself. Parts have names like blocks of the file. */
static void add_part(maker *m, const char *part, const char *name, lm_spec_block gives)
{
    lm_reader *r = m->r;
    int old = 0;
    if (!part) {
        m->b.variable = gives.variable, m->b.state = gives.state, m->b.delay = gives.delay;
        return;
    }
    lm_names_add(r->arena, &r->blocks.names, name, &old);
    if (old) {
        lm_error(r->diag, m->entry->key->loc,
                 "block '%s' has a part '%s', and there is another block of that name",
                 m->entry->name, name);
        m->rc = -1;
        return;
    }
    gives.item = (lm_spec_item){name, m->entry->key->loc, 0};
    *LM_PUSH(r->arena, &r->spec->blocks) = gives;
}

static void add_variable(maker *m, const char *part, lm_variable_kind kind, double initial)
{
    const char *name = part_name(m, part);
    int k = lm_new_variable(m->r, name, m->entry->key->loc, kind);
    m->r->spec->variables.at[k].initial = initial;
    add_part(m, part, name, (lm_spec_block){.variable = k, .state = -1, .delay = -1});
}

static void add_value(maker *m, const char *part) { add_variable(m, part, LM_VARIABLE_VALUE, 0); }

/* A discrete state that is also updated at the start of a run. */
static void add_state(maker *m, const char *part, double value)
{
    const char *name = part_name(m, part);
    lm_spec_state s = {.item = {name, m->entry->key->loc, 0},
                       .value = value,
                       .every = m->b.every,
                       .has_update = 1,
                       .at_start = 1};
    lm_expr_constant(&s.update, value);
    *LM_PUSH(m->r->arena, &m->r->spec->states) = s;
    add_part(m, part, name,
             (lm_spec_block){.variable = -1, .state = m->r->spec->states.n - 1, .delay = -1});
}

/* x1, x2, ... */
static void add_numbered(maker *m, const char *letter, lm_variable_kind kind, int n,
                         const double *initial)
{
    for (int i = 0; i < n; i++)
        add_variable(m, lm_arena_printf(&m->r->scratch, "%s%d", letter, i + 1), kind,
                     initial ? initial[i] : 0);
}

static void add_pid(maker *m)
{
    const lm_spec_block *b = &m->b;
    int sampled = lm_block_sampled(b), limited = lm_block_limited(b);
    add_value(m, "input");
    if (b->has_rate) add_value(m, "rate");
    if (sampled) {
        if (b->ki != 0) add_state(m, "integral", b->initial);
        if (b->kd != 0) add_state(m, "derivative", 0);
        if (b->kd != 0 && !b->has_rate) add_state(m, "error", 0);
        if (limited) add_state(m, "unlimited", b->initial);
        add_state(m, NULL, b->initial);
        return;
    }
    if (b->ki != 0) add_variable(m, "integral", LM_VARIABLE_STATE, b->initial);
    if (b->kd != 0 && b->filter > 0) add_variable(m, "filtered", LM_VARIABLE_STATE, 0);
    if (b->kd != 0) add_value(m, "derivative");
    if (limited) add_value(m, "unlimited");
    add_value(m, NULL);
}

static void add_state_space(maker *m)
{
    const lm_spec_block *b = &m->b;
    add_numbered(m, "u", LM_VARIABLE_VALUE, b->ninputs, NULL);
    add_numbered(m, "x", LM_VARIABLE_STATE, b->a.rows, b->start.at);
    add_numbered(m, "y", LM_VARIABLE_VALUE, b->c.rows, NULL);
    if (b->c.rows == 1) m->b.variable = m->r->spec->variables.n - 1;
}

static void add_delay(maker *m)
{
    const lm_spec_block *b = &m->b;
    lm_spec_delay d = {.item = {m->entry->name, m->entry->key->loc, 0},
                       .time = b->time,
                       .samples = b->samples,
                       .has_initial = b->has_initial,
                       .initial = b->initial};
    lm_expr_constant(&d.input, 0);
    *LM_PUSH(m->r->arena, &m->r->spec->delays) = d;
    m->b.delay = m->r->spec->delays.n - 1;
}

static void add_parts(maker *m)
{
    const lm_spec_block *b = &m->b;
    switch (b->type) {
    case LM_BLOCK_SIGNAL: add_value(m, NULL); return;
    case LM_BLOCK_SAMPLED: add_state(m, NULL, b->initial); return;
    case LM_BLOCK_DELAY: add_delay(m); return;
    case LM_BLOCK_STATE_SPACE: add_state_space(m); return;
    case LM_BLOCK_PID: add_pid(m); return;
    case LM_BLOCK_INTEGRATOR:
        if (lm_block_limited(b)) add_value(m, "input");
        add_variable(m, NULL, LM_VARIABLE_STATE, b->initial);
        return;
    case LM_BLOCK_FILTER:
        add_value(m, "input");
        add_variable(m, NULL, LM_VARIABLE_STATE, b->initial);
        if (b->order == 2) add_variable(m, "x2", LM_VARIABLE_STATE, 0);
        return;
    case LM_BLOCK_TRANSFER_FUNCTION:
        add_value(m, "input");
        add_numbered(m, "x", LM_VARIABLE_STATE, lm_block_order(b), NULL);
        add_value(m, NULL);
        return;
    case LM_BLOCK_SWITCH: add_state(m, NULL, b->values.at[b->initial > 0]); return;
    case LM_BLOCK_GAIN:
    case LM_BLOCK_LOOKUP:
        add_value(m, "input");
        add_value(m, NULL);
        return;
    }
}

void lm_read_blocks(lm_reader *r)
{
    lm_where where;
    LM_READ_TABLE(r, &r->blocks, &r->spec->blocks, read_block);
    for (int i = 0; i < r->blocks.entries.n; i++) {
        maker m = {.r = r, .entry = &r->blocks.entries.at[i], .b = r->spec->blocks.at[i]};
        if (m.b.item.bad || lm_enter(r, &r->blocks, m.entry, &where)) continue;
        add_parts(&m);
        m.b.item.bad = lm_leave(r, m.entry, m.rc);
        r->spec->blocks.at[i] = m.b;
    }
}

void lm_read_signals(lm_reader *r)
{
    lm_where where;
    for (int i = 0; i < r->blocks.entries.n; i++) {
        const lm_named *entry = &r->blocks.entries.at[i];
        if (r->spec->blocks.at[i].item.bad || lm_enter(r, &r->blocks, entry, &where)) continue;
        int rc = lm_block_equations(r, entry, i);
        r->spec->blocks.at[i].item.bad = lm_leave(r, entry, rc);
    }
}
