#include "analysis/assemble.h"

#include <math.h>
#include <string.h>

/* ---- what the joint tree tears ---- */

int lm_assemble_elastic(const lm_model *m, int node)
{
    int body = m->nodes[node].body;
    return node + 1 < m->nnodes && body == m->nodes[node + 1].body &&
           m->bodies[body].type != LM_BODY_RIGID;
}

/* How far the pose of node i + 1, as seen from node i, is from the drawing: over the size, in rad. */
static double deformation(const lm_model *m, int i, const double *pose, double size)
{
    lm_m3 R0 = quat_m3(m->nodes[i].q), R = quat_m3(quat_from(pose + 3));
    lm_m3 S0 = quat_m3(m->nodes[i + 1].q), S = quat_m3(quat_from(pose + 10)), T0, T;
    lm_v3 d0 = m3_tv(&R0, v3_sub(m->nodes[i + 1].x, m->nodes[i].x));
    lm_v3 d = m3_tv(&R, v3_sub(v3_from(pose + 7), v3_from(pose)));
    double most = v3_norm(v3_sub(d, d0)) / size;
    T0 = m3_tmul(&R0, &S0);
    T = m3_tmul(&R, &S);
    for (int k = 0; k < 9; k++) most = fmax(most, fabs(T.m[k] - T0.m[k]));
    return most;
}

int lm_assemble_torn(const lm_run *run, const double *q, double *torn)
{
    const lm_model *m = run->model;
    *torn = 0;
    if (run->sys->nposes != m->nnodes) return 0; /* these poses are no nodes */
    double *pose = lm_alloc(sizeof(double) * (size_t)(7 * m->nnodes + 1));
    if (!pose) return -1;
    run->sys->form->poses(run->sys, q, pose);
    for (int i = 0; i < m->nnodes; i++)
        if (lm_assemble_elastic(m, i))
            *torn = fmax(*torn, deformation(m, i, pose + 7 * i, m->size > 0 ? m->size : 1));
    lm_free(pose);
    return 0;
}

/* ---- joints and elastic bodies only ---- */

/* Springs of compliant joints stay, all others would pull at coordinates that `initial` leaves free. */
static int copy_actions(lm_bare *b)
{
    lm_model *m = &b->model;
    lm_action *a = lm_arena_copy(&b->arena, m->actions, sizeof *a * (size_t)m->nactions);
    unsigned char *stays = LM_NEW_N(&b->arena, unsigned char, m->nactions);
    if (!a || !stays) return -1;
    for (int j = 0; j < m->njoints; j++)
        for (int k = 0; k < m->joints[j].nactions; k++) stays[m->joints[j].first_action + k] = 1;
    for (int k = 0; k < m->nactions; k++) {
        if (!stays[k] || a[k].coord_index >= 0) a[k].stiffness = 0;
        a[k].damping = a[k].friction = 0;
        a[k].effort = NULL;
    }
    m->actions = a;
    return 0;
}

/* Without initial values and drives the formulation's `initial` is the drawing. */
static int copy_spec(lm_bare *b)
{
    lm_spec *s = &b->spec;
    size_t nj = (size_t)s->joints.n, ni = (size_t)s->initial.n;
    s->joints.at = lm_arena_copy(&b->arena, s->joints.at, nj * sizeof *s->joints.at);
    s->initial.at = lm_arena_copy(&b->arena, s->initial.at, ni * sizeof *s->initial.at);
    if (!s->joints.at || !s->initial.at) return -1;
    for (size_t i = 0; i < nj; i++)
        for (int c = 0; c < LM_JOINT_COORDS; c++) {
            lm_spec_coord *k = &s->joints.at[i].coord[c];
            if (k->has_drive) lm_expr_constant(&k->drive, 0);
            k->has_effort = k->has_port = 0;
        }
    for (size_t i = 0; i < ni; i++) s->initial.at[i].value = s->initial.at[i].rate = 0;
    s->loads.n = s->velocities.n = 0;
    s->variables.n = 0; /* nothing acts that could ask for them */
    b->model.spec = s;
    return 0;
}

/* A row's drive gives way to the value it has at t = 0. */
static int copy_rows(lm_bare *b, const lm_model *from)
{
    size_t n = (size_t)from->nrows;
    lm_row *rows = lm_arena_copy(&b->arena, from->rows, n * sizeof *rows);
    if (!rows) return -1;
    for (size_t k = 0; k < n; k++) {
        lm_row *r = &rows[k];
        double d[3] = {0, 0, 0};
        if (!r->drive) continue;
        double *scratch = LM_NEW_N(&b->arena, double, lm_expr_scratch(r->drive, 2));
        if (!scratch) return -1;
        lm_expr_time(r->drive, 0, scratch, d);
        r->drive = &b->spec.joints.at[r->joint].coord[r->coord].drive;
        r->offset += d[0];
    }
    b->model.rows = rows;
    return 0;
}

