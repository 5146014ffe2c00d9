/* What the length of elements puts results off by (docs/theory/mesh.md). */
#include "analysis/mesh.h"

#include "analysis/effects.h"
#include "analysis/small.h"

#include <math.h>
#include <string.h>

#define MOST     0.02   /* error of deflections beyond which the user is told */
#define ROUNDING 1e-8   /* rad: turns of elements that are none */
#define NONE     1e-5   /* error that is of no account */
#define AIMED    0.0025 /* ... that more elements are to leave */
/* Errors of frequency add up to errors of phase: of rigid pieces so many times those at rest. */
#define MOTION 4.0

/* How an element is bent, in its axes: rotation vectors of the ends against the chord, elongation. */
typedef struct bend {
    lm_v3 b[2];
    double u;
} bend;

struct lm_mesh {
    lm_arena arena;
    double *pose, *near; /* [7 nposes] */
    double *q, *dx;      /* [nq], [nv] a state beside the one that is looked at */
    bend *at, *beside;   /* [elements] */
    unsigned char *end;  /* [nodes] 1: something is joined to it, or a beam ends */
    int n;               /* bodies */
    double *error;       /* [n] of deflections, by elements that bend far */
    double
        *missing;   /* [n] flexibility that rigid pieces lack: energies, summed over results; ... */
    double *turn;   /* [n] ... the largest turn of one end against the other, over 6 elements^2 */
    double *energy; /* [n] ... twice its elastic energy, summed likewise */
    int told;
};

/* ---- making ---- */

static void find_ends(const lm_model *m, unsigned char *end)
{
    for (int i = 0; i < m->spec->frames.n; i++)
        if (m->frames[i].joined && m->frames[i].node >= 0) end[m->frames[i].node] = 1;
    for (int i = 0; i < m->nbodies; i++) {
        const lm_beam *b = &m->beams[i];
        if (b->nelements == 0) continue;
        end[m->elements[b->first_element].node[0]] = 1;
        end[m->elements[b->first_element + b->nelements - 1].node[1]] = 1;
    }
}

int lm_mesh_make(lm_run *run)
{
    const lm_model *m = run->model;
    if (m->nelements == 0 || !run->sys->mesh || run->sys->nposes < m->nnodes) return 0;
    lm_mesh *x = lm_alloc(sizeof *x);
    if (!x) return -1;
    memset(x, 0, sizeof *x);
    run->mesh = x;
    x->n = m->nbodies;
    x->pose = LM_NEW_N(&x->arena, double, 7 * run->sys->nposes);
    x->near = LM_NEW_N(&x->arena, double, 7 * run->sys->nposes);
    x->q = LM_NEW_N(&x->arena, double, run->sys->nq + 1);
    x->dx = LM_NEW_N(&x->arena, double, run->sys->nv + 1);
    x->at = LM_NEW_N(&x->arena, bend, m->nelements);
    x->beside = LM_NEW_N(&x->arena, bend, m->nelements);
    x->end = LM_NEW_N(&x->arena, unsigned char, m->nnodes);
    x->error = LM_NEW_N(&x->arena, double, 4 * x->n + 1);
    if (!x->pose || !x->near || !x->q || !x->dx || !x->at || !x->beside || !x->end || !x->error)
        return -1;
    x->missing = x->error + x->n;
    x->turn = x->missing + x->n;
    x->energy = x->turn + x->n;
    find_ends(m, x->end);
    return 0;
}

void lm_mesh_free(lm_run *run)
{
    if (!run->mesh) return;
    lm_arena arena = run->mesh->arena;
    lm_arena_free(&arena);
    lm_free(run->mesh);
    run->mesh = NULL;
}

size_t lm_mesh_size(const lm_run *run) { return run->mesh ? 4 * (size_t)run->mesh->n : 0; }

void lm_mesh_keep(const lm_run *run, double *to)
{
    if (run->mesh) memcpy(to, run->mesh->error, sizeof(double) * lm_mesh_size(run));
}

void lm_mesh_put_back(lm_run *run, const double *from)
{
    if (run->mesh) memcpy(run->mesh->error, from, sizeof(double) * lm_mesh_size(run));
}

/* ---- how elements are bent ---- */

static lm_m3 triad(const double *pose, const lm_element *e, int end)
{
    lm_m3 R = quat_m3(quat_from(pose + 7 * e->node[end] + 3));
    return m3_mul(&R, &e->A[end]);
}

