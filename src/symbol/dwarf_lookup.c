/* From addresses to locations, a unit at a time.
 *
 * 1. The ranges of all units are read from the unit DIEs themselves.  .debug_aranges would be
 * quicker, but clang leaves it out, and assemblers and linkers have written wrong ones.
 * 2. Addresses that no unit claims are looked for in the functions of units that state no ranges.
 * 3. Targets are grouped by unit.  For each unit with targets its DIEs are walked once
 * (dwarf_inline.c), and its line table is decoded once.
 *
 * libdw keeps whatever it has decoded (line tables above all, some forty bytes a row) until the
 * Dwarf is ended: for a program of hundreds of megabytes that is more than everything else
 * together.  So the lookup has a Dwarf of its own on the file's ELF, and takes a new one whenever
 * many rows have been decoded.  Units are therefore remembered by their offset. */
#include "symbol/dwarf_lookup.h"

#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/affix.h"
#include "base/array.h"
#include "base/order.h"
#include "symbol/source_path.h"

enum { MOST_ROWS = 1 << 20 };

struct unit {
    Dwarf_Off offset; /* of the unit's DIE, or its skeleton's */
    bool has_ranges;
};

struct unit_range {
    uint64_t low, high; /* ELF virtual addresses */
    uint64_t reach;     /* the greatest `high` of this and all before */
    uint32_t unit;
};

struct unit_list {
    const struct debug_file *file;
    struct unit *units;
    size_t count, capacity;
    struct unit_range *ranges; /* by `low`, then the wider first */
    size_t range_count, range_capacity;
};

/* ---- Which unit an address belongs to -------------------------------------------------------- */

static bool add_range(void *context, uint64_t low, uint64_t high)
{
    struct unit_list *list = context;
    low += list->file->dwarf_bias;
    high += list->file->dwarf_bias;
    if (low >= high || !debug_file_has_code(list->file, low))
        return true;
    if (!ARRAY_RESERVE(&list->ranges, &list->range_capacity, list->range_count + 1))
        return false;
    list->ranges[list->range_count++] =
        (struct unit_range){.low = low, .high = high, .unit = (uint32_t)(list->count - 1)};
    return true;
}

static bool add_unit(struct unit_list *list, Dwarf_Die *die)
{
    if (!ARRAY_RESERVE(&list->units, &list->capacity, list->count + 1))
        return false;
    struct unit *unit = &list->units[list->count++];
    *unit = (struct unit){.offset = dwarf_dieoffset(die)};
    Dwarf_Addr base, low, high;
    for (ptrdiff_t at = 0; (at = dwarf_ranges(die, at, &base, &low, &high)) > 0;) {
        unit->has_ranges = true;
        if (!add_range(list, low, high))
            return false;
    }
    return true;
}

static bool list_units(struct unit_list *list, struct dwarf_lookup *lookup)
{
    Dwarf_CU *unit = NULL;
    Dwarf_Die die;
    uint8_t type;
    int result;
    while ((result = dwarf_get_units(lookup->dwarf, unit, &unit, NULL, &type, &die, NULL)) == 0)
        if ((type == DW_UT_compile || type == DW_UT_skeleton) && !add_unit(list, &die))
            return false;
    lookup->damaged |= result < 0;
    return true;
}

static int by_low(const void *left, const void *right)
{
    const struct unit_range *a = left, *b = right;
    int order = ORDER_OF(a->low, b->low);
    if (order == 0)
        order = ORDER_OF(b->high, a->high);
    return order ? order : ORDER_OF(a->unit, b->unit);
}

static void sort_ranges(struct unit_list *list)
{
    uint64_t reach = 0;
    if (list->range_count)
        qsort(list->ranges, list->range_count, sizeof *list->ranges, by_low);
    for (size_t i = 0; i < list->range_count; i++) {
        if (list->ranges[i].high > reach)
            reach = list->ranges[i].high;
        list->ranges[i].reach = reach;
    }
}

