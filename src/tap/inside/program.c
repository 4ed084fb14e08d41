/* What LD_PRELOAD cannot or must not reach: programs without a dynamic loader; programs whose
 * loader must not trust its environment (set-user-ID and the like); programs of another
 * architecture or another C library, whose loader refuses our library or fails over it; programs
 * with a sanitizer's runtime, which ends them unless it comes first.  All of it stands in the
 * headers of the program's file and its inode; nothing of /proc is needed. */
#include "tap/inside/program.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/affix.h"
#include "base/path.h"
#include "tap/inside/elf_file.h"
#include "tap/inside/kernel.h"
#include "tap/inside/program_limits.h"
#include "tap/inside/text.h"

#ifdef __aarch64__
static const char own_loader[] = "ld-linux-aarch64.so.1";
#else
static const char own_loader[] = "ld-linux-x86-64.so.2";
#endif

enum { MOST_INTERPRETERS = 5, HEAD_BYTES = 256 };

/* ---- Finding ------------------------------------------------------------------------ */

static bool can_run(const char *path)
{
    struct stat file;
    if (stat(path, &file) != 0)
        return false;
    errno = S_ISDIR(file.st_mode) ? EISDIR : EACCES;
    return S_ISREG(file.st_mode) && faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) == 0;
}

bool program_search(const char *name, const char *search, char path[PATH_MAX])
{
    struct text text;
    int found_errno = ENOENT;
    bool has_slash = strchr(name, '/') != NULL;
    for (const char *at = search && !has_slash ? search : "/bin:/usr/bin"; *name; at++) {
        size_t size = strcspn(at, ":");
        text_init(&text, path, PATH_MAX);
        if (!has_slash) {
            text_add_bytes(&text, size > 0 ? at : ".", size > 0 ? size : 1);
            text_add(&text, "/");
        }
        text_add(&text, name);
        if (!text.cut && can_run(path))
            return true;
        if (has_slash)
            return false;
        if (errno == EACCES)
            found_errno = EACCES;
        at += size;
        if (!*at)
            break;
    }
    errno = found_errno;
    return false;
}

/* ---- Scripts ------------------------------------------------------------------------ */

static const char blanks[] = " \t";

/* The program that env(1) runs when called with these words. */
static bool program_of_env(char *words, const char *search, char path[PATH_MAX])
{
    for (char *word = words + strspn(words, blanks); *word; word += strspn(word, blanks)) {
        size_t size = strcspn(word, blanks);
        bool last = !word[size];
        word[size] = 0;
        if (word[0] != '-' && !strchr(word, '='))
            return program_search(word, search, path);
        word += size + !last;
    }
    return false;
}

/* Puts the interpreter of a script whose text begins with `head` in place of the script's path;
 * false when it cannot be told. */
static bool interpreter_of(char *head, const char *search, char path[PATH_MAX])
{
    struct text text;
    char *line = head + 2 + strspn(head + 2, blanks);
    line[strcspn(line, "\n")] = 0;
    size_t size = strcspn(line, blanks);
    char *words = line[size] ? line + size + 1 : line + size;
    line[size] = 0;
    if (strcmp(path_file(line), "env") == 0)
        return program_of_env(words, search, path);
    text_init(&text, path, PATH_MAX);
    text_add(&text, line);
    return !text.cut;
}

/* ---- Programs ----------------------------------------------------------------------- */

/* Does the kernel make it a program that must not trust its environment, for this user? */
static const char *secure_reason(int fd)
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
    if (getuid() != 0 && fgetxattr(fd, "security.capability", NULL, 0) > 0)
        return "has file capabilities";
    return NULL;
}

static void find(struct program_verdict *verdict, enum program_kind kind, const char *path,
                 const char *first, const char *second, const char *third)
{
    struct text text;
    verdict->kind = kind;
    text_init(&text, verdict->why, sizeof verdict->why);
    text_add(&text, path);
    text_add(&text, first);
    text_add(&text, second);
    text_add(&text, third);
}

/* Runtimes of sanitizers that have a malloc of their own, by the beginnings of their files' names:
 * gcc's, and clang's. */
static bool is_sanitizer(const char *name)
{
    static const char *const runtimes[] = {
        "libasan.",         "libtsan.",         "liblsan.",
        "libhwasan.",       "libclang_rt.asan", "libclang_rt.tsan",
        "libclang_rt.msan", "libclang_rt.lsan", "libclang_rt.hwasan",
    };
    name = path_file(name);
    for (size_t i = 0; i < sizeof runtimes / sizeof *runtimes; i++)
        if (begins_with(name, runtimes[i]))
            return true;
    return false;
}

