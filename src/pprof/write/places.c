#include "pprof/write/writing.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/code.h"
#include "base/hex.h"

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

/* The modules that became mappings, in their order; NULL for the program, where no module is it. */
struct modules {
    const struct heaptap_metadata **items;
    size_t count;
};

static bool add_module(struct pprof_writing *writing, struct modules *modules,
                       const struct heaptap_metadata *module)
{
    char build_id[2 * HEAPTAP_BUILD_ID_MAX + 1];
    for (size_t i = 0; i < modules->count; i++)
        if (modules->items[i] && is_same_module(modules->items[i], module))
            return true;
    hex_put(build_id, module->build_id, module->build_id_size);
    modules->items[modules->count++] = module;
    struct pprof_mapping mapping = {.start = module->address,
                                    .limit = module->address + module->size_bytes,
                                    .offset = module->file_offset,
                                    .file = module->name,
                                    .build_id = build_id};
    return profile_builder_module(&writing->profile, mapping);
}

/* The program comes first. */
static bool add_modules(struct pprof_writing *writing, struct modules *modules)
{
    const struct pprof_export *export = writing->export;
    const char *executable = export->info->executable;
    bool done = true;
    for (int others = 0; others < 2; others++) {
        for (size_t i = 0; done && i < export->metadata_count; i++)
            if (export->metadata[i].kind == HEAPTAP_MODULE &&
                (others || strcmp(export->metadata[i].name, executable) == 0))
                done = add_module(writing, modules, &export->metadata[i]);
        if (done && modules->count == 0) {
            modules->items[modules->count++] = NULL;
            done = profile_builder_module(&writing->profile,
                                          (struct pprof_mapping){.file = executable});
        }
    }
    return done;
}

static enum code_fit fit_of(const struct heaptap_metadata *module, uint64_t code)
{
    return module ? code_fit(code, module->address, module->size_bytes, module->number)
                  : CODE_OUTSIDE;
}

/* The index of the mapping that holds the code, an address in the call that is going on, as pprof's
 * are; PPROF_NONE for none. */
static uint32_t mapping_of(const struct modules *modules, uint64_t code)
{
    size_t found = CODE_MODULE(i, modules->count, fit_of(modules->items[i], code));
    return found < modules->count ? (uint32_t)found : PPROF_NONE;
}

/* ---- Locations ---------------------------------------------------------------------- */

/* The lines of a frame.  One of which only the code is known is called by that, and one that isn't there "<unknown>". */
static bool add_lines(struct pprof_writing *writing, uint32_t location, uint32_t frame)
{
    const struct frame_source *frames = writing->export->frames;
    char text[32] = "<unknown>";
    size_t count = 0;
    const struct heaptap_location *lines =
        frame < frames->frame_count ? frames->locations(frames->context, frame, &count) : NULL;
    if (frame < frames->frame_count)
        snprintf(text, sizeof text, "0x%" PRIx64, frames->code(frames->context, frame));
    bool done = count > 0 || profile_builder_line(&writing->profile, location, text, "", 0);
    for (size_t i = 0; done && i < count; i++)
        done = pprof_add_line(writing->profile.pprof, location, &lines[i]);
    return done;
}

static bool add_location(struct pprof_writing *writing, const struct modules *modules,
                         uint32_t frame)
{
    bool is_frame = frame < writing->export->frames->frame_count;
    uint64_t code = pprof_places_code(writing, frame);
    uint32_t mapping = is_frame ? mapping_of(modules, code) : PPROF_NONE,
             number = profile_builder_location(&writing->profile);
    if (number == PPROF_NONE)
        return false;
    struct pprof_location *location = &writing->profile.pprof->locations[number];
    location->mapping = mapping == PPROF_NONE ? 0 : mapping;
    location->address = mapping == PPROF_NONE ? 0 : code_address(code);
    return (mapping != PPROF_NONE && writing->export->unsymbolized) ||
           add_lines(writing, number, frame);
}

bool pprof_places_add(struct pprof_writing *writing)
{
    struct pprof *pprof = writing->profile.pprof;
    struct modules modules = {malloc((writing->export->metadata_count + 1) * sizeof *modules.items),
                              0};
    bool done = modules.items && add_modules(writing, &modules);
    for (size_t i = 0; !writing->export->unsymbolized && i < pprof->mapping_count; i++)
        pprof_mapping_set_named(&pprof->mappings[i]);
    for (uint32_t i = 0; done && i < writing->location_count; i++)
        done = add_location(writing, &modules, writing->locations[i]);
    free(modules.items);
    return done;
}
