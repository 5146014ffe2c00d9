/* The reader on models that are right: every part of the format arrives in the spec. */
#include "test_reader_env.h"

static const char slider_crank[] =
    "limber: 1\n"
    "title: Flexible slider-crank falling under its own weight\n"
    "parameters: {L1: 0.5, L2: 1.0, H: 0.05, W: 0.005}\n"
    "gravity: [0, -9.81, 0]\n"
    "materials:\n"
    "  soft_steel: {E: 2.1e10, nu: 0.3, rho: 7800, damping: {mass: 0, stiffness: 1e-5}}\n"
    "sections:\n"
    "  strip: {material: soft_steel, shape: rectangle, height: H, width: W}\n"
    "bodies:\n"
    "  crank:  {type: beam, section: strip, from: [0, 0, 0], to: [L1, 0, 0], elements: 4}\n"
    "  rod:    {type: beam, section: strip, from: [L1, 0, 0], to: [L1 + L2, 0, 0], elements: 8}\n"
    "  slider: {type: rigid, mass: 0.0, position: [L1 + L2, 0, 0]}\n"
    "joints:\n"
    "  pivot: {type: revolute,  between: [ground, crank.start], axis: z}\n"
    "  pin:   {type: revolute,  between: [crank.end, rod.start], axis: z}\n"
    "  wrist: {type: revolute,  between: [rod.end, slider], axis: z}\n"
    "  guide: {type: prismatic, between: [ground, slider], axis: x}\n"
    "analysis: {type: dynamics, until: 1.0, output_step: 1e-3}\n"
    "outputs:\n"
    "  deflection: deflection(rod, 0.5).y\n"
    "  slider_x: pos(slider).x\n";

static void slider_crank_arrives(void **state)
{
    (void)state;
    model m;
    model_read(&m, slider_crank);
    const lm_spec *s = m.spec;
    assert_string_equal(s->title, "Flexible slider-crank falling under its own weight");
    assert_string_equal(s->text, slider_crank);
    near3(s->gravity, 0, -9.81, 0);
    near(s->materials.at[0].G, 2.1e10 / 2.6);
    near(s->materials.at[0].damping_stiffness, 1e-5);
    near(s->sections.at[0].height.value, 0.05);
    assert_true(isnan(s->sections.at[0].radius.value));
    assert_int_equal(s->bodies.n, 3);
    const lm_spec_body *rod = &s->bodies.at[1];
    assert_int_equal(rod->type, LM_BODY_BEAM);
    assert_int_equal(rod->elements, 8);
    assert_int_equal(rod->end_section, -1);
    near3(rod->points[1], 1.5, 0, 0);
    assert_int_equal(s->joints.n, 4);
    assert_int_equal(s->frames.n, 6);
    const lm_spec_joint *pin = &s->joints.at[1];
    assert_string_equal(s->frames.at[pin->frame[0]].name, "crank.end");
    assert_int_equal(s->frames.at[pin->frame[0]].node, 4);
    near3(pin->axis, 0, 0, 1);
    assert_int_equal(s->analyses.n, 1);
    near(s->analyses.at[0].tolerance, 1e-4);
    near(s->analyses.at[0].rho_inf, 0.8);
    assert_int_equal(s->outputs.n, 2);
    const lm_spec_sensor *d = &s->sensors.at[s->outputs.at[0].expr.inputs[0] - 1];
    assert_int_equal(d->kind, LM_SENSOR_DEFLECTION);
    assert_int_equal(d->component, 1);
    near(d->s, 0.5);
    assert_int_equal(s->formulation.type, LM_FORM_COROTATIONAL);
    assert_false(s->formulation.given);
    model_close(&m);
}

#define STEEL "materials: {steel: {E: 2e11, G: 8e10, rho: 7800}}\n"
#define BAR   "sections: {bar: {material: steel, shape: circle, radius: 0.01}}\n"
#define HEAD  "limber: 1\n" STEEL BAR

