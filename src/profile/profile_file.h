/* What the model of a file of samples has besides: what the file says of itself, and its samples as it lists them, until they have
 * become rows (profile_to_rows). */
#ifndef PROFILE_PROFILE_FILE_H
#define PROFILE_PROFILE_FILE_H

#include "profile/model.h"

struct profile_function {
    const char *name, *system_name, *file;
    int64_t start_line;
};

/* A piece of the events that only our profiles have: spec/pprof_events.h. */
struct profile_chunk {
    uint8_t *bytes;
    size_t size;
    uint64_t offset; /* of its first byte in the file */
};

struct profile_file {
    const char *format; /* it was read from: "pprof", "jemalloc" */
    uint64_t bytes;     /* of the file, decompressed */
    struct profile_function *functions;
    size_t function_count, function_capacity;
    const char **comments;
    size_t comment_count, comment_capacity;
    const char *drop_frames, *keep_frames, *doc_url; /* "" for none */
    int64_t time_ns, duration_ns, period;
    struct model_value_type period_type; /* "" for none */
    size_t
        lost_count; /* values other than 0 that are less than a half, so that nothing was left of them; and their sum */
    double lost_sum;
    size_t deepest,
        location_count; /* frames of the deepest stack, and of all; see profile_file_count */
    struct profile_chunk *chunks;
    size_t chunk_count, chunk_capacity;

    /* A sample is a stack, with a value of each type; samples may repeat a stack.  The lists are NULL once there are rows. */
    size_t sample_count;
    size_t *first_frame; /* by sample, and one more: index into frames */
    uint32_t *frames;    /* of the model, the innermost first */
    size_t frame_capacity;
    int64_t *values;     /* samples.type_count of the model a sample */
    size_t *first_label; /* by sample, and one more: index into labels */
    struct model_label *labels;
    size_t label_capacity;
};

/* A model of samples with nothing in it, for readers of formats to fill; NULL when there is no memory. */
struct model *profile_new(void);

/* Frees what it has; of model.c. */
void profile_file_free(struct profile_file *file);

/* Frees the events; the list of samples, and with it the events, which name them. */
void profile_file_drop_events(struct profile_file *file);
void profile_file_drop_list(struct profile_file *file);

/* A value as samples have them: whole, and cut as base/saturate.h does.  Counts what is lost by that. */
int64_t profile_file_round(struct profile_file *file, double value);

/* Adds a copy of the text to the comments; false when there is no memory. */
bool profile_add_comment(struct model *model, const char *text);

/* What follows `key` in the first comment that begins with it; NULL for none.  Borrowed. */
const char *profile_comment(const struct profile_file *file, const char *key);

/* Sets what the file has in all, while its samples are listed. */
void profile_file_count(const struct model *model);

#endif
