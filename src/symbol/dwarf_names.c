/* A function's name is best taken from its linkage name: it tells the namespaces, the template
 * arguments and the language.  Some functions have none in DWARF: C functions, those with internal
 * linkage, all of them in what clang's line-tables-only mode writes.  Where such a function has
 * code of its own, the symbol at its first byte tells it.  For an inlined one there is DW_AT_name,
 * the last part alone, and the other parts are the names of the DIEs around the declaration:
 * namespaces, classes, and functions around local classes, which is what a lambda is.  DWARF has no
 * pointers to parents, so the first such question about a unit makes a table of what can be around,
 * sorted by where it begins, as a walk meets it. */
#include "symbol/dwarf_names.h"

#include <dwarf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/affix.h"
#include "base/array.h"
#include "base/text.h"

#define NO_SCOPE UINT32_MAX

enum { DEEPEST = 200, LONGEST_CHAIN = 16, LONGEST_NAME = 4096 };

struct scope {
    Dwarf_Off start;
    Dwarf_Off end;    /* of the next sibling; 0 for a last child, which ends with its parent */
    const char *name; /* DW_AT_name; NULL where it has none */
    uint32_t parent;  /* index, or NO_SCOPE */
    int tag;
    Dwarf_Word file, line,
        column; /* of a class that may be a lambda's: where it is declared; 0 for others */
};

struct scope_table {
    struct scope_table *next;
    const void *unit; /* address of the unit's DIE */
    struct scope *scopes;
    size_t count;
    size_t capacity;
};

/* ---- Linkage names --------------------------------------------------------------------------- */

static const char *attribute_string(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    return dwarf_formstring(dwarf_attr_integrate(die, name, &attribute));
}

void shown_names_release(struct shown_names *shown)
{
    map_release(&shown->numbers);
    free(shown->texts);
    *shown = (struct shown_names){0};
}

/* The name without its symbol's version, which stands behind an @. */
static const char *raw_name(struct dwarf_names *names, const char *raw)
{
    size_t size = strcspn(raw, "@");
    return names_intern(names->memory, raw, size > 0 ? size : strlen(raw));
}

/* What is shown for `raw`; NULL if that was not kept yet. */
static const char *kept(const struct dwarf_names *names, const char *raw)
{
    const uint32_t *number = map_find(&names->shown->numbers, (uintptr_t)raw);
    return number ? names->shown->texts[*number] : NULL;
}

/* Keeps and returns what is shown for `raw`; takes `readable`. */
static const char *keep(struct dwarf_names *names, const char *raw, char *readable)
{
    struct shown_names *shown = names->shown;
    const char *text = names_copy(names->memory, readable);
    bool fresh;
    free(readable);
    if (!text || !ARRAY_RESERVE(&shown->texts, &shown->capacity, shown->count + 1) ||
        !map_put(&shown->numbers, (uintptr_t)raw, (uint32_t)shown->count, &fresh))
        return NULL;
    return shown->texts[shown->count++] = text;
}

/* `is_ada`: it is GNAT's, which nothing in the name says. */
static const char *show(struct dwarf_names *names, const char *raw, bool is_ada)
{
    const char *name = raw_name(names, raw), *shown = name ? kept(names, name) : NULL;
    if (!name || shown)
        return shown;
    return keep(names, name, is_ada ? demangle_ada(name) : demangle_name(name, names->style));
}

/* A function of Rust with the linkage name `raw`, which DWARF calls `name`. */
static const char *show_rust(struct dwarf_names *names, const char *raw, const char *name)
{
    char text[LONGEST_NAME];
    int size = snprintf(text, sizeof text, "%s %s", raw, name);
    if (size < 0 || (size_t)size >= sizeof text)
        return show(names, raw, false);
    const char *key = names_copy(names->memory, text), *shown = key ? kept(names, key) : NULL;
    if (!key || shown)
        return shown;
    return keep(names, key, demangle_rust_instance(raw, name, names->style));
}

const char *names_show(struct dwarf_names *names, const char *raw)
{
    return show(names, raw, false);
}

const char *names_show_offset(struct dwarf_names *names, uint64_t address)
{
    char *text = text_format("%s+0x%" PRIx64, names->module, address);
    const char *name = names_copy(names->memory, text);
    free(text);
    return name;
}

