/* What a profile gathers, as it lies in memory; and, where the profile is kept in a file, in that
 * file, from which whoever outlives the process reads it (restore.h).
 *
 * The file begins with this header.  Everything else is in arrays (store.h) whose chunks lie
 * anywhere behind it, where `chunks` says.  There are no pointers in them: items refer to each other
 * by number.  Tables in which only the process looks things up are elsewhere.
 *
 * The process may be killed between any two stores.  So an item is filled in before it is counted,
 * or before the word is stored that says it is in use. */
#ifndef TAP_GATHER_KEPT_H
#define TAP_GATHER_KEPT_H

#include <stdatomic.h>
#include <stdint.h>

enum { STORE_FIRST_BITS = 8, STORE_CHUNKS = 24 }; /* 256 items in the first chunk */

#define KEPT_MAGIC UINT64_C(0x32736d7573746168) /* "hatsums2" */

/* The recorder's file for the profile NAME is .NAME and this, in the same folder; or in heaptap's, where a link, .NAME
 * and KEPT_LINK_ENDING, leads to the profile. */
#define KEPT_ENDING ".sums"
#define KEPT_LINK_ENDING ".of"

enum kept_array {
    KEPT_NODES,
    KEPT_GROUPS,
    KEPT_FRAMES,
    KEPT_LINES,
    KEPT_FUNCTIONS,
    KEPT_STRINGS,
    KEPT_TEXT,
    KEPT_MODULES,
    KEPT_SAID, /* by group; only where profiles are of intervals */
    KEPT_ARRAYS,
};

enum { KEPT_STOPPED_BYTES = 128 };

struct kept {
    _Atomic uint64_t magic; /* stored last */
    uint32_t header_bytes;
    uint32_t item_bytes[KEPT_ARRAYS];
    double rate; /* at first */
    uint32_t word_bytes, header_words;
    uint32_t intervals; /* profiles are of intervals */
    uint32_t max_frames;
    int64_t start_us; /* of the program */
    uint64_t pid;
    uint64_t recording;           /* the number of the heaptap record that it is of; 0: none */
    uint32_t executable, context; /* strings */
    uint32_t program;             /* the module that is the program; 0 for none */
    _Atomic uint32_t locked;      /* 1: the process keeps the file locked while it lives (keep.h) */
    _Atomic uint32_t halvings;    /* of the rate at which the next file is written (halve.h) */

    _Atomic uint32_t frame_count, function_count, string_count, module_count; /* string 0 is "" */
    uint32_t line_count, text_count;
    _Atomic uint32_t node_numbers, group_numbers; /* taken */
    _Atomic uint64_t dropped;                     /* samples */
    _Atomic int64_t last_us;                      /* a time at which the process was still there */
    _Atomic uint32_t stopped_size;                /* why it ended before the program, or 0 */
    char stopped[KEPT_STOPPED_BYTES];

    /* Intervals: the number of the file whose sums are all in `said`, and when it ended; and of the
     * one that may be written already, whose sums are in `saying`. */
    _Atomic uint64_t said_number, saying_number;
    int64_t said_us, saying_us; /* said_us: start_us before the first */
    uint64_t said_dropped, saying_dropped;

    _Atomic uint64_t chunks[KEPT_ARRAYS][STORE_CHUNKS]; /* offsets in the file; 0: none */
};

/* The items.  Numbers refer to items of the other arrays. */

struct frame {
    uint64_t code;
    uint64_t address;    /* 0 unless `module` */
    uint32_t module;     /* 0 for none */
    uint32_t first_line; /* in `lines`; the outermost function first */
    uint32_t line_count;
};

struct line {
    uint32_t function; /* numbered from 1 on */
    uint32_t line;
};

struct function {
    uint32_t name, file; /* strings */
};

struct string {
    uint32_t text; /* the unit that it begins at */
    uint32_t size; /* bytes */
    uint64_t hash;
};

struct text_unit {
    char bytes[16];
};

struct module {
    uint64_t start, limit, offset;
    uint32_t file, build_id; /* strings */
    _Atomic bool bare;       /* it has frames without lines */
};

/* A stack: a frame and its caller, which has a lower number. */
struct node {
    uint64_t code;
    uint32_t parent;
    uint32_t frame;       /* 0: not in use */
    uint32_t last_group;  /* the group of this stack that was met last; 0 for none */
    uint32_t last_length; /* of that group, modulo 2^32 */
    uint32_t stack_hash;  /* the upper half of the hash of all codes; a stack that ended here */
};

/* Blocks of one stack and size, sampled at one rate: a line of the processor's cache.  What was allocated is written by
 * the group's domain alone, the rest by any thread.  Times are in microseconds since the start,
 * summed modulo 2^96 with the samples as weights: a buffer of 1 GB that lives for three hours is 2^63
 * already.  Whoever reads this as it changes reads what has ended first. */
struct group {
    _Atomic uint32_t node; /* one more than its number; 0: not in use */
    uint32_t halvings;     /* of the rate at which its blocks were sampled */
    uint64_t length;
    _Atomic uint64_t promoted;
    _Atomic uint64_t collected, collected_at;
    _Atomic uint64_t allocated, allocated_at;
    _Atomic uint32_t collected_at_high, allocated_at_high; /* bits 64 to 95 of these sums */
};

/* How much of a group's sums the files of the intervals before have, and will have with the one that
 * is being written; the writer's alone. */
struct said {
    uint64_t allocated, ended;
    uint64_t saying_allocated, saying_ended;
};

#endif
