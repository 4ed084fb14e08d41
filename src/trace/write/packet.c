#include "trace/write/writer.h"

#include <errno.h>
#include <unistd.h>

#include "trace/write/put.h"

/* Places in a packet header of what is known only at its end. */
enum { SIZE_OFFSET = 4, BEGIN_OFFSET = 8, END_OFFSET = 16, IDS_FROM_END = 16 };

void packet_begin(struct packet *packet, const struct heaptap_writer *writer, uint64_t pid,
                  uint16_t domain, struct stack_encoder *verifier)
{
    uint8_t *at = put_32(packet->bytes, FORMAT_MAGIC);
    at = put_32(at, 0);
    at = put_64(put_64(at, 0), 0);
    at = put_32(at, 0);
    at = put_16(at, writer->version);
    at = put_64(at, pid);
    if (writer->version >= FORMAT_VERSION_DOMAIN)
        at = put_16(at, domain);
    if (verifier)
        at = stack_encoder_put_verifier(verifier, at);
    else
        at = put_64(put_16(put_16(at, FORMAT_NO_VERIFIER), 0), 0);
    packet->at = put_64(put_64(at, 0), 0);
}

void packet_finish(struct packet *packet, const struct heaptap_writer *writer, int64_t begin_us,
                   int64_t end_us, uint64_t first_id, uint64_t next_id)
{
    uint8_t *ids = packet->bytes + packet_header_bytes(writer) - IDS_FROM_END;
    put_32(packet->bytes + SIZE_OFFSET, (uint32_t)(packet->at - packet->bytes) * 8);
    put_64(packet->bytes + BEGIN_OFFSET, (uint64_t)begin_us);
    put_64(packet->bytes + END_OFFSET, (uint64_t)end_us);
    put_64(put_64(ids, first_id), next_id);
}

void packet_send(struct packet *packet, struct heaptap_writer *writer, int64_t begin_us,
                 int64_t end_us, uint64_t first_id, uint64_t next_id)
{
    if (atomic_load_explicit(&writer->failed, memory_order_relaxed))
        return;
    packet_finish(packet, writer, begin_us, end_us, first_id, next_id);
    int code = ECHILD;
    if (!writer->owner || getpid() == writer->owner)
        code = writer->sink.write(writer->sink.context, packet->bytes,
                                  (size_t)(packet->at - packet->bytes));
    int none = 0;
    if (code)
        atomic_compare_exchange_strong(&writer->failed, &none, code);
}
