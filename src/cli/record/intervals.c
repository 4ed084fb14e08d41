#include "cli/record/intervals.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/temporary.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/record/kept.h"
#include "cli/record/kept_folder.h"
#include "cli/record/running.h"
#include "pprof/read/profile.h"

/* A file of the folder: of an interval, or, with number 0, of a process. */
struct found {
    char process[INTERVAL_NAME_MAX + 1];
    unsigned long number;
};

/* ---- The folder --------------------------------------------------------------------- */

enum { ROOM_BYTES = 1 << 16 };

/* Without room there, every profile would be lost.  Some file systems don't tell how much they have. */
static bool has_room(const char *folder)
{
    struct statvfs disk;
    if (statvfs(folder, &disk) != 0 || disk.f_blocks == 0)
        return true;
    fsblkcnt_t blocks = geteuid() == 0 ? disk.f_bfree : disk.f_bavail;
    return blocks >= ROOM_BYTES / disk.f_frsize;
}

enum heaptap_status intervals_begin(struct intervals *intervals, struct heaptap_error *error)
{
    char name[PATH_MAX];
    if (!temporary_folder(name))
        return error_system(error, "cannot make a folder for what is recorded");
    if (!has_room(name)) {
        temporary_folder_remove(name);
        return error_set(
            error, HEAPTAP_SYSTEM,
            "%.300s: %s; profiles are put together there: name a folder that has room with TMPDIR=",
            temporary_place(), strerror(ENOSPC));
    }
    kept_own_folder(name);
    intervals->folder = strdup(name);
    return intervals->folder ? HEAPTAP_OK : error_no_memory(error);
}

char *intervals_pattern(const struct intervals *intervals)
{
    char *pattern = malloc(2 * strlen(intervals->folder) + sizeof "/%p.pb"), *to = pattern;
    for (const char *at = intervals->folder; pattern && *at; at++) {
        if (*at == '%')
            *to++ = '%';
        *to++ = *at;
    }
    if (pattern)
        strcpy(to, "/%p.pb");
    return pattern;
}

static char *path_of(const struct intervals *intervals, const struct found *found)
{
    return found->number
               ? text_format("%s/%s.%lu", intervals->folder, found->process, found->number)
               : text_format("%s/%s", intervals->folder, found->process);
}

/* Is it a name as the recorder makes them?  A file that is just being written is not. */
static bool parse_name(struct found *found, const char *name)
{
    const char *end = strstr(name, ".pb");
    char *rest = NULL;
    if (!end || *name < '0' || *name > '9' || end - name + 3 > INTERVAL_NAME_MAX)
        return false;
    size_t size = (size_t)(end - name) + 3;
    memcpy(found->process, name, size);
    found->process[size] = 0;
    found->number = name[size] == '.' ? strtoul(name + size + 1, &rest, 10) : 0;
    return name[size] == 0 || (rest && *rest == 0 && found->number > 0);
}

static int compare(const void *left, const void *right)
{
    const struct found *a = left, *b = right;
    int names = strcmp(a->process, b->process);
    return names ? names : (a->number > b->number) - (a->number < b->number);
}

static bool list(const struct intervals *intervals, struct found **found, size_t *count)
{
    size_t capacity = 0;
    struct found one;
    struct dirent *entry;
    DIR *folder = opendir(intervals->folder);
    bool done = true;
    *found = NULL;
    *count = 0;
    while (folder && done && (entry = readdir(folder))) {
        if (!parse_name(&one, entry->d_name))
            continue;
        done = ARRAY_RESERVE(found, &capacity, *count + 1);
        if (done)
            (*found)[(*count)++] = one;
    }
    if (folder)
        closedir(folder);
    if (*count > 0)
        qsort(*found, *count, sizeof **found, compare);
    return done;
}

/* ---- Processes ---------------------------------------------------------------------- */

/* An exec does not change it. */
static unsigned number_of(const struct intervals *intervals, pid_t pid)
{
    for (size_t i = 0; i < intervals->count; i++)
        if (intervals->processes[i]->pid == pid)
            return intervals->processes[i]->number;
    for (unsigned number = 1;; number++) {
        bool taken = false;
        for (size_t i = 0; i < intervals->count && !taken; i++)
            taken = intervals->processes[i]->number == number;
        if (!taken)
            return number;
    }
}

/* NULL when there is no memory. */
static struct interval_process *process_of(struct intervals *intervals, const char *name)
{
    for (size_t i = 0; i < intervals->count; i++)
        if (strcmp(intervals->processes[i]->name, name) == 0)
            return intervals->processes[i];
    struct interval_process *process = calloc(1, sizeof *process);
    if (!process ||
        !ARRAY_RESERVE(&intervals->processes, &intervals->capacity, intervals->count + 1)) {
        free(process);
        return NULL;
    }
    strcpy(process->name, name);
    process->pid = (pid_t)strtol(name, NULL, 10);
    process->number = number_of(intervals, process->pid);
    intervals->processes[intervals->count++] = process;
    return process;
}

