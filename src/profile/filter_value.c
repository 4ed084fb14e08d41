#include "profile/filter_value.h"

#include <string.h>

#include "base/amount.h"

enum { NUMBER_BYTES = 64 };

static const char *const expected[] = {
    [QUANTITY_TIME] = "a time such as 1.5s, 20ms, 50%, start, peak or end-10s",
    [QUANTITY_DURATION] = "a duration such as 20ms, 1.5s or 2min",
    [QUANTITY_BYTES] = "a size such as 100, 4k, 1.5MB or 8w (words)",
    [QUANTITY_DEPTH] = "a number of frames such as 12",
    [QUANTITY_NUMBER] = "a number such as 12, 4k or 20ms",
};

static bool parse_bytes(struct filter_bound *bound, const char *text)
{
    const char *unit;
    bound->is_words = amount_number(text, &bound->value, &unit) && strcmp(unit, "w") == 0;
    return bound->is_words ? bound->value < 0x1p60 : amount_bytes(text, &bound->value);
}

/* A label's: bytes, or a time, which labels have in nanoseconds. */
static bool parse_number(struct filter_bound *bound, const char *text)
{
    bool is_negative = *text == '-';
    double value;
    bool done =
        amount_plain(text + is_negative, &value) || amount_bytes(text + is_negative, &value);
    if (!done && (done = amount_duration(text + is_negative, &value)))
        value *= 1e3;
    bound->value = is_negative ? -value : value;
    return done;
}

/* "50%", "1.5s", "peak", "end-10s". */
static bool parse_time(struct filter_bound *bound, const char *text)
{
    static const char *const anchors[] = {"start", "peak", "end", NULL};
    static const int kinds[] = {BOUND_START, BOUND_PEAK, BOUND_END};
    const char *unit;
    if (amount_number(text, &bound->value, &unit) && strcmp(unit, "%") == 0) {
        bound->anchor = BOUND_SHARE;
        bound->value /= 100;
        return bound->value <= 1;
    }
    for (int i = 0; anchors[i]; i++) {
        size_t size = strlen(anchors[i]);
        if (strncmp(text, anchors[i], size) != 0)
            continue;
        bound->anchor = kinds[i];
        bound->value = 0;
        if (!text[size])
            return true;
        if ((text[size] != '-' && text[size] != '+') ||
            !amount_duration(text + size + 1, &bound->value))
            return false;
        bound->value = text[size] == '-' ? -bound->value : bound->value;
        return true;
    }
    bound->anchor = BOUND_START;
    return amount_duration(text, &bound->value);
}

const char *filter_value_parse(struct filter_bound *bound, enum filter_quantity quantity,
                               const char *text, size_t size)
{
    char copy[NUMBER_BYTES];
    *bound = (struct filter_bound){.anchor = BOUND_NUMBER};
    if (size == 0 || size >= sizeof copy)
        return expected[quantity];
    memcpy(copy, text, size);
    copy[size] = 0;
    bool done = quantity == QUANTITY_TIME       ? parse_time(bound, copy)
                : quantity == QUANTITY_DURATION ? amount_duration(copy, &bound->value)
                : quantity == QUANTITY_BYTES    ? parse_bytes(bound, copy)
                : quantity == QUANTITY_DEPTH    ? amount_plain(copy, &bound->value)
                                                : parse_number(bound, copy);
    return done ? NULL : expected[quantity];
}
