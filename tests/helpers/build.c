#include "helpers/build.h"

#include <string.h>

#include "spec/trace_format.h"

size_t build_packet(struct bytes *bytes, const struct build_header *header)
{
    size_t packet = bytes->size;
    bytes_number(bytes, 0xc1fc1fc1, 4);
    bytes_number(bytes, 0, 4);
    bytes_number(bytes, (uint64_t)(BUILD_START_US + header->begin_us), 8);
    bytes_number(bytes, (uint64_t)(BUILD_START_US + header->end_us), 8);
    bytes_number(bytes, 0, 4);
    bytes_number(bytes, header->version, 2);
    bytes_number(bytes, header->pid ? header->pid : BUILD_PID, 8);
    if (header->version >= 3)
        bytes_number(bytes, header->domain, 2);
    bytes_number(bytes, header->verified ? header->bucket : 0xffff, 2);
    bytes_number(bytes, header->next, 2);
    bytes_number(bytes, header->code, 8);
    bytes_number(bytes, header->first_id, 8);
    bytes_number(bytes, header->end_id, 8);
    return packet;
}

void build_end(struct bytes *bytes, size_t packet)
{
    bytes_patch(bytes, packet + 4, (bytes->size - packet) * 8, 4);
}

void build_info(struct bytes *bytes, unsigned version)
{
    const double rate = 0.01;
    size_t packet = build_packet(bytes, &(struct build_header){.version = version});
    build_event(bytes, EVENT_INFO, 0);
    bytes_append(bytes, &rate, sizeof rate);
    bytes_number(bytes, 64, 1);
    bytes_text(bytes, "prog");
    bytes_text(bytes, "host");
    bytes_text(bytes, "b");
    bytes_number(bytes, BUILD_PID, 8);
    if (version >= 2)
        bytes_text(bytes, "ctx");
    build_end(bytes, packet);
}

void build_event(struct bytes *bytes, unsigned code, int64_t time_us)
{
    uint64_t low = (uint64_t)(BUILD_START_US + time_us) & FORMAT_TIME_MASK;
    bytes_number(bytes, (uint64_t)code << FORMAT_TIME_BITS | low, 4);
}

void build_alloc(struct bytes *bytes, int64_t time_us, int64_t length, int64_t samples,
                 unsigned source, int64_t common_prefix, unsigned codewords)
{
    build_event(bytes, EVENT_ALLOC, time_us);
    bytes_vint(bytes, length);
    bytes_vint(bytes, samples);
    bytes_number(bytes, source, 1);
    bytes_vint(bytes, common_prefix);
    bytes_number(bytes, codewords, 2);
}

void build_short(struct bytes *bytes, int64_t time_us, unsigned length, int64_t common_prefix,
                 unsigned codewords)
{
    build_event(bytes, EVENT_SHORT_ALLOC + length, time_us);
    bytes_vint(bytes, common_prefix);
    bytes_number(bytes, codewords, 1);
}

void build_miss(struct bytes *bytes, unsigned bucket, uint64_t code)
{
    bytes_number(bytes, bucket << 2 | CODEWORD_MISS, 2);
    bytes_number(bytes, code, 8);
}

void build_hit(struct bytes *bytes, unsigned bucket, unsigned run)
{
    unsigned tag = run < 2 ? run : CODEWORD_HIT_N;
    bytes_number(bytes, bucket << 2 | tag, 2);
    if (tag == CODEWORD_HIT_N)
        bytes_number(bytes, run, 1);
}

void build_promote(struct bytes *bytes, int64_t time_us, int64_t delta)
{
    build_event(bytes, EVENT_PROMOTE, time_us);
    bytes_vint(bytes, delta);
}

void build_collect(struct bytes *bytes, int64_t time_us, int64_t delta)
{
    build_event(bytes, EVENT_COLLECT, time_us);
    bytes_vint(bytes, delta);
}

void build_location(struct bytes *bytes, int64_t time_us, uint64_t code, unsigned count)
{
    build_event(bytes, EVENT_LOCATION, time_us);
    bytes_number(bytes, code, 8);
    bytes_number(bytes, count, 1);
}

void build_place(struct bytes *bytes, unsigned line, unsigned start_char, unsigned end_char,
                 unsigned file_code, const char *file, unsigned function_code, const char *function)
{
    uint64_t packed = (uint64_t)line | (uint64_t)start_char << 20 | (uint64_t)end_char << 28 |
                      (uint64_t)file_code << 38 | (uint64_t)function_code << 43;
    bytes_number(bytes, packed, 6);
    if (file_code == BUILD_NEW_NAME)
        bytes_text(bytes, file);
    if (function_code == BUILD_NEW_NAME)
        bytes_text(bytes, function);
}
