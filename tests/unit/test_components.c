/* Components: what their uses stand for, seen in the spec, and every way to get them wrong. */
#include "test_reader_env.h"

#include <sys/stat.h>
#include <unistd.h>

#define HEAD                                                                                       \
    "limber: 1\n"                                                                                  \
    "parameters: {N: 3, ratio: 0.01}\n"                                                            \
    "bodies:\n"                                                                                    \
    "  link(k=1..N): {type: rigid, mass: 1, inertia: [1, 1, 1], position: [k, 0, 0]}\n"            \
    "joints:\n"                                                                                    \
    "  pin(k=1..N): {type: revolute, between: [ground, link(k)], axis: z}\n"

/* lines 7 to 18 */
#define MOTOR                                                                                      \
    "components:\n"                                                                                \
    "  motor:\n"                                                                                   \
    "    parameters: {R: 0.5, K: 2*R, twice: 2*K}\n"                                               \
    "    inputs: {u: 0}\n"                                                                         \
    "    ports: {shaft: rotor, terminals: {at: loop, direction: in}}\n"                            \
    "    power:\n"                                                                                 \
    "      loop: {type: 1, domain: electric}\n"                                                    \
    "      source: {type: Se, effort: u, on: loop}\n"                                              \
    "      copper: {type: R, resistance: R, on: loop}\n"                                           \
    "      coupling: {type: GY, modulus: K, from: loop, to: rotor}\n"                              \
    "      rotor: {type: 1, domain: rotation}\n"                                                   \
    "      inertia: {type: I, inertia: 0.1, on: rotor}\n"

#define GEAR                                                                                       \
    "  gear:\n"                                                                                    \
    "    parameters: {n: 0.1}\n"                                                                   \
    "    ports: {input: {at: input, direction: in}, output: arm}\n"                                \
    "    power:\n"                                                                                 \
    "      input: {type: 1}\n"                                                                     \
    "      wheels: {type: TF, modulus: n, from: input, to: arm}\n"                                 \
    "      arm: {type: 1}\n"

static int find_name(const char *name, int n, const char *(*get)(const lm_spec *, int),
                     const lm_spec *s)
{
    for (int i = 0; i < n; i++)
        if (strcmp(get(s, i), name) == 0) return i;
    return -1;
}

static const char *element_name(const lm_spec *s, int i) { return s->elements.at[i].item.name; }
static const char *variable_name(const lm_spec *s, int i) { return s->variables.at[i].name; }
static int element(const model *m, const char *name)
{
    return find_name(name, m->spec->elements.n, element_name, m->spec);
}

static void has_bond(const model *m, const char *from, const char *to)
{
    int a = element(m, from), b = element(m, to);
    if (a < 0) fail_msg("no '%s'", from);
    if (b < 0) fail_msg("no '%s'", to);
    for (int i = 0; i < m->spec->bonds.n; i++)
        if (m->spec->bonds.at[i].from == a && m->spec->bonds.at[i].to == b) return;
    fail_msg("no bond from '%s' to '%s'", from, to);
}

static int count_bonds(const model *m, const char *from, const char *to)
{
    int a = element(m, from), b = element(m, to), n = 0;
    for (int i = 0; i < m->spec->bonds.n; i++)
        n += m->spec->bonds.at[i].from == a && m->spec->bonds.at[i].to == b;
    return n;
}

/* The expression of a block, with its names replaced. */
static const char *signal_text(const model *m, const char *name)
{
    int i = find_name(name, m->spec->variables.n, variable_name, m->spec);
    if (i < 0) fail_msg("no variable '%s'", name);
    return m->spec->variables.at[i].expr.text;
}

static double output(const model *m, const char *name)
{
    const lm_spec_output *o = &m->spec->outputs.at[FIND(m->spec->outputs, name)];
    assert_true(o->expr.constant);
    return o->expr.value;
}

/* The only message, with its place. */
static void says(const char *text, int line, int col, const char *message)
{
    model m;
    model_open(&m, text, NULL);
    assert_int_equal(m.status, LIMBER_INPUT);
    assert_null(m.spec);
    if (m.diag.list.n != 1)
        for (int i = 0; i < m.diag.list.n; i++) print_error("%s\n", m.diag.list.at[i].text);
    assert_int_equal(m.diag.list.n, 1);
    const lm_message *said = &m.diag.list.at[0];
    assert_string_equal(said->text, message);
    assert_int_equal(said->loc.line, line);
    assert_int_equal(said->loc.col, col);
    model_close(&m);
}

