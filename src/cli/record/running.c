/* A recorder knows its process by the number that this has itself.  In a namespace of processes of its own, as in a container, that is
 * often 1, and here another process's: so processes are asked, through /proc, for both their number there and what they
 * have mapped. */
#include "cli/record/running.h"
#include "base/affix.h"
#include "base/path.h"
#include "base/same_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FIELDS_BYTES = 512 };

/* The fields of /proc/PID/stat from the third on; "" where there is no such process. */
static const char *read_fields(pid_t pid, char text[FIELDS_BYTES])
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "re");
    size_t size = file ? fread(text, 1, FIELDS_BYTES - 1, file) : 0;
    if (file)
        fclose(file);
    text[size] = 0;
    const char *name_end = strrchr(text, ')');
    return name_end && name_end[1] == ' ' ? name_end + 2 : "";
}

/* It has ended, but its parent hasn't waited for it. */
static bool is_zombie(pid_t pid)
{
    char text[FIELDS_BYTES];
    const char *fields = read_fields(pid, text);
    return *fields == 'Z' || *fields == 'X';
}

bool process_is_running(pid_t pid)
{
    return pid > 0 && (kill(pid, 0) == 0 || errno == EPERM) && !is_zombie(pid);
}

/* ---- In its own namespace ------------------------------------------------------------ */

/* The number that process `pid` has itself, the last one of its "NSpid:\t17\t1"; 0 where there is none. */
static pid_t own_number(pid_t pid)
{
    char path[64], *line = NULL;
    size_t size = 0;
    pid_t number = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *file = fopen(path, "re");
    while (file && number == 0 && getline(&line, &size, file) > 0)
        if (begins_with(line, "NSpid:"))
            number = (pid_t)strtol(strrchr(line, '\t'), NULL, 10);
    if (file)
        fclose(file);
    free(line);
    return number;
}

/* ---- What it writes ------------------------------------------------------------------ */

enum answer { NO, YES, UNKNOWN };

/* A line of /proc/PID/maps: "ADDRESSES rw-s OFFSET DEVICE INODE PATH".  Filesystems in layers have other numbers of
 * devices there, and some of inodes. */
static bool is_mapping_of(const char *line, const char *path, ino_t inode)
{
    char access[8];
    unsigned long long number;
    int name = 0;
    if (!path)
        return strstr(line, "/libheaptap-");
    if (sscanf(line, "%*s %7s %*s %*s %llu %n", access, &number, &name) < 2 || access[3] != 's')
        return false;
    size_t size = strlen(path_file(path));
    const char *mapped = path_file(line + name);
    return number == inode || (strncmp(mapped, path_file(path), size) == 0 && mapped[size] == '\n');
}

/* Where that can't be (some filesystems), a trace is written without. */
static bool can_be_mapped(const char *path)
{
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
    void *mapped = fd < 0 ? MAP_FAILED : mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    bool can = mapped != MAP_FAILED || (fd < 0 ? errno == ENOENT : errno != ENODEV);
    if (mapped != MAP_FAILED)
        munmap(mapped, 1);
    if (fd >= 0)
        close(fd);
    return can;
}

static enum answer maps(pid_t pid, const char *path)
{
    char name[64], *line = NULL;
    size_t size = 0;
    struct stat status;
    if (path && stat(path, &status) != 0)
        return NO;
    snprintf(name, sizeof name, "/proc/%d/maps", (int)pid);
    FILE *file = fopen(name, "re");
    bool is_empty = true, found = false;
    while (file && !found && getline(&line, &size, file) > 0) {
        is_empty = false;
        found = is_mapping_of(line, path, path ? status.st_ino : 0);
    }
    if (file)
        fclose(file);
    free(line);
    return found ? YES : is_empty ? UNKNOWN : NO;
}

/* In ticks since the machine began. */
static unsigned long long begin_of(pid_t pid)
{
    char text[FIELDS_BYTES];
    const char *at = read_fields(pid, text);
    for (int field = 3; field < 22 && at; field++) {
        at = strchr(at, ' ');
        at += at != NULL;
    }
    return at ? strtoull(at, NULL, 10) : 0;
}

/* Of this process, or of the one that it is a fork of, if that asked before. */
static unsigned long long own_begin(void)
{
    static unsigned long long begin;
    if (begin == 0)
        begin = begin_of(getpid());
    return begin;
}

static bool is_writing(pid_t pid, const char *path, bool is_ours)
{
    enum answer answer = maps(pid, path);
    if (answer == UNKNOWN && process_is_running(pid))
        return !is_ours || begin_of(pid) >= own_begin();
    return answer == YES;
}

/* The first process of this one's namespace was not started by a heaptap there. */
bool process_is_writing(pid_t pid, const char *path, bool is_ours)
{
    struct dirent *entry;
    bool found = false;
    own_begin();
    DIR *directory = own_number(getpid()) > 0 ? opendir("/proc") : NULL;
    if (!directory)
        return process_is_running(pid);
    if (path && !can_be_mapped(path))
        path = NULL;
    if (pid > 1 && own_number(pid) == pid)
        found = is_writing(pid, path, is_ours);
    while (!found && (entry = readdir(directory))) {
        pid_t other = (pid_t)strtol(entry->d_name, NULL, 10);
        found = other > 1 && other != pid && own_number(other) == pid &&
                is_writing(other, path, is_ours);
    }
    closedir(directory);
    return found;
}

/* ---- What it has open ---------------------------------------------------------------- */

/* "flags:\t0100001" in /proc/PID/fdinfo/FD. */
static bool is_for_writing(pid_t pid, const char *descriptor)
{
    char path[96], text[FIELDS_BYTES];
    snprintf(path, sizeof path, "/proc/%d/fdinfo/%.16s", (int)pid, descriptor);
    FILE *file = fopen(path, "re");
    size_t size = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file)
        fclose(file);
    text[size] = 0;
    const char *flags = strstr(text, "flags:");
    return flags && (strtoul(flags + strlen("flags:"), NULL, 8) & O_ACCMODE) != O_RDONLY;
}

bool process_has_open(pid_t pid, const char *path)
{
    char name[64];
    struct stat wanted, status;
    struct dirent *entry;
    bool found = false;
    snprintf(name, sizeof name, "/proc/%d/fd", (int)pid);
    DIR *directory = stat(path, &wanted) == 0 ? opendir(name) : NULL;
    while (directory && !found && (entry = readdir(directory)))
        found = fstatat(dirfd(directory), entry->d_name, &status, 0) == 0 &&
                same_file(&status, &wanted) && is_for_writing(pid, entry->d_name);
    if (directory)
        closedir(directory);
    return found;
}
