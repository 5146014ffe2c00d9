/* Frames of flexible bodies: nodes where something is joined at BEAM.at(s), places that only sensors
 * look at, frames of superelements, and what efforts that read them do to the matrix. */
#include "support/run_model.h"

#include "api/api.h"
#include "form/form.h"

#define HEAD                                                                                       \
    "limber: 1\n"                                                                                  \
    "gravity: [1, -9.81, 2]\n"                                                                     \
    "materials: {soft: {E: 2e9, nu: 0.3, rho: 2000}}\n"                                            \
    "sections: {bar: {material: soft, shape: rectangle, height: 0.04, width: 0.02}}\n"

typedef struct loaded {
    limber_model *model;
    limber_messages *msg;
} loaded;

static loaded load(const char *text)
{
    loaded l = {NULL, limber_messages_new()};
    if (limber_model_parse(text, strlen(text), "model", NULL, &l.model, l.msg)) {
        limber_messages_print(l.msg, stderr);
        fail();
    }
    return l;
}

static void drop(loaded *l)
{
    limber_model_free(l->model);
    limber_messages_free(l->msg);
}

/* ---- nodes for what is joined ---- */

#define TEN                                                                                        \
    HEAD "bodies: {arm: {type: beam, section: bar, from: [0, 0, 0], to: [1, 0, 0], elements: "     \
         "10}}\n"

/* A joint at at(0.3) is the joint at node(3). */
static void at_a_node(void **state)
{
    (void)state;
    run_how how = {.text = TEN
                   "joints: {hinge: {type: revolute, between: [ground, arm.at(0.3)], axis: z}}\n"
                   "analysis: {type: dynamics, until: 0.05, output_step: 0.01}\n"
                   "outputs: {x: pos(arm.end), F: force(hinge), n: pos(arm.node(7))}\n"};
    table a = run_model(&how);
    how.swap[0][0] = "arm.at(0.3)";
    how.swap[0][1] = "arm.node(3)";
    table b = run_model(&how);
    assert_true(table_distance_all(&a, &b) == 0);
    table_free(&a);
    table_free(&b);
}

static void same3(lm_v3 a, double x, double y, double z)
{
    if (!(v3_norm(v3_sub(a, v3(x, y, z))) <= 1e-15))
        fail_msg("(%.17g %.17g %.17g), expected (%g %g %g)", a.x, a.y, a.z, x, y, z);
}

static const lm_frame *find(const lm_model *m, const char *name)
{
    for (int i = 0; i < m->nframes; i++)
        if (strcmp(m->spec->frames.at[i].name, name) == 0) return &m->frames[i];
    fail_msg("no frame %s", name);
    return NULL;
}

/* Two things between nodes make two nodes; node(k) stays where it was; what only a sensor looks at
 * stays between. */
