/* Numbers of blocks: lists and matrices, what must fit together, and defaults by other numbers. */
#include "model/blocks.h"

#include <math.h>

/* --- lists and matrices --- */

static int numbers(lm_reader *r, const lm_yaml *list, double *out)
{
    int rc = 0;
    for (int i = 0; i < list->n; i++)
        if (lm_read_number(r, list->items[i], &out[i])) rc = -1;
    return rc;
}

int lm_kind_numbers(lm_reader *r, const lm_key *key, const lm_yaml *node, void *base)
{
    lm_spec_matrix *m = (lm_spec_matrix *)(void *)((char *)base + key->offset);
    if (lm_read_want(r, node, LM_YAML_LIST, "a list of numbers")) return -1;
    *m = (lm_spec_matrix){1, node->n, LM_NEW_N(r->arena, double, node->n + 1)};
    return numbers(r, node, m->at);
}

int lm_kind_matrix(lm_reader *r, const lm_key *key, const lm_yaml *node, void *base)
{
    static const char *const what = "a list of rows [[a, b, ...], ...]";
    lm_spec_matrix *m = (lm_spec_matrix *)(void *)((char *)base + key->offset);
    int rc = 0;
    if (lm_read_want(r, node, LM_YAML_LIST, what)) return -1;
    for (int i = 0; i < node->n; i++) {
        const lm_yaml *row = node->items[i];
        if (row->kind != LM_YAML_LIST || row->bad) return lm_read_want(r, row, LM_YAML_LIST, what);
        if (row->n == node->items[0]->n) continue;
        lm_error(r->diag, row->loc,
                 "%s has rows of different lengths: row 1 has %d numbers, "
                 "row %d has %d",
                 lm_subject(r), node->items[0]->n, i + 1, row->n);
        return -1;
    }
    *m = (lm_spec_matrix){node->n, node->n ? node->items[0]->n : 0, NULL};
    m->at = LM_NEW_N(r->arena, double, m->rows * m->cols + 1);
    for (int i = 0; i < m->rows; i++)
        if (numbers(r, node->items[i], m->at + i * m->cols)) rc = -1;
    return rc;
}

/* --- what must fit together --- */

typedef struct checker {
    lm_reader *r;
    const lm_named *entry;
    lm_spec_block *b;
    uint64_t given;
} checker;

static int given(const checker *c, const char *key)
{
    return lm_read_given(LM_OBJECT_BLOCK, c->given, key, (int)c->b->type);
}

/* Where a key stands, or the block. */
static lm_loc place(const checker *c, const char *key)
{
    const lm_yaml *node = lm_yaml_get(c->entry->value, key, NULL);
    return node ? node->loc : c->entry->key->loc;
}

static const char *subject(const checker *c, const char *key)
{
    c->r->key = key;
    const char *text = lm_subject(c->r);
    c->r->key = NULL;
    return text;
}

static int says(const checker *c, const char *key, const char *what)
{
    lm_error(c->r->diag, place(c, key), "%s %s", subject(c, key), what);
    return -1;
}

static int needs(const checker *c, const char *key, const char *why)
{
    lm_error(c->r->diag, c->entry->key->loc, "%s needs '%s' %s", lm_where_text(c->r), key, why);
    return -1;
}

static const char *number_text(const checker *c, double value)
{
    return lm_number_text(c->r, value);
}

static int pair(const checker *c, const char *key, const lm_spec_matrix *m, const char *what)
{
    if (m->cols == 2) return 0;
    return says(c, key,
                lm_arena_printf(&c->r->scratch, "must be %s, found a list of %d", what, m->cols));
}

static int check_limits(const checker *c)
{
    const lm_spec_matrix *m = &c->b->limits;
    if (!given(c, "limits")) return 0;
    if (pair(c, "limits", m, "[low, high]")) return -1;
    if (m->at[0] < m->at[1]) return 0;
    return says(c, "limits",
                lm_arena_printf(&c->r->scratch,
                                "is [low, high]; low is %s and must be less than high, %s",
                                number_text(c, m->at[0]), number_text(c, m->at[1])));
}

