/* The trace as a whole: its first packet, and what all domains share, which is little: the sink,
 * the counter from which they take block ids by the chunk, and the errno of the first failure.  All
 * three are atomic or constant, so domains never wait for each other here.
 *
 * Memory comes from mmap, in the `new` functions alone: the writer runs inside malloc, in a process
 * that isn't ours. */
#include "tap/trace/writer.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "tap/inside/fail.h"
#include "tap/inside/info_fault.h"
#include "tap/inside/pages.h"
#include "tap/trace/put.h"

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

/* Where the first packet is filled. */
struct first_packet {
    struct packet packet;
    uint8_t bytes[FORMAT_PACKET_BYTES];
};

static int put_first(struct heaptap_writer *writer, struct packet *packet, int64_t start_us)
{
    if (!writer->file) {
        packet_send(packet, writer, start_us, 0);
        return heaptap_writer_errno(writer);
    }
    packet_finish(packet, writer, start_us, 0);
    return regions_put_first(writer, packet);
}

static enum heaptap_status send_info(struct heaptap_writer *writer,
                                     const struct heaptap_trace_info *info,
                                     struct heaptap_error *error)
{
    struct first_packet *first = pages_map(sizeof *first);
    if (!first)
        return fail_memory(error);
    const struct packet_header header = {
        .pid = writer->trace_pid, .domain = info->initial_domain, .begin_us = info->start_us};
    first->packet = (struct packet){.start = first->bytes};
    packet_begin(&first->packet, writer, &header);
    put_info(&first->packet, info);
    int code = put_first(writer, &first->packet, info->start_us);
    pages_unmap(first, sizeof *first);
    return code ? fail_errno(error, HEAPTAP_SYSTEM, code, "the trace cannot be written")
                : HEAPTAP_OK;
}

/* What the reader would refuse. */
static const char *find_fault(const struct heaptap_trace_info *info)
{
    if (info->version < FORMAT_VERSION_CONTEXT || info->version > FORMAT_VERSION_MAX)
        return "only versions 2 and 3 of the format are written";
    return info_fault(info);
}

enum heaptap_status writer_new_in_place(struct heaptap_writer **result,
                                        const struct heaptap_trace_info *info,
                                        const struct heaptap_writer_options *options,
                                        struct growing_file *file,
                                        void (*full)(void *context, int code), void *full_context,
                                        struct heaptap_error *error)
{
    *result = NULL;
    const char *fault = find_fault(info);
    if (fault)
        return fail(error, HEAPTAP_BAD_ARGUMENT, fault);
    struct heaptap_writer *writer = pages_map(sizeof *writer);
    if (!writer)
        return fail_memory(error);
    writer->sink = options->sink;
    writer->file = file;
    writer->full = full;
    writer->full_context = full_context;
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

enum heaptap_status heaptap_writer_new(struct heaptap_writer **result,
                                       const struct heaptap_trace_info *info,
                                       const struct heaptap_writer_options *options,
                                       struct heaptap_error *error)
{
    if (result)
        *result = NULL;
    if (!result || !info || !options || !options->sink.write)
        return fail(error, HEAPTAP_BAD_ARGUMENT,
                    "a trace's writer needs what it says, a sink and a place for itself");
    return writer_new_in_place(result, info, options, NULL, NULL, NULL, error);
}

void heaptap_writer_free(struct heaptap_writer *writer)
{
    if (writer)
        pages_unmap(writer, sizeof *writer);
}

int heaptap_writer_errno(const struct heaptap_writer *writer)
{
    return writer ? atomic_load_explicit(&writer->failed, memory_order_relaxed) : 0;
}

/* Whether no open domain had the number; it is taken then. */
static bool take_number(struct heaptap_writer *writer, uint16_t number)
{
    uint64_t bit = UINT64_C(1) << number % 64;
    return !(atomic_fetch_or(&writer->taken[number / 64], bit) & bit);
}

static void give_back_number(struct heaptap_writer *writer, uint16_t number)
{
    atomic_fetch_and(&writer->taken[number / 64], ~(UINT64_C(1) << number % 64));
}

enum heaptap_status heaptap_domain_new(struct heaptap_domain **result,
                                       struct heaptap_writer *writer, uint16_t number,
                                       struct heaptap_error *error)
{
    if (result)
        *result = NULL;
    if (!result || !writer)
        return fail(error, HEAPTAP_BAD_ARGUMENT, "a domain needs a trace's writer, and a place");
    size_t size = sizeof(struct heaptap_domain) + (size_t)writer->max_frames * sizeof(uint64_t);
    if (atomic_fetch_add(&writer->domains, 1) > 0 && writer->version < FORMAT_VERSION_DOMAIN)
        return fail(error, HEAPTAP_BAD_ARGUMENT, "version 2 of the format holds one domain only");
    if (!take_number(writer, number))
        return fail(error, HEAPTAP_BAD_STATE, "a domain of this number is still open");
    struct heaptap_domain *domain = *result = pages_map(size);
    if (!domain) {
        give_back_number(writer, number);
        return fail_memory(error);
    }
    domain->writer = writer;
    domain->mapped_bytes = size;
    domain->number = number;
    stack_encoder_init(&domain->stacks);
    domain->end_us = writer->start_us;
    regions_leave(domain);
    return HEAPTAP_OK;
}

void heaptap_domain_free(struct heaptap_domain *domain)
{
    if (!domain)
        return;
    heaptap_domain_flush(domain);
    if (domain->writer->file)
        regions_leave(domain);
    domain_discard(domain);
}

void domain_discard(struct heaptap_domain *domain)
{
    give_back_number(domain->writer, domain->number);
    pages_unmap(domain, domain->mapped_bytes);
}