/* ---- Scopes ---------------------------------------------------------------------------------- */

static bool is_scope(int tag)
{
    return tag_is_of_names(tag) || tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block;
}

static bool is_class(int tag)
{
    return tag == DW_TAG_class_type || tag == DW_TAG_structure_type;
}

/* GCC's names for the classes of lambdas, where they have one: "<lambda(int)>". */
static bool is_closure_name(const char *name)
{
    return begins_with(name, "<lambda");
}

static struct scope read_scope(Dwarf_Die *die, uint32_t parent)
{
    struct scope scope = {.start = dwarf_dieoffset(die),
                          .name = attribute_string(die, DW_AT_name),
                          .parent = parent,
                          .tag = dwarf_tag(die)};
    if (is_class(scope.tag) && (!scope.name || is_closure_name(scope.name))) {
        scope.file = attribute_number(die, DW_AT_decl_file);
        scope.line = attribute_number(die, DW_AT_decl_line);
        scope.column = attribute_number(die, DW_AT_decl_column);
    }
    return scope;
}

static bool read_scopes(struct scope_table *table, Dwarf_Die *parent_die, uint32_t parent,
                        unsigned depth)
{
    Dwarf_Die die;
    Dwarf_Off start;
    uint32_t last = NO_SCOPE;
    if (depth >= DEEPEST || dwarf_child(parent_die, &die) != 0)
        return true;
    do {
        start = dwarf_dieoffset(&die);
        if (last != NO_SCOPE)
            table->scopes[last].end = start;
        last = NO_SCOPE;
        int tag = dwarf_tag(&die);
        if (!is_scope(tag) || !dwarf_haschildren(&die))
            continue;
        if (!ARRAY_RESERVE(&table->scopes, &table->capacity, table->count + 1))
            return false;
        last = (uint32_t)table->count++;
        table->scopes[last] = read_scope(&die, parent);
        if (!read_scopes(table, &die, last, depth + 1))
            return false;
    } while (dwarf_siblingof(&die, &die) == 0 && dwarf_dieoffset(&die) > start);
    return true;
}

static struct scope_table *scopes_of_unit(struct dwarf_names *names, Dwarf_Die *unit)
{
    for (struct scope_table *table = names->scopes; table; table = table->next)
        if (table->unit == unit->addr)
            return table;
    struct scope_table *table = calloc(1, sizeof *table);
    if (!table)
        return NULL;
    table->unit = unit->addr;
    table->next = names->scopes;
    names->scopes = table;
    return read_scopes(table, unit, NO_SCOPE, 0) ? table : NULL;
}

void names_forget_scopes(struct dwarf_names *names)
{
    while (names->scopes) {
        struct scope_table *next = names->scopes->next;
        free(names->scopes->scopes);
        free(names->scopes);
        names->scopes = next;
    }
}

/* The innermost scope around a DIE. */
static uint32_t scope_at(const struct scope_table *table, Dwarf_Off offset)
{
    size_t low = ARRAY_SEARCH(middle, table->count, table->scopes[middle].start < offset);
    uint32_t found = low ? (uint32_t)(low - 1) : NO_SCOPE;
    for (uint32_t scope = found; scope != NO_SCOPE; scope = table->scopes[scope].parent)
        if (table->scopes[scope].end && table->scopes[scope].end <= offset)
            found = table->scopes[scope].parent;
    return found;
}

/* ---- Qualified names ------------------------------------------------------------------------- */

/* Follows a copy or a definition to the DIE that stands where the function was declared. */
static void go_to_declaration(Dwarf_Die *die)
{
    for (int i = 0; i < LONGEST_CHAIN; i++) {
        Dwarf_Attribute attribute;
        Dwarf_Die next;
        if (!dwarf_attr(die, DW_AT_abstract_origin, &attribute) &&
            !dwarf_attr(die, DW_AT_specification, &attribute))
            return;
        if (!dwarf_formref_die(&attribute, &next))
            return;
        *die = next;
    }
}

/* ---- Lambdas ---------------------------------------------------------------------------------- */

enum { CLOSURE_NAME = 64 };

/* What a lambda's class is called: by the line where it stands, as its number is only in linkage names, and by the column
 * where others stand in the line. */