static lm_v3 place(const double *pose, int node) { return v3_from(pose + 7 * node); }

/* Small rotations against the chord add up: theirs against each other is the vector of the whole one. */
static bend bend_of(const double *pose, const lm_element *e)
{
    lm_m3 a = triad(pose, e, 0), b = triad(pose, e, 1), turn = m3_tmul(&a, &b);
    lm_v3 whole = lm_quat_log(lm_quat_from_m3(&turn));
    lm_v3 chord = v3_sub(place(pose, e->node[1]), place(pose, e->node[0]));
    lm_v3 seen = m3_tv(&a, chord);
    double slope[2] = {atan2(-seen.z, seen.x), atan2(seen.y, hypot(seen.x, seen.z))};
    bend out = {.u = v3_norm(chord) - e->shape.L};
    out.b[0] = v3(0, -slope[0], -slope[1]);
    out.b[1] = v3_add(out.b[0], whole);
    return out;
}

static void bends(const lm_model *m, const double *pose, bend *out)
{
    for (int k = 0; k < m->nelements; k++) out[k] = bend_of(pose, &m->elements[k]);
}

/* The element's rotation from end to end. */
static lm_v3 whole(const bend *x) { return v3_sub(x->b[1], x->b[0]); }

/* EI about y, about z: of k (b_a, b_a), (a, b), (b, b) what even bending meets. */
static double stiffness(const lm_element *e, int axis)
{
    const double *k = axis == 1 ? e->shape.ky : e->shape.kz;
    return axis == 0 ? e->shape.kt * e->shape.L : 0.25 * (k[0] + k[2] - 2 * k[1]) * e->shape.L;
}

/* ---- elements whose axis is a cubic about the chord ---- */

/* s: how much the moment varies along it; r: its bend. As of superelements made of beams. */
static double of_element(const bend *x)
{
    double s = hypot(x->b[0].y + x->b[1].y, x->b[0].z + x->b[1].z);
    double r = hypot(x->b[1].y - x->b[0].y, x->b[1].z - x->b[0].z);
    return 0.035 * s * (s + r) + r * r * r * r / 2000;
}

static void look_at_elements(lm_mesh *x, const lm_model *m)
{
    for (int i = 0; i < m->nbodies; i++)
        for (int k = 0; k < m->beams[i].nelements; k++)
            x->error[i] = fmax(x->error[i], of_element(&x->at[m->beams[i].first_element + k]));
}

/* ---- rigid pieces with springs in the middle of each division ---- */

static double moment(const lm_element *e, const bend *x, int axis)
{
    return stiffness(e, axis) / e->shape.L * v3_get(whole(x), axis);
}

/* Twice the energy that n springs lack between two nodes where something is joined: the midpoint rule is off by
 * d^2/24 of the change of (M^2/EI)' from end to end. One spring alone knows no change: as if the moment fell to
 * nothing. */
static double lacking(const lm_element *e, const bend *x, int n, int axis)
{
    double sum = 0;
    for (int end = 0; end < 2; end++) {
        int i = end ? n - 1 : 0, j = end ? n - 2 : 1;
        double d = e[i].shape.L, M = moment(&e[i], &x[i], axis), EI = stiffness(&e[i], axis);
        double inward = 0, apart = n > 1 ? 0.5 * (d + e[j].shape.L) : d;
        if (n > 1) {
            inward = (moment(&e[j], &x[j], axis) - M) / apart;
            EI = fmax(EI / 2, EI - 0.5 * d * (stiffness(&e[j], axis) - EI) / apart);
        } else if (!end)
            inward = -2 * M / d;
        sum -= d * d / 12 * (M - 0.5 * d * inward) * inward / EI;
    }
    return sum;
}

/* The chord of two pieces is shorter by their turn, which is no strain. */
static double energy_of(const lm_element *e, const bend *x)
{
    lm_v3 w = whole(x);
    double u = x->u + e->shape.L * (1 - cos(0.5 * hypot(w.y, w.z))), sum = e->shape.ka * u * u;
    for (int axis = 0; axis < 3; axis++)
        sum += stiffness(e, axis) / e->shape.L * v3_get(w, axis) * v3_get(w, axis);
    return sum;
}

