/* Whole reports, read back as the page reads them: what is in the file is what was recorded. */
#include "support/failing.h"
#include "support/run_model.h"
#include "support/scratch.h"
#include "view/report_int.h"

#include <unistd.h>
#include <zlib.h>

static char results[SCRATCH_PATH], html[SCRATCH_PATH], page[SCRATCH_PATH];

static const char arm[] =
    "limber: 1\n"
    "title: \"<b>Arm</b> </script> & 'co'\"\n"
    "gravity: [0, -9.81, 0]\n"
    "materials: {steel: {E: 2.1e10, nu: 0.3, rho: 7800}}\n"
    "sections:\n"
    "  wide: {material: steel, shape: box, height: 0.04, width: 0.02, thickness: 0.002}\n"
    "  slim: {material: steel, shape: box, height: 0.02, width: 0.02, thickness: 0.002}\n"
    "  rod: {shape: stiffness, EA: 1e6, EIy: 10, EIz: 40, GJ: 10, rhoA: 1, rhoIy: 1e-4, rhoIz: "
    "1e-4}\n"
    "bodies:\n"
    "  arm: {type: beam, section: wide, end_section: slim, from: [0, 0, 0], to: [1, 0, 0], "
    "elements: 4}\n"
    "  tail: {type: beam, section: rod, from: [1, 0, 0], to: [1, 0, 1], elements: 2}\n"
    "  bob: {type: rigid, mass: 1, inertia: [0.1, 0.1, 0.1], com: [0, 0.1, 0], position: [1, 0, "
    "1], "
    "frames: {eye: [0, 0.2, 0]}}\n"
    "joints:\n"
    "  hinge: {type: revolute, between: [ground, arm.start], axis: z}\n"
    "  weld: {type: fixed, between: [arm.end, tail.start]}\n"
    "  ball: {type: spherical, between: [tail.end, bob]}\n"
    "forces: {spring: {type: spring, between: [bob.eye, \"ground.at(0, 2, 0)\"], stiffness: 3}}\n"
    "loads: {push: {on: arm.end, force: [0, \"sin(t)\", 0]}}\n"
    "analysis:\n"
    "  - {type: modes, count: 4}\n"
    "  - {type: dynamics, until: 0.3, output_step: 0.001}\n"
    "outputs: {angle: joint(hinge), gap: \"if(t > 0.2, 0/(t - t), t)\"}\n";

/* ---- making ---- */

static limber_status run_report(const char *text, const char *to, limber_messages *msg)
{
    limber_model *model = NULL;
    limber_run_options opt = limber_run_options_default();
    opt.results = results;
    opt.report = to;
    assert_int_equal(limber_model_parse(text, strlen(text), "m.yaml", NULL, &model, msg),
                     LIMBER_OK);
    limber_status st = limber_run(model, &opt, NULL, msg);
    limber_model_free(model);
    return st;
}

static void make(const char *text)
{
    limber_messages *msg = limber_messages_new();
    limber_status st = run_report(text, html, msg);
    if (st) limber_messages_print(msg, stderr);
    assert_int_equal(st, LIMBER_OK);
    limber_messages_free(msg);
}

static limber_status report(const char *const *files, int n, limber_messages *msg)
{
    return limber_report(files, n, html, NULL, msg);
}

/* ---- reading ---- */

typedef struct report_file {
    char *text, *json; /* json: within text, ended by a 0 */
    unsigned char *data;
} report_file;

static unsigned char *decode64(const char *text, size_t n)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned char *out = malloc(n), *to = out;
    unsigned bits = 0;
    for (size_t i = 0; i < n && text[i] != '='; i++) {
        const char *at = strchr(digit, text[i]);
        assert_non_null(at);
        bits = bits << 6 | (unsigned)(at - digit);
        if (i % 4) *to++ = (unsigned char)(bits >> (6 - 2 * (i % 4)));
    }
    return out;
}

/* Behind a value, which begins at p and has no blanks outside texts. */
static const char *behind_value(const char *p);

static const char *behind_text(const char *p)
{
    assert_int_equal(*p, '"');
    for (p++; *p && *p != '"'; p++)
        if (*p == '\\') p++;
    assert_int_equal(*p, '"');
    return p + 1;
}

