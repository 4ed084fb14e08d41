#include "page/report_stacks.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/array.h"
#include "answer/base64.h"
#include "page/report_build.h"
#include "page/report_sources.h"

/* ---- Columns ----------------------------------------------------------------------------- */

struct bytes {
    uint8_t *items;
    size_t count, capacity;
    bool failed;
};

static void add_bytes(struct bytes *bytes, const void *from, size_t size)
{
    bytes->failed =
        bytes->failed || !ARRAY_RESERVE(&bytes->items, &bytes->capacity, bytes->count + size);
    if (bytes->failed)
        return;
    memcpy(bytes->items + bytes->count, from, size);
    bytes->count += size;
}

static void add_u32(struct bytes *bytes, uint32_t value)
{
    value = htole32(value);
    add_bytes(bytes, &value, sizeof value);
}

static void add_f64(struct bytes *bytes, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits = htole64(bits);
    add_bytes(bytes, &bits, sizeof bits);
}

static void add_entries(struct bytes *bytes, const struct report_build *build,
                        const struct report_side *side)
{
    for (size_t i = 0; i < side->count; i++)
        add_u32(bytes, side->entries[i].node);
    for (size_t i = 0; i < side->count; i++)
        add_f64(bytes, side->entries[i].samples);
    for (size_t i = 0; build->has_objects && i < side->count; i++)
        add_f64(bytes, side->entries[i].density);
}

/* Numbers the symbols that are left, in the order in which nodes have them; malloc'ed. */
static uint32_t *number_symbols(const struct report_build *build, uint32_t **used, uint32_t *count)
{
    size_t symbols = build->symbols.count;
    uint32_t *number = malloc((symbols + 1) * sizeof *number);
    *used = malloc((symbols + 1) * sizeof **used);
    if (!number || !*used) {
        free(number);
        return NULL;
    }
    memset(number, 0xff, (symbols + 1) * sizeof *number);
    *count = 1;
    number[build->left_out_symbol] = 0;
    (*used)[0] = build->left_out_symbol;
    for (uint32_t node = 1; node < build->tree.count; node++) {
        uint32_t symbol = build->tree.nodes[node].frame;
        if (number[symbol] == SYMBOL_NONE) {
            number[symbol] = *count;
            (*used)[(*count)++] = symbol;
        }
    }
    return number;
}

static void put_symbols(struct json *json, const struct symbol *items, const uint32_t *used,
                        uint32_t count)
{
    json_key(json, "functions");
    json_begin_array(json);
    for (uint32_t i = 0; i < count; i++)
        json_text(json, symbol_name(&items[used[i]]));
    json_end(json);
    json_key(json, "files");
    json_begin_array(json);
    for (uint32_t i = 0; i < count; i++)
        json_text(json, items[used[i]].file);
    json_end(json);
    json_key(json, "lines");
    json_begin_array(json);
    for (uint32_t i = 0; i < count; i++)
        json_uint(json, items[used[i]].line);
    json_end(json);
}

/* "libraries": the numbers of symbols that are a library's. */
static void put_libraries(struct json *json, const struct report_build *build, const uint32_t *used,
                          uint32_t count)
{
    json_key(json, "libraries");
    json_begin_array(json);
    for (uint32_t i = 0; i < count; i++)
        if (library_symbols_have(&build->libraries, used[i]))
            json_uint(json, i);
    json_end(json);
}

/* "unknown": the modules of symbols of which nothing else is known, by symbol. */
static void put_unknown(struct json *json, const struct report_build *build, const uint32_t *used,
                        uint32_t count)
{
    json_key(json, "unknown");
    json_begin_object(json);
    for (uint32_t i = 0; i < count; i++) {
        char number[16];
        if (used[i] >= build->module_count || !build->modules[used[i]])
            continue;
        snprintf(number, sizeof number, "%u", i);
        json_put_string(json, number, build->modules[used[i]]);
    }
    json_end(json);
}

/* ---- The whole --------------------------------------------------------------------------- */

static void put_choice(struct json *json, const struct report_choice *choice,
                       const struct report_weighing *weighing, bool has_base)
{
    json_begin_object(json);
    json_put_string(json, "filter", choice->filter);
    json_put_uint(json, "type", choice->type);
    json_put_double(json, "unit", weighing->now.estimate.bytes_per_sample);
    json_put_double(json, "rate", weighing->now.estimate.sample_rate);
    json_put_uint(json, "entries", weighing->now.count);
    json_put_double(json, "shortened", weighing->shortened);
    if (has_base) {
        json_put_double(json, "base_unit", weighing->before.estimate.bytes_per_sample);
        json_put_double(json, "base_rate", weighing->before.estimate.sample_rate);
        json_put_uint(json, "base_entries", weighing->before.count);
    }
    json_end(json);
}

static void put_bytes(struct json *json, const char *key, const uint8_t *bytes, size_t size)
{
    json_key(json, key);
    json_begin_raw_string(json);
    base64_write(json->file, bytes, size);
    json_end_raw_string(json);
}

static bool put_data(struct json *json, const struct report_build *build, const uint32_t *number)
{
    struct bytes bytes = {0};
    for (size_t node = 0; node < build->tree.count; node++)
        add_u32(&bytes, build->tree.nodes[node].parent);
    for (size_t node = 0; node < build->tree.count; node++)
        add_u32(&bytes, node == STACK_ROOT ? 0 : number[build->tree.nodes[node].frame]);
    for (size_t i = 0; i < build->count; i++) {
        add_entries(&bytes, build, &build->weighings[i].now);
        add_entries(&bytes, build, &build->weighings[i].before);
    }
    uLongf size = compressBound(bytes.count);
    uint8_t *packed = bytes.failed ? NULL : malloc(size);
    bool done = packed && compress2(packed, &size, bytes.items, bytes.count, 6) == Z_OK;
    if (done)
        put_bytes(json, "data", packed, size);
    free(bytes.items);
    free(packed);
    return done;
}

static bool put_all(FILE *file, const struct report_build *build)
{
    struct json json;
    uint32_t *used, count;
    uint32_t *number = number_symbols(build, &used, &count);
    if (!number) {
        free(used);
        return false;
    }
    json_init_compact(&json, file);
    json.shown = true;
    json_begin_object(&json);
    json_put_uint(&json, "nodes", build->tree.count);
    json_put_uint(&json, "left_out", build->left_out);
    put_symbols(&json, build->symbols.items, used, count);
    put_libraries(&json, build, used, count);
    put_unknown(&json, build, used, count);
    json_key(&json, "choices");
    json_begin_array(&json);
    for (size_t i = 0; i < build->count; i++)
        put_choice(&json, &build->choices[i], &build->weighings[i], build->state->base);
    json_end(&json);
    bool done =
        report_sources_put(&json, build->state->sources, build->symbols.items, used, count) &&
        put_data(&json, build, number);
    json_end(&json);
    free(number);
    free(used);
    return done;
}

bool report_stacks_put(FILE *file, const struct viewer_state *state,
                       const struct report_choice *choices, size_t count, uint32_t nodes,
                       void (*tell)(void *context, size_t done), void *context)
{
    struct report_build build;
    bool done = report_build_init(&build, state, choices, count);
    for (size_t i = 0; done && i < count; i++) {
        done = report_build_add(&build, i);
        if (tell)
            tell(context, i + 1);
    }
    done = done && report_build_finish(&build, nodes) && put_all(file, &build);
    report_build_release(&build);
    return done;
}
