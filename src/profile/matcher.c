/* Frames are matched once each.  What a stack holds follows from its trie: a node has the marks of
 * its caller and those of its own frame, and callers come first, so one pass over the nodes is
 * enough. */
#include "profile/matcher.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "profile/clause_match.h"
#include "profile/frame_edit.h"
#include "profile/library.h"
#include "profile/matcher_refuse.h"
#include "profile/pattern.h"

enum { MARK_IGNORED = 31 }; /* the bit of a node that may not be in a stack */

/* ---- What clauses say of quantities -------------------------------------------------- */

/* Of times, for samples of `half`. */
static double bound_value(const struct model *model, const struct filter_bound *bound, int half)
{
    switch (bound->anchor) {
    case BOUND_PEAK:
        return (double)model->peak.half_us[half] + bound->value;
    case BOUND_END:
        return (double)model->end_us + bound->value;
    case BOUND_SHARE:
        return (double)model->end_us * bound->value;
    default:
        return bound->is_words ? bound->value * estimate_machine_word(&model->estimate)
                               : bound->value;
    }
}

/* Is a quantity within the bounds? */
static bool within(const struct model *model, const struct filter_clause *clause, double value)
{
    double low = bound_value(model, &clause->low, 0), high = bound_value(model, &clause->high, 0);
    bool above =
        clause->low.anchor == BOUND_NONE || value > low || (value == low && !clause->low.is_open);
    bool below = clause->high.anchor == BOUND_NONE || value < high ||
                 (value == high && !clause->high.is_open);
    return above && below;
}

/* ---- Shapes and labels --------------------------------------------------------------- */

static bool shape_matches(const struct filter_clause *clause, const struct model *model,
                          const struct model_shape *shape)
{
    switch (clause->word) {
    case FILTER_SIZE:
        return within(model, clause, model_shape_bytes(model, shape)) != clause->is_negated;
    case FILTER_DOMAIN:
    case FILTER_THREAD:
    case FILTER_PROGRAM:
        return clause_matches_domain(clause, model, shape->domain) != clause->is_negated;
    default:
        return true;
    }
}

static bool label_matches(const struct filter_clause *clause, const struct model *model,
                          const struct model_label *label)
{
    char number[24];
    if (clause->word == FILTER_SIZE)
        return !label->text && strcmp(label->key, "bytes") == 0 &&
               within(model, clause, (double)label->number);
    if (clause->key && strcmp(clause->key, label->key) != 0)
        return false;
    if (!clause->pattern)
        return !label->text && within(model, clause, (double)label->number);
    snprintf(number, sizeof number, "%" PRId64, label->number);
    return pattern_matches(clause->pattern, label->text ? label->text : number);
}

static bool labels_match(const struct filter_clause *clause, const struct model *model,
                         const struct model_label_set *set)
{
    if (clause->word != FILTER_TAG && clause->word != FILTER_SIZE)
        return true;
    for (uint32_t i = 0; i < set->count; i++)
        if (label_matches(clause, model, &model->samples.label[set->first + i]))
            return !clause->is_negated;
    return clause->is_negated;
}

/* May an object of this source be where it must be, at some time? */
static bool source_passes(unsigned sources, unsigned source)
{
    return sources >> source & 1 || (source == HEAPTAP_MINOR && sources >> HEAPTAP_MAJOR & 1);
}

static bool match_shapes(struct matcher *matcher, const struct filter *filter)
{
    const struct model *model = matcher->model;
    if (!(filter_stages(filter) & STAGE_SHAPES))
        return true;
    bool is_samples = model->kind == MODEL_SAMPLES;
    size_t count = is_samples ? model->samples.set_count : model->shape_count;
    matcher->shape_passes = malloc(count + 1);
    for (size_t k = 0; matcher->shape_passes && k < count; k++) {
        bool passes = is_samples || source_passes(matcher->sources, model->shapes[k].source);
        for (size_t i = 0; passes && i < filter->count; i++)
            passes = is_samples ? labels_match(&filter->clauses[i], model, &model->samples.sets[k])
                                : shape_matches(&filter->clauses[i], model, &model->shapes[k]);
        matcher->shape_passes[k] = passes;
    }
    return matcher->shape_passes;
}

