/* What the files of the writer share. */
#ifndef TAP_TRACE_WRITER_H
#define TAP_TRACE_WRITER_H

#include <stdatomic.h>
#include <string.h>
#include <sys/types.h>

#include "heaptap/trace.h"
#include "tap/inside/growing_file.h"
#include "spec/trace_format.h"
#include "tap/trace/location_encoder.h"
#include "tap/trace/stack_encoder.h"

struct heaptap_writer {
    struct heaptap_sink sink;
    struct growing_file *file; /* packets are written in place, here; NULL: they go to the sink */
    void (*full)(void *context, int code); /* the file gives no room any more; called once */
    void *full_context;
    heaptap_describe *describe;
    void *describe_context;
    uint32_t max_frames;                           /* of each domain's last_stack */
    uint16_t version;                              /* of the format */
    uint64_t trace_pid;                            /* in every packet */
    int64_t start_us;                              /* of the trace, since the epoch */
    pid_t owner;                                   /* the process that may write; 0: any */
    _Atomic unsigned domains;                      /* made so far */
    _Atomic uint64_t ids;                          /* the first block id of the next chunk */
    _Atomic int failed;                            /* errno of the first failure, or 0 */
    _Atomic uint64_t taken[(UINT16_MAX + 1) / 64]; /* the numbers of the domains that are open */
};

/* A packet being filled. */
struct packet {
    uint8_t *at;    /* the next byte to write */
    uint8_t *limit; /* where it must end */
    uint8_t *start; /* NULL: there is none yet */
};

/* Part of the file that is a domain's, and where its next packet goes (regions.c). */
struct region {
    uint8_t *at;
    uint8_t *end; /* NULL: none */
};

enum { DESCRIBED_BITS = 15 };

struct heaptap_domain {
    struct heaptap_writer *writer;
    uint32_t last_exact;      /* leading frames of the last stack that the reader has */
    uint32_t last_remembered; /* how many of the first of these `last_stack` has */

    int64_t begin_us; /* of the first and the last event in `events`, since the epoch */
    int64_t end_us;

    uint64_t first_id;     /* of the first allocation in `events` */
    uint64_t next_id;      /* of the next one */
    uint64_t chunk_end_id; /* where the ids that the domain may give out end */
    uint64_t id_base;      /* that all ids of further chunks have in their upper bits */

    struct packet events;    /* whose `at` is in the first cache line too, as all the above */
    uint32_t event_bound;    /* how long the allocation being written can get */
    bool displaced;          /* it must move on, behind its locations (regions.c) */
    struct packet locations; /* of codes first used in `events`; comes before it in the file */

    struct region region; /* in place: of events */
    struct region names;  /* of locations and metadata, before the open packet of events */
    struct region next;   /* where `displaced` events go to */
    uint8_t *gap_end;     /* up to where the region is given up then */
    int64_t names_us;     /* the time of the packet `locations`, and the next id when it began */
    uint64_t names_id;
    size_t region_bytes; /* of the next region to take */

    struct stack_encoder stacks;
    struct location_encoder location_codec;
    uint64_t described[1 << DESCRIBED_BITS]; /* codes whose locations are written, by hash; a
                                                collision writes them again, which harms nobody */
    bool described_zero;                     /* the same for code 0 */
    struct heaptap_location scratch[HEAPTAP_LOCATIONS_MAX]; /* for the describe callback */

    uint8_t
        events_bytes[FORMAT_PACKET_BYTES]; /* for a sink, or for nothing once there is no room */
    uint8_t locations_bytes[FORMAT_PACKET_BYTES];

    size_t mapped_bytes; /* of this struct with its last_stack */
    uint16_t number;
    uint64_t last_stack[]; /* writer->max_frames at most, the caller last: as unwinders give
                              them, so that they are compared several at a time */
};

/* Past the outermost frame of the last stack: the frame of depth d is at [-1 - d]. */
static inline uint64_t *domain_last_stack(struct heaptap_domain *domain)
{
    return domain->last_stack + domain->writer->max_frames;
}

static inline size_t packet_header_bytes(const struct heaptap_writer *writer)
{
    return writer->version >= FORMAT_VERSION_DOMAIN ? FORMAT_HEADER_BYTES_DOMAIN
                                                    : FORMAT_HEADER_BYTES;
}

