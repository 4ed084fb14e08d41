/* The filter language: which objects and which parts of their stacks a report is about.  The same
 * text works on the command line, in the viewer's address and here.
 *
 *     filter  = clause { clause }          all of them hold; "and" may stand between
 *     clause  = word operator value        size>=1k   live-at=peak   focus="List.map|List.iter"
 *     operator = "=" "!=" "<" "<=" ">" ">="
 *                                          != reverses the clause; the last four are for words that
 *                                          take a quantity or a time
 *     value   = anything without spaces, or in "double" or 'single' quotes, where a quote of the same
 *               kind is written twice
 *     range   = LOW..HIGH  LOW..  ..HIGH   both ends included
 *
 *     allocated   time or range            when the object was born
 *     live-at     time or range            alive then (at some time of the range): born by then, and
 *                                          not yet dead
 *     collected   time, range or never     when it died
 *     promoted    time, range or never     when it went from the minor to the major heap
 *     lifetime    duration or range        from birth to death, or to the end of the trace
 *     age         duration or range        from birth to the end of the trace, also of what died
 *     size        bytes or range           of the object
 *     source      minor, major, external   where it is; a list with commas.  Without minor, an object
 *                                          is born by its promotion; without major, it dies by that
 *     domain      numbers                  that allocated it
 *     thread      regex                    on the name of the thread that allocated it, or its number
 *     type        regex                    on the name of its type
 *     tag         regex                    on the value of any label; tag:KEY on those of that key,
 *                                          which may also be a number or range: tag:bytes>=1k
 *     focus       regex                    some frame of the stack matches
 *     ignore      regex                    no frame matches (the same as focus!=)
 *     site        regex                    the innermost call of the stack matches; a guest's type is none
 *     hide        regex                    frames that match are left out of their stacks
 *     show        regex                    frames that don't match are left out
 *     show-from   regex                    callers outside the outermost frame that matches are left
 *                                          out, and stacks without such a frame
 *
 *     own         regex                    stacks end in the innermost frame that matches; with !=, in
 *                                          one that doesn't, and that is none of a library's
 *     libraries   hide or show             whether allocators, standard libraries, installed packages and
 *                                          guests' types are left out at the inner ends of stacks; a
 *                                          report of allocation sites hides them unless told otherwise.
 *                                          (`allocators` is an old name of it.)
 *
 * Regexes on frames match a function's name, its file or its module; focus:function, focus:file and
 * focus:module (and so on) say which.
 *
 * A time is a number with a unit (us, ms, s, min, h; seconds without one) since the start of the
 * trace, a share of the trace (50%), or start, peak or end, to which a duration may be added:
 * end-10s.  `peak` is when most was alive, whatever the filter.  A size has the units B, k (1024),
 * M, G or w (words).
 *
 * What is never collected counts as collected at the end, also in `collected>=5s`; `never` means it
 * alone. */
#ifndef PROFILE_FILTER_H
#define PROFILE_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heaptap/status.h"

struct pattern;

enum filter_word {
    FILTER_ALLOCATED,
    FILTER_LIVE_AT,
    FILTER_COLLECTED,
    FILTER_PROMOTED,
    FILTER_LIFETIME,
    FILTER_AGE,
    FILTER_SIZE,
    FILTER_SOURCE,
    FILTER_DOMAIN,
    FILTER_THREAD,
    FILTER_PROGRAM,
    FILTER_TYPE,
    FILTER_DEPTH,
    FILTER_TAG,
    FILTER_FOCUS,
    FILTER_IGNORE,
    FILTER_SITE,
    FILTER_HIDE,
    FILTER_SHOW,
    FILTER_SHOW_FROM,
    FILTER_OWN,
    FILTER_LIBRARIES,
    FILTER_WORD_COUNT
};

/* A number, or a time in microseconds relative to an anchor. */
struct filter_bound {
    enum { BOUND_NONE, BOUND_NUMBER, BOUND_START, BOUND_PEAK, BOUND_END, BOUND_SHARE } anchor;
    double value;  /* to be added to the anchor; of BOUND_SHARE, the share of the trace, 0 to 1 */
    bool is_words; /* of a size: the value is in words, of 8 bytes but for 32-bit OCaml */
    bool is_open;  /* the bound itself is not included */
};

enum filter_part { PART_ANY, PART_FUNCTION, PART_FILE, PART_MODULE };

struct filter_clause {
    enum filter_word word;
    bool is_negated;
    bool is_never;                 /* collected, promoted */
    struct filter_bound low, high; /* of quantities and times */
    unsigned sources;              /* bit 1 << enum heaptap_source */
    uint32_t *domains;
    size_t domain_count, domain_capacity;
    struct pattern *pattern; /* of regexes, else NULL */
    enum filter_part part;   /* of frames: what the regex is for */
    char *key;               /* of a tag; NULL for any */
    size_t offset, length;   /* where the clause stands in the text */
};

struct filter {
    char *text; /* as parsed; "" for the filter that lets everything pass */
    struct filter_clause *clauses;
    size_t count, capacity;
    bool hides_suppressed; /* stacks with what the file itself wants left out don't pass */
    bool hides_libraries;  /* stacks end in the user's own code: see frame_edit_is_library */
};

/* On failure there is nothing to release: HEAPTAP_BAD_ARGUMENT says what is wrong, and
 * error->offset with `*length` (NULL allowed) which bytes of the text it is about. */
enum heaptap_status filter_parse(struct filter *filter, const char *text, size_t *length,
                                 struct heaptap_error *error) HEAPTAP_MUST_CHECK;
void filter_release(struct filter *filter);

/* The same of a filter and further clauses, each of which may be "": what stands in `text` is where a message points at it. */
enum heaptap_status filter_parse_both(struct filter *filter, const char *text, const char *more,
                                      size_t *length,
                                      struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* Does it choose by stacks alone, whatever the blocks are and however long they live? */
bool filter_is_of_stacks(const struct filter *filter);

/* Lets stacks end in the user's own code, unless the filter has a word of its own on that. */
void filter_hide_libraries(struct filter *filter);

/* What a word is called, and back; FILTER_WORD_COUNT for none. */
const char *filter_word_name(enum filter_word word);
enum filter_word filter_find_word(const char *name, size_t length);

/* The first clause that only objects with their times can answer; NULL for none. */
const struct filter_clause *filter_needs_objects(const struct filter *filter);

/* Must the end or the peak of the run be known, to judge a block that has ended? */
bool filter_needs_run(const struct filter *filter);

#endif