static uint32_t find_unit(const struct unit_list *list, uint64_t address)
{
    size_t low = ARRAY_SEARCH(middle, list->range_count, list->ranges[middle].low <= address);
    for (size_t i = low; i > 0 && list->ranges[i - 1].reach > address; i--)
        if (list->ranges[i - 1].high > address)
            return list->ranges[i - 1].unit;
    return NO_UNIT;
}

static size_t assign_units(const struct unit_list *list, struct dwarf_target *targets, size_t count)
{
    size_t left = 0;
    for (size_t i = 0; i < count; i++) {
        targets[i].unit = find_unit(list, targets[i].address);
        left += targets[i].unit == NO_UNIT;
    }
    return left;
}

/* The DIE that holds a unit's functions.  False when it is in a .dwo file that was not found. */
static bool unit_body(Dwarf_Die *unit, Dwarf_Die *body)
{
    uint8_t type;
    *body = *unit;
    if (dwarf_cu_info(unit->cu, NULL, &type, NULL, NULL, NULL, NULL, NULL) != 0 ||
        type != DW_UT_skeleton)
        return true;
    return dwarf_cu_info(unit->cu, NULL, NULL, NULL, body, NULL, NULL, NULL) == 0 && body->addr;
}

/* Adds the ranges of the functions of units that state none themselves. */
static bool add_function_ranges(struct unit_list *list, const struct dwarf_lookup *lookup)
{
    size_t count = list->count;
    for (size_t i = 0; i < count; i++) {
        Dwarf_Die unit, body;
        list->count = i + 1; /* the unit that add_range is about */
        if (!list->units[i].has_ranges &&
            dwarf_offdie(lookup->dwarf, list->units[i].offset, &unit) && unit_body(&unit, &body) &&
            !unit_function_ranges(&body, add_range, list))
            return false;
    }
    list->count = count;
    sort_ranges(list);
    return true;
}

/* ---- Files, lines, columns ------------------------------------------------------------------- */

/* A path of the unit's line table as it is shown.  NULL when memory is short.
 *
 * Relative paths are relative to the unit's directory; libdw joins them, but not always.  Where
 * compilers were told to write a short name for the source tree (-ffile-prefix-map=...=., as
 * distributions do), the directory is relative itself, "./malloc", and a path that begins with "./"
 * has been shortened in the same way, so that it has the directory in it already. */
static const char *clean_path(struct dwarf_lookup *lookup, Dwarf_Die *unit, const char *path)
{
    Dwarf_Attribute attribute;
    const char *directory = "";
    if (path[0] != '/' && path[0] != '<' && path[0] != '?')
        directory = dwarf_formstring(dwarf_attr_integrate(unit, DW_AT_comp_dir, &attribute));
    size_t length = directory ? strlen(directory) : 0;
    if (length && directory[0] != '/') {
        if (!strncmp(path, directory, length) && begins_with(path + length, "/./"))
            path += length + 1;
        if (begins_with(path, "./"))
            length = 0;
    }
    size_t size = length + strlen(path) + 3;
    char *text = malloc(size);
    if (!text)
        return NULL;
    snprintf(text, size, "%.*s%s%s", (int)length, length ? directory : "", length ? "/" : "", path);
    path_resolve_dots(text);
    const char *kept = names_copy(lookup->names->memory, text);
    free(text);
    return kept;
}

static void set_column(const struct dwarf_lookup *lookup, struct heaptap_location *location,
                       uint64_t column)
{
    /* DWARF counts columns from 1, 0 being unknown. */
    if (column > 0 && column <= 256 && !lookup->drop_columns)
        location->start_char = location->end_char = (uint32_t)column - 1;
}

static uint32_t line_number(uint64_t line)
{
    return line <= UINT32_MAX ? (uint32_t)line : 0;
}

