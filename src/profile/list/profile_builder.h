/* A profile in the making, for importers of formats that give stacks with values: they say where
 * the frames of a stack are, innermost first, and then what was counted there. */
#ifndef PROFILE_LIST_PROFILE_BUILDER_H
#define PROFILE_LIST_PROFILE_BUILDER_H

#include "profile/profile_file.h"

struct profile_builder {
    struct model *
        model; /* its types, by model_add_value_type, are fixed when the first sample ends; modules come by
                            model_add_module */
    struct map by_address; /* -> index of the location */
    struct map by_name; /* interned text or function -> index of the location that it stands for */
    uint32_t *by_frame; /* of a model: one more than the index of the location; 0 for none yet */
    size_t sample_capacity, value_capacity, label_index_capacity;
    size_t frame_count, label_count; /* so far, those of the sample in the making included */
};

/* Whatever returns bool is false when there is no memory, and whatever returns an index then gives
 * MODEL_NONE. */
bool profile_builder_init(struct profile_builder *builder, const char *format);

/* Adds to a profile that is whole, of which nothing is known by address or name. */
void profile_builder_go_on(struct profile_builder *builder, struct model *model);
void profile_builder_release(struct profile_builder *builder);

/* The location of an address. */
uint32_t profile_builder_address(struct profile_builder *builder, uint64_t address);

/* The location of a function of which nothing but the name is known. */
uint32_t profile_builder_name(struct profile_builder *builder, const char *name, size_t size);

/* The location for which a text stands in the file: each text has one.  A fresh one has no lines yet. */
uint32_t profile_builder_text(struct profile_builder *builder, const char *text, size_t size,
                              bool *fresh);

/* A new location, as yet without lines. */
uint32_t profile_builder_location(struct profile_builder *builder);

/* Adds a line to the location that last got one, or to one that has none: callers first. */
bool profile_builder_line(struct profile_builder *builder, uint32_t location, const char *function,
                          const char *file, uint32_t line);

/* The next frame of the sample in the making, the callee of those that follow. */
bool profile_builder_frame(struct profile_builder *builder, uint32_t location);

/* The same of all frames of a stack of `trie`, from `node` on: places of `model`, with the lines that `frames` has of them. */
bool profile_builder_stack(struct profile_builder *builder, const struct model *model,
                           const struct frame_source *frames, const struct stack_trie *trie,
                           uint32_t node);

/* The next label of it; texts are copied. */
bool profile_builder_label(struct profile_builder *builder, const struct model_label *label);

/* Ends the sample: `values` has one for each type. */
bool profile_builder_sample(struct profile_builder *builder, const int64_t *values);

/* The same of a sample without labels; one whose stack is that of the sample before is added to it.  So a stack that comes again and
 * again costs nothing. */
bool profile_builder_sum(struct profile_builder *builder, const int64_t *values);

/* Turns the frames of the sample in the making round, where they came with the caller first. */
void profile_builder_reverse(struct profile_builder *builder);

/* Finds the module of each address, and makes the profile whole: it is the caller's.  `bytes` is
 * the file's size.  NULL when there is no memory. */
struct model *profile_builder_finish(struct profile_builder *builder, uint64_t bytes);

/* The same, with the modules of locations as they are. */
struct model *profile_builder_finish_placed(struct profile_builder *builder, uint64_t bytes);

#endif