static const char *behind_list(const char *p, char end)
{
    if (*++p == end) return p + 1;
    for (;; p++) {
        if (end == '}') {
            p = behind_text(p);
            assert_int_equal(*p++, ':');
        }
        p = behind_value(p);
        if (*p == end) return p + 1;
        assert_int_equal(*p, ',');
    }
}

static const char *behind_value(const char *p)
{
    static const char *const word[] = {"true", "false", "null"};
    char *end;
    if (*p == '{' || *p == '[') return behind_list(p, *p == '{' ? '}' : ']');
    if (*p == '"') return behind_text(p);
    for (int i = 0; i < 3; i++)
        if (strncmp(p, word[i], strlen(word[i])) == 0) return p + strlen(word[i]);
    assert_true(*p == '-' || (*p >= '0' && *p <= '9'));
    strtod(p, &end);
    return end;
}

static report_file open_report(void)
{
    static const char head[] = "<p>before</p>\n<script type=\"application/json\" "
                               "id=\"limber-report\">";
    static const char middle[] = "</script>\n<script type=\"application/octet-stream\" "
                                 "id=\"limber-blobs\">";
    report_file f = {.text = file_read(html, NULL)};
    assert_memory_equal(f.text, head, strlen(head));
    f.json = f.text + strlen(head);
    char *end = strchr(f.json, '<'); /* the first one there is */
    assert_non_null(end);
    assert_memory_equal(end, middle, strlen(middle));
    *end = 0;
    assert_string_equal(behind_value(f.json), "");
    const char *blobs = end + strlen(middle), *stop = strchr(blobs, '<');
    assert_string_equal(stop, "</script>\n\n<p>after</p>\n");
    f.data = decode64(blobs, (size_t)(stop - blobs));
    return f;
}

static void close_report(report_file *f)
{
    free(f->text);
    free(f->data);
}

/* Where the value of a key begins, behind `from`; the test fails where there is none. */
static const char *find(const char *from, const char *key)
{
    char quoted[80];
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    const char *at = strstr(from, quoted);
    if (!at) fail_msg("there is no %s", key);
    return at + strlen(quoted);
}

static double number(const char *from, const char *key) { return strtod(find(from, key), NULL); }

/* The i-th number of the list at p, which may be nested. */
static double item(const char *p, int i)
{
    char *end;
    for (;; i--) {
        p += strcspn(p, "0123456789-n");
        double x = *p == 'n' ? NAN : strtod(p, &end);
        p = *p == 'n' ? p + 4 : end;
        if (i == 0) return x;
    }
}

static unsigned char *blob(const report_file *f, int id, size_t expected)
{
    const char *list = find(f->json, "blobs");
    size_t offset = (size_t)item(list, 3 * id), size = (size_t)item(list, 3 * id + 1);
    assert_int_equal(item(list, 3 * id + 2), expected);
    unsigned char *out = malloc(expected + 1);
    z_stream z = {.next_in = f->data + offset,
                  .avail_in = (uInt)size,
                  .next_out = out,
                  .avail_out = (uInt)expected + 1};
    assert_int_equal(inflateInit2(&z, -15), Z_OK);
    assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
    assert_int_equal(z.total_out, expected);
    inflateEnd(&z);
    return out;
}

/* Numbers of a column blob; width 8 or 4. */
static double *numbers(const report_file *f, int id, size_t n, size_t width)
{
    unsigned char *raw = blob(f, id, n * width);
    double *out = malloc(sizeof(double) * (n + 1));
    for (size_t i = 0; i < n; i++) {
        unsigned char bytes[8] = {0};
        float x;
        for (size_t k = 0; k < width; k++) bytes[k] = raw[k * n + i];
        memcpy(&x, bytes, sizeof x);
        if (width == 8) memcpy(&out[i], bytes, 8);
        if (width == 4) out[i] = (double)x;
    }
    free(raw);
    return out;
}

typedef struct recorded {
    lm_result r;
    lm_rows t;
    double *data;
} recorded;

static recorded open_recorded(int analysis, const char *name)
{
    char err[300];
    recorded k;
    assert_int_equal(lm_result_open(&k.r, results, &(lm_result_how){0}, err, sizeof err), 0);
    assert_int_equal(lm_rows_open(&k.t, k.r.file, k.r.analyses.at[analysis].group, name), 0);
    k.data = malloc(sizeof(double) * (size_t)k.t.rows * (size_t)k.t.ncols);
    assert_int_equal(lm_rows_read(&k.t, 0, k.t.rows, k.data), 0);
    return k;
}

