/* The writing half of the codec for source locations, one for each domain. */
#ifndef TAP_TRACE_LOCATION_ENCODER_H
#define TAP_TRACE_LOCATION_ENCODER_H

#include <stddef.h>
#include <stdint.h>

#include "heaptap/trace.h"
#include "spec/trace_format.h"

/* The most recent names, the last one first.  Names are known by their hash: a table of texts would
 * need memory that the writer must not ask for, and two names of one 64-bit hash among 31 do not
 * happen. */
struct mtf_encoder {
    uint64_t hash[FORMAT_MTF_SIZE];
    uint8_t slot[FORMAT_MTF_SIZE]; /* whatever the owner keeps with a name: travels with it */
    uint8_t count;
};

/* Files, and for each of them the functions met in it. */
struct location_encoder {
    struct mtf_encoder files; /* slot: index into `functions` */
    struct mtf_encoder functions[FORMAT_MTF_SIZE];
};

/* Bytes of the longest event that one code can need; it fits an empty packet. */
enum { LOCATION_EVENT_MAX_BYTES = FORMAT_PACKET_BYTES - FORMAT_HEADER_BYTES_DOMAIN };

/* Bytes that location_encoder_put needs at most for these locations. */
size_t location_encoder_bound(const struct heaptap_location *locations, size_t count);

/* Writes a location event's fields (not its header) at `at`.  Names are cut where all of them
 * together would not fit LOCATION_EVENT_MAX_BYTES.  Numbers too large for their field become its
 * largest value. */
uint8_t *location_encoder_put(struct location_encoder *encoder, uint8_t *at, uint64_t code,
                              const struct heaptap_location *locations, size_t count);

#endif
