/* The matrices of the formulations against differences of their residuals at random states, for models
 * with every joint, force, load and sensor. */
#include "api/api.h"
#include "form/machine_int.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* What both models below have. */
#define BODIES                                                                                     \
    "  b(k=1..8): {type: rigid, mass: 1 + k, inertia: [1, 1.5, 2, 0.1, 0.2, -0.1],\n"              \
    "    position: [k, 0.3*k, 0], com: [0.1, -0.2, 0.3], orientation: {axis: [1, k, 2], angle: "   \
    "0.3*k},\n"                                                                                    \
    "    frames: {p: [0.4, 0.1, -0.2], q: {position: [-0.3, 0.2, 0.1], orientation: {axis: [1, "   \
    "1, "                                                                                          \
    "0], angle: 0.5}}}}\n"
#define FORCES_AND_LOADS                                                                           \
    "forces:\n"                                                                                    \
    "  s1: {type: spring, between: [b(3).p, \"ground.at(1,1,1)\"], stiffness: 20, damping: 3, "    \
    "length: 0.7}\n"                                                                               \
    "  s2: {type: bushing, between: [b(4).q, b(7).p], stiffness: [10, 20, 30, 4, 5, 6], damping: " \
    "[1, 2, 3, 0.4, 0.5, 0.6]}\n"                                                                  \
    "loads:\n"                                                                                     \
    "  dead: {on: b(5).p, force: [1, 2*t, \"pos(b(2).p, b(7).q).z\"], torque: [\"rot(b(6).q, "     \
    "b(2)).y\", 0, 1]}\n"                                                                          \
    "  follow: {on: b(6).q, force: [3, \"omega(b(3), b(8)).z\", 0], torque: [1, \"alpha(b(2), "    \
    "b(5)).x\", 2], axes: local}\n"

static const char text[] =
    "limber: 1\n"
    "gravity: [0.3, -9.81, 0.2]\n"
    "bodies:\n" BODIES "joints:\n"
    "  j1: {type: revolute, between: [ground, b(1).p], axis: [1, 2, 3], stiffness: 3, damping: 2, "
    "friction: 0.4,\n"
    "       effort: \"-2*joint(j1) - 0.5*rate(j1)*joint(j1) + vel(b(3).p, b(2).q).x\"}\n"
    "  j2: {type: prismatic, between: [b(1), b(2)], axis: [0, 1, 1], stiffness: 5, damping: 1, "
    "effort: \"3*acc(b(4).p, b(1)).y\"}\n"
    "  j3: {type: cylindrical, between: [b(2), b(3)], at: [2, 2, 0], axis: x, stiffness: {angle: "
    "2, displacement: 3},\n"
    "       effort: {displacement: \"0.1*force(j4).x + 0.2*moment(j10).z + 0.3*moment(j9).y + "
    "0.2*force(j12).z\"}}\n"
    "  j4: {type: spherical, between: [b(3), b(4)], at: [3, 2, 1]}\n"
    "  j5: {type: universal, between: [b(4), b(5)], at: [4, 2, 1], axes: [[1, 0, 0], [0, 1, 1]],\n"
    "       stiffness: {angle1: 2, angle2: 4}, damping: {angle1: 0.3, angle2: 0.2}}\n"
    "  j6: {type: planar, between: [b(5), b(6)], axis: [1, 1, 0], stiffness: {angle: 1, x: 2, y: "
    "3}}\n"
    "  j7: {type: inline, between: [b(6), b(7)], at: [6, 2, 1], axis: [1, 0, 1], damping: 2}\n"
    "  j8: {type: distance, between: [b(7).p, b(8).q]}\n"
    "  j9: {type: fixed, between: [b(8), b(1)], at: [5, 5, 5]}\n"
    "  j10: {type: revolute, between: [b(2), b(6)], at: [1, 5, 5], axis: z, compliant: {stiffness: "
    "[50, 20], damping: [3, 2]}}\n"
    "  j11: {type: revolute, between: [ground, b(8).p], axis: y, drive: 0.3*sin(2*t)}\n"
    "  j12: {type: fixed, between: [b(7), b(5)], at: [3, 5, 2], compliant: {stiffness: 30, "
    "damping: 1}}\n" FORCES_AND_LOADS
    "  absolute: {on: b(1).q, force: [\"vel(b(4).p).y\", \"acc(b(4).q).z\", \"alpha(b(6)).x\"]}\n"
    "analysis: {type: dynamics, until: 1}\n";

