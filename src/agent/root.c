#include "agent/root.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"

static bool is_below(const char *root, const char *path)
{
    size_t size = strlen(root);
    if (strcmp(root, "/") == 0)
        return true;
    return strncmp(root, path, size) == 0 && (path[size] == '/' || path[size] == 0);
}

static char *join(const char *root, const char *name)
{
    if (*name == '/')
        return strdup(name);
    return text_format("%s/%s", root, name);
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

/* Of the recording NAME.ctf: is it that, or NAME.PID.ctf, NAME.PID-2.ctf? */
static bool is_part(const char *file, const char *name, size_t stem)
{
    static const char digits[] = "0123456789";
    const char *rest = file + stem;
    if (strncmp(file, name, stem) != 0)
        return false;
    size_t pid = *rest == '.' ? strspn(rest + 1, digits) : 0;
    if (pid > 0)
        rest += 1 + pid;
    size_t number = pid > 0 && *rest == '-' ? strspn(rest + 1, digits) : 0;
    if (number > 0)
        rest += 1 + number;
    return strcmp(rest, name + stem) == 0;
}

void root_remove_recording(const char *root, const char *name)
{
    const char *end = strrchr(name, '.');
    size_t stem = end ? (size_t)(end - name) : strlen(name);
    DIR *folder = opendir(root);
    struct dirent *entry;
    while (folder && (entry = readdir(folder)))
        if (is_part(entry->d_name, name, stem))
            unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder)
        closedir(folder);
}