/* Where the inlined function `callee` is called. */
static bool set_call_site(struct dwarf_lookup *lookup, Dwarf_Die *unit, Dwarf_Files *files,
                          Dwarf_Die *callee, struct heaptap_location *location)
{
    const char *path = dwarf_filesrc(files, attribute_number(callee, DW_AT_call_file), NULL, NULL);
    location->file = clean_path(lookup, unit, path ? path : "??");
    location->line = line_number(attribute_number(callee, DW_AT_call_line));
    set_column(lookup, location, attribute_number(callee, DW_AT_call_column));
    return location->file != NULL;
}

/* Where the code at `address` comes from, by the unit's line table; the function's own file without
 * it. */
static bool set_line(struct dwarf_lookup *lookup, Dwarf_Die *unit, uint64_t address,
                     Dwarf_Die *function, struct heaptap_location *location)
{
    Dwarf_Line *row = dwarf_getsrc_die(unit, address - lookup->file->dwarf_bias);
    int line = 0, column = 0;
    const char *path = dwarf_linesrc(row, NULL, NULL);
    if (path && dwarf_lineno(row, &line) == 0 && dwarf_linecol(row, &column) == 0) {
        location->line = line > 0 ? (uint32_t)line : 0;
        set_column(lookup, location, column > 0 ? (uint64_t)column : 0);
    } else {
        path = function ? dwarf_decl_file(function) : NULL;
    }
    location->file = path ? clean_path(lookup, unit, path) : NULL;
    return !path || location->file;
}

/* ---- Answers --------------------------------------------------------------------------------- */

/* The name of a function, or of the code at `address` where there is none. */
static const char *function_name(struct dwarf_lookup *lookup, struct inline_node *function,
                                 uint64_t address)
{
    Dwarf_Addr entry;
    const char *symbol = NULL, *name = "";
    if (function && function->parent == NO_NODE && dwarf_entrypc(&function->die, &entry) == 0)
        symbol = symbol_table_starting(lookup->table, entry + lookup->file->dwarf_bias);
    if (function)
        name = names_of_function(lookup->names, &function->die, symbol);
    if (!name || *name)
        return name;
    symbol = symbol_table_find(lookup->table, lookup->file, address, NULL);
    return symbol ? names_show(lookup->names, symbol) : names_show_offset(lookup->names, address);
}

/* The unit's code at `target` when no function of the unit claims it: an assembler's, or the .dwo
 * file is missing.  A symbol and a line are enough for an answer. */
static bool describe_line_only(struct dwarf_lookup *lookup, Dwarf_Die *unit,
                               struct dwarf_target *target)
{
    struct heaptap_location location = {0};
    if (!set_line(lookup, unit, target->address, NULL, &location))
        return false;
    if (!location.file)
        return true;
    location.function = function_name(lookup, NULL, target->address);
    struct heaptap_location *kept = names_alloc(lookup->names->memory, sizeof *kept);
    if (!location.function || !kept)
        return false;
    *kept = location;
    target->locations = kept;
    target->count = 1;
    return true;
}

static bool describe(struct dwarf_lookup *lookup, Dwarf_Die *unit, Dwarf_Die *body,
                     Dwarf_Files *files, const struct inline_tree *tree,
                     struct dwarf_target *target)
{
    size_t depth = 0;
    for (uint32_t node = target->node; node != NO_NODE; node = tree->nodes[node].parent)
        depth++;
    struct heaptap_location *locations =
        names_alloc(lookup->names->memory, depth * sizeof *locations);
    if (!locations)
        return false;
    memset(locations, 0, depth * sizeof *locations);
    size_t at = depth;
    struct inline_node *callee = NULL;
    for (uint32_t node = target->node; node != NO_NODE; node = tree->nodes[node].parent) {
        struct heaptap_location *location = &locations[--at];
        struct inline_node *function = &tree->nodes[node];
        bool done = callee ? set_call_site(lookup, body, files, &callee->die, location)
                           : set_line(lookup, unit, target->address, &function->die, location);
        if (done && !location->file)
            done = (location->file = clean_path(lookup, body, "??")) != NULL;
        location->function = function_name(lookup, function, target->address);
        if (!done || !location->function)
            return false;
        callee = function;
    }
    target->locations = locations;
    target->count = depth;
    return true;
}

