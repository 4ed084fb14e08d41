/* Sizes and lifetimes of blocks as JSON. */
#ifndef EXPORT_STATS_JSON_H
#define EXPORT_STATS_JSON_H

#include <stdio.h>

#include "analyze/stats_report.h"

void stats_json_print(FILE *file, const struct stats_report *report);

#endif
