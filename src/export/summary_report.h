/* What a trace is and its figures as a whole, written out. */
#ifndef EXPORT_SUMMARY_REPORT_H
#define EXPORT_SUMMARY_REPORT_H

#include <stdio.h>

#include "analyze/summary.h"

/* Everything is borrowed. */
struct summary_report {
    const char *name;        /* of the trace, as it is to be shown */
    uint64_t stored_bytes;   /* of the file */
    const char *compression; /* "none", "gzip" or "zstd" */
    const struct heaptap_trace_info *info;
    const struct summary *summary; /* finished */
    const struct heaptap_reader_notes *notes;
    const struct heaptap_metadata *metadata;
    size_t metadata_count;
    bool complete;      /* the trace could be read to its end */
    const char *filter; /* what the summary is of; "" for everything */
};

/* Sums over the sources, and over both heaps. */
double summary_allocated_objects(const struct summary *summary);
uint64_t summary_allocated_samples(const struct summary *summary);
uint64_t summary_events(const struct summary *summary);

/* Allocations on a domain, of all sources. */
uint64_t summary_domain_allocations(const struct domain_summary *domain);

/* The thread that a domain is, by the metadata; NULL where they don't say. */
const struct heaptap_metadata *summary_thread(const struct summary_report *report, unsigned domain);

/* The record of the recording's end before the program's; NULL for none. */
const struct heaptap_metadata *summary_stop(const struct summary_report *report);

/* Just as memtrace's `identify` prints it. */
void summary_print_memtrace(FILE *file, const struct summary_report *report);

void summary_print_json(FILE *file, const struct summary_report *report);

#endif