static void minimal_coordinates(void **state)
{
    (void)state;
    model m;
    model_read(&m, HEAD
               "parameters: {L: 2}\n"
               "coordinates: {q0: {}, q1: {}, q2: {}, q3: {}, q4: {value: 1, rate: 2}, q5: {}}\n"
               "frames:\n"
               "  tip:  base * disp(L + q1, q2, q3) * inv(rotx(q4) * rot([0, 1, 0], 2*t))\n"
               "  base: rotz(q0)\n"
               "bodies:\n"
               "  arm: {type: superelement, beam: {section: bar, length: L}, motion: {start: base,"
               " end: tip}, frame: base}\n"
               "  slider: {type: rigid, mass: 5, motion: \"disp(q4, 0, 0)\"}\n"
               "initial: {q0: {value: 3}, q5: {rate: 4}}\n"
               "outputs: {a: q1 + rate(q0), b: pos(arm.end)}\n");
    const lm_spec *s = m.spec;
    assert_int_equal(s->formulation.type, LM_FORM_MINIMAL);
    assert_int_equal(s->coordinates.n, 6);
    near(s->coordinates.at[4].rate, 2);
    assert_int_equal(s->products.n, 3);
    const lm_spec_body *arm = &s->bodies.at[0];
    assert_int_equal(arm->nnodes, 2);
    near(arm->nodes[1].pose.position[0], 2);
    const lm_product *tip = &s->products.at[arm->nodes[1].motion];
    assert_string_equal(tip->item.name, "tip");
    assert_int_equal(tip->nfactors, 4);
    assert_int_equal(tip->factors[0].kind, LM_FACTOR_FRAME);
    assert_int_equal(tip->factors[0].frame, arm->nodes[0].motion);
    assert_true(tip->factors[0].frame < arm->nodes[1].motion); /* in order of dependence */
    assert_int_equal(tip->factors[1].arg[0].inputs[0], 2);     /* q1: slot 1 + 1 */
    assert_int_equal(tip->factors[2].kind, LM_FACTOR_ROT);     /* inv() turns the order round */
    assert_true(tip->factors[2].inverse && tip->factors[3].inverse);
    assert_int_equal(tip->factors[3].kind, LM_FACTOR_ROTX);
    assert_int_equal(arm->frame_product, arm->nodes[0].motion);
    assert_int_equal(s->bodies.at[1].motion, 2);
    assert_int_equal(s->initial.n, 2);
    assert_int_equal(s->initial.at[1].coordinate, 5);
    assert_true(s->initial.at[1].has_rate && !s->initial.at[1].has_value);
    assert_int_equal(s->outputs.n, 4);
    assert_string_equal(s->outputs.at[3].item.name, "b.z");
    model_close(&m);
}

static void chain_by_repetition(void **state)
{
    (void)state;
    model m;
    const char *const set[] = {"N=M + 1"};
    const lm_read_options options = {.set = set, .nset = 1};
    model_open(
        &m,
        HEAD "parameters: {N: 4, M: 2*2}\n"
             "bodies:\n"
             "  link(k=1..N): {type: beam, section: bar, from: [k - 1, 0, 0], to: [k, 0, 0]}\n"
             "joints:\n"
             "  pin(1): {type: revolute, between: [ground, link(1).start], axis: z}\n"
             "  pin(k=2..N): {type: revolute, between: [link(k-1).end, link(k).start], axis: z}\n"
             "initial: {pin(k=1..N): {angle: 0.1*k}, velocity: {link(k=2..3): {linear: [k,0,0]}}}\n"
             "outputs: {tip(k=1..N): pos(link(k).end).x, last: joint(pin(N))}\n",
        &options);
    assert_int_equal(m.status, LIMBER_OK);
    const lm_spec *s = m.spec;
    assert_int_equal(s->bodies.n, 5);
    assert_string_equal(s->bodies.at[4].item.name, "link(5)");
    near3(s->bodies.at[4].points[0], 4, 0, 0);
    near3(s->bodies.at[4].points[1], 5, 0, 0);
    assert_int_equal(s->joints.n, 5);
    assert_string_equal(s->frames.at[s->joints.at[4].frame[0]].name, "link(4).end");
    assert_int_equal(s->initial.n, 5);
    near(s->initial.at[2].value, 0.3);
    assert_int_equal(s->velocities.n, 2);
    near(s->velocities.at[1].linear[0], 3);
    assert_string_equal(s->outputs.at[4].item.name, "tip(5)");
    assert_int_equal(s->sensors.at[s->outputs.at[5].expr.inputs[0] - 1].joint, 4);
    model_close(&m);
}

