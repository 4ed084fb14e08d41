/* The formats that files may have: each in a file of its own, which says how one is recognised and how it is read.  Whoever opens a file
 * asks here, so that a new format is one more importer, and its name in the list. */
#ifndef FORMAT_IMPORT_FILE_FORMAT_H
#define FORMAT_IMPORT_FILE_FORMAT_H

#include "heaptap/trace.h"
#include "profile/profile_file.h"
#include "trace/input.h"

/* What a trace was made of, besides its events. */
struct file_conversion {
    bool is_raw; /* its modules are in the trace, its addresses are still to be looked up */
    uint64_t allocations;
};

struct file_format {
    const char *name; /* as in "a jemalloc profile" */
    bool lacks_names; /* a profile whose format has no place for names of functions */
    bool is_guess;    /* other files may look like one, too */
    /* Do these bytes, decompressed, begin such a file?  There are INPUT_PEEK_BYTES, or all. */
    bool (*looks_like_one)(const uint8_t *bytes, size_t size);
    /* Of values by stack: makes a profile of them, which is the caller's.  Reads the input to its end, and leaves it open. */
    enum heaptap_status (*read)(struct model **model, struct input *input,
                                struct heaptap_error *error);
    /* Of text that begins no file of any format: was it meant for this one?  Then `read` says what is wrong with which line.  NULL: never. */
    bool (*is_meant)(const uint8_t *bytes, size_t size);
    /* Of single blocks and their times: makes a trace of them, and leaves the input open.  HEAPTAP_SYSTEM: the sink failed.  On
     * HEAPTAP_BAD_INPUT the trace has what stands before the damage; if nothing could be made of the file's beginning, nothing was written,
     * and there are no allocations. */
    enum heaptap_status (*convert)(struct input *input, const struct heaptap_sink *sink,
                                   struct file_conversion *outcome, struct heaptap_error *error);
};

extern const struct file_format dhat_format, folded_format, heaptrack_format, jemalloc_format,
    legacy_format, massif_format, memtracer_table_format, speedscope_format, v8_format;

/* The format of an input of which nothing has been read yet.  HEAPTAP_BAD_INPUT says what a file is
 * that is known, but not read.  `*format` is NULL for a file that looks like none; one of fewer than four bytes passes as a trace, whose reader says what is
 * missing. */
enum heaptap_status file_format_find(const struct file_format **format, struct input *input,
                                     struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* Does it tell of single blocks and their times, as traces do? */
bool file_format_is_of_events(const struct file_format *format);

/* Reads all of an input with values, and leaves it open.  What looks like nothing known is tried as
 * a pprof profile. */
enum heaptap_status file_format_read(struct model **model, struct input *input,
                                     struct heaptap_error *error) HEAPTAP_MUST_CHECK;

#endif
