/* Packets written in place, in a file that is memory (tap/inside/growing_file.h): an event is part of
 * the trace as soon as the size in its packet's header says so, and what becomes of the process
 * afterwards doesn't matter.  docs/trace-format.md says what an unfinished trace looks like.
 *
 * Each domain has regions of the file to itself.  In one of them it writes events.  Before that
 * one, or in its beginning, is one for names: locations and metadata.  So what a code means stands
 * in the file before any event of the open packet, and a new code needs no new packet.
 *
 * Where names need another region, that can only lie behind the open packet of events, maybe in the
 * middle of an event whose stack has the new code.  Then that packet is closed before this event,
 * which is "displaced": when it is whole it moves to a packet behind the new names.  That packet's
 * header has no verifier, as the codec has gone on.
 *
 * Where the file gives no room any more, packets go into the domain's own memory, and nowhere else.
 */
#include "tap/trace/writer.h"

#include "tap/trace/put.h"

enum {
    RECORD_HEADER_BYTES = 5,
    EVENT_HEADER_BYTES = 4,
    FILLER_BYTES = FORMAT_HEADER_BYTES_DOMAIN + RECORD_HEADER_BYTES, /* the shortest */
    FIRST_REGION_BYTES = 16 << 10,
    MOST_REGION_BYTES = 1 << 20,
    NAMES_SHARE = 8, /* of the next region's length, for names */
    NAMES_MOST_BYTES = 64 << 10,
    NAMES_LEAST_BYTES = GROWING_FILE_PAGE_BYTES,
    NAMES_LOW_BYTES = 1 << 10, /* less than that is better renewed with the region of events */
    EVENTS_LEAST_BYTES = 2 << 10,
};

static uint8_t *next_page(uint8_t *at)
{
    return at + (-(uintptr_t)at & (GROWING_FILE_PAGE_BYTES - 1));
}

static size_t left(const struct region *region)
{
    return (size_t)(region->end - region->at);
}

/* ---- Fillers ------------------------------------------------------------------------ */

/* What their headers say, whose room ends at `end`. */
struct filler {
    const struct heaptap_writer *writer;
    struct packet_header header;
    const uint8_t *end;
};

static struct filler filler_of(const struct heaptap_domain *domain, const uint8_t *end)
{
    return (struct filler){.writer = domain->writer,
                           .header = {.pid = FORMAT_METADATA_PID,
                                      .domain = domain->number,
                                      .begin_us = domain->end_us,
                                      .first_id = domain->next_id},
                           .end = end};
}

/* Packets of metadata without any, from `from` to `to`. */
static void fill(struct filler filler, uint8_t *from, const uint8_t *to)
{
    while (from < to) {
        size_t rest = (size_t)(to - from), size = rest;
        if (rest > FORMAT_PACKET_BYTES)
            size = rest - FILLER_BYTES < FORMAT_PACKET_BYTES ? rest - FILLER_BYTES
                                                             : FORMAT_PACKET_BYTES;
        struct packet packet = {.start = from};
        filler.header.room = (uint32_t)(filler.end - from);
        packet_begin(&packet, filler.writer, &filler.header);
        growing_file_mark(filler.writer->file, packet.start);
        put_32(put_8(packet.at, 0), (uint32_t)(from + size - packet.at - RECORD_HEADER_BYTES));
        packet.at = from + size;
        packet_finish(&packet, filler.writer, filler.header.begin_us, filler.header.first_id);
        from += size;
    }
}

static void give_back(const struct heaptap_domain *domain, struct region *region)
{
    fill(filler_of(domain, region->end), region->at, region->end);
    *region = (struct region){0};
}

/* ---- Taking ------------------------------------------------------------------------- */

static void fail(struct heaptap_writer *writer)
{
    int none = 0, code = atomic_load(&writer->file->failed);
    if (atomic_compare_exchange_strong(&writer->failed, &none, code) && writer->full)
        writer->full(writer->full_context, code);
}

/* The domain's next region, of at least `least` bytes; shorter than usual where little is left. */
static bool take(struct heaptap_domain *domain, size_t least, struct region *region)
{
    struct growing_file *file = domain->writer->file;
    size_t bytes = domain->region_bytes;
    uint64_t room = growing_file_left(file);
    if (bytes > room)
        bytes = (size_t)room / GROWING_FILE_PAGE_BYTES * GROWING_FILE_PAGE_BYTES;
    if (bytes < least)
        bytes = growing_file_whole_pages(least);
    uint8_t *at = growing_file_take(file, bytes);
    if (!at) {
        fail(domain->writer);
        return false;
    }
    *region = (struct region){at, at + bytes};
    if (domain->region_bytes < MOST_REGION_BYTES)
        domain->region_bytes *= 2;
    return true;
}

