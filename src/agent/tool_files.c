/* files: recordings and profiles below the root. */
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "agent/tool.h"

enum { FILES_MOST = 200, DEPTH_MOST = 6 };

static const char *const endings[] = {".ctf",  ".ctf.gz",      ".ctf.zst", ".pb.gz", ".pb", ".heap",
                                      ".prof", ".heapprofile", ".folded",  ".gz",    ".zst"};

static bool is_recording(const char *name)
{
    size_t size = strlen(name);
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        size_t length = strlen(endings[i]);
        if (size > length && strcmp(name + size - length, endings[i]) == 0)
            return true;
    }
    return false;
}

static json_t *schema(const struct agent_options *options)
{
    (void)options;
    return tool_schema(json_object(), "");
}

static int compare(const FTSENT **left, const FTSENT **right)
{
    return strcmp((*left)->fts_name, (*right)->fts_name);
}

/* Folders that begin with a dot, links and what is too deep are left out. */
static bool is_skipped(const FTSENT *entry)
{
    return entry->fts_level > DEPTH_MOST || (entry->fts_level > 0 && *entry->fts_name == '.');
}

static size_t list(FTS *walk, size_t root, json_t *files)
{
    size_t count = 0;
    for (FTSENT *entry; (entry = fts_read(walk));) {
        if (entry->fts_info == FTS_D && is_skipped(entry)) {
            fts_set(walk, entry, FTS_SKIP);
        } else if (entry->fts_info == FTS_F && is_recording(entry->fts_name) &&
                   count++ < FILES_MOST) {
            const char *path = entry->fts_path + root;
            json_array_append_new(files,
                                  json_pack("{s:s,s:I,s:I}", "file", path + (*path == '/'), "bytes",
                                            (json_int_t)entry->fts_statp->st_size, "modified",
                                            (json_int_t)entry->fts_statp->st_mtime));
        }
    }
    return count;
}

static bool begin(struct call *call)
{
    char *roots[] = {(char *)call->options->root, NULL};
    json_t *files = json_array();
    FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, compare);
    size_t root = strcmp(call->options->root, "/") == 0 ? 0 : strlen(call->options->root);
    size_t count = walk ? list(walk, root, files) : 0;
    if (walk)
        fts_close(walk);
    words_add(&call->command, "heaptap");
    call->result =
        tool_result(call, json_pack("{s:o,s:I}", "files", files, "count", (json_int_t)count), NULL);
    json_object_del(call->result, "command");
    return true;
}

const struct tool tool_files = {
    .name = "files",
    .title = "List recordings",
    .description = "Recordings and profiles below the root, with their sizes and times.",
    .schema = schema,
    .begin = begin,
};
