#include "trace/packet_walk.h"

#include "base/error.h"
#include "trace/get.h"

static bool ends_a_page(uint64_t offset)
{
    return offset % FORMAT_PAGE_BYTES == 0;
}

enum walk_step packet_walk_look(struct packet_walk *walk, const uint8_t *at, size_t available)
{
    uint64_t region_end = walk->region_end;
    walk->region_end = 0;
    if (available >= 4 && get_32(at) == FORMAT_MAGIC)
        return WALK_PACKET;
    if (region_end > 0) {
        walk->offset = region_end;
        return WALK_MOVED;
    }
    if (at[0] != 0)
        return WALK_PACKET;
    if (!walk->has_regions)
        return WALK_GAP;
    walk->offset += FORMAT_PAGE_BYTES - walk->offset % FORMAT_PAGE_BYTES;
    return WALK_MOVED;
}

static enum heaptap_status check_room(const struct packet_header *header,
                                      struct heaptap_error *error)
{
    if (header->room >= header->bytes && ends_a_page(header->offset + header->room))
        return HEAPTAP_OK;
    return error_at(error, header->offset + PACKET_ROOM_OFFSET,
                    "the packet of %zu bytes gives its room as %zu; expected no less, up to a "
                    "multiple of %d",
                    header->bytes, header->room, FORMAT_PAGE_BYTES);
}

enum heaptap_status packet_walk_take(struct packet_walk *walk, struct packet_header *header,
                                     struct heaptap_error *error)
{
    if (header->offset == 0)
        walk->has_regions = header->room > 0 && check_room(header, NULL) == HEAPTAP_OK;
    if (!walk->has_regions)
        header->room = 0;
    header->is_open = header->is_open && header->room > 0;
    if (header->room > 0) {
        enum heaptap_status status = check_room(header, error);
        if (status != HEAPTAP_OK)
            return status;
    }
    walk->has_open |= header->is_open;
    uint64_t region_end = header->room > 0 ? header->offset + header->room : 0;
    walk->offset = header->is_open ? region_end : header->offset + header->bytes;
    walk->region_end = header->is_open ? 0 : region_end;
    if (header->is_open)
        packet_header_leave_open(header);
    return HEAPTAP_OK;
}