bool program_preloads_sanitizer(const char *preload)
{
    static const char separators[] = ": ";
    char name[NAME_MAX + 1];
    struct text text;
    for (const char *at = preload; *at; at += strspn(at, separators)) {
        size_t size = strcspn(at, separators), base = size;
        while (base > 0 && at[base - 1] != '/')
            base--;
        text_init(&text, name, sizeof name);
        text_add_bytes(&text, at + base, size - base);
        if (is_sanitizer(name))
            return true;
        at += size;
    }
    return false;
}

/* What the program's file has of a sanitizer: the library that it needs, or a function of the
 * runtime inside; NULL where nothing. */
static const char *sanitizer_of(const struct elf_file *file, char name[NAME_MAX + 1])
{
    static const char *const functions[] = {"__asan_init", "__tsan_init", "__msan_init",
                                            "__lsan_init", "__hwasan_init"};
    for (unsigned i = 0; elf_file_needed(file, i, name, NAME_MAX + 1); i++)
        if (is_sanitizer(name))
            return name;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (elf_file_defines(file, functions[i]))
            return functions[i];
    return NULL;
}

static void judge_elf(const struct elf_file *file, const char *path,
                      struct program_verdict *verdict)
{
    char name[NAME_MAX + 1];
    const char *reason;
    if (!elf_file_is_native(file))
        find(verdict, PROGRAM_FOREIGN, path, " is built for another architecture", "", "");
    else if (!elf_file_loader(file, name, sizeof name))
        find(verdict, PROGRAM_STATIC, path,
             " is linked statically, where no library can be preloaded", "", "");
    else if (strcmp(path_file(name), own_loader) != 0)
        find(verdict, PROGRAM_FOREIGN, path, " uses another C library (its loader is ", name, ")");
    else if ((reason = secure_reason(file->fd)))
        find(verdict, PROGRAM_SECURE, path, " ", reason,
             ", so its loader ignores preloaded libraries");
    else if ((reason = sanitizer_of(file, name)))
        find(verdict, PROGRAM_SANITIZED, path, " has a sanitizer's runtime (", reason,
             "), which must come before every other library");
}

/* Judges one file; true where it is a script, whose interpreter is then in `next`. */
static bool judge_one(int fd, const char *path, const char *search, struct program_verdict *verdict,
                      char next[PATH_MAX])
{
    struct elf_file file;
    char head[HEAD_BYTES];
    if (elf_file_read(&file, fd)) {
        judge_elf(&file, path, verdict);
        return false;
    }
    long got = kernel_read_at(fd, head, sizeof head - 1, 0);
    head[got > 0 ? got : 0] = 0;
    return got > 2 && memcmp(head, "#!", 2) == 0 && interpreter_of(head, search, next);
}

static void judge_interpreter(char path[PATH_MAX], const char *search,
                              struct program_verdict *verdict)
{
    bool again = true;
    for (int depth = 0; again && depth < MOST_INTERPRETERS; depth++) {
        int fd = kernel_open(path, O_RDONLY, 0);
        if (fd < 0)
            return;
        again = judge_one(fd, path, search, verdict, path);
        kernel_close(fd);
    }
}

void program_judge_fd(int fd, const char *path, const char *search, struct program_verdict *verdict)
{
    char interpreter[PATH_MAX];
    *verdict = (struct program_verdict){.kind = PROGRAM_REACHABLE};
    if (judge_one(fd, path, search, verdict, interpreter))
        judge_interpreter(interpreter, search, verdict);
}

void program_judge(const char *path, const char *search, struct program_verdict *verdict)
{
    *verdict = (struct program_verdict){.kind = PROGRAM_REACHABLE};
    int fd = kernel_open(path, O_RDONLY, 0);
    if (fd < 0)
        return;
    program_judge_fd(fd, path, search, verdict);
    kernel_close(fd);
}

/* ---- Limits ------------------------------------------------------------------------- */

/* Exact recording has words beside all blocks, which take a quarter to a half of the address space that these span,
 * and 32 MB to begin with.  Sampling takes 2.5 MB, and up to 9 as blocks are tracked, or 11 from the start where their
 * number is known and no limit of less than 170 MB is near. */
const char *program_lacks_room(bool every_block)
{
    const uint64_t least = every_block ? UINT64_C(1) << 30 : UINT64_C(32) << 20;
    if (limits_of(RLIMIT_AS) < least)
        return every_block
                   ? " is started with too little address space for --all, less than 1 GB (ulimit -v)"
                   : " is started with less than 32 MB of address space (ulimit -v)";
    if (limits_of(RLIMIT_DATA) < least)
        return every_block
                   ? " is started with too little data for --all, less than 1 GB (ulimit -d)"
                   : " is started with less than 32 MB of data (ulimit -d)";
    return NULL;
}