/* Of a beam: twice the energy that its springs lack, *energy twice what they have, *turn its whole turn. */
static double lacks(const lm_mesh *x, const lm_model *m, const lm_beam *b, const bend *at,
                    double *energy, lm_v3 *turn)
{
    double sum = 0;
    int from = b->first_element;
    *turn = v3(0, 0, 0);
    for (int k = from; k < b->first_element + b->nelements; k++) {
        *energy += energy_of(&m->elements[k], &at[k]);
        *turn = v3_add(*turn, whole(&at[k]));
        if (!x->end[m->elements[k].node[1]]) continue;
        for (int axis = 1; axis < 3; axis++)
            sum += lacking(&m->elements[from], &at[from], k + 1 - from, axis);
        from = k + 1;
    }
    return sum;
}

/* The axis is a polygon: what it falls short is off by 1/(2 n^2) of itself, which is turn/3 of the deflection. */
static void look_at_pieces(lm_mesh *x, const lm_model *m)
{
    double most = 0;
    for (int k = 0; k < m->nelements; k++) most = fmax(most, v3_norm(whole(&x->at[k])));
    if (most < ROUNDING) return;
    for (int i = 0; i < m->nbodies; i++) {
        const lm_beam *b = &m->beams[i];
        lm_v3 turn;
        x->missing[i] += lacks(x, m, b, x->at, &x->energy[i], &turn);
        if (b->nelements)
            x->turn[i] =
                fmax(x->turn[i], hypot(turn.y, turn.z) / (6.0 * b->nelements * b->nelements));
    }
}

static double of_pieces(const lm_mesh *x, int *body)
{
    double sum = 0, energy = 0, most = -1, turn = 0;
    for (int i = 0; i < x->n; i++) {
        double own = fabs(x->missing[i]);
        sum += own, energy += x->energy[i];
        if (own > most) most = own, *body = i;
        turn = fmax(turn, x->turn[i]);
    }
    return sum + energy > 0 ? sum / (sum + energy) + turn : 0;
}

/* Of one beam by itself, the largest: what hangs on its own vibrations, as a reaction may, is off by so much. */
static double of_one(const lm_mesh *x)
{
    double most = 0;
    for (int i = 0; i < x->n; i++) {
        double own = fabs(x->missing[i]);
        if (own > 0) most = fmax(most, own / (own + x->energy[i]));
    }
    return most;
}

/* ---- at a state ---- */

void lm_mesh_look(lm_run *run, const double *q)
{
    lm_mesh *x = run->mesh;
    if (!x || run->sys->mesh == LM_MESH_LINEAR) return;
    run->sys->form->poses(run->sys, q, x->pose);
    bends(run->model, x->pose, x->at);
    if (run->sys->mesh == LM_MESH_PIECES)
        look_at_pieces(x, run->model);
    else
        look_at_elements(x, run->model);
}

/* ---- modes ---- */

/* Twice the energy that the element would gain if its axis followed the inertia forces omega^2 m u between its
 * nodes: cubics leave out q^2 L^5/(720 EI), straight lines q^2 L^3/(12 EA). */
static double left_out(const lm_element *e, const double *pose, const double *near, double step)
{
    lm_m3 A = triad(pose, e, 0);
    double L = e->shape.L, mass = (e->shape.mx[0] + 2 * e->shape.mx[1] + e->shape.mx[2]) / L,
           inertia = (e->shape.mt[0] + 2 * e->shape.mt[1] + e->shape.mt[2]) / L, sum = 0;
    lm_v3 u[3], turn[2];
    for (int i = 0; i < 2; i++) {
        u[i] = v3_sub(place(near, e->node[i]), place(pose, e->node[i]));
        lm_m3 R = triad(pose, e, i), S = triad(near, e, i);
        lm_m3 back = m3_t(&R), by = m3_mul(&S, &back);
        turn[i] = lm_quat_log(lm_quat_from_m3(&by));
    }
    lm_v3 bow = v3_cross(v3_sub(turn[0], turn[1]), m3_col(&A, 0));
    u[2] = v3_add(v3_mul(0.5, v3_add(u[0], u[1])), v3_mul(L / 8, bow));
    for (int i = 0; i < 3; i++) {
        double weight = (i == 2 ? 4 : 1) / 6.0 * mass * mass / (step * step);
        double along = v3_dot(u[i], m3_col(&A, 0)), y = v3_dot(u[i], m3_col(&A, 1)),
               z = v3_dot(u[i], m3_col(&A, 2));
        double square = y * y / stiffness(e, 2) + z * z / stiffness(e, 1);
        sum += weight * L * L * L * (L * L * square / 720 + along * along / (12 * e->shape.ka * L));
        if (i == 2) continue;
        double twist = inertia * v3_dot(turn[i], m3_col(&A, 0)) / step;
        sum += 0.5 * L * L * L * twist * twist / (12 * stiffness(e, 0));
    }
    return sum;
}