/* For a tree: beams and a superelement besides, and no reactions read. */
static const char tree_text[] =
    "limber: 1\n"
    "gravity: [0.3, -9.81, 0.2]\n"
    "sections:\n"
    "  bar: {shape: stiffness, EA: 50, EIy: 3, EIz: 4, GJ: 2, rhoA: 1, rhoIy: 0.1, rhoIz: 0.2,\n"
    "    damping: {stiffness: 0.02}}\n"
    "bodies:\n" BODIES
    "  rod: {type: beam, section: bar, from: [9, 0, 0], to: [11, 1, 0], elements: 2}\n"
    "  plate: {type: superelement, beam: {section: bar, length: 2}, position: [11, 1, 0]}\n"
    "joints:\n"
    "  j1: {type: revolute, between: [ground, b(1).p], axis: [1, 2, 3], stiffness: 3, damping: 2,\n"
    "       effort: \"-2*joint(j1) - 0.5*rate(j1)*joint(j1) + vel(b(3).p, b(2).q).x\"}\n"
    "  j2: {type: prismatic, between: [b(2), b(1)], axis: [0, 1, 1], stiffness: 5, damping: 1, "
    "effort: \"3*acc(b(4).p, b(1)).y\"}\n"
    "  j3: {type: cylindrical, between: [b(2), b(3)], at: [2, 2, 0], axis: x, stiffness: {angle: "
    "2, displacement: 3}}\n"
    "  j4: {type: spherical, between: [b(3), b(4)], at: [3, 2, 1]}\n"
    "  j5: {type: universal, between: [b(5), b(4)], at: [4, 2, 1], axes: [[1, 0, 0], [0, 1, 1]],\n"
    "       stiffness: {angle1: 2, angle2: 4}, damping: {angle1: 0.3, angle2: 0.2}}\n"
    "  j6: {type: planar, between: [b(5), b(6)], axis: [1, 1, 0], stiffness: {angle: 1, x: 2, y: "
    "3}}\n"
    "  j7: {type: inline, between: [b(7), b(6)], at: [6, 2, 1], axis: [1, 0, 1], damping: 2}\n"
    "  j8: {type: distance, between: [b(7).p, b(8).q]}\n"
    "  j10: {type: revolute, between: [b(2), b(6)], at: [1, 5, 5], axis: z, compliant: {stiffness: "
    "[50, 20], damping: [3, 2]}}\n"
    "  j11: {type: revolute, between: [ground, b(8).p], axis: y, drive: 0.3*sin(2*t)}\n"
    "  j12: {type: revolute, between: [b(4), rod.start], at: [9, 0, 0], axis: z}\n"
    "  j13: {type: spherical, between: [rod.end, plate.start]}\n" FORCES_AND_LOADS
    "analysis: {type: dynamics, until: 1}\n";

