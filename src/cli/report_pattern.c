#include "cli/report_pattern.h"

#include <string.h>

#include "cli/cli.h"

struct pattern *report_pattern(const char *text, int *status)
{
    char message[160];
    size_t offset;
    struct pattern *pattern = pattern_new(text, strlen(text), message, sizeof message, &offset);
    if (pattern)
        return pattern;
    *status = *message ? CLI_USAGE : CLI_FAILED;
    if (*message)
        cli_warn("'%s' is not a regular expression: %s, after '%.*s'", text, message, (int)offset,
                 text);
    else
        cli_warn("out of memory");
    return NULL;
}

int report_pattern_missed(const struct pattern *pattern, const char *text)
{
    struct heaptap_error error;
    if (pattern_check(pattern, &error) != HEAPTAP_OK) {
        cli_warn("'%s': %s", text, error.message);
        return CLI_USAGE;
    }
    cli_warn("no function matches '%s'", text);
    return CLI_FOUND;
}
