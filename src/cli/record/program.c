/* What LD_PRELOAD cannot reach: programs without a dynamic loader; programs whose loader must not
 * trust its environment (set-user-ID and the like); programs of another architecture or another C
 * library, whose loader refuses our library or fails over it.  All of it stands in the header of
 * the program's file and its inode; nothing of /proc is needed. */
#include "cli/record/program.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

/* ---- Finding ------------------------------------------------------------------------ */

static bool can_run(const char *path)
{
    struct stat file;
    if (stat(path, &file) != 0)
        return false;
    errno = S_ISDIR(file.st_mode) ? EISDIR : EACCES;
    return S_ISREG(file.st_mode) && faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) == 0;
}

char *program_find(const char *name)
{
    const char *search = getenv("PATH");
    int found_errno = ENOENT;
    if (strchr(name, '/'))
        return can_run(name) ? strdup(name) : NULL;
    for (const char *at = search ? search : "/bin:/usr/bin"; *name; at++) {
        char path[PATH_MAX];
        int size = (int)strcspn(at, ":");
        snprintf(path, sizeof path, "%.*s/%s", size > 0 ? size : 1, size > 0 ? at : ".", name);
        if (can_run(path))
            return strdup(path);
        if (errno == EACCES)
            found_errno = EACCES;
        at += size;
        if (!*at)
            break;
    }
    errno = found_errno;
    return NULL;
}

/* ---- Scripts ------------------------------------------------------------------------ */

static ssize_t read_head(const char *path, char *head, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    ssize_t got = pread(fd, head, size - 1, 0);
    close(fd);
    head[got > 0 ? got : 0] = 0;
    return got;
}

/* The program that env(1) runs when called with these words. */
static char *program_of_env(char *words)
{
    char *rest;
    for (char *word = strtok_r(words, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest))
        if (word[0] != '-' && !strchr(word, '='))
            return program_find(word);
    return NULL;
}

/* The interpreter of a script whose text begins with `head`; NULL when it cannot be told. */
static char *interpreter_of(char *head)
{
    char *line = head + 2 + strspn(head + 2, " \t");
    line[strcspn(line, "\n")] = 0;
    size_t size = strcspn(line, " \t");
    char *words = line + size + strspn(line + size, " \t");
    line[size] = 0;
    const char *slash = strrchr(line, '/');
    if (slash && strcmp(slash, "/env") == 0)
        return program_of_env(words);
    return can_run(line) ? strdup(line) : NULL;
}

/* The file whose code runs for `path`: itself, or the last interpreter. */
static char *code_of(const char *path)
{
    char head[PATH_MAX];
    char *now = strdup(path);
    for (int depth = 0; now && depth < 5; depth++) {
        ssize_t size = read_head(now, head, sizeof head);
        if (size < 2 || memcmp(head, "#!", 2) != 0)
            break;
        free(now);
        now = interpreter_of(head);
    }
    return now;
}

/* ---- Programs ----------------------------------------------------------------------- */

static bool read_header(int fd, ElfW(Ehdr) * header)
{
    return pread(fd, header, sizeof *header, 0) == sizeof *header &&
           memcmp(header->e_ident, ELFMAG, SELFMAG) == 0;
}

/* Reads the path of the loader; "" where the program has none. */
static void read_loader(int fd, const ElfW(Ehdr) * header, char *loader, size_t size)
{
    loader[0] = 0;
    for (unsigned i = 0; i < header->e_phnum; i++) {
        ElfW(Phdr) segment;
        off_t at = (off_t)(header->e_phoff + (size_t)i * header->e_phentsize);
        if (pread(fd, &segment, sizeof segment, at) != sizeof segment)
            return;
        if (segment.p_type != PT_INTERP)
            continue;
        size_t length = segment.p_filesz < size - 1 ? segment.p_filesz : size - 1;
        ssize_t got = pread(fd, loader, length, (off_t)segment.p_offset);
        loader[got > 0 ? got : 0] = 0;
        return;
    }
}

static int note_own_loader(struct dl_phdr_info *object, size_t size, void *loader)
{
    for (unsigned i = 0; i < object->dlpi_phnum; i++)
        if (object->dlpi_phdr[i].p_type == PT_INTERP)
            *(const char **)loader =
                (const char *)(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
    return 1; /* the program itself comes first */
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Does the kernel make it a program that must not trust its environment, for this user? */
static const char *secure_reason(const char *path, int fd)
{
    struct stat file;
    struct statvfs system;
    if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 || fstat(fd, &file) != 0 ||
        (fstatvfs(fd, &system) == 0 && system.f_flag & ST_NOSUID))
        return NULL;
    if (file.st_mode & S_ISUID && file.st_uid != getuid())
        return "is set-user-ID";
    if ((file.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) && file.st_gid != getgid())
        return "is set-group-ID";
    if (getuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0)
        return "has file capabilities";
    return NULL;
}

static void judge_elf(const char *path, int fd, const ElfW(Ehdr) * ours,
                      struct program_verdict *verdict)
{
    ElfW(Ehdr) header;
    char loader[PATH_MAX];
    const char *own_loader = NULL, *secure = secure_reason(path, fd);
    if (!read_header(fd, &header))
        return;
    verdict->reachable = false;
    if (header.e_ident[EI_CLASS] != ours->e_ident[EI_CLASS] ||
        header.e_ident[EI_DATA] != ours->e_ident[EI_DATA] || header.e_machine != ours->e_machine) {
        verdict->disturbed = true;
        snprintf(verdict->why, sizeof verdict->why, "%s is built for another architecture", path);
        return;
    }
    read_loader(fd, &header, loader, sizeof loader);
    dl_iterate_phdr(note_own_loader, &own_loader);
    if (!loader[0]) {
        snprintf(verdict->why, sizeof verdict->why,
                 "%s is linked statically, where no library can be preloaded", path);
    } else if (own_loader && strcmp(base_name(loader), base_name(own_loader)) != 0) {
        verdict->disturbed = true;
        snprintf(verdict->why, sizeof verdict->why, "%s uses another C library (its loader is %s)",
                 path, loader);
    } else if (secure) {
        verdict->disturbed = true;
        snprintf(verdict->why, sizeof verdict->why,
                 "%s %s, so its loader ignores preloaded libraries", path, secure);
    } else {
        verdict->reachable = true;
    }
}

void program_judge(const char *path, const char *library, struct program_verdict *verdict)
{
    ElfW(Ehdr) ours;
    *verdict = (struct program_verdict){.reachable = true};
    char *code = code_of(path);
    int fd = code ? open(code, O_RDONLY | O_CLOEXEC) : -1;
    int library_fd = open(library, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && library_fd >= 0 && read_header(library_fd, &ours))
        judge_elf(code, fd, &ours, verdict);
    if (fd >= 0)
        close(fd);
    if (library_fd >= 0)
        close(library_fd);
    free(code);
}
