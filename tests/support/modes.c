#include "support/modes.h"

#include <unistd.h>

limber_model *modes_parse(const char *text, limber_messages *msg)
{
    limber_model *model = NULL;
    if (limber_model_parse(text, strlen(text), "model", NULL, &model, msg) == LIMBER_OK)
        return model;
    limber_messages_print(msg, stderr);
    fail_msg("the model cannot be read");
    return NULL;
}

double *read_table(lm_h5 *f, const char *path, long rows, int cols)
{
    long r;
    int c;
    char **names;
    assert_int_equal(lm_h5_table_info(f, path, &r, &c, &names), 0);
    lm_free(names);
    assert_int_equal(r, rows);
    assert_int_equal(c, cols);
    double *data = calloc((size_t)(r * c), sizeof *data);
    assert_int_equal(lm_h5_read_rows(f, path, 0, r, data), 0);
    return data;
}

solved *modes_of(const char *text, int count, int large)
{
    solved *s = calloc(1, sizeof *s);
    s->msg = limber_messages_new();
    s->model = modes_parse(text, s->msg);
    s->run = (lm_run){.model = &s->model->m, .opt = &s->opt, .diag = &s->msg->diag, .sum = &s->sum};
    const lm_form *form = lm_form_get(LM_FORM_COROTATIONAL);
    assert_int_equal(form->create(&s->model->m, s->run.diag, &s->run.sys), LIMBER_OK);
    s->q = calloc((size_t)(s->run.sys->nq + s->run.sys->nv), sizeof(double));
    s->run.q = s->q;
    s->run.v = s->q + s->run.sys->nq;
    assert_int_equal(lm_initial_state(&s->run), LIMBER_OK);
    s->m = (lm_modes){.sys = s->run.sys, .count = count, .large = large};
    limber_status st = lm_modes_solve(&s->m, 0, s->run.q);
    if (st) fail_msg("%s", s->m.failure.text);
    assert_string_equal(s->m.method, large ? "lanczos" : "dense");
    return s;
}

void modes_done(solved *s)
{
    lm_modes_free(&s->m);
    s->run.sys->form->destroy(s->run.sys);
    limber_model_free(s->model);
    limber_messages_free(s->msg);
    free(s->q);
    free(s);
}

limber_mode mode(const solved *s, int i)
{
    assert_in_range(i, 0, s->m.found - 1);
    return lm_modes_public(&s->m, i);
}

void check_omega(const solved *s, int i, double omega, double tolerance)
{
    limber_mode o = mode(s, i);
    assert_int_equal(o.kind, LIMBER_MODE_VIBRATES);
    if (fabs(o.omega / omega - 1) > tolerance)
        fail_msg("mode %d: omega %.17g, not %.17g: off by %.2g", i + 1, o.omega, omega,
                 o.omega / omega - 1);
    assert_near(o.frequency, o.omega / (2 * PI), 1e-15 * o.omega);
}

void check_shapes(const solved *s, double tolerance)
{
    const lm_modes *m = &s->m;
    size_t nv = (size_t)m->sys->nv;
    double *Mx = calloc(nv, sizeof *Mx), *Kx = calloc(nv, sizeof *Kx);
    for (int i = 0; i < m->found; i++) {
        lm_modes_mul(m, m->M, m->mode[i].shape, Mx);
        lm_modes_mul(m, m->K, m->mode[i].shape, Kx);
        for (int j = 0; j < m->found; j++) {
            double mass = 0, stiffness = 0, lambda = pow(m->mode[i].im, 2) - pow(m->mode[i].re, 2);
            for (size_t k = 0; k < nv; k++) mass += m->mode[j].shape[k] * Mx[k];
            for (size_t k = 0; k < nv; k++) stiffness += m->mode[j].shape[k] * Kx[k];
            double scale = fmax(fabs(lambda), pow(m->mode[m->found - 1].im, 2));
            assert_near(mass, i == j, tolerance);
            assert_near(stiffness, i == j ? lambda : 0, tolerance * scale);
        }
        const lm_pattern *p = &m->sys->pattern;
        for (int r = (int)nv; r < p->n; r++) {
            double gap = 0;
            for (int c = 0; c < (int)nv; c++) {
                int k = lm_pattern_find(p, r, c);
                if (k >= 0 && m->sys->active[r - (int)nv]) gap += m->M[k] * m->mode[i].shape[c];
            }
            assert_near(gap, 0, tolerance);
        }
    }
    free(Mx);
    free(Kx);
}

int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void print(writer *t, const char *fmt, ...)
{
    va_list args;
    if (t->room - t->n < 400) {
        t->room = 2 * t->room + 4000;
        t->at = realloc(t->at, t->room);
        assert_non_null(t->at);
    }
    va_start(args, fmt);
    t->n += (size_t)vsnprintf(t->at + t->n, t->room - t->n, fmt, args);
    va_end(args);
}

void every_allocation_fails(const char *text, const char *results)
{
    limber_messages *msg = limber_messages_new();
    limber_model *model = modes_parse(text, msg);
    limber_run_options opt = limber_run_options_default();
    limber_summary sum;
    opt.results = results;
    long before = lm_mem_allocs();
    assert_int_equal(limber_run(model, &opt, &sum, msg), LIMBER_OK);
    long total = lm_mem_allocs() - before, live = lm_mem_live();
    for (long k = 1; k <= total; k++) {
        limber_messages *own = limber_messages_new();
        unlink(results);
        lm_mem_fail_after(k);
        limber_status st = limber_run(model, &opt, &sum, own);
        lm_mem_fail_after(0);
        if (st == LIMBER_OK) fail_msg("allocation %ld failed without a word", k);
        if (st != LIMBER_MEMORY && !sum.reason[0] && !limber_messages_errors(own))
            fail_msg("allocation %ld: status %d without a reason", k, (int)st);
        limber_messages_free(own);
        if (lm_mem_live() != live) fail_msg("allocation %ld: %ld leaked", k, lm_mem_live() - live);
    }
    unlink(results);
    limber_model_free(model);
    limber_messages_free(msg);
}
