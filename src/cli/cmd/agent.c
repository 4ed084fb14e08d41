/* heaptap agent: the Model Context Protocol over standard input and output. */
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/agent.h"
#include "base/array.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/parse.h"

struct options {
    const char *root;
    const char **programs;
    size_t program_count, program_capacity;
    long budget, timeout;
};

enum {
    BUDGET_USUAL = 12000,
    BUDGET_LEAST = 1000,
    BUDGET_MOST = 1000000,
    TIMEOUT_USUAL = 120,
    TIMEOUT_MOST = 86400,
};

static bool take_program(void *target, const char *program, struct heaptap_error *error)
{
    struct options *options = target;
    if (!ARRAY_RESERVE(&options->programs, &options->program_capacity, options->program_count + 1))
        return error_no_memory(error), false;
    options->programs[options->program_count++] = program;
    return true;
}

static const struct question_option rows[] = {
    {"root", 0, OPTION_TEXT, 0, "DIR",
     "Read only recordings and sources below DIR, and write recordings there "
     "(default: the present folder)",
     offsetof(struct options, root)},
    {"allow-run", 0, OPTION_TAKEN, 0, "PROGRAM",
     "Let the client run and record PROGRAM, which may have arguments (\"python3 app.py\"), with any after these. Can be repeated; without it, nothing is run",
     .take = take_program},
    {"budget", 0, OPTION_NUMBER, 0, "N", "Limit an answer to N characters (12000)",
     offsetof(struct options, budget), .least = BUDGET_LEAST, .most = BUDGET_MOST},
    {"timeout", 0, OPTION_NUMBER, 0, "SECONDS", "Time limit of a question (120)",
     offsetof(struct options, timeout), .least = 1, .most = TIMEOUT_MOST},
    {0}};

static void take(char *argument, struct argp_state *state)
{
    argp_error(state, "'%s' is one argument too many: --root names the folder", argument);
}

static const struct command_line line = {
    .take = take,
    .arguments = "",
    .about =
        "Serves a coding agent by the Model Context Protocol on standard input and output: tools to name the costliest causes, to list "
        "recordings, to run any report on one, to compare two, to look at sources, to check an estimate against what was measured and, "
        "if --allow-run names programs, to record.\v"
        "A client starts the server itself: give it the command `heaptap agent --root=DIR`. `heaptap agent --skill` prints how to work with it.",
};

/* The path of this program: what answers. */
static char *own_path(void)
{
    return realpath("/proc/self/exe", NULL);
}

int cmd_agent(int argc, char **argv)
{
    struct options options = {.root = ".", .budget = BUDGET_USUAL, .timeout = TIMEOUT_USUAL};
    struct heaptap_error error;
    cli_parse(rows, &line, argc, argv, 0, &options);
    char *path = own_path();
    struct agent_options agent = {
        .root = options.root,
        .heaptap = path,
        .programs = options.programs,
        .program_count = options.program_count,
        .budget = (size_t)options.budget,
        .timeout = options.timeout,
        .version = argp_program_version,
    };
    signal(SIGPIPE, SIG_IGN); /* a client that goes is no failure */
    int status = CLI_DONE;
    if (!path)
        cli_fail_memory(&status);
    else if (agent_serve(&agent, STDIN_FILENO, STDOUT_FILENO, &error) != HEAPTAP_OK)
        status = cli_fail(options.root, &error);
    free(options.programs);
    free(path);
    return status;
}