static void between_nodes(void **state)
{
    (void)state;
    loaded l =
        load(TEN "joints: {hinge: {type: revolute, between: [ground, arm.at(0.33)], axis: z}}\n"
                 "forces: {s: {type: spring, between: [\"ground.at(0, 2, 0)\", arm.at(0.36)],"
                 " stiffness: 9}}\n"
                 "loads:\n"
                 "  a: {on: arm.at(0.33), force: [1, 0, 0]}\n"
                 "  b: {on: arm.end, force: [\"pos(arm.at(0.85)).y\", 0, 0]}\n"
                 "outputs: {a: pos(arm.at(0.34)).x, b: pos(arm.node(3)).x,"
                 " c: pos(arm.node(4)).x, d: pos(arm.end).x}\n");
    const lm_model *m = &l.model->m;
    const lm_beam *b = &m->beams[0];
    assert_int_equal(b->nextra, 3);
    assert_int_equal(b->nelements, 13);
    assert_int_equal(m->nnodes, 14);
    static const struct {
        const char *name;
        int node, k;
        double x;
    } frames[] = {{"arm.node(3)", 3, 3, 0.3},     {"arm.at(0.33)", 4, -1, 0.33},
                  {"arm.at(0.36)", 5, -1, 0.36},  {"arm.node(4)", 6, 4, 0.4},
                  {"arm.at(0.85)", 11, -1, 0.85}, {"arm.end", 13, 10, 1}};
    for (int i = 0; i < 6; i++) {
        const lm_frame *f = find(m, frames[i].name);
        double s = NAN;
        char name[60];
        assert_int_equal(f->node, frames[i].node);
        same3(f->x, frames[i].x, 0, 0);
        same3(m->nodes[f->node].x, frames[i].x, 0, 0);
        assert_int_equal(lm_beam_node_name(m, f->node, &s), frames[i].k);
        if (frames[i].k >= 0) continue;
        snprintf(name, sizeof name, "arm.at(%g)", s);
        assert_string_equal(name, frames[i].name);
    }
    assert_int_equal(find(m, "arm.at(0.34)")->node, LM_BETWEEN_NODES);
    double length = 0;
    for (int k = 0; k < b->nelements; k++) {
        const lm_element *e = &m->elements[b->first_element + k];
        assert_int_equal(e->node[0], k);
        assert_int_equal(e->node[1], k + 1);
        assert_true(e->s[0] == (k ? e[-1].s[1] : 0));
        length += e->shape.L;
    }
    assert_near(length, 1, 1e-15);
    drop(&l);
}

/* Hanging a weight between nodes of a few elements or on a node of many is the same to a load on a
 * beam, whose elements are exact. */
static void a_weight_between_nodes(void **state)
{
    (void)state;
    run_how how = {.text = TEN
                   "joints: {clamp: {type: fixed, between: [ground, arm.start]}}\n"
                   "loads: {w: {on: arm.at(0.35), force: [0, -0.1, 0.05]}}\n"
                   "analysis: {type: statics}\n"
                   "outputs: {x: pos(arm.end), M: \"section(arm, 0.1).Mz\", tip: tip(arm)}\n",
                   .swap = {{"gravity: [1, -9.81, 2]", ""}}};
    table a = run_model(&how);
    how.swap[1][0] = "elements: 10";
    how.swap[1][1] = "elements: 20";
    table b = run_model(&how);
    for (int i = 1; i < a.cols; i++) {
        double value = table_last(&b, b.name[i]);
        assert_near(table_last(&a, a.name[i]), value, 1e-7 * fabs(value) + 1e-11);
    }
    table_free(&a);
    table_free(&b);
}

/* On a polyline places go by length: legs 1 and 4 in 3 elements have nodes at 0.2 and 0.6. */
static void polyline(void **state)
{
    (void)state;
    loaded l = load(HEAD "bodies: {arm: {type: beam, section: bar, elements: 3,\n"
                         "  points: [[0, 0, 0], [1, 0, 0], [1, 4, 0]]}}\n"
                         "loads:\n"
                         "  a: {on: arm.at(0.2), force: [1, 0, 0]}\n"
                         "  b: {on: arm.at(0.6), force: [1, 0, 0]}\n"
                         "  c: {on: arm.at(1/3), force: [1, 0, 0]}\n"
                         "outputs: {a: pos(arm.node(1)).x, b: pos(arm.node(2)).x}\n");
    const lm_model *m = &l.model->m;
    assert_int_equal(m->nframes, 3); /* at(0.2) and at(0.6) are nodes 1 and 2 */
    same3(find(m, "arm.node(1)")->x, 1, 0, 0);
    same3(find(m, "arm.node(2)")->x, 1, 2, 0);
    assert_near(m->spec->frames.at[1].s, 0.6, 1e-15);
    assert_int_equal(m->spec->frames.at[2].kind, LM_FRAME_BEAM_AT);
    assert_near(m->frames[2].x.y, 5.0 / 3 - 1, 1e-15);
    assert_int_equal(m->frames[2].node, 2);
    assert_int_equal(find(m, "arm.node(2)")->node, 3);
    drop(&l);
}

