/* Hot spots as memtrace prints them. */
#ifndef EXPORT_MEMTRACE_HOTSPOTS_H
#define EXPORT_MEMTRACE_HOTSPOTS_H

#include <stdio.h>

#include "analyze/memtrace_hotspots.h"

/* Write errors show in `file`. */
void memtrace_hotspots_print(const struct memtrace_hotspots *hotspots,
                             const struct heaptap_trace_info *info, FILE *file);

#endif