static void close_recorded(recorded *k)
{
    free(k->data);
    lm_rows_close(&k->t);
    lm_result_close(&k->r);
}

/* ---- tests ---- */

static void names_are_text(void **state)
{
    (void)state;
    make(arm);
    report_file f = open_report(); /* looks for the first '<' behind the JSON */
    assert_non_null(strstr(f.json, "\"title\":\"\\u003cb>Arm\\u003c/b> \\u003c/script> & 'co'\""));
    assert_non_null(strstr(f.json, "\"pose_names\":[\"arm.node(0)\",\"arm.node(1)\""));
    close_report(&f);
}

static void messages_are_shown(void **state)
{
    (void)state;
    make(arm);
    report_file f = open_report();
    const char *said = find(f.json, "messages");
    assert_memory_equal(find(said, "severity"), "\"warning\"", 9);
    assert_memory_equal(find(said, "analysis"), "\"modes\"", 7);
    assert_memory_equal(find(said, "file"), "\"m.yaml\"", 8);
    assert_true(number(said, "line") == 20 && number(said, "column") == 5);
    assert_memory_equal(find(said, "text"), "\"modes: the state is not an equilibrium", 39);
    close_report(&f);
}

static void the_scene_is_that_of_the_model(void **state)
{
    (void)state;
    make(arm);
    report_file f = open_report();
    const char *scene = find(f.json, "scene"), *bodies = find(scene, "bodies");
    assert_int_equal(number(scene, "poses"), 9);
    assert_near(number(scene, "size"), sqrt(1 + 4 + 1),
                1e-8); /* with the spring's end, (0, 2, 0) */
    assert_non_null(strstr(scene, "\"up\":\"y\""));
    /* a box that tapers: five outlines of two loops; height goes from 0.04 to 0.02 */
    const char *loops = find(scene, "loops");
    const double outer[] = {-0.02, -0.01, 0.02, -0.01, 0.02, 0.01, -0.02, 0.01};
    for (int i = 0; i < 8; i++) assert_near(item(loops, i), outer[i], 1e-9);
    for (int i = 0; i < 8; i++)
        assert_near(item(loops, 8 + i), outer[i] - copysign(0.002, outer[i]), 1e-9);
    assert_non_null(strstr(bodies, "\"profile\":[0,1,2,3,4]"));
    assert_non_null(strstr(bodies, "\"profile\":[5,5,5]"));
    /* by its stiffness: h^2 = 12 EIz/EA */
    const char *rod = strstr(scene, "\"name\":\"rod\"");
    assert_near(item(find(rod, "loops"), 0), -0.5 * sqrt(12 * 40 / 1e6), 1e-9);
    /* the bob: its frame is 0.1 from the mass centre; touched by the ball and by the spring */
    const char *bob = strstr(bodies, "\"name\":\"bob\"");
    assert_near(item(find(bob, "com"), 1), 0.1, 1e-12);
    const char *points = find(bob, "points");
    for (int i = 0; i < 6; i++) assert_near(item(points, i), i == 4 ? 0.2 : 0, 1e-9);
    assert_near(item(find(bob, "axes"), 0), 0.5, 1e-9); /* a^2 = 5/2 I/m */
    const char *ball = strstr(scene, "\"name\":\"ball\"");
    assert_int_equal(number(ball, "pose"), 7);
    assert_non_null(strstr(scene, "\"frames\":[{\"name\":\"bob.eye\""));
    close_report(&f);
}

static void undo(const unsigned char *raw, int frames, int count, int32_t *i)
{
    size_t plane = 7 * (size_t)frames * (size_t)count, at = 0;
    for (int c = 0; c < 7; c++)
        for (int t = 0; t < frames; t++)
            for (int p = 0; p < count; p++, at++) {
                uint32_t z = 0;
                for (size_t k = 0; k < 4; k++) z |= (uint32_t)raw[k * plane + at] << (8 * k);
                uint32_t v = (z >> 1) ^ (0 - (z & 1));
                int32_t *here = i + (t * count + p) * 7 + c;
                if (p) v += (uint32_t)here[-7];
                if (t) v += (uint32_t)here[-7 * count];
                if (p && t) v -= (uint32_t)here[-7 * count - 7];
                *here = (int32_t)v;
            }
}

