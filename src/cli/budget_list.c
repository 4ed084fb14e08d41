#include "cli/budget_list.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/affix.h"
#include "base/amount.h"
#include "base/array.h"
#include "cli/cli.h"
#include "cli/filtering.h"

/* ---- Limits -------------------------------------------------------------------------- */

static bool parse_growth(struct budget *budget, const char *text)
{
    const char *rest;
    double percent = 0;
    bool done = amount_number(text, &percent, &rest) && rest[0] == '%' && !rest[1];
    budget->is_growth = true;
    budget->limit = percent / 100;
    return done;
}

/* There is no half object. */
static bool parse_objects(struct budget *budget, const char *text)
{
    return amount_count(text, &budget->limit) && budget->limit == trunc(budget->limit);
}

bool budget_parse_limit(struct budget *budget, const char *text)
{
    text += strspn(text, " \t");
    budget->is_growth = false;
    if (*text == '+')
        return parse_growth(budget, text + 1);
    return budget->measure == BUDGET_OBJECTS ? parse_objects(budget, text)
                                             : amount_bytes(text, &budget->limit);
}

/* ---- The list ------------------------------------------------------------------------ */

bool budget_list_add(struct budget_list *list, const struct budget *budget,
                     const struct text *clauses, const char *more, int *status)
{
    struct text text = {0};
    struct filter filter;
    text_put_string(&text, more);
    if (clauses->size > 0 && *more)
        text_put_char(&text, ' ');
    if (clauses->size > 0)
        text_put(&text, clauses->bytes, clauses->size);
    text.failed |= clauses->failed;
    bool done = filtering_parse(&filter, &text, status);
    text_release(&text);
    if (!done)
        return false;
    if (!ARRAY_RESERVE(&list->items, &list->capacity, list->count + 1)) {
        filter_release(&filter);
        return cli_fail_memory(status);
    }
    list->items[list->count] = *budget;
    list->items[list->count++].filter = filter;
    return true;
}

void budget_list_release(struct budget_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        filter_release(&list->items[i].filter);
    free(list->items);
    *list = (struct budget_list){0};
}

/* ---- Files --------------------------------------------------------------------------- */

/* A line and where it stands. */
struct line {
    const char *path;
    unsigned number; /* 0: of a text that is no file */
    char *text;      /* without what is around it */
};

static void warn_line(const struct line *line, const char *what)
{
    if (line->number > 0)
        cli_warn("%s:%u: %s: %s", line->path, line->number, what, line->text);
    else
        cli_warn("%s: %s: %s", line->path, what, line->text);
}

static bool fail_line(const struct line *line, const char *what, int *status)
{
    warn_line(line, what);
    *status = CLI_USAGE;
    return false;
}

static char *trimmed(char *text)
{
    char *end = text + strlen(text);
    while (end > text && isspace((unsigned char)end[-1]))
        *--end = 0;
    return text + strspn(text, " \t");
}

/* The limit stands behind the last <= : a filter may have others. */
static char *limit_in(char *text)
{
    char *found = NULL;
    for (char *at = text; (at = strstr(at, "<=")); at += 2)
        found = at;
    return found;
}

static bool add_line(struct budget_list *list, const struct line *line, const struct text *clauses,
                     int *status)
{
    struct budget budget = {0};
    char *text = strdup(line->text);
    char *limit = text ? limit_in(text) : NULL;
    const char *filter = "";
    if (!text)
        return cli_fail_memory(status);
    bool done = limit;
    if (done) {
        *limit = 0;
        char *head = trimmed(text);
        size_t word = strcspn(head, " \t");
        char *rest = trimmed(head + word);
        budget.measure = budget_find_measure(head, word);
        bool has_where = begins_with(rest, "where") && isspace((unsigned char)rest[5]);
        filter = has_where ? trimmed(rest + 5) : "";
        done = budget.measure < BUDGET_MEASURES && (has_where || !*rest) &&
               budget_parse_limit(&budget, limit + 2);
    }
    if (!done)
        fail_line(line,
                  "a budget is peak, allocated, live-at-end or objects, optionally 'where' and a "
                  "filter, and '<=' with a limit such as 20 MB or +5%",
                  status);
    else if (!(done = budget_list_add(list, &budget, clauses, filter, status)))
        warn_line(line, "in this budget");
    free(text);
    return done;
}

static bool add_lines(struct budget_list *list, FILE *file, const char *path,
                      const struct text *clauses, int *status)
{
    struct line line = {.path = path};
    char *text = NULL;
    size_t capacity = 0, before = list->count;
    bool done = true;
    while (done && getline(&text, &capacity, file) >= 0) {
        line.number++;
        line.text = trimmed(text);
        if (*line.text && *line.text != '#')
            done = add_line(list, &line, clauses, status);
    }
    free(text);
    if (done && (ferror(file) || list->count == before)) {
        cli_warn("%s: %s", path, ferror(file) ? strerror(errno) : "there are no budgets in it");
        *status = ferror(file) ? CLI_BAD_INPUT : CLI_USAGE;
        done = false;
    }
    return done;
}

bool budget_list_read(struct budget_list *list, const char *path, const struct text *clauses,
                      int *status)
{
    FILE *file = fopen(path, "re");
    if (!file) {
        cli_warn("%s: %s", path, strerror(errno));
        *status = CLI_BAD_INPUT;
        return false;
    }
    bool done = add_lines(list, file, path, clauses, status);
    fclose(file);
    return done;
}

/* ---- Texts --------------------------------------------------------------------------- */

bool budget_list_read_text(struct budget_list *list, const char *name, const char *limits,
                           const struct text *clauses, int *status)
{
    char *text = strdup(limits), *rest = text, *one;
    bool done = text || cli_fail_memory(status);
    while (done && (one = strsep(&rest, ";"))) {
        struct line line = {.path = name, .text = trimmed(one)};
        if (*line.text)
            done = add_line(list, &line, clauses, status);
    }
    free(text);
    return done;
}
