/* The chunks are found where the header says, if they lie in the file whole.  Then each item is
 * looked at once: what it refers to must be there, and a node's caller must come before it, so that
 * no stack goes in a circle.  After that the profile is written as by the process itself. */
#include "tap/gather/restore.h"

#include <string.h>

#include "base/coin.h"
#include "tap/inside/fail.h"
#include "tap/inside/pages.h"
#include "tap/gather/profile.h"

struct restoring {
    struct heaptap_pprof *profile;
    struct kept *kept;
    char *bytes;
    size_t size;
    uint64_t damaged;
};

static void *item(const struct restoring *restoring, enum kept_array array, uint32_t number)
{
    return store_peek(&restoring->profile->stores[array], number, pprof_item_bytes()[array]);
}

/* ---- The header --------------------------------------------------------------------- */

static bool is_time(int64_t time_us)
{
    return time_us >= 0 && time_us < INT64_C(1) << 60;
}

static bool is_sound(const struct kept *kept, size_t size)
{
    return size >= sizeof *kept && kept->magic == KEPT_MAGIC &&
           kept->header_bytes == sizeof *kept &&
           memcmp(kept->item_bytes, pprof_item_bytes(), sizeof kept->item_bytes) == 0 &&
           kept->rate > 0 && kept->rate <= 1 && kept->word_bytes > 0 && kept->word_bytes <= 8 &&
           kept->header_words <= 1 && kept->max_frames > 0 && kept->max_frames <= 1 << 16 &&
           kept->halvings <= COIN_STEPS_MAX && is_time(kept->start_us) && is_time(kept->said_us) &&
           is_time(kept->saying_us);
}

/* Items that are put right must not be others at the same time. */
static bool is_free(const struct restoring *restoring, const char *from, size_t bytes)
{
    for (unsigned array = 0; array < KEPT_ARRAYS; array++)
        for (unsigned i = 0; i < STORE_CHUNKS; i++) {
            const char *other = restoring->profile->stores[array].chunks[i];
            if (other && from < other + store_chunk_bytes(i, pprof_item_bytes()[array]) &&
                other < from + bytes)
                return false;
        }
    return true;
}

static void find_chunks(struct restoring *restoring)
{
    _Static_assert(sizeof(struct kept) <= 4096, "the header is the first page");
    for (unsigned array = 0; array < KEPT_ARRAYS; array++)
        for (unsigned i = 0; i < STORE_CHUNKS; i++) {
            uint64_t offset = restoring->kept->chunks[array][i];
            size_t bytes = store_chunk_bytes(i, pprof_item_bytes()[array]);
            if (offset == 0)
                continue;
            if (offset % 4096 == 0 && offset < restoring->size &&
                bytes <= restoring->size - offset &&
                is_free(restoring, restoring->bytes + offset, bytes))
                restoring->profile->stores[array].chunks[i] = restoring->bytes + offset;
            else
                restoring->damaged++;
        }
}

/* Counts that lead beyond the chunks are cut. */
static uint32_t reached(const struct restoring *restoring, enum kept_array array, uint32_t count)
{
    uint32_t end = 0;
    for (unsigned chunk = 0; chunk < STORE_CHUNKS; chunk++) {
        if (!restoring->profile->stores[array].chunks[chunk])
            break;
        uint64_t next = ((UINT64_C(2) << chunk) - 1) << STORE_FIRST_BITS;
        end = next > UINT32_MAX ? UINT32_MAX : (uint32_t)next;
    }
    return count < end ? count : end;
}

static void cut_counts(struct restoring *restoring)
{
    struct kept *kept = restoring->kept;
    const struct kept before = *kept;
    kept->string_count = reached(restoring, KEPT_STRINGS, before.string_count);
    kept->line_count = reached(restoring, KEPT_LINES, before.line_count);
    kept->frame_count = before.frame_count < UINT32_MAX ? before.frame_count : 0;
    uint32_t frames = reached(restoring, KEPT_FRAMES, kept->frame_count + 1);
    kept->frame_count = frames ? frames - 1 : 0;
    uint32_t functions = reached(restoring, KEPT_FUNCTIONS, before.function_count + 1);
    kept->function_count = functions ? functions - 1 : 0;
    uint32_t modules = reached(restoring, KEPT_MODULES, before.module_count + 1);
    kept->module_count = modules ? modules - 1 : 0;
    if (kept->stopped_size > sizeof kept->stopped)
        kept->stopped_size = 0;
    if (kept->executable >= kept->string_count)
        kept->executable = 0;
    if (kept->context >= kept->string_count)
        kept->context = 0;
    if (kept->program > kept->module_count)
        kept->program = 0;
}

/* ---- Items -------------------------------------------------------------------------- */

static void check_strings(struct restoring *restoring)
{
    for (uint32_t i = 0; i < restoring->kept->string_count; i++) {
        struct string *string = item(restoring, KEPT_STRINGS, i);
        uint32_t within, unit = sizeof(struct text_unit);
        unsigned chunk = store_chunk_of(string->text, &within);
        uint64_t room =
            chunk < STORE_CHUNKS ? (store_chunk_bytes(chunk, 1) - within) * (uint64_t)unit : 0;
        if (!item(restoring, KEPT_TEXT, string->text) || string->size > room) {
            *string = (struct string){0};
            restoring->damaged++;
        }
    }
}

static void check_functions(struct restoring *restoring)
{
    uint32_t strings = restoring->kept->string_count;
    for (uint32_t i = 1; i <= restoring->kept->function_count; i++) {
        struct function *function = item(restoring, KEPT_FUNCTIONS, i);
        if (function->name < strings && function->file < strings)
            continue;
        *function = (struct function){0};
        restoring->damaged++;
    }
}

