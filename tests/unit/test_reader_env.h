/* What the tests of the reader share: a model from a text, its spec and its messages. */
#ifndef TEST_READER_ENV_H
#define TEST_READER_ENV_H

#include "model/spec.h"

#include <limber/status.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct model {
    lm_arena arena;
    lm_diag diag;
    lm_spec *spec;
    int status;
} model;

static inline void model_open(model *m, const char *text, const lm_read_options *options)
{
    memset(m, 0, sizeof *m);
    m->status =
        lm_read_text(&m->arena, &m->diag, text, strlen(text), "model.yaml", options, &m->spec);
}

static inline void model_close(model *m)
{
    lm_arena_free(&m->arena);
    lm_diag_free(&m->diag);
}

/* A model that must be right. */
static inline void model_read(model *m, const char *text)
{
    model_open(m, text, NULL);
    for (int i = 0; i < m->diag.list.n; i++)
        if (m->diag.list.at[i].severity == LM_ERROR)
            fail_msg("line %d: %s", m->diag.list.at[i].loc.line, m->diag.list.at[i].text);
    assert_int_equal(m->status, LIMBER_OK);
    assert_non_null(m->spec);
}

static inline int model_says(const model *m, const char *part)
{
    for (int i = 0; i < m->diag.list.n; i++)
        if (strstr(m->diag.list.at[i].text, part)) return 1;
    return 0;
}

/* A model that must be refused with this (part of a) message. */
static inline void refuse(const char *text, const char *part)
{
    model m;
    model_open(&m, text, NULL);
    assert_int_equal(m.status, LIMBER_INPUT);
    assert_null(m.spec);
    if (!model_says(&m, part))
        fail_msg("'%s' not in: %s", part, m.diag.list.n ? m.diag.list.at[0].text : "(nothing)");
    model_close(&m);
}

static inline void near(double found, double expected)
{
    if (!(fabs(found - expected) <= 1e-14 * (1 + fabs(expected))))
        fail_msg("%.17g, expected %.17g", found, expected);
}

static inline void near3(const double found[3], double x, double y, double z)
{
    near(found[0], x);
    near(found[1], y);
    near(found[2], z);
}

#define FIND(vec, text) find_item((vec).at, (vec).n, sizeof *(vec).at, text)
static inline int find_item(const void *at, int n, size_t size, const char *name)
{
    for (int i = 0; i < n; i++) {
        const lm_spec_item *item = (const void *)((const char *)at + size * (size_t)i);
        if (strcmp(item->name, name) == 0) return i;
    }
    fail_msg("no '%s'", name);
    return -1;
}

#endif
