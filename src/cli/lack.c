#include "cli/lack.h"

#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

static char said[512];

void lack_say(const char *subject, const char *sentence)
{
    size_t size = strlen(said);
    if (strstr(said, sentence))
        return;
    cli_warn("%s: %s", subject, sentence);
    snprintf(said + size, sizeof said - size, "%s%s", size > 0 ? "; " : "", sentence);
}

const char *lack_said(void)
{
    return *said ? said : NULL;
}
