#include "cli/growing.h"

#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/array.h"
#include "base/clock.h"
#include "cli/input_files.h"
#include "cli/record/running.h"
#include "trace/reader.h"

/* NULL for a pipe, which is no file that a process could have open. */
static const char *file_of(const char *path)
{
    struct stat status;
    if (!input_status(path, &status) || !S_ISREG(status.st_mode))
        return NULL;
    return strcmp(path, "-") == 0 ? "/dev/stdin" : path;
}

/* A finished trace has no regions, and all processes need be asked only for one that has. */
enum trace_growth trace_growth(const struct heaptap_reader *reader, const char *path)
{
    pid_t pid = (pid_t)heaptap_reader_info(reader)->pid;
    const char *file = file_of(path);
    if (reader->walk.has_regions && process_is_writing(pid, file, true))
        return TRACE_GROWS;
    if (!file || !process_is_running(pid))
        return TRACE_STAYS;
    return process_has_open(pid, file)            ? TRACE_GROWS
           : process_is_writing(pid, file, false) ? TRACE_MAY_GROW
                                                  : TRACE_STAYS;
}

/* Of several traces one may have met its end, and not the one that grows. */
static bool has_end(const struct heaptap_reader *reader)
{
    size_t count;
    const struct heaptap_metadata *records = heaptap_reader_metadata(reader, &count);
    for (size_t i = 0; i < count; i++)
        if (records[i].kind == HEAPTAP_STOPPED ||
            (records[i].kind == HEAPTAP_ENDED && !reader->join))
            return true;
    return false;
}

void growing_add_stop(struct heaptap_reader *reader)
{
    int64_t run_us = clock_us(CLOCK_REALTIME) - heaptap_reader_info(reader)->start_us;
    const struct heaptap_metadata stop = {.kind = HEAPTAP_STOPPED,
                                          .name = "it was still being written when it was read",
                                          .number = run_us > 0 ? (uint64_t)run_us : 0};
    if (!has_end(reader) &&
        ARRAY_RESERVE(&reader->metadata, &reader->metadata_capacity, reader->metadata_count + 1))
        reader->metadata[reader->metadata_count++] = stop;
}