/* Kinematics as written: nonlinear arguments, explicit time, inverses, shared and given frames. */
static const char written_text[] =
    "limber: 1\n"
    "gravity: [0.3, -9.81, 0.2]\n"
    "sections:\n"
    "  bar: {shape: stiffness, EA: 50, EIy: 3, EIz: 4, GJ: 2, rhoA: 1, rhoIy: 0.1, rhoIz: 0.2,\n"
    "    damping: {stiffness: 0.02}}\n"
    "coordinates: {a: {value: 0.2}, b: {}, c: {value: 0.1}, d: {}, e: {}, f: {value: 0.5}}\n"
    "frames:\n"
    "  base: rotz(a + 0.3*sin(2*t)) * disp(0.1*b*c, cos(a*b), 0.2)\n"
    "  tip: base * disp(2 + b, sin(c), d*d) * rotx(e) * roty(0.3*a*e) * rot([1, 1, 0], "
    "exp(0.2*c))\n"
    "  mid: base * disp(1 + b/2, c/2, d/2) * rotz(c/2)\n"
    "  arm: inv(rotx(f) * disp(f, 1, a*t)) * base * inv(tip)\n"
    "bodies:\n"
    "  rod: {type: superelement, beam: {section: bar, length: 2}, motion: {start: base, end: "
    "tip},\n"
    "    frame: mid}\n"
    "  block: {type: rigid, mass: 2, inertia: [1, 1.5, 2, 0.1, 0.2, -0.1], com: [0.1, -0.2, 0.3],\n"
    "    motion: arm, frames: {p: [0.4, 0.1, -0.2]}}\n"
    "joints:\n"
    "  loop: {type: distance, between: [rod.end, block.p]}\n"
    "  hold: {type: inline, between: [ground, block.p], axis: [1, 2, 0]}\n"
    "forces:\n"
    "  s1: {type: spring, between: [rod.end, \"ground.at(1,1,1)\"], stiffness: 20, damping: 3, "
    "length: 0.7}\n"
    "loads:\n"
    "  push: {on: rod.end, force: [1, 2*a*rate(c), \"pos(block.p).z\"], axes: local}\n"
    "  feel: {on: block, torque: [b*c, 0, \"rate(f)*vel(rod.end).x\"]}\n"
    "analysis: {type: dynamics, until: 1}\n";

/* Beams alone, for rigid finite elements: curved, tapered, sheared, branching and in a loop. */
static const char divided_text[] =
    "limber: 1\n"
    "gravity: [0.3, -9.81, 0.2]\n"
    "sections:\n"
    "  bar: {shape: stiffness, EA: 50, EIy: 3, EIz: 4, GJ: 2, GAy: 20, GAz: 30, rhoA: 1,\n"
    "    rhoIy: 0.1, rhoIz: 0.2, damping: {stiffness: 0.02}}\n"
    "  cone: {shape: stiffness, EA: 40*(1 - 0.3*s), EIy: 3*(1 - 0.3*s), EIz: 4, GJ: 2,\n"
    "    rhoA: 1 - 0.4*s, rhoIy: 0.1, rhoIz: 0.2}\n"
    "bodies:\n"
    "  arch: {type: beam, section: bar, theory: timoshenko, elements: 3,\n"
    "    points: [[0, 0, 0], [1, 0.2, 0], [2, 0.2, 0.5], [3, 0, 0.5]]}\n"
    "  twig: {type: beam, section: cone, from: [1, 0.2, 0], to: [1, 2, 1], elements: 2}\n"
    "  tie: {type: beam, section: cone, from: [1, 2, 1], to: [3, 0, 0.5], elements: 2}\n"
    "joints:\n"
    "  hinge: {type: revolute, between: [ground, arch.start], axis: [1, 2, 0], damping: 0.3}\n"
    "  fork: {type: universal, between: [arch.node(1), twig.start], axes: [[1, 0, 0], [0, 1, 1]],\n"
    "    stiffness: {angle1: 2, angle2: 4}}\n"
    "  ball: {type: spherical, between: [twig.end, tie.start]}\n"
    "  close: {type: revolute, between: [tie.end, arch.end], axis: [0, 1, 0], damping: 0.04}\n"
    "loads:\n"
    "  follow: {on: twig.node(1), force: [1, 2*t, \"pos(tie.node(1)).x\"], torque: [0.3, 1, 2],\n"
    "    axes: local}\n"
    "analysis: {type: dynamics, until: 1}\n";

/* Controllers and a power graph for the tree: states, signals, implicit laws, inertias that joints turn
 * (derivative causality), modulated elements, every kind of port. */
