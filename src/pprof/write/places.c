#include "pprof/write/writing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/code.h"

/* ---- Numbers ------------------------------------------------------------------------ */

/* How many samples' stacks go through each node; NULL when there is no memory.  A node's number is
 * above its caller's, so one pass from the last adds up what stands above each. */
static uint32_t *count_through(const struct block_groups *groups)
{
    const struct stack_trie *trie = &groups->trie;
    uint32_t *through = calloc(trie->count, sizeof *through);
    for (size_t i = 0; through && i < groups->count; i++)
        through[trie->ends[groups->kinds[i].stack]]++;
    for (size_t node = trie->count; through && --node > STACK_ROOT;)
        through[trie->nodes[node].parent] += through[node];
    return through;
}

/* How often each frame stands in the stacks of samples. */
static void count_frames(const struct pprof_writing *writing, uint32_t *uses)
{
    const struct block_groups *groups = writing->export->groups;
    const struct stack_trie *trie = &groups->trie;
    for (size_t node = STACK_ROOT + 1; node < trie->count; node++)
        uses[trie->nodes[node].frame] += writing->through[node];
    for (size_t i = 0; i < groups->count; i++)
        uses[writing->export->frames->frame_count] +=
            trie->ends[groups->kinds[i].stack] == STACK_ROOT;
}

/* The code of a frame; of none, 0. */
uint64_t pprof_places_code(const struct pprof_writing *writing, uint32_t frame)
{
    const struct frame_source *frames = writing->export->frames;
    return frame < frames->frame_count ? frames->code(frames->context, frame) : 0;
}

static int compare_codes(const void *left, const void *right, void *writing)
{
    uint64_t a = pprof_places_code(writing, *(const uint32_t *)left),
             b = pprof_places_code(writing, *(const uint32_t *)right);
    return (a > b) - (a < b);
}

static int compare_uses(const void *left, const void *right, void *context)
{
    const uint32_t *uses = context, a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return uses[a] != uses[b] ? (uses[a] < uses[b]) - (uses[a] > uses[b]) : (a > b) - (a < b);
}

/* Sample by sample a stack is a list of ids, most of a file.  So those used most get the numbers
 * that take one byte, the next those that take two.  With events the others are ordered by code,
 * as a list of these is in the file too. */
bool pprof_places_number(struct pprof_writing *writing)
{
    enum { OF_ONE_BYTE = 127 };
    size_t frames = (size_t)writing->export->frames->frame_count + 1;
    uint32_t *uses = calloc(frames, sizeof *uses), count = 0;
    writing->location_ids = calloc(frames, sizeof *writing->location_ids);
    writing->locations = malloc(frames * sizeof *writing->locations);
    writing->through = count_through(writing->export->groups);
    bool done = uses && writing->location_ids && writing->locations && writing->through;
    if (done)
        count_frames(writing, uses);
    for (uint32_t i = 0; done && i < frames; i++)
        if (uses[i] > 0)
            writing->locations[count++] = i;
    if (done)
        qsort_r(writing->locations, count, sizeof *writing->locations, compare_uses, uses);
    if (done && writing->export->events && count > OF_ONE_BYTE)
        qsort_r(writing->locations + OF_ONE_BYTE, count - OF_ONE_BYTE, sizeof *writing->locations,
                compare_codes, writing);
    for (uint32_t i = 0; done && i < count; i++)
        writing->location_ids[writing->locations[i]] = i + 1;
    writing->location_count = count;
    free(uses);
    return done;
}

/* ---- Mappings ----------------------------------------------------------------------- */

bool pprof_export_has_modules(const struct pprof_export *export)
{
    for (size_t i = 0; i < export->metadata_count; i++)
        if (export->metadata[i].kind == HEAPTAP_MODULE)
            return true;
    return false;
}

static bool is_same_module(const struct heaptap_metadata *a, const struct heaptap_metadata *b)
{
    return a->address == b->address && a->size_bytes == b->size_bytes && a->number == b->number &&
           strcmp(a->name, b->name) == 0 && a->file_offset == b->file_offset &&
           a->build_id_size == b->build_id_size &&
           memcmp(a->build_id, b->build_id, a->build_id_size) == 0;
}

static void add_mapping(struct pprof_writing *writing, const struct heaptap_metadata *module)
{
    for (size_t i = 0; i < writing->mapping_count; i++)
        if (writing->mappings[i].module && is_same_module(writing->mappings[i].module, module))
            return;
    writing->mappings[writing->mapping_count++] = (struct pprof_mapping){module->name, module};
}

static bool find_mappings(struct pprof_writing *writing)
{
    const struct pprof_export *export = writing->export;
    const char *executable = export->info->executable;
    writing->mappings = calloc(export->metadata_count + 1, sizeof *writing->mappings);
    if (!writing->mappings)
        return false;
    for (size_t i = 0; i < export->metadata_count; i++)
        if (export->metadata[i].kind == HEAPTAP_MODULE &&
            strcmp(export->metadata[i].name, executable) == 0)
            add_mapping(writing, &export->metadata[i]);
    if (writing->mapping_count == 0)
        writing->mappings[writing->mapping_count++].file = executable;
    for (size_t i = 0; i < export->metadata_count; i++)
        if (export->metadata[i].kind == HEAPTAP_MODULE)
            add_mapping(writing, &export->metadata[i]);
    return true;
}

