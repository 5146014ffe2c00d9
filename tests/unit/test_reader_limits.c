/* The reader on files that are wrong in size, form or place, and without memory. What a user gets
 * wrong is in tests/broken. */
#include "test_reader_env.h"

#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* head, n times part, tail */
static char *repeat(const char *head, const char *part, int n, const char *tail)
{
    size_t len = strlen(part), at = strlen(head);
    char *text = malloc(at + len * (size_t)n + strlen(tail) + 1);
    assert_non_null(text);
    memcpy(text, head, at);
    for (int i = 0; i < n; i++, at += len) memcpy(text + at, part, len);
    memcpy(text + at, tail, strlen(tail) + 1);
    return text;
}

/* Refused with the message, in little time. */
static void refuse_soon(char *text, const char *part)
{
    double start = seconds();
    refuse(text, part);
    if (seconds() - start > 10) fail_msg("took %.1f s: %.40s", seconds() - start, text);
    free(text);
}

#define BALL "bodies: {ball: {type: rigid, mass: 1}}\n"

static void deep_nesting(void **state)
{
    (void)state;
    refuse_soon(repeat("limber: 1\nbodies: ", "[", 1000000, "\n"), "nested deeper than 60");
    refuse_soon(repeat("limber: 1\nbodies: ", "{a: ", 1000000, "\n"), "nested deeper than 60");
    refuse_soon(repeat("limber: 1\nbodies: ", "- ", 100000, "\n"), "does not fit the list");
    refuse_soon(repeat("limber: 1\n" BALL "parameters:\n  a: \"", "(", 90000, "\"\n"), "nested");
    refuse_soon(repeat("limber: 1\n" BALL "parameters:\n  a: \"", "(", 1000000, "\"\n"), "longer");
    refuse_soon(
        repeat("limber: 1\ncoordinates: {q: {}}\nframes:\n  a: ", "inv(", 1000000, "\n" BALL),
        "nested deeper than 60");
    refuse_soon(repeat("limber: 1\nbodies:\n  a", "(1)", 1000000, ": {type: rigid, mass: 1}\n"),
                "");
}

static void alias_bomb(void **state)
{
    (void)state;
    char text[2000];
    int n = sprintf(text, "limber: 1\nparameters:\n  p0: &a0 [1, 2]\n");
    for (int i = 1; i < 30; i++)
        n += sprintf(text + n, "  p%d: &a%d [*a%d, *a%d]\n", i, i, i - 1, i - 1);
    double start = seconds();
    refuse(text, "aliases (*name) in here expand to more than");
    assert_true(seconds() - start < 5);
    n = sprintf(text, "limber: 1\nbodies: {a: &a0 {type: rigid, mass: 1}\n");
    for (int i = 1; i < 30; i++)
        n += sprintf(text + n, ", b%d: &a%d {<<: *a%d, c%d: *a%d}\n", i, i, i - 1, i, i - 1);
    sprintf(text + n, "}\n");
    refuse(text, "");
}

static void large_numbers(void **state)
{
    (void)state;
    refuse("limber: 1\nbodies: {a(k=1..1e15): {type: rigid, mass: 1}}\n", "1e+15 names");
    refuse("limber: 1\nbodies: {a(i=1..2000)(j=1..2000): {type: rigid, mass: 1}}\n", "2000000");
    refuse("limber: 1\nbodies: {a(i=1..1e5)(j=2..1): {type: rigid, mass: 1}}\n", "no bodies");
    refuse("limber: 1\nbodies: {a(i=1..i): {type: rigid, mass: 1}}\n", "unknown name 'i'");
    refuse("limber: 1\nbodies: {a(k=1e300..1e301): {type: rigid, mass: 1}}\n", "whole number");
    refuse("limber: 1\nbodies: {a(1e12): {type: rigid, mass: 1}}\n", "too large");
    refuse("limber: 1\nmaterials: {s: {E: 1, G: 1, rho: 1}}\n"
           "sections: {b: {material: s, shape: circle, radius: 1}}\n"
           "bodies: {a: {type: beam, section: b, from: [0,0,0], to: [1,0,0], elements: 1e12}}\n",
           "from 1 to 1000000");
    refuse("limber: 1\nmaterials: {s: {E: 1, G: 1, rho: 1}}\n"
           "sections: {b: {material: s, shape: circle, radius: 1}}\n"
           "bodies: {a(k=1..9): {type: beam, section: b, from: [0,0,0], to: [1,0,0],"
           " elements: 1e6}}\n",
           "elements in all");
    refuse("limber: 1\n" BALL "analysis: {type: dynamics, until: 1e300, output_step: 1e-300}\n",
           "rows");
}

