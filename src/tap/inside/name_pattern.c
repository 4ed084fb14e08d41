#include "tap/inside/name_pattern.h"

#include <limits.h>
#include <string.h>

#include "base/path.h"
#include "tap/inside/text.h"

/* A day of the era, as year, month and day (the proleptic Gregorian calendar). */
static void civil(int64_t days, uint64_t *year, uint64_t *month, uint64_t *day)
{
    int64_t z = days + 719468, era = z / 146097;
    int64_t of_era = z - era * 146097;
    int64_t of_year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t left = of_era - (365 * of_year + of_year / 4 - of_year / 100);
    int64_t shifted = (5 * left + 2) / 153; /* months since March */
    *day = (uint64_t)(left - (153 * shifted + 2) / 5 + 1);
    *month = (uint64_t)(shifted < 10 ? shifted + 3 : shifted - 9);
    *year = (uint64_t)(of_year + era * 400 + (*month <= 2));
}

static void add_time(struct text *text, int64_t time_us)
{
    int64_t seconds = time_us / 1000000, of_day = seconds % 86400;
    uint64_t year, month, day;
    civil(seconds / 86400, &year, &month, &day);
    text_add_digits(text, year, 10, 4);
    text_add_digits(text, month, 10, 2);
    text_add_digits(text, day, 10, 2);
    text_add(text, "-");
    text_add_digits(text, (uint64_t)(of_day / 3600), 10, 2);
    text_add_digits(text, (uint64_t)(of_day / 60 % 60), 10, 2);
    text_add_digits(text, (uint64_t)(of_day % 60), 10, 2);
}

bool name_pattern_expand(char *name, size_t size, const char *pattern, const char *executable,
                         uint64_t pid, int64_t time_us)
{
    struct text text;
    text_init(&text, name, size);
    for (const char *p = pattern; *p; p++) {
        if (p[0] != '%' || !p[1] || !strchr("pet%", p[1])) {
            text_add_bytes(&text, p, 1);
            continue;
        }
        p++;
        if (*p == 'p')
            text_add_number(&text, pid);
        else if (*p == 'e')
            text_add(&text, path_file(executable));
        else if (*p == 't')
            add_time(&text, time_us);
        else
            text_add(&text, "%");
    }
    return !text.cut;
}

size_t name_pattern_stem(const char *name)
{
    static const char *const double_ends[] = {".pb.gz", ".ctf.gz", ".ctf.zst"};
    const char *base = path_file(name), *dot = strrchr(base, '.');
    size_t size = strlen(base);
    for (size_t i = 0; i < sizeof double_ends / sizeof *double_ends; i++) {
        size_t end = strlen(double_ends[i]);
        if (size > end && strcmp(base + size - end, double_ends[i]) == 0)
            dot = base + size - end;
    }
    return dot && dot > base ? (size_t)(dot - name) : strlen(name);
}

static bool has_pid(const char *pattern)
{
    for (const char *p = pattern; *p; p++) {
        if (p[0] == '%' && p[1] == 'p')
            return true;
        p += p[0] == '%' && p[1] == '%';
    }
    return false;
}

bool name_pattern_of_child(char *pattern, size_t size, const char *folder, const char *parent)
{
    struct text text;
    size_t stem = has_pid(parent) ? strlen(parent) : name_pattern_stem(parent);
    text_init(&text, pattern, size);
    if (parent[0] != '/') {
        for (const char *p = folder; *p; p++) {
            text_add_bytes(&text, p, 1);
            text_add(&text, *p == '%' ? "%" : "");
        }
        text_add(&text, "/");
    }
    text_add_bytes(&text, parent, stem);
    if (!has_pid(parent))
        text_add(&text, ".%p");
    text_add(&text, parent + stem);
    return !text.cut;
}

bool name_pattern_number(char *other, size_t size, const char *name, uint64_t number)
{
    struct text text;
    size_t stem = name_pattern_stem(name);
    text_init(&text, other, size);
    text_add_bytes(&text, name, stem);
    text_add(&text, "-");
    text_add_number(&text, number);
    text_add(&text, name + stem);
    return !text.cut;
}
