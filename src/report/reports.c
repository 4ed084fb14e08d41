#include "report/reports.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/plain.h"
#include "report/advice/advice.h"
#include "report/change/check.h"
#include "report/change/compare.h"
#include "report/calls/context.h"
#include "report/change/diff.h"
#include "report/blocks/distributions.h"
#include "report/tree/flamegraph.h"
#include "report/calls/graph.h"
#include "report/head.h"
#include "report/holders/holders.h"
#include "report/sites/hotspots.h"
#include "report/info/info.h"
#include "report/sites/leaks.h"
#include "report/calls/list.h"
#include "report/guest/memtracer.h"
#include "report/blocks/stats.h"
#include "report/summary/diagnosis.h"
#include "report/summary/summary.h"
#include "report/advice/trial.h"
#include "report/calls/tags.h"
#include "report/info/recording.h"
#include "report/change/regressions.h"
#include "report/change/services.h"
#include "report/blocks/timeline.h"
#include "report/calls/top.h"
#include "report/calls/traces.h"
#include "report/tree/tree.h"
#include "report/sites/types.h"

/* Options that go together. */
enum {
    FORMS = PART_FORMAT | PART_MARKDOWN,
    USUAL = PART_FILTER | PART_SAMPLE | PART_GRAIN | PART_INLINES | PART_NAMES | FORMS,
    UNITS = PART_UNIT | PART_RELATIVE,
};

