/* The constants of the trace format, for reader and writer both.  docs/trace-format.md explains
 * them. */
#ifndef SPEC_TRACE_FORMAT_H
#define SPEC_TRACE_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

#include "heaptap/trace.h"

#define FORMAT_MAGIC UINT32_C(0xc1fc1fc1)

/* In the field `room` of a packet's header: its writer has not finished it. */
#define FORMAT_ROOM_OPEN UINT32_C(0x80000000)

enum {
    FORMAT_VERSION_MAX = 3,
    FORMAT_VERSION_CONTEXT = 2, /* the first with a context string */
    FORMAT_VERSION_DOMAIN = 3,  /* the first with a domain in the packet header */

    FORMAT_RECORD_HEADER_BYTES =
        5,                    /* of a record of metadata: its kind, and the size of the rest */
    FORMAT_HEADER_BYTES = 66, /* of a packet; and 2 more where it has a domain */
    FORMAT_HEADER_BYTES_DOMAIN = 68,
    FORMAT_PAGE_BYTES = 1 << 12,       /* regions begin and end at multiples of it */
    FORMAT_SIZE_OFFSET = 4,            /* in the header: of the packet's size in bits */
    FORMAT_END_OFFSET = 16,            /* of the time of its last one */
    FORMAT_ROOM_OFFSET = 24,           /* of the room of a packet that was written in place */
    FORMAT_PACKET_BYTES = 1 << 15,     /* the longest that memtrace's readers take */
    FORMAT_PACKET_MAX_BYTES = 1 << 24, /* the longest that ours take: a damaged size, or a bomb,
                                          must not ask for all memory */

    FORMAT_TIME_BITS = 25, /* of an event header; the other 7 are its code */
    FORMAT_TIME_MASK = (1 << FORMAT_TIME_BITS) - 1,
    FORMAT_PACKET_SPAN_US = 30 * 1000 * 1000, /* from a packet's first event to its last, at most */

    FORMAT_CACHE_BITS = 14, /* of the call stack codec */
    FORMAT_CACHE_SIZE = 1 << FORMAT_CACHE_BITS,
    FORMAT_NO_VERIFIER = 0xffff,

    FORMAT_MTF_SIZE = 31, /* of a move-to-front table; also the code of "not in it" */

    FORMAT_LINE_BITS = 20,
    FORMAT_START_CHAR_BITS = 8,
    FORMAT_END_CHAR_BITS = 10,
    FORMAT_MTF_BITS = 5,

    FORMAT_SHORT_LENGTH_MAX = 16, /* words of a block that fits a short allocation event */
};

/* Event codes. */
enum {
    EVENT_INFO = 0,
    EVENT_LOCATION = 1,
    EVENT_ALLOC = 2,
    EVENT_PROMOTE = 3,
    EVENT_COLLECT = 4,
    EVENT_SHORT_ALLOC = 100, /* + length in words, 1 to FORMAT_SHORT_LENGTH_MAX */
};

/* A metadata record that the reader keeps to itself: the rate was halved (base/coin.h). */
#define METADATA_HALVINGS ((enum heaptap_metadata_kind)8)

/* Is it a kind of which readers of a file get the records? */
static inline bool metadata_is_for_readers(unsigned kind)
{
    return kind >= HEAPTAP_PROPERTY && kind <= HEAPTAP_HOLDERS && kind != METADATA_HALVINGS;
}

/* Texts of a record of HEAPTAP_STOPPED that is none, as its number is UINT64_MAX.  A trace that has the first of them at its front, and not the
 * second at its end, is cut. */
#define STOP_END_FOLLOWS "an end follows"
#define STOP_END "the end"

/* Such a record. */
static inline struct heaptap_metadata metadata_stop_mark(const char *text)
{
    return (struct heaptap_metadata){.kind = HEAPTAP_STOPPED, .name = text, .number = UINT64_MAX};
}

/* A property: bytes of memory that the recorder itself had when the process ended.  If there are several, the largest counts. */
#define RECORDER_RESIDENT_PROPERTY "recorder-resident"

/* A property: the process number of the `heaptap record` that it is of, the same in the traces of all that this one records. */
#define RECORDING_PROPERTY "recording"

/* The tags of a call stack's codeword, in its two low bits; the others are the cache bucket. */
enum { CODEWORD_HIT0 = 0, CODEWORD_HIT1 = 1, CODEWORD_HIT_N = 2, CODEWORD_MISS = 3 };

/* First byte of a variable-length integer: its value, or how many bytes follow. */
enum { VINT_SMALL_MAX = 252, VINT_16 = 253, VINT_32 = 254, VINT_64 = 255 };

/* The pid of packets that hold heaptap's metadata: "heaptap" in ASCII, little-endian.  No process
 * has it. */
#define FORMAT_METADATA_PID UINT64_C(0x0070617470616568)

#endif
