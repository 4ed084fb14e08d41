/* Arrays of numbers inside JSON: base64 of their little-endian bytes, which a browser turns into
 * typed arrays in one go.  A tree of 200 000 nodes takes milliseconds so, where digits would take
 * half a second on either side. */
#ifndef VIEWER_COLUMNS_H
#define VIEWER_COLUMNS_H

#include <stddef.h>
#include <stdint.h>

#include "export/json.h"

/* In base64, and nothing around it. */
void columns_write(FILE *file, const uint8_t *bytes, size_t size);

/* Bytes that the caller has put together itself. */
void columns_put_bytes(struct json *json, const char *key, const uint8_t *bytes, size_t size);

void columns_put_u32(struct json *json, const char *key, const uint32_t *values, size_t count);
void columns_put_f64(struct json *json, const char *key, const double *values, size_t count);

#endif
