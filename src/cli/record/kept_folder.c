#include "cli/record/kept_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/affix.h"
#include "base/path.h"
#include "base/temporary.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/output_file.h"
#include "cli/record/kept.h"
#include "cli/record/kept_file.h"
#include "cli/record/running.h"

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

bool kept_folder_make(char name[PATH_MAX])
{
    if (!temporary_folder(name))
        return false;
    kept_own_folder(name);
    return true;
}

/* ".NAME.sums" for ".NAME.of"; false where it is none. */
static bool find_kept(char kept[PATH_MAX], const char *folder, const char *link)
{
    size_t size = strlen(link), ending = strlen(KEPT_LINK_ENDING);
    return *link == '.' && size > ending + 1 &&
           strcmp(link + size - ending, KEPT_LINK_ENDING) == 0 &&
           snprintf(kept, PATH_MAX, "%s/%.*s" KEPT_ENDING, folder, (int)(size - ending), link) <
               PATH_MAX;
}

bool kept_in_folder(char path[PATH_MAX], const char *folder, const char *profile)
{
    return snprintf(path, PATH_MAX, "%s/.%s" KEPT_ENDING, folder, path_file(profile)) < PATH_MAX;
}

static bool read_link(char to[PATH_MAX], int folder, const char *link)
{
    ssize_t size = readlinkat(folder, link, to, PATH_MAX - 1);
    if (size > 0)
        to[size] = 0;
    return size > 0;
}

static void tell_gone(const char *what, const char *profile)
{
    cli_warn(
        "%s: the data gathered here for %s were removed or renamed; if a process was killed, the profile lacks "
        "everything after it was last written",
        what, profile);
}

static bool is_over(const char *kept, pid_t ended, pid_t *pid)
{
    struct kept_file file;
    if (!(ended ? kept_file_restore(&file, kept, 0) : kept_file_try(&file, kept)))
        return false;
    *pid = (pid_t)file.about.pid;
    kept_file_release(&file);
    return *pid == ended || !process_is_writing(*pid, kept, ended != 0);
}

/* Somebody else's link where the profile was to be could lead to any file of this user. */
static bool is_led_away(const char *profile)
{
    struct stat status;
    return lstat(profile, &status) == 0 && S_ISLNK(status.st_mode) && status.st_uid != geteuid();
}

/* A process makes its file before it has anything to write: one without a byte is nobody's profile. */
static void remove_if_blank(const char *profile)
{
    struct stat status;
    if (lstat(profile, &status) == 0 && S_ISREG(status.st_mode) && status.st_size == 0)
        unlink(profile);
}

static void note_unsaved(struct kept_unsaved *unsaved, const char *kept, const char *profile,
                         int code)
{
    remove_if_blank(profile);
    if (unsaved->count++ > 0)
        return;
    snprintf(unsaved->kept, sizeof unsaved->kept, "%s", kept);
    snprintf(unsaved->profile, sizeof unsaved->profile, "%s", profile);
    unsaved->code = code;
}

bool kept_finish(const char *kept, const char *profile, pid_t ended, int64_t end_us,
                 struct kept_unsaved *unsaved)
{
    pid_t pid = 0;
    if (!ended && (output_file_check(profile) == ENOENT || is_led_away(profile)))
        return false;
    if (access(kept, F_OK) != 0) {
        tell_gone(kept, profile);
        return true;
    }
    if (!is_over(kept, ended, &pid))
        return false;
    int code = kept_save(kept, profile, pid == ended ? end_us : 0);
    if (code != 0)
        note_unsaved(unsaved, kept, profile, code);
    return code == 0;
}

void kept_folder_save(const char *folder, pid_t ended, int64_t end_us, struct kept_unsaved *unsaved)
{
    DIR *directory = opendir(folder);
    struct dirent *entry;
    char kept[PATH_MAX], profile[PATH_MAX];
    if (!directory && errno == ENOENT)
        tell_gone(folder, "profiles");
    while (directory && (entry = readdir(directory)))
        if (find_kept(kept, folder, entry->d_name) &&
            read_link(profile, dirfd(directory), entry->d_name) &&
            kept_finish(kept, profile, ended, end_us, unsaved))
            unlinkat(dirfd(directory), entry->d_name, 0);
    if (directory)
        closedir(directory);
}

