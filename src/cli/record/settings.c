#include "cli/record/settings.h"

#include <stdlib.h>

#include "tap/inside/environment.h"

const char *record_rate(const struct record_settings *settings)
{
    return settings->rate ? settings->rate : getenv(SETTING_RATE);
}

bool record_has_budget(const struct record_settings *settings)
{
    return !record_rate(settings) && !settings->all;
}
