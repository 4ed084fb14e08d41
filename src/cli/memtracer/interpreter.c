#include "cli/memtracer/interpreter.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/affix.h"
#include "base/path.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/record/library.h"
#include "cli/record/program.h"
#include "tap/inside/program.h"

/* By a script's extension; names are tried in turn. */
static const struct {
    const char *extension;
    const char *interpreters[3];
} languages[] = {
    {".lox", {"lox"}},
    {".lua", {"lua5.4", "lua"}},
    {".py", {"python3", "python"}},
};

enum { WORDS_MAX = 8 };

static const char *extension_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    return dot ? dot : "";
}

/* Our own Lox, where it was built or installed, else what PATH has. */
static char *find_interpreter(const char *name)
{
    char *own = strcmp(name, "lox") == 0 ? library_find_beside("lox", "../../examples/lox/") : NULL;
    return own ? own : program_find(name);
}

/* ---- #! ------------------------------------------------------------------------------------- */

/* The words after #! in `line`, whose memory they share; 0 where it is no script. */
static int read_words(const char *path, char *line, size_t size, char **words)
{
    FILE *file = fopen(path, "r");
    int count = 0;
    char *rest, *got = file ? fgets(line, (int)size, file) : NULL;
    if (file)
        fclose(file);
    if (!got || !begins_with(line, "#!"))
        return 0;
    for (char *word = strtok_r(line + 2, " \t\r\n", &rest); word && count < WORDS_MAX;
         word = strtok_r(NULL, " \t\r\n", &rest))
        words[count++] = word;
    return count;
}

/* Leaves out /usr/bin/env and its options and variables. */
static int skip_env(char **words, int count)
{
    int at = 1;
    if (strcmp(path_file(words[0]), "env") != 0)
        return 0;
    while (at < count && (words[at][0] == '-' || strchr(words[at], '=')))
        at++;
    return at;
}

/* ---- Finding ---------------------------------------------------------------------- */

static int say_missing(const char *name)
{
    int status = errno == ENOENT ? 127 : 126;
    cli_warn("%s: %s", name, errno == ENOENT ? "command not found" : strerror(errno));
    return status;
}

/* The arguments: `before`, and the command from `from` on. */
static int set_arguments(struct launch *launch, char *const *before, int count, char *const *from)
{
    size_t more = 0;
    while (from && from[more])
        more++;
    launch->arguments = calloc((size_t)count + more + 1, sizeof *launch->arguments);
    for (int i = 0; launch->arguments && i < count; i++)
        launch->arguments[i] = strdup(before[i]);
    for (size_t i = 0; launch->arguments && i < more; i++)
        launch->arguments[(size_t)count + i] = strdup(from[i]);
    if (launch->arguments)
        return 0;
    cli_warn("out of memory");
    return CLI_FAILED;
}

static int run_with(struct launch *launch, const char *interpreter, char *const *words, int count,
                    char *const *command)
{
    launch->path = find_interpreter(interpreter);
    if (!launch->path)
        return say_missing(interpreter);
    return set_arguments(launch, words, count, command);
}

/* The interpreter for a file's extension; false if there is none for it. */
static bool run_by_extension(struct launch *launch, char **command, int *status)
{
    for (size_t i = 0; i < sizeof languages / sizeof *languages; i++) {
        if (strcmp(extension_of(command[0]), languages[i].extension) != 0)
            continue;
        const char *const *name = languages[i].interpreters;
        for (; name[1] && !(launch->path = find_interpreter(*name)); name++)
            ;
        free(launch->path);
        char *word = (char *)*name;
        *status = run_with(launch, *name, &word, 1, command);
        return true;
    }
    return false;
}

static int run_command_as_is(struct launch *launch, char **command)
{
    launch->path = program_find(command[0]);
    return launch->path ? set_arguments(launch, NULL, 0, command) : say_missing(command[0]);
}

static int run_code(struct launch *launch, const struct memtracer_settings *settings)
{
    const char *name = settings->interpreter ? settings->interpreter : "lox";
    bool lua = begins_with(path_file(name), "lua");
    char *words[] = {(char *)name, (char *)(lua ? "-e" : "-c"), (char *)settings->code};
    return run_with(launch, name, words, 3, settings->command);
}

int launch_find(struct launch *launch, const struct memtracer_settings *settings)
{
    char line[PATH_MAX], *words[WORDS_MAX], **command = settings->command;
    int status;
    *launch = (struct launch){0};
    if (settings->code)
        return run_code(launch, settings);
    if (settings->interpreter) {
        char *word = (char *)settings->interpreter;
        return run_with(launch, word, &word, 1, command);
    }
    if (access(command[0], R_OK) == 0) {
        int count = read_words(command[0], line, sizeof line, words);
        int skipped = count ? skip_env(words, count) : 0;
        if (skipped < count)
            return run_with(launch, words[skipped], words + skipped, count - skipped, command);
        if (run_by_extension(launch, command, &status))
            return status;
    } else if (strchr(command[0], '/') || errno != ENOENT || *extension_of(command[0])) {
        /* A script that isn't there is told of by its own name, not its interpreter's. */
        char *found = program_find(command[0]);
        if (!found) {
            cli_warn("%s: %s", command[0], strerror(errno));
            return errno == ENOENT ? 127 : 126;
        }
        free(found);
    }
    return run_command_as_is(launch, command);
}

void launch_release(struct launch *launch)
{
    for (char **argument = launch->arguments; argument && *argument; argument++)
        free(*argument);
    free(launch->arguments);
    free(launch->path);
}

/* ---- Adapters --------------------------------------------------------------------- */

static const struct {
    const char *name, *folder; /* as built */
} adapters[] = {
    {"libheaptap-lua.so", "../tap/guest/lua/"},
    {"libheaptap-python.so", "../tap/guest/python/"},
};

/* Appends to a list with colons; gives the old one back. */
static char *appended(char *list, const char *more)
{
    char *longer = text_format("%s%s%s", list ? list : "", list ? ":" : "", more);
    if (!longer)
        return list;
    free(list);
    return longer;
}

char *guest_preload(void)
{
    char *list = NULL;
    const char *already = getenv("LD_PRELOAD");
    for (size_t i = 0; i < sizeof adapters / sizeof *adapters; i++) {
        char *library =
            library_preloadable(library_find_beside(adapters[i].name, adapters[i].folder));
        if (library)
            list = appended(list, library);
        free(library);
    }
    return list && already && *already ? appended(list, already) : list;
}

char *launch_preload(const char *program)
{
    struct program_verdict verdict;
    char *list = guest_preload();
    program_judge(program, getenv("PATH"), &verdict);
    if (!list || verdict.kind == PROGRAM_REACHABLE)
        return list;
    cli_warn("%s: only an interpreter that embeds heaptap is seen there", verdict.why);
    if (verdict.kind == PROGRAM_STATIC)
        return list;
    free(list);
    return NULL;
}
