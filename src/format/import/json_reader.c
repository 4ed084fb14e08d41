#include "format/import/json_reader.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/saturate.h"
#include "trace/whole.h"

enum { BUFFER_BYTES = 64 << 10, LONGEST_TEXT = 1 << 20 };

void json_reader_init(struct json_reader *reader, struct input *input, struct heaptap_error *error)
{
    *reader = (struct json_reader){.input = input, .error = error, .buffer = malloc(BUFFER_BYTES)};
    if (!reader->buffer)
        json_reader_fail_memory(reader);
}

void json_reader_release(struct json_reader *reader)
{
    free(reader->buffer);
    text_release(&reader->text);
}

void json_reader_fail(struct json_reader *reader, const char *format, ...)
{
    char message[256];
    va_list arguments;
    if (reader->status != HEAPTAP_OK)
        return;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    reader->status = error_at(reader->error, json_reader_offset(reader), "%s", message);
}

void json_reader_fail_memory(struct json_reader *reader)
{
    if (reader->status == HEAPTAP_OK)
        reader->status = error_no_memory(reader->error);
}

/* ---- Characters ----------------------------------------------------------------------- */

/* The next character; 0 at the end, and where something is wrong. */
static char look(struct json_reader *reader)
{
    if (reader->at < reader->end)
        return reader->buffer[reader->at];
    if (reader->status != HEAPTAP_OK)
        return 0;
    reader->offset += reader->end;
    reader->at = reader->end = 0;
    enum heaptap_status status =
        input_read(reader->input, reader->buffer, BUFFER_BYTES, &reader->end, reader->error);
    if (status == HEAPTAP_OK)
        status = whole_check_size(reader->input, reader->offset + reader->end, reader->error);
    if (status != HEAPTAP_OK) {
        reader->status = status;
        reader->end = 0;
    }
    return reader->end > 0 ? reader->buffer[0] : 0;
}

static char look_past_space(struct json_reader *reader)
{
    char next;
    while ((next = look(reader)) == ' ' || next == '\n' || next == '\r' || next == '\t')
        reader->at++;
    return next;
}

static void expect(struct json_reader *reader, char wanted)
{
    char next = look_past_space(reader);
    if (reader->status != HEAPTAP_OK)
        return;
    if (next == wanted)
        reader->at++;
    else if (next >= ' ' && next < 0x7f)
        json_reader_fail(reader, "expected %c, not %c", wanted, next);
    else
        json_reader_fail(reader, "expected %c", wanted);
}

static void put(struct json_reader *reader, const char *bytes, size_t size)
{
    text_put(&reader->text, bytes, size);
    if (reader->text.failed)
        json_reader_fail_memory(reader);
    else if (reader->text.size > LONGEST_TEXT)
        json_reader_fail(reader, "a text has more than %d bytes", LONGEST_TEXT);
}

static void end_text(struct json_reader *reader)
{
    put(reader, "", 1);
    if (reader->status != HEAPTAP_OK && reader->text.size > 0)
        reader->text.bytes[0] = 0;
}

/* ---- Strings -------------------------------------------------------------------------- */

static unsigned take_four_digits(struct json_reader *reader)
{
    unsigned value = 0;
    for (int i = 0; i < 4; i++) {
        char next = look(reader);
        unsigned digit = next >= '0' && next <= '9'   ? (unsigned)(next - '0')
                         : next >= 'a' && next <= 'f' ? (unsigned)(next - 'a' + 10)
                         : next >= 'A' && next <= 'F' ? (unsigned)(next - 'A' + 10)
                                                      : 16;
        if (digit == 16) {
            json_reader_fail(reader, "after \\u four hexadecimal digits were expected");
            return 0xfffd;
        }
        value = value << 4 | digit;
        reader->at++;
    }
    return value;
}

static void put_utf8(struct json_reader *reader, unsigned code)
{
    char bytes[4];
    size_t size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = size; i-- > 1; code >>= 6)
        bytes[i] = (char)(0x80 | (code & 0x3f));
    static const unsigned char first[] = {0, 0, 0xc0, 0xe0, 0xf0};
    bytes[0] = (char)(first[size] | code);
    put(reader, bytes, size);
}

static void take_unicode(struct json_reader *reader)
{
    unsigned code = take_four_digits(reader);
    if (code >= 0xd800 && code < 0xdc00 && look(reader) == '\\') {
        reader->at++;
        expect(reader, 'u');
        unsigned low = take_four_digits(reader);
        code = low >= 0xdc00 && low < 0xe000 ? 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00)
                                             : 0xfffd;
    }
    put_utf8(reader, code >= 0xd800 && code < 0xe000 ? 0xfffd : code);
}

static void take_escape(struct json_reader *reader)
{
    static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    char next = look(reader);
    const char *found = next ? strchr(letters, next) : NULL;
    if (found || next == 'u')
        reader->at++;
    if (found)
        put(reader, &meant[found - letters], 1);
    else if (next == 'u')
        take_unicode(reader);
    else
        json_reader_fail(reader, "no escape begins so");
}

/* Up to where something is to be done. */
static void take_plain(struct json_reader *reader)
{
    size_t first = reader->at;
    while (reader->at < reader->end && reader->buffer[reader->at] != '"' &&
           reader->buffer[reader->at] != '\\')
        reader->at++;
    put(reader, reader->buffer + first, reader->at - first);
}