/* ---- Stacks -------------------------------------------------------------------------- */

/* Marks what the file itself wants left out. */
static enum heaptap_status mark_suppressed(const struct model *model, uint32_t *marks,
                                           struct heaptap_error *error)
{
    char message[160];
    size_t offset;
    struct filter_clause clause = {.part = PART_ANY,
                                   .pattern =
                                       pattern_new(model->suppressed, strlen(model->suppressed),
                                                   message, sizeof message, &offset)};
    for (uint32_t frame = 0; clause.pattern && frame < model->frame_count; frame++)
        if (clause_matches_frame(&clause, model, frame))
            marks[frame] |= UINT32_C(1) << MARK_IGNORED;
    enum heaptap_status status =
        clause.pattern ? pattern_check(clause.pattern, error) : error_no_memory(error);
    pattern_free(clause.pattern);
    return status;
}

/* By frame, the bits of the clauses that match it; `*wanted` are those that a stack must have. */
static uint32_t *mark_frames(const struct model *model, const struct filter *filter,
                             uint32_t *wanted)
{
    uint32_t *marks = calloc(model->frame_count + 1, sizeof *marks);
    unsigned bit = 0;
    *wanted = 0;
    for (size_t i = 0; marks && i < filter->count; i++) {
        const struct filter_clause *clause = &filter->clauses[i];
        if (clause->word != FILTER_FOCUS)
            continue;
        uint32_t mark = clause->is_negated ? UINT32_C(1) << MARK_IGNORED : UINT32_C(1) << bit++;
        *wanted |= clause->is_negated ? 0 : mark;
        for (uint32_t frame = 0; frame < model->frame_count; frame++)
            if (clause_matches_frame(clause, model, frame))
                marks[frame] |= mark;
    }
    return marks;
}

/* Does the innermost location match, or the module? */
static bool site_matches(const struct filter_clause *clause, const struct model *model,
                         uint32_t frame)
{
    const struct model_frame *at = &model->frames[frame];
    return clause_matches_module(clause, model, frame) ||
           (at->line_count > 0 &&
            clause_matches_location(clause, &model->lines[at->first_line + at->line_count - 1]));
}

/* By frame, and at the end for no frame: may a stack's innermost call be that? */
static bool *judge_sites(const struct model *model, const struct filter *filter)
{
    bool *passes = malloc(model->frame_count + 1);
    for (uint32_t frame = 0; passes && frame <= model->frame_count; frame++) {
        passes[frame] = true;
        for (size_t i = 0; i < filter->count && passes[frame]; i++)
            if (filter->clauses[i].word == FILTER_SITE)
                passes[frame] = (frame < model->frame_count &&
                                 site_matches(&filter->clauses[i], model, frame)) !=
                                filter->clauses[i].is_negated;
    }
    return passes;
}

/* A guest's type stands in a stack as a call does. */
static bool is_type(const struct model *model, uint32_t frame)
{
    const struct model_frame *at = &model->frames[frame];
    return at->line_count > 0 && library_is_type(&model->lines[at->first_line]);
}

/* The frame of a stack's innermost call; the number of frames for none. */
static uint32_t site_of(const struct model *model, uint32_t node)
{
    const struct stack_node *nodes = model->trie.nodes;
    if (node != STACK_ROOT && is_type(model, nodes[node].frame))
        node = nodes[node].parent;
    return node == STACK_ROOT ? (uint32_t)model->frame_count : nodes[node].frame;
}

