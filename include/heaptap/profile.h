/* Reading and querying allocation profiles, as heaptap's reports do: the same files, and the same
 * filters.
 *
 *     heaptap_profile_open(&profile, "app.ctf", &error);
 *     heaptap_profile_select(&selection, profile, "size>=1k live-at=peak", "inuse_space", &error);
 *     heaptap_selection_rows(selection, HEAPTAP_FUNCTIONS, &rows, &count, &error);
 *     ... rows[i].function, rows[i].flat ...
 *     heaptap_selection_free(selection);
 *     heaptap_profile_close(profile);
 *
 * A profile is a file read into memory: a trace, or a profile of values by stack (pprof's,
 * jemalloc's and others).  A selection is what a filter leaves of it, in one of its sample types.
 * It only looks at what is in memory, so a program can make many.
 *
 * Sample types of a trace are alloc_space, alloc_objects, inuse_space, inuse_objects (alive at the
 * end), promoted_space, promoted_objects, collected_space and collected_objects; _space in bytes,
 * _objects in blocks ("count").  They are estimates from the samples; at rate 1 they are exact.
 * Other profiles have sample types of their own.
 *
 * heaptap-filters(7) describes the filter language: clauses separated by spaces, which must all
 * hold.
 *
 * Addresses without names stay as they are: `heaptap file symbolize` looks them up.
 *
 * A profile may be read by several threads at once, a selection by one at a time. */
#ifndef HEAPTAP_PROFILE_H
#define HEAPTAP_PROFILE_H

#include "heaptap/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

struct heaptap_profile;
struct heaptap_selection;

/* ---- Files -------------------------------------------------------------------------- */

/* Reads the file at `path`, or `fd`, which this function always closes; plain, gzip or zstd.
 *
 * For a file that is cut or damaged, returns HEAPTAP_BAD_INPUT, with error->offset; if it is a
 * trace, `*profile` has what comes before the damage.  On any other failure `*profile` is NULL.
 * If `*profile` is not NULL, the caller has to close it. */
HEAPTAP_API enum heaptap_status
heaptap_profile_open(struct heaptap_profile **profile, const char *path,
                     struct heaptap_error *error) HEAPTAP_MUST_CHECK;
HEAPTAP_API enum heaptap_status
heaptap_profile_open_fd(struct heaptap_profile **profile, int fd,
                        struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* Free the profile's selections first.  Accepts NULL. */
HEAPTAP_API void heaptap_profile_close(struct heaptap_profile *profile);

/* For a trace, else NULL, as for a NULL profile.  Borrowed from the profile. */
HEAPTAP_API const struct heaptap_trace_info *
heaptap_profile_info(const struct heaptap_profile *profile);

/* Times of a trace, in microseconds since its start: that of its last event, and that at which most
 * was alive.  0 for other profiles. */
HEAPTAP_API int64_t heaptap_profile_end_us(const struct heaptap_profile *profile);
HEAPTAP_API int64_t heaptap_profile_peak_us(const struct heaptap_profile *profile);

struct heaptap_sample_type {
    const char *name; /* "alloc_space" */
    const char *unit; /* "bytes", "count", or another as in the file */
};

/* The sample types by number; false if there are no more.  Texts are borrowed from the profile. */
HEAPTAP_API bool heaptap_profile_type(const struct heaptap_profile *profile, size_t number,
                                      struct heaptap_sample_type *type);

/* ---- Filters ------------------------------------------------------------------------ */

/* Is this text (NULL: "") a filter?  HEAPTAP_BAD_ARGUMENT if not: error->message says what is wrong, and
 * error->offset with `*length` (which can be NULL) which bytes of the text are wrong. */
HEAPTAP_API enum heaptap_status
heaptap_filter_check(const char *filter, size_t *length,
                     struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* Selects what passes the filter (NULL or "": all) of the profile, which must outlive the selection.
 * `sample_type` NULL: what the file prefers; for a trace, alloc_space.
 *
 * HEAPTAP_BAD_ARGUMENT, with `*selection` NULL, if the filter is wrong, as above, or asks for what
 * the profile doesn't have (such as times, in a profile of values); or if there is no such sample
 * type. */
HEAPTAP_API enum heaptap_status
heaptap_profile_select(struct heaptap_selection **selection, const struct heaptap_profile *profile,
                       const char *filter, const char *sample_type,
                       struct heaptap_error *error) HEAPTAP_MUST_CHECK;
HEAPTAP_API void heaptap_selection_free(struct heaptap_selection *selection);

/* ---- Values ------------------------------------------------------------------------- */

/* Texts are borrowed from the profile. */
HEAPTAP_API struct heaptap_sample_type
heaptap_selection_type(const struct heaptap_selection *selection);

/* The sum of what passes the filter; and the sum of everything, which percentages in reports are parts
 * of (negative values count by their absolute value). */
HEAPTAP_API double heaptap_selection_total(const struct heaptap_selection *selection);
HEAPTAP_API double heaptap_selection_whole(const struct heaptap_selection *selection);

/* The bounds of the total, and the samples that it rests upon, as of rows below; each place can be NULL.  Zeros for a NULL
 * selection. */
HEAPTAP_API void heaptap_selection_bounds(const struct heaptap_selection *selection, double *low,
                                          double *high, uint64_t *samples);

/* What a row stands for. */
enum heaptap_granularity {
    HEAPTAP_FUNCTIONS,      /* names of functions */
    HEAPTAP_FILE_FUNCTIONS, /* functions in their files */
    HEAPTAP_FILES,
    HEAPTAP_LINES,
    HEAPTAP_ADDRESSES,
};

struct heaptap_row {
    const char *name;     /* as `heaptap top` prints it */
    const char *function; /* "" if rows don't distinguish it or it isn't known; the same below */
    const char *file;
    uint32_t line;    /* 0 for none */
    uint64_t address; /* 0 for none */
    double flat;      /* what it allocates itself */
    double cum;       /* what comes through it: once per stack, however often it recurs */
    /* How far these may be off: the true values lie between them in 95 of 100 recordings, as with --json.  Where they are exact, and
     * in profiles of values, both are the value. */
    double flat_low, flat_high;
    double cum_low, cum_high;
    uint64_t
        flat_samples; /* the samples that they rest upon; in profiles of values, entries of the file */
    uint64_t cum_samples;
};

/* All functions (or files, ...) with a value, the largest flat first, then the largest cum. `*rows`
 * is borrowed until the next call for this selection. */
HEAPTAP_API enum heaptap_status
heaptap_selection_rows(struct heaptap_selection *selection, enum heaptap_granularity granularity,
                       const struct heaptap_row **rows, size_t *count,
                       struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* Called with a stack, callers first, inlined functions in their places; an unknown frame has empty
 * texts.  The stack is borrowed until the call returns.  Return false to end the visit. */
typedef bool heaptap_stack_visitor(void *context, const struct heaptap_location *locations,
                                   size_t count, double value);

/* Visits each stack with a value once, in no particular order. */
HEAPTAP_API enum heaptap_status
heaptap_selection_stacks(const struct heaptap_selection *selection, heaptap_stack_visitor *visit,
                         void *context, struct heaptap_error *error) HEAPTAP_MUST_CHECK;

#ifdef __cplusplus
}
#endif
#endif
