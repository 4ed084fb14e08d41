#include "tap/inside/interpreter.h"

#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <string.h>

#include "base/affix.h"
#include "tap/inside/elf_file.h"
#include "tap/inside/executable.h"
#include "tap/inside/kernel.h"

static const char python_fault[] = "lines are recorded of CPython 3.11, 3.12 and 3.13, with a "
                                   "global lock";
static const char lua_fault[] = "lines are recorded of Lua 5.4";

/* ---- Names -------------------------------------------------------------------------- */

/* The language's word, and at most a version behind it: neither luac nor python3.11-config. */
static bool is_named(const char *path, const char *word)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    size_t size = strlen(word);
    if (!begins_with(base, word))
        return false;
    size += strspn(base + size, "0123456789.");
    return !base[size] || strcmp(base + size, "t") == 0 || strcmp(base + size, "d") == 0 ||
           strcmp(base + size, "-dbg") == 0;
}

bool interpreter_has_name(const char *path)
{
    return is_named(path, "python") || is_named(path, "lua");
}

/* The library whose name begins like this, among those that the program needs. */
static bool needs(const struct elf_file *file, const char *start, char name[NAME_MAX + 1])
{
    for (unsigned i = 0; elf_file_needed(file, i, name, NAME_MAX + 1); i++)
        if (begins_with(name, start))
            return true;
    return false;
}

/* ---- Languages ---------------------------------------------------------------------- */

enum { OLDEST_MINOR = 11, NEWEST_MINOR = 13 };

static bool is_known_minor(unsigned minor)
{
    return minor >= OLDEST_MINOR && minor <= NEWEST_MINOR;
}

/* Of libpython3.11.so.1.0; of a build without a global lock, libpython3.13t. */
static bool is_known_library(const char *name)
{
    unsigned minor = 0;
    const char *at = name + strlen("libpython3.");
    for (; *at >= '0' && *at <= '9' && minor < 1000; at++)
        minor = 10 * minor + (unsigned)(*at - '0');
    return is_known_minor(minor) && *at != 't';
}

/* Its version is a constant from 3.11 on; the function is one of builds without a global lock. */
static bool is_known_python(const struct elf_file *file)
{
    unsigned long version;
    return elf_file_read_constant(file, "Py_Version", &version, sizeof version) &&
           version >> 24 == 3 && is_known_minor(version >> 16 & 0xFF) &&
           !elf_file_defines(file, "_Py_MergeZeroLocalRefcount");
}

static void judge_python(const struct elf_file *file, struct interpreter *verdict)
{
    char library[NAME_MAX + 1];
    bool is_inside = elf_file_defines(file, "PyMem_SetAllocator");
    if (!is_inside && !needs(file, "libpython3.", library))
        return;
    bool is_known = is_inside ? is_known_python(file) : is_known_library(library);
    *verdict = (struct interpreter){"Python", is_known ? NULL : python_fault};
}

/* lua_toclose came with 5.4. */
static void judge_lua(const struct elf_file *file, struct interpreter *verdict)
{
    char library[NAME_MAX + 1];
    bool is_inside = elf_file_defines(file, "luaL_newstate");
    if (!is_inside && !needs(file, "liblua", library))
        return;
    bool is_known =
        is_inside ? elf_file_defines(file, "lua_toclose") : strstr(library, "5.4") != NULL;
    *verdict = (struct interpreter){"Lua", is_known ? NULL : lua_fault};
}

void interpreter_judge(const char *path, struct interpreter *verdict)
{
    struct elf_file file;
    *verdict = (struct interpreter){NULL, NULL};
    if (!interpreter_has_name(path))
        return;
    int fd = kernel_open(path, O_RDONLY, 0);
    if (fd < 0)
        return;
    if (elf_file_read(&file, fd) && elf_file_is_native(&file)) {
        if (is_named(path, "python"))
            judge_python(&file, verdict);
        else
            judge_lua(&file, verdict);
    }
    kernel_close(fd);
}

bool interpreter_is_guest(void)
{
    char program[PATH_MAX];
    struct interpreter interpreter = {NULL, NULL};
    if (executable_path(program, sizeof program))
        interpreter_judge(program, &interpreter);
    return interpreter.language && !interpreter.fault;
}
