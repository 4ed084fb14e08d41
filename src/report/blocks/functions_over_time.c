/* Two walks over the blocks: the first weighs each function by the bytes that it holds times how long it holds them, as that is the
 * area which a picture has of it; the second makes the series of the heaviest. */
#include "report/blocks/functions_over_time.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "profile/library_symbols.h"
#include "report/stack_view.h"

struct build {
    struct functions_over_time *functions;
    const struct matcher *matcher;
    const struct model *model;
    const struct over_time_part *part;
    struct stack_view view; /* stacks without libraries' inner ends */
    struct frame_symbols frames;
    struct library_symbols
        libraries;       /* where a stack has nothing else, a library's function is left */
    uint32_t *symbol_of; /* by stack: of the function it ends in; SYMBOL_NONE: not looked at yet */
    uint32_t *
        symbol_of_frame; /* likewise: of the innermost function of the frame, which has been noted */
    double *areas;       /* by symbol */
    size_t area_capacity;
    double whole; /* the sum of them */
    struct series_builder *builders[FUNCTIONS_OVER_TIME_MAX];
};

/* ---- Which function ---------------------------------------------------------------------- */

static uint32_t innermost(struct build *build, uint32_t end)
{
    size_t count;
    if (end == STACK_ROOT)
        return symbols_number_of(&build->functions->symbols, "<no stack>", NULL);
    uint32_t frame = build->view.trie->nodes[end].frame;
    uint32_t *known = &build->symbol_of_frame[frame];
    if (*known != SYMBOL_NONE)
        return *known;
    const uint32_t *symbols = frame_symbols_of(&build->frames, frame, &count);
    bool done = symbols &&
                library_symbols_note(&build->libraries, &build->view.frames, frame, symbols, count);
    return *known = done ? symbols[count - 1] : SYMBOL_NONE;
}

/* Of a stack of which something is left.  SYMBOL_NONE when there is no memory. */
static uint32_t function_of(struct build *build, uint32_t stack)
{
    uint32_t *known = &build->symbol_of[stack];
    size_t before = build->area_capacity;
    if (*known != SYMBOL_NONE)
        return *known;
    uint32_t symbol = innermost(build, build->view.ends[stack]);
    if (symbol == SYMBOL_NONE ||
        !ARRAY_RESERVE(&build->areas, &build->area_capacity, (size_t)symbol + 1))
        return SYMBOL_NONE;
    memset(build->areas + before, 0, (build->area_capacity - before) * sizeof *build->areas);
    return *known = symbol;
}

/* A block that passes, of a stack of which something is left. */
static bool is_counted(const struct build *build, size_t row, struct matcher_life *life)
{
    return matcher_object(build->matcher, row, life) &&
           build->view.ends[build->model->objects.stack[row]] != STACK_NONE;
}

/* ---- The heaviest ------------------------------------------------------------------------ */

/* How long it is alive in the part that is looked at, in microseconds. */
static double time_in(const struct build *build, const struct matcher_life *life)
{
    int64_t end_us = matcher_end_us(build->model, life);
    int64_t from_us = life->born_us > build->part->from_us ? life->born_us : build->part->from_us;
    int64_t to_us = end_us < build->part->to_us ? end_us : build->part->to_us;
    return to_us > from_us ? (double)(to_us - from_us) : 0;
}

static bool weigh(struct build *build)
{
    const struct model *model = build->model;
    struct matcher_life life;
    for (size_t row = 0; row < model->objects.count; row++) {
        if (!is_counted(build, row, &life))
            continue;
        uint32_t symbol = function_of(build, model->objects.stack[row]);
        if (symbol == SYMBOL_NONE)
            return false;
        const struct model_shape *shape = &model->shapes[model->objects.shape[row]];
        double area = (double)model_shape_samples(shape, life.halves) * time_in(build, &life);
        build->areas[symbol] += area;
        build->whole += area;
    }
    return true;
}

/* The heaviest symbol of one's own that isn't among the items yet; SYMBOL_NONE where none holds anything.  Equal ones by number. */
static uint32_t next_heaviest(const struct build *build, const bool *is_taken)
{
    uint32_t best = SYMBOL_NONE;
    for (uint32_t symbol = 0; symbol < build->functions->symbols.count; symbol++)
        if (symbol < build->area_capacity && !is_taken[symbol] && build->areas[symbol] > 0 &&
            !library_symbols_have(&build->libraries, symbol) &&
            (best == SYMBOL_NONE || build->areas[symbol] > build->areas[best]))
            best = symbol;
    return best;
}

