/* The regular expression that a command takes as an argument. */
#ifndef CLI_REPORT_PATTERN_H
#define CLI_REPORT_PATTERN_H

#include "profile/pattern.h"

/* NULL with a message, and the exit status in `*status`. */
struct pattern *report_pattern(const char *text, int *status);

/* Says that no function matches `text`, or that some can't be matched; the exit status for that. */
int report_pattern_missed(const struct pattern *pattern, const char *text);

#endif
