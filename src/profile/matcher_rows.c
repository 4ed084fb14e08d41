/* What a matcher makes of all rows of its model. */
#include <stdlib.h>

#include "profile/matcher.h"

static size_t word_count(const struct matcher *matcher)
{
    return matcher->model->objects.count / MATCHER_WORD_ROWS + 1;
}

/* The halves of the rows of a word that pass. */
static uint64_t decide_word(const struct matcher *matcher, size_t word)
{
    size_t from = word * MATCHER_WORD_ROWS, left = matcher->model->objects.count - from;
    unsigned count = left < MATCHER_WORD_ROWS ? (unsigned)left : MATCHER_WORD_ROWS;
    struct matcher_life life;
    uint64_t halves = 0;
    for (unsigned i = 0; i < count; i++)
        if (matcher_object(matcher, from + i, &life))
            halves |= (uint64_t)life.halves << 2 * i;
    return halves;
}

/* What counts of a life that the matcher moves stands in no verdict. */
bool matcher_decide(struct matcher *matcher)
{
    if (matcher->model->kind != MODEL_OBJECTS || matcher->moves_births || matcher->moves_deaths ||
        matcher_passes_all(matcher))
        return true;
    uint64_t *verdicts = malloc(word_count(matcher) * sizeof *verdicts);
    for (size_t word = 0; verdicts && word < word_count(matcher); word++)
        verdicts[word] = decide_word(matcher, word);
    matcher->verdicts = verdicts;
    return verdicts;
}

bool matcher_narrow(struct matcher *matcher, const struct matcher *of, const struct filter *filter)
{
    if (!matcher_init_lives(matcher, of->model, filter))
        return false;
    matcher->stack_passes = of->stack_passes;
    matcher->shape_passes = of->shape_passes;
    matcher->borrows_passes = true;
    matcher->within = of->verdicts;
    return true;
}

static bool has_verdict(const struct matcher *matcher)
{
    for (size_t word = 0; word < word_count(matcher); word++)
        if (matcher->verdicts[word])
            return true;
    return false;
}

bool matcher_leaves_nothing(const struct matcher *matcher)
{
    const struct model *model = matcher->model;
    bool is_trace = model->kind == MODEL_OBJECTS;
    size_t rows = is_trace ? model->objects.count : model->samples.count;
    struct matcher_life life;
    for (size_t i = 0; model->sums && i < model->trie.stack_count; i++)
        if (!matcher->stack_passes || matcher->stack_passes[i])
            return false;
    if (matcher->verdicts && has_verdict(matcher))
        return false;
    for (size_t row = 0; !matcher->verdicts && row < rows; row++)
        if (is_trace ? matcher_object(matcher, row, &life) : matcher_sample(matcher, row))
            return false;
    return rows > 0 || (model->sums && model->trie.stack_count > 0);
}