/* --- models that are right --- */

static void names_and_values(void **state)
{
    (void)state;
    model m;
    model_read(&m, HEAD MOTOR
               "power:\n"
               "  m1: {use: motor, with: {R: 3*ratio, u: 24*sin(t)}, ports: {terminals: free, "
               "shaft: free}}\n"
               "  m2: {use: motor, with: {K: m1.R}, ports: {terminals: free, shaft: free}}\n"
               "outputs: {R1: m1.R, K1: m1.K, t1: m1.twice, R2: m2.R, K2: m2.K, u: m1.u,\n"
               "  i: flow(m1.copper)}\n");
    near(output(&m, "R1"), 0.03);
    near(output(&m, "K1"), 0.06);
    near(output(&m, "t1"), 0.12);
    near(output(&m, "R2"), 0.5);
    near(output(&m, "K2"), 0.03);
    assert_int_equal(m.spec->elements.n, 12);
    has_bond(&m, "m1.source", "m1.loop");
    has_bond(&m, "m2.loop", "m2.coupling");
    has_bond(&m, "m2.coupling", "m2.rotor");
    assert_string_equal(signal_text(&m, "m1.u"), "24*sin(t)");
    assert_string_equal(signal_text(&m, "m2.u"), "0");
    /* things of a component are where they are written in it */
    const lm_spec_element *copper = &m.spec->elements.at[element(&m, "m2.copper")];
    assert_int_equal(copper->item.loc.line, 15);
    assert_int_equal(copper->type, LM_ELEMENT_R); /* not the parameter R */
    model_close(&m);
}

static void ports_in_every_way(void **state)
{
    (void)state;
    model m;
    model_read(&m, HEAD MOTOR GEAR
               "power:\n"
               "  supply: {type: 0}\n"
               "  battery: {type: Se, effort: 24, on: supply}\n"
               "  m1: {use: motor, ports: {terminals: supply, shaft: g.input}}\n"
               "  g: {use: gear, ports: {input: m1.shaft, output: pin(1)}}\n"
               "  m2: {use: motor, ports: {terminals: supply, shaft: {joint: pin(2)}}}\n"
               "  m3: {use: motor, ports: {terminals: free, shaft: m2.rotor}}\n"
               "  m4: {use: motor, ports: {terminals: supply}}\n"
               "  g4: {use: gear, ports: {input: m4.shaft, output: free}}\n");
    has_bond(&m, "supply", "m1.loop");
    has_bond(&m, "supply", "m2.loop");
    assert_int_equal(count_bonds(&m, "m1.rotor", "g.input"), 1); /* said on both sides */
    has_bond(&m, "m4.rotor", "g4.input");
    has_bond(&m, "m3.rotor", "m2.rotor");
    has_bond(&m, "g.arm", "g.output");
    has_bond(&m, "m2.rotor", "m2.shaft");
    assert_int_equal(m.spec->elements.at[element(&m, "g.output")].type, LM_ELEMENT_PORT);
    assert_true(m.spec->joints.at[0].coord[0].has_port);
    assert_true(m.spec->joints.at[1].coord[0].has_port);
    assert_false(m.spec->joints.at[2].coord[0].has_port);
    model_close(&m);
}

#define SERVO                                                                                      \
    "  servo:\n"                                                                                   \
    "    parameters: {gain: 10, R: 0.7}\n"                                                         \
    "    inputs: {ref: }\n"                                                                        \
    "    names: [axis]\n"                                                                          \
    "    ports: {out: g.output}\n"                                                                 \
    "    states: {count: {update: count + gain}}\n"                                                \
    "    blocks:\n"                                                                                \
    "      err: {type: signal, value: ref - joint(axis)}\n"                                        \
    "      u: {type: signal, value: gain*err + count}\n"                                           \
    "    power:\n"                                                                                 \
    "      m: {use: motor, with: {R: 2*R, u: u}, ports: {terminals: free, shaft: g.input}}\n"      \
    "      g: {use: gear, with: {n: ratio}}\n"

