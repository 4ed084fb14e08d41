/* Locations are numbered first, by use.  All else is numbered when it is first needed, and written
 * in an order in which that has always happened before: locations number functions and mappings,
 * all of them strings, which come last.  So nothing is kept but numbers.
 *
 * The writer of protocol buffers is our own (export/protobuf.h): a profile has as many samples as a
 * trace has stacks and sizes, and a generated one would hold them all as objects. */
#include "export/pprof.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/utf8.h"
#include "base/protobuf.h"
#include "export/pprof_stacks.h"
#include "pprof/events.h"
#include "pprof/fields.h"

static const char unit_count[] = "count", unit_bytes[] = "bytes", type_space[] = "space";

/* A mapping: a module, or the program where no module is it. */
struct mapping {
    const char *file;
    const struct heaptap_metadata *module; /* NULL for the program alone */
};

struct pprof_writing {
    const struct pprof_export *export;
    struct protobuf out;
    struct symbols functions;
    uint32_t *location_ids; /* by frame, 0 until it is needed; the last one is of no frame */
    uint32_t *locations;    /* frames in the order of their ids, from 1 */
    uint32_t location_count;
    struct mapping *mappings; /* in the order of their ids, from 1; the program first */
    size_t mapping_count;
    const char **strings; /* but for "", number 0; in the order of their numbers */
    size_t string_count, string_capacity;
    struct map string_numbers; /* by address */
    struct names made;         /* strings that are nobody else's */
    struct pprof_stacks stacks;
    double carry[PPROF_VALUES]; /* what rounding has left over */
    int time_unit;              /* index into pprof_time_units */
    int value_count;            /* of the types that are written */
    bool failed;                /* there was no memory */
};

/* ---- Strings ------------------------------------------------------------------------ */

static uint64_t string_number(struct pprof_writing *writing, const char *text)
{
    bool fresh;
    if (!text || !*text)
        return 0;
    uint32_t *number = map_put(&writing->string_numbers, (uint64_t)(uintptr_t)text,
                               (uint32_t)writing->string_count + 1, &fresh);
    if (number && fresh &&
        !ARRAY_RESERVE(&writing->strings, &writing->string_capacity, writing->string_count + 1))
        number = NULL;
    if (!number) {
        writing->failed = true;
        return 0;
    }
    if (fresh)
        writing->strings[writing->string_count++] = text;
    return *number;
}

static void put_string(struct pprof_writing *writing, unsigned field, const char *text)
{
    uint64_t number = string_number(writing, text);
    if (number)
        protobuf_number(&writing->out, field, number);
}

/* The same of text that doesn't last. */
static void put_made_string(struct pprof_writing *writing, unsigned field, const char *text,
                            size_t size)
{
    const char *made = names_intern(&writing->made, text, size);
    writing->failed |= !made;
    put_string(writing, field, made);
}

/* ---- Samples ------------------------------------------------------------------------ */

static void put_type(struct pprof_writing *writing, unsigned field, const char *name,
                     const char *unit)
{
    protobuf_begin(&writing->out, field);
    put_string(writing, TYPE_NAME, name);
    put_string(writing, TYPE_UNIT, unit);
    protobuf_end(&writing->out);
}

static void put_types(struct pprof_writing *writing)
{
    for (int i = 0; i < writing->value_count; i++)
        put_type(writing, PROFILE_SAMPLE_TYPE, pprof_value_names[i],
                 i == PPROF_LIFETIME ? pprof_time_units[writing->time_unit].name
                 : i % 2 == 0        ? unit_count
                                     : unit_bytes);
}

static void fill_values(const struct pprof_writing *writing, const struct block_group *group,
                        double *values)
{
    const struct estimate *estimate = &writing->export->groups->estimate;
    const struct block_sum *sums[] = {&group->allocated, &group->live, &group->promoted};
    for (int i = 0; i < 3; i++) {
        values[2 * i] = sums[i]->density / estimate->sample_rate;
        values[2 * i + 1] = estimate_bytes(estimate, sums[i]->samples);
    }
    values[PPROF_LIFETIME] =
        group->block_us / estimate->sample_rate * pprof_time_units[writing->time_unit].per_us;
}

