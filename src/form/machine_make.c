/* Making a machine: which entries its matrix has, and where they are. */
#include "form/machine_int.h"

#include <string.h>

/* Number of an unknown of the mechanism among those of the machine. */
static int outer(const machine *s, int unknown)
{
    return unknown < s->in->nv ? unknown : unknown + s->n;
}

/* ---- what equations read ---- */

static int find_sensor(const machine *s, int sensor)
{
    for (int i = 0; i < s->nsensors; i++)
        if (s->sensor[i].sensor == sensor) return i;
    return -1;
}

/* The unknowns behind a sensor; list: scratch. */
static int note_sensor(machine *s, int sensor, int *list)
{
    int i = find_sensor(s, sensor);
    if (i >= 0) return i;
    machine_sensor *m = &s->sensor[s->nsensors];
    m->sensor = sensor;
    m->n = s->in->form->ports->sensed(s->in, sensor, list);
    m->unknown = LM_NEW_N(&s->arena, int, m->n);
    m->gradient = LM_NEW_N(&s->arena, double, m->n);
    if (!m->unknown || !m->gradient) return -1;
    for (int k = 0; k < m->n; k++) m->unknown[k] = outer(s, list[k]);
    return s->nsensors++;
}

static int note_term(machine *s, int slot, machine_term *t, int *list)
{
    *t = (machine_term){.slot = slot, .kind = TERM_CONSTANT};
    if (slot == LM_SLOT_T) return 0;
    const lm_spec_sensor *c = &s->spec->sensors.at[slot - 1];
    switch (c->kind) {
    case LM_SENSOR_STATE:
    case LM_SENSOR_STEP:
    case LM_SENSOR_DELAY: return 0;
    case LM_SENSOR_VARIABLE: t->kind = TERM_VALUE; break;
    case LM_SENSOR_VARIABLE_RATE: t->kind = TERM_RATE; break;
    default: t->kind = TERM_SENSOR;
    }
    t->of = t->kind == TERM_SENSOR ? note_sensor(s, slot - 1, list) : c->variable;
    if (t->of < 0) return -1;
    int n = t->kind == TERM_SENSOR ? s->sensor[t->of].n : 1;
    t->place = LM_NEW_N(&s->arena, int, n);
    return t->place ? 0 : -1;
}

static int note_row(machine *s, int k, int *list)
{
    const lm_spec_variable *x = &s->spec->variables.at[k];
    int n = x->expr.ninputs, both = x->kind == LM_VARIABLE_RATE ? 2 : 1;
    machine_row *row = &s->row[k];
    row->nterms = both * n;
    row->term = LM_NEW_N(&s->arena, machine_term, row->nterms);
    if (!row->term) return -1;
    for (int i = 0; i < n; i++) {
        if (note_term(s, x->expr.inputs[i], &row->term[i], list)) return -1;
        if (both > 1 && note_term(s, x->rate[i], &row->term[n + i], list)) return -1;
    }
    if (x->kind != LM_VARIABLE_STATE || x->follows_motion != LM_FOLLOWS_INTEGRAL) return 0;
    row->nintegral = x->integral.ninputs;
    row->integral = LM_NEW_N(&s->arena, machine_term, row->nintegral);
    for (int i = 0; i < row->nintegral && row->integral; i++)
        if (note_term(s, x->integral.inputs[i], &row->integral[i], list)) return -1;
    return row->integral ? 0 : -1;
}

/* ---- what acts on the mechanism ---- */

static int note_pushes(machine *s, int *list)
{
    s->push = LM_NEW_N(&s->arena, machine_push, s->spec->sensors.n);
    if (!s->push) return -1;
    for (int i = 0; i < s->spec->sensors.n; i++) {
        const lm_spec_sensor *c = &s->spec->sensors.at[i];
        int rate = c->kind == LM_SENSOR_VARIABLE_RATE;
        if (c->kind != LM_SENSOR_VARIABLE && !rate) continue;
        machine_push *p = &s->push[s->npushes];
        *p = (machine_push){.variable = c->variable, .rate = rate, .sensor = i};
        p->n = s->in->form->ports->pushed(s->in, i, list);
        if (p->n == 0) continue;
        p->place = LM_NEW_N(&s->arena, int, p->n);
        p->force = LM_NEW_N(&s->arena, double, p->n);
        if (!p->place || !p->force) return -1;
        memcpy(p->place, list, sizeof(int) * (size_t)p->n); /* rows for now */
        s->npushes++;
    }
    return 0;
}

/* ---- pattern ---- */

static void collect_term(const machine *s, int k, const machine_term *t, lm_pattern_builder *pb)
{
    int row = s->in->nv + k;
    if (t->kind == TERM_VALUE || t->kind == TERM_RATE) lm_pattern_add(pb, row, s->in->nv + t->of);
    for (int e = 0; t->kind == TERM_SENSOR && e < s->sensor[t->of].n; e++)
        lm_pattern_add(pb, row, s->sensor[t->of].unknown[e]);
}

static void collect(const machine *s, lm_pattern_builder *pb)
{
    const lm_pattern *p = &s->in->pattern;
    int nv = s->in->nv;
    for (int c = 0; c < p->n; c++)
        for (int i = p->colptr[c]; i < p->colptr[c + 1]; i++)
            lm_pattern_add(pb, outer(s, p->rowind[i]), outer(s, c));
    for (int k = 0; k < s->n; k++) {
        lm_pattern_add(pb, nv + k, nv + k);
        for (int i = 0; i < s->row[k].nterms; i++) collect_term(s, k, &s->row[k].term[i], pb);
        for (int i = 0; i < s->row[k].nintegral; i++)
            collect_term(s, k, &s->row[k].integral[i], pb);
    }
    for (int i = 0; i < s->npushes; i++)
        for (int e = 0; e < s->push[i].n; e++)
            lm_pattern_add(pb, s->push[i].place[e], nv + s->push[i].variable);
}

