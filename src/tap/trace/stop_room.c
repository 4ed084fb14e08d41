#include "tap/trace/stop_room.h"

#include "tap/inside/text.h"
#include "tap/trace/put.h"
#include "tap/trace/writer.h"

uint8_t *stop_room_keep(struct heaptap_domain *domain)
{
    const struct heaptap_metadata room = metadata_stop_mark(STOP_ROOM);
    heaptap_domain_metadata(domain, &room, 1);
    bool is_in_place = domain->writer->file && heaptap_writer_errno(domain->writer) == 0;
    return is_in_place ? domain->names.at - STOP_ROOM_BYTES : NULL;
}

/* The number last: with it the text counts, whenever the process is killed. */
void stop_room_fill(uint8_t bytes[STOP_ROOM_BYTES], int64_t time_us, const char *reason)
{
    char padded[sizeof STOP_ROOM] = {0};
    struct text text;
    text_init(&text, padded, sizeof padded);
    text_add(&text, reason);
    memcpy(bytes + sizeof(uint64_t), padded, sizeof padded);
    __atomic_signal_fence(__ATOMIC_RELEASE);
    put_64(bytes, (uint64_t)time_us);
}
