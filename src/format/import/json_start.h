/* The beginning of a file in JSON, by which its format is recognized. */
#ifndef FORMAT_IMPORT_JSON_START_H
#define FORMAT_IMPORT_JSON_START_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Do the bytes begin an object, in which this key stands, at any depth, as far as they go? */
bool json_start_has_key(const uint8_t *bytes, size_t size, const char *key);

#endif
