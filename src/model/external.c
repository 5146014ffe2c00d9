/* Frames that a C function of the user gives: `hand: external`, or `hand: external(q0, q1, t)` with
 * the coordinates that it depends on. */
#include "model/reader.h"

#include "model/pose.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* ---- reading ---- */

/* One name of the list, or a message. */
static int read_input(lm_reader *r, const char *text, size_t n, lm_loc loc, char *used)
{
    lm_expr e = {0};
    const char *name = lm_arena_strn(&r->scratch, text, n);
    if (lm_read_expr_text(r, name, loc, LM_SCOPE_MOTION, &e)) return -1;
    if (e.ninputs == 1 && e.nops == 1) {
        used[e.inputs[0]] = 1;
        return 0;
    }
    lm_error(
        r->diag, loc,
        "external(...) lists the coordinates that the frame depends on, and t; '%s' is neither",
        lm_quoted(r, name));
    return -1;
}

/* (q0, q(1), t): what stands between commas outside brackets. */
static int read_inputs(lm_reader *r, const char *text, lm_loc loc, char *used)
{
    int depth = 0, bad = 0;
    const char *start = text + 1, *c = start;
    if (start[strspn(start, " ")] == ')') {
        lm_error(r->diag, loc,
                 "external() lists nothing: list what the frame depends on, or write 'external' "
                 "alone for all coordinates and t");
        return -1;
    }
    for (; *c && depth >= 0; c++) {
        depth += (*c == '(') - (*c == ')');
        if (depth > 0 || (depth == 0 && *c != ',')) continue;
        lm_loc at = loc;
        start += strspn(start, " ");
        at.col += (int)(start - text);
        bad |= read_input(r, start, (size_t)(c - start), at, used);
        start = c + 1;
    }
    while (isspace((unsigned char)*c)) c++;
    if (depth < 0 && !*c) return bad ? -1 : 0;
    loc.col += (int)(c - text);
    lm_error(r->diag, loc,
             depth < 0 ? "expected the end, found '%.20s'" : "the ')' of external(...) is missing",
             c);
    return -1;
}

int lm_read_external(lm_reader *r, const char *name, const lm_yaml *node, lm_product *out)
{
    static const char word[] = "external";
    size_t n = strlen(word);
    if (node->kind != LM_YAML_SCALAR) return 0;
    const char *text = node->text + strspn(node->text, " "), *rest = text + n;
    if (strncmp(text, word, n) != 0) return 0;
    rest += strspn(rest, " ");
    if (*rest && *rest != '(') return 0;
    int slots = 1 + r->coordinates.entries.n;
    char *used = lm_arena_alloc(&r->scratch, (size_t)slots);
    lm_loc loc = lm_yaml_text_loc(node);
    loc.col += (int)(rest - node->text);
    for (int i = 0; i < slots; i++) used[i] = !*rest;
    if (*rest && read_inputs(r, rest, loc, used)) return -1;
    int *inputs = LM_NEW_N(r->arena, int, slots);
    for (int i = 0; i < slots; i++)
        if (used[i]) inputs[out->ninputs++] = i;
    out->inputs = inputs;
    if (!r->spec->external)
        r->spec->external = LM_NEW_N(r->arena, const char *, r->products.entries.n);
    r->spec->external[r->spec->nexternal++] = name;
    out->external = r->spec->nexternal;
    return 1;
}

/* ---- calling ---- */

/* "the C function that gives frame 'hand'"; returns text. */
static const char *external_who(const lm_spec *spec, char *text, size_t size)
{
    int n =
        snprintf(text, size, "the C function that gives frame%s", spec->nexternal > 1 ? "s" : "");
    for (int i = 0; i < spec->nexternal && n + 8 < (int)size; i++) {
        if (n > 120) {
            snprintf(text + n, size - (size_t)n, ", ...");
            break;
        }
        n += snprintf(text + n, size - (size_t)n, "%s '%.40s'", i ? "," : "", spec->external[i]);
    }
    return text;
}

static int refuse_result(const lm_spec *spec, const char *fn, int rc, char *why, size_t size)
{
    char who[200];
    snprintf(why, size, "%s: '%s' returned %d", external_who(spec, who, sizeof who), fn, rc);
    return rc;
}

