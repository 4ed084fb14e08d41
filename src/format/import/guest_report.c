#include "format/import/guest_report.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/error.h"
#include "base/saturate.h"
#include "spec/guest_report.h"

/* The parts of a file that are in use, copied: the file can change while it is read. */
struct report_copy {
    struct guest_report_header header;
    void *section[GUEST_SECTIONS];
    uint32_t used[GUEST_SECTIONS];
};

_Static_assert((int)GUEST_BLOCK == (int)GUEST_WEIGHT_ONE, "the model has the file's weights");

static const uint32_t record_bytes[GUEST_SECTIONS] = {
    [GUEST_STRINGS] = 1,
    [GUEST_LOCATIONS] = sizeof(struct guest_location),
    [GUEST_TYPES] = sizeof(uint32_t),
    [GUEST_NODES] = sizeof(struct guest_node),
    [GUEST_ROWS] = sizeof(struct guest_row),
};

/* ---- The file ------------------------------------------------------------------------------ */

static enum heaptap_status read_at(int fd, void *to, size_t size, uint64_t offset,
                                   struct heaptap_error *error)
{
    for (size_t done = 0; done < size;) {
        ssize_t got = pread(fd, (char *)to + done, size - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return error_system(error, "reading");
        if (got == 0)
            return error_at(error, offset + done, "the report is cut short");
        done += (size_t)got;
    }
    return HEAPTAP_OK;
}

static enum heaptap_status check_header(struct guest_report_header *header,
                                        struct heaptap_error *error)
{
    if (memcmp(header->magic, GUEST_REPORT_MAGIC, sizeof GUEST_REPORT_MAGIC) != 0 ||
        header->header_bytes != sizeof *header)
        return error_at(error, 0, "this is not a report of a guest heap");
    if (!(header->rate > 0 && header->rate <= 1))
        return error_at(error, 0, "the sampling rate is not in (0, 1]");
    for (int i = 0; i < GUEST_SECTIONS; i++)
        if (header->sections[i].record_bytes != record_bytes[i] ||
            header->sections[i].used > header->sections[i].capacity || header->sections[i].used < 1)
            return error_at(error, 0, "section %d of the report makes no sense", i);
    header->language[sizeof header->language - 1] = 0;
    header->script[sizeof header->script - 1] = 0;
    header->executable[sizeof header->executable - 1] = 0;
    header->trace[sizeof header->trace - 1] = 0;
    for (int i = 0; i < GUEST_NOTES; i++)
        header->note[i][GUEST_NOTE_BYTES - 1] = 0;
    return HEAPTAP_OK;
}

static enum heaptap_status read_section(int fd, struct report_copy *copy, int section,
                                        struct heaptap_error *error)
{
    const struct guest_section *it = &copy->header.sections[section];
    struct stat file;
    uint64_t size = (uint64_t)it->used * it->record_bytes;
    if (fstat(fd, &file) != 0)
        return error_system(error, "reading");
    if (it->offset > (uint64_t)file.st_size || size > (uint64_t)file.st_size - it->offset)
        return error_at(error, it->offset, "the report is cut short");
    copy->section[section] = malloc(size);
    if (!copy->section[section])
        return error_no_memory(error);
    copy->used[section] = it->used;
    return read_at(fd, copy->section[section], size, it->offset, error);
}

static enum heaptap_status copy_open(const char *path, struct report_copy *copy, bool whole,
                                     struct heaptap_error *error)
{
    *copy = (struct report_copy){0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return error_system(error, "opening");
    enum heaptap_status status = read_at(fd, &copy->header, sizeof copy->header, 0, error);
    if (status == HEAPTAP_OK)
        status = check_header(&copy->header, error);
    /* Rows first: names are written before the rows that use them. */
    for (int i = GUEST_SECTIONS - 1; i >= 0 && whole && status == HEAPTAP_OK; i--) {
        status = read_section(fd, copy, i, error);
        if (status == HEAPTAP_OK && i > 0) {
            struct guest_report_header now;
            status = read_at(fd, &now, sizeof now, 0, error);
            if (status == HEAPTAP_OK && (status = check_header(&now, error)) == HEAPTAP_OK)
                copy->header.sections[i - 1] = now.sections[i - 1];
        }
    }
    close(fd);
    return status;
}

static void copy_release(struct report_copy *copy)
{
    for (int i = 0; i < GUEST_SECTIONS; i++)
        free(copy->section[i]);
}

/* ---- Names ------------------------------------------------------------------------ */

static const char *string_at(const struct report_copy *copy, uint32_t offset)
{
    const char *strings = copy->section[GUEST_STRINGS];
    uint32_t used = copy->used[GUEST_STRINGS];
    if (offset >= used || !memchr(strings + offset, 0, used - offset))
        return "";
    return strings + offset;
}

static uint32_t site_of(struct guest_profile *profile, const struct report_copy *copy,
                        uint32_t location)
{
    if (location >= copy->used[GUEST_LOCATIONS])
        return 0;
    const struct guest_location *it =
        (const struct guest_location *)copy->section[GUEST_LOCATIONS] + location;
    return guest_profile_site(profile, string_at(copy, it->file), string_at(copy, it->function),
                              it->line);
}

/* Each node in the profile: parents come before their children; the root stands for what has no place.  NULL without
 * memory. */
static uint32_t *map_nodes(struct guest_profile *profile, const struct report_copy *copy)
{
    const struct guest_node *nodes = copy->section[GUEST_NODES];
    uint32_t count = copy->used[GUEST_NODES], *map = calloc(count, sizeof *map);
    bool done = map;
    for (uint32_t i = 1; done && i < count; i++) {
        uint32_t parent = nodes[i].parent < i ? map[nodes[i].parent] : STACK_ROOT;
        uint32_t site = site_of(profile, copy, nodes[i].location);
        map[i] = site == UINT32_MAX ? UINT32_MAX : guest_profile_node(profile, parent, site);
        done = map[i] != UINT32_MAX;
    }
    if (done)
        map[0] = guest_profile_node(profile, STACK_ROOT, 0);
    if (done && map[0] != UINT32_MAX)
        return map;
    free(map);
    return NULL;
}

static uint32_t type_of(struct guest_profile *profile, const struct report_copy *copy,
                        uint32_t type)
{
    return type < copy->used[GUEST_TYPES]
               ? guest_profile_type(
                     profile, string_at(copy, ((const uint32_t *)copy->section[GUEST_TYPES])[type]))
               : 0;
}

/* ---- Rows ------------------------------------------------------------------------- */

static double blocks(uint64_t weight)
{
    return (double)weight / GUEST_WEIGHT_ONE;
}

/* What a file says may be more than a model has room for, or make no sense. */
static int64_t whole(uint64_t value)
{
    return value > INT64_MAX ? INT64_MAX : (int64_t)value;
}

static int64_t rounded(double value)
{
    return value >= 0 ? saturate_round(round(value)) : 0;
}

/* Of the live blocks: bytes allocated since their births. */
static double live_age_sum(const struct guest_row *row, uint64_t live, uint64_t clock)
{
    return live % GUEST_WEIGHT_ONE == 0
               ? (double)(int64_t)(live / GUEST_WEIGHT_ONE * clock - row->birth_sum)
               : blocks(live) * (double)clock - (double)row->birth_sum;
}

static void set_values(int64_t values[GUEST_VALUES], const struct guest_row *row, uint64_t clock)
{
    uint64_t live = row->allocated + row->resized - row->left - row->freed;
    values[GUEST_LIVE] = whole(live);
    values[GUEST_LIVE_BYTES] = whole(row->live_bytes);
    values[GUEST_COUNT] = whole(row->allocated);
    values[GUEST_BYTES] = whole(row->bytes);
    values[GUEST_SAMPLES] = whole(row->samples);
    values[GUEST_START_COUNT] = whole(row->start_allocated);
    values[GUEST_START_BYTES] = whole(row->start_bytes);
    values[GUEST_RESIZED] = whole(row->resized);
    values[GUEST_LEFT] = whole(row->left);
    values[GUEST_FREED] = whole(row->freed);
    values[GUEST_PEAK_BYTES] = whole(row->peak_bytes);
    values[GUEST_PROMOTED] = whole(row->promoted);
    values[GUEST_PROMOTED_BYTES] = whole(row->promoted_bytes);
    values[GUEST_TEMPORARY] = whole(row->temporary);
    values[GUEST_AGE_SUM] = rounded(row->age_sum);
    values[GUEST_LIVE_AGE_SUM] = rounded(live_age_sum(row, live, clock));
}

/* Where the blocks of a row come from; UINT32_MAX without memory. */
static uint32_t node_of(struct guest_profile *profile, const struct report_copy *copy,
                        const struct guest_row *row, const uint32_t *nodes)
{
    if (copy->header.flags & GUEST_HAS_STACKS)
        return nodes[row->site < copy->used[GUEST_NODES] ? row->site : 0];
    uint32_t site = site_of(profile, copy, row->site);
    return site == UINT32_MAX ? site : guest_profile_node(profile, STACK_ROOT, site);
}

static bool add_row(struct guest_profile *profile, const struct report_copy *copy,
                    const struct guest_row *row, const uint32_t *nodes, uint32_t heap)
{
    uint32_t node = node_of(profile, copy, row, nodes), type = type_of(profile, copy, row->type);
    int64_t values[GUEST_VALUES];
    set_values(values, row, copy->header.clock);
    return node != UINT32_MAX && type != UINT32_MAX &&
           guest_profile_add_row(profile, node, type, heap, values);
}

static bool add_rows(struct guest_profile *profile, const struct report_copy *copy, uint32_t heap)
{
    const struct guest_row *rows = copy->section[GUEST_ROWS];
    uint32_t *nodes = map_nodes(profile, copy);
    bool added = nodes != NULL;
    for (uint32_t i = 0; added && i < copy->used[GUEST_ROWS]; i++)
        if (rows[i].allocated || rows[i].resized)
            added = add_row(profile, copy, &rows[i], nodes, heap);
    free(nodes);
    return added;
}

/* ---- Header ----------------------------------------------------------------------- */

static bool add_note(struct guest_profile *profile, const char *sentence)
{
    const char *note = guest_profile_name(profile, sentence);
    if (!ARRAY_RESERVE(&profile->notes, &profile->note_capacity, profile->note_count + 1))
        return false;
    if (note)
        profile->notes[profile->note_count++] = note;
    return true;
}

static bool add_notes(struct guest_profile *profile, const struct guest_report_header *header)
{
    static const char full[] =
        "there was no room for all lines, types and stacks: what was allocated at others counts "
        "for (no location)";
    uint32_t first = header->notes > GUEST_NOTES ? header->notes - GUEST_NOTES : 0;
    for (uint32_t i = first; i < header->notes; i++)
        if (!add_note(profile, header->note[i % GUEST_NOTES]))
            return false;
    return !(header->flags & GUEST_IS_FULL) || add_note(profile, full);
}

static bool add_heap(struct guest_profile *profile, const struct guest_report_header *header)
{
    if (profile->heap_count == 0) {
        profile->pid = header->pid;
        profile->parent_pid = header->parent_pid;
        profile->start_us = header->start_us;
        profile->forked = header->flags & GUEST_IS_FORK;
        profile->executable = guest_profile_name(profile, header->executable);
        profile->trace = guest_profile_name(profile, header->trace);
    }
    if (!profile->script)
        profile->script = guest_profile_name(profile, header->script);
    profile->stacks |= (header->flags & GUEST_HAS_STACKS) != 0;
    profile->fast |= (header->flags & GUEST_IS_FAST) != 0;
    const char *language = guest_profile_name(profile, header->language);
    struct guest_heap heap = {
        .language = language ? language : "",
        .rate = header->rate,
        .allocated = blocks(header->allocated),
        .clock = (double)header->clock,
        .live_bytes = (double)header->live_bytes,
        .peak_bytes = (double)header->peak_bytes,
        .start_live_bytes = (double)header->start_live_bytes,
        .unknown_frees = (double)header->unknown_frees,
        .collections = (double)header->collections,
        .before_blocks = (double)header->before_blocks,
        .before_bytes = (double)header->before_bytes,
        .lost_samples = (double)header->lost_samples,
        .stopped = header->flags & GUEST_IS_STOPPED,
    };
    return guest_profile_add_heap(profile, &heap) && add_notes(profile, header);
}

/* What comes first in the file is written last. */
bool guest_report_has_begun(const char *path)
{
    char first = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool has_begun = fd < 0 || (read(fd, &first, 1) == 1 && first);
    if (fd >= 0)
        close(fd);
    return has_begun;
}

enum heaptap_status guest_report_identify(const char *path, struct guest_report_identity *identity,
                                          struct heaptap_error *error)
{
    struct report_copy copy;
    enum heaptap_status status = copy_open(path, &copy, false, error);
    if (status != HEAPTAP_OK)
        return status;
    *identity = (struct guest_report_identity){
        .pid = copy.header.pid, .heap = copy.header.heap, .start_us = copy.header.start_us};
    memcpy(identity->executable, copy.header.executable, sizeof identity->executable);
    return HEAPTAP_OK;
}

enum heaptap_status guest_report_read(struct guest_profile *profile, const char *path,
                                      struct heaptap_error *error)
{
    struct report_copy copy;
    enum heaptap_status status = copy_open(path, &copy, true, error);
    if (status == HEAPTAP_OK && (!add_heap(profile, &copy.header) ||
                                 !add_rows(profile, &copy, (uint32_t)profile->heap_count - 1)))
        status = error_no_memory(error);
    copy_release(&copy);
    map_release(&profile->model->samples.rows); /* another heap has rows of its own */
    return status;
}
