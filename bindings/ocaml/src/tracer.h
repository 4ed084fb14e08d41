/* What the C files of the OCaml library share.
 *
 * A trace that is being written is a `trace_file`.  OCaml holds it by its streams, one for each
 * domain of the program that writes to it: `Trace.Writer.t` is a custom block around a
 * `trace_stream`.
 *
 * At most one trace file at a time is fed by Gc.Memprof: that is the session (session.c).  Its
 * callbacks find the stream of the domain on which they run by the runtime's index of that domain,
 * which no two living domains share.  So an event takes no lock and touches nothing of OCaml's heap
 * but the callback's argument; all that a callback calls is [@@noalloc]. */
#ifndef TRACER_H
#define TRACER_H

#define CAML_INTERNALS
#include <caml/mlvalues.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "heaptap/trace.h"
#include "tap/inside/growing_file.h"

/* A trace file, open for writing. */
struct trace_file {
    struct heaptap_writer *writer;
    int fd;
    _Atomic int streams; /* that refer to it: the last one frees it */
    _Atomic int code;    /* errno of the first failure, or 0: then nothing is written any more */
    int64_t start_us;    /* of the trace, since the Unix epoch */
    pid_t owner;         /* the process that made it */
    uint32_t ids_per_chunk;
    struct growing_file
        memory; /* open: packets are written in place, so that events outlive the process */
};

struct taught; /* taught.h */

/* The stream of one domain in a trace file: written to by one thread at a time. */
struct trace_stream {
    struct trace_file *file;
    struct heaptap_domain *domain; /* NULL once closed */
    uint16_t number;               /* of the domain, in the trace */
    struct taught *taught;         /* what put_alloc was told of its codes; NULL for nothing */
};

/* NULL and an errno in `*code` where it fails.  `file` is shared. */
struct trace_stream *trace_stream_new(struct trace_file *file, uint16_t number, int *code);

/* Flushes, and frees the file with its last stream. */
void trace_stream_free(struct trace_stream *stream);

/* The stream behind a Trace.Writer.t. */
struct trace_stream *trace_stream_val(value writer);

/* In a forked child: nothing reaches the parent's file any more. */
void trace_file_leave_to_parent(struct trace_file *file);

/* Of a Trace.Info.t, whose texts are borrowed. */
struct heaptap_trace_info trace_info_val(value info, unsigned version);

/* For heaptap_writer_options: what OCaml's debugging information, or else what put_alloc was told,
 * says of a code. */
size_t describe_code(void *context, uint64_t code, struct heaptap_location *locations, size_t max);

/* While this is set, codes of the calling thread are those that put_alloc was told of. */
extern _Thread_local const struct taught *describe_taught;

/* The code of a slot of a Printexc.raw_backtrace is the slot as it lies in memory: an address with
 * its lowest bit set.  So a call stack is handed to the writer where it lies. */
static inline const uint64_t *callstack_codes(value callstack)
{
    return (const uint64_t *)Op_val(callstack);
}

/* "<none>": the one frame of a block whose stack the runtime doesn't know, as it makes some for each
 * domain.  Memtrace's hotspots fails where a stack has no frame.  No slot is even. */
#define CODE_NO_STACK UINT64_C(0x3c6e6f6e653e)

struct heaptap_pprof;

/* Prepares a session that gathers a profile, and returns its number. */
value session_gather(struct heaptap_pprof *profile, double rate, int64_t start_us);

/* The file cannot be written any more: the session, if it feeds this file, ends. */
void session_file_failed(struct trace_file *file);

#endif
