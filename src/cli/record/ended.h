/* What `heaptap record` does when the command has ended. */
#ifndef CLI_RECORD_ENDED_H
#define CLI_RECORD_ENDED_H

#include <stdint.h>

#include "cli/record/notes.h"
#include "cli/record/run.h"
#include "cli/record/settings.h"

/* Finishes the traces of a recording that began at `since_us`, since the epoch, and answers.  An exit status: CLI_FOUND where what
 * was recorded is not as expected. */
int ended_tell(const struct record_settings *settings, const struct run_result *result,
               const struct notes *notes, int64_t since_us);

/* Says why there is no profile of any interval. */
void ended_tell_nothing_sampled(const struct record_settings *settings,
                                const struct run_result *result, const struct notes *notes);

#endif
