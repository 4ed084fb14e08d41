/* The tests that a trace has (heaptap/test.h), and the budgets of each. */
#ifndef CLI_TEST_BUDGETS_H
#define CLI_TEST_BUDGETS_H

#include "cli/budget_list.h"
#include "cli/model_input.h"
#include "report/change/check.h"

/* Does it tell of imports of Python's?  What a test allocates for these, as whichever test comes first does, is told apart. */
bool test_budgets_has_imports(const struct model *model);

/* The budgets of a test: its own limits and those of `all`, each with the test's time in its filter.  False with a message
 * and the exit status; then, too, the list is to be released. */
bool test_budgets(struct budget_list *budgets, const char *file, const struct model_test *of,
                  const struct budget_list *all, const struct text *clauses, bool has_imports,
                  int *status);

/* Adds the test, with its figures, to `tests`; `*test` is good until the next one is added. */
bool test_measure(struct check_tests *tests, struct check_test **test,
                  const struct model_input *input, const struct model_test *of,
                  const struct text *clauses, bool has_imports, int *status);

#endif
