/* Properties: metadata of a trace that has a name and a text. */
#ifndef BASE_PROPERTY_H
#define BASE_PROPERTY_H

#include <string.h>

#include "heaptap/trace.h"

/* The next property of a name, from `*at` on, which is moved behind it; NULL for none.  Borrowed from the records. */
static inline const struct heaptap_metadata *
property_next(const struct heaptap_metadata *records, size_t count, size_t *at, const char *name)
{
    while (*at < count) {
        const struct heaptap_metadata *record = &records[(*at)++];
        if (record->kind == HEAPTAP_PROPERTY && strcmp(record->name, name) == 0)
            return record;
    }
    return NULL;
}

/* The text of the first property of a name; NULL for none. */
static inline const char *property_text(const struct heaptap_metadata *records, size_t count,
                                        const char *name)
{
    size_t at = 0;
    const struct heaptap_metadata *record = property_next(records, count, &at, name);
    return record ? record->value : NULL;
}

#endif