static void check_lines(struct restoring *restoring)
{
    for (uint32_t i = 0; i < restoring->kept->line_count; i++) {
        struct line *line = item(restoring, KEPT_LINES, i);
        if (line->function <= restoring->kept->function_count)
            continue;
        line->function = 0;
        restoring->damaged++;
    }
}

static void check_modules(struct restoring *restoring)
{
    uint32_t strings = restoring->kept->string_count;
    for (uint32_t i = 1; i <= restoring->kept->module_count; i++) {
        struct module *module = item(restoring, KEPT_MODULES, i);
        if (module->file < strings && module->build_id < strings)
            continue;
        module->file = module->build_id = 0;
        restoring->damaged++;
    }
}

static void check_frames(struct restoring *restoring)
{
    const struct kept *kept = restoring->kept;
    for (uint32_t i = 1; i <= kept->frame_count; i++) {
        struct frame *frame = item(restoring, KEPT_FRAMES, i);
        if (frame->module <= kept->module_count && frame->line_count <= kept->line_count &&
            frame->first_line <= kept->line_count - frame->line_count)
            continue;
        frame->module = frame->first_line = frame->line_count = 0;
        restoring->damaged++;
    }
}

/* Runs of numbers are taken before all of them are in use. */
static void check_nodes(struct restoring *restoring)
{
    uint32_t end = restoring->kept->node_numbers;
    for (uint32_t i = 1; i < end; i++) {
        struct node *node = item(restoring, KEPT_NODES, i);
        if (!node || node->frame == 0)
            continue;
        const struct node *parent =
            node->parent < i ? item(restoring, KEPT_NODES, node->parent) : NULL;
        if (node->frame <= restoring->kept->frame_count && parent &&
            (node->parent == 0 || parent->frame))
            continue;
        node->frame = 0;
        restoring->damaged++;
    }
}

/* Stacks are at most so deep that the writer has room for one. */
static bool is_whole(const struct restoring *restoring, uint32_t number)
{
    uint32_t depth = 0;
    while (number) {
        const struct node *node =
            number < restoring->kept->node_numbers ? item(restoring, KEPT_NODES, number) : NULL;
        if (!node || !node->frame || ++depth > restoring->kept->max_frames)
            return false;
        number = node->parent;
    }
    return true;
}

static void check_groups(struct restoring *restoring)
{
    for (uint32_t i = 1; i < restoring->kept->group_numbers; i++) {
        struct group *group = item(restoring, KEPT_GROUPS, i);
        if (!group || !group->node ||
            (is_whole(restoring, group->node - 1) && group->halvings <= restoring->kept->halvings))
            continue;
        group->node = 0;
        restoring->damaged++;
    }
}

/* Numbers that no chunk is for are not gone through one by one. */
static void cut_numbers(struct restoring *restoring)
{
    struct kept *kept = restoring->kept;
    kept->node_numbers = reached(restoring, KEPT_NODES, kept->node_numbers);
    kept->group_numbers = reached(restoring, KEPT_GROUPS, kept->group_numbers);
}

/* ---- All ---------------------------------------------------------------------------- */

/* If the interval's file existed when the process died, its figures are used. */
static void settle_intervals(struct restoring *restoring, uint64_t written)
{
    const struct kept *kept = restoring->kept;
    if (kept->saying_number == written && kept->said_number != written)
        pprof_said(restoring->profile);
}

enum heaptap_status pprof_restore(struct heaptap_pprof **result, void *bytes, size_t size,
                                  uint64_t written, uint64_t *damaged, struct heaptap_error *error)
{
    struct restoring restoring = {.kept = bytes, .bytes = bytes, .size = size};
    *result = NULL;
    if (size < sizeof *restoring.kept || !is_sound(restoring.kept, size))
        return fail(error, HEAPTAP_BAD_INPUT, "this is not what a process was gathering");
    struct heaptap_pprof *profile = restoring.profile = pages_map(sizeof *profile);
    if (!profile)
        return fail_memory(error);
    profile->kept = restoring.kept;
    profile->borrowed = true;
    profile->start_us = restoring.kept->start_us;
    profile->max_frames = restoring.kept->max_frames;
    find_chunks(&restoring);
    names_find(profile);
    cut_counts(&restoring);
    cut_numbers(&restoring);
    check_strings(&restoring);
    check_functions(&restoring);
    check_lines(&restoring);
    check_modules(&restoring);
    check_frames(&restoring);
    check_nodes(&restoring);
    check_groups(&restoring);
    if (restoring.kept->string_count < STRING_TIME_UNITS + PPROF_TIME_UNITS ||
        restoring.kept->frame_count < FRAME_UNKNOWN) {
        heaptap_pprof_free(profile);
        return fail(error, HEAPTAP_BAD_INPUT, "what a process was gathering is damaged");
    }
    settle_intervals(&restoring, written);
    *damaged = restoring.damaged;
    *result = profile;
    return HEAPTAP_OK;
}

void pprof_restored_look(const struct heaptap_pprof *profile, struct pprof_restored *restored)
{
    const struct kept *kept = profile->kept;
    *restored = (struct pprof_restored){.pid = kept->pid,
                                        .recording = kept->recording,
                                        .last_us = kept->last_us,
                                        .intervals = kept->intervals != 0,
                                        .number = kept->said_number,
                                        .saying_number = kept->saying_number,
                                        .saying_us = kept->saying_us};
}
