/* One domain's events.  They gather in a packet, which goes out when
 *   - the next event might not fit,
 *   - the next event is more than 30 s after the packet's first, for then its 25 bits of time would
 * be ambiguous,
 *   - the clock has stepped back: times within a packet only grow,
 *   - the next block's id does not follow the last one: a packet says its first id, the rest are
 * counted. All of this is decided before an event is begun, so a packet always holds whole events.
 */
#include "tap/trace/writer.h"

#include "tap/trace/put.h"

enum {
    SMALL_MASK = 127, /* numbers whose bits are all among these take one byte as a vint */
    IDS_PER_CHUNK = 10000,
    EVENT_FIXED_BYTES = 4 + 3 * PUT_VINT_MAX_BYTES + 1 + 2, /* an allocation without its stack */
    STACK_MAX_BYTES = 24 << 10,                             /* of one allocation */
    TAIL_FRAMES = 64, /* innermost frames kept of a stack that is too long */
    TAIL_BYTES = (TAIL_FRAMES + 1) * STACK_ENCODER_CODE_MAX_BYTES,
};

/* Begins a packet of events with room for one of `bound` bytes. */
static void domain_begin(struct heaptap_domain *domain, size_t bound)
{
    struct heaptap_writer *writer = domain->writer;
    if (writer->file) {
        regions_begin_events(domain, bound);
        return;
    }
    const struct packet_header header = {.pid = writer->trace_pid,
                                         .domain = domain->number,
                                         .begin_us = domain->begin_us,
                                         .first_id = domain->first_id,
                                         .verifier = &domain->stacks};
    domain->events.start = domain->events_bytes;
    domain->events.limit = domain->events_bytes + sizeof domain->events_bytes;
    packet_begin(&domain->events, writer, &header);
}

static void send_events(struct heaptap_domain *domain)
{
    struct heaptap_writer *writer = domain->writer;
    domain_send_locations(domain);
    if (!packet_is_empty(writer, &domain->events))
        packet_send(&domain->events, writer, domain->end_us, domain->next_id);
    domain->events = (struct packet){0};
}

void heaptap_domain_flush(struct heaptap_domain *domain)
{
    if (!domain)
        return;
    if (domain->writer->file)
        regions_end_events(domain);
    else
        send_events(domain);
    domain->first_id = domain->next_id;
}

static __attribute__((noinline, cold)) void begin_packet(struct heaptap_domain *domain,
                                                         int64_t time_us, size_t bound)
{
    heaptap_domain_flush(domain);
    domain->begin_us = time_us;
    domain_begin(domain, bound);
}

/* The event before `end` is whole: it is part of the trace. */
static inline __attribute__((always_inline)) void event_end(struct heaptap_domain *domain,
                                                            uint8_t *end)
{
    domain->events.at = end;
    packet_keep(&domain->events);
}

/* Begins an event of at most `bound` bytes, and returns where its fields go. */
static inline __attribute__((always_inline)) uint8_t *
event_begin(struct heaptap_domain *domain, int64_t time_us, unsigned code, size_t bound)
{
    if (__builtin_expect(packet_room(&domain->events) < bound || time_us < domain->end_us ||
                             (uint64_t)time_us - (uint64_t)domain->begin_us > FORMAT_PACKET_SPAN_US,
                         0))
        begin_packet(domain, time_us, bound);
    domain->end_us = time_us;
    return put_32(domain->events.at,
                  code << FORMAT_TIME_BITS | ((uint64_t)time_us & FORMAT_TIME_MASK));
}

/* Which way depends on the caller alone, so that a caller's loops know it. */
static inline struct stack_view stack_view_of(const struct heaptap_allocation *allocation)
{
    uint32_t length = allocation->stack_length;
    if (allocation->direction == HEAPTAP_CALLER_FIRST)
        return (struct stack_view){allocation->stack, 1, length};
    return (struct stack_view){allocation->stack + (length ? length - 1 : 0), -1, length};
}

enum { FRAMES_AT_ONCE = 4 };

static inline bool frames_differ(const uint64_t *a, const uint64_t *b)
{
    return ((a[0] ^ b[0]) | (a[1] ^ b[1]) | (a[2] ^ b[2]) | (a[3] ^ b[3])) != 0;
}