/* One mistake in a repeated entry is one message; what depends on it is silent. */
static void no_follow_ups(void **state)
{
    (void)state;
    model m;
    model_open(&m,
               "limber: 1\n"
               "parameters: {N: 1000, bad: 1 +}\n"
               "bodies: {link(k=1..N): {type: rigid, mass: 1, positon: [k, 0, 0]},\n"
               "         ball: {type: rigid, mass: bad}}\n"
               "joints: {pin(k=2..N): {type: revolute, between: [link(k-1), link(k)], axis: z},\n"
               "         p: {type: revolute, between: [ground, ball], axis: z, drive: bad*t}}\n"
               "loads: {f: {on: ball, force: [joint(p), joint(pin(3)), 0]}}\n"
               "initial: {p: {angle: 1}, pin(k=2..N): {angle: k}}\n"
               "outputs: {x(k=1..N): pos(link(k)).x, y: joint(p)}\n",
               NULL);
    assert_int_equal(m.status, LIMBER_INPUT);
    assert_int_equal(m.diag.errors, 2);
    model_close(&m);
}

static void long_chains_are_fast(void **state)
{
    (void)state;
    model m;
    const char *const set[] = {"N=5000"};
    const lm_read_options options = {.set = set, .nset = 1};
    double start = seconds();
    model_open(&m,
               "limber: 1\nparameters: {N: 3}\n"
               "bodies: {link(k=1..N): {type: rigid, mass: 1, position: [k, 0, 0],"
               " frames: {a: [-0.5, 0, 0], b: [0.5, 0, 0]}}}\n"
               "joints: {pin(k=2..N): {type: revolute, between: [link(k-1).b, link(k).a],"
               " axis: z}}\n",
               &options);
    assert_int_equal(m.status, LIMBER_OK);
    assert_int_equal(m.spec->joints.n, 4999);
    assert_true(seconds() - start < 20); /* quadratic loops would take minutes */
    model_close(&m);
}

/* --- files, in a folder of their own that is the current one --- */

static char folder[] = "/tmp/limber_reader_XXXXXX";

static void put(const char *name, const char *text, size_t size)
{
    FILE *f = fopen(name, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, size, f), size);
    fclose(f);
}

static void put_text(const char *name, const char *text) { put(name, text, strlen(text)); }

static int read_path(const char *path, model *m, int outside)
{
    lm_read_options options = {.allow_outside_includes = outside};
    memset(m, 0, sizeof *m);
    return m->status = lm_read_file(&m->arena, &m->diag, path, &options, &m->spec);
}

static void file_says(const char *name, int status, const char *part)
{
    model m;
    read_path(name, &m, 0);
    if (m.status != status || !model_says(&m, part))
        fail_msg("%s: %d, %s", name, m.status, m.diag.list.n ? m.diag.list.at[0].text : "");
    for (int i = 0; i < m.diag.list.n; i++) /* no paths that the user did not write */
        assert_null(strstr(m.diag.list.at[i].text, "/tmp/"));
    model_close(&m);
}

static void strange_files(void **state)
{
    (void)state;
    file_says("none.yaml", LIMBER_IO, "there is no such file");
    file_says(".", LIMBER_IO, "directory");
    put_text("empty.yaml", "");
    file_says("empty.yaml", LIMBER_INPUT, "empty");
    put_text("comment.yaml", "# nothing\n");
    file_says("comment.yaml", LIMBER_INPUT, "empty");
    put("binary.yaml", "\x89HDF\r\n\x1a\n\0\0\0", 11);
    file_says("binary.yaml", LIMBER_INPUT, "no text file");
    put("utf16.yaml", "\xff\xfel\0i\0", 6);
    file_says("utf16.yaml", LIMBER_INPUT, "UTF-16");
    put_text("escape.yaml", "limber: 1\ntitle: \"a\\0b\"\n" BALL);
    file_says("escape.yaml", LIMBER_INPUT, "NUL");
    put_text("list.yaml", "[1, 2]\n");
    file_says("list.yaml", LIMBER_INPUT, "a model file is a mapping");
}

