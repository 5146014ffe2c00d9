/* Superelements of a model: matrices from files or made from a beam, their checks, their frames. */
#include "elem/corot_beam.h"
#include "model/model.h"
#include "test_superelement_env.h"

#include <sys/stat.h>
#include <unistd.h>

/* ---- models ---- */

static lm_diag diag;

/* Read and compile; the model lies in tests/broken, so that `parts/` are its files. */
static int load(lm_model *m, const char *text, void (*edit)(lm_spec *))
{
    char name[400];
    lm_spec *spec = NULL;
    jmp_buf oom;
    snprintf(name, sizeof name, "%s/broken/model.yaml", getenv("TESTS"));
    memset(m, 0, sizeof *m);
    memset(&diag, 0, sizeof diag);
    int rc = lm_read_text(&m->arena, &diag, text, strlen(text), name, NULL, &spec);
    if (rc) return rc;
    m->arena.on_fail = &oom;
    if (setjmp(oom)) return -2;
    if (edit) edit(spec);
    return lm_compile(m, spec, &diag);
}

static void close_model(lm_model *m)
{
    lm_arena_free(&m->arena);
    lm_diag_free(&diag);
}

static void load_ok(lm_model *m, const char *text, void (*edit)(lm_spec *))
{
    if (load(m, text, edit) || diag.list.n)
        fail_msg("%s", diag.list.n ? diag.list.at[0].text : "out of memory");
}

static double difference(int n, const double *a, const double *b)
{
    double most = 0, size = 0;
    for (int i = 0; i < n; i++) {
        most = fmax(most, fabs(a[i] - b[i]));
        size = fmax(size, fabs(b[i]));
    }
    assert_true(size > 0);
    return most / size;
}

/* ---- made from a beam ---- */

#define BEAM                                                                                       \
    "limber: 1\n"                                                                                  \
    "sections: {bar: {shape: stiffness, EA: 300, EIy: 5, EIz: 5, GJ: 3, rhoA: 0.7,"                \
    " damping: {mass: 0.2, stiffness: 0.1}}}\n"                                                    \
    "bodies: {arm: {type: superelement, beam: {section: bar, length: 2}}}\n"

/* The reader makes two nodes; here are as many as `beam_nodes`. */
static int beam_nodes;
static void more_nodes(lm_spec *spec)
{
    lm_spec_body *b = &spec->bodies.at[0];
    b->nodes = LM_NEW_N(spec->arena, lm_spec_node, beam_nodes);
    b->nnodes = beam_nodes;
    for (int i = 0; i < beam_nodes; i++) {
        b->nodes[i].name = "node";
        b->nodes[i].pose.position[0] = b->beam_length * i / (beam_nodes - 1);
    }
}

static void test_from_beam(void **unused)
{
    static body b;
    lm_model m;
    rod r = {2, 300, 5, 3, 0.7, 0};
    (void)unused;
    for (beam_nodes = 2; beam_nodes <= 5; beam_nodes++) {
        int n = 36 * beam_nodes * beam_nodes;
        load_ok(&m, BEAM, more_nodes);
        make_rod(&b, beam_nodes, r, LM_SUPER_MEAN);
        assert_int_equal(m.nsupers, 1);
        const lm_super *s = &m.supers[0];
        assert_int_equal(s->n, beam_nodes);
        assert_int_equal(s->poses, beam_nodes);
        assert_under(difference(n, s->K, b.K), 1e-13);
        assert_under(difference(n, s->M, b.M), 1e-13);
        assert_near(s->mass, 1.4, 1e-13);
        assert_under(v3_norm(v3_sub(s->moment, v3(1.4, 0, 0))), 1e-13);
        assert_near(s->alpha, 0.2, 0);
        assert_near(s->beta, 0.1, 0);
        assert_null(s->C);
        close_model(&m);
    }
}

/* `nodes` beside `beam`: in any order, more of them than are looked up one by one; the ends come by
 * themselves, under the names `start` and `end`, where none of them is there. */
