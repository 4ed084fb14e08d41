#include "profile/passing_blocks.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "profile/filter_words.h"
#include "profile/matcher.h"
#include "profile/model_trace.h"
#include "profile/run_bounds.h"
#include "trace/reader.h"

enum { IDS_A_WORD = 32 };

static const struct heaptap_reader_options with_stacks = {.order = HEAPTAP_TRUE_ORDER},
                                           without_stacks = {.order = HEAPTAP_TRUE_ORDER,
                                                             .skip_stacks = true},
                                           births = {.only_allocations = true},
                                           births_without_stacks = {.only_allocations = true,
                                                                    .skip_stacks = true};

/* ---- Bits ---------------------------------------------------------------------------- */

static unsigned shift_of(uint64_t id)
{
    return 2 * (unsigned)(id % IDS_A_WORD);
}

static size_t word_of(uint64_t id)
{
    return id % PASSING_PAGE_IDS / IDS_A_WORD;
}

/* NULL when there is no memory. */
static uint64_t *reach_page(struct passing_blocks *blocks, uint64_t id)
{
    bool fresh;
    uint32_t *page =
        map_put(&blocks->page_of, id / PASSING_PAGE_IDS, (uint32_t)blocks->count, &fresh);
    if (!page || !ARRAY_RESERVE(&blocks->pages, &blocks->capacity, blocks->count + 1))
        return NULL;
    if (fresh)
        blocks->pages[blocks->count++] =
            calloc(PASSING_PAGE_IDS / IDS_A_WORD, sizeof **blocks->pages);
    return blocks->pages[*page];
}

static bool set_halves(struct passing_blocks *blocks, uint64_t id, unsigned halves)
{
    uint64_t *page = reach_page(blocks, id);
    if (!page)
        return false;
    uint64_t *word = &page[word_of(id)];
    *word = (*word & ~(UINT64_C(3) << shift_of(id))) | (uint64_t)halves << shift_of(id);
    return true;
}

unsigned passing_blocks_halves(const struct passing_blocks *blocks, uint64_t id)
{
    const uint32_t *page = map_find(&blocks->page_of, id / PASSING_PAGE_IDS);
    return page ? blocks->pages[*page][word_of(id)] >> shift_of(id) & 3 : 0;
}

/* ---- By times ------------------------------------------------------------------------ */

/* What the readings share. */
struct judging {
    struct passing_blocks *blocks;
    struct model_builder builder;
    struct model *model;
    struct matcher lives; /* the filter's conditions on times alone */
    struct folded_rows folded;
    bool is_of_lives; /* the filter has such conditions */
    bool done;
};

/* Only for a filter that speaks of lives: all others pass by times. */
static void judge_life(struct judging *judging, uint64_t id, uint32_t row)
{
    struct matcher_life life = matcher_whole_life(judging->builder.model, row);
    bool passes = matcher_check_life(&judging->lives, row, &life);
    judging->done = judging->done && set_halves(judging->blocks, id, passes ? life.halves : 0);
}

static void judge_living(void *context, uint64_t id, void *record)
{
    judge_life(context, id, *(uint32_t *)record);
}

static void judge_ended(void *context, uint64_t id, uint32_t row)
{
    judge_life(context, id, row);
}

static bool read_events(struct judging *judging, struct heaptap_reader *reader)
{
    struct model_builder *builder = &judging->builder;
    struct heaptap_event event;
    builder->ended = judge_ended;
    builder->ended_context = judging;
    while (judging->done && heaptap_reader_next(reader, &event, NULL) == HEAPTAP_OK) {
        judging->blocks->whole += event.kind == HEAPTAP_ALLOC;
        judging->done = model_builder_add(builder, &event) && judging->done;
    }
    builder->model->end_us = run_end_us(reader, builder->peak.now_us);
    id_table_each(&builder->alive, judge_living, judging);
    return judging->done;
}

/* The stack and the shape of an allocation; MODEL_NONE for each when there is no memory. */
struct kind {
    uint32_t stack, shape;
};

static struct kind kind_of(struct model_builder *builder, const struct heaptap_event *event,
                           bool has_stack)
{
    struct stack_trie *trie = &builder->model->trie;
    uint32_t node = has_stack ? stack_paths_follow(&builder->paths, trie, event) : STACK_ROOT;
    uint32_t stack = node == STACK_NONE ? MODEL_NONE : stack_trie_stack(trie, node);
    return (struct kind){stack, model_builder_shape(builder, event)};
}

/* Where nothing depends on lives. */
static bool read_allocations(struct judging *judging, struct heaptap_reader *reader)
{
    struct heaptap_event event;
    while (judging->done && heaptap_reader_next(reader, &event, NULL) == HEAPTAP_OK) {
        struct kind kind = kind_of(&judging->builder, &event, true);
        judging->blocks->whole++;
        judging->done = kind.stack != MODEL_NONE && kind.shape != MODEL_NONE;
    }
    return judging->done;
}

/* The model that names stacks and shapes; its rows tell no blocks apart. */
static bool read_model(struct judging *judging, struct heaptap_reader *reader,
                       const struct filter *filter, const struct run_bounds *bounds)
{
    static const struct folded_question nothing = {0};
    struct model_builder *builder = &judging->builder;
    judging->done = model_builder_init(builder, heaptap_reader_info(reader)) &&
                    folded_rows_init(&judging->folded, builder->model, &nothing, bounds);
    if (judging->done) {
        builder->folded = &judging->folded;
        judging->done = matcher_init_lives(&judging->lives, builder->model, filter);
        if (judging->done && (judging->is_of_lives ? read_events(judging, reader)
                                                   : read_allocations(judging, reader)))
            judging->model = model_builder_finish(builder, reader);
        matcher_release(&judging->lives);
        folded_rows_release(&judging->folded);
    }
    model_builder_release(builder);
    return judging->model;
}

