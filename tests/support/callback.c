#include "support/callback.h"

/* Used from the ground, on another frame, under another frame, and inverted. */
#define PARTS                                                                                      \
    "limber: 1\n"                                                                                  \
    "gravity: [0.3, -9.81, 0.2]\n"                                                                 \
    "parameters: {shake: 0}\n"                                                                     \
    "sections:\n"                                                                                  \
    "  bar: {shape: stiffness, EA: 50, EIy: 3, EIz: 4, GJ: 2, rhoA: 1, rhoIy: 0.1, rhoIz: 0.2}\n"  \
    "coordinates: {a: {value: 0.4}, b: {value: 0.1, rate: 0.5}, c: {}, d: {value: 0.2}}\n"         \
    "bodies:\n"                                                                                    \
    "  arm: {type: superelement, beam: {section: bar, length: 1}, motion: {start: hand, end: "     \
    "tip}}\n"                                                                                      \
    "  block: {type: rigid, mass: 2, inertia: [1, 1.5, 2, 0.1, 0.2, -0.1], com: [0.1, -0.2, "      \
    "0.3],\n"                                                                                      \
    "    motion: tool, frames: {p: [0.4, 0.1, -0.2]}}\n"                                           \
    "  mirror: {type: rigid, mass: 1, inertia: [0.3, 0.2, 0.1], motion: back}\n"                   \
    "forces:\n"                                                                                    \
    "  s1: {type: spring, between: [block.p, \"ground.at(1,1,1)\"], stiffness: 20, length: 0.7}\n" \
    "  s2: {type: spring, between: [mirror, \"ground.at(0,-1,1)\"], stiffness: 30, length: 0.2}\n" \
    "outputs: {a: a, b: b, c: c, d: d, x: pos(block).x, v: vel(mirror).z, f: acc(block).y,\n"      \
    "  w: omega(block).x, al: alpha(mirror).y, energy: energy.total, tip: pos(arm.end).y}\n"

#define REST                                                                                       \
    "  turn: rotx(0.3*c) * leg * rotz(d)\n"                                                        \
    "  tool: turn * disp(0.2, d*d, 0)\n"                                                           \
    "  tip: hand * disp(1 + 0.1*c, 0.1*d, 0) * rotz(0.1*d)\n"                                      \
    "  back: inv(hand) * disp(0, 0, 0.5)\n"

const char callback_by_expressions[] =
    PARTS "frames:\n"
          "  hand: rotz(a) * disp(1 + 0.2*sin(b), 0.3*a*b, 0) * rotx(b)\n"
          "  leg: disp(shake*sin(3*t), exp(0.2*c), 0.1*c*b) * roty(c + 0.5*sin(b))\n" REST;

const char callback_by_c[] = PARTS "frames:\n"
                                   "  hand: external(a, b)\n"
                                   "  leg: external(b, c, t)\n" REST;

int callback_pose(void *context, double t, const double *q, limber_pose *out)
{
    double shake = context ? *(const double *)context : 0;
    out[HAND] =
        limber_pose_mul(limber_pose_rotz(q[A]),
                        limber_pose_mul(limber_pose_disp(1 + 0.2 * sin(q[B]), 0.3 * q[A] * q[B], 0),
                                        limber_pose_rotx(q[B])));
    out[LEG] =
        limber_pose_mul(limber_pose_disp(shake * sin(3 * t), exp(0.2 * q[C]), 0.1 * q[C] * q[B]),
                        limber_pose_roty(q[C] + 0.5 * sin(q[B])));
    return 0;
}

static limber_twist twist(double vx, double vy, double vz, double wx, double wy, double wz)
{
    return (limber_twist){{vx, vy, vz}, {wx, wy, wz}};
}

int callback_partial(void *context, double t, const double *q, limber_twist *column)
{
    double shake = context ? *(const double *)context : 0;
    double c = cos(q[A]), s = sin(q[A]);
    double x = 1 + 0.2 * sin(q[B]), y = 0.3 * q[A] * q[B], ya = 0.3 * q[B];
    double xb = 0.2 * cos(q[B]), yb = 0.3 * q[A];
    limber_twist *hand = column + (NQ + 1) * HAND, *leg = column + (NQ + 1) * LEG;
    hand[A] = twist(-s * x - c * y - s * ya, c * x - s * y + c * ya, 0, 0, 0, 1);
    hand[B] = twist(c * xb - s * yb, s * xb + c * yb, 0, c, s, 0);
    leg[B] = twist(0, 0, 0.1 * q[C], 0, 0.5 * cos(q[B]), 0);
    leg[C] = twist(0, 0.2 * exp(0.2 * q[C]), 0.1 * q[B], 0, 1, 0);
    leg[NQ] = twist(3 * shake * cos(3 * t), 0, 0, 0, 0, 0);
    return 0;
}

const limber_kinematics callback_plain = {
    .coordinates = NQ, .frames = FRAMES, .pose = callback_pose};
const limber_kinematics callback_exact = {
    .coordinates = NQ, .frames = FRAMES, .pose = callback_pose, .partial = callback_partial};

double callback_shake = 0.1;

const char callback_dynamics[] = "{type: dynamics, until: 1}";

void free_messages(limber_messages *msg, int show)
{
    if (show) limber_messages_print(msg, stderr);
    limber_messages_free(msg);
}

limber_status callback_load(const char *text, const char *analysis, const limber_kinematics *k,
                            int shake, limber_model **model, limber_messages *msg)
{
    static const char *const set[] = {"shake=0.1"};
    char all[4000];
    limber_load_options how = limber_load_options_default();
    how.kinematics = k;
    how.set = set;
    how.set_count = shake;
    int n = snprintf(all, sizeof all, "%sanalysis: %s\n", text, analysis);
    return limber_model_parse(all, (size_t)n, "model", &how, model, msg);
}

limber_model *callback_model(const char *text, const char *analysis, const limber_kinematics *k,
                             int shake)
{
    limber_model *model;
    limber_messages *msg = limber_messages_new();
    limber_status st = callback_load(text, analysis, k, shake, &model, msg);
    free_messages(msg, st != LIMBER_OK);
    assert_int_equal(st, LIMBER_OK);
    return model;
}

limber_status callback_run(const char *text, const char *analysis, const limber_kinematics *k,
                           limber_run_options *opt, limber_summary *sum)
{
    limber_messages *msg = limber_messages_new();
    limber_model *m = callback_model(text, analysis, k, 0);
    limber_status st = limber_run(m, opt, sum, msg);
    limber_model_free(m);
    limber_messages_free(msg);
    return st;
}
