#include <math.h>
#include <stdlib.h>

#include "answer/json.h"
#include "format/export/stack_lines.h"
#include "spec/own_member.h"

static void put_frames(struct json *json, const struct symbols *symbols)
{
    json_key(json, "shared");
    json_begin_object(json);
    json_key(json, "frames");
    json_begin_array(json);
    for (size_t i = 0; i < symbols->count; i++) {
        const struct symbol *symbol = &symbols->items[i];
        json_begin_object(json);
        json_put_string(json, "name", symbol_name(symbol));
        if (symbol->function && symbol->file && *symbol->file)
            json_put_string(json, "file", symbol->file);
        if (symbol->line > 0)
            json_put_uint(json, "line", symbol->line);
        json_end(json);
    }
    json_end(json);
    json_end(json);
}

/* The symbols of a stack, callers first; recursion goes as deep as stacks do, so it is a loop. */
static bool put_stack(struct json *json, const struct stack_trie *trie,
                      struct frame_symbols *frames, uint32_t end, uint32_t *path)
{
    size_t depth = 0, count;
    for (uint32_t node = end; node != STACK_ROOT; node = trie->nodes[node].parent)
        path[depth++] = trie->nodes[node].frame;
    json_begin_array(json);
    while (depth-- > 0) {
        const uint32_t *symbols = frame_symbols_of(frames, path[depth], &count);
        for (size_t i = 0; symbols && i < count; i++)
            json_uint(json, symbols[i]);
        if (!symbols)
            return false;
    }
    json_end(json);
    return true;
}

static double value_of(const struct stack_profile *profile, const struct export_head *head,
                       uint32_t stack)
{
    return round(stack_tally_weight(&profile->tallies[stack], &profile->estimate, head->weight));
}

static bool put_profile(struct json *json, const struct stack_profile *profile,
                        struct frame_symbols *frames, const struct export_head *head,
                        uint32_t *path)
{
    bool is_bytes = head->unit[0] == 'b';
    double total = 0;
    json_key(json, "samples");
    json_begin_array(json);
    for (uint32_t i = 0; i < profile->trie.stack_count; i++)
        if (value_of(profile, head, i) > 0 &&
            !put_stack(json, &profile->trie, frames, profile->trie.ends[i], path))
            return false;
    json_end(json);
    json_key(json, "weights");
    json_begin_array(json);
    for (uint32_t i = 0; i < profile->trie.stack_count; i++) {
        double value = value_of(profile, head, i);
        if (value > 0) {
            json_double(json, value);
            total += value;
        }
    }
    json_end(json);
    json_put_string(json, "type", "sampled");
    json_put_string(json, "name", head->sample);
    json_put_string(json, "unit", is_bytes ? "bytes" : "none");
    json_put_uint(json, "startValue", 0);
    json_put_double(json, "endValue", total);
    return true;
}

bool speedscope_print(const struct stack_profile *profile, const struct frame_source *source,
                      const struct export_head *head, FILE *file)
{
    struct json json;
    struct symbols symbols;
    struct frame_symbols frames;
    uint32_t *path = malloc((profile->trie.count + 1) * sizeof *path);
    symbols_init(&symbols, head->grain);
    bool done = path && frame_symbols_init(&frames, source, &symbols);
    json_init_compact(&json, file);
    if (done) {
        json_begin_object(&json);
        json_put_string(&json, "$schema", "https://www.speedscope.app/file-format-schema.json");
        json_put_string(&json, "name", head->name);
        json_put_string(&json, "exporter", "heaptap");
        json_put_uint(&json, "activeProfileIndex", 0);
        json_key(&json, "profiles");
        json_begin_array(&json);
        json_begin_object(&json);
        done = put_profile(&json, profile, &frames, head, path);
        if (done) {
            json_end(&json);
            json_end(&json);
            put_frames(&json, &symbols);
            json_key(&json, OWN_MEMBER);
            export_put_own_member(&json, head);
            json_end(&json);
        }
        frame_symbols_release(&frames);
    }
    symbols_release(&symbols);
    free(path);
    return done;
}
