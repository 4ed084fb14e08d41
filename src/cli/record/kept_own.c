/* A process that gathers a profile of itself holds a lock on what it keeps (tap/gather/keep.h), which the
 * kernel takes away with the process.  What is found without it is saved by whoever asks next: under
 * the profile's own name, or as the file of the interval that the process did not finish. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/record/kept.h"
#include "cli/record/kept_file.h"

static const char ending[] = ".pb.gz";

/* ---- Whose it is, and whether it is over -------------------------------------------- */

static bool is_free(int fd)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type == F_UNLCK;
}

static bool is_over(const char *kept, const char *name)
{
    struct kept header;
    struct stat status;
    int fd = open(kept, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    bool over = fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
                kept_is_trusted(&status, name) &&
                pread(fd, &header, sizeof header, 0) == (ssize_t)sizeof header &&
                header.magic == KEPT_MAGIC && header.locked == 1 && is_free(fd);
    if (fd >= 0)
        close(fd);
    return over;
}

/* ---- Names -------------------------------------------------------------------------- */

/* STEM.NUMBER.pb.gz of STEM.pb.gz; malloc'ed. */
static char *interval_name(const char *name, uint64_t number)
{
    int stem = (int)(strlen(name) - strlen(ending));
    return text_format("%.*s.%llu%s", stem, name, (unsigned long long)number, ending);
}

/* STEM.pb.gz of STEM.NUMBER.pb.gz; malloc'ed.  NULL where it is none. */
static char *name_of_interval(const char *path)
{
    size_t end = strlen(path) - strlen(ending), stem = end;
    while (stem > 0 && path[stem - 1] >= '0' && path[stem - 1] <= '9')
        stem--;
    if (stem == end || stem < 2 || path[stem - 1] != '.')
        return NULL;
    return text_format("%.*s%s", (int)stem - 1, path, ending);
}

/* ---- Saving ------------------------------------------------------------------------- */

/* The last interval whose file is there: that of the one that was being written may be, or one of
 * that name from long before.  The clock of files is a little behind. */
static uint64_t last_written(const char *name, const struct pprof_restored *about)
{
    enum { BEHIND_US = 20000 };
    struct stat status;
    char *path = interval_name(name, about->saying_number);
    bool is_there =
        about->saying_number > about->number && path && stat(path, &status) == 0 &&
        (int64_t)status.st_mtim.tv_sec * 1000000 + status.st_mtim.tv_nsec / 1000 + BEHIND_US >=
            about->saying_us;
    free(path);
    return is_there ? about->saying_number : about->number;
}

static bool save(struct kept_file *file, const char *name, const char *what)
{
    if (!kept_file_save(file, name, 0))
        return false;
    cli_warn("%s: %s process %llu had gathered when it ended", name, what,
             (unsigned long long)file->about.pid);
    return true;
}

static bool save_interval(struct kept_file *file, const char *kept, const char *name)
{
    uint64_t written = last_written(name, &file->about);
    if (written != file->about.number) {
        kept_file_release(file);
        if (!kept_file_restore(file, kept, written))
            return false;
    }
    if (!heaptap_pprof_changed(file->profile))
        return true;
    char *path = interval_name(name, file->about.number + 1);
    bool done = path && save(file, path, "a new file, the last interval: what");
    free(path);
    return done;
}

static void save_left(const char *name)
{
    struct kept_file file;
    char *kept = kept_path(name);
    if (kept && is_over(kept, name) && kept_file_restore(&file, kept, 0)) {
        bool done = file.about.intervals ? save_interval(&file, kept, name)
                                         : save(&file, name, "completed with what");
        kept_file_release(&file);
        if (done)
            unlink(kept);
    }
    free(kept);
}

void kept_save_own(const char *path)
{
    size_t size = path ? strlen(path) : 0;
    if (size <= strlen(ending) || strcmp(path + size - strlen(ending), ending) != 0)
        return;
    char *name = name_of_interval(path);
    save_left(path);
    if (name)
        save_left(name);
    free(name);
}
