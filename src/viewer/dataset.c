#include "viewer/dataset.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

struct viewer_dataset *viewer_dataset_new(struct model *model, const char *name, const char *remark)
{
    struct viewer_dataset *dataset = calloc(1, sizeof *dataset);
    if (dataset) {
        dataset->model = model;
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

static void graph_clear(struct viewer_graph *graph)
{
    if (graph->is_made)
        call_graph_release(&graph->graph);
    graph->is_made = false;
}

static void clear(struct viewer_selected *selected)
{
    for (int i = 0; i < VIEWER_GRAPHS_MAX; i++)
        graph_clear(&selected->graphs[i]);
    if (selected->used) {
        selection_release(&selected->selection);
        matcher_release(&selected->matcher);
        filter_release(&selected->filter);
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
    model_free(dataset->model);
    free(dataset->name);
    free(dataset->filter);
    free(dataset->remark);
    free(dataset);
}

/* What is asked for stands first: it is what a message may point at. */
enum heaptap_status viewer_dataset_filter(const struct viewer_dataset *dataset, const char *text,
                                          struct filter *filter, size_t *length,
                                          struct heaptap_error *error)
{
    char *both;
    if (!*dataset->filter)
        return filter_parse(filter, text, length, error);
    if (asprintf(&both, "%s %s", text, dataset->filter) < 0)
        return error_no_memory(error);
    enum heaptap_status status = filter_parse(filter, both, length, error);
    free(both);
    return status;
}

/* Fills an empty place, which stays empty on failure. */
static enum heaptap_status fill(struct viewer_selected *selected,
                                const struct viewer_dataset *dataset, const char *text,
                                const struct selection_options *options, size_t *length,
                                struct heaptap_error *error)
{
    enum heaptap_status status =
        viewer_dataset_filter(dataset, text, &selected->filter, length, error);
    if (status != HEAPTAP_OK)
        return status;
    status = matcher_init(&selected->matcher, dataset->model, &selected->filter, length, error);
    if (status != HEAPTAP_OK) {
        filter_release(&selected->filter);
        return status;
    }
    selected->options = *options;
    selected->text = strdup(text);
    if (selected->text &&
        selection_init(&selected->selection, &selected->matcher, &selected->filter, options))
        return HEAPTAP_OK;
    free(selected->text);
    matcher_release(&selected->matcher);
    filter_release(&selected->filter);
    return error_no_memory(error);
}

static bool is_asked_for(const struct viewer_selected *selected, const char *text,
                         const struct selection_options *options)
{
    return selected->used && selected->options.quantity == options->quantity &&
           selected->options.value_type == options->value_type && strcmp(selected->text, text) == 0;
}

enum heaptap_status viewer_dataset_select(struct viewer_dataset *dataset, const char *text,
                                          const struct selection_options *options,
                                          struct viewer_selected **selected, size_t *length,
                                          struct heaptap_error *error)
{
    struct viewer_selected *oldest = &dataset->kept[0];
    for (int i = 0; i < VIEWER_SELECTED_MAX; i++) {
        struct viewer_selected *kept = &dataset->kept[i];
        if (is_asked_for(kept, text, options)) {
            kept->used = ++dataset->clock;
            *selected = kept;
            return HEAPTAP_OK;
        }
        oldest = kept->used < oldest->used ? kept : oldest;
    }
    clear(oldest);
    enum heaptap_status status = fill(oldest, dataset, text, options, length, error);
    if (status != HEAPTAP_OK) {
        *oldest = (struct viewer_selected){0};
        return status;
    }
    oldest->used = ++dataset->clock;
    *selected = oldest;
    return HEAPTAP_OK;
}

/* What has calls and what has none have a place each. */
const struct call_graph *viewer_selected_graph(struct viewer_selected *selected,
                                               enum symbol_grain grain, enum stack_weight weight,
                                               bool with_calls)
{
    struct viewer_graph *kept = &selected->graphs[with_calls];
    struct call_graph_options options = {
        .grain = grain, .weight = weight, .order = ORDER_CUM, .no_edges = !with_calls};
    if (kept->is_made && kept->grain == grain && kept->weight == weight)
        return &kept->graph;
    graph_clear(kept);
    kept->grain = grain;
    kept->weight = weight;
    kept->is_made = call_graph_init(&kept->graph, &selected->selection.profile,
                                    &selected->selection.frames, &options);
    return kept->is_made ? &kept->graph : NULL;
}
