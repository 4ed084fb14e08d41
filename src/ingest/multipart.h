/* Forms with files in them (multipart/form-data), as agents send profiles. */
#ifndef INGEST_MULTIPART_H
#define INGEST_MULTIPART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Is a Content-Type of such a form?  NULL is not. */
bool multipart_is(const char *content_type);

/* The content of the part called `name`; borrowed from `body`.  False where there is none, or no form. */
bool multipart_find(const char *content_type, const uint8_t *body, size_t size, const char *name,
                    const uint8_t **part, size_t *part_size);

#endif
