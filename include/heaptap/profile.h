/* Reading allocation profiles and asking them, as heaptap's reports do: any file that these read,
 * and the same filters.
 *
 *     heaptap_profile_open(&profile, "app.ctf", &error);
 *     heaptap_profile_select(&selection, profile, "size>=1k live-at=peak", "inuse_space", &error);
 *     heaptap_selection_rows(selection, HEAPTAP_FUNCTIONS, &rows, &count, &error);
 *     ... rows[i].function, rows[i].flat ...
 *     heaptap_selection_free(selection);
 *     heaptap_profile_close(profile);
 *
 * A profile is a file read into memory: a trace, or a profile of values by stack (pprof's,
 * jemalloc's and others).  A selection is what a filter leaves of it, in one of its sample types; it costs no
 * more than a look at what is in memory, so a program may make many.
 *
 * Sample types of a trace are alloc_space, alloc_objects, inuse_space, inuse_objects (alive at the
 * end), promoted_space, promoted_objects, collected_space and collected_objects; _space in bytes,
 * _objects in blocks ("count").  They are estimates from the samples; at rate 1 they are exact.
 * Other profiles have sample types of their own.
 *
 * heaptap-filters(7) describes the filter language: clauses with spaces between, all of which hold.
 *
 * Addresses without names stay as they are: `heaptap symbolize` looks them up.
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

/* Reads the file at `path`, or `fd`, which is taken over in any case; plain, gzip or zstd.
 *
 * Of a file that is cut or damaged, HEAPTAP_BAD_INPUT says so, with error->offset; where it is a
 * trace, `*profile` has what stands before the damage.  On any other failure `*profile` is NULL.
 * Whatever is not NULL is for the caller to close. */
HEAPTAP_API enum heaptap_status
heaptap_profile_open(struct heaptap_profile **profile, const char *path,
                     struct heaptap_error *error) HEAPTAP_MUST_CHECK;
HEAPTAP_API enum heaptap_status
heaptap_profile_open_fd(struct heaptap_profile **profile, int fd,
                        struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* After its selections.  NULL is fine. */
HEAPTAP_API void heaptap_profile_close(struct heaptap_profile *profile);

/* Of a trace, else NULL.  Borrowed from the profile. */
HEAPTAP_API const struct heaptap_trace_info *
heaptap_profile_info(const struct heaptap_profile *profile);

/* Times of a trace, in microseconds since its start: of its last event, and when most was alive.  0
 * for other profiles. */
HEAPTAP_API int64_t heaptap_profile_end_us(const struct heaptap_profile *profile);
HEAPTAP_API int64_t heaptap_profile_peak_us(const struct heaptap_profile *profile);

struct heaptap_sample_type {
    const char *name; /* "alloc_space" */
    const char *unit; /* "bytes", "count", or whatever the file says */
};

/* The sample types by number; false where there are no more.  Texts are borrowed from the profile.
 */
HEAPTAP_API bool heaptap_profile_type(const struct heaptap_profile *profile, size_t number,
                                      struct heaptap_sample_type *type);

/* ---- Filters ------------------------------------------------------------------------ */

/* Is this text a filter?  HEAPTAP_BAD_ARGUMENT if not: error->message says what is wrong, and
 * error->offset with `*length` (NULL allowed) which bytes of the text that is about. */
HEAPTAP_API enum heaptap_status
heaptap_filter_check(const char *filter, size_t *length,
                     struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* What the filter (NULL or "": all) leaves of the profile, which must outlive the selection.
 * `sample_type` NULL: what the file prefers; of a trace, alloc_space.
 *
 * HEAPTAP_BAD_ARGUMENT, with `*selection` NULL, where the filter is wrong or asks for what the
 * profile doesn't have (times, of a profile of values), as above; or where there is no such sample
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

/* The sum of what the filter leaves; and of everything, of which reports print percentages
 * (negative values count by their size there). */
HEAPTAP_API double heaptap_selection_total(const struct heaptap_selection *selection);
HEAPTAP_API double heaptap_selection_whole(const struct heaptap_selection *selection);

/* What is told apart. */
enum heaptap_granularity {
    HEAPTAP_FUNCTIONS,      /* names of functions */
    HEAPTAP_FILE_FUNCTIONS, /* functions in their files */
    HEAPTAP_FILES,
    HEAPTAP_LINES,
    HEAPTAP_ADDRESSES,
};

struct heaptap_row {
    const char *name;     /* as `heaptap top` prints it */
    const char *function; /* "" where it isn't told apart or known; the same below */
    const char *file;
    uint32_t line;    /* 0 for none */
    uint64_t address; /* 0 for none */
    double flat;      /* what it allocates itself */
    double cum;       /* what comes through it: once a stack, however often it recurs */
};

/* All functions (or files, ...) with a value, the largest flat first, then the largest cum. `*rows`
 * is borrowed until the next call for this selection. */
HEAPTAP_API enum heaptap_status
heaptap_selection_rows(struct heaptap_selection *selection, enum heaptap_granularity granularity,
                       const struct heaptap_row **rows, size_t *count,
                       struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* Is given a stack, callers first, inlined functions in their places; a frame of which nothing is
 * known has empty texts.  Borrowed until it returns; false ends the visit. */
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
