#include "answer/answer.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- Values -------------------------------------------------------------------------- */

static uint64_t whole(const char *at, unsigned bytes)
{
    return bytes == 1   ? *(const uint8_t *)at
           : bytes == 2 ? *(const uint16_t *)at
           : bytes == 4 ? *(const uint32_t *)at
                        : *(const uint64_t *)at;
}

static int64_t signed_whole(const char *at, unsigned bytes)
{
    return bytes == 4 ? *(const int32_t *)at : *(const int64_t *)at;
}

/* Its kind says which of both is told. */
static struct answer_value number_and_integer(double number, int64_t integer)
{
    return (struct answer_value){.is_known = true, .number = number, .integer = integer};
}

static struct answer_value value_at(const struct answer_field *field, const char *at)
{
    switch (field->type) {
    case FIELD_DOUBLE:
        return answer_number_if(!isnan(*(const double *)at), *(const double *)at);
    case FIELD_SIGNED: {
        int64_t value = signed_whole(at, field->bytes);
        return number_and_integer((double)value, value);
    }
    case FIELD_UNSIGNED: {
        uint64_t value = whole(at, field->bytes);
        return number_and_integer((double)value, (int64_t)value);
    }
    case FIELD_BOOL:
        return answer_number(*(const bool *)at);
    case FIELD_TEXT:
        return answer_text(*(const char *const *)at);
    case FIELD_CHARS:
        return answer_text(at);
    case FIELD_SERIES:
        return answer_series((const double *)at, field->bytes / sizeof(double));
    default:
        return answer_nothing();
    }
}

static double scaled(const struct answer_section *section, const struct answer_field *field,
                     double number)
{
    return field->scale == SCALE_SAMPLES ? number * section->sample_bytes
           : section->whole != 0         ? number / section->whole
                                         : 0;
}

static struct answer_value value_of_field(const struct answer_section *section,
                                          const struct answer_field *field, const char *row)
{
    const char *in = row && field->via > 0 ? *(const char *const *)(row + field->via - 1) : row;
    if (!in)
        return answer_nothing();
    struct answer_value value = value_at(field, in + field->offset);
    bool is_empty = value.text ? !*value.text : value.number == 0;
    if (field->is_filled && is_empty)
        return answer_nothing();
    if (field->scale != SCALE_NONE)
        value.number = scaled(section, field, value.number);
    if (field->range > 0)
        value.range = *(const struct estimate_range *)(in + field->range - 1);
    return value;
}

struct answer_value answer_value_of(const struct answer_section *section,
                                    const struct answer_column *column, const void *row)
{
    return column->get ? column->get(row, section->context)
                       : value_of_field(section, &column->field, row);
}

/* ---- Saying it ------------------------------------------------------------------------ */

void answer_begin(struct answer *answer, const struct answer_section *section)
{
    if (answer->skipped > 0 || !answer_tells(answer, section->table)) {
        answer->skipped++;
        return;
    }
    answer->open[answer->depth++] = section;
    answer->form->begin(answer, section);
}

void answer_row(struct answer *answer, const void *row)
{
    if (answer->skipped == 0)
        answer->form->row(answer, row);
}

void answer_end(struct answer *answer)
{
    if (answer->skipped > 0) {
        answer->skipped--;
        return;
    }
    answer->form->end(answer);
    answer->depth--;
}

void answer_rule(struct answer *answer)
{
    if (answer->skipped == 0 && answer->form->rule)
        answer->form->rule(answer);
}

void answer_items(struct answer *answer, const struct answer_section *section, const void *items,
                  size_t count, size_t size)
{
    answer_begin(answer, section);
    for (size_t i = 0; i < count; i++)
        answer_row(answer, (const char *)items + i * size);
    answer_end(answer);
}

void answer_record(struct answer *answer, const struct answer_section *section, const void *row)
{
    answer_begin(answer, section);
    answer_row(answer, row);
    answer_end(answer);
}

/* malloc'ed; NULL when there is no memory, which the answer remembers. */
static char *formatted(struct answer *answer, const char *format, va_list arguments)
{
    char *text;
    if (vasprintf(&text, format, arguments) >= 0)
        return text;
    answer->failed = true;
    return NULL;
}

void answer_say(struct answer *answer, const char *format, ...)
{
    va_list arguments;
    if (!answer->form->say)
        return;
    va_start(arguments, format);
    char *sentence = formatted(answer, format, arguments);
    va_end(arguments);
    if (sentence)
        answer->form->say(answer, sentence);
    free(sentence);
}

void answer_fact(struct answer *answer, const char *label, const char *format, ...)
{
    va_list arguments;
    if (!answer->form->fact)
        return;
    va_start(arguments, format);
    char *text = formatted(answer, format, arguments);
    va_end(arguments);
    if (text)
        answer->form->fact(answer, label, text);
    free(text);
}

void answer_title(struct answer *answer, const char *format, ...)
{
    va_list arguments;
    if (!answer->form->title)
        return;
    va_start(arguments, format);
    char *title = formatted(answer, format, arguments);
    va_end(arguments);
    if (title)
        answer->form->title(answer, title);
    free(title);
}

void answer_say_lines(struct answer *answer, const struct text *lines)
{
    const char *at = lines->bytes, *end = lines->bytes + lines->size;
    answer->failed |= lines->failed;
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        answer_say(answer, "%.*s", (int)(newline - at), at);
        at = newline + 1;
    }
}

void answer_explain(struct answer *answer, const char *sentences)
{
    if (answer->form->explain)
        answer->form->explain(answer, sentences);
}

void answer_draw(struct answer *answer, const struct answer_chart *chart)
{
    if (answer->form->chart)
        answer->form->chart(answer, chart);
}

void answer_draw_bars(struct answer *answer, const struct answer_histogram *histogram)
{
    if (answer->form->bars)
        answer->form->bars(answer, histogram);
}

void answer_find(struct answer *answer, const struct answer_finding *finding)
{
    if (answer->form->find)
        answer->form->find(answer, finding);
}

size_t answer_chart_step(const struct answer_chart *chart, int64_t us)
{
    double part = (double)(us - chart->from_us) / (double)(chart->to_us - chart->from_us);
    size_t step = (size_t)(fmax(part, 0) * (double)chart->count);
    return step < chart->count ? step : chart->count - 1;
}

void answer_head(struct answer *answer, const char *heading)
{
    if (answer->form->head)
        answer->form->head(answer, heading);
}

void answer_lacks(struct answer *answer, const char *sentence)
{
    if (answer->form->remark)
        answer->form->remark(answer, "lacks", sentence);
}

void answer_remark(struct answer *answer, const char *sentence)
{
    if (answer->form->remark)
        answer->form->remark(answer, "remark", sentence);
}

bool answer_close(struct answer *answer)
{
    answer->form->close(answer);
    bool done = !answer->failed;
    free(answer);
    return done;
}

void answer_value_release(struct answer_value *value)
{
    if (value->is_owned)
        free((char *)value->text);
}
