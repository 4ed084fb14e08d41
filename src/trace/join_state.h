/* Several traces as one: what their events are made of (join.c, join_events.c). */
#ifndef TRACE_JOIN_STATE_H
#define TRACE_JOIN_STATE_H

#include "base/id_table.h"
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
    int64_t latest_us; /* when the last process ended, once all events have been read; 0 before */
    bool is_begun;
    struct joined_trace *delivered; /* whose event the caller is looking at */
    struct left_block *left;        /* of the process that ended last, to be told */
    size_t left_count, left_at;
    int64_t left_us;             /* when it ended */
    uint64_t offset;             /* bytes read, of all traces */
    struct heaptap_error damage; /* the first met, to be reported at the end */
};

/* The next event of the traces, in the order of time. */
enum heaptap_status join_next(struct heaptap_reader *reader, struct heaptap_event *event,
                              struct heaptap_error *error);

/* What the reader notes is the sum of what each trace's reader does. */
void join_sum_notes(struct heaptap_reader *joined);

#endif
