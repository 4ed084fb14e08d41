/* The trace of a process that is watched: one file, one domain for each heap.
 *
 * A frame's code says what it is: a location, or the type of the block, which stands last on every
 * stack as if the allocation were a function of that name. */
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/coin.h"
#include "spec/trace_format.h"
#include "tap/engine/halving.h"
#include "tap/guest/state.h"
#include "tap/inside/environment.h"
#include "tap/inside/fail.h"
#include "tap/inside/own_resident.h"
#include "tap/inside/pages.h"
#include "tap/inside/clock.h"
#include "tap/trace/trace_file.h"
#include "tap/trace/writer.h"

enum { STACK_MAX = 4094, FLUSH_INTERVAL_US = 1000000 };

/* A code: what kind of thing, in which heap, which number there. */
#define CODE_LOCATION ((uint64_t)1 << 32)
#define CODE_TYPE ((uint64_t)2 << 32)
enum { CODE_HEAP_SHIFT = 40 };

/* Of a heap in the trace. */
struct trace_stream {
    struct heaptap_domain *domain;
    struct clock_base clock;
    int64_t flushed_us;
    uint32_t types_told;           /* types with lower numbers are in the metadata */
    uint32_t row;                  /* of the last allocation; UINT32_MAX: there was none */
    uint32_t depth;                /* of its stack, without the type */
    uint32_t deep, deep_kept;      /* node of that stack, and of what was kept of it */
    uint32_t nodes[STACK_MAX];     /* its nodes */
    uint64_t codes[STACK_MAX + 1]; /* its frames, caller first, and the type */
};

/* Of the process.  Heaps join and leave under the lock of guest.c. */
static struct {
    struct heaptap_writer *writer; /* NULL: not opened */
    struct trace_file file;
    uint32_t heaps, streams; /* that are in it; that ever were */
    int64_t start_us;        /* since the Unix epoch */
    int64_t closing_us;      /* since when a heap is being taken apart; 0: none is */
    int64_t closed_for_us;   /* what that took, of heaps before the latest began to be */
} trace;

/* ---- Names of codes ---------------------------------------------------------------------- */

static size_t describe(void *context, uint64_t code, struct heaptap_location *location, size_t max)
{
    uint32_t number = (uint32_t)code;
    const struct heaptap_guest_state *state = guest_states;
    while (state && state->number != code >> CODE_HEAP_SHIFT)
        state = state->next;
    if (!state)
        return 0;
    const struct report *report = &state->report;
    if (code & CODE_TYPE) {
        const char *name = report->strings + report->types[number];
        *location =
            (struct heaptap_location){.file = "<type>", .function = *name ? name : "(untyped)"};
        return 1;
    }
    const struct guest_location *found = &report->locations[number];
    const char *function = report->strings + found->function;
    *location = (struct heaptap_location){.file = report->strings + found->file,
                                          .function = *function ? function : "(main)",
                                          .line = found->line};
    if (number == HEAPTAP_GUEST_UNKNOWN)
        location->file = location->function = "(no location)";
    return 1;
}

/* ---- Joining and leaving ------------------------------------------------------------------ */

static void fill_info(struct heaptap_trace_info *info, const struct utsname *host, double rate)
{
    const char *context = getenv(GUEST_CONTEXT);
    *info = (struct heaptap_trace_info){
        .version = 3,
        .sample_rate = rate,
        .word_bits = 8,
        .executable = trace_executable(),
        .host = host->nodename,
        .runtime_params = "",
        .context = context ? context : "",
        .pid = (uint64_t)getpid(),
        .start_us = clock_now(),
    };
}

/* Told within an event when the disk is full. */
static void tell_full(void *context, int code)
{
    trace_file_put_stop(&trace.file, clock_now() - trace.start_us, code);
    if (guest_states)
        heaptap_guest_note(guest_states->guest,
                           "the trace ends early: there was no more room for it");
}

static enum heaptap_status trace_open(const struct heaptap_guest_state *state, const char *path,
                                      struct heaptap_error *error)
{
    struct heaptap_trace_info info;
    struct utsname host;
    clock_init();
    int failure = trace_file_open(&trace.file, path, false);
    if (failure)
        return fail_errno(error, HEAPTAP_SYSTEM, failure, "the trace can't be written");
    if (uname(&host) != 0)
        host.nodename[0] = 0;
    fill_info(&info, &host, state->rate);
    trace.start_us = info.start_us;
    guest_budget_begin(coin_salt(info.start_us, info.pid));
    struct heaptap_writer_options options = {.describe = describe};
    enum heaptap_status status =
        trace_file_new_writer(&trace.file, &trace.writer, &info, &options, tell_full, NULL, error);
    if (status != HEAPTAP_OK)
        trace_file_close(&trace.file);
    return status;
}