/* Too near for an element of its own: fixed to the node, at the place that was drawn. */
static void beside_a_node(void **state)
{
    (void)state;
    loaded l = load(TEN "joints: {hinge: {type: revolute, between: [ground, arm.at(0.30005)],"
                        " axis: z}}\n");
    const lm_model *m = &l.model->m;
    const lm_frame *f = find(m, "arm.at(0.30005)");
    assert_int_equal(m->nnodes, 11);
    assert_int_equal(f->node, 3);
    assert_near(f->r.x, 5e-5, 1e-15);
    same3(f->x, 0.30005, 0, 0);
    assert_int_equal(l.msg->diag.list.n, 1);
    assert_non_null(strstr(l.msg->diag.list.at[0].text, "0.0005 of an element away"));
    drop(&l);
}

/* ---- superelements ---- */

/* A superelement that swings rigidly: its frame moves as its nodes do, as they were drawn. */
static void superelement(void **state)
{
    (void)state;
    table r = run_model(&(run_how){
        .text = HEAD
        "bodies:\n"
        "  arm: {type: superelement, beam: {section: bar, length: 0.3}, position: [0.1, 0.2, "
        "0.3],\n"
        "        orientation: {axis: [1, 1, 0], angle: 0.7}}\n"
        "joints: {hinge: {type: revolute, between: [ground, arm.end], axis: [1, 2, 3]}}\n"
        "initial: {hinge: {angle: 0.4, rate: 5}}\n"
        "analysis: {type: dynamics, until: 0.02, step: 1e-5, output_step: 1e-4}\n"
        "outputs: {x: pos(arm), v: vel(arm), w: omega(arm), r: \"rot(arm.end, arm)\",\n"
        "  X: pos(arm.start), x1: \"pos(arm.end, arm)\", e: energy(arm).total - energy.total,\n"
        "  k: energy(arm).kinetic}\n",
        .swap = {{"gravity: [1, -9.81, 2]", ""}}});
    for (int i = 1; i + 1 < r.rows; i++) {
        static const char *const axes[] = {"x", "y", "z"};
        for (int c = 0; c < 3; c++) {
            char x[8], v[8], X[8];
            snprintf(x, sizeof x, "x.%s", axes[c]);
            snprintf(v, sizeof v, "v.%s", axes[c]);
            snprintf(X, sizeof X, "X.%s", axes[c]);
            double rate = (table_get(&r, i + 1, x) - table_get(&r, i - 1, x)) / 2e-4;
            assert_near(table_get(&r, i, v), rate, 2e-4);
            assert_near(table_get(&r, i, x), table_get(&r, i, X), 1e-4);
        }
        double w =
            hypot(hypot(table_get(&r, i, "w.x"), table_get(&r, i, "w.y")), table_get(&r, i, "w.z"));
        assert_near(w, 5, 0.01);
        assert_near(table_get(&r, i, "x1.x"), 0.3, 1e-4);
        assert_near(table_get(&r, i, "r.x"), 0, 1e-4);
        assert_near(table_get(&r, i, "e"), 0, 1e-12);
        assert_true(table_get(&r, i, "k") > 0.01);
    }
    table_free(&r);
}

/* ---- derivatives ---- */

static double rnd(void) { return 2.0 * rand() / RAND_MAX - 1; }

enum { POS = 0, ROT = 3, VEL = 6, OMEGA = 9, ACC = 12, ALPHA = 15, SENSORS = 18 };

/* Sensors on the path whose velocities and accelerations at time 0 are v and a. */
static void along(lm_system *sys, double *const s[3], double t, double *out)
{
    double *q = calloc((size_t)sys->nq, 8), *dx = calloc((size_t)sys->nv, 8);
    for (int i = 0; i < sys->nv; i++) dx[i] = t * (s[1][i] + 0.5 * t * s[2][i]);
    sys->form->retract(sys, s[0], dx, q);
    lm_state st = {.q = q, .v = s[1], .a = s[2]};
    sys->form->outputs(sys, &st, out);
    free(q), free(dx);
}

