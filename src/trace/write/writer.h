/* What the files of the writer share. */
#ifndef TRACE_WRITE_WRITER_H
#define TRACE_WRITE_WRITER_H

#include <stdatomic.h>
#include <sys/types.h>

#include "heaptap/trace.h"
#include "trace/format.h"
#include "trace/write/location_encoder.h"
#include "trace/write/stack_encoder.h"

struct heaptap_writer {
    struct heaptap_sink sink;
    heaptap_describe *describe;
    void *describe_context;
    uint32_t max_frames;      /* of each domain's last_stack */
    uint16_t version;         /* of the format */
    uint64_t trace_pid;       /* in every packet */
    int64_t start_us;         /* of the trace, since the epoch */
    pid_t owner;              /* the process that may write; 0: any */
    _Atomic unsigned domains; /* made so far */
    _Atomic uint64_t ids;     /* the first block id of the next chunk */
    _Atomic int failed;       /* errno of the first failure, or 0 */
};

/* A packet being filled. */
struct packet {
    uint8_t *at; /* the next byte to write; `bytes` + header size when it is empty */
    uint8_t bytes[FORMAT_PACKET_BYTES];
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

    struct packet events;    /* whose `at` is in the first cache line too, as all the above */
    struct packet locations; /* of codes first used in `events`; goes out before it */

    struct stack_encoder stacks;
    struct location_encoder location_codec;
    uint64_t described[1 << DESCRIBED_BITS]; /* codes whose locations are written, by hash; a
                                                collision writes them again, which harms nobody */
    bool described_zero;                     /* the same for code 0 */
    struct heaptap_location scratch[HEAPTAP_LOCATIONS_MAX]; /* for the describe callback */

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
    return (size_t)(packet->bytes + sizeof packet->bytes - packet->at);
}

static inline bool packet_is_empty(const struct heaptap_writer *writer, const struct packet *packet)
{
    return packet->at == packet->bytes + packet_header_bytes(writer);
}

/* Empties the packet and writes its header as far as it is known: `verifier` is the domain's codec,
 * or NULL. */
void packet_begin(struct packet *packet, const struct heaptap_writer *writer, uint64_t pid,
                  uint16_t domain, struct stack_encoder *verifier);

/* Completes the header. */
void packet_finish(struct packet *packet, const struct heaptap_writer *writer, int64_t begin_us,
                   int64_t end_us, uint64_t first_id, uint64_t next_id);

/* Completes and sends. */
void packet_send(struct packet *packet, struct heaptap_writer *writer, int64_t begin_us,
                 int64_t end_us, uint64_t first_id, uint64_t next_id);

/* Begins a packet of events; `verifier` as above. */
void domain_begin(struct heaptap_domain *domain, struct stack_encoder *verifier);

/* Sends the domain's locations, if there are any, dated at the start of its events. */
void domain_send_locations(struct heaptap_domain *domain);

/* Makes sure that the locations of `code` are written before the events now being filled. */
void domain_describe(struct heaptap_domain *domain, uint64_t code);

#endif
