/* The recording half of a thread: its domain in the trace, and its unwinder. */
#ifndef TAP_RECORD_STREAM_H
#define TAP_RECORD_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "heaptap/pprof.h"
#include "tap/inside/clock.h"
#include "tap/unwind/unwind.h"

enum { THREAD_NAME_BYTES = 16 };

/* What is recorded of a stack: its addresses as they lie, a copy of them, or what they have become (native/modules.h). */
enum stream_codes { STREAM_ADDRESSES, STREAM_COPIES, STREAM_CODES };

/* Has one thread at a time, and the next one when that has ended.  Never freed. */
struct stream {
    size_t mapped_bytes;
    struct stream *next;                  /* all that were ever made; written once */
    uint32_t in_use;                      /* atomic: has a thread */
    uint32_t busy;                        /* atomic: that thread is writing */
    uint16_t number;                      /* of the domain */
    struct heaptap_domain *domain;        /* NULL while a profile is written */
    struct heaptap_pprof_domain *profile; /* NULL while a trace is */
    struct unwind_thread *unwind;         /* NULL: no stacks are wanted */
    uint64_t *
        codes; /* where the stack's addresses are not what is recorded: that of the last stack, caller first,
                        from codes[1] on; codes[0] is HEAPTAP_CODE_TRUNCATED */
    enum stream_codes codes_are;
    uint32_t
        wrapper; /* where in the last stack's addresses the recorder's own frame stood; UINT32_MAX: nowhere */
    bool truncated; /* the last stack began with that mark */
    struct clock_base clock;
    int64_t flushed_us;                  /* when what was gathered was last written */
    int64_t deadline_us;                 /* at this time there is something to do besides events */
    uint64_t thread_id;                  /* the kernel's */
    char thread_name[THREAD_NAME_BYTES]; /* as last written */
};

/* A stream for this thread; NULL where there is no memory, or all numbers are taken. */
struct stream *stream_take(void);

/* The thread ends. */
void stream_give_back(struct stream *stream);

/* From stream_enter to stream_leave nobody else touches the stream.  False while nothing may be
 * written any more. */
bool stream_enter(struct stream *stream);
void stream_leave(struct stream *stream, int64_t now_us);

/* Between the two.  Whatever is allocated from now on was sampled at a rate that was halved so many
 * times. */
void stream_set_halvings(struct stream *stream, uint32_t halvings);

/* Between the two.  Records an allocation whose hook was entered from `start`; returns its id. */
uint64_t stream_alloc(struct stream *stream, int64_t now_us, uint64_t size, uint64_t samples,
                      const struct unwind_start *start);

/* What is to become of the streams after a flush. */
enum streams_then {
    STREAMS_GO_ON,
    STREAMS_FORK,       /* the same, before a fork */
    STREAMS_EACH_EVENT, /* go on, and write each event at once: the process is about to end */
    STREAMS_CLOSE,      /* nothing is recorded any more */
    STREAMS_END, /* the process ends right after this: threads that have something to record wait for that,
                           and signals are held */
};

/* Writes what all streams have gathered; of a trace that is written in place it closes the packets
 * and gives back what is unused.  Waits a little for threads that are just writing; what
 * one holds that doesn't finish (it may be stopped, or be this very thread, below a signal handler)
 * is lost if the process ends. */
void streams_flush(enum streams_then then);

/* Whether STREAMS_CLOSE was the last. */
bool streams_closed(void);

struct growing_file;

/* Before this process takes system calls away from itself: from now on all goes on in memory that is
 * reserved now, `bytes` of it in the file.  False where that can't be, and nothing is changed. */
bool streams_confine(struct growing_file *file, uint64_t bytes);

/* It could not: as before. */
void streams_unconfine(struct growing_file *file);

/* After STREAMS_CLOSE: goes on. */
void streams_reopen(void);

/* Whether this thread was interrupted while it wrote to its stream, by a signal handler that calls
 * this. */
bool streams_interrupted(void);

/* In a forked child: there are none any more.  Their memory goes with them unless the one of this
 * thread is being written to. */
void streams_forget(bool interrupted);

/* After STREAMS_CLOSE, where no other thread is there: they stay closed, and their memory is given back. */
void streams_release(void);

/* To be called once, before there are any. */
void streams_init(void);

#endif
