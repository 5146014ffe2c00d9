/* References: names of the tables, and frames such as link(3).end or ground.at(0,1,0). */
#include "model/model.h"
#include "model/reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define FIELD(type) ((type *)((char *)base + key->offset))

/* --- names of a table --- */

static void unknown_name(lm_reader *r, const lm_table *t, const char *name, lm_loc loc)
{
    const char *base = lm_arena_strn(&r->scratch, name, strcspn(name, "("));
    int i = lm_names_find(&t->bases, base);
    const lm_family *f = i >= 0 ? &t->families.at[i] : NULL;
    if (f && f->indexed == 1) {
        lm_error(r->diag, loc, "unknown %s '%s'; there is %s(%d) to %s(%d)", t->noun,
                 lm_quoted(r, name), base, f->low, base, f->high);
        return;
    }
    const char *const *names = (const char *const *)t->bases.list.at;
    const char *hint = lm_suggest(r, base, names, t->bases.list.n);
    if (f)
        hint = f->indexed ? "; it has indices, write e.g. name(1)(2)" : "; it has no indices";
    else if (t == &r->bodies && strcasecmp(base, "ground") == 0)
        hint = "; did you mean 'ground'?";
    else if (!*hint && !t->bases.list.n)
        hint = lm_arena_printf(&r->scratch, "; the model has no %s", t->plural);
    else if (!*hint)
        hint = lm_arena_printf(&r->scratch, " (%s: %s)", t->plural,
                               lm_list_names(r, names, t->bases.list.n));
    lm_error(r->diag, loc, "unknown %s '%s'%s", t->noun, lm_quoted(r, name), hint);
}

int lm_find(lm_reader *r, const lm_table *t, const char *name, lm_loc loc)
{
    int i = lm_names_find(&t->names, name);
    if (i < 0 && !t->broken) unknown_name(r, t, name, loc);
    return i;
}

static int reference(lm_reader *r, const lm_table *t, const lm_yaml *node, int *out)
{
    const char *name = lm_read_reference(r, node);
    if (!name) return -1;
    *out = lm_find(r, t, name, lm_yaml_text_loc(node));
    return *out < 0 ? -1 : 0;
}

int lm_kind_material(lm_reader *r, const lm_key *key, const lm_yaml *node, void *base)
{
    return reference(r, &r->materials, node, FIELD(int));
}

int lm_kind_section(lm_reader *r, const lm_key *key, const lm_yaml *node, void *base)
{
    return reference(r, &r->sections, node, FIELD(int));
}

int lm_kind_joint(lm_reader *r, const lm_key *key, const lm_yaml *node, void *base)
{
    return reference(r, &r->joints, node, FIELD(int));
}

/* --- frames --- */

/* The frame once in the spec, by its canonical name. */
static int intern(lm_reader *r, lm_spec_frame f, const char *name)
{
    int old, i = lm_names_find(&r->frame_names, name);
    if (i >= 0) return i;
    f.name = lm_arena_str(r->arena, name);
    i = lm_names_add(r->arena, &r->frame_names, f.name, &old);
    *LM_PUSH(r->arena, &r->spec->frames) = f;
    return i;
}

/* Numbers of 'at(1,2,3)', which is canonical text: n of them, or -1. */
static int arguments(const char *text, const char *fn, double out[3])
{
    size_t len = strlen(fn);
    if (strncmp(text, fn, len) != 0 || text[len] != '(') return -1;
    int n = 0;
    const char *c = text + len;
    do {
        char *end;
        double v = strtod(c + 1, &end);
        if (end == c + 1 || n == 3) return -1;
        out[n++] = v;
        c = end;
    } while (*c == ',');
    return strcmp(c, ")") == 0 ? n : -1;
}

static int ground_frame(lm_reader *r, const char *suffix, lm_loc loc)
{
    lm_spec_frame f = {.kind = LM_FRAME_GROUND, .body = -1, .node = -1};
    if (!suffix) return intern(r, f, "ground");
    double x[3];
    if (arguments(suffix, "at", x) != 3) {
        lm_error(r->diag, loc,
                 "unknown frame 'ground.%s'; write 'ground' or ground.at(x,y,z) with "
                 "three numbers",
                 lm_quoted(r, suffix));
        return -1;
    }
    f.kind = LM_FRAME_GROUND_AT;
    for (int i = 0; i < 3; i++) f.position[i] = x[i] == 0 ? 0 : x[i];
    return intern(
        r, f,
        lm_arena_printf(&r->scratch, "ground.at(%s,%s,%s)", lm_number_text(r, f.position[0]),
                        lm_number_text(r, f.position[1]), lm_number_text(r, f.position[2])));
}