static void test_nodes_of_beam(void **unused)
{
    static body b;
    lm_model m;
    rod r = {2, 300, 5, 3, 0.7, 0};
    (void)unused;
    load_ok(&m,
            "limber: 1\n"
            "sections: {bar: {shape: stiffness, EA: 300, EIy: 5, EIz: 5, GJ: 3, rhoA: 0.7}}\n"
            "bodies:\n"
            "  arm: {type: superelement, beam: {section: bar, length: 2},\n"
            "        nodes: {tip: [2, 0, 0], p(k=1..3): [2 - 0.5*k, 0, 0]}}\n"
            "  long: {type: superelement, beam: {section: bar, length: 2},\n"
            "         nodes: {p(k=1..39): [2 - 0.05*k, 0, 0]}}\n"
            "outputs: {x: pos(arm.p(3)).x, y: pos(long.p(7)).x}\n",
            NULL);
    static const char *const names[] = {"start", "p(3)", "p(2)", "p(1)", "tip"};
    const lm_spec_body *arm = &m.spec->bodies.at[0], *long_one = &m.spec->bodies.at[1];
    const lm_super *s = &m.supers[0];
    assert_int_equal(s->n, 5);
    make_rod(&b, 5, r, LM_SUPER_MEAN);
    assert_under(difference(900, s->K, b.K), 1e-13);
    assert_under(difference(900, s->M, b.M), 1e-13);
    for (int i = 0; i < 5; i++) assert_string_equal(arm->nodes[i].name, names[i]);
    assert_int_equal(m.supers[1].n, 41);
    assert_string_equal(long_one->nodes[40].name, "end");
    for (int i = 0; i < m.spec->frames.n; i++) {
        const lm_spec_frame *f = &m.spec->frames.at[i];
        const char *name = m.spec->bodies.at[f->body].nodes[f->node].name;
        assert_string_equal(name, f->body == 0 ? "p(3)" : "p(7)");
    }
    close_model(&m);
}

/* The damping matrix of a file beside the matrices of a beam. */
static void test_damping_of_beam(void **unused)
{
    lm_model m;
    (void)unused;
    load_ok(&m,
            "limber: 1\n"
            "sections: {bar: {shape: stiffness, EA: 300, EIy: 5, EIz: 5, GJ: 3, rhoA: 0.7}}\n"
            "bodies:\n"
            "  arm: {type: superelement, beam: {section: bar, length: 1},\n"
            "        damping: parts/beam_stiffness.mtx}\n"
            "  file: {type: superelement, mass: parts/beam_mass.mtx,\n"
            "         stiffness: parts/beam_stiffness.mtx,\n"
            "         nodes: {a: [0, 0, 0], b: [1, 0, 0]}}\n",
            NULL);
    assert_non_null(m.supers[0].C);
    assert_under(difference(144, m.supers[0].C, m.supers[1].K), 1e-15);
    assert_near(m.supers[0].mass, 0.7, 1e-13);
    close_model(&m);
}

/* A cone of steel, with shear and rotary inertia: mass and centre by its volume, and a stiffness
 * that a file of its own matrices would pass the checks with (see test_checked). */
static void test_from_tapered_beam(void **unused)
{
    lm_model m;
    double pi = 3.14159265358979323846, r0 = 0.1, r1 = 0.05, L = 3;
    (void)unused;
    load_ok(&m,
            "limber: 1\n"
            "materials: {steel: {E: 2.1e11, nu: 0.3, rho: 7800, damping: {stiffness: 1e-5}}}\n"
            "sections: {cone: {material: steel, shape: circle, radius: \"0.1 - 0.05*s\"}}\n"
            "bodies: {arm: {type: superelement, beam: {section: cone, length: 3}}}\n",
            NULL);
    const lm_super *s = &m.supers[0];
    double mass = 7800 * pi * L / 3 * (r0 * r0 + r0 * r1 + r1 * r1);
    double first = 7800 * pi * L * L * (r0 * r0 / 12 + r0 * r1 / 6 + r1 * r1 / 4);
    assert_near(s->mass, mass, 1e-6 * mass);
    assert_under(v3_norm(v3_sub(s->moment, v3(first, 0, 0))), 1e-6 * first);
    assert_near(s->beta, 1e-5, 0);
    /* rigid motions have no energy: K r = 0 */
    for (int k = 0; k < 6; k++) {
        lm_v3 e = v3(k % 3 == 0, k % 3 == 1, k % 3 == 2), f = v3(0, 0, 0);
        double r[12] = {0}, force[12] = {0}, most = 0;
        v3_put(r, k < 3 ? e : f);
        v3_put(r + 6, k < 3 ? e : v3_cross(e, v3(L, 0, 0)));
        if (k >= 3) v3_put(r + 3, e), v3_put(r + 9, e);
        for (int j = 0; j < 12; j++)
            for (int i = 0; i < 12; i++) {
                force[i] += s->K[12 * j + i] * r[j];
                most = fmax(most, fabs(s->K[12 * j + i] * r[j]));
            }
        for (int i = 0; i < 12; i++) assert_under(fabs(force[i]), 1e-13 * most);
    }
    close_model(&m);
}

static lm_lane same(double x) { return (lm_lane){x, x, x, x}; }

