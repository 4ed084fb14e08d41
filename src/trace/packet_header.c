#include "trace/packet_header.h"

#include "base/error.h"
#include "trace/get.h"

enum {
    SIZE_OFFSET = 4,
    BEGIN_OFFSET = 8,
    END_OFFSET = 16,
    VERSION_OFFSET = 28,
    DOMAIN_OFFSET = 38
};

/* What must hold before the rest can be decoded at all. */
static enum heaptap_status check_start(const uint8_t *at, size_t available, uint64_t offset,
                                       struct heaptap_error *error)
{
    if (available >= 4 && get_32(at) != FORMAT_MAGIC)
        return error_at(
            error, offset,
            "a packet should begin with the bytes c1 1f fc c1, not with %02x %02x %02x %02x", at[0],
            at[1], at[2], at[3]);
    if (available < FORMAT_HEADER_BYTES)
        return error_at(
            error, offset,
            "expected a packet header of %d bytes or more here, but the trace ends after %zu",
            FORMAT_HEADER_BYTES, available);
    unsigned version = get_16(at + VERSION_OFFSET);
    if (version < 1 || version > FORMAT_VERSION_MAX)
        return error_at(error, offset + VERSION_OFFSET,
                        "the packet has format version %u, but versions 1 to %d are known", version,
                        FORMAT_VERSION_MAX);
    if (version >= FORMAT_VERSION_DOMAIN && available < FORMAT_HEADER_BYTES_DOMAIN)
        return error_at(error, offset,
                        "expected a packet header of %d bytes here, but the trace ends after %zu",
                        FORMAT_HEADER_BYTES_DOMAIN, available);
    return HEAPTAP_OK;
}

enum heaptap_status packet_header_decode(struct packet_header *header, const uint8_t *at,
                                         size_t available, uint64_t offset,
                                         struct heaptap_error *error)
{
    enum heaptap_status status = check_start(at, available, offset, error);
    if (status != HEAPTAP_OK)
        return status;
    header->offset = offset;
    header->bytes = get_32(at + SIZE_OFFSET) / 8;
    header->begin_us = (int64_t)get_64(at + BEGIN_OFFSET);
    header->end_us = (int64_t)get_64(at + END_OFFSET);
    header->room = get_32(at + PACKET_ROOM_OFFSET) & ~FORMAT_ROOM_OPEN;
    header->is_open = get_32(at + PACKET_ROOM_OFFSET) & FORMAT_ROOM_OPEN;
    header->version = get_16(at + VERSION_OFFSET);
    header->pid = get_64(at + PACKET_PID_OFFSET);
    const uint8_t *rest = at + DOMAIN_OFFSET;
    header->domain = 0;
    if (header->version >= FORMAT_VERSION_DOMAIN) {
        header->domain = get_16(rest);
        rest += 2;
    }
    header->verify_bucket = get_16(rest);
    header->verify_next = get_16(rest + 2);
    header->verify_code = get_64(rest + 4);
    header->first_id = get_64(rest + 12);
    header->end_id = get_64(rest + 20);
    header->header_bytes = (size_t)(rest + 28 - at);
    if (header->bytes < header->header_bytes)
        return error_at(error, offset + SIZE_OFFSET,
                        "the packet gives its size as %zu bytes, less than its header's %zu",
                        header->bytes, header->header_bytes);
    if (header->bytes > FORMAT_PACKET_MAX_BYTES)
        return error_at(error, offset + SIZE_OFFSET,
                        "the packet gives its size as %zu bytes; at most %d were expected",
                        header->bytes, FORMAT_PACKET_MAX_BYTES);
    return HEAPTAP_OK;
}

void packet_header_leave_open(struct packet_header *header)
{
    header->is_open = true;
    header->end_us = (int64_t)((uint64_t)header->begin_us + FORMAT_TIME_MASK);
}
