/* The events of several traces in the order of time: of those that have one, the earliest is on top of a heap.  A process that ends
 * before others leaves what it has alive, each block as an event. */
#include "trace/join_state.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/random.h"

static uint64_t joined_id(const struct join *join, const struct joined_trace *trace, uint64_t id)
{
    return (uint64_t)(trace - join->traces) << (BLOCK_BITS + STEP_BITS) |
           id >> STEP_SHIFT << BLOCK_BITS | (id & ((UINT64_C(1) << BLOCK_BITS) - 1));
}

/* ---- Which is next -------------------------------------------------------------------------- */

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

/* ---- All of them ---------------------------------------------------------------------- */

void join_sum_notes(struct heaptap_reader *joined)
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

static enum heaptap_status finish(struct heaptap_reader *reader, struct heaptap_error *error)
{
    struct join *join = reader->join;
    for (size_t i = 0; i < join->count; i++)
        if (!joined_part_finish(&join->frames, &join->traces[i].part))
            return error_no_memory(error);
    join_sum_notes(reader);
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

/* When the last process ended, so far as is known. */
static int64_t latest_us(const struct join *join)
{
    int64_t latest = INT64_MIN;
    for (size_t i = 0; i < join->count; i++) {
        const struct joined_trace *trace = &join->traces[i];
        int64_t end_us = trace->exit_us == INT64_MAX ? trace->key_us : trace->exit_us;
        latest = end_us > latest ? end_us : latest;
    }
    return latest;
}

/* Is there a process to end before another does? */
static bool goes_on(struct join *join)
{
    if (join->running == 0 && join->heap_count > 0 && join->latest_us == 0)
        join->latest_us = latest_us(join);
    return join->running > 0 || (join->heap_count > 0 && join->heap[0]->key_us < join->latest_us);
}

enum heaptap_status join_next(struct heaptap_reader *reader, struct heaptap_event *event,
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
            status = goes_on(join) ? step(reader, event, &is_left, error) : finish(reader, error);
    }
    return status;
}
