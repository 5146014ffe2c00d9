/* Words for messages. The texts live in the scratch arena until the entry is done. */
#include "model/reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 60, LISTED = 24 };

int lm_full(const lm_reader *r) { return r->diag->list.n >= LM_DIAG_MOST; }

const char *lm_where_text(lm_reader *r)
{
    const char *text = "";
    if (lm_full(r)) return "";
    for (const lm_where *w = r->where; w; w = w->outer)
        text = lm_arena_printf(&r->scratch, w->name ? "%s%s%s '%s'" : "%s%s%s", text,
                               *text ? " of " : "", w->noun, w->name ? lm_quoted(r, w->name) : "");
    return text;
}

const char *lm_subject(lm_reader *r)
{
    const char *where = lm_where_text(r);
    if (!r->key || lm_full(r)) return where;
    return lm_arena_printf(&r->scratch, *where ? "'%s' in %s" : "'%s'", r->key, where);
}

const char *lm_quoted(lm_reader *r, const char *text)
{
    if (strlen(text) <= SHOWN || lm_full(r)) return text;
    size_t n = SHOWN - 3;
    while (n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80) n--; /* not inside a character */
    return lm_arena_printf(&r->scratch, "%.*s...", (int)n, text);
}

const char *lm_found(lm_reader *r, const lm_yaml *node)
{
    if (node->kind != LM_YAML_SCALAR || lm_yaml_is_null(node) || lm_full(r))
        return lm_yaml_kind_text(node);
    return lm_arena_printf(&r->scratch, "'%s'", lm_quoted(r, node->text));
}

const char *lm_number_text(lm_reader *r, double value)
{
    char text[40];
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    return lm_arena_str(&r->scratch, text);
}

const char *lm_suggest(lm_reader *r, const char *word, const char *const *names, int n)
{
    if (lm_full(r)) return "";
    const char *near = lm_nearest(word, names, n < LM_SUGGEST_MOST ? n : LM_SUGGEST_MOST);
    return near ? lm_arena_printf(&r->scratch, "; did you mean '%s'?", near) : "";
}

const char *lm_article(const char *noun) { return strchr("aeio", *noun) ? "an" : "a"; }

const char *lm_list_names(lm_reader *r, const char *const *names, int n)
{
    const char *text = "";
    if (lm_full(r)) return "";
    for (int i = 0; i < n && i < LISTED; i++)
        text = lm_arena_printf(&r->scratch, "%s%s%s", text, i ? ", " : "", lm_quoted(r, names[i]));
    return n > LISTED ? lm_arena_printf(&r->scratch, "%s, ...", text) : text;
}

const char *lm_coord_names(lm_reader *r, lm_joint_type type)
{
    const char *names[LM_JOINT_COORDS];
    int n = lm_joint_coord_count(type);
    for (int i = 0; i < n; i++) names[i] = lm_coord_name(lm_joint_coord(type, i));
    return lm_list_names(r, names, n);
}

const char *lm_list_choices(lm_reader *r, const char *choices)
{
    const char *text = "";
    char one[LM_CHOICE_MOST];
    if (lm_full(r)) return "";
    for (int i = 0; i < lm_choices_count(choices); i++)
        text = lm_arena_printf(&r->scratch, "%s%s%s", text, i ? ", " : "",
                               lm_choices_get(choices, i, one));
    return text;
}
