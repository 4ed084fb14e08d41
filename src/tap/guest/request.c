/* What the environment asks for. */
#include <stdlib.h>
#include <string.h>

#include "tap/guest/state.h"
#include "tap/inside/environment.h"
#include "tap/inside/interpreter.h"

/* A decimal number such as 1, 0.001 or 1e-3, whatever the locale; 0 for what is not one. */
static double parse_rate(const char *text)
{
    double value = 0, place = 1;
    int exponent = 0, sign = 1;
    for (; *text >= '0' && *text <= '9'; text++)
        value = value * 10 + (*text - '0');
    if (*text == '.')
        for (text++; *text >= '0' && *text <= '9'; text++)
            value += (*text - '0') * (place /= 10);
    if (*text == 'e' || *text == 'E') {
        text++;
        if (*text == '-' || *text == '+')
            sign = *text++ == '-' ? -1 : 1;
        for (; *text >= '0' && *text <= '9' && exponent < 400; text++)
            exponent = exponent * 10 + (*text - '0');
    }
    for (; exponent > 0; exponent--)
        value = sign > 0 ? value * 10 : value / 10;
    return *text ? 0 : value;
}

static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

uint64_t guest_number(const char *name)
{
    const char *digits = variable(name);
    uint64_t number = 0;
    for (; digits && *digits >= '0' && *digits <= '9'; digits++)
        number = number * 10 + (uint64_t)(*digits - '0');
    return number;
}

static bool is_on(const char *name)
{
    const char *value = variable(name);
    return value && strcmp(value, "0") != 0;
}

bool guest_is_of_record(void)
{
    static signed char is; /* 0: not known yet */
    if (!is)
        is = variable(GUEST_RECORD) && interpreter_is_guest() ? 1 : -1;
    return is > 0;
}

bool heaptap_guest_read_request(struct heaptap_guest_request *request)
{
    if (!request)
        return false;
    *request = (struct heaptap_guest_request){.directory = variable(GUEST_FOLDER)};
    if (!request->directory || (variable(GUEST_RECORD) && !guest_is_of_record()))
        return false;
    const char *rate = variable(GUEST_RATE);
    request->trace = variable(GUEST_TRACE);
    request->rate = rate ? parse_rate(rate) : 1;
    request->stacks = is_on(GUEST_STACKS);
    request->fast = is_on(GUEST_FAST);
    request->seed = guest_number(GUEST_SEED);
    return true;
}
