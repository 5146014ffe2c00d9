/* A controller of our own, called after each accepted step: it holds a cart on a spring at its target,
 * looks at it every 10 ms, and adds up the error. What it has to remember is in the model's states, so
 * that a run that is interrupted and resumed goes on as if nothing had happened. */
#include <limber/limber.h>
#include <math.h>

static const char text[] = "limber: 1\n"
                           "parameters: {T: 0.01}\n"
                           "bodies: {cart: {type: rigid, mass: 2}}\n"
                           "joints: {rail: {type: prismatic, between: [ground, cart], axis: x, "
                           "stiffness: 50, damping: 1}}\n"
                           "states:\n"
                           "  tick: {every: T, update: t}\n" /* steps end at the multiples of T */
                           "  force: {}\n"
                           "  sum: {}\n"
                           "loads: {motor: {on: cart, force: [force, 0, 0]}}\n"
                           "analysis: {type: dynamics, until: 3, output_step: 0.25}\n"
                           "outputs: {x: pos(cart).x, v: vel(cart).x, force: force}\n";

typedef struct controller {
    int tick, force, sum; /* which states */
    double target, period;
    long samples;
} controller;

/* Proportional, integral and derivative parts, with a motor that has its limits. */
static int control(void *context, limber_step *step)
{
    controller *c = context;
    double x = step->outputs[0], v = step->outputs[1], *s = step->states;
    if (s[c->tick] != step->t) return 0; /* between the samples the force is held */
    s[c->sum] += c->period * (c->target - x);
    s[c->force] = fmax(-40, fmin(40, 200 * (c->target - x) + 300 * s[c->sum] - 30 * v));
    c->samples++;
    if (fabs(x) < 1) return 0;
    step->reason = "the cart has left the rail";
    return 1;
}

/* Rows of t, x and the force. */
static limber_status move(limber_simulation *sim)
{
    double out[3];
    printf("   t        x    force\n");
    for (int k = 0; k <= 12; k++) {
        limber_status st = k ? limber_simulation_advance(sim, 0.25 * k) : LIMBER_OK;
        if (st == LIMBER_OK) st = limber_simulation_outputs(sim, out);
        if (st != LIMBER_OK) {
            fprintf(stderr, "sampled_controller: %s\n", limber_simulation_reason(sim));
            return st;
        }
        printf("%4.2f %8.4f %8.4f\n", limber_simulation_time(sim), out[0], out[2]);
    }
    return LIMBER_OK;
}

int main(void)
{
    limber_model *model = NULL;
    limber_simulation *sim = NULL;
    limber_messages *msg = limber_messages_new();
    controller c = {.target = 0.2, .period = 0.01};
    if (!msg) return 1;
    limber_status st = limber_model_parse(text, sizeof text - 1, "cart", NULL, &model, msg);
    if (st == LIMBER_OK) {
        c.tick = limber_model_state_index(model, "tick");
        c.force = limber_model_state_index(model, "force");
        c.sum = limber_model_state_index(model, "sum");
        limber_model_on_step(model, control, &c);
        st = limber_simulation_new(model, &sim, msg);
    }
    limber_messages_print(msg, stderr); /* nothing when all is well */
    if (st == LIMBER_OK) st = move(sim);
    if (sim) limber_messages_print(limber_simulation_messages(sim), stderr);
    if (st == LIMBER_OK) printf("%ld samples\n", c.samples);
    limber_simulation_free(sim);
    limber_model_free(model);
    limber_messages_free(msg);
    return st == LIMBER_OK ? 0 : 1;
}
