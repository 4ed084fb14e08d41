/* A filter bound to a model: which rows pass, and from when to when they count.
 *
 * What depends on a stack, a shape or a set of labels is decided once for each of these, so that a
 * row costs a look at two bytes and, where the filter speaks of time, some comparisons. */
#ifndef PROFILE_MATCHER_H
#define PROFILE_MATCHER_H

#include "profile/filter_words.h"
#include "profile/model.h"

/* A condition on the times of an object: both ends included. */
struct matcher_time {
    enum filter_word word;
    int64_t (*measure)(const struct filter_life *life); /* of its row in filter_words.c */
    int64_t low_us[PEAK_HALVES],
        high_us[PEAK_HALVES]; /* for samples of each half: `peak` is two times */
    bool is_never, is_negated;
    bool is_end;             /* of `live-at=end` alone: what is alive at the end of its process */
    const struct peak *peak; /* of `live-at=peak` alone: what is alive then; else NULL */
};

struct matcher {
    const struct model *model;
    bool *stack_passes;  /* by stack number; NULL where all do */
    bool *shape_passes;  /* by shape, or by label set in a model of samples; NULL where all do */
    bool borrows_passes; /* both are another's */
    uint64_t *
        verdicts; /* which halves of each row pass, 2 bits a row; NULL where each look finds that anew */
    const uint64_t *
        within; /* verdicts of the matcher that this one narrows: what they don't let pass doesn't; NULL for none; borrowed */
    struct matcher_time *times;
    size_t time_count, time_capacity;
    unsigned sources;  /* where an object must be: bits 1 << enum heaptap_source */
    bool has_peak;     /* a condition speaks of the peak */
    bool moves_births; /* not minor: promoted objects are born by that */
    bool moves_deaths; /* not major: promoted objects die by that */
};

/* The life of an object as far as it counts. */
struct matcher_life {
    int64_t born_us, died_us; /* died_us: MODEL_NEVER where it is alive at the run's end */
    bool is_left;             /* alive at the end of its process, which may be before that */
    unsigned
        halves; /* of its samples, those that pass: bits 1 << half.  model_shape_samples counts them */
    bool
        by_peak; /* it passes by the peak, whose times are chosen by samples: so that it is alive then is not certain */
    uint64_t birth, end; /* its place in the order of events: struct peak_life */
};

/* All of the life of a row's block.  Field by field: a structure that is put together and then copied is waited for. */
static inline void matcher_take_life(struct matcher_life *life, const struct model *model,
                                     size_t row)
{
    const struct model_domain *exit = model_row_exit(model, row);
    int64_t died_us = model_row_died_us(model, row);
    life->born_us = model_row_born_us(model, row);
    life->died_us = exit ? exit->exit_us : died_us;
    life->is_left = died_us == MODEL_NEVER;
    life->halves = MODEL_BOTH_HALVES;
    life->by_peak = false;
    life->birth = model_row_birth(model, row);
    life->end = model_row_end(model, row);
}

static inline struct matcher_life matcher_whole_life(const struct model *model, size_t row)
{
    struct matcher_life life;
    matcher_take_life(&life, model, row);
    return life;
}

static inline struct peak_life matcher_peak_life(const struct matcher_life *life)
{
    return (struct peak_life){life->born_us, life->died_us, life->birth, life->end};
}

/* Which halves of what lives so are alive at the model's peak. */
static inline unsigned matcher_halves_at_peak(const struct model *model,
                                              const struct matcher_life *life)
{
    struct peak_life lived = matcher_peak_life(life);
    return model_halves_at_peak(model, &lived);
}

/* Both are borrowed.  HEAPTAP_BAD_ARGUMENT, with error->offset in the filter's text and `*length`
 * (NULL allowed), where a clause asks for what the model doesn't have.  On failure there is nothing
 * to release. */
enum heaptap_status matcher_init(struct matcher *matcher, const struct model *model,
                                 const struct filter *filter, size_t *length,
                                 struct heaptap_error *error) HEAPTAP_MUST_CHECK;
