#include "cli/record/kept.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/temporary.h"
#include "cli/cli.h"
#include "cli/record/intervals.h"
#include "cli/record/kept_file.h"
#include "cli/record/trace_name.h"

/* ---- One file ----------------------------------------------------------------------- */

char *kept_path(const char *name)
{
    const char *slash = strrchr(name, '/');
    int folder = slash ? (int)(slash + 1 - name) : 0;
    char *path;
    return asprintf(&path, "%.*s.%s" KEPT_ENDING, folder, name, name + folder) < 0 ? NULL : path;
}

static bool read_all(int fd, char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t some = read(fd, bytes, size);
        if (some < 0 && errno == EINTR)
            continue;
        if (some < 0)
            return false;
        if (some == 0)
            break; /* zeros are nothing */
        bytes += some;
        size -= (size_t)some;
    }
    return true;
}

/* 0 or an errno. */
static int copy(struct kept_file *file, const char *path)
{
    struct stat status;
    int code = 0, fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return errno;
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size == 0) {
        close(fd);
        return EINVAL;
    }
    file->size = (size_t)status.st_size;
    file->bytes = mmap(NULL, file->size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (file->bytes == MAP_FAILED) {
        file->bytes = NULL;
        code = errno;
    } else if (!read_all(fd, file->bytes, file->size)) {
        code = errno;
    }
    close(fd);
    return code;
}

void kept_file_release(struct kept_file *file)
{
    heaptap_pprof_free(file->profile);
    if (file->bytes)
        munmap(file->bytes, file->size);
    *file = (struct kept_file){0};
}

bool kept_file_restore(struct kept_file *file, const char *path, uint64_t written)
{
    struct heaptap_error error;
    uint64_t damaged;
    *file = (struct kept_file){0};
    int code = copy(file, path);
    if (code) {
        cli_warn("%s: %s", path, strerror(code));
        return false;
    }
    if (pprof_restore(&file->profile, file->bytes, file->size, written, &damaged, &error) !=
        HEAPTAP_OK) {
        cli_warn("%s: %s", path, error.message);
        return false;
    }
    if (damaged > 0)
        cli_warn("%s: the process had damaged its memory: %llu stacks or names are left out", path,
                 (unsigned long long)damaged);
    heaptap_pprof_drop(file->profile, damaged); /* so that the profile is not taken for whole */
    pprof_restored_look(file->profile, &file->about);
    return true;
}

bool kept_file_save(struct kept_file *file, const char *name, int64_t end_us)
{
    int code = heaptap_pprof_save(file->profile, end_us ? end_us : file->about.last_us, name);
    if (code)
        cli_warn("%s: %s", name, strerror(code));
    return code == 0;
}

bool kept_save(const char *name, int64_t end_us)
{
    struct kept_file file;
    char *path = kept_path(name);
    bool done = path;
    if (path && access(path, F_OK) == 0) {
        done = kept_file_restore(&file, path, 0) && kept_file_save(&file, name, end_us);
        kept_file_release(&file);
        if (done)
            unlink(path);
    }
    free(path);
    return done;
}

bool kept_save_interval(const char *name, uint64_t written, int64_t end_us, uint64_t *number)
{
    struct kept_file file;
    char *path = kept_path(name), *next = NULL;
    bool done = path;
    *number = 0;
    if (path && access(path, F_OK) == 0) {
        done = kept_file_restore(&file, path, written);
        if (done && heaptap_pprof_changed(file.profile)) {
            *number = file.about.number + 1;
            done = asprintf(&next, "%s.%llu", name, (unsigned long long)*number) > 0 &&
                   kept_file_save(&file, next, end_us);
            free(next);
        }
        kept_file_release(&file);
        if (done)
            unlink(path);
    }
    free(path);
    return done;
}

/* ---- All of a recording ------------------------------------------------------------- */

/* NAME of ".NAME.sums"; malloc'ed; NULL where it is none. */
static char *name_of(const char *entry)
{
    size_t size = strlen(entry), ending = strlen(KEPT_ENDING);
    bool is_one =
        *entry == '.' && size > ending + 1 && strcmp(entry + size - ending, KEPT_ENDING) == 0;
    return is_one ? strndup(entry + 1, size - ending - 1) : NULL;
}

