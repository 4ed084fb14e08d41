#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/affix.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/memtracer/options.h"
#include "cli/own_stack.h"
#include "revision.h"
#include "store/password.h"

static const char version[] = HEAPTAP_VERSION HEAPTAP_REVISION;

/* Does the first word stand for a file, which may be missing? */
static bool is_file(const char *word)
{
    return strcmp(word, "-") == 0 || (*word != '-' && strpbrk(word, "./:")) ||
           access(word, R_OK) == 0;
}

/* Files in place of a command, and what may follow them: what their problem is, and what to ask next. */
static int run_files(int argc, char **argv)
{
    *argv = (char *)"summary";
    struct command summary = command_find(argc, argv);
    return command_run(&summary, argc, argv);
}

static int run_command(int argc, char **argv)
{
    if (argc < 2) {
        help_print(stderr);
        return CLI_USAGE;
    }
    if (strcmp(argv[1], "help") == 0 || strcmp(argv[1], "--help") == 0 ||
        strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "-?") == 0)
        return help_run(argc - 2, argv + 2);
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
        puts(version);
        return CLI_DONE;
    }
    if (strcmp(argv[1], "--help:memtracer") == 0) {
        memtracer_print_help();
        return CLI_DONE;
    }
    /* `heaptap --memtracer ...` is `heaptap memtracer ...`, the option and all. */
    bool as_option = begins_with(argv[1], "--memtracer");
    char *name = argv[1];
    if (as_option)
        *argv = (char *)"memtracer";
    int count = argc - !as_option;
    char **words = argv + !as_option;
    struct command command = command_find(count, words);
    if (!command.name && is_file(name))
        return run_files(argc, argv);
    if (!command.name && argc == 3 && command_is_word(name) && strcmp(argv[2], "--help") == 0)
        return help_run(1, &name);
    if (!command.name)
        return help_say_unknown(count, words);
    return command_run(&command, count, words);
}

/* A standard descriptor that is closed gets /dev/null the wrong way round: no file that is opened
 * later takes its number, and using it fails. */
static void fill_standard_descriptors(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
            (void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

/* But not from what belongs to a program that is recorded. */
static void hide_passwords(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[1], "record") != 0; i++)
        store_hide_password(argv[i]);
}

int main(int argc, char **argv)
{
    fill_standard_descriptors();
    hide_passwords(argc, argv);
    setlocale(LC_CTYPE, "");
    argp_err_exit_status = CLI_USAGE;
    argp_program_version = version;
    return cli_close_output(own_stack_run(run_command, argc, argv));
}