static void two_indices(void **state)
{
    (void)state;
    model m;
    model_read(&m, "limber: 1\n"
                   "parameters: {N: 3}\n"
                   "bodies:\n"
                   "  cell(i=1..N)(j=1..i): {type: rigid, mass: i + 10*j, position: [i, j, 0],"
                   " frames: {p(k=0..1): [i, j, k]}}\n"
                   "  none(i=2..1): {type: rigid, mass: 1}\n"
                   "  one(N + 1)(k=0..0): {type: rigid, mass: k}\n"
                   "joints:\n"
                   "  j(i=2..N): {type: spherical, between: [cell(i)(1), cell(i - 1)(1).p(1)]}\n");
    const lm_spec *s = m.spec;
    assert_int_equal(s->bodies.n, 7);
    near(s->bodies.at[FIND(s->bodies, "cell(3)(2)")].mass, 23);
    near3(s->bodies.at[FIND(s->bodies, "cell(3)(2)")].nodes[1].pose.position, 3, 2, 1);
    FIND(s->bodies, "one(4)(0)");
    assert_string_equal(s->frames.at[s->joints.at[1].frame[1]].name, "cell(2)(1).p(1)");
    model_close(&m);
}

static void joints_and_forces(void **state)
{
    (void)state;
    model m;
    model_read(&m,
               "limber: 1\n"
               "bodies:\n"
               "  a: {type: rigid, mass: 1, inertia: [1, 2, 3, 0.1, 0.2, 0.3], com: [0, 0, 1],\n"
               "      orientation: {axis: [0, 0, 2], angle: 90*deg}, frames: {p: [1, 0, 0],\n"
               "      q: {position: [0, 1, 0], orientation: {axis: x, angle: 1}}}}\n"
               "  b: {type: rigid, mass: 1}\n"
               "joints:\n"
               "  cyl: {type: cylindrical, between: [ground, a], axis: [0, 3, 4], at: [1, 2, 3],\n"
               "        drive: {angle: 2*t}, damping: {displacement: 5}}\n"
               "  uni: {type: universal, between: [a.p, b], axes: [x, [0, 2, 0]], effort: {angle2:"
               " -3*joint(uni).angle2 + t}}\n"
               "  rev: {type: revolute, between: [a.q, b], axis: z, friction: 2, stiffness: 7,\n"
               "        compliant: {stiffness: [1e6, 1e4], damping: 3}, assemble: true}\n"
               "  pla: {type: planar, between: [a, b], axis: z, friction: {x: {limit: 1, velocity: "
               "0.5}}}\n"
               "loads:\n"
               "  motor: {on: a, torque: [0, 0, \"pwl(t, 0,0, 5,200, 10,0)\"], axes: local}\n"
               "forces:\n"
               "  strut: {type: spring, between: [a.p, \"ground.at(0,1,0)\"], stiffness: 1e4, "
               "length: 0.8}\n"
               "  mount: {type: bushing, between: [a, b], damping: [1, 2, 3, 4, 5, 6]}\n"
               "initial: {cyl: {displacement: 1, rate: {displacement: 2}}, project: true}\n");
    const lm_spec *s = m.spec;
    near(s->bodies.at[0].pose.angle, acos(-1) / 2);
    near(s->bodies.at[0].inertia[5], 0.3);
    near(s->bodies.at[0].nodes[1].pose.angle, 1);
    const lm_spec_joint *cyl = &s->joints.at[0], *uni = &s->joints.at[1], *rev = &s->joints.at[2];
    near3(cyl->axis, 0, 0.6, 0.8);
    assert_true(cyl->has_at && cyl->coord[0].has_drive && !cyl->coord[1].has_drive);
    near(cyl->coord[1].damping, 5);
    near3(uni->axis2, 0, 1, 0);
    assert_true(uni->coord[1].has_effort && !uni->coord[0].has_effort);
    assert_int_equal(uni->coord[1].effort.ninputs, 2);
    near(rev->coord[0].friction, 2);
    near(rev->coord[0].friction_velocity, 0.01);
    near(rev->compliant_stiffness[1], 1e4);
    near(rev->compliant_damping[1], 3);
    assert_true(rev->compliant && rev->assemble);
    near(s->joints.at[3].coord[1].friction_velocity, 0.5);
    assert_true(s->loads.at[0].local && s->loads.at[0].has_torque && !s->loads.at[0].has_force);
    assert_int_equal(s->loads.at[0].torque[2].ninputs, 1);
    near(s->forces.at[0].length, 0.8);
    assert_int_equal(s->frames.at[s->forces.at[0].frame[1]].kind, LM_FRAME_GROUND_AT);
    near3(s->frames.at[s->forces.at[0].frame[1]].position, 0, 1, 0);
    assert_true(isnan(s->forces.at[1].length));
    near(s->forces.at[1].damping[5], 6);
    assert_int_equal(s->initial.n, 1);
    assert_int_equal(s->initial.at[0].coord, 1);
    near(s->initial.at[0].rate, 2);
    assert_true(s->project);
    model_close(&m);
}