static lm_m3 axes_of(const double *out) { return quat_m3(lm_quat_exp(v3_from(out + ROT))); }

/* The rotation that the columns of D make of those of R, as a vector: sum of e x d / 2. */
static lm_v3 turning(const lm_m3 *R, const lm_m3 *D)
{
    lm_v3 w = v3(0, 0, 0);
    for (int i = 0; i < 3; i++) w = v3_add(w, v3_mul(0.5, v3_cross(m3_col(R, i), m3_col(D, i))));
    return w;
}

static void near3(lm_v3 a, const double *b, double tolerance)
{
    for (int i = 0; i < 3; i++) assert_near(b[i], v3_get(a, i), tolerance);
}

/* A place in an element that is bent, twisted and turned by much moves as differences say. */
static void motion_of_a_place(void **state)
{
    (void)state;
    static const double bends[] = {1e-3, 0.2, 1.2};
    loaded l = load("limber: 1\n"
                    "sections: {bar: {shape: stiffness, EA: 3*(2 - s), EIy: 0.2*(2 - s), EIz: 0.3, "
                    "GJ: 0.1 + s, rhoA: 1, GAy: 5, GAz: 2*(1 + s)}}\n"
                    "bodies: {arm: {type: beam, section: bar, theory: timoshenko, elements: 2,\n"
                    "  points: [[0, 0, 0], [1, 0, 0], [1, 1.5, 1]]}}\n"
                    "outputs: {x: pos(arm.at(0.8)), r: rot(arm.at(0.8)), v: vel(arm.at(0.8)),\n"
                    "  w: omega(arm.at(0.8)), a: acc(arm.at(0.8)), al: alpha(arm.at(0.8))}\n");
    lm_system *sys;
    const lm_form *form = lm_form_get(LM_FORM_COROTATIONAL);
    assert_int_equal(form->create(&l.model->m, &l.msg->diag, &sys), LIMBER_OK);
    size_t nv = (size_t)sys->nv;
    double *s[3] = {calloc((size_t)sys->nq, 8), calloc(nv, 8), calloc(nv, 8)};
    double *dx = calloc(nv, 8), out[3][SENSORS];
    const double h = 1e-4;
    for (int turn = 0; turn < 30; turn++) {
        form->initial(sys, s[0], s[1]);
        for (size_t i = 0; i < nv; i++) {
            dx[i] = fmin(i % 6 < 3 ? 0.2 : 2, bends[turn % 3]) * rnd();
            s[1][i] = rnd(), s[2][i] = rnd();
        }
        form->retract(sys, s[0], dx, s[0]);
        for (int k = 0; k < 3; k++) along(sys, s, (k - 1) * h, out[k]);
        lm_m3 R[3] = {axes_of(out[0]), axes_of(out[1]), axes_of(out[2])}, D1, D2;
        for (int i = 0; i < 9; i++) {
            D1.m[i] = (R[2].m[i] - R[0].m[i]) / (2 * h);
            D2.m[i] = (R[2].m[i] - 2 * R[1].m[i] + R[0].m[i]) / (h * h);
        }
        lm_v3 x[3] = {v3_from(out[0]), v3_from(out[1]), v3_from(out[2])};
        lm_v3 twice = v3_sub(v3_add(x[2], x[0]), v3_mul(2, x[1]));
        near3(v3_mul(0.5 / h, v3_sub(x[2], x[0])), out[1] + VEL, 1e-7);
        near3(v3_mul(1 / (h * h), twice), out[1] + ACC, 1e-6);
        near3(turning(&R[1], &D1), out[1] + OMEGA, 1e-7);
        near3(turning(&R[1], &D2), out[1] + ALPHA, 1e-6);
    }
    free(s[0]), free(s[1]), free(s[2]), free(dx);
    form->destroy(sys);
    drop(&l);
}