static const struct report_entry entries[] = {
    {.name = "The head of each", .tables = report_head_tables},
    {.name = "summary",
     .tables = summary_tables,
     .summary = "what the problem is: peak, leaks, churn, and the lines they come from",
     .about =
         "Shows on one screen what FILE used at its peak, left at the end, allocated for a short time and in all, each with "
         "the line of your own code that has most of it, and the first points of advice.\v"
         "`heaptap FILE` prints the same. Each row is a question of `heaptap hotspots`: at the peak, live-at=peak; left at "
         "the end, collected=never; short-lived, what died within a hundredth of the run, a second at most. Of a profile, "
         "what is in use and what was allocated. With --base, what was allocated more than in FILE, or less, and the "
         "line that changed most; `heaptap compare` has all of them.",
     .traits =
         REPORT_HAS_HEAD | REPORT_BY_SITE | REPORT_ASKS_LIVES | REPORT_OF_LEAKS | REPORT_TAKES_BASE,
     .parts = PART_FILTER | PART_NAMES | PART_SOURCES | PART_BASE | FORMS,
     .grain = GRAIN_LINE,
     .check = summary_check,
     .put = summary_put},
    {.name = "diagnose",
     .tables = diagnosis_tables,
     .summary = "the three costliest causes, with their lines, in less than 2 kB",
     .about =
         "Names the three causes that cost most memory in FILE, each with its line, the heaviest way to it, what it has, what a "
         "remedy saves at most, and the budget that keeps that.\v"
         "Causes are the first points of `heaptap advice`; where there are fewer than three, lines that have much of the peak, of "
         "what is left at the end, or of all that was allocated. Coding agents begin with it.",
     .traits = REPORT_BY_SITE | REPORT_ASKS_LIVES | REPORT_OF_LEAKS,
     .parts = PART_FILTER | PART_SOURCES | FORMS,
     .grain = GRAIN_LINE,
     .put = diagnosis_put},
    {.name = "info",
     .tables = info_tables,
     .summary = "what a trace is, and its figures",
     .about =
         "Shows what TRACE is, where it comes from, and how much was allocated, promoted, collected and left.\v"
         "TRACE may also be a pprof profile: then its values are shown, with their types. Bytes and blocks are "
         "estimates from the samples; at rate 1 they are exact. Without a filter a trace is read once, from front to "
         "back; with one, up to four times.",
     .traits = REPORT_READS_EVENTS,
     .parts = PART_FILTER | FORMS,
     .options = info_options,
     .check = info_check,
     .refuse = info_refuse,
     .put = info_put},
    {.name = "hotspots",
     .tables = hotspots_tables,
     .summary = "which places allocate most, and who calls them",
     .about =
         "Lists the places that allocate most in TRACE, or weigh most in a pprof profile, and their callers.\v"
         "A site is where the innermost function of a stack allocates, inlined or not. A caller counts once per "
         "stack, however often it recurs, with all that the stack allocates; a caller's SHARE is of its site. Bytes "
         "and objects are estimates from the samples; at rate 1 they are exact.",
     .traits = REPORT_SUMS_STACKS | REPORT_IN_ANY_ORDER | REPORT_BY_SITE,
     .parts = PART_FILTER | PART_SAMPLE | PART_NAMES | FORMS,
     .options = hotspots_options,
     .usual = &hotspots_usual,
     .usual_size = sizeof hotspots_usual,
     .check = hotspots_check,
     .refuse = hotspots_refuse,
     .put = hotspots_put},
    {.name = "top",
     .tables = top_tables,
     .summary = "functions by what they allocate, themselves and through others",
     .about =
         "Lists the functions that allocate most in TRACE, or weigh most in a pprof profile.\v"
         "flat is what a function allocates itself, cum what comes through it, once per stack however often it "
         "recurs. Functions whose cum is less than half a percent are left out.",
     .traits = REPORT_HAS_HEAD | REPORT_SUMS_STACKS | REPORT_TAKES_BASE,
     .parts = USUAL | UNITS | PART_MEAN | PART_NODES,
     .put = top_put},
    {.name = "tree",
     .title = "tree, tree --callers, tree --callees",
     .tables = tree_tables,
     .summary = "the call tree, callers or allocation sites first",
     .about =
         "Shows the call tree of TRACE, or of a pprof profile: what each call allocates, and where below.\v"
         "cum is what comes through a call, flat what its function allocates itself there. Calls of less than half "
         "a percent are left out. A function that is the only one below another is not indented.",
     .traits = REPORT_HAS_HEAD | REPORT_SUMS_STACKS | REPORT_TAKES_BASE,
     .parts = USUAL | UNITS | PART_MEAN | PART_NODES | PART_PICTURE,
     .options = tree_options,
     .check = tree_check,
     .put = tree_put},
    {.name = "callers",
     .command = "tree --callers",
     .summary = "who calls functions, as a tree",
     .about =
         "Shows the callers of the functions of TRACE that match REGEX, and what is allocated through each.\v"
         "A stack begins at the outermost function that matches and goes on to its callers; it counts once.",
     .traits = REPORT_HAS_HEAD | REPORT_SUMS_STACKS | REPORT_TAKES_BASE | REPORT_NEEDS_PATTERN,
     .parts = USUAL | UNITS | PART_PICTURE,
     .options = &tree_options[TREE_BRANCH_OPTIONS],
     .put = callers_put},
    {.name = "callees",
     .command = "tree --callees",
     .summary = "what functions allocate in what they call, as a tree",
     .about =
         "Shows where the functions of TRACE that match REGEX, and what they call, allocate.\v"
         "A stack begins at the outermost function that matches and goes on to its callees; it counts once.",
     .traits = REPORT_HAS_HEAD | REPORT_SUMS_STACKS | REPORT_TAKES_BASE | REPORT_NEEDS_PATTERN,
     .parts = USUAL | UNITS | PART_PICTURE,
     .options = &tree_options[TREE_BRANCH_OPTIONS],
     .put = callees_put},
    {.name = "peek",
     .title = "peek, tree --context",
     .tables = context_tables,
     .summary = "functions with their direct callers and callees",
     .about =
         "Shows the functions of TRACE whose names match REGEX, each between those that call it and those that it "
         "calls.\v"
         "A caller's part is what comes through it to the function, a callee's part what the function allocates "
         "through it; both are parts of the function's cum.",
     .traits = REPORT_HAS_HEAD | REPORT_SUMS_STACKS | REPORT_TAKES_BASE | REPORT_NEEDS_PATTERN,
     .parts = USUAL | UNITS | PART_MEAN,
     .put = context_put},
    {.name = "list",
     .tables = list_tables,
     .summary = "functions line by line, with their sources",
     .about =
         "Shows the functions of TRACE whose names match REGEX line by line, with their sources if they are "
         "found.\v"
         "flat is what a line allocates itself, cum what it and what it calls allocate.",
     .traits = REPORT_HAS_HEAD | REPORT_SUMS_STACKS | REPORT_TAKES_BASE | REPORT_NEEDS_PATTERN,
     .parts = PART_FILTER | PART_SAMPLE | PART_INLINES | FORMS | UNITS | PART_SOURCES,
     .grain = GRAIN_LINE,
     .put = list_put},
    {.name = "traces",
     .tables = traces_tables,
     .summary = "every stack with what it allocates",
     .about =
         "Lists the stacks of TRACE, or of a pprof profile, each with its value, the heaviest first.\v"
         "Stacks begin with the function that allocates.",
     .traits = REPORT_HAS_HEAD | REPORT_SUMS_STACKS,
     .parts = USUAL | PART_UNIT | PART_MEAN,
     .options = traces_options,
     .check = traces_check,
     .refuse = traces_refuse,
     .put = traces_put},
    {.name = "types",
     .tables = types_tables,
     .summary = "what is allocated by type, or by size",
     .about =
         "Lists the types whose blocks take most in TRACE: types of a guest language, if the trace has them, else "
         "classes of sizes, each up to a power of two.\v"
         "LIVE is what is alive at the end, KEPT its part of what was allocated.",
     .traits = REPORT_HAS_HEAD | REPORT_NEEDS_BLOCKS | REPORT_FOLDS_BLOCKS,
     .parts = PART_FILTER | FORMS | PART_COUNT | PART_NAMES,
     .put = types_put},
    {.name = "tags",
     .tables = tags_tables,
     .summary = "labels of samples, sizes, threads and the like, with their values",
     .about =
         "Lists the labels of a pprof profile's samples, or the sizes, sources, domains, threads and types of the "
         "blocks of TRACE, each with what it weighs.\v"
         "Shares are of what has the key. A filter can select what is listed: size=24, thread=worker; "
         "tag:KEY=VALUE in a profile.",
     .traits = REPORT_HAS_HEAD,
     .parts = PART_FILTER | PART_SAMPLE | PART_UNIT | FORMS,
     .options = tags_options,
     .put = tags_put},
    {.name = "graph",
     .tables = graph_tables,
     .summary = "who calls whom, as a picture",
     .about =
         "Draws the functions of TRACE, or of a pprof profile, and who calls whom, as pprof does.\v"
         "The size of a text shows what a function allocates itself, the colour of a node and the width of an edge "
         "what comes through it. Dotted edges pass over functions that are not shown; boxes show sizes of blocks.",
     .traits = REPORT_HAS_HEAD | REPORT_TAKES_BASE,
     .parts = USUAL | UNITS | PART_NODES,
     .options = graph_options,
     .put = graph_put},
    {.name = "leaks",
     .tables = leaks_tables,
     .summary = "what is alive at the end, with its age, by place",
     .about =
         "Lists what is alive at the end of TRACE by the place that allocated it, with its age and its callers.\v"
         "KEPT is the part of all bytes of the place that is still alive, LIVE what was alive over time. "
         "VERDICT tells what leaks or grows until the run ends from caches and from what is kept from the start; of programs "
         "without a leak, at most 5 in 100 have any place accused. The clause lifetime>=10s leaves out young blocks.",
     .traits = REPORT_HAS_HEAD | REPORT_NEEDS_IN_USE | REPORT_BY_SITE | REPORT_ASKS_LIVES |
               REPORT_OF_LEAKS,
     .parts = USUAL | PART_SUPPRESSIONS,
     .grain = GRAIN_LINE,
     .options = leaks_options,
     .usual = &leaks_usual,
     .usual_size = sizeof leaks_usual,
     .check = leaks_check,
     .put = leaks_put},
    {.name = "holders",
     .tables = holders_tables,
     .summary = "through what blocks are held, from which variables and stacks",
     .about =
         "Lists what was alive when TRACE's program ended, or at a snapshot before that, by the place that allocated it, with the ways on which it was held: "
         "from a variable, a thread's stack or a mapping, through other blocks. What nothing held is lost.\v"
         "TRACE is one that `heaptap record --holders` has written. RETAINED is the place's blocks, and what is "
         "held through one of them, or through the root, alone. A filter chooses blocks by their stacks; "
         "what they are held through is shown in any case.",
     .traits = REPORT_HAS_HEAD | REPORT_NEEDS_BLOCKS | REPORT_NEEDS_HOLDERS | REPORT_BY_SITE |
               REPORT_FOLDS_BLOCKS,
     .parts = PART_FILTER | PART_GRAIN | PART_NAMES | FORMS,
     .grain = GRAIN_LINE,
     .options = holders_options,
     .usual = &holders_usual,
     .usual_size = sizeof holders_usual,
     .check = holders_check,
     .refuse = holders_refuse,
     .put = holders_put},
    {.name = "advice",
     .tables = advice_tables,
     .summary = "places worth a look, by rules, with their figures",
     .about =
         "Lists the places of TRACE to which a rule applies: short-lived blocks, blocks that grow, many small blocks, "
         "memory that grows all the time, ... Each has its figures, and a remedy that usually helps.\v"
         "--rules lists the rules with their conditions. Rules for languages apply to blocks that are at least 5 % of all bytes.",
     .traits = REPORT_HAS_HEAD | REPORT_NEEDS_BLOCKS | REPORT_BY_SITE | REPORT_FOLDS_BLOCKS |
               REPORT_ASKS_LIVES,
     .parts = PART_FILTER | PART_GRAIN | PART_INLINES | FORMS | PART_SOURCES,
     .grain = GRAIN_LINE,
     .options = advice_options,
     .put = advice_put},
    {.name = "trial",
     .command = "advice --try",
     .tables = trial_tables,
     .summary = "what advice promises, and what your change saves",
     .about =
         "Records COMMAND, prints advice, waits until you have changed the sources, runs BUILD in a shell, records COMMAND again, and "
         "prints what was promised beside what was saved, for each function.\v"
         "It waits until the source files that the recording names have changed, and for Enter where standard input is a terminal. "
         "After a build that fails it waits again. With --json standard output has the answer alone; what COMMAND and BUILD print goes to standard error.",
     .arguments = "BUILD [--] COMMAND [ARGUMENT...]",
     .traits = REPORT_BY_SITE | REPORT_ASKS_LIVES,
     .parts = PART_SOURCES | FORMS,
     .grain = GRAIN_LINE},
    {.name = "check",
     .tables = check_tables,
     .summary = "whether traces keep to their memory budgets",
     .about =
         "Checks that what FILE allocates keeps to its budgets, and names the sites that break them.\v"
         "Exits with 0 if all budgets hold, with 1 if one is broken. An estimate from samples breaks its "
         "budget if it is over the limit with 95 % certainty.",
     .arguments = "FILE... [CLAUSE...]",
     .parts = PART_FILTER | PART_SUPPRESSIONS | FORMS,
     .options = check_options,
     .check = check_check},
    {.name = "compare",
     .tables = compare_tables,
     .summary = "before and after: what changed, and which changes are beyond chance",
     .about =
         "Compares two recordings of the same work: their totals, and the functions that came, went, grew and shrank by more "
         "than chance.\v"
         "Notes reasons to doubt the comparison, and totals that depend on when a garbage collector ran. `heaptap compare --long` "
         "lists all differences, and draws them.",
     .arguments = "BEFORE AFTER [CLAUSE...]",
     .traits = REPORT_TAKES_TWO | REPORT_BY_SITE,
     .parts = PART_FILTER | PART_GRAIN | PART_COUNT | PART_NAMES | FORMS,
     .options = compare_options,
     .usual = &compare_usual,
     .usual_size = sizeof compare_usual,
     .refuse = compare_refuse,
     .put = compare_put},
    {.name = "diff",
     .command = "compare --long",
     .tables = diff_tables,
     .summary = "what changed between two traces or profiles",
     .about =
         "Lists the functions whose own values differ most between two traces, or two pprof profiles: which were added, "
         "are gone, have grown or shrunk, and which changes may be the chance of sampling.\v"
         "Percentages are of the total of BASE. Clauses filter both.",
     .arguments = "BASE NEW [CLAUSE...]",
     .traits = REPORT_TAKES_TWO | REPORT_BY_SITE | REPORT_FOLDS_BLOCKS,
     .parts = USUAL | PART_NODES,
     .options = diff_options,
     .usual = &diff_usual,
     .usual_size = sizeof diff_usual,
     .put = diff_of_reports},
    {.name = "services",
     .command = "fleet services",
     .tables = services_tables,
     .summary = "how much each service in a store allocates",
     .about =
         "Lists the services of a store, or the values of another label, with what they allocate and have in use.\v"
         "Conditions choose profiles by labels and time: version=1.4, host!=a7, 'time=last 24h'.",
     .arguments = "store:FILE [NAME=VALUE...]",
     .traits = REPORT_OF_STORE,
     .parts = PART_COUNT | FORMS,
     .options = services_options,
     .usual = &services_usual,
     .usual_size = sizeof services_usual},
    {.name = "regressions",
     .command = "fleet regressions",
     .tables = regressions_tables,
     .summary = "sites that grew between two versions by more than chance",
     .about =
         "Lists the sites that have a larger share of what is allocated than before, by more than the chance of sampling. The "
         "base comes first.\v"
         "A site is the innermost function that is not an allocator. All sites are tested; the rate of false alarms is that of "
         "all tests together. The exit status is 1 if a site is listed.",
     .arguments = "store:FILE NAME=VALUE... store:FILE NAME=VALUE...",
     .traits = REPORT_OF_STORE | REPORT_TAKES_TWO,
     .parts = PART_COUNT | FORMS,
     .options = regressions_options,
     .usual = &regressions_usual,
     .usual_size = sizeof regressions_usual,
     .check = regressions_check},
    {.name = "timeline",
     .tables = timeline_tables,
     .summary = "live bytes and allocation over time",
     .about =
         "Shows the live bytes of TRACE over time, with the peak, and what is allocated per second.\v"
         "With a filter, the curve of what passes it is filled, and that of everything is dotted. Bytes are estimates from the "
         "samples; at rate 1 they are exact.",
     .traits = REPORT_HAS_HEAD | REPORT_NEEDS_BLOCKS,
     .parts = PART_FILTER | PART_SAMPLE | FORMS | PART_PICTURE,
     .options = timeline_options,
     .check = timeline_check,
     .refuse = timeline_refuse,
     .put = timeline_put},
    {.name = "stats",
     .tables = stats_tables,
     .summary = "sizes and lifetimes of blocks",
     .about =
         "Shows the sizes of TRACE's blocks and how long they live.\v"
         "Lifetimes are given in time, and in events: each beginning and each end of a block that counts is one. A block "
         "that is alive at the end of the trace ends there. With a filter the trace is read up to four times.",
     .traits = REPORT_READS_EVENTS | REPORT_NEEDS_BLOCKS,
     .parts = PART_FILTER | FORMS | PART_PICTURE,
     .options = stats_options,
     .usual = &stats_usual,
     .usual_size = sizeof stats_usual,
     .put = stats_put},
    {.name = "distributions",
     .tables = distributions_tables,
     .summary = "how blocks spread over sizes, lifetimes and threads",
     .about =
         "Shows how much of TRACE is in blocks of each size, of each lifetime, and of each domain or thread.\v"
         "Sizes and lifetimes are cut at quarters of the steps from a power of two to the next. What is alive at the end "
         "has no lifetime yet. Bytes and objects are estimates from the samples; at rate 1 they are exact.",
     .traits = REPORT_HAS_HEAD | REPORT_NEEDS_BLOCKS,
     .parts = PART_FILTER | PART_SAMPLE | PART_NAMES | FORMS,
     .put = distributions_put},
    {.name = "flamegraph",
     .tables = flamegraph_tables,
     .summary = "allocation stacks, folded or as a picture",
     .about =
         "Writes the stacks of TRACE folded (one per line, for flame graph tools), or draws a flame graph as one SVG "
         "file, which you can zoom and search in a browser.\v"
         "Stacks are whole, inlined functions included. Bytes and objects are estimates from the samples; at rate 1 they "
         "are exact. In the picture, callers are above their callees; / searches, Esc goes back.",
     .traits = REPORT_SUMS_STACKS | REPORT_IN_ANY_ORDER | REPORT_IS_COMPACT,
     .parts = PART_FILTER | PART_SAMPLE,
     .options = flamegraph_options,
     .usual = &flamegraph_usual,
     .usual_size = sizeof flamegraph_usual,
     .check = flamegraph_check,
     .refuse = flamegraph_refuse},
    {.name = "record", .tables = recording_tables},
    {.name = "memtracer",
     .tables = memtracer_tables,
     .options = memtracer_options,
     .usual = &memtracer_usual,
     .usual_size = sizeof memtracer_usual},
};

