/* The reports of `heaptap hotspots`, but for memtrace's. */
#ifndef CLI_HOTSPOTS_REPORT_H
#define CLI_HOTSPOTS_REPORT_H

#include "analyze/hotspots.h"
#include "cli/trace_input.h"

struct hotspots_report {
    const struct hotspots *hotspots;
    const struct hotspots_options *options;
    const struct estimate *estimate;
    const struct heaptap_trace_info *info; /* NULL for a profile of values */
    const char *trace_name;
    const char *sample; /* of a trace: "alloc_space", ... */
    const char *filter; /* "" for none */
    size_t top;         /* sites at most */
    size_t callers;     /* below each site at most */
    bool all_callers;   /* also those that say little */
    bool complete;      /* the trace could be read to its end */
    bool hides_allocators;
};

/* Print on standard output; false when there is no memory. */
bool hotspots_print_text(const struct hotspots_report *report);
bool hotspots_print_json(const struct hotspots_report *report);
bool hotspots_print_csv(const struct hotspots_report *report);

#endif
