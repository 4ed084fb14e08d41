/* One pass over the rows, in the order of birth. */
#include "report/sites/sites.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/sites/evidence.h"
#include "base/array.h"
#include "profile/filter_words.h"
#include "profile/growth.h"
#include "profile/growth_trail.h"

enum { AHEAD = 16 }; /* rows whose stack is fetched before its turn */

/* Figures that a block counts in: those of its site, and those of its origin. */
enum counted { OF_SITE, OF_ORIGIN, COUNTED };

/* The last block of a stack. */
struct last {
    uint64_t words; /* 0 for none */
    int64_t died_us;
    uint64_t end; /* blocks born before that */
    uint32_t domain;
    uint32_t sizes[COUNTED]; /* index into sizes; MODEL_NONE: not looked up */
};

struct build {
    struct sites *sites;
    const struct matcher *matcher;
    const struct model *model;
    struct stack_view view;
    struct frame_symbols frames;
    struct last *lasts;          /* by stack */
    struct growth_trail *trails; /* by stack, of a guest whose rows are not folded; else NULL */
    struct map size_by_key;      /* site and size -> index into sizes */
    double *sizes;               /* objects of a site's size */
    size_t size_count, size_capacity;
    uint32_t *
        origin_of; /* by stack: index into the sites' origins, or STACK_NONE; NULL where none are wanted */
    struct map origin_by_key;
    struct origin_lines lines; /* where origins are wanted */
    bool is_collected;         /* by a garbage collector */
};

/* ---- Which site ------------------------------------------------------------------------ */

/* The innermost symbol of a stack; SYMBOL_NONE when there is no memory. */
static uint32_t symbol_of(struct build *build, uint32_t end)
{
    size_t count;
    if (end == STACK_ROOT)
        return symbols_number_of(&build->sites->symbols, "<no stack>", NULL);
    const uint32_t *symbols =
        frame_symbols_of(&build->frames, build->view.trie->nodes[end].frame, &count);
    return symbols ? symbols[count - 1] : SYMBOL_NONE;
}

static struct site *find_site(struct build *build, uint32_t end)
{
    struct sites *sites = build->sites;
    bool fresh;
    uint32_t symbol = symbol_of(build, end);
    uint32_t *number = symbol == SYMBOL_NONE
                           ? NULL
                           : map_put(&sites->by_symbol, symbol, (uint32_t)sites->count, &fresh);
    if (!number || !ARRAY_RESERVE(&sites->items, &sites->capacity, sites->count + 1))
        return NULL;
    if (fresh)
        sites->items[sites->count++] = (struct site){.oldest_us = MODEL_NEVER, .youngest_us = 0};
    return &sites->items[*number];
}

/* Of a stack that ends there; NULL when there is no memory. */
static struct site *site_of(struct build *build, uint32_t stack, uint32_t end)
{
    uint32_t *index = &build->sites->site_of[stack];
    if (*index == STACK_NONE) {
        struct site *site = find_site(build, end);
        if (!site)
            return NULL;
        *index = (uint32_t)(site - build->sites->items);
    }
    return &build->sites->items[*index];
}

static bool add_origin(struct build *build, uint64_t key, const struct origin *origin,
                       uint32_t *index)
{
    struct sites *sites = build->sites;
    bool fresh;
    uint32_t *number = map_put(&build->origin_by_key, key, (uint32_t)sites->origin_count, &fresh);
    if (!number ||
        !ARRAY_RESERVE(&sites->origins, &sites->origin_capacity, sites->origin_count + 1))
        return false;
    if (fresh)
        sites->origins[sites->origin_count++] = *origin;
    *index = *number;
    return true;
}