const struct report_entry *report_entry_at(size_t number)
{
    return number < sizeof entries / sizeof entries[0] ? &entries[number] : NULL;
}

const char *report_entry_command(const struct report_entry *entry)
{
    return entry->command ? entry->command : entry->name;
}

const char *report_entry_title(const struct report_entry *entry)
{
    return entry->title ? entry->title : report_entry_command(entry);
}

/* Is it one of "tree, tree --callers, tree --callees"? */
static bool is_listed(const char *titles, const char *command)
{
    size_t size = strlen(command);
    for (const char *at = titles; at; at = strchr(at, ',') ? strchr(at, ',') + 2 : NULL)
        if (strncmp(at, command, size) == 0 && (at[size] == ',' || at[size] == 0))
            return true;
    return false;
}

const struct report_entry *report_entry_with_tables(const char *command)
{
    const struct report_entry *entry;
    for (size_t i = 0; (entry = report_entry_at(i)); i++)
        if (entry->tables && is_listed(report_entry_title(entry), command))
            return entry;
    return NULL;
}

const struct report_entry *report_entry_of_command(const char *command)
{
    const struct report_entry *entry;
    size_t i = 0;
    while ((entry = report_entry_at(i)) && strcmp(report_entry_command(entry), command) != 0)
        i++;
    return entry;
}

