/* What variables are measured in while they have no values of their own yet.
 *
 * A machine that starts at rest has zeros in its variables, and errors over the largest value so far
 * would be errors over rounding. What is known then is how much the motions count that variables follow:
 * a thousandth of the mechanism's size, or of a radian, is what any variable must be able to answer to.
 * So that much of every position that is sensed, and of every value that there is, goes through the
 * equations up to the next states; a state answers until it has settled, or for the time dt.
 *
 * The twist of a spring in the power graph is a motion as those of the mechanism, and has their rounding: it
 * is measured as they are, in parts of a radian or of the mechanism's size. Beside flexible bodies, whose
 * steps are ruled by their small deflections, in larger ones. Where such a spring counts, so do the masses and
 * coils that it moves: a linear storage is measured at least by the state in which it holds a millionth of
 * the energy of the others.
 *
 * A state that a damper moves, or that integrates a rate, has moved with the mechanism and by its rounding,
 * however short the time: it is measured by what that much of a motion does to it, and the states that follow
 * it, as in a filter of second order, by what it does to them. So are all states that have no measure else and
 * follow others, behind delays too: an input that sets in gently would make units of its first traces in each of
 * them, and methods of second order would take steps by the time since then, sqrt(t) times shorter. */
#include "form/machine_int.h"

#include <math.h>

#define PART           1e-3
#define TWIST          1e-5
#define TWIST_FLEXIBLE 1e-2
#define ENERGY_PART    1e-6
#define FOLLOWS                                                                                    \
    0.03 /* of what states do to others in the time dt, which may be more than in a run */

static int is_position(lm_sensor_kind kind)
{
    return kind == LM_SENSOR_POS || kind == LM_SENSOR_ROT || kind == LM_SENSOR_JOINT ||
           kind == LM_SENSOR_DEFLECTION || kind == LM_SENSOR_TIP || kind == LM_SENSOR_COORDINATE;
}

static int is_velocity(lm_sensor_kind kind)
{
    return kind == LM_SENSOR_VEL || kind == LM_SENSOR_OMEGA || kind == LM_SENSOR_RATE ||
           kind == LM_SENSOR_COORDINATE_RATE;
}

/* How far the sensor, or the integral of its rate, goes with the mechanism's size. */
static double sensor_reach(machine *s, const lm_state *in, int i, int rate, double size)
{
    const machine_sensor *x = &s->sensor[i];
    lm_sensor_kind kind = s->spec->sensors.at[x->sensor].kind;
    double most = 0;
    if (rate ? !is_velocity(kind) : !is_position(kind)) return 0;
    s->in->form->ports->sensor_gradient(s->in, in, x->sensor, 0, rate, !rate, x->gradient);
    for (int e = 0; e < x->n; e++) {
        double unit = x->unknown[e] < s->in->nv && s->in->angular[x->unknown[e]] ? 1 : size;
        most = fmax(most, unit * fabs(x->gradient[e]));
    }
    return most;
}

/* What comes out of the delay in a slot moves as the variables that go in, later; 0: there is none in it. */
static double delay_reach(machine *s, int slot, const double *reach)
{
    const lm_spec_sensor *c = slot > 0 ? &s->spec->sensors.at[slot - 1] : NULL;
    double sum = 0, *grad = s->hess;
    if (!c || c->kind != LM_SENSOR_DELAY) return 0;
    const lm_expr *input = &s->spec->delays.at[c->state].input;
    lm_expr_grad(input, s->in->form->ports->slots(s->in), s->scratch, grad);
    for (int i = 0; i < input->ninputs; i++) {
        c = input->inputs[i] > 0 ? &s->spec->sensors.at[input->inputs[i] - 1] : NULL;
        if (c && c->kind == LM_SENSOR_VARIABLE && isfinite(grad[i]))
            sum += fabs(grad[i]) * reach[c->variable];
    }
    return sum;
}

/* What reaches the equation of variable k: of the sensors, and of the other variables; and how fast a state
 * follows. */
static double sum_of(machine *s, int k, const double *sensors, const double *reach, double *follows)
{
    const machine_row *row = &s->row[k];
    const lm_spec_variable *x = &s->spec->variables.at[k];
    double sum = 0, decay = 0;
    *follows = 0;
    if (x->kind == LM_VARIABLE_RATE) return 0;
    lm_expr_grad(&x->expr, s->in->form->ports->slots(s->in), s->scratch, s->grad);
    for (int i = 0; i < row->nterms; i++) {
        const machine_term *t = &row->term[i];
        double slope = fabs(s->grad[i]);
        if (!isfinite(slope)) continue;
        if (t->kind == TERM_CONSTANT) sum += slope * delay_reach(s, t->slot, reach);
        if (t->kind == TERM_SENSOR) sum += slope * sensors[t->of];
        if (t->kind == TERM_VALUE && t->of == k) decay = slope;
        if (t->kind == TERM_VALUE && t->of != k) sum += slope * reach[t->of];
    }
    *follows = decay;
    return sum;
}

static int is_state(const machine *s, int k)
{
    return s->spec->variables.at[k].kind == LM_VARIABLE_STATE;
}

static double reach_of(machine *s, int k, double dt, const double *sensors, const double *reach)
{
    double decay, sum = sum_of(s, k, sensors, reach, &decay);
    return is_state(s, k) ? sum * fmin(dt, 1 / decay) : sum;
}

static double twist(const machine *s, int k, double size)
{
    int moves = s->spec->variables.at[k].moves;
    double part = s->sys.flexible ? TWIST_FLEXIBLE : TWIST;
    return moves == 1 ? part : moves == 2 ? part * size : 0;
}

