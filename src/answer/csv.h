/* Comma-separated values, as RFC 4180 has them, with lines that end in a plain newline.  Text is in
 * plain form (base/plain.h), but that newlines stay, in quotes.  A cell with a stack has its functions
 * from the caller down with semicolons between; those within a name are \x3b.
 * Write errors show in the FILE. */
#ifndef ANSWER_CSV_H
#define ANSWER_CSV_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/plain.h"

/* Forms of plain_put. */
enum {
    CSV_TEXT = PLAIN_KEEP_LINES | PLAIN_NO_FORMULAS,
    CSV_STACK = CSV_TEXT | PLAIN_NO_SEMICOLONS,
};

struct csv {
    FILE *file;  /* borrowed */
    bool inside; /* a row has begun */
};

void csv_init(struct csv *csv, FILE *file);

/* Text is quoted where it has to be; NULL is an empty field.  A number stays one, with its sign. */
void csv_text(struct csv *csv, const char *text);

/* The same of text that is in plain form already. */
void csv_plain(struct csv *csv, const char *text);
void csv_uint(struct csv *csv, uint64_t value);

/* Up to `decimals` digits behind the point, without zeros at the end. */
void csv_double(struct csv *csv, double value, int decimals);
void csv_end_row(struct csv *csv);

#endif
