#include "pprof/write/writing.h"

#include <inttypes.h>
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

/* Does an earlier record say the same? */
static bool is_again(const struct pprof_export *export, size_t number)
{
    for (size_t i = 0; i < number; i++)
        if (export->metadata[i].kind == HEAPTAP_MODULE &&
            is_same_module(&export->metadata[i], &export->metadata[number]))
            return true;
    return false;
}

/* The program comes first, also where no module is it. */
static bool add_modules(struct pprof_writing *writing)
{
    const struct pprof_export *export = writing->export;
    const char *executable = export->info->executable;
    struct model *model = writing->model;
    bool done = true;
    for (int others = 0; others < 2; others++) {
        for (size_t i = 0; done && i < export->metadata_count; i++)
            if (export->metadata[i].kind == HEAPTAP_MODULE &&
                (strcmp(export->metadata[i].name, executable) != 0) == others &&
                !is_again(export, i))
                done = model_take_module(model, &export->metadata[i]) != MODEL_NONE;
        if (done && model->module_count == 0)
            done =
                model_add_module(model, &(struct model_module){.path = executable}) != MODEL_NONE;
    }
    return done;
}

/* ---- Locations ---------------------------------------------------------------------- */

/* A frame of which only the code is known is called by that, and one that isn't there "<unknown>". */
static bool add_location(struct pprof_writing *writing, uint32_t frame)
{
    const struct frame_source *frames = writing->export->frames;
    bool is_frame = frame < frames->frame_count;
    uint64_t code = pprof_places_code(writing, frame);
    uint32_t mapping = is_frame ? model_module_of(writing->model, code) : MODEL_NONE;
    bool is_placed = mapping != MODEL_NONE, is_bare = is_placed && writing->export->unsymbolized;
    char text[32] = "<unknown>";
    const struct heaptap_location unknown = {.function = text, .file = ""}, *lines = NULL;
    size_t count = 0;
    if (is_frame)
        snprintf(text, sizeof text, "0x%" PRIx64, code);
    if (is_frame && !is_bare)
        lines = frames->locations(frames->context, frame, &count);
    if (count == 0 && !is_bare) {
        lines = &unknown;
        count = 1;
    }
    return model_add_frame(writing->model, is_placed ? code_address(code) : 0,
                           is_placed ? mapping : 0, lines, count) != MODEL_NONE;
}

bool pprof_places_add(struct pprof_writing *writing)
{
    struct model *model = writing->model;
    bool done = add_modules(writing);
    for (size_t i = 0; !writing->export->unsymbolized && i < model->module_count; i++)
        model_module_set_named(&model->modules[i]);
    for (uint32_t i = 0; done && i < writing->location_count; i++)
        done = add_location(writing, writing->locations[i]);
    return done;
}