/* The origin of a stack, which is of that site; NULL when there is no memory. */
static struct origin *origin_of(struct build *build, uint32_t stack, const struct site *site)
{
    uint32_t *index = &build->origin_of[stack], number = (uint32_t)(site - build->sites->items);
    if (*index == STACK_NONE) {
        uint64_t key = origin_key(&build->lines, stack) ^ number * UINT64_C(0x9e3779b97f4a7c15);
        struct origin fresh = {
            .site = number, .stack = stack, .figures = {.oldest_us = MODEL_NEVER}};
        if (!add_origin(build, key, &fresh, index))
            return NULL;
    }
    return &build->sites->origins[*index];
}

/* ---- What a block adds ----------------------------------------------------------------- */

struct block {
    struct matcher_life life;
    const struct model_shape *shape;
    int64_t promoted_us;
    uint32_t count;        /* of such blocks: the row's */
    double bytes, objects; /* of all of them */
    double peak_bytes;     /* likewise, of what is alive at the peak */
    double lived_us;       /* the mean of those that have ended */
    int part;              /* of the run, in which it was born, if it is left */
};

/* Which of the parts of the time until the end. */
static int part_of(int64_t born_us, int64_t end_us)
{
    double part = end_us > 0 ? (double)born_us / (double)end_us : 0;
    return (int)fmin(part * SITES_PARTS, SITES_PARTS - 1);
}

static void add_alive(const struct build *build, struct site *site, const struct block *block)
{
    int64_t end_us = build->model->end_us, born_us = block->life.born_us;
    site->live_bytes += block->bytes;
    site->live_objects += block->objects;
    if (build->model->info.word_bits > 8 && block->shape->source == HEAPTAP_MINOR &&
        block->promoted_us == MODEL_NEVER)
        site->nursery_bytes += block->bytes;
    site->age_sum_us += (double)(end_us - born_us) * block->objects;
    site->born_live[block->part] += block->bytes;
    site->oldest_us = born_us < site->oldest_us ? born_us : site->oldest_us;
    site->youngest_us = born_us > site->youngest_us ? born_us : site->youngest_us;
}

static void add_dead(const struct build *build, struct site *site, const struct block *block)
{
    int64_t lifetime_us = block->life.died_us - block->life.born_us;
    site->dead_objects += block->objects;
    site->lifetime_sum_us += block->lived_us * block->objects;
    if (lifetime_us <= build->sites->quick_us)
        site->quick_bytes += block->bytes;
    if (block->promoted_us == MODEL_NEVER)
        site->young_bytes += block->bytes;
    if (block->promoted_us != MODEL_NEVER || block->shape->source == HEAPTAP_MAJOR)
        site->tenured_dead_bytes += block->bytes;
    if (block->promoted_us != MODEL_NEVER &&
        block->life.died_us - block->promoted_us <= build->sites->quick_us)
        site->promoted_quick_bytes += block->bytes;
}

static void add_smallest(struct site *site, uint64_t size, double bytes)
{
    if (site->blocks > 0 && size > site->smallest_bytes)
        return;
    site->smallest_sum =
        site->blocks > 0 && size == site->smallest_bytes ? site->smallest_sum + bytes : bytes;
    site->smallest_bytes = size;
}

static void add_block(const struct build *build, struct site *site, const struct block *block)
{
    uint64_t size = (uint64_t)model_shape_bytes(build->model, block->shape);
    add_smallest(site, size, block->bytes);
    site->blocks += block->count;
    site->bytes += block->bytes;
    site->objects += block->objects;
    site->largest_bytes = size > site->largest_bytes ? size : site->largest_bytes;
    site->peak_bytes += block->peak_bytes;
    if (block->promoted_us != MODEL_NEVER)
        site->promoted_bytes += block->bytes;
    if (block->life.is_left)
        add_alive(build, site, block);
    else
        add_dead(build, site, block);
}

/* Where objects of a size are counted; `number` tells the sites and origins apart that they are of.  MODEL_NONE when there is no
 * memory. */
