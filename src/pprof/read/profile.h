/* A pprof profile, read whole.
 *
 * Read are packed and unpacked lists, any sample types, fields in any order; fields that are not
 * known are skipped.  What breaks a rule of the format is refused, with the rule and the byte:
 * pprof itself would refuse it, or show it wrong. */
#ifndef PPROF_READ_PROFILE_H
#define PPROF_READ_PROFILE_H

#include "profile/model.h"
#include "trace/input.h"

#define PPROF_NONE UINT32_MAX

struct pprof_mapping {
    uint64_t start, limit, offset;
    const char *file, *build_id;
    bool has_functions, has_files, has_lines, has_inlines;
};

struct pprof_function {
    const char *name, *system_name, *file;
    int64_t start_line;
};

struct pprof_location {
    uint64_t address;
    uint32_t mapping;    /* index, or PPROF_NONE */
    uint32_t first_line; /* index into lines */
    uint32_t line_count;
    bool is_folded;
};

/* A piece of the events that only our profiles have: spec/pprof_events.h. */
struct pprof_chunk {
    uint8_t *bytes;
    size_t size;
    uint64_t offset; /* of its first byte in the file */
};

/* A sample is a stack, with a value of each type; samples may repeat a stack. */
struct pprof {
    const char *format;   /* it was read from: "pprof", "jemalloc" */
    const char **strings; /* by their numbers in the file */
    size_t string_count, string_capacity;
    struct model_value_type *types;
    size_t type_count, type_capacity;
    struct pprof_mapping *mappings;
    size_t mapping_count, mapping_capacity;
    struct pprof_function *functions;
    size_t function_count, function_capacity;
    struct pprof_location *locations;
    size_t location_count, location_capacity;
    struct heaptap_location *lines; /* of a location: the outermost function first; always with
                                       strings, characters 0 */
    size_t line_count, line_capacity;
    size_t sample_count;
    size_t *first_frame; /* by sample, and one more: index into frames */
    uint32_t *frames;    /* indices of locations, the innermost first */
    size_t frame_capacity;
    int64_t *values;     /* type_count a sample */
    size_t *first_label; /* by sample, and one more: index into labels */
    struct model_label *labels;
    size_t label_capacity;
    const char **comments;
    size_t comment_count, comment_capacity;
    const char *drop_frames, *keep_frames, *doc_url; /* "" for none */
    struct pprof_chunk *chunks;
    size_t chunk_count, chunk_capacity;
    int64_t time_ns, duration_ns, period;
    struct model_value_type period_type; /* "" for none */
    size_t default_type;                 /* index: the one that the file names, else the last */
    uint64_t bytes;                      /* of the file, decompressed */

    struct names names; /* holds all strings */
};

/* Reads `input` to its end; it stays the caller's.  On success `*pprof` is the caller's. */
enum heaptap_status pprof_read(struct pprof **pprof, struct input *input,
                               struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* The same of decompressed bytes. */
enum heaptap_status pprof_decode(struct pprof **pprof, const void *data, size_t size,
                                 struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* What a profile of a stranger may have. */
struct pprof_bounds {
    size_t
        depth; /* frames of a stack, 8 at least: of a deeper one the inner and the outer half are left, and
                     the frame PPROF_DEEPER between them */
    size_t items; /* messages, strings, frames and values in all; more are refused */
};

#define PPROF_DEEPER "<deeper>"

enum heaptap_status pprof_decode_bounded(struct pprof **pprof, const void *data, size_t size,
                                         const struct pprof_bounds *bounds,
                                         struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* One without anything, for importers of other formats to fill; NULL when there is no memory. */
struct pprof *pprof_new(void);
void pprof_free(struct pprof *pprof);

/* Leaves it without samples, locations and events. */
void pprof_drop_samples(struct pprof *pprof);

/* Do these bytes, decompressed, look like the beginning of a profile? */
bool pprof_looks_like_one(const uint8_t *bytes, size_t size);

/* Whether a comment says that the profile lacks a part of what the program did. */
bool pprof_lacks_a_part(const struct pprof *pprof);

/* Add a copy of the text to the comments, and of the line to those of a location, callers first: to
 * the location that last got one, or to one that has none.  False when there is no memory. */
bool pprof_add_comment(struct pprof *pprof, const char *text);
bool pprof_add_line(struct pprof *pprof, uint32_t location, const struct heaptap_location *line);

static inline void pprof_mapping_set_named(struct pprof_mapping *mapping)
{
    mapping->has_functions = mapping->has_files = mapping->has_lines = mapping->has_inlines = true;
}

/* Gives a location copies of these lines in place of its own, and says of its mapping that it has
 * names; false when there is no memory. */
bool pprof_name_location(struct pprof *pprof, uint32_t location,
                         const struct heaptap_location *lines, size_t count);

/* The index of the type of a name; -1 for none. */
long pprof_find_type(const struct pprof *pprof, const char *name);

#endif