static bool has_failed(const struct heaptap_domain *domain)
{
    return heaptap_writer_errno(domain->writer) != 0;
}

static void begin_nowhere(const struct heaptap_domain *domain, struct packet *packet,
                          uint8_t *bytes)
{
    packet->start = bytes;
    packet->limit = bytes + FORMAT_PACKET_BYTES;
    packet_begin(packet, domain->writer, &(struct packet_header){0});
}

static bool is_nowhere(const struct heaptap_domain *domain)
{
    return domain->events.start == domain->events_bytes;
}

/* Begins a packet at the region's next place, which is known to have room for it. */
static void begin(const struct heaptap_domain *domain, struct packet *packet,
                  const struct region *region, struct packet_header *header)
{
    uint8_t *most = region->at + FORMAT_PACKET_BYTES, *last = region->end - FILLER_BYTES;
    header->domain = domain->number;
    header->room = (uint32_t)left(region);
    packet->start = region->at;
    packet->limit = most < last ? most : last;
    packet_begin(packet, domain->writer, header);
    growing_file_mark(domain->writer->file, packet->start);
}

/* ---- Names -------------------------------------------------------------------------- */

static size_t names_bytes(const struct heaptap_domain *domain, size_t least)
{
    size_t bytes = growing_file_whole_pages(domain->region_bytes / NAMES_SHARE);
    bytes = bytes < NAMES_MOST_BYTES ? bytes : NAMES_MOST_BYTES;
    bytes = bytes > NAMES_LEAST_BYTES ? bytes : NAMES_LEAST_BYTES;
    return bytes > least ? bytes : growing_file_whole_pages(least);
}

/* Makes the first `bytes` of a region that of names. */
static void split(struct heaptap_domain *domain, struct region *region, size_t bytes)
{
    domain->names = (struct region){region->at, region->at + bytes};
    region->at += bytes;
}

/* The first page that the event being written can't reach, or the packet to be written. */
static uint8_t *carving_place(const struct heaptap_domain *domain)
{
    const struct packet *events = &domain->events;
    uint8_t *at = domain->region.at;
    if (!events->start)
        return next_page(at) == at ? at : next_page(at + FILLER_BYTES);
    size_t bound = domain->event_bound > FILLER_BYTES ? domain->event_bound : FILLER_BYTES;
    return next_page(events->at + bound);
}

/* Finds where names of at least `least` bytes and the events behind them can go. */
static bool displace(struct heaptap_domain *domain, size_t least)
{
    size_t bytes = names_bytes(domain, least), both = bytes + EVENTS_LEAST_BYTES;
    struct region *next = &domain->next;
    if (domain->displaced) {
        if (left(next) < both)
            give_back(domain, next);
        if (!next->end && !take(domain, both, next))
            return false;
    } else {
        uint8_t *at = carving_place(domain), *end = domain->region.end;
        bool fits = end && at < end && (size_t)(end - at) >= both;
        if (!fits && !take(domain, both, next))
            return false;
        if (fits)
            *next = (struct region){at, end};
        domain->gap_end = fits ? at : end;
    }
    domain->displaced = true;
    split(domain, next, bytes);
    return true;
}

static void end_names(struct heaptap_domain *domain)
{
    struct packet *packet = &domain->locations;
    if (packet->start && packet->start != domain->locations_bytes) {
        packet_finish(packet, domain->writer, domain->names_us, domain->names_id);
        domain->names.at = packet->at;
    }
    *packet = (struct packet){0};
}

void regions_begin_names(struct heaptap_domain *domain, uint64_t pid, int64_t time_us, size_t bytes)
{
    size_t least = packet_header_bytes(domain->writer) + bytes + FILLER_BYTES;
    struct packet_header header = {.pid = pid, .begin_us = time_us, .first_id = domain->next_id};
    end_names(domain);
    if (!has_failed(domain) && left(&domain->names) < least) {
        give_back(domain, &domain->names);
        displace(domain, least);
    }
    domain->names_us = time_us;
    domain->names_id = domain->next_id;
    if (domain->names.end && left(&domain->names) >= least)
        begin(domain, &domain->locations, &domain->names, &header);
    else
        begin_nowhere(domain, &domain->locations, domain->locations_bytes);
}

void regions_end_names(struct heaptap_domain *domain)
{
    end_names(domain);
    if (domain->displaced)
        regions_move_event(domain, NULL);
}

