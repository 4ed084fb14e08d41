/* The trace as a whole: its first packet, and what all domains share, which is little: the sink,
 * the counter from which they take block ids by the chunk, and the errno of the first failure.  All
 * three are atomic or constant, so domains never wait for each other here.
 *
 * Memory comes from mmap, in the `new` functions alone: the writer runs inside malloc, in a process
 * that isn't ours. */
#include "trace/write/writer.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "inside/fail.h"
#include "inside/pages.h"
#include "trace/write/put.h"

enum { DEFAULT_MAX_FRAMES = 4096, INFO_STRINGS = 4 };

/* The trace's texts can be longer than a packet in theory: each gets at most its share. */
static uint8_t *put_info_string(uint8_t *at, const char *text)
{
    const size_t most = FORMAT_PACKET_BYTES / (INFO_STRINGS + 1);
    const char *some = text ? text : "";
    size_t size = strlen(some);
    return put_string(at, some, size < most ? size : most);
}

static void put_info(struct packet *packet, const struct heaptap_trace_info *info)
{
    uint8_t *at = packet->at;
    at = put_32(at, (uint32_t)EVENT_INFO << FORMAT_TIME_BITS |
                        ((uint64_t)info->start_us & FORMAT_TIME_MASK));
    at = put_double(at, info->sample_rate);
    at = put_8(at, (uint8_t)info->word_bits);
    at = put_info_string(at, info->executable);
    at = put_info_string(at, info->host);
    at = put_info_string(at, info->runtime_params);
    at = put_64(at, info->pid);
    packet->at = put_info_string(at, info->context);
}

static enum heaptap_status send_info(struct heaptap_writer *writer,
                                     const struct heaptap_trace_info *info,
                                     struct heaptap_error *error)
{
    struct packet *packet = pages_map(sizeof *packet);
    if (!packet)
        return fail_memory(error);
    packet_begin(packet, writer, writer->trace_pid, info->initial_domain, NULL);
    put_info(packet, info);
    packet_send(packet, writer, info->start_us, info->start_us, 0, 0);
    pages_unmap(packet, sizeof *packet);
    int code = heaptap_writer_errno(writer);
    return code ? fail_errno(error, HEAPTAP_SYSTEM, code, "the trace cannot be written")
                : HEAPTAP_OK;
}

enum heaptap_status heaptap_writer_new(struct heaptap_writer **result,
                                       const struct heaptap_trace_info *info,
                                       const struct heaptap_writer_options *options,
                                       struct heaptap_error *error)
{
    *result = NULL;
    if (info->version < FORMAT_VERSION_CONTEXT || info->version > FORMAT_VERSION_MAX)
        return fail(error, HEAPTAP_BAD_ARGUMENT, "only versions 2 and 3 of the format are written");
    struct heaptap_writer *writer = pages_map(sizeof *writer);
    if (!writer)
        return fail_memory(error);
    writer->sink = options->sink;
    writer->describe = options->describe;
    writer->describe_context = options->describe_context;
    writer->max_frames = options->max_frames ? options->max_frames : DEFAULT_MAX_FRAMES;
    writer->version = (uint16_t)info->version;
    writer->trace_pid = info->pid;
    writer->start_us = info->start_us;
    writer->owner = options->any_process ? 0 : getpid();
    enum heaptap_status status = send_info(writer, info, error);
    if (status != HEAPTAP_OK) {
        heaptap_writer_free(writer);
        return status;
    }
    *result = writer;
    return HEAPTAP_OK;
}

void heaptap_writer_free(struct heaptap_writer *writer)
{
    if (writer)
        pages_unmap(writer, sizeof *writer);
}

int heaptap_writer_errno(const struct heaptap_writer *writer)
{
    return atomic_load_explicit(&writer->failed, memory_order_relaxed);
}

enum heaptap_status heaptap_domain_new(struct heaptap_domain **result,
                                       struct heaptap_writer *writer, uint16_t number,
                                       struct heaptap_error *error)
{
    size_t size = sizeof(struct heaptap_domain) + (size_t)writer->max_frames * sizeof(uint64_t);
    *result = NULL;
    if (atomic_fetch_add(&writer->domains, 1) > 0 && writer->version < FORMAT_VERSION_DOMAIN)
        return fail(error, HEAPTAP_BAD_ARGUMENT, "version 2 of the format holds one domain only");
    struct heaptap_domain *domain = *result = pages_map(size);
    if (!domain)
        return fail_memory(error);
    domain->writer = writer;
    domain->mapped_bytes = size;
    domain->number = number;
    stack_encoder_init(&domain->stacks);
    domain_begin(domain, NULL);
    packet_begin(&domain->locations, writer, writer->trace_pid, number, NULL);
    domain->end_us = writer->start_us;
    return HEAPTAP_OK;
}

void heaptap_domain_free(struct heaptap_domain *domain)
{
    if (!domain)
        return;
    heaptap_domain_flush(domain);
    pages_unmap(domain, domain->mapped_bytes);
}
