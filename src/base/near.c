#include "base/near.h"

#include <stdint.h>
#include <string.h>

size_t near_distance(const char *a, size_t size, const char *b)
{
    enum { LONGEST = 64 };
    size_t row[LONGEST + 1], length = strlen(b);
    if (size > LONGEST || length > LONGEST)
        return SIZE_MAX;
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
    size_t best = size < NEAR_CHANGES ? size : NEAR_CHANGES;
    for (size_t i = 0; i < count; i++) {
        size_t changes = near_distance(text, size, word(i));
        if (changes < best) {
            best = changes;
            near = word(i);
        }
    }
    return near;
}