static int check_integrator(const checker *c)
{
    const lm_spec_block *b = c->b;
    if (check_limits(c)) return -1;
    if (!lm_block_limited(b)) return 0;
    if (b->initial >= b->limits.at[0] && b->initial <= b->limits.at[1]) return 0;
    return says(
        c, "initial",
        lm_arena_printf(&c->r->scratch, "is %s, outside 'limits'", number_text(c, b->initial)));
}

/* --- pid --- */

static int check_filter(const checker *c)
{
    lm_spec_block *b = c->b;
    if (b->kd == 0 && given(c, "filter")) return says(c, "filter", "has no meaning without 'kd'");
    if (!given(c, "kd") && b->has_rate) return says(c, "rate", "has no meaning without 'kd'");
    if (b->kd == 0 || b->has_rate) return 0;
    if (!given(c, "filter")) {
        if (b->kd / b->kp > 0 && isfinite(b->kd / b->kp))
            b->filter = 0.1 * b->kd / b->kp;
        else
            return needs(c, "filter",
                         "(time constant of the derivative): its default, kd/kp/10, is none here");
    }
    if (b->filter > 0 || lm_block_sampled(b)) return 0;
    return says(c, "filter",
                "is 0; it must be greater than 0: a signal has no derivative in "
                "continuous time without a low pass (or give 'rate')");
}

static int check_windup(const checker *c)
{
    lm_spec_block *b = c->b;
    if (given(c, "anti_windup") && !lm_block_limited(b))
        return says(c, "anti_windup", "has no meaning without 'limits'");
    if (given(c, "anti_windup") && b->ki == 0)
        return says(c, "anti_windup", "has no meaning without 'ki'");
    if (given(c, "anti_windup") || !lm_block_limited(b) || b->ki == 0) return 0;
    double Ti = b->kp / b->ki, TiTd = b->kd / b->ki;
    if (b->kd != 0 && TiTd > 0)
        b->anti_windup = sqrt(TiTd);
    else if (Ti > 0)
        b->anti_windup = Ti;
    else
        return needs(c, "anti_windup",
                     "(tracking time of the integral at the limits): its default, kp/ki, is none "
                     "here");
    return 0;
}

static int check_pid(const checker *c)
{
    lm_spec_block *b = c->b;
    b->has_rate = given(c, "rate");
    if (!given(c, "kp") && !given(c, "ki") && !given(c, "kd"))
        return needs(c, "kp", "(gain of the error), 'ki' or 'kd'");
    if (b->ki == 0 && given(c, "initial"))
        return says(c, "initial", "is that of the integral, which there is not without 'ki'");
    int rc = check_limits(c);
    if (check_filter(c)) rc = -1;
    if (rc == 0) rc = check_windup(c);
    return rc;
}

/* --- linear systems --- */

/* Without leading zeros. */
static void strip(lm_spec_matrix *m)
{
    while (m->cols > 1 && m->at[0] == 0) m->at++, m->cols--;
}

static int check_transfer(const checker *c)
{
    lm_spec_block *b = c->b;
    if (!b->numerator.cols) return says(c, "numerator", "is empty");
    if (!b->denominator.cols) return says(c, "denominator", "is empty");
    if (b->denominator.at[0] == 0)
        return says(
            c, "denominator",
            "begins with 0; its first coefficient, that of the highest power of s, must not "
            "be 0");
    strip(&b->numerator);
    if (b->numerator.cols <= b->denominator.cols) return 0;
    return says(c, "numerator",
                lm_arena_printf(&c->r->scratch,
                                "has the degree %d, above that of the denominator, %d: such a "
                                "transfer function differentiates its input",
                                b->numerator.cols - 1, b->denominator.cols - 1));
}

static int check_size(const checker *c, const char *key, const lm_spec_matrix *m, int rows,
                      int cols, const char *why)
{
    if (m->rows == rows && m->cols == cols) return 0;
    return says(c, key,
                lm_arena_printf(&c->r->scratch, "is %d x %d; it must be %d x %d: %s", m->rows,
                                m->cols, rows, cols, why));
}

