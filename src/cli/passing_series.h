/* What passes a filter over time, event by event, in readings of the trace of its own: memory follows what is alive
 * (profile/event_series.h).  It takes up to five readings, which pays where a model of all blocks would be large. */
#ifndef CLI_PASSING_SERIES_H
#define CLI_PASSING_SERIES_H

#include "cli/input_files.h"
#include "profile/folded_rows.h"
#include "profile/series.h"

/* Are they large, and can be read again?  HEAPTAP_WHOLE_MODEL=0 says that all are (docs/contributing.md). */
bool large_files_are(const struct input_names *files);

/* A trace and what is known of it. */
struct passing_input {
    struct input_names files;
    const struct model *model; /* of the file, folded: its rate and end */
    bool is_empty;             /* the filter leaves nothing of it, which has been said */
    int status;                /* other than 0 where it has been said what is wrong with the file */
};

/* In so many steps of the run; the series is the caller's to release.  False with a message and the status. */
bool passing_series(struct series *series, const struct passing_input *input,
                    const struct filter *filter, size_t steps, int *status);

/* What is made of all blocks while they are read into a model of folded rows. */
struct series_reading {
    size_t steps;
    struct series_builder *all; /* NULL before the reading, and of a profile */
};

/* Good as long as the reading stays where it is. */
struct folded_watcher series_reading_watcher(struct series_reading *reading);

#endif
