#include "cli/source_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"

enum { SIZE_MAX_BYTES = 64 << 20 };

/* ---- Reading ------------------------------------------------------------------------- */

static bool read_bytes(int fd, char *bytes, size_t size)
{
    size_t done = 0;
    while (done < size) {
        ssize_t got = read(fd, bytes + done, size - done);
        if (got <= 0)
            return false;
        done += (size_t)got;
    }
    return true;
}

/* The bytes of a regular file, ended by a 0. */
static char *load(const char *path)
{
    struct stat about;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    char *bytes = NULL;
    if (fd >= 0 && fstat(fd, &about) == 0 && S_ISREG(about.st_mode) &&
        about.st_size <= SIZE_MAX_BYTES && (bytes = malloc((size_t)about.st_size + 1))) {
        if (read_bytes(fd, bytes, (size_t)about.st_size)) {
            bytes[about.st_size] = 0;
        } else {
            free(bytes);
            bytes = NULL;
        }
    }
    if (fd >= 0)
        close(fd);
    return bytes;
}

static bool split(struct source_file *file)
{
    for (char *at = file->bytes; *at;) {
        if (!ARRAY_RESERVE(&file->lines, &file->capacity, file->count + 1))
            return false;
        file->lines[file->count++] = at;
        char *end = strchr(at, '\n');
        at = end ? end + 1 : at + strlen(at);
        if (end)
            *end = 0;
        if (end && end > file->lines[file->count - 1] && end[-1] == '\r')
            end[-1] = 0;
    }
    return true;
}

/* ---- Looking ------------------------------------------------------------------------- */

/* Folders that may be read, without links in their names. */
struct folders {
    char **items;
    size_t count, capacity;
};

static void folders_release(struct folders *folders)
{
    for (size_t i = 0; i < folders->count; i++)
        free(folders->items[i]);
    free(folders->items);
}

/* A folder that is not there is none. */
static bool add_folder(struct folders *folders, const char *path)
{
    char *real = realpath(path, NULL);
    if (!real)
        return errno != ENOMEM;
    if (!ARRAY_RESERVE(&folders->items, &folders->capacity, folders->count + 1)) {
        free(real);
        return false;
    }
    folders->items[folders->count++] = real;
    return true;
}

static bool add_folders(struct folders *folders, const char *list, bool is_strict)
{
    char *copy = strdup(list), *rest = NULL;
    bool done = copy;
    for (char *at = strtok_r(copy, ":", &rest); at && done; at = strtok_r(NULL, ":", &rest))
        done = add_folder(folders, at);
    free(copy);
    return done && (is_strict || add_folder(folders, "."));
}

static bool is_below(const char *path, const char *folder)
{
    size_t size = strlen(folder);
    size -= size == 1; /* the root */
    return strncmp(path, folder, size) == 0 && path[size] == '/';
}

/* Opens what `path` leads to, when that is below one of the folders. */
static bool try_path(struct source_file *file, const struct folders *folders, const char *path)
{
    char *real = realpath(path, NULL);
    bool may_read = false;
    for (size_t i = 0; real && i < folders->count; i++)
        may_read |= is_below(real, folders->items[i]);
    file->bytes = may_read ? load(real) : NULL;
    file->path = file->bytes ? strdup(path) : NULL;
    free(real);
    return file->bytes;
}

static bool try_below(struct source_file *file, const struct folders *folders, const char *folder,
                      const char *name)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/%s", folder, name);
    return length > 0 && length < PATH_MAX && try_path(file, folders, path);
}

/* Below the folder, the name; then the end of it that begins behind each of its slashes. */
static bool try_ends(struct source_file *file, const struct folders *folders, const char *folder,
                     const char *name)
{
    for (const char *end = name; end; end = strchr(end, '/')) {
        end += *end == '/';
        if (*end && try_below(file, folders, folder, end))
            return true;
    }
    return false;
}

bool source_file_open(struct source_file *file, const char *name, const char *list, bool is_strict)
{
    struct folders folders = {0};
    *file = (struct source_file){0};
    bool found = *name && add_folders(&folders, list, is_strict) && *name == '/' &&
                 try_path(file, &folders, name);
    for (size_t i = 0; *name && !found && i < folders.count; i++)
        found = try_ends(file, &folders, folders.items[i], name);
    folders_release(&folders);
    if (found && split(file))
        return true;
    source_file_release(file);
    return false;
}

void source_file_release(struct source_file *file)
{
    free(file->path);
    free(file->bytes);
    free(file->lines);
    *file = (struct source_file){0};
}
