#include "cli/symbol_options.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool add_debug_dir(void *target, const char *path, struct heaptap_error *error)
{
    struct symbol_arguments *arguments = target;
    size_t count = arguments->options.debug_dir_count;
    const char *wrong = NULL;
    struct stat directory;
    if (stat(path, &directory) != 0)
        wrong = strerror(errno);
    else if (!S_ISDIR(directory.st_mode))
        wrong = "that is not a directory";
    else if (strchr(path, ':'))
        wrong = "a name with a colon can't be taken";
    if (wrong) {
        error_set(error, HEAPTAP_BAD_ARGUMENT, "%s: %s", path, wrong);
        return false;
    }
    const char **grown =
        reallocarray(arguments->debug_dirs, count + 1, sizeof *arguments->debug_dirs);
    if (!grown)
        return error_no_memory(error), false;
    grown[count] = path;
    arguments->debug_dirs = grown;
    arguments->options.debug_dirs = grown;
    arguments->options.debug_dir_count = count + 1;
    return true;
}

static const struct option_word spellings[] = {{"own", SYMBOL_NAMES_OWN},
                                               {"short", SYMBOL_NAMES_SHORT},
                                               {"templates", SYMBOL_NAMES_TEMPLATES},
                                               {"full", SYMBOL_NAMES_FULL},
                                               {"raw", SYMBOL_NAMES_RAW},
                                               {NULL, 0}};

const struct question_option symbol_rows[] = {
    {"debug-dir", 0, OPTION_TAKEN, 0, "DIR",
     "Look for separate debug files in DIR first, as in /usr/lib/debug. Can be repeated",
     .take = add_debug_dir, .group = 10},
    {"names", 0, OPTION_WORD, 0, "HOW",
     "How C++ and Rust functions are spelt: own (the default: without parameters, and with template "
     "arguments unless they are a standard library's), short (without), templates, full, raw",
     offsetof(struct symbol_arguments, options.names),
     offsetof(struct symbol_arguments, names_given), .words = spellings, .group = 10},
    {0}};

void symbol_arguments_release(struct symbol_arguments *arguments)
{
    free(arguments->debug_dirs);
    *arguments = (struct symbol_arguments){0};
}
