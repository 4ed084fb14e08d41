#include "agent/root.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

static bool is_below(const char *root, const char *path)
{
    size_t size = strlen(root);
    if (strcmp(root, "/") == 0)
        return true;
    return strncmp(root, path, size) == 0 && (path[size] == '/' || path[size] == 0);
}

static char *join(const char *root, const char *name)
{
    char *path;
    if (*name == '/')
        return strdup(name);
    return asprintf(&path, "%s/%s", root, name) < 0 ? NULL : path;
}

static char *refuse(struct heaptap_error *error, const char *what, const char *name)
{
    error_set(error, HEAPTAP_BAD_ARGUMENT, what, name);
    return NULL;
}

char *root_file(const char *root, const char *name, struct heaptap_error *error)
{
    struct stat about;
    char *path = join(root, name), *real = path ? realpath(path, NULL) : NULL;
    int failure = errno;
    free(path);
    if (real && is_below(root, real) && stat(real, &about) == 0 && S_ISREG(about.st_mode))
        return real;
    bool is_outside = real && !is_below(root, real);
    free(real);
    if (is_outside || (!real && failure == EACCES))
        return refuse(error, "'%.200s' is outside the folder whose files may be read", name);
    return refuse(error, "there is no file '%.200s'; the tool `files` lists those there are", name);
}

char *root_new_file(const char *root, const char *name, struct heaptap_error *error)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    if (!*name || *name == '.' || *name == '-' || name[strspn(name, letters)])
        return refuse(
            error, "'%.200s' is no name for a recording: letters, digits, . _ and - may be in it",
            name);
    char *path = join(root, name);
    if (path && access(path, F_OK) == 0) {
        free(path);
        return refuse(error, "'%.200s' is there already: give the recording another name", name);
    }
    if (!path)
        error_no_memory(error);
    return path;
}