/* Of a process that is still running nothing is touched. */
static void finish(const char *path, pid_t ended, int64_t end_us)
{
    struct kept_file file;
    char *kept = kept_path(path);
    bool is_known = kept && kept_file_restore(&file, kept, 0);
    pid_t pid = is_known ? (pid_t)file.about.pid : 0;
    if (is_known)
        kept_file_release(&file);
    free(kept);
    if (is_known && (pid == ended || !interval_process_is_running(pid)))
        kept_save(path, pid == ended ? end_us : 0);
}

bool kept_save_all(const char *pattern, pid_t ended, int64_t end_us)
{
    char *folder = trace_name_folder(pattern), *path;
    DIR *directory = folder ? opendir(*folder ? folder : ".") : NULL;
    bool done = folder;
    struct dirent *entry;
    while (done && directory && (entry = readdir(directory))) {
        char *name = name_of(entry->d_name);
        if (name && trace_name_matches(pattern, name)) {
            done = asprintf(&path, "%s%s", folder, name) > 0;
            if (done) {
                finish(path, ended, end_us);
                free(path);
            }
        }
        free(name);
    }
    if (directory)
        closedir(directory);
    free(folder);
    return done;
}

/* ---- Folders ------------------------------------------------------------------------ */

/* Whoever takes what comes holds a lock on this file, which the kernel takes away with the process. */
static const char owner[] = ".owner";

static int open_owner(const char *folder, int flags)
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/%s", folder, owner) >= (int)sizeof path)
        return -1;
    return open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0600);
}

void kept_own_folder(const char *folder)
{
    int fd = open_owner(folder, O_CREAT);
    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0)
        close(fd);
    /* else it stays open, up to this process's end */
}

static bool is_abandoned(const char *folder)
{
    struct stat status;
    int fd = lstat(folder, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid()
                 ? open_owner(folder, 0)
                 : -1;
    bool is_free = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0;
    if (fd >= 0)
        close(fd);
    return is_free;
}

/* The highest number of a process's files that are there. */
static uint64_t last_written(const char *folder, const char *name)
{
    DIR *directory = opendir(folder);
    struct dirent *entry;
    uint64_t last = 0;
    size_t size = strlen(name);
    while (directory && (entry = readdir(directory)))
        if (strncmp(entry->d_name, name, size) == 0 && entry->d_name[size] == '.') {
            uint64_t number = strtoull(entry->d_name + size + 1, NULL, 10);
            last = number > last ? number : last;
        }
    if (directory)
        closedir(directory);
    return last;
}

static void finish_interval(const char *folder, const char *name)
{
    struct kept_file file;
    char *path, *kept = NULL;
    uint64_t number;
    if (asprintf(&path, "%s/%s", folder, name) < 0)
        return;
    kept = kept_path(path);
    if (kept && kept_file_restore(&file, kept, 0)) {
        struct pprof_restored about = file.about;
        kept_file_release(&file);
        if (!interval_process_is_running((pid_t)about.pid))
            kept_save_interval(path, last_written(folder, name), about.last_us, &number);
    }
    free(kept);
    free(path);
}

/* Finishes what lies in a folder; returns how many profiles there are. */
static size_t finish_folder(const char *folder)
{
    DIR *directory = opendir(folder);
    struct dirent *entry;
    size_t profiles = 0;
    while (directory && (entry = readdir(directory))) {
        char *name = name_of(entry->d_name);
        if (name)
            finish_interval(folder, name);
        free(name);
    }
    if (directory)
        rewinddir(directory);
    while (directory && (entry = readdir(directory)))
        profiles += entry->d_name[0] != '.' && strstr(entry->d_name, ".pb.") != NULL;
    if (directory)
        closedir(directory);
    return profiles;
}

void kept_tell_folders(void)
{
    static const char start[] = "heaptap-";
    const char *place = temporary_place();
    DIR *directory = opendir(place);
    struct dirent *entry;
    char path[PATH_MAX];
    while (directory && (entry = readdir(directory))) {
        if (strncmp(entry->d_name, start, strlen(start)) != 0 ||
            snprintf(path, sizeof path, "%s/%s", place, entry->d_name) >= (int)sizeof path ||
            !is_abandoned(path))
            continue;
        size_t profiles = finish_folder(path);
        if (profiles > 0)
            cli_warn("%s: %zu profile%s of a recording whose heaptap was killed; use or remove %s",
                     path, profiles, profiles == 1 ? "" : "s", profiles == 1 ? "it" : "them");
    }
    if (directory)
        closedir(directory);
}