static void includes(void **state)
{
    (void)state;
    model m;
    assert_int_equal(mkdir("sub", 0700), 0);
    put_text("sub/mat.yaml", "limber: 1\ninclude: more.yaml\nparameters: {E0: 2*e}\n"
                             "materials: {steel: {E: E0, nu: 0.25, rho: r}}\n");
    put_text("sub/more.yaml", "parameters: {r: 7}\n");
    put_text("top.yaml", "limber: 1\ninclude: [sub/mat.yaml, sub/more.yaml]\nparameters: {e: 5}\n"
                         "sections: {b: {material: steel, shape: circle, radius: 1}}\n" BALL);
    assert_int_equal(read_path("top.yaml", &m, 0), LIMBER_OK);
    near(m.spec->materials.at[0].E, 10);
    near(m.spec->materials.at[0].rho, 7);
    model_close(&m);
    put_text("loop.yaml", "limber: 1\ninclude: loop.yaml\n" BALL);
    file_says("loop.yaml", LIMBER_INPUT, "in a circle");
    put_text("lost.yaml", "limber: 1\ninclude: [lost_part.yaml]\n" BALL);
    file_says("lost.yaml", LIMBER_INPUT, "there is no such file");
    put_text("folder.yaml", "limber: 1\ninclude: [sub]\n" BALL);
    file_says("folder.yaml", LIMBER_INPUT, "directory");
    put_text("sub/inner.yaml", "limber: 1\ninclude: [../sub/more.yaml]\n" BALL);
    assert_int_equal(read_path("sub/inner.yaml", &m, 0), LIMBER_OK);
    model_close(&m);
}

static void outside_includes(void **state)
{
    (void)state;
    model m;
    put_text("up.yaml", "parameters: {r: 7}\n");
    put_text("sub/up_user.yaml", "limber: 1\ninclude: [../up.yaml]\nbodies: {a: {type: rigid, mass:"
                                 " r}}\n");
    file_says("sub/up_user.yaml", LIMBER_INPUT, "outside the folder");
    assert_int_equal(symlink("../up.yaml", "sub/link.yaml"), 0);
    put_text("sub/link_user.yaml", "limber: 1\ninclude: [link.yaml]\n" BALL);
    file_says("sub/link_user.yaml", LIMBER_INPUT, "outside the folder");
    assert_int_equal(read_path("sub/up_user.yaml", &m, 1), LIMBER_OK);
    near(m.spec->bodies.at[0].mass, 7);
    model_close(&m);
}

/* --- memory --- */

static const char everything[] =
    "limber: 1\n"
    "title: all kinds\n"
    "parameters: {N: 3, a: b + 1, b: 2}\n"
    "materials: {m: &m {E: 1, nu: 0.3, rho: 1}, n: *m}\n"
    "sections: {s: {material: m, shape: circle, radius: 1 - 0.5*s}}\n"
    "coordinates: {q: {}, p: {value: 1}}\n"
    "frames: {f: \"rotz(q) * g\", g: \"disp(p, 0, 0)\"}\n"
    "bodies:\n"
    "  l(k=1..N): {type: beam, section: s, from: [k - 1, 0, 0], to: [k, 0, 0]}\n"
    "  r: {type: rigid, mass: 1, motion: f, frames: {h(i=1..20): [i, 0, 0]}}\n"
    "  e: {type: superelement, beam: {section: s, length: 1}, motion: {start: f, end: g}}\n"
    "joints:\n"
    "  j(k=2..N): {type: revolute, between: [l(k-1).end, l(k).start], axis: z, effort:"
    " -joint(j(k))}\n"
    "loads: {w: {on: l(1).at(0.3), force: [0, sin(t), norm(pos(r.h(3)))]}}\n"
    "forces: {c: {type: spring, between: [r.h(2), \"ground.at(0, 1, 0)\"], stiffness: 1}}\n"
    "initial: {j(k=2..N): {angle: k}, q: {rate: 1}, velocity: {r: {linear: [1, 0, 0]}}}\n"
    "analysis: [{type: statics}, {type: linearize, inputs: [w], outputs: [o]}]\n"
    "formulation: minimal\n"
    "outputs: {o: pos(r), u: section(l(1), 0.5).My}\n";

