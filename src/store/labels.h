/* Labels: what a profile is of.  service=api, version=1.4, host=a7 and others; equal sets of them are one series. */
#ifndef STORE_LABELS_H
#define STORE_LABELS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "heaptap/status.h"

enum { LABELS_MAX = 32, LABEL_KEY_MAX = 64, LABEL_VALUE_MAX = 256 };

struct store_label {
    char key[LABEL_KEY_MAX + 1];
    char value[LABEL_VALUE_MAX + 1];
};

/* Zeroed, it is empty.  In the order of keys. */
struct store_labels {
    size_t count;
    struct store_label items[LABELS_MAX];
};

/* Is it letters, digits, `_` and `.`, and no digit first, as keys are? */
bool label_is_key(const char *text, size_t size);

/* Adds a label, or gives the one that is there another value.  HEAPTAP_BAD_ARGUMENT with a sentence where it can't be one, or
 * is one too many. */
enum heaptap_status store_labels_set(struct store_labels *labels, const char *key, size_t key_size,
                                     const char *value, size_t value_size,
                                     struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* The same of "key=value". */
enum heaptap_status store_labels_parse(struct store_labels *labels, const char *text,
                                       struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* The value of a key; NULL for none.  Borrowed. */
const char *store_labels_find(const struct store_labels *labels, const char *key);

/* Appends key="value",...: equal for equal sets. */
void store_labels_put(const struct store_labels *labels, struct text *text);

#endif
