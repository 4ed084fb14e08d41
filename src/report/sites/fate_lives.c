/* Rows of the model are added one by one; what it has counted as it was read comes before them.  Of blocks that the filter leaves out, it
 * matters when they are born and end: that shows when the program frees, and when a collector has worked. */
#include "report/sites/fate_lives.h"

#include <stdlib.h>

#include "profile/loading.h"
#include "profile/process_clock.h"

/* Where what is gathered goes. */
struct gathering {
    struct lives *lives;
    struct outliving *outliving; /* by site */
    const struct sites *sites;
    const struct matcher *matcher;
    bool *loads; /* by node of the model's stacks; NULL where none loads code */
};

static void note_outliving(const struct gathering *to, uint32_t owner, uint32_t stack,
                           double samples)
{
    to->outliving[owner].all += samples;
    if (to->loads && to->loads[to->sites->model->trie.ends[stack]])
        to->outliving[owner].loaded += samples;
}

bool fate_has_collector(const struct model *model)
{
    return model->is_guest && model->is_collected;
}

/* In place of a site: of blocks that the filter leaves out. */
static uint32_t others(const struct gathering *to)
{
    return (uint32_t)to->sites->count;
}

/* They tell when a collector has worked. */
static bool add_other(const struct gathering *to, int64_t born_us, int64_t died_us, uint32_t blocks,
                      double samples)
{
    if (fate_has_collector(to->sites->model))
        return lives_add(to->lives, others(to), born_us, died_us, blocks, samples, 0, 0);
    lives_count(to->lives, born_us, died_us, blocks);
    return true;
}

/* Rows that stand for blocks that the model has counted as they ended are left out. */
static bool add_row(const struct gathering *to, size_t row)
{
    const struct matcher *matcher = to->matcher;
    const struct model *model = matcher->model;
    struct lives *lives = to->lives;
    const struct model_shape *shape = &model->shapes[model->objects.shape[row]];
    struct matcher_life passing;
    uint32_t stack = model->objects.stack[row], owner = to->sites->site_of[stack],
             blocks = model_row_blocks(model, row);
    int64_t died_us = model_row_died_us(model, row);
    if (model->lives && died_us != MODEL_NEVER)
        return true;
    struct process_clock clock = process_clock_of(model, shape->domain);
    int64_t born_us = process_clock_time(&clock, model_row_born_us(model, row));
    died_us = process_clock_time(&clock, died_us);
    double samples = (double)(blocks * shape->samples);
    if (owner == STACK_NONE || !matcher_object(matcher, row, &passing))
        return add_other(to, born_us, died_us, blocks, samples);
    if (lives_place(lives, born_us) != lives_end_place(lives, died_us))
        note_outliving(to, owner, stack, samples);
    return lives_add(lives, owner, born_us, died_us, blocks, samples, clock.run_us, shape->words);
}

/* What the model has counted as it was read. */
static bool add_counted(const struct gathering *to, const struct lives *counted)
{
    struct lives *lives = to->lives;
    for (unsigned place = 0; place < LIVES_PLACES; place++) {
        lives->born[place] += counted->born[place];
        lives->ended[place] += counted->ended[place];
    }
    for (size_t i = 0; i < counted->count; i++) {
        const struct lives_cell *cell = &counted->cells[i];
        uint32_t owner = to->sites->site_of[cell->owner];
        bool is_other = owner == STACK_NONE;
        if (is_other && !fate_has_collector(to->sites->model))
            continue;
        if (!lives_add_cell(lives, is_other ? others(to) : owner, cell))
            return false;
        if (cell->born != cell->ended && !is_other)
            note_outliving(to, owner, cell->owner, cell->samples);
    }
    return true;
}

static void weigh(struct lives_cell *cell, const struct estimate *estimate)
{
    cell->samples = estimate_bytes(estimate, cell->samples);
    cell->run_us = estimate_bytes(estimate, cell->run_us);
    cell->largest *= estimate->word_bytes;
}

bool fate_lives_gather(struct lives *lives, struct fates *fates, const struct matcher *matcher)
{
    const struct model *model = matcher->model;
    struct frame_source source = model_frames(model);
    struct gathering to = {lives, fates->outliving, fates->sites, matcher, NULL};
    bool done = loading_nodes(&to.loads, &source, &model->trie) &&
                (!model->lives || add_counted(&to, model->lives));
    for (size_t row = 0; done && row < model->objects.count; row++)
        done = add_row(&to, row);
    free(to.loads);
    for (size_t i = 0; done && i < lives->count; i++)
        weigh(&lives->cells[i], &model->estimate);
    return done;
}
