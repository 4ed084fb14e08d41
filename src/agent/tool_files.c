/* files: recordings and profiles below the root. */
#include <fts.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "agent/tool.h"
#include "base/plain.h"
#include "base/units.h"

enum { FILES_MOST = 200, DEPTH_MOST = 6 };

/* How names of recordings end; those of profiles, in which there are no single blocks, first. */
enum { PROFILE_ENDINGS = 6 };
static const char *const endings[] = {".pb.gz",  ".pb",  ".heap", ".prof", ".heapprofile",
                                      ".folded", ".ctf", ".gz",   ".zst"};

static bool ends_in_one(const char *name, size_t count)
{
    size_t size = strlen(name);
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(endings[i]);
        if (size > length && strcmp(name + size - length, endings[i]) == 0)
            return true;
    }
    return false;
}

static bool is_recording(const char *name)
{
    return ends_in_one(name, sizeof endings / sizeof endings[0]);
}

bool tool_files_is_profile(const char *name)
{
    return ends_in_one(name, PROFILE_ENDINGS);
}

static const struct argument arguments[] = {ARGUMENT_OF_JSON, {NULL}};

static int compare(const FTSENT **left, const FTSENT **right)
{
    return strcmp((*left)->fts_name, (*right)->fts_name);
}

/* Folders that begin with a dot, links and what is too deep are left out. */
static bool is_skipped(const FTSENT *entry)
{
    return entry->fts_level > DEPTH_MOST || (entry->fts_level > 0 && *entry->fts_name == '.');
}

/* "a.ctf  138 MB  2026-11-26 08:40" */
static void say(struct call *call, const char *name, const struct stat *about)
{
    char line[PATH_MAX + 80], size[UNITS_TEXT_BYTES], time[32] = "";
    struct tm local;
    if (localtime_r(&about->st_mtime, &local))
        strftime(time, sizeof time, "%F %R", &local);
    int length = snprintf(line, sizeof line, "%s  %s  %s", plain(name),
                          units_bytes(size, (double)about->st_size), time);
    call_quote(call, line, (size_t)length < sizeof line ? (size_t)length : sizeof line - 1);
}

static void list(struct call *call, FTS *walk, size_t root, json_t *files)
{
    size_t count = 0;
    for (FTSENT *entry; (entry = fts_read(walk));) {
        if (entry->fts_info == FTS_D && is_skipped(entry)) {
            fts_set(walk, entry, FTS_SKIP);
        } else if (entry->fts_info == FTS_F && is_recording(entry->fts_name) &&
                   count++ < FILES_MOST) {
            const char *name = entry->fts_path + root;
            name += *name == '/';
            say(call, name, entry->fts_statp);
            json_array_append_new(files, json_pack("{s:s,s:I}", "file", plain(name), "bytes",
                                                   (json_int_t)entry->fts_statp->st_size));
        }
    }
    if (count > FILES_MOST)
        call_say(call, "(%zu more)", count - FILES_MOST);
    if (count == 0)
        call_say(call, "There are no recordings below the root: `diagnose` or `record` makes one.");
}

static bool begin(struct call *call)
{
    char *roots[] = {(char *)call->options->root, NULL};
    json_t *files = json_array();
    FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, compare);
    size_t root = strcmp(call->options->root, "/") == 0 ? 0 : strlen(call->options->root);
    call->text_budget = call->options->budget;
    if (walk) {
        list(call, walk, root, files);
        fts_close(walk);
    }
    call->step = CALL_DONE;
    if (call_wants_json(call))
        call->result = json_pack("{s:{s:o}}", "answer", "files", files);
    else
        json_decref(files);
    return true;
}

const struct tool tool_files = {
    .name = "files",
    .title = "List recordings",
    .description = "Recordings and profiles below the root, with their sizes and times.",
    .arguments = arguments,
    .begin = begin,
};
