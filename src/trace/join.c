#include "trace/join.h"

#include <stdlib.h>
#include <string.h>

#include "base/property.h"
#include "base/array.h"
#include "base/error.h"
#include "base/id_table.h"
#include "base/random.h"
#include "trace/joined_frames.h"

/* A joined id is the number of the trace, then how often the rate had been halved (base/coin.h), then the block. */
enum {
    BLOCK_BITS = 40,
    STEP_BITS = 6,
    STEP_SHIFT = 48, /* of the trace's own ids */
    TRACES_MAX = 1 << (64 - BLOCK_BITS - STEP_BITS),
};

struct joined_trace {
    struct heaptap_reader *reader;
    const char *name;
    struct joined_part part;
    unsigned first_domain; /* number of its domain 0 */
    int64_t later_us;      /* from the joined start to its own */
    double kept;           /* of its samples: the joined rate by its own */
    struct id_table
        alive; /* blocks that were not left out, with their domains, a uint16_t: but where only allocations are read */
    struct heaptap_event event; /* the next one */
    int64_t key_us;             /* its place in time, since the joined start */
    int64_t
        exit_us; /* when its process ended, since the joined start; INT64_MAX where it doesn't say */
    bool is_over;    /* there are no more events: key_us is exit_us */
    uint64_t offset; /* of the last event that was read */
};

struct joined_domain {
    uint32_t *stack; /* of its last allocation, in joined frames */
    size_t capacity;
    uint32_t
        shared; /* frames that allocations left out since the last one given have all shared; UINT32_MAX: there were none */
};

/* A block that is alive as its process ends. */
struct left_block {
    uint64_t id;
    uint16_t domain;
};

struct join {
    struct joined_trace *traces;
    size_t count;
    struct joined_frames frames;
    struct joined_domain *domains;
    unsigned domain_count;
    struct joined_trace *
        *heap; /* of those that have an event, or an end to be told; the earliest first */
    size_t heap_count, running; /* of which `running` have events */
    bool is_begun;
    struct joined_trace *delivered; /* whose event the caller is looking at */
    struct left_block *left;        /* of the process that ended last, to be told */
    size_t left_count, left_at;
    int64_t left_us;             /* when it ended */
    uint64_t offset;             /* bytes read, of all traces */
    struct heaptap_error damage; /* the first met, to be reported at the end */
};

static void release(struct heaptap_reader *reader)
{
    struct join *join = reader->join;
    for (size_t i = 0; i < join->count; i++) {
        joined_part_release(&join->traces[i].part);
        id_table_release(&join->traces[i].alive);
        heaptap_reader_close(join->traces[i].reader);
    }
    for (unsigned i = 0; join->domains && i < join->domain_count; i++)
        free(join->domains[i].stack);
    joined_frames_release(&join->frames);
    free(join->domains);
    free(join->left);
    free(join->heap);
    free(join->traces);
    free(join);
}

static uint64_t joined_id(const struct join *join, const struct joined_trace *trace, uint64_t id)
{
    return (uint64_t)(trace - join->traces) << (BLOCK_BITS + STEP_BITS) |
           id >> STEP_SHIFT << BLOCK_BITS | (id & ((UINT64_C(1) << BLOCK_BITS) - 1));
}

/* ---- Events -------------------------------------------------------------------------- */

/* What is wrong with one of them, with its name. */
static void name_error(struct heaptap_error *error, const struct joined_trace *trace,
                       const struct heaptap_error *met)
{
    *error = *met;
    error_set(error, met->status, "%.150s: %.160s", trace->name, met->message);
    error->offset = met->offset;
}

/* Damage ends the trace, and is kept for the end. */
static enum heaptap_status refill(struct join *join, struct joined_trace *trace, bool *has_event,
                                  struct heaptap_error *error)
{
    struct heaptap_error met = {0};
    enum heaptap_status status = heaptap_reader_next(trace->reader, &trace->event, &met);
    *has_event = status == HEAPTAP_OK;
    if (*has_event) {
        int64_t time_us = trace->event.time_us + trace->later_us;
        trace->key_us = time_us > trace->key_us ? time_us : trace->key_us;
    }
    if (status == HEAPTAP_BAD_INPUT && join->damage.status == HEAPTAP_OK)
        name_error(&join->damage, trace, &met);
    if (status == HEAPTAP_OK || status == HEAPTAP_END || status == HEAPTAP_BAD_INPUT)
        return HEAPTAP_OK;
    name_error(error, trace, &met);
    return status;
}

