/* Traces made by hand, byte by byte, without the writer: for what it never writes, and so that
 * writer and reader cannot be wrong together. */
#ifndef HELPERS_BUILD_H
#define HELPERS_BUILD_H

#include "helpers/bytes.h"

enum { BUILD_PID = 4711, BUILD_NEW_NAME = 31 };

/* When the traces begin, since the epoch. */
#define BUILD_START_US INT64_C(1600000000000000)

/* A packet's header; times since the trace's start. */
struct build_header {
    unsigned version;
    uint64_t pid; /* 0 for BUILD_PID */
    uint16_t domain;
    int64_t begin_us, end_us;
    uint64_t first_id, end_id;
    bool verified; /* else the header holds no check of the cache */
    uint16_t bucket, next;
    uint64_t code;
};

/* Begins a packet and returns its offset, to give to build_end, which completes its size. */
size_t build_packet(struct bytes *bytes, const struct build_header *header);
void build_end(struct bytes *bytes, size_t packet);

/* The trace's first packet: rate 0.01, words of 64 bits, executable "prog", host "host", parameters
 * "b", and where the version has one the context "ctx". */
void build_info(struct bytes *bytes, unsigned version);

/* An event's header. */
void build_event(struct bytes *bytes, unsigned code, int64_t time_us);

/* An allocation up to its call stack, whose codewords the caller appends. */
void build_alloc(struct bytes *bytes, int64_t time_us, int64_t length, int64_t samples,
                 unsigned source, int64_t common_prefix, unsigned codewords);
void build_short(struct bytes *bytes, int64_t time_us, unsigned length, int64_t common_prefix,
                 unsigned codewords);
void build_miss(struct bytes *bytes, unsigned bucket, uint64_t code);
void build_hit(struct bytes *bytes, unsigned bucket, unsigned run);

/* `delta` is from the last id given in the packet back to the one meant. */
void build_promote(struct bytes *bytes, int64_t time_us, int64_t delta);
void build_collect(struct bytes *bytes, int64_t time_us, int64_t delta);

/* A description of `code` by `count` places, which the caller appends. */
void build_location(struct bytes *bytes, int64_t time_us, uint64_t code, unsigned count);

/* One place; the names are written where their code is BUILD_NEW_NAME. */
void build_place(struct bytes *bytes, unsigned line, unsigned start_char, unsigned end_char,
                 unsigned file_code, const char *file, unsigned function_code,
                 const char *function);

#endif
