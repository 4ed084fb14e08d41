#include "cli/growing.h"

#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/stop_reason.h"
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

static bool is_unfinished(const struct heaptap_reader *reader)
{
    return reader->walk.has_open && !has_end(reader);
}

/* Is nothing but its first page left?  Told at its end. */
static bool is_bare(const struct heaptap_reader *reader)
{
    return !reader->join && reader->walk.has_regions && !reader->has_records &&
           reader->domain_end == 0;
}

/* A finished trace has no regions, and all processes need be asked only for one that has. */
enum trace_growth trace_growth(const struct heaptap_reader *reader, const char *path)
{
    pid_t pid = (pid_t)heaptap_reader_info(reader)->pid;
    const char *file = file_of(path);
    if (reader->walk.has_regions && process_is_writing(pid, file, true))
        return TRACE_GROWS;
    if (file && process_is_running(pid)) {
        if (process_has_open(pid, file))
            return TRACE_GROWS;
        if (process_is_writing(pid, file, false))
            return TRACE_MAY_GROW;
    }
    return is_unfinished(reader) ? TRACE_UNFINISHED : TRACE_STAYS;
}

static int64_t last_event_us(const struct heaptap_reader *reader)
{
    int64_t last_us = reader->info.start_us;
    for (unsigned i = 0; i < reader->domain_end; i++)
        if (reader->domains[i] && reader->domains[i]->has_last &&
            reader->domains[i]->last_us > last_us)
            last_us = reader->domains[i]->last_us;
    return last_us;
}

static void add_stop(struct heaptap_reader *reader, const char *why, int64_t at_us)
{
    int64_t run_us = at_us - reader->info.start_us;
    const struct heaptap_metadata stop = {
        .kind = HEAPTAP_STOPPED, .name = why, .number = run_us > 0 ? (uint64_t)run_us : 0};
    if (!has_end(reader) &&
        ARRAY_RESERVE(&reader->metadata, &reader->metadata_capacity, reader->metadata_count + 1))
        reader->metadata[reader->metadata_count++] = stop;
}

/* What a process has in its regions is in the file at once.  Others write whole packets: what came after the last one is not known. */
static int64_t known_until_us(const struct heaptap_reader *reader)
{
    return reader->walk.has_regions ? clock_us(CLOCK_REALTIME) : last_event_us(reader);
}

void growing_end(struct heaptap_reader *reader, enum trace_growth growth)
{
    if (growth == TRACE_GROWS)
        add_stop(reader, "it was still being written when it was read", known_until_us(reader));
    else if (growth == TRACE_UNFINISHED || is_unfinished(reader) || is_bare(reader))
        add_stop(reader, STOP_UNFINISHED, last_event_us(reader));
}
