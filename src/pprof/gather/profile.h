/* What the files of the profile writer share.
 *
 * Domains write into stores that all of them share, each at numbers that it has taken for itself a
 * run at a time, and look things up in tables of their own.  So they never wait for each other; the
 * price is that a stack which two threads have stands there twice.  Frames are shared: a new one is
 * named under a lock, an old one is found without. */
#ifndef PPROF_GATHER_PROFILE_H
#define PPROF_GATHER_PROFILE_H

#include "heaptap/pprof.h"
#include "pprof/fields.h"
#include "pprof/gather/store.h"

enum { RUN = 64 }; /* numbers that a domain takes at a time */

/* A block's number: that of its group above its samples; 0 samples where these are as many as its
 * words, which is so at rate 1. */
enum { BLOCK_SAMPLE_BITS = 35, BLOCK_GROUP_BITS = 27 };

#define BLOCK_SAMPLES_MAX ((UINT64_C(1) << BLOCK_SAMPLE_BITS) - 1)

enum { FRAME_UNKNOWN = 1 }; /* the frame of empty stacks; frames are numbered from 1 on */

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
    const char *bytes;
    size_t size;
    uint64_t hash;
};

struct module {
    uint64_t start, limit, offset;
    uint32_t file, build_id; /* strings */
    _Atomic bool bare;       /* it has frames without lines */
};

/* A table of numbers over 0, found by hash; what they are numbers of is elsewhere.  A grown one
 * takes the place of the old one, which stays mapped for those who are still looking into it. */
struct table {
    size_t mask;
    size_t used;
    struct table *before; /* the one that it replaced */
    _Atomic uint32_t slots[];
};

/* Everything that has names.  Added to under the lock. */
struct names {
    atomic_flag lock;
    _Atomic(struct table *) frame_table;
    struct table *function_table, *string_table;
    struct store frames, lines, functions, strings, modules;
    _Atomic uint32_t frame_count, function_count, string_count, module_count; /* string 0 is "" */
    uint32_t line_count;
    struct arena *arena; /* of the strings' bytes */
};

/* A stack: a frame and its caller. */
struct node {
    uint64_t code;
    uint32_t parent;
    uint32_t frame;      /* 0: not in use */
    uint32_t last_group; /* the group of this stack that was met last; 0 for none */
};

/* Blocks of one stack and size.  The first two sums are written by the group's domain alone, the
 * others by any thread.  Times are in microseconds since the start, summed modulo 2^64 with the
 * samples as weights: the difference of two such sums is right where it is below that. */
struct group {
    _Atomic uint32_t node; /* one more than its number; 0: not in use */
    uint64_t length;
    _Atomic uint64_t allocated, allocated_at;
    _Atomic uint64_t collected, collected_at;
    _Atomic uint64_t promoted;
    uint64_t said, saying; /* of `allocated`: in the files of the intervals before, and with the one
                              that is being written; the writer's alone */
    uint64_t said_ended;   /* of `collected`, likewise */
    uint64_t saying_ended;
};

struct heaptap_pprof {
    double rate;
    uint32_t word_bytes, header_words;
    bool intervals;   /* files are of intervals */
    int64_t start_us; /* of the program */
    int64_t since_us; /* of the interval; start_us where there are none */
    uint64_t pid;
    uint32_t executable, context; /* strings */
    uint32_t program;             /* the module that is the program; 0 for none */
    heaptap_describe *describe;
    heaptap_pprof_locate *locate;
    void *describe_context;
    uint32_t max_frames;
    struct names names;
    struct store nodes, groups;                   /* node 0 is the empty stack */
    _Atomic uint32_t node_numbers, group_numbers; /* taken */
    char new_path[4096];                          /* of the file being saved */
    _Atomic uint64_t dropped;                     /* samples */
    uint64_t said_dropped, saying_dropped;        /* of these, as in struct group */
    const char *_Atomic stopped;                  /* why, before the program's end; or NULL */
};

struct heaptap_pprof_domain {
    struct heaptap_pprof *profile;
    size_t mapped_bytes;
    uint32_t next_node, node_end; /* of the run */
    uint32_t next_group, group_end;
    struct table *node_table, *group_table;
    struct heaptap_location scratch[HEAPTAP_LOCATIONS_MAX]; /* for the describe callback */
    uint32_t depth;                                         /* of the last stack */
    uint32_t *path;   /* [i]: the node of its first i frames; max_frames + 1 of them */
    uint64_t codes[]; /* of it, caller first; max_frames of them, and behind them the path */
};

/* Strings that every profile has, in this order. */
enum {
    STRING_TYPES = 1, /* and the others of pprof_value_names */
    STRING_COUNT = STRING_TYPES + PPROF_VALUES,
    STRING_BYTES,
    STRING_SPACE,
    STRING_TIME_UNITS, /* and the others of pprof_time_units */
};

/* ---- names.c ------------------------------------------------------------------------ */

/* Numbers "" and the unknown frame; false when there is no memory. */
bool names_begin(struct heaptap_pprof *profile);
void names_end(struct names *names);

/* A string's number; 0 for NULL, and when there is no memory.  Takes the lock. */
uint32_t names_string(struct names *names, const char *text);

/* The frame of a code, perhaps a new one; 0 when there is no memory.  `scratch` has room for
 * HEAPTAP_LOCATIONS_MAX. */
uint32_t names_frame(struct heaptap_pprof *profile, uint64_t code,
                     struct heaptap_location *scratch);

/* ---- table.c ------------------------------------------------------------------------ */

struct table *table_new(size_t slots);
void table_free(struct table *table); /* and those before it */

static inline uint64_t hash_mix(uint64_t a, uint64_t b)
{
    a = (a ^ b) * UINT64_C(0x9e3779b97f4a7c15);
    return a ^ a >> 32;
}

/* A table twice as large with the numbers of `table`, each at the hash that `hash_of` gives for
 * it; NULL when there is no memory. */
struct table *table_grown(struct table *table, uint64_t (*hash_of)(void *context, uint32_t number),
                          void *context);

static inline bool table_is_full(const struct table *table)
{
    return table->used * 2 > table->mask;
}

void table_put(struct table *table, uint64_t hash, uint32_t number);

#endif
