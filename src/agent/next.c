/* Each report has rows here: a question that leads on from it.  %F in an argument is the file, %X a pattern of the first
 * function that the answer names and %N its name; a row that needs a function is left out where the answer has none. */
#include "agent/next.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static const struct step {
    const char *after; /* the report */
    const char
        *rows; /* the answer's array whose first row has the function; NULL: none is needed */
    const char *tool;
    const char *report; /* of the tool `ask`; NULL for the others */
    const char *clause; /* added to the filter; NULL for none */
    const char *why;
} steps[] = {
    {"info", NULL, "ask", "hotspots", NULL, "which places allocate most"},
    {"info", NULL, "ask", "leaks", NULL, "what is left at the end"},
    {"hotspots", "sites", "source", NULL, NULL, "the lines of the heaviest place"},
    {"hotspots", "sites", "ask", "callers", NULL, "who makes it allocate"},
    {"hotspots", NULL, "ask", "advice", NULL, "why the places allocate, and what usually helps"},
    {"top", "nodes", "source", NULL, NULL, "the lines of the heaviest function"},
    {"top", "nodes", "ask", "peek", NULL, "its callers and callees"},
    {"tree", NULL, "ask", "hotspots", NULL, "the places at the ends of the tree"},
    {"callers", NULL, "ask", "advice", NULL, "why the places allocate, and what usually helps"},
    {"callees", NULL, "ask", "hotspots", NULL, "the places that allocate"},
    {"peek", NULL, "ask", "hotspots", NULL, "the places that allocate"},
    {"list", NULL, "ask", "advice", NULL, "why the places allocate, and what usually helps"},
    {"graph", "nodes", "ask", "peek", NULL, "the callers and callees of the first function"},
    {"types", NULL, "ask", "hotspots", NULL, "the places that allocate them"},
    {"traces", NULL, "ask", "hotspots", NULL, "the same by place"},
    {"leaks", "sites", "source", NULL, NULL, "the lines of the place that keeps most"},
    {"leaks", "sites", "ask", "timeline", "focus", "does it grow all the time?"},
    {"advice", "points", "source", NULL, NULL, "the lines that the first point is about"},
    {"timeline", NULL, "ask", "hotspots", "live-at=peak", "what the peak is made of"},
    {"stats", NULL, "ask", "types", NULL, "what is allocated by type or size"},
    {"compare", "rows", "source", NULL, NULL, "the lines of what changed most"},
};

/* The function of the first row that names one; NULL for none. */
static const char *first_function(const json_t *answer, const char *rows)
{
    const json_t *row;
    size_t i;
    json_array_foreach (json_object_get(answer, rows), i, row) {
        const char *name = json_string_value(json_object_get(row, "function"));
        if (name && *name)
            return name;
    }
    return NULL;
}

char *next_pattern(const char *function)
{
    struct text text = {0};
    text_put_char(&text, '^');
    for (; *function; function++) {
        if (strchr("\\^$.*+?()[]{}|", *function))
            text_put_char(&text, '\\');
        text_put_char(&text, *function);
    }
    text_put(&text, "$", 2);
    if (!text.failed)
        return text.bytes;
    text_release(&text);
    return NULL;
}

/* The filter with one more clause: a function to focus on, or the step's own. */
static json_t *filter_of(const struct step *step, const char *filter, const char *pattern)
{
    struct text text = {0};
    bool is_focus = step->clause && strcmp(step->clause, "focus") == 0;
    text_put_string(&text, filter);
    if (step->clause && !strstr(filter, step->clause)) {
        text_put_string(&text, *filter ? " " : "");
        text_put_string(&text, step->clause);
        if (is_focus) {
            text_put_string(&text, ":function=\"");
            text_put_string(&text, pattern);
            text_put_string(&text, "\"");
        }
    }
    json_t *string = text.failed ? NULL : json_stringn(text.bytes ? text.bytes : "", text.size);
    text_release(&text);
    return string;
}

static json_t *question_of(const struct step *step, const char *file, const char *filter,
                           const char *pattern)
{
    json_t *arguments = json_pack("{s:s}", "file", file), *whole = filter_of(step, filter, pattern);
    if (step->report)
        json_object_set_new(arguments, "report", json_string(step->report));
    if (pattern && (!step->report || !step->clause))
        json_object_set_new(arguments, "function", json_string(pattern));
    if (json_string_length(whole) > 0)
        json_object_set(arguments, "filter", whole);
    json_decref(whole);
    return json_pack("{s:s,s:o,s:s}", "tool", step->tool, "arguments", arguments, "why", step->why);
}

json_t *next_questions(const char *report, const json_t *answer, const char *file,
                       const char *filter)
{
    json_t *questions = json_array();
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        const struct step *step = &steps[i];
        if (strcmp(step->after, report) != 0)
            continue;
        const char *function = step->rows ? first_function(answer, step->rows) : NULL;
        char *pattern = function ? next_pattern(function) : NULL;
        if (!step->rows || pattern)
            json_array_append_new(questions, question_of(step, file, filter, pattern));
        free(pattern);
    }
    return questions;
}
