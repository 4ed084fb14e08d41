#include "cli/commands.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/affix.h"
#include "cli/cli.h"
#include "cli/parse.h"
#include "cli/report_command.h"
#include "report/reports.h"

/* Without a summary: report/reports.c has it, and where nothing runs it, what runs all reports does. */
static const struct command commands[] = {
    {"record", "run a program, print what it allocates, keep a trace", cmd_record,
     .group = "Record", .is_first = true},
    {"memtracer", "run a script, print what each of its lines allocates", cmd_memtracer},
#ifdef HEAPTAP_VIEWER
    {"view", "traces and profiles in the browser or the terminal", cmd_view,
     .group = "Look at a file", .is_first = true},
    {"view --output", "the page as one file", cmd_report, .was = "report", .letter = 'o',
     .keeps_option = "FILE"},
#endif
    {.name = "summary", .is_first = true},
    {.name = "diagnose"},
    {.name = "hotspots", .is_first = true},
    {.name = "leaks", .is_first = true},
    {.name = "holders"},
    {"timeline", NULL, cmd_timeline, .is_first = true},
    {.name = "stats", .is_first = true},
    {.name = "distributions"},
    {.name = "advice", .is_first = true},
    {"advice --try", NULL, cmd_try, .keeps_option = "BUILD"},
    {.name = "info", .is_first = true},
    {.name = "flamegraph"},
    {.name = "graph"},
    {.name = "types"},
    {"dump", "every event as text", cmd_dump},
    {"compare", NULL, cmd_compare, .group = "Compare, and check budgets", .is_first = true},
    {"compare --long", NULL, cmd_diff, .was = "diff"},
    {"check", NULL, cmd_check, .is_first = true},
    {.name = "top", .group = "As pprof has them"},
    {.name = "tree"},
    {.name = "tree --callers", .was = "callers"},
    {.name = "tree --callees", .was = "callees"},
    {.name = "peek"},
    {.name = "list"},
    {.name = "traces"},
    {.name = "tags"},
    {"pprof", "allocation stacks as a pprof profile", cmd_pprof},
#ifdef HEAPTAP_VIEWER
    {"fleet serve", "take profiles of a fleet over HTTP into a store", cmd_serve, .was = "serve",
     .group = "Many programs"},
    {"fleet store", "profiles of a fleet, kept in a file or in ClickHouse", cmd_store,
     .was = "store"},
#else
    {"fleet store", "profiles of a fleet, kept in a file or in ClickHouse", cmd_store,
     .was = "store", .group = "Many programs"},
#endif
    {"fleet services", NULL, cmd_services, .was = "services"},
    {"fleet regressions", NULL, cmd_regressions, .was = "regressions"},
    {"agent", "answers for a coding agent, by the Model Context Protocol", cmd_agent,
     .group = "Coding agents"},
    {"agent --skill", "how a coding agent works with heaptap, as a text for it", cmd_skill,
     .was = "skill"},
    {"export", "stacks for speedscope, callgrind, DHAT, SQLite and others", cmd_export,
     .group = "Other files"},
    {"file convert", "rewrite a trace in another version or compression", cmd_convert,
     .was = "convert"},
    {"file subsample", "a smaller trace: fewer samples, part of the time", cmd_subsample,
     .was = "subsample"},
    {"file symbolize", "functions, files and lines for a recorded trace", cmd_symbolize,
     .was = "symbolize"},
    {"file strip", "a trace without names, times and other private details", cmd_strip,
     .was = "strip"},
};

enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

/* ---- The table ----------------------------------------------------------------------- */

static struct command complete(struct command command)
{
    if (command.summary)
        return command;
    command.report = report_entry_of_command(command.name);
    command.summary = command.report->summary;
    return command;
}

static bool is_in_table(const struct report_entry *entry)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(commands[i].name, report_entry_command(entry)) == 0)
            return true;
    return false;
}

/* Those of the table; then the reports that are not in it. */
struct command command_at(size_t i)
{
    const struct report_entry *entry;
    if (i < COMMAND_COUNT)
        return complete(commands[i]);
    for (size_t k = 0, at = COMMAND_COUNT; (entry = report_entry_at(k)); k++)
        if (entry->summary && !is_in_table(entry) && at++ == i)
            return (struct command){.name = report_entry_command(entry),
                                    .summary = entry->summary,
                                    .report = entry,
                                    .group = i == COMMAND_COUNT ? "Other reports" : NULL};
    return (struct command){0};
}

/* ---- Words --------------------------------------------------------------------------- */

