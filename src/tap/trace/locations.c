/* The packets that say what codes mean.  They are filled beside the events that use the codes, and
 * come before them; one that is full goes out at once, being early does no harm. */
#include "tap/trace/writer.h"

#include <string.h>

#include "tap/trace/put.h"

enum { EVENT_HEADER_BYTES = 4 };

void domain_send_locations(struct heaptap_domain *domain)
{
    struct heaptap_writer *writer = domain->writer;
    if (!packet_is_empty(writer, &domain->locations))
        packet_send(&domain->locations, writer, domain->begin_us, domain->first_id);
    domain->locations = (struct packet){0};
}

void domain_begin_names(struct heaptap_domain *domain, uint64_t pid, int64_t time_us, size_t bytes)
{
    const struct packet_header header = {
        .pid = pid, .domain = domain->number, .begin_us = time_us, .first_id = domain->first_id};
    if (domain->writer->file) {
        regions_begin_names(domain, pid, time_us, bytes);
        return;
    }
    domain_send_locations(domain);
    domain->locations.start = domain->locations_bytes;
    domain->locations.limit = domain->locations_bytes + sizeof domain->locations_bytes;
    packet_begin(&domain->locations, domain->writer, &header);
}

/* Is `code` described already?  Notes that it will be. */
static bool test_and_set_described(struct heaptap_domain *domain, uint64_t code)
{
    uint64_t *known =
        &domain->described[code * UINT64_C(0x9e3779b97f4a7c15) >> (64 - DESCRIBED_BITS)];
    bool was = code ? *known == code : domain->described_zero;
    *known = code;
    domain->described_zero |= code == 0;
    return was;
}

static size_t look_up(struct heaptap_domain *domain, uint64_t code)
{
    struct heaptap_writer *writer = domain->writer;
    if (code == HEAPTAP_CODE_TRUNCATED) {
        domain->scratch[0] =
            (struct heaptap_location){.file = "<unknown>", .function = "<truncated>"};
        return 1;
    }
    if (!writer->describe)
        return 0;
    size_t count =
        writer->describe(writer->describe_context, code, domain->scratch, HEAPTAP_LOCATIONS_MAX);
    for (size_t i = 0; i < count; i++) {
        domain->scratch[i].file = domain->scratch[i].file ? domain->scratch[i].file : "";
        domain->scratch[i].function =
            domain->scratch[i].function ? domain->scratch[i].function : "";
    }
    return count;
}

void domain_describe(struct heaptap_domain *domain, uint64_t code)
{
    if (test_and_set_described(domain, code))
        return;
    size_t count = look_up(domain, code);
    size_t bound = EVENT_HEADER_BYTES + location_encoder_bound(domain->scratch, count);
    if (packet_room(&domain->locations) < bound)
        domain_begin_names(domain, domain->writer->trace_pid, domain->begin_us, bound);
    int64_t time_us = domain->writer->file ? domain->names_us : domain->begin_us;
    uint8_t *at = domain->locations.at;
    at = put_32(at, (uint32_t)EVENT_LOCATION << FORMAT_TIME_BITS |
                        ((uint64_t)time_us & FORMAT_TIME_MASK));
    domain->locations.at =
        location_encoder_put(&domain->location_codec, at, code, domain->scratch, count);
    packet_keep(&domain->locations);
}
