#include "format/import/heaptrack_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"

static const char *const operator_names[] = {
    "operator new(unsigned long)",
    "operator new[](unsigned long)",
    "operator new(unsigned int)",
    "operator new[](unsigned int)",
};

enum { OPERATORS = sizeof operator_names / sizeof operator_names[0], CODE_BITS = 48 };

const char *heaptrack_add_string(struct heaptrack_names *names, const char *text, size_t size)
{
    const char *copy = names_intern(&names->texts, text, strnlen(text, size));
    if (!copy || names->string_count >= UINT32_MAX ||
        !ARRAY_RESERVE(&names->strings, &names->string_capacity, names->string_count + 1))
        return NULL;
    names->strings[names->string_count++] = copy;
    return copy;
}

bool heaptrack_names_init(struct heaptrack_names *names)
{
    *names = (struct heaptrack_names){.place_count = 1, .stack_count = 1};
    for (int i = 0; i < OPERATORS; i++)
        names->operators[i] = names_copy(&names->texts, operator_names[i]);
    if (!names->operators[OPERATORS - 1] || !heaptrack_add_string(names, "", 0) ||
        !ARRAY_RESERVE(&names->places, &names->place_capacity, 1) ||
        !ARRAY_RESERVE(&names->stacks, &names->stack_capacity, 1))
        return false;
    names->places[0] = (struct heaptrack_place){0};
    names->stacks[0] = (struct heaptrack_stack){0};
    return true;
}

void heaptrack_names_release(struct heaptrack_names *names)
{
    names_release(&names->texts);
    map_release(&names->by_code);
    free(names->strings);
    free(names->places);
    free(names->lines);
    free(names->stacks);
}

/* ---- Addresses ------------------------------------------------------------------------ */

/* Gives a new place a code that no other has. */
static bool add_place(struct heaptrack_names *names, struct heaptrack_place *place)
{
    bool fresh = false;
    for (uint64_t epoch = 0; !fresh; epoch++) {
        uint64_t code = place->code + (epoch << CODE_BITS);
        if (!map_put(&names->by_code, code, (uint32_t)names->place_count, &fresh))
            return false;
        if (fresh)
            place->code = code;
    }
    if (names->place_count >= UINT32_MAX ||
        !ARRAY_RESERVE(&names->places, &names->place_capacity, names->place_count + 1))
        return false;
    names->places[names->place_count++] = *place;
    return true;
}

static enum heaptap_status string_of(const struct heaptrack_names *names, const struct lines *lines,
                                     uint64_t number, const char **text,
                                     struct heaptap_error *error)
{
    if (number >= names->string_count)
        return lines_error(lines, error, "it names string %" PRIu64 ", but there are %zu so far",
                           number, names->string_count - 1);
    *text = names->strings[number];
    return HEAPTAP_OK;
}

static enum heaptap_status add_line(struct heaptrack_names *names, const struct lines *lines,
                                    const uint64_t numbers[3], struct heaptap_error *error)
{
    struct heaptap_location line = {.line = numbers[2] < (1 << 20) ? (uint32_t)numbers[2] : 0};
    enum heaptap_status status = string_of(names, lines, numbers[0], &line.function, error);
    if (status == HEAPTAP_OK)
        status = string_of(names, lines, numbers[1], &line.file, error);
    if (status != HEAPTAP_OK)
        return status;
    if (!ARRAY_RESERVE(&names->lines, &names->line_capacity, names->line_count + 1))
        return error_no_memory(error);
    names->lines[names->line_count++] = line;
    return HEAPTAP_OK;
}

/* Where nothing is known but the module: the address. */
static enum heaptap_status add_unknown(struct heaptrack_names *names, const struct lines *lines,
                                       uint64_t module, uint64_t code, struct heaptap_error *error)
{
    char text[32];
    struct heaptap_location line = {0};
    enum heaptap_status status = string_of(names, lines, module, &line.file, error);
    if (status != HEAPTAP_OK || !*line.file)
        return status;
    int size = snprintf(text, sizeof text, "0x%" PRIx64, code);
    line.function = names_intern(&names->texts, text, (size_t)size);
    if (!line.function ||
        !ARRAY_RESERVE(&names->lines, &names->line_capacity, names->line_count + 1))
        return error_no_memory(error);
    names->lines[names->line_count++] = line;
    return HEAPTAP_OK;
}