/* How often each frame stands in the stacks of samples.  A node's number is above its caller's, so
 * one pass from the last adds up what stands above each. */
static bool count_frames(struct pprof_writing *writing, uint32_t *uses)
{
    const struct block_groups *groups = writing->export->groups;
    const struct stack_trie *trie = &groups->trie;
    uint32_t *through = calloc(trie->count, sizeof *through);
    for (size_t i = 0; through && i < groups->count; i++) {
        uint32_t node = trie->ends[groups->items[i].stack];
        through[node]++;
        uses[writing->export->frames->frame_count] += node == STACK_ROOT;
    }
    for (size_t node = trie->count; through && --node > STACK_ROOT;) {
        uses[trie->nodes[node].frame] += through[node];
        through[trie->nodes[node].parent] += through[node];
    }
    free(through);
    return through;
}

/* The code of a frame; of none, 0. */
static uint64_t code_of(const struct pprof_writing *writing, uint32_t frame)
{
    const struct frame_source *frames = writing->export->frames;
    return frame < frames->frame_count ? frames->code(frames->context, frame) : 0;
}

static int compare_codes(const void *left, const void *right, void *writing)
{
    uint64_t a = code_of(writing, *(const uint32_t *)left),
             b = code_of(writing, *(const uint32_t *)right);
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
static bool number_locations(struct pprof_writing *writing)
{
    enum { OF_ONE_BYTE = 127 };
    size_t frames = (size_t)writing->export->frames->frame_count + 1;
    uint32_t *uses = calloc(frames, sizeof *uses), count = 0;
    bool done = uses && count_frames(writing, uses);
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

static void put_sample(struct pprof_writing *writing, const struct block_group *group)
{
    const struct block_groups *groups = writing->export->groups;
    struct protobuf *out = &writing->out;
    double values[PPROF_VALUES];
    fill_values(writing, group, values);
    size_t size;
    const uint8_t *stack =
        pprof_stacks_pack(&writing->stacks, groups->trie.ends[group->stack], &size);
    protobuf_begin(out, PROFILE_SAMPLE);
    protobuf_bytes(out, SAMPLE_LOCATION, stack, size);
    protobuf_begin(out, SAMPLE_VALUE);
    for (int i = 0; i < writing->value_count; i++)
        protobuf_item(out, pprof_round(values[i], &writing->carry[i]));
    protobuf_end(out);
    if (groups->by_size) {
        protobuf_begin(out, SAMPLE_LABEL);
        put_string(writing, LABEL_KEY, unit_bytes);
        protobuf_number(out, LABEL_NUMBER, group->length * (writing->export->info->word_bits / 8));
        put_string(writing, LABEL_UNIT, unit_bytes);
        protobuf_end(out);
    }
    protobuf_end(out);
}

/* By place in the file: the group. */
static uint32_t *order_groups(const struct block_groups *groups)
{
    size_t stacks = groups->trie.stack_count, place = 0;
    uint32_t *by_place = pprof_stacks_order(&groups->trie);
    uint32_t *next = calloc(stacks + 1, sizeof *next);
    uint32_t *order = malloc((groups->count + 1) * sizeof *order);
    bool done = by_place && next && order;
    for (size_t i = 0; done && i < groups->count; i++)
        next[groups->items[i].stack]++;
    for (size_t i = 0; done && i < stacks; i++) {
        uint32_t count = next[by_place[i]];
        next[by_place[i]] = (uint32_t)place;
        place += count;
    }
    for (size_t i = 0; done && i < groups->count; i++)
        order[next[groups->items[i].stack]++] = (uint32_t)i;
    free(by_place);
    free(next);
    if (done)
        return order;
    free(order);
    return NULL;
}

/* Writes the groups depth first along their stacks: what is again as it was in the sample before
 * costs a compressor little.  Where events refer to samples, these stay in the order in which they
 * were first met. */
static void put_samples(struct pprof_writing *writing)
{
    const struct block_groups *groups = writing->export->groups;
    uint32_t *order = writing->export->events ? NULL : order_groups(groups);
    writing->failed |= !order && !writing->export->events;
    for (size_t i = 0; !writing->failed && i < groups->count; i++)
        put_sample(writing, &groups->items[order ? order[i] : i]);
    free(order);
}

static void choose_time_unit(struct pprof_writing *writing)
{
    const struct block_groups *groups = writing->export->groups;
    double total_us = 0;
    for (size_t i = 0; i < groups->count; i++)
        total_us += groups->items[i].block_us / groups->estimate.sample_rate;
    while (total_us * pprof_time_units[writing->time_unit].per_us >= PPROF_VALUE_MAX &&
           writing->time_unit < PPROF_TIME_UNITS - 1)
        writing->time_unit++;
}

/* ---- Mappings ----------------------------------------------------------------------- */

static bool is_same_module(const struct heaptap_metadata *a, const struct heaptap_metadata *b)
{
    return a->address == b->address && a->size_bytes == b->size_bytes &&
           strcmp(a->name, b->name) == 0 && a->file_offset == b->file_offset &&
           a->build_id_size == b->build_id_size &&
           memcmp(a->build_id, b->build_id, a->build_id_size) == 0;
}

static void add_mapping(struct pprof_writing *writing, const struct heaptap_metadata *module)
{
    for (size_t i = 0; i < writing->mapping_count; i++)
        if (writing->mappings[i].module && is_same_module(writing->mappings[i].module, module))
            return;
    writing->mappings[writing->mapping_count++] = (struct mapping){module->name, module};
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

bool pprof_export_has_modules(const struct pprof_export *export)
{
    for (size_t i = 0; i < export->metadata_count; i++)
        if (export->metadata[i].kind == HEAPTAP_MODULE)
            return true;
    return false;
}

/* A recorder's code is the address to which the frame returns, with a mark above 48 bits where
 * another module stood there before; pprof means the call. */
static uint64_t address_of(uint64_t code)
{
    return (code & ((UINT64_C(1) << 48) - 1)) - 1;
}

/* The index of the mapping that holds `address`: the last one loaded; -1 for none. */
static long mapping_of(const struct pprof_writing *writing, uint64_t address)
{
    for (long i = (long)writing->mapping_count - 1; i >= 0; i--) {
        const struct heaptap_metadata *module = writing->mappings[i].module;
        if (module && module->address <= address && address - module->address < module->size_bytes)
            return i;
    }
    return -1;
}

static void put_mapping(struct pprof_writing *writing, size_t index)
{
    const struct mapping *mapping = &writing->mappings[index];
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
        put_made_string(writing, MAPPING_BUILD_ID, build_id, strlen(build_id));
    }
    put_string(writing, MAPPING_FILE, mapping->file);
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
    uint64_t code = code_of(writing, frame);
    long mapping = is_frame ? mapping_of(writing, address_of(code)) : -1;
    protobuf_begin(&writing->out, PROFILE_LOCATION);
    protobuf_number(&writing->out, LOCATION_ID, id);
    protobuf_number(&writing->out, LOCATION_MAPPING, mapping < 0 ? 1 : (uint64_t)mapping + 1);
    if (mapping >= 0)
        protobuf_number(&writing->out, LOCATION_ADDRESS, address_of(code));
    if (mapping < 0 || !writing->export->unsymbolized)
        put_lines(writing, frame);
    protobuf_end(&writing->out);
}

static void put_function(struct pprof_writing *writing, size_t index)
{
    const struct symbol *symbol = &writing->functions.items[index];
    protobuf_begin(&writing->out, PROFILE_FUNCTION);
    protobuf_number(&writing->out, FUNCTION_ID, index + 1);
    put_string(writing, FUNCTION_NAME, symbol->function);
    put_string(writing, FUNCTION_FILE, symbol->file);
    protobuf_end(&writing->out);
}

/* ---- The rest ----------------------------------------------------------------------- */

static void put_comment(struct pprof_writing *writing, const char *what, const char *text)
{
    char *comment;
    if (!text || !*text)
        return;
    int size = asprintf(&comment, "%s%s", what, text);
    if (size < 0) {
        writing->failed = true;
        return;
    }
    put_made_string(writing, PROFILE_COMMENT, comment, (size_t)size);
    free(comment);
}

static const char *command_of(const struct pprof_export *export)
{
    for (size_t i = 0; i < export->metadata_count; i++)
        if (export->metadata[i].kind == HEAPTAP_PROPERTY &&
            strcmp(export->metadata[i].name, "command") == 0)
            return export->metadata[i].value;
    return export->info->executable;
}

static void put_time(struct pprof_writing *writing, unsigned field, int64_t time_us)
{
    int64_t time_ns;
    if (!__builtin_mul_overflow(time_us, 1000, &time_ns) && time_ns > 0)
        protobuf_number(&writing->out, field, (uint64_t)time_ns);
}

/* ---- Events ------------------------------------------------------------------------- */

static void begin_chunk(struct pprof_writing *writing)
{
    protobuf_begin(&writing->out, PROFILE_PERIOD_TYPE);
    put_string(writing, TYPE_NAME, type_space);
    put_string(writing, TYPE_UNIT, unit_bytes);
    protobuf_begin(&writing->out, TYPE_EVENTS);
}

static void end_chunk(struct pprof_writing *writing)
{
    protobuf_end(&writing->out);
    protobuf_end(&writing->out);
}

void pprof_export_chunk(struct pprof_writing *writing)
{
    begin_chunk(writing);
    pprof_events_put(writing->export->events, &writing->out);
    end_chunk(writing);
}

static void put_codes(struct pprof_writing *writing)
{
    uint64_t last = 0;
    protobuf_begin(&writing->out, CHUNK_CODES);
    for (uint32_t i = 0; i < writing->location_count; i++) {
        uint64_t code = code_of(writing, writing->locations[i]);
        protobuf_item(&writing->out, pprof_events_zigzag((int64_t)(code - last)));
        last = code;
    }
    protobuf_end(&writing->out);
}

/* The characters of each line of each location, as the profile has these. */
static void put_characters(struct pprof_writing *writing)
{
    const struct frame_source *frames = writing->export->frames;
    protobuf_begin(&writing->out, CHUNK_CHARACTERS);
    for (uint32_t i = 0; i < writing->location_count; i++) {
        size_t count = 0;
        const struct heaptap_location *locations =
            writing->locations[i] < frames->frame_count
                ? frames->locations(frames->context, writing->locations[i], &count)
                : NULL;
        while (count-- > 0) {
            protobuf_item(&writing->out, locations[count].start_char);
            protobuf_item(&writing->out, pprof_events_zigzag((int64_t)locations[count].end_char -
                                                             locations[count].start_char));
        }
    }
    protobuf_end(&writing->out);
}

/* Locations whose line is no more than their code in words. */
static void put_nameless(struct pprof_writing *writing)
{
    const struct frame_source *frames = writing->export->frames;
    protobuf_begin(&writing->out, CHUNK_NAMELESS);
    for (uint32_t i = 0; i < writing->location_count; i++) {
        size_t count = 1;
        if (writing->locations[i] < frames->frame_count)
            frames->locations(frames->context, writing->locations[i], &count);
        if (count == 0)
            protobuf_item(&writing->out, (uint64_t)i + 1);
    }
    protobuf_end(&writing->out);
}

/* The last chunk: what the profile itself has no place for. */
static void put_last_chunk(struct pprof_writing *writing)
{
    const struct pprof_export *export = writing->export;
    begin_chunk(writing);
    pprof_events_put(export->events, &writing->out);
    pprof_events_put_metadata(export->metadata, export->metadata_count, &writing->out);
    put_codes(writing);
    put_characters(writing);
    put_nameless(writing);
    if (writing->location_ids[export->frames->frame_count])
        protobuf_number(&writing->out, CHUNK_NO_FRAME,
                        writing->location_ids[export->frames->frame_count]);
    end_chunk(writing);
    writing->failed |= export->events->failed;
}

static void put_rest(struct pprof_writing *writing)
{
    const struct pprof_export *export = writing->export;
    double period = round(export->groups->estimate.bytes_per_sample);
    put_time(writing, PROFILE_TIME, export->info->start_us);
    put_time(writing, PROFILE_DURATION, export->groups->last_us);
    if (export->events)
        put_last_chunk(writing);
    else
        put_type(writing, PROFILE_PERIOD_TYPE, type_space, unit_bytes);
    protobuf_number(&writing->out, PROFILE_PERIOD, period < 0x1p62 ? (uint64_t)period : 1ULL << 62);
    put_comment(writing, "context: ", export->info->context);
    put_comment(writing, "command: ", command_of(export));
    if (export->with_host)
        put_comment(writing, "host: ", export->info->host);
    if (!export->complete)
        put_comment(writing, "", "the trace is cut or damaged: figures are those up to there");
    put_string(writing, PROFILE_DEFAULT_TYPE, pprof_value_names[PPROF_ALLOC_SPACE]);
}

static bool is_utf8(const char *text)
{
    uint32_t character = 0;
    while (*text && character != UTF8_BAD)
        text += utf8_decode(text, &character);
    return character != UTF8_BAD;
}

/* Strings of protocol buffers are UTF-8: what isn't becomes U+FFFD. */
static void put_text(struct pprof_writing *writing, const char *text)
{
    struct text clean = {0};
    if (is_utf8(text)) {
        protobuf_bytes(&writing->out, PROFILE_STRING, text, strlen(text));
        return;
    }
    while (*text) {
        uint32_t character;
        int size = utf8_decode(text, &character);
        if (character == UTF8_BAD)
            text_put_string(&clean, "\xef\xbf\xbd");
        else
            text_put(&clean, text, (size_t)size);
        text += size;
    }
    writing->failed |= clean.failed;
    protobuf_bytes(&writing->out, PROFILE_STRING, clean.bytes, clean.size);
    text_release(&clean);
}

/* Begins the file; where the trace has not been read yet, it is read now. */
static int begin(struct pprof_writing *writing)
{
    const struct pprof_export *export = writing->export;
    if (!export->events) {
        writing->value_count = PPROF_VALUES;
        choose_time_unit(writing);
        put_types(writing);
        return 0;
    }
    writing->value_count = PPROF_PROMOTED_OBJECTS;
    put_types(writing);
    return export->read(export->read_context, writing);
}

static bool prepare(struct pprof_writing *writing)
{
    size_t frames = (size_t)writing->export->frames->frame_count + 1;
    writing->location_ids = calloc(frames, sizeof *writing->location_ids);
    writing->locations = malloc(frames * sizeof *writing->locations);
    return writing->location_ids && writing->locations && find_mappings(writing) &&
           number_locations(writing) &&
           pprof_stacks_init(&writing->stacks, &writing->export->groups->trie,
                             writing->location_ids, writing->location_ids[frames - 1]);
}

static void put_everything(struct pprof_writing *writing)
{
    put_samples(writing);
    for (size_t i = 0; i < writing->mapping_count; i++)
        put_mapping(writing, i);
    for (uint32_t id = 1; id <= writing->location_count; id++)
        put_location(writing, id);
    for (size_t i = 0; i < writing->functions.count; i++)
        put_function(writing, i);
    put_rest(writing);
    put_text(writing, "");
    for (size_t i = 0; i < writing->string_count; i++)
        put_text(writing, writing->strings[i]);
}

int pprof_export_write(const struct pprof_export *export, struct heaptap_sink sink)
{
    struct pprof_writing writing = {.export = export};
    protobuf_init(&writing.out, sink);
    symbols_init(&writing.functions, GRAIN_FUNCTION);
    int code = begin(&writing);
    writing.failed |= code == 0 && !prepare(&writing);
    if (code == 0 && !writing.failed)
        put_everything(&writing);
    int finished = protobuf_finish(&writing.out);
    code = code ? code : finished;
    pprof_stacks_release(&writing.stacks);
    symbols_release(&writing.functions);
    map_release(&writing.string_numbers);
    names_release(&writing.made);
    free(writing.location_ids);
    free(writing.locations);
    free(writing.mappings);
    free(writing.strings);
    return writing.failed && code == 0 ? ENOMEM : code;
}
