/* Several traces read as one: the processes of one run, say.
 *
 * Their events come in the order of their times of day, and times are since the start of the trace that began first.
 * Each trace has domains and block ids of its own.  A module that several processes have loaded is one, at one address, and
 * so are its frames; frames outside of modules are one where they are described alike.  Metadata are those of all; a
 * HEAPTAP_PROCESS for each trace says which domains are its own.
 *
 * Where a trace says when its process ended, and another goes on, what is alive of it then has a HEAPTAP_EXIT: it takes no
 * memory any more.
 *
 * The sampling rate is the lowest of theirs: of the other traces a sample is kept with the chance that makes its rate
 * this one. */
#ifndef TRACE_JOIN_H
#define TRACE_JOIN_H

#include "trace/reader.h"

/* `readers` are of true order, and nothing of them has been read; they are taken over, also on failure.  `names` are those
 * of their files: an error names its trace.  HEAPTAP_BAD_ARGUMENT where they can't be one: their
 * words differ in size, or there are more blocks or domains than can be numbered. */
enum heaptap_status readers_join(struct heaptap_reader **joined, struct heaptap_reader **readers,
                                 const char *const *names, size_t count,
                                 struct heaptap_error *error);

#endif