static bool type_passes(const struct model *model, const struct filter *filter, uint32_t node)
{
    uint32_t type =
        node == STACK_ROOT ? MODEL_NONE : model->frames[model->trie.nodes[node].frame].type;
    const char *name = type == MODEL_NONE ? "" : model->types[type];
    for (size_t i = 0; i < filter->count; i++)
        if (filter->clauses[i].word == FILTER_TYPE &&
            pattern_matches(filter->clauses[i].pattern, name) == filter->clauses[i].is_negated)
            return false;
    return true;
}

static bool depth_passes(const struct model *model, const struct filter *filter, uint32_t depth)
{
    for (size_t i = 0; i < filter->count; i++)
        if (filter->clauses[i].word == FILTER_DEPTH &&
            within(model, &filter->clauses[i], depth) == filter->clauses[i].is_negated)
            return false;
    return true;
}

static enum heaptap_status match_stacks(struct matcher *matcher, const struct filter *filter,
                                        struct heaptap_error *error)
{
    const struct model *model = matcher->model;
    const struct stack_trie *trie = &model->trie;
    uint32_t wanted;
    bool hides_suppressed = filter->hides_suppressed && model->suppressed;
    if (!hides_suppressed && !(filter_stages(filter) & STAGE_STACKS))
        return HEAPTAP_OK;
    uint32_t *of_frame = mark_frames(model, filter, &wanted);
    uint32_t *of_node = calloc(trie->count, sizeof *of_node);
    uint32_t *depth = calloc(trie->count, sizeof *depth);
    bool *sites = judge_sites(model, filter);
    matcher->stack_passes = malloc(trie->stack_count + 1);
    bool done = of_frame && of_node && depth && sites && matcher->stack_passes;
    enum heaptap_status status = !done              ? error_no_memory(error)
                                 : hides_suppressed ? mark_suppressed(model, of_frame, error)
                                                    : HEAPTAP_OK;
    done = status == HEAPTAP_OK;
    for (uint32_t node = 1; done && node < trie->count; node++) {
        of_node[node] = of_node[trie->nodes[node].parent] | of_frame[trie->nodes[node].frame];
        depth[node] = depth[trie->nodes[node].parent] + 1;
    }
    for (size_t i = 0; done && i < trie->stack_count; i++) {
        uint32_t marks = of_node[trie->ends[i]];
        matcher->stack_passes[i] = !(marks >> MARK_IGNORED) && (marks & wanted) == wanted &&
                                   sites[site_of(model, trie->ends[i])] &&
                                   type_passes(model, filter, trie->ends[i]) &&
                                   depth_passes(model, filter, depth[trie->ends[i]]);
    }
    free(of_frame);
    free(of_node);
    free(depth);
    free(sites);
    return status;
}

/* Stacks that hide, show or show-from leave nothing of don't pass, whether or not the report looks
 * at stacks. */
static bool match_edits(struct matcher *matcher, const struct filter *filter)
{
    const struct model *model = matcher->model;
    struct stack_trie left;
    struct frame_edit edit = {0};
    struct filter edits = *filter; /* its clauses are borrowed */
    edits.hides_libraries = false;
    if (!frame_edit_is_needed(&edits))
        return true;
    uint32_t *ends = malloc((model->trie.stack_count + 1) * sizeof *ends);
    bool *passes = matcher->stack_passes;
    if (!passes && (passes = malloc(model->trie.stack_count + 1)))
        memset(passes, true, model->trie.stack_count + 1);
    matcher->stack_passes = passes;
    bool done = stack_trie_init(&left) && ends && passes &&
                frame_edit_init(&edit, model, &edits, &left, ends);
    for (size_t i = 0; done && i < model->trie.stack_count; i++)
        passes[i] &= ends[i] != STACK_NONE;
    frame_edit_release(&edit);
    stack_trie_release(&left);
    free(ends);
    return done;
}

/* ---- Times --------------------------------------------------------------------------- */

static int64_t clamp(double us)
{
    return us >= 0x1p62 ? INT64_C(1) << 62 : us <= -0x1p62 ? -(INT64_C(1) << 62) : (int64_t)us;
}