static uint32_t find_size(struct build *build, uint64_t number, uint64_t words)
{
    bool fresh;
    uint64_t key = (number * UINT64_C(0x9e3779b97f4a7c15)) ^ words;
    uint32_t *index = map_put(&build->size_by_key, key, (uint32_t)build->size_count, &fresh);
    if (!index || !ARRAY_RESERVE(&build->sizes, &build->size_capacity, build->size_count + 1))
        return MODEL_NONE;
    if (fresh)
        build->sizes[build->size_count++] = 0;
    return *index;
}

/* `*size` is kept for the stack's next block of the size. */
static bool add_size(struct build *build, struct site *figures, uint64_t number,
                     const struct block *block, uint32_t *size)
{
    if (*size == MODEL_NONE)
        *size = find_size(build, number, block->shape->words);
    if (*size == MODEL_NONE)
        return false;
    build->sizes[*size] += block->objects;
    uint64_t bytes = (uint64_t)model_shape_bytes(build->model, block->shape);
    double objects = build->sizes[*size];
    if (objects > figures->common_objects ||
        (objects == figures->common_objects && bytes < figures->common_bytes)) {
        figures->common_objects = objects;
        figures->common_bytes = bytes;
    }
    return true;
}

/* Of a guest's block. */
static void follow_trail(const struct build *build, const struct block *block, uint32_t stack)
{
    const struct matcher_life *life = &block->life;
    struct trail_step step = {
        .block = {block->shape->words, block->bytes, life->born_us, life->birth},
        .row = MODEL_NONE,
        .died_us = life->died_us,
        .end = life->end};
    growth_trail_begin(&build->trails[stack], &build->model->estimate, &step);
}

/* Makes a block the last one of its stack.  How it follows the one before; of folded rows the model knows it. */
static struct growth_sum follow_last(const struct build *build, const struct block *block,
                                     uint32_t stack)
{
    struct last *last = &build->lasts[stack];
    struct growth_sum growth = {0};
    uint64_t before = last->words, words = block->shape->words, birth = block->life.birth;
    if (before > 0 && !build->model->growth) {
        growth.followers = last->domain == block->shape->domain;
        growth.crowded = growth.followers && last->end > birth;
        if (!build->trails &&
            growth_replaces(last->died_us, block->life.born_us, build->is_collected))
            growth_note(&growth, &build->model->estimate, words, block->bytes, before,
                        growth_overlaps(last->end, birth), 1);
    }
    if (build->trails && before > 0)
        follow_trail(build, block, stack);
    if (before == 0 || before != words)
        last->sizes[OF_SITE] = last->sizes[OF_ORIGIN] = MODEL_NONE;
    last->words = words;
    last->died_us = block->life.died_us;
    last->end = block->life.end;
    last->domain = block->shape->domain;
    return growth;
}

static void add_growth(struct site *figures, const struct growth_sum *sum)
{
    figures->doublings += sum->doublings;
    figures->small_steps += sum->small_steps;
    figures->doubled_bytes += sum->doubled_bytes;
    figures->stepped_bytes += sum->stepped_bytes;
    figures->replaced_bytes += sum->replaced_bytes;
    figures->weighed_bytes += sum->weighed_bytes;
    figures->overlapped_bytes += sum->overlapped_bytes;
    figures->followers += sum->followers;
    figures->crowded += sum->crowded;
}

static bool add(struct build *build, struct site *figures, uint64_t number,
                const struct block *block, const struct growth_sum *growth, uint32_t *size)
{
    add_growth(figures, growth);
    add_block(build, figures, block);
    return add_size(build, figures, number, block, size);
}

static bool add_to_origin(struct build *build, const struct site *site, uint32_t stack,
                          const struct block *block, const struct growth_sum *growth)
{
    struct origin *origin = origin_of(build, stack, site);
    uint64_t apart = UINT64_C(1) << 32;
    return origin &&
           add(build, &origin->figures, apart + (uint64_t)(origin - build->sites->origins), block,
               growth, &build->lasts[stack].sizes[OF_ORIGIN]);
}