/* 1: x->near has the poses a small way along the mode, *step long. */
static int beside(lm_mesh *x, lm_system *sys, const double *q, const double *shape, double *step)
{
    double most = 0;
    for (int i = 0; i < sys->nv; i++) most = fmax(most, fabs(shape[i]));
    *step = most > 0 ? 1e-5 * fmin(1, sys->model->size) / most : 0;
    for (int i = 0; i < sys->nv; i++) x->dx[i] = *step * shape[i];
    if (*step == 0 || sys->form->retract(sys, q, x->dx, x->q)) return 0;
    sys->form->poses(sys, q, x->pose);
    sys->form->poses(sys, x->q, x->near);
    return 1;
}

double lm_mesh_mode(lm_run *run, lm_system *sys, const double *q, const double *shape, double omega,
                    double mass)
{
    const lm_model *m = run->model;
    lm_mesh *x = run->mesh;
    double step, sum = 0, energy = 0;
    lm_v3 turn;
    if (!x || !beside(x, sys, q, shape, &step)) return 0;
    if (run->sys->mesh != LM_MESH_PIECES) {
        for (int k = 0; k < m->nelements; k++)
            sum += left_out(&m->elements[k], x->pose, x->near, step);
        return 0.5 * sum * omega * omega / mass;
    }
    bends(m, x->pose, x->at);
    bends(m, x->near, x->beside);
    for (int k = 0; k < m->nelements; k++)
        for (int i = 0; i < 2; i++)
            x->beside[k].b[i] = v3_mul(1 / step, v3_sub(x->beside[k].b[i], x->at[k].b[i]));
    for (int i = 0; i < m->nbodies; i++)
        sum += lacks(x, m, &m->beams[i], x->beside, &energy, &turn);
    return 0.5 * fabs(sum) / (omega * omega * mass + fabs(sum));
}

/* ---- warnings ---- */

double lm_mesh_times(const lm_run *run, double error)
{
    double order = run->sys->mesh == LM_MESH_PIECES ? 2 : 3;
    return fmax(2, ceil(pow(error / AIMED, 1 / order)));
}

static void warn_pieces(lm_run *run, double error, int body)
{
    const lm_spec_item *item = &run->model->spec->bodies.at[body].item;
    lm_warning(
        run->diag, item->loc,
        "rigid pieces do not bend, which puts deflections off by about %.2g %%, most of it in "
        "beam '%s': give beams %.0f times the 'elements', or use 'corotational'",
        100 * error, item->name, lm_mesh_times(run, error));
}

static void warn_elements(lm_run *run, double error, int body)
{
    const lm_spec_item *item = &run->model->spec->bodies.at[body].item;
    const lm_beam *b = &run->model->beams[body];
    lm_warning(run->diag, item->loc,
               "beam '%s' bends so far within its elements that deflections are off by about %.2g "
               "%%: write 'elements: %.0f'",
               item->name, 100 * error, lm_mesh_times(run, error) * (b->nelements - b->nextra));
}

static double largest(const lm_mesh *x, int *body)
{
    *body = 0;
    for (int i = 1; i < x->n; i++)
        if (x->error[i] > x->error[*body]) *body = i;
    return x->error[*body];
}

void lm_mesh_warn(lm_run *run, lm_analysis_type type)
{
    lm_mesh *x = run->mesh;
    int body = 0;
    if (!x || run->again || run->sys->mesh == LM_MESH_LINEAR) return;
    int pieces = run->sys->mesh == LM_MESH_PIECES;
    double times = pieces && type == LM_ANALYSIS_DYNAMICS ? MOTION : 1;
    double error = times * (pieces ? of_pieces(x, &body) : largest(x, &body));
    if (error < NONE) return;
    lm_effect_part(run,
                   pieces ? "the bending of half a division at clamps (mesh, h^2)"
                          : "the shape of elements that bend far (mesh)",
                   "", times > 1 ? fmax(error, times * of_one(x)) : error);
    if (x->told || !(error > MOST)) return;
    x->told = 1;
    if (pieces)
        warn_pieces(run, error, body);
    else
        warn_elements(run, error, body);
}
