#ifndef CLI_RECORD_RUNNING_H
#define CLI_RECORD_RUNNING_H

#include <stdbool.h>
#include <sys/types.h>

/* Is there such a process? */
bool process_is_running(pid_t pid);

#endif