/* Each allocation fails in turn: a status, no crash, nothing left behind. */
static void fail_each(const char *text, int sticky)
{
    model m;
    long before = lm_mem_live();
    lm_mem_fail_all(sticky);
    for (long k = 1;; k++) {
        lm_mem_fail_after(k);
        model_open(&m, text, NULL);
        lm_mem_fail_after(0);
        int status = m.status;
        model_close(&m);
        assert_int_equal(lm_mem_live(), before);
        if (status != LIMBER_MEMORY) {
            assert_true(k > 2);
            break;
        }
    }
    lm_mem_fail_all(0);
}

static void failing_allocations(void **state)
{
    (void)state;
    char *wrong =
        repeat("limber: 1\nparameters:\n  ", "bad ", 10, ": 1\nbodies: {a: {type: rigid}}\n");
    for (int sticky = 0; sticky < 2; sticky++) {
        fail_each(everything, sticky);
        fail_each(wrong, sticky);
        fail_each("limber: 1\nbodies: [", sticky);
    }
    free(wrong);
}

/* The same for a file with an include: nothing stays open. */
static void failing_allocations_of_files(void **state)
{
    (void)state;
    model m;
    int status, fd = dup(0);
    close(fd);
    for (long k = 1;; k++) {
        lm_mem_fail_after(k);
        status = read_path("top.yaml", &m, 0);
        lm_mem_fail_after(0);
        model_close(&m);
        if (status != LIMBER_MEMORY) break;
    }
    assert_int_equal(status, LIMBER_OK);
    int now = dup(0);
    assert_int_equal(now, fd);
    close(now);
}

/* Every beginning of a model is refused or read, and leaves nothing behind. */
static void truncated_text(void **state)
{
    (void)state;
    long before = lm_mem_live();
    for (size_t n = 0; n < sizeof everything; n++) {
        model m = {0};
        m.status = lm_read_text(&m.arena, &m.diag, everything, n, "model.yaml", NULL, &m.spec);
        assert_int_equal(m.status == LIMBER_OK, m.diag.errors == 0);
        model_close(&m);
    }
    assert_int_equal(lm_mem_live(), before);
}

/* --- generated texts --- */

static const char *json_value(const char *c);

static const char *blanks(const char *c) { return c + strspn(c, " \n\t"); }

static const char *json_string(const char *c)
{
    assert_int_equal(*c, '"');
    for (c++; *c != '"'; c++) {
        assert_true((unsigned char)*c >= 0x20);
        if (*c == '\\') c++;
    }
    return c + 1;
}

static const char *json_members(const char *c, char close, int named)
{
    c = blanks(c + 1);
    while (*c != close) {
        if (named) {
            c = blanks(json_string(c));
            assert_int_equal(*c++, ':');
        }
        c = blanks(json_value(c));
        if (*c == ',') {
            c = blanks(c + 1);
            assert_int_not_equal(*c, close);
        } else {
            assert_int_equal(*c, close);
        }
    }
    return c + 1;
}

static const char *json_value(const char *c)
{
    c = blanks(c);
    if (*c == '{') return json_members(c, '}', 1);
    if (*c == '[') return json_members(c, ']', 0);
    if (*c == '"') return json_string(c);
    size_t n = strspn(c, "-+.eE0123456789");
    if (!n && strncmp(c, "false", 5) == 0) n = 5;
    if (!n && strncmp(c, "true", 4) == 0) n = 4;
    assert_true(n > 0);
    return c + n;
}

static char *printed(void (*print)(FILE *))
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    assert_non_null(f);
    print(f);
    fclose(f);
    return text;
}

static void schema_is_json(void **state)
{
    (void)state;
    char *text = printed(lm_schema_json);
    assert_int_equal(*blanks(json_value(text)), 0);
    assert_non_null(strstr(text, "draft/2020-12"));
    assert_non_null(strstr(text, "\"end_section\""));
    free(text);
    text = printed(lm_schema_markdown);
    assert_non_null(strstr(text, "| `elements` | beam | whole number, from 1 to 1000000 | 4 |"));
    assert_null(strstr(text, "(null)"));
    free(text);
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? chdir(folder) : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[400];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(deep_nesting),
        cmocka_unit_test(alias_bomb),
        cmocka_unit_test(large_numbers),
        cmocka_unit_test(no_follow_ups),
        cmocka_unit_test(long_chains_are_fast),
        cmocka_unit_test(strange_files),
        cmocka_unit_test(includes),
        cmocka_unit_test(outside_includes),
        cmocka_unit_test(failing_allocations),
        cmocka_unit_test(failing_allocations_of_files),
        cmocka_unit_test(truncated_text),
        cmocka_unit_test(schema_is_json),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
