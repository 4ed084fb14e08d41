/* What every unit test includes: cmocka with what it needs, and readers over hand-made traces. */
#ifndef UNIT_H
#define UNIT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "run_tests.h"
#include "helpers/build.h"
#include "helpers/recording.h"

static const struct heaptap_reader_options in_file_order = {.order = HEAPTAP_FILE_ORDER};
static const struct heaptap_reader_options in_true_order = {.order = HEAPTAP_TRUE_ORDER};

/* A packet of a domain in a trace of version 3, with the times and the ids it has. */
static inline struct build_header packet_header(uint16_t domain, int64_t begin_us, int64_t end_us,
                                                uint64_t first_id, uint64_t end_id)
{
    return (struct build_header){.version = 3,
                                 .domain = domain,
                                 .begin_us = begin_us,
                                 .end_us = end_us,
                                 .first_id = first_id,
                                 .end_id = end_id};
}

/* A trace of nothing but its first packet (build_info). */
static inline struct bytes trace_of_info(unsigned version)
{
    struct bytes bytes = {0};
    build_info(&bytes, version);
    return bytes;
}

/* Opens a trace in memory; the test fails where that doesn't work. */
static inline struct heaptap_reader *open_bytes(const struct bytes *bytes,
                                                const struct heaptap_reader_options *options)
{
    struct heaptap_reader *reader;
    struct heaptap_error error = {0};
    if (heaptap_reader_open_memory(&reader, bytes->items, bytes->size, options, &error) !=
        HEAPTAP_OK)
        fail_msg("cannot open: %s", error.message);
    assert_non_null(reader);
    return reader;
}

/* The next event, which must be there. */
static inline struct heaptap_event next_event(struct heaptap_reader *reader)
{
    struct heaptap_event event;
    struct heaptap_error error = {0};
    memset(&event, 0x5a, sizeof event);
    enum heaptap_status status = heaptap_reader_next(reader, &event, &error);
    if (status != HEAPTAP_OK)
        fail_msg("no event: status %d, %s", status, error.message);
    return event;
}

/* All events have been read, and the trace is whole. */
static inline void assert_end(struct heaptap_reader *reader)
{
    struct heaptap_event event;
    struct heaptap_error error = {0};
    enum heaptap_status status = heaptap_reader_next(reader, &event, &error);
    if (status != HEAPTAP_END)
        fail_msg("no end: status %d, %s", status, error.message);
}

/* The same, and lets go of reader and trace. */
static inline void assert_end_and_close(struct heaptap_reader *reader, struct bytes *bytes)
{
    assert_end(reader);
    heaptap_reader_close(reader);
    bytes_release(bytes);
}

/* All sound events have been read, and damage is reported at `offset`. */
static inline void assert_damage(struct heaptap_reader *reader, uint64_t offset)
{
    struct heaptap_event event;
    struct heaptap_error error = {0};
    assert_int_equal(heaptap_reader_next(reader, &event, &error), HEAPTAP_BAD_INPUT);
    assert_int_equal(error.status, HEAPTAP_BAD_INPUT);
    assert_int_equal(error.offset, offset);
    assert_true(strlen(error.message) > 0);
}

/* The code of frame `depth` of an allocation. */
static inline uint64_t code_at(const struct heaptap_reader *reader,
                               const struct heaptap_event *event, uint32_t depth)
{
    assert_true(depth < event->stack_length);
    return heaptap_reader_frame_code(reader, event->stack[depth]);
}

/* The locations of the frame of `code`, which must be known. */
static inline const struct heaptap_location *locations_of(const struct heaptap_reader *reader,
                                                          uint64_t code, size_t *count)
{
    for (uint32_t i = 0; i < heaptap_reader_frame_count(reader); i++)
        if (heaptap_reader_frame_code(reader, i) == code)
            return heaptap_reader_frame_locations(reader, i, count);
    fail_msg("code %llu is unknown", (unsigned long long)code);
    return NULL;
}

#endif
