/* Of texts that go with a key, the only one: of a function its file, of a file's name its path. */
#ifndef REPORT_ONLY_TEXTS_H
#define REPORT_ONLY_TEXTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/map.h"

/* Keys and texts are kept ones of one struct names, so that equal ones are one pointer; borrowed.  Zeroed, there are none. */
struct only_texts {
    struct map by_key;  /* where the key lies -> index into `items` */
    const char **items; /* NULL where several go with a key */
    size_t count, capacity;
};

/* Each pair is added once.  False when there is no memory; release it in either case. */
bool only_texts_add(struct only_texts *only, const char *key, const char *text);
void only_texts_release(struct only_texts *only);

/* NULL where the key has none, or several, or is NULL itself. */
const char *only_texts_find(const struct only_texts *only, const char *key);

#endif
