#include "cli/input_files.h"

#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/error.h"
#include "cli/cli.h"
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

static bool add(struct input_files *files, const char *path, struct heaptap_error *error)
{
    if (!ARRAY_RESERVE(&files->paths, &files->capacity, files->count + 1))
        return error_no_memory(error), false;
    files->paths[files->count++] = path;
    return true;
}

static bool add_folder(struct input_files *files, const char *folder, struct heaptap_error *error)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, NULL, alphasort);
    enum kind best = KIND_PROFILE;
    size_t first = files->count;
    bool done = count >= 0;
    if (!done)
        error_system(error, "cannot read the folder");
    for (int i = 0; i < count; i++) {
        const char *path = input_text(
            "%s%s%s", folder, folder[strlen(folder) - 1] == '/' ? "" : "/", entries[i]->d_name);
        enum kind kind = done ? kind_of(path) : KIND_NONE;
        if (kind > best) {
            best = kind;
            files->count = first;
        }
        if (kind == best)
            done = add(files, path, error);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    if (done && files->count == first)
        error_set(error, HEAPTAP_SYSTEM, "this folder has no traces and no profiles");
    return done && files->count > first;
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
    return done;
}

void input_files_release(struct input_files *files)
{
    free(files->paths);
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
