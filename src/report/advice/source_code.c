#include "report/advice/source_code.h"

#include <string.h>

#include "base/affix.h"
#include "report/sites/name_letter.h"

enum source_language source_language_of(const char *file)
{
    static const struct {
        const char *end;
        enum source_language language;
    } ends[] = {
        {".ml", LANGUAGE_OCAML},  {".c", LANGUAGE_CPP},   {".cc", LANGUAGE_CPP},
        {".cpp", LANGUAGE_CPP},   {".cxx", LANGUAGE_CPP}, {".h", LANGUAGE_CPP},
        {".hh", LANGUAGE_CPP},    {".hpp", LANGUAGE_CPP}, {".C", LANGUAGE_CPP},
        {".py", LANGUAGE_PYTHON}, {".lua", LANGUAGE_LUA},
    };
    const char *dot = strrchr(file, '.');
    for (size_t i = 0; dot && i < sizeof ends / sizeof *ends; i++)
        if (strcmp(dot, ends[i].end) == 0)
            return ends[i].language;
    return LANGUAGE_OTHER;
}

/* ---- What begins and ends them --------------------------------------------------------- */

struct quote {
    enum source_language language;
    const char *open, *close; /* "\n": the end of the line */
    bool has_escapes;         /* a backslash takes the next character with it */
    bool spans;               /* over lines; else the end of the line ends it, too */
    bool nests;
};

/* Longer ones before those that they begin with. */
static const struct quote quotes[] = {
    {LANGUAGE_OCAML, "(*", "*)", false, true, true},
    {LANGUAGE_OCAML, "\"", "\"", true, true, false},
    {LANGUAGE_CPP, "//", "\n", false, false, false},
    {LANGUAGE_CPP, "/*", "*/", false, true, false},
    {LANGUAGE_CPP, "\"", "\"", true, false, false},
    {LANGUAGE_CPP, "'", "'", true, false, false},
    {LANGUAGE_PYTHON, "#", "\n", false, false, false},
    {LANGUAGE_PYTHON, "\"\"\"", "\"\"\"", true, true, false},
    {LANGUAGE_PYTHON, "'''", "'''", true, true, false},
    {LANGUAGE_PYTHON, "\"", "\"", true, false, false},
    {LANGUAGE_PYTHON, "'", "'", true, false, false},
    {LANGUAGE_LUA, "--[[", "]]", false, true, false},
    {LANGUAGE_LUA, "--", "\n", false, false, false},
    {LANGUAGE_LUA, "[[", "]]", false, true, false},
    {LANGUAGE_LUA, "\"", "\"", true, false, false},
    {LANGUAGE_LUA, "'", "'", true, false, false},
};

enum { CLOSE_BYTES = 24 };

struct lexer {
    enum source_language language;
    const struct quote *quote; /* NULL: in code */
    char close[CLOSE_BYTES];   /* what ends it */
    unsigned depth;            /* of those that nest */
};

/* OCaml's 'x', '\n' and '\'': as many characters, or 0.  A type's variable and the end of a name are none. */
static size_t character(const char *text)
{
    if (text[0] != '\'' || !text[1])
        return 0;
    if (text[1] != '\\')
        return text[2] == '\'' ? 3 : 0;
    const char *close = text[2] ? strchr(text + 3, '\'') : NULL;
    return close && close - text <= 7 ? (size_t)(close - text) + 1 : 0;
}

/* OCaml's {name|...|name} and C++'s R"name(...)name": fills what ends it; the length of what begins it, or 0. */
static size_t raw_open(struct lexer *lexer, const char *text)
{
    static const struct quote raw = {LANGUAGE_OTHER, "", "", false, true, false};
    bool is_cpp = lexer->language == LANGUAGE_CPP;
    if (is_cpp ? !begins_with(text, "R\"") : lexer->language != LANGUAGE_OCAML || *text != '{')
        return 0;
    const char *name = text + (is_cpp ? 2 : 1);
    size_t length = is_cpp ? strcspn(name, "() \t\\") : strspn(name, "abcdefghijklmnopqrstuvwxyz_");
    if (name[length] != (is_cpp ? '(' : '|') || length + 3 > CLOSE_BYTES)
        return 0;
    lexer->close[0] = is_cpp ? ')' : '|';
    memcpy(lexer->close + 1, name, length);
    memcpy(lexer->close + 1 + length, is_cpp ? "\"" : "}", 2);
    lexer->quote = &raw;
    return (size_t)(name - text) + length + 1;
}

