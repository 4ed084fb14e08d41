/* Sending a continuous recording's profiles to a server: their labels, the spool that they wait
 * in, and messages about it. */
#ifndef CLI_RECORD_PUSHING_H
#define CLI_RECORD_PUSHING_H

#include "cli/record/continuous.h"
#include "cli/record/intervals.h"
#include "fleet/push/sender.h"

struct pushing;

/* NULL with a message. */
struct pushing *pushing_new(const struct continuous_options *options);

/* Begins to send. */
void pushing_start(struct pushing *pushing);

/* Puts a profile into the spool, with the labels that the user gave and, where these lack them, the
 * program's name as service, the machine's as host, and the process's number.  False with a message. */
bool pushing_put(struct pushing *pushing, const struct interval *interval, const void *bytes,
                 size_t size);

/* Prints that the server is unreachable, or reachable again, if that has changed. */
void pushing_tell(struct pushing *pushing);

/* After the last profile: sends those that wait, for at most ten seconds, and prints how many were sent. */
void pushing_end(struct pushing *pushing, bool quiet);

/* NULL allowed. */
void pushing_free(struct pushing *pushing);

#endif