static bool is_earlier(const struct joined_trace *a, const struct joined_trace *b)
{
    return a->key_us != b->key_us     ? a->key_us < b->key_us
           : a->is_over != b->is_over ? b->is_over
                                      : a < b;
}

static void sink(struct join *join, size_t index)
{
    struct joined_trace **heap = join->heap, *moved = heap[index];
    for (size_t child; (child = 2 * index + 1) < join->heap_count; index = child) {
        if (child + 1 < join->heap_count && is_earlier(heap[child + 1], heap[child]))
            child++;
        if (!is_earlier(heap[child], moved))
            break;
        heap[index] = heap[child];
    }
    heap[index] = moved;
}

static enum heaptap_status fill_heap(struct join *join, struct heaptap_error *error)
{
    for (size_t i = 0; i < join->count; i++) {
        bool has_event;
        enum heaptap_status status = refill(join, &join->traces[i], &has_event, error);
        if (status != HEAPTAP_OK)
            return status;
        if (has_event)
            join->heap[join->heap_count++] = &join->traces[i];
    }
    join->running = join->heap_count;
    for (size_t i = join->heap_count / 2; i-- > 0;)
        sink(join, i);
    return HEAPTAP_OK;
}

/* ---- Ends of processes ---------------------------------------------------------------- */

static void add_left(void *context, uint64_t id, void *record)
{
    struct join *join = context;
    join->left[join->left_count++] = (struct left_block){id, *(uint16_t *)record};
}

static int compare_left(const void *left, const void *right)
{
    const struct left_block *a = left, *b = right;
    return a->id < b->id ? -1 : a->id > b->id;
}

/* The process ends: what is alive of it will be told, in order.  False when there is no memory. */
static bool leave(struct join *join, struct joined_trace *trace)
{
    struct left_block *left = realloc(join->left, (trace->alive.count + 1) * sizeof *left);
    if (!left)
        return false;
    join->left = left;
    join->left_count = join->left_at = 0;
    join->left_us = trace->key_us;
    id_table_each(&trace->alive, add_left, join);
    id_table_release(&trace->alive);
    qsort(left, join->left_count, sizeof *left, compare_left);
    return true;
}

static struct heaptap_event next_left(struct join *join)
{
    const struct left_block *block = &join->left[join->left_at++];
    return (struct heaptap_event){.kind = HEAPTAP_EXIT,
                                  .domain = block->domain,
                                  .time_us = join->left_us,
                                  .id = block->id,
                                  .offset = join->offset};
}

static void remove_first(struct join *join)
{
    join->heap[0] = join->heap[--join->heap_count];
    if (join->heap_count > 0)
        sink(join, 0);
}

static enum heaptap_status replace_delivered(struct join *join, struct heaptap_error *error)
{
    bool has_event;
    struct joined_trace *trace = join->delivered;
    enum heaptap_status status = refill(join, trace, &has_event, error);
    join->delivered = NULL;
    join->running -= !has_event;
    if (status != HEAPTAP_OK)
        return status;
    trace->is_over = !has_event;
    if (trace->is_over && trace->exit_us > trace->key_us)
        trace->key_us = trace->exit_us;
    if (trace->is_over && trace->exit_us == INT64_MAX)
        remove_first(join);
    else
        sink(join, 0);
    return HEAPTAP_OK;
}

/* ---- One event ------------------------------------------------------------------------ */

/* How many of a block's samples stay, which are the same in each reading. */
static uint64_t samples_kept(const struct joined_trace *trace, const struct heaptap_event *event)
{
    struct random random;
    random_init(&random, event->id);
    return trace->kept == 1 ? event->samples
                            : random_binomial(&random, event->samples, trace->kept);
}

