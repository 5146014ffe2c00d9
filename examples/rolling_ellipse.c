/* Kinematics in C: an elliptic disc that rolls on the floor without slipping. How far it has come when
 * it has turned by an angle is an elliptic integral, which no expression of a model file can say, but a
 * C function can: `frames: {centre: external(angle)}`. */
#include <limber/limber.h>
#include <math.h>

static const char text[] =
    "limber: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "parameters: {a: 0.3, b: 0.2, m: 2}\n"
    "coordinates: {angle: {value: 1.2}}\n"
    "frames: {centre: external(angle)}\n"
    "bodies: {disc: {type: rigid, mass: m, inertia: [m*b^2/4, m*a^2/4, m*(a^2 + b^2)/4], "
    "motion: centre}}\n"
    "analysis: {type: dynamics, until: 3, method: bdf, tolerance: 1e-6}\n"
    "outputs: {angle: angle, x: pos(disc).x, y: pos(disc).y, energy: energy.total}\n";

typedef struct ellipse {
    double a, b; /* half axes, along x and y of the disc */
} ellipse;

/* Height of the centre above the floor. */
static double height(const ellipse *e, double angle)
{
    return hypot(e->a * sin(angle), e->b * cos(angle));
}

/* Length of floor passed while turning from 0 to the angle: the integral of the height, by Gauss's
 * formula with three points. As many pieces for every angle: a number that changed with it would make
 * small jumps, and poses must be smooth. */
static double rolled(const ellipse *e, double angle)
{
    enum { PIECES = 64 };
    double d = angle / PIECES, r = sqrt(0.6) / 2, sum = 0;
    for (int k = 0; k < PIECES; k++) {
        double middle = (k + 0.5) * d;
        sum +=
            5 * height(e, middle - r * d) + 8 * height(e, middle) + 5 * height(e, middle + r * d);
    }
    return sum * d / 18;
}

/* The pose of `centre`, the only external frame. */
static int pose(void *context, double t, const double *q, limber_pose *out)
{
    const ellipse *e = context;
    (void)t;
    out[0] = limber_pose_mul(limber_pose_disp(-rolled(e, q[0]), height(e, q[0]), 0),
                             limber_pose_rotz(q[0]));
    return 0;
}

/* Its velocity by a unit rate of the angle: optional, but more exact and much faster than differences
 * of the pose, and here without the integral. */
static int partial(void *context, double t, const double *q, limber_twist *column)
{
    const ellipse *e = context;
    double h = height(e, q[0]);
    (void)t;
    column[0].linear[0] = -h;
    column[0].linear[1] = (e->a * e->a - e->b * e->b) * sin(q[0]) * cos(q[0]) / h;
    column[0].angular[2] = 1;
    return 0;
}

static limber_status roll(limber_simulation *sim)
{
    double out[4];
    printf("   t    angle        x        y    energy\n");
    for (int k = 0; k <= 30; k++) {
        limber_status st = k ? limber_simulation_advance(sim, 0.1 * k) : LIMBER_OK;
        if (st == LIMBER_OK) st = limber_simulation_outputs(sim, out);
        if (st != LIMBER_OK) {
            fprintf(stderr, "rolling_ellipse: %s\n", limber_simulation_reason(sim));
            return st;
        }
        printf("%4.1f %8.4f %8.4f %8.4f %9.6f\n", limber_simulation_time(sim), out[0], out[1],
               out[2], out[3]);
    }
    return LIMBER_OK;
}

int main(void)
{
    ellipse e = {0.3, 0.2};
    limber_kinematics kinematics = {
        .coordinates = 1, .frames = 1, .pose = pose, .partial = partial, .context = &e};
    limber_load_options how = limber_load_options_default();
    limber_model *model = NULL;
    limber_simulation *sim = NULL;
    limber_messages *msg = limber_messages_new();
    if (!msg) return 1;
    how.kinematics = &kinematics;
    limber_status st = limber_model_parse(text, sizeof text - 1, "ellipse", &how, &model, msg);
    if (st == LIMBER_OK) st = limber_simulation_new(model, &sim, msg);
    limber_messages_print(msg, stderr); /* nothing when all is well */
    if (st == LIMBER_OK) st = roll(sim);
    if (sim) limber_messages_print(limber_simulation_messages(sim), stderr);
    limber_simulation_free(sim);
    limber_model_free(model);
    limber_messages_free(msg);
    return st == LIMBER_OK ? 0 : 1;
}
