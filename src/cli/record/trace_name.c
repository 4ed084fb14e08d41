#include "cli/record/trace_name.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/path.h"
#include "heaptap/trace.h"
#include "pprof/read/profile.h"

/* The recorder and this program may read the clock in different ways. */
enum { CLOCK_SLACK_US = 20000 };

static bool ends_with(const char *text, const char *ending)
{
    size_t size = strlen(text), of_ending = strlen(ending);
    return size > of_ending && strcmp(text + size - of_ending, ending) == 0;
}

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
    const char *last = path_file(pattern);
    const char *dot = strrchr(last, '.');
    if (ends_with(last, ".pb.gz"))
        dot = last + strlen(last) - strlen(".pb.gz");
    return match(last, name, dot && dot > last ? dot : last + strlen(last));
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
    struct pprof *pprof;
    if (input_open(&input, path, NULL) != HEAPTAP_OK)
        return false;
    enum heaptap_status status = pprof_read(&pprof, input, NULL);
    input_close(input);
    if (status != HEAPTAP_OK)
        return false;
    trace->is_profile = true;
    trace->is_empty = pprof->sample_count == 0;
    trace->start_us = pprof->time_ns / 1000;
    trace->executable = strdup(pprof->mapping_count > 0 ? pprof->mappings[0].file : "");
    for (size_t i = 0; i < pprof->comment_count; i++)
        if (strncmp(pprof->comments[i], "pid: ", 5) == 0)
            trace->pid = strtoull(pprof->comments[i] + 5, NULL, 10);
    pprof_free(pprof);
    return true;
}

/* Is the file a trace of this recording?  Then it joins the list.  False without memory. */
static bool consider(struct written_traces *traces, const char *folder, const char *name,
                     int64_t since_us)
{
    struct written_trace trace = {0};
    if (asprintf(&trace.path, "%s%s", folder, name) < 0)
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
