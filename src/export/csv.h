/* Comma-separated values, as RFC 4180 has them, with lines that end in a plain newline.
 * Write errors show in the FILE. */
#ifndef EXPORT_CSV_H
#define EXPORT_CSV_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct csv {
    FILE *file;  /* borrowed */
    bool inside; /* a row has begun */
};

void csv_init(struct csv *csv, FILE *file);

/* Text is quoted where it has to be; NULL is an empty field. */
void csv_text(struct csv *csv, const char *text);
void csv_uint(struct csv *csv, uint64_t value);

/* Up to `decimals` digits behind the point, without zeros at the end. */
void csv_double(struct csv *csv, double value, int decimals);
void csv_end_row(struct csv *csv);

#endif