/* The index of the mapping that holds the code, an address in the call that is going on, as pprof's
 * are; where that cannot be told of several, the last one loaded; -1 for none. */
static long mapping_of(const struct pprof_writing *writing, uint64_t code)
{
    enum code_fit best = CODE_OUTSIDE;
    long found = -1;
    for (long i = (long)writing->mapping_count - 1; i >= 0 && best != CODE_INSIDE; i--) {
        const struct heaptap_metadata *module = writing->mappings[i].module;
        enum code_fit fit =
            module ? code_fit(code, module->address, module->size_bytes, module->number)
                   : CODE_OUTSIDE;
        if (fit > best) {
            best = fit;
            found = i;
        }
    }
    return found;
}

static void put_mapping(struct pprof_writing *writing, size_t index)
{
    const struct pprof_mapping *mapping = &writing->mappings[index];
    const struct heaptap_metadata *module = mapping->module;
    struct protobuf *out = &writing->out;
    protobuf_begin(out, PROFILE_MAPPING);
    protobuf_number(out, MAPPING_ID, index + 1);
    if (module) {
        char build_id[2 * HEAPTAP_BUILD_ID_MAX + 1] = "";
        for (size_t i = 0; i < module->build_id_size; i++)
            snprintf(build_id + 2 * i, 3, "%02x", module->build_id[i]);
        protobuf_number(out, MAPPING_START, module->address);
        protobuf_number(out, MAPPING_LIMIT, module->address + module->size_bytes);
        protobuf_number(out, MAPPING_OFFSET, module->file_offset);
        pprof_writing_string(writing, MAPPING_BUILD_ID,
                             pprof_strings_make(&writing->strings, build_id, strlen(build_id)));
    }
    pprof_writing_string(writing, MAPPING_FILE, mapping->file);
    for (unsigned field = MAPPING_HAS_FUNCTIONS;
         !writing->export->unsymbolized && field <= MAPPING_HAS_INLINES; field++)
        protobuf_number(out, field, true);
    protobuf_end(out);
}

/* ---- Locations ---------------------------------------------------------------------- */

static void put_line(struct pprof_writing *writing, uint32_t function, uint32_t line)
{
    writing->failed |= function == SYMBOL_NONE;
    protobuf_begin(&writing->out, LOCATION_LINE);
    protobuf_number(&writing->out, LINE_FUNCTION, (uint64_t)function + 1);
    if (line > 0)
        protobuf_number(&writing->out, LINE_LINE, line);
    protobuf_end(&writing->out);
}

/* The lines of a frame, the innermost first.  A frame of which only the code is known is called by
 * that, and one that isn't there "<unknown>". */
static void put_lines(struct pprof_writing *writing, uint32_t frame)
{
    const struct frame_source *frames = writing->export->frames;
    size_t count = 0;
    if (frame == frames->frame_count) {
        put_line(writing, symbols_number_of(&writing->functions, "<unknown>", NULL), 0);
        return;
    }
    const struct heaptap_location *locations = frames->locations(frames->context, frame, &count);
    if (count == 0)
        put_line(writing,
                 symbols_number_of_code(&writing->functions, frames->code(frames->context, frame)),
                 0);
    for (size_t i = count; i-- > 0;)
        put_line(writing, symbols_number(&writing->functions, &locations[i]), locations[i].line);
}

static void put_location(struct pprof_writing *writing, uint32_t id)
{
    uint32_t frame = writing->locations[id - 1];
    bool is_frame = frame < writing->export->frames->frame_count;
    uint64_t code = pprof_places_code(writing, frame);
    long mapping = is_frame ? mapping_of(writing, code) : -1;
    protobuf_begin(&writing->out, PROFILE_LOCATION);
    protobuf_number(&writing->out, LOCATION_ID, id);
    protobuf_number(&writing->out, LOCATION_MAPPING, mapping < 0 ? 1 : (uint64_t)mapping + 1);
    if (mapping >= 0)
        protobuf_number(&writing->out, LOCATION_ADDRESS, code_address(code));
    if (mapping < 0 || !writing->export->unsymbolized)
        put_lines(writing, frame);
    protobuf_end(&writing->out);
}

static void put_function(struct pprof_writing *writing, size_t index)
{
    const struct symbol *symbol = &writing->functions.items[index];
    protobuf_begin(&writing->out, PROFILE_FUNCTION);
    protobuf_number(&writing->out, FUNCTION_ID, index + 1);
    pprof_writing_string(writing, FUNCTION_NAME, symbol->function);
    pprof_writing_string(writing, FUNCTION_FILE, symbol->file);
    protobuf_end(&writing->out);
}

void pprof_places_put(struct pprof_writing *writing)
{
    if (!find_mappings(writing)) {
        writing->failed = true;
        return;
    }
    for (size_t i = 0; i < writing->mapping_count; i++)
        put_mapping(writing, i);
    for (uint32_t id = 1; id <= writing->location_count; id++)
        put_location(writing, id);
    for (size_t i = 0; i < writing->functions.count; i++)
        put_function(writing, i);
}
