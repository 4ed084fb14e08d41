/* A model made from a trace's events. */
#ifndef PROFILE_MODEL_TRACE_H
#define PROFILE_MODEL_TRACE_H

#include "base/id_table.h"
#include "base/random.h"
#include "profile/folded_rows.h"
#include "profile/stack_profile.h"

enum { MODEL_LAST_SHAPES = 256 };

/* Grows while the trace is read. */
struct model_builder {
    struct model *model; /* NULL after model_builder_finish */
    struct stack_paths paths;
    struct id_table alive; /* by block: row, a uint32_t */
    struct peak_tracker peak;
    struct folded_rows *folded;      /* NULL where each block keeps its row */
    size_t most_nodes;               /* as in struct folded_question */
    const struct run_bounds *bounds; /* that rows are folded by; NULL for none */
    void (*ended)(void *context, uint64_t id,
                  uint32_t row); /* when a block has; NULL for nothing */
    void *ended_context;
    uint32_t last_shapes[MODEL_LAST_SHAPES]; /* by size */
    struct random random;                    /* of a model that is thinned */
};

/* Release it in either case.  False when there is no memory. */
bool model_builder_init(struct model_builder *builder, const struct heaptap_trace_info *info);
void model_builder_release(struct model_builder *builder);

/* Every event of a reader that gives stacks and true order.  False when there is no memory. */
bool model_builder_add(struct model_builder *builder, const struct heaptap_event *event);

/* The number of an allocation's shape, perhaps a new one; MODEL_NONE when there is no memory.  Of the builder, only the model is needed. */
uint32_t model_builder_shape(struct model_builder *builder, const struct heaptap_event *event);

/* Takes frames, modules, threads and types from the reader, which has come to its end.  The model
 * is the caller's, and its stacks can still be looked up; NULL when there is no memory. */
struct model *model_builder_finish(struct model_builder *builder,
                                   const struct heaptap_reader *reader);

/* All of that: reads `reader`, of true order, to its end.  HEAPTAP_OK; where the trace is damaged,
 * that status with a model of what stands before the damage; where there is no memory, no model. */
enum heaptap_status model_read(struct model **model, struct heaptap_reader *reader,
                               struct heaptap_error *error) HEAPTAP_MUST_CHECK;

enum { MODEL_WATCH_EVENTS = 1 << 16 };

/* Whoever wants to know how far the reading is: told at the first event, and every
 * MODEL_WATCH_EVENTS after it. */
struct model_watch {
    /* `offset`: the byte of the trace that reading has come to; its notes have all bytes. */
    void (*tell)(void *context, const struct heaptap_reader *reader, uint64_t offset);
    void *context;
    bool is_quiet;   /* it knows that the trace may end early, and wants no message of that */
    uint64_t memory; /* for whoever thins a model to so many bytes; 0 for no limit */
    double
        thinning; /* one sample in so many is kept, and the rate divided by it: estimates stay right, with a larger error.
                        0 for all */
};

/* The same; `watch` may be NULL. */
enum heaptap_status model_read_watched(struct model **model, struct heaptap_reader *reader,
                                       const struct model_watch *watch,
                                       struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* The same with folded rows, for one question.  `bounds`, of the same trace, may be NULL where the question needs none: of a
 * trace that has grown since they were read, what came later is left out. */
enum heaptap_status model_read_folded(struct model **model, struct heaptap_reader *reader,
                                      const struct folded_question *question,
                                      const struct run_bounds *bounds,
                                      struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* Only what was allocated, by stack (model->sums), of a reader that need not give more than allocations, in any order.  The rest as of
 * model_read. */
enum heaptap_status model_read_sums(struct model **model, struct heaptap_reader *reader,
                                    struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* The same of allocations that have been summed up already, by a reader that has come to its end: takes the stacks and tallies
 * of `sums`, which is to be released nevertheless.  NULL when there is no memory. */
struct model *model_of_sums(struct stack_profile *sums, const struct heaptap_reader *reader);

#endif
