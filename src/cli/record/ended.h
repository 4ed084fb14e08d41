/* What `heaptap record` does when the command has ended. */
#ifndef CLI_RECORD_ENDED_H
#define CLI_RECORD_ENDED_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/record/notes.h"
#include "cli/record/run.h"
#include "cli/record/settings.h"

/* Writes profiles that a process had no time to save.  False, after a message, where one can't be written. */
bool ended_save_kept(const struct record_settings *settings, const struct run_result *result);

/* Finishes the traces of a recording that began at `since_us`, since the epoch, and answers; `all_saved` as ended_save_kept has said.  An exit status: CLI_FOUND where what
 * was recorded is not as expected. */
int ended_tell(const struct record_settings *settings, const struct run_result *result,
               const struct notes *notes, bool all_saved, int64_t since_us);

/* Says why there is no profile of any interval. */
void ended_tell_nothing_sampled(const struct record_settings *settings,
                                const struct run_result *result, const struct notes *notes);

#endif
