/* A file as it is, for reports that go through its events or samples themselves (REPORT_READS_EVENTS): what is read of it goes into
 * no model. */
#ifndef REPORT_FILE_H
#define REPORT_FILE_H

#include "heaptap/trace.h"
#include "profile/model.h"
#include "profile/passing_blocks.h"

enum { REPORT_EVENTS_AT_ONCE = 256 };

struct report_file {
    uint64_t stored_bytes;
    const char *compression; /* "none", "gzip" or "zstd" */
    const struct model
        *model; /* of a profile, all of it; then there are no events.  NULL of a trace */

    /* Of a trace. */
    const struct heaptap_reader
        *reader; /* that its events come from, for what it says besides them */
    const struct passing_blocks *passing; /* the blocks whose events come; NULL for all */
    int64_t end_us;   /* of some blocks alone, when the latest event was so far */
    bool is_large;    /* it is better read twice than kept */
    bool tells_notes; /* the report tells what is wrong with the file */

    /* The next events in true order, `max` at most, without stacks: how many there are, 0 at the end, where the report's input tells how
     * well it went. */
    size_t (*next)(struct report_file *file, struct heaptap_event *events, size_t max);

    /* The same from the first on, once more.  False where that fails, which has been told. */
    bool (*again)(struct report_file *file);
};

#endif
