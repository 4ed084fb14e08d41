/* The formats that files may have: a table with a row for each, which tells how a file is
 * recognised and how it is read.  Whoever opens a file asks here, so that a new format is one more
 * importer and its row. */
#ifndef FORMAT_IMPORT_FILE_FORMAT_H
#define FORMAT_IMPORT_FILE_FORMAT_H

#include "heaptap/trace.h"
#include "pprof/read/profile.h"

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
    /* Of values by stack: makes a profile of them. */
    enum heaptap_status (*read)(struct pprof **pprof, struct input *input,
                                struct heaptap_error *error);
    /* Of single blocks and their times: makes a trace of them. */
    enum heaptap_status (*convert)(struct input *input, const struct heaptap_sink *sink,
                                   struct file_conversion *outcome, struct heaptap_error *error);
};

/* The format of an input of which nothing has been read yet.  HEAPTAP_BAD_INPUT says what a file is
 * that is known, but not read.  `*format` is NULL for a file that looks like none; one of fewer than four bytes passes as a trace, whose reader says what is
 * missing. */
enum heaptap_status file_format_find(const struct file_format **format, struct input *input,
                                     struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* Does it tell of single blocks and their times, as traces do? */
bool file_format_is_of_events(const struct file_format *format);

/* Reads all of an input with values, and leaves it open.  What looks like nothing known is tried as
 * a pprof profile. */
enum heaptap_status file_format_read(struct pprof **pprof, struct input *input,
                                     struct heaptap_error *error) HEAPTAP_MUST_CHECK;

#endif