#define MACHINE                                                                                    \
    "blocks:\n"                                                                                    \
    "  u: {type: signal, value: \"sin(t) + 0.3*joint(j1)*x - vel(b(3).p, b(2).q).x\"}\n"           \
    "  x: {type: integrator, input: \"u - 0.5*x*x + omega(b(5)).y + 0.1*acc(b(4).p).z\", "         \
    "initial: "                                                                                    \
    "0.3}\n"                                                                                       \
    "power:\n"                                                                                     \
    "  loop: {type: 1}\n"                                                                          \
    "  source: {type: Se, effort: \"2 + u*x\", on: loop}\n"                                        \
    "  coil: {type: I, flow: \"p + 0.2*p^3\", on: loop, initial: 0.2}\n"                           \
    "  loss: {type: R, effort: \"0.5*f + 0.1*f^3\", on: loop}\n"                                   \
    "  motor: {type: GY, modulus: \"0.4 + 0.1*joint(j2)\", from: loop, to: rotor}\n"               \
    "  rotor: {type: 1}\n"                                                                         \
    "  mass: {type: I, inertia: 0.7, on: rotor}\n"                                                 \
    "  gear: {type: TF, modulus: 1/3, from: rotor, to: arm}\n"                                     \
    "  arm: {type: 1}\n"                                                                           \
    "  hinge: {type: port, joint: j1, on: arm}\n"                                                  \
    "  slides: {type: 1}\n"                                                                        \
    "  sledge: {type: I, inertia: 0.4, on: slides}\n"                                              \
    "  screw: {type: port, joint: j2, on: slides}\n"                                               \
    "  crosses: {type: 1}\n"                                                                       \
    "  spin: {type: I, inertia: 0.3, on: crosses}\n"                                               \
    "  fork: {type: port, joint: j5, coordinate: angle2, on: crosses}\n"                           \
    "  oil: {type: 0}\n"                                                                           \
    "  chamber: {type: C, effort: \"2*q + q^3\", on: oil, initial: 0.1}\n"                         \
    "  leak: {type: R, flow: \"0.3*e + 0.2*e^3\", on: oil}\n"                                      \
    "  pump: {type: Sf, flow: \"0.2*u\", on: oil}\n"                                               \
    "  piston: {type: TF, modulus: 0.6, from: oil, to: rod_end}\n"                                 \
    "  rod_end: {type: 0}\n"                                                                       \
    "  ram: {type: port, between: [b(3).p, b(6).q], on: rod_end}\n"                                \
    "  blow: {type: 1}\n"                                                                          \
    "  wind: {type: R, resistance: \"0.3 + 0.1*x^2\", on: blow}\n"                                 \
    "  sail: {type: port, frame: rod.node(1), force: [1, 2, 0], on: blow}\n"                       \
    "  twist: {type: 1}\n"                                                                         \
    "  drag: {type: R, resistance: 0.2, on: twist}\n"                                              \
    "  vane: {type: port, frame: b(8).p, torque: [0, 1, 1], on: twist}\n"                          \
    "outputs: {i: flow(coil), p: power(ram), s: state(chamber)}\n"

typedef struct state {
    double *q, *v, *a, *lam;
} state;

static double rnd(void) { return 2.0 * rand() / RAND_MAX - 1; }

static void residual(lm_system *sys, const state *s, double *r)
{
    lm_state st = {0.3, s->q, s->v, s->a, s->lam};
    assert_int_equal(sys->form->residual(sys, &st, r, r + sys->nv, NULL), 0);
}

