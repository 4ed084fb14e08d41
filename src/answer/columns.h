/* The rows of a table, column by column, inside JSON.
 *
 * A column of numbers is an object with one member, whose key says what they are, "u8", "u16", "u32" or "f64", and whose
 * value is base64 of them, little-endian: a browser makes a typed array of that in one go, where digits of a tree of
 * 200 000 nodes would take half a second on either side.  Any other is an array: of texts, of numbers of which some
 * are not known, or of numbers that are shorter so.  A column of series has all their numbers, a row's after those of the row before. */
#ifndef ANSWER_COLUMNS_H
#define ANSWER_COLUMNS_H

#include "answer/answer.h"
#include "base/text.h"
#include "answer/json.h"

struct column {
    const char *key;
    bool is_text;
    bool has_gaps;     /* a number is not known: NaN */
    struct text bytes; /* doubles; or texts, each a byte 1 and a text that a 0 ends, or a 0 alone */
};

enum { COLUMNS_MAX = 16 };

struct columns {
    struct column items[COLUMNS_MAX];
    size_t count;
};

/* Adds a value to a column, which `number` says, the first row's in their order; more than COLUMNS_MAX are left out.  False when there
 * is no memory. */
bool columns_add(struct columns *columns, size_t number, const struct answer_column *column,
                 const struct answer_value *value);

/* Writes a member for each into an open object, and empties them. */
void columns_put(struct columns *columns, struct json *json);

void columns_release(struct columns *columns);

#endif
