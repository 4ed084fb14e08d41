#include "answer/columns.h"

#include <endian.h>
#include <math.h>

#include "answer/base64.h"

static void add_text(struct column *column, const char *text)
{
    text_put_char(&column->bytes, text != NULL);
    if (text)
        text_put(&column->bytes, text, strlen(text) + 1);
}

static void add_number(struct column *column, double number)
{
    column->has_gaps |= isnan(number);
    text_put(&column->bytes, (const char *)&number, sizeof number);
}

static double number_of(const struct answer_column *column, const struct answer_value *value)
{
    bool is_integer = column->kind == ANSWER_INTEGER || column->kind == ANSWER_ADDRESS;
    return !value->is_known ? NAN : is_integer ? (double)value->integer : value->number;
}

bool columns_add(struct columns *columns, size_t number, const struct answer_column *column,
                 const struct answer_value *value)
{
    if (number >= COLUMNS_MAX)
        return true;
    struct column *to = &columns->items[number];
    if (number == columns->count) {
        *to = (struct column){.key = column->key, .is_text = column->kind <= ANSWER_PLACE};
        columns->count++;
    }
    if (to->is_text)
        add_text(to, value->is_known ? value->text : NULL);
    else if (column->kind == ANSWER_SERIES)
        for (size_t i = 0; value->is_known && i < value->count; i++)
            add_number(to, value->series[i]);
    else
        add_number(to, number_of(column, value));
    return !to->bytes.failed;
}

/* ---- Written ------------------------------------------------------------------------- */

static void put_texts(struct json *json, const struct column *column)
{
    const char *end = column->bytes.bytes + column->bytes.size;
    json_begin_array(json);
    for (const char *at = column->bytes.bytes; at < end; at += *at ? strlen(at) + 1 : 1)
        json_text(json, *at ? at + 1 : NULL);
    json_end(json);
}

static void put_array(struct json *json, const double *numbers, size_t count)
{
    json_begin_array(json);
    for (size_t i = 0; i < count; i++)
        json_double(json, numbers[i]);
    json_end(json);
}

/* The bytes of the smallest type that holds all of them. */
static unsigned width_of(const double *numbers, size_t count)
{
    unsigned width = 1;
    for (size_t i = 0; i < count && width < 8; i++) {
        double number = numbers[i];
        if (!(number >= 0 && number <= UINT32_MAX && number == trunc(number)) || signbit(number))
            width = 8;
        else if (number > UINT16_MAX)
            width = 4;
        else if (number > UINT8_MAX && width < 2)
            width = 2;
    }
    return width;
}

/* How many bytes the numbers have as text, about. */
static size_t text_size(const double *numbers, size_t count)
{
    size_t size = 0;
    for (size_t i = 0; i < count; i++) {
        double number = fabs(numbers[i]);
        size += number < 10 && number == trunc(number)     ? 2
                : number < 1e15 && number == trunc(number) ? (size_t)log10(number) + 2
                                                           : 19;
    }
    return size;
}

/* In the numbers' own place. */
static void pack(double *numbers, size_t count, unsigned width)
{
    uint8_t *to = (uint8_t *)numbers;
    for (size_t i = 0; i < count; i++, to += width) {
        uint64_t bits;
        memcpy(&bits, &numbers[i], sizeof bits);
        bits = htole64(width == 8 ? bits : (uint64_t)numbers[i]);
        memcpy(to, &bits, width);
    }
}

static void put_numbers(struct json *json, double *numbers, size_t count)
{
    static const char *const types[] = {[1] = "u8", [2] = "u16", [4] = "u32", [8] = "f64"};
    unsigned width = width_of(numbers, count);
    if (text_size(numbers, count) <= count * width * 4 / 3) {
        put_array(json, numbers, count);
        return;
    }
    pack(numbers, count, width);
    json_begin_object(json);
    json_key(json, types[width]);
    json_begin_raw_string(json);
    base64_write(json->file, (const uint8_t *)numbers, count * width);
    json_end_raw_string(json);
    json_end(json);
}

void columns_put(struct columns *columns, struct json *json)
{
    for (size_t i = 0; i < columns->count; i++) {
        const struct column *column = &columns->items[i];
        double *numbers = (double *)column->bytes.bytes;
        size_t count = column->bytes.size / sizeof *numbers;
        json_key(json, column->key);
        if (column->is_text)
            put_texts(json, column);
        else if (column->has_gaps)
            put_array(json, numbers, count);
        else
            put_numbers(json, numbers, count);
    }
    columns_release(columns);
}

void columns_release(struct columns *columns)
{
    for (size_t i = 0; i < columns->count; i++)
        text_release(&columns->items[i].bytes);
    columns->count = 0;
}
