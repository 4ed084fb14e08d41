/* The one file that knows libiberty.
 *
 * Shortening works on the readable name, not on the mangled one, so that it serves both languages
 * and also names put together from DWARF scopes.  It is a single pass that copies what it keeps
 * onto the front of the same memory.  What opens a bracket decides:
 *
 *   `<` after an identifier, or after Rust's `::`     template or generic arguments: dropped up to
 * the match
 *   `<` anywhere else                                  Rust's `<Type as Trait>` and `<impl ...>`:
 * kept, and what is inside is shortened
 *   `(` after an identifier, `>` or an operator        parameters: dropped, with `const`, `&`
 * behind them
 *   `(` anywhere else                                  `(anonymous namespace)`, Rust's tuples: kept
 *   ` [clone`                                          dropped up to the end
 *
 * The symbols of C++ operators are names and not brackets: they are stepped over before anything is
 * looked at. */
#include "symbol/demangle.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <libiberty/demangle.h>

/* A damaged symbol table can give a name of megabytes; demanglers recurse. */
enum { LONGEST_MANGLED = 64 * 1024 };

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

/* The first byte behind the bracket that `text` begins with; the end of the string when it never
 * closes.  An arrow in a list of types closes nothing. */
static const char *bracket_end(const char *text)
{
    size_t depth = 0;
    for (const char *start = text; *text; text++) {
        if (strchr("<([{", *text)) {
            depth++;
        } else if (strchr(")]}", *text) || (*text == '>' && (text == start || text[-1] != '-'))) {
            if (--depth == 0)
                return text + 1;
        }
    }
    return text;
}

/* How many bytes the operator's symbol has that `text` begins with, behind the word `operator`; 0
 * for a conversion (`operator int`), new, delete and literals. */
static size_t operator_length(const char *text)
{
    static const char *const symbols[] = {
        "()", "[]", "->*", "<=>", "<<=", ">>=", "->", "<<", ">>", "<=", ">=", "&&", "||",
        "==", "!=", "++",  "--",  "+=",  "-=",  "*=", "/=", "%=", "&=", "|=", "^=", "<",
        ">",  "+",  "-",   "*",   "/",   "%",   "^",  "&",  "|",  "~",  "!",  "=",  ",",
    };
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        size_t length = strlen(symbols[i]);
        if (!strncmp(text, symbols[i], length))
            return length;
    }
    return 0;
}

/* What may stand behind a parameter list and belongs to it. */
static const char *qualifiers_end(const char *text)
{
    static const char *const qualifiers[] = {" const", " volatile", " &&", " &", " noexcept"};
    for (size_t i = 0; i < sizeof qualifiers / sizeof *qualifiers; i++) {
        size_t length = strlen(qualifiers[i]);
        if (!strncmp(text, qualifiers[i], length) && !is_word(text[length])) {
            text += length;
            i = (size_t)-1;
        }
    }
    return text;
}

void demangle_shorten(char *name)
{
    static const char word[] = "operator";
    const char *in = name;
    char *out = name;
    while (*in) {
        char before = out > name ? out[-1] : 0;
        if (!is_word(before) && !strncmp(in, word, sizeof word - 1) &&
            !is_word(in[sizeof word - 1])) {
            size_t length = sizeof word - 1 + operator_length(in + sizeof word - 1);
            memmove(out, in, length);
            out += length;
            in += length;
            if (length == sizeof word - 1)
                continue; /* a conversion: its type is shortened like any other */
            if (in[0] == ' ' && in[1] == '<')
                in++;
            if (*in == '<')
                in = bracket_end(in);
            if (*in == '(')
                in = qualifiers_end(bracket_end(in));
        } else if (*in == '<' && (is_word(before) || before == '}' || before == ']')) {
            in = bracket_end(in);
        } else if (*in == '<' && before == ':' && strncmp(in, "<impl ", 6)) {
            in = bracket_end(in);
            out -= out - name >= 2 ? 2 : 1;
        } else if (*in == '(' && (is_word(before) || before == '}' || before == ']')) {
            in = qualifiers_end(bracket_end(in));
        } else if (!strncmp(in, " [clone", 7)) {
            break;
        } else if (!strncmp(in, "[abi:", 5) && strchr(in, ']')) {
            in = strchr(in, ']') + 1;
        } else {
            *out++ = *in++;
        }
    }
    *out = 0;
}

bool demangle_is_d(const char *name)
{
    return name[0] == '_' && name[1] == 'D' &&
           (isdigit((unsigned char)name[2]) || !strcmp(name, "_Dmain"));
}

/* libiberty puts what it cannot read into <>. */
char *demangle_ada(const char *mangled)
{
    char *name =
        strnlen(mangled, LONGEST_MANGLED) < LONGEST_MANGLED ? ada_demangle(mangled, 0) : NULL;
    if (name && *name != '<')
        return name;
    free(name);
    return strdup(mangled);
}

char *demangle_name(const char *mangled, enum symbol_names names)
{
    if (names == SYMBOL_NAMES_RAW || strnlen(mangled, LONGEST_MANGLED) == LONGEST_MANGLED)
        return strdup(mangled);
    char *name = NULL;
    if (!strncmp(mangled, "_R", 2) || !strncmp(mangled, "_ZN", 3))
        name = rust_demangle(mangled, names == SYMBOL_NAMES_FULL ? DMGL_VERBOSE : 0);
    if (!name && !strncmp(mangled, "_Z", 2)) {
        int parameters = names == SYMBOL_NAMES_FULL ? DMGL_PARAMS : 0;
        name = cplus_demangle_v3(mangled, DMGL_ANSI | parameters);
    }
    if (!name && demangle_is_d(mangled))
        name = dlang_demangle(mangled, 0);
    if (!name)
        return strdup(mangled);
    if (names == SYMBOL_NAMES_SHORT)
        demangle_shorten(name);
    return name;
}