/* What the linear storage i holds in a state of the size of its scale; 0: it is none. */
static double energy_of_scale(machine *s, int i, const double *scale)
{
    const lm_spec_element *e = &s->spec->elements.at[i];
    int storage = e->type == LM_ELEMENT_C || e->type == LM_ELEMENT_I;
    if (!storage || e->state < 0 || !lm_expr_is_affine(&e->law)) return 0;
    const double x = scale[e->state], middle[2] = {0, 0.5 * x};
    return fabs(x * lm_expr_eval(&e->law, middle, s->scratch));
}

static void compare_energies(machine *s, double *scale)
{
    double most = 0;
    for (int i = 0; i < s->spec->elements.n; i++) most = fmax(most, energy_of_scale(s, i, scale));
    for (int i = 0; i < s->spec->elements.n; i++) {
        double least = ENERGY_PART * most, energy = energy_of_scale(s, i, scale);
        if (energy > 0 && energy < least)
            scale[s->spec->elements.at[i].state] *= sqrt(least / energy);
    }
}

/* What the motions do to the values, by the sensors and the states that have moved. */
static void move_values(machine *s, const double *sensors, double *moved)
{
    double decay;
    for (int i = 0; i < s->norder; i++) {
        int k = s->order[i];
        if (k >= 0 && !is_state(s, k)) moved[k] = sum_of(s, k, sensors, moved, &decay);
    }
}

/* Moves the states that follow those which have moved, for the time dt or until they have settled, each once. */
static int move_followers(machine *s, double dt, const double *sensors, double *moved, double *next)
{
    int found = 0;
    move_values(s, sensors, moved);
    for (int k = 0; k < s->n; k++) {
        next[k] = is_state(s, k) && moved[k] == 0 ? reach_of(s, k, dt, sensors, moved) : 0;
        found = found || next[k] > 0;
    }
    for (int k = 0; k < s->n; k++)
        if (next[k] > 0) moved[k] = next[k];
    return found;
}

/* A state that follows a rate keeps what the mechanism has moved, in no time; others follow it in time. */
static void compare_dampers(machine *s, const lm_state *in, double size, double dt, double *scale)
{
    double *moved = s->reach, *sensors = moved + s->n, *next = sensors + s->nsensors, decay;
    for (int k = 0; k < s->n; k++) moved[k] = 0;
    for (int i = 0; i < s->nsensors; i++) sensors[i] = TWIST * sensor_reach(s, in, i, 1, size);
    move_values(s, sensors, moved);
    for (int k = 0; k < s->n; k++)
        next[k] = is_state(s, k) ? sum_of(s, k, sensors, moved, &decay) : moved[k];
    for (int k = 0; k < s->n; k++) moved[k] = next[k];
    for (int i = 0; i < s->nsensors; i++) sensors[i] = 0;
    double *kept = s->sys.discrete->moved;
    for (int k = 0; k < s->n; k++)
        if (is_state(s, k)) kept[k] = fmax(kept[k], moved[k] / TWIST);
    while (move_followers(s, dt, sensors, moved, next)) continue;
    for (int k = 0; k < s->n; k++)
        if (is_state(s, k)) scale[k] = fmax(scale[k], moved[k]);
}

/* States that are measured by no more than `none` are so by what the others do to them, in their measures. */
static void follow(machine *s, double dt, double none, double *scale)
{
    double *moved = s->reach, *sensors = moved + s->n, *next = sensors + s->nsensors;
    for (int k = 0; k < s->n; k++) moved[k] = is_state(s, k) && scale[k] > none ? scale[k] : 0;
    for (int i = 0; i < s->nsensors; i++) sensors[i] = 0;
    while (move_followers(s, dt, sensors, moved, next)) continue;
    for (int k = 0; k < s->n; k++)
        if (is_state(s, k)) scale[k] = fmax(scale[k], FOLLOWS * moved[k]);
}

void lm_machine_follow(lm_system *sys, const lm_state *st, double dt, double *scale)
{
    machine *s = (machine *)sys;
    lm_state in = machine_enter(s, st);
    if (!s->in->form->jacobian(s->in, &in, 1, 0, 0, s->inner[0])) follow(s, dt, 0, scale);
}

void lm_machine_reach(lm_system *sys, const lm_state *st, double size, double dt)
{
    machine *s = (machine *)sys;
    double *reach = s->reach, *sensors = reach + s->n, *scale = sys->discrete->scale;
    lm_state in = machine_enter(s, st);
    if (s->in->form->jacobian(s->in, &in, 1, 0, 0, s->inner[0])) return; /* wanted are the slots */
    for (int k = 0; k < s->n; k++) reach[k] = PART * scale[k];
    for (int i = 0; i < s->nsensors; i++) sensors[i] = PART * sensor_reach(s, &in, i, 0, size);
    for (int i = 0; i < s->norder; i++) {
        int k = s->order[i];
        if (k < 0) continue; /* a loop: its values tell */
        reach[k] = fmax(reach[k], reach_of(s, k, dt, sensors, reach));
    }
    for (int k = 0; k < s->n; k++) {
        double least = s->follows[k] ? reach[k] : reach_of(s, k, dt, sensors, reach);
        scale[k] = fmax(scale[k], fmax(least, twist(s, k, size)));
    }
    compare_energies(s, scale);
    compare_dampers(s, &in, size, dt, scale);
    follow(s, dt, LM_SCALE_NONE, scale);
}
