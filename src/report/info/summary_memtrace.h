/* What a trace is and its figures, byte for byte as memtrace's `identify` prints them. */
#ifndef REPORT_INFO_SUMMARY_MEMTRACE_H
#define REPORT_INFO_SUMMARY_MEMTRACE_H

#include <stdio.h>

#include "report/info/summary.h"

/* Everything is borrowed. */
struct summary_memtrace {
    const char *name;      /* of the trace, as it is to be shown */
    uint64_t stored_bytes; /* of the file */
    const struct heaptap_trace_info *info;
    const struct summary *summary; /* finished */
};

void summary_memtrace_print(FILE *file, const struct summary_memtrace *trace);

#endif
