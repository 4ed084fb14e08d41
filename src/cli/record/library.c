#include "cli/record/library.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "cli/cli.h"

#define LIBRARY "libheaptap-preload.so"

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

char *library_find(void)
{
    const char *named = getenv("HEAPTAP_PRELOAD");
    char *library;
    if (named && *named) {
        library = realpath(named, NULL);
        if (!library)
            cli_warn("HEAPTAP_PRELOAD: %s: %s", named, strerror(errno));
    } else {
        library = library_find_beside(LIBRARY, "../record/"); /* in the build tree: src/record */
        if (!library)
            cli_warn("%s, the library that records, is not where it was installed; "
                     "HEAPTAP_PRELOAD can name it",
                     LIBRARY);
    }
    if (library && strpbrk(library, " :")) {
        cli_warn("%s: a path with spaces or colons can't be preloaded; HEAPTAP_PRELOAD can name a "
                 "copy elsewhere",
                 library);
        free(library);
        library = NULL;
    }
    return library;
}

char *library_preload(const char *library)
{
    const char *already = getenv("LD_PRELOAD");
    char *value;
    if (!already || !*already)
        return strdup(library);
    return asprintf(&value, "%s:%s", library, already) < 0 ? NULL : value;
}
