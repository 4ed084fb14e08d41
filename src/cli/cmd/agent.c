/* heaptap agent: the Model Context Protocol over standard input and output. */
#include <signal.h>
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
    uint64_t budget, timeout;
};

enum {
    OPTION_ROOT = 1000,
    OPTION_ALLOW_RUN,
    OPTION_BUDGET,
    OPTION_TIMEOUT,
    BUDGET_USUAL = 12000,
    BUDGET_LEAST = 1000,
    BUDGET_MOST = 1000000,
    TIMEOUT_USUAL = 120,
    TIMEOUT_MOST = 86400,
};

static const struct argp_option option_table[] = {
    {"root", OPTION_ROOT, "DIR", 0,
     "Read only recordings and sources below DIR, and write recordings there "
     "(default: the present folder)",
     0},
    {"allow-run", OPTION_ALLOW_RUN, "PROGRAM", 0,
     "Let the client run and record PROGRAM, which may have arguments (\"python3 app.py\"), with any after these. Can be repeated; without it, nothing is run",
     0},
    {"budget", OPTION_BUDGET, "N", 0, "Limit an answer to N characters (12000)", 0},
    {"timeout", OPTION_TIMEOUT, "SECONDS", 0, "Time limit of a question (120)", 0},
    {0},
};

static void number(uint64_t *value, const char *text, const char *option, uint64_t least,
                   uint64_t most, struct argp_state *state)
{
    if (!cli_parse_whole(text, least, most, value))
        argp_error(state, "--%s takes a whole number from %d to %d, not '%s'", option, (int)least,
                   (int)most, text);
}

static void allow(struct options *options, const char *program, struct argp_state *state)
{
    if (!ARRAY_RESERVE(&options->programs, &options->program_capacity, options->program_count + 1))
        argp_failure(state, CLI_FAILED, 0, "out of memory");
    options->programs[options->program_count++] = program;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;
    switch (key) {
    case OPTION_ROOT:
        options->root = argument;
        return 0;
    case OPTION_ALLOW_RUN:
        allow(options, argument, state);
        return 0;
    case OPTION_BUDGET:
        number(&options->budget, argument, "budget", BUDGET_LEAST, BUDGET_MOST, state);
        return 0;
    case OPTION_TIMEOUT:
        number(&options->timeout, argument, "timeout", 1, TIMEOUT_MOST, state);
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "'%s' is one argument too many: --root names the folder", argument);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    option_table,
    parse,
    "",
    "Serves a coding agent by the Model Context Protocol on standard input and output: tools to name the costliest causes, to list "
    "recordings, to run any report on one, to compare two, to look at sources, to check an estimate against what was measured and, "
    "if --allow-run names programs, to record.\v"
    "A client starts the server itself: give it the command `heaptap agent --root=DIR`. `heaptap agent --skill` prints how to work with it.",
    NULL,
    0,
    0};

/* The path of this program: what answers. */
static char *own_path(void)
{
    return realpath("/proc/self/exe", NULL);
}

int cmd_agent(int argc, char **argv)
{
    struct options options = {.root = ".", .budget = BUDGET_USUAL, .timeout = TIMEOUT_USUAL};
    struct heaptap_error error;
    cli_parse(&argp, argc, argv, 0, &options);
    char *path = own_path();
    struct agent_options agent = {
        .root = options.root,
        .heaptap = path,
        .programs = options.programs,
        .program_count = options.program_count,
        .budget = options.budget,
        .timeout = (long)options.timeout,
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