void matcher_release(struct matcher *matcher);

/* What of the filter is about the lives of objects alone, for a model that is still being read, but whose end and peak are known where
 * the filter speaks of them.  False when there is no memory; then there is nothing to release. */
bool matcher_init_lives(struct matcher *matcher, const struct model *model,
                        const struct filter *filter);

/* Decides on all rows of a model that has all its rows, so that no look at them needs more of those that don't pass than two bits.
 * False when there is no memory. */
bool matcher_decide(struct matcher *matcher);

/* The same as matcher_init of a filter that adds to another's clauses those that are about lives alone; `of` is the other's matcher,
 * which outlives this one.  For one look at all rows: what `of` has decided spares most of it. */
bool matcher_narrow(struct matcher *matcher, const struct matcher *of, const struct filter *filter);

/* Makes the last condition on times, a `live-at=peak`, one of that peak instead of the model's.  Borrowed. */
void matcher_move_peak(struct matcher *matcher, const struct peak *peak);

/* The slow path of matcher_object: promotions and times. */
bool matcher_check_life(const struct matcher *matcher, size_t row, struct matcher_life *life);

/* Does passing, or what counts of a life, depend on an object's times? */
static inline bool matcher_is_of_lives(const struct matcher *matcher)
{
    return matcher->moves_births || matcher->moves_deaths || matcher->time_count > 0;
}

/* When it ended; the run's end where it is alive then. */
static inline int64_t matcher_end_us(const struct model *model, const struct matcher_life *life)
{
    return life->died_us == MODEL_NEVER ? model->end_us : life->died_us;
}

enum { MATCHER_WORD_ROWS = 32 };

/* The halves of a row that pass, by verdicts. */
static inline unsigned matcher_verdict(const uint64_t *verdicts, size_t row)
{
    return verdicts[row / MATCHER_WORD_ROWS] >> row % MATCHER_WORD_ROWS * 2 & MODEL_BOTH_HALVES;
}

/* Does an object pass?  Then `*life` is what counts of its life. */
static inline bool matcher_object(const struct matcher *matcher, size_t row,
                                  struct matcher_life *life)
{
    const struct model_objects *objects = &matcher->model->objects;
    if (matcher->verdicts) {
        unsigned halves = matcher_verdict(matcher->verdicts, row);
        if (halves == 0)
            return false;
        matcher_take_life(life, matcher->model, row);
        life->halves = halves;
        life->by_peak = matcher->has_peak;
        return true;
    }
    if (matcher->within
            ? matcher_verdict(matcher->within, row) == 0
            : (matcher->shape_passes && !matcher->shape_passes[objects->shape[row]]) ||
                  (matcher->stack_passes && !matcher->stack_passes[objects->stack[row]]))
        return false;
    matcher_take_life(life, matcher->model, row);
    return !matcher_is_of_lives(matcher) || matcher_check_life(matcher, row, life);
}

/* How long the blocks of a row lived that has ended, in all; `life` is that of one of them. */
static inline double matcher_lived_us(const struct matcher *matcher, size_t row,
                                      const struct matcher_life *life)
{
    return model_row_blocks(matcher->model, row) > 1 ? matcher->model->objects.lived_us[row]
                                                     : (double)(life->died_us - life->born_us);
}

/* Do all objects or samples pass, with the whole of their lives? */
static inline bool matcher_passes_all(const struct matcher *matcher)
{
    return !matcher->shape_passes && !matcher->stack_passes && !matcher_is_of_lives(matcher);
}

/* Does a sample pass? */
static inline bool matcher_sample(const struct matcher *matcher, size_t row)
{
    const struct model_samples *samples = &matcher->model->samples;
    return !(matcher->shape_passes && !matcher->shape_passes[samples->labels[row]]) &&
           !(matcher->stack_passes && !matcher->stack_passes[samples->stack[row]]);
}

/* Does no row pass, of a model that has some? */
bool matcher_leaves_nothing(const struct matcher *matcher);

#endif
