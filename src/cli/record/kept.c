#include "cli/record/kept.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/record/kept_file.h"

/* ---- One file ----------------------------------------------------------------------- */

char *kept_path(const char *name)
{
    const char *slash = strrchr(name, '/');
    int folder = slash ? (int)(slash + 1 - name) : 0;
    return text_format("%.*s.%s" KEPT_ENDING, folder, name, name + folder);
}

bool kept_is_trusted(const struct stat *kept, const char *name)
{
    struct stat profile;
    return kept->st_uid == geteuid() ||
           (lstat(name, &profile) == 0 && profile.st_uid == kept->st_uid);
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

/* NULL, or why not. */
static const char *restore(struct kept_file *file, const char *path, uint64_t written,
                           uint64_t *damaged, struct heaptap_error *error)
{
    *file = (struct kept_file){0};
    *damaged = 0;
    int code = copy(file, path);
    if (code)
        return strerror(code);
    if (pprof_restore(&file->profile, file->bytes, file->size, written, damaged, error) !=
        HEAPTAP_OK)
        return error->message;
    heaptap_pprof_drop(file->profile, *damaged); /* so that the profile is not taken for whole */
    pprof_restored_look(file->profile, &file->about);
    return NULL;
}

bool kept_file_try(struct kept_file *file, const char *path)
{
    struct heaptap_error error;
    uint64_t damaged;
    if (!restore(file, path, 0, &damaged, &error))
        return true;
    kept_file_release(file);
    return false;
}

bool kept_file_restore(struct kept_file *file, const char *path, uint64_t written)
{
    struct heaptap_error error;
    uint64_t damaged;
    const char *why = restore(file, path, written, &damaged, &error);
    if (why) {
        cli_warn("%s: %s", path, why);
        kept_file_release(file);
        return false;
    }
    if (damaged > 0)
        cli_warn("%s: the process had damaged its memory: %llu stacks or names are left out", path,
                 (unsigned long long)damaged);
    return true;
}

int kept_file_write(struct kept_file *file, const char *name, int64_t end_us)
{
    return heaptap_pprof_save(file->profile, end_us ? end_us : file->about.last_us, name);
}

bool kept_file_save(struct kept_file *file, const char *name, int64_t end_us)
{
    int code = kept_file_write(file, name, end_us);
    if (code)
        cli_warn("%s: %s", name, strerror(code));
    return code == 0;
}

int kept_save(const char *path, const char *name, int64_t end_us)
{
    struct kept_file file;
    int code = kept_file_restore(&file, path, 0) ? kept_file_write(&file, name, end_us) : EINVAL;
    kept_file_release(&file);
    if (code == 0)
        unlink(path);
    return code;
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
            next = text_format("%s.%llu", name, (unsigned long long)*number);
            done = next && kept_file_save(&file, next, end_us);
            free(next);
        }
        kept_file_release(&file);
        if (done)
            unlink(path);
    }
    free(path);
    return done;
}
