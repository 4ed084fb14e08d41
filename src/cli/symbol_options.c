#include "cli/symbol_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { OPTION_DEBUG_DIR = 2000, OPTION_NAMES };

static const struct argp_option option_table[] = {
    {"debug-dir", OPTION_DEBUG_DIR, "DIR", 0,
     "Look for separate debug files in DIR first, as in /usr/lib/debug. Can be repeated", 10},
    {"names", OPTION_NAMES, "HOW", 0,
     "How C++ and Rust functions are spelt: own (the default: without parameters, and with template "
     "arguments unless they are a standard library's), short (without), templates, full, raw",
     10},
    {"names", OPTION_NAMES, "own|short|templates|full|raw", OPTION_HIDDEN, NULL,
     0}, /* for completion */
    {0},
};

static void add_debug_dir(struct symbol_arguments *arguments, const char *path,
                          struct argp_state *state)
{
    struct stat directory;
    size_t count = arguments->options.debug_dir_count;
    if (stat(path, &directory) != 0)
        argp_error(state, "--debug-dir: %s: %s", path, strerror(errno));
    if (!S_ISDIR(directory.st_mode))
        argp_error(state, "--debug-dir: %s is not a directory", path);
    if (strchr(path, ':'))
        argp_error(state, "--debug-dir takes no name with a colon: %s", path);
    const char **grown =
        reallocarray(arguments->debug_dirs, count + 1, sizeof *arguments->debug_dirs);
    if (!grown)
        argp_failure(state, argp_err_exit_status, ENOMEM, "--debug-dir");
    grown[count] = path;
    arguments->debug_dirs = grown;
    arguments->options.debug_dirs = grown;
    arguments->options.debug_dir_count = count + 1;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    static const char *const names[] = {"own", "short", "templates", "full", "raw"};
    struct symbol_arguments *arguments = state->input;
    switch (key) {
    case OPTION_DEBUG_DIR:
        add_debug_dir(arguments, argument, state);
        return 0;
    case OPTION_NAMES:
        for (int i = 0; i < 5; i++) {
            if (strcmp(argument, names[i]) == 0) {
                arguments->options.names = (enum symbol_names)i;
                arguments->names_given = true;
                return 0;
            }
        }
        argp_error(state, "--names takes own, short, templates, full or raw, not '%s'", argument);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp symbol_argp = {option_table, parse, 0, 0, 0, 0, 0};

void symbol_arguments_release(struct symbol_arguments *arguments)
{
    free(arguments->debug_dirs);
    *arguments = (struct symbol_arguments){0};
}