static void poses_are_those_recorded(void **state)
{
    (void)state;
    make(arm);
    report_file f = open_report();
    recorded k = open_recorded(1, "poses");
    const char *a = strstr(f.json, "\"name\":\"dynamics\""), *poses = find(a, "poses");
    int count = (int)number(poses, "count"), rows = (int)number(poses, "rows");
    int chunk = (int)number(poses, "chunk");
    double step = number(poses, "step"), turn = number(poses, "turn"), size = sqrt(6);
    const char *origin = find(poses, "origin"), *ids = find(poses, "blobs");
    assert_int_equal(count, 9);
    assert_int_equal(rows, 301);
    assert_near(step, ldexp(size, -24), 1e-12);
    assert_near(turn, ldexp(1, -22), 1e-15);
    int32_t *i = malloc(sizeof *i * (size_t)(chunk * count * 7));
    for (int first = 0; first < rows; first += chunk) {
        int n = rows - first < chunk ? rows - first : chunk;
        unsigned char *raw = blob(&f, (int)item(ids, first / chunk), (size_t)(n * count) * 28);
        undo(raw, n, count, i);
        free(raw);
        for (int q = 0; q < n * count; q++) {
            const double *want = k.data + (size_t)first * (size_t)k.t.ncols + 7 * q;
            double dot = 0;
            for (int c = 3; c < 7; c++) dot += want[c] * i[7 * q + c];
            for (int c = 0; c < 3; c++)
                assert_near(item(origin, c) + step * i[7 * q + c], want[c], 0.5001 * step);
            for (int c = 3; c < 7; c++)
                assert_near(turn * i[7 * q + c], dot < 0 ? -want[c] : want[c], 0.5001 * turn);
        }
    }
    free(i);
    close_recorded(&k);
    close_report(&f);
}

static void tables_are_those_recorded(void **state)
{
    (void)state;
    make(arm);
    report_file f = open_report();
    recorded k = open_recorded(1, "results");
    const char *a = strstr(f.json, "\"name\":\"dynamics\""),
               *t = find(find(a, "tables"), "results");
    assert_non_null(strstr(a, "is not a number in 1"));
    assert_memory_equal(find(t, "columns"), "[\"t\",\"angle\",\"gap\"]", 19);
    for (int c = 0; c < 3; c++) {
        double *x = numbers(&f, (int)item(find(t, "blobs"), c), 301, 8);
        for (int i = 0; i < 301; i++) /* NaN too */
            assert_memory_equal(&x[i], &k.data[3 * i + c], sizeof *x);
        if (c == 2) assert_true(isnan(x[300]));
        free(x);
    }
    assert_memory_equal(find(find(a, "energy"), "columns"), "[\"t\",\"kinetic\"", 14);
    close_recorded(&k);
    close_report(&f);
}

static void vectors_are_those_recorded(void **state)
{
    (void)state;
    make(arm);
    report_file f = open_report();
    recorded k = open_recorded(1, "joint_forces");
    const char *v = find(strstr(f.json, "\"name\":\"dynamics\""), "joint_forces");
    assert_int_equal(number(v, "count"), 3);
    double *x = numbers(&f, (int)number(v, "blob"), 301 * 18, 4);
    for (int part = 0; part < 6; part++)
        for (int i = 0; i < 301; i++)
            for (int j = 0; j < 3; j++) {
                double want = k.data[18 * i + 6 * j + part];
                assert_near(x[(part * 301 + i) * 3 + j], want, 1e-6 * (1 + fabs(want)));
            }
    free(x);
    close_recorded(&k);
    close_report(&f);
}

static void modes_are_those_recorded(void **state)
{
    (void)state;
    make(arm);
    report_file f = open_report();
    recorded k = open_recorded(0, "shapes");
    const char *m = find(strstr(f.json, "\"name\":\"modes\""), "modes");
    assert_int_equal(number(m, "count"), 4);
    double *x = numbers(&f, (int)number(m, "blob"), 4 * 2 * 54, 4);
    for (int i = 0; i < 4; i++)
        for (int p = 0; p < 54; p++) {
            double want = k.data[54 * i + p];
            assert_near(x[2 * 54 * i + p], want, 1e-6 * (1 + fabs(want)));
        }
    free(x);
    close_recorded(&k);
    close_report(&f);
}

