/* bytehound's recordings, which are not read: they are recognised, to be named. */
#ifndef FORMAT_IMPORT_BYTEHOUND_H
#define FORMAT_IMPORT_BYTEHOUND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool bytehound_looks_like_one(const uint8_t *bytes, size_t size);

#endif