const struct report_entry *report_entry_find(const char *name)
{
    const struct report_entry *entry;
    for (size_t i = 0; (entry = report_entry_at(i)); i++)
        if (entry->summary && strcmp(entry->name, name) == 0)
            return entry;
    return NULL;
}

/* By pprof's names, and without its prefix where there is nothing else. */
static bool has_in_use(const struct model *model)
{
    return model_find_value_type(model, "inuse_space") >= 0 ||
           model_find_value_type(model, "space") >= 0;
}

bool report_entry_suits(const struct report_entry *entry, const struct model *model)
{
    bool has_blocks = !model || model->kind == MODEL_OBJECTS;
    if (entry->traits & REPORT_NEEDS_HOLDERS && !(model && model->holders))
        return false;
    return has_blocks || !(entry->traits & (REPORT_NEEDS_BLOCKS | REPORT_NEEDS_IN_USE)) ||
           (!(entry->traits & REPORT_NEEDS_BLOCKS) && has_in_use(model));
}

bool report_entry_is_asked(const struct report_entry *entry)
{
    return !(entry->traits & REPORT_TAKES_TWO) && entry->put;
}

static bool has_own(const struct report_entry *entry, const char *word)
{
    const struct question_option *option = entry->options;
    while (option && option->word && strcmp(option->word, word) != 0)
        option++;
    return option && option->word;
}

