/* Writing pprof profiles from inside a running program, without a trace in between.
 *
 * A profile gathers, for each call stack and size of block, how much was allocated, was promoted,
 * has ended, and for how long it lived.  Its memory grows with the stacks and sizes that differ,
 * not with the blocks: what is to be known of a block stands in the number that heaptap_pprof_alloc
 * gives, and which the caller keeps until the block ends.
 *
 *     heaptap_pprof_new(&profile, &info, &options, &error);
 *     heaptap_pprof_domain_new(&domain, profile, &error);      one for each thread
 *     block = heaptap_pprof_alloc(domain, now_us, &allocation);
 *     heaptap_pprof_collect(profile, later_us, block);         on any thread
 *     heaptap_pprof_save(profile, now_us, "prog.pb.gz");       whenever wanted, and at the end
 *
 * Sample types are those of `heaptap pprof`: alloc_objects/count, alloc_space/bytes,
 * inuse_objects/count, inuse_space/bytes, promoted_objects/count, promoted_space/bytes,
 * lifetime/nanoseconds; each sample has the label `bytes`, the size of its blocks.  All are
 * estimates from the samples: bytes = samples / rate * word bytes, objects = samples / rate /
 * (words + header).  The file is in a gzip wrapper, stored: `heaptap
 * symbolize FILE -o SMALLER` compresses it.
 *
 * Fit for use inside a traced process: nothing of libc is called but memory mapping, file calls
 * (in heaptap_pprof_save), and sched_yield where two threads meet a new frame at once.  No malloc,
 * no stdio, no locks shared with libc.  Nothing here waits for another thread but that. */
#ifndef HEAPTAP_PPROF_H
#define HEAPTAP_PPROF_H

#include "heaptap/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

struct heaptap_pprof;        /* a profile being gathered */
struct heaptap_pprof_domain; /* a thread's way into it */

/* Which module holds a code, and at which address: returns the number that heaptap_pprof_add_module
 * gave, and the address in `*address`; or 0, for code that is in none.  Called when a code is first
 * seen. */
typedef uint32_t heaptap_pprof_locate(void *context, uint64_t code, uint64_t *address);

struct heaptap_pprof_options {
    heaptap_describe *describe; /* names of a code, as a trace's writer has it; NULL: none known */
    heaptap_pprof_locate *locate; /* NULL: all code is the program's, without addresses */
    void *context;                /* of both */
    uint32_t max_frames;          /* longest stack kept: of longer ones the outermost and innermost
                                     frames, with a frame `<truncated>` between; 0 for 4096 */
};

/* The rate, word size, program, context and start of the profile are those of `info`, of which
 * nothing is borrowed.  On success `*profile` is the caller's. */
HEAPTAP_API enum heaptap_status heaptap_pprof_new(struct heaptap_pprof **profile,
                                                  const struct heaptap_trace_info *info,
                                                  const struct heaptap_pprof_options *options,
                                                  struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* Frees all that the profile holds; its domains must have been freed.  Accepts NULL. */
HEAPTAP_API void heaptap_pprof_free(struct heaptap_pprof *profile);

/* A module, a record of kind HEAPTAP_MODULE, becomes a mapping of the profile; the strings are
 * copied.  Returns its number, from 1 on; the same for one that was added before; 0 when there is
 * no memory.  By any thread. */
HEAPTAP_API uint32_t heaptap_pprof_add_module(struct heaptap_pprof *profile,
                                              const struct heaptap_metadata *module);

/* A domain is used by one thread at a time. */
HEAPTAP_API enum heaptap_status
heaptap_pprof_domain_new(struct heaptap_pprof_domain **domain, struct heaptap_pprof *profile,
                         struct heaptap_error *error) HEAPTAP_MUST_CHECK;
HEAPTAP_API void heaptap_pprof_domain_free(struct heaptap_pprof_domain *domain);

/* Counts an allocation, and returns what stands for the block below: a number over 0 and under
 * 2^62.  0 when there was no memory for a new stack: the samples are counted as dropped, and a
 * comment of the profile tells how many they are.  `time_us` is since the Unix epoch, here and
 * below. */
HEAPTAP_API uint64_t heaptap_pprof_alloc(struct heaptap_pprof_domain *domain, int64_t time_us,
                                         const struct heaptap_allocation *allocation);

/* A block was promoted, or has ended: each once at most, by any thread.  0 is no block, and
 * ignored. */
HEAPTAP_API void heaptap_pprof_promote(struct heaptap_pprof *profile, uint64_t block);
HEAPTAP_API void heaptap_pprof_collect(struct heaptap_pprof *profile, int64_t time_us,
                                       uint64_t block);

/* Counts samples that the caller had to drop. */
HEAPTAP_API void heaptap_pprof_drop(struct heaptap_pprof *profile, uint64_t samples);

/* Says in a comment that the gathering ended before the program did, for `reason`, which lives as
 * long as the profile. */
HEAPTAP_API void heaptap_pprof_stop(struct heaptap_pprof *profile, const char *reason);

/* Writes the profile as it is at `time_us`, a whole file, to a sink; or to `path`, in a new file
 * that then takes its place, so that there is always a complete one.  Domains may go on meanwhile:
 * what they count is in this profile or the next one.  One call at a time.  0 or an errno. */
HEAPTAP_API int heaptap_pprof_write(struct heaptap_pprof *profile, int64_t time_us,
                                    struct heaptap_sink sink);
HEAPTAP_API int heaptap_pprof_save(struct heaptap_pprof *profile, int64_t time_us,
                                   const char *path);

#ifdef __cplusplus
}
#endif
#endif
