/* What processes keep beside their profiles (tap/gather/kept.h), where heaptap's folder has no room for it. */
#ifndef CLI_RECORD_KEPT_BESIDE_H
#define CLI_RECORD_KEPT_BESIDE_H

#include <stdint.h>
#include <sys/types.h>

#include "cli/record/kept_folder.h"

/* Saves those profiles of the pattern whose process is no more, as kept_finish does: of this recording, and of one whose heaptap was
 * killed. */
void kept_beside_save(const char *pattern, pid_t ended, int64_t end_us,
                      struct kept_unsaved *unsaved);

#endif
