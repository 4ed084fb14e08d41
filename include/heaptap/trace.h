/* Reading and writing allocation traces in memtrace's CTF format (docs/trace-format.md).
 *
 * A trace is a sequence of packets.  Each packet belongs to one domain (an OCaml domain, a native
 * thread) and holds events: an allocation of a sampled block with its call stack, its promotion,
 * its end.
 *
 * Words used here.  word: `word_bits` / 8 bytes, the unit of lengths.  frame: one entry of a call
 * stack; it stands for one code address and has one or several locations, because of inlining.
 * Stacks go from the caller (main, at index 0) to the allocation site (last).  Times are in
 * microseconds. */
#ifndef HEAPTAP_TRACE_H
#define HEAPTAP_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heaptap/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- The contents of a trace -------------------------------------------------------- */

struct heaptap_trace_info {
    unsigned version;           /* of the format: 1, 2 or 3 */
    double sample_rate;         /* samples per word, in (0, 1] */
    unsigned word_bits;         /* 64 or 32 for OCaml; 8 where lengths are bytes */
    const char *executable;     /* path of the program */
    const char *host;           /* name of the machine */
    const char *runtime_params; /* OCaml: as in OCAMLRUNPARAM; else empty */
    const char *context;        /* free text given to the recorder; "" for none */
    uint64_t pid;               /* of the traced process */
    int64_t start_us;           /* since the Unix epoch */
    uint16_t initial_domain;    /* the domain that started the trace */
};

struct heaptap_location {
    const char *file;
    const char *function;
    uint32_t line;       /* 20 bits in the file */
    uint32_t start_char; /* 8 bits */
    uint32_t end_char;   /* 10 bits */
};

enum heaptap_source { HEAPTAP_MINOR = 0, HEAPTAP_MAJOR = 1, HEAPTAP_EXTERNAL = 2 };

enum heaptap_event_kind {
    HEAPTAP_ALLOC,
    HEAPTAP_PROMOTE,
    HEAPTAP_COLLECT,
    HEAPTAP_EXIT, /* of several traces that are read as one: the block's process has ended, the block being alive.  In no
                     file */
};

struct heaptap_event {
    enum heaptap_event_kind kind;
    uint16_t domain; /* on which it happened */
    int64_t
        time_us; /* since the start of the trace; can step back where the recorder's clock did */
    uint64_t id; /* of the block; unique in the trace, in allocation order within a domain */
    uint64_t offset; /* byte of the (decompressed) trace at which the event begins */

    /* Of allocations only: */
    enum heaptap_source source;
    uint64_t length;  /* words, without the header */
    uint64_t samples; /* how many of the block's words were sampled, at least 1 */
    const uint32_t
        *stack; /* frame numbers, caller first; borrowed until the next call on the reader */
    uint32_t stack_length; /* 0 for an empty stack, or when stacks are skipped */
    uint32_t stack_shared; /* leading frames equal to those of the domain's previous allocation */
    int64_t common_prefix; /* that number as the file has it */
};

/* ---- Metadata: what memtrace's format has no event for ------------------------------ */

enum heaptap_metadata_kind {
    HEAPTAP_PROPERTY = 1, /* name = value: who wrote the trace, which allocator, ... */
    HEAPTAP_MODULE = 2,   /* a program or library mapped into the process */
    HEAPTAP_THREAD = 3,   /* the thread of a domain */
    HEAPTAP_TYPE = 4,     /* a type of a guest language */
    HEAPTAP_DROPS = 5,    /* samples that could not be recorded */
    HEAPTAP_STOPPED = 6,  /* the recording ended before the program did */
    HEAPTAP_TEST = 7,     /* a test of the program that ran (heaptap/test.h) */
    HEAPTAP_ENDED = 9,    /* the program ended, or became another one */
    HEAPTAP_HOLDERS =
        10, /* what holds the program's blocks: a piece of it (docs/trace-format.md) */
    HEAPTAP_PROCESS = 256, /* of several traces that are read as one: one of them.  In no file */
};

enum { HEAPTAP_BUILD_ID_MAX = 64 };