/* The rows of the system in its own order, which may be copies of the model's or a part of them. */
static int note_rows(lm_bare *b)
{
    int n = b->sys->nl;
    b->rows = LM_NEW_N(&b->arena, lm_row *, n);
    b->value = LM_NEW_N(&b->arena, double, n);
    b->shift = LM_NEW_N(&b->arena, double, n);
    b->dependent = LM_NEW_N(&b->arena, unsigned char, n);
    if (!b->rows || !b->value || !b->shift || !b->dependent) return -1;
    for (int k = 0; k < n; k++) {
        b->rows[k] = (lm_row *)lm_system_row(b->sys, k); /* this system's own: made from a copy */
        b->value[k] = b->rows[k]->offset;
    }
    return 0;
}

limber_status lm_bare_make(lm_bare *b, const lm_run *run)
{
    lm_diag diag = {0};
    *b = (lm_bare){.model = *run->model, .spec = *run->model->spec};
    b->model.gravity = v3(0, 0, 0);
    if (copy_actions(b) || copy_spec(b) || copy_rows(b, run->model)) return LIMBER_MEMORY;
    limber_status st = lm_system_create(run->sys->form, &b->model, &diag, &b->sys);
    lm_diag_free(&diag);
    if (st) return st;
    b->sys->load_factor = 0;
    return note_rows(b) ? LIMBER_MEMORY : LIMBER_OK;
}

void lm_bare_free(lm_bare *b)
{
    lm_arena arena = b->arena;
    if (b->sys) b->sys->form->destroy(b->sys);
    lm_arena_free(&arena);
}

/* 1: the row holds while the mechanism is assembled. */
static int is_wanted(const lm_bare *b, int k)
{
    int i = b->rows[k]->initial;
    return i < 0 || b->spec.initial.at[i].has_value;
}

void lm_bare_note_dependent(lm_bare *b)
{
    for (int k = 0; k < b->sys->nl; k++)
        b->dependent[k] = !b->sys->active[k] || b->rows[k]->coord < 0;
}

double lm_bare_strayed(lm_bare *b, const double *q, double *r, double size)
{
    enum { DROPPED = 2 };
    lm_system *sys = b->sys;
    double most = 0, *lam = r + sys->nv + sys->nl, *zero = lam + sys->nl;
    lm_state st = {0, q, zero, zero, lam};
    int n = 0;
    memset(lam, 0, sizeof(double) * (size_t)(sys->nl + sys->nv));
    for (int k = 0; k < sys->nl; k++)
        if (!sys->active[k] && !b->dependent[k] && is_wanted(b, k)) sys->active[k] = DROPPED, n++;
    int bad = n ? sys->form->residual(sys, &st, r, r + sys->nv, NULL) : 0;
    for (int k = 0; k < sys->nl && n; k++) {
        if (sys->active[k] != DROPPED) continue;
        sys->active[k] = 0;
        most = fmax(most, fabs(r[sys->nv + k]) / (sys->angular[sys->nv + k] ? 1 : size));
    }
    return bad ? INFINITY : most;
}

int lm_bare_gaps(lm_bare *b, const double *q, double *r)
{
    lm_system *sys = b->sys;
    double *lam = r + sys->nv + sys->nl, *zero = lam + sys->nl;
    memset(lam, 0, sizeof(double) * (size_t)(sys->nl + sys->nv));
    lm_state st = {0, q, zero, zero, lam};
    lm_bare_steer(b, 1);
    for (int k = 0; k < sys->nl; k++) sys->active[k] = (unsigned char)is_wanted(b, k);
    return sys->form->residual(sys, &st, r, r + sys->nv, NULL);
}

int lm_bare_start(lm_bare *b, const double *q, int as_drawn, double *r)
{
    if (lm_bare_gaps(b, q, r)) return 1;
    for (int k = 0; k < b->sys->nl; k++) {
        const lm_row *row = b->rows[k];
        int coord = row->coord < 0 ? -1 : b->model.joints[row->joint].first_coord + row->coord;
        b->shift[k] = r[b->sys->nv + k];
        if (as_drawn && coord >= 0) b->shift[k] = b->model.coords[coord].offset - b->value[k];
        if (!isfinite(b->shift[k])) return 1;
    }
    return 0;
}

void lm_bare_steer(lm_bare *b, double done)
{
    for (int k = 0; k < b->sys->nl; k++)
        b->rows[k]->offset = b->value[k] + (1 - done) * b->shift[k];
}