const struct question_option *report_entry_option(const struct report_entry *entry, size_t i)
{
    const struct question_option *option;
    for (option = entry->options; option && option->word; option++)
        if (i-- == 0)
            return option;
    for (size_t row = 0; (option = question_option_at(row)); row++)
        if (option->parts & entry->parts && !has_own(entry, option->word) && i-- == 0)
            return option;
    return NULL;
}

struct question question_of(const struct report_entry *entry)
{
    unsigned keeps_blocks = REPORT_NEEDS_BLOCKS | REPORT_READS_EVENTS;
    unsigned takes_one = REPORT_TAKES_TWO | REPORT_OF_STORE;
    struct question question = entry->traits & takes_one ? question_default() : question_many();
    question.folds_blocks &= !(entry->traits & keeps_blocks);
    question.report = entry;
    question.sums_stacks = entry->traits & REPORT_SUMS_STACKS;
    question.is_compact = entry->traits & REPORT_IS_COMPACT;
    question.in_any_order = entry->traits & REPORT_IN_ANY_ORDER;
    question.folds_blocks |= (entry->traits & REPORT_FOLDS_BLOCKS) != 0;
    question.asks_lives = question.at_peak = entry->traits & REPORT_ASKS_LIVES;
    question.in_base_units = entry->traits & (REPORT_TAKES_TWO | REPORT_OF_LEAKS);
    question.needs_in_use = entry->traits & REPORT_NEEDS_IN_USE;
    question.takes_pattern = entry->traits & REPORT_NEEDS_PATTERN;
    question.by_site = entry->traits & REPORT_BY_SITE;
    question.grain = entry->grain;
    if (entry->usual)
        memcpy(question.own, entry->usual, entry->usual_size);
    return question;
}

