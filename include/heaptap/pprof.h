/* Writing pprof profiles from inside a running program, without a trace in between.
 *
 * A profile gathers, for each call stack and size of block, how much was allocated, was promoted,
 * has ended, and for how long it lived.  Its memory grows with the number of different stacks and
 * sizes, not with the blocks: all that is needed for a block is in the number that
 * heaptap_pprof_alloc returns, and the caller keeps that until the block ends.
 *
 *     heaptap_pprof_new(&profile, &info, &options, &error);
 *     heaptap_pprof_domain_new(&domain, profile, &error);      // one for each thread
 *     uint64_t block = heaptap_pprof_alloc(domain, now_us, &allocation);
 *     heaptap_pprof_collect(profile, later_us, block);         // on any thread
 *     heaptap_pprof_save(profile, now_us, "prog.pb.gz");       // whenever wanted, and at the end
 *
 * Sample types are those of `heaptap pprof`: alloc_objects/count, alloc_space/bytes,
 * inuse_objects/count, inuse_space/bytes, promoted_objects/count, promoted_space/bytes,
 * lifetime/nanoseconds; each sample has the label `bytes`, the size of its blocks.  A stack and size is one sample, however many
 * domains have it.  All are
 * estimates from the samples: bytes = samples / rate * word bytes, objects = samples / rate /
 * (words + header).  The file is in gzip format but not compressed: `heaptap file symbolize FILE -o
 * SMALLER` compresses it.
 *
 * With options.intervals, each file has what was allocated since the last one that could be written,
 * and what is in use when it is written: alloc_objects, alloc_space, inuse_objects, inuse_space, no
 * other types.  Its time is the interval's, so that the files of a run add up to the whole of it.
 *
 * This can be used inside a traced process: from libc it calls only memory mapping, file functions
 * (in heaptap_pprof_save), and sched_yield if two threads meet a new frame at the same time.  No
 * malloc, no stdio, no locks shared with libc.  Nothing else here waits for another thread. */
#ifndef HEAPTAP_PPROF_H
#define HEAPTAP_PPROF_H

#include "heaptap/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

struct heaptap_pprof;        /* a profile being gathered */
struct heaptap_pprof_domain; /* one thread's part of it */

/* Which module contains a code, and at which address: returns the number from
 * heaptap_pprof_add_module, and the address in `*address`; or 0 if the code is in no module.
 * Called when a code is first seen. */
typedef uint32_t heaptap_pprof_locate(void *context, uint64_t code, uint64_t *address);

struct heaptap_pprof_options {
    heaptap_describe *describe;   /* names of a code, as for a trace's writer; NULL: none known */
    heaptap_pprof_locate *locate; /* NULL: all code is the program's, without addresses */
    void *context;                /* of both */
    uint32_t max_frames;          /* longest stack kept; longer ones keep outermost and innermost
                                     frames, with a frame `<truncated>` between; 0 for 4096 */
    int intervals;    /* not 0: each file is of the time since the last one, see below */
    const char *keep; /* NULL: none.  A file that holds the gathered data while they are gathered,
                         so that it outlives the process; one of that name is replaced */
};

/* The rate, word size, program, context and start of the profile are those of `info`, of which
 * nothing is borrowed.  NULL options are those of a zeroed struct.  On success `*profile` is the
 * caller's.  HEAPTAP_BAD_ARGUMENT, with `*profile` NULL, for a rate outside (0, 1] and a word size that
 * isn't a multiple of 8 bits. */
HEAPTAP_API enum heaptap_status heaptap_pprof_new(struct heaptap_pprof **profile,
                                                  const struct heaptap_trace_info *info,
                                                  const struct heaptap_pprof_options *options,
                                                  struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* Frees all that the profile holds; its domains must have been freed.  Accepts NULL. */
HEAPTAP_API void heaptap_pprof_free(struct heaptap_pprof *profile);

/* With options.keep: nonzero if the data are kept there.  On filesystems whose files can't be
 * mapped, they are in memory instead.  If the file can't grow (the disk is full), new samples
 * are counted as dropped. */
HEAPTAP_API int heaptap_pprof_is_kept(const struct heaptap_pprof *profile);

/* Adds a module, a record of kind HEAPTAP_MODULE, as a mapping of the profile; the strings are
 * copied.  Returns its number, from 1 on; the same number for a module that was added before; 0 if
 * there is no memory.  Can be called by any thread. */
HEAPTAP_API uint32_t heaptap_pprof_add_module(struct heaptap_pprof *profile,
                                              const struct heaptap_metadata *module);

/* A domain is used by one thread at a time. */
HEAPTAP_API enum heaptap_status
heaptap_pprof_domain_new(struct heaptap_pprof_domain **domain, struct heaptap_pprof *profile,
                         struct heaptap_error *error) HEAPTAP_MUST_CHECK;
HEAPTAP_API void heaptap_pprof_domain_free(struct heaptap_pprof_domain *domain);

/* Counts an allocation, and returns the number of the block for the functions below, over 0 and
 * under 2^62.  0 if there was no memory for a new stack: the samples are counted as dropped, and a
 * comment of the profile has their number.  `time_us` is since the Unix epoch, here and
 * below. */
HEAPTAP_API uint64_t heaptap_pprof_alloc(struct heaptap_pprof_domain *domain, int64_t time_us,
                                         const struct heaptap_allocation *allocation);

/* A block was promoted, or has ended.  Call each at most once per block, on any thread.  Block 0, and
 * a number that was not given out, are ignored. */
HEAPTAP_API void heaptap_pprof_promote(struct heaptap_pprof *profile, uint64_t block);
HEAPTAP_API void heaptap_pprof_collect(struct heaptap_pprof *profile, int64_t time_us,
                                       uint64_t block);

/* Counts samples that the caller had to drop. */
HEAPTAP_API void heaptap_pprof_drop(struct heaptap_pprof *profile, uint64_t samples);

/* Says in a comment that recording ended before the program did, for `reason`, which must live as
 * long as the profile. */
HEAPTAP_API void heaptap_pprof_stop(struct heaptap_pprof *profile, const char *reason);

/* Notes that the process was there at that time; for one that is killed, its blocks in use have
 * lived until then. */
HEAPTAP_API void heaptap_pprof_alive(struct heaptap_pprof *profile, int64_t time_us);

/* Writes the profile as it is at `time_us`, as a whole file, to a sink; or to a new file that then
 * replaces `path`, so that there is always a complete one.  Domains may go on meanwhile: what they
 * count is in this profile or the next one.  One call at a time.  Returns 0 or an errno. */
HEAPTAP_API int heaptap_pprof_write(struct heaptap_pprof *profile, int64_t time_us,
                                    struct heaptap_sink sink);
HEAPTAP_API int heaptap_pprof_save(struct heaptap_pprof *profile, int64_t time_us,
                                   const char *path);

/* With options.intervals: whether anything was allocated or has ended since the last file; nonzero
 * if so.  Takes one look at each stack and size; not while a file is written. */
HEAPTAP_API int heaptap_pprof_changed(const struct heaptap_pprof *profile);

#ifdef __cplusplus
}
#endif
#endif