static const char *closure_name(const struct scope_table *table, const struct scope *closure,
                                char *text)
{
    bool is_alone = true;
    for (size_t i = 0; closure->line > 0 && i < table->count; i++) {
        const struct scope *other = &table->scopes[i];
        is_alone &=
            other == closure || other->line != closure->line || other->file != closure->file;
    }
    if (closure->line == 0)
        return strcpy(text, "{lambda}");
    int size = snprintf(text, CLOSURE_NAME, "{lambda:%" PRIu64, closure->line);
    if (!is_alone)
        size += snprintf(text + size, (size_t)(CLOSURE_NAME - size), ":%" PRIu64, closure->column);
    strcpy(text + size, "}");
    return text;
}

/* The lambda's class that is a template's type argument; NULL where `argument` is something else. */
static const struct scope *closure_argument(const struct scope_table *table, Dwarf_Die *argument)
{
    Dwarf_Attribute attribute;
    Dwarf_Die type;
    if (dwarf_tag(argument) != DW_TAG_template_type_parameter ||
        !dwarf_formref_die(dwarf_attr(argument, DW_AT_type, &attribute), &type))
        return NULL;
    Dwarf_Off start = dwarf_dieoffset(&type);
    size_t at = ARRAY_SEARCH(middle, table->count, table->scopes[middle].start < start);
    bool is_closure =
        at < table->count && table->scopes[at].start == start && table->scopes[at].line > 0;
    return is_closure ? &table->scopes[at] : NULL;
}

/* Writes the next "<lambda(int)>" at `*at` as `name`; `*at` goes behind it.  `text` has LONGEST_NAME bytes. */
static bool replace_closure(char *text, char **at, const char *name)
{
    char *start = strstr(*at, "<lambda"), *end = start;
    int depth = 0;
    do {
        if (!start || !*end)
            return false;
        depth += *end == '<';
        depth -= *end == '>' && end[-1] != '-';
    } while (end++, depth > 0);
    size_t rest = strlen(end) + 1, size = strlen(name);
    if ((size_t)(start - text) + size + rest > LONGEST_NAME)
        return false;
    memmove(start + size, end, rest);
    memcpy(start, name, size);
    *at = start + size;
    return true;
}

/* GCC writes all lambdas of a function alike where they are a template's arguments: the name of `die`, which has such
 * arguments, with what closure_name() says.  In `text`, or `name` itself. */
static const char *with_closures(const struct scope_table *table, Dwarf_Die *die, const char *name,
                                 char *text)
{
    char closure[CLOSURE_NAME], *at = text;
    Dwarf_Die argument;
    if (!strstr(name, "<lambda") || is_closure_name(name) || strlen(name) >= LONGEST_NAME ||
        dwarf_child(die, &argument) != 0)
        return name;
    strcpy(text, name);
    do {
        const struct scope *lambda = closure_argument(table, &argument);
        if (lambda && !replace_closure(text, &at, closure_name(table, lambda, closure)))
            break;
    } while (dwarf_siblingof(&argument, &argument) == 0);
    return text;
}

/* ---- Qualified names, put together ------------------------------------------------------------ */

/* What a scope is called in the name of the function `name` in it.  `text` has LONGEST_NAME bytes. */
static const char *scope_name(const struct scope_table *table, Dwarf *dwarf,
                              const struct scope *scope, const char *name, char *text)
{
    Dwarf_Die die;
    bool is_call = begins_with(name, "operator()");
    if (scope->name ? is_closure_name(scope->name) : is_class(scope->tag) && is_call)
        return closure_name(table, scope, text);
    if (scope->name)
        return strstr(scope->name, "<lambda") && dwarf_offdie(dwarf, scope->start, &die)
                   ? with_closures(table, &die, scope->name, text)
                   : scope->name;
    return scope->tag == DW_TAG_namespace ? "(anonymous namespace)" : "{unnamed}";
}

/* Puts a scope before the `*length` bytes of a name that is built from its end, at the end of
 * `text`. */
static bool prepend(char *text, size_t size, size_t *length, const char *part)
{
    size_t part_length = strlen(part);
    if (*length + part_length + 3 > size)
        return false;
    *length += 2;
    memcpy(text + size - *length, "::", 2);
    *length += part_length;
    memcpy(text + size - *length, part, part_length);
    return true;
}

/* "outer::inner::name" in the last bytes of `text`; a name too long keeps its innermost parts.  A
 * function around a local class counts, and brings its own scopes; a function straight in another
 * does not (it is C). */