static int beam_node(lm_reader *r, int body, int node)
{
    const lm_spec_body *b = &r->spec->bodies.at[body];
    lm_spec_frame f = {.kind = LM_FRAME_BEAM_NODE, .body = body, .node = node};
    f.s = lm_beam_node_s(b, node);
    const char *name = b->item.name;
    return intern(r, f,
                  node == 0             ? lm_arena_printf(&r->scratch, "%s.start", name)
                  : node == b->elements ? lm_arena_printf(&r->scratch, "%s.end", name)
                                        : lm_arena_printf(&r->scratch, "%s.node(%d)", name, node));
}

static int beam_at(lm_reader *r, int body, double s, lm_loc loc)
{
    const lm_spec_body *b = &r->spec->bodies.at[body];
    if (!(s >= 0 && s <= 1)) {
        lm_error(r->diag, loc, "%s.at(%s): the position along a beam is from 0 (start) to 1 (end)",
                 b->item.name, lm_number_text(r, s));
        return -1;
    }
    int node = lm_beam_node_at(b, s);
    if (node >= 0) return beam_node(r, body, node);
    lm_spec_frame f = {.kind = LM_FRAME_BEAM_AT, .body = body, .node = -1, .s = s};
    return intern(r, f,
                  lm_arena_printf(&r->scratch, "%s.at(%s)", b->item.name, lm_number_text(r, s)));
}

static int beam_frame(lm_reader *r, int body, const char *suffix, lm_loc loc)
{
    static const char *const known[] = {"start", "end"};
    const lm_spec_body *b = &r->spec->bodies.at[body];
    double x[3];
    if (strcmp(suffix, "start") == 0) return beam_node(r, body, 0);
    if (strcmp(suffix, "end") == 0) return beam_node(r, body, b->elements);
    if (arguments(suffix, "at", x) == 1) return beam_at(r, body, x[0], loc);
    if (arguments(suffix, "node", x) == 1) {
        if (x[0] == floor(x[0]) && x[0] >= 0 && x[0] <= b->elements)
            return beam_node(r, body, (int)x[0]);
        lm_error(r->diag, loc, "%s.node(%s): beam '%s' has nodes 0 to %d (its elements)",
                 b->item.name, lm_number_text(r, x[0]), b->item.name, b->elements);
        return -1;
    }
    const char *word = lm_arena_strn(&r->scratch, suffix, strcspn(suffix, "("));
    const char *hint = lm_suggest(r, word, known, 2);
    lm_error(r->diag, loc, "unknown frame '%s' of beam '%s'%s", lm_quoted(r, suffix), b->item.name,
             *hint ? hint : " (a beam has start, end, node(k) and at(s))");
    return -1;
}

int lm_node_find(lm_reader *r, const lm_spec_body *b, const char *name)
{
    if (b->nnodes > LM_NODES_FEW) {
        const char *full = lm_arena_printf(&r->scratch, "%s.%s", b->item.name, name);
        int i = lm_names_find(&r->node_names, full);
        return i < 0 ? -1 : r->node_of.at[i];
    }
    for (int i = 0; i < b->nnodes; i++)
        if (strcmp(b->nodes[i].name, name) == 0) return i;
    return -1;
}

static int body_frame(lm_reader *r, int body, const char *suffix, lm_loc loc)
{
    const lm_spec_body *b = &r->spec->bodies.at[body];
    lm_spec_frame f = {.kind = LM_FRAME_NODE, .body = body, .node = lm_node_find(r, b, suffix)};
    if (f.node >= 0)
        return intern(r, f, lm_arena_printf(&r->scratch, "%s.%s", b->item.name, suffix));
    const char **names = LM_NEW_N(&r->scratch, const char *, b->nnodes + 1);
    for (int i = 0; i < b->nnodes; i++) names[i] = b->nodes[i].name;
    const char *hint = lm_suggest(r, suffix, names, b->nnodes);
    int rigid = b->type == LM_BODY_RIGID;
    if (!*hint && b->nnodes)
        hint = lm_arena_printf(&r->scratch, " (it has %s)", lm_list_names(r, names, b->nnodes));
    else if (!*hint)
        hint = lm_arena_printf(&r->scratch, "; it has none: add '%s: {%s: [x, y, z]}' to it",
                               rigid ? "frames" : "nodes", lm_quoted(r, suffix));
    lm_error(r->diag, loc, "unknown %s '%s' of %s '%s'%s", rigid ? "frame" : "node",
             lm_quoted(r, suffix), rigid ? "rigid body" : "superelement", b->item.name, hint);
    return -1;
}

