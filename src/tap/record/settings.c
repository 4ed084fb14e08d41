/* Numbers are read here and not by libc, whose strtod obeys the locale. */
#include "tap/record/settings.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>

#include "base/affix.h"
#include "tap/inside/environment.h"
#include "tap/inside/say.h"

/* ---- Numbers ------------------------------------------------------------------------ */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Ten to the n, exact up to 10^22. */
static double power_of_ten(unsigned n)
{
    double power = 1;
    for (unsigned i = 0; i < n; i++)
        power *= 10;
    return power;
}

/* The exponent behind an `e`, if there is one; false if it is malformed. */
static bool read_exponent(const char **at, int *exponent)
{
    if (**at != 'e' && **at != 'E')
        return true;
    const char *p = *at + 1;
    bool negative = *p == '-';
    int value = 0;
    if (*p == '-' || *p == '+')
        p++;
    if (!is_digit(*p))
        return false;
    for (; is_digit(*p); p++)
        value = value < 1000 ? value * 10 + (*p - '0') : value;
    *exponent += negative ? -value : value;
    *at = p;
    return true;
}

/* A decimal number of at least 0: digits, a point, an exponent. */
static bool read_decimal(const char *text, double *number)
{
    uint64_t mantissa = 0;
    int exponent = 0;
    bool point = false, any = false;
    const char *p = text;
    for (; is_digit(*p) || (*p == '.' && !point); p++) {
        if (*p == '.') {
            point = true;
            continue;
        }
        any = true;
        if (mantissa < UINT64_MAX / 100) {
            mantissa = mantissa * 10 + (uint64_t)(*p - '0');
            exponent -= point;
        } else {
            exponent += !point;
        }
    }
    if (!any || !read_exponent(&p, &exponent) || *p)
        return false;
    if (exponent > 300 || exponent < -300)
        *number = mantissa && exponent > 0 ? 1e300 : 0;
    else if (exponent < 0)
        *number = (double)mantissa / power_of_ten((unsigned)-exponent);
    else
        *number = (double)mantissa * power_of_ten((unsigned)exponent);
    return true;
}

static bool read_whole(const char *text, uint64_t most, uint64_t *number)
{
    uint64_t value = 0;
    const char *p = text;
    for (; is_digit(*p); p++) {
        if (value > (most - (uint64_t)(*p - '0')) / 10)
            return false;
        value = value * 10 + (uint64_t)(*p - '0');
    }
    *number = value;
    return p > text && !*p;
}

/* ---- Settings ----------------------------------------------------------------------- */

static bool refuse(const char *name, const char *value, const char *wanted)
{
    say_loss(name, "=", value, ": ", wanted, "; the program runs without being recorded", NULL);
    return false;
}

/* An unset or empty variable is NULL. */
static const char *setting(char *const *environment, const char *name)
{
    const char *value = environment_get(environment, name);
    return value && *value ? value : NULL;
}

static bool read_switch(char *const *environment, const char *name, bool *on)
{
    const char *value = setting(environment, name);
    if (!value)
        return true;
    if ((value[0] != '0' && value[0] != '1') || value[1])
        return refuse(name, value, "must be 0 or 1");
    *on = value[0] == '1';
    return true;
}

/* A rate that is given, or all, leaves nothing to a budget. */
static bool read_budget(char *const *environment, struct settings *settings)
{
    const char *value = setting(environment, SETTING_BUDGET);
    bool is_fixed = setting(environment, SETTING_RATE) || settings->rate == 1;
    if (value && !read_whole(value, BUDGET_MOST, &settings->budget))
        return refuse(SETTING_BUDGET, value, "must be a whole number up to 1000000000");
    if (is_fixed)
        settings->budget = 0;
    if (settings->budget > 0)
        settings->rate = 1;
    return true;
}

static bool read_rate(char *const *environment, double *rate)
{
    enum { BYTES_PER_WORD = 8 };
    const char *value = setting(environment, SETTING_RATE);
    double per_word = RATE_DEFAULT * BYTES_PER_WORD;
    bool all = false;
    if (!read_switch(environment, SETTING_ALL, &all))
        return false;
    if (value && !all && (!read_decimal(value, &per_word) || !(per_word > 0 && per_word <= 1)))
        return refuse(SETTING_RATE, value, "must be a number above 0 and at most 1");
    *rate = all || per_word == 1 ? 1 : per_word / BYTES_PER_WORD;
    return true;
}