/* ---- By stack and shape -------------------------------------------------------------- */

static bool judge_allocation(struct judging *judging, const struct matcher *matcher,
                             const struct heaptap_event *event)
{
    struct passing_blocks *blocks = judging->blocks;
    struct kind kind = kind_of(&judging->builder, event, matcher->stack_passes);
    if (kind.stack == MODEL_NONE || kind.shape == MODEL_NONE)
        return false;
    bool passes = (!matcher->stack_passes || matcher->stack_passes[kind.stack]) &&
                  (!matcher->shape_passes || matcher->shape_passes[kind.shape]);
    if (passes && judging->is_of_lives) {
        blocks->passing += passing_blocks_halves(blocks, event->id) != 0;
        return true;
    }
    blocks->passing += passes;
    return set_halves(blocks, event->id, passes ? MODEL_BOTH_HALVES : 0);
}

static bool judge_allocations(struct judging *judging, struct heaptap_reader *reader,
                              const struct matcher *matcher)
{
    struct heaptap_event event;
    bool done = true;
    judging->builder = (struct model_builder){.model = judging->model};
    while (done && heaptap_reader_next(reader, &event, NULL) == HEAPTAP_OK)
        done = judge_allocation(judging, matcher, &event);
    stack_paths_release(&judging->builder.paths);
    return done;
}

static enum heaptap_status match(struct judging *judging, struct heaptap_reader **reader,
                                 const struct filter *filter, size_t *length,
                                 struct heaptap_error *error)
{
    struct passing_blocks *blocks = judging->blocks;
    struct matcher matcher;
    enum heaptap_status status = matcher_init(&matcher, judging->model, filter, length, error);
    if (status != HEAPTAP_OK)
        return status;
    blocks->estimate = judging->model->estimate;
    blocks->moves_births = matcher.moves_births;
    blocks->moves_deaths = matcher.moves_deaths;
    blocks->by_peak = matcher.has_peak;
    status =
        reader_begin_again(reader, matcher.stack_passes ? &births : &births_without_stacks, error);
    if (status == HEAPTAP_OK && !judge_allocations(judging, *reader, &matcher))
        status = error_no_memory(error);
    matcher_release(&matcher);
    return status;
}

/* ---- The whole ----------------------------------------------------------------------- */

static bool is_of_lives(const struct filter *filter)
{
    return filter_stages(filter) & STAGE_LIVES || filter_traits(filter) & WORD_MOVES_LIVES;
}

static bool is_of_stacks(const struct filter *filter)
{
    return filter->hides_suppressed || filter_stages(filter) & (STAGE_STACKS | STAGE_EDITS);
}

/* Where the run ends and has its peak. */
static enum heaptap_status read_bounds(struct run_bounds *bounds, struct heaptap_reader **reader,
                                       struct heaptap_error *error)
{
    enum heaptap_status status = reader_begin_again(reader, &without_stacks, error);
    if (status == HEAPTAP_OK && !run_bounds_read(bounds, *reader))
        return error_no_memory(error);
    return status;
}

/* Readies the reader for what of the trace this filter depends on. */
static enum heaptap_status prepare(struct judging *judging, struct heaptap_reader **reader,
                                   const struct filter *filter, struct run_bounds *bounds,
                                   bool *has_bounds, struct heaptap_error *error)
{
    const struct folded_question question = {.filters = &filter, .count = 1};
    const struct heaptap_reader_options *how;
    enum heaptap_status status = HEAPTAP_OK;
    judging->is_of_lives = is_of_lives(filter);
    if (is_of_stacks(filter))
        how = judging->is_of_lives ? &with_stacks : &births;
    else
        how = judging->is_of_lives ? &without_stacks : &births_without_stacks;
    *has_bounds = folded_question_needs_bounds(&question);
    if (*has_bounds)
        status = read_bounds(bounds, reader, error);
    else if (how == &with_stacks)
        return HEAPTAP_OK; /* it has been opened so */
    return status == HEAPTAP_OK ? reader_begin_again(reader, how, error) : status;
}

enum heaptap_status passing_blocks_init(struct passing_blocks *blocks,
                                        struct heaptap_reader **reader, const struct filter *filter,
                                        size_t *length, struct heaptap_error *error)
{
    struct judging judging = {.blocks = blocks};
    struct run_bounds bounds;
    bool has_bounds;
    *blocks = (struct passing_blocks){0};
    enum heaptap_status status = prepare(&judging, reader, filter, &bounds, &has_bounds, error);
    if (status == HEAPTAP_OK)
        status = read_model(&judging, *reader, filter, has_bounds ? &bounds : NULL)
                     ? match(&judging, reader, filter, length, error)
                     : error_no_memory(error);
    model_free(judging.model);
    if (status != HEAPTAP_OK)
        passing_blocks_release(blocks);
    return status;
}

void passing_blocks_release(struct passing_blocks *blocks)
{
    for (size_t i = 0; i < blocks->count; i++)
        free(blocks->pages[i]);
    free(blocks->pages);
    map_release(&blocks->page_of);
    *blocks = (struct passing_blocks){0};
}

uint64_t passing_blocks_samples(const struct passing_blocks *blocks, uint64_t id, uint64_t samples)
{
    unsigned halves = passing_blocks_halves(blocks, id);
    if (halves == 0 || halves == MODEL_BOTH_HALVES)
        return halves ? samples : 0;
    uint64_t first = peak_first_half(&blocks->estimate, id, samples);
    return halves == 1 ? first : samples - first;
}