/* Numbers, and axes of unit length at right angles: what is left of rounding is taken out. */
static int check_pose(limber_pose *p, const char *name, char *why, size_t size)
{
    lm_pose at = lm_pose_from(p);
    double sum = at.x.x + at.x.y + at.x.z, off = 0;
    for (int i = 0; i < 9; i++) sum += at.R.m[i];
    if (!isfinite(sum)) {
        snprintf(why, size, "the C function gives frame '%.40s' a pose that is not a number", name);
        return 1;
    }
    lm_m3 one = m3_tmul(&at.R, &at.R);
    for (int i = 0; i < 9; i++) off = fmax(off, fabs(one.m[i] - (i % 4 == 0)));
    if (off > 1e-6 || v3_dot(v3_cross(m3_col(&at.R, 0), m3_col(&at.R, 1)), m3_col(&at.R, 2)) < 0) {
        snprintf(
            why, size,
            "the C function gives frame '%.40s' a rotation whose columns are not a right-handed "
            "system of unit axes",
            name);
        return 1;
    }
    at.R = quat_m3(quat_unit(lm_quat_from_m3(&at.R)));
    *p = lm_pose_given(&at);
    return 0;
}

int lm_external_poses(const lm_spec *spec, double t, const double *q, limber_pose *pose, char *why,
                      size_t size)
{
    const limber_kinematics *k = &spec->kinematics;
    const limber_pose identity = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    for (int i = 0; i < k->frames; i++) pose[i] = identity;
    int bad = k->pose(k->context, t, q, pose);
    if (bad) return refuse_result(spec, "pose", bad, why, size);
    for (int i = 0; i < k->frames && !bad; i++)
        bad = check_pose(&pose[i], spec->external[i], why, size);
    return bad;
}

int lm_external_partials(const lm_spec *spec, double t, const double *q, limber_twist *column,
                         char *why, size_t size)
{
    const limber_kinematics *k = &spec->kinematics;
    int n = k->frames * (k->coordinates + 1);
    memset(column, 0, sizeof *column * (size_t)n);
    int bad = k->partial(k->context, t, q, column);
    if (bad) return refuse_result(spec, "partial", bad, why, size);
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int c = 0; c < 3; c++) sum += column[i].linear[c] + column[i].angular[c];
        if (isfinite(sum)) continue;
        snprintf(why, size,
                 "the C function gives frame '%.40s' a partial velocity that is not a number",
                 spec->external[i / (k->coordinates + 1)]);
        return 1;
    }
    return 0;
}

/* ---- when a model is loaded ---- */

static lm_loc first_place(const lm_spec *spec)
{
    for (int i = 0; i < spec->products.n; i++)
        if (spec->products.at[i].external == 1) return spec->products.at[i].item.loc;
    return (lm_loc){spec->file, 0, 0};
}

/* 1 after an error: the function is missing, or made for something else. */
static int refuse_function(lm_reader *r)
{
    lm_spec *spec = r->spec;
    const limber_kinematics *k = r->options ? r->options->kinematics : NULL;
    if (!k && !spec->nexternal) return 0;
    if (k && !k->pose) {
        lm_error(r->diag, first_place(spec),
                 "limber_kinematics.pose is NULL: it is the C function that gives the frames "
                 "(docs/library.md)");
        return 1;
    }
    if (!k) {
        lm_error(
            r->diag, first_place(spec),
            "frame '%s' is given by a C function, and none was named: load the model in a program "
            "that does, with limber_load_options.kinematics (docs/library.md)",
            spec->external[0]);
        return 1;
    }
    spec->kinematics = *k;
    if (k->frames == spec->nexternal && k->coordinates == spec->coordinates.n) return 0;
    lm_error(
        r->diag, first_place(spec),
        "the C function is made for %d coordinate%s and %d external frame%s, but the model has %d "
        "and %d",
        k->coordinates, k->coordinates == 1 ? "" : "s", k->frames, k->frames == 1 ? "" : "s",
        spec->coordinates.n, spec->nexternal);
    return 1;
}

limber_pose *lm_draw_external(lm_reader *r, const double *slots)
{
    lm_spec *spec = r->spec;
    char why[300];
    if (refuse_function(r) || !spec->nexternal) return NULL;
    limber_pose *pose = LM_NEW_N(&r->scratch, limber_pose, spec->nexternal);
    if (!lm_external_poses(spec, 0, slots + 1, pose, why, sizeof why)) return pose;
    lm_error(r->diag, first_place(spec), "%s at the initial values of the coordinates and t = 0",
             why);
    return NULL;
}
