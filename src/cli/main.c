#include "cli/main.h"

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
#include "cli/filter_help.h"
#include "cli/memtracer/options.h"
#include "cli/report_command.h"
#include "cli/report_options.h"
#include "render/schema.h"
#include "report/reports.h"
#include "revision.h"

static const struct command commands[] = {
    {"record", "run a program, say what it allocates, keep a trace", cmd_record},
    {"memtracer", "run a script, say what each of its lines allocates", cmd_memtracer},
    {"info", "what a trace is, and its figures", cmd_info},
#ifdef HEAPTAP_VIEWER
    {"view", "traces and profiles in the browser", cmd_view},
    {"report", "the viewer's page as one file", cmd_report},
#endif
    {"graph", "who calls whom, as a picture", cmd_graph},
    {"flamegraph", "allocation stacks, folded or as a picture", cmd_flamegraph},
    {"timeline", "live bytes and allocation over time", cmd_timeline},
    {"check", "whether traces keep to their memory budgets", cmd_check},
    {"diff", "what changed between two traces or profiles", cmd_diff},
    {"stats", "sizes and lifetimes of blocks", cmd_stats},
    {"dump", "every event as text", cmd_dump},
    {"export", "stacks for speedscope, callgrind, DHAT, SQLite and others", cmd_export},
    {"pprof", "allocation stacks as a pprof profile", cmd_pprof},
    {"convert", "rewrite a trace in another version or compression", cmd_convert},
    {"subsample", "a smaller trace: fewer samples, part of the time", cmd_subsample},
    {"symbolize", "functions, files and lines for a recorded trace", cmd_symbolize},
    {"strip", "a trace without names, times and other private details", cmd_strip},
};

enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

/* Reports that do more than report_command_run. */
static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} own_commands[] = {{"hotspots", cmd_hotspots}, {"leaks", cmd_leaks}, {"advice", cmd_advice}};

static struct command command_of(const struct report_entry *entry)
{
    struct command command = {entry->name, entry->summary, .report = entry};
    for (size_t i = 0; i < sizeof own_commands / sizeof own_commands[0]; i++)
        if (strcmp(own_commands[i].name, entry->name) == 0)
            command.run = own_commands[i].run;
    return command;
}

/* The i-th of all commands, in the order of `heaptap help`: those above, with the reports before `graph`.  Its name is NULL
 * past the end. */
static struct command command_at(size_t i)
{
    size_t before = 0, reports = 0;
    const struct report_entry *entry;
    while (strcmp(commands[before].name, "graph") != 0)
        before++;
    if (i < before)
        return commands[i];
    for (size_t k = 0; (entry = report_entry_at(k)); k++)
        if (entry->put && reports++ == i - before)
            return command_of(entry);
    return i - reports < COMMAND_COUNT ? commands[i - reports] : (struct command){0};
}

static size_t count_commands(void)
{
    size_t count = 0;
    while (command_at(count).name)
        count++;
    return count;
}

static const char version[] = HEAPTAP_VERSION HEAPTAP_REVISION;
static char command_name[64] = "heaptap";

const char *main_command_name(void)
{
    return command_name;
}

static void print_help(FILE *to)
{
    fputs("heaptap shows where a program allocates, how long the blocks live and what is left.\n\n"
          "usage: heaptap COMMAND [OPTION...] TRACE\n\n",
          to);
    for (size_t i = 0; command_at(i).name; i++)
        fprintf(to, "  %-11s %s\n", command_at(i).name, command_at(i).summary);
    fputs("\nA trace is a file written by memtrace or heaptap (.ctf, .ctf.gz, .ctf.zst), or - for "
          "standard input.\n"
          "`heaptap COMMAND --help` lists a command's options; `man heaptap-COMMAND` explains "
          "them; `heaptap help filters` describes filters.\n",
          to);
}

/* Its name is NULL where there is none. */
static struct command find_command(const char *name)
{
    size_t i = 0;
    while (command_at(i).name && strcmp(command_at(i).name, name) != 0)
        i++;
    return command_at(i);
}

bool main_has_command(const char *name)
{
    return find_command(name).name;
}

static const char *command_name_at(size_t i)
{
    return command_at(i).name;
}

static int run(const struct command *command, int argc, char **argv)
{
    return command->run ? command->run(argc, argv)
                        : report_command_run(command->report, argc, argv);
}

static int say_unknown(const char *name)
{
    const char *near = near_word(name, strlen(name), command_name_at, count_commands());
    if (near)
        cli_warn("there is no command '%s'; did you mean %s?", name, near);
    else
        cli_warn("there is no command '%s'; see `heaptap help`", name);
    return CLI_USAGE;
}

/* A file in place of a command: what it is, and what can be asked of it. */
static int run_file(const char *path)
{
    char *arguments[] = {command_name, (char *)path, NULL};
    snprintf(command_name, sizeof command_name, "heaptap info");
    int status = cmd_info(2, arguments);
    if (status == CLI_DONE)
        fprintf(stderr,
                "\nNext: heaptap view %s shows it in the browser; heaptap hotspots %s lists what "
                "allocates most.\n",
                path, path);
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
    struct command command = find_command(argv[1]);
    if (!command.name)
        return say_unknown(argv[1]);
    char *arguments[] = {command_name, (char *)"--help", NULL};
    snprintf(command_name, sizeof command_name, "heaptap %s", command.name);
    return run(&command, 2, arguments);
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
    struct command command = find_command(as_option ? "memtracer" : argv[1]);
    if (!command.name && argc == 2 && access(argv[1], R_OK) == 0)
        return run_file(argv[1]);
    if (!command.name)
        return say_unknown(argv[1]);
    snprintf(command_name, sizeof command_name, "heaptap %s", command.name);
    argv[!as_option] = command_name;
    return run(&command, argc - !as_option, argv + !as_option);
}

/* A standard descriptor that is closed gets /dev/null the wrong way round: no file that is opened
 * later takes its number, and using it fails. */
static void fill_standard_descriptors(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
            (void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

int main_run(int argc, char **argv)
{
    int status = run_command(argc, argv);
    bool failed = ferror(stdout);
    errno = 0;
    if (fclose(stdout) != 0 || failed) {
        cli_warn("writing the output: %s", errno ? strerror(errno) : "not all of it could be");
        return CLI_FAILED;
    }
    return status;
}

int main(int argc, char **argv)
{
    fill_standard_descriptors();
    setlocale(LC_CTYPE, "");
    argp_err_exit_status = CLI_USAGE;
    argp_program_version = version;
    report_options_prepare();
    return main_run(argc, argv);
}