static void nested_and_repeated(void **state)
{
    (void)state;
    model m;
    model_read(&m, HEAD MOTOR GEAR SERVO
               "power:\n"
               "  axis(k=1..N): {use: servo, with: {axis: pin(k), ref: \"0.1*k*t\", gain: k + 1},"
               " ports: {out: pin(k)}}\n"
               "outputs: {R: axis(2).m.R, K: axis(3).m.K, n: axis(1).g.n, gain: axis(3).gain,\n"
               "  e: axis(N-1).err, c: axis(2).count, i: flow(axis(2).m.copper)}\n");
    near(output(&m, "R"), 1.4);
    near(output(&m, "K"), 2.8);
    near(output(&m, "n"), 0.01);
    near(output(&m, "gain"), 4);
    assert_string_equal(signal_text(&m, "axis(2).err"), "axis(2).ref - joint(pin(2))");
    assert_string_equal(signal_text(&m, "axis(2).ref"), "0.1*2*t");
    assert_string_equal(signal_text(&m, "axis(3).u"), "axis(3).gain*axis(3).err + axis(3).count");
    assert_string_equal(signal_text(&m, "axis(3).m.u"), "axis(3).u");
    assert_int_equal(m.spec->states.n, 3);
    assert_string_equal(m.spec->states.at[1].item.name, "axis(2).count");
    has_bond(&m, "axis(2).m.rotor", "axis(2).g.input");
    has_bond(&m, "axis(2).g.arm", "axis(2).out");
    for (int i = 0; i < 3; i++) assert_true(m.spec->joints.at[i].coord[0].has_port);
    model_close(&m);
}

/* Entries of a component are repeated too, as often as its parameters say; --set changes them. */
static void repetition_inside(void **state)
{
    (void)state;
    static const char text[] =
        HEAD "components:\n"
             "  line:\n"
             "    parameters: {n: 2, R: 1, total: n*R}\n"
             "    ports: {start: {at: node(1), direction: in}}\n"
             "    power:\n"
             "      node(k=1..n): {type: 0}\n"
             "      leak(k=1..n): {type: R, resistance: k*total, on: node(k)}\n"
             "      link(k=2..n): {type: bond, from: node(k-1), to: node(k)}\n"
             "  net:\n"
             "    parameters: {rows: 2}\n"
             "    power:\n"
             "      feed: {type: Sf, flow: 1, on: top}\n"
             "      top: {type: 0}\n"
             "      row(j=1..rows): {use: line, with: {n: j + 1}, ports: {start: top}}\n"
             "power: {a: {use: net}}\n"
             "outputs: {total: a.row(2).total}\n";
    const char *const set[] = {"a.rows=3", "a.row(2).R=5"};
    const lm_read_options options = {.set = set, .nset = 2};
    model m;
    model_read(&m, text);
    near(output(&m, "total"), 3);
    assert_true(element(&m, "a.row(1).node(2)") >= 0 && element(&m, "a.row(1).node(3)") < 0);
    assert_true(element(&m, "a.row(2).node(3)") >= 0 && element(&m, "a.row(3).node(1)") < 0);
    has_bond(&m, "a.top", "a.row(2).node(1)");
    model_close(&m);
    model_open(&m, text, &options);
    assert_int_equal(m.status, LIMBER_OK);
    near(output(&m, "total"), 15);
    has_bond(&m, "a.row(3).node(3)", "a.row(3).node(4)");
    model_close(&m);
}

/* Aliases, blocks alone, things outside, and words that are no names. */
static void aliases_and_words(void **state)
{
    (void)state;
    model m;
    model_read(&m, HEAD
               "components:\n"
               "  pd:\n"
               "    parameters: {joint: 3, T: &half 1/2}\n"
               "    inputs: {x: }\n"
               "    names: [at]\n"
               "    blocks:\n"
               "      first: &low {type: filter, input: x + joint*joint(at), time_constant: T}\n"
               "      second: *low\n"
               "      third: {<<: *low, input: \"first + sin(T)*second\"}\n"
               "blocks:\n"
               "  a: {use: pd, with: {x: outside, at: pin(1), T: *half}}\n"
               "  outside: {type: signal, value: t}\n"
               "outputs: {T: a.T, y: a.third}\n");
    near(output(&m, "T"), 0.5);
    static const char *const blocks[] = {"a.x", "a.first", "a.second", "a.third", "outside"};
    for (int i = 0; i < 5; i++) FIND(m.spec->blocks, blocks[i]);
    assert_string_equal(signal_text(&m, "a.x"), "outside");
    assert_true(find_name("a.third", m.spec->variables.n, variable_name, m.spec) >= 0);
    model_close(&m);
}

