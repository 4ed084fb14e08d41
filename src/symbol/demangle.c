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
 * Arguments that SYMBOL_NAMES_OWN keeps lose what a compiler adds: the allocators, comparisons and hashes that the standard
 * library's templates have by default, and the names of inline namespaces.
 *
 * The symbols of C++ operators are names and not brackets: they are stepped over before anything is
 * looked at. */
#include "symbol/demangle.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <libiberty/demangle.h>

#include "base/affix.h"

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

/* ---- Template arguments that are kept -------------------------------------------------- */

/* Does the name belong to a standard library? */
static bool is_standard(const char *name)
{
    static const char *const starts[] = {
        "std::", "__gnu_cxx::", "__cxxabiv1::", "core::", "alloc::"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (begins_with(name, starts[i]))
            return true;
    return false;
}

/* The end of a further argument that the standard library's templates have by default; NULL where there is none. */
static const char *default_end(const char *in)
{
    static const char *const defaults[] = {"std::allocator<", "std::char_traits<",
                                           "std::less<",      "std::hash<",
                                           "std::equal_to<",  "std::default_delete<"};
    if (!begins_with(in, ", "))
        return NULL;
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++)
        if (begins_with(in + 2, defaults[i]))
            return bracket_end(in + 2 + strlen(defaults[i]) - 1);
    return NULL;
}

/* How much longer than "std::" a name's beginning is that means the same. */
static size_t inline_namespace(const char *in)
{
    static const char *const spaces[] = {"std::__cxx11::", "std::__1::"};
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        if (begins_with(in, spaces[i]))
            return strlen(spaces[i]) - strlen("std::");
    return 0;
}

/* Is the name right before `end` a standard library's?  `start`: where names may begin. */
static bool ends_in_standard(const char *start, const char *end)
{
    const char *name = end;
    while (name > start && (is_word(name[-1]) || name[-1] == ':'))
        name--;
    return end - name > 5 && is_standard(name);
}

/* std::basic_string<char> is std::string. */
static char *without_basic(char *start, char *out)
{
    static const char *const basic[] = {"std::basic_string<char>", "std::basic_string_view<char>"};
    static const char *const plain[] = {"std::string", "std::string_view"};
    for (size_t i = 0; i < sizeof basic / sizeof *basic; i++) {
        size_t length = strlen(basic[i]);
        if ((size_t)(out - start) >= length && memcmp(out - length, basic[i], length) == 0) {
            memcpy(out - length, plain[i], strlen(plain[i]));
            return out - length + strlen(plain[i]);
        }
    }
    return out;
}

/* Copies the arguments that `*in` begins with; `*in` goes behind them.  The end of the copy.  `narrow`: those of a standard
 * library's templates among them lose their own. */
static char *copy_arguments(const char **in, char *out, bool narrow)
{
    const char *end = bracket_end(*in), *from = *in;
    char *start = out;
    uint64_t is_std =
        0; /* of the brackets that are open, innermost first: a bit for those of std's templates */
    while (from < end) {
        const char *after = is_std & 1 ? default_end(from) : NULL;
        if (after && after <= end) {
            from = after;
            continue;
        }
        if (from[0] == ' ' && from[1] == '>') {
            from++;
            continue;
        }
        bool is_standards = *from == '<' && ends_in_standard(start, out);
        if (is_standards && narrow) {
            from = bracket_end(from);
            continue;
        }
        size_t longer = inline_namespace(from);
        if (strchr("<([{", *from))
            is_std = is_std << 1 | is_standards;
        else if (strchr(")]}", *from) || (*from == '>' && from[-1] != '-'))
            is_std >>= 1;
        *out++ = *from++;
        if (out[-1] == '>')
            out = without_basic(start, out);
        for (size_t i = 1; longer > 0 && i < strlen("std::"); i++)
            *out++ = *from++;
        from += longer;
    }
    *in = end;
    return out;
}

/* ---- Names ----------------------------------------------------------------------------- */

/* A name on its way to a shorter one, in the same memory. */
struct shortening {
    const char *in;
    char *name, *out;
    char *start; /* where the name begins that is being copied */
    enum symbol_names names;
};

/* `joint`: how many bytes before them are left out with them, Rust's `::`. */
static void take_arguments(struct shortening *it, size_t joint)
{
    if (it->names != SYMBOL_NAMES_SHORT && !is_standard(it->start) && it->out > it->start) {
        it->out = copy_arguments(&it->in, it->out, it->names == SYMBOL_NAMES_NARROW);
    } else {
        it->in = bracket_end(it->in);
        it->out -= joint;
    }
}