/* ---- what does not fit ---- */

/* More rows than a report takes: every second, the last too, alike in all tables. */
static void many_rows_are_thinned(void **state)
{
    (void)state;
    make("limber: 1\ngravity: [0, -9.81, 0]\n"
         "bodies: {bob: {type: rigid, mass: 1, inertia: [1, 1, 1], com: [1, 0, 0]}}\n"
         "joints: {pivot: {type: revolute, between: [ground, bob], axis: z}}\n"
         "analysis: {type: dynamics, until: 3, output_step: 1e-4}\n"
         "outputs: {a: joint(pivot)}\n");
    report_file f = open_report();
    const char *a = find(f.json, "analyses"), *t = find(find(a, "tables"), "results");
    assert_int_equal(number(a, "rows"), 15001);
    assert_int_equal(number(find(a, "poses"), "rows"), 15001);
    assert_int_equal(number(find(a, "joint_forces"), "rows"), 15001);
    assert_int_equal(number(find(a, "energy"), "rows"), 15001);
    double *x = numbers(&f, (int)item(find(t, "blobs"), 0), 15001, 8);
    for (int i = 0; i < 15001; i++) assert_near(x[i], 2e-4 * i, 1e-9);
    free(x);
    assert_non_null(strstr(find(f.json, "notes"), "of its 30001 rows one in 2 is here"));
    close_report(&f);
}

/* Bytes of the poses of the dynamics. */
static size_t pose_bytes(const lm_report *r, int *rows)
{
    char *text = malloc(r->runs.used + 1);
    memcpy(text, r->runs.text, r->runs.used);
    text[r->runs.used] = 0;
    const char *poses = find(strstr(text, "\"name\":\"dynamics\""), "poses");
    size_t sum = 0;
    *rows = (int)number(poses, "rows");
    int chunk = (int)number(poses, "chunk");
    for (int i = 0; i < (*rows + chunk - 1) / chunk; i++)
        sum += r->blobs.at[(int)item(find(poses, "blobs"), i)].size;
    free(text);
    return sum;
}

/* Coarser, then fewer frames: with less and less room the poses stay within it, and notes tell. */
static void a_small_budget_is_kept(void **state)
{
    (void)state;
    size_t last = (size_t)-1;
    make(arm);
    for (size_t budget = 200000; budget >= 3000; budget /= 4) {
        char err[300];
        int rows;
        lm_report *r = lm_report_new(1, 0);
        r->budget = budget;
        assert_int_equal(lm_report_add(r, results, &(lm_result_how){0}, err, sizeof err),
                         LIMBER_OK);
        size_t bytes = pose_bytes(r, &rows);
        assert_true(bytes <= last && bytes < budget);
        int told = 0;
        for (int i = 0; i < r->nnotes; i++) told |= strstr(r->notes[i], "of its 301 rows") != NULL;
        assert_int_equal(told, rows < 301);
        if (budget < 4000) assert_in_range(rows, 2, 150);
        last = bytes;
        lm_report_free(r);
    }
}

/* Several files: names of their own; the model that is gone. */
static void several_runs(void **state)
{
    (void)state;
    make(arm);
    limber_messages *msg = limber_messages_new();
    const char *const files[] = {results, results, results};
    assert_int_equal(report(files, 3, msg), LIMBER_OK);
    report_file f = open_report();
    assert_non_null(strstr(f.json, "{\"name\":\"r\","));
    assert_non_null(strstr(f.json, "{\"name\":\"r (2)\","));
    assert_non_null(strstr(f.json, "{\"name\":\"r (3)\","));
    close_report(&f);
    limber_messages_free(msg);
}

