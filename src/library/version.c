#include "heaptap/version.h"

int heaptap_version(void)
{
    return HEAPTAP_VERSION_NUMBER;
}

const char *heaptap_version_string(void)
{
    return HEAPTAP_VERSION_STRING;
}