/* Bounds in whole microseconds, both included, for samples of `half`. */
static void set_bounds(struct matcher_time *time, const struct model *model,
                       const struct filter_clause *clause, int half)
{
    double low = bound_value(model, &clause->low, half),
           high = bound_value(model, &clause->high, half);
    double least = ceil(low), most = floor(high);
    if (clause->word == FILTER_LIVE_AT)
        least = floor(low); /* dead after that */
    else if (clause->low.is_open && least == low)
        least += 1;
    if (clause->high.is_open && most == high)
        most -= 1;
    time->low_us[half] = clause->low.anchor == BOUND_NONE ? INT64_MIN : clamp(least);
    time->high_us[half] = clause->high.anchor == BOUND_NONE ? INT64_MAX : clamp(most);
}

/* The peak or the end itself, not some time after or before it. */
static bool is_at(const struct filter_clause *clause, unsigned anchor)
{
    const struct filter_bound *low = &clause->low, *high = &clause->high;
    return low->anchor == anchor && high->anchor == anchor && low->value == 0 && high->value == 0;
}

static struct matcher_time time_of(const struct model *model, const struct filter_clause *clause)
{
    struct matcher_time time = {.word = clause->word,
                                .measure = filter_word_info(clause->word)->measure,
                                .is_never = clause->is_never,
                                .is_negated = clause->is_negated};
    for (int half = 0; half < PEAK_HALVES; half++)
        set_bounds(&time, model, clause, half);
    time.is_end = clause->word == FILTER_LIVE_AT && is_at(clause, BOUND_END);
    if (clause->word == FILTER_LIVE_AT && is_at(clause, BOUND_PEAK))
        time.peak = &model->peak;
    return time;
}

static bool add_times(struct matcher *matcher, const struct filter *filter)
{
    for (size_t i = 0; i < filter->count; i++) {
        if (filter_word_info(filter->clauses[i].word)->stage != STAGE_LIVES)
            continue;
        if (!ARRAY_RESERVE(&matcher->times, &matcher->time_capacity, matcher->time_count + 1))
            return false;
        matcher->times[matcher->time_count++] = time_of(matcher->model, &filter->clauses[i]);
        matcher->has_peak |= filter->clauses[i].low.anchor == BOUND_PEAK ||
                             filter->clauses[i].high.anchor == BOUND_PEAK;
    }
    return true;
}

void matcher_move_peak(struct matcher *matcher, const struct peak *peak)
{
    matcher->times[matcher->time_count - 1].peak = peak;
}

static bool time_holds(const struct matcher_time *time, int half, const struct matcher_life *life,
                       int64_t promoted_us, int64_t end_us)
{
    bool was_promoted = promoted_us != MODEL_NEVER;
    if (time->peak) {
        struct peak_life lived = matcher_peak_life(life);
        return peak_holds(time->peak, half, &lived);
    }
    if (time->is_end) /* of each process */
        return life->is_left;
    if (time->word == FILTER_LIVE_AT) /* alive at some time of the range */
        return life->born_us <= time->high_us[half] && life->died_us > time->low_us[half];
    if (time->is_never)
        return time->word == FILTER_PROMOTED ? !was_promoted : life->is_left;
    if (time->word == FILTER_PROMOTED && !was_promoted)
        return false;
    struct filter_life whole = {life->born_us, promoted_us,
                                life->died_us == MODEL_NEVER ? end_us : life->died_us, end_us};
    int64_t value = time->measure(&whole);
    return time->low_us[half] <= value && value <= time->high_us[half];
}

static bool times_hold(const struct matcher *matcher, int half, const struct matcher_life *life,
                       int64_t promoted_us)
{
    for (size_t i = 0; i < matcher->time_count; i++)
        if (time_holds(&matcher->times[i], half, life, promoted_us, matcher->model->end_us) ==
            matcher->times[i].is_negated)
            return false;
    return true;
}

