/* What the files of the reader share. */
#ifndef TRACE_READER_H
#define TRACE_READER_H

#include "heaptap/trace.h"
#include "trace/frames.h"
#include "trace/location_decoder.h"
#include "trace/packet_header.h"
#include "trace/packet_walk.h"
#include "trace/stack_decoder.h"
#include "trace/thinning.h"
#include "trace/window.h"

/* Decoder state of one domain, kept from packet to packet. */
struct domain_state {
    struct stack_decoder stacks;
    struct location_decoder *locations; /* NULL until the first location */
    int64_t last_us;                    /* of its last event, since the epoch */
    bool has_last;
    uint32_t skipped_shared; /* the least that the stacks left out since the last allocation shared
                                with the one before; UINT32_MAX: there were none */
};

/* Decoding stands here in a packet. */
struct cursor {
    struct packet_header header;
    struct domain_state *domain;
    const uint8_t *start;     /* first byte of the packet */
    const uint8_t *at;        /* next event */
    const uint8_t *end;       /* of what is there of the packet */
    uint64_t next_id;         /* of the next allocation */
    bool cut;                 /* the trace ends inside this packet */
    bool stepped;             /* the clock has stepped back in this packet */
    bool open;                /* a packet is being decoded */
    const uint8_t *quick_end; /* events before this are out of reach of the packet's end (quick.h);
                                 NULL where that way is closed */
};

/* Called once, when no event is left and before that is told: the last chance to name frames (frames_rename). */
struct reader_ending {
    void (*told)(struct heaptap_reader *reader, void *context); /* may be NULL */
    void *context;
};

struct merge; /* merge.c: the streams of all domains, in true order */
struct join;  /* join.c: several traces, read as one */

/* What a reader of several traces does otherwise than one of a file. */
struct reader_calls {
    enum heaptap_status (*next)(struct heaptap_reader *reader, struct heaptap_event *event,
                                struct heaptap_error *error);
    enum heaptap_status (*begin_again)(struct heaptap_reader **reader,
                                       const struct heaptap_reader_options *options,
                                       struct heaptap_error *error);
    uint64_t (*stored_bytes)(const struct heaptap_reader *reader);
    const char *(*compression)(const struct heaptap_reader *reader);
    void (*release)(struct heaptap_reader *reader);
};

struct heaptap_reader {
    struct input *input;
    struct window window;
    struct packet_walk walk; /* in true order, that of the first pass */
    struct heaptap_reader_options options;
    struct heaptap_trace_info info;
    struct heaptap_reader_notes notes;
    struct frames frames;
    struct thinning thinning;
    struct domain_state **domains; /* by number; NULL for one not met */
    unsigned domain_end;           /* one past the highest number met */
    struct cursor cursor;          /* in file order */
    struct cursor *only; /* the one cursor that events come from: the above, or that of the
                            last domain left in true order */
    struct merge *merge; /* in true order */
    const struct reader_calls *calls; /* NULL for a reader of one file */
    struct join *join;                /* NULL likewise */
    struct heaptap_metadata *metadata;
    size_t metadata_count, metadata_capacity;
    bool expects_end, has_end; /* by its metadata (spec/trace_format.h), ... */
    bool has_records;          /* ... of which it has some */
    struct reader_ending ending;
    enum heaptap_status
        ended; /* HEAPTAP_OK while events come; else what every further call answers */
    struct heaptap_error damage; /* for ended == HEAPTAP_BAD_INPUT */
};

enum { DOMAIN_COUNT = 1 << 16 };

/* reader.c: heaptap_reader_open_fd on an input of which nothing has been read; it is taken over,
 * also on failure. */
enum heaptap_status reader_open_input(struct heaptap_reader **reader, struct input *input,
                                      const struct heaptap_reader_options *options,
                                      struct heaptap_error *error);

/* Begins again with what a reader of true order reads: that one is closed, and `*reader` is one of
 * the same input, and the same ending; NULL on failure. */
enum heaptap_status reader_begin_again(struct heaptap_reader **reader,
                                       const struct heaptap_reader_options *options,
                                       struct heaptap_error *error);

/* Whether blocks are left out, as the rate was halved.  In true order this is known from the start. */
static inline bool reader_thins(const struct heaptap_reader *reader)
{
    return thinning_is_on(&reader->thinning);
}

/* What decoding one event came to. */
enum step {
    STEP_EVENT,  /* an event for the caller */
    STEP_QUIET,  /* something the reader keeps to itself: locations, what isn't asked for */
    STEP_FAILED, /* see the error */
};

/* Takes note of when the cursor's domain had its last event. */
static inline void cursor_note_time(struct heaptap_reader *reader, struct cursor *cursor,
                                    int64_t time_us)
{
    struct domain_state *domain = cursor->domain;
    if (domain->has_last && time_us < domain->last_us)
        reader->notes.clock_steps++;
    domain->last_us = time_us;
    domain->has_last = true;
}

/* decode.c */

/* Begins a packet whose first `available` bytes are at `start`, its header already decoded in
 * cursor->header. */
enum heaptap_status cursor_open(struct heaptap_reader *reader, struct cursor *cursor,
                                const uint8_t *start, size_t available,
                                struct heaptap_error *error);

/* Compares the header's check of the call stack cache with the cache, which must stand where it
 * stood for the writer: all earlier packets of the domain have been decoded. */
enum heaptap_status cursor_verify(const struct heaptap_reader *reader, const struct cursor *cursor,
                                  struct heaptap_error *error);

/* Decodes the next event; cursor->at < cursor->end.  At least WINDOW_SLACK_BYTES can be read past
 * cursor->end. */
enum step cursor_step(struct heaptap_reader *reader, struct cursor *cursor,
                      struct heaptap_event *event, enum heaptap_status *status,
                      struct heaptap_error *error);

/* Ends a packet that has been decoded to its end: HEAPTAP_BAD_INPUT where it should have gone on,
 * or where its events don't add up. */
enum heaptap_status cursor_close(struct cursor *cursor, struct heaptap_error *error);

/* metadata.c: takes the records of a metadata packet.  Damaged ones are left out. */
enum heaptap_status reader_take_metadata(struct heaptap_reader *reader, const uint8_t *at,
                                         const uint8_t *end, struct heaptap_error *error);

/* metadata.c: HEAPTAP_BAD_INPUT where the data end, at `offset`, before an end that the trace announces. */
enum heaptap_status reader_check_end(const struct heaptap_reader *reader, uint64_t offset,
                                     struct heaptap_error *error);

/* reader_info.c: reads the trace's first packet. */
enum heaptap_status reader_read_info(struct heaptap_reader *reader, struct heaptap_error *error);

/* reader.c */

/* Deals with a packet that isn't the traced process's; `available` bytes of it are at `start`. */
enum heaptap_status reader_foreign_packet(struct heaptap_reader *reader,
                                          const struct packet_header *header, const uint8_t *start,
                                          size_t available, struct heaptap_error *error);

/* merge.c */
enum heaptap_status merge_new(struct heaptap_reader *reader, struct heaptap_error *error);
enum heaptap_status merge_next(struct heaptap_reader *reader, struct heaptap_event *event,
                               struct heaptap_error *error);
void merge_free(struct merge *merge);

#endif