static void take_string(struct json_reader *reader)
{
    reader->text.size = 0;
    expect(reader, '"');
    while (reader->status == HEAPTAP_OK) {
        char next = look(reader);
        if (next == '"') {
            reader->at++;
            break;
        }
        if (next == '\\') {
            reader->at++;
            take_escape(reader);
        } else if (reader->at < reader->end) {
            take_plain(reader);
        } else {
            json_reader_fail(reader, "the file ends within a string");
        }
    }
    end_text(reader);
}

const char *json_reader_string(struct json_reader *reader)
{
    take_string(reader);
    reader->is_first = false;
    return reader->status == HEAPTAP_OK ? reader->text.bytes : "";
}

/* ---- Numbers and words ----------------------------------------------------------------- */

static bool is_of_word(char character)
{
    return (character >= '0' && character <= '9') || (character >= 'a' && character <= 'z') ||
           (character >= 'A' && character <= 'Z') || character == '-' || character == '+' ||
           character == '.';
}

static const char *take_word(struct json_reader *reader)
{
    reader->text.size = 0;
    look_past_space(reader);
    for (char next; is_of_word(next = look(reader)) && reader->status == HEAPTAP_OK; reader->at++)
        put(reader, &next, 1);
    end_text(reader);
    reader->is_first = false;
    return reader->status == HEAPTAP_OK ? reader->text.bytes : "";
}

static const char *skip_digits(const char *at)
{
    return at + strspn(at, "0123456789");
}

/* As JSON has them: strtod takes 0x10, 01, .5 and "nan" too. */
static bool is_number(const char *word)
{
    const char *whole = word + (*word == '-'), *at = skip_digits(whole);
    if (at == whole || (*whole == '0' && at > whole + 1))
        return false;
    if (*at == '.') {
        const char *fraction = at + 1;
        at = skip_digits(fraction);
        if (at == fraction)
            return false;
    }
    if (*at == 'e' || *at == 'E') {
        const char *exponent = at + 1 + (at[1] == '+' || at[1] == '-');
        at = skip_digits(exponent);
        return at > exponent && !*at;
    }
    return !*at;
}

double json_reader_number(struct json_reader *reader)
{
    const char *word = take_word(reader);
    double value = strtod(word, NULL);
    if (reader->status != HEAPTAP_OK)
        return 0;
    if (*word && strchr("+-.0123456789", *word) && !is_number(word))
        json_reader_fail(reader, "'%.40s' is no number of JSON", word);
    else if (!is_number(word) || !isfinite(value))
        json_reader_fail(reader, "expected a number");
    return reader->status == HEAPTAP_OK ? value : 0;
}

int64_t json_reader_integer(struct json_reader *reader)
{
    double value = json_reader_number(reader);
    char *end;
    long long whole = reader->status == HEAPTAP_OK ? strtoll(reader->text.bytes, &end, 10) : 0;
    return reader->status == HEAPTAP_OK && !*end ? whole : saturate_round(round(value));
}

bool json_reader_truth(struct json_reader *reader)
{
    const char *word = take_word(reader);
    bool is_true = strcmp(word, "true") == 0;
    if (!is_true && strcmp(word, "false") != 0)
        json_reader_fail(reader, "expected true or false");
    return is_true;
}

/* ---- Objects and arrays ---------------------------------------------------------------- */

void json_reader_object(struct json_reader *reader)
{
    expect(reader, '{');
    reader->is_first = true;
}

void json_reader_array(struct json_reader *reader)
{
    expect(reader, '[');
    reader->is_first = true;
}

/* Is there more before `closing`?  Takes the comma, or what closes. */
static bool has_more(struct json_reader *reader, char closing)
{
    bool is_closed = look_past_space(reader) == closing;
    if (reader->status != HEAPTAP_OK)
        return false;
    if (is_closed)
        reader->at++;
    else if (!reader->is_first)
        expect(reader, ',');
    reader->is_first = false;
    return !is_closed && reader->status == HEAPTAP_OK;
}

const char *json_reader_key(struct json_reader *reader)
{
    if (!has_more(reader, '}'))
        return NULL;
    take_string(reader);
    expect(reader, ':');
    return reader->status == HEAPTAP_OK ? reader->text.bytes : NULL;
}

bool json_reader_item(struct json_reader *reader)
{
    return has_more(reader, ']');
}

char json_reader_peek(struct json_reader *reader)
{
    return look_past_space(reader);
}

/* Goes over strings and words, and counts what opens and closes. */
static void skip_word(struct json_reader *reader)
{
    const char *word = take_word(reader);
    bool is_named =
        strcmp(word, "true") == 0 || strcmp(word, "false") == 0 || strcmp(word, "null") == 0;
    if (!is_named && !is_number(word))
        json_reader_fail(reader, "'%.40s' is no value of JSON", word);
}

void json_reader_skip(struct json_reader *reader)
{
    uint64_t depth = 0;
    do {
        char next = look_past_space(reader);
        if (next == '"') {
            take_string(reader);
        } else if (is_of_word(next)) {
            skip_word(reader);
        } else if (next == '{' || next == '[' || (depth > 0 && next && strchr("}],:", next))) {
            depth += next == '{' || next == '[';
            depth -= next == '}' || next == ']';
            reader->at++;
        } else {
            json_reader_fail(reader, "expected a value");
        }
    } while (depth > 0 && reader->status == HEAPTAP_OK);
    reader->is_first = false;
}

enum heaptap_status json_reader_end(struct json_reader *reader)
{
    char next = look_past_space(reader);
    if (next || reader->at < reader->end)
        json_reader_fail(reader, "the file goes on after its value");
    return reader->status;
}
