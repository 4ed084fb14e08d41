#include "cli/record/program.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/affix.h"
#include "base/path.h"
#include "tap/inside/program.h"

char *program_find(const char *name)
{
    char path[PATH_MAX];
    return program_search(name, getenv("PATH"), path) ? strdup(path) : NULL;
}

/* The first word behind #!, or where that is env, the first of its words that is neither an option nor a variable.  NULL where the
 * file is no script. */
static char *interpreter_of(const char *path)
{
    char line[256], *rest;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t got = fd >= 0 ? read(fd, line, sizeof line - 1) : -1;
    if (fd >= 0)
        close(fd);
    line[got > 0 ? got : 0] = 0;
    line[strcspn(line, "\n")] = 0;
    if (!begins_with(line, "#!"))
        return NULL;
    char *word = strtok_r(line + 2, " \t\r", &rest);
    bool is_env = word && strcmp(path_file(word), "env") == 0;
    while (is_env && (word = strtok_r(NULL, " \t\r", &rest)) && (*word == '-' || strchr(word, '=')))
        ;
    return word ? program_find(word) : NULL;
}

char *program_behind(const char *path)
{
    char *now = realpath(path, NULL), *next;
    for (int scripts = 0; now && scripts < 4 && (next = interpreter_of(now)); scripts++) {
        free(now);
        now = realpath(next, NULL);
        free(next);
    }
    return now;
}