/* What a row stands for. */
static struct block block_of(const struct build *build, size_t row, const struct matcher_life *life)
{
    const struct model *model = build->model;
    const struct model_shape *shape = &model->shapes[model->objects.shape[row]];
    uint32_t count = model_row_blocks(model, row);
    unsigned at_peak = life->halves & matcher_halves_at_peak(model, life);
    return (struct block){
        .life = *life,
        .shape = shape,
        .promoted_us = model_row_promoted_us(model, row),
        .count = count,
        .bytes = estimate_bytes(&model->estimate,
                                (double)(count * model_shape_samples(shape, life->halves))),
        .objects = count * model_shape_density(shape, life->halves) / model->estimate.sample_rate,
        .peak_bytes =
            estimate_bytes(&model->estimate, (double)(count * model_shape_samples(shape, at_peak))),
        .lived_us = matcher_lived_us(build->matcher, row, life) / count,
        .part = life->is_left ? part_of(life->born_us, model->end_us) : 0,
    };
}

static bool add_row(struct build *build, size_t row)
{
    struct matcher_life life;
    if (!matcher_object(build->matcher, row, &life))
        return true;
    uint32_t stack = build->model->objects.stack[row];
    if (build->view.ends[stack] == STACK_NONE)
        return true;
    struct block block = block_of(build, row, &life);
    struct site *site = site_of(build, stack, build->view.ends[stack]);
    if (!site)
        return false;
    struct last *last = &build->lasts[stack];
    struct growth_sum growth = follow_last(build, &block, stack);
    add_block(build, &build->sites->whole, &block);
    return add(build, site, (uint64_t)(site - build->sites->items), &block, &growth,
               &last->sizes[OF_SITE]) &&
           (!build->origin_of || add_to_origin(build, site, stack, &block, &growth));
}

/* Of a profile of values a site has nothing but its symbol. */
static bool add_sample(struct build *build, size_t row)
{
    uint32_t stack = build->model->samples.stack[row], end = build->view.ends[stack];
    return end == STACK_NONE || !matcher_sample(build->matcher, row) || site_of(build, stack, end);
}

/* ---- The whole ------------------------------------------------------------------------- */

/* What replaces what: of folded rows the model knows it. */
static struct growth_sum growth_by_stack(const struct build *build, uint32_t stack)
{
    const struct model *model = build->model;
    return model->growth ? growth_of(model->growth, model, stack)
                         : growth_trail_sum(&build->trails[stack], &model->estimate);
}

/* Of all stacks that have a site. */
static void add_growths(struct build *build)
{
    struct sites *sites = build->sites;
    for (uint32_t stack = 0; stack < build->model->trie.stack_count; stack++) {
        if (build->sites->site_of[stack] == STACK_NONE)
            continue;
        const struct growth_sum sum = growth_by_stack(build, stack);
        add_growth(&sites->items[build->sites->site_of[stack]], &sum);
        if (build->origin_of && build->origin_of[stack] != STACK_NONE)
            add_growth(&sites->origins[build->origin_of[stack]].figures, &sum);
    }
}

/* STACK_NONE for each stack; NULL when there is no memory. */
static uint32_t *unknown_by_stack(size_t stacks)
{
    uint32_t *indexes = malloc(stacks * sizeof *indexes);
    if (indexes)
        memset(indexes, 0xff, stacks * sizeof *indexes);
    return indexes;
}

