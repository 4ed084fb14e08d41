/* heaptap advice: a report whose rules can be listed. */
#include <stdio.h>
#include <stdlib.h>

#include "analyze/advice.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/parse.h"
#include "cli/report_command.h"
#include "cli/report_options.h"

enum { OPTION_RULES = 1000 };

static const struct argp_option option_table[] = {
    {"rules", OPTION_RULES, NULL, 0, "List the rules and when they apply", 0},
    {0},
};

static int print_rules(void)
{
    const char *name, *condition;
    for (size_t i = 0; advice_rule_at(i, &name, &condition); i++)
        printf("%-22s  %s\n", name, condition);
    return CLI_DONE;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    (void)argument;
    (void)state;
    if (key == OPTION_RULES)
        exit(print_rules());
    return ARGP_ERR_UNKNOWN;
}

static const struct argp rules_argp = {option_table, parse, 0, 0, 0, 0, 0};

int cmd_advice(int argc, char **argv)
{
    const struct report_entry *entry = report_entry_find("advice");
    struct question question = question_of(entry);
    cli_parse(report_entry_argp(entry, &rules_argp, NULL), argc, argv, 0, &question);
    int status = report_command_answer(&question);
    question_release(&question);
    return status;
}
