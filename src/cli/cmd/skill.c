/* heaptap agent --skill: the text that a coding agent is given. */
#include <stdio.h>

#include "agent/agent.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/parse.h"
#include "cli/report_output.h"

static const struct argp_option option_table[] = {
    {"output", 'o', "FILE", 0, "Write to FILE; - for standard output, the default", 0},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    const char **output = state->input;
    switch (key) {
    case 'o':
        *output = argument;
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "'%s' is one argument too many", argument);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    option_table,
    parse,
    "",
    "Prints how a coding agent works with heaptap: when to use it, how to get from a number to a fix "
    "in each language, and the mistakes to avoid.\v"
    "The text is a skill file: put it where your agent looks for skills, as heaptap/SKILL.md.",
    NULL,
    0,
    0};

static bool print(void *context, FILE *file)
{
    (void)context;
    return fputs(agent_skill, file) >= 0;
}

int cmd_skill(int argc, char **argv)
{
    const char *output = NULL;
    cli_parse(&argp, argc, argv, 0, &output);
    return report_output_write(output, print, NULL);
}