static bool is_running(const struct intervals *intervals, const struct interval_process *process)
{
    char kept[PATH_MAX];
    bool is_kept =
        kept_in_folder(kept, intervals->folder, process->name) && access(kept, F_OK) == 0;
    return process_is_writing(process->pid, is_kept ? kept : NULL, true);
}

static void forget(struct intervals *intervals, size_t index)
{
    struct found found = {.number = 0};
    strcpy(found.process, intervals->processes[index]->name);
    char *path = path_of(intervals, &found);
    if (path)
        unlink(path);
    free(path);
    known_places_release(&intervals->processes[index]->lines.places);
    free(intervals->processes[index]);
    intervals->count--;
    memmove(&intervals->processes[index], &intervals->processes[index + 1],
            (intervals->count - index) * sizeof *intervals->processes);
}

/* ---- Profiles ----------------------------------------------------------------------- */

static enum heaptap_status read_profile(struct interval *interval, const char *path,
                                        struct heaptap_error *error)
{
    struct input *input;
    enum heaptap_status status = input_open(&input, path, error);
    if (status != HEAPTAP_OK)
        return status;
    status = pprof_read(&interval->model, input, error);
    input_close(input);
    return status;
}

static enum heaptap_status give_names(struct intervals *intervals, struct interval_process *process,
                                      struct interval *interval)
{
    bool left;
    enum heaptap_status status = known_lines_give(&process->lines, &interval->model,
                                                  intervals->symbols, &left, &interval->error);
    if (left && !intervals->are_unnamed)
        cli_warn(
            "names could not be looked up: the process that did this ended early; profiles have addresses");
    intervals->are_unnamed |= left;
    return status;
}

static bool take(struct intervals *intervals, const struct found *found)
{
    struct interval_process *process = process_of(intervals, found->process);
    char *path = process && found->number ? path_of(intervals, found) : NULL;
    if (!path)
        return process && !found->number;
    struct interval interval = {.process = process, .number = found->number};
    enum heaptap_status status = read_profile(&interval, path, &interval.error);
    unlink(path);
    intervals->met += !process->has_profiles;
    process->has_profiles = true;
    process->last = found->number;
    if (status == HEAPTAP_OK && intervals->symbols && !intervals->are_unnamed)
        status = give_names(intervals, process, &interval);
    interval.error.status = status;
    interval.program = status == HEAPTAP_OK && interval.model->module_count > 0
                           ? interval.model->modules[0].path
                           : "";
    intervals->take(intervals->context, &interval);
    model_free(interval.model);
    free(path);
    return true;
}

/* Of a process that has ended. */
static bool take_rest(struct intervals *intervals, const struct interval_process *process)
{
    struct found found = {.number = 0};
    uint64_t number;
    strcpy(found.process, process->name);
    char *path = path_of(intervals, &found);
    bool done = path;
    if (done && kept_save_interval(path, process->last, clock_us(CLOCK_REALTIME), &number) &&
        number > 0) {
        found.number = (unsigned long)number;
        done = take(intervals, &found);
    }
    free(path);
    return done;
}

bool intervals_collect(struct intervals *intervals)
{
    struct found *found;
    size_t count;
    size_t known = intervals->count;
    bool *ended = calloc(known + 1, sizeof *ended);
    for (size_t i = 0; ended && i < known; i++) /* before the look at what they have left */
        ended[i] = !is_running(intervals, intervals->processes[i]);
    bool done = list(intervals, &found, &count) && ended;
    for (size_t i = 0; i < count && done; i++)
        done = take(intervals, &found[i]);
    for (size_t i = 0; i < known && done; i++)
        if (ended[i])
            done = take_rest(intervals, intervals->processes[i]);
    for (size_t i = known; i-- > 0 && done;)
        if (ended[i])
            forget(intervals, i);
    free(found);
    free(ended);
    return done;
}

size_t intervals_end(struct intervals *intervals, pid_t ended)
{
    size_t running = 0;
    while (intervals->count > 0) {
        const struct interval_process *process = intervals->processes[intervals->count - 1];
        running += process->pid != ended && is_running(intervals, process);
        forget(intervals, intervals->count - 1);
    }
    free(intervals->processes);
    if (intervals->folder)
        temporary_folder_remove(intervals->folder);
    free(intervals->folder);
    intervals->folder = NULL;
    intervals->processes = NULL;
    return running;
}
