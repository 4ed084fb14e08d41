/* The file in which a watched heap keeps its report: one mapping, shared with nobody but the reader
 * who comes later, so that the report is complete however the process ends.  Written by src/tap/guest
 * and read by src/format/import on the same machine: native byte order.
 *
 * A header, then five sections of records of fixed size at offsets that the header gives.  Records
 * are only ever added; a reader uses as many as the header says. */
#ifndef SPEC_GUEST_REPORT_H
#define SPEC_GUEST_REPORT_H

#include <stdint.h>

#define GUEST_REPORT_MAGIC "heaptap guest 2"
#define GUEST_REPORT_SUFFIX ".guest"   /* <pid>-<number>.guest */
#define GUEST_FAILURE_SUFFIX ".failed" /* <pid>.failed: a sentence that says why there is none */

enum {
    GUEST_NOTE_BYTES = 256,
    GUEST_NOTES = 32,
    GUEST_PATH_BYTES = 1024,
    GUEST_LANGUAGE_BYTES = 32,
    GUEST_STRING_MAX = 4096, /* with its zero */
    /* A block that ended before so many bytes more were allocated is temporary, as is one that the first
     * collection after its birth found dead. */
    GUEST_TEMPORARY_BYTES = 4096,
};

/* Numbers of blocks are in 65536ths: a block that was drawn stands for several, or for a part. */
enum { GUEST_WEIGHT_BITS = 16, GUEST_WEIGHT_ONE = 1 << GUEST_WEIGHT_BITS };

enum guest_section_name {
    GUEST_STRINGS,   /* zero-terminated, one after the other; 0 is the empty one */
    GUEST_LOCATIONS, /* struct guest_location; 0 is not known */
    GUEST_TYPES,     /* uint32_t, an offset in the strings; 0 is not known */
    GUEST_NODES,     /* struct guest_node; 0 is the root */
    GUEST_ROWS,      /* struct guest_row; 0 is for what nothing else had room for */
    GUEST_SECTIONS,
};

struct guest_section {
    uint64_t offset;   /* in the file, a multiple of the page size */
    uint32_t capacity; /* records that there is address space for */
    uint32_t ready;    /* of these, so many have memory behind them */
    uint32_t used;
    uint32_t record_bytes;
};

struct guest_location {
    uint32_t file, function; /* offsets in the strings; 0: none */
    uint32_t line;           /* 0: none */
};

/* A stack: the one of its caller, and one location more. */
struct guest_node {
    uint32_t parent;
    uint32_t location;
    uint32_t depth; /* locations in it; 0 for the root */
};

/* What is known of the blocks of one type that come from one place. */
struct guest_row {
    uint32_t site; /* a node where stacks are kept, else a location */
    uint32_t type;
    uint64_t samples;    /* bytes that were drawn; at rate 1 as many as there are */
    uint64_t allocated;  /* blocks allocated (weights) */
    uint64_t bytes;      /* of these, and of those that were resized here */
    uint64_t resized;    /* blocks that came by being resized here (weights) */
    uint64_t left;       /* blocks that were resized elsewhere or here again (weights) */
    uint64_t freed;      /* blocks that ended (weights) */
    uint64_t live_bytes; /* of those that neither left nor ended */
    uint64_t peak_bytes; /* the most that were ever live */
    uint64_t promoted;   /* blocks that left the nursery (weights) */
    uint64_t promoted_bytes;
    uint64_t temporary; /* of those that ended, the temporary ones (weights) */
    uint64_t birth_sum; /* of live blocks: when they were born, times weight; modulo 2^64 */
    double age_sum;     /* of ended blocks: bytes allocated from birth to end, times weight */
    uint64_t
        start_allocated; /* of `allocated` and `bytes`, what came before the program itself began: */
    uint64_t start_bytes; /* its interpreter's start (weights) */
    uint64_t unused;
};

/* GUEST_IS_FULL: there was no room for some location, type, stack or row. */
enum {
    GUEST_HAS_STACKS = 1,
    GUEST_IS_FAST = 2,
    GUEST_IS_STOPPED = 4,
    GUEST_IS_FORK = 8,
    GUEST_IS_FULL = 16,
};

struct guest_report_header {
    char magic[16]; /* written last */
    uint32_t header_bytes;
    uint32_t heap; /* number of this heap in its process, from 0 */
    uint64_t pid, parent_pid;
    int64_t start_us; /* since the Unix epoch */
    double rate;      /* samples a byte */
    uint32_t flags;
    uint32_t notes;     /* told so far; the last GUEST_NOTES of them are there */
    uint64_t clock;     /* bytes allocated so far; below rate 1, estimated */
    uint64_t allocated; /* blocks (weights), counted apart from the rows */
    uint64_t live_bytes, peak_bytes;
    uint64_t start_live_bytes; /* alive when the program itself began */
    uint64_t unknown_frees;    /* ends of blocks that were not known, at rate 1 */
    uint64_t collections;
    uint64_t before_blocks, before_bytes; /* allocated before the watching began */
    uint64_t lost_samples;                /* bytes drawn that could not be tracked */
    struct guest_section sections[GUEST_SECTIONS];
    char language[GUEST_LANGUAGE_BYTES];
    char script[GUEST_PATH_BYTES];
    char executable[GUEST_PATH_BYTES];
    char trace[GUEST_PATH_BYTES]; /* the file that is written; "": none */
    char note[GUEST_NOTES][GUEST_NOTE_BYTES];
};

#endif
