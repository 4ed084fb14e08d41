#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/near.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/filter_help.h"
#include "cli/memtracer/options.h"
#include "cli/next.h"
#include "cli/own_stack.h"
#include "cli/report_options.h"
#include "render/schema.h"
#include "report/reports.h"
#include "revision.h"
#include "store/password.h"

static const char version[] = HEAPTAP_VERSION HEAPTAP_REVISION;

static void print_help(FILE *to)
{
    fputs("heaptap shows where a program allocates, how long the blocks live and what is left.\n\n"
          "usage: heaptap COMMAND [OPTION...] TRACE\n\n",
          to);
    for (size_t i = 0; command_at(i).name; i++) {
        struct command command = command_at(i);
        if (command.group)
            fprintf(to, "%s%s:\n", i > 0 ? "\n" : "", command.group);
        fprintf(to, "  %-11s %s\n", command.name, command.summary);
    }
    fputs("\nA trace is a file written by memtrace or heaptap (.ctf, .ctf.gz, .ctf.zst), or - for "
          "standard input.\n"
          "`heaptap COMMAND --help` lists a command's options; `man heaptap-COMMAND` explains "
          "them; `heaptap help filters` describes filters.\n",
          to);
}

static const char *command_name_at(size_t i)
{
    return command_at(i).name;
}

static int say_unknown(const char *name)
{
    const char *near = near_word(name, strlen(name), command_name_at, command_count());
    if (near)
        cli_warn("there is no command '%s'; did you mean %s?", name, near);
    else
        cli_warn("there is no command '%s'; see `heaptap help`", name);
    return CLI_USAGE;
}

/* A file in place of a command: what it is, and what can be asked of it. */
static int run_file(const char *path)
{
    struct command info = command_find("info");
    char *arguments[] = {NULL, (char *)path, NULL};
    int status = command_run(&info, 2, arguments);
    if (status == CLI_DONE)
        next_print("info", path, stderr);
    return status;
}

/* `heaptap help COMMAND` is `heaptap COMMAND --help`. */
static int run_help(int argc, char **argv)
{
    if (argc < 2 || strcmp(argv[1], "help") == 0) {
        print_help(stdout);
        return CLI_DONE;
    }
    if (strcmp(argv[1], "filters") == 0) {
        filter_help_print();
        return CLI_DONE;
    }
    if (strcmp(argv[1], "clauses") == 0) {
        filter_help_print_clauses();
        return CLI_DONE;
    }
    if (strcmp(argv[1], "answers") == 0) {
        const struct report_entry *entry;
        for (size_t i = 0; (entry = report_entry_at(i)); i++)
            if (entry->tables)
                schema_print(stdout, entry->title ? entry->title : entry->name, entry->tables);
        return CLI_DONE;
    }
    struct command command = command_find(argv[1]);
    if (!command.name)
        return say_unknown(argv[1]);
    char *arguments[] = {NULL, (char *)"--help", NULL};
    return command_run(&command, 2, arguments);
}

static int run_command(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return CLI_USAGE;
    }
    if (strcmp(argv[1], "help") == 0 || strcmp(argv[1], "--help") == 0 ||
        strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "-?") == 0)
        return run_help(argc - 1, argv + 1);
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
        puts(version);
        return CLI_DONE;
    }
    if (strcmp(argv[1], "--help:memtracer") == 0) {
        memtracer_print_help();
        return CLI_DONE;
    }
    /* `heaptap --memtracer ...` is `heaptap memtracer ...`, the option and all. */
    bool as_option = strncmp(argv[1], "--memtracer", strlen("--memtracer")) == 0;
    struct command command = command_find(as_option ? "memtracer" : argv[1]);
    if (!command.name && argc == 2 && access(argv[1], R_OK) == 0)
        return run_file(argv[1]);
    if (!command.name)
        return say_unknown(argv[1]);
    return command_run(&command, argc - !as_option, argv + !as_option);
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
    report_options_prepare();
    return cli_close_output(own_stack_run(run_command, argc, argv));
}