/* Difference quotient of the residual in direction `which` (0 x, 1 v, 2 a, 3 lam), entry i. */
static void difference(lm_system *sys, const state *s, int which, int i, double h, double *out)
{
    int n = sys->nv + sys->nl;
    double *r[2] = {calloc((size_t)n, 8), calloc((size_t)n, 8)};
    double *dx = calloc((size_t)sys->nv, 8), *q = malloc(sizeof(double) * (size_t)sys->nq);
    for (int side = 0; side < 2; side++) {
        double e = side ? h : -h;
        state t = *s;
        double *at = which == 1 ? s->v : which == 2 ? s->a : s->lam;
        if (which == 0) {
            dx[i] = e;
            sys->form->retract(sys, s->q, dx, q);
            t.q = q;
            residual(sys, &t, r[side]);
        } else {
            double keep = at[i];
            at[i] += e;
            residual(sys, &t, r[side]);
            at[i] = keep;
        }
    }
    for (int k = 0; k < n; k++) out[k] = (r[1][k] - r[0][k]) / (2 * h);
    free(r[0]);
    free(r[1]);
    free(dx);
    free(q);
}

static void compare(lm_system *sys, const double *dense, const double *fd, int col,
                    const char *what, int rows)
{
    int n = sys->nv + sys->nl;
    for (int r = 0; r < rows; r++) {
        double a = dense[(size_t)col * (size_t)n + (size_t)r], b = fd[r];
        if (fabs(a - b) > 2e-6 * (1 + fabs(b))) {
            char row[160], name[160];
            sys->form->describe(sys, r, row, sizeof row);
            sys->form->describe(sys, col, name, sizeof name);
            print_message("%s: d(%s)/d(%s): %.9g, differences %.9g\n", what, row, name, a, b);
            fail();
        }
    }
}

static void expand(const lm_system *sys, const double *values, double *dense)
{
    int n = sys->nv + sys->nl;
    memset(dense, 0, sizeof(double) * (size_t)n * (size_t)n);
    for (int c = 0; c < n; c++)
        for (int k = sys->pattern.colptr[c]; k < sys->pattern.colptr[c + 1]; k++)
            dense[(size_t)c * (size_t)n + (size_t)sys->pattern.rowind[k]] = values[k];
}

static void check_state(lm_system *sys, state *s, double *values, double *dense, double *fd)
{
    int nv = sys->nv, nl = sys->nl;
    const char *what[] = {"K", "D", "M"};
    lm_state st = {0.3, s->q, s->v, s->a, s->lam};
    for (int w = 0; w < 3; w++) {
        sys->form->jacobian(sys, &st, w == 2, w == 1, w == 0, values);
        expand(sys, values, dense);
        for (int i = 0; i < nv; i++) {
            difference(sys, s, w, i, 1e-5, fd);
            compare(sys, dense, fd, i, what[w], w == 0 ? nv + nl : nv);
        }
    }
    for (int k = 0; k < nl; k++) {
        difference(sys, s, 3, k, 1e-5, fd);
        compare(sys, dense, fd, nv + k, "multiplier", nv + nl);
    }
}

/* Variables that follow from others are no unknowns to the residual: the matrix without them, by
 * elimination of their rows. 1: this column is one of them. */
static int is_gone(const lm_system *sys, int i)
{
    const machine *m = (const machine *)sys;
    int k = i - (sys->nv - sys->nvariables);
    return k >= 0 && k < sys->nvariables && m->follows[k];
}

static void eliminate(const lm_system *sys, double *dense)
{
    int n = sys->nv + sys->nl;
    for (int f = 0; f < n; f++) {
        if (!is_gone(sys, f)) continue;
        double pivot = dense[(size_t)f * (size_t)n + (size_t)f];
        for (int r = 0; r < n; r++) {
            double share = dense[(size_t)f * (size_t)n + (size_t)r] / pivot;
            for (int c = 0; c < n && r != f && share != 0; c++)
                dense[(size_t)c * (size_t)n + (size_t)r] -=
                    share * dense[(size_t)c * (size_t)n + (size_t)f];
        }
    }
}