/* Fills the items, and makes `symbol_of` say their places: SYMBOL_NONE for what is in none. */
static bool choose(struct build *build, size_t most)
{
    struct functions_over_time *functions = build->functions;
    size_t symbols = functions->symbols.count;
    bool *is_taken = calloc(symbols + 1, sizeof *is_taken);
    uint32_t *place = malloc((symbols + 1) * sizeof *place), symbol;
    bool done = is_taken && place;
    if (done)
        memset(place, 0xff, (symbols + 1) * sizeof *place);
    while (done && functions->count < most &&
           (symbol = next_heaviest(build, is_taken)) != SYMBOL_NONE) {
        is_taken[symbol] = true;
        place[symbol] = (uint32_t)functions->count;
        functions->items[functions->count++] =
            (struct function_over_time){.symbol = functions->symbols.items[symbol],
                                        .share = build->areas[symbol] / build->whole};
    }
    for (size_t stack = 0; done && stack < build->model->trie.stack_count; stack++)
        if (build->symbol_of[stack] != SYMBOL_NONE)
            build->symbol_of[stack] = place[build->symbol_of[stack]];
    free(is_taken);
    free(place);
    return done;
}

/* ---- Their series ------------------------------------------------------------------------ */

static bool add_blocks(struct build *build)
{
    const struct model *model = build->model;
    struct matcher_life life;
    for (size_t i = 0; i < build->functions->count; i++)
        if (!(build->builders[i] = series_builder_new_part(model, build->part->from_us,
                                                           build->part->to_us, build->part->steps)))
            return false;
    for (size_t row = 0; row < model->objects.count; row++) {
        uint32_t place = build->symbol_of[model->objects.stack[row]];
        if (place != SYMBOL_NONE && is_counted(build, row, &life))
            series_builder_add(build->builders[place], &life,
                               &model->shapes[model->objects.shape[row]]);
    }
    return true;
}

static bool take(struct function_over_time *item, const struct series *series)
{
    item->steps = series->count;
    item->live_bytes = malloc(2 * series->count * sizeof *item->live_bytes);
    if (!item->live_bytes)
        return false;
    item->live_objects = item->live_bytes + series->count;
    for (size_t i = 0; i < series->count; i++) {
        double *shown = &item->shown[i * FUNCTION_SHOWN_STEPS / series->count];
        item->live_bytes[i] = series->steps[i].live.bytes;
        item->live_objects[i] = series->steps[i].live.objects;
        *shown = fmax(*shown, item->live_bytes[i]);
    }
    return true;
}

static bool take_all(struct build *build)
{
    bool done = add_blocks(build);
    for (size_t i = 0; i < build->functions->count && build->builders[i]; i++) {
        struct series series = series_builder_take_steps(build->builders[i]);
        done = done && take(&build->functions->items[i], &series);
        series_release(&series);
    }
    return done;
}

/* ---- The whole --------------------------------------------------------------------------- */

/* SYMBOL_NONE for each; NULL when there is no memory. */
static uint32_t *unknown_symbols(size_t count)
{
    uint32_t *symbols = malloc((count + 1) * sizeof *symbols);
    if (symbols)
        memset(symbols, 0xff, (count + 1) * sizeof *symbols);
    return symbols;
}

static bool build_all(struct build *build, size_t most)
{
    bool done = frame_symbols_init(&build->frames, &build->view.frames, &build->functions->symbols);
    build->symbol_of = unknown_symbols(build->model->trie.stack_count);
    build->symbol_of_frame = unknown_symbols(build->model->frame_count);
    library_symbols_init(&build->libraries, &build->view.frames);
    done = done && build->symbol_of && build->symbol_of_frame && weigh(build) &&
           choose(build, most) && take_all(build);
    frame_symbols_release(&build->frames);
    library_symbols_release(&build->libraries);
    free(build->symbol_of);
    free(build->symbol_of_frame);
    free(build->areas);
    return done;
}

bool functions_over_time_init(struct functions_over_time *functions, const struct report *report,
                              const struct over_time_part *part, size_t most)
{
    struct build build = {.functions = functions,
                          .matcher = &report->matcher,
                          .model = report->input.model,
                          .part = part};
    struct filter own = report->filter;
    own.hides_libraries = true;
    *functions = (struct functions_over_time){0};
    symbols_init(&functions->symbols, GRAIN_FUNCTION);
    bool done = stack_view_init(&build.view, build.model, &own, report->edits);
    if (done) {
        done = build_all(&build, most);
        stack_view_release(&build.view);
    }
    if (!done)
        functions_over_time_release(functions);
    return done;
}

void functions_over_time_release(struct functions_over_time *functions)
{
    for (size_t i = 0; i < functions->count; i++)
        free(functions->items[i].live_bytes);
    symbols_release(&functions->symbols);
    *functions = (struct functions_over_time){0};
}