/* The largest difference of the forces in fifty states that are deformed by `shift`, with rates up to `speed`. */
static double against_beam(const lm_super *s, const lm_corot_const *c, double shift, double speed)
{
    const lm_m3 E = m3_identity();
    const double none[3] = {0, 0, 0};
    static double scratch[100 * DOFS];
    body b = {.s = *s, .X = {v3(0, 0, 0), v3(2, 0, 0)}, .R0 = {E, E}};
    lm_corot_state lanes;
    double worst = 0;
    srand(8);
    for (int trial = 0; trial < 50; trial++) {
        state st = random_state(&b, shift, shift);
        lm_lane f[2][6];
        double super[12];
        for (int k = 0; k < 12; k++) st.v[k] *= speed;
        lm_super_state now = view(&st);
        for (int i = 0; i < 2; i++) {
            const double *x = &st.x[i].x;
            for (int k = 0; k < 3; k++) lanes.x[i][k] = same(x[k]);
            for (int k = 0; k < 9; k++) lanes.R[i][k] = same(st.R[i].m[k]);
            for (int k = 0; k < 6; k++) {
                lanes.v[i][k] = same(st.v[6 * i + k]);
                lanes.a[i][k] = same(st.a[6 * i + k]);
            }
        }
        lm_corot_residual(c, &lanes, none, f);
        assert_int_equal(lm_super_residual(s, &now, v3(0, 0, 0), scratch, super), 0);
        for (int i = 0; i < 12; i++) worst = fmax(worst, fabs(super[i] - f[i / 6][i % 6][0]));
    }
    return worst;
}

/* A superelement of two nodes with the chord's frame is an element of a beam, but for what the beam's
 * strains, seen from its middle section, have beyond the linear ones: products of deformations. The
 * damping sees their rates, deformation by velocity (2.4935e-3 of the deformation here). */
static void test_against_beam(void **unused)
{
    lm_model m;
    lm_corot_const c = {0}; /* its lanes are filled one by one */
    lm_m3 E = m3_identity();
    (void)unused;
    load_ok(&m,
            "limber: 1\n"
            "materials: {steel: {E: 100, nu: 0.3, rho: 3, damping: {stiffness: 0.02}}}\n"
            "sections: {cone: {material: steel, shape: rectangle, height: \"0.3 - 0.1*s\", "
            "width: 0.4}}\n"
            "bodies:\n"
            "  arm: {type: superelement, beam: {section: cone, length: 2, deformations: small}, "
            "frame: chord}\n"
            "  rod: {type: beam, section: cone, from: [0, 0, 0], to: [2, 0, 0], elements: 1}\n",
            NULL);
    const lm_super *s = &m.supers[0];
    lm_beam_shape shape = m.elements[0].shape;
    assert_null(s->chain);
    for (int k = 0; k < 3; k++) /* a superelement knows no bow, and no change of its length */
        shape.bowz[k] = shape.bowy[k] = shape.turnz[k] = shape.turny[k] = 0;
    for (int k = 0; k < 4; k++) /* and inertia about its chord only */
        shape.gyroy[k] = shape.gyroz[k] = 0;
    for (int k = 0; k < 3; k++) shape.spiny[k] = shape.spinz[k] = 0;
    for (int lane = 0; lane < 4; lane++) lm_corot_const_set(&c, lane, &shape, &E, &E, s->beta);
    assert_under(against_beam(s, &c, 0, 1), 1e-13);
    assert_under(against_beam(s, &c, 1e-7, 0), 1e-13);
    for (double shift = 1e-9; shift < 1e-5; shift *= 10)
        assert_near(against_beam(s, &c, shift, 1), 2.4935e-3 * shift, 1e-5 * shift);
    close_model(&m);
}

/* ---- from files ---- */

#define FILES "type: superelement, mass: parts/beam_mass.mtx, stiffness: parts/beam_stiffness.mtx"

static void test_from_files(void **unused)
{
    static body b;
    lm_model m;
    rod r = {1, 1000, 10, 8, 2.1, 0.01};
    (void)unused;
    load_ok(&m,
            "limber: 1\n"
            "bodies:\n"
            "  ball: {type: rigid, mass: 1}\n"
            "  arm(k=1..3): {" FILES ", damping: parts/beam_stiffness.mtx, nodes: {a: [0, 0, 0], "
            "b: {position: [1, 0, 0], orientation: {axis: [0, 0, 1], angle: 0.5}}}}\n",
            NULL);
    make_rod(&b, 2, r, LM_SUPER_MEAN);
    assert_int_equal(m.nsupers, 3);
    assert_int_equal(m.bodies[0].super, -1);
    for (int k = 0; k < 3; k++) {
        assert_int_equal(m.bodies[1 + k].super, k);
        const lm_super *s = &m.supers[k];
        assert_under(difference(144, s->K, b.K), 1e-9); /* ten digits in the file */
        assert_under(difference(144, s->M, b.M), 1e-9);
        assert_memory_equal(s->C, s->K, 144 * sizeof(double));
        assert_ptr_equal(s->K, m.supers[0].K); /* kept once */
        assert_near(s->mass, 2.1, 1e-9);
        assert_under(v3_norm(v3_sub(s->moment, v3(1.05, 0, 0))), 1e-9);
        lm_m3 turn = lm_rot_axis_angle(v3(0, 0, 1), 0.5);
        assert_under(difference(9, s->R0[1].m, turn.m), 1e-15);
    }
    close_model(&m);
}

