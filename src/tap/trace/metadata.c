/* Metadata packets: ordinary packets under a pid that no process has, so that readers who don't
 * know them skip them whole. Inside stand records: a byte for the kind, 4 bytes for the size of the
 * rest, the rest.  A reader skips kinds that it doesn't know, and what a record has beyond the
 * fields that it knows. */
#include "tap/trace/writer.h"

#include <string.h>

#include "tap/trace/put.h"

enum { RECORD_HEADER_BYTES = 5, RECORD_NUMBERS_MAX_BYTES = 6 * 8 + 1 + HEAPTAP_BUILD_ID_MAX };

/* Room for a record's texts in an empty packet. */
enum {
    TEXT_MAX_BYTES = (FORMAT_PACKET_BYTES - FORMAT_HEADER_BYTES_DOMAIN - RECORD_HEADER_BYTES -
                      RECORD_NUMBERS_MAX_BYTES) /
                         2 -
                     1
};

static size_t text_size(const char *text)
{
    size_t size = 0;
    while (text && size < TEXT_MAX_BYTES && text[size])
        size++;
    return size;
}

static size_t record_bound(const struct heaptap_metadata *record)
{
    return RECORD_HEADER_BYTES + RECORD_NUMBERS_MAX_BYTES + text_size(record->name) + 1 +
           text_size(record->value) + 1;
}

static uint8_t *put_text(uint8_t *at, const char *text)
{
    return put_string(at, text ? text : "", text_size(text));
}

static uint8_t *put_module(uint8_t *at, const struct heaptap_metadata *record)
{
    at = put_64(put_64(put_64(at, record->address), record->size_bytes), record->file_offset);
    at = put_64(put_64(at, (uint64_t)record->loaded_us), (uint64_t)record->unloaded_us);
    uint8_t size = record->build_id_size <= HEAPTAP_BUILD_ID_MAX ? record->build_id_size : 0;
    at = put_8(at, size);
    memcpy(at, record->build_id, size);
    at = put_text(at + size, record->name);
    return put_64(at, record->number);
}

static uint8_t *put_fields(uint8_t *at, const struct heaptap_metadata *record)
{
    if (record->kind == METADATA_HALVINGS)
        return at;
    switch (record->kind) {
    case HEAPTAP_PROPERTY:
    case HEAPTAP_HOLDERS:
        return put_text(put_text(at, record->name), record->value);
    case HEAPTAP_MODULE:
        return put_module(at, record);
    case HEAPTAP_THREAD:
    case HEAPTAP_DROPS:
        return put_text(put_64(put_16(at, record->domain), record->number), record->name);
    case HEAPTAP_TYPE:
    case HEAPTAP_STOPPED:
    case HEAPTAP_ENDED:
        return put_text(put_64(at, record->number), record->name);
    case HEAPTAP_TEST:
        at = put_64(put_64(at, (uint64_t)record->begin_us), (uint64_t)record->end_us);
        return put_text(put_text(at, record->name), record->value);
    case HEAPTAP_PROCESS:
        break;
    }
    return at;
}

static void put_record(struct packet *packet, const struct heaptap_metadata *record)
{
    uint8_t *fields = packet->at + RECORD_HEADER_BYTES;
    uint8_t *end = put_fields(fields, record);
    put_32(put_8(packet->at, (uint8_t)record->kind), (uint32_t)(end - fields));
    packet->at = end;
}

static void end_packet(struct heaptap_domain *domain)
{
    if (domain->writer->file)
        regions_end_names(domain);
    else
        packet_send(&domain->locations, domain->writer, domain->end_us, domain->next_id);
    domain->locations = (struct packet){0};
}

/* In the packet of locations, which goes out first. */
void heaptap_domain_metadata(struct heaptap_domain *domain, const struct heaptap_metadata *records,
                             size_t count)
{
    if (!domain || !records)
        return;
    struct packet *packet = &domain->locations;
    for (size_t i = 0; i < count;) {
        domain_begin_names(domain, FORMAT_METADATA_PID, domain->end_us, record_bound(&records[i]));
        do {
            put_record(packet, &records[i++]);
            packet_keep(packet);
        } while (i < count && record_bound(&records[i]) <= packet_room(packet));
        end_packet(domain);
    }
}
