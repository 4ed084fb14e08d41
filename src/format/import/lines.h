/* A text file, line by line, as it streams in; and the words of a line.  Messages about bad input
 * begin with the number of the line. */
#ifndef FORMAT_IMPORT_LINES_H
#define FORMAT_IMPORT_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/input.h"

enum { LINES_LONGEST = 16 << 20 }; /* bytes; no text format has longer lines */

struct lines {
    struct input *input; /* borrowed */
    char *bytes;         /* what has been read and not yet given */
    size_t begin, end, capacity;
    uint64_t number; /* of the line last given, from 1 */
    uint64_t offset; /* of its first byte in the (decompressed) file */
    uint64_t next_offset;
    bool at_end;   /* of the input */
    bool is_cut;   /* the line last given has no line end: the file's end cuts it off */
    bool are_kept; /* by the reader, in another form: whole_check_size bounds them; set by it */
};

void lines_init(struct lines *lines, struct input *input);
void lines_release(struct lines *lines);

/* The next line, ended by a 0 in place of its line end; NUL bytes in it stay.  Borrowed until the
 * next call. HEAPTAP_END after the last one.  A line that the file's end cuts off is given too. */
enum heaptap_status lines_next(struct lines *lines, char **text, size_t *size,
                               struct heaptap_error *error);

/* The same for a line that goes on: at least `needed` bytes of `*text`, line ends among them, are
 * there afterwards, where the file has them.  `*size` is what there is, up to a line end. */
enum heaptap_status lines_extend(struct lines *lines, char **text, size_t *size, size_t needed,
                                 struct heaptap_error *error);

/* HEAPTAP_BAD_INPUT at the present line: "line 12: ...". */
__attribute__((format(printf, 3, 4))) enum heaptap_status
lines_error(const struct lines *lines, struct heaptap_error *error, const char *format, ...);

/* Takes a hexadecimal or decimal number, with spaces before it, off `*at`, which ends with a 0.
 * False, with `*at` at the offending place, where there is none or it has more than 64 bits. */
bool lines_hex(char **at, uint64_t *value);
bool lines_decimal(char **at, uint64_t *value);

/* Takes the text off `*at`; false where that does not begin with it. */
bool lines_take(char **at, const char *text);

#endif
