#include "cli/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/affix.h"
#include "base/same_file.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/given_files.h"
#include "cli/input_files.h"

/* ---- Interruption: a file that isn't complete does not stay behind. ------------------ */

static const char *volatile unfinished; /* NULL while there is none */

static void remove_unfinished(int signal_number)
{
    if (unfinished)
        unlink(unfinished);
    raise(signal_number); /* the handler is reset: this one ends the process */
}

static void watch_signals(void)
{
    static const int signals[] = {SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
    struct sigaction action = {.sa_handler = remove_unfinished, .sa_flags = (int)SA_RESETHAND};
    struct sigaction before;
    for (unsigned i = 0; i < sizeof signals / sizeof *signals; i++)
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(signals[i], &action, NULL);
}

/* ---- Opening ------------------------------------------------------------------------ */

static int open_standard_output(struct output_file *file)
{
    if (isatty(STDOUT_FILENO))
        return ENOTTY;
    file->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    return file->fd < 0 ? errno : 0;
}

static int open_in_place(struct output_file *file, const char *path)
{
    file->fd = open(path, O_WRONLY | O_TRUNC | O_NOCTTY | O_CLOEXEC);
    if (file->fd < 0)
        return errno;
    if (!isatty(file->fd))
        return 0;
    close(file->fd);
    file->fd = -1;
    return ENOTTY;
}

/* "dir/.heaptap-XXXXXX" beside the target; NULL when there is no memory. */
static char *temporary_name(const char *target)
{
    const char *slash = strrchr(target, '/');
    return text_format("%.*s.heaptap-XXXXXX", slash ? (int)(slash + 1 - target) : 0, target);
}

static mode_t usual_mode(void)
{
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

static int open_beside(struct output_file *file, mode_t mode)
{
    file->temporary = temporary_name(file->target);
    if (!file->temporary)
        return ENOMEM;
    file->fd = mkostemp(file->temporary, O_CLOEXEC);
    if (file->fd < 0)
        return errno;
    unfinished = file->temporary;
    watch_signals();
    return fchmod(file->fd, mode) != 0 ? errno : 0;
}

/* Under these, names of regular files are names of open descriptors: /dev/stdout. */
static bool names_descriptor(const char *path)
{
    return begins_with(path, "/dev/") || begins_with(path, "/proc/");
}

/* A database of SQLite whose header names the application: what a fleet has sent can't be made again. */
static bool is_store(const char *path)
{
    enum { ID_OFFSET = 68 };
    char head[ID_OFFSET + 4];
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    ssize_t size = fd >= 0 ? read(fd, head, sizeof head) : -1;
    if (fd >= 0)
        close(fd);
    return size == sizeof head && begins_with(head, "SQLite format 3") &&
           memcmp(head + ID_OFFSET, "htfl", 4) == 0;
}

static int open_path(struct output_file *file, const char *path)
{
    struct stat now;
    bool exists = stat(path, &now) == 0;
    if (exists && (!S_ISREG(now.st_mode) || names_descriptor(path)))
        return open_in_place(file, path);
    if (exists && is_store(path))
        return EMEDIUMTYPE;
    if (!exists && errno != ENOENT)
        return errno;
    if (exists && access(path, W_OK) != 0)
        return errno;
    file->target = exists ? realpath(path, NULL) : strdup(path);
    if (!file->target)
        return errno;
    return open_beside(file, exists ? now.st_mode & 0777 : usual_mode());
}

int output_file_spares(const char *path)
{
    return given_files_have(path) ? ENOTUNIQ : input_is_trace(path) ? EEXIST : 0;
}

int output_file_open(struct output_file *file, const char *path)
{
    *file = (struct output_file){.fd = -1};
    int code = output_file_spares(path);
    return code ? code : output_file_open_over(file, path);
}

int output_file_open_over(struct output_file *file, const char *path)
{
    *file = (struct output_file){.fd = -1};
    int code = strcmp(path, "-") == 0 ? open_standard_output(file) : open_path(file, path);
    if (code) {
        if (file->fd < 0) { /* mkostemp made nothing */
            free(file->temporary);
            file->temporary = NULL;
        }
        output_file_release(file);
    }
    return code;
}

/* ---- What is wrong ------------------------------------------------------------------ */

/* The folder in which `path` is, "." for the present one; NULL when there is no memory. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return !slash ? strdup(".") : strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

static int check_new(const char *path)
{
    char *folder = folder_of(path);
    if (!folder)
        return ENOMEM;
    size_t size = strlen(path);
    int code = size > 0 && path[size - 1] == '/'  ? EISDIR
               : access(folder, W_OK | X_OK) != 0 ? errno
                                                  : 0;
    free(folder);
    return code;
}

int output_file_check(const char *path)
{
    struct stat now;
    if (strcmp(path, "-") == 0)
        return 0;
    if (stat(path, &now) != 0)
        return errno == ENOENT ? check_new(path) : errno;
    if (S_ISDIR(now.st_mode))
        return EISDIR;
    if (S_ISREG(now.st_mode) && is_store(path))
        return EMEDIUMTYPE;
    return access(path, W_OK) != 0 ? errno : 0;
}

int output_file_fail(const char *path, const char *what, int code)
{
    char *folder = folder_of(path);
    bool is_lost = code == ENOENT && folder && access(folder, F_OK) != 0;
    if (code == ENOTTY)
        cli_warn("%s is not for the terminal; name a file with -o, or redirect the output", what);
    else if (!*path)
        cli_warn("-o '': the name is empty; name a file for %s", what);
    else if (strcmp(path, "-") == 0)
        cli_warn("standard output: %s", strerror(code));
    else if (is_lost)
        cli_warn("%s: there is no folder %s", path, folder);
    else if (code == EMEDIUMTYPE)
        cli_warn("%s: is a fleet's store, which is not overwritten; name another file", path);
    else if (code == ENOTUNIQ)
        cli_warn("%s: is read by this command, which would replace it; name another file", path);
    else if (code == EEXIST)
        cli_warn("%s: is a trace, which %s would replace; name another file", path, what);
    else if (code == EISDIR)
        cli_warn("%s: is a folder, not a file", path);
    else
        cli_warn("%s: %s", path, strerror(code));
    free(folder);
    return CLI_FAILED;
}

/* ---- Closing ------------------------------------------------------------------------ */

int output_file_commit(struct output_file *file)
{
    int fd = file->fd;
    file->fd = -1;
    if (close(fd) != 0)
        return errno;
    if (!file->temporary)
        return 0;
    if (rename(file->temporary, file->target) != 0)
        return errno;
    unfinished = NULL;
    free(file->temporary);
    file->temporary = NULL;
    return 0;
}

void output_file_release(struct output_file *file)
{
    if (file->fd >= 0)
        close(file->fd);
    if (file->temporary)
        unlink(file->temporary);
    unfinished = NULL;
    free(file->temporary);
    free(file->target);
    *file = (struct output_file){.fd = -1};
}

bool output_file_replaces(const struct output_file *file, const char *path)
{
    struct stat there, here;
    return file->target && stat(file->target, &there) == 0 && stat(path, &here) == 0 &&
           same_file(&there, &here);
}
