#include "cli/input_files.h"

#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/affix.h"
#include "base/array.h"
#include "base/error.h"
#include "base/same_file.h"
#include "cli/cli.h"
#include "cli/lack.h"
#include "format/import/file_format.h"

/* ---- Texts --------------------------------------------------------------------------- */

static struct made_text {
    struct made_text *before;
    char *text;
} * made_texts;

const char *input_text(const char *format, ...)
{
    struct made_text *made = malloc(sizeof *made);
    va_list arguments;
    va_start(arguments, format);
    if (!made || vasprintf(&made->text, format, arguments) < 0)
        exit(cli_out_of_memory());
    va_end(arguments);
    made->before = made_texts;
    made_texts = made;
    return made->text;
}

/* ---- The same file twice --------------------------------------------------------------- */

bool input_status(const char *path, struct stat *status)
{
    return (strcmp(path, "-") == 0 ? fstat(STDIN_FILENO, status) : stat(path, status)) == 0;
}

/* What a file is whatever it is called, as standard input, too.  All of what else that may be is one; other pipes and devices are none
 * that could be read twice. */
struct input_identity {
    struct stat status;
    bool is_file, is_standard_input;
};

static struct input_identity identity_of(const char *path)
{
    struct input_identity identity = {.is_standard_input = strcmp(path, "-") == 0};
    identity.is_file = input_status(path, &identity.status) && S_ISREG(identity.status.st_mode);
    return identity;
}

static bool is_same(const struct input_identity *a, const struct input_identity *b)
{
    return (a->is_standard_input && b->is_standard_input) ||
           (a->is_file && b->is_file && same_file(&a->status, &b->status));
}

/* Notes it if so. */
static bool is_repeated(struct input_files *files, const char *path,
                        const struct input_identity *identity)
{
    for (size_t i = 0; i < files->count; i++)
        if (is_same(&files->identities[i], identity)) {
            if (files->repeats++ == 0) {
                files->repeated = path;
                files->repeated_as = files->paths[i];
            }
            return true;
        }
    return false;
}

static void note_repeats(const struct input_files *files)
{
    static bool is_said;
    const char *path = files->repeated;
    if (files->repeats == 0 || is_said)
        return;
    is_said = true;
    const char *what =
        strcmp(path, files->repeated_as) == 0
            ? "is named more than once, and counts once"
            : input_text("is the same file as %s, and counts once", files->repeated_as);
    lack_remark(strcmp(path, "-") == 0 ? "standard input" : path,
                files->repeats == 1
                    ? what
                    : input_text("%s; the same holds for %zu more", what, files->repeats - 1));
}

/* ---- Folders ------------------------------------------------------------------------- */

enum kind { KIND_NONE, KIND_PROFILE, KIND_TRACE };

static enum kind kind_of(const char *path)
{
    enum { SHORTEST = 4 };
    struct stat status;
    struct input *file;
    const struct file_format *format;
    enum kind kind = KIND_NONE;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size < SHORTEST ||
        input_open(&file, path, NULL) != HEAPTAP_OK)
        return KIND_NONE;
    if (file_format_find(&format, file, NULL) == HEAPTAP_OK && format && !format->is_guess)
        kind = file_format_is_of_events(format) ? KIND_TRACE : KIND_PROFILE;
    input_close(file);
    return kind;
}

bool input_is_trace(const char *path)
{
    return kind_of(path) == KIND_TRACE;
}

static bool add(struct input_files *files, const char *path, struct heaptap_error *error)
{
    struct input_identity identity = identity_of(path);
    if (is_repeated(files, path, &identity))
        return true;
    if (!ARRAY_RESERVE(&files->paths, &files->capacity, files->count + 1) ||
        !ARRAY_RESERVE(&files->identities, &files->identity_capacity, files->count + 1))
        return error_no_memory(error), false;
    files->identities[files->count] = identity;
    files->paths[files->count++] = path;
    return true;
}

/* Is it called as a trace is, and yet is none: emptied, damaged, or not to be read? */
static bool is_lost_trace(const char *path)
{
    struct stat status;
    return (ends_alike(path, ".ctf") || ends_alike(path, ".ctf.gz") ||
            ends_alike(path, ".ctf.zst")) &&
           stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

/* Of a folder, which is said once. */
static void note_lost(const char *path, size_t more)
{
    static bool is_said;
    if (!is_said)
        lack_say(
            path,
            more == 0
                ? "it is called like a trace, and is none that can be read: it is left out"
                : input_text(
                      "it is called like a trace, and is none that can be read: it is left out; so are %zu more",
                      more));
    is_said = true;
}

static bool add_folder(struct input_files *files, const char *folder, struct heaptap_error *error)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, NULL, alphasort);
    enum kind best = KIND_PROFILE;
    size_t first = files->count, repeats = files->repeats;
    bool done = count >= 0, is_found = false;
    const char *lost = NULL;
    size_t lost_count = 0;
    if (!done)
        error_system(error, "cannot read the folder");
    for (int i = 0; i < count; i++) {
        const char *path = input_text(
            "%s%s%s", folder, folder[strlen(folder) - 1] == '/' ? "" : "/", entries[i]->d_name);
        enum kind kind = done ? kind_of(path) : KIND_NONE;
        if (kind == KIND_NONE && is_lost_trace(path)) {
            lost = lost ? lost : path;
            lost_count++;
        }
        if (kind > best) {
            best = kind;
            files->count = first;
            files->repeats = repeats;
        }
        if (kind == best)
            done = is_found = add(files, path, error);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    if (done && !is_found)
        error_set(error, HEAPTAP_SYSTEM, "this folder has no traces and no profiles");
    else if (lost && best == KIND_TRACE)
        note_lost(lost, lost_count - 1);
    files->lost += best == KIND_TRACE ? lost_count : 0;
    return done && is_found;
}

static bool is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* ---- The whole ----------------------------------------------------------------------- */

bool input_files_find(struct input_files *files, const struct input_names *names,
                      struct heaptap_error *error)
{
    bool done = true;
    *files = (struct input_files){0};
    for (size_t i = 0; done && i <= names->more_count; i++) {
        const char *path = i == 0 ? names->path : names->more[i - 1];
        done = !names->is_one && is_folder(path) ? add_folder(files, path, error)
                                                 : add(files, path, error);
    }
    if (done && !names->is_known)
        note_repeats(files);
    return done;
}

void input_files_release(struct input_files *files)
{
    free(files->paths);
    free(files->identities);
}

uint64_t input_files_bytes(const struct input_names *names)
{
    struct input_files files;
    struct stat status;
    uint64_t sum = 0;
    bool done = input_files_find(&files, names, NULL);
    for (size_t i = 0; done && i < files.count; i++) {
        done = stat(files.paths[i], &status) == 0 && S_ISREG(status.st_mode);
        sum += done ? (uint64_t)status.st_size : 0;
    }
    input_files_release(&files);
    return done ? sum : 0;
}