/* M, D and K in one mixture, without those variables. */
static void check_machine(lm_system *sys, state *s, double *values, double *dense, double *fd)
{
    int nv = sys->nv, n = nv + sys->nl;
    const double c[3] = {0.7, 0.4, 1.3}; /* of K, D, M */
    double *part = calloc((size_t)n, 8);
    lm_state st = {0.3, s->q, s->v, s->a, s->lam};
    sys->form->jacobian(sys, &st, c[2], c[1], c[0], values);
    expand(sys, values, dense);
    eliminate(sys, dense);
    for (int i = 0; i < nv; i++) {
        if (is_gone(sys, i)) continue;
        memset(fd, 0, sizeof(double) * (size_t)n);
        for (int w = 0; w < 3; w++) {
            difference(sys, s, w, i, 1e-5, part);
            for (int k = 0; k < nv; k++) fd[k] += c[w] * (is_gone(sys, k) ? 0 : part[k]);
        }
        for (int k = 0; k < nv; k++)
            if (is_gone(sys, k)) dense[(size_t)i * (size_t)n + (size_t)k] = 0;
        compare(sys, dense, fd, i, "mixture", nv);
    }
    free(part);
}

/* The motion of a companion, as wild as the states. */
typedef struct wild {
    lm_motion base;
    state s;
} wild;

static int wild_at(lm_motion *m, double t, lm_state *out)
{
    const state *s = &((wild *)m)->s;
    *out = (lm_state){t, s->q, s->v, s->a, s->lam};
    return 0;
}

static void wild_done(lm_motion *m) { (void)m; }

static wild wild_motion(lm_system *c)
{
    size_t n = (size_t)(c->nv + c->nl);
    wild w = {.base = {.at = wild_at, .destroy = wild_done, .version = 1}};
    w.s = (state){calloc((size_t)c->nq, 8), calloc(n, 8), calloc(n, 8), calloc(n, 8)};
    double *dx = calloc(n, 8);
    c->form->initial(c, w.s.q, w.s.v);
    for (size_t i = 0; i < n; i++) {
        dx[i] = 0.1 * rnd();
        w.s.v[i] = rnd(), w.s.a[i] = rnd(), w.s.lam[i] = 3 * rnd();
    }
    c->form->retract(c, w.s.q, dx, w.s.q);
    free(dx);
    return w;
}

static void wild_free(wild *w) { free(w->s.q), free(w->s.v), free(w->s.a), free(w->s.lam); }

static void check_model(const char *model_text, lm_formulation_type formulation)
{
    limber_messages *msg = limber_messages_new();
    limber_model *model;
    limber_status st =
        limber_model_parse(model_text, strlen(model_text), "tangent", NULL, &model, msg);
    if (st) limber_messages_print(msg, stderr);
    assert_int_equal(st, LIMBER_OK);
    lm_system *sys;
    const lm_form *form = lm_form_get(formulation);
    st = lm_system_create(form, &model->m, &msg->diag, &sys);
    if (st) limber_messages_print(msg, stderr);
    assert_int_equal(st, LIMBER_OK);
    form = sys->form; /* of a divided model: that of its coordinates */
    size_t n = (size_t)(sys->nv + sys->nl);
    state s = {calloc((size_t)sys->nq, 8), calloc(n, 8), calloc(n, 8), calloc(n, 8)};
    double *values = calloc((size_t)sys->pattern.nnz, 8), *dense = calloc(n * n, 8);
    double *fd = calloc(n, 8), *dx = calloc(n, 8);
    wild known = {0};
    if (sys->companion) {
        known = wild_motion(sys->companion);
        sys->motion = &known.base;
    }
    form->initial(sys, s.q, s.v);
    form->select_rows(sys, 0, s.q, 0);
    for (int turn = 0; turn < 3; turn++) {
        for (size_t i = 0; i < n; i++) {
            dx[i] = 0.15 * rnd();
            s.v[i] = rnd();
            s.a[i] = rnd();
            s.lam[i] = 3 * rnd();
        }
        form->retract(sys, s.q, dx, s.q);
        (sys->nvariables ? check_machine : check_state)(sys, &s, values, dense, fd);
    }
    free(s.q), free(s.v), free(s.a), free(s.lam);
    free(values), free(dense), free(fd), free(dx);
    form->destroy(sys);
    wild_free(&known);
    limber_model_free(model);
    limber_messages_free(msg);
}

