#include "cli/test_budgets.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/affix.h"
#include "base/array.h"
#include "base/text.h"
#include "cli/cli.h"

/* Python's importer is written in Python: it is among the callers of all that an import runs. */
#define IMPORTER ":file=\"^<frozen importlib\""

static bool is_importer(const struct model *model, const struct model_frame *frame)
{
    for (uint32_t i = 0; i < frame->line_count; i++) {
        const char *file = model->lines[frame->first_line + i].file;
        if (file && begins_with(file, "<frozen importlib"))
            return true;
    }
    return false;
}

bool test_budgets_has_imports(const struct model *model)
{
    for (uint32_t i = 0; i < model->frame_count; i++)
        if (is_importer(model, &model->frames[i]))
            return true;
    return false;
}

/* Adds a budget of what the test allocated; of what it has left, that is what was alive when it ended.  `who` is a clause
 * on the importer, or "". */
static bool add_budget(struct budget_list *list, const struct model_test *of,
                       const struct budget *budget, const char *who, const char *filter,
                       int *status)
{
    struct budget added = *budget;
    struct text times = {0};
    char text[128];
    added.test = of->name;
    text_put_string(&times, who);
    if (*who)
        text_put_char(&times, ' ');
    snprintf(text, sizeof text, "allocated=%" PRId64 "us..%" PRId64 "us", of->begin_us, of->end_us);
    text_put_string(&times, text);
    snprintf(text, sizeof text, " live-at=%" PRId64 "us", of->end_us);
    if (budget->measure == BUDGET_LIVE_AT_END)
        text_put_string(&times, text);
    bool done = budget_list_add(list, &added, &times, filter, status);
    text_release(&times);
    return done;
}

static const char *without_imports(bool has_imports)
{
    return has_imports ? "ignore" IMPORTER : "";
}

static bool add_budgets(struct budget_list *budgets, const struct model_test *of,
                        const struct budget_list *from, bool has_imports, int *status)
{
    for (size_t i = 0; i < from->count; i++)
        if (!add_budget(budgets, of, &from->items[i], without_imports(has_imports),
                        from->items[i].filter.text, status))
            return false;
    return true;
}

static bool fail_growth(const struct budget_list *list, const char *name, int *status)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].is_growth) {
            cli_warn("%s: a test has limits of its own, such as 20 MB, but no growth over a base",
                     name);
            *status = CLI_USAGE;
            return false;
        }
    return true;
}

bool test_budgets(struct budget_list *budgets, const char *file, const struct model_test *of,
                  const struct budget_list *all, const struct text *clauses, bool has_imports,
                  int *status)
{
    struct budget_list limits = {0};
    char *name = text_format("%s: %s", file, of->name);
    if (!name)
        return cli_fail_memory(status);
    bool done = budget_list_read_text(&limits, name, of->limits, clauses, status) &&
                fail_growth(&limits, name, status) && fail_growth(all, name, status) &&
                add_budgets(budgets, of, &limits, has_imports, status) &&
                add_budgets(budgets, of, all, has_imports, status);
    budget_list_release(&limits);
    free(name);
    return done;
}

/* The budgets are one of each measure, and then what imports allocated. */
static bool measure(struct check_test *test, const struct model *model,
                    const struct budget_list *budgets)
{
    for (size_t i = 0; i < budgets->count; i++) {
        const struct budget *budget = &budgets->items[i];
        struct budget_figure figure;
        struct heaptap_error error;
        size_t length;
        if (budget_measure(&figure, model, &budget->filter, budget_counted(budget), &length,
                           &error) != HEAPTAP_OK)
            return false;
        *(i < BUDGET_MEASURES ? &test->figures[i] : &test->imported) = figure.value;
    }
    return true;
}

bool test_measure(struct check_tests *tests, struct check_test **test,
                  const struct model_input *input, const struct model_test *of,
                  const struct text *clauses, bool has_imports, int *status)
{
    static const struct budget allocated = {.measure = BUDGET_ALLOCATED};
    struct budget_list budgets = {0};
    struct text filter = {0};
    text_put(&filter, clauses->bytes, clauses->size);
    text_put_char(&filter, 0);
    bool done = !filter.failed;
    for (int i = 0; done && i < BUDGET_MEASURES; i++) {
        struct budget budget = {.measure = (enum budget_measure)i};
        done =
            add_budget(&budgets, of, &budget, without_imports(has_imports), filter.bytes, status);
    }
    if (done && has_imports)
        done = add_budget(&budgets, of, &allocated, "focus" IMPORTER, filter.bytes, status);
    done = done && ARRAY_RESERVE(&tests->items, &tests->capacity, tests->count + 1);
    if (done) {
        *test = &tests->items[tests->count++];
        **test = (struct check_test){.file = strdup(trace_input_name(&input->trace)),
                                     .name = strdup(of->name)};
        done = (*test)->file && (*test)->name && measure(*test, input->model, &budgets);
    }
    text_release(&filter);
    budget_list_release(&budgets);
    return done || *status != CLI_DONE || cli_fail_memory(status);
}
