#include "answer/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain.h"
#include "base/utf8.h"

void json_init(struct json *json, FILE *file)
{
    *json = (struct json){.file = file};
}

void json_init_compact(struct json *json, FILE *file)
{
    *json = (struct json){.file = file, .compact = true};
}

static void new_line(struct json *json)
{
    if (json->compact)
        return;
    fputc('\n', json->file);
    for (int i = 0; i < json->depth; i++)
        fputs("  ", json->file);
}

/* What stands between a value or key and what came before it. */
static void separate(struct json *json)
{
    if (json->after_key) {
        json->after_key = false;
        return;
    }
    if (json->depth == 0)
        return;
    bool *filled = &json->filled[json->depth - 1];
    if (*filled)
        fputc(',', json->file);
    *filled = true;
    new_line(json);
}

static void open_level(struct json *json, char open, char close)
{
    separate(json);
    fputc(open, json->file);
    if (json->depth == JSON_DEPTH_MAX)
        abort(); /* a fixed shape in our own code: cannot depend on input */
    json->close[json->depth] = close;
    json->filled[json->depth] = false;
    json->depth++;
}

void json_begin_object(struct json *json)
{
    open_level(json, '{', '}');
}

void json_begin_array(struct json *json)
{
    open_level(json, '[', ']');
}

void json_end(struct json *json)
{
    json->depth--;
    if (json->filled[json->depth])
        new_line(json);
    fputc(json->close[json->depth], json->file);
    if (json->depth == 0)
        fputc('\n', json->file);
}

static void put_character(FILE *file, const char *bytes, int size, uint32_t character)
{
    if (character == '"' || character == '\\')
        fprintf(file, "\\%c", (char)character);
    else if (character == UTF8_BAD)
        fputs("\xef\xbf\xbd", file);
    else if (plain_is_hidden(character))
        fprintf(file, "\\u%04x", character);
    else
        fwrite(bytes, 1, (size_t)size, file);
}

static void put_quoted(FILE *file, const char *text)
{
    fputc('"', file);
    while (*text) {
        uint32_t character;
        int size = utf8_decode(text, &character);
        put_character(file, text, size, character);
        text += size;
    }
    fputc('"', file);
}

void json_key(struct json *json, const char *key)
{
    separate(json);
    put_quoted(json->file, key);
    fputs(json->compact ? ":" : ": ", json->file);
    json->after_key = true;
}

void json_text(struct json *json, const char *text)
{
    if (!text) {
        json_no_value(json);
        return;
    }
    separate(json);
    put_quoted(json->file, json->shown ? plain_as(text, PLAIN_KEEP_TABS) : text);
}

void json_begin_raw_string(struct json *json)
{
    separate(json);
    fputc('"', json->file);
}

void json_end_raw_string(struct json *json)
{
    fputc('"', json->file);
}

void json_uint(struct json *json, uint64_t value)
{
    separate(json);
    fprintf(json->file, "%" PRIu64, value);
}

void json_int(struct json *json, int64_t value)
{
    separate(json);
    fprintf(json->file, "%" PRId64, value);
}

/* Whole numbers have all their digits.  Of others the last of a double's 17 are what rounding left: 15 are written, and 12
 * where these are as near as sums of doubles are to what they stand for. */
static void number_text(char text[32], double value)
{
    static const double rounding = 1e-14;
    if (fabs(value) <= 0x1p53 && value == rint(value)) {
        snprintf(text, 32, "%.0f", value + 0); /* no -0 */
        return;
    }
    snprintf(text, 32, "%.12g", value);
    if (fabs(strtod(text, NULL) - value) > rounding * fabs(value))
        snprintf(text, 32, "%.15g", value);
}

void json_double(struct json *json, double value)
{
    char text[32];
    if (!isfinite(value)) {
        json_no_value(json);
        return;
    }
    number_text(text, value);
    separate(json);
    fputs(text, json->file);
}

void json_bool(struct json *json, bool value)
{
    separate(json);
    fputs(value ? "true" : "false", json->file);
}

void json_no_value(struct json *json)
{
    separate(json);
    fputs("null", json->file);
}

void json_put_string(struct json *json, const char *key, const char *text)
{
    json_key(json, key);
    json_text(json, text);
}

void json_put_uint(struct json *json, const char *key, uint64_t value)
{
    json_key(json, key);
    json_uint(json, value);
}

void json_put_int(struct json *json, const char *key, int64_t value)
{
    json_key(json, key);
    json_int(json, value);
}

void json_put_double(struct json *json, const char *key, double value)
{
    json_key(json, key);
    json_double(json, value);
}

void json_put_bool(struct json *json, const char *key, bool value)
{
    json_key(json, key);
    json_bool(json, value);
}