/* Enters what begins here; the length of what begins it, or 0. */
static size_t open_quote(struct lexer *lexer, const char *text, char before)
{
    size_t raw = is_name_letter(before) ? 0 : raw_open(lexer, text);
    if (raw > 0)
        return raw;
    for (size_t i = 0; i < sizeof quotes / sizeof *quotes; i++) {
        const struct quote *quote = &quotes[i];
        bool is_part = *quote->open == '\'' && lexer->language == LANGUAGE_CPP &&
                       is_name_letter(before); /* of a number: 1'000 */
        if (quote->language != lexer->language || is_part || !begins_with(text, quote->open))
            continue;
        lexer->quote = quote;
        lexer->depth = 1;
        memcpy(lexer->close, quote->close, strlen(quote->close) + 1);
        return strlen(quote->open);
    }
    return 0;
}

/* Of these what begins and ends them stays; of comments nothing does. */
static bool is_literal(const struct quote *quote)
{
    return !*quote->open || strchr("\"'[", *quote->open);
}

/* ---- Over lines ------------------------------------------------------------------------ */

/* Copies of the line what is code; as long as the line. */
static void blank_line(struct lexer *lexer, const char *line, char *out)
{
    size_t at = 0, length = strlen(line);
    memset(out, ' ', length);
    out[length] = 0;
    while (at < length) {
        const struct quote *quote = lexer->quote;
        size_t step = 1;
        if (quote && begins_with(line + at, lexer->close)) {
            step = strlen(lexer->close);
            if (!quote->nests || --lexer->depth == 0) {
                if (is_literal(quote))
                    memcpy(out + at, line + at, step);
                lexer->quote = NULL;
            }
        } else if (quote && quote->nests && begins_with(line + at, quote->open)) {
            lexer->depth++;
            step = 2;
        } else if (quote && quote->has_escapes && line[at] == '\\' && line[at + 1]) {
            step = 2;
        } else if (!quote) {
            char before = at > 0 ? line[at - 1] : ' ';
            step = lexer->language == LANGUAGE_OCAML && !is_name_letter(before)
                       ? character(line + at)
                       : 0;
            if (step > 0) {
                out[at] = out[at + step - 1] = '\'';
            } else if ((step = open_quote(lexer, line + at, before)) > 0) {
                if (strchr("\"'R{[", line[at]))
                    memcpy(out + at, line + at, step);
            } else {
                out[at] = line[at];
                step = 1;
            }
        }
        at += step;
    }
    if (lexer->quote && !lexer->quote->spans)
        lexer->quote = NULL;
}

enum { LINE_BYTES = 4096 };

size_t source_code(char *text, size_t size, const struct source_file *file,
                   enum source_language language, size_t first, size_t place, size_t last)
{
    struct lexer lexer = {.language = language};
    char code[LINE_BYTES], line[LINE_BYTES];
    size_t used = 0, begin = SIZE_MAX;
    for (size_t number = 1; number <= last && number <= file->count; number++) {
        size_t length = strnlen(file->lines[number - 1], LINE_BYTES - 1);
        memcpy(line, file->lines[number - 1], length);
        line[length] = 0;
        blank_line(&lexer, line, code);
        if (number < first)
            continue;
        if (used + length + 2 > size)
            break;
        begin = number == place ? used : begin;
        memcpy(text + used, code, length);
        used += length;
        text[used++] = '\n';
    }
    text[used] = 0;
    return begin == SIZE_MAX ? used : begin;
}
