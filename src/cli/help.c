#include "cli/help.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/near.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/filter_help.h"
#include "answer/schema.h"
#include "report/head.h"
#include "report/reports.h"

/* ---- Commands ------------------------------------------------------------------------ */

static void print_line(FILE *to, const struct command *command)
{
    fprintf(to, "  %-17s %s\n", command->name, command->summary);
}

/* The first screen: what most people need. */
void help_print(FILE *to)
{
    struct command command;
    fputs("heaptap shows where a program allocates, how long the blocks live and what is left.\n\n"
          "usage: heaptap COMMAND [OPTION...] FILE, or heaptap FILE for its summary\n\n",
          to);
    for (size_t i = 0; (command = command_at(i)).name; i++)
        if (command.is_first)
            print_line(to, &command);
    fputs(
        "\nFILE is a trace (.ctf), a profile of pprof or of another profiler, or - for standard input.\n"
        "`heaptap help all` lists all commands, `heaptap COMMAND --help` the options of one;\n"
        "`heaptap help filters` describes filters.\n",
        to);
}

/* All of them, or those that begin with a word. */
static void print_commands(FILE *to, const char *word)
{
    struct command command;
    for (size_t i = 0; (command = command_at(i)).name; i++) {
        if (word && !command_has_word(&command, word))
            continue;
        if (command.group && !word)
            fprintf(to, "%s%s:\n", i > 0 ? "\n" : "", command.group);
        print_line(to, &command);
    }
}

static const char *name_at(size_t i)
{
    return command_at(i).name;
}

static size_t command_count(void)
{
    size_t count = 0;
    while (command_at(count).name)
        count++;
    return count;
}

/* "fleet" alone, or with a word that none of its commands has. */
static int say_unfinished(const char *word, const char *next)
{
    if (next)
        cli_warn("%s has no command '%s'; it has:", word, next);
    else
        cli_warn("%s needs one more word:", word);
    print_commands(stderr, word);
    return CLI_USAGE;
}

int help_say_unknown(int count, char **words)
{
    const char *name = words[0];
    struct command now = command_that_was(name);
    if (command_is_word(name))
        return say_unfinished(name, count > 1 ? words[1] : NULL);
    const char *near = near_word(name, strlen(name), name_at, command_count());
    if (now.name)
        cli_warn("there is no command '%s' any more: it is `heaptap %s` now", name, now.name);
    else if (near)
        cli_warn("there is no command '%s'; did you mean %s?", name, near);
    else
        cli_warn("there is no command '%s'; see `heaptap help`", name);
    return CLI_USAGE;
}

/* ---- Topics -------------------------------------------------------------------------- */

static int print_all(int count, char **words)
{
    (void)count, (void)words;
    print_commands(stdout, NULL);
    return CLI_DONE;
}

static int print_filters(int count, char **words)
{
    (void)count, (void)words;
    filter_help_print();
    return CLI_DONE;
}

static int print_clauses(int count, char **words)
{
    (void)count, (void)words;
    filter_help_print_clauses();
    return CLI_DONE;
}

/* What JSON has of a report's answer, or of all reports'. */
static int print_schema(int count, char **words)
{
    const struct report_entry *entry, *wanted = NULL;
    if (count > 0) {
        struct command command = command_find(count, words);
        wanted = command.name ? report_entry_with_tables(command.name) : NULL;
        if (!wanted) {
            cli_warn("'%s' is no report; see `heaptap help all`", words[0]);
            return CLI_USAGE;
        }
    }
    for (size_t i = 0; (entry = report_entry_at(i)); i++)
        if (entry->tables && (!wanted || entry == wanted)) {
            bool has_head = wanted && entry->traits & REPORT_HAS_HEAD;
            schema_print(stdout, report_entry_title(entry), has_head ? report_head_tables : NULL,
                         entry->tables);
        }
    return CLI_DONE;
}

static const struct {
    const char *name;
    int (*print)(int count, char **words); /* with the words after the topic; an exit status */
} topics[] = {
    {"all", print_all},
    {"filters", print_filters},
    {"clauses", print_clauses},
    {"json", print_schema},
};

/* ---- Help ---------------------------------------------------------------------------- */

/* `heaptap help COMMAND` is `heaptap COMMAND --help`. */
static int run_with_help(const struct command *command, int count, char **words)
{
    char *arguments[4] = {words[0]};
    int used = 1;
    if (count > 1)
        arguments[used++] = words[1];
    arguments[used++] = (char *)"--help";
    return command_run(command, used, arguments);
}

int help_run(int count, char **words)
{
    if (count == 0 || strcmp(words[0], "help") == 0) {
        help_print(stdout);
        return CLI_DONE;
    }
    for (size_t i = 0; i < sizeof topics / sizeof *topics; i++)
        if (strcmp(words[0], topics[i].name) == 0)
            return topics[i].print(count - 1, words + 1);
    struct command command = command_find(count, words);
    if (command.name)
        return run_with_help(&command, count, words);
    if (count > 1 || !command_is_word(words[0]))
        return help_say_unknown(count, words);
    print_commands(stdout, words[0]);
    return CLI_DONE;
}