static void trace_close(void)
{
    heaptap_writer_free(trace.writer);
    trace_file_close(&trace.file);
    trace.writer = NULL;
    trace_unclaim(); /* the next one has a name of its own */
}

/* Whether another heap has put the name of the language into the trace. */
static bool is_told(const struct heaptap_guest_state *state)
{
    for (const struct heaptap_guest_state *other = guest_states; other; other = other->next)
        if (other != state && other->trace &&
            strcmp(other->report.header->language, state->report.header->language) == 0)
            return true;
    return false;
}

enum heaptap_status trace_join(struct heaptap_guest_state *state, const char *path,
                               struct heaptap_error *error)
{
    enum heaptap_status status = trace.heaps ? HEAPTAP_OK : trace_open(state, path, error);
    struct trace_stream *stream = pages_map(sizeof *stream);
    if (status == HEAPTAP_OK)
        trace.heaps++;
    if (status == HEAPTAP_OK)
        status = stream ? heaptap_domain_new(&stream->domain, trace.writer,
                                             (uint16_t)trace.streams++, error)
                        : HEAPTAP_NO_MEMORY;
    if (status != HEAPTAP_OK) {
        pages_unmap(stream, sizeof *stream);
        if (trace.heaps && --trace.heaps == 0)
            trace_close();
        return status;
    }
    stream->flushed_us = clock_now();
    stream->row = UINT32_MAX;
    state->trace = stream;
    trace.closing_us = trace.closed_for_us = 0;
    struct heaptap_metadata language = {
        .kind = HEAPTAP_PROPERTY, .name = "language", .value = state->report.header->language};
    const struct heaptap_metadata halvings = {.kind = METADATA_HALVINGS};
    const struct heaptap_metadata holders = {
        .kind = HEAPTAP_PROPERTY, .name = "holders", .value = "asked"};
    const char *asked = getenv(GUEST_HOLDERS), *record = getenv(GUEST_RECORD);
    const struct heaptap_metadata recording = {
        .kind = HEAPTAP_PROPERTY, .name = RECORDING_PROPERTY, .value = record};
    if (record && trace.streams == 1)
        heaptap_domain_metadata(stream->domain, &recording, 1);
    if (asked && strcmp(asked, "1") == 0 && trace.streams == 1)
        heaptap_domain_metadata(stream->domain, &holders, 1);
    if (!is_told(state))
        heaptap_domain_metadata(stream->domain, &language, 1);
    if (guest_has_budget() && trace.streams == 1)
        heaptap_domain_metadata(stream->domain, &halvings, 1);
    if (!trace.file.stop)
        trace_file_keep_stop_room(&trace.file, stream->domain);
    return HEAPTAP_OK;
}

void trace_leave(struct heaptap_guest_state *state)
{
    heaptap_domain_free(state->trace->domain);
    pages_unmap(state->trace, sizeof *state->trace);
    state->trace = NULL;
    if (--trace.heaps == 0)
        trace_close();
}

/* The writer, its domains and their packets are the parent's; here they are only forgotten. */
void trace_forget(void)
{
    for (struct heaptap_guest_state *state = guest_states; state; state = state->next) {
        pages_unmap(state->trace, sizeof *state->trace);
        state->trace = NULL;
    }
    if (trace.heaps)
        trace_file_leave_to_parent(&trace.file, false);
    trace.writer = NULL;
    trace.heaps = trace.streams = 0;
}

void trace_set_rate(double rate)
{
    if (trace.writer && growing_file_is_open(&trace.file.place))
        writer_set_rate(trace.writer, rate);
}

void trace_flush(struct heaptap_guest_state *state)
{
    if (state->trace)
        trace_file_flush(&trace.file, state->trace->domain);
}

void trace_closing(void)
{
    if (trace.heaps && !trace.closing_us)
        trace.closing_us = clock_now();
}

void trace_closed(void)
{
    if (trace.closing_us)
        trace.closed_for_us += clock_now() - trace.closing_us;
    trace.closing_us = 0;
}

void trace_goes_on(void)
{
    trace.closing_us = 0;
}

void trace_ended(const struct heaptap_guest_state *state)
{
    int64_t now_us = trace.closing_us ? trace.closing_us : clock_now() - trace.closed_for_us;
    char text[OWN_RESIDENT_TEXT_BYTES];
    const struct heaptap_metadata last[] = {
        own_resident_property(RECORDER_RESIDENT_PROPERTY, text),
        {.kind = HEAPTAP_ENDED, .name = "", .number = (uint64_t)(now_us - trace.start_us)}};
    heaptap_domain_metadata(state->trace->domain, last, 2);
}

uint64_t trace_time_us(void)
{
    return (uint64_t)(clock_now() - trace.start_us);
}

