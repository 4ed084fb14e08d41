/* ask: any report about a file, with its filter and options. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "agent/next.h"
#include "agent/tool.h"
#include "report/reports.h"

enum { ROWS_USUAL = 20 };

/* ---- The schema -------------------------------------------------------------------------- */

static json_t *report_names(void)
{
    json_t *names = json_array();
    const struct report_entry *entry;
    for (size_t i = 0; (entry = report_entry_at(i)); i++)
        if (report_entry_is_asked(entry))
            json_array_append_new(names, json_string(entry->name));
    return names;
}

/* "hotspots: which places allocate most" and so on. */
static void put_summaries(struct text *text)
{
    const struct report_entry *entry;
    for (size_t i = 0; (entry = report_entry_at(i)); i++)
        if (report_entry_is_asked(entry)) {
            text_put_string(text, entry->name);
            text_put_string(text, ": ");
            text_put_string(text, entry->summary);
            text_put_string(text,
                            entry->traits & REPORT_NEEDS_PATTERN ? " (needs `function`); " : "; ");
        }
}

/* "hotspots: by=bytes|samples|objects top=N" and so on. */
static void put_options(struct text *text)
{
    const struct report_entry *entry;
    const struct question_option *option;
    for (size_t i = 0; (entry = report_entry_at(i)); i++) {
        if (!report_entry_is_asked(entry))
            continue;
        text_put_string(text, entry->name);
        text_put_char(text, ':');
        for (size_t k = 0; (option = report_entry_option(entry, k)); k++)
            if (option->help && question_option_is_asked(option)) {
                text_put_char(text, ' ');
                text_put_string(text, option->word);
                for (size_t w = 0; option->words && option->words[w].word; w++) {
                    text_put_char(text, w ? '|' : '=');
                    text_put_string(text, option->words[w].word);
                }
            }
        text_put_string(text, "; ");
    }
}

static json_t *described(const char *type, const char *before, void (*put)(struct text *))
{
    struct text text = {0};
    text_put_string(&text, before);
    put(&text);
    text_put_char(&text, 0);
    json_t *property = text.failed ? NULL : tool_property(type, text.bytes);
    text_release(&text);
    return property;
}

static json_t *schema(const struct agent_options *options)
{
    json_t *properties = json_object();
    json_t *report = described("string", "", put_summaries);
    (void)options;
    json_object_set_new(report, "enum", report_names());
    json_object_set_new(properties, "file",
                        tool_property("string", "A recording or profile, as `files` lists it"));
    json_object_set_new(properties, "report", report);
    json_object_set_new(
        properties, "filter",
        tool_property(
            "string",
            "Clauses that must all hold, with spaces between: size>=1k, live-at=peak, "
            "focus=REGEX (stacks through a function), hide=REGEX, lifetime<=1ms, "
            "collected=never, thread=NAME, type=REGEX, own=REGEX (what is your own code), "
            "libraries=show"));
    json_object_set_new(properties, "function",
                        tool_property("string", "A regular expression of functions' names, for the "
                                                "reports that need one"));
    json_object_set_new(properties, "options",
                        described("object", "Of the report, such as {\"top\": 5}. ", put_options));
    return tool_schema(properties, "file report");
}

/* ---- The question ------------------------------------------------------------------------ */

/* An option's value as the command line has it. */
static bool value_text(char *text, size_t size, const json_t *value)
{
    if (json_is_string(value))
        snprintf(text, size, "%s", json_string_value(value));
    else if (json_is_integer(value))
        snprintf(text, size, "%" PRId64, (int64_t)json_integer_value(value));
    else if (json_is_real(value))
        snprintf(text, size, "%g", json_real_value(value));
    else if (json_is_boolean(value))
        snprintf(text, size, "%d", json_is_true(value));
    else
        return false;
    return true;
}

static bool add_options(struct call *call, struct question *question)
{
    json_t *value, *options = json_object_get(call->arguments, "options");
    const char *word;
    char text[256];
    if (options && !json_is_object(options) && !json_is_null(options))
        return call_refuse(call, "'options' takes an object, such as {\"top\": 5}");
    json_object_foreach (options, word, value) {
        if (!value_text(text, sizeof text, value))
            return call_refuse(call, "'%.60s' takes a text, a number, true or false", word);
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
    struct question question = question_of(entry);
    bool done = add_options(call, &question);
    question_release(&question);
    if (!done)
        return false;
    add_count(call, entry);
    if (!call_add_filter(call) || !call_add_file(call, "file"))
        return false;
    if (!(entry->traits & REPORT_NEEDS_PATTERN))
        return true;
    const char *function = call_need(call, "function");
    if (function)
        words_add(&call->command, "%s", function);
    return function;
}

/* The words of heaptap's command that makes the report. */
static void add_command(struct call *call, const struct report_entry *entry)
{
    const char *at = report_entry_command(entry);
    for (size_t size; *at; at += size + (at[size] == ' ')) {
        size = strcspn(at, " ");
        words_add(&call->command, "%.*s", (int)size, at);
    }
}

static bool begin(struct call *call)
{
    const char *name = call_need(call, "report");
    const struct report_entry *entry = name ? report_entry_find(name) : NULL;
    if (!name)
        return false;
    if (!entry || !report_entry_is_asked(entry))
        return call_refuse(call, "there is no report '%.60s'", name);
    words_add(&call->command, "%s", call->options->heaptap);
    add_command(call, entry);
    words_add(&call->command, "--json");
    return add_entry(call, entry);
}

static void finish(struct call *call, int status)
{
    json_t *answer = call_answer(call, status);
    const char *filter = json_string_value(json_object_get(call->arguments, "filter"));
    if (!answer)
        return;
    json_t *next = next_questions(
        json_string_value(json_object_get(call->arguments, "report")), answer,
        json_string_value(json_object_get(call->arguments, "file")), filter ? filter : "");
    call->result = tool_result(call, answer, next);
}

const struct tool tool_ask = {
    .name = "ask",
    .title = "Ask a report",
    .description =
        "Runs one of heaptap's reports on a recording. Figures are bytes, blocks, microseconds and "
        "parts of 1; estimates come with 95 % bounds (_low, _high) or the number of samples that they "
        "rest on. Begin with `info`, then `hotspots`. The result lists what to ask next (`next`) and what "
        "was left out (`cut`).",
    .schema = schema,
    .begin = begin,
    .finish = finish,
};