/* ---- Options by their words ------------------------------------------------------------ */

bool question_option_is_asked(const struct question_option *option)
{
    bool is_form = option->kind == OPTION_FORM || strcmp(option->word, "format") == 0;
    return !is_form && option->kind != OPTION_CLAUSES && option->kind != OPTION_PRINT &&
           !(option->parts & (PART_SOURCES | PART_NAMES | PART_UNIT | PART_PICTURE |
                              PART_SUPPRESSIONS | PART_BASE));
}

/* --top and --node-count are the same in all reports. */
static bool is_called(const struct question_option *option, const char *word)
{
    bool is_count = strcmp(option->word, "top") == 0 || strcmp(option->word, "node-count") == 0;
    return strcmp(option->word, word) == 0 ||
           (is_count && (strcmp(word, "top") == 0 || strcmp(word, "node-count") == 0));
}

static const struct question_option *find_option(const struct report_entry *entry, const char *word)
{
    const struct question_option *option;
    for (size_t i = 0; (option = report_entry_option(entry, i)); i++)
        if (is_called(option, word) && question_option_is_asked(option))
            return option;
    return NULL;
}

static bool take_flag(struct question *question, const struct question_option *option,
                      const char *value, struct heaptap_error *error)
{
    if (strcmp(value, "0") == 0)
        return true;
    if (strcmp(value, "1") == 0)
        return question_set(question, option, NULL, error);
    error_set(error, HEAPTAP_BAD_ARGUMENT, "takes 1 or 0, not '%.60s'", plain(value));
    return false;
}

bool question_take(struct question *question, const char *word, const char *value,
                   struct heaptap_error *error)
{
    const struct question_option *option = find_option(question->report, word);
    char message[sizeof error->message];
    if (!option) {
        error_set(error, HEAPTAP_BAD_ARGUMENT, "%s takes no '%.60s'", question->report->name,
                  plain(word));
        return false;
    }
    if (option->kind == OPTION_FLAG ? take_flag(question, option, value, error)
                                    : question_set(question, option, value, error))
        return true;
    snprintf(message, sizeof message, "'%s' %.200s", plain(word), error->message);
    error_set(error, HEAPTAP_BAD_ARGUMENT, "%s", message);
    return false;
}