/* After the first word of a name: "serve", "--long"; "" for nothing. */
static const char *second(const struct command *command)
{
    const char *blank = strchr(command->name, ' ');
    return blank ? blank + 1 : "";
}

static bool is_by_option(const struct command *command)
{
    return second(command)[0] == '-';
}

bool command_has_word(const struct command *command, const char *word)
{
    size_t size = strlen(word);
    return strncmp(command->name, word, size) == 0 &&
           (command->name[size] == 0 || command->name[size] == ' ');
}

bool command_is_word(const char *word)
{
    struct command command;
    for (size_t i = 0; (command = command_at(i)).name; i++)
        if (command_has_word(&command, word))
            return true;
    return false;
}

/* Is the word the option that makes the command, "--output=FILE" and "-oFILE" included? */
static bool is_option(const struct command *command, const char *word)
{
    const char *option = second(command);
    size_t size = strlen(option);
    return (strncmp(word, option, size) == 0 &&
            (word[size] == 0 || (word[size] == '=' && command->keeps_option))) ||
           (command->letter && word[0] == '-' && word[1] == command->letter);
}

/* Where the option is among the words; 0 for nowhere. */
static int option_at(const struct command *command, int count, char **words)
{
    for (int i = 1; i < count && strcmp(words[i], "--") != 0; i++)
        if (is_option(command, words[i]))
            return i;
    return 0;
}

/* Do the words ask for the command?  The more of them say so, the better: 1 for the first alone, 2 for two, 0 for no. */
static int match(const struct command *command, int count, char **words)
{
    const char *more = second(command);
    if (count == 0 || !command_has_word(command, words[0]))
        return 0;
    if (!*more)
        return 1;
    if (is_by_option(command))
        return option_at(command, count, words) > 0 ? 2 : 0;
    return count > 1 && strcmp(words[1], more) == 0 ? 2 : 0;
}

struct command command_find(int count, char **words)
{
    struct command best = {0}, command;
    int most = 0;
    for (size_t i = 0; (command = command_at(i)).name; i++) {
        int matched = match(&command, count, words);
        if (matched > most) {
            best = command;
            most = matched;
        }
    }
    return best;
}

int command_words(const struct command *command)
{
    return *second(command) && !is_by_option(command) ? 2 : 1;
}

struct command command_that_was(const char *word)
{
    struct command command;
    for (size_t i = 0; (command = command_at(i)).name; i++)
        if (command.was && strcmp(command.was, word) == 0)
            return command;
    return (struct command){0};
}

/* ---- Running ------------------------------------------------------------------------- */

/* What the command's help has of those that an option makes of it. */
static const struct question_option *variants_of(const struct command *command)
{
    enum { MOST = 4 };
    static struct question_option rows[MOST + 1];
    static char docs[MOST][128];
    struct command other;
    int count = 0;
    if (*second(command))
        return NULL;
    for (size_t i = 0; (other = command_at(i)).name && count < MOST; i++)
        if (is_by_option(&other) && command_has_word(&other, command->name)) {
            snprintf(docs[count], sizeof docs[count],
                     "%c%s (a command of its own, with its own --help)", toupper(*other.summary),
                     other.summary + 1);
            rows[count] = (struct question_option){
                second(&other) + 2,          other.letter,        OPTION_TAKEN,
                .value = other.keeps_option, .help = docs[count], .take = cli_refuse_variant,
            };
            count++;
        }
    rows[count] = (struct question_option){0};
    return count > 0 ? rows : NULL;
}

/* "--output=FILE" and "-oFILE". */
static bool has_value_within(const struct command *command, const char *word)
{
    return command->letter && word[1] == command->letter ? word[2] != 0 : strchr(word, '=') != NULL;
}

/* Which word besides the first is no argument; 0 for none.  An option that takes a value is one if it has it: what comes
 * after it in "--output --help" is none. */
static int word_taken(const struct command *command, int count, char **words)
{
    int at = is_by_option(command) ? option_at(command, count, words) : 1;
    bool has_value =
        command->keeps_option && (has_value_within(command, words[at]) ||
                                  !(at + 1 < count && begins_with(words[at + 1], "--")));
    return *second(command) && !has_value ? at : 0;
}

int command_run(const struct command *command, int count, char **words)
{
    int taken = word_taken(command, count, words);
    if (taken) {
        memmove(&words[taken], &words[taken + 1], (size_t)(count - taken) * sizeof *words);
        count--;
    }
    cli_set_name(command->name);
    cli_parse_variants(variants_of(command));
    words[0] = (char *)cli_name();
    return command->run ? command->run(count, words)
                        : report_command_run(command->report, count, words);
}
