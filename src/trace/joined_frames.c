#include "trace/joined_frames.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/code.h"

/* Above all addresses of programs: for what can't stand at its own address, as something else is there. */
static const uint64_t FREE_ADDRESSES = UINT64_C(1) << 47;
enum { PAGE_BYTES = 4096 };

void joined_frames_init(struct joined_frames *frames, struct heaptap_reader *joined)
{
    *frames = (struct joined_frames){.joined = joined, .next = FREE_ADDRESSES};
}

void joined_frames_release(struct joined_frames *frames)
{
    map_release(&frames->by_text);
    map_release(&frames->types);
    map_release(&frames->unmet);
}

void joined_part_release(struct joined_part *part)
{
    free(part->modules);
    free(part->frames);
    map_release(&part->types);
}

/* ---- Modules ------------------------------------------------------------------------- */

static bool is_same_module(const struct heaptap_metadata *a, const struct heaptap_metadata *b)
{
    return a->size_bytes == b->size_bytes && a->file_offset == b->file_offset &&
           a->build_id_size == b->build_id_size &&
           memcmp(a->build_id, b->build_id, a->build_id_size) == 0 && strcmp(a->name, b->name) == 0;
}

/* Of its first byte. */
static uint64_t code_of(const struct heaptap_metadata *module)
{
    return module->number << CODE_EPOCH_SHIFT | module->address;
}

static bool overlaps(const struct heaptap_reader *joined, uint64_t start, uint64_t size)
{
    for (size_t i = 0; i < joined->metadata_count; i++) {
        const struct heaptap_metadata *module = &joined->metadata[i];
        if (module->kind == HEAPTAP_MODULE && start < module->address + module->size_bytes &&
            module->address < start + size)
            return true;
    }
    return false;
}

/* NULL for none. */
static struct heaptap_metadata *find_module(const struct heaptap_reader *joined,
                                            const struct heaptap_metadata *like)
{
    for (size_t i = 0; i < joined->metadata_count; i++)
        if (joined->metadata[i].kind == HEAPTAP_MODULE &&
            is_same_module(&joined->metadata[i], like))
            return &joined->metadata[i];
    return NULL;
}

/* A place for a module that is the first of its kind.  NULL when there is no memory. */
static struct heaptap_metadata *add_module(struct joined_frames *frames,
                                           const struct heaptap_metadata *like)
{
    struct heaptap_reader *joined = frames->joined;
    bool is_taken = overlaps(joined, like->address, like->size_bytes);
    if (!ARRAY_RESERVE(&joined->metadata, &joined->metadata_capacity, joined->metadata_count + 1))
        return NULL;
    struct heaptap_metadata *module = &joined->metadata[joined->metadata_count++];
    *module = *like;
    if (is_taken) {
        module->address = frames->next;
        module->number = 0;
        frames->next += (like->size_bytes / PAGE_BYTES + 1) * PAGE_BYTES;
    }
    return module;
}

static bool take_module(struct joined_frames *frames, struct joined_part *part,
                        const struct heaptap_metadata *record, int64_t later_us)
{
    struct heaptap_metadata own = *record;
    own.loaded_us += later_us;
    own.unloaded_us += own.unloaded_us < 0 ? 0 : later_us;
    struct heaptap_metadata *module = find_module(frames->joined, &own);
    if (!module)
        module = add_module(frames, &own);
    if (!module || !ARRAY_RESERVE(&part->modules, &part->module_capacity, part->module_count + 1))
        return false;
    if (own.loaded_us < module->loaded_us)
        module->loaded_us = own.loaded_us;
    if (own.unloaded_us < 0 || module->unloaded_us < 0)
        module->unloaded_us = -1;
    else if (own.unloaded_us > module->unloaded_us)
        module->unloaded_us = own.unloaded_us;
    part->modules[part->module_count++] =
        (struct joined_module){own.address, own.size_bytes, own.number, code_of(module)};
    return true;
}

