#include "view/scale.h"

#include "base/mem.h"

#include <math.h>
#include <string.h>

#define ZERO 1e-6 /* of what quantities come to: as good as nothing */

/* ---- tables ---- */

void lm_table_free(lm_table *x)
{
    lm_rows_close(&x->t);
    lm_free(x->data);
    *x = (lm_table){0};
}

int lm_table_read(lm_h5 *f, const char *group, const char *name, lm_table *x)
{
    *x = (lm_table){0};
    int rc = lm_rows_open(&x->t, f, group, name);
    if (rc) return rc;
    x->data = lm_alloc(sizeof(double) * (size_t)(x->t.rows + 1) * (size_t)x->t.ncols);
    rc = !x->data ? -2 : lm_rows_read(&x->t, 0, x->t.rows, x->data) ? -1 : 0;
    if (rc) lm_table_free(x);
    return rc;
}

/* ---- what quantities come to ---- */

static void use_energy(lm_scales *s, const lm_table *x)
{
    static const char *const form[] = {"kinetic", "elastic", "gravity", "stored"};
    for (int i = 0; i < x->t.ncols; i++)
        for (int k = 0; k < 4; k++) {
            double low = INFINITY, high = -INFINITY;
            if (strcmp(x->t.columns[i], form[k]) != 0) continue;
            for (long r = 0; r < x->t.rows; r++) {
                low = fmin(low, lm_table_cell(x, r, i));
                high = fmax(high, lm_table_cell(x, r, i));
            }
            if (!(high >= low)) continue;
            s->energy = fmax(s->energy, k == 2 ? high - low : fmax(fabs(low), fabs(high)));
        }
}

/* Columns NAME.fx ... NAME.mz. */
static void use_wrenches(lm_scales *s, const lm_table *x)
{
    for (long r = 0; r < x->t.rows; r++)
        for (int i = 0; i < x->t.ncols; i++) {
            double *most = i % 6 < 3 ? &s->force : &s->moment, y = fabs(lm_table_cell(x, r, i));
            if (isfinite(y)) *most = fmax(*most, y);
        }
}

/* Columns NAME.x .y .z .qw .qx .qy .qz. */
static void use_poses(lm_scales *s, const lm_table *x)
{
    double travel = 0;
    for (long r = 0; r < x->t.rows; r++)
        for (int i = 0; i < x->t.ncols; i++) {
            double y = lm_table_cell(x, r, i);
            if (i % 7 > 2 || !isfinite(y)) continue;
            s->reach = fmax(s->reach, fabs(y));
            travel = fmax(travel, fabs(y - lm_table_cell(x, 0, i)));
        }
    if (s->length == 0) s->length = travel;
}

/* Forces in stiff beams are rounded with the positions that they follow from, which are far from the origin;
 * and masses follow them. */
static void use_beam(lm_scales *s, const lm_beam *b, const lm_section *c)
{
    double part = 1e-13 * s->reach / ZERO, l = b->length / b->nelements;
    double wave = c->rhoA > 0 ? sqrt(c->EA / c->rhoA) / l : 0;
    s->force = fmax(s->force, part * c->EA / l);
    s->speed = fmax(s->speed, part * wave);
    s->accel = fmax(s->accel, part * wave * wave);
    s->element = s->element > 0 ? fmin(s->element, l) : l;
    s->area = s->area > 0 ? fmin(s->area, c->A) : c->A;
}

static int use_beams(lm_scales *s)
{
    const lm_model *m = s->model;
    double *scratch = lm_alloc(sizeof(double) * (size_t)(m->section_scratch + 1));
    if (!scratch) return -1;
    for (int i = 0; i < m->nbodies; i++) {
        lm_section c;
        if (m->beams[i].nelements == 0) continue;
        lm_beam_section(m, i, 0, scratch, &c);
        use_beam(s, &m->beams[i], &c);
    }
    lm_free(scratch);
    return 0;
}

static int make_slots(lm_scales *s)
{
    const lm_spec *spec = s->model->spec;
    int most = 0;
    for (int i = 0; i < spec->outputs.n; i++) {
        int n = lm_expr_scratch(&spec->outputs.at[i].expr, 0);
        if (n > most) most = n;
    }
    s->slots = lm_alloc(sizeof(double) * ((size_t)spec->sensors.n + (size_t)most + 2));
    return s->slots ? 0 : -1;
}

void lm_scales_free(lm_scales *s)
{
    lm_free(s->slots);
    s->slots = NULL;
}

int lm_scales_read(lm_scales *s, lm_h5 *f, const char *group, const lm_table *results,
                   const lm_model *m)
{
    static const struct {
        const char *name;
        void (*use)(lm_scales *s, const lm_table *x);
    } part[] = {{"energy", use_energy},
                {"joint_forces", use_wrenches},
                {"load_forces", use_wrenches},
                {"poses", use_poses}};
    *s = (lm_scales){.model = m, .length = m ? m->size : 0};
    long rows = results->t.rows;
    if (rows > 1) s->time = lm_table_cell(results, rows - 1, 0) - lm_table_cell(results, 0, 0);
    for (int k = 0; k < 4; k++) {
        lm_table x;
        int rc = lm_table_read(f, group, part[k].name, &x);
        if (rc < 0) return rc;
        if (rc == 0) part[k].use(s, &x);
        lm_table_free(&x);
    }
    if (s->length == 0) s->length = 1;
    if (m && (make_slots(s) || use_beams(s))) return -2;
    s->force = fmax(s->force, s->energy / s->length);
    s->moment = fmax(s->moment, s->force * s->length);
    return 0;
}