/* Whether an event stays, and an allocation with how many samples; the id is the joined one.  False when there is no memory. */
static bool thin(const struct heaptap_reader *joined, struct joined_trace *trace,
                 struct heaptap_event *event, bool *is_left)
{
    bool fresh;
    if (event->kind == HEAPTAP_ALLOC) {
        event->samples = samples_kept(trace, event);
        *is_left = event->samples > 0;
        uint16_t *domain = *is_left && !joined->options.only_allocations
                               ? id_table_add(&trace->alive, event->id, &fresh)
                               : NULL;
        if (domain)
            *domain = event->domain;
        return domain || !*is_left || joined->options.only_allocations;
    }
    void *known = id_table_find(&trace->alive, event->id);
    *is_left = known || trace->kept == 1;
    if (known && event->kind == HEAPTAP_COLLECT)
        id_table_remove_found(&trace->alive, event->id, known);
    return true;
}

/* The stack in joined frames; what it shares with the last is there already. */
static bool translate(struct join *join, struct joined_trace *trace, struct joined_domain *domain,
                      struct heaptap_event *event)
{
    if (event->stack_length == 0)
        return true;
    if (!ARRAY_RESERVE(&domain->stack, &domain->capacity, event->stack_length))
        return false;
    for (uint32_t i = event->stack_shared; i < event->stack_length; i++) {
        domain->stack[i] = joined_frame(&join->frames, &trace->part, event->stack[i]);
        if (domain->stack[i] == UINT32_MAX)
            return false;
    }
    event->stack = domain->stack;
    return true;
}

/* With allocations left out, the stack shares less with the last one given. */
static void set_shared(struct joined_domain *domain, struct heaptap_event *event, bool is_left)
{
    if (domain->shared < event->stack_shared)
        event->stack_shared = domain->shared;
    if (domain->shared < event->common_prefix)
        event->common_prefix = domain->shared;
    domain->shared = is_left ? UINT32_MAX : event->stack_shared;
}

static enum heaptap_status take(const struct heaptap_reader *joined, struct joined_trace *trace,
                                struct heaptap_event *event, bool *is_left,
                                struct heaptap_error *error)
{
    struct join *join = joined->join;
    *event = trace->event;
    join->offset += event->offset - trace->offset;
    trace->offset = event->offset;
    if ((event->id & ((UINT64_C(1) << STEP_SHIFT) - 1)) >> BLOCK_BITS ||
        event->id >> STEP_SHIFT >> STEP_BITS)
        return error_set(error, HEAPTAP_BAD_ARGUMENT,
                         "%.150s: a block's number is too large to be read with other traces",
                         trace->name);
    event->domain = (uint16_t)(event->domain + trace->first_domain);
    event->id = joined_id(join, trace, event->id);
    struct joined_domain *domain = &join->domains[event->domain];
    if (!thin(joined, trace, event, is_left))
        return error_no_memory(error);
    if (event->kind == HEAPTAP_ALLOC) {
        if (!translate(join, trace, domain, event))
            return error_no_memory(error);
        set_shared(domain, event, *is_left);
    }
    event->time_us += trace->later_us;
    event->offset = join->offset;
    return HEAPTAP_OK;
}

/* ---- What is known of all ------------------------------------------------------------- */

static void sum_notes(struct heaptap_reader *joined)
{
    const struct join *join = joined->join;
    struct heaptap_reader_notes *sum = &joined->notes;
    *sum = (struct heaptap_reader_notes){0};
    for (size_t i = 0; i < join->count; i++) {
        const struct heaptap_reader_notes *own = heaptap_reader_notes(join->traces[i].reader);
        sum->bytes += own->bytes;
        sum->packets += own->packets;
        sum->foreign_packets += own->foreign_packets;
        sum->clock_steps += own->clock_steps;
        sum->shortened_stacks += own->shortened_stacks;
        sum->location_conflicts += own->location_conflicts;
        sum->damaged_location_offset =
            sum->damaged_locations ? sum->damaged_location_offset : own->damaged_location_offset;
        sum->damaged_locations += own->damaged_locations;
        sum->empty_gaps += own->empty_gaps;
        sum->open_packets += own->open_packets;
    }
}