/* How many of these four frames are the same in both stacks, from the outermost on, which is the
 * last one.  Without a branch: where stacks part is unpredictable. */
static inline uint32_t same_of_four(const uint64_t *a, const uint64_t *b)
{
    uint64_t three = a[3] ^ b[3], two = three | (a[2] ^ b[2]), one = two | (a[1] ^ b[1]);
    return (three == 0) + (two == 0) + (one == 0) + ((one | (a[0] ^ b[0])) == 0);
}

/* How many of the last `most` frames, at least four, before these ends are the same. */
static inline uint32_t count_same_before(const uint64_t *a_end, const uint64_t *b_end,
                                         uint32_t most)
{
    const ptrdiff_t first = -(ptrdiff_t)most;
    ptrdiff_t at = -FRAMES_AT_ONCE;
    while (at > first && !frames_differ(a_end + at, b_end + at))
        at -= FRAMES_AT_ONCE;
    if (at < first)
        at = first;
    return (uint32_t)(-at - FRAMES_AT_ONCE) + same_of_four(a_end + at, b_end + at);
}

/* How many of at most `most` outermost frames are those of the last stack. */
static uint32_t count_same(struct heaptap_domain *domain, const struct stack_view *view,
                           uint32_t most)
{
    const uint64_t *last = domain_last_stack(domain);
    uint32_t depth = 0;
    if (view->step < 0 && most >= FRAMES_AT_ONCE)
        return count_same_before(view->outermost + 1, last, most);
    while (depth < most && last[-1 - (ptrdiff_t)depth] == stack_view_code(view, depth))
        depth++;
    return depth;
}

/* How many outermost frames the reader already has. */
static uint32_t stack_shared(struct heaptap_domain *domain,
                             const struct heaptap_allocation *allocation,
                             const struct stack_view *view)
{
    uint32_t most = view->length < domain->last_exact ? view->length : domain->last_exact;
    if (allocation->shared >= 0)
        return allocation->shared < most ? (uint32_t)allocation->shared : most;
    if (most > domain->last_remembered)
        most = domain->last_remembered;
    return most ? count_same(domain, view, most) : 0;
}

/* Puts the frames from `shared` to `end` into the last stack, which ends at `last`. */
static inline void copy_frames(uint64_t *last, const struct stack_view *view, uint32_t shared,
                               uint32_t end)
{
    if (view->step < 0 && end >= FRAMES_AT_ONCE && end - shared <= FRAMES_AT_ONCE) {
        memcpy(last - end, view->outermost + 1 - end, FRAMES_AT_ONCE * sizeof *last);
        return;
    }
    for (uint32_t depth = shared; depth < end; depth++)
        last[-1 - (ptrdiff_t)depth] = stack_view_code(view, depth);
}

/* The reader has `exact` frames of this stack, and had the first `shared` before.  Callers that
 * know how much their stacks share need no copy. */
static void stack_remember(struct heaptap_domain *domain, int64_t told,
                           const struct stack_view *view, uint32_t shared, uint32_t exact)
{
    uint32_t most = exact < domain->writer->max_frames ? exact : domain->writer->max_frames;
    domain->last_exact = exact;
    if (told >= 0) {
        if (domain->last_remembered > shared)
            domain->last_remembered = shared;
        return;
    }
    copy_frames(domain_last_stack(domain), view, shared, most);
    domain->last_remembered = most;
}

static __attribute__((noinline, cold)) void missed(void *context, uint64_t code)
{
    domain_describe(context, code);
}

/* Of a stack whose first `depth` frames are written and have used up their room: a mark, and the
 * innermost frames. */
