/* What is wrong with a text that is no YAML, in words that say where and what to do. */
#include "model/yaml.h"

#include <string.h>

/* Length of the UTF-8 character at s (n bytes left), or 0. */
static int utf8_length(const unsigned char *s, size_t n)
{
    static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
    int len = s[0] < 0x80 ? 1 : s[0] >> 5 == 6 ? 2 : s[0] >> 4 == 14 ? 3 : s[0] >> 3 == 30 ? 4 : 0;
    if (!len || (size_t)len > n) return 0;
    unsigned c = len == 1 ? s[0] : s[0] & (0x7fu >> len);
    for (int i = 1; i < len; i++) {
        if (s[i] >> 6 != 2) return 0;
        c = c << 6 | (s[i] & 0x3f);
    }
    if (c < least[len] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) return 0;
    return len;
}

static int is_control(unsigned char c)
{
    return (c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7f;
}

int lm_yaml_check_text(lm_diag *diag, const char *text, size_t size, const char *file)
{
    const unsigned char *s = (const unsigned char *)text;
    if (size >= 2 && ((s[0] == 0xff && s[1] == 0xfe) || (s[0] == 0xfe && s[1] == 0xff))) {
        lm_error(diag, ((lm_loc){file, 0, 0}), "the file is UTF-16; save it as UTF-8");
        return -1;
    }
    if (memchr(text, 0, size < 8192 ? size : 8192)) {
        lm_error(diag, ((lm_loc){file, 0, 0}), "this is no text file; a model is a YAML file");
        return -1;
    }
    lm_loc loc = {file, 1, 1};
    int indent = 1; /* only blanks on this line so far */
    for (size_t i = 0; i < size;) {
        int len = utf8_length(s + i, size - i);
        if (indent && len == 2 && s[i] == 0xc2 && s[i + 1] == 0xa0) {
            lm_error(diag, loc, "a non-breaking space; indent with plain spaces");
            return -1;
        }
        if (s[i] == 0) {
            lm_error(diag, loc, "a NUL byte; remove it");
            return -1;
        }
        if (!len) {
            lm_error(diag, loc, "byte 0x%02x is not UTF-8; save the file as UTF-8", s[i]);
            return -1;
        }
        if (is_control(s[i])) {
            lm_error(diag, loc, "control character 0x%02x; remove it", s[i]);
            return -1;
        }
        indent = s[i] == '\n' || (indent && s[i] == ' ');
        loc.col++;
        if (s[i] == '\n') loc = (lm_loc){file, loc.line + 1, 1};
        i += (size_t)len;
    }
    return 0;
}

/* The byte at character number `offset` of the text. */
static const char *char_at(const char *text, size_t size, size_t offset)
{
    size_t i = 0;
    for (; i < size && offset; i++)
        if (i + 1 == size || ((unsigned char)text[i + 1] >> 6) != 2) offset--;
    return i < size ? text + i : "";
}

static int is(const char *problem, const char *part) { return strstr(problem, part) != NULL; }

/* A character that cannot begin a value. */
static void bad_start(lm_diag *diag, lm_loc loc, char c)
{
    if (c == '%' || c == '@' || c == '`')
        lm_error(diag, loc, "a value cannot begin with '%c'; put it in quotes", c);
    else
        lm_error(diag, loc, "a value cannot begin with this character; put it in quotes");
}

/* Something ended or went on where a bracket should have been closed. */
static void not_closed(lm_diag *diag, lm_loc loc, int map, int line)
{
    lm_error(diag, loc,
             "expected ',' or '%s' here: the '%s' opened on line %d is not closed (or a comma is "
             "missing before this)",
             map ? "}" : "]", map ? "{" : "[", line);
}

static void bad_quotes(lm_diag *diag, lm_loc loc, const char *problem, lm_loc began)
{
    if (is(problem, "end of stream") || is(problem, "document indicator"))
        lm_error(diag, began, "the text in quotes that begins here is not closed");
    else if (is(problem, "escape") || is(problem, "hexdecimal"))
        lm_error(diag, loc, "'\\' begins an escape sequence inside \"..\"; write '..' instead");
    else
        lm_error(diag, loc, "the text in quotes that begins on line %d: %s", began.line, problem);
}

/* A ':' where none can stand; often the line before lacks one, and both were read as one text. */
static void misplaced_colon(lm_diag *diag, lm_loc loc, const char *text, const char *c)
{
    const char *line = c;
    while (*c && line > text && line[-1] != '\n') line--;
    const char *end = line > text ? line - 1 : line, *before = end;
    while (before > text && before[-1] != '\n') before--;
    size_t n = (size_t)(end - before);
    if (n > 0 && !memchr(before, ':', n) && !memchr(before, '#', n)) {
        loc = (lm_loc){loc.file, loc.line - 1, 1};
        lm_error(diag, loc, "expected 'key: value' on this line, found no ':'");
        return;
    }
    lm_error(diag, loc,
             "a ':' in the wrong place: a second 'key:' on one line, wrong indentation, "
             "or text with ': ' in it that needs quotes");
}

void lm_yaml_explain(lm_diag *diag, lm_loc loc, const char *problem, const char *context,
                     lm_loc began, const char *text, size_t size, size_t offset)
{
    const char *c = char_at(text, size, offset);
    if (is(context, "quoted scalar"))
        bad_quotes(diag, loc, problem, began);
    else if (is(problem, "tab character") || (is(problem, "start any token") && *c == '\t'))
        lm_error(diag, loc, "a tab character; YAML is indented with spaces only");
    else if (is(problem, "start any token"))
        bad_start(diag, loc, *c);
    else if (is(problem, "expected ',' or ']'"))
        not_closed(diag, loc, 0, began.line);
    else if (is(problem, "expected ',' or '}'"))
        not_closed(diag, loc, 1, began.line);
    else if (is(problem, "expected ':'"))
        lm_error(diag, began, "expected 'key: value' here (with a blank after the ':')");
    else if (is(problem, "mapping values are not allowed"))
        misplaced_colon(diag, loc, text, c);
    else if (is(problem, "expected key") && (*c == '}' || *c == ']'))
        lm_error(diag, loc, "a '%c' too many: nothing is open here that it could close", *c);
    else if (is(problem, "mapping keys are not allowed") || is(problem, "expected key"))
        lm_error(diag, loc,
                 "expected a key here; the indentation does not fit the mapping that began on line "
                 "%d, or a bracket was closed too early",
                 began.line);
    else if (is(problem, "'-' indicator") || is(problem, "block sequence entries"))
        lm_error(diag, loc, "the indentation does not fit the list ('- ...')");
    else if (is(context, "scanning an"))
        lm_error(diag, began,
                 "'%s' begins %s and needs a name right after it; put a text that "
                 "begins with it in quotes",
                 is(context, "alias") ? "*" : "&", is(context, "alias") ? "an alias" : "an anchor");
    else if (is(context, "a block scalar"))
        lm_error(diag, began,
                 "'|' and '>' begin a text of several lines; put a text that begins "
                 "with them in quotes");
    else if (is(context, "directive"))
        lm_error(diag, began, "a line cannot begin with '%%' (comments begin with '#')");
    else if (is(problem, "<document start>"))
        lm_error(diag, loc, "text after the end of the model; is a bracket closed too early?");
    else if (is(problem, "node content"))
        lm_error(diag, loc, "expected a value here%s", *c == ',' ? ", found ','" : "");
    else
        lm_error(diag, loc, "not valid YAML: %s%s%s", problem, *context ? " " : "", context);
}