/* An operator, whose name `it->in` has next. */
static void take_operator(struct shortening *it)
{
    static const size_t word = sizeof "operator" - 1;
    size_t length = word + operator_length(it->in + word);
    memmove(it->out, it->in, length);
    it->out += length;
    it->in += length;
    if (length == word)
        return; /* a conversion: its type is shortened like any other */
    if (it->in[0] == ' ' && it->in[1] == '<')
        it->in++;
    if (*it->in == '<')
        take_arguments(it, 0);
    if (*it->in == '(')
        it->in = qualifiers_end(bracket_end(it->in));
}

/* Takes what `it->in` begins with; false at the end of what is kept. */
static bool take(struct shortening *it)
{
    char before = it->out > it->name ? it->out[-1] : 0;
    bool ends_name = is_word(before) || before == '}' || before == ']';
    if (!is_word(before) && begins_with(it->in, "operator") && !is_word(it->in[8])) {
        take_operator(it);
    } else if (*it->in == '<' && ends_name) {
        take_arguments(it, 0);
    } else if (*it->in == '<' && before == ':' && !begins_with(it->in, "<impl ")) {
        take_arguments(it, it->out - it->name >= 2 ? 2 : 1);
    } else if (*it->in == '(' && (ends_name || before == '>')) {
        it->in = qualifiers_end(bracket_end(it->in));
    } else if (begins_with(it->in, " [clone")) {
        return false;
    } else if (begins_with(it->in, "[abi:") && strchr(it->in, ']')) {
        it->in = strchr(it->in, ']') + 1;
    } else {
        if (strchr(" <(,&*", *it->in))
            it->start = it->out + 1;
        *it->out++ = *it->in++;
    }
    return true;
}

void demangle_shorten(char *name, enum symbol_names names)
{
    struct shortening it = {name, name, name, name, names};
    if (names == SYMBOL_NAMES_NARROW)
        demangle_shorten(name, SYMBOL_NAMES_OWN); /* std::basic_string<char> is std::string */
    else if (names != SYMBOL_NAMES_OWN && names != SYMBOL_NAMES_SHORT)
        return;
    while (*it.in && take(&it))
        ;
    *it.out = 0;
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
    if (begins_with(mangled, "_R") || begins_with(mangled, "_ZN"))
        name = rust_demangle(mangled, names == SYMBOL_NAMES_FULL ? DMGL_VERBOSE : 0);
    if (!name && begins_with(mangled, "_Z")) {
        int parameters = names == SYMBOL_NAMES_FULL ? DMGL_PARAMS : 0;
        name = cplus_demangle_v3(mangled, DMGL_ANSI | parameters);
    }
    if (!name && demangle_is_d(mangled))
        name = dlang_demangle(mangled, 0);
    if (!name)
        return strdup(mangled);
    demangle_shorten(name, names);
    return name;
}

/* ---- Rust's legacy scheme -------------------------------------------------------------- */

/* The last part is a hash: 17h and 16 digits.  Suffixes of the linker may follow. */
bool demangle_is_rust_legacy(const char *mangled)
{
    for (const char *at = begins_with(mangled, "_ZN") ? mangled : ""; (at = strstr(at, "17h"));
         at++)
        if (strspn(at + 3, "0123456789abcdef") == 16 && at[19] == 'E' && strchr(".@", at[20]))
            return true;
    return false;
}

/* Where the last part of `text` begins that DWARF calls `name`; NULL where they are of different functions. */
static char *last_part(char *text, const char *name)
{
    char *part = text, *next;
    size_t size = strcspn(name, "<");
    while ((next = strstr(part, "::")))
        part = next + 2;
    bool is_same = strlen(part) == size && strncmp(part, name, size) == 0;
    bool is_closure = strcmp(part, "{{closure}}") == 0 && begins_with(name, "{closure#");
    return is_same || is_closure ? part : NULL;
}

char *demangle_rust_instance(const char *mangled, const char *name, enum symbol_names names)
{
    if (names == SYMBOL_NAMES_FULL || names == SYMBOL_NAMES_RAW)
        return demangle_name(mangled, names); /* they have the hash */
    char *text = demangle_name(mangled, SYMBOL_NAMES_TEMPLATES);
    char *part = text ? last_part(text, name) : NULL;
    char *whole = part ? malloc((size_t)(part - text) + strlen(name) + 1) : NULL;
    if (whole) {
        strcpy(mempcpy(whole, text, (size_t)(part - text)), name);
        demangle_shorten(whole, names);
    }
    free(text);
    return whole ? whole : demangle_name(mangled, names);
}
