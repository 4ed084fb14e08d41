/* Bytes in base64, for JSON. */
#ifndef ANSWER_BASE64_H
#define ANSWER_BASE64_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Writes them, and nothing around them. */
void base64_write(FILE *file, const uint8_t *bytes, size_t size);

#endif