/* Whatever the state, section forces jump at a node by what the equations of motion lack there. */
static void jump_at_a_node(void **state)
{
    (void)state;
    loaded l = load("limber: 1\n"
                    "gravity: [1, 2, -3]\n"
                    "sections: {bar: {shape: stiffness, EA: 30, EIy: 2, EIz: 3, GJ: 1, rhoA: 1,\n"
                    "  rhoIy: 0.01, rhoIz: 0.02, damping: {mass: 0.7, stiffness: 0.2}}}\n"
                    "bodies: {arm: {type: beam, section: bar, from: [0, 0, 0], to: [1, 2, 1]}}\n"
                    "outputs:\n"
                    "  N(k=0..1): section(arm, 0.5 + (2*k - 1)*1e-11).N\n"
                    "  Vy(k=0..1): section(arm, 0.5 + (2*k - 1)*1e-11).Vy\n"
                    "  Vz(k=0..1): section(arm, 0.5 + (2*k - 1)*1e-11).Vz\n"
                    "  T(k=0..1): section(arm, 0.5 + (2*k - 1)*1e-11).T\n"
                    "  My(k=0..1): section(arm, 0.5 + (2*k - 1)*1e-11).My\n"
                    "  Mz(k=0..1): section(arm, 0.5 + (2*k - 1)*1e-11).Mz\n");
    lm_system *sys;
    const lm_form *form = lm_form_get(LM_FORM_COROTATIONAL);
    assert_int_equal(form->create(&l.model->m, &l.msg->diag, &sys), LIMBER_OK);
    size_t nv = (size_t)sys->nv;
    double *q = calloc((size_t)sys->nq, 8), *v = calloc(nv, 8), *a = calloc(nv, 8);
    double *dx = calloc(nv, 8), *r = calloc(nv, 8), out[12];
    form->initial(sys, q, v);
    for (size_t i = 0; i < nv; i++) dx[i] = 0.1 * rnd(), v[i] = rnd(), a[i] = rnd();
    form->retract(sys, q, dx, q);
    lm_state st = {.q = q, .v = v, .a = a};
    assert_int_equal(form->residual(sys, &st, r, NULL, NULL), 0);
    assert_int_equal(form->outputs(sys, &st, out), 0);
    lm_m3 R = quat_m3(quat_from(q + 7 * 2 + 3)); /* node 2, in the middle */
    for (int i = 0; i < 6; i++) {
        lm_v3 lacks = m3_tv(&R, v3_from(r + 6 * 2 + 3 * (i / 3)));
        assert_near(out[2 * i] - out[2 * i + 1], v3_get(lacks, i % 3), 1e-8);
    }
    free(q), free(v), free(a), free(dx), free(r);
    form->destroy(sys);
    drop(&l);
}

/* ---- efforts that read flexible bodies ---- */

/* Column i of K, D or M by differences of the residual. */
static void difference(lm_system *sys, double *const s[4], int which, int i, double *out)
{
    const double h = 1e-6;
    double *q = calloc((size_t)sys->nq, 8), *dx = calloc((size_t)sys->nv, 8);
    double *r[2] = {calloc((size_t)sys->nv, 8), calloc((size_t)sys->nv, 8)};
    for (int side = 0; side < 2; side++) {
        double e = side ? h : -h, keep = which ? s[which][i] : 0;
        memcpy(q, s[0], sizeof(double) * (size_t)sys->nq);
        if (which == 0) {
            dx[i] = e;
            sys->form->retract(sys, s[0], dx, q);
        } else
            s[which][i] += e;
        lm_state st = {0.3, q, s[1], s[2], s[3]};
        assert_int_equal(sys->form->residual(sys, &st, r[side], NULL, NULL), 0);
        if (which) s[which][i] = keep;
    }
    for (int k = 0; k < sys->nv; k++) out[k] = (r[1][k] - r[0][k]) / (2 * h);
    free(q), free(dx), free(r[0]), free(r[1]);
}

