/* Columns of what stacks sum up to at a place of the program.  Rows begin with a struct tally_row, contexts with a struct
 * tally_rows. */
#ifndef REPORT_TALLY_COLUMNS_H
#define REPORT_TALLY_COLUMNS_H

#include "answer/answer.h"
#include "profile/stack_profile.h"
#include "profile/symbols.h"

struct tally_rows {
    const struct estimate *estimate;
};

struct tally_row {
    struct symbol symbol;
    const struct stack_tally *tally;
    double share; /* of the whole that the table is about */
};

struct answer_value tally_column_objects(const void *row, const void *context);

/* With their bounds, for columns with ANSWER_HAS_RANGE: these take their time. */
struct answer_value tally_column_bounded_bytes(const void *row, const void *context);
struct answer_value tally_column_bounded_objects(const void *row, const void *context);

/* In the place of a function: a member of the tally, its bytes, and the share. */
#define TALLY_COLUMN(member) ANSWER_FIELD_OF(struct tally_row, tally, member)
#define TALLY_BYTES ANSWER_SAMPLES_OF(struct tally_row, tally, samples)
#define TALLY_SHARE ANSWER_FIELD(struct tally_row, share)

#endif
