#include "cli/record/library.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/temporary.h"
#include "base/text.h"
#include "cli/cli.h"
#include "tap/inside/elf_file.h"

#define LIBRARY "libheaptap-preload.so"
#define OF_THE_RECORDER_ONLY "heaptap_recorder_test_begin"

/* The path of this program; by the kernel's word for it where /proc is closed. */
static char *own_path(void)
{
    const char *typed = (const char *)getauxval(AT_EXECFN);
    char *path = realpath("/proc/self/exe", NULL);
    return path || !typed ? path : realpath(typed, NULL);
}

static char *beside(const char *program, const char *name, const char *built_in)
{
    const char *const places[] = {"../" HEAPTAP_LIBDIR "/heaptap/", "../lib/heaptap/", built_in};
    char path[PATH_MAX];
    const char *slash = strrchr(program, '/');
    for (size_t i = 0; slash && i < sizeof places / sizeof *places; i++) {
        snprintf(path, sizeof path, "%.*s/%s%s", (int)(slash - program), program, places[i], name);
        if (access(path, R_OK) == 0)
            return realpath(path, NULL);
    }
    return NULL;
}

char *library_find_beside(const char *name, const char *built_in)
{
    char *program = own_path();
    char *library = program ? beside(program, name, built_in) : NULL;
    free(program);
    return library;
}

/* ---- Paths that can't be preloaded ----------------------------------------------------- */

/* A folder in which no other user can put a library; others may read it. */
static bool is_safe_folder(const char *folder)
{
    struct stat status;
    if (mkdir(folder, 0755) != 0 && errno != EEXIST)
        return false;
    return lstat(folder, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
           (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* The link to a library has its path's hash in its name, so that it is made once for each. */
static uint64_t hash_of(const char *path)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (; *path; path++)
        hash = (hash ^ (uint8_t)*path) * UINT64_C(0x100000001b3);
    return hash;
}

static bool leads_to(const char *link, const char *library)
{
    char target[PATH_MAX];
    ssize_t size = readlink(link, target, sizeof target - 1);
    if (size < 0)
        return false;
    target[size] = 0;
    return strcmp(target, library) == 0;
}

/* Malloc'ed, or NULL. */
static char *link_in(const char *place, const char *library)
{
    char *folder = NULL, *link = NULL;
    const char *name = strrchr(library, '/') + 1;
    if (strpbrk(place, " :") || asprintf(&folder, "%s/heaptap-link-%u", place, geteuid()) < 0)
        return NULL;
    if (!is_safe_folder(folder) ||
        asprintf(&link, "%s/%016" PRIx64 "-%s", folder, hash_of(library), name) < 0) {
        free(folder);
        return NULL;
    }
    free(folder);
    if (strpbrk(name, " :") || (symlink(library, link) != 0 && !leads_to(link, library))) {
        free(link);
        return NULL;
    }
    return link;
}

/* The link stays, for processes that outlive this one. */
char *library_preloadable(char *library)
{
    const char *const places[] = {temporary_place(), "/tmp", "/var/tmp", "/dev/shm"};
    char *link = NULL;
    if (!library || !strpbrk(library, " :"))
        return library;
    for (size_t i = 0; !link && i < sizeof places / sizeof *places; i++)
        link = link_in(places[i], library);
    if (!link)
        cli_warn(
            "%s: a path with spaces or colons can't be preloaded, and a link to it can be made "
            "neither in %s nor in /tmp",
            library, temporary_place());
    free(library);
    return link;
}

/* ---- Finding ------------------------------------------------------------------------- */

static bool is_cut(const struct elf_file *file)
{
    struct stat status;
    bool cut = fstat(file->fd, &status) != 0;
    for (unsigned i = 0; i < file->segment_count; i++)
        cut |= file->segments[i].p_offset + file->segments[i].p_filesz > (uint64_t)status.st_size;
    return cut;
}

/* Why a file can't be the recorder; NULL where it is.  The loader would say it in the middle of the program's output,
 * and the program would run without being recorded. */
static const char *fault_of(const char *path)
{
    struct elf_file file;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return strerror(errno);
    const char *fault = !elf_file_read(&file, fd)                        ? "is no library"
                        : !elf_file_is_native(&file)                     ? "is for another machine"
                        : is_cut(&file)                                  ? "is cut short"
                        : !elf_file_defines(&file, OF_THE_RECORDER_ONLY) ? "is another file"
                                                                         : NULL;
    close(fd);
    return fault;
}

static char *find_named(const char *named)
{
    char *library = realpath(named, NULL);
    const char *fault = library ? fault_of(library) : strerror(errno);
    if (!fault)
        return library;
    cli_warn("HEAPTAP_PRELOAD must name " LIBRARY ": %s: %s", named, fault);
    free(library);
    return NULL;
}

char *library_find(void)
{
    const char *named = getenv("HEAPTAP_PRELOAD");
    char *library;
    if (named && *named) {
        library = find_named(named);
    } else {
        library =
            library_find_beside(LIBRARY, "../tap/record/"); /* in the build tree: src/tap/record */
        if (!library)
            cli_warn("%s, the library that records, is not where it was installed; "
                     "HEAPTAP_PRELOAD can name it",
                     LIBRARY);
    }
    return library_preloadable(library);
}

char *library_preload(const char *library, const char *others)
{
    return others && *others ? text_format("%s:%s", library, others) : strdup(library);
}