/* A mass that is pushed along a line, twice as hard in the second run. */
static void later_runs_have_their_differences_from_the_first(void **state)
{
    (void)state;
    char other[SCRATCH_PATH], text[300];
    limber_messages *msg = limber_messages_new();
    scratch_path(other, "first.h5");
    for (int force = 1; force <= 2; force++) {
        snprintf(text, sizeof text,
                 "limber: 1\nbodies: {bob: {type: rigid, mass: 1, inertia: [1, 1, 1]}}\n"
                 "joints: {rail: {type: prismatic, between: [ground, bob], axis: x, effort: %d}}\n"
                 "analysis: {type: dynamics, until: 2}\noutputs: {x: joint(rail), time: t}\n",
                 force);
        make(text);
        if (force == 1) assert_int_equal(rename(results, other), 0);
    }
    const char *const files[] = {other, results};
    assert_int_equal(report(files, 2, msg), LIMBER_OK);
    unlink(other);
    report_file f = open_report();
    const char *first = find(f.json, "differences"), *second = find(first, "differences");
    assert_memory_equal(first, "null", 4);
    const char head[] = "[{\"analysis\":\"dynamics\",\"output\":\"x\",";
    assert_memory_equal(second, head, strlen(head));
    assert_near(number(second, "scale"), 2, 1e-6); /* F t^2/2m */
    assert_near(number(second, "largest"), 2, 1e-6);
    assert_near(number(second, "at"), 2, 1e-9);
    const char same[] = "\"time\",\"scale\":2,\"largest\":0,";
    assert_memory_equal(find(find(second, "output"), "output"), same, strlen(same));
    close_report(&f);
    limber_messages_free(msg);
}

static void a_model_that_is_gone_leaves_the_plots(void **state)
{
    (void)state;
    char parts[SCRATCH_PATH], model[SCRATCH_PATH];
    const char text[] = "limber: 1\ninclude: [parts.yaml]\ngravity: [0, -9.81, 0]\n"
                        "bodies: {bob: {type: rigid, mass: m, inertia: [1, 1, 1]}}\n"
                        "joints: {pivot: {type: revolute, between: [ground, bob], axis: z}}\n"
                        "analysis: {type: dynamics, until: 1}\noutputs: {a: joint(pivot)}\n";
    scratch_path(parts, "parts.yaml");
    scratch_path(model, "whole.yaml");
    file_write(parts, "limber: 1\nparameters: {m: 2}\n", 29);
    file_write(model, text, strlen(text));
    limber_messages *msg = limber_messages_new();
    limber_model *m = NULL;
    limber_run_options opt = limber_run_options_default();
    opt.results = results;
    assert_int_equal(limber_model_load(model, NULL, &m, msg), LIMBER_OK);
    assert_int_equal(limber_run(m, &opt, NULL, msg), LIMBER_OK);
    limber_model_free(m);
    unlink(parts);
    unlink(model);
    const char *const file = results;
    assert_int_equal(report(&file, 1, msg), LIMBER_OK);
    report_file f = open_report();
    assert_memory_equal(find(f.json, "scene"), "null", 4);
    assert_memory_equal(find(f.json, "poses"), "null", 4);
    assert_non_null(strstr(find(f.json, "notes"), "parts.yaml"));
    assert_int_equal(number(find(f.json, "tables"), "rows"), 1001);
    close_report(&f);
    limber_messages_free(msg);
}

static void a_drawing_has_one_frame(void **state)
{
    (void)state;
    limber_messages *msg = limber_messages_new();
    limber_model *m = NULL;
    limber_check_info info;
    assert_int_equal(limber_model_parse(arm, strlen(arm), "m.yaml", NULL, &m, msg), LIMBER_OK);
    assert_int_equal(limber_check_draw(m, html, &info, msg), LIMBER_OK);
    limber_model_free(m);
    report_file f = open_report();
    assert_memory_equal(find(f.json, "kind"), "\"drawing\"", 9);
    assert_int_equal(number(find(f.json, "analyses"), "rows"), 1);
    unsigned char *raw = blob(&f, 0, 9 * 28);
    int32_t i[63];
    undo(raw, 1, 9, i);
    double step = number(f.json, "step");
    assert_near(0.5 + step * i[7 * 4], 1, step); /* the end of the arm */
    free(raw);
    close_report(&f);
    limber_messages_free(msg);
}