static void library_is_part_of_the_program(void **state)
{
    (void)state;
    model m;
    model_read(&m, HEAD "include: [library/motors.yaml]\n"
                        "power:\n"
                        "  battery: {type: Se, effort: 24, on: line}\n"
                        "  line: {type: 1}\n"
                        "  m1: {use: dc_motor, with: {R: 0.6}, ports: {terminals: line, shaft: "
                        "pin(1)}}\n"
                        "outputs: {i: m1.current, R: m1.R, K: m1.K}\n");
    near(output(&m, "R"), 0.6);
    near(output(&m, "K"), 0.1);
    has_bond(&m, "line", "m1.loop");
    has_bond(&m, "m1.rotor", "m1.shaft");
    assert_non_null(strstr(m.spec->text, "# ---- library/motors.yaml ----"));
    model_close(&m);
}

/* A file beside the model comes before that of the program. */
static void own_library_first(void **state)
{
    (void)state;
    char folder[300], path[400];
    model m = {0};
    snprintf(folder, sizeof folder, "%s/components_XXXXXX", getenv("SCRATCH"));
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/library", folder);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/library/motors.yaml", folder);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs("components: {own: {parameters: {R: 7}}}\n", f);
    fclose(f);
    snprintf(path, sizeof path, "%s/model.yaml", folder);
    static const char text[] = HEAD "include: library/motors.yaml\n"
                                    "power: {a: {use: own}}\n"
                                    "outputs: {R: a.R}\n";
    m.status = lm_read_text(&m.arena, &m.diag, text, strlen(text), path, NULL, &m.spec);
    assert_int_equal(m.status, LIMBER_OK);
    near(output(&m, "R"), 7);
    model_close(&m);
    snprintf(path, sizeof path, "%s/library/motors.yaml", folder);
    remove(path);
    snprintf(path, sizeof path, "%s/library", folder);
    rmdir(path);
    rmdir(folder);
}

/* --- mistakes --- */

#define FREE "ports: {terminals: free, shaft: free}"

static void wrong_uses(void **state)
{
    (void)state;
    says(HEAD MOTOR "power: {m1: {use: moter}}\n", 19, 19,
         "unknown component 'moter'; did you mean 'motor'?");
    says(HEAD "power: {m1: {use: motor}}\n", 7, 19,
         "unknown component 'motor'; the model has no components: describe it under 'components', "
         "or include a file that does, e.g. include: [library/motors.yaml]");
    says(HEAD MOTOR "power: {m1: {use: motor, with: {twcie: 1}, " FREE "}}\n", 19, 33,
         "unknown key 'twcie' in 'with' of instance 'm1'; did you mean 'twice'?");
    says(HEAD MOTOR "power: {m1: {use: motor, with: {loop: 1}, " FREE "}}\n", 19, 33,
         "unknown key 'loop' in 'with' of instance 'm1' (component 'motor' has R, K, twice, u)");
    says(HEAD MOTOR "power: {m1: {use: motor, ports: {shft: free, terminals: free}}}\n", 19, 34,
         "unknown port 'shft' in instance 'm1'; did you mean 'shaft'?");
    says(HEAD MOTOR "power: {m1: {use: motor, wiht: {R: 1}, " FREE "}}\n", 19, 26,
         "unknown key 'wiht' in instance 'm1'; did you mean 'with'?");
    says(HEAD "components: {c: {names: [axis]}}\npower: {m1: {use: c}}\n", 8, 9,
         "instance 'm1' needs the name 'axis' of component 'c': write 'with: {axis: ...}'");
    says(HEAD "components: {c: {names: [axis]}}\npower: {m1: {use: c, with: {axis: pni}}}\n", 8, 35,
         "'pni', given for the name 'axis' of component 'c', is nothing of the model; did you "
         "mean 'pin'?");
    says(HEAD "components: {c: {inputs: {u: }}}\npower: {m1: {use: c}}\n", 8, 9,
         "instance 'm1' needs the input 'u' of component 'c': write 'with: {u: ...}'");
    says(HEAD MOTOR "power: {m(k=1..3): {use: motor, " FREE "}, m(2): {use: motor, " FREE "}}\n",
         19, 73, "instance 'm(2)' is defined twice (first at model.yaml:19)");
}

/* As instances, and as what is inside of them. */
static void too_many_names(void **state)
{
    char text[4000] = HEAD "components: {c: {power: {last: {type: 0}";
    (void)state;
    says(HEAD MOTOR "power: {m(k=1..3000000): {use: motor, " FREE "}}\n", 19, 9,
         "'m(k=1..3000000)' stands for 3e+06 names; a model can have 2000000 in all");
    for (int i = 1; i < 100; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), ", e%d: {type: 0}", i);
    strcat(text, "}}}\npower: {m(k=1..20001): {use: c}}\n");
    says(text, 8, 9,
         "the components used here stand for too many names; a model can have 2000000 in all");
}