/* Where the name of the body ends: after the word and its indices. */
static size_t head_length(const char *c)
{
    const char *begin = c;
    int depth = 0;
    for (; *c && !(*c == '.' && depth == 0); c++) depth += (*c == '(') - (*c == ')');
    return (size_t)(c - begin);
}

static int bare_body(lm_reader *r, int body, lm_loc loc)
{
    const lm_spec_body *b = &r->spec->bodies.at[body];
    lm_spec_frame f = {.kind = LM_FRAME_BODY, .body = body, .node = -1};
    if (b->type != LM_BODY_BEAM) return intern(r, f, b->item.name);
    lm_error(r->diag, loc, "'%s' is a beam: say where on it, %s.start, %s.end or %s.at(s)",
             b->item.name, b->item.name, b->item.name, b->item.name);
    return -1;
}

int lm_frame_resolve(lm_reader *r, const char *canonical, lm_loc loc)
{
    size_t len = head_length(canonical);
    const char *head = lm_arena_strn(&r->scratch, canonical, len);
    const char *suffix = canonical[len] ? canonical + len + 1 : NULL;
    if (strcmp(head, "ground") == 0) return ground_frame(r, suffix, loc);
    int body = lm_names_find(&r->bodies.names, head);
    if (body < 0 && !suffix && lm_names_find(&r->products.names, head) >= 0) {
        lm_error(r->diag, loc,
                 "'%s' is a frame of 'frames', which belongs to no body; name the "
                 "body or node that follows it",
                 head);
        return -1;
    }
    if (body < 0) return lm_find(r, &r->bodies, head, loc);
    if (r->spec->bodies.at[body].item.bad) return -1;
    if (!suffix) return bare_body(r, body, loc);
    if (r->spec->bodies.at[body].type == LM_BODY_BEAM) return beam_frame(r, body, suffix, loc);
    return body_frame(r, body, suffix, loc);
}

/* --- keys that name frames --- */

static int frame(lm_reader *r, const lm_yaml *node, int *out)
{
    const char *name = lm_read_reference(r, node);
    if (!name) return -1;
    *out = lm_frame_resolve(r, name, lm_yaml_text_loc(node));
    return *out < 0 ? -1 : 0;
}

int lm_kind_frame(lm_reader *r, const lm_key *key, const lm_yaml *node, void *base)
{
    return frame(r, node, FIELD(int));
}

static int on_ground(const lm_spec_frame *f) { return f->body < 0; }

static int check_pair(lm_reader *r, const lm_yaml *node, const int *pair)
{
    const lm_spec_frame *a = &r->spec->frames.at[pair[0]], *b = &r->spec->frames.at[pair[1]];
    if (pair[0] == pair[1])
        lm_error(r->diag, node->loc, "%s is twice the same frame, '%s'", lm_subject(r), a->name);
    else if (on_ground(a) && on_ground(b))
        lm_error(r->diag, node->loc, "%s: both frames are on the ground", lm_subject(r));
    else if (a->body == b->body && r->spec->bodies.at[a->body].type == LM_BODY_RIGID)
        lm_error(r->diag, node->loc, "%s: both frames belong to the rigid body '%s'", lm_subject(r),
                 r->spec->bodies.at[a->body].item.name);
    else
        return 0;
    return -1;
}

int lm_kind_frames(lm_reader *r, const lm_key *key, const lm_yaml *node, void *base)
{
    int *pair = FIELD(int);
    const char *what = "a list of two frames [a, b]";
    if (lm_read_want(r, node, LM_YAML_LIST, what)) return -1;
    if (node->n != 2) {
        lm_error(r->diag, node->loc, "%s must be %s, found %s", lm_subject(r), what,
                 lm_found(r, node));
        return -1;
    }
    int rc = frame(r, node->items[0], &pair[0]);
    if (frame(r, node->items[1], &pair[1])) rc = -1;
    return rc ? -1 : check_pair(r, node, pair);
}
