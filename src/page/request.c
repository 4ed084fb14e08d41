/* A query is a list of NAME=VALUE; each name has a row in a table that says how its value is read, or is an option of the report.
 * Others are refused: a mistyped name must not be answered as if it weren't there. */
#include "page/request.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/plain.h"
#include "net/query.h"

/* ---- Values ------------------------------------------------------------------------------ */

typedef bool read_value(struct viewer_request *request, const char *text);

static bool copy(char *to, const char *text)
{
    size_t size = strlen(text) + 1;
    if (size > VIEWER_TEXT_MAX)
        return false;
    memcpy(to, text, size);
    return true;
}

static bool read_filter(struct viewer_request *request, const char *text)
{
    return copy(request->filter, text);
}

static bool read_function(struct viewer_request *request, const char *text)
{
    if (!copy(request->function, text))
        return false;
    plain_parse(request->function); /* answers have names in plain form */
    return true;
}

static bool read_base(struct viewer_request *request, const char *text)
{
    request->against_base = strcmp(text, "1") == 0;
    return request->against_base || strcmp(text, "0") == 0;
}

static bool read_file(struct viewer_request *request, const char *text)
{
    bool is_number = *text && strlen(text) <= 2 && strspn(text, "0123456789") == strlen(text);
    request->of_base = strcmp(text, "base") == 0;
    request->file = is_number ? (uint32_t)strtoul(text, NULL, 10) : 0;
    return request->of_base || (is_number && request->file < VIEWER_FILES_MAX);
}

static bool read_form(struct viewer_request *request, const char *text)
{
    return request->by_column = strcmp(text, "columns") == 0;
}

static bool read_report(struct viewer_request *request, const char *text)
{
    request->report = report_entry_find(text);
    return request->report && request->report->put;
}

static bool read_columns(struct viewer_request *request, const char *text)
{
    bool has_room = strlen(text) < sizeof request->columns;
    if (has_room)
        strcpy(request->columns, text);
    return has_room;
}

static const struct parameter {
    const char *name;
    read_value *read;
    const char *expected;
} parameters[] = {
    {"file", read_file, "the number of a file, or base"},
    {"filter", read_filter, "fewer than 4096 bytes"},
    {"base", read_base, "0 or 1"},
    {"function", read_function, "fewer than 4096 bytes"},
    {"report", read_report, "the name of a report"},
    {"form", read_form, "columns"},
    {"columns", read_columns, "keys of columns, fewer than 256 bytes"},
};

static const struct path {
    const char *name;
    enum viewer_subject subject;
} paths[] = {
    {"/", VIEWER_PAGE},
    {"/page.js", VIEWER_SCRIPT},
    {"/page.css", VIEWER_STYLE},
    {"/layout.js", VIEWER_LAYOUT},
    {"/favicon.ico", VIEWER_ICON},
    {"/api/about", VIEWER_ABOUT},
    {"/api/reports", VIEWER_REPORTS},
    {"/api/answer", VIEWER_ANSWER},
};

/* ---- The query --------------------------------------------------------------------------- */

static const struct parameter *find_parameter(const char *name)
{
    for (size_t i = 0; i < sizeof parameters / sizeof parameters[0]; i++)
        if (strcmp(parameters[i].name, name) == 0)
            return &parameters[i];
    return NULL;
}

/* What is no parameter of a question is an option of its report; which ones that has is seen when it is asked. */
static enum viewer_verdict take_option(struct viewer_request *request, const char *word,
                                       const char *value, struct heaptap_error *error)
{
    struct viewer_option *option = &request->options[request->option_count],
                         *known = request->options;
    while (known < option && strcmp(known->word, word) != 0)
        known++;
    if (known < option)
        error_set(error, HEAPTAP_BAD_ARGUMENT, "'%s' is there twice", word);
    else if (request->option_count == VIEWER_OPTIONS_MAX)
        error_set(error, HEAPTAP_BAD_ARGUMENT, "there are more than %d options",
                  VIEWER_OPTIONS_MAX);
    else if (strlen(word) >= sizeof option->word || strlen(value) >= sizeof option->value)
        error_set(error, HEAPTAP_BAD_ARGUMENT, "'%.31s' is no option, or its value is too long",
                  word);
    else {
        strcpy(option->word, word);
        strcpy(option->value, value);
        request->option_count++;
        return VIEWER_FINE;
    }
    return VIEWER_BAD_REQUEST;
}

static enum viewer_verdict take(struct viewer_request *request, const struct path *path,
                                const struct net_query *query, unsigned *seen,
                                struct heaptap_error *error)
{
    const struct parameter *parameter = find_parameter(query->name);
    unsigned bit = parameter ? 1U << (parameter - parameters) : 0;
    if (path->subject < VIEWER_ANSWER)
        error_set(error, HEAPTAP_BAD_ARGUMENT, "%s takes no '%.60s'", path->name, query->name);
    else if (!parameter)
        return take_option(request, query->name, query->value, error);
    else if (*seen & bit)
        error_set(error, HEAPTAP_BAD_ARGUMENT, "'%s' is there twice", parameter->name);
    else if (!parameter->read(request, query->value))
        error_set(error, HEAPTAP_BAD_ARGUMENT, "'%s' takes %s, not '%.60s'", parameter->name,
                  parameter->expected, query->value);
    else
        return *seen |= bit, VIEWER_FINE;
    return VIEWER_BAD_REQUEST;
}

static enum viewer_verdict parse_query(struct viewer_request *request, const struct path *path,
                                       const char *url, struct heaptap_error *error)
{
    unsigned seen = 0;
    struct net_query query;
    net_query_init(&query, url);
    enum viewer_verdict verdict = net_query_next(&query, error);
    while (verdict == VIEWER_FINE && query.name) {
        verdict = take(request, path, &query, &seen, error);
        if (verdict == VIEWER_FINE)
            verdict = net_query_next(&query, error);
    }
    return verdict;
}

static const struct path *find_path(const char *url, size_t size)
{
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
        if (strlen(paths[i].name) == size && memcmp(paths[i].name, url, size) == 0)
            return &paths[i];
    return NULL;
}

enum viewer_verdict viewer_request_parse(struct viewer_request *request, const char *url,
                                         struct heaptap_error *error)
{
    size_t size = strcspn(url, "?");
    const struct path *path = find_path(url, size);
    *request = (struct viewer_request){0};
    if (!path) {
        error_set(error, HEAPTAP_BAD_ARGUMENT, "there is no such page");
        return VIEWER_UNKNOWN;
    }
    request->subject = path->subject;
    if (path->subject == VIEWER_PAGE) /* which keeps its own state in its URL */
        return VIEWER_FINE;
    if (strlen(url) > NET_URL_MAX) {
        error_set(error, HEAPTAP_BAD_ARGUMENT, "the query is longer than %d bytes", NET_URL_MAX);
        return VIEWER_BAD_REQUEST;
    }
    return parse_query(request, path, url, error);
}
