/* ask: any report about a file, with its filter and options. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "agent/result.h"
#include "agent/tool.h"
#include "report/reports.h"

enum { ROWS_USUAL = 20 };

/* ---- What it takes ----------------------------------------------------------------------- */

/* The i-th report that can be asked; NULL past the end. */
static const struct report_entry *asked(size_t i)
{
    const struct report_entry *entry;
    for (size_t at = 0; (entry = report_entry_at(at)); at++)
        if (report_entry_is_asked(entry) && i-- == 0)
            return entry;
    return NULL;
}

static const char *name_of(size_t i)
{
    const struct report_entry *entry = asked(i);
    return entry ? entry->name : NULL;
}

/* "hotspots: which places allocate most" and so on. */
static void put_summaries(struct text *text, const struct agent_options *options)
{
    const struct report_entry *entry;
    (void)options;
    for (size_t i = 0; (entry = asked(i)); i++) {
        text_put_string(text, i ? "; " : "");
        text_put_string(text, entry->name);
        text_put_string(text, ": ");
        text_put_string(text, entry->summary);
        text_put_string(text, entry->traits & REPORT_NEEDS_PATTERN ? " (needs `function`)" : "");
    }
}

static void put_option(struct text *text, const struct question_option *option)
{
    text_put_char(text, ' ');
    text_put_string(text, option->word);
    for (size_t i = 0; option->words && option->words[i].word; i++) {
        text_put_char(text, i ? '|' : '=');
        text_put_string(text, option->words[i].word);
    }
}

/* "hotspots: by=bytes|samples|objects top" and so on. */
static void put_options(struct text *text, const struct agent_options *options)
{
    const struct report_entry *entry;
    const struct question_option *option;
    (void)options;
    for (size_t i = 0; (entry = asked(i)); i++) {
        text_put_string(text, i ? "; " : "");
        text_put_string(text, entry->name);
        text_put_char(text, ':');
        for (size_t k = 0; (option = report_entry_option(entry, k)); k++)
            if (option->help && question_option_is_asked(option))
                put_option(text, option);
    }
}

static const struct argument arguments[] = {
    ARGUMENT_OF_FILE,
    {"report", ARGUMENT_TEXT, true, "", .word = name_of, .describe = put_summaries},
    {"filter", ARGUMENT_TEXT, false,
     "Clauses that must all hold, with spaces between: size>=1k, live-at=peak, focus=REGEX (stacks through a function), "
     "hide=REGEX, lifetime<=1ms, collected=never, thread=NAME, type=REGEX, own=REGEX (what is your own code), libraries=show"},
    {"function", ARGUMENT_TEXT, false,
     "A regular expression of functions' names, for the reports that need one"},
    {"options", ARGUMENT_OPTIONS, false, "Of the report, such as {\"top\": 5}. ",
     .describe = put_options},
    ARGUMENT_OF_JSON,
    {NULL},
};

/* ---- The question ------------------------------------------------------------------------ */

/* An option's value as the command line has it. */
static void value_text(char *text, size_t size, const json_t *value)
{
    if (json_is_string(value))
        snprintf(text, size, "%s", json_string_value(value));
    else if (json_is_integer(value))
        snprintf(text, size, "%" PRId64, (int64_t)json_integer_value(value));
    else if (json_is_real(value))
        snprintf(text, size, "%g", json_real_value(value));
    else
        snprintf(text, size, "%d", json_is_true(value));
}

static bool add_options(struct call *call, struct question *question)
{
    json_t *value, *options = json_object_get(call->arguments, "options");
    const char *word;
    char text[256];
    json_object_foreach (options, word, value) {
        value_text(text, sizeof text, value);
        if (!question_take(question, word, text, &call->error))
            return false;
        if (json_is_true(value))
            words_add(&call->command, "--%s", word);
        else if (!json_is_false(value))
            words_add(&call->command, "--%s=%s", word, text);
    }
    return true;
}

/* So many rows that a reader sees what matters, where the call doesn't say how many. */
static void add_count(struct call *call, const struct report_entry *entry)
{
    const json_t *options = json_object_get(call->arguments, "options");
    const struct question_option *option;
    if (json_object_get(options, "top") || json_object_get(options, "node-count"))
        return;
    for (size_t i = 0; (option = report_entry_option(entry, i)); i++)
        if (strcmp(option->word, "top") == 0 || strcmp(option->word, "node-count") == 0) {
            words_add(&call->command, "--%s=%d", option->word, ROWS_USUAL);
            return;
        }
}

static bool add_entry(struct call *call, const struct report_entry *entry)
{
    const char *function = call_text(call, "function");
    bool needs = entry->traits & REPORT_NEEDS_PATTERN;
    struct question question = question_of(entry);
    bool done = add_options(call, &question);
    question_release(&question);
    if (!done)
        return false;
    if (needs && !function)
        return call_refuse(call, "'function' is missing");
    add_count(call, entry);
    call_end_options(call);
    done = call_add_file(call, call_text(call, "file"));
    if (done && needs)
        words_add(&call->command, "%s", function);
    return done;
}

static bool begin(struct call *call)
{
    const struct report_entry *entry = report_entry_find(call_text(call, "report"));
    call_command(call, report_entry_command(entry));
    return add_entry(call, entry);
}

static const char *report(const struct call *call)
{
    return call_text(call, "report");
}

const struct tool tool_ask = {
    .name = "ask",
    .title = "Ask a report",
    .description =
        "Runs one of heaptap's reports on a recording, as `heaptap REPORT` prints it. Estimates come with 95 % bounds or the "
        "number of samples that they rest on. Begin with `summary`, then `hotspots`.",
    .arguments = arguments,
    .begin = begin,
    .finish = result_take,
    .report = report,
};
