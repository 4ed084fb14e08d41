/* A query is a list of NAME=VALUE; each name has one row in a table that says how its value is
 * read, each path one that says which names it takes.  What isn't in the tables is refused: a
 * mistyped name must not be answered as if it weren't there. */
#include "viewer/request.h"

#include <errno.h>
#include <stdio.h>
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

static bool read_flag(bool *flag, const char *text)
{
    *flag = strcmp(text, "1") == 0;
    return *flag || strcmp(text, "0") == 0;
}

static bool read_reverse(struct viewer_request *request, const char *text)
{
    return read_flag(&request->reverse, text);
}

static bool read_recursion(struct viewer_request *request, const char *text)
{
    return read_flag(&request->merge_recursion, text);
}

static bool read_number(uint64_t *number, const char *text, uint64_t least, uint64_t most)
{
    char *end;
    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    *number = strtoull(text, &end, 10);
    return !*end && !errno && *number >= least && *number <= most;
}

static bool read_small(uint32_t *to, const char *text, uint64_t least, uint64_t most)
{
    uint64_t number;
    bool done = read_number(&number, text, least, most);
    *to = done ? (uint32_t)number : *to;
    return done;
}

static bool read_base(struct viewer_request *request, const char *text)
{
    return read_flag(&request->against_base, text);
}

static bool read_nodes(struct viewer_request *request, const char *text)
{
    return read_small(&request->nodes, text, 1, VIEWER_NODES_MAX);
}

static bool read_steps(struct viewer_request *request, const char *text)
{
    return read_small(&request->steps, text, 1, VIEWER_STEPS_MAX);
}

static bool read_file(struct viewer_request *request, const char *text)
{
    return read_small(&request->file, text, 0, VIEWER_FILES_MAX - 1);
}

static bool read_time(int64_t *to, const char *text)
{
    uint64_t number;
    bool done = read_number(&number, text, 0, VIEWER_TIME_MAX);
    *to = done ? (int64_t)number : *to;
    return done;
}

static bool read_from(struct viewer_request *request, const char *text)
{
    return read_time(&request->from_us, text);
}

static bool read_to(struct viewer_request *request, const char *text)
{
    return read_time(&request->to_us, text);
}

enum {
    TAKES_FILTER = 1,
    TAKES_FUNCTION = 2,
    TAKES_SHAPE = 4,
    TAKES_NODES = 8,
    TAKES_RANGE = 16,
    TAKES_FILE = 32,
    TAKES_BASE = 64,
    TAKES_REPORT = 128,
    TAKES_OPTIONS = 256, /* of a report */
    TAKES_QUESTION = TAKES_FILE | TAKES_FILTER | TAKES_BASE | TAKES_OPTIONS,
};

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
    unsigned kind;
    read_value *read;
    const char *expected;
} parameters[] = {
    {"file", TAKES_FILE, read_file, "the number of a file"},
    {"filter", TAKES_FILTER, read_filter, "fewer than 4096 bytes"},
    {"base", TAKES_BASE, read_base, "0 or 1"},
    {"function", TAKES_FUNCTION, read_function, "fewer than 4096 bytes"},
    {"reverse", TAKES_SHAPE, read_reverse, "0 or 1"},
    {"recursion", TAKES_SHAPE, read_recursion, "0 or 1"},
    {"nodes", TAKES_NODES, read_nodes, "a number from 1 to 1000000"},
    {"steps", TAKES_RANGE, read_steps, "a number from 1 to 4000"},
    {"from", TAKES_RANGE, read_from, "microseconds since the start"},
    {"to", TAKES_RANGE, read_to, "microseconds since the start"},
    {"report", TAKES_REPORT, read_report, "the name of a report"},
    {"columns", TAKES_REPORT, read_columns, "keys of columns, fewer than 256 bytes"},
};

static const struct path {
    const char *name;
    enum viewer_subject subject;
    unsigned takes;
    bool takes_anything; /* the page keeps its own state in its URL */
    const char
        *report; /* whose options a view takes; NULL: the request names it, or there are none */
} paths[] = {
    {"/", VIEWER_PAGE, 0, true, NULL},
    {"/page.js", VIEWER_SCRIPT, 0, false, NULL},
    {"/page.css", VIEWER_STYLE, 0, false, NULL},
    {"/layout.js", VIEWER_LAYOUT, 0, false, NULL},
    {"/favicon.ico", VIEWER_ICON, 0, false, NULL},
    {"/api/about", VIEWER_ABOUT, 0, false, NULL},
    {"/api/reports", VIEWER_REPORTS, 0, false, NULL},
    {"/api/answer", VIEWER_ANSWER, TAKES_QUESTION | TAKES_FUNCTION | TAKES_REPORT, false, NULL},
    {"/api/tree", VIEWER_TREE, TAKES_QUESTION | TAKES_FUNCTION | TAKES_SHAPE | TAKES_NODES, false,
     "tree"},
    {"/api/timeline", VIEWER_TIMELINE, TAKES_QUESTION | TAKES_RANGE, false, "timeline"},
    {"/api/distributions", VIEWER_DISTRIBUTIONS, TAKES_QUESTION, false, "timeline"},
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
    struct viewer_option *option = &request->options[request->option_count];
    if (request->option_count == VIEWER_OPTIONS_MAX)
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
    bool is_known = parameter && parameter->kind & path->takes;
    unsigned bit = is_known ? 1U << (parameter - parameters) : 0;
    if (!is_known && path->takes & TAKES_OPTIONS)
        return take_option(request, query->name, query->value, error);
    if (!is_known)
        error_set(error, HEAPTAP_BAD_ARGUMENT, "%s takes no '%.60s'", path->name, query->name);
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
    *request = (struct viewer_request){.nodes = VIEWER_NODES_MAX, .steps = 600};
    if (!path) {
        error_set(error, HEAPTAP_BAD_ARGUMENT, "there is no such page");
        return VIEWER_UNKNOWN;
    }
    request->subject = path->subject;
    request->report = path->report ? report_entry_find(path->report) : NULL;
    if (!url[size] || path->takes_anything)
        return VIEWER_FINE;
    if (strlen(url) > NET_URL_MAX) {
        error_set(error, HEAPTAP_BAD_ARGUMENT, "the query is longer than %d bytes", NET_URL_MAX);
        return VIEWER_BAD_REQUEST;
    }
    return parse_query(request, path, url, error);
}