/* ---- outputs ---- */

static double section_unit(const lm_scales *s, const lm_spec_sensor *x)
{
    switch (x->component) {
    case LM_SECTION_N:
    case LM_SECTION_VY:
    case LM_SECTION_VZ: return s->force;
    case LM_SECTION_STRESS: return s->area > 0 ? s->force / s->area : 0;
    default: return s->moment;
    }
}

/* What the quantity of a sensor comes to. */
static double unit_of(const lm_scales *s, const lm_spec_sensor *x)
{
    double L = s->length, rate = s->time > 0 ? 1 / s->time : 0, angle = fmin(1, L),
           turn = s->element;
    double v = fmax(L * rate, s->speed);
    double a = fmax(fmax(L * rate * rate, v3_norm(s->model->gravity)), s->accel);
    turn = turn > 0 ? fmin(turn, L) : L;
    switch (x->kind) {
    case LM_SENSOR_POS:
    case LM_SENSOR_DEFLECTION:
    case LM_SENSOR_TIP: return L;
    case LM_SENSOR_ROT: return 1;
    case LM_SENSOR_JOINT:
    case LM_SENSOR_COORDINATE: return angle;
    case LM_SENSOR_VEL: return v;
    case LM_SENSOR_OMEGA: return v / turn;
    case LM_SENSOR_RATE:
    case LM_SENSOR_COORDINATE_RATE: return angle * v / L;
    case LM_SENSOR_ACC: return a;
    case LM_SENSOR_ALPHA: return a / turn;
    case LM_SENSOR_ACCEL: return angle * a / L;
    case LM_SENSOR_FORCE: return s->force;
    case LM_SENSOR_MOMENT: return s->moment;
    case LM_SENSOR_SECTION: return section_unit(s, x);
    case LM_SENSOR_ENERGY: return s->energy;
    case LM_SENSOR_POWER: return s->energy * rate;
    default: return 0;
    }
}

/* Where it is zero is for the user to say: its size means nothing, and the unit does. */
static int has_offset(const lm_spec_sensor *x)
{
    if (x->kind == LM_SENSOR_POS) return 1;
    return x->kind == LM_SENSOR_ENERGY &&
           (x->component == LM_ENERGY_GRAVITY || x->component == LM_ENERGY_TOTAL);
}

/* What an output comes to where each of its inputs does; `zero`: and where each is as good as nothing.
 * `offset` 1: there are inputs whose zero means nothing. */
typedef struct amount {
    double unit, zero;
    int offset, energy;
} amount;

static double value(const lm_scales *s, const lm_expr *e)
{
    double y = lm_expr_eval(e, s->slots, s->slots + s->model->spec->sensors.n + 1);
    return isfinite(y) ? y : 0;
}

/* Nothing is known of expressions that read surfaces, nor of those that are singular where all inputs come to
 * their units, as the angle between points. */
static amount amount_of(const lm_scales *s, const lm_expr *e)
{
    const lm_spec *spec = s->model->spec;
    amount a = {0};
    for (int k = 0; k < e->ninputs; k++)
        if (e->inputs[k] < 0 || e->inputs[k] > spec->sensors.n) return a;
    s->slots[LM_SLOT_T] = s->time;
    for (int i = 0; i < spec->sensors.n; i++) s->slots[1 + i] = unit_of(s, &spec->sensors.at[i]);
    double here = value(s, e);
    for (int k = 0; k < e->ninputs; k++) {
        if (e->inputs[k] == LM_SLOT_T) continue;
        double *x = &s->slots[e->inputs[k]], unit = *x;
        *x = (1 + ZERO) * unit;
        a.zero += fabs(value(s, e) - here);
        *x = 2 * unit;
        a.unit += fabs(value(s, e) - here);
        *x = unit;
        const lm_spec_sensor *sensor = &spec->sensors.at[e->inputs[k] - 1];
        a.offset |= has_offset(sensor);
        a.energy |= sensor->kind == LM_SENSOR_ENERGY;
    }
    return a.zero <= 10 * ZERO * a.unit ? a : (amount){0};
}

double lm_scales_output(const lm_scales *s, const char *name, double low, double high)
{
    double size = fmax(fabs(low), fabs(high)), rounding = 1e-12 * size;
    amount a = {0};
    for (int i = 0; s->model && i < s->model->spec->outputs.n; i++) {
        const lm_spec_output *o = &s->model->spec->outputs.at[i];
        if (strcmp(o->item.name, name) == 0) a = amount_of(s, &o->expr);
    }
    if (a.offset) size = fmin(size, a.unit);
    if (a.energy) size = fmax(size, a.unit); /* what is kept is measured in what comes and goes */
    return fmax(fmax(high - low, size), fmax(a.zero, rounding));
}