/* One record; only the fields named for its kind mean anything. */
struct heaptap_metadata {
    enum heaptap_metadata_kind kind;
    const char
        *name; /* PROPERTY, MODULE (path), THREAD, TYPE, DROPS, STOPPED and ENDED (reason), TEST,
                          PROCESS (path of the program), HOLDERS (what it is a piece of) */
    const char
        *value; /* PROPERTY, HOLDERS; TEST: its limits, as in heaptap/test.h; PROCESS: the file */
    uint64_t number;  /* THREAD: kernel thread id; TYPE: type id; DROPS: how many samples;
                              MODULE: its epoch, which codes in it have in bits 48 to 62;
                              STOPPED and ENDED: when, in microseconds since the start;
                              PROCESS: pid */
    uint16_t domain;  /* THREAD, DROPS; PROCESS: the first of its domains, up to the next's first */
    uint64_t address; /* MODULE: first byte in memory */
    uint64_t size_bytes;  /* MODULE */
    uint64_t file_offset; /* MODULE: of the byte at `address` */
    int64_t loaded_us;    /* MODULE: since the start of the trace */
    int64_t unloaded_us;  /* MODULE: since the start; -1 while it stays */
    int64_t
        begin_us;   /* TEST: since the start; its thread had no event in this microsecond before it.
                     PROCESS: its own start */
    int64_t end_us; /* TEST: the same, and after it: its live-at-end is what is alive then */
    uint8_t build_id_size; /* MODULE: 0 for none, which over HEAPTAP_BUILD_ID_MAX it is */
    uint8_t build_id[HEAPTAP_BUILD_ID_MAX];
};

/* ---- Reader ------------------------------------------------------------------------- */

struct heaptap_reader;

enum heaptap_order {
    HEAPTAP_FILE_ORDER, /* packets as they were written: right within a domain, not across */
    HEAPTAP_TRUE_ORDER, /* all domains merged by time, then block id.  A stream that cannot seek is
                           first copied to an unlinked file in $TMPDIR */
};

struct heaptap_reader_options {
    enum heaptap_order order;
    bool skip_stacks;      /* don't decode stacks: faster, if you don't need them */
    bool only_allocations; /* leave out promotions and collections: faster, too */
};

/* Problems that a reader met and worked around.  The counts grow while reading. */
struct heaptap_reader_notes {
    uint64_t bytes;           /* of the decompressed trace, read so far */
    uint64_t packets;         /* of the traced process */
    uint64_t foreign_packets; /* of another pid (forked children): skipped */
    uint64_t clock_steps;     /* events earlier than their domain's previous one */
    uint64_t
        shortened_stacks; /* stacks whose common prefix was longer than what the file had kept */
    uint64_t
        location_conflicts; /* codes described twice, differently: the first description holds */
    uint64_t damaged_locations;       /* packets of names that could not be decoded to their end */
    uint64_t damaged_location_offset; /* byte of the first of them */
    uint64_t empty_gaps;   /* runs of zero bytes between packets (a writer was killed): skipped */
    uint64_t open_packets; /* not finished by their writer: all of their events are read */
};

/* Opens `path`, "-" for standard input; plain, gzip and zstd are recognized by their first bytes.
 * NULL options are those of a zeroed struct.  On success `*reader` is the caller's, to give to
 * heaptap_reader_close; on failure it is NULL. */
