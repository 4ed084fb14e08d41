/* For adapters of interpreters, which are in some processes, too (tap/guest/find.c): what a thread allocates between these is
 * theirs, not the program's, and is not recorded. */
#include <errno.h>

#include "tap/record/recorder.h"

#define EXPORTED __attribute__((visibility("default")))

EXPORTED void heaptap_recorder_own_begin(void);
EXPORTED void heaptap_recorder_own_end(void);

void heaptap_recorder_own_begin(void)
{
    int saved_errno = errno;
    recorder_wake(); /* else the first block would, and be recorded */
    if (recorder_is_on())
        recorder_suspend();
    errno = saved_errno;
}

void heaptap_recorder_own_end(void)
{
    int saved_errno = errno;
    if (recorder_is_on())
        recorder_resume();
    errno = saved_errno;
}
