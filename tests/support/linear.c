#include "support/linear.h"

static limber_model *load(const char *name, limber_messages *msg)
{
    char path[512];
    limber_model *model = NULL;
    snprintf(path, sizeof path, "%s/%s.yaml", getenv("MODELS"), name);
    if (limber_model_load(path, NULL, &model, msg) == LIMBER_OK) return model;
    limber_messages_print(msg, stderr);
    fail_msg("%s cannot be read", path);
    return NULL;
}

static void create(linear *s, const char *formulation)
{
    if (!lm_create_system(&s->model->m, formulation, s->run.diag, &s->run.sys)) return;
    limber_messages_print(s->msg, stderr);
    fail_msg("no system");
}

linear *linear_of(const char *model, const char *text, const char *formulation, int at_rest)
{
    linear *s = calloc(1, sizeof *s);
    s->msg = limber_messages_new();
    s->model = text ? modes_parse(text, s->msg) : load(model, s->msg);
    s->run = (lm_run){.model = &s->model->m, .opt = &s->opt, .diag = &s->msg->diag, .sum = &s->sum};
    create(s, formulation);
    lm_system *sys = s->run.sys;
    const lm_spec *spec = s->model->m.spec;
    s->q = calloc((size_t)(sys->nq + sys->nv + 1), sizeof(double));
    s->run.q = s->q;
    s->run.v = s->q + sys->nq;
    assert_int_equal(lm_initial_state(&s->run), LIMBER_OK);
    s->l = (lm_linearized){.sys = sys, .q = s->q, .v = at_rest ? NULL : s->run.v};
    s->l.states = s->run.v + sys->nv - sys->nvariables;
    s->l.nu = lm_inputs_named(spec, NULL, NULL);
    s->l.ny = lm_outputs_named(spec, NULL, NULL);
    s->input = calloc((size_t)s->l.nu + 1, sizeof *s->input);
    s->output = calloc((size_t)s->l.ny + 1, sizeof *s->output);
    lm_inputs_named(spec, NULL, s->input);
    lm_outputs_named(spec, NULL, s->output);
    s->l.input = s->input;
    s->l.output = s->output;
    if (lm_linearized_solve(&s->l)) fail_msg("%s", s->l.failure.text);
    return s;
}

void linear_solve_again(linear *s)
{
    lm_linearized next = {.sys = s->l.sys, .t = s->l.t, .q = s->l.q, .v = s->l.v};
    next.states = s->l.states;
    next.nu = s->l.nu, next.ny = s->l.ny;
    next.input = s->l.input, next.output = s->l.output;
    lm_linearized_free(&s->l);
    s->l = next;
    if (lm_linearized_solve(&s->l)) fail_msg("%s", s->l.failure.text);
}

void linear_done(linear *s)
{
    lm_linearized_free(&s->l);
    s->run.sys->form->destroy(s->run.sys);
    limber_model_free(s->model);
    limber_messages_free(s->msg);
    free(s->q);
    free(s->input);
    free(s->output);
    free(s);
}

int linear_state(const linear *s, const char *name)
{
    char text[200];
    for (int i = 0; i < s->l.ns; i++) {
        lm_linearized_state_name(&s->l, i, text, sizeof text);
        if (strcmp(text, name) == 0) return i;
    }
    fail_msg("no state '%s'", name);
    return -1;
}

int linear_input(const linear *s, const char *name)
{
    char text[200];
    for (int i = 0; i < s->l.nu; i++) {
        lm_input_name(s->model->m.spec, &s->input[i], text, sizeof text);
        if (strcmp(text, name) == 0) return i;
    }
    fail_msg("no input '%s'", name);
    return -1;
}

int linear_output(const linear *s, const char *name)
{
    for (int i = 0; i < s->l.ny; i++)
        if (strcmp(s->model->m.spec->outputs.at[i].item.name, name) == 0) return i;
    fail_msg("no output '%s'", name);
    return -1;
}

/* ---- differences of the nonlinear model ---- */

typedef struct sample {
    double *q, *v, *a, *lam, *out;
} sample;

static sample new_sample(const linear *s)
{
    const lm_system *sys = s->run.sys;
    size_t n = (size_t)(sys->nq + 2 * sys->nv + sys->nl + s->l.ny + 1);
    double *x = calloc(n, sizeof *x);
    return (sample){x, x + sys->nq, x + sys->nq + sys->nv, x + sys->nq + 2 * sys->nv,
                    x + sys->nq + 2 * sys->nv + sys->nl};
}