/* ---- Events ------------------------------------------------------------------------- */

static bool renew(struct heaptap_domain *domain, size_t least)
{
    bool names_too = left(&domain->names) < NAMES_LOW_BYTES;
    size_t bytes = names_too ? names_bytes(domain, 0) : 0;
    give_back(domain, &domain->region);
    if (!take(domain, bytes + least, &domain->region))
        return false;
    if (names_too) {
        end_names(domain);
        give_back(domain, &domain->names);
        split(domain, &domain->region, bytes);
    }
    return true;
}

static void open_events(struct heaptap_domain *domain, struct stack_encoder *verifier)
{
    struct packet_header header = {.pid = domain->writer->trace_pid,
                                   .begin_us = domain->begin_us,
                                   .first_id = domain->first_id,
                                   .verifier = verifier};
    begin(domain, &domain->events, &domain->region, &header);
}

void regions_begin_events(struct heaptap_domain *domain, size_t bound)
{
    size_t least = packet_header_bytes(domain->writer) + FILLER_BYTES +
                   (bound > EVENTS_LEAST_BYTES ? bound : EVENTS_LEAST_BYTES);
    if (has_failed(domain) || (left(&domain->region) < least && !renew(domain, least)))
        begin_nowhere(domain, &domain->events, domain->events_bytes);
    else
        open_events(domain, &domain->stacks);
}

void regions_end_events(struct heaptap_domain *domain)
{
    if (domain->events.start && !is_nowhere(domain)) {
        packet_finish(&domain->events, domain->writer, domain->end_us, domain->next_id);
        domain->region.at = domain->events.at;
    }
    domain->events = (struct packet){0};
}

/* Copies the event to where the next packet's events begin, without that packet yet. */
static bool copy_event(struct heaptap_domain *domain, const uint8_t *event, size_t size)
{
    size_t header = packet_header_bytes(domain->writer), least = header + size + FILLER_BYTES;
    if (left(&domain->next) < least) {
        give_back(domain, &domain->next);
        if (!take(domain, least, &domain->next))
            return false;
    }
    memcpy(domain->next.at + header, event, size);
    return true;
}

void regions_move_event(struct heaptap_domain *domain, uint8_t *end)
{
    uint8_t *event = domain->events.at;
    size_t size = end ? (size_t)(end - event) : 0;
    domain->displaced = false;
    if (domain->events.start && is_nowhere(domain)) {
        domain->events.at = end ? end : event;
        return;
    }
    bool copied = size > 0 && copy_event(domain, event, size);
    regions_end_events(domain);
    fill(filler_of(domain, domain->region.end), domain->region.at, domain->gap_end);
    domain->region = domain->next;
    domain->next = (struct region){0};
    domain->first_id = domain->next_id;
    domain->begin_us = domain->end_us;
    if (copied) {
        open_events(domain, NULL);
        domain->events.at += size;
        packet_keep(&domain->events);
    }
}

/* ---- The trace ---------------------------------------------------------------------- */

int regions_put_first(struct heaptap_writer *writer, const struct packet *packet)
{
    size_t size = (size_t)(packet->at - packet->start),
           bytes = growing_file_whole_pages(size + FILLER_BYTES);
    uint8_t *at = growing_file_take(writer->file, bytes);
    if (!at)
        return atomic_load(&writer->file->failed);
    memcpy(at + 4, packet->start + 4, size - 4);
    put_32(at + FORMAT_ROOM_OFFSET, (uint32_t)bytes);
    __atomic_signal_fence(__ATOMIC_RELEASE);
    memcpy(at, packet->start, 4);
    const struct filler filler = {
        .writer = writer,
        .header = {.pid = FORMAT_METADATA_PID, .begin_us = writer->start_us},
        .end = at + bytes};
    fill(filler, at + size, at + bytes);
    return 0;
}

void writer_set_rate(struct heaptap_writer *writer, double rate)
{
    uint64_t bits;
    memcpy(&bits, &rate, sizeof bits);
    uint8_t *at = writer->file->view.base + packet_header_bytes(writer) + EVENT_HEADER_BYTES;
    __atomic_store_n((uint64_t *)(void *)at, bits,
                     __ATOMIC_RELEASE); /* which is aligned in version 3 */
}

void regions_leave(struct heaptap_domain *domain)
{
    regions_end_events(domain);
    end_names(domain);
    give_back(domain, &domain->region);
    give_back(domain, &domain->names);
    domain->region_bytes = FIRST_REGION_BYTES;
}