static inline size_t packet_room(const struct packet *packet)
{
    return (size_t)(packet->limit - packet->at);
}

static inline bool packet_is_empty(const struct heaptap_writer *writer, const struct packet *packet)
{
    return !packet->start || packet->at == packet->start + packet_header_bytes(writer);
}

/* What stands in the header from the start. */
struct packet_header {
    uint64_t pid;
    uint16_t domain;
    int64_t begin_us;
    uint64_t first_id;
    uint32_t room;                  /* in place: bytes to the end of its region; else 0 */
    struct stack_encoder *verifier; /* the domain's codec, or NULL */
};

/* Begins an empty packet at packet->start, where it is open from now on if it has a room. */
void packet_begin(struct packet *packet, const struct heaptap_writer *writer,
                  const struct packet_header *header);

/* Completes the header; an open packet is closed. */
void packet_finish(struct packet *packet, const struct heaptap_writer *writer, int64_t end_us,
                   uint64_t next_id);

/* The same, and gives it to the sink. */
void packet_send(struct packet *packet, struct heaptap_writer *writer, int64_t end_us,
                 uint64_t next_id);

/* Of an open packet: what was put before its `at` counts, whatever becomes of this process. */
static inline void packet_keep(const struct packet *packet)
{
    uint32_t bits = (uint32_t)(packet->at - packet->start) * 8;
    __atomic_signal_fence(__ATOMIC_RELEASE);
    memcpy(packet->start + FORMAT_SIZE_OFFSET, &bits, sizeof bits); /* on a little-endian machine */
}

/* Makes sure that the locations of `code` are written before the events now being filled. */
void domain_describe(struct heaptap_domain *domain, uint64_t code);

/* Makes domain->locations a new packet under `pid`; what it held before goes out. */
void domain_begin_names(struct heaptap_domain *domain, uint64_t pid, int64_t time_us, size_t bytes);

/* ---- For a sink --------------------------------------------------------------------- */

/* Sends the domain's locations, if there are any, dated at the start of its events. */
void domain_send_locations(struct heaptap_domain *domain);

/* ---- In place (regions.c) ----------------------------------------------------------- */

/* A trace that is written in place, in `file`, whose options have no sink.  `full` is told once,
 * within an event, when the file gives no room any more: nothing is recorded from then on. */
enum heaptap_status writer_new_in_place(struct heaptap_writer **writer,
                                        const struct heaptap_trace_info *info,
                                        const struct heaptap_writer_options *options,
                                        struct growing_file *file,
                                        void (*full)(void *context, int code), void *full_context,
                                        struct heaptap_error *error);

/* Puts another rate into the first packet of such a trace. */
void writer_set_rate(struct heaptap_writer *writer, double rate);

/* Further ids have these upper bits, which no id has otherwise. */
static inline void domain_set_id_base(struct heaptap_domain *domain, uint64_t base)
{
    if (domain->id_base == base)
        return;
    domain->id_base = base;
    domain->chunk_end_id = domain->next_id; /* so that the next one is of another chunk */
}

/* Writes the trace's first packet, which was filled elsewhere.  0 or an errno. */
int regions_put_first(struct heaptap_writer *writer, const struct packet *packet);

/* Begins a packet of events at the end of the domain's region, or in a new one. */
void regions_begin_events(struct heaptap_domain *domain, size_t bound);

/* Makes domain->locations a new packet under `pid`, with room for `bytes`, before any event that is
 * still to come.  The open packet of events may be displaced by that. */
void regions_begin_names(struct heaptap_domain *domain, uint64_t pid, int64_t time_us,
                         size_t bytes);

/* Closes it, while no event is being written. */
void regions_end_names(struct heaptap_domain *domain);

/* Moves the event that is being written, and ends at `end`, behind what displaced it; NULL: there is
 * none. */
void regions_move_event(struct heaptap_domain *domain, uint8_t *end);

/* Closes the packet of events. */
void regions_end_events(struct heaptap_domain *domain);

/* Closes all packets and gives the rest of the regions back as fillers.  The domain can go on. */
void regions_leave(struct heaptap_domain *domain);

/* Frees a domain without writing anything: in a forked child, one of its parent's. */
void domain_discard(struct heaptap_domain *domain);

#endif
