/* A pendulum on the public API: read a model, advance it in steps of our own, see its outputs. */
#include <limber/limber.h>

static const char text[] =
    "limber: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies: {bob: {type: rigid, mass: 1, position: [1, 0, 0]}}\n"
    "joints: {pivot: {type: revolute, between: [ground, bob], axis: z, at: [0, 0, 0]}}\n"
    "analysis: {type: dynamics, until: 2, tolerance: 1e-6}\n"
    "outputs: {angle: joint(pivot), pull: norm(force(pivot))}\n";

/* One row per 0.1 s; a controller would look at `out` and decide. */
static limber_status swing(limber_simulation *sim)
{
    double out[2];
    printf("   t    angle     pull\n");
    for (int k = 0; k <= 20; k++) {
        limber_status st = k ? limber_simulation_advance(sim, 0.1 * k) : LIMBER_OK;
        if (st == LIMBER_OK) st = limber_simulation_outputs(sim, out);
        if (st != LIMBER_OK) {
            fprintf(stderr, "pendulum: %s\n", limber_simulation_reason(sim));
            return st;
        }
        printf("%4.1f %8.4f %8.4f\n", limber_simulation_time(sim), out[0], out[1]);
    }
    return LIMBER_OK;
}

int main(void)
{
    limber_model *model = NULL;
    limber_simulation *sim = NULL;
    limber_messages *msg = limber_messages_new();
    if (!msg) return 1;
    limber_status st = limber_model_parse(text, sizeof text - 1, "pendulum", NULL, &model, msg);
    if (st == LIMBER_OK) st = limber_simulation_new(model, &sim, msg);
    limber_messages_print(msg, stderr); /* nothing when all is well */
    if (st == LIMBER_OK) st = swing(sim);
    if (sim) limber_messages_print(limber_simulation_messages(sim), stderr);
    limber_simulation_free(sim);
    limber_model_free(model);
    limber_messages_free(msg);
    return st == LIMBER_OK ? 0 : 1;
}
