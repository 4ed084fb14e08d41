#include "answer/tree_bars.h"

#include <stdlib.h>

#include "base/array.h"
#include "answer/charset.h"

static bool has_siblings(const struct tree_bars *bars, size_t depth)
{
    return depth > 0 && bars->levels[depth - 1].children > 1;
}

bool tree_bars_step(struct tree_bars *bars, struct answer_branch row, size_t *indent)
{
    size_t depth = row.depth;
    if (!ARRAY_RESERVE(&bars->levels, &bars->capacity, depth + 1))
        return false;
    struct tree_level *level = &bars->levels[depth];
    *level = (struct tree_level){0, row.children, row.children};
    if (depth > 0) {
        level[-1].left--;
        level->indent = level[-1].indent;
    }
    if (has_siblings(bars, depth)) {
        if (!ARRAY_RESERVE(&bars->forks, &bars->fork_capacity, level->indent + 1))
            return false;
        bars->forks[level->indent++] = row.depth;
    }
    *indent = level->indent;
    return true;
}

void tree_bars_put(struct tree_bars *bars, struct answer_branch row, struct text *line)
{
    static const char *const plain[] = {"  ", "| ", "`-", "|-"};
    static const char *const drawn[] = {"  ", "\xe2\x94\x82 ", "\xe2\x94\x94\xe2\x94\x80",
                                        "\xe2\x94\x9c\xe2\x94\x80"};
    const char *const *signs = charset_stdout_is_utf8() ? drawn : plain;
    size_t indent;
    if (!tree_bars_step(bars, row, &indent)) {
        line->failed = true;
        return;
    }
    for (size_t i = 0; i < indent; i++) {
        uint32_t depth = bars->forks[i];
        bool is_own = depth == row.depth, goes_on = bars->levels[depth - 1].left > 0;
        text_put_string(line, signs[2 * is_own + goes_on]);
    }
}

void tree_bars_release(struct tree_bars *bars)
{
    free(bars->levels);
    free(bars->forks);
    *bars = (struct tree_bars){0};
}