void trace_test(struct heaptap_guest_state *state, const char *name, const char *limits)
{
    enum { AFTER_ALL_US = 2 }; /* clocks of threads differ by one at most */
    struct heaptap_metadata test = {.kind = HEAPTAP_TEST,
                                    .name = name,
                                    .value = limits,
                                    .end_us = clock_now() - trace.start_us + AFTER_ALL_US};
    if (state->trace)
        heaptap_domain_metadata(state->trace->domain, &test, 1);
}

/* ---- Events -------------------------------------------------------------------------------- */

static int64_t event_time(struct trace_stream *stream)
{
    int64_t now = clock_thread_now(&stream->clock);
    if (now - stream->flushed_us >= FLUSH_INTERVAL_US && trace_file_is_of_packets(&trace.file)) {
        trace_file_flush(&trace.file, stream->domain);
        stream->flushed_us = now;
    }
    return now;
}

/* Makes the frames of `stream` those of a node; returns how many of the outermost stay as they
 * were.  Nodes go from the innermost outwards until one is met that was there before at its depth:
 * then all above it are the same. */
static uint32_t take_stack(const struct heaptap_guest_state *state, uint32_t node)
{
    struct trace_stream *stream = state->trace;
    const struct guest_node *nodes = state->report.nodes;
    uint64_t heap = (uint64_t)state->number << CODE_HEAP_SHIFT;
    /* The outermost are kept; a recursion that goes deeper still is not climbed each time. */
    uint32_t deep = node;
    while (nodes[node].depth > STACK_MAX && node != stream->deep)
        node = nodes[node].parent;
    if (nodes[node].depth > STACK_MAX)
        node = stream->deep_kept;
    stream->deep_kept = node;
    stream->deep = deep;
    uint32_t depth = nodes[node].depth, shared = depth;
    for (; shared > 0; shared--) {
        if (shared <= stream->depth && stream->nodes[shared - 1] == node)
            break;
        stream->nodes[shared - 1] = node;
        stream->codes[shared - 1] = CODE_LOCATION | heap | nodes[node].location;
        node = nodes[node].parent;
    }
    stream->depth = depth;
    return shared;
}

/* What tells readers which frames are types, for filters on these. */
static void tell_types(const struct heaptap_guest_state *state)
{
    enum { AT_ONCE = 16 };
    struct trace_stream *stream = state->trace;
    uint64_t heap = (uint64_t)state->number << CODE_HEAP_SHIFT;
    uint32_t used = state->report.header->sections[GUEST_TYPES].used;
    while (stream->types_told < used) {
        struct heaptap_metadata records[AT_ONCE];
        uint32_t count = 0;
        for (; count < AT_ONCE && stream->types_told < used; count++) {
            uint32_t type = stream->types_told++;
            const char *name = state->report.strings + state->report.types[type];
            records[count] = (struct heaptap_metadata){.kind = HEAPTAP_TYPE,
                                                       .name = *name ? name : "(untyped)",
                                                       .number = CODE_TYPE | heap | type};
        }
        heaptap_domain_metadata(stream->domain, records, count);
    }
}

/* Makes the frames those of a row; returns how many of the outermost stay as they were. */
static uint32_t set_stack(const struct heaptap_guest_state *state, const struct guest_row *row)
{
    struct trace_stream *stream = state->trace;
    uint64_t heap = (uint64_t)state->number << CODE_HEAP_SHIFT;
    uint32_t shared = 0;
    if (row->type >= stream->types_told)
        tell_types(state);
    if (state->stacks) {
        shared = take_stack(state, row->site);
    } else {
        uint64_t location = CODE_LOCATION | heap | row->site;
        shared = stream->depth == 1 && stream->codes[0] == location;
        stream->codes[0] = location;
        stream->depth = 1;
    }
    stream->codes[stream->depth] = CODE_TYPE | heap | row->type;
    return shared;
}

uint64_t trace_alloc(struct heaptap_guest_state *state, uint64_t bytes, uint64_t samples,
                     uint32_t halvings, uint32_t row, bool minor)
{
    struct trace_stream *stream = state->trace;
    domain_set_id_base(stream->domain, halving_id_base(halvings));
    const struct guest_row *of = &state->report.rows[row];
    uint32_t shared = row == stream->row ? stream->depth + 1 : set_stack(state, of);
    stream->row = row;
    struct heaptap_allocation allocation = {.source = minor ? HEAPTAP_MINOR : HEAPTAP_MAJOR,
                                            .length = bytes,
                                            .samples = samples,
                                            .stack = stream->codes,
                                            .stack_length = stream->depth + 1,
                                            .direction = HEAPTAP_CALLER_FIRST,
                                            .shared = shared};
    return heaptap_domain_alloc(stream->domain, event_time(stream), &allocation);
}

void trace_promote(struct heaptap_guest_state *state, uint64_t id)
{
    heaptap_domain_promote(state->trace->domain, event_time(state->trace), id);
}

void trace_collect(struct heaptap_guest_state *state, uint64_t id)
{
    heaptap_domain_collect(state->trace->domain, event_time(state->trace), id);
}
