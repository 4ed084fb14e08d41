/* Files that are not read: what they are, and what to do. */
#ifndef FORMAT_IMPORT_FOREIGN_H
#define FORMAT_IMPORT_FOREIGN_H

#include <stddef.h>
#include <stdint.h>

/* What a file is that begins with these bytes, decompressed, and what to do, such as "massif's output; use
 * ..."; NULL for nothing known. */
const char *foreign_name(const uint8_t *bytes, size_t size);

#endif
