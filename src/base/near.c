#include "base/near.h"

#include <string.h>

/* How many letters must change to make one word of another; words are short. */
static size_t distance(const char *a, size_t size, const char *b)
{
    enum { LONGEST = 16 };
    size_t row[LONGEST + 1], length = strlen(b);
    if (size > LONGEST || length > LONGEST)
        return LONGEST;
    for (size_t k = 0; k <= length; k++)
        row[k] = k;
    for (size_t i = 1; i <= size; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t k = 1; k <= length; k++) {
            size_t change = diagonal + (a[i - 1] != b[k - 1]);
            diagonal = row[k];
            size_t one = row[k] + 1 < row[k - 1] + 1 ? row[k] + 1 : row[k - 1] + 1;
            row[k] = change < one ? change : one;
        }
    }
    return row[length];
}

const char *near_word(const char *text, size_t size, const char *(*word)(size_t i), size_t count)
{
    const char *near = NULL;
    size_t best = size < 3 ? size : 3;
    for (size_t i = 0; i < count; i++) {
        size_t changes = distance(text, size, word(i));
        if (changes < best) {
            best = changes;
            near = word(i);
        }
    }
    return near;
}