static void wrong_connections(void **state)
{
    (void)state;
    says(HEAD MOTOR "power: {m1: {use: motor, ports: {terminals: free}}}\n", 19, 9,
         "port 'shaft' of instance 'm1' (component 'motor') is not connected: write 'ports: "
         "{shaft: ...}' with a junction, a joint or a port of another instance, or 'shaft: free'");
    says(HEAD MOTOR "power: {m(k=1..3): {use: motor, ports: {terminals: free}}}\n", 19, 9,
         "port 'shaft' of instance 'm(1)' (component 'motor') is not connected: write 'ports: "
         "{shaft: ...}' with a junction, a joint or a port of another instance, or 'shaft: free'");
    says(HEAD MOTOR "power:\n  a: {use: motor, ports: {terminals: free, shaft: b.shaft}}\n"
                    "  b: {use: motor, ports: {terminals: free}}\n",
         20, 51,
         "ports 'a.shaft' and 'b.shaft' both have the direction 'out'; power goes from an 'out' "
         "port to an 'in' port: connect them to a junction instead, or change one of the "
         "components");
    says(HEAD MOTOR "power:\n  a: {use: motor, ports: {terminals: b.terminals, shaft: free}}\n"
                    "  b: {use: motor, ports: {shaft: free}}\n",
         20, 38,
         "ports 'a.terminals' and 'b.terminals' both have the direction 'in'; power goes from an "
         "'out' port to an 'in' port: connect them to a junction instead, or change one of the "
         "components");
    says(HEAD MOTOR "power: {m1: {use: motor, ports: {terminals: free, shaft: pni(1)}}}\n", 19, 58,
         "port 'm1.shaft' is connected to 'pni(1)', which is no junction, no joint and no port of "
         "another instance; did you mean 'pin'?");
    says(HEAD MOTOR GEAR "power:\n  m1: {use: motor, ports: {terminals: free, shaft: g}}\n"
                         "  g: {use: gear, ports: {input: free, output: free}}\n",
         27, 52,
         "port 'm1.shaft' is connected to 'g', an instance of component 'gear'; say which port of "
         "it (input, output)");
    says(HEAD MOTOR GEAR "power:\n  m1: {use: motor, ports: {terminals: free, shaft: g.inptu}}\n"
                         "  g: {use: gear, ports: {input: free, output: free}}\n",
         27, 52, "'g' (component 'gear') has no port 'inptu'; did you mean 'input'?");
    says(HEAD MOTOR GEAR "power:\n  m1: {use: motor, ports: {terminals: free, shaft: gaer.input}}\n"
                         "  gear: {use: gear, ports: {input: free, output: free}}\n",
         27, 52,
         "port 'm1.shaft' is connected to 'gaer.input', which is no junction, no joint and no port "
         "of another instance; did you mean 'gear'?");
}

static void wrong_components(void **state)
{
    (void)state;
    says(HEAD "components:\n  dc: {power: {a: {use: axis}}}\n  axis: {power: {m: {use: dc}}}\n"
              "power: {x: {use: dc}}\n",
         9, 27, "component 'dc' contains itself: dc -> axis -> dc");
    says(HEAD "components: {dc: {power: {a: {use: dc}}}}\npower: {x: {use: dc}}\n", 7, 36,
         "component 'dc' contains itself: dc -> dc");
    says(HEAD "components: {c: {ports: {a: lop}, power: {loop: {type: 1}}}}\n", 7, 29,
         "port 'a' of component 'c' is at 'lop', which is no junction of the component; did you "
         "mean 'loop'?");
    says(HEAD "components: {c: {ports: {a: r}, power: {l: {type: 1}, r: {type: R, on: l}}}}\n", 7,
         29,
         "port 'a' of component 'c' is at 'r', which is no junction of the component (junctions: "
         "l)");
    says(HEAD MOTOR
         "  s: {ports: {out: m.shft}, power: {m: {use: motor, ports: {terminals: free}}}}"
         "\npower: {s: {use: s, ports: {out: pin(1)}}}\n",
         19, 20,
         "port 'out' of component 's' is at 'm.shft', and component 'motor' has no port 'shft'; "
         "did you mean 'shaft'? (in component 's', used as 's' at model.yaml:20)");
    says(HEAD "components: {c: {parameters: {R: 1}, power: {R: {type: 1}}}}\n", 7, 46,
         "'R' is a power element of component 'c' and also a parameter of it (line 7); rename one "
         "of them");
    says(HEAD "components: {c: {names: [x, x]}}\n", 7, 29,
         "'x' stands twice in 'names' of component 'c'");
    says(HEAD "components: {c: {parameters: {f: 1}}}\n", 7, 31,
         "a parameter of component 'c' cannot be called 'f': that name is the effort, flow, "
         "displacement or momentum in the law of an element");
    says(HEAD "components: {c: {paramters: {R: 1}}}\n", 7, 18,
         "unknown key 'paramters' in component 'c'; did you mean 'parameters'?");
    says(HEAD "include: library/motors.yaml\ncomponents: {dc_motor: {}}\n", 8, 14,
         "component 'dc_motor' is defined in library/motors.yaml:5 too, which is included; give it "
         "another name");
    says(HEAD "include: library/motros.yaml\n", 7, 10,
         "cannot read 'library/motros.yaml': there is no such file beside the model, nor in the "
         "library of the program; did you mean 'library/motors.yaml'?");
}

