/* JSON as it streams in: the caller asks for what it expects next.  Compressed input is bounded as in import/whole.h.
 *
 *     json_reader_object(reader);
 *     while ((key = json_reader_key(reader)))
 *         if (strcmp(key, "samples") == 0)
 *             for (json_reader_array(reader); json_reader_item(reader);)
 *                 sum += json_reader_number(reader);
 *         else
 *             json_reader_skip(reader);
 *     status = json_reader_end(reader);
 *
 * The first thing that is wrong ends it: from then on every object and array is at its end, every
 * string "", every number 0, and json_reader_end tells what it was. */
#ifndef FORMAT_IMPORT_JSON_READER_H
#define FORMAT_IMPORT_JSON_READER_H

#include <stdbool.h>

#include "base/text.h"
#include "trace/input.h"

struct json_reader {
    struct input *input; /* borrowed */
    char *buffer;
    size_t at, end;             /* in the buffer, what is not yet read */
    uint64_t offset;            /* of the buffer's first byte in the (decompressed) file */
    struct text text;           /* the last string, number or key; ended by a 0 */
    bool is_first;              /* the object or array that was last entered has had no item */
    enum heaptap_status status; /* HEAPTAP_OK until something is wrong */
    struct heaptap_error *error;
};

void json_reader_init(struct json_reader *reader, struct input *input, struct heaptap_error *error);
void json_reader_release(struct json_reader *reader);

/* Enters what comes next. */
void json_reader_object(struct json_reader *reader);
void json_reader_array(struct json_reader *reader);

/* The next key of the object, borrowed until anything else is read; NULL at its end. */
const char *json_reader_key(struct json_reader *reader);

/* Is there another item in the array? */
bool json_reader_item(struct json_reader *reader);

/* The first character of the value that comes next: `{`, `[`, `"`, a digit or minus, `t`, `f`, `n`;
 * 0 where there is none. */
char json_reader_peek(struct json_reader *reader);

/* A string, borrowed like a key; a 0 in it ends it. */
const char *json_reader_string(struct json_reader *reader);
double json_reader_number(struct json_reader *reader);

/* A number that is made whole, and limited to what fits: base/saturate.h. */
int64_t json_reader_integer(struct json_reader *reader);
bool json_reader_truth(struct json_reader *reader);
void json_reader_skip(struct json_reader *reader);

/* HEAPTAP_BAD_INPUT where reading has come to, unless something has been wrong before. */
__attribute__((format(printf, 2, 3))) void json_reader_fail(struct json_reader *reader,
                                                            const char *format, ...);
void json_reader_fail_memory(struct json_reader *reader);

/* What became of it; after the outermost value nothing but space may stand. */
enum heaptap_status json_reader_end(struct json_reader *reader);

/* Where in the file reading has come to. */
static inline uint64_t json_reader_offset(const struct json_reader *reader)
{
    return reader->offset + reader->at;
}

#endif
