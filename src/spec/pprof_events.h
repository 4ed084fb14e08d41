/* The extension by which a pprof profile holds every event of its trace: docs/pprof-events.md.  Its
 * chunks stand in a field of `period_type` that pprof doesn't know. */
#ifndef SPEC_PPROF_EVENTS_H
#define SPEC_PPROF_EVENTS_H

enum {
    TYPE_EVENTS = 15, /* in a ValueType: a chunk */

    CHUNK_VERSION = 1,
    CHUNK_INFO = 2,
    CHUNK_WHAT = 3,
    CHUNK_TIMES = 4,
    CHUNK_KNOWN = 5,
    CHUNK_SAMPLES = 6,
    CHUNK_STEPS = 7,
    CHUNK_BLOCKS = 8,
    CHUNK_DOMAINS = 9,
    CHUNK_JUMPS = 10,
    CHUNK_METADATA = 11,
    CHUNK_CODES = 12,
    CHUNK_CHARACTERS = 13,
    CHUNK_NAMELESS = 14,
    CHUNK_NO_FRAME = 15,
    CHUNK_FIELDS = 16, /* one more than the highest */

    INFO_RATE = 1,
    INFO_WORD_BITS = 2,
    INFO_EXECUTABLE = 3,
    INFO_HOST = 4,
    INFO_RUNTIME_PARAMS = 5,
    INFO_CONTEXT = 6,
    INFO_PID = 7,
    INFO_START = 8,
    INFO_INITIAL_DOMAIN = 9,
    INFO_VERSION = 10,

    METADATA_KIND = 1,
    METADATA_NAME = 2,
    METADATA_VALUE = 3,
    METADATA_NUMBER = 4,
    METADATA_DOMAIN = 5,
    METADATA_ADDRESS = 6,
    METADATA_SIZE = 7,
    METADATA_OFFSET = 8,
    METADATA_LOADED = 9,
    METADATA_UNLOADED = 10,
    METADATA_BUILD_ID = 11,
    METADATA_BEGIN = 12,
    METADATA_END = 13,

    EVENTS_VERSION = 1,
};

/* What happened; sources are added to the two kinds of allocation. */
enum {
    WHAT_COLLECT = 0,
    WHAT_PROMOTE = 1,
    WHAT_ALLOC_NEW = 2,   /* the first block of the next sample */
    WHAT_ALLOC_KNOWN = 5, /* a further one of an earlier sample */
    WHAT_DOMAIN = 8,      /* no event: those that follow are of another domain */
    WHAT_JUMP = 9,        /* no event: the domain's next block is not numbered as expected */
    WHAT_KINDS = 10,
    WHAT_EXPLICIT = 16, /* added: the number of samples, or the block's id, follows */
};

#endif
