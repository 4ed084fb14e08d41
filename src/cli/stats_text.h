/* `heaptap stats` for people. */
#ifndef CLI_STATS_TEXT_H
#define CLI_STATS_TEXT_H

#include "analyze/stats_report.h"

/* Prints on standard output; false when there is no memory. */
bool stats_text_print(const struct stats_report *report);

#endif
