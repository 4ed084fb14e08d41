/* A step that needs a function is left out where the answer names none, and one that needs another file always. */
#include "agent/next.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/steps.h"

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
static json_t *filter_of(const struct report_step *step, const char *filter, const char *pattern)
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

static json_t *question_of(const struct report_step *step, const char *file, const char *filter,
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
    return json_pack("{s:s,s:o,s:s}", "tool", step->kind == STEP_ASK ? "ask" : "source",
                     "arguments", arguments, "why", step->why);
}

json_t *next_questions(const char *report, const json_t *answer, const char *file,
                       const char *filter)
{
    json_t *questions = json_array();
    for (const struct report_step *step = report_steps; step->after; step++) {
        if (strcmp(step->after, report) != 0 || step->kind == STEP_COMPARE ||
            step->kind == STEP_VIEW)
            continue;
        const char *function = step->rows ? first_function(answer, step->rows) : NULL;
        char *pattern = function ? next_pattern(function) : NULL;
        if (!step->rows || pattern)
            json_array_append_new(questions, question_of(step, file, filter, pattern));
        free(pattern);
    }
    return questions;
}