/* Sensors with nodes of their own, tip and at(s), are exact in the matrix. */
static void matrix(void **state)
{
    (void)state;
    loaded l = load(
        "limber: 1\n"
        "sections: {bar: {shape: stiffness, EA: 3, EIy: 0.2, EIz: 0.3, GJ: 0.1, rhoA: 1}}\n"
        "bodies: {arm: {type: beam, section: bar, from: [0, 0, 0], to: [1, 0, 0], elements: 2}}\n"
        "joints: {j: {type: revolute, between: [ground, arm.start], axis: z, effort:\n"
        "  \"3*tip(arm).y - tip(arm).x*vel(arm.at(0.3)).y + acc(arm.at(0.3), arm.end).x\"}}\n"
        "loads: {f: {on: arm.at(0.7), force: [0, \"omega(arm.at(0.3)).z\", \"2*tip(arm).z\"]}}\n");
    lm_system *sys;
    const lm_form *form = lm_form_get(LM_FORM_COROTATIONAL);
    assert_int_equal(form->create(&l.model->m, &l.msg->diag, &sys), LIMBER_OK);
    size_t nv = (size_t)sys->nv, n = nv + (size_t)sys->nl;
    double *s[4] = {calloc((size_t)sys->nq, 8), calloc(n, 8), calloc(n, 8), calloc(n, 8)};
    double *values = calloc((size_t)sys->pattern.nnz, 8), *col = calloc(n, 8), *dx = calloc(n, 8);
    form->initial(sys, s[0], s[1]);
    form->select_rows(sys, 0, s[0], 0);
    for (size_t i = 0; i < n; i++)
        dx[i] = 0.1 * rnd(), s[1][i] = rnd(), s[2][i] = rnd(), s[3][i] = rnd();
    form->retract(sys, s[0], dx, s[0]);
    for (int which = 0; which < 3; which++) {
        lm_state st = {0.3, s[0], s[1], s[2], s[3]};
        form->jacobian(sys, &st, which == 2, which == 1, which == 0, values);
        for (int i = 0; i < sys->nv; i++) {
            difference(sys, s, which, i, col);
            for (int k = sys->pattern.colptr[i]; k < sys->pattern.colptr[i + 1]; k++) {
                int row = sys->pattern.rowind[k];
                if (row < sys->nv) assert_near(values[k], col[row], 1e-7 * (1 + fabs(col[row])));
                if (row < sys->nv) col[row] = 0;
            }
            for (size_t k = 0; k < nv; k++) assert_near(col[k], 0, 1e-7);
        }
    }
    for (int k = 0; k < 4; k++) free(s[k]);
    free(values), free(col), free(dx);
    form->destroy(sys);
    drop(&l);
}

/* What cannot be measured is refused when the system is made. */
static void refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } cases[] = {
        {HEAD "bodies: {ring: {type: beam, section: bar, elements: 8,\n"
              "  points: [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 0]]}}\n"
              "outputs: {d: \"deflection(ring, 0.5).y\"}\n",
         "the ends of beam 'ring' coincide"},
        {HEAD "bodies: {arm: {type: superelement, beam: {section: bar, length: 1}}}\n"
              "outputs: {a: acc(arm).x}\n",
         "known at its nodes only; take one of them, as arm.start"},
    };
    for (int i = 0; i < 2; i++) {
        loaded l = load(cases[i].text);
        lm_system *sys;
        const lm_form *form = lm_form_get(LM_FORM_COROTATIONAL);
        int st = form->create(&l.model->m, &l.msg->diag, &sys);
        assert_int_equal(st, LIMBER_UNSUPPORTED);
        assert_non_null(strstr(l.msg->diag.list.at[0].text, cases[i].says));
        drop(&l);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_a_node),
        cmocka_unit_test(between_nodes),
        cmocka_unit_test(a_weight_between_nodes),
        cmocka_unit_test(polyline),
        cmocka_unit_test(beside_a_node),
        cmocka_unit_test(superelement),
        cmocka_unit_test(motion_of_a_place),
        cmocka_unit_test(jump_at_a_node),
        cmocka_unit_test(matrix),
        cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