static int check_state_space(const checker *c)
{
    lm_spec_block *b = c->b;
    const lm_yaml *inputs = lm_yaml_get(c->entry->value, "inputs", NULL);
    int n = b->a.rows, rc = 0;
    c->r->key = "inputs";
    if (lm_read_want(c->r, inputs, LM_YAML_LIST, "a list of expressions")) return -1;
    c->r->key = NULL;
    b->ninputs = inputs->n;
    if (!n) return says(c, "A", "is empty");
    if (!b->c.rows) return says(c, "C", "is empty");
    if (check_size(c, "A", &b->a, n, n, "a row and a column for each state")) rc = -1;
    if (check_size(c, "B", &b->b, n, b->ninputs,
                   "a row for each state of A, a column for each of "
                   "'inputs'"))
        rc = -1;
    if (check_size(c, "C", &b->c, b->c.rows, n, "a column for each state of A")) rc = -1;
    if (given(c, "D") && check_size(c, "D", &b->d, b->c.rows, b->ninputs,
                                    "a row for each row of C, a column for each of 'inputs'"))
        rc = -1;
    if (given(c, "initial") && check_size(c, "initial", &b->start, 1, n, "a number for each state"))
        rc = -1;
    return rc;
}

static int check_filter_block(const checker *c)
{
    lm_spec_block *b = c->b;
    int f = given(c, "frequency"), tau = given(c, "time_constant");
    if (!f && !tau) return needs(c, "frequency", "(corner in Hz) or 'time_constant'");
    if (f && tau) return says(c, "time_constant", "and 'frequency' say the same; give one of them");
    if (f) b->time_constant = 1 / (2 * acos(-1) * b->frequency);
    if (given(c, "damping") && b->order == 1)
        return says(c, "damping", "has a meaning for 'order: 2' only");
    if (!given(c, "damping")) b->damping = sqrt(0.5);
    return 0;
}

/* --- tables and switches --- */

static int check_points(const checker *c)
{
    const lm_spec_matrix *p = &c->b->points;
    if (p->rows < 2 || p->cols != 2)
        return says(c, "points", "must be a list of at least two points [x, y]");
    for (int i = 1; i < p->rows; i++) {
        if (p->at[2 * i] > p->at[2 * i - 2]) continue;
        return says(c, "points",
                    lm_arena_printf(&c->r->scratch,
                                    "must have ascending x; x is %s in point %d and %s in point %d",
                                    number_text(c, p->at[2 * i - 2]), i,
                                    number_text(c, p->at[2 * i]), i + 1));
    }
    return 0;
}

static int check_switch(const checker *c)
{
    static const double values[] = {0, 1};
    lm_spec_block *b = c->b;
    if (!given(c, "values"))
        b->values = (lm_spec_matrix){1, 2, lm_arena_copy(c->r->arena, values, sizeof values)};
    if (pair(c, "values", &b->values, "[off, on]")) return -1;
    if (b->initial == 0 || b->initial == 1) return 0;
    return says(c, "initial", "must be 0 (off) or 1 (on)");
}

int lm_block_check(lm_reader *r, const lm_named *entry, lm_spec_block *b, uint64_t bits)
{
    checker c = {r, entry, b, bits};
    switch (b->type) {
    case LM_BLOCK_INTEGRATOR: return check_integrator(&c);
    case LM_BLOCK_PID: return check_pid(&c);
    case LM_BLOCK_TRANSFER_FUNCTION: return check_transfer(&c);
    case LM_BLOCK_STATE_SPACE: return check_state_space(&c);
    case LM_BLOCK_FILTER: return check_filter_block(&c);
    case LM_BLOCK_LOOKUP: return check_points(&c);
    case LM_BLOCK_SWITCH: return check_switch(&c);
    case LM_BLOCK_DELAY: b->has_initial = given(&c, "initial"); return 0;
    case LM_BLOCK_SIGNAL:
    case LM_BLOCK_GAIN:
    case LM_BLOCK_SAMPLED: return 0;
    }
    return 0;
}