static bool describe_unit(struct dwarf_lookup *lookup, Dwarf_Die *unit, struct inline_tree *tree,
                          struct dwarf_target *targets, size_t count)
{
    Dwarf_Die body;
    Dwarf_Files *files = NULL;
    Dwarf_Lines *lines;
    size_t file_count, row_count;
    if (unit_body(unit, &body)) {
        if (!inline_tree_read(tree, lookup->file, &body, targets, count))
            return false;
        if (dwarf_getsrcfiles(&body, &files, &file_count) != 0)
            files = NULL;
    } else {
        lookup->split_missing++;
        for (size_t i = 0; i < count; i++)
            targets[i].node = NO_NODE;
    }
    if (dwarf_getsrclines(unit, &lines, &row_count) == 0)
        lookup->rows += row_count;
    bool done = true;
    for (size_t i = 0; i < count && done; i++)
        done = targets[i].node == NO_NODE ? describe_line_only(lookup, unit, &targets[i])
                                          : describe(lookup, unit, &body, files, tree, &targets[i]);
    names_forget_scopes(lookup->names);
    return done;
}

static int by_unit(const void *left, const void *right)
{
    const struct dwarf_target *a = left, *b = right;
    int order = ORDER_OF(a->unit, b->unit);
    return order ? order : ORDER_OF(a->address, b->address);
}

/* Takes a new Dwarf, and lets go of all that the old one has decoded. */
static bool renew_dwarf(struct dwarf_lookup *lookup)
{
    dwarf_end(lookup->dwarf);
    lookup->rows = 0;
    lookup->dwarf = dwarf_begin_elf(dwarf_getelf(lookup->file->dwarf), DWARF_C_READ, NULL);
    if (lookup->dwarf && lookup->shared)
        dwarf_setalt(lookup->dwarf, lookup->shared);
    return lookup->dwarf != NULL;
}

static bool describe_all(struct dwarf_lookup *lookup, struct unit_list *list,
                         struct dwarf_target *targets, size_t count)
{
    struct inline_tree tree = {0};
    bool done = true;
    qsort(targets, count, sizeof *targets, by_unit);
    for (size_t i = 0, next; i < count && targets[i].unit != NO_UNIT && done; i = next) {
        for (next = i + 1; next < count && targets[next].unit == targets[i].unit; next++)
            ;
        Dwarf_Die unit;
        if (lookup->rows > MOST_ROWS && !renew_dwarf(lookup))
            done = false;
        else if (dwarf_offdie(lookup->dwarf, list->units[targets[i].unit].offset, &unit))
            done = describe_unit(lookup, &unit, &tree, targets + i, next - i);
    }
    qsort(targets, count, sizeof *targets, order_numbers);
    inline_tree_release(&tree);
    return done;
}

bool dwarf_lookup_run(struct dwarf_lookup *lookup, struct dwarf_target *targets, size_t count)
{
    struct unit_list list = {.file = lookup->file};
    const char *shared;
    const void *build_id;
    lookup->shared = dwarf_getalt(lookup->file->dwarf);
    lookup->shared_missing = !lookup->shared && dwelf_dwarf_gnu_debugaltlink(
                                                    lookup->file->dwarf, &shared, &build_id) > 0;
    bool done = renew_dwarf(lookup) && list_units(&list, lookup);
    if (done) {
        sort_ranges(&list);
        if (assign_units(&list, targets, count) > 0)
            done = add_function_ranges(&list, lookup);
        assign_units(&list, targets, count);
        done = done && describe_all(lookup, &list, targets, count);
    }
    dwarf_end(lookup->dwarf);
    lookup->dwarf = NULL;
    free(list.units);
    free(list.ranges);
    return done;
}