/* A mistake inside a component is where it stands, with the name of the instance and where it is used;
 * once, however often a repeated use has it. */
static void mistakes_inside(void **state)
{
    (void)state;
    static const char c[] = HEAD "components:\n"
                                 "  c:\n"
                                 "    power:\n"
                                 "      loop: {type: 1}\n"
                                 "      source: {type: Se, effort: 1, on: loop}\n"
                                 "      coil: {type: I, inertai: 1, on: loop}\n"
                                 "power: {\"a(k=1..3)\": {use: c}}\n";
    says(c, 12, 23,
         "unknown key 'inertai' in I 'a(1).coil'; did you mean 'inertia'? (in component 'c', used "
         "as 'a(1)' at model.yaml:13)");
    /* columns are those of the text as it stands there, not with the names of the instance */
    says(HEAD "components: {c: {inputs: {u: 0}, blocks: {y: {type: signal, value: u*u + zz}}}}\n"
              "blocks: {a_long_name: {use: c}}\n",
         7, 74, "unknown name 'zz' (in component 'c', used as 'a_long_name' at model.yaml:8)");
    says(HEAD
         "components: {c: {parameters: {R: 1}, blocks: {y: {type: gain, input: 1, gain: R*Q}}}}\n"
         "blocks: {a_long_name: {use: c}}\n",
         7, 81, "unknown name 'Q' (in component 'c', used as 'a_long_name' at model.yaml:8)");
    says(HEAD MOTOR "power: {m1: {use: motor, " FREE "}}\noutputs: {a: m1.tiwce}\n", 20, 14,
         "unknown name 'm1.tiwce'; did you mean 'm1.twice'?");
    says(HEAD MOTOR "power: {m1: {use: motor, " FREE "}}\noutputs: {a: m2.twice}\n", 20, 14,
         "unknown name 'm2.twice'; did you mean 'm1.twice'?");
    says(HEAD MOTOR "power: {m1: {use: motor, " FREE "}}\noutputs: {a: xyz.abc}\n", 20, 14,
         "unknown name 'xyz'");
    says(HEAD MOTOR "power: {m1: {use: motor, " FREE ", with: {R: 1/0}}}\n", 19, 75,
         "parameter 'm1.R' is not finite (inf)");
    says(HEAD MOTOR "power: {m1: {use: motor, " FREE ", with: {R: m1.K}}}\n", 19, 75,
         "parameters depend on each other in a circle: m1.R -> m1.K -> m1.R");
}

static void unknown_setting(void **state)
{
    (void)state;
    const char *const set[] = {"m1.RR=2"};
    const lm_read_options options = {.set = set, .nset = 1};
    model m;
    model_open(&m, HEAD MOTOR "power: {m1: {use: motor, " FREE "}}\n", &options);
    assert_int_equal(m.status, LIMBER_INPUT);
    assert_true(model_says(&m, "unknown parameter 'm1.RR'; did you mean 'm1.R'?"));
    model_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_values),    cmocka_unit_test(ports_in_every_way),
        cmocka_unit_test(nested_and_repeated), cmocka_unit_test(repetition_inside),
        cmocka_unit_test(aliases_and_words),   cmocka_unit_test(library_is_part_of_the_program),
        cmocka_unit_test(own_library_first),   cmocka_unit_test(wrong_uses),
        cmocka_unit_test(too_many_names),      cmocka_unit_test(wrong_connections),
        cmocka_unit_test(wrong_components),    cmocka_unit_test(mistakes_inside),
        cmocka_unit_test(unknown_setting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