static bool read_callstack_size(char *const *environment, uint32_t *size)
{
    const char *value = setting(environment, SETTING_CALLSTACK);
    uint64_t number = CALLSTACK_DEFAULT;
    if (value && !read_whole(value, CALLSTACK_MOST, &number))
        return refuse(SETTING_CALLSTACK, value, "must be a whole number from 0 to 4096");
    *size = (uint32_t)number;
    return true;
}

/* 0 where it is not set. */
static bool read_seconds(char *const *environment, const char *name, uint64_t *us)
{
    const char *value = setting(environment, name);
    double seconds = 0;
    if (value && (!read_decimal(value, &seconds) || !(seconds > 0 && seconds < 1e12)))
        return refuse(name, value, "must be a number of seconds above 0");
    *us = (uint64_t)(seconds * 1e6);
    if (value && *us == 0)
        *us = 1;
    return true;
}

/* 0 where it is not set. */
static bool read_bytes(char *const *environment, const char *name, uint64_t *bytes)
{
    const char *value = setting(environment, name);
    *bytes = 0;
    return !value || (read_whole(value, INT64_MAX, bytes) && *bytes > 0) ||
           refuse(name, value, "must be a whole number of bytes above 0");
}

static bool read_limits(char *const *environment, struct settings *settings)
{
    return read_seconds(environment, SETTING_DURATION, &settings->duration_us) &&
           read_seconds(environment, SETTING_EVERY, &settings->every_us) &&
           read_bytes(environment, SETTING_MAX_SIZE, &settings->max_bytes);
}

/* 0, 1, or the process whose child the command's own process is. */
static bool read_holders_parent(char *const *environment, struct settings *settings)
{
    const char *value = setting(environment, SETTING_HOLDERS);
    uint64_t parent = 0;
    if (value && !read_whole(value, INT32_MAX, &parent))
        return refuse(SETTING_HOLDERS, value, "must be 0, 1 or a process");
    settings->holders = parent > 0;
    settings->holders_parent = (int32_t)parent;
    return true;
}

static bool read_holders(char *const *environment, struct settings *settings)
{
    return read_holders_parent(environment, settings) &&
           read_bytes(environment, SETTING_HOLDERS_ABOVE, &settings->holders_above_bytes) &&
           read_seconds(environment, SETTING_HOLDERS_EVERY, &settings->holders_every_us);
}

static bool read_signal(char *const *environment, int *number)
{
    static const struct {
        const char *name;
        int number;
    } signals[] = {{"USR1", SIGUSR1}, {"USR2", SIGUSR2},   {"HUP", SIGHUP},
                   {"URG", SIGURG},   {"WINCH", SIGWINCH}, {"IO", SIGIO}};
    const char *value = setting(environment, SETTING_SIGNAL);
    bool toggle = false;
    *number = 0;
    if (!read_switch(environment, SETTING_TOGGLE, &toggle))
        return false;
    if (!value)
        value = "USR2";
    if (begins_with(value, "SIG"))
        value += 3;
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        if (strcmp(value, signals[i].name) == 0) {
            *number = toggle ? signals[i].number : 0;
            return true;
        }
    }
    return refuse(SETTING_SIGNAL, value, "must be one of USR1, USR2, HUP, URG, WINCH, IO");
}

static bool read_keep(char *const *environment, const char **keep)
{
    const char *value = setting(environment, SETTING_KEEP);
    *keep = value && strcmp(value, "0") != 0 ? value : NULL;
    return !*keep || **keep == '/' || strcmp(*keep, SETTING_KEEP_BESIDE) == 0 ||
           refuse(SETTING_KEEP, value, "must be 0, 1 or a folder");
}

bool settings_read(struct settings *settings, char *const *environment)
{
    const char *followed = setting(environment, SETTING_FOLLOWED);
    const char *context = setting(environment, SETTING_CONTEXT);
    bool start = true;
    *settings = (struct settings){
        .trace = followed ? followed : setting(environment, SETTING_TRACE),
        .followed = followed != NULL,
        .context = context ? context : "",
    };
    if (!settings->trace)
        return false;
    if (!read_rate(environment, &settings->rate) || !read_budget(environment, settings) ||
        !read_callstack_size(environment, &settings->callstack_size) ||
        !read_limits(environment, settings) ||
        !read_signal(environment, &settings->toggle_signal) ||
        !read_switch(environment, SETTING_FOLLOW, &settings->follow) ||
        !read_switch(environment, SETTING_GUESTS, &settings->guests) ||
        !read_keep(environment, &settings->keep) || !read_holders(environment, settings) ||
        !read_switch(environment, SETTING_START, &start))
        return false;
    settings->paused = !start;
    return true;
}
