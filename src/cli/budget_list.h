/* Budgets as a command line or a file gives them. */
#ifndef CLI_BUDGET_LIST_H
#define CLI_BUDGET_LIST_H

#include "report/change/verdict.h"
#include "base/text.h"

struct budget_list {
    struct budget *items;
    size_t count, capacity;
};

/* The text of a limit: "100MB", "1.5 G", "+5%"; objects are a whole number, "2M".  False where it is
 * none. */
bool budget_parse_limit(struct budget *budget, const char *text);

/* Adds a budget of the clauses of a filter and those of another text, "" for none.  False with a
 * message and the exit status. */
bool budget_list_add(struct budget_list *list, const struct budget *budget,
                     const struct text *clauses, const char *more, int *status);

/* Adds a file's, each of which has the clauses as well:
 *
 *     # one per line, and comments
 *     peak <= 100 MB
 *     allocated where focus=parse_json <= 20 MB
 *     objects <= +5%
 */
bool budget_list_read(struct budget_list *list, const char *path, const struct text *clauses,
                      int *status);

/* Adds those of a text, with semicolons between them; `name` is whose they are, for messages. */
bool budget_list_read_text(struct budget_list *list, const char *name, const char *limits,
                           const struct text *clauses, int *status);
void budget_list_release(struct budget_list *list);

#endif
