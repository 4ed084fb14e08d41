#include "cli/memtracer/results.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/affix.h"
#include "base/array.h"
#include "base/text.h"
#include "cli/cli.h"
#include "spec/guest_report.h"
#include "format/import/guest_report.h"

/* ---- The folder ---------------------------------------------------------------------------- */

enum { ENOUGH_BYTES = 64 << 20 };

/* A report is written to all the time: best into memory, if there is any to speak of. */
static bool has_room(const char *folder)
{
    struct statfs system;
    return access(folder, W_OK | X_OK) == 0 && statfs(folder, &system) == 0 &&
           (unsigned long long)system.f_bavail * (unsigned long long)system.f_bsize >= ENOUGH_BYTES;
}

char *results_folder_make(bool has_traces)
{
    const char *named = getenv("TMPDIR");
    const char *parents[] = {"/dev/shm", named && *named == '/' ? named : "/tmp", "/tmp"};
    char *folder = NULL;
    for (size_t i = !has_traces && has_room(parents[0]) ? 0 : 1;
         i < sizeof parents / sizeof *parents; i++) {
        if (asprintf(&folder, "%s/heaptap-guest-XXXXXX", parents[i]) < 0) {
            cli_warn("out of memory");
            return NULL;
        }
        if (mkdtemp(folder))
            return folder;
        free(folder);
    }
    cli_warn("no folder can be made for the results, in %s: %s", parents[1], strerror(errno));
    return NULL;
}

void results_folder_remove(const char *folder, bool keep_traces)
{
    DIR *directory = opendir(folder);
    struct dirent *entry;
    while (directory && (entry = readdir(directory))) {
        bool is_kept = entry->d_name[0] == '.' || (keep_traces && ends_with(entry->d_name, ".ctf"));
        char *path = is_kept ? NULL : text_format("%s/%s", folder, entry->d_name);
        if (path)
            unlink(path);
        free(path);
    }
    if (directory)
        closedir(directory);
    rmdir(folder); /* which it stays where a trace does */
}

/* ---- Finding ---------------------------------------------------------------------- */

struct found {
    char *path;
    struct guest_report_identity identity;
    int64_t began_us; /* when the first heap of its process did */
};

struct found_list {
    struct found *items;
    size_t count, capacity;
    pid_t first;
    bool quiet;
};

/* A process that could not begin left a sentence. */
static void tell_failure(const char *path, const char *name)
{
    char sentence[256] = "";
    FILE *file = fopen(path, "r");
    if (file && fgets(sentence, sizeof sentence, file))
        cli_warn("process %.*s is not watched: %s", (int)strcspn(name, "."), name, sentence);
    if (file)
        fclose(file);
}

static bool find_one(struct found_list *list, const char *folder, const char *name)
{
    struct heaptap_error error;
    char *path = text_format("%s/%s", folder, name);
    if (!path || !ARRAY_RESERVE(&list->items, &list->capacity, list->count + 1)) {
        free(path);
        return false;
    }
    struct found *found = &list->items[list->count];
    if (ends_with(name, GUEST_FAILURE_SUFFIX)) {
        if (!list->quiet)
            tell_failure(path, name);
    } else if (!ends_with(name, GUEST_REPORT_SUFFIX) || !guest_report_has_begun(path)) {
        ;
    } else if (guest_report_identify(path, &found->identity, &error) != HEAPTAP_OK) {
        if (!list->quiet)
            cli_warn("the report %s: %s", name, error.message);
    } else {
        found->path = path;
        list->count++;
        return true;
    }
    free(path);
    return true;
}

/* Heaps of one process, as long as it ran one program. */
static bool same_process(const struct found *a, const struct found *b)
{
    return a->identity.pid == b->identity.pid &&
           strcmp(a->identity.executable, b->identity.executable) == 0;
}

static int compare_numbers(int64_t x, int64_t y)
{
    return (x > y) - (x < y);
}

static int compare_processes(const void *a, const void *b)
{
    const struct guest_report_identity *x = &((const struct found *)a)->identity,
                                       *y = &((const struct found *)b)->identity;
    int order = compare_numbers((int64_t)x->pid, (int64_t)y->pid);
    order = order ? order : strcmp(x->executable, y->executable);
    return order ? order : compare_numbers(x->start_us, y->start_us);
}

static pid_t first_process; /* qsort has no context */

/* Processes in the order in which they began, the first one before all others; within one its heaps.  Children begin while others
 * do, so that their heaps' times alone would mix them. */
static int compare_found(const void *a, const void *b)
{
    const struct found *one = a, *other = b;
    const struct guest_report_identity *x = &one->identity, *y = &other->identity;
    int order = compare_numbers((pid_t)y->pid == first_process, (pid_t)x->pid == first_process);
    order = order ? order : compare_numbers(one->began_us, other->began_us);
    order = order ? order : compare_numbers((int64_t)x->pid, (int64_t)y->pid);
    order = order ? order : strcmp(x->executable, y->executable);
    order = order ? order : compare_numbers(x->heap, y->heap);
    return order ? order : compare_numbers(x->start_us, y->start_us);
}

static void sort_found(struct found_list *list)
{
    if (list->count == 0)
        return;
    qsort(list->items, list->count, sizeof *list->items, compare_processes);
    for (size_t i = 0; i < list->count; i++)
        list->items[i].began_us = i > 0 && same_process(&list->items[i - 1], &list->items[i])
                                      ? list->items[i - 1].began_us
                                      : list->items[i].identity.start_us;
    first_process = list->first;
    qsort(list->items, list->count, sizeof *list->items, compare_found);
}

static bool find_all(struct found_list *list, const char *folder)
{
    DIR *directory = opendir(folder);
    struct dirent *entry;
    bool found = true;
    while (directory && found && (entry = readdir(directory)))
        if (entry->d_name[0] != '.')
            found = find_one(list, folder, entry->d_name);
    if (directory)
        closedir(directory);
    sort_found(list);
    return found;
}

/* ---- Reading ---------------------------------------------------------------------- */

static bool read_found(struct results *results, const struct found_list *list)
{
    results->processes = calloc(list->count + 1, sizeof *results->processes);
    if (!results->processes)
        return false;
    for (size_t i = 0; i < list->count; i++) {
        struct heaptap_error error;
        if (i == 0 || !same_process(&list->items[i - 1], &list->items[i]))
            if (!guest_profile_init(&results->processes[results->count++]))
                return false;
        enum heaptap_status status =
            guest_report_read(&results->processes[results->count - 1], list->items[i].path, &error);
        if (status == HEAPTAP_NO_MEMORY)
            return false;
        if (status != HEAPTAP_OK && !list->quiet)
            cli_warn("the report of process %llu: %s",
                     (unsigned long long)list->items[i].identity.pid, error.message);
    }
    return true;
}

bool results_read(struct results *results, const char *folder, pid_t first, bool quiet)
{
    struct found_list list = {.first = first, .quiet = quiet};
    *results = (struct results){0};
    bool read = find_all(&list, folder) && read_found(results, &list);
    for (size_t i = 0; i < list.count; i++)
        free(list.items[i].path);
    free(list.items);
    if (!read)
        cli_warn("out of memory");
    return read;
}

void results_release(struct results *results)
{
    for (size_t i = 0; i < results->count; i++)
        guest_profile_release(&results->processes[i]);
    free(results->processes);
}
