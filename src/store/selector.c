#include "store/selector.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"

enum { TEXT_MAX = 4096 };

static const int64_t second_us = 1000000, day_us = INT64_C(86400) * 1000000;

struct store_selector store_selector_all(void)
{
    return (struct store_selector){.after_us = INT64_MIN, .until_us = INT64_MAX};
}

/* ---- Times --------------------------------------------------------------------------- */

int64_t store_duration(const char *text)
{
    static const struct {
        char unit;
        int64_t seconds;
    } units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}, {'w', 604800}};
    char *end;
    if (*text < '0' || *text > '9')
        return -1;
    double number = strtod(text, &end);
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (*end == units[i].unit && !end[1] && number * (double)units[i].seconds < 1e11)
            return (int64_t)(number * (double)units[i].seconds * 1e6);
    return -1;
}

/* A day, a minute, a second, or a number of seconds; `*size_us` is how long it lasts. */
static bool parse_moment(const char *text, int64_t *us, int64_t *size_us)
{
    static const struct {
        const char *format;
        int64_t seconds;
    } formats[] = {{"%Y-%m-%dT%H:%M:%S", 1}, {"%Y-%m-%dT%H:%M", 60}, {"%Y-%m-%d", 86400}};
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        struct tm time = {0};
        const char *end = strptime(text, formats[i].format, &time);
        if (end && (!*end || strcmp(end, "Z") == 0)) {
            *us = (int64_t)timegm(&time) * second_us;
            *size_us = formats[i].seconds * second_us;
            return true;
        }
    }
    char *end;
    long long seconds = *text >= '0' && *text <= '9' ? strtoll(text, &end, 10) : -1;
    if (seconds < 0 || *end || seconds > 100000000000)
        return false;
    *us = seconds * second_us;
    *size_us = second_us;
    return true;
}

static bool parse_range(struct store_selector *selector, char *text, char *dots)
{
    int64_t us, size_us;
    *dots = 0;
    const char *to = dots + 2;
    if (*text && !parse_moment(text, &us, &size_us))
        return false;
    if (*text)
        selector->after_us = us;
    if (*to && !parse_moment(to, &us, &size_us))
        return false;
    if (*to)
        selector->until_us = us;
    return selector->after_us < selector->until_us;
}

static bool parse_time(struct store_selector *selector, char *text, int64_t now_us)
{
    int64_t us, size_us;
    char *dots = strstr(text, "..");
    if (strncmp(text, "last ", 5) == 0) {
        int64_t duration = store_duration(text + 5);
        selector->after_us = now_us - duration;
        return duration > 0;
    }
    if (dots)
        return parse_range(selector, text, dots);
    if (!parse_moment(text, &us, &size_us) || size_us != day_us)
        return false;
    selector->after_us = us;
    selector->until_us = us + size_us;
    return true;
}

/* ---- Conditions ---------------------------------------------------------------------- */

static bool is_quote(char c)
{
    return c == '"' || c == '\'';
}

/* Where a value in quotes ends, at its last quote; NULL where it does not.  `text` is at the first one. */
static char *quoted_end(char *text)
{
    char quote = *text;
    for (text++; *text && *text != quote; text++)
        if (*text == '\\' && text[1])
            text++;
    return *text ? text : NULL;
}

/* Takes the quotes off a name or a value, in place. */
static enum heaptap_status unquote(char *text, struct heaptap_error *error)
{
    if (!is_quote(*text))
        return HEAPTAP_OK;
    char *end = quoted_end(text), *to = text;
    if (!end)
        return error_set(error, HEAPTAP_BAD_ARGUMENT, "the quote of %.60s has no end", text);
    if (end[1])
        return error_set(error, HEAPTAP_BAD_ARGUMENT,
                         "something follows the quotes of %.60s: put all of it into them", text);
    for (const char *from = text + 1; from < end; from++) {
        from += *from == '\\';
        *to++ = *from;
    }
    *to = 0;
    return HEAPTAP_OK;
}

static enum heaptap_status add_match(struct store_selector *selector, const char *key, bool differs,
                                     const char *value, struct heaptap_error *error)
{
    struct store_labels one = {0};
    enum heaptap_status status =
        store_labels_set(&one, key, strlen(key), value, strlen(value), error);
    if (status != HEAPTAP_OK)
        return status;
    if (selector->count == LABELS_MAX)
        return error_set(error, HEAPTAP_BAD_ARGUMENT, "there are more than %d conditions",
                         LABELS_MAX);
    selector->matches[selector->count++] = (struct store_match){one.items[0], differs};
    return HEAPTAP_OK;
}

/* "key=value" or "key!=value", whose bytes are the caller's to change. */
static enum heaptap_status add_condition(struct store_selector *selector, char *text,
                                         int64_t now_us, struct heaptap_error *error)
{
    char *equals = strchr(text, '=');
    bool differs = equals && equals > text && equals[-1] == '!';
    if (!equals)
        return error_set(error, HEAPTAP_BAD_ARGUMENT,
                         "'%.60s' is no condition: use NAME=VALUE, NAME!=VALUE or time=...", text);
    equals[differs ? -1 : 0] = 0;
    bool is_label = is_quote(*text); /* also one that is called time */
    enum heaptap_status status = unquote(text, error);
    if (status == HEAPTAP_OK)
        status = unquote(equals + 1, error);
    if (status != HEAPTAP_OK)
        return status;
    if (is_label || strcmp(text, "time") != 0 || differs)
        return add_match(selector, text, differs, equals + 1, error);
    char kept[64];
    strncpy(kept, equals + 1, sizeof kept - 1)[sizeof kept - 1] = 0;
    if (parse_time(selector, equals + 1, now_us))
        return HEAPTAP_OK;
    return error_set(error, HEAPTAP_BAD_ARGUMENT,
                     "'%s' is no time: use 'last 24h', a day such as 2026-11-20, or FROM..TO",
                     kept);
}

/* Where the space before the next word is that is a condition of its own; NULL for none. */
static char *next_condition(char *text)
{
    char *equals = strchr(text, '=');
    char *from = equals && is_quote(equals[1]) ? quoted_end(equals + 1) : NULL;
    for (char *space = strchr(from ? from : text, ' '); space; space = strchr(space + 1, ' ')) {
        size_t word = strcspn(space + 1, " ");
        if (memchr(space + 1, '=', word))
            return space;
    }
    return NULL;
}

enum heaptap_status store_selector_parse(struct store_selector *selector, const char *text,
                                         int64_t now_us, struct heaptap_error *error)
{
    char copy[TEXT_MAX + 1], *at = copy + strspn(text, " ");
    enum heaptap_status status = HEAPTAP_OK;
    if (strlen(text) > TEXT_MAX)
        return error_set(error, HEAPTAP_BAD_ARGUMENT, "the conditions are longer than %d bytes",
                         TEXT_MAX);
    strcpy(copy, text);
    while (status == HEAPTAP_OK && at && *at) {
        char *space = next_condition(at), *end = space ? space : at + strlen(at);
        while (end > at && end[-1] == ' ')
            end--;
        *end = 0;
        status = add_condition(selector, at, now_us, error);
        at = space ? space + 1 : NULL;
    }
    return status;
}