static void nodal_tangent(void **unused)
{
    (void)unused;
    check_model(text, LM_FORM_COROTATIONAL);
    check_model(tree_text, LM_FORM_COROTATIONAL);
}

static void tree_tangent(void **unused)
{
    (void)unused;
    check_model(tree_text, LM_FORM_MINIMAL);
}

static void written_tangent(void **unused)
{
    (void)unused;
    check_model(written_text, LM_FORM_MINIMAL);
}

/* The paper's elastic forces have a tangent too. */
static void paper_tangent(void **unused)
{
    static char all[sizeof written_text + 80];
    (void)unused;
    snprintf(all, sizeof all, "%sformulation: {type: minimal, elastic_forces: paper}\n",
             written_text);
    check_model(all, LM_FORM_MINIMAL);
}

static void divided_tangent(void **unused)
{
    static const char *const text_of[] = {tree_text, divided_text};
    static const char *const options[] = {"coordinates: joint", "coordinates: absolute",
                                          "coordinates: joint, springs: all",
                                          "coordinates: absolute, springs: all",
                                          "coordinates: absolute, closure: spring, "
                                          "closure_stiffness: 2"};
    static char all[sizeof tree_text + sizeof divided_text + 120];
    (void)unused;
    for (int i = 0; i < 2; i++)
        for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
            snprintf(all, sizeof all, "%sformulation: {type: rfe, %s}\n", text_of[i], options[k]);
            check_model(all, LM_FORM_RFE);
        }
}

static void floating_tangent(void **unused)
{
    static const char *const text_of[] = {tree_text, divided_text};
    static const char *const options[] = {"basis: spline", "basis: modes, modes: 2",
                                          "basis: spline, substructures: 2",
                                          "basis: spline, stiffening: false"};
    static char all[sizeof tree_text + sizeof divided_text + 120];
    (void)unused;
    check_model(text, LM_FORM_FFR);
    for (int i = 0; i < 2; i++)
        for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
            snprintf(all, sizeof all, "%sformulation: {type: ffr, %s}\n", text_of[i], options[k]);
            check_model(all, LM_FORM_FFR);
        }
}

static void moving_tangent(void **unused)
{
    static const char *const text_of[] = {tree_text, divided_text};
    static char all[sizeof tree_text + sizeof divided_text + 120];
    (void)unused;
    check_model(text, LM_FORM_ELASTODYNAMIC);
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++) {
            snprintf(all, sizeof all, "%sformulation: {type: elastodynamic, stiffening: %s}\n",
                     text_of[i], k ? "true" : "false");
            check_model(all, LM_FORM_ELASTODYNAMIC);
        }
}

static void machine_tangent(void **unused)
{
    static char all[sizeof tree_text + sizeof MACHINE + 80];
    static const lm_formulation_type form[] = {LM_FORM_COROTATIONAL, LM_FORM_MINIMAL, LM_FORM_FFR,
                                               LM_FORM_ELASTODYNAMIC};
    (void)unused;
    snprintf(all, sizeof all, "%s%s", tree_text, MACHINE);
    for (size_t i = 0; i < sizeof form / sizeof *form; i++) check_model(all, form[i]);
    for (int k = 0; k < 2; k++) {
        snprintf(all, sizeof all, "%s%sformulation: {type: rfe, coordinates: %s}\n", tree_text,
                 MACHINE, k ? "joint" : "absolute");
        check_model(all, LM_FORM_RFE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodal_tangent),   cmocka_unit_test(tree_tangent),
        cmocka_unit_test(written_tangent), cmocka_unit_test(paper_tangent),
        cmocka_unit_test(divided_tangent), cmocka_unit_test(floating_tangent),
        cmocka_unit_test(moving_tangent),  cmocka_unit_test(machine_tangent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