static void frames_of_beams(void **state)
{
    (void)state;
    model m;
    model_read(&m, HEAD
               "bodies: {b: {type: beam, section: bar, from: [0,0,0], to: [1,0,0], elements: 10}}\n"
               "outputs:\n"
               "  a: pos(b.start).x + pos(b.node(0)).x + pos(b.at(0)).x\n"
               "  b: pos(b.at(0.3)).x + pos(b.node(3)).x\n"
               "  c: pos(b.at(0.35)).x\n"
               "  d: pos(b.end, b.start).x - pos(b.end, ground).x\n");
    const lm_spec *s = m.spec;
    assert_int_equal(s->outputs.at[0].expr.ninputs, 1); /* one frame, one sensor */
    assert_int_equal(s->outputs.at[1].expr.ninputs, 1);
    const lm_spec_frame *at = &s->frames.at[s->sensors.at[2].frame[0]];
    assert_int_equal(at->kind, LM_FRAME_BEAM_AT);
    assert_string_equal(at->name, "b.at(0.35)");
    assert_int_equal(s->sensors.at[4].frame[1], -1);
    model_close(&m);
}

static void sections_and_beams(void **state)
{
    (void)state;
    model m;
    model_read(&m,
               "limber: 1\n" STEEL "sections:\n"
               "  taper: {material: steel, shape: box, height: 0.05*(1 - 0.5*s), width: 0.04,"
               " thickness: 0.002}\n"
               "  gen: {material: steel, shape: general, A: 1, Iy: 2, Iz: 3, J: 4, ky: 0.8}\n"
               "  stiff: {shape: stiffness, EA: 1, EIy: 2, EIz: 3, GJ: 4, rhoA: 5, damping:"
               " {stiffness: 0.1}}\n"
               "bodies:\n"
               "  b: {type: beam, section: stiff, end_section: gen, theory: timoshenko, y_axis:"
               " [0, 0, 1], points: [[0,0,0], [1,0,0], [1,1,0]]}\n"
               "  s: {type: superelement, mass: m.mtx, stiffness: sub/k.mtx, nodes: {n1: [0,0,0],"
               " n2: [1,0,0]}, frame: n2, position: [1,2,3]}\n");
    const lm_spec *s = m.spec;
    assert_int_equal(s->sections.at[0].height.inputs[0], LM_SLOT_S);
    near(s->sections.at[1].ky.value, 0.8);
    assert_true(isnan(s->sections.at[1].kz.value));
    assert_int_equal(s->sections.at[2].material, -1);
    near(s->sections.at[2].damping_stiffness, 0.1);
    const lm_spec_body *b = &s->bodies.at[0], *e = &s->bodies.at[1];
    assert_int_equal(b->npoints, 3);
    assert_int_equal(b->elements, 4);
    assert_true(b->timoshenko && b->has_y_axis);
    assert_int_equal(b->end_section, 1);
    assert_string_equal(e->stiffness_file, "sub/k.mtx");
    assert_string_equal(e->frame, "n2");
    assert_int_equal(e->frame_product, -1);
    assert_int_equal(e->nnodes, 2);
    model_close(&m);
}

