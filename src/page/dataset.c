#include "page/dataset.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

struct viewer_dataset *viewer_dataset_new(struct model *model, const char *name, const char *remark)
{
    struct viewer_dataset *dataset = calloc(1, sizeof *dataset);
    if (dataset) {
        dataset->model = model;
        dataset->most_bytes = VIEWER_SELECTED_BYTES;
        dataset->name = strdup(name);
        dataset->filter = strdup("");
        dataset->remark = remark ? strdup(remark) : NULL;
        if (dataset->name && dataset->filter && (dataset->remark || !remark))
            return dataset;
        viewer_dataset_free(dataset);
    } else {
        model_free(model);
    }
    return NULL;
}

bool viewer_dataset_set_filter(struct viewer_dataset *dataset, const char *filter)
{
    char *copy = strdup(filter);
    if (!copy)
        return false;
    free(dataset->filter);
    dataset->filter = copy;
    return true;
}

static void clear(struct viewer_selected *selected)
{
    if (selected->text) {
        report_release_selection(&selected->report);
        selection_release(&selected->by_site);
        filter_release(&selected->report.filter);
        free(selected->text);
    }
    *selected = (struct viewer_selected){0};
}

void viewer_dataset_free(struct viewer_dataset *dataset)
{
    if (!dataset)
        return;
    for (int i = 0; i < VIEWER_SELECTED_MAX; i++)
        clear(&dataset->kept[i]);
    stack_edits_release(&dataset->edits);
    model_free(dataset->model);
    free(dataset->name);
    free(dataset->filter);
    free(dataset->remark);
    free(dataset);
}

/* What is asked for stands first: it is what a message may point at. */
static bool parse(struct filter *filter, const struct viewer_dataset *dataset, const char *text,
                  struct report_problem *problem)
{
    enum heaptap_status status =
        filter_parse_both(filter, text, dataset->filter, &problem->length, &problem->error);
    problem->kind = status == HEAPTAP_NO_MEMORY ? REPORT_NO_MEMORY : REPORT_BAD_FILTER;
    return status == HEAPTAP_OK;
}

/* Fills an empty place, which stays empty on failure. */
static bool fill(struct viewer_selected *selected, const struct viewer_dataset *dataset,
                 const char *text, const struct report *asked, struct report_problem *problem)
{
    struct report *report = &selected->report;
    struct question question = *asked->options;
    *report = *asked;
    report->options = &question;
    question.by_site = false;
    if (!parse(&report->filter, dataset, text, problem))
        return false;
    selected->text = strdup(text);
    if (selected->text && report_bind(report, problem)) {
        report->options = NULL;
        selected->hides_suppressed = question.hides_suppressed;
        selected->is_compact = question.is_compact;
        return true;
    }
    if (!selected->text)
        problem->kind = REPORT_NO_MEMORY;
    filter_release(&report->filter);
    free(selected->text);
    return false;
}

static bool is_asked_for(const struct viewer_selected *selected, const char *text,
                         const struct report *asked)
{
    const struct selection_options *what = &selected->report.what;
    return selected->text && strcmp(selected->text, text) == 0 &&
           what->quantity == asked->what.quantity && what->value_type == asked->what.value_type &&
           selected->hides_suppressed == asked->options->hides_suppressed &&
           selected->is_compact == asked->options->is_compact;
}

static size_t kept_bytes(const struct viewer_dataset *dataset)
{
    size_t bytes = 0;
    for (int i = 0; i < VIEWER_SELECTED_MAX; i++)
        bytes += selection_bytes(&dataset->kept[i].report.selection) +
                 selection_bytes(&dataset->kept[i].by_site);
    return bytes;
}

/* Makes room for one more where large ones are kept. */
static void make_room(struct viewer_dataset *dataset)
{
    bool is_large = kept_bytes(dataset) > dataset->most_bytes;
    for (int i = 0; is_large && i < VIEWER_SELECTED_MAX; i++)
        if (dataset->kept[i].used < dataset->clock)
            clear(&dataset->kept[i]);
}

/* `asked` has options, input and what is counted.  NULL: `*problem` says why. */
static struct viewer_selected *find(struct viewer_dataset *dataset, const char *text,
                                    const struct report *asked, struct report_problem *problem)
{
    struct viewer_selected *oldest = &dataset->kept[0];
    for (int i = 0; i < VIEWER_SELECTED_MAX; i++) {
        struct viewer_selected *kept = &dataset->kept[i];
        if (is_asked_for(kept, text, asked)) {
            kept->used = ++dataset->clock;
            return kept;
        }
        oldest = kept->used < oldest->used ? kept : oldest;
    }
    clear(oldest);
    make_room(dataset);
    if (fill(oldest, dataset, text, asked, problem)) {
        oldest->used = ++dataset->clock;
        return oldest;
    }
    *oldest = (struct viewer_selected){0};
    return NULL;
}

/* Is what sites are told by another selection than the filter's own? */
static bool is_other_by_site(const struct filter *filter)
{
    struct filter by_site = *filter; /* its clauses are borrowed */
    filter_hide_libraries(&by_site);
    return by_site.hides_libraries != filter->hides_libraries;
}

/* Of rows that are summed up already, unless the filter itself edits stacks. */
static bool make_by_site(struct viewer_selected *selected, struct stack_edits *edits,
                         struct report_problem *problem)
{
    const struct report *report = &selected->report;
    const struct model *model = report->input.model;
    struct filter filter = report->filter;
    if (selected->by_site.profile.tallies)
        return true;
    filter_hide_libraries(&filter);
    problem->kind = REPORT_NO_MEMORY;
    return report->selection.moved
               ? selection_init(&selected->by_site, &report->matcher, &filter, &report->what, edits)
               : selection_edit(&selected->by_site, &report->selection, model, &filter, edits);
}

bool viewer_dataset_report(struct viewer_dataset *dataset, const char *text, struct report *report,
                           struct report_problem *problem)
{
    report->edits = &dataset->edits;
    if (!report_choose(report, problem))
        return false;
    struct viewer_selected *selected = find(dataset, text, report, problem);
    if (!selected)
        return false;
    bool by_site = report->options->by_site && is_other_by_site(&selected->report.filter);
    if (by_site && !make_by_site(selected, &dataset->edits, problem))
        return false;
    report->filter = selected->report.filter;
    report->filter.hides_libraries |= by_site;
    report->matcher = selected->report.matcher;
    report->selection = by_site ? selected->by_site : selected->report.selection;
    return report_weigh(report, problem);
}