/* A function without file and line is the last of its line. */
static enum heaptap_status take_lines(struct heaptrack_names *names, const struct lines *lines,
                                      char **at, struct heaptap_error *error)
{
    uint64_t numbers[3];
    enum heaptap_status status = HEAPTAP_OK;
    while (status == HEAPTAP_OK && lines_hex(at, &numbers[0])) {
        bool has_file = lines_hex(at, &numbers[1]) && lines_hex(at, &numbers[2]);
        if (!has_file)
            numbers[1] = numbers[2] = 0;
        status = add_line(names, lines, numbers, error);
    }
    return status;
}

enum heaptap_status heaptrack_take_place(struct heaptrack_names *names, const struct lines *lines,
                                         char *at, struct heaptap_error *error)
{
    struct heaptrack_place place = {.first_line = (uint32_t)names->line_count};
    uint64_t module;
    if (!lines_hex(&at, &place.code) || !lines_hex(&at, &module))
        return lines_error(lines, error, "expected an address and the number of a module");
    enum heaptap_status status = take_lines(names, lines, &at, error);
    if (status == HEAPTAP_OK && at[strspn(at, " ")])
        status = lines_error(lines, error, "'%.40s' is not a hexadecimal number", at);
    if (status == HEAPTAP_OK && names->line_count == place.first_line)
        status = add_unknown(names, lines, module, place.code, error);
    if (status != HEAPTAP_OK)
        return status;
    place.line_count = (uint32_t)(names->line_count - place.first_line);
    if (place.line_count > 1)
        ARRAY_REVERSE(names->lines + place.first_line,
                      place.line_count); /* the file has the innermost first */
    return add_place(names, &place) ? HEAPTAP_OK : error_no_memory(error);
}

/* ---- Stacks --------------------------------------------------------------------------- */

/* In a raw file, the place of an address, perhaps a new one; 0 when there is no memory. */
static uint32_t place_of_address(struct heaptrack_names *names, uint64_t address)
{
    const uint32_t *found = map_find(&names->by_code, address);
    struct heaptrack_place place = {.code = address};
    if (found)
        return *found;
    return add_place(names, &place) ? (uint32_t)names->place_count - 1 : 0;
}

enum heaptap_status heaptrack_take_stack(struct heaptrack_names *names, const struct lines *lines,
                                         char *at, bool is_raw, struct heaptap_error *error)
{
    uint64_t place, parent;
    if (!lines_hex(&at, &place) || !lines_hex(&at, &parent))
        return lines_error(lines, error, "expected an address and the stack of its caller");
    if (is_raw && !(place = place_of_address(names, place)))
        return error_no_memory(error);
    if (place == 0 || place >= names->place_count)
        return lines_error(lines, error, "it names address %" PRIu64 ", but there are %zu so far",
                           place, names->place_count - 1);
    if (parent >= names->stack_count)
        return lines_error(lines, error, "it names stack %" PRIu64 ", but there are %zu so far",
                           parent, names->stack_count - 1);
    uint32_t depth = names->stacks[parent].depth + 1;
    if (depth > HEAPTRACK_DEEPEST)
        return lines_error(lines, error, "the stack has more than %d frames", HEAPTRACK_DEEPEST);
    if (names->stack_count >= UINT32_MAX ||
        !ARRAY_RESERVE(&names->stacks, &names->stack_capacity, names->stack_count + 1))
        return error_no_memory(error);
    names->stacks[names->stack_count++] =
        (struct heaptrack_stack){(uint32_t)place, (uint32_t)parent, depth};
    return HEAPTAP_OK;
}

static bool is_operator_new(const struct heaptrack_names *names, uint32_t place)
{
    const struct heaptrack_place *it = &names->places[place];
    for (int i = 0; it->line_count == 1 && i < OPERATORS; i++)
        if (names->lines[it->first_line].function == names->operators[i])
            return true;
    return false;
}

uint32_t heaptrack_codes(const struct heaptrack_names *names, uint32_t stack, uint64_t *codes)
{
    uint32_t count = 0;
    const struct heaptrack_stack *stacks = names->stacks;
    while (stacks[stack].parent && is_operator_new(names, stacks[stack].place))
        stack = stacks[stack].parent;
    for (; stack; stack = stacks[stack].parent)
        codes[count++] = names->places[stacks[stack].place].code;
    return count;
}

size_t heaptrack_describe(void *context, uint64_t code, struct heaptap_location *locations,
                          size_t max)
{
    const struct heaptrack_names *names = context;
    const uint32_t *found = map_find(&names->by_code, code);
    if (!found)
        return 0;
    const struct heaptrack_place *place = &names->places[*found];
    size_t count = place->line_count < max ? place->line_count : max;
    if (count > 0)
        memcpy(locations, names->lines + place->first_line, count * sizeof *locations);
    return count;
}
