#include "profile/symbols.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"

void symbols_init(struct symbols *symbols, enum symbol_grain grain)
{
    *symbols = (struct symbols){.grain = grain};
}

void symbols_release(struct symbols *symbols)
{
    map_release(&symbols->by_hash);
    free(symbols->items);
    names_release(&symbols->made);
    *symbols = (struct symbols){0};
}

static uint64_t hash_of(const struct symbol *symbol)
{
    uint64_t hash = map_mix(0, (uint64_t)(uintptr_t)symbol->function);
    hash = map_mix(hash, (uint64_t)(uintptr_t)symbol->file);
    hash =
        map_mix(hash, (uint64_t)symbol->line << 32 | symbol->start_char << 16 | symbol->end_char);
    hash = map_mix(hash, symbol->address ^ (uint64_t)(uintptr_t)symbol->module);
    return hash;
}

static bool is_same(const struct symbol *a, const struct symbol *b)
{
    return a->function == b->function && a->file == b->file && a->line == b->line &&
           a->start_char == b->start_char && a->end_char == b->end_char &&
           a->address == b->address && a->module == b->module;
}

static uint32_t number_of(struct symbols *symbols, const struct symbol *symbol)
{
    bool fresh;
    if (symbols->count >= SYMBOL_NONE - 1 ||
        !ARRAY_RESERVE(&symbols->items, &symbols->capacity, symbols->count + 1))
        return SYMBOL_NONE;
    uint32_t *newest =
        map_put(&symbols->by_hash, hash_of(symbol), (uint32_t)symbols->count, &fresh);
    if (!newest)
        return SYMBOL_NONE;
    for (uint32_t i = fresh ? SYMBOL_NONE : *newest; i != SYMBOL_NONE; i = symbols->items[i].next)
        if (is_same(&symbols->items[i], symbol))
            return i;
    struct symbol *added = &symbols->items[symbols->count];
    *added = *symbol;
    added->next = fresh ? SYMBOL_NONE : *newest;
    return *newest = (uint32_t)symbols->count++;
}

/* `module` tells apart what has no function's name; NULL where it should not. */
static uint32_t number_at(struct symbols *symbols, const struct heaptap_location *location,
                          uint64_t address, const char *module)
{
    enum symbol_grain grain = symbols->grain;
    struct symbol symbol = {
        .function = grain != GRAIN_FILE ? location->function : NULL,
        .file = grain != GRAIN_NAME ? location->file : NULL,
        .line = grain >= GRAIN_LINE ? location->line : 0,
        .start_char = grain == GRAIN_PLACE ? location->start_char : 0,
        .end_char = grain == GRAIN_PLACE ? location->end_char : 0,
        .address = grain == GRAIN_ADDRESS ? address : 0,
    };
    if (!symbol.function || !*symbol.function)
        symbol.module = module;
    return number_of(symbols, &symbol);
}

uint32_t symbols_number(struct symbols *symbols, const struct heaptap_location *location)
{
    return number_at(symbols, location, 0, NULL);
}

/* The symbol of a frame of which no more is known than its module (NULL for that, too). */
static uint32_t symbols_number_of_module(struct symbols *symbols, const char *module,
                                         uint64_t address)
{
    struct symbol symbol = {.module = module ? module : "",
                            .address = symbols->grain == GRAIN_ADDRESS ? address : 0};
    return number_of(symbols, &symbol);
}

uint32_t symbols_number_of(struct symbols *symbols, const char *function, const char *file)
{
    struct symbol symbol = {.function = function, .file = file};
    return number_of(symbols, &symbol);
}

uint32_t symbols_number_of_code(struct symbols *symbols, uint64_t code)
{
    char text[32];
    int size = snprintf(text, sizeof text, "0x%" PRIx64, code);
    const char *name = names_intern(&symbols->made, text, (size_t)size);
    return name ? symbols_number_of(symbols, name, NULL) : SYMBOL_NONE;
}

/* ---- Frames -------------------------------------------------------------------------- */

bool frame_symbols_init(struct frame_symbols *frames, const struct frame_source *source,
                        struct symbols *symbols)
{
    *frames = (struct frame_symbols){.source = source, .symbols = symbols};
    frames->first = malloc(((size_t)source->frame_count + 1) * sizeof *frames->first);
    for (size_t i = 0; frames->first && i < source->frame_count; i++)
        frames->first[i] = SYMBOL_NONE;
    return frames->first;
}

void frame_symbols_release(struct frame_symbols *frames)
{
    free(frames->first);
    free(frames->list);
    *frames = (struct frame_symbols){0};
}

/* The module that frames are told by; NULL where they are not. */
static const char *module_of(const struct frame_symbols *frames, uint32_t frame)
{
    const struct frame_source *source = frames->source;
    const char *module =
        frames->by_module && source->module ? source->module(source->context, frame) : NULL;
    bool is_told = source->tells_codes && frames->symbols->grain != GRAIN_FILE;
    return frames->by_module && !module && !is_told ? "" : module;
}

/* The list holds, for each frame found, how many symbols it has, and these. */
bool frame_symbols_find(struct frame_symbols *frames, uint32_t frame)
{
    size_t count;
    const struct frame_source *source = frames->source;
    const struct heaptap_location *locations = frame_source_locations(source, frame, &count);
    if (!ARRAY_RESERVE(&frames->list, &frames->capacity, frames->count + 2 + count))
        return false;
    uint32_t *entry = frames->list + frames->count;
    uint64_t code = source->code(source->context, frame);
    const char *module = module_of(frames, frame);
    count = count > 1 && frames->no_inlines ? 1 : count;
    entry[0] = count > 0 ? (uint32_t)count : 1;
    if (count == 0)
        entry[1] = module ? symbols_number_of_module(frames->symbols, module, code)
                          : symbols_number_of_code(frames->symbols, code);
    for (size_t i = 0; i < count; i++)
        entry[1 + i] = number_at(frames->symbols, &locations[i], code, module);
    for (size_t i = 1; i <= entry[0]; i++)
        if (entry[i] == SYMBOL_NONE)
            return false;
    frames->first[frame] = (uint32_t)frames->count;
    frames->count += 1 + entry[0];
    return true;
}