static __attribute__((noinline, cold)) struct stack_encoding
put_tail(struct heaptap_domain *domain, struct stack_encoding encoding,
         const struct heaptap_allocation *it, struct stack_view view, uint32_t shared,
         uint32_t depth)
{
    const uint64_t mark = HEAPTAP_CODE_TRUNCATED;
    const struct stack_view gap = {&mark, 1, 1};
    const uint8_t *limit = encoding.at + TAIL_BYTES;
    struct stack_encoder *stacks = &domain->stacks;
    bool cut = view.length - depth > TAIL_FRAMES + 1;
    stack_remember(domain, it->shared, &view, shared, cut ? depth : view.length);
    if (cut) {
        stack_encoder_append(stacks, &encoding, &gap, 0, limit, missed, domain);
        depth = view.length - TAIL_FRAMES;
    }
    stack_encoder_append(stacks, &encoding, &view, depth, limit, missed, domain);
    return encoding;
}

/* Writes the frames from `shared` on at `at`; of a stack that is too long, as many outer ones as
 * fit, and its tail. */
static struct stack_encoding put_stack(struct heaptap_domain *domain, uint8_t *at,
                                       const struct heaptap_allocation *it,
                                       const struct stack_view *view, uint32_t shared)
{
    const uint8_t *limit = at + STACK_MAX_BYTES - TAIL_BYTES;
    struct stack_encoding encoding = stack_encoder_begin(&domain->stacks, at);
    uint32_t depth =
        stack_encoder_append(&domain->stacks, &encoding, view, shared, limit, missed, domain);
    if (__builtin_expect(depth < view->length, 0)) {
        const struct heaptap_allocation copy = *it;
        return put_tail(domain, encoding, &copy, *view, shared, depth);
    }
    stack_remember(domain, it->shared, view, shared, depth);
    return encoding;
}

/* An allocation whose stack is that of the one before, or an outer part of it. */
static void put_repeated(struct heaptap_domain *domain, int64_t time_us,
                         const struct heaptap_allocation *it)
{
    uint8_t *at = event_begin(domain, time_us, EVENT_ALLOC, EVENT_FIXED_BYTES);
    at = put_vint(put_vint(at, (int64_t)it->length), (int64_t)it->samples);
    at = put_vint(put_8(at, (uint8_t)it->source), it->stack_length);
    event_end(domain, put_16(at, 0));
    domain->last_exact = it->stack_length;
    if (domain->last_remembered > it->stack_length)
        domain->last_remembered = it->stack_length;
    domain->next_id++;
}

/* What stands before the number of codewords, where the event is not a short one. */
static inline uint8_t *put_fields(uint8_t *at, const struct heaptap_allocation *it, uint32_t shared)
{
    uint32_t length = (uint32_t)it->length, samples = (uint32_t)it->samples;
    if (__builtin_expect((it->length | it->samples | shared) <= SMALL_MASK, 1))
        return put_32(at, length | samples << 8 | (uint32_t)it->source << 16 | shared << 24);
    at = put_vint(put_vint(at, (int64_t)it->length), (int64_t)it->samples);
    return put_vint(put_8(at, (uint8_t)it->source), shared);
}

/* Is there a stack to be read where there is none?  One that is all shared with the last is not read. */
static inline bool lacks_stack(const struct heaptap_domain *domain,
                               const struct heaptap_allocation *it)
{
    return __builtin_expect(!it->stack, 0) &&
           (it->shared < it->stack_length || it->stack_length > domain->last_exact);
}

static void put_allocation(struct heaptap_domain *domain, int64_t time_us,
                           const struct heaptap_allocation *it)
{
    struct heaptap_allocation bare;
    if (lacks_stack(domain, it)) {
        bare = *it;
        bare.stack_length = 0;
        it = &bare;
    }
    if (it->shared >= it->stack_length && it->stack_length <= domain->last_exact &&
        it->source != HEAPTAP_MINOR) {
        put_repeated(domain, time_us, it);
        return;
    }
    struct stack_view view = stack_view_of(it);
    uint32_t shared = stack_shared(domain, it, &view), fresh = view.length - shared;
    bool is_short = it->source == HEAPTAP_MINOR && it->samples == 1 && it->length >= 1 &&
                    it->length <= FORMAT_SHORT_LENGTH_MAX && fresh <= UINT8_MAX;
    size_t stack_bound = (size_t)fresh * STACK_ENCODER_CODE_MAX_BYTES;
    if (stack_bound > STACK_MAX_BYTES)
        stack_bound = STACK_MAX_BYTES;

    unsigned code = is_short ? EVENT_SHORT_ALLOC + (unsigned)it->length : EVENT_ALLOC;
    domain->event_bound = (uint32_t)(EVENT_FIXED_BYTES + stack_bound);
    uint8_t *at = event_begin(domain, time_us, code, EVENT_FIXED_BYTES + stack_bound);
    at = is_short ? put_vint(at, shared) : put_fields(at, it, shared);
    uint8_t *count = at;
    struct stack_encoding encoding = put_stack(domain, at + (is_short ? 1 : 2), it, &view, shared);
    if (is_short)
        put_8(count, (uint8_t)encoding.codewords);
    else
        put_16(count, (uint16_t)encoding.codewords);
    if (__builtin_expect(domain->displaced, 0))
        regions_move_event(domain, encoding.at);
    else
        event_end(domain, encoding.at);
    domain->next_id++;
}

