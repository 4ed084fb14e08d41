/* heaptap agent --skill: the text that a coding agent is given. */
#include <stdio.h>

#include "agent/agent.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/parse.h"
#include "cli/report_output.h"

static const struct question_option rows[] = {
    {"output", 'o', OPTION_TEXT, 0, "FILE", "Write to FILE; - for standard output, the default"},
    {0}};

static const struct command_line line = {
    .arguments = "",
    .about =
        "Prints how a coding agent works with heaptap: when to use it, how to get from a number to a fix "
        "in each language, and the mistakes to avoid.\v"
        "The text is a skill file: put it where your agent looks for skills, as heaptap/SKILL.md.",
};

static bool print(void *context, FILE *file)
{
    (void)context;
    return fputs(agent_skill, file) >= 0;
}

int cmd_skill(int argc, char **argv)
{
    const char *output = NULL;
    cli_parse(rows, &line, argc, argv, 0, &output);
    return report_output_write(output, print, NULL);
}