static uint64_t stored_bytes(const struct heaptap_reader *reader)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < reader->join->count; i++)
        sum += heaptap_reader_stored_bytes(reader->join->traces[i].reader);
    return sum;
}

static const char *compression(const struct heaptap_reader *reader)
{
    return heaptap_reader_compression(reader->join->traces[0].reader);
}

static enum heaptap_status finish(struct heaptap_reader *reader, struct heaptap_error *error)
{
    struct join *join = reader->join;
    for (size_t i = 0; i < join->count; i++)
        if (!joined_part_finish(&join->frames, &join->traces[i].part))
            return error_no_memory(error);
    sum_notes(reader);
    *error = join->damage;
    return join->damage.status == HEAPTAP_OK ? HEAPTAP_END : join->damage.status;
}

/* The next event, or none where that is left out. */
static enum heaptap_status step(struct heaptap_reader *reader, struct heaptap_event *event,
                                bool *is_left, struct heaptap_error *error)
{
    struct join *join = reader->join;
    struct joined_trace *first = join->heap[0];
    *is_left = false;
    if (!first->is_over) {
        join->delivered = first;
        return take(reader, first, event, is_left, error);
    }
    if (!leave(join, first))
        return error_no_memory(error);
    remove_first(join);
    return HEAPTAP_OK;
}

static enum heaptap_status next(struct heaptap_reader *reader, struct heaptap_event *event,
                                struct heaptap_error *error)
{
    struct join *join = reader->join;
    bool is_left = false;
    enum heaptap_status status = HEAPTAP_OK;
    while (status == HEAPTAP_OK && !is_left) {
        if (join->left_at < join->left_count) {
            *event = next_left(join);
            return HEAPTAP_OK;
        }
        status = !join->is_begun   ? fill_heap(join, error)
                 : join->delivered ? replace_delivered(join, error)
                                   : HEAPTAP_OK;
        join->is_begun = true;
        if (status == HEAPTAP_OK)
            status =
                join->running > 0 ? step(reader, event, &is_left, error) : finish(reader, error);
    }
    return status;
}

/* ---- Opening -------------------------------------------------------------------------- */

static enum heaptap_status begin_again(struct heaptap_reader **reader,
                                       const struct heaptap_reader_options *options,
                                       struct heaptap_error *error)
{
    struct join *join = (*reader)->join;
    struct reader_ending ending = (*reader)->ending;
    struct heaptap_reader_options how = *options;
    size_t count = join->count;
    struct heaptap_reader **readers = calloc(count, sizeof *readers);
    const char **names = calloc(count, sizeof *names);
    enum heaptap_status status = readers && names ? HEAPTAP_OK : error_no_memory(error);
    how.order = HEAPTAP_TRUE_ORDER;
    for (size_t i = 0; status == HEAPTAP_OK && i < count; i++) {
        status = reader_begin_again(&join->traces[i].reader, &how, error);
        readers[i] = join->traces[i].reader;
        names[i] = join->traces[i].name;
    }
    for (size_t i = 0; status == HEAPTAP_OK && i < count; i++)
        join->traces[i].reader = NULL;
    heaptap_reader_close(*reader);
    *reader = NULL;
    if (status == HEAPTAP_OK)
        status = readers_join(reader, readers, names, count, error);
    if (status == HEAPTAP_OK)
        (*reader)->ending = ending;
    free(readers);
    free(names);
    return status;
}

static const struct reader_calls calls = {next, begin_again, stored_bytes, compression, release};

/* The trace that began first, which says what the joined one is; the lowest rate. */
static void take_info(struct heaptap_reader *joined)
{
    const struct join *join = joined->join;
    struct heaptap_trace_info *info = &joined->info;
    *info = join->traces[0].reader->info;
    double rate = info->sample_rate;
    for (size_t i = 1; i < join->count; i++) {
        const struct heaptap_trace_info *own = &join->traces[i].reader->info;
        if (own->sample_rate < rate)
            rate = own->sample_rate;
        if (own->start_us < info->start_us)
            *info = *own;
    }
    info->sample_rate = rate;
}

