/* What the environment asks for. */
#include <stdlib.h>
#include <string.h>

#include "heaptap/guest.h"

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

static bool is_on(const char *name)
{
    const char *value = variable(name);
    return value && strcmp(value, "0") != 0;
}

bool heaptap_guest_read_request(struct heaptap_guest_request *request)
{
    if (!request)
        return false;
    *request = (struct heaptap_guest_request){.directory = variable("HEAPTAP_GUEST_DIR")};
    if (!request->directory)
        return false;
    const char *rate = variable("HEAPTAP_GUEST_RATE"), *seed = variable("HEAPTAP_GUEST_SEED");
    request->trace = variable("HEAPTAP_GUEST_TRACE");
    request->rate = rate ? parse_rate(rate) : 1;
    request->stacks = is_on("HEAPTAP_GUEST_STACKS");
    request->fast = is_on("HEAPTAP_GUEST_FAST");
    for (; seed && *seed >= '0' && *seed <= '9'; seed++)
        request->seed = request->seed * 10 + (uint64_t)(*seed - '0');
    return true;
}