static void place_term(const machine *s, int k, machine_term *t)
{
    const lm_pattern *own = &s->sys.pattern;
    int nv = s->in->nv;
    if (t->kind == TERM_VALUE || t->kind == TERM_RATE)
        t->place[0] = lm_pattern_find(own, nv + k, nv + t->of);
    for (int e = 0; t->kind == TERM_SENSOR && e < s->sensor[t->of].n; e++)
        t->place[e] = lm_pattern_find(own, nv + k, s->sensor[t->of].unknown[e]);
}

static void places(machine *s)
{
    const lm_pattern *own = &s->sys.pattern, *p = &s->in->pattern;
    int nv = s->in->nv;
    for (int c = 0; c < p->n; c++)
        for (int i = p->colptr[c]; i < p->colptr[c + 1]; i++)
            s->inner_place[i] = lm_pattern_find(own, outer(s, p->rowind[i]), outer(s, c));
    for (int k = 0; k < s->n; k++) {
        s->row[k].diagonal = lm_pattern_find(own, nv + k, nv + k);
        for (int i = 0; i < s->row[k].nterms; i++) place_term(s, k, &s->row[k].term[i]);
        for (int i = 0; i < s->row[k].nintegral; i++) place_term(s, k, &s->row[k].integral[i]);
    }
    for (int i = 0; i < s->npushes; i++)
        for (int e = 0; e < s->push[i].n; e++)
            s->push[i].place[e] =
                lm_pattern_find(own, s->push[i].place[e], nv + s->push[i].variable);
}

static int make_pattern(machine *s)
{
    lm_arena temp = {0};
    lm_pattern_builder pb = {.arena = &temp};
    collect(s, &pb);
    int bad = lm_pattern_make(&pb, &s->arena, s->sys.nv + s->sys.nl, &s->sys.pattern);
    lm_arena_free(&temp);
    if (!bad) places(s);
    return bad;
}

/* ---- room ---- */

static int longest(const lm_expr *e, int order, int most)
{
    int n = lm_expr_scratch(e, order);
    return n > most ? n : most;
}

static int reserve(machine *s)
{
    lm_arena *a = &s->arena;
    int scratch = 16, most = 1, nnz = s->in->pattern.nnz;
    for (int k = 0; k < s->n; k++) {
        const lm_spec_variable *x = &s->spec->variables.at[k];
        scratch = longest(&x->expr, 2, scratch);
        if (x->implicit) scratch = longest(&x->rest, 1, scratch);
        scratch = longest(&x->integral, 1, scratch);
        if (x->integral.ninputs > most) most = x->integral.ninputs;
        if (x->expr.ninputs > most) most = x->expr.ninputs;
    }
    for (int k = 0; k < s->spec->delays.n; k++) {
        const lm_expr *e = &s->spec->delays.at[k].input;
        scratch = longest(e, 1, scratch);
        if (e->ninputs > most) most = e->ninputs;
    }
    for (int i = 0; i < s->spec->elements.n; i++) {
        const lm_spec_element *e = &s->spec->elements.at[i];
        for (int b = 0; b < 2; b++)
            scratch = longest(&e->effort[b], 0, longest(&e->flow[b], 0, scratch));
        scratch = longest(&e->law, 0, scratch);
    }
    s->x = LM_NEW_N(a, double, 2 * s->n);
    s->offset = LM_NEW_N(a, double, s->n);
    s->track_r = LM_NEW_N(a, double, s->in->nv + s->in->nl);
    s->sensor = LM_NEW_N(a, machine_sensor, s->spec->sensors.n);
    s->row = LM_NEW_N(a, machine_row, s->n);
    s->inner_place = LM_NEW_N(a, int, nnz);
    s->scratch = LM_NEW_N(a, double, scratch);
    s->grad = LM_NEW_N(a, double, most);
    s->coefficient = LM_NEW_N(a, double, 2 * most);
    s->felt = LM_NEW_N(a, unsigned char, s->n);
    s->reach = LM_NEW_N(a, double, 2 * s->n + s->spec->sensors.n);
    s->hess = LM_NEW_N(a, double, (size_t)most *(size_t)most);
    for (int i = 0; i < 3; i++)
        if (!(s->inner[i] = LM_NEW_N(a, double, nnz))) return -1;
    return s->x && s->offset && s->track_r && s->sensor && s->row && s->inner_place && s->scratch &&
                   s->grad && s->coefficient && s->reach && s->hess
               ? 0
               : -1;
}

/* Variables are no angles and no lengths; multipliers come behind them. */
static int note_kinds(machine *s)
{
    int nv = s->in->nv, nl = s->in->nl;
    unsigned char *angular = LM_NEW_N(&s->arena, unsigned char, s->sys.nv + nl);
    if (!angular) return -1;
    memcpy(angular, s->in->angular, (size_t)nv);
    memcpy(angular + s->sys.nv, s->in->angular + nv, (size_t)nl);
    s->sys.angular = angular;
    return 0;
}

int machine_build(machine *s)
{
    int *list = LM_NEW_N(&s->arena, int, s->in->nv + s->in->nl + 6);
    if (!list || reserve(s) || note_kinds(s) || machine_make_order(s)) return -1;
    for (int k = 0; k < s->n; k++)
        if (note_row(s, k, list)) return -1;
    return note_pushes(s, list) || make_pattern(s) ? -1 : 0;
}