static enum heaptap_status check_words(const struct join *join, struct heaptap_error *error)
{
    const struct joined_trace *first = join->traces;
    for (size_t i = 1; i < join->count; i++)
        if (join->traces[i].reader->info.word_bits != first->reader->info.word_bits)
            return error_set(error, HEAPTAP_BAD_ARGUMENT,
                             "%.120s has words of %u bits, and %.120s of %u: they can't be read as "
                             "one",
                             first->name, first->reader->info.word_bits, join->traces[i].name,
                             join->traces[i].reader->info.word_bits);
    return HEAPTAP_OK;
}

/* One past the highest number of its domains, of those of its threads' records, too. */
static unsigned domain_end(const struct heaptap_reader *reader)
{
    unsigned end = reader->domain_end;
    for (size_t i = 0; i < reader->metadata_count; i++) {
        const struct heaptap_metadata *record = &reader->metadata[i];
        bool has_domain = record->kind == HEAPTAP_THREAD || record->kind == HEAPTAP_DROPS;
        if (has_domain && record->domain >= end)
            end = record->domain + 1u;
    }
    return end ? end : 1;
}

static bool has_property(const struct heaptap_reader *joined, const struct heaptap_metadata *record)
{
    const struct heaptap_metadata *known;
    for (size_t at = 0;
         (known = property_next(joined->metadata, joined->metadata_count, &at, record->name));)
        if (strcmp(known->value, record->value) == 0)
            return true;
    return false;
}

static bool add_record(struct heaptap_reader *joined, const struct heaptap_metadata *record)
{
    if (!ARRAY_RESERVE(&joined->metadata, &joined->metadata_capacity, joined->metadata_count + 1))
        return false;
    joined->metadata[joined->metadata_count++] = *record;
    return true;
}

/* Modules and ends have been taken, types will be.  Records of holders use the numbers and codes of their own trace. */
static bool take_record(struct heaptap_reader *joined, const struct joined_trace *trace,
                        const struct heaptap_metadata *record)
{
    struct heaptap_metadata own = *record;
    switch (record->kind) {
    case HEAPTAP_MODULE:
    case HEAPTAP_TYPE:
    case HEAPTAP_ENDED:
    case HEAPTAP_HOLDERS:
        return true;
    case HEAPTAP_PROPERTY:
        return has_property(joined, record) || add_record(joined, record);
    case HEAPTAP_THREAD:
    case HEAPTAP_DROPS:
        own.domain = (uint16_t)(own.domain + trace->first_domain);
        break;
    case HEAPTAP_STOPPED:
        own.number += (uint64_t)trace->later_us;
        break;
    default:
        own.begin_us += trace->later_us;
        own.end_us += trace->later_us;
    }
    return add_record(joined, &own);
}

/* The last that its recorder said. */
static int64_t exit_of(const struct joined_trace *trace)
{
    int64_t exit_us = INT64_MAX;
    for (size_t i = 0; i < trace->reader->metadata_count; i++)
        if (trace->reader->metadata[i].kind == HEAPTAP_ENDED)
            exit_us = trace->later_us + (int64_t)trace->reader->metadata[i].number;
    return exit_us;
}

static bool take_metadata(struct heaptap_reader *joined, struct joined_trace *trace)
{
    const struct heaptap_trace_info *info = &trace->reader->info;
    struct heaptap_metadata process = {.kind = HEAPTAP_PROCESS,
                                       .name = info->executable,
                                       .value = trace->name,
                                       .number = info->pid,
                                       .domain = (uint16_t)trace->first_domain,
                                       .begin_us = trace->later_us,
                                       .end_us = trace->exit_us};
    bool done = add_record(joined, &process) &&
                joined_part_add(&joined->join->frames, &trace->part, trace->later_us);
    for (size_t i = 0; done && i < trace->reader->metadata_count; i++)
        done = take_record(joined, trace, &trace->reader->metadata[i]);
    return done;
}