static bool build_sites(struct build *build, bool with_origins)
{
    struct sites *sites = build->sites;
    const struct model *model = build->model;
    size_t stacks = model->trie.stack_count + 1;
    bool has_trails = growth_has_trails(model) && !model->growth;
    build->lasts = calloc(stacks, sizeof *build->lasts);
    build->trails = has_trails ? calloc(stacks, sizeof *build->trails) : NULL;
    build->sites->site_of = unknown_by_stack(stacks);
    build->origin_of = with_origins ? unknown_by_stack(stacks) : NULL;
    build->lines = (struct origin_lines){
        .model = model,
        .filter = sites->filter,
        .program = &sites->program,
        .kinds = calloc(with_origins ? model->line_count + 1 : 1, sizeof *build->lines.kinds)};
    bool done = build->lasts && (build->trails || !has_trails) && build->sites->site_of &&
                build->lines.kinds && (build->origin_of || !with_origins);
    for (size_t row = 0; done && row < model->objects.count; row++) {
        if (row + AHEAD < model->objects.count)
            __builtin_prefetch(&build->lasts[model->objects.stack[row + AHEAD]], 1);
        done = add_row(build, row);
    }
    for (size_t row = 0; done && row < model->samples.count; row++)
        done = add_sample(build, row);
    if (done && (model->growth || build->trails))
        add_growths(build);
    for (uint32_t symbol = 0; done && symbol < sites->symbols.count; symbol++) {
        const uint32_t *number = map_find(&sites->by_symbol, symbol);
        if (number)
            sites->items[*number].symbol = sites->symbols.items[symbol];
    }
    free(build->lasts);
    free(build->trails);
    free(build->origin_of);
    free(build->lines.kinds);
    free(build->sizes);
    map_release(&build->origin_by_key);
    map_release(&build->size_by_key);
    return done;
}

bool sites_init(struct sites *sites, const struct report *report, enum symbol_grain grain,
                bool no_inlines, bool with_origins)
{
    const struct filter *filter = &report->filter;
    const struct model *model = report->input.model;
    struct build build = {.sites = sites, .matcher = &report->matcher, .model = model};
    *sites = (struct sites){.model = model,
                            .filter = filter,
                            .edit = report->selection.edit ? &report->selection.edit->edit : NULL,
                            .by_fate = filter_traits(filter) & WORD_CHOOSES_FATES,
                            .quick_us = model_short_life_us(model)};
    sites->whole.oldest_us = MODEL_NEVER;
    build.is_collected = model->info.word_bits > 8;
    struct frame_source frames = model_frames(model);
    sites->program = library_program_of(&frames);
    symbols_init(&sites->symbols, grain);
    bool done = stack_view_of(&build.view, report);
    if (done) {
        build.view.frames.no_inlines = no_inlines;
        done = frame_symbols_init(&build.frames, &build.view.frames, &sites->symbols) &&
               build_sites(&build, with_origins);
        frame_symbols_release(&build.frames);
        stack_view_release(&build.view);
    }
    if (!done)
        sites_release(sites);
    return done;
}

bool sites_know_dead(const struct sites *sites)
{
    static const double uncollected_most = 8e6; /* bytes */
    return sites->model->info.word_bits <= 8 || sites->whole.tenured_dead_bytes > 0 ||
           sites->whole.live_bytes - sites->whole.nursery_bytes >= uncollected_most;
}

void sites_release(struct sites *sites)
{
    symbols_release(&sites->symbols);
    map_release(&sites->by_symbol);
    free(sites->items);
    free(sites->origins);
    free(sites->site_of);
    *sites = (struct sites){0};
}

/* Counted at births; and, as samples are far between, by how many are alive on average. */
bool sites_are_crowded(const struct sites *sites, const struct site *figures)
{
    static const double part = 0.1, alive_most = 2;
    const struct model *model = sites->model;
    double threads = model->domain_count > 0 ? (double)model->domain_count : 1;
    return (double)figures->crowded > part * (double)figures->followers ||
           figures->lifetime_sum_us > alive_most * threads * (double)model->end_us;
}

static bool is_same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

const struct site *sites_find(const struct sites *sites, const struct symbol *symbol)
{
    for (size_t i = 0; i < sites->count; i++)
        if (sites->items[i].symbol.line == symbol->line &&
            is_same_text(sites->items[i].symbol.function, symbol->function) &&
            is_same_text(sites->items[i].symbol.file, symbol->file))
            return &sites->items[i];
    return NULL;
}