bool joined_part_add(struct joined_frames *frames, struct joined_part *part, int64_t later_us)
{
    size_t count;
    const struct heaptap_metadata *records = heaptap_reader_metadata(part->reader, &count);
    bool done = true, fresh;
    for (size_t i = 0; done && i < count; i++)
        if (records[i].kind == HEAPTAP_MODULE)
            done = take_module(frames, part, &records[i], later_us);
        else if (records[i].kind == HEAPTAP_TYPE)
            done = map_put(&part->types, records[i].number, (uint32_t)i, &fresh);
    return done;
}

/* NULL for none. */
static struct joined_module *module_of(const struct joined_part *part, uint64_t code)
{
    struct joined_module *modules = part->modules;
    size_t found = CODE_MODULE(i, part->module_count,
                               code_fit(code, modules[i].start, modules[i].size, modules[i].epoch));
    return found < part->module_count ? &modules[found] : NULL;
}

/* ---- Frames -------------------------------------------------------------------------- */

static uint64_t hash_text(uint64_t hash, const char *text)
{
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return hash * UINT64_C(0x9e3779b97f4a7c15) ^ hash >> 29;
}

/* Of a frame outside of modules: what tells it from others. */
static uint64_t hash_frame(uint64_t code, bool is_type, const struct heaptap_location *locations,
                           size_t count)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325) + is_type;
    if (count == 0)
        return hash ^ code * UINT64_C(0xd1342543de82ef95);
    for (size_t i = 0; i < count; i++) {
        hash = hash_text(hash_text(hash, locations[i].file), locations[i].function);
        hash = (hash ^ locations[i].line ^ (uint64_t)locations[i].start_char << 32 ^
                (uint64_t)locations[i].end_char << 48) *
               UINT64_C(0xd1342543de82ef95);
    }
    return hash;
}

static bool is_described(const struct heaptap_reader *joined, uint32_t frame,
                         const struct heaptap_location *locations, size_t count)
{
    size_t known_count;
    const struct heaptap_location *known =
        heaptap_reader_frame_locations(joined, frame, &known_count);
    if (known_count != count)
        return false;
    for (size_t i = 0; i < count; i++)
        if (known[i].line != locations[i].line || known[i].start_char != locations[i].start_char ||
            known[i].end_char != locations[i].end_char ||
            strcmp(known[i].file, locations[i].file) != 0 ||
            strcmp(known[i].function, locations[i].function) != 0)
            return false;
    return true;
}

/* The code itself, where no other frame and no module has it. */
static uint64_t free_code(struct joined_frames *frames, uint64_t code)
{
    if (!map_find(&frames->joined->frames.by_code, code) &&
        !overlaps(frames->joined, code_address(code), 1))
        return code;
    return frames->next++;
}

/* A frame outside of modules.  Two that only their hashes have in common have a frame each. */
static uint32_t find_by_text(struct joined_frames *frames, struct joined_part *part, uint64_t code,
                             const struct heaptap_location *locations, size_t count)
{
    bool fresh, is_type = map_find(&part->types, code);
    uint64_t hash = hash_frame(code, is_type, locations, count);
    uint32_t *known = map_put(&frames->by_text, hash, UINT32_MAX, &fresh);
    if (!known)
        return UINT32_MAX;
    if (!fresh && *known != UINT32_MAX && is_described(frames->joined, *known, locations, count))
        return *known;
    uint32_t number = frames_number(&frames->joined->frames, free_code(frames, code));
    if (fresh)
        *known = number;
    return number;
}

/* Has a code no frame yet that is described otherwise? */
static bool is_free_for(const struct joined_frames *frames, uint64_t code,
                        const struct heaptap_location *locations, size_t count)
{
    const struct frames *all = &frames->joined->frames;
    const uint32_t *number = map_find(&all->by_code, code);
    return !number || !all->items[*number].described ||
           is_described(frames->joined, *number, locations, count);
}

/* A module without a build id may be another file than that of the same name and size in another trace: it is where one place
 * of it is something else there.  Then it becomes another module, from here on.  False when there is no memory. */
