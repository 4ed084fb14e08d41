#include "cli/commands.h"

#include <stdbool.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/report_command.h"
#include "report/reports.h"

/* Without a summary: report/reports.c has it. */
static const struct command commands[] = {
    {"record", "run a program, say what it allocates, keep a trace", cmd_record, .group = "Record"},
    {"memtracer", "run a script, say what each of its lines allocates", cmd_memtracer},
    {"info", NULL, cmd_info, .group = "Look at a file"},
#ifdef HEAPTAP_VIEWER
    {"view", "traces and profiles in the browser", cmd_view},
    {"report", "the viewer's page as one file", cmd_report},
#endif
    {"flamegraph", NULL, cmd_flamegraph},
    {"timeline", NULL, cmd_timeline},
    {"stats", NULL, cmd_stats},
    {"dump", "every event as text", cmd_dump},
    {"diff", NULL, cmd_diff, .group = "Compare, and keep to a budget"},
    {"compare", NULL, cmd_compare},
    {"check", NULL, cmd_check},
    {"store", "profiles of a fleet, kept in a file or in ClickHouse", cmd_store,
     .group = "Many programs"},
    {"services", NULL, cmd_services},
    {"regressions", NULL, cmd_regressions},
#ifdef HEAPTAP_VIEWER
    {"serve", "take profiles of a fleet over HTTP into a store", cmd_serve},
#endif
    {"agent", "answers for a coding agent, by the Model Context Protocol", cmd_agent,
     .group = "Coding agents"},
    {"skill", "how a coding agent works with heaptap, as a text for it", cmd_skill},
    {"export", "stacks for speedscope, callgrind, DHAT, SQLite and others", cmd_export,
     .group = "Other files"},
    {"pprof", "allocation stacks as a pprof profile", cmd_pprof},
    {"convert", "rewrite a trace in another version or compression", cmd_convert},
    {"subsample", "a smaller trace: fewer samples, part of the time", cmd_subsample},
    {"symbolize", "functions, files and lines for a recorded trace", cmd_symbolize},
    {"strip", "a trace without names, times and other private details", cmd_strip},
};

enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

static struct command command_in_table(size_t i)
{
    struct command command = commands[i];
    if (!command.summary) {
        command.report = report_entry_find(command.name);
        command.summary = command.report->summary;
    }
    return command;
}

static bool is_in_table(const char *name)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(commands[i].name, name) == 0)
            return true;
    return false;
}

/* Reports that do more than report_command_run. */
static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} own_commands[] = {
    {"hotspots", cmd_hotspots}, {"leaks", cmd_leaks}, {"advice", cmd_advice}, {"graph", cmd_graph}};

static struct command command_of(const struct report_entry *entry)
{
    struct command command = {entry->name, entry->summary, .report = entry};
    for (size_t i = 0; i < sizeof own_commands / sizeof own_commands[0]; i++)
        if (strcmp(own_commands[i].name, entry->name) == 0)
            command.run = own_commands[i].run;
    return command;
}

/* Those above, with the reports before `flamegraph`. */
struct command command_at(size_t i)
{
    size_t before = 0, reports = 0;
    const struct report_entry *entry;
    while (strcmp(commands[before].name, "flamegraph") != 0)
        before++;
    if (i < before)
        return command_in_table(i);
    for (size_t k = 0; (entry = report_entry_at(k)); k++)
        if (entry->summary && !is_in_table(entry->name) && reports++ == i - before) {
            struct command command = command_of(entry);
            command.group = i == before ? "Reports of a file" : NULL;
            return command;
        }
    return i - reports < COMMAND_COUNT ? command_in_table(i - reports) : (struct command){0};
}

size_t command_count(void)
{
    size_t count = 0;
    while (command_at(count).name)
        count++;
    return count;
}

struct command command_find(const char *name)
{
    size_t i = 0;
    while (command_at(i).name && strcmp(command_at(i).name, name) != 0)
        i++;
    return command_at(i);
}

int command_run(const struct command *command, int argc, char **argv)
{
    cli_set_name(command->name);
    argv[0] = (char *)cli_name();
    return command->run ? command->run(argc, argv)
                        : report_command_run(command->report, argc, argv);
}
