/* Hot spots as memtrace prints them. */
#ifndef REPORT_SITES_MEMTRACE_HOTSPOTS_PRINT_H
#define REPORT_SITES_MEMTRACE_HOTSPOTS_PRINT_H

#include <stdio.h>

#include "report/sites/memtrace_hotspots.h"

/* Write errors show in `file`. */
void memtrace_hotspots_print(const struct memtrace_hotspots *hotspots,
                             const struct heaptap_trace_info *info, FILE *file);

#endif