/* A stiff spring that snaps: the run stops, and the report says so. */
static void a_run_that_stopped_is_shown(void **state)
{
    (void)state;
    const char text[] = "limber: 1\n"
                        "bodies: {bob: {type: rigid, mass: 1, inertia: [1, 1, 1]}}\n"
                        "joints: {rail: {type: prismatic, between: [ground, bob], axis: x, "
                        "effort: \"1/(0.1 - joint(rail))^3\"}}\n"
                        "analysis: {type: dynamics, until: 10, output_step: 1e-4}\n"
                        "outputs: {x: joint(rail)}\n";
    limber_messages *msg = limber_messages_new();
    assert_int_equal(run_report(text, html, msg), LIMBER_STOPPED);
    report_file f = open_report();
    const char *a = find(f.json, "analyses");
    assert_memory_equal(find(a, "status"), "\"stopped\"", 9);
    assert_non_null(strstr(find(a, "reason"), "at t ="));
    assert_memory_equal(find(find(a, "summary"), "value"), "\"stopped: ", 10);
    close_report(&f);
    limber_messages_free(msg);
}

/* A coil and a capacitor give each other their energy; the sum of it stays the same. The verdict is that
 * of the run, and so it is by the tables, of a file that does not tell. */
static void a_circuit_without_losses_is_no_bad_one(void **state)
{
    (void)state;
    const char text[] = "limber: 1\n"
                        "power:\n"
                        "  loop: {type: 1, domain: electric}\n"
                        "  coil: {type: I, inertia: 2, initial_flow: 0, on: loop}\n"
                        "  capacitor: {type: C, capacitance: 1/800, initial: 0.01, on: loop}\n"
                        "analysis: {type: dynamics, until: 3, output_step: 0.01}\n"
                        "outputs: {charge: state(capacitor)}\n";
    static const char label[] = "\"energy balance\"";
    limber_model *model = NULL;
    limber_messages *msg = limber_messages_new();
    limber_run_options opt = limber_run_options_default();
    limber_summary sum;
    char said[80], err[300];
    lm_h5 *h5;
    opt.results = results;
    opt.report = html;
    assert_int_equal(limber_model_parse(text, strlen(text), "m.yaml", NULL, &model, msg),
                     LIMBER_OK);
    assert_int_equal(limber_run(model, &opt, &sum, msg), LIMBER_OK);
    assert_true(sum.energy_error < 1e-5);
    snprintf(said, sizeof said, "\"%.1e of the exchanged energy\"", sum.energy_error);
    report_file f = open_report();
    const char *at = strstr(f.json, label);
    assert_non_null(at);
    assert_memory_equal(find(at, "value"), said, strlen(said));
    assert_memory_equal(find(at, "verdict"), "\"good\"", 6);
    close_report(&f);

    assert_int_equal(lm_h5_open(results, LM_H5_UPDATE, &h5, err, sizeof err), 0);
    assert_int_equal(lm_h5_write_attr_text(h5, "/dynamics", "status", "running"), 0);
    assert_int_equal(lm_h5_close(h5), 0);
    const char *const files[] = {results};
    assert_int_equal(report(files, 1, msg), LIMBER_OK);
    f = open_report();
    assert_memory_equal(find(strstr(f.json, label), "verdict"), "\"good\"", 6);
    close_report(&f);
    limber_model_free(model);
    limber_messages_free(msg);
}

static int set_up(void **state)
{
    static const char text[] = "<p>before</p>\n<!--limber:data-->\n<p>after</p>\n";
    (void)state;
    if (scratch_make("view_report")) return -1;
    scratch_path(results, "r.h5");
    scratch_path(html, "r.html");
    scratch_path(page, "page.html");
    file_write(page, text, strlen(text));
    return setenv("LIMBER_VIEWER", page, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_text),
        cmocka_unit_test(messages_are_shown),
        cmocka_unit_test(the_scene_is_that_of_the_model),
        cmocka_unit_test(poses_are_those_recorded),
        cmocka_unit_test(tables_are_those_recorded),
        cmocka_unit_test(vectors_are_those_recorded),
        cmocka_unit_test(modes_are_those_recorded),
        cmocka_unit_test(many_rows_are_thinned),
        cmocka_unit_test(a_small_budget_is_kept),
        cmocka_unit_test(several_runs),
        cmocka_unit_test(later_runs_have_their_differences_from_the_first),
        cmocka_unit_test(a_model_that_is_gone_leaves_the_plots),
        cmocka_unit_test(a_drawing_has_one_frame),
        cmocka_unit_test(a_run_that_stopped_is_shown),
        cmocka_unit_test(a_circuit_without_losses_is_no_bad_one),
    };
    return cmocka_run_group_tests(tests, set_up, scratch_tear_down);
}
