#include "cli/source_file.h"

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

static bool try(struct source_file *file, const char *path)
{
    file->bytes = load(path);
    file->path = file->bytes ? strdup(path) : NULL;
    return file->bytes;
}

/* ---- Looking ------------------------------------------------------------------------- */

static bool try_below(struct source_file *file, const char *folder, size_t size, const char *name)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%.*s/%s", (int)size, folder, name);
    return length > 0 && length < PATH_MAX && try(file, path);
}

/* Below the folder, then below its parents. */
static bool try_up(struct source_file *file, const char *folder, const char *name)
{
    char *real = realpath(folder, NULL);
    bool found = false;
    for (size_t size = real ? strlen(real) : 0; real && !found; size--) {
        if (size == 0 || real[size] == '/' || real[size] == 0)
            found = try_below(file, real, size, name);
        if (size == 0)
            break;
    }
    free(real);
    return found;
}

/* Below the folder, the end of the name that begins behind each of its slashes. */
static bool try_ends(struct source_file *file, const char *folder, const char *name)
{
    for (const char *end = strchr(name, '/'); end; end = strchr(end + 1, '/'))
        if (end[1] && try_below(file, folder, strlen(folder), end + 1))
            return true;
    return false;
}

static bool search(struct source_file *file, const char *name, char *folders)
{
    char *rest = NULL;
    bool found = false;
    for (char *at = strtok_r(folders, ":", &rest); at && !found; at = strtok_r(NULL, ":", &rest))
        found = (*name != '/' && try_up(file, at, name)) || try_ends(file, at, name);
    return found;
}

bool source_file_open(struct source_file *file, const char *name, const char *folders)
{
    *file = (struct source_file){0};
    char *copy = strdup(folders);
    bool found = *name && copy && ((*name == '/' && try(file, name)) || search(file, name, copy));
    free(copy);
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
