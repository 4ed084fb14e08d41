#include "cli/record/written_traces.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/property.h"
#include "base/text.h"
#include "cli/record/trace_name.h"
#include "heaptap/trace.h"
#include "pprof/read/profile.h"
#include "spec/pprof_fields.h"
#include "spec/trace_format.h"

/* The recorder and this program may read the clock in different ways. */
enum { CLOCK_SLACK_US = 20000 };

/* `recording` is the number of a heaptap record. */
static bool is_own(const char *recording)
{
    return strtol(recording, NULL, 10) == (long)getpid();
}

/* Does the trace say that it is another recording's?  Our recorder says so before the first event; once names are looked up, which
 * ours are not yet, it stands at the end.  OCaml's own tracer says nothing. */
static bool is_of_another(struct heaptap_reader *reader)
{
    enum { EVENTS_AT_ONCE = 256 };
    struct heaptap_event events[EVENTS_AT_ONCE];
    const char *recording = NULL;
    enum heaptap_status status = HEAPTAP_OK;
    if (heaptap_reader_info(reader)->word_bits != 8)
        return false;
    for (size_t count = 1; !recording && status == HEAPTAP_OK && count > 0;) {
        status = heaptap_reader_next_many(reader, events, EVENTS_AT_ONCE, &count, NULL);
        size_t known;
        const struct heaptap_metadata *records = heaptap_reader_metadata(reader, &known);
        recording = property_text(records, known, RECORDING_PROPERTY);
    }
    return recording && !is_own(recording);
}

/* What a trace says of itself; false where the file is none, is older than `earliest_us`, of which nothing else is read, or is another
 * recording's. */
static bool read_trace(struct written_trace *trace, const char *path, int64_t earliest_us)
{
    struct heaptap_reader *reader;
    static const struct heaptap_reader_options how = {.skip_stacks = true};
    if (heaptap_reader_open(&reader, path, &how, NULL) != HEAPTAP_OK)
        return false;
    const struct heaptap_trace_info *info = heaptap_reader_info(reader);
    bool ours = info->start_us >= earliest_us && !is_of_another(reader);
    if (ours) {
        trace->start_us = info->start_us;
        trace->pid = info->pid;
        trace->executable = strdup(info->executable);
    }
    heaptap_reader_close(reader);
    return ours;
}

/* The same of a profile. */
static bool read_profile(struct written_trace *trace, const char *path, int64_t earliest_us)
{
    struct input *input;
    struct model *model;
    if (input_open(&input, path, NULL) != HEAPTAP_OK)
        return false;
    enum heaptap_status status = pprof_read(&model, input, NULL);
    input_close(input);
    if (status != HEAPTAP_OK)
        return false;
    trace->is_profile = true;
    trace->is_empty =
        model->file->sample_count == 0 && !profile_comment(model->file, PPROF_ENDED_EARLY);
    trace->start_us = model->file->time_ns / 1000;
    trace->executable = strdup(model->module_count > 0 ? model->modules[0].path : "");
    const char *recording = profile_comment(model->file, PPROF_RECORDING);
    const char *pid = profile_comment(model->file, PPROF_PID);
    bool ours = trace->start_us >= earliest_us && (!recording || is_own(recording));
    trace->pid = pid ? strtoull(pid, NULL, 10) : 0;
    model_free(model);
    return ours;
}

/* Is the file a trace of this recording?  Then it joins the list.  False without memory. */
static bool consider(struct written_traces *traces, const char *folder, const char *name,
                     int64_t since_us)
{
    struct written_trace trace = {.path = text_format("%s%s", folder, name)};
    if (!trace.path)
        return false;
    int64_t earliest_us = since_us - CLOCK_SLACK_US;
    bool ours = trace_name_is_profile(name) ? read_profile(&trace, trace.path, earliest_us)
                                            : read_trace(&trace, trace.path, earliest_us);
    bool done = !ours || (trace.executable &&
                          ARRAY_RESERVE(&traces->items, &traces->capacity, traces->count + 1));
    if (ours && done) {
        traces->items[traces->count++] = trace;
    } else {
        free(trace.path);
        free(trace.executable);
    }
    return done;
}

static int compare(const void *left, const void *right, void *first)
{
    const struct written_trace *a = left, *b = right;
    uint64_t pid = *(const uint64_t *)first;
    if ((a->pid == pid) != (b->pid == pid))
        return a->pid == pid ? -1 : 1;
    if (a->start_us != b->start_us)
        return a->start_us < b->start_us ? -1 : 1;
    return strcmp(a->path, b->path);
}

bool written_traces_find(struct written_traces *traces, const char *pattern, int64_t since_us,
                         pid_t first)
{
    *traces = (struct written_traces){0};
    char *folder = trace_name_folder(pattern);
    DIR *directory = folder ? opendir(*folder ? folder : ".") : NULL;
    bool done = folder;
    struct dirent *entry;
    while (done && directory && (entry = readdir(directory)))
        if (trace_name_matches(pattern, entry->d_name))
            done = consider(traces, folder, entry->d_name, since_us);
    if (directory)
        closedir(directory);
    free(folder);
    uint64_t pid = (uint64_t)first;
    if (done && traces->count > 1)
        qsort_r(traces->items, traces->count, sizeof *traces->items, compare, &pid);
    return done;
}

void written_traces_release(struct written_traces *traces)
{
    for (size_t i = 0; i < traces->count; i++) {
        free(traces->items[i].path);
        free(traces->items[i].executable);
    }
    free(traces->items);
    *traces = (struct written_traces){0};
}