static void test_frame_of_model(void **unused)
{
    static const struct {
        const char *frame;
        lm_super_frame kind;
        int node;
    } list[] = {{"", LM_SUPER_MEAN, 0},
                {", frame: mean", LM_SUPER_MEAN, 0},
                {", frame: chord", LM_SUPER_CHORD, 0},
                {", frame: a", LM_SUPER_NODE, 0},
                {", frame: b", LM_SUPER_NODE, 1},
                {", frame: \"base * disp(0.5, 0, 0)\"", LM_SUPER_GIVEN, 0}};
    (void)unused;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        char text[600];
        lm_model m;
        snprintf(text, sizeof text,
                 "limber: 1\ncoordinates: {q: {}}\nframes: {base: rotz(q)}\nbodies:\n  arm: {" FILES
                 ", nodes: {a: [0, 0, 0], b: [1, 0, 0]}, motion: {a: base, b: \"base * "
                 "disp(1, 0, 0)\"}%s}\n",
                 list[i].frame);
        load_ok(&m, text, NULL);
        assert_int_equal(m.supers[0].frame, list[i].kind);
        assert_int_equal(m.supers[0].frame_node, list[i].node);
        assert_int_equal(m.supers[0].poses, list[i].kind == LM_SUPER_GIVEN ? 3 : 2);
        close_model(&m);
    }
}

/* ---- checks ---- */

static void write_matrix(const char *path, int n, const double *A, int digits, double length)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "%%%%MatrixMarket matrix array real general\n%d %d\n", n, n);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) { /* the unit of length divided by `length` */
            double unit = pow(length, (i % 6 >= 3) + (j % 6 >= 3));
            fprintf(f, "%.*e\n", digits - 1, unit * A[n * j + i]);
        }
    fclose(f);
}

/* A slender beam, in metres and in millimetres, written with few digits, is no cause for messages,
 * and half a percent of its length is. */
static void test_checked(void **unused)
{
    static body b;
    rod r = {10, 2.1e7, 175, 134, 0.78, 1e-6};
    char folder[300], path[2][340], text[1200];
    lm_model m;
    (void)unused;
    make_rod(&b, 5, r, LM_SUPER_MEAN);
    snprintf(folder, sizeof folder, "%s/superelement_%d", getenv("SCRATCH"), (int)getpid());
    mkdir(folder, 0700);
    snprintf(path[0], sizeof path[0], "%s/m.mtx", folder);
    snprintf(path[1], sizeof path[1], "%s/k.mtx", folder);
    for (int unit = 0; unit < 2; unit++)
        for (int wrong = 0; wrong < 2; wrong++) {
            double length = unit ? 1000 : 1, at = 2.5 * length * (wrong ? 1.005 : 1);
            write_matrix(path[0], 30, b.M, 7, length);
            write_matrix(path[1], 30, b.K, 7, length);
            snprintf(text, sizeof text,
                     "limber: 1\nbodies:\n  arm: {type: superelement, mass: %s, stiffness: %s, "
                     "nodes: {n(k=0..4): [%.17g*k, 0, 0]}}\n",
                     path[0], path[1], at);
            int rc = load(&m, text, NULL);
            assert_int_equal(rc, wrong ? -1 : 0);
            assert_int_equal(diag.list.n, wrong);
            if (wrong)
                assert_non_null(strstr(diag.list.at[0].text, "resists rigid motion: rotation y"));
            close_model(&m);
        }
    unlink(path[0]);
    unlink(path[1]);
    rmdir(folder);
}

/* Every allocation fails in turn: no crash, nothing left behind. */
static void test_memory(void **unused)
{
    int failed = 0;
    (void)unused;
    for (long k = 1;; k++) {
        lm_model m;
        long live = lm_mem_live();
        lm_mem_fail_after(k);
        int rc = load(&m,
                      "limber: 1\nbodies: {arm: {" FILES
                      ", nodes: {a: [0, 0, 0], b: [1, 0, 0]}, frame: chord}}\n",
                      NULL);
        lm_mem_fail_after(0);
        failed += rc != 0;
        close_model(&m);
        assert_int_equal(lm_mem_live(), live);
        if (rc == 0) break;
        assert_true(k < 1000);
    }
    assert_true(failed > 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_from_beam),      cmocka_unit_test(test_from_tapered_beam),
        cmocka_unit_test(test_against_beam),   cmocka_unit_test(test_from_files),
        cmocka_unit_test(test_frame_of_model), cmocka_unit_test(test_checked),
        cmocka_unit_test(test_nodes_of_beam),  cmocka_unit_test(test_damping_of_beam),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