static const char *qualify(struct dwarf_names *names, const struct scope_table *table, Dwarf *dwarf,
                           uint32_t innermost, const char *name, char *text, size_t size)
{
    char part[LONGEST_NAME];
    size_t length = strlen(name) + 1;
    bool in_class = false;
    if (length > size)
        return name;
    memcpy(text + size - length, name, length);
    for (uint32_t at = innermost; at != NO_SCOPE; at = table->scopes[at].parent) {
        const struct scope *scope = &table->scopes[at];
        Dwarf_Die function;
        if (scope->tag == DW_TAG_lexical_block)
            continue;
        if (scope->tag != DW_TAG_subprogram) {
            in_class |= scope->tag != DW_TAG_namespace;
            if (!prepend(text, size, &length, scope_name(table, dwarf, scope, name, part)))
                break;
            continue;
        }
        if (in_class && names->depth < LONGEST_CHAIN &&
            dwarf_offdie(dwarf, scope->start, &function)) {
            names->depth++;
            const char *around = names_of_function(names, &function, NULL);
            names->depth--;
            if (!around)
                return NULL;
            prepend(text, size, &length, *around ? around : "{unnamed}");
        }
        break;
    }
    return text + size - length;
}

static const char *qualified_name(struct dwarf_names *names, Dwarf_Die *die, const char *name)
{
    char text[LONGEST_NAME], own[LONGEST_NAME];
    Dwarf_Die declaration = *die, unit;
    go_to_declaration(&declaration);
    if (!dwarf_diecu(&declaration, &unit, NULL, NULL))
        return names_show(names, name);
    struct scope_table *table = scopes_of_unit(names, &unit);
    if (!table)
        return NULL;
    name = with_closures(table, &declaration, name, own);
    const char *full =
        qualify(names, table, dwarf_cu_getdwarf(declaration.cu),
                scope_at(table, dwarf_dieoffset(&declaration)), name, text, sizeof text);
    if (!full || full == name)
        return full ? names_show(names, name) : NULL;
    demangle_shorten(text + (full - text), names->style);
    return names_copy(names->memory, full);
}

static bool is_mangled(const char *name)
{
    return (name[0] == '_' && (name[1] == 'Z' || name[1] == 'R')) || demangle_is_d(name);
}

enum { LANGUAGE_ADA2005 = 0x2e, LANGUAGE_ADA2012 = 0x2f }; /* since DWARF 5, not in elfutils yet */

static bool is_ada(Dwarf_Die *die)
{
    Dwarf_Die unit;
    switch (dwarf_diecu(die, &unit, NULL, NULL) ? dwarf_srclang(&unit) : -1) {
    case DW_LANG_Ada83:
    case DW_LANG_Ada95:
    case LANGUAGE_ADA2005:
    case LANGUAGE_ADA2012:
        return true;
    default:
        return false;
    }
}

/* GNAT writes a package and what is in it as one name, so that no scopes are looked for. */
static const char *ada_name(struct dwarf_names *names, Dwarf_Die *die)
{
    const char *name = attribute_string(die, DW_AT_linkage_name);
    if (!name)
        name = attribute_string(die, DW_AT_name);
    return name ? show(names, name, true) : "";
}

const char *names_of_function(struct dwarf_names *names, Dwarf_Die *die, const char *symbol)
{
    if (names->style != SYMBOL_NAMES_RAW && is_ada(die))
        return ada_name(names, die);
    const char *linkage = attribute_string(die, DW_AT_linkage_name);
    if (!linkage)
        linkage = attribute_string(die, DW_AT_MIPS_linkage_name);
    bool raw = names->style == SYMBOL_NAMES_RAW;
    if (!linkage && symbol && is_mangled(symbol))
        linkage = symbol;
    /* A C library's alias for itself, such as __GI___libc_malloc. */
    if (linkage && !raw && !is_mangled(linkage))
        linkage = symbol;
    const char *name = attribute_string(die, DW_AT_name);
    if (linkage && name && !raw && demangle_is_rust_legacy(linkage))
        return show_rust(names, linkage, name);
    if (linkage)
        return names_show(names, linkage);
    if (!name)
        return "";
    return raw ? names_show(names, name) : qualified_name(names, die, name);
}