/* A block none of whose samples are of a half passes by the other half alone. */
static unsigned halves_that_pass(const struct matcher *matcher, const struct model_shape *shape,
                                 const struct matcher_life *life, int64_t promoted_us)
{
    unsigned halves = 0;
    if (!matcher->has_peak || shape->first_half == shape->samples)
        return times_hold(matcher, 0, life, promoted_us) ? MODEL_BOTH_HALVES : 0;
    for (int half = 0; half < PEAK_HALVES; half++)
        if (model_shape_samples(shape, 1U << half) > 0 &&
            times_hold(matcher, half, life, promoted_us))
            halves |= 1U << half;
    return halves;
}

bool matcher_check_life(const struct matcher *matcher, size_t row, struct matcher_life *life)
{
    const struct model *model = matcher->model;
    const struct model_objects *objects = &model->objects;
    int64_t promoted = model_row_promoted_us(matcher->model, row);
    if (matcher->moves_births && model->shapes[objects->shape[row]].source == HEAPTAP_MINOR) {
        if (promoted == MODEL_NEVER)
            return false;
        life->born_us = promoted;
    }
    if (matcher->moves_deaths && promoted < life->died_us) {
        life->died_us = promoted;
        life->is_left = false;
    }
    life->by_peak = matcher->has_peak;
    life->halves = halves_that_pass(matcher, &model->shapes[objects->shape[row]], life, promoted);
    return life->halves != 0;
}

/* ---- The matcher --------------------------------------------------------------------- */

bool matcher_init_lives(struct matcher *matcher, const struct model *model,
                        const struct filter *filter)
{
    *matcher = (struct matcher){.model = model, .sources = 7};
    for (size_t i = 0; i < filter->count; i++)
        if (filter->clauses[i].word == FILTER_SOURCE)
            matcher->sources &= filter->clauses[i].sources;
    bool has_minor = matcher->sources >> HEAPTAP_MINOR & 1;
    bool has_major = matcher->sources >> HEAPTAP_MAJOR & 1;
    matcher->moves_births = has_major && !has_minor;
    matcher->moves_deaths = has_minor && !has_major;
    if (add_times(matcher, filter))
        return true;
    matcher_release(matcher);
    return false;
}

/* Clauses of `own` are asked only where libraries' code ends: here of all names. */
static void match_own(const struct model *model, const struct filter *filter)
{
    for (size_t i = 0; i < filter->count; i++) {
        if (filter->clauses[i].word != FILTER_OWN)
            continue;
        for (uint32_t frame = 0; frame < model->frame_count; frame++)
            clause_matches_module(&filter->clauses[i], model, frame);
        for (size_t line = 0; line < model->line_count; line++)
            clause_matches_location(&filter->clauses[i], &model->lines[line]);
    }
}

enum heaptap_status matcher_init(struct matcher *matcher, const struct model *model,
                                 const struct filter *filter, size_t *length,
                                 struct heaptap_error *error)
{
    enum heaptap_status status = matcher_check_model(model, filter, length, error);
    if (status != HEAPTAP_OK)
        return status;
    if (!matcher_init_lives(matcher, model, filter))
        return error_no_memory(error);
    status = match_shapes(matcher, filter) ? match_stacks(matcher, filter, error)
                                           : error_no_memory(error);
    if (status == HEAPTAP_OK && !match_edits(matcher, filter))
        status = error_no_memory(error);
    match_own(model, filter);
    if (status == HEAPTAP_OK)
        status = matcher_check_patterns(filter, length, error);
    if (status != HEAPTAP_OK)
        matcher_release(matcher);
    return status;
}

void matcher_release(struct matcher *matcher)
{
    if (!matcher->borrows_passes) {
        free(matcher->stack_passes);
        free(matcher->shape_passes);
    }
    free(matcher->verdicts);
    free(matcher->times);
    *matcher = (struct matcher){0};
}