/* The place h along direction j, put on the constraints: corrections are even in h, and central
 * differences do not see them. */
static void take_sample(linear *s, int j, double h, sample *to)
{
    lm_linearized *l = &s->l;
    lm_system *sys = s->run.sys;
    const double *v0 = l->v ? l->m.g->v : l->m.v0;
    lm_integrator *g = lm_integrator_at_rest(sys);
    double *dx = calloc((size_t)sys->nv + 1, sizeof *dx), moved, gap, softness = sys->softness;
    int input = j - 2 * l->n;
    g->clock->size = l->m.size;
    for (int i = 0; i < sys->nv; i++) {
        dx[i] = h * l->dx[sys->nv * j + i];
        to->v[i] = v0[i] + h * l->dv[sys->nv * j + i];
    }
    assert_int_equal(sys->form->retract(sys, l->m.g->q, dx, to->q), 0);
    assert_int_equal(lm_project_position(g, l->t, to->q, &moved, &gap), 0);
    assert_int_equal(lm_project_velocity(g, l->t, to->q, to->v, &moved), 0);
    if (input >= 0) l->u[lm_linearized_input_at(l, input)] = h;
    sys->inputs = l->u;
    assert_int_equal(lm_consistent_acceleration(g, l->t, to->q, to->v, to->a, to->lam), 0);
    lm_state st = {l->t, to->q, to->v, to->a, to->lam};
    assert_int_equal(sys->form->outputs(sys, &st, to->out), 0);
    sys->inputs = NULL;
    if (input >= 0) l->u[lm_linearized_input_at(l, input)] = 0;
    sys->softness = softness;
    g->ops->destroy(g);
    free(dx);
}

/* Differences of n numbers along direction j: into the group of its kind (along y, w or an input) the
 * largest error and the largest number. */
typedef struct group {
    double error[3], size[3];
} group;

static void compare(int n, const double *up, const double *down, double h, const double *d,
                    int kind, group *g)
{
    for (int i = 0; i < n; i++) {
        double fd = (up[i] - down[i]) / (2 * h);
        g->error[kind] = fmax(g->error[kind], fabs(fd - d[i]));
        g->size[kind] = fmax(g->size[kind], fabs(fd));
    }
}

static double worst(const group *g)
{
    double most = 0;
    for (int k = 0; k < 3; k++)
        if (g->error[k] > 1e-12) most = fmax(most, g->error[k] / g->size[k]);
    return most;
}

/* The number of direction j among the states, -1: it is none. */
static int kept(const lm_linearized *l, int j)
{
    for (int i = 0; i < l->ns; i++)
        if (l->keep[i] == j) return i;
    return -1;
}

/* Lengths and angles are not told apart: the models are about one in size. */
linear_errors linear_check(linear *s, double h)
{
    lm_linearized *l = &s->l;
    int nv = s->run.sys->nv, nl = s->run.sys->nl, ny = l->ny;
    int variables =
        s->run.sys->nvariables; /* those that follow have no acceleration of their own */
    sample up = new_sample(s), down = new_sample(s);
    group da = {{0}, {0}}, dlam = da, dout = da;
    double *lam = calloc((size_t)nl + 1, sizeof *lam);
    for (int j = 0; j < 2 * l->n + l->nu; j++) {
        int kind = j < l->n ? 0 : j < 2 * l->n ? 1 : 2;
        if (kind < 2 && kept(l, j) < 0) continue;
        const double *out = kind < 2 ? l->C + ny * kept(l, j) : l->D1 + ny * (j - 2 * l->n);
        for (int r = 0; r < l->na; r++) lam[l->row[r]] = l->dlam[l->na * j + r];
        take_sample(s, j, h, &up);
        take_sample(s, j, -h, &down);
        compare(nv - variables, up.a, down.a, h, l->da + nv * j, kind, &da);
        compare(nl, up.lam, down.lam, h, lam, kind, &dlam);
        compare(ny, up.out, down.out, h, out, kind, &dout);
    }
    free(up.q);
    free(down.q);
    free(lam);
    return (linear_errors){worst(&da), worst(&dlam), worst(&dout)};
}
