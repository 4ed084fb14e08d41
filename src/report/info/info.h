/* The report `info`: what a trace or a profile is, where it comes from, and its figures as a whole. */
#ifndef REPORT_INFO_INFO_H
#define REPORT_INFO_INFO_H

#include "report/info/summary.h"
#include "answer/answer.h"
#include "report/options.h"
#include "report/report.h"

extern const struct question_option info_options[]; /* ended by one without a word */
bool info_check(struct question *question, struct heaptap_error *error);

const char *info_refuse(const struct report *report);

/* A trace.  Everything is borrowed. */
struct info {
    const char *name;        /* of the file, as it is to be shown */
    uint64_t stored_bytes;   /* of the file */
    const char *compression; /* "none", "gzip" or "zstd" */
    const struct heaptap_trace_info *trace;
    const struct summary *summary; /* finished */
    const struct heaptap_reader_notes *notes;
    const struct heaptap_metadata *metadata;
    size_t metadata_count;
    bool is_complete;   /* the trace could be read to its end */
    bool is_whole;      /* and all that the program did is in it */
    const char *filter; /* what the summary is of; "" for everything */
};

enum report_outcome info_put(struct answer *answer, const struct report *report);

/* As memtrace's `identify` prints it, byte for byte.  False when there is no memory. */
bool info_write_memtrace(const struct report *report, FILE *file);

extern const struct answer_table *const info_tables[]; /* ended by NULL */

#endif