static void analyses(void **state)
{
    (void)state;
    model m;
    model_read(&m, "limber: 1\n"
                   "bodies: {a: {type: rigid, mass: 1}}\n"
                   "joints: {p: {type: revolute, between: [ground, a], axis: z}}\n"
                   "loads: {f: {on: a, force: [1, 0, 0]}}\n"
                   "outputs: {x: pos(a)}\n"
                   "formulation: {type: ffr, basis: modes, modes: 6, stiffening: false}\n"
                   "analysis:\n"
                   "  - {type: statics, load_steps: 3}\n"
                   "  - {type: dynamics, until: 2, method: bdf, step: 1e-3}\n"
                   "  - {type: modes, count: 5, about: statics}\n"
                   "  - {type: linearize, inputs: [f], outputs: [x.y], at: 1}\n"
                   "  - {type: campbell, drive: p, speeds: [0, 100, 11]}\n");
    const lm_spec *s = m.spec;
    assert_int_equal(s->analyses.n, 5);
    assert_int_equal(s->analyses.at[0].load_steps, 3);
    near(s->analyses.at[1].output_step, 0.002);
    assert_int_equal(s->analyses.at[1].method, LM_METHOD_BDF);
    near(s->analyses.at[1].step, 1e-3);
    assert_int_equal(s->analyses.at[2].count, 5);
    assert_true(s->analyses.at[2].about_statics);
    assert_string_equal(s->analyses.at[3].outputs[0], "x.y");
    assert_int_equal(s->analyses.at[3].ninputs, 1);
    assert_int_equal(s->analyses.at[4].drive, 0);
    near(s->analyses.at[4].speeds[2], 11);
    assert_int_equal(s->analyses.at[4].count, 10);
    assert_int_equal(s->formulation.modes, 6);
    assert_true(s->formulation.basis_modes && !s->formulation.stiffening);
    model_close(&m);
}

static void yaml_ways(void **state)
{
    (void)state;
    model m;
    model_read(&m, "\xef\xbb\xbflimber: 1\r\n"
                   "# caf\xc3\xa9\r\n"
                   "title: 'caf\xc3\xa9'\r\n"
                   "bodies:\r\n"
                   "  a: &base {type: rigid, mass: 2, position: &p [1, 2, 3]}\r\n"
                   "  b: {<<: *base, mass: 3}\r\n"
                   "  c:\r\n"
                   "    type: rigid\r\n"
                   "    mass: >-\r\n"
                   "      1 +\r\n"
                   "      1\r\n"
                   "    position: *p\r\n");
    near(m.spec->bodies.at[1].mass, 3);
    near3(m.spec->bodies.at[1].pose.position, 1, 2, 3);
    near(m.spec->bodies.at[2].mass, 2);
    near3(m.spec->bodies.at[2].pose.position, 1, 2, 3);
    assert_string_equal(m.spec->title, "caf\xc3\xa9");
    model_close(&m);
}