static enum heaptap_status take_traces(struct heaptap_reader *joined, struct heaptap_error *error)
{
    struct join *join = joined->join;
    int64_t ended_us = -1; /* the last of them */
    for (size_t i = 0; i < join->count; i++) {
        struct joined_trace *trace = &join->traces[i];
        trace->first_domain = join->domain_count;
        join->domain_count += domain_end(trace->reader);
        if (join->domain_count > DOMAIN_COUNT)
            return error_set(error, HEAPTAP_BAD_ARGUMENT,
                             "the traces have more than %d threads or domains: they can't be read "
                             "as one",
                             DOMAIN_COUNT);
        trace->later_us = trace->reader->info.start_us - joined->info.start_us;
        trace->kept = joined->info.sample_rate / trace->reader->info.sample_rate;
        trace->key_us = INT64_MIN;
        trace->exit_us = exit_of(trace);
        trace->part.reader = trace->reader;
        id_table_init(&trace->alive, sizeof(uint16_t));
        if (!take_metadata(joined, trace))
            return error_no_memory(error);
        ended_us =
            trace->exit_us != INT64_MAX && trace->exit_us > ended_us ? trace->exit_us : ended_us;
    }
    if (ended_us >= 0 &&
        !add_record(joined, &(struct heaptap_metadata){
                                .kind = HEAPTAP_ENDED, .name = "", .number = (uint64_t)ended_us}))
        return error_no_memory(error);
    join->domains = calloc(join->domain_count, sizeof *join->domains);
    if (!join->domains)
        return error_no_memory(error);
    for (unsigned i = 0; i < join->domain_count; i++)
        join->domains[i].shared = UINT32_MAX;
    return HEAPTAP_OK;
}

static enum heaptap_status set_up(struct heaptap_reader *joined, struct heaptap_error *error)
{
    struct join *join = joined->join;
    joined_frames_init(&join->frames, joined);
    take_info(joined);
    joined->options = join->traces[0].reader->options;
    joined->only = &joined->cursor;
    if (!frames_init(&joined->frames))
        return error_no_memory(error);
    enum heaptap_status status = check_words(join, error);
    if (status == HEAPTAP_OK)
        status = take_traces(joined, error);
    sum_notes(joined);
    return status;
}

/* A reader with nothing in it but the traces; NULL, with these closed, when there is no memory. */
static struct heaptap_reader *new_reader(struct heaptap_reader **readers, const char *const *names,
                                         size_t count)
{
    struct heaptap_reader *joined = calloc(1, sizeof *joined);
    struct join *join = calloc(1, sizeof *join);
    struct joined_trace *traces = calloc(count, sizeof *traces);
    struct joined_trace **heap = calloc(count, sizeof(struct joined_trace *));
    if (!joined || !join || !traces || !heap) {
        for (size_t i = 0; i < count; i++)
            heaptap_reader_close(readers[i]);
        free(joined);
        free(join);
        free(traces);
        free(heap);
        return NULL;
    }
    *join = (struct join){.traces = traces, .count = count, .heap = heap};
    for (size_t i = 0; i < count; i++) {
        traces[i].reader = readers[i];
        traces[i].name = names[i];
    }
    joined->calls = &calls;
    joined->join = join;
    return joined;
}

enum heaptap_status readers_join(struct heaptap_reader **joined, struct heaptap_reader **readers,
                                 const char *const *names, size_t count,
                                 struct heaptap_error *error)
{
    struct heaptap_reader *reader = new_reader(readers, names, count);
    *joined = NULL;
    if (!reader)
        return error_no_memory(error);
    enum heaptap_status status =
        count > TRACES_MAX ? error_set(error, HEAPTAP_BAD_ARGUMENT,
                                       "more than %d traces can't be read as one", TRACES_MAX)
                           : set_up(reader, error);
    if (status == HEAPTAP_OK)
        *joined = reader;
    else
        heaptap_reader_close(reader);
    return status;
}