static bool tell_apart(struct joined_frames *frames, struct joined_module *module, uint64_t offset,
                       const struct heaptap_location *locations, size_t count)
{
    const struct heaptap_reader *joined = frames->joined;
    const struct heaptap_metadata *found = NULL;
    for (size_t i = 0; !found && i < joined->metadata_count; i++)
        if (joined->metadata[i].kind == HEAPTAP_MODULE &&
            code_of(&joined->metadata[i]) == module->code)
            found = &joined->metadata[i];
    if (!found || found->build_id_size > 0)
        return true;
    const struct heaptap_metadata like = *found;
    for (size_t i = 0; i < joined->metadata_count; i++) {
        const struct heaptap_metadata *other = &joined->metadata[i];
        if (other->kind == HEAPTAP_MODULE && is_same_module(other, &like) &&
            is_free_for(frames, code_of(other) + offset, locations, count)) {
            module->code = code_of(other);
            return true;
        }
    }
    const struct heaptap_metadata *added = add_module(frames, &like);
    if (added)
        module->code = code_of(added);
    return added;
}

/* UINT32_MAX when there is no memory. */
static uint32_t find_in_module(struct joined_frames *frames, struct joined_module *module,
                               uint64_t code, const struct heaptap_location *locations,
                               size_t count)
{
    uint64_t offset = code_address(code) - module->start;
    bool is_free = count == 0 || is_free_for(frames, module->code + offset, locations, count);
    if (!is_free && !tell_apart(frames, module, offset, locations, count))
        return UINT32_MAX;
    return frames_number(&frames->joined->frames, module->code + offset);
}

uint32_t joined_frame_new(struct joined_frames *frames, struct joined_part *part, uint32_t frame)
{
    struct frames *all = &frames->joined->frames;
    size_t count;
    uint64_t code = heaptap_reader_frame_code(part->reader, frame);
    const struct heaptap_location *locations =
        heaptap_reader_frame_locations(part->reader, frame, &count);
    struct joined_module *module = code ? module_of(part, code) : NULL;
    if (!ARRAY_RESERVE(&part->frames, &part->frame_capacity, (size_t)frame + 1))
        return UINT32_MAX;
    while (part->frame_count <= frame)
        part->frames[part->frame_count++] = UINT32_MAX;
    uint32_t number = module ? find_in_module(frames, module, code, locations, count)
                      : code ? find_by_text(frames, part, code, locations, count)
                             : 0;
    if (number != UINT32_MAX && count > 0 && !all->items[number].described &&
        !frames_rename(all, number, locations, count))
        return UINT32_MAX;
    return part->frames[frame] = number;
}

/* ---- The end ------------------------------------------------------------------------- */

/* A code without a frame, because stacks were skipped for example, becomes the code that no frame has. */
static bool take_type(struct joined_frames *frames, struct joined_part *part,
                      const struct heaptap_metadata *record)
{
    struct heaptap_reader *joined = frames->joined;
    struct heaptap_metadata type = *record;
    uint32_t frame;
    bool fresh;
    bool is_met = heaptap_reader_find_frame(part->reader, record->number, &frame) &&
                  frame < part->frame_count && part->frames[frame] != UINT32_MAX;
    if (is_met)
        type.number = heaptap_reader_frame_code(joined, part->frames[frame]);
    if (!map_put(is_met ? &frames->types : &frames->unmet,
                 is_met ? type.number : hash_text(0, record->name), 0, &fresh))
        return false;
    if (!is_met && fresh)
        type.number = frames->next++;
    if (!fresh)
        return true;
    if (!ARRAY_RESERVE(&joined->metadata, &joined->metadata_capacity, joined->metadata_count + 1))
        return false;
    joined->metadata[joined->metadata_count++] = type;
    return true;
}

bool joined_part_finish(struct joined_frames *frames, struct joined_part *part)
{
    struct frames *all = &frames->joined->frames;
    size_t count;
    for (uint32_t frame = 0; frame < part->frame_count; frame++) {
        uint32_t number = part->frames[frame];
        const struct heaptap_location *locations =
            heaptap_reader_frame_locations(part->reader, frame, &count);
        if (number != UINT32_MAX && count > 0 && !all->items[number].described &&
            !frames_rename(all, number, locations, count))
            return false;
    }
    const struct heaptap_metadata *records = heaptap_reader_metadata(part->reader, &count);
    bool done = true;
    for (size_t i = 0; done && i < count; i++)
        if (records[i].kind == HEAPTAP_TYPE)
            done = take_type(frames, part, &records[i]);
    return done;
}
