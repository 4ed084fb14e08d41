#include "cli/record/trace_name.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/affix.h"
#include "base/array.h"
#include "base/path.h"
#include "base/text.h"
#include "heaptap/trace.h"
#include "pprof/read/profile.h"
#include "tap/inside/name_pattern.h"

/* The recorder and this program may read the clock in different ways. */
enum { CLOCK_SLACK_US = 20000 };

/* ---- Patterns ----------------------------------------------------------------------- */

const char *trace_name_fault(const char *pattern)
{
    const char *last = path_file(pattern);
    if (!*last)
        return "names a folder, not a file";
    for (const char *at = strchr(pattern, '%'); at; at = strchr(at + 2, '%')) {
        if (!at[1] || !strchr("pet%", at[1]))
            return "has a % that is none of %p, %e, %t, %%";
        if (at < last && at[1] != '%')
            return "has a folder that depends on %p, %e or %t";
    }
    return NULL;
}

/* `text` with each % doubled, put at `to`; returns the end. */
static char *put_escaped(char *to, const char *text)
{
    for (; *text; text++) {
        *to++ = *text;
        if (*text == '%')
            *to++ = '%';
    }
    *to = 0;
    return to;
}

char *trace_name_absolute(const char *pattern)
{
    if (pattern[0] == '/')
        return strdup(pattern);
    char *here = getcwd(NULL, 0);
    char *absolute = here ? malloc(2 * strlen(here) + strlen(pattern) + 2) : NULL;
    if (absolute) {
        char *end = put_escaped(absolute, here);
        *end++ = '/';
        strcpy(end, pattern);
    }
    free(here);
    return absolute;
}

/* The end of `text`, which begins with `mark` and digits; `text` where it doesn't. */
static const char *skip_number(const char *text, char mark)
{
    size_t digits = *text == mark ? strspn(text + 1, "0123456789") : 0;
    return digits > 0 ? text + 1 + digits : text;
}

/* `extension`: where in the pattern `.PID` and `-2` may stand. */
static bool match(const char *pattern, const char *name, const char *extension)
{
    if (pattern == extension) {
        const char *after_pid = skip_number(name, '.');
        return match(pattern, name, NULL) || match(pattern, after_pid, NULL) ||
               match(pattern, skip_number(name, '-'), NULL) ||
               match(pattern, skip_number(after_pid, '-'), NULL);
    }
    if (!*pattern)
        return !*name;
    if (*pattern != '%')
        return *pattern == *name && match(pattern + 1, name + 1, extension);
    if (pattern[1] == '%')
        return *name == '%' && match(pattern + 2, name + 1, extension);
    size_t longest = pattern[1] == 'p' ? strspn(name, "0123456789") : strlen(name);
    for (size_t size = longest; size > 0; size--)
        if (match(pattern + 2, name + size, extension))
            return true;
    return false;
}

bool trace_name_matches(const char *pattern, const char *name)
{
    return match(path_file(pattern), name, pattern + name_pattern_stem(pattern));
}

bool trace_name_is_profile(const char *name)
{
    return ends_with(name, ".pb.gz") || ends_with(name, ".pb");
}

/* ---- Finding ------------------------------------------------------------------------ */

char *trace_name_folder(const char *pattern)
{
    size_t size = (size_t)(path_file(pattern) - pattern);
    char *folder = malloc(size + 2);
    char *to = folder;
    if (!folder)
        return NULL;
    for (size_t i = 0; i < size; i++) {
        *to++ = pattern[i];
        if (pattern[i] == '%')
            i++;
    }
    *to = 0;
    return folder;
}

/* What a trace says of itself; false where the file is none. */
static bool read_trace(struct written_trace *trace, const char *path)
{
    struct heaptap_reader *reader;
    if (heaptap_reader_open(&reader, path, NULL, NULL) != HEAPTAP_OK)
        return false;
    const struct heaptap_trace_info *info = heaptap_reader_info(reader);
    trace->start_us = info->start_us;
    trace->pid = info->pid;
    trace->executable = strdup(info->executable);
    heaptap_reader_close(reader);
    return true;
}

static bool read_profile(struct written_trace *trace, const char *path)
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
    trace->is_empty = model->file->sample_count == 0;
    trace->start_us = model->file->time_ns / 1000;
    trace->executable = strdup(model->module_count > 0 ? model->modules[0].path : "");
    for (size_t i = 0; i < model->file->comment_count; i++)
        if (begins_with(model->file->comments[i], "pid: "))
            trace->pid = strtoull(model->file->comments[i] + 5, NULL, 10);
    model_free(model);
    return true;
}

/* Is the file a trace of this recording?  Then it joins the list.  False without memory. */
static bool consider(struct written_traces *traces, const char *folder, const char *name,
                     int64_t since_us)
{
    struct written_trace trace = {.path = text_format("%s%s", folder, name)};
    if (!trace.path)
        return false;
    bool read = trace_name_is_profile(name) ? read_profile(&trace, trace.path)
                                            : read_trace(&trace, trace.path);
    bool ours = read && trace.start_us >= since_us - CLOCK_SLACK_US;
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