/* Makes `id` the next one to be given; begins a new packet unless it already is. */
static void set_next_id(struct heaptap_domain *domain, uint64_t id)
{
    if (domain->next_id == id)
        return;
    heaptap_domain_flush(domain);
    domain->first_id = domain->next_id = id;
}

/* Ids that are higher than any that a domain has. */
static __attribute__((noinline, cold)) void take_chunk(struct heaptap_domain *domain)
{
    uint64_t id = domain->id_base | atomic_fetch_add_explicit(&domain->writer->ids, IDS_PER_CHUNK,
                                                              memory_order_relaxed);
    set_next_id(domain, id);
    domain->chunk_end_id = id + IDS_PER_CHUNK;
}

/* Whether the reader would take it. */
static inline bool is_valid(const struct heaptap_allocation *it)
{
    return __builtin_expect((((it->samples - 1) | it->samples | it->length) >> 63) == 0 &&
                                (unsigned)it->source <= HEAPTAP_EXTERNAL,
                            1);
}

uint64_t heaptap_domain_alloc(struct heaptap_domain *domain, int64_t time_us,
                              const struct heaptap_allocation *allocation)
{
    if (!domain || !allocation)
        return HEAPTAP_NO_ID;
    if (!is_valid(allocation))
        return HEAPTAP_NO_ID;
    if (domain->next_id == domain->chunk_end_id)
        take_chunk(domain);
    put_allocation(domain, time_us, allocation);
    return domain->next_id - 1;
}

void heaptap_domain_alloc_as(struct heaptap_domain *domain, int64_t time_us, uint64_t id,
                             const struct heaptap_allocation *allocation)
{
    if (!domain || !allocation)
        return;
    if (!is_valid(allocation) || id == HEAPTAP_NO_ID)
        return;
    set_next_id(domain, id);
    put_allocation(domain, time_us, allocation);
}

static void put_reference(struct heaptap_domain *domain, int64_t time_us, unsigned code,
                          uint64_t id)
{
    uint8_t *at = event_begin(domain, time_us, code, EVENT_FIXED_BYTES);
    event_end(domain, put_vint(at, (int64_t)(domain->next_id - 1 - id)));
}

/* Makes the next id one that is higher than `id`, which another domain gave or the caller chose. */
static __attribute__((noinline, cold)) void pass_id(struct heaptap_domain *domain, uint64_t id)
{
    take_chunk(domain);
    if (id < domain->next_id)
        return;
    set_next_id(domain, id + 1);
    domain->chunk_end_id = domain->next_id;
}

/* Memtrace's reader refuses a promotion whose delta is negative, though not such a collection. */
void heaptap_domain_promote(struct heaptap_domain *domain, int64_t time_us, uint64_t id)
{
    if (!domain)
        return;
    if (__builtin_expect(id >= domain->next_id, 0)) {
        if (id == HEAPTAP_NO_ID)
            return;
        pass_id(domain, id);
    }
    put_reference(domain, time_us, EVENT_PROMOTE, id);
}

void heaptap_domain_collect(struct heaptap_domain *domain, int64_t time_us, uint64_t id)
{
    if (!domain)
        return;
    if (__builtin_expect(id != HEAPTAP_NO_ID, 1))
        put_reference(domain, time_us, EVENT_COLLECT, id);
}