/* "a/p.pb.gz", "a/p.pb.gz and 3 more profiles" */
char *kept_unsaved_text(const struct kept_unsaved *unsaved, const char *of)
{
    size_t others = unsaved->count - 1;
    return others == 0 ? text_format("%s%s: %s", unsaved->profile, of, strerror(unsaved->code))
                       : text_format("%s and %zu more profile%s%s: %s", unsaved->profile, others,
                                     others == 1 ? "" : "s", of, strerror(unsaved->code));
}

void kept_folder_leave(const char *folder)
{
    DIR *directory = opendir(folder);
    struct dirent *entry;
    bool is_empty = directory;
    while (is_empty && (entry = readdir(directory)))
        is_empty = !strstr(entry->d_name, KEPT_ENDING);
    if (directory)
        closedir(directory);
    if (is_empty)
        temporary_folder_remove(folder);
}

/* ---- Of a heaptap that was killed ---------------------------------------------------- */

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

/* NAME of ".NAME.sums", where no link says for which profile; malloc'ed; NULL where it is none. */
static char *name_of_interval(int folder, const char *entry)
{
    size_t size = strlen(entry), ending = strlen(KEPT_ENDING);
    char link[NAME_MAX + sizeof KEPT_LINK_ENDING];
    if (*entry != '.' || size <= ending + 1 || strcmp(entry + size - ending, KEPT_ENDING) != 0)
        return NULL;
    snprintf(link, sizeof link, "%.*s" KEPT_LINK_ENDING, (int)(size - ending), entry);
    return faccessat(folder, link, F_OK, AT_SYMLINK_NOFOLLOW) != 0
               ? strndup(entry + 1, size - ending - 1)
               : NULL;
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
    char *path = text_format("%s/%s", folder, name), *kept = NULL;
    uint64_t number;
    if (!path)
        return;
    kept = kept_path(path);
    if (kept && kept_file_try(&file, kept)) {
        struct pprof_restored about = file.about;
        kept_file_release(&file);
        if (!process_is_writing((pid_t)about.pid, kept, false))
            kept_save_interval(path, last_written(folder, name), about.last_us, &number);
    }
    free(kept);
    free(path);
}

/* Finishes what lies in a folder; returns how many profiles there are. */
static size_t finish_folder(const char *folder, struct kept_unsaved *unsaved)
{
    kept_folder_save(folder, 0, 0, unsaved);
    DIR *directory = opendir(folder);
    struct dirent *entry;
    size_t profiles = 0;
    while (directory && (entry = readdir(directory))) {
        char *name = name_of_interval(dirfd(directory), entry->d_name);
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

static void tell_still_unsaved(const struct kept_unsaved *unsaved)
{
    char *text = kept_unsaved_text(unsaved, ", of earlier recordings");
    cli_warn("%s; the data gathered for %s stay in %s", text ? text : strerror(ENOMEM),
             unsaved->count == 1 ? "it" : "them", temporary_place());
    free(text);
}

void kept_finish_folders(bool tell)
{
    static const char start[] = "heaptap-";
    const char *place = temporary_place();
    DIR *directory = opendir(place);
    struct dirent *entry;
    char path[PATH_MAX];
    struct kept_unsaved unsaved = {0};
    while (directory && (entry = readdir(directory))) {
        if (!begins_with(entry->d_name, start) ||
            snprintf(path, sizeof path, "%s/%s", place, entry->d_name) >= (int)sizeof path ||
            !is_abandoned(path))
            continue;
        size_t profiles = finish_folder(path, &unsaved);
        if (profiles == 0)
            kept_folder_leave(path);
        else if (tell)
            cli_warn("%s: %zu profile%s of a recording whose heaptap was killed; use or remove %s",
                     path, profiles, profiles == 1 ? "" : "s", profiles == 1 ? "it" : "them");
    }
    if (directory)
        closedir(directory);
    if (unsaved.count > 0)
        tell_still_unsaved(&unsaved);
}