HEAPTAP_API enum heaptap_status heaptap_reader_open(struct heaptap_reader **reader,
                                                    const char *path,
                                                    const struct heaptap_reader_options *options,
                                                    struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* The same on a file descriptor, which the reader closes. */
HEAPTAP_API enum heaptap_status
heaptap_reader_open_fd(struct heaptap_reader **reader, int fd,
                       const struct heaptap_reader_options *options,
                       struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* The same on `size` bytes at `data`, borrowed until the reader is closed. */
HEAPTAP_API enum heaptap_status
heaptap_reader_open_memory(struct heaptap_reader **reader, const void *data, size_t size,
                           const struct heaptap_reader_options *options,
                           struct heaptap_error *error) HEAPTAP_MUST_CHECK;

HEAPTAP_API void heaptap_reader_close(struct heaptap_reader *reader);

/* Borrowed until the reader is closed. */
HEAPTAP_API const struct heaptap_trace_info *
heaptap_reader_info(const struct heaptap_reader *reader);

/* The next event.  HEAPTAP_END after the last one; HEAPTAP_BAD_INPUT where the trace is cut or
 * damaged, after every event before the damage: no event follows either. */
HEAPTAP_API enum heaptap_status heaptap_reader_next(struct heaptap_reader *reader,
                                                    struct heaptap_event *event,
                                                    struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* The same for up to `max` events at once, at least one, with their number in `*count`: faster if
 * stacks are skipped.  Otherwise it returns one at a time, because a stack is valid only until the
 * next event. */
HEAPTAP_API enum heaptap_status
heaptap_reader_next_many(struct heaptap_reader *reader, struct heaptap_event *events, size_t max,
                         size_t *count, struct heaptap_error *error) HEAPTAP_MUST_CHECK;

#if defined __cplusplus && defined __GNUC__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow" /* the struct has the function's name */
#endif
HEAPTAP_API const struct heaptap_reader_notes *
heaptap_reader_notes(const struct heaptap_reader *reader);
#if defined __cplusplus && defined __GNUC__
#pragma GCC diagnostic pop
#endif

/* How the trace is compressed: "none", "gzip" or "zstd".  Static storage. */
HEAPTAP_API const char *heaptap_reader_compression(const struct heaptap_reader *reader);

/* How many bytes the trace takes as it is stored: all of a file, compressed or not; of a stream,
 * those read so far. */
HEAPTAP_API uint64_t heaptap_reader_stored_bytes(const struct heaptap_reader *reader);

/* Frames are numbered densely from 0; `stack` entries are always below this. */
HEAPTAP_API uint32_t heaptap_reader_frame_count(const struct heaptap_reader *reader);

/* The opaque code (address) of a frame. */
HEAPTAP_API uint64_t heaptap_reader_frame_code(const struct heaptap_reader *reader, uint32_t frame);

/* Is there a frame of this code?  Then `*frame` is its number. */
HEAPTAP_API bool heaptap_reader_find_frame(const struct heaptap_reader *reader, uint64_t code,
                                           uint32_t *frame);

/* The locations of a frame, outermost caller first, the innermost inlined function last, and their
 * number in `*count`: 0 if the trace describes none.  Borrowed: the array until the next call of
 * heaptap_reader_next, the strings until the reader is closed.  Equal strings are the same pointer.
 */
HEAPTAP_API const struct heaptap_location *
heaptap_reader_frame_locations(const struct heaptap_reader *reader, uint32_t frame, size_t *count);

/* The metadata met so far, in file order, and their number in `*count`.  The array is borrowed
 * until the next call of heaptap_reader_next, its strings until the reader is closed. */
HEAPTAP_API const struct heaptap_metadata *
heaptap_reader_metadata(const struct heaptap_reader *reader, size_t *count);

/* ---- Where a writer's bytes go ------------------------------------------------------ */

/* A sink takes whole packets.  `write` is called by several threads at once unless the caller uses
 * one domain only; it returns 0, or an errno.  It must not call malloc where the writer must not.
 */
struct heaptap_sink {
    int (*write)(void *context, const void *data, size_t size);
    void *context;
};

/* Packets go to `fd`, each in one write(2), so that concurrent packets to a regular file never mix.
 * Give other kinds of file (pipes) to one domain at a time.  The descriptor stays the caller's. */
HEAPTAP_API struct heaptap_sink heaptap_sink_fd(int fd);

/* ---- Writer ------------------------------------------------------------------------- */

/* The writer can be used inside a traced process: from libc, the functions below call only memory
 * mapping (in the `new` functions) and getpid.  No malloc, no stdio, no locks. */

struct heaptap_writer; /* a trace being written */
struct heaptap_domain; /* the stream of one domain in it */

/* Tells the writer what a frame's code means: fills `locations` (outermost first) with at most
 * `max` entries and returns how many there are; 0 if nothing is known.  The strings must live until
 * the call into the writer returns.  Called when a code is first seen, before the event that uses
 * it is written. */
typedef size_t heaptap_describe(void *context, uint64_t code, struct heaptap_location *locations,
                                size_t max);

enum { HEAPTAP_LOCATIONS_MAX = 255 }; /* what one code can have */

/* The code of a frame `<truncated>`: frames are missing here.  The writer describes it. */
#define HEAPTAP_CODE_TRUNCATED UINT64_C(0x3c7472756e633e)

struct heaptap_writer_options {
    struct heaptap_sink sink;
    heaptap_describe *describe; /* NULL: no code has a description */
    void *describe_context;
    uint32_t max_frames; /* longest stack remembered for the common prefix; 0 for 4096 */
    bool any_process;    /* forks may write too: the caller takes care of the consequences */
};

/* Writes the trace's first packet.  `info` is copied; `info->version` chooses the format, 2 or 3.
 * Version 2 has no domains: only one may be written.  `*writer` is the caller's.
 * HEAPTAP_BAD_ARGUMENT, with nothing written, for what the reader would refuse: another version, a
 * rate outside (0, 1], a word size that isn't a multiple of 8 bits; and where `info`, `options` or
 * the sink is NULL. */
HEAPTAP_API enum heaptap_status heaptap_writer_new(struct heaptap_writer **writer,
                                                   const struct heaptap_trace_info *info,
                                                   const struct heaptap_writer_options *options,
                                                   struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* Frees the writer.  Its domains must have been freed.  Accepts NULL. */
HEAPTAP_API void heaptap_writer_free(struct heaptap_writer *writer);

/* 0, also for NULL, or the errno with which the sink first failed; from then on nothing is written
 * any more.
 * ECHILD where the calling process is a fork of the one that made the writer: it writes nothing
 * into its parent's file. */
HEAPTAP_API int heaptap_writer_errno(const struct heaptap_writer *writer);

/* The stream of domain `number`, used by one thread at a time.  Only one domain of a trace can have
 * a number at a time: HEAPTAP_BAD_STATE while another one has it, HEAPTAP_BAD_ARGUMENT for a NULL
 * writer and for a second domain in version 2. */
HEAPTAP_API enum heaptap_status heaptap_domain_new(struct heaptap_domain **domain,
                                                   struct heaptap_writer *writer, uint16_t number,
                                                   struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* Flushes and frees.  Accepts NULL. */
HEAPTAP_API void heaptap_domain_free(struct heaptap_domain *domain);

enum heaptap_stack_direction {
    HEAPTAP_CALLER_FIRST, /* as readers give it */
    HEAPTAP_SITE_FIRST,   /* as unwinders give it */
};

enum { HEAPTAP_SHARED_UNKNOWN = -1 };

struct heaptap_allocation {
    enum heaptap_source source;
    uint64_t length;       /* words, without the header */
    uint64_t samples;      /* at least 1 */
    const uint64_t *stack; /* codes; borrowed for the call; NULL for none, whatever the length */
    uint32_t stack_length;
    enum heaptap_stack_direction direction;
    int64_t
        shared; /* how many of the outermost frames equal those of the domain's previous allocation,
                   where the caller knows (it may say too few); else HEAPTAP_SHARED_UNKNOWN */
};

/* The id of no block: promotions and collections of it are ignored. */
#define HEAPTAP_NO_ID UINT64_MAX

/* Records an allocation and returns its id, the next of the domain's chunk.  HEAPTAP_NO_ID, with
 * nothing written, for what the reader would refuse: no samples, 2^63 of them or words, an unknown
 * source.   `time_us` is since the
 * Unix epoch, here and below; a time before the domain's last one is written as it is, in a packet
 * of its own. A stack too long for a packet keeps its outermost and innermost frames, with a frame
 * `<truncated>` between. */
HEAPTAP_API uint64_t heaptap_domain_alloc(struct heaptap_domain *domain, int64_t time_us,
                                          const struct heaptap_allocation *allocation);

/* The same under an id chosen by the caller, unique in the trace: for rewriting a trace.  What would
 * be refused above is not written. */
HEAPTAP_API void heaptap_domain_alloc_as(struct heaptap_domain *domain, int64_t time_us,
                                         uint64_t id, const struct heaptap_allocation *allocation);

/* The block `id`, of any domain, was promoted, or has ended.  After the promotion of a block of
 * another domain whose id is higher than any of this one's, the domain goes on with new ids, because
 * memtrace's reader refuses the promotion of an id above the domain's next. */
HEAPTAP_API void heaptap_domain_promote(struct heaptap_domain *domain, int64_t time_us,
                                        uint64_t id);
HEAPTAP_API void heaptap_domain_collect(struct heaptap_domain *domain, int64_t time_us,
                                        uint64_t id);

/* Writes one metadata packet with these records, at once.  Records that don't fit into it get
 * packets of their own; a name too long for a packet is cut. */
HEAPTAP_API void heaptap_domain_metadata(struct heaptap_domain *domain,
                                         const struct heaptap_metadata *records, size_t count);

/* Passes what is buffered to the sink. */
HEAPTAP_API void heaptap_domain_flush(struct heaptap_domain *domain);

#ifdef __cplusplus
}
#endif
#endif
