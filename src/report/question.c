#include "report/question.h"

#include <stdlib.h>

static const double default_node_fraction = 0.005, default_edge_fraction = 0.001;

struct question question_default(void)
{
    return (struct question){.grain = GRAIN_NAME,
                             .node_count = -1,
                             .node_fraction = default_node_fraction,
                             .edge_fraction = default_edge_fraction};
}

struct question question_many(void)
{
    struct question question = question_default();
    question.takes_many = question.folds_blocks = true;
    return question;
}

void question_release(struct question *question)
{
    free(question->more);
    text_release(&question->filter);
}

size_t question_rows(const struct question *question, size_t usual, size_t count)
{
    size_t most = question->node_count < 0 ? usual : (size_t)question->node_count;
    return most > 0 && most < count ? most : count;
}