static void parameters_in_any_order(void **state)
{
    (void)state;
    model m;
    model_read(&m, "limber: 1\n"
                   "parameters: {c: a + b, a: 2*b, b: 3, force: 4, L_2: -c^2}\n"
                   "bodies: {x: {type: rigid, mass: -L_2 + force}}\n");
    near(m.spec->bodies.at[0].mass, 85);
    model_close(&m);
}

static void overrides(void **state)
{
    (void)state;
    static const char text[] = "limber: 1\nparameters: {a: 1, b: 2*a}\n"
                               "bodies: {x: {type: rigid, mass: b}}\n";
    static const struct {
        const char *set, *says;
    } list[] = {{"c=1", "unknown parameter 'c'"}, {"a", "expected NAME=value"},
                {"a=1+", "expected a value"},     {"a=1/0", "parameter 'a' is not finite"},
                {"a=b", "in a circle"},           {"a=x", "unknown name 'x'"}};
    model m;
    const char *good[] = {"a=2 + 3"};
    lm_read_options options = {.set = good, .nset = 1};
    model_open(&m, text, &options);
    assert_int_equal(m.status, LIMBER_OK);
    near(m.spec->bodies.at[0].mass, 10);
    model_close(&m);
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        options.set = &list[i].set;
        model_open(&m, text, &options);
        assert_int_equal(m.status, LIMBER_INPUT);
        assert_int_equal(m.diag.errors, 1);
        if (!model_says(&m, list[i].says)) fail_msg("%s: %s", list[i].set, m.diag.list.at[0].text);
        if (strcmp(list[i].says, "in a circle") != 0)
            assert_string_equal(m.diag.list.at[0].loc.file, "--set");
        model_close(&m);
    }
}

/* Inertias at the edge of what is possible are neither errors nor warnings. */
static void thin_and_flat_bodies(void **state)
{
    (void)state;
    model m;
    model_read(&m, "limber: 1\n"
                   "bodies:\n"
                   "  planar: {type: rigid, mass: 1, inertia: [0, 0, 2.194e-6]}\n"
                   "  rod: {type: rigid, mass: 1, inertia: [0, 3, 3]}\n"
                   "  disc: {type: rigid, mass: 1, inertia: [1, 1, 2]}\n"
                   "  ball: {type: rigid, mass: 1, inertia: [1, 1, 1]}\n"
                   "  tilted: {type: rigid, mass: 1, inertia: [0.5, 0.5, 1, -0.5, 0, 0]}\n");
    assert_int_equal(m.diag.list.n, 0);
    model_close(&m);
    refuse("limber: 1\nbodies: {a: {type: rigid, mass: 1, inertia: [1, 1, 1, 1.001, 0, 0]}}\n",
           "principal moment is negative");
}

static void joint_coordinates(void **state)
{
    (void)state;
    assert_int_equal(lm_joint_coord_count(LM_JOINT_FIXED), 0);
    assert_int_equal(lm_joint_coord_count(LM_JOINT_PLANAR), 3);
    assert_int_equal(lm_joint_coord(LM_JOINT_UNIVERSAL, 1), LM_COORD_ANGLE2);
    assert_string_equal(lm_coord_name(lm_joint_coord(LM_JOINT_CYLINDRICAL, 1)), "displacement");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slider_crank_arrives),
        cmocka_unit_test(minimal_coordinates),
        cmocka_unit_test(chain_by_repetition),
        cmocka_unit_test(two_indices),
        cmocka_unit_test(joints_and_forces),
        cmocka_unit_test(frames_of_beams),
        cmocka_unit_test(sections_and_beams),
        cmocka_unit_test(analyses),
        cmocka_unit_test(yaml_ways),
        cmocka_unit_test(parameters_in_any_order),
        cmocka_unit_test(overrides),
        cmocka_unit_test(joint_coordinates),
        cmocka_unit_test(thin_and_flat_bodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
