#include "cli/terminal/ask.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer/forms.h"
#include "base/error.h"
#include "page/answer_report.h"

/* ---- The request ------------------------------------------------------------------------- */

static void add_option(struct viewer_request *request, const char *word, const char *value)
{
    struct viewer_option *option = &request->options[request->option_count++];
    snprintf(option->word, sizeof option->word, "%s", word);
    snprintf(option->value, sizeof option->value, "%s", value);
}

/* The pattern that a name matches, alone or with its place behind it. */
static bool put_pattern(char pattern[VIEWER_TEXT_MAX], const char *name, bool has_place)
{
    const char *end = has_place ? "( |$)" : "$";
    size_t size = 0, most = VIEWER_TEXT_MAX - sizeof "( |$)" - 1;
    pattern[size++] = '^';
    for (; *name && size < most; name++) {
        if (strchr("\\^$.[]|()?*+{}", *name))
            pattern[size++] = '\\';
        pattern[size++] = *name;
    }
    memcpy(pattern + size, end, strlen(end) + 1);
    return !*name;
}

static bool make_request(struct viewer_request *request, const struct ask *ask,
                         struct heaptap_error *error)
{
    const struct report_entry *report = report_entry_find(ask->report);
    *request = (struct viewer_request){.subject = VIEWER_ANSWER,
                                       .file = ask->file,
                                       .report = report,
                                       .against_base = ask->has_base && ask->state->base &&
                                                       report->traits & REPORT_TAKES_BASE};
    int size = snprintf(request->filter, sizeof request->filter, "%s%s%s", ask->filter,
                        *ask->filter && *ask->clause ? " " : "", ask->clause);
    if (size >= (int)sizeof request->filter ||
        (ask->function && !put_pattern(request->function, ask->function, ask->names_places))) {
        error_set(error, HEAPTAP_BAD_ARGUMENT, "the filter or the name is too long");
        return false;
    }
    if (ask->sample)
        add_option(request, "sample", ask->sample);
    for (const char *const *word = ask->options; word && *word; word += 2)
        add_option(request, word[0], word[1]);
    return true;
}

/* ---- The answer -------------------------------------------------------------------------- */

/* NULL with a sentence. */
static char *put(const struct ask *ask, struct viewer_request *request, struct heaptap_error *error)
{
    char *text = NULL;
    size_t size = 0, length;
    FILE *file = open_memstream(&text, &size);
    *error = (struct heaptap_error){0};
    enum viewer_verdict verdict =
        file ? answer_report_put(file, ask->state, request, &length, error) : VIEWER_NO_MEMORY;
    if (file && fclose(file) != 0)
        verdict = VIEWER_NO_MEMORY;
    if (verdict == VIEWER_FINE)
        return text;
    if (verdict == VIEWER_NO_MEMORY)
        error_no_memory(error);
    free(text);
    return NULL;
}

static bool split(struct ask_lines *lines)
{
    size_t count = 0;
    for (const char *at = lines->text; *at; at++)
        count += *at == '\n';
    lines->at = calloc(count + 1, sizeof *lines->at);
    if (!lines->at)
        return false;
    char *rest = lines->text;
    for (char *line = strsep(&rest, "\n"); line && (rest || *line); line = strsep(&rest, "\n"))
        lines->at[lines->count++] = line;
    return true;
}

bool ask_text(struct ask_lines *lines, const struct ask *ask, struct heaptap_error *error)
{
    struct viewer_request request;
    *lines = (struct ask_lines){0};
    if (!make_request(&request, ask, error))
        return false;
    request.form = text_answer;
    lines->text = put(ask, &request, error);
    if (!lines->text)
        return false;
    if (split(lines))
        return true;
    ask_lines_release(lines);
    error_no_memory(error);
    return false;
}

void ask_lines_release(struct ask_lines *lines)
{
    free(lines->at);
    free(lines->text);
    *lines = (struct ask_lines){0};
}

json_t *ask_json(const struct ask *ask, const char *columns, struct heaptap_error *error)
{
    struct viewer_request request;
    json_error_t fault;
    if (!make_request(&request, ask, error))
        return NULL;
    snprintf(request.columns, sizeof request.columns, "%s", columns);
    char *text = put(ask, &request, error);
    json_t *json = text ? json_loads(text, 0, &fault) : NULL;
    if (text && !json)
        error_no_memory(error);
    free(text);
    return json;
}
