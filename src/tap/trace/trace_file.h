/* The file of a trace.  Where it is an ordinary one, it is written in place (tap/inside/growing_file.h): an event is in it at once,
 * however the process ends.  A pipe or a device gets packets, and loses the last of them if the process is killed. */
#ifndef TAP_TRACE_TRACE_FILE_H
#define TAP_TRACE_TRACE_FILE_H

#include "tap/trace/writer.h"

struct trace_file {
    struct growing_file place; /* open where the trace is written in place */
    int fd; /* where packets go, or, while the file is in place, by which it grows wherever its name leads; else -1 */
    uint8_t *stop; /* in place: the room of trace_file_keep_stop_room; else NULL */
};

/* Makes the file at `path` an empty one, and opens it; in place without a descriptor, unless that is to be kept.  Descriptors are
 * high ones: the program gets the low ones, as without us.  0 or an errno. */
int trace_file_open(struct trace_file *file, const char *path, bool keeps_descriptor);

/* The writer of the trace; options->sink is set here.  `full` as in writer_new_in_place. */
enum heaptap_status trace_file_new_writer(struct trace_file *file, struct heaptap_writer **writer,
                                          const struct heaptap_trace_info *info,
                                          struct heaptap_writer_options *options,
                                          void (*full)(void *context, int code), void *context,
                                          struct heaptap_error *error);

/* Keeps room for why the recording ends (tap/trace/stop_room.h): after the trace's first metadata, before any event.  0 or the
 * errno of the writer. */
int trace_file_keep_stop_room(struct trace_file *file, struct heaptap_domain *domain);

/* Says in that room, if there is any, that there was no room for more `time_us` after the start of the trace, because of `code`. */
void trace_file_put_stop(const struct trace_file *file, int64_t time_us, int code);

/* What a domain has gathered goes out; in place that is the rest of its regions. */
void trace_file_flush(const struct trace_file *file, struct heaptap_domain *domain);

/* Once the writer is freed.  What was not used of the file is cut off. */
void trace_file_close(struct trace_file *file);

/* In a forked child: the trace is its parent's, and nothing is written there any more. `interrupted` as in
 * growing_file_leave_to_parent. */
void trace_file_leave_to_parent(struct trace_file *file, bool interrupted);

/* Do packets wait in memory, so that they must be flushed from time to time? */
static inline bool trace_file_is_of_packets(const struct trace_file *file)
{
    return !growing_file_is_open(&file->place) && file->fd >= 0;
}

#endif
