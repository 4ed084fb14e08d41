#include "tap/trace/writer.h"

#include <errno.h>
#include <unistd.h>

#include "tap/trace/put.h"

enum { IDS_FROM_END = 16 };

static uint8_t *put_verifier(uint8_t *at, struct stack_encoder *verifier)
{
    return verifier ? stack_encoder_put_verifier(verifier, at)
                    : put_64(put_16(put_16(at, FORMAT_NO_VERIFIER), 0), 0);
}

/* The magic comes last: a place without it has no packet. */
void packet_begin(struct packet *packet, const struct heaptap_writer *writer,
                  const struct packet_header *header)
{
    uint32_t room = header->room ? header->room | FORMAT_ROOM_OPEN : 0;
    uint8_t *at = put_32(packet->start + 4, (uint32_t)packet_header_bytes(writer) * 8);
    at = put_64(put_64(at, (uint64_t)header->begin_us), (uint64_t)header->begin_us);
    at = put_16(put_32(at, room), writer->version);
    at = put_64(at, header->pid);
    if (writer->version >= FORMAT_VERSION_DOMAIN)
        at = put_16(at, header->domain);
    at = put_verifier(at, header->verifier);
    packet->at = put_64(put_64(at, header->first_id), header->first_id);
    __atomic_signal_fence(__ATOMIC_RELEASE);
    put_32(packet->start, FORMAT_MAGIC);
}

void packet_finish(struct packet *packet, const struct heaptap_writer *writer, int64_t end_us,
                   uint64_t next_id)
{
    uint8_t *room = packet->start + FORMAT_ROOM_OFFSET;
    packet_keep(packet);
    put_64(packet->start + FORMAT_END_OFFSET, (uint64_t)end_us);
    put_64(packet->start + packet_header_bytes(writer) - IDS_FROM_END / 2, next_id);
    __atomic_signal_fence(__ATOMIC_RELEASE);
    put_8(room + 3, room[3] & 0x7f);
}

void packet_send(struct packet *packet, struct heaptap_writer *writer, int64_t end_us,
                 uint64_t next_id)
{
    if (atomic_load_explicit(&writer->failed, memory_order_relaxed))
        return;
    packet_finish(packet, writer, end_us, next_id);
    int code = ECHILD;
    if (!writer->owner || getpid() == writer->owner)
        code = writer->sink.write(writer->sink.context, packet->start,
                                  (size_t)(packet->at - packet->start));
    int none = 0;
    if (code)
        atomic_compare_exchange_strong(&writer->failed, &none, code);
}
